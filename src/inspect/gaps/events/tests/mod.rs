//! What is found among events, and what is not.

mod order;
mod twice;
mod versions;

use super::*;
use crate::model::{Header, Text, TimestampType, by_hand};

const NOW: TimestampMs = TimestampMs(10_000_000);

/// A record of this key at this offset, a second after the offset before.
fn record(topic: &str, offset: i64, key: &str) -> Record {
    Record {
        key: Some(key.as_bytes().to_vec().into()),
        timestamp: Some(TimestampMs(offset * 1_000)),
        timestamp_type: Some(TimestampType::CreateTime),
        ..by_hand::record(topic, 0, offset)
    }
}

fn with(mut record: Record, headers: &[(&str, &str)]) -> Record {
    record.headers = headers
        .iter()
        .map(|(name, value)| Header {
            name: Text::from(*name),
            value: Some(value.as_bytes().to_vec().into()),
        })
        .collect();
    record
}

fn plain() -> Events {
    Events::new(EventRules::default(), 1 << 20)
}

fn of(records: impl IntoIterator<Item = Record>) -> Events {
    let mut events = plain();
    for record in records {
        events.add(&record, None);
    }
    events
}

fn compacted(name: &str) -> Arc<Topic> {
    let mut topic = by_hand::topic(name, vec![]);
    topic.config = Ok(crate::model::TopicConfig {
        cleanup_policy: Some("compact".to_owned()),
        ..crate::model::TopicConfig::default()
    });
    Arc::new(topic)
}

/// Kind, first and last offset, certainty, normal.
fn told(
    events: &Events,
    topics: &[Arc<Topic>],
) -> Vec<(&'static str, i64, i64, &'static str, bool)> {
    let findings = events.findings(NOW, topics);
    findings
        .iter()
        .map(|finding| {
            (
                finding.kind.code(),
                finding.from.map_or(-1, |from| from.0),
                finding.to.map_or(-1, |to| to.0),
                finding.certainty.name(),
                finding.normal,
            )
        })
        .collect()
}

#[test]
fn what_has_no_room_is_not_followed_and_said() {
    let mut events = Events::new(EventRules::default(), 10_000);
    for offset in 0..1_000 {
        events.add(&record("t", offset, &format!("k{offset}")), None);
    }
    assert!(events.over_budget());
    // What is known already is still followed.
    let late = Record {
        timestamp: Some(TimestampMs(-9_000)),
        ..record("t", 1_000, "k0")
    };
    events.add(&late, None);
    assert_eq!(told(&events, &[]), [("G15", 0, 1_000, "strong", false)]);
    let enough = of([record("t", 0, "k")]);
    assert!(!enough.over_budget());
}

#[test]
fn an_event_with_key_id_and_version_takes_no_more_than_is_said() {
    let rules = EventRules {
        version: Some(VersionRule::header("v")),
        ..EventRules::default()
    };
    // Tables double: at 28,000 of 28,672 places that are used of 32,768 little is free.
    let budget = 32 << 20;
    let mut events = Events::new(rules, budget);
    for n in 0..28_000_i64 {
        let id = format!("event-{n}");
        let headers = [("event-id", id.as_str()), ("v", "1")];
        events.add(&with(record("t", n, &format!("key-{n}")), &headers), None);
    }
    assert!(!events.over_budget());
    let taken = budget - events.room.left();
    assert!(taken / 28_000 <= 230, "{} bytes an event", taken / 28_000);
}

#[test]
fn a_finding_has_the_same_id_when_more_was_read_and_in_another_run() {
    let rules = EventRules {
        version: Some(VersionRule::header("v")),
        ..EventRules::default()
    };
    let version = |offset, version: &str| {
        let headers = [("v", version), ("event-id", "same")];
        with(record("t", offset, "k"), &headers)
    };
    let ids = |records: &[Record]| {
        let mut events = Events::new(rules.clone(), 1 << 20);
        for record in records {
            events.add(record, None);
        }
        let findings = events.findings(NOW, &[]);
        let ids: Vec<String> = findings.into_iter().map(|finding| finding.id).collect();
        ids
    };
    let mut records = vec![version(0, "1"), version(1, "3")];
    let before = ids(&records);
    records.push(version(2, "4"));
    assert_eq!(before.len(), 2);
    assert_eq!(ids(&records), before);
    assert_eq!(ids(&records), ids(&records));
}
