//! The lanes: which there are, in which order, and what stands beside them. Pure.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::engine::{Inventory, View};
use crate::model::{Partition, TimestampMs, Topic, TopicName, TopicPartition};

use super::super::state::{LaneKey, Selection};
use super::super::tokens::size;
use super::note::{self, Note};

/// One lane.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Which it is.
    pub key: LaneKey,
    /// Its topic.
    pub topic: Arc<Topic>,
    /// Whether it is a topic whose partitions have lanes too.
    pub open: bool,
    /// Whether it is one of those that stay on top.
    pub pinned: bool,
    partitions: Arc<[TopicPartition]>,
    range: Range<usize>,
    note: OnceLock<Note>,
}

impl Lane {
    /// The lane of the partition at `index` of `topic`, or of the topic as a whole.
    fn new(topic: &Arc<Topic>, partitions: &Arc<[TopicPartition]>, index: Option<usize>) -> Self {
        Self {
            key: LaneKey {
                topic: Arc::clone(&topic.name),
                partition: index
                    .and_then(|index| partitions.get(index))
                    .map(|at| at.partition),
            },
            topic: Arc::clone(topic),
            open: false,
            pinned: false,
            partitions: Arc::clone(partitions),
            note: OnceLock::new(),
            range: index.map_or(0..partitions.len(), |index| index..index.saturating_add(1)),
        }
    }

    /// The partitions whose records it shows.
    pub fn partitions(&self) -> &[TopicPartition] {
        self.partitions.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether it stands for a whole topic.
    pub fn is_topic(&self) -> bool {
        self.key.partition.is_none()
    }

    /// The partition it stands for, unless it stands for a topic.
    pub fn partition(&self) -> Option<&Partition> {
        let index = self.key.partition.map(|_| self.range.start)?;
        self.topic.partitions.get(index)
    }

    /// The partitions it shows as the bus describes them, in the order of [`Lane::partitions`].
    pub fn described(&self) -> &[Partition] {
        self.topic
            .partitions
            .get(self.range.clone())
            .unwrap_or_default()
    }

    /// Its height in points.
    pub fn height(&self) -> f32 {
        if self.is_topic() {
            size::TOPIC_LANE
        } else {
            size::PARTITION_LANE
        }
    }

    /// What stands at the right of its label; worked out once, for a topic may have many partitions.
    pub fn note(&self) -> &Note {
        self.note.get_or_init(|| note::of(self))
    }
}

fn partitions_of(topic: &Topic) -> Arc<[TopicPartition]> {
    let ids = topic.partitions.iter();
    ids.map(|partition| topic.at(partition.id)).collect()
}

/// What decides which lanes there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What a topic's name must hold: every word of it, in any case.
    pub filter: String,
    /// Whether the bus's own topics are shown.
    pub internal: bool,
    /// Topics whose partitions have lanes.
    pub open: BTreeSet<TopicName>,
    /// Lanes that stay on top.
    pub pinned: Vec<LaneKey>,
}

/// All lanes: those that stay on top, then those that can be scrolled to.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    all: Vec<Lane>,
    pinned: usize,
    topics: usize,
    hidden_internal: usize,
    filtered_out: usize,
}

impl Lanes {
    /// The lanes of `inventory` under `choice`.
    pub fn build(inventory: &Inventory, choice: &Choice) -> Self {
        let words: Vec<String> = choice
            .filter
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let mut lanes = Self::default();
        for key in &choice.pinned {
            lanes.add_pinned(inventory, key);
        }
        for topic in inventory.topics() {
            if topic.internal && !choice.internal {
                lanes.hidden_internal = lanes.hidden_internal.saturating_add(1);
                continue;
            }
            let name = topic.name.to_lowercase();
            if !words.iter().all(|word| name.contains(word.as_str())) {
                lanes.filtered_out = lanes.filtered_out.saturating_add(1);
                continue;
            }
            lanes.add(topic, choice.open.contains(&topic.name));
        }
        lanes
    }

    /// Adds a lane that stays on top; nothing when there is no such topic or partition (any more).
    fn add_pinned(&mut self, inventory: &Inventory, key: &LaneKey) {
        let topics = inventory.topics();
        let found = topics.binary_search_by(|topic| topic.name.cmp(&key.topic));
        let Some(topic) = found.ok().and_then(|index| topics.get(index)) else {
            return;
        };
        let index = key.partition.map(|id| {
            let mut partitions = topic.partitions.iter();
            partitions.position(|partition| partition.id == id)
        });
        if index == Some(None) {
            return;
        }
        let mut lane = Lane::new(topic, &partitions_of(topic), index.flatten());
        lane.pinned = true;
        self.all.push(lane);
        self.pinned = self.pinned.saturating_add(1);
    }

    fn add(&mut self, topic: &Arc<Topic>, open: bool) {
        let partitions = partitions_of(topic);
        self.topics = self.topics.saturating_add(1);
        let mut lane = Lane::new(topic, &partitions, None);
        lane.open = open;
        self.all.push(lane);
        if open {
            let lanes =
                (0..partitions.len()).map(|index| Lane::new(topic, &partitions, Some(index)));
            self.all.extend(lanes);
        }
    }

    /// How many lanes there are in all.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// How many of them, the first, stay on top.
    pub fn pinned(&self) -> usize {
        self.pinned
    }

    /// How many can be scrolled to.
    pub fn scrolled(&self) -> usize {
        self.all.len().saturating_sub(self.pinned)
    }

    /// Whether none can be scrolled to.
    pub fn is_empty(&self) -> bool {
        self.scrolled() == 0
    }

    /// How many topics have a lane.
    pub fn topics(&self) -> usize {
        self.topics
    }

    /// How many of the bus's own topics are not shown.
    pub fn hidden_internal(&self) -> usize {
        self.hidden_internal
    }

    /// How many topics the filter leaves out.
    pub fn filtered_out(&self) -> usize {
        self.filtered_out
    }

    /// Lane number `index` from the top.
    pub fn get(&self, index: usize) -> Option<&Lane> {
        self.all.get(index)
    }

    /// The height of row `row` of those that can be scrolled to.
    pub fn height(&self, row: u64) -> f32 {
        usize::try_from(row)
            .ok()
            .and_then(|row| self.get(self.pinned.saturating_add(row)))
            .map_or(size::PARTITION_LANE, Lane::height)
    }

    /// The number of the lane with `key` among those that can be scrolled to, counted among all.
    pub fn index_of(&self, key: &LaneKey) -> Option<usize> {
        let rows = self.all.iter().skip(self.pinned);
        let row = rows.clone().position(|lane| lane.key == *key)?;
        Some(self.pinned.saturating_add(row))
    }

    /// The row of lane number `index` among those that can be scrolled to.
    pub fn row_of(&self, index: usize) -> Option<u64> {
        u64::try_from(index.checked_sub(self.pinned)?).ok()
    }

    /// The lanes that can be scrolled to.
    pub fn rows(&self) -> &[Lane] {
        self.all.get(self.pinned..).unwrap_or_default()
    }

    /// The partitions that `selection` covers, or all that have a lane; sorted, each once.
    pub fn partitions(&self, selection: Option<&Selection>) -> Vec<TopicPartition> {
        let topic_lanes = self.rows().iter().filter(|lane| lane.is_topic());
        let mut partitions: Vec<TopicPartition> = topic_lanes
            .flat_map(Lane::partitions)
            .filter(|at| {
                selection.is_none_or(|selection| {
                    selection.covers(&LaneKey {
                        topic: Arc::clone(&at.topic),
                        partition: Some(at.partition),
                    })
                })
            })
            .cloned()
            .collect();
        partitions.sort_unstable();
        partitions
    }
}

/// What to tell the engine about the lanes on screen: the first partition of each lane, then the second of
/// each and so on, so that one large topic does not keep all others waiting.
pub fn view_of(visible: &[&Lane], columns: &super::axis::Columns) -> View {
    let mut partitions: Vec<TopicPartition> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let longest = visible
        .iter()
        .map(|lane| lane.partitions().len())
        .max()
        .unwrap_or(0);
    for index in 0..longest {
        for lane in visible {
            // Partitions of an open topic have lanes of their own; those that are scrolled away can wait.
            if lane.open {
                continue;
            }
            if let Some(at) = lane.partitions().get(index)
                && seen.insert(at)
            {
                partitions.push(at.clone());
            }
        }
    }
    for lane in visible.iter().filter(|lane| lane.open) {
        partitions.extend(
            lane.partitions()
                .iter()
                .filter(|at| seen.insert(*at))
                .cloned(),
        );
    }
    View {
        lanes: partitions,
        from: columns.from(),
        to: columns.to(),
        columns: columns.count(),
        folds: columns
            .left_out()
            .map(|(from, to)| (TimestampMs(from), TimestampMs(to)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{PartitionId, Problem, ProblemKind, by_hand};

    fn topic(name: &str, partitions: i32, internal: bool) -> Arc<Topic> {
        let partitions = (0..partitions).map(|id| by_hand::partition(id, 10, 1_010));
        Arc::new(Topic {
            internal,
            ..by_hand::topic(name, partitions.collect())
        })
    }

    fn inventory(topics: Vec<Arc<Topic>>) -> Inventory {
        Inventory {
            topics: Some(Ok(topics)),
            ..Inventory::default()
        }
    }

    fn choice(filter: &str, internal: bool, open: &[&str]) -> Choice {
        Choice {
            filter: filter.into(),
            internal,
            open: open.iter().map(|name| TopicName::from(*name)).collect(),
            pinned: Vec::new(),
        }
    }

    fn titles(lanes: &Lanes) -> Vec<String> {
        lanes.all.iter().map(|lane| lane.key.title()).collect()
    }

    #[test]
    fn an_open_topic_is_followed_by_its_partitions() {
        let inventory = inventory(vec![topic("orders", 2, false), topic("payments", 1, false)]);
        let lanes = Lanes::build(&inventory, &choice("", false, &["orders"]));
        assert_eq!(
            titles(&lanes),
            vec!["orders", "orders / 0", "orders / 1", "payments"]
        );
        assert_eq!(lanes.get(0).unwrap().partitions().len(), 2);
        assert_eq!(
            lanes.get(2).unwrap().partitions(),
            &[TopicPartition::new("orders", 1)]
        );
        assert_eq!(
            lanes.get(2).unwrap().partition().unwrap().id,
            PartitionId(1)
        );
        assert!(lanes.get(0).unwrap().partition().is_none());
    }

    #[test]
    fn a_filter_wants_every_word_in_any_case() {
        let inventory = inventory(vec![
            topic("Orders-DLT", 1, false),
            topic("orders", 1, false),
            topic("x", 1, false),
        ]);
        let lanes = Lanes::build(&inventory, &choice("dlt ORD", false, &[]));
        assert_eq!(titles(&lanes), vec!["Orders-DLT"]);
        assert_eq!(lanes.filtered_out(), 2);
    }

    #[test]
    fn internal_topics_are_hidden_and_counted_unless_asked_for() {
        let inventory = inventory(vec![
            topic("__consumer_offsets", 50, true),
            topic("orders", 1, false),
        ]);
        let hidden = Lanes::build(&inventory, &choice("", false, &[]));
        assert_eq!((hidden.len(), hidden.hidden_internal()), (1, 1));
        assert_eq!(Lanes::build(&inventory, &choice("", true, &[])).len(), 2);
    }

    #[test]
    fn a_topic_notes_its_records_and_says_when_some_are_unknown() {
        let mut lost = (*topic("orders", 2, false)).clone();
        let known = Lanes::build(
            &inventory(vec![Arc::new(lost.clone())]),
            &choice("", false, &[]),
        );
        assert_eq!(known.get(0).unwrap().note().text, "2 k");
        lost.partitions[1].high_watermark =
            Err(Problem::new(ProblemKind::NoLeader, "nobody leads it"));
        let lanes = Lanes::build(
            &inventory(vec![Arc::new(lost)]),
            &choice("", false, &["orders"]),
        );
        let note = lanes.get(0).unwrap().note();
        assert_eq!((note.text.as_str(), note.is_problem), ("1 k+", true));
        assert!(
            note.hint.contains("at least 1,000 records") && note.hint.contains("nobody leads it"),
            "{}",
            note.hint
        );
        assert_eq!(lanes.get(2).unwrap().note().text, "no leader");
        assert_eq!(*lanes.get(1).unwrap().note(), Note::default());
    }

    #[test]
    fn a_selection_stands_for_partitions() {
        let inventory = inventory(vec![topic("a", 3, false), topic("b", 2, false)]);
        let lanes = Lanes::build(&inventory, &choice("", false, &["a"]));
        assert_eq!(lanes.partitions(None).len(), 5);
        let selection = Selection::between(
            TimestampMs(0),
            TimestampMs(1),
            vec![
                LaneKey {
                    topic: "a".into(),
                    partition: Some(PartitionId(1)),
                },
                LaneKey::topic(&"b".into()),
            ],
        );
        let wanted = vec![
            TopicPartition::new("a", 1),
            TopicPartition::new("b", 0),
            TopicPartition::new("b", 1),
        ];
        assert_eq!(lanes.partitions(Some(&selection)), wanted);
    }

    #[test]
    fn every_lane_comes_first_once_before_any_comes_twice() {
        let inventory = inventory(vec![
            topic("a", 3, false),
            topic("b", 1, false),
            topic("c", 2, false),
        ]);
        let lanes = Lanes::build(&inventory, &choice("", false, &["c"]));
        let visible: Vec<&Lane> = lanes.rows().iter().take(4).collect();
        let columns = super::super::axis::Columns::new(0, 1_000, 10);
        let view = view_of(&visible, &columns);
        let names: Vec<String> = view.lanes.iter().map(ToString::to_string).collect();
        assert_eq!(names, vec!["a/0", "b/0", "c/0", "a/1", "a/2", "c/1"]);
        assert_eq!(
            (view.from, view.to, view.columns),
            (TimestampMs(0), TimestampMs(1_000), 100)
        );
    }
}
