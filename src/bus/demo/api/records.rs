//! `Produce` and `Fetch`.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::fetch_response::{
    AbortedTransaction, FetchableTopicResponse, PartitionData,
};
use kafka_protocol::messages::produce_response::{PartitionProduceResponse, TopicProduceResponse};
use kafka_protocol::messages::{
    FetchRequest, FetchResponse, ProduceRequest, ProduceResponse, ProducerId, TopicName,
};

use super::super::batch::{self, Batch, Refused};
use super::super::broker::State;
use super::super::config;
use super::super::dispatch::{Call, Outcome};
use super::super::log::{Aborted, LEADER_EPOCH, PartitionLog, Piece, Sequence};
use super::super::{codes, limits};

/// Appends records. With `acks=0` the producer wants no answer.
pub(in super::super) fn serve_produce(mut call: Call<'_>) -> Outcome {
    let Some(request) = call.decode::<ProduceRequest>() else {
        return Outcome::Close;
    };
    let silent = request.acks == 0;
    let response = produce(&call, request);
    if silent {
        return Outcome::Silent;
    }
    call.reply::<ProduceRequest>(&response)
}

fn produce(call: &Call<'_>, request: ProduceRequest) -> ProduceResponse {
    let now = call.broker.now_ms();
    let transactional_id = request.transactional_id.map(|id| id.0);
    let mut state = call.broker.lock();
    let responses = request.topic_data.into_iter().map(|topic| {
        let name = topic.name;
        let partitions = topic.partition_data.into_iter().map(|partition| {
            let index = partition.index;
            let records = partition.records.unwrap_or_default();
            state.note(records.len());
            let appended = append(
                &mut state,
                transactional_id.as_deref(),
                (&name.0, index),
                &records,
                now,
            );
            let start = state
                .partition(&name.0, index)
                .map_or(-1, PartitionLog::start);
            let response = PartitionProduceResponse::default().with_index(index);
            match appended {
                Ok(appended) => response
                    .with_base_offset(appended.offset)
                    .with_log_append_time_ms(appended.time.unwrap_or(-1))
                    .with_log_start_offset(if call.version >= 5 { start } else { -1 }),
                Err(code) => response.with_error_code(code).with_base_offset(-1),
            }
        });
        let partitions: Vec<_> = partitions.collect();
        TopicProduceResponse::default()
            .with_name(name)
            .with_partition_responses(partitions)
    });
    let responses: Vec<_> = responses.collect();
    drop(state);
    call.broker.notify();
    ProduceResponse::default().with_responses(responses)
}

struct Appended {
    offset: i64,
    time: Option<i64>,
}

fn append(
    state: &mut State,
    transactional_id: Option<&str>,
    (topic_name, index): (&str, i32),
    records: &Bytes,
    now: i64,
) -> Result<Appended, i16> {
    let topic = state
        .topics
        .get(topic_name)
        .filter(|topic| topic.partition(index).is_some())
        .ok_or(codes::UNKNOWN_TOPIC_OR_PARTITION)?;
    let settings = &topic.settings;
    let largest = settings.number(config::MAX_MESSAGE_BYTES).unwrap_or(0);
    if i64::try_from(records.len()).unwrap_or(i64::MAX) > largest {
        return Err(codes::MESSAGE_TOO_LARGE);
    }
    let header = batch::validate(records).map_err(|refused| match refused {
        Refused::Malformed => codes::INVALID_RECORD,
        Refused::OldFormat => codes::UNSUPPORTED_FOR_MESSAGE_FORMAT,
        Refused::Checksum => codes::CORRUPT_MESSAGE,
    })?;
    let keyless = || {
        let batch = Batch::open(records);
        batch.is_some_and(|batch| batch.records().any(|record| record.key.is_none()))
    };
    if header.is_control() || settings.is_compacted() && keyless() {
        return Err(codes::INVALID_RECORD);
    }
    let append_time = (settings.get(config::TIMESTAMP_TYPE) == "LogAppendTime").then_some(now);
    let ahead = settings.number(config::TIMESTAMP_AFTER).unwrap_or(i64::MAX);
    if append_time.is_none() && header.max_timestamp.saturating_sub(now) > ahead {
        return Err(codes::INVALID_TIMESTAMP);
    }
    if header.is_transactional() {
        let id = transactional_id.ok_or(codes::INVALID_TXN_STATE)?;
        let producer = (header.producer_id, header.producer_epoch);
        let place = (topic_name.to_owned(), index);
        state.in_transaction(id, producer, |transaction| {
            transaction.partitions.contains(&place)
        })?;
    }
    let log = state
        .partition_mut(topic_name, index)
        .ok_or(codes::UNKNOWN_TOPIC_OR_PARTITION)?;
    let offset = match log.sequence(&header) {
        Sequence::Duplicate(offset) => offset,
        Sequence::Refused(code) => return Err(code),
        Sequence::Next => log
            .append(records, append_time)
            .ok_or(codes::UNKNOWN_SERVER_ERROR)?,
    };
    Ok(Appended {
        offset,
        time: append_time,
    })
}

/// One partition's share of a fetch, before its bytes are put together.
struct Share {
    index: i32,
    outcome: Result<Found, i16>,
}

struct Found {
    high_watermark: i64,
    last_stable: i64,
    start: i64,
    aborted: Vec<Aborted>,
    pieces: Vec<Piece>,
}

/// Reads records, waiting for them as long as the request allows.
pub(in super::super) fn fetch(call: &Call<'_>, request: &FetchRequest) -> FetchResponse {
    let wait = u64::try_from(request.max_wait_ms.clamp(0, limits::FETCH_WAIT_MS)).unwrap_or(0);
    let deadline = Instant::now() + Duration::from_millis(wait);
    let enough = usize::try_from(request.min_bytes).unwrap_or(0);
    let mut state = call.broker.lock();
    while enough > 0
        && !call.broker.is_stopping()
        && Instant::now() < deadline
        && !is_ready(&state, request, enough)
    {
        call.broker.wait(&mut state, deadline);
    }
    let most = usize::try_from(request.max_bytes).unwrap_or(0);
    let mut left = most.min(limits::FETCH_BYTES);
    let mut first = true;
    let mut topics = Vec::with_capacity(request.topics.len());
    for topic in &request.topics {
        let mut shares = Vec::with_capacity(topic.partitions.len());
        for partition in &topic.partitions {
            let asked = Asked {
                index: partition.partition,
                epoch: partition.current_leader_epoch,
                offset: partition.fetch_offset,
                max_bytes: usize::try_from(partition.partition_max_bytes)
                    .unwrap_or(0)
                    .min(left),
                read_committed: request.isolation_level == 1,
                oversized: first,
            };
            let outcome = read(&state, &topic.topic.0, &asked);
            if let Ok(found) = &outcome {
                let size: usize = found.pieces.iter().map(Piece::size).sum();
                left = left.saturating_sub(size);
                first &= found.pieces.is_empty();
            }
            shares.push(Share {
                index: partition.partition,
                outcome,
            });
        }
        topics.push((topic.topic.clone(), shares));
    }
    drop(state);
    let responses = topics
        .into_iter()
        .map(|(name, shares)| answered(name, shares, request.isolation_level == 1));
    FetchResponse::default().with_responses(responses.collect())
}

struct Asked {
    index: i32,
    epoch: i32,
    offset: i64,
    max_bytes: usize,
    read_committed: bool,
    oversized: bool,
}

fn read(state: &State, topic: &str, asked: &Asked) -> Result<Found, i16> {
    let log = state
        .partition(topic, asked.index)
        .ok_or(codes::UNKNOWN_TOPIC_OR_PARTITION)?;
    check_epoch(asked.epoch)?;
    let bound = log.bound(asked.read_committed);
    let pieces = log.read(asked.offset, bound, asked.max_bytes, asked.oversized)?;
    let aborted = if asked.read_committed {
        log.aborted(asked.offset, bound)
    } else {
        Vec::new()
    };
    Ok(Found {
        high_watermark: log.end(),
        last_stable: log.last_stable(),
        start: log.start(),
        aborted,
        pieces,
    })
}

/// Compares the leader epoch that a client knows with the broker's; −1 asks for no comparison.
pub(super) fn check_epoch(known: i32) -> Result<(), i16> {
    match known {
        -1 | LEADER_EPOCH => Ok(()),
        older if older < LEADER_EPOCH => Err(codes::FENCED_LEADER_EPOCH),
        _ => Err(codes::UNKNOWN_LEADER_EPOCH),
    }
}

/// Whether enough can be read, or some partition has an error to tell.
fn is_ready(state: &State, request: &FetchRequest, enough: usize) -> bool {
    let mut bytes = 0_usize;
    for topic in &request.topics {
        for partition in &topic.partitions {
            let Some(log) = state.partition(&topic.topic.0, partition.partition) else {
                return true;
            };
            let offset = partition.fetch_offset;
            if offset < log.start()
                || offset > log.end()
                || check_epoch(partition.current_leader_epoch).is_err()
            {
                return true;
            }
            let bound = log.bound(request.isolation_level == 1);
            bytes = bytes.saturating_add(log.readable(offset, bound, enough));
            if bytes >= enough {
                return true;
            }
        }
    }
    false
}

fn answered(name: TopicName, shares: Vec<Share>, read_committed: bool) -> FetchableTopicResponse {
    let partitions = shares.into_iter().map(|share| {
        let partition = PartitionData::default()
            .with_partition_index(share.index)
            .with_records(Some(Bytes::new()));
        let found = match share.outcome {
            Ok(found) => found,
            Err(code) => {
                return partition
                    .with_error_code(code)
                    .with_high_watermark(-1)
                    .with_last_stable_offset(-1)
                    .with_log_start_offset(-1)
                    .with_aborted_transactions(None);
            }
        };
        let aborted = found.aborted.iter().map(|aborted| {
            AbortedTransaction::default()
                .with_producer_id(ProducerId(aborted.producer_id))
                .with_first_offset(aborted.first)
        });
        partition
            .with_high_watermark(found.high_watermark)
            .with_last_stable_offset(found.last_stable)
            .with_log_start_offset(found.start)
            .with_aborted_transactions(read_committed.then(|| aborted.collect()))
            .with_records(Some(joined(found.pieces)))
    });
    FetchableTopicResponse::default()
        .with_topic(name)
        .with_partitions(partitions.collect())
}

fn joined(pieces: Vec<Piece>) -> Bytes {
    let size = pieces.iter().map(Piece::size).sum();
    let mut all = BytesMut::with_capacity(size);
    for piece in pieces {
        all.extend_from_slice(&piece.into_bytes());
    }
    all.freeze()
}
