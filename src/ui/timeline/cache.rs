//! What is worked out for lanes on screen and kept until what it comes from changes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::engine::{Density, GroupPlaces, Inventory, SessionId, Snapshot, View};
use crate::model::{Offset, Text, TimestampMs};

use super::super::state::{AxisKind, LaneKey};
use super::axis::Columns;
use super::bars::{self, Bar, Bars, EMPTY};
use super::cursors::{self, Cursor, Deleted, HeldBack, Readers, Standing};
use super::gaps::{Gap, Gaps};
use super::group_band::GroupBand;
use super::hits::Hits;
use super::layout::Geometry;
use super::model::{self, Lane, Lanes};
use super::offsets;
use super::outside::Outside;

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
    kind: AxisKind,
    /// Its cursors, sorted by place.
    pub cursors: Vec<Cursor>,
    /// What was deleted at its beginning.
    pub deleted: Option<Deleted>,
    /// What careful readers are not given yet.
    pub held_back: Option<HeldBack>,
    /// The time of its last record, about; only on an axis of time and when it is one partition.
    pub last: Option<TimestampMs>,
    /// How much is known of its times.
    pub knowledge: Knowledge,
    /// What it holds that is not on screen; only on an axis of time.
    pub outside: Outside,
    outside_of: Option<(u64, Columns)>,
    bars: Bars,
    /// On an axis of offsets, the bars and their columns.
    by_offset: Option<(Columns, Vec<Bar>)>,
    /// How many hits each column holds; nothing when none of them holds any.
    hits: Vec<u64>,
    hits_of: Option<(u64, AxisKind, Columns)>,
    /// The findings that columns hold.
    gaps: BTreeMap<i64, Gap>,
    gaps_of: Option<(u64, AxisKind, Columns)>,
}

impl LaneData {
    /// What column number `column` holds; nothing when it is not counted yet.
    pub fn bar(&self, column: i64) -> Bar {
        let Some((columns, bars)) = &self.by_offset else {
            return self.bars.bar(column);
        };
        let index = usize::try_from(column.saturating_sub(columns.first())).ok();
        index
            .and_then(|index| bars.get(index))
            .copied()
            .unwrap_or(EMPTY)
    }

    /// How many hits of the search column number `column` holds.
    pub fn hits(&self, column: i64) -> u64 {
        let Some((_, _, columns)) = &self.hits_of else {
            return 0;
        };
        let index = usize::try_from(column.saturating_sub(columns.first())).ok();
        index
            .and_then(|index| self.hits.get(index))
            .copied()
            .unwrap_or(0)
    }

    /// The findings that want attention, by column.
    pub fn gaps(&self) -> &BTreeMap<i64, Gap> {
        &self.gaps
    }

    fn find_gaps(&mut self, lane: &Lane, kind: AxisKind, columns: &Columns, gaps: &Gaps) {
        let is_same = matches!(&self.gaps_of, Some((version, of_kind, of))
            if *version == gaps.version() && *of_kind == kind && of == columns);
        if !is_same {
            self.gaps = gaps.of(lane, kind, columns);
            self.gaps_of = Some((gaps.version(), kind, columns.clone()));
        }
    }

    /// Whether some column holds hits.
    pub fn has_hits(&self) -> bool {
        !self.hits.is_empty()
    }

    /// How many hits all columns hold.
    pub fn all_hits(&self) -> u64 {
        self.hits.iter().copied().fold(0, u64::saturating_add)
    }

    fn count_hits(&mut self, lane: &Lane, kind: AxisKind, columns: &Columns, hits: &Hits) {
        let is_same = matches!(&self.hits_of, Some((version, of_kind, of))
            if *version == hits.version() && *of_kind == kind && of == columns);
        if !is_same {
            self.hits = hits.counts(lane, kind, columns);
            self.hits_of = Some((hits.version(), kind, columns.clone()));
        }
    }

    /// Works out what does not depend on the columns.
    fn refresh(&mut self, lane: &Lane, kind: AxisKind, known: &Known<'_>) {
        let Known {
            inventory,
            readers,
            density,
            chosen,
            now,
        } = known;
        self.knowledge = match kind {
            AxisKind::Time => knowledge(lane, density),
            AxisKind::FromEnd | AxisKind::Offset => knowledge_of_ends(lane),
        };
        self.last = None;
        if kind == AxisKind::Time {
            self.cursors = cursors::cursors(lane, inventory, readers, density, *now);
            self.deleted = cursors::deleted(lane, density, *chosen);
            self.held_back = cursors::held_back(lane, density, *now);
            if let ([at], Some(partition)) = (lane.partitions(), lane.partition())
                && let (Some((_, end)), Some(index)) =
                    (partition.ends(), density.partitions.get(at))
            {
                self.last = index.time_near(Offset(end.0.saturating_sub(1)));
            }
        } else {
            self.cursors = offsets::cursors(kind, lane, inventory, readers);
            self.deleted = offsets::deleted(kind, lane, *chosen);
            self.held_back = offsets::held_back(kind, lane);
        }
        let partitions = lane
            .partitions()
            .iter()
            .map(|at| (at, unread_from(*chosen, at, density)));
        self.bars.set_sources(bars::sources(partitions, density));
        self.by_offset = None;
    }

    /// Counts what the columns need; whether everything is done.
    fn count(
        &mut self,
        lane: &Lane,
        kind: AxisKind,
        chosen: Option<&GroupPlaces>,
        columns: &Columns,
        budget: &mut usize,
    ) -> bool {
        if kind != AxisKind::Time {
            let is_same = matches!(&self.by_offset, Some((of, _)) if of == columns);
            if !is_same {
                let bars = offsets::bars(kind, lane, chosen, columns);
                self.by_offset = Some((columns.clone(), bars));
            }
            return true;
        }
        let counted = self.bars.count(columns, budget);
        let of = (self.bars.version(), columns.clone());
        if self.outside_of.as_ref() == Some(&of) {
            return counted;
        }
        let sources = self.bars.sources();
        if *budget < sources.len() {
            return false;
        }
        *budget -= sources.len();
        self.outside = Outside::of(sources, columns);
        self.outside_of = Some(of);
        counted
    }
}

/// What lanes are worked out from.
struct Known<'a> {
    inventory: &'a Inventory,
    readers: &'a Readers,
    density: &'a Density,
    chosen: Option<&'a GroupPlaces>,
    now: TimestampMs,
}

/// What is kept of all lanes that are or were just on screen.
#[derive(Debug, Default)]
pub struct LaneCache {
    /// What the plan comes to in topics.
    pub(super) sums: super::ghosts::Sums,
    /// The hits of the search.
    pub(super) hits: Hits,
    /// What was found that wants attention.
    pub(super) gaps: Gaps,
    session: SessionId,
    inventory: Arc<Inventory>,
    density: Arc<Density>,
    readers: Arc<Readers>,
    group: Option<Text>,
    epoch: u64,
    lanes: HashMap<LaneKey, LaneData>,
    band: GroupBand,
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
            if !Arc::ptr_eq(&self.inventory, &snapshot.inventory) {
                self.readers = Arc::new(Readers::of(&snapshot.inventory));
            }
            self.inventory = Arc::clone(&snapshot.inventory);
            self.density = Arc::clone(&snapshot.density);
            self.group = group.cloned();
            self.epoch = self.epoch.wrapping_add(1).max(1);
        }
    }

    /// The chosen group.
    pub fn chosen(&self) -> Option<&GroupPlaces> {
        find_group(&self.inventory, self.group.as_ref()?)
    }

    /// Works out what `visible` lanes need for `columns` of the axis `kind`. Whether everything is done; if not,
    /// the next frame goes on.
    pub fn prepare(
        &mut self,
        visible: &[&Lane],
        kind: AxisKind,
        columns: &Columns,
        now: TimestampMs,
    ) -> bool {
        let inventory = Arc::clone(&self.inventory);
        let chosen = self
            .group
            .as_ref()
            .and_then(|name| find_group(&inventory, name));
        let density = Arc::clone(&self.density);
        let readers = Arc::clone(&self.readers);
        let known = Known {
            inventory: &inventory,
            readers: &readers,
            density: &density,
            chosen,
            now,
        };
        let mut budget = BUDGET;
        let mut complete = self
            .band
            .count(self.epoch, kind, chosen, &density, &mut budget);
        for lane in visible {
            let data = self.lanes.entry(lane.key.clone()).or_default();
            if data.epoch != self.epoch || data.kind != kind {
                data.epoch = self.epoch;
                data.kind = kind;
                data.refresh(lane, kind, &known);
            }
            complete &= data.count(lane, kind, chosen, columns, &mut budget);
            data.count_hits(lane, kind, columns, &self.hits);
            data.find_gaps(lane, kind, columns, &self.gaps);
        }
        if self.lanes.len() > visible.len().saturating_mul(2).saturating_add(256) {
            let keep: std::collections::HashSet<&LaneKey> =
                visible.iter().map(|lane| &lane.key).collect();
            self.lanes.retain(|key, _| keep.contains(key));
        }
        complete
    }

    /// Where the chosen group stands over all that it reads.
    pub fn band(&self) -> &GroupBand {
        &self.band
    }

    /// What to tell the engine of `geometry`, made anew only when it is another one.
    pub fn view(&mut self, lanes: &Arc<Lanes>, geometry: &Geometry) -> Arc<View> {
        let visible: Vec<usize> = geometry.all_slots().map(|slot| slot.index).collect();
        // An axis of offsets needs no look-ups; what was asked for last stays.
        if geometry.axis.kind() != AxisKind::Time
            && let Some(known) = &self.view
        {
            return Arc::clone(&known.view);
        }
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
            columns: geometry.columns.clone(),
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

fn knowledge_of_ends(lane: &Lane) -> Knowledge {
    if let Some(problem) = &lane.topic.error {
        return Knowledge::Nothing(Arc::clone(&problem.message));
    }
    let partitions = lane.described();
    if !partitions.is_empty()
        && partitions
            .iter()
            .all(|partition| partition.ends().is_none())
    {
        let problem = partitions
            .iter()
            .find_map(|partition| partition.first_problem());
        let reason = problem.map(|problem| Arc::clone(&problem.message));
        return reason.map_or(Knowledge::Waiting, Knowledge::Nothing);
    }
    Knowledge::Some
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
        Standing::At { time, .. } => Some(time),
        Standing::End | Standing::Offset(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::model::Choice;
    use super::*;
    use crate::inspect::density::TimeIndex;
    use crate::model::{Offset, Partition, Problem, ProblemKind, TopicPartition, by_hand};

    fn lanes(second: Result<i64, Problem>) -> Lanes {
        let partition = |id, end: Result<i64, Problem>| Partition {
            high_watermark: end.clone().map(Offset),
            last_stable: end.map(Offset),
            ..by_hand::partition(id, 0, 0)
        };
        let topic = by_hand::topic("orders", vec![partition(0, Ok(9)), partition(1, second)]);
        let inventory = Inventory {
            topics: Some(Ok(vec![Arc::new(topic)])),
            ..Inventory::default()
        };
        let choice = Choice {
            filter: String::new(),
            internal: false,
            open: BTreeSet::from(["orders".into()]),
            pinned: vec![],
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
