//! `tideline groups`.

use crate::support::fixture::{
    CLASSIC_GROUP, CONSUMER_GROUP, IDLE_GROUPS, MINUTE, NOTE, NOTED_GROUP, SHARE_GROUP, T0,
};
use crate::{oracle, tideline};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The one group asked for.
fn group(name: &str, exit: i32) -> Value {
    let answer = tideline(&["groups", "--group", name]).exits(exit).json();
    let groups = answer["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{answer}");
    assert_eq!(groups[0]["group"], name);
    groups[0].clone()
}

/// `[topic, partition, FIELDS…]` of each of its offsets.
fn offsets(group: &Value, fields: &[&str]) -> Vec<Value> {
    group["offsets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            ["topic", "partition"]
                .iter()
                .chain(fields)
                .map(|field| row[*field].clone())
                .collect()
        })
        .collect()
}

#[test]
fn groups_of_every_type_are_listed_as_the_stock_tools_list_them() {
    let oracle = oracle::get();
    // One group has committed beyond the end, so the answer is one in part.
    let answer = tideline(&["groups"]).exits(6).json();
    let groups = answer["groups"].as_array().unwrap();
    let listed: Vec<Value> = groups
        .iter()
        .map(|group| json!([group["group"], group["type"], group["protocol_type"]]))
        .collect();
    let expected: Vec<Value> = oracle
        .groups
        .iter()
        .map(|group| json!([group.name, group.kind, group.protocol_type]))
        .collect();
    assert_eq!(listed, expected);

    for group in groups {
        let name = group["group"].as_str().unwrap();
        assert_eq!(group["error"], Value::Null, "{name}");
        let Some(state) = oracle.states.get(name) else {
            assert_eq!(name, SHARE_GROUP, "the stock tool describes all others");
            continue;
        };
        assert_eq!(group["state"], state.state, "{name}");
        assert_eq!(group["coordinator"], state.coordinator, "{name}");
        assert_eq!(
            group["members"].as_array().unwrap().len(),
            state.members,
            "{name}"
        );
        if state.members > 0 {
            assert_eq!(group["assignor"], json!(state.assignor), "{name}");
        }
    }
}

#[test]
fn committed_offsets_and_ends_are_those_of_the_stock_tools() {
    let answer = tideline(&["groups", "--no-times"]).exits(6).json();
    let mut found: Vec<Value> = Vec::new();
    for group in answer["groups"].as_array().unwrap() {
        if group["group"] != SHARE_GROUP {
            let rows = offsets(group, &["committed_offset", "high_watermark"]);
            found.extend(rows.into_iter().map(|row| json!([group["group"], row])));
        }
    }
    let expected: Vec<Value> = oracle::get()
        .offsets
        .iter()
        .map(|row| {
            json!([
                row.group,
                [row.topic, row.partition, row.committed, row.end]
            ])
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn lag_counts_only_what_can_still_be_read() {
    let lag = [
        "committed_offset",
        "log_start_offset",
        "high_watermark",
        "lag",
    ];
    assert_eq!(
        offsets(&group("a#b", 0), &lag),
        [
            json!(["six", 0, 5, 0, 20, 15]),
            json!(["six", 1, 13, 0, 19, 6]),
            json!(["six", 2, 30, 10, 30, 0])
        ]
    );
    // Offset 3 was deleted: 20 records are left, not 27.
    assert_eq!(
        offsets(&group("p%40c", 0), &lag),
        [
            json!(["compacted", 0, 3, 0, 9, 6]),
            json!(["six", 0, 20, 0, 20, 0]),
            json!(["six", 2, 3, 10, 30, 20])
        ]
    );
    assert_eq!(
        offsets(&group("群组-1", 0), &lag),
        [
            json!(["clock", 0, 2, 0, 10, 8]),
            json!(["clock", 1, 10, 0, 10, 0])
        ]
    );
}

#[test]
fn a_commit_beyond_the_end_has_no_lag_but_a_reason() {
    let beyond = group("beyond", 6);
    assert_eq!(
        offsets(&beyond, &["committed_offset", "high_watermark", "lag"]),
        [
            json!(["six", 0, 25, 20, null]),
            json!(["six", 5, 1, 0, null])
        ]
    );
    for row in beyond["offsets"].as_array().unwrap() {
        assert!(row["error"].is_string(), "{row}");
    }
}

#[test]
fn the_next_record_is_the_first_that_is_really_there() {
    let next = ["next_record_offset", "next_record_ms"];
    assert_eq!(
        offsets(&group("a#b", 0), &next),
        [
            json!(["six", 0, 5, T0 + 5 * MINUTE]),
            // 13 is the marker of an abort.
            json!(["six", 1, 14, T0 + 14 * MINUTE]),
            json!(["six", 2, null, null]),
        ]
    );
    assert_eq!(
        offsets(&group("p%40c", 0), &next),
        [
            // 3 and 4 were compacted away.
            json!(["compacted", 0, 5, T0 + 1000]),
            json!(["six", 0, null, null]),
            // 0 to 9 were deleted.
            json!(["six", 2, 10, T0 + 10 * MINUTE]),
        ]
    );
}

#[test]
fn lag_in_time_runs_from_the_next_record_until_now() {
    let before = Timestamp::now().as_millisecond();
    let group = group("a#b", 0);
    let after = Timestamp::now().as_millisecond();
    let rows = group["offsets"].as_array().unwrap();
    let waiting_since = T0 + 5 * MINUTE;
    let lag_ms = rows[0]["lag_ms"].as_i64().unwrap();
    assert!(
        (before - waiting_since..=after - waiting_since).contains(&lag_ms),
        "{lag_ms}"
    );
    assert_eq!(rows[2]["lag_ms"], 0, "nothing waits at the end");
}

#[test]
fn without_times_no_record_is_looked_up() {
    let answer = tideline(&["groups", "--group", "a#b", "--no-times"])
        .exits(0)
        .json();
    assert_eq!(
        offsets(
            &answer["groups"][0],
            &["lag", "next_record_offset", "next_record_ms", "lag_ms"]
        ),
        [
            json!(["six", 0, 15, null, null, null]),
            json!(["six", 1, 6, null, null, null]),
            json!(["six", 2, 0, null, null, null]),
        ]
    );
}

#[test]
fn metadata_of_a_commit_is_shown() {
    let noted = group(NOTED_GROUP, 0);
    assert_eq!(
        offsets(&noted, &["committed_offset", "metadata"]),
        [json!(["six", 0, 7, NOTE])]
    );
}

#[test]
fn members_of_both_protocols_are_named_with_their_assignment() {
    for (name, client_id) in [
        (CLASSIC_GROUP, "classic-member"),
        (CONSUMER_GROUP, "consumer-member"),
    ] {
        let expected = oracle::get()
            .members
            .iter()
            .find(|member| member.group == name)
            .unwrap();
        assert_eq!(expected.client_id, client_id);
        let group = group(name, 0);
        assert_eq!(group["members_error"], Value::Null, "{name}");
        let members = group["members"].as_array().unwrap();
        assert_eq!(members.len(), 1, "{name}");
        assert_eq!(members[0]["member_id"], expected.member_id, "{name}");
        assert_eq!(members[0]["client_id"], client_id, "{name}");
        let host = members[0]["host"].as_str().unwrap();
        assert_eq!(
            host.trim_start_matches('/'),
            expected.host.trim_start_matches('/'),
            "{name}"
        );
        assert_eq!(members[0]["instance_id"], Value::Null, "{name}");
        assert_eq!(
            members[0]["assignment"],
            json!([{"topic": "clock", "partitions": [0, 1, 2]}]),
            "{name}"
        );
    }
}

#[test]
fn a_partition_assigned_but_never_committed_is_listed_without_an_offset() {
    for name in [CLASSIC_GROUP, CONSUMER_GROUP] {
        assert_eq!(
            offsets(&group(name, 0), &["committed_offset", "lag", "error"]),
            [0, 1, 2].map(|partition| json!(["clock", partition, null, null, null])),
            "{name}"
        );
    }
}

#[test]
fn a_share_group_says_why_its_members_are_not_shown() {
    let group = group(SHARE_GROUP, 0);
    assert_eq!(group["type"], "share");
    assert_eq!(group["state"], "Stable");
    assert_eq!(group["members"], Value::Null);
    assert!(group["members_error"].is_string(), "{group}");
    assert_eq!(group["error"], Value::Null);
}

#[test]
fn a_group_that_does_not_exist_is_said_beside_those_that_do() {
    let run = tideline(&["groups", "--group", "a#b", "--group", "a#c"]).exits(6);
    run.says(&["a#c"]);
    let answer = run.json();
    let groups = answer["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    assert_eq!(
        (&groups[0]["group"], &groups[0]["error"]),
        (&json!("a#b"), &Value::Null)
    );
    assert_eq!(groups[1]["group"], "a#c");
    assert!(groups[1]["error"].is_string(), "{}", groups[1]);
}

#[test]
fn every_idle_group_is_empty_and_has_no_members() {
    for (name, committed) in IDLE_GROUPS {
        let group = group(name, if name == "beyond" { 6 } else { 0 });
        assert_eq!(group["state"], "Empty", "{name}");
        assert_eq!(group["members"], json!([]), "{name}");
        assert_eq!(
            group["offsets"].as_array().unwrap().len(),
            committed.len(),
            "{name}"
        );
    }
}
