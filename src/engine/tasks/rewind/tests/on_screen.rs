//! The plan on screen: kept true, applied when told to, and left as it was applied.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};

use super::bus::{World, at, member};
use super::plan;
use crate::engine::changing::{ApplyRequest, Ended, RewindView, Run};
use crate::engine::publish::Publisher;
use crate::engine::tasks::rewind::live::{Live, Numbered, Told, follow};
use crate::model::{Bookmark, Offset, Profile, TimestampMs};
use crate::rewind::guard::{GuardKind, Outcome};
use crate::rewind::target::Target;

/// A window that looks at the rewind of `g` in `World`.
struct Screen {
    publisher: Arc<Publisher>,
    requests: watch::Sender<Numbered>,
    told: mpsc::Sender<Told>,
    unlocked: watch::Sender<Option<TimestampMs>>,
}

impl Screen {
    fn on(world: &World) -> Self {
        let publisher = Arc::new(Publisher::new(None, Arc::new(|| {})));
        let session = publisher.begin_session();
        let (requests, hears_requests) = watch::channel(None);
        let (told, hears_told) = mpsc::channel(8);
        let (unlocked, hears_lock) = watch::channel(None);
        let live = Live {
            desk: world.desk(),
            publisher: Arc::clone(&publisher),
            session,
            unlocked: hears_lock,
            written: Arc::new(Notify::new()),
        };
        tokio::spawn(follow(live, hears_requests, hears_told));
        Self {
            publisher,
            requests,
            told,
            unlocked,
        }
    }

    fn unlock(&self) {
        self.unlocked.send_replace(Some(TimestampMs(i64::MAX)));
    }

    fn ask(&self, number: u64, target: Target) {
        self.requests
            .send_replace(Some((number, Box::new(plan(target)))));
    }

    async fn until(&self, is: impl Fn(&RewindView) -> bool) -> Arc<RewindView> {
        for _ in 0..600 {
            let view = Arc::clone(&self.publisher.snapshot().rewind);
            if is(&view) {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{:?}", self.publisher.snapshot().rewind);
    }

    async fn planned(&self, number: u64) -> Arc<RewindView> {
        let answers =
            |view: &RewindView| view.plan_number == number && view.plan.is_some() && !view.counting;
        self.until(answers).await
    }

    /// The plan once nothing stands in its way but what is confirmed.
    async fn ready(&self, number: u64) -> Arc<RewindView> {
        self.until(|view| {
            view.plan_number == number
                && !view.counting
                && view
                    .guards
                    .iter()
                    .all(|guard| guard.outcome == Outcome::Passed)
                && !view.guards.is_empty()
        })
        .await
    }

    async fn apply(&self, view: &RewindView, words: &str, wait_ms: Option<i64>) {
        let request = ApplyRequest {
            plan_id: view.plan_id.clone(),
            confirmed: BTreeSet::from(["g".to_owned()]),
            words: words.to_owned(),
            wait_ms,
        };
        self.told.send(Told::Apply(request)).await.unwrap();
    }

    async fn ended(&self) -> Ended {
        let over = |view: &RewindView| matches!(view.run, Run::Ended(_));
        match &self.until(over).await.run {
            Run::Ended(ended) => ended.clone(),
            other => panic!("{other:?}"),
        }
    }
}

fn places(view: &RewindView) -> Vec<(i64, i64)> {
    let plan = view.plan.clone().unwrap().unwrap();
    let place = |bookmark: &crate::model::Known<Option<Bookmark>>| {
        bookmark.clone().unwrap().unwrap().offset.0
    };
    plan.rows
        .iter()
        .map(|row| (place(&row.from), place(&row.to)))
        .collect()
}

fn outcome(view: &RewindView, kind: GuardKind) -> Outcome {
    let found = view.guards.iter().find(|guard| guard.kind == kind);
    found.unwrap().outcome
}

#[tokio::test(start_paused = true)]
async fn the_newest_request_counts_and_its_plan_goes_on_with_the_group() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().members = vec![member()];
    let screen = Screen::on(&world);
    screen.ask(1, Target::Offset(Offset(10)));
    screen.ask(2, Target::Offset(Offset(40)));
    let view = screen.planned(2).await;
    assert_eq!(places(&view), [(80, 40)]);
    assert_eq!(view.members.len(), 1);
    let id = view.plan_id.clone();
    world
        .state
        .lock()
        .bookmarks
        .insert(at(0), Bookmark::plain(Offset(90)));
    let view = screen.until(|view| places(view) == [(90, 40)]).await;
    assert_eq!(view.plan_id, id);
    screen.requests.send_replace(None);
    screen.until(|view| view.plan.is_none()).await;
    assert_eq!(world.state.lock().sets, 0);
}

#[tokio::test(start_paused = true)]
async fn a_window_is_locked_until_it_is_unlocked() {
    let world = World::new(&[(0, 100, Some(80))]);
    let screen = Screen::on(&world);
    screen.ask(1, Target::Earliest);
    let view = screen.planned(1).await;
    assert_eq!(outcome(&view, GuardKind::Writable), Outcome::Failed);
    screen.apply(&view, "", None).await;
    assert!(matches!(screen.ended().await, Ended::Refused(_)));
    assert_eq!(world.state.lock().sets, 0);
    screen.unlock();
    screen.ask(2, Target::Earliest);
    screen.ready(2).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_applied_stays_on_screen_as_it_was_applied() {
    let world = World::new(&[(0, 100, Some(80))]);
    let screen = Screen::on(&world);
    screen.unlock();
    screen.ask(1, Target::Shift(-30));
    let view = screen.ready(1).await;
    assert_eq!(places(&view), [(80, 50)]);
    screen.apply(&view, "", None).await;
    assert!(matches!(screen.ended().await, Ended::Applied(_)));
    assert_eq!(world.offsets(), [Some(50)]);
    // It does not go on to what the same words would mean from here.
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(places(&screen.publisher.snapshot().rewind), [(80, 50)]);
    assert_eq!(world.state.lock().sets, 1);
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_is_not_the_one_on_screen_is_not_applied() {
    let world = World::new(&[(0, 100, Some(80))]);
    let screen = Screen::on(&world);
    screen.unlock();
    screen.ask(1, Target::Offset(Offset(10)));
    let seen = screen.ready(1).await;
    screen.ask(2, Target::Offset(Offset(20)));
    screen.ready(2).await;
    screen.apply(&seen, "", None).await;
    assert!(matches!(screen.ended().await, Ended::Refused(_)));
    assert_eq!(world.offsets(), [Some(80)]);
}

#[tokio::test(start_paused = true)]
async fn production_wants_the_persons_own_words_and_the_journal_keeps_them() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().profiles = vec![Profile {
        name: "prod".to_owned(),
        production: true,
        cluster_id: Some("cluster-1".to_owned()),
        ..Profile::default()
    }];
    let screen = Screen::on(&world);
    screen.unlock();
    screen.ask(1, Target::Earliest);
    let confirmable = |view: &RewindView| {
        !view.guards.is_empty()
            && !view.counting
            && view.guards.iter().all(|guard| {
                guard.outcome == Outcome::Passed
                    || guard.kind == GuardKind::Production && guard.outcome == Outcome::Confirm
            })
    };
    let view = screen.until(confirmable).await;
    screen.apply(&view, " ", None).await;
    assert!(matches!(screen.ended().await, Ended::Refused(_)));
    screen.ask(2, Target::Earliest);
    let view = screen
        .until(|view| view.plan_number == 2 && view.run == Run::Idle && confirmable(view))
        .await;
    screen.apply(&view, "invoices go out twice", None).await;
    assert!(matches!(screen.ended().await, Ended::Applied(_)));
    let confirmed = world.state.lock().entries[0].confirmed.clone();
    assert_eq!(confirmed, ["g", "invoices go out twice"]);
}

#[tokio::test(start_paused = true)]
async fn waiting_can_be_given_up_and_changes_nothing() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().members = vec![member()];
    let screen = Screen::on(&world);
    screen.unlock();
    screen.ask(1, Target::Earliest);
    let view = screen.planned(1).await;
    screen.apply(&view, "", Some(600_000)).await;
    let waiting = |view: &RewindView| matches!(view.run, Run::Waiting { .. });
    screen.until(waiting).await;
    screen.told.send(Told::Stop).await.unwrap();
    assert!(matches!(screen.ended().await, Ended::Refused(_)));
    world.state.lock().members.clear();
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(
        (world.offsets(), world.state.lock().sets),
        (vec![Some(80)], 0)
    );
}
