//! What is missing on one real broker, each situation made by other clients. Every test has topics and groups of its
//! own.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod events;
mod groups;
mod holes;
mod over_time;
mod transactions;
mod watching;

use std::path::Path;
use std::sync::LazyLock;

use rdkafka::admin::{NewTopic, TopicReplication};
use serde_json::Value;
use support::cli::{Run, tideline_at};
use support::cluster::Cluster;
use support::kafka::Kafka;
use support::raw::{self, Record};

/// The broker and ways to prepare it.
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
        self.topic_with(name, partitions, &[]);
    }

    fn topic_with(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) {
        let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        for (name, value) in settings {
            topic = topic.set(name, value);
        }
        self.cluster.create_topics(&[topic]);
    }

    /// Records `numbers` with keys `k0`, `k1`, … of a minute ago and on, a millisecond apart.
    fn fill(&self, topic: &str, partition: i32, numbers: std::ops::Range<i64>) {
        let from = now_ms() - 60_000;
        let records: Vec<Record> = numbers
            .map(|n| Record::new(from + n, format!("k{n}"), format!("{{\"n\":{n}}}")))
            .collect();
        raw::produce(&self.kafka.bootstrap(), topic, partition, &records);
    }

    /// `tideline gaps --json` with a memory of its own.
    fn gaps(&self, arguments: &[&str]) -> Run {
        let home = tempfile::tempdir().unwrap();
        self.gaps_at(home.path(), arguments)
    }

    /// The same with this memory.
    fn gaps_at(&self, home: &Path, arguments: &[&str]) -> Run {
        let bootstrap = self.kafka.bootstrap();
        let words = [
            &["gaps", "--bootstrap", &bootstrap, "--json"][..],
            arguments,
        ]
        .concat();
        tideline_at(home, &words)
    }
}

fn now_ms() -> i64 {
    tideline::model::Clock::System.now().0
}

/// The findings of a run.
fn findings(run: &Run) -> Vec<Value> {
    run.json()["findings"].as_array().unwrap().clone()
}

/// Those of one kind.
fn of_kind(run: &Run, kind: &str) -> Vec<Value> {
    let mut findings = findings(run);
    findings.retain(|finding| finding["kind"] == kind);
    findings
}

/// Those that want somebody's attention.
fn alarms(run: &Run) -> Vec<Value> {
    let mut findings = findings(run);
    findings.retain(|finding| finding["normal"] == false);
    findings
}

/// Kind, partition, first and last offset, records, certainty, normal.
fn place(finding: &Value) -> (String, i64, i64, i64, i64, String, bool) {
    let number = |name: &str| finding[name].as_i64().unwrap_or(-1);
    (
        finding["kind"].as_str().unwrap().to_owned(),
        number("partition"),
        number("from_offset"),
        number("to_offset"),
        number("records"),
        finding["certainty"].as_str().unwrap().to_owned(),
        finding["normal"].as_bool().unwrap(),
    )
}

/// The same as it is expected.
fn expected(
    kind: &str,
    partition: i64,
    (from, to): (i64, i64),
    records: i64,
    certainty: &str,
    normal: bool,
) -> (String, i64, i64, i64, i64, String, bool) {
    let certainty = certainty.to_owned();
    (
        kind.to_owned(),
        partition,
        from,
        to,
        records,
        certainty,
        normal,
    )
}

#[track_caller]
fn says(finding: &Value, words: &[&str]) {
    let sentence = finding["sentence"].as_str().unwrap();
    for word in words {
        assert!(sentence.contains(word), "no word of {word} in: {sentence}");
    }
    assert!(!finding["next_step"].as_str().unwrap().is_empty() || finding["normal"] == true);
}
