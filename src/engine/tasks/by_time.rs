//! The oldest or newest records by time across partitions, without reading everything.
//!
//! Each partition is read in a window at its end (or beginning) that grows until no partition can hide a
//! record that belongs to the answer. Times may be out of order within a window; where they are out of order
//! over more than a window, the coverage tells how far was looked.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::event::StoppedBy;
use crate::model::{
    Isolation, Known, Offset, PartitionId, Record, TimestampMs, TopicName, TopicPartition,
};

use super::ranges::PartitionRange;
use super::records::{BUDGET, OVERHEAD, Tally};
use super::scan::{Flow, Scanned, scan};

/// A partition's first window holds at least this many offsets.
const FIRST_WINDOW: u64 = 2_000;
/// A window never grows beyond this.
const LARGEST_WINDOW: u64 = 1_000_000;

/// From which end of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Direction {
    /// The oldest records.
    OldestFirst,
    /// The newest records.
    NewestFirst,
}

/// What was found, oldest first.
pub(in crate::engine) struct ByTime {
    pub(in crate::engine) records: Vec<Record>,
    pub(in crate::engine) stopped_by: Option<StoppedBy>,
}

/// Orders records by time, then by place; those without a time come first.
pub(in crate::engine) fn sort_key(
    record: &Record,
) -> (Option<TimestampMs>, TopicName, PartitionId, Offset) {
    (
        record.timestamp,
        Arc::clone(&record.topic),
        record.partition,
        record.offset,
    )
}

/// A record's place in the order of time: its time, or none, which comes before every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(Option<TimestampMs>);

/// One partition's growing window.
struct Window {
    range: PartitionRange,
    /// What of the range was not looked at yet.
    rest: (Offset, Offset),
    /// The time of the record nearest to the rest.
    nearest: Option<Rank>,
}

impl Window {
    fn is_exhausted(&self) -> bool {
        self.rest.0 >= self.rest.1
    }

    /// Takes the next `size` offsets out of the rest.
    fn next(&mut self, size: u64, direction: Direction) -> PartitionRange {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let (low, high) = self.rest;
        let (from, to) = match direction {
            Direction::NewestFirst => (Offset(high.0.saturating_sub(size)).max(low), high),
            Direction::OldestFirst => (low, Offset(low.0.saturating_add(size)).min(high)),
        };
        self.rest = match direction {
            Direction::NewestFirst => (low, from),
            Direction::OldestFirst => (to, high),
        };
        PartitionRange {
            from,
            to,
            ..self.range.clone()
        }
    }
}

/// The oldest or newest `count` records of the partitions in `tally`, whose rows then say what was looked at.
///
/// # Errors
/// Reading cannot go on at all.
pub(in crate::engine) fn windows(
    bus: &dyn Bus,
    tally: &mut Tally,
    count: u64,
    direction: Direction,
    isolation: Isolation,
    cancel: &Cancel,
) -> Known<ByTime> {
    let mut open: BTreeMap<TopicPartition, Window> = tally
        .partitions
        .iter()
        .map(|(at, seen)| {
            let range = seen.range.clone();
            let rest = (range.from, range.to);
            (
                at.clone(),
                Window {
                    range,
                    rest,
                    nearest: None,
                },
            )
        })
        .collect();
    let wanted = usize::try_from(count).unwrap_or(usize::MAX);
    let mut size = count
        .saturating_add(count / 5)
        .saturating_add(50)
        .clamp(FIRST_WINDOW, LARGEST_WINDOW);
    let mut held: Vec<Record> = Vec::new();
    let mut stopped_by = None;
    // Every partition is looked into once, also when it is empty, so that its row says so.
    let mut next: Vec<TopicPartition> = open.keys().cloned().collect();
    while !next.is_empty() && cancel.reason().is_none() && stopped_by.is_none() {
        let ranges: Vec<PartitionRange> = next
            .iter()
            .filter_map(|at| Some(open.get_mut(at)?.next(size, direction)))
            .collect();
        let mut failed = Vec::new();
        let mut bytes: u64 = held
            .iter()
            .map(|record| record.size().saturating_add(OVERHEAD))
            .sum();
        scan(bus, &ranges, isolation, cancel, &mut |scanned| {
            if let Scanned::Failed(at, _) = &scanned {
                failed.push(at.clone());
            }
            if let Some(record) = tally.count(scanned) {
                bytes = bytes.saturating_add(record.size()).saturating_add(OVERHEAD);
                note(&mut open, &record, direction);
                held.push(record);
            }
            if bytes > BUDGET {
                stopped_by = Some(StoppedBy::Budget);
                return Flow::Stop;
            }
            Flow::Continue
        })?;
        for at in failed {
            open.remove(&at);
        }
        held.sort_by_cached_key(sort_key);
        let edge = trim(&mut held, wanted, direction);
        next = open
            .iter()
            .filter(|(_, window)| !window.is_exhausted() && may_hide(window, edge, direction))
            .map(|(at, _)| at.clone())
            .collect();
        size = size.saturating_mul(2).min(LARGEST_WINDOW);
    }
    let left_out = open.values().any(|window| !window.is_exhausted());
    tally.narrow(
        open.into_iter().map(|(at, window)| (at, window.rest)),
        direction,
    );
    if left_out && held.len() >= wanted {
        stopped_by.get_or_insert(StoppedBy::Limit);
    }
    Ok(ByTime {
        records: held,
        stopped_by,
    })
}

/// Notes the time of the record that is nearest to what was not looked at yet.
fn note(open: &mut BTreeMap<TopicPartition, Window>, record: &Record, direction: Direction) {
    let at = TopicPartition {
        topic: Arc::clone(&record.topic),
        partition: record.partition,
    };
    if let Some(window) = open.get_mut(&at) {
        let time = Rank(record.timestamp);
        window.nearest = Some(match (window.nearest, direction) {
            (None, _) => time,
            (Some(nearest), Direction::NewestFirst) => nearest.min(time),
            (Some(nearest), Direction::OldestFirst) => nearest.max(time),
        });
    }
}

/// Keeps the `wanted` oldest or newest of `held` (oldest first) and returns the time at the edge; `None` when
/// there are fewer than wanted.
fn trim(held: &mut Vec<Record>, wanted: usize, direction: Direction) -> Option<Rank> {
    if held.len() < wanted {
        return None;
    }
    match direction {
        Direction::OldestFirst => {
            held.truncate(wanted);
            held.last().map(|record| Rank(record.timestamp))
        }
        Direction::NewestFirst => {
            let surplus = held.len().saturating_sub(wanted);
            held.drain(..surplus);
            held.first().map(|record| Rank(record.timestamp))
        }
    }
}

/// Whether what was not looked at in `window` may hold a record that belongs to the answer.
fn may_hide(window: &Window, edge: Option<Rank>, direction: Direction) -> bool {
    match (edge, window.nearest) {
        (None, _) | (_, None) => true,
        (Some(edge), Some(nearest)) => match direction {
            Direction::NewestFirst => Reverse(nearest) < Reverse(edge),
            Direction::OldestFirst => nearest < edge,
        },
    }
}
