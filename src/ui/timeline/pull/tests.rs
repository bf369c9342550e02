use std::sync::Arc;

use super::super::by_hand;
use super::super::model::Lanes;
use super::*;
use crate::engine::Inventory;
use crate::inspect::density::TimeIndex;

/// Record `o` of partition 0 was written at `o × 1,000`, of partition 1 at `o × 1,000 + 500`; offsets 10 to 99
/// are left, the group stands at 40 and 60.
fn shop() -> (Inventory, Density) {
    let topics = vec![by_hand::topic("orders", &[(10, 100), (10, 100)])];
    let group = by_hand::group(
        "billing",
        &[("orders", 0, 40, 10, 100), ("orders", 1, 60, 10, 100)],
    );
    let mut density = Density::default();
    for (partition, shift) in [(0, 0), (1, 500)] {
        let mut index = TimeIndex::new(Offset(10), Offset(100));
        index.insert(TimestampMs(10_000 + shift), Some(Offset(10)));
        index.insert(TimestampMs(99_000 + shift), Some(Offset(99)));
        index.insert(TimestampMs(99_001 + shift), None);
        let at = TopicPartition::new("orders", partition);
        density.partitions.insert(at, Arc::new(index));
    }
    let head = RecordHead {
        offset: Offset(40),
        timestamp: Some(TimestampMs(40_000)),
    };
    let at = (TopicPartition::new("orders", 0), Offset(40));
    density.heads = Arc::new([(at, Ok(Some(head)))].into());
    (by_hand::inventory(topics, vec![group]), density)
}

fn with<R>(lane: usize, kind: AxisKind, then: impl FnOnce(&Field<'_>) -> R) -> R {
    let (inventory, density) = shop();
    let lanes: Lanes = by_hand::lanes(&inventory, &["orders"]);
    then(&Field {
        lane: lanes.get(lane).unwrap(),
        group: &inventory.groups()[0],
        at: TopicPartition::new("orders", 0),
        density: &density,
        kind,
        now: TimestampMs(200_000),
        zone: &TimeZone::UTC,
    })
}

fn at() -> TopicPartition {
    TopicPartition::new("orders", 0)
}

fn offset(offset: i64) -> FlagAim {
    FlagAim::Offset(at(), Offset(offset))
}

#[test]
fn a_partition_goes_to_the_time_at_the_pointer() {
    let pulled = with(1, AxisKind::Time, |field| field.pulled(30_500.7, false));
    assert_eq!(pulled, Ok((FlagAim::Time(at(), TimestampMs(30_500)), None)));
}

#[test]
fn back_at_its_own_record_it_is_where_it_was() {
    let pulled = with(1, AxisKind::Time, |field| field.pulled(40_000.0, false));
    assert_eq!(pulled, Ok((offset(40), None)));
}

#[test]
fn it_stops_where_the_log_begins_and_ends_and_says_why() {
    let early = with(1, AxisKind::Time, |field| field.pulled(9_000.0, false));
    assert_eq!(
        early,
        Ok((offset(10), Some("deleted before 00:00".to_owned())))
    );
    let late = with(1, AxisKind::Time, |field| field.pulled(150_000.0, false));
    assert_eq!(late, Ok((offset(100), Some("end of log".to_owned()))));
    let below = with(1, AxisKind::Offset, |field| field.pulled(3.0, false));
    assert_eq!(
        below,
        Ok((offset(10), Some("deleted before 00:00".to_owned())))
    );
    let beyond = with(1, AxisKind::Offset, |field| field.pulled(170.0, false));
    assert_eq!(beyond, Ok((offset(100), Some("end of log".to_owned()))));
}

#[test]
fn on_axes_of_offsets_it_goes_to_whole_offsets() {
    let pulled = with(1, AxisKind::Offset, |field| field.pulled(33.9, false));
    assert_eq!(pulled, Ok((offset(33), None)));
    // 67 before the end at 100.
    let pulled = with(1, AxisKind::FromEnd, |field| field.pulled(-67.0, false));
    assert_eq!(pulled, Ok((offset(33), None)));
}

#[test]
fn all_partitions_go_to_one_time_from_either_axis() {
    let topic =
        |ms: i64, text: &str| FlagAim::Topic("orders".into(), TimestampMs(ms), text.to_owned());
    let pulled = with(0, AxisKind::Time, |field| field.pulled(30_000.0, false));
    assert_eq!(pulled, Ok((topic(30_000, "1970-01-01 00:00:30"), None)));
    let shifted = with(1, AxisKind::Time, |field| field.pulled(30_250.0, true));
    assert_eq!(
        shifted,
        Ok((topic(30_250, "1970-01-01 00:00:30.250"), None))
    );
    let by_offset = with(1, AxisKind::Offset, |field| field.pulled(33.0, true));
    assert_eq!(by_offset, Ok((topic(33_000, "1970-01-01 00:00:33"), None)));
    let early = with(0, AxisKind::Time, |field| field.pulled(1.0, false));
    assert_eq!(
        early,
        Ok((
            topic(10_000, "1970-01-01 00:00:10"),
            Some("deleted before 00:00".to_owned())
        ))
    );
}

#[test]
fn keys_go_by_one_record_and_no_farther_than_the_log() {
    let step = |from: Option<FlagAim>, by| {
        with(1, AxisKind::Time, |field| {
            field.stepped(from.as_ref(), by, 60_000)
        })
    };
    assert_eq!(step(None, -1), Ok((offset(39), None)));
    assert_eq!(step(Some(offset(39)), -1), Ok((offset(38), None)));
    let time = FlagAim::Time(at(), TimestampMs(30_000));
    assert_eq!(step(Some(time), 1), Ok((offset(31), None)));
    assert_eq!(
        step(Some(offset(100)), 1),
        Ok((offset(100), Some("end of log".to_owned())))
    );
    let topic = with(0, AxisKind::Time, |field| field.stepped(None, -1, 5_000));
    assert_eq!(topic.unwrap().0.time(), Some(TimestampMs(35_000)));
}
