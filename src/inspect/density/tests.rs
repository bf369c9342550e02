//! What a time index makes of look-ups, worked out by hand.

use super::*;

fn t(ms: i64) -> TimestampMs {
    TimestampMs(ms)
}

fn index(start: i64, end: i64, points: &[(i64, Option<i64>)]) -> TimeIndex {
    let mut index = TimeIndex::new(Offset(start), Offset(end));
    for (time, offset) in points {
        index.insert(t(*time), offset.map(Offset));
    }
    index
}

fn counts(spread: &Spread) -> Vec<f64> {
    spread.columns.iter().map(|column| column.count).collect()
}

#[test]
fn columns_are_differences_of_look_ups() {
    let index = index(
        10,
        100,
        &[
            (0, Some(12)),
            (10, Some(40)),
            (20, Some(40)),
            (30, Some(90)),
        ],
    );
    let spread = index.spread(t(0), t(30), 3);
    assert_eq!(counts(&spread), vec![28.0, 0.0, 50.0]);
    assert!(spread.columns.iter().all(|column| column.exact));
    assert_eq!(
        spread.before,
        Column {
            count: 2.0,
            exact: true
        }
    );
    assert_eq!(
        spread.after,
        Column {
            count: 10.0,
            exact: true
        }
    );
}

#[test]
fn between_look_ups_a_straight_line_is_drawn_and_marked_as_such() {
    let index = index(0, 100, &[(0, Some(0)), (40, Some(100))]);
    let spread = index.spread(t(0), t(40), 4);
    assert_eq!(counts(&spread), vec![25.0; 4]);
    let exact: Vec<bool> = spread.columns.iter().map(|column| column.exact).collect();
    assert_eq!(exact, vec![false; 4]);
}

#[test]
fn a_stretch_between_equal_answers_is_exactly_empty() {
    let index = index(0, 50, &[(0, Some(7)), (100, Some(7))]);
    let spread = index.spread(t(0), t(100), 5);
    assert!(spread.columns.iter().all(|column| *column == NOTHING));
    assert_eq!(index.wanted(t(0), t(100), 5, 0, 99), vec![]);
}

#[test]
fn the_fullest_stretch_is_halved_first() {
    let index = index(0, 1_000, &[(0, Some(0)), (40, Some(10)), (80, Some(1_000))]);
    assert_eq!(index.wanted(t(0), t(80), 8, 0, 99), vec![t(60), t(20)]);
    assert_eq!(index.wanted(t(0), t(80), 8, 0, 1), vec![t(60)]);
    assert_eq!(index.wanted(t(0), t(80), 8, 10, 99), vec![t(60)]);
}

#[test]
fn halving_ends_when_every_edge_that_matters_is_known() {
    // 64 records, one a millisecond from 0: the look-up of time x answers offset x.
    let mut index = TimeIndex::new(Offset(0), Offset(64));
    let mut rounds = 0;
    loop {
        let wanted = index.wanted(t(0), t(64), 16, 0, 8);
        if wanted.is_empty() {
            break;
        }
        for time in wanted {
            index.insert(time, (time.0 < 64).then_some(Offset(time.0)));
        }
        rounds += 1;
        assert!(rounds < 20, "does not end");
    }
    let spread = index.spread(t(0), t(64), 16);
    assert_eq!(counts(&spread), vec![4.0; 16]);
    assert!(spread.columns.iter().all(|column| column.exact));
}

#[test]
fn a_quiet_partition_costs_a_handful() {
    // One record at time 500,000 in a view of 1,000 columns.
    let mut index = TimeIndex::new(Offset(0), Offset(1));
    let mut asked = 0;
    loop {
        let wanted = index.wanted(t(0), t(1_000_000), 1_000, 0, 64);
        if wanted.is_empty() {
            break;
        }
        asked += wanted.len();
        for time in wanted {
            index.insert(time, (time.0 <= 500_000).then_some(Offset(0)));
        }
    }
    assert!(asked <= 12, "{asked} look-ups");
    let spread = index.spread(t(0), t(1_000_000), 1_000);
    assert_eq!(
        spread.columns[500],
        Column {
            count: 1.0,
            exact: true
        }
    );
}

#[test]
fn new_records_make_an_answer_of_no_later_record_void() {
    let mut index = index(0, 10, &[(0, Some(0)), (50, Some(5)), (100, None)]);
    index.set_ends(Offset(2), Offset(20));
    assert_eq!(index.known(), 2);
    assert_eq!(
        index.spread(t(0), t(50), 1).columns,
        vec![Column {
            count: 3.0,
            exact: true
        }]
    );
}

#[test]
fn a_shorter_log_is_another_log() {
    let mut index = index(0, 10, &[(0, Some(0)), (50, Some(5))]);
    index.set_ends(Offset(0), Offset(3));
    assert_eq!(index.known(), 0);
    assert_eq!((index.start(), index.end()), (Offset(0), Offset(3)));
}

#[test]
fn a_moved_log_start_is_taken_off_what_was_before() {
    let mut index = index(0, 10, &[(0, Some(0)), (50, Some(5)), (100, Some(8))]);
    index.set_ends(Offset(6), Offset(10));
    let spread = index.spread(t(0), t(100), 2);
    assert_eq!(counts(&spread), vec![0.0, 2.0]);
    let two = Column {
        count: 2.0,
        exact: true,
    };
    assert_eq!(spread.after, two);
}

#[test]
fn behind_a_future_record_the_times_of_records_count() {
    // Offsets 0–3 at 10, 20, 30, 40; offset 4 dated far ahead; 5 and 6 at 50 and 60; 7 without a time.
    let mut index = index(0, 8, &[(0, Some(0)), (35, Some(3)), (70, Some(4))]);
    let head = |offset, time: Option<i64>| RecordHead {
        offset: Offset(offset),
        timestamp: time.map(t),
    };
    index.set_tail(Tail {
        from: Offset(4),
        samples: vec![
            head(4, Some(9_000)),
            head(5, Some(50)),
            head(6, Some(60)),
            head(7, None),
        ],
        exact: true,
    });
    let spread = index.spread(t(0), t(70), 2);
    assert_eq!(counts(&spread), vec![3.0, 3.0]);
    let one = Column {
        count: 1.0,
        exact: true,
    };
    assert_eq!((spread.before, spread.after), (one, one));
    assert!(spread.columns.iter().all(|column| column.exact));
}

#[test]
fn markers_and_holes_of_a_tail_count_where_the_record_before_them_does() {
    // Offset 4 is a marker, 5 a record at 50, 6 and 7 holes, 8 a record at 10.
    let mut index = index(0, 9, &[(0, Some(0)), (40, Some(4)), (70, Some(4))]);
    let head = |offset, time| RecordHead {
        offset: Offset(offset),
        timestamp: Some(t(time)),
    };
    index.set_tail(Tail {
        from: Offset(4),
        samples: vec![head(5, 50), head(8, 10)],
        exact: true,
    });
    let spread = index.spread(t(0), t(80), 2);
    assert_eq!(counts(&spread), vec![5.0, 4.0]);
    index.set_tail(Tail {
        from: Offset(4),
        samples: vec![],
        exact: true,
    });
    let five = Column {
        count: 5.0,
        exact: true,
    };
    assert_eq!(index.spread(t(0), t(80), 2).before, five);
}

#[test]
fn samples_of_a_long_tail_stand_for_the_offsets_up_to_the_next_and_are_not_exact() {
    let mut index = index(0, 100, &[(0, Some(0)), (10, Some(0))]);
    let head = |offset, time| RecordHead {
        offset: Offset(offset),
        timestamp: Some(t(time)),
    };
    index.set_tail(Tail {
        from: Offset(0),
        samples: vec![head(0, 9_000), head(1, 2), head(51, 7)],
        exact: false,
    });
    let spread = index.spread(t(0), t(10), 2);
    assert_eq!(counts(&spread), vec![50.0, 49.0]);
    assert_eq!(
        spread.after,
        Column {
            count: 1.0,
            exact: false
        }
    );
}

#[test]
fn times_of_offsets_are_drawn_between_look_ups() {
    let index = index(0, 100, &[(0, Some(0)), (1_000, Some(100))]);
    assert_eq!(index.time_near(Offset(25)), Some(t(250)));
    assert_eq!(
        TimeIndex::new(Offset(0), Offset(5)).time_near(Offset(2)),
        None
    );
}

#[test]
fn the_resolution_is_the_widest_stretch_that_holds_something() {
    let index = index(
        0,
        100,
        &[
            (0, Some(0)),
            (400, Some(50)),
            (500, Some(50)),
            (700, Some(100)),
        ],
    );
    assert_eq!(index.resolution_ms(t(0), t(700)), 400);
    assert_eq!(index.resolution_ms(t(400), t(700)), 200);
    assert_eq!(index.resolution_ms(t(400), t(500)), 0);
}

#[test]
fn absurd_times_do_not_overflow() {
    let index = index(0, 10, &[(i64::MIN, Some(0)), (i64::MAX, None)]);
    let spread = index.spread(t(i64::MIN), t(i64::MAX), 3);
    assert_eq!(spread.columns.len(), 3);
    assert!(index.wanted(t(i64::MIN), t(i64::MAX), 1_000, 0, 5).len() <= 5);
}

#[test]
fn edges_divide_a_span_evenly_and_keep_its_ends() {
    assert_eq!(edges(t(0), t(10), 3), vec![t(0), t(3), t(6), t(10)]);
    assert_eq!(edges(t(5), t(5), 2), vec![t(5), t(5), t(5)]);
    assert_eq!(edges(t(0), t(10), 0), vec![t(0), t(10)]);
}
