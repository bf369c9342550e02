use super::*;
use crate::model::{Header, Offset, Text, TimestampType, TopicConfig, by_hand};

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

fn by_path() -> Events {
    let rules = EventRules {
        version: Some(VersionRule::path(".v").unwrap()),
        ..EventRules::default()
    };
    Events::new(rules, 1 << 20)
}

fn versions(events: &mut Events, topic: &str, first: i64, key: &str, versions: &[i64]) {
    for (version, offset) in versions.iter().zip(first..) {
        let json = format!("{{\"v\":{version}}}");
        events.add(&record(topic, offset, key), Some(&json));
    }
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
fn a_missing_version_is_found_between_its_neighbours() {
    let mut events = by_path();
    assert!(events.needs_value());
    versions(&mut events, "t", 0, "o-42", &[1, 2, 4, 5, 9]);
    assert_eq!(
        told(&events, &[]),
        [
            ("G11", 1, 2, "strong", false),
            ("G11", 3, 4, "strong", false)
        ]
    );
    let findings = events.findings(NOW, &[]);
    assert_eq!(
        findings[0].sentence,
        "o-42 went from step 2 to step 4 in t/0; step 3 is nowhere in what was read."
    );
    assert_eq!(findings[1].records, Some(3));
    assert_ne!(findings[0].id, findings[1].id);
}

#[test]
fn disorder_repetition_late_beginnings_and_other_places_are_no_gaps() {
    let mut events = by_path();
    versions(&mut events, "t", 0, "late", &[6, 7, 8]);
    versions(&mut events, "t", 10, "disorder", &[1, 4, 3, 2, 5]);
    versions(&mut events, "t", 20, "again", &[1, 2, 2, 3]);
    versions(&mut events, "t", 30, "elsewhere", &[1, 3]);
    versions(&mut events, "u", 0, "elsewhere", &[2]);
    assert_eq!(told(&events, &[]), []);
}

#[test]
fn a_version_in_dead_letters_or_withdrawn_is_a_question() {
    let mut events = by_path();
    versions(&mut events, "t", 0, "a", &[1, 3]);
    versions(&mut events, "t-dlt", 0, "a", &[2]);
    versions(&mut events, "t", 10, "b", &[1, 3]);
    let withdrawn = Record {
        visibility: Visibility::Aborted,
        ..record("t", 20, "b")
    };
    events.add(&withdrawn, Some("{\"v\":2}"));
    assert_eq!(
        told(&events, &[]),
        [("G11", 0, 1, "hint", false), ("G11", 10, 11, "hint", false)]
    );
}

#[test]
fn compaction_explains_and_a_moment_may_still_bring_it() {
    let mut compacted = by_hand::topic("t", vec![]);
    compacted.config = Ok(TopicConfig {
        cleanup_policy: Some("compact".to_owned()),
        ..TopicConfig::default()
    });
    let mut events = by_path();
    versions(&mut events, "t", 0, "a", &[1, 3]);
    assert_eq!(
        told(&events, &[Arc::new(compacted)]),
        [("G11", 0, 1, "hint", true)]
    );
    let mut young = by_path();
    versions(&mut young, "t", 9_990, "a", &[1, 3]);
    assert_eq!(told(&young, &[]), [("G11", 9_990, 9_991, "hint", false)]);
}

#[test]
fn gaps_of_most_keys_are_by_design_and_told_once() {
    let mut events = by_path();
    for (key, first) in ["a", "b", "c", "d", "e", "f"].iter().zip((0..).step_by(10)) {
        versions(&mut events, "t", first, key, &[1, 3, 7]);
    }
    let told = told(&events, &[]);
    assert_eq!(told, [("G11", -1, -1, "hint", false)]);
}

#[test]
fn versions_may_be_text_or_binary_in_a_header() {
    let rule = VersionRule::header("seq");
    let version = |value: &[u8]| {
        let mut record = record("t", 0, "a");
        record.headers = vec![Header {
            name: Text::from("seq"),
            value: Some(value.to_vec().into()),
        }];
        rule.version(&record, None)
    };
    assert_eq!(version(b"12"), Some(12));
    assert_eq!(version(b"\"12\""), Some(12));
    assert_eq!(version(&7_i64.to_be_bytes()), Some(7));
    assert_eq!(version(b"twelve"), None);
    assert!(VersionRule::path("[").is_err());
}

fn cloud_event(offset: i64, id: &str, source: &str) -> Record {
    with(
        record("t", offset, "k"),
        &[("ce_id", id), ("ce_source", source)],
    )
}

#[test]
fn an_event_is_the_same_by_source_and_id() {
    let mut events = Events::new(EventRules::default(), 1 << 20);
    for record in [
        cloud_event(0, "1", "/shop"),
        cloud_event(1, "2", "/shop"),
        cloud_event(2, "1", "/billing"),
        cloud_event(3, "1", "/shop"),
    ] {
        events.add(&record, None);
    }
    assert_eq!(told(&events, &[]), [("G14", 0, 3, "strong", false)]);
    assert!(
        events.findings(NOW, &[])[0]
            .sentence
            .contains("tried again")
    );
}

#[test]
fn other_content_is_a_question_and_other_topics_and_dead_letters_are_no_duplicates() {
    let mut events = Events::new(EventRules::default(), 1 << 20);
    let id = |topic: &str, offset, value: &'static [u8]| Record {
        value: Some(value.to_vec().into()),
        ..with(record(topic, offset, "k"), &[("Event-Id", "e-1")])
    };
    events.add(&id("t", 0, b"a"), None);
    events.add(&id("u", 0, b"a"), None);
    events.add(&id("t-retry-0", 0, b"a"), None);
    events.add(&id("t-retry-0", 1, b"a"), None);
    let withdrawn = Record {
        visibility: Visibility::Aborted,
        ..id("t", 1, b"a")
    };
    events.add(&withdrawn, None);
    assert_eq!(told(&events, &[]), []);
    events.add(&id("t", 2, b"b"), None);
    assert_eq!(told(&events, &[]), [("G14", 0, 2, "hint", false)]);
}

#[test]
fn a_copy_that_comes_much_later_was_sent_again() {
    let mut events = Events::new(EventRules::default(), 1 << 20);
    events.add(&cloud_event(0, "1", "/shop"), None);
    events.add(&cloud_event(5_000, "1", "/shop"), None);
    let findings = events.findings(NOW, &[]);
    assert!(
        findings[0].sentence.contains("replay"),
        "{}",
        findings[0].sentence
    );
}

#[test]
fn times_of_one_key_that_go_backwards_were_written_late() {
    let mut events = Events::new(EventRules::default(), 1 << 20);
    let at = |offset: i64, key: &str, ms: i64| Record {
        timestamp: Some(TimestampMs(ms)),
        ..record("t", offset, key)
    };
    for record in [
        at(0, "a", 10_000),
        at(1, "b", 20_000),
        at(2, "a", 15_000),
        at(3, "a", 14_000),
        at(4, "a", 12_000),
        at(5, "b", 21_000),
    ] {
        events.add(&record, None);
    }
    // Offset 3 is a second early, which clocks may differ by; offset 4 is three.
    assert_eq!(told(&events, &[]), [("G15", 2, 4, "strong", false)]);
    let mut appended = Events::new(EventRules::default(), 1 << 20);
    for (offset, ms) in [(0, 50_000), (1, 10_000)] {
        let record = Record {
            timestamp_type: Some(TimestampType::LogAppendTime),
            ..at(offset, "a", ms)
        };
        appended.add(&record, None);
    }
    assert_eq!(told(&appended, &[]), []);
}

#[test]
fn sequences_are_compared_as_text_and_counted_only_where_they_count() {
    let sequences = |values: &[&str]| {
        let mut events = Events::new(EventRules::default(), 1 << 20);
        for (value, offset) in values.iter().zip(0..) {
            let headers = [("ce_sequence", *value), ("ce_source", "/s")];
            events.add(&with(record("t", offset, "k"), &headers), None);
        }
        told(&events, &[])
    };
    assert_eq!(sequences(&["001", "002", "003"]), []);
    assert_eq!(
        sequences(&["002", "001", "003"]),
        [("G12", 0, 1, "strong", false)]
    );
    assert_eq!(sequences(&["001", "004"]), [("G12", 0, 1, "hint", false)]);
    assert_eq!(sequences(&["a1", "a4", "b"]), []);
}

#[test]
fn what_has_no_room_is_not_followed_and_said() {
    let mut events = Events::new(EventRules::default(), 10_000);
    for offset in 0..1_000 {
        events.add(&record("t", offset, &format!("k{offset}")), None);
    }
    assert!(events.over_budget());
    assert!(events.used <= 10_000);
    let mut enough = Events::new(EventRules::default(), 1 << 20);
    enough.add(&record("t", 0, "k"), None);
    assert!(!enough.over_budget());
}

#[test]
fn of_very_many_the_rest_is_one_finding() {
    let mut events = Events::new(EventRules::default(), 1 << 20);
    for offset in 0..200 {
        events.add(&cloud_event(offset, "1", "/shop"), None);
    }
    let told = told(&events, &[]);
    assert_eq!(told.len(), ONE_BY_ONE + 1);
    assert_eq!(Offset(told[0].1), Offset(0));
}
