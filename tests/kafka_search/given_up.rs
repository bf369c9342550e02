//! A search that was interrupted says where to go on, and nothing is lost or found twice.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Lab;
use crate::support::cli::tideline;
use crate::support::fixture::T0;
use crate::support::raw::Record;

/// Partition and offset.
type Place = (i64, i64);

fn search(arguments: &[&str]) -> (BTreeSet<Place>, Value) {
    let bootstrap = Lab::get().kafka.bootstrap();
    let common = ["--filter", "regex:7", "--json", "--bootstrap", &bootstrap];
    let run = tideline(&[&["records"], arguments, &common].concat());
    let (records, coverage) = run.records();
    let places: BTreeSet<Place> = records
        .iter()
        .map(|record| {
            (
                record["partition"].as_i64().unwrap(),
                record["offset"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(places.len(), records.len(), "some came twice");
    (places, coverage)
}

#[test]
fn the_rest_is_found_from_where_it_stopped() {
    let lab = Lab::get();
    lab.topic("broken-off", 3);
    for partition in 0..3 {
        let records: Vec<Record> = (0..3_000)
            .map(|n| Record::new(T0 + n, "k", format!("value {n} of some length to be read")))
            .collect();
        for batch in records.chunks(500) {
            lab.produce("broken-off", partition, batch);
        }
    }
    let (all, coverage) = search(&["--topic", "broken-off"]);
    assert_eq!(
        (&coverage["records_scanned"], all.len()),
        (&Value::from(9_000), 3 * 813)
    );
    for most in ["20000", "90000", "180000"] {
        let (mut found, coverage) = search(&["--topic", "broken-off", "--max-bytes", most]);
        assert_eq!(coverage["stopped_by"], "budget");
        for row in coverage["partitions"].as_array().unwrap() {
            let topic = format!("broken-off/{}", row["partition"]);
            let next = format!("offset:{}", row["next_offset"]);
            let (rest, _) = search(&["--topic", &topic, "--from", &next]);
            let before = found.len() + rest.len();
            found.extend(rest);
            assert_eq!(
                found.len(),
                before,
                "some of {topic} came twice, budget {most}"
            );
        }
        assert_eq!(found, all, "budget {most}");
    }
}
