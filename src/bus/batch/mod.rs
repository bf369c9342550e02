//! Record batches of format version 2, as bytes: reading their headers and records.
//!
//! The demo bus keeps them as they are, and the raw client reads them out of answers. Nothing that a batch claims is
//! believed: each length is compared with the bytes that are there.
//!
//! Source: `org.apache.kafka.common.record.DefaultRecordBatch` and `DefaultRecord`.

mod decompress;

use std::borrow::Cow;

/// The size of a batch's header, in bytes; its records follow.
pub(in crate::bus) const HEADER: usize = 61;

const COMPRESSION: i16 = 0x07;
/// The bit of the attributes that says that the broker set the times.
pub(in crate::bus) const LOG_APPEND_TIME: i16 = 0x08;
/// The bit of the attributes for records of a transaction.
pub(in crate::bus) const TRANSACTIONAL: i16 = 0x10;
/// The bit of the attributes for marks.
pub(in crate::bus) const CONTROL: i16 = 0x20;

/// What a batch begins with. Offset, size and magic lie in the same places in every record format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bus) struct Prefix {
    pub(in crate::bus) base_offset: i64,
    /// How many bytes the whole batch takes, as it says.
    pub(in crate::bus) size: usize,
    /// The leader epoch in which it was written; only in format 2.
    pub(in crate::bus) leader_epoch: i32,
    /// The record format.
    pub(in crate::bus) magic: u8,
}

impl Prefix {
    /// `None` when it is cut off, or claims a negative size.
    pub(in crate::bus) fn read(batch: &[u8]) -> Option<Self> {
        let length = usize::try_from(i32::from_be_bytes(bytes_at(batch, 8)?)).ok()?;
        Some(Self {
            base_offset: i64::from_be_bytes(bytes_at(batch, 0)?),
            size: length.checked_add(12)?,
            leader_epoch: i32::from_be_bytes(bytes_at(batch, 12)?),
            magic: *batch.get(16)?,
        })
    }
}

/// Whether a batch's checksum is that of its bytes. It covers everything from the attributes on.
pub(in crate::bus) fn is_intact(batch: &[u8]) -> bool {
    let stored = bytes_at(batch, 17).map(u32::from_be_bytes);
    let covered = batch.get(21..);
    covered.is_some_and(|covered| stored == Some(crc32c::crc32c(covered)))
}

/// A batch's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bus) struct Header {
    pub(in crate::bus) base_offset: i64,
    pub(in crate::bus) attributes: i16,
    pub(in crate::bus) last_offset_delta: i32,
    pub(in crate::bus) base_timestamp: i64,
    pub(in crate::bus) max_timestamp: i64,
    pub(in crate::bus) producer_id: i64,
    pub(in crate::bus) producer_epoch: i16,
    pub(in crate::bus) base_sequence: i32,
    pub(in crate::bus) count: i32,
}

impl Header {
    /// Reads the header without looking at the records.
    pub(in crate::bus) fn read(batch: &[u8]) -> Option<Self> {
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
    pub(in crate::bus) fn codec(&self) -> i16 {
        self.attributes & COMPRESSION
    }

    /// The same header for records that are not compressed.
    pub(in crate::bus) fn uncompressed(self) -> Self {
        Self {
            attributes: self.attributes & !COMPRESSION,
            ..self
        }
    }

    /// Whether the records belong to a transaction.
    pub(in crate::bus) fn is_transactional(&self) -> bool {
        self.attributes & TRANSACTIONAL != 0
    }

    /// Whether the batch holds a transaction marker instead of records.
    pub(in crate::bus) fn is_control(&self) -> bool {
        self.attributes & CONTROL != 0
    }

    /// Whether every record has the batch's largest timestamp, which the broker set.
    pub(in crate::bus) fn is_log_append_time(&self) -> bool {
        self.attributes & LOG_APPEND_TIME != 0
    }
}

/// One record inside a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bus) struct RecordView<'a> {
    /// Its offset in the partition.
    pub(in crate::bus) offset: i64,
    /// Its timestamp, epoch milliseconds.
    pub(in crate::bus) timestamp: i64,
    /// Its key.
    pub(in crate::bus) key: Option<&'a [u8]>,
    /// Its value; `None` is a tombstone.
    pub(in crate::bus) value: Option<&'a [u8]>,
    /// The whole record as it lies in the batch, its length included.
    pub(in crate::bus) raw: &'a [u8],
}

/// A batch that was opened: its header, and its records as they are when nothing is compressed.
pub(in crate::bus) struct Batch<'a> {
    pub(in crate::bus) header: Header,
    content: Cow<'a, [u8]>,
}

impl<'a> Batch<'a> {
    /// `None` when it is cut off, or cannot be decompressed.
    pub(in crate::bus) fn open(batch: &'a [u8]) -> Option<Self> {
        let header = Header::read(batch)?;
        let stored = batch.get(HEADER..)?;
        let content = match header.codec() {
            0 => Cow::Borrowed(stored),
            codec => Cow::Owned(decompress::records(codec, stored)?),
        };
        Some(Self { header, content })
    }

    /// How many bytes its records take once they are decompressed.
    pub(in crate::bus) fn size(&self) -> usize {
        self.content.len()
    }

    /// Its records, up to the first that is malformed.
    pub(in crate::bus) fn records(&self) -> Records<'_> {
        Records {
            header: self.header,
            rest: &self.content,
        }
    }
}

/// The records of a batch, one after another.
pub(in crate::bus) struct Records<'a> {
    header: Header,
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    /// Whether there is nothing behind the last record that came.
    pub(in crate::bus) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

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

fn bytes_at<const N: usize>(batch: &[u8], at: usize) -> Option<[u8; N]> {
    batch.get(at..)?.first_chunk::<N>().copied()
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
