//! Which offsets a question about records means.

mod position;
mod range;

pub(in crate::engine) use range::PartitionRange;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bus::{Bus, Lookup, Seek};
use crate::engine::command::{Edge, RecordScope, RecordsRequest};
use crate::engine::event::PartitionCoverage;
use crate::model::{
    Isolation, Known, Offset, PartitionId, Problem, ProblemKind, TimestampMs, Topic, TopicName,
    TopicPartition,
};

use super::inventory::ends;
use position::Positions;

/// A time range is read this many offsets past its end, because times need not be in order.
const PAST_THE_END: i64 = 10_000;

/// What a question about records comes to.
#[derive(Debug, Default)]
pub(in crate::engine) struct Resolved {
    /// What can be read, by topic and partition.
    pub(in crate::engine) ranges: Vec<PartitionRange>,
    /// What cannot.
    pub(in crate::engine) failed: Vec<PartitionCoverage>,
    /// Only records with a time from the first, included, to the second, not included, are meant.
    pub(in crate::engine) times: (Option<TimestampMs>, Option<TimestampMs>),
}

/// Finds out which offsets `request` means.
///
/// # Errors
/// The bus cannot be asked at all.
pub(in crate::engine) async fn resolve(bus: &dyn Bus, request: &RecordsRequest) -> Known<Resolved> {
    let names: BTreeSet<TopicName> = request
        .scope
        .iter()
        .map(|scope| Arc::clone(&scope.topic))
        .collect();
    let topics: BTreeMap<TopicName, Topic> = bus
        .topics(names.into_iter().collect())
        .await
        .into_iter()
        .map(|topic| (Arc::clone(&topic.name), topic))
        .collect();
    let mut resolved = Resolved {
        times: (edge_time(request.from), edge_time(request.to)),
        ..Resolved::default()
    };
    let mut wanted: Wanted = BTreeMap::new();
    for scope in &request.scope {
        if let Some(topic) = topics.get(&scope.topic) {
            in_scope(topic, scope, &mut wanted, &mut resolved.failed);
        }
    }
    let partitions: Vec<TopicPartition> = wanted.keys().cloned().collect();
    // The last stable offset last: read before the high watermark, it would make records that came in between
    // look as if a transaction were open.
    let starts = ends(bus, &partitions, Seek::LogStart);
    let highs = ends(bus, &partitions, Seek::HighWatermark);
    let (starts, highs) = tokio::join!(starts, highs);
    let stables = ends(bus, &partitions, Seek::LastStable).await;
    let lookups = Edges::look_up(bus, request, &partitions).await;
    let positions = match &request.group_position {
        Some(group) => Some(Positions::of(bus, group).await?),
        None => None,
    };
    for (at, named) in wanted {
        let known = |map: &BTreeMap<TopicPartition, Known<Offset>>| {
            map.get(&at).cloned().unwrap_or_else(|| Err(lost()))
        };
        let range = (|| {
            let (log_start, high, stable) = (known(&starts)?, known(&highs)?, known(&stables));
            // The ends are asked one after another, and what was deleted meanwhile may have overtaken one.
            let high = high.max(log_start);
            let end = match request.isolation {
                Isolation::ReadUncommitted => high,
                Isolation::ReadCommitted => stable.clone()?.clamp(log_start, high),
            };
            let mut range = PartitionRange {
                at: at.clone(),
                from: log_start,
                to: end,
                meant_to: end,
                log_start,
                end,
                high_watermark: high,
                last_stable: stable,
                named: None,
                lacking: None,
            };
            let position = match &positions {
                Some(positions) => Some(positions.at(&at)?),
                None => None,
            };
            range.cut(
                position.or_else(|| edge_offset(request.from)),
                edge_offset(request.to),
            );
            lookups.apply(request, &at, &mut range)?;
            if let Some(named) = &named {
                range.only(named);
            }
            Ok(range)
        })();
        match range {
            Ok(range) => resolved.ranges.push(range),
            Err(problem) => resolved
                .failed
                .push(failed(&at.topic, Some(at.partition), problem)),
        }
    }
    Ok(resolved)
}

/// The offsets named of each partition; `None` stands for the whole partition.
type Wanted = BTreeMap<TopicPartition, Option<BTreeSet<Offset>>>;

/// Adds what `scope` means of `topic`.
fn in_scope(
    topic: &Topic,
    scope: &RecordScope,
    wanted: &mut Wanted,
    rows: &mut Vec<PartitionCoverage>,
) {
    let mut fails = |partition, problem| {
        // What was named twice is told once.
        let told = |row: &PartitionCoverage| row.topic == topic.name && row.partition == partition;
        if !rows.iter().any(told) {
            rows.push(failed(&topic.name, partition, problem));
        }
    };
    if let Some(problem) = &topic.error {
        fails(scope.partition, problem.clone());
        return;
    }
    let chosen = topic
        .partitions
        .iter()
        .filter(|partition| scope.partition.is_none_or(|only| only == partition.id));
    let mut any = false;
    for partition in chosen {
        any = true;
        if let Some(problem) = &partition.error {
            fails(Some(partition.id), problem.clone());
        } else {
            let at = topic.at(partition.id);
            match scope.offset {
                // The whole partition holds whatever is named of it besides.
                None => {
                    wanted.insert(at, None);
                }
                Some(offset) => {
                    let named = wanted.entry(at).or_insert_with(|| Some(BTreeSet::new()));
                    if let Some(named) = named {
                        named.insert(offset);
                    }
                }
            }
        }
    }
    if !any && let Some(partition) = scope.partition {
        let problem = Problem::new(
            ProblemKind::NotFound,
            format!("topic {} has no partition {partition}", topic.name),
        );
        fails(Some(partition), problem);
    }
}

fn failed(
    topic: &TopicName,
    partition: Option<PartitionId>,
    problem: Problem,
) -> PartitionCoverage {
    PartitionCoverage {
        topic: Arc::clone(topic),
        partition,
        from: None,
        to: None,
        next: None,
        complete: false,
        error: Some(problem),
    }
}

fn lost() -> Problem {
    Problem::new(ProblemKind::Other, "the partition's ends were not answered")
}

fn edge_time(edge: Option<Edge>) -> Option<TimestampMs> {
    match edge {
        Some(Edge::Time(time)) => Some(time),
        _ => None,
    }
}

fn edge_offset(edge: Option<Edge>) -> Option<Offset> {
    match edge {
        Some(Edge::Offset(offset)) => Some(offset),
        _ => None,
    }
}

/// The first offsets at or after the times a question names.
#[derive(Default)]
struct Edges {
    from: BTreeMap<TopicPartition, Known<Option<Offset>>>,
    to: BTreeMap<TopicPartition, Known<Option<Offset>>>,
}

impl Edges {
    async fn look_up(
        bus: &dyn Bus,
        request: &RecordsRequest,
        partitions: &[TopicPartition],
    ) -> Self {
        Self {
            from: first_at(bus, partitions, edge_time(request.from)).await,
            to: first_at(bus, partitions, edge_time(request.to)).await,
        }
    }

    fn apply(
        &self,
        request: &RecordsRequest,
        at: &TopicPartition,
        range: &mut PartitionRange,
    ) -> Known<()> {
        if let Some(Edge::Time(_)) = request.from {
            let first = self.from.get(at).cloned().unwrap_or_else(|| Err(lost()))?;
            range.from = first.unwrap_or(range.end).clamp(range.log_start, range.to);
        }
        if let Some(Edge::Time(_)) = request.to {
            let first = self.to.get(at).cloned().unwrap_or_else(|| Err(lost()))?;
            range.meant_to = first.unwrap_or(range.end).clamp(range.from, range.end);
            range.to = first
                .and_then(|first| first.moved(PAST_THE_END))
                .unwrap_or(range.end)
                .clamp(range.from, range.end);
        }
        Ok(())
    }
}

async fn first_at(
    bus: &dyn Bus,
    partitions: &[TopicPartition],
    time: Option<TimestampMs>,
) -> BTreeMap<TopicPartition, Known<Option<Offset>>> {
    let Some(time) = time else {
        return BTreeMap::new();
    };
    let lookups = partitions
        .iter()
        .map(|at| Lookup {
            at: at.clone(),
            seek: Seek::AtOrAfter(time),
        })
        .collect();
    let found = bus.look_up(lookups).await;
    partitions
        .iter()
        .cloned()
        .zip(
            found
                .into_iter()
                .map(|found| found.map(|found| found.offset)),
        )
        .collect()
}

#[cfg(test)]
mod tests;
