//! The records between the places of each row: counted where that is cheap, and the first and the last of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Flow, Scanned, scan};
use crate::model::{
    Isolation, Known, Offset, Problem, ProblemKind, Record, TimestampMs, TopicPartition, Visibility,
};
use crate::rewind::plan::{Contents, Edge, Row};

/// How many offsets are read to count records, over all rows.
const COUNTED: u64 = 200_000;
/// How many bytes may be read for it.
const BYTES: u64 = 96 * 1024 * 1024;
/// Of a stretch that is not counted, how many offsets are read at either end to find its first and last record.
const AT_THE_EDGE: i64 = 8;
/// Of how many such rows that is done.
const EDGED: usize = 200;

/// What lies in the stretch of each row that has one. Blocks.
///
/// Short stretches are counted first; what does not fit the bounds is bounded by its offsets.
pub(super) fn look(
    bus: &dyn Bus,
    rows: &[Row],
    stable: &BTreeMap<TopicPartition, Known<Offset>>,
    cancel: &Cancel,
) -> BTreeMap<TopicPartition, Contents> {
    let mut stretches: Vec<Stretch> = rows
        .iter()
        .filter_map(|row| Stretch::of(row, stable))
        .collect();
    stretches.sort_by(|a, b| a.offsets.cmp(&b.offsets).then_with(|| a.at.cmp(&b.at)));
    let mut budget = COUNTED;
    let fit = stretches
        .iter()
        .take_while(|stretch| {
            let fits = stretch.offsets <= budget;
            budget = budget.saturating_sub(stretch.offsets);
            fits
        })
        .count();
    let large = stretches.split_off(fit);
    let mut found: BTreeMap<TopicPartition, Contents> = stretches
        .iter()
        .chain(&large)
        .map(|stretch| (stretch.at.clone(), stretch.bound()))
        .collect();
    let mut bytes = BYTES;
    let whole: Vec<PartitionRange> = stretches.iter().map(Stretch::range).collect();
    for (at, tally) in read(bus, &whole, &mut bytes, cancel) {
        if let Some(contents) = found.get_mut(&at) {
            tally.whole(contents);
        }
    }
    let edged: Vec<&Stretch> = large.iter().take(EDGED).collect();
    let firsts: Vec<PartitionRange> = edged.iter().map(|stretch| stretch.beginning()).collect();
    for (at, tally) in read(bus, &firsts, &mut bytes, cancel) {
        if let Some(contents) = found.get_mut(&at) {
            contents.first = tally.first;
        }
    }
    let lasts: Vec<PartitionRange> = edged.iter().map(|stretch| stretch.ending()).collect();
    for (at, tally) in read(bus, &lasts, &mut bytes, cancel) {
        if let Some(contents) = found.get_mut(&at) {
            contents.last = tally.last;
        }
    }
    found
}

/// The offsets between the two places of a row.
struct Stretch {
    at: TopicPartition,
    from: Offset,
    to: Offset,
    offsets: u64,
    log_start: Offset,
    end: Offset,
    stable: Known<Offset>,
}

impl Stretch {
    fn of(row: &Row, stable: &BTreeMap<TopicPartition, Known<Offset>>) -> Option<Self> {
        let (from, to) = row.stretch()?;
        let offsets = to.since(from).filter(|offsets| *offsets > 0)?;
        let unknown = || Problem::new(ProblemKind::Other, "it was not asked for");
        Some(Self {
            at: row.at.clone(),
            from,
            to,
            offsets,
            log_start: row.log_start.clone().ok()?,
            end: row.end.clone().ok()?,
            stable: stable
                .get(&row.at)
                .cloned()
                .unwrap_or_else(|| Err(unknown())),
        })
    }

    fn bound(&self) -> Contents {
        Contents {
            records: self.offsets,
            exact: false,
            looked_at: true,
            ..Contents::default()
        }
    }

    fn between(&self, from: Offset, to: Offset) -> PartitionRange {
        PartitionRange {
            at: self.at.clone(),
            from,
            to,
            meant_to: to,
            log_start: self.log_start,
            end: self.end,
            high_watermark: self.end,
            last_stable: self.stable.clone(),
            named: None,
            lacking: None,
        }
    }

    fn range(&self) -> PartitionRange {
        self.between(self.from, self.to)
    }

    fn beginning(&self) -> PartitionRange {
        let to = self.from.moved(AT_THE_EDGE).unwrap_or(self.to);
        self.between(self.from, to.min(self.to))
    }

    fn ending(&self) -> PartitionRange {
        let from = self.to.moved(-AT_THE_EDGE).unwrap_or(self.from);
        self.between(from.max(self.from), self.to)
    }
}

/// What was read of one partition.
#[derive(Default)]
struct Tally {
    records: u64,
    withdrawn: u64,
    complete: bool,
    problem: Option<Problem>,
    latest: Option<TimestampMs>,
    out_of_order: bool,
    first: Option<Edge>,
    last: Option<Edge>,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        self.records = self.records.saturating_add(1);
        if record.visibility == Visibility::Aborted {
            self.withdrawn = self.withdrawn.saturating_add(1);
        }
        self.out_of_order |= record.timestamp < self.latest;
        self.latest = self.latest.max(record.timestamp);
        let edge = Edge {
            at: record.timestamp,
            key: record.key.clone(),
        };
        self.first.get_or_insert_with(|| edge.clone());
        self.last = Some(edge);
    }

    fn whole(self, contents: &mut Contents) {
        contents.first = self.first;
        contents.problem = self.problem;
        if !self.complete {
            return;
        }
        contents.records = self.records;
        contents.exact = true;
        contents.withdrawn = self.withdrawn;
        contents.out_of_order = Some(self.out_of_order);
        contents.last = self.last;
    }
}

fn read(
    bus: &dyn Bus,
    ranges: &[PartitionRange],
    bytes: &mut u64,
    cancel: &Cancel,
) -> BTreeMap<TopicPartition, Tally> {
    if ranges.is_empty() || *bytes == 0 || cancel.reason().is_some() {
        return BTreeMap::new();
    }
    let mut found: BTreeMap<TopicPartition, Tally> = BTreeMap::new();
    let mut open: BTreeSet<TopicPartition> = ranges.iter().map(|range| range.at.clone()).collect();
    let ended = scan(
        bus,
        ranges,
        Isolation::ReadUncommitted,
        cancel,
        &mut |scanned| {
            match scanned {
                Scanned::Record(record) => {
                    *bytes = bytes.saturating_sub(record.size());
                    found.entry(record.at()).or_default().add(&record);
                }
                Scanned::Passed(_) => {}
                Scanned::Complete(at) => {
                    open.remove(&at);
                    found.entry(at).or_default().complete = true;
                }
                Scanned::Failed(at, problem) => {
                    open.remove(&at);
                    found.entry(at).or_default().problem = Some(problem);
                }
            }
            if *bytes == 0 {
                Flow::Stop
            } else {
                Flow::Continue
            }
        },
    );
    if let Err(problem) = ended {
        for at in open {
            found.entry(at).or_default().problem = Some(problem.clone());
        }
    }
    found
}
