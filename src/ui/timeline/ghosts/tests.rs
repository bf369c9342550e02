use super::super::by_hand;
use super::*;
use crate::inspect::density::TimeIndex;
use crate::model::{Bookmark, Text};
use crate::rewind::plan::{Contents, Edge};
use crate::ui::state::rewind::FlagDrag;
use crate::ui::state::{LaneKey, Msg, RewindMsg, ViewRange};

const NOW: TimestampMs = TimestampMs(200_000);

fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("orders", partition)
}

/// Record `o` was written at `o × 1,000`.
fn density() -> Density {
    let mut density = Density::default();
    for partition in [0, 1] {
        let mut index = TimeIndex::new(Offset(10), Offset(100));
        index.insert(TimestampMs(10_000), Some(Offset(10)));
        index.insert(TimestampMs(99_000), Some(Offset(99)));
        density.partitions.insert(at(partition), Arc::new(index));
    }
    density
}

fn group() -> GroupPlaces {
    by_hand::group(
        "billing",
        &[("orders", 0, 40, 10, 100), ("orders", 1, 60, 10, 100)],
    )
}

fn dragging(lane: Option<i32>, aim: FlagAim, stop: Option<&str>) -> UiState {
    let mut state = UiState {
        group: Some(Text::from("billing")),
        ..UiState::default()
    };
    let drag = FlagDrag {
        lane: LaneKey {
            topic: "orders".into(),
            partition: lane.map(crate::model::PartitionId),
        },
        aim,
        stop: stop.map(str::to_owned),
        by_pointer: true,
    };
    state.apply(Msg::Rewind(RewindMsg::Drag(drag)), ViewRange::new(0.0, 1.0));
    state
}

fn ghost(state: &UiState, view: &RewindView, kind: AxisKind, lane: usize) -> Option<Ghost> {
    let topics = vec![by_hand::topic("orders", &[(10, 100), (10, 100)])];
    let inventory = by_hand::inventory(topics, vec![group()]);
    let lanes = by_hand::lanes(&inventory, &["orders"]);
    let (group, density) = (group(), density());
    let ground = Ground {
        kind,
        group: &group,
        density: &density,
        state,
        view,
        now: NOW,
    };
    ground.ghost(lanes.get(lane).unwrap(), &mut Sums::default())
}

fn planned(state: &UiState, rows: Vec<Row>) -> RewindView {
    RewindView {
        plan_number: state.rewind.request.as_ref().unwrap().0,
        plan: Some(Ok(Arc::new(Plan {
            group: Text::from("billing"),
            target: String::new(),
            rows,
            problems: vec![],
            read_at: NOW,
            new_group: false,
            undoes: None,
        }))),
        ..RewindView::default()
    }
}

fn row(partition: i32, from: i64, to: i64, records: u64, exact: bool) -> Row {
    Row {
        at: at(partition),
        topic_id: None,
        from: Ok(Some(Bookmark::plain(Offset(from)))),
        to: Ok(Some(Bookmark::plain(Offset(to)))),
        log_start: Ok(Offset(10)),
        end: Ok(Offset(100)),
        retention_ms: None,
        contents: Contents {
            records,
            exact,
            first: Some(Edge {
                at: Some(TimestampMs(to * 1_000)),
                key: None,
            }),
            ..Contents::default()
        },
        warnings: vec![],
    }
}

#[test]
fn numbers_come_at_once_as_bounds_and_are_replaced_by_the_plan() {
    let state = dragging(Some(0), FlagAim::Offset(at(0), Offset(25)), None);
    let none = RewindView::default();
    let found = ghost(&state, &none, AxisKind::Offset, 1).unwrap();
    assert_eq!(found.said, "up to 15 run again");
    assert!((found.to - 25.0).abs() < 1e-9 && found.from == Some(40.0) && found.moving);
    let view = planned(&state, vec![row(0, 40, 25, 12, true)]);
    let found = ghost(&state, &view, AxisKind::Offset, 1).unwrap();
    assert_eq!(found.said, "12 run again");
    // A plan for something else says nothing of this.
    let old = RewindView {
        plan_number: 0,
        ..view
    };
    let found = ghost(&state, &old, AxisKind::Offset, 1).unwrap();
    assert_eq!(found.said, "up to 15 run again");
}

#[test]
fn a_skip_is_called_one_and_a_stop_is_told_first() {
    let aim = FlagAim::Offset(at(0), Offset(100));
    let state = dragging(Some(0), aim, Some("end of log"));
    let found = ghost(&state, &RewindView::default(), AxisKind::FromEnd, 1).unwrap();
    assert_eq!(found.said, "end of log: up to 60 skipped");
    assert!(found.to.abs() < 1e-9 && found.from == Some(-60.0));
}

#[test]
fn all_partitions_of_a_dragged_topic_have_ghosts_and_the_lane_says_the_sum() {
    let aim = FlagAim::Topic("orders".into(), TimestampMs(30_000), "t".into());
    let state = dragging(None, aim, None);
    let none = RewindView::default();
    let topic = ghost(&state, &none, AxisKind::Time, 0).unwrap();
    // 40 − 30 and 60 − 30.
    assert_eq!(topic.said, "up to 40 run again");
    assert_eq!(topic.from, Some(40_000.0));
    let second = ghost(&state, &none, AxisKind::Time, 2).unwrap();
    assert_eq!((second.to, second.said.as_str()), (30_000.0, ""));
}

#[test]
fn no_hollow_flag_stands_where_the_log_is_deleted() {
    let aim = FlagAim::Topic("orders".into(), TimestampMs(4_000), "t".into());
    let state = dragging(None, aim, None);
    let first = ghost(&state, &RewindView::default(), AxisKind::Time, 1).unwrap();
    assert!((first.to - 10_000.0).abs() < 1e-9);
}

#[test]
fn a_plan_is_shown_while_its_tab_is_open() {
    let mut state = dragging(Some(0), FlagAim::Offset(at(0), Offset(25)), None);
    state.apply(Msg::Rewind(RewindMsg::Drop), ViewRange::new(0.0, 1.0));
    let view = planned(
        &state,
        vec![row(0, 40, 25, 15, false), row(1, 60, 60, 0, true)],
    );
    let topic = ghost(&state, &view, AxisKind::Time, 0).unwrap();
    assert_eq!(topic.said, "up to 15 run again");
    assert!((topic.to - 25_000.0).abs() < 1e-9);
    let first = ghost(&state, &view, AxisKind::Time, 1).unwrap();
    assert!((first.to - 25_000.0).abs() < 1e-9 && first.said.is_empty());
    assert_eq!(ghost(&state, &view, AxisKind::Time, 2), None);
    state.tab = BottomTab::Records;
    assert_eq!(ghost(&state, &view, AxisKind::Time, 0), None);
}
