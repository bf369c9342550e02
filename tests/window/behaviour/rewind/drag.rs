//! Moving a flag.

use super::*;

const FLAG: &str = "billing at orders / 0";

/// Takes the flag at `label` and pulls it `points` along x, without letting it go.
fn pull(harness: &mut Window, label: &str, points: f32, modifiers: Modifiers) -> egui::Pos2 {
    let from = harness.get_by_label(label).rect().center();
    let to = from + egui::vec2(points, 0.0);
    harness.hover_at(from);
    harness.run_steps(1);
    harness.drag_at(from);
    harness.run_steps(2);
    harness.event(Event::ModifiersChanged(modifiers));
    for share in [0.5, 1.0] {
        harness.hover_at(from.lerp(to, share));
        harness.run_steps(2);
    }
    to
}

fn hollow(harness: &Window, lane: &str) -> Option<String> {
    let begins = format!("billing would stand here at {lane}");
    let found = harness.query_all_by_label_contains(&begins);
    found
        .filter_map(|node| {
            node.accesskit_node()
                .label()
                .or_else(|| node.accesskit_node().value())
        })
        .find(|label| *label == begins || label.starts_with(&format!("{begins}:")))
}

fn sends_nothing_that_writes(fake: &Fake) {
    for command in fake.take() {
        assert!(!matches!(command, Command::Apply(_)), "{command:?}");
    }
}

#[test]
fn a_flag_that_is_pulled_back_shows_where_it_would_stand_and_how_much_runs_again() {
    let (mut harness, fake) = opened();
    let to = pull(&mut harness, FLAG, -200.0, Modifiers::NONE);
    let said = hollow(&harness, "orders / 0").expect("a hollow flag");
    assert!(
        said.contains(": up to ") && said.ends_with(" run again"),
        "{said}"
    );
    let (_, request) = asked(&fake).expect("a plan is asked for while it is dragged");
    assert_eq!(request.group, Text::from("billing"));
    let aims = parts(&request);
    assert_eq!(aims.len(), 1);
    assert_eq!(aims[0].0, "orders / 0");
    let Target::Time(time) = aims[0].1 else {
        panic!("{aims:?}")
    };
    // 200 of some 1,200 points of an hour: about ten minutes before 14:33.
    let minutes = (time.0 - data::START.0) / 60_000;
    assert!((21..=25).contains(&minutes), "{minutes}");
    assert_eq!(harness.state().state().tab, BottomTab::Records);
    harness.drop_at(to);
    harness.run();
    assert_eq!(harness.state().state().tab, BottomTab::Rewind);
    sends_nothing_that_writes(&fake);
}

#[test]
fn the_plans_numbers_replace_the_first_ones() {
    let (mut harness, fake) = opened();
    let to = pull(&mut harness, FLAG, -200.0, Modifiers::NONE);
    let plan = answer(&mut harness, &fake, guards(&[]));
    let records = plan.rows[0].contents.records;
    let said = hollow(&harness, "orders / 0").unwrap();
    let count = tidy(records);
    assert_eq!(
        said,
        format!("billing would stand here at orders / 0: {count} run again")
    );
    harness.drop_at(to);
    harness.run();
    assert!(shows_part(&harness, &format!("run again {count}")));
}

/// A number below a million as the window writes it.
fn tidy(number: u64) -> String {
    if number < 1_000 {
        number.to_string()
    } else {
        format!("{},{:03}", number / 1_000, number % 1_000)
    }
}

#[test]
fn shift_moves_all_partitions_of_the_topic_to_one_time() {
    let (mut harness, fake) = opened();
    let to = pull(&mut harness, FLAG, -200.0, Modifiers::SHIFT);
    for partition in 0..4 {
        let lane = format!("orders / {partition}");
        // What was before 14:12 is deleted in partition 2, which is lost already.
        assert!(hollow(&harness, &lane).is_some(), "{lane}");
    }
    let (_, request) = asked(&fake).unwrap();
    assert_eq!(parts(&request)[0].0, "orders");
    harness.drop_at(to);
    harness.run();
    let state = harness.state().state();
    assert_eq!(state.tab, BottomTab::Rewind);
    let text = &state.rewind.draft.time.text;
    assert!(text.starts_with("2026-11-30 14:2"), "{text}");
}

#[test]
fn the_flag_of_a_topic_moves_all_its_partitions() {
    let (mut harness, fake) = opened();
    pull(&mut harness, "billing at orders", 150.0, Modifiers::NONE);
    let (_, request) = asked(&fake).unwrap();
    let aims = parts(&request);
    assert!(
        matches!(aims[0], (ref scope, Target::Time(_)) if scope == "orders"),
        "{aims:?}"
    );
    assert!(hollow(&harness, "orders").is_some());
}

#[test]
fn esc_puts_it_back_and_letting_go_afterwards_plans_nothing() {
    let (mut harness, fake) = opened();
    let to = pull(&mut harness, FLAG, -200.0, Modifiers::NONE);
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(hollow(&harness, "orders / 0"), None);
    harness.hover_at(to + egui::vec2(20.0, 0.0));
    harness.run();
    harness.drop_at(to);
    harness.run();
    let state = harness.state().state();
    assert_eq!(state.tab, BottomTab::Records);
    assert_eq!(state.rewind.request, None);
    assert!(
        fake.take()
            .iter()
            .any(|command| matches!(command, Command::Plan(None)))
    );
}

#[test]
fn it_stops_at_the_end_of_the_log_and_says_so() {
    let (mut harness, fake) = opened();
    pull(&mut harness, FLAG, 900.0, Modifiers::NONE);
    let said = hollow(&harness, "orders / 0").unwrap();
    assert!(said.contains("end of log: up to "), "{said}");
    assert!(said.ends_with(" skipped"), "{said}");
    let (_, request) = asked(&fake).unwrap();
    assert!(matches!(parts(&request)[0].1, Target::Offset(_)));
}

#[test]
fn another_groups_flag_chooses_that_group_first() {
    let (mut harness, fake) = opened();
    pull(
        &mut harness,
        "reports at customers",
        -100.0,
        Modifiers::NONE,
    );
    assert_eq!(harness.state().state().group, Some(Text::from("reports")));
    let (_, request) = asked(&fake).unwrap();
    assert_eq!(request.group, Text::from("reports"));
}

#[test]
fn arrows_move_the_flag_that_has_the_focus_by_one_record() {
    let (mut harness, fake) = opened();
    click(&mut harness, FLAG);
    for _ in 0..3 {
        harness.key_press(Key::ArrowLeft);
        harness.run();
    }
    assert!(
        hollow(&harness, "orders / 0")
            .unwrap()
            .ends_with(": up to 3 run again")
    );
    harness.key_press(Key::ArrowRight);
    harness.run();
    let (_, request) = asked(&fake).unwrap();
    let wanted = Offset(committed(&fake, 0) - 2);
    assert_eq!(parts(&request)[0].1, Target::Offset(wanted));
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().state().tab, BottomTab::Rewind);
    sends_nothing_that_writes(&fake);
}

#[test]
fn esc_puts_a_flag_back_that_keys_moved() {
    let (mut harness, _) = opened();
    click(&mut harness, FLAG);
    harness.key_press(Key::ArrowLeft);
    harness.run();
    assert!(hollow(&harness, "orders / 0").is_some());
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(hollow(&harness, "orders / 0"), None);
}

#[test]
fn on_an_axis_of_offsets_it_goes_to_whole_offsets() {
    let (mut harness, fake) = opened();
    harness.key_press(Key::X);
    harness.run();
    pull(&mut harness, FLAG, -60.0, Modifiers::NONE);
    let (_, request) = asked(&fake).unwrap();
    let Target::Offset(to) = parts(&request)[0].1 else {
        panic!("{:?}", parts(&request))
    };
    let behind = committed(&fake, 0) - to.0;
    assert!(behind > 0);
    let count = tidy(u64::try_from(behind).unwrap());
    let said = hollow(&harness, "orders / 0").unwrap();
    assert!(
        said.ends_with(&format!(": up to {count} run again")),
        "{said}"
    );
}

#[test]
fn a_plan_that_is_left_asks_the_engine_for_nothing_more() {
    let (mut harness, fake) = opened();
    let to = pull(&mut harness, FLAG, -200.0, Modifiers::NONE);
    harness.drop_at(to);
    harness.run();
    fake.take();
    click(&mut harness, "Records");
    assert!(
        fake.take()
            .iter()
            .any(|command| matches!(command, Command::Plan(None)))
    );
    assert_eq!(hollow(&harness, "orders / 0"), None);
    // Coming back, the same is asked for again.
    click(&mut harness, "Rewind billing");
    assert!(asked(&fake).is_some());
}
