//! `timeline`.

use serde_json::json;

use crate::engine::{Cursor, Reply, TimelineReply, TopicTimeline};
use crate::inspect::timeline::PartitionTimeline;
use crate::model::{Known, Offset, PartitionId, ProblemKind, RecordHead, Text, TimestampMs};

use super::{NOW, lost, problem, run_with, shared};

fn lane() -> PartitionTimeline {
    PartitionTimeline {
        counts: vec![Some(0), Some(1_000), None, Some(500)],
        before: Some(5),
        after: Some(0),
        resolution_ms: Some(1_000),
        ..PartitionTimeline::unknown(
            PartitionId(0),
            Ok(Offset(10)),
            Ok(Offset(2_000)),
            Ok(Offset(2_015)),
            4,
        )
    }
}

fn cursor(group: &str, at: Known<Option<RecordHead>>) -> Cursor {
    Cursor {
        partition: PartitionId(0),
        group: Text::from(group),
        committed: Offset(1_200),
        at,
    }
}

fn head(timestamp: Option<TimestampMs>) -> RecordHead {
    RecordHead {
        offset: Offset(1_201),
        timestamp,
    }
}

fn timeline(partition: PartitionTimeline, cursors: Vec<Cursor>) -> TimelineReply {
    TimelineReply {
        from: Some(NOW),
        to: Some(NOW.moved_ms(40_000)),
        bucket_ms: 10_000,
        groups: vec![(Text::from("billing"), None)],
        missing: Vec::new(),
        topics: vec![TopicTimeline {
            topic: "orders".into(),
            error: None,
            partitions: vec![partition],
            cursors,
        }],
    }
}

fn reply(timeline: TimelineReply) -> Reply {
    Reply::Timeline(shared(timeline))
}

#[test]
fn a_timeline_in_json_has_the_fields_in_their_order() {
    let cursors = vec![cursor("billing", Ok(Some(head(Some(NOW)))))];
    let written = run_with("timeline --json", reply(timeline(lane(), cursors)));
    assert_eq!(
        written.out,
        "{\"from_ms\":1796043720000,\"to_ms\":1796043760000,\"bucket_ms\":10000,\
         \"groups\":[{\"group\":\"billing\",\"error\":null}],\
         \"topics\":[{\"topic\":\"orders\",\"error\":null,\"partitions\":[{\"partition\":0,\
         \"log_start_offset\":10,\"last_stable_offset\":2000,\"high_watermark\":2015,\
         \"counts\":[0,1000,null,500],\"before\":5,\"after\":0,\"resolution_ms\":1000,\
         \"cursors\":[{\"group\":\"billing\",\"committed_offset\":1200,\"at_ms\":1796043720000}],\
         \"error\":null}]}],\"missing\":[]}\n"
    );
    assert_eq!((written.code, written.err.as_str()), (0, ""));
}

#[test]
fn a_cursor_at_the_end_or_before_a_timeless_record_is_no_error_and_an_unread_one_is() {
    let cursors = vec![
        cursor("end", Ok(None)),
        cursor("timeless", Ok(Some(head(None)))),
    ];
    let fine = run_with("timeline --json", reply(timeline(lane(), cursors)));
    let shown = fine.json()["topics"][0]["partitions"][0]["cursors"].clone();
    assert_eq!(
        shown,
        json!([{"group": "end", "committed_offset": 1200, "at_ms": null},
               {"group": "timeless", "committed_offset": 1200, "at_ms": null}])
    );
    assert_eq!(fine.code, 0);
    let unread = run_with(
        "timeline --json",
        reply(timeline(lane(), vec![cursor("g", lost())])),
    );
    let partition = unread.json()["topics"][0]["partitions"][0].clone();
    assert_eq!(partition["cursors"][0]["error"], "nobody leads it");
    assert_eq!(partition["error"], json!(null));
    assert_eq!(unread.code, 6);
}

#[test]
fn without_data_there_are_no_edges() {
    let mut empty = timeline(
        PartitionTimeline::unknown(
            PartitionId(0),
            Ok(Offset(0)),
            Ok(Offset(0)),
            Ok(Offset(0)),
            0,
        ),
        Vec::new(),
    );
    (empty.from, empty.to) = (None, None);
    let written = run_with("timeline --json", reply(empty.clone()));
    let answer = written.json();
    assert_eq!(
        (&answer["from_ms"], &answer["to_ms"], &answer["bucket_ms"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(written.code, 0);
    assert!(
        run_with("timeline", reply(empty))
            .out
            .starts_with("No records")
    );
}

#[test]
fn every_error_counts_where_it_stands() {
    let mut lame = lane();
    lame.high_watermark = lost();
    let written = run_with("timeline --json", reply(timeline(lame, Vec::new())));
    assert_eq!(
        written.json()["topics"][0]["partitions"][0]["error"],
        "nobody leads it"
    );
    assert_eq!(written.code, 6);

    let mut blind = lane();
    blind.error = Some(problem(ProblemKind::TimedOut, "look-ups failed"));
    let written = run_with("timeline --json", reply(timeline(blind, Vec::new())));
    assert_eq!(
        written.json()["topics"][0]["partitions"][0]["error"],
        "look-ups failed"
    );
    assert_eq!(written.code, 6);

    let mut named = timeline(lane(), Vec::new());
    named.groups = vec![(
        Text::from("nope"),
        Some(problem(ProblemKind::NotFound, "there is no such group")),
    )];
    named.topics.push(TopicTimeline {
        topic: "gone".into(),
        error: Some(problem(ProblemKind::NotFound, "there is no such topic")),
        partitions: Vec::new(),
        cursors: Vec::new(),
    });
    let written = run_with("timeline", reply(named));
    assert_eq!(written.code, 6);
    assert_eq!(
        written.err,
        "tideline: group nope: there is no such group\ntideline: topic gone: there is no such topic\n"
    );
}

#[test]
fn a_zone_that_was_assumed_is_said_in_words_and_as_a_field() {
    let line = "timeline --json --from 2026-11-30T14:02:00 --to 2026-12-01T00:00:00Z";
    let written = run_with(line, reply(timeline(lane(), Vec::new())));
    assert_eq!(written.json()["zone_assumed"], "Europe/Berlin");
    assert!(written.err.contains("Europe/Berlin"), "{}", written.err);
    let line = "timeline --json --from 2026-11-30T14:02:00Z";
    let written = run_with(line, reply(timeline(lane(), Vec::new())));
    assert_eq!(written.json().get("zone_assumed"), None);
}

#[test]
fn a_timeline_as_a_table() {
    let cursors = vec![
        cursor("audit", Ok(None)),
        cursor("billing", Ok(Some(head(Some(NOW))))),
        cursor("lost", lost()),
        cursor("odd", Ok(Some(head(None)))),
    ];
    let written = run_with("timeline", reply(timeline(lane(), cursors)));
    assert_eq!(
        written.out,
        "\
From 2026-11-30T14:02:00.000+01:00 to 2026-11-30T14:02:40.000+01:00
4 buckets of 10 s (10,000 ms)

TOPIC   PARTITION  LOG START  LAST STABLE  HIGH WATERMARK  BEFORE   WITHIN  AFTER  TOLD APART  RECORDS OVER TIME
orders          0         10        2,000           2,015       5  ≥ 1,500      0         1 s  │ █?▄│
    audit at 1,200, no later record
    billing at 1,200, next record of 2026-11-30T14:02:00.000+01:00
    lost at 1,200, next record —
    odd at 1,200, next record carries no time

Not known (—):
  group lost in orders/0: nobody leads it
"
    );
}
