//! What the person has chosen to see, and how it changes: pure, without egui and without the engine.
//!
//! Panels never change it. They push a [`Msg`]; [`UiState::apply`] takes it after they are drawn.
//!
//! | module | what it is |
//! |---|---|
//! | `msg` | all that a person can do |
//! | `places`, `view_range` | lanes and chosen stretches; the range on screen |
//! | `bottom`, `detail`, `journal`, `table` | how the group, the record, the journal and the list of records are looked at |
//! | `search` | what is searched for, and how its hits are looked at |
//! | `rewind` | how the chosen group's bookmarks are to be moved |
//! | `profile_form`, `export_form` | a profile as it is being written, and what is wrong with it; records to be written to a file |
//! | `window` | what is around the panels: dialogs, looks, with `history`, `notices`, `watch` and `remembered` |

mod bottom;
pub mod detail;
mod export_form;
mod findings;
mod history;
mod journal;
mod msg;
mod notices;
mod places;
mod profile_form;
mod remembered;
pub mod rewind;
pub mod search;
mod table;
mod view_range;
mod watch;
mod window;

pub use bottom::{BottomTab, GroupColumn, GroupMsg, GroupSort, GroupState};
pub use detail::{DetailMsg, DetailState};
pub use export_form::{ExportForm, Sent};
pub use findings::{FindingsFilter, FindingsList, FindingsMsg};
pub use history::Moment;
pub use journal::{JournalList, JournalMsg};
pub use msg::Msg;
pub use notices::{Notice, Tone};
pub use places::{AxisKind, LaneKey, OffsetRange, Selection, Span};
pub use profile_form::ProfileForm;
pub use remembered::{Remembered, SCALES, ThemeChoice, WindowSize};
pub use rewind::{RewindMsg, RewindState};
pub use search::{SearchMsg, SearchState};
pub use table::{
    Arriving, ColumnKind, GoTo, Revealed, SelectedRecords, TableColumns, TableMsg, TableScroll,
    TableSort, TableState, key_of,
};
pub use view_range::{ViewRange, following};
pub use window::{Before, Dialog, Query, Secret, WindowMsg, WindowState};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::decode::schema::SchemaId;
use crate::decode::value::Decoders;
use crate::engine::{Command, TableOrder};
use crate::model::{Isolation, Record, Text, TimestampMs, TopicName, TopicPartition};

use super::num::u64_from_usize;
use super::scroll::RowScroll;

/// Everything the person has chosen.
#[derive(Clone, Debug)]
pub struct UiState {
    /// The range of time on screen; `None` follows the data.
    pub view: Option<ViewRange>,
    /// What the numbers on the x axis are.
    pub axis: AxisKind,
    /// The range of offsets on screen, on an axis of offsets; `None` fits the data.
    pub offset_view: Option<ViewRange>,
    /// Whether stretches in which nothing was written are folded.
    pub fold_idle: bool,
    /// Lanes that stay on top, whatever the others are scrolled to.
    pub pinned: Vec<LaneKey>,
    /// Times the person has marked, in order.
    pub markers: Vec<TimestampMs>,
    /// The span whose records are shown.
    pub selection: Option<Selection>,
    /// The span that is being drawn out.
    pub dragged: Option<Selection>,
    /// Topics whose partitions have lanes of their own.
    pub open_topics: BTreeSet<TopicName>,
    /// What a topic's name must hold.
    pub filter: String,
    /// Whether the bus's own topics are shown.
    pub internal: bool,
    /// The group that decides what is unread.
    pub group: Option<Text>,
    /// The lane that keys act on.
    pub lane: Option<LaneKey>,
    /// Where the lanes are scrolled to.
    pub lane_scroll: RowScroll,
    /// The lane that is to be scrolled into sight as soon as it is there.
    pub reveal: Option<LaneKey>,
    /// Which of the tabs below the timeline is open.
    pub tab: BottomTab,
    /// How the chosen group is shown.
    pub group_view: GroupState,
    /// How the chosen group's bookmarks are to be moved.
    pub rewind: RewindState,
    /// How findings are looked at.
    pub findings: FindingsList,
    /// How the journal is looked at.
    pub journal: JournalList,
    /// The entry of the journal that the person wants to undo.
    pub undo_entry: Option<String>,
    /// The record that is shown in detail.
    pub record: Option<Arc<Record>>,
    /// How it is looked at.
    pub detail: DetailState,
    /// How parts of topics' records are read where that differs from what the evidence says.
    pub decoders: Arc<Decoders>,
    /// The schemas that were asked for over this connection.
    pub schemas_asked: BTreeSet<SchemaId>,
    /// Where the groups are scrolled to.
    pub group_scroll: RowScroll,
    /// How often the detail of the record was asked for by key, so that it takes the focus.
    pub detail_asked: u64,
    /// The table of records.
    pub table: TableState,
    /// What is searched for.
    pub search: SearchState,
    /// Whose records are shown and searched.
    pub isolation: Isolation,
    /// The time of the row under the pointer.
    pub hovered_time: Option<TimestampMs>,
    /// The time under the pointer on the timeline.
    pub timeline_hover: Option<TimestampMs>,
    /// The record to which the timeline draws the eye.
    pub revealed: Option<Revealed>,
    /// What stands in the address field.
    pub address: String,
    /// Width of the column of labels, in points.
    pub label_width: f32,
    /// Height of the area with the records, as a part of the room that there is.
    pub records_share: f32,
    /// Width of a record's detail, as a part of the room that there is.
    pub detail_share: f32,
}

impl Default for UiState {
    fn default() -> Self {
        Self {
            view: None,
            axis: AxisKind::Time,
            offset_view: None,
            fold_idle: false,
            pinned: Vec::new(),
            markers: Vec::new(),
            selection: None,
            dragged: None,
            open_topics: BTreeSet::new(),
            filter: String::new(),
            internal: false,
            group: None,
            lane: None,
            lane_scroll: RowScroll::default(),
            reveal: None,
            tab: BottomTab::default(),
            group_view: GroupState::default(),
            rewind: RewindState::default(),
            findings: FindingsList::default(),
            journal: JournalList::default(),
            undo_entry: None,
            record: None,
            detail: DetailState::default(),
            decoders: Arc::default(),
            schemas_asked: BTreeSet::new(),
            group_scroll: RowScroll::default(),
            detail_asked: 0,
            table: TableState::default(),
            search: SearchState::default(),
            isolation: Isolation::ReadUncommitted,
            hovered_time: None,
            timeline_hover: None,
            revealed: None,
            address: String::new(),
            label_width: 232.0,
            records_share: 0.43,
            detail_share: 0.27,
        }
    }
}

impl UiState {
    /// Takes what the person did while `shown` was on screen; what the engine must do about it.
    pub fn apply(&mut self, msg: Msg, shown: ViewRange) -> Option<Command> {
        match msg {
            Msg::View(range) => match self.axis {
                AxisKind::Time => self.view = Some(range),
                AxisKind::FromEnd | AxisKind::Offset => self.offset_view = Some(range),
            },
            Msg::Follow => match self.axis {
                AxisKind::Time => self.view = None,
                AxisKind::FromEnd | AxisKind::Offset => self.offset_view = None,
            },
            Msg::Axis(axis) => {
                if self.axis != axis {
                    self.axis = axis;
                    self.offset_view = None;
                }
            }
            Msg::FoldIdle(fold) => self.fold_idle = fold,
            Msg::Pin(lane) => toggle(&mut self.pinned, lane),
            Msg::Mark(at) => {
                toggle(&mut self.markers, at);
                self.markers.sort_unstable();
            }
            Msg::ClearMarks => self.markers.clear(),
            Msg::Center(at) => self.center_on(at, shown),
            Msg::ScrollLanes(scroll) => self.lane_scroll = scroll,
            Msg::Toggle(topic) => {
                if !self.open_topics.remove(&topic) {
                    self.open_topics.insert(topic);
                }
            }
            Msg::CloseTopics => self.open_topics.clear(),
            Msg::ShowTopic(topic) => self.show_topic(topic),
            Msg::FocusLane(lane) => self.lane = Some(lane),
            Msg::Filter(filter) => {
                self.filter = filter;
                self.lane_scroll = RowScroll::default();
                self.table.forget_what_was_said();
            }
            Msg::ShowInternal(internal) => self.internal = internal,
            Msg::SelectGroup(group) => {
                if self.group != group {
                    self.group = group;
                    self.group_view.leave();
                    self.rewind.leave();
                }
            }
            Msg::ShowTab(tab) => self.tab = tab,
            Msg::Group(msg) => self.group_view.apply(msg),
            Msg::Rewind(msg) => {
                if msg.opens(&self.rewind) {
                    self.tab = BottomTab::Rewind;
                }
                return self.rewind.apply(msg, self.group.as_ref());
            }
            Msg::Findings(msg) => self.findings.apply(msg),
            Msg::Journal(msg) => self.journal.apply(msg),
            Msg::UndoEntry(id) => self.undo_entry = Some(id),
            Msg::Engine(command) => return Some(*command),
            Msg::Reveal(revealed) => self.reveal(revealed, shown),
            Msg::ScrollGroups(scroll) => self.group_scroll = scroll,
            Msg::DragSpan(span) => self.dragged = Some(span),
            Msg::DropSpan => self.dragged = None,
            Msg::Select(span) => {
                self.dragged = None;
                self.set_selection(Some(span));
            }
            Msg::ClearSelection => self.set_selection(None),
            Msg::Detail(msg) => self.detail.apply(msg),
            Msg::ShowRecord(record) => self.show_record(record),
            Msg::Table(msg) => self.apply_table(msg, shown),
            Msg::Search(msg) => return self.apply_search(msg),
            Msg::Isolation(isolation) => self.isolation = isolation,
            Msg::HoverTime(time) => self.hovered_time = time,
            Msg::HoverTimeline(time) => self.timeline_hover = time,
            Msg::FocusDetail => self.detail_asked = self.detail_asked.wrapping_add(1),
            Msg::ReadAs(topic, part, format) => {
                Arc::make_mut(&mut self.decoders).choose(&topic, part, format);
                self.detail.read_anew(part);
            }
            Msg::WantSchema(id) => {
                let is_new = self.schemas_asked.insert(id);
                return is_new.then_some(Command::WantSchema(id));
            }
            Msg::LabelWidth(width) => self.label_width = label_width(width),
            Msg::RecordsShare(share) => self.records_share = part(share),
            Msg::DetailShare(share) => self.detail_share = part(share),
            Msg::Address(address) => self.address = address,
            Msg::Connect(target) => {
                self.leave();
                return Some(Command::Connect(target));
            }
            Msg::Disconnect => {
                self.leave();
                return Some(Command::Disconnect);
            }
            // Not of the panels: the window's own state takes them.
            Msg::Notice(_) | Msg::Window(_) => {}
        }
        None
    }

    /// The selected records, in the order in which the table lists them; the one that is shown, when none is.
    pub fn chosen_records(&self) -> Vec<Arc<Record>> {
        let mut records: Vec<Arc<Record>> = self.table.selected.iter().map(Arc::clone).collect();
        if records.is_empty() {
            records.extend(self.record.clone());
        }
        // They come by topic, partition and offset, which stays where times are the same.
        if self.table.order() == TableOrder::Time {
            records.sort_by_key(|record| record.timestamp);
        }
        if self.table.is_turned(self.selection.is_some()) {
            records.reverse();
        }
        records
    }

    /// How many those are.
    pub fn chosen_count(&self) -> u64 {
        let shown = usize::from(self.record.is_some());
        let count = self.table.selected.len();
        u64_from_usize(if count == 0 { shown } else { count })
    }

    /// Whether all of the data is shown, and new data as it comes.
    pub fn follows(&self) -> bool {
        match self.axis {
            AxisKind::Time => self.view.is_none(),
            AxisKind::FromEnd | AxisKind::Offset => self.offset_view.is_none(),
        }
    }

    /// Whether `msg` would leave everything as it is: what a held button says in every frame.
    pub fn is_settled(&self, msg: &Msg) -> bool {
        match msg {
            Msg::WantSchema(id) => self.schemas_asked.contains(id),
            Msg::DragSpan(span) => self.dragged.as_ref() == Some(span),
            Msg::LabelWidth(width) => self.label_width.to_bits() == label_width(*width).to_bits(),
            Msg::RecordsShare(share) => self.records_share.to_bits() == part(*share).to_bits(),
            Msg::DetailShare(share) => self.detail_share.to_bits() == part(*share).to_bits(),
            Msg::ScrollLanes(scroll) => self.lane_scroll == *scroll,
            Msg::ScrollGroups(scroll) => self.group_scroll == *scroll,
            Msg::Table(msg) => self.table.is_settled(msg),
            Msg::HoverTime(time) => self.hovered_time == *time,
            Msg::HoverTimeline(time) => self.timeline_hover == *time,
            Msg::Detail(msg) => self.detail.is_settled(*msg),
            Msg::Group(msg) => self.group_view.is_settled(msg),
            Msg::Rewind(msg) => self.rewind.is_settled(msg),
            Msg::Findings(msg) => self.findings.is_settled(msg),
            Msg::Journal(msg) => self.journal.is_settled(msg),
            Msg::Search(SearchMsg::Edit(text)) => self.search.text == *text,
            Msg::Isolation(isolation) => self.isolation == *isolation,
            _ => false,
        }
    }

    /// Brings a time in a partition's lane into sight, at the middle of a view as wide as the present one.
    fn reveal(&mut self, revealed: Revealed, shown: ViewRange) {
        let TopicPartition { topic, partition } = revealed.at.clone();
        self.stop_hiding(&topic);
        self.open_topics.insert(Arc::clone(&topic));
        let lane = LaneKey {
            topic,
            partition: Some(partition),
        };
        self.lane = Some(lane.clone());
        self.reveal = Some(lane);
        self.center_on(revealed.time, shown);
        self.revealed = Some(revealed);
    }

    /// Takes the filter away when it hides `topic`.
    fn stop_hiding(&mut self, topic: &str) {
        let name = topic.to_lowercase();
        let mut words = self.filter.split_whitespace().map(str::to_lowercase);
        if !words.all(|word| name.contains(&word)) {
            self.filter.clear();
        }
    }

    /// Opens `topic`, and takes away what would hide it.
    fn show_topic(&mut self, topic: TopicName) {
        self.stop_hiding(&topic);
        let lane = LaneKey::topic(&topic);
        self.lane = Some(lane.clone());
        self.reveal = Some(lane);
        self.open_topics.insert(topic);
    }

    fn set_selection(&mut self, selection: Option<Selection>) {
        if self.selection != selection {
            // Its records are what is asked for.
            self.show_hits(false);
            self.selection = selection;
            self.table.begin_at_top(self.selection.is_some());
        }
    }

    fn show_record(&mut self, record: Arc<Record>) {
        if !self.table.selected.has(&record) {
            self.table.selected = SelectedRecords::only(&record);
        }
        self.open_record(record);
    }

    /// Shows `record` in detail, looked at as the one before when it is of the same topic.
    fn open_record(&mut self, record: Arc<Record>) {
        let is_revealed =
            |revealed: &Revealed| revealed.at == record.at() && revealed.offset == record.offset;
        // The eye is drawn to one record: the one that was chosen last.
        self.revealed = self.revealed.take().filter(is_revealed);
        let before = self.record.as_ref();
        self.detail
            .turn(before.is_some_and(|before| before.topic == record.topic));
        self.record = Some(record);
    }

    fn apply_table(&mut self, msg: TableMsg, shown: ViewRange) {
        match &msg {
            TableMsg::Select(_, Some(record)) => self.open_record(Arc::clone(record)),
            TableMsg::Arrived(Some(record)) => {
                let by_address = self.table.arriving.as_ref();
                if by_address.is_some_and(|arriving| arriving.by_address)
                    && let Some(revealed) = Revealed::of(record)
                {
                    if !shown.holds(revealed.time) {
                        self.center_on(revealed.time, shown);
                    }
                    self.revealed = Some(revealed);
                }
                self.open_record(Arc::clone(record));
            }
            TableMsg::GoTo { leaves_span, .. } => {
                // The place is one in the list.
                self.show_hits(false);
                if *leaves_span {
                    self.selection = None;
                }
            }
            _ => {}
        }
        self.table.apply(msg, self.selection.is_some());
    }

    /// Moves the view so that `time` is in its middle.
    fn center_on(&mut self, time: TimestampMs, shown: ViewRange) {
        self.axis = AxisKind::Time;
        self.view = Some(self.view.unwrap_or(shown).centered_on(time));
    }

    /// Forgets what belongs to one bus.
    fn leave(&mut self) {
        let jump = self.table.jump.max(self.search.other.jump);
        *self = Self {
            address: std::mem::take(&mut self.address),
            table: TableState {
                columns: std::mem::take(&mut self.table.columns),
                // A new bus's list is not the one that was asked of the last.
                jump: jump.saturating_add(1),
                ..TableState::default()
            },
            search: self.search.left(),
            isolation: self.isolation,
            decoders: std::mem::take(&mut self.decoders),
            label_width: self.label_width,
            records_share: self.records_share,
            detail_share: self.detail_share,
            tab: self.tab,
            ..Self::default()
        };
    }
}

/// A part that leaves something to both sides.
fn part(share: f32) -> f32 {
    share.clamp(0.15, 0.8)
}

/// A width that leaves room for labels and for lanes.
fn label_width(width: f32) -> f32 {
    width.clamp(140.0, 480.0)
}

/// Takes `item` out of `items`, or puts it at the end when it is not there.
fn toggle<T: PartialEq>(items: &mut Vec<T>, item: T) {
    match items.iter().position(|known| *known == item) {
        Some(index) => {
            items.remove(index);
        }
        None => items.push(item),
    }
}

#[cfg(test)]
mod tests;
