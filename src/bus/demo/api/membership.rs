//! `JoinGroup`, `SyncGroup`, `Heartbeat`, `LeaveGroup`.

use std::time::{Duration, Instant};

use bytes::Bytes;
use kafka_protocol::messages::join_group_response::JoinGroupResponseMember;
use kafka_protocol::messages::leave_group_response::MemberResponse;
use kafka_protocol::messages::{
    HeartbeatRequest, HeartbeatResponse, JoinGroupRequest, JoinGroupResponse, LeaveGroupRequest,
    LeaveGroupResponse, SyncGroupRequest, SyncGroupResponse,
};
use uuid::Uuid;

use super::super::broker::Broker;
use super::super::dispatch::Call;
use super::super::group::{Group, Join, Poll};
use super::super::{codes, limits};
use super::text;

/// The session timeouts that members may ask for, in milliseconds.
const SESSIONS_MS: std::ops::RangeInclusive<i32> = 1_000..=1_800_000;

/// Asks a group again after every change until it has an answer.
fn wait<T>(
    broker: &Broker,
    id: &str,
    mut poll: impl FnMut(&mut Group) -> Poll<T>,
) -> Result<T, i16> {
    let mut state = broker.lock();
    loop {
        let now = Instant::now();
        let group = state.groups.get_mut(id).ok_or(codes::UNKNOWN_MEMBER_ID)?;
        let before = (group.phase, group.generation);
        let outcome = poll(group);
        if (group.phase, group.generation) != before {
            broker.notify();
        }
        let until = group.next_deadline(now);
        if let Some(outcome) = outcome {
            return outcome;
        }
        if broker.is_stopping() {
            return Err(codes::REBALANCE_IN_PROGRESS);
        }
        broker.wait(&mut state, until);
    }
}

/// A member joins, and waits until all others have.
pub(in super::super) fn join(call: &Call<'_>, request: JoinGroupRequest) -> JoinGroupResponse {
    let group_id = request.group_id.0.to_string();
    let given = request.member_id.to_string();
    let refused = |code: i16, member_id: &str| {
        JoinGroupResponse::default()
            .with_error_code(code)
            .with_generation_id(-1)
            .with_protocol_name(if call.version >= 7 {
                None
            } else {
                Some(text(""))
            })
            .with_member_id(text(member_id))
    };
    if group_id.is_empty() {
        return refused(codes::INVALID_GROUP_ID, &given);
    }
    if !SESSIONS_MS.contains(&request.session_timeout_ms) {
        return refused(codes::INVALID_SESSION_TIMEOUT, &given);
    }
    let large = |bytes: &Bytes| bytes.len() > limits::MEMBER_BYTES;
    if request
        .protocols
        .iter()
        .any(|offered| large(&offered.metadata))
    {
        return refused(codes::INVALID_REQUEST, &given);
    }
    let joined = begin(call, request).and_then(|id| {
        call.broker.notify();
        wait(call.broker, &group_id, |group| {
            group.poll_join(&id, Instant::now())
        })
        .map(|generation| (id.clone(), generation))
        .map_err(|code| (code, id))
    });
    let (id, generation) = match joined {
        Ok(joined) => joined,
        Err((code, id)) => return refused(code, &id),
    };
    let state = call.broker.lock();
    let Some(group) = state.groups.get(&group_id) else {
        return refused(codes::UNKNOWN_MEMBER_ID, &id);
    };
    let members = group.members.iter().map(|(id, member)| {
        JoinGroupResponseMember::default()
            .with_member_id(text(id))
            .with_group_instance_id(
                member
                    .instance
                    .as_deref()
                    .filter(|_| call.version >= 5)
                    .map(text),
            )
            .with_metadata(group.metadata_of(member))
    });
    let leads = group.leader == id;
    let response = JoinGroupResponse::default()
        .with_generation_id(generation)
        .with_protocol_name(Some(text(&group.protocol)))
        .with_leader(text(&group.leader))
        .with_member_id(text(&id))
        .with_members(if leads { members.collect() } else { Vec::new() });
    if call.version >= 7 {
        response.with_protocol_type(Some(text(&group.protocol_type)))
    } else {
        response
    }
}

fn begin(call: &Call<'_>, request: JoinGroupRequest) -> Result<String, (i16, String)> {
    let mut state = call.broker.lock();
    let millis = |ms: i32| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    let session = millis(request.session_timeout_ms);
    let protocols = request.protocols.into_iter();
    let fresh = state.fresh_number(call.broker.seed);
    let join = Join {
        member_id: request.member_id.to_string(),
        instance: request
            .group_instance_id
            .map(|instance| instance.to_string()),
        fresh_id: format!("{}-{}", call.caller.client_id, Uuid::from_u128(fresh)),
        client_id: call.caller.client_id.clone(),
        host: call.caller.host.clone(),
        session,
        rebalance: match request.rebalance_timeout_ms {
            ms if ms > 0 => millis(ms),
            _ => session,
        },
        protocol_type: request.protocol_type.to_string(),
        protocols: protocols
            .map(|offered| (offered.name.to_string(), offered.metadata))
            .collect(),
        needs_id: call.version >= 4,
    };
    let Some(group) = state.groups.obtain(&request.group_id.0) else {
        return Err((codes::THROTTLING_QUOTA_EXCEEDED, join.member_id));
    };
    group.begin_join(join, Instant::now())
}

/// A member fetches its assignment; the leader brings everybody's.
pub(in super::super) fn sync(call: &Call<'_>, request: SyncGroupRequest) -> SyncGroupResponse {
    let group_id = request.group_id.0.to_string();
    let member = request.member_id.to_string();
    let generation = request.generation_id;
    let assignments = request.assignments.into_iter();
    let assignments: Vec<(String, Bytes)> = assignments
        .filter(|given| given.assignment.len() <= limits::MEMBER_BYTES)
        .map(|given| (given.member_id.to_string(), given.assignment))
        .collect();
    let begun = {
        let mut state = call.broker.lock();
        let group = state.groups.get_mut(&group_id);
        group.map_or(Err(codes::UNKNOWN_MEMBER_ID), |group| {
            group.begin_sync(&member, generation, assignments, Instant::now())
        })
    };
    let synced = begun.and_then(|()| {
        call.broker.notify();
        wait(call.broker, &group_id, |group| {
            group.poll_sync(&member, generation, Instant::now())
        })
    });
    let response = SyncGroupResponse::default();
    match synced {
        Err(code) => response.with_error_code(code),
        Ok(assignment) if call.version >= 5 => {
            let state = call.broker.lock();
            let group = state.groups.get(&group_id);
            response
                .with_protocol_type(group.map(|group| text(&group.protocol_type)))
                .with_protocol_name(group.map(|group| text(&group.protocol)))
                .with_assignment(assignment)
        }
        Ok(assignment) => response.with_assignment(assignment),
    }
}

/// A member says that it lives.
pub(in super::super) fn heartbeat(
    call: &Call<'_>,
    request: &HeartbeatRequest,
) -> HeartbeatResponse {
    let mut state = call.broker.lock();
    let now = Instant::now();
    let beat = match state.groups.get_mut(&request.group_id.0) {
        None => Err(codes::UNKNOWN_MEMBER_ID),
        Some(group) => {
            let known = request
                .group_instance_id
                .as_deref()
                .and_then(|instance| group.of_instance(instance));
            if known.is_some_and(|known| *known != *request.member_id) {
                Err(codes::FENCED_INSTANCE_ID)
            } else {
                group.heartbeat(&request.member_id, request.generation_id, now)
            }
        }
    };
    HeartbeatResponse::default().with_error_code(beat.err().unwrap_or(codes::NONE))
}

/// Members leave, or are removed by somebody else.
pub(in super::super) fn leave(call: &Call<'_>, request: LeaveGroupRequest) -> LeaveGroupResponse {
    let mut state = call.broker.lock();
    let now = Instant::now();
    let Some(group) = state.groups.get_mut(&request.group_id.0) else {
        return LeaveGroupResponse::default().with_error_code(codes::UNKNOWN_MEMBER_ID);
    };
    if call.version < 3 {
        let left = group.leave(&request.member_id, now);
        drop(state);
        call.broker.notify();
        return LeaveGroupResponse::default().with_error_code(left.err().unwrap_or(codes::NONE));
    }
    let members = request.members.into_iter().map(|leaving| {
        let mut id = leaving.member_id.to_string();
        if id.is_empty()
            && let Some(known) = leaving
                .group_instance_id
                .as_deref()
                .and_then(|instance| group.of_instance(instance))
        {
            id.clone_from(known);
        }
        let left = group.leave(&id, now);
        MemberResponse::default()
            .with_member_id(leaving.member_id)
            .with_group_instance_id(leaving.group_instance_id)
            .with_error_code(left.err().unwrap_or(codes::NONE))
    });
    let members = members.collect();
    drop(state);
    call.broker.notify();
    LeaveGroupResponse::default().with_members(members)
}
