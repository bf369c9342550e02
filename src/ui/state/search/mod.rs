//! Searching and following: what stands in the bar, what was asked for, and how its hits are looked at. Pure.

mod kinds;

pub use kinds::{FilterKind, as_filter, of_kind};

use std::ops::Range;
use std::sync::Arc;

use crate::engine::{
    Command, SearchControl, SearchRequest, SearchStage, SearchView, StoppedBy, TablePlace,
};
use crate::model::{Offset, TimestampMs};

use super::table::ListPlace;
use super::{BottomTab, ColumnKind, TableScroll, TableSort, UiState};

/// How many searches are remembered.
pub const MOST_RECENT: usize = 20;
/// A filter that is longer than this is not remembered.
const LONGEST_REMEMBERED: usize = 1_000;

/// Which records are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchWhere {
    /// Those that the table lists: of the span that is drawn, or of all topics shown.
    #[default]
    Listed,
    /// All of these partitions.
    Everything,
    /// Those from a time on.
    From(TimestampMs),
    /// Those from a time, included, to a time, not included.
    Between(TimestampMs, TimestampMs),
    /// Those from an offset on, the same in each partition.
    Offset(Offset),
    /// The last so many offsets of each partition.
    Newest(u64),
    /// Those that the chosen group has not read.
    Group,
}

/// A choice of [`SearchWhere`] that needs something typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhereKind {
    /// A time.
    From,
    /// Two times.
    Between,
    /// An offset.
    Offset,
    /// A number.
    Newest,
}

/// The field in which it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhereField {
    /// What is meant.
    pub kind: WhereKind,
    /// What stands in it.
    pub text: String,
    /// Why it cannot be meant.
    pub error: Option<String>,
}

/// What is wrong with what stands in the field, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The bytes of the text that are wrong.
    pub at: Range<usize>,
    /// Why, as a sentence.
    pub message: String,
}

/// A search that is to begin.
#[derive(Clone, Debug)]
pub struct Begin {
    /// What is asked of the engine; its number is given when it begins.
    pub request: SearchRequest,
    /// The filters as they stand in the bar.
    pub filters: Vec<String>,
    /// The present.
    pub at: TimestampMs,
}

/// What the person has chosen of searching.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with its own place in the window"
)]
pub struct SearchState {
    /// Whether the bar is open.
    pub open: bool,
    /// The filters that are set, combined by and.
    pub filters: Vec<String>,
    /// What stands in the field.
    pub text: String,
    /// Where the filter that is edited in the field stood among the others.
    pub editing: Option<usize>,
    /// What is wrong with what stands in the field.
    pub error: Option<FieldError>,
    /// Which records are searched.
    pub place: SearchWhere,
    /// The field for a time or number, while it is open.
    pub where_field: Option<WhereField>,
    /// Filters of the last searches, the newest first.
    pub recent: Vec<Vec<String>>,
    /// Which of them stands in the bar.
    pub recalled: Option<usize>,
    /// What was asked for last; `None` while there is no search.
    pub asked: Option<Arc<SearchRequest>>,
    /// When it began; `None` while there is no search.
    pub since: Option<TimestampMs>,
    /// The number of the last search.
    pub number: u64,
    /// What is shown while the display of what comes in stands still.
    pub frozen: Option<Arc<SearchView>>,
    /// Whether the table shows the hits; else the list.
    pub shows_hits: bool,
    /// The place in the list while the hits are shown, and the other way round.
    pub other: ListPlace,
    /// Whether it was asked to read at full speed, which has to be said twice.
    pub full_speed_asked: bool,
    /// How often the field was asked for, so that it takes the focus.
    pub focus_asked: u64,
    /// Whether what comes in is to be followed as soon as the bar is drawn.
    pub follow_asked: bool,
}

/// Something the person did about searching.
#[derive(Clone, Debug)]
pub enum SearchMsg {
    /// Open the bar and go to its field.
    Open,
    /// End the search and close the bar.
    Close,
    /// Something else stands in the field.
    Edit(String),
    /// Let these filters stand in the bar, the last one in the field; nothing is searched for yet.
    Fill(Vec<String>),
    /// What stands in the field cannot be searched for.
    Fail(FieldError),
    /// Edit a filter in the field.
    EditFilter(usize),
    /// Take a filter out.
    RemoveFilter(usize),
    /// Go back in what was searched for, or on again.
    Recall(bool),
    /// Search among these records.
    Place(SearchWhere),
    /// Open the field for a time or number, change what stands in it, or close it.
    WhereField(Option<WhereField>),
    /// Begin.
    Begin(Box<Begin>),
    /// Do this with the search under way.
    Control(SearchControl),
    /// Keep showing this, whatever comes.
    Freeze(Arc<SearchView>),
    /// Show what has come.
    Thaw,
    /// Let the table show the hits, or the list.
    ShowHits(bool),
    /// Whether to read at full speed is asked, or no more.
    AskFullSpeed(bool),
    /// Follow what comes in, as soon as the bar is drawn; end it when it is followed.
    Follow,
    /// What was asked for is being done.
    FollowTaken,
}

impl SearchState {
    /// The search that is shown: the frozen one, or what the engine has of the one that was asked for. `None` while
    /// there is none, or nothing came yet.
    pub fn shown<'v>(&'v self, newest: &'v Arc<SearchView>) -> Option<&'v Arc<SearchView>> {
        self.frozen.as_ref().or_else(|| self.newest(newest))
    }

    /// What the engine has of the search that was asked for, when it has.
    pub fn newest<'v>(&self, newest: &'v Arc<SearchView>) -> Option<&'v Arc<SearchView>> {
        let asked = self.asked.as_ref()?;
        let got = newest.request.as_ref()?;
        (got.number == asked.number).then_some(newest)
    }

    /// Whether what comes in is followed.
    pub fn follows(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.follow)
    }

    /// Whether a search that is `view` goes on.
    pub fn goes_on(view: &SearchView) -> bool {
        matches!(view.stage, SearchStage::Measuring | SearchStage::Running)
    }

    /// What pausing or resuming the search that is `view` says; `None` when neither can be done.
    pub fn pausing(&self, view: &Arc<SearchView>) -> Option<SearchMsg> {
        if self.frozen.is_some() {
            return Some(SearchMsg::Thaw);
        }
        let coverage = &view.coverage;
        let can_go_on = !coverage.is_complete() && coverage.stopped_by != Some(StoppedBy::Error);
        match view.stage {
            // What comes in is collected all the same; it is only not shown.
            SearchStage::Running if self.follows() => Some(SearchMsg::Freeze(Arc::clone(view))),
            SearchStage::Running => Some(SearchMsg::Control(SearchControl::Pause)),
            SearchStage::Paused => Some(SearchMsg::Control(SearchControl::Resume)),
            SearchStage::Ended if can_go_on => Some(SearchMsg::Control(SearchControl::Resume)),
            _ => None,
        }
    }

    /// The filters that are set, with the one in the field, and how places in that one differ.
    pub fn written(&self) -> (Vec<String>, Option<(usize, kinds::Shift)>) {
        let mut filters = self.filters.clone();
        if self.text.trim().is_empty() {
            return (filters, None);
        }
        let (filter, shift) = as_filter(&self.text);
        let place = self.editing.unwrap_or(filters.len()).min(filters.len());
        filters.insert(place, filter);
        (filters, Some((place, shift)))
    }

    /// A state of another bus: what belongs to this one is forgotten.
    #[must_use]
    pub fn left(&mut self) -> Self {
        Self {
            number: self.number,
            recent: std::mem::take(&mut self.recent),
            ..Self::default()
        }
    }

    fn remember(&mut self, filters: &[String]) {
        let is_kept =
            !filters.is_empty() && filters.iter().all(|text| text.len() <= LONGEST_REMEMBERED);
        if is_kept {
            self.recent.retain(|known| known != filters);
            self.recent.insert(0, filters.to_vec());
            self.recent.truncate(MOST_RECENT);
        }
    }

    fn fill(&mut self, mut filters: Vec<String>) {
        self.text = filters.pop().unwrap_or_default();
        self.filters = filters;
        self.editing = None;
        self.recalled = None;
        self.error = None;
        self.place = SearchWhere::default();
        self.where_field = None;
        self.open = true;
        self.focus_asked = self.focus_asked.wrapping_add(1);
    }

    /// Puts the filter that is edited back where it was.
    fn put_back(&mut self) {
        if let Some(place) = self.editing.take()
            && !self.text.trim().is_empty()
        {
            let (filter, _) = as_filter(&self.text);
            self.filters.insert(place.min(self.filters.len()), filter);
        }
        self.text.clear();
        self.error = None;
    }

    fn recall(&mut self, older: bool) {
        let next = match (self.recalled, older) {
            (None, true) => Some(0),
            (Some(here), true) => Some(here.saturating_add(1)),
            (Some(here), false) => here.checked_sub(1),
            (None, false) => return,
        };
        let Some(index) = next else {
            self.recalled = None;
            self.filters.clear();
            self.text.clear();
            return;
        };
        if let Some(filters) = self.recent.get(index) {
            self.recalled = Some(index);
            self.filters.clone_from(filters);
            self.text = self.filters.pop().unwrap_or_default();
            self.editing = None;
            self.error = None;
        }
    }

    /// Takes `msg` as far as it changes nothing but the bar.
    fn apply(&mut self, msg: SearchMsg) {
        match msg {
            SearchMsg::Open => {
                self.open = true;
                self.focus_asked = self.focus_asked.wrapping_add(1);
            }
            SearchMsg::Edit(text) => {
                self.text = text;
                self.error = None;
            }
            SearchMsg::Fail(error) => self.error = Some(error),
            SearchMsg::Fill(filters) => self.fill(filters),
            SearchMsg::EditFilter(index) => {
                self.put_back();
                if index < self.filters.len() {
                    self.text = self.filters.remove(index);
                    self.editing = Some(index);
                    self.focus_asked = self.focus_asked.wrapping_add(1);
                }
            }
            SearchMsg::RemoveFilter(index) => {
                if index < self.filters.len() {
                    self.filters.remove(index);
                    self.editing = self.editing.map(|place| {
                        if place > index {
                            place.saturating_sub(1)
                        } else {
                            place
                        }
                    });
                }
            }
            SearchMsg::Recall(older) => self.recall(older),
            SearchMsg::Place(place) => {
                self.place = place;
                self.where_field = None;
            }
            SearchMsg::WhereField(field) => self.where_field = field,
            SearchMsg::AskFullSpeed(asked) => self.full_speed_asked = asked,
            SearchMsg::Follow => {
                self.open = true;
                self.follow_asked = true;
            }
            SearchMsg::FollowTaken => self.follow_asked = false,
            SearchMsg::Freeze(view) => self.frozen = Some(view),
            SearchMsg::Close
            | SearchMsg::Begin(_)
            | SearchMsg::Control(_)
            | SearchMsg::Thaw
            | SearchMsg::ShowHits(_) => {}
        }
    }
}

impl UiState {
    /// Takes what was done about searching; what the engine must do about it.
    pub(super) fn apply_search(&mut self, msg: SearchMsg) -> Option<Command> {
        match msg {
            SearchMsg::Begin(begin) => return Some(self.begin_search(*begin)),
            SearchMsg::Close => {
                self.show_hits(false);
                let search = &mut self.search;
                let ends = search.asked.take().is_some();
                search.frozen = None;
                search.open = false;
                search.put_back();
                search.where_field = None;
                search.follow_asked = false;
                search.full_speed_asked = false;
                return ends.then_some(Command::Search(None));
            }
            SearchMsg::Control(control) => {
                self.search.full_speed_asked = false;
                return Some(Command::SearchControl(control));
            }
            SearchMsg::ShowHits(shows) => self.show_hits(shows),
            SearchMsg::Thaw => {
                self.search.frozen = None;
                if self.search.shows_hits {
                    self.table.scroll = TableScroll::End;
                }
            }
            SearchMsg::Open | SearchMsg::Follow | SearchMsg::Fill(_) => {
                self.tab = BottomTab::Records;
                self.search.apply(msg);
            }
            other => self.search.apply(other),
        }
        None
    }

    fn begin_search(&mut self, begin: Begin) -> Command {
        let Begin {
            mut request,
            filters,
            at,
        } = begin;
        // A hit list of its own, from its beginning.
        self.show_hits(false);
        let search = &mut self.search;
        search.number = search.number.saturating_add(1);
        request.number = search.number;
        search.remember(&filters);
        search.filters = filters;
        search.text.clear();
        search.editing = None;
        search.error = None;
        search.recalled = None;
        search.frozen = None;
        search.full_speed_asked = false;
        search.follow_asked = false;
        search.open = true;
        search.since = Some(at);
        let sort = TableSort {
            by: ColumnKind::Time,
            descending: false,
        };
        search.other = ListPlace {
            sort: Some(sort),
            place: if request.follow {
                TablePlace::End
            } else {
                TablePlace::Start
            },
            scroll: if request.follow {
                TableScroll::End
            } else {
                TableScroll::Placed(0.0)
            },
            ..ListPlace::default()
        };
        search.asked = Some(Arc::new(request.clone()));
        self.show_hits(true);
        Command::Search(Some(Box::new(request)))
    }

    /// Lets the table show the hits of the search, or the list.
    pub(super) fn show_hits(&mut self, shows: bool) {
        let shows = shows && self.search.asked.is_some();
        if self.search.shows_hits != shows {
            self.search.shows_hits = shows;
            self.table.swap_place(&mut self.search.other);
            self.table.said = None;
        }
    }

    /// Does `change` to the list, also while hits are shown in its place.
    pub fn on_list<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let shows_hits = std::mem::take(&mut self.search.shows_hits);
        if shows_hits {
            self.table.swap_place(&mut self.search.other);
        }
        let done = change(self);
        if shows_hits {
            self.table.swap_place(&mut self.search.other);
            self.search.shows_hits = true;
        }
        done
    }

    /// By what the list is sorted, also while hits are shown in its place.
    pub fn sort_of_list(&self) -> Option<&TableSort> {
        if self.search.shows_hits {
            self.search.other.sort.as_ref()
        } else {
            self.table.sort.as_ref()
        }
    }
}

#[cfg(test)]
mod tests;
