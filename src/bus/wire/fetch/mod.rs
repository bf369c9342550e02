//! `Fetch`: a stretch of one partition's log, as the broker keeps it.

use std::ops::RangeInclusive;
use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::{ApiKey, FetchRequest, TopicName};
use kafka_protocol::protocol::StrBytes;

use crate::model::{Aborted, Isolation, Known, Offset, TopicPartition};

use super::cursor::{Cursor, Malformed};
use super::question::{Question, unreadable};

/// What lies in this partition from here on? Asked by name: versions from 13 on ask by id. No broker stops at
/// version 4, and 5 is the first that tells the log start (Kafka 0.11).
#[derive(Clone, Debug)]
pub(in crate::bus) struct Fetch {
    /// The partition.
    pub(in crate::bus) at: TopicPartition,
    /// The first offset.
    pub(in crate::bus) from: Offset,
    /// How far: careful readers are told which transactions were aborted.
    pub(in crate::bus) isolation: Isolation,
    /// The most that is wanted; a batch that is larger comes whole.
    pub(in crate::bus) most_bytes: i32,
    /// How long the broker may wait when there is nothing.
    pub(in crate::bus) wait: Duration,
}

/// What a broker answers.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::bus) struct Fetched {
    /// How long the broker makes us wait because we read more than it allows.
    pub(in crate::bus) throttled: Duration,
    /// The partition; `None` when it answers nothing about it, which it does while it makes us wait.
    pub(in crate::bus) part: Option<FetchedPart>,
}

/// A partition in an answer. Ends are below 0 where the broker does not tell them.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::bus) struct FetchedPart {
    /// The broker's error code; 0 for none.
    pub(in crate::bus) code: i16,
    pub(in crate::bus) high_watermark: i64,
    pub(in crate::bus) last_stable: i64,
    pub(in crate::bus) log_start: i64,
    /// The transactions that were aborted and reach into the records.
    pub(in crate::bus) aborted: Vec<Aborted>,
    /// Batches, of which the last may be cut off.
    pub(in crate::bus) records: Bytes,
}

impl Question for Fetch {
    type Request = FetchRequest;
    type Answer = Fetched;
    const KEY: ApiKey = ApiKey::Fetch;
    const VERSIONS: RangeInclusive<i16> = 5..=11;
    const LACKING: &'static str = "does not hand out its batches in a form that is understood here";

    fn request(&self, _version: i16) -> FetchRequest {
        let partition = FetchPartition::default()
            .with_partition(self.at.partition.0)
            .with_fetch_offset(self.from.0)
            .with_partition_max_bytes(self.most_bytes);
        let topic = FetchTopic::default()
            .with_topic(TopicName(StrBytes::from_string(self.at.topic.to_string())))
            .with_partitions(vec![partition]);
        let careful = self.isolation == Isolation::ReadCommitted;
        FetchRequest::default()
            .with_max_wait_ms(i32::try_from(self.wait.as_millis()).unwrap_or(i32::MAX))
            .with_min_bytes(i32::from(!self.wait.is_zero()))
            .with_max_bytes(self.most_bytes)
            .with_isolation_level(i8::from(careful))
            .with_topics(vec![topic])
    }

    fn read(&self, version: i16, body: Bytes) -> Known<Fetched> {
        self.answer(version, &body)
            .map_err(unreadable("records of a partition"))
    }

    fn pause(answer: &Fetched) -> Duration {
        answer.throttled
    }
}

impl Fetch {
    fn answer(&self, version: i16, body: &Bytes) -> Result<Fetched, Malformed> {
        let mut cursor = Cursor::new(body);
        let throttled = u64::try_from(cursor.i32()?).unwrap_or(0);
        let whole = if version >= 7 {
            let code = cursor.i16()?;
            cursor.i32()?;
            code
        } else {
            0
        };
        let topics = cursor.each(6, |cursor| {
            let topic = cursor.text()?;
            let parts = cursor.each(38, |cursor| Self::part(version, body, cursor))?;
            Ok((topic, parts))
        })?;
        let own = topics
            .into_iter()
            .filter(|(topic, _)| *topic == &*self.at.topic)
            .flat_map(|(_, parts)| parts)
            .find(|(number, _)| *number == self.at.partition.0)
            .map(|(_, part)| part);
        // An error of the whole request is one of its only partition.
        let part = if whole == 0 {
            own
        } else {
            Some(FetchedPart {
                code: whole,
                high_watermark: -1,
                last_stable: -1,
                log_start: -1,
                aborted: Vec::new(),
                records: Bytes::new(),
            })
        };
        Ok(Fetched {
            throttled: Duration::from_millis(throttled),
            part,
        })
    }

    fn part(
        version: i16,
        body: &Bytes,
        cursor: &mut Cursor<'_>,
    ) -> Result<(i32, FetchedPart), Malformed> {
        let number = cursor.i32()?;
        let code = cursor.i16()?;
        let high_watermark = cursor.i64()?;
        let last_stable = cursor.i64()?;
        let log_start = cursor.i64()?;
        let aborted = cursor.each(16, |cursor| {
            Ok(Aborted {
                producer: cursor.i64()?,
                first: Offset(cursor.i64()?),
            })
        })?;
        if version >= 11 {
            cursor.i32()?;
        }
        let records = cursor.nullable_bytes()?.unwrap_or_default();
        Ok((
            number,
            FetchedPart {
                code,
                high_watermark,
                last_stable,
                log_start,
                aborted,
                records: body.slice_ref(records),
            },
        ))
    }
}

#[cfg(test)]
mod tests;
