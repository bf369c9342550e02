//! How far behind a group is in one partition.

use crate::model::{
    Commit, Known, Offset, Partition, Problem, ProblemKind, RecordHead, Text, TimestampMs,
    TopicPartition,
};

/// Where a group stands in one partition, and everything that follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The partition.
    pub at: TopicPartition,
    /// The committed offset; `Ok(None)` when the group is assigned the partition and never committed there.
    pub committed: Known<Option<Offset>>,
    /// The leader epoch stored with it.
    pub leader_epoch: Option<i32>,
    /// The text stored with it.
    pub metadata: Text,
    /// The partition's log start offset.
    pub log_start: Known<Offset>,
    /// The partition's high watermark.
    pub high_watermark: Known<Offset>,
    /// The next readable record; `None` when it was not asked for.
    pub next: Option<Known<Option<RecordHead>>>,
}

/// Records behind: from the committed offset, or the log start where that is later, to the high watermark.
///
/// # Errors
/// A committed offset beyond the high watermark has no lag; neither has one whose partition's ends are unknown.
pub fn lag(committed: Offset, log_start: Offset, high_watermark: Offset) -> Known<u64> {
    high_watermark
        .since(committed.max(log_start))
        .ok_or_else(|| {
            Problem::new(
                ProblemKind::Invalid,
                format!(
                    "committed offset {committed} lies beyond the end of the log ({high_watermark})"
                ),
            )
        })
}

impl Place {
    /// The place that `commit` is in a partition with the ends given.
    pub fn new(commit: &Commit, log_start: Known<Offset>, high_watermark: Known<Offset>) -> Self {
        Self {
            at: commit.at.clone(),
            committed: commit.offset.clone(),
            leader_epoch: commit.leader_epoch,
            metadata: commit.metadata.clone(),
            log_start,
            high_watermark,
            next: None,
        }
    }

    /// The place of a commit in `partition`; where the topic or partition is not there any more, its ends
    /// are unknown for that reason.
    pub fn in_partition(commit: &Commit, partition: Option<&Partition>) -> Self {
        let ends = partition.map_or_else(
            || {
                let gone = Problem::new(
                    ProblemKind::NotFound,
                    "there is no such partition (any more)",
                );
                (Err(gone.clone()), Err(gone))
            },
            |partition| {
                (
                    partition.log_start.clone(),
                    partition.high_watermark.clone(),
                )
            },
        );
        Self::new(commit, ends.0, ends.1)
    }

    /// Records behind; `Ok(None)` when the group never committed here.
    ///
    /// # Errors
    /// Why it is not known; a committed offset beyond the end of the log is one reason.
    pub fn lag(&self) -> Known<Option<u64>> {
        let Some(committed) = self.committed.clone()? else {
            return Ok(None);
        };
        lag(
            committed,
            self.log_start.clone()?,
            self.high_watermark.clone()?,
        )
        .map(Some)
    }

    /// Whether the committed offset lies beyond the end of the log.
    pub fn is_beyond_end(&self) -> bool {
        matches!((&self.committed, &self.high_watermark), (Ok(Some(committed)), Ok(end)) if committed > end)
    }

    /// How many records were deleted between the committed offset and the log start.
    pub fn deleted_unread(&self) -> Option<u64> {
        match (&self.committed, &self.log_start) {
            (Ok(Some(committed)), Ok(start)) => start.since(*committed).filter(|count| *count > 0),
            _ => None,
        }
    }

    /// Where the group will read next: the committed offset, or the log start where that is later. `None`
    /// when it never committed, stands at the end or beyond it, or something is unknown.
    pub fn reads_next(&self) -> Option<(Offset, Offset)> {
        match (&self.committed, &self.log_start, &self.high_watermark) {
            (Ok(Some(committed)), Ok(start), Ok(end)) => {
                let from = (*committed).max(*start);
                (from < *end).then_some((from, *end))
            }
            _ => None,
        }
    }

    /// Milliseconds from the time of the next record until `now`; `Some(0)` at the end; `None` when the
    /// group never committed here, the record carries no time, or something is unknown.
    pub fn lag_ms(&self, now: TimestampMs) -> Option<i64> {
        self.lag().ok()??;
        match self.next.as_ref()? {
            Ok(None) => Some(0),
            Ok(Some(head)) => head.timestamp.map(|time| now.since_ms(time)),
            Err(_) => None,
        }
    }

    /// The first reason why something about this place is not known.
    pub fn error(&self) -> Option<Problem> {
        let next = self.next.as_ref().and_then(|next| next.as_ref().err());
        self.committed
            .as_ref()
            .err()
            .or_else(|| self.log_start.as_ref().err())
            .or_else(|| self.high_watermark.as_ref().err())
            .cloned()
            .or_else(|| self.lag().err())
            .or_else(|| next.cloned())
    }
}

/// The lags of several places as one: the sum of those that are known, and whether any is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalLag {
    /// Sum of the known lags; `None` when no place has a known lag.
    pub records: Option<u64>,
    /// Whether some place's lag is unknown, so that the sum is a lower bound.
    pub incomplete: bool,
}

/// Sums the lags of `places`.
pub fn total<'a>(places: impl IntoIterator<Item = &'a Place>) -> TotalLag {
    let mut sum = TotalLag::default();
    for place in places {
        match place.lag() {
            Ok(Some(lag)) => sum.records = Some(sum.records.unwrap_or(0).saturating_add(lag)),
            Ok(None) => {}
            Err(_) => sum.incomplete = true,
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::by_hand;

    fn place(committed: Option<i64>, start: i64, end: i64) -> Place {
        let commit = by_hand::commit("t", 0, committed);
        Place::new(&commit, Ok(Offset(start)), Ok(Offset(end)))
    }

    #[test]
    fn lag_counts_from_the_commit_or_the_log_start() {
        assert_eq!(place(Some(40), 0, 100).lag(), Ok(Some(60)));
        assert_eq!(place(Some(40), 70, 100).lag(), Ok(Some(30)));
        assert_eq!(place(Some(40), 70, 100).deleted_unread(), Some(30));
        assert_eq!(place(Some(100), 0, 100).lag(), Ok(Some(0)));
        assert_eq!(place(None, 0, 100).lag(), Ok(None));
        assert_eq!(place(None, 0, 100).error(), None);
    }

    #[test]
    fn a_commit_beyond_the_end_has_no_lag_and_says_why() {
        let beyond = place(Some(101), 0, 100);
        assert!(beyond.is_beyond_end());
        assert_eq!(beyond.lag_ms(TimestampMs(0)), None);
        let message = beyond.error().unwrap().message;
        assert!(
            message.contains("101") && message.contains("100"),
            "{message}"
        );
    }

    #[test]
    fn what_is_read_next_is_never_before_the_log_start() {
        assert_eq!(
            place(Some(40), 70, 100).reads_next(),
            Some((Offset(70), Offset(100)))
        );
        assert_eq!(place(Some(100), 0, 100).reads_next(), None);
        assert_eq!(
            place(Some(5), 0, 100).reads_next(),
            Some((Offset(5), Offset(100)))
        );
    }

    #[test]
    fn delay_is_the_age_of_the_next_record_and_zero_at_the_end() {
        let mut behind = place(Some(40), 0, 100);
        assert_eq!(behind.lag_ms(TimestampMs(5_000)), None);
        behind.next = Some(Ok(Some(RecordHead {
            offset: Offset(41),
            timestamp: Some(TimestampMs(2_000)),
        })));
        assert_eq!(behind.lag_ms(TimestampMs(5_000)), Some(3_000));
        behind.next = Some(Ok(None));
        assert_eq!(behind.lag_ms(TimestampMs(5_000)), Some(0));
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_a_lower_bound() {
        let mut lost = place(Some(4), 0, 9);
        lost.high_watermark = Err(Problem::new(ProblemKind::NoLeader, "no leader"));
        let places = [place(Some(40), 0, 100), place(None, 0, 100), lost];
        assert_eq!(
            total(&places),
            TotalLag {
                records: Some(60),
                incomplete: true
            }
        );
        assert_eq!(total(&[]), TotalLag::default());
    }
}
