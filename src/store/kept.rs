//! The file for what must not be lost.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use rusqlite::{Transaction, TransactionBehavior};

use crate::model::{Known, Problem};

use super::{Store, place, problem};

/// The file, opened when it is first needed. Threads take turns; other processes may have it open too.
#[derive(Debug)]
pub(super) struct Kept {
    file: PathBuf,
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    store: Store,
    /// Which file it is: one that was moved away or deleted meanwhile is not written to.
    which: Option<place::Which>,
}

impl Kept {
    pub(super) fn new(file: PathBuf) -> Self {
        Self {
            file,
            open: Mutex::new(None),
        }
    }

    /// Reads; where there is no file yet there is nothing in it, and none is made.
    pub(super) fn read<T: Default>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Known<T>>,
    ) -> Known<T> {
        if !self.file.exists() {
            return Ok(T::default());
        }
        self.transact(TransactionBehavior::Deferred, work)
    }

    /// Writes, all or nothing; what has returned is on the disk. `work`'s own problem undoes it.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Known<T>>,
    ) -> Known<T> {
        self.transact(TransactionBehavior::Immediate, work)
    }

    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Known<T>>,
    ) -> Known<T> {
        let mut open = self.open.lock();
        if open
            .as_ref()
            .is_some_and(|open| open.which != place::which(&self.file))
        {
            *open = None;
        }
        let present = match open.take() {
            Some(present) => present,
            None => Open::of(&self.file)?,
        };
        let connection = &mut open.insert(present).store.connection;
        let run = || -> rusqlite::Result<Known<T>> {
            let transaction = connection.transaction_with_behavior(behavior)?;
            let done = work(&transaction)?;
            if done.is_ok() {
                transaction.commit()?;
            }
            Ok(done)
        };
        run().unwrap_or_else(|error| Err(self.problem(&error)))
    }

    fn problem(&self, error: &rusqlite::Error) -> Problem {
        problem(&self.file, error)
    }
}

impl Open {
    fn of(file: &Path) -> Known<Self> {
        let store = Store::open(file)?;
        // In the log that SQLite writes first, every commit is then on the disk when it returns.
        let durable = store
            .connection
            .pragma_update(None, "synchronous", "full")
            .and_then(|()| store.connection.pragma_update(None, "foreign_keys", true));
        durable.map_err(|error| problem(file, &error))?;
        Ok(Self {
            store,
            which: place::which(file),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_commit_is_synced_and_a_new_file_takes_the_place_of_one_that_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tideline.db");
        let kept = Kept::new(file.clone());
        let settings = |transaction: &Transaction<'_>| {
            let level: i64 =
                transaction.pragma_query_value(None, "synchronous", |row| row.get(0))?;
            let mode: String =
                transaction.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            Ok(Ok((level, mode)))
        };
        // 2 is FULL.
        assert_eq!(kept.write(settings), Ok((2, "wal".to_owned())));
        for name in ["tideline.db", "tideline.db-wal", "tideline.db-shm"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        assert_eq!(kept.write(settings), Ok((2, "wal".to_owned())));
        assert!(file.exists());
    }
}
