//! Transactions, and the ids of idempotent producers.
//!
//! Source: `kafka.coordinator.transaction.TransactionCoordinator`, protocol before transactions version 2.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::broker::State;
use super::{codes, limits};

/// The longest transaction that may be asked for, in milliseconds.
const LONGEST_MS: i32 = 900_000;

/// Where a transaction is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing was done yet.
    Empty,
    /// Open.
    Ongoing,
    /// The last one was committed.
    Committed,
    /// The last one was aborted.
    Aborted,
}

impl Phase {
    /// Its name in the protocol.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Ongoing => "Ongoing",
            Self::Committed => "CompleteCommit",
            Self::Aborted => "CompleteAbort",
        }
    }
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Commit,
    Abort,
    /// Aborted, and its producer may not go on.
    Fenced,
}

/// What belongs to one transactional id.
#[derive(Clone, Debug)]
pub(super) struct Transaction {
    pub(super) producer_id: i64,
    pub(super) epoch: i16,
    pub(super) timeout_ms: i32,
    pub(super) phase: Phase,
    /// When the open one began, epoch milliseconds; −1 when none is open.
    pub(super) started_ms: i64,
    pub(super) partitions: BTreeSet<(String, i32)>,
    pub(super) groups: BTreeSet<String>,
    deadline: Option<Instant>,
}

/// All transactional ids.
#[derive(Debug, Default)]
pub(super) struct Transactions {
    pub(super) by_id: BTreeMap<String, Transaction>,
    issued: i64,
}

/// The moment of a request, by both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Epoch milliseconds.
    pub(super) ms: i64,
    /// The clock that deadlines are measured with.
    pub(super) at: Instant,
}

impl Transactions {
    /// A producer id that was never used.
    pub(super) fn issue(&mut self) -> i64 {
        self.issued = self.issued.saturating_add(1);
        self.issued.saturating_add(1_000)
    }

    /// The transaction of this id, if the producer is its present one.
    fn of(&mut self, id: &str, producer_id: i64, epoch: i16) -> Result<&mut Transaction, i16> {
        let transaction = self
            .by_id
            .get_mut(id)
            .ok_or(codes::INVALID_PRODUCER_ID_MAPPING)?;
        if transaction.producer_id != producer_id {
            return Err(codes::INVALID_PRODUCER_ID_MAPPING);
        }
        if transaction.epoch != epoch {
            return Err(codes::INVALID_PRODUCER_EPOCH);
        }
        Ok(transaction)
    }
}

impl State {
    /// Gives a producer its id and epoch. One with a transactional id fences off its predecessor.
    pub(super) fn init_producer(
        &mut self,
        id: Option<&str>,
        timeout_ms: i32,
        now: Moment,
    ) -> Result<(i64, i16), i16> {
        let Some(id) = id else {
            return Ok((self.transactions.issue(), 0));
        };
        if !(1..=LONGEST_MS).contains(&timeout_ms) {
            return Err(codes::INVALID_TRANSACTION_TIMEOUT);
        }
        let known = self.transactions.by_id.get(id);
        if known.is_some_and(|known| known.phase == Phase::Ongoing) {
            self.finish(id, End::Fenced, now.ms);
        } else if known.is_none() && self.transactions.by_id.len() >= limits::TRANSACTIONS {
            return Err(codes::THROTTLING_QUOTA_EXCEEDED);
        }
        let fresh = self.transactions.issue();
        let transaction = self
            .transactions
            .by_id
            .entry(id.to_owned())
            .or_insert_with(|| Transaction {
                producer_id: fresh,
                epoch: -1,
                timeout_ms,
                phase: Phase::Empty,
                started_ms: -1,
                partitions: BTreeSet::new(),
                groups: BTreeSet::new(),
                deadline: None,
            });
        match transaction.epoch.checked_add(1) {
            Some(epoch) if epoch < i16::MAX => transaction.epoch = epoch,
            _ => {
                transaction.producer_id = fresh;
                transaction.epoch = 0;
            }
        }
        transaction.timeout_ms = timeout_ms;
        transaction.phase = Phase::Empty;
        Ok((transaction.producer_id, transaction.epoch))
    }

    /// Takes partitions into a transaction, which begins with the first.
    pub(super) fn add_partitions(
        &mut self,
        id: &str,
        producer: (i64, i16),
        partitions: &[(String, i32)],
        now: Moment,
    ) -> Result<(), i16> {
        let transaction = self.transactions.of(id, producer.0, producer.1)?;
        begin(transaction, now);
        transaction.partitions.extend(partitions.iter().cloned());
        Ok(())
    }

    /// Takes a group's positions into a transaction.
    pub(super) fn add_group(
        &mut self,
        id: &str,
        producer: (i64, i16),
        group: &str,
        now: Moment,
    ) -> Result<(), i16> {
        let transaction = self.transactions.of(id, producer.0, producer.1)?;
        begin(transaction, now);
        transaction.groups.insert(group.to_owned());
        Ok(())
    }

    /// Whether a producer may write to a partition, or commit for a group, within its open transaction.
    pub(super) fn in_transaction(
        &mut self,
        id: &str,
        producer: (i64, i16),
        has: impl FnOnce(&Transaction) -> bool,
    ) -> Result<(), i16> {
        let transaction = self.transactions.of(id, producer.0, producer.1)?;
        if transaction.phase == Phase::Ongoing && has(transaction) {
            Ok(())
        } else {
            Err(codes::INVALID_TXN_STATE)
        }
    }

    /// Commits or aborts a producer's open transaction.
    pub(super) fn end_transaction(
        &mut self,
        id: &str,
        producer: (i64, i16),
        commit: bool,
        now: Moment,
    ) -> Result<(), i16> {
        let transaction = self.transactions.of(id, producer.0, producer.1)?;
        match (transaction.phase, commit) {
            (Phase::Ongoing, _) => {
                self.finish(id, if commit { End::Commit } else { End::Abort }, now.ms);
                Ok(())
            }
            (Phase::Committed, true) | (Phase::Aborted, false) => Ok(()),
            (Phase::Empty | Phase::Committed | Phase::Aborted, _) => Err(codes::INVALID_TXN_STATE),
        }
    }

    /// Writes the markers of an open transaction.
    fn finish(&mut self, id: &str, end: End, now_ms: i64) {
        let commit = end == End::Commit;
        let Some(transaction) = self.transactions.by_id.get_mut(id) else {
            return;
        };
        if end == End::Fenced {
            transaction.epoch = transaction.epoch.saturating_add(1);
        }
        transaction.phase = if commit {
            Phase::Committed
        } else {
            Phase::Aborted
        };
        transaction.started_ms = -1;
        transaction.deadline = None;
        let (producer_id, epoch) = (transaction.producer_id, transaction.epoch);
        let partitions = std::mem::take(&mut transaction.partitions);
        let groups = std::mem::take(&mut transaction.groups);
        for (topic, index) in partitions {
            if let Some(log) = self.partition_mut(&topic, index) {
                log.end_transaction(producer_id, epoch, commit, now_ms);
            }
        }
        for group in groups {
            if let Some(group) = self.groups.get_mut(&group) {
                group.offsets.release(producer_id, commit);
            }
        }
    }

    /// Aborts the transactions that are open for too long; answers whether there were any.
    pub(super) fn expire_transactions(&mut self, now: Moment) -> bool {
        let late = |transaction: &Transaction| {
            transaction
                .deadline
                .is_some_and(|deadline| deadline <= now.at)
        };
        let ids: Vec<String> = self
            .transactions
            .by_id
            .iter()
            .filter(|(_, transaction)| late(transaction))
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            self.finish(id, End::Fenced, now.ms);
        }
        !ids.is_empty()
    }
}

fn begin(transaction: &mut Transaction, now: Moment) {
    if transaction.phase != Phase::Ongoing {
        transaction.phase = Phase::Ongoing;
        transaction.started_ms = now.ms;
        let timeout = u64::try_from(transaction.timeout_ms).unwrap_or(0);
        transaction.deadline = Some(now.at + Duration::from_millis(timeout));
    }
}
