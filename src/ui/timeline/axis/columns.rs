//! The columns in which records are counted.

use std::sync::Arc;

use crate::model::TimestampMs;

use super::super::super::num::{f64_from_i64, i64_from_f64};
use super::super::super::state::AxisKind;
use super::Axis;

/// Lengths of time that people count in, below a day, in milliseconds.
pub const BELOW_A_DAY_MS: [i64; 26] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000,
    120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000,
    43_200_000,
];
/// A day in milliseconds.
pub const DAY_MS: i64 = 86_400_000;
/// Longer widths that a column of time may have. Beyond the last one they double.
const DAYS_MS: [i64; 4] = [DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS];

/// The narrowest column width of at least `least`: milliseconds on an axis of time, a count of offsets that is
/// 1, 2 or 5 with zeros on one of offsets.
pub fn step_at_least(kind: AxisKind, least: f64) -> i64 {
    if kind == AxisKind::Time {
        return time_step(least);
    }
    let mut ten: i64 = 1;
    while ten < i64::MAX / 100 {
        for lead in [1, 2, 5] {
            let step = ten.saturating_mul(lead);
            if f64_from_i64(step) >= least {
                return step;
            }
        }
        ten = ten.saturating_mul(10);
    }
    ten
}

fn time_step(least_ms: f64) -> i64 {
    let fits = |step: &&i64| f64_from_i64(**step) >= least_ms;
    if let Some(step) = BELOW_A_DAY_MS.iter().chain(&DAYS_MS).find(fits) {
        return *step;
    }
    let mut step = 14 * DAY_MS;
    while f64_from_i64(step) < least_ms && step < i64::MAX / 4 {
        step = step.saturating_mul(2);
    }
    step
}

/// The columns in which records are counted. Their edges are multiples of their width, whatever part of
/// them is on screen: panning moves them and never counts anew. Columns inside folded stretches are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    step: i64,
    first: i64,
    end: i64,
    /// Numbers of columns that are left out, in order and apart.
    folded: Arc<[(i64, i64)]>,
}

impl Columns {
    /// Columns `step` wide that cover `from` to `to`.
    pub fn new(from: i64, to: i64, step: i64) -> Self {
        let step = step.max(1);
        let first = from.div_euclid(step);
        let end = to.saturating_add(step).saturating_sub(1).div_euclid(step);
        Self {
            step,
            first,
            end: end.max(first.saturating_add(1)),
            folded: Arc::default(),
        }
    }

    /// The columns of `axis`, each at least `least_points` wide.
    pub fn on(axis: &Axis, least_points: f32) -> Self {
        let step = step_at_least(axis.kind(), axis.span_from_points(least_points));
        let (from, to) = (axis.range().from().0, axis.range().to().0);
        let mut columns = Self::new(from, to, step);
        columns.folded = axis
            .pieces()
            .iter()
            .filter(|piece| piece.folded)
            .map(|piece| {
                let first = i64_from_f64(piece.from.ceil()).saturating_add(step - 1);
                (
                    first.div_euclid(step),
                    i64_from_f64(piece.to.floor()).div_euclid(step),
                )
            })
            .filter(|(first, end)| first < end)
            .collect();
        columns
    }

    /// Width of a column.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// The number of the first column, counted from 0 (1970).
    pub fn first(&self) -> i64 {
        self.first
    }

    /// The number after the last column.
    pub fn end(&self) -> i64 {
        self.end
    }

    /// How many there are, without those left out.
    pub fn count(&self) -> usize {
        let folded: i64 = self
            .folded
            .iter()
            .map(|(first, end)| end.saturating_sub(*first))
            .fold(0, i64::saturating_add);
        let all = self.end.saturating_sub(self.first).saturating_sub(folded);
        usize::try_from(all).unwrap_or(1).max(1)
    }

    /// Their numbers from left to right, without those left out, as stretches of neighbours.
    pub fn stretches(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        let ends = self
            .folded
            .iter()
            .map(|(first, _)| *first)
            .chain([self.end]);
        let begins = [self.first]
            .into_iter()
            .chain(self.folded.iter().map(|(_, end)| *end));
        begins.zip(ends).filter(|(from, to)| from < to)
    }

    /// Their numbers from left to right, without those left out.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        self.stretches().flat_map(|(from, to)| from..to)
    }

    /// The stretches that are left out, as values.
    pub fn left_out(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.folded
            .iter()
            .map(|(first, end)| (self.edge(*first), self.edge(*end)))
    }

    /// The left edge of the first, as a time.
    pub fn from(&self) -> TimestampMs {
        TimestampMs(self.edge(self.first))
    }

    /// The right edge of the last, as a time.
    pub fn to(&self) -> TimestampMs {
        TimestampMs(self.edge(self.end))
    }

    /// The left edge of column `column`.
    pub fn edge(&self, column: i64) -> i64 {
        column.saturating_mul(self.step)
    }

    /// The edges of column `column`, as times.
    pub fn times(&self, column: i64) -> (TimestampMs, TimestampMs) {
        let edge = |column| TimestampMs(self.edge(column));
        (edge(column), edge(column.saturating_add(1)))
    }

    /// The column in which a value falls.
    pub fn column_of(&self, value: f64) -> i64 {
        i64_from_f64((value / f64_from_i64(self.step)).floor())
    }
}
