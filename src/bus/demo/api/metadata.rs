//! `Metadata`, `FindCoordinator`, `DescribeCluster`, `DescribeLogDirs`: one broker, which is everything to everybody.

use kafka_protocol::messages::describe_cluster_response::DescribeClusterBroker;
use kafka_protocol::messages::describe_log_dirs_response::{
    DescribeLogDirsPartition, DescribeLogDirsResult, DescribeLogDirsTopic,
};
use kafka_protocol::messages::find_coordinator_response::Coordinator;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::metadata_response::{
    MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use kafka_protocol::messages::{
    BrokerId, DescribeClusterRequest, DescribeClusterResponse, DescribeLogDirsRequest,
    DescribeLogDirsResponse, FindCoordinatorRequest, FindCoordinatorResponse, MetadataRequest,
    MetadataResponse, TopicName,
};
use uuid::Uuid;

use super::super::broker::{Broker, CLUSTER_ID, NODE_ID, Topic};
use super::super::codes;
use super::super::dispatch::Call;
use super::super::log::LEADER_EPOCH;
use super::{fixed, once, text};

/// The bit field "every operation that a cluster has": Create, Alter, Describe and so on.
const CLUSTER_OPERATIONS: i32 = 0b1_1111_1010_0000;
/// The bit field "every operation that a topic has".
const TOPIC_OPERATIONS: i32 = 0b0_1101_1111_1000;
/// What the protocol writes when operations were not asked for.
const NOT_ASKED: i32 = i32::MIN;

const HOST: &str = "127.0.0.1";

/// Answers with topics and their partitions. A topic is never made by asking for it.
pub(in super::super) fn metadata(call: &Call<'_>, request: MetadataRequest) -> MetadataResponse {
    let operations = if request.include_topic_authorized_operations {
        TOPIC_OPERATIONS
    } else {
        NOT_ASKED
    };
    let described = |name: &str, topic: &Topic| {
        described_topic(name, topic).with_topic_authorized_operations(operations)
    };
    let state = call.broker.lock();
    // Version 0 has no null: there, an empty list asks for every topic.
    let asked = request
        .topics
        .filter(|topics| call.version > 0 || !topics.is_empty());
    let topics = match asked {
        None => state
            .topics
            .iter()
            .map(|(name, topic)| described(name, topic))
            .collect(),
        Some(asked) => asked
            .into_iter()
            .filter(once(|asked: &MetadataRequestTopic| {
                (asked.name.clone(), asked.topic_id)
            }))
            .map(|asked| {
                let by_id = || state.names_by_id.get(asked.topic_id.as_bytes());
                let name = match &asked.name {
                    Some(name) => Some(name.0.as_str()),
                    None => by_id().map(String::as_str),
                };
                let Some(name) = name else {
                    return MetadataResponseTopic::default()
                        .with_error_code(codes::UNKNOWN_TOPIC_ID)
                        .with_topic_id(asked.topic_id)
                        .with_name((call.version < 12).then(TopicName::default));
                };
                match state.topics.get(name) {
                    Some(topic) => described(name, topic),
                    None => MetadataResponseTopic::default()
                        .with_error_code(codes::UNKNOWN_TOPIC_OR_PARTITION)
                        .with_name(Some(TopicName(text(name)))),
                }
            })
            .collect(),
    };
    drop(state);
    let cluster_operations = if request.include_cluster_authorized_operations {
        CLUSTER_OPERATIONS
    } else {
        NOT_ASKED
    };
    MetadataResponse::default()
        .with_brokers(vec![
            MetadataResponseBroker::default()
                .with_node_id(BrokerId(NODE_ID))
                .with_host(fixed(HOST))
                .with_port(i32::from(call.broker.address.port())),
        ])
        .with_cluster_id(Some(fixed(CLUSTER_ID)))
        .with_controller_id(BrokerId(NODE_ID))
        .with_topics(topics)
        .with_cluster_authorized_operations(cluster_operations)
}

fn described_topic(name: &str, topic: &Topic) -> MetadataResponseTopic {
    let partitions = (0..).zip(&topic.partitions).map(|(index, _log)| {
        MetadataResponsePartition::default()
            .with_partition_index(index)
            .with_leader_id(BrokerId(NODE_ID))
            .with_leader_epoch(LEADER_EPOCH)
            .with_replica_nodes(vec![BrokerId(NODE_ID)])
            .with_isr_nodes(vec![BrokerId(NODE_ID)])
    });
    MetadataResponseTopic::default()
        .with_name(Some(TopicName(text(name))))
        .with_topic_id(Uuid::from_bytes(topic.id))
        .with_is_internal(name.starts_with("__"))
        .with_partitions(partitions.collect())
}

/// Answers that this broker coordinates every group and every transaction.
pub(in super::super) fn find_coordinator(
    call: &Call<'_>,
    request: FindCoordinatorRequest,
) -> FindCoordinatorResponse {
    let known = (0..=1).contains(&request.key_type);
    let error = if known {
        codes::NONE
    } else {
        codes::INVALID_REQUEST
    };
    let port = i32::from(call.broker.address.port());
    if call.version >= 4 {
        let coordinators = request.coordinator_keys.into_iter().map(|key| {
            Coordinator::default()
                .with_key(key)
                .with_node_id(BrokerId(NODE_ID))
                .with_host(fixed(HOST))
                .with_port(port)
                .with_error_code(error)
        });
        return FindCoordinatorResponse::default().with_coordinators(coordinators.collect());
    }
    FindCoordinatorResponse::default()
        .with_error_code(error)
        .with_node_id(BrokerId(NODE_ID))
        .with_host(fixed(HOST))
        .with_port(port)
}

/// Answers with the cluster's id and its one broker.
pub(in super::super) fn describe_cluster(
    call: &Call<'_>,
    request: &DescribeClusterRequest,
) -> DescribeClusterResponse {
    let operations = if request.include_cluster_authorized_operations {
        CLUSTER_OPERATIONS
    } else {
        NOT_ASKED
    };
    DescribeClusterResponse::default()
        .with_cluster_id(fixed(CLUSTER_ID))
        .with_controller_id(BrokerId(NODE_ID))
        .with_brokers(vec![broker(call.broker)])
        .with_cluster_authorized_operations(operations)
}

fn broker(broker: &Broker) -> DescribeClusterBroker {
    DescribeClusterBroker::default()
        .with_broker_id(BrokerId(NODE_ID))
        .with_host(fixed(HOST))
        .with_port(i32::from(broker.address.port()))
}

/// Answers with the bytes that each partition keeps.
pub(in super::super) fn log_dirs(
    call: &Call<'_>,
    request: DescribeLogDirsRequest,
) -> DescribeLogDirsResponse {
    let state = call.broker.lock();
    let asked = request.topics.map(|topics| {
        let names = topics.into_iter();
        names
            .map(|topic| (topic.topic.0.to_string(), topic.partitions))
            .collect::<Vec<_>>()
    });
    let every = || {
        let all = state.topics.iter().map(|(name, topic)| {
            let partitions = (0..).zip(&topic.partitions).map(|(index, _log)| index);
            (name.clone(), partitions.collect())
        });
        all.collect()
    };
    let topics = asked
        .unwrap_or_else(every)
        .into_iter()
        .map(|(name, indexes)| {
            let partitions = indexes.into_iter().filter_map(|index| {
                let log = state.partition(&name, index)?;
                let partition = DescribeLogDirsPartition::default()
                    .with_partition_index(index)
                    .with_partition_size(i64::try_from(log.bytes()).unwrap_or(i64::MAX));
                Some(partition)
            });
            DescribeLogDirsTopic::default()
                .with_name(TopicName(text(&name)))
                .with_partitions(partitions.collect())
        });
    let result = DescribeLogDirsResult::default()
        .with_log_dir(fixed("/memory"))
        .with_topics(topics.collect());
    DescribeLogDirsResponse::default().with_results(vec![result])
}
