//! The background: commands in, immutable snapshots and events out.
//!
//! One thread named `engine` owns the async runtime and every client. The window and the command line hold
//! an [`Engine`], send it [`Command`]s and never wait: the window draws the newest [`Snapshot`], the command
//! line waits for [`Event`]s. Channels are bounded. Whatever takes long tells its progress and can be given
//! up. Each connection is a session with a number; what comes late from an old one is dropped.
//!
//! Nothing here knows egui, and nothing above knows the bus or the runtime.

mod browsing;
mod cancel;
mod changing;
mod command;
mod driver;
mod event;
mod files;
mod finding;
mod folders;
mod lookout;
mod memory;
mod moving;
mod opener;
mod publish;
mod question;
mod searching;
mod snapshot;
mod tasks;

pub use changing::{
    AccessView, Applied, ApplyRequest, Ended, Files, JournalView, Progression, RewindReply,
    RewindRequest, RewindView, RowResult, Run,
};
pub use command::{
    Command, ConnectTarget, DemoSize, Edge, GroupsRequest, Order, RecordScope, RecordsRequest,
    Request, SessionId, TableOrder, TablePlace, TableRequest, TableSpan, TaskId, TimelineRequest,
    TopicsRequest, View,
};
pub use event::{
    Coverage, Cursor, Event, EventKind, GroupPlaces, GroupsReply, PartitionCoverage, Portion,
    Progress, Reply, StoppedBy, TimelineReply, TopicTimeline, TopicsReply,
};
pub use finding::{FindingChange, FindingsView, GapsReply, GapsRequest, VersionAt};
pub use folders::Folders;
pub use memory::{Memory, Settings, SettingsFile};
pub use opener::OpenerView;
pub use searching::{
    ExportFormat, ExportOf, ExportRequest, ExportStage, ExportView, SearchControl, SearchCost,
    SearchRequest, SearchStage, SearchView,
};
pub use snapshot::{Connection, Density, Inventory, LocalBus, Snapshot, Table};

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::model::{Clock, Known, Problem, ProblemKind};

use publish::Publisher;

/// Called whenever there is something new to see; must return at once.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// How an engine is to run.
#[derive(Clone)]
pub struct EngineOptions {
    /// Called after each publication of a snapshot and each event.
    pub waker: Waker,
    /// Where "now" comes from.
    pub clock: Clock,
    /// Whether events are told; without somebody who takes them with [`Engine::next_event`], they must not be.
    pub tell_events: bool,
    /// Whether Ctrl+C is to become an [`EventKind::Interrupted`].
    pub listen_for_interrupt: bool,
    /// Where the journal and the profiles are kept.
    pub files: Files,
}

/// What the window holds of the engine. [`Engine`] is the real one; tests of the window make their own.
pub trait Link: Send {
    /// Hands a command over without waiting; `false` when the engine is busy and did not take it.
    fn send(&self, command: Command) -> bool;

    /// The newest snapshot.
    fn snapshot(&self) -> Arc<Snapshot>;
}

/// The engine, running until it is dropped.
pub struct Engine {
    /// `None` once the engine is to end.
    commands: Option<mpsc::Sender<Command>>,
    thread: Option<JoinHandle<()>>,
    events: Mutex<mpsc::Receiver<Event>>,
    publisher: Arc<Publisher>,
    runtime: Handle,
}

/// How many commands may wait.
const COMMANDS: usize = 256;
/// How many events may wait; records come by the batch, so what waits for a slow reader of the answer is bounded
/// by this many batches.
const EVENTS: usize = 64;

impl Engine {
    /// Starts the engine's thread.
    ///
    /// # Errors
    /// The thread or its runtime cannot be started.
    pub fn start(options: EngineOptions) -> Known<Self> {
        let cannot = |error: std::io::Error| {
            Problem::new(
                ProblemKind::Other,
                format!("the engine cannot be started ({error})"),
            )
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("engine-worker")
            .enable_all()
            .build()
            .map_err(cannot)?;
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let (event_sender, events) = mpsc::channel(EVENTS);
        let told = options.tell_events.then_some(event_sender);
        let publisher = Arc::new(Publisher::new(told, Arc::clone(&options.waker)));
        let handle = runtime.handle().clone();
        let inside = Arc::clone(&publisher);
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || {
                runtime.block_on(driver::drive(receiver, inside, options));
                runtime.shutdown_timeout(driver::ENDING);
            })
            .map_err(cannot)?;
        Ok(Self {
            commands: Some(commands),
            thread: Some(thread),
            events: Mutex::new(events),
            publisher,
            runtime: handle,
        })
    }

    /// Waits up to `wait` for the next event; `None` when none came, or the engine was not asked to tell any.
    /// Called from a thread that may block, one at a time.
    pub fn next_event(&self, wait: Duration) -> Option<Event> {
        let mut events = self.events.lock();
        self.runtime
            .block_on(async { tokio::time::timeout(wait, events.recv()).await })
            .ok()
            .flatten()
    }
}

/// Ends the engine and waits for it: the bus's clients must be gone before the process ends.
impl Drop for Engine {
    fn drop(&mut self) {
        self.commands = None;
        // A task that waits to tell an event would otherwise wait for ever.
        self.events.get_mut().close();
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by then.
            drop(thread.join());
        }
    }
}

impl Link for Engine {
    fn send(&self, command: Command) -> bool {
        self.commands
            .as_ref()
            .is_some_and(|commands| commands.try_send(command).is_ok())
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.publisher.snapshot()
    }
}
