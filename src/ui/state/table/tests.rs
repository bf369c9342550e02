use super::*;
use crate::model::{Offset, by_hand};

fn after(msgs: Vec<TableMsg>) -> TableState {
    let mut state = TableState::default();
    for msg in msgs {
        state.apply(msg, false);
    }
    state
}

#[test]
fn the_newest_come_first_but_a_span_from_its_beginning() {
    let state = TableState::default();
    assert!(state.is_turned(false) && !state.is_turned(true));
    assert_eq!(state.order(), TableOrder::Time);
}

#[test]
fn a_header_turns_the_order_round_and_begins_at_the_top() {
    let state = after(vec![TableMsg::Sort(ColumnKind::Time)]);
    assert_eq!(
        state.sort,
        Some(TableSort {
            by: ColumnKind::Time,
            descending: false
        })
    );
    assert_eq!((state.place.clone(), state.jump), (TablePlace::Start, 1));
    let state = after(vec![
        TableMsg::Sort(ColumnKind::Time),
        TableMsg::Sort(ColumnKind::Time),
    ]);
    assert_eq!((state.place, state.jump), (TablePlace::End, 2));
}

#[test]
fn offsets_are_an_order_of_the_list_and_keys_are_not() {
    let by_offset = after(vec![TableMsg::Sort(ColumnKind::Offset)]);
    assert_eq!(by_offset.order(), TableOrder::Offset);
    assert_eq!(by_offset.place, TablePlace::Start);
    let by_key = after(vec![TableMsg::Sort(ColumnKind::Key)]);
    assert_eq!(by_key.order(), TableOrder::Time);
    assert!(by_key.is_turned(false));
    // The rows at hand are put in another order; no others are read.
    assert_eq!(by_key.jump, 0);
}

#[test]
fn going_somewhere_leaves_an_order_that_has_no_places() {
    let at = TopicPartition::new("orders", 1);
    let arriving = Arriving {
        of: None,
        by_address: true,
    };
    let place = TablePlace::Record(at, Offset(7));
    let state = after(vec![
        TableMsg::Sort(ColumnKind::Key),
        TableMsg::EditGoTo(GoTo {
            text: "orders/1/7".into(),
            error: None,
        }),
        TableMsg::GoTo {
            place: place.clone(),
            arriving: arriving.clone(),
            leaves_span: false,
        },
    ]);
    assert_eq!((state.sort, state.goto), (None, None));
    assert_eq!((state.place, state.arriving), (place, Some(arriving)));
    assert_eq!(state.scroll, TableScroll::Placed(0.0));
}

#[test]
fn a_bar_that_is_held_still_says_nothing_new() {
    let jump = TableMsg::Jump(TablePlace::Rank(7), None);
    let state = after(vec![jump.clone()]);
    assert!(state.is_settled(&jump));
    assert!(!state.is_settled(&TableMsg::Jump(TablePlace::Rank(8), None)));
    assert!(!state.is_settled(&TableMsg::Jump(TablePlace::End, None)));
}

#[test]
fn a_list_that_becomes_another_one_is_shown_where_the_last_one_stood() {
    let time = Some(TimestampMs(7));
    let began = |scroll: TableScroll, place: TablePlace| {
        let mut state = TableState {
            place,
            scroll,
            ..TableState::default()
        };
        state.begin_near(time, false, &[TopicPartition::new("t", 0)]);
        (state.place, state.jump)
    };
    let at = TableScroll::At {
        row: 3,
        hidden: 0.0,
    };
    let placed = TableScroll::Placed(0.0);
    let record = TablePlace::Record(TopicPartition::new("t", 0), Offset(1));
    assert_eq!(
        began(at, TablePlace::End),
        (TablePlace::Time(TimestampMs(7)), 1)
    );
    assert_eq!(
        began(placed, TablePlace::Rank(9)),
        (TablePlace::Time(TimestampMs(7)), 1)
    );
    assert_eq!(began(placed, record.clone()), (record.clone(), 1));
    assert_eq!(began(placed, TablePlace::End), (TablePlace::End, 1));
    // Whoever follows goes on following.
    assert_eq!(began(TableScroll::End, record), (TablePlace::End, 1));
}

#[test]
fn a_record_that_was_gone_to_is_left_when_another_is_chosen_or_it_is_not_listed() {
    let at = TopicPartition::new("t", 0);
    let gone_to = || TableState {
        place: TablePlace::Record(at.clone(), Offset(1)),
        ..TableState::default()
    };
    let near = TablePlace::Time(TimestampMs(7));
    let mut elsewhere = gone_to();
    elsewhere.begin_near(Some(TimestampMs(7)), false, &[]);
    assert_eq!(elsewhere.place, near);
    let chosen = |offset| {
        let record = Arc::new(by_hand::record("t", 0, offset));
        let mut state = gone_to();
        state.apply(
            TableMsg::Select(SelectedRecords::only(&record), Some(Arc::clone(&record))),
            false,
        );
        state.begin_near(Some(TimestampMs(7)), false, std::slice::from_ref(&at));
        state.place
    };
    assert_eq!(chosen(1), TablePlace::Record(at.clone(), Offset(1)));
    assert_eq!(chosen(2), near);
}
