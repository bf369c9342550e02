//! The partitions of a list, and how far it reaches in each.

use std::collections::{BTreeSet, HashMap};

use tokio::time::Instant;

use crate::bus::{Bus, Found, Lookup, Seek};
use crate::engine::command::{
    Edge, RecordScope, RecordsRequest, TableOrder, TableRequest, TableSpan,
};
use crate::engine::event::PartitionCoverage;
use crate::engine::snapshot::Inventory;
use crate::engine::tasks::lookups::Rate;
use crate::engine::tasks::ranges::{PartitionRange, resolve};
use crate::model::{
    Isolation, Known, Offset, Partition, Problem, ProblemKind, Record, TimestampMs, TopicPartition,
};

use super::cuts::Key;

/// A span of time is read past its end because times need not be in order: so many offsets in all partitions
/// together, and no more in each than any question about a span.
const PAST_THE_END: u64 = 500_000;
/// A partition that could not be read is tried again this often, with each refresh that knows its ends.
const TRIES: u8 = 5;
/// What says that a partition has shrunk or gone may be older than the list; said so often, it is true.
const TIMES_TOLD: u8 = 2;

/// One partition of a list.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// What is read of it. Offsets from `meant_to` on are read and not counted.
    pub(super) range: PartitionRange,
    /// Where the list would end now, and up to where it would be read; what lies beyond `range` has come since.
    newest: (Offset, Offset),
    /// Whether the list goes on with the partition.
    is_open_ended: bool,
    /// Why nothing more of it can be read.
    closed: Option<Problem>,
    /// How often it was tried again.
    tries: u8,
    /// How often in a row it was told to have shrunk or gone.
    missed: u8,
    /// What was asked for up to then is older than what is known here, or known already.
    known_at: Option<Instant>,
}

impl Lane {
    fn new(range: PartitionRange) -> Self {
        Self {
            newest: (range.meant_to, range.to),
            is_open_ended: range.meant_to == range.end,
            range,
            closed: None,
            tries: 0,
            missed: 0,
            known_at: None,
        }
    }

    /// Leaves of the range only the offsets from `from` to before `to`; what comes later is not meant.
    fn keep(&mut self, from: Offset, to: Offset) {
        let range = &mut self.range;
        range.from = range.from.max(from).min(range.to);
        range.to = range.to.min(to).max(range.from);
        range.meant_to = range.to;
        self.newest = (range.meant_to, range.to);
        self.is_open_ended = false;
    }

    /// How many of its offsets count before `cut`.
    pub(super) fn before(&self, cut: Offset) -> u64 {
        let cut = cut.min(self.range.meant_to);
        cut.since(self.range.from).unwrap_or(0)
    }

    /// How many of its offsets count from `cut` on.
    pub(super) fn after(&self, cut: Offset) -> u64 {
        let cut = cut.max(self.range.from);
        self.range.meant_to.since(cut).unwrap_or(0)
    }
}

/// The offsets that `request` names of the partition `at`.
fn offsets_in(request: &TableRequest, at: &TopicPartition) -> Option<(Offset, Offset)> {
    let TableSpan::Offsets(ranges) = &request.span else {
        return None;
    };
    let index = request.partitions.binary_search(at).ok()?;
    ranges.get(index).copied()
}

/// The partitions of a list, sorted.
#[derive(Debug)]
pub(super) struct Lanes {
    known: Vec<Lane>,
    index: HashMap<TopicPartition, usize>,
    /// The partitions that cannot be looked at at all.
    failed: Vec<PartitionCoverage>,
    times: (Option<TimestampMs>, Option<TimestampMs>),
    order: TableOrder,
    isolation: Isolation,
    rate: Rate,
}

impl Lanes {
    /// Finds out how far the list of `request` reaches.
    ///
    /// # Errors
    /// The bus cannot be asked at all.
    pub(super) async fn resolve(bus: &dyn Bus, request: &TableRequest, rate: Rate) -> Known<Self> {
        let (from, to) = match request.span {
            TableSpan::All | TableSpan::Offsets(_) => (None, None),
            TableSpan::Between(from, to) => (Some(Edge::Time(from)), Some(Edge::Time(to))),
        };
        let scope = request.partitions.iter().map(|at| RecordScope {
            topic: at.topic.clone(),
            partition: Some(at.partition),
            offset: None,
        });
        let question = RecordsRequest {
            scope: scope.collect(),
            from,
            to,
            isolation: request.isolation,
            ..RecordsRequest::default()
        };
        let resolved = resolve(bus, &question).await?;
        let count = u64::try_from(resolved.ranges.len().max(1)).unwrap_or(u64::MAX);
        let past = i64::try_from(PAST_THE_END / count).unwrap_or(i64::MAX);
        let mut lanes: Vec<Lane> = resolved
            .ranges
            .into_iter()
            .map(|mut range| {
                let past = range.meant_to.moved(past).unwrap_or(range.to);
                range.to = range.to.min(past);
                let named = offsets_in(request, &range.at);
                let mut lane = Lane::new(range);
                if let Some((from, to)) = named {
                    lane.keep(from, to);
                }
                lane
            })
            .collect();
        let now = Instant::now();
        for lane in &mut lanes {
            lane.known_at = Some(now);
        }
        lanes.sort_by(|a, b| a.range.at.cmp(&b.range.at));
        let index = lanes
            .iter()
            .enumerate()
            .map(|(lane, known)| (known.range.at.clone(), lane))
            .collect();
        Ok(Self {
            known: lanes,
            index,
            failed: resolved.failed,
            times: resolved.times,
            order: request.order,
            isolation: request.isolation,
            rate,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn order(&self) -> TableOrder {
        self.order
    }

    pub(super) fn isolation(&self) -> Isolation {
        self.isolation
    }

    pub(super) fn times(&self) -> (Option<TimestampMs>, Option<TimestampMs>) {
        self.times
    }

    pub(super) fn failed(&self) -> &[PartitionCoverage] {
        &self.failed
    }

    pub(super) fn get(&self, lane: usize) -> Option<&Lane> {
        self.known.get(lane)
    }

    pub(super) fn find(&self, at: &TopicPartition) -> Option<usize> {
        self.index.get(at).copied()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Lane)> {
        self.known.iter().enumerate()
    }

    /// Those that can be read.
    pub(super) fn open(&self) -> impl Iterator<Item = (usize, &Lane)> {
        self.all().filter(|(_, lane)| lane.closed.is_none())
    }

    /// Why nothing more of `lane` can be read.
    pub(super) fn problem(&self, lane: usize) -> Option<&Problem> {
        self.get(lane)?.closed.as_ref()
    }

    /// Reads no more of `lane`.
    pub(super) fn close(&mut self, lane: usize, problem: Problem) {
        if let Some(lane) = self.known.get_mut(lane) {
            lane.closed.get_or_insert(problem);
        }
    }

    /// Where `record` stands in the list.
    pub(super) fn key(&self, record: &Record) -> Option<Key> {
        let lane = self.find(&record.at())?;
        let time = match self.order {
            TableOrder::Time => record.timestamp,
            TableOrder::Offset => None,
        };
        Some(Key {
            time,
            lane,
            offset: record.offset,
        })
    }

    /// Whether a record with this time belongs to the list.
    pub(super) fn is_meant(&self, time: Option<TimestampMs>) -> bool {
        match self.times {
            (None, None) => true,
            (from, to) => time.is_some_and(|time| {
                from.is_none_or(|from| time >= from) && to.is_none_or(|to| time < to)
            }),
        }
    }

    /// How many offsets the list has.
    pub(super) fn total(&self) -> u64 {
        self.open()
            .map(|(_, lane)| lane.after(lane.range.from))
            .fold(0, u64::saturating_add)
    }

    /// How many offsets have come since.
    pub(super) fn newer(&self) -> u64 {
        self.open()
            .map(|(_, lane)| lane.newest.0.since(lane.range.meant_to).unwrap_or(0))
            .fold(0, u64::saturating_add)
    }

    /// Looks each of `lanes` up, in the order given, no faster than allowed.
    pub(super) async fn look_up(
        &self,
        bus: &dyn Bus,
        lanes: impl IntoIterator<Item = usize>,
        seek: Seek,
    ) -> Vec<(usize, Known<Found>)> {
        let (lanes, lookups): (Vec<usize>, Vec<Lookup>) = lanes
            .into_iter()
            .filter_map(|lane| {
                let at = self.get(lane)?.range.at.clone();
                Some((lane, Lookup { at, seek }))
            })
            .unzip();
        if lanes.is_empty() {
            return Vec::new();
        }
        let (started, count) = (Instant::now(), lanes.len());
        let found = bus.look_up(lookups).await;
        tokio::time::sleep_until(started + self.rate.time_for(count)).await;
        lanes.into_iter().zip(found).collect()
    }

    /// Takes the ends that `inventory` knows.
    pub(super) fn refresh(&mut self, inventory: &Inventory) {
        if !matches!(inventory.topics, Some(Ok(_))) {
            return;
        }
        let names: BTreeSet<_> = self
            .known
            .iter()
            .map(|lane| lane.range.at.topic.clone())
            .collect();
        let mut told: Vec<bool> = vec![false; self.known.len()];
        for topic in inventory.topics() {
            if topic.error.is_some() || !names.contains(&topic.name) {
                continue;
            }
            for partition in &topic.partitions {
                let Some(lane) = self.find(&topic.at(partition.id)) else {
                    continue;
                };
                if let Some(told) = told.get_mut(lane) {
                    *told = true;
                }
                let isolation = self.isolation;
                let asked = inventory.asked.topic(&topic.name);
                if let Some(lane) = self.known.get_mut(lane)
                    && lane.is_news(asked)
                {
                    lane.refresh(partition, isolation);
                }
            }
        }
        for (lane, _) in self
            .known
            .iter_mut()
            .zip(told)
            .filter(|(_, is_told)| !is_told)
        {
            if lane.is_news(inventory.asked.topic(&lane.range.at.topic)) {
                lane.miss("the partition is not there any more");
            }
        }
    }

    /// Finds where the span ends in the partitions that have grown, now that there may be records beyond it.
    pub(super) async fn end_spans(&mut self, bus: &dyn Bus) {
        let Some(to) = self.times.1 else {
            return;
        };
        let grown: Vec<usize> = self
            .open()
            .filter(|(_, lane)| lane.is_open_ended && lane.newest.0 > lane.range.meant_to)
            .map(|(lane, _)| lane)
            .collect();
        for (lane, found) in self.look_up(bus, grown, Seek::AtOrAfter(to)).await {
            let first = found.ok().and_then(|found| found.offset);
            if let (Some(first), Some(lane)) = (first, self.known.get_mut(lane)) {
                lane.newest.0 = first.clamp(lane.range.meant_to, lane.newest.0);
                lane.is_open_ended = false;
            }
        }
    }

    /// Lets the list reach to where it would end now.
    pub(super) fn take_newer(&mut self) {
        for lane in &mut self.known {
            lane.range.meant_to = lane.newest.0;
            lane.range.to = lane.newest.1;
            lane.range.end = lane.range.end.max(lane.newest.1);
        }
    }
}

impl Lane {
    /// Whether an answer to what was `asked` then is newer than all that is known, and notes it. One that carries
    /// no time is taken for new.
    fn is_news(&mut self, asked: Option<Instant>) -> bool {
        let is_news = asked.is_none() || asked > self.known_at;
        self.known_at = self.known_at.max(asked);
        is_news
    }

    fn refresh(&mut self, partition: &Partition, isolation: Isolation) {
        let Some((start, high)) = partition.ends() else {
            return;
        };
        let high = high.max(start);
        let end = match (isolation, &partition.last_stable) {
            (Isolation::ReadUncommitted, _) => high,
            (Isolation::ReadCommitted, Ok(stable)) => (*stable).clamp(start, high),
            (Isolation::ReadCommitted, Err(_)) => return,
        };
        if self.missed >= TIMES_TOLD {
            return;
        }
        if end < self.range.end {
            self.miss("the partition's log was made anew or lost its end since the list was begun");
            return;
        }
        // A leader may be back that was away; one that is gone for good is not asked for ever.
        if self.tries < TRIES && self.closed.take().is_some() {
            self.tries = self.tries.saturating_add(1);
        }
        self.missed = 0;
        let range = &mut self.range;
        range.high_watermark = high;
        range.last_stable.clone_from(&partition.last_stable);
        // What was deleted since is not asked for again.
        range.log_start = start;
        range.from = range.from.max(start).min(range.to);
        if self.is_open_ended {
            self.newest = (self.newest.0.max(end), self.newest.1.max(end));
        }
    }

    fn miss(&mut self, sentence: &str) {
        self.missed = self.missed.saturating_add(1);
        if self.missed >= TIMES_TOLD {
            self.closed
                .get_or_insert_with(|| Problem::new(ProblemKind::NotFound, sentence));
        }
    }
}
