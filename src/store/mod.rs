//! What Tideline keeps from one run to the next: one SQLite file in the person's data folder.
//!
//! | part | what it is |
//! |---|---|
//! | [`Store`] | the open file, its version, and the way from older versions |
//! | `place` | where the file is, and who may read it |
//! | `settings` | what the window remembers, by name |
//! | `kept` | the file for what must not be lost: opened when it is first needed, every write on the disk when it returns |
//! | `journal` | changes to groups, [`JournalFile`] |
//! | `profiles` | named connections, [`ProfilesFile`] |
//! | `observations` | what was seen of clusters over time, and findings put aside, [`ObservationsFile`] |
//!
//! What holds here: the file may be open in several Tidelines at once. A file that is damaged, of a newer
//! version or not ours is not written to; the problem says so, and whoever asked goes on without it. No
//! secret is kept: a profile that holds one is refused, an address with more in it than hosts and ports is left out. Nothing here knows the bus, the engine or anything drawn.

mod journal;
mod kept;
mod observations;
mod place;
mod profiles;
mod settings;

pub use journal::JournalFile;
pub use observations::ObservationsFile;
pub use profiles::ProfilesFile;

pub use place::{file_in, usual_file};

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::model::{Known, Problem, ProblemKind};

/// "Tide" in the file's head says whose it is.
const APPLICATION_ID: i32 = 0x5469_6465;
/// How long to wait for another Tideline that is writing.
const BUSY: Duration = Duration::from_secs(2);
/// What each version adds to the one before; the first makes version 1.
const MIGRATIONS: [&str; 4] = [
    "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
    // A bookmark is three columns; its offset is null when there is none. `number` is the order of arrival.
    "CREATE TABLE journal (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        at_ms INTEGER NOT NULL,
        user TEXT NOT NULL,
        cluster_id TEXT,
        bootstrap TEXT NOT NULL,
        group_name BLOB NOT NULL,
        target TEXT NOT NULL,
        state TEXT NOT NULL,
        undoes TEXT
    ) STRICT;
    CREATE TABLE journal_confirmed (
        entry INTEGER NOT NULL REFERENCES journal (number),
        place INTEGER NOT NULL,
        words TEXT NOT NULL,
        PRIMARY KEY (entry, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE journal_rows (
        entry INTEGER NOT NULL REFERENCES journal (number),
        place INTEGER NOT NULL,
        topic TEXT NOT NULL,
        partition INTEGER NOT NULL,
        topic_id TEXT,
        before_offset INTEGER,
        before_epoch INTEGER,
        before_metadata BLOB,
        after_offset INTEGER,
        after_epoch INTEGER,
        after_metadata BLOB,
        outcome TEXT NOT NULL,
        refusal TEXT,
        was_read INTEGER NOT NULL,
        read_offset INTEGER,
        read_epoch INTEGER,
        read_metadata BLOB,
        PRIMARY KEY (entry, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE profiles (
        name TEXT PRIMARY KEY,
        bootstrap TEXT NOT NULL,
        read_only INTEGER NOT NULL,
        production INTEGER NOT NULL,
        cluster_id TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE profile_properties (
        profile TEXT NOT NULL REFERENCES profiles (name),
        place INTEGER NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (profile, place)
    ) STRICT, WITHOUT ROWID;",
    "CREATE TABLE profile_links (
        profile TEXT NOT NULL REFERENCES profiles (name),
        place INTEGER NOT NULL,
        name TEXT NOT NULL,
        template TEXT NOT NULL,
        PRIMARY KEY (profile, place)
    ) STRICT, WITHOUT ROWID;",
    // A topic made anew has another id. `number` is the order of arrival.
    "CREATE TABLE seen_topics (
        cluster TEXT NOT NULL,
        topic_id TEXT NOT NULL,
        topic TEXT NOT NULL,
        first_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (cluster, topic_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE seen_counts (
        cluster TEXT NOT NULL,
        topic_id TEXT NOT NULL,
        until_ms INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (cluster, topic_id, until_ms)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE seen_partitions (
        cluster TEXT NOT NULL,
        topic_id TEXT NOT NULL,
        partition INTEGER NOT NULL,
        log_start INTEGER NOT NULL,
        high_watermark INTEGER NOT NULL,
        PRIMARY KEY (cluster, topic_id, partition)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE seen_commits (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        cluster TEXT NOT NULL,
        group_name BLOB NOT NULL,
        topic TEXT NOT NULL,
        topic_id TEXT NOT NULL,
        partition INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        to_offset INTEGER,
        epoch INTEGER,
        log_end INTEGER,
        had_members INTEGER
    ) STRICT;
    CREATE INDEX seen_commits_place ON seen_commits (cluster, group_name, topic_id, partition, number);
    CREATE TABLE dismissals (
        cluster TEXT NOT NULL,
        finding TEXT NOT NULL,
        reason TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        user TEXT NOT NULL,
        PRIMARY KEY (cluster, finding)
    ) STRICT, WITHOUT ROWID;",
];

/// The open file.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
}

impl Store {
    /// Opens `file`, makes it when there is none, and brings it to the present version. May wait for another
    /// Tideline for two seconds.
    ///
    /// # Errors
    /// The file cannot be made or read, is damaged, is of a newer version, or is something else's.
    pub fn open(file: &Path) -> Known<Self> {
        place::prepare(file)?;
        if place::holds_something(file)? {
            look(file)?;
        }
        let mut connection = Connection::open_with_flags(
            file,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(|error| problem(file, &error))?;
        let opened = set_up(&connection).and_then(|()| migrate(&mut connection));
        match opened {
            Ok(Some(newer)) => Err(too_new(file, newer)),
            Ok(None) => Ok(Self { connection }),
            Err(error) => Err(problem(file, &error)),
        }
    }
}

/// Looks at a file without changing it.
fn look(file: &Path) -> Known<()> {
    let reading = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let read = || -> rusqlite::Result<(i32, i64, String)> {
        let connection = Connection::open_with_flags(file, reading)?;
        connection.busy_timeout(BUSY)?;
        let owner = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let state = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok((owner, version, state))
    };
    let (owner, version, state) = read().map_err(|error| problem(file, &error))?;
    if state != "ok" {
        return Err(damaged(file));
    }
    if owner != APPLICATION_ID && (owner, version) != (0, 0) {
        return Err(foreign(file));
    }
    if version > newest() {
        return Err(too_new(file, version));
    }
    Ok(())
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    // Another Tideline that opens the file at the same moment may be in the way; then it has done this.
    match connection.pragma_update(None, "journal_mode", "wal") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        other => other?,
    }
    connection.pragma_update(None, "synchronous", "normal")
}

/// Brings the file to the present version, all or nothing; its version when that is newer.
fn migrate(connection: &mut Connection) -> rusqlite::Result<Option<i64>> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > newest() {
        return Ok(Some(version));
    }
    if version < newest() {
        for (made, migration) in (1_i64..).zip(MIGRATIONS) {
            if made > version {
                change.execute_batch(migration)?;
            }
        }
        change.pragma_update(None, "application_id", APPLICATION_ID)?;
        change.pragma_update(None, "user_version", newest())?;
    }
    change.commit()?;
    Ok(None)
}

fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

fn problem(file: &Path, error: &rusqlite::Error) -> Problem {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(file),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Problem::new(
            ProblemKind::TimedOut,
            format!("{} is in use by another program", file.display()),
        ),
        _ => Problem::new(
            ProblemKind::Other,
            format!("{} cannot be used ({error})", file.display()),
        ),
    }
}

fn damaged(file: &Path) -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        format!(
            "{} is damaged; it was left as it is, and a new one is made once it is moved away",
            file.display()
        ),
    )
}

fn foreign(file: &Path) -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        format!(
            "{} belongs to another program and was left as it is",
            file.display()
        ),
    )
}

fn too_new(file: &Path, version: i64) -> Problem {
    Problem::new(
        ProblemKind::Unsupported,
        format!(
            "{} was written by a newer Tideline (version {version} of the file, this one knows {}) and was left as it is",
            file.display(),
            newest()
        ),
    )
}

#[cfg(test)]
mod tests;
