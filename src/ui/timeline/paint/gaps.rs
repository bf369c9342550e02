//! The marks of findings: one for each column that holds any, by what the worst of them is.

use std::sync::Arc;

use egui::{Color32, Galley, Mesh, Painter, Pos2, Rect, pos2, vec2};

use crate::model::Certainty;

use super::super::super::num::f64_from_i64;
use super::super::super::{draw, fonts, format};
use super::super::cache::LaneData;
use super::super::gaps::{Class, Gap};
use super::super::layout::LaneSlot;
use super::Scene;

/// Half the width of a mark, and its height.
const HALF: f32 = 5.0;
const HEIGHT: f32 = 8.0;
/// Marks nearer to one another than this are one, with a count.
const NEAR: f32 = 14.0;

impl Scene<'_> {
    /// Paints them along the lower edge of a lane; the counts beside them, to be painted on top.
    pub(super) fn gap_marks(
        &self,
        mesh: &mut Mesh,
        painter: &Painter,
        slot: &LaneSlot,
        data: &LaneData,
    ) -> Vec<(Pos2, Arc<Galley>)> {
        let mut counts = Vec::new();
        let (columns, axis) = (&self.geometry.columns, &self.geometry.axis);
        let x = |column: i64| axis.x_from(f64_from_i64(columns.edge(column)));
        let mut merged: Vec<(f32, Gap)> = Vec::new();
        for (column, gap) in data.gaps() {
            let here = f32::midpoint(x(*column), x(column.saturating_add(1)));
            match merged.last_mut() {
                Some((last, before)) if here - *last < NEAR => {
                    before.count = before.count.saturating_add(gap.count);
                    (before.class, before.certainty) =
                        (before.class, before.certainty).max((gap.class, gap.certainty));
                }
                _ => merged.push((here, *gap)),
            }
        }
        let foot = slot.top + slot.height - 2.0;
        for (x, gap) in merged {
            let color = self.gap_color(&gap);
            let area = Rect::from_min_max(pos2(x - HALF, foot - HEIGHT), pos2(x + HALF, foot));
            let halo = area.expand(2.0);
            mesh.add_colored_rect(halo, self.tokens.window);
            shape(mesh, area, gap.class, color);
            if gap.count > 1 {
                let text = format::count(gap.count);
                let galley = draw::fitted(painter, &text, fonts::small(), color, 40.0);
                let at = pos2(area.right() + 3.0, area.center().y);
                let back =
                    Rect::from_center_size(at + vec2(galley.size().x / 2.0, 0.0), galley.size());
                mesh.add_colored_rect(back.expand(1.0), self.tokens.window);
                counts.push((at, galley));
            }
        }
        counts
    }

    fn gap_color(&self, gap: &Gap) -> Color32 {
        match gap.certainty {
            Certainty::Proof => self.tokens.error,
            Certainty::Strong => self.tokens.warning,
            Certainty::Hint => self.tokens.dim,
        }
    }
}

/// A triangle that points down for a loss, a square for what stands still, a diamond for a question.
fn shape(mesh: &mut Mesh, area: Rect, class: Class, color: Color32) {
    let points = match class {
        Class::Loss => vec![area.left_top(), area.right_top(), area.center_bottom()],
        Class::Stuck => {
            mesh.add_colored_rect(area.shrink2(vec2(1.0, 0.0)), color);
            return;
        }
        Class::Question => vec![
            area.center_top(),
            area.right_center(),
            area.center_bottom(),
            area.left_center(),
        ],
    };
    let Ok(first) = u32::try_from(mesh.vertices.len()) else {
        return;
    };
    for point in &points {
        mesh.colored_vertex(*point, color);
    }
    for next in 1..points.len().saturating_sub(1) {
        let next = first.saturating_add(u32::try_from(next).unwrap_or(0));
        mesh.add_triangle(first, next, next.saturating_add(1));
    }
}
