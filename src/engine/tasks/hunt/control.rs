//! Giving a search up, pausing it, and keeping it to a rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::engine::cancel::Cancel;

/// The longest sleep before it is looked whether a search was given up.
const NAP: Duration = Duration::from_millis(50);
/// How much of a rate may be spent at once after a time of rest.
const SAVED: Duration = Duration::from_millis(100);

/// What the threads of a search obey. Clones share one state.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Control {
    pub(in crate::engine) cancel: Cancel,
    paused: Arc<AtomicBool>,
    pub(in crate::engine) pace: Arc<Pace>,
    throttled_ms: Arc<AtomicU64>,
}

impl Control {
    /// Control over a search that `cancel` gives up, at so many bytes a second.
    pub(in crate::engine) fn new(cancel: Cancel, bytes_per_second: Option<u64>) -> Self {
        Self {
            cancel,
            pace: Arc::new(Pace::new(bytes_per_second)),
            ..Self::default()
        }
    }

    /// Stops reading for the time being, or goes on.
    pub(in crate::engine) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    /// Whether it is to wait.
    pub(in crate::engine) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// For how many milliseconds brokers made the search wait, of late.
    pub(in crate::engine) fn throttled_ms(&self) -> u64 {
        self.throttled_ms.load(Ordering::Relaxed)
    }

    /// Sleeps as long as `bytes` that were read and brokers that ask for patience make it, unless it is given up.
    pub(in crate::engine::tasks) fn rest(&self, bytes: u64, throttled: Duration) {
        let told = u64::try_from(throttled.as_millis()).unwrap_or(u64::MAX);
        self.throttled_ms.store(told, Ordering::Relaxed);
        let until = Instant::now() + self.pace.spend(bytes, Instant::now()).max(throttled);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.cancel.reason().is_some() {
                return;
            }
            std::thread::sleep(left.min(NAP));
        }
    }

    /// Waits a moment, while it is paused.
    pub(super) fn nap() {
        std::thread::sleep(NAP);
    }
}

/// A bound on bytes a second, for all threads of a search together.
#[derive(Debug, Default)]
pub(in crate::engine) struct Pace {
    /// Bytes a second; 0 for as many as come.
    bound: AtomicU64,
    /// Until when what was spent so far is paid for.
    paid: Mutex<Option<Instant>>,
}

impl Pace {
    fn new(bound: Option<u64>) -> Self {
        Self {
            bound: AtomicU64::new(bound.unwrap_or(0)),
            paid: Mutex::default(),
        }
    }

    /// Whether there is a bound.
    pub(in crate::engine) fn is_bound(&self) -> bool {
        self.bound().is_some()
    }

    /// The bound, in bytes a second.
    pub(in crate::engine) fn bound(&self) -> Option<u64> {
        Some(self.bound.load(Ordering::Relaxed)).filter(|bound| *bound > 0)
    }

    /// Takes the bound away.
    pub(in crate::engine) fn release(&self) {
        self.bound.store(0, Ordering::Relaxed);
    }

    /// How long to wait after `bytes` were read.
    fn spend(&self, bytes: u64, now: Instant) -> Duration {
        let Some(bound) = self.bound() else {
            return Duration::ZERO;
        };
        let nanos = u128::from(bytes).saturating_mul(1_000_000_000) / u128::from(bound);
        let cost = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        let mut paid = self.paid.lock();
        let least = now.checked_sub(SAVED).unwrap_or(now);
        let from = paid.unwrap_or(least).max(least);
        let until = from.checked_add(cost).unwrap_or(from);
        *paid = Some(until);
        until.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_kept_after_what_was_saved_is_spent() {
        let pace = Pace::new(Some(1_000_000));
        let now = Instant::now();
        // A tenth of a second was saved.
        assert_eq!(pace.spend(100_000, now), Duration::ZERO);
        assert_eq!(pace.spend(500_000, now), Duration::from_millis(500));
        assert_eq!(pace.spend(500_000, now), Duration::from_secs(1));
        let later = now + Duration::from_secs(10);
        assert_eq!(pace.spend(200_000, later), Duration::from_millis(100));
        pace.release();
        assert_eq!(pace.spend(u64::MAX, later), Duration::ZERO);
    }
}
