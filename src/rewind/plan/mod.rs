//! From where to where each partition moves, and what that means.
//!
//! - `scope`: which partitions are meant;
//! - `row`: the rules by which a row comes to its place, and what a person must be told of it.

mod row;
mod scope;

#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;

pub use scope::{named_topics, scope};

use std::collections::BTreeSet;

use bytes::Bytes;
use uuid::Uuid;

use crate::model::{Bookmark, Known, Move, Offset, Problem, Text, TimestampMs, TopicPartition};

use super::guard::{Guard, Outcome};
use super::target::{PlanRequest, Target};

/// What is known of one partition before its row is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFacts {
    /// The topic's present id.
    pub topic_id: Option<String>,
    /// The first offset that can still be read.
    pub log_start: Known<Offset>,
    /// The offset that the next record will get.
    pub end: Known<Offset>,
    /// The group's bookmark; `Ok(None)` when it never committed here.
    pub committed: Known<Option<Bookmark>>,
    /// What the target came to, for a target that had to be asked about; ignored for all others.
    pub aim: Option<Known<Aim>>,
    /// `retention.ms` of the topic, negative for none; `None` when it is not known.
    pub retention_ms: Option<i64>,
}

/// What a target came to in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The first offset at or after the time.
    Found(Offset),
    /// No record is at or after the time.
    NoLaterRecord,
    /// The other group's bookmark; `None` when it never committed here.
    Bookmark(Option<Bookmark>),
}

/// One partition of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The partition.
    pub at: TopicPartition,
    /// The topic's id when the plan was made.
    pub topic_id: Option<String>,
    /// Where the group stands; `Ok(None)` when it never committed here.
    pub from: Known<Option<Bookmark>>,
    /// What it gets; `Ok(None)` when its bookmark is deleted. An error: the row stays where it is, and why.
    pub to: Known<Option<Bookmark>>,
    /// The log start when the plan was made.
    pub log_start: Known<Offset>,
    /// The end of the log when the plan was made.
    pub end: Known<Offset>,
    /// `retention.ms` of the topic, negative for none; `None` when it is not known.
    pub retention_ms: Option<i64>,
    /// What lies between the two places, as far as it is known.
    pub contents: Contents,
    /// What a person must be told.
    pub warnings: Vec<Warning>,
}

/// The direction in which a row moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Records run again.
    Back,
    /// Records are passed without being read.
    Skip,
    /// The bookmark is where it should be, or stays because the row cannot be resolved.
    Stay,
    /// A bookmark is set where none was: nothing is known to run again.
    Begin,
    /// The bookmark is deleted: where the group goes on is for its own settings to say.
    Delete,
}

/// What lies between the two places of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Records, or how many offsets there are at most.
    pub records: u64,
    /// Whether `records` was counted, record by record.
    pub exact: bool,
    /// Records among them that careful readers are not given, when they were counted.
    pub withdrawn: u64,
    /// Whether the times among them go back somewhere; `None` when not known.
    pub out_of_order: Option<bool>,
    /// The first record: time and key, as far as they were read.
    pub first: Option<Edge>,
    /// The last record.
    pub last: Option<Edge>,
    /// Whether they were looked at: what is not known then will not be known by waiting.
    pub looked_at: bool,
    /// Why the records could not be read.
    pub problem: Option<Problem>,
}

/// A record at an edge of what runs again or is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its time; `None` when it carries none.
    pub at: Option<TimestampMs>,
    /// Its key; `None` is null.
    pub key: Option<Bytes>,
}

/// What a person must be told of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Of which kind.
    pub kind: WarningKind,
    /// In a sentence.
    pub detail: String,
    /// Whether it follows from the target, which stays, and not from where the group stands.
    pub of_target: bool,
}

/// Kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// No record is at or after the time: the row goes to the end.
    NoLaterRecord,
    /// Records are passed without being read.
    Skip,
    /// The group has no bookmark here.
    NoBookmark,
    /// Some offsets of the stretch hold no record, or none that every reader is given.
    Holes,
    /// The bookmark lies before the log start: records between the two are deleted.
    BelowLogStart,
    /// The bookmark lies beyond the end of the log.
    BeyondEnd,
    /// Times are not in order, so a target by time may miss records before it.
    OutOfOrder,
}

/// A whole plan for one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The group.
    pub group: Text,
    /// What was asked for, in words.
    pub target: String,
    /// Every partition in scope, by topic and partition.
    pub rows: Vec<Row>,
    /// Parts that cannot be planned at all: a topic that is not there, say.
    pub problems: Vec<Problem>,
    /// When what it rests on was read.
    pub read_at: TimestampMs,
    /// Whether the group comes into being by it.
    pub new_group: bool,
    /// The journal entry that it undoes.
    pub undoes: Option<String>,
}

/// One partition in scope, with its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The partition.
    pub at: TopicPartition,
    /// Where to.
    pub target: Target,
}

/// What a plan comes to over all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records that run again, or how many offsets there are at most.
    pub again: u64,
    /// Whether that was counted.
    pub again_exact: bool,
    /// Records that are passed without being read, or how many offsets there are at most.
    pub skipped: u64,
    /// Whether that was counted.
    pub skipped_exact: bool,
    /// Rows that change.
    pub changed: usize,
    /// Rows that are where they should be.
    pub in_place: usize,
    /// Rows that stay because they cannot be resolved.
    pub unresolved: usize,
}

impl WarningKind {
    /// As it is written for scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoLaterRecord => "no_later_record",
            Self::Skip => "skip",
            Self::NoBookmark => "no_bookmark",
            Self::Holes => "holes",
            Self::BelowLogStart => "below_log_start",
            Self::BeyondEnd => "beyond_end",
            Self::OutOfOrder => "out_of_order",
        }
    }
}

/// Under which digests of plans are made; any fixed value would do.
const PLANS: Uuid = Uuid::from_u128(0x0b7e_93c4_5d1f_4a86_9e02_71de_11fe_0001);

impl Plan {
    /// The plan of `rows`, which are put in order.
    pub fn new(
        request: &PlanRequest,
        mut rows: Vec<Row>,
        problems: Vec<Problem>,
        read_at: TimestampMs,
    ) -> Self {
        rows.sort_by(|a, b| a.at.cmp(&b.at));
        let words: BTreeSet<String> = request
            .parts
            .iter()
            .map(|part| part.target.words())
            .collect();
        let words: Vec<String> = words.into_iter().collect();
        Self {
            group: request.group.clone(),
            target: words.join(", "),
            rows,
            problems,
            read_at,
            new_group: request.new_group,
            undoes: request.undoes.clone(),
        }
    }

    /// What is to be written: the rows that change.
    pub fn moves(&self) -> Vec<Move> {
        self.rows
            .iter()
            .filter(|row| row.changes())
            .filter_map(|row| {
                Some(Move {
                    at: row.at.clone(),
                    to: row.to.clone().ok()?,
                })
            })
            .collect()
    }

    /// A digest of what is asked for: the group, every partition in scope with its place, and what has to be
    /// confirmed. The same on every machine. What members commit meanwhile does not change it, and neither do
    /// records that are added behind a row that goes to the end of its log. A time is in it by the places it led
    /// to: a duration back means another moment each time, and mostly the same places.
    pub fn id(&self, guards: &[Guard]) -> String {
        let mut said: Vec<u8> = Vec::new();
        let mut say = |part: &[u8]| {
            said.extend(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            said.extend(part);
        };
        say(self.group.as_bytes());
        for word in self.target.split(", ") {
            if !word.starts_with("time:") {
                say(word.as_bytes());
            }
        }
        say(&[u8::from(self.new_group)]);
        say(self.undoes.as_deref().unwrap_or_default().as_bytes());
        for row in &self.rows {
            say(row.at.topic.as_bytes());
            say(&row.at.partition.0.to_be_bytes());
            match &row.to {
                Err(_) => say(b"stays"),
                Ok(None) => say(b"none"),
                Ok(Some(to)) if self.means_the_end(row, to.offset) => say(b"end"),
                Ok(Some(to)) => {
                    say(&to.offset.0.to_be_bytes());
                    say(to.metadata.as_bytes());
                }
            }
        }
        for guard in guards {
            if guard.outcome == Outcome::Confirm {
                say(guard.kind.name().as_bytes());
            }
        }
        Uuid::new_v5(&PLANS, &said).to_string()
    }

    /// Whether a row goes to the end of its log because that is what was asked for, or what a time came to.
    fn means_the_end(&self, row: &Row, to: Offset) -> bool {
        let no_later = |warning: &Warning| warning.kind == WarningKind::NoLaterRecord;
        let latest = || self.target.split(", ").any(|word| word == "latest");
        row.end.as_ref() == Ok(&to) && (row.warnings.iter().any(no_later) || latest())
    }

    /// What it comes to.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals {
            again_exact: true,
            skipped_exact: true,
            ..Totals::default()
        };
        for row in &self.rows {
            let contents = &row.contents;
            match row.direction() {
                Direction::Back => {
                    totals.again = totals.again.saturating_add(contents.records);
                    totals.again_exact &= contents.exact;
                }
                Direction::Skip => {
                    totals.skipped = totals.skipped.saturating_add(contents.records);
                    totals.skipped_exact &= contents.exact;
                }
                Direction::Stay | Direction::Begin | Direction::Delete => {}
            }
            if row.changes() {
                totals.changed = totals.changed.saturating_add(1);
            } else if row.to.is_err() {
                totals.unresolved = totals.unresolved.saturating_add(1);
            } else {
                totals.in_place = totals.in_place.saturating_add(1);
            }
        }
        totals
    }
}
