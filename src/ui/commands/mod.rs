//! Every command of the window, once: its name, its keys, when it can be used, and what it says.
//!
//! | part | what it is |
//! |---|---|
//! | `list` | name and keys of each. Key handling, palette and the list of keys are made from it |
//! | this file | when each can be used, and what it says |
//! | `elsewhere` | keys and gestures that only one part of the window knows |
//! | `keys` | which commands a frame's key presses mean |
//!
//! A test reads the sources: a key that the window handles and that is listed nowhere fails it.

mod elsewhere;
mod keys;
mod list;

pub use elsewhere::ELSEWHERE;
pub use keys::{shown, take};

use egui::KeyboardShortcut;

use crate::engine::{ConnectTarget, Connection, DemoSize, Snapshot};
use crate::model::{Isolation, TimestampMs};

use list::{Entry, LIST};

use super::state::{
    AxisKind, BottomTab, Dialog, GoTo, Msg, ProfileForm, Query, RewindMsg, SCALES, SearchMsg,
    Selection, TableMsg, ThemeChoice, UiState, ViewRange, WindowMsg, WindowState,
};
use super::{export, links, locks};

/// What a command, key or gesture belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Finding things and getting help.
    General,
    /// Going back.
    Ways,
    /// What the timeline shows.
    Timeline,
    /// Lists: topics, groups, records.
    Lists,
    /// How the window looks.
    Looks,
}

impl Section {
    /// All, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::General,
        Self::Ways,
        Self::Timeline,
        Self::Lists,
        Self::Looks,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::General => "General",
            Self::Ways => "Undo and back",
            Self::Timeline => "Timeline",
            Self::Lists => "Lists",
            Self::Looks => "Looks",
        }
    }
}

/// A command of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The list of commands.
    Commands,
    /// The list of topics and groups.
    Find,
    /// The tab with the records.
    Records,
    /// The tab with the chosen group.
    Group,
    /// The tab with the plan for the chosen group.
    Rewind,
    /// No plan.
    ClearRewind,
    /// The tab with what is missing.
    Gaps,
    /// The tab with what was changed.
    Journal,
    /// To a record by its address, or a time.
    GoTo,
    /// To the field of the search bar.
    Search,
    /// Follow records as they come in, or no longer.
    FollowRecords,
    /// The search paused, or resumed.
    PauseSearch,
    /// No search.
    CloseSearch,
    /// Records written to a file.
    Export,
    /// The present view as a link.
    CopyLink,
    /// To the filter of topics.
    Filter,
    /// The list of keys.
    Keys,
    /// The notices given so far.
    Notices,
    /// The demo bus.
    Demo,
    /// Changes allowed for a while.
    Unlock,
    /// Changes allowed no more.
    Lock,
    /// A name for the present connection.
    SaveProfile,
    /// Links that the system opens with this program.
    OpenLinks,
    /// Away from the bus.
    Disconnect,
    /// Undo what changed the view.
    Undo,
    /// Do it again.
    Redo,
    /// To where one was before.
    Back,
    /// To where one came back from.
    Forward,
    /// Follow the data.
    Follow,
    /// The chosen span across the whole width.
    FitSelection,
    /// No span.
    ClearSelection,
    /// What the x axis shows: the next of its kinds.
    Axis,
    /// Idle stretches folded, or not.
    FoldIdle,
    /// No marks.
    ClearMarks,
    /// No group.
    ClearGroup,
    /// No filter.
    ClearFilter,
    /// The bus's own topics, or not.
    Internal,
    /// What careful readers do not see shown, or not.
    Isolation,
    /// All topics closed.
    CloseTopics,
    /// UTC, or the system's zone.
    Zone,
    /// The system's colours.
    SystemTheme,
    /// Light on dark.
    DarkTheme,
    /// Dark on light.
    LightTheme,
    /// Everything larger.
    Larger,
    /// Everything smaller.
    Smaller,
    /// Everything as large as the system has it.
    NormalSize,
}

/// What decides which commands can be used.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// What the person has chosen.
    pub state: &'a UiState,
    /// What is around the panels.
    pub window: &'a WindowState,
    /// What the engine knows.
    pub snapshot: &'a Snapshot,
    /// The present by the clock.
    pub clock: TimestampMs,
    /// Whether a bus is connected.
    pub is_connected: bool,
}

const NOT_CONNECTED: &str = "connect to a bus first";
const SHOWS_OFFSETS: &str = "the axis shows offsets";

impl Action {
    /// All, in the order in which they are shown.
    pub fn all() -> impl Iterator<Item = Self> {
        LIST.iter().map(|entry| entry.action)
    }

    fn entry(self) -> &'static Entry {
        let found = LIST.iter().find(|entry| entry.action == self);
        found.unwrap_or(&LIST[0])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it belongs to.
    pub fn section(self) -> Section {
        self.entry().section
    }

    /// Its keys, the one to show first.
    pub fn keys(self) -> &'static [KeyboardShortcut] {
        self.entry().keys
    }

    /// Whether a key that is held does it again and again.
    pub fn repeats(self) -> bool {
        matches!(
            self,
            Self::Undo | Self::Redo | Self::Back | Self::Forward | Self::Larger | Self::Smaller
        )
    }

    /// Why it cannot be used; `None` when it can.
    pub fn why_not(self, situation: Situation<'_>) -> Option<&'static str> {
        let Situation {
            state,
            window,
            snapshot,
            clock,
            is_connected,
        } = situation;
        let needs = |there: bool, reason: &'static str| (!there).then_some(reason);
        let on_bus = |there: bool, reason: &'static str| {
            needs(is_connected, NOT_CONNECTED).or_else(|| needs(there, reason))
        };
        let scale = window.remembered.scale;
        let is_time = state.axis == AxisKind::Time;
        match self {
            Self::Commands
            | Self::Keys
            | Self::Notices
            | Self::OpenLinks
            | Self::Zone
            | Self::SystemTheme
            | Self::DarkTheme
            | Self::LightTheme
            | Self::NormalSize => None,
            Self::Demo => needs(!is_connected, "disconnect from this bus first"),
            Self::GoTo => on_bus(state.tab == BottomTab::Records, "the records are not shown"),
            Self::Export => on_bus(
                state.chosen_count() > 0 || snapshot.search.request.is_some(),
                "select records first",
            ),
            Self::CopyLink => on_bus(true, "").or_else(|| links::destination(snapshot).err()),
            Self::Records => on_bus(
                state.tab != BottomTab::Records,
                "the records are shown already",
            ),
            Self::Group => on_bus(state.tab != BottomTab::Group, "the group is shown already"),
            Self::Rewind => on_bus(state.group.is_some(), "choose a group first")
                .or_else(|| needs(state.tab != BottomTab::Rewind, "the plan is shown already")),
            Self::ClearRewind => on_bus(state.rewind.request.is_some(), "nothing is planned"),
            Self::Gaps => on_bus(
                state.tab != BottomTab::Gaps,
                "what is missing is shown already",
            ),
            Self::Journal => on_bus(
                state.tab != BottomTab::Journal,
                "the journal is shown already",
            ),
            Self::Unlock => on_bus(true, "").or_else(|| locks::why_not_unlock(snapshot, clock)),
            Self::Lock => on_bus(true, "").or_else(|| locks::why_not_lock(snapshot, clock)),
            Self::SaveProfile => on_bus(true, "").or_else(|| why_not_save(snapshot)),
            Self::Find
            | Self::Search
            | Self::FollowRecords
            | Self::Filter
            | Self::Disconnect
            | Self::Internal
            | Self::Isolation
            | Self::Axis => on_bus(true, ""),
            Self::PauseSearch => on_bus(
                pausing(state, snapshot).is_some(),
                "no search is under way that can be paused",
            ),
            Self::CloseSearch => on_bus(state.search.open, "there is no search"),
            Self::Undo => on_bus(window.undo.can_undo(), "nothing was changed in the view"),
            Self::Redo => on_bus(window.undo.can_redo(), "nothing was undone"),
            Self::Back => on_bus(window.places.can_go_back(), "there is no place before this"),
            Self::Forward => on_bus(
                window.places.can_go_forward(),
                "there is no place after this",
            ),
            Self::Follow => on_bus(!state.follows(), "the data is followed already"),
            Self::ClearSelection => on_bus(state.selection.is_some(), "no span is chosen"),
            Self::FitSelection => on_bus(
                state
                    .selection
                    .as_ref()
                    .is_some_and(|chosen| chosen.times().is_some()),
                "no span is chosen",
            )
            .or_else(|| needs(is_time, SHOWS_OFFSETS)),
            Self::FoldIdle => on_bus(is_time, SHOWS_OFFSETS),
            Self::ClearMarks => on_bus(!state.markers.is_empty(), "there are no marks"),
            Self::ClearGroup => on_bus(state.group.is_some(), "no group is chosen"),
            Self::ClearFilter => on_bus(!state.filter.is_empty(), "there is no filter"),
            Self::CloseTopics => on_bus(!state.open_topics.is_empty(), "no topic is open"),
            Self::Larger => needs(scale < SCALES.1, "it does not get larger"),
            Self::Smaller => needs(scale > SCALES.0, "it does not get smaller"),
        }
    }

    /// What it says.
    pub fn message(self, situation: Situation<'_>) -> Msg {
        let Situation {
            state,
            window,
            snapshot,
            ..
        } = situation;
        let scaled = |by: f32| Msg::Window(WindowMsg::Scale(window.remembered.scale + by));
        Msg::Window(match self {
            Self::Commands => WindowMsg::Open(Dialog::Commands(Query::default())),
            Self::Find => WindowMsg::Open(Dialog::Find(Query::default())),
            Self::Keys => WindowMsg::Open(Dialog::Keys),
            Self::Notices => WindowMsg::Open(Dialog::Notices),
            Self::OpenLinks => WindowMsg::Open(Dialog::Opener),
            Self::Filter => WindowMsg::FocusFilter,
            Self::Export => WindowMsg::Open(Dialog::Export(Box::new(export::new_form(situation)))),
            Self::CopyLink => return links::copy(situation),
            Self::Undo => WindowMsg::Undo,
            Self::Redo => WindowMsg::Redo,
            Self::Back => WindowMsg::Back,
            Self::Forward => WindowMsg::Forward,
            Self::Zone => WindowMsg::Utc(!window.remembered.utc),
            Self::SystemTheme => WindowMsg::Theme(ThemeChoice::System),
            Self::DarkTheme => WindowMsg::Theme(ThemeChoice::Dark),
            Self::LightTheme => WindowMsg::Theme(ThemeChoice::Light),
            Self::NormalSize => WindowMsg::Scale(1.0),
            Self::Larger => return scaled(0.1),
            Self::Smaller => return scaled(-0.1),
            Self::Unlock => WindowMsg::Open(Dialog::Unlock(String::new())),
            Self::Lock => return locks::lock(),
            Self::SaveProfile => {
                let form = connection_form(snapshot, window);
                WindowMsg::Open(Dialog::Profile(Box::new(form)))
            }
            Self::Demo => return Msg::Connect(ConnectTarget::Demo(DemoSize::default())),
            Self::Disconnect => return Msg::Disconnect,
            Self::Follow => return Msg::Follow,
            Self::FitSelection => {
                let times = state.selection.as_ref().and_then(Selection::times);
                return times.map_or(Msg::Follow, |(from, to)| {
                    Msg::View(ViewRange::between(from, to))
                });
            }
            Self::ClearSelection => return Msg::ClearSelection,
            Self::Axis => return Msg::Axis(state.axis.next()),
            Self::FoldIdle => return Msg::FoldIdle(!state.fold_idle),
            Self::ClearMarks => return Msg::ClearMarks,
            Self::Records => return Msg::ShowTab(BottomTab::Records),
            Self::Group => return Msg::ShowTab(BottomTab::Group),
            Self::Rewind => return Msg::Rewind(RewindMsg::Open),
            Self::ClearRewind => return Msg::Rewind(RewindMsg::Clear),
            Self::Gaps => return Msg::ShowTab(BottomTab::Gaps),
            Self::Journal => return Msg::ShowTab(BottomTab::Journal),
            Self::GoTo => return Msg::Table(TableMsg::EditGoTo(GoTo::default())),
            Self::Search => return Msg::Search(SearchMsg::Open),
            Self::FollowRecords if state.search.follows() => {
                return Msg::Search(SearchMsg::Close);
            }
            Self::FollowRecords => return Msg::Search(SearchMsg::Follow),
            Self::PauseSearch => {
                return Msg::Search(pausing(state, snapshot).unwrap_or(SearchMsg::Thaw));
            }
            Self::CloseSearch => return Msg::Search(SearchMsg::Close),
            Self::Isolation => {
                return Msg::Isolation(match state.isolation {
                    Isolation::ReadUncommitted => Isolation::ReadCommitted,
                    Isolation::ReadCommitted => Isolation::ReadUncommitted,
                });
            }
            Self::ClearGroup => return Msg::SelectGroup(None),
            Self::ClearFilter => return Msg::Filter(String::new()),
            Self::Internal => return Msg::ShowInternal(!state.internal),
            Self::CloseTopics => return Msg::CloseTopics,
        })
    }
}

/// What pausing or resuming the search under way says; `None` when neither can be done.
fn pausing(state: &UiState, snapshot: &Snapshot) -> Option<SearchMsg> {
    let view = state.search.shown(&snapshot.search)?;
    state.search.pausing(view)
}

/// Why the present connection cannot get a name; `None` when it can.
fn why_not_save(snapshot: &Snapshot) -> Option<&'static str> {
    let is_demo = matches!(
        snapshot.connection,
        Connection::Connected { demo: true, .. }
    );
    if is_demo {
        Some("the demo bus ends with this window")
    } else if snapshot.access.profile.is_some() {
        Some("this connection has a profile already")
    } else if snapshot.access.profiles.is_err() {
        Some("profiles cannot be read")
    } else {
        None
    }
}

/// A profile for the present connection, to be named.
fn connection_form(snapshot: &Snapshot, window: &WindowState) -> ProfileForm {
    let address = match &snapshot.connection {
        Connection::Connected { to, .. } => to,
        _ => "",
    };
    let cluster = snapshot.inventory.cluster.as_ref();
    let id = cluster
        .and_then(|cluster| cluster.as_ref().ok())
        .and_then(|cluster| cluster.cluster_id.clone());
    ProfileForm::for_connection(address, window.reached.as_ref(), id)
}

#[cfg(test)]
mod tests;
