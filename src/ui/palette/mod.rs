//! Lists that one types into: all commands, or all topics and groups.
//!
//! | part | what it is |
//! |---|---|
//! | `fuzzy` | how well a name answers some letters. Pure |
//! | `hits` | what is offered, and what of it answers |
//! | this file | the dialog: field, list, keys |

mod fuzzy;
mod hits;

pub use hits::Hits;

use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align2, Area, Context, FontId, Id, Key, Modal, Modifiers, Rect, Role, ScrollArea, Sense,
    TextEdit, Ui, WidgetInfo, vec2,
};

use super::commands::{self, Action, Situation};
use super::context::Cx;
use super::scroll::RowScroll;
use super::state::{Dialog, Msg, Query, RewindMsg, WindowMsg};
use super::tokens::size;
use super::{draw, fonts, profiles};
use hits::{Hit, Item};

const ROW: f32 = 28.0;
/// So many rows are shown where the window is high enough.
const ROWS: f32 = 13.0;
const WIDTH: f32 = 600.0;

/// Shows the list `dialog` over the window.
pub fn show(ctx: &Context, cx: &mut Cx<'_>, dialog: &Dialog, hits: &mut Hits) {
    let (query, hint, name) = match dialog {
        Dialog::Commands(query) => (query, "What do you want to do?", "Commands"),
        Dialog::Find(query) => (query, "Name of a topic or group", "Topics and groups"),
        _ => return,
    };
    let found = hits.of(dialog, cx.snapshot);
    let mut next = query.clone();
    let entered = keys(ctx, &mut next, found.len());
    let screen = ctx.content_rect();
    let width = WIDTH.min(screen.width() - 32.0);
    let height = (ROWS * ROW).min(screen.height() * 0.7 - 60.0);
    let area: Area = Modal::default_area(Id::unique("palette"))
        .accessible_name(format!("{name}, to search"))
        .anchor(Align2::CENTER_TOP, vec2(0.0, screen.height() * 0.12));
    let modal = Modal::new(Id::unique("palette"))
        .area(area)
        .backdrop_color(cx.tokens.veil);
    let response = modal.show(ctx, |ui| {
        ui.set_width(width);
        let field = TextEdit::singleline(&mut next.text)
            .id(field_id())
            .hint_text(hint)
            .margin(vec2(8.0, 6.0))
            .desired_width(width);
        let response = ui.add(field).accessible_name(name);
        if response.changed() {
            next.chosen = 0;
        }
        response.request_focus();
        ui.add_space(4.0);
        list(ui, cx, found, &next, query.chosen, height)
    });
    let clicked = response.inner;
    if let Some(index) = clicked.or_else(|| entered.then_some(next.chosen)) {
        if let Some(hit) = found.get(index) {
            choose(ctx, cx, &hit.item);
        }
    } else if response.backdrop_response.clicked() {
        cx.push(Msg::Window(WindowMsg::Close));
    } else if next != *query {
        cx.push(Msg::Window(WindowMsg::Query(next)));
    }
}

fn field_id() -> Id {
    Id::unique("palette query")
}

/// Takes the keys that lead through `count` hits; whether the chosen one was taken.
fn keys(ctx: &Context, query: &mut Query, count: usize) -> bool {
    const PAGE: usize = 10;
    let last = count.saturating_sub(1);
    ctx.input_mut(|input| {
        let mut pressed = |key| input.count_and_consume_key(Modifiers::NONE, key);
        query.chosen = query
            .chosen
            .saturating_add(pressed(Key::ArrowDown))
            .saturating_add(pressed(Key::PageDown).saturating_mul(PAGE))
            .min(last)
            .saturating_sub(pressed(Key::ArrowUp))
            .saturating_sub(pressed(Key::PageUp).saturating_mul(PAGE));
        pressed(Key::Enter) > 0
    })
}

/// The hits; the one that was clicked.
fn list(
    ui: &mut Ui,
    cx: &Cx<'_>,
    found: &[Hit],
    query: &Query,
    chosen_before: usize,
    height: f32,
) -> Option<usize> {
    if found.is_empty() {
        let text = egui::RichText::new("Nothing is named like that").color(cx.tokens.dim);
        ui.label(text);
        return None;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut scroll = ScrollArea::vertical()
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink([false, true]);
    if query.chosen != chosen_before {
        scroll = scroll.vertical_scroll_offset(offset_of(query.chosen, height));
    }
    let mut clicked = None;
    scroll.show_rows(ui, ROW, found.len(), |ui, rows| {
        for index in rows {
            let Some(hit) = found.get(index) else {
                continue;
            };
            let size = vec2(ui.available_width(), ROW);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            if row(ui, cx, hit, rect, index, index == query.chosen) {
                clicked = Some(index);
            }
        }
    });
    clicked
}

/// Where to scroll so that row `index` is in the middle.
fn offset_of(index: usize, height: f32) -> f32 {
    let index = u16::try_from(index).unwrap_or(u16::MAX);
    (f32::from(index) * ROW - (height - ROW) / 2.0).max(0.0)
}

/// One row; whether it was clicked.
fn row(ui: &Ui, cx: &Cx<'_>, hit: &Hit, rect: Rect, index: usize, is_chosen: bool) -> bool {
    let tokens = cx.tokens;
    let id = Id::unique(("palette row", index));
    let response = ui.interact(rect, id, Sense::CLICK);
    let (note, why_not) = note(ui.ctx(), cx.situation(), &hit.item);
    response.widget_info(|| {
        let said = why_not.unwrap_or(&note);
        let label = if said.is_empty() {
            hit.name.clone()
        } else {
            format!("{}, {said}", hit.name)
        };
        WidgetInfo::selected(Role::ListItem, why_not.is_none(), is_chosen, label)
    });
    if is_chosen {
        ui.painter()
            .rect_filled(rect, size::RADIUS, tokens.selected);
        ui.ctx().accesskit_node_builder(field_id(), |node| {
            node.set_active_descendant(id.accesskit_id());
        });
    } else if response.hovered() {
        ui.painter().rect_filled(rect, size::RADIUS, tokens.line);
    }
    let inner = rect.shrink2(vec2(8.0, 0.0));
    let said = draw::text(
        ui.painter(),
        inner.right_center(),
        Align2::RIGHT_CENTER,
        why_not.unwrap_or(&note),
        fonts::small(),
        tokens.dim,
        inner.width() * 0.5,
    );
    let color = if why_not.is_none() {
        tokens.text
    } else {
        tokens.dim
    };
    let room = said.left() - inner.left() - 8.0;
    let galley = marked(ui, hit, color, tokens.accent, room);
    draw::galley(
        ui.painter(),
        inner.left_center(),
        Align2::LEFT_CENTER,
        galley,
    );
    response.clicked() && why_not.is_none()
}

/// A hit's name with the letters that answer in another colour.
fn marked(
    ui: &Ui,
    hit: &Hit,
    color: egui::Color32,
    accent: egui::Color32,
    width: f32,
) -> std::sync::Arc<egui::Galley> {
    let font: FontId = fonts::text();
    let mut job = LayoutJob::default();
    let mut letters = hit.letters.iter().copied().peekable();
    for (at, letter) in hit.name.chars().enumerate() {
        let is_marked = letters.next_if_eq(&at).is_some();
        let color = if is_marked { accent } else { color };
        let mut bytes = [0; 4];
        job.append(
            letter.encode_utf8(&mut bytes),
            0.0,
            TextFormat::simple(font.clone(), color),
        );
    }
    job.wrap = egui::text::TextWrapping::truncate_at_width(width.max(0.0));
    ui.painter().layout_job(job)
}

/// What stands at the right of an item, and why it cannot be chosen.
fn note(ctx: &Context, situation: Situation<'_>, item: &Item) -> (String, Option<&'static str>) {
    match item {
        Item::Command(action) => {
            let keys = action.keys().iter().map(|key| commands::shown(ctx, *key));
            let keys = keys.collect::<Vec<_>>().join(", ");
            (keys, action.why_not(situation))
        }
        Item::Topic(_, is_internal) => {
            let kind = if *is_internal {
                "the bus's own topic"
            } else {
                "topic"
            };
            (kind.to_owned(), None)
        }
        Item::Group(..) | Item::Rewind(_) => ("group".to_owned(), None),
        Item::Profile(name) => {
            let present = situation.snapshot.access.profile.as_ref();
            let is_present = situation.is_connected
                && present.is_some_and(|present| present.as_bytes() == name.as_bytes());
            let why_not = is_present.then_some("it is connected already");
            ("profile".to_owned(), why_not)
        }
    }
}

fn choose(ctx: &Context, cx: &mut Cx<'_>, item: &Item) {
    match item {
        Item::Command(action) => run(cx, *action),
        Item::Topic(name, is_internal) => {
            cx.push(Msg::Window(WindowMsg::Close));
            if *is_internal {
                cx.push(Msg::ShowInternal(true));
            }
            cx.push(Msg::ShowTopic(std::sync::Arc::clone(name)));
        }
        Item::Group(name, index) => {
            cx.push(Msg::Window(WindowMsg::Close));
            cx.push(Msg::SelectGroup(Some(name.clone())));
            cx.push(Msg::ScrollGroups(RowScroll {
                row: index.saturating_sub(2),
                hidden: 0.0,
            }));
        }
        Item::Rewind(name) => {
            cx.push(Msg::Window(WindowMsg::Close));
            cx.push(Msg::SelectGroup(Some(name.clone())));
            cx.push(Msg::Rewind(RewindMsg::Open));
        }
        Item::Profile(name) => {
            if let Some(profile) = profiles::find(cx, name)
                && note(ctx, cx.situation(), item).1.is_none()
            {
                let message = profiles::connect(cx, profile);
                cx.push(Msg::Window(WindowMsg::Close));
                cx.push(message);
            }
        }
    }
}

/// Runs `action` when it can be used; the list gives way to what it opens.
fn run(cx: &mut Cx<'_>, action: Action) {
    if action.why_not(cx.situation()).is_none() {
        cx.push(Msg::Window(WindowMsg::Close));
        let message = action.message(cx.situation());
        cx.push(message);
    }
}
