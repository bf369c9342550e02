//! Links to views: with which the window begins, that are pasted, and that are copied.

use tideline::engine::AccessView;
use tideline::model::link::{LinkTo, ViewLink};
use tideline::model::{ConnectionSettings, Isolation, Offset};
use tideline::ui::{AxisKind, LaneKey, Selection, Start};

use super::around::press;
use super::detail::{copied, fill, record, showing};
use super::long_table::paste;
use super::*;
use crate::fake::{start, window_of};
use crate::images::run_command;
use crate::journal::{profile, shop_with};

const HERE: &str = "tideline://view?bootstrap=kafka-1:9092";

fn link(text: &str) -> ViewLink {
    ViewLink::parse(text).unwrap()
}

/// A window that begins with a link, on `snapshot`.
fn begun(begin: Start, snapshot: Snapshot) -> (Window, Fake) {
    let (mut harness, fake) = window_of(Harness::builder(), (1_440.0, 900.0), snapshot, begin);
    harness.run();
    (harness, fake)
}

/// A window that asks before it goes where a link leads.
fn asking(addresses: &str, rest: &str) -> (Window, Fake) {
    let begin = Start {
        link: Some(link(&format!(
            "tideline://view?bootstrap={addresses}{rest}"
        ))),
        said: Some(format!("This link leads to {addresses}")),
        ..start()
    };
    begun(begin, Snapshot::default())
}

/// Where the window connected to.
fn connected_to(fake: &Fake) -> Vec<ConnectionSettings> {
    let commands = fake.take().into_iter();
    commands
        .filter_map(|command| match command {
            Command::Connect(ConnectTarget::Bus(settings)) => Some(settings),
            _ => None,
        })
        .collect()
}

/// The next record but one of a partition of the shop, which is there.
fn last_offset(topic: &str, partition: usize) -> i64 {
    let snapshot = data::shop();
    let topics = snapshot.inventory.topics();
    let topic = topics.iter().find(|known| &*known.name == topic).unwrap();
    let end = topic.partitions[partition].high_watermark.as_ref().unwrap();
    end.0 - 2
}

/// What was copied by what `act` does.
fn copying(harness: &mut Window, act: impl FnOnce(&mut Window)) -> String {
    act(harness);
    let found = (0..3).find_map(|_| {
        harness.step();
        copied(harness)
    });
    harness.run();
    let notices = harness.state().window().notices.past();
    let said: Vec<&str> = notices.map(|given| &*given.notice.text).collect();
    found.unwrap_or_else(|| panic!("nothing was copied: {said:?}"))
}

fn copy_view(harness: &mut Window) -> String {
    copying(harness, |harness| {
        press(harness, Modifiers::COMMAND, Key::K);
        harness.get_by_label("Commands").type_text("copy a link");
        harness.run();
        // Without the release, which would take another frame.
        harness.event(Event::Key {
            key: Key::Enter,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        });
    })
}

#[test]
fn the_window_opens_on_the_view_of_a_link_and_searches_nothing() {
    let from = data::START.0 + 600_000;
    let to = from + 300_000;
    let begin = Start {
        connect: Some(ConnectTarget::Bus(ConnectionSettings::to("kafka-1:9092"))),
        link: Some(link(&format!(
            "{HERE}&topic=orders/1&topic=payments&group=audit&from={from}&to={to}\
             &filter=key:o-1&filter=jq:.value.amount%20%3E%205&isolation=read_committed&order=-time"
        ))),
        ..start()
    };
    let (mut harness, fake) = begun(begin, Snapshot::default());
    assert_eq!(connected_to(&fake).len(), 1);
    assert!(harness.state().state().selection.is_none());
    fake.publish(data::shop());
    harness.run();
    let state = harness.state().state();
    let selection = state.selection.clone().expect("the span of the link");
    assert_eq!(
        selection.times(),
        Some((TimestampMs(from), TimestampMs(to)))
    );
    let lanes: Vec<String> = selection.lanes.iter().map(LaneKey::title).collect();
    assert_eq!(lanes, ["orders / 1", "payments"]);
    assert_eq!(state.group, Some(Text::from("audit")));
    assert_eq!(state.isolation, Isolation::ReadCommitted);
    let view = state.view.expect("a range of its own");
    // The span and 15 % of it at each side.
    assert_eq!(
        (view.from(), view.to()),
        (TimestampMs(from - 45_000), TimestampMs(to + 45_000))
    );
    assert_eq!(state.search.filters, ["key:o-1"]);
    assert_eq!(state.search.text, "jq:.value.amount > 5");
    assert!(state.search.asked.is_none());
    let table = fake.last_table().expect("the span is listed");
    assert_eq!(
        table.span,
        TableSpan::Between(TimestampMs(from), TimestampMs(to))
    );
    assert_eq!(table.isolation, Isolation::ReadCommitted);
    assert!(table.partitions.contains(&TopicPartition::new("orders", 1)));
    assert!(!table.partitions.contains(&TopicPartition::new("orders", 0)));
    assert!(fake.last_search().is_none());
    // Enter begins it; the field has the keys.
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let search = fake.last_search().expect("it was begun");
    assert_eq!(
        search.filters.written(),
        ["key:o-1", "jq:.value.amount > 5"]
    );
}

#[test]
fn a_link_is_followed_once() {
    let begin = Start {
        link: Some(link(&format!("{HERE}&names=pay"))),
        ..start()
    };
    let (mut harness, fake) = begun(begin, data::shop());
    assert_eq!(harness.state().state().filter, "pay");
    assert!(harness.state().window().link.is_none());
    run_command(&mut harness, "clear the filter");
    fake.change(|_| {});
    harness.run();
    assert_eq!(harness.state().state().filter, "");
}

#[test]
fn nothing_is_contacted_before_it_was_said_and_confirmed() {
    let (mut harness, fake) = asking("kafka-9.example:9092", "&names=orders");
    assert!(shows(&harness, "This link leads to kafka-9.example:9092"));
    assert_eq!(harness.state().state().address, "kafka-9.example:9092");
    assert_eq!(connected_to(&fake), []);
    click(&mut harness, "Connect");
    assert_eq!(
        connected_to(&fake),
        [ConnectionSettings::to("kafka-9.example:9092")]
    );
    fake.publish(Snapshot {
        connection: Connection::Connected {
            to: "kafka-9.example:9092".into(),
            demo: false,
            degraded: None,
        },
        ..data::shop()
    });
    harness.run();
    assert_eq!(harness.state().state().filter, "orders");
}

#[test]
fn the_view_of_a_link_is_not_laid_over_another_cluster() {
    let (mut harness, fake) = asking("kafka-9.example:9092", "&names=orders");
    harness.get_by_label("Address").focus();
    press(&mut harness, Modifiers::COMMAND, Key::A);
    harness.get_by_label("Address").type_text("kafka-1:9092");
    harness.run();
    click(&mut harness, "Connect");
    assert_eq!(
        connected_to(&fake),
        [ConnectionSettings::to("kafka-1:9092")]
    );
    fake.publish(data::shop());
    harness.run();
    assert_eq!(harness.state().state().filter, "");
    assert!(harness.state().window().link.is_none());
}

fn write_address(harness: &mut Window, text: &str) {
    harness.get_by_label("Address").focus();
    harness.run();
    press(harness, Modifiers::COMMAND, Key::A);
    harness.get_by_label("Address").type_text(text);
    harness.run();
    click(harness, "Connect");
}

#[test]
fn a_link_in_place_of_an_address_is_said_before_anything_is_contacted() {
    let (mut harness, fake) = open(Snapshot::default());
    fake.take();
    write_address(&mut harness, "tideline://view?bootstrap=a@b:1");
    assert!(shows_part(
        &harness,
        "“bootstrap” of the link is not just hosts"
    ));
    write_address(&mut harness, "tideline://view?profile=live");
    assert!(shows_part(&harness, "the profile live, and you have none"));
    write_address(&mut harness, &format!("{HERE}&names=pay"));
    assert!(shows_part(&harness, "This link leads to kafka-1:9092"));
    assert_eq!(connected_to(&fake), []);
    click(&mut harness, "Connect");
    assert_eq!(
        connected_to(&fake),
        [ConnectionSettings::to("kafka-1:9092")]
    );
    fake.publish(data::shop());
    harness.run();
    assert_eq!(harness.state().state().filter, "pay");
}

#[test]
fn settings_that_were_written_down_do_not_go_where_a_link_leads() {
    let (mut harness, fake) = open(Snapshot::default());
    fake.take();
    click(&mut harness, "Settings for TLS, user and password…");
    harness.get_by_label("Settings").focus();
    harness.run();
    harness
        .get_by_label("Settings")
        .type_text("sasl.password=hunter2");
    harness.run();
    write_address(&mut harness, &format!("{HERE}&names=pay"));
    assert!(shows_part(
        &harness,
        "settings are written below that would go there too"
    ));
    assert!(harness.state().window().link.is_none());
    assert_eq!(harness.state().state().address, "");
    assert_eq!(connected_to(&fake), []);
}

#[test]
fn a_pasted_link_goes_to_its_record() {
    let (mut harness, fake) = shop();
    let offset = last_offset("orders", 1);
    paste(
        &mut harness,
        &format!("{HERE}&group=billing&record=orders/1/{offset}\n"),
    );
    let table = fake.last_table().expect("a list");
    let at = TopicPartition::new("orders", 1);
    assert_eq!(table.place, TablePlace::Record(at, Offset(offset)));
    assert_eq!(harness.state().state().group, Some(Text::from("billing")));
    assert!(!shows(&harness, "Go to"));
}

#[test]
fn a_link_in_the_field_for_addresses_or_for_searches_is_followed() {
    let (mut harness, _) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::G);
    harness
        .get_by_label("Go to")
        .type_text(&format!("{HERE}&names=pay"));
    harness.run();
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().state().filter, "pay");
    press(&mut harness, Modifiers::COMMAND, Key::F);
    harness
        .get_by_label("Search records")
        .type_text(&format!("{HERE}&names=ord&filter=key:o-1"));
    harness.run();
    click(&mut harness, "Go to this view");
    let state = harness.state().state();
    assert_eq!(state.filter, "ord");
    assert_eq!(
        (&*state.search.text, state.search.asked.is_none()),
        ("key:o-1", true)
    );
}

#[test]
fn a_link_that_leads_elsewhere_or_is_not_sound_says_so_and_does_nothing() {
    let (mut harness, fake) = shop();
    let before = harness.state().state().selection.clone();
    for (text, said) in [
        (
            "tideline://view?bootstrap=evil.example:9092&from=1&to=2",
            "This link leads to evil.example:9092, and this window is connected to kafka-1:9092",
        ),
        (
            "tideline://view?profile=live&from=1&to=2",
            "This link leads to the profile live, and this window is connected to kafka-1:9092",
        ),
        (
            "tideline://view?bootstrap=kafka-1:9092&run=x",
            "The link has a part “run”",
        ),
    ] {
        paste(&mut harness, text);
        assert!(shows_part(&harness, said), "{said}");
        // The field is open, so that what is wrong can be mended.
        press(&mut harness, Modifiers::NONE, Key::Escape);
    }
    assert_eq!(harness.state().state().selection, before);
    assert_eq!(connected_to(&fake), []);
}

#[test]
fn what_a_link_names_and_is_not_here_is_said() {
    let (mut harness, _) = shop();
    paste(
        &mut harness,
        &format!("{HERE}&topic=nowhere&from=1&to=2&group=nobody"),
    );
    let said: Vec<String> = harness
        .state()
        .window()
        .notices
        .past()
        .map(|given| given.notice.text.to_string())
        .collect();
    assert!(said.contains(&"The link names what is not here: nowhere".to_owned()));
    assert!(said.contains(&"The link names a group that is not here: nobody".to_owned()));
    // Not the same span of all other topics.
    assert_eq!(harness.state().state().selection, None::<Selection>);
}

#[test]
fn a_span_of_offsets_is_shown_and_copied_again() {
    let (mut harness, fake) = shop();
    let end = last_offset("orders", 1);
    let offsets = format!("&offsets=orders/1/{}..{end}", end - 40);
    paste(
        &mut harness,
        &format!("{HERE}{offsets}&offsets=orders/999/0..5"),
    );
    let table = fake.last_table().expect("the span is listed");
    assert_eq!(table.partitions, [TopicPartition::new("orders", 1)]);
    assert_eq!(
        table.span,
        TableSpan::Offsets([(Offset(end - 40), Offset(end))].into())
    );
    assert_eq!(harness.state().state().axis, AxisKind::Offset);
    let text = copy_view(&mut harness);
    assert!(text.contains(&offsets) && !text.contains("999"), "{text}");
}

#[test]
fn the_farthest_times_and_offsets_do_no_harm() {
    let (mut harness, _) = shop();
    let (least, most) = (i64::MIN, i64::MAX);
    for rest in [
        format!("&topic=orders&from={least}&to={most}&left={least}&right={most}"),
        format!("&from={}&to={most}", most - 1),
        format!("&from={least}&to={}", least + 1),
        format!(
            "&offsets=orders/0/0..{most}&offsets=orders/1/{}..{most}",
            most - 1
        ),
        format!("&record=orders/0/{most}"),
        "&record=orders/2147483647/0".to_owned(),
    ] {
        paste(&mut harness, &format!("{HERE}{rest}"));
        harness.run_steps(4);
        let text = copy_view(&mut harness);
        assert!(ViewLink::parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn the_view_is_copied_and_comes_back() {
    let (mut harness, _) = shop();
    let from = data::START.0 + 600_000;
    let text = format!(
        "{HERE}&topic=orders&names=ord&group=audit&from={from}&to={}&left={}&right={}\
         &filter=key:a%26b&isolation=read_committed&order=-offset",
        from + 60_000,
        from - 1_000,
        from + 99_000
    );
    paste(&mut harness, &text);
    assert_eq!(copy_view(&mut harness), text);
    assert!(shows_part(&harness, "Copied a link to this view"));
}

#[test]
fn a_record_is_copied_as_a_link_with_nothing_of_the_settings() {
    let settings = ConnectionSettings {
        config_text: Some("sasl.password=hunter2".into()),
        properties: vec![("sasl.username".into(), "alice".into())],
        ..ConnectionSettings::to("kafka-1:9092")
    };
    let begin = Start {
        connect: Some(ConnectTarget::Bus(settings)),
        ..start()
    };
    let (mut harness, fake) = begun(begin, data::shop());
    fill(&mut harness, &fake, vec![record()]);
    click(&mut harness, "orders / 1 offset 85,213");
    let text = copying(&mut harness, |harness| {
        click(harness, "Copy…");
        harness.get_by_label("Copy link").click();
    });
    let group = harness.state().state().group.clone().unwrap();
    assert_eq!(
        text,
        format!("{HERE}&group={group}&isolation=read_uncommitted&record=orders/1/85213")
    );
    assert!(shows_part(&harness, "Copied a link to this record"));
}

#[test]
fn the_menu_of_a_row_copies_a_link_too() {
    let (mut harness, _) = showing(record());
    harness.get_by_label("orders / 1 offset 85,213").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F10);
    harness.run();
    assert!(shows(&harness, "Copy link"));
}

#[test]
fn a_connection_with_a_name_is_linked_by_it() {
    let access = AccessView {
        profiles: Ok(vec![profile("live – EU", "kafka-1:9092", true, false)]),
        profile: Some("live – EU".to_owned()),
        ..AccessView::default()
    };
    let (mut harness, _) = open(shop_with(access));
    let text = copy_view(&mut harness);
    assert!(
        text.starts_with("tideline://view?profile=live%20%E2%80%93%20EU&"),
        "{text}"
    );
    assert_eq!(link(&text).to, LinkTo::Profile("live – EU".to_owned()));
    paste(&mut harness, &format!("{text}&names=pay"));
    assert_eq!(harness.state().state().filter, "pay");
}

#[test]
fn the_demo_bus_has_no_links() {
    let (mut harness, _) = open(Snapshot {
        connection: Connection::Connected {
            to: "demo bus".into(),
            demo: true,
            degraded: None,
        },
        ..data::shop()
    });
    press(&mut harness, Modifiers::COMMAND, Key::K);
    harness.get_by_label("Commands").type_text("copy a link");
    harness.run();
    assert!(shows_part(&harness, "the demo bus ends with this window"));
}
