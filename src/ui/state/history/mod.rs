//! Ways back: undoing what changed the view, and going back to where one has been. Pure.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::engine::TablePlace;
use crate::model::{Record, Text, TimestampMs, TopicName};

use super::{
    AxisKind, BottomTab, LaneKey, SelectedRecords, Selection, TableSort, UiState, ViewRange,
};

/// How many steps either way leads back.
const MOST_STEPS: usize = 100;
/// Changes of the same thing that follow each other within this many seconds are one step.
const RUN_S: f64 = 0.6;

/// What undo brings back: everything that decides what is on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    view: Option<ViewRange>,
    axis: AxisKind,
    offset_view: Option<ViewRange>,
    fold_idle: bool,
    pinned: Vec<LaneKey>,
    markers: Vec<TimestampMs>,
    selection: Option<Selection>,
    open_topics: BTreeSet<TopicName>,
    filter: String,
    internal: bool,
    group: Option<Text>,
    sort: Option<TableSort>,
}

/// Which parts of [`Seen`] a step changed, a bit each.
type Parts = u8;

const VIEW: Parts = 1;
const SELECTION: Parts = 2;
const TOPICS: Parts = 4;
const FILTER: Parts = 8;
const GROUP: Parts = 16;
const AXIS: Parts = 32;
const MARKS: Parts = 64;
const ORDER: Parts = 128;

impl Seen {
    /// What `state` shows.
    pub fn of(state: &UiState) -> Self {
        Self {
            view: state.view,
            axis: state.axis,
            offset_view: state.offset_view,
            fold_idle: state.fold_idle,
            pinned: state.pinned.clone(),
            markers: state.markers.clone(),
            selection: state.selection.clone(),
            open_topics: state.open_topics.clone(),
            filter: state.filter.clone(),
            internal: state.internal,
            group: state.group.clone(),
            sort: state.sort_of_list().cloned(),
        }
    }

    fn restore(self, state: &mut UiState) {
        let Self {
            view,
            axis,
            offset_view,
            fold_idle,
            pinned,
            markers,
            selection,
            open_topics,
            filter,
            internal,
            group,
            sort,
        } = self;
        state.view = view;
        state.axis = axis;
        state.offset_view = offset_view;
        state.fold_idle = fold_idle;
        state.pinned = pinned;
        state.markers = markers;
        state.set_selection(selection);
        state.open_topics = open_topics;
        state.filter = filter;
        state.internal = internal;
        state.group = group;
        if state.sort_of_list() != sort.as_ref() {
            state.on_list(|state| {
                state.table.sort = sort;
                state.table.begin_at_top(state.selection.is_some());
            });
        }
    }

    fn changed_since(&self, before: &Self) -> Parts {
        let part = |changed: bool, bit: Parts| if changed { bit } else { 0 };
        part(
            self.view != before.view || self.offset_view != before.offset_view,
            VIEW,
        ) | part(
            self.axis != before.axis || self.fold_idle != before.fold_idle,
            AXIS,
        ) | part(
            self.pinned != before.pinned || self.markers != before.markers,
            MARKS,
        ) | part(self.selection != before.selection, SELECTION)
            | part(
                self.open_topics != before.open_topics || self.internal != before.internal,
                TOPICS,
            )
            | part(self.filter != before.filter, FILTER)
            | part(self.group != before.group, GROUP)
            | part(self.sort != before.sort, ORDER)
    }
}

/// When a change was made, and by which press of the pointer's button, if one was held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// In seconds.
    pub at_s: f64,
    /// The number of the press that was held.
    pub press: Option<u64>,
}

#[derive(Clone, Debug)]
struct Step {
    before: Seen,
    parts: Parts,
    last: Moment,
}

impl Step {
    /// Whether a change of `parts` at `now` belongs to this step: the same drag, or a run of wheel steps,
    /// typed letters or arrow keys.
    fn goes_on(&self, parts: Parts, now: Moment) -> bool {
        let runs = parts & !(VIEW | FILTER | GROUP) == 0;
        let is_same_press = now.press.is_some() && now.press == self.last.press;
        let is_soon = runs && now.at_s - self.last.at_s < RUN_S;
        parts == self.parts && (is_same_press || is_soon)
    }
}

/// What changed the view, step by step.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    past: VecDeque<Step>,
    future: Vec<Step>,
}

impl Undo {
    /// Takes note that what was seen changed.
    pub fn note(&mut self, before: Seen, after: &Seen, now: Moment) {
        let parts = after.changed_since(&before);
        if parts == 0 {
            return;
        }
        self.future.clear();
        if let Some(step) = self.past.back_mut()
            && step.goes_on(parts, now)
        {
            step.last = now;
            return;
        }
        self.past.push_back(Step {
            before,
            parts,
            last: now,
        });
        if self.past.len() > MOST_STEPS {
            self.past.pop_front();
        }
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is something to do again.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Undoes the last step.
    pub fn undo(&mut self, state: &mut UiState) {
        if let Some(step) = self.past.pop_back() {
            self.future.push(swap(step, state));
        }
    }

    /// Does again what was undone last.
    pub fn redo(&mut self, state: &mut UiState) {
        if let Some(step) = self.future.pop() {
            self.past.push_back(swap(step, state));
        }
    }
}

/// Shows what `step` holds, and keeps what was shown instead. What comes next is a step of its own.
fn swap(step: Step, state: &mut UiState) -> Step {
    let now = Seen::of(state);
    step.before.restore(state);
    Step {
        before: now,
        parts: step.parts,
        last: Moment {
            at_s: f64::NEG_INFINITY,
            press: None,
        },
    }
}

/// Where one has been: which record, span and part of the data.
#[derive(Clone, Debug)]
pub struct Place {
    record: Option<Arc<Record>>,
    selection: Option<Selection>,
    view: Option<ViewRange>,
    axis: AxisKind,
    offset_view: Option<ViewRange>,
    lane: Option<LaneKey>,
    tab: BottomTab,
}

impl Place {
    /// Where `state` is.
    pub fn of(state: &UiState) -> Self {
        Self {
            record: state.record.clone(),
            selection: state.selection.clone(),
            view: state.view,
            axis: state.axis,
            offset_view: state.offset_view,
            lane: state.lane.clone(),
            tab: state.tab,
        }
    }

    fn restore(&self, state: &mut UiState) {
        let is_other_list = state.selection != self.selection;
        state.set_selection(self.selection.clone());
        if let Some(record) = &self.record {
            if is_other_list {
                let place = TablePlace::Record(record.at(), record.offset);
                state.table.begin(place);
            }
            state.show_record(Arc::clone(record));
        } else {
            state.record = None;
            state.table.selected = SelectedRecords::default();
        }
        state.tab = self.tab;
        state.view = self.view;
        state.axis = self.axis;
        state.offset_view = self.offset_view;
        state.lane.clone_from(&self.lane);
    }

    /// Whether it is another place: what is merely moved or zoomed is not.
    fn is_elsewhere(&self, other: &Self) -> bool {
        let at = |place: &Self| {
            place
                .record
                .as_ref()
                .map(|record| (Arc::clone(&record.topic), record.partition, record.offset))
        };
        at(self) != at(other) || self.selection != other.selection
    }
}

/// How one came to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By opening a record: going through many of them leaves one place.
    Record,
    /// By choosing a span.
    Span,
    /// By a jump to a topic.
    Jump,
}

/// The places one has been at, in order.
#[derive(Clone, Debug, Default)]
pub struct Places {
    list: VecDeque<Place>,
    at: usize,
    last: Option<(Way, f64)>,
}

impl Places {
    /// Takes note that one left `from` and came to `to` at `at_s` seconds.
    pub fn arrive(&mut self, from: Place, to: Place, way: Way, at_s: f64) {
        if way != Way::Jump && !to.is_elsewhere(&from) {
            return;
        }
        let runs = way == Way::Record
            && self
                .last
                .is_some_and(|(last, last_s)| last == way && at_s - last_s < RUN_S);
        self.last = Some((way, at_s));
        self.list.truncate(self.at.saturating_add(1));
        match self.list.get_mut(self.at) {
            // The last place goes on.
            Some(place) if runs => {
                *place = to;
                return;
            }
            // It is left as it looked at the end.
            Some(place) => *place = from,
            None => self.list.push_back(from),
        }
        self.list.push_back(to);
        if self.list.len() > MOST_STEPS {
            self.list.pop_front();
        }
        self.at = self.list.len().saturating_sub(1);
    }

    /// Whether there is a place before this one.
    pub fn can_go_back(&self) -> bool {
        self.at > 0
    }

    /// Whether there is a place after this one.
    pub fn can_go_forward(&self) -> bool {
        self.at.saturating_add(1) < self.list.len()
    }

    /// Goes to the place before this one.
    pub fn back(&mut self, state: &mut UiState) {
        if self.can_go_back() {
            self.go(self.at.saturating_sub(1), state);
        }
    }

    /// Goes to the place after this one.
    pub fn forward(&mut self, state: &mut UiState) {
        if self.can_go_forward() {
            self.go(self.at.saturating_add(1), state);
        }
    }

    fn go(&mut self, to: usize, state: &mut UiState) {
        if let Some(here) = self.list.get_mut(self.at) {
            *here = Place::of(state);
        }
        if let Some(place) = self.list.get(to) {
            place.restore(state);
            self.at = to;
            self.last = None;
        }
    }
}

#[cfg(test)]
mod tests;
