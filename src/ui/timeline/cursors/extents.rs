//! What of a lane is deleted, and what careful readers are not given yet. Pure.

use crate::engine::{Density, GroupPlaces};
use crate::model::{Known, Offset, RecordHead, TimestampMs, TopicPartition};

use super::super::model::Lane;
use super::place_in;

/// Where what is left of a lane begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// At the time of the first record that is left.
    Time(TimestampMs),
    /// At an offset.
    Offset {
        /// Its place on the axis.
        place: i64,
        /// The offset.
        offset: Offset,
    },
}

impl Beginning {
    /// Its place on the axis.
    pub fn place(self) -> i64 {
        match self {
            Self::Time(time) => time.0,
            Self::Offset { place, .. } => place,
        }
    }
}

/// What was deleted at the beginning of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Where what is left begins.
    pub before: Beginning,
    /// How many offsets the selected group had not read of it.
    pub unread: Option<u64>,
}

/// What careful readers are not given yet: records of open transactions and what was written behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// Where it begins on the axis.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// How many offsets it is.
    pub count: u64,
}

impl HeldBack {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            count: self.count.saturating_add(other.count),
        }
    }
}

/// How many offsets that were deleted `chosen` had not read in `lane`; `None` when that is not known or does
/// not matter to it.
pub fn lost(lane: &Lane, chosen: Option<&GroupPlaces>) -> Option<u64> {
    let group = chosen?;
    lane.partitions()
        .iter()
        .filter_map(|at| place_in(group, at)?.deleted_unread())
        .reduce(u64::saturating_add)
}

/// What was deleted at the beginning of `lane`, when all its partitions begin after offset 0 and the time of
/// their first records is known.
pub fn deleted(lane: &Lane, density: &Density, chosen: Option<&GroupPlaces>) -> Option<Deleted> {
    let mut before: Option<TimestampMs> = None;
    for (at, partition) in lane.partitions().iter().zip(lane.described()) {
        let start = *partition.log_start.as_ref().ok()?;
        if start.0 <= 0 {
            return None;
        }
        let time = first_time(at, start, density)?;
        before = Some(before.map_or(time, |known| known.min(time)));
    }
    before.map(|before| Deleted {
        before: Beginning::Time(before),
        unread: lost(lane, chosen),
    })
}

/// What careful readers are not given yet of `lane`, on the time axis up to `now`.
pub fn held_back(lane: &Lane, density: &Density, now: TimestampMs) -> Option<HeldBack> {
    let lanes = lane.partitions().iter().zip(lane.described());
    let held = lanes.filter_map(|(at, partition)| {
        let (from, to) = partition.held_back()?;
        Some(HeldBack {
            from: first_time(at, from, density)?.0,
            to: now.0,
            count: to.since(from)?,
        })
    });
    held.reduce(HeldBack::and)
}

/// From when to when records of `lane` were written, as far as that is known.
pub fn times(lane: &Lane, density: &Density) -> Option<(TimestampMs, TimestampMs)> {
    let partitions = lane.partitions().iter().zip(lane.described());
    let known = partitions.filter_map(|(at, partition)| {
        let (start, end) = partition.ends().filter(|(start, end)| start < end)?;
        let last = Offset(end.0.saturating_sub(1));
        let index = density.partitions.get(at)?;
        Some((first_time(at, start, density)?, index.time_near(last)?))
    });
    known.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The time of the first record at or after offset `start`: as it says, or near it between two look-ups.
pub fn first_time(at: &TopicPartition, start: Offset, density: &Density) -> Option<TimestampMs> {
    let head: Option<&Known<Option<RecordHead>>> = density.heads.get(&(at.clone(), start));
    match head {
        Some(Ok(Some(RecordHead {
            timestamp: Some(time),
            ..
        }))) => Some(*time),
        _ => density.partitions.get(at)?.time_near(start),
    }
}
