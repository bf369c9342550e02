//! `ListGroups`, `DescribeGroups`, `ConsumerGroupDescribe`, `DeleteGroups`.

use std::time::Instant;

use kafka_protocol::messages::consumer_group_describe_response;
use kafka_protocol::messages::delete_groups_response::DeletableGroupResult;
use kafka_protocol::messages::describe_groups_response::{DescribedGroup, DescribedGroupMember};
use kafka_protocol::messages::list_groups_response::ListedGroup;
use kafka_protocol::messages::{
    ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse, DeleteGroupsRequest,
    DeleteGroupsResponse, DescribeGroupsRequest, DescribeGroupsResponse, GroupId,
    ListGroupsRequest, ListGroupsResponse,
};

use super::super::codes;
use super::super::dispatch::Call;
use super::super::group::{Group, Phase};
use super::{fixed, once, text};

/// The bit field "every operation that a group has": Read, Delete, Describe.
const GROUP_OPERATIONS: i32 = 0b1_0100_1000;

/// Lists the groups in the states and of the types asked for.
pub(in super::super) fn list(call: &Call<'_>, request: ListGroupsRequest) -> ListGroupsResponse {
    let ListGroupsRequest {
        states_filter,
        types_filter,
        ..
    } = request;
    let mut state = call.broker.lock();
    state.groups.expire(Instant::now());
    let wanted = |filter: &[kafka_protocol::protocol::StrBytes], value: &str| {
        filter.is_empty() || filter.iter().any(|asked| asked.eq_ignore_ascii_case(value))
    };
    let groups = state.groups.0.iter().filter(|(_, group)| {
        wanted(&states_filter, group.state()) && wanted(&types_filter, "classic")
    });
    let groups = groups.map(|(id, group)| {
        let listed = ListedGroup::default()
            .with_group_id(GroupId(text(id)))
            .with_protocol_type(text(&group.protocol_type));
        let listed = if call.version >= 4 {
            listed.with_group_state(fixed(group.state()))
        } else {
            listed
        };
        if call.version >= 5 {
            listed.with_group_type(fixed("classic"))
        } else {
            listed
        }
    });
    let groups = groups.collect();
    ListGroupsResponse::default().with_groups(groups)
}

/// Describes groups and their members. Before version 6 a group that is not there is "Dead".
pub(in super::super) fn describe(
    call: &Call<'_>,
    request: DescribeGroupsRequest,
) -> DescribeGroupsResponse {
    let mut state = call.broker.lock();
    state.groups.expire(Instant::now());
    let operations = if request.include_authorized_operations {
        GROUP_OPERATIONS
    } else {
        i32::MIN
    };
    let asked = request.groups.into_iter().filter(once(GroupId::clone));
    let groups = asked.map(|id| {
        let described = match state.groups.get(&id.0) {
            Some(group) => described(group, call.version),
            None if call.version >= 6 => DescribedGroup::default()
                .with_error_code(codes::GROUP_ID_NOT_FOUND)
                .with_error_message(Some(text(&format!("Group {} not found.", &*id.0))))
                .with_group_state(fixed("Dead")),
            None => DescribedGroup::default().with_group_state(fixed("Dead")),
        };
        described
            .with_group_id(id)
            .with_authorized_operations(operations)
    });
    let groups = groups.collect();
    DescribeGroupsResponse::default().with_groups(groups)
}

fn described(group: &Group, version: i16) -> DescribedGroup {
    let settled = group.phase == Phase::Stable;
    let members = group.members.iter().map(|(id, member)| {
        let described = DescribedGroupMember::default()
            .with_member_id(text(id))
            .with_client_id(text(&member.client_id))
            .with_client_host(text(&member.host));
        let described = if version >= 4 {
            described.with_group_instance_id(member.instance.as_deref().map(text))
        } else {
            described
        };
        if settled {
            described
                .with_member_metadata(group.metadata_of(member))
                .with_member_assignment(member.assignment.clone())
        } else {
            described
        }
    });
    DescribedGroup::default()
        .with_group_state(fixed(group.state()))
        .with_protocol_type(text(&group.protocol_type))
        .with_protocol_data(text(if settled { &group.protocol } else { "" }))
        .with_members(members.collect())
}

/// Describes groups of the new consumer protocol, of which there are none here.
pub(in super::super) fn describe_consumer(
    _call: &Call<'_>,
    request: ConsumerGroupDescribeRequest,
) -> ConsumerGroupDescribeResponse {
    let groups = request.group_ids.into_iter().map(|id| {
        let message = format!("Group {} is not a consumer group.", &*id.0);
        consumer_group_describe_response::DescribedGroup::default()
            .with_error_code(codes::GROUP_ID_NOT_FOUND)
            .with_error_message(Some(text(&message)))
            .with_group_id(id)
    });
    ConsumerGroupDescribeResponse::default().with_groups(groups.collect())
}

/// Deletes groups that have no members, with every position that they committed.
pub(in super::super) fn delete(
    call: &Call<'_>,
    request: DeleteGroupsRequest,
) -> DeleteGroupsResponse {
    let mut state = call.broker.lock();
    state.groups.expire(Instant::now());
    let results = request.groups_names.into_iter().map(|id| {
        let error = match state.groups.get(&id.0).map(|group| group.phase) {
            None => codes::GROUP_ID_NOT_FOUND,
            Some(Phase::Empty) => {
                state.groups.0.remove(&*id.0);
                codes::NONE
            }
            Some(Phase::Preparing(_) | Phase::Completing(_) | Phase::Stable) => {
                codes::NON_EMPTY_GROUP
            }
        };
        DeletableGroupResult::default()
            .with_group_id(id)
            .with_error_code(error)
    });
    let results = results.collect();
    DeleteGroupsResponse::default().with_results(results)
}
