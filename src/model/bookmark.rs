//! Committed offsets with all that is stored beside them.

use super::{Commit, Offset, Text, TopicPartition};

/// A committed offset and what lies beside it on the bus: what the journal keeps, and what undoing gives back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bookmark {
    /// The next record to read.
    pub offset: Offset,
    /// The leader epoch stored with it.
    pub leader_epoch: Option<i32>,
    /// The text stored with it.
    pub metadata: Text,
}

impl Bookmark {
    /// A bookmark with nothing beside its offset, as the stock tools write one.
    pub fn plain(offset: Offset) -> Self {
        Self {
            offset,
            leader_epoch: None,
            metadata: Text::from(""),
        }
    }

    /// The bookmark that a commit is; `None` where nothing is committed or it is not known.
    pub fn of(commit: &Commit) -> Option<Self> {
        Some(Self {
            offset: commit.offset.clone().ok().flatten()?,
            leader_epoch: commit.leader_epoch,
            metadata: commit.metadata.clone(),
        })
    }
}

/// What is to become of a group's bookmark in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The partition.
    pub at: TopicPartition,
    /// The bookmark it gets; `None` deletes the one that is there.
    pub to: Option<Bookmark>,
}
