//! What a frame costs, in counts: proportional to what is on screen, whatever the cluster's size.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tideline::engine::Snapshot;
use tideline::ui::App;

use crate::data;
use crate::fake::window;
use crate::large;

struct Counted {
    shapes: usize,
    vertices: usize,
    lanes: usize,
    nodes: usize,
}

fn counted(snapshot: Snapshot) -> Counted {
    let (mut harness, _) = window(Harness::builder(), (1_440.0, 900.0), snapshot);
    harness.run();
    count(&harness)
}

fn count(harness: &Harness<'static, App>) -> Counted {
    let output = harness.output();
    let shapes = output.shapes.len();
    let meshes = harness.ctx.tessellate(output.shapes.clone(), 1.0);
    let vertices = meshes
        .iter()
        .map(|mesh| match &mesh.primitive {
            egui::epaint::Primitive::Mesh(mesh) => mesh.vertices.len(),
            egui::epaint::Primitive::Callback(_) => 0,
        })
        .sum();
    Counted {
        shapes,
        vertices,
        lanes: harness.state().cost().lanes,
        nodes: harness.root().children_recursive().count(),
    }
}

#[test]
fn a_hundred_times_the_cluster_costs_the_same_frame() {
    let small = counted(large::snapshot(100, 1, 10));
    let large = counted(large::snapshot(10_000, 1, 1_000));
    assert_eq!(small.lanes, large.lanes);
    assert!(large.lanes < 20, "{}", large.lanes);
    assert!(
        large.shapes < small.shapes * 2,
        "{} and {}",
        small.shapes,
        large.shapes
    );
    assert!(
        large.vertices < small.vertices * 2,
        "{} and {}",
        small.vertices,
        large.vertices
    );
    assert!(
        large.nodes < small.nodes * 2,
        "{} and {}",
        small.nodes,
        large.nodes
    );
    assert!(large.shapes < 900, "{}", large.shapes);
    assert!(large.vertices < 120_000, "{}", large.vertices);
}

#[test]
fn an_opened_topic_of_ten_thousand_partitions_builds_only_what_is_seen() {
    let (mut harness, _) = window(
        Harness::builder(),
        (1_440.0, 900.0),
        large::snapshot(2, 5_000, 3),
    );
    harness.run_steps(400);
    harness.run();
    harness.get_by_label("topic-00000").click();
    harness.run_steps(4);
    harness.run();
    let counted = count(&harness);
    assert!(counted.lanes < 24, "{}", counted.lanes);
    assert!(counted.shapes < 900, "{}", counted.shapes);
}

#[test]
fn all_densities_are_one_mesh_and_the_strip_of_all_the_data_another() {
    let (mut harness, _) = window(Harness::builder(), (1_440.0, 900.0), data::shop());
    harness.run();
    let meshes = harness
        .output()
        .shapes
        .iter()
        .filter(
            |shape| matches!(&shape.shape, egui::Shape::Mesh(mesh) if mesh.vertices.len() > 100),
        )
        .count();
    assert_eq!(meshes, 2);
}
