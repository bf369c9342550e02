//! Reading ranges of records, and what careful readers see of them.
//!
//! librdkafka does not say whether a record was withdrawn. So the same range is read twice side by side,
//! once with each isolation level: a record that the careful reader passes without seeing it was aborted; one
//! at or beyond the last stable offset lies in an open transaction, or behind one.
//!
//! Memory is bounded: what waits in the two readers' queues (see [`Appetite::Many`]),
//! [`WAITING`] bytes of records that the careful reader has not judged yet, and [`AHEAD`] offsets that it has
//! passed before they came.

mod judge;
mod named;

pub(super) use judge::Judge;
pub(in crate::engine) use named::scan;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::bus::{Appetite, Bus, Passed, ReadEvent, ReadPlan, ReadRange};
use crate::engine::cancel::Cancel;
use crate::model::{
    Isolation, Known, Offset, Problem, ProblemKind, Record, TopicPartition, Visibility,
};

use super::ranges::PartitionRange;

/// How long nothing may come before the partitions still open are given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(6);
/// How long one turn waits for records.
pub(super) const TURN: Duration = Duration::from_millis(50);
/// How many bytes of records may wait for the careful reader before the other one is held back.
const WAITING: u64 = 16 * 1024 * 1024;
/// How many offsets the careful reader may be ahead of the other one, in all.
const AHEAD: usize = 100_000;
/// What a held record costs beside its own bytes.
pub(super) const OVERHEAD: u64 = 300;
/// Ranges with fewer offsets than this in all are read in small portions.
pub(super) const FEW: u64 = 5_000;

/// Something found while reading.
#[derive(Debug)]
pub(in crate::engine) enum Scanned {
    /// The next record of its partition.
    Record(Record),
    /// A stretch of a partition that holds nothing looked for.
    Passed(Passed),
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
    let appetite = if offsets < FEW {
        Appetite::Few
    } else {
        Appetite::Many
    };
    let plan = |isolation, ranges| ReadPlan {
        ranges,
        isolation,
        appetite,
        sieve: None,
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
            if let Some(at) = event.ended() {
                open.remove(at);
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
pub(super) fn plainly(event: ReadEvent) -> Scanned {
    match event {
        ReadEvent::Record(record) => Scanned::Record(Record {
            visibility: Visibility::Committed,
            ..record
        }),
        ReadEvent::Passed(passed) => Scanned::Passed(passed),
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
    let mut rest = Vec::new();
    if let Some(judge) = judge {
        judge.release_unjudged(&mut rest);
    }
    let mut lost: Vec<TopicPartition> = open.drain().collect();
    lost.sort();
    rest.extend(
        lost.into_iter()
            .map(|at| Scanned::Failed(at, nothing_came())),
    );
    for scanned in rest {
        if sink(scanned) == Flow::Stop {
            return;
        }
    }
}

/// Why what is still open is given up.
pub(super) fn nothing_came() -> Problem {
    Problem::new(
        ProblemKind::TimedOut,
        format!("nothing came within {} s", PATIENCE.as_secs()),
    )
}

/// About how much memory a record takes.
pub(super) fn cost(record: &Record) -> u64 {
    record.size().saturating_add(OVERHEAD)
}

#[cfg(test)]
mod tests;
