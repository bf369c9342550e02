//! The batches in an answer to `Fetch`.

use crate::bus::batch::{self, Header, Prefix};
use crate::model::{Batch, BatchKind, Known, Offset, Problem, ProblemKind, Producer, TimestampMs};

/// How many bytes of records are taken apart for one portion, before the rest is left for the next.
const BUDGET: usize = 64 * 1024 * 1024;

/// What was found in the bytes of a log.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::bus) struct Walked {
    /// The batches, by offset.
    pub(in crate::bus) batches: Vec<Batch>,
    /// Everything before this offset was looked at; `None` when there was nothing.
    pub(in crate::bus) next: Option<Offset>,
}

/// Walks the whole batches of `bytes` that hold offsets of `from..to`. One that is cut off is left for the next
/// portion; so is whatever cannot be read, unless it is the first.
///
/// # Errors
/// The first batch cannot be read: it is damaged, or of a format from before Kafka 0.11.
pub(in crate::bus) fn walk(bytes: &[u8], from: Offset, to: Option<Offset>) -> Known<Walked> {
    let mut walked = Walked {
        batches: Vec::new(),
        next: None,
    };
    let mut rest = bytes;
    let mut budget = BUDGET;
    while !rest.is_empty() {
        let step = match step(rest, from, walked.next, &mut budget) {
            Ok(step) => step,
            Err(problem) if walked.next.is_none() => return Err(problem),
            Err(_left_for_the_next_portion) => break,
        };
        match step {
            Step::Cut | Step::Spent => break,
            Step::Before(after) => rest = after,
            Step::Batch(found, after) => {
                if let Some(to) = to.filter(|to| found.first >= *to) {
                    walked.next = walked.next.max(Some(to));
                    break;
                }
                walked.next = Some(found.last.next());
                walked.batches.push(found);
                rest = after;
            }
        }
    }
    Ok(walked)
}

/// What the bytes begin with.
enum Step<'a> {
    /// A batch that is not there as a whole.
    Cut,
    /// A batch that would be more work than one portion may be.
    Spent,
    /// A batch that ends before what was asked for, and what follows it.
    Before(&'a [u8]),
    /// A batch, and what follows it.
    Batch(Batch, &'a [u8]),
}

fn step<'a>(
    rest: &'a [u8],
    from: Offset,
    next: Option<Offset>,
    budget: &mut usize,
) -> Known<Step<'a>> {
    let claimed = rest.first_chunk::<12>();
    let Some([.., a, b, c, d]) = claimed else {
        return Ok(Step::Cut);
    };
    if i32::from_be_bytes([*a, *b, *c, *d]) < 0 {
        return Err(damaged(from, "claims a negative length"));
    }
    let Some(prefix) = Prefix::read(rest) else {
        return Ok(Step::Cut);
    };
    let first = Offset(prefix.base_offset);
    if prefix.magic != 2 {
        // Also where it is cut off, as whoever asks again comes to the same bytes.
        return Err(Problem::new(
            ProblemKind::Unsupported,
            format!(
                "the records at offset {first} are in a format from before Kafka 0.11, which cannot be taken apart"
            ),
        ));
    }
    let Some((bytes, after)) = rest.split_at_checked(prefix.size) else {
        return Ok(Step::Cut);
    };
    if !batch::is_intact(bytes) {
        return Err(damaged(first, "has another checksum than its bytes"));
    }
    let header = Header::read(bytes).ok_or_else(|| damaged(first, "is shorter than its header"))?;
    let span = u32::try_from(header.last_offset_delta).ok();
    let last = span.and_then(|span| first.moved(i64::from(span)));
    let records = u32::try_from(header.count).ok();
    let (Some(span), Some(last), Some(records)) = (span, last, records) else {
        return Err(damaged(first, "contradicts itself"));
    };
    if first.0 < 0 || records > span.saturating_add(1) || next.is_some_and(|next| first < next) {
        return Err(damaged(first, "contradicts itself"));
    }
    if last < from {
        return Ok(Step::Before(after));
    }
    let inner = Inner {
        bytes,
        header,
        first,
        last,
        records,
    };
    let kind = inner.kind();
    let holes = if records > span {
        Ok(Vec::new())
    } else if records == 0 {
        Ok(vec![(first, last)])
    } else if *budget == 0 && next.is_some() {
        return Ok(Step::Spent);
    } else {
        inner.holes(budget)
    };
    let batch = Batch {
        first,
        last,
        records,
        kind,
        transactional: header.is_transactional(),
        producer: (header.producer_id >= 0).then_some(Producer {
            id: header.producer_id,
            epoch: header.producer_epoch,
            sequence: header.base_sequence,
        }),
        leader_epoch: prefix.leader_epoch,
        max_time: (header.max_timestamp >= 0).then_some(TimestampMs(header.max_timestamp)),
        holes,
    };
    Ok(Step::Batch(batch, after))
}

/// A batch whose header is sound.
struct Inner<'a> {
    bytes: &'a [u8],
    header: Header,
    first: Offset,
    last: Offset,
    records: u32,
}

impl Inner<'_> {
    /// What it holds. The type of a mark lies in its key, behind a version (Kafka, `ControlRecordType`); of a mark
    /// that compaction took nothing but the batch is left.
    fn kind(&self) -> BatchKind {
        if !self.header.is_control() {
            return BatchKind::Data;
        }
        // Marks are never compressed.
        let opened = (self.header.codec() == 0).then(|| batch::Batch::open(self.bytes));
        let opened = opened.flatten();
        let record = opened.as_ref().and_then(|opened| opened.records().next());
        let key = record.and_then(|record| record.key);
        match key.and_then(|key| key.first_chunk::<4>()) {
            Some([_, _, 0, 0]) => BatchKind::Abort,
            Some([_, _, 0, 1]) => BatchKind::Commit,
            Some([_, _, high, low]) => BatchKind::Control(i16::from_be_bytes([*high, *low])),
            None => BatchKind::Control(-1),
        }
    }

    /// The stretches between its first and last offset at which no record is.
    fn holes(&self, budget: &mut usize) -> Known<Vec<(Offset, Offset)>> {
        let first = self.first;
        let opened = batch::Batch::open(self.bytes).ok_or_else(|| {
            *budget = 0;
            Problem::new(
                ProblemKind::Malformed,
                format!(
                    "the batch at offset {first} cannot be decompressed, or is more than 64 MiB then"
                ),
            )
        })?;
        *budget = budget.saturating_sub(opened.size());
        let mut holes = Vec::new();
        let mut expected = first;
        let mut count = 0_u32;
        let mut records = opened.records();
        for record in records.by_ref() {
            let at = Offset(record.offset);
            if at < expected {
                return Err(damaged(first, "has records out of order"));
            }
            hole(&mut holes, expected, at);
            expected = at.next();
            count = count.saturating_add(1);
        }
        if count != self.records || !records.is_at_end() {
            return Err(damaged(first, "has records that cannot be read"));
        }
        hole(&mut holes, expected, self.last.next());
        Ok(holes)
    }
}

/// Adds the offsets from `from` up to before `to`, if there are any.
fn hole(holes: &mut Vec<(Offset, Offset)>, from: Offset, to: Offset) {
    if from < to {
        holes.push((from, Offset(to.0.saturating_sub(1))));
    }
}

fn damaged(at: Offset, how: &str) -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        format!("the batch at offset {at} {how}"),
    )
}

#[cfg(test)]
mod tests;
