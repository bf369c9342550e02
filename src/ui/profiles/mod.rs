//! Named connections: the list of them, one that is being written, and connecting by name.
//!
//! | part | what it is |
//! |---|---|
//! | `form` | the dialog in which one is written, and the one that asks before it is forgotten |
//! | this file | the list on the welcome screen, and the way to connect |

mod form;

pub use form::{remove_dialog, show as profile_dialog};

use egui::{Align, Button, Label, Layout, RichText, Ui, vec2};

use crate::engine::{ConnectTarget, Connection};
use crate::model::{ConnectionSettings, Profile};

use super::context::Cx;
use super::state::{Dialog, Msg, ProfileForm, WindowMsg};
use super::tokens::size;
use super::{draw, fonts, glossary};

/// Height of a profile in the list.
const ROW: f32 = 40.0;

/// Draws the named connections `width` wide: nothing when there are none, or why they cannot be read.
pub fn list(ui: &mut Ui, cx: &mut Cx<'_>, width: f32) {
    let access = std::sync::Arc::clone(&cx.snapshot.access);
    match &access.profiles {
        Ok(profiles) if profiles.is_empty() => {}
        Ok(profiles) => {
            heading(ui, cx);
            for profile in profiles {
                row(ui, cx, profile, width);
            }
            ui.add_space(16.0);
        }
        Err(problem) => {
            heading(ui, cx);
            let text = format!("Profiles cannot be read: {problem}");
            ui.add(Label::new(RichText::new(text).color(cx.tokens.warning)).wrap());
            ui.add_space(16.0);
        }
    }
}

fn heading(ui: &mut Ui, cx: &Cx<'_>) {
    let text = RichText::new("PROFILES")
        .font(fonts::small())
        .color(cx.tokens.faint);
    ui.label(text)
        .on_hover_text(glossary::hint("profile").unwrap_or_default());
    ui.add_space(2.0);
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, profile: &Profile, width: f32) {
    let name = &profile.name;
    ui.allocate_ui_with_layout(
        vec2(width, ROW),
        Layout::right_to_left(Align::Center),
        |ui| {
            let remove = ui
                .button("Remove…")
                .accessible_name(format!("Remove {name}…"));
            if remove.clicked() {
                cx.push(open(Dialog::RemoveProfile(name.clone())));
            }
            let edit = ui.button("Edit…").accessible_name(format!("Edit {name}…"));
            if edit.clicked() {
                cx.push(open(Dialog::Profile(Box::new(ProfileForm::of(profile)))));
            }
            let connect = ui
                .add(Button::new("Connect"))
                .accessible_name(format!("Connect to {name}"));
            if connect.clicked() {
                let message = self::connect(cx, profile);
                cx.push(message);
            }
            ui.with_layout(Layout::top_down(Align::Min), |ui| facts(ui, cx, profile));
        },
    );
}

/// Name and locks of `profile`, and below them its addresses.
fn facts(ui: &mut Ui, cx: &Cx<'_>, profile: &Profile) {
    let room = ui.available_width();
    ui.spacing_mut().item_spacing.y = 1.0;
    ui.add_space(3.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = size::TEXT + 4.0;
        ui.spacing_mut().item_spacing.x = 6.0;
        let painter = ui.painter();
        let color = cx.tokens.text;
        let name = draw::fitted(painter, &profile.name, fonts::strong(), color, room * 0.55);
        ui.label(name);
        let mut word = |word: &str, color| {
            let text = RichText::new(word).font(fonts::small()).color(color);
            ui.label(text)
                .on_hover_text(glossary::hint(word).unwrap_or_default());
        };
        if profile.production {
            word("production", cx.tokens.error);
        }
        if profile.read_only {
            word("read-only", cx.tokens.warning);
        }
    });
    let font = fonts::small_data();
    let addresses = draw::fitted(ui.painter(), &profile.bootstrap, font, cx.tokens.dim, room);
    ui.label(addresses).on_hover_text(&profile.bootstrap);
}

fn open(dialog: Dialog) -> Msg {
    Msg::Window(WindowMsg::Open(dialog))
}

/// Connects with `profile`. Settings that were written on the welcome screen go with it while that is what is
/// on screen; another bus is never given what was written for the present one.
pub fn connect(cx: &Cx<'_>, profile: &Profile) -> Msg {
    let text = &cx.window.config_text.0;
    let is_connected = matches!(cx.snapshot.connection, Connection::Connected { .. });
    let has_text = !is_connected && !text.trim().is_empty();
    Msg::Connect(ConnectTarget::Bus(ConnectionSettings {
        bootstrap: profile.bootstrap.clone(),
        config_text: has_text.then(|| text.clone()),
        properties: profile.properties.clone(),
        profile: Some(profile.name.clone()),
        ..ConnectionSettings::default()
    }))
}

/// The profile named `name`, when profiles are known.
pub fn find<'a>(cx: &Cx<'a>, name: &str) -> Option<&'a Profile> {
    let profiles = cx.snapshot.access.profiles.as_ref().ok()?;
    profiles.iter().find(|profile| profile.name == name)
}
