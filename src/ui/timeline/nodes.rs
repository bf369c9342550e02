//! What a screen reader finds on the timeline, and what can be clicked there: lanes, flags, what lies beyond the
//! edges. And what is said where no lane is.

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::model::Text;
use crate::model::time::format_duration;

use super::super::context::Cx;
use super::super::state::{AxisKind, Msg};
use super::super::tokens::size;
use super::super::{draw, fonts, format};
use super::cursors::{Cursor, Standing};
use super::explain;
use super::layout::Geometry;
use super::model::{Lane, Lanes};
use super::outside::{Beyond, Outside};
use super::paint::{PaintedFlag, Scene};

/// Every lane on screen as something that a screen reader can name.
pub(super) fn lane_nodes(ui: &Ui, scene: &Scene<'_>) {
    for (band, slots) in scene.geometry.bands() {
        for slot in slots {
            let Some(lane) = scene.lanes.get(slot.index) else {
                continue;
            };
            let rect = scene.geometry.lane_rect(slot).intersect(band);
            let id = Id::unique(("lane", &lane.key, lane.pinned));
            let response = ui.interact(rect, id, Sense::hover());
            response.widget_info(|| {
                let pinned = if lane.pinned { "Pinned lane" } else { "Lane" };
                WidgetInfo::labeled(Role::Row, true, format!("{pinned} {}", lane.key.title()))
            });
            if let (Some(data), Some(at)) = (scene.cache.get(&lane.key), response.hover_pos())
                && let Some(said) = explain::at(data, &scene.geometry.axis, at.x)
            {
                response.on_hover_text_at_pointer(said);
            }
        }
    }
}

/// Every flag on screen as a button that chooses its group; the group that was chosen.
pub(super) fn flag_nodes(ui: &Ui, scene: &Scene<'_>, flags: &[PaintedFlag]) -> Option<Text> {
    let mut chosen = None;
    for painted in flags {
        let (Some(cursor), Some(lane)) = (scene.cursor_of(painted), scene.lanes.get(painted.lane))
        else {
            continue;
        };
        let rect = painted.flag.chip.intersect(painted.band);
        let id = Id::unique(("flag", &lane.key, lane.pinned, &cursor.name));
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

fn flag_text(cursor: &Cursor, lane: &Lane, scene: &Scene<'_>) -> String {
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
        Standing::Offset(_) => String::new(),
        Standing::End if cursor.lag.incomplete => {
            "at the end of the log, or committed beyond it".to_owned()
        }
        Standing::End => "at the end of the log".to_owned(),
        Standing::At { time, exact } => {
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
    let text = format!("{}: {behind}\n{place}\n{time}", cursor.name);
    text.trim_end().to_owned()
}

/// What lies beyond one edge of the screen, as a button that goes there.
pub(super) struct EdgeButton {
    rect: Rect,
    text: String,
    galley: std::sync::Arc<egui::Galley>,
    beyond: Beyond,
    is_before: bool,
}

/// The buttons for what lies beyond the edges, on the ruler at either end.
pub(super) fn edge_buttons(
    ui: &Ui,
    cx: &Cx<'_>,
    geometry: &Geometry,
    outside: &Outside,
) -> Vec<EdgeButton> {
    if geometry.axis.kind() != AxisKind::Time {
        return Vec::new();
    }
    let sides = [(outside.before, true), (outside.after, false)];
    sides
        .into_iter()
        .filter(|(beyond, _)| beyond.most > 0)
        .map(|(beyond, is_before)| {
            let text = edge_text(beyond, is_before);
            let font = fonts::small_data();
            let galley = draw::fitted(ui.painter(), &text, font, cx.tokens.dim, 200.0);
            let size = galley.size() + vec2(10.0, 4.0);
            let ruler = geometry.ruler;
            let x = if is_before {
                ruler.left() + 3.0 + size.x / 2.0
            } else {
                ruler.right() - 3.0 - size.x / 2.0
            };
            EdgeButton {
                rect: Rect::from_center_size(pos2(x, ruler.top() + 11.0), size),
                text,
                galley,
                beyond,
                is_before,
            }
        })
        .collect()
}

/// The part of the ruler that `buttons` leave to its labels.
pub(super) fn between_edges(geometry: &Geometry, buttons: &[EdgeButton]) -> egui::Rangef {
    buttons
        .iter()
        .fold(geometry.ruler.x_range(), |free, button| {
            if button.is_before {
                egui::Rangef::new(button.rect.right() + 4.0, free.max)
            } else {
                egui::Rangef::new(free.min, button.rect.left() - 4.0)
            }
        })
}

/// Draws `buttons` and takes what is done to them.
pub(super) fn edge_nodes(ui: &Ui, cx: &mut Cx<'_>, buttons: Vec<EdgeButton>) {
    for button in buttons {
        let EdgeButton {
            rect,
            text,
            galley,
            beyond,
            is_before,
        } = button;
        let name = if is_before { "earlier" } else { "later" };
        let response = ui.interact(rect, Id::unique(("beyond the edge", name)), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text.clone()));
        let ground = if response.hovered() || response.has_focus() {
            cx.tokens.line
        } else {
            cx.tokens.raised
        };
        ui.painter().rect_filled(rect, size::RADIUS, ground);
        if response.has_focus() && cx.keys_lead {
            draw::focus_ring(ui.painter(), cx.tokens, rect);
        }
        draw::galley(ui.painter(), rect.center(), Align2::CENTER_CENTER, galley);
        if response.clicked()
            && let Some(at) = beyond.nearest
        {
            cx.push(Msg::Center(at));
        }
        let when = if is_before { "before" } else { "after" };
        let more = if beyond.nearest.is_some() {
            "; go to the nearest"
        } else {
            ""
        };
        response.on_hover_text(format!(
            "Records of the lanes on screen with a time {when} what is shown{more}"
        ));
    }
}

fn edge_text(beyond: Beyond, is_before: bool) -> String {
    let bound = if beyond.least == beyond.most {
        ""
    } else {
        "up to "
    };
    let count = format::short_count(beyond.most);
    if is_before {
        format!("‹ {bound}{count} earlier")
    } else {
        format!("{bound}{count} later ›")
    }
}

/// What to say where no lane is.
pub(super) fn empty_state(ui: &Ui, cx: &Cx<'_>, geometry: &Geometry, lanes: &Lanes) {
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
