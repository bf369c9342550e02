//! Reading what the bus wrote down of every commit: once from its log, then what is new.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bus::{Appetite, Bus, ReadEvent, ReadPlan, ReadRange};
use crate::decode::group_log::group_log_entry;
use crate::engine::cancel::Cancel;
use crate::inspect::history::{CommitLog, Limits};
use crate::model::{
    History, HistoryCoverage, Isolation, Known, Offset, PartitionId, Problem, ProblemKind, Topic,
    TopicPartition,
};

use super::inventory::fill_ends;
use super::scan::{PATIENCE, TURN, nothing_came};

/// Where Kafka writes commits down.
const LOG: &str = "__consumer_offsets";
/// Records of one partition of it that are read at first, the newest ones.
const MOST: i64 = 200_000;
/// How long one step may read; the rest is read in the next.
const STEP: Duration = Duration::from_secs(30);
/// After how many records it is told how far reading is.
const TOLD: u64 = 10_000;

/// The log, and how far it was read.
pub(in crate::engine) struct CommitLogTail {
    log: CommitLog,
    next: BTreeMap<PartitionId, Offset>,
    known: Arc<History>,
}

impl CommitLogTail {
    pub(in crate::engine) fn new() -> Self {
        Self {
            log: CommitLog::new(Limits::default()),
            next: BTreeMap::new(),
            known: Arc::default(),
        }
    }

    /// Reads what is new and returns all that is known. Where the log cannot be read, the coverage says why.
    pub(in crate::engine) async fn step(
        &mut self,
        bus: &Arc<dyn Bus>,
        cancel: &Cancel,
        told: Arc<dyn Fn(u64) + Send + Sync>,
    ) -> Arc<History> {
        let problem = match self.ranges(&**bus).await {
            Ok((ranges, problem)) if ranges.is_empty() => problem,
            Ok((ranges, problem)) => {
                let read = self.read(bus, ranges, cancel, told).await.err();
                self.known = Arc::new(self.log.history());
                read.or(problem)
            }
            Err(problem) if self.next.is_empty() => {
                return Arc::new(History {
                    coverage: HistoryCoverage {
                        problem: Some(problem.within("the bus's commit log cannot be read")),
                        ..HistoryCoverage::default()
                    },
                    ..History::default()
                });
            }
            Err(problem) => Some(problem),
        };
        if self.known.coverage.problem != problem {
            Arc::make_mut(&mut self.known).coverage.problem = problem;
        }
        Arc::clone(&self.known)
    }

    /// What is new in each partition, and why some cannot be read.
    async fn ranges(&mut self, bus: &dyn Bus) -> Known<(Vec<ReadRange>, Option<Problem>)> {
        let mut topics = bus.topics(vec![LOG.into()]).await;
        fill_ends(bus, &mut topics).await;
        let lost = || Problem::new(ProblemKind::NotFound, "there is no such topic");
        let topic: Topic = topics.pop().ok_or_else(lost)?;
        if let Some(problem) = topic.error {
            return Err(problem);
        }
        let mut ranges = Vec::new();
        let mut failed = None;
        for partition in &topic.partitions {
            let (start, stable) = match (&partition.log_start, &partition.last_stable) {
                (Ok(start), Ok(stable)) => (*start, *stable),
                (Err(problem), _) | (_, Err(problem)) => {
                    let place = format!("partition {} of {LOG}", partition.id);
                    failed = Some(problem.within(&place));
                    continue;
                }
            };
            let known = self.next.get(&partition.id).copied();
            let from = known.filter(|next| *next >= start && *next <= stable);
            let from = from.unwrap_or_else(|| {
                let from = start.max(stable.moved(-MOST).unwrap_or(start));
                self.log.begin(partition.id, from, from == Offset(0));
                from
            });
            self.next.insert(partition.id, from);
            if from < stable {
                ranges.push(ReadRange {
                    at: TopicPartition {
                        topic: LOG.into(),
                        partition: partition.id,
                    },
                    from,
                    to: Some(stable),
                });
            }
        }
        match failed {
            Some(problem) if self.next.is_empty() => Err(problem),
            failed => Ok((ranges, failed)),
        }
    }

    async fn read(
        &mut self,
        bus: &Arc<dyn Bus>,
        ranges: Vec<ReadRange>,
        cancel: &Cancel,
        told: Arc<dyn Fn(u64) + Send + Sync>,
    ) -> Known<()> {
        let (bus, cancel) = (Arc::clone(bus), cancel.part());
        let _given_up_with_this_task = cancel.guard();
        let mut log = std::mem::take(&mut self.log);
        let mut next = std::mem::take(&mut self.next);
        let reading = tokio::task::spawn_blocking(move || {
            let read = read_on(&*bus, ranges, &cancel, &*told, (&mut log, &mut next));
            (log, next, read)
        });
        let (log, next, read) = reading.await.map_err(|error| {
            Problem::new(ProblemKind::Other, format!("reading failed ({error})"))
        })?;
        (self.log, self.next) = (log, next);
        read
    }
}

fn read_on(
    bus: &dyn Bus,
    ranges: Vec<ReadRange>,
    cancel: &Cancel,
    told: &dyn Fn(u64),
    (log, next): (&mut CommitLog, &mut BTreeMap<PartitionId, Offset>),
) -> Known<()> {
    let mut open = ranges.len();
    // Commits inside of a transaction that was aborted never counted.
    let mut reader = bus.read(&ReadPlan {
        ranges,
        isolation: Isolation::ReadCommitted,
        appetite: Appetite::Many,
        sieve: None,
    })?;
    let begun = Instant::now();
    let mut last = begun;
    let mut count: u64 = 0;
    let mut events = Vec::new();
    let mut failed = None;
    while open > 0 && cancel.reason().is_none() && begun.elapsed() < STEP {
        reader.poll(TURN, &mut events)?;
        if !events.is_empty() {
            last = Instant::now();
        } else if last.elapsed() > PATIENCE {
            return Err(nothing_came());
        }
        for event in events.drain(..) {
            match event {
                ReadEvent::Record(record) => {
                    let key = record.key.as_deref().unwrap_or_default();
                    let entry = group_log_entry(key, record.value.as_deref());
                    log.add(record.partition, record.offset, record.timestamp, entry);
                    next.insert(record.partition, record.offset.next());
                    count = count.saturating_add(1);
                    if count.is_multiple_of(TOLD) {
                        told(count);
                    }
                }
                ReadEvent::Passed(_) => {}
                ReadEvent::Complete { at, next: reached } => {
                    next.insert(at.partition, reached);
                    open = open.saturating_sub(1);
                }
                ReadEvent::Failed { problem, .. } => {
                    failed = Some(problem);
                    open = open.saturating_sub(1);
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)
}
