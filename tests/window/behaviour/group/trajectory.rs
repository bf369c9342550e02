//! The trajectory: what it shows, and what it says in its place.

use tideline::inspect::samples::{GroupReading, Limits, Samples};

use super::*;

#[test]
fn before_two_readings_the_trajectory_says_what_it_waits_for() {
    let mut snapshot = data::shop();
    sample(&mut snapshot, 1, &MOVES);
    let (mut harness, fake) = open_tab(snapshot);
    let waiting = "Two readings are needed; the next comes in about 4 s";
    assert!(shows(&harness, waiting));
    fake.change(|snapshot| sample(snapshot, 2, &MOVES));
    harness.run();
    assert!(!shows(&harness, waiting));
    assert!(shows_part(&harness, "Trajectory of orders: produced +"));
}

#[test]
fn the_trajectory_is_read_off_by_keys() {
    let (mut harness, _) = open_tab(data::shop());
    click_row(&mut harness, "orders / 3");
    // Nineteen steps of 50 and of 10.
    let plot = "Trajectory of orders / 3: produced +950, committed +190";
    assert!(shows_part(&harness, plot));
    assert!(shows_part(&harness, "Readings since 14:58:42 UTC+01:00"));
    harness.get_by_label_contains(plot).focus();
    harness.run();
    harness.key_press(Key::ArrowLeft);
    harness.run();
    assert!(shows_part(&harness, "14:59:58 UTC+01:00 · produced "));
    harness.key_press(Key::ArrowLeft);
    harness.run();
    let state = harness.state().state();
    assert_eq!(
        state.group_view.read_at,
        Some(TimestampMs(data::NOW.0 - 4_000))
    );
    assert!(shows_part(&harness, "14:59:54 UTC+01:00 · produced "));
}

#[test]
fn a_partition_that_never_committed_has_no_trajectory_and_says_why() {
    let (mut harness, _) = open_tab(data::shop());
    click(&mut harness, "Group audit, never committed");
    assert!(shows(&harness, "The group never committed here"));
    let first = row(&harness, "orders / 0");
    assert!(
        first.contains("lag not known: The group never committed here"),
        "{first}"
    );
}

#[test]
fn the_pointer_reads_the_trajectory_off() {
    let (mut harness, _) = open_tab(data::shop());
    click_row(&mut harness, "orders / 3");
    let plot = harness
        .get_by_label_contains("Trajectory of orders / 3")
        .rect();
    harness.hover_at(pos2(plot.right() - 2.0, plot.center().y));
    harness.run();
    let end = harness
        .get_all_by_label_contains(" · produced ")
        .next()
        .and_then(|node| node.accesskit_node().value())
        .unwrap();
    // As the table has it.
    let row = row(&harness, "orders / 3");
    for number in ["committed ", "lag "] {
        let said = end.split(number).nth(1).unwrap();
        let said = said.split(" · ").next().unwrap();
        assert!(row.contains(&format!("{number}{said},")), "{end} and {row}");
    }
    assert!(end.starts_with("14:59:58 UTC+01:00 · "), "{end}");
}

#[test]
fn a_sum_that_is_not_known_says_how_many_are_not() {
    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        let lost = Problem::new(ProblemKind::NoLeader, "nobody leads it");
        group.places[1].high_watermark = Err(lost);
    });
    let (mut harness, _) = open_tab(snapshot);
    assert!(shows(
        &harness,
        "The sum is not known, because 1 partition is not known. A partition can be chosen in the table"
    ));
    click_row(&mut harness, "orders / 1");
    assert!(shows(&harness, "Not known: nobody leads it"));
    click_row(&mut harness, "orders / 0");
    assert!(shows_part(&harness, "Trajectory of orders / 0: "));
}

#[test]
fn where_single_partitions_are_not_followed_it_says_from_when_on_they_are() {
    let mut snapshot = data::shop();
    let limits = Limits {
        places: 0,
        ..Limits::default()
    };
    let groups = snapshot.inventory.groups().to_vec();
    let readings: Vec<GroupReading<'_>> = groups
        .iter()
        .map(|group| GroupReading {
            name: &group.group.listing.name,
            places: Some(&group.places),
        })
        .collect();
    let mut samples = Samples::default();
    for back in (0..10).rev() {
        let at = TimestampMs(data::NOW.0 - back * 4_000);
        samples = samples.with(at, &readings, None, &limits);
    }
    snapshot.samples = Arc::new(samples);
    let (mut harness, _) = open_tab(snapshot);
    assert!(shows_part(&harness, "Trajectory of orders: "));
    let first = row(&harness, "orders / 0");
    assert!(
        first.contains("last movement not moved since 14:59:22 UTC+01:00, trend not known"),
        "{first}"
    );
    click_row(&mut harness, "orders / 0");
    assert!(shows(
        &harness,
        "Single partitions are followed from when the group is looked at. The next reading comes in about 4 s"
    ));
}

#[test]
fn a_low_window_leaves_the_trajectory_out_and_says_so() {
    let mut snapshot = data::shop();
    sample(&mut snapshot, 20, &MOVES);
    let (mut harness, _) = window(Harness::builder(), (900.0, 420.0), snapshot);
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run();
    assert!(shows(&harness, "No room for the trajectory"));
    assert!(!labels(&harness, Role::Row).is_empty());
    // Columns that have no room are named.
    assert!(shows_part(&harness, "No room for: "));
}

#[test]
fn what_tells_an_age_is_drawn_again_now_and_then_and_an_idle_group_is_not() {
    let (harness, _) = open_tab(data::shop());
    let delay = |harness: &Window| {
        let viewport = &harness.output().viewport_output[&egui::ViewportId::ROOT];
        viewport.repaint_delay
    };
    // orders / 0 moved just now.
    assert_eq!(delay(&harness), std::time::Duration::from_secs(4));
    let mut still = data::shop();
    sample(&mut still, 20, &[]);
    let (harness, _) = open_tab(still);
    assert_eq!(delay(&harness), std::time::Duration::MAX);
}
