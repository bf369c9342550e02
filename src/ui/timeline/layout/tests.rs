//! Places and sizes, worked out by hand.

use super::*;

fn range(from: f64, to: f64) -> ViewRange {
    ViewRange::new(from, to)
}

fn t(ms: i64) -> TimestampMs {
    TimestampMs(ms)
}

#[test]
fn a_time_goes_to_x_and_back() {
    let axis = TimeAxis::new(Rangef::new(200.0, 1_200.0), range(1_000_000.0, 1_100_000.0));
    assert!((axis.x_from_time(1_050_000.0) - 700.0).abs() < 1e-3);
    assert!((axis.time_from_x(700.0) - 1_050_000.0).abs() < 1e-6);
    assert!((axis.ms_from_points(10.0) - 1_000.0).abs() < 1e-9);
    assert!((axis.points_from_ms(1_000.0) - 10.0).abs() < 1e-4);
}

#[test]
fn the_axis_is_exact_to_a_part_of_a_millisecond_today() {
    let now = 1_796_043_720_000.0;
    let axis = TimeAxis::new(Rangef::new(0.0, 1_000.0), range(now, now + 100.0));
    assert!((axis.x_from_time(now + 50.0) - 500.0).abs() < 0.01);
    assert!((axis.time_from_x(250.0) - (now + 25.0)).abs() < 0.01);
}

#[test]
fn columns_are_lengths_that_people_count_in() {
    assert_eq!(step_at_least(0.3), 1);
    assert_eq!(step_at_least(1_000.0), 1_000);
    assert_eq!(step_at_least(5_001.0), 10_000);
    assert_eq!(step_at_least(1_209_600_001.0), 2_419_200_000);
    assert!(step_at_least(1e300) > 0);
}

#[test]
fn columns_lie_on_multiples_of_their_width() {
    let columns = Columns::new(t(12_500), t(30_001), 5_000);
    assert_eq!((columns.first(), columns.end(), columns.count()), (2, 7, 5));
    assert_eq!((columns.from(), columns.to()), (t(10_000), t(35_000)));
    let before_1970 = Columns::new(t(-12_500), t(-5_000), 5_000);
    assert_eq!(
        (before_1970.from(), before_1970.to()),
        (t(-15_000), t(-5_000))
    );
    assert_eq!(columns.column_of(14_999.9), 2);
    assert_eq!(columns.column_of(-0.5), -1);
}

#[test]
fn columns_of_an_empty_span_are_one() {
    assert_eq!(Columns::new(t(10), t(10), 5).count(), 1);
    assert!(Columns::new(t(i64::MAX - 1), t(i64::MAX), 1_000).count() >= 1);
}

fn geometry() -> Geometry {
    let area = Rect::from_min_max(pos2(0.0, 0.0), pos2(1_000.0, 300.0));
    let mut geometry = Geometry::new(area, 200.0, range(0.0, 1_000_000.0), 3.0);
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
    );
    geometry
}

#[test]
fn only_lanes_on_screen_are_placed() {
    let geometry = geometry();
    assert_eq!(
        geometry.lanes,
        Rect::from_min_max(pos2(200.0, 30.0), pos2(992.0, 300.0))
    );
    let slots: Vec<(usize, f32)> = geometry
        .slots
        .iter()
        .map(|slot| (slot.index, slot.top))
        .collect();
    assert_eq!(slots.first(), Some(&(0, 20.0)));
    assert_eq!(slots.get(1), Some(&(1, 54.0)));
    assert_eq!(slots.len(), 11);
}

#[test]
fn a_point_hits_the_lane_it_is_in() {
    let geometry = geometry();
    assert_eq!(geometry.lane_at(pos2(500.0, 53.0)), Some(0));
    assert_eq!(geometry.lane_at(pos2(500.0, 55.0)), Some(1));
    assert_eq!(geometry.lane_at(pos2(500.0, 20.0)), None);
    assert_eq!(geometry.nearest_lane(pos2(500.0, -50.0)), Some(0));
    assert_eq!(geometry.nearest_lane(pos2(500.0, 900.0)), Some(10));
}

#[test]
fn a_narrow_window_keeps_some_room_for_the_lanes() {
    let area = Rect::from_min_max(pos2(0.0, 0.0), pos2(300.0, 100.0));
    let geometry = Geometry::new(area, 480.0, range(0.0, 1.0), 3.0);
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
