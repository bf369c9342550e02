//! What can be done with a lane, from its menu.

use egui_kittest::kittest::NodeT as _;

use super::*;

fn secondary_click(harness: &mut Window, at: egui::Pos2) {
    harness.hover_at(at);
    harness.run();
    for pressed in [true, false] {
        harness.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    harness.run();
}

fn place_in(harness: &Window, lane: &str, share: f32) -> egui::Pos2 {
    let rect = harness.get_by_label(lane).rect();
    pos2(rect.left() + rect.width() * share, rect.center().y)
}

/// What was copied in the last frame.
fn pick(harness: &mut Window, item: &str) -> Option<String> {
    harness.get_by_label(item).click();
    harness.step();
    let output = harness.output().platform_output.commands.clone();
    let copied = output.into_iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text),
        _ => None,
    });
    harness.run();
    copied
}

#[test]
fn a_right_click_in_a_lane_opens_what_can_be_done_there() {
    let (mut harness, fake) = shop();
    let at = place_in(&harness, "Lane orders", 0.5);
    secondary_click(&mut harness, at);
    for item in [
        "Show records here",
        "Zoom to this topic",
        "Pin on top",
        "Open topic",
        "Copy address",
        "Copy name",
    ] {
        assert!(shows(&harness, item), "{item}");
    }
    click(&mut harness, "Show records here");
    assert!(!shows(&harness, "Copy name"));
    let table = fake.last_table().unwrap();
    let TableSpan::Between(from, to) = table.span else {
        panic!("{:?}", table.span)
    };
    // The column under the pointer.
    let view = fake.last_view().unwrap();
    let middle = i64::midpoint(view.from.0, view.to.0);
    assert_eq!(to.since_ms(from), 10_000);
    assert!((from.0 - 10_000..to.0 + 10_000).contains(&middle));
    assert_eq!(table.partitions.len(), 4);
}

#[test]
fn a_lane_is_opened_pinned_and_zoomed_to_from_its_menu() {
    let (mut harness, _fake) = shop();
    let menu = |harness: &mut Window| {
        let at = place_in(harness, "Lane orders", 0.6);
        secondary_click(harness, at);
    };
    menu(&mut harness);
    click(&mut harness, "Open topic");
    assert!(shows(&harness, "Lane orders / 3"));
    menu(&mut harness);
    click(&mut harness, "Close topic");
    assert!(!shows(&harness, "Lane orders / 3"));
    menu(&mut harness);
    click(&mut harness, "Pin on top");
    assert_eq!(harness.state().state().pinned.len(), 1);
    assert!(shows(&harness, "Pinned lane orders"));
    menu(&mut harness);
    click(&mut harness, "Unpin");
    assert!(harness.state().state().pinned.is_empty());
    harness.key_press(Key::W);
    harness.run();
    let (from, to) = data::shop().inventory.bulk.unwrap();
    let closer = harness.state().state().view.unwrap();
    assert!(!closer.holds(from) || !closer.holds(to));
    menu(&mut harness);
    click(&mut harness, "Zoom to this topic");
    // It was written to from the beginning to the end.
    let view = harness.state().state().view.unwrap();
    assert!(view.holds(from) && view.holds(to), "{view:?}");
}

#[test]
fn the_address_of_a_place_is_copied_and_a_topic_says_why_it_has_none() {
    let (mut harness, _fake) = shop();
    let at = place_in(&harness, "Lane orders", 0.5);
    secondary_click(&mut harness, at);
    assert!(
        harness
            .get_by_label("Copy address")
            .accesskit_node()
            .is_disabled()
    );
    assert_eq!(pick(&mut harness, "Copy name").as_deref(), Some("orders"));
    click(&mut harness, "orders");
    let at = place_in(&harness, "Lane orders / 1", 0.5);
    secondary_click(&mut harness, at);
    let copied = pick(&mut harness, "Copy address").unwrap();
    assert!(copied.starts_with("orders/1"), "{copied}");
    assert!(shows_part(&harness, "Copied orders/1"));
    // It leads back.
    super::long_table::paste(&mut harness, &copied);
    assert!(!shows_part(&harness, "is not an address"));
    assert!(harness.state().state().table.jump > 0);
}

#[test]
fn the_menu_of_a_lane_is_reached_by_key_and_left_by_it() {
    for (modifiers, key) in [(Modifiers::SHIFT, Key::F10), (Modifiers::NONE, Key::Menu)] {
        let (mut harness, _fake) = shop();
        click(&mut harness, "orders");
        assert!(harness.get_by_label("orders").is_focused());
        harness.key_press_modifiers(modifiers, key);
        harness.run();
        assert!(harness.get_by_label("Show records on screen").is_focused());
        harness.key_press(Key::Escape);
        harness.run();
        assert!(!shows(&harness, "Show records on screen"));
        assert!(harness.get_by_label("orders").is_focused());
        harness.key_press_modifiers(modifiers, key);
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
        let state = harness.state().state();
        let chosen = state.selection.as_ref().unwrap();
        assert_eq!(
            chosen.lanes,
            [tideline::ui::LaneKey::topic(&"orders".into())]
        );
        assert!(!shows(&harness, "Show records on screen"));
    }
}

#[test]
fn the_lanes_themselves_have_the_menu_of_the_lane_that_keys_act_on() {
    let (mut harness, _fake) = shop();
    click(&mut harness, "Lane payments");
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F10);
    harness.run();
    click(&mut harness, "Open topic");
    assert!(shows(&harness, "Lane payments / 1"));
}
