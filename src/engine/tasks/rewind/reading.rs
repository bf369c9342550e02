//! What a plan rests on, as the bus has it now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bus::{Bus, Lookup, Seek};
use crate::engine::command::TopicsRequest;
use crate::engine::tasks::inventory;
use crate::model::{
    Bookmark, Commit, GroupListing, GroupType, Known, Member, Offset, Problem, ProblemKind, Text,
    Topic, TopicConfig, TopicName, TopicPartition,
};
use crate::rewind::plan::{Aim, RowFacts, Wanted};
use crate::rewind::target::Target;

/// A group as it is now.
#[derive(Clone, Debug)]
pub(super) struct GroupNow {
    /// What the list of groups says; `Ok(None)` when it is not among them.
    pub(super) listing: Known<Option<GroupListing>>,
    /// The state at this moment.
    pub(super) state: Option<String>,
    /// Who is in it; nobody when it does not exist.
    pub(super) members: Known<Vec<Member>>,
    /// What it has committed.
    pub(super) commits: Known<Vec<Commit>>,
}

/// The states in which a group has no members. `Dead` is what a bus without group types says of a group whose
/// members have left; a broker with group types says it of groups that are not of the kinds listed here.
const WITHOUT_MEMBERS: [&str; 2] = ["Empty", "Dead"];

impl GroupNow {
    /// Reads `name`.
    pub(super) async fn read(bus: &dyn Bus, name: &Text) -> Self {
        let listing = match bus.groups().await {
            Ok(list) => match list
                .groups
                .into_iter()
                .find(|listing| listing.name == *name)
            {
                Some(listing) => Ok(Some(listing)),
                None => list.missing.into_iter().next().map_or(Ok(None), |missing| {
                    Err(missing.within("it is not known whether the group exists"))
                }),
            },
            Err(problem) => Err(problem),
        };
        Self::of_listing(bus, name, listing).await
    }

    /// Reads what `listing` speaks of, without asking for the list again.
    pub(super) async fn of_listing(
        bus: &dyn Bus,
        name: &Text,
        listing: Known<Option<GroupListing>>,
    ) -> Self {
        let nobody = matches!(&listing, Ok(None));
        let keeps_none = matches!(&listing, Ok(Some(listing)) if listing.kind == GroupType::Share);
        let asked = listing.as_ref().ok().cloned().flatten();
        let members = async {
            match asked {
                None if nobody => (None, Ok(Vec::new())),
                asked => {
                    let asked = asked.unwrap_or_else(|| unlisted(name));
                    members_of(bus, asked).await
                }
            }
        };
        let commits = async {
            if keeps_none {
                return Ok(Vec::new());
            }
            let lost = || Problem::new(ProblemKind::Other, "the commits were not answered");
            let mut found = bus.commits(vec![name.clone()]).await.into_iter();
            found.next().unwrap_or_else(|| Err(lost()))
        };
        let ((state, members), commits) = tokio::join!(members, commits);
        Self {
            listing,
            state,
            members,
            commits,
        }
    }

    /// Whether nobody is in it; `None` when that is not known.
    pub(super) fn is_empty(&self) -> Option<bool> {
        let members = self.members.as_ref().ok()?;
        if !members.is_empty() {
            return Some(false);
        }
        // Between two generations a group has members that are not told.
        Some(
            self.state
                .as_deref()
                .is_none_or(|state| WITHOUT_MEMBERS.contains(&state)),
        )
    }

    /// The bookmark in each partition in which there is one.
    pub(super) fn bookmarks(&self) -> BTreeMap<TopicPartition, Bookmark> {
        let commits = self.commits.as_deref().unwrap_or_default();
        commits
            .iter()
            .filter_map(|commit| Some((commit.at.clone(), Bookmark::of(commit)?)))
            .collect()
    }
}

fn unlisted(name: &Text) -> GroupListing {
    GroupListing {
        name: name.clone(),
        kind: GroupType::Unknown,
        protocol_type: None,
        state: None,
        coordinator: None,
    }
}

async fn members_of(bus: &dyn Bus, listing: GroupListing) -> (Option<String>, Known<Vec<Member>>) {
    let lost = || Problem::new(ProblemKind::Other, "the members were not answered");
    match bus.members(vec![listing]).await.into_iter().next() {
        Some(Ok(members)) => (members.state, members.members),
        Some(Err(problem)) => (None, Err(problem)),
        None => (None, Err(lost())),
    }
}

/// These topics with their ends and settings; one that is not there carries its error.
pub(super) async fn topics(
    bus: &dyn Bus,
    names: BTreeSet<TopicName>,
) -> Known<BTreeMap<TopicName, Arc<Topic>>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let request = TopicsRequest {
        topics: names.into_iter().collect(),
        internal: true,
    };
    let reply = inventory::topics(bus, &request).await?;
    Ok(reply
        .topics
        .into_iter()
        .map(|topic| (Arc::clone(&topic.name), topic))
        .collect())
}

/// What is known of each wanted partition: ends, bookmark, and what its target came to.
pub(super) async fn facts(
    bus: &dyn Bus,
    wanted: &[Wanted],
    group: &GroupNow,
    topics: &BTreeMap<TopicName, Arc<Topic>>,
    others: &BTreeMap<Text, Known<Vec<Commit>>>,
) -> BTreeMap<TopicPartition, RowFacts> {
    let bookmarks = group.commits.as_ref().map(|_| group.bookmarks());
    let unreadable: BTreeMap<&TopicPartition, &Problem> = group
        .commits
        .iter()
        .flatten()
        .filter_map(|commit| Some((&commit.at, commit.offset.as_ref().err()?)))
        .collect();
    let mut times = times(bus, wanted, topics).await;
    wanted
        .iter()
        .map(|want| {
            let committed = match (&bookmarks, unreadable.get(&want.at)) {
                (Err(problem), _) | (Ok(_), Some(problem)) => Err((*problem).clone()),
                (Ok(bookmarks), None) => Ok(bookmarks.get(&want.at).cloned()),
            };
            let aim = match &want.target {
                Target::Time(_) => times.remove(&want.at),
                Target::Group(other) => Some(place_of(others.get(other), &want.at)),
                _ => None,
            };
            let topic = topics.get(&want.at.topic);
            (want.at.clone(), row_facts(topic, &want.at, committed, aim))
        })
        .collect()
}

/// The facts of one partition.
pub(super) fn row_facts(
    topic: Option<&Arc<Topic>>,
    at: &TopicPartition,
    committed: Known<Option<Bookmark>>,
    aim: Option<Known<Aim>>,
) -> RowFacts {
    let gone = || {
        Problem::new(
            ProblemKind::NotFound,
            "there is no such partition (any more)",
        )
    };
    let partition = topic.and_then(|topic| {
        topic
            .partitions
            .iter()
            .find(|partition| partition.id == at.partition)
    });
    let why = topic
        .and_then(|topic| topic.error.clone())
        .unwrap_or_else(gone);
    let end = |of: fn(&crate::model::Partition) -> Known<Offset>| match partition {
        None => Err(why.clone()),
        Some(partition) => match &partition.error {
            Some(problem) => Err(problem.clone()),
            None => of(partition),
        },
    };
    RowFacts {
        topic_id: topic.and_then(|topic| topic.topic_id.clone()),
        log_start: end(|partition| partition.log_start.clone()),
        end: end(|partition| partition.high_watermark.clone()),
        committed,
        aim,
        retention_ms: topic
            .and_then(|topic| topic.config.as_ref().ok())
            .and_then(kept_for),
    }
}

/// For how long a topic keeps its records, in milliseconds; negative where none is deleted for its age.
fn kept_for(config: &TopicConfig) -> Option<i64> {
    let policy = config.cleanup_policy.as_deref();
    let deletes = policy.is_none_or(|policy| policy.split(',').any(|part| part.trim() == "delete"));
    if deletes {
        config.retention_ms
    } else {
        Some(-1)
    }
}

fn place_of(commits: Option<&Known<Vec<Commit>>>, at: &TopicPartition) -> Known<Aim> {
    let commits = match commits {
        Some(Ok(commits)) => commits,
        Some(Err(problem)) => return Err(problem.clone()),
        None => return Ok(Aim::Bookmark(None)),
    };
    match commits.iter().find(|commit| commit.at == *at) {
        None => Ok(Aim::Bookmark(None)),
        Some(commit) => commit
            .offset
            .clone()
            .map(|_| Aim::Bookmark(Bookmark::of(commit))),
    }
}

/// The first offset at or after the time that each partition aims at. Partitions without a leader are not asked.
async fn times(
    bus: &dyn Bus,
    wanted: &[Wanted],
    topics: &BTreeMap<TopicName, Arc<Topic>>,
) -> BTreeMap<TopicPartition, Known<Aim>> {
    let answers = |at: &TopicPartition| {
        topics.get(&at.topic).is_some_and(|topic| {
            topic
                .partitions
                .iter()
                .any(|partition| partition.id == at.partition && partition.ends().is_some())
        })
    };
    let lookups: Vec<Lookup> = wanted
        .iter()
        .filter_map(|want| match want.target {
            Target::Time(time) if answers(&want.at) => Some(Lookup {
                at: want.at.clone(),
                seek: Seek::AtOrAfter(time),
            }),
            _ => None,
        })
        .collect();
    if lookups.is_empty() {
        return BTreeMap::new();
    }
    let places: Vec<TopicPartition> = lookups.iter().map(|lookup| lookup.at.clone()).collect();
    let found = bus
        .look_up(lookups)
        .await
        .into_iter()
        .map(|found| found.map(|found| found.offset.map_or(Aim::NoLaterRecord, Aim::Found)));
    places.into_iter().zip(found).collect()
}
