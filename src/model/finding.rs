//! Something that a person should know about a bus: what, where, whom it concerns, and how sure it is.

use super::{Offset, PartitionId, Text, TimestampMs, TopicName, TopicPartition};

/// What sort of thing was found. The codes are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Marks of transactions, which take an offset and are no records.
    Marker,
    /// Records of aborted transactions.
    Withdrawn,
    /// Records that compaction removed.
    Compacted,
    /// Deletions that a late reader of a compacted topic may have missed.
    MissedTombstone,
    /// Records that were deleted before a group read them, or will be.
    Deleted,
    /// A committed offset beyond the end of the log.
    BeyondEnd,
    /// A log that lost its end.
    Truncated,
    /// A committed offset that jumped over records.
    JumpedOver,
    /// A partition in which a group never committed.
    NeverCommitted,
    /// A partition that was added after the group began to read the topic.
    PartitionAdded,
    /// A version that is missing for one key.
    MissingVersion,
    /// Sequences of one source that are out of order or have holes.
    Sequence,
    /// The same event more than once.
    Duplicate,
    /// Times of one key that go backwards.
    TimeBackwards,
    /// A group that stands still while records wait.
    Stuck,
    /// A transaction that holds everything behind it back.
    OpenTransaction,
    /// A group that cannot get past one record.
    PoisonPill,
    /// Commits by somebody who is no member.
    HiddenMember,
    /// Committed offsets that were forgotten.
    Expired,
    /// A topic in which nothing comes though something should.
    Silence,
    /// Keys that go to other partitions than before.
    RedirectedKeys,
}

impl FindingKind {
    /// All of them, by code.
    pub const ALL: [Self; 21] = [
        Self::Marker,
        Self::Withdrawn,
        Self::Compacted,
        Self::MissedTombstone,
        Self::Deleted,
        Self::BeyondEnd,
        Self::Truncated,
        Self::JumpedOver,
        Self::NeverCommitted,
        Self::PartitionAdded,
        Self::MissingVersion,
        Self::Sequence,
        Self::Duplicate,
        Self::TimeBackwards,
        Self::Stuck,
        Self::OpenTransaction,
        Self::PoisonPill,
        Self::HiddenMember,
        Self::Expired,
        Self::Silence,
        Self::RedirectedKeys,
    ];

    /// The code, for scripts.
    pub fn code(self) -> &'static str {
        match self {
            Self::Marker => "G1",
            Self::Withdrawn => "G2",
            Self::Compacted => "G3",
            Self::MissedTombstone => "G3b",
            Self::Deleted => "G4",
            Self::BeyondEnd => "G5",
            Self::Truncated => "G6",
            Self::JumpedOver => "G7",
            Self::NeverCommitted => "G8",
            Self::PartitionAdded => "G9",
            Self::MissingVersion => "G11",
            Self::Sequence => "G12",
            Self::Duplicate => "G14",
            Self::TimeBackwards => "G15",
            Self::Stuck => "G16",
            Self::OpenTransaction => "G16b",
            Self::PoisonPill => "G17",
            Self::HiddenMember => "G18",
            Self::Expired => "G19",
            Self::Silence => "G21",
            Self::RedirectedKeys => "G23",
        }
    }

    /// The kind with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// A short name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Marker => "Transaction marker",
            Self::Withdrawn => "Withdrawn",
            Self::Compacted => "Compacted",
            Self::MissedTombstone => "Deletions possibly missed",
            Self::Deleted => "Deleted before it was read",
            Self::BeyondEnd => "Committed beyond the end",
            Self::Truncated => "Log cut back",
            Self::JumpedOver => "Jumped over",
            Self::NeverCommitted => "Never committed",
            Self::PartitionAdded => "Partition added later",
            Self::MissingVersion => "Version missing",
            Self::Sequence => "Sequence broken",
            Self::Duplicate => "Written twice",
            Self::TimeBackwards => "Time goes backwards",
            Self::Stuck => "Stuck",
            Self::OpenTransaction => "Open transaction",
            Self::PoisonPill => "Stuck on one record",
            Self::HiddenMember => "Hidden member",
            Self::Expired => "Committed offset forgotten",
            Self::Silence => "Silence",
            Self::RedirectedKeys => "Keys moved",
        }
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// A question rather than an answer.
    Hint,
    /// It would take an unusual cause to be wrong.
    Strong,
    /// It cannot be otherwise.
    Proof,
}

impl Certainty {
    /// As it is written, for scripts and people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Strong => "strong",
            Self::Proof => "proof",
        }
    }
}

/// Whom a finding concerns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concerns {
    /// Every reader of the topic.
    Everyone,
    /// One group.
    Group(Text),
}

impl Concerns {
    /// The group, when it is one.
    pub fn group(&self) -> Option<&Text> {
        match self {
            Self::Everyone => None,
            Self::Group(group) => Some(group),
        }
    }
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A count, an offset, an epoch, a duration in milliseconds: what, its name says.
    Number(i64),
    /// A time.
    Time(TimestampMs),
    /// Words.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A record's place.
    Record(TopicPartition, Offset),
    /// Several.
    List(Vec<Self>),
    /// It was looked for and is not known.
    Unknown,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its name: the same finding has the same one each time that it is looked for, in every run.
    pub id: String,
    /// What sort of thing it is.
    pub kind: FindingKind,
    /// Whom it concerns.
    pub concerns: Concerns,
    /// The topic; `None` when it is about a group as a whole.
    pub topic: Option<TopicName>,
    /// The partition; `None` when it is about the topic as a whole.
    pub partition: Option<PartitionId>,
    /// The first offset; `None` where no stretch of offsets is meant.
    pub from: Option<Offset>,
    /// The last offset, included.
    pub to: Option<Offset>,
    /// When it began, as far as that is known.
    pub from_time: Option<TimestampMs>,
    /// When it ended, as far as that is known.
    pub to_time: Option<TimestampMs>,
    /// How many records it is about, or how many offsets where records cannot be told: an upper bound then.
    pub records: Option<u64>,
    /// How sure it is.
    pub certainty: Certainty,
    /// Whether it is explained and needs nobody's attention.
    pub normal: bool,
    /// What it is, in one sentence for people.
    pub sentence: String,
    /// What to do about it, in one sentence.
    pub next_step: String,
    /// What it rests on, by name. Names are a promise to scripts.
    pub evidence: Vec<(&'static str, Fact)>,
}

impl Finding {
    /// The partition, when it is about one.
    pub fn at(&self) -> Option<TopicPartition> {
        Some(TopicPartition {
            topic: self.topic.clone()?,
            partition: self.partition?,
        })
    }

    /// Whether a person should look at it.
    pub fn wants_attention(&self) -> bool {
        !self.normal
    }

    /// Whether it proves that somebody lost records.
    pub fn is_proven_loss(&self) -> bool {
        let is_loss = matches!(
            self.kind,
            FindingKind::Deleted | FindingKind::BeyondEnd | FindingKind::Truncated
        );
        is_loss && !self.normal && self.certainty == Certainty::Proof
    }
}

/// A finding that a person has put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dismissal {
    /// The finding's id.
    pub finding: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: TimestampMs,
    /// By whom.
    pub user: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_code_of_its_own() {
        for kind in FindingKind::ALL {
            assert_eq!(FindingKind::from_code(kind.code()), Some(kind));
        }
        assert_eq!(FindingKind::from_code("G10"), None);
    }
}
