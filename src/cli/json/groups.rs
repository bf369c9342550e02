//! The answer of `groups`.

use serde::Serialize;

use crate::engine::{GroupPlaces, GroupsReply};
use crate::inspect::lag::Place;
use crate::model::{BrokerId, GroupType, Known, Member, Offset, PartitionId, Text, TimestampMs};

use super::Reason;

#[derive(Debug, Serialize)]
pub(crate) struct GroupsView<'a> {
    pub(crate) groups: Vec<GroupView<'a>>,
    /// Why there may be more groups.
    pub(crate) missing: Vec<Reason>,
}

#[derive(Debug, Serialize)]
pub(crate) struct GroupView<'a> {
    pub(crate) group: &'a Text,
    #[serde(rename = "type")]
    pub(crate) kind: GroupType,
    pub(crate) protocol_type: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
    pub(crate) assignor: Option<&'a str>,
    pub(crate) coordinator: Option<BrokerId>,
    pub(crate) error: Option<Reason>,
    pub(crate) members_error: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offsets_error: Option<Reason>,
    pub(crate) members: Option<Vec<MemberView<'a>>>,
    pub(crate) offsets: Option<Vec<OffsetView<'a>>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MemberView<'a> {
    pub(crate) member_id: &'a Text,
    pub(crate) client_id: &'a Text,
    pub(crate) host: &'a Text,
    pub(crate) instance_id: Option<&'a Text>,
    pub(crate) assignment: Vec<AssignmentView<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct AssignmentView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partitions: &'a [PartitionId],
}

#[derive(Debug, Serialize)]
pub(crate) struct OffsetView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: PartitionId,
    pub(crate) committed_offset: Option<Offset>,
    pub(crate) leader_epoch: Option<i32>,
    pub(crate) metadata: Option<&'a Text>,
    pub(crate) log_start_offset: Option<Offset>,
    pub(crate) high_watermark: Option<Offset>,
    pub(crate) lag: Option<u64>,
    pub(crate) next_record_offset: Option<Offset>,
    pub(crate) next_record_ms: Option<TimestampMs>,
    pub(crate) lag_ms: Option<i64>,
    pub(crate) error: Option<Reason>,
}

impl<'a> GroupsView<'a> {
    pub(crate) fn of(reply: &'a GroupsReply, now: TimestampMs) -> Self {
        Self {
            groups: reply
                .groups
                .iter()
                .map(|group| GroupView::of(group, now))
                .collect(),
            missing: reply.missing.iter().cloned().map(Reason).collect(),
        }
    }
}

impl<'a> GroupView<'a> {
    fn of(GroupPlaces { group, places }: &'a GroupPlaces, now: TimestampMs) -> Self {
        let described = group.members.as_ref().ok();
        let members: Result<&'a Vec<Member>, Reason> = match &group.members {
            Err(problem) => Err(Reason(problem.clone())),
            Ok(described) => described
                .members
                .as_ref()
                .map_err(|problem| Reason(problem.clone())),
        };
        let offsets_error = Reason::of(&group.commits);
        let keeps_none = offsets_error.as_ref().is_some_and(Reason::is_unsupported);
        let listed = || {
            places
                .iter()
                .map(|place| OffsetView::of(place, now))
                .collect()
        };
        Self {
            group: &group.listing.name,
            kind: group.listing.kind,
            protocol_type: group.listing.protocol_type.as_deref(),
            state: described
                .and_then(|described| described.state.as_deref())
                .or(group.listing.state.as_deref()),
            assignor: described.and_then(|described| described.assignor.as_deref()),
            coordinator: described.and_then(|described| described.coordinator),
            error: Reason::of(&group.members)
                .or_else(|| offsets_error.clone().filter(|_| !keeps_none)),
            members_error: members.as_ref().err().cloned(),
            members: members
                .ok()
                .map(|members| members.iter().map(MemberView::of).collect()),
            offsets: (offsets_error.is_none() || keeps_none || !places.is_empty()).then(listed),
            offsets_error,
        }
    }
}

impl<'a> MemberView<'a> {
    fn of(member: &'a Member) -> Self {
        let assignment = member.assignment.iter();
        Self {
            member_id: &member.member_id,
            client_id: &member.client_id,
            host: &member.host,
            instance_id: member.instance_id.as_ref(),
            assignment: assignment
                .map(|assigned| AssignmentView {
                    topic: &assigned.topic,
                    partitions: &assigned.partitions,
                })
                .collect(),
        }
    }
}

impl<'a> OffsetView<'a> {
    fn of(place: &'a Place, now: TimestampMs) -> Self {
        let committed: Option<Offset> = flat(&place.committed);
        let head = place.next.as_ref().and_then(flat);
        Self {
            topic: &place.at.topic,
            partition: place.at.partition,
            committed_offset: committed,
            leader_epoch: place.leader_epoch,
            metadata: committed.is_some().then_some(&place.metadata),
            log_start_offset: super::known(&place.log_start),
            high_watermark: super::known(&place.high_watermark),
            lag: place.lag().ok().flatten(),
            next_record_offset: head.map(|head| head.offset),
            next_record_ms: head.and_then(|head| head.timestamp),
            lag_ms: place.lag_ms(now),
            error: place.error().map(Reason),
        }
    }
}

fn flat<T: Copy>(value: &Known<Option<T>>) -> Option<T> {
    value.as_ref().ok().copied().flatten()
}
