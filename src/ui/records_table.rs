//! The records of the selected span, or the newest: a table that draws only the rows on screen.

use std::sync::Arc;

use egui::{
    Align2, EventFilter, Id, Key, Modifiers, Rangef, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};

use crate::decode::visible;
use crate::engine::{StoppedBy, Table, TableRequest, TableSpan};
use crate::model::time::format_zone;
use crate::model::{Record, TimestampMs, Visibility};

use super::context::Cx;
use super::format::Precision;
use super::num::{count_from_f64, f32_from_count, u64_from_usize, usize_from_u64};
use super::scroll::{self, Rows};
use super::state::{LaneKey, Msg};
use super::tokens::size;
use super::{draw, fonts, format};

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
        let time = column(if has_dates { 19.0 } else { 12.0 });
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
    let ends = if let Some(TableSpan::Between(from, to)) = request.map(|request| request.span) {
        Some((from, to))
    } else {
        let oldest = rows.iter().rev().find_map(|row| row.timestamp);
        oldest.map(|oldest| (oldest, cx.now))
    };
    ends.is_some_and(|(a, b)| !format::same_day(a, b, cx.zone))
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
    let text = caption(cx, table, wanted);
    let room = right - name.right() - 20.0;
    let said = draw::text(
        &painter,
        pos2(right, middle),
        Align2::RIGHT_CENTER,
        &text,
        fonts::small_data(),
        tokens.dim,
        room,
    );
    let response = ui.interact(said, Id::unique("table caption"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text.clone()));
}

/// What the table shows, in words.
fn caption(cx: &Cx<'_>, table: &Table, wanted: &Wanted<'_>) -> String {
    let Some(request) = wanted.request else {
        return String::new();
    };
    let what = match (&cx.state.selection, request.span) {
        (Some(selection), TableSpan::Between(from, to)) => {
            let lanes = lanes_said(&selection.lanes);
            format!(
                "{lanes} · {} {}",
                span_said(cx, from, to),
                format_zone(from, cx.zone)
            )
        }
        _ => "the newest of all topics shown".to_owned(),
    };
    if !wanted.is_answered {
        return format!("{what} · reading…");
    }
    let shown = u64_from_usize(table.rows.len());
    let up_to = table
        .up_to
        .filter(|_| has_more(table) && request.span != TableSpan::Newest);
    let count = match up_to {
        Some(up_to) => format!(
            "{} of up to {}",
            format::count(shown),
            format::counted(up_to, "record", "records")
        ),
        None => format::counted(shown, "record", "records"),
    };
    let reading = if table.loading && request.span != TableSpan::Newest {
        ", reading…"
    } else {
        ""
    };
    format!("{what} · {count}{reading}")
}

/// Whether there may be more rows than those at hand: not all was looked at, or exactly as many came as were
/// asked for.
fn has_more(table: &Table) -> bool {
    let asked = table.request.as_ref().map_or(0, |request| request.rows);
    let shown = u64_from_usize(table.rows.len());
    !table.complete || (table.rows.len() >= asked && table.up_to.is_some_and(|up_to| up_to > shown))
}

fn lanes_said(lanes: &[LaneKey]) -> String {
    match lanes {
        [] => "all topics shown".to_owned(),
        [only] => only.title(),
        [first, second] => format!("{}, {}", first.title(), second.title()),
        [first, rest @ ..] => format!("{} and {} more", first.title(), rest.len()),
    }
}

fn span_said(cx: &Cx<'_>, from: TimestampMs, to: TimestampMs) -> String {
    let precision = if to.since_ms(from) < 10_000 {
        Precision::Millis
    } else {
        Precision::Seconds
    };
    let time = |at| format::time_of_day(at, cx.zone, precision);
    if format::same_day(from, to, cx.zone) {
        format!(
            "{} {} – {}",
            format::short_date(from, cx.zone),
            time(from),
            time(to)
        )
    } else {
        format!(
            "{} {} – {} {}",
            format::short_date(from, cx.zone),
            time(from),
            format::short_date(to, cx.zone),
            time(to)
        )
    }
}

/// What could not be read, in short and in full.
fn failures(table: &Table) -> Option<(String, String)> {
    let failed: Vec<String> = table
        .partitions
        .iter()
        .filter_map(|partition| {
            let problem = partition.error.as_ref()?;
            let place = partition
                .at()
                .map_or_else(|| partition.topic.to_string(), |at| at.to_string());
            Some(format!("{place}: {problem}"))
        })
        .collect();
    let early = match table.stopped_by {
        Some(StoppedBy::Budget) => Some("Stopped at the bound on memory"),
        Some(StoppedBy::Timeout) => Some("Stopped: it took too long"),
        Some(StoppedBy::Interrupt) => Some("Stopped"),
        Some(StoppedBy::Limit | StoppedBy::Error) | None => None,
    };
    if failed.is_empty() {
        return early.map(|early| {
            (
                early.to_owned(),
                format!("{early}; what is shown is not all there is"),
            )
        });
    }
    const NAMED: usize = 12;
    let count = u64_from_usize(failed.len());
    let mut hint: Vec<String> = failed.iter().take(NAMED).cloned().collect();
    if failed.len() > NAMED {
        hint.push(format!("and {} more", failed.len().saturating_sub(NAMED)));
    }
    let what = format::counted(count, "partition was", "partitions were");
    Some((format!("{what} not read whole"), hint.join("\n")))
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

fn show_rows(ui: &Ui, cx: &mut Cx<'_>, body: Rect, records: &[Arc<Record>], columns: &Columns) {
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
                format!("{} {of_day}", format::short_date(time, cx.zone))
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
pub fn mark_of(visibility: Visibility) -> Option<&'static str> {
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

/// Whether two records are the same one.
pub fn same_place(a: &Record, b: &Record) -> bool {
    a.offset == b.offset && a.partition == b.partition && a.topic == b.topic
}

fn row_id(record: &Record) -> Id {
    Id::unique(("record", &record.topic, record.partition, record.offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::PartitionCoverage;
    use crate::model::{PartitionId, Problem, ProblemKind};

    #[test]
    fn failed_partitions_are_counted_and_named() {
        let failed = |partition| PartitionCoverage {
            topic: "orders".into(),
            partition: Some(PartitionId(partition)),
            from: None,
            to: None,
            next: None,
            complete: false,
            error: Some(Problem::new(ProblemKind::NoLeader, "nobody leads it")),
        };
        let table = Table {
            partitions: vec![failed(1), failed(2)],
            ..Table::default()
        };
        let (text, hint) = failures(&table).unwrap();
        assert_eq!(text, "2 partitions were not read whole");
        assert_eq!(hint, "orders/1: nobody leads it\norders/2: nobody leads it");
    }

    #[test]
    fn reaching_the_rows_asked_for_is_no_failure() {
        let table = Table {
            stopped_by: Some(StoppedBy::Limit),
            ..Table::default()
        };
        assert_eq!(failures(&table), None);
        let table = Table {
            stopped_by: Some(StoppedBy::Budget),
            ..Table::default()
        };
        assert_eq!(
            failures(&table).unwrap().0,
            "Stopped at the bound on memory"
        );
    }

    #[test]
    fn lanes_are_named_as_far_as_there_is_room() {
        let lane = |partition| LaneKey {
            topic: "a".into(),
            partition: Some(PartitionId(partition)),
        };
        assert_eq!(lanes_said(&[]), "all topics shown");
        assert_eq!(lanes_said(&[lane(1)]), "a / 1");
        assert_eq!(lanes_said(&[lane(1), lane(2), lane(3)]), "a / 1 and 2 more");
    }
}
