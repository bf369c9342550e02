//! What Tideline has seen of a cluster over time and keeps on this machine.

use super::{Dismissal, History, Known, Offset, PartitionId, Text, TimestampMs, TopicName};

/// A partition as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPartition {
    /// Its number.
    pub id: PartitionId,
    /// The first offset that could be read.
    pub log_start: Offset,
    /// The end of the log; of what is kept, the furthest that was seen under the topic's id.
    pub high_watermark: Offset,
}

/// A topic as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTopic {
    /// Its name.
    pub name: TopicName,
    /// Its id; without one nothing is kept of it, because a topic made anew could not be told from it.
    pub topic_id: String,
    /// Its partitions whose ends were known, by number.
    pub partitions: Vec<SeenPartition>,
    /// How many partitions it had.
    pub count: u32,
}

/// A committed offset as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenCommit {
    /// The group.
    pub group: Text,
    /// The topic.
    pub topic: TopicName,
    /// The topic's id.
    pub topic_id: String,
    /// The partition.
    pub partition: PartitionId,
    /// The committed offset; `None` when there was none any more.
    pub offset: Option<Offset>,
    /// The leader epoch stored with it.
    pub leader_epoch: Option<i32>,
    /// The end of the log at that moment, when it was known.
    pub end: Option<Offset>,
    /// Whether the group had members then; `None` when not known.
    pub had_members: Option<bool>,
}

/// What was seen at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// The cluster's id.
    pub cluster: String,
    /// When.
    pub at: TimestampMs,
    /// The topics.
    pub topics: Vec<SeenTopic>,
    /// The committed offsets, with those that were known before and are gone.
    pub commits: Vec<SeenCommit>,
}

/// A topic as it was at an earlier time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTopic {
    /// The topic as it was seen last.
    pub seen: SeenTopic,
    /// When it was first seen with this id.
    pub first_seen: TimestampMs,
    /// When it was last seen.
    pub last_seen: TimestampMs,
    /// The earlier counts of its partitions: until when it was seen with how many, oldest first; without the present
    /// one.
    pub earlier_counts: Vec<(TimestampMs, u32)>,
}

/// What is kept of one cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The topics, by name and then by when they were first seen: more than one of a name where it was made anew.
    pub topics: Vec<KnownTopic>,
    /// How committed offsets moved, as far as it was seen.
    pub history: History,
}

/// Where observations are kept. Everything may wait for a disk. What is kept is bounded; the oldest goes first.
pub trait Observations: Send + Sync + std::fmt::Debug {
    /// Keeps what is new in a sighting.
    ///
    /// # Errors
    /// It cannot be kept; nothing was written.
    fn see(&self, sighting: &Sighting) -> Known<()>;

    /// What is kept of a cluster.
    ///
    /// # Errors
    /// It cannot be read.
    fn remembered(&self, cluster: &str) -> Known<Remembered>;

    /// Puts a finding of a cluster aside, or replaces the reason.
    ///
    /// # Errors
    /// It cannot be kept.
    fn dismiss(&self, cluster: &str, dismissal: &Dismissal) -> Known<()>;

    /// Takes a finding back that was put aside.
    ///
    /// # Errors
    /// It cannot be written.
    fn restore(&self, cluster: &str, finding: &str) -> Known<()>;

    /// The findings of a cluster that were put aside, the newest first.
    ///
    /// # Errors
    /// They cannot be read.
    fn dismissed(&self, cluster: &str) -> Known<Vec<Dismissal>>;
}
