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

/// What the window holds of the engine. The engine is the real one; tests of the window make their own.
pub trait Link: Send {
    /// Hands a command over without waiting; `false` when the engine is busy and did not take it.
    fn send(&self, command: Command) -> bool;

    /// The newest snapshot.
    fn snapshot(&self) -> Arc<Snapshot>;
}
