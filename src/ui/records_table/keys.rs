//! The keys of the table: going from row to row, drawing out a stretch, copying.

use std::sync::Arc;

use egui::{Event, EventFilter, Id, Key, Modifiers, Ui, pos2};

use crate::engine::TablePlace;
use crate::model::Record;

use super::super::context::Cx;
use super::super::num::u64_from_usize;
use super::super::state::{Arriving, Msg, SelectedRecords, TableMsg, key_of};
use super::super::{format, taking};
use super::cache::TableCache;
use super::listing::{Listing, Top};
use super::rows::row_id;
use super::{copy, menu, same_place};

/// How far an arrow moves the columns.
const SIDEWAYS: f32 = 48.0;

/// Where a key leads.
#[derive(Clone, Copy)]
enum Target {
    Line(i64),
    /// An edge of the list that is not at hand; whether it is the lower one.
    Edge(bool),
}

/// Takes the keys, when the table has the focus. `focused`: what of it has.
pub(super) fn take(
    ui: &Ui,
    cx: &mut Cx<'_>,
    cache: &mut TableCache,
    listing: &Listing<'_>,
    top: Top,
    focused: Id,
    area: egui::Rect,
) {
    let filter = EventFilter {
        vertical_arrows: true,
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(focused, filter));
    // Looked for only when a key asks for it: many rows may be at hand.
    let chosen = cx.state.record.clone();
    let cursor = || {
        let shown = chosen.as_ref()?;
        listing.line_of(|record| same_place(record, shown))
    };
    for (modifiers, stretches) in [(Modifiers::SHIFT, true), (Modifiers::NONE, false)] {
        if let Some(target) = target(ui, listing, top, &cursor, modifiers) {
            go(ui, cx, listing, top, target, stretches);
            return;
        }
    }
    sideways(ui, cx, cache.sideways);
    if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::A)) {
        select_all(cx, listing);
    }
    if ui.input(|input| {
        input
            .events
            .iter()
            .any(|event| matches!(event, Event::Copy))
    }) {
        let records = cx.state.chosen_records();
        if !records.is_empty() {
            taking::put(ui, cx, copy::json_lines(&records));
        }
    }
    if cx.state.record.is_some() {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter)) {
            cx.push(Msg::FocusDetail);
        }
        let asks = ui.input_mut(|input| {
            input.consume_key(Modifiers::SHIFT, Key::F10)
                || input.consume_key(Modifiers::NONE, Key::Menu)
        });
        if asks {
            let below = cursor().and_then(|line| {
                let lines = listing.visible(top);
                lines.into_iter().find(|(seen, _)| *seen == line)
            });
            let y = area.top() + below.map_or(0.0, |(_, y)| y + 20.0);
            menu::open_row(ui, cache, pos2(area.left() + 40.0, y), true);
        }
    }
}

/// Where the keys that were pressed lead. They are taken, so that what gets the focus does not act on the same
/// press.
fn target(
    ui: &Ui,
    listing: &Listing<'_>,
    top: Top,
    cursor: &dyn Fn() -> Option<i64>,
    modifiers: Modifiers,
) -> Option<Target> {
    let pressed = |key| {
        let count = ui.input_mut(|input| input.count_and_consume_key(modifiers, key));
        i64::try_from(count).unwrap_or(0)
    };
    let page = listing.page();
    let down = pressed(Key::ArrowDown).saturating_add(page.saturating_mul(pressed(Key::PageDown)));
    let up = pressed(Key::ArrowUp).saturating_add(page.saturating_mul(pressed(Key::PageUp)));
    let (home, end) = (pressed(Key::Home), pressed(Key::End));
    let (first, past) = listing.lines();
    let last = past.saturating_sub(1);
    if last < first {
        return None;
    }
    let (at_top, at_bottom) = listing.edges_at_hand();
    if home > 0 {
        return Some(if at_top {
            Target::Line(first)
        } else {
            Target::Edge(false)
        });
    }
    if end > 0 {
        return Some(if at_bottom {
            Target::Line(last)
        } else {
            Target::Edge(true)
        });
    }
    if down == 0 && up == 0 {
        return None;
    }
    let line = match cursor() {
        Some(cursor) => cursor.saturating_add(down).saturating_sub(up),
        // The row that was chosen is far away: on from what is seen.
        None => top.line,
    };
    Some(Target::Line(line.clamp(first, last)))
}

fn go(ui: &Ui, cx: &mut Cx<'_>, listing: &Listing<'_>, top: Top, target: Target, stretches: bool) {
    match target {
        Target::Line(line) => {
            let Some(record) = listing.record(line) else {
                return;
            };
            let selected = if stretches {
                stretch(&cx.state.table.selected, listing, line)
            } else {
                SelectedRecords::only(record)
            };
            choose(cx, selected, record);
            ui.memory_mut(|memory| memory.request_focus(row_id(record)));
            let scroll = listing.scroll_of(listing.revealing(top, line));
            cx.push(Msg::Table(TableMsg::Scroll(scroll)));
        }
        Target::Edge(_) if stretches => {
            let said = "A stretch reaches as far as the rows that are at hand; this edge of the list is not";
            cx.push(Msg::Table(TableMsg::Say(said.to_owned())));
        }
        Target::Edge(lower) => {
            let place = if lower == listing.is_turned() {
                TablePlace::Start
            } else {
                TablePlace::End
            };
            let arriving = Arriving {
                of: None,
                by_address: false,
            };
            cx.push(Msg::Table(TableMsg::Jump(place, Some(arriving))));
        }
    }
}

/// Does a step that was asked for outside the table: to the next record of the lane that keys act on.
pub(super) fn step(cx: &mut Cx<'_>, listing: &Listing<'_>, top: Top) {
    let Some(later) = cx.state.table.step else {
        return;
    };
    cx.push(Msg::Table(TableMsg::Step(None)));
    let down = later != listing.is_turned();
    let by = if down { 1 } else { -1 };
    let (first, past) = listing.lines();
    let shown = cx.state.record.as_ref();
    let cursor = shown.and_then(|shown| listing.line_of(|record| same_place(record, shown)));
    let mut line = match cursor {
        Some(cursor) => cursor.saturating_add(by),
        None => top.line,
    };
    while (first..past).contains(&line) {
        let record = listing.record(line);
        if let Some(record) = record.filter(|record| is_in_lane(cx, record)) {
            choose(cx, SelectedRecords::only(record), record);
            let scroll = listing.scroll_of(listing.revealing(top, line));
            cx.push(Msg::Table(TableMsg::Scroll(scroll)));
            return;
        }
        line = line.saturating_add(by);
    }
    let (at_top, at_bottom) = listing.edges_at_hand();
    let said = if (down && at_bottom) || (!down && at_top) {
        "There is no further record in this lane"
    } else {
        "No further record of this lane is at hand; scroll the table on"
    };
    cx.push(Msg::Table(TableMsg::Say(said.to_owned())));
}

fn is_in_lane(cx: &Cx<'_>, record: &Record) -> bool {
    cx.state.lane.as_ref().is_none_or(|lane| {
        lane.topic == record.topic
            && lane
                .partition
                .is_none_or(|partition| partition == record.partition)
    })
}

/// These records are selected, and `record` is shown.
pub(super) fn choose(cx: &mut Cx<'_>, selected: SelectedRecords, record: &Arc<Record>) {
    cx.push(Msg::Table(TableMsg::Select(
        selected,
        Some(Arc::clone(record)),
    )));
}

/// The stretch from where it was begun to `line`.
pub(super) fn stretch(
    selected: &SelectedRecords,
    listing: &Listing<'_>,
    line: i64,
) -> SelectedRecords {
    let pivot = selected
        .pivot()
        .and_then(|pivot| listing.line_of(|record| key_of(record) == *pivot));
    let from = pivot.unwrap_or(line);
    let between: Vec<&Arc<Record>> = (from.min(line)..=from.max(line))
        .filter_map(|line| listing.record(line))
        .collect();
    selected.stretched(&between, pivot.is_none() && selected.pivot().is_some())
}

fn select_all(cx: &mut Cx<'_>, listing: &Listing<'_>) {
    let (first, past) = listing.lines();
    let all: Vec<&Arc<Record>> = (first..past)
        .filter_map(|line| listing.record(line))
        .collect();
    let Some(record) = all.first() else {
        return;
    };
    let shown = cx
        .state
        .record
        .clone()
        .unwrap_or_else(|| Arc::clone(record));
    let selected = SelectedRecords::only(record).stretched(&all, false);
    choose(cx, selected, &shown);
    let count = format::counted(u64_from_usize(all.len()), "record", "records");
    cx.push(Msg::Table(TableMsg::Say(match listing.edges_at_hand() {
        (true, true) => format!("All {count} are selected"),
        _ => format!("The {count} at hand are selected; the list has more"),
    })));
}

fn sideways(ui: &Ui, cx: &mut Cx<'_>, (hidden, farthest): (f32, f32)) {
    let pressed = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let right = super::super::num::f32_from_count(pressed(Key::ArrowRight));
    let left = super::super::num::f32_from_count(pressed(Key::ArrowLeft));
    if right > 0.0 || left > 0.0 {
        let points = (hidden + (right - left) * SIDEWAYS).clamp(0.0, farthest);
        cx.push(Msg::Table(TableMsg::Sideways(points)));
    }
}
