//! The shop: its topics and six hours of their history.

use std::collections::BTreeMap;
use std::time::Instant;

use fastrand::Rng;

use super::super::batch::{Builder, Producer};
use super::super::broker::State;
use super::super::config::{CLEANUP_POLICY, RETENTION_MS, Settings, TIMESTAMP_TYPE};
use super::super::log::PartitionLog;
use super::super::transaction::Moment;
use super::rhythm::{self, HISTORY_MINUTES, MINUTE};
use super::story::{Event, Failure, LOST_ORDER, Teller, Topic};
use super::writer::{self, Placed};
use super::{customers, dead_letters, partitioner};

/// The number of the first order.
const FIRST_ORDER: u32 = 2_000;
/// The minutes of the history in which a producer wrote weights that the warehouse cannot read.
const BAD_WEIGHTS: std::ops::Range<i64> = 258..262;
/// The minute after which the poison record comes.
const POISON: i64 = 265;
/// An import that was committed, in the quiet stretch.
const COMMITTED_IMPORT: Import = Import {
    minute: 165,
    partition: 1,
    records: 60,
    first: 900_000,
    commit: true,
};
/// An import that was aborted.
const ABORTED_IMPORT: Import = Import {
    minute: 230,
    partition: 3,
    records: 82,
    first: 910_000,
    commit: false,
};
/// How many minutes after the first import somebody writes a dead letter to its topic once more.
const REDRIVEN: i64 = 40;
/// Up to this minute the head of partition 2 of the orders was deleted.
const DELETED_UNTIL: i64 = 200;

/// A transaction of the nightly import.
#[derive(Clone, Copy, Debug)]
struct Import {
    minute: i64,
    partition: i32,
    records: usize,
    first: u32,
    commit: bool,
}

/// What is known once the shop is open.
#[derive(Debug)]
pub(super) struct Opened {
    /// When the history began, epoch milliseconds.
    pub(super) began: i64,
    /// Where `fraud-check` is stuck.
    pub(super) poison: Option<(i32, i64)>,
    /// Where the group that lost records stood on partition 2 of the orders.
    pub(super) lost_from: i64,
    /// What is still to happen, soonest first.
    pub(super) coming: Vec<Event>,
    /// The number of the next order.
    pub(super) next_order: u32,
}

/// Makes the shop's topics and writes their history up to `now`.
pub(super) fn open(state: &mut State, rng: &mut Rng, seed: u64, now: i64) -> Opened {
    let began = now - HISTORY_MINUTES * MINUTE;
    for topic in [
        Topic::Orders,
        Topic::Payments,
        Topic::Shipments,
        Topic::Notifications,
        Topic::Customers,
    ] {
        let partitions = (0..topic.partitions()).map(|_| PartitionLog::default());
        state.add_topic(topic.name(), partitions.collect(), settings(topic), seed);
    }
    let (events, next_order) = events(rng, seed, began);
    let (mut past, mut coming): (Vec<Event>, Vec<Event>) =
        events.into_iter().partition(|event| event.at <= now);
    past.extend(customers::before(rng, began));
    past.sort_by_key(|event| event.at);
    coming.sort_by_key(|event| event.at);

    let mut failed = Vec::new();
    let mut rest = past;
    for import in [COMMITTED_IMPORT, ABORTED_IMPORT] {
        let at = began + import.minute * MINUTE;
        let later = rest.partition_point(|event| event.at < at);
        let mut later = rest.split_off(later);
        failed.extend(write(state, rest));
        run_import(state, &import, at);
        if import.commit {
            // In the night a dead letter is tried once more by hand.
            later.extend(dead_letters::redriven(&failed, at + REDRIVEN * MINUTE));
            later.sort_by_key(|event| event.at);
        }
        rest = later;
    }
    failed.extend(write(state, rest));
    customers::compact(state, now);

    dead_letters::write(state, rng, &failed, seed, now);
    let lost_from = delete_head(state, began);
    let poison = failed
        .iter()
        .find(|placed| placed.event.fails == Some(Failure::Poison))
        .map(|placed| (placed.partition, placed.offset));
    Opened {
        began,
        poison,
        lost_from,
        coming,
        next_order,
    }
}

/// What a topic of the shop is set to.
fn settings(topic: Topic) -> Settings {
    let mut settings = Settings::default();
    let chosen: &[(&str, &str)] = match topic {
        Topic::Orders => &[(CLEANUP_POLICY, "delete"), (RETENTION_MS, "604800000")],
        Topic::Payments => &[(RETENTION_MS, "1209600000"), ("min.insync.replicas", "1")],
        Topic::Shipments => &[(RETENTION_MS, "604800000")],
        Topic::Notifications => &[
            (RETENTION_MS, "86400000"),
            (TIMESTAMP_TYPE, "LogAppendTime"),
        ],
        Topic::Customers => &[
            (CLEANUP_POLICY, "compact"),
            ("min.cleanable.dirty.ratio", "0.1"),
            ("segment.ms", "600000"),
        ],
    };
    for (name, value) in chosen {
        // Every name and value above is a legal one; a test holds them to it.
        drop(settings.set(name, value));
    }
    settings
}

fn events(rng: &mut Rng, seed: u64, began: i64) -> (Vec<Event>, u32) {
    let mut events = Vec::new();
    let mut number = FIRST_ORDER;
    let mut poisoned = false;
    for minute in 0..HISTORY_MINUTES {
        let mut times: Vec<i64> = (0..rhythm::orders(seed, minute))
            .map(|_| began + minute * MINUTE + rng.i64(0..MINUTE))
            .collect();
        times.sort_unstable();
        for at in times {
            let key = format!("o-{number}");
            let home = partitioner::partition(key.as_bytes(), Topic::Payments.partitions());
            let failure = if number == LOST_ORDER {
                Some(Failure::Address)
            } else if minute >= POISON && !poisoned && home == 1 {
                poisoned = true;
                Some(Failure::Poison)
            } else if BAD_WEIGHTS.contains(&minute) && number.is_multiple_of(2) {
                Some(Failure::Sink)
            } else {
                given_up(rng)
            };
            events.extend(Teller::tell(rng, number, at, failure));
            number += 1;
        }
    }
    (events, number)
}

/// Now and then shipping gives an order up.
pub(super) fn given_up(rng: &mut Rng) -> Option<Failure> {
    match rng.u32(0..130) {
        0 => Some(Failure::Null),
        1 if rng.bool() => Some(Failure::Address),
        _ => None,
    }
}

/// Writes events, each to its partition, and answers with those that fail.
fn write(state: &mut State, events: Vec<Event>) -> Vec<Placed> {
    let mut by_place: BTreeMap<(Topic, i32), Vec<Event>> = BTreeMap::new();
    for event in events {
        by_place
            .entry(writer::place(&event))
            .or_default()
            .push(event);
    }
    let mut failed = Vec::new();
    for ((topic, partition), events) in by_place {
        if let Some(log) = state.partition_mut(topic.name(), partition) {
            failed.extend(writer::write(log, partition, events, topic));
        }
    }
    failed
}

/// Writes a transaction and its marker.
fn run_import(state: &mut State, import: &Import, at: i64) {
    const ID: &str = "orders-import";
    let now = Moment {
        ms: at,
        at: Instant::now(),
    };
    let place = (Topic::Orders.name().to_owned(), import.partition);
    let Ok(producer) = state.init_producer(Some(ID), 60_000, now) else {
        return;
    };
    if state
        .add_partitions(ID, producer, std::slice::from_ref(&place), now)
        .is_err()
    {
        return;
    }
    let home = |number: &u32| {
        let key = format!("o-{number}");
        partitioner::partition(key.as_bytes(), Topic::Orders.partitions()) == import.partition
    };
    let mut batch = Builder::new(at).by(Producer {
        id: producer.0,
        epoch: producer.1,
        base_sequence: 0,
        transactional: true,
    });
    for (number, later) in (import.first..).filter(home).take(import.records).zip(0..) {
        let at = at + later * 7;
        let id = super::story::snowflake(at, number);
        let value = format!(
            r#"{{"type":"OrderImported","id":{id},"orderId":"o-{number}","source":"marketplace","total":12.50}}"#,
        );
        batch.push(
            at,
            Some(format!("o-{number}").as_bytes()),
            Some(value.as_bytes()),
            &[],
        );
    }
    if let Some(log) = state.partition_mut(&place.0, place.1) {
        log.append(&batch.finish(0), None);
    }
    let ended = Moment {
        ms: at + 900,
        ..now
    };
    // It was begun just above, so it can be ended.
    _ = state.end_transaction(ID, producer, import.commit, ended);
}

/// Deletes the head of partition 2 of the orders and answers with a place in what was deleted.
fn delete_head(state: &mut State, began: i64) -> i64 {
    let Some(log) = state.partition_mut(Topic::Orders.name(), 2) else {
        return 0;
    };
    let end = log.end();
    let at = |minute: i64| {
        log.at_time(began + minute * MINUTE, end)
            .map(|found| found.0)
    };
    let lost_from = at(125).unwrap_or(0);
    let until = at(DELETED_UNTIL).unwrap_or(0);
    log.delete_before(until);
    lost_from
}
