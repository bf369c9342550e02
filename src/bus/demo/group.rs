//! Consumer groups of the classic protocol: members joining, syncing, beating and leaving.
//!
//! Source: `org.apache.kafka.coordinator.group.classic.ClassicGroup`. Nothing here waits; whoever serves
//! a request that must wait asks again after every change.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::offsets::Offsets;
use super::{codes, consumer_protocol, limits};

/// A member of a group.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) instance: Option<String>,
    pub(super) client_id: String,
    pub(super) host: String,
    /// The protocols that it offers, best first, each with its metadata.
    pub(super) protocols: Vec<(String, Bytes)>,
    pub(super) assignment: Bytes,
    session: Duration,
    rebalance: Duration,
    deadline: Instant,
    /// Whether it waits for a rebalance to complete.
    waiting: bool,
    order: u64,
    /// One of the demo's own consumers, which never goes silent; it has its assignment for itself.
    pub(super) simulated: bool,
}

/// Where a group is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No members.
    Empty,
    /// Members are joining, until this moment at the latest.
    Preparing(Instant),
    /// The leader is assigning, until this moment at the latest.
    Completing(Instant),
    /// Every member has its assignment.
    Stable,
}

/// A consumer group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) phase: Phase,
    pub(super) protocol_type: String,
    pub(super) protocol: String,
    pub(super) generation: i32,
    pub(super) leader: String,
    pub(super) members: BTreeMap<String, Member>,
    pub(super) offsets: Offsets,
    pending: BTreeSet<String>,
    joined: u64,
}

/// What a member asks for when it joins.
#[derive(Clone, Debug)]
pub(super) struct Join {
    pub(super) member_id: String,
    pub(super) instance: Option<String>,
    pub(super) client_id: String,
    pub(super) host: String,
    pub(super) session: Duration,
    pub(super) rebalance: Duration,
    pub(super) protocol_type: String,
    pub(super) protocols: Vec<(String, Bytes)>,
    /// Whether a new member must come back with the id that it is given.
    pub(super) needs_id: bool,
    /// The id that it is given if it has none.
    pub(super) fresh_id: String,
}

/// The outcome of a request that may have to wait.
pub(super) type Poll<T> = Option<Result<T, i16>>;

impl Default for Group {
    fn default() -> Self {
        Self {
            phase: Phase::Empty,
            protocol_type: String::new(),
            protocol: String::new(),
            generation: 0,
            leader: String::new(),
            members: BTreeMap::new(),
            offsets: Offsets::default(),
            pending: BTreeSet::new(),
            joined: 0,
        }
    }
}

impl Group {
    /// The name of its state, as the protocol writes it.
    pub(super) fn state(&self) -> &'static str {
        match self.phase {
            Phase::Empty => "Empty",
            Phase::Preparing(_) => "PreparingRebalance",
            Phase::Completing(_) => "CompletingRebalance",
            Phase::Stable => "Stable",
        }
    }

    /// Whether it has nothing left to remember.
    pub(super) fn is_spent(&self) -> bool {
        self.members.is_empty() && self.offsets.is_empty() && self.pending.is_empty()
    }

    /// Adds one of the demo's own consumers.
    pub(super) fn settle(&mut self, id: &str, member: Simulated, now: Instant) {
        self.joined = self.joined.saturating_add(1);
        self.generation = self.generation.max(1);
        "consumer".clone_into(&mut self.protocol_type);
        "range".clone_into(&mut self.protocol);
        if self.leader.is_empty() {
            id.clone_into(&mut self.leader);
        }
        self.phase = Phase::Stable;
        let protocols = ["range", "roundrobin"]
            .map(|name| (name.to_owned(), member.subscription.clone()))
            .to_vec();
        self.members.insert(
            id.to_owned(),
            Member {
                instance: None,
                client_id: member.client_id,
                host: member.host,
                protocols,
                assignment: member.assignment,
                session: Duration::from_secs(45),
                rebalance: Duration::from_mins(5),
                deadline: now,
                waiting: false,
                order: self.joined,
                simulated: true,
            },
        );
    }

    /// Begins a member's join and answers with its id; it then polls [`Self::poll_join`].
    pub(super) fn begin_join(&mut self, join: Join, now: Instant) -> Result<String, (i16, String)> {
        self.expire(now);
        let refused = |code| Err((code, join.member_id.clone()));
        if join.protocols.is_empty() || join.protocol_type.is_empty() || !self.fits(&join) {
            return refused(codes::INCONSISTENT_GROUP_PROTOCOL);
        }
        let mut id = join.member_id.clone();
        let same_instance = join.instance.as_ref().and_then(|instance| {
            let mut members = self.members.iter();
            members.find(|(_, member)| member.instance.as_ref() == Some(instance))
        });
        if let Some((known, _)) = same_instance {
            let known = known.clone();
            if id.is_empty() {
                self.members.remove(&known);
            } else if id != known {
                return refused(codes::FENCED_INSTANCE_ID);
            }
        }
        if id.is_empty() {
            if self.members.len().max(self.pending.len()) >= limits::MEMBERS {
                return refused(codes::GROUP_MAX_SIZE_REACHED);
            }
            id.clone_from(&join.fresh_id);
            if join.needs_id && join.instance.is_none() {
                self.pending.insert(id.clone());
                return Err((codes::MEMBER_ID_REQUIRED, id));
            }
        } else if !self.pending.remove(&id) && !self.members.contains_key(&id) {
            return refused(codes::UNKNOWN_MEMBER_ID);
        }
        self.protocol_type = join.protocol_type;
        let order = self
            .members
            .get(&id)
            .map_or(self.joined, |known| known.order);
        self.joined = self.joined.saturating_add(1);
        let unchanged = self.members.get(&id).is_some_and(|known| {
            known.protocols == join.protocols && id != self.leader && self.phase == Phase::Stable
        });
        let assignment = self.members.get(&id).map(|known| known.assignment.clone());
        self.members.insert(
            id.clone(),
            Member {
                instance: join.instance,
                client_id: join.client_id,
                host: join.host,
                protocols: join.protocols,
                assignment: assignment.unwrap_or_default(),
                session: join.session,
                rebalance: join.rebalance,
                deadline: now + join.session,
                waiting: !unchanged,
                order,
                simulated: false,
            },
        );
        if !unchanged && !matches!(self.phase, Phase::Preparing(_)) {
            self.prepare(now);
        }
        Ok(id)
    }

    /// Whether a joining member speaks what the others speak.
    fn fits(&self, join: &Join) -> bool {
        let mut others = self.members.iter().filter(|(id, member)| {
            **id != join.member_id && (join.instance.is_none() || member.instance != join.instance)
        });
        if others.clone().next().is_none() {
            return true;
        }
        self.protocol_type == join.protocol_type
            && join
                .protocols
                .iter()
                .any(|(name, _)| others.clone().all(|(_, member)| offers(member, name)))
            && others.next().is_some()
    }

    /// Whether a member's join is complete; answers with the generation it is in.
    pub(super) fn poll_join(&mut self, id: &str, now: Instant) -> Poll<i32> {
        self.expire(now);
        let Some(member) = self.members.get(id) else {
            return Some(Err(codes::UNKNOWN_MEMBER_ID));
        };
        (!member.waiting).then_some(Ok(self.generation))
    }

    /// Takes the leader's assignments; the member then polls [`Self::poll_sync`].
    pub(super) fn begin_sync(
        &mut self,
        id: &str,
        generation: i32,
        assignments: Vec<(String, Bytes)>,
        now: Instant,
    ) -> Result<(), i16> {
        self.check(id, generation, now)?;
        if matches!(self.phase, Phase::Completing(_)) && id == self.leader {
            for member in self.members.values_mut().filter(|member| !member.simulated) {
                member.assignment = Bytes::new();
            }
            for (member_id, assignment) in assignments {
                if let Some(member) = self.members.get_mut(&member_id) {
                    member.assignment = assignment;
                }
            }
            self.phase = Phase::Stable;
        }
        Ok(())
    }

    /// Whether a member's assignment is there.
    pub(super) fn poll_sync(&mut self, id: &str, generation: i32, now: Instant) -> Poll<Bytes> {
        self.expire(now);
        if let Err(code) = self.check(id, generation, now) {
            return Some(Err(code));
        }
        match self.phase {
            Phase::Stable => {
                let member = self.members.get(id)?;
                Some(Ok(member.assignment.clone()))
            }
            Phase::Completing(_) => None,
            Phase::Preparing(_) | Phase::Empty => Some(Err(codes::REBALANCE_IN_PROGRESS)),
        }
    }

    /// A sign of life.
    pub(super) fn heartbeat(&mut self, id: &str, generation: i32, now: Instant) -> Result<(), i16> {
        self.expire(now);
        self.check(id, generation, now)?;
        match self.phase {
            Phase::Preparing(_) => Err(codes::REBALANCE_IN_PROGRESS),
            Phase::Empty | Phase::Completing(_) | Phase::Stable => Ok(()),
        }
    }

    /// Whether a member of this id is in this generation; if so it is alive.
    pub(super) fn check(&mut self, id: &str, generation: i32, now: Instant) -> Result<(), i16> {
        let current = self.generation;
        let member = self.members.get_mut(id).ok_or(codes::UNKNOWN_MEMBER_ID)?;
        if generation != current {
            return Err(codes::ILLEGAL_GENERATION);
        }
        member.deadline = now + member.session;
        Ok(())
    }

    /// The id of the member of a static instance.
    pub(super) fn of_instance(&self, instance: &str) -> Option<&String> {
        let mut members = self.members.iter();
        let found = members.find(|(_, member)| member.instance.as_deref() == Some(instance));
        found.map(|(id, _)| id)
    }

    /// A member leaves, or is removed.
    pub(super) fn leave(&mut self, id: &str, now: Instant) -> Result<(), i16> {
        if self.pending.remove(id) {
            return Ok(());
        }
        self.members
            .remove(id)
            .map(drop)
            .ok_or(codes::UNKNOWN_MEMBER_ID)?;
        self.prepare(now);
        Ok(())
    }

    /// Removes members that went silent, and ends a wait that took too long.
    pub(super) fn expire(&mut self, now: Instant) {
        let silent =
            |member: &Member| !member.simulated && !member.waiting && member.deadline < now;
        let before = self.members.len();
        self.members.retain(|_, member| !silent(member));
        let lost = self.members.len() < before;
        match self.phase {
            Phase::Preparing(until) => {
                let ready = |member: &Member| member.waiting || member.simulated;
                if until <= now || self.members.values().all(ready) {
                    self.complete_join(now);
                }
            }
            Phase::Completing(until) if until <= now || lost => self.prepare(now),
            Phase::Stable if lost => self.prepare(now),
            Phase::Completing(_) | Phase::Stable | Phase::Empty => {}
        }
    }

    /// When [`Self::expire`] should run next, if nothing else happens.
    pub(super) fn next_deadline(&self, now: Instant) -> Instant {
        let phase = match self.phase {
            Phase::Preparing(until) | Phase::Completing(until) => Some(until),
            Phase::Empty | Phase::Stable => None,
        };
        let awaited = self.members.values();
        let members = awaited
            .filter(|member| !member.waiting && !member.simulated)
            .map(|member| member.deadline);
        let soonest = members.chain(phase).min();
        soonest
            .unwrap_or_else(|| now + Duration::from_secs(1))
            .max(now + Duration::from_millis(10))
    }

    fn prepare(&mut self, now: Instant) {
        let longest = self.members.values().map(|member| member.rebalance).max();
        self.phase = Phase::Preparing(now + longest.unwrap_or_default());
        self.expire(now);
    }

    fn complete_join(&mut self, now: Instant) {
        self.members
            .retain(|_, member| member.waiting || member.simulated);
        self.generation = self.generation.checked_add(1).unwrap_or(1);
        let oldest = |simulated: bool| {
            let members = self.members.iter();
            members
                .filter(|(_, member)| member.simulated == simulated)
                .min_by_key(|(_, member)| member.order)
                .map(|(id, _)| id.clone())
        };
        let Some(leader) = oldest(false).or_else(|| oldest(true)) else {
            self.phase = Phase::Empty;
            self.leader.clear();
            self.protocol.clear();
            return;
        };
        let offered = self.members.get(&leader);
        let common = offered.into_iter().flat_map(|member| &member.protocols);
        self.protocol = common
            .map(|(name, _)| name)
            .find(|name| self.members.values().all(|member| offers(member, name)))
            .cloned()
            .unwrap_or_default();
        let simulated = |member: &Member| member.simulated;
        self.phase = if self.members.get(&leader).is_some_and(simulated) {
            Phase::Stable
        } else {
            let longest = self.members.values().map(|member| member.rebalance).max();
            Phase::Completing(now + longest.unwrap_or_default())
        };
        self.leader = leader;
        for member in self.members.values_mut() {
            member.waiting = false;
            member.deadline = now + member.session;
        }
    }

    /// Whether some member subscribes to a topic.
    pub(super) fn subscribes_to(&self, topic: &str) -> bool {
        let mut members = self.members.values();
        members.any(|member| consumer_protocol::subscribes_to(&self.metadata_of(member), topic))
    }

    /// A member's metadata for the protocol that the group speaks.
    pub(super) fn metadata_of(&self, member: &Member) -> Bytes {
        let mut protocols = member.protocols.iter();
        let chosen = protocols.find(|(name, _)| *name == self.protocol);
        chosen
            .map(|(_, metadata)| metadata.clone())
            .unwrap_or_default()
    }
}

/// One of the demo's own consumers.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    pub(super) client_id: String,
    pub(super) host: String,
    /// Its subscription, in the consumer protocol's encoding.
    pub(super) subscription: Bytes,
    /// What it reads, in the consumer protocol's encoding.
    pub(super) assignment: Bytes,
}

fn offers(member: &Member, protocol: &str) -> bool {
    member.protocols.iter().any(|(name, _)| name == protocol)
}

/// All groups by id.
#[derive(Debug, Default)]
pub(super) struct Groups(pub(super) BTreeMap<String, Group>);

impl Groups {
    /// A group, if it is there.
    pub(super) fn get(&self, id: &str) -> Option<&Group> {
        self.0.get(id)
    }

    /// A group to change, if it is there.
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Group> {
        self.0.get_mut(id)
    }

    /// A group, made if need be; `None` when there are too many.
    pub(super) fn obtain(&mut self, id: &str) -> Option<&mut Group> {
        if !self.0.contains_key(id) && self.0.len() >= limits::GROUPS {
            return None;
        }
        Some(self.0.entry(id.to_owned()).or_default())
    }

    /// Whether the positions of all groups take as much memory as they may.
    pub(super) fn are_full(&self) -> bool {
        let weights = self.0.values().map(|group| group.offsets.weight());
        weights.sum::<usize>() >= limits::COMMITTED_BYTES
    }

    /// Forgets every position on a topic that is no more.
    pub(super) fn forget_topic(&mut self, topic: &str) {
        for group in self.0.values_mut() {
            group.offsets.forget_topic(topic);
        }
    }

    /// Removes silent members everywhere, and groups that have nothing left.
    pub(super) fn expire(&mut self, now: Instant) {
        for group in self.0.values_mut() {
            group.expire(now);
        }
        self.0.retain(|_, group| !group.is_spent());
    }
}
