//! Choosing records, copying them, and what else can be done with rows.

use egui::{OutputCommand, Pos2};
use egui_kittest::kittest::NodeT as _;
use tideline::engine::Table;
use tideline::model::Record;

use super::*;

/// The shop with a span of orders selected, oldest first, and what is at hand of it.
fn orders() -> (Window, Fake, Table) {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.3), ("Lane orders", 0.4));
    answer_table(&mut harness, &fake);
    let table = data::answer(&fake.last_table().unwrap());
    (harness, fake, table)
}

pub(super) fn label(record: &Record) -> String {
    let digits = record.offset.0.to_string();
    let (thousands, rest) = digits.split_at(digits.len() - 3);
    format!(
        "{} / {} offset {thousands},{rest}",
        record.topic, record.partition
    )
}

fn place(harness: &Window, record: &Record) -> Pos2 {
    harness.get_by_label(&label(record)).rect().center()
}

fn click_with(harness: &mut Window, record: &Record, button: PointerButton, modifiers: Modifiers) {
    let pos = place(harness, record);
    harness.hover_at(pos);
    harness.run();
    for pressed in [true, false] {
        harness.event_modifiers(
            Event::PointerButton {
                pos,
                button,
                pressed,
                modifiers,
            },
            modifiers,
        );
    }
    harness.run();
}

fn selected(harness: &Window) -> Vec<(i32, i64)> {
    let state = harness.state().state();
    let mut places: Vec<(i32, i64)> = state
        .table
        .selected
        .iter()
        .map(|record| (record.partition.0, record.offset.0))
        .collect();
    places.sort_unstable();
    places
}

fn places(records: &[Arc<Record>]) -> Vec<(i32, i64)> {
    let mut places: Vec<(i32, i64)> = records
        .iter()
        .map(|record| (record.partition.0, record.offset.0))
        .collect();
    places.sort_unstable();
    places
}

/// What was given to the clipboard in the next frame.
fn copied(harness: &mut Window) -> Option<String> {
    harness.step();
    let commands = &harness.output().platform_output.commands;
    let text = commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    harness.run();
    text
}

#[test]
fn stretches_and_single_records_are_selected_with_the_pointer() {
    let (mut harness, _fake, table) = orders();
    let rows = &table.rows;
    click(&mut harness, &label(&rows[2]));
    assert_eq!(selected(&harness), places(&rows[2..3]));
    click_with(
        &mut harness,
        &rows[6],
        PointerButton::Primary,
        Modifiers::SHIFT,
    );
    assert_eq!(selected(&harness), places(&rows[2..7]));
    click_with(
        &mut harness,
        &rows[4],
        PointerButton::Primary,
        Modifiers::SHIFT,
    );
    assert_eq!(selected(&harness), places(&rows[2..5]));
    click_with(
        &mut harness,
        &rows[8],
        PointerButton::Primary,
        Modifiers::COMMAND,
    );
    click_with(
        &mut harness,
        &rows[3],
        PointerButton::Primary,
        Modifiers::COMMAND,
    );
    let wanted = [2, 4, 8].map(|index| Arc::clone(&rows[index]));
    assert_eq!(selected(&harness), places(&wanted));
    click(&mut harness, &label(&rows[5]));
    assert_eq!(selected(&harness), places(&rows[5..6]));
}

#[test]
fn stretches_are_drawn_out_with_keys() {
    let (mut harness, _fake, table) = orders();
    click(&mut harness, &label(&table.rows[2]));
    for _ in 0..3 {
        harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowDown);
        harness.run();
    }
    assert_eq!(selected(&harness), places(&table.rows[2..6]));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowUp);
    harness.run();
    assert_eq!(selected(&harness), places(&table.rows[2..5]));
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(selected(&harness), places(&table.rows[5..6]));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run();
    assert_eq!(selected(&harness).len(), table.rows.len());
    assert!(shows(
        &harness,
        "The 500 records at hand are selected; the list has more"
    ));
}

#[test]
fn selected_records_are_copied_as_scripts_get_them() {
    let (mut harness, _fake, table) = orders();
    click(&mut harness, &label(&table.rows[0]));
    click_with(
        &mut harness,
        &table.rows[1],
        PointerButton::Primary,
        Modifiers::SHIFT,
    );
    harness.event(Event::Copy);
    let text = copied(&mut harness).expect("something was copied");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    for (line, record) in lines.iter().zip(&table.rows) {
        let begins = format!(
            "{{\"record\":{{\"topic\":\"orders\",\"partition\":{},\"offset\":{},\"timestamp_ms\":{},",
            record.partition,
            record.offset,
            record.timestamp.unwrap().0
        );
        assert!(line.starts_with(&begins), "{line}");
    }
    assert!(shows(&harness, "Copied 2 records as JSON"));
}

#[test]
fn a_row_has_a_menu() {
    let (mut harness, _fake, table) = orders();
    let record = &table.rows[1];
    click_with(
        &mut harness,
        record,
        PointerButton::Secondary,
        Modifiers::NONE,
    );
    assert_eq!(selected(&harness), places(&table.rows[1..2]));
    harness.get_by_label("Copy address").click();
    let wanted = format!("orders/{}/{}", record.partition, record.offset);
    assert_eq!(copied(&mut harness).as_deref(), Some(wanted.as_str()));
    assert!(shows(&harness, &format!("Copied {wanted}")));
    click_with(
        &mut harness,
        record,
        PointerButton::Secondary,
        Modifiers::NONE,
    );
    harness.get_by_label("Show on the timeline").click();
    harness.run();
    let state = harness.state().state();
    let view = state.view.expect("a view of its own");
    let middle = f64::midpoint(view.from_ms, view.to_ms);
    let time = record.timestamp.unwrap().since_ms(data::START);
    let from_start = middle - 1_796_043_600_000.0;
    assert!((from_start - to_f64(time)).abs() < 1.0);
    assert_eq!(state.revealed.as_ref().unwrap().offset, record.offset);
}

#[test]
fn the_menu_of_a_row_is_reached_by_key() {
    let (mut harness, _fake, table) = orders();
    click(&mut harness, &label(&table.rows[1]));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F10);
    harness.run();
    assert!(harness.get_by_label("Copy value").is_focused());
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert!(harness.get_by_label("Copy key").is_focused());
    harness.key_down(Key::Enter);
    let text = copied(&mut harness);
    let key = table.rows[1].key.clone().unwrap();
    assert_eq!(text.as_deref().map(str::as_bytes), Some(&key[..]));
    // The row was not left by the keys of the menu.
    assert_eq!(selected(&harness), places(&table.rows[1..2]));
}

#[test]
fn escape_closes_the_menu_and_leaves_the_span() {
    let (mut harness, _fake, table) = orders();
    click_with(
        &mut harness,
        &table.rows[1],
        PointerButton::Secondary,
        Modifiers::NONE,
    );
    assert!(shows(&harness, "Copy value"));
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!shows(&harness, "Copy value"));
    assert!(harness.state().state().selection.is_some());
}

#[test]
fn enter_goes_on_in_the_detail() {
    let (mut harness, _fake, table) = orders();
    click(&mut harness, &label(&table.rows[0]));
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.get_by_label_contains("Record orders").is_focused());
    // Back among the rows, it is the same one.
    harness.get_by_label(&label(&table.rows[0])).focus();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(selected(&harness), places(&table.rows[1..2]));
}

#[test]
fn who_has_read_a_record_is_told_where_the_pointer_rests_on_it() {
    let (mut harness, _fake, table) = orders();
    let record = &table.rows[0];
    let row = harness.get_by_label(&label(record)).rect();
    let head = harness.get_by_label("Read by").rect();
    harness.hover_at(pos2(head.center().x, row.center().y));
    harness.run_steps(6);
    assert!(shows_part(&harness, "shipping has read it"));
    assert!(shows_part(&harness, "audit never committed"));
}

#[test]
fn the_time_of_the_row_under_the_pointer_is_known_and_the_other_way_round() {
    let (mut harness, _fake, table) = orders();
    let pos = place(&harness, &table.rows[3]);
    harness.hover_at(pos);
    harness.run();
    assert_eq!(
        harness.state().state().hovered_time,
        table.rows[3].timestamp
    );
    harness.hover_at(pos2(2.0, 2.0));
    harness.run();
    assert_eq!(harness.state().state().hovered_time, None);
}

#[test]
fn a_row_says_what_stands_in_it() {
    let (harness, _fake, table) = orders();
    let record = &table.rows[0];
    let label = label(record);
    let node = harness.get_by_label(&label);
    let said = node.accesskit_node().description().unwrap();
    let key = String::from_utf8(record.key.clone().unwrap().to_vec()).unwrap();
    assert!(said.contains(&key), "{said}");
    assert!(said.contains("14:"), "{said}");
}

#[test]
fn records_that_a_table_cannot_show_are_said() {
    let (mut harness, fake, table) = orders();
    let failed = Table {
        problems: vec![Problem::new(
            ProblemKind::NotFound,
            "the record at orders/1/5 is not there any more",
        )],
        disordered: true,
        ..table
    };
    fake.change(|snapshot| snapshot.table = Arc::new(failed));
    harness.run();
    assert!(shows(
        &harness,
        "the record at orders/1/5 is not there any more (+1)"
    ));
    let nothing = Table {
        request: fake.last_table(),
        at_start: true,
        at_end: true,
        up_to: Some(0),
        anchor: Some(0),
        ..Table::default()
    };
    fake.change(|snapshot| snapshot.table = Arc::new(nothing));
    harness.run();
    assert!(shows(&harness, "There are no records in this span"));
}
