//! One thread of a search with the partitions it was given.
//!
//! It reads as a careful reader does. Where that reader was not given every offset of a stretch, the stretch is in
//! doubt: it is read once more with everything in it, and what comes then and did not come before is aborted, or
//! beyond the last stable offset. Whatever follows in that partition waits until then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::bus::{ReadEvent, ReadRange};
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{PATIENCE, Scanned, TURN, nothing_came};
use crate::model::{Isolation, Known, TopicPartition};

use super::lane::{Lane, Window};
use super::{Control, Hunt};

/// How long what follows a doubt may wait.
const DOUBTFUL: Duration = Duration::from_millis(150);
/// How many bytes of records may wait behind doubts.
const HELD: u64 = 8 * 1024 * 1024;

/// The thread's work.
pub(super) struct Worker<'a> {
    hunt: &'a Hunt<'a>,
    lanes: BTreeMap<TopicPartition, Lane>,
    sender: SyncSender<Vec<Scanned>>,
    stop: &'a AtomicBool,
    /// Bytes read since the last rest.
    bytes: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        hunt: &'a Hunt<'a>,
        share: Vec<PartitionRange>,
        sender: SyncSender<Vec<Scanned>>,
        stop: &'a AtomicBool,
    ) -> Self {
        let lane = |range: PartitionRange| (range.at.clone(), Lane::new(&range, hunt.isolation));
        Self {
            hunt,
            lanes: share.into_iter().map(lane).collect(),
            sender,
            stop,
            bytes: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.hunt.control.cancel.reason().is_some()
    }

    /// Reads until everything is read or nobody wants more.
    ///
    /// # Errors
    /// No reader can be started, or one cannot go on at all.
    pub(super) fn run(mut self) -> Known<()> {
        let range = |lane: &Lane| ReadRange {
            at: lane.range.at.clone(),
            from: lane.range.from,
            to: Some(lane.careful_to),
        };
        let ranges = self.lanes.values().map(range).collect();
        let plan = self.hunt.plan(ranges, Isolation::ReadCommitted);
        let mut reader = self.hunt.bus.read(&plan)?;
        let mut open: BTreeSet<TopicPartition> = self.lanes.keys().cloned().collect();
        let mut events = Vec::new();
        let mut last = Instant::now();
        while !self.is_over() {
            if self.hunt.control.is_paused() {
                Control::nap();
                last = Instant::now();
                continue;
            }
            if !open.is_empty() {
                reader.poll(TURN, &mut events)?;
            }
            if !events.is_empty() {
                last = Instant::now();
            }
            for event in events.drain(..) {
                if let Some(at) = event.ended() {
                    open.remove(at);
                }
                self.take(event);
            }
            if last.elapsed() > PATIENCE {
                for at in std::mem::take(&mut open) {
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.give_up(nothing_came());
                    }
                }
            }
            if self.is_due(open.is_empty()) {
                self.settle()?;
                last = Instant::now();
            }
            let mut out = Vec::new();
            for lane in self.lanes.values_mut() {
                lane.drain(&mut out);
            }
            if !out.is_empty() && self.sender.send(out).is_err() {
                return Ok(());
            }
            let is_read = open.is_empty() && self.lanes.values().all(Lane::is_empty);
            // What was read last is paid for too: a rate holds for the whole of a search, however short.
            let throttled = reader.throttled();
            self.rest(if is_read { Duration::ZERO } else { throttled });
            if is_read {
                return Ok(());
            }
            // A broker that was told to wait for is not one that does not answer.
            if !throttled.is_zero() {
                last = Instant::now();
            }
        }
        Ok(())
    }

    fn rest(&mut self, throttled: Duration) {
        self.hunt.control.rest(self.bytes, throttled);
        self.bytes = 0;
    }

    fn take(&mut self, event: ReadEvent) {
        if let Some(lane) = self.lanes.get_mut(&event.at()) {
            let bytes = lane.take(event, self.hunt.look);
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }

    /// Whether doubts are to be settled now.
    fn is_due(&self, is_read: bool) -> bool {
        let waiting: u64 = self.lanes.values().map(|lane| lane.weight).sum();
        let mut doubts = self.lanes.values().filter_map(|lane| lane.doubtful_since);
        doubts.any(|since| is_read || waiting > HELD || since.elapsed() > DOUBTFUL)
    }

    /// Reads everything that is in doubt once more, with all that lies there.
    fn settle(&mut self) -> Known<()> {
        let mut waiting: BTreeMap<TopicPartition, std::vec::IntoIter<Window>> = self
            .lanes
            .iter()
            .filter(|(_, lane)| lane.doubtful_since.is_some())
            .map(|(at, lane)| (at.clone(), lane.windows().into_iter()))
            .collect();
        let mut read: BTreeMap<TopicPartition, Vec<Window>> = BTreeMap::new();
        // A partition may be in one reader only once.
        loop {
            let mut round: BTreeMap<TopicPartition, Window> = waiting
                .iter_mut()
                .filter_map(|(at, windows)| Some((at.clone(), windows.next()?)))
                .collect();
            if round.is_empty() {
                break;
            }
            self.read_all(&mut round)?;
            if self.is_over() {
                return Ok(());
            }
            for (at, window) in round {
                read.entry(at).or_default().push(window);
            }
        }
        for (at, windows) in read {
            if let Some(lane) = self.lanes.get_mut(&at) {
                lane.settle(windows);
            }
        }
        Ok(())
    }

    fn read_all(&mut self, round: &mut BTreeMap<TopicPartition, Window>) -> Known<()> {
        let range = |(at, window): (&TopicPartition, &Window)| ReadRange {
            at: at.clone(),
            from: window.from,
            to: Some(window.to),
        };
        let ranges = round.iter().map(range).collect();
        let plan = self.hunt.plan(ranges, Isolation::ReadUncommitted);
        let mut reader = self.hunt.bus.read(&plan)?;
        let mut open: BTreeSet<TopicPartition> = round.keys().cloned().collect();
        let mut events = Vec::new();
        let mut last = Instant::now();
        while !open.is_empty() && !self.is_over() {
            reader.poll(TURN, &mut events)?;
            if !events.is_empty() {
                last = Instant::now();
            }
            for event in events.drain(..) {
                if let Some(at) = event.ended() {
                    open.remove(at);
                }
                if let Some(window) = round.get_mut(&event.at()) {
                    let bytes = window.take(event, self.hunt.look);
                    self.bytes = self.bytes.saturating_add(bytes);
                }
            }
            let throttled = reader.throttled();
            self.rest(throttled);
            if !throttled.is_zero() {
                last = Instant::now();
            }
            if last.elapsed() > PATIENCE {
                for at in std::mem::take(&mut open) {
                    if let Some(window) = round.get_mut(&at) {
                        window.give_up(nothing_came());
                    }
                }
            }
        }
        Ok(())
    }
}
