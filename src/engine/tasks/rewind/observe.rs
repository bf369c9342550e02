//! Who commits though nobody is there.

use std::collections::{BTreeMap, BTreeSet};

use tokio::time::Instant;

use crate::model::{Offset, TopicPartition};
use crate::rewind::guard::{Moved, Observation};

use super::reading::GroupNow;

/// For how long commits are watched before a change, unless told otherwise, in milliseconds: two of the
/// intervals in which clients commit by default, and a little.
pub(super) const USUAL_MS: i64 = 11_000;

/// Readings of a group's bookmarks while it has no members.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    wanted_ms: i64,
    /// Since when the group was seen without members, and its bookmarks then.
    quiet: Option<(Instant, BTreeMap<TopicPartition, Offset>)>,
    seen: Observation,
}

impl Observer {
    /// Watching for `wanted_ms`; 0 declines it.
    pub(super) fn new(wanted_ms: i64) -> Self {
        Self {
            wanted_ms,
            quiet: None,
            seen: Observation {
                wanted_ms,
                ..Observation::default()
            },
        }
    }

    /// Adds a reading. Members begin it anew: what they commit is theirs.
    pub(super) fn add(&mut self, at: Instant, group: &GroupNow) {
        if group.is_empty() != Some(true) || group.commits.is_err() {
            *self = Self::new(self.wanted_ms);
            return;
        }
        let now: BTreeMap<TopicPartition, Offset> = group
            .bookmarks()
            .into_iter()
            .map(|(at, bookmark)| (at, bookmark.offset))
            .collect();
        let Some((since, before)) = &mut self.quiet else {
            self.quiet = Some((at, now));
            return;
        };
        let places: BTreeSet<&TopicPartition> = before.keys().chain(now.keys()).collect();
        for place in places {
            let (from, to) = (before.get(place).copied(), now.get(place).copied());
            if from != to {
                self.seen.moved.push(Moved {
                    at: place.clone(),
                    from,
                    to,
                });
            }
        }
        *before = now;
        let quiet = at.saturating_duration_since(*since).as_millis();
        self.seen.quiet_ms = i64::try_from(quiet).unwrap_or(i64::MAX);
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> &Observation {
        &self.seen
    }

    /// For how many milliseconds commits are to be watched.
    pub(super) fn wanted_ms(&self) -> i64 {
        self.wanted_ms
    }
}
