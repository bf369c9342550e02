use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::*;

fn bookmark(offset: i64, epoch: Option<i32>, metadata: &[u8]) -> Bookmark {
    Bookmark {
        offset: Offset(offset),
        leader_epoch: epoch,
        metadata: Text::from_bytes(metadata),
    }
}

/// An entry in which every field has every kind of value that it can have.
fn entry(id: &str, at_ms: i64) -> JournalEntry {
    let row = |partition: i32| JournalRow {
        at: TopicPartition::new("orders", partition),
        topic_id: Some("kQot7IkCXMHp_WBJ1lryHg".to_owned()),
        before: Some(bookmark(88_213, Some(4), b"note \xff\x00 of a committer")),
        after: Some(bookmark(0, None, b"")),
        outcome: RowOutcome::Unknown,
        read_back: None,
    };
    JournalEntry {
        id: id.to_owned(),
        at: TimestampMs(at_ms),
        user: "käthe".to_owned(),
        cluster_id: Some("MkU3OEVBNTcwNTJENDM2Qk".to_owned()),
        bootstrap: "kafka-1:9092,kafka-2:9092".to_owned(),
        group: Text::from_bytes(b"a/b#\xfe@%"),
        target: "time:2026-11-30T14:02:00Z".to_owned(),
        confirmed: vec!["production".to_owned(), "mails go out twice ✓".to_owned()],
        state: JournalState::Sending,
        rows: vec![
            row(0),
            JournalRow {
                at: TopicPartition::new("zeta", i32::MAX),
                topic_id: None,
                before: None,
                after: None,
                outcome: RowOutcome::Refused("there is no such topic".to_owned()),
                read_back: Some(None),
            },
            JournalRow {
                outcome: RowOutcome::Accepted,
                read_back: Some(Some(bookmark(i64::MAX, Some(0), "✓".as_bytes()))),
                ..row(-1)
            },
        ],
        undoes: Some("the one before".to_owned()),
    }
}

#[test]
fn every_field_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tideline").join("tideline.db");
    let journal = JournalFile::new(file.clone());
    assert_eq!(journal.entries(), Ok(Vec::new()));
    assert!(!file.exists());
    let bare = JournalEntry {
        user: String::new(),
        cluster_id: None,
        group: Text::from(""),
        confirmed: Vec::new(),
        rows: Vec::new(),
        undoes: None,
        ..entry("bare", 5)
    };
    journal.add(&entry("first", 5)).unwrap();
    journal.add(&bare).unwrap();
    journal.add(&entry("older", -1)).unwrap();
    drop(journal);
    // The newest first; of two at the same time the later comer.
    let journal = JournalFile::new(file);
    assert_eq!(
        journal.entries().unwrap(),
        [bare, entry("first", 5), entry("older", -1)]
    );
    for state in [
        JournalState::Sending,
        JournalState::Answered,
        JournalState::Watching,
        JournalState::Passed,
        JournalState::Refused,
        JournalState::Overwritten,
        JournalState::Closed,
    ] {
        let changed = JournalEntry {
            state,
            ..entry("older", -1)
        };
        journal.update(&changed).unwrap();
        assert_eq!(journal.entries().unwrap()[2], changed);
    }
}

#[test]
fn an_update_replaces_everything_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tideline.db");
    let journal = JournalFile::new(file.clone());
    journal.add(&entry("one", 1)).unwrap();
    let mut changed = entry("one", 2);
    changed.state = JournalState::Answered;
    changed.rows.remove(0);
    changed.confirmed = vec!["observed".to_owned()];
    journal.update(&changed).unwrap();
    assert_eq!(journal.entries().unwrap(), [changed.clone()]);

    assert_eq!(
        journal.add(&entry("one", 3)).unwrap_err().kind,
        ProblemKind::Invalid
    );
    assert_eq!(
        journal.update(&entry("two", 3)).unwrap_err().kind,
        ProblemKind::NotFound
    );
    // Fails in its last row, after the old ones were deleted within the same transaction.
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute_batch(
            "CREATE TRIGGER no_more BEFORE INSERT ON journal_rows WHEN new.topic = 'zeta'
             BEGIN SELECT RAISE(FAIL, 'the disk is full'); END;",
        )
        .unwrap();
    let problem = journal.update(&entry("one", 4)).unwrap_err();
    assert!(problem.message.contains("the disk is full"), "{problem}");
    assert!(journal.add(&entry("three", 4)).is_err());
    assert_eq!(journal.entries().unwrap(), [changed]);
}

#[test]
fn an_address_that_may_hold_a_secret_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let journal = JournalFile::new(folder.path().join("tideline.db"));
    let mut secret = entry("one", 1);
    secret.bootstrap = "alice:hunter2@kafka:9092".to_owned();
    journal.add(&secret).unwrap();
    assert_eq!(journal.entries().unwrap()[0].bootstrap, "");
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(7).any(|part| part == b"hunter2"));
    }
}

#[test]
fn a_word_that_nobody_knows_is_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tideline.db");
    let journal = JournalFile::new(file.clone());
    journal.add(&entry("one", 1)).unwrap();
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute("UPDATE journal SET state = 'dancing'", [])
        .unwrap();
    let problem = journal.entries().unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Malformed);
    assert!(problem.message.contains("dancing"), "{problem}");
}

#[test]
fn a_damaged_or_newer_file_is_a_problem_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tideline.db");
    let newer = {
        drop(crate::store::Store::open(&file).unwrap());
        let database = rusqlite::Connection::open(&file).unwrap();
        database.pragma_update(None, "user_version", 99).unwrap();
        drop(database);
        std::fs::read(&file).unwrap()
    };
    for (bytes, kind) in [
        (newer, ProblemKind::Unsupported),
        (
            b"no database, and long enough to look at".to_vec(),
            ProblemKind::Malformed,
        ),
    ] {
        std::fs::write(&file, &bytes).unwrap();
        let journal = JournalFile::new(file.clone());
        assert_eq!(journal.add(&entry("one", 1)).unwrap_err().kind, kind);
        assert_eq!(journal.update(&entry("one", 1)).unwrap_err().kind, kind);
        assert_eq!(journal.entries().unwrap_err().kind, kind);
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
    }
}

/// Names the file for this very test run as another process, which then writes and waits to be killed.
const CHILD: &str = "TIDELINE_TEST_JOURNAL";

/// This test program anew, doing what `name` does when the variable is set.
fn child(name: &str, file: &Path, number: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("store::journal::tests::{name}"),
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, file)
        .env("TIDELINE_TEST_NUMBER", number.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_for_line(child: &mut Child, line: &str) {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines
            .map_while(Result::ok)
            .any(|found| found.ends_with(line))
    );
}

#[test]
fn what_was_added_is_there_after_a_kill() {
    if let Some(file) = std::env::var_os(CHILD) {
        let journal = JournalFile::new(file.into());
        journal.add(&entry("kept", 1)).unwrap();
        println!("added");
        std::thread::sleep(Duration::from_mins(5));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tideline.db");
    let mut child = child("what_was_added_is_there_after_a_kill", &file, 0);
    wait_for_line(&mut child, "added");
    child.kill().unwrap();
    child.wait().unwrap();
    let journal = JournalFile::new(file);
    assert_eq!(journal.entries().unwrap(), [entry("kept", 1)]);
    let done = JournalEntry {
        state: JournalState::Watching,
        ..entry("kept", 1)
    };
    journal.update(&done).unwrap();
    assert_eq!(journal.entries().unwrap(), [done]);
}

#[test]
fn threads_and_processes_write_side_by_side() {
    const EACH: i64 = 25;
    let write = |journal: &JournalFile, who: &str| {
        for number in 0..EACH {
            let mut own = entry(&format!("{who}-{number}"), number);
            journal.add(&own).unwrap();
            own.state = JournalState::Watching;
            journal.update(&own).unwrap();
        }
    };
    if let Some(file) = std::env::var_os(CHILD) {
        let number = std::env::var("TIDELINE_TEST_NUMBER").unwrap();
        write(&JournalFile::new(file.into()), &format!("process {number}"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tideline.db");
    let name = "threads_and_processes_write_side_by_side";
    let mut children: Vec<Child> = (0..2).map(|number| child(name, &file, number)).collect();
    let journal = JournalFile::new(file);
    std::thread::scope(|scope| {
        for who in ["thread 0", "thread 1"] {
            let journal = &journal;
            scope.spawn(move || write(journal, who));
        }
    });
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let entries = journal.entries().unwrap();
    assert_eq!(entries.len(), 100);
    assert!(
        entries
            .iter()
            .all(|entry| entry.state == JournalState::Watching && entry.rows.len() == 3)
    );
}
