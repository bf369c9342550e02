//! What a real registry holds is read as it was meant.

use tideline::bus::registry::FailureKind;

use crate::apicurio::apicurio;
use crate::{decoded, registry};

const COUNTRY: &str = r#"{"type":"enum","name":"Country","namespace":"geo","symbols":["AT","DE"]}"#;
const ADDRESS: &str = r#"{"type":"record","name":"Address","namespace":"shop","fields":[
    {"name":"city","type":"string"},{"name":"country","type":"geo.Country"}]}"#;
const ORDER: &str = r#"{"type":"record","name":"Order","namespace":"shop","fields":[
    {"name":"id","type":"long"},
    {"name":"total","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
    {"name":"day","type":{"type":"int","logicalType":"date"}},
    {"name":"to","type":["null","shop.Address"]}]}"#;

#[test]
fn avro_with_references_of_references() {
    let apicurio = apicurio();
    apicurio.register("geo-country", "AVRO", COUNTRY, &[]);
    let country = ("geo.Country", "geo-country", 1);
    apicurio.register("shop-address", "AVRO", ADDRESS, &[country]);
    let address = ("shop.Address", "shop-address", 1);
    let id = apicurio.register("orders-value", "AVRO", ORDER, &[address]);
    let registry = registry(&apicurio.url, &[]);
    // 2^53 + 1, 12.34, 2026-12-01, Ulm in the second country.
    let bytes = [
        &[0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20][..],
        &[0x04, 0x04, 0xd2],
        &[0xe8, 0xc4, 0x02],
        &[0x02, 0x06, b'U', b'l', b'm', 0x02],
    ]
    .concat();
    let order = decoded(&registry, id, None, &bytes);
    assert_eq!(
        order.text,
        r#"{"id":9007199254740993,"total":12.34,"day":"2026-12-01","to":{"city":"Ulm","country":"DE"}}"#
    );
    assert_eq!((&*order.what, order.left_over), ("shop.Order", 0));
}

const UNIT: &str =
    "syntax = \"proto3\";\npackage shop;\n\nenum Unit {\n  EUR = 0;\n  USD = 1;\n}\n";
const MONEY: &str = "syntax = \"proto3\";\npackage shop;\n\nimport \"shop/unit.proto\";\n\nmessage Money {\n  int64 cents = 1;\n  Unit unit = 2;\n}\n";
const PAID: &str = "syntax = \"proto3\";\npackage shop;\n\nimport \"shop/money.proto\";\nimport \"google/protobuf/timestamp.proto\";\n\nmessage Refund {\n  string id = 1;\n}\nmessage Paid {\n  message Line {\n    string sku = 1;\n  }\n  Money total = 1;\n  google.protobuf.Timestamp at = 2;\n  repeated Line lines = 3;\n}\n";

#[test]
fn protobuf_with_imports_and_the_message_named_by_its_place() {
    let apicurio = apicurio();
    apicurio.register("unit", "PROTOBUF", UNIT, &[]);
    apicurio.register(
        "money",
        "PROTOBUF",
        MONEY,
        &[("shop/unit.proto", "unit", 1)],
    );
    let id = apicurio.register(
        "paid-value",
        "PROTOBUF",
        PAID,
        &[("shop/money.proto", "money", 1)],
    );
    let registry = registry(&apicurio.url, &[]);
    // 1,796,085,000 s, and 15000 cents of the second unit.
    let bytes = [
        &[0x0a, 0x05, 0x08, 0x98, 0x75, 0x10, 0x01][..],
        &[0x12, 0x06, 0x08, 0x88, 0xaa, 0xb8, 0xd8, 0x06],
        &[0x1a, 0x03, 0x0a, 0x01, b'a'],
    ]
    .concat();
    let paid = decoded(&registry, id, Some(&[1]), &bytes);
    assert_eq!(
        paid.text,
        r#"{"total":{"cents":15000,"unit":"USD"},"at":"2026-12-01T00:30:00Z","lines":[{"sku":"a"}]}"#
    );
    assert_eq!(paid.what, "shop.Paid");
    let line = decoded(&registry, id, Some(&[1, 0]), &[0x0a, 0x01, b'a']);
    assert_eq!(
        (&*line.what, &*line.text),
        ("shop.Paid.Line", r#"{"sku":"a"}"#)
    );
}

#[test]
fn json_stays_as_it_is() {
    let apicurio = apicurio();
    let schema = r#"{"$schema":"http://json-schema.org/draft-07/schema#","title":"Customer","type":"object","properties":{"id":{"type":"integer"}}}"#;
    let id = apicurio.register("customers-value", "JSON", schema, &[]);
    let text = r#"{"id": 12345678901234567890.00, "id": 2}"#;
    let customer = decoded(&registry(&apicurio.url, &[]), id, None, text.as_bytes());
    assert_eq!((&*customer.what, &*customer.text), ("Customer", text));
}

#[test]
fn what_it_does_not_know_is_told_from_a_place_where_no_registry_is() {
    let apicurio = apicurio();
    let unknown = registry(&apicurio.url, &[]).schema(987_654).unwrap_err();
    assert_eq!(unknown.kind, FailureKind::Unknown);
    let expected = format!("the registry at {} knows no schema 987654", apicurio.url);
    assert_eq!(unknown.message, expected);
    let elsewhere = registry(&apicurio.root, &[]).schema(1).unwrap_err();
    assert_eq!(elsewhere.kind, FailureKind::Refused);
    assert!(
        elsewhere.message.starts_with(&format!(
            "there is no schema registry at {} (404)",
            apicurio.root
        )),
        "{elsewhere:?}"
    );
}
