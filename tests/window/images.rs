//! What the window looks like.

use std::sync::Arc;

use bytes::Bytes;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, SnapshotOptions};
use tideline::engine::{Connection, LocalBus, Snapshot, Table};
use tideline::model::{Header, Problem, ProblemKind, Record, Text, TopicPartition, Visibility};
use tideline::ui::App;

use crate::data;
use crate::fake::{answer_table, window};
use crate::over_time::sample;

pub fn save(harness: &mut Harness<'static, App>, name: &str) {
    let options = SnapshotOptions::new()
        .threshold(1.0)
        .max_failed_pixels(10_usize);
    harness.set_render_cursor(false);
    harness.snapshot_options(name, &options);
}

fn main_screen(size: (f32, f32), name: &str) {
    let (mut harness, fake) = window(Harness::builder().wgpu(), size, data::shop());
    harness.run();
    harness.get_by_label("orders").click();
    harness.run();
    for topic in ["payments", "shipments"] {
        // On a small window the last one is below the edge.
        if harness.query_by_label(topic).is_some() {
            harness.get_by_label(topic).click();
            harness.run();
        }
    }
    let lane = harness.get_by_label("Lane orders").rect();
    let last = harness.get_by_label("Lane orders / 3").rect();
    harness.drag_at(egui::pos2(
        lane.left() + lane.width() * 0.27,
        lane.center().y,
    ));
    harness.run();
    harness.hover_at(egui::pos2(
        lane.left() + lane.width() * 0.33,
        lane.center().y,
    ));
    harness.run();
    harness.drop_at(egui::pos2(
        lane.left() + lane.width() * 0.365,
        last.center().y,
    ));
    harness.run();
    answer_table(&mut harness, &fake);
    let row = harness
        .get_all_by_role(egui::accesskit::Role::Row)
        .filter(|node| {
            node.accesskit_node()
                .label()
                .is_some_and(|label| label.contains("offset"))
        })
        .nth(4)
        .expect("a row")
        .rect();
    harness.hover_at(row.center());
    harness.drag_at(row.center());
    harness.drop_at(row.center());
    harness.run();
    harness.hover_at(egui::pos2(
        lane.left() + lane.width() * 0.43,
        harness.get_by_label("Lane orders / 1").rect().center().y,
    ));
    harness.run();
    save(&mut harness, name);
}

#[test]
fn the_main_screen() {
    main_screen((1_440.0, 900.0), "main");
}

#[test]
fn the_main_screen_on_a_small_window() {
    main_screen((1_024.0, 640.0), "main_small");
}

fn group_tab(size: (f32, f32), name: &str) {
    let mut snapshot = data::shop();
    sample(&mut snapshot, 60, &[(0, 5, 40), (1, 5, 0), (3, 20, 10)]);
    let (mut harness, _) = window(Harness::builder().wgpu(), size, snapshot);
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run();
    save(&mut harness, name);
}

#[test]
fn the_tab_of_a_group() {
    group_tab((1_440.0, 900.0), "group");
}

#[test]
fn the_tab_of_a_group_on_a_small_window() {
    group_tab((1_024.0, 640.0), "group_small");
}

fn local() -> Vec<LocalBus> {
    vec![
        LocalBus {
            address: "localhost:9092".into(),
            found_in: "usual port".into(),
        },
        LocalBus {
            address: "localhost:19092".into(),
            found_in: "usual port".into(),
        },
    ]
}

#[test]
fn the_welcome_screen() {
    let snapshot = Snapshot {
        local: std::sync::Arc::new(local()),
        ..Snapshot::default()
    };
    let (mut harness, _) = window(Harness::builder().wgpu(), (1_024.0, 640.0), snapshot);
    harness.run();
    save(&mut harness, "welcome");
}

#[test]
fn a_failed_connection() {
    let problem = Problem::new(
        ProblemKind::Unreachable,
        "nothing answers at kafka.internal:9092: the connection was refused",
    );
    let snapshot = Snapshot {
        connection: Connection::Failed {
            to: "kafka.internal:9092".into(),
            problem,
        },
        ..Snapshot::default()
    };
    let (mut harness, _) = window(Harness::builder().wgpu(), (1_024.0, 640.0), snapshot);
    harness.run();
    save(&mut harness, "failed");
}

#[test]
fn the_table_with_fields_as_columns() {
    use egui::{Event, Modifiers, PointerButton};
    let (mut harness, fake) = window(
        Harness::builder().wgpu(),
        (1_240.0, 900.0),
        crate::data::shop(),
    );
    harness.run();
    harness.get_by_label("Lane orders").click();
    harness.run();
    answer_table(&mut harness, &fake);
    harness.get_by_label("Columns…").click();
    harness.run();
    for name in [".amount   ", ".status   ", "retries   "] {
        harness.get_by_label_contains(name).scroll_to_me();
        harness.run();
        harness.get_by_label_contains(name).click();
        harness.run();
    }
    let rows: Vec<egui::Pos2> = harness
        .query_all_by_label_contains("orders / ")
        .filter(|node| {
            node.accesskit_node()
                .label()
                .is_some_and(|label| label.contains(" offset "))
        })
        .map(|node| node.rect().center())
        .collect();
    for (index, modifiers) in [(1, Modifiers::NONE), (3, Modifiers::SHIFT)] {
        for pressed in [true, false] {
            harness.event_modifiers(
                Event::PointerButton {
                    pos: rows[index],
                    button: PointerButton::Primary,
                    pressed,
                    modifiers,
                },
                modifiers,
            );
        }
        harness.run();
    }
    harness.get_by_label("Columns…").click();
    harness.run();
    save(&mut harness, "table_columns");
}

/// A record with everything that is out of the ordinary.
#[test]
fn a_record_in_full() {
    let at = TopicPartition::new("orders", 1);
    let header = |name: &str, value: Option<&'static [u8]>| Header {
        name: Text::from(name),
        value: value.map(Bytes::from_static),
    };
    let record = Record {
        value: Some(Bytes::from_static(
            "{\"id\":12345678901234567890123,\"to\":\"x\u{202e}y\",\"paid\":true}".as_bytes(),
        )),
        headers: vec![
            header("event-id", Some(b"e-1-85213")),
            header("retries", Some(&[0, 0, 0, 2])),
            header("retries", None),
        ],
        visibility: Visibility::Aborted,
        ..data::record(&at, 85_213, data::NOW.0 - 60_000)
    };
    let (mut harness, fake) = window(Harness::builder().wgpu(), (1_440.0, 1_300.0), data::shop());
    harness.run();
    let request = fake.last_table();
    fake.change(|snapshot| {
        snapshot.table = Arc::new(Table {
            request,
            rows: vec![Arc::new(record)],
            up_to: Some(1),
            at_start: true,
            at_end: true,
            ..Table::default()
        });
    });
    harness.run();
    harness.get_by_label("orders / 1 offset 85,213").click();
    harness.run();
    harness.hover_at(egui::pos2(700.0, 1_200.0));
    harness.run();
    save(&mut harness, "record");
}

/// The window in light colours.
#[test]
fn the_light_theme() {
    let (mut harness, fake) = window(Harness::builder().wgpu(), (1_440.0, 900.0), data::shop());
    harness.run();
    run_command(&mut harness, "theme light");
    harness.get_by_label("orders").click();
    harness.run();
    answer_table(&mut harness, &fake);
    harness
        .get_all_by_label_contains(" offset ")
        .next()
        .unwrap()
        .click();
    harness.run();
    harness.run_steps(30);
    save(&mut harness, "light");
}

pub fn run_command(harness: &mut Harness<'static, App>, text: &str) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    harness.run();
    harness.get_by_label("Commands").type_text(text);
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
}

#[test]
fn the_list_of_commands() {
    let (mut harness, _) = window(Harness::builder().wgpu(), (1_024.0, 640.0), data::shop());
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    harness.run();
    harness.get_by_label("Commands").type_text("the");
    harness.run();
    save(&mut harness, "commands");
}

#[test]
fn the_list_of_keys() {
    let (mut harness, _) = window(Harness::builder().wgpu(), (1_024.0, 640.0), data::shop());
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Questionmark);
    harness.run();
    save(&mut harness, "keys");
}

#[test]
fn twice_as_large() {
    let (mut harness, _) = window(Harness::builder().wgpu(), (1_440.0, 900.0), data::shop());
    harness.run();
    for _ in 0..10 {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Plus);
        harness.run();
    }
    save(&mut harness, "large");
}

fn gaps_screen(size: (f32, f32), name: &str, is_light: bool) {
    let snapshot = crate::findings::shop_with_findings();
    let (mut harness, _fake) = window(Harness::builder().wgpu(), size, snapshot);
    harness.run();
    if is_light {
        run_command(&mut harness, "theme light");
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    harness.run();
    save(&mut harness, name);
}

#[test]
fn the_gaps() {
    gaps_screen((1_440.0, 900.0), "gaps", false);
}

#[test]
fn the_gaps_in_light_colours_in_a_small_window() {
    gaps_screen((1_024.0, 640.0), "gaps_small", true);
}
