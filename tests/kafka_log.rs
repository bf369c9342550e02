//! Logs as a real broker keeps them: batches, marks, holes, open transactions, leader epochs. Every test has topics of
//! its own.
#![cfg(test)]

#[path = "support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

use std::sync::LazyLock;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use support::cluster::{Cluster, Transactional};
use support::fixture::T0;
use support::kafka::Kafka;
use support::raw::{self, Record};
use support::{tools, wait_for};
use tideline::bus::kafka::KafkaBus;
use tideline::bus::{Bus as _, ReadRange};
use tideline::model::{
    Aborted, Batch, BatchKind, ConnectionSettings, Known, LogPortion, Offset, OpenTransaction,
    ProblemKind, TopicPartition,
};

const PATIENCE: Duration = Duration::from_mins(1);

/// The broker, ways to prepare it, and Tideline's own connection to it.
struct Lab {
    kafka: &'static Kafka,
    cluster: Cluster,
    bus: KafkaBus,
    runtime: tokio::runtime::Runtime,
}

impl Lab {
    fn get() -> &'static Self {
        static LAB: LazyLock<Lab> = LazyLock::new(|| Lab::at(Kafka::one_node()));
        &LAB
    }

    fn at(kafka: &'static Kafka) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let settings = ConnectionSettings::to(kafka.bootstrap());
        let bus = runtime
            .block_on(tideline::bus::kafka::connect(&settings))
            .unwrap();
        Self {
            kafka,
            cluster: Cluster::at(&kafka.bootstrap()),
            bus,
            runtime,
        }
    }

    fn topic(&self, name: &str, partitions: i32) {
        let topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        self.cluster
            .create_topics(&[topic.set("retention.ms", "-1")]);
    }

    /// A topic that is compacted as soon as anything in it can be.
    fn compacted(&self, name: &str) {
        let topic = NewTopic::new(name, 1, TopicReplication::Fixed(1));
        self.cluster.create_topics(&[topic
            .set("cleanup.policy", "compact")
            .set("segment.ms", "200")
            .set("min.cleanable.dirty.ratio", "0.01")
            .set("delete.retention.ms", "100")]);
    }

    fn produce(&self, topic: &str, partition: i32, records: &[Record]) {
        raw::produce(&self.kafka.bootstrap(), topic, partition, records);
    }

    /// One transaction in partition 0, and the mark that ends it.
    fn end(&self, producer: &Transactional, topic: &str, records: i64, committed: bool) {
        let (_, before) = self.cluster.watermarks(topic, 0);
        let records: Vec<_> = (0..records).map(|n| (T0 + n, "k", "v")).collect();
        producer.begin(topic, 0, &records);
        if committed {
            producer.commit();
        } else {
            producer.abort();
        }
        // The broker answers before the mark is in the log.
        let count = i64::try_from(records.len()).unwrap();
        self.cluster
            .wait_for_high_watermark(topic, 0, before + count + 1);
    }

    fn log(&self, topic: &str, partition: i32, from: i64, to: Option<i64>) -> Known<LogPortion> {
        self.runtime.block_on(self.bus.log(ReadRange {
            at: at(topic, partition),
            from: Offset(from),
            to: to.map(Offset),
        }))
    }

    /// From `from` to where a portion brings nothing more. Each portion lies in one file of the log, and records far
    /// apart in time lie in several.
    fn rest(&self, topic: &str, from: i64) -> LogPortion {
        let mut rest = self.log(topic, 0, from, None).unwrap();
        while rest.next < rest.last_stable {
            let more = self.log(topic, 0, rest.next.0, None).unwrap();
            assert!(more.next > rest.next, "{more:?}");
            rest.next = more.next;
            rest.batches.extend(more.batches);
            for aborted in more.aborted {
                if !rest.aborted.contains(&aborted) {
                    rest.aborted.push(aborted);
                }
            }
        }
        rest
    }

    fn open(&self, places: &[TopicPartition]) -> Vec<Known<Vec<OpenTransaction>>> {
        self.runtime
            .block_on(self.bus.open_transactions(places.to_vec()))
    }
}

fn at(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition::new(topic, partition)
}

fn numbered(count: i64) -> Vec<Record> {
    (0..count)
        .map(|n| Record::new(T0 + n, format!("k{n}"), "v"))
        .collect()
}

/// First and last offset, records, and what is missing in between.
type Layout = (i64, i64, u32, Vec<(i64, i64)>);

fn layout(batch: &Batch) -> Layout {
    let holes = batch.holes.as_ref().unwrap().iter();
    let holes = holes.map(|(from, to)| (from.0, to.0)).collect();
    (batch.first.0, batch.last.0, batch.records, holes)
}

fn layouts(portion: &LogPortion) -> Vec<Layout> {
    portion.batches.iter().map(layout).collect()
}

/// log start, last stable offset, high watermark, and what comes next.
fn ends(portion: &LogPortion) -> [i64; 4] {
    [
        portion.log_start.0,
        portion.last_stable.0,
        portion.high_watermark.0,
        portion.next.0,
    ]
}

#[test]
fn ten_transactions_of_one_record_are_ten_records_and_ten_marks() {
    let lab = Lab::get();
    lab.topic("ten", 1);
    let producer = lab.cluster.transactional("writes-ten");
    for _ in 0..10 {
        lab.end(&producer, "ten", 1, true);
    }
    let portion = lab.rest("ten", 0);
    assert_eq!(ends(&portion), [0, 20, 20, 20]);
    let expected: Vec<_> = (0..20).map(|n| (n, n, 1, vec![])).collect();
    assert_eq!(layouts(&portion), expected);
    for pair in portion.batches.chunks(2) {
        let [data, mark] = pair else {
            panic!("{pair:?}")
        };
        assert_eq!((data.kind, mark.kind), (BatchKind::Data, BatchKind::Commit));
        assert!(data.transactional && mark.transactional);
        let (wrote, ended) = (data.producer.unwrap(), mark.producer.unwrap());
        assert_eq!((wrote.id, ended.sequence), (ended.id, -1));
        assert!(wrote.sequence >= 0);
        assert_eq!((data.leader_epoch, mark.leader_epoch), (0, 0));
        assert_eq!(data.max_time.unwrap().0, T0);
    }
    assert_eq!(portion.aborted, []);
    // From the middle on.
    let rest = lab.rest("ten", 15);
    assert_eq!((rest.from, rest.batches.len()), (Offset(15), 5));
    assert_eq!(lab.open(&[at("ten", 0)]), [Ok(vec![])]);
}

#[test]
fn what_was_aborted_is_told_and_what_is_open_is_told_apart() {
    let lab = Lab::get();
    lab.topic("mixed", 2);
    lab.produce("mixed", 0, &numbered(5));
    let producer = lab.cluster.transactional("writes-mixed");
    lab.end(&producer, "mixed", 3, false);
    lab.produce("mixed", 0, &numbered(1));
    producer.begin("mixed", 0, &[(T0, "k", "open")]);
    lab.cluster.wait_for_high_watermark("mixed", 0, 11);
    lab.produce("mixed", 0, &numbered(1));

    // 0–4 plain, 5–7 aborted, 8 the mark, 9 plain: up to the open transaction.
    let settled = lab.rest("mixed", 0);
    assert_eq!(ends(&settled), [0, 10, 12, 10]);
    let first = settled.batches.first().unwrap();
    assert_eq!(layout(first), (0, 4, 5, vec![]));
    assert_eq!((first.producer, first.transactional), (None, false));
    let mark = &settled.batches[settled.batches.len() - 2];
    assert_eq!((mark.first, mark.kind), (Offset(8), BatchKind::Abort));
    let id = mark.producer.unwrap().id;
    let aborted = Aborted {
        producer: id,
        first: Offset(5),
    };
    assert_eq!(settled.aborted, [aborted]);
    // A part of it, with the transaction that reaches into it.
    let part = lab.log("mixed", 0, 6, Some(7)).unwrap();
    assert_eq!(part.aborted, [aborted]);
    assert!(part.batches.iter().all(|batch| batch.first < Offset(7)));
    assert!(part.next >= Offset(7));

    // The rest: 10 open, 11 behind it.
    let rest = lab.log("mixed", 0, 10, None).unwrap();
    assert_eq!(ends(&rest), [0, 10, 12, 12]);
    assert_eq!(layouts(&rest), [(10, 10, 1, vec![]), (11, 11, 1, vec![])]);
    assert_eq!(rest.batches[0].producer.unwrap().id, id);
    assert_eq!(rest.aborted, []);

    // The end, and what lies outside.
    let end = lab.log("mixed", 0, 12, None).unwrap();
    assert_eq!((ends(&end), end.batches.len()), ([0, 10, 12, 12], 0));
    let beyond = lab.log("mixed", 0, 13, None).unwrap_err();
    assert_eq!(beyond.kind, ProblemKind::Invalid);
    let nothing = lab.log("mixed", 0, 5, Some(5)).unwrap_err();
    assert_eq!(nothing.kind, ProblemKind::Invalid);

    // Who has it open.
    let nowhere = at("no-such-topic-of-ours", 0);
    let open = lab.open(&[at("mixed", 1), at("mixed", 0), nowhere]);
    assert_eq!(open[0], Ok(vec![]));
    let [one] = open[1].as_ref().unwrap().as_slice() else {
        panic!("{open:?}")
    };
    assert_eq!((one.producer, one.first), (id, Offset(10)));
    assert!(one.last_write.is_some());
    let state = one.coordinator.clone().unwrap().unwrap();
    assert_eq!(state.transactional_id, "writes-mixed");
    assert_eq!(
        (state.state.as_str(), state.timeout_ms),
        ("Ongoing", 600_000)
    );
    assert!(state.started.is_some());
    let missing = open[2].as_ref().unwrap_err();
    assert_eq!(missing.kind, ProblemKind::NotFound);

    producer.commit();
    lab.cluster.wait_for_high_watermark("mixed", 0, 13);
    assert_eq!(lab.open(&[at("mixed", 0)]), [Ok(vec![])]);
    let all = lab.rest("mixed", 10);
    assert_eq!(ends(&all), [0, 13, 13, 13]);
    assert_eq!(all.batches[2].kind, BatchKind::Commit);
}

#[test]
fn a_transaction_that_no_coordinator_knows_is_told_as_such_and_the_one_beside_it_is_not() {
    let lab = Lab::get();
    lab.topic("hanging", 2);
    // As after a late write of a producer whose transaction was over; brokers refuse it where they verify.
    verify_transactions(lab, false);
    let to = lab.kafka.bootstrap();
    lab.produce("hanging", 0, &numbered(2));
    raw::produce_open(&to, "hanging", 0, 990_001, &numbered(3));
    verify_transactions(lab, true);
    let producer = lab.cluster.transactional("healthy");
    producer.begin("hanging", 1, &[(T0, "k", "v")]);

    let open = lab.open(&[at("hanging", 0), at("hanging", 1)]);
    let [hanging] = open[0].as_ref().unwrap().as_slice() else {
        panic!("{open:?}")
    };
    assert_eq!((hanging.producer, hanging.first), (990_001, Offset(2)));
    assert_eq!(hanging.coordinator, Ok(None));
    let [healthy] = open[1].as_ref().unwrap().as_slice() else {
        panic!("{open:?}")
    };
    let known = healthy.coordinator.clone().unwrap().unwrap();
    assert_eq!(known.transactional_id, "healthy");
    let portion = lab.rest("hanging", 0);
    assert_eq!(ends(&portion), [0, 2, 5, 2]);
    producer.abort();
}

#[test]
fn a_transaction_that_we_may_not_see_is_not_said_to_be_nobodys() {
    let lab = Lab::at(Kafka::guarded());
    lab.topic("open", 1);
    lab.topic("secret", 1);
    lab.produce("open", 0, &numbered(1));
    let producer = lab.cluster.transactional("hidden");
    producer.begin("open", 0, &[(T0, "k", "v")]);
    let coordinator = || {
        let open = lab.open(&[at("open", 0)]).remove(0).unwrap();
        assert_eq!((open.len(), open[0].first), (1, Offset(1)));
        open[0].coordinator.clone()
    };
    assert!(matches!(coordinator(), Ok(Some(_))));

    // From here on only somebody else may see transactions, and read one of the topics.
    for resource in [["--transactional-id", "*"], ["--topic", "secret"]] {
        let rule = [
            "--add",
            "--allow-principal",
            "User:somebody",
            "--operation",
            "All",
        ];
        let rule = [&rule[..], &resource].concat();
        tools::run(lab.kafka, "AclCommand", &rule);
    }
    wait_for("the rules", || {
        let problem = coordinator().err()?;
        assert_eq!(problem.kind, ProblemKind::Forbidden, "{problem}");
        Some(())
    });
    wait_for("the rules", || {
        let problem = lab.log("secret", 0, 0, None).err()?;
        assert_eq!(problem.kind, ProblemKind::Forbidden, "{problem}");
        Some(())
    });
    let open = lab.open(&[at("secret", 0), at("open", 0)]);
    let problem = open[0].as_ref().unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Forbidden, "{problem}");
    assert_eq!(open[1].as_ref().unwrap().len(), 1);
}

#[test]
fn a_broker_that_makes_us_wait_is_waited_for() {
    let lab = Lab::at(Kafka::guarded());
    lab.topic("rationed", 1);
    let value = vec![b'v'; 900_000];
    for n in 0..12 {
        lab.produce("rationed", 0, &[Record::new(T0 + n, "k", &value)]);
    }
    let quota = [
        "--alter",
        "--add-config",
        "consumer_byte_rate=300000",
        "--entity-type",
        "clients",
        "--entity-name",
        "tideline",
    ];
    tools::run(lab.kafka, "ConfigCommand", &quota);
    // Four readers share the connections, and the first takes what is allowed for some seconds.
    let asked = [0, 3, 6, 9].map(|from| {
        lab.bus.log(ReadRange {
            at: at("rationed", 0),
            from: Offset(from),
            to: Some(Offset(from + 1)),
        })
    });
    let told = lab.runtime.block_on(futures_util::future::join_all(asked));
    for (from, portion) in [0, 3, 6, 9].into_iter().zip(told) {
        let portion = portion.unwrap();
        assert_eq!(portion.batches[0].first, Offset(from));
    }
}

/// Whether the broker checks, before it takes a batch of a transaction, that its coordinator knows of it.
fn verify_transactions(lab: &Lab, verify: bool) {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", lab.kafka.bootstrap());
    let admin: AdminClient<DefaultClientContext> = config.create().unwrap();
    let value = verify.to_string();
    let change = AlterConfig::new(ResourceSpecifier::Broker(1))
        .set("transaction.partition.verification.enable", &value);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let changing = admin.alter_configs([&change], &AdminOptions::new());
    for result in runtime.block_on(changing).unwrap() {
        result.unwrap();
    }
}

/// Sends one batch for each list of keys, in order, a second apart.
fn send(lab: &Lab, topic: &str, settings: &[(&str, &str)], batches: &[&str]) {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", lab.kafka.bootstrap())
        .set("linger.ms", "1000");
    for (name, value) in settings {
        config.set(*name, *value);
    }
    let producer: BaseProducer = config.create().unwrap();
    let value = "all alike ".repeat(50);
    for (second, keys) in (0..).zip(batches) {
        for key in keys.split(' ') {
            let record = BaseRecord::to(topic)
                .partition(0)
                .timestamp(T0 + second * 1_000)
                .key(key)
                .payload(&value);
            producer.send(record).map_err(|(error, _)| error).unwrap();
        }
        producer.flush(PATIENCE).unwrap();
    }
}

#[test]
fn what_compaction_took_is_a_hole_behind_every_codec() {
    let lab = Lab::get();
    let codecs = ["none", "gzip", "snappy", "lz4", "zstd"];
    for codec in codecs {
        let topic = format!("compacted-{codec}");
        lab.compacted(&topic);
        let settings = [("compression.codec", codec)];
        send(lab, &topic, &settings, &["a b c a b", "a b d", "tail"]);
    }
    for codec in codecs {
        let topic = format!("compacted-{codec}");
        wait_for("the compaction", || {
            let left = lab.cluster.readable_offsets(&topic, 0);
            (left == [2, 5, 6, 7, 8]).then_some(())
        });
        let portion = lab.rest(&topic, 0);
        assert_eq!(ends(&portion), [0, 9, 9, 9], "{codec}");
        assert_eq!(
            layouts(&portion),
            [
                (0, 4, 1, vec![(0, 1), (3, 4)]),
                (5, 7, 3, vec![]),
                (8, 8, 1, vec![]),
            ],
            "{codec}"
        );
    }
}

#[test]
fn a_batch_of_which_compaction_took_every_record_is_a_hole_with_its_producer() {
    let lab = Lab::get();
    lab.compacted("emptied");
    let settings = [("enable.idempotence", "true")];
    send(lab, "emptied", &settings, &["a b"]);
    for second in 1..3 {
        let records = ["a", "b"].map(|key| Record::new(T0 + second * 1_000, key, "newer"));
        lab.produce("emptied", 0, &records);
    }
    lab.produce("emptied", 0, &[Record::new(T0 + 3_000, "tail", "v")]);
    wait_for("the compaction", || {
        (lab.cluster.readable_offsets("emptied", 0) == [4, 5, 6]).then_some(())
    });
    let portion = lab.rest("emptied", 0);
    // The producer's last batch stays for its number. Of 2 and 3 nothing is left at all.
    assert_eq!(
        layouts(&portion),
        [
            (0, 1, 0, vec![(0, 1)]),
            (4, 5, 2, vec![]),
            (6, 6, 1, vec![]),
        ]
    );
    assert!(portion.batches[0].producer.is_some());
    assert_eq!(ends(&portion), [0, 7, 7, 7]);
    // From within what is gone, up to within it.
    let gone = lab.log("emptied", 0, 2, Some(4)).unwrap();
    assert_eq!((gone.batches.len(), gone.next), (0, Offset(4)));
}

#[test]
fn a_log_with_a_deleted_head_begins_within_a_batch() {
    let lab = Lab::get();
    lab.topic("beheaded", 1);
    for _ in 0..3 {
        lab.produce("beheaded", 0, &numbered(10));
    }
    lab.cluster.delete_records_before("beheaded", 0, 15);
    let portion = lab.log("beheaded", 0, 15, None).unwrap();
    assert_eq!(ends(&portion), [15, 30, 30, 30]);
    assert_eq!(
        layouts(&portion),
        [(10, 19, 10, vec![]), (20, 29, 10, vec![])]
    );
    let deleted = lab.log("beheaded", 0, 3, None).unwrap_err();
    assert_eq!(deleted.kind, ProblemKind::Invalid);
}

#[test]
fn a_long_log_comes_in_portions_that_follow_one_another() {
    let lab = Lab::get();
    lab.topic("long", 1);
    let value = vec![b'v'; 900_000];
    for n in 0..12 {
        lab.produce("long", 0, &[Record::new(T0 + n, "k", &value)]);
    }
    let (mut next, mut firsts, mut portions) = (0, Vec::new(), 0);
    while next < 12 {
        let portion = lab.log("long", 0, next, None).unwrap();
        assert!(portion.next.0 > next, "{next}");
        firsts.extend(portion.batches.iter().map(|batch| batch.first.0));
        (next, portions) = (portion.next.0, portions + 1);
    }
    assert_eq!(firsts, (0..12).collect::<Vec<i64>>());
    // Four of them are less than 4 MiB, five are more.
    assert_eq!((next, portions), (12, 3));
    let piece = lab.log("long", 0, 4, Some(6)).unwrap();
    assert!(piece.next <= Offset(6));
}

#[test]
fn the_only_epoch_ends_with_the_log_and_others_are_unknown() {
    let lab = Lab::get();
    lab.topic("epochs", 2);
    lab.produce("epochs", 0, &numbered(7));
    let asked = vec![
        (at("epochs", 0), 0),
        (at("epochs", 1), 0),
        (at("epochs", 0), 5),
        (at("epochs", 9), 0),
        (at("no-such-topic-of-ours", 0), 0),
    ];
    let ends = lab.runtime.block_on(lab.bus.epoch_ends(asked));
    assert_eq!(ends[0], Ok(Some(Offset(7))));
    assert_eq!(ends[1], Ok(Some(Offset(0))));
    assert_eq!(ends[2], Ok(None));
    for missing in &ends[3..] {
        assert_eq!(missing.as_ref().unwrap_err().kind, ProblemKind::NotFound);
    }
}

#[test]
fn many_questions_at_once_are_all_answered() {
    let lab = Lab::get();
    lab.topic("many", 10);
    for partition in 0..10 {
        lab.produce("many", partition, &numbered(i64::from(partition) + 1));
    }
    let asked = (0..10).cycle().take(60).map(|partition| {
        lab.bus.log(ReadRange {
            at: at("many", partition),
            from: Offset(0),
            to: None,
        })
    });
    let told = lab.runtime.block_on(futures_util::future::join_all(asked));
    for (partition, portion) in (0..10).cycle().zip(told) {
        assert_eq!(portion.unwrap().next, Offset(partition + 1));
    }
    assert!(lab.open(&[]).is_empty());
}

#[test]
fn a_topic_that_is_not_there_is_not_found_and_not_made() {
    let lab = Lab::get();
    let problem = lab.log("no-such-topic-of-ours", 0, 0, None).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::NotFound);
    let names = lab.runtime.block_on(lab.bus.topic_names()).unwrap();
    assert!(!names.iter().any(|name| &**name == "no-such-topic-of-ours"));
}
