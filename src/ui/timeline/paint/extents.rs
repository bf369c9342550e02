//! Where a lane's log ends, what of it careful readers are not given yet, what is folded, what is marked.

use egui::{Mesh, Painter, Rangef, Rect, pos2};

use crate::model::TimestampMs;

use super::super::super::format;
use super::super::super::num::f64_from_i64;
use super::super::super::{draw, fonts};
use super::super::cache::LaneData;
use super::super::layout::LaneSlot;
use super::super::offsets;
use super::mesh::{hatch, snap};
use super::room::Room;
use super::{Drawn, Scene};

impl Scene<'_> {
    /// Stripes over what careful readers are not given yet.
    pub(super) fn held_back(&self, mesh: &mut Mesh, slot: &LaneSlot, data: &LaneData) {
        if let Some(rect) = self.held_back_rect(slot, data) {
            mesh.add_colored_rect(rect, self.tokens.window.gamma_multiply(0.45));
            hatch(mesh, rect, self.tokens.warning.gamma_multiply(0.5));
        }
    }

    fn held_back_rect(&self, slot: &LaneSlot, data: &LaneData) -> Option<Rect> {
        let held = data.held_back?;
        let lane = self.geometry.lane_rect(slot);
        let x = |place| self.geometry.axis.x_near(f64_from_i64(place));
        // However little it is, it is seen.
        let to = x(held.to).max(x(held.from) + 4.0).min(lane.right());
        let rect = Rect::from_min_max(
            pos2(x(held.from).max(lane.left()), lane.top() + 3.0),
            pos2(to, lane.bottom() - 4.0),
        );
        rect.is_positive().then_some(rect)
    }

    pub(super) fn held_back_label(
        &self,
        painter: &Painter,
        slot: &LaneSlot,
        data: &LaneData,
        room: &Room,
    ) {
        let (Some(held), Some(rect)) = (data.held_back, self.held_back_rect(slot, data)) else {
            return;
        };
        let count = format::count(held.count);
        for text in [
            format!("{count} held back by an open transaction"),
            format!("{count} held back"),
        ] {
            let color = self.tokens.warning;
            let galley = draw::fitted(painter, &text, fonts::small(), color, f32::INFINITY);
            let at = pos2(rect.left() + 4.0, rect.center().y);
            let width = draw::pill_rect(at, &galley).width();
            if let Some(x) = room.right_of(at.x, width, rect.right() - 2.0) {
                draw::pill(painter, self.tokens, pos2(x, at.y), galley);
                return;
            }
        }
    }

    /// A short line behind the last record of a partition.
    pub(super) fn end_of_log(
        &self,
        mesh: &mut Mesh,
        slot: &LaneSlot,
        data: &LaneData,
        pixels: f32,
    ) {
        let Some(last) = data.last else { return };
        let lane = self.geometry.lane_rect(slot);
        let x = snap(self.geometry.axis.x_clamped(last), pixels) + 1.0;
        if lane.x_range().contains(x) {
            let line = Rect::from_x_y_ranges(
                Rangef::new(x, x + 1.0 / pixels),
                Rangef::new(lane.center().y, lane.bottom() - 1.0),
            );
            mesh.add_colored_rect(line, self.tokens.faint);
        }
    }

    /// The stretches that are folded: a torn strip through all lanes, lit where a lane holds something in it.
    pub(super) fn folds(&self, mesh: &mut Mesh, band: Rect, drawn: &[Drawn<'_>], pixels: f32) {
        const TOOTH: f32 = 6.0;
        let tokens = self.tokens;
        let folded = self
            .geometry
            .axis
            .pieces()
            .iter()
            .filter(|piece| piece.folded);
        for (index, piece) in folded.enumerate() {
            let x = |value| snap(self.geometry.axis.x_from(value), pixels);
            let (left, right) = (x(piece.from), x(piece.to));
            let strip = Rect::from_x_y_ranges(Rangef::new(left, right), band.y_range());
            mesh.add_colored_rect(strip, tokens.panel);
            for (edge, inward) in [(left, 1.0), (right, -1.0)] {
                let mut top = (band.top() / TOOTH).floor() * TOOTH;
                while top < band.bottom() {
                    let base = u32::try_from(mesh.vertices.len()).unwrap_or(u32::MAX);
                    for at in [
                        pos2(edge, top),
                        pos2(edge + inward * 4.0, top + TOOTH / 2.0),
                        pos2(edge, top + TOOTH),
                    ] {
                        mesh.colored_vertex(at, tokens.line);
                    }
                    mesh.add_triangle(base, base.saturating_add(1), base.saturating_add(2));
                    top += TOOTH;
                }
            }
            for (slot, _, data) in drawn {
                if data.outside.folded.get(index).is_some_and(|held| *held > 0) {
                    let y = Rangef::new(slot.top + 4.0, slot.top + slot.height - 4.0);
                    let x = Rangef::new(left + 6.0, right - 6.0);
                    mesh.add_colored_rect(
                        Rect::from_x_y_ranges(x, y),
                        tokens.warning.gamma_multiply(0.35),
                    );
                }
            }
        }
    }

    /// How much a lane holds inside folded stretches: they are folded by what was looked at before, and nothing
    /// may be hidden by that.
    pub(super) fn folded_labels(&self, painter: &Painter, slot: &LaneSlot, data: &LaneData) {
        let folded = self
            .geometry
            .axis
            .pieces()
            .iter()
            .filter(|piece| piece.folded);
        for (piece, held) in folded.zip(&data.outside.folded) {
            if *held > 0 {
                let text = format::short_count(*held);
                let color = self.tokens.warning;
                let galley = draw::fitted(painter, &text, fonts::small_data(), color, 34.0);
                let middle = f64::midpoint(piece.from, piece.to);
                let at = pos2(
                    self.geometry.axis.x_from(middle),
                    slot.top + slot.height / 2.0,
                );
                draw::galley(painter, at, egui::Align2::CENTER_CENTER, galley);
            }
        }
    }

    /// The times that the person has marked.
    pub(super) fn marks(&self, mesh: &mut Mesh, band: Rect, pixels: f32) {
        if !self.is_time() {
            return;
        }
        for at in self.markers {
            let x = snap(self.geometry.axis.x_clamped(*at), pixels);
            if !band.x_range().contains(x) {
                continue;
            }
            let mut top = band.top();
            while top < band.bottom() {
                let dash = Rect::from_x_y_ranges(
                    Rangef::new(x, x + 1.0 / pixels),
                    Rangef::new(top, (top + 4.0).min(band.bottom())),
                );
                mesh.add_colored_rect(dash, self.tokens.accent);
                top += 7.0;
            }
        }
    }

    /// Where the record under the pointer in the table is in time, and the record to which the eye is drawn.
    pub(super) fn record_marks(
        &self,
        mesh: &mut Mesh,
        band: Rect,
        drawn: &[Drawn<'_>],
        pixels: f32,
    ) {
        let line = |at: TimestampMs| {
            let x = snap(self.geometry.axis.x_clamped(at), pixels);
            Rangef::new(x, x + 1.0 / pixels)
        };
        if let Some(at) = self.row_time.filter(|_| self.is_time()) {
            let rect = Rect::from_x_y_ranges(line(at), band.y_range());
            mesh.add_colored_rect(rect, self.tokens.hover_line.gamma_multiply(0.7));
        }
        let Some(revealed) = self.revealed else {
            return;
        };
        for (slot, lane, _) in drawn {
            if !lane.partitions().contains(&revealed.at) {
                continue;
            }
            let x = if self.is_time() {
                line(revealed.time)
            } else {
                let kind = self.geometry.axis.kind();
                let place = offsets::place_in(kind, lane, &revealed.at, revealed.offset);
                let Some(place) = place else { continue };
                let x = snap(self.geometry.axis.x_near(f64_from_i64(place)), pixels);
                Rangef::new(x, x + 1.0 / pixels)
            };
            let y = Rangef::new(slot.top + 1.0, slot.top + slot.height - 1.0);
            let color = self.tokens.accent;
            mesh.add_colored_rect(Rect::from_x_y_ranges(x.expand(1.0), y), color);
            let base = u32::try_from(mesh.vertices.len()).unwrap_or(u32::MAX);
            for at in [
                pos2(x.min - 4.0, y.min),
                pos2(x.max + 4.0, y.min),
                pos2(x.center(), y.min + 6.0),
            ] {
                mesh.colored_vertex(at, color);
            }
            mesh.add_triangle(base, base.saturating_add(1), base.saturating_add(2));
        }
    }
}
