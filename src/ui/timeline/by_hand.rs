//! Made-up lanes and groups for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::{GroupPlaces, Inventory};
use crate::inspect::lag::Place;
use crate::model::{Offset, Topic, by_hand};
use crate::ui::state::LaneKey;

use super::model::{Choice, Lanes};

/// A topic whose partitions hold the offsets from the first to before the second number.
pub fn topic(name: &str, partitions: &[(i64, i64)]) -> Arc<Topic> {
    let partitions = (0..)
        .zip(partitions)
        .map(|(id, (start, end))| by_hand::partition(id, *start, *end))
        .collect();
    Arc::new(by_hand::topic(name, partitions))
}

/// A group's places: topic, partition, committed offset, log start, end of the log.
pub fn group(name: &str, places: &[(&str, i32, i64, i64, i64)]) -> GroupPlaces {
    let places = places
        .iter()
        .map(|(topic, partition, committed, start, end)| {
            let commit = by_hand::commit(topic, *partition, Some(*committed));
            Place::new(&commit, Ok(Offset(*start)), Ok(Offset(*end)))
        })
        .collect();
    GroupPlaces {
        group: Arc::new(by_hand::group(name)),
        places,
    }
}

pub fn inventory(topics: Vec<Arc<Topic>>, groups: Vec<GroupPlaces>) -> Inventory {
    Inventory {
        topics: Some(Ok(topics)),
        groups: Some(Ok(groups)),
        ..Inventory::default()
    }
}

/// The lanes of `inventory` with some topics opened.
pub fn lanes(inventory: &Inventory, open: &[&str]) -> Lanes {
    pinned_lanes(inventory, open, &[])
}

/// The same with lanes that stay on top.
pub fn pinned_lanes(inventory: &Inventory, open: &[&str], pinned: &[LaneKey]) -> Lanes {
    let open: BTreeSet<_> = open.iter().map(|name| (*name).into()).collect();
    let choice = Choice {
        filter: String::new(),
        internal: false,
        open,
        pinned: pinned.to_vec(),
    };
    Lanes::build(inventory, &choice)
}
