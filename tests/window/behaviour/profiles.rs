//! Named connections: connecting, writing, forgetting, and that no secret is kept.

use tideline::engine::AccessView;
use tideline::model::{ConnectionSettings, Profile};

use super::around::{press, type_text};
use super::*;
use crate::journal::{policy, profile, shop_with};

fn two() -> AccessView {
    let mut prod = profile("prod-eu", "kafka-1:9093,kafka-2:9093", true, true);
    prod.properties = vec![("security.protocol".into(), "SASL_SSL".into())];
    AccessView {
        profiles: Ok(vec![profile("local", "localhost:9092", false, false), prod]),
        ..AccessView::default()
    }
}

fn welcome(access: AccessView) -> (Window, Fake) {
    let (harness, fake) = open(Snapshot {
        access: Arc::new(access),
        ..Snapshot::default()
    });
    fake.take();
    (harness, fake)
}

fn connected_with(fake: &Fake) -> ConnectionSettings {
    let commands = fake.take();
    let found = commands.iter().find_map(|command| match command {
        Command::Connect(ConnectTarget::Bus(settings)) => Some(settings.clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{commands:?}"))
}

fn kept(fake: &Fake) -> (Option<Profile>, Option<String>) {
    let (mut put, mut removed) = (None, None);
    for command in fake.take() {
        match command {
            Command::PutProfile(profile) => put = Some(*profile),
            Command::RemoveProfile(name) => removed = Some(name),
            _ => {}
        }
    }
    (put, removed)
}

/// Writes `text` into the field in place of what is there.
fn write(harness: &mut Window, field: &str, text: &str) {
    harness.get_by_label(field).focus();
    harness.run();
    press(harness, Modifiers::COMMAND, Key::A);
    type_text(harness, field, text);
}

#[test]
fn a_profile_is_connected_to_by_name_with_its_settings() {
    let (mut harness, fake) = welcome(two());
    assert!(shows(&harness, "prod-eu") && shows(&harness, "kafka-1:9093,kafka-2:9093"));
    assert!(shows(&harness, "production") && shows(&harness, "read-only"));
    click(&mut harness, "Connect to prod-eu");
    let settings = connected_with(&fake);
    assert_eq!(settings.profile.as_deref(), Some("prod-eu"));
    assert_eq!(settings.bootstrap, "kafka-1:9093,kafka-2:9093");
    assert_eq!(
        settings.properties,
        [("security.protocol".to_owned(), "SASL_SSL".to_owned())]
    );
    assert_eq!(settings.config_text, None);
}

#[test]
fn a_password_goes_with_a_profile_from_the_welcome_screen_and_never_to_another_bus() {
    let (mut harness, fake) = welcome(two());
    click(&mut harness, "Settings for TLS, user and password…");
    harness.get_by_label("Settings").focus();
    harness.run();
    type_text(&mut harness, "Settings", "sasl.password=hunter2");
    click(&mut harness, "Connect to prod-eu");
    assert_eq!(
        connected_with(&fake).config_text.as_deref(),
        Some("sasl.password=hunter2")
    );
    let access = AccessView {
        profile: Some("prod-eu".to_owned()),
        policy: Some(policy(None, false)),
        ..two()
    };
    fake.publish(shop_with(access));
    harness.run();
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "connect to");
    assert!(shows(
        &harness,
        "Connect to prod-eu, it is connected already"
    ));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "connect to local");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let settings = connected_with(&fake);
    assert_eq!(settings.profile.as_deref(), Some("local"));
    assert_eq!(settings.config_text, None);
    assert!(!format!("{:?}", harness.state().window()).contains("hunter2"));
}

#[test]
fn an_address_becomes_a_profile_that_is_read_only_and_holds_no_secret() {
    let (mut harness, fake) = welcome(AccessView::default());
    harness.get_by_label("Address").focus();
    harness.run();
    type_text(&mut harness, "Address", "kafka:9093");
    click(&mut harness, "Save as a profile…");
    assert!(harness.get_by_label("Name").is_focused());
    assert!(shows(&harness, "Write a name"));
    harness.event(Event::Text("staging".into()));
    harness.run();
    write(
        &mut harness,
        "Settings of the profile",
        "security.protocol=SASL_SSL\nsasl.password=hunter2",
    );
    assert!(shows_part(
        &harness,
        "sasl.password is a secret, and a profile keeps none"
    ));
    click(&mut harness, "Save");
    assert_eq!(kept(&fake), (None, None));
    assert!(!format!("{:?}", harness.state().window()).contains("hunter2"));
    write(
        &mut harness,
        "Settings of the profile",
        "security.protocol=SASL_SSL",
    );
    click(&mut harness, "Save");
    let expected = Profile {
        properties: vec![("security.protocol".into(), "SASL_SSL".into())],
        ..profile("staging", "kafka:9093", true, false)
    };
    assert_eq!(kept(&fake), (Some(expected.clone()), None));
    assert!(!shows(&harness, "Name"));
    fake.change(|snapshot| {
        snapshot.access = Arc::new(AccessView {
            profiles: Ok(vec![expected]),
            ..AccessView::default()
        });
    });
    harness.run();
    assert!(shows(&harness, "Profile staging is kept"));
    assert!(shows(&harness, "Connect to staging"));
}

#[test]
fn a_profile_is_edited_and_takes_another_name() {
    let (mut harness, fake) = welcome(two());
    click(&mut harness, "Edit local…");
    write(&mut harness, "Name", "prod-eu");
    assert!(
        harness
            .query_all_by_label("There is a profile named prod-eu already")
            .next()
            .is_some()
    );
    click(&mut harness, "Save");
    assert_eq!(kept(&fake), (None, None));
    write(&mut harness, "Name", "laptop");
    click(
        &mut harness,
        "Production: people depend on it, so changes are confirmed by name",
    );
    click(&mut harness, "Save");
    let expected = profile("laptop", "localhost:9092", false, true);
    assert_eq!(kept(&fake), (Some(expected), Some("local".into())));
}

#[test]
fn a_profile_is_forgotten_only_when_that_is_confirmed() {
    let (mut harness, fake) = welcome(two());
    click(&mut harness, "Remove local…");
    assert!(harness.get_by_label("Cancel").is_focused());
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(kept(&fake), (None, None));
    click(&mut harness, "Remove local…");
    click(&mut harness, "Remove");
    assert_eq!(kept(&fake), (None, Some("local".into())));
}

#[test]
fn the_present_connection_is_kept_under_a_name_from_the_menu_of_its_name() {
    let (mut harness, fake) = welcome(AccessView::default());
    click(&mut harness, "Settings for TLS, user and password…");
    harness.get_by_label("Settings").focus();
    harness.run();
    type_text(
        &mut harness,
        "Settings",
        "sasl.mechanism=PLAIN\nsasl.password=hunter2",
    );
    harness.get_by_label("Address").focus();
    harness.run();
    type_text(&mut harness, "Address", "kafka-1:9092");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    fake.publish(shop_with(AccessView {
        policy: Some(policy(Some("It is not known yet"), false)),
        ..AccessView::default()
    }));
    harness.run();
    fake.take();
    click(&mut harness, "kafka-1:9092");
    click(&mut harness, "Save this connection as a profile…");
    assert!(shows(
        &harness,
        "Left out, because they are secret: sasl.password"
    ));
    harness.event(Event::Text("shop".into()));
    harness.run();
    click(&mut harness, "Save");
    let expected = Profile {
        properties: vec![("sasl.mechanism".into(), "PLAIN".into())],
        cluster_id: Some("shop-c1".into()),
        ..profile("shop", "kafka-1:9092", true, false)
    };
    assert_eq!(kept(&fake), (Some(expected), None));
}

#[test]
fn profiles_that_cannot_be_read_say_why() {
    let (mut harness, fake) = welcome(AccessView {
        profiles: Err(Problem::new(ProblemKind::Malformed, "the file is damaged")),
        ..AccessView::default()
    });
    assert!(shows(
        &harness,
        "Profiles cannot be read: the file is damaged"
    ));
    harness.get_by_label("Address").focus();
    harness.run();
    type_text(&mut harness, "Address", "kafka:9092");
    click(&mut harness, "Save as a profile…");
    assert!(!shows(&harness, "Save"));
    assert_eq!(kept(&fake), (None, None));
}
