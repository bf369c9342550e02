//! What a person may ask for.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{Bookmark, Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};

/// Where bookmarks are to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The first record at or after a time; the end of the log where there is none.
    Time(TimestampMs),
    /// The same offset in every partition.
    Offset(Offset),
    /// The first record that can still be read.
    Earliest,
    /// The end of the log.
    Latest,
    /// This many offsets on from the present bookmark, back when negative.
    Shift(i64),
    /// Where another group stands.
    Group(Text),
    /// What a table names, partition by partition; partitions that it does not name are not in scope.
    Table(Arc<[(TopicPartition, Offset)]>),
    /// The bookmarks that an entry of the journal found before its change: `None` where there was none.
    Before {
        /// The entry.
        id: String,
        /// What the entry found and what it wrote, row by row.
        rows: Arc<[UndoRow]>,
    },
}

/// What a change found and what it made of it, in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoRow {
    /// The partition.
    pub at: TopicPartition,
    /// The topic's id when the change was made.
    pub topic_id: Option<String>,
    /// The bookmark before the change.
    pub before: Option<Bookmark>,
    /// The bookmark that the change wrote.
    pub after: Option<Bookmark>,
}

/// Which partitions are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those in which the group has a committed offset; of a table or journal entry, those that it names.
    Committed,
    /// All partitions of a topic.
    Topic(TopicName),
    /// One partition.
    Partition(TopicName, PartitionId),
}

/// Some partitions with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which partitions.
    pub scope: Scope,
    /// Where to.
    pub target: Target,
}

/// What a plan is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRequest {
    /// The group that is to be moved.
    pub group: Text,
    /// What is asked for; where two parts name a partition, the later one counts.
    pub parts: Vec<Part>,
    /// Partitions that are left out again.
    pub left_out: BTreeSet<TopicPartition>,
    /// Whether the group is to come into being by this: it must not exist yet.
    pub new_group: bool,
    /// Whether metadata and leader epochs are copied with the offsets of [`Target::Group`].
    pub with_metadata: bool,
    /// The journal entry that this undoes.
    pub undoes: Option<String>,
}
