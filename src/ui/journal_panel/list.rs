//! The entries, the newest first, each in two lines: whose offsets and how far that is; when, by whom and where.

use std::sync::Arc;

use egui::{Align2, Button, EventFilter, Id, Painter, Rect, Role, Ui, WidgetInfo, pos2, vec2};

use crate::decode::visible::one_line;
use crate::model::JournalEntry;
use crate::model::json::JournalLine;

use super::super::context::Cx;
use super::super::num::{u64_from_usize, usize_from_u64};
use super::super::scroll::{self, RowScroll, Rows};
use super::super::state::{JournalMsg, Msg, Notice};
use super::super::tokens::size;
use super::super::{draw, fonts, format};
use super::detail::color;
use super::lines::About;
use super::model::JournalPanel;
use super::words::{self, Here, Said, Tone};

/// Height of what stands above the entries.
const HEAD: f32 = 30.0;
/// Height of an entry.
const ROW: f32 = 42.0;

/// Draws `entries` in `area`; the one at `chosen` is shown in detail.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    entries: &[Arc<JournalEntry>],
    panel: &JournalPanel,
    chosen: usize,
) {
    let (head, body) = area.split_top_bottom_at_y(area.top() + HEAD);
    show_head(ui, cx, head, entries);
    let height = |_| ROW;
    let rows = Rows {
        count: u64_from_usize(entries.len()),
        height: &height,
        viewport: body.height(),
    };
    let scroll = rows.clamped(cx.state.journal.scroll);
    let visible = rows.visible(scroll);
    let chosen = u64_from_usize(chosen);
    let first = visible.first().map(|(row, _)| *row);
    let tab_stop = visible
        .iter()
        .map(|(row, _)| *row)
        .find(|row| *row == chosen)
        .or(first);
    let painter = ui.painter().with_clip_rect(body);
    for (row, top) in &visible {
        let Some(entry) = entries.get(usize_from_u64(*row)) else {
            continue;
        };
        let rect = Rect::from_min_size(
            pos2(body.left(), body.top() + top),
            vec2(body.width() - size::SCROLL_BAR, ROW),
        );
        let on_screen = rect.intersect(body);
        let id = row_id(&entry.id);
        let sense = draw::list_item_sense(ui, id, tab_stop == Some(*row));
        let response = ui.interact(on_screen, id, sense);
        let words = Words::of(cx, entry, panel);
        let is_chosen = *row == chosen;
        response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_chosen, words.spoken()));
        if is_chosen {
            painter.rect_filled(rect, 0, cx.tokens.selected);
        } else if response.hovered() {
            painter.rect_filled(rect, 0, cx.tokens.raised);
        }
        paint(&painter, cx, rect, entry, &words);
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(&painter, cx.tokens, on_screen);
            }
            keys(ui, cx, entries, &rows, scroll, *row);
        }
        if response.clicked() {
            cx.push(Msg::Journal(JournalMsg::Choose(entry.id.clone())));
            response.request_focus();
        }
        response.on_hover_text(words.spoken());
    }
    let id = Id::unique("journal scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, body, &rows, scroll) {
        cx.push(Msg::Journal(JournalMsg::Scroll(to)));
    }
}

fn show_head(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, entries: &[Arc<JournalEntry>]) {
    let painter = ui.painter().clone();
    painter.rect_filled(rect, 0, cx.tokens.panel);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, cx.tokens.hairline());
    let count = u64_from_usize(entries.len());
    let text = format::counted(count, "CHANGE", "CHANGES");
    draw::text(
        &painter,
        pos2(rect.left() + 12.0, rect.center().y),
        Align2::LEFT_CENTER,
        &text,
        fonts::small(),
        cx.tokens.faint,
        rect.width() * 0.5,
    );
    let place = Rect::from_min_max(
        pos2(rect.right() - 130.0, rect.top() + 4.0),
        pos2(rect.right() - 8.0, rect.bottom() - 4.0),
    );
    let label = egui::RichText::new("Copy all as JSON").size(size::SMALL);
    let hint = "As tideline journal --json writes it; an entry can be undone from it elsewhere";
    let button = ui.put(place, Button::new(label)).on_hover_text(hint);
    if button.clicked() {
        copy(ui, cx, entries.iter().map(|entry| &**entry), "The journal");
    }
}

/// Puts `entries` into the clipboard, as scripts are given them.
pub fn copy<'a>(
    ui: &Ui,
    cx: &mut Cx<'_>,
    entries: impl IntoIterator<Item = &'a JournalEntry>,
    what: &str,
) {
    let text = serde_json::to_string(&JournalLine::of(entries)).unwrap_or_default();
    ui.ctx().copy_text(text);
    cx.push(Msg::Notice(Notice::done(format!(
        "{what} is in the clipboard as JSON"
    ))));
}

/// What is said of an entry.
struct Words {
    group: String,
    target: String,
    state: Said,
    when: String,
    user: String,
    cluster: String,
    is_elsewhere: bool,
    /// What it has to do with another entry.
    undo: &'static str,
}

impl Words {
    fn of(cx: &Cx<'_>, entry: &JournalEntry, panel: &JournalPanel) -> Self {
        let progress = cx.snapshot.journal.progress.get(&entry.id);
        let about = About {
            entry,
            progress,
            panel,
            snapshot: cx.snapshot,
            zone: cx.zone,
        };
        let is_elsewhere = about.here() == Here::Other;
        let cluster = words::cluster(entry, cx.snapshot);
        let cluster = one_line(cluster.as_bytes(), 128);
        let undo = if panel.undone_by(&entry.id).is_some() {
            "undone"
        } else if entry.undoes.is_some() {
            "an undo"
        } else {
            ""
        };
        Self {
            group: format::group_name(&entry.group, 128),
            target: one_line(entry.target.as_bytes(), 200),
            state: about.state(),
            when: words::when(entry.at, cx.zone),
            user: one_line(entry.user.as_bytes(), 128),
            cluster: if is_elsewhere {
                format!("another cluster: {cluster}")
            } else {
                cluster
            },
            is_elsewhere,
            undo,
        }
    }

    fn spoken(&self) -> String {
        let parts = [
            self.group.as_str(),
            &self.target,
            &self.state.text,
            self.undo,
            &self.when,
            &self.user,
            &self.cluster,
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }
}

fn paint(painter: &Painter, cx: &Cx<'_>, rect: Rect, entry: &JournalEntry, words: &Words) {
    let tokens = cx.tokens;
    let (upper, lower) = (rect.top() + 13.0, rect.top() + 30.0);
    let (left, right) = (rect.left() + 12.0, rect.right() - 10.0);
    let width = right - left;
    let chip = Rect::from_center_size(
        pos2(left + size::CHIP / 2.0, upper),
        vec2(size::CHIP, size::CHIP),
    );
    let mark = cx.marks.of(&entry.group);
    if words.is_elsewhere {
        draw::hollow_chip(painter, chip, &mark, tokens.dim);
    } else {
        draw::chip(painter, tokens, chip, &mark, tokens.hue(&entry.group));
    }
    let state_color = color(tokens, words.state.tone);
    let full = draw::fitted(
        painter,
        &words.state.text,
        fonts::small(),
        state_color,
        f32::INFINITY,
    );
    let state = if full.size().x <= width * 0.55 {
        full
    } else {
        draw::fitted(
            painter,
            &words.state.short,
            fonts::small(),
            state_color,
            width * 0.55,
        )
    };
    let state = draw::galley(painter, pos2(right, upper), Align2::RIGHT_CENTER, state);
    let name_left = chip.right() + 8.0;
    let room = state.left() - name_left - 12.0;
    let pieces = [
        (words.group.as_str(), fonts::strong(), tokens.text),
        ("   ", fonts::small(), tokens.dim),
        (words.target.as_str(), fonts::small_data(), tokens.dim),
    ];
    let galley = draw::pieces(painter, &pieces, room);
    draw::galley(painter, pos2(name_left, upper), Align2::LEFT_CENTER, galley);
    let undo = draw::text(
        painter,
        pos2(right, lower),
        Align2::RIGHT_CENTER,
        words.undo,
        fonts::small(),
        color(tokens, Tone::Dim),
        width * 0.3,
    );
    let place = if words.is_elsewhere {
        tokens.warning
    } else {
        tokens.faint
    };
    let user = format!("  {}  ", words.user);
    let pieces = [
        (words.when.as_str(), fonts::small_data(), tokens.dim),
        (user.as_str(), fonts::small_data(), tokens.dim),
        (words.cluster.as_str(), fonts::small(), place),
    ];
    let galley = draw::pieces(painter, &pieces, undo.left() - name_left - 10.0);
    draw::galley(painter, pos2(name_left, lower), Align2::LEFT_CENTER, galley);
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        egui::Stroke::new(1.0, tokens.line.gamma_multiply(0.5)),
    );
}

fn keys(
    ui: &Ui,
    cx: &mut Cx<'_>,
    entries: &[Arc<JournalEntry>],
    rows: &Rows<'_>,
    scroll: RowScroll,
    row: u64,
) {
    let Some(entry) = entries.get(usize_from_u64(row)) else {
        return;
    };
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(row_id(&entry.id), filter));
    let target = scroll::stepped(ui, row, rows.count, rows.page(scroll));
    if target != row
        && let Some(next) = entries.get(usize_from_u64(target))
    {
        ui.memory_mut(|memory| memory.request_focus(row_id(&next.id)));
        cx.push(Msg::Journal(JournalMsg::Choose(next.id.clone())));
        cx.push(Msg::Journal(JournalMsg::Scroll(
            rows.revealing(scroll, target),
        )));
    }
}

fn row_id(entry: &str) -> Id {
    Id::unique(("journal entry", entry))
}
