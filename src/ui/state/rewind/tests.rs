use super::super::LaneKey;
use super::typed::shift as typed_shift;
use super::*;
use crate::model::{Bookmark, JournalRow, JournalState, Offset, RowOutcome, TimestampMs};
use crate::rewind::target::{Part, Scope, Target};

fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("orders", partition)
}

fn group() -> Text {
    Text::from("billing")
}

fn done(messages: Vec<RewindMsg>) -> RewindState {
    let mut state = RewindState::default();
    for msg in messages {
        assert!(state.apply(msg, Some(&group())).is_none());
    }
    state
}

fn parts(state: &RewindState) -> Vec<Part> {
    state
        .request
        .as_ref()
        .map_or_else(Vec::new, |request| request.1.parts.clone())
}

fn flag(aim: FlagAim) -> RewindMsg {
    RewindMsg::Drag(FlagDrag {
        lane: LaneKey::topic(&"orders".into()),
        aim,
        stop: None,
        by_pointer: true,
    })
}

fn time(ms: i64) -> RewindMsg {
    RewindMsg::Time(TypedTime {
        text: "t".into(),
        at: Some(Ok(TimestampMs(ms))),
    })
}

#[test]
fn nothing_is_asked_for_until_something_is_typed() {
    let state = done(vec![RewindMsg::Open, RewindMsg::Kind(TargetKind::Offset)]);
    assert_eq!(state.request, None);
    assert_eq!(state.draft.problem(), None);
}

#[test]
fn a_typed_time_is_meant_for_all_that_was_committed() {
    let state = done(vec![time(7)]);
    assert_eq!(
        parts(&state),
        vec![Part {
            scope: Scope::Committed,
            target: Target::Time(TimestampMs(7)),
        }]
    );
    let some = done(vec![
        time(7),
        RewindMsg::Topics(BTreeSet::from(["b".into()])),
    ]);
    assert_eq!(parts(&some)[0].scope, Scope::Topic("b".into()));
}

#[test]
fn an_entry_is_finished_where_the_bus_has_not_accepted_it() {
    let row = |partition, outcome| JournalRow {
        at: at(partition),
        topic_id: None,
        before: Some(Bookmark::plain(Offset(80))),
        after: Some(Bookmark::plain(Offset(40 + i64::from(partition)))),
        outcome,
        read_back: None,
    };
    let entry = JournalEntry {
        id: "j-1".into(),
        at: TimestampMs(0),
        user: String::new(),
        cluster_id: None,
        bootstrap: String::new(),
        group: group(),
        target: "earliest".into(),
        confirmed: vec![],
        state: JournalState::Sending,
        rows: vec![
            row(0, RowOutcome::Accepted),
            row(1, RowOutcome::Unknown),
            row(2, RowOutcome::Refused("no".into())),
        ],
        undoes: None,
    };
    let state = done(vec![RewindMsg::Finish(Arc::new(entry))]);
    let rows = [(at(1), Offset(41)), (at(2), Offset(42))];
    assert_eq!(
        parts(&state),
        vec![Part {
            scope: Scope::Committed,
            target: Target::Table(Arc::from(rows)),
        }]
    );
    assert_eq!(state.draft.table.text, "\"orders\",1,41\n\"orders\",2,42\n");
}

#[test]
fn a_new_group_begins_where_the_chosen_one_stands() {
    let unnamed = done(vec![
        RewindMsg::Kind(TargetKind::Fresh),
        RewindMsg::Fresh(" ".into()),
    ]);
    assert_eq!(unnamed.request, None);
    let state = done(vec![
        RewindMsg::Kind(TargetKind::Fresh),
        RewindMsg::Fresh("billing-green ".into()),
    ]);
    let request = &state.request.as_ref().unwrap().1;
    assert_eq!(request.group, Text::from("billing-green"));
    assert!(request.new_group && request.with_metadata);
    assert_eq!(
        parts(&state),
        vec![Part {
            scope: Scope::Committed,
            target: Target::Group(Text::from("billing")),
        }]
    );
    // Another kind of target is meant for the chosen group again.
    let back = done(vec![
        RewindMsg::Kind(TargetKind::Fresh),
        RewindMsg::Fresh("billing-green".into()),
        RewindMsg::Kind(TargetKind::Latest),
    ]);
    let request = &back.request.as_ref().unwrap().1;
    assert_eq!(
        (&request.group, request.new_group),
        (&Text::from("billing"), false)
    );
}

#[test]
fn what_is_typed_is_refused_and_never_changed() {
    for (text, wrong) in [
        ("-1", "an offset is never negative"),
        ("−1001", "an offset is never negative"),
        ("12x", "“12x” is not a whole number"),
        ("-", "“-” is not a whole number"),
        (
            "99999999999999999999",
            "“99999999999999999999” is larger than any offset",
        ),
    ] {
        assert_eq!(typed_offset(text), Err(wrong.to_owned()), "{text}");
    }
    assert_eq!(typed_offset(" 41,870 "), Ok(Offset(41_870)));
    assert_eq!(typed_shift("−500"), Ok(-500));
    assert_eq!(typed_shift("+1_000"), Ok(1_000));
    assert!(typed_shift("0").is_err() && typed_shift("--5").is_err());
    let state = done(vec![
        RewindMsg::Kind(TargetKind::Offset),
        RewindMsg::Offset("-1".into()),
    ]);
    assert_eq!(state.request, None);
    assert_eq!(
        state.draft.problem(),
        Some("an offset is never negative".to_owned())
    );
}

#[test]
fn a_typed_row_goes_its_own_way_and_a_wrong_one_stops_all() {
    let mut state = done(vec![
        RewindMsg::Kind(TargetKind::Earliest),
        RewindMsg::Row(at(1), Some("84,091".into())),
    ]);
    assert_eq!(
        parts(&state),
        vec![
            Part {
                scope: Scope::Committed,
                target: Target::Earliest,
            },
            Part {
                scope: Scope::Partition("orders".into(), crate::model::PartitionId(1)),
                target: Target::Offset(Offset(84_091)),
            },
        ]
    );
    state.apply(RewindMsg::Row(at(1), Some("8x".into())), Some(&group()));
    assert_eq!(parts(&state).len(), 1);
    assert_eq!(
        state.draft.problem(),
        Some("orders / 1: “8x” is not a whole number".to_owned())
    );
    state.apply(RewindMsg::Row(at(1), Some(String::new())), Some(&group()));
    assert_eq!(state.draft.problem(), None);
}

#[test]
fn a_dragged_flag_is_planned_while_it_moves_and_kept_when_it_is_let_go() {
    let mut state = done(vec![flag(FlagAim::Offset(at(0), Offset(40)))]);
    let number = state.request.as_ref().unwrap().0;
    assert_eq!(state.draft, Draft::default());
    state.apply(RewindMsg::Drop, Some(&group()));
    // The same is asked for, so it is not asked again.
    assert_eq!(state.request.as_ref().unwrap().0, number);
    assert_eq!(state.drag, None);
    assert_eq!(state.draft.kind, TargetKind::Placed);
    assert_eq!(parts(&state)[0].target, Target::Offset(Offset(40)));
}

#[test]
fn a_flag_that_is_put_back_leaves_what_was_asked_before() {
    let mut state = done(vec![time(7)]);
    let before = parts(&state);
    state.apply(flag(FlagAim::Time(at(0), TimestampMs(3))), Some(&group()));
    assert_eq!(parts(&state).len(), 2);
    state.apply(RewindMsg::PutBack, Some(&group()));
    assert_eq!(parts(&state), before);
}

#[test]
fn a_topic_that_is_dragged_becomes_the_typed_time() {
    let aim = |ms: i64| FlagAim::Topic("orders".into(), TimestampMs(ms), format!("at {ms}"));
    let mut state = done(vec![
        flag(aim(3)),
        RewindMsg::Drop,
        flag(aim(5)),
        RewindMsg::Drop,
    ]);
    assert_eq!(state.draft.kind, TargetKind::Time);
    assert_eq!(state.draft.time.text, "at 5");
    assert_eq!(
        parts(&state),
        vec![Part {
            scope: Scope::Topic("orders".into()),
            target: Target::Time(TimestampMs(5)),
        }]
    );
    // Another topic does not move the first one.
    let other = FlagAim::Topic("payments".into(), TimestampMs(9), "at 9".into());
    state.apply(flag(other), Some(&group()));
    state.apply(RewindMsg::Drop, Some(&group()));
    let targets: Vec<Target> = parts(&state).into_iter().map(|part| part.target).collect();
    assert_eq!(
        targets,
        vec![Target::Time(TimestampMs(5)), Target::Time(TimestampMs(9))]
    );
}

#[test]
fn another_plan_is_confirmed_anew_and_own_words_stay() {
    let mut state = done(vec![
        time(7),
        RewindMsg::Confirm("no-hidden-reader".into(), true),
        RewindMsg::Name("billing".into()),
        RewindMsg::Words("replays 14:02".into()),
    ]);
    assert_eq!(state.confirmed.len(), 1);
    state.apply(RewindMsg::Include(vec![at(0)], false), Some(&group()));
    assert!(state.confirmed.is_empty() && state.name.is_empty());
    assert_eq!(state.words, "replays 14:02");
    assert_eq!(
        state.request.as_ref().unwrap().1.left_out,
        BTreeSet::from([at(0)])
    );
}

#[test]
fn numbers_grow_over_groups() {
    let mut state = done(vec![time(7)]);
    let first = state.request.as_ref().unwrap().0;
    state.leave();
    assert_eq!(state.request, None);
    state.apply(time(8), Some(&group()));
    assert!(state.request.as_ref().unwrap().0 > first);
    assert!(state.is_answered_by(first + 1) && !state.is_answered_by(first));
}

#[test]
fn undoing_takes_the_rows_that_were_changed() {
    let row = |partition: i32, outcome: RowOutcome| JournalRow {
        at: at(partition),
        topic_id: Some("id".into()),
        before: (partition == 0).then(|| Bookmark::plain(Offset(50))),
        after: Some(Bookmark::plain(Offset(40))),
        outcome,
        read_back: None,
    };
    let entry = JournalEntry {
        id: "j-1".into(),
        at: TimestampMs(1),
        user: "anna".into(),
        cluster_id: None,
        bootstrap: "b:9092".into(),
        group: group(),
        target: "offset:40".into(),
        confirmed: vec![],
        state: JournalState::Watching,
        rows: vec![
            row(0, RowOutcome::Accepted),
            row(1, RowOutcome::Unknown),
            row(2, RowOutcome::Refused("no".into())),
        ],
        undoes: None,
    };
    let mut state = done(vec![RewindMsg::Undo(Arc::new(entry))]);
    let request = state.request.clone().unwrap();
    assert_eq!(request.1.undoes.as_deref(), Some("j-1"));
    match &request.1.parts[0].target {
        Target::Before { id, rows } => {
            assert_eq!(id, "j-1");
            let found: Vec<Option<Offset>> = rows
                .iter()
                .map(|row| row.before.as_ref().map(|before| before.offset))
                .collect();
            assert_eq!(found, vec![Some(Offset(50)), None]);
        }
        other => panic!("{other:?}"),
    }
    state.apply(RewindMsg::Kind(TargetKind::Earliest), Some(&group()));
    assert_eq!(state.request.as_ref().unwrap().1.undoes, None);
}

#[test]
fn applying_tells_the_engine_and_remembers_for_whom() {
    let mut state = done(vec![time(7)]);
    let request = ApplyRequest {
        plan_id: "p".into(),
        confirmed: BTreeSet::new(),
        words: String::new(),
        wait_ms: Some(WaitLimit::Five.ms()),
    };
    let told = state.apply(RewindMsg::Apply(request), Some(&group()));
    assert!(matches!(told, Some(Command::Apply(told)) if told.wait_ms == Some(300_000)));
    assert_eq!(state.applied, Some(group()));
    let told = state.apply(RewindMsg::Stop, Some(&group()));
    assert!(matches!(told, Some(Command::StopApplying)));
}
