//! What is missing or odd among events themselves: versions, sequences, duplicates, times.
//!
//! | part | what it is |
//! |---|---|
//! | [`Events`] | takes each record once, in the order of its partition, and finds at the end |
//! | `identity` | what a record says of itself: its id, its place in a sequence |
//! | `versions` | G11: a version that is missing for one key |
//! | `sequences` | G12: sequences of a source that are out of order or have holes |
//! | `twice` | G14: the same event more than once |
//! | `times` | G15: times of a key that go backwards |
//! | `runs` | numbers that should follow one another, as stretches without a gap |
//! | `table` | hashes in place of keys and ids, and a budget for what is kept |
//! | `names` | topics and partitions by their numbers in here |
//!
//! Of keys and ids hashes are kept, not copies, within a budget; what it had no room for is not followed, and that
//! is told. An event with a key, an id and a version takes up to 190 bytes beside the free places of its tables.

mod identity;
mod names;
mod runs;
mod sequences;
mod table;
mod times;
mod twice;
mod versions;

pub use versions::VersionRule;

use std::collections::HashMap;
use std::sync::Arc;

use crate::decode::integer::is_printable;
use crate::decode::value::header;
use crate::decode::visible;
use crate::model::{Finding, Record, TimestampMs, Topic, TopicName, TopicPartition, Visibility};

use super::words::looks_dead;
use names::{Lane, Names};
use runs::Spot;
use table::{Name, Room};

/// Findings of one kind in one topic that are told one by one; the rest is counted.
const ONE_BY_ONE: usize = 200;
/// So many keys or ids must do the same before it is taken for their habit.
const HABIT: u64 = 5;
/// What is shown of a key or an id.
const MOST_SHOWN: usize = 120;

/// What is looked for.
#[derive(Clone, Debug)]
pub struct EventRules {
    /// Where the version stands; versions are not followed without.
    pub version: Option<VersionRule>,
    /// By how many milliseconds a key's time must go backwards.
    pub backwards_ms: i64,
    /// For how many milliseconds a missing version may still come.
    pub wait_ms: i64,
}

impl Default for EventRules {
    fn default() -> Self {
        Self {
            version: None,
            backwards_ms: 2_000,
            wait_ms: 60_000,
        }
    }
}

/// A topic, and what its name says of it.
#[derive(Clone, Debug)]
struct Known {
    name: TopicName,
    looks_dead: bool,
}

/// What was seen of events.
#[derive(Debug, Default)]
pub struct Events {
    rules: EventRules,
    room: Room,
    topics: Vec<Known>,
    topic_numbers: HashMap<TopicName, u32>,
    lanes: Vec<Lane>,
    lane_numbers: HashMap<TopicPartition, u32>,
    /// The lane of the last record: the next one is often beside it.
    latest: u32,
    versions: versions::Versions,
    twice: twice::Twice,
    sequences: sequences::Sequences,
    times: times::Times,
}

impl Events {
    /// Nothing seen yet; at most `budget` bytes will be kept of events.
    pub fn new(rules: EventRules, budget: u64) -> Self {
        Self {
            rules,
            room: Room::new(budget),
            ..Self::default()
        }
    }

    /// Whether the decoded value is needed.
    pub fn needs_value(&self) -> bool {
        matches!(self.rules.version, Some(VersionRule::Path(_)))
    }

    /// Whether something was not followed because there was no room for it: keys, ids or sources that came late.
    pub fn over_budget(&self) -> bool {
        self.room.is_short()
    }

    /// Takes a record; its value decoded to JSON, where that is needed and could be done.
    pub fn add(&mut self, record: &Record, decoded: Option<&str>) {
        let number = self.lane(record);
        let Some(lane) = place_of(number).and_then(|at| self.lanes.get_mut(at)) else {
            return;
        };
        lane.saw(record);
        let spot = Spot {
            lane: number,
            offset: record.offset.0,
            time: record.timestamp,
        };
        let (topic, looks_dead) = (lane.topic, lane.looks_dead);
        let place = (topic, spot);
        let is_withdrawn = record.visibility == Visibility::Aborted;
        let key = record.key.as_deref().map(|key| (key, Name::of(&[key])));
        let room = &mut self.room;
        if let (Some(rule), Some(key)) = (&self.rules.version, key)
            && let Some(version) = rule.version(record, decoded)
        {
            let seen = if is_withdrawn {
                versions::Seen::Withdrawn
            } else if looks_dead {
                versions::Seen::Dead
            } else {
                versions::Seen::Plain
            };
            self.versions.add(key, (version, seen), spot, room);
        }
        // An open transaction may still be aborted; then its records were never there.
        if is_withdrawn || looks_dead || record.visibility == Visibility::Open {
            return;
        }
        let key = key.map(|(_, name)| name);
        let marks = identity::marks(record, decoded);
        if let Some(identity) = &marks.identity
            && self.twice.add(record, identity, place, key, room)
        {
            // A copy repeats the time and the sequence of the first one.
            return;
        }
        if let Some(sequenced) = &marks.sequenced {
            self.sequences.add(sequenced, place, room);
        }
        let backwards_ms = self.rules.backwards_ms;
        self.times.add(record, place, key, backwards_ms, room);
    }

    /// The number of the partition that the record lies in.
    fn lane(&mut self, record: &Record) -> u32 {
        let latest = place_of(self.latest).and_then(|at| self.lanes.get(at));
        if latest.is_some_and(|lane| {
            lane.at.partition == record.partition && lane.at.topic == record.topic
        }) {
            return self.latest;
        }
        let at = record.at();
        let number = if let Some(number) = self.lane_numbers.get(&at) {
            *number
        } else {
            let (topic, looks_dead) = self.topic(&at.topic);
            let number = number_at(self.lanes.len());
            self.lanes.push(Lane::new(at.clone(), topic, looks_dead));
            self.lane_numbers.insert(at, number);
            number
        };
        self.latest = number;
        number
    }

    fn topic(&mut self, name: &TopicName) -> (u32, bool) {
        if let Some(number) = self.topic_numbers.get(name) {
            let known = place_of(*number).and_then(|at| self.topics.get(at));
            return (*number, known.is_some_and(|known| known.looks_dead));
        }
        let number = number_at(self.topics.len());
        let looks_dead = looks_dead(name);
        self.topics.push(Known {
            name: Arc::clone(name),
            looks_dead,
        });
        self.topic_numbers.insert(Arc::clone(name), number);
        (number, looks_dead)
    }

    /// What follows from all that was seen.
    pub fn findings(&self, now: TimestampMs, topics: &[Arc<Topic>]) -> Vec<Finding> {
        let names = Names::new(&self.topics, &self.lanes, topics);
        let (wait_ms, in_part) = (self.rules.wait_ms, self.over_budget());
        let mut findings = self.versions.findings(&names, now, wait_ms, in_part);
        findings.extend(self.twice.findings(&names));
        findings.extend(self.sequences.findings(&names, now, wait_ms));
        findings.extend(self.times.findings(&names));
        findings
    }
}

/// A number as the place in a list, and back.
fn place_of(number: u32) -> Option<usize> {
    usize::try_from(number).ok()
}

fn number_at(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Something of each topic, by the topic's number.
#[derive(Debug)]
struct PerTopic<T>(Vec<T>);

impl<T> Default for PerTopic<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> PerTopic<T> {
    fn at(&mut self, topic: u32) -> Option<&mut T> {
        let place = place_of(topic)?;
        if place >= self.0.len() {
            self.0.resize_with(place.checked_add(1)?, T::default);
        }
        self.0.get_mut(place)
    }

    fn get(&self, topic: u32) -> Option<&T> {
        self.0.get(place_of(topic)?)
    }

    fn each(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.0)
    }
}

/// A count as a piece of evidence.
fn amount(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// As much of an id or a source as is shown, in one line.
fn shown(bytes: &[u8]) -> String {
    visible::one_line(bytes, MOST_SHOWN)
}

/// A key in one line; bytes that are no text as the number or the UUID that they are.
fn shown_key(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        "(empty key)".to_owned()
    } else if is_printable(bytes) {
        shown(bytes)
    } else {
        shown(header(b"", Some(bytes)).text.as_bytes())
    }
}

#[cfg(test)]
mod tests;
