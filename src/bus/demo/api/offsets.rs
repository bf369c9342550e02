//! `ListOffsets`, `OffsetCommit`, `OffsetFetch`, `OffsetDelete`, `OffsetForLeaderEpoch`.

use std::time::Instant;

use kafka_protocol::messages::list_offsets_response::{
    ListOffsetsPartitionResponse, ListOffsetsTopicResponse,
};
use kafka_protocol::messages::offset_commit_response::{
    OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
use kafka_protocol::messages::offset_delete_response::{
    OffsetDeleteResponsePartition, OffsetDeleteResponseTopic,
};
use kafka_protocol::messages::offset_fetch_request::OffsetFetchRequestGroup;
use kafka_protocol::messages::offset_fetch_response::{
    OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic, OffsetFetchResponseTopics,
};
use kafka_protocol::messages::offset_for_leader_epoch_response::{
    EpochEndOffset, OffsetForLeaderTopicResult,
};
use kafka_protocol::messages::{
    ListOffsetsRequest, ListOffsetsResponse, OffsetCommitRequest, OffsetCommitResponse,
    OffsetDeleteRequest, OffsetDeleteResponse, OffsetFetchRequest, OffsetFetchResponse,
    OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, TopicName,
};

use super::super::broker::State;
use super::super::dispatch::Call;
use super::super::group::{Group, Phase};
use super::super::log::LEADER_EPOCH;
use super::super::offsets::Committed;
use super::super::{codes, limits};
use super::records::check_epoch;
use super::{once, text};

const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
const MAX_TIMESTAMP: i64 = -3;
/// Kafka's "earliest offset on local disk"; everything here is local.
const EARLIEST_LOCAL: i64 = -4;

/// Looks offsets up by time, or by the special times of the protocol.
pub(in super::super) fn list(call: &Call<'_>, request: ListOffsetsRequest) -> ListOffsetsResponse {
    let state = call.broker.lock();
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|partition| {
            let response = ListOffsetsPartitionResponse::default()
                .with_partition_index(partition.partition_index);
            let found = check_epoch(partition.current_leader_epoch).and_then(|()| {
                look_up(
                    &state,
                    (&topic.name.0, partition.partition_index),
                    partition.timestamp,
                    request.isolation_level == 1,
                )
            });
            match found {
                Err(code) => response
                    .with_error_code(code)
                    .with_offset(-1)
                    .with_timestamp(-1),
                Ok((offset, timestamp)) => {
                    let epoch = if call.version >= 4 && offset >= 0 {
                        LEADER_EPOCH
                    } else {
                        -1
                    };
                    response
                        .with_offset(offset)
                        .with_timestamp(timestamp)
                        .with_leader_epoch(epoch)
                }
            }
        });
        let partitions = partitions.collect();
        ListOffsetsTopicResponse::default()
            .with_name(topic.name)
            .with_partitions(partitions)
    });
    let topics = topics.collect();
    ListOffsetsResponse::default().with_topics(topics)
}

fn look_up(
    state: &State,
    (topic, index): (&str, i32),
    time: i64,
    read_committed: bool,
) -> Result<(i64, i64), i16> {
    let log = state
        .partition(topic, index)
        .ok_or(codes::UNKNOWN_TOPIC_OR_PARTITION)?;
    let bound = log.bound(read_committed);
    match time {
        LATEST => Ok((bound, -1)),
        EARLIEST | EARLIEST_LOCAL => Ok((log.start(), -1)),
        MAX_TIMESTAMP => Ok(log.at_max_time().unwrap_or((-1, -1))),
        time if time < 0 => Err(codes::UNSUPPORTED_VERSION),
        time => Ok(log.at_time(time, bound).unwrap_or((-1, -1))),
    }
}

/// Whether whoever commits may do so: a member of the present generation, or anybody while nobody is a member.
pub(super) fn may_commit(
    group: &mut Group,
    member_id: &str,
    instance: Option<&str>,
    generation: i32,
    now: Instant,
) -> Result<(), i16> {
    group.expire(now);
    if generation < 0 && member_id.is_empty() {
        return match group.phase {
            Phase::Empty => Ok(()),
            Phase::Preparing(_) | Phase::Completing(_) | Phase::Stable => {
                Err(codes::UNKNOWN_MEMBER_ID)
            }
        };
    }
    if group.members.is_empty() {
        return Err(codes::ILLEGAL_GENERATION);
    }
    if let Some(instance) = instance
        && group
            .of_instance(instance)
            .is_some_and(|known| known != member_id)
    {
        return Err(codes::FENCED_INSTANCE_ID);
    }
    group.check(member_id, generation, now)?;
    match group.phase {
        Phase::Completing(_) => Err(codes::REBALANCE_IN_PROGRESS),
        Phase::Empty | Phase::Preparing(_) | Phase::Stable => Ok(()),
    }
}

/// Commits a group's positions.
pub(in super::super) fn commit(
    call: &Call<'_>,
    request: OffsetCommitRequest,
) -> OffsetCommitResponse {
    let mut state = call.broker.lock();
    let full = state.groups.are_full();
    let allowed = if request.group_id.0.is_empty() {
        Err(codes::INVALID_GROUP_ID)
    } else if full {
        Err(codes::THROTTLING_QUOTA_EXCEEDED)
    } else {
        match state.groups.obtain(&request.group_id.0) {
            None => Err(codes::THROTTLING_QUOTA_EXCEEDED),
            Some(group) => may_commit(
                group,
                &request.member_id,
                request.group_instance_id.as_deref(),
                request.generation_id_or_member_epoch,
                Instant::now(),
            ),
        }
    };
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.into_iter().map(|partition| {
            let index = partition.partition_index;
            let committed = Committed {
                offset: partition.committed_offset,
                epoch: partition.committed_leader_epoch,
                metadata: partition
                    .committed_metadata
                    .map(|metadata| metadata.to_string())
                    .unwrap_or_default(),
            };
            let outcome = allowed
                .and_then(|()| acceptable(&state, (&topic.name.0, index), &committed))
                .map(|()| {
                    if let Some(group) = state.groups.get_mut(&request.group_id.0) {
                        group.offsets.commit(&topic.name.0, index, committed);
                    }
                });
            OffsetCommitResponsePartition::default()
                .with_partition_index(index)
                .with_error_code(outcome.err().unwrap_or(codes::NONE))
        });
        let partitions = partitions.collect();
        OffsetCommitResponseTopic::default()
            .with_name(topic.name)
            .with_partitions(partitions)
    });
    let topics = topics.collect();
    state.groups.expire(Instant::now());
    OffsetCommitResponse::default().with_topics(topics)
}

/// Whether a position can be committed at all.
pub(super) fn acceptable(
    state: &State,
    (topic, index): (&str, i32),
    committed: &Committed,
) -> Result<(), i16> {
    if state.partition(topic, index).is_none() {
        Err(codes::UNKNOWN_TOPIC_OR_PARTITION)
    } else if committed.metadata.len() > limits::METADATA_BYTES {
        Err(codes::OFFSET_METADATA_TOO_LARGE)
    } else {
        Ok(())
    }
}

/// A position as a group's answer has it.
struct Position {
    topic: TopicName,
    partitions: Vec<(i32, Committed, i16)>,
}

/// Answers with what groups have committed: of the partitions asked for, or of all.
pub(in super::super) fn fetch(call: &Call<'_>, request: OffsetFetchRequest) -> OffsetFetchResponse {
    let state = call.broker.lock();
    let stable = request.require_stable;
    if call.version >= 8 {
        let name = |asked: &OffsetFetchRequestGroup| asked.group_id.clone();
        let groups = request.groups.into_iter().filter(once(name));
        let groups = groups.map(|asked| {
            let topics = asked.topics.map(|topics| {
                let topics = topics.into_iter();
                topics
                    .map(|topic| (topic.name, topic.partition_indexes))
                    .collect()
            });
            let positions = positions(state.groups.get(&asked.group_id.0), topics, stable);
            let topics = positions.into_iter().map(|position| {
                let partitions = position.partitions.into_iter();
                let partitions = partitions.map(|(index, committed, error)| {
                    OffsetFetchResponsePartitions::default()
                        .with_partition_index(index)
                        .with_committed_offset(committed.offset)
                        .with_committed_leader_epoch(committed.epoch)
                        .with_metadata(Some(text(&committed.metadata)))
                        .with_error_code(error)
                });
                OffsetFetchResponseTopics::default()
                    .with_name(position.topic)
                    .with_partitions(partitions.collect())
            });
            OffsetFetchResponseGroup::default()
                .with_group_id(asked.group_id)
                .with_topics(topics.collect())
        });
        return OffsetFetchResponse::default().with_groups(groups.collect());
    }
    // Version 1 has no null: there, an empty list asks for nothing.
    let asked = request.topics.map(|topics| {
        let topics = topics.into_iter();
        topics
            .map(|topic| (topic.name, topic.partition_indexes))
            .collect()
    });
    let positions = positions(state.groups.get(&request.group_id.0), asked, stable);
    let topics = positions.into_iter().map(|position| {
        let partitions = position.partitions.into_iter();
        let partitions = partitions.map(|(index, committed, error)| {
            let epoch = if call.version >= 5 {
                committed.epoch
            } else {
                -1
            };
            OffsetFetchResponsePartition::default()
                .with_partition_index(index)
                .with_committed_offset(committed.offset)
                .with_committed_leader_epoch(epoch)
                .with_metadata(Some(text(&committed.metadata)))
                .with_error_code(error)
        });
        OffsetFetchResponseTopic::default()
            .with_name(position.topic)
            .with_partitions(partitions.collect())
    });
    OffsetFetchResponse::default().with_topics(topics.collect())
}

fn positions(
    group: Option<&Group>,
    asked: Option<Vec<(TopicName, Vec<i32>)>>,
    stable: bool,
) -> Vec<Position> {
    let asked = asked.unwrap_or_else(|| {
        let all = group.into_iter().flat_map(|group| group.offsets.all());
        all.map(|(topic, partitions)| {
            (TopicName(text(topic)), partitions.keys().copied().collect())
        })
        .collect()
    });
    let none = Committed {
        offset: -1,
        epoch: -1,
        metadata: String::new(),
    };
    let positions = asked.into_iter().map(|(topic, indexes)| {
        let partitions = indexes.into_iter().map(|index| {
            let offsets = group.map(|group| &group.offsets);
            if stable && offsets.is_some_and(|offsets| offsets.is_unstable(&topic.0, index)) {
                return (index, none.clone(), codes::UNSTABLE_OFFSET_COMMIT);
            }
            let committed = offsets.and_then(|offsets| offsets.get(&topic.0, index));
            (index, committed.unwrap_or(&none).clone(), codes::NONE)
        });
        let partitions = partitions.collect();
        Position { topic, partitions }
    });
    positions.collect()
}

/// Deletes positions of a group whose members do not subscribe to the topic.
pub(in super::super) fn delete(
    call: &Call<'_>,
    request: OffsetDeleteRequest,
) -> OffsetDeleteResponse {
    let mut state = call.broker.lock();
    let now = Instant::now();
    if let Some(group) = state.groups.get_mut(&request.group_id.0) {
        group.expire(now);
    }
    let error = match state.groups.get(&request.group_id.0) {
        None => Some(codes::GROUP_ID_NOT_FOUND),
        Some(group) if group.phase != Phase::Empty && group.protocol_type != "consumer" => {
            Some(codes::NON_EMPTY_GROUP)
        }
        Some(_) => None,
    };
    if let Some(code) = error {
        return OffsetDeleteResponse::default().with_error_code(code);
    }
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|partition| {
            let index = partition.partition_index;
            let known = state.partition(&topic.name.0, index).is_some();
            let group = state.groups.get_mut(&request.group_id.0);
            let error = match group {
                _ if !known => codes::UNKNOWN_TOPIC_OR_PARTITION,
                Some(group) if group.subscribes_to(&topic.name.0) => {
                    codes::GROUP_SUBSCRIBED_TO_TOPIC
                }
                Some(group) => {
                    group.offsets.delete(&topic.name.0, index);
                    codes::NONE
                }
                None => codes::GROUP_ID_NOT_FOUND,
            };
            OffsetDeleteResponsePartition::default()
                .with_partition_index(index)
                .with_error_code(error)
        });
        let partitions = partitions.collect();
        OffsetDeleteResponseTopic::default()
            .with_name(topic.name)
            .with_partitions(partitions)
    });
    let topics = topics.collect();
    OffsetDeleteResponse::default().with_topics(topics)
}

/// Answers where a leader epoch ended: there has been only one.
pub(in super::super) fn for_leader_epoch(
    call: &Call<'_>,
    request: OffsetForLeaderEpochRequest,
) -> OffsetForLeaderEpochResponse {
    let state = call.broker.lock();
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|asked| {
            let response = EpochEndOffset::default().with_partition(asked.partition);
            let log = state.partition(&topic.topic.0, asked.partition);
            match (log, check_epoch(asked.current_leader_epoch)) {
                (None, _) => response.with_error_code(codes::UNKNOWN_TOPIC_OR_PARTITION),
                (Some(_), Err(code)) => response.with_error_code(code),
                (Some(log), Ok(())) if asked.leader_epoch == LEADER_EPOCH => response
                    .with_leader_epoch(LEADER_EPOCH)
                    .with_end_offset(log.end()),
                (Some(_), Ok(())) => response,
            }
        });
        let partitions = partitions.collect();
        OffsetForLeaderTopicResult::default()
            .with_topic(topic.topic)
            .with_partitions(partitions)
    });
    OffsetForLeaderEpochResponse::default().with_topics(topics.collect())
}
