//! Topics, their settings and their partitions.

use std::sync::Arc;

use super::{
    BrokerId, Known, Offset, PartitionId, Problem, TimestampType, TopicName, TopicPartition,
};

/// A topic and all its partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: TopicName,
    /// Its id, which a topic made anew under the same name does not share; `None` where the bus has none.
    pub topic_id: Option<String>,
    /// Whether the bus keeps its own data in it.
    pub internal: bool,
    /// Its settings, or why they are not known.
    pub config: Known<TopicConfig>,
    /// Its partitions, by number; empty when the topic cannot be read at all.
    pub partitions: Vec<Partition>,
    /// Why the topic itself cannot be read.
    pub error: Option<Problem>,
}

impl Topic {
    /// The partition numbered `partition` of this topic.
    pub fn at(&self, partition: PartitionId) -> TopicPartition {
        TopicPartition {
            topic: Arc::clone(&self.name),
            partition,
        }
    }

    /// Log start and high watermark of each partition of which both are known.
    pub fn known_ends(&self) -> impl Iterator<Item = (TopicPartition, (Offset, Offset))> {
        self.partitions
            .iter()
            .filter_map(|partition| Some((self.at(partition.id), partition.ends()?)))
    }
}

/// The settings of a topic that decide how long its records live and what their times mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicConfig {
    /// `cleanup.policy` as the broker writes it: `delete`, `compact`, `compact,delete`.
    pub cleanup_policy: Option<String>,
    /// `retention.ms`; −1 means for ever.
    pub retention_ms: Option<i64>,
    /// `retention.bytes` of one partition; −1 means no limit.
    pub retention_bytes: Option<i64>,
    /// `delete.retention.ms`: how long a tombstone stays after compaction.
    pub delete_retention_ms: Option<i64>,
    /// `message.timestamp.type`: who sets the time of a record.
    pub timestamp_type: Option<TimestampType>,
}

impl TopicConfig {
    /// Whether records that have a later one with the same key may be removed.
    pub fn is_compacted(&self) -> bool {
        self.cleanup_policy
            .as_deref()
            .is_some_and(|policy| policy.split(',').any(|part| part.trim() == "compact"))
    }
}

/// A partition: who holds it, and the offsets between which its records lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its number.
    pub id: PartitionId,
    /// The broker that leads it; `None` when nobody does.
    pub leader: Option<BrokerId>,
    /// The brokers that hold a copy, in the order of preference.
    pub replicas: Vec<BrokerId>,
    /// The brokers whose copy is in step.
    pub isr: Vec<BrokerId>,
    /// The first offset that can still be read.
    pub log_start: Known<Offset>,
    /// The offset that the next record will get.
    pub high_watermark: Known<Offset>,
    /// The offset up to which careful (`read_committed`) readers are served.
    pub last_stable: Known<Offset>,
    /// What is wrong with the partition as a whole.
    pub error: Option<Problem>,
}

impl Partition {
    /// Log start and high watermark when both are known.
    pub fn ends(&self) -> Option<(Offset, Offset)> {
        match (&self.log_start, &self.high_watermark) {
            (Ok(start), Ok(end)) => Some((*start, *end)),
            _ => None,
        }
    }

    /// What careful readers are not given yet, from the last stable offset to the high watermark: records of
    /// open transactions and what was written behind them. `None` when there is nothing or it is not known.
    pub fn held_back(&self) -> Option<(Offset, Offset)> {
        match (&self.last_stable, &self.high_watermark) {
            (Ok(stable), Ok(end)) if stable < end => Some((*stable, *end)),
            _ => None,
        }
    }

    /// The first reason why something about this partition is not known.
    pub fn first_problem(&self) -> Option<&Problem> {
        self.error
            .as_ref()
            .or_else(|| self.log_start.as_ref().err())
            .or_else(|| self.high_watermark.as_ref().err())
            .or_else(|| self.last_stable.as_ref().err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compaction_is_read_from_the_policy_list() {
        let with = |policy: &str| TopicConfig {
            cleanup_policy: Some(policy.into()),
            ..TopicConfig::default()
        };
        assert!(with("compact,delete").is_compacted());
        assert!(with("delete, compact").is_compacted());
        assert!(!with("delete").is_compacted());
        assert!(!TopicConfig::default().is_compacted());
    }
}
