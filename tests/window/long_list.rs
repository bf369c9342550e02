//! A list of a thousand million rows, of which the engine would hold a piece: made up row by row.

use std::sync::Arc;

use bytes::Bytes;
use egui_kittest::Harness;
use tideline::engine::{Command, Inventory, Snapshot, Table, TablePlace, TableRequest, TableSpan};
use tideline::model::{
    Offset, PartitionId, Record, TimestampMs, Topic, TopicPartition, Visibility,
};
use tideline::ui::App;

use crate::fake::Fake;
use crate::large;

/// Rows in the list at first.
pub const ALL: i64 = 1_000_000_000;
/// The time of the first row; the others follow every millisecond.
pub const BASE: i64 = 1_796_043_600_000 - ALL;
/// Rows at hand after a jump, and how many are added at once.
const STEP: i64 = 200;
/// Rows from an edge at which more are added.
const NEAR: i64 = 60;
/// No more rows are at hand than these.
const MOST: i64 = 1_000;

/// The list, and the piece of it that is at hand.
pub struct LongList {
    request: Option<TableRequest>,
    /// Rows in all, and those that the piece knows of.
    all: i64,
    known: i64,
    /// The first row at hand, and one past the last.
    piece: (i64, i64),
    /// The row whose number is 0.
    zero: i64,
    anchor: i64,
}

impl LongList {
    pub fn new() -> Self {
        Self {
            request: None,
            all: ALL,
            known: ALL,
            piece: (0, 0),
            zero: 0,
            anchor: 0,
        }
    }

    /// A bus that holds the list.
    pub fn snapshot() -> Snapshot {
        let mut snapshot = large::snapshot(1, 4, 3);
        let mut inventory = Inventory::clone(&snapshot.inventory);
        let topic = Topic::clone(&inventory.topics()[0]);
        let partitions = topic
            .partitions
            .iter()
            .cloned()
            .map(|mut partition| {
                partition.high_watermark = Ok(Offset(ALL / 4));
                partition.last_stable = Ok(Offset(ALL / 4));
                partition
            })
            .collect();
        inventory.topics = Some(Ok(vec![Arc::new(Topic {
            partitions,
            ..topic
        })]));
        snapshot.inventory = Arc::new(inventory);
        snapshot
    }

    /// Row number `row` of the list.
    pub fn row(row: i64) -> Record {
        Record {
            topic: "topic-00000".into(),
            partition: PartitionId(i32::try_from(row % 4).unwrap()),
            offset: Offset(row / 4),
            timestamp: Some(TimestampMs(BASE + row)),
            timestamp_type: None,
            key: Some(Bytes::from(format!("key-{}", row % 1_000))),
            value: Some(Bytes::from(format!(
                "{{\"row\":{row},\"amount\":{}.50}}",
                row % 97
            ))),
            headers: vec![],
            leader_epoch: None,
            visibility: Visibility::Committed,
        }
    }

    /// What a row is called.
    pub fn label(row: i64) -> String {
        let digits = (row / 4).to_string();
        let mut text = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        format!("topic-00000 / {} offset {text}", row % 4)
    }

    /// So many records more are written.
    pub fn grow(&mut self, rows: i64) {
        self.all += rows;
    }

    /// Publishes the list as it is now.
    pub fn publish(&self, fake: &Fake) {
        let table = Arc::new(self.table());
        fake.change(|snapshot| snapshot.table = table);
    }

    /// Does what was asked of it; whether anything was.
    fn serve(&mut self, fake: &Fake) -> bool {
        let mut changed = false;
        for command in fake.take() {
            match command {
                Command::Table(request) if request != self.request => {
                    self.request = request;
                    self.begin();
                    changed = true;
                }
                Command::TableRows { jump, first, last }
                    if self
                        .request
                        .as_ref()
                        .is_some_and(|known| known.jump == jump) =>
                {
                    changed |= self.look(first + self.zero, last + self.zero);
                }
                _ => {}
            }
        }
        if changed {
            self.publish(fake);
        }
        changed
    }

    fn begin(&mut self) {
        let Some(request) = &self.request else {
            return;
        };
        assert_eq!(request.span, TableSpan::All);
        self.known = self.all;
        self.anchor = match &request.place {
            TablePlace::Start => 0,
            TablePlace::End => self.known,
            TablePlace::Rank(rank) => i64::try_from(*rank).unwrap(),
            TablePlace::Time(time) => (time.0 - BASE).clamp(0, self.known),
            TablePlace::Record(TopicPartition { partition, .. }, offset) => {
                offset.0 * 4 + i64::from(partition.0)
            }
        };
        self.piece = if self.anchor == self.known {
            (self.known - STEP, self.known)
        } else {
            (self.anchor, (self.anchor + STEP).min(self.known))
        };
        // The first row that is read is number 0, whichever way it is read.
        self.zero = self.anchor;
    }

    fn look(&mut self, first: i64, last: i64) -> bool {
        let before = (self.piece, self.known);
        if last + 1 >= self.piece.1 && self.piece.1 == self.known {
            self.known = self.all;
        }
        if first < self.piece.0 + NEAR {
            self.piece.0 = (first - STEP).max(0).min(self.piece.0);
            self.piece.1 = self.piece.1.min(self.piece.0 + MOST);
        }
        if last > self.piece.1 - NEAR {
            self.piece.1 = (last + STEP).min(self.known).max(self.piece.1);
            self.piece.0 = self.piece.0.max(self.piece.1 - MOST);
        }
        before != (self.piece, self.known)
    }

    fn table(&self) -> Table {
        let known = |value: i64| u64::try_from(value).unwrap();
        let (first, end) = self.piece;
        Table {
            request: self.request.clone(),
            rows: (first..end).map(|row| Arc::new(Self::row(row))).collect(),
            first: first - self.zero,
            anchor: Some(self.anchor - self.zero),
            before: known(first),
            after: known(self.known - end),
            up_to: Some(known(self.known)),
            at_start: first == 0,
            at_end: end == self.known,
            newer: known(self.all - self.known),
            ..Table::default()
        }
    }
}

/// Lets window and list answer each other until neither has anything to say.
pub fn settle(harness: &mut Harness<'static, App>, fake: &Fake, list: &mut LongList) {
    for _ in 0..40 {
        harness.run();
        // What is told now and then is told by now.
        harness.run_steps(2);
        if !list.serve(fake) {
            return;
        }
    }
    panic!("the table never comes to rest");
}
