//! Node 2 is dead: half of the partitions and of the groups cannot be read, and that is told; the rest is intact.

use crate::stages::{BOTH, MINUTE, SPREAD, Seen, T0, healthy, one_dead};
use crate::support::cli::Run;
use serde_json::{Value, json};

/// At once after the death, and when the cluster has noticed it.
fn both_stages() -> [&'static Seen; 2] {
    [&one_dead().at_once, &one_dead().noticed]
}

fn exit_6(run: &Run) -> Value {
    assert_eq!(run.code, 6, "{run:?}");
    run.json()
}

fn partitions(topic: &Value) -> Vec<Value> {
    topic["partitions"].as_array().unwrap().clone()
}

/// The partitions of `spread` that node 1 leads, and those that node 2 led.
fn halves(answer: &Value) -> (Vec<Value>, Vec<Value>) {
    let topics = answer["topics"].as_array().unwrap();
    let spread = topics
        .iter()
        .find(|topic| topic["topic"] == SPREAD)
        .unwrap();
    assert_eq!(partitions(spread).len(), 6, "{spread}");
    partitions(spread)
        .into_iter()
        .partition(|partition| partition["partition"].as_i64().unwrap() % 2 == 0)
}

#[test]
fn partitions_without_a_leader_have_no_offsets_but_a_reason() {
    for seen in both_stages() {
        let answer = exit_6(&seen.topics);
        let (living, dead) = halves(&answer);
        for partition in dead {
            assert!(partition["error"].is_string(), "{partition}");
            for field in ["log_start_offset", "last_stable_offset", "high_watermark"] {
                assert_eq!(partition[field], Value::Null, "{partition}");
            }
            assert_eq!(partition["replicas"], json!([2]), "{partition}");
        }
        assert_eq!(
            living,
            halves(&healthy().seen.topics.json()).0,
            "the others are as they were"
        );
    }
    let (_, dead) = halves(&one_dead().noticed.topics.json());
    assert!(
        dead.iter().all(|partition| partition["leader"].is_null()),
        "{dead:?}"
    );
}

#[test]
fn a_replicated_partition_moves_to_the_living_broker() {
    let answer = one_dead().noticed.topics.json();
    let both = answer["topics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|topic| topic["topic"] == BOTH)
        .unwrap();
    let partition = &partitions(both)[0];
    assert_eq!(
        (&partition["leader"], &partition["isr"]),
        (&json!(1), &json!([1]))
    );
    assert_eq!(
        (&partition["high_watermark"], &partition["error"]),
        (&json!(5), &Value::Null)
    );
}

#[test]
fn only_the_living_broker_is_named_once_the_other_is_missed() {
    let run = &one_dead().noticed.cluster;
    let answer = run.json();
    let ids: Vec<&Value> = answer["brokers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|broker| &broker["id"])
        .collect();
    assert_eq!(ids, [1], "{run:?}");
}

#[test]
fn a_group_whose_coordinator_is_dead_is_named_with_the_reason() {
    let healthy = healthy();
    for seen in both_stages() {
        let answer = exit_6(&seen.groups);
        let missing = answer["missing"].as_array().unwrap();
        assert!(!missing.is_empty(), "{answer}");
        let groups = answer["groups"].as_array().unwrap();
        let group = |name: &str| groups.iter().find(|group| group["group"] == name).unwrap();
        let lost = group(&healthy.group_on_2);
        // Nobody can tell whether it exists, so nobody may say that it does not.
        let reason = lost["error"].as_str().unwrap_or_default().to_lowercase();
        assert!(!reason.is_empty() && !reason.contains("exist"), "{lost}");
        assert!(
            lost["offsets"].as_array().is_none_or(Vec::is_empty),
            "{lost}"
        );

        let kept = group(&healthy.group_on_1);
        assert_eq!(kept["error"], Value::Null, "{kept}");
        let rows = kept["offsets"].as_array().unwrap();
        let facts = |row: &Value| {
            json!([
                row["partition"],
                row["committed_offset"],
                row["high_watermark"],
                row["lag"]
            ])
        };
        assert_eq!(facts(&rows[0]), json!([0, 4, 10, 6]), "{kept}");
        assert_eq!(rows[0]["error"], Value::Null, "{kept}");
        // What it has committed is known; how much is left on a dead leader is not.
        assert_eq!(facts(&rows[1]), json!([1, 4, null, null]), "{kept}");
        assert!(rows[1]["error"].is_string(), "{kept}");
    }
}

#[test]
fn the_timeline_keeps_its_living_lanes() {
    for seen in both_stages() {
        let answer = exit_6(&seen.timeline);
        let (living, dead) = halves(&answer);
        for partition in living {
            assert_eq!(partition["counts"], json!(vec![1; 10]), "{partition}");
            assert_eq!(partition["error"], Value::Null, "{partition}");
        }
        for partition in dead {
            assert!(partition["error"].is_string(), "{partition}");
            assert_eq!(partition["high_watermark"], Value::Null, "{partition}");
        }
    }
    let (living, _) = halves(&one_dead().noticed.timeline.json());
    let group = &healthy().group_on_1;
    assert_eq!(
        living[0]["cursors"],
        json!([{"group": group, "committed_offset": 4, "at_ms": T0 + 4 * MINUTE}])
    );
}

#[test]
fn records_of_the_living_broker_come_and_the_missing_partitions_are_named() {
    for seen in both_stages() {
        assert_eq!(seen.records.code, 6, "{:?}", seen.records);
        let (records, coverage) = seen.records.records();
        let places: Vec<(i64, i64)> = records
            .iter()
            .map(|record| {
                (
                    record["partition"].as_i64().unwrap(),
                    record["offset"].as_i64().unwrap(),
                )
            })
            .collect();
        let expected: Vec<(i64, i64)> = [0, 2, 4]
            .into_iter()
            .flat_map(|partition| (0..10).map(move |offset| (partition, offset)))
            .collect();
        assert_eq!(places, expected);
        assert_eq!(coverage["complete"], false);
        let rows = coverage["partitions"].as_array().unwrap();
        let failed: Vec<&Value> = rows
            .iter()
            .filter(|row| row["error"].is_string())
            .map(|row| &row["partition"])
            .collect();
        assert_eq!(failed, [1, 3, 5], "{coverage}");
        let complete: Vec<&Value> = rows
            .iter()
            .filter(|row| row["complete"] == true)
            .map(|row| &row["partition"])
            .collect();
        assert_eq!(complete, [0, 2, 4], "{coverage}");
    }
}

#[test]
fn a_watching_engine_keeps_the_lost_group_and_knows_it_again_when_its_broker_is_back() {
    let watched = &one_dead().watched;
    assert_eq!(watched.healthy, Some(true));
    // Still listed, though nobody can tell anything of it.
    assert_eq!(watched.noticed, Some(false));
    assert_eq!(watched.restarted, Some(true));
}

#[test]
fn a_partition_without_a_leader_stays_and_the_others_are_rewound_and_undone() {
    let (rewound, told, undone) = &one_dead().rewind;
    assert_eq!(rewound.code, 4, "{rewound:?}");
    let answer = rewound.json();
    let [moved, stays] = &answer["rows"].as_array().unwrap()[..] else {
        panic!("{answer}")
    };
    assert_eq!((&moved["from"], &moved["to"]), (&json!(4), &json!(0)));
    assert_eq!((&stays["from"], &stays["to"]), (&json!(4), &json!(null)));
    assert!(stays["error"].is_string(), "{stays}");
    assert_eq!(told[&(SPREAD.to_owned(), 0)], 0);
    assert_eq!(undone.code, 0, "{undone:?}");
    let results = undone.json()["results"].clone();
    assert_eq!(
        (&results[0]["before"], &results[0]["read_back"]),
        (&json!(0), &json!(4))
    );
}
