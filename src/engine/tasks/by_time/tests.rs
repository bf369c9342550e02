//! Growing windows against a bus made by hand.

use super::*;
use crate::bus::{Answer, Capabilities, Found, Lookup, ReadEvent, ReadPlan, ReadRange, Reader};
use crate::engine::tasks::ranges::PartitionRange;
use crate::model::{
    Cluster, Commit, GroupList, GroupListing, GroupMembers, Known, RecordHead, Text, Topic,
    TopicConfig, Visibility,
};
use std::time::Duration;

/// A bus of which only records can be read: by partition, the time of each offset.
struct Records(Vec<Vec<Option<i64>>>);

/// Gives out everything at once.
struct All(Vec<ReadEvent>);

impl Reader for All {
    fn poll(&mut self, _wait: Duration, events: &mut Vec<ReadEvent>) -> Known<()> {
        events.append(&mut self.0);
        Ok(())
    }
}

fn record(partition: usize, offset: i64, time: Option<i64>) -> Record {
    Record {
        topic: "t".into(),
        partition: PartitionId(i32::try_from(partition).unwrap()),
        offset: Offset(offset),
        timestamp: time.map(TimestampMs),
        timestamp_type: None,
        key: None,
        value: None,
        headers: Vec::new(),
        leader_epoch: None,
        visibility: Visibility::Unknown,
    }
}

impl Bus for Records {
    fn read(&self, plan: &ReadPlan) -> Known<Box<dyn Reader>> {
        let mut events = Vec::new();
        for range in &plan.ranges {
            let partition = usize::try_from(range.at.partition.0).unwrap();
            let to = range.to.unwrap();
            for offset in range.from.0..to.0 {
                let time = self.0[partition][usize::try_from(offset).unwrap()];
                events.push(ReadEvent::Record(record(partition, offset, time)));
            }
            events.push(ReadEvent::Complete {
                at: range.at.clone(),
                next: to,
            });
        }
        Ok(Box::new(All(events)))
    }

    fn capabilities(&self) -> Capabilities {
        unreachable!()
    }
    fn cluster(&self) -> Answer<'_, Known<Cluster>> {
        unreachable!()
    }
    fn topic_names(&self) -> Answer<'_, Known<Vec<TopicName>>> {
        unreachable!()
    }
    fn topics(&self, _: Vec<TopicName>) -> Answer<'_, Vec<Topic>> {
        unreachable!()
    }
    fn topic_configs(&self, _: Vec<TopicName>) -> Answer<'_, Vec<Known<TopicConfig>>> {
        unreachable!()
    }
    fn look_up(&self, _: Vec<Lookup>) -> Answer<'_, Vec<Known<Found>>> {
        unreachable!()
    }
    fn groups(&self) -> Answer<'_, Known<GroupList>> {
        unreachable!()
    }
    fn members(&self, _: Vec<GroupListing>) -> Answer<'_, Vec<Known<GroupMembers>>> {
        unreachable!()
    }
    fn commits(&self, _: Vec<Text>) -> Answer<'_, Vec<Known<Vec<Commit>>>> {
        unreachable!()
    }
    fn first_records(&self, _: Vec<ReadRange>) -> Answer<'_, Vec<Known<Option<RecordHead>>>> {
        unreachable!()
    }
}

fn tally(bus: &Records) -> Tally {
    let ranges = bus.0.iter().enumerate().map(|(partition, times)| {
        let end = Offset(i64::try_from(times.len()).unwrap());
        PartitionRange {
            at: TopicPartition::new("t", i32::try_from(partition).unwrap()),
            from: Offset(0),
            to: end,
            meant_to: end,
            log_start: Offset(0),
            end,
            last_stable: Ok(end),
            lacking: None,
        }
    });
    Tally::new(ranges.collect(), (None, None))
}

fn run(bus: &Records, count: u64, direction: Direction) -> (Vec<(i32, i64)>, Tally, ByTime) {
    let mut tally = tally(bus);
    let found = windows(
        bus,
        &mut tally,
        count,
        direction,
        Isolation::ReadCommitted,
        &Cancel::default(),
    )
    .unwrap();
    let places = found
        .records
        .iter()
        .map(|record| (record.partition.0, record.offset.0))
        .collect();
    (places, tally, found)
}

#[test]
fn the_newest_of_a_long_partition_push_a_busy_ones_window_back() {
    // Partition 0 has all of the newest 3,000 records, one a millisecond; partition 1 ended long before.
    let bus = Records(vec![
        (0..10_000).map(|at| Some(1_000_000 + at)).collect(),
        (0..10_000).map(Some).collect(),
    ]);
    let (places, tally, found) = run(&bus, 3_000, Direction::NewestFirst);
    assert_eq!(places.len(), 3_000);
    assert_eq!((places[0], places[2_999]), ((0, 7_000), (0, 9_999)));
    assert_eq!(found.stopped_by, Some(StoppedBy::Limit));
    // Of partition 1 only the first window was read: 3,000 and a fifth and 50.
    let rows = tally.rows();
    assert_eq!(rows[1].from, Some(Offset(10_000 - 3_650)));
}

#[test]
fn records_without_a_time_do_not_end_the_search() {
    let mut times: Vec<Option<i64>> = (0..6_000).map(|at| Some(1_000 + at)).collect();
    for time in &mut times[4_000..4_005] {
        *time = None;
    }
    let bus = Records(vec![times, vec![Some(0); 5_000]]);
    let (places, ..) = run(&bus, 2_500, Direction::NewestFirst);
    assert_eq!(places[0], (0, 6_000 - 2_505));
    assert_eq!(places.len(), 2_500);
}

#[test]
fn the_oldest_say_where_to_go_on() {
    let bus = Records(vec![
        (0..10).map(|at| Some(at * 2)).collect(),
        (0..10).map(|at| Some(at * 2 + 1)).collect(),
    ]);
    let (places, tally, found) = run(&bus, 5, Direction::OldestFirst);
    assert_eq!(places, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]);
    assert_eq!(found.stopped_by, Some(StoppedBy::Limit));
    let rows = tally.rows();
    let next: Vec<_> = rows.iter().map(|row| (row.next, row.complete)).collect();
    assert_eq!(next, [(Some(Offset(3)), false), (Some(Offset(2)), false)]);
}

#[test]
fn fewer_than_wanted_is_everything() {
    let bus = Records(vec![vec![Some(5), Some(1)], vec![]]);
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        let (places, tally, found) = run(&bus, 9, direction);
        assert_eq!(places, [(0, 1), (0, 0)]);
        assert_eq!(found.stopped_by, None);
        assert!(tally.rows().iter().all(|row| row.complete), "{direction:?}");
    }
}
