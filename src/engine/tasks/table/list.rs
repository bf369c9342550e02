//! A list and its piece, and the steps by which the piece follows the rows on screen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::command::{TablePlace, TableRequest};
use crate::engine::event::{PartitionCoverage, StoppedBy};
use crate::engine::snapshot::{Inventory, Table};
use crate::engine::tasks::by_time::Direction;
use crate::engine::tasks::lookups::Rate;
use crate::engine::tasks::ranges::PartitionRange;
use crate::engine::tasks::scan::{Flow, Scanned, scan};
use crate::model::{Known, Offset, Problem, ProblemKind, Record, Visibility};

use super::cuts::Cut;
use super::gather::gather;
use super::lanes::Lanes;
use super::piece::{APART, MOST_BYTES, MOST_ROWS, Piece};
use super::seek::{Anchor, Sought, lead_back, seek};

/// How many rows are read at once.
pub(super) const EXTEND: usize = 500;
/// How many rows before the place are read at first, so that it does not stand at the edge.
const BEFORE: usize = 250;
/// This near to an edge of the piece, more is read there.
pub(super) const REACH: i64 = 400;
/// The same where records are large, and how many are read then: together no more than what is kept of those.
const LEAST_REACH: i64 = 10;
const LEAST_EXTEND: usize = 10;
/// This near to the last row the end is on screen.
const AT_THE_END: i64 = 20;

/// When more has come than this, one who follows is taken to its end at once.
const CATCH_UP: u64 = 2_000;

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Read on beyond an edge.
    Extend(Direction),
    /// Let the list reach to where it would end now.
    TakeNewer,
    /// Begin anew at the end: more has come than one who follows would look at.
    CatchUp,
    /// Read rows of transactions that have ended since anew.
    Settle(Vec<(usize, Offset, Offset)>),
}

/// A list and the piece of it that is held.
#[derive(Debug)]
pub(super) struct List {
    lanes: Lanes,
    piece: Piece,
    anchor: i64,
    place: TablePlace,
    problems: Vec<Problem>,
    /// Why less is read than could be.
    stopped_by: Option<StoppedBy>,
    /// Why the last step could not be taken at all; it is tried again when there is news.
    broken: Option<Problem>,
    /// The sides on which nothing came, until there is news.
    stuck: BTreeSet<Direction>,
}

/// Does blocking work with the list, unless it is given up.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Known<T> + Send + 'static) -> Known<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Problem::new(ProblemKind::Other, format!("reading failed ({error})")))?
}

impl List {
    /// Finds the place that `request` names and reads the first rows around it.
    ///
    /// # Errors
    /// The bus cannot be asked at all.
    pub(super) async fn begin(
        bus: Arc<dyn Bus>,
        request: &TableRequest,
        rate: Rate,
        cancel: &Cancel,
    ) -> Known<Self> {
        let mut lanes = Lanes::resolve(&*bus, request, rate).await?;
        let mut sought = seek(&*bus, &mut lanes, &request.place).await;
        let mut list = Self::at(lanes, &sought, request);
        let (below, above) = match sought.anchor {
            Anchor::Start => (EXTEND, 0),
            Anchor::End => (0, EXTEND),
            Anchor::Cut | Anchor::Key(_) => (EXTEND, BEFORE),
        };
        list = list
            .read(&bus, Direction::OldestFirst, below, cancel)
            .await?;
        if let Anchor::Key(key) = sought.anchor {
            let Self { lanes, piece, .. } = &list;
            if lead_back(&*bus, lanes, &mut sought, piece, key).await {
                list = Self::at(list.lanes, &sought, request)
                    .read(&bus, Direction::OldestFirst, below, cancel)
                    .await?;
            }
        }
        list = list
            .read(&bus, Direction::NewestFirst, above, cancel)
            .await?;
        let above = list.piece.first().saturating_neg();
        list.piece.settle();
        list.anchor = match sought.anchor {
            Anchor::Start => 0,
            Anchor::End => list.piece.end(),
            Anchor::Cut => above,
            Anchor::Key(key) => list.piece.first_from(key),
        };
        list.problems = sought.problems;
        Ok(list)
    }

    fn at(lanes: Lanes, sought: &Sought, request: &TableRequest) -> Self {
        let piece = Piece::at(
            sought.cut.clone(),
            sought.above.clone(),
            sought.below.clone(),
        );
        Self {
            lanes,
            piece,
            anchor: 0,
            place: request.place.clone(),
            problems: Vec::new(),
            stopped_by: None,
            broken: None,
            stuck: BTreeSet::new(),
        }
    }

    async fn read(
        mut self,
        bus: &Arc<dyn Bus>,
        direction: Direction,
        wanted: usize,
        cancel: &Cancel,
    ) -> Known<Self> {
        if wanted == 0 {
            return Ok(self);
        }
        let (bus, cancel) = (Arc::clone(bus), cancel.clone());
        blocking(move || {
            self.extend(&*bus, direction, wanted, &cancel)?;
            Ok(self)
        })
        .await
    }

    /// Reads up to about `wanted` rows beyond an edge. Blocks.
    fn extend(
        &mut self,
        bus: &dyn Bus,
        direction: Direction,
        wanted: usize,
        cancel: &Cancel,
    ) -> Known<()> {
        let before = self.piece.edge(direction).cut.clone();
        let gathered = gather(bus, &mut self.lanes, &self.piece, direction, wanted, cancel)?;
        let Some(gathered) = gathered else {
            return Err(Problem::new(ProblemKind::Cancelled, "given up"));
        };
        let count = self.piece.accept(direction, gathered);
        if count == 0 && self.piece.edge(direction).cut == before {
            self.stuck.insert(direction);
        }
        Ok(())
    }

    /// About how many bytes one row takes.
    fn average(&self) -> u64 {
        let rows = u64::try_from(self.piece.rows().len()).unwrap_or(u64::MAX);
        self.piece.bytes().checked_div(rows).unwrap_or(0).max(1)
    }

    /// The rows on screen; where they are not told, those at the place that was asked for.
    fn on_screen(&self, told: Option<(i64, i64)>) -> (i64, i64) {
        // Numbers of rows that were left behind say nothing of those that are held now.
        let far = APART / 2;
        let told = told.filter(|(first, last)| {
            *last >= self.piece.first().saturating_sub(far)
                && *first < self.piece.end().saturating_add(far)
        });
        let (first, last) = told.unwrap_or((self.anchor, self.anchor));
        let (least, most) = (self.piece.first(), self.piece.end().saturating_sub(1));
        let clamp = |row: i64| row.min(most).max(least);
        (clamp(first), clamp(last.max(first)))
    }

    /// Lets go of what is far from the rows on screen.
    pub(super) fn trim(&mut self, told: Option<(i64, i64)>) {
        self.piece.trim(self.on_screen(told));
        let is_too_large = self.piece.rows().len() > MOST_ROWS.saturating_mul(2);
        self.stopped_by = is_too_large.then_some(StoppedBy::Budget);
    }

    /// What is to be done for the rows on screen; `None` when everything is there.
    pub(super) fn next_step(&self, told: Option<(i64, i64)>) -> Option<Step> {
        if self.stopped_by.is_some() || self.broken.is_some() {
            return None;
        }
        if let Some(step) = self.unsettled() {
            return Some(step);
        }
        let (first, last) = self.on_screen(told);
        let average = i64::try_from(MOST_BYTES / 8 / self.average()).unwrap_or(i64::MAX);
        let reach = average.clamp(LEAST_REACH, REACH);
        let above = first.saturating_sub(self.piece.first());
        let below = self.piece.end().saturating_sub(1).saturating_sub(last);
        let needs = |direction: Direction, rows: i64| {
            rows < reach
                && !self.stuck.contains(&direction)
                && !self.piece.is_at_the_end(&self.lanes, direction)
        };
        let mut sides = [
            (Direction::OldestFirst, below),
            (Direction::NewestFirst, above),
        ];
        sides.sort_by_key(|(_, rows)| *rows);
        let side = sides.iter().find(|(side, rows)| needs(*side, *rows));
        if let Some((side, _)) = side {
            return Some(Step::Extend(*side));
        }
        let is_at_end = self
            .piece
            .is_at_the_end(&self.lanes, Direction::OldestFirst);
        // Before rows are told, only a list that began at its end is seen there.
        let sees_end = below <= AT_THE_END && (told.is_some() || self.place == TablePlace::End);
        let newer = self.lanes.newer();
        if !is_at_end || !sees_end || newer == 0 {
            return None;
        }
        // One who follows wants the newest, not everything that came between.
        let follows = self.place == TablePlace::End && (below == 0 || told.is_none());
        Some(if follows && newer > CATCH_UP {
            Step::CatchUp
        } else {
            Step::TakeNewer
        })
    }

    /// Takes a step. Where reading cannot go on at all, that is told with the list.
    ///
    /// # Errors
    /// The work was broken off, and the list with it.
    pub(super) async fn take(
        mut self,
        bus: Arc<dyn Bus>,
        step: Step,
        cancel: &Cancel,
    ) -> Known<Self> {
        let cancel = cancel.clone();
        blocking(move || {
            let most = usize::try_from(MOST_BYTES / 8 / self.average()).unwrap_or(EXTEND);
            let portion = most.clamp(LEAST_EXTEND, EXTEND);
            let taken = match step {
                Step::TakeNewer => {
                    self.lanes.take_newer();
                    for (lane, _) in self.lanes.open() {
                        self.piece.forget_hint(lane);
                    }
                    Ok(())
                }
                Step::CatchUp => {
                    self.lanes.take_newer();
                    self.piece.leave_for(Cut::end(&self.lanes));
                    self.anchor = self.piece.end();
                    self.extend(&*bus, Direction::NewestFirst, portion, &cancel)
                }
                Step::Extend(direction) => self.extend(&*bus, direction, portion, &cancel),
                Step::Settle(ranges) => self.settle(&*bus, &ranges, &cancel),
            };
            self.broken = taken.err();
            Ok(self)
        })
        .await
    }

    /// Takes the ends that are known now.
    pub(super) async fn refresh(&mut self, bus: &dyn Bus, inventory: &Inventory) {
        self.lanes.refresh(inventory);
        self.lanes.end_spans(bus).await;
        self.stuck.clear();
        self.broken = None;
    }

    /// Rows of open transactions before what is stable by now: they have been committed or aborted since.
    fn unsettled(&self) -> Option<Step> {
        let mut spans: BTreeMap<usize, (Offset, Offset)> = BTreeMap::new();
        for row in self.piece.rows() {
            if row.record.visibility != Visibility::Open {
                continue;
            }
            let lane = self.lanes.get(row.key.lane)?;
            let (offset, stable) = (row.key.offset, lane.range.last_stable.as_ref());
            if stable.is_ok_and(|stable| offset < *stable) && offset >= lane.range.log_start {
                let span = spans
                    .entry(row.key.lane)
                    .or_insert_with(|| (offset, offset.next()));
                *span = (span.0.min(offset), span.1.max(offset.next()));
            }
        }
        let spans: Vec<(usize, Offset, Offset)> = spans
            .into_iter()
            .filter(|(lane, _)| self.lanes.problem(*lane).is_none())
            .map(|(lane, (from, to))| (lane, from, to))
            .collect();
        (!spans.is_empty()).then_some(Step::Settle(spans))
    }

    fn settle(
        &mut self,
        bus: &dyn Bus,
        spans: &[(usize, Offset, Offset)],
        cancel: &Cancel,
    ) -> Known<()> {
        let ranges: Vec<PartitionRange> = spans
            .iter()
            .filter_map(|(lane, from, to)| {
                Some(PartitionRange {
                    from: *from,
                    to: *to,
                    ..self.lanes.get(*lane)?.range.clone()
                })
            })
            .collect();
        let open: BTreeMap<(usize, Offset), Record> = self
            .piece
            .rows()
            .iter()
            .filter(|row| row.record.visibility == Visibility::Open)
            .map(|row| ((row.key.lane, row.key.offset), Record::clone(&row.record)))
            .collect();
        let mut read: BTreeMap<(usize, Offset), Arc<Record>> = BTreeMap::new();
        let lanes = &self.lanes;
        scan(bus, &ranges, lanes.isolation(), cancel, &mut |scanned| {
            if let Scanned::Record(record) = scanned
                && let Some(lane) = lanes.find(&record.at())
                && open.contains_key(&(lane, record.offset))
            {
                read.insert((lane, record.offset), Arc::new(record));
            }
            Flow::Continue
        })?;
        if cancel.reason().is_some() {
            return Err(Problem::new(ProblemKind::Cancelled, "given up"));
        }
        // What could not be judged again is not asked for again and again.
        for (place, record) in open {
            let is_due = spans
                .iter()
                .any(|(lane, from, to)| *lane == place.0 && (*from..*to).contains(&place.1));
            if is_due {
                let unknown = Record {
                    visibility: Visibility::Unknown,
                    ..record
                };
                read.entry(place).or_insert_with(|| Arc::new(unknown));
            }
        }
        read.retain(|_, record| record.visibility != Visibility::Open);
        self.piece.replace(&read);
        Ok(())
    }

    /// The piece as the window sees it.
    pub(super) fn table(&self, request: &TableRequest, loading: bool) -> Table {
        let (top, bottom) = (
            &self.piece.edge(Direction::NewestFirst).cut,
            &self.piece.edge(Direction::OldestFirst).cut,
        );
        let rows = self.lanes.all().map(|(lane, known)| {
            let range = &known.range;
            let error = self.lanes.problem(lane).or(range.lacking.as_ref()).cloned();
            PartitionCoverage {
                topic: range.at.topic.clone(),
                partition: Some(range.at.partition),
                from: Some(top.at(lane)),
                to: Some(range.to),
                next: Some(bottom.at(lane)),
                complete: error.is_none()
                    && top.at(lane) <= range.from
                    && bottom.at(lane) >= range.to,
                error,
            }
        });
        let mut partitions: Vec<PartitionCoverage> = rows.collect();
        partitions.extend(self.lanes.failed().iter().cloned());
        Table {
            request: Some(request.clone()),
            rows: self
                .piece
                .rows()
                .iter()
                .map(|row| Arc::clone(&row.record))
                .collect(),
            first: self.piece.first(),
            anchor: Some(self.anchor),
            before: self.piece.beyond(&self.lanes, Direction::NewestFirst),
            after: self.piece.beyond(&self.lanes, Direction::OldestFirst),
            up_to: Some(self.lanes.total()),
            at_start: self
                .piece
                .is_at_the_end(&self.lanes, Direction::NewestFirst),
            at_end: self
                .piece
                .is_at_the_end(&self.lanes, Direction::OldestFirst),
            newer: self.lanes.newer(),
            loading,
            stopped_by: self
                .stopped_by
                .or_else(|| self.broken.as_ref().map(|_| StoppedBy::Error)),
            problems: self.problems.iter().chain(&self.broken).cloned().collect(),
            partitions,
            disordered: self.piece.is_disordered(),
        }
    }
}
