//! What follows from the newest snapshot and what the person has chosen, kept while both are the same: lanes,
//! letters of groups, and what the table asks for.

use std::sync::Arc;

use crate::engine::{Inventory, Table, TableRequest, TableSpan};
use crate::model::{Isolation, Record, TopicPartition};

use super::super::group_marks::GroupMarks;
use super::super::group_view;
use super::super::state::{Selection, Span, TableState, UiState};
use super::super::timeline::model::{Choice, Lanes};
use super::App;

/// What the person chose that decides what the table asks for: the span, the jump, and whose records.
type TableOf = (Option<Selection>, u64, Isolation);

/// What is worked out from snapshot and choices, and kept while they are the same.
#[derive(Default)]
pub(super) struct Derived {
    lanes_of: Option<(Arc<Inventory>, Choice)>,
    pub(super) lanes: Arc<Lanes>,
    table_of: Option<TableOf>,
    pub(super) table: Option<Arc<TableRequest>>,
    answered: Option<(Arc<Table>, bool)>,
}

impl Derived {
    /// Whether the table that is at hand is the one that was asked for.
    pub(super) fn is_answered(&self) -> bool {
        self.answered
            .as_ref()
            .is_some_and(|(_, answered)| *answered)
    }
}

impl App {
    /// Brings up to date what follows from the snapshot and the choices.
    pub(super) fn derive(&mut self) {
        if !self.marks.is_of(&self.snapshot.inventory) {
            self.marks = Arc::new(GroupMarks::new(&self.snapshot.inventory));
        }
        let choice = Choice {
            filter: self.state.filter.clone(),
            internal: self.state.internal,
            open: self.state.open_topics.clone(),
            pinned: self.state.pinned.clone(),
        };
        let inventory = &self.snapshot.inventory;
        let derived = &mut self.derived;
        let same_lanes = derived
            .lanes_of
            .as_ref()
            .is_some_and(|(of, chosen)| Arc::ptr_eq(of, inventory) && *chosen == choice);
        if !same_lanes {
            derived.lanes = Arc::new(Lanes::build(inventory, &choice));
            derived.lanes_of = Some((Arc::clone(inventory), choice));
            derived.table_of = None;
        }
        if let Some(lane) = self.state.reveal.take() {
            self.state.lane_scroll =
                group_view::in_sight(&derived.lanes, &lane, self.state.lane_scroll);
        }
        self.derive_table();
    }

    /// What the table asks for. A list that became another one begins anew: where the state says, when the
    /// person changed it, or else near the rows that are on screen.
    fn derive_table(&mut self) {
        let (derived, top) = (&mut self.derived, self.table.top());
        self.state
            .on_list(|state| derive_request(derived, state, top));
        let derived = &mut self.derived;
        let table = &self.snapshot.table;
        if derived
            .answered
            .as_ref()
            .is_none_or(|(of, _)| !Arc::ptr_eq(of, table))
        {
            let answers = match (&table.request, &derived.table) {
                (Some(got), Some(wanted)) => *got == **wanted,
                _ => false,
            };
            derived.answered = Some((Arc::clone(table), answers));
        }
    }

    /// The numbers of the table's rows that are on screen, once they are those that were asked for.
    pub(super) fn rows_on_screen(&self) -> Option<(i64, i64)> {
        self.table
            .on_screen()
            .filter(|_| self.derived.is_answered())
    }
}

/// Works out what the table asks for, when that may have changed. `top` is the record on top of it.
fn derive_request(derived: &mut Derived, state: &mut UiState, top: Option<&Arc<Record>>) {
    let table_of = (state.selection.clone(), state.table.jump, state.isolation);
    if derived.table_of.as_ref() == Some(&table_of) {
        return;
    }
    let selection = state.selection.as_ref();
    let mut made = table_request(&derived.lanes, selection, &state.table, state.isolation);
    if let (Some(made), Some(before)) = (&mut made, &derived.table)
        && made.jump == before.jump
        && !is_same_list(made, before)
    {
        let time = top.and_then(|record| record.timestamp);
        state
            .table
            .begin_near(time, selection.is_some(), &made.partitions);
        made.place = state.table.place.clone();
        made.jump = state.table.jump;
    }
    // The same as before stays the very same, which is cheap to see.
    if derived.table.as_deref() != made.as_ref() {
        derived.table = made.map(Arc::new);
        derived.answered = None;
    }
    derived.table_of = Some((state.selection.clone(), state.table.jump, state.isolation));
}

/// What the table shows: the selected span, or all of the topics shown.
fn table_request(
    lanes: &Lanes,
    selection: Option<&Selection>,
    table: &TableState,
    isolation: Isolation,
) -> Option<TableRequest> {
    let partitions = match selection.and_then(Selection::offsets) {
        Some(ranges) => ranges.iter().map(|range| range.at.clone()).collect(),
        None => lanes.partitions(selection),
    };
    if partitions.is_empty() {
        return None;
    }
    Some(TableRequest {
        span: selection.map_or(TableSpan::All, |selection| {
            table_span(selection, &partitions)
        }),
        order: table.order(),
        place: table.place.clone(),
        jump: table.jump,
        isolation,
        partitions,
    })
}

/// What `selection` means in `partitions`.
fn table_span(selection: &Selection, partitions: &[TopicPartition]) -> TableSpan {
    match &selection.span {
        Span::Time(from, to) => TableSpan::Between(*from, *to),
        Span::Offsets(ranges) => {
            debug_assert_eq!(ranges.len(), partitions.len());
            TableSpan::Offsets(ranges.iter().map(|range| (range.from, range.to)).collect())
        }
    }
}

fn is_same_list(a: &TableRequest, b: &TableRequest) -> bool {
    a.partitions == b.partitions
        && a.span == b.span
        && a.order == b.order
        && a.isolation == b.isolation
}
