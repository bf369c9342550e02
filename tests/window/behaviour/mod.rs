//! What happens when a person points, clicks, drags, scrolls and types.

mod around;
mod axis;
mod connection;
mod decoded;
mod detail;
mod export;
mod gaps;
mod group;
mod journal;
mod lane_menu;
mod links;
mod locks;
mod long_table;
mod opener;
mod profiles;
mod records;
mod remembered;
mod rewind;
mod search;
mod table_columns;
mod table_rows;
mod taking;
mod timeline;

use std::sync::Arc;

use egui::{Event, Key, Modifiers, PointerButton, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use tideline::engine::{
    Command, ConnectTarget, Connection, LocalBus, Snapshot, TablePlace, TableSpan,
};
use tideline::model::{Problem, ProblemKind, Text, TimestampMs, TopicPartition};
use tideline::ui::App;

use crate::data;
use crate::fake::{Fake, answer_table, window};
use crate::large;

type Window = Harness<'static, App>;

fn open(snapshot: Snapshot) -> (Window, Fake) {
    let (mut harness, fake) = window(Harness::builder(), (1_440.0, 900.0), snapshot);
    harness.run();
    (harness, fake)
}

fn shop() -> (Window, Fake) {
    open(data::shop())
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

fn shows(harness: &Window, label: &str) -> bool {
    harness.query_by_label(label).is_some()
}

fn shows_part(harness: &Window, part: &str) -> bool {
    harness.query_all_by_label_contains(part).next().is_some()
}

/// Drags from one place in a lane to another, both as parts of its width.
fn drag(harness: &mut Window, from: (&str, f32), to: (&str, f32)) {
    let place = |harness: &Window, (lane, share): (&str, f32)| {
        let rect = harness.get_by_label(lane).rect();
        pos2(rect.left() + rect.width() * share, rect.center().y)
    };
    let (start, end) = (place(harness, from), place(harness, to));
    harness.drag_at(start);
    harness.run();
    harness.hover_at(start.lerp(end, 0.5));
    harness.run();
    harness.hover_at(end);
    harness.run();
    harness.drop_at(end);
    harness.run();
}

fn wheel(harness: &mut Window, delta: egui::Vec2, modifiers: Modifiers) {
    harness.event_modifiers(
        Event::MouseWheel {
            source: egui::MouseWheelSource::Wheel,
            unit: egui::MouseWheelUnit::Point,
            delta,
            phase: egui::TouchPhase::Move,
            modifiers,
        },
        modifiers,
    );
    harness.run_steps(12);
    harness.run();
}

fn span_ms(harness: &Window) -> f64 {
    harness
        .state()
        .state()
        .view
        .expect("a view of its own")
        .span_ms()
}

fn to_f64(ms: i64) -> f64 {
    f64::from(i32::try_from(ms).unwrap())
}
