//! Reading ranges of records, and what careful readers see of them.
//!
//! librdkafka does not say whether a record was withdrawn. So the same range is read twice side by side,
//! once with each isolation level: a record that the careful reader passes without seeing it was aborted; one
//! at or beyond the last stable offset lies in an open transaction, or behind one.
//!
//! Memory is bounded: what waits in the two readers' queues ([`MEMORY`] says how much they may fetch ahead),
//! [`WAITING`] bytes of records that the careful reader has not judged yet, and [`AHEAD`] offsets that it has
//! passed before they came.

mod named;

pub(in crate::engine) use named::scan;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use crate::bus::{Bus, ReadEvent, ReadPlan, ReadRange, Reader};
use crate::engine::cancel::Cancel;
use crate::model::{
    Isolation, Known, Offset, Problem, ProblemKind, Record, TopicPartition, Visibility,
};

use super::ranges::PartitionRange;

/// How long nothing may come before the partitions still open are given up.
const PATIENCE: Duration = Duration::from_secs(6);
/// How long one turn waits for records.
const TURN: Duration = Duration::from_millis(50);
/// How many bytes of records may wait for the careful reader before the other one is held back.
const WAITING: u64 = 16 * 1024 * 1024;
/// How many offsets the careful reader may be ahead of the other one, in all.
const AHEAD: usize = 100_000;
/// How much may wait in a reader's queues, in bytes.
const MEMORY: u64 = 32 * 1024 * 1024;
/// What a held record costs beside its own bytes.
pub(super) const OVERHEAD: u64 = 300;
/// Ranges with fewer offsets than this in all are read in small portions.
const FEW: u64 = 5_000;

/// Something found while reading.
#[derive(Debug)]
pub(in crate::engine) enum Scanned {
    /// The next record of its partition.
    Record(Record),
    /// The partition is read to the end of its range.
    Complete(TopicPartition),
    /// The partition cannot be read further.
    Failed(TopicPartition, Problem),
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Flow {
    /// Yes.
    Continue,
    /// No.
    Stop,
}

/// Reads `ranges`, each of another partition, from beginning to end and hands what is found to `sink` until it
/// says stop, everything is read, or `cancel` says so. Blocks.
fn read_whole(
    bus: &dyn Bus,
    ranges: &[PartitionRange],
    isolation: Isolation,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Scanned) -> Flow,
) -> Known<()> {
    let offsets: u64 = ranges
        .iter()
        .filter_map(|range| range.to.since(range.from))
        .sum();
    let memory_bytes = if offsets < FEW { 0 } else { MEMORY };
    let plan = |isolation, ranges| ReadPlan {
        ranges,
        isolation,
        memory_bytes,
    };
    let mut reader = bus.read(&plan(
        isolation,
        ranges.iter().map(|range| part(range, range.to)).collect(),
    ))?;
    let mut judge = match isolation {
        Isolation::ReadCommitted => None,
        Isolation::ReadUncommitted => {
            let careful = ranges.iter().filter_map(|range| {
                let stable = range.last_stable.as_ref().ok()?;
                Some(part(range, range.to.min(*stable)))
            });
            Some(Judge::new(
                ranges,
                bus.read(&plan(Isolation::ReadCommitted, careful.collect()))?,
            ))
        }
    };
    let mut open: HashSet<TopicPartition> = ranges.iter().map(|range| range.at.clone()).collect();
    let mut events = Vec::new();
    let mut last = Instant::now();
    while cancel.reason().is_none() {
        let held_back = judge.as_ref().is_some_and(|judge| judge.weight > WAITING);
        if !open.is_empty() && !held_back {
            reader.poll(TURN, &mut events)?;
        }
        let mut found = Vec::new();
        let mut moved = !events.is_empty();
        for event in events.drain(..) {
            let ended = match &event {
                ReadEvent::Record(_) => None,
                ReadEvent::Complete { at, .. } | ReadEvent::Failed { at, .. } => Some(at.clone()),
            };
            if let Some(at) = ended {
                open.remove(&at);
            }
            match &mut judge {
                Some(judge) => judge.hold(event),
                None => found.push(plainly(event)),
            }
        }
        if let Some(judge) = &mut judge {
            moved |= judge.turn(&mut found)?;
        }
        for scanned in found {
            if sink(scanned) == Flow::Stop {
                return Ok(());
            }
        }
        if moved {
            last = Instant::now();
        }
        let waiting = judge.as_ref().is_some_and(|judge| !judge.is_done());
        if open.is_empty() && !waiting {
            return Ok(());
        }
        if last.elapsed() > PATIENCE {
            give_up(&mut open, judge.as_mut(), sink);
            return Ok(());
        }
    }
    Ok(())
}

fn part(range: &PartitionRange, to: Offset) -> ReadRange {
    ReadRange {
        at: range.at.clone(),
        from: range.from,
        to: Some(to.max(range.from)),
    }
}

/// Without a careful reader beside it: what is read is what careful readers see.
fn plainly(event: ReadEvent) -> Scanned {
    match event {
        ReadEvent::Record(record) => Scanned::Record(Record {
            visibility: Visibility::Committed,
            ..record
        }),
        ReadEvent::Complete { at, .. } => Scanned::Complete(at),
        ReadEvent::Failed { at, problem } => Scanned::Failed(at, problem),
    }
}

/// Ends what is still open: nothing came for too long.
fn give_up(
    open: &mut HashSet<TopicPartition>,
    judge: Option<&mut Judge>,
    sink: &mut dyn FnMut(Scanned) -> Flow,
) {
    let problem = || {
        Problem::new(
            ProblemKind::TimedOut,
            format!("nothing came within {} s", PATIENCE.as_secs()),
        )
    };
    let mut rest = Vec::new();
    if let Some(judge) = judge {
        judge.release_unjudged(&mut rest);
    }
    let mut lost: Vec<TopicPartition> = open.drain().collect();
    lost.sort();
    rest.extend(lost.into_iter().map(|at| Scanned::Failed(at, problem())));
    for scanned in rest {
        if sink(scanned) == Flow::Stop {
            return;
        }
    }
}

/// Holds records back until the careful reader has been there.
struct Judge {
    careful: Box<dyn Reader>,
    lanes: BTreeMap<TopicPartition, Lane>,
    waiting: usize,
    /// Bytes of the records that wait.
    weight: u64,
    events: Vec<ReadEvent>,
}

/// One partition of a [`Judge`].
struct Lane {
    held: VecDeque<ReadEvent>,
    /// Offsets the careful reader saw and whose records have not come yet or are held.
    seen: VecDeque<Offset>,
    /// Everything before this offset has been judged by the careful reader.
    judged_to: Offset,
    stable: Option<Offset>,
    /// Whether the careful reader is through.
    done: bool,
    /// Whether the careful reader failed, so that nothing more can be told.
    blind: bool,
}

impl Judge {
    fn new(ranges: &[PartitionRange], careful: Box<dyn Reader>) -> Self {
        let lanes = ranges.iter().map(|range| {
            let stable = range.last_stable.as_ref().ok().copied();
            let lane = Lane {
                held: VecDeque::new(),
                seen: VecDeque::new(),
                judged_to: range.from,
                stable,
                done: stable.is_none(),
                blind: stable.is_none(),
            };
            (range.at.clone(), lane)
        });
        Self {
            lanes: lanes.collect(),
            careful,
            waiting: 0,
            weight: 0,
            events: Vec::new(),
        }
    }

    fn hold(&mut self, event: ReadEvent) {
        let at = match &event {
            ReadEvent::Record(record) => record.at(),
            ReadEvent::Complete { at, .. } | ReadEvent::Failed { at, .. } => at.clone(),
        };
        if let Some(lane) = self.lanes.get_mut(&at) {
            self.weight = self.weight.saturating_add(weight(&event));
            lane.held.push_back(event);
            self.waiting = self.waiting.saturating_add(1);
        }
    }

    /// Lets the careful reader go on and releases what it has judged. Says whether anything moved.
    fn turn(&mut self, found: &mut Vec<Scanned>) -> Known<bool> {
        let undecided = self.lanes.values().any(|lane| !lane.done);
        let ahead: usize = self.lanes.values().map(|lane| lane.seen.len()).sum();
        // With nothing held there is nothing to judge, and the other reader is the one to wait for.
        let wait = if self.waiting == 0 {
            Duration::ZERO
        } else {
            TURN
        };
        // While records wait, the other reader may be held back until the careful one has been there.
        if undecided && (self.waiting > 0 || ahead <= AHEAD) {
            self.careful.poll(wait, &mut self.events)?;
        }
        let mut moved = !self.events.is_empty();
        for event in self.events.drain(..) {
            match event {
                ReadEvent::Record(record) => {
                    let at = record.at();
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.seen.push_back(record.offset);
                        lane.judged_to = record.offset.next();
                    }
                }
                ReadEvent::Complete { at, .. } => {
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.done = true;
                    }
                }
                ReadEvent::Failed { at, .. } => {
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.done = true;
                        lane.blind = true;
                    }
                }
            }
        }
        for lane in self.lanes.values_mut() {
            let before = found.len();
            lane.release(found);
            let released = found.len().saturating_sub(before);
            self.waiting = self.waiting.saturating_sub(released);
            for scanned in found.iter().skip(before) {
                if let Scanned::Record(record) = scanned {
                    self.weight = self.weight.saturating_sub(cost(record));
                }
            }
            moved |= released > 0;
        }
        Ok(moved)
    }

    fn is_done(&self) -> bool {
        self.waiting == 0
    }

    /// Releases everything that is held, as far as it cannot be judged with unknown visibility.
    fn release_unjudged(&mut self, found: &mut Vec<Scanned>) {
        for lane in self.lanes.values_mut() {
            lane.done = true;
            lane.blind = true;
            lane.release(found);
        }
        self.waiting = 0;
        self.weight = 0;
    }
}

/// About how much memory a record takes.
pub(super) fn cost(record: &Record) -> u64 {
    record.size().saturating_add(OVERHEAD)
}

fn weight(event: &ReadEvent) -> u64 {
    match event {
        ReadEvent::Record(record) => cost(record),
        ReadEvent::Complete { .. } | ReadEvent::Failed { .. } => 0,
    }
}

impl Lane {
    fn release(&mut self, found: &mut Vec<Scanned>) {
        while let Some(event) = self.held.front() {
            let visibility = match event {
                ReadEvent::Record(record) => match self.judge(record.offset) {
                    Some(visibility) => visibility,
                    None => return,
                },
                _ => Visibility::Unknown,
            };
            match self.held.pop_front() {
                Some(ReadEvent::Record(record)) => found.push(Scanned::Record(Record {
                    visibility,
                    ..record
                })),
                Some(other) => found.push(plainly(other)),
                None => return,
            }
        }
    }

    /// What careful readers make of the record at `offset`; `None` while the careful reader has not been there.
    fn judge(&mut self, offset: Offset) -> Option<Visibility> {
        while self.seen.front().is_some_and(|seen| *seen < offset) {
            self.seen.pop_front();
        }
        if self.seen.front() == Some(&offset) {
            return Some(Visibility::Committed);
        }
        if self.stable.is_some_and(|stable| offset >= stable) {
            return Some(Visibility::Open);
        }
        if offset < self.judged_to {
            return Some(Visibility::Aborted);
        }
        if !self.done {
            return None;
        }
        Some(if self.blind {
            Visibility::Unknown
        } else {
            Visibility::Aborted
        })
    }
}

#[cfg(test)]
mod tests;
