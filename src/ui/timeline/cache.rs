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

/// How much is known of a lane's times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Knowledge {
    /// Something of every partition in it that has records.
    #[default]
    Some,
    /// Nothing yet of some partition; it is being asked.
    Waiting,
    /// Nothing of any partition, for this reason.
    Nothing(Arc<str>),
}

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
    /// How much is known of its times.
    pub knowledge: Knowledge,
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
                data.knowledge = knowledge(lane, &self.density);
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

fn knowledge(lane: &Lane, density: &Density) -> Knowledge {
    if let Some(problem) = &lane.topic.error {
        return Knowledge::Nothing(Arc::clone(&problem.message));
    }
    let mut reason = None;
    let (mut waiting, mut known) = (false, false);
    for (at, partition) in lane.partitions().iter().zip(lane.described()) {
        let problem = density
            .problems
            .get(at)
            .or_else(|| partition.first_problem());
        if density.partitions.contains_key(at) {
            known = true;
        } else if let Some(problem) = problem {
            reason = reason.or(Some(problem));
        } else {
            waiting |= partition.ends().is_some_and(|(start, end)| start < end);
        }
    }
    match reason {
        Some(problem) if !known && !waiting => Knowledge::Nothing(Arc::clone(&problem.message)),
        _ if waiting => Knowledge::Waiting,
        _ => Knowledge::Some,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::model::Choice;
    use super::*;
    use crate::inspect::density::TimeIndex;
    use crate::model::{
        Offset, Partition, PartitionId, Problem, ProblemKind, Topic, TopicConfig, TopicPartition,
    };

    fn lanes(second: Result<i64, Problem>) -> Lanes {
        let partition = |id, end: Result<i64, Problem>| Partition {
            id: PartitionId(id),
            leader: None,
            replicas: vec![],
            isr: vec![],
            log_start: Ok(Offset(0)),
            high_watermark: end.clone().map(Offset),
            last_stable: end.map(Offset),
            error: None,
        };
        let topic = Topic {
            name: "orders".into(),
            topic_id: None,
            internal: false,
            config: Ok(TopicConfig::default()),
            partitions: vec![partition(0, Ok(9)), partition(1, second)],
            error: None,
        };
        let inventory = Inventory {
            topics: Some(Ok(vec![Arc::new(topic)])),
            ..Inventory::default()
        };
        let choice = Choice {
            filter: String::new(),
            internal: false,
            open: BTreeSet::from(["orders".into()]),
        };
        Lanes::build(&inventory, &choice)
    }

    fn known(partitions: &[i32]) -> Density {
        let mut density = Density::default();
        for partition in partitions {
            let at = TopicPartition::new("orders", *partition);
            let index = TimeIndex::new(Offset(0), Offset(9));
            density.partitions.insert(at, Arc::new(index));
        }
        density
    }

    fn lost() -> Problem {
        Problem::new(ProblemKind::NoLeader, "nobody leads it")
    }

    #[test]
    fn a_lane_waits_until_something_is_known_of_every_partition() {
        let lanes = lanes(Ok(9));
        let of = |lane: usize, partitions: &[i32]| {
            knowledge(lanes.get(lane).unwrap(), &known(partitions))
        };
        assert_eq!(of(0, &[0]), Knowledge::Waiting);
        assert_eq!(of(0, &[0, 1]), Knowledge::Some);
        assert_eq!(of(2, &[0]), Knowledge::Waiting);
    }

    #[test]
    fn an_empty_partition_is_not_waited_for() {
        let lanes = lanes(Ok(0));
        assert_eq!(
            knowledge(lanes.get(2).unwrap(), &known(&[])),
            Knowledge::Some
        );
    }

    #[test]
    fn a_lane_of_which_nothing_can_be_known_says_why() {
        let lanes = lanes(Err(lost()));
        let nothing = Knowledge::Nothing("nobody leads it".into());
        assert_eq!(knowledge(lanes.get(2).unwrap(), &known(&[])), nothing);
        // The topic as a whole is known in part.
        assert_eq!(
            knowledge(lanes.get(0).unwrap(), &known(&[0])),
            Knowledge::Some
        );
    }
}
