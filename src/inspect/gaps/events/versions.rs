//! G11: a version that is missing for one key.
//!
//! Versions of one key are looked at over everything that is read: what is called missing is in no partition and no
//! topic. A version that stands in dead letters, or was withdrawn, explains itself; one that may have been deleted, is
//! young, or belongs to a number that jumps anyway makes a question at most.

use std::collections::BTreeMap;

use crate::decode::fields::{self, Path};
use crate::decode::integer::integer;
use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Known, Offset, Problem, ProblemKind, Record,
    Text, TimestampMs,
};

use super::super::finding::Draft;
use super::super::words::{number, place};
use super::runs::{Gap, Runs, Spot};
use super::table::{Name, Room, Table};
use super::{HABIT, Names, amount, shown_key};

/// Gaps in one topic that are told one by one.
const MOST_TOLD: u64 = 500;
/// Versions of one key in dead letters and aborted transactions that are kept.
const MOST_ASIDE: usize = 1_000;

/// Where the version stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionRule {
    /// In the decoded value.
    Path(Path),
    /// In the header of this name, as text or as four or eight bytes.
    Header(Text),
}

impl VersionRule {
    /// At this path of the value: `.version`.
    ///
    /// # Errors
    /// It is no path.
    pub fn path(path: &str) -> Known<Self> {
        Path::parse(path).map(Self::Path).ok_or_else(|| {
            Problem::new(
                ProblemKind::Invalid,
                format!("“{path}” is no path; write .version or .meta.version"),
            )
        })
    }

    /// In the header of this name.
    pub fn header(name: &str) -> Self {
        Self::Header(Text::from(name))
    }

    /// The version of a record, where it has one.
    pub(super) fn version(&self, record: &Record, decoded: Option<&str>) -> Option<i64> {
        match self {
            Self::Path(path) => fields::find(decoded?, path)?.text().trim().parse().ok(),
            Self::Header(name) => {
                let mut headers = record.headers.iter();
                let header = headers.find(|header| header.name == *name)?;
                let value = header.value.as_deref()?;
                let text = std::str::from_utf8(value).ok();
                let written = text.and_then(|text| text.trim().trim_matches('"').parse().ok());
                written.or_else(|| Some(integer(value)?.0))
            }
        }
    }
}

/// In what kind of record a version was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    Plain,
    /// In a topic for dead letters or retries.
    Dead,
    /// Its transaction was aborted.
    Withdrawn,
}

/// A version that was seen where it does not count.
#[derive(Clone, Copy, Debug)]
struct Aside {
    version: i64,
    seen: Seen,
    spot: Spot,
}

/// A list has up to twice the room that it needs.
const ASIDE_BYTES: usize = size_of::<Aside>().saturating_mul(2);

/// The versions of all keys.
#[derive(Debug, Default)]
pub(super) struct Versions {
    keys: Table<Runs>,
    aside: Table<Vec<Aside>>,
}

/// What became of the versions of a gap.
struct Fate<'a> {
    /// Those that are nowhere.
    nowhere: u64,
    aside: Vec<&'a Aside>,
}

impl Versions {
    /// Takes a version of `key`, which has this name.
    pub(super) fn add(
        &mut self,
        (key, name): (&[u8], Name),
        (version, seen): (i64, Seen),
        spot: Spot,
        room: &mut Room,
    ) {
        if seen == Seen::Plain {
            if let Some(runs) = self.keys.get_mut(&name) {
                runs.add(version, spot, key, room);
            } else {
                self.keys.insert(name, Runs::new(version, spot), room);
            }
            return;
        }
        let aside = Aside {
            version,
            seen,
            spot,
        };
        if let Some(kept) = self.aside.get_mut(&name) {
            if kept.len() < MOST_ASIDE && room.take(ASIDE_BYTES) {
                kept.push(aside);
            }
        } else if room.take(ASIDE_BYTES) {
            self.aside.insert(name, vec![aside], room);
        }
    }

    fn fate(&self, name: &Name, gap: &Gap) -> Fate<'_> {
        let mut of: BTreeMap<i64, &Aside> = BTreeMap::new();
        let kept = self.aside.get(name).into_iter().flatten();
        for aside in kept.filter(|aside| (gap.from..=gap.to).contains(&aside.version)) {
            let known = of.entry(aside.version).or_insert(aside);
            if aside.seen < known.seen {
                *known = aside;
            }
        }
        let aside: Vec<&Aside> = of.into_values().collect();
        let known = u64::try_from(aside.len()).unwrap_or(u64::MAX);
        Fate {
            nowhere: gap.len().saturating_sub(known),
            aside,
        }
    }

    pub(super) fn findings(
        &self,
        names: &Names<'_>,
        now: TimestampMs,
        wait_ms: i64,
        in_part: bool,
    ) -> Vec<Finding> {
        let judge = Judge {
            names,
            now,
            wait_ms,
            in_part,
        };
        let mut topics: BTreeMap<u32, OfTopic> = BTreeMap::new();
        let mut gaps = Vec::new();
        for (name, runs) in self.keys.unsorted().collect::<Vec<_>>() {
            let home = names.topic_of_lane(runs.first_lane());
            let of_topic = topics.entry(home).or_default();
            of_topic.keys = of_topic.keys.saturating_add(1);
            if runs.jump() {
                of_topic.jumping = of_topic.jumping.saturating_add(1);
                continue;
            }
            let mut is_open = false;
            for gap in runs.gaps() {
                let fate = self.fate(name, &gap);
                is_open |= fate.nowhere > 0 && judge.explained(&gap).is_none();
                gaps.push((home, runs, gap, fate));
            }
            if is_open {
                of_topic.open = of_topic.open.saturating_add(1);
            }
        }
        gaps.sort_by_key(|(_, _, gap, _)| (names.at(&gap.after), gap.after.offset, gap.from));
        let mut findings = Vec::new();
        for (home, runs, gap, fate) in gaps {
            let Some(of_topic) = topics.get_mut(&home) else {
                continue;
            };
            if of_topic.by_design() && fate.nowhere > 0 {
                continue;
            }
            of_topic.told = of_topic.told.saturating_add(1);
            if of_topic.told <= MOST_TOLD {
                findings.push(judge.tell(runs, &gap, &fate));
            }
        }
        for (topic, of_topic) in topics {
            let more = of_topic.told.saturating_sub(MOST_TOLD);
            if of_topic.by_design() || of_topic.jumping > 0 {
                findings.push(tell_by_design(names, topic, &of_topic));
            }
            if more > 0 {
                findings.push(tell_more(names, topic, more));
            }
        }
        findings
    }
}

/// What was seen of the keys whose first version stands in one topic.
#[derive(Clone, Copy, Debug, Default)]
struct OfTopic {
    keys: u64,
    /// Keys with a gap that nothing explains.
    open: u64,
    /// Keys whose version jumps all the time.
    jumping: u64,
    told: u64,
}

impl OfTopic {
    fn with_gaps(&self) -> u64 {
        self.open.saturating_add(self.jumping)
    }

    /// Whether so many keys have gaps that versions count more than what the topic carries.
    fn by_design(&self) -> bool {
        self.keys >= HABIT && self.with_gaps().saturating_mul(3) > self.keys
    }
}

/// Why a version that was not seen may be there all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explained {
    /// The newest of each key is kept.
    Compacted,
    /// It may still come.
    Young,
    /// It may lie in a partition before what was read of it.
    Unread,
    /// Not everything could be followed.
    InPart,
}

struct Judge<'a> {
    names: &'a Names<'a>,
    now: TimestampMs,
    wait_ms: i64,
    in_part: bool,
}

impl Judge<'_> {
    fn explained(&self, gap: &Gap) -> Option<Explained> {
        let after = self.names.topic_of(&gap.after);
        let before = self.names.topic_of(&gap.before);
        if self.names.is_compacted(after) || self.names.is_compacted(before) {
            return Some(Explained::Compacted);
        }
        let time = gap.after.time;
        if time.is_some_and(|time| self.now.since_ms(time) < self.wait_ms) {
            return Some(Explained::Young);
        }
        self.in_part.then_some(Explained::InPart)
    }

    fn tell(&self, runs: &Runs, gap: &Gap, fate: &Fate<'_>) -> Finding {
        let names = self.names;
        let (at, before) = (names.at(&gap.after), names.at(&gap.before));
        let key = shown_key(runs.whose());
        let (are, were) = if gap.len() == 1 {
            ("is", "was")
        } else {
            ("are", "were")
        };
        let missing = steps(gap.from, gap.to);
        let unread = runs.is_spread().then(|| names.begins_behind(gap)).flatten();
        let explained = self
            .explained(gap)
            .or_else(|| unread.as_ref().map(|_| Explained::Unread));
        let dead = fate.aside.iter().find(|aside| aside.seen == Seen::Dead);
        let (certainty, why, next): (_, String, &str) = match explained {
            _ if fate.nowhere == 0 && dead.is_some() => (
                Certainty::Hint,
                format!("{missing} {are} in dead letters or retries, and nowhere else."),
                "Look at the dead letters: from there it may be read again.",
            ),
            _ if fate.nowhere == 0 => (
                Certainty::Hint,
                format!("{missing} {were} withdrawn and never sent again."),
                "Ask the sender's owner whether the withdrawn step was meant to be repeated.",
            ),
            Some(Explained::Compacted) => (
                Certainty::Hint,
                format!(
                    "{missing} may have been cleaned up: the topic keeps the newest event of each key."
                ),
                "",
            ),
            Some(Explained::Young) => (
                Certainty::Hint,
                format!("{missing} may still come."),
                "Wait a minute and look again.",
            ),
            Some(Explained::Unread) => (
                Certainty::Hint,
                format!(
                    "{missing} {are} nowhere in what was read, but may lie in {} before that.",
                    unread.unwrap_or_default()
                ),
                "Look again from an earlier time on; what was deleted cannot be looked at.",
            ),
            Some(Explained::InPart) => (
                Certainty::Hint,
                format!("{missing} {were} not seen; not everything could be followed."),
                "Look again at fewer topics or a shorter time.",
            ),
            None => (
                Certainty::Strong,
                format!("{missing} {are} nowhere in what was read."),
                "Ask the sender's owner what became of it; consumers of this key are out of step until it comes.",
            ),
        };
        let head = format!(
            "{key} went from step {} to step {} in {}",
            number(gap.from.saturating_sub(1)),
            number(gap.to.saturating_add(1)),
            place(&at)
        );
        let elsewhere: Vec<Fact> = fate
            .aside
            .iter()
            .map(|aside| Fact::Record(names.at(&aside.spot), Offset(aside.spot.offset)))
            .collect();
        let (from, to) = gap.offsets();
        let mut draft = Draft::new(FindingKind::MissingVersion, Concerns::Everyone)
            .at(&at)
            .offsets(from, to)
            .certainty(certainty)
            .because("key", Fact::Text(key))
            .because("missing_from", Fact::Number(gap.from))
            .because("missing_to", Fact::Number(gap.to))
            .because("before", Fact::Record(before, Offset(gap.before.offset)))
            .because("after", Fact::Record(at, Offset(gap.after.offset)));
        if !elsewhere.is_empty() {
            draft = draft.because("elsewhere", Fact::List(elsewhere));
        }
        draft
            .with(|finding| {
                finding.normal = explained == Some(Explained::Compacted) && fate.nowhere > 0;
                let nowhere = Some(fate.nowhere).filter(|nowhere| *nowhere > 0);
                finding.records = nowhere.or(Some(gap.len()));
                (finding.from_time, finding.to_time) = (gap.before.time, gap.after.time);
            })
            .say(
                &format!("{:?} {}", runs.whose(), gap.from),
                format!("{head}; {why}"),
                next,
            )
    }
}

fn steps(from: i64, to: i64) -> String {
    if from == to {
        format!("step {}", number(from))
    } else {
        format!("steps {} to {}", number(from), number(to))
    }
}

/// One question for a topic, in place of a finding for each gap.
fn tell_by_design(names: &Names<'_>, topic: u32, of: &OfTopic) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} {} of {} keys have gaps in their versions: the version seems to count more than what is sent here.",
        number(amount(of.with_gaps())),
        number(amount(of.keys)),
    );
    Draft::new(FindingKind::MissingVersion, Concerns::Everyone)
        .topic(&name)
        .because("keys", Fact::Number(amount(of.keys)))
        .because("keys_with_gaps", Fact::Number(amount(of.with_gaps())))
        .say(
            "by design",
            sentence,
            "Ask the sender's owner whether each version is published to this topic; choose a number that is.",
        )
}

fn tell_more(names: &Names<'_>, topic: u32, more: u64) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} versions are missing in {} more places; they are not told one by one.",
        number(amount(more))
    );
    Draft::new(FindingKind::MissingVersion, Concerns::Everyone)
        .topic(&name)
        .certainty(Certainty::Strong)
        .because("more", Fact::Number(amount(more)))
        .say(
            "more",
            sentence,
            "Look at the ones that are told first; a common cause is likely.",
        )
}
