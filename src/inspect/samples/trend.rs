//! Whether a group catches up: a rule on the last minutes' readings.

use crate::model::Offset;

use super::series::{Series, Stretch};

/// How far back a trend looks, in milliseconds.
pub const WINDOW_MS: i64 = 300_000;
/// Readings must span this much for a trend, in milliseconds.
pub const LEAST_MS: i64 = 12_000;
/// A committed offset that stands still this long while records wait is stuck, in milliseconds.
pub const STUCK_MS: i64 = 30_000;
/// Changes up to one part in so many are none.
const TOLERANCE: u64 = 20;

/// The rule of [`trend`] in words.
pub const RULE: &str = "From the readings of the last 5 minutes without a gap: the least lag of their first half is compared with that of their second half. More than 5 % less is catching up, more than 5 % more is falling behind, and what lies between is steady. Stuck: records wait, and the committed offset has not moved in all that time, 30 s at least. Readings must span 12 s.";

/// Where a lag is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trend {
    /// Records wait, and the committed offset does not move.
    Stuck,
    /// The lag grows.
    FallingBehind,
    /// The lag stays as it is.
    Steady,
    /// The lag shrinks.
    CatchingUp,
}

/// Where the lag is going, of the records from `log_start` on; or why that is not known. The rule is [`RULE`].
///
/// # Errors
/// A sentence that says what is missing.
pub fn trend(series: &Series, log_start: Offset) -> Result<Trend, &'static str> {
    let window = window(series);
    let (Some(first), Some(last)) = (window.first(), window.last()) else {
        return Err("the last reading did not succeed");
    };
    let (from, until) = (first.from.0, last.until.0);
    if until.saturating_sub(from) < LEAST_MS {
        return Err("12 s of readings are needed");
    }
    let middle = from.midpoint(until);
    let lag = |stretch: &Stretch| {
        let offsets = stretch.offsets?;
        offsets.end.since(offsets.committed.max(log_start))
    };
    let older = window.iter().filter(|stretch| stretch.from.0 <= middle);
    let newer = window.iter().filter(|stretch| stretch.until.0 >= middle);
    let (Some(before), Some(after)) = (least(older.map(lag)), least(newer.map(lag))) else {
        return Err("the committed offset lies beyond the end of the log");
    };
    let committed = |stretch: &Stretch| stretch.offsets.map(|offsets| offsets.committed);
    let stands = window
        .iter()
        .all(|stretch| committed(stretch) == committed(first));
    let waits = lag(last).is_some_and(|lag| lag > 0);
    if stands && waits && until.saturating_sub(from) >= STUCK_MS {
        return Ok(Trend::Stuck);
    }
    let tolerance = before / TOLERANCE;
    Ok(if after.saturating_add(tolerance) < before {
        Trend::CatchingUp
    } else if after > before.saturating_add(tolerance) {
        Trend::FallingBehind
    } else {
        Trend::Steady
    })
}

/// The known stretches at the end without a gap, cut to [`WINDOW_MS`].
fn window(series: &Series) -> Vec<Stretch> {
    let Some(until) = series.until() else {
        return Vec::new();
    };
    let begin = until.moved_ms(-WINDOW_MS);
    let mut window: Vec<Stretch> = series
        .stretches()
        .rev()
        .take_while(|stretch| stretch.offsets.is_some() && stretch.until >= begin)
        .map(|stretch| Stretch {
            from: stretch.from.max(begin),
            ..stretch
        })
        .collect();
    window.reverse();
    window
}

/// The least of all; `None` when one of them is not known.
fn least(mut lags: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = lags.next()??;
    lags.try_fold(first, |least, lag| Some(least.min(lag?)))
}

#[cfg(test)]
mod tests {
    use super::super::series::Offsets;
    use super::*;
    use crate::model::TimestampMs;

    /// Readings every 4 s of (end, committed).
    fn series(readings: &[(i64, i64)]) -> Series {
        let mut series = Series::default();
        for (step, (end, committed)) in (0_i64..).zip(readings) {
            let offsets = Offsets {
                end: Offset(*end),
                committed: Offset(*committed),
            };
            series.push(TimestampMs(step * 4_000), Some(offsets), 1_000);
        }
        series
    }

    fn trend_of(readings: &[(i64, i64)]) -> Result<Trend, &'static str> {
        trend(&series(readings), Offset(0))
    }

    #[test]
    fn a_shrinking_lag_is_catching_up_and_a_growing_one_falling_behind() {
        // 50, 45, 40, 35: 45 at least in the first half, 35 in the second.
        assert_eq!(
            trend_of(&[(100, 50), (105, 60), (110, 70), (115, 80)]),
            Ok(Trend::CatchingUp)
        );
        assert_eq!(
            trend_of(&[(100, 50), (110, 55), (120, 60), (130, 65)]),
            Ok(Trend::FallingBehind)
        );
    }

    #[test]
    fn a_lag_within_five_in_a_hundred_is_steady() {
        // 100, 100, 96, 95: 5 less is just not enough.
        assert_eq!(
            trend_of(&[(200, 100), (210, 110), (220, 124), (230, 135)]),
            Ok(Trend::Steady)
        );
        // 94 is.
        assert_eq!(
            trend_of(&[(200, 100), (210, 110), (220, 124), (230, 136)]),
            Ok(Trend::CatchingUp)
        );
    }

    #[test]
    fn a_consumer_that_commits_now_and_then_is_steady() {
        // It reaches the end in both halves.
        let saw = [(10, 10), (20, 10), (30, 30), (40, 30), (50, 50), (60, 50)];
        assert_eq!(trend_of(&saw), Ok(Trend::Steady));
    }

    #[test]
    fn a_commit_that_does_not_move_while_records_wait_is_stuck_after_half_a_minute() {
        let standing: Vec<(i64, i64)> = (0..8).map(|step| (100 + step, 50)).collect();
        // 28 s.
        assert_eq!(trend_of(&standing), Ok(Trend::FallingBehind));
        let longer: Vec<(i64, i64)> = (0..9).map(|step| (100 + step, 50)).collect();
        assert_eq!(trend_of(&longer), Ok(Trend::Stuck));
        let nothing_new: Vec<(i64, i64)> = (0..9).map(|_| (100, 50)).collect();
        assert_eq!(trend_of(&nothing_new), Ok(Trend::Stuck));
    }

    #[test]
    fn standing_at_the_end_is_not_stuck() {
        let at_end: Vec<(i64, i64)> = (0..20).map(|_| (100, 100)).collect();
        assert_eq!(trend_of(&at_end), Ok(Trend::Steady));
    }

    #[test]
    fn deleted_records_do_not_count() {
        // The log now starts at 90: 10 wait, and no more than that.
        let readings = [(100, 10), (100, 20), (100, 30), (100, 40)];
        assert_eq!(trend(&series(&readings), Offset(90)), Ok(Trend::Steady));
        assert_eq!(trend_of(&readings), Ok(Trend::CatchingUp));
    }

    #[test]
    fn only_the_last_minutes_count() {
        // Falling behind for long, then catching up for five minutes.
        let mut readings: Vec<(i64, i64)> = (0..100).map(|step| (step * 20, step * 10)).collect();
        readings.extend((1..80).map(|step| (1_980, 990 + step * 10)));
        assert_eq!(trend_of(&readings), Ok(Trend::CatchingUp));
    }

    #[test]
    fn without_enough_readings_it_says_what_is_missing() {
        assert_eq!(trend_of(&[]), Err("the last reading did not succeed"));
        assert_eq!(
            trend_of(&[(9, 5), (10, 5), (11, 5)]),
            Err("12 s of readings are needed")
        );
        let mut lost = series(&[(9, 5), (10, 5), (11, 5), (12, 6)]);
        lost.push(TimestampMs(16_000), None, 1_000);
        assert_eq!(
            trend(&lost, Offset(0)),
            Err("the last reading did not succeed")
        );
        assert_eq!(
            trend_of(&[(9, 10), (9, 10), (9, 10), (9, 10)]),
            Err("the committed offset lies beyond the end of the log")
        );
    }
}
