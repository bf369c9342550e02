//! What the window looks like in each of its states, in both themes.

use std::sync::Arc;

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use tideline::engine::{Connection, Inventory, Snapshot};
use tideline::model::{Offset, Problem, ProblemKind};
use tideline::ui::App;

use crate::data;
use crate::fake::{Fake, answer_table, window};
use crate::images::{run_command, save};
use crate::over_time::sample;

const SIZE: (f32, f32) = (1_240.0, 760.0);

fn open(snapshot: Snapshot) -> (Harness<'static, App>, Fake) {
    let (mut harness, fake) = window(Harness::builder().wgpu(), SIZE, snapshot);
    harness.run();
    (harness, fake)
}

fn click(harness: &mut Harness<'static, App>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

fn light(harness: &mut Harness<'static, App>) {
    run_command(harness, "theme light");
    harness.run_steps(30);
}

/// Connected to a bus of which this is known.
fn connected(inventory: Inventory, degraded: Option<Problem>) -> Snapshot {
    Snapshot {
        connection: Connection::Connected {
            to: "kafka-1:9092".into(),
            demo: false,
            degraded,
        },
        inventory: Arc::new(inventory),
        ..data::shop()
    }
}

/// The shop with an open transaction in one partition, and nothing written in the middle of its time.
fn with_a_pause() -> Snapshot {
    let mut snapshot = data::shop();
    let inventory = Arc::make_mut(&mut snapshot.inventory);
    if let Some(Ok(topics)) = &mut inventory.topics {
        for topic in topics.iter_mut().filter(|topic| &*topic.name == "payments") {
            for partition in &mut Arc::make_mut(topic).partitions {
                let end = partition.high_watermark.clone().unwrap();
                partition.last_stable = Ok(Offset(end.0 - 4_000));
            }
        }
    }
    let density = Arc::make_mut(&mut snapshot.density);
    let overview = Arc::make_mut(density.overview.as_mut().unwrap());
    let third = overview.counts.len() / 3;
    for count in overview.counts.iter_mut().skip(third).take(third) {
        *count = 0.0;
    }
    snapshot
}

/// Pinned lanes, marks, an open transaction, and a fold that hides something and says so.
#[test]
fn everything_that_the_timeline_can_show() {
    let (mut harness, _) = open(with_a_pause());
    for topic in ["payments", "orders"] {
        click(&mut harness, topic);
    }
    harness.key_press(Key::P);
    harness.run();
    let lane = harness.get_by_label("Lane customers").rect();
    for share in [0.2, 0.8] {
        harness.hover_at(egui::pos2(
            lane.left() + lane.width() * share,
            lane.center().y,
        ));
        harness.run();
        harness.key_press(Key::M);
        harness.run();
    }
    click(&mut harness, "fold idle");
    save(&mut harness, "timeline");
    light(&mut harness);
    save(&mut harness, "timeline_light");
}

#[test]
fn the_axis_of_offsets() {
    let (mut harness, fake) = open(with_a_pause());
    for topic in ["payments", "orders"] {
        click(&mut harness, topic);
    }
    click(&mut harness, "Switch the axis");
    let lane = harness.get_by_label("Lane orders / 1").rect();
    let at = |share: f32| egui::pos2(lane.left() + lane.width() * share, lane.center().y);
    harness.drag_at(at(0.5));
    harness.step();
    harness.hover_at(at(0.6));
    harness.step();
    harness.drop_at(at(0.6));
    harness.run();
    answer_table(&mut harness, &fake);
    save(&mut harness, "axis_from_end");
    click(&mut harness, "Switch the axis");
    save(&mut harness, "axis_offset");
}

#[test]
fn nothing_is_known_yet() {
    let (mut harness, _) = open(connected(Inventory::default(), None));
    save(&mut harness, "reading");
}

#[test]
fn there_is_nothing() {
    let inventory = Inventory {
        topics: Some(Ok(vec![])),
        groups: Some(Ok(vec![])),
        ..Inventory::default()
    };
    let (mut harness, _) = open(connected(inventory, None));
    save(&mut harness, "empty");
}

#[test]
fn nothing_may_be_read() {
    let forbidden =
        |what: &str| Problem::new(ProblemKind::Forbidden, format!("{what} may not be read"));
    let inventory = Inventory {
        topics: Some(Err(forbidden("topics"))),
        groups: Some(Err(forbidden("groups"))),
        ..Inventory::default()
    };
    let (mut harness, _) = open(connected(inventory, None));
    save(&mut harness, "forbidden");
}

#[test]
fn the_bus_does_not_answer_any_more() {
    let shop = data::shop();
    let lost = Problem::new(ProblemKind::TimedOut, "no broker answers within 4 s");
    let (mut harness, fake) = open(shop);
    fake.change(|snapshot| {
        if let Connection::Connected { degraded, .. } = &mut snapshot.connection {
            *degraded = Some(lost);
        }
    });
    harness.run();
    save(&mut harness, "lost");
}

#[test]
fn a_group_in_light_colours() {
    let mut snapshot = data::shop();
    sample(&mut snapshot, 60, &[(0, 5, 40), (1, 5, 0), (3, 20, 10)]);
    let (mut harness, _) = open(snapshot);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run();
    light(&mut harness);
    save(&mut harness, "group_light");
}

#[test]
fn the_welcome_screen_in_light_colours() {
    let (mut harness, _) = open(Snapshot::default());
    light(&mut harness);
    save(&mut harness, "welcome_light");
}
