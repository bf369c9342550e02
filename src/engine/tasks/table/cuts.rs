//! Where a list is cut: one offset per partition, what lies before it and what after it.

use crate::engine::tasks::by_time::Direction;
use crate::model::{Offset, TimestampMs};

use super::lanes::Lanes;

/// Where a record stands in a list; in the order of offsets the time is left out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) time: Option<TimestampMs>,
    pub(super) lane: usize,
    pub(super) offset: Offset,
}

/// The time of a record, or none, which comes before every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(pub(super) Option<TimestampMs>);

/// A cut through a list: of each lane, the first offset after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut(Vec<Offset>);

impl Cut {
    /// The cut before everything.
    pub(super) fn start(lanes: &Lanes) -> Self {
        Self(lanes.all().map(|(_, lane)| lane.range.from).collect())
    }

    /// The cut after everything.
    pub(super) fn end(lanes: &Lanes) -> Self {
        Self(lanes.all().map(|(_, lane)| lane.range.to).collect())
    }

    /// A cut at these offsets, one for each lane.
    pub(super) fn at_each(offsets: impl IntoIterator<Item = Offset>) -> Self {
        Self(offsets.into_iter().collect())
    }

    /// Where it is in `lane`.
    pub(super) fn at(&self, lane: usize) -> Offset {
        self.0.get(lane).copied().unwrap_or(Offset(0))
    }

    /// Moves it in `lane`.
    pub(super) fn set(&mut self, lane: usize, offset: Offset) {
        if let Some(at) = self.0.get_mut(lane) {
            *at = offset;
        }
    }

    /// How many offsets of the list lie before it.
    pub(super) fn rank(&self, lanes: &Lanes) -> u64 {
        lanes
            .open()
            .map(|(lane, known)| known.before(self.at(lane)))
            .fold(0, u64::saturating_add)
    }

    /// How many offsets of the list lie after it.
    pub(super) fn after(&self, lanes: &Lanes) -> u64 {
        lanes
            .open()
            .map(|(lane, known)| known.after(self.at(lane)))
            .fold(0, u64::saturating_add)
    }
}

/// How a cut moves when what lies on its far side is read: down with the oldest first, up with the newest first.
impl Direction {
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::OldestFirst => Self::NewestFirst,
            Self::NewestFirst => Self::OldestFirst,
        }
    }

    /// The cut that has just passed `offset`.
    pub(super) fn past(self, offset: Offset) -> Offset {
        match self {
            Self::OldestFirst => offset.next(),
            Self::NewestFirst => offset,
        }
    }

    /// The cut that comes to `offset` next.
    pub(super) fn up_to(self, offset: Offset) -> Offset {
        match self {
            Self::OldestFirst => offset,
            Self::NewestFirst => offset.next(),
        }
    }

    /// The one of two cuts that was moved farther.
    pub(super) fn farther(self, a: Offset, b: Offset) -> Offset {
        match self {
            Self::OldestFirst => a.max(b),
            Self::NewestFirst => a.min(b),
        }
    }

    /// The one of two cuts that was moved less far.
    pub(super) fn nearer(self, a: Offset, b: Offset) -> Offset {
        match self {
            Self::OldestFirst => a.min(b),
            Self::NewestFirst => a.max(b),
        }
    }

    /// Whether `cut` has passed `offset`.
    pub(super) fn has_passed(self, cut: Offset, offset: Offset) -> bool {
        match self {
            Self::OldestFirst => offset < cut,
            Self::NewestFirst => offset >= cut,
        }
    }

    /// Whether `a` is read before `b`.
    pub(super) fn is_before<T: Ord>(self, a: &T, b: &T) -> bool {
        match self {
            Self::OldestFirst => a < b,
            Self::NewestFirst => a > b,
        }
    }

    /// The one of `values` that is read first.
    pub(super) fn first_of<T: Ord>(self, values: impl Iterator<Item = T>) -> Option<T> {
        match self {
            Self::OldestFirst => values.min(),
            Self::NewestFirst => values.max(),
        }
    }
}
