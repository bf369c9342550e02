//! Small things that several panels draw: text that fits, a group's chip, a pill, a line of progress.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align2, Color32, CornerRadius, FontId, Galley, Id, Painter, Pos2, Rect, Sense, Stroke,
    StrokeKind, Ui, pos2, vec2,
};

use super::fonts;
use super::tokens::{Tokens, size};

/// `text` in one line, cut with … where it would be wider than `width`.
pub fn fitted(
    painter: &Painter,
    text: &str,
    font: FontId,
    color: Color32,
    width: f32,
) -> Arc<Galley> {
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font, color);
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    painter.layout_job(job)
}

/// `text` in one line, cut with … in the middle where it would be wider than `width`: names are often told apart by
/// how they end.
pub fn fitted_in_middle(
    painter: &Painter,
    text: &str,
    font: FontId,
    color: Color32,
    width: f32,
) -> Arc<Galley> {
    let laid_out = |text: &str| fitted(painter, text, font.clone(), color, f32::INFINITY);
    let whole = laid_out(text);
    if whole.size().x <= width {
        return whole;
    }
    let chars: Vec<char> = text.chars().collect();
    // The most characters that fit, by halves.
    let (mut fits, mut too_many) = (0_usize, chars.len());
    while too_many.saturating_sub(fits) > 1 {
        let kept = usize::midpoint(fits, too_many);
        if laid_out(&ends_of(&chars, kept)).size().x <= width {
            fits = kept;
        } else {
            too_many = kept;
        }
    }
    fitted(painter, &ends_of(&chars, fits), font, color, width)
}

/// So many characters of both ends, with … between them.
fn ends_of(chars: &[char], kept: usize) -> String {
    let tail = kept / 2;
    let from = chars.len().saturating_sub(tail);
    let head = chars.iter().take(kept.saturating_sub(tail));
    head.chain(std::iter::once(&'…'))
        .chain(chars.iter().skip(from))
        .collect()
}

/// Draws `galley` with `anchor` of it at `pos`, on whole pixels. Where it went.
pub fn galley(painter: &Painter, pos: Pos2, anchor: Align2, galley: Arc<Galley>) -> Rect {
    let rect = anchor.anchor_size(pos, galley.size());
    let pixels = painter.pixels_per_point();
    let snapped = pos2(
        (rect.left() * pixels).round() / pixels,
        (rect.top() * pixels).round() / pixels,
    );
    painter.galley(snapped, galley, Color32::PLACEHOLDER);
    rect
}

/// Draws `text` at `pos`, cut to `width`. Where it went.
pub fn text(
    painter: &Painter,
    pos: Pos2,
    anchor: Align2,
    text: &str,
    font: FontId,
    color: Color32,
    width: f32,
) -> Rect {
    let laid_out = fitted(painter, text, font, color, width);
    galley(painter, pos, anchor, laid_out)
}

/// Pieces of text in one line, each with its font and colour.
pub fn pieces(painter: &Painter, pieces: &[(&str, FontId, Color32)], width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::default();
    for (text, font, color) in pieces {
        job.append(text, 0.0, TextFormat::simple(font.clone(), *color));
    }
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    painter.layout_job(job)
}

/// A group's chip at `rect`: its initial, or two letters, on its hue.
pub fn chip(painter: &Painter, tokens: &Tokens, rect: Rect, initial: &str, hue: Color32) {
    painter.rect_filled(rect, CornerRadius::same(2), hue);
    chip_letters(painter, rect, initial, tokens.on_hue);
}

/// A group's chip at `rect` as an outline: its initial, and nothing of its hue.
pub fn hollow_chip(painter: &Painter, rect: Rect, initial: &str, color: Color32) {
    let stroke = Stroke::new(1.0, color.gamma_multiply(0.7));
    painter.rect_stroke(rect, CornerRadius::same(2), stroke, StrokeKind::Inside);
    chip_letters(painter, rect, initial, color);
}

fn chip_letters(painter: &Painter, rect: Rect, initial: &str, color: Color32) {
    let font = fonts::strong_of(if initial.chars().nth(1).is_some() {
        8.0
    } else {
        10.0
    });
    galley(
        painter,
        rect.center(),
        Align2::CENTER_CENTER,
        fitted(painter, initial, font, color, f32::INFINITY),
    );
}

/// Text on an opaque pill whose left centre is at `pos`. Where it went.
pub fn pill(painter: &Painter, tokens: &Tokens, pos: Pos2, galley_of: Arc<Galley>) -> Rect {
    let rect = pill_rect(pos, &galley_of);
    painter.rect_filled(rect, CornerRadius::same(3), tokens.window);
    galley(painter, rect.center(), Align2::CENTER_CENTER, galley_of);
    rect
}

/// Where [`pill`] would go.
pub fn pill_rect(pos: Pos2, galley_of: &Galley) -> Rect {
    let size = galley_of.size() + vec2(10.0, 2.0);
    Rect::from_min_size(pos2(pos.x, pos.y - size.y / 2.0), size)
}

/// A word in an outline, as a label in a bar.
pub fn badge(ui: &mut Ui, text: &str, color: Color32, hint: &str) {
    let galley_of = fitted(ui.painter(), text, fonts::text(), color, f32::INFINITY);
    let (rect, response) =
        ui.allocate_exact_size(galley_of.size() + vec2(14.0, 6.0), egui::Sense::hover());
    let outline = Stroke::new(1.0, color.gamma_multiply(0.6));
    ui.painter().rect_stroke(
        rect,
        CornerRadius::same(size::RADIUS),
        outline,
        StrokeKind::Inside,
    );
    galley(
        ui.painter(),
        rect.center(),
        Align2::CENTER_CENTER,
        galley_of,
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
    response.on_hover_text(hint);
}

/// A thin line at the top of `rect` that says how far something is; all of it, softly, when that is not known.
pub fn progress(painter: &Painter, tokens: &Tokens, rect: Rect, done: Option<f32>) {
    let line = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0));
    match done {
        Some(done) => {
            let part =
                Rect::from_min_size(line.min, vec2(line.width() * done.clamp(0.0, 1.0), 2.0));
            painter.rect_filled(part, CornerRadius::ZERO, tokens.accent);
        }
        None => {
            painter.rect_filled(line, CornerRadius::ZERO, tokens.accent.gamma_multiply(0.45));
        }
    }
}

/// A triangle that says whether something is open.
pub fn fold_mark(painter: &Painter, center: Pos2, open: bool, color: Color32) {
    let points = if open {
        vec![
            center + vec2(-3.5, -2.0),
            center + vec2(3.5, -2.0),
            center + vec2(0.0, 3.0),
        ]
    } else {
        vec![
            center + vec2(-2.0, -3.5),
            center + vec2(3.0, 0.0),
            center + vec2(-2.0, 3.5),
        ]
    };
    painter.add(egui::Shape::convex_polygon(points, color, Stroke::NONE));
}

/// A mark that says that something stays where it is.
pub fn pin_mark(painter: &Painter, center: Pos2, color: Color32) {
    let stroke = Stroke::new(1.5, color);
    painter.line_segment([center + vec2(0.0, 0.0), center + vec2(0.0, 5.0)], stroke);
    painter.circle_filled(center - vec2(0.0, 2.0), 2.8, color);
}

/// What an item of a list senses. Tab stops at one item of a list only, the current one; arrows lead to the
/// others. One that has the focus keeps it.
pub fn list_item_sense(ui: &Ui, id: Id, is_current: bool) -> Sense {
    if is_current || ui.memory(|memory| memory.has_focus(id)) {
        Sense::click()
    } else {
        Sense::CLICK
    }
}

/// An item of a menu, which says why it cannot be used when it cannot.
pub fn menu_item(ui: &mut Ui, text: &str, why_not: Option<&str>) -> egui::Response {
    let response = ui.add_enabled(why_not.is_none(), egui::Button::new(text));
    match why_not {
        Some(reason) => response.on_disabled_hover_text(reason),
        None => response,
    }
}

/// The outline of what has the focus, just inside `rect`.
pub fn focus_ring(painter: &Painter, tokens: &Tokens, rect: Rect) {
    painter.rect_stroke(
        rect.shrink(1.0),
        CornerRadius::same(2),
        tokens.focus(),
        StrokeKind::Inside,
    );
}

/// A line between two panels that can be dragged, in the middle of `strip`; where to it is dragged.
pub fn splitter(ui: &Ui, tokens: &Tokens, id: Id, strip: Rect, name: &str) -> Option<Pos2> {
    let is_upright = strip.height() > strip.width();
    let response = ui.interact(strip, id, Sense::DRAG);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Splitter, true, name));
    let line = if is_upright {
        [strip.center_top(), strip.center_bottom()]
    } else {
        [strip.left_center(), strip.right_center()]
    };
    if response.hovered() || response.dragged() {
        ui.painter().line_segment(line, tokens.focus());
    }
    let cursor = if is_upright {
        egui::CursorIcon::ResizeHorizontal
    } else {
        egui::CursorIcon::ResizeVertical
    };
    let to = response
        .dragged()
        .then(|| response.interact_pointer_pos())
        .flatten();
    response.on_hover_and_drag_cursor(cursor);
    to
}
