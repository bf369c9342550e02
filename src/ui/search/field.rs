//! The field in which a filter is typed.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align2, CornerRadius, Galley, Id, Key, Modifiers, Rect, Role, Sense, Stroke, TextBuffer, Ui,
    WidgetInfo, pos2, vec2,
};

use super::super::context::Cx;
use super::super::records_table::rows_id;
use super::super::state::Msg;
use super::super::state::search::{FieldError, SearchMsg};
use super::super::{draw, fonts};

fn id() -> Id {
    Id::unique("search field")
}

/// Draws it in the width that is left. Whether what stands in it is to be searched for.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, focused: &mut u64) -> bool {
    let search = &cx.state.search;
    let id = id();
    if *focused != search.focus_asked {
        *focused = search.focus_asked;
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    // The key that leaves has taken the focus away before anything is drawn.
    let (has_focus, had_focus) =
        ui.memory(|memory| (memory.has_focus(id), memory.had_focus_last_frame(id)));
    if (has_focus || had_focus) && escaped(ui, cx) {
        return false;
    }
    if has_focus {
        keys(ui, cx);
    }
    let search = &cx.state.search;
    let mut text = search.text.clone();
    let error = search.error.clone();
    let (plain, wrong) = (cx.tokens.text, cx.tokens.warning);
    let mut layouter = |ui: &Ui, buffer: &dyn TextBuffer, _: f32| -> Arc<Galley> {
        let job = underlined(buffer.as_str(), error.as_ref(), plain, wrong);
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    let width = ui.available_width();
    let edit = egui::TextEdit::singleline(&mut text)
        .id(id)
        .font(fonts::small_data())
        .hint_text(egui::RichText::new(hint(width)).font(fonts::small()))
        .align(egui::Align2::LEFT_CENTER)
        .layouter(&mut layouter)
        .min_size(vec2(0.0, 22.0))
        .desired_width(width - 8.0);
    let response = ui.add(edit);
    response.widget_info(|| {
        let mut info = WidgetInfo::text_edit(true, &search.text, &text, "Search records");
        info.label = Some("Search records".to_owned());
        info
    });
    let enter = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if enter {
        // Still there when there is an error to mend.
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    if let Some(error) = &search.error {
        say(ui, cx, response.rect, error);
    }
    if text != search.text {
        cx.push(Msg::Search(SearchMsg::Edit(text)));
    }
    enter
}

fn hint(width: f32) -> &'static str {
    if width > 330.0 {
        "text, or regex: key: header: field: jq: …"
    } else if width > 150.0 {
        "text, or key: jq: …"
    } else {
        "text"
    }
}

/// Takes the key that empties the field, or leaves one that is empty. Whether it is left.
fn escaped(ui: &Ui, cx: &mut Cx<'_>) -> bool {
    if !ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        return false;
    }
    let is_left = cx.state.search.text.is_empty();
    if is_left {
        cx.push(Msg::Search(SearchMsg::Close));
    } else {
        cx.push(Msg::Search(SearchMsg::Edit(String::new())));
        ui.memory_mut(|memory| memory.request_focus(id()));
    }
    is_left
}

/// Takes the other keys that mean something else than text.
fn keys(ui: &Ui, cx: &mut Cx<'_>) {
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowUp) {
        cx.push(Msg::Search(SearchMsg::Recall(true)));
    } else if pressed(Key::ArrowDown) {
        if cx.state.search.recalled.is_none() {
            ui.memory_mut(|memory| memory.request_focus(rows_id()));
        }
        cx.push(Msg::Search(SearchMsg::Recall(false)));
    } else if cx.state.search.text.is_empty()
        && pressed(Key::Backspace)
        && let Some(last) = cx.state.search.filters.len().checked_sub(1)
    {
        cx.push(Msg::Search(SearchMsg::EditFilter(last)));
    }
}

/// The text with a line below what is wrong with it.
fn underlined(
    text: &str,
    error: Option<&FieldError>,
    plain: egui::Color32,
    wrong: egui::Color32,
) -> LayoutJob {
    let format = |color| TextFormat::simple(fonts::small_data(), color);
    let mut job = LayoutJob::default();
    let (from, to) = error.map_or((text.len(), text.len()), |error| place(text, error));
    let parts = [(0..from, false), (from..to, true), (to..text.len(), false)];
    for (range, is_wrong) in parts {
        let Some(part) = text.get(range).filter(|part| !part.is_empty()) else {
            continue;
        };
        let mut format = format(if is_wrong { wrong } else { plain });
        if is_wrong {
            format.underline = Stroke::new(1.5, wrong);
        }
        job.append(part, 0.0, format);
    }
    job
}

/// The bytes of `text` that are wrong, on whole characters; the last one when the error lies behind the end.
fn place(text: &str, error: &FieldError) -> (usize, usize) {
    let down = |at: usize| {
        (0..=at.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0)
    };
    let up = |at: usize| {
        (at.min(text.len())..=text.len())
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(text.len())
    };
    let from = down(error.at.start);
    let to = up(error.at.end.max(from));
    if from == to {
        let last = text.chars().next_back().map_or(0, char::len_utf8);
        let from = from.min(text.len().saturating_sub(last));
        (down(from), up(from.saturating_add(1)))
    } else {
        (from, to)
    }
}

/// Says below the field what is wrong.
fn say(ui: &Ui, cx: &Cx<'_>, field: Rect, error: &FieldError) {
    let painter = ui.ctx().layer_painter(egui::LayerId::new(
        egui::Order::Foreground,
        Id::unique("search error"),
    ));
    let job = LayoutJob::simple(
        error.message.clone(),
        fonts::small(),
        cx.tokens.warning,
        field.width().max(260.0),
    );
    let galley = painter.layout_job(job);
    let size = galley.size() + vec2(16.0, 10.0);
    let place = Rect::from_min_size(pos2(field.left(), field.bottom() + 3.0), size);
    painter.rect_filled(place, CornerRadius::same(4), cx.tokens.raised);
    draw::galley(&painter, place.center(), Align2::CENTER_CENTER, galley);
    let response = ui.interact(place, Id::unique("search error text"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &error.message));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str, at: std::ops::Range<usize>) -> &str {
        let error = FieldError {
            at,
            message: String::new(),
        };
        let (from, to) = place(text, &error);
        &text[from..to]
    }

    #[test]
    fn what_is_wrong_is_whole_characters() {
        assert_eq!(wrong("regex:a(b", 7..8), "(");
        assert_eq!(wrong("jq:.ä", 4..5), "ä");
        assert_eq!(wrong("jq:.a |", 7..7), "|");
        assert_eq!(wrong("jq:.a", 90..99), "a");
        assert_eq!(wrong("", 0..0), "");
    }

    #[test]
    fn what_is_wrong_is_underlined_where_it_stands() {
        let error = FieldError {
            at: 7..8,
            message: String::new(),
        };
        let color = egui::Color32::WHITE;
        let job = underlined("regex:a(b", Some(&error), color, color);
        let lined: Vec<&str> = job
            .sections
            .iter()
            .filter(|section| section.format.underline.width > 0.0)
            .map(|section| &job.text[section.byte_range.start.0..section.byte_range.end.0])
            .collect();
        assert_eq!(lined, ["("]);
    }
}
