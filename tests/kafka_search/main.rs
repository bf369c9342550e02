//! Following and long searches on one real broker. Every test has topics of its own.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod following;
mod given_up;
mod large;
mod quota;

use std::sync::LazyLock;

use rdkafka::admin::{NewTopic, TopicReplication};
use support::cluster::Cluster;
use support::kafka::Kafka;
use support::raw::{self, Record};

/// The broker, and ways to prepare it.
struct Lab {
    kafka: &'static Kafka,
    cluster: Cluster,
}

impl Lab {
    fn get() -> &'static Self {
        static LAB: LazyLock<Lab> = LazyLock::new(|| {
            let kafka = Kafka::one_node();
            Lab {
                kafka,
                cluster: Cluster::at(&kafka.bootstrap()),
            }
        });
        &LAB
    }

    fn topic(&self, name: &str, partitions: i32) {
        // Tests choose their records' times, and retention would take the old ones away.
        let topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        self.cluster
            .create_topics(&[topic.set("retention.ms", "-1")]);
    }

    fn produce(&self, topic: &str, partition: i32, records: &[Record]) {
        raw::produce(&self.kafka.bootstrap(), topic, partition, records);
    }
}
