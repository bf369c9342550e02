//! `tideline records` with filters, rates, budgets and decoding, against a real broker.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::fixture::{MINUTE, T0};
use crate::tideline;

/// The partition, offset and visibility of what `tideline records ARGUMENTS` prints, in order of place.
fn found(arguments: &[&str]) -> (Vec<(i64, i64, String)>, Value) {
    let (records, coverage) = tideline(&[&["records"], arguments].concat())
        .exits(0)
        .records();
    let mut places: Vec<(i64, i64, String)> = records
        .iter()
        .map(|record| {
            (
                record["partition"].as_i64().unwrap(),
                record["offset"].as_i64().unwrap(),
                record["visibility"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    places.sort();
    (places, coverage)
}

fn places(partition: i64, offsets: &[i64], visibility: &str) -> Vec<(i64, i64, String)> {
    let place = |offset: &i64| (partition, *offset, visibility.to_owned());
    offsets.iter().map(place).collect()
}

#[test]
fn words_are_found_wherever_they_are_and_as_careful_readers_see_them() {
    let (committed, coverage) = found(&["--topic", "six", "--filter", "text:committed"]);
    assert_eq!(committed, places(1, &[5, 6, 7], "committed"));
    assert_eq!(coverage["matched"], 3);
    assert_eq!(coverage["complete"], true);
    // 20 and 17 without two markers, 20 that are left of 30, 5 odd times, 6 odd bytes.
    assert_eq!(coverage["records_scanned"], 20 + 17 + 20 + 5 + 6);

    let (aborted, _) = found(&["--topic", "six", "--filter", "itext:ABORTED"]);
    assert_eq!(aborted, places(1, &[9, 10, 11, 12], "aborted"));
    let (open, _) = found(&["--topic", "six/1", "--filter", "regex:^op.n$"]);
    assert_eq!(open, places(1, &[16, 17], "open"));
    // Behind the open transaction, and so not given to careful readers either.
    let (behind, _) = found(&["--topic", "six/1", "--filter", "key:k18"]);
    assert_eq!(behind, places(1, &[18], "open"));

    let careful = ["--isolation", "read_committed"];
    for (filter, count) in [("text:aborted", 0), ("text:open", 0), ("text:committed", 3)] {
        let (seen, coverage) =
            found(&[&["--topic", "six/1", "--filter", filter], &careful[..]].concat());
        assert_eq!(seen.len(), count, "{filter}");
        assert_eq!(coverage["partitions"][0]["to_offset"], 16);
        // 5 plain, 3 committed, 2 plain.
        assert_eq!(coverage["records_scanned"], 10);
    }
}

#[test]
fn compaction_hides_nothing_and_nothing_is_found_twice() {
    let (all, coverage) = found(&["--topic", "compacted", "--filter", "regex:in"]);
    assert_eq!(all, places(0, &[2, 5, 6, 7, 8], "committed"));
    assert_eq!(coverage["records_scanned"], 5);
}

#[test]
fn filters_are_combined_and_reach_into_what_is_decoded() {
    let six = |filters: &[&str]| {
        let filters: Vec<&str> = filters
            .iter()
            .flat_map(|filter| ["--filter", filter])
            .collect();
        found(&[&["--topic", "six"], &filters[..]].concat()).0
    };
    assert_eq!(
        six(&["key:k3", "text:3"]),
        [places(0, &[3], "committed"), places(1, &[3], "committed"),].concat()
    );
    assert_eq!(
        six(&["field:.n=19"]),
        [places(0, &[19], "committed"), places(2, &[19], "committed"),].concat()
    );
    assert_eq!(
        six(&[
            "jq:.value.n >= 18 and .partition != 1",
            "jq:.offset % 2 == 0"
        ]),
        [
            places(0, &[18], "committed"),
            places(2, &[18, 20, 22, 24, 26, 28], "committed"),
        ]
        .concat()
    );
    assert_eq!(six(&["header:a=2"]), places(4, &[3], "committed"));
    assert_eq!(
        six(&["header:a=2", "header:a=1"]),
        places(4, &[3], "committed")
    );
    assert_eq!(
        six(&["jq:.value == null and .key_text == \"tombstone\""]),
        places(4, &[0], "committed")
    );
    assert_eq!(six(&["text:nowhere"]), []);
}

#[test]
fn a_failing_expression_is_counted_and_a_wrong_one_is_shown_where() {
    let run = tideline(&[
        "records",
        "--topic",
        "six/0",
        "--filter",
        "jq:if .value.n == 3 then error(\"three\") else .value.n > 17 end",
    ])
    .exits(0);
    let (records, coverage) = run.records();
    let offsets: Vec<&Value> = records.iter().map(|record| &record["offset"]).collect();
    assert_eq!(offsets, [18, 19]);
    assert_eq!(coverage["filter_failures"]["records"], 1);
    assert!(
        coverage["filter_failures"]["first"].is_string(),
        "{coverage}"
    );

    let wrong = tideline(&["records", "--topic", "six/0", "--filter", "regex:a(b"]).exits(2);
    wrong.says(&["--filter", "regex:a(b", "^"]);
    let unknown = tideline(&["records", "--topic", "six/0", "--filter", "colour:red"]).exits(2);
    unknown.says(&["colour"]);
}

#[test]
fn orders_limits_and_the_newest_hold_for_what_is_found() {
    let offsets = |arguments: &[&str]| -> (Vec<i64>, Value) {
        let run = tideline(&[&["records", "--topic", "six"], arguments].concat()).exits(0);
        let (records, coverage) = run.records();
        let offset = |record: &Value| record["offset"].as_i64().unwrap();
        (records.iter().map(offset).collect(), coverage)
    };
    let filter = ["--filter", "regex:^\\{\"n\":1\\d\\}$"];
    // 10 to 19 of partition 0 and of partition 2, and 14, 15 and 18 of partition 1, one a minute.
    let (newest, coverage) =
        offsets(&[&filter[..], &["--newest", "4", "--order", "time"]].concat());
    assert_eq!(newest, [18, 18, 19, 19]);
    assert_eq!(
        (&coverage["stopped_by"], &coverage["matched"]),
        (&Value::Null, &json!(4))
    );
    let (first, coverage) = offsets(&[&filter[..], &["--limit", "3", "--order", "time"]].concat());
    assert_eq!(first, [10, 10, 11]);
    assert_eq!(coverage["stopped_by"], "limit");
    let (by_offset, _) = offsets(&[&filter[..], &["--order", "offset"]].concat());
    let expected: Vec<i64> = (10..20).chain([14, 15, 18]).chain(10..20).collect();
    assert_eq!(by_offset, expected);
    let from = (T0 + 15 * MINUTE).to_string();
    let (later, _) = offsets(&[&filter[..], &["--from", &from, "--order", "offset"]].concat());
    assert_eq!(later, [15, 16, 17, 18, 19, 15, 18, 15, 16, 17, 18, 19]);
}

#[test]
fn a_budget_stops_reading_and_says_so() {
    let run = tideline(&[
        "records",
        "--topic",
        "ahead",
        "--max-bytes",
        "1000",
        "--filter",
        "text:nothing",
    ])
    .exits(6);
    let (records, coverage) = run.records();
    assert_eq!(records.len(), 0);
    assert_eq!(coverage["stopped_by"], "budget");
    assert_eq!(coverage["complete"], false);
    assert!(
        coverage["bytes_scanned"].as_u64().unwrap() >= 1_000,
        "{coverage}"
    );
    let part = &coverage["partitions"][0];
    assert_eq!(
        (&part["from_offset"], &part["to_offset"]),
        (&json!(0), &json!(5_101))
    );
    assert_eq!(part["next_offset"], coverage["records_scanned"]);
}

#[test]
fn a_rate_is_kept() {
    // 5,101 records of about 10 bytes each are 50 kB: at 20 kB/s they take two and a half seconds. The last portion,
    // of 2,000 records at most, is not waited for.
    let began = Instant::now();
    let run = tideline(&[
        "records",
        "--topic",
        "ahead",
        "--max-rate",
        "0.02",
        "--filter",
        "text:nothing",
    ])
    .exits(0);
    let (_, coverage) = run.records();
    assert_eq!(coverage["records_scanned"], 5_101);
    let bytes = coverage["bytes_scanned"].as_u64().unwrap();
    let least = Duration::from_millis((bytes - 22_000) / 20);
    assert!(
        began.elapsed() >= least,
        "{:?} for {coverage}",
        began.elapsed()
    );
}

#[test]
fn what_was_decoded_stands_beside_what_was_sent() {
    let run = tideline(&[
        "records", "--topic", "six/0/7", "--topic", "six/4/2", "--decode", "--order", "offset",
    ])
    .exits(0);
    let (records, _) = run.records();
    assert_eq!(records[0]["value_decoded"]["format"], "json");
    assert_eq!(records[0]["value_decoded"]["value"], "{\"n\":7}");
    assert_eq!(records[0]["key_decoded"]["value"], "k7");
    // Bytes that are nothing known: the record is there, with its bytes.
    assert_eq!(records[1]["key"], json!({"base64": "/wD+"}));
    assert!(records[1]["key_decoded"]["evidence"].is_string());
}

#[test]
fn bytes_are_counted_alike_whatever_is_looked_for() {
    for topic in ["six", "clock", "compacted"] {
        let (records, whole) = tideline(&["records", "--topic", topic]).exits(0).records();
        let sizes: u64 = records
            .iter()
            .map(|record| record["size"].as_u64().unwrap())
            .sum();
        assert_eq!(whole["bytes_scanned"], sizes, "{topic}");
        for filter in [
            "text:nowhere",
            "itext:K",
            "regex:.",
            "header:a=1",
            "field:.n=1",
            "jq:.key",
        ] {
            let (_, coverage) = found(&["--topic", topic, "--filter", filter]);
            assert_eq!(
                (&coverage["records_scanned"], &coverage["bytes_scanned"]),
                (&whole["records_scanned"], &whole["bytes_scanned"]),
                "{topic}, {filter}"
            );
        }
    }
}
