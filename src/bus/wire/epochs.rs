//! `OffsetForLeaderEpoch`: where leader epochs ended.

use std::ops::RangeInclusive;

use bytes::Bytes;
use kafka_protocol::messages::offset_for_leader_epoch_request::{
    OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use kafka_protocol::messages::{ApiKey, BrokerId, OffsetForLeaderEpochRequest, TopicName};
use kafka_protocol::protocol::StrBytes;

use crate::model::{Known, TopicPartition};

use super::cursor::{Cursor, Malformed};
use super::question::{Question, by_topic, unreadable};

/// Where did these epochs end? Each partition may be asked about once.
pub(in crate::bus) struct EpochEnds(pub(in crate::bus) Vec<(TopicPartition, i32)>);

/// Where an epoch ended in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bus) struct EpochEnd {
    /// The partition.
    pub(in crate::bus) at: TopicPartition,
    /// The broker's error code; 0 for none.
    pub(in crate::bus) code: i16,
    /// The offset; −1 when the leader knows nothing of the epoch.
    pub(in crate::bus) offset: i64,
}

impl Question for EpochEnds {
    type Request = OffsetForLeaderEpochRequest;
    type Answer = Vec<EpochEnd>;
    const KEY: ApiKey = ApiKey::OffsetForLeaderEpoch;
    const VERSIONS: RangeInclusive<i16> = 2..=3;
    const LACKING: &'static str = "is too old to tell where leader epochs ended";

    fn request(&self, version: i16) -> OffsetForLeaderEpochRequest {
        let places = self.0.iter().map(|(at, epoch)| {
            let partition = OffsetForLeaderPartition::default()
                .with_partition(at.partition.0)
                .with_leader_epoch(*epoch);
            (&*at.topic, partition)
        });
        let topics = by_topic(places).into_iter().map(|(topic, partitions)| {
            OffsetForLeaderTopic::default()
                .with_topic(TopicName(StrBytes::from_string(topic)))
                .with_partitions(partitions)
        });
        let request = OffsetForLeaderEpochRequest::default().with_topics(topics.collect());
        // From version 3 on a consumer says that it is one.
        if version >= 3 {
            request.with_replica_id(BrokerId(-1))
        } else {
            request
        }
    }

    fn read(&self, _version: i16, body: Bytes) -> Known<Vec<EpochEnd>> {
        answer(&body).map_err(unreadable("leader epochs"))
    }
}

fn answer(body: &[u8]) -> Result<Vec<EpochEnd>, Malformed> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    let topics = cursor.each(6, |cursor| {
        let topic = cursor.text()?;
        cursor.each(18, |cursor| {
            let code = cursor.i16()?;
            let partition = cursor.i32()?;
            cursor.i32()?;
            Ok(EpochEnd {
                at: TopicPartition::new(topic, partition),
                code,
                offset: cursor.i64()?,
            })
        })
    })?;
    Ok(topics.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Throttle; topic `t` with partition 1: end 7 of epoch 2, and partition 2: error 6.
    fn body() -> Vec<u8> {
        let mut body = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 2];
        body.extend([0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7]);
        body.extend([0, 6, 0, 0, 0, 2]);
        body.extend([0xff; 12]);
        body
    }

    #[test]
    fn ends_come_by_partition_with_errors_of_their_own() {
        let end = |partition, code, offset| EpochEnd {
            at: TopicPartition::new("t", partition),
            code,
            offset,
        };
        let ends = EpochEnds(Vec::new()).read(3, body().into()).unwrap();
        assert_eq!(ends, [end(1, 0, 7), end(2, 6, -1)]);
    }

    #[test]
    fn an_answer_that_is_cut_off_is_refused_at_every_byte() {
        let body = body();
        for length in 0..body.len() {
            assert!(answer(&body[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn the_request_names_each_topic_once_and_a_consumer() {
        let asked = EpochEnds(vec![
            (TopicPartition::new("t", 1), 2),
            (TopicPartition::new("u", 0), 0),
            (TopicPartition::new("t", 2), 5),
        ]);
        let request = asked.request(3);
        assert_eq!(request.replica_id, BrokerId(-1));
        let named: Vec<_> = request
            .topics
            .iter()
            .map(|topic| (topic.topic.0.as_str(), topic.partitions.len()))
            .collect();
        assert_eq!(named, [("t", 2), ("u", 1)]);
        assert_eq!(request.topics[0].partitions[1].leader_epoch, 5);
    }
}
