//! Growing windows against a bus made by hand.

use super::*;
use crate::decode::schema::NoSchemas;
use crate::engine::cancel::Cancel;
use crate::engine::tasks::by_hand::{ByHand, Entry, Log, log};

fn tally(bus: &ByHand) -> Tally {
    let ranges = bus.logs.iter().enumerate().map(|(partition, log)| {
        let end = Offset(i64::try_from(log.records.len()).unwrap());
        PartitionRange {
            at: TopicPartition::new("t", i32::try_from(partition).unwrap()),
            from: Offset(0),
            to: end,
            meant_to: end,
            log_start: Offset(0),
            end,
            high_watermark: end,
            last_stable: Ok(end),
            named: None,
            lacking: None,
        }
    });
    Tally::new(ranges.collect(), (None, None))
}

/// The oldest or newest of everything.
fn within(
    bus: &ByHand,
    tally: &mut Tally,
    (count, direction): (u64, Direction),
    cancel: Cancel,
) -> ByTime {
    let look = Look::new(Arc::default(), Arc::default(), Arc::new(NoSchemas));
    let terms = Terms {
        isolation: Isolation::ReadCommitted,
        look: &look,
        control: &Control::new(cancel, None),
        max_bytes: None,
    };
    windows(bus, tally, count, direction, &terms).unwrap()
}

fn run(bus: &ByHand, count: u64, direction: Direction) -> (Vec<(i32, i64)>, Tally, ByTime) {
    // Look-ups wait on the runtime's thread for blocking work.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let _inside = runtime.enter();
    let mut tally = tally(bus);
    let found = within(bus, &mut tally, (count, direction), Cancel::default());
    let places = found
        .records
        .iter()
        .map(|record| (record.partition.0, record.offset.0))
        .collect();
    (places, tally, found)
}

#[test]
fn the_newest_of_a_long_partition_push_a_busy_ones_window_back() {
    // Partition 0 has all of the newest 3,000 records, one a millisecond; partition 1 ended long before.
    let bus = ByHand::new([log((0..10_000).map(|at| 1_000_000 + at)), log(0..10_000)]);
    let (places, tally, found) = run(&bus, 3_000, Direction::NewestFirst);
    assert_eq!(places.len(), 3_000);
    assert_eq!((places[0], places[2_999]), ((0, 7_000), (0, 9_999)));
    assert_eq!(found.stopped_by, Some(StoppedBy::Limit));
    // Of partition 1 only the first window was read: 3,000 and a fifth and 50.
    let rows = tally.rows();
    assert_eq!(rows[1].from, Some(Offset(10_000 - 3_650)));
}

#[test]
fn records_without_a_time_do_not_end_the_search() {
    let mut timeless = log((0..6_000).map(|at| 1_000 + at));
    timeless.records[4_000..4_005].fill(Entry::Timeless);
    let bus = ByHand::new([timeless, log(vec![0; 5_000])]);
    let (places, ..) = run(&bus, 2_500, Direction::NewestFirst);
    assert_eq!(places[0], (0, 6_000 - 2_505));
    assert_eq!(places.len(), 2_500);
}

#[test]
fn the_oldest_say_where_to_go_on() {
    let bus = ByHand::new([
        log((0..10).map(|at| at * 2)),
        log((0..10).map(|at| at * 2 + 1)),
    ]);
    let (places, tally, found) = run(&bus, 5, Direction::OldestFirst);
    assert_eq!(places, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]);
    assert_eq!(found.stopped_by, Some(StoppedBy::Limit));
    let rows = tally.rows();
    let next: Vec<_> = rows.iter().map(|row| (row.next, row.complete)).collect();
    assert_eq!(next, [(Some(Offset(3)), false), (Some(Offset(2)), false)]);
}

#[test]
fn fewer_than_wanted_is_everything() {
    let bus = ByHand::new([log([5, 1]), Log::default()]);
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        let (places, tally, found) = run(&bus, 9, direction);
        assert_eq!(places, [(0, 1), (0, 0)]);
        assert_eq!(found.stopped_by, None);
        assert!(tally.rows().iter().all(|row| row.complete), "{direction:?}");
    }
}

/// Partition of `count` records, one a millisecond, some of them with another time.
fn with_odd_times(count: i64, odd: &[(usize, i64)]) -> Log {
    let mut log = log(0..count);
    for (offset, time) in odd {
        log.records[*offset] = Entry::At(*time);
    }
    log
}

const FAR_AHEAD: i64 = 4_102_444_800_000;

fn row(tally: &Tally) -> (i64, bool, Option<String>) {
    let row = tally.rows().remove(0);
    let error = row.error.map(|problem| problem.message.to_string());
    (row.from.unwrap().0, row.complete, error)
}

#[test]
fn a_newer_record_before_the_windows_is_found() {
    let bus = ByHand::new([with_odd_times(5_101, &[(100, FAR_AHEAD)])]);
    let (places, tally, _) = run(&bus, 1, Direction::NewestFirst);
    assert_eq!(places, [(0, 100)]);
    // Nothing before the record found is newer than it, so nothing before it was read.
    assert_eq!(row(&tally), (100, true, None));
    let (places, tally, _) = run(&bus, 3, Direction::NewestFirst);
    assert_eq!(places, [(0, 5_099), (0, 5_100), (0, 100)]);
    assert_eq!(row(&tally), (100, true, None));
}

#[test]
fn newer_records_before_the_windows_are_found_in_each_partition_and_come_once() {
    let bus = ByHand::new([
        with_odd_times(9_000, &[(7, FAR_AHEAD), (5_000, FAR_AHEAD + 2)]),
        log(0..9_000),
        with_odd_times(9_000, &[(30, FAR_AHEAD + 1)]),
    ]);
    let (places, tally, _) = run(&bus, 4, Direction::NewestFirst);
    // Of the equally new ones of the three partitions the last in order stays.
    assert_eq!(places, [(2, 8_999), (0, 7), (2, 30), (0, 5_000)]);
    assert!(tally.rows().iter().all(|row| row.complete));
}

#[test]
fn times_in_order_cost_no_more_than_a_window() {
    let bus = ByHand::new([log(0..9_000)]);
    run(&bus, 1, Direction::NewestFirst);
    assert_eq!(*bus.read.lock(), 2_000);
}

#[test]
fn what_lies_too_far_back_is_looked_for_by_its_time_alone_and_the_row_says_so() {
    let odd = [(50, FAR_AHEAD), (60, FAR_AHEAD + 1)];
    let bus = ByHand::new([with_odd_times(150_000, &odd)]);
    let (places, tally, _) = run(&bus, 1, Direction::NewestFirst);
    // The bus knows that nothing is newer than this one.
    assert_eq!(
        (places, row(&tally)),
        (vec![(0, 60)], (148_000, true, None))
    );
    let (places, tally, _) = run(&bus, 2, Direction::NewestFirst);
    assert_eq!(places, [(0, 149_999), (0, 60)]);
    let (from, complete, error) = row(&tally);
    assert_eq!((from, complete), (148_000, false));
    assert!(
        error
            .unwrap()
            .contains("offset 50 to 147999 may carry later times")
    );
    assert!(*bus.read.lock() < 5_000);
}

#[test]
fn when_times_cannot_be_looked_up_the_row_says_so() {
    let bus = ByHand {
        no_times: true,
        ..ByHand::new([log(0..9_000)])
    };
    let (places, tally, _) = run(&bus, 1, Direction::NewestFirst);
    assert_eq!(places, [(0, 8_999)]);
    let (from, complete, error) = row(&tally);
    assert_eq!((from, complete), (7_000, false));
    assert!(error.unwrap().contains("before offset 7000"));
}

#[test]
fn the_newest_none_are_none_and_nothing_is_read() {
    let bus = ByHand::new([log(0..10)]);
    let (places, tally, _) = run(&bus, 0, Direction::NewestFirst);
    assert!(places.is_empty());
    assert_eq!(row(&tally), (10, true, None));
    assert_eq!(*bus.read.lock(), 0);
}

#[test]
fn a_partition_that_breaks_off_is_not_complete() {
    let broken = Log {
        broken_from: Some(3_000),
        ..log(0..9_000)
    };
    let bus = ByHand::new([broken]);
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        let (_, tally, _) = run(&bus, 8_000, direction);
        let (_, complete, error) = row(&tally);
        assert_eq!((complete, error.as_deref()), (false, Some("broken")));
    }
}

#[test]
fn a_search_that_was_given_up_does_not_claim_what_it_did_not_read() {
    let bus = ByHand::new([log(0..10)]);
    let cancel = Cancel::default();
    cancel.cancel(StoppedBy::Timeout);
    let mut tally = tally(&bus);
    let found = within(&bus, &mut tally, (5, Direction::NewestFirst), cancel);
    assert_eq!(found.stopped_by, Some(StoppedBy::Timeout));
    assert_eq!(row(&tally), (10, false, None));
}

#[test]
fn first_windows_are_small_where_partitions_are_many() {
    assert_eq!(first_window(200, 1), 2_000);
    assert_eq!(first_window(10_000, 2), 12_050);
    assert_eq!(first_window(200, 5_000), 20);
    assert_eq!(first_window(100_000, 400), 1_200);
    assert_eq!(first_window(u64::MAX, 1), LARGEST_WINDOW);
}
