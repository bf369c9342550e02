//! How the chosen group's bookmarks are to be moved: what was dragged, chosen and typed, and what was confirmed.
//! Pure; nothing is written by any of it until a person applies the plan.
//!
//! | module | what it is |
//! |---|---|
//! | `draft` | the target, the scope, the rows that go their own way, and the request that they make |
//! | `drag` | a flag that is being moved on the timeline |
//! | `typed` | what is typed, and what is wrong with it |

mod draft;
mod drag;
mod typed;

pub use draft::{Draft, RowAim, TargetKind, TypedTable, TypedTime};
pub use drag::{FlagAim, FlagDrag};
pub use typed::offset as typed_offset;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::{ApplyRequest, Command};
use crate::model::{JournalEntry, Text, TopicName, TopicPartition};
use crate::rewind::target::PlanRequest;

use super::super::scroll::RowScroll;

/// A request with its number.
pub type Numbered = (u64, PlanRequest);

/// How long to wait for a group to have no members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitLimit {
    /// Five minutes.
    Five,
    /// Half an hour.
    #[default]
    Thirty,
    /// Two hours.
    TwoHours,
}

impl WaitLimit {
    /// All, the shortest first.
    pub const ALL: [Self; 3] = [Self::Five, Self::Thirty, Self::TwoHours];

    /// In milliseconds.
    pub fn ms(self) -> i64 {
        match self {
            Self::Five => 5 * 60_000,
            Self::Thirty => 30 * 60_000,
            Self::TwoHours => 120 * 60_000,
        }
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Five => "5 min",
            Self::Thirty => "30 min",
            Self::TwoHours => "2 h",
        }
    }
}

/// What is to become of the chosen group's bookmarks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewindState {
    /// Target, scope and rows.
    pub draft: Draft,
    /// The flag that is being moved.
    pub drag: Option<FlagDrag>,
    /// What the engine is to plan; `None` while nothing is asked for.
    pub request: Option<Arc<Numbered>>,
    /// Confirmed guards, by the word that confirms each.
    pub confirmed: BTreeSet<String>,
    /// What stands in the field for the group's name.
    pub name: String,
    /// What the person wrote about records that run a second time.
    pub words: String,
    /// How long to wait at most.
    pub limit: WaitLimit,
    /// The group whose plan was applied last.
    pub applied: Option<Text>,
    /// Where the rows are scrolled to.
    pub scroll: RowScroll,
    numbers: u64,
}

/// Something the person did about moving a group.
#[derive(Clone, Debug)]
pub enum RewindMsg {
    /// Open the tab for the chosen group.
    Open,
    /// Choose the kind of target.
    Kind(TargetKind),
    /// The time was edited.
    Time(TypedTime),
    /// The offset was edited.
    Offset(String),
    /// The number of records was edited.
    Shift(String),
    /// Go where another group stands.
    Other(Text),
    /// The rows of a file were edited.
    Table(TypedTable),
    /// The name of the new group was edited.
    Fresh(String),
    /// Undo an entry of the journal.
    Undo(Arc<JournalEntry>),
    /// Go to the places that an entry of the journal wanted and did not reach.
    Finish(Arc<JournalEntry>),
    /// Only these topics; all when empty.
    Topics(BTreeSet<TopicName>),
    /// Leave partitions out, or take them in again.
    Include(Vec<TopicPartition>, bool),
    /// The offset of one row was edited; `None` lets it go with the others.
    Row(TopicPartition, Option<String>),
    /// Begin anew, with nothing asked for.
    Clear,
    /// A flag is moved.
    Drag(FlagDrag),
    /// The flag is let go: its place becomes part of the plan.
    Drop,
    /// The flag goes back.
    PutBack,
    /// Confirm a guard by its word, or no longer.
    Confirm(String, bool),
    /// The field for the group's name was edited.
    Name(String),
    /// The field for words was edited.
    Words(String),
    /// Wait so long at most.
    Limit(WaitLimit),
    /// Scroll the rows to a place.
    Scroll(RowScroll),
    /// Apply the plan.
    Apply(ApplyRequest),
    /// Stop waiting.
    Stop,
}

impl RewindMsg {
    /// Whether the tab of the plan opens with it.
    pub fn opens(&self, state: &RewindState) -> bool {
        match self {
            Self::Open | Self::Undo(_) | Self::Finish(_) => true,
            Self::Drop => state.drag.is_some(),
            _ => false,
        }
    }
}

impl RewindState {
    /// Takes what the person did about `group`; what the engine must do.
    pub fn apply(&mut self, msg: RewindMsg, group: Option<&Text>) -> Option<Command> {
        match msg {
            RewindMsg::Open => {}
            RewindMsg::Kind(kind) => self.draft.choose(kind),
            RewindMsg::Time(typed) => self.draft.time = typed,
            RewindMsg::Offset(text) => self.draft.offset = text,
            RewindMsg::Shift(text) => self.draft.shift = text,
            RewindMsg::Other(name) => self.draft.other = Some(name),
            RewindMsg::Table(typed) => self.draft.table = typed,
            RewindMsg::Fresh(name) => self.draft.fresh = name,
            RewindMsg::Undo(entry) => self.draft = Draft::undoing(&entry),
            RewindMsg::Finish(entry) => self.draft = Draft::finishing(&entry),
            RewindMsg::Topics(topics) => self.draft.topics = topics,
            RewindMsg::Include(rows, included) => {
                for at in rows {
                    if included {
                        self.draft.left_out.remove(&at);
                    } else {
                        self.draft.left_out.insert(at);
                    }
                }
            }
            RewindMsg::Row(at, Some(text)) => {
                self.draft.rows.insert(at, RowAim::Typed(text));
            }
            RewindMsg::Row(at, None) => {
                self.draft.rows.remove(&at);
            }
            RewindMsg::Clear => {
                self.draft = Draft::default();
                self.drag = None;
            }
            RewindMsg::Drag(drag) => self.drag = Some(drag),
            RewindMsg::Drop => {
                if let Some(drag) = self.drag.take() {
                    self.draft.place(drag.aim);
                }
            }
            RewindMsg::PutBack => self.drag = None,
            RewindMsg::Confirm(word, true) => {
                self.confirmed.insert(word);
            }
            RewindMsg::Confirm(word, false) => {
                self.confirmed.remove(&word);
            }
            RewindMsg::Name(text) => self.name = text,
            RewindMsg::Words(text) => self.words = text,
            RewindMsg::Limit(limit) => self.limit = limit,
            RewindMsg::Scroll(scroll) => self.scroll = scroll,
            RewindMsg::Apply(request) => {
                self.applied = group.cloned();
                return Some(Command::Apply(request));
            }
            RewindMsg::Stop => return Some(Command::StopApplying),
        }
        self.ask(group);
        None
    }

    /// Whether `msg` would leave everything as it is.
    pub fn is_settled(&self, msg: &RewindMsg) -> bool {
        match msg {
            RewindMsg::Drag(drag) => self.drag.as_ref() == Some(drag),
            RewindMsg::Scroll(scroll) => self.scroll == *scroll,
            _ => false,
        }
    }

    /// Forgets what was asked for one group, not which group's plan was applied.
    pub fn leave(&mut self) {
        *self = Self {
            numbers: self.numbers,
            applied: self.applied.take(),
            limit: self.limit,
            ..Self::default()
        };
    }

    /// Whether the number of the plan at hand is that of what is asked for now.
    pub fn is_answered_by(&self, plan_number: u64) -> bool {
        self.request
            .as_ref()
            .is_some_and(|request| request.0 == plan_number)
    }

    /// Numbers what is asked for anew when it became something else. What was confirmed was confirmed of the
    /// plan before, and is asked again.
    fn ask(&mut self, group: Option<&Text>) {
        let draft = match &self.drag {
            Some(drag) => {
                let mut draft = self.draft.clone();
                draft.place(drag.aim.clone());
                draft.request(group)
            }
            None => self.draft.request(group),
        };
        let same = match (&self.request, &draft) {
            (Some(before), Some(now)) => before.1 == *now,
            (None, None) => true,
            _ => false,
        };
        if !same {
            self.numbers = self.numbers.saturating_add(1);
            self.request = draft.map(|request| Arc::new((self.numbers, request)));
            self.confirmed.clear();
            self.name.clear();
        }
    }
}

#[cfg(test)]
mod tests;
