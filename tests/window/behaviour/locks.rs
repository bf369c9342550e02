//! What may be done with the bus: always said, unlocked by a step that confirms it, locked again at once.

use tideline::engine::{AccessView, JournalView};

use super::around::{press, type_text};
use super::*;
use crate::journal::{in_ms, policy, shop_with};

const WHY: &str = "The profile is read-only";

fn access(profile: Option<&str>, production: bool) -> AccessView {
    AccessView {
        profile: profile.map(str::to_owned),
        policy: Some(policy(Some(WHY), production)),
        ..AccessView::default()
    }
}

fn unlocked(left_ms: i64) -> AccessView {
    AccessView {
        policy: Some(policy(None, true)),
        unlocked_until: Some(in_ms(left_ms)),
        ..access(Some("prod-eu"), true)
    }
}

#[expect(clippy::option_option, reason = "asked or not, to allow or to lock")]
/// How long the engine was asked to allow changes: `Some(None)` is to lock.
fn asked(fake: &Fake) -> Option<Option<i64>> {
    fake.take().into_iter().find_map(|command| match command {
        Command::Unlock(ms) => Some(ms),
        _ => None,
    })
}

#[test]
fn profile_production_and_lock_stand_side_by_side() {
    let (harness, _) = open(shop_with(access(Some("prod-eu"), true)));
    let rect = |name: &str| harness.get_by_label(name).rect();
    let (name, production, lock) = (rect("prod-eu"), rect("production"), rect("read-only"));
    assert!(name.right() <= production.left() && production.right() <= lock.left());
    assert!(lock.bottom() < 38.0);
    assert!(!shows(&harness, "kafka-1:9092"));
}

#[test]
fn a_click_and_a_confirming_step_allow_changes_for_ten_minutes() {
    let (mut harness, fake) = open(shop_with(access(None, false)));
    fake.take();
    click(&mut harness, "read-only");
    assert_eq!(asked(&fake), None);
    assert!(shows_part(&harness, "Allow changes for 10 minutes?"));
    click(&mut harness, "Cancel");
    assert_eq!(asked(&fake), None);
    click(&mut harness, "read-only");
    click(&mut harness, "Allow changes");
    assert_eq!(asked(&fake), Some(Some(600_000)));
    assert!(!shows(&harness, "Allow changes"));
}

#[test]
fn in_production_nothing_is_allowed_until_the_name_is_typed() {
    let (mut harness, fake) = open(shop_with(access(Some("prod-eu"), true)));
    fake.take();
    click(&mut harness, "read-only");
    assert!(shows(
        &harness,
        "This is production. Type prod-eu to confirm:"
    ));
    click(&mut harness, "Allow changes");
    assert_eq!(asked(&fake), None);
    harness.get_by_label("Name to confirm").focus();
    harness.run();
    type_text(&mut harness, "Name to confirm", "prod");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(asked(&fake), None);
    assert!(shows(&harness, "type the name first"));
    harness.get_by_label("Name to confirm").focus();
    harness.run();
    type_text(&mut harness, "Name to confirm", "-eu");
    click(&mut harness, "Allow changes");
    assert_eq!(asked(&fake), Some(Some(600_000)));
}

#[test]
fn in_production_without_a_profile_the_cluster_is_typed_and_enter_is_enough() {
    let (mut harness, fake) = open(shop_with(access(None, true)));
    fake.take();
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "allow changes for");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(harness.get_by_label("Name to confirm").is_focused());
    harness.event(Event::Text("shop-c1".into()));
    harness.run();
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(asked(&fake), Some(Some(600_000)));
}

#[test]
fn keys_in_the_name_can_be_taken_back_and_escape_leaves_it_locked() {
    let (mut harness, fake) = open(shop_with(access(Some("prod-eu"), true)));
    fake.take();
    click(&mut harness, "read-only");
    harness.event(Event::Text("prod-eux".into()));
    harness.run();
    press(&mut harness, Modifiers::NONE, Key::Backspace);
    assert!(!shows(&harness, "type the name first"));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert_eq!(asked(&fake), None);
    assert!(!shows(&harness, "Name to confirm"));
}

#[test]
fn what_is_left_is_counted_down_and_a_click_locks_again() {
    let (mut harness, fake) = open(shop_with(unlocked(600_000)));
    fake.take();
    assert!(shows(&harness, "unlocked for 10 min"));
    fake.change(|snapshot| snapshot.access = Arc::new(unlocked(9_500)));
    harness.run_steps(2);
    assert!(shows(&harness, "unlocked for 10 s"));
    click_once(&mut harness, "unlocked for 10 s");
    assert_eq!(asked(&fake), Some(None));
    fake.change(|snapshot| snapshot.access = Arc::new(unlocked(-1)));
    harness.run();
    assert!(shows(&harness, "read-only"));
}

/// A click on what is drawn again every second, which never settles.
fn click_once(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

#[test]
fn an_unlocked_window_is_drawn_again_when_its_minute_ends_and_a_locked_one_never() {
    let delay = |harness: &Window| {
        let outputs = harness.output().viewport_output.values();
        outputs.map(|output| output.repaint_delay).min().unwrap()
    };
    let (harness, _) = open(shop_with(unlocked(570_000)));
    let wait = delay(&harness);
    assert!(
        wait > std::time::Duration::from_secs(29) && wait < std::time::Duration::from_secs(31),
        "{wait:?}"
    );
    let (harness, _) = open(shop_with(access(Some("prod-eu"), true)));
    assert!(delay(&harness) > std::time::Duration::from_hours(1));
}

#[test]
fn the_demo_bus_needs_no_lock_and_what_cannot_be_unlocked_says_why() {
    let mut snapshot = shop_with(AccessView {
        policy: Some(policy(None, false)),
        ..AccessView::default()
    });
    snapshot.connection = Connection::Connected {
        to: "127.0.0.1:40001".into(),
        demo: true,
        degraded: None,
    };
    let (mut harness, fake) = open(snapshot);
    fake.take();
    assert!(shows(&harness, "demo") && shows(&harness, "unlocked"));
    click(&mut harness, "unlocked");
    assert!(!shows(&harness, "Allow changes"));
    let in_palette = |harness: &mut Window| {
        press(harness, Modifiers::COMMAND, Key::K);
        type_text(harness, "Commands", "allow changes for");
    };
    in_palette(&mut harness);
    assert!(shows(
        &harness,
        "Allow changes for 10 minutes…, changes need no unlocking here"
    ));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    let mut unread = shop_with(access(None, false));
    unread.journal = Arc::new(JournalView {
        entries: Err(Problem::new(ProblemKind::Other, "the disk is full")),
        ..JournalView::default()
    });
    fake.publish(unread);
    harness.run();
    in_palette(&mut harness);
    assert!(shows(
        &harness,
        "Allow changes for 10 minutes…, the journal cannot be read, and nothing is changed without it"
    ));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    click(&mut harness, "read-only");
    assert!(!shows(&harness, "Allow changes"));
    assert_eq!(asked(&fake), None);
}

#[test]
fn nothing_overlaps_in_the_top_bar_when_everything_is_said() {
    for width in [1_440.0, 1_024.0, 720.0, 512.0] {
        let (mut harness, _) = window(
            Harness::builder(),
            (width, 640.0),
            shop_with(unlocked(600_000)),
        );
        harness.run();
        let names = [
            "prod-eu",
            "production",
            "unlocked for 10 min",
            "UTC+01:00",
            "live",
            "More",
            "Disconnect",
        ];
        let mut rects: Vec<(&str, egui::Rect)> = names
            .into_iter()
            .filter_map(|name| Some((name, harness.query_all_by_label(name).next()?.rect())))
            .collect();
        rects.sort_by(|(_, a), (_, b)| a.left().total_cmp(&b.left()));
        for pair in rects.windows(2) {
            let [(left, a), (right, b)] = pair else {
                continue;
            };
            assert!(a.right() <= b.left() + 0.5, "{width}: {left} and {right}");
        }
        let has = |name: &str| rects.iter().any(|(known, _)| *known == name);
        assert!(
            has("production") && has("unlocked for 10 min") && has("UTC+01:00"),
            "{width}: {rects:?}"
        );
        assert!(rects.last().unwrap().1.right() <= width);
    }
}
