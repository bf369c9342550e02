//! Transactions: fencing, ending, timing out.

use std::time::{Duration, Instant};

use super::{NOON, shop};
use crate::bus::demo::batch::{Builder, Producer};
use crate::bus::demo::broker::State;
use crate::bus::demo::codes;
use crate::bus::demo::transaction::{Moment, Phase};

fn now() -> Moment {
    Moment {
        ms: NOON,
        at: Instant::now(),
    }
}

/// Writes one record within a transaction on a partition of the shipments.
fn write(state: &mut State, id: &str, producer: (i64, i16), sequence: i32) {
    let place = ("shipments".to_owned(), 0);
    state.add_partitions(id, producer, &[place], now()).unwrap();
    let mut builder = Builder::new(NOON).by(Producer {
        id: producer.0,
        epoch: producer.1,
        base_sequence: sequence,
        transactional: true,
    });
    builder.push(NOON, None, Some(b"v"), &[]);
    let log = state.partition_mut("shipments", 0).unwrap();
    log.append(&builder.finish(0), None).unwrap();
}

#[test]
fn a_new_producer_aborts_what_its_predecessor_left_open_and_fences_it_off() {
    let broker = shop();
    let mut state = broker.lock();
    let first = state.init_producer(Some("t"), 60_000, now()).unwrap();
    assert_eq!(first.1, 0);
    write(&mut state, "t", first, 0);
    let end = state.partition("shipments", 0).unwrap().end();
    assert_eq!(
        state.partition("shipments", 0).unwrap().last_stable(),
        end - 1
    );
    let second = state.init_producer(Some("t"), 60_000, now()).unwrap();
    assert_eq!(second.0, first.0);
    assert!(second.1 > first.1);
    let log = state.partition("shipments", 0).unwrap();
    assert_eq!((log.end(), log.last_stable()), (end + 1, end + 1));
    assert_eq!(log.aborted(0, end).len(), 1);
    let fenced = state.end_transaction("t", first, true, now());
    assert_eq!(fenced, Err(codes::INVALID_PRODUCER_EPOCH));
}

#[test]
fn a_transaction_ends_once_and_only_as_it_ended() {
    let broker = shop();
    let mut state = broker.lock();
    let producer = state.init_producer(Some("t"), 60_000, now()).unwrap();
    let early = state.end_transaction("t", producer, true, now());
    assert_eq!(early, Err(codes::INVALID_TXN_STATE));
    write(&mut state, "t", producer, 0);
    assert_eq!(state.end_transaction("t", producer, true, now()), Ok(()));
    assert_eq!(state.end_transaction("t", producer, true, now()), Ok(()));
    let other = state.end_transaction("t", producer, false, now());
    assert_eq!(other, Err(codes::INVALID_TXN_STATE));
    let unknown = state.end_transaction("u", producer, true, now());
    assert_eq!(unknown, Err(codes::INVALID_PRODUCER_ID_MAPPING));
}

#[test]
fn a_transaction_that_takes_too_long_is_aborted() {
    let broker = shop();
    let mut state = broker.lock();
    let producer = state.init_producer(Some("t"), 1_000, now()).unwrap();
    write(&mut state, "t", producer, 0);
    assert!(!state.expire_transactions(now()));
    let later = Moment {
        at: Instant::now() + Duration::from_secs(2),
        ..now()
    };
    assert!(state.expire_transactions(later));
    assert_eq!(state.transactions.by_id["t"].phase, Phase::Aborted);
    let log = state.partition("shipments", 0).unwrap();
    assert_eq!(log.last_stable(), log.end());
    let fenced = state.end_transaction("t", producer, true, now());
    assert_eq!(fenced, Err(codes::INVALID_PRODUCER_EPOCH));
}

#[test]
fn a_timeout_beyond_fifteen_minutes_is_refused() {
    let broker = shop();
    let mut state = broker.lock();
    for timeout in [0, -1, 900_001] {
        let refused = state.init_producer(Some("t"), timeout, now());
        assert_eq!(refused, Err(codes::INVALID_TRANSACTION_TIMEOUT));
    }
    assert!(state.init_producer(Some("t"), 900_000, now()).is_ok());
}

#[test]
fn producers_without_transactions_each_get_an_id_of_their_own() {
    let broker = shop();
    let mut state = broker.lock();
    let first = state.init_producer(None, 0, now()).unwrap();
    let second = state.init_producer(None, 0, now()).unwrap();
    assert_ne!(first.0, second.0);
    assert_eq!((first.1, second.1), (0, 0));
}
