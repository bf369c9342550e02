//! Records of 50 MB on a real broker: far above what a fetch asks for at once.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

use rdkafka::admin::{NewTopic, TopicReplication};
use serde_json::Value;
use support::cli::tideline;
use support::cluster::Cluster;
use support::fixture::T0;
use support::kafka::Kafka;
use support::raw::{self, Record};

const SIZE: usize = 50_000_000;
/// Beyond this many offsets records are read in bulk, with other settings.
const MANY: i64 = 6_000;

fn value() -> String {
    "0123456789".repeat(SIZE / 10)
}

/// Partition 0 is one large record; partition 1 many small ones with a large one behind them.
fn fill(kafka: &Kafka) {
    let topic = NewTopic::new("large", 2, TopicReplication::Fixed(1))
        .set("max.message.bytes", "60000000")
        .set("retention.ms", "-1");
    let to = kafka.bootstrap();
    Cluster::at(&to).create_topics(&[topic]);
    let large = [Record::new(T0, "large", value())];
    raw::produce(&to, "large", 0, &large);
    let small: Vec<Record> = (0..MANY)
        .map(|number| Record::new(T0, format!("k{number}"), "small"))
        .collect();
    raw::produce(&to, "large", 1, &small);
    raw::produce(&to, "large", 1, &large);
}

/// The last record that `tideline records ARGUMENTS` gives out.
fn last(kafka: &Kafka, arguments: &[&str]) -> Value {
    let bootstrap = kafka.bootstrap();
    let rest = ["--json", "--bootstrap", &bootstrap];
    let run = tideline(&[&["records"], arguments, &rest].concat());
    let (records, coverage) = run.exits(0).records();
    assert_eq!(coverage["complete"], true, "{coverage}");
    assert!(!records.is_empty(), "{arguments:?}: {coverage}");
    records.last().cloned().unwrap()
}

#[test]
fn a_record_of_fifty_megabytes_is_read_whole() {
    let kafka = Kafka::one_node();
    fill(kafka);
    for (arguments, offset) in [(["--topic", "large/0"], 0), (["--topic", "large/1"], MANY)] {
        let record = last(kafka, &arguments);
        assert_eq!(record["offset"], offset);
        let text = record["value"]["text"].as_str().unwrap();
        assert_eq!(text.len(), SIZE);
        assert!(text == value(), "it came changed");
        assert_eq!(record["visibility"], "committed");
    }
}
