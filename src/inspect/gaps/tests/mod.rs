//! The rules about groups and partitions on a bus that is made by hand.

mod jumps;
mod offsets;
mod places;
mod standing;
mod whole;

use std::sync::Arc;

use super::*;
use crate::model::{
    Assignment, CommitMove, Fact, FindingKind, GroupHistory, GroupMembers, GroupType,
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

/// Committed offsets by partition.
type Committed = Vec<(i32, Option<i64>)>;

/// A move: milliseconds ago, offset, epoch, whether the group had members.
type Moved = (i64, Option<i64>, Option<i32>, Option<bool>);

/// A bus with the topic `t`, deleted from after seven days, and its groups.
struct World {
    topics: Vec<Topic>,
    groups: Vec<(Group, Committed)>,
    history: History,
    remembered: Remembered,
    heads: Vec<(i32, i64, (i64, i64))>,
    careful: Vec<(i32, i64, Option<i64>)>,
    ends_at: Vec<(i32, TimestampMs, Option<i64>)>,
    epochs: Vec<(i32, i32, Option<i64>)>,
    transactions: Vec<(i32, Known<Vec<OpenTransaction>>)>,
    stable: Vec<(i32, i64, i64)>,
    beyond_again: bool,
    epoch: Option<i32>,
    once: bool,
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
        careful: vec![],
        ends_at: vec![],
        epochs: vec![],
        transactions: vec![],
        stable: vec![],
        beyond_again: true,
        epoch: None,
        once: false,
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
    fn moves(mut self, group: &str, partition: i32, moves: &[Moved]) -> Self {
        self.history.coverage.source = HistorySource::CommitLog;
        self.history.coverage.since = Some(ago(30 * DAY));
        let moves: Vec<CommitMove> = moves
            .iter()
            .map(|(before, offset, leader_epoch, had_members)| CommitMove {
                at: ago(*before),
                to: offset.map(|offset| crate::model::Committed {
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
        self.heads.push((partition, offset, found));
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
                    let (first, before) = *found;
                    let head = RecordHead {
                        offset: Offset(first),
                        timestamp: Some(ago(before)),
                    };
                    ((at(*partition), Offset(*offset)), Ok(Some(head)))
                })
                .collect(),
            careful: self
                .careful
                .iter()
                .map(|(partition, offset, found)| {
                    let found = Ok(found.map(Offset));
                    ((at(*partition), Offset(*offset)), found)
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
        let rules = Rules {
            once: self.once,
            ..Rules::default()
        };
        look(&facts, &rules)
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

fn evidence<'f>(finding: &'f Finding, name: &str) -> Option<&'f Fact> {
    let mut evidence = finding.evidence.iter();
    evidence
        .find(|(known, _)| *known == name)
        .map(|(_, fact)| fact)
}

fn text(words: &str) -> Fact {
    Fact::Text(words.to_owned())
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
