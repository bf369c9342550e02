//! Logs, leader epochs and open transactions, read over one connection from before a broker dies until after it.

use std::mem::ManuallyDrop;

use rdkafka::admin::{NewTopic, TopicReplication};
use tideline::bus::kafka::KafkaBus;
use tideline::bus::{Bus as _, ReadRange};
use tideline::model::{
    ConnectionSettings, Known, LogPortion, Offset, OpenTransaction, ProblemKind, TopicPartition,
    TransactionState,
};
use tokio::runtime::Runtime;

use crate::stages::{T0, one_dead, partition_of};
use crate::support::cluster::{Cluster, Transactional};
use crate::support::kafka::Kafka;
use crate::support::raw::{self, Record};
use crate::support::tools;

/// Partition 0 is on node 1, 1 on node 2.
const KEPT: &str = "kept";
/// One partition on both, led by node 2 at first.
const LED_ON: &str = "led-on";

/// A connection that stays, and what is read over it.
pub struct Reading {
    bus: KafkaBus,
    runtime: Runtime,
    /// Its coordinator is node 2, which is dead when it would say good-bye.
    _open: ManuallyDrop<Transactional>,
}

/// What is read at one stage.
pub struct Read {
    /// Of `kept` 0 and 1, and of `led-on`.
    logs: Vec<Known<LogPortion>>,
    open: Vec<Known<Vec<OpenTransaction>>>,
    ends: Vec<Known<Option<Offset>>>,
}

impl Reading {
    /// Three records in each partition, and in `kept` 0 one of an open transaction that node 2 coordinates.
    pub fn begin(kafka: &Kafka) -> Self {
        let cluster = Cluster::at(&kafka.bootstrap());
        let on: [&[i32]; 2] = [&[1], &[2]];
        let kept = NewTopic::new(KEPT, 2, TopicReplication::Variable(&on));
        let led_on = NewTopic::new(LED_ON, 1, TopicReplication::Variable(&[&[2, 1]]));
        cluster.create_topics(&[
            kept.set("retention.ms", "-1"),
            led_on.set("retention.ms", "-1"),
        ]);
        for (topic, partition, node) in [(KEPT, 0, 1), (KEPT, 1, 2), (LED_ON, 0, 2)] {
            let to = format!("127.0.0.1:{}", kafka.port(node, "PLAINTEXT"));
            let records = [0, 1, 2].map(|n| Record::new(T0 + n, "k", "v"));
            raw::produce(&to, topic, partition, &records);
        }
        // The first transaction makes the topic that tells who coordinates what.
        drop(cluster.transactional("first"));
        let leaders: Vec<Option<i64>> = tools::topics(kafka)["__transaction_state"]
            .partitions
            .iter()
            .map(|partition| partition.leader)
            .collect();
        let mut names = (0..).map(|n| format!("writer-{n}"));
        let on_2 = names.find(|name| leaders[partition_of(name, leaders.len())] == Some(2));
        let producer = cluster.transactional(&on_2.unwrap());
        producer.begin(KEPT, 0, &[(T0, "k", "open")]);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let settings = ConnectionSettings::to(kafka.bootstrap());
        let bus = runtime.block_on(tideline::bus::kafka::connect(&settings));
        Self {
            bus: bus.unwrap(),
            runtime,
            _open: ManuallyDrop::new(producer),
        }
    }

    pub fn read(&self) -> Read {
        let at = [(KEPT, 0), (KEPT, 1), (LED_ON, 0)];
        let at: Vec<_> = at
            .into_iter()
            .map(|(topic, partition)| TopicPartition::new(topic, partition))
            .collect();
        let log = |at: &TopicPartition| {
            self.runtime.block_on(self.bus.log(ReadRange {
                at: at.clone(),
                from: Offset(0),
                to: None,
            }))
        };
        let logs = at.iter().map(log).collect();
        let of = at.iter().map(|at| (at.clone(), 0)).collect();
        let ends = self.runtime.block_on(self.bus.epoch_ends(of));
        let open = self.runtime.block_on(self.bus.open_transactions(at));
        Read { logs, open, ends }
    }
}

impl Read {
    /// What is known of the one transaction that is open in `kept` 0.
    fn coordinator(&self) -> Known<Option<TransactionState>> {
        let open = self.open[0].as_ref().unwrap();
        assert_eq!((open.len(), open[0].first), (1, Offset(3)));
        open[0].coordinator.clone()
    }

    /// For each partition, up to where its log was read, or why not.
    fn nexts(&self) -> Vec<Result<i64, ProblemKind>> {
        let logs = self.logs.iter();
        logs.map(|log| match log {
            Ok(portion) => Ok(portion.next.0),
            Err(problem) => Err(problem.kind),
        })
        .collect()
    }
}

#[test]
fn a_log_is_read_from_its_new_leader_and_one_without_says_so() {
    let [healthy, noticed, restarted] = &one_dead().read;
    assert_eq!(healthy.nexts(), [Ok(3), Ok(3), Ok(3)]);
    assert_eq!(noticed.nexts(), [Ok(3), Err(ProblemKind::NoLeader), Ok(3)]);
    assert_eq!(restarted.nexts(), [Ok(3), Ok(3), Ok(3)]);
    for read in [healthy, restarted] {
        assert_eq!(read.ends[1], Ok(Some(Offset(3))));
    }
    let missing = noticed.ends[1].as_ref().unwrap_err();
    assert_eq!(missing.kind, ProblemKind::NoLeader);
    // The epoch of the dead leader ended where the new one began.
    assert_eq!(noticed.ends[2], Ok(Some(Offset(3))));
}

#[test]
fn a_transaction_whose_coordinator_is_dead_is_not_said_to_be_nobodys() {
    let [healthy, noticed, restarted] = &one_dead().read;
    for read in [healthy, restarted] {
        let state = read.coordinator().unwrap().unwrap();
        assert_eq!(state.state, "Ongoing");
        assert_eq!(read.open[1], Ok(vec![]));
    }
    let problem = noticed.coordinator().unwrap_err();
    assert_eq!(problem.kind, ProblemKind::NoLeader, "{problem}");
    assert!(noticed.open[1].is_err());
}
