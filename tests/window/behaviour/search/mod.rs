//! Searching and following in the window.

mod bar;
mod follow;
mod hits;
mod marks;

use tideline::engine::{SearchControl, SearchRequest, SearchStage, SearchView};
use tideline::model::{Isolation, Offset};

use super::around::{press, type_text};
use super::table_rows::label;
use super::*;
use crate::searching::{asking, ended, hits, publish, running, search_for, stopped};

/// A search of the lane of orders, and what was asked for.
fn search(text: &str) -> (Window, Fake, SearchRequest) {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    drag(&mut harness, ("Lane orders", 0.1), ("Lane orders", 0.6));
    answer_table(&mut harness, &fake);
    let request = search_for(&mut harness, &fake, text);
    (harness, fake, request)
}

fn controls(fake: &Fake) -> Vec<SearchControl> {
    fake.take()
        .into_iter()
        .filter_map(|command| match command {
            Command::SearchControl(control) => Some(control),
            _ => None,
        })
        .collect()
}

/// Whether the search was ended.
fn is_ended(fake: &Fake) -> bool {
    let commands = fake.take();
    let mut commands = commands.iter();
    commands.any(|command| matches!(command, Command::Search(None)))
}

/// The labels of the rows on screen, from top to bottom, and where they are.
fn rows(harness: &Window) -> Vec<(i32, String)> {
    use egui_kittest::kittest::NodeT as _;
    let mut rows: Vec<(f32, String)> = harness
        .query_all_by_label_contains(" offset ")
        .filter_map(|node| Some((node.rect().bottom(), node.accesskit_node().label()?)))
        .filter(|(_, label)| label.contains(" / "))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
    let whole = |at: f32| at.round() as i32;
    rows.into_iter()
        .map(|(at, label)| (whole(at), label))
        .collect()
}

fn names(harness: &Window) -> Vec<String> {
    rows(harness).into_iter().map(|(_, label)| label).collect()
}
