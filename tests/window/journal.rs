//! A journal as the engine would publish it, made by hand, and locks and profiles beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tideline::engine::{AccessView, Inventory, JournalView, Progression, Snapshot};
use tideline::model::{
    Bookmark, JournalEntry, JournalRow, JournalState, Offset, Profile, RowOutcome, Text,
    TimestampMs, TopicPartition,
};
use tideline::rewind::policy::Policy;

use crate::data;

/// The id of the shop's cluster.
pub const CLUSTER: &str = "shop-c1";

/// What the locks say.
pub fn policy(locked: Option<&str>, production: bool) -> Policy {
    Policy {
        locked: locked.map(str::to_owned),
        production,
        unknown_remote: false,
    }
}

/// The shop with a cluster id and these locks.
pub fn shop_with(access: AccessView) -> Snapshot {
    let mut snapshot = data::shop();
    let mut inventory: Inventory = (*snapshot.inventory).clone();
    if let Some(Ok(cluster)) = &mut inventory.cluster {
        Arc::make_mut(cluster).cluster_id = Some(CLUSTER.into());
    }
    snapshot.inventory = Arc::new(inventory);
    snapshot.access = Arc::new(access);
    snapshot
}

/// A named connection.
#[expect(
    clippy::fn_params_excessive_bools,
    reason = "the two locks of a profile"
)]
pub fn profile(name: &str, bootstrap: &str, read_only: bool, production: bool) -> Profile {
    Profile {
        name: name.into(),
        bootstrap: bootstrap.into(),
        properties: vec![],
        read_only,
        production,
        cluster_id: None,
        links: vec![],
    }
}

/// A row that was moved from `before` to `after`, accepted and read back.
pub fn row(topic: &str, partition: i32, before: i64, after: i64) -> JournalRow {
    let at = |offset| Bookmark::plain(Offset(offset));
    JournalRow {
        at: TopicPartition::new(topic, partition),
        topic_id: None,
        before: Some(at(before)),
        after: Some(at(after)),
        outcome: RowOutcome::Accepted,
        read_back: Some(Some(at(after))),
    }
}

/// A change of `group`, so many minutes before now.
pub fn entry(id: &str, group: &str, minutes: i64, state: JournalState) -> JournalEntry {
    JournalEntry {
        id: id.into(),
        at: data::NOW.moved_ms(minutes * -60_000),
        user: "alice".into(),
        cluster_id: Some(CLUSTER.into()),
        bootstrap: "kafka-1:9092".into(),
        group: Text::from(group),
        target: "time:2026-11-30T14:12:13+01:00".into(),
        confirmed: vec![],
        state,
        rows: vec![
            row("orders", 0, 41_870, 38_214),
            row("orders", 1, 88_190, 84_091),
        ],
        undoes: None,
    }
}

/// How far a group is that has passed one row of two.
pub fn progress() -> Progression {
    Progression {
        at: data::NOW,
        resumed: true,
        rows_passed: 1,
        rows: 2,
        left: 12_408,
        rate: Some(310.0),
        problem: None,
    }
}

/// Five changes in every state that matters.
pub fn journal() -> JournalView {
    let mut sending = entry("j-5", "billing", 1, JournalState::Sending);
    for row in &mut sending.rows {
        row.outcome = RowOutcome::Unknown;
        row.read_back = None;
    }
    let mut watching = entry("j-4", "billing", 8, JournalState::Watching);
    watching.confirmed = vec![
        "no_hidden_reader".into(),
        "invoices may be sent twice, agreed with Ann".into(),
    ];
    if let Some(row) = watching.rows.last_mut() {
        row.outcome = RowOutcome::Refused("a member has come back".into());
        row.read_back = Some(row.before.clone());
    }
    let mut undo = entry("j-3", "reports", 20, JournalState::Passed);
    undo.undoes = Some("j-2".into());
    undo.target = "journal:j-2".into();
    let undone = entry("j-2", "reports", 30, JournalState::Closed);
    let mut elsewhere = entry("j-1", "mailer", 90, JournalState::Watching);
    elsewhere.cluster_id = Some("other-c9".into());
    elsewhere.bootstrap = "kafka-9:9092".into();
    elsewhere.user = "bob".into();
    let entries = [sending, watching, undo, undone, elsewhere];
    JournalView {
        entries: Ok(entries.into_iter().map(Arc::new).collect()),
        progress: BTreeMap::from([("j-4".to_owned(), progress())]),
    }
}

/// The shop with that journal, read-only by its profile.
pub fn shop_with_journal() -> Snapshot {
    let mut snapshot = shop_with(AccessView {
        profile: Some("shop".to_owned()),
        policy: Some(policy(Some("The profile is read-only"), false)),
        ..AccessView::default()
    });
    snapshot.journal = Arc::new(journal());
    snapshot
}

/// A time so many milliseconds after now.
pub fn in_ms(ms: i64) -> TimestampMs {
    data::NOW.moved_ms(ms)
}
