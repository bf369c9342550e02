//! The journal: what was changed, how far it is, and what can be done about it.

use tideline::engine::JournalView;
use tideline::ui::BottomTab;

use super::around::press;
use super::*;
use crate::journal::{entry, journal, shop_with_journal};

fn opened() -> (Window, Fake) {
    let (mut harness, fake) = open(shop_with_journal());
    press(&mut harness, Modifiers::COMMAND, Key::Num4);
    fake.take();
    (harness, fake)
}

/// Chooses the entry whose row holds all of `parts`.
fn choose(harness: &mut Window, part: &str) {
    harness.get_by_label_contains(part).click();
    harness.run();
}

/// What the engine was asked, without what the window tells of itself.
fn asked(fake: &Fake) -> Vec<String> {
    let commands = fake.take().into_iter();
    commands
        .filter_map(|command| match command {
            Command::CheckEntry(id) => Some(format!("check {id}")),
            Command::CloseEntry(id) => Some(format!("close {id}")),
            _ => None,
        })
        .collect()
}

#[test]
fn every_change_is_listed_with_who_when_where_and_how_far_it_is() {
    let (harness, _) = opened();
    assert_eq!(harness.state().state().tab, BottomTab::Journal);
    for row in [
        "billing, time:2026-11-30T14:12:13+01:00, not known whether the bus has it, 30 Nov 2026 14:58:58 UTC+01:00, alice, shop-c1",
        "billing, time:2026-11-30T14:12:13+01:00, resumed, 1 of 2 rows passed; up to 12,408 records left at 310 a second, 40 s to go, 30 Nov 2026 14:51:58 UTC+01:00, alice, shop-c1",
        "reports, journal:j-2, passed: the group has read on beyond its old bookmarks, an undo, 30 Nov 2026 14:39:58 UTC+01:00, alice, shop-c1",
        "reports, time:2026-11-30T14:12:13+01:00, closed: it is watched no more, undone, 30 Nov 2026 14:29:58 UTC+01:00, alice, shop-c1",
        "mailer, time:2026-11-30T14:12:13+01:00, watched again as soon as its cluster is connected, 30 Nov 2026 13:29:58 UTC+01:00, bob, another cluster: other-c9",
    ] {
        assert!(shows(&harness, row), "{row}");
    }
    assert!(shows(&harness, "Journal, 1 to check"));
}

#[test]
fn what_is_not_known_is_checked_before_it_is_undone() {
    let (mut harness, fake) = opened();
    assert!(shows(
        &harness,
        "Undo: Not possible: it is not known whether the bus has it: check that first"
    ));
    click(&mut harness, "Undo…");
    assert_eq!(harness.state().state().tab, BottomTab::Journal);
    click(&mut harness, "Check…");
    assert_eq!(asked(&fake), ["check j-5"]);
    fake.change(|snapshot| {
        let mut journal = journal();
        let entries = journal.entries.as_mut().unwrap();
        Arc::make_mut(&mut entries[0]).state = tideline::model::JournalState::Refused;
        snapshot.journal = Arc::new(journal);
    });
    harness.run();
    assert!(shows(&harness, "Journal"));
    assert!(shows(&harness, "State: refused: the bus changed nothing"));
    assert!(shows(&harness, "Undo: Not possible: nothing was changed"));
    assert!(!shows(&harness, "Check…"));
}

#[test]
fn a_change_that_is_watched_shows_rows_words_and_progress() {
    let (mut harness, fake) = opened();
    choose(&mut harness, "resumed, 1 of 2 rows passed; up to");
    for label in [
        "State: resumed, 1 of 2 rows passed; up to 12,408 records left at 310 a second, 40 s to go",
        "Who: alice",
        "Cluster: shop-c1, this one",
        "Asked for: time:2026-11-30T14:12:13+01:00",
        "Confirmed: invoices may be sent twice, agreed with Ann",
        "orders / 0: before 41,870, after 38,214, read back",
        "orders / 1: before 88,190, after 84,091, Refused: a member has come back",
    ] {
        assert!(shows(&harness, label), "{label}");
    }
    click(&mut harness, "Stop watching");
    assert_eq!(asked(&fake), ["close j-4"]);
    click(&mut harness, "Undo…");
    let state = harness.state().state();
    assert_eq!(state.tab, BottomTab::Rewind);
    assert_eq!(state.group, Some(Text::from("billing")));
}

#[test]
fn what_was_undone_or_made_elsewhere_cannot_be_undone_here() {
    let (mut harness, _) = opened();
    choose(&mut harness, "closed: it is watched no more");
    assert!(shows(
        &harness,
        "Undo: Not possible: it was undone on 30 Nov 2026 14:39:58 UTC+01:00"
    ));
    assert!(shows(
        &harness,
        "Undone by: the change of 30 Nov 2026 14:39:58 UTC+01:00"
    ));
    choose(&mut harness, "another cluster: other-c9");
    assert!(shows(
        &harness,
        "Cluster: other-c9, another one, reached at kafka-9:9092"
    ));
    click(&mut harness, "Undo…");
    assert_eq!(harness.state().state().tab, BottomTab::Journal);
}

#[test]
fn an_undo_names_what_it_undoes_and_can_be_undone_itself() {
    let (mut harness, _) = opened();
    choose(&mut harness, "passed: the group has read on");
    assert!(shows(
        &harness,
        "Undoes: the change of 30 Nov 2026 14:29:58 UTC+01:00"
    ));
    click(&mut harness, "Undo…");
    assert_eq!(harness.state().state().tab, BottomTab::Rewind);
}

#[test]
fn an_entry_is_copied_as_scripts_are_given_it() {
    let (mut harness, _) = opened();
    let copied = |harness: &Window| {
        let commands = &harness.output().platform_output.commands;
        commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    };
    harness.get_by_label("Copy as JSON").click();
    let mut text = None;
    for _ in 0..4 {
        harness.step();
        text = text.or_else(|| copied(&harness));
    }
    let text = text.expect("something was copied");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entries = json["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["id"], "j-5");
    assert_eq!(entries[0]["state"], "sending");
    assert_eq!(entries[0]["rows"][1]["before"], 88_190);
    assert_eq!(entries[0]["rows"][1]["after"], 84_091);
    harness.run();
    assert!(shows(&harness, "The entry is in the clipboard as JSON"));
}

#[test]
fn the_keyboard_alone_leads_through_the_journal_and_to_the_ways_out() {
    let (mut harness, fake) = opened();
    assert!(harness.get_by_label("Journal, 1 to check").is_focused());
    let tab_to = |harness: &mut Window, wanted: &str| {
        for _ in 0..12 {
            press(harness, Modifiers::NONE, Key::Tab);
            let mut found = harness.query_all_by_label_contains(wanted);
            if found.any(|node| node.is_focused()) {
                return;
            }
        }
        panic!("Tab never leads to {wanted}");
    };
    tab_to(&mut harness, "not known whether the bus has it");
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(
        harness.state().state().journal.chosen.as_deref(),
        Some("j-4")
    );
    tab_to(&mut harness, "Stop watching");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(asked(&fake), ["close j-4"]);
}

#[test]
fn only_entries_on_screen_are_drawn_and_the_last_one_can_be_reached() {
    let (mut harness, fake) = opened();
    fake.change(|snapshot| {
        let passed = tideline::model::JournalState::Passed;
        let entries = (0..5_000).map(|number| {
            let mut entry = entry(&format!("n-{number}"), "billing", number, passed);
            entry.target = format!("offset:{number}");
            Arc::new(entry)
        });
        snapshot.journal = Arc::new(JournalView {
            entries: Ok(entries.collect()),
            ..JournalView::default()
        });
    });
    harness.run();
    let count = |harness: &Window| {
        harness
            .query_all_by_label_contains("billing, offset:")
            .count()
    };
    assert!((5..20).contains(&count(&harness)), "{}", count(&harness));
    harness.get_by_label_contains("billing, offset:0,").focus();
    harness.run();
    press(&mut harness, Modifiers::NONE, Key::End);
    assert!(shows_part(&harness, "billing, offset:4999,"));
    assert!(count(&harness) < 20);
    assert_eq!(
        harness.state().state().journal.chosen.as_deref(),
        Some("n-4999")
    );
}

#[test]
fn a_change_of_a_thousand_partitions_is_scrolled_to_its_end() {
    let (mut harness, fake) = opened();
    fake.change(|snapshot| {
        let mut large = entry("l", "billing", 3, tideline::model::JournalState::Passed);
        large.rows = (0..1_000)
            .map(|partition| crate::journal::row("orders", partition, 9_000, 1_000))
            .collect();
        snapshot.journal = Arc::new(JournalView {
            entries: Ok(vec![Arc::new(large)]),
            ..JournalView::default()
        });
    });
    harness.run();
    assert!(harness.query_all_by_label_contains("before 9,000").count() < 30);
    harness.get_by_label("Change of billing").focus();
    harness.run();
    press(&mut harness, Modifiers::NONE, Key::End);
    assert!(shows(
        &harness,
        "orders / 999: before 9,000, after 1,000, read back"
    ));
}

#[test]
fn an_empty_journal_and_one_that_cannot_be_read_say_so() {
    let (mut harness, fake) = opened();
    fake.change(|snapshot| snapshot.journal = Arc::default());
    harness.run();
    assert!(shows_part(&harness, "Nothing was changed yet"));
    fake.change(|snapshot| {
        snapshot.journal = Arc::new(JournalView {
            entries: Err(Problem::new(ProblemKind::Malformed, "the file is damaged")),
            ..JournalView::default()
        });
    });
    harness.run();
    assert!(shows(
        &harness,
        "The journal cannot be read, and nothing is changed without it: the file is damaged"
    ));
}
