//! The axes of the trajectory: what is in sight, round times, heights with a sign. Pure.

use egui_plot::{GridInput, GridMark, PlotBounds, PlotPoints};

use crate::inspect::samples::{Point, Trajectory};
use crate::model::Offset;

use super::super::super::format;
use super::super::super::num::{f64_from_i64, i64_from_f64};

/// Distances between marks of time, in milliseconds. Beyond the last they double.
const STEPS_MS: [i64; 14] = [
    1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
    7_200_000, 21_600_000, 86_400_000,
];

/// How far numbers at the left stand apart at least, in points.
pub const LINE_OF_NUMBERS: f32 = 18.0;

/// A change: `+1,200`, `−7`, `0`.
pub fn signed(change: i64) -> String {
    let sign = if change > 0 { "+" } else { "" };
    format!("{sign}{}", format::offset(Offset(change)))
}

/// What stands at a height; nothing at what is no whole number.
pub fn height_label(value: f64) -> String {
    let whole = value.round();
    if (value - whole).abs() > 1e-6 {
        return String::new();
    }
    signed(i64_from_f64(whole))
}

/// Marks at round whole heights, as close together as their numbers can stand. `least_points`: how many points the
/// plot's own least step fills.
pub fn height_marks(input: &GridInput, least_points: f32) -> Vec<GridMark> {
    const MOST: usize = 100;
    let (from, until) = input.bounds;
    let least = input.base_step_size.abs() / f64::from(least_points) * f64::from(LINE_OF_NUMBERS);
    let mut tens = 1.0;
    while tens * 10.0 <= least {
        tens *= 10.0;
    }
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * tens);
    let step = steps.into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(tens * 10.0);
    let first = (from / step).ceil();
    (0_i32..)
        .map(|index| (first + f64::from(index)) * step)
        .take_while(|value| *value <= until)
        .take(MOST)
        .map(|value| GridMark {
            value,
            step_size: step,
        })
        .collect()
}

/// The lines as the plot takes them.
pub fn points(pieces: &[Vec<Point>]) -> Vec<PlotPoints<'static>> {
    let piece = |points: &Vec<Point>| {
        points
            .iter()
            .map(|(at, height)| [f64_from_i64(at.0), f64_from_i64(*height)])
            .collect()
    };
    pieces.iter().map(piece).collect()
}

/// All of the lines with a little room above and below.
pub fn bounds(lines: &Trajectory) -> PlotBounds {
    let all = || lines.produced.iter().chain(&lines.committed).flatten();
    let times = || all().map(|(at, _)| at.0);
    let heights = || all().map(|(_, height)| *height);
    let (from, until) = (times().min().unwrap_or(0), times().max().unwrap_or(1));
    let (low, high) = (heights().min().unwrap_or(0), heights().max().unwrap_or(1));
    let wide = f64_from_i64(until.saturating_sub(from)).max(1_000.0);
    let tall = f64_from_i64(high.saturating_sub(low)).max(4.0);
    let (aside, above) = (wide * 0.02, tall * 0.08);
    PlotBounds::from_min_max(
        [f64_from_i64(from) - aside, f64_from_i64(low) - above],
        [
            f64_from_i64(from) + wide + aside,
            f64_from_i64(low) + tall + above,
        ],
    )
}

/// Marks at round times, about four on screen.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the plot hands its question over"
)]
pub fn time_marks(input: GridInput) -> Vec<GridMark> {
    let (from, until) = input.bounds;
    let least = (until - from) / 3.5;
    let mut step = STEPS_MS
        .into_iter()
        .find(|step| f64_from_i64(*step) >= least)
        .unwrap_or(86_400_000);
    while f64_from_i64(step) < least && step < i64::MAX / 4 {
        step = step.saturating_mul(2);
    }
    let mut marks = Vec::new();
    let mut at = i64_from_f64(from).div_euclid(step).saturating_mul(step);
    while f64_from_i64(at) <= until && marks.len() < 20 {
        if f64_from_i64(at) >= from {
            marks.push(GridMark {
                value: f64_from_i64(at),
                step_size: f64_from_i64(step),
            });
        }
        at = at.saturating_add(step);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::samples::{Offsets, Series};
    use crate::model::TimestampMs;

    #[test]
    fn heights_are_whole_and_have_a_sign() {
        assert_eq!(height_label(0.0), "0");
        assert_eq!(height_label(1_200.0), "+1,200");
        assert_eq!(height_label(-7.0), "−7");
        assert_eq!(height_label(0.5), "");
    }

    #[test]
    fn heights_are_numbered_as_closely_as_there_is_room() {
        // `points`: how many there are from the lowest to the highest.
        let marks = |from: f64, until: f64, points: f64| -> Vec<i64> {
            let input = GridInput {
                bounds: (from, until),
                base_step_size: (until - from) / points * 8.0,
            };
            let marks = height_marks(&input, 8.0);
            marks
                .into_iter()
                .map(|mark| i64_from_f64(mark.value))
                .collect()
        };
        assert_eq!(marks(-0.3, 4.3, 90.0), [0, 1, 2, 3, 4]);
        assert_eq!(marks(-0.3, 4.3, 60.0), [0, 2, 4]);
        assert_eq!(marks(-3.0, 23.0, 100.0), [0, 5, 10, 15, 20]);
        assert_eq!(marks(-70.0, 1_030.0, 100.0), [0, 200, 400, 600, 800, 1_000]);
        // However deep, between two records there is nothing.
        assert_eq!(marks(0.0, 1.0, 900.0), [0, 1]);
    }

    #[test]
    fn marks_of_time_are_round() {
        let marks = |from: f64, until: f64| -> Vec<i64> {
            let input = GridInput {
                bounds: (from, until),
                base_step_size: 1.0,
            };
            time_marks(input)
                .into_iter()
                .map(|mark| i64_from_f64(mark.value))
                .collect()
        };
        assert_eq!(marks(1_001_000.0, 1_019_000.0), [1_010_000]);
        assert_eq!(
            marks(1_000_500.0, 1_007_000.0),
            [1_002_000, 1_004_000, 1_006_000]
        );
        assert_eq!(marks(0.0, 4_000_000.0), [0, 1_800_000, 3_600_000]);
        assert!(marks(0.0, 1e15).len() <= 20);
    }

    #[test]
    fn a_flat_line_has_room_around_it() {
        let mut series = Series::default();
        let offsets = Offsets {
            end: Offset(5),
            committed: Offset(5),
        };
        series.push(TimestampMs(0), Some(offsets), 10);
        series.push(TimestampMs(4_000), Some(offsets), 10);
        let bounds = bounds(&Trajectory::new(&series, 2_000));
        assert!(bounds.height() >= 4.0 && bounds.width() >= 4_000.0);
    }
}
