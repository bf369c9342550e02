//! Times of records where look-ups are blind, and samples of times to find the bulk of the data.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::bus::{Appetite, Bus, Lookup, ReadEvent, ReadPlan, ReadRange, Seek};
use crate::engine::cancel::Cancel;
use crate::inspect::density::Tail;
use crate::inspect::timeline::bulk;
use crate::model::{
    Isolation, Known, Offset, Problem, ProblemKind, RecordHead, TimestampMs, TopicPartition,
};

/// A tail of up to this many offsets is read whole; of a longer one, samples are.
const WHOLE: u64 = 20_000;
/// How many samples stand for a long tail.
const SAMPLES: u64 = 256;
/// How long nothing may come before reading is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many partitions are sampled to find the bulk of the data, the fullest first.
const BULK_PARTITIONS: usize = 48;
/// Where in a partition times are sampled, in fortieths of its length; the ends are where odd times gather.
const BULK_AT: [u64; 5] = [0, 10, 20, 30, 39];

/// The tail of a partition from `from` to `end`.
///
/// # Errors
/// Its records cannot be read.
pub(in crate::engine) async fn read_tail(
    bus: &Arc<dyn Bus>,
    at: &TopicPartition,
    from: Offset,
    end: Offset,
    cancel: &Cancel,
) -> Known<Tail> {
    let length = end.since(from).unwrap_or(0);
    if length <= WHOLE {
        let (bus, at, cancel) = (Arc::clone(bus), at.clone(), cancel.clone());
        let reading = tokio::task::spawn_blocking(move || heads(&*bus, &at, from, end, &cancel));
        let samples = reading.await.map_err(|error| {
            Problem::new(ProblemKind::Other, format!("reading failed ({error})"))
        })??;
        return Ok(Tail {
            from,
            samples,
            exact: true,
        });
    }
    let places: Vec<ReadRange> = spaced(from, end, SAMPLES)
        .map(|offset| ReadRange {
            at: at.clone(),
            from: offset,
            to: Some(end),
        })
        .collect();
    let mut samples = Vec::new();
    for head in bus.first_records(places).await {
        samples.extend(head?);
    }
    samples.sort_by_key(|head| head.offset);
    samples.dedup_by_key(|head| head.offset);
    Ok(Tail {
        from,
        samples,
        exact: false,
    })
}

/// How many records of a partition are sampled to find disorder: many where there are few partitions.
fn samples_each(partitions: usize) -> u64 {
    match partitions {
        0..=64 => 24,
        65..=500 => 6,
        _ => 0,
    }
}

/// Where look-ups begin to mislead because times are out of order by more than `tolerance_ms`, in those of the
/// partitions (log start and end of each) in which samples show it. There an earlier record has a later time
/// than the sample, so that look-ups stop at it; or the sample has no time at all.
///
/// Samples, `most` of each partition, cannot show everything: where many partitions are asked about, fewer are taken of each.
pub(in crate::engine) async fn misleading_from(
    bus: &dyn Bus,
    partitions: &BTreeMap<TopicPartition, (Offset, Offset)>,
    tolerance_ms: i64,
    most: u64,
) -> BTreeMap<TopicPartition, Offset> {
    let each = samples_each(partitions.len()).min(most);
    let mut places: Vec<ReadRange> = Vec::new();
    for (at, (start, end)) in partitions {
        let count = each.min(end.since(*start).unwrap_or(0));
        places.extend(spaced(*start, *end, count).map(|from| ReadRange {
            at: at.clone(),
            from,
            to: Some(*end),
        }));
    }
    let heads = bus.first_records(places.clone()).await;
    let mut found: BTreeMap<TopicPartition, Offset> = BTreeMap::new();
    let mut note = |at: TopicPartition, offset: Offset| {
        let first = found.entry(at).or_insert(offset);
        *first = offset.min(*first);
    };
    let mut samples: Vec<(Offset, Lookup)> = Vec::new();
    for (place, head) in places.into_iter().zip(heads) {
        let Ok(Some(head)) = head else { continue };
        match head.timestamp {
            Some(time) => samples.push((
                head.offset,
                Lookup {
                    at: place.at,
                    seek: Seek::AtOrAfter(time.moved_ms(tolerance_ms)),
                },
            )),
            None => note(place.at, head.offset),
        }
    }
    let lookups = samples.iter().map(|(_, lookup)| lookup.clone()).collect();
    let answers = bus.look_up(lookups).await;
    for ((sampled, lookup), answer) in samples.into_iter().zip(answers) {
        if let Ok(answer) = answer
            && let Some(offset) = answer.offset
            && offset <= sampled
        {
            note(lookup.at, offset);
        }
    }
    found
}

/// Offset and time of every record from `from` to `end`. Blocks.
fn heads(
    bus: &dyn Bus,
    at: &TopicPartition,
    from: Offset,
    end: Offset,
    cancel: &Cancel,
) -> Known<Vec<RecordHead>> {
    let plan = ReadPlan {
        ranges: vec![ReadRange {
            at: at.clone(),
            from,
            to: Some(end),
        }],
        isolation: Isolation::ReadUncommitted,
        appetite: Appetite::Few,
        sieve: None,
    };
    let mut reader = bus.read(&plan)?;
    let mut heads = Vec::new();
    let mut events = Vec::new();
    loop {
        if cancel.reason().is_some() {
            return Err(Problem::new(ProblemKind::Cancelled, "given up"));
        }
        reader.poll(PATIENCE, &mut events)?;
        if events.is_empty() {
            return Err(Problem::new(
                ProblemKind::TimedOut,
                "the records did not come in time",
            ));
        }
        for event in events.drain(..) {
            match event {
                ReadEvent::Record(record) => heads.push(RecordHead {
                    offset: record.offset,
                    timestamp: record.timestamp,
                }),
                ReadEvent::Passed(_) => {}
                ReadEvent::Complete { .. } => return Ok(heads),
                ReadEvent::Failed { problem, .. } => return Err(problem),
            }
        }
    }
}

/// `count` offsets from `from` to `end`, evenly spaced, the first included.
fn spaced(from: Offset, end: Offset, count: u64) -> impl Iterator<Item = Offset> {
    let length = end.since(from).unwrap_or(0);
    (0..count).map(move |index| part_of(from, length, index, count))
}

fn part_of(from: Offset, length: u64, index: u64, count: u64) -> Offset {
    let part = u128::from(length) * u128::from(index) / u128::from(count.max(1));
    from.moved(i64::try_from(part).unwrap_or(i64::MAX))
        .unwrap_or(from)
}

/// The range of time that holds the bulk of the records of `partitions` (log start and end of each); `None`
/// when there are none or no time can be read.
pub(in crate::engine) async fn find_bulk(
    bus: &dyn Bus,
    partitions: &BTreeMap<TopicPartition, (Offset, Offset)>,
    now: TimestampMs,
) -> Option<(TimestampMs, TimestampMs)> {
    let mut fullest: Vec<(u64, &TopicPartition, Offset, Offset)> = partitions
        .iter()
        .filter_map(|(at, (start, end))| Some((end.since(*start)?, at, *start, *end)))
        .filter(|(length, ..)| *length > 0)
        .collect();
    fullest.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    fullest.truncate(BULK_PARTITIONS);
    let (places, weights): (Vec<ReadRange>, Vec<u64>) = fullest
        .iter()
        .flat_map(|(length, at, start, end)| {
            BULK_AT.map(|part| {
                let from = part_of(*start, *length, part, 40);
                let range = ReadRange {
                    at: (*at).clone(),
                    from,
                    to: Some(*end),
                };
                (range, length.div_ceil(BULK_AT.len() as u64))
            })
        })
        .chain(fullest.iter().filter_map(|(_, at, _, end)| {
            let last = end.moved(-1)?;
            Some((
                ReadRange {
                    at: (*at).clone(),
                    from: last,
                    to: Some(*end),
                },
                1,
            ))
        }))
        .unzip();
    let heads = bus.first_records(places).await;
    let samples: Vec<(TimestampMs, u64)> = heads
        .into_iter()
        .zip(weights)
        .filter_map(|(head, weight)| Some((head.ok()??.timestamp?, weight)))
        .collect();
    bulk(&samples, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_evenly_and_begin_at_the_beginning() {
        let offsets: Vec<i64> = spaced(Offset(100), Offset(200), 4)
            .map(|offset| offset.0)
            .collect();
        assert_eq!(offsets, vec![100, 125, 150, 175]);
    }

    #[test]
    fn a_part_of_a_huge_partition_does_not_overflow() {
        assert_eq!(part_of(Offset(0), u64::MAX, 39, 40), Offset(i64::MAX));
        assert_eq!(part_of(Offset(7), 10, 0, 0), Offset(7));
    }
}
