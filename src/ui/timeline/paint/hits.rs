//! The marks of a search's hits: one for each column that holds any, as high as they are many.

use egui::{Mesh, Rangef, Rect};

use super::super::super::num::{f32_from_f64, f64_from_i64};
use super::super::cache::LaneData;
use super::super::layout::LaneSlot;
use super::Scene;
use super::mesh::snap;

/// The least height of a mark, and the most that it grows by.
const HEIGHT: (f32, f32) = (4.0, 5.0);
/// The least width of a mark.
const LEAST: f32 = 2.0;

impl Scene<'_> {
    /// Paints them along the upper edge of a lane, each with a faint line down to the records that they are among.
    pub(super) fn hit_marks(&self, mesh: &mut Mesh, slot: &LaneSlot, data: &LaneData, pixels: f32) {
        if !data.has_hits() {
            return;
        }
        let (columns, axis) = (&self.geometry.columns, &self.geometry.axis);
        let edge = |column| snap(axis.x_from(f64_from_i64(columns.edge(column))), pixels);
        let (top, foot) = (
            snap(slot.top + 1.0, pixels),
            snap(slot.top + slot.height, pixels) - 1.0 / pixels,
        );
        let faint = self.tokens.accent.gamma_multiply(0.28);
        for column in columns.numbers() {
            let count = data.hits(column);
            if count == 0 {
                continue;
            }
            let left = edge(column);
            let right = edge(column.saturating_add(1)).max(left + LEAST);
            let many = f64::from(u32::try_from(count).unwrap_or(u32::MAX)).log10();
            let height = HEIGHT.0 + f32_from_f64(many * 2.0).min(HEIGHT.1);
            let x = Rangef::new(left, right);
            let line = Rangef::new(left, left + LEAST.min(right - left));
            mesh.add_colored_rect(Rect::from_x_y_ranges(line, Rangef::new(top, foot)), faint);
            mesh.add_colored_rect(
                Rect::from_x_y_ranges(x, Rangef::new(top, snap(top + height, pixels))),
                self.tokens.accent,
            );
        }
    }
}
