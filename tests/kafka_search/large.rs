//! A search through more than is held in any queue at once, counted by hand.

use serde_json::{Value, json};

use crate::Lab;
use crate::support::cli::tideline;
use crate::support::fixture::T0;
use crate::support::raw::Record;

#[test]
fn every_record_of_a_long_topic_is_looked_at_once() {
    let lab = Lab::get();
    lab.topic("long", 4);
    let filling = "x".repeat(900);
    for round in 0..60 {
        let batch: Vec<Record> = (0..1_000)
            .map(|n| Record::new(T0 + n, "k", format!("{}:{filling}", round * 1_000 + n)))
            .collect();
        lab.produce("long", i32::try_from(round % 4).unwrap(), &batch);
    }
    let bootstrap = lab.kafka.bootstrap();
    let search = |filter: &str| {
        let run = tideline(&[
            "records",
            "--topic",
            "long",
            "--filter",
            filter,
            "--json",
            "--bootstrap",
            &bootstrap,
        ])
        .exits(0);
        let (records, coverage) = run.records();
        (records.len(), coverage)
    };
    // 7777, and the five that begin with other digits: 17777, 27777, 37777, 47777, 57777.
    let (found, coverage) = search("text:7777:");
    assert_eq!((found, &coverage["records_scanned"]), (6, &json!(60_000)));
    assert_eq!(
        (&coverage["complete"], &coverage["stopped_by"]),
        (&json!(true), &Value::Null)
    );
    // Every twentieth: those that end in 00, 20, 40, 60 and 80, but for 0, which has one digit only.
    let (found, coverage) = search("regex:^\\d*[02468]0:");
    assert_eq!(
        (found, &coverage["records_scanned"]),
        (2_999, &json!(60_000))
    );
}
