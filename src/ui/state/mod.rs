//! What the person has chosen to see, and how it changes: pure, without egui and without the engine.
//!
//! Panels never change it. They push a [`Msg`]; [`UiState::apply`] takes it after they are drawn.

mod bottom;
pub mod detail;
mod table;
mod view_range;

pub use bottom::{BottomTab, GroupColumn, GroupMsg, GroupSort, GroupState};
pub use detail::{DetailMsg, DetailState};
pub use table::{
    Arriving, ColumnKind, GoTo, Revealed, SelectedRecords, TableColumns, TableMsg, TableScroll,
    TableSort, TableState, key_of,
};
pub use view_range::{ViewRange, following};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::{Command, ConnectTarget};
use crate::model::{PartitionId, Record, Text, TimestampMs, TopicName, TopicPartition};

use super::scroll::RowScroll;

/// One lane: a topic, or one of its partitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneKey {
    /// The topic.
    pub topic: TopicName,
    /// The partition; `None` is the topic as a whole.
    pub partition: Option<PartitionId>,
}

impl LaneKey {
    /// The lane of a whole topic.
    pub fn topic(topic: &TopicName) -> Self {
        Self {
            topic: Arc::clone(topic),
            partition: None,
        }
    }

    /// The lane as a person calls it: `orders`, `orders / 1`.
    pub fn title(&self) -> String {
        self.partition.map_or_else(
            || self.topic.to_string(),
            |partition| format!("{} / {partition}", self.topic),
        )
    }
}

/// What the numbers on the x axis are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AxisKind {
    /// Times of records.
    #[default]
    Time,
    /// Offsets, counted from the end of each partition: what is behind is a length.
    FromEnd,
    /// Offsets as they are.
    Offset,
}

/// A stretch of time in some lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Its beginning, included.
    pub from: TimestampMs,
    /// Its end, not included.
    pub to: TimestampMs,
    /// The lanes; every lane that the filter lets through when empty.
    pub lanes: Vec<LaneKey>,
}

impl Selection {
    /// Whether it covers `lane`, itself or by its topic.
    pub fn covers(&self, lane: &LaneKey) -> bool {
        self.lanes.is_empty()
            || self.lanes.iter().any(|chosen| {
                chosen.topic == lane.topic
                    && (chosen.partition.is_none() || chosen.partition == lane.partition)
            })
    }
}

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
    /// The record that is shown in detail.
    pub record: Option<Arc<Record>>,
    /// How it is looked at.
    pub detail: DetailState,
    /// Where the groups are scrolled to.
    pub group_scroll: RowScroll,
    /// How often the detail of the record was asked for by key, so that it takes the focus.
    pub detail_asked: u64,
    /// The table of records.
    pub table: TableState,
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
            record: None,
            detail: DetailState::default(),
            group_scroll: RowScroll::default(),
            detail_asked: 0,
            table: TableState::default(),
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

/// Something the person did.
#[derive(Clone, Debug)]
pub enum Msg {
    /// Show this range, in the unit of the present axis.
    View(ViewRange),
    /// Show everything and follow new data.
    Follow,
    /// Let the x axis show something else.
    Axis(AxisKind),
    /// Fold stretches in which nothing was written, or not.
    FoldIdle(bool),
    /// Keep a lane on top, or no longer.
    Pin(LaneKey),
    /// Mark a time, or take the mark away that is there.
    Mark(TimestampMs),
    /// Take all marks away.
    ClearMarks,
    /// Move the view, as wide as it is, so that a time is in the middle.
    Center(TimestampMs),
    /// Scroll the lanes to a place.
    ScrollLanes(RowScroll),
    /// Open or close a topic.
    Toggle(TopicName),
    /// Let keys act on a lane.
    FocusLane(LaneKey),
    /// Show only topics whose name holds this.
    Filter(String),
    /// Show the bus's own topics, or not.
    ShowInternal(bool),
    /// Let this group decide what is unread.
    SelectGroup(Option<Text>),
    /// Open a tab below the timeline.
    ShowTab(BottomTab),
    /// Something in the view of the chosen group.
    Group(GroupMsg),
    /// Scroll the groups to a place.
    ScrollGroups(RowScroll),
    /// A span is being drawn out.
    DragSpan(Selection),
    /// The span that was being drawn out is given up.
    DropSpan,
    /// Show the records of a span.
    Select(Selection),
    /// Show the newest records again.
    ClearSelection,
    /// Show a record in detail.
    ShowRecord(Arc<Record>),
    /// Something done with the table.
    Table(TableMsg),
    /// The pointer rests on a row of this time, or on none.
    HoverTime(Option<TimestampMs>),
    /// The pointer rests on the timeline at this time, or not there.
    HoverTimeline(Option<TimestampMs>),
    /// Show a record or a committed place on the timeline: its lane in sight, in the middle, with a mark.
    Reveal(Revealed),
    /// Go on in the detail of the record that is shown.
    FocusDetail,
    /// Look at it in another way.
    Detail(DetailMsg),
    /// Make the column of labels this wide.
    LabelWidth(f32),
    /// Make the area with the records this part of the room.
    RecordsShare(f32),
    /// Make a record's detail this part of the room.
    DetailShare(f32),
    /// The address field was edited.
    Address(String),
    /// Connect.
    Connect(ConnectTarget),
    /// Leave the bus.
    Disconnect,
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
            Msg::FocusLane(lane) => self.lane = Some(lane),
            Msg::Filter(filter) => {
                self.filter = filter;
                self.lane_scroll = RowScroll::default();
            }
            Msg::ShowInternal(internal) => self.internal = internal,
            Msg::SelectGroup(group) => {
                if self.group != group {
                    self.group = group;
                    self.group_view.leave();
                }
            }
            Msg::ShowTab(tab) => self.tab = tab,
            Msg::Group(msg) => self.group_view.apply(msg),
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
            Msg::HoverTime(time) => self.hovered_time = time,
            Msg::HoverTimeline(time) => self.timeline_hover = time,
            Msg::FocusDetail => self.detail_asked = self.detail_asked.wrapping_add(1),
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
        }
        None
    }

    /// Whether `msg` would leave everything as it is: what a held button says in every frame.
    pub fn is_settled(&self, msg: &Msg) -> bool {
        match msg {
            Msg::DragSpan(span) => self.dragged.as_ref() == Some(span),
            Msg::LabelWidth(width) => self.label_width.to_bits() == label_width(*width).to_bits(),
            Msg::RecordsShare(share) => self.records_share.to_bits() == part(*share).to_bits(),
            Msg::DetailShare(share) => self.detail_share.to_bits() == part(*share).to_bits(),
            Msg::ScrollLanes(scroll) => self.lane_scroll == *scroll,
            Msg::ScrollGroups(scroll) => self.group_scroll == *scroll,
            Msg::Group(msg) => self.group_view.is_settled(msg),
            Msg::Table(msg) => self.table.is_settled(msg),
            Msg::HoverTime(time) => self.hovered_time == *time,
            Msg::HoverTimeline(time) => self.timeline_hover == *time,
            Msg::Detail(msg) => self.detail.is_settled(*msg),
            _ => false,
        }
    }

    fn set_selection(&mut self, selection: Option<Selection>) {
        if self.selection != selection {
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
            TableMsg::GoTo {
                leaves_span: true, ..
            } => self.selection = None,
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
        *self = Self {
            address: std::mem::take(&mut self.address),
            table: TableState {
                columns: std::mem::take(&mut self.table.columns),
                // A new bus's list is not the one that was asked of the last.
                jump: self.table.jump.saturating_add(1),
                ..TableState::default()
            },
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
mod tests {
    use super::*;
    use crate::engine::TablePlace;

    const SHOWN: ViewRange = ViewRange {
        from_ms: 1_000_000.0,
        to_ms: 2_000_000.0,
    };

    fn t(ms: i64) -> TimestampMs {
        TimestampMs(ms)
    }

    fn span(from: i64, to: i64) -> Selection {
        Selection {
            from: t(from),
            to: t(to),
            lanes: vec![],
        }
    }

    #[test]
    fn the_first_move_ends_following_and_follow_resumes_it() {
        let mut state = UiState::default();
        let moved = SHOWN.panned(500.0);
        state.apply(Msg::View(moved), SHOWN);
        assert_eq!(state.view, Some(moved));
        state.apply(Msg::Follow, SHOWN);
        assert_eq!(state.view, None);
    }

    #[test]
    fn each_axis_keeps_its_own_range() {
        let mut state = UiState::default();
        state.apply(Msg::View(SHOWN), SHOWN);
        state.apply(Msg::Axis(AxisKind::FromEnd), SHOWN);
        state.apply(Msg::View(ViewRange::new(-500.0, 0.0)), SHOWN);
        assert_eq!(state.view, Some(SHOWN));
        assert_eq!(state.offset_view, Some(ViewRange::new(-500.0, 0.0)));
        state.apply(Msg::Follow, SHOWN);
        assert_eq!((state.view, state.offset_view), (Some(SHOWN), None));
    }

    #[test]
    fn centering_shows_a_time_on_the_time_axis_with_the_width_kept() {
        let mut state = UiState::default();
        state.apply(Msg::Axis(AxisKind::Offset), SHOWN);
        state.apply(Msg::Center(t(5_000_000)), SHOWN);
        assert_eq!(state.axis, AxisKind::Time);
        assert_eq!(
            state.view,
            Some(ViewRange {
                from_ms: 4_500_000.0,
                to_ms: 5_500_000.0
            })
        );
    }

    #[test]
    fn marks_and_pins_come_and_go() {
        let mut state = UiState::default();
        for at in [30, 10, 20, 30] {
            state.apply(Msg::Mark(t(at)), SHOWN);
        }
        assert_eq!(state.markers, vec![t(10), t(20)]);
        let lane = LaneKey::topic(&"orders".into());
        state.apply(Msg::Pin(lane.clone()), SHOWN);
        assert_eq!(state.pinned, vec![lane.clone()]);
        state.apply(Msg::Pin(lane), SHOWN);
        assert!(state.pinned.is_empty());
    }

    #[test]
    fn another_span_begins_at_the_top() {
        let mut state = UiState::default();
        state.apply(Msg::Select(span(0, 10)), SHOWN);
        let scrolled = TableScroll::At {
            row: 90,
            hidden: 3.0,
        };
        state.apply(Msg::Table(TableMsg::Scroll(scrolled)), SHOWN);
        state.apply(Msg::Select(span(0, 10)), SHOWN);
        assert_eq!(state.table.scroll, scrolled);
        assert_eq!(state.table.place, TablePlace::Start);
        state.apply(Msg::Select(span(5, 10)), SHOWN);
        assert_eq!(state.table.scroll, TableScroll::Placed(0.0));
        state.apply(Msg::ClearSelection, SHOWN);
        assert_eq!(state.selection, None);
        assert_eq!(state.table.place, TablePlace::End);
    }

    #[test]
    fn a_record_that_is_revealed_stands_in_the_middle() {
        let mut state = UiState::default();
        let revealed = |ms| Revealed {
            at: crate::model::TopicPartition::new("orders", 1),
            offset: crate::model::Offset(7),
            time: t(ms),
        };
        state.apply(Msg::Reveal(revealed(5_000_000)), SHOWN);
        assert_eq!(
            state.view,
            Some(ViewRange {
                from_ms: 4_500_000.0,
                to_ms: 5_500_000.0
            })
        );
        assert_eq!(state.revealed, Some(revealed(5_000_000)));
    }

    #[test]
    fn a_selected_topic_covers_its_partitions() {
        let lane = |topic: &str, partition: Option<i32>| LaneKey {
            topic: topic.into(),
            partition: partition.map(PartitionId),
        };
        let mut selection = span(0, 10);
        assert!(selection.covers(&lane("a", None)));
        selection.lanes = vec![lane("a", None), lane("b", Some(1))];
        assert!(selection.covers(&lane("a", Some(3))));
        assert!(selection.covers(&lane("b", Some(1))));
        assert!(!selection.covers(&lane("b", Some(2))));
        assert!(!selection.covers(&lane("b", None)));
    }

    #[test]
    fn leaving_a_bus_forgets_what_was_chosen_there_but_not_the_address() {
        let mut state = UiState::default();
        state.apply(Msg::Address("kafka:9092".into()), SHOWN);
        state.apply(Msg::Toggle("orders".into()), SHOWN);
        state.apply(Msg::Select(span(0, 1)), SHOWN);
        let command = state.apply(Msg::Disconnect, SHOWN);
        assert!(matches!(command, Some(Command::Disconnect)));
        assert!(state.open_topics.is_empty() && state.selection.is_none());
        assert_eq!(state.address, "kafka:9092");
    }

    #[test]
    fn a_held_button_says_nothing_new() {
        let mut state = UiState::default();
        assert!(!state.is_settled(&Msg::DragSpan(span(0, 1))));
        state.apply(Msg::DragSpan(span(0, 1)), SHOWN);
        assert!(state.is_settled(&Msg::DragSpan(span(0, 1))));
        state.apply(Msg::LabelWidth(9_000.0), SHOWN);
        assert!(state.is_settled(&Msg::LabelWidth(8_000.0)));
        assert!(!state.is_settled(&Msg::Follow));
    }

    #[test]
    fn a_topic_opens_and_closes() {
        let mut state = UiState::default();
        state.apply(Msg::Toggle("orders".into()), SHOWN);
        assert!(state.open_topics.contains("orders"));
        state.apply(Msg::Toggle("orders".into()), SHOWN);
        assert!(state.open_topics.is_empty());
    }
}
