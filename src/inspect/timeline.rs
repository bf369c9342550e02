//! Which range of time shows the data, and what a partition looks like in it.

use crate::model::{Known, Offset, PartitionId, Problem, TimestampMs};

use super::density::{Column, Spread, TimeIndex};

/// The range of the bulk of the data up to `now`, as long as that leaves the data half of it or is less than an hour.
pub fn up_to_now(
    (from, to): (TimestampMs, TimestampMs),
    now: TimestampMs,
) -> (TimestampMs, TimestampMs) {
    const HOUR_MS: i64 = 3_600_000;
    let is_recent = now > to && now.since_ms(to) <= to.since_ms(from).max(HOUR_MS);
    (from, if is_recent { now } else { to })
}

/// A partition on a timeline with whole counts.
#[derive(Clone, Debug)]
pub struct PartitionTimeline {
    /// Its number.
    pub partition: PartitionId,
    /// The first offset that can still be read.
    pub log_start: Known<Offset>,
    /// The end for careful readers.
    pub last_stable: Known<Offset>,
    /// The offset the next record will get.
    pub high_watermark: Known<Offset>,
    /// Offsets in each bucket; `None` where it is not resolved.
    pub counts: Vec<Option<u64>>,
    /// Offsets before the first bucket.
    pub before: Option<u64>,
    /// Offsets after the last bucket.
    pub after: Option<u64>,
    /// The widest stretch of time whose records are not told apart, in milliseconds; `None` when it is not known.
    pub resolution_ms: Option<i64>,
    /// Why something about it is not known.
    pub error: Option<Problem>,
}

impl PartitionTimeline {
    /// A partition with the ends given and nothing known of its times.
    pub fn unknown(
        partition: PartitionId,
        log_start: Known<Offset>,
        last_stable: Known<Offset>,
        high_watermark: Known<Offset>,
        buckets: usize,
    ) -> Self {
        Self {
            partition,
            log_start,
            last_stable,
            high_watermark,
            counts: vec![None; buckets],
            before: None,
            after: None,
            resolution_ms: None,
            error: None,
        }
    }

    /// Fills in what `index` knows of `from` to `to`.
    pub fn fill(&mut self, index: &TimeIndex, from: TimestampMs, to: TimestampMs) {
        let Spread {
            columns,
            before,
            after,
        } = index.spread(from, to, self.counts.len());
        self.counts = columns.into_iter().map(whole).collect();
        self.before = whole(before);
        self.after = whole(after);
        let sampled = index.tail().is_some_and(|tail| !tail.exact);
        self.resolution_ms = (!sampled).then(|| index.resolution_ms(from, to));
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an exact count is a whole number that is not negative"
)]
fn whole(column: Column) -> Option<u64> {
    column.exact.then(|| column.count.round() as u64)
}

/// Times before this are no times of events: 2001-09-09. Seconds taken for milliseconds land before it.
const EARLIEST_BELIEVABLE: TimestampMs = TimestampMs(1_000_000_000_000);
/// How far ahead of the clock a time may be and still be believed: one day.
const AHEAD_MS: i64 = 86_400_000;

/// The range, right edge not included, that holds the bulk of sampled times; each sample weighs as many
/// records as it stands for. `None` when there is no sample.
///
/// Times that cannot be meant (long past or in the future) are left out as long as others remain. So is
/// what lies further from the middle 98 % than that is wide.
pub fn bulk(
    samples: &[(TimestampMs, u64)],
    now: TimestampMs,
) -> Option<(TimestampMs, TimestampMs)> {
    let latest = now.moved_ms(AHEAD_MS);
    let believable = |time: TimestampMs| (EARLIEST_BELIEVABLE..=latest).contains(&time);
    let mut sorted: Vec<(TimestampMs, u64)> = samples
        .iter()
        .copied()
        .filter(|(time, _)| believable(*time))
        .collect();
    if sorted.is_empty() {
        sorted = samples.to_vec();
    }
    sorted.sort_unstable();
    let total: u128 = sorted.iter().map(|(_, weight)| u128::from(*weight)).sum();
    let low = weighted_quantile(&sorted, total, 1)?;
    let high = weighted_quantile(&sorted, total, 99)?;
    let margin = high.since_ms(low).max(1);
    let near = |time: &TimestampMs| low.since_ms(*time) <= margin && time.since_ms(high) <= margin;
    let mut inside = sorted.iter().map(|(time, _)| *time).filter(near);
    let first = inside.next()?;
    let last = inside.next_back().unwrap_or(first);
    Some((first, last.moved_ms(1)))
}

fn weighted_quantile(
    sorted: &[(TimestampMs, u64)],
    total: u128,
    percent: u128,
) -> Option<TimestampMs> {
    let mut seen: u128 = 0;
    for (time, weight) in sorted {
        seen = seen.saturating_add(u128::from(*weight));
        if seen.saturating_mul(100) >= total.saturating_mul(percent) {
            return Some(*time);
        }
    }
    sorted.last().map(|(time, _)| *time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: TimestampMs = TimestampMs(1_796_043_720_000);

    fn ago(minutes: i64) -> TimestampMs {
        NOW.moved_ms(-60_000 * minutes)
    }

    #[test]
    fn the_range_covers_all_of_ordinary_data() {
        let samples: Vec<_> = (0..=60).map(|minutes| (ago(minutes), 10)).collect();
        assert_eq!(bulk(&samples, NOW), Some((ago(60), NOW.moved_ms(1))));
    }

    #[test]
    fn absurd_times_do_not_widen_it() {
        let mut samples: Vec<_> = (0..=60).map(|minutes| (ago(minutes), 10)).collect();
        samples.push((TimestampMs(0), 1));
        samples.push((TimestampMs(1_796_043_720), 5));
        samples.push((TimestampMs(4_102_444_800_000), 400));
        assert_eq!(bulk(&samples, NOW), Some((ago(60), NOW.moved_ms(1))));
    }

    #[test]
    fn a_few_old_records_do_not_widen_it_but_many_do() {
        let mut samples: Vec<_> = (0..=60).map(|minutes| (ago(minutes), 100)).collect();
        samples.push((ago(1_000_000), 1));
        assert_eq!(bulk(&samples, NOW).unwrap().0, ago(60));
        samples.push((ago(900_000), 5_000));
        assert_eq!(bulk(&samples, NOW).unwrap().0, ago(1_000_000));
    }

    #[test]
    fn when_only_absurd_times_are_there_they_are_the_range() {
        assert_eq!(
            bulk(&[(TimestampMs(5), 1), (TimestampMs(9), 1)], NOW),
            Some((TimestampMs(5), TimestampMs(10)))
        );
        assert_eq!(bulk(&[], NOW), None);
    }

    #[test]
    fn whole_counts_are_given_only_where_both_edges_are_known() {
        let mut index = TimeIndex::new(Offset(0), Offset(100));
        index.insert(TimestampMs(0), Some(Offset(0)));
        index.insert(TimestampMs(10), Some(Offset(30)));
        index.insert(TimestampMs(30), Some(Offset(90)));
        let mut partition = PartitionTimeline::unknown(
            PartitionId(0),
            Ok(Offset(0)),
            Ok(Offset(100)),
            Ok(Offset(100)),
            3,
        );
        partition.fill(&index, TimestampMs(0), TimestampMs(30));
        assert_eq!(partition.counts, vec![Some(30), None, None]);
        assert_eq!((partition.before, partition.after), (Some(0), Some(10)));
        assert_eq!(partition.resolution_ms, Some(20));
    }
}
