//! One record in full: who has read it first, then value and headers. Everything is lines of one height, of
//! which only those on screen are laid out, so that a large value costs no more than a small one.

mod lines;

use std::sync::Arc;

use egui::{Align2, Color32, Rect, ScrollArea, Ui, pos2, vec2};

use crate::decode::json::{self, Piece};
use crate::decode::visible;
use crate::engine::Inventory;
use crate::model::{Record, Text};

use super::context::Cx;
use super::num::count_from_f64;
use super::tokens::{Tokens, size};
use super::{draw, fonts, format};
use lines::{Line, Reading, lines};

/// Height of a line in points.
const LINE: f32 = 19.0;
const CHAR: f32 = size::DATA * 0.6;
const MARGIN: f32 = 14.0;

/// The lines of the record that is shown, kept until something they come from changes.
#[derive(Debug, Default)]
pub struct DetailCache {
    record: Option<Arc<Record>>,
    inventory: Arc<Inventory>,
    group: Option<Text>,
    columns: usize,
    lines: Vec<Line>,
}

impl DetailCache {
    fn prepare(&mut self, cx: &Cx<'_>, record: &Arc<Record>, columns: usize) {
        let same_record = self
            .record
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, record));
        let same_inventory = Arc::ptr_eq(&self.inventory, &cx.snapshot.inventory);
        if same_record && same_inventory && self.columns == columns && self.group == cx.state.group
        {
            return;
        }
        self.record = Some(Arc::clone(record));
        self.inventory = Arc::clone(&cx.snapshot.inventory);
        self.group.clone_from(&cx.state.group);
        self.columns = columns;
        self.lines = lines(cx, record, columns);
    }
}

/// Draws the record in all the room there is.
pub fn show(ui: &mut Ui, cx: &Cx<'_>, cache: &mut DetailCache) {
    let Some(record) = cx.state.record.clone() else {
        let area = ui.available_rect_before_wrap();
        ui.advance_cursor_after_rect(area);
        let text = "Choose a record to see all of it";
        draw::text(
            ui.painter(),
            area.center(),
            Align2::CENTER_CENTER,
            text,
            fonts::text(),
            cx.tokens.faint,
            area.width() - 24.0,
        );
        return;
    };
    let width = ui.available_width() - 2.0 * MARGIN - size::SCROLL_BAR;
    let columns = count_from_f64(f64::from(((width - 16.0) / CHAR).floor())).max(16);
    cache.prepare(cx, &record, columns);
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.add_space(8.0);
    ScrollArea::vertical()
        .id_salt("record detail")
        .auto_shrink([false, false])
        .show_rows(ui, LINE, cache.lines.len(), |ui, range| {
            for line in cache.lines.get(range).unwrap_or_default() {
                let (rect, response) =
                    ui.allocate_exact_size(vec2(ui.available_width(), LINE), egui::Sense::hover());
                let rect = rect.shrink2(vec2(MARGIN, 0.0));
                let said = paint_line(ui.painter(), cx.tokens, rect, line);
                response.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Label, true, said.clone())
                });
            }
        });
}

fn paint_line(painter: &egui::Painter, tokens: &Tokens, rect: Rect, line: &Line) -> String {
    let middle = rect.center().y;
    let at = pos2(rect.left(), middle);
    let plain = |text: &str, font, color| {
        draw::text(
            painter,
            at,
            Align2::LEFT_CENTER,
            text,
            font,
            color,
            rect.width(),
        );
        text.to_owned()
    };
    match line {
        Line::Title(text) => plain(text, fonts::strong(), tokens.text),
        Line::Dim(text) => plain(text, fonts::data(), tokens.dim),
        Line::Warning(text) => plain(text, fonts::text(), tokens.warning),
        Line::Word(text) => plain(text, fonts::text(), tokens.faint),
        Line::Section(name, remark) => {
            let name_rect = draw::text(
                painter,
                at,
                Align2::LEFT_CENTER,
                name,
                fonts::small(),
                tokens.faint,
                rect.width(),
            );
            let after = pos2(name_rect.right() + 8.0, middle);
            draw::text(
                painter,
                after,
                Align2::LEFT_CENTER,
                remark,
                fonts::small(),
                tokens.faint,
                rect.right() - after.x,
            );
            format!("{name} {remark}")
        }
        Line::Group(name, reading) => paint_group(painter, tokens, rect, name, reading),
        Line::Code(text, is_json) => {
            painter.rect_filled(rect, 0, tokens.window);
            let place = pos2(rect.left() + 8.0, middle);
            let galley = draw::pieces(
                painter,
                &code_pieces(tokens, text, *is_json),
                rect.width() - 12.0,
            );
            draw::galley(painter, place, Align2::LEFT_CENTER, galley);
            text.clone()
        }
        Line::Header(name, value, is_word) => {
            let name_rect = draw::text(
                painter,
                at,
                Align2::LEFT_CENTER,
                name,
                fonts::data(),
                tokens.dim,
                rect.width() * 0.5,
            );
            let place = pos2(name_rect.right() + 10.0, middle);
            let (font, color) = if *is_word {
                (fonts::small(), tokens.faint)
            } else {
                (fonts::data(), tokens.text)
            };
            draw::text(
                painter,
                place,
                Align2::LEFT_CENTER,
                value,
                font,
                color,
                rect.right() - place.x,
            );
            format!("{name} {value}")
        }
        Line::Space => String::new(),
    }
}

fn paint_group(
    painter: &egui::Painter,
    tokens: &Tokens,
    rect: Rect,
    name: &Text,
    reading: &Reading,
) -> String {
    let middle = rect.center().y;
    let hue = if *reading == Reading::NeverCommitted {
        tokens.no_hue
    } else {
        tokens.hue(name)
    };
    let chip = Rect::from_center_size(
        pos2(rect.left() + size::CHIP / 2.0, middle),
        vec2(size::CHIP, size::CHIP),
    );
    draw::chip(painter, tokens, chip, &format::initial(name), hue);
    let (said, color) = match reading {
        Reading::Read => ("has read it".to_owned(), tokens.text),
        Reading::NotYet(0) => ("has not: it is the next one".to_owned(), hue),
        Reading::NotYet(behind) => (format!("has not: {} behind", format::count(*behind)), hue),
        Reading::NeverCommitted => ("never committed".to_owned(), tokens.dim),
        Reading::Unknown(reason) => (format!("— not known: {reason}"), tokens.warning),
    };
    let shown = visible::one_line(name.as_bytes(), 60);
    let sentence = format!("{shown} {said}");
    let place = pos2(chip.right() + 8.0, middle);
    draw::text(
        painter,
        place,
        Align2::LEFT_CENTER,
        &sentence,
        fonts::text(),
        color,
        rect.right() - place.x,
    );
    sentence
}

fn code_pieces<'t>(
    tokens: &Tokens,
    text: &'t str,
    is_json: bool,
) -> Vec<(&'t str, egui::FontId, Color32)> {
    if !is_json {
        return vec![(text, fonts::data(), tokens.text)];
    }
    json::pieces(text)
        .into_iter()
        .filter_map(|(range, piece)| {
            let color = match piece {
                Piece::Key => tokens.accent,
                Piece::Text => tokens.good,
                Piece::Number | Piece::Word => tokens.warning,
                Piece::Rest => tokens.dim,
            };
            Some((text.get(range)?, fonts::data(), color))
        })
        .collect()
}
