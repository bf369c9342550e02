//! From where to where each partition moves, and what that means.

use bytes::Bytes;

use crate::model::{Bookmark, Known, Offset, Text, TimestampMs, TopicPartition};

use super::target::Target;

/// What is known of one partition before its row is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFacts {
    /// The topic's present id.
    pub topic_id: Option<String>,
    /// The first offset that can still be read.
    pub log_start: Known<Offset>,
    /// The offset that the next record will get.
    pub end: Known<Offset>,
    /// The group's bookmark; `Ok(None)` when it never committed here.
    pub committed: Known<Option<Bookmark>>,
    /// What the target came to, for a target that had to be asked about; ignored for all others.
    pub aim: Option<Known<Aim>>,
    /// `retention.ms` of the topic, negative for none; `None` when it is not known.
    pub retention_ms: Option<i64>,
}

/// What a target came to in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The first offset at or after the time.
    Found(Offset),
    /// No record is at or after the time.
    NoLaterRecord,
    /// The other group's bookmark; `None` when it never committed here.
    Bookmark(Option<Bookmark>),
}

/// One partition of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The partition.
    pub at: TopicPartition,
    /// The topic's id when the plan was made.
    pub topic_id: Option<String>,
    /// Where the group stands; `Ok(None)` when it never committed here.
    pub from: Known<Option<Bookmark>>,
    /// What it gets; `Ok(None)` when its bookmark is deleted. An error: the row stays where it is, and why.
    pub to: Known<Option<Bookmark>>,
    /// The log start when the plan was made.
    pub log_start: Known<Offset>,
    /// The end of the log when the plan was made.
    pub end: Known<Offset>,
    /// `retention.ms` of the topic, negative for none; `None` when it is not known.
    pub retention_ms: Option<i64>,
    /// What lies between the two places, as far as it is known.
    pub contents: Contents,
    /// What a person must be told.
    pub warnings: Vec<Warning>,
}

/// The direction in which a row moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Records run again.
    Back,
    /// Records are passed without being read.
    Skip,
    /// The bookmark is where it should be, or stays because the row cannot be resolved.
    Stay,
    /// A bookmark is set where none was: nothing is known to run again.
    Begin,
    /// The bookmark is deleted: where the group goes on is for its own settings to say.
    Delete,
}

/// What lies between the two places of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Records, or how many offsets there are at most.
    pub records: u64,
    /// Whether `records` was counted, record by record.
    pub exact: bool,
    /// Records among them that careful readers are not given, when they were counted.
    pub withdrawn: u64,
    /// Whether the times among them go back somewhere; `None` when not known.
    pub out_of_order: Option<bool>,
    /// The first record: time and key, as far as they were read.
    pub first: Option<Edge>,
    /// The last record.
    pub last: Option<Edge>,
    /// Why the records could not be read.
    pub problem: Option<crate::model::Problem>,
}

/// A record at an edge of what runs again or is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its time; `None` when it carries none.
    pub at: Option<TimestampMs>,
    /// Its key; `None` is null.
    pub key: Option<Bytes>,
}

/// What a person must be told of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Of which kind.
    pub kind: WarningKind,
    /// In a sentence.
    pub detail: String,
}

/// Kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// No record is at or after the time: the row goes to the end.
    NoLaterRecord,
    /// Records are passed without being read.
    Skip,
    /// The group has no bookmark here.
    NoBookmark,
    /// Some offsets of the stretch hold no record, or none that every reader is given.
    Holes,
    /// The bookmark lies before the log start: records between the two are deleted.
    BelowLogStart,
    /// The bookmark lies beyond the end of the log.
    BeyondEnd,
    /// Times are not in order, so a target by time may miss records before it.
    OutOfOrder,
}

/// A whole plan for one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The group.
    pub group: Text,
    /// What was asked for, in words.
    pub target: String,
    /// Every partition in scope, by topic and partition.
    pub rows: Vec<Row>,
    /// Parts that cannot be planned at all: a topic that is not there, say.
    pub problems: Vec<crate::model::Problem>,
    /// When what it rests on was read.
    pub read_at: TimestampMs,
    /// Whether the group comes into being by it.
    pub new_group: bool,
    /// The journal entry that it undoes.
    pub undoes: Option<String>,
}

/// One partition in scope, with its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The partition.
    pub at: TopicPartition,
    /// Where to.
    pub target: Target,
}
