//! What careful readers see, decided by hand-made readers that tell what a test wants.

use std::collections::VecDeque;

use super::*;
use crate::bus::Reader;
use crate::model::by_hand;

fn at() -> TopicPartition {
    TopicPartition::new("t", 0)
}

fn record(offset: i64) -> Record {
    Record {
        visibility: Visibility::Unknown,
        ..by_hand::record("t", 0, offset)
    }
}

/// Tells its turns one after another.
struct Told(VecDeque<Vec<ReadEvent>>);

impl Reader for Told {
    fn poll(&mut self, _wait: Duration, events: &mut Vec<ReadEvent>) -> Known<()> {
        events.extend(self.0.pop_front().unwrap_or_default());
        Ok(())
    }
}

fn reads(offsets: &[i64]) -> Vec<ReadEvent> {
    offsets
        .iter()
        .map(|offset| ReadEvent::Record(record(*offset)))
        .collect()
}

fn complete(next: i64) -> ReadEvent {
    ReadEvent::Complete {
        at: at(),
        next: Offset(next),
    }
}

fn range(from: i64, to: i64, stable: Known<Offset>) -> PartitionRange {
    PartitionRange {
        at: at(),
        from: Offset(from),
        to: Offset(to),
        meant_to: Offset(to),
        log_start: Offset(0),
        end: Offset(to),
        high_watermark: Offset(to),
        last_stable: stable,
        named: None,
        lacking: None,
    }
}

/// Holds `held`, lets the careful reader tell each of `careful` in a turn of its own, and returns what is
/// released after each turn.
fn judged(
    range: &PartitionRange,
    held: Vec<ReadEvent>,
    careful: Vec<Vec<ReadEvent>>,
) -> Vec<Vec<(i64, Visibility)>> {
    let turns = careful.len();
    let mut judge = Judge::new(
        std::slice::from_ref(range),
        Box::new(Told(VecDeque::from(careful))),
    );
    for event in held {
        judge.hold(event);
    }
    (0..turns)
        .map(|_| {
            let mut found = Vec::new();
            judge.turn(&mut found).unwrap();
            found
                .into_iter()
                .filter_map(|scanned| match scanned {
                    Scanned::Record(record) => Some((record.offset.0, record.visibility)),
                    _ => None,
                })
                .collect()
        })
        .collect()
}

#[test]
fn what_the_careful_reader_passes_without_seeing_was_aborted() {
    let range = range(0, 6, Ok(Offset(6)));
    let released = judged(
        &range,
        reads(&[0, 1, 2, 4]),
        vec![reads(&[0]), reads(&[4]), vec![complete(6)]],
    );
    assert_eq!(released[0], vec![(0, Visibility::Committed)]);
    assert_eq!(
        released[1],
        vec![
            (1, Visibility::Aborted),
            (2, Visibility::Aborted),
            (4, Visibility::Committed)
        ]
    );
    assert_eq!(released[2], vec![]);
}

#[test]
fn what_is_left_when_the_careful_reader_is_through_was_aborted() {
    let range = range(0, 3, Ok(Offset(3)));
    let released = judged(&range, reads(&[0, 1]), vec![reads(&[0]), vec![complete(3)]]);
    assert_eq!(released[1], vec![(1, Visibility::Aborted)]);
}

#[test]
fn what_lies_at_or_beyond_the_last_stable_offset_is_open() {
    let range = range(0, 9, Ok(Offset(2)));
    let released = judged(&range, reads(&[1, 2, 7]), vec![reads(&[1])]);
    assert_eq!(
        released[0],
        vec![
            (1, Visibility::Committed),
            (2, Visibility::Open),
            (7, Visibility::Open)
        ]
    );
}

#[test]
fn without_a_careful_reader_nothing_is_told() {
    let problem = || Problem::new(ProblemKind::TimedOut, "no");
    let unknown_end = range(0, 9, Err(problem()));
    let released = judged(&unknown_end, reads(&[1]), vec![vec![]]);
    assert_eq!(released[0], vec![(1, Visibility::Unknown)]);
    let failed = ReadEvent::Failed {
        at: at(),
        problem: problem(),
    };
    let released = judged(
        &range(0, 9, Ok(Offset(9))),
        reads(&[1, 2]),
        vec![reads(&[1]), vec![failed]],
    );
    assert_eq!(released[0], vec![(1, Visibility::Committed)]);
    assert_eq!(released[1], vec![(2, Visibility::Unknown)]);
}

#[test]
fn what_waits_is_weighed_until_it_is_released() {
    let range = range(0, 6, Ok(Offset(6)));
    let told = Told(VecDeque::from([reads(&[0]), vec![complete(6)]]));
    let mut judge = Judge::new(std::slice::from_ref(&range), Box::new(told));
    for event in reads(&[0, 1, 2]).into_iter().chain([complete(6)]) {
        judge.hold(event);
    }
    // Records without a byte of their own still take room.
    let mut weights = vec![judge.weight];
    for _ in 0..2 {
        judge.turn(&mut Vec::new()).unwrap();
        weights.push(judge.weight);
    }
    assert_eq!(weights, [3 * OVERHEAD, 2 * OVERHEAD, 0]);
}

#[test]
fn the_careful_reader_waits_for_the_other_one_only_while_nothing_is_held() {
    let far: Vec<i64> = (0..=i64::try_from(AHEAD).unwrap()).collect();
    let end = i64::try_from(AHEAD).unwrap() + 10;
    let range = range(0, end, Ok(Offset(end)));
    let told = Told(VecDeque::from([reads(&far), reads(&[end - 1])]));
    let mut judge = Judge::new(std::slice::from_ref(&range), Box::new(told));
    let seen = |judge: &Judge| judge.lanes[&at()].seen.len();
    for _ in 0..2 {
        judge.turn(&mut Vec::new()).unwrap();
        assert_eq!(seen(&judge), AHEAD + 1);
    }
    for event in reads(&[end - 2]) {
        judge.hold(event);
    }
    let mut found = Vec::new();
    judge.turn(&mut found).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
}
