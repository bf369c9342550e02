//! One look at groups and partitions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::bus::Seek;
use crate::engine::cancel::Cancel;
use crate::engine::command::{GroupsRequest, TopicsRequest};
use crate::engine::event::{GroupPlaces, GroupsReply};
use crate::engine::tasks::commit_log::CommitLogTail;
use crate::engine::tasks::inventory;
use crate::engine::tasks::lookups::Rate;
use crate::engine::tasks::rewind::Desk;
use crate::inspect::gaps::{self, Facts, GroupFacts, Rules};
use crate::inspect::history;
use crate::model::{
    Finding, History, Known, Offset, Problem, ProblemKind, Text, TimestampMs, Topic, TopicPartition,
};

use super::asking::Answers;
use super::memory::Memory;

/// How long to wait before something odd is read a second time.
const AGAIN: Duration = Duration::from_millis(1_100);
/// How often the rules may ask for more within one look.
const ROUNDS: usize = 4;

/// Topics and groups as they were read, groups first.
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    /// All topics, by name.
    pub(super) topics: Vec<Arc<Topic>>,
    /// All groups, by name.
    pub(super) groups: Vec<GroupPlaces>,
    /// Why there may be more groups than these.
    pub(super) missing: Vec<Problem>,
}

impl Read {
    /// Reads everything.
    ///
    /// # Errors
    /// Topics or groups cannot be listed.
    pub(super) async fn new(desk: &Desk) -> Known<Self> {
        let GroupsReply { groups, missing } =
            inventory::groups(&*desk.bus, &GroupsRequest::default()).await?;
        let request = TopicsRequest {
            topics: Vec::new(),
            internal: true,
        };
        let topics = inventory::topics(&*desk.bus, &request).await?.topics;
        Ok(Self {
            topics,
            groups,
            missing,
        })
    }

    /// Whether the list of groups is whole, but for types that cannot be listed.
    pub(super) fn is_whole(&self) -> bool {
        self.missing
            .iter()
            .all(|problem| problem.kind == ProblemKind::Unsupported)
    }
}

/// What one look found.
#[derive(Clone, Debug, Default)]
pub(super) struct Looked {
    /// The findings, in no particular order.
    pub(super) findings: Vec<Finding>,
    /// How committed offsets moved.
    pub(super) history: Arc<History>,
    /// What could not be looked at, and why.
    pub(super) missing: Vec<Problem>,
    /// Whether all that was known could be read, so that what is not found any more has cleared.
    pub(super) is_whole: bool,
}

/// Looks again and again, and remembers.
pub(super) struct Looker {
    pub(super) desk: Desk,
    rate: Rate,
    tail: CommitLogTail,
    memory: Memory,
    answers: Answers,
    /// Last stable offsets of the look before.
    stable: BTreeMap<TopicPartition, (TimestampMs, Offset)>,
}

impl Looker {
    pub(super) fn new(desk: Desk, rate: Rate) -> Self {
        Self {
            desk,
            rate,
            tail: CommitLogTail::new(),
            memory: Memory::default(),
            answers: Answers::default(),
            stable: BTreeMap::new(),
        }
    }

    /// The cluster's id, once it is known.
    pub(super) fn cluster(&self) -> Option<&str> {
        self.memory.cluster()
    }

    /// What follows from `read`.
    pub(super) async fn look(
        &mut self,
        mut read: Read,
        rules: &Rules,
        cancel: &Cancel,
        told: Arc<dyn Fn(u64) + Send + Sync>,
    ) -> Looked {
        let observations = self.desk.files.observations.clone();
        if self.memory.cluster().is_none() {
            let cluster = self.desk.bus.cluster().await;
            let id = cluster.ok().and_then(|cluster| cluster.cluster_id);
            self.memory.open(&observations, id).await;
        }
        let log = self.tail.step(&self.desk.bus, cancel, told).await;
        let history = Arc::new(history::merge(&self.memory.kept().history, &log));
        let beyond_again = self.beyond_again(&read.groups).await;
        self.read_stable_again(&mut read.topics).await;
        let now = self.desk.clock.now();
        let mut facts = Facts {
            now,
            topics: &read.topics,
            groups: read
                .groups
                .iter()
                .map(|group| GroupFacts {
                    group: &group.group,
                    places: &group.places,
                })
                .collect(),
            history: &history,
            remembered: self.memory.kept(),
            beyond_again,
            earlier_stable: self.stable.clone(),
            heads: BTreeMap::new(),
            careful: BTreeMap::new(),
            ends_at: BTreeMap::new(),
            epoch_ends: BTreeMap::new(),
            transactions: BTreeMap::new(),
        };
        self.answers.recall(&mut facts);
        for _ in 0..ROUNDS {
            let questions = gaps::questions(&facts, rules);
            let asked = self
                .answers
                .ask(&*self.desk.bus, self.rate, questions, &mut facts)
                .await;
            if !asked || cancel.reason().is_some() {
                break;
            }
        }
        let findings = gaps::findings(&facts, rules);
        drop(facts);
        self.stable = stable(now, &read.topics);
        let is_whole = read.is_whole();
        self.memory
            .see(&observations, now, &read.topics, (&read.groups, is_whole))
            .await;
        let mut missing = missing(&read);
        missing.extend(
            self.memory.problem.clone().map(|problem| {
                problem.within("what was seen is not kept from one run to the next")
            }),
        );
        Looked {
            findings,
            history,
            is_whole: is_whole && missing.iter().all(|problem| !is_passing(problem)),
            missing,
        }
    }

    /// The places that lie beyond the end of their log, and still do when both are read once more.
    async fn beyond_again(&self, groups: &[GroupPlaces]) -> BTreeSet<(Text, TopicPartition)> {
        let beyond = |group: &GroupPlaces| -> Vec<TopicPartition> {
            let places = group.places.iter();
            let is_beyond = |place: &&crate::inspect::lag::Place| matches!((&place.committed, &place.high_watermark), (Ok(Some(at)), Ok(end)) if at > end);
            places
                .filter(is_beyond)
                .map(|place| place.at.clone())
                .collect()
        };
        let suspects: Vec<(Text, Vec<TopicPartition>)> = groups
            .iter()
            .map(|group| (group.group.listing.name.clone(), beyond(group)))
            .filter(|(_, places)| !places.is_empty())
            .collect();
        if suspects.is_empty() {
            return BTreeSet::new();
        }
        tokio::time::sleep(AGAIN).await;
        let names = suspects.iter().map(|(name, _)| name.clone()).collect();
        let commits = self.desk.bus.commits(names).await;
        let partitions: BTreeSet<TopicPartition> = suspects
            .iter()
            .flat_map(|(_, places)| places.iter().cloned())
            .collect();
        let partitions: Vec<TopicPartition> = partitions.into_iter().collect();
        let ends = inventory::ends(&*self.desk.bus, &partitions, Seek::HighWatermark).await;
        let mut again = BTreeSet::new();
        for ((name, places), commits) in suspects.into_iter().zip(commits) {
            let Ok(commits) = commits else { continue };
            for at in places {
                let committed = commits.iter().find(|commit| commit.at == at);
                let committed = committed.and_then(|commit| commit.offset.as_ref().ok().copied());
                if let (Some(Some(committed)), Some(Ok(end))) = (committed, ends.get(&at))
                    && committed > *end
                {
                    again.insert((name.clone(), at));
                }
            }
        }
        again
    }

    /// At the first look there is no earlier one to compare last stable offsets with: where one is behind the end, it
    /// is read a second time a moment later.
    async fn read_stable_again(&mut self, topics: &mut [Arc<Topic>]) {
        let held_back = |topic: &Arc<Topic>| -> Vec<TopicPartition> {
            let partitions = topic.partitions.iter();
            partitions
                .filter(|partition| partition.held_back().is_some())
                .map(|partition| topic.at(partition.id))
                .collect()
        };
        let unknown: Vec<TopicPartition> = topics
            .iter()
            .flat_map(held_back)
            .filter(|at| !self.stable.contains_key(at))
            .collect();
        if unknown.is_empty() {
            return;
        }
        let now = self.desk.clock.now();
        let first = stable(now, topics);
        self.stable.extend(
            unknown
                .iter()
                .filter_map(|at| Some((at.clone(), *first.get(at)?))),
        );
        tokio::time::sleep(AGAIN).await;
        let stables = inventory::ends(&*self.desk.bus, &unknown, Seek::LastStable).await;
        let highs = inventory::ends(&*self.desk.bus, &unknown, Seek::HighWatermark).await;
        for topic in topics {
            let name = Arc::clone(&topic.name);
            if !unknown.iter().any(|at| at.topic == name) {
                continue;
            }
            for partition in &mut Arc::make_mut(topic).partitions {
                let at = TopicPartition {
                    topic: Arc::clone(&name),
                    partition: partition.id,
                };
                if let (Some(stable), Some(high)) = (stables.get(&at), highs.get(&at)) {
                    partition.last_stable.clone_from(stable);
                    partition.high_watermark.clone_from(high);
                }
            }
        }
    }
}

fn stable(
    now: TimestampMs,
    topics: &[Arc<Topic>],
) -> BTreeMap<TopicPartition, (TimestampMs, Offset)> {
    let of = |topic: &Arc<Topic>| {
        let topic = Arc::clone(topic);
        let partitions = topic.partitions.clone().into_iter();
        partitions.filter_map(move |partition| {
            let stable = partition.last_stable.ok()?;
            Some((topic.at(partition.id), (now, stable)))
        })
    };
    topics.iter().flat_map(of).collect()
}

/// Whether a problem may be over soon, so that what it hides is not gone.
fn is_passing(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::Unreachable
            | ProblemKind::TimedOut
            | ProblemKind::NoLeader
            | ProblemKind::Retriable
    )
}

/// What could not be read of topics and groups.
fn missing(read: &Read) -> Vec<Problem> {
    let mut missing = read.missing.clone();
    for topic in &read.topics {
        if let Some(problem) = &topic.error {
            missing.push(problem.within(&format!("topic {}", topic.name)));
            continue;
        }
        let failed = topic
            .partitions
            .iter()
            .find_map(|partition| Some((partition.id, partition.first_problem()?)));
        if let Some((partition, problem)) = failed {
            missing.push(problem.within(&format!("topic {} partition {partition}", topic.name)));
        }
    }
    for group in &read.groups {
        let name = &group.group.listing.name;
        if let Some(problem) = group.group.error()
            && problem.kind != ProblemKind::Unsupported
        {
            missing.push(problem.within(&format!("group {name}")));
        }
    }
    missing
}
