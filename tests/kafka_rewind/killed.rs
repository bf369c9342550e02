//! The program is killed in the middle of a change, and started again.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tideline::engine::{
    Command, ConnectTarget, Engine, EngineOptions, Files, Link as _, Progression,
};
use tideline::model::{
    Bookmark, Clock, ConnectionSettings, JournalEntry, JournalState, Offset, Text,
};

use crate::support::cli::{start, tideline_at};
use crate::support::{fixture, raw, tools};
use crate::{Lab, at};

fn offsets(group: &str) -> Vec<i64> {
    let commits = Lab::get().commits(group);
    let offsets = commits.into_iter().map(|commit| commit.offset.unwrap());
    offsets.map(|offset| offset.unwrap().0).collect()
}

fn entries(home: &Path) -> Vec<Value> {
    let run = tideline_at(home, &["journal", "--json"]).exits(0);
    run.json()["entries"].as_array().unwrap().clone()
}

/// `topic` with three partitions of 20 records, and `group` at the end of each.
fn at_the_end(topic: &str, group: &str) {
    let lab = Lab::get();
    lab.topic(topic, 3);
    for partition in 0..3 {
        raw::produce(
            &lab.kafka.bootstrap(),
            topic,
            partition,
            &fixture::minutes(0..20),
        );
    }
    lab.cluster
        .commit(group, &[(topic, 0, 20), (topic, 1, 20), (topic, 2, 20)]);
}

#[test]
fn killed_at_any_moment_it_leaves_a_journal_that_leads_back() {
    let lab = Lab::get();
    at_the_end("killed", "killed");
    let home = tempfile::tempdir().unwrap();
    let bootstrap = lab.kafka.bootstrap();
    let words = [
        "rewind",
        "--group",
        "killed",
        "--to",
        "earliest",
        "--observe",
        "0s",
        "--confirm",
        "no_hidden_reader",
        "--execute",
        "--json",
        "--bootstrap",
        &bootstrap,
    ];
    let (mut unchanged, mut changed) = (0, 0);
    let mut known = 0;
    let begun = Instant::now();
    // Until the walk was cut before and after the write, in steps that creep along it.
    for round in 0_u64.. {
        assert!(
            begun.elapsed() < Duration::from_mins(2),
            "{unchanged} {changed}"
        );
        if unchanged >= 3 && changed >= 3 {
            break;
        }
        let mut child = start(home.path(), &words);
        std::thread::sleep(Duration::from_millis(150 + (round * 70) % 1_400));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = offsets("killed");
        let journal = entries(home.path());
        if now == [20, 20, 20] {
            unchanged += 1;
        } else {
            // All of it or nothing, and what was there before is known.
            assert_eq!(now, [0, 0, 0]);
            changed += 1;
            assert!(journal.len() > known, "changed without a word kept");
            let rows = journal[0]["rows"].as_array().unwrap();
            let before: Vec<&Value> = rows.iter().map(|row| &row["before"]).collect();
            assert_eq!(before, [20, 20, 20]);
            let back =
                (0..3).map(|partition| (at("killed", partition), Bookmark::plain(Offset(20))));
            lab.set("killed", back.collect()).unwrap();
        }
        known = journal.len();
    }
    // Of an entry whose end was never told, undoing gives the old offsets back.
    let mut child = start(home.path(), &words);
    let written = Instant::now();
    while offsets("killed") != [0, 0, 0] {
        assert!(written.elapsed() < Duration::from_mins(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let id = entries(home.path())[0]["id"].as_str().unwrap().to_owned();
    let undone = tideline_at(
        home.path(),
        &[
            "undo",
            &id,
            "--observe",
            "0s",
            "--confirm",
            "no_hidden_reader",
            "--execute",
            "--json",
            "--bootstrap",
            &bootstrap,
        ],
    );
    undone.exits(0);
    let told: Vec<i64> = tools::committed(lab.kafka, "killed")
        .into_values()
        .collect();
    assert_eq!(told, [20, 20, 20]);
}

/// The window's end of an engine with these files.
fn window(file: &Path) -> Engine {
    let engine = Engine::start(EngineOptions {
        waker: Arc::new(|| {}),
        clock: Clock::System,
        tell_events: false,
        listen_for_interrupt: false,
        files: Files::at(Ok(file.to_owned())),
    })
    .unwrap();
    let settings = ConnectionSettings::to(Lab::get().kafka.bootstrap());
    assert!(engine.send(Command::Connect(ConnectTarget::Bus(settings))));
    assert!(engine.send(Command::Watch));
    engine
}

/// The entry and how far it is, once `is` says so.
fn until(
    engine: &Engine,
    is: impl Fn(&JournalEntry, Option<&Progression>) -> bool,
) -> (Arc<JournalEntry>, Option<Progression>) {
    let begun = Instant::now();
    loop {
        let view = Arc::clone(&engine.snapshot().journal);
        if let Some(entry) = view.entries.as_ref().unwrap().first() {
            let progress = view.progress.get(&entry.id);
            if is(entry, progress) {
                return (Arc::clone(entry), progress.cloned());
            }
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{view:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn after_a_new_start_the_group_is_watched_until_it_is_past_its_old_place() {
    let lab = Lab::get();
    at_the_end("watched-on", "watched-on");
    let home = tempfile::tempdir().unwrap();
    let bootstrap = lab.kafka.bootstrap();
    tideline_at(
        home.path(),
        &[
            "rewind",
            "--group",
            "watched-on",
            "--to",
            "offset:5",
            "--observe",
            "0s",
            "--confirm",
            "no_hidden_reader",
            "--execute",
            "--bootstrap",
            &bootstrap,
        ],
    )
    .exits(0);
    let file = home.path().join("data/tideline/tideline.db");
    let engine = window(&file);
    let (entry, progress) = until(&engine, |_, progress| progress.is_some());
    let progress = progress.unwrap();
    assert_eq!(entry.state, JournalState::Watching);
    assert_eq!(
        (
            progress.resumed,
            progress.rows_passed,
            progress.rows,
            progress.left
        ),
        (false, 0, 3, 45)
    );
    // It reads again: past its old place on one partition, on its way on another.
    let moved = |partition, offset| (at("watched-on", partition), Bookmark::plain(Offset(offset)));
    lab.set("watched-on", vec![moved(0, 20), moved(1, 12)])
        .unwrap();
    let (_, progress) = until(&engine, |_, progress| {
        progress.is_some_and(|progress| progress.rows_passed == 1)
    });
    let progress = progress.unwrap();
    assert_eq!((progress.resumed, progress.left), (true, 8 + 15));
    drop(engine);
    lab.set("watched-on", vec![moved(1, 20), moved(2, 20)])
        .unwrap();
    let engine = window(&file);
    let (entry, _) = until(&engine, |entry, _| entry.state == JournalState::Passed);
    assert_eq!(entry.group, Text::from("watched-on"));
}
