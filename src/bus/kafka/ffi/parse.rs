//! Copies the answers of the admin API out of librdkafka's objects.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int};

use rdkafka::bindings as sys;
use sys::rd_kafka_consumer_group_state_t as state;
use sys::rd_kafka_consumer_group_type_t as kind;

use crate::model::{
    Assignment, Broker, BrokerId, Cluster, GroupListing, GroupMembers, GroupType, Member,
    Partition, PartitionId, Problem, ProblemKind, Text, Topic, TopicName,
};

use super::admin::{Answer, Failure, FoundCommit, FoundOffset, Outcome, Settings};
use super::{Code, bytes, pointers, raw, text};

/// The answer an event carries; `None` for an event that is no answer to one of our questions.
///
/// # Safety
/// `event` is a live event without an error.
pub(super) unsafe fn answer(event: *mut sys::rd_kafka_event_t) -> Option<Answer> {
    // SAFETY: the event is alive, and each result accessor fits the event's type; what they return lives as
    // long as the event and is copied.
    unsafe {
        Some(match sys::rd_kafka_event_type(event) {
            sys::RD_KAFKA_EVENT_DESCRIBECLUSTER_RESULT => {
                cluster(sys::rd_kafka_event_DescribeCluster_result(event))
            }
            sys::RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT => {
                topics(sys::rd_kafka_event_DescribeTopics_result(event))
            }
            sys::RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT => {
                configs(sys::rd_kafka_event_DescribeConfigs_result(event))
            }
            sys::RD_KAFKA_EVENT_LISTOFFSETS_RESULT => {
                offsets(sys::rd_kafka_event_ListOffsets_result(event))
            }
            sys::RD_KAFKA_EVENT_LISTCONSUMERGROUPS_RESULT => {
                groups(sys::rd_kafka_event_ListConsumerGroups_result(event))
            }
            sys::RD_KAFKA_EVENT_DESCRIBECONSUMERGROUPS_RESULT => {
                members(sys::rd_kafka_event_DescribeConsumerGroups_result(event))
            }
            sys::RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT => {
                commits(sys::rd_kafka_event_ListConsumerGroupOffsets_result(event))
            }
            sys::RD_KAFKA_EVENT_ALTERCONSUMERGROUPOFFSETS_RESULT => {
                let result = sys::rd_kafka_event_AlterConsumerGroupOffsets_result(event);
                let mut count = 0;
                let groups =
                    sys::rd_kafka_AlterConsumerGroupOffsets_result_groups(result, &raw mut count);
                changed(pointers(groups, count))
            }
            sys::RD_KAFKA_EVENT_DELETECONSUMERGROUPOFFSETS_RESULT => {
                let result = sys::rd_kafka_event_DeleteConsumerGroupOffsets_result(event);
                let mut count = 0;
                let groups =
                    sys::rd_kafka_DeleteConsumerGroupOffsets_result_groups(result, &raw mut count);
                changed(pointers(groups, count))
            }
            _ => return None,
        })
    }
}

/// What an error object says; `None` when it is null or stands for success.
///
/// # Safety
/// `error` is null or a live error.
pub(super) unsafe fn failure(error: *const sys::rd_kafka_error_t) -> Option<Failure> {
    if error.is_null() {
        return None;
    }
    // SAFETY: the error is alive.
    unsafe {
        let code = Code(raw::rd_kafka_error_code(error));
        (!code.is_ok()).then(|| Failure {
            code,
            words: text(sys::rd_kafka_error_string(error)),
        })
    }
}

// SAFETY (all functions below): the result belongs to a live event, and so does everything reached from it.

unsafe fn cluster(result: *const sys::rd_kafka_DescribeCluster_result_t) -> Answer {
    // SAFETY: see above; `count` is set by the call before it is read.
    unsafe {
        let mut count = 0;
        let nodes = sys::rd_kafka_DescribeCluster_result_nodes(result, &raw mut count);
        let mut brokers: Vec<Broker> = pointers(nodes, count)
            .iter()
            .filter(|node| !node.is_null())
            .map(|node| Broker {
                id: BrokerId(sys::rd_kafka_Node_id(*node)),
                host: text(sys::rd_kafka_Node_host(*node)),
                port: sys::rd_kafka_Node_port(*node),
                rack: some_text(sys::rd_kafka_Node_rack(*node)),
            })
            .collect();
        brokers.sort_by_key(|broker| broker.id);
        Answer::Cluster(Cluster {
            cluster_id: some_text(sys::rd_kafka_DescribeCluster_result_cluster_id(result)),
            controller: node_id(sys::rd_kafka_DescribeCluster_result_controller(result)),
            brokers,
        })
    }
}

unsafe fn topics(result: *const sys::rd_kafka_DescribeTopics_result_t) -> Answer {
    // SAFETY: see above.
    unsafe {
        let mut count = 0;
        let found = sys::rd_kafka_DescribeTopics_result_topics(result, &raw mut count);
        Answer::Topics(
            pointers(found, count)
                .iter()
                .map(|topic| {
                    let name: TopicName = text(sys::rd_kafka_TopicDescription_name(*topic)).into();
                    let described = failure(sys::rd_kafka_TopicDescription_error(*topic))
                        .map_or_else(|| Ok(topic_described(name.clone(), *topic)), Err);
                    (name, described)
                })
                .collect(),
        )
    }
}

unsafe fn topic_described(
    name: TopicName,
    topic: *const sys::rd_kafka_TopicDescription_t,
) -> Topic {
    // SAFETY: see above.
    unsafe {
        let id = sys::rd_kafka_TopicDescription_topic_id(topic);
        let id = if id.is_null() {
            None
        } else {
            some_text(sys::rd_kafka_Uuid_base64str(id)).map(|id| url_safe(&id))
        };
        let mut count = 0;
        let found = sys::rd_kafka_TopicDescription_partitions(topic, &raw mut count);
        let mut partitions: Vec<Partition> = pointers(found, count)
            .iter()
            .map(|partition| partition_described(*partition))
            .collect();
        partitions.sort_by_key(|partition| partition.id);
        Topic {
            name,
            topic_id: id.filter(|id| !id.bytes().all(|byte| byte == b'A')),
            internal: sys::rd_kafka_TopicDescription_is_internal(topic) != 0,
            config: Err(not_asked()),
            partitions,
            error: None,
        }
    }
}

unsafe fn partition_described(partition: *const sys::rd_kafka_TopicPartitionInfo_t) -> Partition {
    // SAFETY: see above.
    unsafe {
        let (mut replica_count, mut isr_count) = (0, 0);
        let replicas = sys::rd_kafka_TopicPartitionInfo_replicas(partition, &raw mut replica_count);
        let isr = sys::rd_kafka_TopicPartitionInfo_isr(partition, &raw mut isr_count);
        let ids = |nodes: &[*const sys::rd_kafka_Node_t]| {
            nodes.iter().filter_map(|node| node_id(*node)).collect()
        };
        Partition {
            id: PartitionId(sys::rd_kafka_TopicPartitionInfo_partition(partition)),
            leader: node_id(sys::rd_kafka_TopicPartitionInfo_leader(partition)),
            replicas: ids(pointers(replicas, replica_count)),
            isr: ids(pointers(isr, isr_count)),
            log_start: Err(not_asked()),
            high_watermark: Err(not_asked()),
            last_stable: Err(not_asked()),
            error: None,
        }
    }
}

unsafe fn configs(result: *const sys::rd_kafka_DescribeConfigs_result_t) -> Answer {
    // SAFETY: see above.
    unsafe {
        let mut count = 0;
        let resources = sys::rd_kafka_DescribeConfigs_result_resources(result, &raw mut count);
        Answer::TopicConfigs(
            pointers(
                resources.cast::<*const sys::rd_kafka_ConfigResource_t>(),
                count,
            )
            .iter()
            .map(|resource| {
                let code = Code(raw::rd_kafka_ConfigResource_error(*resource));
                let name = owned(sys::rd_kafka_ConfigResource_name(*resource));
                let entries = if code.is_ok() {
                    Ok(config_entries(*resource))
                } else {
                    Err(Failure {
                        code,
                        words: text(sys::rd_kafka_ConfigResource_error_string(*resource)),
                    })
                };
                (name, entries)
            })
            .collect(),
        )
    }
}

unsafe fn config_entries(resource: *const sys::rd_kafka_ConfigResource_t) -> Settings {
    // SAFETY: see above.
    unsafe {
        let mut count = 0;
        let entries = sys::rd_kafka_ConfigResource_configs(resource, &raw mut count);
        pointers(entries, count)
            .iter()
            .map(|entry| {
                (
                    text(sys::rd_kafka_ConfigEntry_name(*entry)),
                    some_text(sys::rd_kafka_ConfigEntry_value(*entry)),
                )
            })
            .collect()
    }
}

unsafe fn offsets(result: *const sys::rd_kafka_ListOffsets_result_t) -> Answer {
    // SAFETY: see above.
    unsafe {
        let mut count = 0;
        let infos = sys::rd_kafka_ListOffsets_result_infos(result, &raw mut count);
        Answer::Offsets(
            pointers(infos, count)
                .iter()
                .filter_map(|info| {
                    let entry = entry(sys::rd_kafka_ListOffsetsResultInfo_topic_partition(*info))?;
                    Some(FoundOffset {
                        topic: entry.topic,
                        partition: entry.partition,
                        offset: entry.offset,
                        timestamp: sys::rd_kafka_ListOffsetsResultInfo_timestamp(*info),
                        code: entry.code,
                    })
                })
                .collect(),
        )
    }
}

unsafe fn groups(result: *const sys::rd_kafka_ListConsumerGroups_result_t) -> Answer {
    // SAFETY: see above.
    unsafe {
        let (mut count, mut error_count) = (0, 0);
        let valid = sys::rd_kafka_ListConsumerGroups_result_valid(result, &raw mut count);
        let errors = sys::rd_kafka_ListConsumerGroups_result_errors(result, &raw mut error_count);
        let listed = pointers(valid, count)
            .iter()
            .map(|group| GroupListing {
                name: owned(sys::rd_kafka_ConsumerGroupListing_group_id(*group)),
                kind: group_type(sys::rd_kafka_ConsumerGroupListing_type(*group)),
                protocol_type: None,
                state: state_name(sys::rd_kafka_ConsumerGroupListing_state(*group)),
                coordinator: None,
            })
            .collect();
        let failures = pointers(errors, error_count)
            .iter()
            .filter_map(|error| failure(*error))
            .collect();
        Answer::Groups(listed, failures)
    }
}

unsafe fn members(result: *const sys::rd_kafka_DescribeConsumerGroups_result_t) -> Answer {
    // SAFETY: see above.
    unsafe {
        let mut count = 0;
        let described = sys::rd_kafka_DescribeConsumerGroups_result_groups(result, &raw mut count);
        let Some(group) = pointers(described, count).first().copied() else {
            return Answer::Members(Err(empty_answer()));
        };
        if let Some(failure) = failure(sys::rd_kafka_ConsumerGroupDescription_error(group)) {
            return Answer::Members(Err(failure));
        }
        let members = (0..sys::rd_kafka_ConsumerGroupDescription_member_count(group))
            .filter_map(|index| member(sys::rd_kafka_ConsumerGroupDescription_member(group, index)))
            .collect();
        Answer::Members(Ok(GroupMembers {
            assignor: some_text(sys::rd_kafka_ConsumerGroupDescription_partition_assignor(
                group,
            )),
            coordinator: node_id(sys::rd_kafka_ConsumerGroupDescription_coordinator(group)),
            state: state_name(sys::rd_kafka_ConsumerGroupDescription_state(group)),
            members: Ok(members),
        }))
    }
}

unsafe fn member(member: *const sys::rd_kafka_MemberDescription_t) -> Option<Member> {
    if member.is_null() {
        return None;
    }
    // SAFETY: see above.
    unsafe {
        let instance = sys::rd_kafka_MemberDescription_group_instance_id(member);
        let mut by_topic: BTreeMap<Text, Vec<PartitionId>> = BTreeMap::new();
        let assignment = sys::rd_kafka_MemberDescription_assignment(member);
        if !assignment.is_null() {
            for entry in entries(sys::rd_kafka_MemberAssignment_partitions(assignment)) {
                by_topic
                    .entry(entry.topic)
                    .or_default()
                    .push(PartitionId(entry.partition));
            }
        }
        Some(Member {
            member_id: owned(sys::rd_kafka_MemberDescription_consumer_id(member)),
            client_id: owned(sys::rd_kafka_MemberDescription_client_id(member)),
            host: owned(sys::rd_kafka_MemberDescription_host(member)),
            instance_id: bytes(instance)
                .filter(|id| !id.is_empty())
                .map(Text::from_bytes),
            assignment: by_topic
                .into_iter()
                .map(|(topic, mut partitions)| {
                    partitions.sort_unstable();
                    Assignment {
                        topic: topic.lossy().into(),
                        partitions,
                    }
                })
                .collect(),
        })
    }
}

unsafe fn commits(result: *const sys::rd_kafka_ListConsumerGroupOffsets_result_t) -> Answer {
    // SAFETY: see above.
    unsafe {
        let mut count = 0;
        let found = sys::rd_kafka_ListConsumerGroupOffsets_result_groups(result, &raw mut count);
        let Some(group) = pointers(found, count).first().copied() else {
            return Answer::Commits(Err(empty_answer()));
        };
        if let Some(failure) = failure(sys::rd_kafka_group_result_error(group)) {
            return Answer::Commits(Err(failure));
        }
        Answer::Commits(Ok(entries(sys::rd_kafka_group_result_partitions(group))
            .into_iter()
            .map(|entry| FoundCommit {
                topic: entry.topic,
                partition: entry.partition,
                offset: entry.offset,
                leader_epoch: entry.leader_epoch,
                metadata: entry.metadata,
                code: entry.code,
            })
            .collect()))
    }
}

unsafe fn changed(groups: &[*const sys::rd_kafka_group_result_t]) -> Answer {
    let Some(group) = groups.first().copied() else {
        return Answer::Changed(Err(empty_answer()));
    };
    // SAFETY: see above.
    unsafe {
        if let Some(failure) = failure(sys::rd_kafka_group_result_error(group)) {
            return Answer::Changed(Err(failure));
        }
        Answer::Changed(Ok(entries(sys::rd_kafka_group_result_partitions(group))
            .into_iter()
            .map(|entry| Outcome {
                topic: entry.topic,
                partition: entry.partition,
                code: entry.code,
            })
            .collect()))
    }
}

struct Entry {
    topic: Text,
    partition: i32,
    offset: i64,
    leader_epoch: i32,
    metadata: Text,
    code: Code,
}

unsafe fn entries(list: *const sys::rd_kafka_topic_partition_list_t) -> Vec<Entry> {
    // SAFETY: a list holds `cnt` entries from `elems` on.
    unsafe {
        let Some(list) = list.as_ref() else {
            return Vec::new();
        };
        let count = usize::try_from(list.cnt).unwrap_or(0);
        (0..count)
            .filter_map(|index| entry(list.elems.add(index)))
            .collect()
    }
}

unsafe fn entry(entry: *const sys::rd_kafka_topic_partition_t) -> Option<Entry> {
    if entry.is_null() {
        return None;
    }
    // SAFETY: the entry is alive; its error code is read as the integer it is, since the binding's enum does
    // not list every code a broker may send; the metadata are `metadata_size` bytes when not null.
    unsafe {
        let metadata = (*entry).metadata;
        let metadata = if metadata.is_null() {
            &[]
        } else {
            std::slice::from_raw_parts(metadata.cast::<u8>().cast_const(), (*entry).metadata_size)
        };
        Some(Entry {
            topic: owned((*entry).topic),
            partition: (*entry).partition,
            offset: (*entry).offset,
            leader_epoch: sys::rd_kafka_topic_partition_get_leader_epoch(entry),
            metadata: Text::from_bytes(metadata),
            code: Code((&raw const (*entry).err).cast::<c_int>().read()),
        })
    }
}

unsafe fn owned(ptr: *const c_char) -> Text {
    // SAFETY: null or a live C string.
    Text::from_bytes(unsafe { bytes(ptr) }.unwrap_or_default())
}

unsafe fn some_text(ptr: *const c_char) -> Option<String> {
    // SAFETY: null or a live C string.
    let text = unsafe { text(ptr) };
    (!text.is_empty()).then_some(text)
}

unsafe fn node_id(node: *const sys::rd_kafka_Node_t) -> Option<BrokerId> {
    if node.is_null() {
        return None;
    }
    // SAFETY: the node is alive.
    let id = unsafe { sys::rd_kafka_Node_id(node) };
    (id >= 0).then_some(BrokerId(id))
}

/// A topic id as Kafka's own tools write it: librdkafka writes the same bytes in base64's other alphabet.
fn url_safe(id: &str) -> String {
    id.replace('+', "-")
        .replace('/', "_")
        .trim_end_matches('=')
        .to_owned()
}

/// The state's name as brokers write it; `None` for one that librdkafka does not know.
fn state_name(state: state) -> Option<String> {
    let name = match state {
        state::RD_KAFKA_CONSUMER_GROUP_STATE_PREPARING_REBALANCE => "PreparingRebalance",
        state::RD_KAFKA_CONSUMER_GROUP_STATE_COMPLETING_REBALANCE => "CompletingRebalance",
        state::RD_KAFKA_CONSUMER_GROUP_STATE_STABLE => "Stable",
        state::RD_KAFKA_CONSUMER_GROUP_STATE_DEAD => "Dead",
        state::RD_KAFKA_CONSUMER_GROUP_STATE_EMPTY => "Empty",
        state::RD_KAFKA_CONSUMER_GROUP_STATE_UNKNOWN
        | state::RD_KAFKA_CONSUMER_GROUP_STATE__CNT => return None,
    };
    Some(name.to_owned())
}

fn group_type(kind: kind) -> GroupType {
    match kind {
        kind::RD_KAFKA_CONSUMER_GROUP_TYPE_CONSUMER => GroupType::Consumer,
        kind::RD_KAFKA_CONSUMER_GROUP_TYPE_CLASSIC => GroupType::Classic,
        kind::RD_KAFKA_CONSUMER_GROUP_TYPE_UNKNOWN | kind::RD_KAFKA_CONSUMER_GROUP_TYPE__CNT => {
            GroupType::Unknown
        }
    }
}

fn empty_answer() -> Failure {
    Failure {
        code: Code(-1),
        words: "the answer names no group".to_owned(),
    }
}

fn not_asked() -> Problem {
    Problem::new(ProblemKind::Other, "not asked for")
}
