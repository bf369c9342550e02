//! Scrolling, and picking rows to copy.

use egui::{Event, EventFilter, Id, Key, Modifiers, PointerButton, Rect, Response, Ui};

use crate::model::Record;

use super::super::context::Cx;
use super::super::num::u64_from_usize;
use super::super::scroll::{self, RowScroll, Rows};
use super::super::state::detail::{Picked, Section};
use super::super::state::{DetailMsg, Msg};
use super::copy;
use super::document::{Block, Content, Document, Spot};

/// What is on screen.
pub(super) struct Shown<'a> {
    /// The rows.
    pub rows: &'a Rows<'a>,
    /// Where they are scrolled to.
    pub scroll: RowScroll,
    /// What the rows are.
    pub document: &'a Document,
    /// What they come from.
    pub content: &'a Content,
    /// The record.
    pub record: &'a Record,
    /// Width of the rows of a value, in characters.
    pub columns: usize,
}

/// Takes what is done to the rows in `body`, whose response is `response`.
pub(super) fn take(ui: &Ui, cx: &mut Cx<'_>, body: Rect, response: &Response, shown: &Shown<'_>) {
    pick_with_pointer(ui, cx, body, response, shown);
    if response.has_focus() {
        keys(ui, cx, response.id, shown);
    }
    let id = Id::unique("record scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, body, shown.rows, shown.scroll) {
        scroll_to(cx, to);
    }
}

fn scroll_to(cx: &mut Cx<'_>, to: RowScroll) {
    cx.push(Msg::Detail(DetailMsg::Scroll(to)));
}

/// The row at the height `y`.
fn row_at(body: Rect, y: f32, shown: &Shown<'_>) -> Option<Spot> {
    let visible = shown.rows.visible(shown.scroll);
    let (row, _) = visible
        .iter()
        .rev()
        .find(|(_, top)| body.top() + top <= y)?;
    shown.document.spot(*row)
}

fn pick_with_pointer(ui: &Ui, cx: &mut Cx<'_>, body: Rect, response: &Response, shown: &Shown<'_>) {
    let is_down = response.is_pointer_button_down_on()
        && ui.input(|input| input.pointer.button_down(PointerButton::Primary));
    if !is_down && !response.clicked() {
        return;
    }
    let Some(pointer) = response.interact_pointer_pos() else {
        return;
    };
    response.request_focus();
    let beyond = match pointer.y {
        y if y < body.top() => -super::LINE,
        y if y > body.bottom() => super::LINE,
        _ => 0.0,
    };
    if beyond != 0.0 {
        // The list goes on under a pointer that is held outside of it.
        scroll_to(cx, shown.rows.moved(shown.scroll, beyond));
        ui.ctx().request_repaint();
    }
    let Some(spot) = row_at(
        body,
        pointer.y.clamp(body.top(), body.bottom() - 1.0),
        shown,
    ) else {
        return;
    };
    let is_nothing = matches!(spot.block, Block::Gap | Block::Heading);
    let (begins, extends) = ui.input(|input| {
        let begins = input.pointer.primary_pressed();
        (begins, !begins || input.modifiers.shift)
    });
    let before = cx
        .state
        .detail
        .picked
        .filter(|picked| picked.columns == shown.columns);
    let picked = match before {
        // Rows of another section are not picked together with these.
        Some(before) if extends && before.section == spot.section => Picked {
            head: spot.in_section,
            ..before
        },
        Some(_) if !begins => return,
        _ if is_nothing => {
            cx.push(Msg::Detail(DetailMsg::Pick(None)));
            return;
        }
        _ => Picked {
            section: spot.section,
            anchor: spot.in_section,
            head: spot.in_section,
            columns: shown.columns,
        },
    };
    cx.push(Msg::Detail(DetailMsg::Pick(Some(picked))));
}

fn keys(ui: &Ui, cx: &mut Cx<'_>, id: Id, shown: &Shown<'_>) {
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    let picked = cx
        .state
        .detail
        .picked
        .filter(|picked| picked.columns == shown.columns);
    let wants_copy = ui.input(|input| {
        input
            .events
            .iter()
            .any(|event| matches!(event, Event::Copy))
    });
    if let (true, Some(picked)) = (wants_copy, &picked) {
        let text = copy::picked(shown.content, shown.document, shown.record, picked);
        ui.ctx().copy_text(text);
    }
    let pressed =
        |modifiers, key| ui.input_mut(|input| input.count_and_consume_key(modifiers, key));
    let down = pressed(Modifiers::SHIFT, Key::ArrowDown);
    let up = pressed(Modifiers::SHIFT, Key::ArrowUp);
    if down != up {
        pick_with_keys(cx, picked, down, up, shown);
    }
    if pressed(Modifiers::COMMAND, Key::A) > 0 {
        let section = picked.map_or(Section::Value, |picked| picked.section);
        cx.push(Msg::Detail(DetailMsg::Pick(Some(Picked {
            section,
            anchor: u64::from(matches!(section, Section::Value | Section::Key)),
            head: shown.document.rows_of(section).saturating_sub(1),
            columns: shown.columns,
        }))));
    }
    let on_screen = u64_from_usize(shown.rows.visible(shown.scroll).len());
    let page = shown.rows.viewport - super::LINE;
    let mut to = shown.scroll;
    let mut step = 0.0;
    for (key, points) in [
        (Key::ArrowDown, super::LINE),
        (Key::ArrowUp, -super::LINE),
        (Key::PageDown, page),
        (Key::PageUp, -page),
    ] {
        for _ in 0..pressed(Modifiers::NONE, key).min(100) {
            step += points;
        }
    }
    if step != 0.0 && on_screen > 0 {
        to = shown.rows.moved(to, step);
    }
    if pressed(Modifiers::NONE, Key::Home) > 0 {
        to = RowScroll::default();
    }
    if pressed(Modifiers::NONE, Key::End) > 0 {
        to = shown.rows.clamped(RowScroll {
            row: shown.rows.count,
            hidden: 0.0,
        });
    }
    if to != shown.scroll {
        scroll_to(cx, to);
    }
}

/// Moves the end of what is picked; the first row on screen when nothing is.
fn pick_with_keys(
    cx: &mut Cx<'_>,
    picked: Option<Picked>,
    down: usize,
    up: usize,
    shown: &Shown<'_>,
) {
    let picked = if let Some(picked) = picked {
        let last = shown.document.rows_of(picked.section).saturating_sub(1);
        let head = picked.head.saturating_add(u64_from_usize(down)).min(last);
        Picked {
            head: head.saturating_sub(u64_from_usize(up)),
            ..picked
        }
    } else {
        let Some(spot) = shown.document.spot(shown.scroll.row) else {
            return;
        };
        Picked {
            section: spot.section,
            anchor: spot.in_section,
            head: spot.in_section,
            columns: shown.columns,
        }
    };
    cx.push(Msg::Detail(DetailMsg::Pick(Some(picked))));
    let start = shown.document.start_of(picked.section);
    let row = start.saturating_add(picked.head);
    scroll_to(cx, shown.rows.revealing(shown.scroll, row));
}
