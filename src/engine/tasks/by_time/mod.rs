//! The oldest or newest records by time across partitions, without reading everything.
//!
//! Each partition is read in a window at its end (or beginning) that grows until no partition can hide a
//! record that belongs to the answer. Times may be out of order within a window. Where they are out of order
//! over more than a window, the bus is asked whether a newer record lies further back (see [`doubts`]); of
//! older ones the coverage tells how far was looked.

mod doubts;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::bus::Bus;
use crate::engine::event::StoppedBy;
use crate::model::{
    Isolation, Known, Offset, PartitionId, Record, TimestampMs, TopicName, TopicPartition,
};

use super::hunt::{Control, Look};
use super::ranges::PartitionRange;
use super::records::{BUDGET, Tally};
use super::scan::{Flow, Scanned, cost, scan};

/// A partition's first window holds at least this many offsets, fewer where there are more than fifty partitions.
const FIRST_WINDOW: u64 = 2_000;
/// How many records nearest to what was not looked at decide whether to go on.
const NEAR: usize = 100;
/// A window never grows beyond this.
const LARGEST_WINDOW: u64 = 1_000_000;
/// After how many bytes it is looked whether reading was too fast.
const PORTION: u64 = 256 * 1024;
/// How many records beyond twice those wanted are held before the worst are let go.
const ROOM: usize = 10_000;

/// From which end of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// How many offsets each partition's first window holds when `count` records are wanted of `partitions`: with
/// many partitions few of each, because most of them have none of the records wanted.
fn first_window(count: u64, partitions: usize) -> u64 {
    let partitions = u64::try_from(partitions.max(1)).unwrap_or(u64::MAX);
    let least = (FIRST_WINDOW.saturating_mul(50) / partitions).clamp(20, FIRST_WINDOW);
    let wanted = count.saturating_add(count / 5).saturating_add(50);
    let share = wanted.min(wanted.saturating_mul(4) / partitions);
    share.max(least).min(LARGEST_WINDOW)
}

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

    /// The `size` offsets of the rest that are next; all of it when only some offsets are meant at all.
    fn next(&mut self, size: u64, direction: Direction) -> PartitionRange {
        self.near.clear();
        let size = match self.range.named {
            None => i64::try_from(size).unwrap_or(i64::MAX),
            Some(_) => i64::MAX,
        };
        let (low, high) = self.rest;
        match direction {
            Direction::NewestFirst => self.part(Offset(high.0.saturating_sub(size)).max(low), high),
            Direction::OldestFirst => self.part(low, Offset(low.0.saturating_add(size)).min(high)),
        }
    }

    fn part(&self, from: Offset, to: Offset) -> PartitionRange {
        PartitionRange {
            from,
            to,
            ..self.range.clone()
        }
    }

    /// Takes `part`, which was looked at, out of the rest.
    fn looked_at(&mut self, part: &PartitionRange, direction: Direction) {
        match direction {
            Direction::NewestFirst => self.rest.1 = part.from,
            Direction::OldestFirst => self.rest.0 = part.to,
        }
    }
}

/// What holds for all that is read.
pub(in crate::engine) struct Terms<'a> {
    pub(in crate::engine) isolation: Isolation,
    pub(in crate::engine) look: &'a Look,
    pub(in crate::engine) control: &'a Control,
    /// Stop when so many bytes were read.
    pub(in crate::engine) max_bytes: Option<u64>,
}

/// A search under way.
struct Search<'a> {
    bus: &'a dyn Bus,
    terms: &'a Terms<'a>,
    direction: Direction,
    wanted: usize,
    open: BTreeMap<TopicPartition, Window>,
    /// The best so far.
    held: Vec<Record>,
    /// Of each partition the first offset that was read and is not held.
    surplus: BTreeMap<TopicPartition, Offset>,
    /// The record at the edge of the answer; `None` while there are fewer than wanted.
    edge: Option<Edge>,
    stopped_by: Option<StoppedBy>,
}

/// The oldest or newest `count` records of the partitions in `tally`, whose rows then say what was looked at.
/// Blocks; called on a thread of the runtime that may block.
///
/// # Errors
/// Reading cannot go on at all.
pub(in crate::engine) fn windows(
    bus: &dyn Bus,
    tally: &mut Tally,
    count: u64,
    direction: Direction,
    terms: &Terms<'_>,
) -> Known<ByTime> {
    let window = |range: &PartitionRange| Window {
        range: range.clone(),
        rest: (range.from, range.to),
        near: VecDeque::new(),
    };
    let mut search = Search {
        bus,
        terms,
        direction,
        wanted: usize::try_from(count).unwrap_or(usize::MAX),
        open: tally
            .partitions
            .iter()
            .map(|(at, seen)| (at.clone(), window(&seen.range)))
            .collect(),
        held: Vec::new(),
        surplus: BTreeMap::new(),
        edge: None,
        stopped_by: None,
    };
    if count > 0 {
        search.widen(tally, count)?;
        if direction == Direction::NewestFirst {
            search.follow_doubts(tally)?;
        }
    } else if direction == Direction::NewestFirst {
        tally.ask_nothing();
    }
    let left_out = search.open.values().any(|window| !window.is_exhausted());
    let rests = search
        .open
        .into_iter()
        .map(|(at, window)| (at, window.rest));
    tally.narrow(rests, direction, &search.surplus);
    let mut stopped_by = search.stopped_by;
    if search.held.len() >= search.wanted && (left_out || !search.surplus.is_empty()) {
        stopped_by.get_or_insert(StoppedBy::Limit);
    }
    Ok(ByTime {
        records: search.held,
        stopped_by,
    })
}

impl Search<'_> {
    /// Reads growing windows until none can hide a record that belongs to the answer, as far as the records
    /// near its edge tell.
    fn widen(&mut self, tally: &mut Tally, count: u64) -> Known<()> {
        let mut size = first_window(count, self.open.len());
        // Every partition is looked into once, also when it is empty, so that its row says so.
        let mut next: Vec<TopicPartition> = self.open.keys().cloned().collect();
        while !next.is_empty() && self.stopped_by.is_none() {
            let direction = self.direction;
            let parts: Vec<PartitionRange> = next
                .iter()
                .filter_map(|at| Some(self.open.get_mut(at)?.next(size, direction)))
                .collect();
            for part in self.read(tally, parts)? {
                if let Some(window) = self.open.get_mut(&part.at) {
                    window.looked_at(&part, direction);
                }
            }
            next = self
                .open
                .iter()
                .filter(|(_, window)| {
                    !window.is_exhausted() && may_hide(window, self.edge, direction)
                })
                .map(|(at, _)| at.clone())
                .collect();
            size = size.saturating_mul(2).min(LARGEST_WINDOW);
        }
        Ok(())
    }

    /// Reads `parts`, keeps the best records, and returns the parts that were read to their end.
    fn read(
        &mut self,
        tally: &mut Tally,
        parts: Vec<PartitionRange>,
    ) -> Known<Vec<PartitionRange>> {
        let Self {
            bus,
            terms,
            direction,
            wanted,
            open,
            held,
            surplus,
            stopped_by,
            ..
        } = self;
        let (direction, wanted) = (*direction, *wanted);
        let full = wanted.saturating_mul(2).saturating_add(ROOM);
        let weigh = |held: &[Record]| held.iter().map(cost).sum();
        let mut bytes: u64 = weigh(held);
        let (mut whole, mut failed) = (BTreeSet::new(), BTreeSet::new());
        let cancel = &terms.control.cancel;
        let mut unpaid = 0_u64;
        scan(*bus, &parts, terms.isolation, cancel, &mut |scanned| {
            match &scanned {
                Scanned::Record(record) => {
                    unpaid = unpaid.saturating_add(record.size());
                    if unpaid > PORTION {
                        terms.control.rest(unpaid, Duration::ZERO);
                        unpaid = 0;
                    }
                }
                Scanned::Passed(_) => {}
                Scanned::Complete(at) => {
                    whole.insert(at.clone());
                }
                Scanned::Failed(at, _) => {
                    failed.insert(at.clone());
                }
            }
            if let Some(record) = tally.count(scanned) {
                note(open, &record, direction);
                if terms.look.passes(&record) {
                    bytes = bytes.saturating_add(cost(&record));
                    held.push(record);
                }
            }
            if terms.max_bytes.is_some_and(|most| tally.bytes >= most) {
                *stopped_by = Some(StoppedBy::Budget);
                return Flow::Stop;
            }
            if held.len() >= full {
                trim(held, wanted, direction, surplus);
                bytes = weigh(held);
            }
            if bytes > BUDGET {
                *stopped_by = Some(StoppedBy::Budget);
                return Flow::Stop;
            }
            Flow::Continue
        })?;
        for at in &failed {
            open.remove(at);
        }
        self.edge = trim(held, wanted, direction, surplus);
        let all = parts.len();
        let read: Vec<PartitionRange> = parts
            .into_iter()
            .filter(|part| whole.contains(&part.at))
            .collect();
        if read.len().saturating_add(failed.len()) < all && self.stopped_by.is_none() {
            self.stopped_by = self
                .terms
                .control
                .cancel
                .reason()
                .or(Some(StoppedBy::Error));
        }
        Ok(read)
    }
}

/// Notes the time of a record if it is one of those nearest to what was not looked at yet.
fn note(open: &mut BTreeMap<TopicPartition, Window>, record: &Record, direction: Direction) {
    let at = record.at();
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

/// Keeps the `wanted` oldest or newest of `held`, each once and oldest first, and returns the one at the edge;
/// `None` when there are fewer than wanted. The first offset of each partition that was read and is not among
/// the oldest wanted goes to `surplus`.
fn trim(
    held: &mut Vec<Record>,
    wanted: usize,
    direction: Direction,
    surplus: &mut BTreeMap<TopicPartition, Offset>,
) -> Option<Edge> {
    held.sort_by_cached_key(sort_key);
    held.dedup_by(|a, b| a.offset == b.offset && a.partition == b.partition && a.topic == b.topic);
    if held.len() < wanted {
        return None;
    }
    match direction {
        Direction::OldestFirst => {
            for record in held.drain(wanted..) {
                let at = record.at();
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
