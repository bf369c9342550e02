//! The offsets that are to be read of one partition, and what is lacking of those that were asked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{Known, Offset, Problem, ProblemKind, TopicPartition};

/// How many lacking offsets are named one by one.
const NAMED: usize = 5;

/// What is to be read of one partition.
#[derive(Clone, Debug)]
pub(in crate::engine) struct PartitionRange {
    /// The partition.
    pub(in crate::engine) at: TopicPartition,
    /// The first offset.
    pub(in crate::engine) from: Offset,
    /// The offset to stop before.
    pub(in crate::engine) to: Offset,
    /// Where the answer is expected to end; reading goes on to `to` because times need not be in order.
    pub(in crate::engine) meant_to: Offset,
    /// Where the log begins.
    pub(in crate::engine) log_start: Offset,
    /// Where the log ends for this reader.
    pub(in crate::engine) end: Offset,
    /// Where the log ends for those who read everything.
    pub(in crate::engine) high_watermark: Offset,
    /// Where careful readers' part ends.
    pub(in crate::engine) last_stable: Known<Offset>,
    /// The only offsets that are meant; all when `None`.
    pub(in crate::engine) named: Option<Arc<BTreeSet<Offset>>>,
    /// What was asked for and cannot be read, though the rest can.
    pub(in crate::engine) lacking: Option<Problem>,
}

impl PartitionRange {
    /// Whether the record at `offset` is meant.
    pub(in crate::engine) fn names(&self, offset: Offset) -> bool {
        self.named
            .as_ref()
            .is_none_or(|named| named.contains(&offset))
    }

    /// Says that something asked for is lacking, beside what was said before.
    pub(in crate::engine) fn lack(&mut self, sentence: &str) {
        let message = match &self.lacking {
            None => sentence.to_owned(),
            Some(before) => format!("{before}; {sentence}"),
        };
        self.lacking = Some(Problem::new(ProblemKind::Invalid, message));
    }

    /// Begins at `from` and ends before `to`, as far as the log reaches; says what of it is lacking.
    pub(super) fn cut(&mut self, from: Option<Offset>, to: Option<Offset>) {
        let (log_start, end, high) = (self.log_start, self.end, self.high_watermark);
        if let Some(from) = from {
            if from < log_start {
                let gone = to.map_or(log_start, |to| to.min(log_start));
                if let Some(which) = between(from, gone) {
                    let verb = plural(from, gone);
                    self.lack(&format!(
                        "{which} {verb} deleted: the log starts at {log_start}"
                    ));
                }
            } else if from > high {
                self.lack(&format!(
                    "offset {from} lies beyond the end of the log ({high})"
                ));
            } else if from > end {
                self.lack(&format!(
                    "offset {from} is not served yet: {}",
                    self.careful()
                ));
            }
            self.from = from.clamp(log_start, end);
        }
        if let Some(to) = to {
            if to < log_start && from.is_none() {
                self.lack(&format!(
                    "nothing is left before offset {to}: the log starts at {log_start}"
                ));
            }
            if to > end && from.is_none_or(|from| from <= end) {
                if let Some(which) = between(high, to) {
                    let verb = plural(high, to);
                    self.lack(&format!(
                        "{which} {verb} not written yet: the log ends at {high}"
                    ));
                }
                if end < high {
                    self.lack(&self.careful());
                }
            }
            self.to = to.clamp(self.from, end);
        }
        self.to = self.to.max(self.from);
    }

    /// Leaves what lies from `from` to `to`, not included; what of it does not exist is nobody's loss.
    pub(in crate::engine) fn narrow(&mut self, from: Offset, to: Offset) {
        self.from = from.clamp(self.log_start, self.end);
        self.to = to.clamp(self.from, self.end);
        self.meant_to = self.to;
    }

    /// Leaves only the offsets `named`, as far as they lie in the range; says which of them are not in the log.
    pub(super) fn only(&mut self, named: &BTreeSet<Offset>) {
        self.lacking = None;
        let mut lacking: Vec<String> = Vec::new();
        let mut kept = BTreeSet::new();
        for offset in named {
            if *offset < self.log_start {
                lacking.push(format!(
                    "offset {offset} is deleted: the log starts at {}",
                    self.log_start
                ));
            } else if *offset >= self.high_watermark {
                lacking.push(format!(
                    "offset {offset} is not written yet: the log ends at {}",
                    self.high_watermark
                ));
            } else if *offset >= self.end {
                lacking.push(format!(
                    "offset {offset} is not served yet: {}",
                    self.careful()
                ));
            } else if (self.from..self.to).contains(offset) {
                kept.insert(*offset);
            }
        }
        for sentence in lacking.iter().take(NAMED) {
            self.lack(sentence);
        }
        if let Some(more @ 1..) = lacking.len().checked_sub(NAMED) {
            self.lack(&format!("and so for {more} more"));
        }
        let nearest = named
            .first()
            .map_or(self.from, |offset| (*offset).clamp(self.from, self.to));
        let from = kept.first().copied().unwrap_or(nearest);
        let to = kept.last().map_or(from, |last| last.next());
        (self.from, self.to, self.meant_to) = (from, to, to);
        self.named = Some(Arc::new(kept));
    }

    /// Why careful readers do not get all of the log.
    fn careful(&self) -> String {
        format!(
            "careful readers are served only up to the last stable offset {} for now (an open transaction), the log ends at {}",
            self.end, self.high_watermark
        )
    }
}

/// Words for the offsets from `from` to `to`, not included; `None` when there are none.
fn between(from: Offset, to: Offset) -> Option<String> {
    let last = to.moved(-1).filter(|last| *last >= from)?;
    Some(if last == from {
        format!("offset {from}")
    } else {
        format!("offsets {from} to {last}")
    })
}

fn plural(from: Offset, to: Offset) -> &'static str {
    if from.next() == to { "is" } else { "are" }
}
