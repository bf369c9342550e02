//! `gaps` and `watch`.

use serde_json::json;

use crate::engine::{
    Coverage, EventKind, FindingChange, GapsReply, GapsRequest, PartitionCoverage, Reply, Request,
    VersionAt,
};
use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, HistoryCoverage, HistorySource, Offset,
    PartitionId, ProblemKind, Text, TimestampMs, TopicPartition, by_hand,
};

use super::{NOW, Script, TASK, failed, problem, question, read, run, run_with, shared};

fn lost() -> Finding {
    Finding {
        kind: FindingKind::Deleted,
        concerns: Concerns::Group(Text::from("billing")),
        topic: Some("orders".into()),
        partition: Some(PartitionId(2)),
        from: Some(Offset(10)),
        to: Some(Offset(29)),
        to_time: Some(NOW),
        records: Some(20),
        certainty: Certainty::Proof,
        sentence: "Kafka deleted up to 20 events.".to_owned(),
        next_step: "Ask.".to_owned(),
        evidence: vec![
            ("committed_offset", Fact::Number(10)),
            ("seen", Fact::Time(TimestampMs(5))),
            ("moves", Fact::List(vec![Fact::Time(TimestampMs(1))])),
            ("retention", Fact::Unknown),
            (
                "first",
                Fact::Record(TopicPartition::new("orders", 2), Offset(30)),
            ),
        ],
        ..by_hand::finding("G4-1")
    }
}

fn reply(findings: Vec<Finding>) -> GapsReply {
    GapsReply {
        findings,
        history: HistoryCoverage {
            source: HistorySource::CommitLog,
            since: Some(TimestampMs(7)),
            commits: 3,
            problem: None,
        },
        ..GapsReply::default()
    }
}

#[test]
fn a_finding_has_the_promised_fields() {
    let written = run_with("gaps --json", Reply::Gaps(shared(reply(vec![lost()]))));
    assert_eq!(written.code, 1);
    assert_eq!(
        written.json()["findings"],
        json!([{
            "id": "G4-1", "kind": "G4", "title": "Deleted before it was read", "concerns": "group",
            "group": "billing", "topic": "orders", "partition": 2, "from_offset": 10, "to_offset": 29,
            "from_ms": null, "to_ms": NOW.0, "records": 20, "certainty": "proof", "normal": false,
            "sentence": "Kafka deleted up to 20 events.", "next_step": "Ask.",
            "evidence": {
                "committed_offset": 10, "seen_ms": 5, "moves_ms": [1], "retention": null,
                "first": {"topic": "orders", "partition": 2, "offset": 30}
            }
        }])
    );
    assert_eq!(
        written.json()["coverage"]["history"],
        json!({"source": "commit_log", "since_ms": 7, "commits": 3, "error": null})
    );
}

#[test]
fn only_a_proven_loss_that_is_not_normal_is_a_1() {
    let code = |change: fn(&mut Finding)| {
        let mut finding = lost();
        change(&mut finding);
        run_with("gaps --json", Reply::Gaps(shared(reply(vec![finding])))).code
    };
    assert_eq!(code(|_| {}), 1);
    assert_eq!(code(|finding| finding.kind = FindingKind::BeyondEnd), 1);
    assert_eq!(code(|finding| finding.kind = FindingKind::Truncated), 1);
    assert_eq!(code(|finding| finding.kind = FindingKind::JumpedOver), 0);
    assert_eq!(code(|finding| finding.certainty = Certainty::Strong), 0);
    assert_eq!(code(|finding| finding.normal = true), 0);
}

#[test]
fn a_loss_goes_before_what_could_not_be_looked_at() {
    let partial = |findings| GapsReply {
        coverage: Coverage {
            partitions: vec![PartitionCoverage {
                topic: "orders".into(),
                partition: Some(PartitionId(0)),
                from: None,
                to: None,
                next: None,
                complete: false,
                error: Some(problem(ProblemKind::NoLeader, "nobody leads it")),
            }],
            ..Coverage::default()
        },
        ..reply(findings)
    };
    let code = |findings| run_with("gaps --json", Reply::Gaps(shared(partial(findings)))).code;
    assert_eq!(code(vec![lost()]), 1);
    assert_eq!(code(vec![]), 6);
}

#[test]
fn what_the_history_lacks_is_said_and_is_no_failure() {
    let reply = GapsReply {
        history: HistoryCoverage {
            problem: Some(problem(ProblemKind::Forbidden, "may not be read")),
            ..HistoryCoverage::default()
        },
        ..reply(vec![])
    };
    let written = run_with("gaps", Reply::Gaps(shared(reply)));
    assert_eq!(written.code, 0);
    assert!(written.out.contains("may not be read"), "{}", written.out);
}

#[test]
fn people_read_what_wants_attention_and_a_count_of_what_is_normal() {
    let marker = Finding {
        kind: FindingKind::Marker,
        normal: true,
        ..by_hand::finding("G1-1")
    };
    let reply = reply(vec![lost(), marker.clone(), marker]);
    let written = run_with("gaps", Reply::Gaps(shared(reply)));
    for words in [
        "G4 Deleted before it was read (proof) group billing orders/2 offsets 10 to 29",
        "Kafka deleted up to 20 events.",
        "→ Ask.",
        "Transaction marker 2",
    ] {
        assert!(written.out.contains(words), "{words}: {}", written.out);
    }
}

#[test]
fn each_change_is_a_line() {
    let change = |is_new| {
        let finding = lost();
        EventKind::Finding(TASK, Box::new(FindingChange { is_new, finding }))
    };
    let script = Script::answering(vec![
        change(true),
        EventKind::Lost(TASK, Some(problem(ProblemKind::Unreachable, "down"))),
        EventKind::Lost(TASK, None),
        change(false),
        failed(ProblemKind::Cancelled, "given up"),
    ]);
    let written = run("watch --json", &script);
    let lines = written.json_lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["change"], "new");
    assert_eq!(lines[1]["change"], "cleared");
    assert_eq!(lines[1]["finding"]["kind"], "G4");
    assert!(written.err.contains("down"), "{}", written.err);
}

#[test]
fn what_is_written_becomes_the_question() {
    let asked = |line: &str| match question(line).request {
        Request::Gaps(request) | Request::WatchGaps(request) => *request,
        other => panic!("{other:?}"),
    };
    let request = asked("gaps --topic a --group g --from 5 --to 6 --version-path .a.b");
    assert_eq!(request.topics, ["a".into()]);
    assert_eq!(request.groups, [Text::from("g")]);
    assert_eq!(
        (request.from, request.to),
        (Some(TimestampMs(5)), Some(TimestampMs(6)))
    );
    assert_eq!(request.version, Some(VersionAt::Path(".a.b".to_owned())));
    assert_eq!(asked("watch"), GapsRequest::default());
    assert_eq!(asked("watch --stuck-after 10s").rules.stuck_ms, 10_000);
    for wrong in [
        "gaps --version-path .a --version-header b",
        "gaps --from 6 --to 5",
        "gaps --topic",
        "gaps --version-path [",
        "watch --from 5",
    ] {
        assert_eq!(read(wrong).unwrap_err().code, 2, "{wrong}");
    }
}
