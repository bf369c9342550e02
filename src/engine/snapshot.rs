//! What the window draws: one immutable value, replaced as a whole.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tokio::time::Instant;

use crate::decode::schema::{NoSchemas, Schemas};
use crate::inspect::density::TimeIndex;
use crate::inspect::overview::Overview;
use crate::inspect::samples::Samples;
use crate::model::{
    Cluster, Known, Offset, Problem, Record, RecordHead, Text, TimestampMs, Topic, TopicName,
    TopicPartition,
};

use super::SessionId;
use super::changing::{AccessView, JournalView, RewindView};
use super::command::TableRequest;
use super::event::{GroupPlaces, PartitionCoverage, Progress, StoppedBy};
use super::finding::FindingsView;
use super::opener::OpenerView;
use super::searching::{ExportView, SearchView};

/// Everything the window draws, at one moment. Cheap to clone; consistent in itself.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The session all of it belongs to.
    pub session: SessionId,
    /// Grows with every publication.
    pub generation: u64,
    /// How the connection stands.
    pub connection: Connection,
    /// Topics, ends, groups and places.
    pub inventory: Arc<Inventory>,
    /// What is known of the times of partitions' offsets.
    pub density: Arc<Density>,
    /// What was read of groups since the session began.
    pub samples: Arc<Samples>,
    /// The records of the selected span.
    pub table: Arc<Table>,
    /// The search under way, with what it found.
    pub search: Arc<SearchView>,
    /// What is missing, stuck or odd on the bus.
    pub findings: Arc<FindingsView>,
    /// Records on their way to a file.
    pub export: Arc<ExportView>,
    /// The schemas that are known.
    pub schemas: Arc<dyn Schemas>,
    /// The plan on screen.
    pub rewind: Arc<RewindView>,
    /// What was changed, and how far that is.
    pub journal: Arc<JournalView>,
    /// What may be changed, and named connections.
    pub access: Arc<AccessView>,
    /// What runs in the background right now.
    pub activity: Arc<Vec<Progress>>,
    /// Local addresses that answer, once it was asked for; in the order asked.
    pub local: Arc<Vec<LocalBus>>,
    /// Whether the system opens links with this program; `None` until it was looked.
    pub opener: Arc<Option<Known<OpenerView>>>,
}

/// How the connection stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Connected to nothing.
    None,
    /// On the way.
    Connecting {
        /// The address, as the person knows it.
        to: Arc<str>,
    },
    /// Standing.
    Connected {
        /// The address, as the person knows it.
        to: Arc<str>,
        /// Whether it is the embedded demo bus.
        demo: bool,
        /// Why what is shown may be old: the last attempt to read did not succeed.
        degraded: Option<Problem>,
    },
    /// It could not be made.
    Failed {
        /// The address, as the person knows it.
        to: Arc<str>,
        /// Why.
        problem: Problem,
    },
}

/// An address at which a bus answers, found by looking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalBus {
    /// `host:port`.
    pub address: Arc<str>,
    /// Where it comes from: the usual local ports, or an environment variable's name.
    pub found_in: Arc<str>,
}

/// Topics, ends, groups and places as they were last read.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// The cluster; `None` until it was read.
    pub cluster: Option<Known<Arc<Cluster>>>,
    /// The topics by name, internal ones included; `None` until they were read.
    pub topics: Option<Known<Vec<Arc<Topic>>>>,
    /// The groups by name; `None` until they were read.
    pub groups: Option<Known<Vec<GroupPlaces>>>,
    /// Why there may be more groups than these.
    pub groups_missing: Vec<Problem>,
    /// The range of time that holds the bulk of the data, right edge not included; `None` until it is known
    /// or when there is no data.
    pub bulk: Option<(TimestampMs, TimestampMs)>,
    /// When topics and ends were last read whole; `None` until then.
    pub read_at: Option<TimestampMs>,
    /// When what is looked at was last read by itself, between two readings of the whole; `None` until it was.
    pub near_read_at: Option<TimestampMs>,
    /// When it was asked for what is known here.
    pub asked: Asked,
}

/// When the questions were put whose answers an inventory holds: an answer says nothing of what came after.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// For the whole; `None` when it is not known.
    pub whole: Option<Instant>,
    /// For topics that were asked for by themselves: since then, or so shortly before that the whole passed them
    /// over.
    pub topics: BTreeMap<TopicName, Instant>,
    /// For the one group that was asked for by itself last.
    pub group: Option<(Text, Instant)>,
}

impl Asked {
    /// When `topic` was last asked for; `None` when it is not known.
    pub fn topic(&self, topic: &str) -> Option<Instant> {
        self.topics.get(topic).copied().or(self.whole)
    }
}

impl Inventory {
    /// When something of it was last read.
    pub fn newest_read_at(&self) -> Option<TimestampMs> {
        self.read_at.max(self.near_read_at)
    }

    /// The topics, when they are known.
    pub fn topics(&self) -> &[Arc<Topic>] {
        match &self.topics {
            Some(Ok(topics)) => topics,
            _ => &[],
        }
    }

    /// The groups, when they are known.
    pub fn groups(&self) -> &[GroupPlaces] {
        match &self.groups {
            Some(Ok(groups)) => groups,
            _ => &[],
        }
    }
}

/// First records at or after places in partitions; `Ok(None)` where none follows.
pub type Heads = BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>>;

/// What is known of the times of partitions' offsets.
#[derive(Clone, Debug, Default)]
pub struct Density {
    /// By partition, those that were looked at so far.
    pub partitions: HashMap<TopicPartition, Arc<TimeIndex>>,
    /// First records at places that were read: `Ok(None)` where no record follows.
    pub heads: Arc<Heads>,
    /// Partitions whose times could not be looked up, and why.
    pub problems: HashMap<TopicPartition, Problem>,
    /// All of the data in a few columns; `None` until it was looked at.
    pub overview: Option<Arc<Overview>>,
    /// Whether the present view is as sharp as its columns.
    pub settled: bool,
}

/// A piece of a list of records that may be far longer than memory. Offsets are counted, never records: a hole
/// or a marker counts as well, so every number of what lies outside the piece is an upper bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with its own place in the window"
)]
pub struct Table {
    /// The list and where its piece began; `None` when nothing is selected.
    pub request: Option<TableRequest>,
    /// The rows at hand: contiguous, in the ascending order of the request.
    pub rows: Vec<Arc<Record>>,
    /// The number of the first of `rows`. A row keeps its number while the jump stays the same: numbers grow
    /// with the order, and 0 is the first row that was read after the jump.
    pub first: i64,
    /// The number of the row that the request's place names: the record, or the first at or after the time or
    /// rank; one past the last row for the end. `None` until it is known.
    pub anchor: Option<i64>,
    /// Offsets of the list before the first of `rows`.
    pub before: u64,
    /// Offsets of the list after the last of `rows`, up to the ends it was resolved with.
    pub after: u64,
    /// Offsets in the list in all; `None` until its ends are known.
    pub up_to: Option<u64>,
    /// Whether nothing comes before the first of `rows`.
    pub at_start: bool,
    /// Whether nothing comes after the last of `rows`, as of the ends the list was resolved with.
    pub at_end: bool,
    /// Offsets that have come beyond those ends since and belong to the span. Where the last row is on screen
    /// they are read and appended by themselves.
    pub newer: u64,
    /// Whether rows are being read.
    pub loading: bool,
    /// Why reading stopped early.
    pub stopped_by: Option<StoppedBy>,
    /// What does not concern one partition: why the list cannot be read at all, or why the record that the
    /// place names is not in it.
    pub problems: Vec<Problem>,
    /// What is held of each partition: from the first offset looked at to the offset to go on at.
    pub partitions: Vec<PartitionCoverage>,
    /// Whether the list is by time and some row belongs above one that is above it, because the times of its
    /// partition are not in order.
    pub disordered: bool,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            session: SessionId::default(),
            generation: 0,
            connection: Connection::None,
            inventory: Arc::default(),
            density: Arc::default(),
            samples: Arc::default(),
            table: Arc::default(),
            search: Arc::default(),
            findings: Arc::default(),
            export: Arc::default(),
            schemas: Arc::new(NoSchemas),
            rewind: Arc::default(),
            journal: Arc::default(),
            access: Arc::default(),
            activity: Arc::default(),
            local: Arc::default(),
            opener: Arc::default(),
        }
    }
}
