//! What a lane holds that is not on screen: before the left edge, after the right one, inside folded stretches.
//! Pure.

use crate::inspect::density::TimeIndex;
use crate::model::{Offset, TimestampMs};

use super::axis::Columns;
use super::bars::Source;

/// Records of a lane on one side of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    /// At least so many.
    pub least: u64,
    /// At most so many.
    pub most: u64,
    /// About when the one nearest to the edge was written.
    pub nearest: Option<TimestampMs>,
}

/// What is not on screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Before the left edge, or without a time.
    pub before: Beyond,
    /// At or after the right edge.
    pub after: Beyond,
    /// At most so many in each folded stretch.
    pub folded: Vec<u64>,
}

impl Outside {
    /// What `sources` hold outside `columns`.
    pub fn of(sources: &[Source], columns: &Columns) -> Self {
        let (from, to) = (columns.from(), columns.to());
        let mut outside = Self {
            folded: vec![0; columns.left_out().count()],
            ..Self::default()
        };
        for index in sources.iter().filter_map(|source| source.index.as_deref()) {
            outside.before.add(before(index, from), TimestampMs::max);
            outside.after.add(after(index, to), TimestampMs::min);
            for (sum, (begin, end)) in outside.folded.iter_mut().zip(columns.left_out()) {
                let held = between(index, TimestampMs(begin), TimestampMs(end));
                *sum = sum.saturating_add(held);
            }
        }
        outside
    }

    /// Both together, for the whole screen; folded stretches are a lane's own.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.before.add(other.before, TimestampMs::max);
        self.after.add(other.after, TimestampMs::min);
        self
    }
}

impl Beyond {
    fn add(&mut self, other: Self, nearer: impl Fn(TimestampMs, TimestampMs) -> TimestampMs) {
        self.least = self.least.saturating_add(other.least);
        self.most = self.most.saturating_add(other.most);
        self.nearest = match (self.nearest, other.nearest) {
            (Some(a), Some(b)) => Some(nearer(a, b)),
            (a, b) => a.or(b),
        };
    }
}

/// Times of records that were read because look-ups do not find them, each with the offsets it stands for.
fn sampled(index: &TimeIndex) -> impl Iterator<Item = (Option<TimestampMs>, u64)> + '_ {
    let samples = index.tail().map(|tail| tail.samples.as_slice());
    let samples = samples.unwrap_or_default();
    let ends = samples.iter().skip(1).map(|next| next.offset);
    samples
        .iter()
        .zip(ends.chain([index.end()]))
        .map(|(sample, end)| (sample.timestamp, end.since(sample.offset).unwrap_or(0)))
}

fn before(index: &TimeIndex, from: TimestampMs) -> Beyond {
    let (low, high) = index.offsets_around(from);
    let mut beyond = Beyond {
        least: low.since(index.start()).unwrap_or(0),
        most: high.since(index.start()).unwrap_or(0),
        nearest: None,
    };
    if beyond.most > 0 {
        let last = Offset(low.0.saturating_sub(1)).max(index.start());
        let edge = from.moved_ms(-1);
        beyond.nearest = index.time_near(last).map(|time| time.min(edge));
    }
    for (time, count) in sampled(index).filter(|(time, _)| time.is_none_or(|time| time < from)) {
        let one = Beyond {
            least: count,
            most: count,
            nearest: time,
        };
        beyond.add(one, TimestampMs::max);
    }
    beyond
}

fn after(index: &TimeIndex, to: TimestampMs) -> Beyond {
    let looked_up = index.tail().map_or_else(|| index.end(), |tail| tail.from);
    let (low, high) = index.offsets_around(to);
    let mut beyond = Beyond {
        least: looked_up.since(high).unwrap_or(0),
        most: looked_up.since(low).unwrap_or(0),
        nearest: None,
    };
    if beyond.most > 0 {
        beyond.nearest = index.time_near(high).map(|time| time.max(to));
    }
    for (time, count) in sampled(index).filter(|(time, _)| time.is_some_and(|time| time >= to)) {
        let one = Beyond {
            least: count,
            most: count,
            nearest: time,
        };
        beyond.add(one, TimestampMs::min);
    }
    beyond
}

fn between(index: &TimeIndex, from: TimestampMs, to: TimestampMs) -> u64 {
    let (low, high) = (index.offsets_around(from).0, index.offsets_around(to).1);
    let read = sampled(index)
        .filter(|(time, _)| time.is_some_and(|time| (from..to).contains(&time)))
        .map(|(_, count)| count)
        .fold(0, u64::saturating_add);
    high.since(low).unwrap_or(0).saturating_add(read)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::inspect::density::Tail;
    use crate::model::RecordHead;

    fn t(ms: i64) -> TimestampMs {
        TimestampMs(ms)
    }

    /// Offsets 0 to 100: 30 before 1,000, 60 from 1,000 to before 2,000, 10 later.
    fn index() -> TimeIndex {
        let mut index = TimeIndex::new(Offset(0), Offset(100));
        index.insert(t(500), Some(Offset(0)));
        index.insert(t(1_000), Some(Offset(30)));
        index.insert(t(2_000), Some(Offset(90)));
        index.insert(t(3_000), None);
        index
    }

    fn source(index: TimeIndex) -> Source {
        Source {
            index: Some(Arc::new(index)),
            unread_from: None,
        }
    }

    #[test]
    fn what_lies_on_either_side_is_counted_exactly_where_it_was_looked_up() {
        let columns = Columns::new(1_000, 2_000, 100);
        let outside = Outside::of(&[source(index())], &columns);
        assert_eq!((outside.before.least, outside.before.most), (30, 30));
        assert_eq!((outside.after.least, outside.after.most), (10, 10));
        // Offset 29 lies 29 thirtieths of the way from 500 to 1,000.
        assert_eq!(outside.before.nearest, Some(t(983)));
        assert_eq!(outside.after.nearest, Some(t(2_000)));
    }

    #[test]
    fn elsewhere_there_are_bounds() {
        let columns = Columns::new(1_500, 1_600, 100);
        let outside = Outside::of(&[source(index())], &columns);
        assert_eq!((outside.before.least, outside.before.most), (30, 90));
        assert_eq!((outside.after.least, outside.after.most), (10, 70));
    }

    #[test]
    fn records_of_the_far_future_and_without_time_are_found_by_reading() {
        let mut index = index();
        let head = |offset, timestamp: Option<i64>| RecordHead {
            offset: Offset(offset),
            timestamp: timestamp.map(TimestampMs),
        };
        index.set_tail(Tail {
            from: Offset(95),
            samples: vec![
                head(95, Some(9_000_000)),
                head(97, None),
                head(98, Some(1_500)),
            ],
            exact: true,
        });
        let outside = Outside::of(&[source(index)], &Columns::new(1_000, 2_000, 100));
        // 30 looked up, and the one without a time.
        assert_eq!((outside.before.least, outside.before.most), (31, 31));
        // 90 to 95 looked up, 95 and 96 are of the far future; 98 and 99 are on screen.
        assert_eq!((outside.after.least, outside.after.most), (7, 7));
    }

    #[test]
    fn lanes_add_up_and_the_nearest_record_counts() {
        let columns = Columns::new(2_500, 2_600, 100);
        let one = Outside::of(&[source(index())], &columns);
        let both = one.clone().and(&Outside::default()).and(&one);
        assert_eq!(both.before.least, 180);
        assert_eq!(both.before.nearest, one.before.nearest);
    }
}
