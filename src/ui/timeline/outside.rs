//! What a lane holds that is not on screen: before the left edge, after the right one, inside folded stretches.
//! Pure.

use crate::inspect::density::TimeIndex;
use crate::model::TimestampMs;

use super::axis::Columns;
use super::bars::Source;

/// Records of a lane on one side of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    /// At most so many: offsets without a record count too.
    pub most: u64,
    /// The stretch of time in which the one nearest to the edge lies, as far as it is known.
    pub nearest: Option<Stretch>,
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
            outside.before.add(before(index, from), Ord::max);
            outside.after.add(after(index, to), Ord::min);
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
        self.before.add(other.before, Ord::max);
        self.after.add(other.after, Ord::min);
        self
    }
}

/// A stretch of time.
type Stretch = (TimestampMs, TimestampMs);

impl Beyond {
    fn add(&mut self, other: Self, nearer: impl Fn(Stretch, Stretch) -> Stretch) {
        self.most = self.most.saturating_add(other.most);
        self.nearest = match (self.nearest, other.nearest) {
            (Some(a), Some(b)) => Some(nearer(a, b)),
            (a, b) => a.or(b),
        };
    }

    /// With those records of `index` that were read and whose time lies beyond the edge.
    fn and_read(
        mut self,
        index: &TimeIndex,
        is_beyond: impl Fn(Option<TimestampMs>) -> bool,
        nearer: impl Fn(Stretch, Stretch) -> Stretch,
    ) -> Self {
        for (time, count) in sampled(index).filter(|(time, _)| is_beyond(*time)) {
            let one = Self {
                most: count,
                nearest: time.map(|time| (time, time)),
            };
            self.add(one, &nearer);
        }
        self
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
    let (_, high) = index.offsets_around(from);
    let mut beyond = Beyond {
        most: high.since(index.start()).unwrap_or(0),
        nearest: None,
    };
    if beyond.most > 0 {
        // Back to where it is known that less lies before; when that is not known, to the beginning of time.
        let began = index.known_before(from, high).unwrap_or(TimestampMs(0));
        beyond.nearest = (began < from).then_some((began, from));
    }
    beyond.and_read(index, |time| time.is_none_or(|time| time < from), Ord::max)
}

fn after(index: &TimeIndex, to: TimestampMs) -> Beyond {
    let looked_up = index.tail().map_or_else(|| index.end(), |tail| tail.from);
    let (low, _) = index.offsets_around(to);
    let mut beyond = Beyond {
        most: looked_up.since(low).unwrap_or(0),
        nearest: None,
    };
    if beyond.most > 0 {
        beyond.nearest = index.known_after(to, low).map(|until| (to, until));
    }
    beyond.and_read(index, |time| time.is_some_and(|time| time >= to), Ord::min)
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
    use crate::model::{Offset, RecordHead};

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
    fn what_lies_on_either_side_is_counted_with_the_stretch_in_which_it_is_nearest() {
        let columns = Columns::new(1_000, 2_000, 100);
        let outside = Outside::of(&[source(index())], &columns);
        assert_eq!((outside.before.most, outside.after.most), (30, 10));
        assert_eq!(outside.before.nearest, Some((t(500), t(1_000))));
        assert_eq!(outside.after.nearest, Some((t(2_000), t(3_000))));
    }

    #[test]
    fn between_look_ups_the_count_is_a_bound() {
        let columns = Columns::new(1_500, 1_600, 100);
        let outside = Outside::of(&[source(index())], &columns);
        assert_eq!((outside.before.most, outside.after.most), (90, 70));
        assert_eq!(outside.before.nearest, Some((t(1_000), t(1_500))));
    }

    #[test]
    fn what_no_look_up_reaches_lies_somewhere_since_1970() {
        let mut index = TimeIndex::new(Offset(0), Offset(100));
        index.insert(t(1_000), Some(Offset(30)));
        let outside = Outside::of(&[source(index)], &Columns::new(1_000, 2_000, 100));
        assert_eq!(outside.before.nearest, Some((t(0), t(1_000))));
        assert_eq!((outside.after.most, outside.after.nearest), (70, None));
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
        assert_eq!(outside.before.most, 31);
        // 90 to 95 looked up, 95 and 96 are of the far future; 98 and 99 are on screen.
        assert_eq!(outside.after.most, 7);
    }

    #[test]
    fn lanes_add_up_and_the_nearest_record_counts() {
        let columns = Columns::new(2_500, 2_600, 100);
        let one = Outside::of(&[source(index())], &columns);
        let both = one.clone().and(&Outside::default()).and(&one);
        assert_eq!(both.before.most, 200);
        assert_eq!(both.before.nearest, one.before.nearest);
    }
}
