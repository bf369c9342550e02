//! The bar at the top: which bus, its locks, the range of time on screen, and following.

use egui::{Align, Button, Layout, Ui};

use crate::engine::Connection;
use crate::model::time::format_zone;

use super::context::Cx;
use super::state::{Msg, ViewRange};
use super::{draw, fonts, format};

/// Draws the bar.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, range: Option<ViewRange>) {
    let (name, is_demo) = match &cx.snapshot.connection {
        Connection::Connected { demo: true, .. } => ("Demo bus", true),
        Connection::Connected { to, .. } => (&**to, false),
        _ => ("Tideline", false),
    };
    let is_connected = matches!(cx.snapshot.connection, Connection::Connected { .. });
    ui.horizontal_centered(|ui| {
        ui.add_space(4.0);
        ui.add(
            egui::Label::new(
                egui::RichText::new(name)
                    .font(fonts::strong())
                    .color(cx.tokens.text),
            )
            .truncate(),
        );
        if is_demo {
            draw::badge(
                ui,
                "demo",
                cx.tokens.accent,
                "An embedded bus with made-up data; it ends with this window",
            );
        }
        if is_connected {
            draw::badge(
                ui,
                "read-only",
                cx.tokens.warning,
                "Nothing on the bus is changed: no group, no committed offset, no topic",
            );
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            if is_connected
                && ui
                    .button("Disconnect")
                    .on_hover_text("Leave this bus and choose another")
                    .clicked()
            {
                cx.push(Msg::Disconnect);
            }
            if let Some(range) = range {
                right_side(ui, cx, range);
            }
        });
    });
}

fn right_side(ui: &mut Ui, cx: &mut Cx<'_>, range: ViewRange) {
    if cx.state.view.is_none() {
        let hint =
            "All of the data is shown, and new data as it comes; zoom or pan to stay at a place";
        draw::badge(ui, "live", cx.tokens.good, hint);
    } else {
        let text = egui::RichText::new("Resume live").color(cx.tokens.accent);
        let hint = "Show all of the data and follow what comes (double-click on the timeline)";
        if ui.add(Button::new(text)).on_hover_text(hint).clicked() {
            cx.push(Msg::Follow);
        }
    }
    let zone = format_zone(range.to(), cx.zone);
    draw::badge(ui, &zone, cx.tokens.dim, "The zone of every time shown");
    let text = format::range(range.from(), range.to(), cx.zone);
    ui.add(
        egui::Label::new(
            egui::RichText::new(text)
                .font(fonts::data())
                .color(cx.tokens.text),
        )
        .truncate(),
    );
}
