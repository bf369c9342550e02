//! A bus made by hand for tests: the topic `t`, its records known by their times alone.

use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;

use crate::bus::{
    Answer, Bus, Capabilities, Found, Lookup, Passed, Positions, ReadEvent, ReadPlan, ReadRange,
    Reader, Seek,
};
use crate::model::{
    Cluster, Commit, GroupList, GroupListing, GroupMembers, Isolation, Known, Offset, Partition,
    PartitionId, Problem, ProblemKind, Record, RecordHead, Text, TimestampMs, Topic, TopicConfig,
    TopicName, Visibility,
};

/// What lies at an offset.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Entry {
    /// No record: a marker, or a hole left by compaction.
    Nothing,
    /// A record without a time.
    Timeless,
    /// A record with this time.
    At(i64),
}

/// One partition.
#[derive(Clone, Default)]
pub(super) struct Log {
    /// What lies at each offset from 0.
    pub(super) records: Vec<Entry>,
    /// The first offset that is not deleted.
    pub(super) start: i64,
    /// Where careful readers' part ends, when that is not the end.
    pub(super) stable: Option<i64>,
    /// From this offset on, reading fails.
    pub(super) broken_from: Option<i64>,
}

impl Log {
    fn end(&self) -> i64 {
        i64::try_from(self.records.len()).unwrap()
    }

    fn at(&self, offset: i64) -> Entry {
        self.records[usize::try_from(offset).unwrap()]
    }

    /// The offsets and times of the records that carry a time.
    fn times(&self) -> impl Iterator<Item = (i64, i64)> {
        (self.start..self.end()).filter_map(|offset| match self.at(offset) {
            Entry::At(time) => Some((offset, time)),
            Entry::Nothing | Entry::Timeless => None,
        })
    }
}

/// Records at each offset from 0 with these times.
pub(super) fn log(times: impl IntoIterator<Item = i64>) -> Log {
    Log {
        records: times.into_iter().map(Entry::At).collect(),
        ..Log::default()
    }
}

/// The bus.
#[derive(Default)]
pub(super) struct ByHand {
    pub(super) logs: Vec<Log>,
    pub(super) groups: GroupList,
    pub(super) commits: Vec<Commit>,
    /// Whether look-ups by time are refused.
    pub(super) no_times: bool,
    /// How large the value of each record is; none when 0.
    pub(super) value_bytes: usize,
    /// Offsets of records whose transaction was aborted: careful readers are not given them.
    pub(super) aborted: Vec<i64>,
    /// The partition of which nothing ever comes, nor its end.
    pub(super) mute: Option<PartitionId>,
    /// How many records were handed to readers of everything.
    pub(super) read: Mutex<u64>,
}

impl ByHand {
    pub(super) fn new(logs: impl IntoIterator<Item = Log>) -> Self {
        Self {
            logs: logs.into_iter().collect(),
            ..Self::default()
        }
    }

    fn log(&self, partition: PartitionId) -> &Log {
        &self.logs[usize::try_from(partition.0).unwrap()]
    }

    fn find(&self, lookup: &Lookup) -> Known<Found> {
        let log = self.log(lookup.at.partition);
        let by_time = matches!(lookup.seek, Seek::AtOrAfter(_) | Seek::MaxTimestamp);
        if by_time && self.no_times {
            return Err(Problem::new(ProblemKind::TimedOut, "no answer"));
        }
        let found = match lookup.seek {
            Seek::LogStart => Some((log.start, None)),
            Seek::HighWatermark => Some((log.end(), None)),
            Seek::LastStable => Some((log.stable.unwrap_or_else(|| log.end()), None)),
            Seek::AtOrAfter(least) => log
                .times()
                .find(|(_, time)| *time >= least.0)
                .map(|(offset, time)| (offset, Some(time))),
            Seek::MaxTimestamp => log
                .times()
                .max_by_key(|(offset, time)| (*time, -offset))
                .map(|(offset, time)| (offset, Some(time))),
        };
        Ok(Found {
            offset: found.map(|(offset, _)| Offset(offset)),
            timestamp: found.and_then(|(_, time)| time).map(TimestampMs),
        })
    }
}

/// Gives out everything at once.
struct All(Vec<ReadEvent>);

impl Reader for All {
    fn poll(&mut self, _wait: Duration, events: &mut Vec<ReadEvent>) -> Known<()> {
        events.append(&mut self.0);
        Ok(())
    }
}

fn record(partition: PartitionId, offset: i64, time: Option<i64>, bytes: usize) -> Record {
    Record {
        topic: "t".into(),
        partition,
        offset: Offset(offset),
        timestamp: time.map(TimestampMs),
        timestamp_type: None,
        key: None,
        value: (bytes > 0).then(|| value(offset, bytes)),
        headers: Vec::new(),
        leader_epoch: None,
        visibility: Visibility::Unknown,
    }
}

/// A value that begins with the record's offset in digits, filled up to `bytes`.
fn value(offset: i64, bytes: usize) -> Bytes {
    let mut value = format!("<{offset}>").into_bytes();
    value.resize(bytes, 0);
    value.into()
}

impl Bus for ByHand {
    fn positions(&self) -> Known<&dyn Positions> {
        Err(Problem::new(
            ProblemKind::Unsupported,
            "this bus has no positions to move",
        ))
    }

    fn read(&self, plan: &ReadPlan) -> Known<Box<dyn Reader>> {
        let mut events = Vec::new();
        let heard = |range: &&ReadRange| Some(range.at.partition) != self.mute;
        for range in plan.ranges.iter().filter(heard) {
            let log = self.log(range.at.partition);
            let to = range.to.unwrap();
            let whole = log.broken_from.is_none_or(|broken| to.0 <= broken);
            let end = if whole {
                to.0
            } else {
                log.broken_from.unwrap()
            };
            let mut passed = Passed::none(range.at.clone(), range.from);
            for offset in range.from.0..end {
                let time = match log.at(offset) {
                    Entry::Nothing => continue,
                    Entry::Timeless => None,
                    Entry::At(time) => Some(time),
                };
                let is_careful = plan.isolation == Isolation::ReadCommitted;
                if is_careful && self.aborted.contains(&offset) {
                    continue;
                }
                *self.read.lock() += 1;
                let record = record(range.at.partition, offset, time, self.value_bytes);
                let value = record.value.as_deref();
                match &plan.sieve {
                    Some(sieve) if !sieve.passes(None, value) => {
                        passed.add(Offset(offset), record.size(), record.timestamp);
                        continue;
                    }
                    Some(_) => {
                        passed.next = Offset(offset);
                        let next = Passed::none(range.at.clone(), Offset(offset + 1));
                        let passed = std::mem::replace(&mut passed, next);
                        if passed.next > passed.from {
                            events.push(ReadEvent::Passed(passed));
                        }
                    }
                    None => {}
                }
                events.push(ReadEvent::Record(record));
            }
            passed.next = Offset(end);
            if plan.sieve.is_some() && passed.next > passed.from {
                events.push(ReadEvent::Passed(passed));
            }
            let at = range.at.clone();
            events.push(if whole {
                ReadEvent::Complete { at, next: to }
            } else {
                let problem = Problem::new(ProblemKind::Other, "broken");
                ReadEvent::Failed { at, problem }
            });
        }
        Ok(Box::new(All(events)))
    }

    fn topics(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Topic>> {
        let unknown = || Err(Problem::new(ProblemKind::Other, "not asked"));
        let partitions: Vec<Partition> = (0..)
            .zip(&self.logs)
            .map(|(number, _)| Partition {
                id: PartitionId(number),
                leader: None,
                replicas: Vec::new(),
                isr: Vec::new(),
                log_start: unknown(),
                high_watermark: unknown(),
                last_stable: unknown(),
                error: None,
            })
            .collect();
        let topic = |name: TopicName| Topic {
            error: (&*name != "t").then(|| Problem::new(ProblemKind::NotFound, "no such topic")),
            name,
            topic_id: None,
            internal: false,
            config: Err(Problem::new(ProblemKind::Other, "not asked")),
            partitions: partitions.clone(),
        };
        let topics = names.into_iter().map(topic).collect();
        Box::pin(async move { topics })
    }

    fn look_up(&self, lookups: Vec<Lookup>) -> Answer<'_, Vec<Known<Found>>> {
        let found = lookups.iter().map(|lookup| self.find(lookup)).collect();
        Box::pin(async move { found })
    }

    fn groups(&self) -> Answer<'_, Known<GroupList>> {
        let groups = self.groups.clone();
        Box::pin(async move { Ok(groups) })
    }

    fn commits(&self, groups: Vec<Text>) -> Answer<'_, Vec<Known<Vec<Commit>>>> {
        let commits = groups.iter().map(|_| Ok(self.commits.clone())).collect();
        Box::pin(async move { commits })
    }

    fn capabilities(&self) -> Capabilities {
        unreachable!()
    }
    fn cluster(&self) -> Answer<'_, Known<Cluster>> {
        unreachable!()
    }
    fn topic_names(&self) -> Answer<'_, Known<Vec<TopicName>>> {
        unreachable!()
    }
    fn topic_configs(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Known<TopicConfig>>> {
        Box::pin(async move { names.iter().map(|_| Ok(TopicConfig::default())).collect() })
    }
    fn members(&self, _: Vec<GroupListing>) -> Answer<'_, Vec<Known<GroupMembers>>> {
        unreachable!()
    }
    fn first_records(&self, places: Vec<ReadRange>) -> Answer<'_, Vec<Known<Option<RecordHead>>>> {
        let head = |place: &ReadRange| {
            let log = self.log(place.at.partition);
            let to = place.to.map_or_else(|| log.end(), |to| to.0.min(log.end()));
            let head = (place.from.0..to).find_map(|offset| {
                let timestamp = match log.at(offset) {
                    Entry::Nothing => return None,
                    Entry::Timeless => None,
                    Entry::At(time) => Some(TimestampMs(time)),
                };
                let offset = Offset(offset);
                Some(RecordHead { offset, timestamp })
            });
            Ok(head)
        };
        let heads = places.iter().map(head).collect();
        Box::pin(async move { heads })
    }
}
