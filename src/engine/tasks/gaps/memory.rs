//! What was seen of a cluster before: read from the file once, kept there as it changes, and followed in here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::event::GroupPlaces;
use crate::engine::tasks::rewind::on_disk;
use crate::inspect::lag::Place;
use crate::model::{
    CommitMove, Committed, Group, HistorySource, Known, KnownTopic, Observations, Offset,
    PartitionId, Problem, Remembered, SeenCommit, SeenPartition, SeenTopic, Sighting, Text,
    TimestampMs, Topic, TopicName, TopicPartition,
};

/// How often topics whose ends have moved are kept.
const ENDS_MS: i64 = 60_000;
/// Moves that are followed of one place.
const MOVES: usize = 500;

/// What is remembered of one cluster.
#[derive(Debug, Default)]
pub(super) struct Memory {
    cluster: Option<String>,
    kept: Remembered,
    /// The committed offsets as they were last seen.
    commits: BTreeMap<(Text, TopicPartition), Offset>,
    /// Whether the groups had members at the last reading.
    had_members: BTreeMap<Text, bool>,
    /// When the topics were last kept.
    topics_at: Option<TimestampMs>,
    /// Why nothing is kept, or was not read.
    pub(super) problem: Option<Problem>,
}

impl Memory {
    /// What is known from before.
    pub(super) fn kept(&self) -> &Remembered {
        &self.kept
    }

    /// The cluster, once it is known.
    pub(super) fn cluster(&self) -> Option<&str> {
        self.cluster.as_deref()
    }

    /// Reads what is kept of `cluster`, once.
    pub(super) async fn open(
        &mut self,
        observations: &Known<Arc<dyn Observations>>,
        cluster: Option<String>,
    ) {
        if self.cluster.is_some() || cluster.is_none() {
            return;
        }
        let read = match (observations.clone(), cluster.clone()) {
            (Ok(observations), Some(cluster)) => {
                on_disk(move || observations.remembered(&cluster)).await
            }
            (Err(problem), _) => Err(problem),
            (_, None) => return,
        };
        self.cluster = cluster;
        match read {
            Ok(kept) => self.take(kept),
            Err(problem) => self.problem = Some(problem),
        }
    }

    fn take(&mut self, kept: Remembered) {
        for (group, history) in &kept.history.groups {
            for (at, place) in &history.places {
                let last = place.moves.last().and_then(|last| last.to.as_ref());
                if let Some(last) = last {
                    self.commits
                        .insert((group.clone(), at.clone()), last.offset);
                }
            }
        }
        self.kept = kept;
    }

    /// Keeps what is new in what was read at `now`, here and in the file. `whole` says that a group which is not among
    /// `groups` is not there any more.
    pub(super) async fn see(
        &mut self,
        observations: &Known<Arc<dyn Observations>>,
        now: TimestampMs,
        topics: &[Arc<Topic>],
        (groups, whole): (&[GroupPlaces], bool),
    ) {
        let Some(cluster) = self.cluster.clone() else {
            return;
        };
        let ids: BTreeMap<&TopicName, &String> = topics
            .iter()
            .filter_map(|topic| Some((&topic.name, topic.topic_id.as_ref()?)))
            .collect();
        let commits = self.moved(groups, whole, &ids);
        self.had_members = groups
            .iter()
            .filter_map(|group| {
                Some((group.group.listing.name.clone(), has_members(&group.group)?))
            })
            .collect();
        let topics = self.topics(now, topics);
        if commits.is_empty() && topics.is_empty() {
            return;
        }
        let sighting = Sighting {
            cluster,
            at: now,
            topics,
            commits,
        };
        self.follow(&sighting);
        let kept = match observations.clone() {
            Ok(observations) => on_disk(move || observations.see(&sighting)).await,
            Err(problem) => Err(problem),
        };
        self.problem = kept.err();
    }

    /// The committed offsets that are others than before, and those that are gone.
    fn moved(
        &self,
        groups: &[GroupPlaces],
        whole: bool,
        ids: &BTreeMap<&TopicName, &String>,
    ) -> Vec<SeenCommit> {
        let mut seen = Vec::new();
        let mut here: BTreeMap<&Text, Here<'_>> = BTreeMap::new();
        for group in groups {
            let name = &group.group.listing.name;
            if group.group.commits.is_err() {
                here.insert(name, Here::Unknown);
                continue;
            }
            let committed = |place: &&Place| place.committed != Ok(None);
            let places = group.places.iter().filter(committed);
            here.insert(name, Here::At(places.map(|place| &place.at).collect()));
            let had_members = self.had_members_meanwhile(name, has_members(&group.group));
            for place in &group.places {
                let Ok(Some(offset)) = place.committed else {
                    continue;
                };
                let before = self.commits.get(&(name.clone(), place.at.clone()));
                let topic_id = ids.get(&place.at.topic).filter(|_| before != Some(&offset));
                let Some(topic_id) = topic_id else { continue };
                seen.push(SeenCommit {
                    offset: Some(offset),
                    leader_epoch: place.leader_epoch,
                    end: place.high_watermark.as_ref().ok().copied(),
                    had_members,
                    ..nowhere(name, &place.at, topic_id)
                });
            }
        }
        let gone = self
            .commits
            .keys()
            .filter(|(group, at)| match here.get(group) {
                Some(Here::Unknown) => false,
                Some(Here::At(places)) => !places.contains(at),
                None => whole,
            });
        let known = gone.filter_map(|(group, at)| Some(nowhere(group, at, ids.get(&at.topic)?)));
        seen.extend(known);
        seen
    }

    /// Whether a group that has members now, or has none, had some since the last reading: who commits and leaves is
    /// gone when the commit is seen. `None` when that is not known.
    fn had_members_meanwhile(&self, group: &Text, now: Option<bool>) -> Option<bool> {
        match (self.had_members.get(group), now?) {
            (_, true) | (Some(true), _) => Some(true),
            (Some(false), false) => Some(false),
            (None, false) => None,
        }
    }

    /// The topics, when it is time to keep them; else those that are new, made anew or have other partitions.
    fn topics(&self, now: TimestampMs, topics: &[Arc<Topic>]) -> Vec<SeenTopic> {
        let is_time = self.topics_at.is_none_or(|at| now.since_ms(at) >= ENDS_MS);
        topics
            .iter()
            .filter(|topic| topic.error.is_none())
            .filter_map(|topic| seen(topic))
            .filter(|seen| {
                let known = self.kept.topics.iter().find(|known| {
                    known.seen.name == seen.name && known.seen.topic_id == seen.topic_id
                });
                is_time || known.is_none_or(|known| known.seen.count != seen.count)
            })
            .collect()
    }

    /// Follows a sighting in here, as the file does.
    fn follow(&mut self, sighting: &Sighting) {
        for topic in &sighting.topics {
            self.follow_topic(sighting.at, topic);
        }
        if !sighting.topics.is_empty() {
            self.topics_at = Some(sighting.at);
        }
        for commit in &sighting.commits {
            self.follow_commit(sighting.at, commit);
        }
    }

    fn follow_topic(&mut self, at: TimestampMs, seen: &SeenTopic) {
        let same = |known: &&mut KnownTopic| {
            known.seen.name == seen.name && known.seen.topic_id == seen.topic_id
        };
        if let Some(known) = self.kept.topics.iter_mut().find(same) {
            if known.seen.count != seen.count {
                known
                    .earlier_counts
                    .push((known.last_seen, known.seen.count));
            }
            known.seen = furthest(&known.seen, seen);
            known.last_seen = at;
            return;
        }
        self.kept.topics.push(KnownTopic {
            seen: seen.clone(),
            first_seen: at,
            last_seen: at,
            earlier_counts: Vec::new(),
        });
        self.kept
            .topics
            .sort_by(|a, b| (&a.seen.name, a.first_seen).cmp(&(&b.seen.name, b.first_seen)));
    }

    fn follow_commit(&mut self, at: TimestampMs, seen: &SeenCommit) {
        let place = TopicPartition {
            topic: seen.topic.clone(),
            partition: seen.partition,
        };
        let history = &mut self.kept.history;
        if history.coverage.source == HistorySource::None {
            history.coverage.source = HistorySource::Readings;
            history.coverage.since = Some(at);
        }
        history.coverage.commits = history.coverage.commits.saturating_add(1);
        let group = Arc::make_mut(history.groups.entry(seen.group.clone()).or_default());
        let kept = group.places.entry(place.clone()).or_default();
        kept.moves.push(CommitMove {
            at,
            to: seen.offset.map(|offset| Committed {
                offset,
                leader_epoch: seen.leader_epoch,
                metadata: Text::from(""),
            }),
            had_members: seen.had_members,
            end: seen.end,
        });
        if kept.moves.len() > MOVES {
            kept.moves.remove(0);
            kept.shortened = true;
        }
        kept.last_commit = Some(at);
        let key = (seen.group.clone(), place);
        match seen.offset {
            Some(offset) => self.commits.insert(key, offset),
            None => self.commits.remove(&key),
        };
    }
}

/// A topic as it is seen now, with the furthest ends that its partitions ever had: what is lost is not forgotten because
/// it was seen once.
fn furthest(before: &SeenTopic, now: &SeenTopic) -> SeenTopic {
    let mut seen = now.clone();
    for partition in &mut seen.partitions {
        let mut before = before.partitions.iter();
        if let Some(before) = before.find(|before| before.id == partition.id) {
            partition.high_watermark = partition.high_watermark.max(before.high_watermark);
        }
    }
    let is_unknown = |before: &&SeenPartition| {
        let mut now = now.partitions.iter();
        !now.any(|now| now.id == before.id)
    };
    let unknown = before.partitions.iter().filter(is_unknown);
    seen.partitions.extend(unknown.copied());
    seen
}

/// Where a group has committed now.
enum Here<'a> {
    /// In these partitions.
    At(BTreeSet<&'a TopicPartition>),
    /// That could not be read.
    Unknown,
}

fn has_members(group: &Group) -> Option<bool> {
    let members = group.members.as_ref().ok()?.members.as_ref().ok()?;
    Some(!members.is_empty())
}

/// No committed offset any more.
fn nowhere(group: &Text, at: &TopicPartition, topic_id: &str) -> SeenCommit {
    SeenCommit {
        group: group.clone(),
        topic: Arc::clone(&at.topic),
        topic_id: topic_id.to_owned(),
        partition: at.partition,
        offset: None,
        leader_epoch: None,
        end: None,
        had_members: None,
    }
}

fn seen(topic: &Topic) -> Option<SeenTopic> {
    let partitions = topic.partitions.iter().filter_map(|partition| {
        let (log_start, high_watermark) = partition.ends()?;
        Some(SeenPartition {
            id: partition.id,
            log_start,
            high_watermark,
        })
    });
    let numbers = topic.partitions.iter().map(|partition| partition.id);
    let count = numbers.max().map_or(0, |PartitionId(last)| {
        u32::try_from(last.saturating_add(1)).unwrap_or_default()
    });
    Some(SeenTopic {
        name: Arc::clone(&topic.name),
        topic_id: topic.topic_id.clone()?,
        partitions: partitions.collect(),
        count,
    })
}
