//! Random logs: from wherever a piece begins, every record comes once, and in order as far as its partition is.

use fastrand::Rng;

use super::*;

/// Logs with holes, equal times, deleted heads; with `jitter`, times some records out of order.
fn random_logs(rng: &mut Rng, jitter: bool) -> Vec<Log> {
    let count = match rng.u8(..10) {
        0 => 60 + rng.usize(..30),
        1 => 1,
        _ => 2 + rng.usize(..5),
    };
    let longest = if count > 50 { 120 } else { 2_500 };
    (0..count)
        .map(|_| {
            let mut time = rng.i64(0..1_000);
            let step = [1, 2, 10, 300][rng.usize(..4)];
            let length = rng.usize(..=longest);
            let timeless = if rng.u8(..4) == 0 { rng.usize(..40) } else { 0 };
            let mut records: Vec<Entry> = (0..length)
                .map(|offset| {
                    if rng.u8(..12) == 0 {
                        return Entry::Nothing;
                    }
                    if offset < timeless {
                        return Entry::Timeless;
                    }
                    if rng.bool() {
                        time += rng.i64(0..=step);
                    }
                    Entry::At(time)
                })
                .collect();
            if jitter {
                for _ in 0..length / 20 {
                    let from = rng.usize(..length);
                    let to = (from + rng.usize(..8)).min(length - 1);
                    records.swap(from, to);
                }
            }
            // A long stretch without a record now and then.
            if length > 400 && rng.u8(..4) == 0 {
                records[100..400].fill(Entry::Nothing);
            }
            let start = if rng.u8(..4) == 0 {
                i64::try_from(length / 3).unwrap()
            } else {
                0
            };
            Log {
                records,
                start,
                ..Log::default()
            }
        })
        .collect()
}

fn random_place(rng: &mut Rng, logs: &[Log]) -> TablePlace {
    let all = sorted(logs);
    match rng.u8(..5) {
        0 => TablePlace::Start,
        1 => TablePlace::End,
        2 => TablePlace::Rank(rng.u64(..u64::try_from(all.len()).unwrap() + 2)),
        3 => TablePlace::Time(TimestampMs(rng.i64(-10..20_000))),
        _ if all.is_empty() => TablePlace::End,
        _ => {
            let (partition, offset) = all[rng.usize(..all.len())];
            TablePlace::Record(at(partition), Offset(offset))
        }
    }
}

#[tokio::test]
async fn in_order_the_pieces_from_anywhere_make_up_the_sorted_list() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let logs = random_logs(&mut rng, false);
        let (expected, place) = (sorted(&logs), random_place(&mut rng, &logs));
        let mut shown = Shown::at(logs, place.clone()).await;
        let table = shown.table();
        assert!(!table.disordered, "seed {seed} {place:?}");
        if let TablePlace::Record(at, offset) = &place {
            let index = usize::try_from(table.anchor.unwrap() - table.first).unwrap();
            let row = &table.rows[index];
            assert_eq!((row.at(), row.offset), (at.clone(), *offset), "seed {seed}");
        }
        let all = shown.walk().await;
        assert!(
            all == expected,
            "seed {seed} {place:?}: {}",
            difference(&all, &expected)
        );
    }
}

#[tokio::test]
async fn out_of_order_every_record_comes_once_all_the_same() {
    for seed in 100..160 {
        let mut rng = Rng::with_seed(seed);
        let logs = random_logs(&mut rng, true);
        let (mut expected, place) = (sorted(&logs), random_place(&mut rng, &logs));
        let few = logs.len() < 50;
        let from_an_end = matches!(place, TablePlace::Start | TablePlace::End);
        let mut shown = Shown::at(logs, place.clone()).await;
        let mut all = shown.walk().await;
        // A little disorder is put right where enough is read of each partition to see it.
        if few && from_an_end && !has_late_timeless(&shown.bus.logs) {
            assert!(
                all == expected,
                "seed {seed} {place:?}: {}",
                difference(&all, &expected)
            );
        }
        all.sort_unstable();
        expected.sort_unstable();
        assert!(
            all == expected,
            "seed {seed} {place:?}: {}",
            difference(&all, &expected)
        );
    }
}

#[tokio::test]
async fn in_the_order_of_offsets_as_well() {
    for seed in 200..230 {
        let mut rng = Rng::with_seed(seed);
        let logs = random_logs(&mut rng, true);
        let place = random_place(&mut rng, &logs);
        let mut expected = sorted(&logs);
        expected.sort_unstable();
        let bus = Arc::new(ByHand::new(logs));
        let mut request = request(&bus, place.clone());
        request.order = TableOrder::Offset;
        let mut shown = Shown::of(bus, request).await;
        let all = shown.walk().await;
        assert!(
            all == expected,
            "seed {seed} {place:?}: {}",
            difference(&all, &expected)
        );
    }
}

/// Whether a record without a time comes after one with a time.
fn has_late_timeless(logs: &[Log]) -> bool {
    logs.iter().any(|log| {
        let first = log
            .records
            .iter()
            .position(|entry| matches!(entry, Entry::At(_)));
        let last = log
            .records
            .iter()
            .rposition(|entry| *entry == Entry::Timeless);
        first.zip(last).is_some_and(|(first, last)| last > first)
    })
}

fn difference(all: &[Place], expected: &[Place]) -> String {
    let at = all.iter().zip(expected).position(|(a, b)| a != b);
    let at = at.unwrap_or_else(|| all.len().min(expected.len()));
    let around = |list: &[Place]| {
        format!(
            "{:?}",
            list.iter()
                .skip(at.saturating_sub(2))
                .take(6)
                .collect::<Vec<_>>()
        )
    };
    format!(
        "{} of {} rows, from {at}: {} for {}",
        all.len(),
        expected.len(),
        around(all),
        around(expected)
    )
}
