//! How the lock stands, and what is said of it. Pure.

use crate::engine::{Connection, Snapshot};
use crate::model::TimestampMs;

use super::super::format;
use super::super::glossary;

/// For how long changes are allowed at once, in milliseconds.
pub const UNLOCK_MS: i64 = 600_000;
const MINUTE_MS: i64 = 60_000;
const SECOND_MS: i64 = 1_000;

/// How the lock stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Nothing may be changed, and why.
    Locked(String),
    /// Changes are allowed for so many milliseconds more.
    Until(i64),
    /// Changes need no unlocking.
    Open,
}

impl Lock {
    /// How it stands at `now` by the clock.
    pub fn of(snapshot: &Snapshot, now: TimestampMs) -> Self {
        let access = &snapshot.access;
        let left = access.unlocked_until.map(|until| until.since_ms(now));
        match (&access.policy, left) {
            (None, _) => Self::Locked("It is not known yet which cluster this is".to_owned()),
            (Some(_), Some(left)) if left > 0 => Self::Until(left),
            (Some(policy), _) => match &policy.locked {
                Some(why) => Self::Locked(why.clone()),
                None if left.is_some() => {
                    Self::Locked("The time for which changes were allowed is over".to_owned())
                }
                None => Self::Open,
            },
        }
    }

    /// In a few words. Minutes that have begun count as whole ones.
    pub fn text(&self) -> String {
        match self {
            Self::Locked(_) => "read-only".to_owned(),
            Self::Open => "unlocked".to_owned(),
            Self::Until(left) if *left > MINUTE_MS => {
                format!("unlocked for {} min", whole(*left, MINUTE_MS))
            }
            Self::Until(left) => format!("unlocked for {} s", whole(*left, SECOND_MS)),
        }
    }

    /// After how many milliseconds its text is another one; `None` when it stays.
    pub fn next_change_ms(&self) -> Option<i64> {
        let Self::Until(left) = self else {
            return None;
        };
        let unit = if *left > MINUTE_MS {
            MINUTE_MS
        } else {
            SECOND_MS
        };
        let begun = left % unit;
        Some(if begun == 0 {
            1
        } else {
            begun.saturating_add(1)
        })
    }

    /// What it means, and what a click does; `why_not` is why none does anything.
    pub fn hint(&self, snapshot: &Snapshot, why_not: Option<&str>) -> String {
        let is_demo = matches!(
            snapshot.connection,
            Connection::Connected { demo: true, .. }
        );
        match (self, why_not) {
            (Self::Open, _) if is_demo => {
                "Changes are allowed: the demo bus is made up and ends with this window".to_owned()
            }
            (Self::Open, _) => {
                "Changes are allowed: the profile of this cluster is not read-only".to_owned()
            }
            (Self::Until(_), _) => "Changes are allowed; click to lock it again".to_owned(),
            (Self::Locked(why), None) => {
                let meaning = glossary::explained(why, "read-only");
                format!("{meaning}\nClick to allow changes for 10 minutes…")
            }
            (Self::Locked(why), Some(why_not)) => {
                let meaning = glossary::explained(why, "read-only");
                format!("{meaning}\nIt cannot be unlocked: {why_not}")
            }
        }
    }
}

/// How many units are in `ms`, one that has begun counted as whole.
fn whole(ms: i64, unit: i64) -> String {
    let units = ms.saturating_add(unit - 1) / unit;
    format::count(u64::try_from(units).unwrap_or(0))
}

/// Why it cannot be unlocked; `None` when it can.
pub fn why_not_unlock(snapshot: &Snapshot, now: TimestampMs) -> Option<&'static str> {
    if snapshot.access.policy.is_none() {
        return Some("it is not known yet which cluster this is");
    }
    match Lock::of(snapshot, now) {
        Lock::Open => Some("changes need no unlocking here"),
        Lock::Until(_) => Some("changes are allowed already"),
        Lock::Locked(_) if snapshot.journal.entries.is_err() => {
            Some("the journal cannot be read, and nothing is changed without it")
        }
        Lock::Locked(_) => None,
    }
}

/// Why it cannot be locked; `None` when it can.
pub fn why_not_lock(snapshot: &Snapshot, now: TimestampMs) -> Option<&'static str> {
    match Lock::of(snapshot, now) {
        Lock::Until(_) => None,
        Lock::Locked(_) => Some("it is read-only already"),
        Lock::Open => Some("its profile is not read-only"),
    }
}

/// Whether a bus is connected that people depend on.
pub fn is_production(snapshot: &Snapshot) -> bool {
    let policy = snapshot.access.policy.as_ref();
    matches!(snapshot.connection, Connection::Connected { .. })
        && policy.is_some_and(|policy| policy.production)
}

/// By which name the person knows the bus: its profile's, or the address; `None` when none is connected.
pub fn name(snapshot: &Snapshot) -> Option<String> {
    match &snapshot.connection {
        Connection::Connected { demo: true, .. } => Some("Demo bus".to_owned()),
        Connection::Connected { to, .. } => {
            let profile = snapshot.access.profile.as_ref();
            Some(profile.map_or_else(|| to.to_string(), ToString::to_string))
        }
        _ => None,
    }
}

/// What has to be typed to allow changes; `None` where a click is enough.
pub fn typed(snapshot: &Snapshot) -> Option<String> {
    if !is_production(snapshot) {
        return None;
    }
    if let Some(profile) = &snapshot.access.profile {
        return Some(profile.clone());
    }
    let cluster = snapshot.inventory.cluster.as_ref();
    let id = cluster
        .and_then(|cluster| cluster.as_ref().ok())
        .and_then(|cluster| cluster.cluster_id.clone());
    id.or_else(|| name(snapshot))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::AccessView;
    use crate::model::{Problem, ProblemKind};
    use crate::rewind::policy::Policy;

    const NOW: TimestampMs = TimestampMs(1_000_000);

    fn with(locked: Option<&str>, left: Option<i64>) -> Snapshot {
        Snapshot {
            connection: Connection::Connected {
                to: "kafka-1:9092".into(),
                demo: false,
                degraded: None,
            },
            access: Arc::new(AccessView {
                policy: Some(Policy {
                    locked: locked.map(str::to_owned),
                    production: true,
                    unknown_remote: false,
                }),
                unlocked_until: left.map(|left| NOW.moved_ms(left)),
                ..AccessView::default()
            }),
            ..Snapshot::default()
        }
    }

    fn text(left: i64) -> String {
        Lock::of(&with(None, Some(left)), NOW).text()
    }

    #[test]
    fn what_is_left_is_counted_down_by_minutes_and_at_last_by_seconds() {
        assert_eq!(text(600_000), "unlocked for 10 min");
        assert_eq!(text(540_001), "unlocked for 10 min");
        assert_eq!(text(540_000), "unlocked for 9 min");
        assert_eq!(text(60_001), "unlocked for 2 min");
        assert_eq!(text(60_000), "unlocked for 60 s");
        assert_eq!(text(1), "unlocked for 1 s");
        assert_eq!(text(0), "read-only");
        assert_eq!(text(-5), "read-only");
    }

    #[test]
    fn it_is_drawn_again_when_the_text_changes_and_not_before() {
        for left in [
            600_000_i64,
            599_999,
            540_001,
            60_001,
            60_000,
            59_500,
            1_000,
            1,
        ] {
            let lock = Lock::Until(left);
            let wait = lock.next_change_ms().unwrap();
            assert!(wait > 0);
            assert_ne!(text(left - wait), lock.text(), "{left}");
            if wait > 1 {
                assert_eq!(text(left - wait + 1 + 1), lock.text(), "{left}");
            }
        }
        assert_eq!(Lock::Open.next_change_ms(), None);
        assert_eq!(Lock::Locked(String::new()).next_change_ms(), None);
    }

    #[test]
    fn an_unknown_cluster_is_locked_and_stays_so() {
        let mut snapshot = with(None, None);
        assert_eq!(Lock::of(&snapshot, NOW), Lock::Open);
        snapshot.access = Arc::default();
        assert!(matches!(Lock::of(&snapshot, NOW), Lock::Locked(_)));
        assert!(why_not_unlock(&snapshot, NOW).is_some());
        assert!(why_not_lock(&snapshot, NOW).is_some());
    }

    #[test]
    fn it_is_unlocked_only_with_a_journal() {
        let mut snapshot = with(Some("the profile is read-only"), None);
        assert_eq!(why_not_unlock(&snapshot, NOW), None);
        let journal = Arc::make_mut(&mut snapshot.journal);
        journal.entries = Err(Problem::new(ProblemKind::Other, "the disk is full"));
        let why = why_not_unlock(&snapshot, NOW).unwrap();
        assert!(why.contains("journal"), "{why}");
        assert!(why_not_unlock(&with(None, Some(5)), NOW).is_some());
        assert_eq!(why_not_lock(&with(None, Some(5)), NOW), None);
    }

    #[test]
    fn in_production_the_name_of_the_profile_or_else_the_cluster_is_typed() {
        let mut snapshot = with(Some("x"), None);
        assert_eq!(typed(&snapshot).as_deref(), Some("kafka-1:9092"));
        let access = Arc::make_mut(&mut snapshot.access);
        access.profile = Some("prod-eu".to_owned());
        assert_eq!(typed(&snapshot).as_deref(), Some("prod-eu"));
        let access = Arc::make_mut(&mut snapshot.access);
        access.policy.as_mut().unwrap().production = false;
        assert_eq!(typed(&snapshot), None);
    }
}
