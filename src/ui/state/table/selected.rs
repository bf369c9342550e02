//! Which records are selected.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Offset, PartitionId, Record, TopicName, TopicPartition};

/// What tells a record from every other one.
pub type RecordKey = (TopicName, PartitionId, Offset);

/// What tells `record` from every other one.
pub fn key_of(record: &Record) -> RecordKey {
    (Arc::clone(&record.topic), record.partition, record.offset)
}

/// The records that are selected. They are held, so that they can still be copied when the rows on screen
/// are others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectedRecords {
    /// Shared, because the state is copied for every frame.
    records: Arc<BTreeMap<RecordKey, Arc<Record>>>,
    pivot: Option<RecordKey>,
}

impl SelectedRecords {
    /// This record alone.
    pub fn only(record: &Arc<Record>) -> Self {
        let key = key_of(record);
        Self {
            pivot: Some(key.clone()),
            records: Arc::new(BTreeMap::from([(key, Arc::clone(record))])),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether `record` is among them.
    pub fn has(&self, record: &Record) -> bool {
        !self.records.is_empty() && self.records.contains_key(&key_of(record))
    }

    /// Whether the record at this place is among them.
    pub fn has_at(&self, at: &TopicPartition, offset: Offset) -> bool {
        let key = (Arc::clone(&at.topic), at.partition, offset);
        self.records.contains_key(&key)
    }

    /// The record from which a stretch is drawn out.
    pub fn pivot(&self) -> Option<&RecordKey> {
        self.pivot.as_ref()
    }

    /// The records, by topic, partition and offset.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.records.values()
    }

    /// With `record`, or without it if it was among them; a stretch now begins there.
    #[must_use]
    pub fn toggled(&self, record: &Arc<Record>) -> Self {
        let mut next = self.clone();
        let key = key_of(record);
        let records = Arc::make_mut(&mut next.records);
        if records.remove(&key).is_none() {
            records.insert(key.clone(), Arc::clone(record));
        }
        next.pivot = Some(key);
        next
    }

    /// The stretch from the pivot to another record: `between` are its rows at hand. What was selected stays
    /// where `keeps` says so, because the pivot is not at hand any more.
    #[must_use]
    pub fn stretched(&self, between: &[&Arc<Record>], keeps: bool) -> Self {
        let mut records = if keeps {
            BTreeMap::clone(&self.records)
        } else {
            BTreeMap::new()
        };
        records.extend(
            between
                .iter()
                .map(|record| (key_of(record), Arc::clone(record))),
        );
        Self {
            records: Arc::new(records),
            pivot: self
                .pivot
                .clone()
                .or_else(|| between.first().map(|record| key_of(record))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::by_hand;

    fn record(offset: i64) -> Arc<Record> {
        Arc::new(by_hand::record("t", 0, offset))
    }

    fn offsets(selected: &SelectedRecords) -> Vec<i64> {
        selected.iter().map(|record| record.offset.0).collect()
    }

    #[test]
    fn single_records_come_and_go() {
        let (a, b) = (record(1), record(2));
        let selected = SelectedRecords::only(&a).toggled(&b);
        assert_eq!(offsets(&selected), [1, 2]);
        assert_eq!(offsets(&selected.toggled(&a)), [2]);
        assert!(selected.has(&b) && !selected.has(&record(3)));
    }

    #[test]
    fn a_stretch_replaces_what_was_selected_and_keeps_its_pivot() {
        let rows: Vec<Arc<Record>> = (0..6).map(record).collect();
        let of = |from: usize, to: usize| rows[from..to].iter().collect::<Vec<_>>();
        let selected = SelectedRecords::only(&rows[2]).stretched(&of(2, 5), false);
        assert_eq!(offsets(&selected), [2, 3, 4]);
        let shorter = selected.stretched(&of(1, 3), false);
        assert_eq!(offsets(&shorter), [1, 2]);
        assert_eq!(shorter.pivot(), Some(&key_of(&rows[2])));
        assert_eq!(offsets(&shorter.stretched(&of(5, 6), true)), [1, 2, 5]);
    }
}
