//! Drawing the lanes: one mesh for everything that is a rectangle or a stripe, and a few texts above it.

mod bands;
mod extents;
mod gaps;
mod ghosts;
mod hits;
mod mesh;
mod room;
mod ruler;
mod words;

use std::collections::HashMap;

use egui::{Align2, Mesh, Painter, Rangef, Rect, Shape, pos2, vec2};
use jiff::tz::TimeZone;

use crate::model::{Text, TimestampMs};

use super::super::draw;
use super::super::fonts;
use super::super::group_marks::GroupMarks;
use super::super::num::f64_from_i64;
use super::super::state::{AxisKind, LaneKey, Revealed, Selection, Span};
use super::super::tokens::Tokens;
use super::bars::Bar;
use super::cache::{Knowledge, LaneCache, LaneData};
use super::cursors::{Cursor, Standing};
use super::ghosts::Ghost;
use super::layout::{self, Flag, Geometry, LaneSlot, MoreFlags};
use super::model::{Lane, Lanes};
use super::offsets;
use super::ticks::Tick;
use mesh::{hatch, one_bar, pole, snap};
use room::Room;

/// How strong the seam between two columns is.
const SEAM: f32 = 0.62;

/// What the painting of a frame cost, in numbers that a test can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Lanes drawn.
    pub lanes: usize,
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Flags drawn.
    pub flags: usize,
}

/// Everything that the lanes are painted from.
pub struct Scene<'a> {
    /// The colours.
    pub tokens: &'a Tokens,
    /// Where things are.
    pub geometry: &'a Geometry,
    /// The letters that stand for groups.
    pub marks: &'a GroupMarks,
    /// The lanes.
    pub lanes: &'a Lanes,
    /// What was worked out for them.
    pub cache: &'a LaneCache,
    /// The marks of the ruler.
    pub ticks: &'a [Tick],
    /// The group that decides what is unread.
    pub chosen: Option<&'a Text>,
    /// The selected span, or the one being drawn out.
    pub selection: Option<&'a Selection>,
    /// Times the person has marked.
    pub markers: &'a [TimestampMs],
    /// The record to which the eye is drawn.
    pub revealed: Option<&'a Revealed>,
    /// The time of the record under the pointer in the table.
    pub row_time: Option<TimestampMs>,
    /// The lane that keys act on.
    pub focused: Option<&'a LaneKey>,
    /// The lane under the pointer.
    pub hovered: Option<usize>,
    /// Where flags of groups at the end of the log stand.
    pub now: TimestampMs,
    /// The time zone.
    pub zone: &'a TimeZone,
    /// Whether counts on screen are as exact as they will be.
    pub settled: bool,
    /// Where the chosen group would stand, by lane.
    pub ghosts: &'a HashMap<usize, Ghost>,
}

/// A flag that was painted, and whose it is.
pub struct PaintedFlag {
    /// Where it is.
    pub flag: Flag,
    /// The lane.
    pub lane: usize,
    /// The part of the screen that its lane may draw on.
    pub band: Rect,
}

/// What is drawn of one lane.
type Drawn<'a> = (&'a LaneSlot, &'a Lane, &'a LaneData);

impl Scene<'_> {
    /// Paints the lanes; the flags that came on screen, and what it cost.
    pub fn paint(&self, painter: &Painter) -> (Vec<PaintedFlag>, Cost) {
        let mut cost = Cost::default();
        let mut flags = Vec::new();
        let scales = self.scales();
        for (band, slots) in self.geometry.bands() {
            if !slots.is_empty() {
                let painter = painter.with_clip_rect(band);
                let first = flags.len();
                cost.vertices = cost
                    .vertices
                    .saturating_add(self.paint_band(&painter, band, slots, scales, &mut flags));
                cost.lanes = cost.lanes.saturating_add(slots.len());
                cost.flags = cost.flags.saturating_add(flags.len().saturating_sub(first));
            }
        }
        self.group_row(painter);
        self.pinned_edge(painter);
        (flags, cost)
    }

    /// Paints the lanes of one band; how many vertices that took.
    fn paint_band(
        &self,
        painter: &Painter,
        band: Rect,
        slots: &[LaneSlot],
        scales: (f64, f64),
        flags: &mut Vec<PaintedFlag>,
    ) -> usize {
        let pixels = painter.pixels_per_point();
        let mut mesh = Mesh::default();
        self.ground(&mut mesh, band, slots, pixels);
        let drawn: Vec<Drawn<'_>> = slots
            .iter()
            .filter_map(|slot| {
                let lane = self.lanes.get(slot.index)?;
                Some((slot, lane, self.cache.get(&lane.key)?))
            })
            .collect();
        for (slot, lane, data) in &drawn {
            self.bars(&mut mesh, slot, lane, data, scales, pixels);
            self.deleted_head(&mut mesh, slot, data);
            self.held_back(&mut mesh, slot, data);
            self.end_of_log(&mut mesh, slot, data, pixels);
            self.waiting(&mut mesh, slot, data, pixels);
            self.ghost_stretch(&mut mesh, slot);
        }
        self.folds(&mut mesh, band, &drawn, pixels);
        self.span(&mut mesh, band, slots, pixels);
        for (slot, _, data) in &drawn {
            self.hit_marks(&mut mesh, slot, data, pixels);
        }
        let mut gap_counts = Vec::new();
        for (slot, _, data) in &drawn {
            gap_counts.extend(self.gap_marks(&mut mesh, painter, slot, data));
        }
        self.marks(&mut mesh, band, pixels);
        self.record_marks(&mut mesh, band, &drawn, pixels);
        let mut here = Vec::new();
        let mut more: Vec<MoreFlags> = Vec::new();
        for (slot, _, data) in &drawn {
            let xs = self.cursor_xs(data);
            self.poles(&mut mesh, slot, data, &xs);
            let chosen = self.chosen_cursor(data);
            let (lane_flags, lane_more) = layout::flags(&xs, self.geometry.lane_rect(slot), chosen);
            here.extend(lane_flags.into_iter().map(|flag| PaintedFlag {
                flag,
                lane: slot.index,
                band,
            }));
            more.extend(lane_more);
        }
        let vertices = mesh.vertices.len();
        painter.add(Shape::mesh(mesh));
        for (at, galley) in gap_counts {
            draw::galley(painter, at, Align2::LEFT_CENTER, galley);
        }
        let chips: Vec<Rect> = here
            .iter()
            .map(|painted| painted.flag.chip)
            .chain(more.iter().map(|more| more.chip))
            .chain(slots.iter().filter_map(|slot| self.ghost_chip(slot)))
            .collect();
        for (slot, lane, data) in &drawn {
            let room = Room::new(&chips, self.geometry.lane_rect(slot));
            self.deleted_label(painter, slot, data, &room);
            self.held_back_label(painter, slot, data, &room);
            self.folded_labels(painter, slot, data);
            self.unknown_label(painter, slot, data);
            self.lag_label(painter, slot, lane, data, &room);
        }
        self.chips(painter, &here, &more);
        for slot in slots {
            self.ghost_flag(painter, slot, &chips);
        }
        flags.append(&mut here);
        vertices
    }

    /// Hairlines and the grid, below everything else.
    fn ground(&self, mesh: &mut Mesh, band: Rect, slots: &[LaneSlot], pixels: f32) {
        let hair = 1.0 / pixels;
        let tokens = self.tokens;
        for slot in slots {
            let rect = self.geometry.lane_rect(slot);
            let key = self.lanes.get(slot.index).map(|lane| &lane.key);
            let lit = if key.is_some() && key == self.focused {
                Some(tokens.selected.gamma_multiply(0.4))
            } else if Some(slot.index) == self.hovered {
                Some(tokens.raised.gamma_multiply(0.6))
            } else {
                None
            };
            if let Some(color) = lit {
                mesh.add_colored_rect(rect, color);
            }
            let foot = snap(rect.bottom(), pixels);
            let line = Rect::from_x_y_ranges(rect.x_range(), Rangef::new(foot - hair, foot));
            mesh.add_colored_rect(line, tokens.line.gamma_multiply(0.7));
        }
        for tick in self.ticks.iter().filter(|tick| tick.tier == 0) {
            let x = snap(tick.x, pixels);
            let line = Rect::from_x_y_ranges(Rangef::new(x, x + hair), band.y_range());
            mesh.add_colored_rect(
                line,
                tokens
                    .line
                    .gamma_multiply(if tick.is_day { 1.0 } else { 0.6 }),
            );
        }
    }

    /// The selected span, above the bars and below everything that says something.
    fn span(&self, mesh: &mut Mesh, band: Rect, slots: &[LaneSlot], pixels: f32) {
        let Some(selection) = self.selection else {
            return;
        };
        match &selection.span {
            Span::Time(from, to) if self.is_time() => {
                let place = |at: &TimestampMs| self.geometry.axis.x_clamped(*at);
                let x = Rangef::new(place(from), place(to));
                for slot in slots {
                    let lane = self.lanes.get(slot.index);
                    if lane.is_some_and(|lane| selection.covers(&lane.key)) {
                        self.chosen_band(mesh, Rect::from_x_y_ranges(x, slot.y_range()));
                    }
                }
                self.chosen_edges(mesh, x, band.y_range(), pixels);
            }
            Span::Offsets(ranges) if !self.is_time() => {
                let kind = self.geometry.axis.kind();
                for slot in slots {
                    let lane = self.lanes.get(slot.index);
                    let places = lane.and_then(|lane| offsets::chosen_in(kind, lane, ranges));
                    if let Some((from, to)) = places {
                        let place = |at: i64| self.geometry.axis.x_near(f64_from_i64(at));
                        let x = Rangef::new(place(from), place(to));
                        self.chosen_band(mesh, Rect::from_x_y_ranges(x, slot.y_range()));
                        self.chosen_edges(mesh, x, slot.y_range(), pixels);
                    }
                }
            }
            Span::Time(..) | Span::Offsets(_) => {}
        }
    }

    fn chosen_band(&self, mesh: &mut Mesh, rect: Rect) {
        mesh.add_colored_rect(rect, self.tokens.accent.gamma_multiply(0.17));
    }

    fn chosen_edges(&self, mesh: &mut Mesh, x: Rangef, y: Rangef, pixels: f32) {
        for edge in [x.min, x.max] {
            let edge = snap(edge, pixels);
            let line = Rect::from_x_y_ranges(Rangef::new(edge, edge + 1.0 / pixels), y);
            mesh.add_colored_rect(line, self.tokens.accent.gamma_multiply(0.9));
        }
    }

    /// What a full bar stands for, in topics' lanes and in partitions' lanes.
    fn scales(&self) -> (f64, f64) {
        let (mut topics, mut partitions) = (Vec::new(), Vec::new());
        let columns = &self.geometry.columns;
        for slot in self.geometry.all_slots() {
            let Some(lane) = self.lanes.get(slot.index) else {
                continue;
            };
            let Some(data) = self.cache.get(&lane.key) else {
                continue;
            };
            let counts = if lane.is_topic() {
                &mut topics
            } else {
                &mut partitions
            };
            counts.extend(
                columns
                    .numbers()
                    .map(|column| data.bar(column).count)
                    .filter(|count| *count > 0.0),
            );
        }
        (layout::full_scale(topics), layout::full_scale(partitions))
    }

    fn bars(
        &self,
        mesh: &mut Mesh,
        slot: &LaneSlot,
        lane: &Lane,
        data: &LaneData,
        scales: (f64, f64),
        pixels: f32,
    ) {
        let columns = &self.geometry.columns;
        let axis = &self.geometry.axis;
        let (scale, read, room) = if lane.is_topic() {
            (scales.0, self.tokens.density_topic, slot.height - 8.0)
        } else {
            (scales.1, self.tokens.density_partition, slot.height - 7.0)
        };
        let unread = self.chosen.map_or(read, |name| self.tokens.hue(name));
        let foot = snap(slot.top + slot.height, pixels) - 1.0 / pixels;
        let edge = |column| snap(axis.x_from(f64_from_i64(columns.edge(column))), pixels);
        for (first, end) in columns.stretches() {
            let mut left = edge(first);
            for column in first..end {
                let right = edge(column.saturating_add(1));
                let bar = data.bar(column);
                if bar.count > 0.0 {
                    // A softer seam between two columns lets them be told apart without a fence of gaps.
                    let seam = if right - left >= 2.9 / pixels {
                        1.0 / pixels
                    } else {
                        0.0
                    };
                    let split = (right - seam).max(left + 1.0 / pixels);
                    let height = snap(layout::bar_height(bar.count, scale, room), pixels);
                    let strength = self.strength(&bar);
                    let strong = (
                        read.gamma_multiply(strength),
                        unread.gamma_multiply(strength),
                    );
                    one_bar(mesh, Rangef::new(left, split), foot, height, &bar, strong);
                    if split < right {
                        let softer = (strong.0.gamma_multiply(SEAM), strong.1.gamma_multiply(SEAM));
                        one_bar(mesh, Rangef::new(split, right), foot, height, &bar, softer);
                    }
                    if bar.count > scale {
                        // It stands for more than it can show.
                        let y = Rangef::new(foot - height - 2.0, foot - height - 1.0);
                        mesh.add_colored_rect(
                            Rect::from_x_y_ranges(Rangef::new(left, split), y),
                            self.tokens.dim,
                        );
                    }
                }
                left = right;
            }
        }
    }

    /// How strongly a bar is drawn: softly while it is not counted exactly and may still change, and where it
    /// stands for the chance of a record rather than for one.
    fn strength(&self, bar: &Bar) -> f32 {
        if bar.exact {
            return 1.0;
        }
        let settled = if self.settled { 1.0 } else { 0.72 };
        settled * super::super::num::f32_from_f64(bar.count.clamp(0.3, 1.0))
    }

    /// A thin line of progress at the foot of a lane of which something is not known yet.
    fn waiting(&self, mesh: &mut Mesh, slot: &LaneSlot, data: &LaneData, pixels: f32) {
        if data.knowledge == Knowledge::Waiting {
            let foot = snap(slot.top + slot.height, pixels);
            let y = Rangef::new(foot - 1.0, foot);
            let line = Rect::from_x_y_ranges(self.geometry.lanes.x_range(), y);
            mesh.add_colored_rect(line, self.tokens.accent.gamma_multiply(0.4));
        }
    }

    fn deleted_head(&self, mesh: &mut Mesh, slot: &LaneSlot, data: &LaneData) {
        let Some(deleted) = &data.deleted else { return };
        let lane = self.geometry.lane_rect(slot);
        let before = f64_from_i64(deleted.before.place());
        let right = self.geometry.axis.x_near(before).min(lane.right());
        if right > lane.left() {
            let rect =
                Rect::from_min_max(lane.min + vec2(0.0, 3.0), pos2(right, lane.bottom() - 4.0));
            hatch(mesh, rect, self.tokens.faint.gamma_multiply(0.45));
        }
    }

    fn chosen_cursor(&self, data: &LaneData) -> Option<usize> {
        let chosen = self.chosen?;
        data.cursors
            .iter()
            .position(|cursor| cursor.name == *chosen)
    }

    /// Where a cursor is.
    pub fn cursor_x(&self, cursor: &Cursor) -> f32 {
        match cursor.at {
            Standing::At { time, .. } => self.geometry.axis.x_clamped(time),
            Standing::Offset(place) => self.geometry.axis.x_near(f64_from_i64(place)),
            Standing::End => self.geometry.axis.x_clamped(self.now),
        }
    }

    /// Whether the axis is one of time.
    fn is_time(&self) -> bool {
        self.geometry.axis.kind() == AxisKind::Time
    }

    /// The cursors on screen and where they are, sorted by place.
    fn cursor_xs(&self, data: &LaneData) -> Vec<(usize, f32)> {
        let lanes = self.geometry.lanes.x_range();
        let mut xs: Vec<(usize, f32)> = data
            .cursors
            .iter()
            .enumerate()
            .map(|(index, cursor)| (index, self.cursor_x(cursor)))
            .filter(|(_, x)| lanes.contains(*x))
            .collect();
        xs.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        xs
    }

    /// A pole for every cursor; those in one place are one.
    fn poles(&self, mesh: &mut Mesh, slot: &LaneSlot, data: &LaneData, xs: &[(usize, f32)]) {
        let mut last = f32::NEG_INFINITY;
        let mut chosen_pole = None;
        for (index, x) in xs {
            let Some(cursor) = data.cursors.get(*index) else {
                continue;
            };
            if self.chosen == Some(&cursor.name) {
                chosen_pole = Some((*x, self.tokens.hue(&cursor.name)));
            } else if *x - last >= 1.0 {
                pole(
                    mesh,
                    *x,
                    1.5,
                    slot,
                    self.tokens.hue(&cursor.name).gamma_multiply(0.9),
                );
                last = *x;
            }
        }
        if let Some((x, hue)) = chosen_pole {
            pole(mesh, x, 2.0, slot, hue);
        }
    }

    fn chips(&self, painter: &Painter, flags: &[PaintedFlag], more: &[MoreFlags]) {
        // The chosen group's flag comes last, so that nothing lies on it.
        for above in [false, true] {
            for painted in flags {
                let Some(cursor) = self.cursor_of(painted) else {
                    continue;
                };
                if (self.chosen == Some(&cursor.name)) == above {
                    let hue = self.tokens.hue(&cursor.name);
                    draw::chip(
                        painter,
                        self.tokens,
                        painted.flag.chip,
                        &self.marks.of(&cursor.name),
                        hue,
                    );
                }
            }
        }
        for more in more {
            painter.rect_filled(more.chip, 2, self.tokens.raised);
            let text = if more.count < 100 {
                format!("+{}", more.count)
            } else {
                "…".to_owned()
            };
            let galley = draw::fitted(
                painter,
                &text,
                fonts::strong_of(9.0),
                self.tokens.dim,
                f32::INFINITY,
            );
            draw::galley(painter, more.chip.center(), Align2::CENTER_CENTER, galley);
        }
    }

    /// The cursor that a flag belongs to.
    pub fn cursor_of(&self, painted: &PaintedFlag) -> Option<&Cursor> {
        let lane = self.lanes.get(painted.lane)?;
        self.cache.get(&lane.key)?.cursors.get(painted.flag.cursor)
    }
}
