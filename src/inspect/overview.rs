//! All of the data in a few columns: where something was written at all, and where nothing was.

use crate::model::TimestampMs;

use super::density::TimeIndex;

/// About how many columns an overview has; never more than one more.
const COLUMNS: i64 = 160;
/// A stretch is idle when it is at least this part of the whole: one in 30.
const IDLE_PART: i64 = 30;

/// The columns of an overview. Their edges lie on multiples of their width, so that they stay the same while
/// time passes, until one more is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    step_ms: i64,
    first: i64,
    end: i64,
}

impl Grid {
    /// The grid that covers `from` to `to`.
    pub fn over(from: TimestampMs, to: TimestampMs) -> Self {
        let span = to.since_ms(from).max(1);
        let least = span.saturating_add(COLUMNS - 1).div_euclid(COLUMNS).max(1);
        let mut ten: i64 = 1;
        let step_ms = loop {
            let steps = [1, 2, 5].map(|lead: i64| ten.saturating_mul(lead));
            if let Some(step) = steps.into_iter().find(|step| *step >= least) {
                break step;
            }
            if ten > i64::MAX / 100 {
                break least;
            }
            ten = ten.saturating_mul(10);
        };
        let first = from.0.div_euclid(step_ms);
        let last = to.0.saturating_sub(1).max(from.0).div_euclid(step_ms);
        Self {
            step_ms,
            first,
            end: last.saturating_add(1),
        }
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        usize::try_from(self.end.saturating_sub(self.first)).unwrap_or(0)
    }

    /// The left edge.
    pub fn from(&self) -> TimestampMs {
        TimestampMs(self.first.saturating_mul(self.step_ms))
    }

    /// The right edge, not included.
    pub fn to(&self) -> TimestampMs {
        TimestampMs(self.end.saturating_mul(self.step_ms))
    }

    /// The left edge of column `index`, counted from 0.
    pub fn edge(&self, index: usize) -> TimestampMs {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        TimestampMs(
            self.first
                .saturating_add(index)
                .saturating_mul(self.step_ms),
        )
    }

    /// How many offsets of one partition lie in each column.
    pub fn spread(&self, index: &TimeIndex) -> Vec<f64> {
        let spread = index.spread(self.from(), self.to(), self.columns());
        spread.columns.iter().map(|column| column.count).collect()
    }
}

/// How the records of many partitions lie over all of the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// The columns.
    pub grid: Grid,
    /// Offsets in each column; fractions where they are drawn between look-ups.
    pub counts: Vec<f64>,
    /// How many partitions are counted.
    pub partitions: usize,
    /// How many there are that hold records.
    pub of: usize,
}

impl Overview {
    /// The stretches, left edge included, in which none of the counted partitions holds a record, and which
    /// are long enough to be in the way; in order and apart.
    pub fn idle(&self) -> Vec<(TimestampMs, TimestampMs)> {
        let least = self.grid.to().since_ms(self.grid.from()) / IDLE_PART;
        let mut stretches = Vec::new();
        let mut began: Option<usize> = None;
        for (index, count) in self.counts.iter().copied().chain([1.0]).enumerate() {
            if count <= 0.0 {
                began.get_or_insert(index);
            } else if let Some(first) = began.take() {
                let (from, to) = (self.grid.edge(first), self.grid.edge(index));
                if to.since_ms(from) >= least && first > 0 && index < self.counts.len() {
                    stretches.push((from, to));
                }
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Offset;

    fn t(ms: i64) -> TimestampMs {
        TimestampMs(ms)
    }

    #[test]
    fn a_grid_stays_while_time_passes_within_its_last_column() {
        // Six hours in 160 columns are 135 s each; the next length is 200 s.
        let grid = Grid::over(t(1_000_100_000), t(1_021_700_000));
        assert_eq!(
            (grid.from(), grid.to()),
            (t(1_000_000_000), t(1_021_800_000))
        );
        assert_eq!(grid.columns(), 109);
        assert_eq!(Grid::over(t(1_000_100_000), t(1_021_799_999)), grid);
        assert_ne!(Grid::over(t(1_000_100_000), t(1_021_800_001)), grid);
    }

    #[test]
    fn a_grid_of_no_time_and_of_all_time_has_columns() {
        assert_eq!(Grid::over(t(5), t(5)).columns(), 1);
        let all = Grid::over(t(i64::MIN / 4), t(i64::MAX / 4));
        assert!((1..=161).contains(&all.columns()), "{}", all.columns());
    }

    #[test]
    fn a_partition_is_spread_over_the_columns() {
        let grid = Grid::over(t(0), t(1_600));
        let mut index = TimeIndex::new(Offset(0), Offset(30));
        index.insert(t(0), Some(Offset(0)));
        index.insert(t(10), Some(Offset(20)));
        index.insert(t(1_590), Some(Offset(20)));
        index.insert(t(1_600), None);
        let counts = grid.spread(&index);
        assert_eq!(grid.columns(), 160);
        assert_eq!(counts.len(), 160);
        assert_eq!((counts[0], counts[1], counts[159]), (20.0, 0.0, 10.0));
    }

    #[test]
    fn idle_stretches_are_long_empty_and_between_records() {
        let grid = Grid::over(t(0), t(1_600));
        let mut counts = vec![0.0; 160];
        for index in [10, 15, 50, 51, 52] {
            counts[index] = 1.0;
        }
        let overview = Overview {
            grid,
            counts,
            partitions: 1,
            of: 1,
        };
        // Columns 11 to 14 are fewer than a thirtieth; before 10 and after 52 nothing lies on the other side.
        assert_eq!(overview.idle(), vec![(t(160), t(500))]);
    }
}
