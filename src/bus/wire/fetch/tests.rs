//! Answers to `Fetch`, written by hand.

use crate::model::ProblemKind;

use super::*;

fn ask() -> Fetch {
    Fetch {
        at: TopicPartition::new("t", 3),
        from: Offset(5),
        isolation: Isolation::ReadCommitted,
        most_bytes: 1_000,
        wait: Duration::ZERO,
    }
}

/// Throttled by 7 ms; partition 3 of `t`: high watermark 20, last stable 9, log start 2, one transaction of producer 8
/// aborted from 6 on, and three bytes of records.
fn body(version: i16) -> Vec<u8> {
    let mut body = vec![0, 0, 0, 7];
    if version >= 7 {
        body.extend([0, 0, 0, 0, 0, 0]);
    }
    body.extend([0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1]);
    body.extend([0, 0, 0, 3, 0, 0]);
    for end in [20_i64, 9, 2] {
        body.extend(end.to_be_bytes());
    }
    body.extend([0, 0, 0, 1]);
    for number in [8_i64, 6] {
        body.extend(number.to_be_bytes());
    }
    if version >= 11 {
        body.extend([0xff; 4]);
    }
    body.extend([0, 0, 0, 3, 1, 2, 3]);
    body
}

#[test]
fn every_version_gives_ends_aborted_transactions_and_records() {
    for version in 5..=11 {
        let fetched = ask().read(version, body(version).into()).unwrap();
        let part = FetchedPart {
            code: 0,
            high_watermark: 20,
            last_stable: 9,
            log_start: 2,
            aborted: vec![Aborted {
                producer: 8,
                first: Offset(6),
            }],
            records: Bytes::from_static(&[1, 2, 3]),
        };
        assert_eq!(fetched.throttled, Duration::from_millis(7));
        assert_eq!(fetched.part, Some(part), "version {version}");
    }
}

#[test]
fn null_lists_are_empty_ones() {
    let mut body = body(5);
    let aborted = body.len() - 7 - 20;
    body.truncate(aborted);
    body.extend([0xff; 8]);
    let part = ask().read(5, body.into()).unwrap().part.unwrap();
    assert!(part.aborted.is_empty() && part.records.is_empty());
}

#[test]
fn an_answer_without_the_partition_says_nothing_about_it() {
    let throttled = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let fetched = ask().read(11, throttled.to_vec().into()).unwrap();
    assert_eq!(fetched.throttled, Duration::from_millis(256));
    assert_eq!(fetched.part, None);
    let other = Fetch {
        at: TopicPartition::new("t", 4),
        ..ask()
    };
    assert_eq!(other.read(11, body(11).into()).unwrap().part, None);
}

#[test]
fn an_error_of_the_whole_answer_is_the_partitions() {
    let refused = [0, 0, 0, 0, 0, 29, 0, 0, 0, 0, 0, 0, 0, 0];
    let fetched = ask().read(11, refused.to_vec().into()).unwrap();
    assert_eq!(fetched.part.unwrap().code, 29);
}

#[test]
fn an_answer_that_is_cut_off_is_refused_at_every_byte() {
    for version in 5..=11 {
        let body = body(version);
        for length in 0..body.len() {
            let cut = body[..length].to_vec();
            let problem = ask().read(version, cut.into()).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::Malformed, "{version}, {length}");
        }
    }
}

#[test]
fn lengths_that_cannot_be_are_refused() {
    let body = body(11);
    // Of topics, of the name, of partitions, of aborted transactions, of records.
    for (at, width) in [(10, 4), (14, 2), (17, 4), (51, 4), (75, 4)] {
        for claim in [i32::MAX, i32::MIN, -2, 1_000_000] {
            let mut body = body.clone();
            let claim = claim.to_be_bytes();
            body[at..at + width].copy_from_slice(&claim[..width]);
            let answer = ask().read(11, body.into());
            assert!(answer.is_err(), "{at}: {claim:?}");
        }
    }
}

#[test]
fn mutated_answers_are_survived() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..5_000 {
        let version = random.i16(5..=11);
        let mut body = body(version);
        for _ in 0..random.usize(1..5) {
            let at = random.usize(0..body.len());
            body[at] = random.u8(..);
        }
        let _whatever = ask().read(version, body.into());
    }
}

#[test]
fn a_request_says_how_carefully_and_how_long() {
    let request = ask().request(11);
    assert_eq!((request.isolation_level, request.max_wait_ms), (1, 0));
    assert_eq!((request.min_bytes, request.session_epoch), (0, -1));
    let bold = Fetch {
        isolation: Isolation::ReadUncommitted,
        wait: Duration::from_millis(500),
        ..ask()
    };
    let request = bold.request(11);
    assert_eq!((request.isolation_level, request.max_wait_ms), (0, 500));
    assert_eq!(request.min_bytes, 1);
    let partition = &request.topics[0].partitions[0];
    assert_eq!((partition.partition, partition.fetch_offset), (3, 5));
    assert_eq!(partition.partition_max_bytes, 1_000);
}
