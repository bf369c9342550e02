//! G12 and G15: sequences of a source that are out of order, times of a key that go backwards.

use std::collections::HashMap;

use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Offset, Record, TimestampMs, TimestampType,
};

use super::super::finding::Draft;
use super::super::words::{count, duration, number, place};
use super::identity::header;
use super::{Counts, Names, Room, Spot, digest};

/// What a key, and what a source takes that is kept in mind.
const KEY_BYTES: u64 = 80;
const SOURCE_BYTES: u64 = 160;

#[derive(Clone, Debug)]
struct Backwards {
    key: String,
    before: Spot,
    late: Spot,
    by_ms: i64,
}

#[derive(Clone, Debug)]
struct Source {
    sequence: String,
    spot: Spot,
    /// Whether all sequences so far were whole numbers of one width.
    is_counted: bool,
}

#[derive(Clone, Debug)]
struct Broken {
    source: String,
    before: Spot,
    here: Spot,
    sequences: (String, String),
    /// Numbers between the two, for a hole; none for what is out of order.
    missing: Option<u64>,
}

/// The last time of each key, and the last sequence of each source, in each partition.
#[derive(Debug, Default)]
pub(super) struct Order {
    times: HashMap<u128, (TimestampMs, Spot)>,
    backwards: Vec<Backwards>,
    backwards_counts: Counts,
    sources: HashMap<u128, Source>,
    broken: Vec<Broken>,
    broken_counts: Counts,
}

impl Order {
    pub(super) fn add(&mut self, record: &Record, spot: Spot, backwards_ms: i64, room: &mut Room) {
        self.time(record, spot, backwards_ms, room);
        self.sequence(record, spot, room);
    }

    fn time(&mut self, record: &Record, spot: Spot, backwards_ms: i64, room: &mut Room) {
        let (Some(time), Some(key)) = (record.timestamp, record.key.as_deref()) else {
            return;
        };
        if record.timestamp_type == Some(TimestampType::LogAppendTime) {
            return;
        }
        let name = digest(&(spot.topic, spot.partition, key));
        let Some((latest, before)) = self.times.get_mut(&name) else {
            if room.take(KEY_BYTES) {
                self.times.insert(name, (time, spot));
            }
            return;
        };
        let by_ms = latest.since_ms(time);
        if by_ms <= 0 {
            (*latest, *before) = (time, spot);
        } else if by_ms > backwards_ms && self.backwards_counts.one_more(spot.topic) {
            self.backwards.push(Backwards {
                key: String::from_utf8_lossy(key).into_owned(),
                before: *before,
                late: spot,
                by_ms,
            });
        }
    }

    fn sequence(&mut self, record: &Record, spot: Spot, room: &mut Room) {
        if record.headers.is_empty() {
            return;
        }
        let Some(sequence) = header(record, "cesequence") else {
            return;
        };
        let source = header(record, "cesource").unwrap_or_default();
        let sequence = String::from_utf8_lossy(sequence).into_owned();
        let is_number = !sequence.is_empty() && sequence.bytes().all(|byte| byte.is_ascii_digit());
        let name = digest(&(spot.topic, spot.partition, source));
        let Some(known) = self.sources.get_mut(&name) else {
            if room.take(SOURCE_BYTES) {
                let is_counted = is_number;
                self.sources.insert(
                    name,
                    Source {
                        sequence,
                        spot,
                        is_counted,
                    },
                );
            }
            return;
        };
        known.is_counted &= is_number && known.sequence.len() == sequence.len();
        let is_backwards = sequence < known.sequence;
        let missing = missing(known, &sequence);
        if (is_backwards || missing.is_some()) && self.broken_counts.one_more(spot.topic) {
            self.broken.push(Broken {
                source: String::from_utf8_lossy(source).into_owned(),
                before: known.spot,
                here: spot,
                sequences: (known.sequence.clone(), sequence.clone()),
                missing,
            });
        }
        if !is_backwards {
            known.sequence = sequence;
            known.spot = spot;
        }
    }

    pub(super) fn findings(&self, names: &Names<'_>) -> Vec<Finding> {
        let late = self.backwards.iter().map(|found| tell_late(names, found));
        let broken = self.broken.iter().map(|found| tell_broken(names, found));
        let mut findings: Vec<Finding> = late.chain(broken).collect();
        for (kind, counts) in [
            (FindingKind::TimeBackwards, &self.backwards_counts),
            (FindingKind::Sequence, &self.broken_counts),
        ] {
            for (topic, more) in counts.more() {
                let name = names.name(topic);
                let more = u64::try_from(more).unwrap_or(u64::MAX);
                let sentence = format!(
                    "In {name} {} out of order; they are not told one by one.",
                    count(more, "more event is", "more events are")
                );
                let draft = Draft::new(kind, Concerns::Everyone)
                    .topic(&name)
                    .certainty(Certainty::Hint)
                    .because(
                        "more",
                        Fact::Number(i64::try_from(more).unwrap_or(i64::MAX)),
                    );
                findings.push(draft.say(
                    "more",
                    sentence,
                    "Ask the sender's owner whether order matters here.",
                ));
            }
        }
        findings
    }
}

/// How many numbers lie between two sequences of a source that counts.
fn missing(known: &Source, sequence: &str) -> Option<u64> {
    if !known.is_counted {
        return None;
    }
    let before: u64 = known.sequence.parse().ok()?;
    let here: u64 = sequence.parse().ok()?;
    here.checked_sub(before)?
        .checked_sub(1)
        .filter(|missing| *missing > 0)
}

fn tell_late(names: &Names<'_>, found: &Backwards) -> Finding {
    let at = names.at(&found.late);
    let sentence = format!(
        "{} offset {} says it happened {} before the event of {} that stands before it (offset {}): it was written late.",
        place(&at),
        number(found.late.offset),
        duration(found.by_ms),
        found.key,
        number(found.before.offset),
    );
    Draft::new(FindingKind::TimeBackwards, Concerns::Everyone)
        .at(&at)
        .offsets(Offset(found.before.offset), Offset(found.late.offset))
        .certainty(Certainty::Strong)
        .because("key", Fact::Text(found.key.clone()))
        .because("by_ms", Fact::Number(found.by_ms))
        .because("before", Fact::Record(at.clone(), Offset(found.before.offset)))
        .because("late", Fact::Record(at, Offset(found.late.offset)))
        .with(|finding| {
            finding.records = Some(1);
            (finding.from_time, finding.to_time) = (found.late.time, found.before.time);
        })
        .say(
            &found.late.offset.to_string(),
            sentence,
            "A consumer that takes the last event for the newest is wrong here: let it compare times or versions.",
        )
}

fn tell_broken(names: &Names<'_>, found: &Broken) -> Finding {
    let at = names.at(&found.here);
    let (before, here) = &found.sequences;
    let head = format!("{} in {}", found.source, place(&at));
    let (certainty, sentence, next) = match found.missing {
        Some(missing) => (
            Certainty::Hint,
            format!(
                "{head} went from sequence {before} to {here}: {} between them was not seen.",
                count(missing, "number", "numbers")
            ),
            "Ask the sender's owner whether its sequences have no holes.",
        ),
        None => (
            Certainty::Strong,
            format!("{head}: sequence {here} stands behind {before}, out of order."),
            "Let consumers of this source put events in order by their sequence.",
        ),
    };
    Draft::new(FindingKind::Sequence, Concerns::Everyone)
        .at(&at)
        .offsets(Offset(found.before.offset), Offset(found.here.offset))
        .certainty(certainty)
        .because("source", Fact::Text(found.source.clone()))
        .because("before", Fact::Text(before.clone()))
        .because("here", Fact::Text(here.clone()))
        .with(|finding| {
            finding.records = found.missing;
            (finding.from_time, finding.to_time) = (found.before.time, found.here.time);
        })
        .say(&found.here.offset.to_string(), sentence, next)
}
