//! What was read of groups over time: how logs grew and how committed offsets moved.
//!
//! | part | what it is |
//! |---|---|
//! | [`Series`] | readings of one partition, or of a topic's sum, equal ones in a row as one |
//! | [`Movement`] | when a committed offset last changed |
//! | [`trend()`] | whether a lag grows, by a rule on the last minutes |
//! | [`Trajectory`] | a series as lines to draw |
//!
//! # How much is kept
//!
//! Each group keeps a series for the sum of each topic. Each of its partitions has a series too when it is the
//! group that is looked at, or while all groups together stand in no more than [`Limits::places`] partitions.
//! When a committed offset last changed is kept for every partition: 40 bytes each.
//!
//! A series holds [`Limits::stretches`] stretches at most, all together [`Limits::all`]; a stretch has 32 bytes.
//! When there are more, the older half of a series is thinned out two to one, and the series tells before which
//! time that was done. Beyond [`Limits::series`] series further topics are not followed, and say so.

mod movement;
mod series;
mod trajectory;
mod trend;

pub use movement::{Moved, Movement};
pub use series::{Offsets, Series, Stretch};
pub use trajectory::{Point, Trajectory};
pub use trend::{LEAST_MS, RULE, STUCK_MS, Trend, WINDOW_MS, trend};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::inspect::lag::Place;
use crate::model::{Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Stretches in one series.
    pub stretches: usize,
    /// Stretches in all series together.
    pub all: usize,
    /// Series, but for those of the group that is looked at.
    pub series: usize,
    /// Partitions in which all groups together may stand so that each of them has a series.
    pub places: usize,
}

impl Default for Limits {
    /// 32 MiB of stretches.
    fn default() -> Self {
        Self {
            stretches: 1_000,
            all: 1_048_576,
            series: 65_536,
            places: 5_000,
        }
    }
}

/// What is known over time of one partition of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceSamples {
    /// The partition.
    pub partition: PartitionId,
    /// When its committed offset last changed.
    pub movement: Movement,
    /// Its readings, where they are kept.
    pub series: Option<Arc<Series>>,
}

/// What is known over time of one topic of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicSamples {
    /// The topic.
    pub topic: TopicName,
    /// The sum of its partitions in which the group has committed; unknown while one of them is. `None` when
    /// there are too many series to keep one more.
    pub sum: Option<Arc<Series>>,
    /// Its partitions, by number.
    pub partitions: Vec<PlaceSamples>,
    /// How many partitions the sum is of.
    parts: usize,
}

/// What is known over time of one group, by topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupSamples {
    topics: Vec<TopicSamples>,
}

impl GroupSamples {
    /// What is known of `topic`.
    pub fn topic(&self, topic: &str) -> Option<&TopicSamples> {
        let index = self
            .topics
            .binary_search_by(|known| (*known.topic).cmp(topic))
            .ok()?;
        self.topics.get(index)
    }

    /// What is known of one partition.
    pub fn partition(&self, at: &TopicPartition) -> Option<&PlaceSamples> {
        self.topic(&at.topic)?.partition(at.partition)
    }

    fn series_mut(&mut self) -> impl Iterator<Item = &mut Arc<Series>> {
        self.topics.iter_mut().flat_map(|topic| {
            let partitions = &mut topic.partitions;
            let of_partitions = partitions
                .iter_mut()
                .filter_map(|place| place.series.as_mut());
            topic.sum.as_mut().into_iter().chain(of_partitions)
        })
    }

    fn series(&self) -> impl Iterator<Item = &Arc<Series>> {
        self.topics.iter().flat_map(|topic| {
            let of_partitions = topic
                .partitions
                .iter()
                .filter_map(|place| place.series.as_ref());
            topic.sum.as_ref().into_iter().chain(of_partitions)
        })
    }
}

impl TopicSamples {
    fn new(topic: &TopicName) -> Self {
        Self {
            topic: Arc::clone(topic),
            sum: None,
            partitions: Vec::new(),
            parts: 0,
        }
    }

    fn partition(&self, partition: PartitionId) -> Option<&PlaceSamples> {
        let index = self
            .partitions
            .binary_search_by(|known| known.partition.cmp(&partition))
            .ok()?;
        self.partitions.get(index)
    }
}

/// Readings of all groups. Immutable once made, and cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    groups: BTreeMap<Text, Arc<GroupSamples>>,
    readings: u64,
}

/// What was read of one group.
#[derive(Clone, Copy, Debug)]
pub struct GroupReading<'a> {
    /// Its name.
    pub name: &'a Text,
    /// Its places, by topic and partition; `None` when they could not be read.
    pub places: Option<&'a [Place]>,
}

impl Samples {
    /// What is known of the group named `name`.
    pub fn group(&self, name: &Text) -> Option<&Arc<GroupSamples>> {
        self.groups.get(name)
    }

    /// How many times groups were read, whether it succeeded or not.
    pub fn readings(&self) -> u64 {
        self.readings
    }

    /// Stretches in all series.
    pub fn stretches(&self) -> usize {
        let groups = self.groups.values();
        groups
            .flat_map(|group| group.series())
            .map(|series| series.len())
            .sum()
    }

    /// These and what was read at `at`. Groups that are not among `groups` are gone and forgotten. `chosen` is
    /// the group that is looked at.
    #[must_use]
    pub fn with(
        &self,
        at: TimestampMs,
        groups: &[GroupReading<'_>],
        chosen: Option<&Text>,
        limits: &Limits,
    ) -> Self {
        let places = groups
            .iter()
            .map(|group| group.places.map_or(0, <[Place]>::len));
        let every_partition = places.sum::<usize>() <= limits.places;
        let mut room = limits.series;
        let mut next = Self {
            groups: BTreeMap::new(),
            readings: self.readings.saturating_add(1),
        };
        for group in groups {
            let known = self.groups.get(group.name);
            let is_chosen = chosen == Some(group.name);
            let mut adding = Adding {
                at,
                stretches: limits.stretches,
                partitions: is_chosen || every_partition,
                room: if is_chosen { usize::MAX } else { room },
            };
            let made = match group.places {
                Some(places) => adding.read(known.map(|known| &**known), places),
                None => adding.unread(known),
            };
            if !is_chosen {
                room = adding.room;
            }
            next.groups.insert(group.name.clone(), Arc::new(made));
        }
        next.keep_to(limits.all);
        next
    }

    /// These, after an attempt at `at` to read the groups that did not succeed.
    #[must_use]
    pub fn unread(&self, at: TimestampMs, limits: &Limits) -> Self {
        let lost: Vec<GroupReading<'_>> = self
            .groups
            .keys()
            .map(|name| GroupReading { name, places: None })
            .collect();
        self.with(at, &lost, None, limits)
    }

    /// Thins all series out until there are no more than `most` stretches, or no series is left to thin.
    fn keep_to(&mut self, most: usize) {
        while self.stretches() > most {
            let mut thinned = false;
            for group in self.groups.values_mut() {
                for series in Arc::make_mut(group).series_mut() {
                    thinned |= Arc::make_mut(series).thin();
                }
            }
            if !thinned {
                break;
            }
        }
    }
}

/// One reading of one group on its way into its samples.
struct Adding {
    at: TimestampMs,
    /// Stretches that a series may have.
    stretches: usize,
    /// Whether each partition has a series.
    partitions: bool,
    /// How many series there may be still.
    room: usize,
}

impl Adding {
    /// What is known after `places` were read.
    fn read(&mut self, known: Option<&GroupSamples>, places: &[Place]) -> GroupSamples {
        let topics = places
            .chunk_by(|a, b| a.at.topic == b.at.topic)
            .filter_map(|places| {
                let topic = &places.first()?.at.topic;
                let known = known.and_then(|known| known.topic(topic));
                Some(self.topic(topic, known, places))
            })
            .collect();
        GroupSamples { topics }
    }

    fn topic(
        &mut self,
        topic: &TopicName,
        known: Option<&TopicSamples>,
        places: &[Place],
    ) -> TopicSamples {
        let mut next = TopicSamples::new(topic);
        let sum = sum_of(places);
        next.parts = sum.parts;
        if self.has_room() {
            let mut series = known
                .and_then(|known| known.sum.clone())
                .unwrap_or_default();
            let inner = Arc::make_mut(&mut series);
            if known.is_some_and(|known| known.parts != sum.parts) {
                inner.part();
            }
            inner.push(self.at, sum.offsets, self.stretches);
            next.sum = Some(series);
        }
        next.partitions = places
            .iter()
            .map(|place| {
                let known = known.and_then(|known| known.partition(place.at.partition));
                self.partition(known, place)
            })
            .collect();
        next
    }

    fn partition(&mut self, known: Option<&PlaceSamples>, place: &Place) -> PlaceSamples {
        let before = known.map_or_else(Movement::default, |known| known.movement);
        let series = (self.partitions && self.has_room()).then(|| {
            let kept = known.and_then(|known| known.series.clone());
            let mut series = kept.unwrap_or_default();
            Arc::make_mut(&mut series).push(self.at, offsets_of(place), self.stretches);
            series
        });
        PlaceSamples {
            partition: place.at.partition,
            movement: before.after(self.at, &place.committed),
            series,
        }
    }

    /// What is known after the group could not be read.
    fn unread(&mut self, known: Option<&Arc<GroupSamples>>) -> GroupSamples {
        let mut next = known
            .map(|known| GroupSamples::clone(known))
            .unwrap_or_default();
        for series in next.series_mut() {
            self.room = self.room.saturating_sub(1);
            Arc::make_mut(series).push(self.at, None, self.stretches);
        }
        next
    }

    /// Whether one more series may be kept; takes its room.
    fn has_room(&mut self) -> bool {
        let has_room = self.room > 0;
        self.room = self.room.saturating_sub(1);
        has_room
    }
}

fn offsets_of(place: &Place) -> Option<Offsets> {
    match (&place.committed, &place.high_watermark) {
        (Ok(Some(committed)), Ok(end)) => Some(Offsets {
            end: *end,
            committed: *committed,
        }),
        _ => None,
    }
}

/// A topic's partitions as one.
struct Sum {
    /// Unknown when one of them is, or none has a committed offset.
    offsets: Option<Offsets>,
    /// How many of them have a committed offset, or may have one.
    parts: usize,
}

fn sum_of(places: &[Place]) -> Sum {
    let committed = || places.iter().filter(|place| place.committed != Ok(None));
    let zero = Offsets {
        end: Offset(0),
        committed: Offset(0),
    };
    let parts = committed().count();
    let offsets = committed().try_fold(zero, |sum, place| {
        let offsets = offsets_of(place)?;
        Some(Offsets {
            end: sum.end.moved(offsets.end.0)?,
            committed: sum.committed.moved(offsets.committed.0)?,
        })
    });
    Sum {
        offsets: offsets.filter(|_| parts > 0),
        parts,
    }
}

#[cfg(test)]
mod tests;
