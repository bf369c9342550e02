//! The range of time on screen, and how it moves.

use crate::inspect::timeline::up_to_now;
use crate::model::TimestampMs;

use super::super::num::{f64_from_i64, i64_from_f64};

/// Times beyond these have no date, and no view shows them: years −9000 and 9000, about.
const EARLIEST_MS: f64 = -3.4e14;
const LATEST_MS: f64 = 2.2e14;
/// The narrowest view.
const NARROWEST_MS: f64 = 50.0;

/// A range on screen, with fractions, so that slow panning adds up: of time, in milliseconds since 1970; or of
/// offsets, on an axis of those.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewRange {
    /// The left edge.
    pub from_ms: f64,
    /// The right edge, later than the left one.
    pub to_ms: f64,
}

impl ViewRange {
    /// The range between two times, made to hold something and to have dates.
    pub fn new(from_ms: f64, to_ms: f64) -> Self {
        let (from, to) = if from_ms <= to_ms {
            (from_ms, to_ms)
        } else {
            (to_ms, from_ms)
        };
        let span = (to - from).clamp(NARROWEST_MS, LATEST_MS - EARLIEST_MS);
        let from = from.clamp(EARLIEST_MS, LATEST_MS - span);
        Self {
            from_ms: from,
            to_ms: from + span,
        }
    }

    /// The range between two whole times.
    pub fn between(from: TimestampMs, to: TimestampMs) -> Self {
        Self::new(f64_from_i64(from.0), f64_from_i64(to.0))
    }

    /// Its length in milliseconds.
    pub fn span_ms(self) -> f64 {
        self.to_ms - self.from_ms
    }

    /// `factor` times as close, with `at_ms` staying where it is.
    #[must_use]
    pub fn zoomed(self, factor: f64, at_ms: f64) -> Self {
        let factor = if factor.is_finite() && factor > 0.0 {
            factor
        } else {
            1.0
        };
        let span = (self.span_ms() / factor).clamp(NARROWEST_MS, LATEST_MS - EARLIEST_MS);
        let share = (at_ms - self.from_ms) / self.span_ms();
        let from = at_ms - share * span;
        Self::new(from, from + span)
    }

    /// Moved by `ms`.
    #[must_use]
    pub fn panned(self, ms: f64) -> Self {
        if !ms.is_finite() {
            return self;
        }
        let span = self.span_ms();
        let from = (self.from_ms + ms).clamp(EARLIEST_MS, LATEST_MS - span);
        Self {
            from_ms: from,
            to_ms: from + span,
        }
    }

    /// Of the same length, with `time` in its middle.
    #[must_use]
    pub fn centered_on(self, time: TimestampMs) -> Self {
        let half = self.span_ms() / 2.0;
        let middle = f64_from_i64(time.0);
        Self::new(middle - half, middle + half)
    }

    /// Whether `time` lies in it.
    pub fn holds(self, time: TimestampMs) -> bool {
        (self.from_ms..self.to_ms).contains(&f64_from_i64(time.0))
    }

    /// The left edge as a whole time.
    pub fn from(self) -> TimestampMs {
        TimestampMs(i64_from_f64(self.from_ms.floor()))
    }

    /// The right edge as a whole time.
    pub fn to(self) -> TimestampMs {
        TimestampMs(i64_from_f64(self.to_ms.ceil()))
    }
}

/// The range that follows the data: its bulk, extended to now as long as that leaves it at least half of the
/// screen, with a little room at the right for the flags of groups that are at the end.
pub fn following(bulk: Option<(TimestampMs, TimestampMs)>, now: TimestampMs) -> ViewRange {
    const HOUR_MS: i64 = 3_600_000;
    let (from, to) = up_to_now(bulk.unwrap_or_else(|| (now.moved_ms(-HOUR_MS), now)), now);
    let room = f64_from_i64(to.since_ms(from).max(1_000)) * 0.015;
    ViewRange::new(f64_from_i64(from.0), f64_from_i64(to.0) + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: ViewRange = ViewRange {
        from_ms: 1_000_000.0,
        to_ms: 2_000_000.0,
    };

    fn t(ms: i64) -> TimestampMs {
        TimestampMs(ms)
    }

    #[test]
    fn zooming_keeps_the_time_under_the_pointer() {
        let zoomed = SHOWN.zoomed(2.0, 1_250_000.0);
        assert_eq!(
            zoomed,
            ViewRange {
                from_ms: 1_125_000.0,
                to_ms: 1_625_000.0
            }
        );
        assert_eq!(zoomed.zoomed(0.5, 1_250_000.0), SHOWN);
    }

    #[test]
    fn a_view_keeps_a_width_and_its_dates() {
        let close = SHOWN.zoomed(1e12, 1_500_000.0);
        assert!((close.span_ms() - 50.0).abs() < 1e-6);
        let far = SHOWN.zoomed(1e-12, 1_500_000.0);
        assert_eq!((far.from_ms, far.to_ms), (EARLIEST_MS, LATEST_MS));
        assert_eq!(SHOWN.zoomed(f64::NAN, 0.0), SHOWN);
        assert_eq!(SHOWN.panned(f64::INFINITY), SHOWN);
        assert_eq!(
            SHOWN.panned(1e20),
            ViewRange {
                from_ms: LATEST_MS - 1_000_000.0,
                to_ms: LATEST_MS
            }
        );
    }

    #[test]
    fn slow_panning_adds_up() {
        let mut view = ViewRange::new(1_800_000_000_000.0, 1_800_000_000_100.0);
        for _ in 0..100 {
            view = view.panned(0.1);
        }
        assert!(
            (view.from_ms - 1_800_000_000_010.0).abs() < 0.05,
            "{}",
            view.from_ms
        );
    }

    #[test]
    fn following_ends_now_with_a_little_room() {
        let range = following(Some((t(0), t(3_600_000))), t(4_000_000));
        assert_eq!(range.from(), t(0));
        assert_eq!(range.to(), t(4_060_000));
    }

    #[test]
    fn following_stays_with_data_that_is_long_past() {
        let range = following(Some((t(0), t(10_000_000))), t(900_000_000_000));
        assert_eq!(range.to(), t(10_150_000));
    }

    #[test]
    fn following_nothing_shows_the_last_hour() {
        let range = following(None, t(3_600_000));
        assert_eq!((range.from(), range.to()), (t(0), t(3_654_000)));
    }
}
