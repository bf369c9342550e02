//! When a committed offset last changed, as far as somebody has looked.

use crate::model::{Known, Offset, TimestampMs};

/// A change of a committed offset between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The reading that saw it first.
    pub at: TimestampMs,
    /// By how many offsets, negative when it went back; `None` when it was the first commit, or was taken away.
    pub by: Option<i64>,
}

/// What is known of a committed offset's changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Movement {
    /// The first reading that succeeded; `None` while none did.
    pub since: Option<TimestampMs>,
    /// The last change after that.
    pub last: Option<Moved>,
    committed: Option<Offset>,
}

impl Movement {
    /// What is known after `committed` was read at `at`; a reading that failed changes nothing.
    #[must_use]
    pub fn after(mut self, at: TimestampMs, committed: &Known<Option<Offset>>) -> Self {
        let Ok(now) = committed else {
            return self;
        };
        if self.since.is_none() {
            self.since = Some(at);
        } else if self.committed != *now {
            let both = self.committed.zip(*now);
            self.last = Some(Moved {
                at,
                by: both.map(|(before, now)| now.0.saturating_sub(before.0)),
            });
        }
        self.committed = *now;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Problem, ProblemKind};

    fn at(seconds: i64) -> TimestampMs {
        TimestampMs(seconds * 1_000)
    }

    fn lost() -> Known<Option<Offset>> {
        Err(Problem::new(ProblemKind::TimedOut, "no answer"))
    }

    fn moved(seconds: i64, by: Option<i64>) -> Moved {
        Moved {
            at: at(seconds),
            by,
        }
    }

    #[test]
    fn the_first_reading_is_no_movement() {
        let seen = Movement::default().after(at(4), &Ok(Some(Offset(7))));
        assert_eq!((seen.since, seen.last), (Some(at(4)), None));
    }

    #[test]
    fn a_change_is_dated_by_the_reading_that_saw_it() {
        let seen = Movement::default()
            .after(at(0), &Ok(Some(Offset(7))))
            .after(at(4), &Ok(Some(Offset(19))))
            .after(at(8), &Ok(Some(Offset(19))));
        assert_eq!(
            (seen.since, seen.last),
            (Some(at(0)), Some(moved(4, Some(12))))
        );
        let back = seen.after(at(12), &Ok(Some(Offset(2))));
        assert_eq!(back.last, Some(moved(12, Some(-17))));
    }

    #[test]
    fn the_first_commit_is_a_movement_when_there_was_none_before() {
        let none = Movement::default().after(at(0), &Ok(None));
        assert_eq!((none.since, none.last), (Some(at(0)), None));
        assert_eq!(
            none.after(at(4), &Ok(Some(Offset(3)))).last,
            Some(moved(4, None))
        );
    }

    #[test]
    fn what_could_not_be_read_is_compared_with_what_comes_after() {
        let still = Movement::default()
            .after(at(0), &Ok(Some(Offset(7))))
            .after(at(4), &lost())
            .after(at(8), &Ok(Some(Offset(7))));
        assert_eq!(still.last, None);
        let seen = still
            .after(at(12), &lost())
            .after(at(16), &Ok(Some(Offset(8))));
        assert_eq!(seen.last, Some(moved(16, Some(1))));
    }
}
