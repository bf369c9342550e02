//! The oldest or newest records by time across partitions, without reading everything.
//!
//! Each partition is read in a window at its end (or beginning) that grows until no partition can hide a
//! record that belongs to the answer. Times may be out of order within a window; where they are out of order
//! over more than a window, the coverage tells how far was looked.

use std::collections::{BTreeMap, VecDeque};
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
/// How many records nearest to what was not looked at decide whether to go on.
const NEAR: usize = 100;
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

/// The time of the last record that belongs to the answer, or none, which comes before every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge(Option<TimestampMs>);

/// One partition's growing window.
struct Window {
    range: PartitionRange,
    /// What of the range was not looked at yet.
    rest: (Offset, Offset),
    /// Times of the records nearest to the rest, as far as they carry one.
    near: VecDeque<TimestampMs>,
}

impl Window {
    fn is_exhausted(&self) -> bool {
        self.rest.0 >= self.rest.1
    }

    /// Takes the next `size` offsets out of the rest.
    fn next(&mut self, size: u64, direction: Direction) -> PartitionRange {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        self.near.clear();
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
                    near: VecDeque::new(),
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
    let mut surplus = BTreeMap::new();
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
        let edge = trim(&mut held, wanted, direction, &mut surplus);
        next = open
            .iter()
            .filter(|(_, window)| !window.is_exhausted() && may_hide(window, edge, direction))
            .map(|(at, _)| at.clone())
            .collect();
        size = size.saturating_mul(2).min(LARGEST_WINDOW);
    }
    let left_out = open.values().any(|window| !window.is_exhausted());
    let rests = open.into_iter().map(|(at, window)| (at, window.rest));
    tally.narrow(rests, direction, &surplus);
    if held.len() >= wanted && (left_out || !surplus.is_empty()) {
        stopped_by.get_or_insert(StoppedBy::Limit);
    }
    Ok(ByTime {
        records: held,
        stopped_by,
    })
}

/// Notes the time of a record if it is one of those nearest to what was not looked at yet.
fn note(open: &mut BTreeMap<TopicPartition, Window>, record: &Record, direction: Direction) {
    let at = TopicPartition {
        topic: Arc::clone(&record.topic),
        partition: record.partition,
    };
    let (Some(window), Some(time)) = (open.get_mut(&at), record.timestamp) else {
        return;
    };
    match direction {
        Direction::NewestFirst if window.near.len() >= NEAR => {}
        Direction::NewestFirst => window.near.push_back(time),
        Direction::OldestFirst => {
            window.near.push_back(time);
            if window.near.len() > NEAR {
                window.near.pop_front();
            }
        }
    }
}

/// Keeps the `wanted` oldest or newest of `held` (oldest first) and returns the one at the edge; `None` when
/// there are fewer than wanted. The first offset of each partition that was read and is not among the oldest
/// wanted goes to `surplus`.
fn trim(
    held: &mut Vec<Record>,
    wanted: usize,
    direction: Direction,
    surplus: &mut BTreeMap<TopicPartition, Offset>,
) -> Option<Edge> {
    if held.len() < wanted {
        return None;
    }
    match direction {
        Direction::OldestFirst => {
            for record in held.drain(wanted..) {
                let at = TopicPartition {
                    topic: record.topic,
                    partition: record.partition,
                };
                let first = surplus.entry(at).or_insert(record.offset);
                *first = record.offset.min(*first);
            }
            held.last().map(|record| Edge(record.timestamp))
        }
        Direction::NewestFirst => {
            let surplus = held.len().saturating_sub(wanted);
            held.drain(..surplus);
            held.first().map(|record| Edge(record.timestamp))
        }
    }
}

/// Whether what was not looked at in `window` may hold a record that belongs to the answer. Times need not be
/// in order, so of the records nearest to the rest the one that speaks most for going on decides.
fn may_hide(window: &Window, edge: Option<Edge>, direction: Direction) -> bool {
    let nearest = match direction {
        Direction::NewestFirst => window.near.iter().max(),
        Direction::OldestFirst => window.near.iter().min(),
    };
    match (edge, nearest) {
        (None, _) | (_, None) => true,
        (Some(edge), Some(nearest)) => match direction {
            Direction::NewestFirst => Edge(Some(*nearest)) > edge,
            Direction::OldestFirst => Edge(Some(*nearest)) < edge,
        },
    }
}

#[cfg(test)]
mod tests;
