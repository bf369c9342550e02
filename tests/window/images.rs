//! What the window looks like.

use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, SnapshotOptions};
use tideline::engine::{Connection, LocalBus, Snapshot};
use tideline::model::{Problem, ProblemKind};
use tideline::ui::App;

use crate::data;
use crate::fake::{answer_table, window};

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

fn run_command(harness: &mut Harness<'static, App>, text: &str) {
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
