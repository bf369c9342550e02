//! Record batches of format version 2, as bytes: reading their headers and records, and making them.
//!
//! Source: `org.apache.kafka.common.record.DefaultRecordBatch` and `DefaultRecord`.

use std::borrow::Cow;

use bytes::{BufMut as _, Bytes, BytesMut};

use crate::bus::decompress;

/// The size of a batch's header, in bytes; its records follow.
pub(super) const HEADER: usize = 61;

const COMPRESSION: i16 = 0x07;
const LOG_APPEND_TIME: i16 = 0x08;
const TRANSACTIONAL: i16 = 0x10;
const CONTROL: i16 = 0x20;

/// Why bytes are no batch that the broker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Cut off, or lengths and counts that contradict one another.
    Malformed,
    /// An older record format.
    OldFormat,
    /// The checksum does not match.
    Checksum,
}

/// A batch's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) base_offset: i64,
    pub(super) attributes: i16,
    pub(super) last_offset_delta: i32,
    pub(super) base_timestamp: i64,
    pub(super) max_timestamp: i64,
    pub(super) producer_id: i64,
    pub(super) producer_epoch: i16,
    pub(super) base_sequence: i32,
    pub(super) count: i32,
}

impl Header {
    /// Reads the header without looking at the records.
    pub(super) fn read(batch: &[u8]) -> Option<Self> {
        Some(Self {
            base_offset: i64::from_be_bytes(bytes_at(batch, 0)?),
            attributes: i16::from_be_bytes(bytes_at(batch, 21)?),
            last_offset_delta: i32::from_be_bytes(bytes_at(batch, 23)?),
            base_timestamp: i64::from_be_bytes(bytes_at(batch, 27)?),
            max_timestamp: i64::from_be_bytes(bytes_at(batch, 35)?),
            producer_id: i64::from_be_bytes(bytes_at(batch, 43)?),
            producer_epoch: i16::from_be_bytes(bytes_at(batch, 51)?),
            base_sequence: i32::from_be_bytes(bytes_at(batch, 53)?),
            count: i32::from_be_bytes(bytes_at(batch, 57)?),
        })
    }

    /// The number of the codec that the records are compressed with; 0 is none.
    fn codec(&self) -> i16 {
        self.attributes & COMPRESSION
    }

    /// The same header for records that are not compressed.
    pub(super) fn uncompressed(self) -> Self {
        Self {
            attributes: self.attributes & !COMPRESSION,
            ..self
        }
    }

    /// Whether the records belong to a transaction.
    pub(super) fn is_transactional(&self) -> bool {
        self.attributes & TRANSACTIONAL != 0
    }

    /// Whether the batch holds a transaction marker instead of records.
    pub(super) fn is_control(&self) -> bool {
        self.attributes & CONTROL != 0
    }

    /// Whether every record has the batch's largest timestamp, which the broker set.
    pub(super) fn is_log_append_time(&self) -> bool {
        self.attributes & LOG_APPEND_TIME != 0
    }
}

/// Checks what a producer sent: exactly one batch, sound in itself.
pub(super) fn validate(batch: &[u8]) -> Result<Header, Refused> {
    let header = Header::read(batch).ok_or(Refused::Malformed)?;
    if batch.get(16).copied() != Some(2) {
        return Err(Refused::OldFormat);
    }
    let length = i32::from_be_bytes(bytes_at(batch, 8).ok_or(Refused::Malformed)?);
    let whole = usize::try_from(length)
        .ok()
        .and_then(|length| length.checked_add(12));
    if whole != Some(batch.len()) || header.count < 1 {
        return Err(Refused::Malformed);
    }
    if header.last_offset_delta.checked_add(1) != Some(header.count) {
        return Err(Refused::Malformed);
    }
    let stored = u32::from_be_bytes(bytes_at(batch, 17).ok_or(Refused::Malformed)?);
    let covered = batch.get(21..).ok_or(Refused::Malformed)?;
    if crc32c::crc32c(covered) != stored {
        return Err(Refused::Checksum);
    }
    let opened = Batch::open(batch).ok_or(Refused::Malformed)?;
    let mut records = opened.records();
    let read = records.by_ref().count();
    if i32::try_from(read) != Ok(header.count) || !records.rest.is_empty() {
        return Err(Refused::Malformed);
    }
    Ok(header)
}

/// The batch with its place in the log written in; with `append_time` its timestamps become that time.
pub(super) fn placed(
    batch: &[u8],
    base_offset: i64,
    epoch: i32,
    append_time: Option<i64>,
) -> Option<Bytes> {
    let mut placed = BytesMut::with_capacity(batch.len());
    placed.put_i64(base_offset);
    placed.put_slice(batch.get(8..12)?);
    placed.put_i32(epoch);
    let Some(time) = append_time else {
        placed.put_slice(batch.get(16..)?);
        return Some(placed.freeze());
    };
    let header = Header::read(batch)?;
    let mut covered = BytesMut::with_capacity(batch.len());
    covered.put_i16(header.attributes | LOG_APPEND_TIME);
    covered.put_slice(batch.get(23..35)?);
    covered.put_i64(time);
    covered.put_slice(batch.get(43..)?);
    placed.put_slice(batch.get(16..17)?);
    placed.put_u32(crc32c::crc32c(&covered));
    placed.put_slice(&covered);
    Some(placed.freeze())
}

/// One record inside a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordView<'a> {
    /// Its offset in the partition.
    pub(super) offset: i64,
    /// Its timestamp, epoch milliseconds.
    pub(super) timestamp: i64,
    /// Its key.
    pub(super) key: Option<&'a [u8]>,
    /// Its value; `None` is a tombstone.
    pub(super) value: Option<&'a [u8]>,
    /// The whole record as it lies in the batch, its length included.
    pub(super) raw: &'a [u8],
}

/// A batch that was opened: its header, and its records as they are when nothing is compressed.
pub(super) struct Batch<'a> {
    pub(super) header: Header,
    content: Cow<'a, [u8]>,
}

impl<'a> Batch<'a> {
    /// `None` when it is cut off, or cannot be decompressed.
    pub(super) fn open(batch: &'a [u8]) -> Option<Self> {
        let header = Header::read(batch)?;
        let stored = batch.get(HEADER..)?;
        let content = match header.codec() {
            0 => Cow::Borrowed(stored),
            codec => Cow::Owned(decompress::records(codec, stored)?),
        };
        Some(Self { header, content })
    }

    /// Its records, up to the first that is malformed.
    pub(super) fn records(&self) -> Records<'_> {
        Records {
            header: self.header,
            rest: &self.content,
        }
    }
}

/// The records of a batch, one after another.
pub(super) struct Records<'a> {
    header: Header,
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    fn read(&self) -> Option<(RecordView<'a>, &'a [u8])> {
        let mut reader = self.rest;
        let length = usize::try_from(read_varint(&mut reader)?).ok()?;
        let (mut body, after) = reader.split_at_checked(length)?;
        let raw_length = self.rest.len().checked_sub(after.len())?;
        let raw = self.rest.get(..raw_length)?;
        body = body.get(1..)?;
        let timestamp_delta = read_varint(&mut body)?;
        let offset_delta = read_varint(&mut body)?;
        let key = read_bytes(&mut body).ok()?;
        let value = read_bytes(&mut body).ok()?;
        let headers = usize::try_from(read_varint(&mut body)?).ok()?;
        for _ in 0..headers {
            read_bytes(&mut body).ok()??;
            read_bytes(&mut body).ok()?;
        }
        if !body.is_empty()
            || !(0..=i64::from(self.header.last_offset_delta)).contains(&offset_delta)
        {
            return None;
        }
        let timestamp = if self.header.is_log_append_time() {
            self.header.max_timestamp
        } else {
            self.header.base_timestamp.checked_add(timestamp_delta)?
        };
        let record = RecordView {
            offset: self.header.base_offset.checked_add(offset_delta)?,
            timestamp,
            key,
            value,
            raw,
        };
        Some((record, after))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = RecordView<'a>;

    fn next(&mut self) -> Option<RecordView<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (record, rest) = self.read()?;
        self.rest = rest;
        Some(record)
    }
}

/// A record's header on its way into a batch: a name, and bytes or null.
pub(super) type RecordHeader<'a> = (&'a str, Option<&'a [u8]>);

/// Who wrote a batch, for idempotent and transactional producers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Producer {
    pub(super) id: i64,
    pub(super) epoch: i16,
    pub(super) base_sequence: i32,
    pub(super) transactional: bool,
}

/// Collects records into one uncompressed batch.
pub(super) struct Builder {
    base_timestamp: i64,
    max_timestamp: i64,
    last_offset_delta: i32,
    count: i32,
    attributes: i16,
    producer: Option<Producer>,
    records: Vec<u8>,
    scratch: Vec<u8>,
}

impl Builder {
    /// A batch whose first record has this timestamp.
    pub(super) fn new(base_timestamp: i64) -> Self {
        Self {
            base_timestamp,
            max_timestamp: base_timestamp,
            last_offset_delta: 0,
            count: 0,
            attributes: 0,
            producer: None,
            records: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Names the producer.
    pub(super) fn by(mut self, producer: Producer) -> Self {
        if producer.transactional {
            self.attributes |= TRANSACTIONAL;
        }
        self.producer = Some(producer);
        self
    }

    /// How many records are in it.
    pub(super) fn len(&self) -> i32 {
        self.count
    }

    /// The size of its records so far, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.records.len()
    }

    /// Adds a record at the next offset.
    pub(super) fn push(
        &mut self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[RecordHeader<'_>],
    ) {
        let body = &mut self.scratch;
        body.clear();
        body.push(0);
        put_varint(body, timestamp.saturating_sub(self.base_timestamp));
        put_varint(body, i64::from(self.count));
        put_bytes(body, key);
        put_bytes(body, value);
        put_length(body, headers.len());
        for (name, value) in headers {
            put_bytes(body, Some(name.as_bytes()));
            put_bytes(body, *value);
        }
        put_length(&mut self.records, self.scratch.len());
        self.records.extend_from_slice(&self.scratch);
        self.max_timestamp = self.max_timestamp.max(timestamp);
        self.last_offset_delta = self.count;
        self.count = self.count.saturating_add(1);
    }

    /// The batch's bytes.
    pub(super) fn finish(self, base_offset: i64) -> Bytes {
        let header = Header {
            base_offset,
            attributes: self.attributes,
            last_offset_delta: self.last_offset_delta,
            base_timestamp: self.base_timestamp,
            max_timestamp: self.max_timestamp,
            producer_id: self.producer.map_or(-1, |producer| producer.id),
            producer_epoch: self.producer.map_or(-1, |producer| producer.epoch),
            base_sequence: self.producer.map_or(-1, |producer| producer.base_sequence),
            count: self.count,
        };
        assemble(&header, &self.records)
    }
}

/// A batch of these record bytes.
pub(super) fn assemble(header: &Header, records: &[u8]) -> Bytes {
    let mut covered = BytesMut::with_capacity(records.len().saturating_add(HEADER));
    covered.put_i16(header.attributes);
    covered.put_i32(header.last_offset_delta);
    covered.put_i64(header.base_timestamp);
    covered.put_i64(header.max_timestamp);
    covered.put_i64(header.producer_id);
    covered.put_i16(header.producer_epoch);
    covered.put_i32(header.base_sequence);
    covered.put_i32(header.count);
    covered.put_slice(records);
    let mut batch = BytesMut::with_capacity(covered.len().saturating_add(21));
    batch.put_i64(header.base_offset);
    batch.put_i32(i32::try_from(covered.len().saturating_add(9)).unwrap_or(i32::MAX));
    batch.put_i32(0);
    batch.put_u8(2);
    batch.put_u32(crc32c::crc32c(&covered));
    batch.put_slice(&covered);
    batch.freeze()
}

/// A transaction's marker: the control batch that ends it in one partition.
pub(super) fn marker(producer_id: i64, epoch: i16, committed: bool, timestamp: i64) -> Bytes {
    let mut builder = Builder::new(timestamp).by(Producer {
        id: producer_id,
        epoch,
        base_sequence: -1,
        transactional: true,
    });
    builder.attributes |= CONTROL;
    let key = [0, 0, 0, u8::from(committed)];
    let coordinator_epoch_0 = [0; 6];
    builder.push(timestamp, Some(&key), Some(&coordinator_epoch_0), &[]);
    builder.finish(0)
}

fn bytes_at<const N: usize>(batch: &[u8], at: usize) -> Option<[u8; N]> {
    batch.get(at..)?.first_chunk::<N>().copied()
}

fn put_length(out: &mut Vec<u8>, length: usize) {
    put_varint(out, i64::try_from(length).unwrap_or(i64::MAX));
}

fn put_bytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => put_varint(out, -1),
        Some(bytes) => {
            put_length(out, bytes.len());
            out.extend_from_slice(bytes);
        }
    }
}

fn put_varint(out: &mut Vec<u8>, value: i64) {
    let mut zigzag = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while zigzag >= 0x80 {
        out.push(zigzag.to_le_bytes()[0] | 0x80);
        zigzag >>= 7;
    }
    out.push(zigzag.to_le_bytes()[0]);
}

fn read_varint(bytes: &mut &[u8]) -> Option<i64> {
    let mut value = 0_u64;
    for shift in (0..70).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if *byte < 0x80 {
            let half = (value >> 1).cast_signed();
            return Some(half ^ -((value & 1).cast_signed()));
        }
    }
    None
}

/// Bytes that contradict themselves.
struct Malformed;

/// A length and that many bytes, or null.
fn read_bytes<'a>(bytes: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Malformed> {
    let length = read_varint(bytes).ok_or(Malformed)?;
    if length == -1 {
        return Ok(None);
    }
    let length = usize::try_from(length).map_err(|_negative| Malformed)?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or(Malformed)?;
    *bytes = rest;
    Ok(Some(taken))
}
