//! What is known of a record beside its bytes: time, sizes, visibility, and whether it is still there. Pure.

use jiff::tz::TimeZone;

use crate::decode::visible;
use crate::engine::Inventory;
use crate::model::time::format_zone;
use crate::model::{Record, TimestampType, Topic, Visibility};

use super::super::num::u64_from_usize;
use super::super::{format, glossary};

/// A fact in few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The words.
    pub text: String,
    /// More about it; nothing when empty.
    pub hint: String,
    /// Whether it is something to mind.
    pub is_warning: bool,
}

impl Fact {
    fn new(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            hint: hint.into(),
            is_warning: false,
        }
    }

    fn warning(text: &str, hint: &str) -> Self {
        Self {
            is_warning: true,
            ..Self::new(text, hint)
        }
    }
}

/// What stands between two facts.
pub(super) const BETWEEN: &str = " · ";

/// Where the record lies.
pub(super) fn address(record: &Record) -> String {
    format!(
        "{} / {} / {}",
        visible::one_line(record.topic.as_bytes(), 256),
        record.partition,
        format::offset(record.offset)
    )
}

/// The facts, in lines of at most `columns` characters where that can be.
pub(super) fn facts(record: &Record, zone: &TimeZone, columns: usize) -> Vec<Vec<Fact>> {
    let mut about = when(record, zone);
    about.push(visibility(record.visibility));
    if let Some(epoch) = record.leader_epoch {
        let hint = glossary::hint("leader epoch").unwrap_or_default();
        about.push(Fact::new(format!("leader epoch {epoch}"), hint));
    }
    let mut lines = flow(about, columns);
    lines.extend(flow(sizes(record), columns));
    lines
}

fn when(record: &Record, zone: &TimeZone) -> Vec<Fact> {
    let time = record.timestamp.map_or_else(
        || Fact::new("no time", "The record carries no timestamp"),
        |time| {
            let text = format!(
                "{} {}",
                format::date_and_time(time, zone),
                format_zone(time, zone)
            );
            Fact::new(text, format!("{} ms since 1970, UTC", time.0))
        },
    );
    let kind = match record.timestamp_type {
        Some(TimestampType::CreateTime) => {
            Fact::new("set by the producer", "Timestamp type: CreateTime")
        }
        Some(TimestampType::LogAppendTime) => Fact::new(
            "set by the broker when appended",
            "Timestamp type: LogAppendTime",
        ),
        None => Fact::new(
            "— timestamp type",
            "The record came without a timestamp type",
        ),
    };
    vec![time, kind]
}

fn sizes(record: &Record) -> Vec<Fact> {
    let bytes = |name: &str, bytes: Option<usize>| {
        let Some(len) = bytes else {
            let hint = "null: there is none, which is not the same as an empty one";
            return Fact::new(format!("{name} null"), hint);
        };
        let len = u64_from_usize(len);
        Fact::new(
            format!("{name} {}", format::size(len)),
            format::counted(len, "byte", "bytes"),
        )
    };
    let headers: usize = record
        .headers
        .iter()
        .map(|header| {
            let value = header.value.as_ref().map_or(0, bytes::Bytes::len);
            header.name.as_bytes().len().saturating_add(value)
        })
        .fold(0, usize::saturating_add);
    let headers = if record.headers.is_empty() {
        Fact::new("no headers", "")
    } else {
        let len = u64_from_usize(headers);
        Fact::new(
            format!("headers {}", format::size(len)),
            format!(
                "{} in the names and values of {}",
                format::counted(len, "byte", "bytes"),
                format::counted(u64_from_usize(record.headers.len()), "header", "headers")
            ),
        )
    };
    vec![
        bytes("key", record.key.as_ref().map(bytes::Bytes::len)),
        bytes("value", record.value.as_ref().map(bytes::Bytes::len)),
        headers,
    ]
}

fn visibility(visibility: Visibility) -> Fact {
    match visibility {
        Visibility::Committed => {
            Fact::new("committed", "Readers of every isolation level are given it")
        }
        Visibility::Aborted => Fact::warning(
            "withdrawn: its transaction was aborted",
            &glossary::explained(
                "read_committed readers are never given it; read_uncommitted ones are",
                "transaction",
            ),
        ),
        Visibility::Open => Fact::warning(
            "open: its transaction has not ended",
            &glossary::explained(
                "It lies at or after the first record of an open transaction; read_committed readers wait there",
                "transaction",
            ),
        ),
        Visibility::Unknown => Fact::warning(
            "— visibility not known",
            "Whether read_committed readers are given it was not found out: reading as one of them did not come this far",
        ),
    }
}

/// `facts` in lines of at most `columns` characters; one that is longer has a line of its own.
fn flow(facts: Vec<Fact>, columns: usize) -> Vec<Vec<Fact>> {
    let mut lines: Vec<Vec<Fact>> = Vec::new();
    let mut used = 0_usize;
    for fact in facts {
        let chars = fact.text.chars().count();
        let with_it = used
            .saturating_add(BETWEEN.chars().count())
            .saturating_add(chars);
        match lines.last_mut() {
            Some(line) if with_it <= columns => {
                line.push(fact);
                used = with_it;
            }
            _ => {
                lines.push(vec![fact]);
                used = chars;
            }
        }
    }
    lines
}

/// Why the record is not on the bus any more, as far as that is known.
pub(super) fn gone(record: &Record, inventory: &Inventory) -> Option<String> {
    let Some(Ok(topics)) = &inventory.topics else {
        return None;
    };
    let Some(topic) = topic_of(record, inventory) else {
        // An empty list is no proof either.
        return (!topics.is_empty()).then(|| {
            "No longer on the bus: there is no such topic. This is what was read.".to_owned()
        });
    };
    let mut partitions = topic.partitions.iter();
    let partition = partitions.find(|partition| partition.id == record.partition)?;
    let start = *partition.log_start.as_ref().ok()?;
    (record.offset < start).then(|| {
        format!(
            "No longer on the bus: the partition begins at {} now. This is what was read.",
            format::offset(start)
        )
    })
}

/// The topic of `record`, when it is known.
pub(super) fn topic_of<'i>(record: &Record, inventory: &'i Inventory) -> Option<&'i Topic> {
    let topics = inventory.topics();
    let index = topics
        .binary_search_by(|topic| topic.name.cmp(&record.topic))
        .ok()?;
    topics.get(index).map(AsRef::as_ref)
}

/// Whether a null value in `record`'s topic is a tombstone.
pub(super) fn is_compacted(record: &Record, inventory: &Inventory) -> bool {
    topic_of(record, inventory).is_some_and(|topic| {
        topic
            .config
            .as_ref()
            .is_ok_and(crate::model::TopicConfig::is_compacted)
    })
}

/// `text` in lines of at most `columns` characters, broken between words where that can be.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0_usize;
    for word in text.split(' ') {
        let chars = word.chars().count();
        let with_it = used.saturating_add(1).saturating_add(chars);
        match lines.last_mut() {
            Some(line) if with_it <= columns => {
                line.push(' ');
                line.push_str(word);
                used = with_it;
            }
            _ => {
                lines.push(word.to_owned());
                used = chars;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::model::{
        Header, Offset, PartitionId, Problem, ProblemKind, Text, TimestampMs, TopicConfig, by_hand,
    };

    fn record() -> Record {
        Record {
            topic: "orders".into(),
            partition: PartitionId(1),
            offset: Offset(88_213),
            timestamp: Some(TimestampMs(1_796_043_720_007)),
            timestamp_type: Some(TimestampType::LogAppendTime),
            key: Some(Bytes::from_static(b"o-4711")),
            value: Some(Bytes::from(vec![b'x'; 1_250])),
            headers: vec![Header {
                name: Text::from("ab"),
                value: Some(Bytes::from_static(b"123")),
            }],
            leader_epoch: Some(4),
            visibility: Visibility::Aborted,
        }
    }

    fn texts(lines: &[Vec<Fact>]) -> Vec<Vec<&str>> {
        lines
            .iter()
            .map(|line| line.iter().map(|fact| fact.text.as_str()).collect())
            .collect()
    }

    fn inventory(start: i64, policy: &str) -> Inventory {
        let topic = Topic {
            config: Ok(TopicConfig {
                cleanup_policy: Some(policy.into()),
                ..TopicConfig::default()
            }),
            ..by_hand::topic("orders", vec![by_hand::partition(1, start, 90_000)])
        };
        Inventory {
            topics: Some(Ok(vec![Arc::new(topic)])),
            ..Inventory::default()
        }
    }

    #[test]
    fn facts_are_said_in_lines_that_fit() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let lines = facts(&record(), &zone, 48);
        assert_eq!(
            texts(&lines),
            [
                vec!["30 Nov 2026 14:02:00.007 UTC+01:00"],
                vec!["set by the broker when appended"],
                vec!["withdrawn: its transaction was aborted"],
                vec!["leader epoch 4"],
                vec!["key 6 B", "value 1.2 kB", "headers 5 B"],
            ]
        );
        assert!(lines[2][0].hint.ends_with("valid together or not at all"));
        assert!(lines[3][0].hint.starts_with("Counts the leaders"));
        assert_eq!(lines[4][1].hint, "1,250 bytes");
        assert_eq!(
            lines[4][2].hint,
            "5 bytes in the names and values of 1 header"
        );
        assert_eq!(texts(&facts(&record(), &zone, 200)).len(), 2);
        assert_eq!(address(&record()), "orders / 1 / 88,213");
    }

    #[test]
    fn what_is_missing_is_said_and_never_zero() {
        let bare = Record {
            timestamp: None,
            timestamp_type: None,
            key: None,
            value: Some(Bytes::new()),
            headers: vec![],
            leader_epoch: None,
            visibility: Visibility::Unknown,
            ..record()
        };
        assert_eq!(
            texts(&facts(&bare, &TimeZone::UTC, 200)),
            [
                vec!["no time", "— timestamp type", "— visibility not known"],
                vec!["key null", "value 0 B", "no headers"],
            ]
        );
    }

    #[test]
    fn a_record_before_the_log_start_or_of_a_missing_topic_is_gone() {
        assert_eq!(gone(&record(), &inventory(88_213, "delete")), None);
        assert_eq!(
            gone(&record(), &inventory(89_000, "delete")).as_deref(),
            Some(
                "No longer on the bus: the partition begins at 89,000 now. This is what was read."
            )
        );
        let mut other = record();
        other.topic = "payments".into();
        let said = gone(&other, &inventory(0, "delete"));
        assert!(said.is_some_and(|said| said.contains("no such topic")));
        assert_eq!(gone(&record(), &Inventory::default()), None);
        let failed = Inventory {
            topics: Some(Err(Problem::new(ProblemKind::TimedOut, "no answer"))),
            ..Inventory::default()
        };
        assert_eq!(gone(&record(), &failed), None);
    }

    #[test]
    fn compaction_makes_a_tombstone() {
        assert!(is_compacted(&record(), &inventory(0, "compact,delete")));
        assert!(!is_compacted(&record(), &inventory(0, "delete")));
        assert!(!is_compacted(&record(), &Inventory::default()));
    }

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("longword x", 4), ["longword", "x"]);
    }
}
