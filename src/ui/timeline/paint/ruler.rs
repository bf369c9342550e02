//! The ruler above the lanes, and the line under the pointer.

use egui::{Align2, Painter, Rangef, Rect, pos2, vec2};

use super::super::super::state::Selection;
use super::super::super::tokens::size;
use super::super::super::{draw, fonts};
use super::super::hover::HoverText;
use super::Scene;
use super::mesh::snap;

impl Scene<'_> {
    /// The ruler: its marks, with labels in the part that is `free`.
    pub fn paint_ruler(&self, painter: &Painter, free: Rangef) {
        let tokens = self.tokens;
        let ruler = self.geometry.ruler;
        let painter = painter.with_clip_rect(ruler);
        painter.rect_filled(ruler, 0, tokens.window);
        painter.hline(ruler.x_range(), ruler.bottom() - 0.5, tokens.hairline());
        let mut free_from = free.min;
        for tick in self.ticks {
            let length = match tick.tier {
                0 => 8.0,
                1 => 5.0,
                _ => 3.0,
            };
            painter.vline(
                tick.x.round() + 0.5,
                Rangef::new(ruler.bottom() - length, ruler.bottom()),
                tokens.hairline(),
            );
            if tick.tier > 0 {
                continue;
            }
            let (font, color) = if tick.is_day {
                (fonts::strong_of(size::SMALL), tokens.text)
            } else {
                (fonts::small_data(), tokens.faint)
            };
            let at = pos2(tick.x + 4.0, ruler.top() + 10.0);
            let label = draw::fitted(&painter, &tick.label, font, color, f32::INFINITY);
            let right = at.x + label.size().x;
            if at.x >= free_from && right <= free.max {
                draw::galley(&painter, at, Align2::LEFT_CENTER, label);
                free_from = right + 8.0;
            }
        }
        for at in self.markers.iter().filter(|_| self.is_time()) {
            let x = self.geometry.axis.x_clamped(*at);
            if ruler.x_range().contains(x) {
                let foot = ruler.bottom();
                let points = vec![
                    pos2(x - 4.0, foot - 9.0),
                    pos2(x + 4.0, foot - 9.0),
                    pos2(x, foot),
                ];
                painter.add(egui::Shape::convex_polygon(
                    points,
                    tokens.accent,
                    egui::Stroke::NONE,
                ));
            }
        }
        self.handles(&painter);
    }

    /// The selected span on the ruler, with its two edges to take hold of.
    fn handles(&self, painter: &Painter) {
        let times = self.selection.and_then(Selection::times);
        let Some((from, to)) = times.filter(|_| self.is_time()) else {
            return;
        };
        let ruler = self.geometry.ruler;
        let x = Rangef::new(
            self.geometry.axis.x_clamped(from),
            self.geometry.axis.x_clamped(to),
        );
        let y = Rangef::new(ruler.bottom() - 10.0, ruler.bottom());
        let accent = self.tokens.accent;
        painter.rect_filled(Rect::from_x_y_ranges(x, y), 0, accent.gamma_multiply(0.25));
        for edge in [x.min, x.max] {
            let grip = Rect::from_center_size(pos2(edge, y.center()), vec2(4.0, 10.0));
            painter.rect_filled(grip, 1, accent);
        }
    }

    /// What the pointer says, docked at the ruler above whatever stands there, and its line.
    pub fn paint_hover(&self, painter: &Painter, x: f32, text: &HoverText) {
        self.docked(&painter.with_clip_rect(self.geometry.ruler), x, text);
        self.paint_hover_line(painter, x);
    }

    fn docked(&self, painter: &Painter, x: f32, text: &HoverText) {
        let ruler = self.geometry.ruler;
        let tokens = self.tokens;
        let gap = ("   ", fonts::data(), tokens.faint);
        let mut parts = vec![(text.time.as_str(), fonts::data(), tokens.text)];
        for (part, font, color) in [
            (&text.place, fonts::text(), tokens.text),
            (&text.offset, fonts::data(), tokens.text),
            (&text.count, fonts::data(), tokens.dim),
        ] {
            if !part.is_empty() {
                parts.push(gap.clone());
                parts.push((part.as_str(), font, color));
            }
        }
        let galley = draw::pieces(painter, &parts, ruler.width() - 20.0);
        let width = galley.size().x + 16.0;
        let left = (x - width / 2.0)
            .min(ruler.right() - width - 2.0)
            .max(ruler.left() + 2.0);
        let rect = Rect::from_min_size(
            pos2(left, ruler.top() + 3.0),
            vec2(width, ruler.height() - 7.0),
        );
        painter.rect_filled(rect, size::RADIUS, tokens.raised);
        painter.rect_stroke(
            rect,
            size::RADIUS,
            tokens.hairline(),
            egui::StrokeKind::Inside,
        );
        draw::galley(painter, rect.center(), Align2::CENTER_CENTER, galley);
    }

    /// The line under the pointer, through all lanes.
    fn paint_hover_line(&self, painter: &Painter, x: f32) {
        let pixels = painter.pixels_per_point();
        let x = snap(x, pixels);
        let from = self.geometry.ruler.bottom() - 5.0;
        let line = Rect::from_x_y_ranges(
            Rangef::new(x, x + 1.0 / pixels),
            Rangef::new(from, self.geometry.lanes.bottom()),
        );
        painter.rect_filled(line, 0, self.tokens.hover_line);
    }
}
