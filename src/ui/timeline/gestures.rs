//! What pointer and keys did on the timeline in this frame.

use egui::{
    CursorIcon, EventFilter, Id, Key, Modifiers, PointerButton, Pos2, Response, Role, Sense, Ui,
    WidgetInfo,
};

use super::super::context::Cx;
use super::input::{Drag, Gestures, Handle, handle_at};
use super::layout::Geometry;
use super::snap::{Snapping, snapped};

/// Keys that act on the timeline wherever the focus is, unless a text is being written.
const KEYS: [Key; 11] = [
    Key::W,
    Key::S,
    Key::A,
    Key::D,
    Key::F,
    Key::M,
    Key::P,
    Key::OpenBracket,
    Key::CloseBracket,
    Key::End,
    Key::Escape,
];

/// What the pointer's line may stand on.
pub(super) struct Stops {
    /// What is near enough to be meant.
    pub(super) points: Vec<f64>,
    /// The marks of the ruler.
    pub(super) marks: Vec<f64>,
}

/// The id by which the lanes have the focus.
pub(super) fn lanes_id() -> Id {
    Id::unique("lanes")
}

/// What pointer and keys did, and where the pointer is when it is over the plot.
pub(super) fn gestures(
    ui: &Ui,
    cx: &Cx<'_>,
    geometry: &Geometry,
    stops: &Stops,
) -> (Gestures, Option<Pos2>) {
    let plot = geometry.lanes.union(geometry.pinned);
    let lanes = ui.interact(plot, lanes_id(), Sense::click_and_drag());
    let ruler = ui.interact(
        geometry.ruler,
        Id::unique("ruler"),
        Sense::CLICK | Sense::DRAG,
    );
    lanes.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Timeline"));
    ruler.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Ruler"));
    if lanes.clicked() {
        lanes.request_focus();
    }
    let menu = lanes
        .interact_pointer_pos()
        .filter(|_| lanes.secondary_clicked());
    let pointer = ui
        .input(|input| input.pointer.hover_pos())
        .filter(|pos| geometry.plot().contains(*pos) && ui.rect_contains_pointer(geometry.plot()));
    let how = ui.input(|input| {
        if input.modifiers.alt {
            Snapping::Off
        } else if input.modifiers.shift {
            Snapping::Coarse
        } else {
            Snapping::Near
        }
    });
    let value = |x: f32| {
        let x = x.clamp(geometry.lanes.left(), geometry.lanes.right());
        snapped(x, &geometry.axis, how, &stops.points, &stops.marks)
    };
    let mut gestures = Gestures {
        pointer,
        menu,
        line: pointer.map(|pos| value(pos.x)),
        zoom: 1.0,
        ..Gestures::default()
    };
    if pointer.is_some() {
        ui.input(|input| {
            gestures.scroll = egui::vec2(input.smooth_scroll_delta().x, 0.0);
            gestures.zoom = input.zoom_delta();
        });
    }
    let typing = ui.ctx().text_edit_focused();
    let is_panning = !typing && ui.input(|input| input.key_down(Key::Space));
    for (response, in_ruler) in [(&lanes, false), (&ruler, true)] {
        let moves = response.dragged_by(PointerButton::Middle)
            || (is_panning && response.dragged_by(PointerButton::Primary));
        if moves {
            gestures.pan += response.drag_delta().x;
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        }
        gestures.double_click |= response.double_clicked();
        if response.clicked() {
            let at = response.interact_pointer_pos();
            if in_ruler {
                gestures.ruler_click = at;
            } else {
                gestures.click = at;
            }
        }
        if !is_panning {
            let drag = drag_of(ui, cx, geometry, response, in_ruler, &value);
            gestures.drag = gestures.drag.or(drag);
        }
    }
    if ruler.hovered()
        && let Some(pos) = pointer
    {
        hint_handle(ui, handle_at(geometry, cx.state.selection.as_ref(), pos.x));
    }
    if !typing {
        take_keys(ui, &mut gestures);
    }
    if cx.state.rewind.drag.is_some() {
        // The flag that is being moved is put back by it, and nothing else.
        gestures.keys.retain(|key| *key != Key::Escape);
    }
    if lanes.has_focus() {
        take_arrows(ui, &mut gestures);
    }
    if gestures.keys.contains(&Key::Escape) && cx.state.dragged.is_some() {
        ui.data_mut(|data| data.remove::<Origin>(origin_id()));
        gestures.drag = None;
    }
    (gestures, pointer)
}

fn take_keys(ui: &Ui, gestures: &mut Gestures) {
    ui.input(|input| {
        if !input.modifiers.command && !input.modifiers.alt && !input.modifiers.shift {
            for key in KEYS {
                let times = input.num_presses(key);
                gestures.keys.extend(std::iter::repeat_n(key, times));
            }
        }
    });
}

fn take_arrows(ui: &Ui, gestures: &mut Gestures) {
    let filter = EventFilter {
        vertical_arrows: true,
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(lanes_id(), filter));
    ui.input_mut(|input| {
        for (key, later) in [(Key::ArrowLeft, false), (Key::ArrowRight, true)] {
            let times = input.count_and_consume_key(Modifiers::SHIFT, key);
            gestures.buckets.extend(std::iter::repeat_n(later, times));
        }
        let arrows = [
            Key::ArrowLeft,
            Key::ArrowRight,
            Key::ArrowUp,
            Key::ArrowDown,
        ];
        for key in arrows {
            let times = input.count_and_consume_key(Modifiers::NONE, key);
            gestures.arrows.extend(std::iter::repeat_n(key, times));
        }
    });
}

fn hint_handle(ui: &Ui, handle: Handle) {
    let icon = match handle {
        Handle::From | Handle::To => CursorIcon::ResizeHorizontal,
        Handle::Both => CursorIcon::Grab,
        Handle::Ruler | Handle::Lanes => return,
    };
    ui.ctx().set_cursor_icon(icon);
}

/// Where a drag began and what it drags.
#[derive(Clone, Copy, Debug)]
struct Origin {
    at: Pos2,
    value: f64,
    handle: Handle,
}

/// A drag with the first button, from where it was pressed.
fn drag_of(
    ui: &Ui,
    cx: &Cx<'_>,
    geometry: &Geometry,
    response: &Response,
    in_ruler: bool,
    value: &impl Fn(f32) -> f64,
) -> Option<Drag> {
    let id = origin_id();
    if response.drag_started_by(PointerButton::Primary) {
        let pressed = ui
            .input(|input| input.pointer.press_origin())
            .or_else(|| response.interact_pointer_pos());
        ui.data_mut(|data| {
            data.remove::<Origin>(id);
            if let Some(at) = pressed {
                let handle = if in_ruler {
                    handle_at(geometry, cx.state.selection.as_ref(), at.x)
                } else {
                    Handle::Lanes
                };
                let value = value(at.x);
                data.insert_temp(id, Origin { at, value, handle });
            }
        });
    }
    let released = response.drag_stopped_by(PointerButton::Primary);
    if !released && !response.dragged_by(PointerButton::Primary) {
        return None;
    }
    let origin = ui.data(|data| data.get_temp::<Origin>(id))?;
    let to = response.interact_pointer_pos()?;
    if released {
        ui.data_mut(|data| data.remove::<Origin>(id));
    }
    Some(Drag {
        from: origin.at,
        to,
        values: (origin.value, value(to.x)),
        handle: origin.handle,
        released,
    })
}

fn origin_id() -> Id {
    Id::unique("span drag origin")
}
