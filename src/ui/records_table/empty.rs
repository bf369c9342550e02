//! What stands in place of the rows where there are none.

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo};

use crate::engine::Table;

use super::super::context::Cx;
use super::super::state::Msg;
use super::super::{draw, fonts};
use super::Wanted;
use super::cache::TableCache;

/// Says why there are no rows.
pub(super) fn show(
    ui: &Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    shown: &Table,
    wanted: &Wanted<'_>,
    cache: &mut TableCache,
) {
    let (text, is_problem) = reason(cx, shown, wanted, cache);
    let color = if is_problem {
        cx.tokens.warning
    } else {
        cx.tokens.dim
    };
    let painter = ui.painter();
    let galley = painter.layout(text.clone(), fonts::text(), color, area.width() - 24.0);
    let place = draw::galley(painter, area.center(), Align2::CENTER_CENTER, galley);
    let response = ui.interact(place, Id::unique("table is empty"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(&text);
    cx.push(Msg::HoverTime(None));
}

/// Why there are no rows, and whether that is a problem.
fn reason(
    cx: &Cx<'_>,
    shown: &Table,
    wanted: &Wanted<'_>,
    cache: &mut TableCache,
) -> (String, bool) {
    if let Some(found) = &wanted.found {
        return (found.none.clone(), false);
    }
    let Some(request) = wanted.request else {
        let text = if cx.snapshot.inventory.topics.is_none() {
            "Reading topics…"
        } else {
            "No topic is shown"
        };
        return (text.to_owned(), false);
    };
    if let Some(problem) = shown.problems.first() {
        return (format!("Nothing was read: {problem}"), true);
    }
    let failed = shown
        .partitions
        .iter()
        .find_map(|row| Some((row, row.error.as_ref()?)));
    if let Some((row, problem)) = failed {
        let partition = row.partition.map(|id| format!("/{id}")).unwrap_or_default();
        let text = format!("Nothing was read: {}{partition}: {problem}", row.topic);
        return (text, true);
    }
    let is_empty = shown.up_to == Some(0) || (shown.at_start && shown.at_end);
    if !is_empty {
        return ("Nothing was read".to_owned(), false);
    }
    let deleted = cache.deleted(request, &cx.snapshot.inventory, &cx.snapshot.density);
    let text = match deleted.said(cx.zone) {
        Some(said) => said,
        None if cx.state.selection.is_some() => "There are no records in this span".to_owned(),
        None => "There are no records here".to_owned(),
    };
    (text, false)
}
