//! Record batches of format 2, as brokers keep and send them.
//!
//! The layout is that of Kafka's documentation, "Record Batch": 61 bytes that are never compressed, then the records.

use crate::bus::decompress;
use crate::model::{Batch, BatchKind, Known, Offset, Problem, ProblemKind, Producer, TimestampMs};

use super::cursor::Cursor;

/// Bytes of a batch before those that its length counts.
const BEFORE_LENGTH: usize = 12;
/// The least that a batch's length can be.
const LEAST: i32 = 49;

/// The batches in `bytes`; one that is cut off at the end is left out.
///
/// # Errors
/// They are of an older format, or none at all.
pub(super) fn batches(bytes: &[u8]) -> Known<Vec<Batch>> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(bytes);
    while cursor.rest().len() > BEFORE_LENGTH {
        let first = cursor.i64()?;
        let length = cursor.i32()?;
        if length < LEAST {
            return Err(older_or_none(&cursor));
        }
        let Ok(body) = cursor.take(usize::try_from(length).unwrap_or(usize::MAX)) else {
            break;
        };
        found.push(batch(first, body)?);
    }
    Ok(found)
}

fn older_or_none(cursor: &Cursor<'_>) -> Problem {
    let magic = cursor.rest().get(4).copied();
    match magic {
        Some(0 | 1) => old(),
        _ => malformed("a batch is shorter than its own head"),
    }
}

fn old() -> Problem {
    Problem::new(
        ProblemKind::Unsupported,
        "these records are of a format older than Kafka 0.11, which is not read here",
    )
}

fn malformed(words: &str) -> Problem {
    Problem::new(ProblemKind::Malformed, words)
}

fn batch(first: i64, body: &[u8]) -> Known<Batch> {
    let mut cursor = Cursor::new(body);
    let leader_epoch = cursor.i32()?;
    match cursor.i8()? {
        2 => {}
        0 | 1 => return Err(old()),
        magic => {
            return Err(Problem::new(
                ProblemKind::Unsupported,
                format!("a batch of format {magic} is not known here"),
            ));
        }
    }
    cursor.take(4)?;
    let attributes = cursor.i16()?;
    let span = cursor.i32()?;
    cursor.take(8)?;
    let max_time = cursor.i64()?;
    let producer = Producer {
        id: cursor.i64()?,
        epoch: cursor.i16()?,
        sequence: cursor.i32()?,
    };
    let records = u32::try_from(cursor.i32()?).unwrap_or(0);
    let last = first
        .checked_add(i64::from(span))
        .filter(|last| *last >= first)
        .ok_or_else(|| malformed("a batch ends before it begins"))?;
    let (first, last) = (Offset(first), Offset(last));
    let kind = if attributes & 0x20 == 0 {
        BatchKind::Data
    } else {
        control(cursor.rest())
    };
    let holes = holes((first, last), records, attributes & 7, cursor.rest());
    Ok(Batch {
        first,
        last,
        records,
        kind,
        transactional: attributes & 0x10 != 0,
        producer: (producer.id >= 0).then_some(producer),
        leader_epoch,
        max_time: (max_time >= 0).then_some(TimestampMs(max_time)),
        holes,
    })
}

/// What a control batch says: its one record's key holds a version and a type (Kafka, `ControlRecordType`).
fn control(records: &[u8]) -> BatchKind {
    let read = || -> Known<i16> {
        let mut cursor = Cursor::new(records);
        cursor.varlong()?;
        cursor.i8()?;
        cursor.varlong()?;
        cursor.varlong()?;
        cursor.varlong()?;
        cursor.i16()?;
        cursor.i16()
    };
    match read() {
        Ok(0) => BatchKind::Abort,
        Ok(1) => BatchKind::Commit,
        Ok(other) => BatchKind::Control(other),
        Err(_empty) => BatchKind::Control(-1),
    }
}

/// The stretches of the batch at which no record is left.
fn holes(
    (first, last): (Offset, Offset),
    records: u32,
    codec: i16,
    stored: &[u8],
) -> Known<Vec<(Offset, Offset)>> {
    let span = last.since(first).unwrap_or_default().saturating_add(1);
    if u64::from(records) == span {
        return Ok(Vec::new());
    }
    if records == 0 {
        return Ok(vec![(first, last)]);
    }
    let unpacked;
    let bytes = match codec {
        0 => stored,
        codec => {
            unpacked = decompress::records(codec, stored).ok_or_else(|| {
                malformed(
                    "a batch cannot be unpacked, so which of its offsets are left is not known",
                )
            })?;
            &unpacked
        }
    };
    let mut holes = Vec::new();
    let mut expected = first;
    let mut cursor = Cursor::new(bytes);
    for _ in 0..records {
        let length = usize::try_from(cursor.varlong()?)
            .map_err(|_negative| malformed("a record is shorter than nothing"))?;
        let mut record = Cursor::new(cursor.take(length)?);
        record.i8()?;
        record.varlong()?;
        let offset = first
            .moved(record.varlong()?)
            .filter(|offset| *offset >= expected && *offset <= last)
            .ok_or_else(|| malformed("a batch's records are out of order"))?;
        if let Some(before) = offset.moved(-1).filter(|before| *before >= expected) {
            holes.push((expected, before));
        }
        expected = offset.next();
    }
    if expected <= last {
        holes.push((expected, last));
    }
    Ok(holes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record with this offset delta and no key: length, attributes, time, offset, key −1, value −1, no headers.
    fn record(delta: i8) -> Vec<u8> {
        vec![12, 0, 0, (delta << 1).cast_unsigned(), 1, 1, 0]
    }

    fn whole(first: i64, attributes: i16, span: i32, count: i32, records: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(7_i32.to_be_bytes());
        body.push(2);
        body.extend([0; 4]);
        body.extend(attributes.to_be_bytes());
        body.extend(span.to_be_bytes());
        body.extend(10_i64.to_be_bytes());
        body.extend(20_i64.to_be_bytes());
        body.extend(9_i64.to_be_bytes());
        body.extend(3_i16.to_be_bytes());
        body.extend(4_i32.to_be_bytes());
        body.extend(count.to_be_bytes());
        body.extend(records);
        let mut batch = first.to_be_bytes().to_vec();
        batch.extend(i32::try_from(body.len()).unwrap().to_be_bytes());
        batch.extend(body);
        batch
    }

    fn stretch(from: i64, to: i64) -> (Offset, Offset) {
        (Offset(from), Offset(to))
    }

    #[test]
    fn a_head_is_read_in_full() {
        let records = [record(0), record(1)].concat();
        let found = batches(&whole(100, 0x10, 1, 2, &records)).unwrap();
        assert_eq!(
            found,
            [Batch {
                first: Offset(100),
                last: Offset(101),
                records: 2,
                kind: BatchKind::Data,
                transactional: true,
                producer: Some(Producer {
                    id: 9,
                    epoch: 3,
                    sequence: 4
                }),
                leader_epoch: 7,
                max_time: Some(TimestampMs(20)),
                holes: Ok(vec![]),
            }]
        );
    }

    #[test]
    fn offsets_that_are_gone_are_named_whatever_the_codec() {
        let records = [record(2), record(5)].concat();
        let expected = Ok(vec![stretch(10, 11), stretch(13, 14), stretch(16, 17)]);
        assert_eq!(
            batches(&whole(10, 0, 7, 2, &records)).unwrap()[0].holes,
            expected
        );
        let packed = zstd::encode_all(&*records, 1).unwrap();
        assert_eq!(
            batches(&whole(10, 4, 7, 2, &packed)).unwrap()[0].holes,
            expected
        );
        let emptied = batches(&whole(10, 0, 7, 0, &[])).unwrap();
        assert_eq!(emptied[0].holes, Ok(vec![stretch(10, 17)]));
        let damaged = batches(&whole(10, 4, 7, 2, b"no zstd")).unwrap();
        assert!(damaged[0].holes.is_err());
    }

    #[test]
    fn marks_say_what_became_of_the_transaction() {
        // Length, attributes, time, offset, key of four bytes: version 0, type.
        let mark = |kind: u8| vec![20, 0, 0, 0, 8, 0, 0, 0, kind, 1, 0];
        let kind = |records: &[u8]| batches(&whole(5, 0x30, 0, 1, records)).unwrap()[0].kind;
        assert_eq!(kind(&mark(0)), BatchKind::Abort);
        assert_eq!(kind(&mark(1)), BatchKind::Commit);
        assert_eq!(kind(&mark(4)), BatchKind::Control(4));
        assert_eq!(kind(&[]), BatchKind::Control(-1));
    }

    #[test]
    fn a_batch_that_is_cut_off_is_left_for_the_next_time() {
        let one = whole(0, 0, 0, 1, &record(0));
        let mut bytes = one.clone();
        bytes.extend(&one[..one.len() - 1]);
        assert_eq!(batches(&bytes).unwrap().len(), 1);
        assert_eq!(batches(&one[..30]).unwrap().len(), 0);
    }

    #[test]
    fn an_older_format_is_not_misread() {
        let mut old = whole(0, 0, 0, 1, &record(0));
        old[16] = 1;
        assert_eq!(batches(&old).unwrap_err().kind, ProblemKind::Unsupported);
    }

    #[test]
    fn damaged_bytes_never_panic() {
        let good = [
            whole(0, 0, 7, 2, &[record(2), record(5)].concat()),
            whole(8, 0x30, 0, 1, &[20]),
        ]
        .concat();
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..random.usize(1..6) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            bytes.truncate(random.usize(..=bytes.len()));
            drop(batches(&bytes));
        }
    }
}
