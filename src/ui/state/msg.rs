//! What the person does, as messages from the panels.

use std::sync::Arc;

use crate::decode::schema::SchemaId;
use crate::decode::value::{Format, Part};
use crate::engine::{Command, ConnectTarget};
use crate::model::{Isolation, Record, Text, TimestampMs, TopicName};

use super::super::scroll::RowScroll;
use super::{
    AxisKind, BottomTab, DetailMsg, FindingsMsg, GroupMsg, JournalMsg, LaneKey, Notice, Revealed,
    RewindMsg, SearchMsg, Selection, TableMsg, ViewRange, WindowMsg,
};

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
    /// Close all topics.
    CloseTopics,
    /// Open a topic and go to its lane, whatever is filtered.
    ShowTopic(TopicName),
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
    /// Something about moving the chosen group's bookmarks.
    Rewind(RewindMsg),
    /// Something in the list of what is missing.
    Findings(FindingsMsg),
    /// Something in the list of what was changed.
    Journal(JournalMsg),
    /// Make a plan that undoes an entry of the journal, by its id.
    UndoEntry(String),
    /// Ask something of the engine that changes nothing of what is chosen here.
    Engine(Box<Command>),
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
    /// Something about searching, or following what comes in.
    Search(SearchMsg),
    /// Show and search the records that readers of this isolation level see.
    Isolation(Isolation),
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
    /// Read a part of a topic's records as this from now on; by evidence when `None`.
    ReadAs(TopicName, Part, Option<Format>),
    /// Something that is shown needs this schema.
    WantSchema(SchemaId),
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
    /// Tell something in short.
    Notice(Notice),
    /// Something around the panels.
    Window(WindowMsg),
}
