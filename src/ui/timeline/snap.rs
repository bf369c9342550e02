//! Where a line that follows the pointer comes to stand: on what is near it, on the ruler's marks, or exactly
//! under the pointer. Pure.

use super::axis::Axis;

/// What is nearer than this is meant.
const REACH: f32 = 8.0;

/// How the pointer's line moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snapping {
    /// To what is near.
    #[default]
    Near,
    /// To the ruler's marks.
    Coarse,
    /// Not at all.
    Off,
}

/// The value for the pointer at `x`: one of `points` when it is near, or of `marks` when only those count.
pub fn snapped(x: f32, axis: &Axis, how: Snapping, points: &[f64], marks: &[f64]) -> f64 {
    let nearest = |values: &[f64]| {
        values
            .iter()
            .map(|value| (*value, (axis.x_from(*value) - x).abs()))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let found = match how {
        Snapping::Off => None,
        Snapping::Near => nearest(points).filter(|(_, distance)| *distance <= REACH),
        Snapping::Coarse => nearest(marks),
    };
    found.map_or_else(|| axis.value_from_x(x), |(value, _)| value)
}

#[cfg(test)]
mod tests {
    use egui::Rangef;

    use super::super::super::state::ViewRange;
    use super::*;

    #[test]
    fn the_line_stands_on_what_is_near_unless_it_must_not() {
        let axis = Axis::new(Rangef::new(0.0, 1_000.0), ViewRange::new(0.0, 10_000.0));
        let (points, marks) = ([4_950.0, 5_300.0], [0.0, 4_000.0, 8_000.0]);
        let at = |x, how| snapped(x, &axis, how, &points, &marks);
        assert!((at(500.0, Snapping::Near) - 4_950.0).abs() < 1e-6);
        assert!((at(504.0, Snapping::Near) - 5_040.0).abs() < 1e-6);
        assert!((at(500.0, Snapping::Off) - 5_000.0).abs() < 1e-6);
        assert!((at(590.0, Snapping::Coarse) - 4_000.0).abs() < 1e-6);
        assert!((at(610.0, Snapping::Coarse) - 8_000.0).abs() < 1e-6);
    }
}
