//! The plan for the chosen group: where its bookmarks would go, what that means, what must hold before it may be
//! applied, and what became of it.
//!
//! | part | what it is |
//! |---|---|
//! | `model` | the lines of the table, made anew only when the plan changes. Pure |
//! | `words` | what rows, totals, guards and results say. Pure |
//! | `ready` | why the plan cannot be applied yet. Pure |
//! | `targets`, `table`, `foot` | drawing: the choices and their field; the rows; totals and ways to take them along |
//! | `side`, `confirm`, `run` | drawing: the guards; what has to be confirmed, and the buttons; what is being done |
//!
//! A plan may have thousands of rows: only those on screen are put into words.

mod confirm;
mod foot;
mod model;
mod ready;
mod run;
mod side;
mod table;
mod targets;
mod words;

pub use confirm::wait_dialog;
pub use model::RewindPanel;

use std::sync::Arc;

use egui::{Align2, Id, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::engine::{RewindView, Run};
use crate::rewind::plan::Plan;

use super::context::Cx;
use super::state::rewind::TargetKind;
use super::{draw, fonts, format};

/// Height of the choices with their field.
const HEAD: f32 = 66.0;
/// Below this width the choices take a second line.
const NARROW: f32 = 700.0;
/// Height of a line of choices.
const CHOICES: f32 = 26.0;
/// Height of the totals.
const FOOT: f32 = 66.0;
/// Room around what stands in a part.
const SIDE: f32 = 10.0;

/// Draws the plan in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, panel: &mut RewindPanel) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    ui.painter().rect_filled(area, 0, cx.tokens.window);
    if cx.state.group.is_none() {
        let text = "Choose a group in the list at the left, or drag a group's flag on the timeline";
        say(ui, cx, area, text, false);
        return;
    }
    let view = Arc::clone(&cx.snapshot.rewind);
    let side_width = (area.width() * 0.28).clamp(290.0, 430.0).round();
    let (left, right) = area.split_left_right_at_x(area.right() - side_width);
    let more = if left.width() < NARROW { CHOICES } else { 0.0 };
    let head = Rect::from_min_size(left.min, vec2(left.width(), HEAD + more));
    let foot = Rect::from_min_max(pos2(left.left(), left.bottom() - FOOT), left.max);
    let body = Rect::from_min_max(pos2(left.left(), head.bottom()), foot.right_top());
    part(ui, head.shrink2(vec2(SIDE, 4.0)), "rewind head", |ui| {
        targets::show(ui, cx);
    });
    let plan = answered(cx, &view);
    // While another plan is worked out the rows keep their place, quietly.
    let shown = plan.or_else(|| before(cx, &view));
    match shown {
        Some(Ok(plan)) => {
            panel.update(plan, cx.state);
            table::show(ui, cx, body, plan, panel);
            foot::show(ui, cx, foot, plan, panel);
        }
        Some(Err(problem)) => {
            let text = format!("The plan cannot be made: {problem}");
            say(ui, cx, body, &text, true);
        }
        None => {
            say(ui, cx, body, empty(cx), false);
        }
    }
    if plan.is_none() && shown.is_some() {
        let veiled = Rect::from_min_max(body.min, foot.max);
        ui.painter()
            .rect_filled(veiled, 0, cx.tokens.window.gamma_multiply(0.4));
    }
    if cx.state.rewind.request.is_some() && (plan.is_none() || view.counting) {
        let line = Rect::from_min_size(body.min, vec2(body.width(), 2.0));
        draw::progress(ui.painter(), cx.tokens, line, None);
    }
    ui.painter().rect_filled(right, 0, cx.tokens.panel);
    ui.painter()
        .vline(right.left() + 0.5, right.y_range(), cx.tokens.hairline());
    let inner = right.shrink2(vec2(SIDE + 2.0, 8.0));
    part(ui, inner, "rewind side", |ui| {
        if is_of_other(cx) {
            run::other(ui, cx);
        } else if view.run == Run::Idle {
            side::show(ui, cx, &view, plan.and_then(|plan| plan.as_ref().ok()));
        } else {
            egui::ScrollArea::vertical()
                .auto_shrink([false, false])
                .show(ui, |ui| run::show(ui, cx, &view));
        }
    });
}

/// The plan at hand, once it is the one that was asked for.
fn answered<'v>(cx: &Cx<'_>, view: &'v RewindView) -> Option<&'v crate::model::Known<Arc<Plan>>> {
    let answers = cx.state.rewind.is_answered_by(view.plan_number);
    view.plan.as_ref().filter(|_| answers)
}

/// The plan before, while the one that was asked for is being worked out.
fn before<'v>(cx: &Cx<'_>, view: &'v RewindView) -> Option<&'v crate::model::Known<Arc<Plan>>> {
    let is_asked = cx.state.rewind.request.is_some();
    view.plan.as_ref().filter(|plan| {
        let of_group = plan
            .as_ref()
            .is_ok_and(|plan| plan.new_group || Some(&plan.group) == cx.state.group.as_ref());
        is_asked && of_group
    })
}

/// Whether what is being done is of another group.
fn is_of_other(cx: &Cx<'_>) -> bool {
    let is_busy = matches!(cx.snapshot.rewind.run, Run::Waiting { .. } | Run::Applying);
    is_busy && cx.state.rewind.applied.is_some() && cx.state.rewind.applied != cx.state.group
}

/// What to do while nothing is planned.
fn empty(cx: &Cx<'_>) -> &'static str {
    if cx.state.rewind.request.is_some() {
        return "Working out what would run again…";
    }
    match cx.state.rewind.draft.kind {
        TargetKind::Time => {
            "Type a time above, or drag the group's flag on the timeline. Nothing is written until you apply it"
        }
        TargetKind::Offset => "Type the offset to which every partition goes",
        TargetKind::Shift => "Type how many records to go back (−500) or on (+500)",
        TargetKind::Group => "Choose the group whose places are taken",
        TargetKind::Fresh => {
            "Type the name of a group that does not exist yet: it begins where this one stands"
        }
        TargetKind::File => "Paste the rows of a CSV file: topic, partition, offset",
        _ => "Nothing is planned",
    }
}

/// A part of the panel with a layout of its own.
fn part(ui: &mut Ui, rect: Rect, name: &str, content: impl FnOnce(&mut Ui)) {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    child.set_clip_rect(rect.expand(3.0).intersect(ui.clip_rect()));
    content(&mut child);
}

fn say(ui: &Ui, cx: &Cx<'_>, area: Rect, said: &str, is_problem: bool) {
    let color = if is_problem {
        cx.tokens.warning
    } else {
        cx.tokens.dim
    };
    let galley = ui
        .painter()
        .layout(said.to_owned(), fonts::text(), color, area.width() - 40.0);
    let rect = Align2::CENTER_CENTER.anchor_size(area.center(), galley.size());
    ui.painter().galley(rect.min, galley, color);
    let response = ui.interact(rect, Id::unique("rewind said"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said));
}

/// The title of the tab: with the group's name when one is chosen.
pub fn tab_title(cx: &Cx<'_>) -> String {
    cx.state.group.as_ref().map_or_else(
        || "Rewind".to_owned(),
        |name| format!("Rewind {}", format::group_name(name, 40)),
    )
}
