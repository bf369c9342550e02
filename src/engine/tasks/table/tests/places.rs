//! Jumps: to the ends, to a time, to a share of the list, to a record.

use super::*;

fn even_and_odd() -> [Log; 2] {
    [
        log((0..40_000).map(|at| at * 2)),
        log((0..40_000).map(|at| at * 2 + 1)),
    ]
}

/// The row that the place names, its rank, and the rows around it.
fn anchor(table: &Table) -> (Place, i64) {
    let index = usize::try_from(table.anchor.unwrap() - table.first).unwrap();
    let rank = i64::try_from(table.before).unwrap() + table.anchor.unwrap() - table.first;
    (place(&table.rows[index]), rank)
}

#[tokio::test]
async fn the_end_shows_the_newest_and_its_anchor_is_past_them() {
    let mut shown = Shown::at(even_and_odd(), TablePlace::End).await;
    let table = shown.show(440, 499).await;
    assert_eq!((table.first, table.rows.len()), (0, 500));
    assert_eq!(table.anchor, Some(500));
    assert_eq!(place(&table.rows[0]), (0, 39_750));
    assert_eq!(place(&table.rows[499]), (1, 39_999));
    assert_eq!((table.before, table.after), (79_500, 0));
    assert!(table.at_end && !table.at_start);
    let read = *shown.bus.read.lock();
    assert!(read < 2_000, "{read} records for 500 rows");
    // Upwards the rows get negative numbers.
    let table = shown.show(0, 40).await;
    assert!(table.first <= -400);
    let number = table.first;
    assert_eq!(
        place(&table.rows[0]),
        (
            i32::try_from((number + 500).rem_euclid(2)).unwrap(),
            39_750 + number.div_euclid(2)
        )
    );
}

#[tokio::test]
async fn a_time_is_the_first_row_at_or_after_it() {
    let shown = Shown::at(even_and_odd(), TablePlace::Time(TimestampMs(30_001))).await;
    assert_eq!(anchor(&shown.table()), ((1, 15_000), 30_001));
    let shown = Shown::at(even_and_odd(), TablePlace::Time(TimestampMs(-5))).await;
    assert_eq!(anchor(&shown.table()), ((0, 0), 0));
    let shown = Shown::at(even_and_odd(), TablePlace::Time(TimestampMs(99_999))).await;
    let table = shown.table();
    assert_eq!(table.anchor, Some(i64::try_from(table.rows.len()).unwrap()));
    assert_eq!(place(table.rows.last().unwrap()), (1, 39_999));
}

#[tokio::test]
async fn a_share_of_one_partition_is_exact() {
    let shown = Shown::at([log(0..1_000_000)], TablePlace::Rank(500_000)).await;
    assert_eq!(anchor(&shown.table()), ((0, 500_000), 500_000));
    assert!(*shown.bus.read.lock() < 3_000);
}

#[tokio::test]
async fn a_share_of_several_partitions_is_near() {
    // Partition 1 is ten times as dense as partition 0, and only in the middle.
    let logs = || {
        [
            log((0..10_000).map(|at| at * 100)),
            log((0..100_000).map(|at| 400_000 + at)),
            log([5, 999_000]),
        ]
    };
    for rank in [1_u64, 999, 30_000, 54_321, 100_000] {
        let shown = Shown::at(logs(), TablePlace::Rank(rank)).await;
        let table = shown.table();
        let near = i64::try_from(rank).unwrap();
        let (_, found) = anchor(&table);
        assert!((found - near).abs() <= 200, "{found} for {near}");
        assert!(!table.disordered);
    }
    for (rank, expected) in [(0, (0, 0)), (u64::MAX, (0, 9_999))] {
        let shown = Shown::at(logs(), TablePlace::Rank(rank)).await;
        let table = shown.table();
        let row = if rank == 0 {
            table.rows.first()
        } else {
            table.rows.last()
        };
        assert_eq!(place(row.unwrap()), expected);
    }
}

#[tokio::test]
async fn a_share_of_equal_times_goes_by_partitions() {
    let logs = [
        log(vec![7; 3_000]),
        log(vec![7; 3_000]),
        log(vec![7; 3_000]),
    ];
    let shown = Shown::at(logs, TablePlace::Rank(4_500)).await;
    let table = shown.table();
    assert_eq!(anchor(&table), ((1, 1_500), 4_500));
    assert!(!table.disordered);
}

#[tokio::test]
async fn a_share_in_the_order_of_offsets_is_exact() {
    let bus = Arc::new(ByHand::new([log(0..1_000), log(0..5_000), log(0..5_000)]));
    let mut request = request(&bus, TablePlace::Rank(7_000));
    request.order = TableOrder::Offset;
    let shown = Shown::of(bus, request).await;
    assert_eq!(anchor(&shown.table()), ((2, 1_000), 7_000));
}

#[tokio::test]
async fn a_record_stands_in_its_place_among_equal_times() {
    let logs = [
        log((0..3_000).map(|at| at / 1_000)),
        log((0..3_000).map(|at| at / 1_000)),
        log((0..3_000).map(|at| at / 1_000)),
    ];
    let expected = sorted(&logs);
    let mut shown = Shown::at(logs, TablePlace::Record(at(1), Offset(1_500))).await;
    let table = shown.table();
    // Time 1: 3,000 records of time 0 before it, 1,000 of partition 0, 500 of its own.
    assert_eq!(anchor(&table), ((1, 1_500), 4_500));
    assert!(table.problems.is_empty());
    assert_eq!(shown.walk().await, expected);
}

#[tokio::test]
async fn a_record_that_is_not_there_is_said_and_the_next_one_shown() {
    let mut holes = log(0..1_000);
    holes.records[300..310].fill(Entry::Nothing);
    holes.start = 100;
    let cases = [
        (
            305,
            "there is no record at offset 305 of t/0: it was compacted away, or is a marker; the next one is at 310",
            Some((0, 310)),
        ),
        (
            50,
            "offset 50 of t/0 was deleted: the log starts at 100",
            Some((0, 100)),
        ),
        (
            5_000,
            "offset 5000 of t/0 is not written yet: the log ends at 1000",
            None,
        ),
    ];
    for (offset, said, row) in cases {
        let logs = [holes.clone(), log(0..1_000)];
        let shown = Shown::at(logs, TablePlace::Record(at(0), Offset(offset))).await;
        let table = shown.table();
        let problems: Vec<&str> = table
            .problems
            .iter()
            .map(|problem| &*problem.message)
            .collect();
        assert_eq!(problems, [said]);
        match row {
            Some(row) => assert_eq!(anchor(&table).0, row),
            None => assert_eq!(table.anchor, Some(i64::try_from(table.rows.len()).unwrap())),
        }
    }
}

#[tokio::test]
async fn a_record_outside_the_span_is_said() {
    let bus = Arc::new(ByHand::new([log(0..1_000)]));
    let mut request = request(&bus, TablePlace::Record(at(0), Offset(900)));
    request.span = TableSpan::Between(TimestampMs(100), TimestampMs(200));
    let shown = Shown::of(bus, request).await;
    let table = shown.table();
    assert_eq!(table.problems.len(), 1);
    assert_eq!(table.up_to, Some(100));
    assert_eq!(place(&table.rows[0]), (0, 100));
}

#[tokio::test]
async fn a_span_holds_its_records_alone() {
    let bus = Arc::new(ByHand::new(even_and_odd()));
    let mut request = request(&bus, TablePlace::Start);
    request.span = TableSpan::Between(TimestampMs(1_000), TimestampMs(3_000));
    let mut shown = Shown::of(bus, request).await;
    let table = shown.table();
    assert_eq!((table.up_to, table.after), (Some(2_000), 1_500));
    let all = shown.walk().await;
    let expected: Vec<Place> = (1_000..3_000_i64)
        .map(|time| (i32::try_from(time % 2).unwrap(), time / 2))
        .collect();
    assert_eq!(all, expected);
}

#[tokio::test]
async fn a_record_is_shown_beside_a_partition_whose_look_ups_mislead() {
    // Behind a record dated far ahead, look-ups of partition 1 find that one for every time.
    let mut odd = log(0..100_000);
    odd.records[10] = Entry::At(4_102_444_800_000);
    let logs = [log(0..100_000), odd];
    let shown = Shown::at(logs, TablePlace::Record(at(0), Offset(90_000))).await;
    let table = shown.table();
    assert_eq!(anchor(&table).0, (0, 90_000));
    let index = usize::try_from(table.anchor.unwrap() - table.first).unwrap();
    assert_eq!(place(&table.rows[index + 1]), (1, 90_000));
    assert_eq!(place(&table.rows[index - 1]), (1, 89_999));
    let read = *shown.bus.read.lock();
    assert!(read < 8_000, "{read} records");
}

#[tokio::test]
async fn at_the_end_stands_what_is_dated_far_ahead_wherever_it_lies() {
    let mut odd = log(0..50_000);
    odd.records[100] = Entry::At(4_102_444_800_000);
    let logs = [odd, log(0..50_000)];
    let mut shown = Shown::at(logs.clone(), TablePlace::End).await;
    let table = shown.table();
    assert_eq!(places(&table)[498..], [(1, 49_999), (0, 100)]);
    assert!(*shown.bus.read.lock() < 3_000);
    // It is not come upon again where it lies.
    assert_eq!(shown.walk().await, sorted(&logs));
}
