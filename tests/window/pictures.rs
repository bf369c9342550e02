//! The pictures of README.md, made from the real engine and the demo bus. `.ci/pictures` runs this; it is no test
//! of anything, and so it is left out otherwise.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use tideline::engine::{Engine, TableSpan};
use tideline::ui::App;

use crate::demo_bus::{opened, until};
use crate::images::run_command;

fn save(harness: &mut Harness<'static, App>, name: &str) {
    harness.set_render_cursor(false);
    let image = harness.render().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(name);
    image.save(&path).unwrap();
}

/// The records of twenty minutes of orders, one of them in detail.
fn choose_a_span(harness: &mut Harness<'static, App>, engine: &Engine) {
    let lane = harness.get_by_label("Lane orders").rect();
    let at = |share: f32| egui::pos2(lane.left() + lane.width() * share, lane.center().y);
    harness.drag_at(at(0.72));
    harness.step();
    harness.hover_at(at(0.76));
    harness.step();
    harness.drop_at(at(0.76));
    harness.run();
    until(harness, engine, "read the span", |snapshot| {
        let table = &snapshot.table;
        let span = table.request.as_ref().map(|request| &request.span);
        matches!(span, Some(TableSpan::Between(..))) && !table.loading && !table.rows.is_empty()
    });
    let row = harness
        .get_all_by_label_contains("orders / 2 offset ")
        .next()
        .unwrap();
    row.click();
    harness.run();
    harness.hover_at(at(0.45));
    harness.run();
}

#[test]
#[ignore = "makes the pictures of README.md"]
fn pictures() {
    let (_server, mut harness, engine) = opened();
    choose_a_span(&mut harness, &engine);
    save(&mut harness, "screenshot.png");
    run_command(&mut harness, "theme light");
    harness.run_steps(30);
    save(&mut harness, "screenshot-light.png");
}
