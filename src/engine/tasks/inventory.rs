//! Topics with their ends, groups with their places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bus::{Bus, Lookup, ReadRange, Seek};
use crate::engine::command::{GroupsRequest, TopicsRequest};
use crate::engine::event::{GroupPlaces, GroupsReply, TopicsReply};
use crate::inspect::lag::Place;
use crate::model::{
    Commit, Group, GroupListing, GroupType, Known, Offset, Partition, Problem, ProblemKind, Text,
    Topic, TopicName, TopicPartition,
};

/// The topics asked for, sorted by name, with settings, partitions and ends.
pub(in crate::engine) async fn topics(
    bus: &dyn Bus,
    request: &TopicsRequest,
) -> Known<TopicsReply> {
    let all = request.topics.is_empty();
    let names: Vec<TopicName> = if all {
        bus.topic_names().await?
    } else {
        {
            let unique: BTreeSet<TopicName> = request.topics.iter().cloned().collect();
            unique.into_iter().collect()
        }
    };
    let mut topics = bus.topics(names).await;
    if all && !request.internal {
        topics.retain(|topic| !topic.internal);
    }
    let readable: Vec<TopicName> = topics
        .iter()
        .filter(|topic| topic.error.is_none())
        .map(|topic| Arc::clone(&topic.name))
        .collect();
    let (configs, ()) = tokio::join!(
        bus.topic_configs(readable.clone()),
        fill_ends(bus, &mut topics)
    );
    let mut configs: BTreeMap<TopicName, _> = readable.into_iter().zip(configs).collect();
    for topic in &mut topics {
        if let Some(config) = configs.remove(&topic.name) {
            topic.config = config;
        }
    }
    Ok(TopicsReply {
        topics: topics.into_iter().map(Arc::new).collect(),
    })
}

/// Looks up where the partitions of `topics` begin and end; those whose error is known already are left alone.
pub(in crate::engine) async fn fill_ends(bus: &dyn Bus, topics: &mut [Topic]) {
    let open: Vec<TopicPartition> = topics
        .iter()
        .flat_map(|topic| {
            let healthy = topic
                .partitions
                .iter()
                .filter(|partition| partition.error.is_none());
            healthy.map(|partition| topic.at(partition.id))
        })
        .collect();
    // The high watermark last, so that it is never before the other two.
    let starts = ends(bus, &open, Seek::LogStart);
    let stables = ends(bus, &open, Seek::LastStable);
    let (mut starts, mut stables) = tokio::join!(starts, stables);
    // A leader that did not answer is not waited for twice.
    let (answered, silent): (Vec<_>, Vec<_>) = open
        .into_iter()
        .partition(|at| matches!(starts.get(at), Some(Ok(_))));
    let mut highs = ends(bus, &answered, Seek::HighWatermark).await;
    for at in silent {
        if let Some(Err(problem)) = starts.get(&at) {
            highs.insert(at, Err(problem.clone()));
        }
    }
    for topic in topics {
        for partition in &mut topic.partitions {
            let at = TopicPartition {
                topic: Arc::clone(&topic.name),
                partition: partition.id,
            };
            let fields = [
                (&mut partition.log_start, &mut starts),
                (&mut partition.last_stable, &mut stables),
                (&mut partition.high_watermark, &mut highs),
            ];
            for (field, found) in fields {
                if let Some(offset) = found.remove(&at) {
                    *field = offset;
                }
            }
        }
    }
}

/// One end of each partition.
pub(in crate::engine) async fn ends(
    bus: &dyn Bus,
    partitions: &[TopicPartition],
    seek: Seek,
) -> BTreeMap<TopicPartition, Known<Offset>> {
    let lookups = partitions
        .iter()
        .map(|at| Lookup {
            at: at.clone(),
            seek,
        })
        .collect();
    let found = bus.look_up(lookups).await;
    partitions
        .iter()
        .cloned()
        .zip(
            found
                .into_iter()
                .map(|found| found.and_then(|found| found.offset.ok_or_else(no_offset))),
        )
        .collect()
}

fn no_offset() -> Problem {
    Problem::new(
        ProblemKind::TimedOut,
        "the partition's leader names no offset",
    )
}

/// The groups asked for, sorted by name, with members, commits and places.
pub(in crate::engine) async fn groups(
    bus: &dyn Bus,
    request: &GroupsRequest,
) -> Known<GroupsReply> {
    let list = bus.groups().await?;
    let wanted: BTreeSet<&Text> = request.groups.iter().collect();
    let mut listings = list.groups;
    if !wanted.is_empty() {
        listings.retain(|listing| wanted.contains(&listing.name));
    }
    let (members, commits) = tokio::join!(bus.members(listings.clone()), commits(bus, &listings));
    let mut groups: Vec<Group> = listings
        .into_iter()
        .zip(members)
        .zip(commits)
        .map(|((listing, members), commits)| Group {
            listing,
            members,
            commits,
        })
        .collect();
    let listed: BTreeSet<Text> = groups
        .iter()
        .map(|group| group.listing.name.clone())
        .collect();
    let absent = wanted.into_iter().filter(|name| !listed.contains(*name));
    groups.extend(absent.map(|name| absent_group(name, &list.missing)));
    groups.sort_by(|a, b| a.listing.name.cmp(&b.listing.name));
    let mut groups = place(bus, groups).await;
    if request.times {
        fill_times(bus, &mut groups).await;
    }
    Ok(GroupsReply {
        groups,
        missing: list.missing,
    })
}

async fn commits(bus: &dyn Bus, listings: &[GroupListing]) -> Vec<Known<Vec<Commit>>> {
    let keeps = |listing: &&GroupListing| listing.kind != GroupType::Share;
    let asked = listings
        .iter()
        .filter(keeps)
        .map(|listing| listing.name.clone())
        .collect();
    let mut found = bus.commits(asked).await.into_iter();
    let none = || {
        Problem::new(
            ProblemKind::Unsupported,
            "share groups keep no committed offset: their records are handed out one by one",
        )
    };
    let lost = || Problem::new(ProblemKind::Other, "the commits were not answered");
    listings
        .iter()
        .map(|listing| {
            if keeps(&listing) {
                found.next().unwrap_or_else(|| Err(lost()))
            } else {
                Err(none())
            }
        })
        .collect()
}

/// A group that was named and is not there.
fn absent_group(name: &Text, missing: &[Problem]) -> Group {
    let problem = match missing.first() {
        None => Problem::new(ProblemKind::NotFound, "there is no such group"),
        Some(why) => Problem::new(
            ProblemKind::NotFound,
            format!("there is no such group among those that could be listed ({why})"),
        ),
    };
    Group {
        listing: GroupListing {
            name: name.clone(),
            kind: GroupType::Unknown,
            protocol_type: None,
            state: None,
            coordinator: None,
        },
        members: Err(problem.clone()),
        commits: Err(problem),
    }
}

/// Adds the places of each group: every commit, and every partition assigned and never committed.
async fn place(bus: &dyn Bus, groups: Vec<Group>) -> Vec<GroupPlaces> {
    let commits: Vec<Vec<Commit>> = groups.iter().map(commits_and_assignments).collect();
    let names: BTreeSet<TopicName> = commits
        .iter()
        .flatten()
        .map(|commit| Arc::clone(&commit.at.topic))
        .collect();
    let mut topics = bus.topics(names.into_iter().collect()).await;
    let wanted: BTreeSet<&TopicPartition> =
        commits.iter().flatten().map(|commit| &commit.at).collect();
    for topic in &mut topics {
        let name = Arc::clone(&topic.name);
        topic.partitions.retain(|partition| {
            wanted.contains(&TopicPartition {
                topic: Arc::clone(&name),
                partition: partition.id,
            })
        });
    }
    fill_ends(bus, &mut topics).await;
    let mut ends: BTreeMap<TopicPartition, Partition> = BTreeMap::new();
    let mut lost: BTreeMap<TopicName, Problem> = BTreeMap::new();
    for topic in topics {
        if let Some(problem) = topic.error {
            lost.insert(Arc::clone(&topic.name), problem);
        }
        for partition in topic.partitions {
            let at = TopicPartition {
                topic: Arc::clone(&topic.name),
                partition: partition.id,
            };
            ends.insert(at, partition);
        }
    }
    let mut placed: Vec<GroupPlaces> = groups
        .into_iter()
        .zip(commits)
        .map(|(group, commits)| GroupPlaces {
            group: Arc::new(group),
            places: commits
                .iter()
                .map(|commit| match lost.get(&commit.at.topic) {
                    Some(problem) => Place::new(commit, Err(problem.clone()), Err(problem.clone())),
                    None => Place::in_partition(commit, ends.get(&commit.at)),
                })
                .collect(),
        })
        .collect();
    read_ends_again(bus, &mut placed).await;
    placed
}

/// A commit may be newer than the end it is compared with, so an end that lies before a commit is read twice.
async fn read_ends_again(bus: &dyn Bus, groups: &mut [GroupPlaces]) {
    let beyond: BTreeSet<TopicPartition> = groups
        .iter()
        .flat_map(|group| &group.places)
        .filter(|place| place.is_beyond_end())
        .map(|place| place.at.clone())
        .collect();
    if beyond.is_empty() {
        return;
    }
    let beyond: Vec<TopicPartition> = beyond.into_iter().collect();
    let again = ends(bus, &beyond, Seek::HighWatermark).await;
    for place in groups.iter_mut().flat_map(|group| &mut group.places) {
        if let Some(end) = again.get(&place.at) {
            place.high_watermark = end.clone();
        }
    }
}

fn commits_and_assignments(group: &Group) -> Vec<Commit> {
    let mut commits = group.commits.as_ref().cloned().unwrap_or_default();
    if group.commits.is_err() {
        return commits;
    }
    let members = group
        .members
        .as_ref()
        .ok()
        .and_then(|members| members.members.as_ref().ok());
    let assigned: BTreeSet<TopicPartition> = members
        .into_iter()
        .flatten()
        .flat_map(|member| &member.assignment)
        .flat_map(|assignment| {
            assignment
                .partitions
                .iter()
                .map(|partition| TopicPartition {
                    topic: Arc::clone(&assignment.topic),
                    partition: *partition,
                })
        })
        .collect();
    for at in assigned {
        if group.commit(&at).is_none() {
            commits.push(Commit {
                at,
                offset: Ok(None),
                leader_epoch: None,
                metadata: Text::from(""),
            });
        }
    }
    commits.sort_by(|a, b| a.at.cmp(&b.at));
    commits
}

/// Reads the time of each place's next record. Each distinct place is read once.
async fn fill_times(bus: &dyn Bus, groups: &mut [GroupPlaces]) {
    let places: BTreeSet<(TopicPartition, Offset, Offset)> = groups
        .iter()
        .flat_map(|group| &group.places)
        .filter_map(next_of)
        .collect();
    let ranges = places
        .iter()
        .map(|(at, from, to)| ReadRange {
            at: at.clone(),
            from: *from,
            to: Some(*to),
        })
        .collect();
    let heads: BTreeMap<_, _> = places
        .into_iter()
        .zip(bus.first_records(ranges).await)
        .collect();
    for place in groups.iter_mut().flat_map(|group| &mut group.places) {
        place.next = match next_of(place) {
            Some(next) => heads.get(&next).cloned(),
            None if place.lag() == Ok(Some(0)) => Some(Ok(None)),
            None => None,
        };
    }
}

fn next_of(place: &Place) -> Option<(TopicPartition, Offset, Offset)> {
    place
        .reads_next()
        .map(|(from, to)| (place.at.clone(), from, to))
}
