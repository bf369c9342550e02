//! The table against a bus made by hand.

mod follow;
mod live;
mod order;
mod places;
mod random;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::cancel::Cancel;
use crate::engine::command::{TableOrder, TablePlace, TableRequest, TableSpan};
use crate::engine::snapshot::Table;
use crate::engine::tasks::by_hand::{ByHand, Entry, Log, log};
use crate::engine::tasks::lookups::Rate;
use crate::model::{Isolation, Offset, Record, TimestampMs, TopicPartition};

use super::list::{List, Step};

/// Partition and offset of a record.
type Place = (i32, i64);

fn request(bus: &ByHand, place: TablePlace) -> TableRequest {
    let partitions = 0..i32::try_from(bus.logs.len()).unwrap();
    TableRequest {
        partitions: partitions
            .map(|partition| TopicPartition::new("t", partition))
            .collect(),
        span: TableSpan::All,
        order: TableOrder::Time,
        isolation: Isolation::ReadUncommitted,
        place,
        jump: 1,
    }
}

fn rate() -> Rate {
    Rate::for_bus(true)
}

async fn begin(bus: &Arc<ByHand>, request: &TableRequest) -> List {
    List::begin(Arc::clone(bus) as _, request, rate(), &Cancel::default())
        .await
        .unwrap()
}

/// A list whose window shows the rows that were told, after everything for them was read.
struct Shown {
    bus: Arc<ByHand>,
    request: TableRequest,
    list: Option<List>,
    /// Every row that was seen by its number.
    seen: BTreeMap<i64, Place>,
}

impl Shown {
    async fn at(logs: impl IntoIterator<Item = Log>, place: TablePlace) -> Self {
        let bus = Arc::new(ByHand::new(logs));
        let request = request(&bus, place);
        Self::of(bus, request).await
    }

    async fn of(bus: Arc<ByHand>, request: TableRequest) -> Self {
        let list = begin(&bus, &request).await;
        let mut shown = Self {
            bus,
            request,
            list: Some(list),
            seen: BTreeMap::new(),
        };
        shown.note();
        shown
    }

    fn table(&self) -> Table {
        self.list.as_ref().unwrap().table(&self.request, false)
    }

    fn note(&mut self) {
        let table = self.table();
        for (number, row) in (table.first..).zip(&table.rows) {
            let known = self.seen.entry(number).or_insert_with(|| place(row));
            assert_eq!(*known, place(row), "row {number} is another one now");
        }
        assert!(table.rows.len() <= super::piece::MOST_ROWS * 2 + super::list::EXTEND);
    }

    /// Takes every step that the rows on screen need.
    async fn show(&mut self, first: i64, last: i64) -> Table {
        let told = Some((first, last));
        for steps in 0.. {
            assert!(steps < 10_000, "it never comes to rest");
            let mut list = self.list.take().unwrap();
            list.trim(told);
            let step = list.next_step(told);
            self.list = Some(list);
            self.note();
            let Some(step) = step else {
                break;
            };
            self.step(step).await;
        }
        self.table()
    }

    async fn step(&mut self, step: Step) {
        let list = self.list.take().unwrap();
        let bus = Arc::clone(&self.bus);
        let list = list.take(bus, step, &Cancel::default()).await.unwrap();
        self.list = Some(list);
        self.note();
    }

    /// Scrolls to both ends and returns the rows in the order of their numbers.
    async fn walk(&mut self) -> Vec<Place> {
        loop {
            let table = self.table();
            let end = table.first + i64::try_from(table.rows.len()).unwrap();
            let table = self.show(end - 40, end).await;
            let now = table.first + i64::try_from(table.rows.len()).unwrap();
            if table.at_end && now == end {
                break;
            }
        }
        loop {
            let first = self.table().first;
            let table = self.show(first, first + 40).await;
            if table.at_start && table.first == first {
                break;
            }
        }
        let numbers: Vec<i64> = self.seen.keys().copied().collect();
        if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
            assert_eq!(
                numbers.len(),
                usize::try_from(last - first + 1).unwrap(),
                "no number is left out"
            );
        }
        self.seen.values().copied().collect()
    }
}

fn place(record: &Record) -> Place {
    (record.partition.0, record.offset.0)
}

fn places(table: &Table) -> Vec<Place> {
    table.rows.iter().map(|row| place(row)).collect()
}

/// All records of `logs` as the list has them.
fn sorted(logs: &[Log]) -> Vec<Place> {
    let mut all: Vec<(Option<i64>, Place)> = Vec::new();
    for (partition, log) in (0..).zip(logs) {
        for (offset, entry) in (0..).zip(&log.records) {
            let time = match entry {
                Entry::Nothing => continue,
                Entry::Timeless => None,
                Entry::At(time) => Some(*time),
            };
            if offset >= log.start {
                all.push((time, (partition, offset)));
            }
        }
    }
    all.sort_unstable();
    all.into_iter().map(|(_, place)| place).collect()
}

fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("t", partition)
}
