//! Planning where a group's bookmarks go: on the timeline, in the panel, and what is sent in the end.

mod apply;
mod drag;
mod panel;

use egui_kittest::kittest::NodeT as _;
use tideline::engine::ApplyRequest;
use tideline::model::Offset;
use tideline::rewind::guard::{GuardKind, Outcome};
use tideline::rewind::target::{Part, PlanRequest, Scope, Target};
use tideline::ui::BottomTab;

use super::*;
use crate::rewinding::{answer, asked, guards, plan};

/// Where billing stands in partition 0 of orders.
fn committed(fake: &Fake, partition: i32) -> i64 {
    let snapshot = fake.snapshot();
    let group = snapshot
        .inventory
        .groups()
        .iter()
        .find(|group| group.group.listing.name == Text::from("billing"))
        .unwrap();
    let at = TopicPartition::new("orders", partition);
    let place = group.places.iter().find(|place| place.at == at).unwrap();
    place.committed.clone().unwrap().unwrap().0
}

/// A window with the partitions of orders, billing chosen.
fn opened() -> (Window, Fake) {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    (harness, fake)
}

/// The tab for billing.
fn planning() -> (Window, Fake) {
    let (mut harness, fake) = opened();
    click(&mut harness, "Rewind billing");
    fake.take();
    (harness, fake)
}

fn type_into(harness: &mut Window, field: &str, text: &str) {
    harness.get_by_label(field).focus();
    harness.run();
    harness.get_by_label(field).type_text(text);
    harness.run_steps(2);
}

fn why_disabled(harness: &Window, button: &str) -> bool {
    harness.get_by_label(button).accesskit_node().is_disabled()
}

fn parts(request: &PlanRequest) -> Vec<(String, Target)> {
    request
        .parts
        .iter()
        .map(|Part { scope, target }| {
            let scope = match scope {
                Scope::Committed => "committed".to_owned(),
                Scope::Topic(topic) => topic.to_string(),
                Scope::Partition(topic, partition) => format!("{topic} / {partition}"),
            };
            (scope, target.clone())
        })
        .collect()
}

fn applied(fake: &Fake) -> Vec<ApplyRequest> {
    fake.take()
        .into_iter()
        .filter_map(|command| match command {
            Command::Apply(request) => Some(request),
            _ => None,
        })
        .collect()
}
