//! Takes commands and runs what they ask for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::bus::demo::DemoChild;
use crate::bus::{Bus, kafka};
use crate::model::{Clock, ConnectionSettings, Known, Problem, ProblemKind, Profiles, Text};

use super::browsing::{self, Browsing};
use super::cancel::Cancel;
use super::changing::Files;
use super::command::{Command, ConnectTarget, DemoSize, Request, TableRequest, View};
use super::event::{EventKind, StoppedBy};
use super::lookout::Lookout;
use super::moving::{self, Moving, Surroundings};
use super::opener;
use super::publish::Publisher;
use super::question::Question;
use super::snapshot::Connection;
use super::tasks::export::Exports;
use super::tasks::gaps::live::Live;
use super::tasks::lookups::Rate;
use super::tasks::rewind::{Desk, Reached, access};
use super::tasks::schemas::Book;
use super::tasks::table::RowsOnScreen;
use super::tasks::{local, near, table, view, watch as watching};
use super::{EngineOptions, SessionId, TaskId};

/// Runs until every sender of commands is gone.
pub(super) async fn drive(
    mut commands: mpsc::Receiver<Command>,
    publisher: Arc<Publisher>,
    options: EngineOptions,
) {
    let mut driver = Driver {
        publisher,
        clock: options.clock,
        files: options.files,
        profiles_changed: Arc::default(),
        session: None,
        asked: BTreeMap::new(),
    };
    moving::show_files(&driver.publisher, &driver.files);
    if !options.tell_events {
        // Only a window shows it.
        opener::take(&driver.publisher, None);
    }
    if options.listen_for_interrupt {
        let publisher = Arc::clone(&driver.publisher);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                let session = publisher.session();
                publisher.tell(session, EventKind::Interrupted).await;
            }
        });
    }
    while let Some(command) = commands.recv().await {
        driver.take(command);
    }
    driver.end_session();
}

/// How long ending may take what still blocks, a reader in its last turn say.
pub(super) const ENDING: Duration = Duration::from_secs(3);

struct Driver {
    publisher: Arc<Publisher>,
    clock: Clock,
    files: Files,
    /// Wakes whoever shows profiles.
    profiles_changed: Arc<Notify>,
    session: Option<Session>,
    asked: BTreeMap<TaskId, Cancel>,
}

/// One connection, on its way or standing, and everything that runs over it.
struct Session {
    id: SessionId,
    /// The bus once it is connected.
    bus: watch::Receiver<Option<Arc<dyn Bus>>>,
    rate: Rate,
    tasks: Vec<JoinHandle<()>>,
    views: watch::Sender<Option<View>>,
    tables: watch::Sender<Option<TableRequest>>,
    rows: watch::Sender<Option<RowsOnScreen>>,
    groups: watch::Sender<Option<Text>>,
    refreshed: watch::Sender<u64>,
    moving: Moving,
    lookout: Lookout,
    browsing: Browsing,
    schemas: Book,
    exports: Exports,
    watched: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Driver {
    fn take(&mut self, command: Command) {
        match command {
            Command::Connect(target) => self.connect(target),
            Command::Disconnect => {
                self.end_session();
                self.publisher.begin_session();
            }
            Command::Watch => self.watch(),
            Command::View(view) => {
                if let Some(session) = &self.session {
                    session.views.send_replace(Some(view));
                }
            }
            Command::Table(request) => {
                if let Some(session) = &self.session {
                    session.tables.send_replace(request);
                }
            }
            Command::TableRows { jump, first, last } => {
                if let Some(session) = &self.session {
                    session
                        .rows
                        .send_replace(Some(RowsOnScreen { jump, first, last }));
                }
            }
            Command::Group(name) => {
                if let Some(session) = &self.session {
                    session.groups.send_replace(name);
                }
            }
            Command::PutProfile(profile) => {
                self.change_profiles(move |profiles| profiles.put_profile(&profile));
            }
            Command::RemoveProfile(name) => {
                self.change_profiles(move |profiles| profiles.remove_profile(&name));
            }
            Command::Plan(_)
            | Command::Apply(_)
            | Command::StopApplying
            | Command::CheckEntry(_)
            | Command::CloseEntry(_)
            | Command::Unlock(_) => {
                if let Some(session) = &self.session {
                    session.moving.take(command, self.clock.now());
                }
            }
            Command::Search(_)
            | Command::SearchControl(_)
            | Command::WantSchema(_)
            | Command::Export(_)
            | Command::CancelExport => self.browse(command),
            Command::FindGaps(_) | Command::Dismiss { .. } => {
                if let Some(session) = &self.session {
                    session.lookout.take(command);
                }
            }
            Command::FindLocal => self.find_local(),
            Command::OpenLinks(opens) => opener::take(&self.publisher, Some(opens)),
            Command::Ask(id, request) => self.ask(id, request),
            Command::Cancel(id, reason) => {
                if let Some(cancel) = self.asked.remove(&id) {
                    cancel.cancel(reason);
                }
            }
        }
    }

    fn change_profiles(&self, change: impl FnOnce(&dyn Profiles) -> Known<()> + Send + 'static) {
        moving::change_profiles(&self.publisher, &self.files, &self.profiles_changed, change);
    }

    fn end_session(&mut self) {
        for cancel in std::mem::take(&mut self.asked).into_values() {
            cancel.cancel(StoppedBy::Interrupt);
        }
        self.session = None;
    }

    fn connect(&mut self, target: ConnectTarget) {
        self.end_session();
        let id = self.publisher.begin_session();
        let (name, rate, reached) = match &target {
            ConnectTarget::Bus(settings) => (
                Arc::from(settings.bootstrap.as_str()),
                Rate::for_bus(is_on_this_machine(&settings.bootstrap)),
                Reached {
                    profile: settings.profile.clone(),
                    bootstrap: settings.bootstrap.clone(),
                    demo: false,
                },
            ),
            ConnectTarget::Demo(_) => (
                Arc::from("demo bus"),
                Rate::for_bus(true),
                Reached {
                    demo: true,
                    ..Reached::default()
                },
            ),
        };
        let schemas = match &target {
            ConnectTarget::Bus(settings) => Book::new(settings),
            ConnectTarget::Demo(_) => Book::new(&ConnectionSettings::default()),
        };
        self.publisher.update(id, |snapshot| {
            snapshot.connection = Connection::Connecting {
                to: Arc::clone(&name),
            };
            snapshot.schemas = schemas.shown();
        });
        schemas.read_files(&self.publisher, id);
        let (ready, bus) = watch::channel(None);
        let publisher = Arc::clone(&self.publisher);
        let files = self.files.clone();
        let connecting =
            tokio::spawn(
                async move { connecting(target, name, ready, publisher, id, files).await },
            );
        self.session = Some(Session {
            id,
            bus,
            rate,
            tasks: vec![connecting],
            views: watch::channel(None).0,
            tables: watch::channel(None).0,
            rows: watch::channel(None).0,
            groups: watch::channel(None).0,
            refreshed: watch::channel(0).0,
            moving: Moving::new(reached),
            lookout: Lookout::new(),
            browsing: Browsing::default(),
            schemas,
            exports: Exports::default(),
            watched: false,
        });
    }

    /// Starts what keeps the window's snapshot fresh, once a session.
    fn watch(&mut self) {
        let Some(session) = self.session.as_mut().filter(|session| !session.watched) else {
            return;
        };
        session.watched = true;
        let (id, rate, clock) = (session.id, session.rate, self.clock);
        let publisher = Arc::clone(&self.publisher);
        let (views, tables) = (session.views.subscribe(), session.tables.subscribe());
        let rows = session.rows.subscribe();
        let refreshed = session.refreshed.clone();
        let looked_at = near::LookedAt {
            views: views.clone(),
            tables: tables.clone(),
            group: session.groups.subscribe(),
        };
        let mut ready = session.bus.clone();
        let around = Surroundings {
            publisher: Arc::clone(&publisher),
            session: id,
            clock,
            files: self.files.clone(),
            profiles_changed: Arc::clone(&self.profiles_changed),
        };
        let reached = session.moving.reached();
        let moving = session.moving.listening(around);
        let lookout = session.lookout.listening();
        let (files, schemas) = (self.files.clone(), session.schemas.blocking());
        session.tasks.push(tokio::spawn(async move {
            let Some(bus) = connected(&mut ready).await else {
                return;
            };
            // Ends with the session: aborting this task drops the set, which aborts what is in it.
            let mut all = JoinSet::new();
            let (for_view, for_table) = (refreshed.subscribe(), refreshed.subscribe());
            let for_findings = refreshed.subscribe();
            all.spawn(watching::watch(
                Arc::clone(&bus),
                Arc::clone(&publisher),
                id,
                clock,
                looked_at,
                refreshed,
            ));
            let following = view::Following {
                bus: Arc::clone(&bus),
                publisher: Arc::clone(&publisher),
                session: id,
                clock,
                rate,
            };
            all.spawn(view::follow(following, views, for_view));
            let asked = table::Asked {
                requests: tables,
                rows,
                refreshed: for_table,
            };
            if let Some(moving) = moving {
                moving.start(Arc::clone(&bus), &mut all);
            }
            if let Some(lookout) = lookout {
                let live = Live {
                    desk: Desk {
                        bus: Arc::clone(&bus),
                        clock,
                        files,
                        reached,
                    },
                    publisher: Arc::clone(&publisher),
                    session: id,
                    rate,
                    schemas,
                };
                lookout.start(live, for_findings, &mut all);
            }
            all.spawn(table::follow(bus, publisher, id, rate, asked));
            while all.join_next().await.is_some() {}
        }));
    }

    /// Hands on what searching and exporting need of the session.
    fn browse(&mut self, command: Command) {
        let Some(session) = &mut self.session else {
            return;
        };
        let (clock, files, reached) = (self.clock, self.files.clone(), session.moving.reached());
        let around = browsing::Session {
            bus: session.bus.clone(),
            publisher: Arc::clone(&self.publisher),
            id: session.id,
            schemas: session.schemas.blocking(),
            desk: Box::new(move |bus| Desk {
                bus,
                clock,
                files,
                reached,
            }),
        };
        match command {
            Command::Search(request) => {
                session
                    .browsing
                    .search(around, request.map(|request| *request));
            }
            Command::SearchControl(order) => session.browsing.control(order),
            Command::WantSchema(id) => session.schemas.want(id, &self.publisher, session.id),
            other => session.exports.take(other, around),
        }
    }

    fn find_local(&self) {
        let publisher = Arc::clone(&self.publisher);
        tokio::spawn(async move {
            let named = std::env::var(local::ENVIRONMENT).ok();
            let found = local::find(named.as_deref()).await;
            let session = publisher.session();
            publisher.update(session, |snapshot| snapshot.local = Arc::new(found));
        });
    }

    fn ask(&mut self, id: TaskId, request: Request) {
        let publisher = Arc::clone(&self.publisher);
        let Some(session) = &mut self.session else {
            let session = publisher.session();
            tokio::spawn(async move {
                let problem = Problem::new(ProblemKind::Unreachable, "connected to nothing");
                publisher
                    .tell(session, EventKind::Finished(id, Err(problem)))
                    .await;
            });
            return;
        };
        let cancel = Cancel::default();
        self.asked.insert(id, cancel.clone());
        let question = Question {
            id,
            session: session.id,
            rate: session.rate,
            clock: self.clock,
            publisher,
            cancel,
            files: self.files.clone(),
            reached: session.moving.reached(),
            schemas: session.schemas.blocking(),
        };
        let mut ready = session.bus.clone();
        session.tasks.push(tokio::spawn(async move {
            let answer = match connected(&mut ready).await {
                Some(bus) => question.answer(bus, request).await,
                None => Err(Problem::new(
                    ProblemKind::Unreachable,
                    "connected to nothing",
                )),
            };
            question
                .publisher
                .tell(question.session, EventKind::Finished(id, answer))
                .await;
        }));
        session.tasks.retain(|task| !task.is_finished());
    }
}

/// Waits for the bus; `None` when there will be none.
async fn connected(ready: &mut watch::Receiver<Option<Arc<dyn Bus>>>) -> Option<Arc<dyn Bus>> {
    let bus = ready.wait_for(Option::is_some).await.ok()?;
    bus.clone()
}

/// Connects and keeps hold of what the connection needs until the session ends.
async fn connecting(
    target: ConnectTarget,
    name: Arc<str>,
    ready: watch::Sender<Option<Arc<dyn Bus>>>,
    publisher: Arc<Publisher>,
    id: SessionId,
    files: Files,
) {
    let profile = match &target {
        ConnectTarget::Bus(settings) => settings.profile.clone(),
        ConnectTarget::Demo(_) => None,
    };
    let demo = matches!(target, ConnectTarget::Demo(_));
    let attempt = match target {
        ConnectTarget::Bus(settings) => kafka::connect(&settings).await.map(|bus| (bus, None)),
        ConnectTarget::Demo(size) => connect_demo(size)
            .await
            .map(|(bus, child)| (bus, Some(child))),
    };
    match attempt {
        Ok((bus, child)) => {
            publisher.update(id, |snapshot| {
                snapshot.connection = Connection::Connected {
                    to: name,
                    demo,
                    degraded: None,
                };
            });
            if let Some(profile) = profile {
                access::learn(&bus, &files, profile).await;
            }
            ready.send_replace(Some(Arc::new(bus)));
            publisher.tell(id, EventKind::Connected).await;
            // The demo bus runs as long as the session: this task is aborted with it, which drops the child.
            let _child = child;
            std::future::pending::<()>().await;
        }
        Err(problem) => {
            publisher.update(id, |snapshot| {
                snapshot.connection = Connection::Failed {
                    to: name,
                    problem: problem.clone(),
                };
            });
            publisher.tell(id, EventKind::ConnectFailed(problem)).await;
        }
    }
}

/// Starts the demo bus as a child process of this program and connects to it like to any other.
async fn connect_demo(size: DemoSize) -> Known<(kafka::KafkaBus, DemoChild)> {
    let starting = tokio::task::spawn_blocking(move || start_demo(size));
    let child = starting.await.map_err(|error| {
        Problem::new(
            ProblemKind::Other,
            format!("the demo bus cannot be started ({error})"),
        )
    })??;
    let bus = kafka::connect(&ConnectionSettings::to(child.bootstrap())).await?;
    Ok((bus, child))
}

fn start_demo(size: DemoSize) -> Known<DemoChild> {
    let cannot = |error: &dyn std::fmt::Display| {
        Problem::new(
            ProblemKind::Other,
            format!("the demo bus cannot be started ({error})"),
        )
    };
    let program = std::env::current_exe().map_err(|error| cannot(&error))?;
    DemoChild::spawn(&program, &demo_arguments(size)).map_err(|error| cannot(&error))
}

/// The demo bus's size as arguments of `tideline demo`.
fn demo_arguments(size: DemoSize) -> Vec<String> {
    let sizes = [
        ("--topics", u64::from(size.topics)),
        ("--partitions", u64::from(size.partitions)),
        ("--groups", u64::from(size.groups)),
        ("--records", size.records),
        ("--rate", u64::from(size.rate)),
    ];
    sizes
        .into_iter()
        .filter(|(_, value)| *value > 0)
        .flat_map(|(name, value)| [name.to_owned(), value.to_string()])
        .collect()
}

/// Whether every address is one of this machine.
fn is_on_this_machine(bootstrap: &str) -> bool {
    bootstrap.split(',').all(|address| {
        let address = address.trim();
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        host == "localhost" || host.starts_with("127.") || host == "[::1]"
    })
}
