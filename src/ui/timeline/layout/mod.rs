//! Where things are: the strips, the lanes on screen, the flags. Pure, so that it can be tested.

use std::sync::Arc;

use egui::{Pos2, Rangef, Rect, pos2, vec2};

use super::super::num::f32_from_f64;
use super::super::scroll::{RowScroll, Rows};
use super::super::state::{AxisKind, ViewRange};
use super::super::tokens::size;
use super::axis::{Axis, Columns, Fold};

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

/// What the geometry of a timeline depends on besides the lanes.
#[derive(Clone, Debug)]
pub struct Frame {
    /// All the room there is.
    pub area: Rect,
    /// Width of the column of labels.
    pub label_width: f32,
    /// What the x axis shows.
    pub range: ViewRange,
    /// What its numbers are.
    pub axis: AxisKind,
    /// Stretches that are folded.
    pub folds: Arc<[Fold]>,
    /// The least width of a column in points.
    pub least_points: f32,
    /// Height of the lanes that stay on top.
    pub pinned: f32,
    /// Whether the chosen group has a row of its own.
    pub group_row: bool,
}

/// Where everything in the timeline is.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// The cell above the labels.
    pub corner: Rect,
    /// The strip that shows all of the data.
    pub minimap: Rect,
    /// The ruler.
    pub ruler: Rect,
    /// The row of the chosen group, labels included; empty when there is none.
    pub group_row: Rect,
    /// The labels of the lanes that stay on top.
    pub pinned_labels: Rect,
    /// The lanes that stay on top; empty when there are none.
    pub pinned: Rect,
    /// The column of labels of the lanes that scroll.
    pub labels: Rect,
    /// The lanes that scroll.
    pub lanes: Rect,
    /// The scroll bar.
    pub scroll_bar: Rect,
    /// How numbers are laid along x.
    pub axis: Axis,
    /// In which columns records are counted.
    pub columns: Columns,
    /// The lanes on screen that stay on top.
    pub pinned_slots: Vec<LaneSlot>,
    /// The lanes on screen that scroll, from the top.
    pub slots: Vec<LaneSlot>,
}

impl Geometry {
    /// The geometry of `frame`, without lanes; see [`Geometry::place`].
    pub fn new(frame: &Frame) -> Self {
        let area = frame.area;
        let split = (area.left() + frame.label_width)
            .min(area.right() - 120.0)
            .max(area.left());
        let bar_left = area.right() - size::SCROLL_BAR;
        let mut top = area.top();
        let mut next = |height: f32| {
            let from = top;
            top = (top + height).min(area.bottom());
            Rangef::new(from, top)
        };
        let minimap_y = next(size::MINIMAP);
        let ruler_y = next(size::RULER);
        let group_y = next(if frame.group_row {
            size::PARTITION_LANE
        } else {
            0.0
        });
        // The lanes that stay on top leave most of the room to the others.
        let rest = area.bottom() - group_y.max;
        let pinned_y = next(frame.pinned.min(rest * 0.45));
        let lanes_y = Rangef::new(pinned_y.max, area.bottom());
        let labels_x = Rangef::new(area.left(), split);
        let lanes_x = Rangef::new(split, bar_left);
        let cell = Rect::from_x_y_ranges;
        let axis = Axis::folded(lanes_x, frame.range, frame.axis, &frame.folds);
        let columns = Columns::on(&axis, frame.least_points);
        Self {
            corner: cell(labels_x, Rangef::new(minimap_y.min, ruler_y.max)),
            minimap: cell(lanes_x, minimap_y),
            ruler: cell(lanes_x, ruler_y),
            group_row: cell(Rangef::new(area.left(), bar_left), group_y),
            pinned_labels: cell(labels_x, pinned_y),
            pinned: cell(lanes_x, pinned_y),
            labels: cell(labels_x, lanes_y),
            lanes: cell(lanes_x, lanes_y),
            scroll_bar: cell(Rangef::new(bar_left, area.right()), lanes_y),
            axis,
            columns,
            pinned_slots: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Takes the lanes that are on screen at `scroll`: of `rows` those that scroll, numbered from `pinned` on,
    /// and before them those that stay on top, as high as `height` says.
    pub fn place(
        &mut self,
        rows: &Rows<'_>,
        scroll: RowScroll,
        pinned: usize,
        height: impl Fn(usize) -> f32,
    ) {
        let mut top = self.pinned.top();
        self.pinned_slots = (0..pinned)
            .map(|index| {
                let slot = LaneSlot {
                    index,
                    top,
                    height: height(index),
                };
                top += slot.height;
                slot
            })
            .take_while(|slot| slot.top < self.pinned.bottom())
            .collect();
        self.slots = rows
            .visible(scroll)
            .into_iter()
            .filter_map(|(row, top)| {
                Some(LaneSlot {
                    index: usize::try_from(row).ok()?.saturating_add(pinned),
                    top: self.lanes.top() + top,
                    height: (rows.height)(row),
                })
            })
            .collect();
    }

    /// The lanes on screen from the top, each with the part of the screen that it may draw on.
    pub fn bands(&self) -> [(Rect, &[LaneSlot]); 2] {
        [
            (self.pinned, self.pinned_slots.as_slice()),
            (self.lanes, self.slots.as_slice()),
        ]
    }

    /// All lanes on screen from the top.
    pub fn all_slots(&self) -> impl Iterator<Item = &LaneSlot> + Clone {
        self.pinned_slots.iter().chain(&self.slots)
    }

    /// Ruler, rows and lanes: everything that the axis stands for.
    pub fn plot(&self) -> Rect {
        Rect::from_min_max(self.ruler.min, self.lanes.max)
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
        self.bands().into_iter().find_map(|(rect, slots)| {
            let slot = slots
                .iter()
                .find(|slot| rect.y_range().contains(pos.y) && slot.y_range().contains(pos.y))?;
            Some(slot.index)
        })
    }

    /// The lanes on screen that lie between two heights, at least the one nearest to them.
    pub fn lanes_between(&self, a: f32, b: f32) -> Vec<usize> {
        let (top, bottom) = (a.min(b), a.max(b));
        let covered: Vec<usize> = self
            .bands()
            .into_iter()
            .flat_map(|(rect, slots)| slots.iter().map(move |slot| (rect, slot)))
            .filter(|(rect, slot)| {
                let y = slot.y_range().intersection(rect.y_range());
                y.min < y.max && y.min <= bottom && y.max > top
            })
            .map(|(_, slot)| slot.index)
            .collect();
        if !covered.is_empty() {
            return covered;
        }
        let mut slots = self.all_slots();
        let end = if bottom < self.pinned.top() {
            slots.next()
        } else {
            slots.last()
        };
        end.map(|slot| slot.index).into_iter().collect()
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
