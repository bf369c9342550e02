//! The positions that a group has committed.

use std::collections::BTreeMap;

/// A committed position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Committed {
    /// The next offset to read.
    pub(super) offset: i64,
    /// The leader epoch of the record before it; −1 is unknown.
    pub(super) epoch: i32,
    /// What the committer wrote beside it.
    pub(super) metadata: String,
}

/// A position within a transaction that has not ended.
type Pending = Vec<(String, i32, Committed)>;

/// All positions of one group.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    committed: BTreeMap<String, BTreeMap<i32, Committed>>,
    pending: BTreeMap<i64, Pending>,
}

impl Offsets {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.committed.is_empty() && self.pending.is_empty()
    }

    /// How many there are, those of open transactions included.
    pub(super) fn len(&self) -> usize {
        let committed: usize = self.committed.values().map(BTreeMap::len).sum();
        let pending: usize = self.pending.values().map(Vec::len).sum();
        committed.saturating_add(pending)
    }

    /// The position on a partition.
    pub(super) fn get(&self, topic: &str, partition: i32) -> Option<&Committed> {
        self.committed.get(topic)?.get(&partition)
    }

    /// Every position, by topic and partition.
    pub(super) fn all(&self) -> &BTreeMap<String, BTreeMap<i32, Committed>> {
        &self.committed
    }

    /// Commits a position.
    pub(super) fn commit(&mut self, topic: &str, partition: i32, committed: Committed) {
        if !self.committed.contains_key(topic) {
            self.committed.insert(topic.to_owned(), BTreeMap::new());
        }
        if let Some(partitions) = self.committed.get_mut(topic) {
            partitions.insert(partition, committed);
        }
    }

    /// Holds a position until its producer's transaction ends.
    pub(super) fn hold(
        &mut self,
        producer_id: i64,
        topic: &str,
        partition: i32,
        committed: Committed,
    ) {
        let pending = self.pending.entry(producer_id).or_default();
        pending.retain(|(name, index, _)| name != topic || *index != partition);
        pending.push((topic.to_owned(), partition, committed));
    }

    /// Ends a producer's transaction: its positions become committed, or are forgotten.
    pub(super) fn release(&mut self, producer_id: i64, commit: bool) {
        let held = self.pending.remove(&producer_id).unwrap_or_default();
        for (topic, partition, committed) in held.into_iter().filter(|_| commit) {
            self.commit(&topic, partition, committed);
        }
    }

    /// Whether an open transaction would change the position on a partition.
    pub(super) fn is_unstable(&self, topic: &str, partition: i32) -> bool {
        let mut held = self.pending.values().flatten();
        held.any(|(name, index, _)| name == topic && *index == partition)
    }

    /// Deletes the position on a partition.
    pub(super) fn delete(&mut self, topic: &str, partition: i32) {
        if let Some(partitions) = self.committed.get_mut(topic) {
            partitions.remove(&partition);
            if partitions.is_empty() {
                self.committed.remove(topic);
            }
        }
    }

    /// Deletes every position on a topic.
    pub(super) fn forget_topic(&mut self, topic: &str) {
        self.committed.remove(topic);
        for held in self.pending.values_mut() {
            held.retain(|(name, ..)| name != topic);
        }
        self.pending.retain(|_, held| !held.is_empty());
    }
}
