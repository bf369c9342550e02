//! The first record at a place: what tells the time of a group's next record.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bus::{Appetite, ReadEvent, ReadPlan, ReadRange, Reader as _};
use crate::model::{Isolation, Known, Offset, Problem, ProblemKind, RecordHead, TopicPartition};

use super::reader::{KafkaReader, Pool};

/// How many partitions are read at once.
const AT_ONCE: usize = 256;
/// How long nothing may come before what is left counts as not answered.
const PATIENCE: Duration = Duration::from_secs(5);

type Place = (TopicPartition, Offset);

/// The first record at or after each place and before its end, in the order given. Each distinct place is read
/// once. Blocks.
pub(super) fn first_records(
    pool: &Arc<Pool>,
    places: &[ReadRange],
) -> Vec<Known<Option<RecordHead>>> {
    let mut found: BTreeMap<Place, Known<Option<RecordHead>>> = BTreeMap::new();
    // One client reads a partition from one place at a time, so several places of a partition take turns.
    let mut turns: BTreeMap<TopicPartition, VecDeque<ReadRange>> = BTreeMap::new();
    let mut distinct = BTreeMap::new();
    for place in places {
        distinct
            .entry((place.at.clone(), place.from))
            .or_insert(place);
    }
    for ((at, _), place) in distinct {
        turns.entry(at).or_default().push_back(place.clone());
    }
    while !turns.is_empty() {
        let round: Vec<ReadRange> = turns
            .values_mut()
            .filter_map(VecDeque::pop_front)
            .take(AT_ONCE)
            .collect();
        turns.retain(|_, waiting| !waiting.is_empty());
        if round.is_empty() {
            break;
        }
        read_round(pool, &round, &mut found);
    }
    let missing = || Problem::new(ProblemKind::TimedOut, "the record did not come in time");
    places
        .iter()
        .map(|place| {
            found
                .get(&(place.at.clone(), place.from))
                .cloned()
                .unwrap_or_else(|| Err(missing()))
        })
        .collect()
}

/// Reads one record of each range; each partition is in at most one.
fn read_round(
    pool: &Arc<Pool>,
    round: &[ReadRange],
    found: &mut BTreeMap<Place, Known<Option<RecordHead>>>,
) {
    let plan = ReadPlan {
        ranges: round.to_vec(),
        isolation: Isolation::ReadUncommitted,
        appetite: Appetite::Few,
        sieve: None,
    };
    let mut reader = match KafkaReader::start(pool, &plan) {
        Ok(reader) => reader,
        Err(problem) => {
            for range in round {
                found.insert((range.at.clone(), range.from), Err(problem.clone()));
            }
            return;
        }
    };
    let mut open: HashMap<TopicPartition, Offset> = round
        .iter()
        .map(|range| (range.at.clone(), range.from))
        .collect();
    let mut events = Vec::new();
    let mut last = Instant::now();
    while !open.is_empty() && last.elapsed() < PATIENCE {
        if let Err(problem) = reader.poll(Duration::from_millis(100), &mut events) {
            for range in round.iter().filter(|range| open.contains_key(&range.at)) {
                found.insert((range.at.clone(), range.from), Err(problem.clone()));
            }
            return;
        }
        for event in events.drain(..) {
            let (at, head) = match event {
                ReadEvent::Record(record) => (
                    record.at(),
                    Ok(Some(RecordHead {
                        offset: record.offset,
                        timestamp: record.timestamp,
                    })),
                ),
                ReadEvent::Passed(_) => continue,
                ReadEvent::Complete { at, .. } => (at, Ok(None)),
                ReadEvent::Failed { at, problem } => (at, Err(problem)),
            };
            if let Some(from) = open.remove(&at) {
                reader.finish(&at);
                found.insert((at, from), head);
                last = Instant::now();
            }
        }
    }
}
