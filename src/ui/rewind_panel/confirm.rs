//! What a person confirms, and the two ways to apply the plan, each with the reason when it cannot be used.

use egui::{Button, Checkbox, Context, Label, RichText, TextEdit, Ui, vec2};

use crate::rewind::guard::{GuardKind, Outcome};

use super::super::context::Cx;
use super::super::state::rewind::WaitLimit;
use super::super::state::{Dialog, Msg, RewindMsg, WindowMsg};
use super::super::{dialogs, fonts, format};
use super::ready::Ready;
use super::side::{dim, dim_line};
use super::words;

/// Draws them below the guards.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, ready: &Ready<'_>) {
    let group = cx.state.group.clone().unwrap_or_else(|| "".into());
    let name = group.lossy().into_owned();
    let mut asks_name = false;
    if ready.plan.is_some() {
        for guard in &ready.view.guards {
            let (Outcome::Confirm, Some(word)) = (guard.outcome, &guard.confirm_with) else {
                continue;
            };
            if *word == name {
                asks_name = true;
                continue;
            }
            let mut is_confirmed = ready.state.confirmed.contains(word);
            let label = format!("I know: {}", confirmation(guard.kind));
            let text = RichText::new(label)
                .font(fonts::text())
                .color(cx.tokens.text);
            if ui.add(Checkbox::new(&mut is_confirmed, text)).changed() {
                cx.push(Msg::Rewind(RewindMsg::Confirm(word.clone(), is_confirmed)));
            }
        }
    }
    if asks_name {
        let label = format!("Type {} to confirm", format::group_name(&group, 60));
        let mut text = ready.state.name.clone();
        if field(ui, cx, &label, &mut text, 1) {
            cx.push(Msg::Rewind(RewindMsg::Name(text)));
        }
    }
    if ready.wants_words() {
        let label = "What will happen twice, in your own words; the journal keeps them";
        let mut text = ready.state.words.clone();
        if field(ui, cx, label, &mut text, 2) {
            cx.push(Msg::Rewind(RewindMsg::Words(text)));
        }
    }
    buttons(ui, cx, ready);
}

/// What is known when a guard is confirmed.
fn confirmation(kind: GuardKind) -> &'static str {
    match kind {
        GuardKind::NoHiddenReader => "nobody else reads and commits for this group",
        GuardKind::Retention => "some records may be deleted before they are read",
        GuardKind::Kind => "it is no Connect group",
        kind => words::guard_title(kind),
    }
}

fn field(ui: &mut Ui, cx: &Cx<'_>, name: &str, text: &mut String, rows: usize) -> bool {
    let said = RichText::new(name)
        .font(fonts::small())
        .color(cx.tokens.text);
    let label = ui.add(Label::new(said).wrap());
    let edit = if rows > 1 {
        TextEdit::multiline(text)
    } else {
        TextEdit::singleline(text)
    };
    let edit = edit
        .id(egui::Id::unique(("rewind confirm", rows)))
        .font(fonts::data())
        .margin(vec2(8.0, 4.0))
        .desired_rows(rows)
        .desired_width(f32::INFINITY);
    ui.add(edit)
        .labelled_by(label.id)
        .accessible_name(name)
        .changed()
}

fn buttons(ui: &mut Ui, cx: &mut Cx<'_>, ready: &Ready<'_>) {
    let (now, wait) = (ready.why_not_now(), ready.why_not_wait());
    ui.horizontal_wrapped(|ui| {
        let strong = |text: &str, on: bool| {
            let text = RichText::new(text).font(fonts::text());
            let button = Button::new(text).min_size(vec2(0.0, 28.0));
            if on { button.selected(true) } else { button }
        };
        let is_first = now.is_some() && wait.is_none();
        let later = ui.add_enabled(
            wait.is_none(),
            strong("Apply as soon as it is empty…", is_first),
        );
        if later.clicked() {
            cx.push(Msg::Window(WindowMsg::Open(Dialog::ApplyWhenEmpty)));
        }
        let at_once = ui.add_enabled(now.is_none(), strong("Apply now", now.is_none()));
        if at_once.clicked() {
            let request = ready.request(None);
            cx.push(Msg::Rewind(RewindMsg::Apply(request)));
        }
        if let Some(why) = &wait {
            later.on_disabled_hover_text(why);
        }
        if let Some(why) = &now {
            at_once.on_disabled_hover_text(why);
        }
    });
    match (&now, &wait) {
        (None, _) => {}
        (Some(now), Some(wait)) if now == wait => {
            dim(ui, cx, &format!("Not yet: {now}"));
        }
        (Some(now), wait) => {
            dim_line(ui, cx, &format!("Apply now: {now}"));
            if let Some(wait) = wait {
                dim_line(ui, cx, &format!("As soon as it is empty: {wait}"));
            }
        }
    }
    dim_line(ui, cx, "Present positions go to the journal first.");
}

/// The step that confirms waiting for the first moment without members.
pub fn wait_dialog(ctx: &Context, cx: &mut Cx<'_>) {
    dialogs::question(ctx, cx, "Apply as soon as it is empty?", |ui, cx| {
        let snapshot = cx.snapshot;
        let view = &snapshot.rewind;
        let is_answered = cx.state.rewind.is_answered_by(view.plan_number);
        let plan = match &view.plan {
            Some(Ok(plan)) if is_answered => Some(plan),
            _ => None,
        };
        let policy = snapshot.access.policy.as_ref();
        let ready = Ready {
            state: &cx.state.rewind,
            view,
            plan,
            production: policy.is_some_and(|policy| policy.production),
        };
        let name = cx
            .state
            .group
            .as_ref()
            .map_or_else(String::new, |name| format::group_name(name, 60));
        let text = format!(
            "The plan is applied in the first moment in which {name} has no members, whoever stops them. Until then its members may go on committing: rows are counted anew, and the journal keeps the positions read right before the write. You can cancel at any time."
        );
        ui.add(Label::new(RichText::new(text).color(cx.tokens.dim)).wrap());
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            ui.label(RichText::new("Wait at most").color(cx.tokens.text));
            for limit in WaitLimit::ALL {
                let is_chosen = cx.state.rewind.limit == limit;
                if ui.selectable_label(is_chosen, limit.name()).clicked() {
                    cx.push(Msg::Rewind(RewindMsg::Limit(limit)));
                }
            }
        });
        ui.add_space(8.0);
        let why_not = ready.why_not_wait();
        ui.horizontal(|ui| {
            let go = format!("Wait up to {}", cx.state.rewind.limit.name());
            let wait = ui
                .add_enabled(why_not.is_none(), Button::new(go))
                .on_disabled_hover_text(why_not.clone().unwrap_or_default());
            let cancel = ui.button("Cancel");
            if ui.memory(|memory| memory.focused().is_none()) {
                cancel.request_focus();
            }
            if let Some(why_not) = &why_not {
                dim(ui, cx, why_not);
            }
            if wait.clicked() {
                let request = ready.request(Some(cx.state.rewind.limit.ms()));
                cx.push(Msg::Rewind(RewindMsg::Apply(request)));
                cx.push(Msg::Window(WindowMsg::Close));
            } else if cancel.clicked() {
                cx.push(Msg::Window(WindowMsg::Close));
            }
        });
    });
}
