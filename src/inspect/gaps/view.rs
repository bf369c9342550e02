//! Facts as the rules look at them.

use std::collections::BTreeMap;

use crate::inspect::lag::Place;
use crate::model::{
    Concerns, Group, KnownTopic, Offset, Partition, PlaceHistory, RecordHead, Text, TimestampMs,
    Topic, TopicPartition,
};

use super::{Facts, GroupFacts, Questions, Rules};

/// Facts with a way to each topic.
pub(super) struct View<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) rules: &'a Rules,
    topics: BTreeMap<&'a str, &'a Topic>,
}

/// One group in one partition, with both ends of the log known and records between them or before.
#[derive(Clone, Copy)]
pub(super) struct Stand<'a> {
    pub(super) group: &'a Group,
    pub(super) place: &'a Place,
    pub(super) committed: Offset,
    pub(super) start: Offset,
    pub(super) end: Offset,
}

impl Stand<'_> {
    pub(super) fn name(&self) -> &Text {
        &self.group.listing.name
    }

    pub(super) fn concerns(&self) -> Concerns {
        Concerns::Group(self.name().clone())
    }

    /// Whether the group has members; `None` when not known.
    pub(super) fn has_members(&self) -> Option<bool> {
        has_members(self.group)
    }
}

pub(super) fn has_members(group: &Group) -> Option<bool> {
    let members = group.members.as_ref().ok()?.members.as_ref().ok()?;
    Some(!members.is_empty())
}

impl<'a> View<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, rules: &'a Rules) -> Self {
        let topics = facts.topics.iter().map(|topic| (&*topic.name, &**topic));
        Self {
            facts,
            rules,
            topics: topics.collect(),
        }
    }

    pub(super) fn topics(&self) -> impl Iterator<Item = &'a Topic> {
        self.facts.topics.iter().map(|topic| &**topic)
    }

    pub(super) fn groups(&self) -> &[GroupFacts<'a>] {
        &self.facts.groups
    }

    /// The topic, unless it cannot be read.
    pub(super) fn topic(&self, name: &str) -> Option<&'a Topic> {
        self.topics
            .get(name)
            .copied()
            .filter(|topic| topic.error.is_none())
    }

    pub(super) fn partition(&self, at: &TopicPartition) -> Option<&'a Partition> {
        let topic = self.topic(&at.topic)?;
        let mut partitions = topic.partitions.iter();
        partitions.find(|partition| partition.id == at.partition)
    }

    /// The groups' places of which committed offset and both ends are known.
    pub(super) fn stands(&self) -> impl Iterator<Item = Stand<'a>> {
        self.facts.groups.iter().flat_map(|group| {
            group.places.iter().filter_map(|place| {
                match (&place.committed, &place.log_start, &place.high_watermark) {
                    (Ok(Some(committed)), Ok(start), Ok(end)) => Some(Stand {
                        group: group.group,
                        place,
                        committed: *committed,
                        start: *start,
                        end: *end,
                    }),
                    _ => None,
                }
            })
        })
    }

    /// The first record at or after a place; `None` when it was not asked for, or could not be read.
    pub(super) fn head(&self, at: &TopicPartition, offset: Offset) -> Option<&Option<RecordHead>> {
        self.facts.heads.get(&(at.clone(), offset))?.as_ref().ok()
    }

    /// The time of that record.
    pub(super) fn head_time(&self, at: &TopicPartition, offset: Offset) -> Option<TimestampMs> {
        self.head(at, offset)?.as_ref()?.timestamp
    }

    pub(super) fn ask_head(&self, questions: &mut Questions, at: &TopicPartition, offset: Offset) {
        let place = (at.clone(), offset);
        if !self.facts.heads.contains_key(&place) {
            questions.heads.insert(place);
        }
    }

    pub(super) fn history(&self, group: &Text, at: &TopicPartition) -> Option<&'a PlaceHistory> {
        self.facts.history.place(group, at)
    }

    /// Since when the committed offset has been as it is, as far as that is known; and whether its last move was seen.
    pub(super) fn unmoved_since(
        &self,
        group: &Text,
        at: &TopicPartition,
    ) -> Option<(TimestampMs, bool)> {
        let last = self.history(group, at).and_then(|place| place.moves.last());
        match last {
            Some(last) => Some((last.at, true)),
            None => self
                .facts
                .history
                .coverage
                .since
                .map(|since| (since, false)),
        }
    }

    /// The topic as it was remembered under its present id.
    pub(super) fn remembered(&self, topic: &Topic) -> Option<&'a KnownTopic> {
        let id = topic.topic_id.as_ref()?;
        let mut known = self.facts.remembered.topics.iter();
        known.find(|known| known.seen.name == topic.name && known.seen.topic_id == *id)
    }

    /// Topics of that name that are not there any more: they had other ids.
    pub(super) fn forerunners(&self, topic: &'a Topic) -> impl Iterator<Item = &'a KnownTopic> {
        let known = self.facts.remembered.topics.iter();
        known.filter(|known| {
            known.seen.name == topic.name
                && topic
                    .topic_id
                    .as_ref()
                    .is_some_and(|id| *id != known.seen.topic_id)
        })
    }
}
