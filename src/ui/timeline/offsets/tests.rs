use super::super::by_hand::{group, inventory, lanes, topic};
use super::*;
use crate::model::{PartitionId, Text};

/// orders/0 holds 10 to 110, orders/1 holds 0 to 50; billing stands at 60 and at 50.
fn shop() -> (Inventory, Lanes) {
    let inventory = inventory(
        vec![topic("orders", &[(10, 110), (0, 50)])],
        vec![group(
            "billing",
            &[("orders", 0, 60, 10, 110), ("orders", 1, 50, 0, 50)],
        )],
    );
    let lanes = lanes(&inventory, &["orders"]);
    (inventory, lanes)
}

fn counts(bars: &[Bar]) -> Vec<(f64, f64)> {
    bars.iter().map(|bar| (bar.count, bar.unread)).collect()
}

#[test]
fn ends_lie_above_one_another_and_lag_is_a_length() {
    let (inventory, lanes) = shop();
    let billing = &inventory.groups()[0];
    let columns = Columns::new(-120, 0, 20);
    let bars_of = |lane| {
        let lane = lanes.get(lane).unwrap();
        counts(&bars(AxisKind::FromEnd, lane, Some(billing), &columns))
    };
    // Partition 0 covers −100 to 0 and is read up to −50; partition 1 covers −50 to 0 and is read.
    assert_eq!(
        bars_of(1),
        vec![
            (0.0, 0.0),
            (20.0, 0.0),
            (20.0, 0.0),
            (20.0, 10.0),
            (20.0, 20.0),
            (20.0, 20.0)
        ]
    );
    assert_eq!(
        bars_of(0),
        vec![
            (0.0, 0.0),
            (20.0, 0.0),
            (20.0, 0.0),
            (30.0, 10.0),
            (40.0, 20.0),
            (40.0, 20.0)
        ]
    );
    let found = cursors(
        AxisKind::FromEnd,
        lanes.get(0).unwrap(),
        &inventory,
        &Readers::of(&inventory),
    );
    assert_eq!(found[0].at, Standing::Offset(-50));
    assert_eq!(found[0].partition, PartitionId(0));
    assert_eq!(found[0].committed, Offset(60));
    assert_eq!(found[0].name, Text::from("billing"));
}

#[test]
fn offsets_as_they_are_begin_at_nothing() {
    let (inventory, lanes) = shop();
    let columns = Columns::new(0, 110, 50);
    let bars = bars(AxisKind::Offset, lanes.get(0).unwrap(), None, &columns);
    assert_eq!(counts(&bars), vec![(90.0, 0.0), (50.0, 0.0), (10.0, 0.0)]);
    let found = cursors(
        AxisKind::Offset,
        lanes.get(1).unwrap(),
        &inventory,
        &Readers::of(&inventory),
    );
    assert_eq!(found[0].at, Standing::Offset(60));
}

#[test]
fn only_a_lane_whose_partitions_all_begin_later_has_lost_something() {
    let (_, lanes) = shop();
    assert_eq!(
        deleted(AxisKind::FromEnd, lanes.get(0).unwrap(), None),
        None
    );
    let lost = deleted(AxisKind::FromEnd, lanes.get(1).unwrap(), None).unwrap();
    assert_eq!(
        lost.before,
        Beginning::Offset {
            place: -100,
            offset: Offset(10)
        }
    );
}

#[test]
fn the_range_shows_what_the_group_is_behind() {
    let (inventory, lanes) = shop();
    let fit = |kind, chosen, focused| fit(kind, &lanes, chosen, focused);
    let near = |range: ViewRange, from: f64, to: f64| {
        let room = (to - from) * 0.015;
        assert!((range.from_ms - from + room).abs() < 1e-6, "{range:?}");
        assert!((range.to_ms - to - room).abs() < 1e-6, "{range:?}");
    };
    // 50 behind, and a third more, is less than the least that is shown.
    near(
        fit(AxisKind::FromEnd, inventory.groups().first(), None),
        -100.0,
        0.0,
    );
    near(fit(AxisKind::Offset, None, None), 0.0, 110.0);
    let second = lanes.get(2).map(|lane| &lane.key);
    near(fit(AxisKind::Offset, None, second), 0.0, 100.0);
    let first = lanes.get(1).map(|lane| &lane.key);
    near(fit(AxisKind::Offset, None, first), 10.0, 110.0);
}

#[test]
fn what_lies_outside_is_counted_and_the_whole_range_holds_it() {
    let (_, lanes) = shop();
    let of = |lane: usize, from, to| {
        let range = ViewRange::new(from, to);
        outside(AxisKind::FromEnd, lanes.get(lane).unwrap(), range)
    };
    // Partition 0 reaches from −100 to 0, partition 1 from −50.
    assert_eq!(of(1, -60.0, 10.0), (40, 0));
    assert_eq!(of(0, -60.0, -10.0), (40, 20));
    assert_eq!(of(2, -200.0, -70.0), (0, 50));
    let all = whole(AxisKind::FromEnd, &lanes);
    let first = lanes.get(0).unwrap();
    assert_eq!(outside(AxisKind::FromEnd, first, all), (0, 0));
    let all = whole(AxisKind::Offset, &lanes);
    assert!(all.from_ms <= 0.0 && all.to_ms >= 110.0, "{all:?}");
}

#[test]
fn what_is_held_back_begins_at_the_last_stable_offset() {
    let mut orders = (*topic("orders", &[(0, 100), (0, 10)])).clone();
    orders.partitions[0].last_stable = Ok(Offset(90));
    let inventory = inventory(vec![orders.into()], vec![]);
    let lanes = lanes(&inventory, &["orders"]);
    let held = |kind, lane| held_back(kind, lanes.get(lane).unwrap());
    let wanted = |from, to| {
        Some(HeldBack {
            from,
            to,
            count: 10,
        })
    };
    assert_eq!(held(AxisKind::FromEnd, 0), wanted(-10, 0));
    assert_eq!(held(AxisKind::Offset, 1), wanted(90, 100));
    assert_eq!(held(AxisKind::Offset, 2), None);
}

#[test]
fn a_stretch_of_the_axis_is_offsets_of_each_partition() {
    let (_, lanes) = shop();
    let said = |kind, chosen: &[LaneKey], from, to| -> Vec<(String, i64, i64)> {
        ranges(kind, &lanes, chosen, from, to)
            .into_iter()
            .map(|range| (range.at.to_string(), range.from.0, range.to.0))
            .collect()
    };
    // From 60 to 20 before the end; partition 1 holds only 50.
    assert_eq!(
        said(AxisKind::FromEnd, &[], -60.0, -20.0),
        vec![("orders/0".into(), 50, 90), ("orders/1".into(), 0, 30)]
    );
    let second = [lanes.get(2).unwrap().key.clone()];
    assert_eq!(
        said(AxisKind::Offset, &second, 10.2, 20.2),
        vec![("orders/1".into(), 10, 21)]
    );
    assert!(said(AxisKind::Offset, &second, 60.0, 90.0).is_empty());
    let chosen = ranges(AxisKind::FromEnd, &lanes, &[], -60.0, -20.0);
    let places = |lane| chosen_in(AxisKind::FromEnd, lanes.get(lane).unwrap(), &chosen);
    assert_eq!(places(0), Some((-60, -20)));
    assert_eq!(places(2), Some((-50, -20)));
}

#[test]
fn a_place_in_one_partition_is_a_record() {
    let (_, lanes) = shop();
    let at = |lane, place| record_at(AxisKind::FromEnd, lanes.get(lane).unwrap(), place);
    let first = TopicPartition::new("orders", 0);
    assert_eq!(at(1, -0.5), Some(TablePlace::Record(first, Offset(109))));
    assert_eq!(at(1, 0.5), None);
    assert_eq!(at(1, -100.5), None);
    assert_eq!(at(0, -10.0), None);
}

#[test]
fn a_place_is_said_as_an_offset() {
    let (_, lanes) = shop();
    let lane = lanes.get(1).unwrap();
    let only = lane.partitions().first().zip(lane.partition());
    assert_eq!(
        place_text(AxisKind::FromEnd, -49.5, only),
        "−50 from the end: offset 60"
    );
    assert_eq!(
        place_text(AxisKind::FromEnd, -1_500.0, None),
        "−1,500 from the end"
    );
    assert_eq!(place_text(AxisKind::Offset, 60.9, only), "offset 60");
}
