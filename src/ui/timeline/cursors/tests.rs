use super::super::model::Lanes;
use super::*;
use crate::inspect::density::TimeIndex;
use crate::model::{RecordHead, by_hand};

const NOW: TimestampMs = TimestampMs(100_000);

fn cursors(lane: &Lane, inventory: &Inventory, density: &Density, now: TimestampMs) -> Vec<Cursor> {
    super::cursors(lane, inventory, &Readers::of(inventory), density, now)
}

fn at(partition: i32) -> TopicPartition {
    TopicPartition::new("orders", partition)
}

fn group(name: &str, commits: &[(i32, Option<i64>)]) -> GroupPlaces {
    let places = commits
        .iter()
        .map(|(partition, offset)| {
            let commit = by_hand::commit("orders", *partition, *offset);
            Place::new(&commit, Ok(Offset(10)), Ok(Offset(100)))
        })
        .collect();
    GroupPlaces {
        group: Arc::new(by_hand::group(name)),
        places,
    }
}

fn inventory(groups: Vec<GroupPlaces>) -> Inventory {
    super::super::by_hand::inventory(
        vec![super::super::by_hand::topic("orders", &[(10, 100); 2])],
        groups,
    )
}

/// Record `o` was written at `o × 1,000`; the index knows two look-ups, heads know two records.
fn density() -> Density {
    let mut index = TimeIndex::new(Offset(10), Offset(100));
    index.insert(TimestampMs(10_000), Some(Offset(10)));
    index.insert(TimestampMs(100_000), Some(Offset(100)));
    let mut density = Density::default();
    density.partitions.insert(at(0), Arc::new(index.clone()));
    density.partitions.insert(at(1), Arc::new(index));
    let head = |offset: i64| RecordHead {
        offset: Offset(offset),
        timestamp: Some(TimestampMs(offset * 1_000 + 7)),
    };
    let heads = [
        ((at(0), Offset(40)), Ok(Some(head(40)))),
        ((at(0), Offset(10)), Ok(Some(head(10)))),
    ];
    density.heads = Arc::new(heads.into());
    density
}

fn lanes(inventory: &Inventory) -> Lanes {
    super::super::by_hand::lanes(inventory, &["orders"])
}

#[test]
fn only_the_groups_that_read_a_topic_are_asked() {
    let inventory = inventory(vec![
        group("a", &[(0, Some(40)), (1, Some(40))]),
        group("b", &[]),
        group("c", &[(1, None)]),
    ]);
    let readers = Readers::of(&inventory);
    let numbers = |topic| -> Vec<usize> {
        let found = readers.in_topic(topic, &inventory);
        found.map(|(index, _)| index).collect()
    };
    assert_eq!(numbers("orders"), vec![0, 2]);
    assert!(numbers("payments").is_empty());
}

#[test]
fn a_cursor_stands_at_the_time_of_the_next_record() {
    let inventory = inventory(vec![group("billing", &[(0, Some(40))])]);
    let lanes = lanes(&inventory);
    let found = cursors(lanes.get(1).unwrap(), &inventory, &density(), NOW);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].at,
        Standing::At {
            time: TimestampMs(40_007),
            exact: true
        }
    );
    assert_eq!(
        found[0].lag,
        TotalLag {
            records: Some(60),
            incomplete: false
        }
    );
    assert_eq!(found[0].delay_ms, Some(59_993));
}

#[test]
fn without_the_record_it_stands_between_two_look_ups() {
    let inventory = inventory(vec![group("billing", &[(0, Some(55))])]);
    let found = cursors(
        lanes(&inventory).get(1).unwrap(),
        &inventory,
        &density(),
        NOW,
    );
    assert_eq!(
        found[0].at,
        Standing::At {
            time: TimestampMs(55_000),
            exact: false
        }
    );
}

#[test]
fn at_the_end_or_beyond_it_there_is_nothing_to_read() {
    let inventory = inventory(vec![
        group("a", &[(0, Some(100))]),
        group("b", &[(0, Some(101))]),
    ]);
    let found = cursors(
        lanes(&inventory).get(1).unwrap(),
        &inventory,
        &density(),
        NOW,
    );
    assert_eq!(
        found.iter().map(|cursor| cursor.at).collect::<Vec<_>>(),
        vec![Standing::End; 2]
    );
    assert!(found[1].lag.incomplete);
}

#[test]
fn a_next_record_without_a_time_stands_nowhere_on_the_axis() {
    let mut waiting = group("a", &[(0, Some(40))]);
    waiting.places[0].next = Some(Ok(Some(RecordHead {
        offset: Offset(40),
        timestamp: None,
    })));
    let density = density();
    assert_eq!(time_of(&waiting.places[0], &density), None);
    waiting.places[0].next = None;
    assert!(time_of(&waiting.places[0], &density).is_some());
}

#[test]
fn a_group_that_never_committed_has_no_cursor() {
    let inventory = inventory(vec![group("audit", &[(0, None)])]);
    assert!(
        cursors(
            lanes(&inventory).get(0).unwrap(),
            &inventory,
            &density(),
            NOW
        )
        .is_empty()
    );
}

#[test]
fn a_topic_shows_the_partition_that_is_least_advanced() {
    let inventory = inventory(vec![group("billing", &[(0, Some(70)), (1, Some(30))])]);
    let found = cursors(
        lanes(&inventory).get(0).unwrap(),
        &inventory,
        &density(),
        NOW,
    );
    assert_eq!(found[0].partition, PartitionId(1));
    assert_eq!(found[0].committed, Offset(30));
    assert_eq!(
        found[0].at,
        Standing::At {
            time: TimestampMs(30_000),
            exact: false
        }
    );
    assert_eq!(found[0].lag.records, Some(30 + 70));
}

#[test]
fn a_deleted_head_ends_at_the_first_record_that_is_left() {
    let inventory = inventory(vec![group("billing", &[(0, Some(4))])]);
    let lanes = lanes(&inventory);
    let chosen = inventory.groups().first();
    let wanted = Deleted {
        before: Beginning::Time(TimestampMs(10_007)),
        unread: Some(6),
    };
    assert_eq!(
        deleted(lanes.get(1).unwrap(), &density(), chosen),
        Some(wanted)
    );
    let other = Deleted {
        before: Beginning::Time(TimestampMs(10_000)),
        unread: None,
    };
    assert_eq!(
        deleted(lanes.get(2).unwrap(), &density(), chosen),
        Some(other)
    );
    let both = Deleted {
        before: Beginning::Time(TimestampMs(10_000)),
        unread: Some(6),
    };
    assert_eq!(
        deleted(lanes.get(0).unwrap(), &density(), chosen),
        Some(both)
    );
}
