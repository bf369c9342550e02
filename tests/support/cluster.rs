//! Changes and asks a cluster through librdkafka: what a test needs beyond publishing and the stock tools.

use super::wait_for;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::{ClientConfig, Message as _, Offset, TopicPartitionList};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_mins(1);

/// A cluster's plain listener.
pub struct Cluster {
    bootstrap: String,
    admin: AdminClient<DefaultClientContext>,
    runtime: tokio::runtime::Runtime,
}

impl Cluster {
    pub fn at(bootstrap: &str) -> Self {
        Self {
            bootstrap: bootstrap.to_owned(),
            admin: config(bootstrap).create().unwrap(),
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap(),
        }
    }

    pub fn create_topics(&self, topics: &[NewTopic<'_>]) {
        let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
        for result in self
            .runtime
            .block_on(self.admin.create_topics(topics, &options))
            .unwrap()
        {
            result.unwrap();
        }
        let client: BaseConsumer = config(&self.bootstrap).create().unwrap();
        for topic in topics {
            wait_for("the leaders of a new topic", || {
                let metadata = client
                    .fetch_metadata(Some(topic.name), Duration::from_secs(1))
                    .ok()?;
                let partitions = metadata.topics().first()?.partitions();
                let expected = usize::try_from(topic.num_partitions).ok()?;
                let led = partitions
                    .iter()
                    .filter(|partition| partition.leader() >= 0)
                    .count();
                (led == expected).then_some(())
            });
            // The leader that the metadata names may not know of it yet.
            let mut ends = TopicPartitionList::new();
            ends.add_partition_range(topic.name, 0, topic.num_partitions - 1);
            ends.set_all_offsets(Offset::End).unwrap();
            wait_for("the answers of a new topic's leaders", || {
                let found = client.offsets_for_times(ends.clone(), PATIENCE).ok()?;
                let elements = found.elements();
                let is_well = elements.iter().all(|element| element.error().is_ok());
                is_well.then_some(())
            });
        }
    }

    /// Moves the log start offset of a partition forward.
    pub fn delete_records_before(&self, topic: &str, partition: i32, offset: i64) {
        let list = offsets(&[(topic, partition, offset)]);
        let done = self
            .runtime
            .block_on(self.admin.delete_records(&list, &AdminOptions::new()))
            .unwrap();
        done.elements()[0].error().unwrap();
    }

    /// Commits for a group without joining it, as an administrator does; it comes into being with that.
    pub fn commit(&self, group: &str, committed: &[(&str, i32, i64)]) {
        self.commit_list(group, &offsets(committed));
    }

    /// The same with the text that a member may leave beside its offset.
    pub fn commit_with_metadata(
        &self,
        group: &str,
        topic: &str,
        partition: i32,
        offset: i64,
        metadata: &str,
    ) {
        let mut list = TopicPartitionList::new();
        let mut element = list.add_partition(topic, partition);
        element.set_offset(Offset::Offset(offset)).unwrap();
        element.set_metadata(metadata);
        self.commit_list(group, &list);
    }

    fn commit_list(&self, group: &str, list: &TopicPartitionList) {
        let client: BaseConsumer = config(&self.bootstrap)
            .set("group.id", group)
            .create()
            .unwrap();
        wait_for("the commit", || client.commit(list, CommitMode::Sync).ok());
    }

    /// Log start offset and high watermark.
    pub fn watermarks(&self, topic: &str, partition: i32) -> (i64, i64) {
        let client: BaseConsumer = config(&self.bootstrap)
            .set("isolation.level", "read_uncommitted")
            .create()
            .unwrap();
        wait_for("the watermarks", || {
            client.fetch_watermarks(topic, partition, PATIENCE).ok()
        })
    }

    pub fn wait_for_high_watermark(&self, topic: &str, partition: i32, expected: i64) {
        wait_for("the high watermark", || {
            (self.watermarks(topic, partition).1 == expected).then_some(())
        });
    }

    /// The offsets of all records of a partition that can still be read.
    pub fn readable_offsets(&self, topic: &str, partition: i32) -> Vec<i64> {
        let client: BaseConsumer = config(&self.bootstrap)
            .set("group.id", "never-committed-by-the-tests")
            .set("isolation.level", "read_uncommitted")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("auto.offset.reset", "earliest")
            .create()
            .unwrap();
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, partition, Offset::Beginning)
            .unwrap();
        client.assign(&list).unwrap();
        let mut found = Vec::new();
        wait_for("the end of the partition", || {
            match client.poll(Duration::from_secs(1))? {
                Ok(record) => {
                    found.push(record.offset());
                    None
                }
                Err(rdkafka::error::KafkaError::PartitionEOF(_)) => Some(()),
                Err(_) => None,
            }
        });
        found
    }

    /// Joins a group with any consumer settings, and reads on until dropped.
    pub fn join(&self, group: &str, topic: &str, settings: &[(&str, &str)]) -> Member {
        let mut config = config(&self.bootstrap);
        config
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest");
        for (name, value) in settings {
            config.set(*name, *value);
        }
        let client: BaseConsumer = config.create().unwrap();
        client.subscribe(&[topic]).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let assigned = Arc::new(AtomicBool::new(false));
        let (told, says) = (Arc::clone(&stop), Arc::clone(&assigned));
        let thread = std::thread::Builder::new()
            .name(format!("member of {group}"))
            .spawn(move || {
                while !told.load(Ordering::Relaxed) {
                    drop(client.poll(Duration::from_millis(100)));
                    let has_some = client.assignment().is_ok_and(|list| list.count() > 0);
                    says.store(has_some, Ordering::Relaxed);
                }
            })
            .unwrap();
        wait_for("the assignment of a member", || {
            assigned.load(Ordering::Relaxed).then_some(())
        });
        Member {
            stop,
            thread: Some(thread),
        }
    }

    /// A group that had a member of this protocol (`classic` or `consumer`) and has none any more, with these
    /// commits.
    pub fn idle_group(
        &self,
        group: &str,
        protocol: &str,
        topic: &str,
        committed: &[(&str, i32, i64)],
    ) {
        drop(self.join(group, topic, &[("group.protocol", protocol)]));
        // Refused until the member has left; `commit` asks again.
        self.commit(group, committed);
    }

    /// A producer that has its transactional id already; `begin` and the rest are the test's.
    pub fn transactional(&self, id: &str) -> Transactional {
        let producer: BaseProducer = config(&self.bootstrap)
            .set("transactional.id", id)
            .set("transaction.timeout.ms", "600000")
            .create()
            .unwrap();
        producer.init_transactions(PATIENCE).unwrap();
        Transactional { producer }
    }
}

/// A live member of a group.
pub struct Member {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// Publishes in transactions, which stay open until told otherwise.
pub struct Transactional {
    producer: BaseProducer,
}

impl Transactional {
    pub fn begin(&self, topic: &str, partition: i32, records: &[(i64, &str, &str)]) {
        self.producer.begin_transaction().unwrap();
        for (timestamp_ms, key, value) in records {
            let record = BaseRecord::to(topic)
                .partition(partition)
                .timestamp(*timestamp_ms)
                .key(*key)
                .payload(*value);
            self.producer
                .send(record)
                .map_err(|(error, _)| error)
                .unwrap();
        }
        self.producer.flush(PATIENCE).unwrap();
    }

    pub fn commit(&self) {
        self.producer.commit_transaction(PATIENCE).unwrap();
    }

    pub fn abort(&self) {
        self.producer.abort_transaction(PATIENCE).unwrap();
    }
}

fn config(bootstrap: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", bootstrap)
        .set("topic.metadata.refresh.fast.interval.ms", "50");
    config
}

fn offsets(list: &[(&str, i32, i64)]) -> TopicPartitionList {
    let mut offsets = TopicPartitionList::new();
    for (topic, partition, offset) in list {
        offsets
            .add_partition_offset(topic, *partition, Offset::Offset(*offset))
            .unwrap();
    }
    offsets
}
