//! Offsets that hold no record for a reader, and why: all of it normal.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Aborted, Batch, BatchKind, Certainty, Concerns, Fact, Finding, FindingKind, LogPortion, Offset,
    TimestampMs, TopicPartition, Visibility,
};

use super::finding::Draft;
use super::words::{events, number, offsets, place};

/// Holes of one kind in one partition that are told one by one; the rest is summed up.
const ONE_BY_ONE: usize = 200;
/// Producers whose last abort is kept in mind.
const MOST_ENDED: usize = 10_000;

/// Stands for the type of a mark of which only its place is known.
const NOT_TOLD: i16 = -1;

/// Why there is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoleCause {
    /// A mark of a transaction, or another one of the bus's own.
    Marker(BatchKind),
    /// A record whose transaction was aborted.
    Withdrawn {
        /// The producer, where it is known.
        producer: Option<i64>,
    },
    /// Compaction removed it.
    Compacted,
    /// Not known: a mark, or something that was removed.
    Unknown,
}

impl HoleCause {
    fn kind(self) -> FindingKind {
        match self {
            Self::Marker(_) => FindingKind::Marker,
            Self::Withdrawn { .. } => FindingKind::Withdrawn,
            Self::Compacted | Self::Unknown => FindingKind::Compacted,
        }
    }
}

/// A stretch of offsets without records, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Its first offset.
    pub first: Offset,
    /// Its last offset.
    pub last: Offset,
    /// Why.
    pub cause: HoleCause,
    /// How sure that is.
    pub certainty: Certainty,
    /// Records that were there, or offsets where that is not known.
    pub records: u64,
    /// The latest time in the batch, where it is known.
    pub time: Option<TimestampMs>,
}

/// Holes of one kind beyond those that are told one by one.
#[derive(Clone, Copy, Debug)]
struct Rest {
    holes: u64,
    records: u64,
    first: Offset,
    last: Offset,
    certainty: Certainty,
}

/// Those of one kind.
#[derive(Clone, Debug, Default)]
struct OfKind {
    holes: Vec<Hole>,
    rest: Option<Rest>,
}

/// The holes of one partition, found in the order of offsets.
#[derive(Clone, Debug)]
pub struct Holes {
    at: TopicPartition,
    next: Offset,
    compacted: Option<bool>,
    markers: OfKind,
    withdrawals: OfKind,
    compactions: OfKind,
    /// Every stretch of withdrawn records.
    withdrawn: Vec<(Offset, Offset)>,
    /// Transactions that will turn out to be aborted: producer and first offset.
    aborted: BTreeSet<(i64, Offset)>,
    /// The last mark of an abort that was seen of each producer, of the last so many.
    ended: BTreeMap<i64, Offset>,
    /// Without the log: stretches in which nothing was seen.
    unseen: Vec<(Offset, Offset)>,
    /// Without the log: how many there are, and offsets in them.
    unseen_in_all: (u64, u64),
    /// Without the log: whether `next` is a record of an open transaction, behind which nothing is decided.
    is_at_open: bool,
    is_inferred: bool,
}

impl Holes {
    /// Nothing looked at yet of `at`, from `from` on. `compacted` says whether its topic is compacted now.
    pub fn new(at: TopicPartition, from: Offset, compacted: Option<bool>) -> Self {
        Self {
            at,
            next: from,
            compacted,
            markers: OfKind::default(),
            withdrawals: OfKind::default(),
            compactions: OfKind::default(),
            withdrawn: Vec::new(),
            aborted: BTreeSet::new(),
            ended: BTreeMap::new(),
            unseen: Vec::new(),
            unseen_in_all: (0, 0),
            is_at_open: false,
            is_inferred: false,
        }
    }

    /// Everything before this offset was looked at.
    pub fn next(&self) -> Offset {
        self.next
    }

    /// The stretches of withdrawn records, in their order, both ends included.
    pub fn withdrawn(&self) -> &[(Offset, Offset)] {
        &self.withdrawn
    }

    /// The holes that are told one by one, in the order of their offsets.
    pub fn list(&self) -> Vec<Hole> {
        let kinds = [&self.markers, &self.withdrawals, &self.compactions];
        let mut holes: Vec<Hole> = kinds.iter().flat_map(|kind| kind.holes.clone()).collect();
        holes.extend(self.inferred());
        holes.sort_by_key(|hole| hole.first);
        holes
    }

    /// Looks at the next portion of the log, up to its last stable offset: causes are proven.
    pub fn add(&mut self, portion: &LogPortion) {
        // A transaction that has ended may be listed again; it is none that is still to come.
        let is_over = |aborted: &Aborted| {
            let ended = self.ended.get(&aborted.producer);
            ended.is_some_and(|mark| aborted.first <= *mark)
        };
        let listed = portion.aborted.iter().filter(|aborted| !is_over(aborted));
        self.aborted
            .extend(listed.map(|Aborted { producer, first }| (*producer, *first)));
        // What was deleted is no hole of the log that is left.
        self.next = self.next.max(portion.log_start);
        for batch in &portion.batches {
            if batch.last < self.next {
                continue;
            }
            if batch.first >= portion.last_stable {
                break;
            }
            if let Some(before) = batch.first.moved(-1).filter(|last| *last >= self.next) {
                self.between(self.next, before);
            }
            self.batch(batch);
            self.next = batch.last.next();
        }
        let end = portion.next.min(portion.last_stable);
        self.next = self.next.max(end);
    }

    fn batch(&mut self, batch: &Batch) {
        let from = self.next;
        let whole = |cause, records| Hole {
            first: batch.first.max(from),
            last: batch.last,
            cause,
            certainty: Certainty::Proof,
            records,
            time: batch.max_time,
        };
        let is_mark = batch.kind != BatchKind::Data;
        if is_mark && batch.records > 0 {
            if let (BatchKind::Abort, Some(producer)) = (batch.kind, batch.producer) {
                self.aborted
                    .retain(|(id, first)| *id != producer.id || *first > batch.first);
                if self.ended.len() >= MOST_ENDED {
                    self.ended.clear();
                }
                self.ended.insert(producer.id, batch.first);
            }
            self.push(whole(HoleCause::Marker(batch.kind), 1));
            return;
        }
        let producer = batch.producer.filter(|_| batch.transactional);
        let withdrawn = producer.filter(|producer| {
            let mut of = self.aborted.range((producer.id, Offset(i64::MIN))..);
            of.next()
                .is_some_and(|(id, first)| *id == producer.id && *first <= batch.first)
        });
        if let Some(producer) = withdrawn
            && batch.records > 0
        {
            let producer = Some(producer.id);
            let hole = whole(HoleCause::Withdrawn { producer }, u64::from(batch.records));
            self.withdrew(hole.first, hole.last);
            self.push(hole);
            return;
        }
        match &batch.holes {
            Ok(holes) => {
                for (first, last) in holes {
                    if *last < self.next {
                        continue;
                    }
                    let first = (*first).max(self.next);
                    self.push(Hole {
                        first,
                        last: *last,
                        records: last.next().since(first).unwrap_or_default(),
                        ..whole(HoleCause::Compacted, 0)
                    });
                }
            }
            Err(_unreadable) => {
                let span = batch.last.next().since(batch.first).unwrap_or_default();
                let gone = span.saturating_sub(u64::from(batch.records));
                let hole = whole(HoleCause::Unknown, gone);
                self.push(Hole {
                    certainty: Certainty::Hint,
                    ..hole
                });
            }
        }
    }

    /// A stretch that no batch covers.
    fn between(&mut self, first: Offset, last: Offset) {
        let (cause, certainty) = if self.compacted == Some(true) {
            (HoleCause::Compacted, Certainty::Strong)
        } else {
            (HoleCause::Unknown, Certainty::Hint)
        };
        self.push(Hole {
            first,
            last,
            cause,
            certainty,
            records: last.next().since(first).unwrap_or_default(),
            time: None,
        });
    }

    fn withdrew(&mut self, first: Offset, last: Offset) {
        match self.withdrawn.last_mut() {
            Some(before) if before.1.next() == first => before.1 = last,
            _ => self.withdrawn.push((first, last)),
        }
    }

    fn push(&mut self, hole: Hole) {
        let of_kind = match hole.cause.kind() {
            FindingKind::Marker => &mut self.markers,
            FindingKind::Withdrawn => &mut self.withdrawals,
            _ => &mut self.compactions,
        };
        if let Some(before) = of_kind.holes.last_mut()
            && of_kind.rest.is_none()
            && before.last.next() == hole.first
            && before.cause == hole.cause
            && before.certainty == hole.certainty
            && !matches!(hole.cause, HoleCause::Marker(_))
        {
            before.last = hole.last;
            before.records = before.records.saturating_add(hole.records);
            before.time = before.time.max(hole.time);
            return;
        }
        if of_kind.holes.len() < ONE_BY_ONE {
            of_kind.holes.push(hole);
            return;
        }
        let rest = of_kind.rest.get_or_insert(Rest {
            holes: 0,
            records: 0,
            first: hole.first,
            last: hole.last,
            certainty: hole.certainty,
        });
        rest.holes = rest.holes.saturating_add(1);
        rest.records = rest.records.saturating_add(hole.records);
        rest.last = hole.last;
        rest.certainty = rest.certainty.min(hole.certainty);
    }

    /// Without the log: a record that a reader of everything was given, and what careful readers make of it. From the
    /// first record of an open transaction on nothing is said until it is seen again as decided.
    pub fn saw(&mut self, offset: Offset, time: Option<TimestampMs>, visibility: Visibility) {
        self.is_inferred = true;
        if offset < self.next || self.is_at_open && offset > self.next {
            return;
        }
        self.is_at_open = visibility == Visibility::Open;
        if let Some(before) = offset.moved(-1).filter(|last| *last >= self.next) {
            self.unseen(self.next, before);
        }
        if self.is_at_open {
            self.next = offset;
            return;
        }
        self.next = offset.next();
        if visibility == Visibility::Aborted {
            self.withdrew(offset, offset);
            self.push(Hole {
                first: offset,
                last: offset,
                cause: HoleCause::Withdrawn { producer: None },
                certainty: Certainty::Strong,
                records: 1,
                time,
            });
        }
    }

    /// Without the log: nothing more is to be seen before `next`.
    pub fn passed_to(&mut self, next: Offset) {
        self.is_inferred = true;
        if self.is_at_open {
            return;
        }
        if let Some(last) = next.moved(-1).filter(|last| *last >= self.next) {
            self.unseen(self.next, last);
            self.next = next;
        }
    }

    fn unseen(&mut self, first: Offset, last: Offset) {
        if self.unseen.len() < ONE_BY_ONE {
            self.unseen.push((first, last));
        }
        let width = last.next().since(first).unwrap_or_default();
        let (holes, records) = &mut self.unseen_in_all;
        *holes = holes.saturating_add(1);
        *records = records.saturating_add(width);
    }

    /// What a stretch in which nothing was seen may be. On a topic that is not compacted only marks take offsets, one at
    /// a time.
    fn unseen_cause(&self) -> (HoleCause, Certainty) {
        let (holes, records) = self.unseen_in_all;
        let mark = HoleCause::Marker(BatchKind::Control(NOT_TOLD));
        match self.compacted {
            Some(false) if holes == records => (mark, Certainty::Strong),
            Some(false) => (mark, Certainty::Hint),
            Some(true) | None => (HoleCause::Unknown, Certainty::Hint),
        }
    }

    fn inferred(&self) -> impl Iterator<Item = Hole> {
        let (cause, certainty) = self.unseen_cause();
        self.unseen.iter().map(move |(first, last)| Hole {
            first: *first,
            last: *last,
            cause,
            certainty,
            records: last.next().since(*first).unwrap_or_default(),
            time: None,
        })
    }

    /// A finding for each hole; of very many, one for those that are not told one by one.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.list().iter().map(|hole| self.tell(hole)).collect();
        for (kind, of_kind) in [
            (FindingKind::Marker, &self.markers),
            (FindingKind::Withdrawn, &self.withdrawals),
            (FindingKind::Compacted, &self.compactions),
        ] {
            findings.extend(of_kind.rest.map(|rest| self.tell_rest(kind, &rest)));
        }
        findings.extend(self.unseen_rest());
        findings
    }

    /// The stretches in which nothing was seen beyond those that are told one by one.
    fn unseen_rest(&self) -> Option<Finding> {
        let (holes, records) = self.unseen_in_all;
        let told = u64::try_from(self.unseen.len()).ok()?;
        let more = holes.checked_sub(told).filter(|more| *more > 0)?;
        let (_, last_told) = self.unseen.last()?;
        let told: u64 = self.inferred().map(|hole| hole.records).sum();
        let (cause, certainty) = self.unseen_cause();
        let rest = Rest {
            holes: more,
            records: records.saturating_sub(told),
            first: last_told.next(),
            last: self.next.moved(-1).unwrap_or(self.next),
            certainty,
        };
        Some(self.tell_rest(cause.kind(), &rest))
    }

    fn draft(&self, kind: FindingKind, from: Offset, to: Offset, certainty: Certainty) -> Draft {
        let how = if self.is_inferred {
            "what two readers saw; the raw log is not readable over this connection"
        } else {
            "batches of the log"
        };
        Draft::new(kind, Concerns::Everyone)
            .at(&self.at)
            .offsets(from, to)
            .certainty(certainty)
            .with(|finding| finding.normal = true)
            .because("known_from", Fact::Text(how.to_owned()))
    }

    fn tell(&self, hole: &Hole) -> Finding {
        let (from, to) = (hole.first, hole.last);
        let where_to = format!("{} in {}", offsets(from, to), place(&self.at));
        let mut draft = self.draft(hole.cause.kind(), from, to, hole.certainty);
        let sentence = match hole.cause {
            HoleCause::Marker(BatchKind::Commit) => {
                format!(
                    "{where_to}: a bookkeeping mark that a transaction was committed, not an event."
                )
            }
            HoleCause::Marker(BatchKind::Abort) => {
                format!(
                    "{where_to}: a bookkeeping mark that a transaction was aborted, not an event."
                )
            }
            HoleCause::Marker(_) => {
                format!("{where_to}: a bookkeeping mark of the bus, not an event.")
            }
            HoleCause::Withdrawn { producer } => {
                draft = draft.because("producer_id", producer.map_or(Fact::Unknown, Fact::Number));
                format!(
                    "{where_to}: the producer withdrew {}; careful consumers never saw {}.",
                    events(hole.records),
                    if hole.records == 1 { "it" } else { "them" }
                )
            }
            HoleCause::Compacted => format!(
                "{where_to}: older events whose key came again later were cleaned up; the newest of each key is kept."
            ),
            HoleCause::Unknown if self.compacted == Some(true) => {
                format!("{where_to}: cleaned up by compaction, or a mark of a transaction.")
            }
            HoleCause::Unknown => format!(
                "{where_to}: no event; the topic may have been compacted earlier, or it is a mark of the bus."
            ),
        };
        draft
            .with(|finding| {
                finding.records = Some(hole.records);
                (finding.from_time, finding.to_time) = (hole.time, hole.time);
            })
            .say(&from.0.to_string(), sentence, "")
    }

    fn tell_rest(&self, kind: FindingKind, rest: &Rest) -> Finding {
        let what = match kind {
            FindingKind::Marker => "marks of transactions",
            FindingKind::Withdrawn => "stretches of withdrawn events",
            _ => "stretches that were cleaned up",
        };
        let holes = i64::try_from(rest.holes).unwrap_or(i64::MAX);
        let sentence = format!(
            "{} in {}: {} more {what}, {} offsets in all; they are not told one by one.",
            offsets(rest.first, rest.last),
            place(&self.at),
            number(holes),
            number(i64::try_from(rest.records).unwrap_or(i64::MAX)),
        );
        self.draft(kind, rest.first, rest.last, rest.certainty)
            .because("holes", Fact::Number(holes))
            .with(|finding| finding.records = Some(rest.records))
            .say("more", sentence, "")
    }
}

#[cfg(test)]
mod tests;
