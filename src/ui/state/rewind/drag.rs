//! A flag that is being moved.

use crate::model::{Offset, TimestampMs, TopicName, TopicPartition};

use super::super::LaneKey;

/// Where a flag is being moved to. Nothing is written by it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagDrag {
    /// The lane in which the flag was taken.
    pub lane: LaneKey,
    /// Where to.
    pub aim: FlagAim,
    /// Why it goes no farther, where it was pulled beyond the log.
    pub stop: Option<String>,
    /// Whether the pointer moves it, rather than keys.
    pub by_pointer: bool,
}

/// What the place of a flag means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagAim {
    /// One partition to an offset.
    Offset(TopicPartition, Offset),
    /// One partition to the first record at or after a time.
    Time(TopicPartition, TimestampMs),
    /// All partitions of a topic to the first record at or after a time, which is written like this.
    Topic(TopicName, TimestampMs, String),
}

impl FlagAim {
    /// The topic that is moved, and the partition when it is only one.
    pub fn moves(&self, at: &TopicPartition) -> bool {
        match self {
            Self::Offset(only, _) | Self::Time(only, _) => only == at,
            Self::Topic(topic, _, _) => *topic == at.topic,
        }
    }

    /// The time that is aimed at, where it is one.
    pub fn time(&self) -> Option<TimestampMs> {
        match self {
            Self::Offset(..) => None,
            Self::Time(_, at) | Self::Topic(_, at, _) => Some(*at),
        }
    }
}
