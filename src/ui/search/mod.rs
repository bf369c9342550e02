//! Searching and following: the bar above the table of records, and what a search says of itself.
//!
//! | part | what it is |
//! |---|---|
//! | `scope` | which records are searched, as partitions and a span, and in words. Pure |
//! | `words` | what was covered, found, spent, and what stopped it. Pure |
//! | `bar` | filters, the buttons around the field, beginning a search |
//! | `field` | the field in which a filter is typed, with its error and its memory |
//! | `places` | the menu of where to search |
//! | `status` | coverage, progress, and what can be done with the search |
//!
//! The hits themselves are rows of the table of records; `found` says what it shows in place of its list.

mod bar;
mod field;
mod places;
mod scope;
mod status;
mod words;

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use jiff::tz::TimeZone;

use crate::engine::{Inventory, SearchView, TableRequest};
use crate::model::Text;

use super::context::Cx;
use super::records_table::{Found, are_of_several_topics};
use super::state::search::{SearchState, SearchWhere};
use super::timeline::find_group;
use scope::{Ground, Scope, Writing};
use words::Words;

/// Height of the bar.
const BAR: f32 = 32.0;
/// Height of the line that says what was covered.
const COVERAGE: f32 = 20.0;
/// Height of the line with what can be done.
const ACTIONS: f32 = 30.0;

/// A scope, or why there is none.
type MaybeScope = Result<Scope, String>;

/// What the panel keeps from frame to frame.
#[derive(Default)]
pub struct SearchPanel {
    scope: Option<(ScopeOf, MaybeScope)>,
    words: Option<(Arc<SearchView>, TimeZone, Words)>,
    wider: Option<(Arc<SearchView>, Arc<Inventory>, Option<String>)>,
    /// How often the field had been asked for when it last took the focus.
    focused: u64,
    bar: bar::Kept,
}

/// What a scope was worked out from.
struct ScopeOf {
    listed: Arc<TableRequest>,
    place: SearchWhere,
    inventory: Arc<Inventory>,
    group: Option<Text>,
    zone: TimeZone,
}

impl SearchPanel {
    /// What is searched when a search begins now; worked out once, because it may be many partitions.
    fn scope(&mut self, cx: &Cx<'_>, listed: Option<&Arc<TableRequest>>) -> MaybeScope {
        let Some(listed) = listed else {
            return Err("no topic is shown".to_owned());
        };
        let place = cx.state.search.place;
        let inventory = &cx.snapshot.inventory;
        let group = cx.state.group.as_ref();
        if let Some((of, scope)) = &self.scope
            && Arc::ptr_eq(&of.listed, listed)
            && Arc::ptr_eq(&of.inventory, inventory)
            && of.place == place
            && of.group.as_ref() == group
            && of.zone == *cx.zone
        {
            return scope.clone();
        }
        let ground = Ground {
            listed,
            inventory,
            group: group.and_then(|name| find_group(inventory, name)),
            writing: writing(cx),
        };
        let scope = ground.scope(place);
        let of = ScopeOf {
            listed: Arc::clone(listed),
            place,
            inventory: Arc::clone(inventory),
            group: group.cloned(),
            zone: cx.zone.clone(),
        };
        self.scope = Some((of, scope.clone()));
        scope
    }

    /// What the search says of itself, worked out once for each view of it.
    fn words(&mut self, cx: &Cx<'_>, view: &Arc<SearchView>) -> &Words {
        let known = self
            .words
            .take()
            .filter(|(of, zone, _)| Arc::ptr_eq(of, view) && zone == cx.zone);
        let known = known.unwrap_or_else(|| {
            let words = Words::of(view, cx.state.search.since.unwrap_or(cx.clock), writing(cx));
            (Arc::clone(view), cx.zone.clone(), words)
        });
        &self.words.insert(known).2
    }

    /// The hits that the table shows in place of its list.
    pub fn found(&mut self, cx: &Cx<'_>) -> Option<Found> {
        let search = &cx.state.search;
        let asked = search.asked.as_ref().filter(|_| search.shows_hits)?;
        let several_topics = are_of_several_topics(&asked.partitions);
        let Some(view) = search.shown(&cx.snapshot.search).map(Arc::clone) else {
            return Some(Found {
                number: asked.number,
                table: Arc::default(),
                goes_on: true,
                several_topics,
                none: "No hits yet".to_owned(),
            });
        };
        Some(Found {
            number: asked.number,
            table: Arc::clone(&view.table),
            goes_on: SearchState::goes_on(&view),
            several_topics,
            none: self.words(cx, &view).none.clone(),
        })
    }
}

fn writing<'a>(cx: &Cx<'a>) -> Writing<'a> {
    Writing {
        zone: cx.zone,
        now: cx.clock,
    }
}

/// How much room the bar needs; nothing while it is closed.
pub fn height(cx: &Cx<'_>) -> f32 {
    let search = &cx.state.search;
    match (search.open, &search.asked) {
        (false, _) => 0.0,
        (true, None) => BAR,
        (true, Some(_)) => BAR + COVERAGE + ACTIONS,
    }
}

/// Draws the bar in all the room there is. `listed` is what the table's list asks for.
pub fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    listed: Option<&Arc<TableRequest>>,
    panel: &mut SearchPanel,
) {
    let area = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(area);
    ui.painter()
        .hline(area.x_range(), area.bottom() - 0.5, cx.tokens.hairline());
    let line = Rect::from_min_max(area.min, pos2(area.right(), area.top() + BAR));
    bar::show(ui, cx, line, listed, panel);
    if cx.state.search.asked.is_some() {
        let below = Rect::from_min_max(pos2(area.left(), line.bottom()), area.max);
        status::show(ui, cx, below, panel);
    }
}
