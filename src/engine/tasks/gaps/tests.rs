//! What is asked for, and what is remembered from look to look.

use std::sync::Arc;

use crate::engine::event::GroupPlaces;
use crate::engine::finding::GapsRequest;
use crate::inspect::lag::Place;
use crate::model::{
    Concerns, Dismissal, Finding, FindingKind, Group, GroupMembers, Known, Member, Observations,
    Offset, Problem, ProblemKind, Remembered, Sighting, Text, TimestampMs, Topic, TopicPartition,
    by_hand,
};

use parking_lot::Mutex;

use super::is_asked_for;
use super::memory::Memory;

fn finding(group: Option<&str>, topic: Option<&str>) -> Finding {
    Finding {
        concerns: group.map_or(Concerns::Everyone, |group| {
            Concerns::Group(Text::from(group))
        }),
        topic: topic.map(Into::into),
        ..by_hand::finding("1")
    }
}

#[test]
fn topics_and_groups_narrow_what_is_told() {
    let all = GapsRequest::default();
    let of_topic = GapsRequest {
        topics: vec!["t".into()],
        ..GapsRequest::default()
    };
    let of_group = GapsRequest {
        groups: vec![Text::from("g")],
        ..GapsRequest::default()
    };
    let of_both = GapsRequest {
        topics: vec!["t".into()],
        groups: vec![Text::from("g")],
        ..GapsRequest::default()
    };
    let cases = [
        (finding(Some("g"), Some("t")), [true, true, true, true]),
        (finding(Some("h"), Some("t")), [true, true, false, false]),
        (finding(Some("g"), Some("u")), [true, false, true, false]),
        (finding(None, Some("t")), [true, true, false, false]),
        (finding(Some("g"), None), [true, false, true, true]),
    ];
    for (finding, expected) in cases {
        let asked = [&all, &of_topic, &of_group, &of_both];
        let told = asked.map(|request| is_asked_for(&finding, request));
        assert_eq!(told, expected, "{:?} {:?}", finding.concerns, finding.topic);
    }
}

#[test]
fn a_range_of_time_leaves_out_what_is_known_to_lie_outside() {
    let request = GapsRequest {
        from: Some(TimestampMs(100)),
        to: Some(TimestampMs(200)),
        ..GapsRequest::default()
    };
    let at = |from: Option<i64>, to: Option<i64>| Finding {
        kind: FindingKind::JumpedOver,
        from_time: from.map(TimestampMs),
        to_time: to.map(TimestampMs),
        ..by_hand::finding("1")
    };
    for (finding, expected) in [
        (at(Some(50), Some(99)), false),
        (at(Some(50), Some(100)), true),
        (at(Some(199), None), true),
        (at(Some(200), Some(210)), false),
        (at(None, None), true),
    ] {
        assert_eq!(is_asked_for(&finding, &request), expected, "{finding:?}");
    }
}

/// Keeps what it is told, in memory.
#[derive(Debug, Default)]
struct Kept {
    seen: Mutex<Vec<Sighting>>,
    before: Remembered,
}

impl Observations for Kept {
    fn see(&self, sighting: &Sighting) -> Known<()> {
        self.seen.lock().push(sighting.clone());
        Ok(())
    }

    fn remembered(&self, _cluster: &str) -> Known<Remembered> {
        Ok(self.before.clone())
    }

    fn dismiss(&self, _cluster: &str, _dismissal: &Dismissal) -> Known<()> {
        Ok(())
    }

    fn restore(&self, _cluster: &str, _finding: &str) -> Known<()> {
        Ok(())
    }

    fn dismissed(&self, _cluster: &str) -> Known<Vec<Dismissal>> {
        Ok(Vec::new())
    }
}

fn topic() -> Arc<Topic> {
    let mut topic = by_hand::topic("t", vec![by_hand::partition(0, 0, 50)]);
    topic.topic_id = Some("id-1".to_owned());
    Arc::new(topic)
}

fn group(name: &str, committed: Option<i64>) -> GroupPlaces {
    let commit = by_hand::commit("t", 0, committed);
    let mut group: Group = by_hand::group(name);
    group.commits = Ok(vec![commit.clone()]);
    group.members = Ok(GroupMembers {
        assignor: None,
        coordinator: None,
        state: None,
        members: Ok(Vec::new()),
    });
    GroupPlaces {
        group: Arc::new(group),
        places: vec![Place::new(&commit, Ok(Offset(0)), Ok(Offset(50)))],
    }
}

fn offsets(sighting: &Sighting) -> Vec<(&str, Option<i64>)> {
    let commits = sighting.commits.iter();
    commits
        .map(|commit| {
            let offset = commit.offset.map(|offset| offset.0);
            (commit.group.as_str().unwrap(), offset)
        })
        .collect()
}

#[tokio::test]
async fn only_what_changed_is_kept_and_what_is_gone_is_noted() {
    let kept = Arc::new(Kept::default());
    let observations: Known<Arc<dyn Observations>> = Ok(kept.clone());
    let mut memory = Memory::default();
    memory.open(&observations, Some("c".to_owned())).await;
    let at = TimestampMs;
    let topics = [topic()];
    let see = async |memory: &mut Memory, now, groups: &[GroupPlaces], whole| {
        memory
            .see(&observations, at(now), &topics, (groups, whole))
            .await;
    };
    see(
        &mut memory,
        1_000,
        &[group("a", Some(5)), group("b", Some(7))],
        true,
    )
    .await;
    see(
        &mut memory,
        2_000,
        &[group("a", Some(5)), group("b", Some(9))],
        true,
    )
    .await;
    // A list that is not whole does not say that a group is gone.
    see(&mut memory, 3_000, &[group("a", Some(5))], false).await;
    see(&mut memory, 4_000, &[group("a", None)], true).await;

    let seen = kept.seen.lock();
    let moves: Vec<_> = seen.iter().map(offsets).collect();
    assert_eq!(
        moves,
        [
            vec![("a", Some(5)), ("b", Some(7))],
            vec![("b", Some(9))],
            vec![("a", None), ("b", None)],
        ]
    );
    assert_eq!(seen[0].topics.len(), 1);
    assert!(seen[1].topics.is_empty());
    // Who was there before the first reading is not known; who was at neither of two was not between them.
    assert_eq!(seen[0].commits[0].had_members, None);
    assert_eq!(seen[1].commits[0].had_members, Some(false));

    let place = TopicPartition::new("t", 0);
    let history = &memory.kept().history;
    let of_b = history.place(&Text::from("b"), &place).unwrap();
    let offsets: Vec<Option<i64>> = of_b
        .moves
        .iter()
        .map(|step| step.to.as_ref().map(|to| to.offset.0))
        .collect();
    assert_eq!(offsets, [Some(7), Some(9), None]);
}

#[tokio::test]
async fn who_commits_and_leaves_was_a_member() {
    let kept = Arc::new(Kept::default());
    let observations: Known<Arc<dyn Observations>> = Ok(kept.clone());
    let mut memory = Memory::default();
    memory.open(&observations, Some("c".to_owned())).await;
    let topics = [topic()];
    let mut present = group("a", Some(5));
    if let Ok(members) = &mut Arc::make_mut(&mut present.group).members {
        members.members = Ok(vec![Member {
            member_id: Text::from("m"),
            client_id: Text::from("c"),
            host: Text::from("h"),
            instance_id: None,
            assignment: vec![],
        }]);
    }
    let readings = [present, group("a", Some(9)), group("a", Some(20))];
    for (reading, now) in readings.into_iter().zip(1..) {
        memory
            .see(&observations, TimestampMs(now), &topics, (&[reading], true))
            .await;
    }
    let place = TopicPartition::new("t", 0);
    let history = &memory.kept().history;
    let of_a = history.place(&Text::from("a"), &place).unwrap();
    let had_members: Vec<_> = of_a.moves.iter().map(|step| step.had_members).collect();
    assert_eq!(had_members, [Some(true), Some(true), Some(false)]);
}

#[tokio::test]
async fn a_log_that_lost_its_end_is_remembered_as_it_was() {
    let kept = Arc::new(Kept::default());
    let observations: Known<Arc<dyn Observations>> = Ok(kept.clone());
    let mut memory = Memory::default();
    memory.open(&observations, Some("c".to_owned())).await;
    let minute = 60_000;
    for (end, now) in [(50, 0), (30, minute), (40, 2 * minute)] {
        let mut topic = by_hand::topic("t", vec![by_hand::partition(0, 0, end)]);
        topic.topic_id = Some("id-1".to_owned());
        let topics = [Arc::new(topic)];
        memory
            .see(&observations, TimestampMs(now), &topics, (&[], true))
            .await;
    }
    let known = &memory.kept().topics[0];
    assert_eq!(known.seen.partitions[0].high_watermark, Offset(50));
    assert_eq!(known.last_seen, TimestampMs(2 * minute));
}

#[tokio::test]
async fn a_group_whose_offsets_cannot_be_read_has_lost_none() {
    let kept = Arc::new(Kept::default());
    let observations: Known<Arc<dyn Observations>> = Ok(kept.clone());
    let mut memory = Memory::default();
    memory.open(&observations, Some("c".to_owned())).await;
    let topics = [topic()];
    let mut unread = group("a", Some(5));
    let groups = [unread.clone()];
    memory
        .see(&observations, TimestampMs(1), &topics, (&groups, true))
        .await;
    let mut inner = by_hand::group("a");
    inner.commits = Err(Problem::new(ProblemKind::NoLeader, "no coordinator"));
    unread.group = Arc::new(inner);
    unread.places.clear();
    memory
        .see(&observations, TimestampMs(2), &topics, (&[unread], true))
        .await;
    assert_eq!(kept.seen.lock().len(), 1);
}
