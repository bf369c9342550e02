//! What careful readers see of records that were read by another one.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use crate::bus::{ReadEvent, Reader};
use crate::engine::tasks::ranges::PartitionRange;
use crate::model::{Known, Offset, Record, TopicPartition, Visibility};

use super::{AHEAD, Scanned, TURN, cost, plainly};

/// Holds records back until the careful reader has been there.
pub(in crate::engine::tasks) struct Judge {
    careful: Box<dyn Reader>,
    pub(super) lanes: BTreeMap<TopicPartition, Lane>,
    waiting: usize,
    /// Bytes of the records that wait.
    pub(super) weight: u64,
    events: Vec<ReadEvent>,
    /// How long a record may wait before it is taken for one of an open transaction, where no end for careful readers
    /// is known; `None` for as long as it takes.
    patience: Option<Duration>,
}

/// One partition of a [`Judge`].
pub(super) struct Lane {
    /// What waits, and since when.
    held: VecDeque<(ReadEvent, Instant)>,
    /// Offsets the careful reader saw and whose records have not come yet or are held.
    pub(super) seen: VecDeque<Offset>,
    /// Everything before this offset has been judged by the careful reader.
    judged_to: Offset,
    stable: Option<Offset>,
    /// Whether the careful reader is through.
    done: bool,
    /// Whether the careful reader failed, so that nothing more can be told.
    blind: bool,
}

impl Judge {
    /// A judge of `ranges`, which `careful` reads up to the last stable offset.
    pub(super) fn new(ranges: &[PartitionRange], careful: Box<dyn Reader>) -> Self {
        let lanes = ranges.iter().map(|range| {
            let stable = range.last_stable.as_ref().ok().copied();
            let lane = Lane {
                held: VecDeque::new(),
                seen: VecDeque::new(),
                judged_to: range.from,
                stable,
                done: stable.is_none(),
                blind: stable.is_none(),
            };
            (range.at.clone(), lane)
        });
        Self {
            lanes: lanes.collect(),
            careful,
            waiting: 0,
            weight: 0,
            events: Vec::new(),
            patience: None,
        }
    }

    /// A judge of what comes in beyond the ends of `ranges`, which `careful` follows.
    pub(in crate::engine::tasks) fn following(
        ranges: &[PartitionRange],
        careful: Box<dyn Reader>,
        patience: Duration,
    ) -> Self {
        let mut judge = Self::new(ranges, careful);
        for lane in judge.lanes.values_mut() {
            (lane.stable, lane.done, lane.blind) = (None, false, false);
        }
        judge.patience = Some(patience);
        judge
    }

    /// Holds an event of the other reader back.
    pub(in crate::engine::tasks) fn hold(&mut self, event: ReadEvent) {
        if let Some(lane) = self.lanes.get_mut(&event.at()) {
            self.weight = self.weight.saturating_add(weight(&event));
            lane.held.push_back((event, Instant::now()));
            self.waiting = self.waiting.saturating_add(1);
        }
    }

    /// Lets the careful reader go on and releases what it has judged. Says whether anything moved.
    pub(in crate::engine::tasks) fn turn(&mut self, found: &mut Vec<Scanned>) -> Known<bool> {
        let undecided = self.lanes.values().any(|lane| !lane.done);
        let ahead: usize = self.lanes.values().map(|lane| lane.seen.len()).sum();
        // With nothing held there is nothing to judge, and the other reader is the one to wait for.
        let wait = if self.waiting == 0 {
            Duration::ZERO
        } else {
            TURN
        };
        // While records wait, the other reader may be held back until the careful one has been there.
        if undecided && (self.waiting > 0 || ahead <= AHEAD) {
            self.careful.poll(wait, &mut self.events)?;
        }
        let mut moved = !self.events.is_empty();
        for event in self.events.drain(..) {
            match event {
                ReadEvent::Record(record) => {
                    let at = record.at();
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.seen.push_back(record.offset);
                        lane.judged_to = record.offset.next();
                    }
                }
                ReadEvent::Passed(passed) => {
                    if let Some(lane) = self.lanes.get_mut(&passed.at) {
                        lane.judged_to = passed.next;
                    }
                }
                ReadEvent::Complete { at, .. } => {
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.done = true;
                    }
                }
                ReadEvent::Failed { at, .. } => {
                    if let Some(lane) = self.lanes.get_mut(&at) {
                        lane.done = true;
                        lane.blind = true;
                    }
                }
            }
        }
        for lane in self.lanes.values_mut() {
            let before = found.len();
            lane.release(self.patience, found);
            let released = found.len().saturating_sub(before);
            self.waiting = self.waiting.saturating_sub(released);
            for scanned in found.iter().skip(before) {
                if let Scanned::Record(record) = scanned {
                    self.weight = self.weight.saturating_sub(cost(record));
                }
            }
            moved |= released > 0;
        }
        Ok(moved)
    }

    /// Whether nothing waits.
    pub(in crate::engine::tasks) fn is_done(&self) -> bool {
        self.waiting == 0
    }

    /// Releases everything that is held, as far as it cannot be judged with unknown visibility.
    pub(super) fn release_unjudged(&mut self, found: &mut Vec<Scanned>) {
        for lane in self.lanes.values_mut() {
            lane.done = true;
            lane.blind = true;
            lane.release(None, found);
        }
        self.waiting = 0;
        self.weight = 0;
    }
}

fn weight(event: &ReadEvent) -> u64 {
    match event {
        ReadEvent::Record(record) => cost(record),
        ReadEvent::Passed(_) | ReadEvent::Complete { .. } | ReadEvent::Failed { .. } => 0,
    }
}

impl Lane {
    fn release(&mut self, patience: Option<Duration>, found: &mut Vec<Scanned>) {
        while let Some((event, since)) = self.held.front() {
            let is_late = patience.is_some_and(|patience| since.elapsed() > patience);
            let visibility = match event {
                ReadEvent::Record(record) => match self.judge(record.offset) {
                    Some(visibility) => visibility,
                    None if is_late => Visibility::Open,
                    None => return,
                },
                _ => Visibility::Unknown,
            };
            match self.held.pop_front().map(|(event, _)| event) {
                Some(ReadEvent::Record(record)) => found.push(Scanned::Record(Record {
                    visibility,
                    ..record
                })),
                Some(other) => found.push(plainly(other)),
                None => return,
            }
        }
    }

    /// What careful readers make of the record at `offset`; `None` while the careful reader has not been there.
    fn judge(&mut self, offset: Offset) -> Option<Visibility> {
        while self.seen.front().is_some_and(|seen| *seen < offset) {
            self.seen.pop_front();
        }
        if self.seen.front() == Some(&offset) {
            return Some(Visibility::Committed);
        }
        if self.stable.is_some_and(|stable| offset >= stable) {
            return Some(Visibility::Open);
        }
        if offset < self.judged_to {
            return Some(Visibility::Aborted);
        }
        if !self.done {
            return None;
        }
        Some(if self.blind {
            Visibility::Unknown
        } else {
            Visibility::Aborted
        })
    }
}
