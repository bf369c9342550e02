//! `groups`.

use serde_json::{Value, json};

use crate::engine::{GroupPlaces, GroupsReply, Reply};
use crate::inspect::lag::Place;
use crate::model::{
    Assignment, BrokerId, Commit, Group, GroupListing, GroupMembers, GroupType, Known, Member,
    Offset, PartitionId, Problem, ProblemKind, RecordHead, Text, TimestampMs, TopicPartition,
};

use super::{NOW, lost, problem, run_with, shared};

fn listing(name: &str, kind: GroupType) -> GroupListing {
    GroupListing {
        name: Text::from(name),
        kind,
        protocol_type: Some("consumer".to_owned()),
        state: Some("Stable".to_owned()),
        coordinator: None,
    }
}

fn members(members: Known<Vec<Member>>) -> GroupMembers {
    GroupMembers {
        assignor: Some("range".to_owned()),
        coordinator: Some(BrokerId(2)),
        state: None,
        members,
    }
}

fn member() -> Member {
    Member {
        member_id: Text::from("c-1"),
        client_id: Text::from_bytes(&[0xff]),
        host: Text::from("/10.0.0.7"),
        instance_id: None,
        assignment: vec![Assignment {
            topic: "orders".into(),
            partitions: vec![PartitionId(0), PartitionId(1)],
        }],
    }
}

fn commit(partition: i32, offset: Option<i64>) -> Commit {
    Commit {
        at: TopicPartition::new("orders", partition),
        offset: Ok(offset.map(Offset)),
        leader_epoch: offset.map(|_| 3),
        metadata: Text::from(if offset.is_some() { "note" } else { "" }),
    }
}

fn place(partition: i32, committed: Option<i64>, end: i64) -> Place {
    Place::new(
        &commit(partition, committed),
        Ok(Offset(10)),
        Ok(Offset(end)),
    )
}

fn group(name: &str, members: Known<GroupMembers>, places: Vec<Place>) -> GroupPlaces {
    GroupPlaces {
        group: shared(Group {
            listing: listing(name, GroupType::Classic),
            members,
            commits: Ok(Vec::new()),
        }),
        places,
    }
}

fn reply(groups: Vec<GroupPlaces>, missing: Vec<Problem>) -> Reply {
    Reply::Groups(shared(GroupsReply { groups, missing }))
}

/// A group behind, at the end, never committed, beyond the end, and without a leader.
fn billing() -> GroupPlaces {
    let mut behind = place(0, Some(1_200), 2_500);
    behind.next = Some(Ok(Some(RecordHead {
        offset: Offset(1_203),
        timestamp: Some(NOW.moved_ms(-90_000)),
    })));
    let mut at_end = place(1, Some(50), 50);
    at_end.next = Some(Ok(None));
    let mut dark = place(4, Some(7), 0);
    dark.high_watermark = lost();
    let places = vec![
        behind,
        at_end,
        place(2, None, 8),
        place(3, Some(9), 8),
        dark,
    ];
    group("billing", Ok(members(Ok(vec![member()]))), places)
}

fn row(written: &Value, partition: usize) -> Value {
    written["groups"][0]["offsets"][partition].clone()
}

#[test]
fn a_group_in_json_has_the_fields_in_their_order() {
    let mut behind = place(0, Some(40), 100);
    behind.next = Some(Ok(Some(RecordHead {
        offset: Offset(41),
        timestamp: Some(TimestampMs(NOW.0 - 5)),
    })));
    let groups = vec![group(
        "群组-1",
        Ok(members(Ok(vec![member()]))),
        vec![behind],
    )];
    let written = run_with("groups --json", reply(groups, Vec::new()));
    assert_eq!(
        written.out,
        "{\"groups\":[{\"group\":\"群组-1\",\"type\":\"classic\",\"protocol_type\":\"consumer\",\
         \"state\":\"Stable\",\"assignor\":\"range\",\"coordinator\":2,\"error\":null,\"members_error\":null,\
         \"members\":[{\"member_id\":\"c-1\",\"client_id\":{\"base64\":\"/w==\"},\"host\":\"/10.0.0.7\",\
         \"instance_id\":null,\"assignment\":[{\"topic\":\"orders\",\"partitions\":[0,1]}]}],\
         \"offsets\":[{\"topic\":\"orders\",\"partition\":0,\"committed_offset\":40,\"leader_epoch\":3,\
         \"metadata\":\"note\",\"log_start_offset\":10,\"high_watermark\":100,\"lag\":60,\
         \"next_record_offset\":41,\"next_record_ms\":1796043719995,\"lag_ms\":5,\"error\":null}]}],\
         \"missing\":[]}\n"
    );
    assert_eq!((written.code, written.err.as_str()), (0, ""));
}

#[test]
fn each_place_says_what_is_known_and_why_the_rest_is_not() {
    let written = run_with("groups --json", reply(vec![billing()], Vec::new()));
    let answer = written.json();
    assert_eq!(
        (
            &row(&answer, 1)["lag"],
            &row(&answer, 1)["next_record_offset"],
            &row(&answer, 1)["lag_ms"]
        ),
        (&json!(0), &json!(null), &json!(0))
    );
    assert_eq!(
        row(&answer, 2),
        json!({"topic": "orders", "partition": 2, "committed_offset": null, "leader_epoch": null,
               "metadata": null, "log_start_offset": 10, "high_watermark": 8, "lag": null,
               "next_record_offset": null, "next_record_ms": null, "lag_ms": null, "error": null})
    );
    assert_eq!(
        (
            &row(&answer, 3)["committed_offset"],
            &row(&answer, 3)["lag"]
        ),
        (&json!(9), &json!(null))
    );
    assert!(
        row(&answer, 3)["error"]
            .as_str()
            .unwrap()
            .contains("beyond the end")
    );
    assert_eq!(
        (
            &row(&answer, 4)["high_watermark"],
            &row(&answer, 4)["error"]
        ),
        (&json!(null), &json!("nobody leads it"))
    );
    assert_eq!(written.code, 6);
    assert!(
        written
            .err
            .contains("group billing in orders/4: nobody leads it"),
        "{}",
        written.err
    );
}

#[test]
fn a_share_group_has_null_members_no_offsets_and_reasons_that_change_no_exit_code() {
    let no_members = problem(ProblemKind::Unsupported, "share groups cannot be described");
    let mut share = group("s", Ok(members(Err(no_members))), Vec::new());
    share.group = shared(Group {
        listing: listing("s", GroupType::Share),
        commits: Err(problem(
            ProblemKind::Unsupported,
            "share groups keep no committed offset",
        )),
        ..(*share.group).clone()
    });
    let written = run_with("groups --json", reply(vec![share.clone()], Vec::new()));
    let shown = written.json()["groups"][0].clone();
    assert_eq!(shown["type"], "share");
    assert_eq!(shown["error"], json!(null));
    assert_eq!(shown["members"], json!(null));
    assert_eq!(shown["members_error"], "share groups cannot be described");
    assert_eq!(shown["offsets"], json!([]));
    assert_eq!(
        shown["offsets_error"],
        "share groups keep no committed offset"
    );
    assert_eq!((written.code, written.err.as_str()), (0, ""));
    let table = run_with("groups", reply(vec![share], Vec::new()));
    assert_eq!(
        table.out,
        "GROUP  TYPE   STATE   MEMBERS  LAG  PROTOCOL  ASSIGNOR  COORDINATOR\n\
         s      share  Stable        —    —  consumer  range               2\n\n\
         Not known (—):\n  members of group s: share groups cannot be described\n  \
         offsets of group s: share groups keep no committed offset\n"
    );
}

#[test]
fn a_group_whose_coordinator_is_gone_has_no_members_and_no_offsets_not_none() {
    let mut gone = group("g", lost(), Vec::new());
    gone.group = shared(Group {
        commits: lost(),
        ..(*gone.group).clone()
    });
    let written = run_with("groups --json", reply(vec![gone], Vec::new()));
    let shown = written.json()["groups"][0].clone();
    assert_eq!(shown["error"], "nobody leads it");
    assert_eq!(
        (&shown["members"], &shown["members_error"]),
        (&json!(null), &json!("nobody leads it"))
    );
    assert_eq!(
        (&shown["offsets"], &shown["offsets_error"]),
        (&json!(null), &json!("nobody leads it"))
    );
    assert_eq!(written.code, 6);
    assert_eq!(written.err, "tideline: group g: nobody leads it\n");
}

#[test]
fn groups_of_a_silent_broker_make_the_answer_partial_and_unlistable_types_do_not() {
    let silent = problem(ProblemKind::TimedOut, "broker 2 did not answer");
    let written = run_with("groups --json", reply(Vec::new(), vec![silent]));
    assert_eq!(
        written.json(),
        json!({"groups": [], "missing": ["broker 2 did not answer"]})
    );
    assert_eq!(written.code, 6);
    assert_eq!(
        written.err,
        "tideline: there may be more groups: broker 2 did not answer\n"
    );
    let unlisted = problem(ProblemKind::Unsupported, "share groups cannot be listed");
    assert_eq!(
        run_with("groups --json", reply(Vec::new(), vec![unlisted])).code,
        0
    );
}

#[test]
fn the_state_of_the_latest_answer_is_shown() {
    let described = GroupMembers {
        assignor: None,
        coordinator: None,
        state: Some("Empty".to_owned()),
        members: Ok(Vec::new()),
    };
    let groups = vec![group("g", Ok(described), Vec::new())];
    let answer = run_with("groups --json", reply(groups, Vec::new())).json();
    assert_eq!(answer["groups"][0]["state"], "Empty");
    assert_eq!(answer["groups"][0]["members"], json!([]));
}

#[test]
fn groups_as_tables() {
    let written = run_with("groups", reply(vec![billing()], Vec::new()));
    assert_eq!(
        written.out,
        "\
GROUP    TYPE     STATE   MEMBERS      LAG  PROTOCOL  ASSIGNOR  COORDINATOR
billing  classic  Stable        1  ≥ 1,300  consumer  range               2

GROUP    MEMBER  CLIENT  HOST       INSTANCE  ASSIGNED
billing  c-1     hex:ff  /10.0.0.7  none      orders/0,1

GROUP    TOPIC   PARTITION  COMMITTED  EPOCH  LOG START  HIGH WATERMARK    LAG  DELAY  NEXT RECORD  ITS TIME                       METADATA
billing  orders          0      1,200      3         10           2,500  1,300  1 min        1,203  2026-11-30T14:00:30.000+01:00  note
billing  orders          1         50      3         10              50      0   0 ms         none  at the end                     note
billing  orders          2      never   none         10               8      —      —            —  —
billing  orders          3          9      3         10               8      —      —            —  —                              note
billing  orders          4          7      3         10               —      —      —            —  —                              note

Not known (—):
  group billing in orders/3: committed offset 9 lies beyond the end of the log (8)
  group billing in orders/4: nobody leads it
"
    );
    assert_eq!((written.code, written.err.as_str()), (6, ""));
}
