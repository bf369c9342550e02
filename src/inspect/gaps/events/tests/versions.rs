use super::*;
use crate::model::Offset;

fn by_path() -> Events {
    let rules = EventRules {
        version: Some(VersionRule::path(".v").unwrap()),
        ..EventRules::default()
    };
    Events::new(rules, 1 << 20)
}

fn add(events: &mut Events, record: &Record, version: i64) {
    events.add(record, Some(&format!("{{\"v\":{version}}}")));
}

fn versions(events: &mut Events, topic: &str, first: i64, key: &str, versions: &[i64]) {
    for (version, offset) in versions.iter().zip(first..) {
        add(events, &record(topic, offset, key), *version);
    }
}

fn sentence(events: &Events) -> String {
    events.findings(NOW, &[])[0].sentence.clone()
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
    assert_eq!(
        findings[1].sentence,
        "o-42 went from step 5 to step 9 in t/0; steps 6 to 8 are nowhere in what was read."
    );
    assert_eq!(findings[1].records, Some(3));
    assert_eq!(findings[1].from_time, Some(TimestampMs(3_000)));
    assert_eq!(findings[1].to_time, Some(TimestampMs(4_000)));
    assert_ne!(findings[0].id, findings[1].id);
}

#[test]
fn a_gap_between_two_partitions_lies_where_the_later_record_is() {
    let mut events = by_path();
    add(&mut events, &record("t", 0, "a"), 1);
    let other = Record {
        partition: crate::model::PartitionId(1),
        ..record("t", 0, "a")
    };
    add(
        &mut events,
        &Record {
            offset: Offset(7),
            ..other.clone()
        },
        3,
    );
    let findings = events.findings(NOW, &[]);
    assert_eq!(findings[0].at(), Some(TopicPartition::new("t", 1)));
    assert_eq!(
        (findings[0].from, findings[0].to),
        (Some(Offset(7)), Some(Offset(7)))
    );
}

#[test]
fn disorder_repetition_late_beginnings_and_other_places_are_no_gaps() {
    let mut events = by_path();
    versions(&mut events, "t", 0, "late", &[6, 7, 8]);
    versions(&mut events, "t", 10, "disorder", &[1, 4, 3, 2, 5]);
    versions(&mut events, "t", 20, "again", &[1, 2, 2, 3]);
    versions(&mut events, "t", 30, "elsewhere", &[1, 3]);
    versions(&mut events, "u", 0, "elsewhere", &[2]);
    versions(&mut events, "t", 40, "one", &[7]);
    let keyless = Record {
        key: None,
        ..record("t", 50, "")
    };
    add(&mut events, &keyless, 1);
    add(&mut events, &keyless, 5);
    assert_eq!(told(&events, &[]), []);
}

#[test]
fn a_version_that_no_number_is_does_not_count() {
    let mut events = by_path();
    for (json, offset) in [
        "{\"v\":1}",
        "{}",
        "{\"v\":null}",
        "no json",
        "{\"v\":\"x\"}",
        "{\"v\":2.5}",
    ]
    .iter()
    .zip(0..)
    {
        events.add(&record("t", offset, "a"), Some(json));
    }
    events.add(&record("t", 9, "a"), None);
    events.add(&record("t", 10, "a"), Some("{\"v\":\"2\"}"));
    assert_eq!(told(&events, &[]), []);
    events.add(&record("t", 11, "a"), Some("{\"v\":\"4\"}"));
    assert_eq!(told(&events, &[]), [("G11", 10, 11, "strong", false)]);
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
    add(&mut events, &withdrawn, 2);
    assert_eq!(
        told(&events, &[]),
        [("G11", 0, 1, "hint", false), ("G11", 10, 11, "hint", false)]
    );
    let findings = events.findings(NOW, &[]);
    assert!(findings[0].sentence.contains("dead letters"));
    assert!(findings[1].sentence.contains("withdrawn"));
}

#[test]
fn of_a_gap_that_dead_letters_explain_in_part_the_rest_is_missing() {
    let mut events = by_path();
    versions(&mut events, "t", 0, "a", &[1, 4]);
    versions(&mut events, "t-dlt", 0, "a", &[2]);
    let findings = events.findings(NOW, &[]);
    assert_eq!(told(&events, &[]), [("G11", 0, 1, "strong", false)]);
    assert_eq!(findings[0].records, Some(1));
}

#[test]
fn a_withdrawn_version_that_was_sent_again_is_no_gap() {
    let mut events = by_path();
    let withdrawn = Record {
        visibility: Visibility::Aborted,
        ..record("t", 1, "a")
    };
    versions(&mut events, "t", 0, "a", &[1]);
    add(&mut events, &withdrawn, 2);
    versions(&mut events, "t", 2, "a", &[2, 3]);
    assert_eq!(told(&events, &[]), []);
}

#[test]
fn compaction_explains_and_a_moment_may_still_bring_it() {
    let mut events = by_path();
    versions(&mut events, "t", 0, "a", &[1, 3]);
    assert_eq!(
        told(&events, &[compacted("t")]),
        [("G11", 0, 1, "hint", true)]
    );
    // 10,000,000 ms is now: the offset 9,941 is 59 seconds old, and 9,940 a minute.
    let mut young = by_path();
    versions(&mut young, "t", 9_940, "a", &[1, 3]);
    assert_eq!(told(&young, &[]), [("G11", 9_940, 9_941, "hint", false)]);
    assert!(sentence(&young).contains("may still come"));
    let mut old = by_path();
    versions(&mut old, "t", 9_939, "a", &[1, 3]);
    assert_eq!(told(&old, &[]), [("G11", 9_939, 9_940, "strong", false)]);
}

#[test]
fn a_version_may_lie_in_another_partition_before_what_was_read_of_it() {
    let other = |offset, ms| Record {
        partition: crate::model::PartitionId(1),
        timestamp: Some(TimestampMs(ms)),
        ..record("t", offset, "a")
    };
    // Partition 1 was read from offset 50 on, which is later than version 1.
    let mut events = by_path();
    versions(&mut events, "t", 0, "a", &[1]);
    add(&mut events, &other(50, 5_000), 3);
    assert_eq!(told(&events, &[]), [("G11", 50, 50, "hint", false)]);
    assert!(sentence(&events).contains("t/1 before that"));
    // It was read from its very beginning.
    let mut whole = by_path();
    versions(&mut whole, "t", 0, "a", &[1]);
    add(&mut whole, &other(0, 5_000), 3);
    assert_eq!(told(&whole, &[]), [("G11", 0, 0, "strong", false)]);
    // A partition from which everything was deleted.
    let ends = vec![by_hand::partition(0, 0, 1), by_hand::partition(2, 9, 9)];
    let topic = Arc::new(by_hand::topic("t", ends));
    assert_eq!(told(&whole, &[topic]), [("G11", 0, 0, "hint", false)]);
}

#[test]
fn gaps_of_more_than_a_third_of_the_keys_are_by_design_and_told_once() {
    let gapped = |gaps: usize| {
        let mut events = by_path();
        for (key, n) in ["a", "b", "c", "d", "e", "f"].iter().zip(0..) {
            let numbers = if n < gaps { [1, 3, 4] } else { [1, 2, 3] };
            let first = i64::try_from(n).unwrap() * 10;
            versions(&mut events, "t", first, key, &numbers);
        }
        told(&events, &[])
    };
    assert_eq!(gapped(3), [("G11", -1, -1, "hint", false)]);
    assert_eq!(
        gapped(2),
        [
            ("G11", 0, 1, "strong", false),
            ("G11", 10, 11, "strong", false)
        ]
    );
}

#[test]
fn gaps_by_design_of_one_topic_do_not_hide_those_of_another() {
    let mut events = by_path();
    for (key, first) in ["a", "b", "c", "d", "e"].iter().zip((0..).step_by(10)) {
        versions(&mut events, "t", first, key, &[1, 3]);
        versions(&mut events, "u", first, &format!("u{key}"), &[1, 2]);
    }
    versions(&mut events, "u", 100, "lost", &[1, 3]);
    assert_eq!(
        told(&events, &[]),
        [
            ("G11", 100, 101, "strong", false),
            ("G11", -1, -1, "hint", false)
        ]
    );
}

#[test]
fn a_key_whose_version_is_a_time_has_no_gaps() {
    let mut events = by_path();
    versions(
        &mut events,
        "t",
        0,
        "a",
        &[1_000, 2_500, 2_900, 7_000, 7_001],
    );
    assert_eq!(told(&events, &[]), [("G11", -1, -1, "hint", false)]);
}

#[test]
fn of_very_many_gaps_the_rest_is_one_finding() {
    let mut events = by_path();
    for n in 0..600 {
        versions(&mut events, "t", n * 10, &format!("k{n}"), &[1, 3]);
        versions(&mut events, "t", n * 10 + 4, &format!("a{n}"), &[1, 2]);
        versions(&mut events, "t", n * 10 + 6, &format!("b{n}"), &[1, 2]);
    }
    let findings = events.findings(NOW, &[]);
    assert_eq!(findings.len(), 501);
    assert!(findings[500].sentence.contains("100 more places"));
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
    assert_eq!(version(b"12345678"), Some(12_345_678));
    assert_eq!(version(&7_i64.to_be_bytes()), Some(7));
    assert_eq!(version(&7_i32.to_be_bytes()), Some(7));
    assert_eq!(version(b"twelve"), None);
    assert!(VersionRule::path("[").is_err());
}

#[test]
fn a_binary_key_is_shown_as_what_it_is() {
    let mut events = by_path();
    for (version, offset) in [(1, 0), (3, 1)] {
        let key = Some(4_711_i64.to_be_bytes().to_vec().into());
        add(
            &mut events,
            &Record {
                key,
                ..record("t", offset, "")
            },
            version,
        );
    }
    assert!(sentence(&events).starts_with("4711 went from step 1 to step 3"));
    let mut empty = by_path();
    versions(&mut empty, "t", 0, "", &[1, 3]);
    assert!(sentence(&empty).starts_with("(empty key) went from step 1"));
}

#[test]
fn what_could_not_be_followed_makes_a_gap_a_question() {
    let rules = EventRules {
        version: Some(VersionRule::path(".v").unwrap()),
        ..EventRules::default()
    };
    let mut events = Events::new(rules, 6_000);
    versions(&mut events, "t", 0, "a", &[1, 4]);
    for n in 0..1_000 {
        versions(&mut events, "t", 10 + n, &format!("k{n}"), &[1]);
    }
    assert!(events.over_budget());
    assert_eq!(told(&events, &[]), [("G11", 0, 1, "hint", false)]);
    assert!(sentence(&events).contains("steps 2 to 3 were not seen"));
}
