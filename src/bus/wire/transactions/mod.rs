//! `DescribeProducers`, `ListTransactions`, `DescribeTransactions`: who has a transaction open, and what its
//! coordinator knows of it.

use std::ops::RangeInclusive;

use bytes::Bytes;
use kafka_protocol::messages::describe_producers_request::TopicRequest;
use kafka_protocol::messages::{
    ApiKey, DescribeProducersRequest, DescribeTransactionsRequest, ListTransactionsRequest,
    ProducerId, TopicName, TransactionalId,
};
use kafka_protocol::protocol::StrBytes;

use crate::model::{Known, TopicPartition};

use super::cursor::{Cursor, Malformed};
use super::question::{Question, by_topic, unreadable};

/// Which producers do these partitions remember? Each partition may be asked about once.
pub(in crate::bus) struct Producers(pub(in crate::bus) Vec<TopicPartition>);

/// The producers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bus) struct ProducersOf {
    /// The partition.
    pub(in crate::bus) at: TopicPartition,
    /// The broker's error code; 0 for none.
    pub(in crate::bus) code: i16,
    /// The producers.
    pub(in crate::bus) producers: Vec<ActiveProducer>,
}

/// A producer that a partition remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bus) struct ActiveProducer {
    pub(in crate::bus) id: i64,
    pub(in crate::bus) epoch: i32,
    /// When it last wrote, in epoch milliseconds; −1 when that is not known.
    pub(in crate::bus) last_time: i64,
    /// Where its open transaction begins; −1 when none is open.
    pub(in crate::bus) open_from: i64,
}

impl Question for Producers {
    type Request = DescribeProducersRequest;
    type Answer = Vec<ProducersOf>;
    const KEY: ApiKey = ApiKey::DescribeProducers;
    const VERSIONS: RangeInclusive<i16> = 0..=0;
    const LACKING: &'static str = "is too old to tell who writes (Kafka does since 2.8)";

    fn request(&self, _version: i16) -> DescribeProducersRequest {
        let places = self.0.iter().map(|at| (&*at.topic, at.partition.0));
        let topics = by_topic(places).into_iter().map(|(topic, partitions)| {
            TopicRequest::default()
                .with_name(TopicName(StrBytes::from_string(topic)))
                .with_partition_indexes(partitions)
        });
        DescribeProducersRequest::default().with_topics(topics.collect())
    }

    fn read(&self, _version: i16, body: Bytes) -> Known<Vec<ProducersOf>> {
        producers(&body).map_err(unreadable("producers"))
    }
}

fn producers(body: &[u8]) -> Result<Vec<ProducersOf>, Malformed> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    let topics = cursor.compact_each(3, |cursor| {
        let topic = cursor.compact_text()?;
        let partitions = cursor.compact_each(9, |cursor| {
            let partition = cursor.i32()?;
            let code = cursor.i16()?;
            cursor.compact_nullable_text()?;
            let producers = cursor.compact_each(37, active_producer)?;
            cursor.tagged_fields()?;
            Ok(ProducersOf {
                at: TopicPartition::new(topic, partition),
                code,
                producers,
            })
        })?;
        cursor.tagged_fields()?;
        Ok(partitions)
    })?;
    cursor.tagged_fields()?;
    Ok(topics.into_iter().flatten().collect())
}

fn active_producer(cursor: &mut Cursor<'_>) -> Result<ActiveProducer, Malformed> {
    let id = cursor.i64()?;
    let epoch = cursor.i32()?;
    cursor.i32()?;
    let last_time = cursor.i64()?;
    cursor.i32()?;
    let open_from = cursor.i64()?;
    cursor.tagged_fields()?;
    Ok(ActiveProducer {
        id,
        epoch,
        last_time,
        open_from,
    })
}

/// Which transactions of these producers does this broker coordinate? It leaves those out, without a word, that we
/// may not see.
pub(in crate::bus) struct ListTransactions(pub(in crate::bus) Vec<i64>);

/// The transactions that a broker lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bus) struct ListedTransactions {
    /// The broker's error code; 0 for none.
    pub(in crate::bus) code: i16,
    /// Transactional id and producer id.
    pub(in crate::bus) listed: Vec<(String, i64)>,
}

impl Question for ListTransactions {
    type Request = ListTransactionsRequest;
    type Answer = ListedTransactions;
    const KEY: ApiKey = ApiKey::ListTransactions;
    const VERSIONS: RangeInclusive<i16> = 0..=0;
    const LACKING: &'static str = "is too old to list transactions (Kafka does since 3.0)";

    fn request(&self, _version: i16) -> ListTransactionsRequest {
        let producers = self.0.iter().copied().map(ProducerId).collect();
        ListTransactionsRequest::default().with_producer_id_filters(producers)
    }

    fn read(&self, _version: i16, body: Bytes) -> Known<ListedTransactions> {
        listed(&body).map_err(unreadable("transactions"))
    }
}

fn listed(body: &[u8]) -> Result<ListedTransactions, Malformed> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    let code = cursor.i16()?;
    cursor.compact_each(1, |cursor| cursor.compact_text().map(|_state| ()))?;
    let listed = cursor.compact_each(11, |cursor| {
        let id = cursor.compact_text()?.to_owned();
        let producer = cursor.i64()?;
        cursor.compact_text()?;
        cursor.tagged_fields()?;
        Ok((id, producer))
    })?;
    cursor.tagged_fields()?;
    Ok(ListedTransactions { code, listed })
}

/// What does this broker know of these transactional ids?
pub(in crate::bus) struct DescribeTransactions(pub(in crate::bus) Vec<String>);

/// A transaction as its coordinator describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bus) struct DescribedTransaction {
    /// The broker's error code; 0 for none.
    pub(in crate::bus) code: i16,
    pub(in crate::bus) id: String,
    pub(in crate::bus) state: String,
    pub(in crate::bus) timeout_ms: i32,
    /// When it began, in epoch milliseconds; −1 when none is open.
    pub(in crate::bus) started: i64,
    pub(in crate::bus) producer: i64,
    /// The partitions that belong to it.
    pub(in crate::bus) partitions: Vec<TopicPartition>,
}

impl Question for DescribeTransactions {
    type Request = DescribeTransactionsRequest;
    type Answer = Vec<DescribedTransaction>;
    const KEY: ApiKey = ApiKey::DescribeTransactions;
    const VERSIONS: RangeInclusive<i16> = 0..=0;
    const LACKING: &'static str = "is too old to describe transactions (Kafka does since 3.0)";

    fn request(&self, _version: i16) -> DescribeTransactionsRequest {
        let ids = self.0.iter().cloned();
        let ids = ids.map(|id| TransactionalId(StrBytes::from_string(id)));
        DescribeTransactionsRequest::default().with_transactional_ids(ids.collect())
    }

    fn read(&self, _version: i16, body: Bytes) -> Known<Vec<DescribedTransaction>> {
        described(&body).map_err(unreadable("transactions"))
    }
}

fn described(body: &[u8]) -> Result<Vec<DescribedTransaction>, Malformed> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    let described = cursor.compact_each(28, |cursor| {
        let code = cursor.i16()?;
        let id = cursor.compact_text()?.to_owned();
        let state = cursor.compact_text()?.to_owned();
        let timeout_ms = cursor.i32()?;
        let started = cursor.i64()?;
        let producer = cursor.i64()?;
        cursor.i16()?;
        let topics = cursor.compact_each(3, |cursor| {
            let topic = cursor.compact_text()?;
            let partitions =
                cursor.compact_each(4, |cursor| Ok(TopicPartition::new(topic, cursor.i32()?)))?;
            cursor.tagged_fields()?;
            Ok(partitions)
        })?;
        cursor.tagged_fields()?;
        Ok(DescribedTransaction {
            code,
            id,
            state,
            timeout_ms,
            started,
            producer,
            partitions: topics.into_iter().flatten().collect(),
        })
    })?;
    cursor.tagged_fields()?;
    Ok(described)
}

#[cfg(test)]
mod tests;
