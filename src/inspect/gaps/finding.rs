//! How a finding is made.

use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Offset, PartitionId, TopicName, TopicPartition,
};

/// Where kinds stand among one another: what costs most comes first.
pub(super) fn cost(kind: FindingKind) -> u8 {
    match kind {
        FindingKind::Deleted
        | FindingKind::JumpedOver
        | FindingKind::MissingVersion
        | FindingKind::Truncated => 0,
        FindingKind::BeyondEnd | FindingKind::PartitionAdded | FindingKind::MissedTombstone => 1,
        FindingKind::PoisonPill | FindingKind::Stuck | FindingKind::OpenTransaction => 2,
        FindingKind::Expired | FindingKind::NeverCommitted | FindingKind::HiddenMember => 3,
        FindingKind::Silence => 4,
        FindingKind::Duplicate | FindingKind::TimeBackwards | FindingKind::Sequence => 5,
        FindingKind::RedirectedKeys => 6,
        FindingKind::Marker | FindingKind::Withdrawn | FindingKind::Compacted => 7,
    }
}

/// A finding on its way: everything that is not said is not known.
#[derive(Clone, Debug)]
pub(super) struct Draft(Finding);

impl Draft {
    /// A finding of `kind` about everyone, a question still.
    pub(super) fn new(kind: FindingKind, concerns: Concerns) -> Self {
        Self(Finding {
            id: String::new(),
            kind,
            concerns,
            topic: None,
            partition: None,
            from: None,
            to: None,
            from_time: None,
            to_time: None,
            records: None,
            certainty: Certainty::Hint,
            normal: false,
            sentence: String::new(),
            next_step: String::new(),
            evidence: Vec::new(),
        })
    }

    /// It is about this partition.
    pub(super) fn at(mut self, at: &TopicPartition) -> Self {
        self.0.topic = Some(at.topic.clone());
        self.0.partition = Some(at.partition);
        self
    }

    /// It is about this topic as a whole.
    pub(super) fn topic(mut self, topic: &TopicName) -> Self {
        self.0.topic = Some(topic.clone());
        self
    }

    /// It is about these offsets, both included.
    pub(super) fn offsets(mut self, from: Offset, to: Offset) -> Self {
        (self.0.from, self.0.to) = (Some(from), Some(to));
        self
    }

    /// How sure it is.
    pub(super) fn certainty(mut self, certainty: Certainty) -> Self {
        self.0.certainty = certainty;
        self
    }

    /// What it rests on.
    pub(super) fn because(mut self, name: &'static str, fact: Fact) -> Self {
        self.0.evidence.push((name, fact));
        self
    }

    /// Sets anything else.
    pub(super) fn with(mut self, set: impl FnOnce(&mut Finding)) -> Self {
        set(&mut self.0);
        self
    }

    /// The finding, in words. `what` tells it apart from others of its kind at the same place: the first offset of a
    /// stretch that does not move, a key. Nothing in it may change while the same thing is found again.
    pub(super) fn say(mut self, what: &str, sentence: String, next_step: &str) -> Finding {
        self.0.sentence = sentence;
        next_step.clone_into(&mut self.0.next_step);
        self.0.id = id(&self.0, what);
        self.0
    }
}

/// `G4-` and 16 hexadecimal digits.
fn id(finding: &Finding, what: &str) -> String {
    let group = finding.concerns.group();
    let group = group.map_or_else(String::new, |group| format!("{:?}", group.as_bytes()));
    let partition = finding.partition.map(|PartitionId(number)| number);
    let name = format!(
        "{}\u{0}{group}\u{0}{}\u{0}{partition:?}\u{0}{what}",
        finding.kind.code(),
        finding.topic.as_deref().unwrap_or_default(),
    );
    let digest = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, name.as_bytes());
    let digits = digest.simple().to_string();
    let short: String = digits.chars().take(16).collect();
    format!("{}-{short}", finding.kind.code())
}
