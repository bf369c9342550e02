//! How committed offsets moved, one commit after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Offset, Problem, Text, TimestampMs, TopicPartition};

/// A committed offset with what was stored beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The next record to read.
    pub offset: Offset,
    /// The leader epoch stored with it.
    pub leader_epoch: Option<i32>,
    /// The text stored with it.
    pub metadata: Text,
}

/// One change of a committed offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMove {
    /// When: as the bus wrote it, or when it was first seen.
    pub at: TimestampMs,
    /// The committed offset from then on; `None` when it was deleted or forgotten.
    pub to: Option<Committed>,
    /// Whether the group had members at that moment; `None` when not known.
    pub had_members: Option<bool>,
    /// The end of the log at that moment, when it is known.
    pub end: Option<Offset>,
}

/// The changes of one group in one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceHistory {
    /// The changes, oldest first. A commit of the same offset again is none, but moves `last_commit`.
    pub moves: Vec<CommitMove>,
    /// When the group last committed here, the same offset or another.
    pub last_commit: Option<TimestampMs>,
    /// Whether older changes than the first were dropped, because what is kept is bounded.
    pub shortened: bool,
}

/// Members of a group at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Since when.
    pub at: TimestampMs,
    /// How many members there were.
    pub members: u32,
    /// How often the group was put together anew; `None` when not known.
    pub generation: Option<i32>,
}

/// What is known over time of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupHistory {
    /// By partition.
    pub places: BTreeMap<TopicPartition, PlaceHistory>,
    /// How many members it had, oldest first, as far as that was written down.
    pub membership: Vec<Membership>,
}

/// Where a history comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistorySource {
    /// Nothing is known.
    #[default]
    None,
    /// What the bus itself wrote down of every commit.
    CommitLog,
    /// What was read while Tideline ran, now or before: moves between two readings look like one.
    Readings,
}

impl HistorySource {
    /// As it is written for scripts; `None` for no source.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::CommitLog => Some("commit_log"),
            Self::Readings => Some("readings"),
        }
    }
}

/// How far a history reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryCoverage {
    /// Where it comes from.
    pub source: HistorySource,
    /// The earliest time from which on it is whole; `None` when nothing is known.
    pub since: Option<TimestampMs>,
    /// Commits that were read.
    pub commits: u64,
    /// Why the bus's own commit log was not read, or not all of it.
    pub problem: Option<Problem>,
}

/// What is known over time of all groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// By name.
    pub groups: BTreeMap<Text, Arc<GroupHistory>>,
    /// How far it reaches.
    pub coverage: HistoryCoverage,
}

impl History {
    /// What is known of `group` in `at`.
    pub fn place(&self, group: &Text, at: &TopicPartition) -> Option<&PlaceHistory> {
        self.groups.get(group)?.places.get(at)
    }
}
