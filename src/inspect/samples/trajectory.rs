//! A series as lines to be drawn: the end of the log and the committed offset against time.

use crate::model::{Offset, TimestampMs};

use super::series::{Offsets, Series, Stretch};

/// A point: a time, and how many offsets above the first one.
pub type Point = (TimestampMs, i64);

/// Two lines over the same times. Each piece is a line of its own: between two of them nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trajectory {
    /// The offset that is 0 on the vertical axis: the first one committed. For several partitions a sum. `None`
    /// when nothing is known.
    pub origin: Option<Offset>,
    /// The end of the log.
    pub produced: Vec<Vec<Point>>,
    /// The committed offset.
    pub committed: Vec<Vec<Point>>,
    /// The readings that the lines were drawn through.
    stretches: Vec<Stretch>,
}

impl Trajectory {
    /// The lines of `series` with at most `most` points each.
    pub fn new(series: &Series, most: usize) -> Self {
        // Every stretch has a beginning and an end.
        let stretches = series.at_most(most / 2);
        let first = stretches.iter().find_map(|stretch| stretch.offsets);
        let origin = first.map(|offsets| offsets.committed);
        let line = |value: fn(Offsets) -> Offset| {
            origin.map_or_else(Vec::new, |origin| pieces(&stretches, origin, value))
        };
        Self {
            origin,
            produced: line(|offsets| offsets.end),
            committed: line(|offsets| offsets.committed),
            stretches,
        }
    }

    /// Points in both lines together.
    pub fn points(&self) -> usize {
        let lines = self.produced.iter().chain(&self.committed);
        lines.map(Vec::len).sum()
    }

    /// The reading nearest to `at` and its time; no offsets where it lies in an unknown stretch. `None` without
    /// any reading.
    pub fn nearest(&self, at: TimestampMs) -> Option<(TimestampMs, Option<Offsets>)> {
        let after = self.stretches.partition_point(|stretch| stretch.until < at);
        let before = after
            .checked_sub(1)
            .and_then(|index| self.stretches.get(index))
            .map(|stretch| (stretch.until, stretch.offsets));
        let next = self
            .stretches
            .get(after)
            .map(|stretch| (stretch.from.max(at), stretch.offsets));
        match (before, next) {
            (Some(before), Some(next)) => {
                let nearer_before = at.since_ms(before.0) < next.0.since_ms(at);
                Some(if nearer_before { before } else { next })
            }
            (before, next) => next.or(before),
        }
    }

    /// The reading before or after the one at `at`; the last one at the ends.
    pub fn step(&self, at: TimestampMs, later: bool) -> Option<TimestampMs> {
        let mut times = self
            .stretches
            .iter()
            .flat_map(|stretch| [stretch.from, stretch.until]);
        if later {
            times
                .find(|time| *time > at)
                .or_else(|| self.stretches.last().map(|stretch| stretch.until))
        } else {
            times
                .take_while(|time| *time < at)
                .last()
                .or_else(|| self.stretches.first().map(|stretch| stretch.from))
        }
    }
}

fn pieces(stretches: &[Stretch], origin: Offset, value: fn(Offsets) -> Offset) -> Vec<Vec<Point>> {
    stretches
        .split(|stretch| stretch.offsets.is_none())
        .filter(|known| !known.is_empty())
        .map(|known| {
            let mut points = Vec::with_capacity(known.len().saturating_mul(2));
            for stretch in known {
                let Some(offsets) = stretch.offsets else {
                    continue;
                };
                let height = value(offsets).0.saturating_sub(origin.0);
                points.push((stretch.from, height));
                if stretch.until > stretch.from {
                    points.push((stretch.until, height));
                }
            }
            points
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> TimestampMs {
        TimestampMs(seconds * 1_000)
    }

    fn series(readings: &[(i64, Option<(i64, i64)>)]) -> Series {
        let mut series = Series::default();
        for (seconds, offsets) in readings {
            let offsets = offsets.map(|(end, committed)| Offsets {
                end: Offset(end),
                committed: Offset(committed),
            });
            series.push(at(*seconds), offsets, 1_000);
        }
        series
    }

    #[test]
    fn heights_count_from_the_first_commit_and_a_rewind_is_a_drop() {
        let lines = Trajectory::new(
            &series(&[
                (0, Some((120, 100))),
                (4, Some((120, 100))),
                (8, Some((130, 125))),
                (12, Some((131, 40))),
            ]),
            2_000,
        );
        assert_eq!(lines.origin, Some(Offset(100)));
        assert_eq!(
            lines.produced,
            [vec![(at(0), 20), (at(4), 20), (at(8), 30), (at(12), 31)]]
        );
        assert_eq!(
            lines.committed,
            [vec![(at(0), 0), (at(4), 0), (at(8), 25), (at(12), -60)]]
        );
    }

    #[test]
    fn what_is_not_known_parts_the_line() {
        let lines = Trajectory::new(
            &series(&[
                (0, Some((9, 5))),
                (4, None),
                (8, Some((9, 6))),
                (12, Some((9, 7))),
            ]),
            2_000,
        );
        assert_eq!(
            lines.committed,
            [vec![(at(0), 0)], vec![(at(8), 1), (at(12), 2)]]
        );
    }

    #[test]
    fn however_long_there_are_no_more_points_than_asked_for() {
        let mut series = Series::default();
        for step in 0..5_000 {
            let offsets = Offsets {
                end: Offset(step),
                committed: Offset(step / 2),
            };
            series.push(at(step), Some(offsets), usize::MAX);
            series.push(TimestampMs(step * 1_000 + 500), Some(offsets), usize::MAX);
        }
        assert_eq!(series.len(), 5_000);
        let lines = Trajectory::new(&series, 2_000);
        assert!(
            lines.produced[0].len() <= 2_000,
            "{}",
            lines.produced[0].len()
        );
        assert!(lines.produced[0].len() > 1_000);
        assert_eq!(lines.points(), lines.produced[0].len() * 2);
        assert_eq!(lines.committed[0][0], (at(0), 0));
    }

    #[test]
    fn the_nearest_reading_is_read_off() {
        let lines = Trajectory::new(
            &series(&[
                (0, Some((9, 5))),
                (10, Some((9, 5))),
                (20, None),
                (30, Some((12, 8))),
            ]),
            2_000,
        );
        let read = |seconds| {
            let (time, offsets) = lines.nearest(at(seconds)).unwrap();
            (time.0 / 1_000, offsets.map(|offsets| offsets.committed.0))
        };
        assert_eq!(read(-5), (0, Some(5)));
        assert_eq!(read(7), (7, Some(5)));
        assert_eq!(read(14), (10, Some(5)));
        assert_eq!(read(16), (20, None));
        assert_eq!(read(29), (30, Some(8)));
        assert_eq!(read(99), (30, Some(8)));
        assert_eq!(Trajectory::default().nearest(at(0)), None);
    }

    #[test]
    fn readings_are_stepped_through() {
        let lines = Trajectory::new(&series(&[(0, Some((9, 5))), (4, Some((9, 6)))]), 2_000);
        assert_eq!(lines.step(at(0), true), Some(at(4)));
        assert_eq!(lines.step(at(4), true), Some(at(4)));
        assert_eq!(lines.step(at(4), false), Some(at(0)));
        assert_eq!(lines.step(at(0), false), Some(at(0)));
    }
}
