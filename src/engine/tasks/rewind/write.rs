//! The walk from the last check to what was read back. Each step is durable before the next begins: whatever
//! ends this program between two of them, the journal tells what was there and what was wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::changing::{Applied, RowResult};
use crate::model::time::{format_time, zoned};
use crate::model::{
    Bookmark, Journal, JournalEntry, JournalRow, JournalState, Known, Move, Offset, Problem,
    ProblemKind, RowOutcome, TimestampMs, TopicPartition,
};
use crate::rewind::plan::Plan;
use crate::rewind::{guard, progress};

use super::reading::GroupNow;
use super::{Desk, on_disk, planning};

/// How often rows are sent again that the coordinator could not take for a moment.
const TRIES: u32 = 12;
/// How long to wait before that.
const REST: Duration = Duration::from_millis(500);
/// How long after the write the bookmarks are read back once more.
pub(super) const ONCE_MORE: Duration = Duration::from_secs(6);

/// How an attempt ended.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The bus has answered, or what it has was read back.
    Done(Box<JournalEntry>),
    /// Nothing was changed.
    Refused(Problem),
    /// Nothing was changed: members were there again.
    Members,
}

/// What is kept in the journal beside the rows.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) cluster_id: Option<String>,
    pub(super) confirmed: Vec<String>,
}

/// Writes plans of one change; a second attempt goes on with the entry of the first.
pub(super) struct Writer<'a> {
    desk: &'a Desk,
    statement: Statement,
    entry: Option<JournalEntry>,
    /// How many times members were there again before the write.
    pub(super) misses: u64,
}

impl<'a> Writer<'a> {
    pub(super) fn new(desk: &'a Desk, statement: Statement) -> Self {
        Self {
            desk,
            statement,
            entry: None,
            misses: 0,
        }
    }

    /// Writes `plan`, whose group was read as `group` a moment ago, unless something else changed since.
    pub(super) async fn attempt(&mut self, plan: &Plan, group: &GroupNow) -> Attempt {
        let fresh = match planning::again(self.desk, plan, group).await {
            Ok(fresh) => fresh,
            Err(problem) => return Attempt::Refused(unchanged(&problem)),
        };
        if let Err(what) = guard::unchanged(plan, &fresh) {
            return Attempt::Refused(Problem::new(ProblemKind::Invalid, what));
        }
        let plan = planning::from_now(plan, &fresh);
        let journal = match &self.desk.files.journal {
            Ok(journal) => Arc::clone(journal),
            Err(problem) => return Attempt::Refused(no_journal(problem)),
        };
        let first = self.entry.is_none();
        let mut entry = self.entry_for(&plan);
        let kept = entry.clone();
        let keeper = Arc::clone(&journal);
        let durable = on_disk(move || {
            if first {
                keeper.add(&kept)
            } else {
                keeper.update(&kept)
            }
        });
        if let Err(problem) = durable.await {
            return Attempt::Refused(no_journal(&problem));
        }
        self.entry = Some(entry.clone());
        let active = self.send(&plan.moves(), &mut entry).await;
        if active {
            self.misses = self.misses.saturating_add(1);
            entry.state = JournalState::Refused;
            self.keep(&journal, &entry).await;
            return Attempt::Members;
        }
        entry.state = JournalState::Answered;
        self.keep(&journal, &entry).await;
        read_back(self.desk, &mut entry).await;
        entry.state = judged(&entry);
        self.keep(&journal, &entry).await;
        Attempt::Done(Box::new(entry))
    }

    fn entry_for(&self, plan: &Plan) -> JournalEntry {
        let at = self.desk.clock.now();
        let ids: BTreeMap<&TopicPartition, Option<&String>> = plan
            .rows
            .iter()
            .map(|row| (&row.at, row.topic_id.as_ref()))
            .collect();
        let before: BTreeMap<&TopicPartition, Option<Bookmark>> = plan
            .rows
            .iter()
            .map(|row| (&row.at, row.from.clone().ok().flatten()))
            .collect();
        let rows = plan.moves().into_iter().map(|wanted| JournalRow {
            topic_id: ids.get(&wanted.at).copied().flatten().cloned(),
            before: before.get(&wanted.at).cloned().flatten(),
            after: wanted.to,
            at: wanted.at,
            outcome: RowOutcome::Unknown,
            read_back: None,
        });
        JournalEntry {
            id: self
                .entry
                .as_ref()
                .map_or_else(|| new_id(at), |entry| entry.id.clone()),
            at,
            user: self.desk.files.user.clone(),
            cluster_id: self.statement.cluster_id.clone(),
            bootstrap: self.desk.reached.bootstrap.clone(),
            group: plan.group.clone(),
            target: plan.target.clone(),
            confirmed: self.statement.confirmed.clone(),
            state: JournalState::Sending,
            rows: rows.collect(),
            undoes: plan.undoes.clone(),
        }
    }

    /// Sends what is wanted and notes what the bus says of each row. Whether members refused all of it.
    async fn send(&self, wanted: &[Move], entry: &mut JournalEntry) -> bool {
        let positions = match self.desk.bus.positions() {
            Ok(positions) => positions,
            Err(problem) => {
                note_all(entry, &problem);
                return false;
            }
        };
        let mut to_set: Vec<(TopicPartition, Bookmark)> = wanted
            .iter()
            .filter_map(|wanted| Some((wanted.at.clone(), wanted.to.clone()?)))
            .collect();
        let mut to_delete: Vec<TopicPartition> = wanted
            .iter()
            .filter(|wanted| wanted.to.is_none())
            .map(|wanted| wanted.at.clone())
            .collect();
        let mut active = false;
        let mut changed = false;
        for _ in 0..TRIES {
            let mut left_to_set = Vec::new();
            if !to_set.is_empty() {
                let answer = positions.set(entry.group.clone(), to_set.clone()).await;
                let answers = each(answer, to_set.len());
                for ((at, bookmark), answer) in to_set.drain(..).zip(answers) {
                    match said(&answer) {
                        Said::Again => left_to_set.push((at.clone(), bookmark)),
                        Said::Members => active = true,
                        Said::Done => changed = true,
                        Said::No | Said::Unknown => {}
                    }
                    note(entry, &at, answer);
                }
            }
            let mut left_to_delete = Vec::new();
            if !to_delete.is_empty() && !active {
                let answer = positions
                    .delete(entry.group.clone(), to_delete.clone())
                    .await;
                let answers = each(answer, to_delete.len());
                for (at, answer) in to_delete.drain(..).zip(answers) {
                    match said(&answer) {
                        Said::Again => left_to_delete.push(at.clone()),
                        Said::Members => active = true,
                        Said::Done => changed = true,
                        Said::No | Said::Unknown => {}
                    }
                    note(entry, &at, answer);
                }
            }
            if (left_to_set.is_empty() && left_to_delete.is_empty()) || active {
                break;
            }
            (to_set, to_delete) = (left_to_set, left_to_delete);
            tokio::time::sleep(REST).await;
        }
        active && !changed
    }

    /// Keeps what became of the entry. The write itself cannot be taken back when that fails; what is in the
    /// journal then still says that the end is not known.
    async fn keep(&mut self, journal: &Arc<dyn Journal>, entry: &JournalEntry) {
        self.entry = Some(entry.clone());
        keep(journal, entry).await;
    }
}

/// Keeps `entry`; `false` when that was not possible.
pub(super) async fn keep(journal: &Arc<dyn Journal>, entry: &JournalEntry) -> bool {
    let (journal, entry) = (Arc::clone(journal), entry.clone());
    on_disk(move || journal.update(&entry)).await.is_ok()
}

/// What a row's answer means for the walk.
enum Said {
    Done,
    No,
    Again,
    Members,
    Unknown,
}

fn said(answer: &Known<()>) -> Said {
    match answer {
        Ok(()) => Said::Done,
        Err(problem) => match problem.kind {
            ProblemKind::Retriable => Said::Again,
            ProblemKind::GroupActive => Said::Members,
            ProblemKind::TimedOut | ProblemKind::Cancelled => Said::Unknown,
            _ => Said::No,
        },
    }
}

fn each(answer: Known<Vec<Known<()>>>, count: usize) -> Vec<Known<()>> {
    match answer {
        Ok(answers) => answers,
        // Nothing is known of any row: the change may have arrived or not.
        Err(problem) => {
            let lost = Problem::new(ProblemKind::TimedOut, problem.message);
            vec![Err(lost); count]
        }
    }
}

fn note(entry: &mut JournalEntry, at: &TopicPartition, answer: Known<()>) {
    if let Some(row) = entry.rows.iter_mut().find(|row| row.at == *at) {
        row.outcome = match (said(&answer), answer) {
            (Said::Done, _) => RowOutcome::Accepted,
            (Said::Unknown, _) | (_, Ok(())) => RowOutcome::Unknown,
            (_, Err(problem)) => RowOutcome::Refused(problem.message.to_string()),
        };
    }
}

fn note_all(entry: &mut JournalEntry, problem: &Problem) {
    for row in &mut entry.rows {
        row.outcome = RowOutcome::Refused(problem.message.to_string());
    }
}

/// Reads back what the bus has for each row, and decides by it what became of rows whose answer was lost.
pub(super) async fn read_back(desk: &Desk, entry: &mut JournalEntry) {
    let mut now = GroupNow::read(&*desk.bus, &entry.group).await;
    for _ in 0..TRIES {
        if now.commits.is_ok() {
            break;
        }
        tokio::time::sleep(REST).await;
        now = GroupNow::read(&*desk.bus, &entry.group).await;
    }
    if now.commits.is_err() {
        return;
    }
    let bookmarks = now.bookmarks();
    for row in &mut entry.rows {
        let found = bookmarks.get(&row.at).cloned();
        if row.outcome == RowOutcome::Unknown {
            if is_as_written(row.after.as_ref(), found.as_ref()) {
                row.outcome = RowOutcome::Accepted;
            } else if is_as_written(row.before.as_ref(), found.as_ref()) {
                row.outcome = RowOutcome::Refused(
                    "the bus did not take it: the bookmark is as it was".to_owned(),
                );
            }
        }
        row.read_back = Some(found);
    }
}

/// Whether a bookmark on the bus is the one that was written.
fn is_as_written(written: Option<&Bookmark>, found: Option<&Bookmark>) -> bool {
    match (written, found) {
        (None, None) => true,
        (Some(written), Some(found)) => {
            written.offset == found.offset && written.metadata == found.metadata
        }
        _ => false,
    }
}

/// How far an entry is after its rows were read back.
pub(super) fn judged(entry: &JournalEntry) -> JournalState {
    let mut accepted = entry
        .rows
        .iter()
        .filter(|row| row.outcome == RowOutcome::Accepted)
        .peekable();
    if entry
        .rows
        .iter()
        .any(|row| row.outcome == RowOutcome::Unknown)
    {
        return JournalState::Sending;
    }
    if accepted.peek().is_none() {
        return JournalState::Refused;
    }
    let mut overwritten = false;
    let mut unread = false;
    let mut behind = false;
    for row in accepted {
        match &row.read_back {
            None => unread = true,
            Some(found) if is_as_written(row.after.as_ref(), found.as_ref()) => {
                behind |= progress::is_behind(row, found.as_ref());
            }
            Some(_) => overwritten = true,
        }
    }
    match (overwritten, unread, behind) {
        (true, _, _) => JournalState::Overwritten,
        (false, true, _) => JournalState::Answered,
        (false, false, true) => JournalState::Watching,
        (false, false, false) => JournalState::Passed,
    }
}

/// Reads the rows once more, a while after the write: a reader that is no member would have written its own
/// bookmarks over them by then. What members do is theirs.
pub(super) async fn look_once_more(desk: &Desk, entry: &mut JournalEntry) {
    if !matches!(entry.state, JournalState::Watching | JournalState::Passed) {
        return;
    }
    let now = GroupNow::read(&*desk.bus, &entry.group).await;
    if now.commits.is_err() || now.is_empty() != Some(true) {
        return;
    }
    let bookmarks = now.bookmarks();
    let mut overwritten = false;
    for row in &mut entry.rows {
        if row.outcome != RowOutcome::Accepted {
            continue;
        }
        let found = bookmarks.get(&row.at).cloned();
        let ran_on = matches!(
            (&row.after, &found, &row.before),
            (Some(after), Some(found), Some(before))
                if after.offset < found.offset && found.offset < before.offset
        );
        overwritten |= !ran_on && !is_as_written(row.after.as_ref(), found.as_ref());
        row.read_back = Some(found);
    }
    if overwritten {
        entry.state = JournalState::Overwritten;
    }
}

/// What the person is told of an entry whose walk is over.
pub(super) fn applied(entry: &JournalEntry, at: TimestampMs, misses: u64) -> Applied {
    let rows = entry.rows.iter().map(|row| RowResult {
        at: row.at.clone(),
        before: row.before.clone(),
        after: row.after.clone(),
        read_back: offset_of(row),
        error: error_of(row),
    });
    Applied {
        journal_id: Some(entry.id.clone()),
        at,
        rows: rows.collect(),
        misses,
    }
}

fn offset_of(row: &JournalRow) -> Known<Option<Offset>> {
    match &row.read_back {
        Some(found) => Ok(found.as_ref().map(|found| found.offset)),
        None => Err(Problem::new(
            ProblemKind::TimedOut,
            "it could not be read back",
        )),
    }
}

fn error_of(row: &JournalRow) -> Option<Problem> {
    match (&row.outcome, &row.read_back) {
        (RowOutcome::Refused(why), _) => Some(Problem::new(ProblemKind::Invalid, why.as_str())),
        (RowOutcome::Unknown, _) => Some(Problem::new(
            ProblemKind::TimedOut,
            "whether the bus has it is not known: no answer came",
        )),
        (RowOutcome::Accepted, Some(found))
            if !is_as_written(row.after.as_ref(), found.as_ref()) =>
        {
            let found = found.as_ref().map_or_else(
                || "no bookmark".to_owned(),
                |found| found.offset.to_string(),
            );
            Some(Problem::new(
                ProblemKind::Invalid,
                format!(
                    "it was written, but {found} was read back: something else commits for this group"
                ),
            ))
        }
        (RowOutcome::Accepted, _) => None,
    }
}

/// A name for an entry that no other has: its time in UTC and eight digits by chance.
fn new_id(at: TimestampMs) -> String {
    let utc = jiff::tz::TimeZone::UTC;
    let when = zoned(at, &utc).map_or_else(
        || format_time(at, &utc),
        |at| at.strftime("%Y%m%d-%H%M%S").to_string(),
    );
    format!("{when}-{:08x}", fastrand::u32(..))
}

fn unchanged(problem: &Problem) -> Problem {
    Problem::new(
        problem.kind,
        format!("nothing was changed: {}", problem.message),
    )
}

fn no_journal(problem: &Problem) -> Problem {
    Problem::new(
        ProblemKind::Other,
        format!("nothing was changed, because the journal cannot be kept: {problem}"),
    )
}
