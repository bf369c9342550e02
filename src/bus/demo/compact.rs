//! Compaction: of every key only the newest record stays, and offsets keep their places.

use std::collections::HashMap;

use bytes::Bytes;

use super::batch::{self, Batch, Header};
use super::log::PartitionLog;

/// Compacts the batches that end before `before`. Transactional batches stay as they are.
///
/// The last batch stays as well, as Kafka never compacts the segment that it writes to. What stays does not
/// count as newer either: a record is compacted away only for one that was compacted with it.
pub(super) fn compact(log: &mut PartitionLog, before: i64) {
    let settled = log.batches().partition_point(|batch| batch.last < before);
    let settled = settled.min(log.batches().len().saturating_sub(1));
    let mut newest: HashMap<Vec<u8>, i64> = HashMap::new();
    for stored in log.batches().range(..settled) {
        let Some(batch) = Batch::open(&stored.bytes) else {
            continue;
        };
        for record in batch.records() {
            if let Some(key) = record.key {
                newest.insert(key.to_vec(), record.offset);
            }
        }
    }
    let old = log.batches().range(..settled);
    let old = old.filter_map(|stored| compacted(&stored.bytes, &newest));
    let rest = log.batches().range(settled..);
    let kept: Vec<Bytes> = old.chain(rest.map(|stored| stored.bytes.clone())).collect();
    log.replace_batches(kept);
}

/// What stays of a batch, if anything does.
fn compacted(bytes: &Bytes, newest: &HashMap<Vec<u8>, i64>) -> Option<Bytes> {
    let whole = || Some(bytes.clone());
    let Some(batch) = Batch::open(bytes) else {
        return whole();
    };
    let header = batch.header.uncompressed();
    if header.is_control() || header.is_transactional() {
        return whole();
    }
    let mut records = Vec::new();
    let mut count = 0_i32;
    for record in batch.records() {
        let key = record.key;
        if key.is_none_or(|key| newest.get(key) == Some(&record.offset)) {
            records.extend_from_slice(record.raw);
            count = count.saturating_add(1);
        }
    }
    (count > 0).then(|| batch::assemble(&Header { count, ..header }, &records))
}
