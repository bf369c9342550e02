//! One partition's log: batches kept as bytes, in memory, oldest first.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;

use super::batch::{self, Batch, Header};
use super::codes;
use super::generated::{BATCH_BYTES, Generated};
use super::limits;

/// The leader epoch of every partition: the demo bus has one broker that never yields.
pub(super) const LEADER_EPOCH: i32 = 0;

/// A batch in the log.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) base: i64,
    pub(super) last: i64,
    pub(super) max_timestamp: i64,
    /// The largest timestamp of this batch and all before it, so that a time can be searched by halving.
    highest_so_far: i64,
    pub(super) bytes: Bytes,
}

/// A part of a fetch's answer.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// A batch as it is stored.
    Stored(Bytes),
    /// A batch that is still to be made, which happens outside the broker's lock.
    Generated(Generated, i64),
}

impl Piece {
    /// The batch's bytes.
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Stored(bytes) => bytes,
            Self::Generated(generated, base) => generated.batch(base),
        }
    }

    /// Its size, or the most that it may take.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Stored(bytes) => bytes.len(),
            Self::Generated(..) => BATCH_BYTES,
        }
    }
}

/// A transaction that was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aborted {
    pub(super) producer_id: i64,
    pub(super) first: i64,
    /// The offset of its marker.
    pub(super) last: i64,
}

/// What the log remembers of a producer.
#[derive(Clone, Debug)]
pub(super) struct ProducerState {
    pub(super) epoch: i16,
    pub(super) last_sequence: i32,
    pub(super) last_timestamp: i64,
    /// (first sequence, last sequence, base offset) of its latest batches, oldest first.
    recent: VecDeque<(i32, i32, i64)>,
}

/// How an idempotent producer's batch continues what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// It follows.
    Next,
    /// It is here already, at this offset.
    Duplicate(i64),
    /// It must be refused with this error code.
    Refused(i16),
}

/// One partition's log.
#[derive(Debug, Default)]
pub(super) struct PartitionLog {
    generated: Option<Generated>,
    batches: VecDeque<Stored>,
    start: i64,
    end: i64,
    bytes: u64,
    open: BTreeMap<i64, i64>,
    aborted: Vec<Aborted>,
    producers: BTreeMap<i64, ProducerState>,
}

impl PartitionLog {
    /// A log that begins with made history.
    pub(super) fn with_history(generated: Generated) -> Self {
        Self {
            end: generated.count,
            generated: Some(generated),
            ..Self::default()
        }
    }

    /// The first offset that can be read.
    pub(super) fn start(&self) -> i64 {
        self.start
    }

    /// The offset that the next record gets: log end and high watermark at once, as there are no replicas.
    pub(super) fn end(&self) -> i64 {
        self.end
    }

    /// The first offset of the oldest open transaction, or the end.
    pub(super) fn last_stable(&self) -> i64 {
        self.open.values().copied().min().unwrap_or(self.end)
    }

    /// The bytes of its stored batches.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The stored batches, oldest first.
    pub(super) fn batches(&self) -> &VecDeque<Stored> {
        &self.batches
    }

    /// The open transactions: producer id and first offset.
    pub(super) fn open(&self) -> &BTreeMap<i64, i64> {
        &self.open
    }

    /// The producers that it remembers.
    pub(super) fn producers(&self) -> &BTreeMap<i64, ProducerState> {
        &self.producers
    }

    /// The end up to which a reader of this isolation level may read.
    pub(super) fn bound(&self, read_committed: bool) -> i64 {
        if read_committed {
            self.last_stable()
        } else {
            self.end
        }
    }

    /// Whether a producer's batch follows its last one.
    pub(super) fn sequence(&self, header: &Header) -> Sequence {
        if header.producer_id < 0 {
            return Sequence::Next;
        }
        let Some(known) = self.producers.get(&header.producer_id) else {
            return Sequence::Next;
        };
        if header.producer_epoch < known.epoch {
            return Sequence::Refused(codes::INVALID_PRODUCER_EPOCH);
        }
        if header.base_sequence < 0 {
            return Sequence::Next;
        }
        let last = last_sequence(header);
        let same =
            |(first, end, _): &&(i32, i32, i64)| *first == header.base_sequence && *end == last;
        let expected = known.last_sequence.checked_add(1).unwrap_or(0);
        if header.producer_epoch > known.epoch {
            if header.base_sequence == 0 {
                Sequence::Next
            } else {
                Sequence::Refused(codes::OUT_OF_ORDER_SEQUENCE_NUMBER)
            }
        } else if let Some((_, _, offset)) = known.recent.iter().find(same) {
            Sequence::Duplicate(*offset)
        } else if header.base_sequence == expected || known.last_sequence < 0 {
            Sequence::Next
        } else {
            Sequence::Refused(codes::OUT_OF_ORDER_SEQUENCE_NUMBER)
        }
    }

    /// Appends a batch and answers with its first offset; `None` when offsets run out or it is no batch.
    pub(super) fn append(&mut self, batch: &[u8], append_time: Option<i64>) -> Option<i64> {
        let base = self.end;
        let bytes = batch::placed(batch, base, LEADER_EPOCH, append_time)?;
        let header = Header::read(&bytes)?;
        let last = base.checked_add(i64::from(header.last_offset_delta))?;
        self.end = last.checked_add(1)?;
        if header.producer_id >= 0 && !header.is_control() {
            self.remember(&header, base);
            if header.is_transactional() {
                self.open.entry(header.producer_id).or_insert(base);
            }
        }
        self.keep(base, last, header.max_timestamp, bytes);
        Some(base)
    }

    /// Ends a producer's transaction here: writes the marker, and remembers an abort.
    pub(super) fn end_transaction(
        &mut self,
        producer_id: i64,
        epoch: i16,
        committed: bool,
        now: i64,
    ) {
        let marker = batch::marker(producer_id, epoch, committed, now);
        let first = self.open.get(&producer_id).copied();
        let Some(last) = self.append(&marker, None) else {
            return;
        };
        self.open.remove(&producer_id);
        if let (Some(first), false) = (first, committed) {
            self.aborted.push(Aborted {
                producer_id,
                first,
                last,
            });
        }
        if let Some(known) = self.producers.get_mut(&producer_id) {
            known.epoch = known.epoch.max(epoch);
        }
    }

    fn remember(&mut self, header: &Header, base: i64) {
        if self.producers.len() >= limits::PRODUCERS_PER_PARTITION
            && !self.producers.contains_key(&header.producer_id)
        {
            let oldest = self
                .producers
                .iter()
                .filter(|(id, _)| !self.open.contains_key(id))
                .min_by_key(|(_, state)| state.last_timestamp)
                .map(|(id, _)| *id);
            if let Some(oldest) = oldest {
                self.producers.remove(&oldest);
            }
        }
        let state = self
            .producers
            .entry(header.producer_id)
            .or_insert_with(|| ProducerState {
                epoch: header.producer_epoch,
                last_sequence: -1,
                last_timestamp: header.max_timestamp,
                recent: VecDeque::new(),
            });
        if header.producer_epoch > state.epoch {
            state.recent.clear();
        }
        state.epoch = header.producer_epoch;
        state.last_timestamp = header.max_timestamp;
        if header.base_sequence >= 0 {
            state.last_sequence = last_sequence(header);
            state
                .recent
                .push_back((header.base_sequence, state.last_sequence, base));
            if state.recent.len() > 5 {
                state.recent.pop_front();
            }
        }
    }

    fn keep(&mut self, base: i64, last: i64, max_timestamp: i64, bytes: Bytes) {
        let before = self.batches.back().map(|batch| batch.highest_so_far);
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(size);
        self.batches.push_back(Stored {
            base,
            last,
            max_timestamp,
            highest_so_far: before.map_or(max_timestamp, |before| before.max(max_timestamp)),
            bytes,
        });
    }

    /// The batches from the one that holds `offset`, up to about `max_bytes`.
    ///
    /// The first batch comes whole even when it is larger, if `oversized` allows it.
    pub(super) fn read(
        &self,
        offset: i64,
        bound: i64,
        max_bytes: usize,
        oversized: bool,
    ) -> Result<Vec<Piece>, i16> {
        if offset < self.start || offset > self.end {
            return Err(codes::OFFSET_OUT_OF_RANGE);
        }
        let mut pieces = Vec::new();
        let mut left = max_bytes;
        let mut take = |piece: Piece| {
            let size = piece.size();
            if size > left && !(oversized && pieces.is_empty()) {
                return false;
            }
            left = left.saturating_sub(size);
            pieces.push(piece);
            true
        };
        if let Some(generated) = self.generated {
            let mut at = Generated::batch_base(offset);
            while at < generated.count.min(bound) {
                if !take(Piece::Generated(generated, at)) {
                    return Ok(pieces);
                }
                at = generated.batch_end(at);
            }
        }
        let first = self.batches.partition_point(|batch| batch.last < offset);
        for batch in self.batches.range(first..) {
            if batch.base >= bound || !take(Piece::Stored(batch.bytes.clone())) {
                break;
            }
        }
        Ok(pieces)
    }

    /// How many bytes a fetch from `offset` could get, counted up to `enough`.
    pub(super) fn readable(&self, offset: i64, bound: i64, enough: usize) -> usize {
        if offset >= bound {
            return 0;
        }
        let pieces = self.read(offset, bound, enough, true).unwrap_or_default();
        pieces.iter().map(Piece::size).sum()
    }

    /// The aborted transactions that touch `from..to`.
    pub(super) fn aborted(&self, from: i64, to: i64) -> Vec<Aborted> {
        let touches = |aborted: &&Aborted| aborted.last >= from && aborted.first < to;
        self.aborted.iter().filter(touches).copied().collect()
    }

    /// The first record at or after `time` and before `bound`: its offset and timestamp.
    pub(super) fn at_time(&self, time: i64, bound: i64) -> Option<(i64, i64)> {
        if let Some(generated) = self.generated
            && let Some(offset) = generated.offset_at(time)
        {
            let offset = offset.max(self.start);
            if offset < generated.count {
                return (offset < bound).then(|| (offset, generated.timestamp(offset)));
            }
        }
        let first = self
            .batches
            .partition_point(|batch| batch.highest_so_far < time);
        self.batches
            .range(first..)
            .filter(|batch| batch.max_timestamp >= time)
            .find_map(|batch| self.first_in(batch, |timestamp| timestamp >= time))
            .filter(|(offset, _)| *offset < bound)
    }

    /// The first record with the largest timestamp: its offset and timestamp.
    pub(super) fn at_max_time(&self) -> Option<(i64, i64)> {
        let stored = self
            .batches
            .iter()
            .filter(|batch| batch.last >= self.start)
            .max_by_key(|batch| (batch.max_timestamp, std::cmp::Reverse(batch.base)))
            .and_then(|batch| self.first_in(batch, |timestamp| timestamp == batch.max_timestamp));
        let generated = self
            .generated
            .filter(|generated| generated.count > self.start)
            .and_then(|generated| {
                let newest = generated.timestamp(generated.count.checked_sub(1)?);
                let first = generated.offset_at(newest)?.max(self.start);
                Some((first, newest))
            });
        match (generated, stored) {
            (Some(made), Some(kept)) if kept.1 > made.1 => Some(kept),
            (Some(made), _) => Some(made),
            (None, kept) => kept,
        }
    }

    /// The first readable record of a batch whose timestamp fits.
    fn first_in(&self, batch: &Stored, fits: impl Fn(i64) -> bool) -> Option<(i64, i64)> {
        let opened = Batch::open(&batch.bytes)?;
        let mut records = opened.records();
        records
            .find(|record| record.offset >= self.start && fits(record.timestamp))
            .map(|record| (record.offset, record.timestamp))
    }

    /// Deletes the records before `offset`, which lies between the log's start and end.
    pub(super) fn delete_before(&mut self, offset: i64) {
        self.start = self.start.max(offset.min(self.end));
        if self
            .generated
            .is_some_and(|generated| generated.count <= self.start)
        {
            self.generated = None;
        }
        while let Some(batch) = self.batches.front()
            && batch.last < self.start
        {
            let size = u64::try_from(batch.bytes.len()).unwrap_or(u64::MAX);
            self.bytes = self.bytes.saturating_sub(size);
            self.batches.pop_front();
        }
        self.aborted.retain(|aborted| aborted.last >= self.start);
    }

    /// Deletes the batches that are older than `before` (epoch milliseconds) or exceed `max_bytes`.
    pub(super) fn retain(&mut self, before: Option<i64>, max_bytes: Option<u64>) {
        if let (Some(before), Some(generated)) = (before, self.generated)
            && generated.from_ms.saturating_add(generated.span_ms) < before
        {
            self.delete_before(generated.count);
        }
        while let Some(batch) = self.batches.front()
            && self.generated.is_none()
            && batch.last < self.last_stable()
        {
            let old = before.is_some_and(|before| batch.max_timestamp < before);
            let size = u64::try_from(batch.bytes.len()).unwrap_or(u64::MAX);
            let large = max_bytes.is_some_and(|max| self.bytes.saturating_sub(size) >= max);
            if !old && !large {
                break;
            }
            self.delete_before(batch.last.saturating_add(1));
        }
    }

    /// Drops the oldest batches until at least `bytes` are freed or nothing is left.
    pub(super) fn shed(&mut self, bytes: u64) {
        let goal = self.bytes.saturating_sub(bytes);
        while self.bytes > goal
            && let Some(batch) = self.batches.front()
        {
            self.delete_before(batch.last.saturating_add(1));
        }
    }

    /// Puts a batch that already has its place behind what is here, leaving a hole before it if need be.
    pub(super) fn restore(&mut self, bytes: Bytes) {
        let Some(header) = Header::read(&bytes) else {
            return;
        };
        let last = header
            .base_offset
            .saturating_add(i64::from(header.last_offset_delta));
        if header.base_offset >= self.end {
            self.end = last.saturating_add(1);
            self.keep(header.base_offset, last, header.max_timestamp, bytes);
        }
    }

    /// Replaces the stored batches by fewer of the same offsets, as compaction does.
    pub(super) fn replace_batches(&mut self, batches: Vec<Bytes>) {
        let end = self.end;
        self.batches.clear();
        self.bytes = 0;
        self.end = self.generated.map_or(0, |generated| generated.count);
        for bytes in batches {
            self.restore(bytes);
        }
        self.end = end;
    }
}

fn last_sequence(header: &Header) -> i32 {
    // Sequence numbers wrap from the largest to 0.
    let last = i64::from(header.base_sequence) + i64::from(header.last_offset_delta);
    i32::try_from(last % (i64::from(i32::MAX) + 1)).unwrap_or(0)
}
