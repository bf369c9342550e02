//! What was deleted, what lies beyond the end, logs that were cut back.

use super::*;

#[test]
fn a_healthy_bus_raises_no_alarm() {
    let world = world(&[(0, 1_000), (500, 900)])
        .group("reads", &[(0, Some(1_000)), (1, Some(899))], &[&[0], &[1]])
        .moves(
            "reads",
            0,
            &[
                (5_000, Some(990), Some(1), Some(true)),
                (1_000, Some(1_000), Some(1), Some(true)),
            ],
        )
        .moves(
            "reads",
            1,
            &[
                (5_000, Some(700), Some(1), Some(true)),
                (900, Some(899), Some(1), Some(true)),
            ],
        )
        .group("idle", &[(0, Some(1_000)), (1, Some(900))], &[])
        .remember("now", 9 * DAY, MINUTE, &[900, 880], &[])
        .head(1, 899, (899, 100));
    assert_eq!(world.told(), []);
}

#[test]
fn what_was_deleted_before_it_was_read_is_proven() {
    let world = world(&[(30, 50)])
        .group("lost", &[(0, Some(10))], &[])
        .group("safe", &[(0, Some(30))], &[]);
    assert_eq!(world.told(), [told("G4", "lost", (0, 10, 29), "proof")]);
    let finding = only(&world);
    assert_eq!(finding.records, Some(20));
    assert!(finding.is_proven_loss());
    assert_eq!(evidence(&finding, "variant"), Some(&text("lost")));
    assert!(
        finding.sentence.contains("20 events"),
        "{}",
        finding.sentence
    );
    assert!(finding.sentence.contains("latest"), "{}", finding.sentence);
}

#[test]
fn streams_purges_its_own_topics_on_purpose() {
    let mut world = world(&[(30, 50)]).group("app", &[(0, Some(10))], &[&[0]]);
    let name = "app-KSTREAM-repartition";
    world.topics[0].name = name.into();
    let commit = crate::model::Commit {
        at: TopicPartition::new(name, 0),
        ..by_hand::commit("t", 0, Some(10))
    };
    let place = Place::new(&commit, Ok(Offset(30)), Ok(Offset(50)));
    let topics: Vec<Arc<Topic>> = world.topics.iter().cloned().map(Arc::new).collect();
    let found = world.look(|facts, rules| {
        let facts = Facts {
            topics: &topics,
            groups: vec![GroupFacts {
                group: &world.groups[0].0,
                places: std::slice::from_ref(&place),
            }],
            ..facts.clone()
        };
        findings(&facts, rules)
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].normal);
}

#[test]
fn records_at_risk_have_a_time_and_young_logs_are_at_none() {
    let behind = |oldest: i64| {
        world(&[(100, 200)])
            .group("slow", &[(0, Some(105))], &[&[0]])
            .moves("slow", 0, &[(1_000, Some(105), None, Some(true))])
            .head(0, 105, (105, oldest))
    };
    let risky = behind(6 * DAY);
    assert_eq!(risky.told(), [told("G4", "slow", (0, 105, 199), "strong")]);
    assert_eq!(only(&risky).to_time, Some(ago(-DAY)));
    // A log of two hours of which nothing was read is far from its deletion.
    assert_eq!(behind(2 * 60 * MINUTE).told(), []);
    let by_size = behind(MINUTE).with(|world| {
        world.topics[0].config = Ok(TopicConfig {
            cleanup_policy: Some("delete".to_owned()),
            retention_ms: Some(-1),
            retention_bytes: Some(1_000),
            ..TopicConfig::default()
        });
    });
    assert_eq!(by_size.told(), [told("G4", "slow", (0, 105, 199), "hint")]);
    let for_ever = behind(6 * DAY).with(|world| {
        world.topics[0].config = Ok(TopicConfig {
            cleanup_policy: Some("delete".to_owned()),
            retention_ms: Some(-1),
            retention_bytes: Some(-1),
            ..TopicConfig::default()
        });
    });
    assert_eq!(for_ever.told(), []);
}

/// Moves every ten seconds, so many records each, the last five seconds ago and to 105.
fn reads(each: i64, count: i64) -> Vec<Moved> {
    (0..count)
        .map(|n| {
            let left = count - 1 - n;
            let before = 5_000 + left * 10_000;
            (before, Some(105 - left * each), None, Some(true))
        })
        .collect()
}

#[test]
fn who_reads_faster_than_records_are_deleted_is_at_no_risk() {
    // A hundred records in seven days are deleted in as long.
    let behind = |moves: &[Moved], members: &[&[i32]]| {
        world(&[(100, 200)])
            .group("new", &[(0, Some(105))], members)
            .moves("new", 0, moves)
            .head(0, 105, (105, 7 * DAY - 1_000))
    };
    assert_eq!(behind(&reads(1, 5), &[&[0]]).told(), []);
    let strong = [told("G4", "new", (0, 105, 199), "strong")];
    // Two moves are no reading, and who is gone reads no more.
    assert_eq!(behind(&reads(1, 2), &[&[0]]).told(), strong);
    let gone = behind(&reads(1, 5), &[]).told();
    assert!(gone.contains(&strong[0]), "{gone:?}");
    // A thousand million records in seven days are 16 million in ten seconds.
    let slow = world(&[(0, 1_000_000_000)])
        .group("slow", &[(0, Some(105))], &[&[0]])
        .moves("slow", 0, &reads(1, 5))
        .head(0, 105, (105, 7 * DAY - 1_000));
    assert_eq!(
        slow.told(),
        [told("G4", "slow", (0, 105, 999_999_999), "strong")]
    );
}

#[test]
fn who_began_a_compacted_topic_a_moment_ago_has_missed_no_deletions() {
    let begins = |moves: &[Moved]| {
        world(&[(0, 200)])
            .group("new", &[(0, Some(105))], &[&[0]])
            .moves("new", 0, moves)
            .head(0, 105, (105, 300 * DAY))
            .with(|world| {
                world.topics[0].config = Ok(TopicConfig {
                    cleanup_policy: Some("compact".to_owned()),
                    delete_retention_ms: Some(DAY),
                    ..TopicConfig::default()
                });
            })
    };
    assert_eq!(begins(&reads(10, 5)).told(), []);
    let mut long = vec![(2 * DAY, Some(3), None, Some(true))];
    long.extend(reads(10, 5));
    assert_eq!(
        begins(&long).told(),
        [told("G3b", "new", (0, 105, 199), "strong")]
    );
}

#[test]
fn a_group_at_the_edge_of_an_emptied_log_has_lost_nothing_yet() {
    let edge = world(&[(50, 50)]).group("off", &[(0, Some(50))], &[]);
    let finding = only(&edge);
    assert!(finding.normal);
    assert_eq!(evidence(&finding, "variant"), Some(&text("primed_to_skip")));
    assert_eq!(
        world(&[(50, 50)])
            .group("on", &[(0, Some(50))], &[&[0]])
            .told(),
        []
    );
    assert_eq!(
        world(&[(0, 0)]).group("new", &[(0, Some(0))], &[]).told(),
        []
    );
}

#[test]
fn deletions_may_be_missed_by_who_is_later_than_they_are_kept() {
    let compacted = |oldest: i64| {
        world(&[(0, 100)])
            .group("late", &[(0, Some(40))], &[&[0]])
            .moves("late", 0, &[(1_000, Some(40), None, Some(true))])
            .head(0, 40, (41, oldest))
            .with(|world| {
                world.topics[0].config = Ok(TopicConfig {
                    cleanup_policy: Some("compact".to_owned()),
                    delete_retention_ms: Some(DAY),
                    ..TopicConfig::default()
                });
            })
    };
    assert_eq!(
        compacted(2 * DAY).told(),
        [told("G3b", "late", (0, 40, 99), "strong")]
    );
    assert_eq!(compacted(DAY / 2).told(), []);
}

#[test]
fn a_bookmark_beyond_the_end_must_be_seen_twice_and_its_cause_is_told() {
    let beyond = || world(&[(0, 5)]).group("ahead", &[(0, Some(12))], &[]);
    assert_eq!(beyond().told(), [told("G5", "ahead", (0, 5, 11), "proof")]);
    assert_eq!(evidence(&only(&beyond()), "cause"), Some(&text("unknown")));
    assert_eq!(beyond().with(|world| world.beyond_again = false).told(), []);
    let recreated = beyond().remember("before", 9 * DAY, DAY, &[50], &[]);
    assert_eq!(
        evidence(&only(&recreated), "cause"),
        Some(&text("recreated"))
    );
    let cause = |world: &World| {
        let mut found = world.found();
        found.retain(|finding| finding.kind == FindingKind::BeyondEnd);
        let [finding] = found.as_slice() else {
            panic!("{found:?}")
        };
        let of = |name| evidence(finding, name).cloned();
        (of("cause").unwrap(), of("cause_is_sure").unwrap())
    };
    let of_epoch = |end: Option<i64>| {
        beyond().with(|world| {
            world.epoch = Some(3);
            world.epochs.push((0, 3, end));
        })
    };
    // A topic made anew may have an epoch of that number too.
    assert_eq!(
        cause(&of_epoch(Some(5))),
        (text("unknown"), Fact::Flag(false))
    );
    let reached = of_epoch(Some(5)).remember("now", 9 * DAY, MINUTE, &[12], &[]);
    assert_eq!(cause(&reached), (text("truncated"), Fact::Flag(true)));
    let moved = of_epoch(Some(5))
        .remember("now", 9 * DAY, MINUTE, &[5], &[])
        .moves("ahead", 0, &[(DAY, Some(12), Some(3), Some(true))]);
    assert_eq!(cause(&moved), (text("truncated"), Fact::Flag(true)));
    // No such epoch in this log.
    assert_eq!(
        cause(&of_epoch(None)),
        (text("recreated"), Fact::Flag(false))
    );
}

#[test]
fn a_topic_made_anew_that_has_grown_past_an_old_bookmark_is_noticed() {
    let grown = world(&[(0, 100)])
        .group("old", &[(0, Some(60))], &[])
        .moves("old", 0, &[(9 * DAY, Some(60), None, Some(true))])
        .remember("before", 20 * DAY, 8 * DAY, &[70], &[])
        .remember("now", 7 * DAY, DAY, &[90], &[]);
    assert_eq!(grown.told(), [told("G5", "old", (0, 0, 59), "strong")]);
    let since = world(&[(0, 100)])
        .group("new", &[(0, Some(60))], &[])
        .moves("new", 0, &[(DAY, Some(60), None, Some(true))])
        .remember("before", 20 * DAY, 8 * DAY, &[70], &[])
        .remember("now", 7 * DAY, DAY, &[90], &[]);
    assert_eq!(since.told(), []);
    // Committed after the old topic was seen for the last time, and before the new one was seen first: in which of them
    // is not known.
    let between = world(&[(0, 100)])
        .group("between", &[(0, Some(60))], &[])
        .moves("between", 0, &[(8 * DAY - MINUTE, Some(60), None, None)])
        .remember("before", 20 * DAY, 8 * DAY, &[70], &[])
        .remember("now", 7 * DAY, DAY, &[90], &[]);
    assert_eq!(between.told(), []);
}

#[test]
fn what_a_cluster_lost_keeps_its_name_while_the_log_grows_again() {
    let cut = |end: i64| world(&[(0, end)]).remember("now", 9 * DAY, DAY, &[95], &[]);
    assert_eq!(only(&cut(80)).id, only(&cut(90)).id);
    assert_eq!(cut(95).told(), []);
}

#[test]
fn one_offset_that_an_emptied_log_lost_may_be_the_mark_of_a_transaction() {
    let emptied =
        |committed: i64, end: i64| world(&[(50, end)]).group("g", &[(0, Some(committed))], &[]);
    assert_eq!(
        emptied(49, 50).told(),
        [told("G4", "g", (0, 49, 49), "strong")]
    );
    assert_eq!(
        emptied(48, 50).told(),
        [told("G4", "g", (0, 48, 49), "proof")]
    );
    assert_eq!(
        emptied(49, 51).told(),
        [told("G4", "g", (0, 49, 49), "proof")]
    );
}

#[test]
fn a_log_that_lost_its_end_concerns_everyone_and_who_had_read_it() {
    let cut = world(&[(0, 80)])
        .group("had-read", &[(0, Some(70))], &[])
        .remember("now", 9 * DAY, DAY, &[95], &[])
        .with(|world| {
            world.epoch = Some(2);
            world.epochs.push((0, 2, Some(60)));
        });
    assert_eq!(
        cut.told(),
        [
            told("G6", "had-read", (0, 60, 69), "proof"),
            told("G6", "", (0, 80, 94), "strong"),
        ]
    );
    let whole = world(&[(0, 95)])
        .group("reads", &[(0, Some(70))], &[])
        .with(|world| {
            world.epoch = Some(2);
            world.epochs.push((0, 2, Some(70)));
        });
    assert_eq!(whole.told(), []);
}
