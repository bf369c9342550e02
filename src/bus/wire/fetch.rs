//! `Fetch`: a partition's log in batches, with the transactions that were aborted in it.
//!
//! Versions 5 to 11 are spoken: the first tells the log start, the last is the newest that is not flexible, and every
//! broker from 1.0 to 4.x knows one of them.

use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::{ApiKey, FetchRequest, TopicName as WireTopic};
use kafka_protocol::protocol::StrBytes;

use crate::model::{
    Aborted, Isolation, Known, LogPortion, Offset, Problem, ProblemKind, TopicPartition,
};

use super::batches::batches;
use super::connection::Connection;
use super::cursor::Cursor;
use super::errors;

/// Bytes in one answer; a single batch that is larger comes whole.
const MOST: i32 = 4 * 1024 * 1024;

impl Connection {
    /// The batches of a partition from `from` on, which this broker leads, as readers of this isolation level are served.
    ///
    /// # Errors
    /// The broker refuses, the format is too old, or the answer cannot be understood.
    pub(in crate::bus) async fn log(
        &mut self,
        at: &TopicPartition,
        from: Offset,
        isolation: Isolation,
    ) -> Known<LogPortion> {
        let version = self.version(ApiKey::Fetch, 5, 11).await?;
        let partition = FetchPartition::default()
            .with_partition(at.partition.0)
            .with_current_leader_epoch(-1)
            .with_fetch_offset(from.0)
            .with_log_start_offset(-1)
            .with_partition_max_bytes(MOST);
        let topic = FetchTopic::default()
            .with_topic(WireTopic(StrBytes::from_string(at.topic.to_string())))
            .with_partitions(vec![partition]);
        let request = FetchRequest::default()
            .with_max_wait_ms(0)
            .with_min_bytes(0)
            .with_max_bytes(MOST)
            .with_isolation_level(match isolation {
                Isolation::ReadUncommitted => 0,
                Isolation::ReadCommitted => 1,
            })
            .with_session_epoch(-1)
            .with_topics(vec![topic]);
        let body = self.exchange(ApiKey::Fetch, version, &request).await?;
        portion(at, from, version, &body)
    }
}

fn portion(at: &TopicPartition, from: Offset, version: i16, body: &[u8]) -> Known<LogPortion> {
    let mut cursor = Cursor::new(body);
    cursor.i32()?;
    if version >= 7 {
        errors::check(cursor.i16()?, "reading the log")?;
        cursor.i32()?;
    }
    for _ in 0..cursor.length(6)? {
        let topic = cursor.string()?;
        for _ in 0..cursor.length(38)? {
            let number = cursor.i32()?;
            let part = one_partition(at, from, version, &mut cursor)?;
            if *topic == *at.topic && number == at.partition.0 {
                return part;
            }
        }
    }
    Err(Problem::new(
        ProblemKind::Malformed,
        "the answer says nothing of the partition that was asked for",
    ))
}

/// What is said of one partition; the inner error is the partition's own.
fn one_partition(
    at: &TopicPartition,
    from: Offset,
    version: i16,
    cursor: &mut Cursor<'_>,
) -> Known<Known<LogPortion>> {
    let code = cursor.i16()?;
    let high_watermark = Offset(cursor.i64()?);
    let last_stable = Offset(cursor.i64()?);
    let log_start = Offset(cursor.i64()?);
    let mut aborted = Vec::new();
    for _ in 0..cursor.length(16)? {
        aborted.push(Aborted {
            producer: cursor.i64()?,
            first: Offset(cursor.i64()?),
        });
    }
    if version >= 11 {
        cursor.i32()?;
    }
    let length = cursor.length(1)?;
    let records = cursor.take(length)?;
    if let Err(problem) = errors::check(code, "reading the log") {
        return Ok(Err(problem));
    }
    let batches = match batches(records) {
        Ok(batches) => batches,
        Err(problem) => return Ok(Err(problem)),
    };
    let next = batches.last().map_or(from, |last| last.last.next());
    Ok(Ok(LogPortion {
        at: at.clone(),
        from,
        next: next.max(from),
        log_start,
        last_stable,
        high_watermark,
        batches,
        aborted,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(version: i16, code: i16, records: &[u8]) -> Vec<u8> {
        let mut body = 0_i32.to_be_bytes().to_vec();
        if version >= 7 {
            body.extend([0, 0, 0, 0, 0, 0]);
        }
        body.extend(1_i32.to_be_bytes());
        body.extend([0, 1, b't']);
        body.extend(1_i32.to_be_bytes());
        body.extend(3_i32.to_be_bytes());
        body.extend(code.to_be_bytes());
        for offset in [50_i64, 40, 10] {
            body.extend(offset.to_be_bytes());
        }
        body.extend(1_i32.to_be_bytes());
        body.extend(9_i64.to_be_bytes());
        body.extend(12_i64.to_be_bytes());
        if version >= 11 {
            body.extend((-1_i32).to_be_bytes());
        }
        body.extend(i32::try_from(records.len()).unwrap().to_be_bytes());
        body.extend(records);
        body
    }

    #[test]
    fn ends_and_aborted_transactions_are_read_in_every_version() {
        let at = TopicPartition::new("t", 3);
        for version in 5..=11 {
            let found = portion(&at, Offset(11), version, &answer(version, 0, &[])).unwrap();
            assert_eq!(found.high_watermark, Offset(50));
            assert_eq!(found.last_stable, Offset(40));
            assert_eq!(found.log_start, Offset(10));
            assert_eq!(found.next, Offset(11));
            assert_eq!(
                found.aborted,
                [Aborted {
                    producer: 9,
                    first: Offset(12)
                }]
            );
        }
    }

    #[test]
    fn an_error_of_the_partition_is_said() {
        let at = TopicPartition::new("t", 3);
        let refused = portion(&at, Offset(1), 11, &answer(11, 1, &[])).unwrap_err();
        assert_eq!(refused.kind, ProblemKind::Invalid);
        let elsewhere = TopicPartition::new("t", 4);
        let absent = portion(&elsewhere, Offset(1), 11, &answer(11, 0, &[])).unwrap_err();
        assert_eq!(absent.kind, ProblemKind::Malformed);
    }

    #[test]
    fn damaged_answers_never_panic() {
        let at = TopicPartition::new("t", 3);
        let good = answer(11, 0, &[1; 80]);
        let mut random = fastrand::Rng::with_seed(12);
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            let place = random.usize(..bytes.len());
            bytes[place] = random.u8(..);
            bytes.truncate(random.usize(..=bytes.len()));
            drop(portion(&at, Offset(0), 11, &bytes));
        }
    }
}
