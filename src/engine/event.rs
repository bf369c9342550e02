//! What the engine tells.

use std::sync::Arc;

use crate::decode::value::Decoded;
use crate::inspect::timeline::PartitionTimeline;
use crate::model::{
    Cluster, Group, Known, Offset, PartitionId, Problem, Record, RecordHead, Text, TimestampMs,
    Topic, TopicName, TopicPartition,
};

use super::changing::{RewindReply, Run};
use super::finding::{FindingChange, GapsReply};
use super::{SessionId, TaskId};

/// Something the engine tells, about the session it names.
#[derive(Clone, Debug)]
pub struct Event {
    /// The session it belongs to.
    pub session: SessionId,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The connection stands.
    Connected,
    /// The connection could not be made.
    ConnectFailed(Problem),
    /// The person asked the program to end (Ctrl+C), once it was told to listen for that.
    Interrupted,
    /// Records of a running question, in the order asked for.
    Records(TaskId, Portion),
    /// How far a running question is.
    Progress(TaskId, Progress),
    /// How a change that waits for its moment stands.
    Moving(TaskId, Run),
    /// A finding has appeared or cleared, while findings are watched.
    Finding(TaskId, Box<FindingChange>),
    /// While findings are watched: nothing can be looked at for now, and why; or it can again.
    Lost(TaskId, Option<Problem>),
    /// A question is over.
    Finished(TaskId, Known<Reply>),
}

/// Some records of an answer.
#[derive(Clone, Debug, Default)]
pub struct Portion {
    /// The records.
    pub records: Vec<Record>,
    /// Of each of them key and value, decoded; empty unless that was asked for.
    pub decoded: Vec<[Decoded; 2]>,
}

/// How far something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, as a short label.
    pub what: &'static str,
    /// How much of it is done, in units of its own.
    pub done: u64,
    /// How much there is; `None` when not known.
    pub total: Option<u64>,
}

/// The answer to a [`super::Request`].
#[derive(Clone, Debug)]
pub enum Reply {
    /// To `Cluster`.
    Cluster(Arc<Cluster>),
    /// To `Topics`.
    Topics(Arc<TopicsReply>),
    /// To `Groups`.
    Groups(Arc<GroupsReply>),
    /// To `Timeline`.
    Timeline(Arc<TimelineReply>),
    /// To `Records`: what was looked at. The records themselves came before.
    Records(Arc<Coverage>),
    /// To `Rewind`.
    Rewind(Arc<RewindReply>),
    /// To `Gaps`.
    Gaps(Arc<GapsReply>),
}

/// Topics, sorted by name. One that was named and does not exist carries its error.
#[derive(Clone, Debug, Default)]
pub struct TopicsReply {
    /// The topics.
    pub topics: Vec<Arc<Topic>>,
}

/// Groups, sorted by name, with each of their places. One that was named and does not exist carries its error.
#[derive(Clone, Debug, Default)]
pub struct GroupsReply {
    /// The groups and their places.
    pub groups: Vec<GroupPlaces>,
    /// Why there may be more groups than these.
    pub missing: Vec<Problem>,
}

/// A group and where it stands in every partition it has committed in or is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPlaces {
    /// The group.
    pub group: Arc<Group>,
    /// Its places, by topic and partition.
    pub places: Vec<crate::inspect::lag::Place>,
}

/// Density and the groups' places.
#[derive(Clone, Debug)]
pub struct TimelineReply {
    /// Left edge, included; `None` when there is no data to take it from.
    pub from: Option<TimestampMs>,
    /// Right edge, not included.
    pub to: Option<TimestampMs>,
    /// Width of a bucket in milliseconds.
    pub bucket_ms: i64,
    /// The groups, and why one could not be asked.
    pub groups: Vec<(Text, Option<Problem>)>,
    /// Why there may be more groups than these.
    pub missing: Vec<Problem>,
    /// The topics.
    pub topics: Vec<TopicTimeline>,
}

/// A topic on the timeline.
#[derive(Clone, Debug)]
pub struct TopicTimeline {
    /// Its name.
    pub topic: TopicName,
    /// Why it cannot be read.
    pub error: Option<Problem>,
    /// Its partitions.
    pub partitions: Vec<PartitionTimeline>,
    /// The groups' places: partition, group, committed offset, and the time of the next record there.
    pub cursors: Vec<Cursor>,
}

/// Where a group stands on the timeline.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The partition.
    pub partition: PartitionId,
    /// The group.
    pub group: Text,
    /// Its committed offset.
    pub committed: Offset,
    /// The time of the next readable record; `Ok(None)` when there is none or it carries no time.
    pub at: Known<Option<RecordHead>>,
}

/// Why reading stopped before everything was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoppedBy {
    /// As many records as asked for were found.
    Limit,
    /// A stated bound on memory was reached.
    Budget,
    /// The time allowed ran out.
    Timeout,
    /// A person gave it up.
    Interrupt,
    /// A partition could not be read.
    Error,
}

/// What a reading question looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Why it stopped early; `None` when it did not.
    pub stopped_by: Option<StoppedBy>,
    /// Records looked at.
    pub records_scanned: u64,
    /// Bytes of keys and values looked at, and of the headers of records that passed the first look.
    pub bytes_scanned: u64,
    /// Records given out.
    pub matched: u64,
    /// On how many records an expression failed, and how it did first; `None` when on none.
    pub expression_failures: Option<(u64, String)>,
    /// Each partition in scope, and each topic that cannot be read at all.
    pub partitions: Vec<PartitionCoverage>,
}

impl Coverage {
    /// Whether everything asked for was looked at.
    pub fn is_complete(&self) -> bool {
        self.stopped_by.is_none() && self.partitions.iter().all(|partition| partition.complete)
    }
}

/// What was looked at in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionCoverage {
    /// The topic.
    pub topic: TopicName,
    /// The partition; `None` stands for a topic that cannot be read at all.
    pub partition: Option<PartitionId>,
    /// The first offset looked at; `None` when not known.
    pub from: Option<Offset>,
    /// The offset to stop before; `None` when not known.
    pub to: Option<Offset>,
    /// The offset to go on at.
    pub next: Option<Offset>,
    /// Whether everything from `from` to `to` was looked at.
    pub complete: bool,
    /// Why not.
    pub error: Option<Problem>,
}

impl PartitionCoverage {
    /// The partition, unless this row stands for a whole topic.
    pub fn at(&self) -> Option<TopicPartition> {
        self.partition.map(|partition| TopicPartition {
            topic: self.topic.clone(),
            partition,
        })
    }
}
