//! What happens when a person points, clicks, drags, scrolls and types.

use std::sync::Arc;

use egui::{Event, Key, Modifiers, PointerButton, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use tideline::engine::{Command, ConnectTarget, Connection, LocalBus, Snapshot, TableSpan};
use tideline::model::{Problem, ProblemKind, Text, TimestampMs, TopicPartition};
use tideline::ui::App;

use crate::data;
use crate::fake::{Fake, answer_table, window};
use crate::large;

type Window = Harness<'static, App>;

fn open(snapshot: Snapshot) -> (Window, Fake) {
    let (mut harness, fake) = window(Harness::builder(), (1_440.0, 900.0), snapshot);
    harness.run();
    (harness, fake)
}

fn shop() -> (Window, Fake) {
    open(data::shop())
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

fn shows(harness: &Window, label: &str) -> bool {
    harness.query_by_label(label).is_some()
}

fn shows_part(harness: &Window, part: &str) -> bool {
    harness.query_all_by_label_contains(part).next().is_some()
}

/// Drags from one place in a lane to another, both as parts of its width.
fn drag(harness: &mut Window, from: (&str, f32), to: (&str, f32)) {
    let place = |harness: &Window, (lane, share): (&str, f32)| {
        let rect = harness.get_by_label(lane).rect();
        pos2(rect.left() + rect.width() * share, rect.center().y)
    };
    let (start, end) = (place(harness, from), place(harness, to));
    harness.drag_at(start);
    harness.run();
    harness.hover_at(start.lerp(end, 0.5));
    harness.run();
    harness.hover_at(end);
    harness.run();
    harness.drop_at(end);
    harness.run();
}

fn wheel(harness: &mut Window, delta: egui::Vec2, modifiers: Modifiers) {
    harness.event_modifiers(
        Event::MouseWheel {
            source: egui::MouseWheelSource::Wheel,
            unit: egui::MouseWheelUnit::Point,
            delta,
            phase: egui::TouchPhase::Move,
            modifiers,
        },
        modifiers,
    );
    harness.run_steps(12);
    harness.run();
}

fn span_ms(harness: &Window) -> f64 {
    harness
        .state()
        .state()
        .view
        .expect("a view of its own")
        .span_ms()
}

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
    assert!(shows_part(&harness, "Group reports, no members · "));
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
fn at_first_the_newest_records_of_all_topics_shown_are_asked_for() {
    let (_harness, fake) = shop();
    let table = fake.last_table().unwrap();
    assert_eq!((table.span, table.rows), (TableSpan::Newest, 200));
    assert_eq!(table.partitions.len(), 13);
    assert!(!table.partitions.iter().any(|at| at.topic.starts_with("__")));
}

#[test]
fn the_engine_is_told_to_watch_and_what_is_on_screen() {
    let (_harness, fake) = shop();
    let view = fake.last_view().unwrap();
    let commands = fake.take();
    assert!(
        commands
            .iter()
            .any(|command| matches!(command, Command::Watch))
    );
    assert_eq!(view.lanes.len(), 13);
    assert_eq!(view.lanes[0], TopicPartition::new("connect-dlq", 0));
    // Columns of ten seconds, on multiples of ten seconds.
    assert_eq!((view.from, view.from.0 % 10_000), (data::START, 0));
    assert_eq!(
        view.to.since_ms(view.from),
        i64::try_from(view.columns).unwrap() * 10_000
    );
}

#[test]
fn an_idle_window_sends_nothing_and_asks_for_no_repaint() {
    let (mut harness, fake) = shop();
    fake.take();
    harness.run();
    assert!(fake.take().is_empty());
    let delay = harness
        .output()
        .viewport_output
        .values()
        .map(|output| output.repaint_delay)
        .min()
        .unwrap();
    assert!(delay > std::time::Duration::from_hours(1), "{delay:?}");
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
        "orders / 1, orders / 2 · 30 Nov 14:15:"
    ));
}

fn to_f64(ms: i64) -> f64 {
    f64::from(i32::try_from(ms).unwrap())
}

#[test]
fn escape_clears_the_selection() {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.2), ("Lane orders", 0.4));
    assert!(harness.state().state().selection.is_some());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.state().state().selection.is_none());
    assert_eq!(fake.last_table().unwrap().span, TableSpan::Newest);
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
    assert_eq!(fake.last_table().unwrap().span, TableSpan::Newest);
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
fn the_table_asks_for_more_rows_near_its_end() {
    let (mut harness, fake) = shop();
    drag(&mut harness, ("Lane orders", 0.1), ("Lane orders", 0.9));
    answer_table(&mut harness, &fake);
    assert_eq!(fake.last_table().unwrap().rows, 200);
    assert!(shows_part(&harness, "200 of up to "));
    let caption = harness.get_by_label("Clear").rect();
    harness.hover_at(caption.center() + egui::vec2(-100.0, 120.0));
    harness.run();
    wheel(
        &mut harness,
        egui::vec2(0.0, -24.0 * 180.0),
        Modifiers::NONE,
    );
    assert_eq!(fake.last_table().unwrap().rows, 700);
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
fn new_data_moves_a_following_view_and_leaves_a_chosen_one() {
    let (mut harness, fake) = shop();
    let later = |fake: &Fake, ms: i64| {
        fake.change(|snapshot| {
            let mut inventory = (*snapshot.inventory).clone();
            inventory.read_at = Some(data::NOW.moved_ms(ms));
            snapshot.inventory = Arc::new(inventory);
        });
    };
    let before = fake.last_view().unwrap();
    later(&fake, 120_000);
    harness.run();
    harness.run_steps(2);
    assert!(fake.last_view().unwrap().to > before.to);
    harness.key_press(Key::D);
    harness.run();
    let chosen = harness.state().state().view;
    later(&fake, 600_000);
    harness.run();
    assert_eq!(harness.state().state().view, chosen);
}

#[test]
fn a_degraded_connection_says_so_and_keeps_what_is_shown() {
    let (mut harness, fake) = shop();
    fake.change(|snapshot| {
        snapshot.connection = Connection::Connected {
            to: "kafka-1:9092".into(),
            demo: false,
            degraded: Some(Problem::new(ProblemKind::Unreachable, "no broker answers")),
        };
    });
    harness.run();
    assert!(shows_part(
        &harness,
        "what is shown is old: no broker answers"
    ));
    assert!(shows_part(&harness, "refreshed 14:59:58 UTC+01:00"));
    assert!(shows(&harness, "orders"));
}

#[test]
fn the_welcome_screen_looks_around_and_opens_the_demo() {
    let (mut harness, fake) = open(Snapshot::default());
    assert!(matches!(fake.take().as_slice(), [Command::FindLocal]));
    click(&mut harness, "Open the demo bus");
    assert!(matches!(
        fake.take().as_slice(),
        [Command::Connect(ConnectTarget::Demo)]
    ));
}

#[test]
fn an_address_is_connected_to_with_the_button_or_enter() {
    let (mut harness, fake) = open(Snapshot::default());
    fake.take();
    harness.get_by_label("Address").focus();
    harness.run();
    harness.get_by_label("Address").type_text(" kafka:9092 ");
    harness.run();
    click(&mut harness, "Connect");
    let sent = |fake: &Fake| match fake.take().as_slice() {
        [Command::Connect(ConnectTarget::Bus(settings))] => settings.bootstrap.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(sent(&fake), "kafka:9092");
    harness.get_by_label("Address").focus();
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(sent(&fake), "kafka:9092");
}

#[test]
fn an_empty_address_cannot_be_connected_to() {
    let (mut harness, fake) = open(Snapshot::default());
    fake.take();
    click(&mut harness, "Connect");
    assert!(fake.take().is_empty());
}

#[test]
fn what_answers_nearby_is_one_click_away() {
    let local = LocalBus {
        address: "localhost:19092".into(),
        found_in: "usual port".into(),
    };
    let (mut harness, fake) = open(Snapshot {
        local: Arc::new(vec![local]),
        ..Snapshot::default()
    });
    fake.take();
    harness.get_by_label_contains("localhost:19092").click();
    harness.run();
    match fake.take().as_slice() {
        [Command::Connect(ConnectTarget::Bus(settings))] => {
            assert_eq!(settings.bootstrap, "localhost:19092");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_failure_is_told_in_words_with_what_to_do() {
    let problem = Problem::new(ProblemKind::Refused, "the password was not accepted");
    let connection = Connection::Failed {
        to: "kafka:9093".into(),
        problem,
    };
    let (harness, _) = open(Snapshot {
        connection,
        ..Snapshot::default()
    });
    assert!(shows_part(&harness, "the password was not accepted"));
    assert!(shows_part(
        &harness,
        "Check user name, password and certificate"
    ));
}

#[test]
fn connecting_can_be_given_up() {
    let connection = Connection::Connecting {
        to: "kafka:9093".into(),
    };
    let (mut harness, fake) = open(Snapshot {
        connection,
        ..Snapshot::default()
    });
    fake.take();
    click(&mut harness, "Cancel");
    assert!(matches!(
        fake.take().as_slice(),
        [Command::Disconnect, Command::FindLocal]
    ));
}

#[test]
fn disconnecting_leads_back_to_the_welcome_screen() {
    let (mut harness, fake) = shop();
    fake.take();
    click(&mut harness, "Disconnect");
    assert!(matches!(fake.take().first(), Some(Command::Disconnect)));
    fake.publish(Snapshot::default());
    harness.run();
    assert!(shows(&harness, "Open the demo bus"));
}

#[test]
fn the_demo_and_the_lock_are_always_said() {
    let mut snapshot = data::shop();
    snapshot.connection = Connection::Connected {
        to: "127.0.0.1:40001".into(),
        demo: true,
        degraded: None,
    };
    let (harness, _) = open(snapshot);
    assert!(
        shows(&harness, "demo") && shows(&harness, "read-only") && shows(&harness, "UTC+01:00")
    );
}
