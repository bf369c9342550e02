//! The flags of groups as something that can be chosen, dragged and moved by keys. Nothing is written by moving
//! one: its new place becomes part of a plan.

use egui::{
    CursorIcon, EventFilter, Id, Key, Modifiers, PointerButton, Rect, Response, Role, Sense, Ui,
    WidgetInfo,
};

use crate::model::TopicPartition;

use super::super::context::Cx;
use super::super::num::f64_from_i64;
use super::super::state::rewind::{FlagAim, FlagDrag};
use super::super::state::{AxisKind, LaneKey, Msg, Notice, RewindMsg};
use super::super::{draw, format};
use super::cache::find_group;
use super::cursors::Cursor;
use super::gestures::Stops;
use super::model::Lane;
use super::nodes::flag_text;
use super::paint::{PaintedFlag, Scene};
use super::pull::{Field, Pulled};
use super::snap::{Snapping, snapped};

/// Height of what can be taken hold of.
const GRIP: f32 = 15.0;

/// Every flag on screen, and every hollow one by name.
pub(super) fn show(
    ui: &Ui,
    cx: &mut Cx<'_>,
    scene: &Scene<'_>,
    flags: &[PaintedFlag],
    stops: &Stops,
) {
    ghost_nodes(ui, scene);
    let own: Vec<Id> = flags
        .iter()
        .filter_map(|painted| {
            let cursor = scene.cursor_of(painted)?;
            let lane = scene.lanes.get(painted.lane)?;
            (scene.chosen == Some(&cursor.name)).then(|| id_of(lane, cursor))
        })
        .collect();
    let focused = own
        .iter()
        .position(|id| ui.memory(|memory| memory.has_focus(*id)));
    let mut is_held = false;
    for painted in flags {
        let (Some(cursor), Some(lane)) = (scene.cursor_of(painted), scene.lanes.get(painted.lane))
        else {
            continue;
        };
        let id = id_of(lane, cursor);
        let flag = Shown {
            scene,
            lane,
            cursor,
        };
        let is_own = scene.chosen == Some(&cursor.name);
        let place = own.iter().position(|own| *own == id);
        let is_stop = is_own && place == Some(focused.unwrap_or(0));
        let grip = if is_own {
            GRIP
        } else {
            painted.flag.chip.height()
        };
        let rect = Rect::from_min_size(
            painted.flag.chip.min,
            egui::vec2(painted.flag.chip.width(), grip),
        )
        .intersect(painted.band);
        let sense = if is_stop {
            Sense::click()
        } else {
            Sense::CLICK
        };
        let response = ui.interact(rect, id, sense | Sense::DRAG);
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Button,
                true,
                format!("{} at {}", cursor.name, lane.key.title()),
            )
        });
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(ui.painter(), cx.tokens, rect.expand(2.0));
            }
            flag.keys(ui, cx, id);
            between(ui, &own, id);
        }
        is_held |= flag.pointer(ui, cx, &response, stops);
        response.context_menu(|ui| {
            let name = format::group_name(&cursor.name, 40);
            if ui.button(format!("Rewind {name}…")).clicked() {
                cx.push(Msg::SelectGroup(Some(cursor.name.clone())));
                cx.push(Msg::Rewind(RewindMsg::Open));
            }
        });
        if response.hovered() && cx.state.rewind.drag.is_none() {
            ui.ctx().set_cursor_icon(CursorIcon::Grab);
            let text = flag_text(cursor, lane, scene);
            response.on_hover_text(format!("{text}\nDrag it to plan a rewind or a skip"));
        }
    }
    let drag = cx.state.rewind.drag.as_ref();
    if drag.is_some() && ui.input(|input| input.key_pressed(Key::Escape)) {
        cx.push(Msg::Rewind(RewindMsg::PutBack));
        ui.ctx().stop_dragging();
    } else if drag.is_some_and(|drag| !is_held && (drag.by_pointer || focused.is_none())) {
        // Nobody holds the flag any more.
        cx.push(Msg::Rewind(RewindMsg::PutBack));
    }
}

fn id_of(lane: &Lane, cursor: &Cursor) -> Id {
    Id::unique(("flag", &lane.key, lane.pinned, &cursor.name))
}

/// What is said of each hollow flag, for those who do not see it.
fn ghost_nodes(ui: &Ui, scene: &Scene<'_>) {
    for slot in scene.geometry.all_slots() {
        let (Some(ghost), Some(lane), Some(name)) = (
            scene.ghosts.get(&slot.index),
            scene.lanes.get(slot.index),
            scene.chosen,
        ) else {
            continue;
        };
        let Some(chip) = scene.ghost_chip(slot) else {
            continue;
        };
        let id = Id::unique(("hollow flag", &lane.key, lane.pinned));
        let response = ui.interact(chip, id, Sense::hover());
        response.widget_info(|| {
            let said = if ghost.said.is_empty() {
                String::new()
            } else {
                format!(": {}", ghost.said)
            };
            let label = format!("{name} would stand here at {}{said}", lane.key.title());
            WidgetInfo::labeled(Role::Label, true, label)
        });
    }
}

/// Up and down go to the chosen group's other flags.
fn between(ui: &Ui, own: &[Id], id: Id) {
    let here = own.iter().position(|own| *own == id);
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let next = if pressed(Key::ArrowDown) {
        here.and_then(|here| here.checked_add(1))
    } else if pressed(Key::ArrowUp) {
        here.and_then(|here| here.checked_sub(1))
    } else {
        None
    };
    if let Some(next) = next.and_then(|next| own.get(next)) {
        ui.memory_mut(|memory| memory.request_focus(*next));
    }
}

/// A flag on screen.
struct Shown<'a> {
    scene: &'a Scene<'a>,
    lane: &'a Lane,
    cursor: &'a Cursor,
}

impl Shown<'_> {
    fn with_field<R>(&self, cx: &Cx<'_>, then: impl FnOnce(&Field<'_>) -> R) -> Option<R> {
        let group = find_group(&cx.snapshot.inventory, &self.cursor.name)?;
        Some(then(&Field {
            lane: self.lane,
            group,
            at: TopicPartition {
                topic: std::sync::Arc::clone(&self.lane.key.topic),
                partition: self.cursor.partition,
            },
            density: &cx.snapshot.density,
            kind: self.scene.geometry.axis.kind(),
            now: cx.now,
            zone: cx.zone,
        }))
    }

    /// What the pointer does with it; whether it holds it.
    fn pointer(&self, ui: &Ui, cx: &mut Cx<'_>, response: &Response, stops: &Stops) -> bool {
        if response.clicked() {
            cx.push(Msg::SelectGroup(Some(self.cursor.name.clone())));
            response.request_focus();
        }
        let began = response.drag_started_by(PointerButton::Primary);
        let released = response.drag_stopped_by(PointerButton::Primary);
        let is_held = response.dragged_by(PointerButton::Primary);
        if began && self.scene.chosen != Some(&self.cursor.name) {
            cx.push(Msg::SelectGroup(Some(self.cursor.name.clone())));
        }
        // One that was put back stays there until it is taken anew.
        let is_taken = began || cx.state.rewind.drag.is_some();
        if !is_taken || !(is_held || released) {
            return is_held;
        }
        ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        if let Some(pos) = response.interact_pointer_pos() {
            let (shift, alt) = ui.input(|input| (input.modifiers.shift, input.modifiers.alt));
            let value = self.value(pos.x, alt, stops);
            match self.with_field(cx, |field| field.pulled(value, shift)) {
                Some(Ok(pulled)) => self.push(cx, pulled, true),
                Some(Err(reason)) if began => {
                    cx.push(Msg::Notice(Notice::error(format!(
                        "This flag cannot be moved: {reason}"
                    ))));
                }
                _ => {}
            }
        }
        if released {
            cx.push(Msg::Rewind(RewindMsg::Drop));
        }
        true
    }

    /// The place under the pointer: what is near it, or the edge of a column.
    fn value(&self, x: f32, free: bool, stops: &Stops) -> f64 {
        let geometry = self.scene.geometry;
        let axis = &geometry.axis;
        let x = x.clamp(geometry.lanes.left(), geometry.lanes.right());
        if free || axis.kind() != AxisKind::Time {
            let how = if free { Snapping::Off } else { Snapping::Near };
            return snapped(x, axis, how, &stops.points, &[]);
        }
        let columns = &geometry.columns;
        let column = columns.column_of(axis.value_from_x(x));
        let edges: Vec<f64> = [column, column.saturating_add(1)]
            .map(|column| f64_from_i64(columns.edge(column)))
            .to_vec();
        let near = snapped(x, axis, Snapping::Near, &stops.points, &[]);
        if stops
            .points
            .iter()
            .any(|point| point.to_bits() == near.to_bits())
        {
            return near;
        }
        snapped(x, axis, Snapping::Coarse, &[], &edges)
    }

    fn push(&self, cx: &mut Cx<'_>, (aim, stop): Pulled, by_pointer: bool) {
        let lane: LaneKey = self.lane.key.clone();
        cx.push(Msg::Rewind(RewindMsg::Drag(FlagDrag {
            lane,
            aim,
            stop,
            by_pointer,
        })));
    }

    /// Arrows move it, Enter makes a plan of where it is.
    fn keys(&self, ui: &Ui, cx: &mut Cx<'_>, id: Id) {
        let drag = cx.state.rewind.drag.as_ref();
        let filter = EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            escape: drag.is_some(),
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        let times = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let count = |times: usize| i64::try_from(times).unwrap_or(0);
        let by = count(times(Key::ArrowRight)).saturating_sub(count(times(Key::ArrowLeft)));
        let enter = times(Key::Enter) > 0;
        let here: Option<FlagAim> = drag
            .filter(|drag| drag.lane == self.lane.key)
            .map(|drag| drag.aim.clone());
        if by != 0 {
            let step = self.scene.geometry.columns.step();
            let pulled = self.with_field(cx, |field| field.stepped(here.as_ref(), by, step));
            match pulled {
                Some(Ok(pulled)) => {
                    let by_pointer = drag.is_some_and(|drag| drag.by_pointer);
                    self.push(cx, pulled, by_pointer);
                }
                Some(Err(reason)) => {
                    let text = format!("This flag cannot be moved: {reason}");
                    cx.push(Msg::Notice(Notice::error(text)));
                }
                None => {}
            }
        } else if enter {
            let next = if here.is_some() {
                RewindMsg::Drop
            } else {
                RewindMsg::Open
            };
            cx.push(Msg::Rewind(next));
        }
    }
}
