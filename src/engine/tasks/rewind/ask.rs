//! A whole rewind as one answer, for commands.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::engine::cancel::Cancel;
use crate::engine::changing::{Ended, RewindReply, RewindRequest, Run};
use crate::model::{Known, Problem, ProblemKind};
use crate::rewind::guard::{GuardKind, Outcome};
use crate::rewind::plan::{Plan, Row};

use super::access::{self, Asker};
use super::observe::Observer;
use super::planning::{self, Made};
use super::reading::GroupNow;
use super::wait::{self, Order};
use super::{Desk, contents};

/// How often the group's bookmarks are read while they are watched.
const LOOK: Duration = Duration::from_millis(500);

/// How often a plan is made again while a partition has no leader.
const LEADER_TRIES: u32 = 4;
/// How long to wait before that.
const LEADER_REST: Duration = Duration::from_millis(800);

/// Plans, watches, checks, and applies when that is asked for. `tell` hears how waiting stands.
///
/// # Errors
/// There is no plan: what it rests on cannot be read, or it was given up before there was one.
pub(in crate::engine) async fn rewind(
    desk: &Desk,
    request: RewindRequest,
    cancel: &Cancel,
    tell: &watch::Sender<Run>,
) -> Known<RewindReply> {
    let cluster_id = desk.bus.cluster().await?.cluster_id;
    if let Some(only) = &request.only_cluster
        && cluster_id.as_ref() != Some(only)
    {
        return Err(Problem::new(
            ProblemKind::Invalid,
            format!("nothing was changed: this is not the cluster that is meant ({only})"),
        ));
    }
    let policy = access::policy(desk, cluster_id.as_deref(), Asker::Command).await;
    let mut made = plan_of(desk, &request, cancel).await?;
    let mut observer = Observer::new(request.observe_ms);
    if !request.execute && request.wait_ms.is_some() {
        wait_for_empty(desk, &request, &mut made, cancel, tell).await;
        made = plan_of(desk, &request, cancel).await?;
    }
    look_at_contents(desk, &mut made, cancel).await;
    let watched = watch_commits(desk, &mut made, &mut observer, cancel);
    watched.await;
    let guards = wait::guards(desk, &made.plan, &made.group, &observer, &policy, Ok(()));
    let misnamed = guards
        .iter()
        .any(|guard| guard.kind == GuardKind::Exists && guard.outcome == Outcome::Failed);
    if misnamed {
        // Of a group that is not there nothing else needs to be said than that.
        let problems = &mut made.plan.problems;
        problems.retain(|problem| problem.kind != ProblemKind::Invalid);
    }
    let plan_id = made.plan.id(&guards);
    let read_only = policy.locked.is_some();
    let reply = |plan: Plan, guards, ended| RewindReply {
        plan: Arc::new(plan),
        plan_id: plan_id.clone(),
        guards,
        read_only,
        ended,
    };
    if !request.execute {
        return Ok(reply(made.plan, guards, None));
    }
    if request
        .plan_id
        .as_ref()
        .is_some_and(|only| *only != plan_id)
    {
        let why = format!(
            "nothing was changed: this is another plan than the one that was to be applied; it is now {}, and a time that is counted back from now is another one each time",
            made.plan.target
        );
        let ended = Ended::Refused(Problem::new(ProblemKind::Invalid, why));
        return Ok(reply(made.plan, guards, Some(ended)));
    }
    if let Some(problem) = made.plan.problems.first().filter(|_| !misnamed) {
        let ended = Ended::Refused(problem.within("nothing was changed"));
        return Ok(reply(made.plan, guards, Some(ended)));
    }
    let order = Order {
        plan: made.plan,
        policy,
        cluster_id,
        confirmed: request.confirmed,
        words: String::new(),
        wait_ms: request.wait_ms,
    };
    let mut outcomes = wait::apply(desk, order, observer, cancel, tell).await;
    wait::once_more(desk, &mut outcomes, cancel).await?;
    Ok(reply(outcomes.plan, outcomes.guards, Some(outcomes.ended)))
}

/// The plan; partitions whose leader is only just being found are asked for again.
async fn plan_of(desk: &Desk, request: &RewindRequest, cancel: &Cancel) -> Known<Made> {
    let mut tries = 0;
    loop {
        let made = unless_cancelled(cancel, planning::make(desk, &request.plan)).await??;
        let passing = made.plan.rows.iter().any(|row| {
            let why = row.to.as_ref().err();
            why.is_some_and(|why| {
                matches!(why.kind, ProblemKind::NoLeader | ProblemKind::Retriable)
            })
        });
        if !passing || tries == LEADER_TRIES {
            return Ok(made);
        }
        tries += 1;
        unless_cancelled(cancel, tokio::time::sleep(LEADER_REST)).await?;
    }
}

/// Waits until nobody is in the group, as far as the limit allows.
async fn wait_for_empty(
    desk: &Desk,
    request: &RewindRequest,
    made: &mut Made,
    cancel: &Cancel,
    tell: &watch::Sender<Run>,
) {
    let (since, begun) = (desk.clock.now(), Instant::now());
    let wait_ms = request.wait_ms.unwrap_or(0);
    while made.group.is_empty() != Some(true)
        && begun.elapsed() < millis(wait_ms)
        && cancel.reason().is_none()
    {
        tell.send_replace(Run::Waiting {
            since,
            until: since.moved_ms(wait_ms),
            misses: 0,
            restarted: begun.elapsed() >= wait::RESTARTED,
        });
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = cancel.cancelled() => {}
        }
        made.group = GroupNow::read(&*desk.bus, &request.plan.group).await;
    }
}

/// Reads what lies between the places of the rows into the plan.
pub(super) async fn look_at_contents(desk: &Desk, made: &mut Made, cancel: &Cancel) {
    let rows = made.plan.rows.clone();
    let (bus, stable, cancel) = (Arc::clone(&desk.bus), made.stable.clone(), cancel.clone());
    let looking =
        tokio::task::spawn_blocking(move || contents::look(&*bus, &rows, &stable, &cancel));
    // A panic there has been reported by then, and the plan's bounds stay what they are.
    let Ok(mut found) = looking.await else {
        return;
    };
    let rows = std::mem::take(&mut made.plan.rows);
    made.plan.rows = rows
        .into_iter()
        .map(|row: Row| match found.remove(&row.at) {
            Some(contents) => row.with_contents(contents),
            None => row,
        })
        .collect();
}

/// Watches the group's bookmarks for as long as is wanted, while it has no members and may be moved at all.
async fn watch_commits(desk: &Desk, made: &mut Made, observer: &mut Observer, cancel: &Cancel) {
    let begun = Instant::now();
    observer.add(begun, &made.group);
    if !matches!(made.group.listing, Ok(Some(_))) {
        return;
    }
    let wanted = observer.wanted_ms();
    let most = millis(wanted.saturating_mul(2));
    while observer.seen().quiet_ms < wanted
        && observer.seen().moved.is_empty()
        && made.group.is_empty() == Some(true)
        && begun.elapsed() < most
        && cancel.reason().is_none()
    {
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = cancel.cancelled() => {}
        }
        let listing = made.group.listing.clone();
        made.group = GroupNow::of_listing(&*desk.bus, &made.plan.group, listing).await;
        observer.add(Instant::now(), &made.group);
    }
}

pub(super) fn millis(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

async fn unless_cancelled<T>(cancel: &Cancel, work: impl Future<Output = T>) -> Known<T> {
    tokio::select! {
        done = work => Ok(done),
        () = cancel.cancelled() => Err(Problem::new(
            ProblemKind::Cancelled,
            "given up before there was a plan; nothing was changed",
        )),
    }
}
