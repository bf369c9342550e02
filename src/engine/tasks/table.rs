//! The records of the span that the window's table shows.

use std::sync::Arc;

use tokio::sync::watch;

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::{
    Edge, RecordScope, RecordsRequest, TablePlace, TableRequest, TableSpan,
};
use crate::engine::event::StoppedBy;
use crate::engine::publish::Publisher;
use crate::engine::snapshot::Table;
use crate::model::{Known, Problem, ProblemKind};

use super::by_time::{Direction, windows};
use super::ranges::{Resolved, resolve};
use super::records::Tally;

/// How many rows are read at once.
const EXTEND: u64 = 500;
/// This near to an edge of the piece, more is read there.
const NEAR: i64 = 200;

/// The rows that are on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct RowsOnScreen {
    pub(in crate::engine) jump: u64,
    pub(in crate::engine) first: i64,
    pub(in crate::engine) last: i64,
}

/// What the window asks, and when there is news.
pub(in crate::engine) struct Asked {
    pub(in crate::engine) requests: watch::Receiver<Option<TableRequest>>,
    pub(in crate::engine) rows: watch::Receiver<RowsOnScreen>,
    pub(in crate::engine) refreshed: watch::Receiver<u64>,
}

/// Follows the requests that come in; each new one makes reading for the old one stop.
pub(in crate::engine) async fn follow(
    bus: Arc<dyn Bus>,
    publisher: Arc<Publisher>,
    session: SessionId,
    asked: Asked,
) {
    let Asked {
        mut requests,
        mut rows,
        mut refreshed,
    } = asked;
    let mut wanted = (0, EXTEND);
    loop {
        let request = requests.borrow_and_update().clone();
        let jump = request.as_ref().map_or(0, |request| request.jump);
        if wanted.0 != jump {
            wanted = (jump, EXTEND);
        }
        let cancel = Cancel::default();
        let _given_up_with_this_task = cancel.guard();
        let show = show(
            Arc::clone(&bus),
            &publisher,
            session,
            request,
            wanted.1,
            cancel.clone(),
        );
        tokio::select! {
            () = show => {
                let live = requests.borrow().as_ref().is_some_and(|request| request.place == TablePlace::End);
                tokio::select! {
                    changed = requests.changed() => if changed.is_err() {
                        return;
                    },
                    near = nears_the_edge(&mut rows, &publisher, jump) => if near {
                        wanted.1 = wanted.1.saturating_add(EXTEND);
                    },
                    // What is newest changes with every refresh; a span in the past stays as it is.
                    _ = refreshed.changed(), if live => {}
                }
            }
            changed = requests.changed() => {
                cancel.cancel(StoppedBy::Interrupt);
                if changed.is_err() {
                    return;
                }
            }
        }
    }
}

/// Waits until rows near the edge of the piece are on screen.
async fn nears_the_edge(
    rows: &mut watch::Receiver<RowsOnScreen>,
    publisher: &Publisher,
    jump: u64,
) -> bool {
    loop {
        let seen = *rows.borrow_and_update();
        let table = Arc::clone(&publisher.snapshot().table);
        let last = i64::try_from(table.rows.len())
            .unwrap_or(i64::MAX)
            .saturating_add(table.first);
        let below = seen.last.saturating_add(NEAR) >= last && !table.at_end;
        let above = seen.first.saturating_sub(NEAR) < table.first && !table.at_start;
        if seen.jump == jump && seen != RowsOnScreen::default() && (below || above) {
            return true;
        }
        if rows.changed().await.is_err() {
            return false;
        }
    }
}

async fn show(
    bus: Arc<dyn Bus>,
    publisher: &Publisher,
    session: SessionId,
    request: Option<TableRequest>,
    wanted: u64,
    cancel: Cancel,
) {
    let Some(request) = request else {
        publisher.update(session, |snapshot| snapshot.table = Arc::default());
        return;
    };
    publisher.update(session, |snapshot| {
        let before = &snapshot.table;
        // The same once more, because new records may have come: nothing is cleared for that.
        if before.request.as_ref() == Some(&request) {
            return;
        }
        snapshot.table = Arc::new(Table {
            request: Some(request.clone()),
            loading: true,
            ..Table::default()
        });
    });
    let table = match load(bus, &request, wanted, cancel).await {
        Ok(table) => table,
        Err(problem) => Table {
            stopped_by: Some(StoppedBy::Error),
            problems: vec![problem],
            request: Some(request),
            ..Table::default()
        },
    };
    publisher.update(session, |snapshot| {
        if *snapshot.table != table {
            snapshot.table = Arc::new(table);
        }
    });
}

async fn load(
    bus: Arc<dyn Bus>,
    request: &TableRequest,
    wanted: u64,
    cancel: Cancel,
) -> Known<Table> {
    let edges = match request.span {
        TableSpan::All => (None, None),
        TableSpan::Between(from, to) => (Some(Edge::Time(from)), Some(Edge::Time(to))),
    };
    let direction = if request.place == TablePlace::End {
        Direction::NewestFirst
    } else {
        Direction::OldestFirst
    };
    let question = RecordsRequest {
        scope: request
            .partitions
            .iter()
            .map(|at| RecordScope {
                topic: Arc::clone(&at.topic),
                partition: Some(at.partition),
                offset: None,
            })
            .collect(),
        from: edges.0,
        to: edges.1,
        isolation: request.isolation,
        ..RecordsRequest::default()
    };
    let resolved: Resolved = resolve(&*bus, &question).await?;
    let up_to: u64 = resolved
        .ranges
        .iter()
        .filter_map(|range| range.meant_to.min(range.to).since(range.from))
        .sum();
    let isolation = request.isolation;
    let failed = resolved.failed;
    let mut tally = Tally::new(resolved.ranges, resolved.times);
    let reading = tokio::task::spawn_blocking(move || {
        let found = windows(&*bus, &mut tally, wanted, direction, isolation, &cancel)?;
        Ok((found, tally))
    });
    let (found, tally) = reading
        .await
        .map_err(|error| Problem::new(ProblemKind::Other, format!("reading failed ({error})")))??;
    let mut partitions = tally.rows();
    partitions.extend(failed);
    let rows: Vec<_> = found.records.into_iter().map(Arc::new).collect();
    let whole =
        found.stopped_by.is_none() && partitions.iter().all(|partition| partition.error.is_none());
    let length = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let end = request.place == TablePlace::End;
    Ok(Table {
        request: Some(request.clone()),
        anchor: Some(if end { length } else { 0 }),
        rows,
        up_to: Some(up_to),
        at_start: whole || !end,
        at_end: whole || end,
        stopped_by: found.stopped_by,
        partitions,
        ..Table::default()
    })
}
