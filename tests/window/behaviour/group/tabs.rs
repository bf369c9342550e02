//! Tabs, and which group they show.

use tideline::ui::BottomTab;

use super::*;

#[test]
fn tabs_are_reached_by_click_by_control_and_number_and_by_arrows() {
    let (mut harness, _) = shop();
    assert_eq!(
        labels(&harness, Role::Tab),
        [
            "Records",
            "Group billing",
            "Rewind billing",
            "Gaps …",
            "Journal"
        ]
    );
    let tab = |harness: &Window| harness.state().state().tab;
    assert_eq!(tab(&harness), BottomTab::Records);
    click(&mut harness, "Group billing");
    assert_eq!(tab(&harness), BottomTab::Group);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num1);
    harness.run();
    assert_eq!(tab(&harness), BottomTab::Records);
    harness.get_by_label("Records").focus();
    harness.run();
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert_eq!(tab(&harness), BottomTab::Group);
    assert!(
        harness
            .get_by_label("Group billing")
            .accesskit_node()
            .is_focused()
    );
    harness.key_press(Key::ArrowLeft);
    harness.run();
    assert_eq!(tab(&harness), BottomTab::Records);
}

#[test]
fn the_second_tab_bears_the_name_of_the_chosen_group() {
    let (mut harness, _) = shop();
    click(&mut harness, "Group fraud-check, 31 behind");
    assert!(shows(&harness, "Group fraud-check"));
    click(&mut harness, "Group fraud-check, 31 behind");
    assert!(shows(&harness, "Group"));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run();
    assert!(shows(&harness, "Choose a group in the list at the left"));
}

#[test]
fn enter_on_a_group_opens_its_tab() {
    let (mut harness, _) = shop();
    let chosen = labels(&harness, Role::ListItem)
        .into_iter()
        .find(|label| label.starts_with("Group billing, "))
        .unwrap();
    harness.get_by_label(&chosen).focus();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let state = harness.state().state();
    assert_eq!(state.group, Some(Text::from("fraud-check")));
    assert_eq!(state.tab, BottomTab::Group);
}

#[test]
fn groups_that_are_being_read_or_cannot_be_read_say_so() {
    let with = |groups| {
        let mut snapshot = data::shop();
        Arc::make_mut(&mut snapshot.inventory).groups = groups;
        let (mut harness, _) = open(snapshot);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
        harness.run();
        harness
    };
    let said = |harness: &Window, text: &str| harness.query_all_by_label(text).next().is_some();
    assert!(said(&with(None), "Reading groups…"));
    assert!(said(&with(Some(Ok(vec![]))), "There are no groups yet"));
    let problem = Problem::new(ProblemKind::Forbidden, "you may not list groups");
    assert!(said(
        &with(Some(Err(problem))),
        "The groups cannot be read: you may not list groups"
    ));
}

#[test]
fn a_group_that_goes_while_it_is_shown_is_missed() {
    let (mut harness, fake) = open_tab(data::shop());
    fake.change(|snapshot| {
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        if let Some(Ok(groups)) = &mut inventory.groups {
            groups.retain(|group| group.group.listing.name != Text::from("billing"));
        }
    });
    harness.run();
    assert!(shows(&harness, "There is no group billing any more"));
}

#[test]
fn another_group_begins_at_its_top() {
    let (mut harness, _) = open_tab(data::shop());
    click_row(&mut harness, "orders / 3");
    click(&mut harness, "Group fraud-check, 31 behind");
    assert_eq!(harness.state().state().group_view.subject, None);
    assert!(shows(&harness, "Group fraud-check"));
    assert!(row(&harness, "payments").contains("lag 31"));
}

#[test]
fn a_double_click_on_a_group_opens_its_tab() {
    let (mut harness, _) = window(
        Harness::builder().with_step_dt(0.02),
        (1_440.0, 900.0),
        data::shop(),
    );
    harness.run();
    for _ in 0..2 {
        harness.get_by_label("Group shipping, 0").click();
        harness.step();
    }
    harness.run();
    let state = harness.state().state();
    assert_eq!(state.group, Some(Text::from("shipping")));
    assert_eq!(state.tab, BottomTab::Group);
}

#[test]
fn the_engine_is_told_which_group_is_looked_at() {
    let (mut harness, fake) = shop();
    let told = |fake: &Fake| -> Vec<Option<Text>> {
        let commands = fake.take().into_iter();
        commands
            .filter_map(|command| match command {
                Command::Group(name) => Some(name),
                _ => None,
            })
            .collect()
    };
    assert_eq!(told(&fake), [Some(Text::from("billing"))]);
    click(&mut harness, "Group fraud-check, 31 behind");
    assert_eq!(told(&fake), [Some(Text::from("fraud-check"))]);
}
