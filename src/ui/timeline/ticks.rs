//! The marks of the ruler: where they stand and what they say. Pure.

use jiff::tz::TimeZone;

use crate::model::time::zoned;
use crate::model::{Offset, TimestampMs};

use super::super::format::{self, Precision};
use super::super::num::{f64_from_i64, i64_from_f64};
use super::super::state::AxisKind;
use super::axis::{self, Axis, BELOW_A_DAY_MS, DAY_MS};

/// The distances between labelled marks that are longer than those of [`axis::BELOW_A_DAY_MS`]. Beyond the last they
/// double.
const DAYS_MS: [i64; 2] = [DAY_MS, 7 * DAY_MS];
/// Room that a label needs.
const LABEL_POINTS: f32 = 84.0;
/// No ruler has more marks, whatever it is asked for.
const MOST_TICKS: usize = 1_000;

/// A mark.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// What it stands for.
    pub value: f64,
    /// Where it stands.
    pub x: f32,
    /// What it says; nothing when it is one of those between.
    pub label: String,
    /// Whether it says a day, because a new one begins.
    pub is_day: bool,
    /// How much it counts: 0 is labelled, 1 and 2 are between.
    pub tier: u8,
}

/// The marks of `axis`: local times of `zone`, or offsets.
pub fn ticks(axis: &Axis, zone: &TimeZone) -> Vec<Tick> {
    let mut ticks = Vec::new();
    let mut after_fold = false;
    for piece in axis.pieces() {
        if piece.folded {
            after_fold = true;
            continue;
        }
        let from = TimestampMs(i64_from_f64(piece.from.ceil()));
        let to = TimestampMs(i64_from_f64(piece.to.floor()));
        if axis.kind() == AxisKind::Time {
            time_ticks(axis, zone, (from, to), after_fold, &mut ticks);
        } else {
            number_ticks(axis, (from.0, to.0), &mut ticks);
        }
    }
    ticks
}

fn time_ticks(
    axis: &Axis,
    zone: &TimeZone,
    (from, to): (TimestampMs, TimestampMs),
    mut names_day: bool,
    ticks: &mut Vec<Tick>,
) {
    let step = step_at_least(axis.span_from_points(LABEL_POINTS));
    let between = between(axis, step, &steps_ms());
    let mut at = next_multiple(from, step, zone);
    let mut left = from;
    while left <= to && ticks.len() < MOST_TICKS {
        // The marks between count from the labelled one to their right.
        add_between(axis, (left.0, at.0.min(to.0)), at.0, between, ticks);
        if at > to {
            break;
        }
        let is_day = is_midnight(at, zone);
        let mut text = label(at, step, is_day, zone);
        if std::mem::take(&mut names_day) && !is_day {
            text = format!("{} {text}", format::short_date(at, zone));
        }
        ticks.push(Tick {
            value: f64_from_i64(at.0),
            x: axis.x_from(f64_from_i64(at.0)),
            label: text,
            is_day,
            tier: 0,
        });
        let next = next_multiple(at.moved_ms(1), step, zone);
        if next <= at {
            break;
        }
        left = at.moved_ms(1);
        at = next;
    }
}

fn number_ticks(axis: &Axis, (from, to): (i64, i64), ticks: &mut Vec<Tick>) {
    let step = axis::step_at_least(
        axis.kind(),
        f64::from(LABEL_POINTS) * axis.span_from_points(1.0),
    );
    let between = between(axis, step, &[10, 5, 2].into_iter().map(|part| step / part));
    let mut at = from
        .saturating_add(step - 1)
        .div_euclid(step)
        .saturating_mul(step);
    let mut left = from;
    while left <= to && ticks.len() < MOST_TICKS {
        add_between(axis, (left, at.min(to)), at, between, ticks);
        if at > to {
            break;
        }
        ticks.push(Tick {
            value: f64_from_i64(at),
            x: axis.x_from(f64_from_i64(at)),
            label: format::offset(Offset(at)),
            is_day: false,
            tier: 0,
        });
        left = at.saturating_add(1);
        at = at.saturating_add(step);
    }
}

/// The distances of the two kinds of marks between labelled ones that are `step` apart: the closest that can
/// still be told apart; 0 where there is no room.
fn between(axis: &Axis, step: i64, distances: &(impl Iterator<Item = i64> + Clone)) -> [i64; 2] {
    let closest = |points: f32| {
        let least = axis.span_from_points(points);
        distances
            .clone()
            .filter(|distance| *distance > 0 && *distance < step && step % distance == 0)
            .filter(|distance| f64_from_i64(*distance) >= least)
            .min()
            .unwrap_or(0)
    };
    [closest(18.0), closest(5.0)]
}

/// Adds the marks between `from` and `to`, both not included, counted back from `anchor`.
fn add_between(
    axis: &Axis,
    (from, to): (i64, i64),
    anchor: i64,
    [middle, small]: [i64; 2],
    ticks: &mut Vec<Tick>,
) {
    let distance = if small > 0 { small } else { middle };
    if distance <= 0 {
        return;
    }
    let first = anchor.saturating_sub(from).div_euclid(distance);
    for back in (1..=first.clamp(0, 1_000)).rev() {
        let at = anchor.saturating_sub(back.saturating_mul(distance));
        if at >= to {
            break;
        }
        let is_middle = middle > 0 && anchor.saturating_sub(at) % middle == 0;
        ticks.push(Tick {
            value: f64_from_i64(at),
            x: axis.x_from(f64_from_i64(at)),
            label: String::new(),
            is_day: false,
            tier: if is_middle { 1 } else { 2 },
        });
    }
}

/// The distances that labelled marks may have, in milliseconds, up to those that double.
fn steps_ms() -> impl Iterator<Item = i64> + Clone {
    BELOW_A_DAY_MS.into_iter().chain(DAYS_MS)
}

fn step_at_least(least_ms: f64) -> i64 {
    if let Some(step) = steps_ms().find(|step| f64_from_i64(*step) >= least_ms) {
        return step;
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
        let axis = Axis::new(
            Rangef::new(0.0, width),
            ViewRange::between(from, from.moved_ms(hours * HOUR_MS)),
        );
        said(&axis, &zone)
    }

    /// What the labelled marks say.
    fn said(axis: &Axis, zone: &TimeZone) -> Vec<String> {
        let labelled = ticks(axis, zone).into_iter().filter(|tick| tick.tier == 0);
        labelled.map(|tick| tick.label).collect()
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
        let axis = Axis::new(Rangef::new(0.0, 400.0), ViewRange::new(1_000.0, 1_200.0));
        assert_eq!(
            said(&axis, &zone),
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
        let axis = Axis::new(Rangef::new(0.0, 1_000.0), ViewRange::new(-1e300, 1e300));
        let count = said(&axis, &TimeZone::UTC).len();
        assert!(count <= 13, "{count}");
        assert!(ticks(&axis, &TimeZone::UTC).len() < MOST_TICKS);
    }

    #[test]
    fn between_labelled_marks_are_two_kinds_of_smaller_ones() {
        // 10 minutes are labelled, 100 points apart; 2 minutes have 20 points, 1 minute has 10, 30 s have 5.
        let from = TimestampMs(1_796_004_000_000);
        let axis = Axis::new(
            Rangef::new(0.0, 600.0),
            ViewRange::between(from, from.moved_ms(HOUR_MS)),
        );
        let ticks = ticks(&axis, &TimeZone::UTC);
        let count = |tier| ticks.iter().filter(|tick| tick.tier == tier).count();
        // 7 labelled ones; 4 of 2 minutes and 15 of 30 s in each of the 6 gaps.
        assert_eq!((count(0), count(1), count(2)), (7, 24, 90));
        let second = ticks.iter().find(|tick| tick.tier == 1).unwrap();
        assert!((second.x - 20.0).abs() < 1e-3);
    }

    #[test]
    fn offsets_are_marked_with_round_numbers() {
        let axis = Axis::folded(
            Rangef::new(0.0, 500.0),
            ViewRange::new(-1_020.0, 20.0),
            AxisKind::FromEnd,
            &std::sync::Arc::default(),
        );
        assert_eq!(
            said(&axis, &TimeZone::UTC),
            vec!["−1,000", "−800", "−600", "−400", "−200", "0"]
        );
    }

    #[test]
    fn behind_a_fold_the_day_is_said_and_nothing_inside_it() {
        let from = TimestampMs(1_796_004_000_000);
        let folds: std::sync::Arc<[axis::Fold]> = std::sync::Arc::new([axis::Fold {
            from: f64_from_i64(from.0 + HOUR_MS),
            to: f64_from_i64(from.0 + 49 * HOUR_MS),
        }]);
        let axis = Axis::folded(
            Rangef::new(0.0, 428.0),
            ViewRange::between(from, from.moved_ms(50 * HOUR_MS)),
            AxisKind::Time,
            &folds,
        );
        // 2026-11-30 02:00 UTC on; two hours on 400 points.
        assert_eq!(
            said(&axis, &TimeZone::UTC),
            vec!["02:00", "02:30", "03:00", "2 Dec 03:00", "03:30", "04:00"]
        );
    }
}
