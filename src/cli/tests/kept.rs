//! Profiles, the journal, and files with offsets: what is read from this machine and kept on it.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::{Written, read_with, streams, written};
use crate::cli::kept;
use crate::cli::plan::{Plan, Question};
use crate::engine::{Files, Request, RewindRequest};
use crate::model::{
    Bookmark, JournalEntry, JournalRow, JournalState, Offset, RowOutcome, Text, TimestampMs,
    TopicPartition,
};
use crate::rewind::target::{Scope, Target, UndoRow};

/// Files in a folder of their own.
struct Place {
    folder: tempfile::TempDir,
    files: Files,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::at(Ok(folder.path().join("tideline.db")));
        Self { folder, files }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn read(&self, line: &str) -> Result<Plan, Written> {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        read_with(&arguments, &self.files)
    }

    /// What a command that asks no bus writes.
    fn run(&self, line: &str) -> Written {
        match self.read(line) {
            Err(written) => written,
            Ok(Plan::Kept(asked)) => {
                let (mut out, mut err) = (Vec::new(), Vec::new());
                let code = kept::answer(asked, &self.files, &mut streams(&mut out, &mut err));
                written(code, out, err)
            }
            Ok(other) => panic!("{line}: {other:?}"),
        }
    }

    fn question(&self, line: &str) -> Question {
        match self.read(line) {
            Ok(Plan::Ask(question)) => *question,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn rewind(&self, line: &str) -> RewindRequest {
        match self.question(line).request {
            Request::Rewind(request) => *request,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn refused(&self, line: &str) -> String {
        let written = self.read(line).unwrap_err();
        assert_eq!((written.code, &*written.out), (2, ""), "{line}");
        written.err
    }

    fn add(&self, entry: &JournalEntry) {
        self.files.journal.as_ref().unwrap().add(entry).unwrap();
    }
}

#[test]
fn a_profile_is_kept_shown_and_forgotten() {
    let place = Place::new();
    assert_eq!(place.run("profile list").out, "No profiles.\n");
    let put = place.run(
        "profile put prod --bootstrap kafka-1:9094,kafka-2:9094 -X security.protocol=SSL --production true --json",
    );
    assert_eq!(put.code, 0, "{put:?}");
    let prod = json!({
        "profile": "prod",
        "bootstrap": "kafka-1:9094,kafka-2:9094",
        "properties": [["security.protocol", "SSL"]],
        "read_only": true,
        "production": true,
        "cluster_id": null,
        "links": [],
    });
    assert_eq!(put.json(), json!({ "profiles": [prod] }));
    let local = place.run("profile put local --bootstrap localhost:9092 --read-only false");
    assert_eq!((local.code, &*local.out), (0, ""));
    let shown = place.run("profile show local --json").json();
    let local = &shown["profiles"][0];
    assert_eq!(
        (&local["read_only"], &local["production"]),
        (&json!(false), &json!(false))
    );
    let list = place.run("profile list");
    for part in [
        "prod",
        "security.protocol = SSL",
        "localhost:9092",
        "not reached yet",
    ] {
        assert!(list.out.contains(part), "{part}: {}", list.out);
    }
    let left = place.run("profile remove prod --json").json();
    assert_eq!(left["profiles"].as_array().unwrap().len(), 1);
    assert_eq!(place.run("profile show prod").code, 6);
    let absent = place.run("profile remove prod");
    assert_eq!(absent.code, 6);
    assert!(absent.err.contains("no profile prod"), "{}", absent.err);
}

#[test]
fn a_profile_names_other_tools_and_only_addresses_that_a_browser_opens() {
    let place = Place::new();
    let put = place.run(
        "profile put live --bootstrap k:1 --link Traces=https://t/{trace_id} --link Logs=http://l/?q={key}&x=1 --json",
    );
    assert_eq!(
        put.json()["profiles"][0]["links"],
        json!([
            ["Traces", "https://t/{trace_id}"],
            ["Logs", "http://l/?q={key}&x=1"]
        ])
    );
    for wrong in [
        "nothing",
        "=https://x/",
        "a=javascript:alert(1)",
        "a=https://me:hunter2@x/",
    ] {
        let refused = place.run(&format!("profile put live --bootstrap k:1 --link {wrong}"));
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(!refused.err.contains("hunter2"), "{refused:?}");
    }
}

#[test]
fn production_may_be_written_without_its_value() {
    let place = Place::new();
    place.run("profile put p --production --bootstrap b:1");
    let shown = place.run("profile show p --json").json();
    assert_eq!(shown["profiles"][0]["production"], true);
}

#[test]
fn a_secret_is_refused_and_not_repeated() {
    let place = Place::new();
    let put = place.run("profile put p --bootstrap b:1 -X sasl.password=hunter2");
    assert_eq!(put.code, 2, "{put:?}");
    assert!(
        put.err.contains("sasl.password") && !put.err.contains("hunter2"),
        "{}",
        put.err
    );
    assert_eq!(place.run("profile list").out, "No profiles.\n");
}

#[test]
fn a_registry_is_kept_without_a_login() {
    let place = Place::new();
    place.run("profile put p --bootstrap b:1 --schema-registry https://r:8081/x/");
    let shown = place.run("profile show p --json").json();
    assert_eq!(
        shown["profiles"][0]["properties"],
        json!([["schema.registry.url", "https://r:8081/x"]])
    );
    let settings = place
        .question("topics --profile p --schema-registry http://q:1")
        .settings;
    let urls: Vec<&str> = settings.properties.iter().map(|(_, url)| &**url).collect();
    // The last one counts.
    assert_eq!(urls, ["https://r:8081/x", "http://q:1"]);
    for line in [
        "profile put q --bootstrap b:1 --schema-registry https://alice:hunter2@r:8081",
        "profile put q --bootstrap b:1 -X schema.registry.url=https://alice:hunter2@r:8081",
        "profile put q --bootstrap b:1 -X schema.registry.basic.auth.user.info=alice:hunter2",
    ] {
        let put = place.run(line);
        assert_eq!(put.code, 2, "{put:?}");
        assert!(!put.err.contains("hunter2"), "{}", put.err);
    }
    let source = "profile put q --bootstrap b:1 -X basic.auth.credentials.source=SASL_INHERIT";
    assert_eq!(place.run(source).code, 0);
}

#[test]
fn a_profile_connects_every_command() {
    let place = Place::new();
    place.run("profile put test --bootstrap b:1 -X security.protocol=SSL -X client.id=a");
    for line in [
        "topics --profile test",
        "--profile test groups",
        "rewind --profile test --group g --to earliest",
    ] {
        let settings = place.question(line).settings;
        assert_eq!(
            (settings.bootstrap.as_str(), settings.profile.as_deref()),
            ("b:1", Some("test")),
            "{line}"
        );
        assert_eq!(settings.properties.len(), 2, "{line}");
    }
    // What is written with the command wins.
    let settings = place
        .question("topics --profile test --bootstrap c:2 -X client.id=me")
        .settings;
    assert_eq!(settings.bootstrap, "c:2");
    assert_eq!(
        settings.properties.last().unwrap(),
        &("client.id".to_owned(), "me".to_owned())
    );
    let error = place.refused("topics --profile tset");
    assert!(
        error.contains("no profile tset") && error.contains("test"),
        "{error}"
    );
}

fn entry(id: &str, outcome: &RowOutcome) -> JournalEntry {
    let before = Bookmark {
        offset: Offset(80),
        leader_epoch: Some(3),
        metadata: Text::from_bytes(&[0xff, b'm']),
    };
    let row = |partition, before| JournalRow {
        at: TopicPartition::new("orders", partition),
        topic_id: Some("id-1".to_owned()),
        before,
        after: Some(Bookmark::plain(Offset(20))),
        outcome: outcome.clone(),
        read_back: Some(Some(Bookmark::plain(Offset(20)))),
    };
    JournalEntry {
        id: id.to_owned(),
        at: TimestampMs(1_796_043_720_000),
        user: "ada".to_owned(),
        cluster_id: Some("cluster-1".to_owned()),
        bootstrap: "b:1".to_owned(),
        group: Text::from("billing"),
        target: "offset:20".to_owned(),
        confirmed: vec!["no_hidden_reader".to_owned()],
        state: JournalState::Watching,
        rows: vec![row(0, Some(before)), row(1, None)],
        undoes: None,
    }
}

/// What undoing [`entry`] asks for.
fn undo_rows() -> Arc<[UndoRow]> {
    let rows = entry("1", &RowOutcome::Accepted).rows.into_iter();
    rows.map(|row| UndoRow {
        at: row.at,
        topic_id: row.topic_id,
        before: row.before,
        after: row.after,
    })
    .collect()
}

fn rows_of(request: &RewindRequest) -> Arc<[UndoRow]> {
    let [part] = &request.plan.parts[..] else {
        panic!("{request:?}");
    };
    assert_eq!(part.scope, Scope::Committed);
    match &part.target {
        Target::Before { rows, .. } => Arc::clone(rows),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_journal_is_written_with_what_was_there_and_what_is() {
    let place = Place::new();
    assert!(place.run("journal").out.contains("Nothing was changed"));
    assert_eq!(place.run("journal --json").json(), json!({"entries": []}));
    place.add(&entry("e-1", &RowOutcome::Accepted));
    let line = place.run("journal --json").json();
    let kept = &line["entries"][0];
    assert_eq!(
        (
            &kept["id"],
            &kept["at_ms"],
            &kept["user"],
            &kept["cluster_id"]
        ),
        (
            &json!("e-1"),
            &json!(1_796_043_720_000_i64),
            &json!("ada"),
            &json!("cluster-1")
        )
    );
    assert_eq!(
        (&kept["group"], &kept["state"], &kept["undoes"]),
        (&json!("billing"), &json!("watching"), &json!(null))
    );
    let row = |index: usize| {
        (
            &kept["rows"][index]["before"],
            &kept["rows"][index]["after"],
        )
    };
    assert_eq!(row(0), (&json!(80), &json!(20)));
    assert_eq!(row(1), (&json!(null), &json!(20)));
    let table = place.run("journal").out;
    for part in [
        "e-1",
        "2026-11-30T14:02:00.000+01:00",
        "ada",
        "billing",
        "offset:20",
        "none",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert_eq!(place.run("journal --id e-2").code, 6);
}

#[test]
fn an_entry_is_undone_from_the_journal_and_from_a_file_of_another_machine() {
    let place = Place::new();
    place.add(&entry("e-1", &RowOutcome::Accepted));
    let here = place.rewind("undo e-1");
    assert_eq!(rows_of(&here), undo_rows());
    assert_eq!(here.plan.group, Text::from("billing"));
    assert_eq!(here.plan.undoes.as_deref(), Some("e-1"));
    assert_eq!(here.only_cluster.as_deref(), Some("cluster-1"));
    let path = place.path("journal.json");
    assert_eq!(place.run(&format!("journal --export {path}")).code, 0);
    let again = place.run(&format!("journal --export {path}"));
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
    let elsewhere = Place::new();
    let there = elsewhere.rewind(&format!("undo e-1 --file {path} --execute"));
    assert_eq!(rows_of(&there), undo_rows());
    assert!(there.execute);
    assert!(elsewhere.refused("undo e-1").contains("no entry e-1"));
    let wrong = elsewhere.refused(&format!("undo e-2 --file {path}"));
    assert!(wrong.contains("no entry e-2"), "{wrong}");
    let absent = elsewhere.path("absent.json");
    assert!(
        elsewhere
            .refused(&format!("undo e-1 --file {absent}"))
            .contains("cannot be read")
    );
    std::fs::write(Path::new(&absent), "{}").unwrap();
    assert!(
        elsewhere
            .refused(&format!("undo e-1 --file {absent}"))
            .contains("no journal")
    );
}

#[test]
fn what_changed_nothing_is_not_undone_and_groups_are_not_mixed_up() {
    let place = Place::new();
    place.add(&entry("e-1", &RowOutcome::Refused("no".to_owned())));
    assert!(place.refused("undo e-1").contains("changed nothing"));
    place.add(&entry("e-2", &RowOutcome::Accepted));
    let error = place.refused("rewind --group shipping --to journal:e-2");
    assert!(error.contains("billing"), "{error}");
    let request = place.rewind("rewind --group billing --to journal:e-2");
    assert_eq!(rows_of(&request), undo_rows());
}

#[test]
fn a_table_is_read_and_its_mistakes_are_told_by_line() {
    let place = Place::new();
    let path = place.path("plan.csv");
    std::fs::write(&path, "\"orders\",0,60\r\n\"orders\",1,7\r\n").unwrap();
    let request = place.rewind(&format!("rewind --group g --to file:{path}"));
    let rows = [
        (TopicPartition::new("orders", 0), Offset(60)),
        (TopicPartition::new("orders", 1), Offset(7)),
    ];
    assert_eq!(request.plan.parts[0].target, Target::Table(Arc::from(rows)));
    std::fs::write(&path, "\"g\",\"orders\",0,60\n\"h\",\"orders\",0,61\n").unwrap();
    let request = place.rewind(&format!("rewind --group h --to file:{path}"));
    let rows = [(TopicPartition::new("orders", 0), Offset(61))];
    assert_eq!(request.plan.parts[0].target, Target::Table(Arc::from(rows)));
    std::fs::write(&path, "orders,0,60\norders,0\n").unwrap();
    let error = place.refused(&format!("rewind --group g --to file:{path}"));
    assert!(error.contains("line 2"), "{error}");
    let error = place.refused("rewind --group g --to file:/absent.csv");
    assert!(error.contains("cannot be read"), "{error}");
}
