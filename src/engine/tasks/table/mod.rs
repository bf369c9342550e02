//! The window's table: a piece of a list of records that may be far longer than memory.
//!
//! The window says where it looks, and the piece grows on the side that is needed and is trimmed on the other.
//! Nothing is counted by reading: how much lies beyond the piece is told in offsets.
//!
//! - [`lanes`]: the partitions of a list and how far it reaches in each;
//! - [`cuts`]: one offset per partition, and what lies before and after;
//! - [`seek`]: from a place (a time, a share, a record) to the cut at it;
//! - [`gather`], [`sizes`], [`hints`]: reading what comes next beyond a cut, little of each partition;
//! - [`far`]: records dated far ahead, which come last wherever they lie;
//! - [`piece`]: the rows between two cuts, with their numbers;
//! - [`list`]: all of it together, step by step.

mod cuts;
mod far;
mod gather;
mod hints;
mod lanes;
mod list;
mod piece;
mod seek;
mod sizes;

use std::sync::Arc;

use tokio::sync::watch;

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::TableRequest;
use crate::engine::event::StoppedBy;
use crate::engine::publish::Publisher;
use crate::engine::snapshot::Table;
use crate::engine::tasks::lookups::Rate;
use crate::model::Problem;

use list::List;

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
    /// `None` until some were told.
    pub(in crate::engine) rows: watch::Receiver<Option<RowsOnScreen>>,
    pub(in crate::engine) refreshed: watch::Receiver<u64>,
}

/// Follows the requests that come in; each new one makes reading for the old one stop.
pub(in crate::engine) async fn follow(
    bus: Arc<dyn Bus>,
    publisher: Arc<Publisher>,
    session: SessionId,
    rate: Rate,
    asked: Asked,
) {
    let Asked {
        mut requests,
        mut rows,
        mut refreshed,
    } = asked;
    loop {
        let request = requests.borrow_and_update().clone();
        let Some(request) = request else {
            publisher.update(session, |snapshot| snapshot.table = Arc::default());
            if requests.changed().await.is_err() {
                return;
            }
            continue;
        };
        let shown = Shown {
            bus: Arc::clone(&bus),
            publisher: &publisher,
            session,
            rate,
            request,
            cancel: Cancel::default(),
        };
        let _given_up_with_this_task = shown.cancel.guard();
        tokio::select! {
            () = shown.show(&mut rows, &mut refreshed) => return,
            is_over = another(&mut requests, &shown.request) => if is_over {
                return;
            },
        }
    }
}

/// Waits for a request other than `request`; `true` when none will come.
async fn another(
    requests: &mut watch::Receiver<Option<TableRequest>>,
    request: &TableRequest,
) -> bool {
    loop {
        if requests.changed().await.is_err() {
            return true;
        }
        if requests.borrow_and_update().as_ref() != Some(request) {
            return false;
        }
    }
}

/// One request while it is shown.
struct Shown<'a> {
    bus: Arc<dyn Bus>,
    publisher: &'a Publisher,
    session: SessionId,
    rate: Rate,
    request: TableRequest,
    cancel: Cancel,
}

impl Shown<'_> {
    /// Reads what is needed and goes on with what comes; returns when nothing more can come.
    async fn show(
        &self,
        rows: &mut watch::Receiver<Option<RowsOnScreen>>,
        refreshed: &mut watch::Receiver<u64>,
    ) {
        self.publish(Table {
            request: Some(self.request.clone()),
            loading: true,
            ..Table::default()
        });
        let mut list = loop {
            refreshed.borrow_and_update();
            let bus = Arc::clone(&self.bus);
            match List::begin(bus, &self.request, self.rate, &self.cancel).await {
                Ok(list) => break list,
                Err(problem) => self.publish(Table {
                    request: Some(self.request.clone()),
                    stopped_by: Some(StoppedBy::Error),
                    problems: vec![problem],
                    ..Table::default()
                }),
            }
            if refreshed.changed().await.is_err() {
                return;
            }
        };
        loop {
            let told = *rows.borrow_and_update();
            let on_screen = told
                .filter(|rows| rows.jump == self.request.jump)
                .map(|rows| (rows.first, rows.last));
            list.trim(on_screen);
            let step = list.next_step(on_screen);
            self.publish(list.table(&self.request, step.is_some()));
            if let Some(step) = step {
                list = match list.take(Arc::clone(&self.bus), step, &self.cancel).await {
                    Ok(list) => list,
                    Err(problem) => {
                        self.fail(problem);
                        return std::future::pending().await;
                    }
                };
                continue;
            }
            tokio::select! {
                changed = rows.changed() => if changed.is_err() {
                    return;
                },
                changed = refreshed.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let inventory = Arc::clone(&self.publisher.snapshot().inventory);
                    list.refresh(&*self.bus, &inventory).await;
                }
            }
        }
    }

    fn publish(&self, table: Table) {
        self.publisher.update(self.session, |snapshot| {
            if *snapshot.table != table {
                snapshot.table = Arc::new(table);
            }
        });
    }

    /// Says that the list is lost: what works on it broke off.
    fn fail(&self, problem: Problem) {
        self.publisher.update(self.session, |snapshot| {
            let table = Arc::make_mut(&mut snapshot.table);
            table.loading = false;
            table.stopped_by = Some(StoppedBy::Error);
            table.problems.push(problem);
        });
    }
}

#[cfg(test)]
mod tests;
