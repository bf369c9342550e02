//! Choosing a target, the rows, and what is said of them.

use super::*;

#[test]
fn it_is_opened_by_tab_key_palette_list_and_view_of_the_group() {
    let (mut harness, _) = shop();
    let is_open = |harness: &Window| harness.state().state().tab == BottomTab::Rewind;
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num3);
    harness.run();
    assert!(is_open(&harness));
    click(&mut harness, "Group billing");
    click(&mut harness, "Rewind…");
    assert!(is_open(&harness));
    click(&mut harness, "Records");
    harness.get_by_label("Group shipping, 0").click_secondary();
    harness.run();
    click(&mut harness, "Rewind shipping…");
    assert!(is_open(&harness));
    assert_eq!(harness.state().state().group, Some(Text::from("shipping")));
    crate::images::run_command(&mut harness, "Rewind fraud");
    assert_eq!(
        harness.state().state().group,
        Some(Text::from("fraud-check"))
    );
}

#[test]
fn a_typed_time_is_in_the_shown_zone_and_asked_for_once_it_is_one() {
    let (mut harness, fake) = planning();
    type_into(&mut harness, "Time to go to", "2026-11-30 14:1");
    assert!(asked(&fake).is_none());
    assert!(shows_part(&harness, "is not a time"));
    type_into(&mut harness, "Time to go to", "2");
    assert!(shows_part(&harness, "UTC+01:00 · 47 min ago"));
    let (_, request) = asked(&fake).unwrap();
    let noon = TimestampMs(data::START.0 + 12 * 60_000);
    assert_eq!(
        parts(&request),
        vec![("committed".to_owned(), Target::Time(noon))]
    );
}

#[test]
fn rows_say_what_runs_again_and_warnings_stand_in_full() {
    let (mut harness, fake) = planning();
    type_into(&mut harness, "Time to go to", "2026-11-30 14:12");
    let plan = answer(&mut harness, &fake, guards(&[]));
    assert_eq!(plan.rows.len(), 4);
    let first = &plan.rows[0];
    let from = committed(&fake, 0);
    let to = first.to.clone().unwrap().unwrap().offset.0;
    assert_eq!(first.contents.records, u64::try_from(from - to).unwrap());
    assert!(shows_part(&harness, "orders / 0, now at 8"));
    let told: Vec<&str> = plan
        .rows
        .iter()
        .flat_map(|row| &row.warnings)
        .map(|warning| warning.detail.as_str())
        .collect();
    assert!(!told.is_empty());
    for detail in told {
        assert!(shows(&harness, detail), "{detail}");
    }
    assert!(shows_part(&harness, "may happen twice"));
}

#[test]
fn a_row_is_left_out_by_its_checkbox_and_taken_in_again() {
    let (mut harness, fake) = planning();
    click(&mut harness, "Earliest");
    answer(&mut harness, &fake, guards(&[]));
    click(&mut harness, "Move orders / 1");
    let plan = answer(&mut harness, &fake, guards(&[]));
    assert_eq!(plan.rows.len(), 3);
    // It stays in the table, so that it can be taken in again.
    click(&mut harness, "Move orders / 1");
    let plan = answer(&mut harness, &fake, guards(&[]));
    assert_eq!(plan.rows.len(), 4);
    click(&mut harness, "All partitions");
    harness.run_steps(2);
    let (_, request) = asked(&fake).unwrap();
    assert_eq!(request.left_out.len(), 4);
}

/// The field of a row.
fn cell<'h>(harness: &'h Window, label: &str) -> egui_kittest::Node<'h> {
    harness
        .get_all_by_role(egui::Role::TextInput)
        .find(|node| node.accesskit_node().label().as_deref() == Some(label))
        .unwrap()
}

#[test]
fn an_offset_typed_into_a_row_is_meant_for_that_row_and_never_changed() {
    let (mut harness, fake) = planning();
    click(&mut harness, "Earliest");
    answer(&mut harness, &fake, guards(&[]));
    let field = "Offset to which orders / 0 goes";
    cell(&harness, field).focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run();
    cell(&harness, field).type_text("82x");
    harness.run();
    assert!(shows(&harness, "orders / 0: “82x” is not a whole number"));
    harness.key_press(Key::Backspace);
    harness.run();
    cell(&harness, field).type_text("950");
    harness.run_steps(2);
    harness.run();
    let (_, request) = asked(&fake).unwrap();
    assert_eq!(
        parts(&request),
        vec![
            ("committed".to_owned(), Target::Earliest),
            ("orders / 0".to_owned(), Target::Offset(Offset(82_950))),
        ]
    );
}

#[test]
fn an_offset_out_of_range_is_refused_with_its_reason() {
    let (mut harness, fake) = planning();
    click(&mut harness, "Offset");
    type_into(&mut harness, "Offset to go to", "999,999");
    let plan = answer(&mut harness, &fake, guards(&[]));
    let problem = plan.rows[0].to.clone().unwrap_err();
    assert!(shows_part(&harness, &format!("stays: {problem}")));
    assert!(why_disabled(&harness, "Apply now"));
    assert!(shows_part(&harness, "nothing would move"));
}

#[test]
fn records_or_another_groups_place_can_be_the_target() {
    let (mut harness, fake) = planning();
    click(&mut harness, "± records");
    type_into(&mut harness, "Records on, or back when negative", "-500");
    let (_, request) = asked(&fake).unwrap();
    assert_eq!(
        parts(&request),
        vec![("committed".to_owned(), Target::Shift(-500))]
    );
    click(&mut harness, "Another group");
    click(&mut harness, "The other group");
    click(&mut harness, "shipping");
    harness.run_steps(2);
    let plan = answer(&mut harness, &fake, guards(&[]));
    assert!(plan.totals().skipped > 0 && plan.totals().again == 0);
    assert!(shows_part(
        &harness,
        "are skipped: the group will not read them"
    ));
}

#[test]
fn what_runs_again_can_be_looked_at_before_it_is_decided() {
    let (mut harness, fake) = planning();
    type_into(&mut harness, "Time to go to", "2026-11-30 14:12");
    let plan = answer(&mut harness, &fake, guards(&[]));
    click(&mut harness, "Show these records");
    let table = fake.last_table().expect("a list was asked for");
    let TableSpan::Offsets(spans) = &table.span else {
        panic!("{:?}", table.span)
    };
    let stretches: Vec<_> = plan
        .rows
        .iter()
        .filter_map(tideline::rewind::plan::Row::stretch)
        .collect();
    assert_eq!(spans.to_vec(), stretches);
    assert_eq!(harness.state().state().tab, BottomTab::Records);
}

#[test]
fn while_it_is_worked_out_and_when_it_cannot_be_made_that_is_said() {
    let (mut harness, fake) = planning();
    assert!(shows_part(&harness, "Type a time above"));
    click(&mut harness, "Latest");
    harness.run_steps(2);
    assert!(shows_part(&harness, "Working out what would run again"));
    let (number, _) = asked(&fake).unwrap();
    fake.change(|snapshot| {
        let mut view = (*snapshot.rewind).clone();
        view.plan_number = number;
        view.plan = Some(Err(Problem::new(
            ProblemKind::NoLeader,
            "nobody coordinates the group",
        )));
        snapshot.rewind = Arc::new(view);
    });
    harness.run();
    assert!(shows_part(
        &harness,
        "The plan cannot be made: nobody coordinates the group"
    ));
    assert!(shows_part(&harness, "there is no plan"));
}
