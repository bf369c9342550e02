//! What must hold before the plan may be applied, at the right.

use std::sync::Arc;

use egui::{
    Align, Color32, Frame, Label, Layout, Panel, Response, RichText, Role, ScrollArea, Sense, Ui,
    WidgetInfo, vec2,
};

use crate::engine::RewindView;
use crate::rewind::guard::{Guard, GuardKind, Outcome};
use crate::rewind::plan::Plan;

use super::super::context::Cx;
use super::super::fonts;
use super::super::tokens::Tokens;
use super::ready::Ready;
use super::{confirm, words};

/// How many members are named.
const NAMED: usize = 6;

/// Draws the guards, what is to be confirmed, and the buttons.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, view: &RewindView, plan: Option<&Arc<Plan>>) {
    ui.spacing_mut().item_spacing = vec2(6.0, 5.0);
    heading(ui, cx, "Before it may be applied");
    let policy = cx.snapshot.access.policy.as_ref();
    let ready = Ready {
        state: &cx.state.rewind,
        view,
        plan,
        production: policy.is_some_and(|policy| policy.production),
    };
    // What is to be confirmed and the buttons keep their place at the foot.
    let foot = Panel::bottom("rewind confirm")
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::NONE)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 5.0);
            ui.add_space(4.0);
            confirm::show(ui, cx, &ready);
        });
    let height = foot.response.rect.height();
    let before = ui.data_mut(|data| {
        let known = data.get_temp_mut_or(ui.scope_id().with("foot"), height);
        std::mem::replace(known, height)
    });
    // The foot is as high as it was in the frame before.
    if (before - height).abs() > 0.5 {
        ui.request_repaint();
    }
    ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            if plan.is_none() {
                let text = "Eight things are looked at as soon as there is a plan: that the group exists, can be moved this way, has no members, and more";
                dim(ui, cx, text);
                return;
            }
            for guard in &view.guards {
                show_guard(ui, cx, view, guard);
            }
        });
}

/// A heading of a part.
pub fn heading(ui: &mut Ui, cx: &Cx<'_>, text: &str) {
    ui.label(
        RichText::new(text)
            .font(fonts::strong())
            .color(cx.tokens.text),
    );
}

/// Something of lesser weight.
pub fn dim(ui: &mut Ui, cx: &Cx<'_>, text: &str) -> Response {
    let text = RichText::new(text)
        .font(fonts::small())
        .color(cx.tokens.dim);
    ui.add(Label::new(text).wrap())
}

/// The same in one line; all of it for those who ask.
pub fn dim_line(ui: &mut Ui, cx: &Cx<'_>, text: &str) {
    let shown = RichText::new(text)
        .font(fonts::small())
        .color(cx.tokens.dim);
    ui.add(Label::new(shown).truncate()).on_hover_text(text);
}

/// The colour of an outcome.
fn color(tokens: &Tokens, outcome: Outcome) -> Color32 {
    match outcome {
        Outcome::Passed => tokens.good,
        Outcome::Failed => tokens.error,
        Outcome::Confirm => tokens.warning,
        Outcome::Unknown => tokens.dim,
    }
}

fn show_guard(ui: &mut Ui, cx: &Cx<'_>, view: &RewindView, guard: &Guard) {
    let title = words::guard_title(guard.kind);
    ui.horizontal_top(|ui| {
        let sign = words::outcome_sign(guard.outcome);
        let sign = RichText::new(sign)
            .font(fonts::data())
            .color(color(cx.tokens, guard.outcome));
        ui.add_sized(vec2(14.0, 16.0), Label::new(sign));
        let title_of = |ui: &mut Ui| {
            let text = RichText::new(title)
                .font(fonts::text())
                .color(cx.tokens.text);
            let response = ui.add(Label::new(text).wrap().sense(Sense::hover()));
            response.widget_info(|| {
                let word = words::outcome_word(guard.outcome);
                let said = format!("{title}: {word}. {}", guard.detail);
                WidgetInfo::labeled(Role::Label, true, said)
            });
        };
        if guard.outcome == Outcome::Passed {
            // One line is enough for what holds; all of it for those who ask.
            title_of(ui);
            let text = RichText::new(&guard.detail)
                .font(fonts::small())
                .color(cx.tokens.dim);
            ui.add(Label::new(text).truncate())
                .on_hover_text(&guard.detail);
            return;
        }
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            title_of(ui);
            let said = dim(ui, cx, &guard.detail);
            if guard.kind == GuardKind::NoMembers && !view.members.is_empty() {
                let names: Vec<String> = view.members.iter().map(words::member).collect();
                said.on_hover_text(names.join("\n"));
            }
        });
    });
}

/// Who is in the group, by client id and host.
pub fn members(ui: &mut Ui, cx: &Cx<'_>, view: &RewindView) {
    for member in view.members.iter().take(NAMED) {
        let text = RichText::new(words::member(member))
            .font(fonts::small_data())
            .color(cx.tokens.dim);
        ui.add(Label::new(text).wrap());
    }
    if let Some(more) = view
        .members
        .len()
        .checked_sub(NAMED)
        .filter(|more| *more > 0)
    {
        let names: Vec<String> = view.members.iter().skip(NAMED).map(words::member).collect();
        let text = RichText::new(format!("and {more} more"))
            .font(fonts::small())
            .color(cx.tokens.dim);
        ui.label(text).on_hover_text(names.join("\n"));
    }
}
