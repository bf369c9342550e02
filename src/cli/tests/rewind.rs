//! `rewind`, `undo` and `journal`: what is asked for, what is written, and the exit code.

use std::sync::Arc;

use serde_json::json;

use super::{problem, question, read, run_with};
use crate::engine::{Applied, Ended, Reply, Request, RewindReply, RewindRequest, RowResult};
use crate::model::{
    Bookmark, Known, Offset, PartitionId, ProblemKind, Text, TimestampMs, TopicPartition,
};
use crate::rewind::guard::{Guard, GuardKind, Outcome};
use crate::rewind::plan::{Contents, Edge, Plan, Row, RowFacts, Wanted};
use crate::rewind::target::{Part, PlanRequest, Scope, Target};

fn asked(line: &str) -> RewindRequest {
    match question(line).request {
        Request::Rewind(request) => *request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn scope_target_and_confirmations_are_read() {
    let request = asked(
        "rewind --group billing --topic orders --topic payments/1 --to time:2026-11-30T14:02:00 --execute --wait --confirm no_hidden_reader --confirm billing --observe 0s --plan abc",
    );
    let target = Target::Time(TimestampMs(1_796_043_720_000));
    let part = |scope| Part {
        scope,
        target: target.clone(),
    };
    assert_eq!(
        request.plan.parts,
        [
            part(Scope::Topic("orders".into())),
            part(Scope::Partition("payments".into(), PartitionId(1))),
        ]
    );
    assert_eq!(request.plan.group, Text::from("billing"));
    assert!(request.execute);
    assert_eq!(request.plan_id.as_deref(), Some("abc"));
    assert_eq!((request.wait_ms, request.observe_ms), (Some(1_800_000), 0));
    let confirmed: Vec<&str> = request.confirmed.iter().map(|word| &**word).collect();
    assert_eq!(confirmed, ["billing", "no_hidden_reader"]);
}

#[test]
fn nothing_is_changed_unless_it_is_said() {
    let request = asked("rewind --group g --to earliest");
    assert!(!request.execute);
    assert_eq!((request.wait_ms, request.observe_ms), (None, 11_000));
    for (written, target) in [
        ("latest", Target::Latest),
        ("offset:0", Target::Offset(Offset(0))),
        ("shift:-500", Target::Shift(-500)),
        ("shift:+7", Target::Shift(7)),
        ("group:a:b#/%", Target::Group(Text::from("a:b#/%"))),
    ] {
        let parts = asked(&format!("rewind --group g --to {written}"))
            .plan
            .parts;
        assert_eq!(
            (&parts[0].scope, &parts[0].target),
            (&Scope::Committed, &target)
        );
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for line in [
        "rewind --group g",
        "rewind --to earliest",
        "rewind --group g --to offset:-1",
        "rewind --group g --to offset:-1001",
        "rewind --group g --to shift:0",
        "rewind --group g --to shift:many",
        "rewind --group g --to time:1796043720",
        "rewind --group g --to time:yesterday",
        "rewind --group g --to was-at:-1h",
        "rewind --group g --to before:f1",
        "rewind --group g --to sometime",
        "rewind --group g --to earliest --dry-run --execute",
        "rewind --group g --to earliest --plan x",
        "rewind --group g --topic t/0/5 --to earliest",
        "rewind --group g --to file:/there/is/no/such/file",
        "undo 1",
        "topics --profile p",
    ] {
        let refused = read(line).expect_err(line);
        assert_eq!(refused.code, 2, "{line}");
    }
}

/// `orders` 0, from 80 back to 60, and 1, which nobody leads.
fn plan() -> Plan {
    let request = PlanRequest {
        group: Text::from("billing"),
        parts: vec![Part {
            scope: Scope::Committed,
            target: Target::Offset(Offset(60)),
        }],
        left_out: std::collections::BTreeSet::new(),
        new_group: false,
        with_metadata: false,
        undoes: None,
    };
    let row = |partition, end: Known<Offset>| {
        let wanted = Wanted {
            at: TopicPartition::new("orders", partition),
            target: Target::Offset(Offset(60)),
        };
        let facts = RowFacts {
            topic_id: None,
            log_start: Ok(Offset(0)),
            end,
            committed: Ok(Some(Bookmark::plain(Offset(80)))),
            aim: None,
            retention_ms: Some(-1),
        };
        Row::new(&wanted, facts, false)
    };
    let counted = Contents {
        records: 17,
        exact: true,
        first: Some(Edge {
            at: Some(TimestampMs(5)),
            key: Some(bytes::Bytes::from_static(b"k")),
        }),
        ..Contents::default()
    };
    let leaderless = problem(ProblemKind::NoLeader, "nobody leads it");
    let rows = vec![
        row(0, Ok(Offset(100))).with_contents(counted),
        row(1, Err(leaderless)),
    ];
    Plan::new(&request, rows, vec![], TimestampMs(0))
}

fn reply(guards: Vec<Guard>, ended: Option<Ended>) -> Reply {
    Reply::Rewind(Arc::new(RewindReply {
        plan: Arc::new(plan()),
        plan_id: "p-1".to_owned(),
        guards,
        read_only: false,
        ended,
    }))
}

fn applied() -> Ended {
    Ended::Applied(Applied {
        journal_id: Some("j-1".to_owned()),
        at: TimestampMs(0),
        rows: vec![RowResult {
            at: TopicPartition::new("orders", 0),
            before: Some(Bookmark::plain(Offset(80))),
            after: Some(Bookmark::plain(Offset(60))),
            read_back: Ok(Some(Offset(60))),
            error: None,
        }],
        misses: 2,
    })
}

#[test]
fn a_dry_run_has_every_row_and_says_what_is_not_known() {
    let guard = Guard {
        kind: GuardKind::NoHiddenReader,
        outcome: Outcome::Confirm,
        detail: "not watched".to_owned(),
        confirm_with: Some("no_hidden_reader".to_owned()),
    };
    let written = run_with(
        "rewind --group billing --to offset:60 --json --bootstrap b:1",
        reply(vec![guard], None),
    );
    let json = written.json();
    assert_eq!(json["plan_id"], "p-1");
    assert_eq!(
        (&json["dry_run"], &json["applied"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        json["guards"],
        json!([{"guard": "no_hidden_reader", "outcome": "confirm", "detail": "not watched",
            "confirm_with": "no_hidden_reader"}])
    );
    assert_eq!(
        json["rows"][0],
        json!({"topic": "orders", "partition": 0, "from": 80, "to": 60, "records": 17,
            "records_exact": true, "never_read": null, "second_time": null, "basis": null,
            "dead_lettered": null, "first_ms": 5, "last_ms": null, "first_key": {"text": "k"},
            "last_key": null, "warnings": [{"kind": "holes",
            "detail": "3 of the 20 offsets in between hold no record: transaction markers, or removed by compaction"}],
            "error": null})
    );
    let stays = &json["rows"][1];
    assert_eq!(
        (&stays["from"], &stays["to"], &stays["records"]),
        (&json!(80), &json!(null), &json!(null))
    );
    assert_eq!(stays["error"], "nobody leads it");
    // A row that is not known makes the answer one in part.
    assert_eq!(written.code, 6);
}

#[test]
fn what_was_applied_in_part_says_so() {
    let written = run_with(
        "rewind --group billing --to offset:60 --execute --json --bootstrap b:1",
        reply(vec![], Some(applied())),
    );
    let json = written.json();
    assert_eq!(
        (&json["applied"], &json["journal_id"], &json["misses"]),
        (&json!(true), &json!("j-1"), &json!(2))
    );
    assert_eq!(
        json["results"],
        json!([{"topic": "orders", "partition": 0, "before": 80, "after": 60, "read_back": 60, "error": null}])
    );
    assert_eq!(written.code, 4);
}

#[test]
fn a_change_of_which_the_bus_took_no_row_is_a_refusal() {
    let ended = |read_back, after| {
        Ended::Applied(Applied {
            journal_id: Some("j-1".to_owned()),
            at: TimestampMs(0),
            rows: vec![RowResult {
                at: TopicPartition::new("orders", 0),
                before: Some(Bookmark::plain(Offset(80))),
                after: Some(Bookmark::plain(Offset(after))),
                read_back,
                error: Some(problem(ProblemKind::Forbidden, "it is not allowed")),
            }],
            misses: 0,
        })
    };
    let line = "rewind --group billing --to offset:60 --execute --json --bootstrap b:1";
    let untaken = run_with(line, reply(vec![], Some(ended(Ok(Some(Offset(80))), 60))));
    assert_eq!(
        (untaken.code, &untaken.json()["applied"]),
        (3, &json!(false))
    );
    assert!(untaken.err.contains("it is not allowed"), "{}", untaken.err);
    // What became of it is not known.
    let lost = Err(problem(ProblemKind::TimedOut, "no answer"));
    assert_eq!(run_with(line, reply(vec![], Some(ended(lost, 60)))).code, 4);
}

#[test]
fn the_same_is_written_as_commands_of_the_stock_tool() {
    let line = "rewind --group billing --to offset:60 --bootstrap b:1,c:2";
    let command = "kafka-consumer-groups.sh --bootstrap-server b:1,c:2 --group billing --reset-offsets --topic orders:0 --to-offset 60 --execute";
    let json = run_with(&format!("{line} --json"), reply(vec![], None)).json();
    assert_eq!(json["commands"], json!([command]));
    let table = run_with(line, reply(vec![], None)).out;
    assert!(table.contains(command), "{table}");
    let applied = run_with(&format!("{line} --execute"), reply(vec![], Some(applied())));
    assert!(!applied.out.contains("stock tool"), "{}", applied.out);
}

#[test]
fn a_plan_is_exported_and_nothing_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.csv");
    let line = format!(
        "rewind --group billing --to offset:60 --json --bootstrap b:1 --export {}",
        path.display()
    );
    run_with(&line, reply(vec![], None));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "\"orders\",0,60\n");
    let again = read(&line).unwrap_err();
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
}

#[test]
fn a_refusal_is_said_in_words_and_by_the_code() {
    let refused = Ended::Refused(problem(
        ProblemKind::GroupActive,
        "nothing was changed: 2 members",
    ));
    let written = run_with(
        "rewind --group billing --to offset:60 --execute --json --bootstrap b:1",
        reply(vec![], Some(refused)),
    );
    assert_eq!(written.code, 3);
    assert!(written.err.contains("2 members"), "{}", written.err);
    let json = written.json();
    assert_eq!(
        (&json["dry_run"], &json["applied"], &json["journal_id"]),
        (&json!(false), &json!(false), &json!(null))
    );
    assert_eq!(json["error"], "nothing was changed: 2 members");
}

#[test]
fn a_group_that_is_not_there_is_refused_without_executing_too() {
    let missing = Guard {
        kind: GuardKind::Exists,
        outcome: Outcome::Failed,
        detail: "there is no group billing".to_owned(),
        confirm_with: None,
    };
    let written = run_with(
        "rewind --group billing --to earliest --json --bootstrap b:1",
        reply(vec![missing], None),
    );
    assert_eq!(written.code, 3);
    assert!(
        written.err.contains("there is no group billing"),
        "{}",
        written.err
    );
}

#[test]
fn the_table_has_warnings_and_guards_in_full() {
    let written = run_with(
        "rewind --group billing --to offset:60 --execute --bootstrap b:1",
        reply(vec![], Some(applied())),
    );
    for line in [
        "Group billing to offset:60",
        "▲ 3 of the 20 offsets in between hold no record",
        "✕ stays: nobody leads it",
        "tideline undo j-1 gives the old offsets back",
        "may happen twice",
    ] {
        assert!(written.out.contains(line), "{line}: {}", written.out);
    }
}
