//! Readings of one log's end and one committed offset over time, kept compactly.

use crate::model::{Offset, TimestampMs};

/// Readings farther apart than this leave what was between them unknown: a machine that slept, a bus that did
/// not answer.
const FARTHEST_MS: i64 = 90_000;
/// A series with fewer stretches is never thinned out.
const FEWEST: usize = 16;

/// The end of a log and a committed offset, read at the same time. For several partitions both are sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// The high watermark.
    pub end: Offset,
    /// The committed offset.
    pub committed: Offset,
}

impl Offsets {
    /// Records behind; `None` when the committed offset lies beyond the end.
    pub fn lag(self) -> Option<u64> {
        self.end.since(self.committed)
    }
}

/// A stretch of time in which every reading gave the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first reading.
    pub from: TimestampMs,
    /// The last reading.
    pub until: TimestampMs,
    /// What was read; `None` where it is not known.
    pub offsets: Option<Offsets>,
}

/// A [`Stretch`] in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    from_ms: i64,
    end: i64,
    committed: i64,
    lasted_ms: u32,
    is_known: bool,
}

impl Run {
    fn new(at: TimestampMs, offsets: Option<Offsets>) -> Self {
        Self {
            from_ms: at.0,
            end: offsets.map_or(0, |offsets| offsets.end.0),
            committed: offsets.map_or(0, |offsets| offsets.committed.0),
            lasted_ms: 0,
            is_known: offsets.is_some(),
        }
    }

    fn until_ms(&self) -> i64 {
        self.from_ms.saturating_add(i64::from(self.lasted_ms))
    }

    fn gives_the_same(&self, other: &Self) -> bool {
        (self.is_known, self.end, self.committed) == (other.is_known, other.end, other.committed)
    }

    /// Lengthens it up to `until_ms`; whether that fits.
    fn lengthen(&mut self, until_ms: i64) -> bool {
        match u32::try_from(until_ms.saturating_sub(self.from_ms)) {
            Ok(lasted_ms) => {
                self.lasted_ms = lasted_ms;
                true
            }
            Err(_) => false,
        }
    }

    fn stretch(&self) -> Stretch {
        Stretch {
            from: TimestampMs(self.from_ms),
            until: TimestampMs(self.until_ms()),
            offsets: self.is_known.then_some(Offsets {
                end: Offset(self.end),
                committed: Offset(self.committed),
            }),
        }
    }
}

/// Readings in the order of time. Equal ones in a row are one stretch; when there are too many stretches, the
/// older half is thinned out two to one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    runs: Vec<Run>,
    thinned_before: Option<TimestampMs>,
}

impl Series {
    /// Takes what was read at `at`; `None` when it could not be read. Thins out when there would be more than
    /// `most` stretches.
    pub fn push(&mut self, at: TimestampMs, offsets: Option<Offsets>, most: usize) {
        if let Some(last) = self.runs.last() {
            // A clock that was put back does not turn time back.
            let at = TimestampMs(at.0.max(last.until_ms()));
            if at.0.saturating_sub(last.until_ms()) > FARTHEST_MS && last.is_known {
                let gap = Run::new(TimestampMs(last.until_ms().saturating_add(1)), None);
                self.append(gap);
            }
            self.append(Run::new(at, offsets));
        } else if offsets.is_some() {
            self.append(Run::new(at, offsets));
        }
        if self.runs.len() > most {
            self.thin();
        }
    }

    /// Parts what comes from what was: the two cannot be compared.
    pub fn part(&mut self) {
        if let Some(last) = self.runs.last().filter(|last| last.is_known) {
            self.append(Run::new(TimestampMs(last.until_ms()), None));
        }
    }

    fn append(&mut self, run: Run) {
        if let Some(last) = self.runs.last_mut()
            && last.gives_the_same(&run)
            && last.lengthen(run.from_ms)
        {
            return;
        }
        self.runs.push(run);
    }

    /// Thins out the older half two to one; whether there was enough to do so.
    pub fn thin(&mut self) -> bool {
        if self.runs.len() < FEWEST {
            return false;
        }
        let half = self.runs.len() / 2;
        let newer = self.runs.split_off(half);
        let older = halved(&self.runs);
        self.runs = older;
        self.thinned_before = newer.first().map(|run| TimestampMs(run.from_ms));
        for run in newer {
            self.append_whole(run);
        }
        // What is kept must not cost what was there.
        self.runs.shrink_to_fit();
        true
    }

    /// Appends a run that may have lasted.
    fn append_whole(&mut self, run: Run) {
        if let Some(last) = self.runs.last_mut()
            && last.gives_the_same(&run)
            && last.lengthen(run.until_ms())
        {
            return;
        }
        self.runs.push(run);
    }

    /// The stretches, oldest first.
    pub fn stretches(&self) -> impl DoubleEndedIterator<Item = Stretch> + '_ {
        self.runs.iter().map(Run::stretch)
    }

    /// At most `most` stretches, oldest first: all, or thinned out evenly.
    pub fn at_most(&self, most: usize) -> Vec<Stretch> {
        let mut runs = self.runs.clone();
        while runs.len() > most.max(2) {
            runs = halved(&runs);
        }
        runs.iter().map(Run::stretch).collect()
    }

    /// How many stretches there are.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The time of the first reading.
    pub fn since(&self) -> Option<TimestampMs> {
        self.runs.first().map(|run| TimestampMs(run.from_ms))
    }

    /// The time of the last reading.
    pub fn until(&self) -> Option<TimestampMs> {
        self.runs.last().map(|run| TimestampMs(run.until_ms()))
    }

    /// Whether there are two readings at different times at least.
    pub fn is_line(&self) -> bool {
        self.since()
            .zip(self.until())
            .is_some_and(|(since, until)| since < until)
    }

    /// The time before which readings were left out; `None` when all are kept.
    pub fn thinned_before(&self) -> Option<TimestampMs> {
        self.thinned_before
    }
}

/// Of every two runs one: the one that lasted longer. Where one of them is not known, what is left of both is
/// not known either, so that a gap stays one.
fn halved(runs: &[Run]) -> Vec<Run> {
    let mut kept: Vec<Run> = Vec::with_capacity(runs.len() / 2 + 1);
    for pair in runs.chunks(2) {
        let run = match pair {
            [a, b] if a.is_known != b.is_known => {
                let mut gap = Run::new(TimestampMs(a.from_ms), None);
                // A gap too long for its field ends early, which leaves it a gap.
                gap.lengthen(b.until_ms());
                gap
            }
            [a, b] if b.lasted_ms > a.lasted_ms => *b,
            [a, ..] => *a,
            [] => continue,
        };
        kept.push(run);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: usize = 1_000;

    fn at(seconds: i64) -> TimestampMs {
        TimestampMs(seconds * 1_000)
    }

    fn both(end: i64, committed: i64) -> Offsets {
        Offsets {
            end: Offset(end),
            committed: Offset(committed),
        }
    }

    fn series(readings: &[(i64, Option<Offsets>)]) -> Series {
        let mut series = Series::default();
        for (seconds, offsets) in readings {
            series.push(at(*seconds), *offsets, ALL);
        }
        series
    }

    /// From, until, and (end, committed).
    type Told = (i64, i64, Option<(i64, i64)>);

    fn stretches(series: &Series) -> Vec<Told> {
        series
            .stretches()
            .map(|stretch| {
                let offsets = stretch.offsets.map(|of| (of.end.0, of.committed.0));
                (stretch.from.0, stretch.until.0, offsets)
            })
            .collect()
    }

    #[test]
    fn a_run_is_small() {
        assert_eq!(size_of::<Run>(), 32);
    }

    #[test]
    fn equal_readings_in_a_row_are_one_stretch() {
        let series = series(&[
            (0, Some(both(9, 5))),
            (4, Some(both(9, 5))),
            (8, Some(both(9, 5))),
            (12, Some(both(10, 5))),
        ]);
        assert_eq!(
            stretches(&series),
            [(0, 8_000, Some((9, 5))), (12_000, 12_000, Some((10, 5)))]
        );
        assert!(series.is_line());
    }

    #[test]
    fn one_reading_is_no_line() {
        assert!(!series(&[(3, Some(both(9, 5)))]).is_line());
        assert!(series(&[(3, Some(both(9, 5))), (7, Some(both(9, 5)))]).is_line());
    }

    #[test]
    fn what_could_not_be_read_is_a_gap_and_nothing_before_the_first_reading() {
        let series = series(&[
            (0, None),
            (4, Some(both(9, 5))),
            (8, None),
            (12, None),
            (16, Some(both(9, 5))),
        ]);
        assert_eq!(
            stretches(&series),
            [
                (4_000, 4_000, Some((9, 5))),
                (8_000, 12_000, None),
                (16_000, 16_000, Some((9, 5)))
            ]
        );
        assert_eq!(series.since(), Some(at(4)));
    }

    #[test]
    fn a_long_silence_is_a_gap_even_when_nothing_changed() {
        let series = series(&[
            (0, Some(both(9, 5))),
            (90, Some(both(9, 5))),
            (181, Some(both(9, 5))),
        ]);
        assert_eq!(
            stretches(&series),
            [
                (0, 90_000, Some((9, 5))),
                (90_001, 90_001, None),
                (181_000, 181_000, Some((9, 5)))
            ]
        );
    }

    #[test]
    fn a_clock_that_is_put_back_does_not_turn_time_back() {
        let series = series(&[(10, Some(both(9, 5))), (4, Some(both(9, 6)))]);
        assert_eq!(
            stretches(&series),
            [
                (10_000, 10_000, Some((9, 5))),
                (10_000, 10_000, Some((9, 6)))
            ]
        );
    }

    #[test]
    fn the_older_half_is_thinned_out_and_it_is_said_from_when_on_all_is_kept() {
        let mut series = Series::default();
        for step in 0..20 {
            series.push(at(step * 4), Some(both(step, 0)), 19);
        }
        // Twenty stretches: of the first ten every second one is left.
        let kept: Vec<i64> = series
            .stretches()
            .map(|stretch| stretch.offsets.unwrap().end.0)
            .collect();
        assert_eq!(
            kept,
            [0, 2, 4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
        );
        assert_eq!(series.thinned_before(), Some(at(40)));
        assert_eq!(series.since(), Some(at(0)));
    }

    #[test]
    fn of_two_the_longer_lasting_is_kept_so_that_standing_still_is_not_lost() {
        let mut series = Series::default();
        for step in 0..16 {
            series.push(at(step * 100), Some(both(step, 0)), ALL);
            if step == 3 {
                series.push(at(step * 100 + 60), Some(both(step, 0)), ALL);
            }
        }
        // The gaps of 100 s without a reading count as unknown, so the series is pairs of a value and a gap.
        assert!(series.stretches().any(|stretch| stretch.offsets.is_none()));
        let mut dense = Series::default();
        for step in 0..16 {
            dense.push(at(step * 60), Some(both(step, 0)), ALL);
            if step == 3 {
                dense.push(at(step * 60 + 50), Some(both(step, 0)), ALL);
            }
        }
        assert!(dense.thin());
        let kept: Vec<i64> = dense
            .stretches()
            .map(|stretch| stretch.offsets.unwrap().end.0)
            .collect();
        assert_eq!(kept, [0, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15]);
    }

    #[test]
    fn thinning_never_joins_two_sides_of_a_gap() {
        let mut series = Series::default();
        for step in 0..16 {
            let reading = if step == 3 { None } else { Some(both(step, 0)) };
            series.push(at(step * 4), reading, ALL);
        }
        assert!(series.thin());
        let first: Vec<_> = stretches(&series).into_iter().take(3).collect();
        assert_eq!(
            first,
            [
                (0, 0, Some((0, 0))),
                (8_000, 12_000, None),
                (16_000, 16_000, Some((4, 0)))
            ]
        );
    }

    #[test]
    fn few_stretches_are_left_alone() {
        let mut series = series(&[(0, Some(both(1, 0))), (4, Some(both(2, 0)))]);
        assert!(!series.thin());
        assert_eq!((series.len(), series.thinned_before()), (2, None));
    }

    #[test]
    fn for_drawing_there_are_as_many_as_asked_for_at_most() {
        let mut series = Series::default();
        for step in 0..900 {
            series.push(at(step), Some(both(step, 0)), 1_000);
        }
        assert_eq!(series.at_most(1_000).len(), 900);
        assert_eq!(series.at_most(899).len(), 450);
        assert_eq!(series.at_most(100).len(), 57);
        assert_eq!(series.at_most(0).len(), 2);
    }

    #[test]
    fn parted_readings_have_a_gap_of_no_length_between_them() {
        let mut series = series(&[(0, Some(both(9, 5)))]);
        series.part();
        series.part();
        series.push(at(4), Some(both(20, 15)), ALL);
        assert_eq!(
            stretches(&series),
            [
                (0, 0, Some((9, 5))),
                (0, 0, None),
                (4_000, 4_000, Some((20, 15)))
            ]
        );
    }
}
