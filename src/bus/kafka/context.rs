//! What a client tells by itself: errors and log lines, kept for the words of a [`Problem`].

use std::sync::Arc;

use parking_lot::Mutex;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

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
}

impl Context {
    /// What was told so far.
    pub(super) fn complaints(&self) -> Vec<Complaint> {
        self.complaints.lock().clone()
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
        let code = error.rdkafka_error_code();
        if code == Some(RDKafkaErrorCode::PartitionEOF) {
            return;
        }
        self.keep(Complaint {
            code,
            words: reason.to_owned(),
        });
    }

    fn stats_raw(&self, _statistics: &[u8]) {}
}

impl ConsumerContext for Context {}

#[cfg(test)]
mod tests {
    use super::*;

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
