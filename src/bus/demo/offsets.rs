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

impl Committed {
    /// About how many bytes it takes, its place in the maps included.
    fn weight(&self) -> usize {
        self.metadata.len().saturating_add(128)
    }
}

/// Positions within a transaction that has not ended.
type Pending = Vec<(String, i32, Committed)>;

/// All positions of one group.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    committed: BTreeMap<String, BTreeMap<i32, Committed>>,
    pending: BTreeMap<i64, Pending>,
    weight: usize,
}

impl Offsets {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.committed.is_empty() && self.pending.is_empty()
    }

    /// About how many bytes they take, those of open transactions included.
    pub(super) fn weight(&self) -> usize {
        self.weight
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
        self.gains(committed.weight());
        if !self.committed.contains_key(topic) {
            self.committed.insert(topic.to_owned(), BTreeMap::new());
        }
        let partitions = self.committed.get_mut(topic);
        let before = partitions.and_then(|partitions| partitions.insert(partition, committed));
        self.loses(before.iter());
    }

    /// Holds a position until its producer's transaction ends.
    pub(super) fn hold(
        &mut self,
        producer_id: i64,
        topic: &str,
        partition: i32,
        committed: Committed,
    ) {
        self.gains(committed.weight());
        let pending = self.pending.entry(producer_id).or_default();
        let same = |held: &mut (String, i32, Committed)| held.0 == topic && held.1 == partition;
        let before: Pending = pending.extract_if(.., same).collect();
        pending.push((topic.to_owned(), partition, committed));
        self.loses(before.iter().map(|(_, _, committed)| committed));
    }

    /// Ends a producer's transaction: its positions become committed, or are forgotten.
    pub(super) fn release(&mut self, producer_id: i64, commit: bool) {
        let held = self.pending.remove(&producer_id).unwrap_or_default();
        self.loses(held.iter().map(|(_, _, committed)| committed));
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
        let Some(partitions) = self.committed.get_mut(topic) else {
            return;
        };
        let deleted = partitions.remove(&partition);
        if partitions.is_empty() {
            self.committed.remove(topic);
        }
        self.loses(deleted.iter());
    }

    /// Deletes every position on a topic.
    pub(super) fn forget_topic(&mut self, topic: &str) {
        let deleted = self.committed.remove(topic).unwrap_or_default();
        self.loses(deleted.values());
        let mut forgotten = Pending::new();
        for held in self.pending.values_mut() {
            forgotten.extend(held.extract_if(.., |(name, ..)| name == topic));
        }
        self.pending.retain(|_, held| !held.is_empty());
        self.loses(forgotten.iter().map(|(_, _, committed)| committed));
    }

    fn gains(&mut self, weight: usize) {
        self.weight = self.weight.saturating_add(weight);
    }

    fn loses<'a>(&mut self, gone: impl Iterator<Item = &'a Committed>) {
        let weight: usize = gone.map(Committed::weight).sum();
        self.weight = self.weight.saturating_sub(weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: i64) -> Committed {
        Committed {
            offset,
            epoch: 0,
            metadata: "m".repeat(10),
        }
    }

    #[test]
    fn the_weight_is_that_of_what_is_there() {
        let mut offsets = Offsets::default();
        offsets.commit("a", 0, at(1));
        offsets.commit("a", 0, at(2));
        assert_eq!(offsets.weight(), 138);
        offsets.hold(9, "a", 1, at(3));
        offsets.hold(9, "a", 1, at(4));
        assert_eq!(offsets.weight(), 276);
        offsets.release(9, true);
        assert_eq!(offsets.weight(), 276);
        offsets.delete("a", 0);
        assert_eq!(offsets.weight(), 138);
        offsets.hold(9, "a", 5, at(3));
        offsets.forget_topic("a");
        assert_eq!(offsets.weight(), 0);
        assert!(offsets.is_empty());
    }

    #[test]
    fn a_position_in_an_open_transaction_is_held_until_it_ends() {
        let mut offsets = Offsets::default();
        offsets.commit("a", 0, at(1));
        offsets.hold(9, "a", 0, at(5));
        assert!(offsets.is_unstable("a", 0));
        assert!(!offsets.is_unstable("a", 1));
        assert_eq!(offsets.get("a", 0), Some(&at(1)));
        offsets.release(9, true);
        assert!(!offsets.is_unstable("a", 0));
        assert_eq!(offsets.get("a", 0), Some(&at(5)));
        offsets.hold(9, "a", 0, at(7));
        offsets.release(9, false);
        assert_eq!(offsets.get("a", 0), Some(&at(5)));
    }
}
