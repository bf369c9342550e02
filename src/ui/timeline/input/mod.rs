//! What pointer and keys on the timeline mean. Pure: gestures in, messages out.

use egui::{Key, Pos2, Vec2};

use crate::model::TimestampMs;

use super::super::num::{f64_from_i64, i64_from_f64};
use super::super::scroll::Rows;
use super::super::state::{
    Arriving, AxisKind, LaneKey, Msg, Selection, Span, TableMsg, UiState, ViewRange,
};
use super::layout::Geometry;
use super::model::{Lane, Lanes};
use super::offsets;

/// How much a key press zooms.
const KEY_ZOOM: f64 = 1.25;
/// How far a key press pans, as a part of the screen.
const KEY_PAN: f32 = 0.1;
/// A span narrower than this is a click that moved a little.
const LEAST_DRAG: f32 = 3.0;
/// What is fitted leaves this part of the screen free on each side.
pub(super) const MARGIN: f64 = 0.05;

/// What pointer and keys did in this frame.
#[derive(Clone, Debug, Default)]
pub struct Gestures {
    /// The pointer, when it is over lanes or ruler.
    pub pointer: Option<Pos2>,
    /// Where the pointer's line stands.
    pub line: Option<f64>,
    /// How far wheel or trackpad scrolled, in points.
    pub scroll: Vec2,
    /// How much they zoomed; 1 when not at all.
    pub zoom: f32,
    /// A span is being drawn out: where it began, where it is now, and whether it was let go.
    pub drag: Option<Drag>,
    /// Where was clicked.
    pub click: Option<Pos2>,
    /// Where the lanes were clicked with the second button.
    pub menu: Option<Pos2>,
    /// Where the ruler was clicked.
    pub ruler_click: Option<Pos2>,
    /// A double-click.
    pub double_click: bool,
    /// How far a drag that moves the view went, in points.
    pub pan: f32,
    /// Keys, each as often as it was pressed.
    pub keys: Vec<Key>,
    /// Arrows without modifiers, while the lanes have the focus.
    pub arrows: Vec<Key>,
    /// Arrows to the left or right with Shift, while the lanes have the focus; whether to the right.
    pub buckets: Vec<bool>,
}

/// What is dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Handle {
    /// A new span in the lanes that the drag covers.
    Lanes,
    /// A new span in all lanes.
    Ruler,
    /// The beginning of the selected span.
    From,
    /// The end of the selected span.
    To,
    /// All of the selected span.
    Both,
}

/// A drag with the first button.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where it began.
    pub from: Pos2,
    /// Where it is.
    pub to: Pos2,
    /// The values there.
    pub values: (f64, f64),
    /// What it drags.
    pub handle: Handle,
    /// Whether the button was let go.
    pub released: bool,
}

/// What the ruler at `x` would drag, when `selection` is selected.
pub fn handle_at(geometry: &Geometry, selection: Option<&Selection>, x: f32) -> Handle {
    const REACH: f32 = 5.0;
    let Some(selection) = selection.filter(|_| geometry.axis.kind() == AxisKind::Time) else {
        return Handle::Ruler;
    };
    let edge = |at: TimestampMs| geometry.axis.x_from(f64_from_i64(at.0));
    let Some((from, to)) = selection.times() else {
        return Handle::Ruler;
    };
    let (from, to) = (edge(from), edge(to));
    if (x - to).abs() <= REACH {
        Handle::To
    } else if (x - from).abs() <= REACH {
        Handle::From
    } else if x > from && x < to {
        Handle::Both
    } else {
        Handle::Ruler
    }
}

/// What `gestures` ask for in `state`.
pub fn messages(
    gestures: &Gestures,
    geometry: &Geometry,
    lanes: &Lanes,
    state: &UiState,
) -> Vec<Msg> {
    let mut messages = Vec::new();
    let axis = &geometry.axis;
    if (gestures.zoom - 1.0).abs() > f32::EPSILON
        && let Some(pointer) = gestures.pointer
    {
        let closer = axis.zoomed(f64::from(gestures.zoom), pointer.x);
        messages.push(Msg::View(closer));
    }
    let panned = gestures.scroll.x + gestures.pan;
    if panned != 0.0 {
        messages.push(Msg::View(axis.panned(-panned)));
    }
    if let Some(drag) = &gestures.drag {
        messages.push(drag_message(drag, geometry, lanes, state));
    }
    if gestures.double_click {
        messages.push(Msg::Follow);
        messages.push(Msg::ClearSelection);
    } else if let Some(at) = gestures.click {
        messages.extend(click_messages(at, geometry, lanes));
    } else if let Some(at) = gestures.ruler_click
        && state.selection.is_some()
        && handle_at(geometry, state.selection.as_ref(), at.x) == Handle::Ruler
    {
        messages.push(Msg::ClearSelection);
    }
    for key in &gestures.keys {
        messages.extend(key_messages(*key, gestures, geometry, lanes, state));
    }
    for arrow in &gestures.arrows {
        messages.extend(arrow_messages(*arrow, geometry, lanes, state));
    }
    messages
}

/// Arrows go to the next record and to the next lane.
fn arrow_messages(arrow: Key, geometry: &Geometry, lanes: &Lanes, state: &UiState) -> Vec<Msg> {
    let later = match arrow {
        Key::ArrowLeft => false,
        Key::ArrowRight => true,
        Key::ArrowUp | Key::ArrowDown => {
            return next_lane(arrow == Key::ArrowDown, geometry, lanes, state);
        }
        _ => return Vec::new(),
    };
    vec![Msg::Table(TableMsg::Step(Some(later)))]
}

fn next_lane(down: bool, geometry: &Geometry, lanes: &Lanes, state: &UiState) -> Vec<Msg> {
    let here = state.lane.as_ref().and_then(|key| lanes.index_of(key));
    let target = match here {
        Some(here) if down => here.checked_add(1),
        Some(here) => here.checked_sub(1),
        None => geometry.slots.first().map(|slot| slot.index),
    };
    let lane = target.and_then(|index| Some((lanes.row_of(index)?, lanes.get(index)?)));
    let Some((row, lane)) = lane else {
        return Vec::new();
    };
    let height = |row| lanes.height(row);
    let rows = Rows {
        count: u64::try_from(lanes.scrolled()).unwrap_or(u64::MAX),
        height: &height,
        viewport: geometry.lanes.height(),
    };
    let scroll = rows.revealing(rows.clamped(state.lane_scroll), row);
    vec![Msg::FocusLane(lane.key.clone()), Msg::ScrollLanes(scroll)]
}

fn key_messages(
    key: Key,
    gestures: &Gestures,
    geometry: &Geometry,
    lanes: &Lanes,
    state: &UiState,
) -> Option<Msg> {
    let axis = &geometry.axis;
    let plot = geometry.lanes.x_range();
    let at = gestures
        .pointer
        .map_or_else(|| plot.center(), |pointer| pointer.x);
    let pan = KEY_PAN * plot.span();
    match key {
        Key::W => Some(Msg::View(axis.zoomed(KEY_ZOOM, at))),
        Key::S => Some(Msg::View(axis.zoomed(1.0 / KEY_ZOOM, at))),
        Key::A => Some(Msg::View(axis.panned(-pan))),
        Key::D => Some(Msg::View(axis.panned(pan))),
        Key::F => Some(fit(geometry, state)),
        Key::P => {
            let key = state.lane.as_ref()?;
            let is_known = lanes.index_of(key).is_some() || state.pinned.contains(key);
            is_known.then(|| Msg::Pin(key.clone()))
        }
        Key::M if axis.kind() == AxisKind::Time => {
            let at = gestures.line.unwrap_or_else(|| axis.value_from_x(at));
            Some(Msg::Mark(TimestampMs(i64_from_f64(at.floor()))))
        }
        Key::OpenBracket => next_mark(axis.range(), state, false),
        Key::CloseBracket => next_mark(axis.range(), state, true),
        Key::End => Some(Msg::Follow),
        Key::Escape if state.dragged.is_some() => Some(Msg::DropSpan),
        Key::Escape if state.selection.is_some() => Some(Msg::ClearSelection),
        _ => None,
    }
}

/// The selected span with a little room, or all of the data.
fn fit(geometry: &Geometry, state: &UiState) -> Msg {
    let times = state.selection.as_ref().and_then(Selection::times);
    match times.filter(|_| geometry.axis.kind() == AxisKind::Time) {
        Some((from, to)) => {
            let range = ViewRange::between(from, to);
            let room = range.span_ms() * MARGIN;
            Msg::View(ViewRange::new(range.from_ms - room, range.to_ms + room))
        }
        None => Msg::Follow,
    }
}

/// The mark next to the middle of the screen, before or after it.
fn next_mark(range: ViewRange, state: &UiState, later: bool) -> Option<Msg> {
    let middle = f64::midpoint(range.from_ms, range.to_ms);
    let is_beyond = |at: &&TimestampMs| {
        let distance = f64_from_i64(at.0) - middle;
        if later {
            distance > 1.0
        } else {
            distance < -1.0
        }
    };
    let mut marks = state.markers.iter();
    let found = if later {
        marks.find(is_beyond)
    } else {
        marks.rfind(is_beyond)
    };
    found.map(|at| Msg::Center(*at))
}

fn drag_message(drag: &Drag, geometry: &Geometry, lanes: &Lanes, state: &UiState) -> Msg {
    let whole = |value: f64| TimestampMs(i64_from_f64(value));
    let (began, now) = drag.values;
    let before = state.selection.as_ref();
    let before = before.and_then(|selection| Some((selection.times()?, &selection.lanes)));
    let (from, to, chosen) = match (drag.handle, before) {
        (Handle::From, Some(((_, to), lanes))) => (now, f64_from_i64(to.0), lanes.clone()),
        (Handle::To, Some(((from, _), lanes))) => (f64_from_i64(from.0), now, lanes.clone()),
        (Handle::Both, Some(((from, to), lanes))) => {
            let by = now - began;
            (
                f64_from_i64(from.0) + by,
                f64_from_i64(to.0) + by,
                lanes.clone(),
            )
        }
        (Handle::Lanes, _) => (began, now, lanes_of(drag, geometry, lanes)),
        _ => (began, now, Vec::new()),
    };
    let (from, to) = (from.min(to), from.max(to));
    let kind = geometry.axis.kind();
    let (selection, is_empty) = if kind == AxisKind::Time {
        let (from, to) = (whole(from.floor()), whole(to.ceil()));
        (Selection::between(from, to, chosen), from >= to)
    } else {
        let ranges = offsets::ranges(kind, lanes, &chosen, from, to);
        let is_empty = ranges.is_empty();
        let selection = Selection {
            span: Span::Offsets(ranges.into()),
            lanes: chosen,
        };
        (selection, is_empty)
    };
    let is_new = matches!(drag.handle, Handle::Lanes | Handle::Ruler);
    let is_wide = (drag.to.x - drag.from.x).abs() >= LEAST_DRAG;
    match drag.released {
        false => Msg::DragSpan(selection),
        // A span that was drawn together to nothing is gone.
        true if !is_new && is_empty => Msg::ClearSelection,
        true if is_empty => Msg::DropSpan,
        true if is_wide => Msg::Select(selection),
        true => Msg::DropSpan,
    }
}

/// The lanes that a drag covers, without partitions whose topic is covered too.
fn lanes_of(drag: &Drag, geometry: &Geometry, lanes: &Lanes) -> Vec<LaneKey> {
    let covered: Vec<&LaneKey> = geometry
        .lanes_between(drag.from.y, drag.to.y)
        .into_iter()
        .filter_map(|index| Some(&lanes.get(index)?.key))
        .collect();
    let mut keys: Vec<LaneKey> = Vec::new();
    for key in &covered {
        let by_topic = key.partition.is_some()
            && covered
                .iter()
                .any(|other| other.partition.is_none() && other.topic == key.topic);
        if !by_topic && !keys.contains(key) {
            keys.push((*key).clone());
        }
    }
    keys
}

/// A click shows the records of the column it is in.
fn click_messages(at: Pos2, geometry: &Geometry, lanes: &Lanes) -> Vec<Msg> {
    let Some(lane) = geometry.lane_at(at).and_then(|index| lanes.get(index)) else {
        return Vec::new();
    };
    let mut messages = vec![Msg::FocusLane(lane.key.clone())];
    messages.extend(records_at(geometry.axis.value_from_x(at.x), geometry, lane));
    messages
}

/// What shows the records at the place `value` of `lane`: those of its column; on an axis of offsets the record
/// itself, where the place stands for one.
pub(super) fn records_at(value: f64, geometry: &Geometry, lane: &Lane) -> Vec<Msg> {
    let kind = geometry.axis.kind();
    if kind != AxisKind::Time {
        let record = offsets::record_at(kind, lane, value).map(|place| {
            Msg::Table(TableMsg::GoTo {
                place,
                arriving: Arriving {
                    of: None,
                    by_address: false,
                },
                leaves_span: true,
            })
        });
        return record.into_iter().collect();
    }
    let columns = &geometry.columns;
    let (from, to) = columns.times(columns.column_of(value));
    let selection = Selection::between(from, to, vec![lane.key.clone()]);
    vec![Msg::Select(selection)]
}

#[cfg(test)]
mod tests;
