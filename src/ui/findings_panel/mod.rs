//! The findings: what is missing, to whom, why, and how sure that is; the ways to its place and to put it aside.
//!
//! | part | what it is |
//! |---|---|
//! | `model` | which findings are listed, made anew only when they or the filter change. Pure |
//! | `words` | what is said of a finding. Pure |
//! | `filters` | drawing: what is listed, and reading records for more |
//! | `list`, `detail` | drawing: the findings, the chosen one |

mod detail;
mod filters;
mod list;
mod model;
mod words;

pub use model::FindingsPanel;

use std::sync::Arc;

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo};

use crate::engine::FindingsView;

use super::context::Cx;
use super::{fonts, format};

/// Height of what stands above the list.
const HEAD: f32 = 34.0;

/// Draws the findings in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, panel: &mut FindingsPanel) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    ui.painter().rect_filled(area, 0, cx.tokens.window);
    let view = Arc::clone(&cx.snapshot.findings);
    panel.update(&view, &cx.state.findings.filter, cx.state.group.as_ref());
    let right_width = (area.width() * 0.5).clamp(300.0, 720.0).round();
    let (left, right) = area.split_left_right_at_x(area.right() - right_width);
    let (head, body) = left.split_top_bottom_at_y(left.top() + HEAD);
    filters::show(ui, cx, head, panel, &view);
    let Some(findings) = &view.findings else {
        say(ui, cx, area_below(area), "Looking for what is missing…");
        return;
    };
    let listed = panel.listed();
    if listed.is_empty() {
        let text = words::nothing(&view, &cx.state.findings.filter, cx.zone);
        say(ui, cx, area_below(area), &text);
        return;
    }
    let chosen = cx.state.findings.chosen.as_deref();
    let chosen = chosen.and_then(|id| panel.index(findings, id)).unwrap_or(0);
    list::show(ui, cx, body, findings, panel, chosen);
    let shown = listed.get(chosen).and_then(|index| findings.get(*index));
    if let Some(finding) = shown {
        detail::show(ui, cx, right, finding, panel, &view);
    }
}

fn area_below(area: Rect) -> Rect {
    Rect::from_min_max(egui::pos2(area.left(), area.top() + HEAD), area.max)
}

fn say(ui: &Ui, cx: &Cx<'_>, area: Rect, said: &str) {
    let color = cx.tokens.dim;
    let width = (area.width() - 40.0).min(620.0);
    let galley = ui
        .painter()
        .layout(said.to_owned(), fonts::text(), color, width);
    let rect = Align2::CENTER_CENTER.anchor_size(area.center(), galley.size());
    ui.painter().galley(rect.min, galley, color);
    let response = ui.interact(rect, Id::unique("findings said"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said));
}

/// The title of the tab, with how many things a person should look at.
pub fn tab_title(ui: &Ui, cx: &Cx<'_>) -> String {
    match to_look_at(ui, &cx.snapshot.findings) {
        None => "Gaps …".to_owned(),
        Some(0) => "Gaps".to_owned(),
        Some(count) => format!("Gaps, {}", format::count(count)),
    }
}

/// How many that is, counted once for each look; `None` before the first.
fn to_look_at(ui: &Ui, view: &Arc<FindingsView>) -> Option<u64> {
    view.findings.as_ref()?;
    let key = Id::unique("findings to look at");
    let known = ui.data(|data| data.get_temp::<(Arc<FindingsView>, u64)>(key));
    if let Some((_, count)) = known.filter(|(of, _)| Arc::ptr_eq(of, view)) {
        return Some(count);
    }
    let count = model::attention(view);
    ui.data_mut(|data| data.insert_temp(key, (Arc::clone(view), count)));
    Some(count)
}
