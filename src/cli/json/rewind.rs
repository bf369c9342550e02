//! The answer of `rewind` and `undo`.

use serde::Serialize;

use crate::engine::{Applied, Ended, RewindReply, RowResult};
use crate::model::json::BytesView;
use crate::model::{Bookmark, Known, Offset, PartitionId, Text, TimestampMs};
use crate::rewind::guard::{Guard, Outcome};
use crate::rewind::plan::{Edge, Row};

use super::Reason;

#[derive(Debug, Serialize)]
pub(crate) struct PlanView<'a> {
    pub(crate) plan_id: &'a str,
    pub(crate) group: &'a Text,
    pub(crate) dry_run: bool,
    pub(crate) read_only: bool,
    pub(crate) guards: Vec<GuardView<'a>>,
    pub(crate) rows: Vec<RowView<'a>>,
    pub(crate) applied: bool,
    pub(crate) results: Vec<ResultView<'a>>,
    pub(crate) journal_id: Option<&'a str>,
    pub(crate) target: &'a str,
    pub(crate) misses: u64,
    pub(crate) error: Option<Reason>,
    pub(crate) problems: Vec<Reason>,
    pub(crate) commands: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) zone_assumed: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct GuardView<'a> {
    pub(crate) guard: &'static str,
    pub(crate) outcome: &'static str,
    pub(crate) detail: &'a str,
    pub(crate) confirm_with: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RowView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: PartitionId,
    pub(crate) from: Option<Offset>,
    pub(crate) to: Option<Offset>,
    pub(crate) records: Option<u64>,
    pub(crate) records_exact: bool,
    pub(crate) never_read: Option<u64>,
    pub(crate) second_time: Option<u64>,
    pub(crate) basis: Option<&'a str>,
    pub(crate) dead_lettered: Option<u64>,
    pub(crate) first_ms: Option<TimestampMs>,
    pub(crate) last_ms: Option<TimestampMs>,
    pub(crate) first_key: BytesView<'a>,
    pub(crate) last_key: BytesView<'a>,
    pub(crate) warnings: Vec<WarningView<'a>>,
    pub(crate) error: Option<Reason>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WarningView<'a> {
    pub(crate) kind: &'static str,
    pub(crate) detail: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct ResultView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: PartitionId,
    pub(crate) before: Option<Offset>,
    pub(crate) after: Option<Offset>,
    pub(crate) read_back: Option<Offset>,
    pub(crate) error: Option<Reason>,
}

impl<'a> PlanView<'a> {
    pub(crate) fn of(
        reply: &'a RewindReply,
        commands: &'a str,
        zone_assumed: Option<&'a str>,
    ) -> Self {
        let applied = match &reply.ended {
            Some(Ended::Applied(applied)) => Some(applied),
            _ => None,
        };
        let error = match &reply.ended {
            Some(Ended::Refused(problem)) => Some(Reason(problem.clone())),
            _ => None,
        };
        Self {
            plan_id: &reply.plan_id,
            group: &reply.plan.group,
            dry_run: reply.ended.is_none(),
            read_only: reply.read_only,
            guards: reply.guards.iter().map(GuardView::of).collect(),
            rows: reply.plan.rows.iter().map(RowView::of).collect(),
            applied: applied.is_some_and(has_changed),
            results: applied
                .iter()
                .flat_map(|applied| &applied.rows)
                .map(ResultView::of)
                .collect(),
            journal_id: applied.and_then(|applied| applied.journal_id.as_deref()),
            target: &reply.plan.target,
            misses: applied.map_or(0, |applied| applied.misses),
            error,
            problems: reply.plan.problems.iter().cloned().map(Reason).collect(),
            commands: commands.lines().collect(),
            zone_assumed,
        }
    }
}

/// Whether the bus took some row.
fn has_changed(applied: &Applied) -> bool {
    applied.rows.iter().any(|row| {
        row.error.is_none()
            || row.read_back.as_ref().is_ok_and(|found| {
                *found == row.after.as_ref().map(|after| after.offset) && row.before != row.after
            })
    })
}

impl<'a> GuardView<'a> {
    fn of(guard: &'a Guard) -> Self {
        Self {
            guard: guard.kind.name(),
            outcome: match guard.outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "failed",
                Outcome::Confirm => "confirm",
                Outcome::Unknown => "unknown",
            },
            detail: &guard.detail,
            confirm_with: guard.confirm_with.as_deref(),
        }
    }
}

fn offset(bookmark: &Known<Option<Bookmark>>) -> Option<Offset> {
    let bookmark = bookmark.as_ref().ok()?.as_ref()?;
    Some(bookmark.offset)
}

impl<'a> RowView<'a> {
    fn of(row: &'a Row) -> Self {
        let contents = &row.contents;
        let (first, last) = (contents.first.as_ref(), contents.last.as_ref());
        let time = |edge: Option<&Edge>| edge.and_then(|edge| edge.at);
        let key = |edge: Option<&'a Edge>| BytesView(edge.and_then(|edge| edge.key.as_deref()));
        let error = Reason::of(&row.to).or_else(|| Reason::of(&row.from));
        Self {
            topic: &row.at.topic,
            partition: row.at.partition,
            from: offset(&row.from),
            to: offset(&row.to),
            records: error.is_none().then_some(contents.records),
            records_exact: error.is_none() && contents.exact,
            never_read: None,
            second_time: None,
            basis: None,
            dead_lettered: None,
            first_ms: time(first),
            last_ms: time(last),
            first_key: key(first),
            last_key: key(last),
            warnings: row
                .warnings
                .iter()
                .map(|warning| WarningView {
                    kind: warning.kind.name(),
                    detail: &warning.detail,
                })
                .collect(),
            error,
        }
    }
}

impl<'a> ResultView<'a> {
    fn of(row: &'a RowResult) -> Self {
        let offset = |bookmark: &Option<Bookmark>| bookmark.as_ref().map(|it| it.offset);
        Self {
            topic: &row.at.topic,
            partition: row.at.partition,
            before: offset(&row.before),
            after: offset(&row.after),
            read_back: row.read_back.as_ref().ok().copied().flatten(),
            error: row
                .error
                .clone()
                .map(Reason)
                .or_else(|| Reason::of(&row.read_back)),
        }
    }
}
