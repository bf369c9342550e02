//! Where in a lane a label has room beside the flags: a number of which a flag hides a digit is a wrong number.

use egui::{Rangef, Rect};

/// The flags of one lane, by their extent along x, from left to right.
pub(super) struct Room {
    taken: Vec<Rangef>,
}

impl Room {
    /// The room that `chips` leave in `lane`.
    pub(super) fn new(chips: &[Rect], lane: Rect) -> Self {
        let mut taken: Vec<Rangef> = chips
            .iter()
            .filter(|chip| lane.y_range().contains(chip.center().y))
            .map(Rect::x_range)
            .collect();
        taken.sort_by(|a, b| a.min.total_cmp(&b.min));
        Self { taken }
    }

    /// The first place at or to the right of `x` at which `width` is free up to `end`.
    pub(super) fn right_of(&self, x: f32, width: f32, end: f32) -> Option<f32> {
        let mut left = x;
        for chip in &self.taken {
            if chip.max > left && chip.min < left + width {
                left = chip.max + 3.0;
            }
        }
        (left + width <= end).then_some(left)
    }

    /// The last place at which `width` is free and ends at `x`, not left of `start`.
    pub(super) fn left_of(&self, x: f32, width: f32, start: f32) -> Option<f32> {
        let mut left = x - width;
        for chip in self.taken.iter().rev() {
            if chip.max > left && chip.min < left + width {
                left = chip.min - 3.0 - width;
            }
        }
        (left >= start).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use egui::{pos2, vec2};

    use super::*;

    fn room() -> Room {
        let chip = |x, y| Rect::from_min_size(pos2(x, y), vec2(14.0, 13.0));
        let lane = Rect::from_min_max(pos2(0.0, 0.0), pos2(500.0, 34.0));
        Room::new(
            &[
                chip(114.0, 1.0),
                chip(100.0, 1.0),
                chip(300.0, 1.0),
                chip(150.0, 40.0),
            ],
            lane,
        )
    }

    #[test]
    fn a_label_moves_past_the_flags_that_it_would_touch() {
        let room = room();
        assert_eq!(room.right_of(100.0, 50.0, 500.0), Some(131.0));
        assert_eq!(room.right_of(131.0, 160.0, 500.0), Some(131.0));
        // 170 would reach the flag at 300.
        assert_eq!(room.right_of(131.0, 170.0, 500.0), Some(317.0));
        assert_eq!(room.right_of(131.0, 190.0, 500.0), None);
    }

    #[test]
    fn to_the_left_it_ends_before_them() {
        let room = room();
        assert_eq!(room.left_of(290.0, 100.0, 0.0), Some(190.0));
        assert_eq!(room.left_of(200.0, 90.0, 0.0), Some(7.0));
        assert_eq!(room.left_of(90.0, 100.0, 0.0), None);
    }
}
