//! Reaching a real bus.
//!
//! The seam between the engine and any bus is one trait, [`Bus`], in terms of [`crate::model`] alone:
//! another kind of bus is another implementation of it, which says in [`Capabilities`] what it can do.
//!
//! - [`kafka`] implements it with librdkafka, behind a small FFI module of our own;
//! - [`wire`] speaks the raw Kafka protocol where librdkafka hides something;
//! - `batch` reads record batches, for the two that have them as bytes;
//! - [`registry`] asks a schema registry, which belongs to a bus though it is none;
//! - [`demo`] is an embedded broker for people who have no Kafka at hand, reached like any other.
//!
//! What may not be here: the engine, anything drawn, any decision about what a person should be told
//! beyond the plain words of a [`Problem`].

mod batch;
pub mod demo;
pub mod kafka;
pub mod registry;
pub mod wire;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{
    Bookmark, Cluster, Commit, GroupList, GroupListing, GroupMembers, Isolation, Known, LogPortion,
    Offset, OpenTransaction, Problem, ProblemKind, Record, RecordHead, Text, TimestampMs, Topic,
    TopicConfig, TopicName, TopicPartition,
};

/// An answer that is on its way. Dropping it gives the question up.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a bus can do, or why it cannot.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// Looking up the first offset at or after a time.
    pub time_lookup: Known<()>,
    /// Listing groups of every type with their type and state.
    pub group_types: Known<()>,
}

/// Where in a partition a look-up is aimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seek {
    /// The first offset that can still be read.
    LogStart,
    /// The offset the next record will get.
    HighWatermark,
    /// The end for careful readers.
    LastStable,
    /// The first offset whose time is at or after this one.
    AtOrAfter(TimestampMs),
    /// The record with the largest time.
    MaxTimestamp,
}

/// One look-up in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The partition.
    pub at: TopicPartition,
    /// What is looked for.
    pub seek: Seek,
}

/// What a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The offset; `None` when no record is there (no later record, or an empty partition).
    pub offset: Option<Offset>,
    /// The time of the record there, when the bus tells it.
    pub timestamp: Option<TimestampMs>,
}

/// Offsets of one partition that a reader is to go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRange {
    /// The partition.
    pub at: TopicPartition,
    /// The first offset.
    pub from: Offset,
    /// The offset to stop before; `None` follows the end for ever.
    pub to: Option<Offset>,
}

/// Decides by the bytes of key and value alone which records a reader copies out; the others it only counts.
/// Called on the reader's thread for every record, so it should be quick.
pub trait Sieve: Send + Sync + std::fmt::Debug {
    /// Whether a record of this key and value is wanted.
    fn passes(&self, key: Option<&[u8]>, value: Option<&[u8]>) -> bool;
}

/// How much a reader fetches ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Appetite {
    /// A few records at a time.
    Few,
    /// Many records in a row that are held for a while: about 32 MiB wait in the reader's queues.
    Many,
    /// As fast as it goes, for records of which most are only counted.
    All,
    /// So little that a bound on the rate holds on the wire too: 2 MiB.
    Little,
}

/// What a reader is to do.
#[derive(Clone, Debug)]
pub struct ReadPlan {
    /// Each partition at most once.
    pub ranges: Vec<ReadRange>,
    /// Whose records to show.
    pub isolation: Isolation,
    /// How much is fetched ahead.
    pub appetite: Appetite,
    /// Which records are wanted; all of them without one.
    pub sieve: Option<Arc<dyn Sieve>>,
}

/// A stretch of one partition in which a sieve held every record back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The partition.
    pub at: TopicPartition,
    /// Its first offset.
    pub from: Offset,
    /// The offset after its last.
    pub next: Offset,
    /// How many records were in it; fewer than offsets where some hold none, or none for this reader.
    pub records: u64,
    /// Bytes of their keys and values.
    pub bytes: u64,
    /// Their earliest and their latest time; `None` when none carries one.
    pub times: Option<(TimestampMs, TimestampMs)>,
    /// Whether one of them is earlier than one before it.
    pub disordered: bool,
}

impl Passed {
    /// Nothing yet, from `from` on.
    pub fn none(at: TopicPartition, from: Offset) -> Self {
        Self {
            at,
            from,
            next: from,
            records: 0,
            bytes: 0,
            times: None,
            disordered: false,
        }
    }

    /// One record that is not looked for.
    pub fn over(record: &Record) -> Self {
        let mut passed = Self::none(record.at(), record.offset);
        passed.add(record.offset, record.size(), record.timestamp);
        passed
    }

    /// Adds the record at `offset`, of so many bytes.
    pub fn add(&mut self, offset: Offset, bytes: u64, time: Option<TimestampMs>) {
        self.next = offset.next();
        self.records = self.records.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        self.add_times(time.map(|time| (time, time)));
    }

    /// Adds the stretch that comes next.
    pub fn absorb(&mut self, other: &Self) {
        self.next = self.next.max(other.next);
        self.records = self.records.saturating_add(other.records);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.disordered |= other.disordered;
        self.add_times(other.times);
    }

    fn add_times(&mut self, times: Option<(TimestampMs, TimestampMs)>) {
        let Some((earliest, latest)) = times else {
            return;
        };
        let (before, after) = self.times.unwrap_or((earliest, latest));
        self.disordered |= earliest < after && self.times.is_some();
        self.times = Some((before.min(earliest), after.max(latest)));
    }

    /// How many of its offsets held no record for this reader.
    pub fn holes(&self) -> u64 {
        let offsets = self.next.since(self.from).unwrap_or_default();
        offsets.saturating_sub(self.records)
    }
}

/// What a reader has to tell.
#[derive(Clone, Debug)]
pub enum ReadEvent {
    /// The next record of its partition, in offset order within each partition.
    Record(Record),
    /// What lies between the events before and after it of its partition, where a sieve is used: records that it
    /// held back, or offsets without any.
    Passed(Passed),
    /// The partition's range is read to its end; no record comes after this one.
    Complete {
        /// The partition.
        at: TopicPartition,
        /// The offset up to which everything was looked at.
        next: Offset,
    },
    /// The partition cannot be read further.
    Failed {
        /// The partition.
        at: TopicPartition,
        /// Why.
        problem: Problem,
    },
}

impl ReadEvent {
    /// The partition it is about.
    pub fn at(&self) -> TopicPartition {
        match self {
            Self::Record(record) => record.at(),
            Self::Passed(passed) => passed.at.clone(),
            Self::Complete { at, .. } | Self::Failed { at, .. } => at.clone(),
        }
    }

    /// The partition that nothing more comes of after this.
    pub fn ended(&self) -> Option<&TopicPartition> {
        match self {
            Self::Record(_) | Self::Passed(_) => None,
            Self::Complete { at, .. } | Self::Failed { at, .. } => Some(at),
        }
    }
}

/// Reads records on the thread that calls it.
pub trait Reader: Send {
    /// Waits up to `wait` for something to tell and appends it to `events`; appending nothing means that
    /// nothing came in time.
    ///
    /// # Errors
    /// The reader as a whole cannot go on.
    fn poll(&mut self, wait: Duration, events: &mut Vec<ReadEvent>) -> Known<()>;

    /// How long brokers make this reader wait from now on, because it read more than they allow it.
    fn throttled(&self) -> Duration {
        Duration::ZERO
    }
}

/// Moves bookmarks of groups: the one thing that Tideline changes on a bus.
///
/// Nothing here checks whether it should be done; `Err` as a whole means that nothing is known of any row: the
/// change may have arrived or not, but it is no longer on its way. A row's problem says by its kind what to do:
/// [`GroupActive`](crate::model::ProblemKind::GroupActive) when the group has members,
/// [`Retriable`](crate::model::ProblemKind::Retriable) when the same may be asked once more.
pub trait Positions: Send + Sync {
    /// Gives a group these bookmarks, in one request: one result for each, in the order given. A group that has
    /// members refuses all of them. A group that does not exist comes into being.
    fn set(
        &self,
        group: Text,
        to: Vec<(TopicPartition, Bookmark)>,
    ) -> Answer<'_, Known<Vec<Known<()>>>>;

    /// Deletes a group's bookmarks in these partitions: one result for each, in the order given.
    fn delete(&self, group: Text, at: Vec<TopicPartition>) -> Answer<'_, Known<Vec<Known<()>>>>;
}

/// A bus that Tideline can look into. Every method leaves the bus as it was; what changes it is reached
/// through [`Bus::positions`].
///
/// Each question has a deadline of its own, and each part of an answer its own [`Problem`]: what fails
/// for one topic, partition or group never spoils the rest.
pub trait Bus: Send + Sync + 'static {
    /// What this bus can do.
    fn capabilities(&self) -> Capabilities;

    /// The cluster and its brokers.
    fn cluster(&self) -> Answer<'_, Known<Cluster>>;

    /// The names of all topics, sorted.
    fn topic_names(&self) -> Answer<'_, Known<Vec<TopicName>>>;

    /// These topics in the order given, with everything but settings and offsets, which are left unknown.
    fn topics(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Topic>>;

    /// The settings of these topics, in the order given.
    fn topic_configs(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Known<TopicConfig>>>;

    /// One result for each look-up, in the order given.
    fn look_up(&self, lookups: Vec<Lookup>) -> Answer<'_, Vec<Known<Found>>>;

    /// The groups of the cluster.
    fn groups(&self) -> Answer<'_, Known<GroupList>>;

    /// Who is in these groups, in the order given.
    fn members(&self, groups: Vec<GroupListing>) -> Answer<'_, Vec<Known<GroupMembers>>>;

    /// Everything these groups have committed, by topic and partition, in the order given.
    fn commits(&self, groups: Vec<Text>) -> Answer<'_, Vec<Known<Vec<Commit>>>>;

    /// The first record at or after each place and before its `to`, in the order given; `None` when there
    /// is none. Each distinct place is read once.
    fn first_records(&self, places: Vec<ReadRange>) -> Answer<'_, Vec<Known<Option<RecordHead>>>>;

    /// A portion of the log from the range's first offset on, as the bus keeps it: batches and marks, some
    /// megabytes at a time or less. Whoever wants more asks again from [`LogPortion::next`].
    fn log(&self, range: ReadRange) -> Answer<'_, Known<LogPortion>> {
        drop(range);
        Box::pin(async { Err(untold("how its logs are kept")) })
    }

    /// The transactions that are open in these partitions, in the order given.
    fn open_transactions(
        &self,
        at: Vec<TopicPartition>,
    ) -> Answer<'_, Vec<Known<Vec<OpenTransaction>>>> {
        Box::pin(async move {
            at.iter()
                .map(|_| Err(untold("open transactions")))
                .collect()
        })
    }

    /// Where a leader epoch ended in each of these partitions, in the order given: the first offset of the next
    /// epoch, or the end of the log. `Ok(None)` when the leader knows nothing of the epoch.
    fn epoch_ends(&self, of: Vec<(TopicPartition, i32)>) -> Answer<'_, Vec<Known<Option<Offset>>>> {
        Box::pin(async move { of.iter().map(|_| Err(untold("leader epochs"))).collect() })
    }

    /// The way to move groups.
    ///
    /// # Errors
    /// This bus has no positions that could be moved.
    fn positions(&self) -> Known<&dyn Positions>;

    /// Begins reading. Blocks for a moment: call it where blocking is allowed.
    ///
    /// # Errors
    /// The plan cannot be started at all.
    fn read(&self, plan: &ReadPlan) -> Known<Box<dyn Reader>>;
}

fn untold(what: &str) -> Problem {
    Problem::new(
        ProblemKind::Unsupported,
        format!("this bus does not tell {what}"),
    )
}
