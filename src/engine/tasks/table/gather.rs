//! Reading what lies beyond an edge of the piece: the oldest records after it, or the newest before it.
//!
//! Of each partition a window is read that grows until none can hide a record that belongs to what is wanted.
//! What is known of the time of the next record of each partition decides which are read at all, and how many
//! rows each has beside the edge how large its first window is: so a list of thousands of partitions costs
//! little more than one of a few.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::command::TableOrder;
use crate::engine::tasks::by_time::Direction;
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Flow, Scanned, cost, scan};
use crate::model::{Known, Offset, Record};

use super::cuts::Moment;
use super::lanes::Lanes;
use super::piece::{Hint, Piece, Row};
use super::sizes::{Sizes, Stretch};

/// So many bytes of records are held at most while reading.
const READ_BYTES: u64 = 16 * 1024 * 1024;
/// How many records nearest to what was not read decide whether to go on, with few partitions.
const NEAR: usize = 100;
/// The same in all partitions together.
const NEAR_IN_ALL: usize = 2_000;
/// With more partitions than this, look-ups tell which are worth reading.
pub(super) const MANY: usize = 50;
/// So many partitions are read at once: what they hold may spare the others.
const AT_ONCE: usize = 500;
/// Look-ups of what comes before begin at least so far before it.
const LEAST_STEP_MS: i64 = 1_000;
/// A window never grows beyond this.
const LARGEST_WINDOW: u64 = 1_000_000;

/// What was gathered, in the order in which it was wanted.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) held: Vec<Row>,
    /// How many of them are sure to come next.
    pub(super) wanted: usize,
    /// Those of them that lie far beyond where reading went on to.
    pub(super) far: BTreeSet<(usize, Offset)>,
    /// Where reading went on to in each lane that was read.
    pub(super) reached: BTreeMap<usize, Offset>,
    /// What is known of what comes next there.
    pub(super) hints: BTreeMap<usize, Hint>,
}

/// Gathers what is next beyond the edge of `piece` in `direction`; `None` when it was given up. Lanes that
/// cannot be read are closed. Blocks; called on a thread of the runtime that may block.
///
/// # Errors
/// Reading cannot go on at all.
pub(super) fn gather(
    bus: &dyn Bus,
    lanes: &mut Lanes,
    piece: &Piece,
    direction: Direction,
    wanted: usize,
    cancel: &Cancel,
) -> Known<Option<Gathered>> {
    let gathered = Gathering::new(bus, lanes, piece, direction, wanted, cancel).run()?;
    let Some(gathered) = gathered else {
        return Ok(None);
    };
    let moved = gathered
        .reached
        .iter()
        .any(|(lane, cut)| *cut != piece.edge(direction).cut.at(*lane));
    if !gathered.held.is_empty() || moved || piece.is_at_the_end(lanes, direction) {
        return Ok(Some(gathered));
    }
    // Large records out of order pushed each other out: one at a time they cannot.
    Gathering::new(bus, lanes, piece, direction, 1, cancel)
        .one_by_one()
        .run()
}

/// A gathering under way.
pub(super) struct Gathering<'a> {
    pub(super) bus: &'a dyn Bus,
    pub(super) lanes: &'a mut Lanes,
    pub(super) cancel: &'a Cancel,
    pub(super) direction: Direction,
    pub(super) wanted: usize,
    skipped: BTreeSet<(usize, Offset)>,
    /// Whether reading begins at the end of the list.
    pub(super) is_at_end: bool,
    pub(super) stretches: BTreeMap<usize, Stretch>,
    pub(super) held: Vec<Row>,
    bytes: u64,
    /// About what a record costs, as far as is known.
    average: Option<u64>,
    /// Beyond this, records of a lane were let go.
    full: BTreeMap<usize, Offset>,
    near: usize,
    /// How far apart the next look-ups of what comes before are tried.
    pub(super) step_ms: i64,
}

impl<'a> Gathering<'a> {
    fn new(
        bus: &'a dyn Bus,
        lanes: &'a mut Lanes,
        piece: &Piece,
        direction: Direction,
        wanted: usize,
        cancel: &'a Cancel,
    ) -> Self {
        let edge = piece.edge(direction);
        let count = lanes.open().count().max(1);
        let is_at_end = direction == Direction::NewestFirst && piece.is_empty_at_end(lanes);
        let near = (NEAR_IN_ALL / count).clamp(1, NEAR);
        let sizes = Sizes::new(piece, direction, wanted, count, near);
        let stretches = lanes
            .open()
            .map(|(lane, known)| {
                let cut = edge.cut.at(lane).max(known.range.from);
                let rest = match direction {
                    Direction::OldestFirst => (cut, known.range.to),
                    Direction::NewestFirst => (known.range.from, cut.min(known.range.to)),
                };
                let stretch = Stretch {
                    rest,
                    begin: edge.cut.at(lane),
                    hint: edge.hint(lane),
                    size: sizes.of(lane),
                    read: false,
                    was_empty: false,
                    near: VecDeque::new(),
                    earlier: None,
                    latest: None,
                    asked: false,
                };
                (lane, stretch)
            })
            .collect();
        let held: Vec<Row> = edge
            .odd
            .iter()
            .map(|(key, record)| Row {
                key: *key,
                record: Arc::clone(record),
            })
            .collect();
        let rows = u64::try_from(piece.rows().len()).unwrap_or(u64::MAX);
        let time = |row: Option<&Row>| row.and_then(|row| row.key.time);
        let times = time(piece.rows().front()).zip(time(piece.rows().back()));
        let step_ms = times.map_or(0, |(first, last)| last.since_ms(first));
        Self {
            bus,
            lanes,
            cancel,
            direction,
            wanted,
            skipped: piece.skipped(direction),
            is_at_end,
            stretches,
            bytes: held.iter().map(|row| cost(&row.record)).sum(),
            held,
            average: piece.bytes().checked_div(rows),
            full: BTreeMap::new(),
            near,
            step_ms: step_ms.max(LEAST_STEP_MS),
        }
    }

    /// Reads as little at a time as there is.
    fn one_by_one(mut self) -> Self {
        self.near = 1;
        for stretch in self.stretches.values_mut() {
            stretch.size = 1;
        }
        self
    }

    fn run(mut self) -> Known<Option<Gathered>> {
        loop {
            self.sort();
            let edge = self.edge();
            let hiding = self.hiding(edge);
            if hiding.is_empty() {
                break;
            }
            if self.lanes.order() == TableOrder::Time && self.look(&hiding, edge)? {
                continue;
            }
            let chosen = self.chosen(hiding);
            if !self.read(&chosen)? {
                return Ok(None);
            }
        }
        let far = self.add_far()?;
        if self.cancel.reason().is_some() {
            return Ok(None);
        }
        let mut gathered = Gathered {
            wanted: self.wanted,
            held: self.held,
            far,
            ..Gathered::default()
        };
        for (lane, stretch) in self.stretches {
            if !stretch.read {
                continue;
            }
            let read_to = match self.direction {
                Direction::OldestFirst => stretch.rest.0,
                Direction::NewestFirst => stretch.rest.1,
            };
            let reached = self
                .full
                .get(&lane)
                .map_or(read_to, |full| self.direction.nearer(read_to, *full));
            gathered.reached.insert(lane, reached);
            gathered.hints.insert(lane, stretch.told(self.direction));
        }
        Ok(Some(gathered))
    }

    /// Puts what is held in the order in which it is wanted.
    pub(super) fn sort(&mut self) {
        match self.direction {
            Direction::OldestFirst => self.held.sort_unstable_by_key(|row| row.key),
            Direction::NewestFirst => self
                .held
                .sort_unstable_by_key(|row| std::cmp::Reverse(row.key)),
        }
    }

    /// Time and lane of the last row that is wanted; `None` while there are fewer.
    pub(super) fn edge(&self) -> Option<(Moment, usize)> {
        let last = self.held.get(self.wanted.checked_sub(1)?)?;
        Some((Moment(last.key.time), last.key.lane))
    }

    /// The lanes that may hold a record that comes before `edge`.
    fn hiding(&self, edge: Option<(Moment, usize)>) -> Vec<usize> {
        let by_time = self.lanes.order() == TableOrder::Time;
        self.stretches
            .iter()
            .filter(|(lane, stretch)| {
                if self.full.contains_key(lane) || stretch.width() == 0 {
                    return false;
                }
                let Some(edge) = edge else {
                    return true;
                };
                let next = if by_time {
                    stretch.hint.time()
                } else {
                    Some(Moment(None))
                };
                next.is_none_or(|time| self.direction.is_before(&(time, **lane), &edge))
            })
            .map(|(lane, _)| *lane)
            .collect()
    }

    /// How many rows are lacking.
    pub(super) fn lacking(&self) -> usize {
        self.wanted.saturating_sub(self.held.len()).max(1)
    }

    /// Which of the lanes that may hide something are read next.
    fn chosen(&self, mut hiding: Vec<usize>) -> Vec<usize> {
        let lacking = self.lacking();
        let known = |lane: &usize| self.stretches.get(lane);
        if self.lanes.order() == TableOrder::Offset {
            if self.direction == Direction::NewestFirst {
                hiding.reverse();
            }
            let lacking = u64::try_from(lacking).unwrap_or(u64::MAX);
            let mut offsets: u64 = 0;
            let enough = hiding.iter().position(|lane| {
                let width = known(lane).map_or(0, |stretch| stretch.width().min(stretch.size));
                offsets = offsets.saturating_add(width);
                offsets >= lacking
            });
            // What follows a lane that is not read to its end does not come before its rest.
            let cut_short = hiding
                .iter()
                .position(|lane| known(lane).is_some_and(|stretch| stretch.width() > stretch.size));
            let last = [enough, cut_short].into_iter().flatten().min();
            hiding.truncate(last.map_or(hiding.len(), |last| last.saturating_add(1)));
            return hiding;
        }
        if hiding.len() > MANY {
            let key = |lane: &usize| {
                let time = known(lane).and_then(|stretch| stretch.hint.time());
                (time, *lane)
            };
            // Those of which nothing is known have to be looked into in any case.
            let is_known = |lane: &usize| key(lane).0.is_some();
            match self.direction {
                Direction::OldestFirst => hiding.sort_by_key(|lane| (is_known(lane), key(lane))),
                Direction::NewestFirst => {
                    hiding.sort_by_key(|lane| (is_known(lane), std::cmp::Reverse(key(lane))));
                }
            }
            let unknown = hiding.iter().filter(|lane| !is_known(lane)).count();
            let some = if self.held.len() < self.wanted {
                unknown.max(lacking).clamp(MANY, AT_ONCE)
            } else {
                AT_ONCE
            };
            hiding.truncate(some);
        }
        hiding
    }

    /// Reads the next window of each of `chosen`; `false` when it was given up.
    fn read(&mut self, chosen: &[usize]) -> Known<bool> {
        let most = self.average.map(|average| {
            let all = READ_BYTES / average.max(1);
            (all / u64::try_from(chosen.len().max(1)).unwrap_or(u64::MAX)).max(1)
        });
        // What each of them has to add when all have as much of what is lacking.
        let lacking = self.wanted.saturating_sub(self.held.len());
        let share = lacking.saturating_mul(6) / chosen.len().saturating_mul(5).max(1);
        let share = u64::try_from(share.saturating_add(self.near)).unwrap_or(u64::MAX);
        let mut parts: BTreeMap<usize, PartitionRange> = BTreeMap::new();
        for lane in chosen {
            let (Some(stretch), Some(known)) =
                (self.stretches.get_mut(lane), self.lanes.get(*lane))
            else {
                continue;
            };
            let mut size = stretch.size;
            if stretch.read && !stretch.was_empty {
                size = size.max(share);
            }
            if !stretch.was_empty {
                size = size.min(most.unwrap_or(u64::MAX));
            }
            let size = size.min(LARGEST_WINDOW);
            stretch.size = size.saturating_mul(if stretch.was_empty { 8 } else { 2 });
            stretch.near.clear();
            stretch.was_empty = true;
            let size = i64::try_from(size).unwrap_or(i64::MAX);
            let (low, high) = stretch.rest;
            let (from, to) = match self.direction {
                Direction::OldestFirst => (low, Offset(low.0.saturating_add(size)).min(high)),
                Direction::NewestFirst => (Offset(high.0.saturating_sub(size)).max(low), high),
            };
            let range = PartitionRange {
                from,
                to,
                ..known.range.clone()
            };
            parts.insert(*lane, range);
        }
        let ranges: Vec<PartitionRange> = parts.values().cloned().collect();
        let (bus, isolation, cancel) = (self.bus, self.lanes.isolation(), self.cancel);
        let mut complete = BTreeSet::new();
        let mut failed = Vec::new();
        let mut last: BTreeMap<usize, Offset> = BTreeMap::new();
        scan(bus, &ranges, isolation, cancel, &mut |scanned| {
            match scanned {
                Scanned::Record(record) => self.take(record, &mut last),
                Scanned::Passed(_) => {}
                Scanned::Complete(at) => complete.extend(self.lanes.find(&at)),
                Scanned::Failed(at, problem) => {
                    failed.extend(self.lanes.find(&at).map(|lane| (lane, problem)));
                }
            }
            Flow::Continue
        })?;
        if self.cancel.reason().is_some() {
            return Ok(false);
        }
        for (lane, problem) in failed {
            let part = parts.remove(&lane);
            self.lanes.close(lane, problem);
            let Some((part, stretch)) = part.zip(self.stretches.get_mut(&lane)) else {
                continue;
            };
            // What was read in a row stays; newer records that came before a gap do not.
            match self.direction {
                Direction::OldestFirst => {
                    if let Some(last) = last.get(&lane) {
                        stretch.rest.0 = last.next();
                        stretch.read = true;
                    }
                    stretch.rest.1 = stretch.rest.0;
                }
                Direction::NewestFirst => {
                    self.held.retain(|row| {
                        row.key.lane != lane || !(part.from..part.to).contains(&row.key.offset)
                    });
                    stretch.rest.0 = stretch.rest.1;
                }
            }
        }
        for (lane, part) in parts {
            if let Some(stretch) = self
                .stretches
                .get_mut(&lane)
                .filter(|_| complete.contains(&lane))
            {
                match self.direction {
                    Direction::OldestFirst => stretch.rest.0 = part.to,
                    Direction::NewestFirst => stretch.rest.1 = part.from,
                }
                stretch.read = true;
                stretch.hint = stretch.told(self.direction);
            }
        }
        let count = u64::try_from(self.held.len()).unwrap_or(u64::MAX);
        self.average = self.bytes.checked_div(count).or(self.average);
        Ok(true)
    }

    /// Takes a record that was read.
    fn take(&mut self, record: Record, last: &mut BTreeMap<usize, Offset>) {
        let Some(key) = self.lanes.key(&record) else {
            return;
        };
        let Some(stretch) = self.stretches.get_mut(&key.lane) else {
            return;
        };
        last.insert(key.lane, key.offset);
        stretch.was_empty = false;
        match self.direction {
            Direction::OldestFirst => {
                stretch.near.push_back(record.timestamp);
                if stretch.near.len() > self.near {
                    stretch.near.pop_front();
                }
            }
            Direction::NewestFirst if stretch.near.len() >= self.near => {}
            Direction::NewestFirst => stretch.near.push_back(record.timestamp),
        }
        let direction = self.direction;
        let is_let_go = |full: &Offset| !direction.has_passed(*full, key.offset);
        if self.full.get(&key.lane).is_some_and(is_let_go)
            || self.skipped.contains(&(key.lane, key.offset))
            || !self.lanes.is_meant(record.timestamp)
        {
            return;
        }
        self.bytes = self.bytes.saturating_add(cost(&record));
        self.held.push(Row {
            key,
            record: Arc::new(record),
        });
        if self.bytes > READ_BYTES && self.held.len() > 1 {
            self.let_go();
        }
    }

    /// Lets go of what is wanted least, until half of what may be held is.
    fn let_go(&mut self) {
        self.sort();
        let mut bytes: u64 = 0;
        let kept = self
            .held
            .iter()
            .take_while(|row| {
                bytes = bytes.saturating_add(cost(&row.record));
                bytes <= READ_BYTES / 2
            })
            .count()
            .max(1);
        let direction = self.direction;
        let mut odd = Vec::new();
        for row in self.held.split_off(kept.min(self.held.len())) {
            let stretch = self.stretches.get(&row.key.lane);
            let begin = stretch.map_or(row.key.offset, |stretch| stretch.begin);
            // What the cut has passed already would not be read again.
            if direction.has_passed(begin, row.key.offset) {
                odd.push(row);
                continue;
            }
            let stop = direction.up_to(row.key.offset);
            let full = self.full.entry(row.key.lane).or_insert(stop);
            *full = direction.nearer(*full, stop);
        }
        let full = &self.full;
        self.held.retain(|row| {
            full.get(&row.key.lane)
                .is_none_or(|full| direction.has_passed(*full, row.key.offset))
        });
        self.wanted = self.wanted.min(self.held.len().max(1));
        self.held.append(&mut odd);
        self.bytes = self.held.iter().map(|row| cost(&row.record)).sum();
    }
}
