//! Consumer groups, their members and their committed offsets.

use std::fmt;

use serde::Serialize;

use super::{BrokerId, Known, Offset, PartitionId, Problem, Text, TopicName, TopicPartition};

/// Which protocol a group follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupType {
    /// The protocol in which members agree among themselves.
    Classic,
    /// The protocol in which the coordinator assigns (KIP-848).
    Consumer,
    /// A share group: records are handed out one by one, there is no single position.
    Share,
    /// A Kafka Streams group.
    Streams,
    /// The bus does not say.
    Unknown,
}

impl GroupType {
    /// The type a broker names, in any case; [`GroupType::Unknown`] for a name not known here.
    pub fn from_name(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "classic" => Self::Classic,
            "consumer" => Self::Consumer,
            "share" => Self::Share,
            "streams" => Self::Streams,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for GroupType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
            Self::Share => "share",
            Self::Streams => "streams",
            Self::Unknown => "unknown",
        })
    }
}

/// What the list of groups says of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupListing {
    /// Its name.
    pub name: Text,
    /// The protocol it follows.
    pub kind: GroupType,
    /// The protocol type its members named: `consumer`, `connect`, …; empty for a group without members
    /// that only an administrator's commit made. `None` when the bus does not say.
    pub protocol_type: Option<String>,
    /// Its state as the broker says it; `None` when the bus does not say.
    pub state: Option<String>,
    /// The broker that listed it, which is the one that coordinates it; `None` when the bus does not say.
    pub coordinator: Option<BrokerId>,
}

/// The groups of a cluster, and what could not be asked.
#[derive(Clone, Debug, Default)]
pub struct GroupList {
    /// The groups, by name.
    pub groups: Vec<GroupListing>,
    /// Why there may be more groups than these: a broker that did not answer, types that cannot be listed.
    pub missing: Vec<Problem>,
}

/// Who is in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMembers {
    /// The assignor the group chose.
    pub assignor: Option<String>,
    /// The broker that coordinates the group.
    pub coordinator: Option<BrokerId>,
    /// The state at the moment of this answer.
    pub state: Option<String>,
    /// The members, or why they are not known.
    pub members: Known<Vec<Member>>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The id the coordinator gave it.
    pub member_id: Text,
    /// The name its client goes by.
    pub client_id: Text,
    /// The address it connects from, as the coordinator sees it.
    pub host: Text,
    /// Its own lasting id (`group.instance.id`), when it has one.
    pub instance_id: Option<Text>,
    /// The partitions it is to read, by topic name.
    pub assignment: Vec<Assignment>,
}

/// Partitions of one topic that a member is to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The topic.
    pub topic: TopicName,
    /// The partitions, by number.
    pub partitions: Vec<PartitionId>,
}

/// How far a group has read one partition, as the bus has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The partition.
    pub at: TopicPartition,
    /// The committed offset, the next record to read; `Ok(None)` when the group never committed here.
    pub offset: Known<Option<Offset>>,
    /// The leader epoch stored with it.
    pub leader_epoch: Option<i32>,
    /// The text stored with it.
    pub metadata: Text,
}

/// A group with all that the bus says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the list of groups says.
    pub listing: GroupListing,
    /// Who is in it; an error stands for the whole group.
    pub members: Known<GroupMembers>,
    /// Its committed offsets by topic and partition, or why they are not known.
    pub commits: Known<Vec<Commit>>,
}

impl Group {
    /// The first reason why something about the whole group is not known; members of a type that cannot
    /// be asked do not count.
    pub fn error(&self) -> Option<&Problem> {
        self.members
            .as_ref()
            .err()
            .or_else(|| self.commits.as_ref().err())
    }

    /// The commit for one partition, when the commits are known and it is among them.
    pub fn commit(&self, at: &TopicPartition) -> Option<&Commit> {
        let commits = self.commits.as_ref().ok()?;
        let index = commits.binary_search_by(|commit| commit.at.cmp(at)).ok()?;
        commits.get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_in_any_case() {
        assert_eq!(GroupType::from_name("Classic"), GroupType::Classic);
        assert_eq!(GroupType::from_name("Consumer"), GroupType::Consumer);
        assert_eq!(GroupType::from_name("Share"), GroupType::Share);
        assert_eq!(GroupType::from_name("streams"), GroupType::Streams);
        assert_eq!(GroupType::from_name("later"), GroupType::Unknown);
        assert_eq!(GroupType::from_name(""), GroupType::Unknown);
    }
}
