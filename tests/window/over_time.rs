//! What the engine would have read of the shop's groups over the last minutes, made by hand.

use std::sync::Arc;

use tideline::engine::{GroupPlaces, Inventory, Snapshot};
use tideline::inspect::samples::{GroupReading, Limits, Samples};
use tideline::model::{Offset, Text, TimestampMs};

use crate::data::NOW;

/// Time between two readings, in milliseconds.
pub const REST_MS: i64 = 4_000;

/// Gives `snapshot` `count` readings up to now. `moves` is how a place of `billing` moved at each of them: its
/// partition, by how much the log grew, by how much the committed offset went on. Others stood still.
pub fn sample(snapshot: &mut Snapshot, count: i64, moves: &[(i32, i64, i64)]) {
    let heads = Arc::clone(&snapshot.density.heads);
    let inventory = Arc::make_mut(&mut snapshot.inventory);
    let mut groups = inventory.groups().to_vec();
    for place in groups.iter_mut().flat_map(|group| &mut group.places) {
        if let (None, Some((from, _))) = (&place.next, place.reads_next()) {
            place.next = heads.get(&(place.at.clone(), from)).cloned();
        }
    }
    inventory.groups = Some(Ok(groups.clone()));
    let mut samples = Samples::default();
    for back in (0..count).rev() {
        let groups: Vec<GroupPlaces> = groups
            .iter()
            .map(|group| before(group, back, moves))
            .collect();
        let at = TimestampMs(NOW.0 - back * REST_MS);
        samples = read(&samples, at, &groups);
    }
    snapshot.samples = Arc::new(samples);
}

/// One more reading of what `snapshot` shows now.
pub fn read(samples: &Samples, at: TimestampMs, groups: &[GroupPlaces]) -> Samples {
    let readings: Vec<GroupReading<'_>> = groups
        .iter()
        .map(|group| GroupReading {
            name: &group.group.listing.name,
            places: group.group.commits.is_ok().then_some(&group.places[..]),
        })
        .collect();
    samples.with(
        at,
        &readings,
        Some(&Text::from("billing")),
        &Limits::default(),
    )
}

/// `group` as it was so many readings ago.
fn before(group: &GroupPlaces, back: i64, moves: &[(i32, i64, i64)]) -> GroupPlaces {
    let mut group = group.clone();
    if group.group.listing.name != Text::from("billing") {
        return group;
    }
    for place in &mut group.places {
        let moved = moves
            .iter()
            .find(|(partition, _, _)| *partition == place.at.partition.0);
        if let Some((_, grew, went)) = moved {
            place.high_watermark = place
                .high_watermark
                .clone()
                .map(|end| Offset(end.0 - back * grew));
            place.committed = place
                .committed
                .clone()
                .map(|offset| offset.map(|offset| Offset(offset.0 - back * went)));
        }
    }
    group
}

/// Changes the group named `name` in `snapshot`.
pub fn change_group(snapshot: &mut Snapshot, name: &str, change: impl FnOnce(&mut GroupPlaces)) {
    let inventory: &mut Inventory = Arc::make_mut(&mut snapshot.inventory);
    let Some(Ok(groups)) = &mut inventory.groups else {
        panic!("the groups are known");
    };
    let wanted = Text::from(name);
    let group = groups
        .iter_mut()
        .find(|group| group.group.listing.name == wanted)
        .expect("the group is there");
    change(group);
}
