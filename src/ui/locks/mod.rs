//! What may be done with the bus: whether people depend on it, whether it is read-only, and for how long it is not.
//!
//! | part | what it is |
//! |---|---|
//! | `words` | how the lock stands and what is said of it. Pure |
//! | `dialog` | the step that confirms unlocking |
//! | this file | what stands in the bar at the top |

mod dialog;
mod words;

pub use dialog::show as unlock_dialog;
pub use words::{is_production, name, why_not_lock, why_not_unlock};

use std::time::Duration;

use egui::{
    Align2, Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};

use crate::engine::{Command, Connection};

use super::commands::Action;
use super::context::Cx;
use super::state::Msg;
use super::tokens::size;
use super::{draw, fonts, glossary};
use words::Lock;

/// How thick the line is that tints the top edge.
const EDGE: f32 = 2.0;

/// Draws what may be done with the bus, side by side.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if !matches!(cx.snapshot.connection, Connection::Connected { .. }) {
        return;
    }
    if is_production(cx.snapshot) {
        let hint = glossary::hint("production").unwrap_or_default();
        draw::badge(ui, "production", cx.tokens.error, hint);
    }
    let lock = Lock::of(cx.snapshot, cx.clock);
    if let Some(wait) = lock.next_change_ms() {
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
        ui.ctx().request_repaint_after(wait);
    }
    let (action, why_not) = match lock {
        Lock::Until(_) => (Action::Lock, None),
        Lock::Locked(_) | Lock::Open => (Action::Unlock, Action::Unlock.why_not(cx.situation())),
    };
    let response = button(ui, cx, &lock.text(), why_not.is_none());
    let hint = lock.hint(cx.snapshot, why_not);
    let response = response.on_hover_text(hint);
    if response.clicked() && why_not.is_none() {
        let message = action.message(cx.situation());
        cx.push(message);
    }
}

/// How the lock stands, as a button that looks like a badge.
fn button(ui: &mut Ui, cx: &Cx<'_>, text: &str, is_enabled: bool) -> Response {
    let color = cx.tokens.warning;
    let galley = draw::fitted(ui.painter(), text, fonts::text(), color, f32::INFINITY);
    let sense = if is_enabled {
        Sense::click()
    } else {
        Sense::hover()
    };
    let (rect, response) = ui.allocate_exact_size(galley.size() + vec2(14.0, 6.0), sense);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, is_enabled, text));
    if is_enabled && response.hovered() {
        ui.painter()
            .rect_filled(rect, size::RADIUS, cx.tokens.raised);
    }
    outline(ui, rect, color);
    draw::galley(ui.painter(), rect.center(), Align2::CENTER_CENTER, galley);
    if response.has_focus() && cx.keys_lead {
        draw::focus_ring(ui.painter(), cx.tokens, rect);
    }
    response
}

fn outline(ui: &Ui, rect: Rect, color: Color32) {
    let stroke = Stroke::new(1.0, color.gamma_multiply(0.6));
    ui.painter()
        .rect_stroke(rect, size::RADIUS, stroke, StrokeKind::Inside);
}

/// What is said in the bar, for how much room it takes: production, then the lock.
pub fn texts(cx: &Cx<'_>) -> Vec<String> {
    if !matches!(cx.snapshot.connection, Connection::Connected { .. }) {
        return Vec::new();
    }
    let production = is_production(cx.snapshot).then(|| "production".to_owned());
    let lock = Lock::of(cx.snapshot, cx.clock).text();
    production.into_iter().chain([lock]).collect()
}

/// Tints the top edge of the window where people depend on the cluster.
pub fn edge(ui: &Ui, cx: &Cx<'_>) {
    if is_production(cx.snapshot) {
        let screen = ui.ctx().content_rect();
        let edge = Rect::from_min_size(screen.min, vec2(screen.width(), EDGE));
        ui.painter().rect_filled(edge, 0, cx.tokens.error);
    }
}

/// Allows changes for the usual time.
pub fn unlock() -> Msg {
    Msg::Engine(Box::new(Command::Unlock(Some(words::UNLOCK_MS))))
}

/// Allows changes no more.
pub fn lock() -> Msg {
    Msg::Engine(Box::new(Command::Unlock(None)))
}
