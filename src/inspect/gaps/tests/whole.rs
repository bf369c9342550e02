//! A busy bus on which nothing is wrong, and facts that make no sense.

use super::*;

const PARTITIONS: i32 = 6;

/// Moves of a reader that commits every five seconds, up to `end`, of which the last is a second ago.
fn reading(end: i64, each: i64, epoch: Option<i32>) -> Vec<Moved> {
    (0..120)
        .map(|n| {
            let before = 1_000 + (119 - n) * 5_000;
            (before, Some(end - (119 - n) * each), epoch, Some(true))
        })
        .collect()
}

/// Readers of several habits on six partitions, each with its own pace, all of them well.
fn busy() -> World {
    let ends: Vec<(i64, i64)> = (0..i64::from(PARTITIONS))
        .map(|id| (id * 1_000, 100_000 + id * 1_000))
        .collect();
    let everything: Vec<i32> = (0..PARTITIONS).collect();
    let committed = |behind: i64| -> Committed {
        (0..PARTITIONS)
            .map(|id| (id, Some(ends[usize::try_from(id).unwrap()].1 - behind)))
            .collect()
    };
    let mut world = world(&ends)
        .group("java", &committed(7), &[&everything])
        .group(
            "spring",
            &committed(0),
            &[&everything[..3], &everything[3..]],
        )
        .group("batch", &committed(4_000), &[&everything])
        .group("nightly", &committed(900), &[])
        .group("idle", &committed(0), &[])
        .remember(
            "now",
            9 * DAY,
            MINUTE,
            &ends.iter().map(|(_, end)| end - 500).collect::<Vec<_>>(),
            &[],
        );
    for id in 0..PARTITIONS {
        let end = ends[usize::try_from(id).unwrap()].1;
        let pace = i64::from(id) + 1;
        world = world
            .moves("java", id, &reading(end - 7, pace, Some(4)))
            .moves("spring", id, &reading(end, pace, None))
            // Four minutes' worth at a time.
            .moves(
                "batch",
                id,
                &[
                    (9 * MINUTE, Some(end - 12_000), Some(4), Some(true)),
                    (5 * MINUTE, Some(end - 8_000), Some(4), Some(true)),
                    (MINUTE, Some(end - 4_000), Some(4), Some(true)),
                ],
            )
            // Once a day, and long gone.
            .moves(
                "nightly",
                id,
                &[
                    (30 * 60 * MINUTE, Some(end - 60_000), None, Some(true)),
                    (8 * 60 * MINUTE, Some(end - 900), None, Some(true)),
                ],
            )
            .head(id, end - 7, (end - 7, 800))
            .head(id, end - 4_000, (end - 4_000, 55_000))
            // It waits for the night.
            .head(id, end - 900, (end - 900, 2 * MINUTE));
    }
    world
}

#[test]
fn a_busy_bus_on_which_nothing_is_wrong_raises_no_alarm() {
    let world = busy();
    assert_eq!(world.told(), []);
    let once = busy().with(|world| world.once = true);
    assert_eq!(once.told(), []);
}

#[test]
fn what_is_wrong_with_one_group_says_nothing_of_those_beside_it() {
    let mut world = busy().group("lost", &[(3, Some(2_500))], &[]);
    let last = world.groups.len() - 1;
    world.groups[last].0.commits = Ok(vec![by_hand::commit("t", 3, Some(2_500))]);
    let told = world.told();
    assert_eq!(
        told[0],
        self::told("G4", "lost", (3, 2_500, 2_999), "proof")
    );
    assert!(told.iter().all(|told| told.1 == "lost"), "{told:?}");
}

/// Something odd: small numbers that meet one another, and the ends of what fits.
fn odd(random: &mut fastrand::Rng) -> i64 {
    match random.u8(..8) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => -1,
        3 | 4 => random.i64(..8),
        _ => random.i64(..2_000_000_000),
    }
}

fn odd_moves(random: &mut fastrand::Rng) -> Vec<Moved> {
    let count = random.usize(..9);
    let some = |random: &mut fastrand::Rng| match random.u8(..3) {
        0 => None,
        1 => Some(true),
        _ => Some(false),
    };
    (0..count)
        .map(|_| {
            let offset = random.bool().then(|| odd(random));
            let epoch = random.bool().then(|| random.i32(..3));
            (odd(random), offset, epoch, some(random))
        })
        .collect()
}

#[test]
fn facts_that_make_no_sense_have_findings_that_are_told_apart() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut told = 0;
    for _ in 0..1_500 {
        let ends: Vec<(i64, i64)> = (0..3)
            .map(|_| (odd(&mut random), odd(&mut random)))
            .collect();
        let mut world = world(&ends);
        for name in ["a", "b"] {
            let committed: Committed = (0..4)
                .map(|id| (id, random.bool().then(|| odd(&mut random))))
                .collect();
            let members: &[&[i32]] = if random.bool() { &[&[0, 1], &[2]] } else { &[] };
            world = world.group(name, &committed, members);
            for id in 0..3 {
                world = world.moves(name, id, &odd_moves(&mut random));
            }
        }
        if random.bool() {
            world.history.coverage.source = HistorySource::Readings;
        }
        world.once = random.bool();
        world.epoch = random.bool().then(|| random.i32(..3));
        let (first, last) = (odd(&mut random), odd(&mut random));
        let seen = [odd(&mut random), odd(&mut random)];
        world = world.remember("now", first, last, &seen, &[(odd(&mut random), 1)]);
        world = world.remember("then", first, last, &seen, &[]);
        for id in 0..3 {
            let partition = &mut world.topics[0].partitions[usize::try_from(id).unwrap()];
            partition.last_stable = Ok(Offset(odd(&mut random)));
            world.epochs.push((id, 1, Some(odd(&mut random))));
            world.stable.push((id, odd(&mut random), odd(&mut random)));
            let open = OpenTransaction {
                producer: odd(&mut random),
                epoch: 0,
                first: Offset(odd(&mut random)),
                last_write: Some(TimestampMs(odd(&mut random))),
                coordinator: Ok(None),
            };
            world.transactions.push((id, Ok(vec![open])));
        }
        // As many rounds as it takes for the rules to have no more questions about records.
        for _ in 0..3 {
            let asked = world.look(questions);
            for (at, offset) in asked.heads {
                let found = (offset.0, odd(&mut random));
                world = world.head(at.partition.0, offset.0, found);
            }
            for (at, offset) in asked.careful {
                world
                    .careful
                    .push((at.partition.0, offset.0, Some(offset.0)));
            }
            for (at, time) in asked.ends_at {
                let end = random.bool().then(|| odd(&mut random));
                world.ends_at.push((at.partition.0, time, end));
            }
        }
        // Ids are compared in there.
        for finding in world.found() {
            told += 1;
            assert!(finding.sentence.ends_with('.'), "{}", finding.sentence);
            assert!(!finding.sentence.contains("  "), "{}", finding.sentence);
        }
    }
    assert!(told > 1_000, "{told}");
}
