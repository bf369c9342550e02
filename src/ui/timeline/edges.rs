//! What lies beyond the edges of the screen: a button at either end of the ruler that says how much, and goes
//! there.

use std::sync::Arc;

use egui::{Align2, Galley, Id, Rangef, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::super::context::Cx;
use super::super::num::f64_from_i64;
use super::super::state::{AxisKind, Msg, ViewRange};
use super::super::tokens::size;
use super::super::{draw, fonts, format};
use super::layout::Geometry;
use super::model::{Lane, Lanes};
use super::offsets;
use super::outside::{Beyond, Outside};

/// No time beyond this can be shown, in milliseconds: the year 8900, about.
const LATEST_MS: i64 = 218_000_000_000_000;

/// A button at one end of the ruler.
pub(super) struct Edge {
    rect: Rect,
    text: String,
    galley: Arc<Galley>,
    hint: String,
    to: Option<Msg>,
    name: &'static str,
}

/// What lies beyond one edge, and what shows it.
struct Side {
    most: u64,
    hint: String,
    to: Option<Msg>,
}

/// The buttons for what `visible` lanes hold beyond the edges; `outside` is that on an axis of time.
pub(super) fn edges(
    ui: &Ui,
    cx: &Cx<'_>,
    geometry: &Geometry,
    lanes: &Lanes,
    visible: &[&Lane],
    outside: &Outside,
) -> Vec<Edge> {
    let shown = geometry.axis.range();
    let sides = if geometry.axis.kind() == AxisKind::Time {
        [
            in_time(outside.before, shown, "before"),
            in_time(outside.after, shown, "after"),
        ]
    } else {
        in_offsets(geometry.axis.kind(), lanes, visible, shown)
    };
    let mut edges = Vec::new();
    for (side, is_before) in sides.into_iter().zip([true, false]) {
        if side.most == 0 {
            continue;
        }
        let count = format::short_count(side.most);
        let text = if is_before {
            format!("‹ up to {count} earlier")
        } else {
            format!("up to {count} later ›")
        };
        let galley = draw::fitted(
            ui.painter(),
            &text,
            fonts::small_data(),
            cx.tokens.dim,
            200.0,
        );
        let room = galley.size() + vec2(10.0, 4.0);
        let ruler = geometry.ruler;
        let x = if is_before {
            ruler.left() + 3.0 + room.x / 2.0
        } else {
            ruler.right() - 3.0 - room.x / 2.0
        };
        edges.push(Edge {
            rect: Rect::from_center_size(pos2(x, ruler.top() + 11.0), room),
            text,
            galley,
            hint: side.hint,
            to: side.to,
            name: if is_before { "earlier" } else { "later" },
        });
    }
    edges
}

fn in_time(beyond: Beyond, shown: ViewRange, when: &str) -> Side {
    let to = beyond
        .nearest
        .and_then(|(from, to)| view_of(from.0, to.0, shown));
    let more = match (beyond.nearest, &to) {
        (Some(_), Some(_)) => "; a click goes to where the nearest lies",
        (Some(_), None) => "; no axis reaches so far",
        (None, _) => "; when is not known yet",
    };
    Side {
        most: beyond.most,
        hint: format!(
            "Offsets of the lanes on screen with a time {when} what is shown, those without a record included{more}"
        ),
        to,
    }
}

/// The view that shows the stretch from `from` to `to`: as wide as the one on screen, or wider when the stretch is.
fn view_of(from: i64, to: i64, shown: ViewRange) -> Option<Msg> {
    if from >= LATEST_MS {
        return None;
    }
    let (from, to) = (f64_from_i64(from), f64_from_i64(to.min(LATEST_MS)));
    if to - from <= shown.span_ms() * 0.5 {
        let middle = f64::midpoint(from, to) - f64::midpoint(shown.from_ms, shown.to_ms);
        return Some(Msg::View(shown.panned(middle)));
    }
    let room = (to - from) * 0.05;
    Some(Msg::View(ViewRange::new(from - room, to + room)))
}

fn in_offsets(kind: AxisKind, lanes: &Lanes, visible: &[&Lane], shown: ViewRange) -> [Side; 2] {
    let counted = super::counted_once(visible)
        .map(|lane| offsets::outside(kind, lane, shown))
        .fold((0_u64, 0_u64), |sum, lane| {
            (sum.0.saturating_add(lane.0), sum.1.saturating_add(lane.1))
        });
    let all = if counted == (0, 0) {
        shown
    } else {
        offsets::whole(kind, lanes)
    };
    let side = |most, to| Side {
        most,
        hint: "Offsets of the lanes on screen beyond what is shown; a click shows them all"
            .to_owned(),
        to: Some(Msg::View(to)),
    };
    [
        side(counted.0, ViewRange::new(all.from_ms, shown.to_ms)),
        side(counted.1, ViewRange::new(shown.from_ms, all.to_ms)),
    ]
}

/// The part of the ruler that `edges` leave to its labels.
pub(super) fn free(geometry: &Geometry, edges: &[Edge]) -> Rangef {
    let ruler = geometry.ruler.x_range();
    edges.iter().fold(ruler, |free, edge| {
        if edge.rect.center().x < ruler.center() {
            Rangef::new(edge.rect.right() + 4.0, free.max)
        } else {
            Rangef::new(free.min, edge.rect.left() - 4.0)
        }
    })
}

/// Draws `edges` and takes what is done to them.
pub(super) fn show(ui: &Ui, cx: &mut Cx<'_>, edges: Vec<Edge>) {
    for edge in edges {
        let id = Id::unique(("beyond the edge", edge.name));
        let response = ui.interact(edge.rect, id, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, edge.text.clone()));
        let ground = if response.hovered() || response.has_focus() {
            cx.tokens.line
        } else {
            cx.tokens.raised
        };
        ui.painter().rect_filled(edge.rect, size::RADIUS, ground);
        if response.has_focus() && cx.keys_lead {
            draw::focus_ring(ui.painter(), cx.tokens, edge.rect);
        }
        draw::galley(
            ui.painter(),
            edge.rect.center(),
            Align2::CENTER_CENTER,
            edge.galley,
        );
        if response.clicked()
            && let Some(to) = edge.to
        {
            cx.push(to);
        }
        response.on_hover_text(edge.hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(from: i64, to: i64) -> Option<(f64, f64)> {
        match view_of(from, to, ViewRange::new(1_000_000.0, 2_000_000.0)) {
            Some(Msg::View(range)) => Some((range.from_ms, range.to_ms)),
            _ => None,
        }
    }

    #[test]
    fn a_short_stretch_comes_to_the_middle_of_a_view_as_wide() {
        assert_eq!(view(400_000, 600_000), Some((0.0, 1_000_000.0)));
        assert_eq!(view(5_000_000, 5_000_000), Some((4_500_000.0, 5_500_000.0)));
    }

    #[test]
    fn a_long_stretch_is_shown_whole() {
        assert_eq!(
            view(-9_000_000, 1_000_000),
            Some((-9_500_000.0, 1_500_000.0))
        );
    }

    #[test]
    fn what_no_axis_reaches_cannot_be_gone_to() {
        assert_eq!(view(i64::MAX, i64::MAX), None);
    }
}
