//! The piece of a list that is held: rows in a row, each with its number, between two cuts.
//!
//! Times need not be in order within a partition, so a cut alone does not say which records lie on its far side.
//! Those few that lie beyond a cut by their place in the list and not by their offset are kept beside it as
//! its *odd* records, and rows on the far side of a cut are passed over when it is read on there. So everything
//! between the cuts is in memory, and each record of the list comes once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::engine::tasks::by_time::Direction;
use crate::engine::tasks::scan::cost;
use crate::model::{Offset, Record, TimestampMs};

use super::cuts::{Cut, Key, Moment};
use super::gather::Gathered;
use super::lanes::Lanes;

/// No more than this many rows are held, but for those around the rows on screen.
pub(super) const MOST_ROWS: usize = 4_000;
/// No more than about this many bytes of records are held, but for those near the rows on screen.
pub(super) const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// So many rows on each side of those on screen are kept whatever they weigh.
const KEPT_AT_LEAST: i64 = 20;
/// So many rows on each side of those on screen are kept.
pub(super) const KEPT: i64 = 1_000;
/// At most so many odd records are kept beside a cut.
const MOST_ODD: usize = 500;

/// What is known of the time of the next record of a lane beyond a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing.
    #[default]
    Unknown,
    /// About this time, or none, from records read there or from a look-up that found the record.
    Near(Option<TimestampMs>),
    /// No later than this, from a look-up that found nothing later.
    NotAfter(TimestampMs),
}

impl Hint {
    /// The time that decides whether something is read there; `None` when nothing is known.
    pub(super) fn time(self) -> Option<Moment> {
        match self {
            Self::Unknown => None,
            Self::Near(time) => Some(Moment(time)),
            Self::NotAfter(time) => Some(Moment(Some(time))),
        }
    }
}

/// One edge of the piece.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) cut: Cut,
    /// Records beyond the edge that the cut has passed.
    pub(super) odd: BTreeMap<Key, Arc<Record>>,
    /// Of each lane, the time of what comes next.
    pub(super) hints: Vec<Hint>,
}

impl Edge {
    fn new(cut: Cut, hints: Vec<Hint>) -> Self {
        Self {
            cut,
            odd: BTreeMap::new(),
            hints,
        }
    }

    pub(super) fn hint(&self, lane: usize) -> Hint {
        self.hints.get(lane).copied().unwrap_or_default()
    }

    pub(super) fn set_hint(&mut self, lane: usize, hint: Hint) {
        if let Some(known) = self.hints.get_mut(lane) {
            *known = hint;
        }
    }
}

/// A record and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) key: Key,
    pub(super) record: Arc<Record>,
}

/// How far the numbers of rows lie apart when a piece is left for another one.
pub(super) const APART: i64 = 1_000_000;

/// The piece.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    rows: VecDeque<Row>,
    first: i64,
    bytes: u64,
    top: Edge,
    bottom: Edge,
}

impl Piece {
    /// An empty piece at `cut`, with what is known of the times above and below it.
    pub(super) fn at(cut: Cut, above: Vec<Hint>, below: Vec<Hint>) -> Self {
        Self {
            rows: VecDeque::new(),
            first: 0,
            bytes: 0,
            top: Edge::new(cut.clone(), above),
            bottom: Edge::new(cut, below),
        }
    }

    /// Lets go of everything and begins anew at `cut`, where rows have other numbers than all those before.
    pub(super) fn leave_for(&mut self, cut: Cut) {
        let lanes = self.top.hints.len();
        let unknown = || vec![Hint::default(); lanes];
        let first = self.end().saturating_add(APART);
        *self = Self {
            first,
            ..Self::at(cut, unknown(), unknown())
        };
    }

    pub(super) fn rows(&self) -> &VecDeque<Row> {
        &self.rows
    }

    pub(super) fn first(&self) -> i64 {
        self.first
    }

    /// The number after that of the last row.
    pub(super) fn end(&self) -> i64 {
        self.first.saturating_add(signed(self.rows.len()))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The edge beyond which reading in `direction` goes on.
    pub(super) fn edge(&self, direction: Direction) -> &Edge {
        match direction {
            Direction::OldestFirst => &self.bottom,
            Direction::NewestFirst => &self.top,
        }
    }

    pub(super) fn edge_mut(&mut self, direction: Direction) -> &mut Edge {
        match direction {
            Direction::OldestFirst => &mut self.bottom,
            Direction::NewestFirst => &mut self.top,
        }
    }

    /// Forgets what was known of what comes after the last row in `lane`, which has grown.
    pub(super) fn forget_hint(&mut self, lane: usize) {
        self.bottom.set_hint(lane, Hint::Unknown);
    }

    /// Whether nothing of the list lies beyond the edge in `direction`.
    pub(super) fn is_at_the_end(&self, lanes: &Lanes, direction: Direction) -> bool {
        let edge = self.edge(direction);
        edge.odd.is_empty()
            && lanes.open().all(|(lane, known)| match direction {
                Direction::OldestFirst => edge.cut.at(lane) >= known.range.to,
                Direction::NewestFirst => edge.cut.at(lane) <= known.range.from,
            })
    }

    /// Whether there are no rows yet and they begin at the end of the list.
    pub(super) fn is_empty_at_end(&self, lanes: &Lanes) -> bool {
        self.rows.is_empty() && self.bottom.cut == Cut::end(lanes)
    }

    /// How many offsets of the list lie beyond the edge in `direction`, at most.
    pub(super) fn beyond(&self, lanes: &Lanes, direction: Direction) -> u64 {
        let edge = self.edge(direction);
        let offsets = match direction {
            Direction::OldestFirst => edge.cut.after(lanes),
            Direction::NewestFirst => edge.cut.rank(lanes),
        };
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        offsets
            .saturating_sub(count(self.skipped(direction).len()))
            .saturating_add(count(edge.odd.len()))
    }

    /// The records that reading in `direction` comes upon and that do not lie there: rows, and what is odd beside
    /// the other edge.
    pub(super) fn skipped(&self, direction: Direction) -> BTreeSet<(usize, Offset)> {
        let cut = &self.edge(direction).cut;
        let odd = &self.edge(direction.opposite()).odd;
        self.rows
            .iter()
            .map(|row| &row.key)
            .chain(odd.keys())
            .filter(|key| !direction.has_passed(cut.at(key.lane), key.offset))
            .map(|key| (key.lane, key.offset))
            .collect()
    }

    /// Adds what was gathered in `direction`, and returns how many rows that is.
    pub(super) fn accept(&mut self, direction: Direction, gathered: Gathered) -> usize {
        let Gathered {
            held,
            wanted,
            reached,
            hints,
            far,
        } = gathered;
        let edge = self.edge(direction);
        let mut count = wanted.min(held.len());
        // More than asked for are taken where too many would be left that their cut has passed.
        let passed = loop {
            let mut passed: BTreeMap<usize, Offset> = BTreeMap::new();
            for row in held.iter().take(count) {
                let lane = row.key.lane;
                // What lies far off is passed over when reading comes there.
                if far.contains(&(lane, row.key.offset)) {
                    continue;
                }
                let cut = passed.entry(lane).or_insert_with(|| edge.cut.at(lane));
                *cut = direction.farther(*cut, direction.past(row.key.offset));
            }
            let at = |lane: &usize| {
                let cut = passed.get(lane).copied();
                cut.unwrap_or_else(|| edge.cut.at(*lane))
            };
            let odd = held
                .iter()
                .skip(count)
                .filter(|row| direction.has_passed(at(&row.key.lane), row.key.offset))
                .count();
            if odd <= MOST_ODD || count >= held.len() {
                break passed;
            }
            count = count.saturating_add(count / 4).saturating_add(1);
        };
        let mut held = held;
        let rest = held.split_off(count.min(held.len()));
        let edge = self.edge_mut(direction);
        for (lane, cut) in &passed {
            edge.cut.set(*lane, *cut);
        }
        edge.odd.clear();
        let mut left: BTreeMap<usize, (Offset, Vec<Option<TimestampMs>>)> = BTreeMap::new();
        for row in rest {
            let lane = row.key.lane;
            if far.contains(&(lane, row.key.offset)) {
                continue;
            }
            if direction.has_passed(edge.cut.at(lane), row.key.offset) {
                edge.odd.insert(row.key, row.record);
            } else {
                let stop = direction.up_to(row.key.offset);
                let (cut, times) = left.entry(lane).or_insert((stop, Vec::new()));
                *cut = direction.nearer(*cut, stop);
                times.push(row.record.timestamp);
            }
        }
        for (lane, reached) in reached {
            let (cut, hint) = match left.remove(&lane) {
                Some((cut, times)) => {
                    let time = direction.first_of(times.into_iter());
                    (cut, time.map_or(Hint::Unknown, Hint::Near))
                }
                None => (reached, hints.get(&lane).copied().unwrap_or_default()),
            };
            let cut = direction.farther(cut, edge.cut.at(lane));
            edge.cut.set(lane, cut);
            edge.set_hint(lane, hint);
        }
        for row in held {
            self.bytes = self.bytes.saturating_add(cost(&row.record));
            match direction {
                Direction::OldestFirst => self.rows.push_back(row),
                Direction::NewestFirst => {
                    self.rows.push_front(row);
                    self.first = self.first.saturating_sub(1);
                }
            }
        }
        count
    }

    /// Puts the rows in order, whichever side they were read from, and numbers them from 0.
    pub(super) fn settle(&mut self) {
        self.rows.make_contiguous().sort_by_key(|row| row.key);
        self.first = 0;
    }

    /// Lets go of rows far from those on screen, as far as there are too many.
    pub(super) fn trim(&mut self, on_screen: (i64, i64)) {
        let last = self.end().saturating_sub(1);
        let (first_seen, last_seen) = (
            on_screen.0.clamp(self.first, last.max(self.first)),
            on_screen.1.clamp(self.first, last.max(self.first)),
        );
        let above = first_seen.saturating_sub(self.first);
        let below = last.saturating_sub(last_seen);
        // The farther side goes first.
        let mut sides = [
            (Direction::NewestFirst, above),
            (Direction::OldestFirst, below),
        ];
        sides.sort_by_key(|(_, length)| length.saturating_neg());
        for (side, length) in sides {
            let many = self.rows.len().saturating_sub(MOST_ROWS);
            let may_go = unsigned(length.saturating_sub(KEPT));
            let mut going = many.min(may_go);
            let mut bytes = self.weight(side, going);
            let may_go = unsigned(length.saturating_sub(KEPT_AT_LEAST));
            while self.bytes.saturating_sub(bytes) > MOST_BYTES && going < may_go {
                going = going.saturating_add(1);
                bytes = self.weight_of(side, going).saturating_add(bytes);
            }
            if going > 0 {
                self.drop_rows(side, going);
            }
        }
    }

    /// The row that is the `number`th from the edge of `side`, counted from 1.
    fn nth_at(&self, side: Direction, number: usize) -> Option<&Row> {
        match side {
            Direction::NewestFirst => self.rows.get(number.checked_sub(1)?),
            Direction::OldestFirst => self.rows.get(self.rows.len().checked_sub(number)?),
        }
    }

    fn weight_of(&self, side: Direction, number: usize) -> u64 {
        self.nth_at(side, number).map_or(0, |row| cost(&row.record))
    }

    fn weight(&self, side: Direction, count: usize) -> u64 {
        (1..=count)
            .map(|number| self.weight_of(side, number))
            .fold(0, u64::saturating_add)
    }

    /// Lets go of `count` rows at the edge of `side`, unless too many odd ones would be left by that.
    fn drop_rows(&mut self, side: Direction, count: usize) {
        let kept = self.rows.len().saturating_sub(count);
        let going = match side {
            Direction::NewestFirst => 0..count,
            Direction::OldestFirst => kept..self.rows.len(),
        };
        // The cut comes to lie just behind what goes, but never beyond the other edge's.
        let (near, far) = (self.edge(side), self.edge(side.opposite()));
        let mut cuts: BTreeMap<usize, Offset> = BTreeMap::new();
        for row in self.rows.range(going.clone()) {
            let (lane, offset) = (row.key.lane, row.key.offset);
            let cut = cuts.entry(lane).or_insert_with(|| near.cut.at(lane));
            if side.opposite().has_passed(far.cut.at(lane), offset) {
                *cut = side.nearer(*cut, side.up_to(offset));
            }
        }
        let at = |lane: &usize| cuts.get(lane).copied();
        let is_odd = |key: &Key| {
            at(&key.lane).map_or_else(
                || side.has_passed(self.edge(side).cut.at(key.lane), key.offset),
                |cut| side.has_passed(cut, key.offset),
            )
        };
        let mut odd: BTreeMap<Key, Arc<Record>> = BTreeMap::new();
        for (key, record) in &self.edge(side).odd {
            if is_odd(key) {
                odd.insert(*key, Arc::clone(record));
            }
        }
        let mut nearest: BTreeMap<usize, Option<TimestampMs>> = BTreeMap::new();
        for row in self.rows.range(going.clone()) {
            if is_odd(&row.key) {
                odd.insert(row.key, Arc::clone(&row.record));
            } else {
                let time = row.record.timestamp;
                let known = nearest.entry(row.key.lane).or_insert(time);
                if side.is_before(&time, known) {
                    *known = time;
                }
            }
        }
        if odd.len() > MOST_ODD {
            return;
        }
        let edge = self.edge_mut(side);
        for (lane, cut) in cuts {
            edge.cut.set(lane, cut);
            let hint = nearest.get(&lane).copied();
            edge.set_hint(lane, hint.map_or(Hint::Unknown, Hint::Near));
        }
        edge.odd = odd;
        for row in self.rows.drain(going) {
            self.bytes = self.bytes.saturating_sub(cost(&row.record));
        }
        if side == Direction::NewestFirst {
            self.first = self.first.saturating_add(signed(count));
        }
    }

    /// Whether some row belongs above the one above it.
    pub(super) fn is_disordered(&self) -> bool {
        let later = self.rows.iter().skip(1);
        self.rows
            .iter()
            .zip(later)
            .any(|(above, below)| below.key.time < above.key.time)
    }

    /// The number of the first row at or after `key`; one past the last row when there is none.
    pub(super) fn first_from(&self, key: Key) -> i64 {
        let index = self.rows.iter().position(|row| row.key >= key);
        let index = index.unwrap_or(self.rows.len());
        self.first.saturating_add(signed(index))
    }

    /// Replaces rows by what was read of them anew.
    pub(super) fn replace(&mut self, records: &BTreeMap<(usize, Offset), Arc<Record>>) {
        for row in &mut self.rows {
            if let Some(record) = records.get(&(row.key.lane, row.key.offset)) {
                row.record = Arc::clone(record);
            }
        }
    }
}

pub(super) fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn unsigned(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0)
}
