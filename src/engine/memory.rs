//! What the window remembers from one run to the next: read once at the start, written by a thread of its
//! own, so that the window never waits for a disk.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;

use crate::model::{Known, Problem, ProblemKind};
use crate::store::Store;

/// Settings by name.
pub type Settings = BTreeMap<String, String>;

/// What the window holds of its memory. [`SettingsFile`] is the real one; tests of the window make their own.
pub trait Memory: fmt::Debug + Send + Sync {
    /// What was remembered when the window began.
    fn loaded(&self) -> Settings;

    /// Hands settings over to be kept, without waiting; `false` when too much waits already.
    fn keep(&self, settings: Settings) -> bool;

    /// Why nothing is remembered; told once.
    fn problem(&self) -> Option<Problem>;
}

/// How many changes may wait to be written; they come once a second at most.
const WAITING: usize = 16;

/// Settings in a file, written in the background until it is dropped; then what waits is written first.
#[derive(Debug)]
pub struct SettingsFile {
    loaded: Settings,
    changes: Option<SyncSender<Settings>>,
    thread: Option<JoinHandle<()>>,
    problem: Arc<Mutex<Option<Problem>>>,
}

impl SettingsFile {
    /// Reads `file`. When that is not possible it stays as it is, nothing is remembered, and
    /// [`Memory::problem`] says why.
    pub fn open(file: Known<&Path>) -> Self {
        let begun = file.and_then(Store::open).and_then(|store| {
            let loaded = store.settings()?;
            Ok((store, loaded))
        });
        let problem = Arc::new(Mutex::new(None));
        let nothing = |why: Problem| {
            *problem.lock() = Some(why.within("nothing is remembered"));
            Self {
                loaded: Settings::new(),
                changes: None,
                thread: None,
                problem: Arc::clone(&problem),
            }
        };
        let (store, loaded) = match begun {
            Ok(begun) => begun,
            Err(why) => return nothing(why),
        };
        let (changes, waiting) = sync_channel(WAITING);
        let told = Arc::clone(&problem);
        let thread = std::thread::Builder::new()
            .name("settings".to_owned())
            .spawn(move || write(store, &waiting, &told));
        match thread {
            Ok(thread) => Self {
                loaded,
                changes: Some(changes),
                thread: Some(thread),
                problem,
            },
            Err(error) => nothing(Problem::new(
                ProblemKind::Other,
                format!("a thread cannot be started ({error})"),
            )),
        }
    }
}

/// Writes what comes until nothing can come any more. The first failure is told and the last: later ones
/// would say the same.
fn write(mut store: Store, waiting: &Receiver<Settings>, told: &Mutex<Option<Problem>>) {
    while let Ok(mut settings) = waiting.recv() {
        while let Ok(later) = waiting.try_recv() {
            settings.extend(later);
        }
        if let Err(why) = store.put_settings(&settings) {
            *told.lock() = Some(why.within("changes are no longer remembered"));
            return;
        }
    }
}

impl Memory for SettingsFile {
    fn loaded(&self) -> Settings {
        self.loaded.clone()
    }

    fn keep(&self, settings: Settings) -> bool {
        // Where nobody writes there is nothing to try again.
        self.changes.as_ref().is_none_or(|changes| {
            !matches!(
                changes.try_send(settings),
                Err(std::sync::mpsc::TrySendError::Full(_))
            )
        })
    }

    fn problem(&self) -> Option<Problem> {
        self.problem.lock().take()
    }
}

impl Drop for SettingsFile {
    fn drop(&mut self) {
        self.changes = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by then.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(key: &str, value: &str) -> Settings {
        Settings::from([(key.to_owned(), value.to_owned())])
    }

    #[test]
    fn what_waits_is_written_before_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tideline").join("tideline.db");
        let memory = SettingsFile::open(Ok(&file));
        assert!(memory.loaded().is_empty());
        for number in 0..10 {
            assert!(memory.keep(settings("scale", &number.to_string())));
        }
        assert!(memory.keep(settings("theme", "\"light\"")));
        drop(memory);
        let memory = SettingsFile::open(Ok(&file));
        assert_eq!(memory.loaded()["scale"], "9");
        assert_eq!(memory.loaded()["theme"], "\"light\"");
        assert_eq!(memory.problem(), None);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_told_once_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tideline.db");
        std::fs::write(&file, "this is no database, whatever its name says").unwrap();
        let memory = SettingsFile::open(Ok(&file));
        let problem = memory.problem().unwrap();
        assert!(
            problem.message.starts_with("nothing is remembered: "),
            "{problem}"
        );
        assert_eq!(memory.problem(), None);
        assert!(memory.keep(settings("scale", "2")));
        drop(memory);
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            "this is no database, whatever its name says"
        );
    }

    #[test]
    fn a_place_that_is_not_there_is_told() {
        let why = Problem::new(ProblemKind::NotFound, "there is no folder for data");
        let memory = SettingsFile::open(Err(why));
        assert_eq!(
            &*memory.problem().unwrap().message,
            "nothing is remembered: there is no folder for data"
        );
    }
}
