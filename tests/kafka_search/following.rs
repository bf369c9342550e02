//! `tideline records --follow`.

use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Lab;
use crate::support::fixture::T0;
use crate::support::raw::Record;
use crate::support::{cli, wait_for};

/// The program following, and what it prints line by line.
struct Following {
    child: Child,
    lines: Receiver<String>,
    _home: tempfile::TempDir,
}

impl Following {
    fn start(arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let bootstrap = Lab::get().kafka.bootstrap();
        let connect = ["--follow", "--json", "--bootstrap", &bootstrap];
        let mut child = cli::start(home.path(), &[&["records"], arguments, &connect].concat());
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = sync_channel(1_000);
        std::thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || {
                for line in out.lines() {
                    sender.send(line.unwrap()).unwrap();
                }
            })
            .unwrap();
        Self {
            lines,
            child,
            _home: home,
        }
    }

    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(Duration::from_mins(1));
        serde_json::from_str(&line.unwrap()).unwrap()
    }

    /// The value and the visibility of the next record.
    fn record(&self) -> (String, String) {
        let record = &self.next()["record"];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&record["value"]["text"]), text(&record["visibility"]))
    }

    /// What was looked at, and the code that it ends with.
    fn end(mut self) -> (Value, i32) {
        let coverage = self.next()["coverage"].clone();
        let status = wait_for("the end", || self.child.try_wait().unwrap());
        (coverage, status.code().unwrap())
    }
}

fn live(n: i64) -> Record {
    Record::new(T0 + n, "k", format!("live {n}"))
}

impl Drop for Following {
    fn drop(&mut self) {
        // One that has ended is no more to be killed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn what_comes_in_is_given_and_the_limit_ends_it() {
    let lab = Lab::get();
    lab.topic("live", 1);
    lab.produce("live", 0, &[live(1), Record::new(T0, "k", "else")]);
    let wanted = ["--topic", "live", "--filter", "text:live", "--limit", "3"];
    let following = Following::start(&wanted);
    let committed = |n: i64| (format!("live {n}"), "committed".to_owned());
    assert_eq!(following.record(), committed(1));
    lab.produce("live", 0, &[Record::new(T0, "k", "else"), live(2)]);
    assert_eq!(following.record(), committed(2));
    lab.produce("live", 0, &[live(3), live(4)]);
    assert_eq!(following.record(), committed(3));
    let (coverage, code) = following.end();
    assert_eq!(
        (&coverage["stopped_by"], &coverage["matched"]),
        (&json!("limit"), &json!(3))
    );
    // Offset 5 was found and not given: whoever goes on begins there.
    assert_eq!(coverage["partitions"][0]["next_offset"], 5);
    assert_eq!(code, 0);
}

#[test]
fn the_newest_come_first_and_then_what_follows() {
    let lab = Lab::get();
    lab.topic("newest-live", 2);
    lab.produce("newest-live", 0, &[live(1), live(3)]);
    lab.produce("newest-live", 1, &[live(2), live(4)]);
    let wanted = ["--topic", "newest-live", "--newest", "2", "--limit", "3"];
    let following = Following::start(&wanted);
    assert_eq!(following.record().0, "live 3");
    assert_eq!(following.record().0, "live 4");
    lab.produce("newest-live", 0, &[live(5)]);
    assert_eq!(following.record().0, "live 5");
    assert_eq!(following.end().1, 0);
}

#[test]
fn what_becomes_of_transactions_is_told_as_far_as_it_is_known() {
    let lab = Lab::get();
    lab.topic("transactions-live", 1);
    lab.produce("transactions-live", 0, &[live(0)]);
    let producer = lab.cluster.transactional("following");
    producer.begin("transactions-live", 0, &[(T0 + 1, "k", "withdrawn")]);
    producer.abort();
    lab.cluster
        .wait_for_high_watermark("transactions-live", 0, 3);
    lab.produce("transactions-live", 0, &[live(3)]);
    let following = Following::start(&["--topic", "transactions-live", "--limit", "4"]);
    let told = |value: &str, visibility: &str| (value.to_owned(), visibility.to_owned());
    assert_eq!(following.record(), told("live 0", "committed"));
    assert_eq!(following.record(), told("withdrawn", "aborted"));
    assert_eq!(following.record(), told("live 3", "committed"));
    producer.begin("transactions-live", 0, &[(T0 + 4, "k", "not yet")]);
    assert_eq!(following.record(), told("not yet", "open"));
    assert_eq!(following.end().1, 0);
    producer.commit();
}

#[test]
fn none_of_many_is_lost_from_the_count() {
    let lab = Lab::get();
    lab.topic("many-live", 3);
    let wanted = [
        "--topic",
        "many-live",
        "--filter",
        "text:last",
        "--limit",
        "3",
    ];
    let following = Following::start(&wanted);
    let batch: Vec<Record> = (0..1_000).map(live).collect();
    for round in 0..30 {
        lab.produce("many-live", round % 3, &batch);
    }
    for partition in 0..3 {
        lab.produce("many-live", partition, &[Record::new(T0, "k", "last")]);
    }
    for _ in 0..3 {
        assert_eq!(following.record().0, "last");
    }
    let (coverage, code) = following.end();
    assert_eq!((&coverage["records_scanned"], code), (&json!(30_003), 0));
}

#[test]
fn what_was_aborted_last_is_told_as_aborted_and_its_marker_is_passed() {
    let lab = Lab::get();
    lab.topic("given-up", 2);
    let bootstrap = lab.kafka.bootstrap();
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
