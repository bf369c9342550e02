//! G11: a version that is missing for one key.

use std::collections::{BTreeMap, HashMap};

use crate::decode::fields::{self, Path};
use crate::decode::integer::integer;
use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Known, Offset, Problem, ProblemKind, Record,
    Text, TimestampMs,
};

use super::super::finding::Draft;
use super::super::words::{count, number, place};
use super::{Counts, Names, Room, Spot, digest};

/// With so many keys or more of which every third has gaps, versions count more than what the topics carry.
const KEYS: usize = 5;
/// A gap of more versions than this is none: such numbers are not given one after the other.
const WIDEST: i64 = 1_000_000;
/// What a key takes beside its bytes, and what a stretch of its versions takes.
const KEY_BYTES: u64 = 160;
const RUN_BYTES: u64 = 96;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Plain,
    /// In a topic for dead letters or retries.
    Dead,
    /// Its transaction was aborted.
    Withdrawn,
}

/// Versions without a gap.
#[derive(Clone, Copy, Debug)]
struct Run {
    to: i64,
    first: Spot,
    last: Spot,
}

#[derive(Debug, Default)]
struct Key {
    bytes: Box<[u8]>,
    /// By their first version.
    runs: BTreeMap<i64, Run>,
    /// Versions that were seen in other kinds of records only, the first so many.
    elsewhere: Vec<(i64, Seen)>,
}

/// The versions of all keys.
#[derive(Debug, Default)]
pub(super) struct Versions {
    index: HashMap<u128, usize>,
    keys: Vec<Key>,
}

/// Versions of one key in dead letters and aborted transactions that are kept.
const ELSEWHERE: usize = 1_000;

impl Versions {
    pub(super) fn add(
        &mut self,
        record: &Record,
        version: i64,
        seen: Seen,
        spot: Spot,
        room: &mut Room,
    ) {
        let Some(bytes) = record.key.as_deref() else {
            return;
        };
        let name = digest(&bytes);
        let index = if let Some(index) = self.index.get(&name) {
            *index
        } else {
            let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            if !room.take(size.saturating_add(KEY_BYTES)) {
                return;
            }
            let index = self.keys.len();
            self.index.insert(name, index);
            self.keys.push(Key {
                bytes: bytes.into(),
                ..Key::default()
            });
            index
        };
        let Some(key) = self.keys.get_mut(index) else {
            return;
        };
        if seen != Seen::Plain {
            if key.elsewhere.len() < ELSEWHERE && room.take(16) {
                key.elsewhere.push((version, seen));
            }
            return;
        }
        key.add(version, spot, room);
    }

    pub(super) fn findings(
        &self,
        names: &Names<'_>,
        now: TimestampMs,
        wait_ms: i64,
        in_part: bool,
    ) -> Vec<Finding> {
        let gaps: Vec<(&Key, Gap)> = self
            .keys
            .iter()
            .flat_map(|key| key.gaps().map(move |gap| (key, gap)))
            .collect();
        let with_gaps = self.keys.iter().filter(|key| key.runs.len() > 1).count();
        let by_design = self.keys.len() >= KEYS && with_gaps.saturating_mul(3) > self.keys.len();
        if by_design {
            return self.by_design(names, &gaps, with_gaps);
        }
        let mut counts = Counts::default();
        let mut findings = Vec::new();
        for (key, gap) in gaps {
            if counts.one_more(gap.after.topic) {
                findings.push(tell(names, key, &gap, (now, wait_ms), in_part));
            }
        }
        for (topic, more) in counts.more() {
            let name = names.name(topic);
            let more = u64::try_from(more).unwrap_or(u64::MAX);
            let sentence = format!(
                "In {name} {} more have gaps like these; they are not told one by one.",
                count(more, "key's versions", "keys' versions")
            );
            findings.push(
                Draft::new(FindingKind::MissingVersion, Concerns::Everyone)
                    .topic(&name)
                    .certainty(Certainty::Strong)
                    .because(
                        "more",
                        Fact::Number(i64::try_from(more).unwrap_or(i64::MAX)),
                    )
                    .say(
                        "more",
                        sentence,
                        "Look at the ones that are told first; a common cause is likely.",
                    ),
            );
        }
        findings
    }

    /// One question for each topic, in place of a finding for each gap.
    fn by_design(&self, names: &Names<'_>, gaps: &[(&Key, Gap)], with_gaps: usize) -> Vec<Finding> {
        let mut topics: Vec<u32> = gaps.iter().map(|(_, gap)| gap.after.topic).collect();
        topics.sort_unstable();
        topics.dedup();
        let number_of = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let tell = |topic: u32| {
            let name = names.name(topic);
            let sentence = format!(
                "Of {} keys {} have gaps in their versions: the version seems to count more than what {name} carries.",
                number(number_of(self.keys.len())),
                number(number_of(with_gaps)),
            );
            Draft::new(FindingKind::MissingVersion, Concerns::Everyone)
                .topic(&name)
                .because("keys", Fact::Number(number_of(self.keys.len())))
                .because("keys_with_gaps", Fact::Number(number_of(with_gaps)))
                .say(
                    "by design",
                    sentence,
                    "Ask the sender's owner whether each version is published to this topic; choose a number that is.",
                )
        };
        topics.into_iter().map(tell).collect()
    }
}

/// What is missing between two stretches.
#[derive(Clone, Copy, Debug)]
struct Gap {
    from: i64,
    to: i64,
    before: Spot,
    after: Spot,
}

impl Key {
    fn add(&mut self, version: i64, spot: Spot, room: &mut Room) {
        let before = self.runs.range(..=version).next_back();
        let before = before.map(|(from, run)| (*from, *run));
        if before.is_some_and(|(_, run)| run.to >= version) {
            return;
        }
        let after = version.checked_add(1);
        let after = after.and_then(|next| self.runs.get(&next).map(|run| (next, *run)));
        let joins = before.filter(|(_, run)| run.to.checked_add(1) == Some(version));
        match (joins, after) {
            (Some((from, run)), Some((next, later))) => {
                self.runs.remove(&next);
                self.runs.insert(
                    from,
                    Run {
                        first: run.first,
                        ..later
                    },
                );
            }
            (Some((from, run)), None) => {
                self.runs.insert(
                    from,
                    Run {
                        to: version,
                        last: spot,
                        ..run
                    },
                );
            }
            (None, Some((next, later))) => {
                self.runs.remove(&next);
                self.runs.insert(
                    version,
                    Run {
                        first: spot,
                        ..later
                    },
                );
            }
            (None, None) => {
                if room.take(RUN_BYTES) {
                    let run = Run {
                        to: version,
                        first: spot,
                        last: spot,
                    };
                    self.runs.insert(version, run);
                }
            }
        }
    }

    fn gaps(&self) -> impl Iterator<Item = Gap> {
        let later = self.runs.iter().skip(1);
        self.runs
            .values()
            .zip(later)
            .filter_map(|(run, (from, next))| {
                let gap = Gap {
                    from: run.to.checked_add(1)?,
                    to: from.checked_sub(1)?,
                    before: run.last,
                    after: next.first,
                };
                (gap.to.checked_sub(gap.from)? < WIDEST).then_some(gap)
            })
    }

    /// In what other records the missing versions were seen, if all of them were.
    fn elsewhere(&self, gap: &Gap) -> Option<Seen> {
        let mut found = None;
        for version in gap.from..=gap.to {
            let seen = self.elsewhere.iter().find(|(other, _)| *other == version)?;
            found = Some(seen.1);
        }
        found
    }
}

fn tell(
    names: &Names<'_>,
    key: &Key,
    gap: &Gap,
    (now, wait_ms): (TimestampMs, i64),
    in_part: bool,
) -> Finding {
    let (at, before) = (names.at(&gap.after), names.at(&gap.before));
    let name = String::from_utf8_lossy(&key.bytes).into_owned();
    let missing = if gap.from == gap.to {
        format!("step {}", number(gap.from))
    } else {
        format!("steps {} to {}", number(gap.from), number(gap.to))
    };
    let head = format!(
        "{name} went from step {} to step {} in {}",
        number(gap.from.saturating_sub(1)),
        number(gap.to.saturating_add(1)),
        place(&at)
    );
    let is_young = gap
        .after
        .time
        .is_some_and(|time| now.since_ms(time) < wait_ms);
    let elsewhere = key.elsewhere(gap);
    let compacted = names.is_compacted(gap.after.topic);
    let (certainty, normal, why, next): (_, _, String, &str) = match elsewhere {
        Some(Seen::Withdrawn) => (
            Certainty::Hint,
            false,
            format!("{missing} was withdrawn by its producer and not sent again."),
            "Ask the sender's owner whether the withdrawn step was meant to be repeated.",
        ),
        Some(_) => (
            Certainty::Hint,
            false,
            format!("{missing} lies in a topic for dead letters or retries."),
            "Look at the dead letters: from there it may be read again.",
        ),
        None if compacted => (
            Certainty::Hint,
            true,
            format!(
                "{missing} may have been cleaned up: the topic keeps the newest event of each key."
            ),
            "",
        ),
        None if is_young => (
            Certainty::Hint,
            false,
            format!("{missing} has not come yet."),
            "Wait a minute and look again; it may be on its way.",
        ),
        None if in_part => (
            Certainty::Hint,
            false,
            format!("{missing} was not seen; not everything could be followed."),
            "Look again at fewer topics or a shorter time.",
        ),
        None => (
            Certainty::Strong,
            false,
            format!("{missing} is nowhere in what was read."),
            "Ask the sender's owner what became of it; consumers of this key are out of step until it comes.",
        ),
    };
    let from = if before == at {
        Offset(gap.before.offset.min(gap.after.offset))
    } else {
        Offset(gap.after.offset)
    };
    let to = if before == at {
        Offset(gap.before.offset.max(gap.after.offset))
    } else {
        Offset(gap.after.offset)
    };
    let records = gap
        .to
        .checked_sub(gap.from)
        .and_then(|gap| gap.checked_add(1));
    Draft::new(FindingKind::MissingVersion, Concerns::Everyone)
        .at(&at)
        .offsets(from, to)
        .certainty(certainty)
        .because("key", Fact::Text(name.clone()))
        .because("missing_from", Fact::Number(gap.from))
        .because("missing_to", Fact::Number(gap.to))
        .because("before", Fact::Record(before, Offset(gap.before.offset)))
        .because("after", Fact::Record(at, Offset(gap.after.offset)))
        .with(|finding| {
            finding.normal = normal;
            finding.records = records.and_then(|records| u64::try_from(records).ok());
            (finding.from_time, finding.to_time) = (gap.before.time, gap.after.time);
        })
        .say(
            &format!("{:?} {}", key.bytes, gap.from),
            format!("{head}; {why}"),
            next,
        )
}
