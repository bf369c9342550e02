//! The rows of a group's table: totals and partitions, in the order asked for. Pure; made anew only when what
//! they are made of changes.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{GroupPlaces, Inventory};
use crate::inspect::lag::{Place, TotalLag, total};
use crate::inspect::samples::{GroupSamples, Samples, trend};
use crate::model::{Member, Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};

use super::super::num::u64_from_usize;
use super::super::state::{GroupColumn, GroupSort, LaneKey};

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The whole group.
    All,
    /// The topic with this number.
    Topic(usize),
    /// The place with this number.
    Place(usize),
}

/// The number of the group named `name`.
pub fn find(inventory: &Inventory, name: &Text) -> Option<usize> {
    inventory
        .groups()
        .binary_search_by(|group| group.group.listing.name.cmp(name))
        .ok()
}

/// Several partitions as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Records behind.
    pub lag: TotalLag,
    /// How many partitions.
    pub partitions: usize,
    /// In how many of them the lag is not known.
    pub unknown: usize,
    /// In how many of them there is no committed offset.
    pub never: usize,
    /// In how many of them the committed offset lies beyond the end.
    pub beyond: usize,
    /// Records that were deleted unread.
    pub lost: u64,
    /// The earliest next record, of those whose time is known.
    pub waiting_since: Option<TimestampMs>,
    /// In how many of them records wait and the time of the next one is not known.
    pub untimed: usize,
}

impl Total {
    fn of(places: &[Place]) -> Self {
        let mut sum = Self {
            lag: total(places),
            partitions: places.len(),
            ..Self::default()
        };
        for place in places {
            match place.lag() {
                Err(_) => sum.unknown = sum.unknown.saturating_add(1),
                Ok(None) => sum.never = sum.never.saturating_add(1),
                Ok(Some(_)) => {}
            }
            if place.is_beyond_end() {
                sum.beyond = sum.beyond.saturating_add(1);
            }
            sum.lost = sum.lost.saturating_add(place.deleted_unread().unwrap_or(0));
            match waiting(place) {
                Waiting::Since(time) => {
                    sum.waiting_since =
                        Some(sum.waiting_since.map_or(time, |known| known.min(time)));
                }
                Waiting::Unknown => sum.untimed = sum.untimed.saturating_add(1),
                Waiting::Nothing => {}
            }
        }
        sum
    }
}

/// Since when a record waits.
enum Waiting {
    Nothing,
    Since(TimestampMs),
    Unknown,
}

fn waiting(place: &Place) -> Waiting {
    if place.reads_next().is_none() {
        return Waiting::Nothing;
    }
    match &place.next {
        Some(Ok(None)) => Waiting::Nothing,
        Some(Ok(Some(head))) => head.timestamp.map_or(Waiting::Unknown, Waiting::Since),
        _ => Waiting::Unknown,
    }
}

/// A topic's partitions as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicTotal {
    /// The topic.
    pub topic: TopicName,
    /// The sum.
    pub total: Total,
}

/// Everything the table of one group is drawn from.
#[derive(Debug, Default)]
pub struct Model {
    inventory: Arc<Inventory>,
    index: usize,
    samples: Option<Arc<GroupSamples>>,
    /// The whole group.
    pub all: Total,
    /// Its topics, by name.
    pub topics: Vec<TopicTotal>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The largest offset of all, which decides how wide columns are.
    pub largest: Option<Offset>,
    owners: HashMap<TopicPartition, usize>,
}

impl Model {
    /// The rows of group number `index` of `inventory`.
    pub fn new(
        inventory: &Arc<Inventory>,
        index: usize,
        samples: Option<&Arc<GroupSamples>>,
        sort: GroupSort,
    ) -> Self {
        let mut model = Self {
            inventory: Arc::clone(inventory),
            index,
            samples: samples.cloned(),
            ..Self::default()
        };
        let places = model.places();
        let all = Total::of(places);
        let largest = places
            .iter()
            .flat_map(|place| {
                [
                    place.committed.clone().ok().flatten(),
                    place.high_watermark.clone().ok(),
                ]
            })
            .flatten()
            .max();
        let topics = topics_of(places);
        let owners = owners_of(model.members());
        model.all = all;
        model.largest = largest;
        model.topics = topics;
        model.owners = owners;
        model.rows = model.ordered(sort);
        model
    }

    /// The group.
    pub fn group(&self) -> Option<&GroupPlaces> {
        self.inventory.groups().get(self.index)
    }

    /// Its places, by topic and partition.
    pub fn places(&self) -> &[Place] {
        self.group().map_or(&[], |group| &group.places)
    }

    /// Its members; none when they are not known.
    pub fn members(&self) -> &[Member] {
        let members = self
            .group()
            .and_then(|group| group.group.members.as_ref().ok());
        members
            .and_then(|members| members.members.as_ref().ok())
            .map_or(&[], Vec::as_slice)
    }

    /// What is known of it over time.
    pub fn samples(&self) -> Option<&GroupSamples> {
        self.samples.as_deref()
    }

    /// The member that reads a partition.
    pub fn owner(&self, at: &TopicPartition) -> Option<&Member> {
        self.members().get(*self.owners.get(at)?)
    }

    /// The lane that `row` stands for; none for the group as a whole.
    pub fn lane(&self, row: Row) -> Option<LaneKey> {
        match row {
            Row::All => None,
            Row::Topic(index) => Some(LaneKey::topic(&self.topics.get(index)?.topic)),
            Row::Place(index) => self.places().get(index).map(|place| LaneKey {
                topic: Arc::clone(&place.at.topic),
                partition: Some(place.at.partition),
            }),
        }
    }

    /// The place of a partition.
    pub fn place(&self, topic: &TopicName, partition: PartitionId) -> Option<&Place> {
        let places = self.places();
        let wanted = (topic, partition);
        let index = places
            .binary_search_by(|place| (&place.at.topic, place.at.partition).cmp(&wanted))
            .ok()?;
        places.get(index)
    }

    /// What is drawn when nothing was chosen: the topic that is farthest behind.
    pub fn default_subject(&self) -> Option<LaneKey> {
        let mut farthest: Option<&TopicTotal> = None;
        for topic in &self.topics {
            if farthest.is_none_or(|known| topic.total.lag.records > known.total.lag.records) {
                farthest = Some(topic);
            }
        }
        farthest.map(|topic| LaneKey::topic(&topic.topic))
    }

    /// Whether `lane` is among what the group reads.
    pub fn has(&self, lane: &LaneKey) -> bool {
        match lane.partition {
            Some(partition) => self.place(&lane.topic, partition).is_some(),
            None => self.topics.iter().any(|topic| topic.topic == lane.topic),
        }
    }

    /// Totals first, then the partitions.
    fn ordered(&self, sort: GroupSort) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.topics.len() + self.places().len() + 1);
        if self.topics.len() > 1 {
            rows.push(Row::All);
        }
        let topics = self
            .topics
            .iter()
            .map(|topic| total_key(topic, sort.column));
        rows.extend(order(topics, sort.descending).into_iter().map(Row::Topic));
        let places = self.places().iter();
        let keys = places.map(|place| self.key(place, sort.column));
        rows.extend(order(keys, sort.descending).into_iter().map(Row::Place));
        rows
    }

    /// By what `place` is ordered; `None` when that is not known.
    fn key(&self, place: &Place, column: GroupColumn) -> Option<Key> {
        let samples = || self.samples()?.partition(&place.at);
        let number = |number: i64| Key::Number(i128::from(number));
        match column {
            GroupColumn::Topic => Some(Key::Place(Arc::clone(&place.at.topic), place.at.partition)),
            GroupColumn::Partition => Some(number(i64::from(place.at.partition.0))),
            GroupColumn::Committed => place
                .committed
                .as_ref()
                .ok()?
                .map(|offset| number(offset.0)),
            GroupColumn::End => place
                .high_watermark
                .as_ref()
                .ok()
                .map(|offset| number(offset.0)),
            GroupColumn::Lag => Some(Key::Number(i128::from(place.lag().ok()??))),
            GroupColumn::Delay => {
                place.lag().ok()??;
                match waiting(place) {
                    Waiting::Nothing => Some(Key::Number(i128::MIN)),
                    // The earlier, the longer.
                    Waiting::Since(time) => Some(Key::Number(-i128::from(time.0))),
                    Waiting::Unknown => None,
                }
            }
            GroupColumn::Moved => {
                let movement = samples()?.movement;
                movement.since?;
                Some(
                    movement
                        .last
                        .map_or(Key::Number(i128::MIN), |last| number(last.at.0)),
                )
            }
            GroupColumn::Trend => {
                let start = *place.log_start.as_ref().ok()?;
                let series = samples()?.series.as_ref()?;
                trend(series, start).ok().map(Key::Trend)
            }
            GroupColumn::Owner => self
                .owner(&place.at)
                .map(|owner| Key::Text(owner.client_id.clone())),
            GroupColumn::Notes => note_key(place),
        }
    }
}

/// Warnings before what was stored with a commit; places without either come last.
fn note_key(place: &Place) -> Option<Key> {
    if place.is_beyond_end() {
        Some(Key::Number(0))
    } else if let Some(lost) = place.deleted_unread() {
        Some(Key::Number(i128::from(u64::MAX - lost).saturating_add(1)))
    } else {
        let has_metadata = !place.metadata.is_empty();
        has_metadata.then(|| Key::Text(place.metadata.clone()))
    }
}

/// By what something is ordered; only keys of one column are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(i128),
    Trend(crate::inspect::samples::Trend),
    Text(Text),
    Place(TopicName, PartitionId),
}

fn total_key(topic: &TopicTotal, column: GroupColumn) -> Option<Key> {
    match column {
        GroupColumn::Topic => Some(Key::Text(Text::from(&*topic.topic))),
        GroupColumn::Lag => topic
            .total
            .lag
            .records
            .map(|records| Key::Number(i128::from(records))),
        GroupColumn::Delay => topic
            .total
            .waiting_since
            .map(|time| Key::Number(-i128::from(time.0))),
        _ => None,
    }
}

/// The numbers of `keys` in their order; what is not known last either way, and equals as they were.
fn order(keys: impl Iterator<Item = Option<Key>>, descending: bool) -> Vec<usize> {
    let mut keys: Vec<(usize, Option<Key>)> = keys.enumerate().collect();
    keys.sort_by(|(_, a), (_, b)| match (a, b) {
        (Some(a), Some(b)) if descending => b.cmp(a),
        (Some(a), Some(b)) => a.cmp(b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    keys.into_iter().map(|(index, _)| index).collect()
}

fn topics_of(places: &[Place]) -> Vec<TopicTotal> {
    places
        .chunk_by(|a, b| a.at.topic == b.at.topic)
        .filter_map(|chunk| {
            Some(TopicTotal {
                topic: Arc::clone(&chunk.first()?.at.topic),
                total: Total::of(chunk),
            })
        })
        .collect()
}

fn owners_of(members: &[Member]) -> HashMap<TopicPartition, usize> {
    let mut owners = HashMap::new();
    for (index, member) in members.iter().enumerate() {
        for assignment in &member.assignment {
            for partition in &assignment.partitions {
                let at = TopicPartition {
                    topic: Arc::clone(&assignment.topic),
                    partition: *partition,
                };
                owners.insert(at, index);
            }
        }
    }
    owners
}

/// The model of what was shown last, kept while nothing that it is made of changes.
#[derive(Debug, Default)]
pub struct ModelCache {
    made_of: Option<(Arc<Inventory>, Arc<Samples>, usize, GroupSort)>,
    model: Arc<Model>,
    /// How often a model was made; what a test holds.
    pub made: u64,
}

impl ModelCache {
    /// The model of group number `index`.
    pub fn of(
        &mut self,
        inventory: &Arc<Inventory>,
        samples: &Arc<Samples>,
        index: usize,
        sort: GroupSort,
    ) -> Arc<Model> {
        let is_same = self
            .made_of
            .as_ref()
            .is_some_and(|(of, sampled, number, order)| {
                Arc::ptr_eq(of, inventory)
                    && Arc::ptr_eq(sampled, samples)
                    && (*number, *order) == (index, sort)
            });
        if !is_same {
            let name = inventory
                .groups()
                .get(index)
                .map(|group| &group.group.listing.name);
            let of_group = name.and_then(|name| samples.group(name));
            self.model = Arc::new(Model::new(inventory, index, of_group, sort));
            self.made_of = Some((Arc::clone(inventory), Arc::clone(samples), index, sort));
            self.made = self.made.saturating_add(1);
        }
        Arc::clone(&self.model)
    }
}

impl Model {
    /// How many rows there are.
    pub fn len(&self) -> u64 {
        u64_from_usize(self.rows.len())
    }
}

#[cfg(test)]
mod tests;
