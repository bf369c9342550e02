use std::sync::Arc;

use super::*;
use crate::engine::Inventory;
use crate::model::{Cluster, Offset, Problem, ProblemKind, Text, TopicPartition};

/// An entry of a change of two partitions, both accepted and read back.
pub fn entry(state: JournalState) -> JournalEntry {
    let row = |partition: i32, before: i64, after: i64| JournalRow {
        at: TopicPartition::new("orders", partition),
        topic_id: None,
        before: Some(Bookmark::plain(Offset(before))),
        after: Some(Bookmark::plain(Offset(after))),
        outcome: RowOutcome::Accepted,
        read_back: Some(Some(Bookmark::plain(Offset(after)))),
    };
    JournalEntry {
        id: "j-1".into(),
        at: TimestampMs(1_796_043_720_000),
        user: "alice".into(),
        cluster_id: Some("c-1".into()),
        bootstrap: "kafka-1:9092".into(),
        group: Text::from("billing"),
        target: "time:2026-11-30T14:02:00+01:00".into(),
        confirmed: vec![],
        state,
        rows: vec![row(0, 41_870, 38_214), row(1, 88_190, 84_091)],
        undoes: None,
    }
}

fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").unwrap()
}

fn progress(resumed: bool, rate: Option<f64>) -> Progression {
    Progression {
        at: TimestampMs(0),
        resumed,
        rows_passed: 1,
        rows: 2,
        left: 12_408,
        rate,
        problem: None,
    }
}

fn said(progress: &Progression) -> String {
    let entry = entry(JournalState::Watching);
    state(&entry, Some(progress), Here::This, false).text
}

#[test]
fn a_group_that_reads_again_says_how_far_it_is() {
    assert_eq!(
        said(&progress(true, Some(310.0))),
        "resumed, 1 of 2 rows passed; up to 12,408 records left at 310 a second, 40 s to go"
    );
    assert_eq!(
        said(&progress(true, Some(2.55))),
        "resumed, 1 of 2 rows passed; up to 12,408 records left at 2.5 a second, 1 h 21 min to go"
    );
    assert_eq!(
        said(&progress(true, Some(0.0))),
        "resumed, 1 of 2 rows passed; up to 12,408 records left, and it comes no nearer"
    );
    assert_eq!(
        said(&progress(true, None)),
        "resumed, 1 of 2 rows passed; up to 12,408 records left, rate not known until it was read twice"
    );
    assert_eq!(
        said(&progress(false, None)),
        "not resumed yet: its bookmarks have not moved since; 1 of 2 rows passed"
    );
}

#[test]
fn what_cannot_be_read_is_said_and_not_taken_for_progress() {
    let mut lost = progress(true, Some(10.0));
    lost.problem = Some(Problem::new(ProblemKind::NoLeader, "nobody leads it"));
    assert_eq!(
        said(&lost),
        "watched, 1 of 2 rows passed; its bookmarks cannot be read: nobody leads it"
    );
}

#[test]
fn a_change_that_was_never_answered_is_not_known_unless_it_is_being_made() {
    let entry = entry(JournalState::Sending);
    assert_eq!(
        state(&entry, None, Here::This, false).text,
        "not known whether the bus has it"
    );
    assert_eq!(
        state(&entry, None, Here::This, true).text,
        "on its way to the bus"
    );
}

fn snapshot(cluster_id: Option<&str>) -> Snapshot {
    Snapshot {
        connection: Connection::Connected {
            to: "kafka-1:9092".into(),
            demo: false,
            degraded: None,
        },
        inventory: Arc::new(Inventory {
            cluster: Some(Ok(Arc::new(Cluster {
                cluster_id: cluster_id.map(Into::into),
                controller: None,
                brokers: vec![],
            }))),
            ..Inventory::default()
        }),
        ..Snapshot::default()
    }
}

#[test]
fn a_cluster_is_known_by_its_id_and_without_one_by_its_address() {
    let mut entry = entry(JournalState::Passed);
    assert_eq!(Here::of(&entry, &snapshot(Some("c-1"))), Here::This);
    assert_eq!(Here::of(&entry, &snapshot(Some("c-2"))), Here::Other);
    assert_eq!(Here::of(&entry, &snapshot(None)), Here::Other);
    assert_eq!(Here::of(&entry, &Snapshot::default()), Here::Unknown);
    entry.cluster_id = None;
    assert_eq!(Here::of(&entry, &snapshot(None)), Here::This);
    entry.bootstrap = "other:9092".into();
    assert_eq!(Here::of(&entry, &snapshot(None)), Here::Other);
}

#[test]
fn what_cannot_be_undone_says_why() {
    let zone = berlin();
    let why = |state, here| why_not_undo(&entry(state), None, here, &zone);
    assert_eq!(why(JournalState::Passed, Here::This), None);
    assert_eq!(why(JournalState::Overwritten, Here::This), None);
    assert_eq!(why(JournalState::Closed, Here::This), None);
    assert!(
        why(JournalState::Sending, Here::This)
            .unwrap()
            .contains("check")
    );
    assert_eq!(
        why(JournalState::Refused, Here::This).as_deref(),
        Some("nothing was changed")
    );
    assert!(
        why(JournalState::Passed, Here::Other)
            .unwrap()
            .contains("another cluster")
    );
    assert!(why(JournalState::Passed, Here::Unknown).is_some());
    let undone = why_not_undo(
        &entry(JournalState::Passed),
        Some(&entry(JournalState::Passed)),
        Here::This,
        &zone,
    );
    assert_eq!(
        undone.as_deref(),
        Some("it was undone on 30 Nov 2026 14:02:00 UTC+01:00")
    );
}

#[test]
fn a_row_says_what_became_of_it() {
    let mut row = entry(JournalState::Watching).rows.remove(0);
    assert_eq!(outcome(&row).0.text, "read back");
    row.read_back = None;
    assert_eq!(outcome(&row).0.text, "accepted, not read back");
    row.read_back = Some(Some(Bookmark::plain(Offset(7))));
    let (said, more) = outcome(&row);
    assert_eq!((said.text.as_str(), said.tone), ("differs", Tone::Error));
    assert_eq!(
        more.unwrap().text,
        "Read back as 7, which is not what was written"
    );
    row.after = None;
    row.read_back = Some(None);
    assert_eq!(outcome(&row).0.text, "read back");
    row.outcome = RowOutcome::Refused("the group has members".into());
    assert_eq!(
        outcome(&row).1.unwrap().text,
        "Refused: the group has members"
    );
}

#[test]
fn a_bookmark_is_told_with_what_is_beside_it() {
    let bookmark = Bookmark {
        offset: Offset(88_190),
        leader_epoch: Some(4),
        metadata: Text::from("by hand"),
    };
    assert_eq!(
        in_full(Some(&bookmark), "none"),
        "88,190, leader epoch 4, metadata “by hand”"
    );
    assert_eq!(in_full(None, "none"), "none");
}

#[test]
fn a_group_that_was_moved_on_has_read_nothing_by_that() {
    let mut skipped = entry(JournalState::Passed);
    let said = |entry: &JournalEntry| state(entry, None, Here::This, false).text;
    assert_eq!(
        said(&skipped),
        "passed: the group has read on beyond its old bookmarks"
    );
    for row in &mut skipped.rows {
        std::mem::swap(&mut row.before, &mut row.after);
    }
    assert_eq!(said(&skipped), "done: nothing was to run again");
}
