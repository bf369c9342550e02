//! What is copied of a record, to be used elsewhere.

use tideline::engine::{AccessView, ConnectTarget};
use tideline::model::{ConnectionSettings, Profile, Record, Visibility};
use tideline::ui::Start;

use super::detail::{copied, fill, record, showing, showing_all};
use super::*;
use crate::fake::{start, window_of};

/// What an item of the detail's menu copies.
fn copy(harness: &mut Window, item: &str) -> String {
    click(harness, "Copy…");
    harness.get_by_label(item).click();
    let found = (0..3).find_map(|_| {
        harness.step();
        copied(harness)
    });
    harness.run();
    found.unwrap_or_else(|| panic!("{item} copied nothing"))
}

#[test]
fn a_command_and_a_body_are_copied_from_the_detail() {
    let (mut harness, _) = showing(record());
    assert_eq!(
        copy(&mut harness, "Copy as kcat command"),
        "kcat -C -b kafka-1:9092 -t orders -p 1 -o 85213 -c 1 -e"
    );
    let body = copy(&mut harness, "Copy as JSON for curl");
    for part in [
        "\"partition_id\":1",
        "\"data\":\"o-5213\"",
        "\"type\":\"STRING\"",
    ] {
        assert!(body.contains(part), "{body}");
    }
    assert!(shows_part(&harness, "Copied a body for curl"));
}

#[test]
fn a_record_that_careful_readers_do_not_see_is_read_all_the_same() {
    let (mut harness, _) = showing(Record {
        visibility: Visibility::Aborted,
        ..record()
    });
    assert!(
        copy(&mut harness, "Copy as kcat command")
            .ends_with(" -X isolation.level=read_uncommitted")
    );
}

#[test]
fn no_setting_of_the_connection_is_copied_but_that_there_are_some_is_said() {
    let settings = ConnectionSettings {
        config_text: Some("sasl.password=hunter2".into()),
        ..ConnectionSettings::to("kafka-1:9092")
    };
    let begin = Start {
        connect: Some(ConnectTarget::Bus(settings)),
        ..start()
    };
    let (mut harness, fake) = window_of(Harness::builder(), (1_440.0, 900.0), data::shop(), begin);
    harness.run();
    fill(&mut harness, &fake, vec![record()]);
    click(&mut harness, "orders / 1 offset 85,213");
    let command = copy(&mut harness, "Copy as kcat command");
    assert!(!command.contains("hunter2"), "{command}");
    assert!(shows_part(&harness, "add them with -F FILE"));
}

#[test]
fn the_menu_of_a_row_offers_the_same() {
    let (mut harness, _) = showing(record());
    harness.get_by_label("orders / 1 offset 85,213").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F10);
    harness.run();
    for item in [
        "Copy value",
        "Copy key",
        "Copy address",
        "Copy as kcat command",
        "Copy as JSON for curl",
        "Export records…",
    ] {
        assert!(shows(&harness, item), "{item}");
    }
}

#[test]
fn other_tools_are_opened_on_the_same_event_and_say_what_they_lack() {
    let link = |name: &str, template: &str| (name.to_owned(), template.to_owned());
    let profile = Profile {
        links: vec![
            link("Traces", "https://traces.example/{trace_id}"),
            link("Tenants", "https://t.example/{header:tenant}"),
        ],
        ..crate::journal::profile("prod-eu", "kafka-1:9092", true, false)
    };
    let access = AccessView {
        profiles: Ok(vec![profile]),
        profile: Some("prod-eu".to_owned()),
        ..AccessView::default()
    };
    let snapshot = Snapshot {
        access: Arc::new(access),
        ..data::shop()
    };
    let (mut harness, _) = showing_all(snapshot, vec![record()]);
    click(&mut harness, "Open in…");
    harness.get_by_label("Traces").click();
    let opened = (0..3).find_map(|_| {
        harness.step();
        let commands = harness.output().platform_output.commands.iter();
        commands.into_iter().find_map(|command| match command {
            egui::OutputCommand::OpenUrl(open) => Some(open.url.clone()),
            _ => None,
        })
    });
    assert_eq!(
        opened.as_deref(),
        Some("https://traces.example/4bf92f3577b34da6a3ce929d0e0e4736")
    );
    harness.run();
    click(&mut harness, "Open in…");
    harness.get_by_label("Tenants").hover();
    harness.run_steps(20);
    assert!(shows_part(&harness, "The record has no header tenant"));
}

#[test]
fn without_links_nothing_offers_them() {
    let (harness, _) = showing(record());
    assert!(!shows(&harness, "Open in…"));
}
