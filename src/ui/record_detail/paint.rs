//! Rows on the screen.

use egui::{Align2, Color32, FontId, Id, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::decode::rows::{Piece, Row};
use crate::model::{Record, Text};

use super::super::context::Cx;
use super::super::num::{f32_from_count, usize_from_u64};
use super::super::reading::Reading;
use super::super::state::{DetailMsg, Msg};
use super::super::tokens::{Tokens, size};
use super::super::{draw, fonts};
use super::document::{Block, Content, Spot, header_at};
use super::facts::{BETWEEN, Fact};
use super::headers::{self, Shown};
use super::readers::ReaderLine;
use super::{CHAR, INSET};

/// A label that says `text`, with more of it under the pointer.
pub(super) fn label(ui: &Ui, rect: Rect, id: Id, text: &str, hint: &str) {
    if text.is_empty() {
        return;
    }
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    if !hint.is_empty() {
        response.on_hover_text(hint);
    }
}

/// A line of words. What is cut is told under the pointer.
fn words(ui: &Ui, rect: Rect, id: Id, text: &str, font: FontId, color: Color32) {
    let painter = ui.painter();
    let galley = draw::fitted(painter, text, font, color, rect.width());
    let hint = if galley.elided { text } else { "" };
    draw::galley(painter, rect.left_center(), Align2::LEFT_CENTER, galley);
    label(ui, rect, id, text, hint);
}

/// Draws a row that is not one of a value. `said` is what it says.
pub(super) fn row(
    ui: &Ui,
    cx: &mut Cx<'_>,
    rect: Rect,
    content: &Content,
    record: &Record,
    spot: &Spot,
    said: &str,
) {
    let tokens = cx.tokens;
    let id = Id::unique(("record row", spot.section, spot.in_section));
    let index = usize_from_u64(spot.index);
    match spot.block {
        Block::Facts => {
            let facts = content.facts.get(index).map(Vec::as_slice);
            paint_facts(ui, tokens, rect, id, facts.unwrap_or_default());
        }
        Block::Gone | Block::Errors(_) => {
            words(ui, rect, id, said, fonts::text(), tokens.warning);
        }
        Block::Readers => match content.readers.get(index) {
            Some(ReaderLine::Group(name, reading)) => {
                paint_group(ui, cx, rect, id, (name, reading), said);
            }
            Some(ReaderLine::Fold { fold, is_open, .. }) => {
                let was_clicked = fold_row(ui, cx, rect, id, said, *is_open);
                cx.messages
                    .extend(was_clicked.then_some(Msg::Detail(DetailMsg::Fold(*fold))));
            }
            Some(ReaderLine::Note(_, is_warning)) => {
                let color = if *is_warning {
                    tokens.warning
                } else {
                    tokens.dim
                };
                words(ui, rect, id, said, fonts::text(), color);
            }
            None => {}
        },
        Block::Words(_) | Block::Notes(_) | Block::NoHeaders => {
            words(ui, rect, id, said, fonts::text(), tokens.dim);
        }
        Block::Headers(_) | Block::HeaderName(_) => {
            let header = header_at(content, spot).and_then(|header| record.headers.get(header));
            if let Some(header) = header {
                let is_whole = matches!(spot.block, Block::Headers(_));
                let value = is_whole.then(|| headers::value_of(header));
                paint_header(ui, tokens, rect, id, header, value.as_ref(), said);
            }
        }
        Block::Gap | Block::Heading | Block::Format(_) | Block::Laid(_) | Block::HeaderLaid(_) => {}
    }
}

fn paint_facts(ui: &Ui, tokens: &Tokens, rect: Rect, id: Id, facts: &[Fact]) {
    let painter = ui.painter();
    let mut left = rect.left();
    for (index, fact) in facts.iter().enumerate() {
        if index > 0 {
            let at = pos2(left, rect.center().y);
            let font = fonts::data();
            let dot = draw::text(
                painter,
                at,
                Align2::LEFT_CENTER,
                BETWEEN,
                font,
                tokens.faint,
                rect.width(),
            );
            left = dot.right();
        }
        let color = if fact.is_warning {
            tokens.warning
        } else {
            tokens.dim
        };
        let at = pos2(left, rect.center().y);
        let room = rect.right() - left;
        let galley = draw::fitted(painter, &fact.text, fonts::data(), color, room);
        let hint = if galley.elided && fact.hint.is_empty() {
            fact.text.clone()
        } else {
            fact.hint.clone()
        };
        let place = draw::galley(painter, at, Align2::LEFT_CENTER, galley);
        label(ui, place, id.with(index), &fact.text, &hint);
        left = place.right();
    }
}

fn paint_group(
    ui: &Ui,
    cx: &Cx<'_>,
    rect: Rect,
    id: Id,
    (name, reading): (&Text, &Reading),
    said: &str,
) {
    let tokens = cx.tokens;
    let hue = if *reading == Reading::NeverCommitted {
        tokens.no_hue
    } else {
        tokens.hue(name)
    };
    let chip = Rect::from_center_size(
        pos2(rect.left() + size::CHIP / 2.0, rect.center().y),
        vec2(size::CHIP, size::CHIP),
    );
    draw::chip(ui.painter(), tokens, chip, &cx.marks.of(name), hue);
    let color = match reading {
        Reading::Read => tokens.text,
        Reading::NotYet(_) | Reading::Missed => hue,
        Reading::NeverCommitted => tokens.dim,
        Reading::Beyond { .. } | Reading::Unknown(_) => tokens.warning,
    };
    let rest = Rect::from_min_max(pos2(chip.right() + 8.0, rect.top()), rect.max);
    words(ui, rest, id, said, fonts::text(), color);
}

/// A line that opens; whether it was clicked.
fn fold_row(ui: &Ui, cx: &Cx<'_>, rect: Rect, id: Id, said: &str, is_open: bool) -> bool {
    let tokens = cx.tokens;
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_open, said));
    let color = if response.hovered() {
        tokens.text
    } else {
        tokens.dim
    };
    let mark = pos2(rect.left() + size::CHIP / 2.0, rect.center().y);
    draw::fold_mark(ui.painter(), mark, is_open, color);
    let at = pos2(rect.left() + size::CHIP + 8.0, rect.center().y);
    let room = rect.right() - at.x;
    draw::text(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        said,
        fonts::text(),
        color,
        room,
    );
    if response.has_focus() && cx.keys_lead {
        draw::focus_ring(ui.painter(), tokens, rect);
    }
    response.clicked()
}

fn paint_header(
    ui: &Ui,
    tokens: &Tokens,
    rect: Rect,
    id: Id,
    header: &crate::model::Header,
    value: Option<&Shown>,
    said: &str,
) {
    let painter = ui.painter();
    let data = fonts::data;
    // A name that leaves no room for its value is one that has the row for itself.
    let most = usize_from_f32(rect.width() / CHAR);
    let name = headers::name_of(header, most);
    let follows;
    let pieces = match value {
        None => vec![],
        Some(Shown::Word(text)) => vec![(*text, fonts::small(), tokens.faint)],
        Some(Shown::Value { text, kind, .. }) => {
            follows = format!(" {kind}");
            vec![
                (text.as_str(), data(), tokens.text),
                (follows.as_str(), data(), tokens.faint),
            ]
        }
    };
    let mut all = vec![
        (name.as_str(), data(), tokens.dim),
        ("  ", data(), tokens.dim),
    ];
    all.extend(pieces);
    let galley = draw::pieces(painter, &all, rect.width());
    draw::galley(painter, rect.left_center(), Align2::LEFT_CENTER, galley);
    let hint = match value {
        Some(Shown::Value { evidence, .. }) => evidence.as_str(),
        Some(Shown::Word(_)) | None => "",
    };
    label(ui, rect, id, said, hint);
}

/// Draws a row of a value.
pub(super) fn laid(ui: &Ui, tokens: &Tokens, rect: Rect, id: Id, row: &Row) {
    let painter = ui.painter();
    let pieces: Vec<(&str, FontId, Color32)> = row
        .pieces
        .iter()
        .filter_map(|(range, piece)| {
            let text = row.text.get(range.clone())?;
            Some((text, fonts::data(), color_of(tokens, *piece)))
        })
        .collect();
    let inner = rect.shrink2(vec2(INSET, 0.0));
    let galley = draw::pieces(painter, &pieces, inner.width() + CHAR);
    draw::galley(painter, inner.left_center(), Align2::LEFT_CENTER, galley);
    label(ui, rect, id, &row.text, "");
}

fn color_of(tokens: &Tokens, piece: Piece) -> Color32 {
    match piece {
        Piece::Plain => tokens.text,
        Piece::Key => tokens.accent,
        Piece::Text => tokens.good,
        Piece::Number | Piece::Word => tokens.warning,
        Piece::Mark => tokens.dim,
        Piece::Hidden => tokens.error,
    }
}

/// The heading of a section, with a remark. Where it ends.
pub(super) fn heading(painter: &Painter, tokens: &Tokens, rect: Rect, name: &str, remark: &str) {
    let galley = draw::pieces(
        painter,
        &[
            (name, fonts::small(), tokens.faint),
            ("  ", fonts::small(), tokens.faint),
            (remark, fonts::small(), tokens.faint),
        ],
        rect.width(),
    );
    draw::galley(painter, rect.left_center(), Align2::LEFT_CENTER, galley);
}

/// What stands where a record would.
pub(super) fn empty(ui: &Ui, tokens: &Tokens, area: Rect) {
    let lines = [
        ("Choose a record to see all of it", tokens.dim),
        ("Click it in the table, then ↑ ↓ to go on", tokens.faint),
    ];
    for (index, (text, color)) in lines.into_iter().enumerate() {
        let place = area.center() + vec2(0.0, 20.0 * f32_from_count(index) - 10.0);
        let rect = draw::text(
            ui.painter(),
            place,
            Align2::CENTER_CENTER,
            text,
            fonts::text(),
            color,
            area.width() - 24.0,
        );
        label(ui, rect, Id::unique(("no record", index)), text, "");
    }
}

/// A width in whole characters.
pub(super) fn usize_from_f32(chars: f32) -> usize {
    super::super::num::count_from_f64(f64::from(chars.floor()))
}
