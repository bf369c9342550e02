//! Places and sizes, worked out by hand.

use super::*;

fn frame(width: f32, height: f32, label_width: f32) -> Frame {
    Frame {
        area: Rect::from_min_max(pos2(0.0, 0.0), pos2(width, height)),
        label_width,
        range: ViewRange::new(0.0, 1_000_000.0),
        axis: AxisKind::Time,
        folds: Arc::default(),
        least_points: 3.0,
        pinned: 0.0,
        group_row: false,
    }
}

/// 270 points for the lanes, from y 56.
fn geometry() -> Geometry {
    let mut geometry = Geometry::new(&frame(1_000.0, 326.0, 200.0));
    let rows = Rows {
        count: 100,
        height: &|row| if row == 0 { 34.0 } else { 26.0 },
        viewport: geometry.lanes.height(),
    };
    geometry.place(
        &rows,
        RowScroll {
            row: 0,
            hidden: 10.0,
        },
        0,
        |_| 0.0,
    );
    geometry
}

#[test]
fn only_lanes_on_screen_are_placed() {
    let geometry = geometry();
    assert_eq!(
        geometry.lanes,
        Rect::from_min_max(pos2(200.0, 56.0), pos2(992.0, 326.0))
    );
    let slots: Vec<(usize, f32)> = geometry
        .slots
        .iter()
        .map(|slot| (slot.index, slot.top))
        .collect();
    assert_eq!(slots.first(), Some(&(0, 46.0)));
    assert_eq!(slots.get(1), Some(&(1, 80.0)));
    assert_eq!(slots.len(), 11);
}

#[test]
fn a_point_hits_the_lane_it_is_in() {
    let geometry = geometry();
    assert_eq!(geometry.lane_at(pos2(500.0, 79.0)), Some(0));
    assert_eq!(geometry.lane_at(pos2(500.0, 81.0)), Some(1));
    assert_eq!(geometry.lane_at(pos2(500.0, 46.0)), None);
}

#[test]
fn lanes_between_two_heights_are_those_that_are_touched() {
    let geometry = geometry();
    assert_eq!(geometry.lanes_between(60.0, 79.0), vec![0]);
    assert_eq!(geometry.lanes_between(110.0, 70.0), vec![0, 1, 2]);
    assert_eq!(geometry.lanes_between(-50.0, -40.0), vec![0]);
    assert_eq!(geometry.lanes_between(900.0, 910.0), vec![10]);
}

#[test]
fn lanes_that_stay_on_top_have_a_strip_of_their_own() {
    let mut wanted = frame(1_000.0, 326.0, 200.0);
    wanted.pinned = 60.0;
    wanted.group_row = true;
    let mut geometry = Geometry::new(&wanted);
    // Minimap 26, ruler 30, the group's row 26.
    assert_eq!(geometry.group_row.y_range(), Rangef::new(56.0, 82.0));
    assert_eq!(geometry.pinned.y_range(), Rangef::new(82.0, 142.0));
    assert_eq!(geometry.lanes.y_range().min.to_bits(), 142.0_f32.to_bits());
    let rows = Rows {
        count: 3,
        height: &|_| 34.0,
        viewport: geometry.lanes.height(),
    };
    geometry.place(&rows, RowScroll::default(), 2, |index| {
        if index == 0 { 34.0 } else { 26.0 }
    });
    let tops: Vec<(usize, f32)> = geometry
        .all_slots()
        .map(|slot| (slot.index, slot.top))
        .collect();
    assert_eq!(
        tops,
        vec![(0, 82.0), (1, 116.0), (2, 142.0), (3, 176.0), (4, 210.0)]
    );
    assert_eq!(geometry.lane_at(pos2(500.0, 120.0)), Some(1));
    assert_eq!(geometry.lane_at(pos2(500.0, 143.0)), Some(2));
}

#[test]
fn lanes_that_stay_on_top_leave_room_for_the_others() {
    let mut wanted = frame(1_000.0, 256.0, 200.0);
    wanted.pinned = 1_000.0;
    let geometry = Geometry::new(&wanted);
    assert_eq!(geometry.pinned.y_range(), Rangef::new(56.0, 146.0));
    assert_eq!(geometry.lanes.y_range(), Rangef::new(146.0, 256.0));
}

#[test]
fn a_narrow_window_keeps_some_room_for_the_lanes() {
    let geometry = Geometry::new(&frame(300.0, 100.0, 480.0));
    assert!(geometry.lanes.width() > 100.0);
}

fn lane() -> Rect {
    Rect::from_min_max(pos2(0.0, 100.0), pos2(500.0, 134.0))
}

#[test]
fn flags_apart_stand_where_their_cursors_are() {
    let (flags, more) = flags(&[(0, 10.0), (1, 100.0)], lane(), None);
    let lefts: Vec<(usize, f32)> = flags
        .iter()
        .map(|flag| (flag.cursor, flag.chip.left()))
        .collect();
    assert_eq!(lefts, vec![(0, 10.0), (1, 100.0)]);
    assert!(more.is_empty());
}

#[test]
fn flags_in_one_place_stand_side_by_side_with_the_chosen_one_first() {
    let (flags, more) = flags(&[(0, 50.0), (1, 50.0), (2, 52.0)], lane(), Some(2));
    let lefts: Vec<(usize, f32, f32)> = flags
        .iter()
        .map(|flag| (flag.cursor, flag.x, flag.chip.left()))
        .collect();
    assert_eq!(
        lefts,
        vec![(2, 52.0, 50.0), (0, 50.0, 64.0), (1, 50.0, 78.0)]
    );
    assert!(more.is_empty());
}

#[test]
fn many_flags_in_one_place_are_counted() {
    let xs: Vec<(usize, f32)> = (0..10).map(|cursor| (cursor, 200.0)).collect();
    let (flags, more) = flags(&xs, lane(), Some(7));
    let shown: Vec<usize> = flags.iter().map(|flag| flag.cursor).collect();
    assert_eq!(shown, vec![7, 0, 1]);
    assert_eq!(more.first().map(|more| more.count), Some(7));
}

#[test]
fn flags_at_the_right_edge_stay_inside() {
    let (flags, _) = flags(&[(0, 499.0), (1, 499.0)], lane(), None);
    assert!(
        flags
            .iter()
            .all(|flag| flag.chip.right() <= 500.0 && (flag.x - 499.0).abs() < 1e-6)
    );
}

#[test]
fn one_record_can_be_seen_beside_a_million() {
    assert!((bar_height(1.0, 1e6, 26.0) - 2.0).abs() < 1e-6);
    assert!(bar_height(0.0, 10.0, 26.0) == 0.0);
    // A quarter by the power of 0.42 is 0.5587.
    assert!((bar_height(25.0, 100.0, 20.0) - 11.173).abs() < 1e-3);
    assert!((bar_height(400.0, 100.0, 20.0) - 20.0).abs() < 1e-6);
}

#[test]
fn one_burst_does_not_flatten_the_rest() {
    let mut counts = vec![100.0; 99];
    counts.push(1e9);
    assert!((full_scale(counts) - 129.746_337_890_625).abs() < 1e-9);
}

#[test]
fn the_scale_moves_in_steps() {
    // 1.5 to the power of 12 is 129.7.
    assert!((full_scale(vec![1.0, 100.0]) - 129.746_337_890_625).abs() < 1e-9);
    assert!((full_scale(vec![101.0]) - 129.746_337_890_625).abs() < 1e-9);
    assert!((full_scale(vec![]) - 1.0).abs() < 1e-9);
}
