//! The chosen entry: what can be done about it, its facts, and its rows from before to after.

use std::sync::Arc;

use egui::{
    Align, Align2, Button, Color32, EventFilter, FontId, Galley, Id, Layout, Painter, Rangef, Rect,
    Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use crate::decode::visible::one_line;
use crate::engine::{Command, Progression};
use crate::model::{JournalEntry, JournalRow, JournalState};

use super::super::context::Cx;
use super::super::num::{f32_from_count, u64_from_usize, usize_from_u64};
use super::super::scroll::{self, Rows};
use super::super::state::{JournalMsg, Msg, RewindMsg};
use super::super::tokens::{Tokens, size};
use super::super::{draw, fonts, format};
use super::lines::{About, Fact};
use super::list;
use super::model::JournalPanel;
use super::words::{self, Said, Tone};

/// Height of what stands above facts and rows.
const HEAD: f32 = 38.0;
/// Width of the names of facts.
const NAMES: f32 = 84.0;
/// Room at both sides.
const SIDE: f32 = 12.0;
/// Height of a row without a line of its own.
const ROW: f32 = 22.0;
/// Width of an offset.
const NUMBER: f32 = 88.0;
/// Width of what became of a row.
const OUTCOME: f32 = 78.0;
/// Width of a partition's number.
const PARTITION: f32 = 34.0;
/// Room between columns.
const GAP: f32 = 8.0;

/// The colour of a tone.
pub fn color(tokens: &Tokens, tone: Tone) -> Color32 {
    match tone {
        Tone::Plain => tokens.text,
        Tone::Dim => tokens.dim,
        Tone::Good => tokens.good,
        Tone::Warning => tokens.warning,
        Tone::Error => tokens.error,
    }
}

/// Draws `entry` in `area`.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    entry: &JournalEntry,
    progress: Option<&Progression>,
    panel: &JournalPanel,
) {
    ui.painter().rect_filled(area, 0, cx.tokens.panel);
    ui.painter()
        .vline(area.left() + 0.5, area.y_range(), cx.tokens.hairline());
    let snapshot = cx.snapshot;
    let zone = cx.zone;
    let about = About {
        entry,
        progress,
        panel,
        snapshot,
        zone,
    };
    let (head, body) = area.split_top_bottom_at_y(area.top() + HEAD);
    show_head(ui, cx, head, &about);
    if let Some(progress) = progress.filter(|_| entry.state == JournalState::Watching) {
        let done = f32_from_count(progress.rows_passed) / f32_from_count(progress.rows.max(1));
        let line = Rect::from_min_size(pos2(head.left() + 1.0, head.bottom() - 2.0), head.size());
        draw::progress(ui.painter(), cx.tokens, line, Some(done));
    }
    show_body(ui, cx, body, &about);
}

/// The group, and what can be done about the entry.
fn show_head(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, about: &About<'_>) {
    let painter = ui.painter().clone();
    painter.hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
    let inner = rect.shrink2(vec2(SIDE, 0.0));
    let builder = UiBuilder::new()
        .max_rect(inner)
        .layout(Layout::right_to_left(Align::Center));
    let left = ui
        .scope_builder(builder, |ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            buttons(ui, cx, about);
            ui.min_rect().left()
        })
        .inner;
    let entry = about.entry;
    let chip = Rect::from_center_size(
        pos2(inner.left() + size::CHIP / 2.0, rect.center().y),
        vec2(size::CHIP, size::CHIP),
    );
    let mark = cx.marks.of(&entry.group);
    draw::chip(
        &painter,
        cx.tokens,
        chip,
        &mark,
        cx.tokens.hue(&entry.group),
    );
    draw::text(
        &painter,
        pos2(chip.right() + 8.0, rect.center().y),
        Align2::LEFT_CENTER,
        &format::group_name(&entry.group, 128),
        fonts::strong(),
        cx.tokens.text,
        left - chip.right() - 16.0,
    );
}

fn buttons(ui: &mut Ui, cx: &mut Cx<'_>, about: &About<'_>) {
    let entry = about.entry;
    let hint = "As tideline journal --json writes it; it can be undone from that elsewhere";
    if ui.button("Copy as JSON").on_hover_text(hint).clicked() {
        list::copy(ui, cx, [entry], "The entry");
    }
    let step = |ui: &mut Ui, name: &str, hint: &str, why_not: Option<String>| {
        let button = ui
            .add_enabled(why_not.is_none(), Button::new(name))
            .on_hover_text(hint);
        let reason = why_not.unwrap_or_default();
        button.on_disabled_hover_text(reason).clicked()
    };
    if entry.state == JournalState::Watching {
        let hint = "The group is not looked at any more; nothing on the bus changes";
        if step(ui, "Stop watching", hint, None) {
            let command = Command::CloseEntry(entry.id.clone());
            cx.push(Msg::Engine(Box::new(command)));
        }
    }
    let is_open = matches!(entry.state, JournalState::Sending | JournalState::Answered);
    if is_open && !words::is_on_its_way(entry, cx.snapshot) {
        let hint = "Reads the bookmarks that the bus has and compares them with what was sent; nothing on the bus changes";
        let why_not = about.why_not_reach().map(str::to_owned);
        if step(ui, "Check…", hint, why_not) {
            let command = Command::CheckEntry(entry.id.clone());
            cx.push(Msg::Engine(Box::new(command)));
        }
    }
    let is_unfinished = is_open || entry.state == JournalState::Refused;
    if is_unfinished && !words::is_on_its_way(entry, cx.snapshot) {
        let hint = "Makes a plan to the places that were wanted and, as far as is known, not reached; it is shown before anything is changed";
        let why_not = about.why_not_reach().map(str::to_owned);
        if step(ui, "Finish…", hint, why_not) {
            cx.push(Msg::SelectGroup(Some(entry.group.clone())));
            cx.push(Msg::Rewind(RewindMsg::Finish(Arc::new(entry.clone()))));
        }
    }
    let hint =
        "Makes a plan that gives the old bookmarks back; it is shown before anything is changed";
    if step(ui, "Undo…", hint, about.why_not_undo()) {
        cx.push(Msg::SelectGroup(Some(entry.group.clone())));
        cx.push(Msg::UndoEntry(entry.id.clone()));
    }
}

/// A part of the detail as it is laid out.
enum Part<'a> {
    Fact(&'a Fact, Arc<Galley>),
    Head,
    Row(&'a JournalRow),
}

fn show_body(ui: &Ui, cx: &mut Cx<'_>, area: Rect, about: &About<'_>) {
    let facts = about.facts();
    let painter = ui.painter().with_clip_rect(area);
    let width = area.width() - 2.0 * SIDE - size::SCROLL_BAR;
    let laid_out: Vec<(&Fact, Arc<Galley>)> = facts
        .iter()
        .map(|fact| (fact, fact_galley(&painter, cx.tokens, fact, width - NAMES)))
        .collect();
    let count = facts.len();
    let rows_of = &about.entry.rows;
    let part = |index: u64| -> Option<Part<'_>> {
        let index = usize_from_u64(index);
        match laid_out.get(index) {
            Some((fact, galley)) => Some(Part::Fact(fact, Arc::clone(galley))),
            None if index == count => Some(Part::Head),
            None => rows_of
                .get(index.checked_sub(count)?.checked_sub(1)?)
                .map(Part::Row),
        }
    };
    let height = |index: u64| match part(index) {
        Some(Part::Fact(_, galley)) => galley.size().y + 5.0,
        Some(Part::Head) | None => ROW + 6.0,
        Some(Part::Row(row)) => {
            let more = more_galley(&painter, cx.tokens, row, width);
            ROW + more.map_or(0.0, |galley| galley.size().y + 5.0)
        }
    };
    let rows = Rows {
        count: u64_from_usize(count.saturating_add(1).saturating_add(rows_of.len())),
        height: &height,
        viewport: area.height(),
    };
    let scroll = rows.clamped(cx.state.journal.detail_scroll);
    scrolling(ui, cx, area, &rows, scroll, about.entry);
    let columns = Columns::new(area.left() + SIDE, width);
    for (index, top) in rows.visible(scroll) {
        let rect = Rect::from_min_size(
            pos2(area.left() + SIDE, area.top() + top),
            vec2(width, height(index)),
        );
        match part(index) {
            Some(Part::Fact(fact, galley)) => {
                show_fact(
                    ui,
                    cx,
                    &painter,
                    rect.intersect(area),
                    rect,
                    index,
                    fact,
                    galley,
                );
            }
            Some(Part::Head) => show_row_head(&painter, cx.tokens, rect, &columns),
            Some(Part::Row(row)) => show_row(ui, cx, &painter, area, rect, &columns, row),
            None => {}
        }
    }
}

/// Scrolls by wheel and bar, and by keys while the detail has the focus.
fn scrolling(
    ui: &Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    rows: &Rows<'_>,
    scroll: scroll::RowScroll,
    entry: &JournalEntry,
) {
    let id = Id::unique("journal detail");
    let response = ui.interact(area, id, Sense::click());
    response.widget_info(|| {
        let name = format::group_name(&entry.group, 128);
        WidgetInfo::labeled(Role::List, true, format!("Change of {name}"))
    });
    if response.clicked() {
        response.request_focus();
    }
    if response.has_focus() {
        if cx.keys_lead {
            draw::focus_ring(ui.painter(), cx.tokens, area);
        }
        let filter = EventFilter {
            vertical_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        let target = scroll::stepped(ui, scroll.row, rows.count, rows.page(scroll));
        if target != scroll.row {
            let to = scroll::RowScroll {
                row: target,
                hidden: 0.0,
            };
            cx.push(Msg::Journal(JournalMsg::ScrollDetail(rows.clamped(to))));
        }
    }
    let id = Id::unique("journal detail scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, area, rows, scroll) {
        cx.push(Msg::Journal(JournalMsg::ScrollDetail(to)));
    }
}

fn fact_galley(painter: &Painter, tokens: &Tokens, fact: &Fact, width: f32) -> Arc<Galley> {
    let font: FontId = if fact.is_data {
        fonts::small_data()
    } else {
        fonts::text()
    };
    let color = color(tokens, fact.tone);
    painter.layout(fact.text.clone(), font, color, width.max(40.0))
}

#[expect(
    clippy::too_many_arguments,
    reason = "a fact, where it is, and what it is drawn with"
)]
fn show_fact(
    ui: &Ui,
    cx: &Cx<'_>,
    painter: &Painter,
    on_screen: Rect,
    rect: Rect,
    index: u64,
    fact: &Fact,
    galley: Arc<Galley>,
) {
    draw::text(
        painter,
        pos2(rect.left(), rect.top() + 10.0),
        Align2::LEFT_CENTER,
        fact.name,
        fonts::small(),
        cx.tokens.faint,
        NAMES,
    );
    let at = pos2(rect.left() + NAMES, rect.top() + 3.0);
    draw::galley(painter, at, Align2::LEFT_TOP, galley);
    let response = ui.interact(
        on_screen,
        Id::unique(("journal fact", index)),
        Sense::hover(),
    );
    let spoken = format!("{}: {}", fact.name, fact.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken.as_str()));
}

/// Where the columns of rows are.
struct Columns {
    topic: Rangef,
    partition: Rangef,
    before: Rangef,
    after: Rangef,
    outcome: Rangef,
}

impl Columns {
    fn new(left: f32, width: f32) -> Self {
        let right = left + width;
        let outcome = Rangef::new(right - OUTCOME, right);
        let after = Rangef::new(outcome.min - GAP - NUMBER, outcome.min - GAP);
        let before = Rangef::new(after.min - GAP - NUMBER, after.min - GAP);
        let partition = Rangef::new(before.min - PARTITION, before.min);
        Self {
            topic: Rangef::new(left, partition.min - GAP),
            partition,
            before,
            after,
            outcome,
        }
    }
}

fn show_row_head(painter: &Painter, tokens: &Tokens, rect: Rect, columns: &Columns) {
    let y = rect.bottom() - ROW / 2.0;
    let word = |range: Rangef, anchor: Align2, text: &str| {
        let x = if anchor == Align2::RIGHT_CENTER {
            range.max
        } else {
            range.min
        };
        let (font, color) = (fonts::small(), tokens.faint);
        draw::text(painter, pos2(x, y), anchor, text, font, color, range.span());
    };
    word(columns.topic, Align2::LEFT_CENTER, "Topic");
    word(columns.partition, Align2::RIGHT_CENTER, "P");
    word(columns.before, Align2::RIGHT_CENTER, "Before");
    word(columns.after, Align2::RIGHT_CENTER, "After");
    word(columns.outcome, Align2::LEFT_CENTER, "Outcome");
    painter.hline(rect.x_range(), rect.bottom() - 0.5, tokens.hairline());
}

/// What stands below a row, when there is more to say than a word.
fn more_galley(
    painter: &Painter,
    tokens: &Tokens,
    row: &JournalRow,
    width: f32,
) -> Option<Arc<Galley>> {
    let (_, more) = words::outcome(row);
    more.map(|Said { text, tone, .. }| {
        painter.layout(text, fonts::small(), color(tokens, tone), width.max(40.0))
    })
}

fn show_row(
    ui: &Ui,
    cx: &Cx<'_>,
    painter: &Painter,
    area: Rect,
    rect: Rect,
    columns: &Columns,
    row: &JournalRow,
) {
    let tokens = cx.tokens;
    let (outcome, more) = words::outcome(row);
    let y = rect.top() + ROW / 2.0;
    let topic = one_line(row.at.topic.as_bytes(), 200);
    let before = words::offset(row.before.as_ref(), "none");
    let after = words::offset(row.after.as_ref(), "deleted");
    let data = fonts::small_data;
    let cell = |range: Rangef, is_number: bool, text: &str, font: FontId, color: Color32| {
        let (x, anchor) = if is_number {
            (range.max, Align2::RIGHT_CENTER)
        } else {
            (range.min, Align2::LEFT_CENTER)
        };
        draw::text(painter, pos2(x, y), anchor, text, font, color, range.span());
    };
    let partition = row.at.partition.to_string();
    cell(columns.topic, false, &topic, data(), tokens.dim);
    cell(columns.partition, true, &partition, data(), tokens.dim);
    cell(columns.before, true, &before, data(), tokens.text);
    cell(columns.after, true, &after, data(), tokens.text);
    let outcome_color = color(tokens, outcome.tone);
    cell(
        columns.outcome,
        false,
        &outcome.short,
        fonts::small(),
        outcome_color,
    );
    if let Some(galley) = more_galley(painter, tokens, row, rect.width()) {
        let at = pos2(rect.left(), rect.top() + ROW);
        draw::galley(painter, at, Align2::LEFT_TOP, galley);
    }
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        egui::Stroke::new(1.0, tokens.line.gamma_multiply(0.5)),
    );
    let id = Id::unique(("journal row", &row.at));
    let response = ui.interact(rect.intersect(area), id, Sense::hover());
    let said = more.map_or(outcome.text, |more| more.text);
    let spoken = format!(
        "{topic} / {partition}: before {}, after {}, {said}",
        words::in_full(row.before.as_ref(), "none"),
        words::in_full(row.after.as_ref(), "deleted"),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken.as_str()));
    response.on_hover_text(spoken);
}
