//! Where groups stand on the time axis, and what was deleted at the beginning of a lane. Pure.
//!
//! | part | what it is |
//! |---|---|
//! | this file | which groups have places in a lane, and the cursor of each |
//! | `standing` | the place of one committed offset on the axis |
//! | `extents` | what of a lane is deleted, and what careful readers are not given yet |

mod extents;
mod standing;

pub use extents::{Beginning, Deleted, HeldBack, deleted, first_time, held_back, lost, times};
pub use standing::{Standing, time_of};

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{Density, GroupPlaces, Inventory};
use crate::inspect::lag::{Place, TotalLag, total};
use crate::model::{Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};

use super::model::Lane;

/// Where a group stands in a lane.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The number of the group in the inventory.
    pub group: usize,
    /// Its name.
    pub name: Text,
    /// Where it stands; in a topic's lane where it stands in the partition that is least advanced.
    pub at: Standing,
    /// That partition.
    pub partition: PartitionId,
    /// The committed offset there.
    pub committed: Offset,
    /// How far behind it is in the whole lane.
    pub lag: TotalLag,
    /// How long ago the next record came, when that is known.
    pub delay_ms: Option<i64>,
}

/// The places of `group` in one topic.
pub fn places_in<'g>(group: &'g GroupPlaces, topic: &str) -> &'g [Place] {
    let start = group
        .places
        .partition_point(|place| *place.at.topic < *topic);
    let rest = group.places.get(start..).unwrap_or_default();
    let len = rest.partition_point(|place| *place.at.topic == *topic);
    rest.get(..len).unwrap_or_default()
}

/// The place of `group` in one partition.
pub fn place_in<'g>(group: &'g GroupPlaces, at: &TopicPartition) -> Option<&'g Place> {
    let index = group
        .places
        .binary_search_by(|place| place.at.cmp(at))
        .ok()?;
    group.places.get(index)
}

/// The places of `group` in `lane`; `None` when it has none there.
pub fn places_of<'g>(group: &'g GroupPlaces, lane: &Lane) -> Option<&'g [Place]> {
    let places = match lane.partitions() {
        [only] => std::slice::from_ref(place_in(group, only)?),
        _ => places_in(group, &lane.key.topic),
    };
    (!places.is_empty()).then_some(places)
}

/// Which groups have a place in which topic, so that a lane asks only those: most groups read few topics.
#[derive(Debug, Default)]
pub struct Readers(HashMap<TopicName, Vec<usize>>);

impl Readers {
    /// The readers among the groups of `inventory`.
    pub fn of(inventory: &Inventory) -> Self {
        let mut readers: HashMap<TopicName, Vec<usize>> = HashMap::new();
        for (index, group) in inventory.groups().iter().enumerate() {
            let mut last: Option<&TopicName> = None;
            for place in &group.places {
                // Places are sorted by topic.
                if last != Some(&place.at.topic) {
                    last = Some(&place.at.topic);
                    let topic = Arc::clone(&place.at.topic);
                    readers.entry(topic).or_default().push(index);
                }
            }
        }
        Self(readers)
    }

    /// The groups that have a place in `topic`, each with its number.
    pub fn in_topic<'a>(
        &'a self,
        topic: &str,
        inventory: &'a Inventory,
    ) -> impl Iterator<Item = (usize, &'a GroupPlaces)> {
        let groups = inventory.groups();
        let numbers = self.0.get(topic).map(Vec::as_slice).unwrap_or_default();
        numbers
            .iter()
            .filter_map(|index| Some((*index, groups.get(*index)?)))
    }
}

/// The cursors of all groups in `lane`, sorted by place.
pub fn cursors(
    lane: &Lane,
    inventory: &Inventory,
    readers: &Readers,
    density: &Density,
    now: TimestampMs,
) -> Vec<Cursor> {
    let mut cursors: Vec<Cursor> = readers
        .in_topic(&lane.key.topic, inventory)
        .filter_map(|(index, group)| cursor(index, group, lane, density, now))
        .collect();
    cursors.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.name.cmp(&b.name)));
    cursors
}

fn cursor(
    index: usize,
    group: &GroupPlaces,
    lane: &Lane,
    density: &Density,
    now: TimestampMs,
) -> Option<Cursor> {
    let places = places_of(group, lane)?;
    let standing = places
        .iter()
        .filter_map(|place| Some((time_of(place, density)?, place)));
    let (at, least) = standing.min_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.at.cmp(&b.1.at)))?;
    let delay_ms = match at {
        Standing::End | Standing::Offset(_) => Some(0),
        Standing::At { time, .. } => Some(now.since_ms(time)),
    };
    Some(Cursor {
        group: index,
        name: group.group.listing.name.clone(),
        at,
        partition: least.at.partition,
        committed: (*least.committed.as_ref().ok()?)?,
        lag: total(places),
        delay_ms,
    })
}

#[cfg(test)]
mod tests;
