//! `tideline timeline`.

use crate::support::fixture::{MINUTE, T0};
use crate::{oracle, tideline};
use serde_json::{Value, json};

/// The partitions of topic `six` over some minutes after `T0`, a bucket each.
fn six(from_minute: i64, to_minute: i64) -> Vec<Value> {
    let (from, to) = (
        (T0 + from_minute * MINUTE).to_string(),
        (T0 + to_minute * MINUTE).to_string(),
    );
    let buckets = (to_minute - from_minute).to_string();
    let arguments = [
        "timeline",
        "--topic",
        "six",
        "--group",
        "a#b",
        "--from",
        &from,
        "--to",
        &to,
        "--buckets",
        &buckets,
    ];
    let answer = tideline(&arguments).exits(0).json();
    assert_eq!(answer["from_ms"], T0 + from_minute * MINUTE);
    assert_eq!(answer["to_ms"], T0 + to_minute * MINUTE);
    assert_eq!(answer["bucket_ms"], MINUTE);
    assert_eq!(answer["groups"], json!([{"group": "a#b", "error": null}]));
    answer["topics"][0]["partitions"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn each_minute_holds_the_one_record_of_that_minute() {
    let partitions = six(0, 20);
    assert_eq!(partitions[0]["counts"], json!(vec![1; 20]));
    assert_eq!(
        (&partitions[0]["before"], &partitions[0]["after"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn what_lies_outside_the_range_is_counted_before_and_after() {
    let partitions = six(5, 15);
    assert_eq!(partitions[0]["counts"], json!(vec![1; 10]));
    assert_eq!(
        (&partitions[0]["before"], &partitions[0]["after"]),
        (&json!(5), &json!(5))
    );
    // Of partition 2 the first ten records are deleted, so they are nowhere.
    assert_eq!(
        partitions[2]["counts"],
        json!([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    );
    assert_eq!(
        (&partitions[2]["before"], &partitions[2]["after"]),
        (&json!(0), &json!(15))
    );
    assert_eq!(partitions[5]["counts"], json!(vec![0; 10]));
}

#[test]
fn bounds_of_each_partition_are_those_of_the_stock_tools() {
    let oracle = oracle::get();
    for (partition, number) in six(0, 20).iter().zip(0..) {
        let key = ("six".to_owned(), number);
        assert_eq!(partition["partition"], number);
        assert_eq!(
            partition["log_start_offset"], oracle.log_starts[&key],
            "six/{number}"
        );
        assert_eq!(
            partition["high_watermark"], oracle.high_watermarks[&key],
            "six/{number}"
        );
        assert_eq!(
            partition["last_stable_offset"],
            [20, 16, 30, 5, 6, 0][usize::try_from(number).unwrap()]
        );
        assert_eq!(partition["error"], Value::Null, "six/{number}");
    }
}

#[test]
fn nothing_is_lost_between_the_buckets() {
    let answer = tideline(&["timeline", "--group", "a#b"]).exits(0).json();
    let mut partitions = 0;
    for topic in answer["topics"].as_array().unwrap() {
        assert_eq!(topic["error"], Value::Null, "{topic}");
        for partition in topic["partitions"].as_array().unwrap() {
            let place = format!("{}/{}", topic["topic"], partition["partition"]);
            let whole =
                number(&partition["high_watermark"]) - number(&partition["log_start_offset"]);
            let counts = partition["counts"].as_array().unwrap();
            // A bucket not resolved is null; its records are then in no other either.
            let counted: i64 = counts.iter().filter_map(Value::as_i64).sum();
            let sum = counted + number(&partition["before"]) + number(&partition["after"]);
            if counts.iter().all(Value::is_i64) {
                assert_eq!(sum, whole, "{place}");
            } else {
                assert!(sum <= whole, "{place}: {sum} of {whole}");
            }
            partitions += 1;
        }
    }
    assert_eq!(
        partitions,
        6 + 3 + 1 + 1 + 1,
        "six, clock, compacted, appended, ahead"
    );
}

#[test]
fn groups_stand_where_they_have_committed() {
    let partitions = six(0, 20);
    let cursor = |partition: usize| partitions[partition]["cursors"].clone();
    assert_eq!(
        cursor(0),
        json!([{"group": "a#b", "committed_offset": 5, "at_ms": T0 + 5 * MINUTE}])
    );
    assert_eq!(
        cursor(1),
        json!([{"group": "a#b", "committed_offset": 13, "at_ms": T0 + 14 * MINUTE}])
    );
    assert_eq!(
        cursor(2),
        json!([{"group": "a#b", "committed_offset": 30, "at_ms": null}])
    );
    assert_eq!(cursor(3), json!([]));
}

#[test]
fn without_a_group_named_all_are_shown() {
    let run = tideline(&["timeline", "--topic", "six"]);
    let answer = run.json();
    let cursors = answer["topics"][0]["partitions"][0]["cursors"]
        .as_array()
        .unwrap();
    let groups: Vec<&str> = cursors
        .iter()
        .map(|cursor| cursor["group"].as_str().unwrap())
        .collect();
    assert_eq!(groups, ["a#b", "beyond", "noted", "p%40c"]);
}

#[test]
fn what_does_not_exist_is_said() {
    let run = tideline(&[
        "timeline", "--topic", "sixx", "--topic", "six", "--group", "a#c",
    ])
    .exits(6);
    run.says(&["sixx", "a#c"]);
    let answer = run.json();
    assert_eq!(answer["groups"][0]["group"], "a#c");
    assert!(
        answer["groups"][0]["error"].is_string(),
        "{}",
        answer["groups"]
    );
    let topics = answer["topics"].as_array().unwrap();
    assert_eq!(
        (&topics[0]["topic"], &topics[0]["error"]),
        (&json!("six"), &Value::Null)
    );
    assert_eq!(topics[1]["topic"], "sixx");
    assert!(topics[1]["error"].is_string(), "{}", topics[1]);
}

fn number(value: &Value) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn records_out_of_order_are_counted_where_their_own_time_is() {
    // In partition 3: none, 2100, T0, 1970, T0 + 60 min.
    let partitions = six(0, 61);
    let mut counts = vec![0; 61];
    counts[0] = 1;
    counts[60] = 1;
    assert_eq!(partitions[3]["counts"], json!(counts));
    // The record without a time and the one of 1970 lie before, the one of 2100 after.
    assert_eq!(
        (&partitions[3]["before"], &partitions[3]["after"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn transaction_markers_do_not_hide_the_records_behind_them() {
    // The markers of partition 1 carry the broker's clock, the records times of long ago.
    let (records, _) = tideline(&["records", "--topic", "six/1"])
        .exits(0)
        .records();
    let times: Vec<i64> = records
        .iter()
        .map(|record| record["timestamp_ms"].as_i64().unwrap())
        .collect();
    let partitions = six(0, 240);
    let shown: u64 = partitions[1]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| count.as_u64().unwrap())
        .sum();
    let range = T0..T0 + 240 * MINUTE;
    let inside = times.iter().filter(|time| range.contains(time)).count();
    assert_eq!(inside, 17);
    // Two offsets are markers, which count where the record before them does.
    assert_eq!(shown, 17 + 2);
}
