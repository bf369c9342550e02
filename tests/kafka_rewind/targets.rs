//! Where each target leads, beside what Kafka's own tool says of the same target.

use serde_json::json;
use tideline::model::{Bookmark, Offset, Text};

use crate::commands::{Desk, at_minute, column, guard, told, twenty};
use crate::support::cli::tideline_at;
use crate::support::{tools, wait_for};
use crate::{Lab, at};

/// Where the stock tool would put each partition.
fn stock(group: &str, topic: &str, target: &[&str]) -> Vec<i64> {
    let words = [
        "--reset-offsets",
        "--dry-run",
        "--group",
        group,
        "--topic",
        topic,
    ];
    let printed = tools::run(
        Lab::get().kafka,
        "consumer.group.ConsumerGroupCommand",
        &[&words[..], target].concat(),
    );
    let mut rows: Vec<(i64, i64)> = printed
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let [name, _, partition, offset] = cells[..] else {
                return None;
            };
            (name == group).then(|| (partition.parse().unwrap(), offset.parse().unwrap()))
        })
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, offset)| offset).collect()
}

#[test]
fn every_target_is_where_the_stock_tool_says() {
    let lab = Lab::get();
    twenty("targets", 3);
    lab.cluster.delete_records_before("targets", 1, 10);
    let committed = [("targets", 0, 15), ("targets", 1, 16), ("targets", 2, 17)];
    let desk = Desk::new();
    for protocol in ["classic", "consumer"] {
        let group = format!("targets-{protocol}");
        lab.cluster
            .idle_group(&group, protocol, "targets", &committed);
        let time = format!("time:{}", at_minute(12));
        for (ours, theirs, expected) in [
            ("earliest", &["--to-earliest"][..], [0, 10, 0]),
            ("latest", &["--to-latest"], [20, 20, 20]),
            ("shift:-3", &["--shift-by", "-3"], [12, 13, 14]),
            ("offset:13", &["--to-offset", "13"], [13, 13, 13]),
            (
                &*time,
                &["--to-datetime", "2026-01-01T00:12:00.000"],
                [12, 12, 12],
            ),
        ] {
            let run = desk.rewind(&group, ours, &[]).exits(0);
            let answer = run.json();
            assert_eq!(column(&answer["rows"], "to"), expected, "{ours}");
            assert_eq!(column(&answer["rows"], "from"), [15, 16, 17], "{ours}");
            assert_eq!(stock(&group, "targets", theirs), expected, "{ours}");
        }
        // With its zone the same moment, five hours and three quarters further east.
        let east = "time:2026-01-01T05:57:00+05:45";
        let answer = desk.rewind(&group, east, &["--execute"]).exits(0).json();
        assert_eq!(told(&group), [12, 12, 12]);
        assert_eq!(column(&answer["rows"], "records"), [3, 4, 5]);
        assert_eq!(column(&answer["rows"], "records_exact"), [true, true, true]);
        let id = answer["journal_id"].as_str().unwrap();
        desk.undo(id).exits(0);
        assert_eq!(told(&group), [15, 16, 17]);
    }
}

#[test]
fn only_what_is_in_scope_moves_and_every_partition_in_scope_has_a_row() {
    let lab = Lab::get();
    twenty("scope-a", 3);
    twenty("scope-b", 2);
    let all = [
        ("scope-a", 0, 20),
        ("scope-a", 1, 20),
        ("scope-b", 0, 20),
        ("scope-b", 1, 20),
    ];
    lab.cluster.commit("scoped", &all);
    let desk = Desk::new();
    let scope = ["--topic", "scope-a", "--topic", "scope-b/1", "--execute"];
    let answer = desk.rewind("scoped", "offset:5", &scope).exits(0).json();
    assert_eq!(column(&answer["rows"], "partition"), [0, 1, 2, 1]);
    let never = &answer["rows"][2];
    assert_eq!((&never["from"], &never["to"]), (&json!(null), &json!(5)));
    assert_eq!(never["warnings"][0]["kind"], "no_bookmark");
    // `scope-b` 0 was not named.
    assert_eq!(told("scoped"), [5, 5, 5, 20, 5]);
    // Undone, the bookmark that was not there is gone again.
    let id = answer["journal_id"].as_str().unwrap().to_owned();
    desk.undo(&id).exits(0);
    assert_eq!(told("scoped"), [20, 20, 20, 20]);
}

#[test]
fn what_is_out_of_range_is_refused_with_the_range_and_the_rest_moves() {
    let lab = Lab::get();
    twenty("ranges", 2);
    lab.cluster.delete_records_before("ranges", 0, 10);
    lab.cluster
        .commit("ranging", &[("ranges", 0, 20), ("ranges", 1, 20)]);
    let desk = Desk::new();
    let answer = desk
        .rewind("ranging", "offset:4", &["--execute"])
        .exits(4)
        .json();
    let error = answer["rows"][0]["error"].as_str().unwrap();
    assert!(error.contains("10 to 20"), "{error}");
    assert_eq!(told("ranging"), [20, 4]);
    desk.rewind("ranging", "offset:21", &["--execute"]).exits(3);
    assert_eq!(told("ranging"), [20, 4]);
}

#[test]
fn undoing_gives_back_epochs_and_texts_too() {
    let lab = Lab::get();
    twenty("texts", 2);
    let with_text = |partition, offset, text: &str| {
        let bookmark = Bookmark {
            offset: Offset(offset),
            leader_epoch: Some(0),
            metadata: Text::from(text),
        };
        (at("texts", partition), bookmark)
    };
    lab.set(
        "texts",
        vec![with_text(0, 18, "run 7 ✓"), with_text(1, 19, "")],
    )
    .unwrap();
    let before = lab.commits("texts");
    let desk = Desk::new();
    let answer = desk.rewind("texts", "earliest", &["--execute"]).exits(0);
    assert_eq!(told("texts"), [0, 0]);
    assert_eq!(lab.commits("texts")[0].metadata, Text::from(""));
    let id = answer.json()["journal_id"].as_str().unwrap().to_owned();
    desk.undo(&id).exits(0);
    assert_eq!(lab.commits("texts"), before);
}

#[test]
fn names_that_are_not_there_create_nothing() {
    let lab = Lab::get();
    twenty("there", 1);
    lab.cluster.commit("there", &[("there", 0, 20)]);
    let desk = Desk::new();
    let groups = tools::groups(lab.kafka).len();
    for (group, scope) in [
        ("theer", &[][..]),
        ("theer", &["--topic", "there"]),
        ("there", &["--topic", "theer"]),
        ("there", &["--topic", "there/7"]),
    ] {
        let more = [scope, &["--execute"]].concat();
        desk.rewind(group, "earliest", &more).exits(3);
    }
    desk.rewind("there", "group:theer", &["--execute"]).exits(3);
    assert_eq!(told("there"), [20]);
    assert!(!tools::topics(lab.kafka).contains_key("theer"));
    let names: Vec<String> = tools::groups(lab.kafka)
        .into_iter()
        .map(|group| group.name)
        .collect();
    assert!(names.len() >= groups && !names.contains(&"theer".to_owned()));
}

#[test]
fn a_new_group_begins_where_another_stands_once() {
    let lab = Lab::get();
    twenty("origin", 2);
    lab.cluster
        .commit("origin", &[("origin", 0, 7), ("origin", 1, 8)]);
    let desk = Desk::new();
    let name = "blue/green#2-ä";
    let more = ["--new-group", "--execute"];
    desk.rewind(name, "group:origin", &more).exits(0);
    assert_eq!(told(name), [7, 8]);
    // It is there now, and a group that is there is not new.
    desk.rewind(name, "earliest", &more).exits(3);
    assert_eq!(told(name), [7, 8]);
}

#[test]
fn a_topic_made_anew_is_another_topic() {
    let lab = Lab::get();
    twenty("anew", 1);
    lab.cluster.commit("anew", &[("anew", 0, 20)]);
    let desk = Desk::new();
    let answer = desk.rewind("anew", "offset:5", &["--execute"]).exits(0);
    let id = answer.json()["journal_id"].as_str().unwrap().to_owned();
    tools::run(lab.kafka, "TopicCommand", &["--delete", "--topic", "anew"]);
    wait_for("the topic to be gone", || {
        (!tools::topics(lab.kafka).contains_key("anew")).then_some(())
    });
    twenty("anew", 1);
    lab.cluster.commit("anew", &[("anew", 0, 5)]);
    let answer = desk.undo(&id).exits(3).json();
    let error = answer["rows"][0]["error"].as_str().unwrap();
    assert!(error.contains("anew"), "{error}");
    assert_eq!(told("anew"), [5]);
}

#[test]
fn a_share_group_is_refused_with_its_own_way() {
    let lab = Lab::get();
    twenty("shared", 1);
    let _member = tools::share_member(lab.kafka, "sharers", "shared");
    wait_for("the share group", || {
        let groups = tools::groups(lab.kafka);
        groups
            .iter()
            .any(|group| group.name == "sharers")
            .then_some(())
    });
    let desk = Desk::new();
    let more = ["--topic", "shared", "--execute"];
    let answer = desk.rewind("sharers", "earliest", &more).exits(3).json();
    let (outcome, detail) = guard(&answer, "kind");
    assert_eq!(outcome, "failed");
    assert!(detail.contains("kafka-share-groups.sh"), "{detail}");
}

#[test]
fn a_table_of_the_stock_tool_and_a_thousand_partitions_go_in_one_plan() {
    let lab = Lab::get();
    lab.topic("thousand", 1_000);
    let all: Vec<(&str, i32, i64)> = (0..1_000).map(|n| ("thousand", n, 0)).collect();
    lab.cluster.commit("thousand", &all);
    let desk = Desk::new();
    let file = desk.home().join("plan.csv");
    let path = file.to_str().unwrap();
    let answer = desk
        .rewind("thousand", "latest", &["--export", path])
        .exits(0)
        .json();
    assert_eq!(answer["rows"].as_array().unwrap().len(), 1_000);
    let words = [
        "--reset-offsets",
        "--dry-run",
        "--group",
        "thousand",
        "--from-file",
        path,
    ];
    let printed = tools::run(lab.kafka, "consumer.group.ConsumerGroupCommand", &words);
    let rows = printed.lines().filter(|line| line.contains("thousand "));
    assert_eq!(rows.count(), 1_000);
    let target = format!("file:{path}");
    let answer = desk.rewind("thousand", &target, &[]).exits(0).json();
    assert_eq!(answer["rows"].as_array().unwrap().len(), 1_000);
}

#[test]
fn a_profiles_lock_holds_for_its_cluster_however_that_is_reached() {
    let lab = Lab::get();
    twenty("locked", 1);
    lab.cluster.commit("locked", &[("locked", 0, 20)]);
    let desk = Desk::new();
    let here = lab.kafka.bootstrap();
    let alias = here.replace("127.0.0.1", "localhost");
    assert_ne!(here, alias);
    let run = |words: &[&str]| tideline_at(desk.home(), words);
    run(&["profile", "put", "prod", "--bootstrap", &alias]).exits(0);
    // By the name alone it is not known yet which cluster that is.
    run(&["cluster", "--profile", "prod"]).exits(0);
    let answer = desk.rewind("locked", "offset:5", &["--execute"]).exits(3);
    let answer = answer.json();
    assert_eq!(answer["read_only"], true);
    assert_eq!(guard(&answer, "writable").0, "failed");
    assert_eq!(told("locked"), [20]);
    run(&[
        "profile",
        "put",
        "prod",
        "--bootstrap",
        &alias,
        "--production",
        "--read-only",
        "false",
    ])
    .exits(0);
    desk.rewind("locked", "offset:5", &["--execute"]).exits(3);
    let more = ["--execute", "--confirm", "locked"];
    desk.rewind("locked", "offset:5", &more).exits(0);
    assert_eq!(told("locked"), [5]);
}
