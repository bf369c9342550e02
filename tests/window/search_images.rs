//! What searching looks like.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tideline::engine::SearchRequest;
use tideline::ui::App;

use crate::data;
use crate::fake::{Fake, window};
use crate::images::{run_command, save};
use crate::searching::{asking, ended, hits, publish, running, search_for};

/// Orders open, and a span of it drawn, in which `text` is searched for.
fn searched(
    size: (f32, f32),
    light: bool,
    text: &str,
) -> (Harness<'static, App>, Fake, SearchRequest) {
    let (mut harness, fake) = window(Harness::builder().wgpu(), size, data::shop());
    harness.run();
    if light {
        run_command(&mut harness, "theme light");
    }
    harness.get_by_label("orders").click();
    harness.run();
    harness.get_by_label("Lane orders").click();
    harness.run();
    let (lane, last) = (
        harness.get_by_label("Lane orders").rect(),
        harness.get_by_label("Lane orders / 3").rect(),
    );
    let at = |share: f32, y: f32| egui::pos2(lane.left() + lane.width() * share, y);
    harness.drag_at(at(0.12, lane.center().y));
    harness.run();
    harness.hover_at(at(0.3, lane.center().y));
    harness.run();
    harness.drop_at(at(0.82, last.center().y));
    harness.run();
    let request = search_for(&mut harness, &fake, text);
    (harness, fake, request)
}

fn rest(harness: &mut Harness<'static, App>) {
    harness.hover_at(egui::pos2(5.0, 5.0));
    harness.run();
}

fn choose_row(harness: &mut Harness<'static, App>) {
    let row = harness
        .get_all_by_role(egui::accesskit::Role::Row)
        .filter(|node| {
            node.accesskit_node()
                .label()
                .is_some_and(|label| label.contains("offset"))
        })
        .nth(2)
        .expect("a row")
        .rect();
    harness.drag_at(row.center());
    harness.drop_at(row.center());
    harness.run();
}

#[test]
fn a_search_on_its_way() {
    let (mut harness, fake, request) = searched((1_440.0, 900.0), false, "o-47");
    let view = running(&request, hits(&request, 97_000, 80));
    publish(&mut harness, &fake, view);
    choose_row(&mut harness);
    rest(&mut harness);
    save(&mut harness, "search_running");
}

#[test]
fn a_search_that_asks_first() {
    let (mut harness, fake, request) = searched((1_440.0, 900.0), false, "jq:.value.amount > 100");
    publish(&mut harness, &fake, asking(&request));
    rest(&mut harness);
    save(&mut harness, "search_asking");
}

#[test]
fn a_search_that_found_nothing() {
    let (mut harness, fake, request) = searched((1_440.0, 900.0), false, "key:o-4711");
    publish(&mut harness, &fake, ended(&request, vec![]));
    rest(&mut harness);
    save(&mut harness, "search_none");
}

#[test]
fn a_search_in_light_colours_on_a_small_window() {
    let (mut harness, fake, request) = searched((1_024.0, 640.0), true, "o-47");
    let view = running(&request, hits(&request, 61_000, 120));
    publish(&mut harness, &fake, view);
    rest(&mut harness);
    save(&mut harness, "search_light");
}
