//! The window's table on a real broker.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tideline::engine::{
    Command, ConnectTarget, Engine, EngineOptions, Link as _, Table, TableOrder, TablePlace,
    TableRequest, TableSpan,
};
use tideline::model::time::Clock;
use tideline::model::{
    ConnectionSettings, Isolation, Offset, TimestampMs, TopicPartition, Visibility,
};

use super::oracle;
use super::support::fixture::{MINUTE, T0};

/// Everything of these partitions that lies around `place`, in the order of time.
fn table(partitions: &[(&str, i32)], span: TableSpan, place: TablePlace) -> Arc<Table> {
    let engine = Engine::start(EngineOptions {
        waker: Arc::new(|| {}),
        clock: Clock::System,
        tell_events: false,
        listen_for_interrupt: false,
        files: tideline::engine::Files::none(tideline::model::Problem::new(
            tideline::model::ProblemKind::Other,
            "no files",
        )),
    })
    .unwrap();
    let bootstrap = oracle::get().data.kafka.bootstrap();
    let target = ConnectTarget::Bus(ConnectionSettings::to(bootstrap));
    assert!(engine.send(Command::Connect(target)));
    assert!(engine.send(Command::Watch));
    let request = TableRequest {
        partitions: partitions
            .iter()
            .map(|(topic, partition)| TopicPartition::new(*topic, *partition))
            .collect(),
        span,
        order: TableOrder::Time,
        isolation: Isolation::ReadUncommitted,
        place,
        jump: 1,
    };
    assert!(engine.send(Command::Table(Some(request))));
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let table = Arc::clone(&engine.snapshot().table);
        if table.request.is_some() && !table.loading {
            return table;
        }
        assert!(Instant::now() < deadline, "{table:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Partition and offset of each row.
fn places(table: &Table) -> Vec<(i32, i64)> {
    table
        .rows
        .iter()
        .map(|row| (row.partition.0, row.offset.0))
        .collect()
}

const CLOCK: [(&str, i32); 3] = [("clock", 0), ("clock", 1), ("clock", 2)];

#[test]
fn three_partitions_stand_in_one_order_of_time() {
    let ticks: Vec<(i32, i64)> = (0..30_i64)
        .map(|tick| (i32::try_from(tick % 3).unwrap(), tick / 3))
        .collect();
    let (first, last) = (0_usize, 30_usize);
    for (place, anchor) in [
        (TablePlace::Start, first),
        (TablePlace::End, last),
        (TablePlace::Time(TimestampMs(T0 + 12_500)), 13),
        (
            TablePlace::Record(TopicPartition::new("clock", 2), Offset(6)),
            20,
        ),
    ] {
        let table = table(&CLOCK, TableSpan::All, place);
        assert_eq!(places(&table), ticks);
        assert_eq!(
            table.anchor,
            Some(table.first + i64::try_from(anchor).unwrap())
        );
        assert!(table.at_start && table.at_end && !table.disordered);
        assert_eq!((table.before, table.after, table.up_to), (0, 0, Some(30)));
        assert!(table.problems.is_empty());
    }
}

#[test]
fn a_span_and_a_deleted_head() {
    let span = TableSpan::Between(TimestampMs(T0 + 5 * MINUTE), TimestampMs(T0 + 12 * MINUTE));
    let partitions = [("six", 0), ("six", 2)];
    let expected = [
        (0, 5),
        (0, 6),
        (0, 7),
        (0, 8),
        (0, 9),
        (0, 10),
        (2, 10),
        (0, 11),
        (2, 11),
    ];
    assert_eq!(
        places(&table(&partitions, span, TablePlace::Start)),
        expected
    );
    let deleted = TablePlace::Record(TopicPartition::new("six", 2), Offset(3));
    let table = table(&[("six", 2)], TableSpan::All, deleted);
    assert_eq!(
        places(&table),
        (10..30).map(|offset| (2, offset)).collect::<Vec<_>>()
    );
    assert_eq!(
        &*table.problems[0].message,
        "offset 3 of six/2 was deleted: the log starts at 10"
    );
    assert_eq!(table.anchor, Some(table.first));
}

#[test]
fn odd_times_and_transactions() {
    let table_of = |partition| table(&[("six", partition)], TableSpan::All, TablePlace::End);
    // Without a time first, then 1970, the first day, an hour later, and 2100.
    assert_eq!(
        places(&table_of(3)),
        [(3, 0), (3, 3), (3, 2), (3, 4), (3, 1)]
    );
    let seen: Vec<Visibility> = table_of(1).rows.iter().map(|row| row.visibility).collect();
    use Visibility::{Aborted, Committed, Open};
    let expected = [
        [Committed; 8].as_slice(),
        &[Aborted; 4],
        &[Committed; 2],
        &[Open; 3],
    ]
    .concat();
    assert_eq!(seen, expected);
}

#[test]
fn a_record_dated_far_ahead_is_the_last() {
    let table = table(&[("ahead", 0)], TableSpan::All, TablePlace::End);
    assert_eq!(places(&table)[498..], [(0, 5_100), (0, 100)]);
    assert!(!table.disordered);
    assert_eq!(table.before, 5_101 - 500);
}
