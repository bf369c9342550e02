//! What is worked out for lanes on screen and kept until what it comes from changes.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{Density, GroupPlaces, Inventory, SessionId, Snapshot, View};
use crate::model::{Text, TimestampMs};

use super::bars::{self, Bars};
use super::cursors::{self, Cursor, CursorTime, Deleted};
use super::layout::{Columns, Geometry};
use super::model::{self, Lane, Lanes};
use crate::ui::state::LaneKey;

/// Counts that one frame may spend; see [`Bars::count`]. Some 2 ms.
const BUDGET: usize = 64 * 256;

/// What is kept of one lane.
#[derive(Debug, Default)]
pub struct LaneData {
    epoch: u64,
    /// Its cursors, sorted by place.
    pub cursors: Vec<Cursor>,
    /// What was deleted at its beginning.
    pub deleted: Option<Deleted>,
    /// Its columns.
    pub bars: Bars,
}

/// What is kept of all lanes that are or were just on screen.
#[derive(Debug, Default)]
pub struct LaneCache {
    session: SessionId,
    inventory: Arc<Inventory>,
    density: Arc<Density>,
    group: Option<Text>,
    epoch: u64,
    lanes: HashMap<LaneKey, LaneData>,
    view: Option<KnownView>,
}

/// A view and what it was made of.
#[derive(Debug)]
struct KnownView {
    lanes: Arc<Lanes>,
    visible: Vec<usize>,
    columns: Columns,
    view: Arc<View>,
}

impl LaneCache {
    /// Takes what the lanes are worked out from; what was worked out from anything else is done anew when it
    /// is next on screen.
    pub fn take(&mut self, snapshot: &Snapshot, group: Option<&Text>) {
        if self.session != snapshot.session {
            *self = Self {
                session: snapshot.session,
                epoch: self.epoch,
                ..Self::default()
            };
        }
        let same = Arc::ptr_eq(&self.inventory, &snapshot.inventory)
            && Arc::ptr_eq(&self.density, &snapshot.density)
            && self.group.as_ref() == group;
        if !same || self.epoch == 0 {
            self.inventory = Arc::clone(&snapshot.inventory);
            self.density = Arc::clone(&snapshot.density);
            self.group = group.cloned();
            self.epoch = self.epoch.wrapping_add(1).max(1);
        }
    }

    /// Works out what `visible` lanes need for `columns`. Whether everything is done; if not, the next frame
    /// goes on.
    pub fn prepare(&mut self, visible: &[&Lane], columns: &Columns, now: TimestampMs) -> bool {
        let chosen = self
            .group
            .as_ref()
            .and_then(|name| find_group(&self.inventory, name));
        let mut budget = BUDGET;
        let mut complete = true;
        for lane in visible {
            let data = self.lanes.entry(lane.key.clone()).or_default();
            if data.epoch != self.epoch {
                data.epoch = self.epoch;
                data.cursors = cursors::cursors(lane, &self.inventory, &self.density, now);
                data.deleted = cursors::deleted(lane, &self.density, chosen);
                let density = &self.density;
                let partitions = lane
                    .partitions()
                    .iter()
                    .map(|at| (at, unread_from(chosen, at, density)));
                data.bars.set_sources(bars::sources(partitions, density));
            }
            complete &= data.bars.count(columns, &mut budget);
        }
        if self.lanes.len() > visible.len().saturating_mul(2).saturating_add(256) {
            let keep: std::collections::HashSet<&LaneKey> =
                visible.iter().map(|lane| &lane.key).collect();
            self.lanes.retain(|key, _| keep.contains(key));
        }
        complete
    }

    /// What to tell the engine of `geometry`, made anew only when it is another one.
    pub fn view(&mut self, lanes: &Arc<Lanes>, geometry: &Geometry) -> Arc<View> {
        let visible: Vec<usize> = geometry.slots.iter().map(|slot| slot.index).collect();
        if let Some(known) = &self.view
            && Arc::ptr_eq(&known.lanes, lanes)
            && known.visible == visible
            && known.columns == geometry.columns
        {
            return Arc::clone(&known.view);
        }
        let shown: Vec<&Lane> = visible
            .iter()
            .filter_map(|index| lanes.get(*index))
            .collect();
        let made = model::view_of(&shown, &geometry.columns);
        // The same as before stays the very same, which is cheap to see.
        let view = match &self.view {
            Some(known) if *known.view == made => Arc::clone(&known.view),
            _ => Arc::new(made),
        };
        self.view = Some(KnownView {
            lanes: Arc::clone(lanes),
            visible,
            columns: geometry.columns,
            view: Arc::clone(&view),
        });
        view
    }

    /// What is kept of `lane`.
    pub fn get(&self, lane: &LaneKey) -> Option<&LaneData> {
        self.lanes.get(lane)
    }

    /// How many lanes something is kept of.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }
}

/// The group named `name`.
pub fn find_group<'i>(inventory: &'i Inventory, name: &Text) -> Option<&'i GroupPlaces> {
    let groups = inventory.groups();
    let index = groups
        .binary_search_by(|group| group.group.listing.name.cmp(name))
        .ok()?;
    groups.get(index)
}

fn unread_from(
    chosen: Option<&GroupPlaces>,
    at: &crate::model::TopicPartition,
    density: &Density,
) -> Option<TimestampMs> {
    let place = cursors::place_in(chosen?, at)?;
    match cursors::time_of(place, density)? {
        CursorTime::At { time, .. } => Some(time),
        CursorTime::End => None,
    }
}
