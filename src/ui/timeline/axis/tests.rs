//! Places on the axis, worked out by hand.

use super::*;

fn range(from: f64, to: f64) -> ViewRange {
    ViewRange::new(from, to)
}

fn t(ms: i64) -> TimestampMs {
    TimestampMs(ms)
}

fn near(a: f32, b: f32) {
    assert!((a - b).abs() < 1e-3, "{a} is not {b}");
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-6, "{a} is not {b}");
}

/// 0 to 1,000 on 156 points: 100 from 0 to 100, 28 of the fold from 100 to 972, 28 from 972 to 1,000.
fn folded() -> Axis {
    let folds: Arc<[Fold]> = Arc::new([Fold {
        from: 100.0,
        to: 972.0,
    }]);
    Axis::folded(
        Rangef::new(0.0, 156.0),
        range(0.0, 1_000.0),
        AxisKind::Time,
        &folds,
    )
}

#[test]
fn a_time_goes_to_x_and_back() {
    let axis = Axis::new(Rangef::new(200.0, 1_200.0), range(1_000_000.0, 1_100_000.0));
    near(axis.x_from(1_050_000.0), 700.0);
    close(axis.value_from_x(700.0), 1_050_000.0);
    close(axis.span_from_points(10.0), 1_000.0);
    near(axis.x_from(990_000.0), 100.0);
    near(axis.x_from(1_110_000.0), 1_300.0);
    close(axis.value_from_x(100.0), 990_000.0);
}

#[test]
fn the_axis_is_exact_to_a_part_of_a_millisecond_today() {
    let now = 1_796_043_720_000.0;
    let axis = Axis::new(Rangef::new(0.0, 1_000.0), range(now, now + 100.0));
    assert!((axis.x_from(now + 50.0) - 500.0).abs() < 0.01);
    assert!((axis.value_from_x(250.0) - (now + 25.0)).abs() < 0.01);
}

#[test]
fn a_fold_takes_its_few_points_and_no_more() {
    let axis = folded();
    close(axis.span_from_points(1.0), 1.0);
    for (value, x) in [
        (0.0, 0.0),
        (100.0, 100.0),
        (536.0, 114.0),
        (972.0, 128.0),
        (1_000.0, 156.0),
        (1_010.0, 166.0),
    ] {
        near(axis.x_from(value), x);
        close(axis.value_from_x(x), value);
    }
}

#[test]
fn panning_a_folded_axis_skips_what_is_folded() {
    let axis = folded();
    let panned = axis.panned(10.0);
    close(panned.from_ms, 10.0);
    close(panned.to_ms, 1_010.0);
    let far = axis.panned(-950.0);
    close(far.from_ms, -950.0);
    // 1,000 is 128 unfolded; 950 less is −822, before the fold.
    close(far.to_ms, -822.0);
}

#[test]
fn zooming_keeps_the_value_under_the_pointer_across_a_fold() {
    let axis = folded();
    let closer = axis.zoomed(2.0, 50.0);
    close(closer.from_ms, 25.0);
    // 1,000 is 128 unfolded, 50 + 78 / 2 = 89 is before the fold.
    close(closer.to_ms, 89.0);
    assert_eq!(axis.zoomed(f64::NAN, 10.0), axis.range());
}

#[test]
fn an_axis_is_never_all_fold() {
    let folds: Arc<[Fold]> = Arc::new([Fold {
        from: -10.0,
        to: 2_000.0,
    }]);
    let axis = Axis::folded(
        Rangef::new(0.0, 100.0),
        range(0.0, 1_000.0),
        AxisKind::Time,
        &folds,
    );
    near(axis.x_from(500.0), 50.0);
}

#[test]
fn folds_take_half_of_the_room_at_most() {
    let folds: Arc<[Fold]> = (0..10_u8)
        .map(|n| Fold {
            from: f64::from(n) * 100.0 + 10.0,
            to: f64::from(n) * 100.0 + 20.0 + f64::from(n),
        })
        .collect();
    let axis = Axis::folded(
        Rangef::new(0.0, 120.0),
        range(0.0, 1_000.0),
        AxisKind::Time,
        &folds,
    );
    let shown: Vec<f64> = axis
        .pieces()
        .iter()
        .filter(|piece| piece.folded)
        .map(|piece| piece.from)
        .collect();
    // Two times 28 points fit into 60; the last two are the longest.
    assert_eq!(shown, vec![810.0, 910.0]);
}

#[test]
fn columns_are_lengths_that_people_count_in() {
    let step = |least| step_at_least(AxisKind::Time, least);
    assert_eq!(step(0.3), 1);
    assert_eq!(step(1_000.0), 1_000);
    assert_eq!(step(5_001.0), 10_000);
    assert_eq!(step(1_209_600_001.0), 2_419_200_000);
    assert!(step(1e300) > 0);
    let step = |least| step_at_least(AxisKind::Offset, least);
    assert_eq!((step(0.2), step(3.0), step(501.0)), (1, 5, 1_000));
    assert!(step(1e300) > 0);
}

#[test]
fn columns_lie_on_multiples_of_their_width() {
    let columns = Columns::new(12_500, 30_001, 5_000);
    assert_eq!((columns.first(), columns.end(), columns.count()), (2, 7, 5));
    assert_eq!((columns.from(), columns.to()), (t(10_000), t(35_000)));
    let before_1970 = Columns::new(-12_500, -5_000, 5_000);
    assert_eq!(
        (before_1970.from(), before_1970.to()),
        (t(-15_000), t(-5_000))
    );
    assert_eq!(columns.column_of(14_999.9), 2);
    assert_eq!(columns.column_of(-0.5), -1);
}

#[test]
fn columns_of_an_empty_span_are_one() {
    assert_eq!(Columns::new(10, 10, 5).count(), 1);
    assert!(Columns::new(i64::MAX - 1, i64::MAX, 1_000).count() >= 1);
}

#[test]
fn columns_leave_out_those_inside_a_fold() {
    let columns = Columns::on(&folded(), 10.0);
    assert_eq!(columns.step(), 10);
    // The fold runs from 100 to 972: columns 10 to 96 lie inside it, number 97 reaches beyond its end.
    assert_eq!(
        columns.stretches().collect::<Vec<_>>(),
        vec![(0, 10), (97, 100)]
    );
    assert_eq!(columns.count(), 13);
    assert_eq!(columns.numbers().count(), 13);
    assert_eq!(columns.left_out().collect::<Vec<_>>(), vec![(100, 970)]);
}
