//! One record in full: who has read it first, then value, key and headers.
//!
//! | module | what it is |
//! |---|---|
//! | `document` | which row is what. Pure |
//! | `facts`, `readers`, `part`, `decoding`, `headers` | what the rows say. Pure |
//! | `cache` | what is kept from frame to frame |
//! | `paint`, `controls`, `format_line` | drawing them; as what a part is shown, and read; the way to each section |
//! | `input`, `copy` | scrolling, picking rows, what is copied |
//!
//! Everything is rows, of which only those on screen are made. A large value is laid out a part in each frame;
//! what is laid out so far can be read meanwhile.

mod cache;
mod controls;
mod copy;
mod decoding;
mod document;
mod facts;
mod format_line;
mod headers;
mod input;
mod paint;
mod part;
mod readers;

use egui::containers::menu::MenuButton;
use egui::{Align2, Id, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::decode::rows::Row;

use super::context::Cx;
use super::num::{f32_from_count, u64_from_usize, usize_from_u64};
use super::scroll::Rows;
use super::state::detail::{Part, Section};
use super::state::{DetailMsg, Msg};
use super::tokens::size;
use super::{draw, fonts, format, glossary, taking};
use document::{Block, Document, Spot};
use input::Shown;

pub use cache::{Cost, DetailCache};

/// Height of a row in points.
const LINE: f32 = 19.0;
/// Height of a section's heading.
const HEADING: f32 = 26.0;
/// Height of what separates sections.
const GAP: f32 = 8.0;
const CHAR: f32 = size::DATA * 0.6;
const MARGIN: f32 = 14.0;
/// Room between the edge of a value's ground and its text.
const INSET: f32 = 8.0;
/// How wide a character of words is at most, in the mean.
const WORD_CHAR: f32 = 7.2;
/// Draws the record in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, cache: &mut DetailCache) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    let Some(record) = cx.state.record.clone() else {
        *cache = DetailCache::empty(cx.state.detail_asked);
        paint::empty(ui, cx.tokens, area);
        return;
    };
    let inner = area.shrink2(vec2(MARGIN, 0.0));
    let title = Rect::from_min_size(inner.min, vec2(inner.width(), 30.0));
    let ways = Rect::from_min_size(
        pos2(inner.left(), title.bottom()),
        vec2(inner.width(), 20.0),
    );
    let body = Rect::from_min_max(pos2(area.left(), ways.bottom() + 5.0), area.max);
    let width = inner.width() - size::SCROLL_BAR - 2.0 * INSET;
    let columns = paint::usize_from_f32(width / CHAR).max(16);
    cache.prepare(ui.ctx(), cx, &record, columns);
    if cache.is_unfinished() {
        ui.ctx().request_repaint();
    }
    let document = Document::new(&cache.content);
    let height = |row| document.spot(row).map_or(LINE, |spot| height_of(&spot));
    let rows = Rows {
        count: document.rows(),
        height: &height,
        viewport: body.height(),
    };
    let scroll = cache.scroll(cx, &document, &rows);
    let top = document.spot(scroll.row);
    cache.hold(scroll, top);
    if scroll != cx.state.detail.scroll {
        cx.push(Msg::Detail(DetailMsg::Scroll(scroll)));
    }
    let at = top.map_or(Section::Facts, |spot| spot.section);
    controls::jumps(ui, cx, ways, &document, at, record.headers.len());
    ui.painter()
        .hline(area.x_range(), ways.bottom() + 0.5, cx.tokens.hairline());
    let asked = cache.was_asked(cx.state.detail_asked);
    let shown = Shown {
        rows: &rows,
        scroll,
        document: &document,
        content: &cache.content,
        record: &record,
        columns,
    };
    if asked {
        ui.memory_mut(|memory| memory.request_focus(body_id()));
    }
    show_title(ui, cx, title, &shown);
    let drawn = show_body(ui, cx, body, &shown);
    cache.cost.rows = drawn;
    if let Some((done, all)) = cache.content.value.view.unfinished() {
        let part = f32_from_count(done) / f32_from_count(all.max(1));
        draw::progress(ui.painter(), cx.tokens, body, Some(part));
    }
}

fn body_id() -> Id {
    Id::unique("record body")
}

fn height_of(spot: &Spot) -> f32 {
    match spot.block {
        Block::Heading => HEADING,
        Block::Gap => GAP,
        _ => LINE,
    }
}

/// The address of the record, and what can be copied.
fn show_title(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, shown: &Shown<'_>) {
    let record = shown.record;
    let button = Rect::from_min_max(
        pos2(rect.right() - 54.0, rect.top() + 5.0),
        pos2(rect.right(), rect.bottom() - 3.0),
    );
    let address = facts::address(record);
    let has_links = !taking::links(cx).is_empty();
    let open = Rect::from_min_max(
        pos2(button.left() - 76.0, button.top()),
        pos2(button.left() - 6.0, button.bottom()),
    );
    let end = if has_links { open } else { button };
    let name = Rect::from_min_max(rect.min, pos2(end.left() - 8.0, rect.bottom()));
    let galley = draw::fitted(
        ui.painter(),
        &address,
        fonts::strong(),
        cx.tokens.text,
        name.width(),
    );
    let is_cut = galley.elided;
    let place = draw::galley(
        ui.painter(),
        name.left_center(),
        Align2::LEFT_CENTER,
        galley,
    );
    let response = ui.interact(place, Id::unique("record address"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &address));
    if is_cut {
        response.on_hover_text(&address);
    }
    if has_links {
        ui.scope_builder(UiBuilder::new().max_rect(open), |ui| {
            ui.spacing_mut().button_padding = vec2(6.0, 1.0);
            ui.spacing_mut().interact_size.y = open.height();
            let label = egui::RichText::new("Open in…").size(size::SMALL);
            MenuButton::new(label).ui(ui, |ui| taking::links_menu(ui, cx, record));
        });
    }
    ui.scope_builder(UiBuilder::new().max_rect(button), |ui| {
        ui.spacing_mut().button_padding = vec2(6.0, 1.0);
        ui.spacing_mut().interact_size.y = button.height();
        let label = egui::RichText::new("Copy…").size(size::SMALL);
        MenuButton::new(label).ui(ui, |ui| copy::menu(ui, cx, shown));
    });
}

/// Draws the rows on screen and takes what is done to them. How many they are.
fn show_body(ui: &mut Ui, cx: &mut Cx<'_>, body: Rect, shown: &Shown<'_>) -> usize {
    let text = Rect::from_min_max(
        body.min,
        pos2(body.right() - size::SCROLL_BAR, body.bottom()),
    );
    let response = ui.interact(text, body_id(), Sense::click_and_drag());
    let name = format!("Record {}", facts::address(shown.record));
    response.widget_info(|| WidgetInfo::labeled(Role::Document, true, &name));
    if response.has_focus() && cx.keys_lead {
        draw::focus_ring(ui.painter(), cx.tokens, text);
    }
    let visible = shown.rows.visible(shown.scroll);
    ui.scope_builder(UiBuilder::new().max_rect(body), |ui| {
        ui.set_clip_rect(body.intersect(ui.clip_rect()));
        let mut laid: Option<(Block, u64, Vec<Row>)> = None;
        for (index, (row, top)) in visible.iter().enumerate() {
            let Some(spot) = shown.document.spot(*row) else {
                continue;
            };
            let rect = Rect::from_min_size(
                pos2(body.left() + MARGIN, body.top() + top),
                vec2(
                    body.width() - 2.0 * MARGIN - size::SCROLL_BAR,
                    height_of(&spot),
                ),
            );
            let is_laid = document::layout_of(shown.content, spot.block).is_some();
            if is_laid {
                ui.painter().rect_filled(rect, 0, cx.tokens.window);
            }
            let is_picked = cx.state.detail.picked.is_some_and(|picked| {
                picked.section == spot.section
                    && picked.columns == shown.columns
                    && picked.holds(spot.in_section)
            });
            if is_picked {
                ui.painter().rect_filled(rect, 0, cx.tokens.selected);
            }
            if is_laid {
                let left = u64_from_usize(visible.len().saturating_sub(index));
                let row = laid_row(&mut laid, shown, &spot, left);
                if let Some(row) = row {
                    let id = Id::unique(("record row", spot.section, spot.in_section));
                    paint::laid(ui, cx.tokens, rect, id, row);
                }
            } else if let Block::Format(part) = spot.block {
                format_line::show(ui, cx, rect, shown, part);
            } else if spot.block == Block::Heading {
                show_heading(ui, cx, rect, shown, spot.section);
            } else {
                let said = document::words_at(shown.content, shown.record, &spot);
                paint::row(ui, cx, rect, shown.content, shown.record, &spot, &said);
            }
        }
    });
    input::take(ui, cx, body, &response, shown);
    response.context_menu(|ui| copy::menu(ui, cx, shown));
    visible.len()
}

/// The row of a value at `spot`. Those of its block that follow on screen, at most `left` in all, are made with
/// it, so that the way to the first is gone once.
fn laid_row<'l>(
    laid: &'l mut Option<(Block, u64, Vec<Row>)>,
    shown: &Shown<'_>,
    spot: &Spot,
    left: u64,
) -> Option<&'l Row> {
    if laid.as_ref().is_none_or(|(block, ..)| *block != spot.block) {
        let layout = document::layout_of(shown.content, spot.block)?;
        let rows = layout.shown(spot.index..spot.index.saturating_add(left));
        *laid = Some((spot.block, spot.index, rows));
    }
    let (_, first, rows) = laid.as_ref()?;
    rows.get(usize_from_u64(spot.index.checked_sub(*first)?))
}

fn show_heading(ui: &Ui, cx: &mut Cx<'_>, rect: Rect, shown: &Shown<'_>, section: Section) {
    let part = match section {
        Section::Value => Some(Part::Value),
        Section::Key => Some(Part::Key),
        Section::Facts | Section::Readers | Section::Headers => None,
    };
    let Some(part) = part else {
        let count = format::count(u64_from_usize(shown.record.headers.len()));
        paint::heading(ui.painter(), cx.tokens, rect, "HEADERS", &count);
        let id = Id::unique("heading of the headers");
        ui.interact(rect, id, Sense::hover())
            .on_hover_text(glossary::hint("header").unwrap_or_default());
        return;
    };
    let view = &shown.content.part(part).view;
    let taken = controls::looks(ui, cx, rect, part, view);
    let (name, bytes) = match part {
        Part::Value => ("VALUE", &shown.record.value),
        Part::Key => ("KEY", &shown.record.key),
    };
    let bytes = bytes.as_ref().filter(|bytes| !bytes.is_empty());
    let mut remark = bytes.map_or_else(String::new, |bytes| {
        format::size(u64_from_usize(bytes.len()))
    });
    if let Some((done, _)) = view.unfinished() {
        let done = format::size(u64_from_usize(done));
        remark = format!("{remark} · {done} laid out");
    }
    let room = Rect::from_min_max(rect.min, pos2(rect.right() - taken, rect.bottom()));
    paint::heading(ui.painter(), cx.tokens, room, name, &remark);
    let id = Id::unique(("heading of a part", part));
    let response = ui.interact(room, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, format!("{name} {remark}")));
    if let Some(bytes) = bytes {
        let exact = u64_from_usize(bytes.len());
        let exact = format::counted(exact, "byte", "bytes");
        response.on_hover_text(match part {
            Part::Value => exact,
            Part::Key => glossary::explained(&exact, "key"),
        });
    }
}
