//! The head of the table: names of the columns, the order, and the edges by which columns are made wider.

use egui::accesskit::SortDirection;
use egui::{
    Align2, EventFilter, Id, Key, Modifiers, Painter, PointerButton, Rect, Role, Sense, Shape,
    Stroke, Ui, WidgetInfo, pos2, vec2,
};

use crate::model::time::format_zone;

use super::super::context::Cx;
use super::super::decoding::Reader;
use super::super::num::f32_from_count;
use super::super::state::{ColumnKind, Msg, TableColumns, TableMsg, TableSort};
use super::super::tokens::size;
use super::super::{draw, fonts, glossary};
use super::cache::TableCache;
use super::cells::{Manner, Parts, cell, path_of};
use super::layout::{GAP, Layout, Placed};
use super::listing::{Listing, Top};
use super::menu;

/// Half the width of an edge that can be dragged.
const GRIP: f32 = 4.0;
/// Characters of a cell that are measured.
const MEASURED: usize = 200;

/// What the head stands above.
pub(super) struct Head<'h, 't> {
    pub(super) layout: &'h Layout,
    /// The order in force.
    pub(super) sort: &'h TableSort,
    /// The rows, when they are there.
    pub(super) at_hand: Option<(&'h Listing<'t>, Top)>,
    /// Whether all of the list is at hand.
    pub(super) is_whole: bool,
}

/// Draws the head.
pub(super) fn show(
    ui: &Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    cache: &mut TableCache,
    head: &Head<'_, '_>,
) {
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
    for column in &head.layout.columns {
        let place = Rect::from_x_y_ranges(
            egui::Rangef::new(column.x.min - GAP / 2.0, column.x.max + GAP / 2.0 - GRIP),
            rect.y_range(),
        );
        let seen = place.intersect(rect);
        if seen.width() > 1.0 {
            name(ui, cx, (rect, seen), column, cache, head);
        }
    }
    for column in &head.layout.columns {
        edge(ui, cx, rect, column, head.at_hand);
    }
}

/// Why the table cannot be sorted by a column; `None` when it can.
fn why_not(kind: &ColumnKind, is_whole: bool) -> Option<&'static str> {
    match kind {
        ColumnKind::Time | ColumnKind::Offset => None,
        ColumnKind::ReadBy => Some("Which groups have read a record is no order"),
        _ if is_whole => None,
        _ => Some(
            "Only by time and offset, because not all of the list is at hand: choose a shorter span to sort it by this",
        ),
    }
}

fn name(
    ui: &Ui,
    cx: &mut Cx<'_>,
    (whole, rect): (Rect, Rect),
    column: &Placed,
    cache: &mut TableCache,
    head: &Head<'_, '_>,
) {
    let painter = ui.painter().with_clip_rect(rect);
    let Head { sort, is_whole, .. } = *head;
    let kind = &column.kind;
    let response = ui.interact(rect, name_id(kind), Sense::click_and_drag());
    let sorted = (sort.by == *kind).then_some(sort.descending);
    let spoken = match sorted {
        Some(true) => format!("{}, sorted descending", kind.name()),
        Some(false) => format!("{}, sorted ascending", kind.name()),
        None => kind.name().to_owned(),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, true, &spoken));
    if let Some(descending) = sorted {
        let direction = if descending {
            SortDirection::Descending
        } else {
            SortDirection::Ascending
        };
        ui.ctx()
            .accesskit_node_builder(response.id, |node| node.set_sort_direction(direction));
    }
    let form = (cache.is_right(kind), response.hovered());
    paint_name(cx, &painter, column, rect, sorted, form);
    if response.has_focus() && cx.keys_lead {
        draw::focus_ring(&painter, cx.tokens, rect);
    }
    if response.has_focus() {
        widen_by_key(ui, cx, column, &response);
        let asks = ui.input_mut(|input| {
            input.consume_key(Modifiers::SHIFT, Key::F10)
                || input.consume_key(Modifiers::NONE, Key::Menu)
        });
        if asks {
            menu::toggle_columns(ui, cache, rect.left_bottom(), Some(kind), true);
        }
    }
    move_by_drag(ui, cx, whole, kind, head.layout, &response);
    let reason = why_not(kind, is_whole);
    if response.clicked() {
        cx.push(Msg::Table(match reason {
            None => TableMsg::Sort(kind.clone()),
            Some(reason) => TableMsg::Say(reason.to_owned()),
        }));
    }
    if response.secondary_clicked() {
        let at = response
            .interact_pointer_pos()
            .unwrap_or_else(|| rect.left_bottom());
        menu::toggle_columns(ui, cache, at, Some(kind), false);
    }
    if response.hovered() {
        let click = reason.unwrap_or("Click to sort by it");
        let named = match kind {
            ColumnKind::Time => format!("Time in {}", format_zone(cx.now, cx.zone)),
            kind => kind.name().to_owned(),
        };
        response.on_hover_text(format!(
            "{named}: {}\n{click}; drag to move it",
            meaning(kind)
        ));
    }
}

/// The name of a column, as something that can have the focus.
pub(super) fn name_id(kind: &ColumnKind) -> Id {
    Id::unique(("table head", kind))
}

/// A name that is dragged takes its column to another place, which is shown before it is let go.
fn move_by_drag(
    ui: &Ui,
    cx: &mut Cx<'_>,
    head: Rect,
    kind: &ColumnKind,
    layout: &Layout,
    response: &egui::Response,
) {
    let is_released = response.drag_stopped_by(PointerButton::Primary);
    if !is_released && !response.dragged_by(PointerButton::Primary) {
        return;
    }
    let Some(pointer) = response.interact_pointer_pos() else {
        return;
    };
    ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing);
    let gap = layout.gap_at(pointer.x);
    if !layout.moves(kind, gap) {
        return;
    }
    if is_released {
        move_to(cx, layout, kind, gap);
    } else if let Some(x) = layout.x_of_gap(gap) {
        let stroke = Stroke::new(2.0, cx.tokens.accent);
        ui.painter().vline(x, head.y_range(), stroke);
    }
}

/// Takes the column `kind` to a gap between those that are shown.
pub(super) fn move_to(cx: &mut Cx<'_>, layout: &Layout, kind: &ColumnKind, gap: usize) {
    let mut columns = cx.state.table.columns.clone();
    columns.move_before(kind, layout.columns.get(gap).map(|column| &column.kind));
    cx.push(Msg::Table(TableMsg::Columns(columns)));
}

/// What a column shows, for whoever does not know the word.
fn meaning(kind: &ColumnKind) -> &'static str {
    let word = |word| glossary::hint(word).unwrap_or_default();
    match kind {
        ColumnKind::Time => "When the record was written, as its producer or the broker set it",
        ColumnKind::Topic => word("topic"),
        ColumnKind::Partition => word("partition"),
        ColumnKind::Offset => word("offset"),
        ColumnKind::Key => word("key"),
        ColumnKind::Value => "What the record says; null where there is none",
        ColumnKind::Size => "Bytes of key, value and headers",
        ColumnKind::ReadBy => "The groups whose committed offset is past the record, or not yet",
        ColumnKind::Header(_) => "The first header of this name",
        ColumnKind::Field(_) => "The field of the value at this path",
    }
}

/// Shift and an arrow make a column wider or narrower.
fn widen_by_key(ui: &Ui, cx: &mut Cx<'_>, column: &Placed, response: &egui::Response) {
    const STEP: f32 = 12.0;
    let filter = EventFilter {
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let pressed = |key| {
        let count = ui.input_mut(|input| input.count_and_consume_key(Modifiers::SHIFT, key));
        f32_from_count(count)
    };
    let steps = pressed(Key::ArrowRight) - pressed(Key::ArrowLeft);
    if steps != 0.0 {
        let mut columns = cx.state.table.columns.clone();
        columns.set_width(&column.kind, Some(column.x.span() + steps * STEP));
        cx.push(Msg::Table(TableMsg::Columns(columns)));
    }
}

fn paint_name(
    cx: &Cx<'_>,
    painter: &Painter,
    column: &Placed,
    rect: Rect,
    sorted: Option<bool>,
    (is_right, is_hovered): (bool, bool),
) {
    const ARROW: f32 = 11.0;
    let middle = rect.center().y;
    let color = if sorted.is_some() || is_hovered {
        cx.tokens.text
    } else {
        cx.tokens.dim
    };
    let text = match &column.kind {
        ColumnKind::Time => format!("Time {}", format_zone(cx.now, cx.zone)),
        ColumnKind::Partition => "P".to_owned(),
        kind => kind.name().to_owned(),
    };
    let room = column.x.span() + if is_right { 0.0 } else { GAP / 2.0 };
    let arrow = if sorted.is_some() { ARROW } else { 0.0 };
    let font = match column.kind {
        ColumnKind::Header(_) | ColumnKind::Field(_) => fonts::small_data(),
        _ => fonts::small(),
    };
    let (x, anchor) = if is_right {
        (column.x.max - arrow, Align2::RIGHT_CENTER)
    } else {
        (column.x.min, Align2::LEFT_CENTER)
    };
    let place = draw::text(
        painter,
        pos2(x, middle),
        anchor,
        &text,
        font,
        color,
        (room - arrow).max(0.0),
    );
    if let Some(descending) = sorted {
        let center = pos2(place.right() + 7.0, middle);
        let (wide, tip) = if descending { (-2.5, 3.0) } else { (2.5, -3.0) };
        painter.add(Shape::convex_polygon(
            vec![
                center + vec2(-4.0, wide),
                center + vec2(4.0, wide),
                center + vec2(0.0, tip),
            ],
            color,
            Stroke::NONE,
        ));
    }
}

/// The edge at the right of a column: dragged, it makes it wider; on a double click it fits what is seen.
fn edge(
    ui: &Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    column: &Placed,
    at_hand: Option<(&Listing<'_>, Top)>,
) {
    let x = column.x.max + GAP / 2.0;
    if !rect.x_range().contains(x) {
        return;
    }
    let strip = Rect::from_x_y_ranges(egui::Rangef::new(x - GRIP, x + GRIP), rect.y_range());
    let id = Id::unique(("table edge", &column.kind));
    let response = ui.interact(strip, id, Sense::CLICK | Sense::DRAG);
    let label = format!("Width of {}", column.kind.name());
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, &label));
    let is_lit = response.hovered() || response.dragged();
    let stroke = if is_lit {
        cx.tokens.focus()
    } else {
        cx.tokens.hairline()
    };
    ui.painter().vline(
        x,
        egui::Rangef::new(rect.top() + 6.0, rect.bottom() - 6.0),
        stroke,
    );
    let mut columns = cx.state.table.columns.clone();
    if response.double_clicked() {
        let width = at_hand.map(|(listing, top)| fitting(ui, cx, column, listing, top));
        columns.set_width(&column.kind, width);
        cx.push(Msg::Table(TableMsg::Columns(columns)));
    } else if response.dragged()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        resize(cx, columns, column, pointer.x);
    }
    response.on_hover_and_drag_cursor(egui::CursorIcon::ResizeHorizontal);
}

fn resize(cx: &mut Cx<'_>, mut columns: TableColumns, column: &Placed, x: f32) {
    columns.set_width(&column.kind, Some(x - GAP / 2.0 - column.x.min));
    cx.push(Msg::Table(TableMsg::Columns(columns)));
}

/// The width at which all that is on screen of a column is seen.
fn fitting(ui: &Ui, cx: &Cx<'_>, column: &Placed, listing: &Listing<'_>, top: Top) -> f32 {
    let painter = ui.painter();
    let wide = |text: &str, font| {
        draw::fitted(painter, text, font, cx.tokens.text, f32::INFINITY)
            .size()
            .x
    };
    let path = path_of(&column.kind);
    let name = wide(column.kind.name(), fonts::small()) + size::CHIP;
    if column.kind == ColumnKind::ReadBy {
        return name.max(column.x.span());
    }
    let reader = Reader::of(cx.state, cx.snapshot);
    let manner = Manner {
        zone: cx.zone,
        has_dates: false,
    };
    listing
        .visible(top)
        .into_iter()
        .filter_map(|(line, _)| listing.record(line))
        .map(|record| {
            let parts = Parts::of(&reader, record, std::iter::once(&column.kind));
            let path = path.as_ref();
            let cell = cell(record, &parts, &column.kind, path, MEASURED, manner);
            wide(&cell.text, fonts::data()) + 2.0
        })
        .fold(name, f32::max)
        .ceil()
}
