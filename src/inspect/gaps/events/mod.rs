//! What is missing or odd among events themselves: versions, sequences, duplicates, times.
//!
//! | part | what it is |
//! |---|---|
//! | [`Events`] | takes each record once, in the order of its partition, and finds at the end |
//! | `versions` | G11: a version that is missing for one key |
//! | `identity` | the id by which an event is known, where it has one |
//! | `twice` | G14: the same event more than once |
//! | `order` | G12 and G15: sequences of a source, times of a key |
//!
//! Of keys and ids hashes are kept, not copies, within a budget; what it had no room for is not followed, and that
//! is told.

mod identity;
mod order;
mod twice;
mod versions;

pub use versions::VersionRule;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;

use crate::model::{Finding, PartitionId, Record, TimestampMs, Topic, TopicName, Visibility};

use super::words::looks_dead;

/// Findings of one kind in one topic that are told one by one; the rest is counted.
const ONE_BY_ONE: usize = 50;

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

/// A topic's number in here, and what its name says of it.
#[derive(Clone, Debug)]
struct Known {
    name: TopicName,
    looks_dead: bool,
}

/// Where a record lies; topics by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    topic: u32,
    partition: i32,
    offset: i64,
    time: Option<TimestampMs>,
}

/// What was seen of events.
#[derive(Debug, Default)]
pub struct Events {
    rules: EventRules,
    budget: u64,
    used: u64,
    over_budget: bool,
    topics: Vec<Known>,
    numbers: HashMap<TopicName, u32>,
    versions: versions::Versions,
    twice: twice::Twice,
    order: order::Order,
}

impl Events {
    /// Nothing seen yet; at most about `budget` bytes will be kept.
    pub fn new(rules: EventRules, budget: u64) -> Self {
        Self {
            rules,
            budget,
            ..Self::default()
        }
    }

    /// Whether the decoded value is needed.
    pub fn needs_value(&self) -> bool {
        matches!(self.rules.version, Some(VersionRule::Path(_)))
    }

    /// Whether something was not followed because there was no room for it.
    pub fn over_budget(&self) -> bool {
        self.over_budget
    }

    /// Takes a record; its value decoded to JSON, where that is needed and could be done.
    pub fn add(&mut self, record: &Record, decoded: Option<&str>) {
        let topic = self.topic(&record.topic);
        let spot = Spot {
            topic,
            partition: record.partition.0,
            offset: record.offset.0,
            time: record.timestamp,
        };
        let dead = usize::try_from(topic)
            .ok()
            .and_then(|index| self.topics.get(index))
            .is_some_and(|known| known.looks_dead);
        let is_withdrawn = record.visibility == Visibility::Aborted;
        let mut room = Room {
            left: self.budget.saturating_sub(self.used),
            taken: 0,
            refused: false,
        };
        if let Some(rule) = &self.rules.version
            && let Some(version) = rule.version(record, decoded)
        {
            let kind = if is_withdrawn {
                versions::Seen::Withdrawn
            } else if dead {
                versions::Seen::Dead
            } else {
                versions::Seen::Plain
            };
            self.versions.add(record, version, kind, spot, &mut room);
        }
        if !is_withdrawn && !dead {
            self.twice.add(record, spot, &mut room);
            self.order
                .add(record, spot, self.rules.backwards_ms, &mut room);
        }
        self.used = self.used.saturating_add(room.taken);
        self.over_budget |= room.refused;
    }

    fn topic(&mut self, name: &TopicName) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.topics.len()).unwrap_or(u32::MAX);
        self.topics.push(Known {
            name: Arc::clone(name),
            looks_dead: looks_dead(name),
        });
        self.numbers.insert(Arc::clone(name), number);
        number
    }

    /// What follows from all that was seen.
    pub fn findings(&self, now: TimestampMs, topics: &[Arc<Topic>]) -> Vec<Finding> {
        let names = Names {
            known: &self.topics,
            topics,
        };
        let mut findings =
            self.versions
                .findings(&names, now, self.rules.wait_ms, self.over_budget);
        findings.extend(self.twice.findings(&names));
        findings.extend(self.order.findings(&names));
        findings
    }
}

/// What is known of topics by their numbers.
struct Names<'a> {
    known: &'a [Known],
    topics: &'a [Arc<Topic>],
}

impl Names<'_> {
    fn name(&self, number: u32) -> TopicName {
        let known = usize::try_from(number)
            .ok()
            .and_then(|index| self.known.get(index));
        known.map_or_else(|| TopicName::from(""), |known| Arc::clone(&known.name))
    }

    fn at(&self, spot: &Spot) -> crate::model::TopicPartition {
        crate::model::TopicPartition {
            topic: self.name(spot.topic),
            partition: PartitionId(spot.partition),
        }
    }

    fn is_compacted(&self, number: u32) -> bool {
        let name = self.name(number);
        let topic = self.topics.iter().find(|topic| topic.name == name);
        topic.is_some_and(|topic| {
            topic
                .config
                .as_ref()
                .is_ok_and(crate::model::TopicConfig::is_compacted)
        })
    }
}

/// How much may still be kept.
struct Room {
    left: u64,
    taken: u64,
    refused: bool,
}

impl Room {
    /// Whether there is room for so many bytes more; takes it.
    fn take(&mut self, bytes: u64) -> bool {
        let taken = self.taken.saturating_add(bytes);
        if taken > self.left {
            self.refused = true;
            return false;
        }
        self.taken = taken;
        true
    }
}

/// 128 bits of `parts`, so that among millions no two fall together.
fn digest(parts: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        parts.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(1) << 64) | half(2)
}

/// How many were found in one topic beyond those that are told one by one.
#[derive(Clone, Debug, Default)]
struct Counts(HashMap<u32, usize>);

impl Counts {
    /// Counts one more of `topic`; whether it is told by itself.
    fn one_more(&mut self, topic: u32) -> bool {
        let count = self.0.entry(topic).or_default();
        *count = count.saturating_add(1);
        *count <= ONE_BY_ONE
    }

    /// The topics with more than are told, by number, and how many more.
    fn more(&self) -> Vec<(u32, usize)> {
        let mut more: Vec<(u32, usize)> = self
            .0
            .iter()
            .filter_map(|(topic, count)| Some((*topic, count.checked_sub(ONE_BY_ONE)?)))
            .filter(|(_, count)| *count > 0)
            .collect();
        more.sort_unstable();
        more
    }
}

#[cfg(test)]
mod tests;
