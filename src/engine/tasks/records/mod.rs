//! Records in the order asked for, and what was looked at to find them.

mod tally;

pub(in crate::engine) use tally::Tally;

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::bus::{Bus, Passed};
use crate::decode::schema::Schemas;
use crate::engine::cancel::Cancel;
use crate::engine::command::{Order, RecordsRequest};
use crate::engine::event::{Coverage, PartitionCoverage, StoppedBy};
use crate::inspect::filter::run_deep;
use crate::model::{
    Isolation, Known, Offset, PartitionId, Problem, ProblemKind, Record, TopicName,
};

use super::by_time::{Direction, Terms, sort_key, windows};
use super::hunt::{Control, Hunt, Look};
use super::ranges::{PartitionRange, Resolved, resolve};
use super::scan::{FEW, Flow, Scanned, cost, scan};

/// How many records are handed on at once.
const BATCH: usize = 500;
/// How many bytes of records are handed on at once, but for a single larger record.
const BATCH_BYTES: u64 = 128 * 1024;
/// How many bytes of records may be held to put them in order.
pub(super) const BUDGET: u64 = 96 * 1024 * 1024;

/// Takes records in order; `false` when nobody wants more.
pub(in crate::engine) type Sink = Box<dyn FnMut(Vec<Record>) -> bool + Send>;

/// Answers a question about records: hands them to `sink` and returns what was looked at.
///
/// # Errors
/// The bus cannot be asked, or reading cannot go on at all.
pub(in crate::engine) async fn records(
    bus: Arc<dyn Bus>,
    request: RecordsRequest,
    schemas: Arc<dyn Schemas>,
    cancel: Cancel,
    sink: Sink,
) -> Known<Coverage> {
    let resolved = tokio::select! {
        resolved = resolve(&*bus, &request) => resolved?,
        () = cancel.cancelled() => Resolved::default(),
    };
    let _given_up_with_this_task = cancel.guard();
    let runtime = Handle::current();
    let reading = tokio::task::spawn_blocking(move || {
        let look = Look::new(
            Arc::clone(&request.filters),
            Arc::clone(&request.decoders),
            schemas,
        );
        let control = Control::new(cancel, request.bytes_per_second);
        let mut run = Run::new(resolved, &request, (&look, &control), sink);
        let read = run_deep(|| {
            let _inside = runtime.enter();
            run.go(&*bus, &request)
        });
        read.map_err(|why| Problem::new(ProblemKind::Other, why))??;
        Ok(run.coverage())
    });
    reading
        .await
        .map_err(|error| Problem::new(ProblemKind::Other, format!("reading failed ({error})")))?
}

/// What was read without a sieve, a record that is not looked for as a stretch of its own.
fn looked_at(look: &Look, scanned: Scanned) -> Scanned {
    match scanned {
        Scanned::Record(record) if !look.passes(&record) => Scanned::Passed(Passed::over(&record)),
        other => other,
    }
}

/// Where a record lies.
fn place(record: &Record) -> (&TopicName, PartitionId, Offset) {
    (&record.topic, record.partition, record.offset)
}

struct Run<'a> {
    tally: Tally,
    failed: Vec<PartitionCoverage>,
    look: &'a Look,
    control: &'a Control,
    max_bytes: Option<u64>,
    /// Whether what is read is held to be put in order.
    holds: bool,
    sink: Sink,
    batch: Vec<Record>,
    batch_bytes: u64,
    limit: Option<u64>,
    matched: u64,
    stopped_by: Option<StoppedBy>,
}

impl<'a> Run<'a> {
    fn new(
        resolved: Resolved,
        request: &RecordsRequest,
        (look, control): (&'a Look, &'a Control),
        sink: Sink,
    ) -> Self {
        Self {
            tally: Tally::new(resolved.ranges, resolved.times),
            failed: resolved.failed,
            look,
            control,
            max_bytes: request.max_bytes,
            holds: request.order == Order::Time,
            sink,
            batch: Vec::new(),
            batch_bytes: 0,
            limit: request.limit,
            matched: 0,
            stopped_by: None,
        }
    }

    fn go(&mut self, bus: &dyn Bus, request: &RecordsRequest) -> Known<()> {
        if self.limit == Some(0) && request.newest != Some(0) {
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
            self.by_time(bus, newest, Direction::NewestFirst, request)?;
        } else if !request.follow {
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
                    self.by_time(bus, limit, Direction::OldestFirst, request)?;
                }
                (Order::Time, None) => self.sorted(bus, &ranges, request.isolation)?,
            }
        }
        if request.follow && !self.has_stopped() {
            self.flush();
            if self.is_full() {
                self.stopped_by = Some(StoppedBy::Limit);
                return Ok(());
            }
            self.follow(bus, request)?;
        }
        self.flush();
        Ok(())
    }

    /// Goes on at the ends of the logs; from the beginning of each range, when nothing of it was read.
    fn follow(&mut self, bus: &dyn Bus, request: &RecordsRequest) -> Known<()> {
        let ranges = self.tally.open_ends(request.newest.is_some());
        let hunt = self.hunt(bus, request.isolation);
        hunt.follow(&ranges, &mut |scanned| {
            let flow = match self.tally.count(scanned) {
                Some(record) => self.emit(record),
                None => Flow::Continue,
            };
            // There is always more to come.
            if self.is_full() {
                self.stopped_by = Some(StoppedBy::Limit);
                return Flow::Stop;
            }
            // Whoever follows wants to see each record as it comes.
            match (flow, self.over_budget()) {
                (Flow::Continue, Flow::Continue) => self.flush_flow(),
                _ => Flow::Stop,
            }
        })
    }

    fn hunt<'h>(&self, bus: &'h dyn Bus, isolation: Isolation) -> Hunt<'h>
    where
        'a: 'h,
    {
        Hunt {
            bus,
            isolation,
            look: self.look,
            control: self.control,
            is_held: self.holds,
        }
    }

    /// Stops when as many bytes were read as may be.
    fn over_budget(&mut self) -> Flow {
        if self.max_bytes.is_some_and(|most| self.tally.bytes >= most) {
            self.stopped_by.get_or_insert(StoppedBy::Budget);
            return Flow::Stop;
        }
        Flow::Continue
    }

    /// Reads `ranges` in the way that suits them.
    fn read(
        &mut self,
        bus: &dyn Bus,
        ranges: &[PartitionRange],
        isolation: Isolation,
        sink: &mut dyn FnMut(&mut Self, Scanned) -> Flow,
    ) -> Known<()> {
        let offsets: u64 = ranges
            .iter()
            .filter_map(|range| range.to.since(range.from))
            .sum();
        let named = ranges.iter().any(|range| range.named.is_some());
        let few = offsets < FEW || self.limit.is_some_and(|limit| limit < FEW);
        let is_plain = self.look.filters.is_empty() && !self.control.pace.is_bound();
        if named || (few && is_plain) {
            let (look, cancel) = (self.look, self.control.cancel.clone());
            return scan(bus, ranges, isolation, &cancel, &mut |scanned| {
                sink(self, looked_at(look, scanned))
            });
        }
        let hunt = self.hunt(bus, isolation);
        hunt.run(ranges, &mut |scanned| sink(self, scanned))
    }

    fn has_stopped(&self) -> bool {
        self.stopped_by.is_some() || self.control.cancel.reason().is_some()
    }

    /// Hands records on as they come.
    fn as_read(
        &mut self,
        bus: &dyn Bus,
        ranges: &[PartitionRange],
        isolation: Isolation,
    ) -> Known<()> {
        self.read(bus, ranges, isolation, &mut |run, scanned| {
            if let Scanned::Record(record) = &scanned
                && run.is_full()
                && run.tally.is_meant(record)
            {
                // It is not counted: reading goes on there.
                run.stopped_by = Some(StoppedBy::Limit);
                return Flow::Stop;
            }
            let ended = !matches!(scanned, Scanned::Record(_));
            let flow = match run.tally.count(scanned) {
                Some(record) => run.emit(record),
                // A quiet reader has nothing to wait for: what is there goes out.
                None if ended => run.flush_flow(),
                None => Flow::Continue,
            };
            match run.over_budget() {
                Flow::Continue => flow,
                Flow::Stop => Flow::Stop,
            }
        })?;
        let rest = self.tally.read_on();
        if rest.is_empty() || self.has_stopped() {
            return Ok(());
        }
        if self.is_full() {
            self.stopped_by = Some(StoppedBy::Limit);
            return Ok(());
        }
        self.as_read(bus, &rest, isolation)
    }

    /// Whether as many records were given out as may be.
    fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.matched >= limit)
    }

    /// Reads everything, then hands it on oldest first; stops at the budget.
    fn sorted(
        &mut self,
        bus: &dyn Bus,
        ranges: &[PartitionRange],
        isolation: Isolation,
    ) -> Known<()> {
        let mut held: Vec<Record> = Vec::new();
        let mut bytes: u64 = 0;
        let mut ranges = ranges.to_vec();
        while !ranges.is_empty() && !self.has_stopped() {
            self.read(bus, &ranges, isolation, &mut |run, scanned| {
                if let Some(record) = run.tally.count(scanned) {
                    bytes = bytes.saturating_add(cost(&record));
                    held.push(record);
                }
                if bytes > BUDGET {
                    run.stopped_by = Some(StoppedBy::Budget);
                    return Flow::Stop;
                }
                run.over_budget()
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

    /// The oldest or the newest `count` by time, handed on oldest first unless the order asked for is another.
    fn by_time(
        &mut self,
        bus: &dyn Bus,
        count: u64,
        direction: Direction,
        request: &RecordsRequest,
    ) -> Known<()> {
        let terms = Terms {
            isolation: request.isolation,
            look: self.look,
            control: self.control,
            max_bytes: self.max_bytes,
        };
        let found = windows(bus, &mut self.tally, count, direction, &terms)?;
        // As many as were asked for are the whole answer to the question for the newest.
        let whole = direction == Direction::NewestFirst;
        self.stopped_by = found
            .stopped_by
            .filter(|by| !(whole && *by == StoppedBy::Limit));
        let mut records = found.records;
        if request.order == Order::Offset {
            records.sort_by(|a, b| place(a).cmp(&place(b)));
        }
        let mut records = records.into_iter();
        for record in records.by_ref() {
            if self.is_full() {
                self.stopped_by.get_or_insert(StoppedBy::Limit);
                self.tally.withhold(&record);
                break;
            }
            if self.emit(record) == Flow::Stop {
                break;
            }
        }
        for record in records {
            self.tally.withhold(&record);
        }
        Ok(())
    }

    /// Hands `record` on; those that fill the limit go out at once.
    fn emit(&mut self, record: Record) -> Flow {
        self.batch_bytes = self.batch_bytes.saturating_add(cost(&record));
        self.batch.push(record);
        self.matched = self.matched.saturating_add(1);
        if self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES || self.is_full() {
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
        self.batch_bytes = 0;
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
        // What was given up after its end was read whole all the same.
        let given_up = self.control.cancel.reason().filter(|_| !whole);
        Coverage {
            stopped_by: given_up
                .or(self.stopped_by)
                .or_else(|| broken.then_some(StoppedBy::Error)),
            records_scanned: self.tally.records,
            bytes_scanned: self.tally.bytes,
            matched: self.matched,
            partitions,
            expression_failures: self.look.failures(),
        }
    }
}

#[cfg(test)]
mod tests;
