//! G14: the same event more than once.
//!
//! An event is the same when id and source are, in one topic: written to two topics it is meant for two, and in topics
//! for dead letters and retries it is on its way. Copies of aborted transactions were never written for anybody.

use crate::model::{Certainty, Concerns, Fact, Finding, FindingKind, Offset, Record, Visibility};

use super::super::finding::Draft;
use super::super::words::{count, duration, number, place};
use super::identity::Identity;
use super::runs::{Packed, Spot};
use super::table::{Name, Room, Table};
use super::{HABIT, Names, ONE_BY_ONE, PerTopic, amount, shown};

/// Two copies this near to one another were sent by one try that was repeated.
const NEAR_OFFSETS: i64 = 1_000;
const NEAR_MS: i64 = 60_000;

/// An event that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    last: Packed,
    content: u64,
    lane: u32,
    /// Whether the value is null: a mark of deletion that is sent behind an event is no copy of it.
    is_null: bool,
    is_repeated: bool,
    is_other: bool,
}

/// An event that was seen again.
#[derive(Clone, Debug)]
struct Copies {
    topic: u32,
    id: String,
    scope: String,
    first: Spot,
    last: Spot,
    count: u64,
    /// Whether each copy is near the one before.
    is_near: bool,
    /// Whether all have the same content.
    is_same: bool,
    /// Whether one of them may have been withdrawn.
    is_unsure: bool,
}

/// What was seen of one topic.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    events: u64,
    repeated: u64,
    other: u64,
    told: usize,
}

/// Events by their identity.
#[derive(Debug, Default)]
pub(super) struct Twice {
    seen: Table<Seen>,
    index: Table<usize>,
    again: Vec<Copies>,
    topics: PerTopic<Tally>,
}

/// What a finding about copies takes beside its texts.
const COPIES_BYTES: usize = size_of::<Copies>().saturating_mul(2);

impl Twice {
    /// Takes an event; whether it was seen before.
    pub(super) fn add(
        &mut self,
        record: &Record,
        identity: &Identity<'_>,
        (topic, spot): (u32, Spot),
        key: Option<Name>,
        room: &mut Room,
    ) -> bool {
        let name = Name::of(&[&identity.scope, &identity.id]).within(topic);
        let content = content(record, key);
        let Some(seen) = self.seen.get_mut(&name) else {
            let seen = Seen {
                last: Packed::new(spot),
                content,
                lane: spot.lane,
                is_null: record.value.is_none(),
                is_repeated: false,
                is_other: false,
            };
            if self.seen.insert(name, seen, room)
                && let Some(tally) = self.topics.at(topic)
            {
                tally.events = tally.events.saturating_add(1);
            }
            return false;
        };
        let is_same = seen.content == content;
        if seen.is_null != record.value.is_none() || identity.is_weak && !is_same {
            return false;
        }
        let before = seen.last.spot(seen.lane);
        let (was_repeated, was_other) = (seen.is_repeated, seen.is_other);
        (seen.last, seen.lane) = (Packed::new(spot), spot.lane);
        seen.is_repeated = true;
        seen.is_other |= !is_same;
        let is_near = are_near(&before, &spot);
        let is_unsure = record.visibility == Visibility::Unknown;
        if let Some(tally) = self.topics.at(topic) {
            if !was_repeated {
                tally.repeated = tally.repeated.saturating_add(1);
            }
            if !was_other && !is_same {
                tally.other = tally.other.saturating_add(1);
            }
            let (id, scope) = (shown(&identity.id), shown(&identity.scope));
            let bytes = COPIES_BYTES
                .saturating_add(id.len())
                .saturating_add(scope.len());
            if !was_repeated && tally.told < ONE_BY_ONE && room.take(bytes) {
                tally.told = tally.told.saturating_add(1);
                self.index.insert(name, self.again.len(), room);
                self.again.push(Copies {
                    topic,
                    id,
                    scope,
                    first: before,
                    last: spot,
                    count: 2,
                    is_near,
                    is_same,
                    is_unsure,
                });
                return true;
            }
        }
        let again = self.index.get(&name).copied();
        if let Some(again) = again.and_then(|index| self.again.get_mut(index)) {
            again.last = spot;
            again.count = again.count.saturating_add(1);
            again.is_near &= is_near;
            again.is_same &= is_same;
            again.is_unsure |= is_unsure;
        }
        true
    }

    pub(super) fn findings(&self, names: &Names<'_>) -> Vec<Finding> {
        let shares_ids = |topic: u32| self.topics.get(topic).is_some_and(Tally::shares_ids);
        let mut findings: Vec<Finding> = self
            .again
            .iter()
            .filter(|again| again.is_same || !shares_ids(again.topic))
            .map(|again| tell(names, again))
            .collect();
        for (topic, tally) in self.topics.each() {
            let shares_ids = tally.shares_ids();
            if shares_ids {
                findings.push(tell_shared(names, topic, tally));
            }
            let other = if shares_ids { tally.other } else { 0 };
            let told = self
                .again
                .iter()
                .filter(|again| again.topic == topic && (again.is_same || !shares_ids));
            let told = u64::try_from(told.count()).unwrap_or(u64::MAX);
            let more = tally.repeated.saturating_sub(other).saturating_sub(told);
            if more > 0 {
                findings.push(tell_more(names, topic, more));
            }
        }
        findings
    }
}

impl Tally {
    /// Whether so many ids stand on several events that they do not name events.
    fn shares_ids(&self) -> bool {
        self.other >= HABIT && self.other.saturating_mul(3) > self.events
    }
}

fn are_near(before: &Spot, here: &Spot) -> bool {
    let apart_ms = before.time.zip(here.time);
    before.lane == here.lane
        && (here.offset.saturating_sub(before.offset) <= NEAR_OFFSETS
            || apart_ms.is_some_and(|(a, b)| b.since_ms(a).saturating_abs() <= NEAR_MS))
}

/// What tells one content from another that has the same id: the value's checksum and length, and some of the key's.
fn content(record: &Record, key: Option<Name>) -> u64 {
    let value = record.value.as_deref().unwrap_or_default();
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
    let key = key.map_or(0, Name::short);
    u64::from(crc32c::crc32c(value)) << 32 | u64::from(length ^ key)
}

fn tell(names: &Names<'_>, again: &Copies) -> Finding {
    let (first, last) = (names.at(&again.first), names.at(&again.last));
    let is_beside = first == last;
    let apart = again.first.time.zip(again.last.time);
    let apart = apart.map(|(a, b)| b.since_ms(a).saturating_abs());
    let apart = apart.map_or_else(String::new, |ms| format!(", {} apart", duration(ms)));
    let times = match again.count {
        2 => "twice".to_owned(),
        copies => count(copies, "time", "times"),
    };
    let head = format!(
        "The event {} was written {times}: {} offset {} and {} offset {}{apart}",
        again.id,
        place(&first),
        number(again.first.offset),
        place(&last),
        number(again.last.offset),
    );
    let (certainty, cause, why, next) = if !again.is_same {
        (
            Certainty::Hint,
            "other_content",
            "but with other content: the id may have been used twice.",
            "Ask the sender's owner what makes its ids unique.",
        )
    } else if again.is_near {
        (
            Certainty::Strong,
            "producer_retry",
            "a producer that tried again; a careful consumer ignores the second.",
            "Nothing needs to be done where consumers are idempotent; else let the producer be idempotent (enable.idempotence).",
        )
    } else {
        (
            Certainty::Strong,
            "sent_again",
            "a replay or a repeated sending; a careful consumer ignores the second.",
            "Ask who sent it again, and whether the consumers ignore what they have seen.",
        )
    };
    let certainty = if again.is_unsure {
        Certainty::Hint
    } else {
        certainty
    };
    let from = if is_beside {
        again.first.offset.min(again.last.offset)
    } else {
        again.last.offset
    };
    Draft::new(FindingKind::Duplicate, Concerns::Everyone)
        .at(&last)
        .offsets(Offset(from), Offset(again.last.offset))
        .certainty(certainty)
        .because("id", Fact::Text(again.id.clone()))
        .because("scope", Fact::Text(again.scope.clone()))
        .because("cause", Fact::Text(cause.to_owned()))
        .because("copies", Fact::Number(amount(again.count)))
        .because("first", Fact::Record(first, Offset(again.first.offset)))
        .because("second", Fact::Record(last, Offset(again.last.offset)))
        .with(|finding| {
            finding.records = Some(again.count);
            (finding.from_time, finding.to_time) = (again.first.time, again.last.time);
        })
        .say(
            &format!("{}\u{0}{}", again.scope, again.id),
            format!("{head}; {why}"),
            next,
        )
}

fn tell_shared(names: &Names<'_>, topic: u32, tally: &Tally) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} {} of {} ids stand on events with other content: the id names something else than an event.",
        number(amount(tally.other)),
        number(amount(tally.events)),
    );
    Draft::new(FindingKind::Duplicate, Concerns::Everyone)
        .topic(&name)
        .because("ids", Fact::Number(amount(tally.events)))
        .because("ids_shared", Fact::Number(amount(tally.other)))
        .say(
            "shared ids",
            sentence,
            "Ask the sender's owner what the id stands for; duplicates cannot be told by it.",
        )
}

fn tell_more(names: &Names<'_>, topic: u32, more: u64) -> Finding {
    let name = names.name(topic);
    let sentence = format!(
        "In {name} {} written more than once; they are not told one by one.",
        count(more, "more event was", "more events were")
    );
    Draft::new(FindingKind::Duplicate, Concerns::Everyone)
        .topic(&name)
        .certainty(Certainty::Strong)
        .because("more", Fact::Number(amount(more)))
        .with(|finding| finding.records = Some(more))
        .say(
            "more",
            sentence,
            "Ask the sender's owner whether something is sent again and again.",
        )
}
