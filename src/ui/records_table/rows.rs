//! The rows: painted, chosen with pointer or keys, scrolled.

use std::sync::Arc;

use egui::{
    Align2, EventFilter, Id, Key, Modifiers, Rangef, Rect, Role, Ui, WidgetInfo, pos2, vec2,
};

use crate::decode::visible;
use crate::model::{Record, Visibility};

use super::super::context::Cx;
use super::super::format::{self, Precision};
use super::super::num::{count_from_f64, u64_from_usize, usize_from_u64};
use super::super::scroll::{self, Rows};
use super::super::state::{LaneKey, Msg};
use super::super::tokens::size;
use super::super::{draw, fonts};
use super::{CHAR, Columns};

/// Draws the rows on screen and takes what is done to them.
pub(super) fn show_rows(
    ui: &Ui,
    cx: &mut Cx<'_>,
    body: Rect,
    records: &[Arc<Record>],
    columns: &Columns,
) {
    let height = |_| size::ROW;
    let rows = Rows {
        count: u64_from_usize(records.len()),
        height: &height,
        viewport: body.height(),
    };
    let scroll = rows.clamped(cx.state.table_scroll);
    let visible = rows.visible(scroll);
    let selected = cx.state.record.clone();
    let is_selected = |record: &Record| {
        selected
            .as_ref()
            .is_some_and(|selected| same_place(selected, record))
    };
    let tab_stop = visible
        .iter()
        .map(|(row, _)| usize_from_u64(*row))
        .find(|index| {
            records
                .get(*index)
                .is_some_and(|record| is_selected(record))
        })
        .or_else(|| visible.first().map(|(row, _)| usize_from_u64(*row)));
    let painter = ui.painter().with_clip_rect(body);
    for (row, top) in &visible {
        let index = usize_from_u64(*row);
        let Some(record) = records.get(index) else {
            continue;
        };
        let rect = Rect::from_min_size(
            pos2(body.left(), body.top() + top),
            vec2(body.width() - size::SCROLL_BAR, size::ROW),
        );
        let on_screen = rect.intersect(body);
        let sense = draw::list_item_sense(ui, row_id(record), tab_stop == Some(index));
        let response = ui.interact(on_screen, row_id(record), sense);
        let chosen = is_selected(record);
        response.widget_info(|| {
            let place = LaneKey {
                topic: Arc::clone(&record.topic),
                partition: Some(record.partition),
            }
            .title();
            WidgetInfo::selected(
                Role::Row,
                true,
                chosen,
                format!("{place} offset {}", format::offset(record.offset)),
            )
        });
        if chosen {
            painter.rect_filled(rect, 0, cx.tokens.selected);
        } else if response.hovered() {
            painter.rect_filled(rect, 0, cx.tokens.raised.gamma_multiply(0.7));
        }
        painter.hline(
            rect.x_range(),
            rect.bottom() - 0.5,
            egui::Stroke::new(1.0, cx.tokens.line.gamma_multiply(0.5)),
        );
        paint_row(&painter, cx, rect, record, columns);
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(&painter, cx.tokens, on_screen);
            }
            keys(ui, cx, records, &rows, scroll, index);
        }
        if response.clicked() {
            cx.push(Msg::ShowRecord(Arc::clone(record)));
            response.request_focus();
        }
    }
    scrolling(ui, cx, body, &rows, scroll);
}

fn paint_row(painter: &egui::Painter, cx: &Cx<'_>, rect: Rect, record: &Record, columns: &Columns) {
    let tokens = cx.tokens;
    let middle = rect.center().y;
    let cell = |at: Rangef, anchor: Align2, text: &str, color| {
        let x = if anchor == Align2::RIGHT_CENTER {
            at.max
        } else {
            at.min
        };
        draw::text(
            painter,
            pos2(x, middle),
            anchor,
            text,
            fonts::data(),
            color,
            at.span().max(0.0),
        );
    };
    let time = record.timestamp.map_or_else(
        || "no time".to_owned(),
        |time| {
            let of_day = format::time_of_day(time, cx.zone, Precision::Millis);
            if columns.has_dates {
                format!("{} {of_day}", format::date(time, cx.zone))
            } else {
                of_day
            }
        },
    );
    cell(columns.time, Align2::LEFT_CENTER, &time, tokens.dim);
    if let Some(topic) = columns.topic {
        cell(topic, Align2::LEFT_CENTER, &record.topic, tokens.dim);
    }
    cell(
        columns.partition,
        Align2::RIGHT_CENTER,
        &record.partition.to_string(),
        tokens.dim,
    );
    cell(
        columns.offset,
        Align2::RIGHT_CENTER,
        &format::offset(record.offset),
        tokens.text,
    );
    bytes_cell(painter, cx, columns.key, middle, record.key.as_deref());
    let mut value = columns.value;
    if let Some(mark) = mark_of(record.visibility) {
        let said = draw::text(
            painter,
            pos2(value.max, middle),
            Align2::RIGHT_CENTER,
            mark,
            fonts::small(),
            tokens.warning,
            90.0,
        );
        value.max = said.left() - 10.0;
    }
    bytes_cell(painter, cx, value, middle, record.value.as_deref());
}

/// What careful readers do not see, in words.
fn mark_of(visibility: Visibility) -> Option<&'static str> {
    match visibility {
        Visibility::Aborted => Some("withdrawn"),
        Visibility::Open => Some("open"),
        Visibility::Committed | Visibility::Unknown => None,
    }
}

fn bytes_cell(painter: &egui::Painter, cx: &Cx<'_>, at: Rangef, middle: f32, bytes: Option<&[u8]>) {
    let width = at.span();
    if width < CHAR {
        return;
    }
    let place = pos2(at.min, middle);
    // Null and empty are words in another face, so that they are never taken for a text that says so.
    let word = match bytes {
        None => Some("null"),
        Some([]) => Some("empty"),
        Some(_) => None,
    };
    if let Some(word) = word {
        draw::text(
            painter,
            place,
            Align2::LEFT_CENTER,
            word,
            fonts::small(),
            cx.tokens.faint,
            width,
        );
        return;
    }
    let chars = count_from_f64(f64::from(width / CHAR)).saturating_add(1);
    let text = visible::one_line(bytes.unwrap_or_default(), chars);
    draw::text(
        painter,
        place,
        Align2::LEFT_CENTER,
        &text,
        fonts::data(),
        cx.tokens.text,
        width,
    );
}

fn keys(
    ui: &Ui,
    cx: &mut Cx<'_>,
    records: &[Arc<Record>],
    rows: &Rows<'_>,
    scroll: scroll::RowScroll,
    index: usize,
) {
    let Some(record) = records.get(index) else {
        return;
    };
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(row_id(record), filter));
    // Taken, so that the item that gets the focus does not act on the same press.
    let pressed = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let page = rows.visible(scroll).len().saturating_sub(2).max(1);
    let last = records.len().saturating_sub(1);
    let down = pressed(Key::ArrowDown).saturating_add(page.saturating_mul(pressed(Key::PageDown)));
    let up = pressed(Key::ArrowUp).saturating_add(page.saturating_mul(pressed(Key::PageUp)));
    let mut target = index.saturating_add(down).min(last).saturating_sub(up);
    if pressed(Key::Home) > 0 {
        target = 0;
    }
    if pressed(Key::End) > 0 {
        target = last;
    }
    if target != index
        && let Some(next) = records.get(target)
    {
        ui.memory_mut(|memory| memory.request_focus(row_id(next)));
        cx.push(Msg::ShowRecord(Arc::clone(next)));
        cx.push(Msg::ScrollTable(
            rows.revealing(scroll, u64_from_usize(target)),
        ));
    }
}

fn scrolling(ui: &Ui, cx: &mut Cx<'_>, body: Rect, rows: &Rows<'_>, scroll: scroll::RowScroll) {
    if ui.rect_contains_pointer(body) {
        let points = ui.input(|input| input.smooth_scroll_delta().y);
        if points != 0.0 {
            cx.push(Msg::ScrollTable(rows.moved(scroll, -points)));
        }
    }
    let bar = Rect::from_min_max(pos2(body.right() - size::SCROLL_BAR, body.top()), body.max);
    if let Some(to) = scroll::bar(ui, cx.tokens, Id::unique("table scroll"), bar, rows, scroll) {
        cx.push(Msg::ScrollTable(to));
    }
}

/// Whether two records are the same one.
pub fn same_place(a: &Record, b: &Record) -> bool {
    a.offset == b.offset && a.partition == b.partition && a.topic == b.topic
}

fn row_id(record: &Record) -> Id {
    Id::unique(("record", &record.topic, record.partition, record.offset))
}
