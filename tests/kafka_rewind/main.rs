//! Moving groups on one real broker, read back with Kafka's own tool. Every test has topics and groups of its own.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod commands;
mod killed;
mod looking;
mod members;
mod positions;
mod proxy;
mod targets;

use std::sync::LazyLock;

use rdkafka::admin::{NewTopic, TopicReplication};
use support::cluster::Cluster;
use support::kafka::Kafka;
use tideline::bus::Bus as _;
use tideline::bus::kafka::KafkaBus;
use tideline::model::{Bookmark, Commit, ConnectionSettings, Known, Offset, Text, TopicPartition};

/// The broker, ways to prepare it, and Tideline's own connection to it.
struct Lab {
    kafka: &'static Kafka,
    cluster: Cluster,
    bus: KafkaBus,
    runtime: tokio::runtime::Runtime,
}

impl Lab {
    fn get() -> &'static Self {
        static LAB: LazyLock<Lab> = LazyLock::new(|| {
            let kafka = Kafka::proxied();
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap();
            let settings = ConnectionSettings::to(kafka.bootstrap());
            let bus = runtime
                .block_on(tideline::bus::kafka::connect(&settings))
                .unwrap();
            Lab {
                kafka,
                cluster: Cluster::at(&kafka.bootstrap()),
                bus,
                runtime,
            }
        });
        &LAB
    }

    fn topic(&self, name: &str, partitions: i32) {
        // Tests choose their records' times, and retention would take the old ones away.
        let topic =
            NewTopic::new(name, partitions, TopicReplication::Fixed(1)).set("retention.ms", "-1");
        self.cluster.create_topics(&[topic]);
    }

    fn set(&self, group: &str, to: Vec<(TopicPartition, Bookmark)>) -> Known<Vec<Known<()>>> {
        let positions = self.bus.positions().unwrap();
        self.runtime.block_on(positions.set(Text::from(group), to))
    }

    fn delete(&self, group: &str, at: Vec<TopicPartition>) -> Known<Vec<Known<()>>> {
        let positions = self.bus.positions().unwrap();
        self.runtime
            .block_on(positions.delete(Text::from(group), at))
    }

    /// All that the group has committed, as Tideline reads it.
    fn commits(&self, group: &str) -> Vec<Commit> {
        let asked = self.bus.commits(vec![Text::from(group)]);
        self.runtime.block_on(asked).remove(0).unwrap()
    }
}

fn at(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition::new(topic, partition)
}

fn plain(topic: &str, partition: i32, offset: i64) -> (TopicPartition, Bookmark) {
    (at(topic, partition), Bookmark::plain(Offset(offset)))
}
