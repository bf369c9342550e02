//! How busy the shop is: peaks, a quiet stretch, noise.

use super::super::generated::mix;

/// One minute, in milliseconds.
pub(super) const MINUTE: i64 = 60_000;
/// How far the history reaches back, in minutes.
pub(super) const HISTORY_MINUTES: i64 = 360;
/// Orders in an ordinary minute.
const ORDERS_A_MINUTE: i64 = 14;
/// (minute of the history, business in thousandths); straight lines in between.
const SHAPE: &[(i64, i64)] = &[
    (0, 700),
    (30, 1_100),
    (50, 1_900),
    (85, 1_000),
    (148, 800),
    (156, 60),
    (188, 40),
    (196, 900),
    (252, 2_300),
    (280, 1_500),
    (330, 900),
    (HISTORY_MINUTES, 1_000),
];

/// How many orders arrive in a minute of the history, or after it.
pub(super) fn orders(seed: u64, minute: i64) -> i64 {
    // Between 60 and 140 hundredths, different in every minute.
    let noise = 60 + i64::try_from(mix(seed ^ minute.cast_unsigned()) % 81).unwrap_or(0);
    let thousandths = ORDERS_A_MINUTE * business(minute) * noise / 100;
    let rest = i64::try_from(mix(seed.rotate_left(9) ^ minute.cast_unsigned()) % 1_000);
    (thousandths + rest.unwrap_or(0)) / 1_000
}

fn business(minute: i64) -> i64 {
    let mut before = (0, 1_000);
    for &(at, level) in SHAPE {
        if minute < at {
            let (from, start) = before;
            return start + (level - start) * (minute - from) / (at - from).max(1);
        }
        before = (at, level);
    }
    before.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_follows_straight_lines_between_the_given_minutes() {
        assert_eq!(business(0), 700);
        // Halfway between (30, 1100) and (50, 1900).
        assert_eq!(business(40), 1_500);
        assert_eq!(business(252), 2_300);
        assert_eq!(business(10_000), 1_000);
    }

    #[test]
    fn the_quiet_stretch_has_hardly_an_order_and_the_peak_has_many() {
        let sum = |from: i64| {
            (from..from + 20)
                .map(|minute| orders(7, minute))
                .sum::<i64>()
        };
        assert!(sum(160) < 40, "{}", sum(160));
        assert!(sum(245) > 400, "{}", sum(245));
    }
}
