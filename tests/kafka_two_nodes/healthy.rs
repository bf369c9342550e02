//! While both brokers live, all is told and nothing is wrong.

use crate::stages::{BOTH, SPREAD, Seen, healthy, one_dead};
use serde_json::{Value, json};

#[test]
fn both_brokers_are_named() {
    let answer = exit_0(&healthy().seen.cluster);
    let ids: Vec<&Value> = answer["brokers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|broker| &broker["id"])
        .collect();
    assert_eq!(ids, [1, 2]);
    // Without ZooKeeper a broker names any living broker as the one to send a controller's requests to.
    assert!(ids.contains(&&answer["controller"]), "{answer}");
}

#[test]
fn leaders_and_replicas_are_those_of_the_stock_tools() {
    let healthy = healthy();
    let answer = exit_0(&healthy.seen.topics);
    for (topic, name) in answer["topics"]
        .as_array()
        .unwrap()
        .iter()
        .zip([BOTH, SPREAD])
    {
        let expected = &healthy.oracle_topics[name].partitions;
        for (partition, expected) in topic["partitions"].as_array().unwrap().iter().zip(expected) {
            let place = format!("{name}/{}", expected.number);
            assert_eq!(partition["partition"], expected.number, "{place}");
            assert_eq!(partition["leader"], json!(expected.leader), "{place}");
            assert_eq!(partition["replicas"], json!(expected.replicas), "{place}");
            assert_eq!(partition["isr"], json!(expected.isr), "{place}");
            let end = healthy.oracle_ends[&(name.to_owned(), expected.number)];
            assert_eq!(partition["high_watermark"], end, "{place}");
        }
    }
}

#[test]
fn groups_on_either_broker_are_read() {
    let healthy = healthy();
    let answer = exit_0(&healthy.seen.groups);
    let mut found = Vec::new();
    for group in answer["groups"].as_array().unwrap() {
        for row in group["offsets"].as_array().unwrap() {
            found.push(json!([
                group["group"],
                row["topic"],
                row["partition"],
                row["committed_offset"],
                row["lag"]
            ]));
        }
    }
    let expected: Vec<Value> = healthy
        .oracle_offsets
        .iter()
        .filter(|row| row.group == healthy.group_on_1 || row.group == healthy.group_on_2)
        .map(|row| json!([row.group, row.topic, row.partition, row.committed, row.lag]))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), 4);
    let coordinator = |name: &str| {
        let groups = answer["groups"].as_array().unwrap();
        groups.iter().find(|group| group["group"] == name).unwrap()["coordinator"].clone()
    };
    assert_eq!(
        (
            coordinator(&healthy.group_on_1),
            coordinator(&healthy.group_on_2)
        ),
        (json!(1), json!(2))
    );
}

#[test]
fn records_of_all_partitions_come() {
    let (records, coverage) = healthy().seen.records.records();
    assert_eq!(healthy().seen.records.code, 0);
    assert_eq!(records.len(), 60);
    assert_eq!(coverage["complete"], true);
}

#[test]
fn when_the_broker_is_back_so_is_everything() {
    let Seen {
        cluster,
        topics,
        groups,
        timeline,
        records,
    } = &one_dead().restarted;
    for run in [cluster, topics, groups, timeline, records] {
        assert_eq!(run.code, 0, "{run:?}");
    }
    assert_eq!(records.records().0.len(), 60);
}

fn exit_0(run: &crate::support::cli::Run) -> Value {
    assert_eq!(run.code, 0, "{run:?}");
    run.json()
}
