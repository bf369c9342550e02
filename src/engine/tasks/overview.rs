//! All of the data in a few columns, summed over every partition that was looked at so far.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::snapshot::Inventory;
use crate::inspect::density::TimeIndex;
use crate::inspect::overview::{Grid, Overview};
use crate::inspect::timeline::up_to_now;
use crate::model::TopicPartition;

/// The grid over the bulk of the data up to the present: what the window shows when it follows.
pub(super) fn grid_of(inventory: &Inventory) -> Option<Grid> {
    let bulk = inventory.bulk?;
    let (from, to) = up_to_now(bulk, inventory.newest_read_at().unwrap_or(bulk.1));
    Some(Grid::over(from, to))
}

/// The partitions of people's topics that hold records.
pub(super) fn with_records(inventory: &Inventory) -> BTreeSet<TopicPartition> {
    inventory
        .topics()
        .iter()
        .filter(|topic| !topic.internal)
        .flat_map(|topic| topic.known_ends())
        .filter(|(_, (start, end))| start < end)
        .map(|(at, _)| at)
        .collect()
}

/// What each partition adds to the overview, so that only those that changed are counted again.
#[derive(Default)]
pub(super) struct Sum {
    grid: Grid,
    parts: BTreeMap<TopicPartition, Vec<f64>>,
}

impl Sum {
    /// Counts `changed` again, and everything in `all` when the grid is another one; only partitions in `of`.
    pub(super) fn look_over(
        &mut self,
        grid: Grid,
        changed: &BTreeMap<TopicPartition, TimeIndex>,
        all: &BTreeMap<TopicPartition, TimeIndex>,
        of: &BTreeSet<TopicPartition>,
    ) -> Overview {
        let is_other = self.grid != grid;
        if is_other {
            self.grid = grid;
            self.parts.clear();
        }
        self.parts
            .retain(|at, _| all.contains_key(at) && of.contains(at));
        let counted = if is_other { all } else { changed };
        for (at, index) in counted.iter().filter(|(at, _)| of.contains(*at)) {
            self.parts.insert(at.clone(), grid.spread(index));
        }
        let mut counts = vec![0.0; grid.columns()];
        for part in self.parts.values() {
            for (sum, count) in counts.iter_mut().zip(part) {
                *sum += count;
            }
        }
        Overview {
            grid,
            counts,
            partitions: self.parts.len(),
            of: of.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Offset, TimestampMs};

    fn t(ms: i64) -> TimestampMs {
        TimestampMs(ms)
    }

    fn index(records: i64) -> TimeIndex {
        let mut index = TimeIndex::new(Offset(0), Offset(records));
        index.insert(t(0), Some(Offset(0)));
        index.insert(t(10), None);
        index
    }

    #[test]
    fn a_burst_of_a_moment_ago_is_seen_in_all_the_time_since() {
        // 3 ms of data, 48 s ago: the window shows it up to now.
        let inventory = Inventory {
            bulk: Some((t(1_000_000), t(1_000_003))),
            read_at: Some(t(1_048_000)),
            ..Inventory::default()
        };
        let grid = grid_of(&inventory).unwrap();
        assert_eq!((grid.from(), grid.to()), (t(1_000_000), t(1_048_000)));
    }

    #[test]
    fn partitions_add_up_and_are_replaced_not_added_twice() {
        let at = |id| TopicPartition::new("orders", id);
        let grid = Grid::over(t(0), t(1_600));
        let mut sum = Sum::default();
        let of = BTreeSet::from([at(0), at(1), at(3)]);
        let first = BTreeMap::from([(at(0), index(5)), (at(1), index(7)), (at(2), index(9))]);
        let overview = sum.look_over(grid, &first, &first, &of);
        let first_column = |overview: Overview| format!("{}", overview.counts[0]);
        assert_eq!((overview.partitions, overview.of), (2, 3));
        assert_eq!(first_column(overview), "12");
        let changed = BTreeMap::from([(at(0), index(6))]);
        let mut all = first;
        all.extend(changed.clone());
        assert_eq!(first_column(sum.look_over(grid, &changed, &all, &of)), "13");
        let other = Grid::over(t(0), t(3_200));
        assert_eq!(
            first_column(sum.look_over(other, &changed, &all, &of)),
            "13"
        );
    }
}
