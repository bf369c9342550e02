//! The records of the span that the window's table shows.

use std::sync::Arc;

use tokio::sync::watch;

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::{Edge, RecordScope, RecordsRequest, TableRequest, TableSpan};
use crate::engine::event::StoppedBy;
use crate::engine::publish::Publisher;
use crate::engine::snapshot::Table;
use crate::model::{Known, Problem, ProblemKind};

use super::by_time::{Direction, windows};
use super::ranges::{Resolved, resolve};
use super::records::Tally;

/// Follows the requests that come in; each new one makes reading for the old one stop.
pub(in crate::engine) async fn follow(
    bus: Arc<dyn Bus>,
    publisher: Arc<Publisher>,
    session: SessionId,
    mut requests: watch::Receiver<Option<TableRequest>>,
    mut refreshed: watch::Receiver<u64>,
) {
    loop {
        let request = requests.borrow_and_update().clone();
        let cancel = Cancel::default();
        let _given_up_with_this_task = cancel.guard();
        let show = show(
            Arc::clone(&bus),
            &publisher,
            session,
            request,
            cancel.clone(),
        );
        tokio::select! {
            () = show => {
                let live = requests.borrow().as_ref().is_some_and(|request| request.span == TableSpan::Newest);
                tokio::select! {
                    changed = requests.changed() => if changed.is_err() {
                        return;
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

async fn show(
    bus: Arc<dyn Bus>,
    publisher: &Publisher,
    session: SessionId,
    request: Option<TableRequest>,
    cancel: Cancel,
) {
    let Some(request) = request else {
        publisher.update(session, |snapshot| snapshot.table = Arc::default());
        return;
    };
    publisher.update(session, |snapshot| {
        let before = &snapshot.table;
        // More rows of the same span: those that are there stay until the new ones come.
        let same = before.request.as_ref().is_some_and(|shown| {
            shown.span == request.span
                && shown.partitions == request.partitions
                && shown.isolation == request.isolation
        });
        // The same once more, because new records may have come: nothing is cleared for that.
        if before.request.as_ref() == Some(&request) && !before.loading {
            return;
        }
        let rows = if same {
            before.rows.clone()
        } else {
            Vec::new()
        };
        snapshot.table = Arc::new(Table {
            up_to: if same { before.up_to } else { None },
            request: Some(request.clone()),
            rows,
            loading: true,
            ..Table::default()
        });
    });
    let table = match load(bus, &request, cancel).await {
        Ok(table) => table,
        Err(problem) => Table {
            stopped_by: Some(StoppedBy::Error),
            partitions: vec![crate::engine::PartitionCoverage {
                topic: "".into(),
                partition: None,
                from: None,
                to: None,
                next: None,
                complete: false,
                error: Some(problem),
            }],
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

async fn load(bus: Arc<dyn Bus>, request: &TableRequest, cancel: Cancel) -> Known<Table> {
    let (direction, edges) = match request.span {
        TableSpan::Newest => (Direction::NewestFirst, (None, None)),
        TableSpan::Between(from, to) => (
            Direction::OldestFirst,
            (Some(Edge::Time(from)), Some(Edge::Time(to))),
        ),
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
    let (isolation, wanted) = (
        request.isolation,
        u64::try_from(request.rows).unwrap_or(u64::MAX),
    );
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
    let mut rows: Vec<_> = found.records.into_iter().map(Arc::new).collect();
    if direction == Direction::NewestFirst {
        rows.reverse();
    }
    let whole =
        found.stopped_by.is_none() && partitions.iter().all(|partition| partition.error.is_none());
    Ok(Table {
        request: Some(request.clone()),
        rows,
        up_to: Some(up_to),
        complete: whole,
        loading: false,
        stopped_by: found.stopped_by,
        partitions,
    })
}
