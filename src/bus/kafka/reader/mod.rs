//! Reading records: pooled clients without a group, one queue for all partitions of a reader.

mod pool;

pub(super) use pool::Pool;

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bus::{Passed, ReadEvent, ReadPlan, Reader, Sieve};
use crate::model::{
    Known, Offset, PartitionId, Problem, ProblemKind, Record, TopicName, TopicPartition, Visibility,
};

use super::errors;
use super::ffi::consume::{Batch, FetchedRecord, Seen, TopicHandle, TopicMark};
use super::ffi::{Client, Code, Queue};
use pool::Sort;

/// How many messages are taken out of librdkafka's queue at once.
const BATCH: usize = 2_000;
/// librdkafka waits for a whole batch; in slices this short a single record comes through at once.
const SLICE: Duration = Duration::from_millis(10);
/// How long a new reader waits for the leaders of a topic.
const LEADERS: Duration = Duration::from_secs(3);

/// How far one partition is.
struct Progress {
    at: TopicPartition,
    to: Option<Offset>,
    next: Offset,
    active: bool,
    /// What the sieve held back since the last event.
    passed: Passed,
}

/// The partitions of a reader, found by what messages carry.
#[derive(Default)]
struct Lanes {
    all: Vec<Progress>,
    by_name: HashMap<(TopicName, PartitionId), usize>,
    /// The same by what is quicker to compare than a name.
    by_mark: HashMap<(TopicMark, i32), usize>,
    /// The last that was found: messages of a partition come in long rows.
    last: Option<((TopicMark, i32), usize)>,
}

impl Lanes {
    fn add(&mut self, progress: Progress) {
        let key = (progress.at.topic.clone(), progress.at.partition);
        self.by_name.insert(key, self.all.len());
        self.all.push(progress);
    }

    fn of(&mut self, seen: &Seen<'_>) -> Option<&mut Progress> {
        let mark = (seen.topic(), seen.partition());
        let index = match self.last {
            Some((last, index)) if last == mark => index,
            _ => {
                let index = if let Some(index) = self.by_mark.get(&mark) {
                    *index
                } else {
                    let name = TopicName::from(seen.topic_name().as_str()?);
                    let index = *self.by_name.get(&(name, PartitionId(mark.1)))?;
                    self.by_mark.insert(mark, index);
                    index
                };
                self.last = Some((mark, index));
                index
            }
        };
        self.all.get_mut(index)
    }
}

/// A reader over some partitions. Stops them and gives its client back when dropped.
pub(super) struct KafkaReader {
    pool: Arc<Pool>,
    /// The pool's age when the client was taken.
    age: u64,
    sort: Sort,
    client: Option<Client>,
    queue: Option<Queue>,
    topics: HashMap<TopicName, TopicHandle>,
    lanes: Lanes,
    batch: Batch,
    sieve: Option<Arc<dyn Sieve>>,
    /// What was known at the start already.
    early: Vec<ReadEvent>,
}

impl KafkaReader {
    /// Begins to read `plan`.
    ///
    /// # Errors
    /// No client can be made.
    pub(super) fn start(pool: &Arc<Pool>, plan: &ReadPlan) -> Known<Self> {
        let sort = Sort {
            isolation: plan.isolation,
            appetite: plan.appetite,
        };
        let age = pool.age();
        let client = pool.take(sort)?;
        let queue = Queue::new(&client)
            .ok_or_else(|| Problem::new(ProblemKind::Other, "no queue for records can be made"))?;
        let mut reader = Self {
            pool: Arc::clone(pool),
            age,
            sort,
            client: Some(client),
            queue: Some(queue),
            topics: HashMap::new(),
            lanes: Lanes::default(),
            batch: Batch::new(BATCH),
            sieve: plan.sieve.clone(),
            early: Vec::new(),
        };
        for range in &plan.ranges {
            reader.add(&range.at, range.from, range.to);
        }
        Ok(reader)
    }

    fn add(&mut self, at: &TopicPartition, from: Offset, to: Option<Offset>) {
        if to.is_some_and(|to| to <= from) {
            self.early.push(ReadEvent::Complete {
                at: at.clone(),
                next: from,
            });
            return;
        }
        let (Some(client), Some(queue)) = (&self.client, &self.queue) else {
            return;
        };
        if !self.topics.contains_key(&at.topic)
            && let Some(topic) = CString::new(at.topic.as_bytes())
                .ok()
                .and_then(|name| TopicHandle::new(client, &name))
        {
            topic.learn_leaders(LEADERS);
            self.topics.insert(at.topic.clone(), topic);
        }
        let started = self
            .topics
            .get(&at.topic)
            .is_some_and(|topic| topic.start(at.partition.0, from.0, queue));
        if started {
            let progress = Progress {
                at: at.clone(),
                to,
                next: from,
                active: true,
                passed: Passed::none(at.clone(), from),
            };
            self.lanes.add(progress);
        } else {
            self.early.push(ReadEvent::Failed {
                at: at.clone(),
                problem: Problem::new(
                    ProblemKind::Other,
                    "reading the partition cannot be started",
                ),
            });
        }
    }
}

impl KafkaReader {
    /// Reads no further in one partition.
    pub(super) fn finish(&mut self, at: &TopicPartition) {
        let key = (at.topic.clone(), at.partition);
        let index = self.lanes.by_name.get(&key);
        if let Some(progress) = index
            .and_then(|index| self.lanes.all.get_mut(*index))
            .filter(|progress| progress.active)
        {
            progress.active = false;
            if let Some(topic) = self.topics.get(&at.topic) {
                topic.stop(at.partition.0);
            }
        }
    }
}

impl Reader for KafkaReader {
    fn poll(&mut self, wait: Duration, events: &mut Vec<ReadEvent>) -> Known<()> {
        events.append(&mut self.early);
        let Self {
            client,
            queue,
            topics,
            lanes,
            batch,
            sieve,
            ..
        } = self;
        let (Some(client), Some(queue)) = (client, queue) else {
            return Ok(());
        };
        // Serves log lines and errors of the client.
        while client.0.poll(Duration::ZERO).is_some() {}
        let deadline = Instant::now() + wait;
        let before = events.len();
        let mut ended: Vec<TopicPartition> = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let taken = batch.take(queue, left.min(SLICE), |seen| {
                if let Some(progress) = lanes.of(seen) {
                    progress.tell(seen, sieve.as_deref(), events, &mut ended);
                }
            });
            for progress in &mut lanes.all {
                progress.tell_passed(events);
            }
            for at in ended.drain(..) {
                if let Some(topic) = topics.get(&at.topic) {
                    topic.stop(at.partition.0);
                }
            }
            let told = events.len() > before;
            if told || (taken == 0 && Instant::now() >= deadline) {
                return Ok(());
            }
        }
    }

    fn throttled(&self) -> Duration {
        let client = self.client.as_ref();
        client.map_or(Duration::ZERO, |client| client.context().throttled())
    }
}

impl Progress {
    /// Turns a message into events; a partition that has ended is added to `ended`.
    fn tell(
        &mut self,
        seen: &Seen<'_>,
        sieve: Option<&dyn Sieve>,
        events: &mut Vec<ReadEvent>,
        ended: &mut Vec<TopicPartition>,
    ) {
        if !self.active {
            return;
        }
        let offset = Offset(seen.offset());
        let last = match seen.is_record() {
            Ok(()) if self.to.is_some_and(|to| offset >= to) => Some(self.complete(offset)),
            Ok(()) if offset < self.next => None,
            Ok(()) => {
                self.record(seen, offset, sieve, events);
                let is_last = self.to.is_some_and(|to| self.next >= to);
                is_last.then(|| self.complete(offset))
            }
            Err(Code::PARTITION_EOF) => {
                let is_open = self.to.is_none();
                if is_open {
                    self.reach(offset, sieve.is_some());
                }
                (!is_open).then(|| ReadEvent::Complete {
                    at: self.at.clone(),
                    next: offset,
                })
            }
            Err(code) => Some(ReadEvent::Failed {
                at: self.at.clone(),
                problem: errors::problem(code),
            }),
        };
        if let Some(last) = last {
            self.active = false;
            ended.push(self.at.clone());
            if let ReadEvent::Complete { next, .. } = last {
                self.passed.next = next.max(self.next);
            }
            if sieve.is_some() {
                self.tell_passed(events);
            }
            events.push(last);
        }
    }

    fn record(
        &mut self,
        seen: &Seen<'_>,
        offset: Offset,
        sieve: Option<&dyn Sieve>,
        events: &mut Vec<ReadEvent>,
    ) {
        self.next = offset.next();
        let Some(sieve) = sieve else {
            events.push(ReadEvent::Record(record_at(
                &self.at,
                offset,
                seen.copied(),
            )));
            return;
        };
        let (key, value) = (seen.key(), seen.value());
        if sieve.passes(key, value) {
            self.passed.next = offset;
            self.tell_passed(events);
            self.passed.from = offset.next();
            self.passed.next = offset.next();
            events.push(ReadEvent::Record(record_at(
                &self.at,
                offset,
                seen.copied(),
            )));
        } else {
            let len = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
            let bytes = len(key)
                .saturating_add(len(value))
                .saturating_add(seen.headers_len());
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            self.passed.add(offset, bytes, seen.timestamp());
        }
    }

    /// The end of what can be read now: nothing lies between the last record and `end` but markers and what this
    /// reader is not given.
    fn reach(&mut self, end: Offset, is_sieved: bool) {
        if end <= self.next {
            return;
        }
        if !is_sieved {
            // Records were told one by one.
            self.passed.from = self.next;
        }
        self.passed.next = end;
        self.next = end;
    }

    /// Tells of the stretch since this was last told.
    fn tell_passed(&mut self, events: &mut Vec<ReadEvent>) {
        if self.passed.next > self.passed.from {
            let none = Passed::none(self.at.clone(), self.passed.next);
            events.push(ReadEvent::Passed(std::mem::replace(&mut self.passed, none)));
        }
    }

    fn complete(&self, offset: Offset) -> ReadEvent {
        ReadEvent::Complete {
            at: self.at.clone(),
            next: self.to.unwrap_or(offset),
        }
    }
}

fn record_at(at: &TopicPartition, offset: Offset, fetched: FetchedRecord) -> Record {
    Record {
        topic: at.topic.clone(),
        partition: at.partition,
        offset,
        timestamp: fetched.timestamp,
        timestamp_type: fetched.timestamp_type,
        key: fetched.key,
        value: fetched.value,
        headers: fetched.headers,
        leader_epoch: fetched.leader_epoch,
        visibility: Visibility::Unknown,
    }
}

impl Drop for KafkaReader {
    fn drop(&mut self) {
        for progress in self.lanes.all.iter().filter(|progress| progress.active) {
            if let Some(topic) = self.topics.get(&progress.at.topic) {
                topic.stop(progress.at.partition.0);
            }
        }
        self.topics.clear();
        self.queue = None;
        if let Some(client) = self.client.take() {
            self.pool.give_back(self.sort, client, self.age);
        }
    }
}
