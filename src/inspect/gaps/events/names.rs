//! Topics and partitions by the numbers that they have in here, and what is known of them.

use std::sync::Arc;

use crate::model::{
    Offset, Record, TimestampMs, Topic, TopicConfig, TopicName, TopicPartition, Visibility,
};

use super::runs::{Gap, Spot};
use super::{Known, place_of};

/// A partition that records were read of.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) at: TopicPartition,
    /// The number of its topic.
    pub(super) topic: u32,
    pub(super) looks_dead: bool,
    /// The first record that was read, and its time.
    first: Option<(Offset, Option<TimestampMs>)>,
}

impl Lane {
    pub(super) fn new(at: TopicPartition, topic: u32, looks_dead: bool) -> Self {
        Self {
            at,
            topic,
            looks_dead,
            first: None,
        }
    }

    pub(super) fn saw(&mut self, record: &Record) {
        if self.first.is_none() && record.visibility != Visibility::Aborted {
            self.first = Some((record.offset, record.timestamp));
        }
    }

    /// Whether something that was written behind `time` may lie before what was read.
    fn begins_behind(&self, time: TimestampMs) -> bool {
        self.first.is_some_and(|(offset, first)| {
            offset > Offset(0) && first.is_none_or(|first| first > time)
        })
    }
}

/// What is known of topics and lanes by their numbers.
pub(super) struct Names<'a> {
    known: &'a [Known],
    lanes: &'a [Lane],
    topics: &'a [Arc<Topic>],
    /// Whether each known topic is compacted.
    compacted: Vec<bool>,
}

impl<'a> Names<'a> {
    pub(super) fn new(known: &'a [Known], lanes: &'a [Lane], topics: &'a [Arc<Topic>]) -> Self {
        let is_compacted = |known: &Known| {
            let topic = topics.iter().find(|topic| topic.name == known.name);
            topic.is_some_and(|topic| topic.config.as_ref().is_ok_and(TopicConfig::is_compacted))
        };
        Self {
            known,
            lanes,
            topics,
            compacted: known.iter().map(is_compacted).collect(),
        }
    }

    pub(super) fn name(&self, topic: u32) -> TopicName {
        let known = place_of(topic).and_then(|at| self.known.get(at));
        known.map_or_else(|| TopicName::from(""), |known| Arc::clone(&known.name))
    }

    pub(super) fn at(&self, spot: &Spot) -> TopicPartition {
        let lane = place_of(spot.lane).and_then(|at| self.lanes.get(at));
        lane.map_or_else(|| TopicPartition::new("", -1), |lane| lane.at.clone())
    }

    pub(super) fn topic_of(&self, spot: &Spot) -> u32 {
        self.topic_of_lane(spot.lane)
    }

    pub(super) fn topic_of_lane(&self, lane: u32) -> u32 {
        let lane = place_of(lane).and_then(|at| self.lanes.get(at));
        lane.map_or(u32::MAX, |lane| lane.topic)
    }

    pub(super) fn is_compacted(&self, topic: u32) -> bool {
        place_of(topic)
            .and_then(|at| self.compacted.get(at))
            .is_some_and(|compacted| *compacted)
    }

    /// A partition of the topics on both sides of a gap of which what was written in the gap's time may have been
    /// deleted or not been read: where reading began later than the gap, or nothing is left.
    pub(super) fn begins_behind(&self, gap: &Gap) -> Option<String> {
        let time = gap.before.time?;
        let here = [self.topic_of(&gap.before), self.topic_of(&gap.after)];
        let lane = self
            .lanes
            .iter()
            .find(|lane| here.contains(&lane.topic) && lane.begins_behind(time));
        let lane = lane.map(|lane| lane.at.clone());
        let emptied = || {
            let names = here.map(|topic| self.name(topic));
            let topics = self.topics.iter();
            topics
                .filter(|topic| names.contains(&topic.name))
                .flat_map(|topic| topic.known_ends())
                .find(|(_, (start, end))| start == end && *end > Offset(0))
                .map(|(at, _)| at)
        };
        lane.or_else(emptied).map(|at| at.to_string())
    }
}
