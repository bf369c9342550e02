//! What is kept of every change to a group's offsets.

use std::path::PathBuf;

use rusqlite::types::Value;
use rusqlite::{Row, Transaction, params_from_iter};

use crate::model::{
    Bookmark, Journal, JournalEntry, JournalRow, JournalState, Known, Offset, PartitionId, Problem,
    ProblemKind, RowOutcome, Text, TimestampMs, TopicPartition, plain_address,
};

use super::kept::Kept;

/// The journal in the file. An address with more in it than hosts and ports is not kept, since it may hold a secret.
#[derive(Debug)]
pub struct JournalFile(Kept);

impl JournalFile {
    /// The journal in `file`, which is opened when it is first needed and made when something is first kept.
    pub fn new(file: PathBuf) -> Self {
        Self(Kept::new(file))
    }
}

impl Journal for JournalFile {
    fn add(&self, entry: &JournalEntry) -> Known<()> {
        self.0.write(|change| {
            if number_of(change, &entry.id)?.is_some() {
                return Ok(Err(Problem::new(
                    ProblemKind::Invalid,
                    "the journal has an entry of that name already",
                )));
            }
            let columns =
                "id, at_ms, user, cluster_id, bootstrap, group_name, target, state, undoes";
            change.execute(
                &format!(
                    "INSERT INTO journal ({columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
                ),
                params_from_iter(head(entry)),
            )?;
            let number = change.last_insert_rowid();
            put_parts(change, number, entry)?;
            Ok(Ok(()))
        })
    }

    fn update(&self, entry: &JournalEntry) -> Known<()> {
        self.0.write(|change| {
            let Some(number) = number_of(change, &entry.id)? else {
                return Ok(Err(Problem::new(
                    ProblemKind::NotFound,
                    "the journal has no entry of that name",
                )));
            };
            change.execute(
                "UPDATE journal SET at_ms = ?2, user = ?3, cluster_id = ?4, bootstrap = ?5,
                    group_name = ?6, target = ?7, state = ?8, undoes = ?9
                 WHERE id = ?1",
                params_from_iter(head(entry)),
            )?;
            change.execute("DELETE FROM journal_rows WHERE entry = ?1", [number])?;
            change.execute("DELETE FROM journal_confirmed WHERE entry = ?1", [number])?;
            put_parts(change, number, entry)?;
            Ok(Ok(()))
        })
    }

    fn entries(&self) -> Known<Vec<JournalEntry>> {
        self.0.read(|change| match read(change) {
            Ok(entries) => Ok(Ok(entries)),
            Err(Unread::Database(error)) => Err(error),
            Err(Unread::Strange(problem)) => Ok(Err(problem)),
        })
    }
}

fn number_of(change: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<i64>> {
    let mut statement = change.prepare("SELECT number FROM journal WHERE id = ?1")?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

/// What an entry's own row holds.
fn head(entry: &JournalEntry) -> [Value; 9] {
    [
        entry.id.clone().into(),
        entry.at.0.into(),
        entry.user.clone().into(),
        entry.cluster_id.clone().into(),
        plain_address(&entry.bootstrap).unwrap_or_default().into(),
        entry.group.as_bytes().to_vec().into(),
        entry.target.clone().into(),
        entry.state.name().to_owned().into(),
        entry.undoes.clone().into(),
    ]
}

/// Writes what lies in tables of its own.
fn put_parts(change: &Transaction<'_>, number: i64, entry: &JournalEntry) -> rusqlite::Result<()> {
    let mut statement = change
        .prepare("INSERT INTO journal_confirmed (entry, place, words) VALUES (?1, ?2, ?3)")?;
    for (place, words) in (0_i64..).zip(&entry.confirmed) {
        statement.execute((number, place, words))?;
    }
    let mut statement = change.prepare(
        "INSERT INTO journal_rows (entry, place, topic, partition, topic_id, outcome, refusal, was_read,
            before_offset, before_epoch, before_metadata, after_offset, after_epoch, after_metadata,
            read_offset, read_epoch, read_metadata)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?;
    for (place, row) in (0_i64..).zip(&entry.rows) {
        let (outcome, refusal) = match &row.outcome {
            RowOutcome::Unknown => (UNKNOWN, None),
            RowOutcome::Accepted => (ACCEPTED, None),
            RowOutcome::Refused(why) => (REFUSED, Some(why.clone())),
        };
        let own: [Value; 8] = [
            number.into(),
            place.into(),
            row.at.topic.to_string().into(),
            row.at.partition.0.into(),
            row.topic_id.clone().into(),
            outcome.to_owned().into(),
            refusal.into(),
            row.read_back.is_some().into(),
        ];
        let read_back = row.read_back.as_ref().and_then(Option::as_ref);
        let bookmarks = [row.before.as_ref(), row.after.as_ref(), read_back];
        let values = own
            .into_iter()
            .chain(bookmarks.into_iter().flat_map(columns_of));
        statement.execute(params_from_iter(values))?;
    }
    Ok(())
}

const UNKNOWN: &str = "unknown";
const ACCEPTED: &str = "accepted";
const REFUSED: &str = "refused";

/// Offset, epoch and metadata; nulls for no bookmark.
fn columns_of(bookmark: Option<&Bookmark>) -> [Value; 3] {
    match bookmark {
        None => [Value::Null, Value::Null, Value::Null],
        Some(bookmark) => [
            bookmark.offset.0.into(),
            bookmark.leader_epoch.into(),
            bookmark.metadata.as_bytes().to_vec().into(),
        ],
    }
}

/// The bookmark in three columns from `first` on.
fn bookmark_in(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Bookmark>> {
    let Some(offset) = row.get(first)? else {
        return Ok(None);
    };
    let metadata: Vec<u8> = row.get(first + 2)?;
    Ok(Some(Bookmark {
        offset: Offset(offset),
        leader_epoch: row.get(first + 1)?,
        metadata: Text::from_bytes(&metadata),
    }))
}

/// Why entries were not read.
enum Unread {
    Database(rusqlite::Error),
    /// A word that no version of the file has.
    Strange(Problem),
}

impl From<rusqlite::Error> for Unread {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

fn strange(word: &str) -> Unread {
    Unread::Strange(Problem::new(
        ProblemKind::Malformed,
        format!("the journal holds a word that is not understood: {word}"),
    ))
}

fn read(change: &Transaction<'_>) -> Result<Vec<JournalEntry>, Unread> {
    let mut heads = change.prepare(
        "SELECT number, id, at_ms, user, cluster_id, bootstrap, group_name, target, state, undoes
         FROM journal ORDER BY at_ms DESC, number DESC",
    )?;
    let mut confirmed =
        change.prepare("SELECT words FROM journal_confirmed WHERE entry = ?1 ORDER BY place")?;
    let mut parts = change.prepare(
        "SELECT topic, partition, topic_id, outcome, refusal, was_read,
            before_offset, before_epoch, before_metadata, after_offset, after_epoch, after_metadata,
            read_offset, read_epoch, read_metadata
         FROM journal_rows WHERE entry = ?1 ORDER BY place",
    )?;
    let mut found = heads.query([])?;
    let mut entries = Vec::new();
    while let Some(head) = found.next()? {
        let number: i64 = head.get(0)?;
        let group: Vec<u8> = head.get(6)?;
        let state: String = head.get(8)?;
        let words = confirmed.query_map([number], |row| row.get(0))?;
        let mut rows = Vec::new();
        let mut found = parts.query([number])?;
        while let Some(row) = found.next()? {
            rows.push(row_of(row)?);
        }
        entries.push(JournalEntry {
            id: head.get(1)?,
            at: TimestampMs(head.get(2)?),
            user: head.get(3)?,
            cluster_id: head.get(4)?,
            bootstrap: head.get(5)?,
            group: Text::from_bytes(&group),
            target: head.get(7)?,
            confirmed: words.collect::<rusqlite::Result<_>>()?,
            state: JournalState::from_name(&state).ok_or_else(|| strange(&state))?,
            rows,
            undoes: head.get(9)?,
        });
    }
    Ok(entries)
}

fn row_of(row: &Row<'_>) -> Result<JournalRow, Unread> {
    let topic: String = row.get(0)?;
    let outcome: String = row.get(3)?;
    let refusal: Option<String> = row.get(4)?;
    let was_read: bool = row.get(5)?;
    Ok(JournalRow {
        at: TopicPartition {
            topic: topic.into(),
            partition: PartitionId(row.get(1)?),
        },
        topic_id: row.get(2)?,
        before: bookmark_in(row, 6)?,
        after: bookmark_in(row, 9)?,
        outcome: match outcome.as_str() {
            UNKNOWN => RowOutcome::Unknown,
            ACCEPTED => RowOutcome::Accepted,
            REFUSED => RowOutcome::Refused(refusal.unwrap_or_default()),
            _ => return Err(strange(&outcome)),
        },
        read_back: if was_read {
            Some(bookmark_in(row, 12)?)
        } else {
            None
        },
    })
}

#[cfg(test)]
mod tests;
