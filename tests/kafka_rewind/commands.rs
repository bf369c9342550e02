//! `tideline rewind` and `undo` as a script runs them, with folders of their own.

use std::path::Path;

use serde_json::Value;

use crate::Lab;
use crate::support::cli::{Run, tideline_at};
use crate::support::fixture::{self, minutes};
use crate::support::{raw, tools};

/// A journal and profiles of one test.
pub struct Desk {
    home: tempfile::TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// `tideline ARGUMENTS --json` at the broker.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let bootstrap = Lab::get().kafka.bootstrap();
        let connect = ["--json", "--bootstrap", &bootstrap];
        tideline_at(self.home(), &[arguments, &connect].concat())
    }

    /// `rewind` without watching for hidden readers, which is confirmed.
    pub fn rewind(&self, group: &str, to: &str, more: &[&str]) -> Run {
        let quickly = ["--observe", "0s", "--confirm", "no_hidden_reader"];
        let words = ["rewind", "--group", group, "--to", to];
        self.run(&[&words, &quickly[..], more].concat())
    }

    pub fn undo(&self, id: &str) -> Run {
        let quickly = ["--observe", "0s", "--confirm", "no_hidden_reader"];
        self.run(&[&["undo", id, "--execute"], &quickly[..]].concat())
    }

    /// The newest entry of the journal.
    pub fn newest(&self) -> Value {
        let run = tideline_at(self.home(), &["journal", "--json"]).exits(0);
        run.json()["entries"][0].clone()
    }
}

/// `topic` with this many partitions, each of 20 records a minute apart from the fixture's first day on.
pub fn twenty(topic: &str, partitions: i32) {
    let lab = Lab::get();
    lab.topic(topic, partitions);
    for partition in 0..partitions {
        let to = lab.kafka.bootstrap();
        raw::produce(&to, topic, partition, &minutes(0..20));
    }
}

/// Of each partition in its order, the field of this name.
pub fn column<'a>(rows: &'a Value, name: &str) -> Vec<&'a Value> {
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| &row[name])
        .collect()
}

/// The outcome and the words of a guard.
pub fn guard(answer: &Value, name: &str) -> (String, String) {
    let guards = answer["guards"].as_array().unwrap();
    let found = guards.iter().find(|guard| guard["guard"] == name).unwrap();
    let text = |field: &str| found[field].as_str().unwrap().to_owned();
    (text("outcome"), text("detail"))
}

/// What Kafka's own tool says that a group has committed, in the order of partitions.
pub fn told(group: &str) -> Vec<i64> {
    tools::committed(Lab::get().kafka, group)
        .into_values()
        .collect()
}

/// The time of the record numbered `n`.
pub fn at_minute(n: i64) -> i64 {
    fixture::T0 + n * 60_000
}
