//! Following topics: `tideline records --follow`.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use crate::Lab;
use crate::support::fixture::T0;
use crate::support::raw::{self, Record};
use crate::support::{cli, wait_for};

#[test]
fn following_gives_what_comes_in_and_ends_at_the_limit() {
    let lab = Lab::get();
    let bootstrap = lab.kafka.bootstrap();
    lab.topic("appended-live", 1);
    raw::produce(
        &bootstrap,
        "appended-live",
        0,
        &[Record::new(T0, "k", "before")],
    );
    let home = tempfile::tempdir().unwrap();
    let mut child = cli::start(
        home.path(),
        &[
            "records",
            "--topic",
            "appended-live",
            "--follow",
            "--filter",
            "text:live",
            "--limit",
            "3",
            "--json",
            "--bootstrap",
            &bootstrap,
        ],
    );
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let live = |n: i64| Record::new(T0 + n, "k", format!("live {n}"));
    raw::produce(
        &bootstrap,
        "appended-live",
        0,
        &[live(1), Record::new(T0, "k", "else"), live(2)],
    );
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["record"]["value"], json!({"text": "live 1"}));
    let second = next();
    assert_eq!(second["record"]["offset"], 3);
    assert_eq!(second["record"]["visibility"], "committed");
    raw::produce(&bootstrap, "appended-live", 0, &[live(3), live(4)]);
    assert_eq!(next()["record"]["value"], json!({"text": "live 3"}));
    let coverage = next();
    assert_eq!(coverage["coverage"]["stopped_by"], "limit");
    assert_eq!(coverage["coverage"]["matched"], 3);
    let code = wait_for("the end", || child.try_wait().unwrap());
    assert_eq!(code.code(), Some(0));
}

#[test]
fn what_was_aborted_last_is_told_as_aborted_and_its_marker_is_passed() {
    let lab = Lab::get();
    let bootstrap = lab.kafka.bootstrap();
    lab.topic("given-up", 2);
    let producer = lab.cluster.transactional("gives-up");
    let records = [(T0, "k", "a"), (T0 + 1, "k", "b"), (T0 + 2, "k", "c")];
    producer.begin("given-up", 0, &records);
    producer.abort();
    producer.begin("given-up", 1, &records);
    producer.commit();
    producer.begin("given-up", 1, &records[..1]);
    for isolation in ["read_uncommitted", "read_committed"] {
        let run = cli::tideline(&[
            "records",
            "--topic",
            "given-up",
            "--follow",
            "--isolation",
            isolation,
            "--timeout",
            "5s",
            "--json",
            "--bootstrap",
            &bootstrap,
        ]);
        let (records, coverage) = run.exits(6).records();
        let mut seen: Vec<(i64, i64, &str)> = records
            .iter()
            .map(|record| {
                (
                    record["partition"].as_i64().unwrap(),
                    record["offset"].as_i64().unwrap(),
                    record["visibility"].as_str().unwrap(),
                )
            })
            .collect();
        seen.sort_unstable();
        let committed = [0, 1, 2].map(|offset| (1, offset, "committed"));
        let next: Vec<&Value> = coverage["partitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|partition| &partition["next_offset"])
            .collect();
        if isolation == "read_committed" {
            assert_eq!(seen, committed);
            // Up to the marker, and up to the open transaction.
            assert_eq!(next, [4, 4]);
        } else {
            let aborted = [0, 1, 2].map(|offset| (0, offset, "aborted"));
            assert_eq!(seen, [&aborted[..], &committed, &[(1, 4, "open")]].concat());
            assert_eq!(next, [4, 5]);
        }
        assert_eq!(coverage["stopped_by"], "timeout");
    }
    producer.commit();
}
