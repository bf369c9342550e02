//! Searches of a bus made by hand, from the request to what the window sees.

use std::time::Duration;

use super::*;
use crate::decode::schema::NoSchemas;
use crate::engine::tasks::by_hand::{ByHand, log};
use crate::inspect::filter::Filters;
use crate::model::{Isolation, PartitionId, TimestampMs};

fn request(partitions: i32, span: TableSpan, filters: &[&str]) -> SearchRequest {
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    SearchRequest {
        number: 1,
        partitions: (0..partitions)
            .map(|partition| TopicPartition::new("t", partition))
            .collect(),
        span,
        filters: Arc::new(Filters::parse(&filters).unwrap()),
        isolation: Isolation::ReadUncommitted,
        follow: false,
        decoders: Arc::default(),
    }
}

fn around(bus: ByHand, bytes_per_second: Option<u64>) -> (Around, Arc<Publisher>) {
    let publisher = Arc::new(Publisher::new(None, Arc::new(|| {})));
    let session = publisher.begin_session();
    let around = Around {
        bus: Arc::new(bus),
        publisher: Arc::clone(&publisher),
        session,
        schemas: Arc::new(NoSchemas),
        bytes_per_second,
        is_present: Box::new(|| true),
    };
    (around, publisher)
}

/// Three partitions of 1,000 records each, a millisecond apart.
fn bus() -> ByHand {
    ByHand {
        value_bytes: 16,
        ..ByHand::new([log(0..1_000), log(0..1_000), log(0..1_000)])
    }
}

/// What the window sees when the search has come to `stage`.
async fn at_stage(publisher: &Publisher, stage: &SearchStage) -> Arc<SearchView> {
    for _ in 0..500 {
        let view = Arc::clone(&publisher.snapshot().search);
        if view.stage == *stage {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?} and not {stage:?}", publisher.snapshot().search.stage);
}

/// Runs a search that nobody touches to its end.
async fn ended(bus: ByHand, request: SearchRequest) -> Arc<SearchView> {
    let (around, publisher) = around(bus, None);
    let (_orders, heard) = mpsc::channel(WAITING);
    let task = tokio::spawn(search(around, request, heard));
    let view = at_stage(&publisher, &SearchStage::Ended).await;
    task.await.unwrap();
    view
}

fn places(view: &SearchView) -> Vec<(i64, i32)> {
    let place = |record: &Arc<Record>| (record.offset.0, record.partition.0);
    view.table.rows.iter().map(place).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hits_are_a_table_by_time_with_all_that_was_looked_at() {
    let view = ended(bus(), request(3, TableSpan::All, &["text:<99"])).await;
    let expected: Vec<(i64, i32)> = std::iter::once(99)
        .chain(990..1_000)
        .flat_map(|offset| (0..3).map(move |partition| (offset, partition)))
        .collect();
    assert_eq!(places(&view), expected);
    assert_eq!((view.hits, view.not_held), (33, 0));
    assert_eq!(view.coverage.records_scanned, 3_000);
    assert_eq!(view.coverage.bytes_scanned, 48_000);
    assert!(view.coverage.is_complete());
    assert_eq!(view.times, Some((TimestampMs(0), TimestampMs(999))));
    let cost = view.cost.unwrap();
    assert_eq!(
        (cost.topics, cost.partitions, cost.offsets, cost.bytes),
        (1, 3, 3_000, Some(48_000))
    );
    assert!(view.first_hit_ms.is_some());
    assert!(view.table.at_start && view.table.at_end);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_found_says_what_was_searched() {
    let span = TableSpan::Between(TimestampMs(100), TimestampMs(200));
    let view = ended(bus(), request(2, span, &["text:nowhere"])).await;
    assert_eq!((view.hits, view.first_hit_ms), (0, None));
    // From the first offset at or after the beginning to the end of the log: less than 10,000 lie beyond the end.
    assert_eq!(view.coverage.records_scanned, 1_800);
    assert_eq!(view.coverage.partitions.len(), 2);
    assert!(view.coverage.is_complete());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_span_is_searched() {
    let span = TableSpan::Between(TimestampMs(100), TimestampMs(200));
    let by_time = ended(bus(), request(1, span, &["regex:<1[05]0>"])).await;
    assert_eq!(places(&by_time), [(100, 0), (150, 0)]);
    let spans = [(Offset(150), Offset(1_000)), (Offset(5), Offset(10))];
    let span = TableSpan::Offsets(Arc::from(spans));
    let by_offset = ended(bus(), request(2, span, &["regex:<(7|100|150)>"])).await;
    assert_eq!(places(&by_offset), [(7, 1), (150, 0)]);
    assert_eq!(by_offset.coverage.records_scanned, 850 + 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_takes_long_at_the_rate_allowed_is_asked_first() {
    // 48,000 bytes at 4,000 a second take 12 s.
    let (around, publisher) = around(bus(), Some(4_000));
    let (orders, heard) = mpsc::channel(WAITING);
    let task = tokio::spawn(search(
        around,
        request(3, TableSpan::All, &["text:<5>"]),
        heard,
    ));
    let asking = at_stage(&publisher, &SearchStage::Asking).await;
    assert_eq!(asking.bytes_per_second_at_most, Some(4_000));
    assert_eq!(asking.coverage.records_scanned, 0);
    orders.send(SearchControl::FullSpeed).await.unwrap();
    orders.send(SearchControl::Begin).await.unwrap();
    let view = at_stage(&publisher, &SearchStage::Ended).await;
    assert_eq!((view.hits, view.bytes_per_second_at_most), (3, None));
    task.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_was_stopped_goes_on_where_it_stood() {
    let mute = ByHand {
        mute: Some(PartitionId(2)),
        ..bus()
    };
    let (around, publisher) = around(mute, None);
    let (orders, heard) = mpsc::channel(WAITING);
    let wanted = request(3, TableSpan::All, &["text:<5>"]);
    let task = tokio::spawn(search(around, wanted, heard));
    let follows = |order, stage| {
        let (orders, publisher) = (orders.clone(), Arc::clone(&publisher));
        async move {
            orders.send(order).await.unwrap();
            at_stage(&publisher, &stage).await
        }
    };
    at_stage(&publisher, &SearchStage::Running).await;
    follows(SearchControl::Pause, SearchStage::Paused).await;
    follows(SearchControl::Resume, SearchStage::Running).await;
    let stopped = follows(SearchControl::Stop, SearchStage::Ended).await;
    // Of the partition that gives nothing, nothing is claimed.
    let whole = |view: &SearchView| -> Vec<bool> {
        let partitions = view.coverage.partitions.iter();
        partitions.map(|partition| partition.complete).collect()
    };
    assert_eq!(stopped.coverage.stopped_by, Some(StoppedBy::Interrupt));
    assert_eq!(whole(&stopped), [true, true, false]);
    assert_eq!((stopped.hits, stopped.coverage.records_scanned), (2, 2_000));
    // What was looked at is not looked at again.
    follows(SearchControl::Resume, SearchStage::Running).await;
    let again = follows(SearchControl::Stop, SearchStage::Ended).await;
    assert_eq!((again.hits, again.coverage.records_scanned), (2, 2_000));
    task.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_found_is_handed_on_and_nothing_held() {
    let (around, _) = around(bus(), None);
    let wanted = request(3, TableSpan::All, &["regex:<\\d>"]);
    let handed = tokio::task::spawn_blocking(move || {
        let mut handed = 0;
        let coverage = each(&around, &wanted, &Cancel::default(), &mut |batch| {
            handed += batch.len();
            true
        });
        (handed, coverage.unwrap())
    });
    let (handed, coverage) = handed.await.unwrap();
    assert_eq!((handed, coverage.matched), (30, 30));
    assert!(coverage.is_complete());
}

#[test]
fn what_is_held_is_bounded_and_everything_is_counted() {
    use crate::bus::Passed;
    use crate::engine::tasks::scan::Scanned;
    use crate::model::by_hand;

    let record = |offset: i64| Scanned::Record(by_hand::record("t", 0, offset));
    let many = i64::try_from(HELD_HITS).unwrap() + 5;
    let mut found = Found::new(Resolved::default(), false);
    for offset in 0..many {
        found.take(record(offset), Duration::ZERO);
    }
    assert_eq!((found.hits, found.not_held()), (100_005, 5));
    let first = &found.table().unwrap().rows[0];
    assert_eq!(first.offset, Offset(0));
    assert!(found.table().is_none());

    // Whoever follows keeps the newest.
    let mut found = Found::new(Resolved::default(), true);
    for offset in 0..10_003 {
        found.take(record(offset), Duration::from_millis(500));
    }
    let table = found.table().unwrap();
    assert_eq!((found.hits, found.not_held()), (10_003, 3));
    assert_eq!(table.rows[0].offset, Offset(3));
    assert_eq!(found.hits_per_second(), 10_003);
    let mut passed = Passed::none(TopicPartition::new("t", 0), Offset(10_003));
    passed.add(Offset(10_003), 1, Some(TimestampMs(-5)));
    found.take(Scanned::Passed(passed), Duration::from_millis(600));
    assert_eq!(found.times.unwrap().0, TimestampMs(-5));
}
