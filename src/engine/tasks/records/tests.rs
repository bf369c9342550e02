//! Whole answers against a bus made by hand.

use super::*;
use crate::decode::schema::NoSchemas;
use crate::engine::command::{Edge, RecordScope};
use crate::engine::tasks::by_hand::{ByHand, Entry, Log, log};
use parking_lot::Mutex;

fn scope(partition: Option<i32>, offset: Option<i64>) -> RecordScope {
    RecordScope {
        topic: "t".into(),
        partition: partition.map(PartitionId),
        offset: offset.map(Offset),
    }
}

fn everything() -> RecordsRequest {
    RecordsRequest {
        scope: vec![scope(None, None)],
        ..RecordsRequest::default()
    }
}

/// The places of the records given out, and the coverage.
async fn answer(bus: ByHand, request: RecordsRequest) -> (Vec<(i32, i64)>, Coverage) {
    let given: Arc<Mutex<Vec<Record>>> = Arc::default();
    let into = Arc::clone(&given);
    let sink = Box::new(move |records: Vec<Record>| {
        into.lock().extend(records);
        true
    });
    let coverage = records(
        Arc::new(bus),
        request,
        Arc::new(NoSchemas),
        Cancel::default(),
        sink,
    )
    .await
    .unwrap();
    let places = given
        .lock()
        .iter()
        .map(|record| (record.partition.0, record.offset.0))
        .collect();
    (places, coverage)
}

/// Where each partition goes on, and whether it is complete.
fn rows(coverage: &Coverage) -> Vec<(i64, bool)> {
    coverage
        .partitions
        .iter()
        .map(|row| (row.next.unwrap().0, row.complete))
        .collect()
}

/// Two partitions of ten records, the records of the second each a millisecond after those of the first.
fn pair() -> ByHand {
    ByHand::new([
        log((0..10).map(|at| at * 2)),
        log((0..10).map(|at| at * 2 + 1)),
    ])
}

#[tokio::test]
async fn a_limit_below_the_newest_says_that_it_withheld_some() {
    let request = RecordsRequest {
        newest: Some(6),
        limit: Some(3),
        ..everything()
    };
    let (places, coverage) = answer(pair(), request).await;
    assert_eq!(places, [(0, 7), (1, 7), (0, 8)]);
    assert_eq!(coverage.stopped_by, Some(StoppedBy::Limit));
    assert!(!coverage.is_complete());
    assert_eq!(rows(&coverage), [(9, false), (8, false)]);
    assert_eq!(coverage.matched, 3);
}

#[tokio::test]
async fn a_limit_that_withheld_nothing_is_not_told() {
    for order in [Order::AsRead, Order::Offset, Order::Time] {
        for (newest, limit) in [(None, 20), (Some(6), 6), (Some(6), 9)] {
            let request = RecordsRequest {
                newest,
                limit: Some(limit),
                order,
                ..everything()
            };
            let (places, coverage) = answer(pair(), request).await;
            let count = if newest.is_some() { 6 } else { 20 };
            assert_eq!(places.len(), count, "{order:?} {newest:?} {limit}");
            assert_eq!(coverage.stopped_by, None, "{order:?} {newest:?} {limit}");
            assert!(coverage.is_complete(), "{order:?} {newest:?} {limit}");
        }
    }
}

#[tokio::test]
async fn a_limit_just_before_a_marker_at_the_end_withheld_nothing() {
    let mut marked = log(0..5);
    marked.records.push(Entry::Nothing);
    let request = RecordsRequest {
        limit: Some(5),
        ..everything()
    };
    let (places, coverage) = answer(ByHand::new([marked]), request).await;
    assert_eq!((places.len(), coverage.stopped_by), (5, None));
    assert_eq!(rows(&coverage), [(6, true)]);
}

#[tokio::test]
async fn a_limit_that_stops_goes_on_at_the_first_record_withheld() {
    for order in [Order::AsRead, Order::Offset] {
        let request = RecordsRequest {
            limit: Some(4),
            order,
            scope: vec![scope(Some(0), None)],
            ..everything()
        };
        let (places, coverage) = answer(pair(), request).await;
        assert_eq!(places, [(0, 0), (0, 1), (0, 2), (0, 3)]);
        assert_eq!(coverage.stopped_by, Some(StoppedBy::Limit));
        assert_eq!(rows(&coverage), [(4, false)]);
        assert_eq!((coverage.records_scanned, coverage.matched), (4, 4));
    }
}

#[tokio::test]
async fn the_newest_come_in_the_order_asked_for() {
    let newest = |order| RecordsRequest {
        newest: Some(4),
        order,
        ..everything()
    };
    for order in [Order::AsRead, Order::Time] {
        let (places, _) = answer(pair(), newest(order)).await;
        assert_eq!(places, [(0, 8), (1, 8), (0, 9), (1, 9)]);
    }
    let (places, _) = answer(pair(), newest(Order::Offset)).await;
    assert_eq!(places, [(0, 8), (0, 9), (1, 8), (1, 9)]);
}

#[tokio::test]
async fn the_newest_are_those_of_the_latest_times_wherever_they_lie() {
    let mut odd = log(0..5_101);
    odd.records[100] = Entry::At(4_102_444_800_000);
    let request = RecordsRequest {
        newest: Some(1),
        ..everything()
    };
    let (places, coverage) = answer(ByHand::new([odd]), request).await;
    assert_eq!(places, [(0, 100)]);
    assert!(coverage.is_complete());
}

#[tokio::test]
async fn the_newest_none_read_nothing() {
    for limit in [None, Some(0)] {
        let request = RecordsRequest {
            newest: Some(0),
            limit,
            ..everything()
        };
        let (places, coverage) = answer(pair(), request).await;
        assert!(places.is_empty());
        assert_eq!(coverage.records_scanned, 0);
        assert_eq!(rows(&coverage), [(10, true), (10, true)]);
        assert!(coverage.is_complete());
    }
}

#[tokio::test]
async fn every_named_offset_comes_and_no_other() {
    let named = [(0, 2), (0, 9_000), (1, 3), (0, 3), (0, 5)];
    let request = |order, newest| RecordsRequest {
        scope: named
            .map(|(partition, offset)| scope(Some(partition), Some(offset)))
            .to_vec(),
        order,
        newest,
        ..RecordsRequest::default()
    };
    let bus = || ByHand::new([log(0..10_000), log(0..10)]);
    let by_offset = [(0, 2), (0, 3), (0, 5), (0, 9_000), (1, 3)];
    let by_time = [(0, 2), (0, 3), (1, 3), (0, 5), (0, 9_000)];
    for (order, newest, expected) in [
        (Order::Offset, None, &by_offset[..]),
        (Order::Time, None, &by_time[..]),
        (Order::Time, Some(9), &by_time[..]),
        (Order::Time, Some(2), &by_time[3..]),
        (Order::Offset, Some(9), &by_offset[..]),
    ] {
        let (places, coverage) = answer(bus(), request(order, newest)).await;
        assert_eq!(places, expected, "{order:?} {newest:?}");
        assert_eq!(coverage.records_scanned, 5, "{order:?} {newest:?}");
        assert!(coverage.is_complete(), "{order:?} {newest:?}");
    }
    let (mut places, coverage) = answer(bus(), request(Order::AsRead, None)).await;
    places.sort_unstable();
    assert_eq!(places, by_offset);
    assert_eq!(rows(&coverage), [(9_001, true), (4, true)]);
}

#[tokio::test]
async fn a_named_offset_without_a_record_is_looked_at_and_nothing_comes() {
    let mut hole = log(0..5);
    hole.records[3] = Entry::Nothing;
    let request = RecordsRequest {
        scope: vec![scope(Some(0), Some(3))],
        ..RecordsRequest::default()
    };
    let (places, coverage) = answer(ByHand::new([hole]), request).await;
    assert!(places.is_empty());
    assert!(coverage.is_complete());
    assert_eq!(coverage.partitions[0].error, None);
    assert_eq!(rows(&coverage), [(4, true)]);
}

#[tokio::test]
async fn named_offsets_behind_a_broken_one_are_not_claimed() {
    let broken = Log {
        broken_from: Some(50),
        ..log(0..1_000)
    };
    let request = RecordsRequest {
        scope: [10, 400, 900]
            .map(|offset| scope(Some(0), Some(offset)))
            .to_vec(),
        ..RecordsRequest::default()
    };
    let (places, coverage) = answer(ByHand::new([broken]), request).await;
    assert_eq!(places, [(0, 10)]);
    assert_eq!(coverage.stopped_by, Some(StoppedBy::Error));
    assert!(!coverage.partitions[0].complete);
}

#[tokio::test]
async fn an_edge_that_is_not_in_the_log_makes_the_answer_partial() {
    let request = RecordsRequest {
        scope: vec![scope(Some(0), None)],
        to: Some(Edge::Offset(Offset(12))),
        ..everything()
    };
    let (places, coverage) = answer(pair(), request).await;
    assert_eq!(places.len(), 10);
    assert!(!coverage.is_complete());
    let error = coverage.partitions[0].error.as_ref().unwrap();
    assert_eq!(
        &*error.message,
        "offsets 10 to 11 are not written yet: the log ends at 10"
    );
}

#[tokio::test]
async fn batches_are_bounded_in_count_and_bytes() {
    let sizes: Arc<Mutex<Vec<usize>>> = Arc::default();
    let into = Arc::clone(&sizes);
    let sink = Box::new(move |records: Vec<Record>| {
        into.lock().push(records.len());
        true
    });
    let bus = Arc::new(ByHand::new([log(0..1_200)]));
    let schemas = Arc::new(NoSchemas);
    records(bus, everything(), schemas, Cancel::default(), sink)
        .await
        .unwrap();
    let sizes = sizes.lock().clone();
    assert_eq!(sizes.iter().sum::<usize>(), 1_200);
    let most = usize::try_from(BATCH_BYTES / crate::engine::tasks::scan::OVERHEAD).unwrap() + 1;
    assert!(
        sizes.iter().all(|size| *size <= BATCH.min(most)),
        "{sizes:?}"
    );
}
