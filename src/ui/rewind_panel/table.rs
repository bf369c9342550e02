//! The rows: what moves from where to where, and what that means. Only those on screen are made.

use std::sync::Arc;

use egui::{
    Align, Align2, Checkbox, Color32, Id, Painter, Rangef, Rect, Role, Sense, TextEdit, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};

use crate::decode::visible::one_line;
use crate::model::TopicPartition;
use crate::rewind::plan::{Plan, Row};

use super::super::context::Cx;
use super::super::num::{f32_from_count, u64_from_usize, usize_from_u64};
use super::super::scroll::{self, Rows};
use super::super::state::rewind::RowAim;
use super::super::state::{Msg, RewindMsg};
use super::super::tokens::size;
use super::super::{draw, fonts, format, glossary};
use super::model::{Line, RewindPanel};
use super::words::{self, Cell};

/// Height of the headings.
const HEAD: f32 = 22.0;
/// Height of a line of a note.
const NOTE: f32 = 17.0;
/// Width of a letter of a note, more rather than less.
const LETTER: f32 = 6.3;

/// Where the columns are.
struct Columns {
    check: Rangef,
    topic: Rangef,
    partition: Rangef,
    now: Rangef,
    to: Rangef,
    again: Rangef,
    skipped: Rangef,
    times: Rangef,
}

impl Columns {
    fn new(area: Rect) -> Self {
        let x = Rangef::new(area.left() + 8.0, area.right() - size::SCROLL_BAR - 8.0);
        // Numbers keep their width; the topic gives way.
        let times = if x.span() > 640.0 { 176.0 } else { 0.0 };
        let numbers = [34.0, 84.0, 92.0, 96.0, 96.0];
        let fixed: f32 = numbers.iter().sum::<f32>() + times + 34.0 + 8.0 * 7.0;
        let topic = (x.span() - fixed).clamp(60.0, 260.0);
        let mut left = x.min;
        let mut next = |width: f32| {
            let range = Rangef::new(left, left + width);
            left += width + 8.0;
            range
        };
        Self {
            check: next(22.0),
            topic: next(topic),
            partition: next(34.0),
            now: next(84.0),
            to: next(92.0),
            again: next(96.0),
            skipped: next(96.0),
            times: {
                let range = next(times);
                Rangef::new(range.min + 8.0, range.max + 8.0)
            },
        }
    }
}

/// Draws the rows of `plan`.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, area: Rect, plan: &Arc<Plan>, panel: &RewindPanel) {
    let columns = Columns::new(area);
    let head = Rect::from_min_size(area.min, vec2(area.width(), HEAD));
    show_head(ui, cx, head, &columns, plan);
    let body = Rect::from_min_max(pos2(area.left(), head.bottom()), area.max);
    let room = (body.right() - columns.topic.min - 20.0).max(60.0);
    let height = |row: u64| match panel.lines.get(usize_from_u64(row)) {
        Some(Line::Note(text)) => {
            let width = f32_from_count(text.chars().count()) * LETTER;
            NOTE * (width / room).ceil().max(1.0) + 3.0
        }
        _ => size::ROW,
    };
    let rows = Rows {
        count: u64_from_usize(panel.lines.len()),
        height: &height,
        viewport: body.height(),
    };
    let scroll = rows.clamped(cx.state.rewind.scroll);
    let painter = ui.painter().with_clip_rect(body);
    for (number, top) in rows.visible(scroll) {
        let rect = Rect::from_min_size(
            pos2(body.left(), body.top() + top),
            vec2(body.width() - size::SCROLL_BAR, height(number)),
        );
        match panel.lines.get(usize_from_u64(number)) {
            Some(Line::Row(index)) => {
                if let Some(row) = plan.rows.get(*index) {
                    show_row(ui, cx, &painter, rect.intersect(body), rect, &columns, row);
                }
            }
            Some(Line::LeftOut(at)) => {
                show_left_out(ui, cx, &painter, rect.intersect(body), rect, &columns, at);
            }
            Some(Line::Note(text)) => show_note(ui, cx, &painter, rect, &columns, text),
            None => {}
        }
    }
    let id = Id::unique("rewind table scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, body, &rows, scroll) {
        cx.push(Msg::Rewind(RewindMsg::Scroll(to)));
    }
}

fn show_head(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, columns: &Columns, plan: &Plan) {
    let painter = ui.painter().clone();
    let left_out = &cx.state.rewind.draft.left_out;
    let mut all = left_out.is_empty();
    let place = Rect::from_x_y_ranges(columns.check, rect.y_range());
    let response = in_place(ui, place, "rewind all", |ui| {
        ui.add(Checkbox::without_text(&mut all).indeterminate(!left_out.is_empty()))
    });
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, all, "All partitions"));
    if response.clicked() {
        let rows: Vec<TopicPartition> = if left_out.is_empty() {
            plan.rows.iter().map(|row| row.at.clone()).collect()
        } else {
            left_out.iter().cloned().collect()
        };
        let included = !left_out.is_empty();
        cx.push(Msg::Rewind(RewindMsg::Include(rows, included)));
    }
    let headings: [(&str, Rangef, bool, &str); 7] = [
        ("Topic", columns.topic, false, ""),
        ("P", columns.partition, true, "partition"),
        ("Now at", columns.now, true, "committed offset"),
        ("Goes to", columns.to, true, "rewind"),
        ("Run again", columns.again, true, "run again"),
        ("Skipped", columns.skipped, true, "skip"),
        ("From – to", columns.times, false, ""),
    ];
    for (text, range, is_number, word) in headings {
        if range.span() <= 0.0 {
            continue;
        }
        let (x, anchor) = if is_number {
            (range.max, Align2::RIGHT_CENTER)
        } else {
            (range.min, Align2::LEFT_CENTER)
        };
        let at = pos2(x, rect.center().y);
        let said = draw::text(
            &painter,
            at,
            anchor,
            text,
            fonts::small(),
            cx.tokens.faint,
            range.span(),
        );
        if let Some(hint) = glossary::hint(word) {
            ui.interact(said, Id::unique(("rewind heading", text)), Sense::hover())
                .on_hover_text(hint);
        }
    }
    painter.hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
}

fn in_place<R>(
    ui: &mut Ui,
    rect: Rect,
    name: impl std::hash::Hash + std::fmt::Debug,
    content: impl FnOnce(&mut Ui) -> R,
) -> R {
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(rect)
            .id_salt(name)
            .layout(egui::Layout::left_to_right(Align::Center)),
    );
    child.set_clip_rect(rect.expand(2.0).intersect(ui.clip_rect()));
    content(&mut child)
}

fn title(at: &TopicPartition) -> String {
    format!("{} / {}", at.topic, at.partition)
}

fn show_check(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    columns: &Columns,
    at: &TopicPartition,
    is_in: bool,
) {
    let mut checked = is_in;
    let place = Rect::from_x_y_ranges(columns.check, rect.y_range());
    if !place.is_positive() {
        return;
    }
    let response = in_place(ui, place, ("rewind check", at), |ui| {
        ui.add(Checkbox::without_text(&mut checked))
    });
    let label = format!("Move {}", title(at));
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_in, label.as_str()));
    if response.changed() {
        cx.push(Msg::Rewind(RewindMsg::Include(vec![at.clone()], checked)));
    }
}

fn show_row(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    painter: &Painter,
    on_screen: Rect,
    rect: Rect,
    columns: &Columns,
    row: &Row,
) {
    let tokens = cx.tokens;
    let (again, skipped) = words::effects(row);
    let now = words::place(&row.from, "none");
    let to = words::place(&row.to, "deleted");
    let times = words::times(row, cx.now, cx.zone);
    let id = Id::unique(("rewind row", &row.at));
    let response = ui.interact(on_screen, id, Sense::hover());
    response.widget_info(|| {
        let said = format!(
            "{}, now at {}, goes to {}, run again {}, skipped {}",
            title(&row.at),
            now.text,
            to.text,
            again.text,
            skipped.text
        );
        WidgetInfo::labeled(Role::Row, true, said)
    });
    if response.hovered() {
        painter.rect_filled(rect, 0, tokens.raised);
    }
    show_check(ui, cx, on_screen, columns, &row.at, true);
    let dim = |cell: Cell| (cell, tokens.dim);
    let hue = cx
        .state
        .group
        .as_ref()
        .map_or(tokens.text, |name| tokens.hue(name));
    left(
        painter,
        rect,
        columns.topic,
        &one_line(row.at.topic.as_bytes(), 128),
        tokens.text,
    );
    right(
        painter,
        rect,
        columns.partition,
        &row.at.partition.to_string(),
        tokens.dim,
    );
    for ((cell, color), range) in [
        ((now, tokens.text), columns.now),
        ((again.clone(), tokens.text), columns.again),
        (dim(skipped.clone()), columns.skipped),
    ] {
        right(painter, rect, range, &cell.text, color);
    }
    if columns.times.span() > 0.0 {
        left(painter, rect, columns.times, &times, tokens.dim);
    }
    show_target(ui, cx, painter, on_screen, rect, columns, row, &to, hue);
    let hints = [words::keys(row), again.hint, skipped.hint];
    let mut hints: Vec<&str> = hints
        .iter()
        .map(String::as_str)
        .filter(|hint| !hint.is_empty())
        .collect();
    hints.dedup();
    if !hints.is_empty() {
        response.on_hover_text_at_pointer(hints.join("\n"));
    }
}

/// Where a row goes: a field, in which another offset may be typed.
#[expect(
    clippy::too_many_arguments,
    reason = "a cell is drawn from its row and its place"
)]
fn show_target(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    painter: &Painter,
    on_screen: Rect,
    rect: Rect,
    columns: &Columns,
    row: &Row,
    to: &Cell,
    hue: Color32,
) {
    let draft = &cx.state.rewind.draft;
    if draft.undo.is_some() {
        right(painter, rect, columns.to, &to.text, hue);
        return;
    }
    let place = Rect::from_x_y_ranges(columns.to, on_screen.y_range());
    if place.height() < size::ROW * 0.6 {
        return;
    }
    let typed = match draft.rows.get(&row.at) {
        Some(RowAim::Typed(text)) => Some(text),
        _ => None,
    };
    let mut text = typed.map_or_else(
        || to.text.clone(),
        |text| match super::super::state::rewind::typed_offset(text) {
            Ok(offset) if !ui.memory(|memory| memory.has_focus(field_id(&row.at))) => {
                format::offset(offset)
            }
            _ => text.clone(),
        },
    );
    let problem = draft.row_problem(&row.at);
    let color = if problem.is_some() {
        cx.tokens.error
    } else {
        hue
    };
    let response = in_place(ui, place, ("rewind to", &row.at), |ui| {
        ui.add(
            TextEdit::singleline(&mut text)
                .id(field_id(&row.at))
                .font(fonts::data())
                .text_color(color)
                .align(egui::Align2::RIGHT_CENTER)
                .margin(vec2(4.0, 2.0))
                .desired_width(columns.to.span() - 8.0),
        )
    })
    .accessible_name(format!("Offset to which {} goes", title(&row.at)));
    if response.changed() {
        cx.push(Msg::Rewind(RewindMsg::Row(row.at.clone(), Some(text))));
    } else if response.lost_focus() && typed.is_some_and(|typed| typed.trim().is_empty()) {
        // An empty field lets the row go with the others.
        cx.push(Msg::Rewind(RewindMsg::Row(row.at.clone(), None)));
    }
    if let Some(problem) = problem {
        response.on_hover_text(problem);
    }
}

fn field_id(at: &TopicPartition) -> Id {
    Id::unique(("rewind offset", at))
}

fn show_left_out(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    painter: &Painter,
    on_screen: Rect,
    rect: Rect,
    columns: &Columns,
    at: &TopicPartition,
) {
    show_check(ui, cx, on_screen, columns, at, false);
    let faint = cx.tokens.faint;
    left(
        painter,
        rect,
        columns.topic,
        &one_line(at.topic.as_bytes(), 128),
        faint,
    );
    right(
        painter,
        rect,
        columns.partition,
        &at.partition.to_string(),
        faint,
    );
    right(painter, rect, columns.again, "stays", faint);
}

fn show_note(ui: &Ui, cx: &Cx<'_>, painter: &Painter, rect: Rect, columns: &Columns, text: &str) {
    let at = pos2(columns.topic.min, rect.top() + 1.0);
    let width = rect.right() - at.x - 8.0;
    let galley = painter.layout(text.to_owned(), fonts::small(), cx.tokens.warning, width);
    let said = Rect::from_min_size(at, galley.size());
    painter.galley(at, galley, cx.tokens.warning);
    let id = Id::unique(("rewind note", text, rect.top().to_bits()));
    let response = ui.interact(said.intersect(painter.clip_rect()), id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
}

fn right(painter: &Painter, rect: Rect, range: Rangef, text: &str, color: Color32) {
    let at = pos2(range.max, rect.center().y);
    draw::text(
        painter,
        at,
        Align2::RIGHT_CENTER,
        text,
        fonts::data(),
        color,
        range.span() + 6.0,
    );
}

fn left(painter: &Painter, rect: Rect, range: Rangef, text: &str, color: Color32) {
    let at = pos2(range.min, rect.center().y);
    draw::text(
        painter,
        at,
        Align2::LEFT_CENTER,
        text,
        fonts::data(),
        color,
        range.span(),
    );
}
