//! Open transactions: `DescribeProducers`, `ListTransactions`, `DescribeTransactions`, all of version 0; and where leader
//! epochs end: `OffsetForLeaderEpoch`.

use std::collections::BTreeMap;

use kafka_protocol::messages::describe_producers_request::TopicRequest;
use kafka_protocol::messages::offset_for_leader_epoch_request::{
    OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use kafka_protocol::messages::{
    ApiKey, DescribeProducersRequest, DescribeTransactionsRequest, ListTransactionsRequest,
    OffsetForLeaderEpochRequest, TopicName as WireTopic, TransactionalId,
};
use kafka_protocol::protocol::StrBytes;

use crate::model::{Known, Offset, PartitionId, TimestampMs, TopicPartition, TransactionState};

use super::connection::Connection;
use super::cursor::Cursor;
use super::errors;

/// A producer that is known to a partition's leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bus) struct ActiveProducer {
    /// Its id.
    pub(in crate::bus) id: i64,
    /// How often that id was taken over.
    pub(in crate::bus) epoch: i32,
    /// When it last wrote there.
    pub(in crate::bus) last_write: Option<TimestampMs>,
    /// The first offset of its open transaction there; `None` without one.
    pub(in crate::bus) open_from: Option<Offset>,
}

/// What is answered of each partition.
pub(in crate::bus) type ByPartition<T> = BTreeMap<TopicPartition, Known<T>>;

fn by_topic(at: &[TopicPartition]) -> BTreeMap<&str, Vec<PartitionId>> {
    let mut topics: BTreeMap<&str, Vec<PartitionId>> = BTreeMap::new();
    for at in at {
        topics.entry(&at.topic).or_default().push(at.partition);
    }
    topics
}

fn wire_name(topic: &str) -> WireTopic {
    WireTopic(StrBytes::from_string(topic.to_owned()))
}

impl Connection {
    /// The producers that this broker knows in these partitions, which it leads.
    ///
    /// # Errors
    /// The broker does not tell, or its answer cannot be understood.
    pub(in crate::bus) async fn producers(
        &mut self,
        at: &[TopicPartition],
    ) -> Known<ByPartition<Vec<ActiveProducer>>> {
        let version = self.version(ApiKey::DescribeProducers, 0, 0).await?;
        let topics = by_topic(at).into_iter().map(|(name, partitions)| {
            TopicRequest::default()
                .with_name(wire_name(name))
                .with_partition_indexes(partitions.iter().map(|partition| partition.0).collect())
        });
        let request = DescribeProducersRequest::default().with_topics(topics.collect());
        let body = self
            .exchange(ApiKey::DescribeProducers, version, &request)
            .await?;
        read_producers(&body)
    }

    /// The transactions that this broker coordinates, by producer: their names.
    ///
    /// # Errors
    /// The broker does not tell, or its answer cannot be understood.
    pub(in crate::bus) async fn transactions(&mut self) -> Known<BTreeMap<i64, String>> {
        let version = self.version(ApiKey::ListTransactions, 0, 0).await?;
        let request = ListTransactionsRequest::default();
        let body = self
            .exchange(ApiKey::ListTransactions, version, &request)
            .await?;
        read_transactions(&body)
    }

    /// The transaction of this name, which this broker coordinates; `None` when it has forgotten it.
    ///
    /// # Errors
    /// The broker does not tell, or its answer cannot be understood.
    pub(in crate::bus) async fn transaction(
        &mut self,
        name: &str,
    ) -> Known<Option<TransactionState>> {
        let version = self.version(ApiKey::DescribeTransactions, 0, 0).await?;
        let id = TransactionalId(StrBytes::from_string(name.to_owned()));
        let request = DescribeTransactionsRequest::default().with_transactional_ids(vec![id]);
        let body = self
            .exchange(ApiKey::DescribeTransactions, version, &request)
            .await?;
        read_transaction(&body)
    }

    /// Where these leader epochs ended in partitions that this broker leads.
    ///
    /// # Errors
    /// The broker does not tell, or its answer cannot be understood.
    pub(in crate::bus) async fn epoch_ends(
        &mut self,
        of: &[(TopicPartition, i32)],
    ) -> Known<Vec<(TopicPartition, Known<Option<Offset>>)>> {
        let version = self.version(ApiKey::OffsetForLeaderEpoch, 2, 3).await?;
        let mut topics: BTreeMap<&str, Vec<OffsetForLeaderPartition>> = BTreeMap::new();
        for (at, epoch) in of {
            let partition = OffsetForLeaderPartition::default()
                .with_partition(at.partition.0)
                .with_current_leader_epoch(-1)
                .with_leader_epoch(*epoch);
            topics.entry(&at.topic).or_default().push(partition);
        }
        let topics = topics.into_iter().map(|(name, partitions)| {
            OffsetForLeaderTopic::default()
                .with_topic(wire_name(name))
                .with_partitions(partitions)
        });
        let mut request = OffsetForLeaderEpochRequest::default();
        request.topics = topics.collect();
        if version >= 3 {
            // A consumer's question: as a replica's it would be answered before it is allowed.
            request = request.with_replica_id((-2).into());
        }
        let body = self
            .exchange(ApiKey::OffsetForLeaderEpoch, version, &request)
            .await?;
        read_epochs(&body)
    }
}

fn read_producers(body: &[u8]) -> Known<ByPartition<Vec<ActiveProducer>>> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    let mut found = ByPartition::new();
    for _ in 0..cursor.compact_length(3)? {
        let topic = cursor.compact_string()?;
        for _ in 0..cursor.compact_length(9)? {
            let at = TopicPartition::new(topic.as_str(), cursor.i32()?);
            let code = cursor.i16()?;
            cursor.compact_string()?;
            let mut producers = Vec::new();
            for _ in 0..cursor.compact_length(37)? {
                let (id, epoch) = (cursor.i64()?, cursor.i32()?);
                cursor.i32()?;
                let last_write = cursor.i64()?;
                cursor.i32()?;
                let open_from = cursor.i64()?;
                cursor.tags()?;
                producers.push(ActiveProducer {
                    id,
                    epoch,
                    last_write: (last_write >= 0).then_some(TimestampMs(last_write)),
                    open_from: (open_from >= 0).then_some(Offset(open_from)),
                });
            }
            cursor.tags()?;
            found.insert(at, errors::check(code, "producers").map(|()| producers));
        }
        cursor.tags()?;
    }
    Ok(found)
}

fn read_transactions(body: &[u8]) -> Known<BTreeMap<i64, String>> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    errors::check(cursor.i16()?, "transactions")?;
    for _ in 0..cursor.compact_length(1)? {
        // State filters that the broker does not know; none were given.
        cursor.compact_string()?;
    }
    let mut found = BTreeMap::new();
    for _ in 0..cursor.compact_length(11)? {
        let name = cursor.compact_string()?;
        let producer = cursor.i64()?;
        cursor.compact_string()?;
        cursor.tags()?;
        found.insert(producer, name);
    }
    Ok(found)
}

fn read_transaction(body: &[u8]) -> Known<Option<TransactionState>> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    if cursor.compact_length(25)? == 0 {
        return Ok(None);
    }
    let code = cursor.i16()?;
    let transactional_id = cursor.compact_string()?;
    let state = cursor.compact_string()?;
    let timeout_ms = i64::from(cursor.i32()?);
    let started = cursor.i64()?;
    if code == 105 {
        return Ok(None);
    }
    errors::check(code, "the transaction")?;
    Ok(Some(TransactionState {
        transactional_id,
        state,
        started: (started >= 0).then_some(TimestampMs(started)),
        timeout_ms,
    }))
}

fn read_epochs(body: &[u8]) -> Known<Vec<(TopicPartition, Known<Option<Offset>>)>> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    let mut found = Vec::new();
    for _ in 0..cursor.length(6)? {
        let topic = cursor.string()?;
        for _ in 0..cursor.length(18)? {
            let code = cursor.i16()?;
            let at = TopicPartition::new(topic.as_str(), cursor.i32()?);
            cursor.i32()?;
            let end = cursor.i64()?;
            let end =
                errors::check(code, "the leader epoch").map(|()| (end >= 0).then_some(Offset(end)));
            found.push((at, end));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producers_and_their_open_transactions_are_read() {
        let mut body = vec![0, 0, 0, 0, 2, 2, b't', 2, 0, 0, 0, 3, 0, 0, 0, 2];
        body.extend(77_i64.to_be_bytes());
        body.extend([0, 0, 0, 5, 0, 0, 0, 9]);
        body.extend(1_000_i64.to_be_bytes());
        body.extend([0, 0, 0, 0]);
        body.extend(42_i64.to_be_bytes());
        body.extend([0, 0, 0, 0]);
        let found = read_producers(&body).unwrap();
        let producer = ActiveProducer {
            id: 77,
            epoch: 5,
            last_write: Some(TimestampMs(1_000)),
            open_from: Some(Offset(42)),
        };
        assert_eq!(found[&TopicPartition::new("t", 3)], Ok(vec![producer]));
    }

    #[test]
    fn a_transaction_is_read_and_one_that_is_unknown_is_none() {
        let body = |code: [u8; 2]| {
            let mut body = vec![
                0, 0, 0, 0, 2, code[0], code[1], 3, b'i', b'd', 3, b'O', b'k',
            ];
            body.extend([0, 0, 0xea, 0x60]);
            body.extend(5_i64.to_be_bytes());
            body.extend([0; 14]);
            body
        };
        assert_eq!(
            read_transaction(&body([0, 0])),
            Ok(Some(TransactionState {
                transactional_id: "id".to_owned(),
                state: "Ok".to_owned(),
                started: Some(TimestampMs(5)),
                timeout_ms: 60_000,
            }))
        );
        assert_eq!(read_transaction(&body([0, 105])), Ok(None));
        assert!(read_transaction(&body([0, 53])).is_err());
    }

    #[test]
    fn an_epoch_that_the_leader_does_not_know_has_no_end() {
        let body = |end: i64| {
            let mut body = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0];
            body.extend([0, 0, 0, 3, 0, 0, 0, 7]);
            body.extend(end.to_be_bytes());
            body
        };
        let at = TopicPartition::new("t", 3);
        assert_eq!(
            read_epochs(&body(9)),
            Ok(vec![(at.clone(), Ok(Some(Offset(9))))])
        );
        assert_eq!(read_epochs(&body(-1)), Ok(vec![(at, Ok(None))]));
    }

    #[test]
    fn damaged_answers_never_panic() {
        let mut random = fastrand::Rng::with_seed(13);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..random.usize(..80)).map(|_| random.u8(..8)).collect();
            drop(read_producers(&bytes));
            drop(read_transactions(&bytes));
            drop(read_transaction(&bytes));
            drop(read_epochs(&bytes));
        }
    }
}
