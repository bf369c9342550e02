//! Lanes, the kinds of axis, and chosen stretches of them.

use std::sync::Arc;

use crate::model::{Offset, PartitionId, TimestampMs, TopicName, TopicPartition};

/// One lane: a topic, or one of its partitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneKey {
    /// The topic.
    pub topic: TopicName,
    /// The partition; `None` is the topic as a whole.
    pub partition: Option<PartitionId>,
}

impl LaneKey {
    /// The lane of a whole topic.
    pub fn topic(topic: &TopicName) -> Self {
        Self {
            topic: Arc::clone(topic),
            partition: None,
        }
    }

    /// The lane as a person calls it: `orders`, `orders / 1`.
    pub fn title(&self) -> String {
        self.partition.map_or_else(
            || self.topic.to_string(),
            |partition| format!("{} / {partition}", self.topic),
        )
    }
}

/// What the numbers on the x axis are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AxisKind {
    /// Times of records.
    #[default]
    Time,
    /// Offsets, counted from the end of each partition: what is behind is a length.
    FromEnd,
    /// Offsets as they are.
    Offset,
}

impl AxisKind {
    /// The kind that a switch leads to.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Time => Self::FromEnd,
            Self::FromEnd => Self::Offset,
            Self::Offset => Self::Time,
        }
    }
}

/// Which records are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Those from a time, included, to a time, not included.
    Time(TimestampMs, TimestampMs),
    /// Those of some partitions, sorted, from an offset, included, to an offset, not included.
    Offsets(Arc<[OffsetRange]>),
}

/// Offsets of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetRange {
    /// The partition.
    pub at: TopicPartition,
    /// The first offset.
    pub from: Offset,
    /// The offset after the last one.
    pub to: Offset,
}

/// A stretch of time or of offsets in some lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The stretch.
    pub span: Span,
    /// The lanes; every lane that the filter lets through when empty.
    pub lanes: Vec<LaneKey>,
}

impl Selection {
    /// The stretch from one time, included, to another, not included.
    pub fn between(from: TimestampMs, to: TimestampMs, lanes: Vec<LaneKey>) -> Self {
        Self {
            span: Span::Time(from, to),
            lanes,
        }
    }

    /// Its times, when it is a stretch of time.
    pub fn times(&self) -> Option<(TimestampMs, TimestampMs)> {
        match self.span {
            Span::Time(from, to) => Some((from, to)),
            Span::Offsets(_) => None,
        }
    }

    /// Its offsets by partition, when it is a stretch of those.
    pub fn offsets(&self) -> Option<&[OffsetRange]> {
        match &self.span {
            Span::Time(..) => None,
            Span::Offsets(ranges) => Some(ranges),
        }
    }

    /// Whether it covers `lane`, itself or by its topic.
    pub fn covers(&self, lane: &LaneKey) -> bool {
        self.lanes.is_empty()
            || self.lanes.iter().any(|chosen| {
                chosen.topic == lane.topic
                    && (chosen.partition.is_none() || chosen.partition == lane.partition)
            })
    }
}
