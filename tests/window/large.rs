//! A large cluster, made by hand: for counting and timing what a frame costs.

use std::sync::Arc;

use tideline::engine::{Connection, Density, GroupPlaces, Inventory, SessionId, Snapshot};
use tideline::inspect::density::TimeIndex;
use tideline::inspect::lag::Place;
use tideline::model::{
    BrokerId, Commit, Group, GroupListing, GroupType, Offset, Partition, PartitionId, Problem,
    ProblemKind, Text, TimestampMs, Topic, TopicPartition,
};

/// 30 November 2026, 14:00 in Berlin.
const START: i64 = 1_796_043_600_000;
/// Records in each partition, two a second for an hour.
const RECORDS: i64 = 7_200;

/// A cluster of `topics` topics with `partitions` partitions each, read by `groups` groups.
pub fn snapshot(topics: i32, partitions: i32, groups: i32) -> Snapshot {
    let index = Arc::new(index());
    let mut density = Density {
        settled: true,
        ..Density::default()
    };
    for topic in 0..topics {
        for partition in 0..partitions {
            density.partitions.insert(
                TopicPartition::new(topic_name(topic), partition),
                Arc::clone(&index),
            );
        }
    }
    let inventory = Inventory {
        topics: Some(Ok((0..topics)
            .map(|number| Arc::new(topic(number, partitions)))
            .collect())),
        groups: Some(Ok((0..groups)
            .map(|number| group(number, topics))
            .collect())),
        bulk: Some((TimestampMs(START), TimestampMs(START + 3_600_000))),
        read_at: Some(TimestampMs(START + 3_600_000)),
        ..Inventory::default()
    };
    Snapshot {
        session: SessionId(1),
        generation: 1,
        connection: Connection::Connected {
            to: "large:9092".into(),
            demo: false,
            degraded: None,
        },
        density: Arc::new(density),
        inventory: Arc::new(inventory),
        ..Snapshot::default()
    }
}

fn topic_name(number: i32) -> Arc<str> {
    format!("topic-{number:05}").into()
}

fn index() -> TimeIndex {
    let mut index = TimeIndex::new(Offset(0), Offset(RECORDS));
    for step in 0..720 {
        index.insert(TimestampMs(START + step * 5_000), Some(Offset(step * 10)));
    }
    index
}

fn topic(number: i32, partitions: i32) -> Topic {
    let partition = |id| Partition {
        id: PartitionId(id),
        leader: Some(BrokerId(1)),
        replicas: vec![],
        isr: vec![],
        log_start: Ok(Offset(0)),
        high_watermark: Ok(Offset(RECORDS)),
        last_stable: Ok(Offset(RECORDS)),
        error: None,
    };
    Topic {
        name: topic_name(number),
        topic_id: None,
        internal: false,
        config: Err(Problem::new(ProblemKind::Other, "not asked")),
        partitions: (0..partitions).map(partition).collect(),
        error: None,
    }
}

/// A group that reads partition 0 of twenty topics.
fn group(number: i32, topics: i32) -> GroupPlaces {
    let mut places: Vec<Place> = (0..20)
        .map(|step| {
            let commit = Commit {
                at: TopicPartition::new(topic_name((number + step * 7) % topics), 0),
                offset: Ok(Some(Offset(i64::from(number) * 7 % RECORDS))),
                leader_epoch: None,
                metadata: Text::from(""),
            };
            Place::new(&commit, Ok(Offset(0)), Ok(Offset(RECORDS)))
        })
        .collect();
    places.sort_by(|a, b| a.at.cmp(&b.at));
    places.dedup_by(|a, b| a.at == b.at);
    GroupPlaces {
        group: Arc::new(Group {
            listing: GroupListing {
                name: Text::from(format!("group-{number:05}").as_str()),
                kind: GroupType::Consumer,
                protocol_type: None,
                state: None,
                coordinator: None,
            },
            members: Err(Problem::new(ProblemKind::Other, "not asked")),
            commits: Ok(vec![]),
        }),
        places,
    }
}
