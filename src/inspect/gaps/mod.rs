//! What is missing, to whom, why, and how sure that is: findings from facts.
//!
//! | part | what it is |
//! |---|---|
//! | [`Facts`] | what was read of a bus, and what was kept from before |
//! | [`questions`] | what else must be asked before the rules can be sure |
//! | [`findings`] | the rules about groups and partitions, all of them |
//! | [`Holes`] | why offsets hold no record |
//! | [`Events`] | what is missing or odd among events themselves |
//! | [`silence()`] | a topic in which nothing comes any more |
//! | [`first_for_careful`] | which record careful readers are given next |
//! | `deleted`, `beyond`, `jumped`, `hidden`, `started`, `stuck`, `transactions`, `expired` | the rules, by what they look at |
//! | `steps` | moves of committed offsets, one by one: what is usual, and what no reading explains |
//! | `view`, `words` | facts as rules look at them; numbers and stretches in sentences |
//! | `finding` | how a finding is made: its id, its place, its words |
//!
//! Rules never ask, never wait and know no clock but [`Facts::now`]. What a rule does not know makes its finding less
//! certain, or none; it never makes one up.

mod beyond;
mod careful;
mod deleted;
mod events;
mod expired;
mod finding;
mod hidden;
mod holes;
mod jumped;
mod silence;
mod started;
mod steps;
mod stuck;
mod transactions;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub use careful::first_for_careful;
pub use events::{EventRules, Events, VersionRule};
pub use holes::{Hole, HoleCause, Holes};
pub use jumped::{HandMove, hand_moves};
pub use silence::{silence, silence_times};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::inspect::lag::Place;
use crate::model::{
    Finding, Group, History, Known, Offset, OpenTransaction, RecordHead, Remembered, Text,
    TimestampMs, Topic, TopicPartition,
};

/// Where the rules draw their lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// For how many milliseconds a group must stand still while records wait before it is stuck.
    pub stuck_ms: i64,
    /// Whether nobody will look again: what is not known yet is told as a question then.
    pub once: bool,
    /// The share of what is kept of a partition that a group is behind before records are at risk: 0 to 1.
    pub at_risk: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            stuck_ms: 300_000,
            once: false,
            at_risk: 0.8,
        }
    }
}

/// One group and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct GroupFacts<'a> {
    /// The group.
    pub group: &'a Group,
    /// Its places, by topic and partition. Committed offsets were read before the ends.
    pub places: &'a [Place],
}

/// What is known. Committed offsets were read before ends of logs.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The present moment.
    pub now: TimestampMs,
    /// All topics, by name.
    pub topics: &'a [Arc<Topic>],
    /// All groups, by name.
    pub groups: Vec<GroupFacts<'a>>,
    /// How committed offsets moved.
    pub history: &'a History,
    /// What was kept from earlier runs and readings, the present one not included.
    pub remembered: &'a Remembered,
    /// Groups and partitions whose committed offset lay beyond the end, and did so again when both were read a second
    /// time.
    pub beyond_again: BTreeSet<(Text, TopicPartition)>,
    /// Last stable offsets of an earlier reading, and when that was.
    pub earlier_stable: BTreeMap<TopicPartition, (TimestampMs, Offset)>,
    /// Answers to [`Questions::heads`]: the first record at or after a place.
    pub heads: BTreeMap<(TopicPartition, Offset), Known<Option<RecordHead>>>,
    /// Answers to [`Questions::careful`]: the first offset at or after a place that careful readers are given; `None` when
    /// there is none. See [`first_for_careful`].
    pub careful: BTreeMap<(TopicPartition, Offset), Known<Option<Offset>>>,
    /// Answers to [`Questions::ends_at`]: the first offset whose time is at or after a time; `None` when there is none.
    pub ends_at: BTreeMap<(TopicPartition, TimestampMs), Known<Option<Offset>>>,
    /// Answers to [`Questions::epochs`].
    pub epoch_ends: BTreeMap<(TopicPartition, i32), Known<Option<Offset>>>,
    /// Answers to [`Questions::transactions`].
    pub transactions: BTreeMap<TopicPartition, Known<Vec<OpenTransaction>>>,
}

/// What the rules would like to know besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// The first record at or after each place.
    pub heads: BTreeSet<(TopicPartition, Offset)>,
    /// The first record at or after each place that careful readers are given.
    pub careful: BTreeSet<(TopicPartition, Offset)>,
    /// The first offset whose time is at or after a time.
    pub ends_at: BTreeSet<(TopicPartition, TimestampMs)>,
    /// Where a leader epoch ended.
    pub epochs: BTreeSet<(TopicPartition, i32)>,
    /// Which transactions are open.
    pub transactions: BTreeSet<TopicPartition>,
}

/// What must be asked before [`findings`] can be sure. Nothing that `facts` answers already.
pub fn questions(facts: &Facts<'_>, rules: &Rules) -> Questions {
    let view = view::View::new(facts, rules);
    let mut questions = Questions::default();
    deleted::questions(&view, &mut questions);
    beyond::questions(&view, &mut questions);
    jumped::questions(&view, &mut questions);
    started::questions(&view, &mut questions);
    stuck::questions(&view, &mut questions);
    transactions::questions(&view, &mut questions);
    questions
}

/// Everything that the rules about groups and partitions find, in no particular order.
pub fn findings(facts: &Facts<'_>, rules: &Rules) -> Vec<Finding> {
    let view = view::View::new(facts, rules);
    let mut findings = deleted::findings(&view);
    findings.extend(beyond::findings(&view));
    findings.extend(jumped::findings(&view));
    findings.extend(hidden::findings(&view));
    findings.extend(started::findings(&view));
    findings.extend(stuck::findings(&view));
    findings.extend(transactions::findings(&view));
    findings.extend(expired::findings(&view));
    let mut ids = BTreeSet::new();
    findings.retain(|finding| ids.insert(finding.id.clone()));
    findings
}

/// The findings in the order in which they cost the user most: what is to be looked at first, then losses before what
/// is stuck before questions, the surer and the larger first.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        (
            finding.normal,
            finding::cost(finding.kind),
            std::cmp::Reverse(finding.certainty),
            std::cmp::Reverse(finding.records.unwrap_or_default()),
            finding.concerns.clone(),
            finding.topic.clone(),
            finding.partition,
            finding.from,
        )
    });
}
