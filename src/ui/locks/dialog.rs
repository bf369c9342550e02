//! The step that confirms unlocking: one button, and in production a name to be typed.

use egui::{Button, Context, Key, Label, RichText, TextEdit, Ui, vec2};

use super::super::commands::Action;
use super::super::context::Cx;
use super::super::state::{Dialog, Msg, WindowMsg};
use super::super::{dialogs, fonts};
use super::words;

/// Shows it over the window; `typed` is what stands in its field.
pub fn show(ctx: &Context, cx: &mut Cx<'_>, typed: &str) {
    dialogs::question(ctx, cx, "Allow changes for 10 minutes?", |ui, cx| {
        content(ui, cx, typed);
    });
}

fn content(ui: &mut Ui, cx: &mut Cx<'_>, typed: &str) {
    let name = words::name(cx.snapshot).unwrap_or_else(|| "the bus".to_owned());
    let text = format!(
        "Meanwhile committed offsets of groups on {name} can be moved from this window. Each change is shown before it is made, and kept in the journal. Then it is read-only again."
    );
    ui.add(Label::new(RichText::new(text).color(cx.tokens.dim)).wrap());
    ui.add_space(10.0);
    let wanted = words::typed(cx.snapshot);
    let mut entered = false;
    let mut has_field = false;
    if let Some(wanted) = &wanted {
        has_field = true;
        entered = field(ui, cx, wanted, typed);
        ui.add_space(10.0);
    }
    let is_typed = wanted.as_ref().is_none_or(|wanted| typed.trim() == wanted);
    let why_not = Action::Unlock
        .why_not(cx.situation())
        .or_else(|| (!is_typed).then_some("type the name first"));
    ui.horizontal(|ui| {
        let allow = ui
            .add_enabled(why_not.is_none(), Button::new("Allow changes"))
            .on_disabled_hover_text(why_not.unwrap_or_default());
        let cancel = ui.button("Cancel");
        if !has_field && ui.memory(|memory| memory.focused().is_none()) {
            if why_not.is_none() { &allow } else { &cancel }.request_focus();
        }
        if let Some(why_not) = why_not {
            ui.label(
                RichText::new(why_not)
                    .font(fonts::small())
                    .color(cx.tokens.dim),
            );
        }
        if why_not.is_none() && (allow.clicked() || entered) {
            cx.push(super::unlock());
            cx.push(Msg::Window(WindowMsg::Close));
        } else if cancel.clicked() {
            cx.push(Msg::Window(WindowMsg::Close));
        }
    });
}

/// The field for the name `wanted`; whether Enter was pressed in it.
fn field(ui: &mut Ui, cx: &mut Cx<'_>, wanted: &str, typed: &str) -> bool {
    let said = format!("This is production. Type {wanted} to confirm:");
    let label = ui.add(Label::new(RichText::new(said).color(cx.tokens.text)).wrap());
    let mut text = typed.to_owned();
    let edit = TextEdit::singleline(&mut text)
        .id(egui::Id::unique("unlock name"))
        .font(fonts::data())
        .margin(vec2(8.0, 6.0))
        .desired_width(f32::INFINITY);
    let response = ui
        .add(edit)
        .labelled_by(label.id)
        .accessible_name("Name to confirm");
    // Before the focus is asked for again: Enter gives it up.
    let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if ui.memory(|memory| memory.focused().is_none()) {
        response.request_focus();
    }
    if response.changed() {
        cx.push(Msg::Window(WindowMsg::Open(Dialog::Unlock(text))));
    }
    entered
}
