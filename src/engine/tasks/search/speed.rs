//! How fast a search goes, of late.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How far back "of late" reaches.
const LATE: Duration = Duration::from_secs(2);

/// What was read when.
#[derive(Default)]
pub(super) struct Speed(VecDeque<(Instant, u64, u64)>);

impl Speed {
    /// Records and bytes a second over the last two seconds, `records` and `bytes` being those read by `now`.
    pub(super) fn of(&mut self, now: Instant, records: u64, bytes: u64) -> (u64, u64) {
        self.0.push_back((now, records, bytes));
        while self.0.len() > 2
            && self
                .0
                .get(1)
                .is_some_and(|(at, ..)| now.saturating_duration_since(*at) >= LATE)
        {
            self.0.pop_front();
        }
        let Some((since, records_then, bytes_then)) = self.0.front().copied() else {
            return (0, 0);
        };
        let passed = now.saturating_duration_since(since).as_millis();
        let per_second = |now: u64, then: u64| {
            let more = u128::from(now.saturating_sub(then)).saturating_mul(1_000);
            u64::try_from(more.checked_div(passed).unwrap_or(0)).unwrap_or(u64::MAX)
        };
        (
            per_second(records, records_then),
            per_second(bytes, bytes_then),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_two_seconds_count() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut speed = Speed::default();
        assert_eq!(speed.of(at(0), 0, 0), (0, 0));
        assert_eq!(speed.of(at(500), 1_000, 10_000), (2_000, 20_000));
        assert_eq!(speed.of(at(1_000), 1_000, 10_000), (1_000, 10_000));
        // The first 500 ms are out of sight now.
        assert_eq!(speed.of(at(2_500), 5_000, 50_000), (2_000, 20_000));
        assert_eq!(speed.of(at(9_000), 5_000, 50_000), (0, 0));
    }
}
