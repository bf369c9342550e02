//! The journal in the window, and groups that are on their way past their old bookmarks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};

use crate::engine::SessionId;
use crate::engine::changing::{Files, JournalView, Progression};
use crate::engine::publish::Publisher;
use crate::model::{
    Commit, JournalEntry, JournalState, Known, Problem, ProblemKind, Text, TimestampMs,
};
use crate::rewind::progress::{self, Progress};

use super::{Desk, on_disk, write};

/// How often groups that were moved are looked at.
const LOOK: Duration = Duration::from_secs(3);
/// Over how long the rate is taken, in milliseconds.
const RATE_OVER_MS: i64 = 30_000;

/// What is told to an entry.
#[derive(Debug)]
pub(in crate::engine) enum EntryOrder {
    /// Read what the bus has for its rows.
    Check(String),
    /// Stop watching its group.
    Close(String),
}

/// All entries, the newest first.
pub(in crate::engine) async fn entries(files: &Files) -> Known<Vec<JournalEntry>> {
    let journal = files.journal.clone()?;
    on_disk(move || journal.entries()).await
}

/// Shows the entries; how far groups are stays as it was.
pub(in crate::engine) fn show(
    publisher: &Publisher,
    session: SessionId,
    entries: &Known<Vec<JournalEntry>>,
    progress: Option<BTreeMap<String, Progression>>,
) {
    publisher.update(session, |snapshot| {
        let before = &snapshot.journal;
        let view = JournalView {
            entries: entries
                .as_ref()
                .map(|entries| entries.iter().cloned().map(Arc::new).collect())
                .map_err(Clone::clone),
            progress: progress.unwrap_or_else(|| before.progress.clone()),
        };
        if view != **before {
            snapshot.journal = Arc::new(view);
        }
    });
}

/// What following the journal needs.
pub(in crate::engine) struct After {
    pub(in crate::engine) desk: Desk,
    pub(in crate::engine) publisher: Arc<Publisher>,
    pub(in crate::engine) session: SessionId,
    /// Wakes when an entry was written.
    pub(in crate::engine) written: Arc<Notify>,
}

/// Keeps the journal's view fresh, and watches moved groups of this cluster until they are past their old
/// bookmarks. Ends with the session.
pub(in crate::engine) async fn follow(after: After, mut orders: mpsc::Receiver<EntryOrder>) {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    loop {
        after.look(&mut seen).await;
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = after.written.notified() => {}
            Some(order) = orders.recv() => after.act(order).await,
        }
    }
}

/// What was read of a moved group before.
struct Seen {
    /// How much was left, and when, oldest first.
    left: Vec<(TimestampMs, u64)>,
}

impl Seen {
    /// Offsets a second at which `left` has become less.
    fn rate(&mut self, at: TimestampMs, left: u64) -> Option<f64> {
        self.left
            .retain(|(then, _)| at.since_ms(*then) <= RATE_OVER_MS);
        let rate = self.left.first().and_then(|(then, before)| {
            let ms = u32::try_from(at.since_ms(*then))
                .ok()
                .filter(|ms| *ms > 0)?;
            let gone = u32::try_from(before.saturating_sub(left)).unwrap_or(u32::MAX);
            Some(f64::from(gone) * 1000.0 / f64::from(ms))
        });
        self.left.push((at, left));
        rate
    }
}

impl After {
    fn cluster_id(&self) -> Option<String> {
        match &self.publisher.snapshot().inventory.cluster {
            Some(Ok(cluster)) => cluster.cluster_id.clone(),
            _ => None,
        }
    }

    async fn look(&self, seen: &mut BTreeMap<String, Seen>) {
        let mut entries = entries(&self.desk.files).await;
        let here = self.cluster_id();
        let mut progress = BTreeMap::new();
        if let (Ok(entries), Some(here)) = (&mut entries, here) {
            let watched: Vec<&mut JournalEntry> = entries
                .iter_mut()
                .filter(|entry| {
                    entry.state == JournalState::Watching
                        && entry.cluster_id.as_ref() == Some(&here)
                })
                .collect();
            progress = self.advance(watched, seen).await;
        }
        seen.retain(|id, _| progress.contains_key(id));
        show(&self.publisher, self.session, &entries, Some(progress));
    }

    /// Reads how far the groups of `watched` are, and keeps which of them are through.
    async fn advance(
        &self,
        watched: Vec<&mut JournalEntry>,
        seen: &mut BTreeMap<String, Seen>,
    ) -> BTreeMap<String, Progression> {
        let groups: BTreeSet<Text> = watched.iter().map(|entry| entry.group.clone()).collect();
        if groups.is_empty() {
            return BTreeMap::new();
        }
        let groups: Vec<Text> = groups.into_iter().collect();
        let commits: BTreeMap<Text, Known<Vec<Commit>>> = groups
            .iter()
            .cloned()
            .zip(self.desk.bus.commits(groups.clone()).await)
            .collect();
        let at = self.desk.clock.now();
        let mut found = BTreeMap::new();
        for entry in watched {
            let lost = || Problem::new(ProblemKind::Other, "the commits were not answered");
            let commits = commits
                .get(&entry.group)
                .cloned()
                .unwrap_or_else(|| Err(lost()));
            let progression = match commits {
                Err(problem) => unread(at, problem),
                Ok(commits) => {
                    let now = progress::progress(entry, &commits);
                    let seen = seen
                        .entry(entry.id.clone())
                        .or_insert_with(|| Seen { left: Vec::new() });
                    let rate = seen.rate(at, now.left);
                    if now.rows_passed >= now.rows {
                        self.passed(entry).await;
                    }
                    progression(at, &now, rate)
                }
            };
            found.insert(entry.id.clone(), progression);
        }
        found
    }

    async fn passed(&self, entry: &mut JournalEntry) {
        entry.state = JournalState::Passed;
        if let Ok(journal) = &self.desk.files.journal {
            write::keep(journal, entry).await;
        }
    }

    async fn act(&self, order: EntryOrder) {
        let (id, close) = match order {
            EntryOrder::Check(id) => (id, false),
            EntryOrder::Close(id) => (id, true),
        };
        let Ok(entries) = entries(&self.desk.files).await else {
            return;
        };
        let Some(mut entry) = entries.into_iter().find(|entry| entry.id == id) else {
            return;
        };
        if close {
            entry.state = JournalState::Closed;
        } else if entry.cluster_id == self.cluster_id() {
            write::read_back(&self.desk, &mut entry).await;
            entry.state = write::judged(&entry);
        } else {
            return;
        }
        if let Ok(journal) = &self.desk.files.journal {
            write::keep(journal, &entry).await;
        }
    }
}

fn progression(at: TimestampMs, now: &Progress, rate: Option<f64>) -> Progression {
    Progression {
        at,
        resumed: now.resumed,
        rows_passed: now.rows_passed,
        rows: now.rows,
        left: now.left,
        rate,
        problem: None,
    }
}

fn unread(at: TimestampMs, problem: Problem) -> Progression {
    Progression {
        at,
        resumed: false,
        rows_passed: 0,
        rows: 0,
        left: 0,
        rate: None,
        problem: Some(problem),
    }
}
