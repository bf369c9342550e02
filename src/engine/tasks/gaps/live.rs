//! What is found, for the window: kept up to date while it is open.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::decode::schema::Schemas;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::event::{Progress, StoppedBy};
use crate::engine::finding::{FindingsView, GapsRequest};
use crate::engine::publish::Publisher;
use crate::engine::tasks::lookups::Rate;
use crate::engine::tasks::rewind::{Desk, on_disk};
use crate::inspect::gaps::{self, Rules};
use crate::model::{Dismissal, Finding, Known, Problem, ProblemKind, TimestampMs};

use super::looker::{Looker, Read};
use super::once::{event_rules, in_scope};
use super::silences;
use super::trail::{Span, Trail};

/// The rest between two looks, at least; and how many times as long as a look took.
const REST: Duration = Duration::from_secs(4);
const REST_FACTOR: u32 = 4;
/// How often silence is looked for.
const SILENCE_MS: i64 = 60_000;

/// Records are to be read for what is missing among them; the number grows with every request.
pub(in crate::engine) type Wanted = Option<(u64, Box<GapsRequest>)>;

/// A finding to put aside for a reason; without one, to take back.
pub(in crate::engine) type Aside = (String, Option<String>);

/// What the tasks need.
#[derive(Clone)]
pub(in crate::engine) struct Live {
    pub(in crate::engine) desk: Desk,
    pub(in crate::engine) publisher: Arc<Publisher>,
    pub(in crate::engine) session: SessionId,
    pub(in crate::engine) rate: Rate,
    pub(in crate::engine) schemas: Arc<dyn Schemas>,
}

/// Looks after each refresh of the inventory, not more often than its cost allows. Ends with the session.
pub(in crate::engine) async fn follow(
    live: Live,
    mut refreshed: watch::Receiver<u64>,
    of_records: watch::Receiver<Arc<Vec<Finding>>>,
) {
    let mut looker = Looker::new(live.desk.clone(), live.rate);
    let mut silent: Option<(TimestampMs, Vec<Finding>)> = None;
    let mut shown_dismissed = false;
    let mut of_records = of_records;
    while refreshed.changed().await.is_ok() {
        refreshed.mark_unchanged();
        let inventory = Arc::clone(&live.publisher.snapshot().inventory);
        if inventory.topics().is_empty() && inventory.groups.is_none() {
            continue;
        }
        let started = Instant::now();
        let read = Read {
            topics: inventory.topics().to_vec(),
            groups: inventory.groups().to_vec(),
            missing: inventory.groups_missing.clone(),
        };
        let topics = read.topics.clone();
        let cancel = Cancel::default();
        let _given_up_with_this_task = cancel.guard();
        let mut looked = looker
            .look(read, &Rules::default(), &cancel, Arc::new(|_| {}))
            .await;
        let now = live.desk.clock.now();
        let is_due = |(at, _): &(TimestampMs, _)| now.since_ms(*at) >= SILENCE_MS;
        if silent.as_ref().is_none_or(is_due) {
            let found = silences::look(&*live.desk.bus, live.rate, &topics, now, &cancel).await;
            looked.missing.extend(found.missing);
            silent = Some((now, found.findings));
        }
        let mut findings = looked.findings;
        findings.extend(silent.iter().flat_map(|(_, found)| found.clone()));
        findings.extend(of_records.borrow_and_update().iter().cloned());
        gaps::sort(&mut findings);
        if !shown_dismissed {
            shown_dismissed = show_dismissed(&live, looker.cluster()).await;
        }
        live.publisher.update(live.session, |snapshot| {
            let view = &snapshot.findings;
            let is_same = view.findings.as_deref() == Some(&findings)
                && view.history == looked.history
                && view.missing == looked.missing;
            if is_same {
                return;
            }
            let view = Arc::make_mut(&mut snapshot.findings);
            view.findings = Some(Arc::new(findings));
            view.history = looked.history;
            view.missing = looked.missing;
            view.looked_at = Some(now);
        });
        let rest = started.elapsed().saturating_mul(REST_FACTOR).max(REST);
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            // What was read of records is shown at once.
            Ok(()) = of_records.changed() => refreshed.mark_changed(),
        }
    }
}

/// Reads records when it is asked for, and tells what follows. Ends with the session.
pub(in crate::engine) async fn read_records(
    live: Live,
    mut wanted: watch::Receiver<Wanted>,
    found: watch::Sender<Arc<Vec<Finding>>>,
) {
    while wanted.changed().await.is_ok() {
        let Some((_, request)) = wanted.borrow_and_update().clone() else {
            continue;
        };
        let cancel = Cancel::default();
        let _given_up_with_this_task = cancel.guard();
        show(&live, |view| {
            view.failed = None;
            view.reading = Some(progress(0, None));
        });
        let reading = read_once(&live, &request, &cancel);
        let read = async {
            tokio::pin!(reading);
            loop {
                tokio::select! {
                    read = &mut reading => break read,
                    changed = wanted.changed() => {
                        if changed.is_err() || wanted.borrow().is_none() {
                            cancel.cancel(StoppedBy::Interrupt);
                        }
                    }
                }
            }
        };
        let read = read.await;
        show(&live, |view| view.reading = None);
        match read {
            Ok((findings, coverage)) => {
                found.send_replace(Arc::new(findings));
                show(&live, |view| view.coverage = Some(Arc::new(coverage)));
            }
            Err(problem) => show(&live, |view| view.failed = Some(problem)),
        }
    }
}

fn progress(done: u64, total: Option<u64>) -> Progress {
    Progress {
        what: "records",
        done,
        total,
    }
}

fn show(live: &Live, change: impl FnOnce(&mut FindingsView)) {
    live.publisher.update(live.session, |snapshot| {
        change(Arc::make_mut(&mut snapshot.findings));
    });
}

async fn read_once(
    live: &Live,
    request: &GapsRequest,
    cancel: &Cancel,
) -> Known<(Vec<Finding>, crate::engine::event::Coverage)> {
    let rules = event_rules(request)?;
    let inventory = Arc::clone(&live.publisher.snapshot().inventory);
    let topics = in_scope(inventory.topics(), request);
    let span = Span {
        from: request.from,
        to: request.to,
    };
    let now = live.desk.clock.now();
    let around = (Arc::clone(&live.desk.bus), Arc::clone(&live.schemas));
    let mut trail = Trail::begin(around, &topics, span, rules, now).await;
    let (telling, total) = (live.clone(), trail.left());
    let told = move |done| {
        show(&telling, |view| {
            view.reading = Some(progress(done, Some(total)));
        });
    };
    trail.advance(cancel, Arc::new(told)).await?;
    Ok((trail.findings(now, &topics), trail.coverage()))
}

/// Puts findings aside and takes them back, as a person says. Ends with the session.
pub(in crate::engine) async fn put_aside(live: Live, mut asides: mpsc::Receiver<Aside>) {
    while let Some((finding, reason)) = asides.recv().await {
        let cluster = match live.desk.bus.cluster().await {
            Ok(cluster) => cluster.cluster_id,
            Err(_unknown) => None,
        };
        let done = keep_aside(&live, cluster.clone(), finding, reason).await;
        if let Err(problem) = done {
            let why = problem.within("the finding was not put aside");
            show(&live, |view| view.failed = Some(why));
        }
        show_dismissed(&live, cluster.as_deref()).await;
    }
}

async fn keep_aside(
    live: &Live,
    cluster: Option<String>,
    finding: String,
    reason: Option<String>,
) -> Known<()> {
    let observations = live.desk.files.observations.clone()?;
    let cluster = cluster.ok_or_else(|| {
        Problem::new(
            ProblemKind::Unsupported,
            "the cluster has no id by which it could be known again",
        )
    })?;
    let dismissal = reason.map(|reason| Dismissal {
        finding: finding.clone(),
        reason,
        at: live.desk.clock.now(),
        user: live.desk.files.user.clone(),
    });
    on_disk(move || match dismissal {
        Some(dismissal) => observations.dismiss(&cluster, &dismissal),
        None => observations.restore(&cluster, &finding),
    })
    .await
}

/// Shows what was put aside; whether it could be read.
async fn show_dismissed(live: &Live, cluster: Option<&str>) -> bool {
    let (Ok(observations), Some(cluster)) = (live.desk.files.observations.clone(), cluster) else {
        return false;
    };
    let cluster = cluster.to_owned();
    match on_disk(move || observations.dismissed(&cluster)).await {
        Ok(dismissed) => {
            show(live, |view| view.dismissed = Arc::new(dismissed));
            true
        }
        Err(_said_with_the_next_change) => false,
    }
}
