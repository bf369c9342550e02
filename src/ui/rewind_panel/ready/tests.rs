use super::super::super::state::rewind::{RewindMsg, TargetKind};
use super::*;
use crate::model::{Bookmark, Offset, Text, TimestampMs, TopicPartition};
use crate::rewind::plan::{Contents, Row};

fn plan(to: i64) -> Arc<Plan> {
    Arc::new(Plan {
        group: Text::from("billing"),
        target: "offset:40".into(),
        rows: vec![Row {
            at: TopicPartition::new("orders", 0),
            topic_id: None,
            from: Ok(Some(Bookmark::plain(Offset(50)))),
            to: Ok(Some(Bookmark::plain(Offset(to)))),
            log_start: Ok(Offset(0)),
            end: Ok(Offset(100)),
            retention_ms: None,
            contents: Contents {
                records: 10,
                exact: false,
                ..Contents::default()
            },
            warnings: vec![],
        }],
        problems: vec![],
        read_at: TimestampMs(0),
        new_group: false,
        undoes: None,
    })
}

fn guard(kind: GuardKind, outcome: Outcome, word: Option<&str>) -> Guard {
    Guard {
        kind,
        outcome,
        detail: format!("detail of {}", kind.name()),
        confirm_with: word.map(str::to_owned),
    }
}

fn asked() -> RewindState {
    let mut state = RewindState::default();
    let group = Text::from("billing");
    state.apply(RewindMsg::Kind(TargetKind::Offset), Some(&group));
    state.apply(RewindMsg::Offset("40".into()), Some(&group));
    state
}

fn view(plan: &Arc<Plan>, guards: Vec<Guard>) -> RewindView {
    RewindView {
        number: 1,
        plan_number: 1,
        plan: Some(Ok(Arc::clone(plan))),
        plan_id: "p-1".into(),
        guards,
        ..RewindView::default()
    }
}

fn ready<'a>(state: &'a RewindState, view: &'a RewindView, plan: &'a Arc<Plan>) -> Ready<'a> {
    Ready {
        state,
        view,
        plan: Some(plan),
        production: false,
    }
}

#[test]
fn with_every_guard_passed_it_is_applied_now_and_not_waited_for() {
    let (state, plan) = (asked(), plan(40));
    let view = view(
        &plan,
        vec![guard(GuardKind::NoMembers, Outcome::Passed, None)],
    );
    let ready = ready(&state, &view, &plan);
    assert_eq!(ready.why_not_now(), None);
    assert_eq!(
        ready.why_not_wait().as_deref(),
        Some("it is empty: apply it now")
    );
    assert_eq!(ready.request(None).plan_id, "p-1");
}

#[test]
fn members_keep_it_from_being_applied_now_but_not_from_waiting() {
    let (state, plan) = (asked(), plan(40));
    let guards = vec![
        guard(GuardKind::NoMembers, Outcome::Failed, None),
        guard(GuardKind::NoHiddenReader, Outcome::Unknown, None),
    ];
    let view = view(&plan, guards);
    let ready = ready(&state, &view, &plan);
    assert_eq!(ready.why_not_now().as_deref(), Some("detail of no_members"));
    assert_eq!(ready.why_not_wait(), None);
}

#[test]
fn what_is_to_be_confirmed_is_confirmed_by_its_word_and_the_name_as_it_is() {
    let (mut state, plan) = (asked(), plan(40));
    let guards = vec![
        guard(GuardKind::Retention, Outcome::Confirm, Some("retention")),
        guard(GuardKind::Production, Outcome::Confirm, Some("billing")),
    ];
    let view = view(&plan, guards);
    let group = Text::from("billing");
    assert_eq!(
        ready(&state, &view, &plan).why_not_now().as_deref(),
        Some("to confirm: Retention will not overtake the replay")
    );
    state.apply(RewindMsg::Confirm("retention".into(), true), Some(&group));
    state.apply(RewindMsg::Name("Billing".into()), Some(&group));
    assert!(ready(&state, &view, &plan).why_not_now().is_some());
    state.apply(RewindMsg::Name(" billing ".into()), Some(&group));
    let ready = Ready {
        production: true,
        ..ready(&state, &view, &plan)
    };
    assert_eq!(
        ready.why_not_now().as_deref(),
        Some("write in your own words what runs a second time")
    );
    state.apply(RewindMsg::Words(" invoices again ".into()), Some(&group));
    let ready = Ready {
        state: &state,
        view: &view,
        plan: Some(&plan),
        production: true,
    };
    assert_eq!(ready.why_not_now(), None);
    let request = ready.request(Some(300_000));
    let words: Vec<&str> = request.confirmed.iter().map(String::as_str).collect();
    assert_eq!(words, ["billing", "retention"]);
    assert_eq!(request.words, "invoices again");
}

#[test]
fn a_failed_guard_is_told_before_one_that_is_to_be_confirmed() {
    let (state, plan) = (asked(), plan(40));
    let guards = vec![
        guard(GuardKind::Retention, Outcome::Confirm, Some("retention")),
        guard(GuardKind::Writable, Outcome::Failed, None),
    ];
    let view = view(&plan, guards);
    let ready = ready(&state, &view, &plan);
    assert_eq!(ready.why_not_now().as_deref(), Some("detail of writable"));
    assert_eq!(ready.why_not_wait().as_deref(), Some("detail of writable"));
}

#[test]
fn nothing_is_applied_that_is_not_planned_or_moves_nothing() {
    let still = plan(50);
    let passed = || vec![guard(GuardKind::NoMembers, Outcome::Passed, None)];
    let (state, at_rest) = (asked(), view(&still, passed()));
    assert_eq!(
        ready(&state, &at_rest, &still).why_not_now().as_deref(),
        Some("nothing would move")
    );
    let nothing = RewindState::default();
    assert_eq!(
        ready(&nothing, &at_rest, &still).why_not_now().as_deref(),
        Some("nothing is planned yet")
    );
    let pending = Ready {
        plan: None,
        ..ready(&state, &at_rest, &still)
    };
    assert_eq!(
        pending.why_not_now().as_deref(),
        Some("the plan is being worked out")
    );
}
