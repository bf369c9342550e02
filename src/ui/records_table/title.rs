//! The line above the table: its menus, what it shows, and what could not be read.

use std::sync::Arc;

use egui::{Align2, Button, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2};

use crate::engine::Table;

use super::super::context::Cx;
use super::super::state::{GoTo, Msg, SearchMsg, TableMsg, TableSort};
use super::super::tokens::size;
use super::super::{draw, fonts};
use super::cache::TableCache;
use super::caption::{OnScreen, captions, counting};
use super::{Wanted, goto, menu};

/// What the line says besides what was asked for.
pub(super) struct Said<'a> {
    /// The order in force.
    pub(super) sort: &'a TableSort,
    /// The rows on screen.
    pub(super) on_screen: Option<OnScreen>,
    /// What is said of hits that are shown in place of the list, in full first.
    pub(super) hits: Option<Vec<String>>,
    /// How many records came that are not seen, and what shows them.
    pub(super) news: Option<(String, TableMsg)>,
}

/// Draws the line.
pub(super) fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    table: &Arc<Table>,
    wanted: &Wanted<'_>,
    cache: &mut TableCache,
    line: &Said<'_>,
) {
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
    let left = menus(ui, cx, cache, rect, rect.left() + 8.0);
    let left = news(ui, cx, rect, left, line.news.as_ref());
    let right = match line.hits {
        Some(_) => rect.right() - 10.0,
        None => end_of_line(ui, cx, rect),
    };
    let is_new = !cache.goto_open;
    cache.goto_open = cx.state.table.goto.is_some();
    if cache.goto_open {
        let width = (right - left - 10.0).clamp(60.0, 340.0);
        let field = Rect::from_min_max(
            pos2(right - width, rect.top() + 4.0),
            pos2(right, rect.bottom() - 4.0),
        );
        goto::field(ui, cx, field, is_new);
        return;
    }
    let right = match line.hits {
        Some(_) => right,
        None => failed(ui, cx, rect, (left, right), cache, wanted, table),
    };
    said(ui, cx, rect, (left, right), table, wanted, line);
}

/// The buttons beside the name; where they end.
fn menus(ui: &mut Ui, cx: &mut Cx<'_>, cache: &mut TableCache, rect: Rect, left: f32) -> f32 {
    let mut left = left;
    let mut button = |ui: &mut Ui, text: &str, width: f32, hint: &str| {
        let place = Rect::from_min_max(
            pos2(left, rect.top() + 4.0),
            pos2(left + width, rect.bottom() - 4.0),
        );
        left = place.right() + 6.0;
        let label = egui::RichText::new(text).size(size::SMALL);
        let button = Button::new(label).wrap_mode(egui::TextWrapMode::Extend);
        ui.put(place, button).on_hover_text(hint)
    };
    let columns = button(
        ui,
        "Columns…",
        70.0,
        "Choose what is shown of each record (right click on the head of the table)",
    );
    if columns.clicked() {
        menu::toggle_columns(ui, cache, columns.rect.left_bottom(), None, false);
    }
    let to = button(
        ui,
        "Go to…",
        54.0,
        "Go to a record by its address, or to a time (Ctrl+G, or paste one)",
    );
    if to.clicked() {
        cx.push(Msg::Table(match cx.state.table.goto {
            Some(_) => TableMsg::CloseGoTo,
            None => TableMsg::EditGoTo(GoTo::default()),
        }));
    }
    if !cx.state.search.open {
        let search = button(
            ui,
            "Search…",
            60.0,
            "Search these records, or follow what comes in (Ctrl+F)",
        );
        if search.clicked() {
            cx.push(Msg::Search(SearchMsg::Open));
        }
    }
    left
}

/// The button that says how many records came that are not seen; where it ends. It stands in the line, so that
/// it lies over no row.
fn news(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    left: f32,
    news: Option<&(String, TableMsg)>,
) -> f32 {
    let Some((text, there)) = news else {
        return left;
    };
    let color = cx.tokens.accent;
    let wide = draw::fitted(ui.painter(), text, fonts::small(), color, f32::INFINITY);
    let place = Rect::from_min_max(
        pos2(left, rect.top() + 4.0),
        pos2(left + wide.size().x + 18.0, rect.bottom() - 4.0),
    );
    let label = egui::RichText::new(text).size(size::SMALL).color(color);
    let button = Button::new(label).wrap_mode(egui::TextWrapMode::Extend);
    if ui
        .put(place, button)
        .on_hover_text("Show what has come")
        .clicked()
    {
        cx.push(Msg::Table(there.clone()));
    }
    place.right() + 6.0
}

/// What stands at the right; where it begins.
fn end_of_line(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect) -> f32 {
    let right = rect.right() - 10.0;
    if cx.state.selection.is_none() {
        return right;
    }
    let place = Rect::from_min_max(
        pos2(right - 50.0, rect.top() + 4.0),
        pos2(right, rect.bottom() - 4.0),
    );
    let label = egui::RichText::new("Clear").size(size::SMALL);
    if ui
        .put(place, Button::new(label))
        .on_hover_text("Show the newest records again (Esc)")
        .clicked()
    {
        cx.push(Msg::ClearSelection);
    }
    place.left() - 10.0
}

/// What could not be read, at the right; where it begins.
fn failed(
    ui: &Ui,
    cx: &Cx<'_>,
    rect: Rect,
    (left, right): (f32, f32),
    cache: &mut TableCache,
    wanted: &Wanted<'_>,
    table: &Arc<Table>,
) -> f32 {
    let Some((text, hint)) = cache.failures(table).filter(|_| wanted.is_answered) else {
        return right;
    };
    let place = draw::text(
        ui.painter(),
        pos2(right, rect.center().y),
        Align2::RIGHT_CENTER,
        &text,
        fonts::small(),
        cx.tokens.warning,
        ((right - left) * 0.6).max(0.0),
    );
    let response = ui.interact(place, Id::unique("table failures"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(hint);
    place.left() - 12.0
}

fn said(
    ui: &Ui,
    cx: &Cx<'_>,
    rect: Rect,
    (left, right): (f32, f32),
    table: &Table,
    wanted: &Wanted<'_>,
    line: &Said<'_>,
) {
    let painter = ui.painter();
    let middle = rect.center().y;
    let captions = match (&cx.state.table.said, &line.hits) {
        (Some(said), _) => vec![said.clone()],
        (None, Some(hits)) => hits.clone(),
        (None, None) => captions(cx, table, wanted, line.sort, line.on_screen),
    };
    let room = right - left - 8.0;
    let laid_out = |text: &String| {
        draw::fitted(
            painter,
            text,
            fonts::small_data(),
            cx.tokens.dim,
            f32::INFINITY,
        )
    };
    let fits = captions
        .iter()
        .map(laid_out)
        .find(|galley| galley.size().x <= room)
        .or_else(|| {
            let shortest = captions.last()?;
            (room > 60.0)
                .then(|| draw::fitted(painter, shortest, fonts::small_data(), cx.tokens.dim, room))
        });
    let Some((galley, full)) = fits.zip(captions.first()) else {
        return;
    };
    let place = draw::galley(painter, pos2(right, middle), Align2::RIGHT_CENTER, galley);
    let response = ui.interact(place, Id::unique("table caption"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, full));
    response.on_hover_ui(|ui| {
        ui.label(full);
        if let Some(counting) = counting(line.on_screen) {
            ui.weak(counting);
        }
    });
}
