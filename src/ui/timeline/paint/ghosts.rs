//! The flags that the chosen group would have after what is planned: hollow, with the stretch hatched that would
//! run again or be skipped.

use egui::{Mesh, Painter, Rangef, Rect, pos2, vec2};

use super::super::super::tokens::size;
use super::super::super::{draw, fonts};
use super::super::ghosts::Ghost;
use super::super::layout::LaneSlot;
use super::Scene;
use super::mesh::{hatch, pole};
use super::room::Room;

impl Scene<'_> {
    fn ghost_of(&self, slot: &LaneSlot) -> Option<(&Ghost, egui::Color32)> {
        let ghost = self.ghosts.get(&slot.index)?;
        Some((ghost, self.tokens.hue(self.chosen?)))
    }

    /// The stretch between where the group stands and where it would stand.
    pub(super) fn ghost_stretch(&self, mesh: &mut Mesh, slot: &LaneSlot) {
        let Some((ghost, hue)) = self.ghost_of(slot) else {
            return;
        };
        let lane = self.geometry.lane_rect(slot);
        let x = |value: f64| self.geometry.axis.x_near(value);
        if let Some(from) = ghost.from {
            let (a, b) = (x(from).min(x(ghost.to)), x(from).max(x(ghost.to)));
            let rect = Rect::from_min_max(
                pos2(a.max(lane.left()), lane.top() + 1.0),
                pos2(b.min(lane.right()), lane.bottom() - 1.0),
            );
            if rect.is_positive() {
                // What would run again is lit like what was not read; what would be skipped is quiet.
                let ground = if ghost.to < from {
                    hue.gamma_multiply(0.3)
                } else {
                    self.tokens.window.gamma_multiply(0.5)
                };
                mesh.add_colored_rect(rect, ground);
                hatch(mesh, rect, hue.gamma_multiply(0.6));
            }
        }
        if lane.x_range().contains(x(ghost.to)) {
            pole(mesh, x(ghost.to), 1.5, slot, hue);
        }
    }

    /// The hollow flag of `slot`; `None` where it is off the screen.
    pub fn ghost_chip(&self, slot: &LaneSlot) -> Option<Rect> {
        let (ghost, _) = self.ghost_of(slot)?;
        let lane = self.geometry.lane_rect(slot);
        let x = self.geometry.axis.x_near(ghost.to);
        lane.x_range().contains(x).then(|| {
            let left = x.min(lane.right() - size::CHIP);
            Rect::from_min_size(
                pos2(left, lane.top() + 1.0),
                vec2(size::CHIP, size::CHIP - 1.0),
            )
        })
    }

    /// The hollow flag and what is said beside it.
    pub(super) fn ghost_flag(&self, painter: &Painter, slot: &LaneSlot, chips: &[Rect]) {
        let (Some((ghost, hue)), Some(name)) = (self.ghost_of(slot), self.chosen) else {
            return;
        };
        let lane = self.geometry.lane_rect(slot);
        let chip = self.ghost_chip(slot);
        if let Some(chip) = chip {
            painter.rect_filled(chip, 2, self.tokens.window);
            draw::hollow_chip(painter, chip, &self.marks.of(name), hue);
        }
        if ghost.said.is_empty() {
            return;
        }
        let color = self.tokens.text;
        let galley = draw::fitted(
            painter,
            &ghost.said,
            fonts::small(),
            color,
            lane.width() - 24.0,
        );
        let width = draw::pill_rect(pos2(0.0, 0.0), &galley).width();
        let chip_edges = chip.map_or_else(
            || {
                let x = self
                    .geometry
                    .axis
                    .x_near(ghost.to)
                    .clamp(lane.left(), lane.right());
                Rangef::point(x)
            },
            |chip| chip.x_range(),
        );
        // Below the flags where the lane is high enough, so that it covers none.
        let y = lane.bottom() - 9.0;
        let room = Room::new(chips, lane);
        let right = (chip_edges.max + 4.0).min(lane.right() - width - 4.0);
        let at = room
            .right_of(chip_edges.max + 4.0, width, lane.right() - 2.0)
            .or_else(|| room.left_of(chip_edges.min - 4.0, width, lane.left()))
            .unwrap_or_else(|| right.max(lane.left() + 2.0));
        draw::pill(painter, self.tokens, pos2(at, y), galley);
    }
}
