//! How large the first window of each partition is.

use std::collections::BTreeMap;

use crate::engine::tasks::by_time::Direction;

use super::gather::MANY;
use super::piece::Piece;

/// The first window of a partition of which nothing is known, with few partitions.
const FIRST_WINDOW: u64 = 64;
/// So many rows beside the edge tell how much each partition contributes.
const LOOKED_AT: usize = 1_000;

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
