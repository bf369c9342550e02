//! The line below the heading of a part: what it was read as and why, and the menu that reads it as something
//! else.

use egui::containers::menu::MenuButton;
use egui::{Align2, Button, Id, Rect, RichText, Ui, UiBuilder, pos2, vec2};

use crate::decode::value::Format;
use crate::engine::Command;

use super::super::context::Cx;
use super::super::decoding::{parts_name, title};
use super::super::state::detail::Part;
use super::super::state::{DetailMsg, Msg};
use super::super::tokens::size;
use super::super::{draw, fonts};
use super::controls::part_name;
use super::decoding::FormatLine;
use super::document::format_words;
use super::input::Shown;
use super::paint::label;

/// Draws it in `rect`.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, shown: &Shown<'_>, part: Part) {
    let line = shown.content.part(part).format.as_ref();
    let said = format_words(line);
    let left = match line {
        Some(FormatLine::Read { title, .. }) => choice(ui, cx, rect, shown, part, title),
        Some(FormatLine::Large { button }) => large(ui, cx, rect, part, button),
        Some(FormatLine::Working) | None => rect.left(),
    };
    let rest = match line {
        Some(FormatLine::Read { why, .. }) => why.as_str(),
        Some(FormatLine::Large { .. }) => "larger than 1 MB: not decoded by itself",
        Some(FormatLine::Working) => said.as_str(),
        None => "",
    };
    let room = rect.right() - left;
    let galley = draw::fitted(
        ui.painter(),
        rest,
        fonts::small(),
        cx.tokens.faint,
        room.max(0.0),
    );
    draw::galley(
        ui.painter(),
        pos2(left, rect.center().y),
        Align2::LEFT_CENTER,
        galley,
    );
    let place = Rect::from_min_max(pos2(left, rect.top()), rect.max);
    label(
        ui,
        place,
        Id::unique(("format of a part", part)),
        &said,
        &said,
    );
}

/// A small button at the left of `rect`. Where what follows begins, and what `show` made of it.
fn button_at<R>(ui: &mut Ui, rect: Rect, id: Id, show: impl FnOnce(&mut Ui) -> R) -> (f32, R) {
    let place = Rect::from_min_size(
        pos2(rect.left(), rect.top() + 1.0),
        vec2(rect.width() * 0.7, rect.height() - 3.0),
    );
    let shown = ui.scope_builder(UiBuilder::new().max_rect(place).scope_id(id), |ui| {
        ui.spacing_mut().button_padding = vec2(6.0, 0.0);
        ui.spacing_mut().interact_size.y = place.height();
        let made = show(ui);
        (ui.min_rect().right(), made)
    });
    let (right, made) = shown.inner;
    (right + 8.0, made)
}

fn choice(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    shown: &Shown<'_>,
    part: Part,
    name: &str,
) -> f32 {
    let text = RichText::new(format!("{name} ▾")).size(size::SMALL);
    let id = Id::unique(("reading of a part", part));
    let accessible = format!("The {} is read as {name}", part_name(part));
    let (right, ()) = button_at(ui, rect, id, |ui| {
        let button = MenuButton::from_button(Button::new(text));
        let (response, _) = button.ui(ui, |ui| menu(ui, cx, shown, part));
        response
            .accessible_name(accessible)
            .on_hover_text("Read it as something else");
    });
    right
}

/// What it can be read as.
fn menu(ui: &mut Ui, cx: &mut Cx<'_>, shown: &Shown<'_>, part: Part) {
    let topic = &shown.record.topic;
    let chosen = cx.state.decoders.chosen(topic, part);
    ui.set_min_width(190.0);
    ui.label(
        RichText::new(format!("All {} of {topic} are read", parts_name(part)))
            .font(fonts::small())
            .color(cx.tokens.dim),
    );
    let mut wanted: Option<Option<Format>> = None;
    if ui.radio(chosen.is_none(), "By evidence").clicked() {
        wanted = Some(None);
    }
    ui.separator();
    egui::ScrollArea::vertical()
        .max_height(320.0)
        .show(ui, |ui| {
            for format in Format::ALL {
                let name = format!("As {}", title(format));
                if ui.radio(chosen == Some(format), name).clicked() {
                    wanted = Some(Some(format));
                }
            }
        });
    if let Some(wanted) = wanted {
        cx.push(Msg::ReadAs(topic.clone(), part, wanted));
        ui.close();
    }
    if let Some(id) = shown.content.part(part).decoding.needs() {
        ui.separator();
        if draw::menu_item(ui, &format!("Ask for schema {id} again"), None).clicked() {
            cx.push(Msg::Engine(Box::new(Command::WantSchema(id))));
            ui.close();
        }
    }
}

fn large(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, part: Part, text: &str) -> f32 {
    let label = RichText::new(text).size(size::SMALL);
    let id = Id::unique(("large part", part));
    let (right, is_clicked) = button_at(ui, rect, id, |ui| {
        ui.add(Button::new(label))
            .on_hover_text("Decode all of it in the background; what is shown stays meanwhile")
            .clicked()
    });
    if is_clicked {
        cx.push(Msg::Detail(DetailMsg::Large(part)));
    }
    right
}
