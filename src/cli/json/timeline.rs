//! The answer of `timeline`.

use serde::Serialize;

use crate::engine::{Cursor, TimelineReply, TopicTimeline};
use crate::inspect::timeline::PartitionTimeline;
use crate::model::{Offset, PartitionId, Problem, Text, TimestampMs};

use super::{Reason, known};

#[derive(Debug, Serialize)]
pub(crate) struct TimelineView<'a> {
    pub(crate) from_ms: Option<TimestampMs>,
    pub(crate) to_ms: Option<TimestampMs>,
    pub(crate) bucket_ms: Option<i64>,
    pub(crate) groups: Vec<TimelineGroupView<'a>>,
    pub(crate) topics: Vec<TimelineTopicView<'a>>,
    /// Why there may be more groups.
    pub(crate) missing: Vec<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) zone_assumed: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TimelineGroupView<'a> {
    pub(crate) group: &'a Text,
    pub(crate) error: Option<Reason>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TimelineTopicView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) error: Option<Reason>,
    pub(crate) partitions: Option<Vec<TimelinePartitionView<'a>>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TimelinePartitionView<'a> {
    pub(crate) partition: PartitionId,
    pub(crate) log_start_offset: Option<Offset>,
    pub(crate) last_stable_offset: Option<Offset>,
    pub(crate) high_watermark: Option<Offset>,
    pub(crate) counts: &'a [Option<u64>],
    pub(crate) before: Option<u64>,
    pub(crate) after: Option<u64>,
    pub(crate) resolution_ms: Option<i64>,
    pub(crate) cursors: Vec<CursorView<'a>>,
    pub(crate) error: Option<Reason>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CursorView<'a> {
    pub(crate) group: &'a Text,
    pub(crate) committed_offset: Offset,
    pub(crate) at_ms: Option<TimestampMs>,
    /// Why the time is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Reason>,
    /// Whether a record follows, though it carries no time; for the table.
    #[serde(skip)]
    pub(crate) timeless: bool,
}

impl<'a> TimelineView<'a> {
    pub(crate) fn of(reply: &'a TimelineReply, zone_assumed: Option<&'a str>) -> Self {
        let group = |(group, error): &'a (Text, Option<Problem>)| TimelineGroupView {
            group,
            error: error.clone().map(Reason),
        };
        let range = reply.from.zip(reply.to);
        Self {
            from_ms: reply.from,
            to_ms: reply.to,
            bucket_ms: range.map(|_| reply.bucket_ms),
            groups: reply.groups.iter().map(group).collect(),
            topics: reply.topics.iter().map(TimelineTopicView::of).collect(),
            missing: reply.missing.iter().cloned().map(Reason).collect(),
            zone_assumed,
        }
    }
}

impl<'a> TimelineTopicView<'a> {
    fn of(topic: &'a TopicTimeline) -> Self {
        let unread = topic.error.is_some() && topic.partitions.is_empty();
        let partitions = topic.partitions.iter();
        let view = |partition| TimelinePartitionView::of(partition, &topic.cursors);
        Self {
            topic: &topic.topic,
            error: topic.error.clone().map(Reason),
            partitions: (!unread).then(|| partitions.map(view).collect()),
        }
    }
}

impl<'a> TimelinePartitionView<'a> {
    fn of(partition: &'a PartitionTimeline, cursors: &'a [Cursor]) -> Self {
        let cursors = cursors
            .iter()
            .filter(|cursor| cursor.partition == partition.partition);
        let ends = [
            &partition.log_start,
            &partition.high_watermark,
            &partition.last_stable,
        ];
        let unknown_end = || ends.into_iter().find_map(|end| end.as_ref().err().cloned());
        let error = partition.error.clone().or_else(unknown_end);
        Self {
            partition: partition.partition,
            log_start_offset: known(&partition.log_start),
            last_stable_offset: known(&partition.last_stable),
            high_watermark: known(&partition.high_watermark),
            counts: &partition.counts,
            before: partition.before,
            after: partition.after,
            resolution_ms: partition.resolution_ms,
            cursors: cursors.map(CursorView::of).collect(),
            error: error.map(Reason),
        }
    }
}

impl<'a> CursorView<'a> {
    fn of(cursor: &'a Cursor) -> Self {
        let head = cursor.at.as_ref().ok().copied().flatten();
        let at_ms = head.and_then(|head| head.timestamp);
        Self {
            group: &cursor.group,
            committed_offset: cursor.committed,
            at_ms,
            error: Reason::of(&cursor.at),
            timeless: head.is_some() && at_ms.is_none(),
        }
    }
}
