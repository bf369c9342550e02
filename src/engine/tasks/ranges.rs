//! Which offsets a question about records means.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bus::{Bus, Lookup, Seek};
use crate::engine::command::{Edge, RecordScope, RecordsRequest};
use crate::engine::event::PartitionCoverage;
use crate::model::{
    Isolation, Known, Offset, PartitionId, Problem, ProblemKind, Text, TimestampMs, Topic,
    TopicName, TopicPartition,
};

use super::inventory::ends;

/// A time range is read this many offsets past its end, because times need not be in order.
const PAST_THE_END: i64 = 10_000;

/// What is to be read of one partition.
#[derive(Clone, Debug)]
pub(in crate::engine) struct PartitionRange {
    /// The partition.
    pub(in crate::engine) at: TopicPartition,
    /// The first offset.
    pub(in crate::engine) from: Offset,
    /// The offset to stop before.
    pub(in crate::engine) to: Offset,
    /// Where the answer is expected to end; reading goes on to `to` because times need not be in order.
    pub(in crate::engine) meant_to: Offset,
    /// Where the log begins.
    pub(in crate::engine) log_start: Offset,
    /// Where the log ends for this reader.
    pub(in crate::engine) end: Offset,
    /// Where careful readers' part ends.
    pub(in crate::engine) last_stable: Known<Offset>,
    /// What was asked for and cannot be read, though the rest can.
    pub(in crate::engine) lacking: Option<Problem>,
}

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
    let mut wanted: BTreeMap<TopicPartition, Option<Offset>> = BTreeMap::new();
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
        Some(group) => Some(positions(bus, group).await?),
        None => None,
    };
    for (at, offset) in wanted {
        let known = |map: &BTreeMap<TopicPartition, Known<Offset>>| {
            map.get(&at).cloned().unwrap_or_else(|| Err(lost()))
        };
        let range = (|| {
            let (log_start, high, stable) = (known(&starts)?, known(&highs)?, known(&stables));
            let end = match request.isolation {
                Isolation::ReadUncommitted => high,
                Isolation::ReadCommitted => stable.clone()?.min(high),
            };
            let mut range = PartitionRange {
                at: at.clone(),
                from: log_start,
                to: end,
                meant_to: end,
                log_start,
                end,
                last_stable: stable,
                lacking: None,
            };
            lookups.apply(request, &at, &mut range)?;
            if let Some(positions) = &positions {
                range.begin_at(position_in(positions, &at)?);
            }
            if let Some(offset) = offset {
                range.begin_at(offset);
                range.to = range.to.min(range.from.next());
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

impl PartitionRange {
    /// Begins at `offset`, or where the log begins or ends when it does not reach that far, and says so.
    fn begin_at(&mut self, offset: Offset) {
        if offset < self.log_start {
            self.lacking = Some(Problem::new(
                ProblemKind::Invalid,
                format!(
                    "offsets {offset} to {} are deleted: the log starts at {}",
                    self.log_start.0.saturating_sub(1),
                    self.log_start
                ),
            ));
            self.from = self.log_start;
        } else if offset > self.end {
            self.lacking = Some(Problem::new(
                ProblemKind::Invalid,
                format!(
                    "offset {offset} lies beyond the end of the log ({})",
                    self.end
                ),
            ));
            self.from = self.end;
        } else {
            self.from = offset;
        }
        self.to = self.to.max(self.from);
    }
}

/// Adds what `scope` means of `topic`.
fn in_scope(
    topic: &Topic,
    scope: &RecordScope,
    wanted: &mut BTreeMap<TopicPartition, Option<Offset>>,
    rows: &mut Vec<PartitionCoverage>,
) {
    if let Some(problem) = &topic.error {
        rows.push(failed(&topic.name, scope.partition, problem.clone()));
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
            rows.push(failed(&topic.name, Some(partition.id), problem.clone()));
        } else {
            let at = TopicPartition {
                topic: Arc::clone(&topic.name),
                partition: partition.id,
            };
            wanted.insert(at, scope.offset);
        }
    }
    if !any && let Some(partition) = scope.partition {
        let problem = Problem::new(
            ProblemKind::NotFound,
            format!("topic {} has no partition {partition}", topic.name),
        );
        rows.push(failed(&topic.name, Some(partition), problem));
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
        match request.from {
            Some(Edge::Offset(offset)) => range.begin_at(offset),
            Some(Edge::Time(_)) => {
                let first = self.from.get(at).cloned().unwrap_or_else(|| Err(lost()))?;
                range.from = first.unwrap_or(range.end).clamp(range.log_start, range.end);
            }
            None => {}
        }
        match request.to {
            Some(Edge::Offset(offset)) => range.to = offset.clamp(range.from, range.end),
            Some(Edge::Time(_)) => {
                let first = self.to.get(at).cloned().unwrap_or_else(|| Err(lost()))?;
                range.meant_to = first.unwrap_or(range.end).clamp(range.from, range.end);
                range.to = first
                    .and_then(|first| first.moved(PAST_THE_END))
                    .unwrap_or(range.end)
                    .clamp(range.from, range.end);
            }
            None => {}
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

type Positions = BTreeMap<TopicPartition, Known<Option<Offset>>>;

/// Where `group` stands in each partition.
async fn positions(bus: &dyn Bus, group: &Text) -> Known<Positions> {
    let list = bus.groups().await?;
    if !list.groups.iter().any(|listing| listing.name == *group) {
        return Err(Problem::new(
            ProblemKind::NotFound,
            format!("there is no group {group}"),
        ));
    }
    let commits = bus.commits(vec![group.clone()]).await;
    let commits = commits.into_iter().next().unwrap_or_else(|| Err(lost()))?;
    Ok(commits
        .into_iter()
        .map(|commit| (commit.at, commit.offset))
        .collect())
}

fn position_in(positions: &Positions, at: &TopicPartition) -> Known<Offset> {
    positions
        .get(at)
        .cloned()
        .unwrap_or(Ok(None))?
        .ok_or_else(|| {
            Problem::new(
                ProblemKind::NotFound,
                "the group never committed an offset here",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(log_start: i64, end: i64) -> PartitionRange {
        PartitionRange {
            at: TopicPartition::new("t", 0),
            from: Offset(log_start),
            to: Offset(end),
            meant_to: Offset(end),
            log_start: Offset(log_start),
            end: Offset(end),
            last_stable: Ok(Offset(end)),
            lacking: None,
        }
    }

    #[test]
    fn a_beginning_inside_the_log_is_taken_as_it_is() {
        let mut inside = range(10, 100);
        inside.begin_at(Offset(40));
        assert_eq!((inside.from, inside.lacking), (Offset(40), None));
    }

    #[test]
    fn a_beginning_outside_the_log_says_what_is_lacking() {
        let mut before = range(10, 100);
        before.begin_at(Offset(4));
        assert_eq!(before.from, Offset(10));
        assert!(
            before
                .lacking
                .unwrap()
                .message
                .contains("4 to 9 are deleted")
        );
        let mut beyond = range(10, 100);
        beyond.begin_at(Offset(101));
        assert_eq!((beyond.from, beyond.to), (Offset(100), Offset(100)));
        assert!(beyond.lacking.is_some());
        let mut at_end = range(10, 100);
        at_end.begin_at(Offset(100));
        assert_eq!((at_end.from, at_end.lacking), (Offset(100), None));
    }
}
