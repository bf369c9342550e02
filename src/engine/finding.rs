//! What is asked of the engine, and told by it, about what is missing on a bus.

use std::sync::Arc;

use crate::inspect::gaps::Rules;
use crate::model::{
    Dismissal, Finding, History, HistoryCoverage, Problem, Text, TimestampMs, TopicName,
};

use super::event::{Coverage, Progress};

/// Where the version of an event stands that grows by one for each key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionAt {
    /// In the decoded value, at this path: `.version`.
    Path(String),
    /// In the header of this name.
    Header(String),
}

/// What is looked for. Empty lists of names mean all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GapsRequest {
    /// Only what concerns these topics.
    pub topics: Vec<TopicName>,
    /// Only what concerns these groups; what concerns everyone is left out then.
    pub groups: Vec<Text>,
    /// The time of the first record that is read; 24 hours back when `None`.
    pub from: Option<TimestampMs>,
    /// The end of what is read, not included; the end of the log when `None`.
    pub to: Option<TimestampMs>,
    /// Where events carry a version.
    pub version: Option<VersionAt>,
    /// Where the rules draw their lines.
    pub rules: Rules,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct GapsReply {
    /// The findings, those that cost most first.
    pub findings: Vec<Finding>,
    /// Which records were read.
    pub coverage: Coverage,
    /// How far back the movements of committed offsets are known.
    pub history: HistoryCoverage,
    /// What could not be looked at besides, and why.
    pub missing: Vec<Problem>,
}

/// A finding that has appeared or has cleared.
#[derive(Clone, Debug)]
pub struct FindingChange {
    /// Whether it is new; else it has cleared.
    pub is_new: bool,
    /// The finding.
    pub finding: Finding,
}

/// What is found on the bus in the window, kept up to date.
#[derive(Clone, Debug, Default)]
pub struct FindingsView {
    /// The findings of groups and partitions and of the records that were read, those that cost most first; `None`
    /// until the first look is over.
    pub findings: Option<Arc<Vec<Finding>>>,
    /// When they were last looked for.
    pub looked_at: Option<TimestampMs>,
    /// Those that were put aside, the newest first.
    pub dismissed: Arc<Vec<Dismissal>>,
    /// How committed offsets moved.
    pub history: Arc<History>,
    /// What could not be looked at, and why.
    pub missing: Vec<Problem>,
    /// The reading of records that was asked for, while it runs.
    pub reading: Option<Progress>,
    /// What was read when records were last read for it; `None` until they were.
    pub coverage: Option<Arc<Coverage>>,
    /// Why reading records ended without an answer.
    pub failed: Option<Problem>,
}
