//! Bookmarks that are set and deleted.

use std::collections::BTreeMap;
use std::time::Instant;

use tideline::model::{Bookmark, Known, Offset, ProblemKind, Text};

use crate::support::tools;
use crate::{Lab, at, plain};

/// What each row came to: nothing, or the kind of its problem.
fn kinds(rows: &Known<Vec<Known<()>>>) -> Vec<Option<ProblemKind>> {
    let rows = rows.as_ref().unwrap().iter();
    rows.map(|row| row.as_ref().err().map(|problem| problem.kind))
        .collect()
}

fn committed(group: &str) -> Vec<(String, i64, i64)> {
    let found = tools::committed(Lab::get().kafka, group).into_iter();
    found
        .map(|((topic, partition), offset)| (topic, partition, offset))
        .collect()
}

fn rows(expected: &[(&str, i64, i64)]) -> Vec<(String, i64, i64)> {
    let rows = expected.iter();
    rows.map(|(topic, partition, offset)| ((*topic).to_owned(), *partition, *offset))
        .collect()
}

#[test]
fn idle_groups_of_either_protocol_are_moved() {
    let lab = Lab::get();
    lab.topic("idle", 3);
    lab.cluster.commit("idle-admin", &[("idle", 0, 5)]);
    lab.cluster.idle_group(
        "idle-classic",
        "classic",
        "idle",
        &[("idle", 0, 5), ("idle", 1, 6)],
    );
    lab.cluster
        .idle_group("idle-consumer", "consumer", "idle", &[("idle", 0, 5)]);
    for group in ["idle-admin", "idle-classic", "idle-consumer"] {
        let answer = lab.set(group, vec![plain("idle", 2, 9), plain("idle", 0, 0)]);
        assert_eq!(kinds(&answer), [None, None], "{group}: {answer:?}");
    }
    // What is not named stays as it is.
    assert_eq!(
        committed("idle-classic"),
        rows(&[("idle", 0, 0), ("idle", 1, 6), ("idle", 2, 9)])
    );
    for group in ["idle-admin", "idle-consumer"] {
        assert_eq!(
            committed(group),
            rows(&[("idle", 0, 0), ("idle", 2, 9)]),
            "{group}"
        );
    }
    let types: BTreeMap<String, String> = tools::groups(lab.kafka)
        .into_iter()
        .filter(|group| group.name.starts_with("idle-"))
        .map(|group| (group.name, group.kind))
        .collect();
    let type_of = |group: &str| types.get(group).map(String::as_str);
    assert_eq!(type_of("idle-classic"), Some("classic"));
    assert_eq!(type_of("idle-consumer"), Some("consumer"));
}

#[test]
fn a_group_with_members_refuses_every_row() {
    let lab = Lab::get();
    lab.topic("busy", 3);
    lab.topic("busy-other", 1);
    for protocol in ["classic", "consumer"] {
        let group = format!("busy-{protocol}");
        lab.cluster.idle_group(
            &group,
            protocol,
            "busy",
            &[("busy", 0, 5), ("busy-other", 0, 3)],
        );
        let _member = lab
            .cluster
            .join(&group, "busy", &[("group.protocol", protocol)]);
        let answer = lab.set(&group, vec![plain("busy", 0, 1), plain("busy-other", 0, 1)]);
        assert_eq!(
            kinds(&answer),
            [Some(ProblemKind::GroupActive); 2],
            "{group}: {answer:?}"
        );
        // A bookmark in a topic that nobody is subscribed to may go all the same.
        let answer = lab.delete(&group, vec![at("busy", 0), at("busy-other", 0)]);
        assert_eq!(
            kinds(&answer),
            [Some(ProblemKind::GroupActive), None],
            "{group}: {answer:?}"
        );
        assert_eq!(committed(&group), rows(&[("busy", 0, 5)]), "{group}");
    }
}

#[test]
fn an_unknown_partition_fails_alone() {
    let lab = Lab::get();
    lab.topic("known", 2);
    lab.cluster.commit("partly", &[("known", 0, 5)]);
    let answer = lab.set(
        "partly",
        vec![
            plain("known", 7, 1),
            plain("known", 0, 2),
            plain("misspelt-for-moving", 0, 1),
            plain("known", 1, 3),
            plain("known", 1, 4),
            plain("known", 1, -1),
        ],
    );
    assert_eq!(
        kinds(&answer),
        [
            Some(ProblemKind::NotFound),
            None,
            Some(ProblemKind::NotFound),
            None,
            Some(ProblemKind::Invalid),
            Some(ProblemKind::Invalid),
        ],
        "{answer:?}"
    );
    assert_eq!(
        committed("partly"),
        rows(&[("known", 0, 2), ("known", 1, 3)])
    );
    let answer = lab.delete(
        "partly",
        vec![at("known", 7), at("misspelt-for-moving", 0), at("known", 1)],
    );
    assert_eq!(
        kinds(&answer),
        [
            Some(ProblemKind::NotFound),
            Some(ProblemKind::NotFound),
            None
        ],
        "{answer:?}"
    );
    assert_eq!(committed("partly"), rows(&[("known", 0, 2)]));
    assert!(!tools::topics(lab.kafka).contains_key("misspelt-for-moving"));
}

#[test]
fn epoch_and_text_are_stored_as_given() {
    let lab = Lab::get();
    lab.topic("noted", 5);
    let noted = |partition: i32, offset: i64, leader_epoch: Option<i32>, metadata: &str| {
        let bookmark = Bookmark {
            offset: Offset(offset),
            leader_epoch,
            metadata: Text::from(metadata),
        };
        (at("noted", partition), bookmark)
    };
    let long = "x".repeat(4_097);
    let rows = vec![
        noted(0, 4, Some(7), "billing ✓ {\"run\":7}"),
        noted(1, 0, None, ""),
        noted(2, i64::MAX, Some(0), "with a \0 and a \u{202e}"),
        noted(3, 1, None, &long),
        noted(4, 1, None, &long[1..]),
    ];
    let answer = lab.set("noted", rows.clone());
    assert_eq!(
        kinds(&answer),
        [None, None, None, Some(ProblemKind::Invalid), None],
        "{answer:?}"
    );
    let read: Vec<_> = lab
        .commits("noted")
        .iter()
        .map(|commit| (commit.at.clone(), Bookmark::of(commit).unwrap()))
        .collect();
    let mut expected = rows;
    expected.remove(3);
    assert_eq!(read, expected);
    // A later bookmark leaves nothing of the one before.
    let answer = lab.set("noted", vec![plain("noted", 0, 4)]);
    assert_eq!(kinds(&answer), [None], "{answer:?}");
    let first = &lab.commits("noted")[0];
    assert_eq!(
        (first.leader_epoch, first.metadata.clone()),
        (None, Text::from(""))
    );
}

#[test]
fn bookmarks_are_deleted() {
    let lab = Lab::get();
    lab.topic("gone", 3);
    lab.cluster
        .commit("forgetful", &[("gone", 0, 5), ("gone", 1, 6)]);
    // Of partition 2 there is none, and then there is still none.
    let answer = lab.delete(
        "forgetful",
        vec![at("gone", 2), at("gone", 0), at("gone", 0)],
    );
    assert_eq!(
        kinds(&answer),
        [None, None, Some(ProblemKind::Invalid)],
        "{answer:?}"
    );
    assert_eq!(committed("forgetful"), rows(&[("gone", 1, 6)]));
    let answer = lab.delete("never-heard-of", vec![at("gone", 0)]);
    assert_eq!(kinds(&answer), [Some(ProblemKind::NotFound)], "{answer:?}");
    let is_listed = |name: &str| {
        let groups = tools::groups(lab.kafka);
        groups.iter().any(|group| group.name == name)
    };
    assert!(!is_listed("never-heard-of"));
    // Setting is another matter: that is how a group gets its first bookmarks.
    let answer = lab.set("newly-made", vec![plain("gone", 0, 1)]);
    assert_eq!(kinds(&answer), [None], "{answer:?}");
    assert_eq!(committed("newly-made"), rows(&[("gone", 0, 1)]));
}

#[test]
fn names_may_hold_anything_that_kafka_takes() {
    let lab = Lab::get();
    lab.topic("names", 1);
    for group in [
        "群组-1",
        "a/b#c@d%e",
        "p%40c",
        "é\u{301}-\u{1f409}",
        "-v",
        "*",
    ] {
        lab.cluster.commit(group, &[("names", 0, 5)]);
        let answer = lab.set(group, vec![plain("names", 0, 2)]);
        assert_eq!(kinds(&answer), [None], "{group}: {answer:?}");
        assert_eq!(lab.commits(group)[0].offset, Ok(Some(Offset(2))), "{group}");
    }
    for group in ["群组-1", "a/b#c@d%e", "p%40c"] {
        assert_eq!(committed(group), rows(&[("names", 0, 2)]), "{group}");
    }
    // What librdkafka and the protocol cannot carry is refused without a question.
    for group in [&b"a\0b"[..], b"\xff"] {
        let positions = tideline::bus::Bus::positions(&lab.bus).unwrap();
        let answer = lab
            .runtime
            .block_on(positions.set(Text::from_bytes(group), vec![plain("names", 0, 2)]));
        assert_eq!(kinds(&answer), [Some(ProblemKind::Unsupported)]);
    }
}

#[test]
fn a_thousand_partitions_go_at_once() {
    let lab = Lab::get();
    lab.topic("wide", 1_000);
    let all = |offset: i64| (0..1_000).map(move |n| plain("wide", n, offset + i64::from(n)));
    let answer = lab.set("wide-group", all(10).collect());
    assert_eq!(kinds(&answer), [None; 1_000]);
    let begun = Instant::now();
    let answer = lab.set("wide-group", all(3).rev().collect());
    assert_eq!(kinds(&answer), [None; 1_000]);
    println!("1,000 partitions took {:?}", begun.elapsed());
    let expected: Vec<_> = (0..1_000).map(|n| ("wide".to_owned(), n, 3 + n)).collect();
    assert_eq!(committed("wide-group"), expected);
    let answer = lab.delete("wide-group", (1..1_000).map(|n| at("wide", n)).collect());
    assert_eq!(kinds(&answer), [None; 999]);
    assert_eq!(committed("wide-group"), rows(&[("wide", 0, 3)]));
}
