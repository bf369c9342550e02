//! What the window and the command line ask of the engine.

use std::sync::Arc;

use super::changing::{ApplyRequest, RewindRequest};
use super::event::StoppedBy;
use super::finding::GapsRequest;
use super::searching::{ExportRequest, SearchControl, SearchRequest};

use crate::decode::schema::SchemaId;
use crate::decode::value::Decoders;
use crate::inspect::filter::Filters;
use crate::model::{
    ConnectionSettings, Isolation, Offset, PartitionId, Profile, Text, TimestampMs, TopicName,
    TopicPartition,
};
use crate::rewind::target::PlanRequest;

/// Which connection something belongs to; each `Connect` begins a new one. Results of an old session are
/// dropped by the engine and by whoever receives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

/// A question's own number, chosen by the asker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u64);

/// Something for the engine to do.
#[derive(Clone, Debug)]
pub enum Command {
    /// Leave the present bus, if any, and reach this one. Begins a new session.
    Connect(ConnectTarget),
    /// Leave the present bus. Begins a new session, connected to nothing.
    Disconnect,
    /// Keep the inventory (topics, ends, groups, commits) in the snapshot fresh from now on.
    Watch,
    /// What the timeline shows now; replaces what it showed before, and gives up look-ups that no longer matter.
    View(View),
    /// What the record table shows now; `None` empties it.
    Table(Option<TableRequest>),
    /// Which rows of the table are on screen: the piece that is held in memory grows where they near its edge.
    /// Cheap, and may be sent often: only the newest counts.
    TableRows {
        /// The jump of the request whose rows they are; those of another one are dropped.
        jump: u64,
        /// The number of the first row on screen.
        first: i64,
        /// The number of the last row on screen.
        last: i64,
    },
    /// The group that is looked at: what is read of each of its partitions is kept, however many there are.
    Group(Option<Text>),
    /// The plan that is on screen, kept true from now on; `None` closes it. The number grows with every change.
    Plan(Option<(u64, Box<PlanRequest>)>),
    /// Apply the plan on screen.
    Apply(ApplyRequest),
    /// Stop waiting for the moment to apply; what is on its way to the bus goes on.
    StopApplying,
    /// Read what the bus has for an entry of the journal whose end is not known, and keep that.
    CheckEntry(String),
    /// Stop watching the group of an entry of the journal.
    CloseEntry(String),
    /// Allow changes over this connection for so many milliseconds; `None` locks it again.
    Unlock(Option<i64>),
    /// Keep a profile.
    PutProfile(Box<Profile>),
    /// Forget a profile.
    RemoveProfile(String),
    /// Search, or follow what comes in; replaces the search before. `None` ends it and forgets what it found.
    Search(Option<Box<SearchRequest>>),
    /// Do this with the search under way.
    SearchControl(SearchControl),
    /// Write records to a file; one at a time.
    Export(Box<ExportRequest>),
    /// Give the export up.
    CancelExport,
    /// Read records for what is missing among them; `None` gives it up.
    FindGaps(Option<Box<GapsRequest>>),
    /// Put a finding aside for this reason; without one take it back.
    Dismiss {
        /// The finding's id.
        finding: String,
        /// Why.
        reason: Option<String>,
    },
    /// Ask the registry for a schema that what is on screen needs.
    WantSchema(SchemaId),
    /// See whether something answers at the usual local addresses.
    FindLocal,
    /// Let the system open links with this program, or no longer.
    OpenLinks(bool),
    /// One question, answered by exactly one [`super::EventKind::Finished`] with the same id.
    Ask(TaskId, Request),
    /// Give a question up for this reason. Reading ends with what was read so far; any other question is
    /// finished as cancelled.
    Cancel(TaskId, StoppedBy),
}

/// Where to connect.
#[derive(Clone, Debug)]
pub enum ConnectTarget {
    /// A bus that is running somewhere.
    Bus(ConnectionSettings),
    /// The embedded demo bus, started as a child process that ends with the session.
    Demo(DemoSize),
}

/// What the demo bus holds beside its shop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DemoSize {
    /// How many topics.
    pub topics: u32,
    /// How many partitions each of them has; 0 means 1.
    pub partitions: u32,
    /// How many consumer groups.
    pub groups: u32,
    /// How many records, in all.
    pub records: u64,
    /// How many records a second are written, in all.
    pub rate: u32,
}

/// What the timeline shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The partitions whose density is on screen, the most important first.
    pub lanes: Vec<TopicPartition>,
    /// Left edge, included.
    pub from: TimestampMs,
    /// Right edge, not included.
    pub to: TimestampMs,
    /// How many columns are drawn between them, outside the stretches that are folded.
    pub columns: usize,
    /// Stretches between the edges in which nothing is drawn: right edge not included, in order and apart.
    pub folds: Vec<(TimestampMs, TimestampMs)>,
}

impl View {
    /// The stretches in which columns are drawn, from left to right, each with its number of columns.
    pub fn stretches(&self) -> Vec<(TimestampMs, TimestampMs, usize)> {
        let begins = [self.from]
            .into_iter()
            .chain(self.folds.iter().map(|fold| fold.1));
        let ends = self.folds.iter().map(|fold| fold.0).chain([self.to]);
        let drawn: Vec<(TimestampMs, TimestampMs)> =
            begins.zip(ends).filter(|(from, to)| from < to).collect();
        let all: i128 = drawn
            .iter()
            .map(|(from, to)| i128::from(to.since_ms(*from)))
            .sum();
        let columns = i128::try_from(self.columns).unwrap_or(i128::MAX);
        drawn
            .into_iter()
            .map(|(from, to)| {
                let share = i128::from(to.since_ms(from)).saturating_mul(columns) / all.max(1);
                (from, to, usize::try_from(share).unwrap_or(1).max(1))
            })
            .collect()
    }
}

/// What the record table shows: a list, of which a piece around a place is held in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRequest {
    /// The partitions whose records are wanted, sorted, each once.
    pub partitions: Vec<TopicPartition>,
    /// The span of time.
    pub span: TableSpan,
    /// The order of the list, always ascending.
    pub order: TableOrder,
    /// Whose records to show.
    pub isolation: Isolation,
    /// Where the piece begins.
    pub place: TablePlace,
    /// Grows with every jump; a new one throws the piece away and begins another one.
    pub jump: u64,
}

/// Which records a table shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableSpan {
    /// All there are.
    All,
    /// Those from a time, included, to a time, not included.
    Between(TimestampMs, TimestampMs),
    /// Of each partition of the request, in its order, those from an offset, included, to an offset, not included.
    Offsets(Arc<[(Offset, Offset)]>),
}

/// In which order a table lists records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableOrder {
    /// By time across partitions, those without a time first; equal times by topic, partition and offset.
    #[default]
    Time,
    /// Partition after partition, each by offset.
    Offset,
}

/// A place in a table's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TablePlace {
    /// Its beginning.
    Start,
    /// Its end.
    #[default]
    End,
    /// After about this many offsets of the list, counted from its start.
    Rank(u64),
    /// The first record at or after a time; in the order of offsets, that of the first partition that has one.
    Time(TimestampMs),
    /// One record.
    Record(TopicPartition, Offset),
}

/// A question with one answer. Empty lists of names mean all.
#[derive(Clone, Debug)]
pub enum Request {
    /// The cluster and its brokers.
    Cluster,
    /// Topics with settings, partitions and ends.
    Topics(TopicsRequest),
    /// Groups with members, commits and lag.
    Groups(GroupsRequest),
    /// Counts of records over time and the groups' places among them.
    Timeline(TimelineRequest),
    /// Records, sent as they are read.
    Records(RecordsRequest),
    /// A group's offsets moved, or what moving them would do.
    Rewind(Box<RewindRequest>),
    /// What is missing, to whom, and why.
    Gaps(Box<GapsRequest>),
    /// The same for ever: each finding that appears or clears is told.
    WatchGaps(Box<GapsRequest>),
}

/// Which topics are asked for.
#[derive(Clone, Debug, Default)]
pub struct TopicsRequest {
    /// These topics; all when empty.
    pub topics: Vec<TopicName>,
    /// With the bus's own ones, when all are asked for.
    pub internal: bool,
}

/// Which groups are asked for.
#[derive(Clone, Debug, Default)]
pub struct GroupsRequest {
    /// These groups; all when empty.
    pub groups: Vec<Text>,
    /// Also read the time of each group's next record.
    pub times: bool,
}

/// A timeline.
#[derive(Clone, Debug, Default)]
pub struct TimelineRequest {
    /// These topics; all but internal ones when empty.
    pub topics: Vec<TopicName>,
    /// These groups; all when empty.
    pub groups: Vec<Text>,
    /// Left edge, included; where the bulk of the data begins when `None`.
    pub from: Option<TimestampMs>,
    /// Right edge, not included; where the bulk of the data ends when `None`.
    pub to: Option<TimestampMs>,
    /// How many buckets lie between them; at least 1.
    pub buckets: usize,
}

/// Which records are asked for: a whole topic, a partition, or one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordScope {
    /// The topic.
    pub topic: TopicName,
    /// One partition; all when `None`.
    pub partition: Option<PartitionId>,
    /// The offset of the one record in that partition.
    pub offset: Option<Offset>,
}

/// One edge of a range of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// A time.
    Time(TimestampMs),
    /// The same offset in every partition.
    Offset(Offset),
}

/// In which order records come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they are read: in offset order within each partition.
    #[default]
    AsRead,
    /// Oldest first across partitions.
    Time,
    /// Partition after partition.
    Offset,
}

/// Records.
#[derive(Clone, Debug, Default)]
pub struct RecordsRequest {
    /// Where from; at least one.
    pub scope: Vec<RecordScope>,
    /// The first record; the log start when nothing says otherwise.
    pub from: Option<Edge>,
    /// The end, not included; the end of the log at the start of the question when `None`.
    pub to: Option<Edge>,
    /// Begin where this group stands.
    pub group_position: Option<Text>,
    /// The newest this many by time, over everything in scope.
    pub newest: Option<u64>,
    /// Stop after this many.
    pub limit: Option<u64>,
    /// The order.
    pub order: Order,
    /// Whose records to show.
    pub isolation: Isolation,
    /// Which records are given out.
    pub filters: Arc<Filters>,
    /// How parts are decoded.
    pub decoders: Arc<Decoders>,
    /// Whether to give key and value decoded beside the records.
    pub decode: bool,
    /// Go on at the ends of the logs, until given up.
    pub follow: bool,
    /// How many bytes a second may be read; as many as come when `None`.
    pub bytes_per_second: Option<u64>,
    /// Stop when this many bytes were read.
    pub max_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_drawn_around_its_folds() {
        let t = TimestampMs;
        let mut view = View {
            lanes: vec![],
            from: t(0),
            to: t(1_000),
            columns: 40,
            folds: vec![],
        };
        assert_eq!(view.stretches(), vec![(t(0), t(1_000), 40)]);
        view.folds = vec![(t(100), t(700))];
        assert_eq!(
            view.stretches(),
            vec![(t(0), t(100), 10), (t(700), t(1_000), 30)]
        );
        view.folds = vec![(t(0), t(1_000))];
        assert_eq!(view.stretches(), vec![]);
    }
}
