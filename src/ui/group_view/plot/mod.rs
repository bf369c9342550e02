//! The trajectory: the end of the log and the committed offset against time.

mod axes;

use std::sync::Arc;

use egui::{
    Align2, EventFilter, Id, Key, Modifiers, Rangef, Rect, Role, Sense, Stroke, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use egui_plot::{AxisHints, Line, Plot, VLine};

use crate::inspect::samples::{Offsets, Series, Trajectory};
use crate::model::{Text, TimestampMs, TopicPartition};

use axes::{LINE_OF_NUMBERS, bounds, height_label, height_marks, points, signed, time_marks};

use super::super::context::Cx;
use super::super::format::{self, Precision};
use super::super::num::{f64_from_i64, i64_from_f64};
use super::super::state::{GroupMsg, LaneKey, Msg};
use super::super::{draw, fonts};
use super::model::Model;
use super::words::{NEXT_READING, clock, partitions};

/// Points of one line at most.
pub const MOST_POINTS: usize = 2_000;
/// Height of the title above, and of the words below.
const TITLE: f32 = 24.0;
const WORDS: f32 = 18.0;
/// The least height and width of a plot that can be read.
const LEAST: f32 = 44.0;

/// The lines that were drawn last, kept while their readings are the same.
#[derive(Debug, Default)]
pub struct PlotCache {
    of: Option<Arc<Series>>,
    lines: Arc<Trajectory>,
}

impl PlotCache {
    fn lines(&mut self, series: &Arc<Series>) -> Arc<Trajectory> {
        let is_same = self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, series));
        if !is_same {
            self.lines = Arc::new(Trajectory::new(series, MOST_POINTS));
            self.of = Some(Arc::clone(series));
        }
        Arc::clone(&self.lines)
    }
}

/// The readings of `subject`.
///
/// # Errors
/// A sentence that stands in place of the plot.
fn series(model: &Model, subject: &LaneKey) -> Result<Arc<Series>, String> {
    let waiting = "Two readings are needed; the next comes in about 4 s".to_owned();
    let Some(samples) = model.samples() else {
        return Err(waiting);
    };
    let kept = match subject.partition {
        Some(partition) => {
            let at = TopicPartition {
                topic: Arc::clone(&subject.topic),
                partition,
            };
            let kept = samples
                .partition(&at)
                .and_then(|place| place.series.clone());
            kept.ok_or_else(|| {
                format!("Single partitions are followed from when the group is looked at. {NEXT_READING}")
            })?
        }
        None => match samples.topic(&subject.topic) {
            None => return Err(waiting),
            Some(topic) => topic.sum.clone().ok_or_else(|| {
                "There are too many groups and topics to follow each; a partition can be chosen"
                    .to_owned()
            })?,
        },
    };
    if kept.is_line() {
        return Ok(kept);
    }
    Err(why_empty(model, subject).unwrap_or(waiting))
}

/// Why nothing was read that could be drawn, unless that is only a matter of time.
fn why_empty(model: &Model, subject: &LaneKey) -> Option<String> {
    let never = || "The group never committed here".to_owned();
    if let Some(partition) = subject.partition {
        let place = model.place(&subject.topic, partition)?;
        return match (&place.committed, &place.high_watermark) {
            (Ok(None), _) => Some(never()),
            (Err(problem), _) | (Ok(Some(_)), Err(problem)) => {
                Some(format!("Not known: {problem}"))
            }
            _ => None,
        };
    }
    let topic = model
        .topics
        .iter()
        .find(|topic| topic.topic == subject.topic)?;
    let total = &topic.total;
    if total.never == total.partitions {
        return Some(never());
    }
    let unknown = total.unknown.saturating_sub(total.beyond);
    (unknown > 0).then(|| {
        format!(
            "The sum is not known, because {} not known. A partition can be chosen in the table",
            match unknown {
                1 => "1 partition is".to_owned(),
                _ => format!("{} are", partitions(unknown)),
            }
        )
    })
}

/// Why there is no trajectory at all.
fn nothing_to_draw(model: &Model) -> String {
    let commits = model.group().map(|group| &group.group.commits);
    match commits {
        Some(Err(problem)) => format!("The committed offsets are not known: {problem}"),
        Some(Ok(_)) | None => "The group reads nothing".to_owned(),
    }
}

/// Draws the trajectory of `subject` in `area`.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    area: Rect,
    model: &Model,
    subject: Option<&LaneKey>,
    cache: &mut PlotCache,
) {
    let title = Rect::from_min_size(area.min, vec2(area.width(), TITLE));
    let words = Rect::from_min_max(pos2(area.left(), area.bottom() - WORDS), area.max);
    let inner = Rect::from_min_max(
        // The highest number stands half above its line.
        pos2(area.left() + 6.0, title.bottom() + 6.0),
        pos2(area.right() - 24.0, words.top()),
    );
    let found = subject
        .ok_or_else(|| nothing_to_draw(model))
        .and_then(|subject| series(model, subject).map(|series| (subject, series)));
    let name = model.group().map(|group| group.group.listing.name.clone());
    show_title(ui, cx, title, subject, name.as_ref());
    match found {
        Ok(_) if inner.height() < LEAST || inner.width() < LEAST => {
            say(ui, cx, inner, "No room for the trajectory");
        }
        Ok((subject, series)) => {
            let lines = cache.lines(&series);
            let trajectory = Drawn {
                subject,
                series: &series,
                lines: &lines,
                name: name.as_ref(),
            };
            trajectory.show(ui, cx, inner, words);
        }
        Err(reason) => say(ui, cx, inner, &reason),
    }
}

fn show_title(ui: &Ui, cx: &Cx<'_>, rect: Rect, subject: Option<&LaneKey>, name: Option<&Text>) {
    let painter = ui.painter();
    let tokens = cx.tokens;
    let middle = rect.center().y;
    let mut right = rect.right() - 10.0;
    let hue = name.map_or(tokens.no_hue, |name| tokens.hue(name));
    for (word, color) in [("produced", tokens.dim), ("committed", hue)] {
        let said = draw::text(
            painter,
            pos2(right, middle),
            Align2::RIGHT_CENTER,
            word,
            fonts::small(),
            tokens.dim,
            80.0,
        );
        let line = [
            pos2(said.left() - 16.0, middle),
            pos2(said.left() - 4.0, middle),
        ];
        painter.line_segment(line, Stroke::new(2.0, color));
        right = said.left() - 26.0;
    }
    let text = subject.map_or_else(
        || "Trajectory".to_owned(),
        |subject| match subject.partition {
            Some(_) => subject.title(),
            None => format!("{}, sum", subject.title()),
        },
    );
    draw::text(
        painter,
        pos2(rect.left() + 10.0, middle),
        Align2::LEFT_CENTER,
        &text,
        fonts::text(),
        tokens.text,
        right - rect.left() - 10.0,
    );
}

/// Says what stands in place of the plot.
fn say(ui: &Ui, cx: &Cx<'_>, rect: Rect, said: &str) {
    let color = cx.tokens.dim;
    let painter = ui.painter();
    let galley = painter.layout(said.to_owned(), fonts::text(), color, rect.width() - 12.0);
    let place = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
    painter.galley(place.min, galley, color);
    let response = ui.interact(place, Id::unique("trajectory said"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said));
}

/// One trajectory on its way to the screen.
struct Drawn<'a> {
    subject: &'a LaneKey,
    series: &'a Series,
    lines: &'a Trajectory,
    name: Option<&'a Text>,
}

impl Drawn<'_> {
    fn show(&self, ui: &mut Ui, cx: &mut Cx<'_>, rect: Rect, words: Rect) {
        let id = Id::unique("trajectory");
        let tokens = cx.tokens;
        let hue = self.name.map_or(tokens.no_hue, |name| tokens.hue(name));
        let read_at = cx.state.group_view.read_at;
        let bounds = bounds(self.lines);
        let produced = points(&self.lines.produced);
        let committed = points(&self.lines.committed);
        let zone = cx.zone;
        let axis = |hints: AxisHints<'static>| {
            hints
                .tick_label_color(tokens.dim)
                .tick_label_font(fonts::small_data())
        };
        let times = {
            let zone = zone.clone();
            axis(AxisHints::new_x()).formatter(move |mark, _| {
                let precision = if mark.step_size < 60_000.0 {
                    Precision::Seconds
                } else {
                    Precision::Minutes
                };
                format::time_of_day(TimestampMs(i64_from_f64(mark.value)), &zone, precision)
            })
        };
        let heights = axis(AxisHints::new_y())
            .label_spacing(Rangef::new(LINE_OF_NUMBERS - 1.0, LINE_OF_NUMBERS))
            .formatter(|mark, _| height_label(mark.value));
        let grid = Rangef::new(8.0, 300.0);
        let plot = Plot::new("trajectory")
            .id(id)
            .sense(Sense::click())
            .allow_zoom(false)
            .allow_drag(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_axis_zoom_drag(false)
            .allow_double_click_reset(false)
            .show_background(false)
            .show_y(false)
            .grid_color(tokens.line)
            .cursor_color(tokens.hover_line)
            .label_formatter(|_| None)
            .x_grid_spacer(time_marks)
            .y_grid_spacer(move |input| height_marks(&input, grid.min))
            .grid_spacing(grid)
            .custom_x_axes(vec![times])
            .custom_y_axes(vec![heights]);
        let drawn = ui
            .scope_builder(
                UiBuilder::new()
                    .scope_id(Id::unique("trajectory scope"))
                    .max_rect(rect),
                |ui| {
                    plot.show(ui, |plot| {
                        plot.set_plot_bounds(bounds);
                        for (piece, name) in produced.into_iter().zip(0_usize..) {
                            let line = Line::new(format!("produced {name}"), piece);
                            plot.line(line.color(tokens.dim).width(1.5).allow_hover(false));
                        }
                        for (piece, name) in committed.into_iter().zip(0_usize..) {
                            let line = Line::new(format!("committed {name}"), piece);
                            plot.line(line.color(hue).width(2.0).allow_hover(false));
                        }
                        if let Some(at) = read_at {
                            let line = VLine::new("read", f64_from_i64(at.0));
                            plot.vline(line.color(tokens.hover_line).width(1.0).allow_hover(false));
                        }
                    })
                },
            )
            .inner;
        let response = drawn.response;
        response.widget_info(|| WidgetInfo::labeled(Role::Figure, true, self.summary(cx)));
        if response.has_focus() {
            if cx.keys_lead {
                draw::focus_ring(ui.painter(), tokens, rect);
            }
            self.keys(ui, cx, response.id);
        }
        if response.clicked() {
            response.request_focus();
        }
        let under_pointer = response
            .hover_pos()
            .map(|pos| TimestampMs(i64_from_f64(drawn.transform.value_from_position(pos).x)));
        self.show_words(ui, cx, words, under_pointer.or(read_at));
    }

    /// Left and right go from reading to reading.
    fn keys(&self, ui: &Ui, cx: &mut Cx<'_>, id: Id) {
        let filter = EventFilter {
            horizontal_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let last = self.series.until();
        let from = cx.state.group_view.read_at;
        if pressed(Key::ArrowRight) {
            let to = from.map_or(last, |at| self.lines.step(at, true));
            cx.push(Msg::Group(GroupMsg::ReadAt(to)));
        }
        if pressed(Key::ArrowLeft) {
            let to = from.map_or(last, |at| self.lines.step(at, false));
            cx.push(Msg::Group(GroupMsg::ReadAt(to)));
        }
    }

    /// The line below: what was read at a time, or from when on something is known.
    fn show_words(&self, ui: &Ui, cx: &Cx<'_>, rect: Rect, at: Option<TimestampMs>) {
        let read = at.and_then(|at| self.lines.nearest(at));
        let text = match read {
            Some((at, offsets)) => reading(&clock(at, cx.now, cx.zone), offsets),
            None => self.known_since(cx),
        };
        let said = draw::text(
            ui.painter(),
            pos2(rect.left() + 10.0, rect.center().y),
            Align2::LEFT_CENTER,
            &text,
            fonts::small_data(),
            cx.tokens.dim,
            rect.width() - 18.0,
        );
        let response = ui.interact(said, Id::unique("trajectory words"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text.as_str()));
        response.on_hover_text(format!("{text}\n{}", self.known_since(cx)));
    }

    fn known_since(&self, cx: &Cx<'_>) -> String {
        let time = |at| clock(at, cx.now, cx.zone);
        let since = self.series.since().map_or_else(String::new, time);
        match self.series.thinned_before() {
            None => format!("Readings since {since}"),
            Some(before) => format!(
                "Readings since {since}, fewer of them before {}",
                time(before)
            ),
        }
    }

    fn summary(&self, cx: &Cx<'_>) -> String {
        let known: Vec<Offsets> = self
            .series
            .stretches()
            .filter_map(|stretch| stretch.offsets)
            .collect();
        let what = match (known.first(), known.last()) {
            (Some(first), Some(last)) => {
                let produced = last.end.0.saturating_sub(first.end.0);
                let committed = last.committed.0.saturating_sub(first.committed.0);
                format!(
                    "produced {}, committed {}",
                    signed(produced),
                    signed(committed)
                )
            }
            _ => "nothing is known".to_owned(),
        };
        format!(
            "Trajectory of {}: {what}. {}. Left and right arrow read it off",
            self.subject.title(),
            self.known_since(cx)
        )
    }
}

/// What was read at a time.
fn reading(time: &str, offsets: Option<Offsets>) -> String {
    let Some(offsets) = offsets else {
        return format!("{time} · not known");
    };
    let lag = offsets.lag().map_or_else(
        || "committed beyond the end".to_owned(),
        |lag| format!("lag {}", format::count(lag)),
    );
    format!(
        "{time} · produced {} · committed {} · {lag}",
        format::offset(offsets.end),
        format::offset(offsets.committed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Offset;

    #[test]
    fn a_reading_says_what_it_knows() {
        let offsets = |end, committed| {
            Some(Offsets {
                end: Offset(end),
                committed: Offset(committed),
            })
        };
        assert_eq!(
            reading("20:14:03 UTC", offsets(2_852, 2_451)),
            "20:14:03 UTC · produced 2,852 · committed 2,451 · lag 401"
        );
        assert_eq!(
            reading("20:14:03 UTC", offsets(9, 12)),
            "20:14:03 UTC · produced 9 · committed 12 · committed beyond the end"
        );
        assert_eq!(reading("20:14:03 UTC", None), "20:14:03 UTC · not known");
    }
}
