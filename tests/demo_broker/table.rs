//! The window's table on a bus of a million records: any place is reached without reading what lies before it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tideline::bus::demo::{DemoOptions, Server};
use tideline::engine::{
    Command, ConnectTarget, Engine, EngineOptions, Link as _, Table, TableOrder, TablePlace,
    TableRequest, TableSpan,
};
use tideline::model::time::Clock;
use tideline::model::{ConnectionSettings, Isolation, Offset, TimestampMs, TopicPartition};

use super::NOON;

/// The window's end of an engine.
struct Window {
    engine: Engine,
    request: TableRequest,
    _server: Server,
}

impl Window {
    /// On a bus with `topics` topics of `partitions` partitions that hold `records` records together.
    fn on(topics: u32, partitions: u32, records: u64) -> Self {
        let server = Server::start(&DemoOptions {
            now_ms: Some(NOON),
            topics,
            partitions,
            records,
            ..DemoOptions::default()
        })
        .unwrap();
        let engine = Engine::start(EngineOptions {
            waker: Arc::new(|| {}),
            clock: Clock::Fixed(TimestampMs(NOON)),
            tell_events: false,
            listen_for_interrupt: false,
            files: tideline::engine::Files::none(tideline::model::Problem::new(
                tideline::model::ProblemKind::Other,
                "no files",
            )),
        })
        .unwrap();
        let target = ConnectTarget::Bus(ConnectionSettings::to(server.addr().to_string()));
        assert!(engine.send(Command::Connect(target)));
        assert!(engine.send(Command::Watch));
        let all = (1..=topics).flat_map(|topic| {
            let numbers = 0..i32::try_from(partitions).unwrap();
            numbers.map(move |partition| at(topic, partition))
        });
        Self {
            engine,
            request: TableRequest {
                partitions: all.collect(),
                span: TableSpan::All,
                order: TableOrder::Time,
                isolation: Isolation::ReadUncommitted,
                place: TablePlace::End,
                jump: 0,
            },
            _server: server,
        }
    }

    fn jump(&mut self, place: TablePlace) -> Arc<Table> {
        self.request.place = place;
        self.request.jump += 1;
        let request = self.request.clone();
        assert!(self.engine.send(Command::Table(Some(request))));
        self.until("rows", |table| !table.loading && table.anchor.is_some())
    }

    /// Looks at these rows until everything around them is there.
    fn look(&self, first: i64, last: i64) -> Arc<Table> {
        let jump = self.request.jump;
        assert!(self.engine.send(Command::TableRows { jump, first, last }));
        self.until("rows around those on screen", |table| {
            let end = table.first + rows(table);
            let above = table.at_start || table.first <= first - 400;
            let below = table.at_end || end > last + 400;
            !table.loading && above && below
        })
    }

    fn until(&self, what: &str, done: impl Fn(&Table) -> bool) -> Arc<Table> {
        let deadline = Instant::now() + Duration::from_mins(2);
        loop {
            let table = Arc::clone(&self.engine.snapshot().table);
            if table.request.as_ref() == Some(&self.request) && done(&table) {
                return table;
            }
            assert!(
                Instant::now() < deadline,
                "no {what}: {:?} {} rows from {} loading {} {:?}",
                self.request.place,
                table.rows.len(),
                table.first,
                table.loading,
                table.problems
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn at(topic: u32, partition: i32) -> TopicPartition {
    TopicPartition::new(format!("load-{topic:05}"), partition)
}

fn rows(table: &Table) -> i64 {
    i64::try_from(table.rows.len()).unwrap()
}

/// Memory of this process, in MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024
}

/// Every row is the one that its number says, of a partition whose row `number` 0 is `offset`.
fn assert_in_a_row(table: &Table, offset: i64) {
    for (number, row) in (table.first..).zip(&table.rows) {
        assert_eq!(row.offset, Offset(offset + number));
    }
}

#[test]
fn the_middle_and_the_end_of_a_million_records() {
    let mut window = Window::on(1, 1, 1_000_000);
    let table = window.jump(TablePlace::Rank(500_000));
    let anchor = table.anchor.unwrap();
    assert_in_a_row(&table, 500_000 - anchor);
    assert_eq!(table.up_to, Some(1_000_000));
    assert_eq!(
        table.before,
        500_000 - u64::try_from(anchor - table.first).unwrap()
    );
    let before = memory();
    // Fifty screens down, as fast as the rows come.
    for page in 1..=50 {
        let first = anchor + page * 200;
        let table = window.look(first, first + 40);
        assert_in_a_row(&table, 500_000 - anchor);
        assert!(table.rows.len() <= 4_000);
        let bytes: u64 = table.rows.iter().map(|row| row.size()).sum();
        assert!(bytes <= 32 * 1024 * 1024);
    }
    let grown = memory().saturating_sub(before);
    // All of the million would take 400 MiB. Other tests of this process take some meanwhile.
    assert!(grown < 160, "{grown} MiB more");
    // Down to the last row.
    let table = window.jump(TablePlace::Rank(998_500));
    let anchor = table.anchor.unwrap();
    let mut last = anchor;
    let table = loop {
        let table = window.look(last - 40, last);
        let end = table.first + rows(&table) - 1;
        if end == last {
            break table;
        }
        last = end;
    };
    assert!(table.at_end);
    assert_in_a_row(&table, 998_500 - anchor);
    assert_eq!(table.rows.last().unwrap().offset, Offset(999_999));
    let table = window.jump(TablePlace::Record(at(1, 0), Offset(123_456)));
    let anchor = usize::try_from(table.anchor.unwrap() - table.first).unwrap();
    assert_eq!(table.rows[anchor].offset, Offset(123_456));
    assert!(table.problems.is_empty());
}

#[test]
fn many_partitions_take_seconds_and_stand_in_order() {
    let mut window = Window::on(4, 500, 400_000);
    let started = Instant::now();
    let table = window.jump(TablePlace::End);
    assert_eq!((table.up_to, table.after), (Some(400_000), 0));
    let mut last = table.anchor.unwrap();
    for _ in 0..3 {
        last -= 400;
        let table = window.look(last - 40, last);
        assert!(!table.disordered);
    }
    let table = window.jump(TablePlace::Rank(200_000));
    let rank = table.before + u64::try_from(table.anchor.unwrap() - table.first).unwrap();
    assert!(rank.abs_diff(200_000) <= 400, "{rank}");
    for page in [1, 2, -1, -2] {
        let table = window.look(page * 400, page * 400 + 40);
        assert!(!table.disordered);
        let times = table.rows.iter().map(|row| row.timestamp);
        assert!(times.is_sorted());
    }
    let table = window.jump(TablePlace::Start);
    assert!(table.at_start && !table.disordered);
    assert!(started.elapsed() < Duration::from_mins(1));
}
