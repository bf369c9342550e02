use super::*;
use crate::model::{Problem, ProblemKind, Producer};

fn at() -> TopicPartition {
    TopicPartition::new("t", 0)
}

fn batch(first: i64, last: i64, producer: Option<i64>) -> Batch {
    Batch {
        first: Offset(first),
        last: Offset(last),
        records: u32::try_from(last - first + 1).unwrap(),
        kind: BatchKind::Data,
        transactional: producer.is_some(),
        producer: producer.map(|id| Producer {
            id,
            epoch: 0,
            sequence: 0,
        }),
        leader_epoch: 0,
        max_time: Some(TimestampMs(first)),
        holes: Ok(vec![]),
    }
}

fn mark(offset: i64, producer: i64, kind: BatchKind) -> Batch {
    Batch {
        kind,
        ..batch(offset, offset, Some(producer))
    }
}

fn portion(from: i64, stable: i64, batches: Vec<Batch>, aborted: &[(i64, i64)]) -> LogPortion {
    let next = batches.last().map_or(Offset(from), |last| last.last.next());
    LogPortion {
        at: at(),
        from: Offset(from),
        next,
        log_start: Offset(0),
        last_stable: Offset(stable),
        high_watermark: Offset(stable + 10),
        batches,
        aborted: aborted
            .iter()
            .map(|(producer, first)| Aborted {
                producer: *producer,
                first: Offset(*first),
            })
            .collect(),
    }
}

fn told(holes: &Holes) -> Vec<(i64, i64, &'static str, &'static str, u64)> {
    let findings = holes.findings();
    assert!(findings.iter().all(|finding| finding.normal));
    findings
        .iter()
        .map(|finding| {
            (
                finding.from.unwrap().0,
                finding.to.unwrap().0,
                finding.kind.code(),
                finding.certainty.name(),
                finding.records.unwrap(),
            )
        })
        .collect()
}

#[test]
fn marks_and_withdrawn_records_are_proven_by_the_log() {
    let mut holes = Holes::new(at(), Offset(0), Some(false));
    let log = vec![
        batch(0, 2, None),
        batch(3, 4, Some(7)),
        batch(5, 5, Some(8)),
        batch(6, 6, Some(7)),
        mark(7, 7, BatchKind::Abort),
        mark(8, 8, BatchKind::Commit),
        batch(9, 9, Some(7)),
        mark(10, 7, BatchKind::Commit),
    ];
    holes.add(&portion(0, 11, log, &[(7, 3)]));
    assert_eq!(holes.next(), Offset(11));
    assert_eq!(
        told(&holes),
        [
            (3, 4, "G2", "proof", 2),
            (6, 6, "G2", "proof", 1),
            (7, 7, "G1", "proof", 1),
            (8, 8, "G1", "proof", 1),
            (10, 10, "G1", "proof", 1),
        ]
    );
    assert_eq!(
        holes.withdrawn(),
        [(Offset(3), Offset(4)), (Offset(6), Offset(6))]
    );
}

#[test]
fn a_transaction_that_began_before_what_is_read_is_withdrawn_too() {
    let mut holes = Holes::new(at(), Offset(50), None);
    let log = vec![batch(48, 52, Some(7)), mark(53, 7, BatchKind::Abort)];
    holes.add(&portion(50, 60, log, &[(7, 40)]));
    assert_eq!(holes.withdrawn(), [(Offset(50), Offset(52))]);
}

#[test]
fn an_abort_ends_where_its_mark_is_also_in_the_next_portion() {
    let mut holes = Holes::new(at(), Offset(0), None);
    holes.add(&portion(0, 20, vec![batch(0, 1, Some(7))], &[(7, 0)]));
    let rest = vec![mark(2, 7, BatchKind::Abort), batch(3, 3, Some(7))];
    holes.add(&portion(2, 20, rest, &[(7, 0)]));
    assert_eq!(holes.withdrawn(), [(Offset(0), Offset(1))]);
}

#[test]
fn what_compaction_took_inside_of_batches_is_proven_and_between_them_nearly() {
    let compacted = Batch {
        records: 2,
        holes: Ok(vec![(Offset(0), Offset(1)), (Offset(3), Offset(4))]),
        ..batch(0, 5, None)
    };
    let emptied = Batch {
        records: 0,
        holes: Ok(vec![(Offset(8), Offset(9))]),
        ..batch(8, 9, None)
    };
    let log = vec![compacted, emptied];
    let mut holes = Holes::new(at(), Offset(0), Some(true));
    holes.add(&portion(0, 20, log.clone(), &[]));
    assert_eq!(
        told(&holes),
        [
            (0, 1, "G3", "proof", 2),
            (3, 4, "G3", "proof", 2),
            (6, 7, "G3", "strong", 2),
            (8, 9, "G3", "proof", 2),
        ]
    );
    let mut plain = Holes::new(at(), Offset(0), Some(false));
    plain.add(&portion(0, 20, log, &[]));
    assert_eq!(told(&plain)[2], (6, 7, "G3", "hint", 2));
}

#[test]
fn nothing_is_said_beyond_the_last_stable_offset_nor_before_the_log_start() {
    let mut holes = Holes::new(at(), Offset(0), Some(true));
    let log = LogPortion {
        log_start: Offset(10),
        ..portion(
            0,
            14,
            vec![batch(10, 13, None), mark(20, 1, BatchKind::Commit)],
            &[],
        )
    };
    holes.add(&log);
    assert_eq!(told(&holes), []);
    assert_eq!(holes.next(), Offset(14));
}

#[test]
fn a_batch_that_cannot_be_unpacked_is_a_question() {
    let unreadable = Batch {
        records: 1,
        holes: Err(Problem::new(ProblemKind::Malformed, "damaged")),
        ..batch(0, 3, None)
    };
    let mut holes = Holes::new(at(), Offset(0), Some(true));
    holes.add(&portion(0, 20, vec![unreadable], &[]));
    assert_eq!(told(&holes), [(0, 3, "G3", "hint", 3)]);
}

#[test]
fn of_very_many_marks_the_rest_is_one_finding() {
    let mut holes = Holes::new(at(), Offset(0), None);
    let log = (0..500)
        .flat_map(|n| {
            [
                batch(2 * n, 2 * n, Some(1)),
                mark(2 * n + 1, 1, BatchKind::Commit),
            ]
        })
        .collect();
    holes.add(&portion(0, 2_000, log, &[]));
    let told = told(&holes);
    assert_eq!(told.len(), 201);
    assert_eq!(told[200], (401, 999, "G1", "proof", 300));
}

fn seen(compacted: Option<bool>, offsets: &[i64], aborted: &[i64], end: i64) -> Holes {
    let mut holes = Holes::new(at(), Offset(0), compacted);
    for offset in offsets {
        let visibility = if aborted.contains(offset) {
            Visibility::Aborted
        } else {
            Visibility::Committed
        };
        holes.saw(Offset(*offset), None, visibility);
    }
    holes.passed_to(Offset(end));
    holes
}

#[test]
fn without_the_log_causes_are_inferred_and_less_sure() {
    assert_eq!(
        told(&seen(Some(false), &[0, 1, 3, 4, 6], &[3, 4], 8)),
        [
            (2, 2, "G1", "strong", 1),
            (3, 4, "G2", "strong", 2),
            (5, 5, "G1", "strong", 1),
            (7, 7, "G1", "strong", 1),
        ]
    );
    assert_eq!(
        told(&seen(Some(false), &[0, 4], &[], 5)),
        [(1, 3, "G1", "hint", 3)]
    );
    assert_eq!(
        told(&seen(Some(true), &[0, 2], &[], 3)),
        [(1, 1, "G3", "hint", 1)]
    );
    assert_eq!(told(&seen(Some(false), &[0, 1, 2], &[], 3)), []);
}

#[test]
fn a_transaction_that_is_listed_again_after_its_end_takes_nothing_more() {
    let mut holes = Holes::new(at(), Offset(0), None);
    let first = vec![batch(0, 1, Some(7)), mark(2, 7, BatchKind::Abort)];
    holes.add(&portion(0, 20, first, &[(7, 0)]));
    let second = vec![batch(3, 4, Some(7)), mark(5, 7, BatchKind::Commit)];
    holes.add(&portion(3, 20, second, &[(7, 0)]));
    let third = vec![batch(6, 7, Some(7)), mark(8, 7, BatchKind::Abort)];
    holes.add(&portion(6, 20, third, &[(7, 6)]));
    assert_eq!(
        holes.withdrawn(),
        [(Offset(0), Offset(1)), (Offset(6), Offset(7))]
    );
}

#[test]
fn the_mark_at_the_end_of_a_log_that_is_read_is_no_event_that_waits() {
    let mut holes = Holes::new(at(), Offset(0), Some(false));
    let log = vec![batch(0, 0, Some(7)), mark(1, 7, BatchKind::Commit)];
    holes.add(&portion(0, 2, log, &[]));
    assert_eq!(told(&holes), [(1, 1, "G1", "proof", 1)]);
    assert_eq!(
        holes.findings()[0].sentence,
        "offset 1 in t/0: a bookkeeping mark that a transaction was committed, not an event."
    );
}

#[test]
fn one_withdrawn_event_is_not_spoken_of_as_several() {
    let one = seen(Some(false), &[0, 1], &[1], 2);
    assert_eq!(
        one.findings()[0].sentence,
        "offset 1 in t/0: the producer withdrew 1 event; careful consumers never saw it."
    );
}

#[test]
fn without_the_log_nothing_is_said_behind_an_open_transaction_until_it_ends() {
    let mut holes = seen(Some(false), &[0, 1], &[], 2);
    for offset in [3, 5, 9] {
        holes.saw(Offset(offset), None, Visibility::Open);
    }
    holes.passed_to(Offset(12));
    assert_eq!(holes.next(), Offset(3));
    assert_eq!(told(&holes), [(2, 2, "G1", "strong", 1)]);
    for offset in [3, 5] {
        holes.saw(Offset(offset), None, Visibility::Committed);
    }
    holes.passed_to(Offset(6));
    assert_eq!(holes.next(), Offset(6));
    assert_eq!(
        told(&holes),
        [(2, 2, "G1", "strong", 1), (4, 4, "G1", "strong", 1)]
    );
}

#[test]
fn without_the_log_the_rest_of_very_many_counts_its_offsets() {
    // Two offsets are missing behind each of 300 records.
    let offsets: Vec<i64> = (0..300).map(|n| n * 3).collect();
    let marks = told(&seen(Some(false), &offsets, &[], 900));
    assert_eq!(marks.len(), 201);
    assert_eq!(marks[200], (600, 899, "G1", "hint", 200));
    let unknown = told(&seen(None, &offsets, &[], 900));
    assert_eq!(unknown[200], (600, 899, "G3", "hint", 200));
}
