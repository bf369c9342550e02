//! Choosing a span and reading its records.

use tideline::engine::Table;
use tideline::model::Offset;

use super::*;

#[test]
fn at_first_the_newest_records_of_all_topics_shown_are_asked_for() {
    let (_harness, fake) = shop();
    let table = fake.last_table().unwrap();
    assert_eq!((table.span, table.place), (TableSpan::All, TablePlace::End));
    assert_eq!(table.partitions.len(), 13);
    assert!(!table.partitions.iter().any(|at| at.topic.starts_with("__")));
}

#[test]
fn a_drag_selects_time_and_lanes_and_the_table_asks_for_exactly_them() {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    drag(
        &mut harness,
        ("Lane orders / 1", 0.25),
        ("Lane orders / 2", 0.5),
    );
    let table = fake.last_table().unwrap();
    assert_eq!(
        table.partitions,
        vec![
            TopicPartition::new("orders", 1),
            TopicPartition::new("orders", 2)
        ]
    );
    let TableSpan::Between(from, to) = table.span else {
        panic!("{:?}", table.span)
    };
    let view = fake.last_view().unwrap();
    let whole = to_f64(view.to.since_ms(view.from));
    let share = |at: TimestampMs| to_f64(at.since_ms(view.from)) / whole;
    assert!(
        (share(from) - 0.25).abs() < 0.01 && (share(to) - 0.5).abs() < 0.01,
        "{from:?} {to:?}"
    );
    assert!(shows_part(
        &harness,
        "orders / 1, orders / 2 · 30 Nov 2026 14:15:"
    ));
}

#[test]
fn escape_clears_the_selection() {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.2), ("Lane orders", 0.4));
    assert!(harness.state().state().selection.is_some());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.state().state().selection.is_none());
    assert_eq!(fake.last_table().unwrap().span, TableSpan::All);
}

#[test]
fn escape_during_a_drag_gives_it_up() {
    let (mut harness, fake) = shop();
    let lane = harness.get_by_label("Lane orders").rect();
    harness.drag_at(lane.center());
    harness.run();
    harness.hover_at(lane.center() + egui::vec2(90.0, 0.0));
    harness.run();
    assert!(harness.state().state().dragged.is_some());
    harness.key_press(Key::Escape);
    harness.run();
    harness.hover_at(lane.center() + egui::vec2(120.0, 0.0));
    harness.run();
    harness.drop_at(lane.center() + egui::vec2(120.0, 0.0));
    harness.run();
    let state = harness.state().state();
    assert!(state.dragged.is_none() && state.selection.is_none());
    assert_eq!(fake.last_table().unwrap().span, TableSpan::All);
}

#[test]
fn a_click_shows_the_records_of_its_column() {
    let (mut harness, fake) = shop();
    click(&mut harness, "Lane orders");
    let table = fake.last_table().unwrap();
    let TableSpan::Between(from, to) = table.span else {
        panic!("{:?}", table.span)
    };
    assert_eq!(to.since_ms(from), 10_000);
    assert_eq!(table.partitions.len(), 4);
}

#[test]
fn rows_are_chosen_with_the_pointer_and_then_with_keys() {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.3), ("Lane orders", 0.4));
    answer_table(&mut harness, &fake);
    let table = data::answer(&fake.last_table().unwrap());
    let label = |index: usize| {
        let record = &table.rows[index];
        let digits = record.offset.0.to_string();
        let (thousands, rest) = digits.split_at(digits.len() - 3);
        format!("orders / {} offset {thousands},{rest}", record.partition)
    };
    click(&mut harness, &label(2));
    assert_eq!(
        harness.state().state().record.as_deref(),
        Some(&*table.rows[2])
    );
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(
        harness.state().state().record.as_deref(),
        Some(&*table.rows[3])
    );
    assert!(harness.get_by_label(&label(3)).is_focused());
    harness.key_press(Key::ArrowUp);
    harness.run();
    harness.key_press(Key::ArrowUp);
    harness.run();
    assert_eq!(
        harness.state().state().record.as_deref(),
        Some(&*table.rows[1])
    );
}

#[test]
fn a_record_says_first_who_has_read_it() {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.7), ("Lane orders", 0.8));
    answer_table(&mut harness, &fake);
    let table = data::answer(&fake.last_table().unwrap());
    let record = table
        .rows
        .iter()
        .find(|record| record.partition.0 == 0)
        .unwrap();
    let digits = record.offset.0.to_string();
    let (thousands, rest) = digits.split_at(digits.len() - 3);
    click(
        &mut harness,
        &format!("orders / 0 offset {thousands},{rest}"),
    );
    assert!(shows(&harness, "shipping has read it"));
    assert!(shows(&harness, "audit never committed"));
    assert!(shows_part(&harness, "billing has not: "));
    assert!(shows_part(&harness, "\"customer\": 12345678901234567890,"));
    assert!(shows_part(&harness, "30 Nov 2026 14:4"));
}

#[test]
fn the_engine_is_told_which_rows_are_on_screen() {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.1), ("Lane orders", 0.9));
    answer_table(&mut harness, &fake);
    assert_eq!(fake.last_table().unwrap().place, TablePlace::Start);
    assert!(shows_part(&harness, "rows 1–12 of up to "));
    let caption = harness.get_by_label("Clear").rect();
    harness.hover_at(caption.center() + egui::vec2(-100.0, 120.0));
    harness.run();
    wheel(
        &mut harness,
        egui::vec2(0.0, -24.0 * 180.0),
        Modifiers::NONE,
    );
    assert_eq!(fake.last_rows().map(|(_, first, _)| first), Some(180));
}

/// Answers the table that was last asked for with nothing.
fn answer_with_nothing(harness: &mut Window, fake: &Fake) {
    let request = fake.last_table().unwrap();
    fake.change(|snapshot| {
        snapshot.table = Arc::new(Table {
            request: Some(request),
            up_to: Some(0),
            at_start: true,
            at_end: true,
            ..Table::default()
        });
    });
    harness.run();
}

#[test]
fn an_empty_table_has_no_scroll_bar() {
    let (mut harness, fake) = shop();
    answer_table(&mut harness, &fake);
    assert!(shows(&harness, "Scroll records"));
    drag(&mut harness, ("Lane orders", 0.3), ("Lane orders", 0.4));
    answer_with_nothing(&mut harness, &fake);
    assert!(shows(&harness, "There are no records in this span"));
    assert!(!shows(&harness, "Scroll records"));
}

#[test]
fn a_span_before_the_log_start_says_that_its_records_are_deleted() {
    let (mut harness, fake) = shop();
    click(&mut harness, "orders");
    // The head of partition 2 was deleted up to 14:12; the view begins before 14:00.
    let lane = "Lane orders / 2";
    drag(&mut harness, (lane, 0.02), (lane, 0.1));
    answer_with_nothing(&mut harness, &fake);
    assert!(shows_part(
        &harness,
        "The records of this span are deleted (log start at 8"
    ));
    assert!(shows_part(&harness, ", 30 Nov 2026 14:1"));
    // What is left begins there.
    drag(&mut harness, (lane, 0.6), (lane, 0.7));
    answer_with_nothing(&mut harness, &fake);
    assert!(shows(&harness, "There are no records in this span"));
}

#[test]
fn another_filter_forgets_what_was_said_of_the_list_before() {
    let (mut harness, fake) = shop();
    answer_table(&mut harness, &fake);
    super::long_table::paste(&mut harness, "hello there");
    assert!(shows_part(&harness, "is not an address"));
    harness.get_by_label("Filter topics").focus();
    harness.run();
    harness.get_by_label("Filter topics").type_text("orders");
    harness.run();
    assert!(!shows_part(&harness, "is not an address"));
}

#[test]
fn a_record_that_was_gone_to_does_not_hold_the_list_when_it_is_filtered_away() {
    let (mut harness, fake) = shop();
    answer_table(&mut harness, &fake);
    super::long_table::paste(&mut harness, "payments/0/50400");
    let place = fake.last_table().unwrap().place;
    let at = TopicPartition::new("payments", 0);
    assert_eq!(place, TablePlace::Record(at, Offset(50_400)));
    answer_table(&mut harness, &fake);
    harness.get_by_label("Filter topics").focus();
    harness.run();
    harness.get_by_label("Filter topics").type_text("orders");
    harness.run();
    let table = fake.last_table().unwrap();
    assert!(table.partitions.iter().all(|at| &*at.topic != "payments"));
    assert!(
        !matches!(table.place, TablePlace::Record(..)),
        "{:?}",
        table.place
    );
}

#[test]
fn rows_of_another_span_are_not_shown_as_those_asked_for() {
    let (mut harness, fake) = shop();
    answer_table(&mut harness, &fake);
    assert!(shows_part(&harness, "offset 8"));
    drag(&mut harness, ("Lane orders", 0.3), ("Lane orders", 0.4));
    assert!(shows_part(&harness, "reading…"));
    let rows = harness
        .query_all_by_label_contains("orders / 0 offset")
        .count();
    assert_eq!(rows, 0);
}
