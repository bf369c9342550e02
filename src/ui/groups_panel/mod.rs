//! The consumer groups and how far behind each is. Choosing one decides what is unread on the timeline; Enter or
//! a second click opens its tab.

mod summary;

pub use summary::Summaries;

use std::sync::Arc;

use egui::{
    Align2, EventFilter, Id, Key, Modifiers, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};

use crate::engine::GroupPlaces;
use crate::model::Text;

use super::context::Cx;
use super::num::{u64_from_usize, usize_from_u64};
use super::scroll::{self, Rows};
use super::state::{BottomTab, Msg, RewindMsg};
use super::tokens::size;
use super::{draw, fonts, format, glossary};
use summary::{Summary, Tone};

/// The part of a row that what is said of a group takes at most, beside a name that needs the room.
const MOST_NOTE: f32 = 0.66;

/// Draws the groups in all the room there is.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, summaries: &mut Summaries) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    let inventory = Arc::clone(&cx.snapshot.inventory);
    let groups = inventory.groups();
    let header = Rect::from_min_size(area.min, vec2(area.width(), 28.0));
    show_header(ui, cx, header, groups.len());
    let list = Rect::from_min_max(pos2(area.left(), header.bottom()), area.max);
    if groups.is_empty() {
        empty_state(ui, cx, list);
        return;
    }
    let height = |_| size::ROW;
    let rows = Rows {
        count: u64_from_usize(groups.len()),
        height: &height,
        viewport: list.height(),
    };
    let scroll = rows.clamped(cx.state.group_scroll);
    let visible = rows.visible(scroll);
    let current = cx
        .state
        .group
        .as_ref()
        .and_then(|name| {
            groups
                .iter()
                .position(|group| group.group.listing.name == *name)
        })
        .filter(|index| {
            visible
                .iter()
                .any(|(row, _)| usize_from_u64(*row) == *index)
        })
        .or_else(|| visible.first().map(|(row, _)| usize_from_u64(*row)));
    let ui_clip = ui.painter().with_clip_rect(list);
    for (row, top) in &visible {
        let index = usize_from_u64(*row);
        let (Some(group), Some(summary)) = (groups.get(index), summaries.of(&inventory, index))
        else {
            continue;
        };
        let name = &group.group.listing.name;
        let rect = Rect::from_min_size(
            pos2(list.left(), list.top() + top),
            vec2(list.width(), size::ROW),
        );
        let on_screen = rect.intersect(list);
        let sense = draw::list_item_sense(ui, row_id(name), current == Some(index));
        let response = ui.interact(on_screen, row_id(name), sense);
        let is_chosen = cx.state.group.as_ref() == Some(name);
        response.widget_info(|| {
            WidgetInfo::selected(
                Role::ListItem,
                true,
                is_chosen,
                format!("Group {name}, {}", summary.text),
            )
        });
        if is_chosen {
            ui_clip.rect_filled(rect, 0, cx.tokens.selected);
        } else if response.hovered() {
            ui_clip.rect_filled(rect, 0, cx.tokens.raised);
        }
        paint_row(&ui_clip, cx, rect, name, &summary);
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(&ui_clip, cx.tokens, on_screen);
            }
            keys(ui, cx, groups, &rows, scroll, index, name);
        }
        let opened = response.double_clicked()
            || (response.has_focus()
                && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter)));
        if opened {
            cx.push(Msg::SelectGroup(Some(name.clone())));
            cx.push(Msg::ShowTab(BottomTab::Group));
        } else if response.clicked() {
            cx.push(Msg::SelectGroup(if is_chosen {
                None
            } else {
                Some(name.clone())
            }));
            response.request_focus();
        }
        response.context_menu(|ui| {
            let name = name.clone();
            if ui
                .button(format!("Rewind {}…", format::group_name(&name, 40)))
                .clicked()
            {
                cx.push(Msg::SelectGroup(Some(name)));
                cx.push(Msg::Rewind(RewindMsg::Open));
            }
        });
        response.on_hover_text(&summary.hint);
    }
    scrolling(ui, cx, list, &rows, scroll);
}

fn paint_row(painter: &egui::Painter, cx: &Cx<'_>, rect: Rect, name: &Text, summary: &Summary) {
    let tokens = cx.tokens;
    let middle = rect.center().y;
    let chip = Rect::from_center_size(
        pos2(rect.left() + 19.0, middle),
        vec2(size::CHIP, size::CHIP),
    );
    let hue = if summary.has_committed {
        tokens.hue(name)
    } else {
        tokens.no_hue
    };
    draw::chip(painter, tokens, chip, &cx.marks.of(name), hue);
    let color = match summary.tone {
        Tone::Unknown => tokens.warning,
        Tone::Behind | Tone::Calm => tokens.dim,
    };
    let shown_name = format::group_name(name, 128);
    let name_left = rect.left() + 34.0;
    let room = rect.right() - 12.0 - name_left;
    let name_galley = draw::fitted(
        painter,
        &shown_name,
        fonts::text(),
        tokens.text,
        f32::INFINITY,
    );
    let rest = room - name_galley.size().x - 10.0;
    let full = draw::fitted(painter, &summary.text, fonts::data(), color, f32::INFINITY);
    let note = if full.size().x <= rest {
        full
    } else {
        draw::fitted(
            painter,
            &summary.short,
            fonts::data(),
            color,
            rest.max(room * MOST_NOTE),
        )
    };
    let note_rect = draw::galley(
        painter,
        pos2(rect.right() - 12.0, middle),
        Align2::RIGHT_CENTER,
        note,
    );
    let name_room = note_rect.left() - name_left - 8.0;
    let name = draw::fitted_in_middle(painter, &shown_name, fonts::text(), tokens.text, name_room);
    draw::galley(painter, pos2(name_left, middle), Align2::LEFT_CENTER, name);
}

fn show_header(ui: &Ui, cx: &Cx<'_>, rect: Rect, count: usize) {
    let painter = ui.painter();
    let tokens = cx.tokens;
    let at = pos2(rect.left() + 12.0, rect.center().y);
    let heading = draw::text(
        painter,
        at,
        Align2::LEFT_CENTER,
        "GROUPS",
        fonts::small(),
        tokens.faint,
        rect.width(),
    );
    let hint = glossary::hint("consumer group").unwrap_or_default();
    ui.interact(heading, Id::unique("groups heading"), Sense::hover())
        .on_hover_text(hint);
    let missing = &cx.snapshot.inventory.groups_missing;
    let is_known = matches!(cx.snapshot.inventory.groups, Some(Ok(_)));
    let (text, color) = if !is_known {
        ("—".to_owned(), tokens.faint)
    } else if missing.is_empty() {
        (format::count(u64_from_usize(count)), tokens.faint)
    } else {
        (
            format!("{}+", format::count(u64_from_usize(count))),
            tokens.warning,
        )
    };
    let number = draw::text(
        painter,
        pos2(rect.right() - 12.0, rect.center().y),
        Align2::RIGHT_CENTER,
        &text,
        fonts::small_data(),
        color,
        rect.width(),
    );
    if !missing.is_empty() {
        let reasons: Vec<String> = missing.iter().map(ToString::to_string).collect();
        let response = ui.interact(
            number.expand(4.0),
            Id::unique("groups missing"),
            Sense::hover(),
        );
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, "There may be more groups"));
        response.on_hover_text(format!("There may be more groups: {}", reasons.join("; ")));
    }
}

fn empty_state(ui: &Ui, cx: &Cx<'_>, list: Rect) {
    let (text, color) = match &cx.snapshot.inventory.groups {
        None => ("Reading groups…".to_owned(), cx.tokens.dim),
        Some(Err(problem)) => (
            format!("The groups cannot be read: {problem}"),
            cx.tokens.warning,
        ),
        Some(Ok(_)) => ("There are no groups yet".to_owned(), cx.tokens.dim),
    };
    let galley = ui
        .painter()
        .layout(text, fonts::text(), color, list.width() - 24.0);
    ui.painter()
        .galley(list.min + vec2(12.0, 4.0), galley, color);
}

fn keys(
    ui: &Ui,
    cx: &mut Cx<'_>,
    groups: &[GroupPlaces],
    rows: &Rows<'_>,
    scroll: scroll::RowScroll,
    index: usize,
    name: &Text,
) {
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(row_id(name), filter));
    let from = u64_from_usize(index);
    let target = scroll::stepped(ui, from, rows.count, rows.page(scroll));
    if target != from
        && let Some(next) = groups.get(usize_from_u64(target))
    {
        let next = next.group.listing.name.clone();
        ui.memory_mut(|memory| memory.request_focus(row_id(&next)));
        cx.push(Msg::SelectGroup(Some(next)));
        cx.push(Msg::ScrollGroups(rows.revealing(scroll, target)));
    }
}

fn scrolling(ui: &Ui, cx: &mut Cx<'_>, list: Rect, rows: &Rows<'_>, scroll: scroll::RowScroll) {
    let id = Id::unique("group scroll");
    if let Some(to) = scroll::wheel_and_bar(ui, cx.tokens, id, list, rows, scroll) {
        cx.push(Msg::ScrollGroups(to));
    }
}

fn row_id(name: &Text) -> Id {
    Id::unique(("group", name))
}
