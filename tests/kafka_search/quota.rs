//! A broker that allows its clients little.

use serde_json::{Value, json};

use crate::Lab;
use crate::support::cli::tideline;
use crate::support::fixture::T0;
use crate::support::raw::Record;
use crate::support::tools;

#[test]
fn a_client_that_is_made_to_wait_waits_and_misses_nothing() {
    let lab = Lab::get();
    lab.topic("rationed", 1);
    let filling = "x".repeat(1_000);
    for round in 0..5 {
        let batch: Vec<Record> = (0..500)
            .map(|n| Record::new(T0 + n, "k", format!("{}:{filling}", round * 500 + n)))
            .collect();
        lab.produce("rationed", 0, &batch);
    }
    // A fetch of a megabyte costs more than eight seconds of it, which is longer than a silent broker is waited for.
    let quota = [
        "--alter",
        "--add-config",
        "consumer_byte_rate=120000",
        "--entity-type",
        "clients",
        "--entity-name",
        "rationed-client",
    ];
    tools::run(lab.kafka, "ConfigCommand", &quota);
    let bootstrap = lab.kafka.bootstrap();
    let run = tideline(&[
        "records",
        "--topic",
        "rationed",
        "--filter",
        "text:2499:",
        "-X",
        "client.id=rationed-client",
        "--json",
        "--bootstrap",
        &bootstrap,
    ])
    .exits(0);
    let (records, coverage) = run.records();
    assert_eq!(records[0]["offset"], 2_499);
    assert_eq!(coverage["records_scanned"], 2_500);
    assert_eq!(
        (&coverage["complete"], &coverage["stopped_by"]),
        (&json!(true), &Value::Null)
    );
}
