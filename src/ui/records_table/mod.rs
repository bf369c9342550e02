//! The records of the selected span, or the newest: a table that draws only the rows on screen.

mod caption;
mod rows;

use std::sync::Arc;

use egui::{Align2, Id, Rangef, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::engine::{Table, TableRequest, TableSpan};
use crate::model::Record;
use crate::model::time::format_zone;

use super::context::Cx;
use super::num::{count_from_f64, f32_from_count, usize_from_u64};
use super::state::Msg;
use super::tokens::size;
use super::{draw, fonts, format};
use caption::{captions, failures, has_more};
use rows::show_rows;

/// Width of one character of data, in points; JetBrains Mono is 0.6 of its size.
const CHAR: f32 = size::DATA * 0.6;
/// Room between columns.
const GAP: f32 = 14.0;
/// Rows from the end of those at hand at which more are asked for.
const NEAR_THE_END: usize = 40;

/// The table that is asked for and, once it came, the one to show.
pub struct Wanted<'a> {
    /// What is asked for; `None` while there is nothing to ask.
    pub request: Option<&'a TableRequest>,
    /// Whether the snapshot's table answers it.
    pub is_answered: bool,
}

/// Draws the table in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, wanted: &Wanted<'_>) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    let table = Arc::clone(&cx.snapshot.table);
    let title = Rect::from_min_size(area.min, vec2(area.width(), 30.0));
    let head = Rect::from_min_size(pos2(area.left(), title.bottom()), vec2(area.width(), 24.0));
    let body = Rect::from_min_max(pos2(area.left(), head.bottom()), area.max);
    ui.painter()
        .rect_filled(Rect::from_min_max(head.min, area.max), 0, cx.tokens.window);
    show_title(ui, cx, title, &table, wanted);
    let rows: &[Arc<Record>] = if wanted.is_answered { &table.rows } else { &[] };
    let columns = Columns::new(head, cx, rows, wanted.request);
    show_head(ui, cx, head, &columns);
    let is_loading = table.loading || (wanted.request.is_some() && !wanted.is_answered);
    // The newest are read again and again; that is no news while there are some to see.
    let is_refresh = !rows.is_empty()
        && wanted
            .request
            .is_some_and(|request| request.span == TableSpan::Newest);
    if is_loading && !is_refresh {
        draw::progress(ui.painter(), cx.tokens, body, None);
    }
    if rows.is_empty() {
        empty_state(ui, cx, body, &table, wanted, is_loading);
    } else {
        show_rows(ui, cx, body, rows, &columns);
        ask_for_more(cx, rows.len(), &table, body);
    }
}

/// Where the columns are.
struct Columns {
    time: Rangef,
    topic: Option<Rangef>,
    partition: Rangef,
    offset: Rangef,
    key: Rangef,
    value: Rangef,
    has_dates: bool,
    zone: String,
}

impl Columns {
    fn new(area: Rect, cx: &Cx<'_>, rows: &[Arc<Record>], request: Option<&TableRequest>) -> Self {
        let has_dates = spans_days(cx, rows, request);
        let several_topics = request.is_some_and(|request| {
            request.partitions.first().map(|at| &at.topic)
                != request.partitions.last().map(|at| &at.topic)
        });
        let mut left = area.left() + 8.0;
        let mut column = |chars: f32| {
            let range = Rangef::new(left, left + chars * CHAR);
            left = range.max + GAP;
            range
        };
        let time = column(if has_dates { 24.0 } else { 12.0 });
        let narrow = area.width() < 640.0;
        let topic = several_topics.then(|| column(if narrow { 11.0 } else { 16.0 }));
        let partition = column(4.0);
        let offset = column(if narrow { 9.0 } else { 11.0 });
        let key = column(if narrow { 10.0 } else { 16.0 });
        let value = Rangef::new(left, (area.right() - size::SCROLL_BAR - 8.0).max(left));
        let at = rows.iter().find_map(|row| row.timestamp).unwrap_or(cx.now);
        Self {
            time,
            topic,
            partition,
            offset,
            key,
            value,
            has_dates,
            zone: format_zone(at, cx.zone),
        }
    }
}

fn spans_days(cx: &Cx<'_>, rows: &[Arc<Record>], request: Option<&TableRequest>) -> bool {
    if let Some(TableSpan::Between(from, to)) = request.map(|request| request.span)
        && !format::same_day(from, to, cx.zone)
    {
        return true;
    }
    let oldest = rows.iter().rev().find_map(|row| row.timestamp);
    let newest = rows.iter().find_map(|row| row.timestamp);
    let mut ends = oldest.into_iter().chain(newest);
    ends.any(|end| !format::same_day(end, cx.now, cx.zone))
}

fn show_title(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, table: &Table, wanted: &Wanted<'_>) {
    let tokens = cx.tokens;
    let middle = rect.center().y;
    let painter = ui.painter().clone();
    let name = draw::text(
        &painter,
        pos2(rect.left() + 12.0, middle),
        Align2::LEFT_CENTER,
        "Records",
        fonts::text(),
        tokens.text,
        200.0,
    );
    let underline = Rect::from_min_max(
        pos2(name.left() - 4.0, rect.bottom() - 2.0),
        pos2(name.right() + 4.0, rect.bottom()),
    );
    painter.rect_filled(underline, 0, tokens.accent);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, tokens.hairline());
    let mut right = rect.right() - 10.0;
    if cx.state.selection.is_some() {
        let button = Rect::from_min_max(
            pos2(right - 50.0, rect.top() + 4.0),
            pos2(right, rect.bottom() - 4.0),
        );
        let label = egui::RichText::new("Clear").size(size::SMALL);
        if ui
            .put(button, egui::Button::new(label))
            .on_hover_text("Show the newest records again (Esc)")
            .clicked()
        {
            cx.push(Msg::ClearSelection);
        }
        right = button.left() - 10.0;
    }
    if let Some((text, hint)) = failures(table).filter(|_| wanted.is_answered) {
        let said = draw::text(
            &painter,
            pos2(right, middle),
            Align2::RIGHT_CENTER,
            &text,
            fonts::small(),
            tokens.warning,
            rect.width() * 0.4,
        );
        let response = ui.interact(said, Id::unique("table failures"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text.clone()));
        response.on_hover_text(hint);
        right = said.left() - 12.0;
    }
    let captions = captions(cx, table, wanted);
    let room = right - name.right() - 20.0;
    let fits = captions
        .iter()
        .map(|text| {
            draw::fitted(
                &painter,
                text,
                fonts::small_data(),
                tokens.dim,
                f32::INFINITY,
            )
        })
        .find(|galley| galley.size().x <= room);
    let Some((galley, full)) = fits.zip(captions.first()) else {
        return;
    };
    let said = draw::galley(&painter, pos2(right, middle), Align2::RIGHT_CENTER, galley);
    let response = ui.interact(said, Id::unique("table caption"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, full));
    response.on_hover_text(full);
}

fn show_head(ui: &Ui, cx: &Cx<'_>, rect: Rect, columns: &Columns) {
    let painter = ui.painter();
    let middle = rect.center().y;
    let color = cx.tokens.faint;
    let zoned = format!("Time {}", columns.zone);
    let left = |at: Rangef, text: &str| {
        // A heading may use the room up to the next column.
        draw::text(
            painter,
            pos2(at.min, middle),
            Align2::LEFT_CENTER,
            text,
            fonts::small(),
            color,
            at.span().max(0.0) + GAP,
        );
    };
    let right = |at: Rangef, text: &str| {
        draw::text(
            painter,
            pos2(at.max, middle),
            Align2::RIGHT_CENTER,
            text,
            fonts::small(),
            color,
            at.span().max(0.0),
        );
    };
    left(columns.time, &zoned);
    if let Some(topic) = columns.topic {
        left(topic, "Topic");
    }
    right(columns.partition, "P");
    right(columns.offset, "Offset");
    left(columns.key, "Key");
    left(columns.value, "Value");
    painter.hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
}

fn ask_for_more(cx: &mut Cx<'_>, at_hand: usize, table: &Table, body: Rect) {
    let on_screen = count_from_f64(f64::from(body.height() / size::ROW)).saturating_add(1);
    let last = usize_from_u64(cx.state.table_scroll.row).saturating_add(on_screen);
    let is_near = last.saturating_add(NEAR_THE_END) >= at_hand;
    let can_grow = has_more(table) && !table.loading && at_hand >= cx.state.rows_wanted;
    if is_near && can_grow && cx.state.table_scroll.row > 0 {
        cx.push(Msg::MoreRows(at_hand));
    }
}

fn empty_state(
    ui: &Ui,
    cx: &Cx<'_>,
    body: Rect,
    table: &Table,
    wanted: &Wanted<'_>,
    is_loading: bool,
) {
    let text = if is_loading {
        "Reading…".to_owned()
    } else if wanted.request.is_none() {
        "No topic is shown".to_owned()
    } else if table.up_to == Some(0) || table.complete {
        "There are no records here".to_owned()
    } else {
        "Nothing was read".to_owned()
    };
    draw::text(
        ui.painter(),
        body.center(),
        Align2::CENTER_CENTER,
        &text,
        fonts::text(),
        cx.tokens.dim,
        body.width() - f32_from_count(24),
    );
}
