//! Records in the order asked for, and what was looked at to find them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::command::{Order, RecordsRequest};
use crate::engine::event::{Coverage, PartitionCoverage, StoppedBy};
use crate::model::{
    Isolation, Known, Offset, Problem, ProblemKind, Record, TimestampMs, TopicPartition,
};

use super::by_time::{Direction, sort_key, windows};
use super::ranges::{PartitionRange, Resolved, resolve};
use super::scan::{Flow, Scanned, scan};

/// How many records are handed on at once.
const BATCH: usize = 500;
/// How many bytes of records may be held to put them in order.
pub(super) const BUDGET: u64 = 256 * 1024 * 1024;
/// What a held record costs beside its own bytes.
pub(super) const OVERHEAD: u64 = 300;

/// Takes records in order; `false` when nobody wants more.
pub(in crate::engine) type Sink = Box<dyn FnMut(Vec<Record>) -> bool + Send>;

/// Answers a question about records: hands them to `sink` and returns what was looked at.
///
/// # Errors
/// The bus cannot be asked, or reading cannot go on at all.
pub(in crate::engine) async fn records(
    bus: Arc<dyn Bus>,
    request: RecordsRequest,
    cancel: Cancel,
    sink: Sink,
) -> Known<Coverage> {
    let resolved = tokio::select! {
        resolved = resolve(&*bus, &request) => resolved?,
        () = cancel.cancelled() => Resolved::default(),
    };
    let _given_up_with_this_task = cancel.guard();
    let reading = tokio::task::spawn_blocking(move || {
        let mut run = Run::new(resolved, &request, cancel, sink);
        run.go(&*bus, &request)?;
        Ok(run.coverage())
    });
    reading
        .await
        .map_err(|error| Problem::new(ProblemKind::Other, format!("reading failed ({error})")))?
}

/// How far one partition is.
pub(super) struct Seen {
    pub(super) range: PartitionRange,
    next: Offset,
    complete: bool,
    error: Option<Problem>,
    latest: Option<TimestampMs>,
    disordered: bool,
}

/// What was looked at so far.
pub(in crate::engine) struct Tally {
    pub(super) partitions: BTreeMap<TopicPartition, Seen>,
    pub(super) records: u64,
    pub(super) bytes: u64,
    times: (Option<TimestampMs>, Option<TimestampMs>),
}

impl Tally {
    pub(super) fn new(
        ranges: Vec<PartitionRange>,
        times: (Option<TimestampMs>, Option<TimestampMs>),
    ) -> Self {
        let seen = |range: PartitionRange| {
            let at = range.at.clone();
            let next = range.from;
            let seen = Seen {
                range,
                next,
                complete: false,
                error: None,
                latest: None,
                disordered: false,
            };
            (at, seen)
        };
        Self {
            partitions: ranges.into_iter().map(seen).collect(),
            records: 0,
            bytes: 0,
            times,
        }
    }

    /// Counts what was found; gives a record back when its time is meant.
    pub(super) fn count(&mut self, scanned: Scanned) -> Option<Record> {
        match scanned {
            Scanned::Record(record) => {
                self.records = self.records.saturating_add(1);
                self.bytes = self.bytes.saturating_add(record.size());
                let at = TopicPartition {
                    topic: Arc::clone(&record.topic),
                    partition: record.partition,
                };
                if let Some(seen) = self.partitions.get_mut(&at) {
                    seen.next = record.offset.next();
                    seen.disordered |= record.timestamp.is_some() && record.timestamp < seen.latest;
                    seen.latest = seen.latest.max(record.timestamp);
                }
                self.is_meant(&record).then_some(record)
            }
            Scanned::Complete(at) => {
                if let Some(seen) = self.partitions.get_mut(&at) {
                    seen.complete = true;
                    seen.next = seen.range.to;
                }
                None
            }
            Scanned::Failed(at, problem) => {
                if let Some(seen) = self.partitions.get_mut(&at) {
                    seen.error = Some(problem);
                }
                None
            }
        }
    }

    fn is_meant(&self, record: &Record) -> bool {
        match self.times {
            (None, None) => true,
            (from, to) => record.timestamp.is_some_and(|time| {
                from.is_none_or(|from| time >= from) && to.is_none_or(|to| time < to)
            }),
        }
    }

    /// The partitions whose times proved to be out of order before a range's end in time: they are read on to
    /// the end of the log.
    fn read_on(&mut self) -> Vec<PartitionRange> {
        if self.times.1.is_none() {
            return Vec::new();
        }
        self.partitions
            .values_mut()
            .filter(|seen| seen.complete && seen.disordered && seen.range.to < seen.range.end)
            .map(|seen| {
                let rest = PartitionRange {
                    from: seen.range.to,
                    to: seen.range.end,
                    ..seen.range.clone()
                };
                seen.complete = false;
                seen.range.to = seen.range.end;
                rest
            })
            .collect()
    }

    /// Takes away from each partition what was not looked at: the rest of its range, by partition. Where records
    /// were read and not given out, it goes on at the first of them, in `surplus`.
    pub(super) fn narrow(
        &mut self,
        rests: impl Iterator<Item = (TopicPartition, (Offset, Offset))>,
        direction: Direction,
        surplus: &BTreeMap<TopicPartition, Offset>,
    ) {
        for (at, (low, high)) in rests {
            let Some(seen) = self
                .partitions
                .get_mut(&at)
                .filter(|seen| seen.error.is_none())
            else {
                continue;
            };
            match direction {
                Direction::NewestFirst => {
                    seen.range.from = high.max(seen.range.from);
                    seen.next = seen.range.to;
                }
                Direction::OldestFirst => {
                    let left = surplus.get(&at);
                    let next = left.map_or(low, |left| low.min(*left));
                    seen.next = next.min(seen.range.to).max(seen.range.from);
                    seen.complete = low >= high && left.is_none();
                }
            }
        }
    }

    /// One row for each partition.
    pub(super) fn rows(&self) -> Vec<PartitionCoverage> {
        self.partitions
            .values()
            .map(|seen| PartitionCoverage {
                topic: Arc::clone(&seen.range.at.topic),
                partition: Some(seen.range.at.partition),
                from: Some(seen.range.from),
                to: Some(seen.range.to),
                next: Some(seen.next),
                complete: seen.complete && seen.range.lacking.is_none(),
                error: seen.error.clone().or_else(|| seen.range.lacking.clone()),
            })
            .collect()
    }
}

struct Run {
    tally: Tally,
    failed: Vec<PartitionCoverage>,
    cancel: Cancel,
    sink: Sink,
    batch: Vec<Record>,
    limit: Option<u64>,
    matched: u64,
    stopped_by: Option<StoppedBy>,
}

impl Run {
    fn new(resolved: Resolved, request: &RecordsRequest, cancel: Cancel, sink: Sink) -> Self {
        Self {
            tally: Tally::new(resolved.ranges, resolved.times),
            failed: resolved.failed,
            cancel,
            sink,
            batch: Vec::new(),
            limit: request.limit,
            matched: 0,
            stopped_by: None,
        }
    }

    fn go(&mut self, bus: &dyn Bus, request: &RecordsRequest) -> Known<()> {
        if self.limit == Some(0) {
            self.stopped_by = Some(StoppedBy::Limit);
            return Ok(());
        }
        let ranges: Vec<PartitionRange> = self
            .tally
            .partitions
            .values()
            .map(|seen| seen.range.clone())
            .collect();
        if let Some(newest) = request.newest {
            self.by_time(bus, newest, Direction::NewestFirst, request.isolation)?;
        } else {
            match (request.order, request.limit) {
                (Order::AsRead, _) => self.as_read(bus, &ranges, request.isolation)?,
                (Order::Offset, _) => {
                    for range in ranges {
                        if self.has_stopped() {
                            break;
                        }
                        self.as_read(bus, &[range], request.isolation)?;
                    }
                }
                (Order::Time, Some(limit)) => {
                    self.by_time(bus, limit, Direction::OldestFirst, request.isolation)?;
                }
                (Order::Time, None) => self.sorted(bus, &ranges, request.isolation)?,
            }
        }
        self.flush();
        Ok(())
    }

    fn has_stopped(&self) -> bool {
        self.stopped_by.is_some() || self.cancel.reason().is_some()
    }

    /// Hands records on as they come.
    fn as_read(
        &mut self,
        bus: &dyn Bus,
        ranges: &[PartitionRange],
        isolation: Isolation,
    ) -> Known<()> {
        let cancel = self.cancel.clone();
        scan(bus, ranges, isolation, &cancel, &mut |scanned| {
            let ended = !matches!(scanned, Scanned::Record(_));
            match self.tally.count(scanned) {
                Some(record) => self.emit(record),
                // A quiet reader has nothing to wait for: what is there goes out.
                None if ended => self.flush_flow(),
                None => Flow::Continue,
            }
        })?;
        let rest = self.tally.read_on();
        if rest.is_empty() || self.has_stopped() {
            return Ok(());
        }
        self.as_read(bus, &rest, isolation)
    }

    /// Reads everything, then hands it on oldest first; stops at the budget.
    fn sorted(
        &mut self,
        bus: &dyn Bus,
        ranges: &[PartitionRange],
        isolation: Isolation,
    ) -> Known<()> {
        let cancel = self.cancel.clone();
        let mut held: Vec<Record> = Vec::new();
        let mut bytes: u64 = 0;
        let mut ranges = ranges.to_vec();
        while !ranges.is_empty() && !self.has_stopped() {
            let (tally, stopped_by) = (&mut self.tally, &mut self.stopped_by);
            scan(bus, &ranges, isolation, &cancel, &mut |scanned| {
                if let Some(record) = tally.count(scanned) {
                    bytes = bytes.saturating_add(record.size()).saturating_add(OVERHEAD);
                    held.push(record);
                }
                if bytes > BUDGET {
                    *stopped_by = Some(StoppedBy::Budget);
                    return Flow::Stop;
                }
                Flow::Continue
            })?;
            ranges = self.tally.read_on();
        }
        held.sort_by_cached_key(sort_key);
        for record in held {
            if self.emit(record) == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    /// The oldest or the newest `count` by time, handed on oldest first.
    fn by_time(
        &mut self,
        bus: &dyn Bus,
        count: u64,
        direction: Direction,
        isolation: Isolation,
    ) -> Known<()> {
        let found = windows(
            bus,
            &mut self.tally,
            count,
            direction,
            isolation,
            &self.cancel,
        )?;
        self.stopped_by = found.stopped_by;
        for record in found.records {
            if self.emit(record) == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn emit(&mut self, record: Record) -> Flow {
        self.batch.push(record);
        self.matched = self.matched.saturating_add(1);
        if self.limit.is_some_and(|limit| self.matched >= limit) {
            self.stopped_by = Some(StoppedBy::Limit);
            self.flush();
            return Flow::Stop;
        }
        if self.batch.len() >= BATCH {
            self.flush_flow()
        } else {
            Flow::Continue
        }
    }

    fn flush_flow(&mut self) -> Flow {
        if self.flush() {
            Flow::Continue
        } else {
            Flow::Stop
        }
    }

    fn flush(&mut self) -> bool {
        if self.batch.is_empty() {
            return true;
        }
        let wanted = (self.sink)(std::mem::take(&mut self.batch));
        if !wanted {
            self.stopped_by.get_or_insert(StoppedBy::Interrupt);
        }
        wanted
    }

    fn coverage(&self) -> Coverage {
        let mut partitions = self.tally.rows();
        partitions.extend(self.failed.iter().cloned());
        partitions.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
        let whole = partitions.iter().all(|partition| partition.complete);
        let broken = partitions.iter().any(|partition| partition.error.is_some());
        let early = self.cancel.reason().or(self.stopped_by).filter(|_| !whole);
        Coverage {
            stopped_by: early.or_else(|| broken.then_some(StoppedBy::Error)),
            records_scanned: self.tally.records,
            bytes_scanned: self.tally.bytes,
            matched: self.matched,
            partitions,
        }
    }
}
