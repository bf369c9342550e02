//! What lies over the window to be read: all keys, and the notices given so far.

use egui::{Context, Grid, Id, Modal, RichText, ScrollArea, Ui, vec2};

use crate::model::time::format_zone;

use super::commands::{self, Action, ELSEWHERE, Section};
use super::context::Cx;
use super::format::{self, Precision};
use super::state::{Msg, Tone, WindowMsg};
use super::{draw, fonts};

/// Shows all keys and gestures.
pub fn keys(ctx: &Context, cx: &mut Cx<'_>) {
    let width = 880.0_f32.min(ctx.content_rect().width() - 48.0);
    let columns = if width > 700.0 { 2 } else { 1 };
    dialog(ctx, cx, "Keys", width, |ui, cx| {
        ui.columns(columns, |columns| {
            for (index, section) in Section::ALL.into_iter().enumerate() {
                // General and the ways back at the left, beside the longer sections.
                let place = if matches!(section, Section::Timeline | Section::Lists) {
                    1
                } else {
                    0
                };
                let last = columns.len().saturating_sub(1);
                if let Some(column) = columns.get_mut(place.min(last)) {
                    if index > 0 {
                        column.add_space(10.0);
                    }
                    section_of_keys(column, cx, section);
                }
            }
        });
    });
}

fn section_of_keys(ui: &mut Ui, cx: &Cx<'_>, section: Section) {
    ui.label(
        RichText::new(section.title())
            .font(fonts::strong())
            .color(cx.tokens.text),
    );
    let commands = Action::ALL
        .into_iter()
        .filter(|action| action.section() == section)
        .filter(|action| !action.keys().is_empty())
        .map(|action| {
            let keys = action
                .keys()
                .iter()
                .map(|key| commands::shown(ui.ctx(), key));
            (keys.collect::<Vec<_>>().join(", "), action.name())
        });
    let elsewhere = ELSEWHERE
        .iter()
        .filter(|gesture| gesture.section == section)
        .map(|gesture| (gesture.how.to_owned(), gesture.does));
    let rows: Vec<(String, &str)> = elsewhere.chain(commands).collect();
    Grid::new(("keys of", section.title()))
        .num_columns(2)
        .min_col_width(140.0)
        .spacing(vec2(12.0, 4.0))
        .show(ui, |ui| {
            for (keys, does) in rows {
                ui.label(
                    RichText::new(keys)
                        .font(fonts::small_data())
                        .color(cx.tokens.accent),
                );
                ui.label(
                    RichText::new(does)
                        .font(fonts::small())
                        .color(cx.tokens.dim),
                );
                ui.end_row();
            }
        });
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

/// A dialog named `name` with a button that closes it.
fn dialog(
    ctx: &Context,
    cx: &mut Cx<'_>,
    name: &str,
    width: f32,
    content: impl FnOnce(&mut Ui, &Cx<'_>),
) {
    let height = ctx.content_rect().height() - 130.0;
    let modal = Modal::new(Id::unique(("dialog", name))).backdrop_color(cx.tokens.veil);
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
                    let close = ui.button("Close");
                    if cx.keys_lead && close.has_focus() {
                        draw::focus_ring(ui.painter(), cx.tokens, close.rect);
                    }
                    close
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
    if response.inner || response.backdrop_response.clicked() {
        cx.push(Msg::Window(WindowMsg::Close));
    }
}
