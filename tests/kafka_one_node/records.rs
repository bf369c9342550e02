//! `tideline records`.

use crate::support::cli::Run;
use crate::support::fixture::{MINUTE, T0, YEAR_1970, YEAR_2100};
use crate::{oracle, tideline};
use serde_json::{Value, json};

/// What `tideline records ARGUMENTS` prints when it reads everything that it was asked for.
fn records(arguments: &[&str]) -> (Vec<Value>, Value) {
    tideline(&[&["records"], arguments].concat())
        .exits(0)
        .records()
}

fn field(records: &[Value], name: &str) -> Vec<Value> {
    records.iter().map(|record| record[name].clone()).collect()
}

fn offsets(records: &[Value]) -> Vec<i64> {
    records
        .iter()
        .map(|record| record["offset"].as_i64().unwrap())
        .collect()
}

/// The numbers of `tick 0`, `tick 1` … of topic `clock`.
fn ticks(records: &[Value]) -> Vec<i64> {
    records
        .iter()
        .map(|record| {
            record["value"]["text"]
                .as_str()
                .unwrap()
                .strip_prefix("tick ")
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect()
}

#[test]
fn a_record_is_given_whole() {
    let (records, coverage) = records(&["--topic", "six/0"]);
    assert_eq!(offsets(&records), (0..20).collect::<Vec<i64>>());
    for (record, n) in records.iter().zip(0_i64..) {
        assert_eq!(record["topic"], "six");
        assert_eq!(record["partition"], 0);
        assert_eq!(record["timestamp_ms"], T0 + n * MINUTE);
        assert_eq!(record["timestamp_type"], "CreateTime");
        assert_eq!(record["key"], json!({"text": format!("k{n}")}));
        assert_eq!(record["value"], json!({"text": format!("{{\"n\":{n}}}")}));
        assert_eq!(record["headers"], json!([]));
        assert_eq!(record["leader_epoch"], 0);
        assert!(record["size"].as_i64().unwrap() > 0, "{record}");
        assert_eq!(record["visibility"], "committed");
    }
    assert_eq!(coverage["complete"], true);
    assert_eq!(coverage["stopped_by"], Value::Null);
    assert_eq!(coverage["records_scanned"], 20);
    assert_eq!(coverage["matched"], 20);
    assert!(
        coverage["bytes_scanned"].as_i64().unwrap() > 0,
        "{coverage}"
    );
    let part = &coverage["partitions"][0];
    assert_eq!(
        (&part["topic"], &part["partition"]),
        (&json!("six"), &json!(0))
    );
    assert_eq!(
        (
            &part["from_offset"],
            &part["to_offset"],
            &part["next_offset"]
        ),
        (&json!(0), &json!(20), &json!(20))
    );
    assert_eq!(
        (&part["complete"], &part["error"]),
        (&json!(true), &Value::Null)
    );
}

#[test]
fn records_are_those_that_the_stock_consumer_prints() {
    let printed = crate::support::tools::run(
        oracle::get().data.kafka,
        "consumer.ConsoleConsumer",
        &[
            "--topic",
            "clock",
            "--partition",
            "1",
            "--offset",
            "earliest",
            "--max-messages",
            "10",
            "--formatter-property",
            "print.key=true",
            "--formatter-property",
            "print.timestamp=true",
            "--formatter-property",
            "print.offset=true",
        ],
    );
    let (records, _) = records(&["--topic", "clock/1"]);
    let shown: Vec<String> = records
        .iter()
        .map(|record| {
            let text = |field: &str| record[field]["text"].as_str().unwrap().to_owned();
            let (time, offset) = (&record["timestamp_ms"], &record["offset"]);
            format!(
                "CreateTime:{time}\tOffset:{offset}\t{}\t{}",
                text("key"),
                text("value")
            )
        })
        .collect();
    assert_eq!(shown, printed.lines().collect::<Vec<_>>());
}

#[test]
fn each_record_says_what_became_of_its_transaction() {
    let (records, coverage) = records(&["--topic", "six/1"]);
    // 8 and 13 are the markers.
    let expected = [
        (0..=4, "committed"),
        (5..=7, "committed"),
        (9..=12, "aborted"),
        (14..=15, "committed"),
        (16..=17, "open"),
    ];
    let expected: Vec<(i64, &str)> = expected
        .into_iter()
        .flat_map(|(range, visibility)| range.map(move |offset| (offset, visibility)))
        .collect();
    let mut shown: Vec<(i64, &str)> = offsets(&records)
        .into_iter()
        .zip(
            records
                .iter()
                .map(|record| record["visibility"].as_str().unwrap()),
        )
        .collect();
    // The plain record behind the open transaction is there too; readers that wait for commits cannot see it yet.
    assert_eq!(shown.pop().unwrap().0, 18);
    assert_eq!(shown, expected);
    assert_eq!(coverage["partitions"][0]["to_offset"], 19);
    assert_eq!(coverage["matched"], 17);
}

#[test]
fn read_committed_shows_what_such_a_consumer_gets() {
    let (records, _) = records(&["--topic", "six/1", "--isolation", "read_committed"]);
    assert_eq!(offsets(&records), [0, 1, 2, 3, 4, 5, 6, 7, 14, 15]);
    assert!(
        field(&records, "visibility")
            .iter()
            .all(|visibility| visibility == "committed")
    );
}

#[test]
fn a_deleted_head_is_not_asked_for() {
    let (records, coverage) = records(&["--topic", "six/2"]);
    assert_eq!(offsets(&records), (10..30).collect::<Vec<i64>>());
    let part = &coverage["partitions"][0];
    assert_eq!(
        (&part["from_offset"], &part["to_offset"], &part["complete"]),
        (&json!(10), &json!(30), &json!(true))
    );
}

#[test]
fn odd_timestamps_are_given_as_they_are() {
    let (records, _) = records(&["--topic", "six/3"]);
    assert_eq!(
        field(&records, "timestamp_ms"),
        [
            Value::Null,
            json!(YEAR_2100),
            json!(T0),
            json!(YEAR_1970),
            json!(T0 + 60 * MINUTE)
        ]
    );
}

#[test]
fn nothing_and_an_empty_text_and_bytes_are_told_apart() {
    let (records, _) = records(&["--topic", "six/4"]);
    assert_eq!(
        field(&records, "key"),
        [
            json!({"text": "tombstone"}),
            json!({"text": ""}),
            json!({"base64": "/wD+"}),
            json!({"text": "headers"}),
            json!({"text": "name"}),
            Value::Null,
        ]
    );
    assert_eq!(
        field(&records, "value"),
        [
            Value::Null,
            json!({"text": ""}),
            json!({"base64": "gIE="}),
            json!({"text": "three"}),
            json!({"text": "four"}),
            json!({"text": "no key"}),
        ]
    );
}

#[test]
fn headers_keep_their_order_their_repeats_and_their_bytes() {
    let (records, _) = records(&["--topic", "six/4"]);
    assert_eq!(
        records[3]["headers"],
        json!([["a", {"text": "1"}], ["b", null], ["a", {"text": "2"}], ["", {"text": ""}], ["bin", {"base64": "/w=="}]])
    );
    assert_eq!(
        records[4]["headers"],
        json!([[{"base64": "wyg="}, {"text": "x"}]])
    );
}

#[test]
fn an_empty_partition_is_covered_completely() {
    let (records, coverage) = records(&["--topic", "six/5"]);
    assert!(records.is_empty());
    assert_eq!(
        (&coverage["complete"], &coverage["records_scanned"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(coverage["partitions"][0]["to_offset"], 0);
}

#[test]
fn holes_left_by_compaction_are_passed() {
    let (records, coverage) = records(&["--topic", "compacted"]);
    assert_eq!(offsets(&records), [2, 5, 6, 7, 8]);
    assert_eq!(
        (&coverage["complete"], &coverage["matched"]),
        (&json!(true), &json!(5))
    );
}

#[test]
fn a_time_given_by_the_broker_is_said_to_be_so() {
    let (records, _) = records(&["--topic", "appended"]);
    assert_eq!(field(&records, "timestamp_type"), ["LogAppendTime"; 3]);
    assert!(
        records
            .iter()
            .all(|record| record["timestamp_ms"].as_i64().unwrap() > T0 + 60 * MINUTE)
    );
}

#[test]
fn a_whole_topic_is_all_its_partitions() {
    let (records, coverage) = records(&["--topic", "six"]);
    assert_eq!(records.len(), 20 + 17 + 20 + 5 + 6);
    let partitions = coverage["partitions"].as_array().unwrap();
    let numbers: Vec<i64> = partitions
        .iter()
        .map(|part| part["partition"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn one_offset_is_one_record() {
    let (records, _) = records(&["--topic", "six/0/7"]);
    assert_eq!(offsets(&records), [7]);
}

#[test]
fn a_limit_stops_and_says_so() {
    let (records, coverage) = records(&["--topic", "six/0", "--limit", "3"]);
    assert_eq!(offsets(&records), [0, 1, 2]);
    assert_eq!(
        (&coverage["stopped_by"], &coverage["complete"]),
        (&json!("limit"), &json!(false))
    );
    assert_eq!(
        (
            &coverage["matched"],
            &coverage["partitions"][0]["next_offset"]
        ),
        (&json!(3), &json!(3))
    );
}

#[test]
fn the_newest_are_the_newest_of_all_partitions_together() {
    let (records, _) = records(&["--topic", "clock", "--newest", "4", "--order", "time"]);
    assert_eq!(ticks(&records), [26, 27, 28, 29]);
}

#[test]
fn order_by_time_goes_across_partitions() {
    let (records, _) = records(&["--topic", "clock", "--order", "time"]);
    assert_eq!(ticks(&records), (0..30).collect::<Vec<i64>>());
}

#[test]
fn order_by_offset_goes_partition_after_partition() {
    let (records, _) = records(&["--topic", "clock", "--order", "offset"]);
    let expected: Vec<i64> = (0..3)
        .flat_map(|partition| (0..10).map(move |row| row * 3 + partition))
        .collect();
    assert_eq!(ticks(&records), expected);
}

#[test]
fn without_an_order_each_partition_keeps_its_own() {
    let (records, _) = records(&["--topic", "clock"]);
    for partition in 0..3 {
        let own: Vec<Value> = records
            .iter()
            .filter(|record| record["partition"] == partition)
            .cloned()
            .collect();
        assert_eq!(
            offsets(&own),
            (0..10).collect::<Vec<i64>>(),
            "clock/{partition}"
        );
    }
}

#[test]
fn a_time_range_includes_its_start_and_excludes_its_end() {
    let (from, to) = ((T0 + 5_000).to_string(), (T0 + 8_000).to_string());
    let (by_number, _) = records(&[
        "--topic", "clock", "--from", &from, "--to", &to, "--order", "time",
    ]);
    assert_eq!(ticks(&by_number), [5, 6, 7]);
    let range = [
        "--from",
        "2026-01-01T01:00:05+01:00",
        "--to",
        "2026-01-01T00:00:08Z",
    ];
    let (by_text, _) = records(&[&["--topic", "clock", "--order", "time"][..], &range].concat());
    assert_eq!(ticks(&by_text), [5, 6, 7]);
}

#[test]
fn a_time_range_finds_a_record_that_came_late() {
    // The offset of 1970 lies behind those of 2100 and 2026.
    let (records, _) = records(&["--topic", "six/3", "--from", "0", "--to", "100000"]);
    assert_eq!(offsets(&records), [3]);
}

#[test]
fn an_offset_range_includes_its_start_and_excludes_its_end() {
    let (records, _) = records(&["--topic", "six/0", "--from", "offset:3", "--to", "offset:5"]);
    assert_eq!(offsets(&records), [3, 4]);
}

#[test]
fn a_groups_position_is_where_it_would_read_on() {
    let arguments = [
        "--topic",
        "clock/0",
        "--topic",
        "clock/1",
        "--group-position",
        "群组-1",
    ];
    let (records, _) = records(&arguments);
    assert_eq!(ticks(&records), [6, 9, 12, 15, 18, 21, 24, 27]);
}

#[test]
fn what_does_not_exist_is_a_row_of_the_coverage() {
    let unreadable = |run: Run| {
        let (records, coverage) = run.exits(6).records();
        let rows = coverage["partitions"].as_array().unwrap().clone();
        let failed: Vec<Value> = rows
            .into_iter()
            .filter(|row| row["error"].is_string())
            .collect();
        assert_eq!(coverage["complete"], false);
        assert_eq!(failed.len(), 1, "{coverage}");
        (records.len(), failed[0].clone())
    };
    let (count, row) = unreadable(tideline(&[
        "records", "--topic", "sixx", "--topic", "six/0",
    ]));
    assert_eq!(
        (count, &row["topic"], &row["partition"]),
        (20, &json!("sixx"), &Value::Null)
    );
    let (count, row) = unreadable(tideline(&[
        "records", "--topic", "six/9", "--topic", "six/0",
    ]));
    assert_eq!(
        (count, &row["topic"], &row["partition"]),
        (20, &json!("six"), &json!(9))
    );
}
