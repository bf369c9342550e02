//! Keeping what is looked at fresher than the whole: the topics on screen and in the table, and the chosen group.
//!
//! On a large cluster reading everything takes long. What is asked for by itself meanwhile is newer than what the
//! reading of the whole brings, so each answer goes with the time of its question, and an older one never replaces
//! a newer one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::command::{GroupsRequest, TableRequest, TopicsRequest, View};
use crate::engine::event::GroupPlaces;
use crate::engine::publish::Publisher;
use crate::engine::snapshot::{Inventory, Snapshot};
use crate::model::{Clock, ProblemKind, Text, Topic, TopicName};

use super::{inventory, watch as whole};

/// How old what is looked at may be before it is asked for by itself.
const FRESH: Duration = Duration::from_secs(5);
/// How often it is seen whether something is older.
const STEP: Duration = Duration::from_secs(1);
/// Asking that took long is followed by a rest this many times as long.
const REST_FACTOR: u32 = 4;

/// What the person looks at.
pub(in crate::engine) struct LookedAt {
    pub(in crate::engine) views: watch::Receiver<Option<View>>,
    pub(in crate::engine) tables: watch::Receiver<Option<TableRequest>>,
    pub(in crate::engine) group: watch::Receiver<Option<Text>>,
}

impl LookedAt {
    fn topics(&self) -> BTreeSet<TopicName> {
        let mut names = BTreeSet::new();
        if let Some(view) = &*self.views.borrow() {
            names.extend(view.lanes.iter().map(|at| Arc::clone(&at.topic)));
        }
        if let Some(table) = &*self.tables.borrow() {
            names.extend(table.partitions.iter().map(|at| Arc::clone(&at.topic)));
        }
        names
    }
}

/// Asks for what is looked at whenever it has become old; does nothing while reading the whole is as quick.
pub(super) async fn keep_fresh(
    bus: &dyn Bus,
    publisher: &Publisher,
    (session, clock): (SessionId, Clock),
    looked_at: &LookedAt,
    refreshed: &watch::Sender<u64>,
) {
    let mut rest = STEP;
    loop {
        tokio::time::sleep(rest).await;
        let started = Instant::now();
        let known = Arc::clone(&publisher.snapshot().inventory);
        let is_old = |asked: Option<Instant>| {
            asked.is_some_and(|asked| started.saturating_duration_since(asked) >= FRESH)
        };
        let old: Vec<TopicName> = looked_at
            .topics()
            .into_iter()
            .filter(|name| is_old(known.asked.topic(name)))
            .collect();
        let group = looked_at.group.borrow().clone().filter(|name| {
            let of_group = known
                .asked
                .group
                .as_ref()
                .filter(|(known, _)| known == name);
            is_old(of_group.map(|(_, asked)| *asked).max(known.asked.whole))
        });
        if old.is_empty() && group.is_none() {
            rest = STEP;
            continue;
        }
        let topics = async {
            if !old.is_empty() {
                topics(bus, publisher, (session, clock), old).await;
            }
        };
        let group = async {
            if let Some(name) = group {
                one_group(bus, publisher, session, name).await;
            }
        };
        tokio::join!(topics, group);
        refreshed.send_modify(|count| *count = count.wrapping_add(1));
        rest = started.elapsed().saturating_mul(REST_FACTOR).max(STEP);
    }
}

/// Whether `name` is kept fresh by itself, so that reading the whole can pass it over.
pub(super) fn is_fresh(known: &Inventory, name: &TopicName, now: Instant) -> bool {
    let asked = known.asked.topics.get(name);
    asked.is_some_and(|asked| now.saturating_duration_since(*asked) < FRESH)
}

async fn topics(
    bus: &dyn Bus,
    publisher: &Publisher,
    (session, clock): (SessionId, Clock),
    names: Vec<TopicName>,
) {
    let asked = Instant::now();
    let request = TopicsRequest {
        topics: names,
        internal: true,
    };
    let Ok(answer) = inventory::topics(bus, &request).await else {
        return;
    };
    let shown = Arc::clone(&publisher.snapshot().inventory);
    let known = by_name(shown.topics());
    let same = answer
        .topics
        .iter()
        .all(|topic| known.get(&topic.name) == Some(topic));
    let update = |snapshot: &mut Snapshot| {
        let Some(Ok(known)) = &snapshot.inventory.topics else {
            return;
        };
        let mut by_name = by_name(known);
        let mut answered = Vec::new();
        for topic in answer.topics {
            if snapshot.inventory.asked.topic(&topic.name) > Some(asked) {
                continue;
            }
            // Why it cannot be read now is no reason to forget what is known of it.
            match topic.error.as_ref().map(|problem| problem.kind) {
                None => {
                    by_name.insert(Arc::clone(&topic.name), Arc::clone(&topic));
                }
                Some(ProblemKind::NotFound) => {
                    by_name.remove(&topic.name);
                }
                Some(_) => continue,
            }
            answered.push(Arc::clone(&topic.name));
        }
        if answered.is_empty() {
            return;
        }
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        inventory.topics = Some(Ok(by_name.into_values().collect()));
        inventory.near_read_at = Some(clock.now());
        let times = answered.into_iter().map(|name| (name, asked));
        inventory.asked.topics.extend(times);
    };
    if same {
        publisher.update_quietly(session, update);
    } else {
        publisher.update(session, update);
    }
}

/// Shows what reading the whole brought: of all `names`, `read` was asked for at `asked`. What was asked for by
/// itself since stays as it is, or gone.
pub(super) fn show_whole(
    publisher: &Publisher,
    (session, clock): (SessionId, Clock),
    (names, read): (&[TopicName], &[Arc<Topic>]),
    asked: Instant,
) {
    let merged = |shown: &Inventory| {
        let known = by_name(shown.topics());
        let read = by_name(read);
        let is_newer =
            |name: &TopicName| shown.asked.topics.get(name).is_some_and(|at| *at >= asked);
        let newer = known.keys().filter(|name| is_newer(name));
        let all: BTreeSet<&TopicName> = names.iter().chain(newer).collect();
        all.into_iter()
            .filter_map(|name| {
                let of = if is_newer(name) {
                    known.get(name)
                } else {
                    read.get(name).or_else(|| known.get(name))
                };
                of.cloned()
            })
            .collect::<Vec<_>>()
    };
    let change = |inventory: &mut Inventory, topics| {
        inventory.topics = Some(Ok(topics));
        inventory.read_at = Some(clock.now());
        inventory.asked.whole = Some(asked);
        inventory.asked.topics.retain(|name, at| {
            *at >= asked || (is_listed(names, name) && !is_listed_topic(read, name))
        });
    };
    let shown = Arc::clone(&publisher.snapshot().inventory);
    let same = matches!(&shown.topics, Some(Ok(known)) if *known == merged(&shown));
    let update = |snapshot: &mut Snapshot| {
        let topics = merged(&snapshot.inventory);
        change(Arc::make_mut(&mut snapshot.inventory), topics);
    };
    if same {
        publisher.update_quietly(session, update);
    } else {
        publisher.update(session, update);
    }
}

fn is_listed(names: &[TopicName], name: &TopicName) -> bool {
    names.binary_search(name).is_ok()
}

fn is_listed_topic(topics: &[Arc<Topic>], name: &TopicName) -> bool {
    topics
        .binary_search_by(|topic| topic.name.cmp(name))
        .is_ok()
}

fn by_name(topics: &[Arc<Topic>]) -> BTreeMap<TopicName, Arc<Topic>> {
    topics
        .iter()
        .map(|topic| (Arc::clone(&topic.name), Arc::clone(topic)))
        .collect()
}

async fn one_group(bus: &dyn Bus, publisher: &Publisher, session: SessionId, name: Text) {
    let asked = Instant::now();
    let shown = Arc::clone(&publisher.snapshot().inventory);
    let mut all = shown.groups().iter();
    let Some(before) = all.find(|group| group.group.listing.name == name) else {
        return;
    };
    let request = GroupsRequest {
        groups: vec![name.clone()],
        ..GroupsRequest::default()
    };
    let answer = inventory::groups(bus, &request).await;
    // One that cannot be read now stays as it is until the whole is read.
    let Some(mut read) = answer.ok().and_then(|answer| {
        let mut groups = answer.groups.into_iter();
        groups.find(|group| group.group.commits.is_ok())
    }) else {
        return;
    };
    publisher.update(session, |snapshot| {
        whole::fill_known(std::slice::from_mut(&mut read), &snapshot.density.heads);
        // Where the whole has been read meanwhile, that may be newer.
        let is_it = |known: &GroupPlaces| Arc::ptr_eq(&known.group, &before.group);
        if !snapshot.inventory.groups().iter().any(is_it) {
            return;
        }
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        if let Some(Ok(groups)) = &mut inventory.groups
            && let Some(known) = groups.iter_mut().find(|known| is_it(known))
        {
            *known = read;
            inventory.asked.group = Some((name, asked));
        }
    });
}

/// Leaves the group that was asked for by itself after `asked` as it is shown.
pub(super) fn keep_newer_group(groups: &mut [GroupPlaces], shown: &Inventory, asked: Instant) {
    let Some((name, at)) = &shown.asked.group else {
        return;
    };
    let is_it = |group: &&GroupPlaces| group.group.listing.name == *name;
    if *at >= asked
        && let Some(newer) = shown.groups().iter().find(is_it)
        && let Some(slot) = groups.iter_mut().find(|group| is_it(&&**group))
    {
        *slot = newer.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tasks::by_hand::{ByHand, log};
    use crate::model::{Offset, Partition, PartitionId, TimestampMs, TopicConfig};

    fn topic(name: &str, end: i64) -> Arc<Topic> {
        let partition = Partition {
            id: PartitionId(0),
            leader: None,
            replicas: Vec::new(),
            isr: Vec::new(),
            log_start: Ok(Offset(0)),
            high_watermark: Ok(Offset(end)),
            last_stable: Ok(Offset(end)),
            error: None,
        };
        Arc::new(Topic {
            name: name.into(),
            topic_id: None,
            internal: false,
            config: Ok(TopicConfig::default()),
            partitions: vec![partition],
            error: None,
        })
    }

    fn ends(publisher: &Publisher) -> Vec<(String, i64)> {
        let shown = Arc::clone(&publisher.snapshot().inventory);
        let known = shown.topics().iter().flat_map(|topic| topic.known_ends());
        known
            .map(|(at, (_, end))| (at.topic.to_string(), end.0))
            .collect()
    }

    fn clock() -> Clock {
        Clock::Fixed(TimestampMs(1_000))
    }

    fn shown(topics: &[Arc<Topic>], asked: Instant) -> (Publisher, SessionId) {
        let publisher = Publisher::new(None, Arc::new(|| {}));
        let session = publisher.begin_session();
        whole_read(&publisher, session, topics, asked);
        (publisher, session)
    }

    fn whole_read(publisher: &Publisher, session: SessionId, read: &[Arc<Topic>], asked: Instant) {
        let names: Vec<TopicName> = read.iter().map(|topic| Arc::clone(&topic.name)).collect();
        show_whole(publisher, (session, clock()), (&names, read), asked);
    }

    #[tokio::test]
    async fn what_was_read_while_the_whole_was_under_way_stays() {
        let begun = Instant::now();
        let (publisher, session) = shown(&[topic("a", 5), topic("gone", 5), topic("t", 5)], begun);
        let bus = ByHand::new([log(0..30)]);
        let names = vec!["gone".into(), "t".into()];
        topics(&bus, &publisher, (session, clock()), names).await;
        assert_eq!(ends(&publisher), [("a".into(), 5), ("t".into(), 30)]);
        // The whole was asked for before and comes only now.
        whole_read(
            &publisher,
            session,
            &[topic("a", 9), topic("gone", 9), topic("t", 9)],
            begun,
        );
        assert_eq!(ends(&publisher), [("a".into(), 9), ("t".into(), 30)]);
        // What is asked for later counts.
        whole_read(
            &publisher,
            session,
            &[topic("a", 9), topic("t", 40)],
            Instant::now() + Duration::from_secs(1),
        );
        assert_eq!(ends(&publisher), [("a".into(), 9), ("t".into(), 40)]);
    }

    #[tokio::test]
    async fn an_answer_that_was_overtaken_by_the_whole_is_dropped() {
        let later = Instant::now() + Duration::from_secs(60);
        let (publisher, session) = shown(&[topic("t", 50)], later);
        let bus = ByHand::new([log(0..30)]);
        topics(&bus, &publisher, (session, clock()), vec!["t".into()]).await;
        assert_eq!(ends(&publisher), [("t".into(), 50)]);
    }

    #[test]
    fn what_the_whole_passed_over_keeps_its_own_time() {
        let begun = Instant::now();
        let (publisher, session) = shown(&[topic("t", 5)], begun);
        publisher.update(session, |snapshot| {
            let inventory = Arc::make_mut(&mut snapshot.inventory);
            inventory.asked.topics.insert("t".into(), begun);
        });
        let later = begun + Duration::from_secs(3);
        assert!(is_fresh(
            &publisher.snapshot().inventory,
            &"t".into(),
            later
        ));
        let names: Vec<TopicName> = vec!["t".into()];
        show_whole(&publisher, (session, clock()), (&names, &[]), later);
        assert_eq!(ends(&publisher), [("t".into(), 5)]);
        let asked = publisher.snapshot().inventory.asked.topic("t");
        assert_eq!(asked, Some(begun));
    }
}
