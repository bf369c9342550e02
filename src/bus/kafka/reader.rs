//! Reading records: pooled clients without a group, one queue for all partitions of a reader.

use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rdkafka::config::FromClientConfigAndContext as _;
use rdkafka::consumer::BaseConsumer;

use crate::bus::{ReadEvent, ReadPlan, Reader};
use crate::model::{
    Isolation, Known, Offset, PartitionId, Problem, ProblemKind, Record, TopicName, TopicPartition,
    Visibility,
};

use super::config::client_config;
use super::context::Context;
use super::errors;
use super::ffi::consume::{Batch, Fetched, FetchedRecord, TopicHandle};
use super::ffi::{Client, Code, Queue};

/// How many messages are taken out of librdkafka's queue at once.
const BATCH: usize = 2_000;
/// librdkafka waits for a whole batch; in slices this short a single record comes through at once.
const SLICE: Duration = Duration::from_millis(10);
/// How long a new reader waits for the leaders of a topic.
const LEADERS: Duration = Duration::from_secs(3);
/// How many idle clients of one sort are kept for the next reader.
const IDLE: usize = 2;

/// What sort of client a reader needs; clients of the same sort are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sort {
    isolation: Isolation,
    /// For many records in a row, as opposed to a few at a time.
    bulk: bool,
}

/// Clients that wait for their next reader.
pub(super) struct Pool {
    settings: BTreeMap<String, String>,
    idle: Mutex<HashMap<Sort, Vec<Client>>>,
    /// Grows with each renewal.
    age: AtomicU64,
}

impl Pool {
    /// A pool of clients with these settings.
    pub(super) fn new(settings: BTreeMap<String, String>) -> Self {
        Self {
            settings,
            idle: Mutex::default(),
            age: AtomicU64::new(0),
        }
    }

    fn take(&self, sort: Sort) -> Known<Client> {
        if let Some(client) = self.idle.lock().get_mut(&sort).and_then(Vec::pop) {
            return Ok(client);
        }
        let mut config = client_config(&self.settings);
        let isolation = match sort.isolation {
            Isolation::ReadUncommitted => "read_uncommitted",
            Isolation::ReadCommitted => "read_committed",
        };
        config
            .set("isolation.level", isolation)
            .set("enable.partition.eof", "true")
            .set("fetch.queue.backoff.ms", "5")
            .set("fetch.wait.max.ms", "100")
            .set("fetch.min.bytes", "1");
        // A bulk reader is held to 32 MiB for records of 100 bytes that are not compressed: a waiting record costs
        // about 350 bytes beside its own, so 30,000 take 13 MiB, and when one is missing a fetch of 4 MiB comes on
        // top, which is 40,000 records and 17 MiB. Larger records take less; compressed ones take more, as a fetch
        // is bounded before it is unpacked. Fetching further ahead was no faster when measured.
        let sizes = if sort.bulk {
            [
                ("fetch.message.max.bytes", "1048576"),
                ("fetch.max.bytes", "4194304"),
                ("queued.min.messages", "30000"),
                ("queued.max.messages.kbytes", "16384"),
            ]
        } else {
            [
                ("fetch.message.max.bytes", "262144"),
                ("fetch.max.bytes", "8388608"),
                ("queued.min.messages", "1000"),
                ("queued.max.messages.kbytes", "8192"),
            ]
        };
        for (name, value) in sizes {
            config.set(name, value);
        }
        let consumer: BaseConsumer<Context> =
            BaseConsumer::from_config_and_context(&config, Context::default())
                .map_err(|error| errors::refused_settings(&error))?;
        Ok(Client(Arc::new(consumer)))
    }

    /// Lets go of every client, those in use when they come back: a broker has left or come, and a client keeps
    /// trying one that left.
    pub(super) fn renew(&self) {
        self.age.fetch_add(1, Ordering::AcqRel);
        self.idle.lock().clear();
    }

    fn give_back(&self, sort: Sort, client: Client, age: u64) {
        if age != self.age.load(Ordering::Acquire) {
            return;
        }
        let mut idle = self.idle.lock();
        let kept = idle.entry(sort).or_default();
        if kept.len() < IDLE {
            kept.push(client);
        }
    }
}

/// How far one partition is.
struct Progress {
    at: TopicPartition,
    to: Option<Offset>,
    next: Offset,
    active: bool,
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
    partitions: HashMap<(TopicName, PartitionId), Progress>,
    batch: Batch,
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
            bulk: plan.memory_bytes >= 32 * 1024 * 1024,
        };
        let age = pool.age.load(Ordering::Acquire);
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
            partitions: HashMap::new(),
            batch: Batch::new(BATCH),
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
            };
            self.partitions
                .insert((at.topic.clone(), at.partition), progress);
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
        if let Some(progress) = self
            .partitions
            .get_mut(&key)
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
            partitions,
            batch,
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
            let taken = batch.take(queue, left.min(SLICE), |fetched| {
                tell(fetched, partitions, events, &mut ended);
            });
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
}

/// Turns what was fetched into events; partitions that have ended are added to `ended`.
fn tell(
    fetched: Fetched,
    partitions: &mut HashMap<(TopicName, PartitionId), Progress>,
    events: &mut Vec<ReadEvent>,
    ended: &mut Vec<TopicPartition>,
) {
    let Some(topic) = fetched.topic.as_str() else {
        return;
    };
    let key = (TopicName::from(topic), PartitionId(fetched.partition));
    let Some(progress) = partitions.get_mut(&key).filter(|progress| progress.active) else {
        return;
    };
    let at = progress.at.clone();
    let offset = Offset(fetched.offset);
    let last = match fetched.what {
        Ok(_) if progress.to.is_some_and(|to| offset >= to) => Some(ReadEvent::Complete {
            at,
            next: progress.to.unwrap_or(offset),
        }),
        Ok(_) if offset < progress.next => None,
        Ok(record) => {
            progress.next = offset.next();
            events.push(ReadEvent::Record(record_at(&at, offset, record)));
            progress
                .to
                .filter(|to| progress.next >= *to)
                .map(|next| ReadEvent::Complete { at, next })
        }
        Err(Code::PARTITION_EOF) => progress
            .to
            .map(|_| ReadEvent::Complete { at, next: offset }),
        Err(code) => Some(ReadEvent::Failed {
            at,
            problem: errors::problem(code),
        }),
    };
    if let Some(last) = last {
        progress.active = false;
        ended.push(progress.at.clone());
        events.push(last);
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
        for progress in self.partitions.values().filter(|progress| progress.active) {
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
