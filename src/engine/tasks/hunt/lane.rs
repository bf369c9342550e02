//! One partition of a search: what of it is certain, and what is still to be looked at.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use crate::bus::{Passed, ReadEvent};
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Scanned, cost};
use crate::model::{Isolation, Offset, Problem, Record, Visibility};

use super::Look;

/// Stretches in doubt that are this near to one another are read in one go, in offsets.
const NEAR: u64 = 5_000;

/// One partition.
pub(super) struct Lane {
    pub(super) range: PartitionRange,
    /// Where the careful reader stops.
    pub(super) careful_to: Offset,
    isolation: Isolation,
    queue: VecDeque<Item>,
    /// Since when something is in doubt.
    pub(super) doubtful_since: Option<Instant>,
    /// Bytes of the records that wait.
    pub(super) weight: u64,
    /// Nothing more of it is taken.
    failed: bool,
}

enum Item {
    /// What is certain.
    Sure(Scanned),
    /// A stretch in which the careful reader was not given every offset.
    Doubt(Passed),
}

/// A stretch that is read once more, with everything in it.
pub(super) struct Window {
    pub(super) from: Offset,
    pub(super) to: Offset,
    /// Which items of the queue it replaces: from the first, included, to the last, not included.
    items: (usize, usize),
    /// What is looked for, of every visibility.
    hits: Vec<Record>,
    /// Everything else.
    rest: Passed,
    problem: Option<Problem>,
}

impl Lane {
    /// The whole of `range`, nothing of it read.
    pub(super) fn new(range: &PartitionRange, isolation: Isolation) -> Self {
        let careful_to = match (isolation, &range.last_stable) {
            (Isolation::ReadCommitted, _) => range.to,
            (Isolation::ReadUncommitted, Ok(stable)) => range.to.min(*stable).max(range.from),
            (Isolation::ReadUncommitted, Err(_)) => range.from,
        };
        Self {
            range: range.clone(),
            careful_to,
            isolation,
            queue: VecDeque::new(),
            doubtful_since: None,
            weight: 0,
            failed: false,
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Takes what the careful reader told; returns how many bytes it read.
    pub(super) fn take(&mut self, event: ReadEvent, look: &Look) -> u64 {
        if self.failed {
            return 0;
        }
        match event {
            ReadEvent::Record(record) => {
                let size = record.size();
                if look.keeps(&record) {
                    self.weight = self.weight.saturating_add(cost(&record));
                    self.queue.push_back(Item::Sure(Scanned::Record(Record {
                        visibility: Visibility::Committed,
                        ..record
                    })));
                } else {
                    self.pass(Passed::over(&record));
                }
                size
            }
            ReadEvent::Passed(passed) => {
                let bytes = passed.bytes;
                self.pass(passed);
                bytes
            }
            ReadEvent::Complete { at, .. } => {
                // What careful readers are not given yet.
                if self.careful_to < self.range.to {
                    let mut hidden = Passed::none(at.clone(), self.careful_to);
                    hidden.next = self.range.to;
                    self.pass(hidden);
                }
                self.queue.push_back(Item::Sure(Scanned::Complete(at)));
                0
            }
            ReadEvent::Failed { at, problem } => {
                self.fail(Scanned::Failed(at, problem));
                0
            }
        }
    }

    fn fail(&mut self, failed: Scanned) {
        self.queue.push_back(Item::Sure(failed));
        self.failed = true;
    }

    /// Nothing came of it for too long.
    pub(super) fn give_up(&mut self, problem: Problem) {
        let at = self.range.at.clone();
        self.fail(Scanned::Failed(at, problem));
    }

    fn pass(&mut self, passed: Passed) {
        let in_doubt = self.isolation == Isolation::ReadUncommitted && passed.holes() > 0;
        match self.queue.back_mut() {
            Some(Item::Sure(Scanned::Passed(before))) if !in_doubt => before.absorb(&passed),
            Some(Item::Doubt(before)) if in_doubt => before.absorb(&passed),
            _ if in_doubt => {
                self.doubtful_since.get_or_insert_with(Instant::now);
                self.queue.push_back(Item::Doubt(passed));
            }
            _ => self.queue.push_back(Item::Sure(Scanned::Passed(passed))),
        }
    }

    /// Moves what is certain to `out`, up to the first doubt.
    pub(super) fn drain(&mut self, out: &mut Vec<Scanned>) {
        while let Some(Item::Sure(_)) = self.queue.front() {
            if let Some(Item::Sure(scanned)) = self.queue.pop_front() {
                out.push(scanned);
            }
        }
        if self.queue.is_empty() {
            self.weight = 0;
        }
    }

    /// The stretches that hold everything in doubt, apart from one another.
    pub(super) fn windows(&self) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::new();
        for (index, item) in self.queue.iter().enumerate() {
            let Item::Doubt(passed) = item else { continue };
            let end = index.saturating_add(1);
            match windows.last_mut() {
                Some(last) if passed.from.since(last.to).is_some_and(|gap| gap <= NEAR) => {
                    (last.to, last.items.1) = (passed.next, end);
                }
                _ => windows.push(Window {
                    from: passed.from,
                    to: passed.next,
                    items: (index, end),
                    hits: Vec::new(),
                    rest: Passed::none(passed.at.clone(), passed.from),
                    problem: None,
                }),
            }
        }
        windows
    }

    /// Puts what was read of `windows`, all of this lane and in order, in the place of what was in doubt.
    pub(super) fn settle(&mut self, windows: Vec<Window>) {
        self.doubtful_since = None;
        let mut windows = windows.into_iter().peekable();
        let mut inside: Vec<Item> = Vec::new();
        for (index, item) in std::mem::take(&mut self.queue).into_iter().enumerate() {
            let Some(window) = windows.peek() else {
                self.queue.push_back(item);
                continue;
            };
            if index < window.items.0 {
                self.queue.push_back(item);
                continue;
            }
            inside.push(item);
            if index.saturating_add(1) == window.items.1
                && let Some(window) = windows.next()
            {
                let items = std::mem::take(&mut inside);
                if let Err(problem) = self.replace(window, &items) {
                    let at = self.range.at.clone();
                    self.fail(Scanned::Failed(at, problem));
                    return;
                }
            }
        }
    }

    fn replace(&mut self, window: Window, items: &[Item]) -> Result<(), Problem> {
        if let Some(problem) = window.problem {
            return Err(problem);
        }
        let careful: BTreeSet<Offset> = items
            .iter()
            .filter_map(|item| match item {
                Item::Sure(Scanned::Record(record)) => Some(record.offset),
                _ => None,
            })
            .collect();
        let stable = self.range.last_stable.as_ref().ok().copied();
        let mut rest = window.rest;
        for record in window.hits {
            let visibility = if careful.contains(&record.offset) {
                Visibility::Committed
            } else {
                match stable {
                    None => Visibility::Unknown,
                    Some(stable) if record.offset >= stable => Visibility::Open,
                    Some(_) => Visibility::Aborted,
                }
            };
            self.queue.push_back(Item::Sure(Scanned::Record(Record {
                visibility,
                ..record
            })));
        }
        // It comes after the records, whose times lie between: so it must not make them look out of order.
        rest.times = rest.times.map(|(_, latest)| (latest, latest));
        (rest.from, rest.next) = (window.from, window.to);
        self.queue.push_back(Item::Sure(Scanned::Passed(rest)));
        Ok(())
    }
}

impl Window {
    /// Takes what a reader of everything told of it; returns how many bytes that read.
    pub(super) fn take(&mut self, event: ReadEvent, look: &Look) -> u64 {
        match event {
            ReadEvent::Record(record) => {
                let size = record.size();
                if look.keeps(&record) {
                    self.hits.push(record);
                } else {
                    self.rest.add(record.offset, size, record.timestamp);
                }
                size
            }
            ReadEvent::Passed(passed) => {
                self.rest.absorb(&passed);
                passed.bytes
            }
            ReadEvent::Complete { .. } => 0,
            ReadEvent::Failed { problem, .. } => {
                self.problem = Some(problem);
                0
            }
        }
    }

    /// Nothing came of it for too long.
    pub(super) fn give_up(&mut self, problem: Problem) {
        self.problem = Some(problem);
    }
}
