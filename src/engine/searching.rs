//! What is asked of the engine, and told by it, about searching, following and taking records away.

use std::path::PathBuf;
use std::sync::Arc;

use crate::decode::value::Decoders;
use crate::inspect::filter::Filters;
use crate::model::{Isolation, Problem, Record, TimestampMs, TopicPartition};

use super::command::TableSpan;
use super::event::Coverage;
use super::snapshot::Table;

/// A search in the window. Its hits become a table of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRequest {
    /// Grows with every search; what is told of it carries the number.
    pub number: u64,
    /// The partitions that are searched, sorted, each once.
    pub partitions: Vec<TopicPartition>,
    /// The records that are searched; what comes after the end of the log at the start is not.
    pub span: TableSpan,
    /// What a hit is; without filters every record is one.
    pub filters: Arc<Filters>,
    /// Whose records are looked at.
    pub isolation: Isolation,
    /// Go on at the end for ever, beginning there when `span` is [`TableSpan::All`].
    pub follow: bool,
    /// How parts are decoded for filters that look into them.
    pub decoders: Arc<Decoders>,
}

/// What the person does with a running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchControl {
    /// Begin, though it may cost what was said.
    Begin,
    /// Stop reading until told to go on; what was found stays.
    Pause,
    /// Go on where it stood: after a pause, after it was stopped, or after what is held was full.
    Resume,
    /// Stop for good, keeping what was found.
    Stop,
    /// Read as fast as the bus gives, for the rest of this search.
    FullSpeed,
}

/// Where a search stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SearchStage {
    /// There is none.
    #[default]
    Idle,
    /// Finding out what it may cost.
    Measuring,
    /// It costs enough to ask first.
    Asking,
    /// It reads.
    Running,
    /// It was told to wait.
    Paused,
    /// It has ended; its coverage says where, and by what it was stopped.
    Ended,
    /// It cannot be done at all.
    Failed(Problem),
}

/// What a search may read, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCost {
    /// Topics.
    pub topics: u64,
    /// Partitions.
    pub partitions: u64,
    /// Offsets: as many records, or fewer where there are holes.
    pub offsets: u64,
    /// Bytes, from the mean size of a few records of each topic; `None` when not known.
    pub bytes: Option<u64>,
}

/// A search in the window, as far as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchView {
    /// What is searched for; `None` while there is no search.
    pub request: Option<Arc<SearchRequest>>,
    /// Where it stands.
    pub stage: SearchStage,
    /// What it may read; `None` until it is known.
    pub cost: Option<SearchCost>,
    /// The hits that are held, oldest first. Its request is `None`.
    pub table: Arc<Table>,
    /// Hits in all.
    pub hits: u64,
    /// Hits that are not held any more, or never were, because what may be held is bounded.
    pub not_held: u64,
    /// How many bytes of hits may be held.
    pub held_bytes_at_most: u64,
    /// What was looked at so far.
    pub coverage: Arc<Coverage>,
    /// The earliest and the latest time of what was looked at.
    pub times: Option<(TimestampMs, TimestampMs)>,
    /// Records looked at each second, of late.
    pub records_per_second: u64,
    /// Bytes looked at each second, of late.
    pub bytes_per_second: u64,
    /// How many bytes a second may be read; `None` for as many as the bus gives.
    pub bytes_per_second_at_most: Option<u64>,
    /// For how many milliseconds a second the brokers asked for patience, of late; 0 when they did not.
    pub throttled_ms: u64,
    /// Milliseconds from the start to the first hit; `None` until there is one.
    pub first_hit_ms: Option<u64>,
    /// Milliseconds since the start, pauses left out.
    pub elapsed_ms: u64,
    /// Records on which an expression failed, and how it did on the first of them.
    pub expression_failures: Option<(u64, String)>,
    /// Whether more came than can be seen passing by, so that the table shows a sample of the moment.
    pub is_sampled: bool,
}

/// In which form records are taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON value a line, without loss: what is no text is base64, headers keep their order.
    #[default]
    JsonLines,
    /// A table for other programs. Bytes that are no text are base64, said in a column of their own.
    Csv,
}

/// What is taken away.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportOf {
    /// These records, in this order.
    Records(Vec<Arc<Record>>),
    /// Everything that a search finds, read anew and never held.
    Search(Box<SearchRequest>),
}

/// Records to be written to a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportRequest {
    /// Grows with every export.
    pub number: u64,
    /// What is written.
    pub what: ExportOf,
    /// How it is written.
    pub format: ExportFormat,
    /// Also what key and value were decoded to.
    pub decode: bool,
    /// Where to.
    pub path: PathBuf,
    /// Whether a file that is there may be replaced.
    pub replace: bool,
    /// How parts are decoded.
    pub decoders: Arc<Decoders>,
}

/// Where an export stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ExportStage {
    /// There is none.
    #[default]
    Idle,
    /// It writes.
    Running,
    /// There is such a file already, and it was not to be replaced; nothing was written.
    Exists,
    /// The file is whole.
    Done,
    /// It was given up by the person; nothing is left of the file.
    Cancelled,
    /// It failed; nothing is left of the file.
    Failed(Problem),
}

/// Records on their way to a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportView {
    /// The number of the request.
    pub number: u64,
    /// Where to; empty while there is none.
    pub path: PathBuf,
    /// Where it stands.
    pub stage: ExportStage,
    /// Records written so far.
    pub records: u64,
    /// Bytes written so far.
    pub bytes: u64,
    /// How many there will be at most; `None` when not known.
    pub up_to: Option<u64>,
    /// What was looked at, once a search is through.
    pub coverage: Option<Arc<Coverage>>,
}
