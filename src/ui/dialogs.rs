//! What lies over the window: all keys, and the notices given so far; the frame of what asks something.

use egui::containers::modal::ModalResponse;
use egui::{Context, Id, Label, Modal, RichText, ScrollArea, Ui, vec2};

use crate::model::time::format_zone;

use super::commands::{self, Action, ELSEWHERE, Section};
use super::context::Cx;
use super::fonts;
use super::format::{self, Precision};
use super::state::{Msg, Tone, WindowMsg};

/// Shows all keys and gestures.
pub fn keys(ctx: &Context, cx: &mut Cx<'_>) {
    let width = 880.0_f32.min(ctx.content_rect().width() - 48.0);
    dialog(ctx, cx, "Keys", width, |ui, cx| {
        let (left, right): (Vec<Section>, Vec<Section>) = Section::ALL
            .into_iter()
            .partition(|section| !matches!(section, Section::Timeline | Section::Lists));
        if width < 700.0 {
            sections(ui, cx, &left);
            sections(ui, cx, &right);
        } else {
            ui.columns_const(|[first, second]| {
                sections(first, cx, &left);
                sections(second, cx, &right);
            });
        }
    });
}

fn sections(ui: &mut Ui, cx: &Cx<'_>, sections: &[Section]) {
    for section in sections {
        ui.label(
            RichText::new(section.title())
                .font(fonts::strong())
                .color(cx.tokens.text),
        );
        section_of_keys(ui, cx, *section);
        ui.add_space(12.0);
    }
}

fn section_of_keys(ui: &mut Ui, cx: &Cx<'_>, section: Section) {
    const KEYS: f32 = 170.0;
    let commands = Action::all()
        .filter(|action| action.section() == section && !action.keys().is_empty())
        .map(|action| {
            let keys = action
                .keys()
                .iter()
                .map(|key| commands::shown(ui.ctx(), *key));
            (keys.collect::<Vec<_>>().join(", "), action.name())
        });
    let elsewhere = ELSEWHERE
        .iter()
        .filter(|gesture| gesture.section == section)
        .map(|gesture| (gesture.shown(), gesture.does));
    let rows: Vec<(String, &str)> = elsewhere.chain(commands).collect();
    ui.spacing_mut().interact_size.y = 15.0;
    for (keys, does) in rows {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            let font = fonts::small_data();
            let keys = ui.painter().layout(keys, font, cx.tokens.accent, KEYS);
            let narrower = (KEYS - keys.size().x).max(0.0);
            ui.label(keys);
            ui.add_space(narrower);
            let does = RichText::new(does)
                .font(fonts::small())
                .color(cx.tokens.dim);
            ui.add(Label::new(does).wrap());
        });
    }
}

/// Shows the notices given so far, the newest first.
pub fn notices(ctx: &Context, cx: &mut Cx<'_>) {
    let width = 640.0_f32.min(ctx.content_rect().width() - 48.0);
    dialog(ctx, cx, "Notices", width, |ui, cx| {
        let past = cx.window.notices.past();
        if past.len() == 0 {
            ui.label(RichText::new("Nothing was told so far").color(cx.tokens.dim));
        }
        for given in past {
            ui.horizontal_wrapped(|ui| {
                let at = format::time_of_day(given.at, cx.zone, Precision::Seconds);
                let zone = format_zone(given.at, cx.zone);
                ui.label(
                    RichText::new(format!("{at} {zone}"))
                        .font(fonts::small_data())
                        .color(cx.tokens.dim),
                );
                let color = match given.notice.tone {
                    Tone::Done => cx.tokens.text,
                    Tone::Warning => cx.tokens.warning,
                    Tone::Error => cx.tokens.error,
                };
                ui.label(RichText::new(&*given.notice.text).color(color));
            });
        }
    });
}

/// A dialog that asks something, with `name` as its title. The content has the buttons.
pub fn question(
    ctx: &Context,
    cx: &mut Cx<'_>,
    name: &str,
    content: impl FnOnce(&mut Ui, &mut Cx<'_>),
) {
    const WIDTH: f32 = 460.0;
    let width = WIDTH.min(ctx.content_rect().width() - 48.0);
    let id = Id::unique("question");
    let modal = Modal::new(id)
        .area(Modal::default_area(id).accessible_name(name))
        .backdrop_color(cx.tokens.veil);
    let height = ctx.content_rect().height() - 90.0;
    let response = modal.show(ctx, |ui| {
        ui.set_width(width);
        ui.add(
            Label::new(
                RichText::new(name)
                    .font(fonts::strong_of(16.0))
                    .color(cx.tokens.text),
            )
            .wrap(),
        );
        ui.add_space(6.0);
        ScrollArea::vertical()
            .max_height(height)
            // It grows with what is said in it: the space it took before does not bound it.
            .min_scrolled_height(height)
            .show(ui, |ui| content(ui, cx));
    });
    if is_beside(&response) {
        cx.push(Msg::Window(WindowMsg::Close));
    }
}

/// Whether a click went beside the dialog: one on a control that is off passes through to what lies behind.
fn is_beside<T>(response: &ModalResponse<T>) -> bool {
    let at = response.backdrop_response.interact_pointer_pos();
    response.backdrop_response.clicked()
        && at.is_some_and(|at| !response.response.rect.contains(at))
}

/// A dialog named `name` with a button that closes it.
fn dialog(
    ctx: &Context,
    cx: &mut Cx<'_>,
    name: &str,
    width: f32,
    content: impl FnOnce(&mut Ui, &Cx<'_>),
) {
    let height = ctx.content_rect().height() - 130.0;
    let id = Id::unique(("dialog", name));
    let modal = Modal::new(id)
        .area(
            Modal::default_area(id)
                .accessible_name(name)
                .default_size(vec2(width, height + 60.0)),
        )
        .backdrop_color(cx.tokens.veil);
    let response = modal.show(ctx, |ui| {
        ui.set_width(width);
        let close = ui
            .horizontal(|ui| {
                ui.label(
                    RichText::new(name)
                        .font(fonts::strong_of(16.0))
                        .color(cx.tokens.text),
                );
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.button("Close")
                })
                .inner
            })
            .inner;
        if ui.memory(|memory| memory.focused().is_none()) {
            close.request_focus();
        }
        ui.add_space(6.0);
        ScrollArea::vertical()
            .max_height(height)
            .auto_shrink([false, true])
            .show(ui, |ui| content(ui, cx));
        close.clicked()
    });
    if response.inner || is_beside(&response) {
        cx.push(Msg::Window(WindowMsg::Close));
    }
}
