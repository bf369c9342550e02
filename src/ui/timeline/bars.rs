//! How many records each column of a lane holds, kept while nothing about them changes.
//!
//! Counting is done in tiles of columns that lie on a fixed grid, so that panning counts only what comes
//! into view. A frame spends a bounded number of counts; what is not done yet is drawn as it was before and
//! finished in the next frames.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::Density;
use crate::inspect::density::{TimeIndex, edges};
use crate::model::TimestampMs;

use super::axis::Columns;

/// Columns in a tile.
const TILE: i64 = 64;
/// Tiles kept per lane.
const MOST_TILES: usize = 64;

/// What one column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Records in it, a fraction when it is drawn between two look-ups.
    pub count: f64,
    /// How many of them the selected group has not read.
    pub unread: f64,
    /// Whether the count is exact.
    pub exact: bool,
}

/// Nothing, and that is certain.
pub const EMPTY: Bar = Bar {
    count: 0.0,
    unread: 0.0,
    exact: true,
};

/// One partition that a lane's bars are made of.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its times; `None` when nothing is known of them yet.
    pub index: Option<Arc<TimeIndex>>,
    /// From where on the selected group has not read; `None` when it has read all, or does not read here.
    pub unread_from: Option<TimestampMs>,
}

impl Source {
    fn same(&self, other: &Self) -> bool {
        let same_index = match (&self.index, &other.index) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same_index && self.unread_from == other.unread_from
    }
}

/// The bars of one lane.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    step_ms: i64,
    sources: Vec<Source>,
    /// Grows whenever the sources change.
    version: u64,
    tiles: BTreeMap<i64, Tile>,
}

#[derive(Clone, Debug)]
struct Tile {
    /// The version of the sources that `bars` were made of; `None` until they were made.
    made_of: Option<u64>,
    bars: Vec<Bar>,
    /// What is being made: of which version, how many sources are in, and the sums so far.
    making: Option<(u64, usize, Vec<Bar>)>,
}

impl Bars {
    /// Takes what the bars are to be made of from now on. What was known of a partition and is not told any
    /// more stays: the engine forgets lanes that are off the screen for a while.
    pub fn set_sources(&mut self, mut sources: Vec<Source>) {
        if sources.len() == self.sources.len() {
            for (new, old) in sources.iter_mut().zip(&self.sources) {
                if new.index.is_none() {
                    new.index.clone_from(&old.index);
                }
            }
        }
        let same = sources.len() == self.sources.len()
            && sources
                .iter()
                .zip(&self.sources)
                .all(|(new, old)| new.same(old));
        if !same {
            self.sources = sources;
            self.version = self.version.wrapping_add(1);
        }
    }

    /// Counts what `columns` need and is not counted yet, at the cost of `budget` counts at most, of which
    /// what is spent is taken off. Whether everything is counted.
    pub fn count(&mut self, columns: &Columns, budget: &mut usize) -> bool {
        if self.step_ms != columns.step() {
            self.step_ms = columns.step();
            self.tiles.clear();
        }
        let tile_of = |column: i64| column.div_euclid(TILE);
        if self.tiles.len() > MOST_TILES {
            let shown = tile_of(columns.first())..=tile_of(columns.end());
            self.tiles.retain(|number, _| shown.contains(number));
        }
        let mut complete = true;
        for (first, end) in columns.stretches() {
            for number in tile_of(first)..=tile_of(end.saturating_sub(1)) {
                let tile = self.tiles.entry(number).or_insert_with(|| Tile {
                    made_of: None,
                    bars: Vec::new(),
                    making: None,
                });
                complete &= tile.make(number, self.step_ms, &self.sources, self.version, budget);
            }
        }
        complete
    }

    /// The partitions that the bars are made of.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Grows whenever the sources change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What column number `column` holds; nothing when it is not counted yet.
    pub fn bar(&self, column: i64) -> Bar {
        let index = usize::try_from(column.rem_euclid(TILE)).unwrap_or(0);
        self.tiles
            .get(&column.div_euclid(TILE))
            .and_then(|tile| tile.bars.get(index))
            .copied()
            .unwrap_or(EMPTY)
    }
}

impl Tile {
    fn make(
        &mut self,
        number: i64,
        step_ms: i64,
        sources: &[Source],
        version: u64,
        budget: &mut usize,
    ) -> bool {
        if self.made_of == Some(version) {
            return true;
        }
        let width = usize::try_from(TILE).unwrap_or(1);
        let (mut done, mut sums) = match self.making.take() {
            Some((of, done, sums)) if of == version => (done, sums),
            _ => (0, vec![EMPTY; width]),
        };
        let from = TimestampMs(number.saturating_mul(TILE).saturating_mul(step_ms));
        while let Some(source) = sources.get(done) {
            if let Some(index) = &source.index {
                if *budget < width {
                    self.making = Some((version, done, sums));
                    return false;
                }
                let to = from.moved_ms(step_ms.saturating_mul(TILE));
                if is_empty(index, from, to) {
                    *budget -= 1;
                } else {
                    *budget -= width;
                    add(&mut sums, index, source.unread_from, (from, to));
                }
            }
            done = done.saturating_add(1);
        }
        self.bars = sums;
        self.made_of = Some(version);
        true
    }
}

/// Whether nothing lies between two times, as two look-ups tell.
fn is_empty(index: &TimeIndex, from: TimestampMs, to: TimestampMs) -> bool {
    index.tail().is_none() && index.offsets_around(from).0 >= index.offsets_around(to).1
}

/// Adds what `index` holds between two times to the columns between them.
fn add(
    sums: &mut [Bar],
    index: &TimeIndex,
    unread_from: Option<TimestampMs>,
    (from, to): (TimestampMs, TimestampMs),
) {
    let spread = index.spread(from, to, sums.len());
    let edges = edges(from, to, sums.len());
    let rights = edges.iter().skip(1);
    for ((sum, column), right) in sums.iter_mut().zip(&spread.columns).zip(rights) {
        sum.count += column.count;
        sum.exact &= column.exact;
        // The column in which the group stands counts as unread: what is left of it there is.
        if unread_from.is_some_and(|unread| unread < *right) {
            sum.unread += column.count;
        }
    }
}

/// What the partitions of `density` contribute, with `unread_from` for each.
pub fn sources<'a>(
    partitions: impl Iterator<Item = (&'a crate::model::TopicPartition, Option<TimestampMs>)>,
    density: &Density,
) -> Vec<Source> {
    partitions
        .map(|(at, unread_from)| Source {
            index: density.partitions.get(at).map(Arc::clone),
            unread_from,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Offset;

    /// One record every 10 ms from 0 on, every time known.
    fn index(records: i64) -> Arc<TimeIndex> {
        let mut index = TimeIndex::new(Offset(0), Offset(records));
        for record in 0..=records {
            index.insert(
                TimestampMs(record * 10),
                (record < records).then_some(Offset(record)),
            );
        }
        Arc::new(index)
    }

    fn source(records: i64, unread_from: Option<i64>) -> Source {
        Source {
            index: Some(index(records)),
            unread_from: unread_from.map(TimestampMs),
        }
    }

    fn columns() -> Columns {
        Columns::new(0, 10_000, 100)
    }

    fn counted(sources: Vec<Source>) -> Bars {
        let mut bars = Bars::default();
        bars.set_sources(sources);
        assert!(bars.count(&columns(), &mut 1_000_000));
        bars
    }

    #[test]
    fn a_lane_is_the_sum_of_its_partitions() {
        let bars = counted(vec![source(1_000, None), source(50, None)]);
        assert_eq!(
            bars.bar(0),
            Bar {
                count: 20.0,
                unread: 0.0,
                exact: true
            }
        );
        assert_eq!(
            bars.bar(70),
            Bar {
                count: 10.0,
                unread: 0.0,
                exact: true
            }
        );
        assert_eq!(bars.bar(-5), EMPTY);
    }

    #[test]
    fn what_is_unread_begins_in_the_column_where_the_group_stands() {
        let bars = counted(vec![source(1_000, Some(550)), source(1_000, None)]);
        assert_eq!(
            bars.bar(4),
            Bar {
                count: 20.0,
                unread: 0.0,
                exact: true
            }
        );
        assert_eq!(
            bars.bar(5),
            Bar {
                count: 20.0,
                unread: 10.0,
                exact: true
            }
        );
        assert_eq!(
            bars.bar(6),
            Bar {
                count: 20.0,
                unread: 10.0,
                exact: true
            }
        );
    }

    #[test]
    fn a_frame_spends_no_more_than_its_budget_and_the_next_goes_on() {
        let mut bars = Bars::default();
        bars.set_sources(vec![source(1_000, None); 3]);
        let mut frames = 0;
        loop {
            let mut budget = 64;
            frames += 1;
            if bars.count(&columns(), &mut budget) {
                break;
            }
            assert_eq!(budget, 0);
        }
        // Two tiles of three sources each.
        assert_eq!(frames, 6);
        assert_eq!(
            bars.bar(3),
            Bar {
                count: 30.0,
                unread: 0.0,
                exact: true
            }
        );
    }

    #[test]
    fn panning_counts_only_what_comes_into_view() {
        let mut bars = counted(vec![source(1_000, None)]);
        let mut budget = 1_000;
        let moved = Columns::new(300, 10_300, 100);
        assert!(bars.count(&moved, &mut budget));
        assert_eq!(budget, 1_000);
        let farther = Columns::new(6_400, 16_400, 100);
        assert!(bars.count(&farther, &mut budget));
        // Nothing lies there, which costs one.
        assert_eq!(budget, 1_000 - 1);
    }

    #[test]
    fn the_old_bars_stay_until_the_new_ones_are_counted() {
        let mut bars = counted(vec![source(1_000, None)]);
        bars.set_sources(vec![source(0, None)]);
        assert!(!bars.count(&columns(), &mut 0));
        assert_eq!(
            bars.bar(0),
            Bar {
                count: 10.0,
                unread: 0.0,
                exact: true
            }
        );
        assert!(bars.count(&columns(), &mut 1_000));
        assert_eq!(bars.bar(0), EMPTY);
    }

    #[test]
    fn what_the_engine_forgot_meanwhile_stays() {
        let mut bars = counted(vec![source(1_000, None)]);
        bars.set_sources(vec![Source {
            index: None,
            unread_from: None,
        }]);
        assert!(bars.count(&columns(), &mut 0));
        assert_eq!(
            bars.bar(0),
            Bar {
                count: 10.0,
                unread: 0.0,
                exact: true
            }
        );
    }

    #[test]
    fn unchanged_sources_cost_nothing() {
        let only = source(1_000, Some(5));
        let mut bars = counted(vec![only.clone()]);
        bars.set_sources(vec![only]);
        assert!(bars.count(&columns(), &mut 0));
    }
}
