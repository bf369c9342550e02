//! What can be done with a lane: the menu of a right click at a place in it, and of a right click or a key on its
//! label.

use egui::{Id, Key, Modifiers, Popup, PopupAnchor, PopupKind, Pos2, Ui};
use jiff::tz::TimeZone;

use crate::engine::{Density, TablePlace};
use crate::model::TimestampMs;
use crate::model::time::format_time;

use super::super::context::Cx;
use super::super::draw;
use super::super::num::i64_from_f64;
use super::super::state::{AxisKind, LaneKey, Msg, Notice, Selection, Span, ViewRange};
use super::gestures::lanes_id;
use super::labels::label_id;
use super::layout::Geometry;
use super::model::{Lane, Lanes};
use super::{cursors, input, offsets};

/// Where the menu was opened.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    /// The point on the screen.
    pub(super) at: Pos2,
    /// The lane.
    pub(super) lane: LaneKey,
    /// The place on the axis; `None` when all of the lane is meant.
    pub(super) value: Option<f64>,
    /// What had the focus, when it was opened by key: it gets it back.
    pub(super) by_key_on: Option<Id>,
}

fn id() -> Id {
    Id::unique("lane menu")
}

fn entered_id() -> Id {
    Id::unique("lane menu entered")
}

/// Whether a key was pressed that asks for the menu of what has the focus; it is taken.
pub(super) fn is_asked_for(ui: &Ui) -> bool {
    ui.input_mut(|input| {
        input.consume_key(Modifiers::SHIFT, Key::F10)
            || input.consume_key(Modifiers::NONE, Key::Menu)
    })
}

/// Opens the menu.
pub(super) fn open(ui: &Ui, cx: &mut Cx<'_>, opened: Opened) {
    cx.push(Msg::FocusLane(opened.lane.clone()));
    ui.data_mut(|data| {
        data.insert_temp(id(), opened);
        data.remove::<bool>(entered_id());
    });
    Popup::open_id(ui.ctx(), id());
}

/// Opens the menu of the lane that keys act on, when the lanes have the focus and a key asks for it.
pub(super) fn open_by_key(ui: &Ui, cx: &mut Cx<'_>, geometry: &Geometry, lanes: &Lanes) {
    let has_focus = ui.memory(|memory| memory.has_focus(lanes_id()));
    let Some(lane) = cx.state.lane.clone().filter(|_| has_focus) else {
        return;
    };
    let mut slots = geometry.slots.iter();
    let is_it = |index| lanes.get(index).is_some_and(|known| known.key == lane);
    let Some(slot) = slots.find(|slot| is_it(slot.index)) else {
        return;
    };
    if is_asked_for(ui) {
        let at = geometry.lane_rect(slot).intersect(geometry.lanes);
        let opened = Opened {
            at: at.left_bottom(),
            lane,
            value: None,
            by_key_on: Some(lanes_id()),
        };
        open(ui, cx, opened);
    }
}

/// Closes the menu by key, which then is for nothing else.
pub(super) fn close_by_key(ui: &Ui) {
    let is_open = Popup::is_id_open(ui.ctx(), id());
    if !is_open || !ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        return;
    }
    Popup::close_id(ui.ctx(), id());
    let opened = ui.data(|data| data.get_temp::<Opened>(id()));
    if let Some(before) = opened.and_then(|opened| opened.by_key_on) {
        ui.memory_mut(|memory| memory.request_focus(before));
    }
}

/// The menu, while it is open.
pub(super) fn show(ui: &Ui, cx: &mut Cx<'_>, geometry: &Geometry, lanes: &Lanes) {
    let Some(opened) = ui.data(|data| data.get_temp::<Opened>(id())) else {
        return;
    };
    let stays = || lanes.rows().iter().take(lanes.pinned());
    let lane = lanes
        .index_of(&opened.lane)
        .and_then(|index| lanes.get(index))
        .or_else(|| stays().find(|lane| lane.key == opened.lane));
    let shown = lane.and_then(|lane| {
        Popup::new(
            id(),
            ui.ctx().clone(),
            PopupAnchor::Position(opened.at),
            ui.layer_id(),
        )
        .kind(PopupKind::Menu)
        .layout(egui::Layout::top_down_justified(egui::Align::Min))
        .style(egui::containers::menu::menu_style)
        .accessible_name("Lane")
        .open_memory(None)
        .show(|ui| {
            let before = cx.messages.len();
            items(ui, cx, &opened, geometry, (lanes, lane));
            if cx.messages.len() > before {
                // Something was done, perhaps by key, which closes no menu by itself.
                ui.close();
                if let Some(before) = opened.by_key_on {
                    ui.memory_mut(|memory| memory.request_focus(before));
                }
            }
        })
    });
    if shown.is_none() {
        Popup::close_id(ui.ctx(), id());
        ui.data_mut(|data| data.remove::<Opened>(id()));
    }
}

fn items(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    opened: &Opened,
    geometry: &Geometry,
    (lanes, lane): (&Lanes, &Lane),
) {
    ui.set_min_width(190.0);
    let what = if lane.is_topic() {
        "topic"
    } else {
        "partition"
    };
    let records = records(opened.value, geometry, lanes, lane);
    let text = match opened.value {
        Some(_) => "Show records here",
        None => "Show records on screen",
    };
    let first = draw::menu_item(ui, text, records.as_ref().err().copied());
    let is_new = ui.data(|data| data.get_temp::<bool>(entered_id()).is_none());
    if opened.by_key_on.is_some() && is_new {
        ui.data_mut(|data| data.insert_temp(entered_id(), true));
        first.request_focus();
    }
    if first.clicked() {
        cx.messages.extend(records.unwrap_or_default());
    }
    let density = &cx.snapshot.density;
    let kind = geometry.axis.kind();
    let is_known = kind != AxisKind::Time
        || lane
            .partitions()
            .iter()
            .any(|at| density.partitions.contains_key(at));
    let why_not = (!is_known).then_some("Its times are not known yet");
    if draw::menu_item(ui, &format!("Zoom to this {what}"), why_not).clicked() {
        let range = whole(kind, lane, density);
        cx.messages.extend(range.map(Msg::View));
    }
    let is_pinned = cx.state.pinned.contains(&lane.key);
    let pin = if is_pinned { "Unpin" } else { "Pin on top" };
    if draw::menu_item(ui, pin, None).clicked() {
        cx.push(Msg::Pin(lane.key.clone()));
    }
    let is_open = cx.state.open_topics.contains(&lane.key.topic);
    let fold = if is_open { "Close topic" } else { "Open topic" };
    if draw::menu_item(ui, fold, None).clicked() {
        cx.push(Msg::Toggle(lane.key.topic.clone()));
    }
    ui.separator();
    if let Some(value) = opened.value {
        let address = address(kind, lane, value, density, cx.zone);
        let why_not = address.as_ref().err().copied();
        if draw::menu_item(ui, "Copy address", why_not).clicked() {
            copy(ui, cx, address.unwrap_or_default());
        }
    }
    if draw::menu_item(ui, "Copy name", None).clicked() {
        copy(ui, cx, lane.key.title());
    }
}

fn copy(ui: &Ui, cx: &mut Cx<'_>, text: String) {
    cx.push(Msg::Notice(Notice::done(format!("Copied {text}"))));
    ui.ctx().copy_text(text);
}

/// What shows the records of a lane: those at a place, or those on screen.
fn records(
    value: Option<f64>,
    geometry: &Geometry,
    lanes: &Lanes,
    lane: &Lane,
) -> Result<Vec<Msg>, &'static str> {
    let kind = geometry.axis.kind();
    if let Some(value) = value {
        let shown = input::records_at(value, geometry, lane);
        return if shown.is_empty() {
            Err("Open the topic: an offset is of one partition")
        } else {
            Ok(shown)
        };
    }
    let range = geometry.axis.range();
    let chosen = vec![lane.key.clone()];
    let selection = if kind == AxisKind::Time {
        Selection::between(range.from(), range.to(), chosen)
    } else {
        let ranges = offsets::ranges(kind, lanes, &chosen, range.from_ms, range.to_ms);
        if ranges.is_empty() {
            return Err("None of its offsets is on screen");
        }
        Selection {
            span: Span::Offsets(ranges.into()),
            lanes: chosen,
        }
    };
    Ok(vec![Msg::Select(selection)])
}

/// The range that shows all of `lane`, with a little room on both sides.
fn whole(kind: AxisKind, lane: &Lane, density: &Density) -> Option<ViewRange> {
    if kind != AxisKind::Time {
        return offsets::whole_of(kind, lane);
    }
    let (from, to) = cursors::times(lane, density)?;
    let range = ViewRange::between(from, to);
    let room = range.span_ms().max(1_000.0) * input::MARGIN;
    Some(ViewRange::new(range.from_ms - room, range.to_ms + room))
}

/// How a place in `lane` is written: the record's address where its offset is known, or else partition and time.
fn address(
    kind: AxisKind,
    lane: &Lane,
    value: f64,
    density: &Density,
    zone: &TimeZone,
) -> Result<String, &'static str> {
    let ([at], [partition]) = (lane.partitions(), lane.described()) else {
        return Err("Open the topic: an address is of one partition");
    };
    if kind != AxisKind::Time {
        return match offsets::record_at(kind, lane, value) {
            Some(TablePlace::Record(at, offset)) => Ok(format!("{at}/{offset}")),
            _ => Err("No offset lies here"),
        };
    }
    let time = TimestampMs(i64_from_f64(value.floor()));
    let index = density.partitions.get(at);
    let known = index
        .map(|index| index.offsets_around(time))
        .filter(|(low, high)| low == high)
        .map(|(offset, _)| offset)
        .filter(|offset| {
            let ends = partition.ends();
            ends.is_some_and(|(start, end)| (start..end).contains(offset))
        });
    Ok(match known {
        Some(offset) => format!("{at}/{offset}"),
        None => format!("{at}@{}", format_time(time, zone)),
    })
}

/// Opens the menu of the label of `lane`.
pub(super) fn open_label(ui: &Ui, cx: &mut Cx<'_>, lane: &Lane, at: Pos2, by_key: bool) {
    let opened = Opened {
        at,
        lane: lane.key.clone(),
        value: None,
        by_key_on: by_key.then(|| label_id(&lane.key, lane.pinned)),
    };
    open(ui, cx, opened);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::by_hand::{inventory, lanes, topic};
    use super::*;
    use crate::inspect::density::TimeIndex;
    use crate::model::{Address, Offset, TopicPartition};

    /// Partition 0 holds the offsets 10 to 99; the one written at 10,000 is known, and where the log ends.
    fn density() -> Density {
        let mut index = TimeIndex::new(Offset(10), Offset(100));
        index.insert(TimestampMs(10_000), Some(Offset(10)));
        index.insert(TimestampMs(40_000), Some(Offset(40)));
        index.insert(TimestampMs(40_001), Some(Offset(40)));
        index.insert(TimestampMs(100_000), Some(Offset(100)));
        let mut density = Density::default();
        let at = TopicPartition::new("orders", 0);
        density.partitions.insert(at, Arc::new(index));
        density
    }

    #[test]
    fn an_address_names_the_offset_where_it_is_known_and_the_time_where_not() {
        let inventory = inventory(vec![topic("orders", &[(10, 100), (0, 5)])], vec![]);
        let lanes = lanes(&inventory, &["orders"]);
        let said = |index, kind, value| {
            let lane = lanes.get(index).unwrap();
            address(kind, lane, value, &density(), &TimeZone::UTC)
        };
        let known = said(1, AxisKind::Time, 40_000.5).unwrap();
        assert_eq!(known, "orders/0/40");
        let near = said(1, AxisKind::Time, 55_000.0).unwrap();
        assert_eq!(near, "orders/0@1970-01-01T00:00:55.000+00:00");
        // It can be gone to as it is.
        let read = Address::parse(&near, TimestampMs(0), &TimeZone::UTC).unwrap();
        assert!(matches!(read, Address::Since(_, time) if time.at == TimestampMs(55_000)));
        assert!(said(0, AxisKind::Time, 55_000.0).is_err());
        assert_eq!(said(1, AxisKind::Offset, 12.5).unwrap(), "orders/0/12");
        assert!(said(1, AxisKind::Offset, 3.0).is_err());
    }

    #[test]
    fn all_of_a_lane_is_zoomed_to_with_room_around_it() {
        let inventory = inventory(vec![topic("orders", &[(10, 100), (0, 5)])], vec![]);
        let lanes = lanes(&inventory, &["orders"]);
        let range = whole(AxisKind::Time, lanes.get(1).unwrap(), &density()).unwrap();
        // From 10,000 to the last record, about 99,000.
        assert!((range.from_ms - 5_550.0).abs() < 100.0, "{range:?}");
        assert!((range.to_ms - 103_450.0).abs() < 100.0, "{range:?}");
        assert_eq!(
            whole(AxisKind::Time, lanes.get(2).unwrap(), &density()),
            None
        );
        let range = whole(AxisKind::Offset, lanes.get(1).unwrap(), &density()).unwrap();
        assert!(range.from_ms < 10.0 && range.from_ms > 5.0, "{range:?}");
        assert!(range.to_ms > 100.0 && range.to_ms < 105.0, "{range:?}");
    }
}
