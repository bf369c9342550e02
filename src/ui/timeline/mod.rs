//! The timeline: the product's heart. Split so that all but the painting is pure and tested:
//!
//! | part | what it is |
//! |---|---|
//! | `model`, `note` | which lanes there are, and what to ask the engine for; what stands beside a label |
//! | `axis` | how numbers are laid along x, folds, columns |
//! | `cursors`, `bars`, `offsets`, `outside` | where groups stand, how many records each column holds, the same on an axis of offsets, what is not on screen |
//! | `hits`, `gaps` | where the hits of a search lie, and findings |
//! | `group_band` | the chosen group over everything that it reads |
//! | `cache` | what was worked out for lanes on screen, kept until its sources change |
//! | `explain` | what the words in the lanes mean |
//! | `layout` | strips, rectangles, hit test, flags |
//! | `ticks`, `hover`, `snap` | marks of the ruler; what the pointer's line says and stands on |
//! | `pull`, `ghosts` | where a flag goes that is moved; where the group would stand after what is planned |
//! | `gestures`, `input`, `menu` | what pointer and keys did, and what that means; what can be done with a lane |
//! | `labels`, `minimap`, `edges`, `nodes`, `flags`, `paint` | drawing: the topic tree; all of the data; what can be named and clicked; flags that can be moved; everything else as one mesh |
//!
//! The x axis is one [`axis::Axis`] in `f64`; vertical places are a row's number and a remainder, so
//! that both stay exact however far one zooms or scrolls.

pub mod axis;
mod bars;
#[cfg(test)]
mod by_hand;
mod cache;
mod cursors;
mod edges;
mod explain;
mod flags;
mod gaps;
mod gestures;
mod ghosts;
mod group_band;
mod hits;
mod hover;
mod input;
mod labels;
pub mod layout;
mod menu;
mod minimap;
pub mod model;
mod nodes;
mod note;
mod offsets;
mod outside;
mod paint;
mod pull;
mod snap;
mod ticks;

pub use cache::{LaneCache, find_group};
pub use cursors::{Standing, first_time, place_in, time_of};
pub use labels::{filter_id, label_id};
pub use paint::Cost;
pub use pull::typed_time;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use egui::{Id, Pos2, Rangef, Ui};

use crate::engine::View;
use crate::inspect::timeline::up_to_now;
use crate::model::TimestampMs;

use super::context::Cx;
use super::format;
use super::num::{f64_from_i64, i64_from_f64};
use super::scroll::{self, Rows};
use super::state::{AxisKind, Msg, Selection, ViewRange};
use axis::Fold;
use gestures::Stops;
use ghosts::{Ghost, Ground, Sums};
use layout::{Frame, Geometry};
use model::{Lane, Lanes};
use outside::Outside;
use paint::Scene;
use ticks::Tick;

/// Columns are at least this wide, in physical pixels.
const COLUMN_PIXELS: f32 = 3.0;

/// What is said at the ruler while a flag is moved.
const DRAG_HINT: &str = "drag to choose   Shift all partitions   Alt free   Esc puts it back";

/// What a frame of the timeline came to.
pub struct Output {
    /// What the engine should look up.
    pub view: Arc<View>,
    /// Width of a column in milliseconds; `None` on an axis of offsets and where no lane is.
    pub column_ms: Option<i64>,
    /// What painting cost.
    pub cost: Cost,
}

/// Draws labels, ruler and lanes in all the room there is. `time` is the range of time on screen.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    lanes: &Arc<Lanes>,
    cache: &mut LaneCache,
    time: ViewRange,
) -> Output {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    cache.take(cx.snapshot, cx.state.group.as_ref());
    take_hits(ui, cx, cache);
    cache.gaps.take(&cx.snapshot.findings);
    let whole = whole_range(cx, lanes, cache, time);
    let range = match cx.state.axis {
        AxisKind::Time => time,
        AxisKind::FromEnd | AxisKind::Offset => cx.state.offset_view.unwrap_or(whole),
    };
    let pinned = lanes.pinned();
    let height_of = |index| lanes.get(index).map_or(0.0, Lane::height);
    let mut geometry = Geometry::new(&Frame {
        area,
        label_width: cx.state.label_width,
        range,
        axis: cx.state.axis,
        folds: folds(cx),
        least_points: COLUMN_PIXELS / ui.pixels_per_point(),
        pinned: (0..pinned).map(height_of).sum(),
        group_row: cache.chosen().is_some(),
    });
    let height = |row| lanes.height(row);
    let rows = Rows {
        count: u64::try_from(lanes.scrolled()).unwrap_or(u64::MAX),
        height: &height,
        viewport: geometry.lanes.height(),
    };
    let scroll = rows.clamped(cx.state.lane_scroll);
    geometry.place(&rows, scroll, pinned, height_of);
    let visible: Vec<&Lane> = geometry
        .all_slots()
        .filter_map(|slot| lanes.get(slot.index))
        .collect();
    if !cache.prepare(&visible, cx.state.axis, &geometry.columns, cx.now) {
        ui.ctx().request_repaint();
    }

    menu::close_by_key(ui);
    ui.painter().rect_filled(area, 0, cx.tokens.window);
    let ticks = ticks::ticks(&geometry.axis, cx.zone);
    let stops = stops(cx, cache, &visible, &ticks);
    let (gestures, pointer) = gestures::gestures(ui, cx, &geometry, &stops);
    let in_lane = gestures
        .menu
        .and_then(|at| Some((at, lanes.get(geometry.lane_at(at)?)?)));
    if let Some((at, lane)) = in_lane {
        let opened = menu::Opened {
            at,
            lane: lane.key.clone(),
            value: Some(geometry.axis.value_from_x(at.x)),
            by_key_on: None,
        };
        menu::open(ui, cx, opened);
    }
    menu::open_by_key(ui, cx, &geometry, lanes);
    labels::corner(ui, cx, geometry.corner, lanes);
    labels::rows(ui, cx, &geometry, lanes, &rows, scroll);
    let edges = edges::edges(
        ui,
        cx,
        &geometry,
        lanes,
        &visible,
        &outside(cache, &visible),
    );
    let ghosts = ghosts(cx, cache, lanes, &geometry);
    let drawn = Drawn {
        geometry: &geometry,
        lanes,
        cache,
        ticks: &ticks,
        free: edges::free(&geometry, &edges),
        pointer,
        line: dragged_line(cx).or(gestures.line),
        stops: &stops,
        ghosts,
    };
    let cost = paint_lanes(ui, cx, &drawn, edges);
    minimap::show(ui, cx, &geometry, whole);
    ui.painter().vline(
        geometry.labels.right() - 0.5,
        area.y_range(),
        cx.tokens.hairline(),
    );
    nodes::empty_state(ui, cx, &geometry, lanes);

    let messages = input::messages(&gestures, &geometry, lanes, cx.state);
    cx.messages.extend(messages);
    for later in &gestures.buckets {
        cx.messages
            .extend(next_bucket(cx, cache, &geometry, *later));
    }
    hovered_time(cx, &geometry, gestures.line);
    scroll_lanes(ui, cx, &geometry, &rows, scroll);
    menu::show(ui, cx, &geometry, lanes);
    let is_time = cx.state.axis == AxisKind::Time;
    Output {
        view: cache.view(lanes, &geometry),
        column_ms: (is_time && !lanes.is_empty()).then(|| geometry.columns.step()),
        cost,
    }
}

/// Takes the hits of the search that is shown.
fn take_hits(ui: &Ui, cx: &Cx<'_>, cache: &mut LaneCache) {
    let view = cx.state.search.shown(&cx.snapshot.search);
    let now_s = ui.input(|input| input.time);
    if let Some(wait_s) = cache.hits.take(view.map(|view| &view.table), now_s) {
        ui.ctx()
            .request_repaint_after(Duration::from_secs_f64(wait_s));
    }
}

/// The range that shows all of the data on the present axis.
fn whole_range(cx: &Cx<'_>, lanes: &Lanes, cache: &LaneCache, time: ViewRange) -> ViewRange {
    match cx.state.axis {
        AxisKind::Time => {
            let bulk = cx.snapshot.inventory.bulk;
            bulk.map_or(time, |bulk| {
                let (from, to) = up_to_now(bulk, cx.now);
                ViewRange::between(from, to)
            })
        }
        kind => offsets::fit(kind, lanes, cache.chosen(), cx.state.lane.as_ref()),
    }
}

/// The stretches that are folded.
fn folds(cx: &Cx<'_>) -> Arc<[Fold]> {
    if !cx.state.fold_idle || cx.state.axis != AxisKind::Time {
        return Arc::default();
    }
    let overview = cx.snapshot.density.overview.as_ref();
    overview
        .map(|overview| overview.idle())
        .unwrap_or_default()
        .into_iter()
        .map(|(from, to)| Fold {
            from: f64_from_i64(from.0),
            to: f64_from_i64(to.0),
        })
        .collect()
}

/// What the pointer's line may stand on.
fn stops(cx: &Cx<'_>, cache: &LaneCache, visible: &[&Lane], ticks: &[Tick]) -> Stops {
    let mut points = Vec::new();
    for data in visible.iter().filter_map(|lane| cache.get(&lane.key)) {
        let chosen = data
            .cursors
            .iter()
            .find(|cursor| Some(&cursor.name) == cx.state.group.as_ref());
        points.extend(chosen.and_then(|cursor| cursor.at.place()));
        points.extend(data.deleted.map(|deleted| deleted.before.place()));
    }
    if cx.state.axis == AxisKind::Time {
        points.extend(cx.state.markers.iter().map(|at| at.0));
    }
    Stops {
        points: points.into_iter().map(f64_from_i64).collect(),
        marks: ticks.iter().map(|tick| tick.value).collect(),
    }
}

/// The lanes of `visible` that count when all are added up: neither those that stay on top, which are there twice,
/// nor partitions of an open topic that is on screen.
fn counted_once<'a>(visible: &'a [&'a Lane]) -> impl Iterator<Item = &'a Lane> {
    visible
        .iter()
        .copied()
        .filter(|lane| !lane.pinned)
        .filter(|lane| {
            let mut others = visible
                .iter()
                .filter(|other| other.is_topic() && !other.pinned);
            lane.is_topic() || !others.any(|other| other.key.topic == lane.key.topic)
        })
}

/// What the lanes on screen hold beyond its edges, on an axis of time.
fn outside(cache: &LaneCache, visible: &[&Lane]) -> Outside {
    counted_once(visible)
        .filter_map(|lane| cache.get(&lane.key))
        .fold(Outside::default(), |sum, data| sum.and(&data.outside))
}

/// The next column of the lane that keys act on in which something lies, later or earlier than the chosen span.
fn next_bucket(cx: &Cx<'_>, cache: &LaneCache, geometry: &Geometry, later: bool) -> Option<Msg> {
    let lane = cx.state.lane.as_ref()?;
    let data = cache.get(lane)?;
    if geometry.axis.kind() != AxisKind::Time {
        return None;
    }
    let columns = &geometry.columns;
    let chosen = cx.state.selection.as_ref().and_then(Selection::times);
    let is_filled = |column: &i64| data.bar(*column).count > 0.0;
    let found = if later {
        let from = chosen.map_or(i64::MIN, |(_, to)| to.0);
        columns
            .numbers()
            .find(|column| columns.edge(*column) >= from && is_filled(column))
    } else {
        let to = chosen.map_or(i64::MAX, |(from, _)| from.0);
        columns
            .numbers()
            .filter(|column| columns.edge(column.saturating_add(1)) <= to && is_filled(column))
            .last()
    };
    let (from, to) = columns.times(found?);
    Some(Msg::Select(Selection::between(
        from,
        to,
        vec![lane.clone()],
    )))
}

/// Tells the table which time the pointer is at.
fn hovered_time(cx: &mut Cx<'_>, geometry: &Geometry, line: Option<f64>) {
    let at = line
        .filter(|_| geometry.axis.kind() == AxisKind::Time)
        .map(|value| TimestampMs(i64_from_f64(value.floor())));
    if cx.state.timeline_hover != at {
        cx.push(Msg::HoverTimeline(at));
    }
}

/// Where the line stands while a flag is moved along time: where the flag does.
fn dragged_line(cx: &Cx<'_>) -> Option<f64> {
    let drag = cx.state.rewind.drag.as_ref()?;
    let time = drag.aim.time().filter(|_| drag.by_pointer)?;
    (cx.state.axis == AxisKind::Time).then(|| f64_from_i64(time.0))
}

/// Where the chosen group would stand after what is planned, in each lane on screen.
fn ghosts(
    cx: &Cx<'_>,
    cache: &mut LaneCache,
    lanes: &Lanes,
    geometry: &Geometry,
) -> HashMap<usize, Ghost> {
    let mut sums = std::mem::take(&mut cache.sums);
    let found = cache.chosen().map_or_else(HashMap::new, |group| {
        let ground = Ground {
            kind: cx.state.axis,
            group,
            density: &cx.snapshot.density,
            state: cx.state,
            view: &cx.snapshot.rewind,
            now: cx.now,
        };
        let ghost = |index: usize, sums: &mut Sums| ground.ghost(lanes.get(index)?, sums);
        geometry
            .all_slots()
            .filter_map(|slot| Some((slot.index, ghost(slot.index, &mut sums)?)))
            .collect()
    });
    cache.sums = sums;
    found
}

/// What a frame of the lanes is drawn from.
struct Drawn<'a> {
    geometry: &'a Geometry,
    lanes: &'a Lanes,
    cache: &'a LaneCache,
    ticks: &'a [Tick],
    /// The part of the ruler that is free for labels.
    free: Rangef,
    pointer: Option<Pos2>,
    /// Where the pointer's line stands.
    line: Option<f64>,
    stops: &'a Stops,
    /// Where the chosen group would stand, by lane.
    ghosts: HashMap<usize, Ghost>,
}

fn paint_lanes(ui: &Ui, cx: &mut Cx<'_>, drawn: &Drawn<'_>, edges: Vec<edges::Edge>) -> Cost {
    let Drawn {
        geometry,
        lanes,
        cache,
        ticks,
        free,
        pointer,
        line,
        stops,
        ref ghosts,
    } = *drawn;
    let state = cx.state;
    let hovered = pointer.and_then(|pos| geometry.lane_at(pos));
    let scene = Scene {
        tokens: cx.tokens,
        geometry,
        marks: cx.marks,
        lanes,
        cache,
        ticks,
        chosen: state.group.as_ref(),
        selection: state.dragged.as_ref().or(state.selection.as_ref()),
        markers: &state.markers,
        revealed: state.revealed.as_ref(),
        row_time: state.hovered_time,
        focused: state.lane.as_ref(),
        hovered,
        now: cx.now,
        zone: cx.zone,
        settled: cx.snapshot.density.settled,
        ghosts,
    };
    let (flags, cost) = scene.paint(ui.painter());
    nodes::lane_nodes(ui, &scene);
    scene.paint_ruler(ui.painter(), free);
    flags::show(ui, cx, &scene, &flags, stops);
    edges::show(ui, cx, edges);
    if let Some(value) = line {
        let lane = hovered.and_then(|index| lanes.get(index));
        let (axis, columns) = (&geometry.axis, &geometry.columns);
        let mut text = hover::describe(lane, value, axis, columns, &cx.snapshot.density, cx.zone);
        let data = lane.and_then(|lane| cache.get(&lane.key));
        let hits = data.map_or(0, |data| data.hits(columns.column_of(value)));
        let gaps = data.and_then(|data| data.gaps().get(&columns.column_of(value)));
        if let Some(gap) = gaps {
            let said = format::counted(gap.count, "finding", "findings");
            text.count = if text.count.is_empty() {
                said
            } else {
                format!("{}, {said}", text.count)
            };
        }
        if hits > 0 {
            let said = format::counted(hits, "hit", "hits");
            text.count = if text.count.is_empty() {
                said
            } else {
                format!("{}, {said}", text.count)
            };
        }
        if state.rewind.drag.is_some() {
            text.place = DRAG_HINT.into();
            text.count.clear();
        }
        scene.paint_hover(ui.painter(), axis.x_from(value), &text);
    }
    cost
}

fn scroll_lanes(
    ui: &Ui,
    cx: &mut Cx<'_>,
    geometry: &Geometry,
    rows: &Rows<'_>,
    scroll: scroll::RowScroll,
) {
    let over = geometry.lanes.union(geometry.labels);
    if let Some(to) = scroll::wheel(ui, over, rows, scroll) {
        cx.push(Msg::ScrollLanes(to));
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
