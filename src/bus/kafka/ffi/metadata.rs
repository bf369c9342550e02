//! What the cluster consists of, from whichever broker answers first.
//!
//! The admin API's questions about the cluster go to one broker that librdkafka picks, and wait for it when it
//! is down. This one goes to any broker that is up, but blocks.

use std::ffi::c_int;
use std::ptr;
use std::time::Duration;

use rdkafka::bindings as sys;

use crate::model::{BrokerId, Text};

use super::{Client, Code, bytes};

/// A broker as metadata name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bus::kafka) struct KnownBroker {
    pub(in crate::bus::kafka) id: BrokerId,
    pub(in crate::bus::kafka) host: String,
    pub(in crate::bus::kafka) port: i32,
}

struct Metadata(*const sys::rd_kafka_metadata);

impl Metadata {
    /// Asks, waiting up to `wait`; with all topics, or with none.
    fn ask(client: &Client, all_topics: bool, wait: Duration) -> Result<Self, Code> {
        let mut found: *const sys::rd_kafka_metadata = ptr::null();
        let wait_ms = c_int::try_from(wait.as_millis()).unwrap_or(c_int::MAX);
        // SAFETY: the client is alive; a null topic asks for all topics or for those the client knows, of which
        // there are none. The code is one of librdkafka's own here.
        let code = unsafe {
            sys::rd_kafka_metadata(
                client.ptr(),
                c_int::from(all_topics),
                ptr::null_mut(),
                &raw mut found,
                wait_ms,
            )
        };
        if found.is_null() {
            return Err(Code(code as i32));
        }
        Ok(Self(found))
    }
}

impl Drop for Metadata {
    fn drop(&mut self) {
        // SAFETY: the pointer came from rd_kafka_metadata, is not null, and is freed once.
        unsafe { sys::rd_kafka_metadata_destroy(self.0) }
    }
}

/// The brokers of the cluster, by id. Blocks up to `wait`.
///
/// # Errors
/// The code librdkafka gives.
pub(in crate::bus::kafka) fn brokers(
    client: &Client,
    wait: Duration,
) -> Result<Vec<KnownBroker>, Code> {
    let metadata = Metadata::ask(client, false, wait)?;
    // SAFETY: the answer is alive and holds `broker_cnt` brokers, whose hosts are copied.
    let mut brokers: Vec<KnownBroker> = unsafe {
        let found = &*metadata.0;
        let count = usize::try_from(found.broker_cnt).unwrap_or(0);
        (0..count)
            .map(|index| {
                let broker = &*found.brokers.add(index);
                KnownBroker {
                    id: BrokerId(broker.id),
                    host: super::text(broker.host),
                    port: broker.port,
                }
            })
            .collect()
    };
    brokers.sort_by_key(|broker| broker.id);
    Ok(brokers)
}

/// The names of all topics. Blocks up to `wait`.
///
/// # Errors
/// The code librdkafka gives.
pub(in crate::bus::kafka) fn topic_names(
    client: &Client,
    wait: Duration,
) -> Result<Vec<Text>, Code> {
    let metadata = Metadata::ask(client, true, wait)?;
    // SAFETY: the answer is alive and holds `topic_cnt` topics, whose names are copied.
    unsafe {
        let found = &*metadata.0;
        let count = usize::try_from(found.topic_cnt).unwrap_or(0);
        Ok((0..count)
            .filter_map(|index| bytes((*found.topics.add(index)).topic))
            .map(Text::from_bytes)
            .collect())
    }
}
