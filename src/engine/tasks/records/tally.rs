//! What was looked at, partition by partition.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::event::PartitionCoverage;
use crate::engine::tasks::by_time::Direction;
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::Scanned;
use crate::model::{Offset, Problem, Record, TimestampMs, TopicPartition};

/// How far one partition is.
pub(in crate::engine) struct Seen {
    pub(in crate::engine) range: PartitionRange,
    next: Offset,
    complete: bool,
    error: Option<Problem>,
    latest: Option<TimestampMs>,
    disordered: bool,
    /// Whether it is read on beyond its end.
    follows: bool,
}

/// What was looked at so far.
pub(in crate::engine) struct Tally {
    pub(in crate::engine) partitions: BTreeMap<TopicPartition, Seen>,
    pub(in crate::engine) records: u64,
    pub(in crate::engine) bytes: u64,
    times: (Option<TimestampMs>, Option<TimestampMs>),
}

impl Tally {
    pub(in crate::engine) fn new(
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
                follows: false,
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
    pub(in crate::engine) fn count(&mut self, scanned: Scanned) -> Option<Record> {
        match scanned {
            Scanned::Record(record) => {
                self.records = self.records.saturating_add(1);
                self.bytes = self.bytes.saturating_add(record.size());
                let at = record.at();
                if let Some(seen) = self.partitions.get_mut(&at) {
                    seen.next = record.offset.next();
                    seen.disordered |= record.timestamp.is_some() && record.timestamp < seen.latest;
                    seen.latest = seen.latest.max(record.timestamp);
                }
                self.is_meant(&record).then_some(record)
            }
            Scanned::Passed(passed) => {
                self.records = self.records.saturating_add(passed.records);
                self.bytes = self.bytes.saturating_add(passed.bytes);
                if let Some(seen) = self.partitions.get_mut(&passed.at) {
                    seen.next = seen.next.max(passed.next);
                    let (earliest, latest) = passed.times.unzip();
                    seen.disordered |=
                        passed.disordered || (earliest.is_some() && earliest < seen.latest);
                    seen.latest = seen.latest.max(latest);
                }
                None
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
                    seen.complete = false;
                    seen.error = Some(problem);
                }
                None
            }
        }
    }

    pub(in crate::engine) fn is_meant(&self, record: &Record) -> bool {
        match self.times {
            (None, None) => true,
            (from, to) => record.timestamp.is_some_and(|time| {
                from.is_none_or(|from| time >= from) && to.is_none_or(|to| time < to)
            }),
        }
    }

    /// The partitions whose times proved to be out of order before a range's end in time: they are read on to
    /// the end of the log.
    pub(in crate::engine) fn read_on(&mut self) -> Vec<PartitionRange> {
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

    /// Each partition without an end, for whoever goes on there: from where it began, or after all that was asked for.
    pub(in crate::engine) fn open_ends(&mut self, after: bool) -> Vec<PartitionRange> {
        let open = self
            .partitions
            .values_mut()
            .filter(|seen| seen.error.is_none());
        let open = open.map(|seen| {
            (seen.complete, seen.follows) = (false, true);
            let from = if after {
                seen.range.to
            } else {
                seen.range.from
            };
            seen.next = from;
            PartitionRange {
                from,
                ..seen.range.clone()
            }
        });
        open.collect()
    }

    /// What was not looked at of each partition that can be read.
    pub(in crate::engine) fn left(&self) -> Vec<PartitionRange> {
        let open = self
            .partitions
            .values()
            .filter(|seen| !seen.complete && seen.error.is_none());
        let left = open.map(|seen| PartitionRange {
            from: seen.next,
            ..seen.range.clone()
        });
        left.collect()
    }

    /// Takes away from each partition what was not looked at: the rest of its range, by partition. Where records
    /// were read and not given out, it goes on at the first of them, in `surplus`.
    pub(in crate::engine) fn narrow(
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

    /// Nothing of any partition is asked for.
    pub(in crate::engine) fn ask_nothing(&mut self) {
        for seen in self.partitions.values_mut() {
            seen.complete = true;
        }
    }

    /// Says that the answer may lack something of the partition `at`.
    pub(in crate::engine) fn doubt(&mut self, at: &TopicPartition, sentence: &str) {
        if let Some(seen) = self.partitions.get_mut(at) {
            seen.range.lack(sentence);
        }
    }

    /// Says that `record` was found and not given out: its partition goes on there.
    pub(in crate::engine) fn withhold(&mut self, record: &Record) {
        let at = record.at();
        if let Some(seen) = self.partitions.get_mut(&at) {
            let before = if seen.complete {
                seen.range.to
            } else {
                seen.next
            };
            seen.next = record.offset.min(before);
            seen.complete = false;
        }
    }

    /// One row for each partition.
    pub(in crate::engine) fn rows(&self) -> Vec<PartitionCoverage> {
        self.partitions
            .values()
            .map(|seen| PartitionCoverage {
                topic: Arc::clone(&seen.range.at.topic),
                partition: Some(seen.range.at.partition),
                from: Some(seen.range.from),
                to: Some(if seen.follows {
                    seen.range.to.max(seen.next)
                } else {
                    seen.range.to
                }),
                next: Some(seen.next),
                complete: seen.complete && seen.range.lacking.is_none(),
                error: seen.error.clone().or_else(|| seen.range.lacking.clone()),
            })
            .collect()
    }
}
