//! Clients that wait for their next reader.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rdkafka::config::FromClientConfigAndContext as _;
use rdkafka::consumer::BaseConsumer;

use crate::bus::Appetite;
use crate::model::{Isolation, Known};

use super::super::config::client_config;
use super::super::context::Context;
use super::super::errors;
use super::super::ffi::Client;

/// How many idle clients of one sort are kept for the next reader.
const IDLE: usize = 2;
/// How often a client that searches tells whether brokers make it wait.
const STATISTICS_MS: &str = "1000";

/// What sort of client a reader needs; clients of the same sort are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sort {
    pub(super) isolation: Isolation,
    pub(super) appetite: Appetite,
}

/// Clients that wait for their next reader.
pub(in crate::bus::kafka) struct Pool {
    settings: BTreeMap<String, String>,
    idle: Mutex<HashMap<Sort, Vec<Client>>>,
    /// Grows with each renewal.
    age: AtomicU64,
}

impl Pool {
    /// A pool of clients with these settings.
    pub(in crate::bus::kafka) fn new(settings: BTreeMap<String, String>) -> Self {
        Self {
            settings,
            idle: Mutex::default(),
            age: AtomicU64::new(0),
        }
    }

    /// How often the pool was renewed.
    pub(super) fn age(&self) -> u64 {
        self.age.load(Ordering::Acquire)
    }

    /// A client of that sort.
    ///
    /// # Errors
    /// librdkafka refuses the settings.
    pub(super) fn take(&self, sort: Sort) -> Known<Client> {
        if let Some(client) = self.idle.lock().get_mut(&sort).and_then(Vec::pop) {
            return Ok(client);
        }
        let mut config = client_config(&self.settings);
        let isolation = match sort.isolation {
            Isolation::ReadUncommitted => "read_uncommitted",
            Isolation::ReadCommitted => "read_committed",
        };
        config
            .set("isolation.level", isolation)
            .set("enable.partition.eof", "true")
            .set("fetch.queue.backoff.ms", "5")
            .set("fetch.wait.max.ms", "100")
            .set("fetch.min.bytes", "1");
        if matches!(sort.appetite, Appetite::All | Appetite::Little) {
            config.set("statistics.interval.ms", STATISTICS_MS);
        }
        for (name, value) in sizes(sort.appetite) {
            config.set(name, value);
        }
        let consumer: BaseConsumer<Context> =
            BaseConsumer::from_config_and_context(&config, Context::default())
                .map_err(|error| errors::refused_settings(&error))?;
        Ok(Client(Arc::new(consumer)))
    }

    /// Lets go of every client, those in use when they come back: a broker has left or come, and a client keeps
    /// trying one that left.
    pub(in crate::bus::kafka) fn renew(&self) {
        self.age.fetch_add(1, Ordering::AcqRel);
        self.idle.lock().clear();
    }

    /// Keeps a client that was taken when the pool had this age.
    pub(super) fn give_back(&self, sort: Sort, client: Client, age: u64) {
        if age != self.age() {
            return;
        }
        let mut idle = self.idle.lock();
        let kept = idle.entry(sort).or_default();
        if kept.len() < IDLE {
            kept.push(client);
        }
    }
}

/// How much a client fetches at once and keeps ready.
///
/// A waiting record costs about 350 bytes beside its own. A reader of many is held to 32 MiB for records of 100
/// bytes that are not compressed: 30,000 take 13 MiB, and when one is missing a fetch of 4 MiB comes on top, which is
/// 40,000 records and 17 MiB. Larger records take less; compressed ones take more, as a fetch is bounded before it is
/// unpacked. Fetching further ahead was no faster when measured, as long as records are copied out.
fn sizes(appetite: Appetite) -> [(&'static str, &'static str); 4] {
    let [partition, fetch, records, kilobytes] = match appetite {
        Appetite::Few => ["262144", "8388608", "1000", "8192"],
        Appetite::Many => ["1048576", "4194304", "30000", "16384"],
        Appetite::All => ["1048576", "8388608", "100000", "32768"],
        Appetite::Little => ["262144", "1048576", "1000", "1024"],
    };
    [
        ("fetch.message.max.bytes", partition),
        ("fetch.max.bytes", fetch),
        ("queued.min.messages", records),
        ("queued.max.messages.kbytes", kilobytes),
    ]
}
