//! Order and columns of the table.

use egui::accesskit::SortDirection;
use egui_kittest::kittest::NodeT as _;
use tideline::engine::{Table, TableOrder};

use super::table_rows::label;
use super::*;

/// A short span of orders, all of which is at hand.
fn whole() -> (Window, Fake, Table) {
    let (mut harness, fake) = shop();
    click(&mut harness, "Lane orders");
    answer_table(&mut harness, &fake);
    let table = data::answer(&fake.last_table().unwrap());
    assert!(table.at_start && table.at_end && table.rows.len() > 5);
    (harness, fake, table)
}

/// The labels of the rows on screen from top to bottom.
fn shown(harness: &Window) -> Vec<String> {
    let mut rows: Vec<(f32, String)> = harness
        .query_all_by_label_contains(" offset ")
        .filter_map(|node| Some((node.rect().top(), node.accesskit_node().label()?)))
        .filter(|(_, label)| label.contains(" / "))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, label)| label).collect()
}

fn direction(harness: &Window, label: &str) -> Option<SortDirection> {
    harness
        .get_by_label(label)
        .accesskit_node()
        .sort_direction()
}

fn secondary_click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click_secondary();
    harness.run();
}

#[test]
fn a_header_turns_the_list_round() {
    let (mut harness, fake) = shop();
    answer_table(&mut harness, &fake);
    let newest = data::answer(&fake.last_table().unwrap());
    assert_eq!(shown(&harness)[0], label(newest.rows.last().unwrap()));
    assert_eq!(
        direction(&harness, "Time, sorted descending"),
        Some(SortDirection::Descending)
    );
    click(&mut harness, "Time, sorted descending");
    answer_table(&mut harness, &fake);
    let request = fake.last_table().unwrap();
    assert_eq!(
        (request.place.clone(), request.order),
        (TablePlace::Start, TableOrder::Time)
    );
    assert_eq!(shown(&harness)[0], label(&data::answer(&request).rows[0]));
    assert_eq!(
        direction(&harness, "Time, sorted ascending"),
        Some(SortDirection::Ascending)
    );
    click(&mut harness, "Offset");
    let request = fake.last_table().unwrap();
    assert_eq!(request.order, TableOrder::Offset);
    click(&mut harness, "Offset, sorted ascending");
    assert!(shows(&harness, "Offset, sorted descending"));
    assert_eq!(fake.last_table().unwrap().place, TablePlace::End);
}

#[test]
fn other_columns_are_sorted_only_where_all_is_at_hand() {
    let (mut harness, fake) = shop();
    answer_table(&mut harness, &fake);
    let jump = fake.last_table().unwrap().jump;
    click(&mut harness, "Key");
    assert!(shows_part(&harness, "not all of the list is at hand"));
    assert_eq!(fake.last_table().unwrap().jump, jump);

    let (mut harness, _fake, table) = whole();
    click(&mut harness, "Key");
    let mut keys: Vec<_> = table
        .rows
        .iter()
        .map(|record| (record.key.clone(), label(record)))
        .collect();
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    let wanted: Vec<String> = keys.into_iter().map(|(_, label)| label).collect();
    let seen = shown(&harness);
    assert_eq!(seen[..], wanted[..seen.len()]);
    assert!(shows(&harness, "Key, sorted ascending"));
    // Rows go from top to bottom in this order too.
    click(&mut harness, &seen[0]);
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(
        label(harness.state().state().record.as_deref().unwrap()),
        seen[1]
    );
    harness.key_press(Key::End);
    harness.run();
    assert_eq!(
        label(harness.state().state().record.as_deref().unwrap()),
        *wanted.last().unwrap()
    );
}

#[test]
fn fields_and_headers_that_are_seen_become_columns() {
    let (mut harness, _fake, table) = whole();
    click(&mut harness, "Columns…");
    let many = harness
        .query_all_by_label_contains("traceparent   ")
        .count();
    assert_eq!(many, 1);
    harness.get_by_label_contains(".amount   ").click();
    harness.run();
    harness.get_by_label_contains("event-id   ").click();
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(shows(&harness, ".amount") && shows(&harness, "event-id"));
    let record = &table.rows[0];
    let said = harness
        .get_by_label(&label(record))
        .accesskit_node()
        .description()
        .unwrap();
    let number = record.offset.0 % 9_000 + 1_000;
    let amount = format!("{}.{:02}", 9 + number % 90, (number * 7) % 100);
    assert!(said.contains(&format!(" {amount} ")), "{said}");
    assert!(
        said.contains(&format!("e-{}-{}", record.partition, record.offset)),
        "{said}"
    );
    // Sorted by what it is worth, not by its digits.
    click(&mut harness, ".amount");
    assert!(shows(&harness, ".amount, sorted ascending"));
}

#[test]
fn the_menu_of_columns_opens_on_the_head_too() {
    let (mut harness, _fake, _) = whole();
    secondary_click(&mut harness, "Offset");
    assert!(shows(&harness, "Topic, where there are several"));
    harness.get_by_label("Size").click();
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!shows(&harness, "Topic, where there are several"));
    assert!(shows(&harness, "Size"));
}

#[test]
fn columns_are_made_wider_and_fitted() {
    // Two clicks are a double click only when they come soon after one another.
    let (mut harness, fake) = window(
        Harness::builder().with_step_dt(0.02),
        (1_440.0, 900.0),
        data::shop(),
    );
    click(&mut harness, "Lane orders");
    answer_table(&mut harness, &fake);
    let table = data::answer(&fake.last_table().unwrap());
    let before = harness.get_by_label("Key").rect();
    let edge = harness.get_by_label("Width of Key").rect().center();
    harness.drag_at(edge);
    harness.run();
    harness.hover_at(edge + egui::vec2(60.0, 0.0));
    harness.run();
    harness.drop_at(edge + egui::vec2(60.0, 0.0));
    harness.run();
    let after = harness.get_by_label("Key").rect();
    assert!((after.width() - before.width() - 60.0).abs() < 2.0);
    // As wide as the longest key, or the name with its arrow.
    let edge = harness.get_by_label("Width of Key").rect().center();
    harness.hover_at(edge);
    harness.run();
    for pressed in [true, false, true, false] {
        harness.event(Event::PointerButton {
            pos: edge,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    harness.run();
    let column = harness.state().state().table.columns.shown[4].clone();
    let longest = table
        .rows
        .iter()
        .map(|record| record.key.as_ref().unwrap().len())
        .max()
        .unwrap();
    let wanted = f32::from(u8::try_from(longest).unwrap()) * 7.2 + 2.0;
    let width = column.width.expect("a width of its own");
    assert!((width - wanted).abs() < 2.0, "{width} and {wanted}");
}

#[test]
fn columns_are_made_wider_by_key() {
    let (mut harness, _fake, _) = whole();
    let before = harness.get_by_label("Key").rect().width();
    harness.get_by_label("Key").focus();
    harness.run();
    for (key, times) in [(Key::ArrowRight, 3), (Key::ArrowLeft, 1)] {
        for _ in 0..times {
            harness.key_press_modifiers(Modifiers::SHIFT, key);
            harness.run();
        }
    }
    let after = harness.get_by_label("Key").rect().width();
    assert!((after - before - 24.0).abs() < 1.0, "{before} {after}");
    assert!(harness.get_by_label("Key").is_focused());
}

/// The names above the columns from left to right.
fn order(harness: &Window) -> Vec<&'static str> {
    let names = [
        "Time, sorted ascending",
        "Partition",
        "Offset",
        "Key",
        "Value",
        "Read by",
    ];
    let mut found: Vec<(f32, &str)> = names
        .into_iter()
        .map(|name| {
            let role = egui::accesskit::Role::ColumnHeader;
            let head = harness.get_by_role_and_label(role, name);
            (head.rect().left(), name)
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn a_column_is_dragged_to_another_place() {
    let (mut harness, _fake, _) = whole();
    assert_eq!(order(&harness)[3], "Key");
    let from = harness.get_by_label("Key").rect().center();
    let to = harness.get_by_label("Partition").rect().left_center();
    harness.drag_at(from);
    harness.run();
    harness.hover_at(to);
    harness.run();
    harness.drop_at(to);
    harness.run();
    let moved = [
        "Time, sorted ascending",
        "Key",
        "Partition",
        "Offset",
        "Value",
        "Read by",
    ];
    assert_eq!(order(&harness), moved);
    // A topic's column, which is not shown where there is one topic, kept its neighbour.
    let columns = &harness.state().state().table.columns;
    assert_eq!(columns.shown[1].kind.name(), "Topic");
    // A drag that leads nowhere else changes nothing, not even the order of rows.
    let from = harness.get_by_label("Key").rect().center();
    harness.drag_at(from);
    harness.run();
    harness.hover_at(from + egui::vec2(15.0, 0.0));
    harness.run();
    harness.drop_at(from + egui::vec2(15.0, 0.0));
    harness.run();
    assert_eq!(order(&harness), moved);
}

#[test]
fn a_column_is_moved_from_its_menu_by_key() {
    let (mut harness, _fake, _) = whole();
    harness.get_by_label("Key").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F10);
    harness.run();
    assert!(harness.get_by_label("Move left").is_focused());
    for _ in 0..2 {
        harness.key_press(Key::Enter);
        harness.run();
    }
    assert_eq!(
        order(&harness)[..3],
        ["Time, sorted ascending", "Key", "Partition"]
    );
    click(&mut harness, "Move left");
    assert_eq!(order(&harness)[0], "Key");
    assert!(
        harness
            .get_by_label("Move left")
            .accesskit_node()
            .is_disabled()
    );
    click(&mut harness, "Move right");
    assert_eq!(order(&harness)[1], "Key");
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!shows(&harness, "Move right"));
    assert!(harness.get_by_label("Key").is_focused());
}

#[test]
fn everything_is_reached_by_key() {
    let (mut harness, _fake, table) = whole();
    harness.get_by_label("Columns…").focus();
    harness.run();
    let mut met = Vec::new();
    for _ in 0..12 {
        harness.key_press(Key::Tab);
        harness.run();
        for name in [
            "Go to…",
            "Clear",
            "Time, sorted ascending",
            "Offset",
            "Key",
            "Value",
        ] {
            if harness
                .query_by_label(name)
                .is_some_and(|node| node.is_focused())
            {
                met.push(name);
            }
        }
        if harness.get_by_label(&label(&table.rows[0])).is_focused() {
            met.push("row");
            break;
        }
    }
    assert_eq!(
        met,
        [
            "Go to…",
            "Clear",
            "Time, sorted ascending",
            "Offset",
            "Key",
            "Value",
            "row"
        ]
    );
}
