//! Configurations: what a topic and the broker can be set to, and their defaults.

use std::collections::BTreeMap;

use super::limits;

/// The type of a configuration's value, as `DescribeConfigs` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// `true` or `false`.
    Boolean,
    /// Text.
    String,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// A fraction.
    Double,
    /// Words separated by commas.
    List,
}

impl Type {
    /// Its number in the protocol.
    pub(super) fn code(self) -> i8 {
        match self {
            Self::Boolean => 1,
            Self::String => 2,
            Self::Int => 3,
            Self::Long => 5,
            Self::Double => 6,
            Self::List => 7,
        }
    }

    fn accepts(self, value: &str) -> bool {
        match self {
            Self::Boolean => value.parse::<bool>().is_ok(),
            Self::String | Self::List => true,
            Self::Int => value.parse::<i32>().is_ok(),
            Self::Long => value.parse::<i64>().is_ok(),
            Self::Double => value.parse::<f64>().is_ok(),
        }
    }
}

/// A configuration that a resource of some kind has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) kind: Type,
    pub(super) default: &'static str,
}

const fn known(name: &'static str, kind: Type, default: &'static str) -> Known {
    Known {
        name,
        kind,
        default,
    }
}

/// How a topic is cleaned.
pub(super) const CLEANUP_POLICY: &str = "cleanup.policy";
/// How long a topic's records stay.
pub(super) const RETENTION_MS: &str = "retention.ms";
/// How many bytes of a partition stay.
pub(super) const RETENTION_BYTES: &str = "retention.bytes";
/// Whether the producer or the broker sets a record's timestamp.
pub(super) const TIMESTAMP_TYPE: &str = "message.timestamp.type";
/// How far ahead of the broker's clock a producer's timestamp may be.
pub(super) const TIMESTAMP_AFTER: &str = "message.timestamp.after.max.ms";
/// The largest batch.
pub(super) const MAX_MESSAGE_BYTES: &str = "max.message.bytes";

/// Every topic configuration, by name. Defaults are Apache Kafka 4.4's.
pub(super) const TOPIC: &[Known] = &[
    known(CLEANUP_POLICY, Type::List, "delete"),
    known("compression.type", Type::String, "producer"),
    known("delete.retention.ms", Type::Long, "86400000"),
    known("file.delete.delay.ms", Type::Long, "60000"),
    known("flush.messages", Type::Long, "9223372036854775807"),
    known("flush.ms", Type::Long, "9223372036854775807"),
    known("index.interval.bytes", Type::Int, "4096"),
    known("max.compaction.lag.ms", Type::Long, "9223372036854775807"),
    known(MAX_MESSAGE_BYTES, Type::Int, "1048588"),
    known(TIMESTAMP_AFTER, Type::Long, "3600000"),
    known(
        "message.timestamp.before.max.ms",
        Type::Long,
        "9223372036854775807",
    ),
    known(TIMESTAMP_TYPE, Type::String, "CreateTime"),
    known("min.cleanable.dirty.ratio", Type::Double, "0.5"),
    known("min.compaction.lag.ms", Type::Long, "0"),
    known("min.insync.replicas", Type::Int, "1"),
    known("preallocate", Type::Boolean, "false"),
    known("remote.storage.enable", Type::Boolean, "false"),
    known(RETENTION_BYTES, Type::Long, "-1"),
    known(RETENTION_MS, Type::Long, "604800000"),
    known("segment.bytes", Type::Int, "1073741824"),
    known("segment.index.bytes", Type::Int, "10485760"),
    known("segment.jitter.ms", Type::Long, "0"),
    known("segment.ms", Type::Long, "604800000"),
    known("unclean.leader.election.enable", Type::Boolean, "false"),
];

/// The broker's own configurations, which nobody can change.
pub(super) const BROKER: &[Known] = &[
    known("auto.create.topics.enable", Type::Boolean, "false"),
    known("group.initial.rebalance.delay.ms", Type::Int, "0"),
    known("group.max.session.timeout.ms", Type::Int, "1800000"),
    known("group.min.session.timeout.ms", Type::Int, "1000"),
    known("log.retention.hours", Type::Int, "168"),
    known("message.max.bytes", Type::Int, "1048588"),
    known("node.id", Type::Int, "1"),
    known("num.partitions", Type::Int, "1"),
    known("offsets.retention.minutes", Type::Int, "10080"),
    known("transaction.max.timeout.ms", Type::Int, "900000"),
];

/// A topic's own settings; what is not here has its default.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Sets a value, or says why it cannot be set.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let Some(known) = TOPIC.iter().find(|known| known.name == name) else {
            return Err(format!("Unknown topic config name: {name}"));
        };
        let allowed = match name {
            CLEANUP_POLICY => value
                .split(',')
                .all(|policy| matches!(policy.trim(), "delete" | "compact")),
            TIMESTAMP_TYPE => matches!(value, "CreateTime" | "LogAppendTime"),
            _ => known.kind.accepts(value),
        };
        if !allowed || value.len() > limits::CONFIG_BYTES {
            return Err(format!("Invalid value for configuration {name}"));
        }
        self.0.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Goes back to the default.
    pub(super) fn unset(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// What was set, if anything.
    pub(super) fn own(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value in force.
    pub(super) fn get(&self, name: &str) -> &str {
        self.own(name).unwrap_or_else(|| {
            TOPIC
                .iter()
                .find(|known| known.name == name)
                .map_or("", |known| known.default)
        })
    }

    /// The value in force as a number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.get(name).parse().ok()
    }

    /// Whether old records of a key are compacted away.
    pub(super) fn is_compacted(&self) -> bool {
        self.get(CLEANUP_POLICY).contains("compact")
    }

    /// Whether old records are deleted.
    pub(super) fn is_deleted(&self) -> bool {
        self.get(CLEANUP_POLICY).contains("delete")
    }
}
