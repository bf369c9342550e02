//! The commit log's records as moves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::decode::group_log::GroupLogEntry;
use crate::model::{
    CommitMove, Committed, GroupHistory, History, HistoryCoverage, HistorySource, Membership,
    Offset, PartitionId, PlaceHistory, Text, TimestampMs, TopicPartition,
};

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Moves of one group in one partition.
    pub moves: usize,
    /// Moves in all; about 120 bytes each.
    pub all: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            moves: 500,
            all: 500_000,
        }
    }
}

/// Changes of membership that are kept of a group.
const MEMBERSHIPS: usize = 200;

/// What the records of one partition of the log have told so far.
#[derive(Clone, Copy, Debug)]
struct Read {
    next: Offset,
    /// From when on no record is missing between those that were read.
    whole_since: Option<TimestampMs>,
    /// Whether the log was read from its very beginning, and nothing of it is gone.
    from_start: bool,
}

/// Who is known to be in a group.
#[derive(Clone, Debug, Default)]
struct Present {
    /// Of a classic group; `None` until that was told.
    classic: Option<u32>,
    /// Of a group of the newer protocols.
    members: BTreeSet<Text>,
    /// Whether a member of the newer protocols was ever told of.
    is_newer: bool,
}

/// The log, record by record.
#[derive(Clone, Debug, Default)]
pub struct CommitLog {
    limits: Limits,
    groups: BTreeMap<Text, Arc<GroupHistory>>,
    present: BTreeMap<Text, Present>,
    read: BTreeMap<PartitionId, Read>,
    moves: usize,
    commits: u64,
}

impl CommitLog {
    /// Nothing read yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Begins a partition of the log at `from`; `from_start` says that nothing was ever written before it.
    pub fn begin(&mut self, partition: PartitionId, from: Offset, from_start: bool) {
        let read = Read {
            next: from,
            whole_since: None,
            from_start,
        };
        self.read.insert(partition, read);
    }

    /// Adds the next record of a partition of the log, written at `time`. One group's records are all in one partition.
    pub fn add(
        &mut self,
        partition: PartitionId,
        offset: Offset,
        time: Option<TimestampMs>,
        entry: Option<GroupLogEntry>,
    ) {
        let mut from_start = false;
        if let Some(read) = self.read.get_mut(&partition) {
            if offset != read.next {
                read.from_start = false;
            }
            if offset != read.next || read.whole_since.is_none() {
                read.whole_since = time;
            }
            read.next = offset.next();
            from_start = read.from_start;
        }
        match entry {
            Some(GroupLogEntry::Commit { group, at, to }) => {
                self.commits = self.commits.saturating_add(1);
                self.commit(&group, at, to, time, from_start);
            }
            Some(GroupLogEntry::Classic { group, to }) => {
                let present = self.present.entry(group.clone()).or_default();
                present.classic = Some(to.map_or(0, |(_, members)| members));
                let generation = to.map(|(generation, _)| generation);
                self.membership(&group, time, generation);
            }
            Some(GroupLogEntry::Member {
                group,
                member,
                joined,
            }) => {
                let present = self.present.entry(group.clone()).or_default();
                present.is_newer = true;
                if joined {
                    present.members.insert(member);
                } else {
                    present.members.remove(&member);
                }
                self.membership(&group, time, None);
            }
            Some(GroupLogEntry::Other) | None => {}
        }
    }

    fn members(&self, group: &Text) -> Option<u32> {
        let present = self.present.get(group)?;
        if present.is_newer {
            return u32::try_from(present.members.len()).ok();
        }
        present.classic
    }

    fn membership(&mut self, group: &Text, time: Option<TimestampMs>, generation: Option<i32>) {
        let (Some(at), Some(members)) = (time, self.members(group)) else {
            return;
        };
        let history = Arc::make_mut(self.groups.entry(group.clone()).or_default());
        let is_same = history
            .membership
            .last()
            .is_some_and(|last| last.members == members && last.generation == generation);
        if is_same {
            return;
        }
        history.membership.push(Membership {
            at,
            members,
            generation,
        });
        if history.membership.len() > MEMBERSHIPS {
            history.membership.remove(0);
        }
    }

    fn commit(
        &mut self,
        group: &Text,
        at: TopicPartition,
        to: Option<(Committed, Option<TimestampMs>)>,
        time: Option<TimestampMs>,
        from_start: bool,
    ) {
        // A group of which the whole log says nothing but commits never had a member.
        let had_members = match self.members(group) {
            Some(members) => Some(members > 0),
            None => from_start.then_some(false),
        };
        let (to, committed_at) = match to {
            Some((to, at)) => (Some(to), at),
            None => (None, None),
        };
        let Some(when) = committed_at.or(time) else {
            return;
        };
        let history = Arc::make_mut(self.groups.entry(group.clone()).or_default());
        let place = history.places.entry(at).or_default();
        if to.is_some() {
            place.last_commit = Some(when);
        }
        let before = place.moves.last().map(|last| &last.to);
        let offset_of = |to: &Option<Committed>| to.as_ref().map(|to| to.offset);
        if before.is_some_and(|before| offset_of(before) == offset_of(&to)) {
            return;
        }
        if before.is_none() && to.is_none() {
            return;
        }
        place.moves.push(CommitMove {
            at: when,
            to,
            had_members,
            end: None,
        });
        self.moves = self.moves.saturating_add(1);
        if place.moves.len() > self.limits.moves {
            self.moves = self
                .moves
                .saturating_sub(shorten(place, self.limits.moves / 2));
        }
        if self.moves > self.limits.all {
            self.thin();
        }
    }

    /// Keeps half as many moves of each place as before.
    fn thin(&mut self) {
        self.limits.moves = (self.limits.moves / 2).max(2);
        let mut left = 0_usize;
        for group in self.groups.values_mut() {
            for place in Arc::make_mut(group).places.values_mut() {
                shorten(place, self.limits.moves);
                left = left.saturating_add(place.moves.len());
            }
        }
        self.moves = left;
    }

    /// What is known so far.
    pub fn history(&self) -> History {
        let whole = self.read.values().filter_map(|read| read.whole_since);
        History {
            groups: self.groups.clone(),
            coverage: HistoryCoverage {
                source: HistorySource::CommitLog,
                since: whole.max(),
                commits: self.commits,
                problem: None,
            },
        }
    }
}

/// Drops the oldest moves of a place until `most` are left; how many were dropped.
fn shorten(place: &mut PlaceHistory, most: usize) -> usize {
    let drop = place.moves.len().saturating_sub(most);
    place.moves.drain(..drop);
    place.shortened |= drop > 0;
    drop
}
