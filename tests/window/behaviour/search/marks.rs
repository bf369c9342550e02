//! Hits on the timeline.

use egui_kittest::kittest::NodeT as _;

use super::*;

fn said(harness: &Window, lane: &str) -> Option<String> {
    harness.get_by_label(lane).accesskit_node().description()
}

#[test]
fn hits_are_marked_in_their_lanes_and_summed_in_the_topic() {
    let (mut harness, fake, request) = search("o-47");
    assert_eq!(said(&harness, "Lane orders"), None);
    let found = hits(&request, 300_000, 9);
    let in_first = found.iter().filter(|hit| hit.partition.0 == 0).count();
    assert!(in_first > 0 && in_first < 9);
    publish(&mut harness, &fake, running(&request, found));
    assert_eq!(
        said(&harness, "Lane orders").as_deref(),
        Some("9 hits on screen")
    );
    assert_eq!(
        said(&harness, "Lane orders / 0"),
        Some(format!("{in_first} hits on screen"))
    );
    assert_eq!(said(&harness, "Lane payments"), None);
    click(&mut harness, "Close search");
    assert_eq!(said(&harness, "Lane orders"), None);
}

#[test]
fn hits_that_come_later_are_marked_too() {
    let (mut harness, fake, request) = search("o-47");
    publish(
        &mut harness,
        &fake,
        running(&request, hits(&request, 300_000, 2)),
    );
    publish(
        &mut harness,
        &fake,
        running(&request, hits(&request, 300_000, 7)),
    );
    assert_eq!(
        said(&harness, "Lane orders").as_deref(),
        Some("7 hits on screen")
    );
}
