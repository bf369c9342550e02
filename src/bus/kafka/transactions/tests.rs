//! What is said of a transaction, by what coordinators told.

use super::*;

fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("t", partition)
}

fn producer(id: i64) -> ActiveProducer {
    ActiveProducer {
        id,
        epoch: 2,
        last_time: 256,
        open_from: 6,
    }
}

fn transaction(producer: i64) -> DescribedTransaction {
    DescribedTransaction {
        code: 0,
        id: "payments".to_owned(),
        state: "Ongoing".to_owned(),
        timeout_ms: 60_000,
        started: 100,
        producer,
        partitions: vec![at(0)],
    }
}

fn coordinators(
    known: Vec<(i64, Known<DescribedTransaction>)>,
    gap: Option<Problem>,
) -> Coordinators {
    Coordinators {
        by_producer: known.into_iter().collect(),
        gap,
    }
}

#[test]
fn a_transaction_is_known_with_name_state_and_time_out() {
    let known = coordinators(vec![(8, Ok(transaction(8)))], None);
    let state = known.of(&at(0), &producer(8)).unwrap().unwrap();
    assert_eq!(
        state,
        TransactionState {
            transactional_id: "payments".to_owned(),
            state: "Ongoing".to_owned(),
            started: Some(TimestampMs(100)),
            timeout_ms: 60_000,
        }
    );
    let open = described(&producer(8), Ok(Some(state)));
    assert_eq!((open.producer, open.epoch, open.first), (8, 2, Offset(6)));
    assert_eq!(open.last_write, Some(TimestampMs(256)));
}

#[test]
fn nobody_knows_it_only_when_everybody_answered() {
    assert_eq!(
        coordinators(vec![], None).of(&at(0), &producer(8)),
        Ok(None)
    );
    // Its producer is known, but writes elsewhere, or has another number by now.
    for known in [(8, Ok(transaction(8))), (8, Ok(transaction(9)))] {
        let partition = if known.1.as_ref().is_ok_and(|one| one.producer == 8) {
            at(1)
        } else {
            at(0)
        };
        let known = coordinators(vec![known], None);
        assert_eq!(known.of(&partition, &producer(8)), Ok(None));
    }
}

#[test]
fn a_coordinator_that_did_not_answer_leaves_it_unknown() {
    let silent = Problem::new(ProblemKind::TimedOut, "no answer within 5 s");
    for known in [vec![], vec![(8, Ok(transaction(8)))]] {
        let known = coordinators(known, Some(silent.clone()));
        let problem = known.of(&at(1), &producer(8)).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::TimedOut);
    }
    // What another one knows is known all the same.
    let known = coordinators(vec![(8, Ok(transaction(8)))], Some(silent));
    assert!(matches!(known.of(&at(0), &producer(8)), Ok(Some(_))));
    let known = coordinators(vec![(8, Err(may_not_see()))], None);
    let problem = known.of(&at(0), &producer(8)).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Forbidden);
}

#[test]
fn a_transaction_that_began_since_is_another_one() {
    let later = ActiveProducer {
        open_from: 9,
        ..producer(8)
    };
    assert!(is_among(&producer(8), &[producer(7), producer(8)]));
    assert!(!is_among(&producer(8), &[later, producer(7)]));
}

#[test]
fn times_that_are_not_told_are_unknown() {
    let never = ActiveProducer {
        last_time: -1,
        ..producer(8)
    };
    assert_eq!(described(&never, Ok(None)).last_write, None);
    let unset = DescribedTransaction {
        started: -1,
        ..transaction(8)
    };
    assert_eq!(state(&unset).started, None);
}
