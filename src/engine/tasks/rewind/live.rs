//! The plan on screen: kept true while it is looked at, and applied when told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::changing::{ApplyRequest, Ended, RewindView, Run};
use crate::engine::event::StoppedBy;
use crate::engine::publish::Publisher;
use crate::model::{Known, Problem, ProblemKind, TimestampMs};
use crate::rewind::guard;
use crate::rewind::plan::Plan;
use crate::rewind::policy::Policy;
use crate::rewind::target::PlanRequest;

use super::Desk;
use super::access::{self, Asker};
use super::ask::look_at_contents;
use super::observe::{self, Observer};
use super::planning::{self, Made};
use super::reading::GroupNow;
use super::wait::{self, Order};

/// How long a request has to stand before it is worked out: a drag makes many.
const SETTLE: Duration = Duration::from_millis(60);
/// How long it has to stand before records are read for it.
const STAND: Duration = Duration::from_millis(250);
/// How often the group is read again.
const LOOK: Duration = Duration::from_secs(1);
/// With every how many of these everything else is read again.
const WHOLE: u32 = 5;

/// A numbered request.
pub(in crate::engine) type Numbered = Option<(u64, Box<PlanRequest>)>;

/// What is told to the plan on screen.
#[derive(Debug)]
pub(in crate::engine) enum Told {
    /// Apply it.
    Apply(ApplyRequest),
    /// Stop waiting for that.
    Stop,
}

/// What the plan on screen needs.
pub(in crate::engine) struct Live {
    pub(in crate::engine) desk: Desk,
    pub(in crate::engine) publisher: Arc<Publisher>,
    pub(in crate::engine) session: SessionId,
    /// Until when changes are allowed.
    pub(in crate::engine) unlocked: watch::Receiver<Option<TimestampMs>>,
    /// Wakes whoever shows the journal.
    pub(in crate::engine) written: Arc<tokio::sync::Notify>,
}

impl Live {
    fn show(&self, change: impl FnOnce(&mut RewindView)) {
        self.publisher.update(self.session, |snapshot| {
            let mut view = RewindView::clone(&snapshot.rewind);
            change(&mut view);
            if view != *snapshot.rewind {
                snapshot.rewind = Arc::new(view);
            }
        });
    }

    async fn policy(&self) -> (Option<String>, Policy) {
        let known = self.publisher.snapshot().inventory.cluster.clone();
        let cluster_id = match known {
            Some(Ok(cluster)) => cluster.cluster_id.clone(),
            _ => match self.desk.bus.cluster().await {
                Ok(cluster) => cluster.cluster_id,
                Err(_) => None,
            },
        };
        let now = self.desk.clock.now();
        let unlocked = self.unlocked.borrow().is_some_and(|until| now < until);
        let asker = Asker::Window { unlocked };
        let policy = access::policy(&self.desk, cluster_id.as_deref(), asker).await;
        (cluster_id, policy)
    }
}

/// A change that was ordered and is not over.
struct Running {
    cancel: Cancel,
    task: tokio::task::JoinHandle<()>,
    /// The request whose plan it is.
    number: u64,
    /// Whether the bus has taken it: the plan then stays as it was applied.
    applied: Arc<AtomicBool>,
}

impl Running {
    fn is_over(&self) -> bool {
        self.task.is_finished()
    }
}

/// What becomes of a plan on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// It is made anew again and again.
    True,
    /// Its places stay: it was ordered.
    InPlace,
    /// It stays as it was applied.
    Applied,
}

fn kept(running: Option<&Running>, number: u64) -> Kept {
    match running.filter(|running| running.number == number) {
        Some(running) if running.applied.load(Ordering::Acquire) => Kept::Applied,
        Some(running) if !running.is_over() => Kept::InPlace,
        _ => Kept::True,
    }
}

/// Leaving the connection ends the waiting, never a write that is on its way.
impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel(StoppedBy::Interrupt);
    }
}

/// Keeps the newest request's plan true until the session is over.
pub(in crate::engine) async fn follow(
    live: Live,
    mut requests: watch::Receiver<Numbered>,
    mut told: mpsc::Receiver<Told>,
) {
    let live = Arc::new(live);
    let mut running: Option<Running> = None;
    loop {
        let request = requests.borrow_and_update().clone();
        let Some((number, request)) = request else {
            if running
                .as_ref()
                .is_none_or(|running| running.task.is_finished())
            {
                live.show(|view| *view = RewindView::default());
            }
            tokio::select! {
                changed = requests.changed() => if changed.is_err() { return },
                Some(told) = told.recv() => act(&live, told, None, &mut running).await,
            }
            continue;
        };
        live.show(|view| {
            view.number = number;
            if running
                .as_ref()
                .is_none_or(|running| running.task.is_finished())
            {
                view.run = Run::Idle;
            }
        });
        let stand = Stand {
            live: &live,
            number,
            request: &request,
        };
        if stand
            .until_changed(&mut requests, &mut told, &mut running)
            .await
            .is_none()
        {
            return;
        }
    }
}

/// One request while it stands.
struct Stand<'a> {
    live: &'a Arc<Live>,
    number: u64,
    request: &'a PlanRequest,
}

impl Stand<'_> {
    /// Works the plan out and keeps it true until another request comes; `None` when none will.
    async fn until_changed(
        &self,
        requests: &mut watch::Receiver<Numbered>,
        told: &mut mpsc::Receiver<Told>,
        running: &mut Option<Running>,
    ) -> Option<()> {
        let desk = &self.live.desk;
        let mut observer = Observer::new(observe::USUAL_MS);
        let mut counted: Option<Plan> = None;
        let mut made: Option<Made> = None;
        let mut rounds: u32 = 0;
        let mut pause = SETTLE;
        loop {
            tokio::select! {
                biased;
                changed = requests.changed() => return changed.ok(),
                Some(told) = told.recv() => {
                    let at_hand = made.as_ref().map(|made| (self, made, &observer));
                    act(self.live, told, at_hand, running).await;
                    continue;
                }
                () = tokio::time::sleep(pause) => {}
            }
            let how = kept(running.as_ref(), self.number);
            if how == Kept::Applied {
                pause = LOOK;
                continue;
            }
            let whole = how == Kept::True && rounds.is_multiple_of(WHOLE);
            if made.is_none() || whole {
                let next = tokio::select! {
                    biased;
                    changed = requests.changed() => return changed.ok(),
                    next = planning::make(desk, self.request) => next,
                };
                match next {
                    Ok(mut next) => {
                        if let Some(before) = &counted {
                            keep_counts(&mut next.plan, before);
                        }
                        made = Some(next);
                    }
                    Err(problem) => {
                        self.failed(problem);
                        made = None;
                        pause = LOOK;
                        continue;
                    }
                }
            } else if let Some(made) = &mut made {
                let listing = made.group.listing.clone();
                made.group = GroupNow::of_listing(&*desk.bus, &self.request.group, listing).await;
                if let Ok(fresh) = planning::again(desk, &made.plan, &made.group).await {
                    made.plan = planning::from_now(&made.plan, &fresh);
                }
            }
            let Some(now) = &mut made else { continue };
            observer.add(Instant::now(), &now.group);
            let uncounted = counted
                .as_ref()
                .is_none_or(|before| !same_places(&now.plan, before));
            if kept(running.as_ref(), self.number) == Kept::Applied {
                continue;
            }
            self.standing(now, &observer, uncounted).await;
            if uncounted {
                let cancel = Cancel::default();
                let _given_up_when_left = cancel.guard();
                tokio::select! {
                    biased;
                    changed = requests.changed() => return changed.ok(),
                    () = async {
                        tokio::time::sleep(STAND).await;
                        look_at_contents(desk, now, &cancel).await;
                    } => {}
                }
                counted = Some(now.plan.clone());
                self.standing(now, &observer, false).await;
            }
            rounds = rounds.wrapping_add(1);
            pause = LOOK;
        }
    }

    /// Shows the plan and its guards.
    async fn standing(&self, made: &Made, observer: &Observer, counting: bool) {
        let (_, policy) = self.live.policy().await;
        let guards = wait::guards(
            &self.live.desk,
            &made.plan,
            &made.group,
            observer,
            &policy,
            Ok(()),
        );
        let plan_id = made.plan.id(&guards);
        let plan = Arc::new(made.plan.clone());
        let members = made.group.members.clone().unwrap_or_default();
        self.live.show(|view| {
            view.number = self.number;
            view.plan_number = self.number;
            view.plan = Some(Ok(plan));
            view.plan_id = plan_id;
            view.guards = guards;
            view.counting = counting;
            view.members = members;
        });
    }

    fn failed(&self, problem: Problem) {
        self.live.show(|view| {
            view.plan_number = self.number;
            view.plan = Some(Err(problem));
            view.counting = false;
            view.guards.clear();
        });
    }
}

/// Whether every row goes from and to the same places.
fn same_places(plan: &Plan, before: &Plan) -> bool {
    plan.rows.len() == before.rows.len()
        && plan
            .rows
            .iter()
            .zip(&before.rows)
            .all(|(row, before)| row.at == before.at && row.stretch() == before.stretch())
}

/// What was counted stays true while places do.
fn keep_counts(plan: &mut Plan, before: &Plan) {
    let rows = std::mem::take(&mut plan.rows);
    plan.rows = rows
        .into_iter()
        .map(
            |row| match before.rows.iter().find(|counted| counted.at == row.at) {
                Some(counted) => row.recalling(counted),
                None => row,
            },
        )
        .collect();
}

/// Does what was told. `at_hand` is the plan on screen, if there is one.
async fn act(
    live: &Arc<Live>,
    told: Told,
    at_hand: Option<(&Stand<'_>, &Made, &Observer)>,
    running: &mut Option<Running>,
) {
    match told {
        Told::Stop => {
            if let Some(running) = running {
                running.cancel.cancel(StoppedBy::Interrupt);
            }
        }
        Told::Apply(request) => {
            if running
                .as_ref()
                .is_some_and(|running| !running.task.is_finished())
            {
                return;
            }
            match ordered(live, &request, at_hand).await {
                Ok((number, order, observer)) => {
                    *running = Some(run(live, number, order, observer));
                }
                Err(problem) => {
                    live.show(|view| view.run = Run::Ended(Ended::Refused(problem)));
                }
            }
        }
    }
}

/// The order that `request` is, if the plan on screen is the one it means.
async fn ordered(
    live: &Arc<Live>,
    request: &ApplyRequest,
    at_hand: Option<(&Stand<'_>, &Made, &Observer)>,
) -> Known<(u64, Order, Observer)> {
    let other = || {
        Problem::new(
            ProblemKind::Invalid,
            "nothing was changed: the plan is not the one that was confirmed any more; look at it again",
        )
    };
    let (stand, made, observer) = at_hand.ok_or_else(other)?;
    let (cluster_id, policy) = live.policy().await;
    let guards = wait::guards(
        &live.desk,
        &made.plan,
        &made.group,
        observer,
        &policy,
        Ok(()),
    );
    if made.plan.id(&guards) != request.plan_id {
        return Err(other());
    }
    let blocked = guard::blocking(&guards, &request.confirmed);
    let production =
        policy.production && made.plan.totals().again > 0 && request.words.trim().is_empty();
    if blocked.is_empty() && production {
        return Err(Problem::new(
            ProblemKind::Invalid,
            "nothing was changed: on a production cluster, say what happens when these records run a second time",
        ));
    }
    let order = Order {
        plan: made.plan.clone(),
        policy,
        cluster_id,
        confirmed: request.confirmed.clone(),
        words: request.words.clone(),
        wait_ms: request.wait_ms,
    };
    Ok((stand.number, order, observer.clone()))
}

/// Walks an order to its end on a task of its own: leaving the connection does not cut a write in two.
fn run(live: &Arc<Live>, number: u64, order: Order, observer: Observer) -> Running {
    let cancel = Cancel::default();
    let applied = Arc::<AtomicBool>::default();
    let taken = Arc::clone(&applied);
    let (live, given_up) = (Arc::clone(live), cancel.clone());
    let task = tokio::spawn(async move {
        let (tell, mut heard) = watch::channel(Run::Applying);
        let shown = Arc::clone(&live);
        let working = async move {
            let mut outcomes = wait::apply(&live.desk, order, observer, &given_up, &tell).await;
            if matches!(outcomes.ended, Ended::Applied(_)) {
                taken.store(true, Ordering::Release);
                let (plan, guards) = (Arc::new(outcomes.plan.clone()), outcomes.guards.clone());
                live.show(|view| {
                    if view.plan_number == number {
                        view.plan = Some(Ok(plan));
                        view.guards = guards;
                        view.counting = false;
                    }
                });
            }
            tell.send_replace(Run::Ended(outcomes.ended.clone()));
            live.written.notify_one();
            // Without a journal nothing was written, so there is nothing to keep either.
            drop(wait::once_more(&live.desk, &mut outcomes, &given_up).await);
            tell.send_replace(Run::Ended(outcomes.ended));
            live.written.notify_one();
        };
        let showing = async {
            while heard.changed().await.is_ok() {
                let now = heard.borrow_and_update().clone();
                shown.show(|view| view.run = now);
            }
        };
        tokio::join!(working, showing);
    });
    Running {
        cancel,
        task,
        number,
        applied,
    }
}
