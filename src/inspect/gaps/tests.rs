//! The rules about groups and partitions on a bus that is made by hand.

use std::sync::Arc;

use super::*;
use crate::model::{
    Assignment, CommitMove, Committed, FindingKind, GroupHistory, GroupMembers, GroupType,
    HistorySource, KnownTopic, Member, PartitionId, PlaceHistory, Problem, ProblemKind,
    SeenPartition, SeenTopic, TopicConfig, TransactionState, by_hand,
};

const NOW: TimestampMs = TimestampMs(1_000_000_000);
const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;

fn ago(ms: i64) -> TimestampMs {
    NOW.moved_ms(0_i64.saturating_sub(ms))
}

fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("t", partition)
}

/// A bus with the topic `t`, deleted from after seven days, and its groups.
struct World {
    topics: Vec<Topic>,
    groups: Vec<(Group, Vec<(i32, Option<i64>)>)>,
    history: History,
    remembered: Remembered,
    heads: Vec<(i32, i64, Option<(i64, i64)>)>,
    ends_at: Vec<(i32, TimestampMs, Option<i64>)>,
    epochs: Vec<(i32, i32, Option<i64>)>,
    transactions: Vec<(i32, Known<Vec<OpenTransaction>>)>,
    stable: Vec<(i32, i64, i64)>,
    beyond_again: bool,
    epoch: Option<i32>,
}

fn world(partitions: &[(i64, i64)]) -> World {
    let partitions = partitions.iter().zip(0..);
    let partitions = partitions.map(|((start, end), id)| by_hand::partition(id, *start, *end));
    let mut topic = by_hand::topic("t", partitions.collect());
    topic.topic_id = Some("now".to_owned());
    topic.config = Ok(TopicConfig {
        cleanup_policy: Some("delete".to_owned()),
        retention_ms: Some(7 * DAY),
        retention_bytes: Some(-1),
        ..TopicConfig::default()
    });
    World {
        topics: vec![topic],
        groups: vec![],
        history: History::default(),
        remembered: Remembered::default(),
        heads: vec![],
        ends_at: vec![],
        epochs: vec![],
        transactions: vec![],
        stable: vec![],
        beyond_again: true,
        epoch: None,
    }
}

impl World {
    /// A group with these committed offsets; its members read these partitions each.
    fn group(mut self, name: &str, committed: &[(i32, Option<i64>)], members: &[&[i32]]) -> Self {
        let mut group = by_hand::group(name);
        let commits = committed.iter();
        group.commits = Ok(commits
            .filter(|(_, offset)| offset.is_some())
            .map(|(partition, offset)| by_hand::commit("t", *partition, *offset))
            .collect());
        let member = |partitions: &&[i32]| Member {
            member_id: Text::from("m"),
            client_id: Text::from("c"),
            host: Text::from("h"),
            instance_id: None,
            assignment: vec![Assignment {
                topic: "t".into(),
                partitions: partitions.iter().map(|id| PartitionId(*id)).collect(),
            }],
        };
        group.members = Ok(GroupMembers {
            assignor: None,
            coordinator: None,
            state: None,
            members: Ok(members.iter().map(member).collect()),
        });
        self.groups.push((group, committed.to_vec()));
        self
    }

    /// Moves of a group in a partition: milliseconds ago, offset, epoch, whether it had members.
    fn moves(
        mut self,
        group: &str,
        partition: i32,
        moves: &[(i64, Option<i64>, Option<i32>, Option<bool>)],
    ) -> Self {
        self.history.coverage.source = HistorySource::CommitLog;
        self.history.coverage.since = Some(ago(30 * DAY));
        let moves: Vec<CommitMove> = moves
            .iter()
            .map(|(before, offset, leader_epoch, had_members)| CommitMove {
                at: ago(*before),
                to: offset.map(|offset| Committed {
                    offset: Offset(offset),
                    leader_epoch: *leader_epoch,
                    metadata: Text::from(""),
                }),
                had_members: *had_members,
                end: None,
            })
            .collect();
        let last_commit = moves.iter().rev().find(|step| step.to.is_some());
        let place = PlaceHistory {
            last_commit: last_commit.map(|step| step.at),
            moves,
            shortened: false,
        };
        let known = self.history.groups.entry(Text::from(group)).or_default();
        Arc::make_mut(known).places.insert(at(partition), place);
        self
    }

    /// The first record at or after an offset: where it is, and how long ago it was written.
    fn head(mut self, partition: i32, offset: i64, found: (i64, i64)) -> Self {
        self.heads.push((partition, offset, Some(found)));
        self
    }

    fn remember(
        mut self,
        id: &str,
        first: i64,
        last: i64,
        ends: &[i64],
        earlier: &[(i64, u32)],
    ) -> Self {
        self.remembered.topics.push(KnownTopic {
            seen: SeenTopic {
                name: "t".into(),
                topic_id: id.to_owned(),
                partitions: ends
                    .iter()
                    .zip(0..)
                    .map(|(end, id)| SeenPartition {
                        id: PartitionId(id),
                        log_start: Offset(0),
                        high_watermark: Offset(*end),
                    })
                    .collect(),
                count: u32::try_from(ends.len()).unwrap(),
            },
            first_seen: ago(first),
            last_seen: ago(last),
            earlier_counts: earlier
                .iter()
                .map(|(until, count)| (ago(*until), *count))
                .collect(),
        });
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn look<T>(&self, look: impl FnOnce(&Facts<'_>, &Rules) -> T) -> T {
        let topics: Vec<Arc<Topic>> = self.topics.iter().cloned().map(Arc::new).collect();
        let places: Vec<Vec<Place>> = self
            .groups
            .iter()
            .map(|(_, committed)| {
                let place = |(partition, offset): &(i32, Option<i64>)| {
                    let mut commit = by_hand::commit("t", *partition, *offset);
                    commit.leader_epoch = self.epoch;
                    let partitions = self.topics.first().map(|topic| &topic.partitions);
                    let partition = partitions
                        .into_iter()
                        .flatten()
                        .find(|known| known.id.0 == *partition);
                    Place::in_partition(&commit, partition)
                };
                committed.iter().map(place).collect()
            })
            .collect();
        let beyond = self.groups.iter().flat_map(|(group, committed)| {
            let places = committed.iter();
            places.map(|(partition, _)| (group.listing.name.clone(), at(*partition)))
        });
        let facts = Facts {
            now: NOW,
            topics: &topics,
            groups: self
                .groups
                .iter()
                .zip(&places)
                .map(|((group, _), places)| GroupFacts { group, places })
                .collect(),
            history: &self.history,
            remembered: &self.remembered,
            beyond_again: if self.beyond_again {
                beyond.collect()
            } else {
                BTreeSet::new()
            },
            earlier_stable: self
                .stable
                .iter()
                .map(|(partition, before, offset)| {
                    (at(*partition), (ago(*before), Offset(*offset)))
                })
                .collect(),
            heads: self
                .heads
                .iter()
                .map(|(partition, offset, found)| {
                    let head = found.map(|(offset, before)| RecordHead {
                        offset: Offset(offset),
                        timestamp: Some(ago(before)),
                    });
                    ((at(*partition), Offset(*offset)), Ok(head))
                })
                .collect(),
            ends_at: self
                .ends_at
                .iter()
                .map(|(partition, time, end)| ((at(*partition), *time), Ok(end.map(Offset))))
                .collect(),
            epoch_ends: self
                .epochs
                .iter()
                .map(|(partition, epoch, end)| ((at(*partition), *epoch), Ok(end.map(Offset))))
                .collect(),
            transactions: self
                .transactions
                .iter()
                .map(|(partition, open)| (at(*partition), open.clone()))
                .collect(),
        };
        look(&facts, &Rules::default())
    }

    fn found(&self) -> Vec<Finding> {
        let mut found = self.look(findings);
        let mut ids: Vec<&str> = found.iter().map(|finding| finding.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), found.len(), "ids are told apart");
        sort(&mut found);
        found
    }

    /// Kind, group, partition, first and last offset, records, certainty, normal.
    fn told(&self) -> Vec<Told> {
        let found = self.found();
        found
            .iter()
            .map(|finding| {
                let group = finding.concerns.group();
                Told(
                    finding.kind.code(),
                    group.map_or(String::new(), |group| group.lossy().into_owned()),
                    finding.partition.map_or(-1, |partition| partition.0),
                    finding.from.map_or(-1, |from| from.0),
                    finding.to.map_or(-1, |to| to.0),
                    finding.certainty.name(),
                    finding.normal,
                )
            })
            .collect()
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Told(&'static str, String, i32, i64, i64, &'static str, bool);

fn told(kind: &'static str, group: &str, place: (i32, i64, i64), how: &'static str) -> Told {
    Told(
        kind,
        group.to_owned(),
        place.0,
        place.1,
        place.2,
        how,
        false,
    )
}

fn only(world: &World) -> Finding {
    let mut found = world.found();
    assert_eq!(found.len(), 1, "{found:?}");
    found.pop().unwrap()
}

fn evidence<'f>(finding: &'f Finding, name: &str) -> Option<&'f crate::model::Fact> {
    let mut evidence = finding.evidence.iter();
    evidence
        .find(|(known, _)| *known == name)
        .map(|(_, fact)| fact)
}

fn text(words: &str) -> crate::model::Fact {
    crate::model::Fact::Text(words.to_owned())
}

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
    let truncated = beyond().with(|world| {
        world.epoch = Some(3);
        world.epochs.push((0, 3, Some(5)));
    });
    assert_eq!(
        evidence(&only(&truncated), "cause"),
        Some(&text("truncated"))
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

/// Steps of a hundred by a member, a minute apart, then this move of so many milliseconds ago.
fn steps(to: i64, epoch: Option<i32>, members: Option<bool>, after: &[i64]) -> World {
    let mut moves: Vec<(i64, Option<i64>, Option<i32>, Option<bool>)> = (1..=6)
        .map(|n| ((20 - n) * MINUTE, Some(n * 100), Some(1), Some(true)))
        .collect();
    moves.push((13 * MINUTE, Some(to), epoch, members));
    for (offset, n) in after.iter().zip(1..) {
        moves.push(((13 - n) * MINUTE, Some(*offset), Some(1), Some(true)));
    }
    let last = after.last().copied().unwrap_or(to);
    world(&[(0, 50_000)])
        .group("g", &[(0, Some(last))], &[&[0]])
        .moves("g", 0, &moves)
}

#[test]
fn a_bookmark_moved_while_nobody_was_there_jumped() {
    let world = steps(1_804, None, Some(false), &[1_900, 2_000]);
    assert_eq!(world.told(), [told("G7", "g", (0, 600, 1_803), "strong")]);
    let finding = only(&world);
    assert!(
        finding.sentence.contains("1,204 events"),
        "{}",
        finding.sentence
    );
    assert_eq!(finding.from_time, Some(ago(14 * MINUTE)));
    assert_eq!(finding.to_time, Some(ago(13 * MINUTE)));
}

#[test]
fn steps_of_any_usual_size_are_none() {
    // Twice, and ten times as large as the others.
    assert_eq!(steps(800, Some(1), Some(true), &[900]).told(), []);
    assert_eq!(steps(1_600, Some(1), Some(true), &[1_700]).told(), []);
    // Few steps say nothing of what is usual.
    let few = world(&[(0, 50_000)])
        .group("g", &[(0, Some(50_000))], &[&[0]])
        .moves(
            "g",
            0,
            &[
                (10 * MINUTE, Some(10), Some(1), Some(true)),
                (MINUTE, Some(50_000), Some(1), Some(true)),
            ],
        );
    assert_eq!(few.told(), []);
}

#[test]
fn a_step_far_larger_than_all_others_is_a_jump_surely_when_it_ends_at_the_end() {
    let question = steps(40_000, Some(1), Some(true), &[40_100]);
    assert_eq!(question.told(), [told("G7", "g", (0, 600, 39_999), "hint")]);
    let to_end = steps(40_000, Some(1), Some(true), &[40_100])
        .with(|world| world.ends_at.push((0, ago(13 * MINUTE), Some(40_000))));
    assert_eq!(to_end.told(), [told("G7", "g", (0, 600, 39_999), "strong")]);
}

#[test]
fn a_text_beside_the_bookmark_may_explain_a_jump() {
    let mut world = steps(1_804, None, Some(false), &[1_900]);
    let group = world.history.groups.get_mut(&Text::from("g")).unwrap();
    let place = Arc::make_mut(group).places.get_mut(&at(0)).unwrap();
    if let Some(to) = &mut place.moves[5].to {
        to.metadata = Text::from("bQAFAQ==");
    }
    assert_eq!(world.told(), [told("G7", "g", (0, 600, 1_803), "hint")]);
}

#[test]
fn what_was_read_after_all_was_not_jumped_over() {
    // Turned back to 700 and read on to 1,500 by members.
    let mut world = steps(1_804, None, Some(false), &[1_900]);
    let group = world.history.groups.get_mut(&Text::from("g")).unwrap();
    let place = Arc::make_mut(group).places.get_mut(&at(0)).unwrap();
    for (offset, before) in [(700, 9), (1_100, 8), (1_500, 7)] {
        let mut step = place.moves[6].clone();
        step.at = ago(before * MINUTE);
        step.had_members = Some(true);
        if let Some(to) = &mut step.to {
            to.offset = Offset(offset);
        }
        place.moves.push(step);
    }
    world.groups[0].1 = vec![(0, Some(1_500))];
    let found: Vec<Told> = world
        .told()
        .into_iter()
        .filter(|told| told.0 == "G7")
        .collect();
    assert_eq!(found, [told("G7", "g", (0, 600, 1_803), "strong")]);
    let jump = world
        .found()
        .into_iter()
        .find(|finding| finding.kind == FindingKind::JumpedOver);
    // 600 to 699, and 1,500 to 1,803.
    assert_eq!(jump.unwrap().records, Some(404));
}

#[test]
fn commits_of_somebody_who_is_no_member_are_hidden_and_no_jumps() {
    let moves: Vec<_> = (1..=5)
        .map(|n| ((10 - n) * MINUTE, Some(n * 100), None, Some(false)))
        .collect();
    let hidden = world(&[(0, 1_000)])
        .group("assigns", &[(0, Some(500))], &[])
        .moves("assigns", 0, &moves);
    let finding = only(&hidden);
    assert_eq!(finding.kind, FindingKind::HiddenMember);
    assert_eq!(finding.certainty.name(), "proof");
    let long_ago: Vec<_> = moves
        .iter()
        .map(|(before, ..)| (before + 3 * DAY, Some(before * 2), None, Some(false)))
        .collect();
    let past = world(&[(0, 100_000_000)])
        .group("assigned", &[(0, Some(500))], &[])
        .moves("assigned", 0, &long_ago);
    assert!(
        past.found()
            .iter()
            .all(|finding| finding.kind != FindingKind::HiddenMember)
    );
}

#[test]
fn partitions_without_a_bookmark_are_named_unless_they_are_empty_or_brand_new() {
    let world_of = |oldest: i64| {
        world(&[(0, 10), (0, 7), (0, 0)])
            .group("partly", &[(0, Some(10)), (1, None)], &[&[0, 1, 2]])
            .moves("partly", 0, &[(1_000, Some(10), None, Some(true))])
            .head(1, 0, (0, oldest))
    };
    assert_eq!(
        world_of(5 * MINUTE).told(),
        [told("G8", "partly", (1, 0, 6), "proof")]
    );
    assert_eq!(world_of(5_000).told(), []);
    // Nobody is assigned it.
    let unassigned = world(&[(0, 10), (0, 7)]).group("off", &[(0, Some(10))], &[]);
    assert_eq!(unassigned.told(), [told("G8", "off", (1, 0, 6), "proof")]);
}

#[test]
fn share_groups_and_groups_whose_commits_are_unknown_are_left_alone() {
    let mut world = world(&[(0, 10), (0, 7)])
        .group("share", &[(0, None)], &[&[0]])
        .group("unknown", &[(0, Some(3))], &[]);
    world.groups[0].0.listing.kind = GroupType::Share;
    world.groups[1].0.commits = Err(Problem::new(ProblemKind::Forbidden, "no"));
    world.groups[1].1.clear();
    assert_eq!(world.told(), []);
}

#[test]
fn a_partition_that_was_added_is_a_question_to_who_began_at_its_end() {
    let grown = |first: i64| {
        world(&[(0, 10), (0, 8)])
            .group("g", &[(0, Some(10)), (1, Some(8))], &[])
            .moves("g", 1, &[(MINUTE, Some(first), None, Some(true))])
            .remember("now", 9 * DAY, MINUTE, &[10, 8], &[(60 * MINUTE, 1)])
            .with(|world| world.ends_at.push((1, ago(MINUTE), None)))
    };
    let found = grown(8).told();
    assert_eq!(found[0], told("G9", "g", (1, 0, 7), "hint"));
    assert_eq!(found[1].0, "G23");
    assert!(found[1].6, "explained");
    assert_eq!(found.len(), 2);
    // It began in the middle: it reads from the start.
    assert_eq!(grown(5).told().len(), 1);
}

#[test]
fn who_stands_still_while_records_wait_is_stuck_and_who_waits_for_a_transaction_is_not() {
    let still = |moved: i64, waits: i64| {
        world(&[(0, 100)])
            .group("g", &[(0, Some(40))], &[&[0]])
            .moves("g", 0, &[(moved, Some(40), None, Some(true))])
            .head(0, 40, (41, waits))
    };
    assert_eq!(
        still(12 * MINUTE, 11 * MINUTE).told(),
        [told("G16", "g", (0, 41, 99), "strong")]
    );
    assert_eq!(still(MINUTE, 11 * MINUTE).told(), []);
    assert_eq!(still(12 * MINUTE, MINUTE).told(), []);
    let behind_transaction = still(12 * MINUTE, 11 * MINUTE)
        .with(|world| world.topics[0].partitions[0].last_stable = Ok(Offset(40)));
    assert!(
        behind_transaction
            .found()
            .iter()
            .all(|finding| finding.kind != FindingKind::Stuck)
    );
    let nobody = world(&[(0, 100)])
        .group("g", &[(0, Some(40))], &[])
        .moves("g", 0, &[(12 * MINUTE, Some(40), None, Some(true))])
        .head(0, 40, (41, 11 * MINUTE));
    assert_eq!(nobody.told(), [told("G16", "g", (0, 41, 99), "hint")]);
    let unknown = world(&[(0, 100)])
        .group("g", &[(0, Some(40))], &[&[0]])
        .head(0, 40, (41, 11 * MINUTE));
    assert_eq!(unknown.told(), [told("G16", "g", (0, 41, 99), "hint")]);
}

#[test]
fn one_record_that_stops_one_partition_of_a_member_is_poison() {
    let poison = |sibling: i64| {
        world(&[(0, 100), (0, 100)])
            .group("g", &[(0, Some(40)), (1, Some(90))], &[&[0, 1]])
            .moves("g", 0, &[(12 * MINUTE, Some(40), None, Some(true))])
            .moves("g", 1, &[(sibling, Some(90), None, Some(true))])
            .head(0, 40, (42, 30 * MINUTE))
            .head(1, 90, (90, 20 * MINUTE))
    };
    assert_eq!(
        poison(MINUTE).told(),
        [told("G17", "g", (0, 42, 42), "strong")]
    );
    let both: Vec<&str> = poison(20 * MINUTE)
        .told()
        .iter()
        .map(|told| told.0)
        .collect();
    assert_eq!(both, ["G16", "G16"]);
}

fn open(first: i64, age: i64, coordinator: Known<Option<TransactionState>>) -> OpenTransaction {
    OpenTransaction {
        producer: 77,
        epoch: 0,
        first: Offset(first),
        last_write: Some(ago(age)),
        coordinator,
    }
}

fn ongoing(started: i64) -> Known<Option<TransactionState>> {
    Ok(Some(TransactionState {
        transactional_id: "pay".to_owned(),
        state: "Ongoing".to_owned(),
        started: Some(ago(started)),
        timeout_ms: 60_000,
    }))
}

#[test]
fn open_transactions_are_graded_by_their_age_and_by_who_knows_of_them() {
    let held = |answer: Known<Vec<OpenTransaction>>| {
        world(&[(0, 50)]).with(|world| {
            world.topics[0].partitions[0].last_stable = Ok(Offset(40));
            world.stable.push((0, 5_000, 40));
            world.transactions.push((0, answer));
        })
    };
    let how = |world: &World| {
        let told = world.told();
        assert!(told.len() <= 1);
        told.first().map(|told| (told.0, told.3, told.4, told.5))
    };
    let of = |open: OpenTransaction| how(&held(Ok(vec![open])));
    assert_eq!(of(open(40, 1_000, ongoing(1_000))), None);
    assert_eq!(
        of(open(40, 1_000, ongoing(20_000))),
        Some(("G16b", 40, 49, "hint"))
    );
    assert_eq!(
        of(open(40, 1_000, ongoing(90_000))),
        Some(("G16b", 40, 49, "strong"))
    );
    assert_eq!(
        of(open(40, 5_000, Ok(None))),
        Some(("G16b", 40, 49, "strong"))
    );
    let unknown = Err(Problem::new(ProblemKind::Forbidden, "no"));
    assert_eq!(
        of(open(40, 5_000, unknown.clone())),
        Some(("G16b", 40, 49, "hint"))
    );
    // It ended before it was asked for.
    assert_eq!(how(&held(Ok(vec![]))), None);
    // Nothing is told of transactions.
    let untold = Err(Problem::new(ProblemKind::Unsupported, "over TLS"));
    assert_eq!(how(&held(untold.clone())), Some(("G16b", 40, 49, "hint")));
    let moving = held(untold).with(|world| world.stable = vec![(0, 5_000, 35)]);
    assert_eq!(how(&moving), None);
}

#[test]
fn a_bookmark_that_is_gone_expired_or_was_deleted() {
    let gone = |last: i64, removed: i64| {
        world(&[(0, 50)])
            .group("g", &[(0, None)], &[])
            .with(|world| world.groups[0].1.clear())
            .moves(
                "g",
                0,
                &[
                    (last, Some(30), None, Some(true)),
                    (removed, None, None, Some(false)),
                ],
            )
    };
    let kinds = |world: &World| -> Vec<(&'static str, &'static str)> {
        let told = world.told();
        told.iter().map(|told| (told.0, told.5)).collect()
    };
    assert_eq!(kinds(&gone(9 * DAY, DAY)), [("G19", "strong")]);
    assert_eq!(kinds(&gone(3 * DAY, DAY)), [("G19", "hint")]);
    let anew = gone(3 * DAY, DAY).remember("before", 9 * DAY, DAY, &[50], &[]);
    assert_eq!(kinds(&anew), []);
    let back = world(&[(0, 50)]).group("g", &[(0, Some(50))], &[]).moves(
        "g",
        0,
        &[
            (DAY, Some(30), None, None),
            (MINUTE, None, None, None),
            (1_000, Some(50), None, None),
        ],
    );
    assert_eq!(kinds(&back), []);
}

#[test]
fn moves_by_hand_are_told_for_the_journal() {
    let world = steps(1_804, None, Some(false), &[1_900, 700]);
    let group: &GroupHistory = &world.history.groups[&Text::from("g")];
    let moves: Vec<_> = hand_moves(group)
        .into_iter()
        .map(|step| (step.from.unwrap().0, step.to.unwrap().0, step.is_sure))
        .collect();
    assert_eq!(moves, [(1_900, 700, false), (600, 1_804, true)]);
}

#[test]
fn questions_are_asked_once_and_only_where_an_answer_matters() {
    let healthy = world(&[(0, 100)])
        .group("g", &[(0, Some(100))], &[&[0]])
        .moves("g", 0, &[(1_000, Some(100), None, Some(true))]);
    assert_eq!(healthy.look(questions), Questions::default());
    let stuck = world(&[(0, 100)])
        .group("g", &[(0, Some(40))], &[&[0]])
        .moves("g", 0, &[(12 * MINUTE, Some(40), None, Some(true))]);
    let asked = stuck.look(questions);
    assert_eq!(asked.heads, BTreeSet::from([(at(0), Offset(40))]));
    assert_eq!(
        stuck.head(0, 40, (40, 0)).look(questions),
        Questions::default()
    );
}

#[test]
fn no_facts_whatever_make_a_rule_panic() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..2_000 {
        let mut odd = || match random.u8(..4) {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => -1,
            _ => random.i64(..200),
        };
        let mut world = world(&[(odd(), odd()), (odd(), odd())])
            .group("g", &[(0, Some(odd())), (1, None)], &[&[0, 1]])
            .moves(
                "g",
                0,
                &[
                    (odd(), Some(odd()), Some(1), Some(true)),
                    (odd(), Some(odd()), None, Some(false)),
                    (odd(), None, None, None),
                ],
            )
            .remember("now", odd(), odd(), &[odd(), odd(), odd()], &[(odd(), 1)])
            .remember("then", odd(), odd(), &[odd()], &[])
            .head(0, odd(), (odd(), odd()));
        world.topics[0].partitions[0].last_stable = Ok(Offset(odd()));
        let questions = world.look(questions);
        for (at, offset) in questions.heads {
            world = world.head(at.partition.0, offset.0, (offset.0, odd()));
        }
        drop(world.look(findings));
    }
}
