use super::*;
use crate::engine::TablePlace;
use crate::model::{Offset, PartitionId, by_hand};

const SHOWN: ViewRange = ViewRange {
    from_ms: 1_000_000.0,
    to_ms: 2_000_000.0,
};

fn t(ms: i64) -> TimestampMs {
    TimestampMs(ms)
}

fn span(from: i64, to: i64) -> Selection {
    Selection::between(t(from), t(to), vec![])
}

#[test]
fn the_first_move_ends_following_and_follow_resumes_it() {
    let mut state = UiState::default();
    let moved = SHOWN.panned(500.0);
    state.apply(Msg::View(moved), SHOWN);
    assert_eq!(state.view, Some(moved));
    state.apply(Msg::Follow, SHOWN);
    assert_eq!(state.view, None);
}

#[test]
fn each_axis_keeps_its_own_range() {
    let mut state = UiState::default();
    state.apply(Msg::View(SHOWN), SHOWN);
    state.apply(Msg::Axis(AxisKind::FromEnd), SHOWN);
    state.apply(Msg::View(ViewRange::new(-500.0, 0.0)), SHOWN);
    assert_eq!(state.view, Some(SHOWN));
    assert_eq!(state.offset_view, Some(ViewRange::new(-500.0, 0.0)));
    state.apply(Msg::Follow, SHOWN);
    assert_eq!((state.view, state.offset_view), (Some(SHOWN), None));
}

#[test]
fn centering_shows_a_time_on_the_time_axis_with_the_width_kept() {
    let mut state = UiState::default();
    state.apply(Msg::Axis(AxisKind::Offset), SHOWN);
    state.apply(Msg::Center(t(5_000_000)), SHOWN);
    assert_eq!(state.axis, AxisKind::Time);
    assert_eq!(
        state.view,
        Some(ViewRange {
            from_ms: 4_500_000.0,
            to_ms: 5_500_000.0
        })
    );
}

#[test]
fn marks_and_pins_come_and_go() {
    let mut state = UiState::default();
    for at in [30, 10, 20, 30] {
        state.apply(Msg::Mark(t(at)), SHOWN);
    }
    assert_eq!(state.markers, vec![t(10), t(20)]);
    let lane = LaneKey::topic(&"orders".into());
    state.apply(Msg::Pin(lane.clone()), SHOWN);
    assert_eq!(state.pinned, vec![lane.clone()]);
    state.apply(Msg::Pin(lane), SHOWN);
    assert!(state.pinned.is_empty());
}

#[test]
fn another_span_begins_at_the_top() {
    let mut state = UiState::default();
    state.apply(Msg::Select(span(0, 10)), SHOWN);
    let scrolled = TableScroll::At {
        row: 90,
        hidden: 3.0,
    };
    state.apply(Msg::Table(TableMsg::Scroll(scrolled)), SHOWN);
    state.apply(Msg::Select(span(0, 10)), SHOWN);
    assert_eq!(state.table.scroll, scrolled);
    assert_eq!(state.table.place, TablePlace::Start);
    state.apply(Msg::Select(span(5, 10)), SHOWN);
    assert_eq!(state.table.scroll, TableScroll::Placed(0.0));
    state.apply(Msg::ClearSelection, SHOWN);
    assert_eq!(state.selection, None);
    assert_eq!(state.table.place, TablePlace::End);
}

#[test]
fn a_record_that_is_revealed_stands_in_the_middle() {
    let mut state = UiState::default();
    let revealed = |ms| Revealed {
        at: crate::model::TopicPartition::new("orders", 1),
        offset: crate::model::Offset(7),
        time: t(ms),
    };
    state.apply(Msg::Reveal(revealed(5_000_000)), SHOWN);
    assert_eq!(
        state.view,
        Some(ViewRange {
            from_ms: 4_500_000.0,
            to_ms: 5_500_000.0
        })
    );
    assert_eq!(state.revealed, Some(revealed(5_000_000)));
}

#[test]
fn a_selected_topic_covers_its_partitions() {
    let lane = |topic: &str, partition: Option<i32>| LaneKey {
        topic: topic.into(),
        partition: partition.map(PartitionId),
    };
    let mut selection = span(0, 10);
    assert!(selection.covers(&lane("a", None)));
    selection.lanes = vec![lane("a", None), lane("b", Some(1))];
    assert!(selection.covers(&lane("a", Some(3))));
    assert!(selection.covers(&lane("b", Some(1))));
    assert!(!selection.covers(&lane("b", Some(2))));
    assert!(!selection.covers(&lane("b", None)));
}

#[test]
fn leaving_a_bus_forgets_what_was_chosen_there_but_not_the_address() {
    let mut state = UiState::default();
    state.apply(Msg::Address("kafka:9092".into()), SHOWN);
    state.apply(Msg::Toggle("orders".into()), SHOWN);
    state.apply(Msg::Select(span(0, 1)), SHOWN);
    let command = state.apply(Msg::Disconnect, SHOWN);
    assert!(matches!(command, Some(Command::Disconnect)));
    assert!(state.open_topics.is_empty() && state.selection.is_none());
    assert_eq!(state.address, "kafka:9092");
}

#[test]
fn a_held_button_says_nothing_new() {
    let mut state = UiState::default();
    assert!(!state.is_settled(&Msg::DragSpan(span(0, 1))));
    state.apply(Msg::DragSpan(span(0, 1)), SHOWN);
    assert!(state.is_settled(&Msg::DragSpan(span(0, 1))));
    state.apply(Msg::LabelWidth(9_000.0), SHOWN);
    assert!(state.is_settled(&Msg::LabelWidth(8_000.0)));
    assert!(!state.is_settled(&Msg::Follow));
}

#[test]
fn revealing_opens_the_topic_and_moves_the_view_there() {
    let mut state = UiState::default();
    state.apply(Msg::Filter("pay".into()), SHOWN);
    state.apply(
        Msg::Reveal(Revealed {
            at: TopicPartition::new("orders", 2),
            offset: crate::model::Offset(7),
            time: t(9_000_000),
        }),
        SHOWN,
    );
    assert_eq!(state.filter, "");
    assert!(state.open_topics.contains("orders"));
    assert_eq!(state.lane.as_ref().unwrap().title(), "orders / 2");
    assert_eq!(state.reveal, state.lane);
    let view = state.view.unwrap();
    assert_eq!((view.from_ms, view.to_ms), (8_500_000.0, 9_500_000.0));
}

#[test]
fn the_eye_is_drawn_to_no_record_but_the_chosen_one() {
    let mut state = UiState::default();
    let record = |offset| Arc::new(by_hand::record("orders", 0, offset));
    let revealed = Revealed {
        at: record(7).at(),
        offset: Offset(7),
        time: t(5),
    };
    let shown = ViewRange::between(t(0), t(10));
    state.apply(Msg::Reveal(revealed.clone()), shown);
    state.apply(Msg::ShowRecord(record(7)), shown);
    assert_eq!(state.revealed, Some(revealed));
    state.apply(Msg::ShowRecord(record(8)), shown);
    assert_eq!(state.revealed, None);
}

#[test]
fn another_group_is_shown_from_its_top() {
    let mut state = UiState::default();
    let orders = LaneKey::topic(&"orders".into());
    state.apply(Msg::SelectGroup(Some(Text::from("a"))), SHOWN);
    state.apply(Msg::Group(GroupMsg::Sort(GroupColumn::Lag)), SHOWN);
    state.apply(Msg::Group(GroupMsg::Choose(orders.clone())), SHOWN);
    state.apply(Msg::SelectGroup(Some(Text::from("a"))), SHOWN);
    assert_eq!(state.group_view.subject, Some(orders));
    state.apply(Msg::SelectGroup(Some(Text::from("b"))), SHOWN);
    assert_eq!(state.group_view.subject, None);
    assert_eq!(state.group_view.sort.column, GroupColumn::Lag);
}

#[test]
fn a_topic_opens_and_closes() {
    let mut state = UiState::default();
    state.apply(Msg::Toggle("orders".into()), SHOWN);
    assert!(state.open_topics.contains("orders"));
    state.apply(Msg::Toggle("orders".into()), SHOWN);
    assert!(state.open_topics.is_empty());
}
