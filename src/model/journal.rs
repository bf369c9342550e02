//! What is kept of every change to a group's offsets, from before it is made until the group is past it.

use super::{Bookmark, Known, Text, TimestampMs, TopicPartition};

/// How far a change is. Each state is durable before the act that the next one stands for begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JournalState {
    /// The present bookmarks are kept and the change may be on its way. Found after a start of the program,
    /// nobody knows whether the bus has it: it has to be looked up.
    Sending,
    /// The bus has answered for every row; it was not read back yet.
    Answered,
    /// Read back as intended, in part at least; the group is not past its old bookmarks yet.
    Watching,
    /// The group has passed its old bookmarks on every row that was changed.
    Passed,
    /// Nothing was changed: the bus refused every row.
    Refused,
    /// What was read back is not what was written: somebody else wrote too.
    Overwritten,
    /// A person or a later change ended the watching.
    Closed,
}

impl JournalState {
    /// As it is written in files and for scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sending => "sending",
            Self::Answered => "answered",
            Self::Watching => "watching",
            Self::Passed => "passed",
            Self::Refused => "refused",
            Self::Overwritten => "overwritten",
            Self::Closed => "closed",
        }
    }

    /// The state that is written like this.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Sending,
            Self::Answered,
            Self::Watching,
            Self::Passed,
            Self::Refused,
            Self::Overwritten,
            Self::Closed,
        ]
        .into_iter()
        .find(|state| state.name() == name)
    }
}

/// What became of one row of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RowOutcome {
    /// Not known: the bus has not answered, or the answer was lost.
    #[default]
    Unknown,
    /// The bus accepted it.
    Accepted,
    /// The bus refused it, and why in words.
    Refused(String),
}

/// One partition of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    /// The partition.
    pub at: TopicPartition,
    /// The topic's id when the change was made, which a topic made anew does not share.
    pub topic_id: Option<String>,
    /// The bookmark read immediately before the change; `None` when there was none.
    pub before: Option<Bookmark>,
    /// The bookmark that was written; `None` when it was deleted.
    pub after: Option<Bookmark>,
    /// What became of it.
    pub outcome: RowOutcome,
    /// What was read back last; `None` until that was done, `Some(None)` for no bookmark.
    pub read_back: Option<Option<Bookmark>>,
}

/// A change to one group's offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its own name, unique on every machine.
    pub id: String,
    /// When the present bookmarks were read.
    pub at: TimestampMs,
    /// Who made it: the name the operating system knows the person by.
    pub user: String,
    /// The cluster's id; `None` on a bus without one.
    pub cluster_id: Option<String>,
    /// The addresses by which it was reached.
    pub bootstrap: String,
    /// The group.
    pub group: Text,
    /// What was asked for, in words: `time:2026-11-30T14:02:00Z`, say.
    pub target: String,
    /// What the person confirmed, guards by name and words as written.
    pub confirmed: Vec<String>,
    /// How far it is.
    pub state: JournalState,
    /// Its rows, by topic and partition.
    pub rows: Vec<JournalRow>,
    /// The entry that this one undoes.
    pub undoes: Option<String>,
}

/// Where entries are kept. Everything may wait for a disk; what has returned is durable.
pub trait Journal: Send + Sync + std::fmt::Debug {
    /// Keeps a new entry.
    ///
    /// # Errors
    /// It cannot be kept, or one of that id is there already; nothing was written.
    fn add(&self, entry: &JournalEntry) -> Known<()>;

    /// Replaces the entry of the same id.
    ///
    /// # Errors
    /// It cannot be kept, or is not there; nothing was written.
    fn update(&self, entry: &JournalEntry) -> Known<()>;

    /// All entries, the newest first.
    ///
    /// # Errors
    /// They cannot be read.
    fn entries(&self) -> Known<Vec<JournalEntry>>;
}
