//! What a search has found, within a bound on memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::event::{Coverage, PartitionCoverage, StoppedBy};
use crate::engine::snapshot::Table;
use crate::engine::tasks::by_time::sort_key;
use crate::engine::tasks::ranges::{PartitionRange, Resolved};
use crate::engine::tasks::records::Tally;
use crate::engine::tasks::scan::{Scanned, cost};
use crate::model::{Record, TimestampMs};

use super::{HELD_BYTES, HELD_FOLLOWED, HELD_HITS};

/// Hits and what was looked at for them.
pub(super) struct Found {
    tally: Tally,
    failed: Vec<PartitionCoverage>,
    follows: bool,
    /// In the order in which they were found.
    held: VecDeque<Arc<Record>>,
    held_bytes: u64,
    /// Whether `held` changed since a table was made of it.
    is_new: bool,
    /// Hits in all.
    pub(super) hits: u64,
    /// Hits of the present second and the last whole one.
    lately: (Duration, u64, u64),
    /// The earliest and the latest time that was looked at.
    pub(super) times: Option<(TimestampMs, TimestampMs)>,
    /// How long it took to find the first.
    pub(super) first_hit: Option<Duration>,
    /// Why reading stopped early.
    pub(super) stopped_by: Option<StoppedBy>,
}

impl Found {
    /// Nothing yet.
    pub(super) fn new(resolved: Resolved, follows: bool) -> Self {
        Self {
            tally: Tally::new(resolved.ranges, resolved.times),
            failed: resolved.failed,
            follows,
            held: VecDeque::new(),
            held_bytes: 0,
            is_new: false,
            hits: 0,
            lately: (Duration::ZERO, 0, 0),
            times: None,
            first_hit: None,
            stopped_by: None,
        }
    }

    /// Where to follow from.
    pub(super) fn open_ends(&mut self) -> Vec<PartitionRange> {
        self.tally.open_ends(false)
    }

    /// What is left to be read.
    pub(super) fn left(&self) -> Vec<PartitionRange> {
        self.tally.left()
    }

    /// What lies beyond an end in time and is to be read because times are out of order.
    pub(super) fn read_on(&mut self) -> Vec<PartitionRange> {
        self.tally.read_on()
    }

    /// Counts what was read; gives a hit back.
    pub(super) fn count(&mut self, scanned: Scanned) -> Option<Record> {
        let times = match &scanned {
            Scanned::Record(record) => record.timestamp.map(|time| (time, time)),
            Scanned::Passed(passed) => passed.times,
            Scanned::Complete(_) | Scanned::Failed(..) => None,
        };
        if let Some((earliest, latest)) = times {
            let (before, after) = self.times.unwrap_or((earliest, latest));
            self.times = Some((before.min(earliest), after.max(latest)));
        }
        let hit = self.tally.count(scanned)?;
        self.hits = self.hits.saturating_add(1);
        Some(hit)
    }

    /// Takes what was read, so long after the start.
    pub(super) fn take(&mut self, scanned: Scanned, elapsed: Duration) {
        let Some(record) = self.count(scanned) else {
            return;
        };
        self.first_hit.get_or_insert(elapsed);
        if elapsed.saturating_sub(self.lately.0) >= Duration::from_secs(1) {
            self.lately = (elapsed, 0, self.lately.1);
        }
        self.lately.1 = self.lately.1.saturating_add(1);
        let weight = cost(&record);
        if !self.follows && (self.is_full() || self.held_bytes.saturating_add(weight) > HELD_BYTES)
        {
            return;
        }
        self.is_new = true;
        self.held_bytes = self.held_bytes.saturating_add(weight);
        self.held.push_back(Arc::new(record));
        // Whoever follows wants the newest.
        while self.follows && (self.is_full() || self.held_bytes > HELD_BYTES) {
            let Some(oldest) = self.held.pop_front() else {
                break;
            };
            self.held_bytes = self.held_bytes.saturating_sub(cost(&oldest));
        }
    }

    fn is_full(&self) -> bool {
        if self.follows {
            self.held.len() > HELD_FOLLOWED
        } else {
            self.held.len() >= HELD_HITS
        }
    }

    /// Hits that are not held.
    pub(super) fn not_held(&self) -> u64 {
        let held = u64::try_from(self.held.len()).unwrap_or(u64::MAX);
        self.hits.saturating_sub(held)
    }

    /// How many hits came in the last whole second, or so far in this one.
    pub(super) fn hits_per_second(&self) -> u64 {
        self.lately.1.max(self.lately.2)
    }

    /// The hits that are held, oldest first; `None` when they are the same as when this was asked last.
    pub(super) fn table(&mut self) -> Option<Table> {
        if !std::mem::take(&mut self.is_new) {
            return None;
        }
        let mut rows: Vec<Arc<Record>> = self.held.iter().cloned().collect();
        rows.sort_by_cached_key(|record| sort_key(record));
        let up_to = u64::try_from(rows.len()).ok();
        Some(Table {
            rows,
            up_to,
            at_start: true,
            at_end: true,
            ..Table::default()
        })
    }

    /// What was looked at so far.
    pub(super) fn coverage(&self, expression_failures: Option<(u64, String)>) -> Coverage {
        let mut partitions = self.tally.rows();
        partitions.extend(self.failed.iter().cloned());
        partitions.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
        let broken = partitions.iter().any(|partition| partition.error.is_some());
        Coverage {
            stopped_by: self
                .stopped_by
                .or_else(|| broken.then_some(StoppedBy::Error)),
            records_scanned: self.tally.records,
            bytes_scanned: self.tally.bytes,
            matched: self.hits,
            expression_failures,
            partitions,
        }
    }
}
