use std::sync::Arc;

use super::*;
use crate::engine::{TableOrder, TablePlace};
use crate::model::{Isolation, by_hand};

/// 30 November 2026, 14:00 in Berlin.
const T: i64 = 1_796_043_600_000;

fn at(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition::new(topic, partition)
}

fn inventory() -> Inventory {
    let topic = |name: &str, ends: &[(i64, i64)]| {
        let partitions = ends.iter().zip(0_i32..);
        let partitions = partitions.map(|((start, end), id)| by_hand::partition(id, *start, *end));
        Arc::new(by_hand::topic(name, partitions.collect()))
    };
    Inventory {
        topics: Some(Ok(vec![
            topic("orders", &[(100, 1_000), (0, 40)]),
            topic("payments", &[(0, 7)]),
        ])),
        ..Inventory::default()
    }
}

fn listed(partitions: Vec<TopicPartition>, span: TableSpan) -> TableRequest {
    TableRequest {
        partitions,
        span,
        order: TableOrder::Time,
        isolation: Isolation::ReadUncommitted,
        place: TablePlace::End,
        jump: 0,
    }
}

fn scope(listed: &TableRequest, place: SearchWhere) -> Result<Scope, String> {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    Ground {
        listed,
        inventory: &inventory(),
        group: None,
        writing: today(&zone),
    }
    .scope(place)
}

/// Written on the same day.
fn today(zone: &TimeZone) -> Writing<'_> {
    Writing {
        zone,
        now: TimestampMs(T + 3_600_000),
    }
}

fn orders() -> TableRequest {
    listed(vec![at("orders", 0), at("orders", 1)], TableSpan::All)
}

#[test]
fn what_is_listed_is_said_with_its_span_and_zone() {
    let span = TableSpan::Between(TimestampMs(T), TimestampMs(T + 20 * 60_000));
    let all = vec![at("orders", 0), at("orders", 1), at("payments", 0)];
    let found = scope(&listed(all, span.clone()), SearchWhere::Listed).unwrap();
    assert_eq!(found.words, "in 2 topics, 14:00–14:20 UTC+01:00");
    assert_eq!(found.span, span);
    let found = scope(&orders(), SearchWhere::Listed).unwrap();
    assert_eq!(found.words, "in orders");
    let one = listed(vec![at("orders", 1)], TableSpan::All);
    let found = scope(&one, SearchWhere::Everything).unwrap();
    assert_eq!(found.words, "in orders / 1, everything");
}

#[test]
fn seconds_are_written_where_they_matter_and_days_where_they_differ() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let said =
        |from: i64, to: i64| times_said(TimestampMs(T + from), TimestampMs(T + to), today(&zone));
    assert_eq!(said(0, 90_000), "14:00:00–14:01:30 UTC+01:00");
    assert_eq!(said(5, 1_000), "14:00:00.005–14:00:01.000 UTC+01:00");
    assert_eq!(said(0, 86_400_000), "14:00–1 Dec 14:00 UTC+01:00");
}

#[test]
fn the_newest_are_counted_back_from_each_end_and_not_before_the_start() {
    let found = scope(&orders(), SearchWhere::Newest(50)).unwrap();
    let ranges = [(Offset(950), Offset(1_000)), (Offset(0), Offset(40))];
    assert_eq!(found.span, TableSpan::Offsets(ranges.into()));
    assert_eq!(
        found.words,
        "in orders, the newest 50 offsets of each partition"
    );
}

#[test]
fn an_offset_is_the_same_in_each_partition_and_may_be_past_an_end() {
    let found = scope(&orders(), SearchWhere::Offset(Offset(500))).unwrap();
    let ranges = [(Offset(500), Offset(1_000)), (Offset(500), Offset(500))];
    assert_eq!(found.span, TableSpan::Offsets(ranges.into()));
}

#[test]
fn what_cannot_be_meant_says_why() {
    assert_eq!(
        scope(&orders(), SearchWhere::Group).unwrap_err(),
        "choose a group first"
    );
    let gone = listed(vec![at("gone", 3)], TableSpan::All);
    assert_eq!(
        scope(&gone, SearchWhere::Newest(1)).unwrap_err(),
        "nothing can be searched, without gone/3, whose ends are not known"
    );
}

#[test]
fn partitions_whose_ends_are_not_known_are_left_out_and_named() {
    let some = listed(vec![at("gone", 3), at("orders", 1)], TableSpan::All);
    let found = scope(&some, SearchWhere::Newest(10)).unwrap();
    assert_eq!(found.partitions, [at("orders", 1)]);
    assert_eq!(
        found.words,
        "in orders / 1, the newest 10 offsets of each partition, without gone/3, whose ends are not known"
    );
}

#[test]
fn a_time_on_its_own_goes_on() {
    let found = scope(&orders(), SearchWhere::From(TimestampMs(T))).unwrap();
    assert_eq!(found.words, "in orders, from 14:00 UTC+01:00 on");
}

#[test]
fn topics_are_whole_again_when_a_search_is_widened() {
    let topics = topics_of(&[at("orders", 1)]);
    assert_eq!(
        all_of(&topics, &inventory()),
        [at("orders", 0), at("orders", 1)]
    );
}
