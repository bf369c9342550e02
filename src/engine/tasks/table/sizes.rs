//! The window of each partition, and how large the first one is.

use std::collections::{BTreeMap, VecDeque};

use crate::engine::tasks::by_time::Direction;
use crate::model::{Offset, TimestampMs};

use super::gather::MANY;
use super::piece::{Hint, Piece};

/// The first window of a partition of which nothing is known, with few partitions.
const FIRST_WINDOW: u64 = 64;
/// So many rows beside the edge tell how much each partition contributes.
const LOOKED_AT: usize = 1_000;

/// One lane's growing window.
pub(super) struct Stretch {
    /// What was not read yet.
    pub(super) rest: (Offset, Offset),
    /// Where it began.
    pub(super) begin: Offset,
    pub(super) hint: Hint,
    /// How many offsets are read next.
    pub(super) size: u64,
    /// Whether something was read, and whether the last window held a record.
    pub(super) read: bool,
    pub(super) was_empty: bool,
    pub(super) near: VecDeque<Option<TimestampMs>>,
    /// Before this offset everything is earlier than this time.
    pub(super) earlier: Option<(Offset, TimestampMs)>,
    /// The record with the latest time, when the bus was asked.
    pub(super) latest: Option<(Offset, TimestampMs)>,
    /// Whether the bus was asked for what comes next.
    pub(super) asked: bool,
}

impl Stretch {
    pub(super) fn width(&self) -> u64 {
        self.rest.1.since(self.rest.0).unwrap_or(0)
    }

    /// What the last window tells of what comes next.
    pub(super) fn told(&self, direction: Direction) -> Hint {
        if let (Direction::NewestFirst, Some((offset, time))) = (direction, self.earlier)
            && self.rest.1 <= offset
        {
            return Hint::NotAfter(time.moved_ms(-1));
        }
        let near = direction.first_of(self.near.iter().copied());
        near.map_or(Hint::Unknown, Hint::Near)
    }
}

/// How many offsets of each lane are read first.
pub(super) struct Sizes {
    /// How many rows each lane has beside the edge.
    rows: BTreeMap<usize, usize>,
    of: usize,
    wanted: usize,
    near: usize,
    unknown: u64,
}

impl Sizes {
    pub(super) fn new(
        piece: &Piece,
        direction: Direction,
        wanted: usize,
        lanes: usize,
        near: usize,
    ) -> Self {
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        let all = piece.rows();
        let of = all.len().min(LOOKED_AT);
        let beside = match direction {
            Direction::OldestFirst => all.len().saturating_sub(of)..all.len(),
            Direction::NewestFirst => 0..of,
        };
        for row in all.range(beside) {
            let count = rows.entry(row.key.lane).or_default();
            *count = count.saturating_add(1);
        }
        let unknown = FIRST_WINDOW.saturating_mul(u64::try_from(MANY).unwrap_or(1))
            / u64::try_from(lanes).unwrap_or(1).max(1);
        Self {
            rows,
            of,
            wanted,
            near,
            unknown: unknown.clamp(4, FIRST_WINDOW),
        }
    }

    pub(super) fn of(&self, lane: usize) -> u64 {
        let share = self.rows.get(&lane).copied().unwrap_or(0);
        if self.of == 0 {
            return self.unknown;
        }
        let rows = self.wanted.saturating_mul(share) / self.of;
        let size = rows
            .saturating_add(rows / 5)
            .saturating_add(self.near)
            .saturating_add(4);
        u64::try_from(size).unwrap_or(u64::MAX)
    }
}
