//! What must hold before a plan is applied.

use std::collections::BTreeSet;

/// A guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardKind {
    /// The group exists; for a new one, it does not.
    Exists,
    /// It is of a kind that is moved this way.
    Kind,
    /// It has no members.
    NoMembers,
    /// Nobody commits for it while it has no members.
    NoHiddenReader,
    /// Nothing changed since the plan was made but what its own members committed.
    Unchanged,
    /// What is to run again will not be deleted before it is read.
    Retention,
    /// The connection's locks allow writing.
    Writable,
    /// A cluster that people depend on, or that nobody knows, is confirmed by the group's name.
    Production,
}

/// How a guard stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not: nothing is applied.
    Failed,
    /// A person has to confirm it.
    Confirm,
    /// It cannot be known yet.
    Unknown,
}

/// A guard with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Which.
    pub kind: GuardKind,
    /// How it stands.
    pub outcome: Outcome,
    /// Why, in a sentence or two.
    pub detail: String,
    /// The word that confirms it, for one that is to be confirmed: its own name, or the group's.
    pub confirm_with: Option<String>,
}

/// What was confirmed: names of guards, the group's name.
pub type Confirmed = BTreeSet<String>;

/// What watching a group's commits for a while told, while nothing was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// For how long they were watched without members being there, in milliseconds.
    pub quiet_ms: i64,
    /// For how long that has to be, in milliseconds; 0 when watching was declined.
    pub wanted_ms: i64,
    /// Bookmarks that moved though the group had no members: the partition, from, to.
    pub moved: Vec<Moved>,
}

/// A bookmark that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The partition.
    pub at: crate::model::TopicPartition,
    /// Where it was; `None` when there was none.
    pub from: Option<crate::model::Offset>,
    /// Where it is; `None` when it is gone.
    pub to: Option<crate::model::Offset>,
}
