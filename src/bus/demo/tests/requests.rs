//! One plausible request of every kind, in every version that is served.

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::add_partitions_to_txn_request::AddPartitionsToTxnTopic;
use kafka_protocol::messages::create_partitions_request::CreatePartitionsTopic;
use kafka_protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};
use kafka_protocol::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsTopic,
};
use kafka_protocol::messages::delete_topics_request::DeleteTopicState;
use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::messages::describe_producers_request::TopicRequest;
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig,
};
use kafka_protocol::messages::join_group_request::JoinGroupRequestProtocol;
use kafka_protocol::messages::leave_group_request::MemberIdentity;
use kafka_protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::offset_commit_request::{
    OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use kafka_protocol::messages::offset_delete_request::{
    OffsetDeleteRequestPartition, OffsetDeleteRequestTopic,
};
use kafka_protocol::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};
use kafka_protocol::messages::offset_for_leader_epoch_request::{
    OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::txn_offset_commit_request::{
    TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::{Encodable as _, Request, StrBytes};

use crate::bus::demo::batch::Builder;
use crate::bus::demo::consumer_protocol::subscription;

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

fn topic(name: &str) -> TopicName {
    TopicName(text(name))
}

fn group(name: &str) -> GroupId {
    GroupId(text(name))
}

/// A request's frame, without the length before it.
pub(super) fn frame<R: Request>(request: &R, version: i16) -> Bytes {
    let key = ApiKey::try_from(R::KEY).unwrap();
    let mut bytes = BytesMut::new();
    let header = RequestHeader::default()
        .with_request_api_key(R::KEY)
        .with_request_api_version(version)
        .with_correlation_id(7)
        .with_client_id(Some(text("test")));
    header
        .encode(&mut bytes, key.request_header_version(version))
        .unwrap();
    request.encode(&mut bytes, version).unwrap();
    bytes.freeze()
}

/// A batch of one record.
pub(super) fn batch() -> Bytes {
    let mut builder = Builder::new(super::NOON);
    builder.push(super::NOON, Some(b"key"), Some(b"value"), &[]);
    builder.finish(0)
}

/// A plausible request of this kind in this version. Those that need a member or a transaction name
/// `member` or `producer`.
#[expect(clippy::too_many_lines, reason = "one table")]
pub(super) fn plausible(key: ApiKey, version: i16, member: &str, producer: (i64, i16)) -> Bytes {
    let v = version;
    let (id, epoch) = (ProducerId(producer.0), producer.1);
    let txn = || TransactionalId(text("txn"));
    match key {
        ApiKey::Produce => frame(
            &ProduceRequest::default()
                .with_acks(-1)
                .with_timeout_ms(1_000)
                .with_topic_data(vec![
                    TopicProduceData::default()
                        .with_name(topic("orders"))
                        .with_partition_data(vec![
                            PartitionProduceData::default()
                                .with_index(0)
                                .with_records(Some(batch())),
                            PartitionProduceData::default().with_index(99),
                        ]),
                ]),
            v,
        ),
        ApiKey::Fetch => frame(
            &FetchRequest::default()
                .with_max_bytes(100_000)
                .with_min_bytes(1)
                .with_isolation_level(1)
                .with_topics(vec![
                    FetchTopic::default()
                        .with_topic(topic("orders"))
                        .with_partitions(vec![
                            FetchPartition::default()
                                .with_partition(3)
                                .with_partition_max_bytes(50_000),
                            FetchPartition::default().with_partition(99),
                        ]),
                ]),
            v,
        ),
        ApiKey::ListOffsets => {
            let partition = |time| {
                ListOffsetsPartition::default()
                    .with_partition_index(0)
                    .with_timestamp(time)
            };
            frame(
                &ListOffsetsRequest::default().with_topics(vec![
                    ListOffsetsTopic::default()
                        .with_name(topic("orders"))
                        .with_partitions([-1, -2, -3, 0].map(partition).to_vec()),
                ]),
                v,
            )
        }
        ApiKey::Metadata => {
            let known = MetadataRequestTopic::default().with_name(Some(topic("orders")));
            let unknown = MetadataRequestTopic::default().with_name(Some(topic("nowhere")));
            frame(
                &MetadataRequest::default()
                    .with_topics(Some(vec![known, unknown]))
                    .with_allow_auto_topic_creation(true)
                    .with_include_cluster_authorized_operations((8..=10).contains(&v))
                    .with_include_topic_authorized_operations(v >= 8),
                v,
            )
        }
        ApiKey::OffsetCommit => frame(
            &OffsetCommitRequest::default()
                .with_group_id(group("committer"))
                .with_generation_id_or_member_epoch(-1)
                .with_topics(vec![
                    OffsetCommitRequestTopic::default()
                        .with_name(topic("orders"))
                        .with_partitions(vec![
                            OffsetCommitRequestPartition::default().with_committed_offset(5),
                        ]),
                ]),
            v,
        ),
        ApiKey::OffsetFetch if v >= 8 => frame(
            &OffsetFetchRequest::default().with_groups(vec![
                OffsetFetchRequestGroup::default()
                    .with_group_id(group("billing"))
                    .with_topics(None),
                OffsetFetchRequestGroup::default()
                    .with_group_id(group("audit"))
                    .with_topics(Some(vec![
                        OffsetFetchRequestTopics::default()
                            .with_name(topic("orders"))
                            .with_partition_indexes(vec![0]),
                    ])),
            ]),
            v,
        ),
        ApiKey::OffsetFetch => frame(
            &OffsetFetchRequest::default()
                .with_group_id(group("billing"))
                .with_topics(Some(vec![
                    OffsetFetchRequestTopic::default()
                        .with_name(topic("orders"))
                        .with_partition_indexes(vec![0, 1]),
                ])),
            v,
        ),
        ApiKey::FindCoordinator if v >= 4 => frame(
            &FindCoordinatorRequest::default()
                .with_coordinator_keys(vec![text("billing"), text("audit")]),
            v,
        ),
        ApiKey::FindCoordinator => frame(
            &FindCoordinatorRequest::default().with_key(text("billing")),
            v,
        ),
        ApiKey::JoinGroup => frame(
            &JoinGroupRequest::default()
                .with_group_id(group("joiners"))
                .with_session_timeout_ms(10_000)
                .with_rebalance_timeout_ms(if v >= 1 { 10_000 } else { -1 })
                .with_member_id(text(member))
                .with_protocol_type(text("consumer"))
                .with_protocols(vec![
                    JoinGroupRequestProtocol::default()
                        .with_name(text("range"))
                        .with_metadata(subscription(&["orders"])),
                ]),
            v,
        ),
        ApiKey::SyncGroup => frame(
            &SyncGroupRequest::default()
                .with_group_id(group("joiners"))
                .with_generation_id(1)
                .with_member_id(text(member))
                .with_protocol_type((v >= 5).then(|| text("consumer")))
                .with_protocol_name((v >= 5).then(|| text("range"))),
            v,
        ),
        ApiKey::Heartbeat => frame(
            &HeartbeatRequest::default()
                .with_group_id(group("joiners"))
                .with_generation_id(1)
                .with_member_id(text(member)),
            v,
        ),
        ApiKey::LeaveGroup if v >= 3 => frame(
            &LeaveGroupRequest::default()
                .with_group_id(group("joiners"))
                .with_members(vec![MemberIdentity::default().with_member_id(text(member))]),
            v,
        ),
        ApiKey::LeaveGroup => frame(
            &LeaveGroupRequest::default()
                .with_group_id(group("joiners"))
                .with_member_id(text(member)),
            v,
        ),
        ApiKey::DescribeGroups => frame(
            &DescribeGroupsRequest::default()
                .with_groups(vec![group("billing"), group("nobody")])
                .with_include_authorized_operations(v >= 3),
            v,
        ),
        ApiKey::ListGroups => frame(
            &ListGroupsRequest::default()
                .with_states_filter(if v >= 4 { vec![text("stable")] } else { vec![] })
                .with_types_filter(if v >= 5 {
                    vec![text("classic")]
                } else {
                    vec![]
                }),
            v,
        ),
        ApiKey::ApiVersions => frame(&ApiVersionsRequest::default(), v),
        ApiKey::CreateTopics => frame(
            &CreateTopicsRequest::default().with_topics(vec![
                CreatableTopic::default()
                    .with_name(topic(&format!("made-in-{v}")))
                    .with_num_partitions(2)
                    .with_replication_factor(1)
                    .with_configs(vec![
                        CreatableTopicConfig::default()
                            .with_name(text("retention.ms"))
                            .with_value(Some(text("1000"))),
                    ]),
                CreatableTopic::default().with_name(topic("not legal")),
            ]),
            v,
        ),
        ApiKey::DeleteTopics if v >= 6 => frame(
            &DeleteTopicsRequest::default().with_topics(vec![
                DeleteTopicState::default().with_name(Some(topic("nowhere"))),
                DeleteTopicState::default().with_topic_id(uuid::Uuid::from_u128(9)),
            ]),
            v,
        ),
        ApiKey::DeleteTopics => frame(
            &DeleteTopicsRequest::default().with_topic_names(vec![topic("nowhere")]),
            v,
        ),
        ApiKey::DeleteRecords => frame(
            &DeleteRecordsRequest::default().with_topics(vec![
                DeleteRecordsTopic::default()
                    .with_name(topic("shipments"))
                    .with_partitions(vec![DeleteRecordsPartition::default().with_offset(3)]),
            ]),
            v,
        ),
        ApiKey::InitProducerId => frame(
            &InitProducerIdRequest::default()
                .with_transactional_id(Some(txn()))
                .with_transaction_timeout_ms(60_000)
                .with_producer_id(ProducerId(-1))
                .with_producer_epoch(-1),
            v,
        ),
        ApiKey::OffsetForLeaderEpoch => frame(
            &OffsetForLeaderEpochRequest::default().with_topics(vec![
                OffsetForLeaderTopic::default()
                    .with_topic(topic("orders"))
                    .with_partitions(vec![
                        OffsetForLeaderPartition::default().with_leader_epoch(0),
                        OffsetForLeaderPartition::default().with_partition(99),
                    ]),
            ]),
            v,
        ),
        ApiKey::AddPartitionsToTxn => frame(
            &AddPartitionsToTxnRequest::default()
                .with_v3_and_below_transactional_id(txn())
                .with_v3_and_below_producer_id(id)
                .with_v3_and_below_producer_epoch(epoch)
                .with_v3_and_below_topics(vec![
                    AddPartitionsToTxnTopic::default()
                        .with_name(topic("orders"))
                        .with_partitions(vec![0]),
                ]),
            v,
        ),
        ApiKey::AddOffsetsToTxn => frame(
            &AddOffsetsToTxnRequest::default()
                .with_transactional_id(txn())
                .with_producer_id(id)
                .with_producer_epoch(epoch)
                .with_group_id(group("committer")),
            v,
        ),
        ApiKey::TxnOffsetCommit => frame(
            &TxnOffsetCommitRequest::default()
                .with_transactional_id(txn())
                .with_producer_id(id)
                .with_producer_epoch(epoch)
                .with_group_id(group("committer"))
                .with_topics(vec![
                    TxnOffsetCommitRequestTopic::default()
                        .with_name(topic("orders"))
                        .with_partitions(vec![
                            TxnOffsetCommitRequestPartition::default().with_committed_offset(6),
                        ]),
                ]),
            v,
        ),
        ApiKey::EndTxn => frame(
            &EndTxnRequest::default()
                .with_transactional_id(txn())
                .with_producer_id(id)
                .with_producer_epoch(epoch)
                .with_committed(true),
            v,
        ),
        ApiKey::DescribeConfigs => {
            let resource = |kind, name| {
                DescribeConfigsResource::default()
                    .with_resource_type(kind)
                    .with_resource_name(text(name))
                    .with_configuration_keys(None)
            };
            let resources = vec![resource(2, "orders"), resource(4, "1"), resource(9, "x")];
            frame(
                &DescribeConfigsRequest::default()
                    .with_resources(resources)
                    .with_include_synonyms(true),
                v,
            )
        }
        ApiKey::DescribeLogDirs => frame(&DescribeLogDirsRequest::default().with_topics(None), v),
        ApiKey::CreatePartitions => frame(
            &CreatePartitionsRequest::default()
                .with_validate_only(true)
                .with_topics(vec![
                    CreatePartitionsTopic::default()
                        .with_name(topic("payments"))
                        .with_count(5)
                        .with_assignments(None),
                    CreatePartitionsTopic::default()
                        .with_name(topic("payments"))
                        .with_count(1)
                        .with_assignments(None),
                ]),
            v,
        ),
        ApiKey::DeleteGroups => frame(
            &DeleteGroupsRequest::default().with_groups_names(vec![group("billing")]),
            v,
        ),
        ApiKey::IncrementalAlterConfigs => frame(
            &IncrementalAlterConfigsRequest::default().with_resources(vec![
                AlterConfigsResource::default()
                    .with_resource_type(2)
                    .with_resource_name(text("orders"))
                    .with_configs(vec![
                        AlterableConfig::default()
                            .with_name(text("retention.ms"))
                            .with_value(Some(text("604800000"))),
                    ]),
            ]),
            v,
        ),
        ApiKey::OffsetDelete => frame(
            &OffsetDeleteRequest::default()
                .with_group_id(group("reports"))
                .with_topics(vec![
                    OffsetDeleteRequestTopic::default()
                        .with_name(topic("orders"))
                        .with_partitions(vec![OffsetDeleteRequestPartition::default()]),
                ]),
            v,
        ),
        ApiKey::DescribeCluster => frame(
            &DescribeClusterRequest::default().with_include_cluster_authorized_operations(true),
            v,
        ),
        ApiKey::DescribeProducers => frame(
            &DescribeProducersRequest::default().with_topics(vec![
                TopicRequest::default()
                    .with_name(topic("orders"))
                    .with_partition_indexes(vec![3, 99]),
            ]),
            v,
        ),
        ApiKey::DescribeTransactions => frame(
            &DescribeTransactionsRequest::default()
                .with_transactional_ids(vec![TransactionalId(text("orders-import")), txn()]),
            v,
        ),
        ApiKey::ListTransactions => frame(
            &ListTransactionsRequest::default()
                .with_state_filters(vec![text("CompleteAbort"), text("Odd")])
                .with_duration_filter(-1),
            v,
        ),
        ApiKey::ConsumerGroupDescribe => frame(
            &ConsumerGroupDescribeRequest::default().with_group_ids(vec![group("billing")]),
            v,
        ),
        _ => panic!("{key:?} is not served"),
    }
}
