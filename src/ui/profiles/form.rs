//! The dialogs in which a profile is written or forgotten.

use egui::{Button, Context, Id, Label, Response, RichText, TextEdit, Ui, vec2};

use crate::engine::Command;
use crate::model::Profile;

use super::super::context::Cx;
use super::super::state::{Dialog, Msg, ProfileForm, Secret, WindowMsg};
use super::super::{dialogs, fonts};

/// Shows `form` over the window.
pub fn show(ctx: &Context, cx: &mut Cx<'_>, form: &ProfileForm) {
    let title = match &form.replaces {
        Some(name) => format!("Profile {name}"),
        None => "New profile".to_owned(),
    };
    dialogs::question(ctx, cx, &title, |ui, cx| content(ui, cx, form));
}

fn content(ui: &mut Ui, cx: &mut Cx<'_>, form: &ProfileForm) {
    let there: &[Profile] = cx.snapshot.access.profiles.as_deref().unwrap_or_default();
    let checked = form.profile(there);
    let problems = checked.as_ref().err().cloned().unwrap_or_default();
    let mut next = form.clone();
    let name = field(ui, cx, "Name", &mut next.name, "prod-eu");
    if ui.memory(|memory| memory.focused().is_none()) {
        name.request_focus();
    }
    wrong(ui, cx, problems.name.as_deref(), &form.name);
    field(
        ui,
        cx,
        "Addresses",
        &mut next.addresses,
        "kafka-1:9092, kafka-2:9092",
    );
    wrong(ui, cx, problems.addresses.as_deref(), &form.addresses);
    settings(ui, cx, &mut next.properties);
    wrong(ui, cx, problems.properties.as_deref(), &form.properties.0);
    links(ui, cx, &mut next.links);
    wrong(ui, cx, problems.links.as_deref(), &form.links.0);
    if !form.left_out.is_empty() {
        let names = form.left_out.join(", ");
        let text = format!("Left out, because they are secret: {names}");
        small(ui, &text, cx.tokens.warning);
    }
    ui.add_space(6.0);
    ui.checkbox(
        &mut next.read_only,
        "Read-only: nothing is changed until it is unlocked for a while",
    );
    ui.checkbox(
        &mut next.production,
        "Production: people depend on it, so changes are confirmed by name",
    );
    ui.add_space(10.0);
    let why_not = match (&cx.snapshot.access.profiles, &checked) {
        (Err(problem), _) => Some(format!("Profiles cannot be kept: {problem}")),
        (Ok(_), Err(problems)) => problems.first().map(str::to_owned),
        (Ok(_), Ok(_)) => None,
    };
    ui.horizontal_wrapped(|ui| {
        let save = ui
            .add_enabled(why_not.is_none(), Button::new("Save"))
            .on_disabled_hover_text(why_not.clone().unwrap_or_default());
        let cancel = ui.button("Cancel");
        if let Some(why_not) = &why_not {
            small(ui, why_not, cx.tokens.dim);
        }
        if let (true, Ok(profile)) = (save.clicked() && why_not.is_none(), checked) {
            keep(cx, form, profile);
        } else if cancel.clicked() {
            cx.push(Msg::Window(WindowMsg::Close));
        } else if next != *form {
            let dialog = Dialog::Profile(Box::new(next));
            cx.push(Msg::Window(WindowMsg::Open(dialog)));
        }
    });
}

/// Keeps `profile`, in place of the one that was edited.
fn keep(cx: &mut Cx<'_>, form: &ProfileForm, profile: Profile) {
    let replaced = form
        .replaces
        .clone()
        .filter(|replaced| *replaced != profile.name);
    cx.push(Msg::Window(WindowMsg::Saving(profile.clone())));
    cx.push(Msg::Engine(Box::new(Command::PutProfile(Box::new(
        profile,
    )))));
    if let Some(name) = replaced {
        cx.push(Msg::Engine(Box::new(Command::RemoveProfile(name))));
    }
    cx.push(Msg::Window(WindowMsg::Close));
}

fn field(ui: &mut Ui, cx: &Cx<'_>, name: &str, text: &mut String, hint: &str) -> Response {
    let label = ui.label(
        RichText::new(name)
            .font(fonts::small())
            .color(cx.tokens.dim),
    );
    let edit = TextEdit::singleline(text)
        .id(Id::unique(("profile field", name)))
        .hint_text(hint)
        .font(fonts::data())
        .margin(vec2(8.0, 5.0))
        .desired_width(f32::INFINITY);
    ui.add(edit).labelled_by(label.id).accessible_name(name)
}

fn settings(ui: &mut Ui, cx: &Cx<'_>, text: &mut Secret) {
    ui.label(
        RichText::new("Settings")
            .font(fonts::small())
            .color(cx.tokens.dim),
    );
    let edit = TextEdit::multiline(&mut text.0)
        .id(Id::unique("profile settings"))
        .hint_text("security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.username=…")
        .font(fonts::data())
        .margin(vec2(8.0, 5.0))
        .desired_rows(4)
        .desired_width(f32::INFINITY);
    ui.add(edit).accessible_name("Settings of the profile");
    small(
        ui,
        "One name=value a line, by librdkafka's or Java's names. Passwords and keys are never kept: they are written on the welcome screen when you connect",
        cx.tokens.faint,
    );
}

fn links(ui: &mut Ui, cx: &Cx<'_>, text: &mut Secret) {
    ui.label(
        RichText::new("Links to other tools")
            .font(fonts::small())
            .color(cx.tokens.dim),
    );
    let edit = TextEdit::multiline(&mut text.0)
        .id(Id::unique("profile links"))
        .hint_text("Traces=https://traces.example/trace/{trace_id}")
        .font(fonts::data())
        .margin(vec2(8.0, 5.0))
        .desired_rows(2)
        .desired_width(f32::INFINITY);
    ui.add(edit).accessible_name("Links of the profile");
    small(
        ui,
        "One name=address a line. A record fills the places: {trace_id}, {key}, {time}, {topic}, {partition}, {offset}, {header:NAME}, {field:.path}",
        cx.tokens.faint,
    );
}

/// What is wrong with a field, once something stands in it.
fn wrong(ui: &mut Ui, cx: &Cx<'_>, problem: Option<&str>, text: &str) {
    if let Some(problem) = problem.filter(|_| !text.trim().is_empty()) {
        small(ui, problem, cx.tokens.warning);
    }
}

fn small(ui: &mut Ui, text: &str, color: egui::Color32) {
    let text = RichText::new(text).font(fonts::small()).color(color);
    ui.add(Label::new(text).wrap());
}

/// Asks before the profile `name` is forgotten.
pub fn remove_dialog(ctx: &Context, cx: &mut Cx<'_>, name: &str) {
    dialogs::question(ctx, cx, &format!("Remove profile {name}?"), |ui, cx| {
        let text = "Its addresses and settings are forgotten, and its locks hold for its cluster no more. The journal stays.";
        ui.add(Label::new(RichText::new(text).color(cx.tokens.dim)).wrap());
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            let remove = ui.button("Remove");
            let cancel = ui.button("Cancel");
            if ui.memory(|memory| memory.focused().is_none()) {
                cancel.request_focus();
            }
            if remove.clicked() {
                let command = Command::RemoveProfile(name.to_owned());
                cx.push(Msg::Engine(Box::new(command)));
            }
            if remove.clicked() || cancel.clicked() {
                cx.push(Msg::Window(WindowMsg::Close));
            }
        });
    });
}
