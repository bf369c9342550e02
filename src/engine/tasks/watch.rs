//! Keeping the inventory of the window fresh: topics, ends, groups, places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::bus::{Bus, ReadRange};
use crate::engine::SessionId;
use crate::engine::command::{GroupsRequest, TopicsRequest};
use crate::engine::event::{GroupPlaces, GroupsReply};
use crate::engine::publish::Publisher;
use crate::engine::snapshot::{Connection, Heads};
use crate::model::{
    Clock, Cluster, Group, GroupListing, Known, Offset, Problem, ProblemKind, Text, Topic,
    TopicName, TopicPartition,
};

use super::near::{self, LookedAt};
use super::{inventory, sampling, tails};

/// How long to rest between two refreshes at least.
const REST: Duration = Duration::from_secs(4);
/// A refresh that took long is followed by a rest this many times as long: a fifth of the time is spent asking.
const REST_FACTOR: u32 = 4;
/// How often a sign of life is asked for.
const BEAT: Duration = Duration::from_secs(3);
/// How long it may take.
const SIGN_OF_LIFE: Duration = Duration::from_secs(4);
/// How often settings and the range of the bulk are read again.
const SLOW: Duration = Duration::from_mins(1);
/// How long after a broker has left or come back groups that are not listed are taken for unknown, not for gone.
const SETTLING: Duration = Duration::from_secs(45);
/// How many unknown places are read in one refresh.
const PLACES: usize = 2_000;

/// Refreshes until the session is over and the task is aborted.
pub(in crate::engine) async fn watch(
    bus: Arc<dyn Bus>,
    publisher: Arc<Publisher>,
    session: SessionId,
    clock: Clock,
    looked_at: LookedAt,
    refreshed: tokio::sync::watch::Sender<u64>,
) {
    let back = Notify::new();
    let showing = Showing {
        publisher: &publisher,
        session,
        clock,
        group: looked_at.group.clone(),
    };
    let changed_at = Mutex::new(None);
    tokio::join!(
        refresh(&*bus, &showing, &refreshed, (&back, &changed_at)),
        heartbeat(&*bus, &publisher, session, (&back, &changed_at)),
        near::keep_fresh(&*bus, &publisher, (session, clock), &looked_at, &refreshed)
    );
}

/// Where what was read is shown.
struct Showing<'a> {
    publisher: &'a Publisher,
    session: SessionId,
    clock: Clock,
    /// The group that is looked at.
    group: tokio::sync::watch::Receiver<Option<Text>>,
}

impl Showing<'_> {
    /// Keeps what was read of `groups` just now; `None` when they could not be read. Nobody is woken for it: what
    /// changed on the bus is told besides. Only the first two readings are news, for together they make a line.
    fn sample(&self, groups: Option<&[GroupPlaces]>) {
        let known = Arc::clone(&self.publisher.snapshot().samples);
        let chosen = self.group.borrow().clone();
        let at = self.clock.now();
        let next = Arc::new(sampling::sampled(&known, at, groups, chosen.as_ref()));
        if next.readings() <= 2 {
            self.publisher
                .update(self.session, |snapshot| snapshot.samples = next);
        } else {
            self.publisher
                .update_quietly(self.session, |snapshot| snapshot.samples = next);
        }
    }
}

/// Asks for the cluster again and again: the cheapest sign of life. Wakes `back` when it returns.
async fn heartbeat(
    bus: &dyn Bus,
    publisher: &Publisher,
    session: SessionId,
    (back, changed_at): (&Notify, &Mutex<Option<Instant>>),
) {
    let mut lost = false;
    loop {
        let problem = match tokio::time::timeout(SIGN_OF_LIFE, bus.cluster()).await {
            Ok(Ok(cluster)) => {
                // A broker has left or come: much of what is shown is different now.
                if show_cluster(publisher, session, cluster) {
                    *changed_at.lock() = Some(Instant::now());
                    back.notify_one();
                }
                None
            }
            Ok(Err(problem)) => Some(problem),
            Err(_elapsed) => Some(Problem::new(
                ProblemKind::TimedOut,
                format!("no broker answers within {} s", SIGN_OF_LIFE.as_secs()),
            )),
        };
        if lost && problem.is_none() {
            back.notify_one();
        }
        lost = problem.is_some();
        degraded(publisher, session, problem);
        tokio::time::sleep(BEAT).await;
    }
}

/// Shows the cluster; whether its brokers are others than before.
fn show_cluster(publisher: &Publisher, session: SessionId, cluster: Cluster) -> bool {
    let shown = publisher.snapshot().inventory.cluster.clone();
    let before = match &shown {
        Some(Ok(shown)) if **shown == cluster => return false,
        Some(Ok(shown)) => Some(&shown.brokers),
        _ => None,
    };
    let changed = before.is_some_and(|before| *before != cluster.brokers);
    let cluster = Arc::new(cluster);
    publisher.update(session, |snapshot| {
        Arc::make_mut(&mut snapshot.inventory).cluster = Some(Ok(cluster));
    });
    changed
}

/// Reads everything again and again, with a rest in between.
async fn refresh(
    bus: &dyn Bus,
    showing: &Showing<'_>,
    refreshed: &tokio::sync::watch::Sender<u64>,
    (back, changed_at): (&Notify, &Mutex<Option<Instant>>),
) {
    let (publisher, session, clock) = (showing.publisher, showing.session, showing.clock);
    let mut bulk_at: Option<Instant> = None;
    loop {
        let started = Instant::now();
        let topics = topics(bus, publisher, session, clock).await;
        let mut rest = REST;
        if let Ok(topics) = &topics {
            let settling = (*changed_at.lock()).is_some_and(|at| at.elapsed() < SETTLING);
            groups(bus, showing, settling).await;
            if bulk_at.is_none_or(|at| at.elapsed() > SLOW) {
                let found = tails::find_bulk(bus, &ends_of(topics), clock.now()).await;
                bulk_at = found.map(|_| Instant::now());
                publisher.update(session, |snapshot| {
                    if found.is_some() && snapshot.inventory.bulk != found {
                        Arc::make_mut(&mut snapshot.inventory).bulk = found;
                    }
                });
            }
            places(bus, publisher, session).await;
            rest = started.elapsed().saturating_mul(REST_FACTOR).max(REST);
        } else {
            showing.sample(None);
        }
        refreshed.send_modify(|count| *count = count.wrapping_add(1));
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            () = back.notified() => {}
        }
    }
}

/// Says whether what is shown may be old.
fn degraded(publisher: &Publisher, session: SessionId, problem: Option<Problem>) {
    let same = match &publisher.snapshot().connection {
        Connection::Connected { degraded, .. } => *degraded == problem,
        _ => true,
    };
    if !same {
        publisher.update(session, |snapshot| {
            if let Connection::Connected { degraded, .. } = &mut snapshot.connection {
                *degraded = problem;
            }
        });
    }
}

async fn topics(
    bus: &dyn Bus,
    publisher: &Publisher,
    session: SessionId,
    clock: Clock,
) -> Known<Vec<Arc<Topic>>> {
    let asked = Instant::now();
    let known = Arc::clone(&publisher.snapshot().inventory);
    let answer = match bus.topic_names().await {
        Ok(names) => {
            // What is kept fresh by itself is not asked for a second time.
            let rest: Vec<TopicName> = names
                .iter()
                .filter(|name| !near::is_fresh(&known, name, asked))
                .cloned()
                .collect();
            let request = TopicsRequest {
                topics: rest,
                internal: true,
            };
            // No names would mean all of them.
            let read = if request.topics.is_empty() {
                Ok(Vec::new())
            } else {
                inventory::topics(bus, &request)
                    .await
                    .map(|answer| answer.topics)
            };
            read.map(|read| (names, read))
        }
        Err(problem) => Err(problem),
    };
    match answer {
        Ok((names, read)) => {
            near::show_whole(publisher, (session, clock), (&names, &read), asked);
            Ok(publisher.snapshot().inventory.topics().to_vec())
        }
        Err(problem) => {
            // What was known stays, marked as old by the connection's state.
            publisher.update(session, |snapshot| {
                if snapshot.inventory.topics.is_none() {
                    let inventory = Arc::make_mut(&mut snapshot.inventory);
                    inventory.topics = Some(Err(problem.clone()));
                }
            });
            Err(problem)
        }
    }
}

async fn groups(bus: &dyn Bus, showing: &Showing<'_>, settling: bool) {
    let asked = Instant::now();
    let mut answer = inventory::groups(bus, &GroupsRequest::default()).await;
    if settling && let Ok(answer) = &mut answer {
        let known = Arc::clone(&showing.publisher.snapshot().inventory);
        let why = not_listed_yet(answer, known.groups());
        answer.missing.extend(why);
    }
    if let Ok(answer) = &mut answer {
        keep_lost(answer, showing.publisher.snapshot().inventory.groups());
    }
    showing.sample(answer.as_ref().ok().map(|answer| answer.groups.as_slice()));
    showing.publisher.update(showing.session, |snapshot| {
        let known = Arc::clone(&snapshot.density.heads);
        if let Ok(answer) = &mut answer {
            near::keep_newer_group(&mut answer.groups, &snapshot.inventory, asked);
            fill_known(&mut answer.groups, &known);
            let shown = &snapshot.inventory;
            let same = matches!(&shown.groups, Some(Ok(groups)) if *groups == answer.groups);
            if same && shown.groups_missing == answer.missing {
                return;
            }
        }
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        match answer {
            Ok(answer) => {
                inventory.groups = Some(Ok(answer.groups));
                inventory.groups_missing = answer.missing;
            }
            Err(problem) if inventory.groups.is_none() => inventory.groups = Some(Err(problem)),
            Err(problem) => inventory.groups_missing = vec![problem],
        }
    });
}

/// Why fewer groups than were known may be no news: a broker that has just come back lists none of those that it
/// coordinates until it has read them.
fn not_listed_yet(answer: &GroupsReply, known: &[GroupPlaces]) -> Option<Problem> {
    let listed: BTreeSet<&Text> = answer
        .groups
        .iter()
        .map(|group| &group.group.listing.name)
        .collect();
    let is_less = known
        .iter()
        .any(|group| !listed.contains(&group.group.listing.name));
    let why = "a broker has just left or come back, and may not list its groups yet";
    is_less.then(|| Problem::new(ProblemKind::NoLeader, why))
}

/// Keeps the groups that were known and are not listed now while some brokers could not be asked: they are not
/// known at the moment, which is not the same as gone.
fn keep_lost(answer: &mut GroupsReply, known: &[GroupPlaces]) {
    let mut reasons = answer.missing.iter();
    let Some(why) = reasons
        .find(|problem| problem.kind != ProblemKind::Unsupported)
        .cloned()
    else {
        return;
    };
    let listed: BTreeSet<Text> = answer
        .groups
        .iter()
        .map(|group| group.group.listing.name.clone())
        .collect();
    let lost = known
        .iter()
        .map(|group| &group.group.listing)
        .filter(|listing| !listed.contains(&listing.name))
        .map(|listing| GroupPlaces {
            group: Arc::new(Group {
                listing: GroupListing {
                    state: None,
                    ..listing.clone()
                },
                members: Err(why.clone()),
                commits: Err(why.clone()),
            }),
            places: Vec::new(),
        });
    answer.groups.extend(lost);
    answer
        .groups
        .sort_by(|a, b| a.group.listing.name.cmp(&b.group.listing.name));
}

/// Fills in the next records that are known already.
pub(super) fn fill_known(groups: &mut [GroupPlaces], heads: &Heads) {
    for place in groups.iter_mut().flat_map(|group| &mut group.places) {
        place.next = match place.reads_next() {
            Some((from, _)) => heads.get(&(place.at.clone(), from)).cloned(),
            None if place.lag() == Ok(Some(0)) => Some(Ok(None)),
            None => None,
        };
    }
}

/// Reads the times of the groups' next records and of the first records in open transactions that are not known
/// yet, and forgets those that no longer matter.
async fn places(bus: &dyn Bus, publisher: &Publisher, session: SessionId) {
    let snapshot = publisher.snapshot();
    let groups = snapshot.inventory.groups().iter();
    let next = groups.flat_map(|group| &group.places).filter_map(|place| {
        place
            .reads_next()
            .map(|(from, to)| (place.at.clone(), from, to))
    });
    let topics = snapshot.inventory.topics().iter();
    let held_back = topics.flat_map(|topic| {
        let partitions = topic.partitions.iter();
        partitions.filter_map(|partition| {
            let (from, to) = partition.held_back()?;
            Some((topic.at(partition.id), from, to))
        })
    });
    let wanted: BTreeSet<(TopicPartition, Offset, Offset)> = next.chain(held_back).collect();
    let known = Arc::clone(&snapshot.density.heads);
    let is_known = |at: &TopicPartition, from: Offset| {
        matches!(known.get(&(at.clone(), from)), Some(Ok(Some(_))))
    };
    let missing: Vec<ReadRange> = wanted
        .iter()
        .filter(|(at, from, _)| !is_known(at, *from))
        .take(PLACES)
        .map(|(at, from, to)| ReadRange {
            at: at.clone(),
            from: *from,
            to: Some(*to),
        })
        .collect();
    let found = bus.first_records(missing.clone()).await;
    let places: BTreeSet<(TopicPartition, Offset)> =
        wanted.into_iter().map(|(at, from, _)| (at, from)).collect();
    let mut heads: Heads = known
        .iter()
        .filter(|(place, _)| places.contains(*place))
        .map(|(place, head)| (place.clone(), head.clone()))
        .collect();
    heads.extend(
        missing
            .into_iter()
            .map(|range| (range.at, range.from))
            .zip(found),
    );
    if heads == *known {
        return;
    }
    publisher.update(session, |snapshot| {
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        if let Some(Ok(groups)) = &mut inventory.groups {
            fill_known(groups, &heads);
        }
        Arc::make_mut(&mut snapshot.density).heads = Arc::new(heads);
    });
}

/// Log start and end of each partition of topics that hold people's data.
fn ends_of(topics: &[Arc<Topic>]) -> BTreeMap<TopicPartition, (Offset, Offset)> {
    topics
        .iter()
        .filter(|topic| !topic.internal)
        .flat_map(|topic| topic.known_ends())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::by_hand;

    fn placed(name: &str) -> GroupPlaces {
        let mut group = by_hand::group(name);
        group.listing.state = Some("Empty".into());
        GroupPlaces {
            group: Arc::new(group),
            places: Vec::new(),
        }
    }

    #[test]
    fn a_group_that_cannot_be_listed_stays_and_is_not_known() {
        let known = [placed("a"), placed("b")];
        let mut answer = GroupsReply {
            groups: vec![placed("b")],
            missing: vec![Problem::new(ProblemKind::NoLeader, "nobody coordinates it")],
        };
        keep_lost(&mut answer, &known);
        let lost = &answer.groups[0].group;
        assert_eq!(lost.listing.name, Text::from("a"));
        assert_eq!(lost.listing.state, None);
        assert_eq!(
            &*lost.commits.as_ref().unwrap_err().message,
            "nobody coordinates it"
        );
        assert_eq!(answer.groups.len(), 2);
    }

    #[test]
    fn groups_that_a_broker_does_not_list_yet_are_not_gone() {
        let mut answer = GroupsReply {
            groups: vec![placed("b")],
            missing: Vec::new(),
        };
        let known = [placed("a"), placed("b")];
        assert!(not_listed_yet(&answer, &[placed("b")]).is_none());
        answer.missing.extend(not_listed_yet(&answer, &known));
        keep_lost(&mut answer, &known);
        assert_eq!(answer.groups.len(), 2);
        assert!(answer.missing[0].message.contains("come back"));
    }

    #[test]
    fn a_group_that_is_gone_goes() {
        let mut answer = GroupsReply {
            groups: vec![placed("b")],
            missing: vec![Problem::new(ProblemKind::Unsupported, "no share groups")],
        };
        keep_lost(&mut answer, &[placed("a"), placed("b")]);
        assert_eq!(answer.groups.len(), 1);
    }
}
