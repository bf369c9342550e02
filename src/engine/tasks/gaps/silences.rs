//! Topics in which nothing comes any more though it usually does: counts by the hour, from look-ups.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use crate::bus::{Bus, Lookup, Seek};
use crate::engine::cancel::Cancel;
use crate::engine::tasks::lookups::Rate;
use crate::inspect::gaps::{silence, silence_times};
use crate::model::{Finding, Offset, Problem, ProblemKind, TimestampMs, Topic, TopicPartition};

/// Look-ups for all topics together.
const MOST: usize = 40_000;

/// What was found, and which topics were not looked at.
pub(super) struct Silences {
    pub(super) findings: Vec<Finding>,
    pub(super) missing: Vec<Problem>,
}

/// Looks at each of `topics`, the smaller ones first, as far as the budget goes.
pub(super) async fn look(
    bus: &dyn Bus,
    rate: Rate,
    topics: &[Arc<Topic>],
    now: TimestampMs,
    cancel: &Cancel,
) -> Silences {
    let times = silence_times(now);
    let mut topics: Vec<&Arc<Topic>> = topics
        .iter()
        .filter(|topic| !topic.internal && topic.error.is_none() && !topic.partitions.is_empty())
        .collect();
    topics.sort_by_key(|topic| topic.partitions.len());
    let mut silences = Silences {
        findings: Vec::new(),
        missing: Vec::new(),
    };
    let (mut spent, mut left_out) = (0_usize, 0_usize);
    for topic in topics {
        let cost = topic
            .partitions
            .len()
            .saturating_mul(times.len().saturating_add(1));
        spent = spent.saturating_add(cost);
        if spent > MOST || cancel.reason().is_some() {
            left_out = left_out.saturating_add(1);
            continue;
        }
        let started = Instant::now();
        silences.findings.extend(one(bus, topic, &times, now).await);
        tokio::time::sleep_until(started + rate.time_for(cost)).await;
    }
    if left_out > 0 {
        silences.missing.push(Problem::new(
            ProblemKind::Unsupported,
            format!(
                "whether {left_out} topics are unusually silent was not looked at: that would take more than {MOST} look-ups"
            ),
        ));
    }
    silences
}

async fn one(
    bus: &dyn Bus,
    topic: &Topic,
    times: &[TimestampMs],
    now: TimestampMs,
) -> Option<Finding> {
    let partitions: Vec<(TopicPartition, Offset, Offset)> = topic
        .known_ends()
        .map(|(at, (start, end))| (at, start, end))
        .collect();
    // A sum without one of them would be too small.
    if partitions.len() < topic.partitions.len() {
        return None;
    }
    let mut lookups: Vec<Lookup> = Vec::new();
    for (at, ..) in &partitions {
        let seek = |seek| Lookup {
            at: at.clone(),
            seek,
        };
        lookups.extend(times.iter().map(|time| seek(Seek::AtOrAfter(*time))));
        lookups.push(seek(Seek::MaxTimestamp));
    }
    let found = bus.look_up(lookups).await;
    let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
    let mut last: Option<TimestampMs> = None;
    let each = times.len().saturating_add(1);
    for ((_, start, end), found) in partitions.iter().zip(found.chunks(each)) {
        for (index, found) in found.iter().enumerate() {
            let found = found.as_ref().ok()?;
            if index == times.len() {
                last = last.max(found.timestamp);
                continue;
            }
            let before = found.offset.unwrap_or(*end).max(*start);
            let sum = sums.entry(index).or_default();
            *sum = sum.checked_add(before.since(*start)?.try_into().ok()?)?;
        }
    }
    let counts: Vec<(TimestampMs, TimestampMs, u64)> = times
        .windows(2)
        .enumerate()
        .filter_map(|(index, edges)| {
            let [from, to] = edges else { return None };
            let before = sums.get(&index)?;
            let after = sums.get(&index.checked_add(1)?)?;
            let count = u64::try_from(after.checked_sub(*before)?).ok()?;
            Some((*from, *to, count))
        })
        .collect();
    silence(&topic.name, now, &counts, last)
}
