//! What the person has chosen of the record table: order, place, columns, selected records. Pure.

mod columns;
mod selected;

pub use columns::{ColumnKind, TableColumns};
pub use selected::{SelectedRecords, key_of};

use std::sync::Arc;

use crate::engine::{TableOrder, TablePlace};
use crate::model::{Record, TimestampMs, TopicPartition};

/// By which column the rows are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSort {
    /// The column.
    pub by: ColumnKind,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// Where the table is scrolled to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TableScroll {
    /// At the place that was jumped to, moved from there by points, down when positive.
    Placed(f32),
    /// At the end of the list, which stays on screen when rows are added.
    End,
    /// At a row.
    At {
        /// The first row of which something is seen: its number in the engine's count, which it keeps; in a
        /// table that is sorted by another column than those, its number from the top.
        row: i64,
        /// How many points of it are hidden above the edge.
        hidden: f32,
    },
}

/// What is to be done with the row that was jumped to, once it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// The next row of this partition is meant; the very row that the place names when `None`.
    pub of: Option<TopicPartition>,
    /// Whether it was asked for by its address, so that the timeline shows it too.
    pub by_address: bool,
}

/// The field in which an address is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoTo {
    /// What stands in it.
    pub text: String,
    /// Why one cannot go there.
    pub error: Option<String>,
}

/// The order of a list and the place in it: what is exchanged when another list is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPlace {
    /// See [`TableState::sort`].
    pub sort: Option<TableSort>,
    /// See [`TableState::place`].
    pub place: TablePlace,
    /// See [`TableState::jump`].
    pub jump: u64,
    /// See [`TableState::scroll`].
    pub scroll: TableScroll,
    /// See [`TableState::arriving`].
    pub arriving: Option<Arriving>,
}

impl Default for ListPlace {
    fn default() -> Self {
        Self {
            sort: None,
            place: TablePlace::Start,
            jump: 0,
            scroll: TableScroll::Placed(0.0),
            arriving: None,
        }
    }
}

/// Everything the person has chosen of the table.
#[derive(Clone, Debug)]
pub struct TableState {
    /// The columns.
    pub columns: TableColumns,
    /// By what it is sorted; as is usual when `None`: the newest first, but a selected span from its beginning.
    pub sort: Option<TableSort>,
    /// Where the piece of the list begins that is asked for.
    pub place: TablePlace,
    /// Grows with every jump.
    pub jump: u64,
    /// Where it is scrolled to.
    pub scroll: TableScroll,
    /// How many points of the columns are hidden at the left.
    pub sideways: f32,
    /// The records that are selected.
    pub selected: SelectedRecords,
    /// What is to be done with the row that was jumped to.
    pub arriving: Option<Arriving>,
    /// The field in which an address is typed, while it is open.
    pub goto: Option<GoTo>,
    /// What was done last and cannot be seen otherwise.
    pub said: Option<String>,
    /// Go on to the record that is next by time, or to the one before, in the lane that keys act on: asked for
    /// outside the table. Whether the later one is meant.
    pub step: Option<bool>,
}

impl Default for TableState {
    fn default() -> Self {
        Self {
            columns: TableColumns::default(),
            sort: None,
            place: TablePlace::End,
            jump: 0,
            scroll: TableScroll::Placed(0.0),
            sideways: 0.0,
            selected: SelectedRecords::default(),
            arriving: None,
            goto: None,
            said: None,
            step: None,
        }
    }
}

/// Something the person did with the table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableMsg {
    /// Scroll to a place.
    Scroll(TableScroll),
    /// Hide so many points of the columns at the left.
    Sideways(f32),
    /// Begin another piece of the list at a place; what to do with the row there.
    Jump(TablePlace, Option<Arriving>),
    /// Sort by a column; the other way round if the table is sorted by it.
    Sort(ColumnKind),
    /// Sort like this, as is usual when `None`.
    SortBy(Option<TableSort>),
    /// These records are selected, and this one is shown in detail.
    Select(SelectedRecords, Option<Arc<Record>>),
    /// The row that was jumped to is there: this record, when there is one.
    Arrived(Option<Arc<Record>>),
    /// Other columns, or of other widths.
    Columns(TableColumns),
    /// Open the field for an address, or change what stands in it.
    EditGoTo(GoTo),
    /// Close that field.
    CloseGoTo,
    /// Go to an address that was found sound; whether all of the list is to be shown for that.
    GoTo {
        /// Where to.
        place: TablePlace,
        /// What to do there.
        arriving: Arriving,
        /// Whether the selected span is in the way.
        leaves_span: bool,
    },
    /// Say what was done.
    Say(String),
    /// Go on to the record that is next in the lane that keys act on; whether to the later one. `None`: it was done.
    Step(Option<bool>),
}

impl TableState {
    /// The order of the list that is asked for.
    pub fn order(&self) -> TableOrder {
        match &self.sort {
            Some(sort) if sort.by == ColumnKind::Offset => TableOrder::Offset,
            _ => TableOrder::Time,
        }
    }

    /// Whether the list itself is shown from its end, given whether a span is selected.
    pub fn is_turned(&self, has_span: bool) -> bool {
        match &self.sort {
            Some(TableSort {
                by: ColumnKind::Time | ColumnKind::Offset,
                descending,
            }) => *descending,
            _ => !has_span,
        }
    }

    /// By what the rows are sorted, given whether a span is selected.
    pub fn sort_shown(&self, has_span: bool) -> TableSort {
        self.sort.clone().unwrap_or(TableSort {
            by: ColumnKind::Time,
            descending: !has_span,
        })
    }

    /// Goes to another list: its order and place become `other`'s, and the other way round.
    pub fn swap_place(&mut self, other: &mut ListPlace) {
        std::mem::swap(&mut self.sort, &mut other.sort);
        std::mem::swap(&mut self.place, &mut other.place);
        std::mem::swap(&mut self.jump, &mut other.jump);
        std::mem::swap(&mut self.scroll, &mut other.scroll);
        std::mem::swap(&mut self.arriving, &mut other.arriving);
    }

    /// Begins another piece of the list at `place`.
    pub fn begin(&mut self, place: TablePlace) {
        self.place = place;
        self.jump = self.jump.saturating_add(1);
        self.scroll = TableScroll::Placed(0.0);
        self.arriving = None;
    }

    /// Begins at the edge of the list that is shown at the top.
    pub fn begin_at_top(&mut self, has_span: bool) {
        self.begin(if self.is_turned(has_span) {
            TablePlace::End
        } else {
            TablePlace::Start
        });
    }

    /// Begins a list that became another one, as topics come and go while a person reads: near where the last
    /// one stood, whose top row was of `time`. A record that was gone to is held on to until another one is
    /// chosen or its partition is not among `listed` any more.
    pub fn begin_near(
        &mut self,
        time: Option<TimestampMs>,
        has_span: bool,
        listed: &[TopicPartition],
    ) {
        let is_placed = matches!(self.scroll, TableScroll::Placed(_));
        let is_held = match &self.place {
            TablePlace::Record(at, offset) => {
                let chosen = &self.selected;
                listed.contains(at) && (chosen.is_empty() || chosen.has_at(at, *offset))
            }
            place => matches!(place, TablePlace::Time(_)),
        };
        match (&self.place, time) {
            (TablePlace::Record(..) | TablePlace::Time(_), _) if is_placed && is_held => {
                self.begin(self.place.clone());
            }
            (TablePlace::Start | TablePlace::End, _) if is_placed => self.begin_at_top(has_span),
            (_, Some(time)) if self.scroll != TableScroll::End => {
                self.begin(TablePlace::Time(time));
            }
            _ => self.begin_at_top(has_span),
        }
    }

    /// Forgets what was said of a list that is another one now.
    pub fn forget_what_was_said(&mut self) {
        self.said = None;
        if let Some(goto) = &mut self.goto {
            goto.error = None;
        }
    }

    /// Takes `msg`, which changes nothing outside the table. `has_span`: whether a span is selected.
    pub fn apply(&mut self, msg: TableMsg, has_span: bool) {
        match msg {
            TableMsg::Scroll(scroll) => self.scroll = scroll,
            TableMsg::Sideways(points) => self.sideways = points.max(0.0),
            TableMsg::Step(later) => self.step = later,
            TableMsg::Jump(place, arriving) => {
                self.begin(place);
                self.arriving = arriving;
                self.said = None;
            }
            TableMsg::Sort(by) => {
                let before = self.sort_shown(has_span);
                let descending = if before.by == by {
                    !before.descending
                } else {
                    // What is newest interests most; everything else is looked up like a name.
                    by == ColumnKind::Time
                };
                let (order, sorts_list) = (self.order(), by.sorts_list());
                self.sort = Some(TableSort { by, descending });
                if sorts_list || self.order() != order {
                    self.begin_at_top(has_span);
                } else {
                    // The same rows in another order.
                    self.scroll = TableScroll::Placed(0.0);
                }
            }
            TableMsg::SortBy(sort) => {
                self.sort = sort;
                self.begin_at_top(has_span);
            }
            TableMsg::Select(selected, _) => {
                self.selected = selected;
                self.said = None;
            }
            TableMsg::Arrived(record) => {
                self.arriving = None;
                if let Some(record) = record {
                    self.selected = SelectedRecords::only(&record);
                }
            }
            TableMsg::Columns(columns) => self.columns = columns.sound(),
            TableMsg::EditGoTo(goto) => self.goto = Some(goto),
            TableMsg::CloseGoTo => self.goto = None,
            TableMsg::GoTo {
                place, arriving, ..
            } => {
                self.goto = None;
                self.said = None;
                // A list that is sorted by another column has no place that an address names.
                self.sort = self.sort.take().filter(|sort| sort.by.sorts_list());
                self.begin(place);
                self.arriving = Some(arriving);
            }
            TableMsg::Say(said) => self.said = Some(said),
        }
    }

    /// Whether `msg` would leave everything as it is.
    pub fn is_settled(&self, msg: &TableMsg) -> bool {
        match msg {
            TableMsg::Scroll(scroll) => self.scroll == *scroll,
            TableMsg::Sideways(points) => self.sideways.to_bits() == points.max(0.0).to_bits(),
            TableMsg::Columns(columns) => self.columns == *columns,
            TableMsg::EditGoTo(goto) => self.goto.as_ref() == Some(goto),
            TableMsg::Jump(place, arriving) => {
                // A scroll bar that is held still.
                matches!(place, TablePlace::Rank(_))
                    && self.place == *place
                    && self.arriving == *arriving
                    && self.scroll == TableScroll::Placed(0.0)
            }
            _ => false,
        }
    }
}

/// A record to which the timeline draws the eye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revealed {
    /// Its partition.
    pub at: TopicPartition,
    /// Its offset.
    pub offset: crate::model::Offset,
    /// Its time.
    pub time: TimestampMs,
}

impl Revealed {
    /// What the timeline can show of `record`; `None` when it carries no time.
    pub fn of(record: &Record) -> Option<Self> {
        Some(Self {
            at: record.at(),
            offset: record.offset,
            time: record.timestamp?,
        })
    }
}

#[cfg(test)]
mod tests;
