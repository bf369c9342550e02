//! The rows: painted, chosen with the pointer, scrolled.

use std::sync::Arc;

use egui::{
    Align2, Color32, CornerRadius, Id, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind,
    Ui, WidgetInfo, pos2, vec2,
};

use crate::model::{Record, TimestampMs};

use super::super::context::Cx;
use super::super::format;
use super::super::state::{ColumnKind, LaneKey, Msg, SelectedRecords, TableMsg};
use super::super::tokens::size;
use super::super::{draw, fonts, glossary};
use super::cache::TableCache;
use super::cells::{Cell, Tone, mark_of};
use super::layout::{CHAR, Layout};
use super::listing::{Listing, Top};
use super::{keys, menu};

/// What is drawn: rows in columns, from the one on top.
pub(super) struct View<'v, 't> {
    pub(super) listing: &'v Listing<'t>,
    pub(super) layout: &'v Layout,
    pub(super) top: Top,
    /// The area of the rows, without the bars.
    pub(super) area: Rect,
}

/// Draws the rows on screen and takes what is done to them.
pub(super) fn show(ui: &Ui, cx: &mut Cx<'_>, cache: &mut TableCache, view: &View<'_, '_>) {
    let lines = view.listing.visible(view.top);
    let painter = ui.painter().with_clip_rect(view.area);
    let tab_stop = tab_stop(cx, view, &lines);
    let lit = lit(cx, view, &lines);
    let mut hovered = None;
    let mut focused = None;
    let mut cursor = None;
    cache.readers.prepare(cx);
    for (line, y) in &lines {
        let rect = Rect::from_min_size(
            pos2(view.area.left(), view.area.top() + y),
            vec2(view.area.width(), size::ROW),
        );
        let Some(record) = view.listing.record(*line) else {
            placeholder(&painter, cx, rect, view.layout);
            continue;
        };
        if cx
            .state
            .record
            .as_ref()
            .is_some_and(|shown| same_place(shown, record))
        {
            cursor = Some(row_id(record));
        }
        let row = Row {
            record,
            rect,
            on_screen: rect.intersect(view.area),
            line: *line,
        };
        let response = show_row(ui, cx, cache, view, &painter, &row, tab_stop == Some(*line));
        if lit == Some(*line) {
            mark_lit(&painter, cx, row.on_screen);
        }
        if response.hovered() {
            hovered = record.timestamp;
        }
        if response.has_focus() {
            focused = Some(response.id);
        }
    }
    cx.push(Msg::HoverTime(hovered));
    hand_over_focus(ui, cx, cache, view, focused, cursor);
}

/// Keeps the focus in the table when the row that has it goes off the screen, and gives it back.
fn hand_over_focus(
    ui: &Ui,
    cx: &mut Cx<'_>,
    cache: &mut TableCache,
    view: &View<'_, '_>,
    focused: Option<Id>,
    cursor: Option<Id>,
) {
    let body = body_id();
    let now = ui.memory(egui::Memory::focused);
    let in_body = now == Some(body);
    let lost = now.is_some() && now == cache.focused && focused.is_none() && !in_body;
    if lost {
        ui.memory_mut(|memory| memory.request_focus(body));
    } else if in_body && let Some(cursor) = cursor {
        ui.memory_mut(|memory| memory.request_focus(cursor));
    }
    let has = focused.or_else(|| (in_body || lost).then_some(body));
    cache.focused = has;
    if let Some(has) = has
        && !menu::is_open(ui)
    {
        keys::take(ui, cx, cache, view.listing, view.top, has, view.area);
    }
}

/// The ground of the rows. It takes the focus while the row that had it is not on screen.
pub(super) fn ground(ui: &Ui, area: Rect) {
    let has_focus = ui.memory(|memory| memory.has_focus(body_id()));
    let sense = if has_focus {
        Sense::click()
    } else {
        Sense::CLICK
    };
    let response = ui.interact(area, body_id(), sense);
    response.widget_info(|| WidgetInfo::labeled(Role::Table, true, "Table of records"));
}

/// What has the focus while the row that had it is not on screen.
pub fn body_id() -> Id {
    Id::unique("table body")
}

struct Row<'r> {
    record: &'r Arc<Record>,
    rect: Rect,
    on_screen: Rect,
    line: i64,
}

fn show_row(
    ui: &Ui,
    cx: &mut Cx<'_>,
    cache: &mut TableCache,
    view: &View<'_, '_>,
    painter: &Painter,
    row: &Row<'_>,
    is_tab_stop: bool,
) -> Response {
    let Row {
        record,
        rect,
        on_screen,
        ..
    } = *row;
    let id = row_id(record);
    let response = ui.interact(on_screen, id, draw::list_item_sense(ui, id, is_tab_stop));
    let is_selected = cx.state.table.selected.has(record);
    response.widget_info(|| {
        let place = LaneKey {
            topic: Arc::clone(&record.topic),
            partition: Some(record.partition),
        }
        .title();
        let label = format!("{place} offset {}", format::offset(record.offset));
        WidgetInfo::selected(Role::Row, true, is_selected, label)
    });
    if is_selected {
        painter.rect_filled(rect, 0, cx.tokens.selected);
    } else if response.hovered() {
        painter.rect_filled(rect, 0, cx.tokens.raised.gamma_multiply(0.7));
    }
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, cx.tokens.line.gamma_multiply(0.5)),
    );
    let cells = cache.cells(record, cx.zone);
    ui.ctx().accesskit_node_builder(id, |node| {
        let said: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
        node.set_description(said.join(" "));
    });
    paint_row(painter, cx, cache, view.layout, row, &cells);
    if response.has_focus() && cx.keys_lead {
        draw::focus_ring(painter, cx.tokens, on_screen);
    }
    pressed(ui, cx, cache, view.listing, row, &response);
    hint(cx, cache, view.layout, record, &cells, response)
}

/// What a press on a row does.
fn pressed(
    ui: &Ui,
    cx: &mut Cx<'_>,
    cache: &mut TableCache,
    listing: &Listing<'_>,
    row: &Row<'_>,
    response: &Response,
) {
    let record = row.record;
    if response.clicked() {
        let modifiers = ui.input(|input| input.modifiers);
        let selected = if modifiers.shift {
            keys::stretch(&cx.state.table.selected, listing, row.line)
        } else if modifiers.command {
            cx.state.table.selected.toggled(record)
        } else {
            SelectedRecords::only(record)
        };
        keys::choose(cx, selected, record);
        response.request_focus();
    }
    if response.secondary_clicked() {
        let selected = if cx.state.table.selected.has(record) {
            cx.state.table.selected.clone()
        } else {
            SelectedRecords::only(record)
        };
        keys::choose(cx, selected, record);
        response.request_focus();
        let at = response
            .interact_pointer_pos()
            .unwrap_or_else(|| row.rect.left_bottom());
        menu::open_row(ui, cache, at, false);
    }
}

/// Says what there is to mind of the cell under the pointer.
fn hint(
    cx: &Cx<'_>,
    cache: &mut TableCache,
    layout: &Layout,
    record: &Record,
    cells: &[Cell],
    response: Response,
) -> Response {
    if !response.hovered() {
        return response;
    }
    let Some((index, column)) = response
        .hover_pos()
        .and_then(|pointer| layout.at(pointer.x))
    else {
        return response;
    };
    if column.kind == ColumnKind::ReadBy {
        let said = cache.readers.said(cx, record);
        return response.on_hover_text_at_pointer(said);
    }
    if let Some(remark) = cells.get(index).and_then(|cell| cell.remark) {
        return response.on_hover_text_at_pointer(remark);
    }
    if let Some(mark) = mark_of(record.visibility)
        && marked(layout) == Some(index)
    {
        let said = glossary::explained(mark, mark);
        return response.on_hover_text_at_pointer(said);
    }
    if let (ColumnKind::Time, Some(time)) = (&column.kind, record.timestamp) {
        let zone = crate::model::time::format_zone(time, cx.zone);
        let said = format!("{} {zone}", format::date_and_time(time, cx.zone));
        return response.on_hover_text_at_pointer(said);
    }
    response
}

/// The column that tells what careful readers do not see: the value's, or the last where that is not shown.
fn marked(layout: &Layout) -> Option<usize> {
    let mut columns = layout.columns.iter();
    columns
        .position(|column| column.kind == ColumnKind::Value)
        .or_else(|| layout.columns.len().checked_sub(1))
}

fn paint_row(
    painter: &Painter,
    cx: &Cx<'_>,
    cache: &mut TableCache,
    layout: &Layout,
    row: &Row<'_>,
    cells: &[Cell],
) {
    let middle = row.rect.center().y;
    let mark = mark_of(row.record.visibility);
    let marked = marked(layout);
    for (index, (column, cell)) in layout.columns.iter().zip(cells).enumerate() {
        let mut x = column.x;
        if x.max < row.rect.left() || x.min > row.rect.right() {
            continue;
        }
        if let Some(mark) = mark.filter(|_| marked == Some(index)) {
            let said = draw::text(
                painter,
                pos2(x.max, middle),
                Align2::RIGHT_CENTER,
                mark,
                fonts::small(),
                cx.tokens.warning,
                90.0,
            );
            x.max = said.left() - 10.0;
        }
        if column.kind == ColumnKind::ReadBy {
            cache.readers.paint(painter, cx, x, middle, row.record);
        } else {
            paint_cell(painter, cx, x, middle, cell);
        }
    }
}

fn paint_cell(painter: &Painter, cx: &Cx<'_>, x: egui::Rangef, middle: f32, cell: &Cell) {
    let width = x.span();
    if cell.text.is_empty() || width < CHAR {
        return;
    }
    let tokens = cx.tokens;
    let (font, color): (_, Color32) = match cell.tone {
        Tone::Dim => (fonts::data(), tokens.dim),
        Tone::Plain => (fonts::data(), tokens.text),
        Tone::Number => (fonts::data(), tokens.warning),
        Tone::Text => (fonts::data(), tokens.good),
        Tone::Word => (fonts::small(), tokens.faint),
    };
    let (place, anchor) = if cell.right {
        (pos2(x.max, middle), Align2::RIGHT_CENTER)
    } else {
        (pos2(x.min, middle), Align2::LEFT_CENTER)
    };
    let said = draw::text(painter, place, anchor, &cell.text, font, color, width);
    if cell.remark.is_some() {
        // A corner that says that there is something to mind.
        let corner = said.right_top() + vec2(1.0, 1.0);
        painter.add(egui::Shape::convex_polygon(
            vec![corner, corner + vec2(5.0, 0.0), corner + vec2(5.0, 5.0)],
            tokens.accent,
            Stroke::NONE,
        ));
    }
}

/// A row that is not at hand yet.
pub(super) fn placeholder(painter: &Painter, cx: &Cx<'_>, rect: Rect, layout: &Layout) {
    let color = cx.tokens.line.gamma_multiply(0.6);
    for column in &layout.columns {
        let width = (column.x.span() * 0.6).min(160.0);
        let bar = Rect::from_center_size(
            pos2(column.x.min + width / 2.0, rect.center().y),
            vec2(width, 4.0),
        );
        painter.rect_filled(bar.intersect(rect), CornerRadius::same(2), color);
    }
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, cx.tokens.line.gamma_multiply(0.5)),
    );
}

/// The row at which Tab stops: the one that is shown in detail, or else the first.
fn tab_stop(cx: &Cx<'_>, view: &View<'_, '_>, lines: &[(i64, f32)]) -> Option<i64> {
    let at_hand = || {
        lines
            .iter()
            .filter_map(|(line, _)| Some((*line, view.listing.record(*line)?)))
    };
    let shown = cx
        .state
        .record
        .as_ref()
        .and_then(|shown| at_hand().find(|(_, record)| same_place(record, shown)));
    shown.or_else(|| at_hand().next()).map(|(line, _)| line)
}

/// The row nearest to the time under the pointer on the timeline, when that lies between the times on screen.
fn lit(cx: &Cx<'_>, view: &View<'_, '_>, lines: &[(i64, f32)]) -> Option<i64> {
    let time = cx.state.timeline_hover?;
    let timed: Vec<(i64, TimestampMs)> = lines
        .iter()
        .filter_map(|(line, _)| Some((*line, view.listing.record(*line)?.timestamp?)))
        .collect();
    nearest(time, &timed)
}

/// The line whose time is nearest to `time`; `None` when that lies beyond all of them.
fn nearest(time: TimestampMs, lines: &[(i64, TimestampMs)]) -> Option<i64> {
    let times = || lines.iter().map(|(_, time)| *time);
    if time < times().min()? || time > times().max()? {
        return None;
    }
    lines
        .iter()
        .min_by_key(|(_, known)| time.since_ms(*known).unsigned_abs())
        .map(|(line, _)| *line)
}

fn mark_lit(painter: &Painter, cx: &Cx<'_>, rect: Rect) {
    let color = cx.tokens.hover_line;
    painter.rect_stroke(
        rect.shrink(0.5),
        CornerRadius::ZERO,
        Stroke::new(1.0, color.gamma_multiply(0.5)),
        StrokeKind::Inside,
    );
    let bar = Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
    painter.rect_filled(bar, 0, color);
}

/// Scrolls by the wheel: rows down, columns sideways.
pub(super) fn wheel(
    ui: &Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    at_hand: Option<(&Listing<'_>, Top)>,
    sideways: (f32, f32),
) {
    use super::super::state::TableScroll;
    if !ui.rect_contains_pointer(area) {
        return;
    }
    let delta = ui.input(egui::InputState::smooth_scroll_delta);
    if delta.y != 0.0 {
        let scroll = match (at_hand, cx.state.table.scroll) {
            (Some((listing, top)), _) => listing.scroll_of(listing.moved(top, -delta.y)),
            // On the way to another place: on from there.
            (None, TableScroll::Placed(points)) => TableScroll::Placed(points - delta.y),
            (None, scroll) => scroll,
        };
        cx.push(Msg::Table(TableMsg::Scroll(scroll)));
    }
    if delta.x != 0.0 {
        let (hidden, farthest) = sideways;
        let points = (hidden - delta.x).clamp(0.0, farthest);
        cx.push(Msg::Table(TableMsg::Sideways(points)));
    }
}

/// Whether two records are the same one.
pub fn same_place(a: &Record, b: &Record) -> bool {
    a.offset == b.offset && a.partition == b.partition && a.topic == b.topic
}

pub(super) fn row_id(record: &Record) -> Id {
    Id::unique(("record", &record.topic, record.partition, record.offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_on_the_timeline_lights_up_the_nearest_row_on_screen() {
        let lines = [(7, 1_000), (8, 2_000), (9, 1_900)].map(|(line, ms)| (line, TimestampMs(ms)));
        assert_eq!(nearest(TimestampMs(1_920), &lines), Some(9));
        assert_eq!(nearest(TimestampMs(1_100), &lines), Some(7));
        assert_eq!(nearest(TimestampMs(999), &lines), None);
        assert_eq!(nearest(TimestampMs(2_001), &lines), None);
        assert_eq!(nearest(TimestampMs(5), &[]), None);
    }
}
