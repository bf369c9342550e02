//! The timeline: the product's heart. Split so that all but the painting is pure and tested:
//!
//! | part | what it is |
//! |---|---|
//! | `model` | which lanes there are, and what to ask the engine for |
//! | `cursors`, `bars` | where groups stand; how many records each column holds |
//! | `cache` | what was worked out for lanes on screen, kept until its sources change |
//! | `layout` | axis, columns, rectangles, hit test, flags |
//! | `ticks`, `hover` | marks of the ruler; what the pointer's line says |
//! | `input` | gestures and keys into messages |
//! | `labels`, `paint` | drawing: the topic tree; the lanes as one mesh |
//!
//! The x axis is one [`layout::TimeAxis`] in `f64`; vertical places are a row's number and a remainder, so
//! that both stay exact however far one zooms or scrolls.

mod bars;
mod cache;
mod cursors;
mod hover;
mod input;
mod labels;
pub mod layout;
pub mod model;
mod paint;
mod ticks;

pub use cache::{LaneCache, find_group};
pub use cursors::place_in;
pub use labels::{filter_id, label_id};
pub use paint::Cost;

use std::sync::Arc;

use egui::{Align2, CursorIcon, Id, Key, PointerButton, Pos2, Role, Sense, Ui, WidgetInfo};

use crate::engine::View;
use crate::model::time::format_duration;

use super::context::Cx;
use super::scroll::{self, Rows};
use super::state::{Msg, ViewRange};
use super::{draw, fonts, format};
use cursors::CursorTime;
use input::{Drag, Gestures};
use layout::Geometry;
use model::{Lane, Lanes};
use paint::{PaintedFlag, Scene};

/// Columns are at least this wide, in physical pixels.
const COLUMN_PIXELS: f32 = 3.0;

/// What a frame of the timeline came to.
pub struct Output {
    /// What the engine should look up.
    pub view: Arc<View>,
    /// Width of a column in milliseconds.
    pub column_ms: i64,
    /// What painting cost.
    pub cost: Cost,
}

/// Draws labels, ruler and lanes in all the room there is.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    lanes: &Arc<Lanes>,
    cache: &mut LaneCache,
    range: ViewRange,
) -> Output {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    let least_points = COLUMN_PIXELS / ui.pixels_per_point();
    let mut geometry = Geometry::new(area, cx.state.label_width, range, least_points);
    let height = |row| lanes.height(row);
    let rows = Rows {
        count: u64::try_from(lanes.len()).unwrap_or(u64::MAX),
        height: &height,
        viewport: geometry.lanes.height(),
    };
    let scroll = rows.clamped(cx.state.lane_scroll);
    geometry.place(&rows, scroll);
    let visible: Vec<&Lane> = geometry
        .slots
        .iter()
        .filter_map(|slot| lanes.get(slot.index))
        .collect();
    cache.take(cx.snapshot, cx.state.group.as_ref());
    if !cache.prepare(&visible, &geometry.columns, cx.now) {
        ui.ctx().request_repaint();
    }

    ui.painter().rect_filled(area, 0, cx.tokens.window);
    let (gestures, hovered) = gestures(ui, cx, &geometry);
    labels::corner(ui, cx, geometry.corner, lanes);
    labels::rows(ui, cx, &geometry, lanes, &rows, scroll);
    let cost = paint_lanes(ui, cx, &geometry, lanes, cache, hovered);
    ui.painter().vline(
        geometry.labels.right() - 0.5,
        area.y_range(),
        cx.tokens.hairline(),
    );
    empty_state(ui, cx, &geometry, lanes);

    let messages = input::messages(&gestures, &geometry, lanes, cx.state);
    cx.messages.extend(messages);
    scroll_lanes(ui, cx, &geometry, &rows, scroll);
    Output {
        view: cache.view(lanes, &geometry),
        column_ms: geometry.columns.step_ms(),
        cost,
    }
}

/// What pointer and keys did, and where the pointer's line goes.
fn gestures(ui: &Ui, cx: &Cx<'_>, geometry: &Geometry) -> (Gestures, Option<Pos2>) {
    let sense = Sense::CLICK | Sense::DRAG;
    let in_lanes = ui.interact(geometry.lanes, Id::unique("lanes"), sense);
    let in_ruler = ui.interact(geometry.ruler, Id::unique("ruler"), sense);
    in_lanes.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Timeline"));
    in_ruler.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Ruler"));
    let both = geometry.lanes.union(geometry.ruler);
    let pointer = ui
        .input(|input| input.pointer.hover_pos())
        .filter(|pos| both.contains(*pos) && ui.rect_contains_pointer(both));

    let mut gestures = Gestures {
        pointer,
        zoom: 1.0,
        ..Gestures::default()
    };
    if pointer.is_some() {
        ui.input(|input| {
            gestures.scroll = egui::vec2(input.smooth_scroll_delta().x, 0.0);
            gestures.zoom = input.zoom_delta();
        });
    }
    for (response, is_ruler) in [(&in_lanes, false), (&in_ruler, true)] {
        if response.dragged_by(PointerButton::Middle) {
            gestures.pan += response.drag_delta().x;
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        }
        gestures.double_click |= response.double_clicked();
        if response.clicked() && !is_ruler {
            gestures.click = response.interact_pointer_pos();
        }
        let drag = drag_of(ui, response, is_ruler);
        gestures.drag = gestures.drag.or(drag);
    }
    if !ui.ctx().text_edit_focused() {
        let keys = [Key::W, Key::S, Key::A, Key::D, Key::Escape];
        ui.input(|input| {
            if !input.modifiers.command && !input.modifiers.alt {
                for key in keys {
                    gestures
                        .keys
                        .extend(std::iter::repeat_n(key, input.num_presses(key)));
                }
            }
        });
    }
    if gestures.keys.contains(&Key::Escape) && cx.state.dragged.is_some() {
        ui.data_mut(|data| data.remove::<Pos2>(drag_origin_id()));
        gestures.drag = None;
    }
    (gestures, pointer)
}

/// A drag with the first button, from where it was pressed.
fn drag_of(ui: &Ui, response: &egui::Response, in_ruler: bool) -> Option<Drag> {
    let id = drag_origin_id();
    if response.drag_started_by(PointerButton::Primary) {
        let pressed = ui
            .input(|input| input.pointer.press_origin())
            .or_else(|| response.interact_pointer_pos());
        ui.data_mut(|data| {
            data.remove::<Pos2>(id);
            if let Some(at) = pressed {
                data.insert_temp(id, at);
            }
        });
    }
    let released = response.drag_stopped_by(PointerButton::Primary);
    if !released && !response.dragged_by(PointerButton::Primary) {
        return None;
    }
    let from = ui.data(|data| data.get_temp::<Pos2>(id))?;
    let to = response.interact_pointer_pos()?;
    if released {
        ui.data_mut(|data| data.remove::<Pos2>(id));
    }
    Some(Drag {
        from,
        to,
        in_ruler,
        released,
    })
}

fn drag_origin_id() -> Id {
    Id::unique("span drag origin")
}

fn paint_lanes(
    ui: &Ui,
    cx: &mut Cx<'_>,
    geometry: &Geometry,
    lanes: &Lanes,
    cache: &LaneCache,
    pointer: Option<Pos2>,
) -> Cost {
    let ticks = ticks::ticks(&geometry.axis, cx.zone);
    let state = cx.state;
    let hovered = pointer.and_then(|pos| geometry.lane_at(pos));
    let scene = Scene {
        tokens: cx.tokens,
        geometry,
        lanes,
        cache,
        ticks: &ticks,
        chosen: state.group.as_ref(),
        selection: state.dragged.as_ref().or(state.selection.as_ref()),
        focused: state.lane.as_ref().and_then(|key| {
            geometry
                .slots
                .iter()
                .map(|slot| slot.index)
                .find(|index| lanes.get(*index).is_some_and(|lane| lane.key == *key))
        }),
        hovered,
        now: cx.now,
        zone: cx.zone,
        settled: cx.snapshot.density.settled,
    };
    let (flags, cost) = scene.paint(ui.painter());
    lane_nodes(ui, &scene);
    let text = pointer.map(|pos| {
        let lane = hovered.and_then(|index| lanes.get(index));
        let text = hover::describe(
            lane,
            pos.x,
            &geometry.axis,
            &geometry.columns,
            &cx.snapshot.density,
            cx.zone,
        );
        (pos.x, text)
    });
    scene.paint_ruler(ui.painter(), text.as_ref().map(|(x, text)| (*x, text)));
    if let Some((x, _)) = &text {
        scene.paint_hover_line(ui.painter(), *x);
    }
    let chosen = flag_nodes(ui, &scene, &flags);
    if let Some(name) = chosen {
        cx.push(Msg::SelectGroup(Some(name)));
    }
    cost
}

/// Every lane on screen as something that a screen reader can name.
fn lane_nodes(ui: &Ui, scene: &Scene<'_>) {
    for slot in &scene.geometry.slots {
        let Some(lane) = scene.lanes.get(slot.index) else {
            continue;
        };
        let rect = scene
            .geometry
            .lane_rect(slot)
            .intersect(scene.geometry.lanes);
        let response = ui.interact(rect, Id::unique(("lane", &lane.key)), Sense::hover());
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Row, true, format!("Lane {}", lane.key.title()))
        });
    }
}

/// Every flag on screen as a button that chooses its group; the group that was chosen.
fn flag_nodes(ui: &Ui, scene: &Scene<'_>, flags: &[PaintedFlag]) -> Option<crate::model::Text> {
    let mut chosen = None;
    for painted in flags {
        let (Some(cursor), Some(lane)) = (scene.cursor_of(painted), scene.lanes.get(painted.lane))
        else {
            continue;
        };
        let rect = painted.flag.chip.intersect(scene.geometry.lanes);
        let id = Id::unique(("flag", &lane.key, &cursor.name));
        let response = ui.interact(rect, id, Sense::CLICK);
        let said = || flag_text(cursor, lane, scene);
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Button,
                true,
                format!("{} at {}", cursor.name, lane.key.title()),
            )
        });
        if response.clicked() {
            chosen = Some(cursor.name.clone());
        }
        if response.hovered() {
            response.on_hover_text(said());
        }
    }
    chosen
}

fn flag_text(cursor: &cursors::Cursor, lane: &Lane, scene: &Scene<'_>) -> String {
    let behind = match (cursor.lag.records, cursor.lag.incomplete) {
        (Some(records), false) => format!("{} behind", format::count(records)),
        (Some(records), true) => format!(
            "at least {} behind; part of it is not known",
            format::count(records)
        ),
        (None, _) => "how far behind is not known".to_owned(),
    };
    let place = if lane.is_topic() {
        format!(
            "least advanced in partition {}: committed offset {}",
            cursor.partition,
            format::offset(cursor.committed)
        )
    } else {
        format!("committed offset {}", format::offset(cursor.committed))
    };
    let time = match cursor.at {
        CursorTime::End if cursor.lag.incomplete => {
            "at the end of the log, or committed beyond it".to_owned()
        }
        CursorTime::End => "at the end of the log".to_owned(),
        CursorTime::At { time, exact } => {
            let near = if exact {
                "next record"
            } else {
                "next record near"
            };
            let at = crate::model::time::format_zone(time, scene.zone);
            let delay = cursor
                .delay_ms
                .filter(|delay| *delay > 0)
                .map(format_duration);
            let ago = delay
                .map(|delay| format!(", {delay} ago"))
                .unwrap_or_default();
            format!(
                "{near} {} {at}{ago}",
                format::date_and_time(time, scene.zone)
            )
        }
    };
    format!("{}: {behind}\n{place}\n{time}", cursor.name)
}

fn scroll_lanes(
    ui: &Ui,
    cx: &mut Cx<'_>,
    geometry: &Geometry,
    rows: &Rows<'_>,
    scroll: scroll::RowScroll,
) {
    let over = geometry.lanes.union(geometry.labels);
    if ui.rect_contains_pointer(over) {
        let points = ui.input(|input| input.smooth_scroll_delta().y);
        if points != 0.0 {
            cx.push(Msg::ScrollLanes(rows.moved(scroll, -points)));
        }
    }
    let bar = scroll::bar(
        ui,
        cx.tokens,
        Id::unique("lane scroll"),
        geometry.scroll_bar,
        rows,
        scroll,
    );
    if let Some(to) = bar {
        cx.push(Msg::ScrollLanes(to));
    }
}

/// What to say where no lane is.
fn empty_state(ui: &Ui, cx: &Cx<'_>, geometry: &Geometry, lanes: &Lanes) {
    if !lanes.is_empty() {
        return;
    }
    let (text, color) = match &cx.snapshot.inventory.topics {
        None => ("Reading topics…".to_owned(), cx.tokens.dim),
        Some(Err(problem)) => (
            format!("The topics cannot be read: {problem}"),
            cx.tokens.warning,
        ),
        Some(Ok(_)) if lanes.filtered_out() > 0 => (
            format!("No topic matches “{}”", cx.state.filter),
            cx.tokens.dim,
        ),
        Some(Ok(_)) if lanes.hidden_internal() > 0 => (
            "There are only topics of the bus's own; “internal” shows them".to_owned(),
            cx.tokens.dim,
        ),
        Some(Ok(_)) => ("There are no topics yet".to_owned(), cx.tokens.dim),
    };
    let at = geometry.lanes.center();
    let width = geometry.lanes.width() - 32.0;
    draw::text(
        ui.painter(),
        at,
        Align2::CENTER_CENTER,
        &text,
        fonts::text(),
        color,
        width,
    );
}
