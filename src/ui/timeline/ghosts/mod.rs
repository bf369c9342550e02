//! Where the chosen group would stand after what is planned or dragged, and how much would run again or be
//! skipped. Pure.
//!
//! Numbers come at once from what is known of ends and times, as upper bounds; the plan's own take their place
//! when it is there.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{Density, GroupPlaces, RewindView};
use crate::inspect::lag::Place;
use crate::model::{Offset, TimestampMs, TopicName, TopicPartition};
use crate::rewind::plan::{Direction, Plan, Row};

use super::super::format;
use super::super::num::f64_from_i64;
use super::super::state::rewind::{FlagAim, RewindState};
use super::super::state::{AxisKind, BottomTab, UiState};
use super::cursors::{self, Standing, place_in};
use super::model::Lane;
use super::offsets;
use super::pull::{offset_near, time_of_offset};

/// How much a move means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Records that run again.
    pub again: u64,
    /// Records that are passed without being read.
    pub skipped: u64,
    /// Whether they were counted.
    pub exact: bool,
}

impl Effect {
    /// Both together.
    #[must_use]
    fn and(self, other: Self) -> Self {
        Self {
            again: self.again.saturating_add(other.again),
            skipped: self.skipped.saturating_add(other.skipped),
            exact: self.exact && other.exact,
        }
    }

    /// In words; empty where nothing moves.
    pub fn text(self) -> String {
        let bound = if self.exact { "" } else { "up to " };
        let mut parts = Vec::new();
        if self.again > 0 {
            parts.push(format!("{bound}{} run again", format::count(self.again)));
        }
        if self.skipped > 0 {
            parts.push(format!("{bound}{} skipped", format::count(self.skipped)));
        }
        parts.join(", ")
    }
}

/// Where the group would stand in a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// The place on the axis.
    pub to: f64,
    /// Where it stands now; `None` where it never committed.
    pub from: Option<f64>,
    /// What is said beside it; empty where it is said elsewhere.
    pub said: String,
    /// Whether it is the one that is being moved.
    pub moving: bool,
}

/// What a topic's rows come to, kept while the plan is the same.
#[derive(Debug, Default)]
pub struct Sums {
    of: Option<Arc<Plan>>,
    topics: HashMap<TopicName, (Effect, Option<TopicPartition>)>,
}

impl Sums {
    /// The sum over the rows of `topic`, and the row that goes back farthest in time.
    fn of(&mut self, plan: &Arc<Plan>, topic: &TopicName) -> (Effect, Option<TopicPartition>) {
        if !self
            .of
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, plan))
        {
            self.topics.clear();
            self.of = Some(Arc::clone(plan));
        }
        if let Some(known) = self.topics.get(topic) {
            return known.clone();
        }
        let rows = rows_in(plan, topic);
        let effect = rows.iter().map(effect_of).fold(
            Effect {
                exact: true,
                ..Effect::default()
            },
            Effect::and,
        );
        let time = |row: &Row| row.contents.first.as_ref().and_then(|first| first.at);
        let earliest = rows.iter().filter_map(|row| Some((time(row)?, &row.at)));
        let made = (effect, earliest.min().map(|(_, at)| at.clone()));
        self.topics.insert(Arc::clone(topic), made.clone());
        made
    }
}

/// The rows of a topic, which lie together.
fn rows_in<'p>(plan: &'p Plan, topic: &str) -> &'p [Row] {
    let start = plan.rows.partition_point(|row| *row.at.topic < *topic);
    let rest = plan.rows.get(start..).unwrap_or_default();
    let len = rest.partition_point(|row| *row.at.topic == *topic);
    rest.get(..len).unwrap_or_default()
}

fn row_of<'p>(plan: &'p Plan, at: &TopicPartition) -> Option<&'p Row> {
    let index = plan.rows.binary_search_by(|row| row.at.cmp(at)).ok()?;
    plan.rows.get(index)
}

fn effect_of(row: &Row) -> Effect {
    let records = row.contents.records;
    let exact = row.contents.exact;
    match row.direction() {
        Direction::Back => Effect {
            again: records,
            skipped: 0,
            exact,
        },
        Direction::Skip => Effect {
            again: 0,
            skipped: records,
            exact,
        },
        Direction::Stay | Direction::Begin | Direction::Delete => Effect {
            exact: true,
            ..Effect::default()
        },
    }
}

/// What the ghosts are worked out from.
pub struct Ground<'a> {
    /// What the axis shows.
    pub kind: AxisKind,
    /// The chosen group.
    pub group: &'a GroupPlaces,
    /// What is known of times.
    pub density: &'a Density,
    /// What the person does.
    pub state: &'a UiState,
    /// The plan at hand.
    pub view: &'a RewindView,
    /// The present.
    pub now: TimestampMs,
}

impl Ground<'_> {
    fn rewind(&self) -> &RewindState {
        &self.state.rewind
    }

    /// The plan, when it answers what is asked for now.
    fn plan(&self) -> Option<&Arc<Plan>> {
        let answers = self.rewind().is_answered_by(self.view.plan_number);
        match &self.view.plan {
            Some(Ok(plan)) if answers => Some(plan),
            _ => None,
        }
    }

    /// The ghost in `lane`; `None` where nothing is planned or dragged.
    pub fn ghost(&self, lane: &Lane, sums: &mut Sums) -> Option<Ghost> {
        let drag = self.rewind().drag.as_ref();
        if drag.is_none() && self.state.tab != BottomTab::Rewind {
            return None;
        }
        let is_taken = drag.is_some_and(|drag| drag.lane == lane.key);
        let mut ghost = match lane.partitions() {
            [at] => self.in_partition(at)?,
            [] => return None,
            _ => self.in_topic(lane, sums)?,
        };
        let moves_all = drag.is_none_or(|drag| matches!(drag.aim, FlagAim::Topic(..)));
        let shows = is_taken || (moves_all && lane.is_topic());
        if !shows {
            ghost.said.clear();
        }
        if let Some(stop) = drag
            .filter(|_| is_taken)
            .and_then(|drag| drag.stop.as_ref())
        {
            let gap = if ghost.said.is_empty() { "" } else { ": " };
            ghost.said = format!("{stop}{gap}{}", ghost.said);
        }
        ghost.moving = is_taken;
        Some(ghost)
    }

    fn in_partition(&self, at: &TopicPartition) -> Option<Ghost> {
        let place = place_in(self.group, at)?;
        let aim = self.rewind().drag.as_ref().map(|drag| &drag.aim);
        let aim = aim.filter(|aim| aim.moves(at));
        let row = self.plan().and_then(|plan| row_of(plan, at));
        let by_row = row
            .and_then(|row| row.to.as_ref().ok()?.as_ref())
            .map(|to| to.offset);
        let offset = by_row.or_else(|| aim.and_then(|aim| self.offset_of(at, aim)));
        let to = match (self.kind, aim.and_then(FlagAim::time)) {
            (AxisKind::Time, Some(time)) => f64_from_i64(time.0),
            _ => self.place_of(at, offset?)?,
        };
        let effect = match row.filter(|_| by_row.is_some()) {
            Some(row) => effect_of(row),
            None => stand_in(place, offset?)?,
        };
        let is_still = row.is_some_and(|row| row.direction() == Direction::Stay) && aim.is_none();
        (!is_still).then(|| Ghost {
            to,
            from: self.stands(place),
            said: effect.text(),
            moving: false,
        })
    }

    fn in_topic(&self, lane: &Lane, sums: &mut Sums) -> Option<Ghost> {
        let topic = &lane.key.topic;
        let aim = self.rewind().drag.as_ref().map(|drag| &drag.aim);
        let dragged = match aim {
            Some(FlagAim::Topic(moved, time, _)) if moved == topic => Some(*time),
            _ => None,
        };
        let planned = self.plan().map(|plan| sums.of(plan, topic));
        let places = cursors::places_in(self.group, topic);
        if let Some(time) = dragged {
            let effect = planned.map_or_else(
                || {
                    let all = places.iter().filter_map(|place| {
                        stand_in(place, offset_near(&place.at, time, self.density)?)
                    });
                    all.reduce(Effect::and).unwrap_or_default()
                },
                |(effect, _)| effect,
            );
            let to = (self.kind == AxisKind::Time).then(|| f64_from_i64(time.0))?;
            return Some(Ghost {
                to,
                from: self.least(places),
                said: effect.text(),
                moving: false,
            });
        }
        let (effect, earliest) = planned?;
        let at = earliest?;
        let row = self.plan().and_then(|plan| row_of(plan, &at))?;
        let offset = row.to.as_ref().ok()?.as_ref()?.offset;
        let to = (self.kind == AxisKind::Time)
            .then(|| self.place_of(&at, offset))
            .flatten()?;
        Some(Ghost {
            to,
            from: self.least(places),
            said: effect.text(),
            moving: false,
        })
    }

    fn offset_of(&self, at: &TopicPartition, aim: &FlagAim) -> Option<Offset> {
        match aim {
            FlagAim::Offset(_, offset) => Some(*offset),
            aim => offset_near(at, aim.time()?, self.density),
        }
    }

    /// The place of an offset on the axis.
    fn place_of(&self, at: &TopicPartition, offset: Offset) -> Option<f64> {
        let place = place_in(self.group, at)?;
        let end = place.high_watermark.as_ref().ok();
        match self.kind {
            AxisKind::Time if end.is_some_and(|end| offset >= *end) => {
                Some(f64_from_i64(self.now.0))
            }
            AxisKind::Time => {
                let time = time_of_offset(at, offset, self.density)?;
                Some(f64_from_i64(time.0))
            }
            kind => Some(f64_from_i64(offsets::place_of(kind, *end?, offset))),
        }
    }

    fn stands(&self, place: &Place) -> Option<f64> {
        if self.kind != AxisKind::Time {
            return self.place_of(&place.at, place.committed.clone().ok()??);
        }
        match cursors::time_of(place, self.density)? {
            Standing::At { time, .. } => Some(f64_from_i64(time.0)),
            Standing::End | Standing::Offset(_) => Some(f64_from_i64(self.now.0)),
        }
    }

    /// Where the least advanced of `places` stands.
    fn least(&self, places: &[Place]) -> Option<f64> {
        places
            .iter()
            .filter_map(|place| self.stands(place))
            .min_by(f64::total_cmp)
    }
}

/// How many offsets lie between where a group stands and `to`: an upper bound. `None` where it is not known.
fn stand_in(place: &Place, to: Offset) -> Option<Effect> {
    let (start, end) = (
        *place.log_start.as_ref().ok()?,
        *place.high_watermark.as_ref().ok()?,
    );
    let committed = place
        .committed
        .as_ref()
        .ok()?
        .map(|at| at.clamp(start, end))?;
    let to = to.clamp(start, end);
    Some(Effect {
        again: committed.since(to).unwrap_or(0),
        skipped: to.since(committed).unwrap_or(0),
        exact: false,
    })
}

#[cfg(test)]
mod tests;
