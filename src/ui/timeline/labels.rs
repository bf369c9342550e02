//! The column of labels: the topic tree, one row a lane, and the filter above it.

use egui::{
    Align2, Checkbox, EventFilter, Id, Key, Modifiers, Rect, Role, TextEdit, Ui, WidgetInfo, pos2,
    vec2,
};

use super::super::context::Cx;
use super::super::draw;
use super::super::fonts;
use super::super::num::{u64_from_usize, usize_from_u64};
use super::super::scroll::{self, RowScroll, Rows};
use super::super::state::{AxisKind, LaneKey, Msg};
use super::super::tokens::size;
use super::layout::Geometry;
use super::menu;
use super::model::{Lane, Lanes};

/// The filter, and whether the bus's own topics are shown.
pub fn corner(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, lanes: &Lanes) {
    let tokens = cx.tokens;
    ui.painter().rect_filled(rect, 0, tokens.panel);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, tokens.hairline());
    let upper = Rect::from_min_size(rect.min, vec2(rect.width(), size::MINIMAP + 4.0));
    let lower = Rect::from_min_max(pos2(rect.left(), upper.bottom()), rect.max);
    below_filter(ui, cx, lower, lanes);
    let inner = upper.shrink2(vec2(8.0, 3.0));
    let toggle_width = 66.0;
    let field = Rect::from_min_max(
        inner.min,
        pos2(inner.right() - toggle_width - 6.0, inner.bottom()),
    );
    let mut filter = cx.state.filter.clone();
    let edit = TextEdit::singleline(&mut filter)
        .id(filter_id())
        .hint_text("Filter topics")
        .align(Align2::LEFT_CENTER)
        .min_size(field.size())
        .margin(vec2(7.0, 2.0));
    let response = ui.put(field, edit).accessible_name("Filter topics");
    if response.changed() {
        cx.push(Msg::Filter(filter));
    }
    let toggle = Rect::from_min_max(pos2(inner.right() - toggle_width, inner.top()), inner.max);
    let label = egui::RichText::new("internal")
        .size(size::SMALL)
        .color(tokens.dim);
    let mut internal = cx.state.internal;
    let checkbox = Checkbox::new(&mut internal, label);
    let hint = if cx.state.internal {
        "Hide the topics in which the bus keeps its own data".to_owned()
    } else {
        format!(
            "Show the topics in which the bus keeps its own data ({})",
            super::super::format::count(u64_from_usize(lanes.hidden_internal()))
        )
    };
    if ui.put(toggle, checkbox).on_hover_text(hint).changed() {
        cx.push(Msg::ShowInternal(internal));
    }
}

/// The field with the filter.
pub fn filter_id() -> Id {
    Id::unique("topic filter")
}

/// How many lanes there are, and whether idle stretches are folded.
fn below_filter(ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, lanes: &Lanes) {
    let tokens = cx.tokens;
    let inner = rect.shrink2(vec2(8.0, 2.0));
    let toggle = Rect::from_min_max(pos2(inner.right() - 72.0, inner.top()), inner.max);
    let topics = u64_from_usize(lanes.topics());
    let text = match &cx.snapshot.inventory.topics {
        Some(Ok(_)) => super::super::format::counted(topics, "topic", "topics"),
        None | Some(Err(_)) => "topics —".to_owned(),
    };
    draw::text(
        ui.painter(),
        pos2(inner.left() + 4.0, inner.center().y),
        Align2::LEFT_CENTER,
        &text,
        fonts::small(),
        tokens.faint,
        toggle.left() - inner.left() - 8.0,
    );
    let is_time = cx.state.axis == AxisKind::Time;
    let known = cx.snapshot.density.overview.is_some();
    let mut folded = cx.state.fold_idle;
    let label = egui::RichText::new("fold idle")
        .size(size::SMALL)
        .color(tokens.dim);
    let hint = match (is_time, known) {
        (false, _) => "Only time has idle stretches; the axis shows offsets",
        (true, false) => "Where nothing was written is not known yet",
        (true, true) => "Show long stretches in which nothing was written in a few points",
    };
    let enabled = is_time && (known || folded);
    let response = ui
        .add_enabled_ui(enabled, |ui| {
            ui.put(toggle, Checkbox::new(&mut folded, label))
        })
        .inner;
    if response
        .on_hover_text(hint)
        .on_disabled_hover_text(hint)
        .changed()
    {
        cx.push(Msg::FoldIdle(folded));
    }
}

/// The labels of the lanes on screen.
pub fn rows(
    ui: &Ui,
    cx: &mut Cx<'_>,
    geometry: &Geometry,
    lanes: &Lanes,
    rows: &Rows<'_>,
    scroll: RowScroll,
) {
    for rect in [geometry.labels, geometry.pinned_labels] {
        ui.painter().rect_filled(rect, 0, cx.tokens.panel);
    }
    let on_screen = |key: &&LaneKey| {
        let mut slots = geometry.slots.iter();
        slots.any(|slot| lanes.get(slot.index).is_some_and(|lane| lane.key == **key))
    };
    let first = || {
        lanes
            .get(geometry.slots.first()?.index)
            .map(|lane| lane.key.clone())
    };
    let current = cx
        .state
        .lane
        .as_ref()
        .filter(on_screen)
        .cloned()
        .or_else(first);
    for (band, slots) in geometry.bands() {
        let painter = ui.painter().with_clip_rect(Rect::from_x_y_ranges(
            geometry.labels.x_range(),
            band.y_range(),
        ));
        for slot in slots {
            let Some(lane) = lanes.get(slot.index) else {
                continue;
            };
            let is_current = !lane.pinned && current.as_ref() == Some(&lane.key);
            let tree = Tree {
                lanes,
                rows,
                scroll,
                index: slot.index,
            };
            row(
                ui,
                &painter,
                cx,
                geometry.label_rect(slot),
                lane,
                is_current,
                &tree,
            );
        }
    }
}

/// The tree that keys move in, and where in it a label is.
struct Tree<'a> {
    lanes: &'a Lanes,
    rows: &'a Rows<'a>,
    scroll: RowScroll,
    index: usize,
}

fn row(
    ui: &Ui,
    painter: &egui::Painter,
    cx: &mut Cx<'_>,
    rect: Rect,
    lane: &Lane,
    is_current: bool,
    tree: &Tree<'_>,
) {
    let id = label_id(&lane.key, lane.pinned);
    let sense = draw::list_item_sense(ui, id, is_current);
    let visible = rect.intersect(painter.clip_rect());
    let response = ui.interact(visible, id, sense);
    response.widget_info(|| {
        let name = if lane.pinned {
            format!("{}, pinned", lane.key.title())
        } else {
            lane.key.title()
        };
        let mut info = WidgetInfo::labeled(Role::TreeItem, true, name);
        info.selected = lane.is_topic().then_some(lane.open);
        info
    });
    if response.hovered() {
        painter.rect_filled(rect, 0, cx.tokens.raised);
    } else if cx.state.lane.as_ref() == Some(&lane.key) {
        painter.rect_filled(rect, 0, cx.tokens.selected.gamma_multiply(0.7));
    }
    one_label(painter, cx, lane, rect);
    if response.has_focus() {
        if cx.keys_lead {
            draw::focus_ring(painter, cx.tokens, visible);
        }
        keys(ui, cx, lane, tree);
        if menu::is_asked_for(ui) {
            menu::open_label(ui, cx, lane, visible.left_bottom(), true);
        }
    }
    if response.clicked() {
        cx.push(Msg::FocusLane(lane.key.clone()));
        if lane.is_topic() && !lane.pinned {
            cx.push(Msg::Toggle(lane.key.topic.clone()));
        }
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    if response.secondary_clicked() {
        let at = response.interact_pointer_pos();
        let at = at.unwrap_or_else(|| visible.left_bottom());
        menu::open_label(ui, cx, lane, at, false);
    }
    let hint = &lane.note().hint;
    if !hint.is_empty() {
        response.on_hover_text(hint);
    }
}

fn one_label(painter: &egui::Painter, cx: &Cx<'_>, lane: &Lane, rect: Rect) {
    let tokens = cx.tokens;
    let middle = rect.center().y;
    let note = lane.note();
    let note_color = if note.is_problem {
        tokens.warning
    } else {
        tokens.dim
    };
    let note_at = pos2(rect.right() - 12.0, middle);
    let note_rect = draw::text(
        painter,
        note_at,
        Align2::RIGHT_CENTER,
        &note.text,
        fonts::data(),
        note_color,
        120.0,
    );
    let (indent, font, color) = if lane.is_topic() {
        let mark = pos2(rect.left() + 15.0, middle);
        if lane.pinned {
            draw::pin_mark(painter, mark, tokens.dim);
        } else {
            draw::fold_mark(painter, mark, lane.open, tokens.dim);
        }
        (24.0, fonts::strong(), tokens.text)
    } else {
        (26.0, fonts::data(), tokens.dim)
    };
    let name = match lane.key.partition {
        None => crate::decode::visible::one_line(lane.key.topic.as_bytes(), 256),
        Some(_) if lane.pinned => lane.key.title(),
        Some(partition) => partition.to_string(),
    };
    let room = note_rect.left() - rect.left() - indent - 8.0;
    draw::text(
        painter,
        pos2(rect.left() + indent, middle),
        Align2::LEFT_CENTER,
        &name,
        font,
        color,
        room,
    );
}

/// Arrows move through the tree and open and close topics.
fn keys(ui: &Ui, cx: &mut Cx<'_>, lane: &Lane, tree: &Tree<'_>) {
    let Tree {
        lanes,
        rows,
        scroll,
        index,
    } = *tree;
    let filter = EventFilter {
        vertical_arrows: true,
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(label_id(&lane.key, lane.pinned), filter));
    let at = |index| u64_from_usize(index);
    let target = scroll::stepped(ui, at(index), at(lanes.len()), rows.page(scroll));
    let mut target = usize_from_u64(target);
    let pressed = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let (left, right) = (pressed(Key::ArrowLeft) > 0, pressed(Key::ArrowRight) > 0);
    if lane.is_topic() && ((lane.open && left) || (!lane.open && right)) {
        cx.push(Msg::Toggle(lane.key.topic.clone()));
    } else if !lane.is_topic() && left {
        target = lanes
            .index_of(&LaneKey::topic(&lane.key.topic))
            .unwrap_or(target);
    }
    if target != index
        && let Some(next) = lanes.get(target)
    {
        cx.push(Msg::FocusLane(next.key.clone()));
        if let Some(row) = lanes.row_of(target) {
            cx.push(Msg::ScrollLanes(rows.revealing(scroll, row)));
        }
        ui.memory_mut(|memory| memory.request_focus(label_id(&next.key, next.pinned)));
    }
}

/// The label of the lane with `key`, when it is on screen; `pinned` for the one that stays on top.
pub fn label_id(key: &LaneKey, pinned: bool) -> Id {
    Id::unique(("lane label", key, pinned))
}
