//! One record in full.

use bytes::Bytes;
use tideline::engine::Table;
use tideline::model::{Header, Offset, Record, Visibility};

use super::*;

const TOPIC: &str = "orders";

/// A record of orders / 1 that billing has not read.
pub fn record() -> Record {
    let at = TopicPartition::new(TOPIC, 1);
    Record {
        visibility: Visibility::Committed,
        ..data::record(&at, 85_213, data::NOW.0 - 60_000)
    }
}

pub fn with_value(value: impl Into<Bytes>) -> Record {
    Record {
        value: Some(value.into()),
        ..record()
    }
}

fn header(name: &str, value: Option<&'static [u8]>) -> Header {
    Header {
        name: Text::from(name),
        value: value.map(Bytes::from_static),
    }
}

/// Fills the table with `records`.
pub fn fill(harness: &mut Window, fake: &Fake, records: Vec<Record>) {
    let request = fake.last_table();
    fake.change(|snapshot| {
        snapshot.table = Arc::new(Table {
            request,
            rows: records.into_iter().map(Arc::new).collect(),
            up_to: Some(1),
            at_start: true,
            at_end: true,
            ..Table::default()
        });
    });
    harness.run();
}

/// The window with these records, the first of them chosen.
pub fn showing_all(snapshot: Snapshot, records: Vec<Record>) -> (Window, Fake) {
    let (mut harness, fake) = window(Harness::builder(), (1_440.0, 900.0), snapshot);
    harness.run();
    let first = label_of(&records[0]);
    fill(&mut harness, &fake, records);
    harness.get_by_label(&first).click();
    harness.run_steps(3);
    (harness, fake)
}

pub fn showing(record: Record) -> (Window, Fake) {
    showing_all(data::shop(), vec![record])
}

fn label_of(record: &Record) -> String {
    let digits = record.offset.0.to_string();
    let (thousands, rest) = digits.split_at(digits.len() - 3);
    format!(
        "{} / {} offset {thousands},{rest}",
        record.topic, record.partition
    )
}

/// What was copied in the last frame.
pub fn copied(harness: &Window) -> Option<String> {
    let commands = harness.output().platform_output.commands.iter();
    commands
        .into_iter()
        .rev()
        .find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
}

fn scroll_row(harness: &Window) -> u64 {
    harness.state().state().detail.scroll.row
}

#[test]
fn address_facts_and_readers_come_first() {
    let (harness, _) = showing(record());
    for label in [
        "orders / 1 / 85,213",
        "30 Nov 2026 14:58:58.000 UTC+01:00",
        "set by the producer",
        "key 6 B",
        "committed",
        "leader epoch 4",
        "shipping has read it",
        "audit never committed",
    ] {
        assert!(shows(&harness, label), "{label}");
    }
    assert!(shows_part(&harness, "billing has not: "));
    let top = |label: &str| harness.get_by_label(label).rect().top();
    assert!(top("orders / 1 / 85,213") < top("committed"));
    assert!(top("committed") < top("shipping has read it"));
    assert!(top("shipping has read it") < top("JSON of the value"));
}

#[test]
fn nothing_is_chosen_at_first_and_that_is_said() {
    let (harness, _) = shop();
    assert!(shows(&harness, "Choose a record to see all of it"));
}

#[test]
fn a_value_is_json_with_its_own_digits_and_all_its_keys() {
    let (harness, _) = showing(with_value(
        r#"{"id":12345678901234567890123,"b":1.0,"b":2e0,"a":null}"#,
    ));
    for row in [
        "  \"id\": 12345678901234567890123,",
        "  \"b\": 1.0,",
        "  \"b\": 2e0,",
        "  \"a\": null",
    ] {
        assert!(shows(&harness, row), "{row}");
    }
}

#[test]
fn what_cannot_be_seen_is_shown_everywhere() {
    let (mut harness, _) = showing(Record {
        key: Some(Bytes::from_static("k\u{200b}".as_bytes())),
        value: Some(Bytes::from_static("{\"a\":\"x\u{202e}y\"}".as_bytes())),
        headers: vec![header("h\u{202e}", Some("a\u{200b}b".as_bytes()))],
        ..record()
    });
    click(&mut harness, "Go to the value");
    assert!(shows(&harness, "  \"a\": \"x‹U+202E›y\""));
    assert!(shows(&harness, "k‹U+200B›"));
    assert!(shows(&harness, "h‹U+202E› a‹U+200B›b"));
}

#[test]
fn headers_keep_their_order_with_repeated_names_null_and_bytes() {
    let (mut harness, _) = showing(Record {
        headers: vec![
            header("retries", Some(b"1")),
            header("retries", None),
            header("retries", Some(b"null")),
            header("count", Some(&[0, 0, 0, 2])),
            header("raw", Some(&[0xff, 1, 2])),
            header("none", Some(b"")),
        ],
        ..record()
    });
    click(&mut harness, "Go to the headers");
    let labels = [
        "retries 1",
        "retries null",
        "count 2 int32",
        "raw 0xff0102",
        "none empty",
    ];
    let tops: Vec<f32> = labels
        .iter()
        .filter_map(|label| harness.query_all_by_label(label).next())
        .map(|node| node.rect().top())
        .collect();
    assert_eq!(tops.len(), labels.len());
    assert!(tops.is_sorted(), "{tops:?}");
    // The null value and the word are two rows that read alike and look different.
    assert_eq!(harness.query_all_by_label("retries null").count(), 2);
}

#[test]
fn a_binary_key_is_hex_and_may_read_as_a_number() {
    let (mut harness, _) = showing(Record {
        key: Some(Bytes::from_static(&[0, 0, 0, 0, 0, 0, 0x12, 0x67])),
        ..record()
    });
    click(&mut harness, "Go to the key");
    click(&mut harness, "Hex of the key");
    assert!(shows(&harness, "Read as a number: 4,711 int64"));
    assert!(shows_part(&harness, "00000000  00 00 00 00 00 00 12 67"));
}

#[test]
fn a_tombstone_is_called_one_only_where_the_topic_is_compacted() {
    let at = TopicPartition::new("customers", 0);
    let tombstone = Record {
        value: None,
        ..data::record(&at, 5_000, data::NOW.0 - 60_000)
    };
    let (harness, _) = showing(tombstone);
    assert!(shows_part(&harness, "null: a tombstone."));
    let (harness, _) = showing(Record {
        value: None,
        ..record()
    });
    assert!(shows(&harness, "null: there is none"));
    let (harness, _) = showing(with_value(""));
    assert!(shows(&harness, "empty: there, and of no length"));
    let (harness, _) = showing(with_value("null"));
    assert!(shows(&harness, "null"));
    assert!(!shows_part(&harness, "null: "));
}

#[test]
fn a_chosen_form_stays_for_the_next_record_and_says_when_it_cannot() {
    let mut second = with_value("plain words");
    second.offset = Offset(85_214);
    let (mut harness, _) = showing_all(data::shop(), vec![record(), second]);
    click(&mut harness, "Hex of the value");
    assert!(shows_part(&harness, "00000000  7b 22"));
    click(&mut harness, "orders / 1 offset 85,214");
    assert!(shows_part(&harness, "00000000  70 6c 61 69 6e"));
    click(&mut harness, &label_of(&record()));
    click(&mut harness, "JSON of the value");
    assert!(shows(&harness, "{"));
    click(&mut harness, "orders / 1 offset 85,214");
    assert!(shows(&harness, "plain words"));
    assert!(shows(&harness, "Not JSON: no JSON begins like this"));
}

#[test]
fn forms_are_chosen_with_the_arrows() {
    let (mut harness, _) = showing(record());
    harness.get_by_label("JSON of the value").focus();
    harness.run();
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert!(harness.get_by_label("Text of the value").is_focused());
    assert!(shows_part(&harness, "{\"orderId\":"));
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert!(shows_part(&harness, "00000000  7b 22"));
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert!(harness.get_by_label("Hex of the value").is_focused());
}

#[test]
fn many_groups_are_folded_and_open() {
    let mut snapshot = data::shop();
    let inventory = Arc::make_mut(&mut snapshot.inventory);
    let logs = data::logs();
    let mut groups: Vec<_> = (0..12)
        .map(|number| {
            let name = format!("never-{number:02}");
            data::group(&name, 1, &logs, &[(TOPIC, 1, None)])
        })
        .collect();
    groups.push(data::group(
        "wild",
        1,
        &logs,
        &[(TOPIC, 1, Some(99_000_000))],
    ));
    inventory.groups = Some(Ok(groups));
    let (mut harness, _) = showing_all(snapshot, vec![record()]);
    assert!(shows_part(
        &harness,
        "wild — not known: it stands at 99,000,000, beyond the end ("
    ));
    assert!(!shows(&harness, "never-05 never committed"));
    click(&mut harness, "12 groups never committed here");
    assert!(shows(&harness, "never-05 never committed"));
    click(&mut harness, "12 groups never committed here");
    assert!(!shows(&harness, "never-05 never committed"));
}

#[test]
fn the_pane_is_scrolled_with_keys() {
    let lines: Vec<String> = (0..1_000).map(|line| format!("line {line}")).collect();
    let (mut harness, _) = showing(with_value(lines.join("\n")));
    harness.get_by_label("Record orders / 1 / 85,213").focus();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(scroll_row(&harness), 1);
    harness.key_press(Key::PageDown);
    harness.run();
    let after_page = scroll_row(&harness);
    assert!(after_page > 8, "{after_page}");
    harness.key_press(Key::End);
    harness.run();
    assert!(scroll_row(&harness) > 980);
    assert!(shows_part(&harness, "event-id e-1-85213"));
    harness.key_press(Key::Home);
    harness.run();
    assert_eq!(scroll_row(&harness), 0);
    assert!(
        harness
            .get_by_label("Record orders / 1 / 85,213")
            .is_focused()
    );
}

#[test]
fn every_section_can_be_gone_to() {
    let lines: Vec<String> = (0..5_000).map(|line| format!("line {line}")).collect();
    let (mut harness, _) = showing(with_value(lines.join("\n")));
    assert!(!shows(&harness, "event-id e-1-85213"));
    click(&mut harness, "Go to the headers");
    assert!(shows(&harness, "event-id e-1-85213"));
    click(&mut harness, "Go to the value");
    assert!(shows(&harness, "line 0"));
    click(&mut harness, "Go to who read it");
    assert!(shows(&harness, "shipping has read it"));
}

#[test]
fn picked_rows_are_copied_as_they_were_sent() {
    let (mut harness, _) = showing(with_value("one\tx\r\ntwo\u{202e}\r\nthree"));
    let center = |harness: &Window, label: &str| harness.get_by_label(label).rect().center();
    let first = center(&harness, "one→   x");
    let second = center(&harness, "two‹U+202E›");
    harness.drag_at(first);
    harness.run();
    harness.drop_at(first);
    harness.run();
    harness.event(Event::Copy);
    harness.step();
    assert_eq!(copied(&harness).as_deref(), Some("one\tx"));
    harness.event_modifiers(
        Event::PointerButton {
            pos: second,
            button: PointerButton::Primary,
            pressed: true,
            modifiers: Modifiers::SHIFT,
        },
        Modifiers::SHIFT,
    );
    harness.step();
    harness.drop_at(second);
    harness.run();
    harness.event(Event::Copy);
    harness.step();
    assert_eq!(copied(&harness).as_deref(), Some("one\tx\r\ntwo\u{202e}"));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowDown);
    harness.run();
    harness.event(Event::Copy);
    harness.step();
    assert_eq!(
        copied(&harness).as_deref(),
        Some("one\tx\r\ntwo\u{202e}\r\nthree")
    );
}

#[test]
fn dragging_picks_the_rows_it_passes() {
    let (mut harness, _) = showing(with_value("one\ntwo\nthree\nfour"));
    let center = |harness: &Window, label: &str| harness.get_by_label(label).rect().center();
    let (from, to) = (center(&harness, "two"), center(&harness, "four"));
    harness.drag_at(from);
    harness.run();
    harness.hover_at(to);
    harness.run();
    harness.drop_at(to);
    harness.run();
    harness.event(Event::Copy);
    harness.step();
    assert_eq!(copied(&harness).as_deref(), Some("two\nthree\nfour"));
}

#[test]
fn value_key_and_headers_are_copied_from_the_menu() {
    let (mut harness, _) = showing(record());
    let value = record().value.unwrap();
    for (item, wanted) in [
        ("Copy value", String::from_utf8(value.to_vec()).unwrap()),
        ("Copy key", "o-5213".to_owned()),
        ("Copy header event-id", "e-1-85213".to_owned()),
        ("Copy address", "orders/1/85213".to_owned()),
    ] {
        harness.get_by_label("Copy…").click();
        harness.run();
        harness.get_by_label(item).click();
        let found = (0..3).find_map(|_| {
            harness.step();
            copied(&harness)
        });
        harness.run();
        let Some(found) = found else {
            panic!("{item} copied nothing");
        };
        assert_eq!(found, wanted);
    }
}

#[test]
fn a_record_that_was_deleted_since_says_so_and_stays() {
    let (mut harness, fake) = showing(record());
    assert!(!shows_part(&harness, "No longer on the bus"));
    fake.change(|snapshot| {
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        let Some(Ok(topics)) = &mut inventory.topics else {
            panic!("there are topics");
        };
        for topic in topics {
            if &*topic.name == TOPIC {
                for partition in &mut Arc::make_mut(topic).partitions {
                    partition.log_start = Ok(Offset(90_000));
                }
            }
        }
    });
    harness.run();
    assert!(shows_part(&harness, "No longer on the bus"));
    assert!(shows_part(&harness, "\"orderId\": \"o-5213\""));
}

#[test]
fn what_is_read_stays_in_its_place_when_something_comes_above_it() {
    let lines: Vec<String> = (0..1_000).map(|line| format!("line {line}")).collect();
    let (mut harness, fake) = showing(with_value(lines.join("\n")));
    click(&mut harness, "Go to the key");
    let before = harness.get_by_label("Hex of the key").rect();
    let row = scroll_row(&harness);
    fake.change(|snapshot| {
        let inventory = Arc::make_mut(&mut snapshot.inventory);
        let logs = data::logs();
        if let Some(Ok(groups)) = &mut inventory.groups {
            groups.push(data::group("zeta", 1, &logs, &[(TOPIC, 1, Some(1))]));
        }
    });
    harness.run();
    assert_eq!(scroll_row(&harness), row + 1);
    assert_eq!(harness.get_by_label("Hex of the key").rect(), before);
}

/// JSON of about so many bytes.
fn large_json(bytes: usize) -> Vec<u8> {
    let row = br#"{"id":12345678901234567890123,"a":"words and words","b":[1,2,3]},"#;
    let mut value = b"[".to_vec();
    while value.len() < bytes {
        value.extend_from_slice(row);
    }
    value.extend_from_slice(b"null]");
    value
}

#[test]
fn five_megabytes_are_laid_out_over_frames_and_read_meanwhile() {
    let (mut harness, _) = showing(with_value(large_json(5_000_000)));
    assert!(shows_part(&harness, "laid out"));
    assert!(shows(&harness, "    \"id\": 12345678901234567890123,"));
    let mut frames = 0;
    while harness.state().detail_cost().bytes > 0 {
        let cost = harness.state().detail_cost();
        assert!(cost.bytes < 600_000, "{cost:?}");
        assert!(cost.rows < 40, "{cost:?}");
        harness.step();
        frames += 1;
        assert!(frames < 200, "it does not end");
    }
    assert!(frames >= 9, "{frames}");
    assert!(!shows_part(&harness, "laid out"));
    harness.get_by_label("Record orders / 1 / 85,213").focus();
    harness.run();
    harness.key_press(Key::End);
    harness.run();
    assert!(scroll_row(&harness) > 500_000, "{}", scroll_row(&harness));
    assert!(shows(&harness, "event-id e-1-85213"));
}

#[test]
fn a_frame_costs_the_same_for_a_value_a_thousand_times_as_large() {
    let nodes = |bytes: usize| {
        let (mut harness, _) = showing(with_value(large_json(bytes)));
        harness.run_steps(40);
        click(&mut harness, "Go to the value");
        let cost = harness.state().detail_cost();
        assert_eq!(cost.bytes, 0);
        (cost.rows, harness.output().shapes.len())
    };
    let (small, large) = (nodes(2_000), nodes(2_000_000));
    assert_eq!(small.0, large.0);
    assert!(large.1.abs_diff(small.1) < 20, "{small:?} {large:?}");
}

#[test]
fn what_turns_out_to_be_no_json_becomes_text_and_says_where() {
    let mut value = large_json(2_000_000);
    value.pop();
    let (mut harness, _) = showing(with_value(value));
    assert!(shows_part(&harness, "laid out"));
    harness.run_steps(40);
    harness.run();
    assert!(shows_part(
        &harness,
        "Not JSON: it ends too early (byte 2,000,0"
    ));
    assert!(shows_part(&harness, "[{\"id\":1234567890"));
}
