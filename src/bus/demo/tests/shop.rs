//! What the shop holds, as its texts promise.

use std::collections::{BTreeMap, BTreeSet};

use super::{NOON, broker, shop};
use crate::bus::demo::DemoOptions;
use crate::bus::demo::batch::{Batch, Header};
use crate::bus::demo::broker::{CLUSTER_ID, State};
use crate::bus::demo::config;
use crate::bus::demo::group::Phase;
use crate::bus::demo::log::PartitionLog;

const HOUR: i64 = 3_600_000;

/// A record as a reader sees it.
struct Read {
    topic: String,
    partition: i32,
    offset: i64,
    timestamp: i64,
    key: Vec<u8>,
    value: Option<Vec<u8>>,
    raw: Vec<u8>,
}

fn records(state: &State, topic: &str) -> Vec<Read> {
    let mut all = Vec::new();
    for (log, partition) in state.topics[topic].partitions.iter().zip(0..) {
        for stored in log.batches() {
            if Header::read(&stored.bytes).unwrap().is_control() {
                continue;
            }
            all.extend(
                Batch::open(&stored.bytes)
                    .unwrap()
                    .records()
                    .map(|record| Read {
                        topic: topic.to_owned(),
                        partition,
                        offset: record.offset,
                        timestamp: record.timestamp,
                        key: record.key.unwrap().to_vec(),
                        value: record.value.map(<[u8]>::to_vec),
                        raw: record.raw.to_vec(),
                    }),
            );
        }
    }
    all
}

/// The bytes that follow a header's name in a record, without their length, which takes one byte here.
fn header<'a>(record: &'a Read, name: &str) -> Option<&'a [u8]> {
    let at = record
        .raw
        .windows(name.len())
        .position(|window| window == name.as_bytes())?;
    let rest = &record.raw[at + name.len()..];
    let length = usize::from(rest[0] / 2);
    rest.get(1..1 + length)
}

#[test]
fn the_same_seed_and_time_give_the_same_shop() {
    let summary = |seed| {
        let options = DemoOptions {
            seed,
            ..DemoOptions::default()
        };
        let broker = broker(&options);
        let state = broker.lock();
        let logs = state.topics.iter().flat_map(|(name, topic)| {
            let logs = topic.partitions.iter();
            logs.map(|log| {
                let bytes = log.batches().iter().map(|batch| batch.bytes.as_ref());
                (
                    name.clone(),
                    topic.id,
                    log.end(),
                    crc32c::crc32c(&bytes.collect::<Vec<_>>().concat()),
                )
            })
        });
        logs.collect::<Vec<_>>()
    };
    assert_eq!(summary(5), summary(5));
    assert_ne!(summary(5), summary(6));
}

#[test]
fn six_hours_lie_behind_and_no_record_is_ahead_of_its_time() {
    let broker = shop();
    let state = broker.lock();
    let mut count = 0;
    for name in ["orders", "payments", "shipments", "notifications"] {
        let mut last: BTreeMap<i32, i64> = BTreeMap::new();
        for record in records(&state, name) {
            assert!((NOON - 6 * HOUR..=NOON).contains(&record.timestamp));
            let before = last.insert(record.partition, record.timestamp);
            assert!(before.is_none_or(|before| before <= record.timestamp));
            count += 1;
        }
    }
    assert!((20_000..60_000).contains(&count), "{count}");
}

#[test]
fn an_order_can_be_followed_by_its_key() {
    let broker = shop();
    let state = broker.lock();
    let mut topics: BTreeMap<Vec<u8>, BTreeSet<String>> = BTreeMap::new();
    for name in ["orders", "payments", "shipments", "notifications"] {
        for record in records(&state, name) {
            topics.entry(record.key).or_default().insert(record.topic);
        }
    }
    let everywhere = topics.values().filter(|topics| topics.len() == 4).count();
    assert!(everywhere > 3_000, "{everywhere}");
    // The order that a customer asks about was paid for and never shipped.
    let lost = &topics[b"o-4711".as_slice()];
    assert!(lost.contains("payments") && !lost.contains("shipments"));
}

#[test]
fn values_are_json_but_for_the_poison_record() {
    let broker = shop();
    let state = broker.lock();
    let mut odd = Vec::new();
    for name in [
        "orders",
        "payments",
        "shipments",
        "notifications",
        "customers",
    ] {
        for record in records(&state, name) {
            let json = |value: &Vec<u8>| serde_json::from_slice::<serde_json::Value>(value).is_ok();
            if record.value.as_ref().is_some_and(|value| !json(value)) {
                odd.push(record);
            }
        }
    }
    let [poison] = odd.as_slice() else {
        panic!("{} values are no JSON", odd.len());
    };
    let stuck = state.groups.get("fraud-check").unwrap();
    let committed = stuck.offsets.get("payments", poison.partition).unwrap();
    assert_eq!(committed.offset, poison.offset);
}

#[test]
fn spring_dead_letters_point_at_records_that_are_there() {
    let broker = shop();
    let state = broker.lock();
    let orders = records(&state, "orders");
    let letters = records(&state, "orders.DLT");
    assert!(letters.len() > 20, "{}", letters.len());
    let mut found = 0;
    for letter in &letters {
        assert_eq!(
            header(letter, "kafka_dlt-original-topic"),
            Some(b"orders".as_slice())
        );
        let partition = header(letter, "kafka_dlt-original-partition").unwrap();
        let partition = i32::from_be_bytes(partition.try_into().unwrap());
        assert_eq!(partition, letter.partition);
        let offset = header(letter, "kafka_dlt-original-offset").unwrap();
        let offset = i64::from_be_bytes(offset.try_into().unwrap());
        let origin = orders
            .iter()
            .find(|order| (order.partition, order.offset) == (partition, offset));
        // The head of partition 2 is deleted, and with it some origins.
        if let Some(origin) = origin {
            found += 1;
            assert_eq!((&origin.key, &origin.value), (&letter.key, &letter.value));
            assert!(origin.timestamp < letter.timestamp);
        }
    }
    assert!(found > 15, "{found}");
}

#[test]
fn a_dead_letter_that_was_tried_once_more_names_both_places() {
    let broker = shop();
    let state = broker.lock();
    const NAME: &[u8] = b"kafka_dlt-original-offset";
    let offsets = |record: &Read| -> Vec<i64> {
        let raw = record.raw.windows(NAME.len() + 9);
        let found = raw.filter(|window| window.starts_with(NAME));
        // After the name its value's length, which is 8 in zigzag, and the value.
        found
            .map(|window| {
                assert_eq!(window[NAME.len()], 16);
                i64::from_be_bytes(window[NAME.len() + 1..].try_into().unwrap())
            })
            .collect()
    };
    let letters = records(&state, "orders.DLT");
    let twice: Vec<&Read> = letters
        .iter()
        .filter(|letter| offsets(letter).len() == 2)
        .collect();
    let [letter] = twice.as_slice() else {
        panic!("{} letters name two places", twice.len());
    };
    let [first, second] = offsets(letter)[..] else {
        unreachable!();
    };
    assert!(first < second);
    let orders = records(&state, "orders");
    let again = orders
        .iter()
        .find(|order| (order.partition, order.offset) == (letter.partition, second))
        .unwrap();
    assert_eq!((&again.key, &again.value), (&letter.key, &letter.value));
    assert_eq!(offsets(again), [first]);
    let once = letters
        .iter()
        .find(|other| offsets(other) == [first] && other.key == letter.key);
    assert!(once.is_some_and(|once| once.timestamp < again.timestamp));
}

#[test]
fn connect_dead_letters_point_at_records_that_are_there() {
    let broker = shop();
    let state = broker.lock();
    let shipments = records(&state, "shipments");
    let letters = records(&state, "connect-dlq");
    assert!(letters.len() > 10, "{}", letters.len());
    for letter in &letters {
        let text = |name| std::str::from_utf8(header(letter, name).unwrap()).unwrap();
        assert_eq!(text("__connect.errors.topic"), "shipments");
        let partition: i32 = text("__connect.errors.partition").parse().unwrap();
        let offset: i64 = text("__connect.errors.offset").parse().unwrap();
        let origin = shipments
            .iter()
            .find(|record| (record.partition, record.offset) == (partition, offset))
            .unwrap();
        assert_eq!((&origin.key, &origin.value), (&letter.key, &letter.value));
        assert_eq!(origin.timestamp, letter.timestamp);
    }
}

#[test]
fn customers_have_holes_tombstones_and_one_record_a_key_once_settled() {
    let broker = shop();
    let state = broker.lock();
    let customers = records(&state, "customers");
    let tombstones = customers.iter().filter(|record| record.value.is_none());
    assert!(tombstones.count() > 3);
    for (log, partition) in state.topics["customers"].partitions.iter().zip(0..) {
        let there = customers
            .iter()
            .filter(|record| record.partition == partition);
        assert!(there.clone().count() < usize::try_from(log.end()).unwrap());
        let settled = there.filter(|record| record.timestamp < NOON - HOUR * 3 / 2);
        let keys: Vec<&Vec<u8>> = settled.map(|record| &record.key).collect();
        let distinct: BTreeSet<&&Vec<u8>> = keys.iter().collect();
        assert_eq!(keys.len(), distinct.len());
    }
}

#[test]
fn one_transaction_of_82_records_was_aborted_and_one_was_committed() {
    let broker = shop();
    let state = broker.lock();
    let log = state.partition("orders", 3).unwrap();
    let aborted = log.aborted(0, log.end());
    let [aborted] = aborted.as_slice() else {
        panic!("{aborted:?}");
    };
    // 82 records, and the marker behind them.
    assert_eq!(aborted.last - aborted.first, 82);
    assert_eq!(log.last_stable(), log.end());
    let committed = state.partition("orders", 1).unwrap();
    assert_eq!(committed.aborted(0, committed.end()), []);
    let batches = committed.batches().iter();
    let headers = batches.map(|batch| Header::read(&batch.bytes).unwrap());
    let transactional: Vec<i32> = headers
        .filter(|header| header.is_transactional() && !header.is_control())
        .map(|header| header.count)
        .collect();
    assert_eq!(transactional, [60]);
}

#[test]
fn the_groups_stand_where_their_stories_say() {
    let broker = shop();
    let state = broker.lock();
    let end = |topic: &str, partition| state.partition(topic, partition).unwrap().end();
    let at = |group: &str, topic: &str, partition| {
        let group = state.groups.get(group).unwrap();
        group
            .offsets
            .get(topic, partition)
            .map(|committed| committed.offset)
    };
    let names: Vec<&String> = state.groups.0.keys().collect();
    assert_eq!(
        names,
        ["audit", "billing", "fraud-check", "reports", "shipping"]
    );
    for partition in 0..4 {
        assert_eq!(
            at("shipping", "orders", partition),
            Some(end("orders", partition))
        );
        assert_eq!(at("audit", "orders", partition), None);
        assert!(at("billing", "orders", partition).unwrap() + 50 < end("orders", partition));
    }
    // Records that billing never read are gone.
    let deleted = state.partition("orders", 2).unwrap().start();
    assert!(at("billing", "orders", 2).unwrap() + 50 < deleted);
    assert_eq!(at("fraud-check", "payments", 0), Some(end("payments", 0)));
    let members = |group: &str| state.groups.get(group).unwrap().members.len();
    assert_eq!(
        [members("shipping"), members("billing"), members("audit")],
        [2, 2, 1]
    );
    assert_eq!(state.groups.get("reports").unwrap().phase, Phase::Empty);
    assert_eq!(state.groups.get("billing").unwrap().phase, Phase::Stable);
}

#[test]
fn every_setting_that_the_shop_makes_is_kept() {
    let broker = shop();
    let state = broker.lock();
    let own = |topic: &str, name| state.topics[topic].settings.own(name);
    assert_eq!(own("orders", config::RETENTION_MS), Some("604800000"));
    assert_eq!(own("payments", config::RETENTION_MS), Some("1209600000"));
    assert_eq!(own("customers", config::CLEANUP_POLICY), Some("compact"));
    assert_eq!(own("customers", "min.cleanable.dirty.ratio"), Some("0.1"));
    assert_eq!(
        own("notifications", config::TIMESTAMP_TYPE),
        Some("LogAppendTime")
    );
    assert_eq!(own("orders.DLT", config::RETENTION_MS), Some("2592000000"));
}

#[test]
fn cleaning_takes_nothing_from_a_shop_that_was_just_opened() {
    let broker = shop();
    let mut state = broker.lock();
    let starts = |state: &State| -> Vec<i64> {
        let topics = state.topics.values();
        topics
            .flat_map(|topic| topic.partitions.iter().map(PartitionLog::start))
            .collect()
    };
    let before = starts(&state);
    state.clean(NOON);
    assert_eq!(starts(&state), before);
}

#[test]
fn more_can_be_asked_for() {
    let broker = broker(&DemoOptions {
        topics: 100,
        partitions: 100,
        groups: 1_000,
        records: 1_000_000_007,
        ..DemoOptions::default()
    });
    let state = broker.lock();
    let load = state
        .topics
        .iter()
        .filter(|(name, _)| name.starts_with("load-"));
    let logs: Vec<i64> = load
        .flat_map(|(_, topic)| topic.partitions.iter().map(PartitionLog::end))
        .collect();
    assert_eq!(logs.len(), 10_000);
    assert_eq!(logs.iter().sum::<i64>(), 1_000_000_007);
    assert_eq!(logs.iter().max().unwrap() - logs.iter().min().unwrap(), 1);
    let groups = state
        .groups
        .0
        .iter()
        .filter(|(name, _)| name.starts_with("load-"));
    assert_eq!(groups.clone().count(), 1_000);
    assert_eq!(
        groups
            .filter(|(_, group)| group.phase == Phase::Empty)
            .count(),
        250
    );
}

#[test]
fn memory_is_shed_from_the_fullest_partitions_first() {
    let broker = shop();
    let mut state = broker.lock();
    let bytes = |state: &State| -> u64 {
        let topics = state.topics.values();
        topics
            .flat_map(|topic| topic.partitions.iter().map(PartitionLog::bytes))
            .sum()
    };
    let all = bytes(&state);
    let letters = state.partition("connect-dlq", 0).unwrap().bytes();
    state.shed(all * 3 / 4);
    assert!(bytes(&state) <= all * 3 / 4 && bytes(&state) > all / 2);
    assert_eq!(state.partition("connect-dlq", 0).unwrap().bytes(), letters);
}

#[test]
fn the_cluster_id_has_the_form_of_kafkas() {
    assert_eq!(CLUSTER_ID.len(), 22);
}
