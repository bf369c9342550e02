//! What a client tells by itself: errors and log lines, kept for the words of a [`Problem`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use serde::Deserialize;

/// How many complaints are kept.
const KEPT: usize = 64;

/// What went wrong on the way to a broker, in the order it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// librdkafka's code, when it was an error event and not a log line.
    pub(super) code: Option<RDKafkaErrorCode>,
    /// librdkafka's words; they name addresses and states, never a setting's value.
    pub(super) words: String,
}

/// Receives what a client tells; shared between the client and whoever asks why it fails.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    complaints: Arc<Mutex<Vec<Complaint>>>,
    offered: Arc<Mutex<BTreeSet<i16>>>,
    told: Arc<AtomicU64>,
    /// Until when a broker answers nothing more, because too much was read.
    throttled_until: Arc<Mutex<Option<Instant>>>,
}

impl Context {
    /// What was told so far.
    pub(super) fn complaints(&self) -> Vec<Complaint> {
        self.complaints.lock().clone()
    }

    /// The keys of the requests that brokers said they take; told only by clients that log what brokers can do.
    pub(super) fn offered(&self) -> BTreeSet<i16> {
        self.offered.lock().clone()
    }

    /// How many times something was told, kept or not.
    pub(super) fn told(&self) -> u64 {
        self.told.load(Ordering::Relaxed)
    }

    /// How long brokers make this client wait from now on, as its statistics said; told only by clients that make
    /// some. A broker that answers with a time to wait is silent until then (KIP-219).
    pub(super) fn throttled(&self) -> Duration {
        let until = *self.throttled_until.lock();
        until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }

    fn keep(&self, complaint: Complaint) {
        let mut complaints = self.complaints.lock();
        if complaints.len() >= KEPT {
            complaints.remove(0);
        }
        complaints.push(complaint);
    }
}

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.told.fetch_add(1, Ordering::Relaxed);
        if facility == "APIVERSION" {
            if let Some(key) = offered_by(message) {
                self.offered.lock().insert(key);
            }
            return;
        }
        // A peer that closes the connection is told at level Info only; it is what gives a wrong protocol away.
        let tells = matches!(facility, "FAIL" | "ERROR" | "SSL" | "SASL" | "CERTVERIFY")
            || message.contains("Disconnected");
        if tells && (level as i32) <= (RDKafkaLogLevel::Info as i32) {
            self.keep(Complaint {
                code: None,
                words: message.to_owned(),
            });
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.told.fetch_add(1, Ordering::Relaxed);
        let code = error.rdkafka_error_code();
        if code == Some(RDKafkaErrorCode::PartitionEOF) {
            return;
        }
        self.keep(Complaint {
            code,
            words: reason.to_owned(),
        });
    }

    fn stats_raw(&self, statistics: &[u8]) {
        let longest = Duration::from_millis(throttled_in(statistics));
        if let Some(until) = Instant::now().checked_add(longest)
            && !longest.is_zero()
        {
            let mut known = self.throttled_until.lock();
            *known = (*known).max(Some(until));
        }
    }
}

impl ConsumerContext for Context {}

/// The key in librdkafka's line about one request that a broker takes: `ApiKey OffsetDelete (47) Versions 0..0`.
fn offered_by(message: &str) -> Option<i16> {
    let (_, rest) = message.split_once("ApiKey ")?;
    let (name_and_key, _) = rest.split_once(") Versions ")?;
    let (_, key) = name_and_key.rsplit_once('(')?;
    key.parse().ok()
}

/// What librdkafka's statistics are read for: how long each broker made requests wait, in milliseconds.
#[derive(Deserialize)]
struct Statistics {
    brokers: BTreeMap<String, BrokerStatistics>,
}

#[derive(Deserialize)]
struct BrokerStatistics {
    throttle: Window,
}

#[derive(Deserialize)]
struct Window {
    max: i64,
}

/// The longest wait in `statistics`; 0 when they do not tell.
fn throttled_in(statistics: &[u8]) -> u64 {
    let waits = serde_json::from_slice::<Statistics>(statistics).map(|read| {
        let brokers = read.brokers.into_values();
        brokers.map(|broker| broker.throttle.max).max()
    });
    let longest = waits.ok().flatten().unwrap_or_default();
    u64::try_from(longest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_lasts_though_later_statistics_say_nothing_of_it() {
        let context = Context::default();
        assert_eq!(context.throttled(), Duration::ZERO);
        let told = |max: u32| {
            let text = format!(r#"{{"brokers":{{"a:1/1":{{"throttle":{{"max":{max}}}}}}}}}"#);
            context.stats_raw(text.as_bytes());
        };
        told(60_000);
        told(0);
        told(10);
        let left = context.throttled();
        assert!(left > Duration::from_secs(50), "{left:?}");
    }

    #[test]
    fn the_longest_wait_is_read_from_statistics() {
        let of = |text: &str| throttled_in(text.as_bytes());
        let two = r#"{"name":"x","brokers":{"a:1/1":{"txerrs":0,"throttle":{"min":0,"max":17,"avg":3}},"b:2/2":{"throttle":{"max":240}}},"topics":{}}"#;
        assert_eq!(of(two), 240);
        assert_eq!(of(r#"{"brokers":{}}"#), 0);
        assert_eq!(of("{"), 0);
    }

    #[test]
    fn what_a_broker_takes_is_read_from_the_log() {
        let context = Context::default();
        for message in [
            "[thrd:b:9092/1]: b:9092/1: Broker API support:",
            "[thrd:b:9092/1]: b:9092/1:   ApiKey OffsetDelete (47) Versions 0..0",
            "[thrd:b:9092/1]: b:9092/1:   ApiKey Unknown-999? (999) Versions 0..3",
            "[thrd:b:9092/1]: b:9092/1:  Feature MsgVer1: Produce (2..2) supported by broker",
        ] {
            context.log(RDKafkaLogLevel::Debug, "APIVERSION", message);
        }
        assert_eq!(context.offered(), BTreeSet::from([47, 999]));
        assert_eq!(context.complaints(), Vec::new());
    }

    #[test]
    fn only_the_newest_complaints_are_kept() {
        let context = Context::default();
        for number in 0..KEPT + 3 {
            context.log(RDKafkaLogLevel::Error, "FAIL", &number.to_string());
        }
        let kept = context.complaints();
        assert_eq!(kept.len(), KEPT);
        assert_eq!(kept[0].words, "3");
    }
}
