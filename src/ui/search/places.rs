//! The menu of where to search, and the field for a time or number that it may need.

use egui::{Button, Key, RichText, TextEdit, Ui};
use jiff::tz::TimeZone;

use crate::model::time::{parse_time, zoned};
use crate::model::{Offset, TimestampMs};

use super::super::context::Cx;
use super::super::state::Msg;
use super::super::state::search::{SearchMsg, SearchWhere, WhereField, WhereKind};
use super::super::tokens::size;
use super::super::{draw, fonts, format};
use super::MaybeScope;

/// The button that says where is searched, no wider than `most`, and its menu.
pub(super) fn button(ui: &mut Ui, cx: &mut Cx<'_>, scope: &MaybeScope, most: f32) {
    let (words, color) = match scope {
        Ok(scope) => (scope.words.as_str(), cx.tokens.dim),
        Err(why) => (why.as_str(), cx.tokens.warning),
    };
    let cut = draw::fitted(ui.painter(), words, fonts::small(), color, most);
    // The field for a time or number is typed into while the menu stays.
    let config = egui::containers::menu::MenuConfig::new()
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    let button = Button::new(cut).min_size(egui::vec2(0.0, 22.0));
    let (response, _) = egui::containers::menu::MenuButton::from_button(button)
        .config(config)
        .ui(ui, |ui| items(ui, cx, scope));
    response
        .on_hover_text(format!("Where to search: {words}"))
        .accessible_name(format!("Where: {words}"));
}

fn items(ui: &mut Ui, cx: &mut Cx<'_>, scope: &MaybeScope) {
    ui.set_min_width(250.0);
    if let Err(why) = scope {
        ui.colored_label(cx.tokens.warning, why);
    }
    let has_span = cx.state.selection.is_some();
    let place = cx.state.search.place;
    let group = cx.state.group.as_ref().map_or_else(
        || "From where a group stands".to_owned(),
        |name| format!("From where {} stands", format::group_name(name, 24)),
    );
    let everything = if has_span {
        SearchWhere::Everything
    } else {
        // What the table lists without a span.
        SearchWhere::Listed
    };
    let items = [
        (
            "The span drawn on the timeline",
            SearchWhere::Listed,
            has_span && place == SearchWhere::Listed,
            (!has_span).then_some("drag over lanes of the timeline first"),
        ),
        (
            "Everything of these topics",
            everything,
            place == everything,
            None,
        ),
        (
            &group,
            SearchWhere::Group,
            place == SearchWhere::Group,
            cx.state.group.is_none().then_some("choose a group first"),
        ),
    ];
    for (text, place, is_chosen, why_not) in items {
        let button = Button::selectable(is_chosen, text);
        let response = ui.add_enabled(why_not.is_none(), button);
        let response = match why_not {
            Some(why) => response.on_disabled_hover_text(why),
            None => response,
        };
        if response.clicked() {
            cx.push(Msg::Search(SearchMsg::Place(place)));
            ui.close();
        }
    }
    typed(ui, cx, WhereKind::From, "From a time…");
    typed(ui, cx, WhereKind::Between, "Between two times…");
    typed(ui, cx, WhereKind::Offset, "From an offset…");
    typed(ui, cx, WhereKind::Newest, "The newest of each partition…");
}

/// A choice that needs something typed; its field stands below it.
fn typed(ui: &mut Ui, cx: &mut Cx<'_>, kind: WhereKind, text: &str) {
    let field = cx.state.search.where_field.clone();
    let is_open = field.as_ref().is_some_and(|field| field.kind == kind);
    if ui.add(Button::selectable(is_open, text)).clicked() {
        let field = (!is_open).then(|| WhereField {
            kind,
            text: String::new(),
            error: None,
        });
        cx.push(Msg::Search(SearchMsg::WhereField(field)));
    }
    let Some(field) = field.filter(|_| is_open) else {
        return;
    };
    let (name, hint) = words(kind);
    let mut text = field.text.clone();
    let edit = TextEdit::singleline(&mut text)
        .font(fonts::small_data())
        .hint_text(hint)
        .desired_width(230.0);
    let response = ui.add(edit).on_hover_text(name).accessible_name(name);
    if field.text.is_empty() && !response.has_focus() && !response.lost_focus() {
        response.request_focus();
    }
    if text != field.text {
        let field = WhereField {
            text: text.clone(),
            error: None,
            ..field.clone()
        };
        cx.push(Msg::Search(SearchMsg::WhereField(Some(field))));
    }
    if let Some(error) = &field.error {
        let text = RichText::new(error).size(size::SMALL);
        ui.colored_label(cx.tokens.warning, text);
    }
    if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
        match parsed(kind, &text, cx) {
            Ok(place) => {
                cx.push(Msg::Search(SearchMsg::Place(place)));
                ui.close();
            }
            Err(error) => {
                let field = WhereField {
                    kind,
                    text,
                    error: Some(error),
                };
                cx.push(Msg::Search(SearchMsg::WhereField(Some(field))));
                response.request_focus();
            }
        }
    }
}

fn words(kind: WhereKind) -> (&'static str, &'static str) {
    match kind {
        WhereKind::From => ("Time to search from", "14:00, or -2h"),
        WhereKind::Between => ("Times to search between", "14:00 to 14:20"),
        WhereKind::Offset => ("Offset to search from", "88213"),
        WhereKind::Newest => ("Newest offsets to search", "10000"),
    }
}

/// What was typed.
fn parsed(kind: WhereKind, text: &str, cx: &Cx<'_>) -> Result<SearchWhere, String> {
    let time = |text: &str| time_typed(text, cx.now, cx.zone);
    match kind {
        WhereKind::From => time(text).map(SearchWhere::From),
        WhereKind::Between => {
            let (from, to) = text
                .split_once(" to ")
                .or_else(|| text.split_once('–'))
                .ok_or("write two times as 14:00 to 14:20")?;
            between(time(from)?, time(to)?)
        }
        WhereKind::Offset => number(text)
            .and_then(|number| i64::try_from(number).ok())
            .map(|number| SearchWhere::Offset(Offset(number)))
            .ok_or_else(|| format!("“{}” is no offset", text.trim())),
        WhereKind::Newest => number(text)
            .filter(|number| *number > 0)
            .map(SearchWhere::Newest)
            .ok_or_else(|| format!("“{}” is no number of offsets", text.trim())),
    }
}

fn between(from: TimestampMs, to: TimestampMs) -> Result<SearchWhere, String> {
    if from < to {
        Ok(SearchWhere::Between(from, to))
    } else {
        Err("the second time is not after the first".to_owned())
    }
}

/// A time as [`parse_time`] reads it; a time of day alone is one of the day of `now`.
fn time_typed(text: &str, now: TimestampMs, zone: &TimeZone) -> Result<TimestampMs, String> {
    let text = text.trim();
    let is_time_of_day = text.contains(':') && text.parse::<jiff::civil::Time>().is_ok();
    let today = zoned(now, zone).filter(|_| is_time_of_day && !text.contains(['T', '-']));
    let whole = today.map(|today| format!("{}T{text}", today.date()));
    parse_time(whole.as_deref().unwrap_or(text), now, zone).map(|time| time.at)
}

/// A number, with commas between its digits or without.
fn number(text: &str) -> Option<u64> {
    let digits: String = text.trim().chars().filter(|c| *c != ',').collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_times_are_in_order() {
        let t = TimestampMs;
        assert_eq!(between(t(1), t(2)), Ok(SearchWhere::Between(t(1), t(2))));
        assert!(between(t(2), t(2)).is_err());
    }

    #[test]
    fn a_time_of_day_is_one_of_the_present_day() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        // 30 November 2026, 14:59:58 in Berlin.
        let now = TimestampMs(1_796_047_198_000);
        let read = |text| time_typed(text, now, &zone).map(|at| at.0);
        assert_eq!(read(" 14:05 "), Ok(1_796_043_900_000));
        assert_eq!(read("14:05:30.250"), Ok(1_796_043_930_250));
        assert_eq!(read("-1h"), Ok(1_796_043_598_000));
        assert!(read("half past").is_err());
    }

    #[test]
    fn numbers_may_have_commas() {
        assert_eq!(number(" 88,213 "), Some(88_213));
        assert_eq!(number("-1"), None);
        assert_eq!(number("many"), None);
    }
}
