//! Made-up topics, groups and records for tests: what a test does not speak of is empty or not known.

use super::{
    Certainty, Commit, Concerns, Finding, FindingKind, Group, GroupListing, GroupType, Offset,
    Partition, PartitionId, Problem, ProblemKind, Record, Text, Topic, TopicConfig, TopicPartition,
    Visibility,
};

/// A record without time, key, value and headers.
pub fn record(topic: &str, partition: i32, offset: i64) -> Record {
    Record {
        topic: topic.into(),
        partition: PartitionId(partition),
        offset: Offset(offset),
        timestamp: None,
        timestamp_type: None,
        key: None,
        value: None,
        headers: vec![],
        leader_epoch: None,
        visibility: Visibility::Committed,
    }
}

/// A partition that holds the offsets from `start` to before `end`.
pub fn partition(id: i32, start: i64, end: i64) -> Partition {
    Partition {
        id: PartitionId(id),
        leader: None,
        replicas: vec![],
        isr: vec![],
        log_start: Ok(Offset(start)),
        high_watermark: Ok(Offset(end)),
        last_stable: Ok(Offset(end)),
        error: None,
    }
}

/// A topic of these partitions.
pub fn topic(name: &str, partitions: Vec<Partition>) -> Topic {
    Topic {
        name: name.into(),
        topic_id: None,
        internal: false,
        config: Ok(TopicConfig::default()),
        partitions,
        error: None,
    }
}

/// What a group committed in a partition.
pub fn commit(topic: &str, partition: i32, offset: Option<i64>) -> Commit {
    Commit {
        at: TopicPartition::new(topic, partition),
        offset: Ok(offset.map(Offset)),
        leader_epoch: None,
        metadata: Text::from(""),
    }
}

/// A group of which nothing but the name is known.
pub fn group(name: &str) -> Group {
    let unknown = || Problem::new(ProblemKind::Other, "not asked");
    Group {
        listing: GroupListing {
            name: Text::from(name),
            kind: GroupType::Classic,
            protocol_type: None,
            state: None,
            coordinator: None,
        },
        members: Err(unknown()),
        commits: Err(unknown()),
    }
}

/// A finding of which nothing but the id is known: a group stands still.
pub fn finding(id: &str) -> Finding {
    Finding {
        id: id.to_owned(),
        kind: FindingKind::Stuck,
        concerns: Concerns::Everyone,
        topic: None,
        partition: None,
        from: None,
        to: None,
        from_time: None,
        to_time: None,
        records: None,
        certainty: Certainty::Strong,
        normal: false,
        sentence: String::new(),
        next_step: String::new(),
        evidence: Vec::new(),
    }
}
