//! The order of rows, and how the piece grows and is trimmed.

use super::*;
use crate::engine::event::StoppedBy;

#[tokio::test]
async fn rows_of_all_partitions_stand_in_one_order_of_time() {
    let mut timeless = log([0, 4, 4]);
    timeless.records[0] = Entry::Timeless;
    let mut shown = Shown::at([log([1, 4, 9]), timeless, log([2])], TablePlace::Start).await;
    let table = shown.show(0, 10).await;
    // The one without a time first; of equal times the lower partition, then the lower offset.
    let order = [(1, 0), (0, 0), (2, 0), (0, 1), (1, 1), (1, 2), (0, 2)];
    assert_eq!(places(&table), order);
    assert!(table.at_start && table.at_end && !table.disordered);
    assert_eq!((table.first, table.anchor), (0, Some(0)));
    assert_eq!((table.before, table.after, table.up_to), (0, 0, Some(7)));
}

#[tokio::test]
async fn in_the_order_of_offsets_partitions_follow_one_another() {
    let bus = Arc::new(ByHand::new([
        log((0..700).rev()),
        Log::default(),
        log(0..10),
        log([5]),
    ]));
    let mut request = request(&bus, TablePlace::Start);
    request.order = TableOrder::Offset;
    let mut shown = Shown::of(bus, request).await;
    let first = shown.table();
    assert_eq!((places(&first).len(), places(&first)[499]), (500, (0, 499)));
    assert_eq!((first.before, first.after), (0, 211));
    let all = shown.walk().await;
    let partition = |number: i32, count: i64| (0..count).map(move |offset| (number, offset));
    let expected: Vec<Place> = partition(0, 700)
        .chain(partition(2, 10))
        .chain(partition(3, 1))
        .collect();
    assert_eq!(all, expected);
    assert!(!shown.table().disordered);
}

#[tokio::test]
async fn only_what_is_needed_is_read_and_numbers_stay_while_the_piece_moves() {
    let logs = [
        log((0..40_000).map(|at| at * 2)),
        log((0..40_000).map(|at| at * 2 + 1)),
    ];
    let mut shown = Shown::at(logs, TablePlace::Start).await;
    let table = shown.table();
    assert_eq!((table.first, table.rows.len()), (0, 500));
    assert_eq!((table.before, table.after), (0, 79_500));
    assert!(table.at_start && !table.at_end);
    let read = *shown.bus.read.lock();
    assert!(read < 2_000, "{read} records for 500 rows");
    // Down to row 20,000, a page at a time.
    for page in 0..400_i64 {
        shown.show(page * 50, page * 50 + 49).await;
    }
    let table = shown.table();
    assert!(
        table.rows.len() <= 4_000 && table.first > 15_000,
        "{}",
        table.first
    );
    assert_eq!(table.before, u64::try_from(table.first).unwrap());
    // Rows around those on screen are kept.
    assert!(table.first <= 19_950 - 1_000);
    for (number, row) in (table.first..).zip(&table.rows) {
        assert_eq!(place(row), (i32::try_from(number % 2).unwrap(), number / 2));
    }
    let read = *shown.bus.read.lock();
    assert!(read < 70_000, "{read} records for 20,500 rows");
    // And up again: the same numbers, which `note` compares.
    for page in (0..400_i64).rev() {
        shown.show(page * 50, page * 50 + 49).await;
    }
    let table = shown.table();
    assert_eq!((table.first, place(&table.rows[0])), (0, (0, 0)));
    assert!(table.at_start && table.rows.len() <= 4_000);
}

#[tokio::test]
async fn what_is_far_from_the_screen_is_let_go_by_weight_too() {
    let mut shown = Shown::of(
        Arc::new(ByHand {
            value_bytes: 100_000,
            ..ByHand::new([log(0..3_000)])
        }),
        request(&ByHand::new([Log::default()]), TablePlace::Start),
    )
    .await;
    for page in 0..60_i64 {
        let table = shown.show(page * 50, page * 50 + 49).await;
        let bytes: u64 = table.rows.iter().map(|row| row.size()).sum();
        assert!(bytes <= 40 * 1024 * 1024, "{bytes} bytes at page {page}");
        let end = table.first + i64::try_from(table.rows.len()).unwrap();
        assert!(table.first <= page * 50 && end >= page * 50 + 50);
    }
    assert_eq!(shown.walk().await.len(), 3_000);
}

#[tokio::test]
async fn a_million_equal_times_are_gone_through_a_piece_at_a_time() {
    let logs = [log(vec![7; 1_000_000]), log(vec![7; 1_000])];
    let mut shown = Shown::at(logs, TablePlace::Record(at(0), Offset(500_000))).await;
    let table = shown.table();
    assert_eq!(table.anchor, Some(250));
    assert_eq!(place(&table.rows[250]), (0, 500_000));
    assert_eq!(
        (place(&table.rows[0]), table.before),
        ((0, 499_750), 499_750)
    );
    assert_eq!(place(table.rows.last().unwrap()), (0, 500_499));
    let table = shown.show(600, 660).await;
    assert_eq!(place(&table.rows[660]), (0, 500_410));
    assert!(*shown.bus.read.lock() < 6_000);
}

#[tokio::test]
async fn a_partition_in_the_wrong_order_loses_nothing_and_says_so() {
    let logs = [log((0..3_000).rev()), log(0..3_000)];
    let mut shown = Shown::at(logs, TablePlace::Start).await;
    let mut all = shown.walk().await;
    assert!(
        shown
            .list
            .as_ref()
            .unwrap()
            .table(&shown.request, false)
            .rows
            .len()
            >= 1_000
    );
    all.sort_unstable();
    let expected: Vec<Place> = (0..2)
        .flat_map(|partition| (0..3_000).map(move |offset| (partition, offset)))
        .collect();
    assert_eq!(all, expected);
}

#[tokio::test]
async fn a_record_dated_far_ahead_comes_last_and_keeps_nothing_else_away() {
    let mut odd = log(0..5_000);
    odd.records[1_000] = Entry::At(4_102_444_800_000);
    let logs = [odd, log(0..5_000)];
    let expected = sorted(&logs);
    let mut shown = Shown::at(logs, TablePlace::Start).await;
    assert_eq!(shown.walk().await, expected);
}

#[tokio::test]
async fn a_partition_that_breaks_off_is_told_and_the_others_go_on() {
    let broken = Log {
        broken_from: Some(100),
        ..log(0..3_000)
    };
    let mut shown = Shown::at([broken, log(0..3_000)], TablePlace::Start).await;
    let all = shown.walk().await;
    let of = |partition: i32| all.iter().filter(|place| place.0 == partition).count();
    assert_eq!((of(0), of(1)), (100, 3_000));
    let table = shown.table();
    let errors: Vec<Option<&str>> = table
        .partitions
        .iter()
        .map(|partition| Some(&*partition.error.as_ref()?.message))
        .collect();
    assert_eq!(errors, [Some("broken"), None]);
    assert!(table.at_end);
}

#[tokio::test]
async fn a_list_that_is_given_up_is_given_up() {
    let bus = Arc::new(ByHand::new([log(0..10)]));
    let cancel = Cancel::default();
    cancel.cancel(StoppedBy::Interrupt);
    let request = request(&bus, TablePlace::End);
    let list = List::begin(Arc::clone(&bus) as _, &request, rate(), &cancel).await;
    assert_eq!(&*list.unwrap_err().message, "given up");
}
