//! How the records of one partition spread over time, from look-ups of offsets by time.
//!
//! A look-up of time `t` answers the first offset whose record's time is at or after `t`. Two look-ups
//! therefore bound the number of offsets between two times without reading a record. What is known is
//! kept in a [`TimeIndex`]; [`TimeIndex::wanted`] says which look-ups would sharpen a view most. It halves
//! intervals and leaves those alone in which nothing lies, so that a quiet partition costs a handful.
//!
//! Look-ups are blind behind a record that is dated into the future: it is the first answer for every time
//! up to its own. From there on the index goes by times that were read from records, the [`Tail`].

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Bound;

use crate::model::{Offset, RecordHead, TimestampMs};

/// What is known of the times of one partition's offsets.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeIndex {
    start: Offset,
    end: Offset,
    points: BTreeMap<TimestampMs, Offset>,
    tail: Option<Tail>,
}

/// Times of offsets where look-ups are blind, read from the records themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// Where it begins; look-ups stand for what is before.
    pub from: Offset,
    /// Records of the tail in offset order, each standing for the offsets up to the next one.
    pub samples: Vec<RecordHead>,
    /// Whether every record of the tail is among the samples.
    pub exact: bool,
}

impl Tail {
    /// This tail and what came after it.
    #[must_use]
    pub fn followed_by(mut self, news: Self) -> Self {
        self.exact &= news.exact;
        self.samples.extend(news.samples);
        self
    }
}

/// The offsets whose time falls in one column of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// How many there are; a fraction when it is drawn from a straight line between look-ups.
    pub count: f64,
    /// Whether both edges of the column are known exactly.
    pub exact: bool,
}

/// How a partition's offsets lie around and in a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// Offsets before the left edge.
    pub before: Column,
    /// Offsets at or after the right edge.
    pub after: Column,
}

impl TimeIndex {
    /// An index of a partition whose offsets run from `start`, included, to `end`, not included.
    pub fn new(start: Offset, end: Offset) -> Self {
        Self {
            start,
            end: end.max(start),
            points: BTreeMap::new(),
            tail: None,
        }
    }

    /// The first offset that can still be read.
    pub fn start(&self) -> Offset {
        self.start
    }

    /// The offset the next record will get.
    pub fn end(&self) -> Offset {
        self.end
    }

    /// The stretch where look-ups are blind, when there is one.
    pub fn tail(&self) -> Option<&Tail> {
        self.tail.as_ref()
    }

    /// How many look-ups are kept.
    pub fn known(&self) -> usize {
        self.points.len()
    }

    /// Takes the partition's present ends. What was known of the past stays, but for answers that said "no
    /// later record": a record that came since may answer them now. When the log is shorter than before it
    /// is another log, and everything is forgotten.
    pub fn set_ends(&mut self, start: Offset, end: Offset) {
        if end < self.end || start < self.start {
            *self = Self::new(start, end);
            return;
        }
        if end > self.end {
            let old_end = self.end;
            self.points.retain(|_, offset| *offset < old_end);
            self.tail = None;
        }
        self.start = start;
        self.end = end.max(start);
    }

    /// Takes the answer to the look-up of `time`; `None` is "no record at or after it".
    pub fn insert(&mut self, time: TimestampMs, answer: Option<Offset>) {
        let offset = answer.unwrap_or(self.end).clamp(self.start, self.end);
        self.points.insert(time, offset);
    }

    /// Takes times read from records where look-ups are blind.
    pub fn set_tail(&mut self, tail: Tail) {
        self.tail = Some(tail);
    }

    /// Where look-ups stop to be trusted: the beginning of the tail, or the end.
    fn looked_up_end(&self) -> Offset {
        self.tail
            .as_ref()
            .map_or(self.end, |tail| tail.from.clamp(self.start, self.end))
    }

    /// The offsets between which the first one at or after `time` lies, and the times they belong to.
    fn bracket(&self, time: TimestampMs) -> Bracket {
        let end = self.looked_up_end();
        let clamp = |offset: Offset| offset.clamp(self.start, end);
        let low = self.points.range(..=time).next_back();
        let high = self.points.range(time..).next();
        Bracket {
            low_time: low.map(|(time, _)| *time),
            low: low.map_or(self.start, |(_, offset)| clamp(*offset)),
            high_time: high.map(|(time, _)| *time),
            high: high.map_or(end, |(_, offset)| clamp(*offset)),
        }
    }

    /// The first offset at or after `time`, as far as look-ups know: a point on the straight line between
    /// the two nearest ones, and whether it is exact.
    pub fn offset_at(&self, time: TimestampMs) -> (f64, bool) {
        let bracket = self.bracket(time);
        if bracket.low >= bracket.high {
            return (to_f64(bracket.low), true);
        }
        let fraction = match (bracket.low_time, bracket.high_time) {
            (Some(low), Some(high)) if high > low => {
                ms_f64(time.since_ms(low)) / ms_f64(high.since_ms(low))
            }
            (None, Some(_)) => 1.0,
            _ => 0.0,
        };
        let span = to_f64(bracket.high) - to_f64(bracket.low);
        (
            fraction.clamp(0.0, 1.0).mul_add(span, to_f64(bracket.low)),
            false,
        )
    }

    /// The offsets between which the first one at or after `time` lies; equal when it is known exactly.
    pub fn offsets_around(&self, time: TimestampMs) -> (Offset, Offset) {
        let bracket = self.bracket(time);
        (bracket.low, bracket.high.max(bracket.low))
    }

    /// The time of `offset`, drawn from the nearest look-ups; `None` when nothing near it is known.
    pub fn time_near(&self, offset: Offset) -> Option<TimestampMs> {
        let before = self
            .points
            .iter()
            .rev()
            .find(|(_, known)| **known <= offset);
        let after = self.points.iter().find(|(_, known)| **known > offset);
        match (before, after) {
            (Some((low_time, low)), Some((high_time, high))) => {
                let fraction =
                    (to_f64(offset) - to_f64(*low)) / (to_f64(*high) - to_f64(*low)).max(1.0);
                Some(low_time.moved_ms(whole_ms(
                    fraction.clamp(0.0, 1.0) * ms_f64(high_time.since_ms(*low_time)),
                )))
            }
            (Some((time, _)), None) | (None, Some((time, _))) => Some(*time),
            (None, None) => None,
        }
    }

    /// The latest time before `time` of which it is known that fewer offsets lie before it than `offset`: what
    /// comes just before `offset` was written since then.
    pub fn known_before(&self, time: TimestampMs, offset: Offset) -> Option<TimestampMs> {
        let mut points = self.points.range(..time).rev();
        points
            .find(|(_, known)| **known < offset)
            .map(|(time, _)| *time)
    }

    /// The earliest time after `time` of which it is known that more offsets lie before it than `offset`: that
    /// offset was written until then.
    pub fn known_after(&self, time: TimestampMs, offset: Offset) -> Option<TimestampMs> {
        let inside = (Bound::Excluded(time), Bound::Unbounded);
        let mut points = self.points.range(inside);
        points
            .find(|(_, known)| **known > offset)
            .map(|(time, _)| *time)
    }

    /// The offsets in each of `columns` equal columns between `from` and `to`, and around them.
    pub fn spread(&self, from: TimestampMs, to: TimestampMs, columns: usize) -> Spread {
        let edges = edges(from, to, columns);
        let at: Vec<(f64, bool)> = edges.iter().map(|edge| self.offset_at(*edge)).collect();
        let between = |low: (f64, bool), high: (f64, bool)| Column {
            count: (high.0 - low.0).max(0.0),
            exact: low.1 && high.1,
        };
        let mut spread = Spread {
            columns: at
                .iter()
                .zip(at.iter().skip(1))
                .map(|(low, high)| between(*low, *high))
                .collect(),
            before: at
                .first()
                .map_or(NOTHING, |first| between((to_f64(self.start), true), *first)),
            after: at.last().map_or(NOTHING, |last| {
                between(*last, (to_f64(self.looked_up_end()), true))
            }),
        };
        self.add_tail(&edges, &mut spread);
        spread
    }

    /// Adds the tail's offsets to the columns they fall in. Each record stands for the offsets up to the next one,
    /// the first also for those before it: markers and holes count where their neighbour does, as they do for
    /// look-ups.
    fn add_tail(&self, edges: &[TimestampMs], spread: &mut Spread) {
        let Some(tail) = &self.tail else { return };
        let begins = [tail.from]
            .into_iter()
            .chain(tail.samples.iter().skip(1).map(|sample| sample.offset));
        let ends = tail
            .samples
            .iter()
            .skip(1)
            .map(|next| next.offset)
            .chain([self.end]);
        // Nothing but markers and holes: they have no time.
        if tail.samples.is_empty() {
            spread.before.count += to_f64(self.end) - to_f64(tail.from.min(self.end));
        }
        for ((sample, begin), end) in tail.samples.iter().zip(begins).zip(ends) {
            // A record without a time stands nowhere on the axis: before everything that has one.
            let slot = sample
                .timestamp
                .map_or(0, |time| edges.partition_point(|edge| *edge <= time));
            let column = match slot.checked_sub(1) {
                None => Some(&mut spread.before),
                Some(index) if index < spread.columns.len() => spread.columns.get_mut(index),
                Some(_) => Some(&mut spread.after),
            };
            if let Some(column) = column {
                column.count += (to_f64(end) - to_f64(begin)).max(0.0);
            }
        }
        if !tail.exact {
            let around = [&mut spread.before, &mut spread.after];
            for column in spread.columns.iter_mut().chain(around) {
                column.exact = false;
            }
        }
    }

    /// The look-ups that would sharpen a view most, at most `budget` of them: for each stretch between known
    /// times that holds more than `close` offsets and a column's edge, the edge nearest to its middle; the
    /// fullest stretches first. Empty when the view is as sharp as its columns.
    pub fn wanted(
        &self,
        from: TimestampMs,
        to: TimestampMs,
        columns: usize,
        close: u64,
        budget: usize,
    ) -> Vec<TimestampMs> {
        let edges = edges(from, to, columns);
        let mut stretches: Vec<(u64, TimestampMs)> = Vec::new();
        let mut rest: &[TimestampMs] = &edges;
        while let Some(first) = rest.first() {
            let bracket = self.bracket(*first);
            let inside = match bracket.high_time {
                Some(high) => rest.partition_point(|edge| *edge < high).max(1),
                None => rest.len(),
            };
            let (stretch, next) = rest.split_at(inside.min(rest.len()));
            rest = next;
            let held = bracket.high.since(bracket.low).unwrap_or(0);
            if held > close
                && let Some(middle) = stretch.get(stretch.len() / 2)
            {
                stretches.push((held, *middle));
            }
        }
        stretches.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        stretches
            .into_iter()
            .take(budget)
            .map(|(_, time)| time)
            .collect()
    }

    /// The widest stretch of time within a view whose records are not told apart, in milliseconds.
    pub fn resolution_ms(&self, from: TimestampMs, to: TimestampMs) -> i64 {
        let mut times: BTreeSet<TimestampMs> = BTreeSet::from([from, to]);
        let inside = (Bound::Excluded(from), Bound::Excluded(to));
        if from < to {
            times.extend(self.points.range(inside).map(|(time, _)| *time));
        }
        times
            .iter()
            .zip(times.iter().skip(1))
            .filter(|(low, high)| self.offsets_around(**low).0 < self.offsets_around(**high).1)
            .map(|(low, high)| high.since_ms(*low))
            .max()
            .unwrap_or(0)
    }
}

const NOTHING: Column = Column {
    count: 0.0,
    exact: true,
};

struct Bracket {
    low_time: Option<TimestampMs>,
    low: Offset,
    high_time: Option<TimestampMs>,
    high: Offset,
}

/// The `columns + 1` edges of `columns` columns between `from` and `to`, as equal as whole milliseconds allow.
pub fn edges(from: TimestampMs, to: TimestampMs, columns: usize) -> Vec<TimestampMs> {
    let columns = columns.max(1);
    let span = i128::from(to.since_ms(from).max(0));
    let count = i128::try_from(columns).unwrap_or(1);
    (0..=columns)
        .map(|index| {
            let part = span * i128::try_from(index).unwrap_or(0) / count;
            from.moved_ms(i64::try_from(part).unwrap_or(i64::MAX))
        })
        .collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "drawn and interpolated values need no more than 53 bits"
)]
fn to_f64(offset: Offset) -> f64 {
    offset.0 as f64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "interpolated values need no more than 53 bits"
)]
fn ms_f64(ms: i64) -> f64 {
    ms as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float cast to an integer saturates"
)]
fn whole_ms(ms: f64) -> i64 {
    ms as i64
}

#[cfg(test)]
mod tests;
