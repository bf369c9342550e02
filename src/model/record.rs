//! Records.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use super::{Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};

/// Who set a record's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum TimestampType {
    /// The producer.
    CreateTime,
    /// The broker, when it appended the record.
    LogAppendTime,
}

/// Whose records a reader is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Everything, withdrawn and not yet committed records included.
    #[default]
    ReadUncommitted,
    /// What careful readers see: no aborted records, nothing at or after the first open transaction.
    ReadCommitted,
}

/// What careful (`read_committed`) readers make of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// They are given it.
    Committed,
    /// They never are: its transaction was aborted.
    Aborted,
    /// Not yet: it lies at or after the first record of a transaction that is still open.
    Open,
    /// Not known.
    Unknown,
}

/// One header; names may repeat, and their order is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub name: Text,
    /// Its value; `None` is null, which differs from empty.
    pub value: Option<Bytes>,
}

/// A record as it lies on the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The topic it was read from.
    pub topic: TopicName,
    /// The partition it was read from.
    pub partition: PartitionId,
    /// Its offset.
    pub offset: Offset,
    /// Its time; `None` when it carries none.
    pub timestamp: Option<TimestampMs>,
    /// Who set its time; `None` when not known.
    pub timestamp_type: Option<TimestampType>,
    /// Its key; `None` is null, which differs from empty.
    pub key: Option<Bytes>,
    /// Its value; `None` is null (a tombstone in a compacted topic), which differs from empty.
    pub value: Option<Bytes>,
    /// Its headers in their order.
    pub headers: Vec<Header>,
    /// The leader epoch it was written in; `None` when not known.
    pub leader_epoch: Option<i32>,
    /// What careful readers make of it.
    pub visibility: Visibility,
}

impl Record {
    /// The partition it was read from.
    pub fn at(&self) -> TopicPartition {
        TopicPartition {
            topic: Arc::clone(&self.topic),
            partition: self.partition,
        }
    }

    /// Bytes of key, value, header names and header values together.
    pub fn size(&self) -> u64 {
        let len = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        let headers: usize = self
            .headers
            .iter()
            .map(|header| {
                header
                    .name
                    .as_bytes()
                    .len()
                    .saturating_add(len(&header.value))
            })
            .sum();
        let total = len(&self.key)
            .saturating_add(len(&self.value))
            .saturating_add(headers);
        u64::try_from(total).unwrap_or(u64::MAX)
    }
}

/// Position and time of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// Its offset.
    pub offset: Offset,
    /// Its time; `None` when it carries none.
    pub timestamp: Option<TimestampMs>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_counts_key_value_and_headers() {
        let record = Record {
            topic: "t".into(),
            partition: PartitionId(0),
            offset: Offset(0),
            timestamp: None,
            timestamp_type: None,
            key: Some(Bytes::from_static(b"abc")),
            value: None,
            headers: vec![
                Header {
                    name: Text::from("h"),
                    value: None,
                },
                Header {
                    name: Text::from("hh"),
                    value: Some(Bytes::from_static(b"1234")),
                },
            ],
            leader_epoch: None,
            visibility: Visibility::Unknown,
        };
        assert_eq!(record.size(), 3 + 1 + 2 + 4);
    }
}
