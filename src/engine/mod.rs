//! The background: commands in, immutable snapshots and events out.
//!
//! One thread named `engine` owns the async runtime and every client. The window and the command line hold
//! an [`Engine`], send it [`Command`]s and never wait: the window draws the newest [`Snapshot`], the command
//! line waits for [`Event`]s. Channels are bounded. Whatever takes long tells its progress and can be given
//! up. Each connection is a session with a number; what comes late from an old one is dropped.
//!
//! Nothing here knows egui, and nothing above knows the bus or the runtime.

mod command;
mod event;
mod snapshot;

pub use command::{
    Command, ConnectTarget, Edge, GroupsRequest, Order, RecordScope, RecordsRequest, Request,
    SessionId, TableRequest, TableSpan, TaskId, TimelineRequest, TopicsRequest, View,
};
pub use event::{
    Coverage, Cursor, Event, EventKind, GroupPlaces, GroupsReply, PartitionCoverage, Progress,
    Reply, StoppedBy, TimelineReply, TopicTimeline, TopicsReply,
};
pub use snapshot::{Connection, Density, Inventory, LocalBus, Snapshot, Table};

use std::sync::Arc;
use std::time::Duration;

use crate::model::{Clock, Known};

/// Called whenever there is something new to see; must return at once.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// How an engine is to run.
#[derive(Clone)]
pub struct EngineOptions {
    /// Called after each publication of a snapshot and each event.
    pub waker: Waker,
    /// Where "now" comes from.
    pub clock: Clock,
    /// Whether Ctrl+C is to become an [`EventKind::Interrupted`].
    pub listen_for_interrupt: bool,
}

/// What the window holds of the engine. The engine is the real one; tests of the window make their own.
pub trait Link: Send {
    /// Hands a command over without waiting; `false` when the engine is busy and did not take it.
    fn send(&self, command: Command) -> bool;

    /// The newest snapshot.
    fn snapshot(&self) -> Arc<Snapshot>;
}

/// The engine, running until it is dropped.
pub struct Engine {}

impl Engine {
    /// Starts the engine's thread.
    ///
    /// # Errors
    /// The thread or its runtime cannot be started.
    pub fn start(options: EngineOptions) -> Known<Self> {
        let _ = options;
        Ok(Self {})
    }

    /// Waits up to `wait` for the next event.
    pub fn next_event(&self, wait: Duration) -> Option<Event> {
        std::thread::sleep(wait);
        None
    }
}

impl Link for Engine {
    fn send(&self, _command: Command) -> bool {
        false
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::default()
    }
}
