//! The answer of `timeline`.

use serde::Serialize;

use crate::engine::{Cursor, TimelineReply, TopicTimeline};
use crate::inspect::timeline::PartitionTimeline;
use crate::model::{Offset, PartitionId, Problem, ProblemKind, Text, TimestampMs};

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
    /// Whether a record follows that carries no time, or the time could not be read; for the table.
    #[serde(skip)]
    pub(crate) at: CursorTime,
}

/// What is known of the next record at a cursor, besides its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CursorTime {
    /// It has a time.
    Known,
    /// There is no later record.
    AtEnd,
    /// It carries no time.
    Timeless,
    /// It could not be read.
    Unread,
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
            topics: reply
                .topics
                .iter()
                .map(|topic| TimelineTopicView::of(topic, range.is_some()))
                .collect(),
            missing: reply.missing.iter().cloned().map(Reason).collect(),
            zone_assumed,
        }
    }
}

impl<'a> TimelineTopicView<'a> {
    fn of(topic: &'a TopicTimeline, has_range: bool) -> Self {
        let unread = topic.error.is_some() && topic.partitions.is_empty();
        let partitions = topic.partitions.iter();
        let view = |partition| TimelinePartitionView::of(partition, &topic.cursors, has_range);
        Self {
            topic: &topic.topic,
            error: topic.error.clone().map(Reason),
            partitions: (!unread).then(|| partitions.map(view).collect()),
        }
    }
}

impl<'a> TimelinePartitionView<'a> {
    fn of(partition: &'a PartitionTimeline, cursors: &'a [Cursor], has_range: bool) -> Self {
        let cursors = cursors
            .iter()
            .filter(|cursor| cursor.partition == partition.partition);
        let unread = cursors.clone().find_map(|cursor| {
            let problem = cursor.at.as_ref().err()?;
            Some(problem.within(&format!("the next record of group {}", cursor.group)))
        });
        let ends = [
            &partition.log_start,
            &partition.high_watermark,
            &partition.last_stable,
        ];
        let error = ends
            .into_iter()
            .find_map(|end| end.as_ref().err().cloned())
            .or_else(|| no_times(partition, has_range))
            .or(unread);
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

/// A partition with records of whose times nothing at all is known.
fn no_times(partition: &PartitionTimeline, has_range: bool) -> Option<Problem> {
    let holds_records = partition.log_start != partition.high_watermark;
    (has_range && holds_records && partition.resolution_ms.is_none()).then(|| {
        Problem::new(
            ProblemKind::Other,
            "the times of its records could not be looked up",
        )
    })
}

impl<'a> CursorView<'a> {
    fn of(cursor: &'a Cursor) -> Self {
        let at_ms = cursor
            .at
            .as_ref()
            .ok()
            .copied()
            .flatten()
            .and_then(|head| head.timestamp);
        Self {
            group: &cursor.group,
            committed_offset: cursor.committed,
            at_ms,
            at: match (&cursor.at, at_ms) {
                (_, Some(_)) => CursorTime::Known,
                (Ok(None), None) => CursorTime::AtEnd,
                (Ok(Some(_)), None) => CursorTime::Timeless,
                (Err(_), None) => CursorTime::Unread,
            },
        }
    }
}
