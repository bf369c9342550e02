//! Applying a plan: at once, or in the first moment without members.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::engine::cancel::Cancel;
use crate::engine::changing::{Applied, Ended, Run};
use crate::model::{JournalEntry, Known, Problem, ProblemKind, Text};
use crate::rewind::guard::{self, Confirmed, Guard, GuardFacts, GuardKind, Outcome};
use crate::rewind::plan::Plan;
use crate::rewind::policy::Policy;

use super::Desk;
use super::ask::millis;
use super::observe::Observer;
use super::planning;
use super::reading::GroupNow;
use super::write::{self, Attempt, Statement, Writer};

/// How often the group is looked at while it is waited for.
const LOOK: Duration = Duration::from_millis(200);
/// How often it is looked for among all groups meanwhile.
const LIST: Duration = Duration::from_secs(5);
/// After how long without an empty moment something is said to start the members anew.
pub(super) const RESTARTED: Duration = Duration::from_mins(1);
/// How long what cannot be known may stay unknown before an apply that does not wait is refused, in milliseconds.
const UNKNOWN_MS: i64 = 5_000;

/// What is to be applied, and what a person said to it.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) plan: Plan,
    pub(super) policy: Policy,
    pub(super) cluster_id: Option<String>,
    pub(super) confirmed: Confirmed,
    pub(super) words: String,
    pub(super) wait_ms: Option<i64>,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Outcomes {
    pub(super) ended: Ended,
    /// The plan as it was applied, or stood at the end.
    pub(super) plan: Plan,
    pub(super) guards: Vec<Guard>,
    /// The entry that was written.
    pub(super) entry: Option<JournalEntry>,
}

/// The guards of `plan` as they stand.
pub(super) fn guards(
    desk: &Desk,
    plan: &Plan,
    group: &GroupNow,
    seen: &Observer,
    policy: &Policy,
    unchanged: Result<(), String>,
) -> Vec<Guard> {
    guard::guards(&GuardFacts {
        plan,
        listing: group
            .listing
            .as_ref()
            .map(Option::as_ref)
            .map_err(Clone::clone),
        types_known: desk.bus.capabilities().group_types.is_ok(),
        members: group.members.as_deref().map_err(Clone::clone),
        state: group.state.as_deref(),
        observation: seen.seen(),
        unchanged,
        policy,
        now: desk.clock.now(),
    })
}

/// Applies `order` as soon as its guards allow, `Run` telling how it stands. Giving it up changes nothing once
/// the write is on its way: that is then walked to its end.
pub(super) async fn apply(
    desk: &Desk,
    order: Order,
    mut observer: Observer,
    cancel: &Cancel,
    tell: &watch::Sender<Run>,
) -> Outcomes {
    let (since, begun) = (desk.clock.now(), Instant::now());
    let mut listed_at = begun;
    let mut group = GroupNow::read(&*desk.bus, &order.plan.group).await;
    let waits = order.wait_ms.is_some();
    let statement = Statement {
        cluster_id: order.cluster_id.clone(),
        confirmed: confirmed_words(&order),
    };
    let mut writer = Writer::new(desk, statement);
    let mut plan = order.plan.clone();
    // Where members were waited for, no quiet stretch can be watched: what is read back after the write tells.
    let mut patience = if waits {
        Patience::Waits
    } else {
        Patience::None
    };
    loop {
        observer.add(Instant::now(), &group);
        let fresh = planning::again(desk, &plan, &group).await;
        let unchanged = match &fresh {
            Ok(fresh) => guard::unchanged(&plan, fresh),
            Err(_) => Ok(()),
        };
        if let (Ok(fresh), Ok(())) = (&fresh, &unchanged) {
            plan = planning::from_now(&plan, fresh);
        }
        let standing = guards(desk, &plan, &group, &observer, &order.policy, unchanged);
        let empty = group.is_empty();
        if waits && empty == Some(false) {
            patience = Patience::WaitedForMembers;
        }
        let end = |ended, plan, guards, entry| Outcomes {
            ended,
            plan,
            guards,
            entry,
        };
        let blocking = guard::blocking(&standing, &order.confirmed);
        let stands = |guard: &&Guard| how(guard, patience);
        if let Some(guard) = blocking.iter().find(|guard| stands(guard) == How::Refuses) {
            let ended = Ended::Refused(refusal(guard));
            return end(ended, plan, standing, None);
        }
        let open = blocking.iter().any(|guard| stands(guard) == How::Waits);
        if !open && plan.moves().is_empty() {
            return end(nothing_to_write(desk, &plan), plan, standing, None);
        }
        if !open && empty == Some(true) {
            tell.send_replace(Run::Applying);
            match writer.attempt(&plan, &group).await {
                Attempt::Refused(problem) => {
                    return end(Ended::Refused(problem), plan, standing, None);
                }
                Attempt::Done(entry) => {
                    let applied = write::applied(&entry, desk.clock.now(), writer.misses);
                    return end(Ended::Applied(applied), plan, standing, Some(*entry));
                }
                Attempt::Members if !waits => {
                    let why = "nothing was changed: a member joined before the write arrived";
                    let ended = Ended::Refused(Problem::new(ProblemKind::GroupActive, why));
                    return end(ended, plan, standing, None);
                }
                Attempt::Members => {}
            }
        }
        let limit_ms = limit_ms(&order, &observer);
        if cancel.reason().is_some() {
            let why = "nothing was changed: it was given up before the write";
            let ended = Ended::Refused(Problem::new(ProblemKind::Cancelled, why));
            return end(ended, plan, standing, None);
        }
        if begun.elapsed() >= millis(limit_ms) {
            let ended = Ended::Refused(too_late(&blocking, &order, writer.misses));
            return end(ended, plan, standing, None);
        }
        tell.send_replace(Run::Waiting {
            since,
            until: since.moved_ms(limit_ms),
            misses: writer.misses,
            restarted: patience == Patience::WaitedForMembers && begun.elapsed() >= RESTARTED,
        });
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = cancel.cancelled() => {}
        }
        group = look(desk, &order.plan.group, group, &mut listed_at).await;
    }
}

/// What an order allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// Now or not at all.
    None,
    /// Waiting for the members to leave; none were seen yet.
    Waits,
    /// Waiting, and members were there: no quiet stretch can be watched between their runs.
    WaitedForMembers,
}

/// What a guard that blocks does to a change that was ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// It ends it.
    Refuses,
    /// It may come to hold by itself.
    Waits,
    /// Nothing: the order stands for it.
    Waived,
}

fn how(guard: &Guard, patience: Patience) -> How {
    match (guard.kind, guard.outcome, patience) {
        (
            GuardKind::NoHiddenReader,
            Outcome::Unknown | Outcome::Confirm,
            Patience::WaitedForMembers,
        ) => How::Waived,
        (GuardKind::NoMembers, Outcome::Failed, Patience::Waits | Patience::WaitedForMembers)
        | (_, Outcome::Unknown, _) => How::Waits,
        _ => How::Refuses,
    }
}

/// The group again; the list of all groups is asked for less often.
async fn look(desk: &Desk, name: &Text, before: GroupNow, listed_at: &mut Instant) -> GroupNow {
    if before.listing.is_err() || listed_at.elapsed() >= LIST {
        *listed_at = Instant::now();
        return GroupNow::read(&*desk.bus, name).await;
    }
    GroupNow::of_listing(&*desk.bus, name, before.listing).await
}

/// Until when something may stay open: the limit for waiting, or as long as commits have to be watched.
fn limit_ms(order: &Order, observer: &Observer) -> i64 {
    let watching = observer.wanted_ms().saturating_add(UNKNOWN_MS);
    order.wait_ms.map_or(watching, |wait| wait.max(watching))
}

fn refusal(guard: &Guard) -> Problem {
    let kind = match guard.kind {
        GuardKind::NoMembers => ProblemKind::GroupActive,
        GuardKind::Exists => ProblemKind::NotFound,
        GuardKind::Writable => ProblemKind::Forbidden,
        _ => ProblemKind::Invalid,
    };
    let how = match (&guard.outcome, &guard.confirm_with) {
        (Outcome::Confirm, Some(word)) => format!(" (to confirm it: {word})"),
        _ => String::new(),
    };
    Problem::new(kind, format!("nothing was changed: {}{how}", guard.detail))
}

fn too_late(blocking: &[&Guard], order: &Order, misses: u64) -> Problem {
    let why = blocking
        .first()
        .map_or("the group was not without members", |guard| &*guard.detail);
    let missed = match misses {
        0 => String::new(),
        1 => "; once a member was back before the write".to_owned(),
        misses => format!("; {misses} times a member was back before the write"),
    };
    let kind = if order.wait_ms.is_some() {
        ProblemKind::GroupActive
    } else {
        ProblemKind::TimedOut
    };
    Problem::new(
        kind,
        format!("nothing was changed within the time allowed: {why}{missed}"),
    )
}

/// How a plan ends that changes no row.
fn nothing_to_write(desk: &Desk, plan: &Plan) -> Ended {
    let unresolved = plan.rows.iter().find_map(|row| row.to.as_ref().err());
    match unresolved.or_else(|| plan.problems.first()) {
        Some(problem) => Ended::Refused(problem.within("nothing was changed")),
        None => Ended::Applied(Applied {
            journal_id: None,
            at: desk.clock.now(),
            rows: Vec::new(),
            misses: 0,
        }),
    }
}

/// What the journal keeps of what a person said.
fn confirmed_words(order: &Order) -> Vec<String> {
    let mut words: Vec<String> = order.confirmed.iter().cloned().collect();
    if order.wait_ms.is_some() {
        words.push("applied in the first moment without members".to_owned());
    }
    if !order.words.trim().is_empty() {
        words.push(order.words.clone());
    }
    words
}

/// Reads the bookmarks once more a while after the write, and keeps what that told.
pub(super) async fn once_more(desk: &Desk, outcomes: &mut Outcomes, cancel: &Cancel) -> Known<()> {
    let Some(entry) = &mut outcomes.entry else {
        return Ok(());
    };
    tokio::select! {
        () = tokio::time::sleep(write::ONCE_MORE) => {}
        () = cancel.cancelled() => return Ok(()),
    }
    let before = entry.clone();
    write::look_once_more(desk, entry).await;
    if *entry == before {
        return Ok(());
    }
    if let Ended::Applied(applied) = &outcomes.ended {
        outcomes.ended = Ended::Applied(write::applied(entry, applied.at, applied.misses));
    }
    let journal = desk.files.journal.clone()?;
    write::keep(&journal, entry).await;
    Ok(())
}
