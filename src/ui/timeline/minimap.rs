//! The strip above the ruler: all of the data, and which part of it is on screen. Its window is moved and
//! resized with the pointer.

use egui::{CursorIcon, Id, Mesh, Pos2, Rangef, Rect, Role, Sense, Shape, Ui, WidgetInfo, pos2};

use crate::inspect::overview::Overview;

use super::super::context::Cx;
use super::super::format;
use super::super::num::f64_from_i64;
use super::super::state::{AxisKind, Msg, ViewRange};
use super::axis::Axis;
use super::layout::{self, Geometry};

/// How near to an edge of the window the pointer takes hold of it.
const REACH: f32 = 6.0;

/// What of the window is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    From,
    To,
    Whole,
    New,
}

/// A drag under way: what it drags, where it began, and the range then.
#[derive(Clone, Copy, Debug)]
struct Hold {
    part: Part,
    began: f64,
    range: ViewRange,
}

/// The axis of the strip: all of the data and whatever is on screen.
fn strip_axis(geometry: &Geometry, overview: Option<&Overview>, whole: ViewRange) -> Axis {
    let shown = geometry.axis.range();
    let mut range = whole;
    if let (AxisKind::Time, Some(overview)) = (geometry.axis.kind(), overview) {
        let grid = overview.grid;
        range.from_ms = range.from_ms.min(f64_from_i64(grid.from().0));
        range.to_ms = range.to_ms.max(f64_from_i64(grid.to().0));
    }
    let around = ViewRange::new(
        range.from_ms.min(shown.from_ms),
        range.to_ms.max(shown.to_ms),
    );
    Axis::new(geometry.minimap.x_range(), around)
}

/// The part of the window from `x.min` to `x.max` that the pointer at `at` takes hold of.
fn part_at(x: Rangef, at: f32) -> Part {
    let (from, to) = ((at - x.min).abs(), (at - x.max).abs());
    if from.min(to) <= REACH {
        if from < to { Part::From } else { Part::To }
    } else if x.contains(at) {
        Part::Whole
    } else {
        Part::New
    }
}

/// The range that dragging `hold` to the value `now` makes.
fn dragged(hold: Hold, now: f64) -> ViewRange {
    let Hold { part, began, range } = hold;
    match part {
        Part::From => ViewRange::new(now, range.to_ms),
        Part::To => ViewRange::new(range.from_ms, now),
        Part::Whole => range.panned(now - began),
        Part::New => ViewRange::new(began, now),
    }
}

/// Draws the strip and takes what is done to it. `whole` is the range that shows all of the data.
pub fn show(ui: &Ui, cx: &mut Cx<'_>, geometry: &Geometry, whole: ViewRange) {
    let strip = geometry.minimap;
    let overview = cx.snapshot.density.overview.clone();
    let axis = strip_axis(geometry, overview.as_deref(), whole);
    let shown = geometry.axis.range();
    let window = Rangef::new(axis.x_from(shown.from_ms), axis.x_from(shown.to_ms));
    paint(ui, cx, geometry, &axis, overview.as_deref(), window);

    let response = ui.interact(strip, Id::unique("minimap"), Sense::CLICK | Sense::DRAG);
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "All of the data"));
    if let Some(pos) = response.hover_pos() {
        ui.ctx().set_cursor_icon(match part_at(window, pos.x) {
            Part::From | Part::To => CursorIcon::ResizeHorizontal,
            Part::Whole => CursorIcon::Grab,
            Part::New => CursorIcon::Crosshair,
        });
    }
    let id = Id::unique("minimap hold");
    if response.drag_started() {
        let pressed = ui.input(|input| input.pointer.press_origin());
        if let Some(pos) = pressed.or_else(|| response.interact_pointer_pos()) {
            let hold = Hold {
                part: part_at(window, pos.x),
                began: axis.value_from_x(pos.x),
                range: shown,
            };
            ui.data_mut(|data| data.insert_temp(id, hold));
        }
    }
    let hold = ui.data(|data| data.get_temp::<Hold>(id));
    if response.dragged()
        && let (Some(hold), Some(Pos2 { x, .. })) = (hold, response.interact_pointer_pos())
    {
        let x = x.clamp(strip.left(), strip.right());
        cx.push(Msg::View(dragged(hold, axis.value_from_x(x))));
    }
    if response.drag_stopped() {
        ui.data_mut(|data| data.remove::<Hold>(id));
    }
    if response.double_clicked() {
        cx.push(Msg::Follow);
    } else if response.clicked()
        && let Some(pos) = response.interact_pointer_pos()
    {
        let by = axis.value_from_x(pos.x) - f64::midpoint(shown.from_ms, shown.to_ms);
        cx.push(Msg::View(shown.panned(by)));
    }
    if geometry.axis.kind() == AxisKind::Time
        && let Some(overview) = overview
        && response.hovered()
        && !response.dragged()
    {
        response.on_hover_text(coverage(&overview));
    }
}

/// What the strip stands for.
fn coverage(overview: &Overview) -> String {
    let count = |value: usize| format::count(super::super::num::u64_from_usize(value));
    if overview.partitions >= overview.of {
        format!(
            "All of the data: {} partitions. Drag the edges of the window or the window itself",
            count(overview.partitions)
        )
    } else {
        format!(
            "The data of {} of {} partitions; the others are looked at when they are on screen",
            count(overview.partitions),
            count(overview.of)
        )
    }
}

fn paint(
    ui: &Ui,
    cx: &Cx<'_>,
    geometry: &Geometry,
    axis: &Axis,
    overview: Option<&Overview>,
    window: Rangef,
) {
    let (strip, tokens) = (geometry.minimap, cx.tokens);
    let painter = ui.painter().with_clip_rect(strip);
    painter.rect_filled(strip, 0, tokens.window);
    let inner = strip.shrink2(egui::vec2(0.0, 4.0));
    if let (AxisKind::Time, Some(overview)) = (geometry.axis.kind(), overview) {
        let mut mesh = Mesh::default();
        let most = overview.counts.iter().copied().fold(0.0, f64::max);
        for (index, count) in overview.counts.iter().enumerate() {
            let edge = |index| axis.x_from(f64_from_i64(overview.grid.edge(index).0));
            let x = Rangef::new(edge(index), edge(index.saturating_add(1)));
            let height = layout::bar_height(*count, most, inner.height());
            if height > 0.0 {
                let y = Rangef::new(inner.bottom() - height, inner.bottom());
                let color = if window.contains(x.center()) {
                    tokens.dim.gamma_multiply(0.75)
                } else {
                    tokens.density_partition
                };
                mesh.add_colored_rect(Rect::from_x_y_ranges(x, y), color);
            }
        }
        painter.add(Shape::mesh(mesh));
    }
    let rect = Rect::from_x_y_ranges(window, strip.shrink(1.5).y_range());
    painter.rect_filled(rect, 2, tokens.accent.gamma_multiply(0.12));
    painter.rect_stroke(
        rect,
        2,
        egui::Stroke::new(1.0, tokens.accent.gamma_multiply(0.8)),
        egui::StrokeKind::Inside,
    );
    for x in [window.min, window.max] {
        let grip = Rect::from_center_size(pos2(x, strip.center().y), egui::vec2(3.0, 10.0));
        painter.rect_filled(grip, 1, tokens.accent);
    }
    painter.hline(strip.x_range(), strip.bottom() - 0.5, tokens.hairline());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_takes_hold_of_an_edge_of_all_or_of_a_new_window() {
        let window = Rangef::new(100.0, 200.0);
        assert_eq!(part_at(window, 97.0), Part::From);
        assert_eq!(part_at(window, 205.0), Part::To);
        assert_eq!(part_at(window, 150.0), Part::Whole);
        assert_eq!(part_at(window, 50.0), Part::New);
        // Of a window too narrow for three parts the nearer edge.
        assert_eq!(part_at(Rangef::new(100.0, 102.0), 104.0), Part::To);
    }

    #[test]
    fn dragging_moves_an_edge_or_all() {
        let hold = |part| Hold {
            part,
            began: 500.0,
            range: ViewRange::new(400.0, 800.0),
        };
        let range = |part, now| {
            let made = dragged(hold(part), now);
            (made.from_ms, made.to_ms)
        };
        assert_eq!(range(Part::From, 450.0), (450.0, 800.0));
        assert_eq!(range(Part::To, 900.0), (400.0, 900.0));
        assert_eq!(range(Part::Whole, 600.0), (500.0, 900.0));
        assert_eq!(range(Part::New, 200.0), (200.0, 500.0));
    }
}
