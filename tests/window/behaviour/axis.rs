//! The minimap, lanes that stay on top, folds, marks, the axis of offsets, and what lies beyond the edges.

use tideline::ui::{AxisKind, ViewRange};

use super::*;

/// A whole time of today as milliseconds with fractions.
fn ms(at: TimestampMs) -> f64 {
    ViewRange::between(at, at).from_ms
}

fn lane_rect(harness: &Window, name: &str) -> egui::Rect {
    harness.get_by_label(name).rect()
}

fn drag_between(harness: &mut Window, from: egui::Pos2, to: egui::Pos2) {
    harness.drag_at(from);
    harness.step();
    harness.hover_at(to);
    harness.step();
    harness.drop_at(to);
    harness.run();
}

#[test]
fn the_windows_edge_on_the_minimap_narrows_the_view() {
    let (mut harness, _) = shop();
    let strip = lane_rect(&harness, "All of the data");
    // The strip shows half an hour more than the window, which shows an hour.
    let before = 3_600_000.0;
    let right = egui::pos2(strip.right() - 1.0, strip.center().y);
    drag_between(
        &mut harness,
        right,
        egui::pos2(strip.center().x, strip.center().y),
    );
    let after = span_ms(&harness);
    assert!(
        after < before * 0.75 && after > before * 0.1,
        "{before} {after}"
    );
    assert!(shows(&harness, "Resume live"));
}

#[test]
fn dragging_the_minimaps_window_moves_it_and_keeps_its_width() {
    let (mut harness, _) = shop();
    harness.key_press(Key::W);
    harness.run();
    let before = harness.state().state().view.unwrap();
    let strip = lane_rect(&harness, "All of the data");
    let middle = strip.left() + strip.width() * 0.6;
    drag_between(
        &mut harness,
        egui::pos2(middle, strip.center().y),
        egui::pos2(middle - 50.0, strip.center().y),
    );
    let after = harness.state().state().view.unwrap();
    assert!(after.from_ms < before.from_ms);
    assert!((after.span_ms() - before.span_ms()).abs() < 1.0);
}

#[test]
fn a_lane_is_pinned_by_key_and_stays_when_the_others_are_scrolled() {
    let (mut harness, _) = shop();
    click(&mut harness, "payments");
    harness.key_press(Key::P);
    harness.run();
    assert!(shows(&harness, "Pinned lane payments") && shows(&harness, "payments, pinned"));
    let pinned = lane_rect(&harness, "Pinned lane payments");
    let others = lane_rect(&harness, "Lane connect-dlq");
    assert!(pinned.bottom() <= others.top() + 0.5);
    harness.key_press(Key::P);
    harness.run();
    assert!(!shows(&harness, "Pinned lane payments"));
}

#[test]
fn a_mark_is_set_under_the_pointer_and_stepped_to() {
    let (mut harness, _) = shop();
    let lane = lane_rect(&harness, "Lane notifications");
    harness.hover_at(egui::pos2(lane.left() + 100.0, lane.center().y));
    harness.run();
    harness.key_press(Key::M);
    harness.run();
    let marks = harness.state().state().markers.clone();
    assert_eq!(marks.len(), 1);
    harness.key_press(Key::OpenBracket);
    harness.run();
    let view = harness.state().state().view.unwrap();
    let middle = f64::midpoint(view.from_ms, view.to_ms);
    assert!((middle - ms(marks[0])).abs() < 1.0);
}

#[test]
fn on_the_axis_of_offsets_lag_is_a_length_and_a_drag_chooses_offsets() {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    click(&mut harness, "Switch the axis");
    assert_eq!(harness.state().state().axis, AxisKind::FromEnd);
    let lane = lane_rect(&harness, "Lane orders / 1");
    // billing stands 1,519 before the end of partition 1, and 2,510 + 1,204 deleted ones before that of partition
    // 2: the flags stand in that ratio from the end.
    let flag = |harness: &Window, partition: i32| {
        let name = format!("billing at orders / {partition}");
        lane.right() - lane_rect(harness, &name).left()
    };
    // 1.5 % of the width is free on the right of the end.
    let room = lane.width() * 0.0146;
    let ratio = (flag(&harness, 1) - room) / (flag(&harness, 2) - room);
    assert!((ratio - 1_519.0 / 3_714.0).abs() < 0.02, "{ratio}");
    let at = |share: f32| egui::pos2(lane.left() + lane.width() * share, lane.center().y);
    drag_between(&mut harness, at(0.5), at(0.6));
    let table = fake.last_table().unwrap();
    let TableSpan::Offsets(ranges) = &table.span else {
        panic!("{:?}", table.span);
    };
    assert_eq!(table.partitions, vec![TopicPartition::new("orders", 1)]);
    // A tenth of 3,714 × 1.3 and the room of 3 % around it.
    let length = ranges[0].1.since(ranges[0].0).unwrap();
    assert!((490..505).contains(&length), "{length}");
}

#[test]
fn a_click_on_an_offset_goes_to_that_record() {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    click(&mut harness, "Switch the axis");
    let lane = lane_rect(&harness, "Lane orders / 1");
    let end = egui::pos2(lane.right() - lane.width() * 0.0146 - 1.0, lane.center().y);
    harness.hover_at(end);
    harness.run();
    harness.drag_at(end);
    harness.step();
    harness.drop_at(end);
    harness.run();
    match fake.last_table().unwrap().place {
        TablePlace::Record(at, offset) => {
            assert_eq!(at, TopicPartition::new("orders", 1));
            // The log ends at 85,533.
            assert!((85_520..85_533).contains(&offset.0), "{offset}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn arrows_in_the_lanes_go_from_lane_to_lane_and_with_shift_from_column_to_column() {
    let (mut harness, _) = shop();
    click(&mut harness, "Lane payments");
    let chosen = |harness: &Window| {
        let selection = harness.state().state().selection.clone().unwrap();
        (selection.times().unwrap().0, selection.lanes)
    };
    let (first, lanes) = chosen(&harness);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowLeft);
    harness.run();
    let (before, same) = chosen(&harness);
    assert!(before < first);
    assert_eq!(lanes, same);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
    harness.run();
    assert_eq!(chosen(&harness).0, first);
    harness.key_press(Key::ArrowDown);
    harness.run();
    let lane = harness.state().state().lane.clone().unwrap();
    assert_eq!(lane.title(), "shipments");
}

#[test]
fn what_lies_before_the_screen_is_counted_and_a_click_goes_there() {
    let (mut harness, _) = shop();
    let button = harness.get_by_label_contains(" earlier");
    button.click();
    harness.run();
    let view = harness.state().state().view.unwrap();
    // The middle of the screen is now just before what was its left edge.
    let middle = f64::midpoint(view.from_ms, view.to_ms);
    assert!((middle - ms(data::START)).abs() < 60_000.0, "{middle}");
}

#[test]
fn idle_stretches_are_folded_when_asked_for() {
    let (mut harness, fake) = shop();
    let before = lane_rect(&harness, "Lane orders").width();
    fake.change(|snapshot| {
        let density = Arc::make_mut(&mut snapshot.density);
        let overview = Arc::make_mut(density.overview.as_mut().unwrap());
        // Nothing was written in the second third.
        let third = overview.counts.len() / 3;
        for count in overview.counts.iter_mut().skip(third).take(third) {
            *count = 0.0;
        }
    });
    harness.run();
    click(&mut harness, "fold idle");
    let view = fake.last_view().unwrap();
    assert_eq!(view.folds.len(), 1);
    let (from, to) = view.folds[0];
    let share = to_f64(to.since_ms(from)) / to_f64(view.to.since_ms(view.from));
    assert!(share > 0.1, "{share}");
    assert!((lane_rect(&harness, "Lane orders").width() - before).abs() < 1.0);
}

#[test]
fn what_was_deleted_is_explained_where_it_lies() {
    let (mut harness, _) = shop();
    click(&mut harness, "orders");
    // Records of partition 2 before 14:12 were deleted; the view begins before 14:00.
    let lane = lane_rect(&harness, "Lane orders / 2");
    harness.hover_at(egui::pos2(lane.left() + 20.0, lane.center().y));
    harness.run_steps(6);
    assert!(shows_part(
        &harness,
        "The oldest offset that is still there"
    ));
    harness.hover_at(egui::pos2(lane.right() - 20.0, lane.center().y));
    harness.run_steps(6);
    assert!(!shows_part(
        &harness,
        "The oldest offset that is still there"
    ));
}

#[test]
fn the_list_of_groups_is_walked_through_to_its_ends() {
    let (mut harness, _) = shop();
    let names: Vec<_> = crate::data::shop()
        .inventory
        .groups()
        .iter()
        .map(|group| group.group.listing.name.clone())
        .collect();
    let chosen = |harness: &Window| harness.state().state().group.clone();
    let label = format!("Group {}, ", chosen(&harness).unwrap());
    harness.get_by_label_contains(&label).focus();
    harness.run();
    harness.key_press(Key::End);
    harness.run();
    assert_eq!(chosen(&harness).as_ref(), names.last());
    harness.key_press(Key::Home);
    harness.run();
    assert_eq!(chosen(&harness).as_ref(), names.first());
}
