//! The whole timeline as one answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bus::Bus;
use crate::engine::cancel::Cancel;
use crate::engine::command::{GroupsRequest, TimelineRequest, TopicsRequest};
use crate::engine::event::{Cursor, GroupsReply, TimelineReply, TopicTimeline};
use crate::inspect::density::TimeIndex;
use crate::inspect::timeline::PartitionTimeline;
use crate::model::{Known, Offset, Problem, ProblemKind, TimestampMs, Topic, TopicPartition};

use super::lookups::{Rate, Window, blind_from, sharpen};
use super::{inventory, tails};

/// How many look-ups one round sends at most.
const ROUND: usize = 4_000;
/// How many buckets may be asked for.
const MAX_BUCKETS: usize = 100_000;

/// Answers a question about the timeline. `told` hears how many look-ups were made so far.
///
/// # Errors
/// Topics or groups cannot be read at all, or the range makes no sense.
pub(in crate::engine) async fn timeline(
    bus: &Arc<dyn Bus>,
    request: &TimelineRequest,
    now: TimestampMs,
    rate: Rate,
    cancel: &Cancel,
    told: impl Fn(u64) + Send,
) -> Known<TimelineReply> {
    let topics_request = TopicsRequest {
        topics: request.topics.clone(),
        internal: false,
    };
    let groups_request = GroupsRequest {
        groups: request.groups.clone(),
        times: true,
    };
    let (topics, groups) = tokio::join!(
        inventory::topics(&**bus, &topics_request),
        inventory::groups(&**bus, &groups_request)
    );
    let (topics, groups) = (topics?, groups?);
    let ends: BTreeMap<_, _> = topics
        .topics
        .iter()
        .flat_map(|topic| topic.known_ends())
        .collect();
    let (from, to, buckets) = range(&**bus, request, &ends, now).await?;
    let bucket_ms = from.zip(to).map_or(0, |(from, to)| {
        to.since_ms(from) / i64::try_from(buckets.max(1)).unwrap_or(i64::MAX)
    });
    let mut density = Density {
        indices: ends
            .iter()
            .map(|(at, (start, end))| (at.clone(), TimeIndex::new(*start, *end)))
            .collect(),
        problems: BTreeMap::new(),
    };
    if let Some((from, to)) = from.zip(to) {
        density.find_tails(bus, &ends, bucket_ms, now, cancel).await;
        let window = Window {
            from,
            to,
            columns: buckets,
            close: 0,
        };
        let mut made: u64 = 0;
        while cancel.reason().is_none() {
            let Density { indices, problems } = &mut density;
            let sent = sharpen(&**bus, indices, problems, &[window], rate, ROUND).await;
            if sent == 0 {
                break;
            }
            made = made.saturating_add(u64::try_from(sent).unwrap_or(0));
            told(made);
        }
    }
    let buckets = if from.is_some() { buckets } else { 0 };
    Ok(TimelineReply {
        from,
        to,
        bucket_ms,
        groups: groups
            .groups
            .iter()
            .map(|group| (group.group.listing.name.clone(), group_error(group)))
            .collect(),
        missing: groups.missing.clone(),
        topics: topics
            .topics
            .iter()
            .map(|topic| on_timeline(topic, &density, &groups, from.zip(to), buckets))
            .collect(),
    })
}

/// Why a group's places are not known; a group that keeps none has no error.
fn group_error(group: &crate::engine::event::GroupPlaces) -> Option<Problem> {
    group
        .group
        .error()
        .filter(|problem| problem.kind != ProblemKind::Unsupported)
        .cloned()
}

/// The edges and the number of buckets; no edges when there is no data to take them from.
async fn range(
    bus: &dyn Bus,
    request: &TimelineRequest,
    ends: &BTreeMap<TopicPartition, (Offset, Offset)>,
    now: TimestampMs,
) -> Known<(Option<TimestampMs>, Option<TimestampMs>, usize)> {
    let buckets = request.buckets.clamp(1, MAX_BUCKETS);
    if request.buckets > MAX_BUCKETS {
        return Err(Problem::new(
            ProblemKind::Invalid,
            format!(
                "{} buckets are more than the {MAX_BUCKETS} allowed",
                request.buckets
            ),
        ));
    }
    let (from, to) = match (request.from, request.to) {
        (Some(from), Some(to)) => (from, to),
        (from, to) => {
            let Some(bulk) = tails::find_bulk(bus, ends, now).await else {
                return Ok((None, None, buckets));
            };
            (from.unwrap_or(bulk.0), to.unwrap_or(bulk.1))
        }
    };
    if to <= from {
        if request.from.is_some() && request.to.is_some() {
            return Err(Problem::new(
                ProblemKind::Invalid,
                "the range ends before it begins",
            ));
        }
        // Only one edge was given, and the bulk lies on its other side: a bucket is a millisecond wide.
        let width = i64::try_from(buckets).unwrap_or(i64::MAX);
        let to = request.to.unwrap_or_else(|| from.moved_ms(width));
        let from = request
            .from
            .unwrap_or_else(|| to.moved_ms(width.saturating_neg()));
        return Ok((Some(from), Some(to), buckets));
    }
    if to.0.checked_sub(from.0).is_none() {
        return Err(Problem::new(
            ProblemKind::Invalid,
            "the range is wider than times can be told apart",
        ));
    }
    // Every bucket is the same whole number of milliseconds wide, so the right edge may move a little.
    let count = i64::try_from(buckets).unwrap_or(i64::MAX);
    let span = to.since_ms(from);
    let width = span
        .checked_add(count.saturating_sub(1))
        .map_or(span / count, |sum| sum / count)
        .max(1);
    let to = from.moved_ms(width.saturating_mul(count));
    Ok((Some(from), Some(to), buckets))
}

struct Density {
    indices: BTreeMap<TopicPartition, TimeIndex>,
    problems: BTreeMap<TopicPartition, Problem>,
}

impl Density {
    /// Reads the times where look-ups are blind.
    async fn find_tails(
        &mut self,
        bus: &Arc<dyn Bus>,
        ends: &BTreeMap<TopicPartition, (Offset, Offset)>,
        bucket_ms: i64,
        now: TimestampMs,
        cancel: &Cancel,
    ) {
        let partitions: Vec<TopicPartition> = self.indices.keys().cloned().collect();
        let (mut blind, misleading) = tokio::join!(
            blind_from(&**bus, &partitions, now),
            tails::misleading_from(&**bus, ends, bucket_ms, u64::MAX)
        );
        for (at, offset) in misleading {
            let from = blind.entry(at).or_insert(Ok(offset));
            if let Ok(known) = from {
                *known = offset.min(*known);
            }
        }
        for (at, from) in blind {
            let Some(index) = self.indices.get_mut(&at) else {
                continue;
            };
            let tail = match from {
                Ok(from) if from < index.end() => {
                    tails::read_tail(bus, &at, from, index.end(), cancel).await
                }
                Ok(_) => continue,
                Err(problem) => Err(problem),
            };
            match tail {
                Ok(tail) => index.set_tail(tail),
                Err(problem) => {
                    self.problems.insert(at, problem);
                }
            }
        }
    }
}

fn on_timeline(
    topic: &Topic,
    density: &Density,
    groups: &GroupsReply,
    range: Option<(TimestampMs, TimestampMs)>,
    buckets: usize,
) -> TopicTimeline {
    let partitions = topic
        .partitions
        .iter()
        .map(|partition| {
            let at = topic.at(partition.id);
            let mut lane = PartitionTimeline::unknown(
                partition.id,
                partition.log_start.clone(),
                partition.last_stable.clone(),
                partition.high_watermark.clone(),
                buckets,
            );
            lane.error = partition.first_problem().cloned();
            match (density.indices.get(&at), range) {
                (Some(index), Some((from, to))) => lane.fill(index, from, to),
                // Nothing lies anywhere, with or without a range.
                (Some(index), None) if index.start() == index.end() => {
                    lane.before = Some(0);
                    lane.after = Some(0);
                    lane.resolution_ms = Some(0);
                }
                _ => {}
            }
            if let Some(problem) = density.problems.get(&at) {
                lane.error.get_or_insert_with(|| problem.clone());
            }
            lane
        })
        .collect();
    TopicTimeline {
        topic: Arc::clone(&topic.name),
        error: topic.error.clone(),
        partitions,
        cursors: cursors(topic, groups),
    }
}

fn cursors(topic: &Topic, groups: &GroupsReply) -> Vec<Cursor> {
    let mut cursors: Vec<Cursor> = groups
        .groups
        .iter()
        .flat_map(|group| {
            let name = &group.group.listing.name;
            let here = group
                .places
                .iter()
                .filter(|place| place.at.topic == topic.name);
            here.filter_map(move |place| {
                let committed = place.committed.as_ref().ok().copied().flatten()?;
                Some(Cursor {
                    partition: place.at.partition,
                    group: name.clone(),
                    committed,
                    at: place
                        .next
                        .clone()
                        .unwrap_or_else(|| place.error().map_or(Ok(None), Err)),
                })
            })
        })
        .collect();
    cursors.sort_by(|a, b| (a.partition, &a.group).cmp(&(b.partition, &b.group)));
    cursors
}
