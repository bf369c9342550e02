//! What a screen reader finds on the timeline, and what is said of lanes and flags. And what is said where no lane is.

use egui::{Align2, Id, Role, Sense, Ui, WidgetInfo};

use crate::model::time::format_duration;

use super::super::context::Cx;
use super::super::{draw, fonts, format};
use super::cache::LaneData;
use super::cursors::{Cursor, Standing};
use super::explain;
use super::layout::Geometry;
use super::model::{Lane, Lanes};
use super::paint::Scene;

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
            let data = scene.cache.get(&lane.key);
            if let Some(hits) = data.map(LaneData::all_hits).filter(|hits| *hits > 0) {
                let said = format!("{} on screen", format::counted(hits, "hit", "hits"));
                ui.ctx()
                    .accesskit_node_builder(id, |node| node.set_description(said));
            }
            if let (Some(data), Some(at)) = (data, response.hover_pos())
                && let Some(said) = explain::at(data, &scene.geometry.axis, at.x)
            {
                response.on_hover_text_at_pointer(said);
            }
        }
    }
}

/// What there is to say of a flag.
pub(super) fn flag_text(cursor: &Cursor, lane: &Lane, scene: &Scene<'_>) -> String {
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
