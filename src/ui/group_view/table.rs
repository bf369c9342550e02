//! The table of a group's partitions: headings that order it, and the rows on screen.

use egui::{
    Align2, Color32, EventFilter, Id, Key, Modifiers, Painter, Rangef, Rect, Response, Role, Sense,
    Ui, WidgetInfo, pos2, vec2,
};

use crate::decode::visible;
use crate::inspect::lag::Place;
use crate::model::TimestampMs;

use super::super::context::Cx;
use super::super::num::usize_from_u64;
use super::super::scroll::{self, RowScroll, Rows};
use super::super::state::{GroupColumn, GroupMsg, LaneKey, Msg};
use super::super::tokens::{Tokens, size};
use super::super::{draw, fonts};
use super::columns::{ALL, Columns, heading, is_number, meaning};
use super::facts::member_count;
use super::model::{Model, Row, Total};
use super::reveal;
use super::words::{self, Cell, Tone};

/// Height of the headings.
const HEAD: f32 = 24.0;

/// Draws the table in `area`. `subject` is the row whose trajectory is drawn.
pub fn show(ui: &Ui, cx: &mut Cx<'_>, area: Rect, model: &Model, subject: Option<&LaneKey>) {
    let head = Rect::from_min_size(area.min, vec2(area.width(), HEAD));
    let body = Rect::from_min_max(pos2(area.left(), head.bottom()), area.max);
    let columns = Columns::new(area, model);
    show_head(ui, cx, head, &columns);
    let height = |_| size::ROW;
    let rows = Rows {
        count: model.len(),
        height: &height,
        viewport: body.height(),
    };
    let scroll = rows.clamped(cx.state.group_view.scroll);
    let visible = rows.visible(scroll);
    let at = |row: u64| model.rows.get(usize_from_u64(row)).copied();
    let is_subject = |row: Row| subject.is_some() && model.lane(row).as_ref() == subject;
    let tab_stop = visible
        .iter()
        .map(|(row, _)| *row)
        .find(|row| at(*row).is_some_and(is_subject))
        .or_else(|| visible.first().map(|(row, _)| *row));
    let painter = ui.painter().with_clip_rect(body);
    for (number, top) in &visible {
        let Some(row) = at(*number) else {
            continue;
        };
        let rect = Rect::from_min_size(
            pos2(body.left(), body.top() + top),
            vec2(body.width() - size::SCROLL_BAR, size::ROW),
        );
        let on_screen = rect.intersect(body);
        let id = row_id(model, row);
        let sense = draw::list_item_sense(ui, id, tab_stop == Some(*number));
        let response = ui.interact(on_screen, id, sense);
        let is_chosen = is_subject(row);
        let cells = cells(cx, model, row);
        response.widget_info(|| {
            WidgetInfo::selected(Role::Row, true, is_chosen, spoken(model, row, &cells))
        });
        ground(&painter, cx, rect, row, &response, is_chosen);
        paint(&painter, cx.tokens, rect, &columns, &cells);
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(&painter, cx.tokens, on_screen);
            }
            keys(ui, cx, model, &rows, scroll, *number);
        }
        clicks(cx, model, row, &response);
        tell_more(response, &columns, &cells);
    }
    scrolling(ui, cx, body, &rows, scroll);
}

fn show_head(ui: &Ui, cx: &mut Cx<'_>, rect: Rect, columns: &Columns) {
    let painter = ui.painter().clone();
    let sort = cx.state.group_view.sort;
    for (column, range) in &columns.shown {
        let place = Rect::from_x_y_ranges(range.expand(4.0), rect.y_range());
        let id = Id::unique(("group column", *column));
        let response = ui.interact(place, id, Sense::click());
        let is_sorted = sort.column == *column;
        response.widget_info(|| {
            let order = match (is_sorted, sort.descending) {
                (false, _) => "",
                (true, true) => ", largest first",
                (true, false) => ", smallest first",
            };
            let name = match column {
                GroupColumn::Partition => "Partition",
                column => heading(*column),
            };
            WidgetInfo::selected(
                Role::ColumnHeader,
                true,
                is_sorted,
                format!("{name}{order}"),
            )
        });
        let color = if response.hovered() || is_sorted {
            cx.tokens.text
        } else {
            cx.tokens.faint
        };
        let text = match (is_sorted, sort.descending) {
            (false, _) => heading(*column).to_owned(),
            (true, true) => format!("{} ↓", heading(*column)),
            (true, false) => format!("{} ↑", heading(*column)),
        };
        let (x, anchor) = if is_number(*column) {
            (range.max, Align2::RIGHT_CENTER)
        } else {
            (range.min, Align2::LEFT_CENTER)
        };
        let at = pos2(x, rect.center().y);
        draw::text(
            &painter,
            at,
            anchor,
            &text,
            fonts::small(),
            color,
            range.span() + 8.0,
        );
        if response.has_focus() && cx.keys_lead {
            draw::focus_ring(&painter, cx.tokens, place);
        }
        if response.clicked() {
            cx.push(Msg::Group(GroupMsg::Sort(*column)));
        }
        response.on_hover_text(meaning(*column));
    }
    if !columns.left_out.is_empty() {
        let names: Vec<&str> = columns
            .left_out
            .iter()
            .map(|column| heading(*column))
            .collect();
        let said = draw::text(
            &painter,
            pos2(rect.right() - 2.0, rect.center().y),
            Align2::RIGHT_CENTER,
            "…",
            fonts::small(),
            cx.tokens.warning,
            size::SCROLL_BAR,
        );
        let text = format!("No room for: {}", names.join(", "));
        let response = ui.interact(
            said.expand(6.0),
            Id::unique("group columns left out"),
            Sense::hover(),
        );
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text.as_str()));
        response.on_hover_text(format!(
            "{text}. A row tells them all when the pointer rests on its topic"
        ));
    }
    painter.hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
}

/// What `row` says in each column of [`ALL`].
fn cells(cx: &Cx<'_>, model: &Model, row: Row) -> Vec<Cell> {
    match row {
        Row::All => total_cells("All topics", &model.all, cx.now),
        Row::Topic(index) => model.topics.get(index).map_or_else(Vec::new, |topic| {
            let name = visible::one_line(topic.topic.as_bytes(), 128);
            total_cells(&name, &topic.total, cx.now)
        }),
        Row::Place(index) => model
            .places()
            .get(index)
            .map_or_else(Vec::new, |place| place_cells(cx, model, place)),
    }
}

fn place_cells(cx: &Cx<'_>, model: &Model, place: &Place) -> Vec<Cell> {
    let samples = model
        .samples()
        .and_then(|samples| samples.partition(&place.at));
    let members = model
        .group()
        .map_or(Err("the group is not there"), |group| {
            member_count(&group.group)
        });
    let dim = |text: String| Cell {
        text,
        tone: Tone::Dim,
        ..Cell::default()
    };
    ALL.into_iter()
        .map(|column| match column {
            GroupColumn::Topic => dim(visible::one_line(place.at.topic.as_bytes(), 128)),
            GroupColumn::Partition => dim(place.at.partition.to_string()),
            GroupColumn::Committed => words::committed(place),
            GroupColumn::End => words::end(place),
            GroupColumn::Lag => words::lag(place),
            GroupColumn::Delay => words::delay(place, cx.now),
            GroupColumn::Moved => words::moved(place, samples, cx.now, cx.zone),
            GroupColumn::Trend => words::trend_of(place, samples),
            GroupColumn::Owner => words::owner(model.owner(&place.at), members),
            GroupColumn::Notes => words::notes(place),
        })
        .collect()
}

fn total_cells(name: &str, total: &Total, now: TimestampMs) -> Vec<Cell> {
    ALL.into_iter()
        .map(|column| match column {
            GroupColumn::Topic => Cell {
                text: name.to_owned(),
                hint: words::partitions(total.partitions),
                ..Cell::default()
            },
            GroupColumn::Partition => Cell {
                text: format!("×{}", total.partitions),
                hint: words::partitions(total.partitions),
                tone: Tone::Dim,
                ..Cell::default()
            },
            GroupColumn::Lag => words::total_lag(total),
            GroupColumn::Delay => words::total_delay(total, now),
            GroupColumn::Notes => words::total_notes(total),
            _ => Cell::default(),
        })
        .collect()
}

/// A row as one sentence.
fn spoken(model: &Model, row: Row, cells: &[Cell]) -> String {
    let name = match row {
        Row::All => "All topics".to_owned(),
        row => model
            .lane(row)
            .map_or_else(String::new, |lane| lane.title()),
    };
    let mut said = vec![name];
    for (column, cell) in ALL.iter().zip(cells) {
        let is_name = matches!(column, GroupColumn::Topic | GroupColumn::Partition);
        if is_name || cell.text.is_empty() {
            continue;
        }
        said.push(match column {
            GroupColumn::Notes => cell.text.clone(),
            column => format!("{} {}", heading(*column).to_lowercase(), cell.spoken()),
        });
    }
    said.join(", ")
}

fn ground(
    painter: &Painter,
    cx: &Cx<'_>,
    rect: Rect,
    row: Row,
    response: &Response,
    is_chosen: bool,
) {
    if is_chosen {
        painter.rect_filled(rect, 0, cx.tokens.selected);
    } else if response.hovered() {
        painter.rect_filled(rect, 0, cx.tokens.raised);
    } else if !matches!(row, Row::Place(_)) {
        painter.rect_filled(rect, 0, cx.tokens.panel);
    }
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        egui::Stroke::new(1.0, cx.tokens.line.gamma_multiply(0.5)),
    );
}

fn paint(painter: &Painter, tokens: &Tokens, rect: Rect, columns: &Columns, cells: &[Cell]) {
    for (column, range) in &columns.shown {
        let cell = ALL
            .iter()
            .zip(cells)
            .find(|(of, _)| *of == column)
            .map(|(_, cell)| cell);
        if let Some(cell) = cell {
            paint_cell(painter, tokens, rect, *column, *range, cell);
        }
    }
}

fn paint_cell(
    painter: &Painter,
    tokens: &Tokens,
    rect: Rect,
    column: GroupColumn,
    range: Rangef,
    cell: &Cell,
) {
    let (x, anchor) = if is_number(column) {
        (range.max, Align2::RIGHT_CENTER)
    } else {
        (range.min, Align2::LEFT_CENTER)
    };
    let font = if is_number(column) || column == GroupColumn::Topic {
        fonts::data()
    } else {
        fonts::small()
    };
    let (width, color) = (range.span().max(0.0), color(tokens, cell.tone));
    let mut galley = draw::fitted(painter, &cell.text, font.clone(), color, f32::INFINITY);
    if galley.size().x > width {
        let text = if cell.short.is_empty() {
            &cell.text
        } else {
            &cell.short
        };
        galley = draw::fitted(painter, text, font, color, width);
    }
    draw::galley(painter, pos2(x, rect.center().y), anchor, galley);
}

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

/// What the cell under the pointer has to add; the whole row where it is the topic.
fn tell_more(response: Response, columns: &Columns, cells: &[Cell]) {
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    let column = columns.at(pointer.x).unwrap_or_default();
    let text = if column == GroupColumn::Topic {
        let lines = ALL
            .iter()
            .zip(cells)
            .filter(|(_, cell)| !cell.text.is_empty());
        let lines: Vec<String> = lines
            .map(|(column, cell)| format!("{}: {}", heading(*column), cell.spoken()))
            .collect();
        lines.join("\n")
    } else {
        let cell = ALL.iter().zip(cells).find(|(of, _)| **of == column);
        cell.map_or_else(String::new, |(_, cell)| cell.hint.clone())
    };
    if !text.is_empty() {
        response.on_hover_text_at_pointer(text);
    }
}

fn clicks(cx: &mut Cx<'_>, model: &Model, row: Row, response: &Response) {
    if response.clicked() {
        choose(cx, model, row);
        response.request_focus();
    }
    if response.double_clicked() {
        reveal::push(cx, model, row);
    }
}

/// Draws the trajectory of `row` and lets keys act on its lane.
fn choose(cx: &mut Cx<'_>, model: &Model, row: Row) {
    if let Some(lane) = model.lane(row) {
        cx.push(Msg::FocusLane(lane.clone()));
        cx.push(Msg::Group(GroupMsg::Choose(lane)));
    }
}

fn keys(ui: &Ui, cx: &mut Cx<'_>, model: &Model, rows: &Rows<'_>, scroll: RowScroll, number: u64) {
    let Some(row) = model.rows.get(usize_from_u64(number)).copied() else {
        return;
    };
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(row_id(model, row), filter));
    let target = scroll::stepped(ui, number, rows.count, rows.page(scroll));
    if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter)) {
        reveal::push(cx, model, row);
    }
    if target != number
        && let Some(next) = model.rows.get(usize_from_u64(target)).copied()
    {
        ui.memory_mut(|memory| memory.request_focus(row_id(model, next)));
        choose(cx, model, next);
        cx.push(Msg::Group(GroupMsg::Scroll(rows.revealing(scroll, target))));
    }
}

fn scrolling(ui: &Ui, cx: &mut Cx<'_>, body: Rect, rows: &Rows<'_>, scroll: RowScroll) {
    let id = Id::unique("group table scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, body, rows, scroll) {
        cx.push(Msg::Group(GroupMsg::Scroll(to)));
    }
}

/// Whether some row on screen tells the age of a movement, which grows by itself.
pub fn tells_ages(cx: &Cx<'_>, model: &Model) -> bool {
    let first = usize_from_u64(cx.state.group_view.scroll.row);
    let on_screen = model.rows.iter().skip(first).take(100);
    on_screen.into_iter().any(|row| {
        let Row::Place(index) = row else {
            return false;
        };
        let place = model.places().get(*index);
        place
            .and_then(|place| model.samples()?.partition(&place.at)?.movement.last)
            .is_some_and(|last| cx.now.since_ms(last.at) < words::FRESH_MS)
    })
}

fn row_id(model: &Model, row: Row) -> Id {
    Id::unique(("group row", model.lane(row)))
}
