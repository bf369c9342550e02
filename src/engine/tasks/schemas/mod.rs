//! The schemas of a session: each is fetched and understood once, for everybody.
//!
//! A [`Book`] has two faces. Threads that read records may wait, and are given what [`Book::blocking`] returns: it asks
//! the registry and comes back with an answer. The window must not wait: it sees what `Snapshot::schemas` holds, says
//! with `Command::WantSchema` what it lacks, and is shown the answer in a later snapshot.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::Semaphore;

use crate::bus::registry::{FailureKind, Registry, RegistrySettings};
use crate::decode::schema::{Schema, SchemaId, SchemaKind, SchemaState, Schemas};
use crate::decode::value::Part;
use crate::engine::SessionId;
use crate::engine::publish::Publisher;
use crate::model::ConnectionSettings;

/// How long a schema that is not there, or cannot be used, is not asked for again.
const UNKNOWN: Duration = Duration::from_mins(1);
/// How long nothing is asked of a registry that does not answer, or the same of one that refused it.
const DOWN: Duration = Duration::from_secs(10);
/// How long one thread waits for the question of another, which ends by itself before that.
const SHARED: Duration = Duration::from_secs(40);
/// No more schemas are kept.
const MOST_KEPT: usize = 4_096;
/// After so many unknown numbers in [`UNKNOWN`] no other is asked for: what is read is no message of a schema.
const MOST_UNKNOWN: usize = 500;
/// How many questions of the window may be under way.
const TURNS: usize = 4;

/// The schemas of a session.
pub(in crate::engine) struct Book(Arc<Inner>);

struct Inner {
    /// The registry as the settings name it, or why they cannot be used.
    named: Result<Option<RegistrySettings>, String>,
    /// The same, ready to be asked: certificates are read from files when it is first needed.
    registry: OnceLock<Result<Registry, String>>,
    files: Vec<(String, PathBuf)>,
    /// What the files hold, by topic.
    chosen: OnceLock<HashMap<String, Arc<Schema>>>,
    state: Mutex<State>,
    /// Woken when an answer came.
    came: Condvar,
    /// What the window is shown, and until when that is worth showing.
    shown: Mutex<HashMap<SchemaId, (SchemaState, Option<Instant>)>>,
    /// What the window has asked for and waits for.
    wanted: Mutex<HashSet<SchemaId>>,
    turns: Semaphore,
}

#[derive(Default)]
struct State {
    entries: HashMap<SchemaId, Entry>,
    /// The numbers of `entries` that have an answer, the oldest first.
    order: VecDeque<SchemaId>,
    /// Since when the registry knew no schema of a number, for each of them, the oldest first.
    unknown: VecDeque<Instant>,
    /// Until when the registry is not asked at all, and why.
    down: Option<(Instant, String)>,
}

enum Entry {
    /// Somebody asks.
    Asking,
    Known(Arc<Schema>),
    Failed {
        until: Instant,
        why: String,
    },
}

impl Book {
    /// The schemas that a connection's settings lead to. Asks and reads nothing yet.
    pub(in crate::engine) fn new(settings: &ConnectionSettings) -> Self {
        Self(Arc::new(Inner {
            named: RegistrySettings::of(settings),
            registry: OnceLock::new(),
            files: settings.schema_files.clone(),
            chosen: OnceLock::new(),
            state: Mutex::default(),
            came: Condvar::new(),
            shown: Mutex::default(),
            wanted: Mutex::default(),
            turns: Semaphore::new(TURNS),
        }))
    }

    /// For threads that may wait: asks the registry when it has to, for half a minute at most. Whoever asks for a
    /// schema that another thread is asking for waits for the same answer.
    pub(in crate::engine) fn blocking(&self) -> Arc<dyn Schemas> {
        Arc::new(Blocking(Arc::clone(&self.0)))
    }

    /// For the window: what is known now.
    pub(in crate::engine) fn shown(&self) -> Arc<dyn Schemas> {
        Arc::new(self.0.published())
    }

    /// Reads chosen files, and shows them once they are read.
    pub(in crate::engine) fn read_files(&self, publisher: &Arc<Publisher>, session: SessionId) {
        if self.0.files.is_empty() {
            return;
        }
        let (inner, publisher) = (Arc::clone(&self.0), Arc::clone(publisher));
        tokio::task::spawn_blocking(move || {
            inner.chosen();
            publisher.update(session, |snapshot| {
                snapshot.schemas = Arc::new(inner.published());
            });
        });
    }

    /// Asks for a schema that the window needs, and shows the answer when it comes.
    pub(in crate::engine) fn want(
        &self,
        id: SchemaId,
        publisher: &Arc<Publisher>,
        session: SessionId,
    ) {
        if !self.0.wanted.lock().insert(id) {
            return;
        }
        let (inner, publisher) = (Arc::clone(&self.0), Arc::clone(publisher));
        let schemas = self.blocking();
        tokio::spawn(async move {
            // The semaphore is never closed.
            let _turn = inner.turns.acquire().await;
            let asked = tokio::task::spawn_blocking(move || schemas.by_id(id)).await;
            let state = asked.unwrap_or_else(|_| SchemaState::Failed(broke_off(id)));
            let until = match state {
                SchemaState::Failed(_) => Some(inner.until(id)),
                _ => None,
            };
            inner.shown.lock().insert(id, (state, until));
            inner.wanted.lock().remove(&id);
            publisher.update(session, |snapshot| {
                snapshot.schemas = Arc::new(inner.published());
            });
        });
    }
}

fn broke_off(id: SchemaId) -> String {
    format!("asking for schema {id} broke off")
}

impl Inner {
    fn published(&self) -> Published {
        let registry = match &self.named {
            Ok(Some(_)) => None,
            Ok(None) => Some(SchemaState::NoRegistry),
            Err(why) => Some(SchemaState::Failed(why.clone())),
        };
        Published {
            registry,
            known: self.shown.lock().clone(),
            chosen: self.chosen.get().cloned().unwrap_or_default(),
        }
    }

    /// The chosen schemas, read when they are first needed.
    fn chosen(&self) -> &HashMap<String, Arc<Schema>> {
        self.chosen.get_or_init(|| {
            let files = self.files.iter();
            files
                .map(|(topic, path)| (topic.clone(), Arc::new(read(path))))
                .collect()
        })
    }

    fn ask(&self, id: SchemaId) -> SchemaState {
        let settings = match &self.named {
            Ok(None) => return SchemaState::NoRegistry,
            Err(why) => return SchemaState::Failed(why.clone()),
            Ok(Some(settings)) => settings,
        };
        let mut state = self.state.lock();
        loop {
            match state.answer(id, Instant::now()) {
                Answer::Is(answer) => return answer,
                Answer::UnderWay => {
                    if self.came.wait_for(&mut state, SHARED).timed_out() {
                        return SchemaState::Failed(broke_off(id));
                    }
                }
                Answer::Open => break,
            }
        }
        state.entries.insert(id, Entry::Asking);
        drop(state);
        let mut turn = Turn {
            inner: self,
            id,
            answer: None,
        };
        let answer = self.fetch(settings, id);
        turn.answer = Some(answer);
        drop(turn);
        match self.state.lock().answer(id, Instant::now()) {
            Answer::Is(answer) => answer,
            Answer::UnderWay | Answer::Open => SchemaState::Failed(broke_off(id)),
        }
    }

    fn fetch(
        &self,
        settings: &RegistrySettings,
        id: SchemaId,
    ) -> Result<Arc<Schema>, (FailureKind, String)> {
        let registry = self
            .registry
            .get_or_init(|| Registry::new(settings.clone()));
        let registry = registry
            .as_ref()
            .map_err(|why| (FailureKind::Refused, why.clone()))?;
        let text = registry
            .schema(id.0)
            .map_err(|failure| (failure.kind, failure.message))?;
        Schema::new(text.kind, &text.text, &text.references)
            .map(Arc::new)
            .map_err(|why| (FailureKind::Unknown, format!("schema {id}: {why}")))
    }

    /// Until when a failure is worth showing.
    fn until(&self, id: SchemaId) -> Instant {
        let state = self.state.lock();
        match (state.entries.get(&id), &state.down) {
            (Some(Entry::Failed { until, .. }), _) | (_, Some((until, _))) => *until,
            _ => Instant::now() + DOWN,
        }
    }
}

/// One question; when it ends, however it does, others are told.
struct Turn<'a> {
    inner: &'a Inner,
    id: SchemaId,
    answer: Option<Result<Arc<Schema>, (FailureKind, String)>>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.inner.state.lock();
        match self.answer.take() {
            Some(answer) => state.keep(self.id, answer, Instant::now()),
            None => drop(state.entries.remove(&self.id)),
        }
        self.inner.came.notify_all();
    }
}

enum Answer {
    Is(SchemaState),
    UnderWay,
    /// Somebody has to ask.
    Open,
}

impl State {
    fn answer(&mut self, id: SchemaId, now: Instant) -> Answer {
        match self.entries.get(&id) {
            Some(Entry::Known(schema)) => {
                return Answer::Is(SchemaState::Known(Arc::clone(schema)));
            }
            Some(Entry::Failed { until, why }) if now < *until => {
                return Answer::Is(SchemaState::Failed(why.clone()));
            }
            Some(Entry::Asking) => return Answer::UnderWay,
            _ => {}
        }
        if let Some((until, why)) = &self.down {
            if now < *until {
                return Answer::Is(SchemaState::Failed(why.clone()));
            }
            self.down = None;
        }
        while self.unknown.front().is_some_and(|at| *at + UNKNOWN <= now) {
            self.unknown.pop_front();
        }
        if self.unknown.len() >= MOST_UNKNOWN {
            return Answer::Is(SchemaState::Failed(format!(
                "schema {id} was not asked for: the registry knew none of {MOST_UNKNOWN} others within a minute, so these bytes may be no message of a schema"
            )));
        }
        Answer::Open
    }

    fn keep(
        &mut self,
        id: SchemaId,
        answer: Result<Arc<Schema>, (FailureKind, String)>,
        now: Instant,
    ) {
        let entry = match answer {
            Ok(schema) => Entry::Known(schema),
            Err((kind, why)) => {
                let lasts = match kind {
                    FailureKind::Unknown => {
                        self.unknown.push_back(now);
                        UNKNOWN
                    }
                    FailureKind::Refused => DOWN,
                    FailureKind::Down => {
                        self.down = Some((now + DOWN, why.clone()));
                        DOWN
                    }
                };
                Entry::Failed {
                    until: now + lasts,
                    why,
                }
            }
        };
        self.entries.insert(id, entry);
        self.order.retain(|known| *known != id);
        self.order.push_back(id);
        while self.order.len() > MOST_KEPT {
            if let Some(oldest) = self.order.pop_front() {
                self.entries.remove(&oldest);
            }
        }
    }
}

/// The schema in a chosen file. One that cannot be used says so with every record.
fn read(path: &std::path::Path) -> Schema {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kind = if name.to_ascii_lowercase().contains(".avsc") {
        SchemaKind::Avro
    } else {
        SchemaKind::Protobuf
    };
    // Behind a `#` stands which of its messages is meant.
    let whole = path.to_string_lossy();
    let file = whole.rsplit_once('#').map_or(&*whole, |(file, _)| file);
    match std::fs::read(file) {
        Ok(bytes) => {
            Schema::from_file_bytes(&name, &bytes).unwrap_or_else(|why| Schema::unusable(kind, why))
        }
        Err(error) => Schema::unusable(kind, format!("the file {file} cannot be read: {error}")),
    }
}

/// The face for threads that may wait.
struct Blocking(Arc<Inner>);

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocking").finish_non_exhaustive()
    }
}

impl Schemas for Blocking {
    fn by_id(&self, id: SchemaId) -> SchemaState {
        self.0.ask(id)
    }

    fn chosen(&self, topic: &str, part: Part) -> Option<Arc<Schema>> {
        match part {
            Part::Key => None,
            Part::Value => self.0.chosen().get(topic).cloned(),
        }
    }
}

/// The face for the window, as of one moment.
#[derive(Debug)]
struct Published {
    /// What is to be said of every schema, when nothing can be asked.
    registry: Option<SchemaState>,
    known: HashMap<SchemaId, (SchemaState, Option<Instant>)>,
    chosen: HashMap<String, Arc<Schema>>,
}

impl Schemas for Published {
    fn by_id(&self, id: SchemaId) -> SchemaState {
        if let Some(state) = &self.registry {
            return state.clone();
        }
        match self.known.get(&id) {
            // What failed a while ago is worth another question.
            Some((_, Some(until))) if *until <= Instant::now() => SchemaState::Pending,
            Some((state, _)) => state.clone(),
            None => SchemaState::Pending,
        }
    }

    fn chosen(&self, topic: &str, part: Part) -> Option<Arc<Schema>> {
        match part {
            Part::Key => None,
            Part::Value => self.chosen.get(topic).cloned(),
        }
    }
}
