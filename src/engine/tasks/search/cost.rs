//! What a search may read, before it does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bus::{Appetite, Bus, ReadEvent, ReadPlan, ReadRange};
use crate::engine::searching::SearchCost;
use crate::engine::tasks::ranges::PartitionRange;
use crate::model::{Isolation, Known, TopicName};

use super::offsets_in;

/// Of each topic so many partitions are looked into.
const PARTITIONS: usize = 2;
/// In each of them so many offsets at the end of the range.
const SAMPLE: i64 = 50;
/// With more topics than this, sizes are not looked at.
const MOST_TOPICS: usize = 50;
/// How long finding sizes may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Above this many bytes a person is asked first.
const ASK_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Above this many offsets, where their size is not known.
const ASK_OFFSETS: u64 = 10_000_000;
/// Where reading is held to a rate, above so many seconds of it.
const ASK_SECONDS: u64 = 10;

/// What reading `ranges` may cost.
pub(super) async fn of(bus: &Arc<dyn Bus>, ranges: &[PartitionRange]) -> SearchCost {
    let topics: BTreeSet<&TopicName> = ranges.iter().map(|range| &range.at.topic).collect();
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let cost = SearchCost {
        topics: count(topics.len()),
        partitions: count(ranges.len()),
        offsets: offsets_in(ranges),
        bytes: None,
    };
    if topics.len() > MOST_TOPICS {
        return cost;
    }
    let (bus, ranges) = (Arc::clone(bus), ranges.to_vec());
    let sizes = tokio::task::spawn_blocking(move || bytes_in(&*bus, &ranges));
    SearchCost {
        bytes: sizes.await.ok().and_then(Known::ok).flatten(),
        ..cost
    }
}

/// Whether `cost` is such that a person is asked first.
pub(super) fn asks_first(cost: &SearchCost, bytes_per_second: Option<u64>) -> bool {
    match (cost.bytes, bytes_per_second) {
        (Some(bytes), Some(rate)) => bytes / rate.max(1) > ASK_SECONDS,
        (Some(bytes), None) => bytes > ASK_BYTES,
        (None, _) => cost.offsets > ASK_OFFSETS,
    }
}

/// The bytes in `ranges`, from the mean size of a few records of each topic; `None` when some topic's are not known.
fn bytes_in(bus: &dyn Bus, ranges: &[PartitionRange]) -> Known<Option<u64>> {
    let mut chosen: BTreeMap<&TopicName, Vec<&PartitionRange>> = BTreeMap::new();
    for range in ranges.iter().filter(|range| range.from < range.to) {
        let of_topic = chosen.entry(&range.at.topic).or_default();
        of_topic.push(range);
        of_topic.sort_by_key(|range| std::cmp::Reverse(range.to.since(range.from)));
        of_topic.truncate(PARTITIONS);
    }
    let sample = |range: &PartitionRange| ReadRange {
        at: range.at.clone(),
        from: range
            .to
            .moved(-SAMPLE)
            .unwrap_or(range.from)
            .max(range.from),
        to: Some(range.to),
    };
    let plan = ReadPlan {
        ranges: chosen
            .values()
            .flatten()
            .map(|range| sample(range))
            .collect(),
        isolation: Isolation::ReadUncommitted,
        appetite: Appetite::Few,
        sieve: None,
    };
    let mut seen: BTreeMap<TopicName, (u64, u64)> = BTreeMap::new();
    if !plan.ranges.is_empty() {
        let mut open = plan.ranges.len();
        let mut reader = bus.read(&plan)?;
        let mut events = Vec::new();
        let began = Instant::now();
        while open > 0 && began.elapsed() < PATIENCE {
            reader.poll(Duration::from_millis(50), &mut events)?;
            for event in events.drain(..) {
                match event {
                    ReadEvent::Record(record) => {
                        let (count, bytes) = seen.entry(Arc::clone(&record.topic)).or_default();
                        *count = count.saturating_add(1);
                        *bytes = bytes.saturating_add(record.size());
                    }
                    ReadEvent::Passed(_) => {}
                    ReadEvent::Complete { .. } | ReadEvent::Failed { .. } => {
                        open = open.saturating_sub(1);
                    }
                }
            }
        }
    }
    let mut all: u64 = 0;
    for topic in chosen.keys() {
        let of_topic: Vec<PartitionRange> = ranges
            .iter()
            .filter(|range| range.at.topic == **topic)
            .cloned()
            .collect();
        let Some((count, bytes)) = seen.get(*topic).filter(|(count, _)| *count > 0) else {
            return Ok(None);
        };
        let mean = bytes.div_ceil(*count);
        all = all.saturating_add(offsets_in(&of_topic).saturating_mul(mean));
    }
    Ok(Some(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_by_what_is_known() {
        let cost = |offsets, bytes| SearchCost {
            topics: 1,
            partitions: 1,
            offsets,
            bytes,
        };
        assert!(!asks_first(&cost(u64::MAX, Some(ASK_BYTES)), None));
        assert!(asks_first(&cost(1, Some(ASK_BYTES + 1)), None));
        assert!(!asks_first(&cost(10_000_000, None), None));
        assert!(asks_first(&cost(10_000_001, None), None));
        // At 20 MB/s, 200 MB take 10 s.
        assert!(!asks_first(&cost(1, Some(200_000_000)), Some(20_000_000)));
        assert!(asks_first(&cost(1, Some(220_000_000)), Some(20_000_000)));
    }
}
