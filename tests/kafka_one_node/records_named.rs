//! `tideline records`: what was named, and what is lacking of it.

use crate::support::fixture::SHARE_GROUP;
use crate::tideline;
use serde_json::{Value, json};

/// What `tideline records ARGUMENTS` prints: the places of the records, and the coverage.
#[track_caller]
fn records(code: i32, arguments: &[&str]) -> (Vec<(i64, i64)>, Value) {
    let (records, coverage) = tideline(&[&["records"], arguments].concat())
        .exits(code)
        .records();
    let number = |value: &Value| value.as_i64().unwrap();
    let places = records
        .iter()
        .map(|record| (number(&record["partition"]), number(&record["offset"])))
        .collect();
    (places, coverage)
}

/// The error of the only row, which is not complete.
#[track_caller]
fn lacking(arguments: &[&str]) -> (usize, String) {
    let (places, coverage) = records(6, arguments);
    let rows = coverage["partitions"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["complete"]), (1, &json!(false)));
    assert_eq!(coverage["complete"], false);
    (places.len(), rows[0]["error"].as_str().unwrap().to_owned())
}

#[test]
fn every_named_offset_comes() {
    let (mut places, coverage) = records(
        0,
        &[
            "--topic",
            "six/0/10",
            "--topic",
            "six/0/12",
            "--topic",
            "clock/1/4",
            "--topic",
            "six/0/10",
        ],
    );
    places.sort_unstable();
    assert_eq!(places, [(0, 10), (0, 12), (1, 4)]);
    assert_eq!(
        (&coverage["complete"], &coverage["matched"]),
        (&json!(true), &json!(3))
    );
    let (places, _) = records(0, &["--topic", "six/0/12", "--topic", "six/0"]);
    assert_eq!(places.len(), 20);
}

#[test]
fn a_named_offset_that_is_deleted_or_not_written_yet_is_an_error() {
    assert_eq!(
        lacking(&["--topic", "six/2/5"]),
        (0, "offset 5 is deleted: the log starts at 10".to_owned())
    );
    for offset in [30, 500] {
        assert_eq!(
            lacking(&["--topic", &format!("six/2/{offset}")]),
            (
                0,
                format!("offset {offset} is not written yet: the log ends at 30")
            )
        );
    }
    assert_eq!(
        lacking(&["--topic", "six/2/5", "--topic", "six/2/12"]),
        (1, "offset 5 is deleted: the log starts at 10".to_owned())
    );
}

#[test]
fn a_named_offset_without_a_record_is_no_error() {
    // A marker, a hole left by compaction, and an aborted record that careful readers pass.
    for arguments in [
        &["--topic", "six/1/8"][..],
        &["--topic", "compacted/0/3"],
        &["--topic", "six/1/10", "--isolation", "read_committed"],
    ] {
        let (places, coverage) = records(0, arguments);
        assert!(places.is_empty(), "{arguments:?}");
        assert_eq!(
            (&coverage["complete"], &coverage["matched"]),
            (&json!(true), &json!(0)),
            "{arguments:?}"
        );
        assert_eq!(coverage["partitions"][0]["error"], Value::Null);
    }
}

#[test]
fn careful_readers_are_told_of_the_open_transaction() {
    let careful = ["--isolation", "read_committed"];
    for arguments in [
        &["--topic", "six/1", "--from", "offset:17"][..],
        &["--topic", "six/1", "--to", "offset:18"],
        &["--topic", "six/1/17"],
    ] {
        let (_, error) = lacking(&[arguments, &careful].concat());
        for part in ["last stable offset 16", "open transaction", "ends at 19"] {
            assert!(error.contains(part), "{arguments:?}: {error}");
        }
    }
    let (places, _) = records(
        0,
        &[&["--topic", "six/1", "--from", "offset:16"], &careful[..]].concat(),
    );
    assert!(places.is_empty());
}

#[test]
fn an_end_outside_the_log_is_said() {
    assert_eq!(
        lacking(&["--topic", "six/0", "--to", "offset:25"]),
        (
            20,
            "offsets 20 to 24 are not written yet: the log ends at 20".to_owned()
        )
    );
    let (count, error) = lacking(&["--topic", "six/2", "--to", "offset:5"]);
    assert_eq!(count, 0);
    assert!(error.contains("the log starts at 10"), "{error}");
}

#[test]
fn the_newest_are_found_wherever_they_lie() {
    let (places, coverage) = records(0, &["--topic", "ahead", "--newest", "1"]);
    assert_eq!(places, [(0, 100)]);
    assert_eq!(coverage["complete"], true);
    let (places, _) = records(0, &["--topic", "ahead", "--newest", "3"]);
    assert_eq!(places, [(0, 5_099), (0, 5_100), (0, 100)]);
}

#[test]
fn the_newest_none_are_none() {
    let (places, coverage) = records(0, &["--topic", "clock", "--newest", "0"]);
    assert!(places.is_empty());
    assert_eq!(
        (&coverage["complete"], &coverage["records_scanned"]),
        (&json!(true), &json!(0))
    );
}

#[test]
fn the_newest_keep_the_order_asked_for() {
    let arguments = ["--topic", "clock", "--newest", "6", "--order", "offset"];
    let (places, _) = records(0, &arguments);
    assert_eq!(places, [(0, 8), (0, 9), (1, 8), (1, 9), (2, 8), (2, 9)]);
}

#[test]
fn a_limit_is_told_when_it_withheld_something_and_only_then() {
    let newest = ["--topic", "clock", "--newest", "13"];
    let (places, coverage) = records(0, &[&newest[..], &["--limit", "3"]].concat());
    assert_eq!(places.len(), 3);
    assert_eq!(
        (&coverage["stopped_by"], &coverage["complete"]),
        (&json!("limit"), &json!(false))
    );
    for whole in [
        &["--topic", "clock", "--newest", "13", "--limit", "13"][..],
        &["--topic", "clock", "--limit", "30"],
        &["--topic", "clock", "--limit", "30", "--order", "time"],
        &["--topic", "clock", "--limit", "30", "--order", "offset"],
        &["--topic", "six/1", "--limit", "17"],
    ] {
        let (_, coverage) = records(0, whole);
        assert_eq!(
            (&coverage["stopped_by"], &coverage["complete"]),
            (&Value::Null, &json!(true)),
            "{whole:?}"
        );
    }
}

#[test]
fn a_share_group_has_no_position() {
    let (_, coverage) = records(6, &["--topic", "clock", "--group-position", SHARE_GROUP]);
    let error = coverage["error"].as_str().unwrap();
    assert!(
        error.contains("share groups keep no committed offset"),
        "{error}"
    );
}
