//! What must hold before a plan is applied.
//!
//! - `changed`: whether a plan still means what it meant when it was made;
//! - `kinds`: groups that are moved in another way.

mod changed;
mod kinds;
#[cfg(test)]
mod tests;

pub use changed::unchanged;

use std::collections::BTreeSet;

use crate::model::time::format_duration;
use crate::model::{
    GroupListing, GroupType, Known, Member, Offset, Problem, TimestampMs, TopicPartition,
};

use super::plan::{Direction, Plan};
use super::policy::Policy;

/// A guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardKind {
    /// The group exists; for a new one, it does not.
    Exists,
    /// It is of a kind that is moved this way.
    Kind,
    /// It has no members.
    NoMembers,
    /// Nobody commits for it while it has no members.
    NoHiddenReader,
    /// Nothing changed since the plan was made but what its own members committed.
    Unchanged,
    /// What is to run again will not be deleted before it is read.
    Retention,
    /// The connection's locks allow writing.
    Writable,
    /// A cluster that people depend on, or that nobody knows, is confirmed by the group's name.
    Production,
}

impl GuardKind {
    /// As it is written for scripts, and as it is confirmed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::Kind => "kind",
            Self::NoMembers => "no_members",
            Self::NoHiddenReader => "no_hidden_reader",
            Self::Unchanged => "unchanged",
            Self::Retention => "retention",
            Self::Writable => "writable",
            Self::Production => "production",
        }
    }
}

/// How a guard stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not: nothing is applied.
    Failed,
    /// A person has to confirm it.
    Confirm,
    /// It cannot be known yet.
    Unknown,
}

/// A guard with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Which.
    pub kind: GuardKind,
    /// How it stands.
    pub outcome: Outcome,
    /// Why, in a sentence or two.
    pub detail: String,
    /// The word that confirms it, for one that is to be confirmed: its own name, or the group's.
    pub confirm_with: Option<String>,
}

/// What was confirmed: names of guards, the group's name.
pub type Confirmed = BTreeSet<String>;

/// What watching a group's commits for a while told, while nothing was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// For how long they were watched without members being there, in milliseconds.
    pub quiet_ms: i64,
    /// For how long that has to be, in milliseconds; 0 when watching was declined.
    pub wanted_ms: i64,
    /// Bookmarks that moved though the group had no members: the partition, from, to.
    pub moved: Vec<Moved>,
}

/// A bookmark that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The partition.
    pub at: TopicPartition,
    /// Where it was; `None` when there was none.
    pub from: Option<Offset>,
    /// Where it is; `None` when it is gone.
    pub to: Option<Offset>,
}

/// What the guards go by.
#[derive(Clone, Debug)]
pub struct GuardFacts<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What the list of groups says of the group; `Ok(None)` when it is not among them.
    pub listing: Known<Option<&'a GroupListing>>,
    /// Whether this bus tells the types of groups.
    pub types_known: bool,
    /// Who is in the group.
    pub members: Known<&'a [Member]>,
    /// Its state at this moment.
    pub state: Option<&'a str>,
    /// What watching its commits told.
    pub observation: &'a Observation,
    /// What changed since the plan was made, other than by its own members.
    pub unchanged: Result<(), String>,
    /// What the locks allow.
    pub policy: &'a Policy,
    /// The present time.
    pub now: TimestampMs,
}

/// How near to being deleted a record may be before that has to be confirmed, in milliseconds.
const MARGIN_MS: i64 = 3_600_000;
/// How many members are named.
const NAMED: usize = 5;

/// All guards, in the order of their kinds.
pub fn guards(facts: &GuardFacts<'_>) -> Vec<Guard> {
    let checks: [(GuardKind, Check); 8] = [
        (GuardKind::Exists, exists(facts)),
        (GuardKind::Kind, kind(facts)),
        (GuardKind::NoMembers, no_members(facts)),
        (GuardKind::NoHiddenReader, no_hidden_reader(facts)),
        (GuardKind::Unchanged, unchanged_since(facts)),
        (GuardKind::Retention, retention(facts)),
        (GuardKind::Writable, writable(facts)),
        (GuardKind::Production, production(facts)),
    ];
    checks
        .into_iter()
        .map(|(kind, check)| Guard {
            kind,
            outcome: check.outcome,
            confirm_with: (check.outcome == Outcome::Confirm).then(|| {
                if check.by_group_name {
                    facts.plan.group.lossy().into_owned()
                } else {
                    kind.name().to_owned()
                }
            }),
            detail: check.detail,
        })
        .collect()
}

/// The guards that do not hold and are not confirmed.
pub fn blocking<'a>(guards: &'a [Guard], confirmed: &Confirmed) -> Vec<&'a Guard> {
    guards
        .iter()
        .filter(|guard| match guard.outcome {
            Outcome::Passed => false,
            Outcome::Failed | Outcome::Unknown => true,
            Outcome::Confirm => guard
                .confirm_with
                .as_ref()
                .is_none_or(|word| !confirmed.contains(word)),
        })
        .collect()
}

struct Check {
    outcome: Outcome,
    detail: String,
    by_group_name: bool,
}

fn check(outcome: Outcome, detail: impl Into<String>) -> Check {
    Check {
        outcome,
        detail: detail.into(),
        by_group_name: false,
    }
}

fn by_name(detail: impl Into<String>) -> Check {
    Check {
        by_group_name: true,
        ..check(Outcome::Confirm, detail)
    }
}

fn cannot_know(problem: &Problem) -> Check {
    check(Outcome::Unknown, problem.message.to_string())
}

fn exists(facts: &GuardFacts<'_>) -> Check {
    let name = facts.plan.group.lossy();
    match (&facts.listing, facts.plan.new_group) {
        (Err(problem), _) => cannot_know(problem),
        (Ok(Some(listing)), false) => check(
            Outcome::Passed,
            match listing.kind {
                GroupType::Unknown => format!("{name} exists"),
                kind => format!("{name} exists, a {kind} group"),
            },
        ),
        // The name comes from the journal, so it is not misspelt; a group goes with its last bookmark.
        (Ok(None), false) if facts.plan.undoes.is_some() => check(
            Outcome::Confirm,
            format!("{name} is gone since that change: undoing it makes the group anew"),
        ),
        (Ok(None), false) => check(
            Outcome::Failed,
            format!("there is no group {name}; a name that is misspelt would become a new group"),
        ),
        (Ok(Some(_)), true) => check(
            Outcome::Failed,
            format!(
                "{name} exists already: only a group that does not can be given its first bookmarks this way"
            ),
        ),
        (Ok(None), true) => check(
            Outcome::Passed,
            format!("{name} does not exist yet and comes into being by this"),
        ),
    }
}

fn kind(facts: &GuardFacts<'_>) -> Check {
    let listing = match &facts.listing {
        Ok(Some(listing)) => *listing,
        Ok(None) if facts.plan.new_group || facts.plan.undoes.is_some() => {
            return check(Outcome::Passed, "it has no members of any kind");
        }
        Ok(None) => return check(Outcome::Unknown, "there is no such group"),
        Err(problem) => return cannot_know(problem),
    };
    let members = facts.members.as_deref().unwrap_or_default();
    if let Some((outcome, detail)) = kinds::other_way(listing, members, facts.plan) {
        return check(outcome, detail);
    }
    match listing.kind {
        GroupType::Unknown if facts.types_known => check(
            Outcome::Unknown,
            "the bus tells a type for this group that is not known here",
        ),
        GroupType::Unknown => check(
            Outcome::Passed,
            "this bus does not tell types of groups; it has committed offsets",
        ),
        _ => check(Outcome::Passed, "it is moved by its committed offsets"),
    }
}

fn no_members(facts: &GuardFacts<'_>) -> Check {
    let members = match &facts.members {
        Ok(members) => *members,
        Err(problem) => return cannot_know(problem),
    };
    if !members.is_empty() {
        return check(Outcome::Failed, named(members));
    }
    let typed = matches!(
        facts.listing,
        Ok(Some(listing)) if matches!(listing.kind, GroupType::Classic | GroupType::Consumer)
    );
    match facts.state {
        None | Some("Empty") => check(Outcome::Passed, "it has no members"),
        Some("Dead") if typed || facts.plan.new_group => {
            check(Outcome::Passed, "it has no members")
        }
        // Other kinds of groups look dead to whoever asks for consumers.
        Some("Dead") if facts.types_known => check(
            Outcome::Failed,
            "its state is Dead and it is not listed as a group of consumers: whether anybody is in it cannot be told",
        ),
        Some("Dead") => by_name(
            "the bus says Dead, which on a bus without group types means that its members have left",
        ),
        Some(state) => check(
            Outcome::Failed,
            format!("its members are between two generations (state {state})"),
        ),
    }
}

fn named(members: &[Member]) -> String {
    let mut names: Vec<String> = members
        .iter()
        .take(NAMED)
        .map(|member| {
            let host = member.host.lossy();
            format!(
                "{} on {}",
                member.client_id.lossy(),
                host.strip_prefix('/').unwrap_or(&host)
            ) + &member
                .instance_id
                .as_ref()
                .map_or_else(String::new, |id| format!(" (static, {id})"))
        })
        .collect();
    if let Some(more) = members.len().checked_sub(NAMED).filter(|more| *more > 0) {
        names.push(format!("{more} more"));
    }
    let mut said = format!(
        "{} {}: {}",
        members.len(),
        if members.len() == 1 {
            "member"
        } else {
            "members"
        },
        names.join(", ")
    );
    if members.iter().any(|member| member.instance_id.is_some()) {
        said.push_str(
            "; static members stay in the group after they stop, until their session times out (session.timeout.ms, 45 s unless set)",
        );
    }
    said
}

fn no_hidden_reader(facts: &GuardFacts<'_>) -> Check {
    let seen = facts.observation;
    let is_gone = facts.plan.undoes.is_some() && matches!(facts.listing, Ok(None));
    if facts.plan.new_group || is_gone {
        return check(
            Outcome::Passed,
            "nobody can read for a group that does not exist",
        );
    }
    if let Some(moved) = seen.moved.first() {
        let place = |offset: &Option<Offset>| {
            offset.map_or_else(|| "nothing".to_owned(), |offset| offset.to_string())
        };
        return check(
            Outcome::Failed,
            format!(
                "its bookmark on {} went from {} to {} though it has no members: something reads with fixed partitions and commits for this group; stop that first",
                moved.at,
                place(&moved.from),
                place(&moved.to)
            ),
        );
    }
    match &facts.members {
        Ok(members) if !members.is_empty() => {
            return check(Outcome::Unknown, "it cannot be known while members run");
        }
        Err(problem) => return cannot_know(problem),
        Ok(_) => {}
    }
    let seconds = |ms: i64| ms / 1_000;
    if seen.wanted_ms == 0 {
        return check(
            Outcome::Confirm,
            "its commits were not watched: a reader with fixed partitions would not be seen",
        );
    }
    if seen.quiet_ms >= seen.wanted_ms {
        return check(
            Outcome::Passed,
            format!("nothing was committed for {} s", seconds(seen.quiet_ms)),
        );
    }
    check(
        Outcome::Unknown,
        format!(
            "its commits are being watched: {} of {} s",
            seconds(seen.quiet_ms),
            seconds(seen.wanted_ms)
        ),
    )
}

fn unchanged_since(facts: &GuardFacts<'_>) -> Check {
    match &facts.unchanged {
        Ok(()) => check(
            Outcome::Passed,
            "nothing but its own members moved it since the plan was made",
        ),
        Err(what) => check(Outcome::Failed, what.clone()),
    }
}

fn retention(facts: &GuardFacts<'_>) -> Check {
    let mut least: Option<(i64, &TopicPartition)> = None;
    let mut unknown: Option<&TopicPartition> = None;
    let (mut back, mut looking) = (false, false);
    for row in &facts.plan.rows {
        if row.direction() != Direction::Back || row.stretch().is_none() {
            continue;
        }
        back = true;
        let first = row.contents.first.as_ref().and_then(|first| first.at);
        match (row.retention_ms, first) {
            (Some(ms), _) if ms < 0 => {}
            (Some(ms), Some(first)) => {
                let left = first.moved_ms(ms).since_ms(facts.now);
                if least.is_none_or(|(before, _)| left < before) {
                    least = Some((left, &row.at));
                }
            }
            _ if row.contents.exact && row.contents.records == 0 => {}
            _ if !row.contents.looked_at => looking = true,
            _ => unknown = Some(&row.at),
        }
    }
    if !back {
        return check(Outcome::Passed, "nothing runs again");
    }
    match (least, unknown) {
        (Some((left, at)), _) if left <= 0 => check(
            Outcome::Confirm,
            format!(
                "the first records of {at} have passed their retention: they may be deleted at any moment"
            ),
        ),
        (Some((left, at)), _) if left < MARGIN_MS => check(
            Outcome::Confirm,
            format!(
                "the first records of {at} are deleted in {}: the group has to have read them by then",
                format_duration(left)
            ),
        ),
        _ if looking => check(
            Outcome::Unknown,
            "the first of the records that run again are being looked at",
        ),
        (_, Some(at)) => check(
            Outcome::Confirm,
            format!("when the records of {at} are deleted is not known"),
        ),
        (Some((left, _)), None) => check(
            Outcome::Passed,
            format!(
                "the first of them are kept for {} more",
                format_duration(left)
            ),
        ),
        (None, None) => check(Outcome::Passed, "these topics keep their records for ever"),
    }
}

fn writable(facts: &GuardFacts<'_>) -> Check {
    match &facts.policy.locked {
        None => check(Outcome::Passed, "this connection may change offsets"),
        Some(why) => check(Outcome::Failed, why.clone()),
    }
}

fn production(facts: &GuardFacts<'_>) -> Check {
    let name = facts.plan.group.lossy();
    if facts.policy.production {
        return by_name(format!("this is production: type {name} to confirm"));
    }
    if facts.policy.unknown_remote {
        return by_name(format!(
            "no profile knows this cluster, and it is not on this machine: type {name} to confirm"
        ));
    }
    check(Outcome::Passed, "it is not marked production")
}
