//! `InitProducerId`, `AddPartitionsToTxn`, `AddOffsetsToTxn`, `TxnOffsetCommit`, `EndTxn`, and describing all that.

use std::collections::BTreeMap;
use std::time::Instant;

use kafka_protocol::messages::add_partitions_to_txn_response::{
    AddPartitionsToTxnPartitionResult, AddPartitionsToTxnTopicResult,
};
use kafka_protocol::messages::describe_producers_request::TopicRequest;
use kafka_protocol::messages::describe_producers_response::{
    PartitionResponse, ProducerState, TopicResponse,
};
use kafka_protocol::messages::describe_transactions_response::{self, TopicData};
use kafka_protocol::messages::list_transactions_response;
use kafka_protocol::messages::txn_offset_commit_response::{
    TxnOffsetCommitResponsePartition, TxnOffsetCommitResponseTopic,
};
use kafka_protocol::messages::{
    AddOffsetsToTxnRequest, AddOffsetsToTxnResponse, AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse, DescribeProducersRequest, DescribeProducersResponse,
    DescribeTransactionsRequest, DescribeTransactionsResponse, EndTxnRequest, EndTxnResponse,
    InitProducerIdRequest, InitProducerIdResponse, ListTransactionsRequest,
    ListTransactionsResponse, ProducerId, TopicName, TransactionalId, TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
};

use super::super::codes;
use super::super::dispatch::Call;
use super::super::offsets::Committed;
use super::super::transaction::{Moment, Transaction};
use super::offsets::{acceptable, may_commit};
use super::{fixed, once, text};

fn moment(call: &Call<'_>) -> Moment {
    Moment {
        ms: call.broker.now_ms(),
        at: Instant::now(),
    }
}

fn code(outcome: Result<(), i16>) -> i16 {
    outcome.err().unwrap_or(codes::NONE)
}

/// Gives a producer its id and epoch.
pub(in super::super) fn init_producer_id(
    call: &Call<'_>,
    request: &InitProducerIdRequest,
) -> InitProducerIdResponse {
    let mut state = call.broker.lock();
    let id = request.transactional_id.as_ref().map(|id| id.0.as_str());
    let given = state.init_producer(id, request.transaction_timeout_ms, moment(call));
    drop(state);
    call.broker.notify();
    match given {
        Ok((id, epoch)) => InitProducerIdResponse::default()
            .with_producer_id(ProducerId(id))
            .with_producer_epoch(epoch),
        Err(code) => InitProducerIdResponse::default()
            .with_error_code(code)
            .with_producer_id(ProducerId(-1))
            .with_producer_epoch(-1),
    }
}

/// Takes partitions into a transaction: all of them, or none.
pub(in super::super) fn add_partitions(
    call: &Call<'_>,
    request: AddPartitionsToTxnRequest,
) -> AddPartitionsToTxnResponse {
    let mut state = call.broker.lock();
    let asked = request.v3_and_below_topics.iter().flat_map(|topic| {
        let partitions = topic.partitions.iter();
        partitions.map(|index| (topic.name.0.to_string(), *index))
    });
    let asked: Vec<(String, i32)> = asked.collect();
    let unknown = |(topic, index): &(String, i32)| state.partition(topic, *index).is_none();
    let error = if asked.iter().any(unknown) {
        codes::UNKNOWN_TOPIC_OR_PARTITION
    } else {
        code(state.add_partitions(
            &request.v3_and_below_transactional_id.0,
            (
                request.v3_and_below_producer_id.0,
                request.v3_and_below_producer_epoch,
            ),
            &asked,
            moment(call),
        ))
    };
    drop(state);
    let topics = request.v3_and_below_topics.into_iter().map(|topic| {
        let partitions = topic.partitions.into_iter().map(|index| {
            AddPartitionsToTxnPartitionResult::default()
                .with_partition_index(index)
                .with_partition_error_code(error)
        });
        let partitions = partitions.collect();
        AddPartitionsToTxnTopicResult::default()
            .with_name(topic.name)
            .with_results_by_partition(partitions)
    });
    AddPartitionsToTxnResponse::default().with_results_by_topic_v3_and_below(topics.collect())
}

/// Takes a group's positions into a transaction.
pub(in super::super) fn add_offsets(
    call: &Call<'_>,
    request: &AddOffsetsToTxnRequest,
) -> AddOffsetsToTxnResponse {
    let added = call.broker.lock().add_group(
        &request.transactional_id.0,
        (request.producer_id.0, request.producer_epoch),
        &request.group_id.0,
        moment(call),
    );
    AddOffsetsToTxnResponse::default().with_error_code(code(added))
}

/// Ends a transaction and writes its markers.
pub(in super::super) fn end(call: &Call<'_>, request: &EndTxnRequest) -> EndTxnResponse {
    let ended = call.broker.lock().end_transaction(
        &request.transactional_id.0,
        (request.producer_id.0, request.producer_epoch),
        request.committed,
        moment(call),
    );
    call.broker.notify();
    EndTxnResponse::default().with_error_code(code(ended))
}

/// Holds a group's positions until the transaction ends.
pub(in super::super) fn offset_commit(
    call: &Call<'_>,
    request: TxnOffsetCommitRequest,
) -> TxnOffsetCommitResponse {
    let mut state = call.broker.lock();
    let producer = (request.producer_id.0, request.producer_epoch);
    let group_id = &request.group_id.0;
    let has = |transaction: &Transaction| transaction.groups.contains(group_id.as_str());
    let allowed = state
        .in_transaction(&request.transactional_id.0, producer, has)
        .and_then(|()| {
            if state.groups.are_full() {
                return Err(codes::THROTTLING_QUOTA_EXCEEDED);
            }
            let group = state.groups.obtain(group_id);
            let group = group.ok_or(codes::THROTTLING_QUOTA_EXCEEDED)?;
            if request.generation_id < 0 && request.member_id.is_empty() {
                // Producers older than version 3 of the request do not name their member.
                return Ok(());
            }
            may_commit(
                group,
                &request.member_id,
                request.group_instance_id.as_deref(),
                request.generation_id,
                Instant::now(),
            )
        });
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.into_iter().map(|partition| {
            let index = partition.partition_index;
            let metadata = partition.committed_metadata;
            let committed = Committed {
                offset: partition.committed_offset,
                epoch: partition.committed_leader_epoch,
                metadata: metadata.map(|text| text.to_string()).unwrap_or_default(),
            };
            let held = allowed
                .and_then(|()| acceptable(&state, (&topic.name.0, index), &committed))
                .map(|()| {
                    if let Some(group) = state.groups.get_mut(group_id) {
                        let offsets = &mut group.offsets;
                        offsets.hold(producer.0, &topic.name.0, index, committed);
                    }
                });
            TxnOffsetCommitResponsePartition::default()
                .with_partition_index(index)
                .with_error_code(code(held))
        });
        let partitions = partitions.collect();
        TxnOffsetCommitResponseTopic::default()
            .with_name(topic.name)
            .with_partitions(partitions)
    });
    let topics = topics.collect();
    TxnOffsetCommitResponse::default().with_topics(topics)
}

/// Describes the producers that partitions remember.
pub(in super::super) fn describe_producers(
    call: &Call<'_>,
    request: DescribeProducersRequest,
) -> DescribeProducersResponse {
    let state = call.broker.lock();
    let name = |topic: &TopicRequest| topic.name.clone();
    let topics = request.topics.into_iter().filter(once(name)).map(|topic| {
        let indexes = topic
            .partition_indexes
            .iter()
            .filter(once(|index: &&i32| **index));
        let partitions = indexes.map(|index| {
            let response = PartitionResponse::default().with_partition_index(*index);
            let Some(log) = state.partition(&topic.name.0, *index) else {
                return response.with_error_code(codes::UNKNOWN_TOPIC_OR_PARTITION);
            };
            let producers = log.producers().iter().map(|(id, known)| {
                ProducerState::default()
                    .with_producer_id(ProducerId(*id))
                    .with_producer_epoch(i32::from(known.epoch))
                    .with_last_sequence(known.last_sequence)
                    .with_last_timestamp(known.last_timestamp)
                    .with_coordinator_epoch(0)
                    .with_current_txn_start_offset(log.open().get(id).copied().unwrap_or(-1))
            });
            response.with_active_producers(producers.collect())
        });
        let partitions = partitions.collect();
        TopicResponse::default()
            .with_name(topic.name)
            .with_partitions(partitions)
    });
    DescribeProducersResponse::default().with_topics(topics.collect())
}

/// Describes transactions.
pub(in super::super) fn describe(
    call: &Call<'_>,
    request: DescribeTransactionsRequest,
) -> DescribeTransactionsResponse {
    use describe_transactions_response::TransactionState;

    let state = call.broker.lock();
    let asked = request.transactional_ids.into_iter();
    let described = asked.filter(once(TransactionalId::clone)).map(|id| {
        let known = state.transactions.by_id.get(id.0.as_str());
        let response = TransactionState::default().with_transactional_id(id);
        let Some(transaction) = known else {
            return response.with_error_code(codes::TRANSACTIONAL_ID_NOT_FOUND);
        };
        let mut by_topic: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        for (topic, index) in &transaction.partitions {
            by_topic.entry(topic).or_default().push(*index);
        }
        let topics = by_topic.into_iter().map(|(topic, partitions)| {
            TopicData::default()
                .with_topic(TopicName(text(topic)))
                .with_partitions(partitions)
        });
        response
            .with_transaction_state(fixed(transaction.phase.name()))
            .with_transaction_timeout_ms(transaction.timeout_ms)
            .with_transaction_start_time_ms(transaction.started_ms)
            .with_producer_id(ProducerId(transaction.producer_id))
            .with_producer_epoch(transaction.epoch)
            .with_topics(topics.collect())
    });
    DescribeTransactionsResponse::default().with_transaction_states(described.collect())
}

/// Lists transactions by state, producer and age.
pub(in super::super) fn list(
    call: &Call<'_>,
    request: &ListTransactionsRequest,
) -> ListTransactionsResponse {
    use list_transactions_response::TransactionState;

    const STATES: [&str; 7] = [
        "Empty",
        "Ongoing",
        "PrepareCommit",
        "PrepareAbort",
        "CompleteCommit",
        "CompleteAbort",
        "PrepareEpochFence",
    ];
    let now = call.broker.now_ms();
    let state = call.broker.lock();
    let wanted = |transaction: &Transaction| {
        let phase = transaction.phase.name();
        let producer = ProducerId(transaction.producer_id);
        let old = request.duration_filter < 0
            || transaction.started_ms >= 0
                && now.saturating_sub(transaction.started_ms) > request.duration_filter;
        let states = &request.state_filters;
        let producers = &request.producer_id_filters;
        (states.is_empty() || states.iter().any(|asked| **asked == *phase))
            && (producers.is_empty() || producers.contains(&producer))
            && old
    };
    let all = state.transactions.by_id.iter();
    let listed = all.filter(|(_, transaction)| wanted(transaction));
    let listed = listed.map(|(id, transaction)| {
        TransactionState::default()
            .with_transactional_id(TransactionalId(text(id)))
            .with_producer_id(ProducerId(transaction.producer_id))
            .with_transaction_state(fixed(transaction.phase.name()))
    });
    let listed = listed.collect();
    let unknown = request.state_filters.iter();
    let unknown = unknown.filter(|asked| !STATES.contains(&asked.as_str()));
    ListTransactionsResponse::default()
        .with_transaction_states(listed)
        .with_unknown_state_filters(unknown.cloned().collect())
}
