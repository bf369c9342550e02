//! Where things are: the axis, the columns, the lanes on screen, the flags. Pure, so that it can be tested;
//! time is `f64` throughout, because zoomed in far the edges lie where `f32` is too coarse.

use egui::{Pos2, Rangef, Rect, pos2, vec2};

use crate::model::TimestampMs;

use super::super::num::{f32_from_f64, f64_from_i64, i64_from_f64};
use super::super::scroll::{RowScroll, Rows};
use super::super::state::ViewRange;
use super::super::tokens::size;

/// How time is laid along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeAxis {
    left: f64,
    width: f64,
    range: ViewRange,
}

impl TimeAxis {
    /// `range` laid along `x`.
    pub fn new(x: Rangef, range: ViewRange) -> Self {
        Self {
            left: f64::from(x.min),
            width: f64::from(x.span()).max(1.0),
            range,
        }
    }

    /// The range it shows.
    pub fn range(&self) -> ViewRange {
        self.range
    }

    /// The place of a time.
    pub fn x_from_time(&self, ms: f64) -> f32 {
        f32_from_f64(self.left + (ms - self.range.from_ms) / self.range.span_ms() * self.width)
    }

    /// The place of a whole time, kept near the screen so that what reaches beyond it can still be drawn.
    pub fn x_clamped(&self, at: TimestampMs) -> f32 {
        let x = self.x_from_time(f64_from_i64(at.0));
        let (left, width) = (f32_from_f64(self.left), f32_from_f64(self.width));
        x.clamp(left - 64.0, left + width + 64.0)
    }

    /// The time at a place, in milliseconds.
    pub fn time_from_x(&self, x: f32) -> f64 {
        self.range.from_ms + (f64::from(x) - self.left) / self.width * self.range.span_ms()
    }

    /// How many milliseconds a distance is.
    pub fn ms_from_points(&self, points: f32) -> f64 {
        f64::from(points) / self.width * self.range.span_ms()
    }

    /// How many points a length of time is.
    pub fn points_from_ms(&self, ms: f64) -> f32 {
        f32_from_f64(ms / self.range.span_ms() * self.width)
    }
}

/// Widths that a column may have, in milliseconds: lengths that people count in. Beyond the last one they
/// double.
const STEPS_MS: [i64; 30] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    15_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    900_000,
    1_800_000,
    3_600_000,
    7_200_000,
    10_800_000,
    21_600_000,
    43_200_000,
    86_400_000,
    172_800_000,
    604_800_000,
    1_209_600_000,
];

/// The narrowest column width of at least `least_ms` milliseconds.
pub fn step_at_least(least_ms: f64) -> i64 {
    let fits = |step: &&i64| f64_from_i64(**step) >= least_ms;
    if let Some(step) = STEPS_MS.iter().find(fits) {
        return *step;
    }
    let mut step: i64 = 1_209_600_000;
    while f64_from_i64(step) < least_ms && step < i64::MAX / 4 {
        step = step.saturating_mul(2);
    }
    step
}

/// The columns in which records are counted. Their edges are multiples of their width, whatever part of
/// them is on screen: panning moves them and never counts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    step_ms: i64,
    first: i64,
    end: i64,
}

impl Columns {
    /// Columns of `step_ms` milliseconds that cover `from` to `to`.
    pub fn new(from: TimestampMs, to: TimestampMs, step_ms: i64) -> Self {
        let step_ms = step_ms.max(1);
        let first = from.0.div_euclid(step_ms);
        let end =
            to.0.saturating_add(step_ms)
                .saturating_sub(1)
                .div_euclid(step_ms);
        Self {
            step_ms,
            first,
            end: end.max(first.saturating_add(1)),
        }
    }

    /// The columns of `axis`, each at least `least_points` wide.
    pub fn on(axis: &TimeAxis, least_points: f32) -> Self {
        let step = step_at_least(axis.ms_from_points(least_points));
        Self::new(axis.range().from(), axis.range().to(), step)
    }

    /// Width of a column in milliseconds.
    pub fn step_ms(&self) -> i64 {
        self.step_ms
    }

    /// The number of the first column, counted from 1970.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// The number after the last column.
    pub fn end(&self) -> i64 {
        self.end
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        usize::try_from(self.end.saturating_sub(self.first))
            .unwrap_or(1)
            .max(1)
    }

    /// The left edge of the first.
    pub fn from(&self) -> TimestampMs {
        self.edge(self.first)
    }

    /// The right edge of the last.
    pub fn to(&self) -> TimestampMs {
        self.edge(self.end)
    }

    /// The left edge of column `column`.
    pub fn edge(&self, column: i64) -> TimestampMs {
        TimestampMs(column.saturating_mul(self.step_ms))
    }

    /// The column in which a time falls.
    pub fn column_of(&self, ms: f64) -> i64 {
        i64_from_f64((ms / f64_from_i64(self.step_ms)).floor())
    }
}

/// A lane on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneSlot {
    /// The number of the lane.
    pub index: usize,
    /// Its upper edge on the screen; may lie above the visible part.
    pub top: f32,
    /// Its height.
    pub height: f32,
}

impl LaneSlot {
    /// Its extent on the screen.
    pub fn y_range(&self) -> Rangef {
        Rangef::new(self.top, self.top + self.height)
    }
}

/// Where everything in the timeline is.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// The cell above the labels.
    pub corner: Rect,
    /// The column of labels.
    pub labels: Rect,
    /// The ruler.
    pub ruler: Rect,
    /// The lanes.
    pub lanes: Rect,
    /// The scroll bar.
    pub scroll_bar: Rect,
    /// How time is laid along x.
    pub axis: TimeAxis,
    /// In which columns records are counted.
    pub columns: Columns,
    /// The lanes on screen, from the top.
    pub slots: Vec<LaneSlot>,
}

impl Geometry {
    /// The geometry of `area` with labels `label_width` wide, `range` on the axis, `rows` scrolled to `scroll`;
    /// a column is at least `least_points` wide.
    pub fn new(area: Rect, label_width: f32, range: ViewRange, least_points: f32) -> Self {
        let split = (area.left() + label_width)
            .min(area.right() - 120.0)
            .max(area.left());
        let ruler_bottom = (area.top() + size::RULER).min(area.bottom());
        let bar_left = area.right() - size::SCROLL_BAR;
        let lanes = Rect::from_min_max(pos2(split, ruler_bottom), pos2(bar_left, area.bottom()));
        let axis = TimeAxis::new(lanes.x_range(), range);
        Self {
            corner: Rect::from_min_max(area.min, pos2(split, ruler_bottom)),
            labels: Rect::from_min_max(pos2(area.left(), ruler_bottom), pos2(split, area.bottom())),
            ruler: Rect::from_min_max(pos2(split, area.top()), pos2(bar_left, ruler_bottom)),
            lanes,
            scroll_bar: Rect::from_min_max(pos2(bar_left, ruler_bottom), area.max),
            axis,
            columns: Columns::on(&axis, least_points),
            slots: Vec::new(),
        }
    }

    /// Takes the lanes that are on screen at `scroll`.
    pub fn place(&mut self, rows: &Rows<'_>, scroll: RowScroll) {
        self.slots = rows
            .visible(scroll)
            .into_iter()
            .filter_map(|(row, top)| {
                Some(LaneSlot {
                    index: usize::try_from(row).ok()?,
                    top: self.lanes.top() + top,
                    height: (rows.height)(row),
                })
            })
            .collect();
    }

    /// The part of a lane on screen that shows records.
    pub fn lane_rect(&self, slot: &LaneSlot) -> Rect {
        Rect::from_x_y_ranges(self.lanes.x_range(), slot.y_range())
    }

    /// The part of a lane on screen that holds its label.
    pub fn label_rect(&self, slot: &LaneSlot) -> Rect {
        Rect::from_x_y_ranges(self.labels.x_range(), slot.y_range())
    }

    /// The lane at `pos`.
    pub fn lane_at(&self, pos: Pos2) -> Option<usize> {
        if !self.lanes.y_range().contains(pos.y) {
            return None;
        }
        self.slots
            .iter()
            .find(|slot| slot.y_range().contains(pos.y))
            .map(|slot| slot.index)
    }

    /// The lane nearest to the height of `pos`, for a drag that leaves the lanes.
    pub fn nearest_lane(&self, pos: Pos2) -> Option<usize> {
        self.lane_at(pos).or_else(|| {
            let end = if pos.y < self.lanes.top() {
                self.slots.first()
            } else {
                self.slots.last()
            };
            end.map(|slot| slot.index)
        })
    }
}

/// A group's flag on a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flag {
    /// Which of the cursors it is.
    pub cursor: usize,
    /// Where the cursor is.
    pub x: f32,
    /// The flag itself.
    pub chip: Rect,
}

/// Flags of several cursors that stand so close that only some can be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreFlags {
    /// Where it says how many more there are.
    pub chip: Rect,
    /// How many.
    pub count: usize,
}

/// The root by which bars grow; between the square and the cube root.
const BAR_EXPONENT: f64 = 0.42;
/// How many flags stand side by side before the rest is only counted.
const FLAGS_TOGETHER: usize = 3;
/// How many cursors of one lane get a flag at most.
const FLAGS_PER_LANE: usize = 24;

/// The flags of cursors at `xs`, each the number of a cursor and its place, sorted by place. Flags that would
/// overlap stand side by side, the chosen one first, and beyond a few only their number is shown.
pub fn flags(
    xs: &[(usize, f32)],
    lane: Rect,
    chosen: Option<usize>,
) -> (Vec<Flag>, Vec<MoreFlags>) {
    let mut flags = Vec::new();
    let mut more = Vec::new();
    let mut rest = xs;
    while let Some((_, start)) = rest.first() {
        let mut together = 1_usize;
        while rest.get(together).is_some_and(|(_, x)| {
            let shown = f32::from(u8::try_from(together.min(FLAGS_TOGETHER)).unwrap_or(u8::MAX));
            *x < start + shown * size::CHIP
        }) {
            together = together.saturating_add(1);
        }
        let (cluster, after) = rest.split_at(together);
        rest = after;
        place_cluster(cluster, lane, chosen, &mut flags, &mut more);
        if flags.len() >= FLAGS_PER_LANE {
            break;
        }
    }
    (flags, more)
}

fn place_cluster(
    cluster: &[(usize, f32)],
    lane: Rect,
    chosen: Option<usize>,
    flags: &mut Vec<Flag>,
    more: &mut Vec<MoreFlags>,
) {
    let Some((_, start)) = cluster.first() else {
        return;
    };
    let mut ordered = cluster.to_vec();
    ordered.sort_by_key(|(cursor, _)| Some(*cursor) != chosen);
    // One more flag takes no more room than saying that there is one more.
    let shown = if ordered.len() <= FLAGS_TOGETHER.saturating_add(1) {
        ordered.len()
    } else {
        FLAGS_TOGETHER
    };
    let chips = shown.saturating_add(usize::from(shown < ordered.len()));
    let width = f32::from(u8::try_from(chips).unwrap_or(u8::MAX)) * size::CHIP;
    let left = start.min(lane.right() - width).max(lane.left());
    let chip = |index: usize| {
        let index = f32::from(u8::try_from(index).unwrap_or(u8::MAX));
        Rect::from_min_size(
            pos2(left + index * size::CHIP, lane.top() + 1.0),
            vec2(size::CHIP, size::CHIP - 1.0),
        )
    };
    for (index, (cursor, x)) in ordered.iter().take(shown).enumerate() {
        flags.push(Flag {
            cursor: *cursor,
            x: *x,
            chip: chip(index),
        });
    }
    if shown < ordered.len() {
        more.push(MoreFlags {
            chip: chip(shown),
            count: ordered.len().saturating_sub(shown),
        });
    }
}

/// The height of a bar that stands for `count` records where the fullest stands for `most`: not in proportion
/// but by a root, so that a busy lane does not flatten a quiet one, and never too low to be seen.
pub fn bar_height(count: f64, most: f64, room: f32) -> f32 {
    if count <= 0.0 {
        return 0.0;
    }
    let share = (count / most.max(1.0)).clamp(0.0, 1.0).powf(BAR_EXPONENT);
    (room * f32_from_f64(share)).max(2.0).min(room)
}

/// The count that a full bar stands for, so that a single burst does not flatten everything else: what all but
/// a fiftieth of the bars in `counts` stay below, rounded up in steps, so that bars keep their height while a
/// few records more arrive.
pub fn full_scale(mut counts: Vec<f64>) -> f64 {
    let index = counts
        .len()
        .saturating_sub(1)
        .saturating_sub(counts.len() / 50);
    let usual = if counts.is_empty() {
        0.0
    } else {
        *counts.select_nth_unstable_by(index, f64::total_cmp).1
    };
    let mut scale = 1.0;
    while scale < usual && scale < 1e18 {
        scale *= 1.5;
    }
    scale
}

#[cfg(test)]
mod tests;
