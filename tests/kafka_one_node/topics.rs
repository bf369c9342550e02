//! `tideline cluster` and `tideline topics`.

use crate::support::tools::Topic;
use crate::{oracle, tideline};
use serde_json::{Value, json};

#[test]
fn the_cluster_is_named_with_its_controller_and_brokers() {
    let kafka = oracle::get().data.kafka;
    let answer = tideline(&["cluster"]).exits(0).json();
    assert_eq!(answer["cluster_id"], kafka.cluster_id());
    assert_eq!(answer["controller"], 1);
    let brokers = answer["brokers"].as_array().unwrap();
    assert_eq!(brokers.len(), 1);
    assert_eq!(brokers[0]["id"], 1);
    assert_eq!(brokers[0]["host"], "127.0.0.1");
    assert_eq!(brokers[0]["port"], kafka.port(1, "PLAINTEXT"));
    assert_eq!(brokers[0]["rack"], Value::Null);
}

#[test]
fn every_topic_is_as_the_stock_tools_describe_it() {
    let oracle = oracle::get();
    let answer = tideline(&["topics", "--internal"]).exits(0).json();
    let topics = answer["topics"].as_array().unwrap();
    let names: Vec<&str> = topics
        .iter()
        .map(|topic| topic["topic"].as_str().unwrap())
        .collect();
    let expected: Vec<&String> = oracle.topics.keys().collect();
    assert_eq!(names, expected, "in the order of their names");
    for (topic, (name, expected)) in topics.iter().zip(&oracle.topics) {
        assert_topic(topic, name, expected);
    }
}

fn assert_topic(topic: &Value, name: &str, expected: &Topic) {
    assert_eq!(topic["topic_id"], expected.id, "{name}");
    assert_eq!(topic["internal"], name.starts_with("__"), "{name}");
    assert_eq!(topic["error"], Value::Null, "{name}");
    assert_eq!(topic["config_error"], Value::Null, "{name}");
    let partitions = topic["partitions"].as_array().unwrap();
    assert_eq!(partitions.len(), expected.partitions.len(), "{name}");
    for (partition, expected) in partitions.iter().zip(&expected.partitions) {
        let place = format!("{name}/{}", expected.number);
        assert_eq!(partition["partition"], expected.number, "{place}");
        assert_eq!(partition["leader"], json!(expected.leader), "{place}");
        assert_eq!(partition["replicas"], json!(expected.replicas), "{place}");
        assert_eq!(partition["isr"], json!(expected.isr), "{place}");
        assert_eq!(partition["error"], Value::Null, "{place}");
        // The internal topics grow while the members live.
        if !name.starts_with("__") {
            let key = (name.to_owned(), expected.number);
            assert_eq!(
                partition["log_start_offset"],
                oracle::get().log_starts[&key],
                "{place}"
            );
            assert_eq!(
                partition["high_watermark"],
                oracle::get().high_watermarks[&key],
                "{place}"
            );
        }
    }
}

#[test]
fn internal_topics_are_shown_only_when_asked_for() {
    let answer = tideline(&["topics"]).exits(0).json();
    let names: Vec<&str> = answer["topics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|topic| topic["topic"].as_str().unwrap())
        .collect();
    assert!(!names.contains(&"__consumer_offsets"), "{names:?}");
    assert!(names.contains(&"six"), "{names:?}");
}

#[test]
fn an_open_transaction_holds_back_the_last_stable_offset_only() {
    let answer = tideline(&["topics", "--topic", "six"]).exits(0).json();
    let partitions = answer["topics"][0]["partitions"].as_array().unwrap();
    let of = |field: &str| {
        partitions
            .iter()
            .map(|partition| partition[field].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("log_start_offset"), [0, 0, 10, 0, 0, 0]);
    assert_eq!(of("last_stable_offset"), [20, 16, 30, 5, 6, 0]);
    assert_eq!(of("high_watermark"), [20, 19, 30, 5, 6, 0]);
}

#[test]
fn a_topics_settings_are_as_the_broker_writes_them() {
    let arguments = [
        "topics",
        "--topic",
        "six",
        "--topic",
        "compacted",
        "--topic",
        "appended",
    ];
    let answer = tideline(&arguments).exits(0).json();
    let settings: Vec<Value> = answer["topics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|topic| {
            json!([
                topic["topic"],
                topic["cleanup_policy"],
                topic["retention_ms"],
                topic["timestamp_type"]
            ])
        })
        .collect();
    assert_eq!(
        settings,
        [
            json!(["appended", "delete", 86_400_000, "LogAppendTime"]),
            json!(["compacted", "compact", 604_800_000, "CreateTime"]),
            json!(["six", "delete", -1, "CreateTime"]),
        ]
    );
}

#[test]
fn a_topic_that_does_not_exist_is_said_beside_those_that_do() {
    let run = tideline(&["topics", "--topic", "six", "--topic", "sixx"]).exits(6);
    run.says(&["sixx"]);
    let answer = run.json();
    let topics = answer["topics"].as_array().unwrap();
    assert_eq!(topics.len(), 2);
    assert_eq!(
        (&topics[0]["topic"], &topics[0]["error"]),
        (&json!("six"), &Value::Null)
    );
    assert_eq!(topics[1]["topic"], "sixx");
    assert!(topics[1]["error"].is_string(), "{}", topics[1]);
}

#[test]
fn without_json_the_same_facts_come_as_a_table() {
    let bootstrap = oracle::get().data.kafka.bootstrap();
    let run =
        crate::cli::tideline(&["topics", "--topic", "six", "--bootstrap", &bootstrap]).exits(0);
    let line = run
        .stdout
        .lines()
        .find(|line| line.contains("six"))
        .unwrap_or_default();
    assert!(!line.is_empty(), "{}", run.stdout);
    assert!(
        serde_json::from_str::<Value>(&run.stdout).is_err(),
        "{}",
        run.stdout
    );
}
