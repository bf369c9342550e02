//! Record batches of format version 2, as bytes: checking what producers send, and making batches.
//!
//! Source: `org.apache.kafka.common.record.DefaultRecordBatch` and `DefaultRecord`.

use bytes::{BufMut as _, Bytes, BytesMut};

pub(super) use crate::bus::batch::{Batch, Header};
use crate::bus::batch::{CONTROL, HEADER, LOG_APPEND_TIME, Prefix, TRANSACTIONAL, is_intact};

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

/// Checks what a producer sent: exactly one batch, sound in itself.
pub(super) fn validate(batch: &[u8]) -> Result<Header, Refused> {
    let header = Header::read(batch).ok_or(Refused::Malformed)?;
    let prefix = Prefix::read(batch).ok_or(Refused::Malformed)?;
    if prefix.magic != 2 {
        return Err(Refused::OldFormat);
    }
    if prefix.size != batch.len() || header.count < 1 {
        return Err(Refused::Malformed);
    }
    if header.last_offset_delta.checked_add(1) != Some(header.count) {
        return Err(Refused::Malformed);
    }
    if !is_intact(batch) {
        return Err(Refused::Checksum);
    }
    let opened = Batch::open(batch).ok_or(Refused::Malformed)?;
    let mut records = opened.records();
    let read = records.by_ref().count();
    if i32::try_from(read) != Ok(header.count) || !records.is_at_end() {
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
