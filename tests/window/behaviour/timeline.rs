//! The topic tree, the groups, and moving through time.

use super::*;

#[test]
fn a_topic_opens_into_its_partitions_and_closes() {
    let (mut harness, _) = shop();
    assert!(!shows(&harness, "orders / 1"));
    click(&mut harness, "orders");
    assert!(shows(&harness, "orders / 1") && shows(&harness, "Lane orders / 1"));
    click(&mut harness, "orders");
    assert!(!shows(&harness, "orders / 1"));
}

#[test]
fn the_filter_leaves_the_topics_that_match() {
    let (mut harness, _) = shop();
    harness.get_by_label("Filter topics").focus();
    harness.run();
    harness.get_by_label("Filter topics").type_text("ORD");
    harness.run();
    assert!(
        shows(&harness, "orders") && shows(&harness, "orders-dlt") && !shows(&harness, "payments")
    );
}

#[test]
fn internal_topics_are_shown_when_asked_for() {
    let (mut harness, _) = shop();
    assert!(!shows(&harness, "__consumer_offsets"));
    click(&mut harness, "internal");
    assert!(shows(&harness, "__consumer_offsets"));
}

#[test]
fn letters_typed_into_the_filter_do_not_zoom() {
    let (mut harness, _) = shop();
    harness.get_by_label("Filter topics").focus();
    harness.run();
    harness.key_press(Key::W);
    harness.run();
    assert!(harness.state().state().view.is_none());
}

#[test]
fn the_group_that_is_farthest_behind_is_chosen_first_and_a_click_chooses_another() {
    let (mut harness, _) = shop();
    assert_eq!(harness.state().state().group, Some(Text::from("billing")));
    click(&mut harness, "Group fraud-check, 31 behind");
    assert_eq!(
        harness.state().state().group,
        Some(Text::from("fraud-check"))
    );
    click(&mut harness, "Group fraud-check, 31 behind");
    assert_eq!(harness.state().state().group, None);
}

#[test]
fn groups_say_how_far_behind_they_are() {
    let (harness, _) = shop();
    for label in ["Group shipping, 0", "Group audit, never committed"] {
        assert!(shows(&harness, label), "{label}");
    }
    assert!(shows_part(&harness, " behind · no members"));
    assert!(shows_part(&harness, "Group reports, "));
}

#[test]
fn flags_stand_where_groups_are_and_choose_them() {
    let (mut harness, _) = shop();
    let lane = harness.get_by_label("Lane customers").rect();
    let flag = harness.get_by_label("reports at customers").rect();
    // 25.5 of about 61 minutes.
    let share = (flag.left() - lane.left()) / lane.width();
    assert!((0.40..0.43).contains(&share), "{share}");
    click(&mut harness, "reports at customers");
    assert_eq!(harness.state().state().group, Some(Text::from("reports")));
}

#[test]
fn control_and_wheel_zoom_at_the_pointer() {
    let (mut harness, fake) = shop();
    let lane = harness.get_by_label("Lane orders").rect();
    let at = pos2(lane.left() + lane.width() * 0.25, lane.center().y);
    let before = fake.last_view().unwrap();
    harness.hover_at(at);
    harness.run();
    wheel(&mut harness, egui::vec2(0.0, 200.0), Modifiers::COMMAND);
    let view = harness.state().state().view.unwrap();
    let whole = to_f64(before.to.since_ms(before.from));
    assert!(view.span_ms() < whole * 0.8, "{}", view.span_ms());
    let under_pointer = to_f64(before.from.since_ms(data::START)) + whole * 0.25;
    let now_there = view.from_ms - 1_796_043_600_000.0 + view.span_ms() * 0.25;
    assert!(
        (under_pointer - now_there).abs() < 2_000.0,
        "{under_pointer} {now_there}"
    );
}

#[test]
fn pinching_zooms() {
    let (mut harness, _) = shop();
    harness.hover_at(harness.get_by_label("Lane orders").rect().center());
    harness.run();
    harness.event(Event::Zoom(2.0));
    harness.run();
    assert!(
        (span_ms(&harness) / 1_000.0 - 1_830.0).abs() < 60.0,
        "{}",
        span_ms(&harness)
    );
}

#[test]
fn keys_zoom_and_pan_and_resume_follows_again() {
    let (mut harness, _) = shop();
    assert!(shows(&harness, "live"));
    harness.key_press(Key::W);
    harness.run();
    let zoomed = span_ms(&harness);
    harness.key_press(Key::S);
    harness.run();
    assert!((span_ms(&harness) / zoomed - 1.25).abs() < 1e-6);
    let before = harness.state().state().view.unwrap().from_ms;
    harness.key_press(Key::D);
    harness.run();
    let moved = harness.state().state().view.unwrap().from_ms - before;
    assert!((moved / span_ms(&harness) - 0.1).abs() < 1e-6);
    click(&mut harness, "Resume live");
    assert!(harness.state().state().view.is_none() && shows(&harness, "live"));
}

#[test]
fn shift_and_wheel_pan_and_the_wheel_alone_scrolls_lanes() {
    let (mut harness, _) = window(
        Harness::builder(),
        (1_024.0, 640.0),
        large::snapshot(60, 2, 0),
    );
    harness.run();
    harness.hover_at(harness.get_by_label("Lane topic-00003").rect().center());
    harness.run();
    wheel(&mut harness, egui::vec2(0.0, -68.0), Modifiers::NONE);
    assert!(harness.state().state().view.is_none());
    assert_eq!(harness.state().state().lane_scroll.row, 2);
    wheel(&mut harness, egui::vec2(0.0, -100.0), Modifiers::SHIFT);
    assert!(harness.state().state().view.is_some());
    assert_eq!(harness.state().state().lane_scroll.row, 2);
}

#[test]
fn the_middle_button_pans() {
    let (mut harness, _) = shop();
    let at = harness.get_by_label("Lane orders").rect().center();
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Middle,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.hover_at(at);
    harness.event(button(at, true));
    harness.run();
    harness.hover_at(at + egui::vec2(50.0, 0.0));
    harness.run();
    harness.hover_at(at + egui::vec2(100.0, 0.0));
    harness.run();
    harness.event(button(at + egui::vec2(100.0, 0.0), false));
    harness.run();
    let view = harness.state().state().view.expect("panned");
    assert!(
        view.from_ms < 1_796_043_600_000.0 - 200_000.0,
        "{}",
        view.from_ms
    );
}

#[test]
fn a_double_click_fits_and_follows() {
    let (mut harness, _) = window(
        Harness::builder().with_step_dt(0.02),
        (1_440.0, 900.0),
        data::shop(),
    );
    harness.run();
    harness.key_press(Key::W);
    harness.run();
    assert!(harness.state().state().view.is_some());
    for _ in 0..2 {
        harness.get_by_label("Lane orders").click();
        harness.step();
    }
    harness.run();
    assert!(harness.state().state().selection.is_none());
    assert!(harness.state().state().view.is_none());
}

#[test]
fn the_tree_is_walked_with_keys() {
    let (mut harness, _) = shop();
    harness.get_by_label("connect-dlq").focus();
    harness.run();
    for _ in 0..3 {
        harness.key_press(Key::ArrowDown);
        harness.run();
    }
    assert!(harness.get_by_label("orders").is_focused());
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert!(shows(&harness, "orders / 0"));
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert!(harness.get_by_label("orders / 0").is_focused());
    harness.key_press(Key::ArrowLeft);
    harness.run();
    assert!(harness.get_by_label("orders").is_focused());
    harness.key_press(Key::Enter);
    harness.run();
    assert!(!shows(&harness, "orders / 0"));
}

#[test]
fn tab_goes_from_filter_to_tree_and_on() {
    let (mut harness, _) = shop();
    let mut reached = Vec::new();
    for _ in 0..40 {
        harness.key_press(Key::Tab);
        harness.run();
        for label in [
            "Filter topics",
            "connect-dlq",
            "Group audit, never committed",
        ] {
            if harness
                .query_by_label(label)
                .is_some_and(|node| node.is_focused())
                && !reached.contains(&label)
            {
                reached.push(label);
            }
        }
    }
    assert!(
        reached.contains(&"Filter topics") && reached.contains(&"connect-dlq"),
        "{reached:?}"
    );
}

#[test]
fn panels_are_resized_by_their_lines_and_keep_their_part_of_the_window() {
    let (mut harness, _) = shop();
    let line = harness
        .get_by_label("Height of the records")
        .rect()
        .center();
    let before = harness.get_by_label("Ruler").rect().top();
    harness.drag_at(line);
    harness.run();
    harness.hover_at(line - egui::vec2(0.0, 50.0));
    harness.run();
    harness.hover_at(line - egui::vec2(0.0, 100.0));
    harness.run();
    harness.drop_at(line - egui::vec2(0.0, 100.0));
    harness.run();
    let moved = harness
        .get_by_label("Height of the records")
        .rect()
        .center()
        .y;
    assert!((line.y - 100.0 - moved).abs() < 2.0, "{line:?} {moved}");
    assert!((harness.get_by_label("Ruler").rect().top() - before).abs() < 0.1);
    let share = harness.state().state().records_share;
    harness.set_size(egui::vec2(1_024.0, 640.0));
    harness.run();
    let height = 640.0 - 38.0 - 24.0;
    let line = harness
        .get_by_label("Height of the records")
        .rect()
        .center()
        .y;
    assert!(
        (616.0 - line - height * share).abs() < 2.0,
        "{line} {share}"
    );
}
