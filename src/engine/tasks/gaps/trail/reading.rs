//! Going through the records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Handle;

use crate::bus::{Appetite, Bus, ReadEvent, ReadPlan, ReadRange};
use crate::decode::schema::Schemas;
use crate::decode::value::{Decoders, Part, decode_part};
use crate::engine::cancel::Cancel;
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Flow, PATIENCE, Scanned, TURN, nothing_came, scan};
use crate::inspect::filter::run_deep;
use crate::inspect::gaps::Events;
use crate::model::{
    Isolation, Known, Offset, Problem, ProblemKind, Record, TopicPartition, Visibility,
};

use super::{Lane, Trail};

/// After how many records it is told how far reading is.
const TOLD: u64 = 10_000;

/// Reads the records of each lane up to its end.
///
/// # Errors
/// Reading cannot be started or go on at all.
pub(super) async fn read(
    trail: &mut Trail,
    cancel: &Cancel,
    told: Arc<dyn Fn(u64) + Send + Sync>,
) -> Known<()> {
    if trail.left() == 0 || cancel.reason().is_some() {
        return Ok(());
    }
    let cancel = cancel.part();
    let _given_up_with_this_task = cancel.guard();
    let mut work = Work {
        lanes: std::mem::take(&mut trail.lanes),
        events: std::mem::take(&mut trail.events),
        schemas: Arc::clone(&trail.schemas),
        cancel: cancel.clone(),
        told,
        records: 0,
        bytes: 0,
    };
    let bus = Arc::clone(&trail.bus);
    let runtime = Handle::current();
    let reading = tokio::task::spawn_blocking(move || {
        let read = run_deep(|| {
            let _inside = runtime.enter();
            work.go(&*bus)
        });
        (work, read)
    });
    let (work, read) = reading
        .await
        .map_err(|error| Problem::new(ProblemKind::Other, format!("reading failed ({error})")))?;
    trail.lanes = work.lanes;
    trail.events = work.events;
    trail.records = trail.records.saturating_add(work.records);
    trail.bytes = trail.bytes.saturating_add(work.bytes);
    read.map_err(|why| Problem::new(ProblemKind::Other, why))?
}

struct Work {
    lanes: BTreeMap<TopicPartition, Lane>,
    events: Events,
    schemas: Arc<dyn Schemas>,
    cancel: Cancel,
    told: Arc<dyn Fn(u64) + Send + Sync>,
    records: u64,
    bytes: u64,
}

impl Work {
    fn go(&mut self, bus: &dyn Bus) -> Known<()> {
        let open = |inferred: bool| {
            let lanes = self.lanes.iter();
            lanes
                .filter(move |(_, lane)| lane.inferred.is_some() == inferred && lane.next < lane.to)
                .map(|(at, lane)| (at.clone(), lane.next, lane.to))
                .collect::<Vec<_>>()
        };
        let (proven, inferred) = (open(false), open(true));
        if !proven.is_empty() {
            self.beside_the_log(bus, proven)?;
        }
        if !inferred.is_empty() && self.cancel.reason().is_none() {
            self.twice(bus, &inferred)?;
        }
        Ok(())
    }

    /// Reads everything once: the log has told already which records were withdrawn.
    fn beside_the_log(
        &mut self,
        bus: &dyn Bus,
        parts: Vec<(TopicPartition, Offset, Offset)>,
    ) -> Known<()> {
        let mut withdrawn: BTreeMap<TopicPartition, Vec<(Offset, Offset)>> = parts
            .iter()
            .map(|(at, next, _)| (at.clone(), self.withdrawn(at, *next)))
            .collect();
        let mut open: BTreeSet<TopicPartition> = parts.iter().map(|(at, ..)| at.clone()).collect();
        let ranges = parts.into_iter().map(|(at, from, to)| ReadRange {
            at,
            from,
            to: Some(to),
        });
        let mut reader = bus.read(&ReadPlan {
            ranges: ranges.collect(),
            isolation: Isolation::ReadUncommitted,
            appetite: Appetite::Many,
            sieve: None,
        })?;
        let mut events = Vec::new();
        let mut last = Instant::now();
        while !open.is_empty() && self.cancel.reason().is_none() {
            reader.poll(TURN, &mut events)?;
            if !events.is_empty() {
                last = Instant::now();
            } else if last.elapsed() > PATIENCE {
                for at in open {
                    self.fail(&at, nothing_came());
                }
                return Ok(());
            }
            for event in events.drain(..) {
                if let Some(at) = event.ended() {
                    open.remove(at);
                }
                match event {
                    ReadEvent::Record(mut record) => {
                        let of = withdrawn.get_mut(&record.at());
                        record.visibility = visibility(record.offset, of);
                        self.record(&record);
                    }
                    ReadEvent::Passed(_) => {}
                    ReadEvent::Complete { at, .. } => self.complete(&at),
                    ReadEvent::Failed { at, problem } => self.fail(&at, problem),
                }
            }
        }
        Ok(())
    }

    /// The stretches of records that were withdrawn, from `from` on, the last one first.
    fn withdrawn(&self, at: &TopicPartition, from: Offset) -> Vec<(Offset, Offset)> {
        let lane = self.lanes.get(at);
        let stretches = lane.map(|lane| lane.holes.withdrawn()).unwrap_or_default();
        let ahead = stretches.iter().rev().filter(|(_, last)| *last >= from);
        ahead.copied().collect()
    }

    /// Reads everything as careful readers see it too, and infers from the difference what the log would prove.
    fn twice(&mut self, bus: &dyn Bus, parts: &[(TopicPartition, Offset, Offset)]) -> Known<()> {
        let ranges: Vec<PartitionRange> = parts
            .iter()
            .map(|(at, from, to)| PartitionRange {
                at: at.clone(),
                from: *from,
                to: *to,
                meant_to: *to,
                log_start: *from,
                end: *to,
                high_watermark: *to,
                last_stable: Ok(*to),
                named: None,
                lacking: None,
            })
            .collect();
        let cancel = self.cancel.clone();
        scan(
            bus,
            &ranges,
            Isolation::ReadUncommitted,
            &cancel,
            &mut |scanned| {
                match scanned {
                    Scanned::Record(record) => {
                        if let Some(lane) = self.lanes.get_mut(&record.at()) {
                            lane.holes
                                .saw(record.offset, record.timestamp, record.visibility);
                        }
                        self.record(&record);
                    }
                    Scanned::Passed(_) => {}
                    Scanned::Complete(at) => self.complete(&at),
                    Scanned::Failed(at, problem) => self.fail(&at, problem),
                }
                Flow::Continue
            },
        )
    }

    fn record(&mut self, record: &Record) {
        let text = if self.events.needs_value() {
            decode_part(record, Part::Value, &Decoders::default(), &*self.schemas).text
        } else {
            None
        };
        self.events.add(record, text.as_deref());
        if let Some(lane) = self.lanes.get_mut(&record.at()) {
            lane.next = record.offset.next();
        }
        self.records = self.records.saturating_add(1);
        self.bytes = self.bytes.saturating_add(record.size());
        if self.records.is_multiple_of(TOLD) {
            (self.told)(self.records);
        }
    }

    fn complete(&mut self, at: &TopicPartition) {
        if let Some(lane) = self.lanes.get_mut(at) {
            lane.next = lane.to;
            if lane.inferred.is_some() {
                lane.holes.passed_to(lane.to);
            }
        }
    }

    fn fail(&mut self, at: &TopicPartition, problem: Problem) {
        if let Some(lane) = self.lanes.get_mut(at) {
            lane.error = Some(problem);
        }
    }
}

/// Whether the record at `offset` lies in one of the withdrawn stretches, of which the next is the last one.
fn visibility(offset: Offset, withdrawn: Option<&mut Vec<(Offset, Offset)>>) -> Visibility {
    let Some(withdrawn) = withdrawn else {
        return Visibility::Unknown;
    };
    while withdrawn.last().is_some_and(|(_, last)| *last < offset) {
        withdrawn.pop();
    }
    match withdrawn.last() {
        Some((first, _)) if *first <= offset => Visibility::Aborted,
        _ => Visibility::Committed,
    }
}
