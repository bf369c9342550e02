//! The broker's state, behind one lock: topics, groups, transactions.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::config::{self, Settings};
use super::generated::mix;
use super::group::Groups;
use super::log::PartitionLog;
use super::transaction::Transactions;
use super::{compact, limits};
use crate::model::time::Clock;

/// The broker's number; it is the only one, and its own controller and coordinator.
pub(super) const NODE_ID: i32 = 1;
/// The cluster's id, in the form of Kafka's own: 16 bytes in URL-safe base64.
pub(super) const CLUSTER_ID: &str = "dGlkZWxpbmUtZGVtby1idQ";

/// A topic.
#[derive(Debug, Default)]
pub(super) struct Topic {
    /// Its id, which a topic of the same name made later does not share.
    pub(super) id: [u8; 16],
    /// Its partitions, in order.
    pub(super) partitions: Vec<PartitionLog>,
    /// What was set for it.
    pub(super) settings: Settings,
}

impl Topic {
    /// A partition by its number.
    pub(super) fn partition(&self, index: i32) -> Option<&PartitionLog> {
        self.partitions.get(usize::try_from(index).ok()?)
    }

    /// A partition by its number, to change it.
    pub(super) fn partition_mut(&mut self, index: i32) -> Option<&mut PartitionLog> {
        self.partitions.get_mut(usize::try_from(index).ok()?)
    }
}

/// Everything that the broker knows.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) topics: BTreeMap<String, Topic>,
    pub(super) names_by_id: BTreeMap<[u8; 16], String>,
    pub(super) groups: Groups,
    pub(super) transactions: Transactions,
    /// How many ids were ever given out.
    made: u64,
    /// About how many bytes were appended since memory was last looked at.
    unchecked: usize,
}

impl State {
    /// Takes note of bytes that come in, so that memory is looked at before they are too many.
    pub(super) fn note(&mut self, bytes: usize) {
        self.unchecked = self.unchecked.saturating_add(bytes);
        if self.unchecked > limits::UNCHECKED_BYTES {
            self.unchecked = 0;
            self.shed(limits::STORED_BYTES);
        }
    }

    /// A partition.
    pub(super) fn partition(&self, topic: &str, index: i32) -> Option<&PartitionLog> {
        self.topics.get(topic)?.partition(index)
    }

    /// A partition, to change it.
    pub(super) fn partition_mut(&mut self, topic: &str, index: i32) -> Option<&mut PartitionLog> {
        self.topics.get_mut(topic)?.partition_mut(index)
    }

    /// How many partitions there are in all.
    pub(super) fn partition_count(&self) -> usize {
        let counts = self.topics.values().map(|topic| topic.partitions.len());
        counts.sum()
    }

    /// Makes a topic of these partitions and answers with its id.
    pub(super) fn add_topic(
        &mut self,
        name: &str,
        partitions: Vec<PartitionLog>,
        settings: Settings,
        seed: u64,
    ) -> [u8; 16] {
        let id = self.fresh_number(seed).to_be_bytes();
        let topic = Topic {
            id,
            partitions,
            settings,
        };
        self.names_by_id.insert(id, name.to_owned());
        self.topics.insert(name.to_owned(), topic);
        id
    }

    /// Deletes a topic, and every group's positions on it.
    pub(super) fn remove_topic(&mut self, name: &str) -> bool {
        let Some(topic) = self.topics.remove(name) else {
            return false;
        };
        self.names_by_id.remove(&topic.id);
        self.groups.forget_topic(name);
        true
    }

    /// A number that nobody was given yet, for ids.
    pub(super) fn fresh_number(&mut self, seed: u64) -> u128 {
        self.made = self.made.wrapping_add(1);
        let high = mix(seed ^ self.made);
        u128::from(high) << 64 | u128::from(mix(high ^ self.made))
    }

    fn stored_bytes(&self) -> u64 {
        let logs = self.topics.values().flat_map(|topic| &topic.partitions);
        logs.map(PartitionLog::bytes).sum()
    }

    /// Lets go of what is beyond retention, or beyond the memory that the broker may use.
    pub(super) fn clean(&mut self, now: i64) {
        for topic in self.topics.values_mut() {
            if topic.settings.is_deleted() {
                let keep = topic.settings.number(config::RETENTION_MS);
                let before = keep
                    .filter(|keep| *keep >= 0)
                    .map(|keep| now.saturating_sub(keep));
                let bytes = topic.settings.number(config::RETENTION_BYTES);
                let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
                for log in &mut topic.partitions {
                    log.retain(before, bytes);
                }
            }
            if topic.settings.is_compacted() {
                for log in &mut topic.partitions {
                    if log.batches().len() > 1_000 {
                        compact::compact(log, log.last_stable());
                    }
                }
            }
        }
        self.shed(limits::STORED_BYTES);
    }

    /// Drops the oldest batches of the fullest partitions until all together take at most `cap` bytes.
    pub(super) fn shed(&mut self, cap: u64) {
        loop {
            let over = self.stored_bytes().saturating_sub(cap);
            let logs = self
                .topics
                .values_mut()
                .flat_map(|topic| &mut topic.partitions);
            let Some(fullest) = logs.max_by_key(|log| log.bytes()) else {
                return;
            };
            if over == 0 || fullest.bytes() == 0 {
                return;
            }
            let share = over.max(cap / 64).min(fullest.bytes().div_ceil(2));
            fullest.shed(share);
        }
    }
}

/// The broker: its state, and how its threads wait for one another.
#[derive(Debug)]
pub(super) struct Broker {
    pub(super) address: SocketAddr,
    pub(super) clock: Clock,
    pub(super) seed: u64,
    state: Mutex<State>,
    changed: Condvar,
    stopping: AtomicBool,
}

impl Broker {
    /// A broker at this address, with what is in it.
    pub(super) fn new(address: SocketAddr, clock: Clock, seed: u64, state: State) -> Self {
        Self {
            address,
            clock,
            seed,
            state: Mutex::new(state),
            changed: Condvar::new(),
            stopping: AtomicBool::new(false),
        }
    }

    /// The time now, in epoch milliseconds.
    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now().0
    }

    /// The state, for as long as the guard lives.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Wakes whoever waits for a change.
    pub(super) fn notify(&self) {
        self.changed.notify_all();
    }

    /// Waits for a change, until `deadline` at the latest.
    pub(super) fn wait(&self, state: &mut MutexGuard<'_, State>, deadline: Instant) {
        if !self.is_stopping() {
            self.changed.wait_until(state, deadline);
        }
    }

    /// Waits without holding the state, in steps that a stop ends; answers whether it was stopped.
    pub(super) fn pause(&self, duration: Duration) -> bool {
        let deadline = Instant::now() + duration;
        let mut state = self.lock();
        while !self.is_stopping() {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        self.is_stopping()
    }

    /// Whether the broker is to end.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Tells every thread to end.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        // Taken so that a thread between its check and its wait cannot miss the wake-up.
        drop(self.lock());
        self.notify();
    }
}
