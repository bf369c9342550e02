//! The bar at the top: which bus and its menu, its locks, the range of time on screen, and following.

use std::sync::Arc;

use egui::containers::menu::MenuButton;
use egui::{Align, Button, Layout, RichText, Ui};

use crate::engine::Connection;
use crate::model::time::format_zone;
use crate::model::{Offset, TimestampMs};

use super::commands::{self, Action};
use super::context::Cx;
use super::state::{AxisKind, Msg, ViewRange, WindowMsg};
use super::{draw, fonts, format, locks, profiles};

/// Room around a button's text, and to the next one.
const AROUND: f32 = 26.0;
/// A bus's name is not cut below this width.
const LEAST_NAME: f32 = 120.0;

/// What stands in the bar if there is room, the first to give way first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Disconnect,
    Commands,
    Ways,
    Axis,
}

/// Draws the bar.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, range: Option<ViewRange>) {
    let name = locks::name(cx.snapshot).unwrap_or_else(|| "Tideline".to_owned());
    let is_connected = cx.situation().is_connected;
    let parts = parts(ui, cx, range, &name);
    ui.horizontal_centered(|ui| {
        ui.add_space(4.0);
        if is_connected && parts.contains(&Part::Ways) {
            ui.spacing_mut().item_spacing.x = 4.0;
            way(ui, cx, "←", Action::Back);
            way(ui, cx, "→", Action::Forward);
            ui.spacing_mut().item_spacing.x = 8.0;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            right_side(ui, cx, range, &parts, is_connected);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                left_side(ui, cx, &name);
            });
        });
    });
}

fn left_side(ui: &mut Ui, cx: &mut Cx<'_>, name: &str) {
    let room = (ui.available_width() - locks_width(ui, cx)).max(24.0);
    let galley = draw::fitted(ui.painter(), name, fonts::strong(), cx.tokens.text, room);
    if cx.situation().is_connected {
        bus_menu(ui, cx, galley, name);
    } else {
        ui.label(galley);
    }
    if matches!(
        cx.snapshot.connection,
        Connection::Connected { demo: true, .. }
    ) {
        draw::badge(
            ui,
            "demo",
            cx.tokens.accent,
            "An embedded bus with made-up data; it ends with this window",
        );
    }
    locks::show(ui, cx);
}

/// The bus's name, and what can be done with the connection: keep it under a name, allow changes, go to another.
fn bus_menu(ui: &mut Ui, cx: &mut Cx<'_>, galley: Arc<egui::Galley>, name: &str) {
    let button = Button::new(galley).frame_when_inactive(false);
    let (response, _) = MenuButton::from_button(button).ui(ui, |ui| {
        for action in [
            Action::Unlock,
            Action::Lock,
            Action::SaveProfile,
            Action::Disconnect,
        ] {
            menu_item(ui, cx, action);
        }
        others(ui, cx);
    });
    let address = match &cx.snapshot.connection {
        Connection::Connected { to, .. } => to,
        _ => "",
    };
    response
        .accessible_name(name)
        .on_hover_text(format!("{name}, reached at {address}: click for its menu"));
}

/// Ways to other buses that have a profile; the palette has those for which there is no room here.
fn others(ui: &mut Ui, cx: &mut Cx<'_>) {
    const MOST: usize = 12;
    let access = Arc::clone(&cx.snapshot.access);
    let present = access.profile.as_ref().map(ToString::to_string);
    let profiles = access.profiles.as_deref().unwrap_or_default();
    let others = profiles
        .iter()
        .filter(|profile| Some(&profile.name) != present.as_ref());
    for (index, profile) in others.take(MOST).enumerate() {
        if index == 0 {
            ui.separator();
        }
        if ui.button(format!("Connect to {}", profile.name)).clicked() {
            let message = profiles::connect(cx, profile);
            cx.push(message);
            ui.close();
        }
    }
}

fn right_side(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    range: Option<ViewRange>,
    parts: &[Part],
    is_connected: bool,
) {
    let overflow = [
        (Part::Ways, Action::Back),
        (Part::Ways, Action::Forward),
        (Part::Axis, Action::Axis),
        (Part::Commands, Action::Commands),
        (Part::Disconnect, Action::Disconnect),
    ];
    let hidden: Vec<Action> = overflow
        .into_iter()
        .filter(|(part, action)| {
            !parts.contains(part) && (is_connected || *action == Action::Commands)
        })
        .map(|(_, action)| action)
        .collect();
    if !hidden.is_empty() {
        ui.menu_button("More", |ui| {
            for action in hidden {
                menu_item(ui, cx, action);
            }
        });
    }
    if is_connected && parts.contains(&Part::Disconnect) {
        let button = ui.button("Disconnect");
        if button
            .on_hover_text("Leave this bus and choose another")
            .clicked()
        {
            cx.push(Msg::Disconnect);
        }
    }
    if parts.contains(&Part::Commands) {
        let text = RichText::new(commands_key(ui)).color(cx.tokens.dim);
        let button = ui
            .button(text)
            .on_hover_text("All commands, to search and run")
            .accessible_name("All commands");
        if button.clicked() {
            act(cx, Action::Commands);
        }
    }
    if let Some(range) = range {
        live_or_resume(ui, cx);
        if parts.contains(&Part::Axis) {
            axis(ui, cx);
        }
        time(ui, cx, range);
    }
}

/// What the x axis shows, to be switched.
fn axis(ui: &mut Ui, cx: &mut Cx<'_>) {
    let text = RichText::new(axis_word(cx.state.axis)).color(cx.tokens.dim);
    let hint = format!(
        "{}\nClick for the next: time, offset from the end, offset",
        axis_meaning(cx.state.axis)
    );
    let button = ui
        .button(text)
        .on_hover_text(hint)
        .accessible_name("Switch the axis");
    if button.clicked() {
        act(cx, Action::Axis);
    }
}

fn axis_word(axis: AxisKind) -> &'static str {
    match axis {
        AxisKind::Time => "x: time",
        AxisKind::FromEnd => "x: from the end",
        AxisKind::Offset => "x: offset",
    }
}

fn axis_meaning(axis: AxisKind) -> &'static str {
    match axis {
        AxisKind::Time => "Records lie at the time that they carry",
        AxisKind::FromEnd => {
            "Records lie at their offset, counted back from the end of their partition, so that what is unread is a length"
        }
        AxisKind::Offset => "Records lie at their offset, whatever the partition",
    }
}

/// Whether new data is shown, or how to show it again.
fn live_or_resume(ui: &mut Ui, cx: &mut Cx<'_>) {
    let live = live(cx);
    match &live {
        Live::Follows => draw::badge(
            ui,
            live.word(),
            cx.tokens.good,
            "All of the data is shown, and new data as it comes; zoom or pan to stay at a place",
        ),
        Live::Lost(why) => draw::badge(ui, live.word(), cx.tokens.warning, why),
        Live::Stays => {
            let text = RichText::new(live.word()).color(cx.tokens.accent);
            let hint = "Show all of the data and follow what comes (double-click on the timeline)";
            if ui.add(Button::new(text)).on_hover_text(hint).clicked() {
                cx.push(Msg::Follow);
            }
        }
    }
}

/// The zone, and what is on screen.
fn time(ui: &mut Ui, cx: &mut Cx<'_>, range: ViewRange) {
    let zone = format_zone(range.to(), cx.zone);
    let utc = cx.window.remembered.utc;
    let hint = if utc {
        "The zone of every time shown; click for the system's own"
    } else {
        "The zone of every time shown; click for UTC"
    };
    let text = RichText::new(&zone).color(cx.tokens.dim);
    if ui.button(text).on_hover_text(hint).clicked() {
        cx.push(Msg::Window(WindowMsg::Utc(!utc)));
    }
    let text = on_screen(cx, range);
    // The bus and its locks stay, however narrow the window is.
    let room = ui.available_width() - locks_width(ui, cx) - 72.0;
    let text = draw::fitted(ui.painter(), &text, fonts::data(), cx.tokens.text, room);
    ui.label(text);
}

/// The range on screen, in the unit of the axis; `range` is that of time.
fn on_screen(cx: &Cx<'_>, range: ViewRange) -> String {
    match (cx.state.axis, cx.state.offset_view) {
        (AxisKind::Time, _) => format::range(range.from(), range.to(), cx.zone),
        (AxisKind::FromEnd, None) => "offsets from the end".to_owned(),
        (_, None) => "offsets".to_owned(),
        (axis, Some(view)) => {
            let offset = |at: TimestampMs| format::offset(Offset(at.0));
            let of = if axis == AxisKind::FromEnd {
                " from the end"
            } else {
                ""
            };
            format!(
                "offsets {} – {}{of}",
                offset(view.from()),
                offset(view.to())
            )
        }
    }
}

/// The width of a button or badge that says `text`.
fn width(ui: &Ui, cx: &Cx<'_>, text: &str) -> f32 {
    let (font, color) = (fonts::text(), cx.tokens.text);
    let galley = draw::fitted(ui.painter(), text, font, color, f32::INFINITY);
    galley.size().x + AROUND
}

/// The width of the badges that say what may be done with the bus.
fn locks_width(ui: &Ui, cx: &Cx<'_>) -> f32 {
    let is_demo = matches!(
        cx.snapshot.connection,
        Connection::Connected { demo: true, .. }
    );
    let demo = is_demo.then(|| "demo".to_owned());
    let texts = locks::texts(cx).into_iter().chain(demo);
    texts.map(|text| width(ui, cx, &text)).sum()
}

/// Whether new data is shown as it comes.
enum Live {
    Follows,
    /// It would be, but nothing is read.
    Lost(String),
    /// The view stays where it is.
    Stays,
}

impl Live {
    fn word(&self) -> &'static str {
        match self {
            Self::Follows => "live",
            Self::Lost(_) => "not live",
            Self::Stays => "Resume live",
        }
    }
}

fn live(cx: &Cx<'_>) -> Live {
    if !cx.state.follows() {
        return Live::Stays;
    }
    let inventory = &cx.snapshot.inventory;
    let lost = match (&cx.snapshot.connection, &inventory.topics) {
        (
            Connection::Connected {
                degraded: Some(problem),
                ..
            },
            _,
        )
        | (_, Some(Err(problem))) => Some(problem.to_string()),
        _ if inventory.read_at.is_none() => Some("nothing was read yet".to_owned()),
        _ => None,
    };
    lost.map_or(Live::Follows, |why| {
        Live::Lost(format!("No new data is shown: {why}"))
    })
}

fn way(ui: &mut Ui, cx: &mut Cx<'_>, arrow: &str, action: Action) {
    let why_not = action.why_not(cx.situation());
    let key = action
        .keys()
        .first()
        .map(|key| commands::shown(ui.ctx(), *key));
    let name = action.name();
    let response = ui
        .add_enabled(why_not.is_none(), Button::new(arrow))
        .on_hover_text(format!("{name} ({})", key.unwrap_or_default()))
        .on_disabled_hover_text(format!("{name}: {}", why_not.unwrap_or_default()))
        .accessible_name(name);
    if response.clicked() {
        act(cx, action);
    }
}

fn menu_item(ui: &mut Ui, cx: &mut Cx<'_>, action: Action) {
    let why_not = action.why_not(cx.situation());
    let mut button = Button::new(action.name());
    if let Some(key) = action.keys().first() {
        button = button.shortcut_text(commands::shown(ui.ctx(), *key));
    }
    let response = ui
        .add_enabled(why_not.is_none(), button)
        .on_disabled_hover_text(why_not.unwrap_or_default());
    if response.clicked() {
        act(cx, action);
        ui.close();
    }
}

fn act(cx: &mut Cx<'_>, action: Action) {
    let message = action.message(cx.situation());
    cx.push(message);
}

fn commands_key(ui: &Ui) -> String {
    Action::Commands
        .keys()
        .first()
        .map(|key| commands::shown(ui.ctx(), *key))
        .unwrap_or_default()
}

/// Which parts there is room for, besides what must be there.
fn parts(ui: &Ui, cx: &Cx<'_>, range: Option<ViewRange>, name: &str) -> Vec<Part> {
    let width = |text: &str| width(ui, cx, text);
    let mut needed = width(name).min(LEAST_NAME) + 24.0;
    if let Some(range) = range {
        let text = on_screen(cx, range);
        let text = draw::fitted(
            ui.painter(),
            &text,
            fonts::data(),
            cx.tokens.text,
            f32::INFINITY,
        );
        needed += text.size().x
            + 16.0
            + width(&format_zone(range.to(), cx.zone))
            + width(live(cx).word())
            + locks_width(ui, cx);
    }
    let all = [
        (
            Part::Disconnect,
            if range.is_some() {
                width("Disconnect")
            } else {
                0.0
            },
        ),
        (Part::Commands, width(&commands_key(ui))),
        (
            Part::Ways,
            if range.is_some() {
                2.0 * width("←")
            } else {
                0.0
            },
        ),
        (
            Part::Axis,
            if range.is_some() {
                width(axis_word(cx.state.axis))
            } else {
                0.0
            },
        ),
    ];
    let room = ui.available_width();
    let fits = |parts: &[(Part, f32)]| {
        let more = if parts.len() < all.len() {
            width("More")
        } else {
            0.0
        };
        needed + more + parts.iter().map(|(_, width)| width).sum::<f32>() <= room
    };
    let dropped = (0..all.len()).find(|dropped| all.get(*dropped..).is_some_and(fits));
    all.iter()
        .skip(dropped.unwrap_or(all.len()))
        .map(|(part, _)| *part)
        .collect()
}
