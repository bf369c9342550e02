//! A bus with one topic and some groups, and a journal, both of which can die at any step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::bus::{
    Answer, Bus, Capabilities, Found, Lookup, Positions, ReadEvent, ReadPlan, ReadRange, Reader,
    Seek,
};
use crate::engine::changing::Files;
use crate::engine::tasks::rewind::{Desk, Reached};
use crate::model::{
    Bookmark, Clock, Cluster, Commit, GroupList, GroupListing, GroupMembers, GroupType, Journal,
    JournalEntry, Known, Member, Offset, Partition, PartitionId, Problem, ProblemKind, Profile,
    Profiles, Record, RecordHead, Text, TimestampMs, Topic, TopicConfig, TopicName, TopicPartition,
    Visibility,
};

/// Burns at one step: from then on nothing has an effect, and nothing is answered.
#[derive(Debug, Default)]
pub(super) struct Fuse {
    steps: AtomicUsize,
    /// The step it burns at; 0 for never.
    at: AtomicUsize,
    burnt: AtomicBool,
}

impl Fuse {
    /// Counts a step; whether the fuse is burnt.
    fn step(&self) -> bool {
        let step = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        if self.at.load(Ordering::SeqCst) == step {
            self.burnt.store(true, Ordering::SeqCst);
        }
        self.burnt.load(Ordering::SeqCst)
    }

    pub(super) fn burn_at(&self, step: usize) {
        self.steps.store(0, Ordering::SeqCst);
        self.at.store(step, Ordering::SeqCst);
        self.burnt.store(false, Ordering::SeqCst);
    }

    pub(super) fn is_burnt(&self) -> bool {
        self.burnt.load(Ordering::SeqCst)
    }
}

/// What the bus holds.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Log start and end of each partition of the topic `t`.
    pub(super) ends: Vec<(i64, i64)>,
    pub(super) topic_id: String,
    pub(super) groups: Vec<GroupListing>,
    pub(super) members: Vec<Member>,
    /// Of the group `g`.
    pub(super) bookmarks: BTreeMap<TopicPartition, Bookmark>,
    /// What each call of `set` answers for every row, before any is taken; `None` takes it.
    pub(super) answers: Vec<Option<Problem>>,
    /// Partitions of which `set` refuses the row.
    pub(super) refused: Vec<TopicPartition>,
    /// What somebody else commits right after each write.
    pub(super) meddler: BTreeMap<TopicPartition, Bookmark>,
    /// How many times `set` was called.
    pub(super) sets: usize,
    pub(super) profiles: Vec<Profile>,
    pub(super) entries: Vec<JournalEntry>,
}

/// The bus, the journal and the profiles.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) fuse: Arc<Fuse>,
}

pub(super) fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("t", partition)
}

pub(super) fn group() -> Text {
    Text::from("g")
}

pub(super) fn listing(name: &str, kind: GroupType) -> GroupListing {
    GroupListing {
        name: Text::from(name),
        kind,
        protocol_type: Some("consumer".to_owned()),
        state: Some("Empty".to_owned()),
        coordinator: None,
    }
}

pub(super) fn member() -> Member {
    Member {
        member_id: Text::from("m-1"),
        client_id: Text::from("billing-7f9c"),
        host: Text::from("10.2.0.4"),
        instance_id: None,
        assignment: Vec::new(),
    }
}

impl World {
    /// The group `g`, classic and empty, on `t` with these log starts, ends and committed offsets.
    pub(super) fn new(partitions: &[(i64, i64, Option<i64>)]) -> Self {
        let world = Self::default();
        let mut state = world.state.lock();
        state.topic_id = "id-1".to_owned();
        state.groups = vec![listing("g", GroupType::Classic)];
        for (number, (start, end, committed)) in (0..).zip(partitions) {
            state.ends.push((*start, *end));
            if let Some(committed) = committed {
                state
                    .bookmarks
                    .insert(at(number), Bookmark::plain(Offset(*committed)));
            }
        }
        drop(state);
        world
    }

    pub(super) fn desk(&self) -> Desk {
        Desk {
            bus: Arc::new(self.clone()),
            clock: Clock::Fixed(TimestampMs(1_796_000_000_000)),
            files: Files {
                journal: Ok(Arc::new(self.clone())),
                profiles: Ok(Arc::new(self.clone())),
                observations: Err(Problem::new(ProblemKind::Unsupported, "none here")),
                user: "ada".to_owned(),
            },
            reached: Arc::new(Reached {
                profile: None,
                bootstrap: "127.0.0.1:9092".to_owned(),
                demo: false,
            }),
        }
    }

    pub(super) fn offsets(&self) -> Vec<Option<i64>> {
        let state = self.state.lock();
        (0..)
            .zip(&state.ends)
            .map(|(number, _)| {
                let bookmark = state.bookmarks.get(&at(number))?;
                Some(bookmark.offset.0)
            })
            .collect()
    }

    /// An answer that never comes once the fuse is burnt.
    fn answer<T: Send + 'static>(
        &self,
        value: impl FnOnce() -> T + Send + 'static,
    ) -> Answer<'_, T> {
        let fuse = Arc::clone(&self.fuse);
        Box::pin(async move {
            if fuse.step() {
                std::future::pending::<()>().await;
            }
            let value = value();
            if fuse.step() {
                std::future::pending::<()>().await;
            }
            value
        })
    }

    fn on_disk<T>(&self, act: impl FnOnce(&mut State) -> Known<T>) -> Known<T> {
        let dead = || Err(Problem::new(ProblemKind::Other, "the program has ended"));
        if self.fuse.step() {
            return dead();
        }
        let done = act(&mut self.state.lock());
        if self.fuse.step() { dead() } else { done }
    }
}

impl Positions for World {
    fn set(
        &self,
        _: Text,
        to: Vec<(TopicPartition, Bookmark)>,
    ) -> Answer<'_, Known<Vec<Known<()>>>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            let mut state = state.lock();
            state.sets += 1;
            if !state.answers.is_empty()
                && let Some(problem) = state.answers.remove(0)
            {
                return if problem.kind == ProblemKind::TimedOut {
                    Err(problem)
                } else {
                    Ok(vec![Err(problem); to.len()])
                };
            }
            if !state.members.is_empty() {
                let active = Problem::new(ProblemKind::GroupActive, "it has members");
                return Ok(vec![Err(active); to.len()]);
            }
            let answers = to
                .into_iter()
                .map(|(at, bookmark)| {
                    if state.refused.contains(&at) {
                        return Err(Problem::new(ProblemKind::Forbidden, "not allowed"));
                    }
                    state.bookmarks.insert(at, bookmark);
                    Ok(())
                })
                .collect();
            let meddled = state.meddler.clone();
            state.bookmarks.extend(meddled);
            Ok(answers)
        })
    }

    fn delete(&self, _: Text, at: Vec<TopicPartition>) -> Answer<'_, Known<Vec<Known<()>>>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            let mut state = state.lock();
            Ok(at
                .into_iter()
                .map(|at| {
                    state.bookmarks.remove(&at);
                    Ok(())
                })
                .collect())
        })
    }
}

impl Bus for World {
    fn positions(&self) -> Known<&dyn Positions> {
        Ok(self)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            time_lookup: Ok(()),
            group_types: Ok(()),
        }
    }

    fn cluster(&self) -> Answer<'_, Known<Cluster>> {
        self.answer(|| {
            Ok(Cluster {
                cluster_id: Some("cluster-1".to_owned()),
                controller: None,
                brokers: Vec::new(),
            })
        })
    }

    fn topic_names(&self) -> Answer<'_, Known<Vec<TopicName>>> {
        self.answer(|| Ok(vec!["t".into()]))
    }

    fn topics(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Topic>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            let state = state.lock();
            let not_asked = || Problem::new(ProblemKind::Other, "not asked");
            names
                .into_iter()
                .map(|name| Topic {
                    error: (&*name != "t")
                        .then(|| Problem::new(ProblemKind::NotFound, "there is no such topic")),
                    topic_id: Some(state.topic_id.clone()),
                    internal: false,
                    config: Err(not_asked()),
                    partitions: (0..)
                        .zip(state.ends.iter().filter(|_| &*name == "t"))
                        .map(|(number, _)| Partition {
                            id: PartitionId(number),
                            leader: None,
                            replicas: Vec::new(),
                            isr: Vec::new(),
                            log_start: Err(not_asked()),
                            high_watermark: Err(not_asked()),
                            last_stable: Err(not_asked()),
                            error: None,
                        })
                        .collect(),
                    name,
                })
                .collect()
        })
    }

    fn topic_configs(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Known<TopicConfig>>> {
        let kept_for_ever = || TopicConfig {
            retention_ms: Some(-1),
            ..TopicConfig::default()
        };
        self.answer(move || names.iter().map(|_| Ok(kept_for_ever())).collect())
    }

    fn look_up(&self, lookups: Vec<Lookup>) -> Answer<'_, Vec<Known<Found>>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            let state = state.lock();
            lookups
                .iter()
                .map(|lookup| {
                    let index = usize::try_from(lookup.at.partition.0).unwrap();
                    let (start, end) = state.ends[index];
                    let offset = match lookup.seek {
                        Seek::LogStart => Some(start),
                        Seek::HighWatermark | Seek::LastStable => Some(end),
                        // The record at offset n has the time n.
                        Seek::AtOrAfter(time) => (time.0 < end).then(|| time.0.max(start)),
                        Seek::MaxTimestamp => Some(end - 1),
                    };
                    Ok(Found {
                        offset: offset.map(Offset),
                        timestamp: None,
                    })
                })
                .collect()
        })
    }

    fn groups(&self) -> Answer<'_, Known<GroupList>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            Ok(GroupList {
                groups: state.lock().groups.clone(),
                missing: Vec::new(),
            })
        })
    }

    fn members(&self, groups: Vec<GroupListing>) -> Answer<'_, Vec<Known<GroupMembers>>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            let state = state.lock();
            let stands = if state.members.is_empty() {
                "Empty"
            } else {
                "Stable"
            };
            groups
                .iter()
                .map(|_| {
                    Ok(GroupMembers {
                        assignor: None,
                        coordinator: None,
                        state: Some(stands.to_owned()),
                        members: Ok(state.members.clone()),
                    })
                })
                .collect()
        })
    }

    fn commits(&self, groups: Vec<Text>) -> Answer<'_, Vec<Known<Vec<Commit>>>> {
        let state = Arc::clone(&self.state);
        self.answer(move || {
            let state = state.lock();
            groups
                .iter()
                .map(|name| {
                    let of_g = state.bookmarks.iter().filter(|_| *name == group());
                    Ok(of_g
                        .map(|(at, bookmark)| Commit {
                            at: at.clone(),
                            offset: Ok(Some(bookmark.offset)),
                            leader_epoch: bookmark.leader_epoch,
                            metadata: bookmark.metadata.clone(),
                        })
                        .collect())
                })
                .collect()
        })
    }

    fn first_records(&self, places: Vec<ReadRange>) -> Answer<'_, Vec<Known<Option<RecordHead>>>> {
        self.answer(move || places.iter().map(|_| Ok(None)).collect())
    }

    fn read(&self, plan: &ReadPlan) -> Known<Box<dyn Reader>> {
        let events = plan.ranges.iter().flat_map(|range| {
            let to = range.to.unwrap();
            let records = (range.from.0..to.0).map(|n| ReadEvent::Record(record(&range.at, n)));
            records.chain([ReadEvent::Complete {
                at: range.at.clone(),
                next: to,
            }])
        });
        Ok(Box::new(All(events.collect())))
    }
}

/// The record at an offset, which is its time too.
fn record(at: &TopicPartition, offset: i64) -> Record {
    Record {
        topic: Arc::clone(&at.topic),
        partition: at.partition,
        offset: Offset(offset),
        timestamp: Some(TimestampMs(offset)),
        timestamp_type: None,
        key: None,
        value: None,
        headers: Vec::new(),
        leader_epoch: None,
        visibility: Visibility::Unknown,
    }
}

/// Gives out everything at once.
struct All(Vec<ReadEvent>);

impl Reader for All {
    fn poll(&mut self, _: Duration, events: &mut Vec<ReadEvent>) -> Known<()> {
        events.append(&mut self.0);
        Ok(())
    }
}

impl Journal for World {
    fn add(&self, entry: &JournalEntry) -> Known<()> {
        self.on_disk(|state| {
            state.entries.insert(0, entry.clone());
            Ok(())
        })
    }

    fn update(&self, entry: &JournalEntry) -> Known<()> {
        self.on_disk(|state| {
            let known = state.entries.iter_mut().find(|known| known.id == entry.id);
            *known.unwrap() = entry.clone();
            Ok(())
        })
    }

    fn entries(&self) -> Known<Vec<JournalEntry>> {
        Ok(self.state.lock().entries.clone())
    }
}

impl Profiles for World {
    fn profiles(&self) -> Known<Vec<Profile>> {
        Ok(self.state.lock().profiles.clone())
    }

    fn put_profile(&self, profile: &Profile) -> Known<()> {
        let mut state = self.state.lock();
        state.profiles.retain(|known| known.name != profile.name);
        state.profiles.push(profile.clone());
        Ok(())
    }

    fn remove_profile(&self, name: &str) -> Known<()> {
        self.state
            .lock()
            .profiles
            .retain(|known| known.name != name);
        Ok(())
    }
}
