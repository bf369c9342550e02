//! Parts of a record that are decoded, chosen formats, and schemas that come later.

use bytes::Bytes;
use tideline::decode::schema::{Schema, SchemaId, SchemaState, Schemas};
use tideline::decode::value::{Format, Part};
use tideline::model::Record;

use super::detail::{record, showing, showing_all, with_value};
use super::*;

/// Clicks the menu of the value's format and an item of it.
fn read_as(harness: &mut Window, item: &str) {
    harness
        .get_all_by_label_contains("The value is read as")
        .next()
        .unwrap()
        .click();
    harness.run();
    harness.get_by_label(item).scroll_to_me();
    harness.run_steps(6);
    click(harness, item);
}

#[test]
fn a_chosen_format_holds_for_the_topic_and_by_evidence_takes_it_back() {
    let (mut harness, _) = showing(record());
    assert!(shows_part(&harness, "\"orderId\": \"o-5213\""));
    read_as(&mut harness, "As Hex dump");
    assert!(shows_part(&harness, "Read as Hex dump"));
    assert!(shows_part(&harness, "chosen for values of orders"));
    assert!(shows_part(&harness, "00000000  7b 22"));
    let decoders = &harness.state().state().decoders;
    assert_eq!(decoders.chosen("orders", Part::Value), Some(Format::Hex));
    assert_eq!(decoders.chosen("orders", Part::Key), None);
    assert_eq!(decoders.chosen("payments", Part::Value), None);
    // The other forms stay one click away.
    click(&mut harness, "JSON of the value");
    assert!(shows_part(&harness, "\"orderId\": \"o-5213\""));
    read_as(&mut harness, "By evidence");
    assert!(!shows_part(&harness, "chosen for values"));
    assert_eq!(harness.state().state().decoders.iter().count(), 0);
}

#[test]
fn a_part_is_decoded_once_whatever_is_drawn() {
    let (mut harness, _) = showing(record());
    for _ in 0..5 {
        harness.hover_at(pos2(700.0, 800.0));
        harness.step();
        assert_eq!(harness.state().detail_cost().decoded, 0);
    }
    click(&mut harness, "Hex of the value");
    assert_eq!(harness.state().detail_cost().decoded, 0);
}

#[test]
fn what_is_large_is_decoded_when_that_is_asked_for() {
    let mut value = b"[".to_vec();
    value.extend(b"1,".repeat(700_000));
    value.extend(b"2]");
    let (mut harness, _) = showing(with_value(value));
    harness.run_steps(30);
    assert!(shows_part(&harness, "Not decoded: it is larger than 1 MB"));
    click(&mut harness, "Decode 1.4 MB…");
    for _ in 0..400 {
        if shows_part(&harness, "Read as ") && !shows_part(&harness, "Decoding…") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
        harness.step();
    }
    assert!(!shows_part(&harness, "Not decoded"));
    assert_eq!(
        harness
            .query_all_by_label_contains("The value is read as")
            .count(),
        1
    );
}

#[test]
fn null_and_empty_have_no_format() {
    for value in [None, Some(Bytes::new())] {
        let (harness, _) = showing(Record { value, ..record() });
        assert!(!shows_part(&harness, "The value is read as"));
    }
}

#[test]
fn what_a_person_chose_is_used_by_the_table_too() {
    let (mut harness, _) = showing_all(data::shop(), vec![record()]);
    let made = harness.state().table_cost().made;
    assert_eq!(made, 0);
    read_as(&mut harness, "As Text");
    // The rows were made anew with the choice, once.
    harness.run();
    assert_eq!(harness.state().table_cost().made, 0);
}

/// Schemas of which one comes later.
#[derive(Debug)]
struct Later(bool);

impl Schemas for Later {
    fn by_id(&self, _: SchemaId) -> SchemaState {
        if self.0 {
            SchemaState::Failed("it has come".to_owned())
        } else {
            SchemaState::Pending
        }
    }

    fn chosen(&self, _: &str, _: Part) -> Option<Arc<Schema>> {
        None
    }
}

#[test]
fn a_schema_is_asked_for_once() {
    let mut value = vec![0, 0, 0, 0, 7];
    value.extend(b"\x02a");
    let (mut harness, fake) = showing_all(
        Snapshot {
            schemas: Arc::new(Later(false)),
            ..data::shop()
        },
        vec![with_value(value)],
    );
    harness.run_steps(5);
    let asked = || {
        fake.take()
            .into_iter()
            .filter(|command| matches!(command, Command::WantSchema(SchemaId(7))))
            .count()
    };
    assert_eq!(asked(), 1);
    harness.run_steps(5);
    fake.change(|snapshot| snapshot.schemas = Arc::new(Later(true)));
    harness.run();
    assert_eq!(asked(), 0);
    assert!(shows_part(&harness, "it has come"));
}
