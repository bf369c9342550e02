//! What is said of an entry of the journal, and why it cannot be undone. Pure.

use jiff::tz::TimeZone;

use crate::engine::{Connection, Progression, Run, Snapshot};
use crate::model::time::{format_duration, format_zone};
use crate::model::{Bookmark, JournalEntry, JournalRow, JournalState, RowOutcome, TimestampMs};

use super::super::format::{self, Precision};
use super::super::num::{f64_from_i64, i64_from_f64, u64_from_f64, u64_from_usize};

/// How something is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Of lesser weight.
    Dim,
    /// All is well.
    Good,
    /// Something to look at.
    Warning,
    /// Something is wrong.
    Error,
}

/// Words and how they are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// All of them.
    pub text: String,
    /// The same where there is little room.
    pub short: String,
    /// How they are meant.
    pub tone: Tone,
}

impl Said {
    fn new(text: impl Into<String>, short: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            short: short.into(),
            tone,
        }
    }
}

/// Whether an entry was made on the cluster that is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Here {
    /// On this one.
    This,
    /// On another one.
    Other,
    /// The present cluster is not known yet.
    Unknown,
}

impl Here {
    /// Where `entry` was made, seen from what `snapshot` is connected to.
    pub fn of(entry: &JournalEntry, snapshot: &Snapshot) -> Self {
        let Connection::Connected { to, .. } = &snapshot.connection else {
            return Self::Unknown;
        };
        let Some(Ok(cluster)) = &snapshot.inventory.cluster else {
            return Self::Unknown;
        };
        let is_same = match (&entry.cluster_id, &cluster.cluster_id) {
            (Some(then), Some(now)) => then == now,
            // Without ids there is nothing but the address to go by.
            (None, None) => *entry.bootstrap == **to,
            _ => false,
        };
        if is_same { Self::This } else { Self::Other }
    }
}

/// The cluster of `entry` by the name that the person knows it by.
pub fn cluster(entry: &JournalEntry, snapshot: &Snapshot) -> String {
    let profiles = snapshot.access.profiles.as_deref().unwrap_or_default();
    let named = profiles
        .iter()
        .find(|profile| profile.cluster_id.is_some() && profile.cluster_id == entry.cluster_id);
    named.map_or_else(
        || {
            let id = entry.cluster_id.as_ref();
            id.unwrap_or(&entry.bootstrap).clone()
        },
        |profile| profile.name.clone(),
    )
}

/// Whether the change of `entry` is being made right now, from this window.
pub fn is_on_its_way(entry: &JournalEntry, snapshot: &Snapshot) -> bool {
    let plan = snapshot.rewind.plan.as_ref();
    let group = plan.and_then(|plan| plan.as_ref().ok().map(|plan| &plan.group));
    entry.state == JournalState::Sending
        && snapshot.rewind.run == Run::Applying
        && group == Some(&entry.group)
}

/// Whether the change moved some row back.
fn runs_again(entry: &JournalEntry) -> bool {
    entry.rows.iter().any(|row| {
        let places = row.before.as_ref().zip(row.after.as_ref());
        places.is_some_and(|(before, after)| after.offset < before.offset)
    })
}

/// How far `entry` is.
pub fn state(
    entry: &JournalEntry,
    progress: Option<&Progression>,
    here: Here,
    is_on_its_way: bool,
) -> Said {
    match entry.state {
        JournalState::Sending if is_on_its_way => {
            Said::new("on its way to the bus", "on its way", Tone::Warning)
        }
        JournalState::Sending => Said::new(
            "not known whether the bus has it",
            "not known",
            Tone::Warning,
        ),
        JournalState::Answered => Said::new(
            "the bus has answered, and it was not read back yet",
            "not read back",
            Tone::Warning,
        ),
        JournalState::Watching => watching(progress, here),
        JournalState::Passed if !runs_again(entry) => {
            Said::new("done: nothing was to run again", "done", Tone::Good)
        }
        JournalState::Passed => Said::new(
            "passed: the group has read on beyond its old bookmarks",
            "passed",
            Tone::Good,
        ),
        JournalState::Refused => {
            Said::new("refused: the bus changed nothing", "refused", Tone::Error)
        }
        JournalState::Overwritten => Said::new(
            "overwritten: what was read back is not what was written, so somebody else wrote too",
            "overwritten",
            Tone::Error,
        ),
        JournalState::Closed => Said::new("closed: it is watched no more", "closed", Tone::Dim),
    }
}

fn watching(progress: Option<&Progression>, here: Here) -> Said {
    let Some(progress) = progress else {
        let text = match here {
            Here::This | Here::Unknown => "watched; its bookmarks were not read yet",
            Here::Other => "watched again as soon as its cluster is connected",
        };
        return Said::new(text, "watched", Tone::Dim);
    };
    let rows = passed(progress);
    if let Some(problem) = &progress.problem {
        let text = format!("watched, {rows}; its bookmarks cannot be read: {problem}");
        return Said::new(text, "watched, not read", Tone::Warning);
    }
    if !progress.resumed {
        let text = format!("not resumed yet: its bookmarks have not moved since; {rows}");
        return Said::new(text, "not resumed yet", Tone::Warning);
    }
    let text = format!("resumed, {rows}; {}", left(progress));
    Said::new(text, format!("resumed, {rows}"), Tone::Plain)
}

fn passed(progress: &Progression) -> String {
    let rows = u64_from_usize(progress.rows);
    let passed = format::count(u64_from_usize(progress.rows_passed));
    format!(
        "{passed} of {} passed",
        format::counted(rows, "row", "rows")
    )
}

/// How much is left until the group is past its old bookmarks, and how long that takes.
fn left(progress: &Progression) -> String {
    let left = format!(
        "up to {} left",
        format::counted(progress.left, "record", "records")
    );
    match progress.rate {
        None => format!("{left}, rate not known until it was read twice"),
        Some(rate) if rate > 0.0 => {
            let records = i64::try_from(progress.left).unwrap_or(i64::MAX);
            let ms = i64_from_f64(f64_from_i64(records) / rate * 1_000.0);
            format!(
                "{left} at {} a second, {} to go",
                rate_words(rate),
                format_duration(ms)
            )
        }
        Some(_) => format!("{left}, and it comes no nearer"),
    }
}

/// A rate: whole where it is large, with a tenth where it is small.
fn rate_words(rate: f64) -> String {
    if rate < 10.0 {
        format!("{rate:.1}")
    } else {
        format::count(u64_from_f64(rate))
    }
}

/// When something was, with day and zone.
pub fn when(at: TimestampMs, zone: &TimeZone) -> String {
    format!(
        "{} {} {}",
        format::date(at, zone),
        format::time_of_day(at, zone, Precision::Seconds),
        format_zone(at, zone)
    )
}

/// Why `entry` cannot be undone; `None` when a plan for it can be made.
pub fn why_not_undo(
    entry: &JournalEntry,
    undone_by: Option<&JournalEntry>,
    here: Here,
    zone: &TimeZone,
) -> Option<String> {
    let is_refused = |row: &JournalRow| matches!(row.outcome, RowOutcome::Refused(_));
    let nothing = || Some("nothing was changed".to_owned());
    match entry.state {
        JournalState::Refused => return nothing(),
        JournalState::Sending => {
            return Some("it is not known whether the bus has it: check that first".to_owned());
        }
        _ if entry.rows.iter().all(is_refused) => return nothing(),
        _ => {}
    }
    if let Some(by) = undone_by {
        return Some(format!("it was undone on {}", when(by.at, zone)));
    }
    match here {
        Here::This => None,
        Here::Other => Some("it was made on another cluster: connect to that first".to_owned()),
        Here::Unknown => Some("it is not known yet which cluster this is".to_owned()),
    }
}

/// A bookmark's offset; `none` says what there is when there is none.
pub fn offset(bookmark: Option<&Bookmark>, none: &str) -> String {
    bookmark.map_or_else(
        || none.to_owned(),
        |bookmark| format::offset(bookmark.offset),
    )
}

/// A bookmark with all that is stored beside its offset.
pub fn in_full(bookmark: Option<&Bookmark>, none: &str) -> String {
    let mut text = offset(bookmark, none);
    let Some(bookmark) = bookmark else {
        return text;
    };
    if let Some(epoch) = bookmark.leader_epoch {
        text = format!("{text}, leader epoch {epoch}");
    }
    if !bookmark.metadata.is_empty() {
        let metadata = crate::decode::visible::one_line(bookmark.metadata.as_bytes(), 200);
        text = format!("{text}, metadata “{metadata}”");
    }
    text
}

/// What became of a row: in a word or two, and a line of its own where that is not enough.
pub fn outcome(row: &JournalRow) -> (Said, Option<Said>) {
    let is_as_written = |read: &Option<Bookmark>| {
        read.as_ref().map(|bookmark| bookmark.offset)
            == row.after.as_ref().map(|bookmark| bookmark.offset)
    };
    match (&row.outcome, &row.read_back) {
        (RowOutcome::Refused(why), _) => (
            Said::new("refused", "refused", Tone::Error),
            Some(Said::new(format!("Refused: {why}"), "", Tone::Error)),
        ),
        (_, Some(read)) if is_as_written(read) => {
            (Said::new("read back", "read back", Tone::Good), None)
        }
        (_, Some(read)) => {
            let there = offset(read.as_ref(), "no bookmark");
            let text = format!("Read back as {there}, which is not what was written");
            (
                Said::new("differs", "differs", Tone::Error),
                Some(Said::new(text, "", Tone::Error)),
            )
        }
        (RowOutcome::Accepted, None) => (
            Said::new("accepted, not read back", "accepted", Tone::Warning),
            None,
        ),
        (RowOutcome::Unknown, None) => (Said::new("not known", "not known", Tone::Warning), None),
    }
}

#[cfg(test)]
pub mod tests;
