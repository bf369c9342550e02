//! `records`.

use bytes::Bytes;
use serde_json::json;

use crate::engine::{Coverage, EventKind, PartitionCoverage, Portion, Reply, StoppedBy};
use crate::model::{
    Header, Offset, PartitionId, ProblemKind, Record, Text, TimestampType, Visibility,
};

use super::{NOW, Script, TASK, Written, failed, finished, problem, run, shared};

fn record(offset: i64) -> Record {
    Record {
        topic: "orders".into(),
        partition: PartitionId(3),
        offset: Offset(offset),
        timestamp: Some(NOW),
        timestamp_type: Some(TimestampType::CreateTime),
        key: Some(Bytes::from_static(b"k\n1")),
        value: Some(Bytes::from_static(&[0xff, 0x01])),
        headers: vec![
            Header {
                name: Text::from("trace"),
                value: Some(Bytes::from_static(b"t")),
            },
            Header {
                name: Text::from("trace"),
                value: None,
            },
        ],
        leader_epoch: Some(7),
        visibility: Visibility::Aborted,
    }
}

fn covered() -> PartitionCoverage {
    PartitionCoverage {
        topic: "orders".into(),
        partition: Some(PartitionId(3)),
        from: Some(Offset(1_000)),
        to: Some(Offset(1_500)),
        next: Some(Offset(1_500)),
        complete: true,
        error: None,
    }
}

fn coverage(stopped_by: Option<StoppedBy>, partitions: Vec<PartitionCoverage>) -> EventKind {
    finished(Reply::Records(shared(Coverage {
        stopped_by,
        records_scanned: 500,
        bytes_scanned: 12_345,
        matched: 1,
        expression_failures: None,
        partitions,
    })))
}

fn given(record: Record) -> EventKind {
    let portion = Portion {
        records: vec![record],
        decoded: Vec::new(),
    };
    EventKind::Records(TASK, portion)
}

fn one_record(end: EventKind, line: &str) -> Written {
    let events = vec![given(record(1_234)), end];
    run(line, &Script::answering(events))
}

#[test]
fn a_record_and_the_coverage_in_json_have_the_fields_in_their_order() {
    let written = one_record(
        coverage(None, vec![covered()]),
        "records --topic orders --json",
    );
    assert_eq!(
        written.out,
        "{\"record\":{\"topic\":\"orders\",\"partition\":3,\"offset\":1234,\"timestamp_ms\":1796043720000,\
         \"timestamp_type\":\"CreateTime\",\"key\":{\"text\":\"k\\n1\"},\"value\":{\"base64\":\"/wE=\"},\
         \"headers\":[[\"trace\",{\"text\":\"t\"}],[\"trace\",null]],\"leader_epoch\":7,\"size\":16,\
         \"visibility\":\"aborted\"}}\n\
         {\"coverage\":{\"complete\":true,\"stopped_by\":null,\"records_scanned\":500,\"bytes_scanned\":12345,\
         \"matched\":1,\"partitions\":[{\"topic\":\"orders\",\"partition\":3,\"from_offset\":1000,\
         \"to_offset\":1500,\"next_offset\":1500,\"complete\":true,\"error\":null}]}}\n"
    );
    assert_eq!((written.code, written.err.as_str()), (0, ""));
}

#[test]
fn what_a_record_lacks_is_null() {
    let bare = Record {
        timestamp: None,
        timestamp_type: None,
        key: None,
        value: Some(Bytes::new()),
        headers: Vec::new(),
        leader_epoch: None,
        visibility: Visibility::Unknown,
        ..record(0)
    };
    let events = vec![given(bare), coverage(None, Vec::new())];
    let written = run("records --topic orders --json", &Script::answering(events));
    assert_eq!(
        written.json_lines()[0],
        json!({"record": {"topic": "orders", "partition": 3, "offset": 0, "timestamp_ms": null,
               "timestamp_type": null, "key": null, "value": {"text": ""}, "headers": [],
               "leader_epoch": null, "size": 0, "visibility": "unknown"}})
    );
}

#[test]
fn what_stopped_reading_decides_the_exit_code() {
    let line = "records --topic orders --json";
    let part = PartitionCoverage {
        complete: false,
        ..covered()
    };
    for (reason, name, code) in [
        (StoppedBy::Limit, "limit", 0),
        (StoppedBy::Budget, "budget", 6),
        (StoppedBy::Timeout, "timeout", 6),
        (StoppedBy::Interrupt, "interrupt", 130),
        (StoppedBy::Error, "error", 6),
    ] {
        let written = one_record(coverage(Some(reason), vec![part.clone()]), line);
        let coverage = written.json_lines()[1]["coverage"].clone();
        assert_eq!(
            (&coverage["stopped_by"], &coverage["complete"]),
            (&json!(name), &json!(false))
        );
        assert_eq!(written.code, code, "{name}");
    }
    assert_eq!(
        one_record(coverage(None, vec![part]), line).code,
        6,
        "incomplete without a reason"
    );
}

#[test]
fn a_topic_that_cannot_be_read_is_a_row_without_a_partition() {
    let row = PartitionCoverage {
        topic: "nope".into(),
        partition: None,
        from: None,
        to: None,
        next: None,
        complete: false,
        error: Some(problem(ProblemKind::NotFound, "there is no such topic")),
    };
    let written = one_record(coverage(None, vec![row]), "records --topic nope --json");
    assert_eq!(
        written.json_lines()[1]["coverage"]["partitions"][0],
        json!({"topic": "nope", "partition": null, "from_offset": null, "to_offset": null,
               "next_offset": null, "complete": false, "error": "there is no such topic"})
    );
    assert_eq!(written.code, 6);
    assert_eq!(
        written.err,
        "tideline: topic nope: there is no such topic\n"
    );
}

#[test]
fn reading_that_breaks_off_still_ends_with_a_coverage() {
    let line = "records --topic orders --group-position nope --json";
    let written = one_record(
        failed(ProblemKind::NotFound, "there is no such group"),
        line,
    );
    assert_eq!(
        written.json_lines()[1],
        json!({"coverage": {"complete": false, "stopped_by": "error", "records_scanned": null,
               "bytes_scanned": null, "matched": 1, "partitions": [], "error": "there is no such group"}})
    );
    assert_eq!(written.code, 6);
    assert_eq!(written.err, "tideline: reading: there is no such group\n");
}

#[test]
fn a_zone_that_was_assumed_is_a_field_of_the_coverage() {
    let line = "records --topic orders --json --from 2026-11-30T14:02:00";
    let written = one_record(coverage(None, vec![covered()]), line);
    assert_eq!(
        written.json_lines()[1]["coverage"]["zone_assumed"],
        "Europe/Berlin"
    );
}

#[test]
fn records_as_a_table_come_as_they_are_read_and_the_coverage_last() {
    let events = vec![
        given(record(1_234)),
        given(Record {
            key: None,
            value: Some(Bytes::from_static("grün".as_bytes())),
            headers: Vec::new(),
            timestamp: None,
            ..record(5)
        }),
        coverage(Some(StoppedBy::Limit), vec![covered()]),
    ];
    let written = run("records --topic orders", &Script::answering(events));
    assert_eq!(
        written.out,
        "\
TOPIC   PARTITION  OFFSET  TIME                           TIME TYPE   EPOCH  SIZE  VISIBILITY  KEY  VALUE
orders          3   1,234  2026-11-30T14:02:00.000+01:00  CreateTime      7    16  aborted     k␊1  hex:ff01
    trace = t
    trace = (null)
orders          3       5  none                           CreateTime      7     5  aborted     (null)  grün

1 records given out; 500 records and 12,345 bytes looked at; stopped by limit
TOPIC   PARTITION   FROM     TO   NEXT  COMPLETE
orders          3  1,000  1,500  1,500  yes
"
    );
}
