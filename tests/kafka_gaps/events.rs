//! What is missing or odd among the events themselves.

use serde_json::Value;

use crate::support::raw::{self, Record};
use crate::{Lab, alarms, expected, now_ms, of_kind, place, says};

fn version(key: &str, version: i64, at: i64) -> Record {
    Record::new(
        at,
        key,
        format!("{{\"version\":{version},\"of\":\"{key}\"}}"),
    )
}

#[test]
fn a_version_that_is_missing_for_one_key_is_found() {
    let lab = Lab::get();
    lab.topic("versions", 2);
    let to = lab.kafka.bootstrap();
    let at = now_ms() - 600_000;
    let of = |key: &str, numbers: &[i64]| -> Vec<Record> {
        numbers
            .iter()
            .map(|number| version(key, *number, at + number * 100))
            .collect()
    };
    // o-7 is whole in another partition, o-8 begins late, o-9 is out of order, and all of o-10 is there, once twice.
    raw::produce(&to, "versions", 0, &of("o-42", &[1, 2, 4, 5]));
    raw::produce(&to, "versions", 1, &of("o-7", &[1, 2, 3]));
    raw::produce(&to, "versions", 0, &of("o-7", &[4, 5]));
    raw::produce(&to, "versions", 1, &of("o-8", &[6, 7, 8]));
    raw::produce(&to, "versions", 1, &of("o-9", &[1, 3, 2, 4]));
    raw::produce(&to, "versions", 0, &of("o-10", &[1, 2, 2, 3]));
    lab.cluster.commit(
        "reads-versions",
        &[("versions", 0, 10), ("versions", 1, 10)],
    );

    let run = lab
        .gaps(&["--topic", "versions", "--version-path", ".version"])
        .exits(0);
    let missing = of_kind(&run, "G11");
    assert_eq!(
        missing.iter().map(place).collect::<Vec<_>>(),
        [expected("G11", 0, (1, 2), 1, "strong", false)],
        "{}",
        run.stdout
    );
    says(&missing[0], &["o-42", "3"]);
    assert_eq!(missing[0]["evidence"]["missing_from"], 3);
    assert_eq!(missing[0]["evidence"]["missing_to"], 3);
    assert_eq!(missing[0]["evidence"]["after"]["offset"], 2);
    let others: Vec<Value> = alarms(&run)
        .into_iter()
        .filter(|finding| finding["kind"] != "G11")
        .collect();
    assert_eq!(others, Vec::<Value>::new());
}

#[test]
fn a_version_may_stand_in_a_header() {
    let lab = Lab::get();
    lab.topic("header-versions", 1);
    let at = now_ms() - 600_000;
    let records: Vec<Record> = [1, 2, 3, 5]
        .iter()
        .map(|number: &i64| {
            Record::new(at + number, "a", "x").header("seq", Some(number.to_string().as_bytes()))
        })
        .collect();
    raw::produce(&lab.kafka.bootstrap(), "header-versions", 0, &records);
    let run = lab
        .gaps(&["--topic", "header-versions", "--version-header", "seq"])
        .exits(0);
    let missing = of_kind(&run, "G11");
    assert_eq!(missing.len(), 1, "{}", run.stdout);
    assert_eq!(missing[0]["evidence"]["missing_from"], 4);
}

#[test]
fn an_event_that_was_written_twice_is_told_from_one_that_another_source_gave_the_same_id() {
    let lab = Lab::get();
    lab.topic("duplicates", 1);
    let at = now_ms() - 600_000;
    let event = |id: &str, source: &str, value: &str| {
        Record::new(at, "k", value)
            .header("ce_specversion", Some(b"1.0"))
            .header("ce_id", Some(id.as_bytes()))
            .header("ce_source", Some(source.as_bytes()))
    };
    let records = [
        event("1", "/shop", "a"),
        event("2", "/shop", "b"),
        event("1", "/shop", "a"),
        event("2", "/billing", "c"),
    ];
    raw::produce(&lab.kafka.bootstrap(), "duplicates", 0, &records);
    let run = lab.gaps(&["--topic", "duplicates"]).exits(0);
    let twice = of_kind(&run, "G14");
    assert_eq!(twice.len(), 1, "{}", run.stdout);
    assert_eq!(twice[0]["certainty"], "strong");
    assert_eq!(twice[0]["from_offset"], 0);
    assert_eq!(twice[0]["to_offset"], 2);
    assert_eq!(alarms(&run).len(), 1, "{}", run.stdout);
}

#[test]
fn a_key_whose_time_goes_backwards_was_written_late() {
    let lab = Lab::get();
    lab.topic("late", 1);
    let at = now_ms() - 600_000;
    let records = [
        Record::new(at, "a", "1"),
        Record::new(at + 5_000, "b", "1"),
        Record::new(at + 9_000, "a", "2"),
        Record::new(at + 3_000, "a", "3"),
        // Earlier than what stands before it, but of another key.
        Record::new(at + 6_000, "b", "2"),
    ];
    raw::produce(&lab.kafka.bootstrap(), "late", 0, &records);
    let run = lab.gaps(&["--topic", "late"]).exits(0);
    let backwards = of_kind(&run, "G15");
    assert_eq!(backwards.len(), 1, "{}", run.stdout);
    assert_eq!(backwards[0]["to_offset"], 3);
    assert_eq!(alarms(&run).len(), 1, "{}", run.stdout);
}

#[test]
fn a_topic_that_is_usually_busy_and_now_is_not_is_silent() {
    let lab = Lab::get();
    lab.topic_with("silent", 1, &[("retention.ms", "-1")]);
    lab.topic_with("still-busy", 1, &[("retention.ms", "-1")]);
    let now = now_ms();
    // 20 an hour for eight days; one stops three hours ago.
    for (topic, until) in [("silent", now - 3 * 3_600_000), ("still-busy", now)] {
        let from = now - 8 * 86_400_000;
        let count = (until - from) / 180_000;
        let records: Vec<Record> = (0..count)
            .map(|n| Record::new(from + n * 180_000, format!("k{n}"), "x"))
            .collect();
        for part in records.chunks(500) {
            raw::produce(&lab.kafka.bootstrap(), topic, 0, part);
        }
    }
    let run = lab
        .gaps(&["--topic", "silent", "--topic", "still-busy"])
        .exits(0);
    let silent = of_kind(&run, "G21");
    assert_eq!(silent.len(), 1, "{}", run.stdout);
    assert_eq!(silent[0]["topic"], "silent");
    assert_eq!(silent[0]["certainty"], "strong");
}
