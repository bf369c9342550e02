//! What is written and what is refused.

use std::time::Duration;

use super::bus::{World, at, listing, member};
use super::{Outcome, applied, ask, outcome, plan, refused, request};
use crate::model::{
    Bookmark, GroupType, JournalState, Offset, Problem, ProblemKind, Profile, Text, TimestampMs,
};
use crate::rewind::guard::GuardKind;
use crate::rewind::target::Target;

#[tokio::test(start_paused = true)]
async fn what_is_written_is_kept_before_and_read_back_after() {
    let world = World::new(&[(0, 100, Some(80)), (10, 50, Some(30))]);
    let reply = ask(&world, request(Target::Time(TimestampMs(20))))
        .await
        .unwrap();
    let done = applied(&reply);
    assert_eq!(world.offsets(), [Some(20), Some(20)]);
    let read: Vec<_> = done.rows.iter().map(|row| row.read_back.clone()).collect();
    assert_eq!(read, [Ok(Some(Offset(20))), Ok(Some(Offset(20)))]);
    assert!(done.rows.iter().all(|row| row.error.is_none()));
    let state = world.state.lock();
    let [entry] = &state.entries[..] else {
        panic!("{:?}", state.entries)
    };
    assert_eq!(
        (Some(&entry.id), &*entry.user),
        (done.journal_id.as_ref(), "ada")
    );
    assert_eq!(entry.state, JournalState::Watching);
    assert_eq!(entry.cluster_id.as_deref(), Some("cluster-1"));
    assert_eq!(entry.confirmed, ["no_hidden_reader"]);
    let before: Vec<_> = entry.rows.iter().map(|row| row.before.clone()).collect();
    assert_eq!(
        before,
        [
            Some(Bookmark::plain(Offset(80))),
            Some(Bookmark::plain(Offset(30)))
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn looking_writes_nothing() {
    let world = World::new(&[(0, 100, Some(80))]);
    let mut looked = request(Target::Earliest);
    looked.execute = false;
    let reply = ask(&world, looked).await.unwrap();
    assert_eq!(reply.ended, None);
    assert_eq!(world.offsets(), [Some(80)]);
    assert_eq!(world.state.lock().sets, 0);
    assert!(world.state.lock().entries.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_misspelt_group_creates_nothing() {
    let world = World::new(&[(0, 100, Some(80))]);
    let mut misspelt = request(Target::Earliest);
    misspelt.plan.group = Text::from("gg");
    let reply = ask(&world, misspelt).await.unwrap();
    assert_eq!(outcome(&reply, GuardKind::Exists), Outcome::Failed);
    refused(&reply);
    assert_eq!(world.state.lock().sets, 0);
}

#[tokio::test(start_paused = true)]
async fn members_are_named_and_nothing_is_written() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().members = vec![member()];
    let reply = ask(&world, request(Target::Earliest)).await.unwrap();
    assert!(
        refused(&reply).contains("billing-7f9c"),
        "{}",
        refused(&reply)
    );
    assert_eq!(world.state.lock().sets, 0);
    assert!(world.state.lock().entries.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_write_that_is_lost_is_looked_up() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().answers = vec![Some(Problem::new(ProblemKind::TimedOut, "no answer"))];
    let reply = ask(&world, request(Target::Earliest)).await.unwrap();
    let done = applied(&reply);
    assert_eq!(world.offsets(), [Some(80)]);
    assert!(done.rows[0].error.is_some());
    assert_eq!(world.state.lock().entries[0].state, JournalState::Refused);
}

#[tokio::test(start_paused = true)]
async fn what_the_coordinator_cannot_take_for_a_moment_is_sent_again() {
    let world = World::new(&[(0, 100, Some(80))]);
    let loading = || Some(Problem::new(ProblemKind::Retriable, "loading"));
    world.state.lock().answers = vec![loading(), loading(), None];
    let reply = ask(&world, request(Target::Earliest)).await.unwrap();
    assert!(applied(&reply).rows[0].error.is_none());
    assert_eq!(
        (world.offsets(), world.state.lock().sets),
        (vec![Some(0)], 3)
    );
}

#[tokio::test(start_paused = true)]
async fn a_row_that_is_refused_does_not_hide_the_others() {
    let world = World::new(&[(0, 100, Some(80)), (0, 100, Some(70))]);
    world.state.lock().refused = vec![at(0)];
    let reply = ask(&world, request(Target::Earliest)).await.unwrap();
    let errors: Vec<bool> = applied(&reply)
        .rows
        .iter()
        .map(|row| row.error.is_some())
        .collect();
    assert_eq!(errors, [true, false]);
    assert_eq!(world.offsets(), [Some(80), Some(0)]);
}

#[tokio::test(start_paused = true)]
async fn somebody_who_writes_over_it_is_noticed() {
    let world = World::new(&[(0, 100, Some(80))]);
    let theirs = Bookmark::plain(Offset(81));
    world.state.lock().meddler.insert(at(0), theirs);
    let reply = ask(&world, request(Target::Earliest)).await.unwrap();
    let done = applied(&reply);
    assert_eq!(done.rows[0].read_back, Ok(Some(Offset(81))));
    assert!(done.rows[0].error.is_some());
    assert_eq!(
        world.state.lock().entries[0].state,
        JournalState::Overwritten
    );
}

#[tokio::test(start_paused = true)]
async fn a_hidden_reader_is_seen_before_the_write() {
    let world = World::new(&[(0, 100, Some(80))]);
    let moving = world.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let moved = Bookmark::plain(Offset(85));
        moving.state.lock().bookmarks.insert(at(0), moved);
    });
    let mut watched = request(Target::Earliest);
    watched.observe_ms = 11_000;
    watched.confirmed.clear();
    let reply = ask(&world, watched).await.unwrap();
    assert_eq!(outcome(&reply, GuardKind::NoHiddenReader), Outcome::Failed);
    assert_eq!(world.offsets(), [Some(85)]);
    assert_eq!(world.state.lock().sets, 0);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_group_passes_when_it_was_watched_long_enough_only() {
    let world = World::new(&[(0, 100, Some(80))]);
    let mut watched = request(Target::Earliest);
    watched.confirmed.clear();
    watched.observe_ms = 11_000;
    let reply = ask(&world, watched.clone()).await.unwrap();
    assert_eq!(outcome(&reply, GuardKind::NoHiddenReader), Outcome::Passed);
    applied(&reply);
    let world = World::new(&[(0, 100, Some(80))]);
    watched.observe_ms = 0;
    let reply = ask(&world, watched).await.unwrap();
    assert_eq!(outcome(&reply, GuardKind::NoHiddenReader), Outcome::Confirm);
    refused(&reply);
    assert_eq!(world.offsets(), [Some(80)]);
}

#[tokio::test(start_paused = true)]
async fn it_is_applied_in_the_first_moment_without_members() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().members = vec![member()];
    let leaving = world.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(20)).await;
        let mut state = leaving.state.lock();
        // Its members went on to 90 before they left.
        state.bookmarks.insert(at(0), Bookmark::plain(Offset(90)));
        state.members.clear();
    });
    let mut waiting = request(Target::Time(TimestampMs(40)));
    waiting.confirmed.clear();
    waiting.wait_ms = Some(60_000);
    let reply = ask(&world, waiting).await.unwrap();
    let done = applied(&reply);
    assert_eq!(done.rows[0].before, Some(Bookmark::plain(Offset(90))));
    assert_eq!(world.offsets(), [Some(40)]);
    assert_eq!(reply.plan.rows[0].contents.records, 50);
}

#[tokio::test(start_paused = true)]
async fn a_member_that_is_back_before_the_write_is_a_miss_and_it_is_tried_again() {
    let world = World::new(&[(0, 100, Some(80))]);
    let back = || Some(Problem::new(ProblemKind::GroupActive, "it has members"));
    {
        let mut state = world.state.lock();
        state.members = vec![member()];
        state.answers = vec![back(), back(), None];
    }
    let leaving = world.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        leaving.state.lock().members.clear();
    });
    let mut waiting = request(Target::Earliest);
    waiting.wait_ms = Some(60_000);
    let reply = ask(&world, waiting).await.unwrap();
    assert_eq!(applied(&reply).misses, 2);
    assert_eq!(world.offsets(), [Some(0)]);
    assert_eq!(world.state.lock().entries.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_never_empty_is_left_as_it_is() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().members = vec![member()];
    let mut waiting = request(Target::Earliest);
    waiting.wait_ms = Some(90_000);
    let reply = ask(&world, waiting).await.unwrap();
    refused(&reply);
    assert_eq!(world.state.lock().sets, 0);
}

#[tokio::test(start_paused = true)]
async fn it_stops_when_the_topic_is_another_one_or_the_bookmark_went_back() {
    for (topic_id, committed) in [("id-2", 80), ("id-1", 60)] {
        let world = World::new(&[(0, 100, Some(80))]);
        world.state.lock().members = vec![member()];
        let changing = world.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(5)).await;
            let mut state = changing.state.lock();
            topic_id.clone_into(&mut state.topic_id);
            state
                .bookmarks
                .insert(at(0), Bookmark::plain(Offset(committed)));
            state.members.clear();
        });
        let mut waiting = request(Target::Earliest);
        waiting.wait_ms = Some(60_000);
        let reply = ask(&world, waiting).await.unwrap();
        assert_eq!(
            outcome(&reply, GuardKind::Unchanged),
            Outcome::Failed,
            "{topic_id} {committed}"
        );
        assert_eq!(world.state.lock().sets, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_plan_that_was_seen_is_applied() {
    let world = World::new(&[(0, 100, Some(80))]);
    let mut looked = request(Target::Earliest);
    looked.execute = false;
    let seen = ask(&world, looked).await.unwrap().plan_id;
    let mut other = request(Target::Latest);
    other.plan_id = Some(seen.clone());
    refused(&ask(&world, other).await.unwrap());
    assert_eq!(world.offsets(), [Some(80)]);
    // What members commit meanwhile does not make it another plan.
    world
        .state
        .lock()
        .bookmarks
        .insert(at(0), Bookmark::plain(Offset(85)));
    let mut same = request(Target::Earliest);
    same.plan_id = Some(seen);
    applied(&ask(&world, same).await.unwrap());
    assert_eq!(world.offsets(), [Some(0)]);
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_a_profile_locks_is_locked_however_it_is_reached() {
    let world = World::new(&[(0, 100, Some(80))]);
    world.state.lock().profiles = vec![Profile {
        name: "prod".to_owned(),
        bootstrap: "kafka:9092".to_owned(),
        read_only: true,
        cluster_id: Some("cluster-1".to_owned()),
        ..Profile::default()
    }];
    let reply = ask(&world, request(Target::Earliest)).await.unwrap();
    assert!(reply.read_only);
    assert_eq!(outcome(&reply, GuardKind::Writable), Outcome::Failed);
    refused(&reply);
    assert_eq!(world.state.lock().sets, 0);
}

#[tokio::test(start_paused = true)]
async fn groups_without_a_position_are_not_moved() {
    let world = World::new(&[(0, 100, Some(80))]);
    for (kind, protocol_type) in [
        (GroupType::Share, "share"),
        (GroupType::Streams, "streams"),
        (GroupType::Classic, "connect"),
    ] {
        let mut group = listing("g", kind);
        group.protocol_type = Some(protocol_type.to_owned());
        world.state.lock().groups = vec![group];
        let mut asked = request(Target::Earliest);
        asked.plan = plan(Target::Earliest);
        asked.plan.parts[0].scope = crate::rewind::target::Scope::Topic("t".into());
        let reply = ask(&world, asked).await.unwrap();
        assert_eq!(
            outcome(&reply, GuardKind::Kind),
            Outcome::Failed,
            "{protocol_type}"
        );
        refused(&reply);
    }
    assert_eq!(world.state.lock().sets, 0);
}
