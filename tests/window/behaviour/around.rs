//! What is around the data: commands, keys, ways back, notices, looks.

use super::*;

pub fn press(harness: &mut Window, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run();
}

pub fn type_text(harness: &mut Window, field: &str, text: &str) {
    harness.get_by_label(field).type_text(text);
    harness.run();
}

#[test]
fn a_command_is_found_by_some_letters_and_run_with_enter() {
    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::K);
    // The field has the keys; what is spoken is the chosen row.
    let chosen = "Show all commands…, Ctrl+K, Ctrl+Shift+P";
    assert!(harness.get_by_label(chosen).is_focused());
    assert!(shows(
        &harness,
        "Show the records, the records are shown already"
    ));
    type_text(&mut harness, "Commands", "light");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(!shows(&harness, "Commands"));
    assert_eq!(harness.ctx.theme(), egui::Theme::Light);
}

#[test]
fn arrows_choose_and_escape_leaves_everything_as_it_was() {
    let (mut harness, _) = shop();
    drag(&mut harness, ("Lane orders", 0.2), ("Lane orders", 0.4));
    press(&mut harness, COMMAND_SHIFT, Key::P);
    type_text(&mut harness, "Commands", "theme");
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!shows(&harness, "Commands"));
    assert!(harness.state().state().selection.is_some());
    press(&mut harness, COMMAND_SHIFT, Key::P);
    type_text(&mut harness, "Commands", "theme");
    // The shorter name, dark, comes first.
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.ctx.theme(), egui::Theme::Light);
}

const COMMAND_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

#[test]
fn a_command_that_cannot_be_used_says_why_and_does_nothing() {
    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "clear span");
    let row = "Clear the chosen span, no span is chosen";
    assert!(shows(&harness, row));
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(shows(&harness, row));
    press(&mut harness, Modifiers::COMMAND, Key::K);
    assert!(!shows(&harness, row));
}

#[test]
fn a_topic_is_found_and_shown_whatever_is_filtered() {
    let (mut harness, _) = open(large::snapshot(300, 2, 40));
    let wanted = large::snapshot(300, 2, 40).inventory.topics()[217]
        .name
        .to_string();
    assert!(!shows(&harness, &format!("Lane {wanted}")));
    harness.get_by_label("Filter topics").focus();
    harness.run();
    type_text(&mut harness, "Filter topics", "no such topic");
    press(&mut harness, Modifiers::COMMAND, Key::P);
    type_text(&mut harness, "Topics and groups", &wanted);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(shows(&harness, &format!("Lane {wanted}")));
    assert!(shows(&harness, &format!("Lane {wanted} / 1")));
    assert!(harness.get_by_label(&wanted).is_focused());
}

#[test]
fn a_group_is_found_and_chosen() {
    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::P);
    type_text(&mut harness, "Topics and groups", "frd");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(
        harness.state().state().group,
        Some(Text::from("fraud-check"))
    );
}

#[test]
fn all_keys_are_shown_and_what_lies_below_does_not_act_on_them() {
    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::SHIFT, Key::Questionmark);
    assert!(shows(
        &harness,
        "Switch the axis: time, offset from the end, offset"
    ));
    assert!(shows(&harness, "Ctrl+K, Ctrl+Shift+P"));
    press(&mut harness, Modifiers::NONE, Key::W);
    assert_eq!(harness.state().state().view, None);
    press(&mut harness, Modifiers::SHIFT, Key::Questionmark);
    assert!(!shows(
        &harness,
        "Switch the axis: time, offset from the end, offset"
    ));
    press(&mut harness, Modifiers::SHIFT, Key::Questionmark);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!shows(
        &harness,
        "Switch the axis: time, offset from the end, offset"
    ));
}

#[test]
fn a_key_leads_to_the_filter_of_topics() {
    let (mut harness, _) = shop();
    press(&mut harness, COMMAND_SHIFT, Key::F);
    assert!(harness.get_by_label("Filter topics").is_focused());
    type_text(&mut harness, "Filter topics", "pay/");
    assert_eq!(harness.state().state().filter, "pay/");
}

#[test]
fn what_was_changed_in_the_view_can_be_undone_and_done_again() {
    let (mut harness, _) = shop();
    let group = harness.state().state().group.clone();
    press(&mut harness, Modifiers::NONE, Key::D);
    drag(&mut harness, ("Lane orders", 0.2), ("Lane orders", 0.4));
    let (view, selection) = {
        let state = harness.state().state();
        (state.view, state.selection.clone())
    };
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert_eq!(harness.state().state().selection, None);
    assert_eq!(harness.state().state().view, view);
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    let state = harness.state().state();
    assert_eq!((state.view, &state.group), (None, &group));
    press(&mut harness, COMMAND_SHIFT, Key::Z);
    press(&mut harness, Modifiers::COMMAND, Key::Y);
    let state = harness.state().state();
    assert_eq!((state.view, &state.selection), (view, &selection));
}

#[test]
fn back_and_forward_lead_to_spans_one_has_looked_at() {
    let (mut harness, _) = shop();
    drag(&mut harness, ("Lane orders", 0.2), ("Lane orders", 0.4));
    let first = harness.state().state().selection.clone();
    drag(&mut harness, ("Lane payments", 0.5), ("Lane payments", 0.6));
    let second = harness.state().state().selection.clone();
    press(&mut harness, Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(harness.state().state().selection, first);
    click(&mut harness, "Back");
    assert_eq!(harness.state().state().selection, None);
    click(&mut harness, "Forward");
    press(&mut harness, Modifiers::ALT, Key::ArrowRight);
    assert_eq!(harness.state().state().selection, second);
}

#[test]
fn the_axis_is_switched_by_key_and_button_and_the_bar_says_what_it_shows() {
    use tideline::ui::AxisKind;

    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::NONE, Key::X);
    assert_eq!(harness.state().state().axis, AxisKind::FromEnd);
    assert!(shows(&harness, "offsets from the end"));
    click(&mut harness, "Switch the axis");
    assert_eq!(harness.state().state().axis, AxisKind::Offset);
    press(&mut harness, Modifiers::NONE, Key::W);
    assert!(shows_part(&harness, "offsets ") && shows(&harness, "Resume live"));
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert!(shows(&harness, "live"));
    click(&mut harness, "Switch the axis");
    assert!(shows(&harness, "30 Nov 2026  14:00 – 15:01"));
}

#[test]
fn the_mouse_has_buttons_for_back_and_forward() {
    let (mut harness, _) = shop();
    drag(&mut harness, ("Lane orders", 0.2), ("Lane orders", 0.4));
    let span = harness.state().state().selection.clone();
    let mut press = |button: PointerButton| {
        for pressed in [true, false] {
            harness.event(Event::PointerButton {
                pos: pos2(600.0, 400.0),
                button,
                pressed,
                modifiers: Modifiers::NONE,
            });
        }
        harness.run();
        harness.state().state().selection.clone()
    };
    assert_eq!(press(PointerButton::Extra1), None);
    assert_eq!(press(PointerButton::Extra2), span);
}

#[test]
fn colours_follow_the_system_unless_they_were_chosen() {
    let (mut harness, _) = shop();
    assert_eq!(harness.ctx.theme(), egui::Theme::Dark);
    harness.input_mut().system_theme = Some(egui::Theme::Light);
    harness.run();
    assert_eq!(harness.ctx.theme(), egui::Theme::Light);
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "theme dark");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.ctx.theme(), egui::Theme::Dark);
}

#[test]
fn a_lost_connection_is_told_and_nothing_is_live_meanwhile() {
    let (mut harness, fake) = shop();
    assert!(shows(&harness, "live"));
    let stand = |degraded: Option<&str>| Connection::Connected {
        to: "kafka-1:9092".into(),
        demo: false,
        degraded: degraded.map(|why| Problem::new(ProblemKind::Unreachable, why)),
    };
    fake.change(|snapshot| snapshot.connection = stand(Some("no broker answers")));
    harness.run();
    assert!(shows(&harness, "not live") && !shows(&harness, "live"));
    assert!(shows_part(&harness, "kafka-1:9092 does not answer"));
    fake.change(|snapshot| snapshot.connection = stand(None));
    harness.run();
    assert!(shows(&harness, "live"));
    assert!(shows(&harness, "kafka-1:9092 answers again"));
}

#[test]
fn a_broker_that_left_is_missed_in_the_status_line() {
    let (mut harness, fake) = shop();
    assert!(shows_part(&harness, "3 brokers · refreshed"));
    fake.change(|snapshot| {
        let mut inventory = (*snapshot.inventory).clone();
        if let Some(Ok(cluster)) = &mut inventory.cluster {
            Arc::make_mut(cluster).brokers.truncate(2);
        }
        snapshot.inventory = Arc::new(inventory);
    });
    harness.run();
    assert!(shows_part(&harness, "2 brokers, 1 gone · refreshed"));
    assert!(shows(
        &harness,
        "Broker 3 (kafka-3:9092) has left the cluster"
    ));
}

#[test]
fn a_notice_of_what_was_done_goes_away_by_itself() {
    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::Plus);
    assert!(shows(&harness, "Size 110 %"));
    harness.run_steps(30);
    assert!(!shows(&harness, "Size 110 %"));
    assert!(shows_part(&harness, "withdrawn ones marked"));
}

/// Names and places of what stands in the top bar, from left to right.
fn in_top_bar(harness: &Window) -> Vec<(String, egui::Rect)> {
    let names = [
        "Back",
        "Forward",
        "kafka-1:9092",
        "demo",
        "read-only",
        "30 Nov 2026  14:00 – 15:01",
        "UTC+01:00",
        "Switch the axis",
        "live",
        "All commands",
        "More",
        "Disconnect",
    ];
    let mut found: Vec<(String, egui::Rect)> = names
        .into_iter()
        .filter_map(|name| {
            let node = harness.query_all_by_label(name).next()?;
            (node.rect().top() < 38.0).then(|| (name.to_owned(), node.rect()))
        })
        .collect();
    found.sort_by(|(_, a), (_, b)| a.left().total_cmp(&b.left()));
    found
}

#[test]
fn nothing_overlaps_in_the_top_bar_however_narrow() {
    for width in [1_440.0, 1_024.0, 720.0, 512.0] {
        let (mut harness, _) = window(Harness::builder(), (width, 640.0), data::shop());
        harness.run();
        let found = in_top_bar(&harness);
        for pair in found.windows(2) {
            let [(left, a), (right, b)] = pair else {
                continue;
            };
            assert!(a.right() <= b.left() + 0.5, "{width}: {left} and {right}");
        }
        let last = found.last().unwrap();
        assert!(last.1.right() <= width, "{width}: {last:?}");
        let has = |name: &str| found.iter().any(|(known, _)| known == name);
        assert!(
            has("UTC+01:00") && has("live") && has("read-only"),
            "{width}: {found:?}"
        );
        assert_eq!(has("Disconnect"), width > 1_000.0, "{width}: {found:?}");
        assert_eq!(has("More"), width < 1_000.0, "{width}: {found:?}");
    }
}

#[test]
fn what_had_no_room_is_in_the_overflow() {
    let (mut harness, fake) = window(Harness::builder(), (512.0, 640.0), data::shop());
    harness.run();
    fake.take();
    click(&mut harness, "More");
    click(&mut harness, "Disconnect");
    assert!(matches!(fake.take().first(), Some(Command::Disconnect)));
}

#[test]
fn the_keyboard_alone_leads_from_the_address_to_a_record() {
    let (mut harness, fake) = open(Snapshot::default());
    let tab_to = |harness: &mut Window, wanted: &str| {
        for _ in 0..60 {
            let there = harness
                .query_all_by_label_contains(wanted)
                .any(|node| node.is_focused());
            if there {
                return;
            }
            press(harness, Modifiers::NONE, Key::Tab);
        }
        panic!("Tab never leads to {wanted}");
    };
    tab_to(&mut harness, "Address");
    harness.event(Event::Text("kafka-1:9092".into()));
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let commands = fake.take();
    assert!(
        commands
            .iter()
            .any(|command| matches!(command, Command::Connect(_))),
        "{commands:?}"
    );
    fake.publish(data::shop());
    harness.run();
    press(&mut harness, Modifiers::COMMAND, Key::P);
    harness.event(Event::Text("orders".into()));
    harness.run();
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(shows(&harness, "Lane orders / 3"));
    answer_table(&mut harness, &fake);
    tab_to(&mut harness, " offset ");
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    let record = harness.state().state().record.clone().expect("a record");
    assert!(shows_part(
        &harness,
        &format!("{} / {} / ", record.topic, record.partition)
    ));
}

#[test]
fn tabs_and_the_field_for_an_address_are_commands() {
    use tideline::ui::BottomTab;

    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::Num2);
    assert_eq!(harness.state().state().tab, BottomTab::Group);
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "go to record");
    assert!(shows(
        &harness,
        "Go to a record or time…, the records are not shown"
    ));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::COMMAND, Key::Num1);
    assert_eq!(harness.state().state().tab, BottomTab::Records);
    press(&mut harness, Modifiers::COMMAND, Key::G);
    assert!(harness.state().state().table.goto.is_some());
}
