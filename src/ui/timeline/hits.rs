//! Where the hits of a search lie: by lane, sorted once for each list of hits, so that a column is counted by looking
//! up its edges. Pure.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::engine::Table;
use crate::model::{Offset, Partition, TopicName, TopicPartition};

use super::super::num::u64_from_usize;
use super::super::state::AxisKind;
use super::axis::Columns;
use super::model::Lane;
use super::offsets;

/// So many hits are sorted as often as they come; more of them not more often than every [`SORT_EVERY_S`] seconds.
const FEW: usize = 4_000;
/// How often many hits are sorted, in seconds.
const SORT_EVERY_S: f64 = 0.5;

/// The hits of one partition.
#[derive(Debug, Default)]
struct InPartition {
    times: Vec<i64>,
    offsets: Vec<i64>,
}

/// The hits of a search by lane.
#[derive(Debug, Default)]
pub struct Hits {
    of: Option<Arc<Table>>,
    version: u64,
    taken_s: f64,
    partitions: BTreeMap<TopicPartition, InPartition>,
    /// The times in whole topics.
    topics: BTreeMap<TopicName, Vec<i64>>,
}

impl Hits {
    /// Takes the hits that are shown; `None` when there are none to show. After how many seconds to come again, when
    /// it is too early for that.
    pub fn take(&mut self, table: Option<&Arc<Table>>, now_s: f64) -> Option<f64> {
        let Some(table) = table else {
            if self.of.take().is_some() {
                self.version = self.version.wrapping_add(1);
                self.partitions.clear();
                self.topics.clear();
            }
            return None;
        };
        if self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, table)) {
            return None;
        }
        let wait_s = self.taken_s + SORT_EVERY_S - now_s;
        if self.of.is_some() && table.rows.len() > FEW && wait_s > 0.0 {
            return Some(wait_s);
        }
        self.sort(table);
        self.of = Some(Arc::clone(table));
        self.taken_s = now_s;
        self.version = self.version.wrapping_add(1);
        None
    }

    /// Changes with what is counted.
    pub fn version(&self) -> u64 {
        self.version
    }

    fn sort(&mut self, table: &Table) {
        // Names are looked up once for each place in memory that holds one, not for each hit.
        let mut by_address: HashMap<(usize, i32), usize> = HashMap::new();
        let mut found: Vec<(TopicPartition, InPartition)> = Vec::new();
        for row in &table.rows {
            let address = (Arc::as_ptr(&row.topic).addr(), row.partition.0);
            let index = *by_address.entry(address).or_insert_with(|| {
                found.push((row.at(), InPartition::default()));
                found.len().saturating_sub(1)
            });
            if let Some((_, hits)) = found.get_mut(index) {
                hits.times.extend(row.timestamp.map(|time| time.0));
                hits.offsets.push(row.offset.0);
            }
        }
        self.partitions.clear();
        self.topics.clear();
        for (at, hits) in found {
            let topic = self.topics.entry(Arc::clone(&at.topic)).or_default();
            topic.extend_from_slice(&hits.times);
            let known = self.partitions.entry(at).or_default();
            known.times.extend(hits.times);
            known.offsets.extend(hits.offsets);
        }
        for hits in self.partitions.values_mut() {
            hits.times.sort_unstable();
            hits.offsets.sort_unstable();
        }
        for times in self.topics.values_mut() {
            times.sort_unstable();
        }
    }

    /// How many hits of `lane` each column holds, from the first on; nothing when it holds none.
    pub fn counts(&self, lane: &Lane, kind: AxisKind, columns: &Columns) -> Vec<u64> {
        let mut counts = Vec::new();
        if kind == AxisKind::Time {
            let times = match lane.partitions() {
                [at] => self.partitions.get(at).map(|hits| &hits.times),
                _ => self.topics.get(&lane.key.topic),
            };
            if let Some(times) = times {
                add(&mut counts, times, columns, 0);
            }
            return counts;
        }
        for (at, partition) in lane.partitions().iter().zip(lane.described()) {
            let ends = Partition::ends(partition);
            if let (Some(hits), Some((_, end))) = (self.partitions.get(at), ends) {
                let base = offsets::place_of(kind, end, Offset(0));
                add(&mut counts, &hits.offsets, columns, base);
            }
        }
        counts
    }
}

/// Adds what of `values`, which are sorted and stand `shift` farther on, falls into each column.
fn add(counts: &mut Vec<u64>, values: &[i64], columns: &Columns, shift: i64) {
    let before = |column: i64| {
        let edge = columns.edge(column).saturating_sub(shift);
        values.partition_point(|value| *value < edge)
    };
    let (first, end) = (columns.first(), columns.end());
    if before(first) == before(end) {
        return;
    }
    let length = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
    if counts.is_empty() {
        counts.resize(length, 0);
    }
    for (from, to) in columns.stretches() {
        let mut below = before(from);
        for column in from..to {
            let next = before(column.saturating_add(1));
            let place = usize::try_from(column.saturating_sub(first)).ok();
            if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
                *count = count.saturating_add(u64_from_usize(next.saturating_sub(below)));
            }
            below = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::by_hand;
    use super::*;
    use crate::model::{Record, TimestampMs};

    fn hit(partition: i32, offset: i64, at: i64) -> Arc<Record> {
        Arc::new(Record {
            timestamp: Some(TimestampMs(at)),
            ..crate::model::by_hand::record("orders", partition, offset)
        })
    }

    fn table(rows: Vec<Arc<Record>>) -> Arc<Table> {
        Arc::new(Table {
            rows,
            ..Table::default()
        })
    }

    fn lanes() -> super::super::model::Lanes {
        let topic = by_hand::topic("orders", &[(0, 200), (0, 100)]);
        by_hand::lanes(&by_hand::inventory(vec![topic], vec![]), &["orders"])
    }

    fn taken() -> Hits {
        let mut hits = Hits::default();
        let rows = vec![
            hit(0, 5, 100),
            hit(1, 7, 150),
            hit(0, 199, 990),
            hit(0, 6, 99),
        ];
        assert_eq!(hits.take(Some(&table(rows)), 0.0), None);
        hits
    }

    #[test]
    fn hits_are_counted_in_their_column_and_summed_in_the_topic() {
        let (hits, lanes) = (taken(), lanes());
        let columns = Columns::new(0, 1_000, 100);
        let of = |lane: usize| hits.counts(lanes.get(lane).unwrap(), AxisKind::Time, &columns);
        assert_eq!(of(0), [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(of(1), [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(of(2), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn by_offset_they_stand_at_their_offsets_or_before_their_ends() {
        let (hits, lanes) = (taken(), lanes());
        let of = |lane: usize, kind, columns: &Columns| {
            hits.counts(lanes.get(lane).unwrap(), kind, columns)
        };
        assert_eq!(of(1, AxisKind::Offset, &Columns::new(0, 200, 100)), [2, 1]);
        // 199 of 200 is one before the end, 7 of 100 is 93 before it.
        let from_end = Columns::new(-200, 0, 100);
        assert_eq!(of(0, AxisKind::FromEnd, &from_end), [2, 2]);
    }

    #[test]
    fn none_are_counted_where_none_lie_or_the_search_is_over() {
        let (mut hits, lanes) = (taken(), lanes());
        let far = Columns::new(5_000, 6_000, 100);
        assert!(
            hits.counts(lanes.get(0).unwrap(), AxisKind::Time, &far)
                .is_empty()
        );
        let version = hits.version();
        hits.take(None, 1.0);
        assert_ne!(hits.version(), version);
        let near = Columns::new(0, 1_000, 100);
        assert!(
            hits.counts(lanes.get(0).unwrap(), AxisKind::Time, &near)
                .is_empty()
        );
    }

    #[test]
    fn many_hits_are_sorted_now_and_then() {
        let mut hits = taken();
        let many = || table((0..5_000).map(|at| hit(0, at, at)).collect());
        assert_eq!(hits.take(Some(&many()), 0.2), Some(0.3));
        assert_eq!(hits.take(Some(&many()), 0.5), None);
    }
}
