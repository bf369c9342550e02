//! A partition's log as the broker keeps it: in batches, with the marks of transactions among them.

use super::{Known, Offset, TimestampMs, TopicPartition};

/// What a batch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchKind {
    /// Records.
    Data,
    /// The mark that a transaction was committed.
    Commit,
    /// The mark that a transaction was aborted.
    Abort,
    /// Another mark of the bus's own, by its type; −1 where compaction left the batch and took the mark.
    Control(i16),
}

/// Who wrote a batch, where the producer numbers what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Producer {
    /// Its id.
    pub id: i64,
    /// How often that id was taken over.
    pub epoch: i16,
    /// The number of the first record of the batch; −1 on a mark.
    pub sequence: i32,
}

/// One batch, without its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Its first offset.
    pub first: Offset,
    /// Its last offset, which it keeps even when the record there is gone.
    pub last: Offset,
    /// How many records are left in it; 0 when compaction took all of them.
    pub records: u32,
    /// What it holds.
    pub kind: BatchKind,
    /// Whether it belongs to a transaction.
    pub transactional: bool,
    /// Who wrote it; `None` when its producer numbers nothing.
    pub producer: Option<Producer>,
    /// The leader epoch in which it was written.
    pub leader_epoch: i32,
    /// The latest time of a record in it, also of one that is gone.
    pub max_time: Option<TimestampMs>,
    /// Offsets between `first` and `last` at which no record is left, as stretches with both ends included; an error
    /// when the records could not be taken apart.
    pub holes: Known<Vec<(Offset, Offset)>>,
}

/// A transaction that was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aborted {
    /// The producer's id.
    pub producer: i64,
    /// The first offset that the transaction wrote in this partition. It ends at the next abort mark of the producer.
    pub first: Offset,
}

/// A portion of one partition's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPortion {
    /// The partition.
    pub at: TopicPartition,
    /// The offset that was asked for.
    pub from: Offset,
    /// Everything before this offset was looked at; equal to `from` when nothing is there.
    pub next: Offset,
    /// The first offset that can still be read.
    pub log_start: Offset,
    /// The offset up to which careful readers are served.
    pub last_stable: Offset,
    /// The offset that the next record will get.
    pub high_watermark: Offset,
    /// The batches, by offset. The first may begin before `from`.
    pub batches: Vec<Batch>,
    /// The aborted transactions that reach into this portion.
    pub aborted: Vec<Aborted>,
}

/// A transaction that is open in a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTransaction {
    /// The producer's id.
    pub producer: i64,
    /// How often that id was taken over.
    pub epoch: i32,
    /// The first offset that it wrote in the partition.
    pub first: Offset,
    /// When the producer last wrote in the partition.
    pub last_write: Option<TimestampMs>,
    /// What the coordinator of transactions knows of it: `Ok(None)` when no coordinator knows it, which means that
    /// nobody will ever end it.
    pub coordinator: Known<Option<TransactionState>>,
}

/// A transaction as its coordinator knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionState {
    /// The name the producer gave it (`transactional.id`).
    pub transactional_id: String,
    /// Its state as the broker says it: `Ongoing`, `PrepareAbort`, …
    pub state: String,
    /// When it began.
    pub started: Option<TimestampMs>,
    /// After how many milliseconds the coordinator aborts it by itself.
    pub timeout_ms: i64,
}
