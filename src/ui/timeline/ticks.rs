//! The marks of the ruler: where they stand and what they say. Pure.

use jiff::tz::TimeZone;

use crate::model::TimestampMs;
use crate::model::time::zoned;

use super::super::format::{self, Precision};
use super::super::num::f64_from_i64;
use super::layout::TimeAxis;

/// Distances between labelled marks, in milliseconds. Beyond the last they double.
const STEPS_MS: [i64; 28] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    15_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    900_000,
    1_800_000,
    3_600_000,
    7_200_000,
    10_800_000,
    21_600_000,
    43_200_000,
    DAY_MS,
    7 * DAY_MS,
];
const DAY_MS: i64 = 86_400_000;
/// Room that a label needs.
const LABEL_POINTS: f32 = 84.0;
/// No ruler has more marks, whatever it is asked for.
const MOST_TICKS: usize = 400;

/// A mark.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it stands.
    pub x: f32,
    /// What it says.
    pub label: String,
    /// Whether it says a day, because a new one begins.
    pub is_day: bool,
}

/// The marks of `axis`, as local times of `zone`.
pub fn ticks(axis: &TimeAxis, zone: &TimeZone) -> Vec<Tick> {
    let least = axis.ms_from_points(LABEL_POINTS);
    let step = step_at_least(least);
    let (from, to) = (axis.range().from(), axis.range().to());
    let mut ticks = Vec::new();
    let mut at = next_multiple(from, step, zone);
    while at <= to && ticks.len() < MOST_TICKS {
        let is_day = is_midnight(at, zone);
        ticks.push(Tick {
            x: axis.x_from_time(f64_from_i64(at.0)),
            label: label(at, step, is_day, zone),
            is_day,
        });
        let next = next_multiple(at.moved_ms(1), step, zone);
        if next <= at {
            break;
        }
        at = next;
    }
    ticks
}

fn step_at_least(least_ms: f64) -> i64 {
    if let Some(step) = STEPS_MS
        .iter()
        .find(|step| f64_from_i64(**step) >= least_ms)
    {
        return *step;
    }
    let mut step = 7 * DAY_MS;
    while f64_from_i64(step) < least_ms && step < i64::MAX / 4 {
        step = step.saturating_mul(2);
    }
    step
}

/// The first time at or after `at` that is a whole multiple of `step` on a local clock.
fn next_multiple(at: TimestampMs, step: i64, zone: &TimeZone) -> TimestampMs {
    let offset = offset_ms(at, zone);
    let local = at.0.saturating_add(offset);
    let up = local
        .saturating_add(step.saturating_sub(1))
        .div_euclid(step)
        .saturating_mul(step);
    let found = TimestampMs(up.saturating_sub(offset));
    // The clock may be put forward or back between here and there.
    let moved = offset.saturating_sub(offset_ms(found, zone));
    let corrected = found.moved_ms(moved);
    if corrected >= at { corrected } else { found }
}

fn offset_ms(at: TimestampMs, zone: &TimeZone) -> i64 {
    zoned(at, zone).map_or(0, |moment| {
        i64::from(moment.offset().seconds()).saturating_mul(1_000)
    })
}

fn is_midnight(at: TimestampMs, zone: &TimeZone) -> bool {
    at.0.saturating_add(offset_ms(at, zone)).rem_euclid(DAY_MS) == 0
}

fn label(at: TimestampMs, step: i64, is_day: bool, zone: &TimeZone) -> String {
    if is_day {
        // Ticks that lie weeks apart or more may lie in different years.
        return if step >= 28 * DAY_MS {
            format::date(at, zone)
        } else {
            format::short_date(at, zone)
        };
    }
    let precision = match step {
        60_000.. => Precision::Minutes,
        1_000.. => Precision::Seconds,
        _ => Precision::Millis,
    };
    format::time_of_day(at, zone, precision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::state::ViewRange;
    use egui::Rangef;

    const HOUR_MS: i64 = 3_600_000;

    fn labels(from: &str, hours: i64, width: f32) -> Vec<String> {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let from = crate::model::time::parse_time(from, TimestampMs(0), &zone)
            .unwrap()
            .at;
        let axis = TimeAxis::new(
            Rangef::new(0.0, width),
            ViewRange::between(from, from.moved_ms(hours * HOUR_MS)),
        );
        ticks(&axis, &zone)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn marks_are_round_local_times() {
        assert_eq!(
            labels("2026-11-30T14:02:00", 1, 600.0),
            vec!["14:10", "14:20", "14:30", "14:40", "14:50", "15:00"]
        );
    }

    #[test]
    fn a_new_day_is_named() {
        assert_eq!(
            labels("2026-11-30T23:00:00", 3, 400.0),
            vec!["23:00", "1 Dec", "01:00", "02:00"]
        );
    }

    #[test]
    fn days_begin_at_local_midnight_across_a_change_of_clocks() {
        // Clocks go back on 25 October 2026.
        assert_eq!(
            labels("2026-10-24T00:00:00", 72, 400.0),
            vec!["24 Oct", "25 Oct", "26 Oct"]
        );
        assert_eq!(
            labels("2026-10-24T12:00:00", 36, 600.0),
            vec!["12:00", "18:00", "25 Oct", "06:00", "12:00", "18:00"]
        );
    }

    #[test]
    fn close_up_marks_show_seconds_and_milliseconds() {
        let zone = TimeZone::UTC;
        let axis = TimeAxis::new(Rangef::new(0.0, 400.0), ViewRange::new(1_000.0, 1_200.0));
        let labels: Vec<String> = ticks(&axis, &zone)
            .into_iter()
            .map(|tick| tick.label)
            .collect();
        assert_eq!(
            labels,
            vec![
                "00:00:01.000",
                "00:00:01.050",
                "00:00:01.100",
                "00:00:01.150",
                "00:00:01.200"
            ]
        );
    }

    #[test]
    fn the_widest_view_has_few_marks() {
        let axis = TimeAxis::new(Rangef::new(0.0, 1_000.0), ViewRange::new(-1e300, 1e300));
        let count = ticks(&axis, &TimeZone::UTC).len();
        assert!(count <= 13, "{count}");
    }
}
