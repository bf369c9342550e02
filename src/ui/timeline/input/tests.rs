//! What gestures mean, worked out by hand.

use std::sync::Arc;

use egui::{Rect, pos2};

use super::super::by_hand::{self, inventory, topic};
use super::super::layout::Frame;
use super::*;
use crate::ui::scroll::{RowScroll, Rows};

fn lanes() -> Lanes {
    let topics = ["a", "b"].map(|name| topic(name, &[(0, 1), (0, 1)]));
    by_hand::lanes(&inventory(topics.to_vec(), vec![]), &["a"])
}

/// Lanes from x 200 to 1,200, one second a point; a, a/0, a/1, b from y 30, 34 and 26 high.
fn geometry(lanes: &Lanes) -> Geometry {
    let mut geometry = Geometry::new(&Frame {
        area: Rect::from_min_max(pos2(0.0, -26.0), pos2(1_208.0, 300.0)),
        label_width: 200.0,
        range: ViewRange::new(0.0, 1_000_000.0),
        axis: AxisKind::Time,
        folds: Arc::default(),
        least_points: 3.0,
        pinned: 0.0,
        group_row: false,
    });
    let height = |row| lanes.height(row);
    let rows = Rows {
        count: 4,
        height: &height,
        viewport: 270.0,
    };
    geometry.place(&rows, RowScroll::default(), 0, |_| 0.0);
    geometry
}

fn said(gestures: &Gestures) -> Vec<Msg> {
    let lanes = lanes();
    messages(gestures, &geometry(&lanes), &lanes, &with_selection())
}

fn with_selection() -> UiState {
    let selection = Selection::between(TimestampMs(0), TimestampMs(1), vec![]);
    UiState {
        selection: Some(selection),
        ..UiState::default()
    }
}

fn still() -> Gestures {
    Gestures {
        zoom: 1.0,
        ..Gestures::default()
    }
}

fn titles(selection: &Selection) -> Vec<String> {
    selection.lanes.iter().map(LaneKey::title).collect()
}

#[test]
fn nothing_done_says_nothing() {
    assert!(said(&still()).is_empty());
}

fn is_view(msg: &Msg, from: f64, to: f64) -> bool {
    matches!(msg, Msg::View(range)
        if (range.from_ms - from).abs() < 1.0 && (range.to_ms - to).abs() < 1.0)
}

#[test]
fn zooming_is_around_the_pointer() {
    let gestures = Gestures {
        pointer: Some(pos2(450.0, 50.0)),
        zoom: 2.0,
        ..Gestures::default()
    };
    match said(&gestures).as_slice() {
        [view] => assert!(is_view(view, 125_000.0, 625_000.0), "{view:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn dragging_to_the_right_goes_back_in_time() {
    let gestures = Gestures {
        pan: 10.0,
        ..still()
    };
    match said(&gestures).as_slice() {
        [view] => assert!(is_view(view, -10_000.0, 990_000.0), "{view:?}"),
        other => panic!("{other:?}"),
    }
}

/// A drag with its values; a point is a second, 200 is 0.
fn drag(from: (f32, f32), to: (f32, f32), handle: Handle, released: bool) -> Gestures {
    let value = |x: f32| f64::from(x.clamp(200.0, 1_200.0) - 200.0) * 1_000.0;
    Gestures {
        drag: Some(Drag {
            from: pos2(from.0, from.1),
            to: pos2(to.0, to.1),
            values: (value(from.0), value(to.0)),
            handle,
            released,
        }),
        ..still()
    }
}

#[test]
fn a_drag_over_lanes_selects_their_span() {
    match said(&drag((300.0, 70.0), (500.0, 100.0), Handle::Lanes, true)).as_slice() {
        [Msg::Select(selection)] => {
            assert_eq!(
                selection.times().unwrap(),
                (TimestampMs(100_000), TimestampMs(300_000))
            );
            assert_eq!(titles(selection), vec!["a / 0", "a / 1"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_drag_over_a_topic_needs_no_partitions_of_it() {
    match said(&drag((500.0, 40.0), (300.0, 130.0), Handle::Lanes, false)).as_slice() {
        [Msg::DragSpan(selection)] => assert_eq!(titles(selection), vec!["a", "b"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_drag_in_the_ruler_stands_for_all_lanes_and_stays_inside() {
    match said(&drag((300.0, 10.0), (5_000.0, 900.0), Handle::Ruler, true)).as_slice() {
        [Msg::Select(selection)] => {
            assert!(selection.lanes.is_empty());
            assert_eq!(selection.times().unwrap().1, TimestampMs(1_000_000));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_drag_of_no_width_is_dropped() {
    let gestures = drag((300.0, 70.0), (301.0, 100.0), Handle::Lanes, true);
    assert!(matches!(said(&gestures).as_slice(), [Msg::DropSpan]));
}

#[test]
fn a_click_selects_its_column_in_its_lane() {
    let gestures = Gestures {
        click: Some(pos2(307.0, 70.0)),
        ..still()
    };
    match said(&gestures).as_slice() {
        [Msg::FocusLane(lane), Msg::Select(selection)] => {
            assert_eq!(lane.title(), "a / 0");
            // Three points are three seconds; the next length that people count in is five.
            assert_eq!(
                selection.times().unwrap(),
                (TimestampMs(105_000), TimestampMs(110_000))
            );
            assert_eq!(titles(selection), vec!["a / 0"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_double_click_fits() {
    let gestures = Gestures {
        double_click: true,
        click: Some(pos2(300.0, 70.0)),
        ..still()
    };
    assert!(matches!(
        said(&gestures).as_slice(),
        [Msg::Follow, Msg::ClearSelection]
    ));
}

fn selected(from: i64, to: i64) -> UiState {
    let mut state = with_selection();
    state.selection = Some(Selection::between(
        TimestampMs(from),
        TimestampMs(to),
        vec![LaneKey::topic(&"a".into())],
    ));
    state
}

fn said_in(state: &UiState, gestures: &Gestures) -> Vec<Msg> {
    let lanes = lanes();
    messages(gestures, &geometry(&lanes), &lanes, state)
}

#[test]
fn the_ruler_holds_three_handles_of_the_selected_span() {
    let lanes = lanes();
    let geometry = geometry(&lanes);
    let state = selected(100_000, 300_000);
    let handle = |x| handle_at(&geometry, state.selection.as_ref(), x);
    assert_eq!(handle(250.0), Handle::Ruler);
    assert_eq!(handle(303.0), Handle::From);
    assert_eq!(handle(400.0), Handle::Both);
    assert_eq!(handle(497.0), Handle::To);
    assert_eq!(handle_at(&geometry, None, 400.0), Handle::Ruler);
}

#[test]
fn handles_move_one_edge_or_the_whole_span_and_keep_its_lanes() {
    let state = selected(100_000, 300_000);
    let span = |handle, to: f32| {
        let gestures = drag((300.0, 10.0), (to, 10.0), handle, true);
        match said_in(&state, &gestures).as_slice() {
            [Msg::Select(selection)] => {
                assert_eq!(titles(selection), vec!["a"]);
                selection.times().map(|(from, to)| (from.0, to.0)).unwrap()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(span(Handle::From, 350.0), (150_000, 300_000));
    assert_eq!(span(Handle::To, 350.0), (100_000, 150_000));
    assert_eq!(span(Handle::Both, 350.0), (150_000, 350_000));
    // Over the other edge it turns around.
    assert_eq!(span(Handle::From, 600.0), (300_000, 400_000));
}

#[test]
fn a_span_drawn_together_to_nothing_is_gone() {
    let state = selected(100_000, 300_000);
    let gestures = drag((300.0, 10.0), (500.0, 10.0), Handle::From, true);
    assert!(matches!(
        said_in(&state, &gestures).as_slice(),
        [Msg::ClearSelection]
    ));
}

#[test]
fn a_click_in_the_ruler_beside_the_span_clears_it() {
    let state = selected(100_000, 300_000);
    let click = |x| Gestures {
        ruler_click: Some(pos2(x, 10.0)),
        ..still()
    };
    assert!(said_in(&state, &click(400.0)).is_empty());
    assert!(matches!(
        said_in(&state, &click(700.0)).as_slice(),
        [Msg::ClearSelection]
    ));
}

fn pressed(keys: &[Key]) -> Gestures {
    Gestures {
        keys: keys.to_vec(),
        ..still()
    }
}

#[test]
fn keys_zoom_pan_and_clear() {
    let said = |key| said_in(&with_selection(), &pressed(&[key]));
    assert!(is_view(&said(Key::W)[0], 100_000.0, 900_000.0));
    assert!(is_view(&said(Key::D)[0], 100_000.0, 1_100_000.0));
    assert!(is_view(&said(Key::A)[0], -100_000.0, 900_000.0));
    assert!(matches!(
        said(Key::Escape).as_slice(),
        [Msg::ClearSelection]
    ));
    assert!(said(Key::Q).is_empty());
}

#[test]
fn f_fits_the_selected_span_or_everything() {
    let said = said_in(&selected(100_000, 300_000), &pressed(&[Key::F]));
    assert!(is_view(&said[0], 90_000.0, 310_000.0));
    assert!(matches!(
        said_in(&UiState::default(), &pressed(&[Key::F])).as_slice(),
        [Msg::Follow]
    ));
}

#[test]
fn marks_are_set_under_the_line_and_stepped_through() {
    let mut gestures = pressed(&[Key::M]);
    gestures.line = Some(123_456.7);
    let mut state = UiState::default();
    assert!(matches!(
        said_in(&state, &gestures).as_slice(),
        [Msg::Mark(TimestampMs(123_456))]
    ));
    // The middle of the screen is 500,000.
    state.markers = [100_000, 400_000, 500_000, 900_000]
        .map(TimestampMs)
        .to_vec();
    let step = |key| match said_in(&state, &pressed(&[key])).as_slice() {
        [Msg::Center(at)] => at.0,
        other => panic!("{other:?}"),
    };
    assert_eq!(step(Key::OpenBracket), 400_000);
    assert_eq!(step(Key::CloseBracket), 900_000);
}

#[test]
fn p_keeps_the_lane_on_top_that_keys_act_on() {
    let mut state = UiState::default();
    assert!(said_in(&state, &pressed(&[Key::P])).is_empty());
    state.lane = Some(LaneKey::topic(&"b".into()));
    assert!(matches!(
        said_in(&state, &pressed(&[Key::P])).as_slice(),
        [Msg::Pin(lane)] if lane.title() == "b"
    ));
    state.lane = Some(LaneKey::topic(&"gone".into()));
    assert!(said_in(&state, &pressed(&[Key::P])).is_empty());
}

#[test]
fn escape_gives_up_a_drag_before_it_clears() {
    let lanes = lanes();
    let gestures = Gestures {
        keys: vec![Key::Escape],
        ..still()
    };
    let mut state = with_selection();
    state.dragged.clone_from(&state.selection);
    let said = messages(&gestures, &geometry(&lanes), &lanes, &state);
    assert!(matches!(said.as_slice(), [Msg::DropSpan]));
}
