//! What is kept of groups over time, and how much.

use super::*;
use crate::model::{Commit, Known, Problem, ProblemKind};

fn at(seconds: i64) -> TimestampMs {
    TimestampMs(seconds * 1_000)
}

fn place(topic: &str, partition: i32, committed: Known<Option<i64>>, end: i64) -> Place {
    let commit = Commit {
        at: TopicPartition::new(topic, partition),
        offset: committed.map(|committed| committed.map(Offset)),
        leader_epoch: None,
        metadata: Text::from(""),
    };
    Place::new(&commit, Ok(Offset(0)), Ok(Offset(end)))
}

fn stands(topic: &str, partition: i32, committed: i64, end: i64) -> Place {
    place(topic, partition, Ok(Some(committed)), end)
}

fn lost() -> Problem {
    Problem::new(ProblemKind::NoLeader, "nobody leads it")
}

/// Every 4 s one reading of the group `g`.
fn readings(of: &[Vec<Place>]) -> Samples {
    let name = Text::from("g");
    let mut samples = Samples::default();
    for (step, places) in (0_i64..).zip(of) {
        let reading = GroupReading {
            name: &name,
            places: Some(places),
        };
        samples = samples.with(at(step * 4), &[reading], Some(&name), &Limits::default());
    }
    samples
}

fn known(series: &Series) -> Vec<(i64, Option<(i64, i64)>)> {
    series
        .stretches()
        .map(|stretch| {
            let offsets = stretch.offsets.map(|of| (of.end.0, of.committed.0));
            (stretch.from.0 / 1_000, offsets)
        })
        .collect()
}

#[test]
fn partitions_and_their_sum_are_followed() {
    let samples = readings(&[
        vec![
            stands("a", 0, 5, 9),
            stands("a", 1, 10, 20),
            stands("b", 0, 1, 1),
        ],
        vec![
            stands("a", 0, 7, 9),
            stands("a", 1, 10, 25),
            stands("b", 0, 1, 1),
        ],
    ]);
    let group = samples.group(&Text::from("g")).unwrap();
    let topic = group.topic("a").unwrap();
    assert_eq!(
        known(topic.sum.as_ref().unwrap()),
        [(0, Some((29, 15))), (4, Some((34, 17)))]
    );
    let first = group.partition(&TopicPartition::new("a", 0)).unwrap();
    assert_eq!(
        known(first.series.as_ref().unwrap()),
        [(0, Some((9, 5))), (4, Some((9, 7)))]
    );
    assert_eq!(
        first.movement.last,
        Some(Moved {
            at: at(4),
            by: Some(2)
        })
    );
    let second = group.partition(&TopicPartition::new("a", 1)).unwrap();
    assert_eq!(
        (second.movement.since, second.movement.last),
        (Some(at(0)), None)
    );
    assert!(group.topic("c").is_none());
    assert_eq!(samples.readings(), 2);
}

#[test]
fn a_sum_with_an_unknown_part_is_not_known_and_one_never_committed_does_not_count() {
    let mut leaderless = stands("a", 1, 10, 20);
    leaderless.high_watermark = Err(lost());
    let samples = readings(&[
        vec![
            stands("a", 0, 5, 9),
            stands("a", 1, 10, 20),
            place("a", 2, Ok(None), 7),
        ],
        vec![stands("a", 0, 5, 9), leaderless, place("a", 2, Ok(None), 7)],
    ]);
    let group = samples.group(&Text::from("g")).unwrap();
    let sum = group.topic("a").unwrap().sum.as_ref().unwrap();
    assert_eq!(known(sum), [(0, Some((29, 15))), (4, None)]);
}

#[test]
fn a_sum_of_other_partitions_is_parted_from_the_one_before() {
    let samples = readings(&[
        vec![stands("a", 0, 5, 9), place("a", 1, Ok(None), 20)],
        vec![stands("a", 0, 5, 9), stands("a", 1, 20, 20)],
    ]);
    let group = samples.group(&Text::from("g")).unwrap();
    let sum = group.topic("a").unwrap().sum.as_ref().unwrap();
    assert_eq!(
        known(sum),
        [(0, Some((9, 5))), (0, None), (4, Some((29, 25)))]
    );
}

#[test]
fn a_group_that_cannot_be_read_has_a_gap_and_one_that_is_gone_is_forgotten() {
    let name = Text::from("g");
    let limits = Limits::default();
    let samples = readings(&[vec![stands("a", 0, 5, 9)]]);
    let unread = GroupReading {
        name: &name,
        places: None,
    };
    let lost = samples.with(at(4), &[unread], None, &limits);
    let series = |samples: &Samples| {
        let group = samples.group(&name).unwrap();
        known(group.topic("a").unwrap().sum.as_ref().unwrap())
    };
    assert_eq!(series(&lost), [(0, Some((9, 5))), (4, None)]);
    assert_eq!(series(&samples.unread(at(4), &limits)), series(&lost));
    // What was published stays as it was.
    assert_eq!(series(&samples), [(0, Some((9, 5)))]);
    assert!(
        samples
            .with(at(8), &[], None, &limits)
            .group(&name)
            .is_none()
    );
}

#[test]
fn where_there_are_many_partitions_only_those_of_the_chosen_group_are_followed() {
    let limits = Limits {
        places: 5,
        ..Limits::default()
    };
    let names = [Text::from("a"), Text::from("b")];
    let places: Vec<Place> = (0..3)
        .map(|partition| stands("t", partition, 1, 2))
        .collect();
    let groups = names.each_ref().map(|name| GroupReading {
        name,
        places: Some(&places),
    });
    let followed = |samples: &Samples, name: usize| {
        let group = samples.group(&names[name]).unwrap();
        let topic = group.topic("t").unwrap();
        let partitions = topic.partitions.iter();
        (
            topic.sum.is_some(),
            partitions.filter(|place| place.series.is_some()).count(),
        )
    };
    let samples = Samples::default().with(at(0), &groups, Some(&names[1]), &limits);
    assert_eq!(followed(&samples, 0), (true, 0));
    assert_eq!(followed(&samples, 1), (true, 3));
    // Movements are known of all.
    let group = samples.group(&names[0]).unwrap();
    let place = group.partition(&TopicPartition::new("t", 2)).unwrap();
    assert_eq!(place.movement.since, Some(at(0)));
    // Another one is looked at: what was kept of the first goes.
    let samples = samples.with(at(4), &groups, Some(&names[0]), &limits);
    assert_eq!(
        (followed(&samples, 0), followed(&samples, 1)),
        ((true, 3), (true, 0))
    );
    // With room for all, all are followed.
    let all = Samples::default().with(at(0), &groups, None, &Limits::default());
    assert_eq!(
        (followed(&all, 0), followed(&all, 1)),
        ((true, 3), (true, 3))
    );
}

#[test]
fn there_are_never_more_series_than_the_limit_but_for_the_chosen_group() {
    let limits = Limits {
        series: 3,
        places: 0,
        ..Limits::default()
    };
    let names: Vec<Text> = (0..5)
        .map(|number| Text::from(format!("g{number}").as_str()))
        .collect();
    let places = [stands("s", 0, 1, 2), stands("t", 0, 1, 2)];
    let groups: Vec<GroupReading<'_>> = names
        .iter()
        .map(|name| GroupReading {
            name,
            places: Some(&places),
        })
        .collect();
    let samples = Samples::default().with(at(0), &groups, Some(&names[4]), &limits);
    let sums: Vec<usize> = names
        .iter()
        .map(|name| samples.group(name).unwrap().series().count())
        .collect();
    assert_eq!(sums, [2, 1, 0, 0, 4]);
}

#[test]
fn a_thousand_groups_stay_within_the_limit_of_memory() {
    let limits = Limits {
        all: 20_000,
        ..Limits::default()
    };
    let names: Vec<Text> = (0..1_000)
        .map(|number| Text::from(format!("g{number:04}").as_str()))
        .collect();
    let mut samples = Samples::default();
    let mut most = 0;
    for step in 0..60 {
        let places: Vec<Place> = (0..40)
            .map(|partition| stands("t", partition, step, step * 2))
            .collect();
        let groups: Vec<GroupReading<'_>> = names
            .iter()
            .map(|name| GroupReading {
                name,
                places: Some(&places),
            })
            .collect();
        samples = samples.with(at(step * 15), &groups, Some(&names[0]), &limits);
        most = most.max(samples.stretches());
    }
    assert!(most <= 20_000, "{most}");
    // The chosen group's 40 partitions and 1,000 sums.
    let sum = samples
        .group(&names[7])
        .unwrap()
        .topic("t")
        .unwrap()
        .sum
        .as_ref()
        .unwrap();
    assert!(sum.len() >= 8, "{}", sum.len());
    // What is left out is said, and the present is kept whole.
    assert!(sum.thinned_before().is_some());
    assert_eq!(sum.since(), Some(at(0)));
    let last = sum.stretches().next_back().unwrap();
    assert_eq!(
        (last.until, last.offsets.unwrap().end),
        (at(59 * 15), Offset(59 * 2 * 40))
    );
}
