//! Searches of a bus made by hand.

use super::*;
use crate::bus::Sieve as _;
use crate::decode::schema::NoSchemas;
use crate::engine::cancel::Cancel;
use crate::engine::tasks::by_hand::{ByHand, Entry, Log, log};
use crate::inspect::filter::Filters;
use crate::model::{Offset, TopicPartition, Visibility};

fn ranges(bus: &ByHand) -> Vec<PartitionRange> {
    let range = |(partition, log): (i32, &Log)| {
        let end = Offset(i64::try_from(log.records.len()).unwrap());
        PartitionRange {
            at: TopicPartition::new("t", partition),
            from: Offset(log.start),
            to: end,
            meant_to: end,
            log_start: Offset(log.start),
            end,
            high_watermark: end,
            last_stable: Ok(log.stable.map_or(end, Offset)),
            named: None,
            lacking: None,
        }
    };
    (0..).zip(&bus.logs).map(range).collect()
}

/// Everything that a search for `filters` finds: hits by partition and offset with what careful readers make of
/// them, and how many records were looked at in all.
struct Heard {
    hits: Vec<(i32, i64, Visibility)>,
    looked_at: u64,
    ended: usize,
    failed: Vec<String>,
}

fn hunt(bus: &ByHand, ranges: &[PartitionRange], isolation: Isolation, filters: &[&str]) -> Heard {
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let filters = Arc::new(Filters::parse(&filters).unwrap());
    let look = Look::new(filters, Arc::default(), Arc::new(NoSchemas));
    let control = Control::new(Cancel::default(), None);
    let hunt = Hunt {
        bus,
        isolation,
        look: &look,
        control: &control,
        is_held: false,
    };
    let mut heard = Heard {
        hits: Vec::new(),
        looked_at: 0,
        ended: 0,
        failed: Vec::new(),
    };
    hunt.run(ranges, &mut |scanned| {
        match scanned {
            Scanned::Record(record) => {
                heard.looked_at += 1;
                let place = (record.partition.0, record.offset.0, record.visibility);
                heard.hits.push(place);
            }
            Scanned::Passed(passed) => heard.looked_at += passed.records,
            Scanned::Complete(_) => heard.ended += 1,
            Scanned::Failed(_, problem) => heard.failed.push(problem.to_string()),
        }
        Flow::Continue
    })
    .unwrap();
    heard
        .hits
        .sort_by_key(|(partition, offset, _)| (*partition, *offset));
    heard
}

fn shop() -> ByHand {
    ByHand {
        value_bytes: 16,
        ..ByHand::new([log(0..300), log(0..200), log(0..0), log(0..100)])
    }
}

#[test]
fn every_hit_of_every_partition_comes_once() {
    let bus = shop();
    let heard = hunt(
        &bus,
        &ranges(&bus),
        Isolation::ReadUncommitted,
        &["text:<7"],
    );
    // 7 and 70 to 79 in each of the three that are long enough.
    let expected: Vec<(i32, i64, Visibility)> = [0, 1, 3]
        .into_iter()
        .flat_map(|partition| {
            std::iter::once(7)
                .chain(70..80)
                .map(move |offset| (partition, offset, Visibility::Committed))
        })
        .collect();
    assert_eq!(heard.hits, expected);
    assert_eq!((heard.looked_at, heard.ended), (600, 4));
    // Without holes nothing is read twice.
    assert_eq!(*bus.read.lock(), 600);
}

#[test]
fn what_careful_readers_do_not_see_is_found_and_marked() {
    let mut bus = shop();
    // Offset 70 is a marker; 71, 74 and 75 are aborted; from 78 on a transaction is open.
    bus.logs[3].records[70] = Entry::Nothing;
    bus.logs[3].stable = Some(78);
    bus.aborted = vec![71, 74, 75];
    let ranges = &ranges(&bus)[3..];
    let heard = hunt(&bus, ranges, Isolation::ReadUncommitted, &["text:<7"]);
    let of = |offset: i64| match offset {
        71 | 74 | 75 => Visibility::Aborted,
        78.. => Visibility::Open,
        _ => Visibility::Committed,
    };
    let expected: Vec<(i32, i64, Visibility)> = std::iter::once(7)
        .chain(71..80)
        .map(|offset| (3, offset, of(offset)))
        .collect();
    assert_eq!(heard.hits, expected);
    assert_eq!((heard.looked_at, heard.ended), (99, 1));
    let careful = hunt(
        &bus,
        &[PartitionRange {
            to: Offset(78),
            ..ranges[0].clone()
        }],
        Isolation::ReadCommitted,
        &["text:<7"],
    );
    let seen: Vec<i64> = careful.hits.iter().map(|(_, offset, _)| *offset).collect();
    assert_eq!(seen, [7, 72, 73, 76, 77]);
    assert_eq!(careful.looked_at, 74);
}

#[test]
fn without_a_known_end_for_careful_readers_nothing_is_claimed() {
    let bus = shop();
    let mut ranges = ranges(&bus);
    ranges.truncate(1);
    ranges[0].last_stable = Err(Problem::new(ProblemKind::TimedOut, "no answer"));
    let heard = hunt(&bus, &ranges, Isolation::ReadUncommitted, &["text:<299>"]);
    assert_eq!(heard.hits, [(0, 299, Visibility::Unknown)]);
    assert_eq!((heard.looked_at, heard.ended), (300, 1));
}

#[test]
fn a_partition_that_breaks_does_not_spoil_the_others() {
    let mut bus = shop();
    bus.logs[0].broken_from = Some(50);
    let heard = hunt(
        &bus,
        &ranges(&bus),
        Isolation::ReadUncommitted,
        &["text:<4"],
    );
    let of_broken = heard.hits.iter().filter(|(partition, ..)| *partition == 0);
    // 4 and 40 to 49.
    assert_eq!(of_broken.count(), 11);
    assert_eq!((heard.ended, heard.failed.len()), (3, 1));
}

#[test]
fn random_logs_give_what_they_hold() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..60 {
        let count = random.i64(1..400);
        let mut made = log(0..count);
        for entry in &mut made.records {
            if random.u8(0..10) == 0 {
                *entry = Entry::Nothing;
            }
        }
        let stable = random.i64(0..=count);
        made.stable = Some(stable);
        let aborted: Vec<i64> = (0..stable).filter(|_| random.u8(0..6) == 0).collect();
        let bus = ByHand {
            value_bytes: 12,
            aborted: aborted.clone(),
            ..ByHand::new([made])
        };
        let wanted = format!("text:{}", random.u8(0..10));
        let filters = Filters::parse(std::slice::from_ref(&wanted)).unwrap();
        let heard = hunt(&bus, &ranges(&bus), Isolation::ReadUncommitted, &[&wanted]);
        let there = (0..count).filter(|offset| {
            bus.logs[0].records[usize::try_from(*offset).unwrap()] != Entry::Nothing
        });
        let there: Vec<i64> = there.collect();
        let expected: Vec<(i32, i64, Visibility)> = there
            .iter()
            .filter(|offset| filters.passes(None, Some(format!("<{offset}>").as_bytes())))
            .map(|offset| {
                let visibility = if *offset >= stable {
                    Visibility::Open
                } else if aborted.contains(offset) {
                    Visibility::Aborted
                } else {
                    Visibility::Committed
                };
                (0, *offset, visibility)
            })
            .collect();
        assert_eq!(heard.hits, expected, "round {round}");
        let looked_at = u64::try_from(there.len()).unwrap();
        assert_eq!(
            (heard.looked_at, heard.ended),
            (looked_at, 1),
            "round {round}"
        );
    }
}

#[test]
fn shares_are_about_as_large() {
    let bus = ByHand::new([log(0..100), log(0..60), log(0..50), log(0..0)]);
    let shares = share_out(&ranges(&bus), 2);
    let of = |share: &[PartitionRange]| -> Vec<i32> {
        share.iter().map(|range| range.at.partition.0).collect()
    };
    let shares: Vec<Vec<i32>> = shares.iter().map(|share| of(share)).collect();
    assert_eq!(shares, [vec![0, 3], vec![1, 2]]);
    assert!(share_out(&[], 2).is_empty());
}
