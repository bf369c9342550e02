//! Putting events into logs, many records to a batch.

use super::super::batch::Builder;
use super::super::broker::State;
use super::super::log::PartitionLog;
use super::partitioner::partition;
use super::story::{Event, Headers, Topic};

/// Bytes in one batch of history, from which on it is closed.
const BATCH_BYTES: usize = 60 * 1024;

/// An event with the place that it got.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) event: Event,
    pub(super) partition: i32,
    pub(super) offset: i64,
}

/// Where an event belongs.
pub(super) fn place(event: &Event) -> (Topic, i32) {
    let count = event.topic.partitions();
    (event.topic, partition(event.key.as_bytes(), count))
}

/// Adds a record to a batch.
pub(super) fn push(
    batch: &mut Builder,
    at: i64,
    key: &[u8],
    value: Option<&[u8]>,
    headers: &Headers,
) {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, Some(value.as_slice())))
        .collect();
    batch.push(at, Some(key), value, &headers);
}

/// Writes one partition's events, which come in the order of their times, and answers with those that fail.
pub(super) fn write(
    log: &mut PartitionLog,
    partition: i32,
    events: Vec<Event>,
    topic: Topic,
) -> Vec<Placed> {
    let most = topic.batch_records();
    let append_time = topic.has_append_time();
    let mut failed = Vec::new();
    let mut batch: Option<Builder> = None;
    for event in events {
        let builder = batch.get_or_insert_with(|| Builder::new(event.at));
        let offset = log.end().saturating_add(i64::from(builder.len()));
        push(
            builder,
            event.at,
            event.key.as_bytes(),
            event.value.as_deref(),
            &event.headers,
        );
        let full = builder.len() >= most || builder.bytes() >= BATCH_BYTES;
        if full && let Some(full) = batch.take() {
            log.append(&full.finish(0), append_time.then_some(event.at));
        }
        if event.fails.is_some() {
            failed.push(Placed {
                event,
                partition,
                offset,
            });
        }
    }
    if let Some(rest) = batch {
        log.append(&rest.finish(0), None);
    }
    failed
}

/// Writes one event as it happens and answers with its place.
pub(super) fn write_now(state: &mut State, event: Event) -> Option<Placed> {
    let (topic, partition) = place(&event);
    let log = state.partition_mut(topic.name(), partition)?;
    let mut batch = Builder::new(event.at);
    push(
        &mut batch,
        event.at,
        event.key.as_bytes(),
        event.value.as_deref(),
        &event.headers,
    );
    let offset = log.append(
        &batch.finish(0),
        topic.has_append_time().then_some(event.at),
    )?;
    Some(Placed {
        event,
        partition,
        offset,
    })
}
