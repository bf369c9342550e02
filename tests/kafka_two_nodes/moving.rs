//! A group that moves while an engine watches: what is kept of it over time.

use crate::stages::{T0, healthy, watching};
use crate::support::cluster::Cluster;
use crate::support::kafka::Kafka;
use crate::support::raw::{self, Record};
use rdkafka::admin::{NewTopic, TopicReplication};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tideline::engine::{Engine, Link as _};
use tideline::inspect::samples::{GroupSamples, Movement, Series, Trajectory};
use tideline::model::{Clock, Offset, Text, TimestampMs, TopicPartition};

const MOVING: &str = "moving";

/// What was kept at each stage, and the times around the two moves.
pub struct Moved {
    still: Arc<GroupSamples>,
    forward: Arc<GroupSamples>,
    forward_between: (TimestampMs, TimestampMs),
    back: Arc<GroupSamples>,
}

/// The group commits 4 of 10, then 7 while 5 more records come, then goes back to 2.
pub fn moved(kafka: &Kafka) -> Moved {
    let cluster = Cluster::at(&kafka.bootstrap());
    let replication = TopicReplication::Variable(&[&[1]]);
    let topic = NewTopic::new(MOVING, 1, replication).set("retention.ms", "-1");
    cluster.create_topics(&[topic]);
    let produce = |numbers: std::ops::Range<i64>| {
        let node = format!("127.0.0.1:{}", kafka.port(1, "PLAINTEXT"));
        let records: Vec<Record> = numbers
            .map(|n| Record::new(T0 + n, format!("k{n}"), format!("v{n}")))
            .collect();
        raw::produce(&node, MOVING, 0, &records);
    };
    produce(0..10);
    cluster.commit(MOVING, &[(MOVING, 0, 4)]);
    let engine = watching(kafka);
    let still = until(&engine, "two readings", |samples| series(samples).is_line());
    let before = Clock::System.now();
    produce(10..15);
    cluster.commit(MOVING, &[(MOVING, 0, 7)]);
    let forward = until(&engine, "the move", |samples| {
        last(samples) == Some((15, 7))
    });
    let after = Clock::System.now();
    cluster.commit(MOVING, &[(MOVING, 0, 2)]);
    let back = until(&engine, "the move back", |samples| {
        last(samples) == Some((15, 2))
    });
    Moved {
        still,
        forward,
        forward_between: (before, after),
        back,
    }
}

/// Waits until what is kept of the group is as it should be.
fn until(engine: &Engine, what: &str, done: impl Fn(&GroupSamples) -> bool) -> Arc<GroupSamples> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let kept = engine
            .snapshot()
            .samples
            .group(&Text::from(MOVING))
            .cloned();
        if let Some(kept) = kept.filter(|kept| kept.topic(MOVING).is_some() && done(kept)) {
            return kept;
        }
        assert!(Instant::now() < deadline, "never {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn at() -> TopicPartition {
    TopicPartition::new(MOVING, 0)
}

fn series(samples: &GroupSamples) -> &Series {
    samples.partition(&at()).unwrap().series.as_ref().unwrap()
}

fn movement(samples: &GroupSamples) -> Movement {
    samples.partition(&at()).unwrap().movement
}

/// End and committed offset as they were read last.
fn last(samples: &GroupSamples) -> Option<(i64, i64)> {
    let offsets = series(samples).stretches().next_back()?.offsets?;
    Some((offsets.end.0, offsets.committed.0))
}

/// What was read of one of the two, one after the other, without repetitions.
fn read(samples: &GroupSamples, of: fn((i64, i64)) -> i64) -> Vec<i64> {
    let stretches = series(samples).stretches();
    let mut values: Vec<i64> = stretches
        .map(|stretch| stretch.offsets.expect("every reading succeeded"))
        .map(|offsets| of((offsets.end.0, offsets.committed.0)))
        .collect();
    values.dedup();
    values
}

#[test]
fn a_group_that_stands_still_is_one_stretch_and_has_not_moved() {
    let still = &healthy().moved.still;
    assert_eq!(series(still).len(), 1);
    assert_eq!(last(still), Some((10, 4)));
    let movement = movement(still);
    assert_eq!(movement.since, series(still).since());
    assert_eq!(movement.last, None);
}

#[test]
fn a_move_is_dated_between_the_readings_around_it() {
    let moved = &healthy().moved;
    let last = movement(&moved.forward).last.unwrap();
    assert_eq!(last.by, Some(3));
    let (before, after) = moved.forward_between;
    assert!(
        (before..=after).contains(&last.at),
        "{before:?} {last:?} {after:?}"
    );
    assert_eq!(movement(&moved.back).last.unwrap().by, Some(-5));
}

#[test]
fn readings_over_time_are_what_was_done() {
    let back = &healthy().moved.back;
    assert_eq!(read(back, |(end, _)| end), [10, 15]);
    assert_eq!(read(back, |(_, committed)| committed), [4, 7, 2]);
    // One partition is its own sum.
    let sum = back.topic(MOVING).unwrap().sum.as_ref().unwrap();
    assert_eq!(**sum, *series(back));
    let lines = Trajectory::new(series(back), 2_000);
    assert_eq!(lines.origin, Some(Offset(4)));
    let heights: Vec<i64> = lines.committed[0]
        .iter()
        .map(|(_, height)| *height)
        .collect();
    assert_eq!(
        (heights[0], heights.iter().max(), heights.last()),
        (0, Some(&3), Some(&-2))
    );
    assert_eq!(lines.produced[0].last().unwrap().1, 11);
}
