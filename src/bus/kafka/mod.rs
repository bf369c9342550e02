//! Kafka, and what speaks its protocol (Redpanda, Azure Event Hubs), through librdkafka.
//!
//! - `config`, `properties`: what a person gives, as librdkafka takes it;
//! - `connect`: getting there, and why not, in plain words;
//! - `control`: one client that asks, never the safe binding's `AdminClient`;
//! - `cluster`, `offsets`, `groups`: the questions, in terms of the model;
//! - `positions`: moving bookmarks of groups, the only change;
//! - `reader`, `probe`: records, through pooled clients that belong to no group;
//! - `lines`, `leaders`: raw connections to brokers, and asking those that lead partitions;
//! - `log`, `transactions`: logs as brokers keep them, ends of leader epochs, open transactions;
//! - `requests`: the types of requests that looking sends, as README lists them;
//! - `ffi`: the only unsafe code.

mod blame;
mod cluster;
mod config;
mod connect;
mod context;
mod control;
mod errors;
mod ffi;
mod groups;
mod leaders;
mod lines;
mod log;
mod offsets;
mod patience;
mod positions;
mod probe;
mod properties;
mod reader;
mod requests;
mod transactions;

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::model::{
    Broker, BrokerId, Cluster, Commit, GroupList, GroupListing, GroupMembers, Known, LogPortion,
    Offset, OpenTransaction, Problem, ProblemKind, RecordHead, Text, Topic, TopicConfig, TopicName,
    TopicPartition,
};

use super::{Answer, Bus, Capabilities, Found, Lookup, Positions, ReadPlan, ReadRange, Reader};

pub(super) use config::{given, jaas_login};
pub use connect::connect;
pub use requests::{LOOKING, RequestType};

/// A Kafka cluster that is connected.
pub struct KafkaBus {
    control: control::Control,
    pool: Arc<reader::Pool>,
    /// Whether the raw protocol can be spoken to it: no TLS, no SASL.
    plaintext: bool,
    /// Raw connections to brokers, for what librdkafka hides.
    lines: lines::Lines,
    /// The brokers, as last heard for raw questions.
    brokers: Mutex<Vec<Broker>>,
    /// Who leads which partition, as last heard; `None` for nobody.
    leaders: Mutex<HashMap<TopicPartition, Option<BrokerId>>>,
    /// Leaders that did not answer, since when, and what was said.
    suspects: Mutex<HashMap<Option<BrokerId>, (Instant, Problem)>>,
    /// How many look-up calls may be under way, so that other questions are not kept waiting behind them.
    lookups: Semaphore,
    /// How many groups may be asked about at once.
    groups: Semaphore,
}

impl Bus for KafkaBus {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            time_lookup: Ok(()),
            group_types: if self.plaintext {
                Ok(())
            } else {
                Err(groups::no_types())
            },
        }
    }

    fn cluster(&self) -> Answer<'_, Known<Cluster>> {
        Box::pin(self.describe_cluster())
    }

    fn topic_names(&self) -> Answer<'_, Known<Vec<TopicName>>> {
        Box::pin(self.list_topics())
    }

    fn topics(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Topic>> {
        Box::pin(self.describe_topics(names))
    }

    fn topic_configs(&self, names: Vec<TopicName>) -> Answer<'_, Vec<Known<TopicConfig>>> {
        Box::pin(self.describe_configs(names))
    }

    fn look_up(&self, lookups: Vec<Lookup>) -> Answer<'_, Vec<Known<Found>>> {
        Box::pin(self.find_offsets(lookups))
    }

    fn groups(&self) -> Answer<'_, Known<GroupList>> {
        Box::pin(self.list_groups())
    }

    fn members(&self, groups: Vec<GroupListing>) -> Answer<'_, Vec<Known<GroupMembers>>> {
        Box::pin(self.describe_groups(groups))
    }

    fn commits(&self, groups: Vec<Text>) -> Answer<'_, Vec<Known<Vec<Commit>>>> {
        Box::pin(self.list_commits(groups))
    }

    fn first_records(&self, places: Vec<ReadRange>) -> Answer<'_, Vec<Known<Option<RecordHead>>>> {
        let pool = Arc::clone(&self.pool);
        Box::pin(async move {
            let count = places.len();
            let work = tokio::task::spawn_blocking(move || probe::first_records(&pool, &places));
            work.await.unwrap_or_else(|error| {
                let problem = Problem::new(ProblemKind::Other, format!("reading failed ({error})"));
                vec![Err(problem); count]
            })
        })
    }

    fn log(&self, range: ReadRange) -> Answer<'_, Known<LogPortion>> {
        Box::pin(self.read_log(range))
    }

    fn open_transactions(
        &self,
        at: Vec<TopicPartition>,
    ) -> Answer<'_, Vec<Known<Vec<OpenTransaction>>>> {
        Box::pin(self.transactions_in(at))
    }

    fn epoch_ends(&self, of: Vec<(TopicPartition, i32)>) -> Answer<'_, Vec<Known<Option<Offset>>>> {
        Box::pin(self.ends_of_epochs(of))
    }

    fn positions(&self) -> Known<&dyn Positions> {
        Ok(self)
    }

    fn read(&self, plan: &ReadPlan) -> Known<Box<dyn Reader>> {
        Ok(Box::new(reader::KafkaReader::start(&self.pool, plan)?))
    }
}

/// `text` for librdkafka, which cannot take a NUL byte.
fn c_string(text: &[u8], what: &str) -> Known<CString> {
    CString::new(text).map_err(|error| {
        Problem::new(
            ProblemKind::Unsupported,
            format!(
                "the {what}'s name holds a NUL byte at {}, which cannot be asked for",
                error.nul_position()
            ),
        )
    })
}

/// An answer that does not fit its question, which librdkafka promises not to give.
fn unexpected() -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        "the answer does not fit the question",
    )
}
