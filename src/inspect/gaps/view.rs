//! Facts as the rules look at them.

use std::collections::{BTreeMap, BTreeSet};

use crate::inspect::lag::Place;
use crate::model::{
    Concerns, Group, GroupHistory, HistorySource, KnownTopic, Offset, Partition, PlaceHistory,
    RecordHead, Text, TimestampMs, Topic, TopicPartition,
};

use super::{Facts, GroupFacts, Questions, Rules};

/// Facts with a way to each topic.
pub(super) struct View<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) rules: &'a Rules,
    topics: BTreeMap<&'a str, &'a Topic>,
    remembered: BTreeMap<&'a str, Vec<&'a KnownTopic>>,
    /// Groups whose committed offsets cannot be read at present.
    unread: BTreeSet<&'a Text>,
}

/// Since when a committed offset has been as it is.
#[derive(Clone, Copy)]
pub(super) struct Unmoved {
    pub(super) since: TimestampMs,
    /// Whether it is known to have moved then; else that is when it was first looked at.
    pub(super) has_moved: bool,
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

/// Whether a group has members; where they cannot be asked for, its state tells.
pub(super) fn has_members(group: &Group) -> Option<bool> {
    let members = group.members.as_ref().ok();
    if let Some(members) = members.and_then(|members| members.members.as_ref().ok()) {
        return Some(!members.is_empty());
    }
    let state = members.and_then(|members| members.state.as_deref());
    match state.or(group.listing.state.as_deref())? {
        "Stable" => Some(true),
        "Empty" | "Dead" => Some(false),
        _ => None,
    }
}

impl<'a> View<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, rules: &'a Rules) -> Self {
        let topics = facts.topics.iter().map(|topic| (&*topic.name, &**topic));
        let mut remembered: BTreeMap<&str, Vec<&KnownTopic>> = BTreeMap::new();
        for known in &facts.remembered.topics {
            remembered.entry(&known.seen.name).or_default().push(known);
        }
        let groups = facts.groups.iter().map(|group| group.group);
        let unread = groups.filter(|group| group.commits.is_err());
        Self {
            facts,
            rules,
            topics: topics.collect(),
            remembered,
            unread: unread.map(|group| &group.listing.name).collect(),
        }
    }

    /// How committed offsets moved, but for groups that cannot be read at present.
    pub(super) fn histories(&self) -> impl Iterator<Item = (&'a Text, &'a GroupHistory)> {
        let groups = self.facts.history.groups.iter();
        groups
            .filter(|(name, _)| !self.unread.contains(name))
            .map(|(name, history)| (name, &**history))
    }

    /// Whether the bus itself wrote down every move. Readings of ours see neither what is between two of them nor who
    /// was there.
    pub(super) fn is_logged(&self) -> bool {
        self.facts.history.coverage.source == HistorySource::CommitLog
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
        let partitions = &self.topic(&at.topic)?.partitions;
        let index = partitions.binary_search_by_key(&at.partition, |partition| partition.id);
        partitions.get(index.ok()?)
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

    /// Since when the committed offset of a place has been as it is, as far as that is known.
    pub(super) fn unmoved(
        &self,
        group: &Text,
        at: &TopicPartition,
        committed: Offset,
    ) -> Option<Unmoved> {
        let Some(place) = self.history(group, at) else {
            // A place that readings do not know is one that they have not met before.
            let since = self.facts.history.coverage.since;
            return since.filter(|_| self.is_logged()).map(|since| Unmoved {
                since,
                has_moved: false,
            });
        };
        let last = place.moves.last()?;
        let is_same = last.to.as_ref().is_some_and(|to| to.offset == committed);
        // What is committed now is newer than the history.
        Some(if is_same {
            Unmoved {
                since: last.at,
                has_moved: self.is_logged() || place.moves.len() > 1,
            }
        } else {
            Unmoved {
                since: self.facts.now,
                has_moved: true,
            }
        })
    }

    fn known(&self, name: &str) -> impl Iterator<Item = &'a KnownTopic> {
        self.remembered.get(name).into_iter().flatten().copied()
    }

    /// The topic as it was remembered under its present id.
    pub(super) fn remembered(&self, topic: &Topic) -> Option<&'a KnownTopic> {
        let id = topic.topic_id.as_ref()?;
        self.known(&topic.name)
            .find(|known| known.seen.topic_id == *id)
    }

    /// The end of a partition as it was seen last, and when.
    pub(super) fn remembered_end(&self, at: &TopicPartition) -> Option<(TimestampMs, Offset)> {
        let known = self.remembered(self.topic(&at.topic)?)?;
        let mut partitions = known.seen.partitions.iter();
        let seen = partitions.find(|seen| seen.id == at.partition)?;
        Some((known.last_seen, seen.high_watermark))
    }

    /// Topics of that name that are not there any more: they had other ids.
    pub(super) fn forerunners(&self, topic: &'a Topic) -> impl Iterator<Item = &'a KnownTopic> {
        self.known(&topic.name).filter(|known| {
            topic
                .topic_id
                .as_ref()
                .is_some_and(|id| *id != known.seen.topic_id)
        })
    }
}
