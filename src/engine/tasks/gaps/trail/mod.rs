//! What was read of logs and of records, partition by partition, and how far that is.
//!
//! `logs` goes through the batches, which prove why an offset holds no record; `reading` goes through the records.
//! Where batches cannot be had, the records are read twice instead, as careful readers see them too, and the causes are
//! inferred. Both end at the last stable offset: what lies behind it is not decided yet.

mod logs;
mod reading;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bus::{Bus, Lookup, Seek};
use crate::decode::schema::Schemas;
use crate::engine::cancel::Cancel;
use crate::engine::event::{Coverage, PartitionCoverage, StoppedBy};
use crate::inspect::gaps::{EventRules, Events, Holes};
use crate::model::{
    Certainty, Fact, Finding, FindingKind, Known, Offset, Partition, Problem, TimestampMs, Topic,
    TopicConfig, TopicName, TopicPartition,
};

/// Records of one partition that are read when nobody says from when on.
const MOST: i64 = 1_000_000;
/// How far back that is.
const BACK_MS: i64 = 24 * 3_600_000;
/// How much memory what was seen of events may take, in bytes.
const EVENTS: u64 = 256 * 1024 * 1024;

/// Which records are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// From this time on; `None` for a day back, and no more than a million offsets of a partition.
    pub(super) from: Option<TimestampMs>,
    /// Up to this time, not included; to the end when `None`.
    pub(super) to: Option<TimestampMs>,
}

/// One partition.
struct Lane {
    from: Offset,
    /// Where records are read on.
    next: Offset,
    to: Offset,
    holes: Holes,
    /// Why batches cannot be had.
    inferred: Option<Problem>,
    error: Option<Problem>,
}

/// What was read so far.
pub(super) struct Trail {
    bus: Arc<dyn Bus>,
    schemas: Arc<dyn Schemas>,
    lanes: BTreeMap<TopicPartition, Lane>,
    failed: Vec<PartitionCoverage>,
    events: Events,
    records: u64,
    bytes: u64,
    stopped_by: Option<StoppedBy>,
}

impl Trail {
    /// Nothing read yet of `topics`, of which the partitions' ends are known.
    pub(super) async fn begin(
        (bus, schemas): (Arc<dyn Bus>, Arc<dyn Schemas>),
        topics: &[Arc<Topic>],
        span: Span,
        rules: EventRules,
        now: TimestampMs,
    ) -> Self {
        let mut trail = Self {
            lanes: BTreeMap::new(),
            failed: Vec::new(),
            events: Events::new(rules, EVENTS),
            records: 0,
            bytes: 0,
            stopped_by: None,
            bus,
            schemas,
        };
        let mut parts = Vec::new();
        for topic in topics {
            if let Some(problem) = &topic.error {
                trail
                    .failed
                    .push(failed(&topic.name, None, problem.clone()));
                continue;
            }
            let compacted = compacted(topic);
            for partition in &topic.partitions {
                let at = topic.at(partition.id);
                match (partition.log_start.clone(), readable_end(partition)) {
                    (Ok(start), Ok(end)) => parts.push((at, start, end, compacted)),
                    (Err(problem), _) | (_, Err(problem)) => {
                        let row = failed(&topic.name, Some(&at), problem.clone());
                        trail.failed.push(row);
                    }
                }
            }
        }
        trail.place(parts, span, now).await;
        trail
    }

    /// Finds out where the span lies in each partition.
    async fn place(
        &mut self,
        parts: Vec<(TopicPartition, Offset, Offset, Option<bool>)>,
        span: Span,
        now: TimestampMs,
    ) {
        let look = |time: TimestampMs| {
            let lookups = parts.iter().map(|(at, ..)| Lookup {
                at: at.clone(),
                seek: Seek::AtOrAfter(time),
            });
            self.bus.look_up(lookups.collect())
        };
        let from = look(span.from.unwrap_or_else(|| now.moved_ms(-BACK_MS))).await;
        // Before the first record of all there may be offsets that compaction has emptied.
        let very_first = look(TimestampMs(0)).await;
        let to = match span.to {
            Some(time) => look(time).await.into_iter().map(Some).collect(),
            None => vec![None; parts.len()],
        };
        let found_all = from.into_iter().zip(very_first).zip(to);
        for ((at, start, end, compacted), ((from, first), to)) in parts.into_iter().zip(found_all) {
            let begins =
                matches!((&from, &first), (Ok(from), Ok(first)) if from.offset == first.offset);
            let found = |found: Known<crate::bus::Found>| {
                found.map(|found| found.offset.map_or(end, |offset| offset.min(end)))
            };
            let placed = found(from).and_then(|from| Ok((from, to.map_or(Ok(end), found)?)));
            let (mut from, to) = match placed {
                Ok(placed) => placed,
                Err(problem) => {
                    self.failed.push(failed(&at.topic, Some(&at), problem));
                    continue;
                }
            };
            if begins {
                from = start;
            }
            if span.from.is_none() {
                from = from.max(end.moved(-MOST).unwrap_or(start));
            }
            let from = from.max(start).min(end);
            let lane = Lane {
                from,
                next: from,
                to: to.max(from),
                holes: Holes::new(at.clone(), from, compacted),
                inferred: None,
                error: None,
            };
            self.lanes.insert(at, lane);
        }
    }

    /// How many offsets are still to be read.
    pub(super) fn left(&self) -> u64 {
        let left = |lane: &Lane| lane.to.since(lane.next).unwrap_or_default();
        self.lanes.values().map(left).sum()
    }

    /// Lets the lanes reach as far as the logs do now. Partitions that were not there before are read from their
    /// beginning.
    pub(super) fn reach(&mut self, topics: &[Arc<Topic>]) {
        self.failed.clear();
        for topic in topics.iter().filter(|topic| !topic.internal) {
            let compacted = compacted(topic);
            for partition in &topic.partitions {
                let at = topic.at(partition.id);
                let (Ok(start), Ok(end)) = (&partition.log_start, readable_end(partition)) else {
                    continue;
                };
                let lane = self.lanes.entry(at.clone()).or_insert_with(|| Lane {
                    from: *start,
                    next: *start,
                    to: end,
                    holes: Holes::new(at.clone(), *start, compacted),
                    inferred: None,
                    error: None,
                });
                lane.error = None;
                if end < lane.next {
                    // The log is another one, or was cut back.
                    (lane.from, lane.next) = (*start, *start);
                    lane.holes = Holes::new(at, *start, compacted);
                }
                lane.to = end;
            }
        }
    }

    /// Reads up to where the lanes reach. What was read stays when it is given up.
    ///
    /// # Errors
    /// Nothing can be read at all.
    pub(super) async fn advance(
        &mut self,
        cancel: &Cancel,
        told: Arc<dyn Fn(u64) + Send + Sync>,
    ) -> Known<()> {
        self.stopped_by = None;
        logs::read(&*self.bus, &mut self.lanes, cancel).await;
        let read = reading::read(self, cancel, told).await;
        if let Some(reason) = cancel.reason() {
            self.stopped_by = Some(reason);
        } else if self.lanes.values().any(|lane| lane.error.is_some()) {
            self.stopped_by = Some(StoppedBy::Error);
        }
        read
    }

    /// What follows from what was read.
    pub(super) fn findings(&self, now: TimestampMs, topics: &[Arc<Topic>]) -> Vec<Finding> {
        let holes = self.lanes.values().flat_map(|lane| lane.holes.findings());
        let mut findings: Vec<Finding> = holes.collect();
        let mut events = self.events.findings(now, topics);
        let is_whole = self.failed.is_empty() && self.left() == 0 && !self.events.over_budget();
        if !is_whole {
            events.iter_mut().for_each(doubt);
        }
        findings.extend(events);
        findings
    }

    /// The same without what explains holes.
    pub(super) fn event_findings(&self, now: TimestampMs, topics: &[Arc<Topic>]) -> Vec<Finding> {
        let mut findings = self.findings(now, topics);
        findings.retain(Finding::wants_attention);
        findings
    }

    /// What was looked at.
    pub(super) fn coverage(&self) -> Coverage {
        let mut partitions = self.failed.clone();
        partitions.extend(self.lanes.iter().map(|(at, lane)| PartitionCoverage {
            topic: Arc::clone(&at.topic),
            partition: Some(at.partition),
            from: Some(lane.from),
            to: Some(lane.to),
            next: Some(lane.next),
            complete: lane.error.is_none() && lane.next >= lane.to,
            error: lane.error.clone(),
        }));
        partitions.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
        let over = self.events.over_budget().then_some(StoppedBy::Budget);
        Coverage {
            stopped_by: self.stopped_by.or(over),
            records_scanned: self.records,
            bytes_scanned: self.bytes,
            matched: 0,
            expression_failures: None,
            partitions,
        }
    }
}

/// Whether the topic is compacted; `None` when its settings are not known.
fn compacted(topic: &Topic) -> Option<bool> {
    topic.config.as_ref().ok().map(TopicConfig::is_compacted)
}

/// Up to where the records of a partition are decided.
fn readable_end(partition: &Partition) -> Known<Offset> {
    let high = partition.high_watermark.clone()?;
    Ok(match &partition.last_stable {
        Ok(stable) => high.min(*stable),
        Err(_unknown) => high,
    })
}

/// What was not read may hold what seems to be missing.
fn doubt(finding: &mut Finding) {
    if finding.kind == FindingKind::MissingVersion {
        finding.certainty = Certainty::Hint;
        finding.evidence.push(("read_whole", Fact::Flag(false)));
    }
}

fn failed(topic: &TopicName, at: Option<&TopicPartition>, problem: Problem) -> PartitionCoverage {
    PartitionCoverage {
        topic: Arc::clone(topic),
        partition: at.map(|at| at.partition),
        from: None,
        to: None,
        next: None,
        complete: false,
        error: Some(problem),
    }
}
