//! The bar: filters that are set, the field, where to search, and the buttons that begin and end.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat};
use egui::{Button, Rect, RichText, ScrollArea, Ui, UiBuilder, vec2};

use crate::decode::visible;
use crate::engine::{SearchRequest, TableRequest, TableSpan};
use crate::inspect::filter::Filters;
use crate::model::Address;
use crate::model::link::ViewLink;

use super::super::context::Cx;
use super::super::records_table::go_to_address;
use super::super::state::Msg;
use super::super::state::search::{Begin, FieldError, FilterKind, SearchMsg, SearchState, of_kind};
use super::super::tokens::{Tokens, size};
use super::super::{fonts, links};
use super::scope::Scope;
use super::{MaybeScope, SearchPanel, field, places};

/// A bar that is narrower than this, or has filters set, says in short where is searched.
const NARROW: f32 = 620.0;
/// Room that is left to the field where filters could take it.
const LEAST_FIELD: f32 = 130.0;
/// A filter that is longer than so many characters is cut in the middle.
const LONGEST_CHIP: usize = 26;

/// What is kept between frames.
#[derive(Default)]
pub(super) struct Kept {
    /// How wide the filters that are set would be.
    chips_width: f32,
}

/// A button of the bar.
pub(super) fn small(text: &str) -> Button<'static> {
    Button::new(RichText::new(text.to_owned()).size(size::SMALL))
        .wrap_mode(egui::TextWrapMode::Extend)
        .min_size(vec2(0.0, 22.0))
}

/// Draws the bar in `line`.
pub(super) fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    line: Rect,
    listed: Option<&Arc<TableRequest>>,
    panel: &mut SearchPanel,
) {
    let scope = panel.scope(cx, listed);
    let inner = line.shrink2(vec2(8.0, 4.0));
    let builder = UiBuilder::new().max_rect(inner);
    let mut enter = false;
    ui.scope_builder(builder, |ui| {
        ui.set_clip_rect(line.intersect(ui.clip_rect()));
        ui.horizontal_centered(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            kinds(ui, cx);
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(layout, |ui| {
                close(ui, cx);
                follow(ui, cx, &scope);
                enter |= search_or_go(ui, cx, &scope);
                let has_filters = !cx.state.search.filters.is_empty();
                let is_short = has_filters || inner.width() < NARROW;
                let share = if is_short { 0.2 } else { 0.34 };
                places::button(ui, cx, &scope, inner.width() * share);
                let layout = egui::Layout::left_to_right(egui::Align::Center);
                ui.with_layout(layout, |ui| {
                    chips(ui, cx, &mut panel.bar);
                    enter |= field::show(ui, cx, &mut panel.focused);
                });
            });
        });
    });
    if cx.state.search.follow_asked {
        cx.push(Msg::Search(SearchMsg::FollowTaken));
        begin(cx, &scope, true);
    } else if enter {
        match place(cx) {
            Some(place) => go(cx, &place),
            None => begin(cx, &scope, false),
        }
    }
}

/// The menu of kinds of filters.
fn kinds(ui: &mut Ui, cx: &mut Cx<'_>) {
    let typed = &cx.state.search.text;
    let kind = FilterKind::of(typed).unwrap_or_default();
    let text = RichText::new(format!("{} ▾", kind.name())).size(size::SMALL);
    let shown = ui.menu_button(text, |ui| {
        for other in FilterKind::ALL {
            let text = format!("{}\n    {}", other.name(), other.meaning());
            let button = Button::selectable(other == kind, RichText::new(text).size(size::DATA));
            if ui.add(button).clicked() {
                let typed = of_kind(&cx.state.search.text, other);
                cx.push(Msg::Search(SearchMsg::Edit(typed)));
                cx.push(Msg::Search(SearchMsg::Open));
                ui.close();
            }
        }
    });
    shown
        .response
        .on_hover_text("What kind of filter is typed: plain words mean a text")
        .accessible_name(format!("Kind of filter: {}", kind.name()));
}

/// The filters that are set, each to be edited or taken out.
fn chips(ui: &mut Ui, cx: &mut Cx<'_>, kept: &mut Kept) {
    let filters = &cx.state.search.filters;
    if filters.is_empty() {
        return;
    }
    let room = ui.available_width();
    let most = (room - LEAST_FIELD).max(room * 0.6);
    let mut said = Vec::new();
    let shown = ScrollArea::horizontal()
        .id_salt("filters")
        .max_width(most.min(kept.chips_width.max(40.0)))
        .scroll_bar_visibility(egui::scroll_area::ScrollBarVisibility::AlwaysHidden)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 1.0;
            for (index, filter) in filters.iter().enumerate() {
                let edit = Button::new(chip(filter, cx.tokens))
                    .wrap_mode(egui::TextWrapMode::Extend)
                    .min_size(vec2(0.0, 22.0));
                let edit = ui
                    .add(edit)
                    .on_hover_text(format!("{filter}\nClick to edit it"))
                    .accessible_name(format!("Edit filter {filter}"));
                if edit.clicked() {
                    said.push(SearchMsg::EditFilter(index));
                }
                let remove = ui
                    .add(small("×"))
                    .on_hover_text("Take this filter out")
                    .accessible_name(format!("Take out filter {filter}"));
                if remove.clicked() {
                    said.push(SearchMsg::RemoveFilter(index));
                }
                ui.add_space(4.0);
            }
            ui.min_rect().width()
        });
    let width = shown.inner;
    if (width - kept.chips_width).abs() > 0.5 {
        kept.chips_width = width;
        ui.ctx().request_repaint();
    }
    for msg in said {
        cx.push(Msg::Search(msg));
    }
}

/// A filter as it stands in the bar: its kind softly, then what it looks for.
fn chip(filter: &str, tokens: &Tokens) -> LayoutJob {
    let cut = visible::both_ends(filter.as_bytes(), LONGEST_CHIP);
    let prefix = FilterKind::of(&cut).map_or("", FilterKind::prefix);
    let rest = cut.strip_prefix(prefix).unwrap_or(&cut);
    let mut job = LayoutJob::default();
    for (text, color) in [(prefix, tokens.dim), (rest, tokens.text)] {
        job.append(text, 0.0, TextFormat::simple(fonts::small_data(), color));
    }
    job
}

fn close(ui: &mut Ui, cx: &mut Cx<'_>) {
    let hint = if cx.state.search.asked.is_some() {
        "End the search and show the list again (Esc in the field)"
    } else {
        "Close the search bar (Esc in the field)"
    };
    let button = ui
        .add(small("×"))
        .on_hover_text(hint)
        .accessible_name("Close search");
    if button.clicked() {
        cx.push(Msg::Search(SearchMsg::Close));
    }
}

/// The switch that follows what comes in.
fn follow(ui: &mut Ui, cx: &mut Cx<'_>, scope: &MaybeScope) {
    let follows = cx.state.search.follows();
    let text = RichText::new("Follow").size(size::SMALL);
    let button = Button::selectable(follows, text)
        .frame_when_inactive(true)
        .min_size(vec2(0.0, 22.0));
    let response = ui
        .add_enabled(follows || scope.is_ok(), button)
        .on_hover_text(
            "Show records as they come in, from now on, those that pass the filters if there are any (L)",
        );
    let response = match scope {
        Err(why) => response.on_disabled_hover_text(why),
        Ok(_) => response,
    };
    if response.clicked() {
        toggle_follow(cx);
    }
}

/// Follows what comes in, or ends that.
fn toggle_follow(cx: &mut Cx<'_>) {
    let msg = if cx.state.search.follows() {
        SearchMsg::Close
    } else {
        SearchMsg::Follow
    };
    cx.push(Msg::Search(msg));
}

/// The button that begins a search, or goes to the address that stands in the field. Whether it was pressed.
fn search_or_go(ui: &mut Ui, cx: &Cx<'_>, scope: &MaybeScope) -> bool {
    if let Some(place) = place(cx) {
        let (text, hint) = match place {
            Place::Record(_) => (
                "Go to this record",
                "What stands in the field is the address of a record (Enter)",
            ),
            Place::Link(_) => (
                "Go to this view",
                "What stands in the field is a link to a view (Enter)",
            ),
        };
        return ui.add(small(text)).on_hover_text(hint).clicked();
    }
    let search = &cx.state.search;
    let is_empty = search.filters.is_empty() && search.text.trim().is_empty();
    let why_not = match scope {
        Err(why) => Some(why.as_str()),
        Ok(_) if is_empty => Some("type what to search for first"),
        Ok(_) => None,
    };
    let response = ui.add_enabled(why_not.is_none(), small("Search"));
    match why_not {
        Some(why) => response.on_disabled_hover_text(why).clicked(),
        None => response
            .on_hover_text("Search these records (Enter)")
            .clicked(),
    }
}

/// A place that stands in the field instead of a filter.
enum Place {
    /// The address of a record.
    Record(String),
    /// A link to a view.
    Link(String),
}

/// The place that stands in the field, when one does.
fn place(cx: &Cx<'_>) -> Option<Place> {
    let search = &cx.state.search;
    let text = search.text.trim();
    if ViewLink::is_meant(text) {
        return Some(Place::Link(text.to_owned()));
    }
    if FilterKind::of(text).is_some() || text.matches('/').count() < 2 {
        return None;
    }
    match Address::parse(text, cx.now, cx.zone) {
        Ok(Address::Record(..)) => Some(Place::Record(text.to_owned())),
        _ => None,
    }
}

fn go(cx: &mut Cx<'_>, place: &Place) {
    match place {
        Place::Record(address) => {
            go_to_address(cx, address);
            cx.push(Msg::Search(SearchMsg::Edit(String::new())));
        }
        Place::Link(link) => {
            if let Err(message) = links::follow(cx, link) {
                let at = 0..cx.state.search.text.len();
                cx.push(Msg::Search(SearchMsg::Fail(FieldError { at, message })));
            }
        }
    }
}

/// Begins a search of `scope`, or says in the field what keeps it from that.
pub(super) fn begin(cx: &mut Cx<'_>, scope: &MaybeScope, follow: bool) {
    let Ok(scope) = scope else {
        return;
    };
    let (written, typed) = cx.state.search.written();
    if written.is_empty() && !follow {
        return;
    }
    match Filters::parse(&written) {
        Ok(filters) => start(cx, scope, (Arc::new(filters), written), follow),
        Err(error) => {
            let (search, place) = (&cx.state.search, error.filter);
            let is_typed = typed.filter(|(typed, _)| *typed == place);
            let at = match is_typed {
                Some((_, shift)) => shift.back(error.at.start)..shift.back(error.at.end),
                None => error.at,
            };
            if is_typed.is_none() {
                // The place of a filter that is set, without the one in the field.
                let before = typed.is_some_and(|(typed, _)| typed < place);
                let index = place.saturating_sub(usize::from(before));
                if index < search.filters.len() {
                    cx.push(Msg::Search(SearchMsg::EditFilter(index)));
                }
            }
            let message = error.message;
            cx.push(Msg::Search(SearchMsg::Fail(FieldError { at, message })));
        }
    }
}

/// Begins a search of other records with the filters of the present one.
pub(super) fn begin_again(cx: &mut Cx<'_>, scope: &Scope, of: &SearchRequest) {
    let written = of.filters.written().to_vec();
    start(cx, scope, (Arc::clone(&of.filters), written), false);
}

fn start(
    cx: &mut Cx<'_>,
    scope: &Scope,
    (filters, written): (Arc<Filters>, Vec<String>),
    follow: bool,
) {
    let request = SearchRequest {
        number: 0,
        partitions: scope.partitions.clone(),
        // What is followed begins at the end, wherever a search would begin.
        span: if follow {
            TableSpan::All
        } else {
            scope.span.clone()
        },
        filters,
        isolation: cx.state.isolation,
        follow,
        decoders: Arc::clone(&cx.state.decoders),
    };
    cx.push(Msg::Search(SearchMsg::Begin(Box::new(Begin {
        request,
        filters: written,
        at: cx.clock,
    }))));
}

/// Whether the filters in the bar are others than those of the search that is shown.
pub(super) fn differs(search: &SearchState) -> bool {
    let (written, _) = search.written();
    search
        .asked
        .as_ref()
        .is_some_and(|asked| *asked.filters.written() != *written)
}
