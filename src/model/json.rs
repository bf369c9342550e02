//! A record as it is written in JSON, for scripts and for the clipboard.

use base64::Engine as _;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::{Header, Offset, PartitionId, Record, Text, TimestampMs, TimestampType, Visibility};

/// A record on a line of its own.
#[derive(Debug, Serialize)]
pub(crate) struct RecordLine<'a> {
    pub(crate) record: RecordView<'a>,
}

/// A record; names and order of the fields are a promise to scripts.
#[derive(Debug, Serialize)]
pub(crate) struct RecordView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: PartitionId,
    pub(crate) offset: Offset,
    pub(crate) timestamp_ms: Option<TimestampMs>,
    pub(crate) timestamp_type: Option<TimestampType>,
    pub(crate) key: BytesView<'a>,
    pub(crate) value: BytesView<'a>,
    pub(crate) headers: Vec<(&'a Text, BytesView<'a>)>,
    pub(crate) leader_epoch: Option<i32>,
    pub(crate) size: u64,
    pub(crate) visibility: Visibility,
}

impl<'a> RecordView<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let header = |header: &'a Header| (&header.name, BytesView(header.value.as_deref()));
        Self {
            topic: &record.topic,
            partition: record.partition,
            offset: record.offset,
            timestamp_ms: record.timestamp,
            timestamp_type: record.timestamp_type,
            key: BytesView(record.key.as_deref()),
            value: BytesView(record.value.as_deref()),
            headers: record.headers.iter().map(header).collect(),
            leader_epoch: record.leader_epoch,
            size: record.size(),
            visibility: record.visibility,
        }
    }
}

/// `null`, `{"text":"…"}` for valid UTF-8, else `{"base64":"…"}`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BytesView<'a>(pub(crate) Option<&'a [u8]>);

impl Serialize for BytesView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(bytes) = self.0 else {
            return serializer.serialize_none();
        };
        let mut map = serializer.serialize_map(Some(1))?;
        if let Ok(text) = std::str::from_utf8(bytes) {
            map.serialize_entry("text", text)?;
        } else {
            map.serialize_entry("base64", &base64::prelude::BASE64_STANDARD.encode(bytes))?;
        }
        map.end()
    }
}
