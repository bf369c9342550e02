//! Identities: small types that cannot be mistaken for one another.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// A record's place in its partition, counted from 0. A committed offset is the *next* record to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Offset(pub i64);

impl Offset {
    /// How many offsets lie from `earlier` up to here, `earlier` included; `None` when this one is the
    /// earlier of the two or the difference does not fit.
    pub fn since(self, earlier: Self) -> Option<u64> {
        self.0
            .checked_sub(earlier.0)
            .and_then(|count| u64::try_from(count).ok())
    }

    /// The offset after this one; the largest stays where it is.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// This offset moved by `records`, backwards when negative; `None` on overflow.
    pub fn moved(self, records: i64) -> Option<Self> {
        self.0.checked_add(records).map(Self)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A partition's number within its topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PartitionId(pub i32);

impl fmt::Display for PartitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A broker's number within its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BrokerId(pub i32);

/// Milliseconds since 1970-01-01T00:00:00Z, as records carry them. Any value may come from a bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TimestampMs(pub i64);

impl TimestampMs {
    /// Milliseconds from `earlier` to here, negative when this one is the earlier; saturates at the ends.
    pub fn since_ms(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This time moved by `ms`; saturates at the ends.
    #[must_use]
    pub fn moved_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

/// A topic's name, cheap to clone.
pub type TopicName = Arc<str>;

/// One partition of one topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicPartition {
    /// The topic's name.
    pub topic: TopicName,
    /// The partition's number.
    pub partition: PartitionId,
}

impl TopicPartition {
    /// The partition `partition` of `topic`.
    pub fn new(topic: impl Into<TopicName>, partition: i32) -> Self {
        Self {
            topic: topic.into(),
            partition: PartitionId(partition),
        }
    }
}

impl fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.topic, self.partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_offsets_is_a_count_or_nothing() {
        assert_eq!(Offset(12).since(Offset(5)), Some(7));
        assert_eq!(Offset(5).since(Offset(5)), Some(0));
        assert_eq!(Offset(5).since(Offset(12)), None);
        assert_eq!(Offset(i64::MAX).since(Offset(i64::MIN)), None);
    }

    #[test]
    fn moving_an_offset_past_the_ends_is_refused() {
        assert_eq!(Offset(5).moved(-7), Some(Offset(-2)));
        assert_eq!(Offset(i64::MAX).moved(1), None);
        assert_eq!(Offset(i64::MAX).next(), Offset(i64::MAX));
    }

    #[test]
    fn times_saturate() {
        assert_eq!(TimestampMs(i64::MAX).since_ms(TimestampMs(-1)), i64::MAX);
        assert_eq!(TimestampMs(10).since_ms(TimestampMs(25)), -15);
    }
}
