//! How numbers are laid along x: times, or offsets. Pure, and `f64` throughout, because zoomed in far the
//! edges lie where `f32` is too coarse.
//!
//! Idle stretches can be folded: the axis is then made of straight pieces, some of which show a lot of time
//! in a few points. Zooming and panning go by the unfolded lengths, so that the pointer keeps its place.

mod columns;

pub use columns::{BELOW_A_DAY_MS, Columns, DAY_MS, step_at_least};

use std::sync::Arc;

use egui::Rangef;

use crate::model::TimestampMs;

use super::super::num::{f32_from_count, f32_from_f64, f64_from_i64};
use super::super::state::{AxisKind, ViewRange};

/// Width of a folded stretch on the screen.
pub const FOLD_POINTS: f32 = 28.0;

/// A stretch that is folded, in the axis's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// Where it begins.
    pub from: f64,
    /// Where it ends, later than that.
    pub to: f64,
}

/// A straight piece of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The values it shows.
    pub from: f64,
    /// Where they end.
    pub to: f64,
    /// Where it lies on the screen.
    pub x: (f64, f64),
    /// Whether it is folded.
    pub folded: bool,
}

/// Numbers laid along x.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    kind: AxisKind,
    left: f64,
    width: f64,
    range: ViewRange,
    folds: Arc<[Fold]>,
    /// The pieces from left to right; at least one.
    pieces: Vec<Piece>,
    /// Units in a point, outside folds.
    scale: f64,
}

impl Axis {
    /// `range` laid along `x`.
    pub fn new(x: Rangef, range: ViewRange) -> Self {
        Self::folded(x, range, AxisKind::Time, &Arc::default())
    }

    /// `range` of what `kind` says laid along `x` with `folds`, which are in order and apart.
    pub fn folded(x: Rangef, range: ViewRange, kind: AxisKind, folds: &Arc<[Fold]>) -> Self {
        let (left, width) = (f64::from(x.min), f64::from(x.span()).max(1.0));
        let shown = folds_in(range, folds, f32_from_f64(width));
        let hidden: f64 = shown.iter().map(|fold| fold.to - fold.from).sum();
        let room = width - f64::from(FOLD_POINTS * f32_from_count(shown.len()));
        let scale = (range.span_ms() - hidden) / room;
        let mut axis = Self {
            kind,
            left,
            width,
            range,
            folds: Arc::clone(folds),
            pieces: Vec::with_capacity(shown.len().saturating_mul(2).saturating_add(1)),
            scale,
        };
        let mut at = (range.from_ms, left);
        for fold in &shown {
            axis.add_piece(&mut at, fold.from, false);
            axis.add_piece(&mut at, fold.to, true);
        }
        axis.add_piece(&mut at, range.to_ms, false);
        axis
    }

    fn add_piece(&mut self, at: &mut (f64, f64), to: f64, folded: bool) {
        if to <= at.0 {
            return;
        }
        let right = if folded {
            at.1 + f64::from(FOLD_POINTS)
        } else {
            at.1 + (to - at.0) / self.scale
        };
        self.pieces.push(Piece {
            from: at.0,
            to,
            x: (at.1, right),
            folded,
        });
        *at = (to, right);
    }

    /// What its numbers are.
    pub fn kind(&self) -> AxisKind {
        self.kind
    }

    /// The range it shows.
    pub fn range(&self) -> ViewRange {
        self.range
    }

    /// Its pieces from left to right.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The place of a value.
    pub fn x_from(&self, value: f64) -> f32 {
        let index = self.pieces.partition_point(|piece| piece.to < value);
        let x = match self.pieces.get(index) {
            Some(piece) if value >= piece.from => {
                let share = (value - piece.from) / (piece.to - piece.from);
                piece.x.0 + share * (piece.x.1 - piece.x.0)
            }
            Some(_) => self.left - (self.range.from_ms - value) / self.scale,
            None => self.left + self.width + (value - self.range.to_ms) / self.scale,
        };
        f32_from_f64(x)
    }

    /// The place of a value, kept near the screen so that what reaches beyond it can still be drawn.
    pub fn x_near(&self, value: f64) -> f32 {
        let (left, width) = (f32_from_f64(self.left), f32_from_f64(self.width));
        self.x_from(value).clamp(left - 64.0, left + width + 64.0)
    }

    /// [`Axis::x_near`] of a time.
    pub fn x_clamped(&self, at: TimestampMs) -> f32 {
        self.x_near(f64_from_i64(at.0))
    }

    /// The value at a place.
    pub fn value_from_x(&self, x: f32) -> f64 {
        let x = f64::from(x);
        let index = self.pieces.partition_point(|piece| piece.x.1 < x);
        match self.pieces.get(index) {
            Some(piece) if x >= piece.x.0 => {
                let share = (x - piece.x.0) / (piece.x.1 - piece.x.0);
                piece.from + share * (piece.to - piece.from)
            }
            Some(_) => self.range.from_ms - (self.left - x) * self.scale,
            None => self.range.to_ms + (x - self.left - self.width) * self.scale,
        }
    }

    /// How much a distance is, outside folds.
    pub fn span_from_points(&self, points: f32) -> f64 {
        f64::from(points) * self.scale
    }

    /// The range `factor` times as close, with what is at `x` staying there.
    pub fn zoomed(&self, factor: f64, x: f32) -> ViewRange {
        if !factor.is_finite() || factor <= 0.0 {
            return self.range;
        }
        let at = self.unfolded(self.value_from_x(x));
        let (from, to) = (
            self.unfolded(self.range.from_ms),
            self.unfolded(self.range.to_ms),
        );
        let moved = |edge: f64| self.refolded(at + (edge - at) / factor);
        ViewRange::new(moved(from), moved(to))
    }

    /// The range moved by a distance, to later values when positive.
    pub fn panned(&self, points: f32) -> ViewRange {
        if self.folds.is_empty() {
            return self.range.panned(self.span_from_points(points));
        }
        let by = self.span_from_points(points);
        let moved = |edge: f64| self.refolded(self.unfolded(edge) + by);
        ViewRange::new(moved(self.range.from_ms), moved(self.range.to_ms))
    }

    /// A value without what is folded before it.
    fn unfolded(&self, value: f64) -> f64 {
        let hidden: f64 = self
            .folds
            .iter()
            .take_while(|fold| fold.from < value)
            .map(|fold| fold.to.min(value) - fold.from)
            .sum();
        value - hidden
    }

    /// The value that [`Axis::unfolded`] makes `value` of.
    fn refolded(&self, value: f64) -> f64 {
        let mut value = value;
        for fold in self.folds.iter() {
            if fold.from >= value {
                break;
            }
            value += fold.to - fold.from;
        }
        value
    }
}

/// The folds that a range shows, cut to it: none when nothing else would be left, and only the longest when
/// they would take more than half of the room.
fn folds_in(range: ViewRange, folds: &[Fold], width: f32) -> Vec<Fold> {
    let mut shown: Vec<Fold> = folds
        .iter()
        .map(|fold| Fold {
            from: fold.from.max(range.from_ms),
            to: fold.to.min(range.to_ms),
        })
        .filter(|fold| fold.to > fold.from)
        .collect();
    let hidden: f64 = shown.iter().map(|fold| fold.to - fold.from).sum();
    if hidden >= range.span_ms() * 0.999 {
        return Vec::new();
    }
    let most = super::super::num::count_from_f64(f64::from(width * 0.5 / FOLD_POINTS));
    if shown.len() > most {
        shown.sort_by(|a, b| (b.to - b.from).total_cmp(&(a.to - a.from)));
        shown.truncate(most);
        shown.sort_by(|a, b| a.from.total_cmp(&b.from));
    }
    shown
}

#[cfg(test)]
mod tests;
