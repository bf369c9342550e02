//! Handing on what is told about moving a group, and starting what listens to it.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;

use crate::bus::Bus;
use crate::model::{Clock, Known, Profiles, TimestampMs};

use super::SessionId;
use super::changing::Files;
use super::command::Command;
use super::publish::Publisher;
use super::tasks::rewind::after::EntryOrder;
use super::tasks::rewind::{Desk, Reached, access, after, live};

/// How many orders may wait; each is a click.
const WAITING: usize = 32;

/// What a session tells the tasks that move groups.
pub(super) struct Moving {
    reached: Arc<Reached>,
    plans: watch::Sender<live::Numbered>,
    told: mpsc::Sender<live::Told>,
    entries: mpsc::Sender<EntryOrder>,
    unlocked: watch::Sender<Option<TimestampMs>>,
    /// Until the tasks are started.
    ears: Option<Ears>,
}

/// Where the tasks hear it.
struct Ears {
    told: mpsc::Receiver<live::Told>,
    entries: mpsc::Receiver<EntryOrder>,
}

/// What the tasks need beside it.
pub(super) struct Surroundings {
    pub(super) publisher: Arc<Publisher>,
    pub(super) session: SessionId,
    pub(super) clock: Clock,
    pub(super) files: Files,
    /// Wakes when a profile was kept or forgotten.
    pub(super) profiles_changed: Arc<Notify>,
}

/// The tasks, ready to be started on a bus.
pub(super) struct Listening {
    reached: Arc<Reached>,
    plans: watch::Receiver<live::Numbered>,
    unlocked: watch::Receiver<Option<TimestampMs>>,
    ears: Ears,
    around: Surroundings,
}

impl Moving {
    pub(super) fn new(reached: Reached) -> Self {
        let (told, hears_told) = mpsc::channel(WAITING);
        let (entries, hears_entries) = mpsc::channel(WAITING);
        Self {
            reached: Arc::new(reached),
            plans: watch::channel(None).0,
            told,
            entries,
            unlocked: watch::channel(None).0,
            ears: Some(Ears {
                told: hears_told,
                entries: hears_entries,
            }),
        }
    }

    /// How the bus was reached.
    pub(super) fn reached(&self) -> Arc<Reached> {
        Arc::clone(&self.reached)
    }

    /// Hands a command on. Nobody hears it before the tasks are started, or once the session is over.
    pub(super) fn take(&self, command: Command, now: TimestampMs) {
        match command {
            Command::Plan(request) => {
                self.plans.send_replace(request);
            }
            Command::Apply(request) => drop(self.told.try_send(live::Told::Apply(request))),
            Command::StopApplying => drop(self.told.try_send(live::Told::Stop)),
            Command::CheckEntry(id) => drop(self.entries.try_send(EntryOrder::Check(id))),
            Command::CloseEntry(id) => drop(self.entries.try_send(EntryOrder::Close(id))),
            Command::Unlock(ms) => {
                self.unlocked.send_replace(ms.map(|ms| now.moved_ms(ms)));
            }
            _ => {}
        }
    }

    /// The tasks; `None` when they were given out before.
    pub(super) fn listening(&mut self, around: Surroundings) -> Option<Listening> {
        Some(Listening {
            reached: Arc::clone(&self.reached),
            plans: self.plans.subscribe(),
            unlocked: self.unlocked.subscribe(),
            ears: self.ears.take()?,
            around,
        })
    }
}

impl Listening {
    /// Starts the tasks; they end when `all` is dropped.
    pub(super) fn start(self, bus: Arc<dyn Bus>, all: &mut JoinSet<()>) {
        let Surroundings {
            publisher,
            session,
            clock,
            files,
            profiles_changed,
        } = self.around;
        let desk = Desk {
            bus,
            clock,
            files,
            reached: self.reached,
        };
        let written = Arc::<Notify>::default();
        let live = live::Live {
            desk: desk.clone(),
            publisher: Arc::clone(&publisher),
            session,
            unlocked: self.unlocked.clone(),
            written: Arc::clone(&written),
        };
        let after = after::After {
            desk: desk.clone(),
            publisher: Arc::clone(&publisher),
            session,
            written,
        };
        let locks = access::Locks {
            desk,
            publisher,
            session,
            unlocked: self.unlocked,
            changed: profiles_changed,
        };
        all.spawn(live::follow(live, self.plans, self.ears.told));
        all.spawn(after::follow(after, self.ears.entries));
        all.spawn(access::follow(locks));
    }
}

/// Shows what is kept in files, connected or not.
pub(super) fn show_files(publisher: &Arc<Publisher>, files: &Files) {
    let (publisher, files) = (Arc::clone(publisher), files.clone());
    tokio::spawn(async move {
        access::show_profiles(&publisher, &files, None).await;
        let entries = after::entries(&files).await;
        after::show(&publisher, publisher.session(), &entries, None);
    });
}

/// Changes the profiles and shows them; where that is not possible, why stands in their place until the next
/// change succeeds.
pub(super) fn change_profiles(
    publisher: &Arc<Publisher>,
    files: &Files,
    changed: &Arc<Notify>,
    change: impl FnOnce(&dyn Profiles) -> Known<()> + Send + 'static,
) {
    let (publisher, files) = (Arc::clone(publisher), files.clone());
    let changed = Arc::clone(changed);
    tokio::spawn(async move {
        let done = access::change(&files, change).await;
        access::show_profiles(&publisher, &files, done.err()).await;
        changed.notify_one();
    });
}
