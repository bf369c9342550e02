//! Handing snapshots and events out, and dropping what belongs to a session that is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::changing::AccessView;
use super::event::{Event, EventKind, Progress};
use super::snapshot::Snapshot;
use super::{SessionId, Waker};

/// Where the engine's tasks put what they have found.
pub(super) struct Publisher {
    current: ArcSwap<Snapshot>,
    writing: Mutex<()>,
    session: AtomicU64,
    events: Option<mpsc::Sender<Event>>,
    waker: Waker,
}

impl Publisher {
    /// A publisher of an empty snapshot; without `events`, events are not told to anybody.
    pub(super) fn new(events: Option<mpsc::Sender<Event>>, waker: Waker) -> Self {
        Self {
            current: ArcSwap::default(),
            writing: Mutex::new(()),
            session: AtomicU64::new(0),
            events,
            waker,
        }
    }

    /// The newest snapshot.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The present session.
    pub(super) fn session(&self) -> SessionId {
        SessionId(self.session.load(Ordering::Acquire))
    }

    /// Begins a new session with an empty snapshot, but for what does not belong to a connection.
    pub(super) fn begin_session(&self) -> SessionId {
        let writing = self.writing.lock();
        let session = self.session.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        let before = self.current.load_full();
        self.current.store(Arc::new(Snapshot {
            session: SessionId(session),
            generation: before.generation.wrapping_add(1),
            local: Arc::clone(&before.local),
            opener: Arc::clone(&before.opener),
            journal: Arc::clone(&before.journal),
            access: Arc::new(AccessView {
                profiles: before.access.profiles.clone(),
                ..AccessView::default()
            }),
            ..Snapshot::default()
        }));
        drop(writing);
        (self.waker)();
        SessionId(session)
    }

    /// Changes the snapshot, unless `session` is over.
    pub(super) fn update(&self, session: SessionId, change: impl FnOnce(&mut Snapshot)) {
        let writing = self.writing.lock();
        if self.session() != session {
            return;
        }
        let before = self.current.load_full();
        let mut next = Snapshot::clone(&before);
        change(&mut next);
        if is_same(&before, &next) {
            return;
        }
        next.generation = next.generation.wrapping_add(1);
        self.current.store(Arc::new(next));
        drop(writing);
        (self.waker)();
    }

    /// As [`Publisher::update`], for what nobody needs to be woken for: it is seen with the next thing that is.
    pub(super) fn update_quietly(&self, session: SessionId, change: impl FnOnce(&mut Snapshot)) {
        let _writing = self.writing.lock();
        if self.session() != session {
            return;
        }
        let mut next = Snapshot::clone(&self.current.load());
        change(&mut next);
        next.generation = next.generation.wrapping_add(1);
        self.current.store(Arc::new(next));
    }

    /// Tells an event, waiting while the receiver is busy. Dropped when `session` is over.
    pub(super) async fn tell(&self, session: SessionId, kind: EventKind) {
        if self.session() != session {
            return;
        }
        if let Some(events) = &self.events {
            // The receiver is gone only when the program ends.
            drop(events.send(Event { session, kind }).await);
            (self.waker)();
        }
    }

    /// As [`Publisher::tell`], without waiting: dropped when the receiver is busy.
    pub(super) fn try_tell(&self, session: SessionId, kind: EventKind) {
        if self.session() != session {
            return;
        }
        if let Some(events) = &self.events {
            drop(events.try_send(Event { session, kind }));
            (self.waker)();
        }
    }

    /// As [`Publisher::tell`], on a thread that may block. `false` when nobody wants to hear it any more.
    pub(super) fn tell_blocking(&self, session: SessionId, kind: EventKind) -> bool {
        if self.session() != session {
            return false;
        }
        let Some(events) = &self.events else {
            return true;
        };
        let told = events.blocking_send(Event { session, kind }).is_ok();
        (self.waker)();
        told
    }

    /// Shows what runs in the background, one line a kind of work; `None` takes the line away.
    pub(super) fn activity(
        &self,
        session: SessionId,
        what: &'static str,
        progress: Option<Progress>,
    ) {
        self.update(session, |snapshot| {
            let mut activity = Vec::clone(&snapshot.activity);
            activity.retain(|line| line.what != what);
            activity.extend(progress);
            if *snapshot.activity != activity {
                snapshot.activity = Arc::new(activity);
            }
        });
    }
}

/// Whether nothing was replaced.
fn is_same(before: &Snapshot, next: &Snapshot) -> bool {
    before.connection == next.connection
        && Arc::ptr_eq(&before.inventory, &next.inventory)
        && Arc::ptr_eq(&before.density, &next.density)
        && Arc::ptr_eq(&before.samples, &next.samples)
        && Arc::ptr_eq(&before.table, &next.table)
        && Arc::ptr_eq(&before.search, &next.search)
        && Arc::ptr_eq(&before.findings, &next.findings)
        && Arc::ptr_eq(&before.export, &next.export)
        && Arc::ptr_eq(&before.schemas, &next.schemas)
        && Arc::ptr_eq(&before.rewind, &next.rewind)
        && Arc::ptr_eq(&before.journal, &next.journal)
        && Arc::ptr_eq(&before.access, &next.access)
        && Arc::ptr_eq(&before.activity, &next.activity)
        && Arc::ptr_eq(&before.local, &next.local)
        && Arc::ptr_eq(&before.opener, &next.opener)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Connection;
    use crate::model::TimestampMs;

    fn publisher() -> Publisher {
        Publisher::new(None, Arc::new(|| {}))
    }

    #[test]
    fn what_comes_late_from_an_old_session_is_dropped() {
        let publisher = publisher();
        let old = publisher.begin_session();
        let new = publisher.begin_session();
        publisher.update(old, |snapshot| {
            snapshot.connection = Connection::Connecting { to: "old".into() }
        });
        assert_eq!(publisher.snapshot().connection, Connection::None);
        publisher.update(new, |snapshot| {
            snapshot.connection = Connection::Connecting { to: "new".into() }
        });
        assert_eq!(
            publisher.snapshot().connection,
            Connection::Connecting { to: "new".into() }
        );
        assert!(!publisher.tell_blocking(old, EventKind::Connected));
    }

    #[test]
    fn what_was_read_over_time_ends_with_its_session() {
        let publisher = publisher();
        let session = publisher.begin_session();
        let limits = crate::inspect::samples::Limits::default();
        publisher.update(session, |snapshot| {
            let read = snapshot.samples.unread(TimestampMs(0), &limits);
            snapshot.samples = Arc::new(read);
        });
        assert_eq!(publisher.snapshot().samples.readings(), 1);
        publisher.begin_session();
        assert_eq!(publisher.snapshot().samples.readings(), 0);
    }

    #[test]
    fn every_publication_has_a_larger_generation() {
        let publisher = publisher();
        let session = publisher.begin_session();
        let first = publisher.snapshot().generation;
        publisher.update(session, |snapshot| snapshot.inventory = Arc::default());
        assert!(publisher.snapshot().generation > first);
    }

    #[test]
    fn what_changes_nothing_wakes_nobody() {
        let woken = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&woken);
        let waker: Waker = Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let publisher = Publisher::new(None, waker);
        let session = publisher.begin_session();
        let before = woken.load(Ordering::Relaxed);
        let generation = publisher.snapshot().generation;
        publisher.update(session, |_| {});
        publisher.activity(session, "density", None);
        assert_eq!(publisher.snapshot().generation, generation);
        publisher.update_quietly(session, |snapshot| snapshot.inventory = Arc::default());
        assert!(publisher.snapshot().generation > generation);
        assert_eq!(woken.load(Ordering::Relaxed), before);
    }
}
