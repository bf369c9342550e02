//! The gaps: what is missing, filtered, followed to its place, and put aside.

use tideline::engine::FindingsView;
use tideline::model::{Problem, ProblemKind};
use tideline::ui::BottomTab;

use egui::Role;

use super::around::press;
use super::group::labels;
use super::*;
use crate::findings::shop_with_findings;

fn opened() -> (Window, Fake) {
    let (mut harness, fake) = open(shop_with_findings());
    press(&mut harness, Modifiers::COMMAND, Key::Num5);
    fake.take();
    (harness, fake)
}

/// The findings that are listed, by how they begin.
fn listed(harness: &Window) -> Vec<String> {
    labels(harness, Role::Row)
        .into_iter()
        .map(|label| label.split(", ").take(3).collect::<Vec<_>>().join(", "))
        .collect()
}

/// What the engine was asked, without what the window tells of itself.
fn asked(fake: &Fake) -> Vec<String> {
    let commands = fake.take().into_iter();
    commands
        .filter_map(|command| match command {
            Command::Dismiss { finding, reason } => Some(format!("{finding} {reason:?}")),
            Command::FindGaps(request) => Some(format!("read {:?}", request.map(|it| it.version))),
            _ => None,
        })
        .collect()
}

#[test]
fn the_tab_counts_what_a_person_should_look_at_and_lists_it_first_what_costs_most() {
    let (harness, _) = opened();
    assert_eq!(harness.state().state().tab, BottomTab::Gaps);
    assert!(shows(&harness, "Gaps, 3"));
    assert_eq!(
        listed(&harness),
        [
            "Deleted before it was read, proof, billing",
            "Stuck on one record, strong, fraud-check",
            "Never committed, hint, audit",
        ]
    );
}

#[test]
fn what_is_normal_or_was_put_aside_is_listed_when_that_is_asked_for() {
    let (mut harness, _) = opened();
    click(&mut harness, "Normal (2)");
    assert_eq!(listed(&harness).len(), 5);
    click(&mut harness, "Dismissed (1)");
    assert_eq!(listed(&harness).len(), 6);
    click(&mut harness, "Normal (2)");
    assert_eq!(listed(&harness).len(), 4);
    assert!(shows(&harness, "Gaps, 3"));
}

#[test]
fn arrows_go_through_the_list_and_the_detail_follows() {
    let (mut harness, _) = opened();
    harness
        .get_by_label_contains("Deleted before it was read, proof")
        .focus();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    let list = &harness.state().state().findings;
    assert_eq!(list.chosen.as_deref(), Some("G17-1"));
    assert!(shows(&harness, "G17 · strong"));
}

#[test]
fn a_finding_is_put_aside_with_a_reason_and_taken_back() {
    let (mut harness, fake) = opened();
    click(&mut harness, "Dismiss…");
    for letter in ["k", "n", "o", "w", "n"] {
        harness.event(egui::Event::Text(letter.to_owned()));
    }
    harness.run();
    assert_eq!(asked(&fake), [] as [&str; 0]);
    click(&mut harness, "Dismiss");
    assert_eq!(asked(&fake), ["G4-1 Some(\"known\")"]);
    click(&mut harness, "Dismissed (1)");
    harness
        .get_by_label_contains("Stuck, hint, reports")
        .click();
    harness.run();
    click(&mut harness, "Take back");
    assert_eq!(asked(&fake), ["G16-1 None"]);
}

#[test]
fn a_finding_leads_to_its_records_its_place_and_a_plan() {
    let (mut harness, _) = opened();
    click(&mut harness, "Show records");
    let state = harness.state().state();
    assert_eq!(state.tab, BottomTab::Records);
    assert!(state.selection.is_some());
    press(&mut harness, Modifiers::COMMAND, Key::Num5);
    click(&mut harness, "Show on the timeline");
    assert!(harness.state().state().open_topics.contains("orders"));
    click(&mut harness, "Rewind…");
    let state = harness.state().state();
    assert_eq!(state.tab, BottomTab::Rewind);
    assert_eq!(state.group.as_ref().unwrap().as_str(), Some("billing"));
    assert!(state.rewind.request.is_some());
}

#[test]
fn records_are_read_when_that_is_asked_for_and_given_up() {
    let (mut harness, fake) = opened();
    click(&mut harness, "Read records…");
    click(&mut harness, "Read all topics");
    assert_eq!(asked(&fake), ["read Some(None)"]);
    fake.change(|snapshot| {
        let view = Arc::make_mut(&mut snapshot.findings);
        view.reading = Some(tideline::engine::Progress {
            what: "records",
            done: 12_000,
            total: Some(50_000),
        });
    });
    harness.run();
    assert!(shows(&harness, "12,000 records of up to 50,000"));
    click(&mut harness, "Cancel");
    assert_eq!(asked(&fake), ["read None"]);
}

#[test]
fn it_is_said_when_nothing_was_found_and_what_was_not_looked_at() {
    let (mut harness, fake) = opened();
    fake.change(|snapshot| snapshot.findings = Arc::default());
    harness.run();
    assert!(shows(&harness, "Looking for what is missing…"));
    fake.change(|snapshot| {
        snapshot.findings = Arc::new(FindingsView {
            findings: Some(Arc::default()),
            missing: vec![Problem::new(ProblemKind::NoLeader, "nobody leads orders/1")],
            ..FindingsView::default()
        });
    });
    harness.run();
    let said = "Nothing is missing, stuck or odd as far as was looked. Nothing is known yet of how committed offsets moved. Records were not read for it; “Read records…” does that. Not everything could be looked at: nobody leads orders/1.";
    assert!(shows(&harness, said));
    assert!(shows(&harness, "Gaps"));
}
