//! G15: times of a key that go backwards.
//!
//! Only times that producers set are looked at, by key and partition: a broker that sets them never goes backwards, and
//! between keys no order is promised. What was written late is the new measure from then on, so that one record of the
//! future does not put all behind it in the wrong.

use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Offset, Record, TimestampMs, TimestampType,
};

use super::super::finding::Draft;
use super::super::words::{count, duration, number, place};
use super::runs::Spot;
use super::table::{Name, Room, Table};
use super::{HABIT, Names, ONE_BY_ONE, PerTopic, amount, shown_key};

/// The latest record of a key.
#[derive(Clone, Copy, Debug)]
struct Latest {
    time: TimestampMs,
    offset: i64,
}

#[derive(Clone, Debug)]
struct Late {
    topic: u32,
    key: String,
    before: Spot,
    here: Spot,
    by_ms: i64,
}

/// What was seen of one topic.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Records whose key was there before.
    compared: u64,
    late: u64,
    told: usize,
}

impl Tally {
    /// Whether so many are late that their times are no times of writing at all.
    fn is_usual(&self) -> bool {
        self.late >= HABIT.saturating_mul(4) && self.late.saturating_mul(10) > self.compared
    }
}

/// The last time of each key in each partition.
#[derive(Debug, Default)]
pub(super) struct Times {
    latest: Table<Latest>,
    late: Vec<Late>,
    topics: PerTopic<Tally>,
}

/// What a finding takes beside its text.
const LATE_BYTES: usize = size_of::<Late>().saturating_mul(2);

impl Times {
    /// Takes a record with the key that has this name.
    pub(super) fn add(
        &mut self,
        record: &Record,
        (topic, spot): (u32, Spot),
        key: Option<Name>,
        backwards_ms: i64,
        room: &mut Room,
    ) {
        if record.timestamp_type != Some(TimestampType::CreateTime) {
            return;
        }
        let (Some(time), Some(key)) = (spot.time, key) else {
            return;
        };
        let name = key.within(spot.lane);
        let here = Latest {
            time,
            offset: spot.offset,
        };
        let Some(latest) = self.latest.get_mut(&name) else {
            self.latest.insert(name, here, room);
            return;
        };
        let by_ms = latest.time.since_ms(time);
        let before = Spot {
            lane: spot.lane,
            offset: latest.offset,
            time: Some(latest.time),
        };
        let is_late = by_ms > 0 && by_ms > backwards_ms;
        if by_ms <= 0 || is_late {
            *latest = here;
        }
        let Some(tally) = self.topics.at(topic) else {
            return;
        };
        tally.compared = tally.compared.saturating_add(1);
        if !is_late {
            return;
        }
        tally.late = tally.late.saturating_add(1);
        if tally.told >= ONE_BY_ONE {
            return;
        }
        let key = shown_key(record.key.as_deref().unwrap_or_default());
        if room.take(LATE_BYTES.saturating_add(key.len())) {
            tally.told = tally.told.saturating_add(1);
            self.late.push(Late {
                topic,
                key,
                before,
                here: spot,
                by_ms,
            });
        }
    }

    pub(super) fn findings(&self, names: &Names<'_>) -> Vec<Finding> {
        let is_usual = |topic: u32| self.topics.get(topic).is_some_and(Tally::is_usual);
        let mut findings: Vec<Finding> = self
            .late
            .iter()
            .filter(|late| !is_usual(late.topic))
            .map(|late| tell(names, late))
            .collect();
        for (topic, tally) in self.topics.each() {
            let told = u64::try_from(tally.told).unwrap_or(u64::MAX);
            let more = tally.late.saturating_sub(told);
            if tally.is_usual() {
                findings.push(tell_usual(names, topic, tally));
            } else if more > 0 {
                findings.push(tell_more(names, topic, more));
            }
        }
        findings
    }
}

fn tell(names: &Names<'_>, found: &Late) -> Finding {
    let at = names.at(&found.here);
    let sentence = format!(
        "{} offset {} says it happened {} before the event of {} that stands before it (offset {}): it was written late.",
        place(&at),
        number(found.here.offset),
        duration(found.by_ms),
        found.key,
        number(found.before.offset),
    );
    Draft::new(FindingKind::TimeBackwards, Concerns::Everyone)
        .at(&at)
        .offsets(Offset(found.before.offset), Offset(found.here.offset))
        .certainty(Certainty::Strong)
        .because("key", Fact::Text(found.key.clone()))
        .because("by_ms", Fact::Number(found.by_ms))
        .because("before", Fact::Record(at.clone(), Offset(found.before.offset)))
        .because("late", Fact::Record(at, Offset(found.here.offset)))
        .with(|finding| {
            finding.records = Some(1);
            (finding.from_time, finding.to_time) = (found.here.time, found.before.time);
        })
        .say(
            &found.here.offset.to_string(),
            sentence,
            "A consumer that takes the last event for the newest is wrong here: let it compare times or versions.",
        )
}

fn tell_usual(names: &Names<'_>, topic: u32, tally: &Tally) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} {} of {} events say that they happened before the one of their key that stands before them: their times do not follow the order in which they are written.",
        number(amount(tally.late)),
        number(amount(tally.compared)),
    );
    Draft::new(FindingKind::TimeBackwards, Concerns::Everyone)
        .topic(&name)
        .because("late", Fact::Number(amount(tally.late)))
        .because("compared", Fact::Number(amount(tally.compared)))
        .with(|finding| finding.records = Some(tally.late))
        .say(
            "usual",
            sentence,
            "Ask the sender's owner what the times mean; consumers must not take the last event for the newest.",
        )
}

fn tell_more(names: &Names<'_>, topic: u32, more: u64) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} {} written late; they are not told one by one.",
        count(more, "more event was", "more events were")
    );
    Draft::new(FindingKind::TimeBackwards, Concerns::Everyone)
        .topic(&name)
        .certainty(Certainty::Strong)
        .because("more", Fact::Number(amount(more)))
        .with(|finding| finding.records = Some(more))
        .say(
            "more",
            sentence,
            "Look at the ones that are told first; a common cause is likely.",
        )
}
