//! What has to hold and to be confirmed, what is sent, and what became of it.

use std::collections::BTreeSet;

use tideline::engine::{AccessView, Applied, Ended, RowResult, Run};
use tideline::model::Bookmark;
use tideline::rewind::policy::Policy;

use super::*;

fn with_run(fake: &Fake, run: Run) {
    fake.change(|snapshot| {
        let mut view = (*snapshot.rewind).clone();
        view.run = run;
        snapshot.rewind = Arc::new(view);
    });
}

/// A plan of billing to 14:12, with these guards.
fn planned(others: &[(GuardKind, Outcome, &str, Option<&str>)]) -> (Window, Fake) {
    let (mut harness, fake) = planning();
    type_into(&mut harness, "Time to go to", "2026-11-30 14:12");
    answer(&mut harness, &fake, guards(others));
    (harness, fake)
}

#[test]
fn apply_now_sends_the_plan_on_screen_and_nothing_else() {
    let (mut harness, fake) = planned(&[]);
    assert!(why_disabled(&harness, "Apply as soon as it is empty…"));
    assert!(shows_part(&harness, "No hidden reader: passed"));
    let number = harness.state().state().rewind.request.as_ref().unwrap().0;
    click(&mut harness, "Apply now");
    assert_eq!(
        applied(&fake),
        vec![ApplyRequest {
            plan_id: format!("plan-{number}"),
            confirmed: BTreeSet::new(),
            words: String::new(),
            wait_ms: None,
        }]
    );
}

#[test]
fn with_members_one_waits_for_the_first_empty_moment_confirmed_once() {
    let (mut harness, fake) = planned(&[
        (
            GuardKind::NoMembers,
            Outcome::Failed,
            "2 members: billing-7f9c on 10.0.2.4, billing-x2kd on 10.0.2.9",
            None,
        ),
        (
            GuardKind::NoHiddenReader,
            Outcome::Unknown,
            "cannot be known while members run",
            None,
        ),
    ]);
    assert!(why_disabled(&harness, "Apply now"));
    assert!(shows_part(&harness, "Apply now: 2 members"));
    let named = "billing-7f9c on 10.0.2.4, billing-x2kd on 10.0.2.9";
    assert!(shows_part(&harness, named));
    click(&mut harness, "Apply as soon as it is empty…");
    assert!(applied(&fake).is_empty());
    click(&mut harness, "2 h");
    click(&mut harness, "Wait up to 2 h");
    let sent = applied(&fake);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].wait_ms, Some(7_200_000));
    assert!(harness.state().window().dialog.is_none());
}

#[test]
fn production_wants_the_groups_name_and_own_words() {
    let (mut harness, fake) = planned(&[
        (
            GuardKind::Retention,
            Outcome::Confirm,
            "the oldest is deleted in 20 min",
            Some("retention"),
        ),
        (
            GuardKind::Production,
            Outcome::Confirm,
            "this is production",
            Some("billing"),
        ),
    ]);
    fake.change(|snapshot| {
        snapshot.access = Arc::new(AccessView {
            policy: Some(Policy {
                locked: None,
                production: true,
                unknown_remote: false,
            }),
            ..AccessView::default()
        });
    });
    harness.run();
    assert!(why_disabled(&harness, "Apply now"));
    click(
        &mut harness,
        "I know: some records may be deleted before they are read",
    );
    type_into(&mut harness, "Type billing to confirm", "billing");
    harness.run();
    assert!(why_disabled(&harness, "Apply now"));
    assert!(shows_part(&harness, "write in your own words"));
    let words = "What will happen twice, in your own words; the journal keeps them";
    type_into(&mut harness, words, "invoices are sent again");
    harness.run();
    click(&mut harness, "Apply now");
    let sent = applied(&fake);
    assert_eq!(sent.len(), 1);
    let confirmed: Vec<&str> = sent[0].confirmed.iter().map(String::as_str).collect();
    assert_eq!(confirmed, ["billing", "retention"]);
    assert_eq!(sent[0].words, "invoices are sent again");
}

#[test]
fn a_locked_connection_plans_and_does_not_apply() {
    let (harness, _) = planned(&[(
        GuardKind::Writable,
        Outcome::Failed,
        "the profile prod is read-only until its owner unlocks it",
        None,
    )]);
    for button in ["Apply now", "Apply as soon as it is empty…"] {
        assert!(why_disabled(&harness, button), "{button}");
    }
    assert!(shows_part(
        &harness,
        "Not yet: the profile prod is read-only"
    ));
}

#[test]
fn while_it_waits_it_says_since_when_what_was_missed_and_who_starts_them() {
    let (mut harness, fake) = planned(&[]);
    with_run(
        &fake,
        Run::Waiting {
            since: data::NOW.moved_ms(-90_000),
            until: data::NOW.moved_ms(1_710_000),
            misses: 2,
            restarted: true,
        },
    );
    harness.run_steps(3);
    assert!(shows(
        &harness,
        "Waiting for the first moment without members"
    ));
    assert!(shows_part(
        &harness,
        "Since 14:58:28 UTC+01:00, until 15:28:28 UTC+01:00: 28 min left"
    ));
    assert!(shows_part(&harness, "2 misses"));
    assert!(shows_part(&harness, "Something restarts these consumers"));
    assert!(shows(&harness, "billing-7f9c on 10.0.2.4"));
    harness
        .get_by_label("Copy kubectl scale deployment NAME --replicas=0")
        .click();
    harness.run_steps(3);
    fake.take();
    harness.get_by_label("Cancel").click();
    harness.run_steps(3);
    assert!(
        fake.take()
            .iter()
            .any(|command| matches!(command, Command::StopApplying))
    );
}

#[test]
fn in_the_end_each_row_says_what_became_of_it_and_can_be_undone() {
    let (mut harness, fake) = planned(&[]);
    click(&mut harness, "Apply now");
    let row = |partition: i32, error: Option<&str>| RowResult {
        at: TopicPartition::new("orders", partition),
        before: Some(Bookmark::plain(Offset(85_000))),
        after: Some(Bookmark::plain(Offset(83_000))),
        read_back: Ok(Some(Offset(83_000))),
        error: error.map(|why| Problem::new(ProblemKind::Refused, why)),
    };
    with_run(
        &fake,
        Run::Ended(Ended::Applied(Applied {
            journal_id: Some("j-1".into()),
            at: data::NOW,
            rows: vec![row(0, None), row(1, Some("a member is there"))],
            misses: 1,
        })),
    );
    harness.run();
    for said in [
        "Applied to 1 of 2 partitions",
        "At 14:59:58 UTC+01:00, entry j-1 of the journal, after 1 miss",
        "orders / 0: 85,000 → 83,000, read back 83,000",
        "orders / 1: 85,000 → 83,000: a member is there",
    ] {
        assert!(shows(&harness, said), "{said}");
    }
    let entry = tideline::model::JournalEntry {
        id: "j-1".into(),
        at: data::NOW,
        user: "anna".into(),
        cluster_id: None,
        bootstrap: "kafka-1:9092".into(),
        group: Text::from("billing"),
        target: "time:…".into(),
        confirmed: vec![],
        state: tideline::model::JournalState::Watching,
        rows: vec![tideline::model::JournalRow {
            at: TopicPartition::new("orders", 0),
            topic_id: None,
            before: Some(Bookmark::plain(Offset(85_000))),
            after: Some(Bookmark::plain(Offset(83_000))),
            outcome: tideline::model::RowOutcome::Accepted,
            read_back: Some(Some(Bookmark::plain(Offset(83_000)))),
        }],
        undoes: None,
    };
    fake.change(|snapshot| {
        snapshot.journal = Arc::new(tideline::engine::JournalView {
            entries: Ok(vec![Arc::new(entry)]),
            ..tideline::engine::JournalView::default()
        });
    });
    harness.run();
    fake.take();
    click(&mut harness, "Undo…");
    harness.run_steps(2);
    let (_, request) = asked(&fake).expect("a plan that undoes");
    assert_eq!(request.undoes.as_deref(), Some("j-1"));
    assert!(shows(&harness, "Undo j-1"));
    let made = plan(&fake, &request);
    assert_eq!(made.undoes.as_deref(), Some("j-1"));
}

#[test]
fn another_groups_run_is_not_shown_as_this_ones() {
    let (mut harness, fake) = planned(&[]);
    click(&mut harness, "Apply now");
    with_run(&fake, Run::Applying);
    harness.run();
    assert!(shows(&harness, "It is being applied"));
    harness.get_by_label_contains("Group reports").click();
    harness.run();
    assert!(shows(&harness, "Another group is being moved"));
    assert!(shows(&harness, "Cancel for billing"));
}
