//! What a person may ask for.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::model::time::{format_time, parse_time};
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

/// A target as it is written, where it may name something that has to be read first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A whole target.
    Target(Target),
    /// A table in a file.
    File(PathBuf),
    /// An entry of the journal.
    Journal(String),
}

/// Times before this one were not meant as milliseconds: written as seconds, today's times lie here.
const SECONDS_BEFORE: i64 = 100_000_000_000;

/// Reads a target, and whether a time was written without a zone, so that `zone` decided.
///
/// # Errors
/// What is wrong with `text`, and how it is written.
pub fn parse(text: &str, now: TimestampMs, zone: &TimeZone) -> Result<(Written, bool), String> {
    let target = |target| Ok((Written::Target(target), false));
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    match (name, rest) {
        ("earliest", "") => target(Target::Earliest),
        ("latest", "") => target(Target::Latest),
        ("time", time) => {
            let (at, zone_assumed) = time_of(time, now, zone)?;
            Ok((Written::Target(Target::Time(at)), zone_assumed))
        }
        ("offset", offset) => match offset.parse::<i64>() {
            Ok(offset) if offset >= 0 => target(Target::Offset(Offset(offset))),
            _ => Err(format!("“{offset}” is no offset: write offset:88213")),
        },
        ("shift", by) => match by.parse::<i64>() {
            Ok(by) if by != 0 && by.unsigned_abs() <= i64::MAX.unsigned_abs() => {
                target(Target::Shift(by))
            }
            _ => Err(format!(
                "“{by}” is no number of records: write shift:-500 to go back, shift:+500 to go on"
            )),
        },
        ("group", name) if !name.is_empty() => target(Target::Group(Text::from(name))),
        ("file", path) if !path.is_empty() => Ok((Written::File(PathBuf::from(path)), false)),
        ("journal", id) if !id.is_empty() => Ok((Written::Journal(id.to_owned()), false)),
        ("was-at" | "before", _) => Err(format!(
            "{name}: needs the history of a group's offsets, which is not kept yet"
        )),
        _ => Err(format!(
            "“{text}” is no target: write time:2026-11-30T14:02:00+01:00, time:-90m, offset:N, earliest, latest, shift:-N, group:NAME, file:PATH or journal:ID"
        )),
    }
}

/// Reads a time that is a target. Whole numbers are milliseconds; those that only make sense as seconds are
/// refused, since a place thousands of weeks ago is what nobody means.
///
/// # Errors
/// What is wrong with `text`.
pub fn time_of(
    text: &str,
    now: TimestampMs,
    zone: &TimeZone,
) -> Result<(TimestampMs, bool), String> {
    let parsed = parse_time(text, now, zone)?;
    let number = text.trim().parse::<i64>().ok();
    if number.is_some_and(|ms| ms < 0) {
        return Err(format!("“{text}” is a time before 1970"));
    }
    if number.is_some_and(|ms| ms != 0 && ms < SECONDS_BEFORE) {
        let as_ms = format_time(parsed.at, &TimeZone::UTC);
        let as_seconds = format_time(
            TimestampMs(parsed.at.0.saturating_mul(1_000)),
            &TimeZone::UTC,
        );
        return Err(format!(
            "“{text}” would be {as_ms}, since numbers are milliseconds; if seconds are meant ({as_seconds}), write three more zeros"
        ));
    }
    Ok((parsed.at, parsed.zone_assumed))
}

impl Target {
    /// As it is written, times in UTC.
    pub fn words(&self) -> String {
        match self {
            Self::Time(at) => format!("time:{}", format_time(*at, &TimeZone::UTC)),
            Self::Offset(offset) => format!("offset:{offset}"),
            Self::Earliest => "earliest".to_owned(),
            Self::Latest => "latest".to_owned(),
            Self::Shift(by) => format!("shift:{by:+}"),
            Self::Group(name) => format!("group:{}", name.lossy()),
            Self::Table(rows) => format!("a table of {} partitions", rows.len()),
            Self::Before { id, .. } => format!("journal:{id}"),
        }
    }
}
