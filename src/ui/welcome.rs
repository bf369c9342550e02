//! What there is to do while no bus is connected: the demo, an address, and what answers nearby.

use egui::{
    Align, Button, CollapsingHeader, Frame, Id, Key, Layout, Margin, Rect, RichText, ScrollArea,
    TextEdit, Ui, pos2, vec2,
};

use crate::engine::{ConnectTarget, Connection, DemoSize, SessionId};
use crate::model::link::ViewLink;
use crate::model::{ConnectionSettings, Problem, ProblemKind};

use super::context::Cx;
use super::state::{Dialog, Msg, ProfileForm, Secret, WindowMsg};
use super::tokens::{Tokens, size};
use super::{draw, fonts, links, profiles};

const WIDTH: f32 = 460.0;

/// Draws the screen in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let area = ui.available_rect_before_wrap();
    if matches!(cx.snapshot.connection, Connection::Connecting { .. }) {
        draw::progress(ui.painter(), cx.tokens, area, None);
    }
    ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.add_space((area.height() * 0.16).clamp(16.0, 160.0));
            ui.with_layout(Layout::top_down(Align::Center), |ui| {
                ui.allocate_ui_with_layout(vec2(WIDTH, 0.0), Layout::top_down(Align::Min), |ui| {
                    ui.set_width(WIDTH);
                    column(ui, cx);
                });
            });
        });
}

fn column(ui: &mut Ui, cx: &mut Cx<'_>) {
    let tokens = cx.tokens;
    emblem(ui, tokens);
    ui.add_space(14.0);
    ui.label(
        RichText::new("Tideline")
            .font(fonts::strong_of(28.0))
            .color(tokens.text),
    );
    ui.label(
        RichText::new("Topics, partitions and consumer groups on one time axis").color(tokens.dim),
    );
    ui.add_space(24.0);
    match cx.snapshot.connection.clone() {
        Connection::Connecting { to } => {
            connecting(ui, cx, &to);
            return;
        }
        Connection::Failed { to, problem } => {
            failure(ui, cx, &to, &problem);
            ui.add_space(20.0);
        }
        Connection::None | Connection::Connected { .. } => {}
    }
    link(ui, cx);
    profiles::list(ui, cx, WIDTH);
    address(ui, cx);
    nearby(ui, cx);
    demo(ui, cx);
}

/// What there is to say of the link that was opened.
fn link(ui: &mut Ui, cx: &Cx<'_>) {
    let Some(said) = &cx.window.link_said else {
        return;
    };
    let frame = Frame::new()
        .fill(cx.tokens.raised)
        .stroke(egui::Stroke::new(
            1.0,
            cx.tokens.warning.gamma_multiply(0.6),
        ))
        .corner_radius(size::RADIUS)
        .inner_margin(Margin::same(12));
    frame.show(ui, |ui| {
        ui.set_width(WIDTH - 26.0);
        ui.label(RichText::new(said).color(cx.tokens.text));
    });
    ui.add_space(20.0);
}

/// Two lanes with what is unread in them: the product in one line.
fn emblem(ui: &mut Ui, tokens: &Tokens) {
    const HEIGHTS: [u8; 13] = [5, 9, 13, 17, 20, 18, 14, 10, 7, 5, 6, 10, 7];
    let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, 52.0), egui::Sense::hover());
    let [first, second, ..] = tokens.hues;
    for (lane, hue, unread) in [(0_u8, first, 62_u8), (1, second, 96)] {
        let foot = rect.top() + 24.0 + 28.0 * f32::from(lane);
        for (height, bar) in HEIGHTS
            .iter()
            .cycle()
            .skip(usize::from(lane) * 4)
            .zip(0..115_u8)
        {
            let x = rect.left() + 4.0 * f32::from(bar);
            let color = if bar >= unread {
                hue
            } else {
                tokens.density_partition
            };
            let top = pos2(x, foot - f32::from(*height));
            ui.painter()
                .rect_filled(Rect::from_min_max(top, pos2(x + 3.0, foot)), 0, color);
        }
        let flag = Rect::from_min_size(
            pos2(rect.left() + 4.0 * f32::from(unread), foot - 24.0),
            vec2(2.0, 24.0),
        );
        ui.painter().rect_filled(flag, 0, hue);
        ui.painter()
            .rect_filled(Rect::from_min_size(flag.min, vec2(12.0, 9.0)), 2, hue);
    }
}

fn heading(ui: &mut Ui, cx: &Cx<'_>, text: &str) {
    ui.add_space(20.0);
    ui.label(
        RichText::new(text)
            .font(fonts::small())
            .color(cx.tokens.faint),
    );
    ui.add_space(2.0);
}

/// Where one arrives, and where an attempt has failed, the address is what is written next.
fn lead_to(ui: &Ui, cx: &Cx<'_>, field: Id) {
    let is_failed = matches!(cx.snapshot.connection, Connection::Failed { .. });
    let here = (cx.snapshot.session, is_failed);
    let key = Id::unique("welcome led to the address");
    let been = ui.data(|data| data.get_temp::<(SessionId, bool)>(key));
    if been != Some(here) {
        ui.data_mut(|data| data.insert_temp(key, here));
        ui.memory_mut(|memory| memory.request_focus(field));
    }
}

fn address(ui: &mut Ui, cx: &mut Cx<'_>) {
    let label = ui.label(
        RichText::new("YOUR KAFKA")
            .font(fonts::small())
            .color(cx.tokens.faint),
    );
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let mut text = cx.state.address.clone();
        let edit = TextEdit::singleline(&mut text)
            .id(Id::unique("address"))
            .hint_text("localhost:9092, or several separated by commas")
            .font(fonts::data())
            .margin(vec2(8.0, 6.0))
            .desired_width(WIDTH - 94.0);
        let response = ui
            .add(edit)
            .labelled_by(label.id)
            .accessible_name("Address");
        if response.changed() {
            cx.push(Msg::Address(text.clone()));
        }
        lead_to(ui, cx, response.id);
        let is_empty = text.trim().is_empty();
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let button = ui
            .add_enabled(!is_empty, Button::new("Connect").min_size(vec2(86.0, 30.0)))
            .on_disabled_hover_text("Write an address first");
        if !is_empty && (button.clicked() || entered) {
            if ViewLink::is_meant(&text) {
                links::begin(cx, &text);
            } else {
                let target = ConnectTarget::Bus(settings(cx, text.trim()));
                cx.push(Msg::Connect(target));
            }
        }
    });
    config(ui, cx);
    save_as_profile(ui, cx);
    ui.label(
        RichText::new("Looking leaves no trace: nothing on the bus is created or changed")
            .font(fonts::small())
            .color(cx.tokens.faint),
    );
}

/// Gives what stands in the fields a name.
fn save_as_profile(ui: &mut Ui, cx: &mut Cx<'_>) {
    let address = cx.state.address.trim().to_owned();
    let why_not = match &cx.snapshot.access.profiles {
        _ if address.is_empty() => Some("Write an address first".to_owned()),
        Err(problem) => Some(format!("Profiles cannot be kept: {problem}")),
        Ok(_) => None,
    };
    let text = RichText::new("Save as a profile…")
        .font(fonts::small())
        .color(cx.tokens.dim);
    let button = ui
        .add_enabled(why_not.is_none(), Button::new(text).small())
        .on_disabled_hover_text(why_not.unwrap_or_default());
    if button.clicked() {
        let settings = settings(cx, &address);
        let form = ProfileForm::for_connection(&address, Some(&settings), None);
        cx.push(Msg::Window(WindowMsg::Open(Dialog::Profile(Box::new(
            form,
        )))));
    }
}

/// What is needed to reach `address`, with the settings that were written down.
fn settings(cx: &Cx<'_>, address: &str) -> ConnectionSettings {
    let text = &cx.window.config_text.0;
    ConnectionSettings {
        config_text: (!text.trim().is_empty()).then(|| text.clone()),
        ..ConnectionSettings::to(address)
    }
}

/// Settings for a bus that wants more than an address: TLS, a user's name, a password.
fn config(ui: &mut Ui, cx: &mut Cx<'_>) {
    let has_text = !cx.window.config_text.0.trim().is_empty();
    let title = RichText::new("Settings for TLS, user and password…")
        .font(fonts::small())
        .color(cx.tokens.dim);
    CollapsingHeader::new(title)
        .id_salt("config")
        .default_open(has_text)
        .show_unindented(ui, |ui| {
            let mut text = cx.window.config_text.0.clone();
            let edit = TextEdit::multiline(&mut text)
                .id(Id::unique("config"))
                .hint_text("security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.username=…\nsasl.password=…")
                .font(fonts::data())
                .margin(vec2(8.0, 6.0))
                .desired_rows(5)
                .desired_width(WIDTH);
            if ui.add(edit).accessible_name("Settings").changed() {
                cx.push(Msg::Window(WindowMsg::ConfigText(Secret(text))));
            }
            ui.label(
                RichText::new(
                    "One key=value a line, as in a file of librdkafka or Java; kept in memory only, until this window is closed",
                )
                .font(fonts::small())
                .color(cx.tokens.faint),
            );
        });
}

fn nearby(ui: &mut Ui, cx: &mut Cx<'_>) {
    let local = cx.snapshot.local.clone();
    if local.is_empty() {
        return;
    }
    heading(ui, cx, "ANSWERS ON THIS MACHINE");
    for bus in local.iter() {
        let text = RichText::new(&*bus.address).font(fonts::data());
        let from = RichText::new(&*bus.found_in)
            .font(fonts::small())
            .color(cx.tokens.dim);
        let button = Button::new(text)
            .right_text(from)
            .min_size(vec2(WIDTH, 30.0));
        if ui.add(button).clicked() {
            cx.push(Msg::Address(bus.address.to_string()));
            let target = ConnectTarget::Bus(settings(cx, &bus.address));
            cx.push(Msg::Connect(target));
        }
    }
}

fn demo(ui: &mut Ui, cx: &mut Cx<'_>) {
    heading(ui, cx, "NO KAFKA AT HAND");
    let text = RichText::new("Open the demo bus")
        .font(fonts::strong())
        .color(cx.tokens.on_hue);
    let button = Button::new(text).fill(cx.tokens.accent);
    if ui.add_sized(vec2(170.0, 32.0), button).clicked() {
        cx.push(Msg::Connect(ConnectTarget::Demo(DemoSize::default())));
    }
    ui.label(
        RichText::new("An embedded bus with a small shop's events; it ends with this window")
            .font(fonts::small())
            .color(cx.tokens.faint),
    );
}

fn connecting(ui: &mut Ui, cx: &mut Cx<'_>, to: &str) {
    ui.label(RichText::new(format!("Connecting to {to}…")).color(cx.tokens.text));
    ui.add_space(12.0);
    if ui.button("Cancel").clicked() {
        cx.push(Msg::Disconnect);
    }
}

fn failure(ui: &mut Ui, cx: &Cx<'_>, to: &str, problem: &Problem) {
    let frame = Frame::new()
        .fill(cx.tokens.raised)
        .stroke(egui::Stroke::new(1.0, cx.tokens.error.gamma_multiply(0.6)))
        .corner_radius(size::RADIUS)
        .inner_margin(Margin::same(12));
    frame.show(ui, |ui| {
        ui.set_width(WIDTH - 26.0);
        ui.label(
            RichText::new(super::format::not_connected(to, problem))
                .font(fonts::strong())
                .color(cx.tokens.error),
        );
        ui.label(RichText::new(problem.to_string()).color(cx.tokens.text));
        if let Some(advice) = advice(problem.kind) {
            ui.label(RichText::new(advice).color(cx.tokens.dim));
        }
    });
}

/// What to do about a connection that could not be made.
fn advice(kind: ProblemKind) -> Option<&'static str> {
    match kind {
        ProblemKind::Unreachable => {
            Some("Check that Kafka runs, the address and port, and that no firewall is between")
        }
        ProblemKind::TimedOut => Some("Check the address, and whether the port expects TLS"),
        ProblemKind::Refused => Some("Check user name, password and certificate"),
        ProblemKind::Forbidden => {
            Some("Ask for the right to describe the cluster, or use another user")
        }
        _ => None,
    }
}
