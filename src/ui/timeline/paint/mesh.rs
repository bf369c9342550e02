//! The pieces that the one mesh is made of.

use egui::{Color32, Mesh, Rangef, Rect, pos2};

use super::super::super::num::f32_from_f64;
use super::super::bars::Bar;
use super::super::layout::LaneSlot;

/// One column, in the colours of what is read and of what is not.
pub(super) fn one_bar(
    mesh: &mut Mesh,
    x: Rangef,
    foot: f32,
    height: f32,
    bar: &Bar,
    (read, unread): (Color32, Color32),
) {
    let share = (bar.unread / bar.count).clamp(0.0, 1.0);
    let unread_height = height * f32_from_f64(share);
    if unread_height < height {
        let y = Rangef::new(foot - height, foot - unread_height);
        mesh.add_colored_rect(Rect::from_x_y_ranges(x, y), read);
    }
    if unread_height > 0.0 {
        let y = Rangef::new(foot - unread_height, foot);
        mesh.add_colored_rect(Rect::from_x_y_ranges(x, y), unread);
    }
}

pub(super) fn pole(mesh: &mut Mesh, x: f32, width: f32, slot: &LaneSlot, color: Color32) {
    let y = Rangef::new(slot.top + 1.0, slot.top + slot.height - 1.0);
    mesh.add_colored_rect(Rect::from_x_y_ranges(Rangef::new(x, x + width), y), color);
}

/// Stripes at 45° over `rect`, with soft edges.
pub(super) fn hatch(mesh: &mut Mesh, rect: Rect, color: Color32) {
    const DISTANCE: f32 = 8.0;
    const HALF_WIDTHS: [(f32, f32); 4] = [(-1.1, 0.0), (-0.3, 1.0), (0.3, 1.0), (1.1, 0.0)];
    let height = rect.height();
    // Stripes stand still on the screen while the edge of the rectangle moves over them.
    let mut foot =
        (rect.left() / DISTANCE).floor() * DISTANCE - (height / DISTANCE).ceil() * DISTANCE;
    while foot < rect.right() {
        let start = (rect.left() - foot).clamp(0.0, height);
        let end = (rect.right() - foot).clamp(0.0, height);
        if end - start > 1.0 {
            let base = u32::try_from(mesh.vertices.len()).unwrap_or(u32::MAX);
            for along in [start, end] {
                for (across, strength) in HALF_WIDTHS {
                    let at = pos2(foot + along + across, rect.bottom() - along);
                    mesh.colored_vertex(at, color.gamma_multiply(strength));
                }
            }
            for strip in 0..3_u32 {
                let (a, b) = (
                    base.saturating_add(strip),
                    base.saturating_add(strip).saturating_add(4),
                );
                mesh.add_triangle(a, a.saturating_add(1), b);
                mesh.add_triangle(a.saturating_add(1), b, b.saturating_add(1));
            }
        }
        foot += DISTANCE;
    }
}

/// `value` on a whole pixel.
pub(super) fn snap(value: f32, pixels: f32) -> f32 {
    (value * pixels).round() / pixels
}
