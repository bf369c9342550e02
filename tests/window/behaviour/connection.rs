//! Reaching a bus, losing it, and what the engine is told.

use super::*;

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
        [Command::Connect(ConnectTarget::Demo(_))]
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
fn settings_that_are_wrong_are_not_called_a_bus_that_was_not_reached() {
    let (harness, _fake) = open(Snapshot {
        connection: Connection::Failed {
            to: "kafka-1:9092".into(),
            problem: Problem::new(
                ProblemKind::Invalid,
                "client.properties, line 3, sasl.pasword: there is no setting named sasl.pasword",
            ),
        },
        ..Snapshot::default()
    });
    assert!(!shows_part(&harness, "was not reached"));
    assert!(shows_part(
        &harness,
        "The settings for kafka-1:9092 cannot be used"
    ));
    assert!(shows_part(&harness, "client.properties, line 3"));
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
