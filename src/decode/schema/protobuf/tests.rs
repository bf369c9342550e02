use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message as _;
use prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};
use protox::file::File;

use super::Protobuf;

fn schema(body: &str) -> Protobuf {
    Protobuf::new(&format!("syntax = \"proto3\";\n{body}"), &[]).unwrap()
}

#[track_caller]
fn is(schema: &Protobuf, bytes: &[u8], written: &str) {
    let decoded = schema.decode(bytes, None).unwrap();
    assert_eq!((&*decoded.text, decoded.left_over), (written, 0));
}

/// A field that is counted: tag, length, bytes.
fn counted(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).unwrap();
    assert!(number < 16 && length < 0x80);
    [&[number << 3 | 2, length], bytes].concat()
}

#[test]
fn the_examples_of_the_encoding_guide() {
    is(
        &schema("message Test1 { int32 a = 1; }"),
        &[0x08, 0x96, 0x01],
        r#"{"a":150}"#,
    );
    is(
        &schema("message Test2 { string b = 2; }"),
        &[0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67],
        r#"{"b":"testing"}"#,
    );
    is(
        &schema("message Test3 { Test1 c = 3; } message Test1 { int32 a = 1; }"),
        &[0x1a, 0x03, 0x08, 0x96, 0x01],
        r#"{"c":{"a":150}}"#,
    );
    let packed = schema("message Test4 { string d = 4; repeated int32 e = 6; }");
    is(
        &packed,
        &[0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05],
        r#"{"e":[3,270,86942]}"#,
    );
    // The same in two parts, one of them not packed.
    is(
        &packed,
        &[0x30, 0x03, 0x32, 0x05, 0x8e, 0x02, 0x9e, 0xa7, 0x05],
        r#"{"e":[3,270,86942]}"#,
    );
}

#[test]
fn every_kind_has_its_form() {
    let kinds = schema(
        "message M { int32 a = 1; int64 b = 2; uint64 c = 3; sint32 d = 4; sint64 e = 5; fixed32 f = 6;
        sfixed64 g = 7; bool h = 8; double i = 9; float j = 10; bytes k = 11; E l = 12; uint32 m = 13; }
        enum E { A = 0; B = 1; }",
    );
    let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let all = [
        [&[0x08][..], &minus_one].concat(),
        [&[0x10][..], &minus_one].concat(),
        [&[0x18][..], &minus_one].concat(),
        vec![0x20, 0x03],
        [&[0x28][..], &minus_one].concat(),
        vec![0x35, 1, 0, 0, 0],
        [&[0x39][..], &[0xff; 8]].concat(),
        vec![0x40, 0x02],
        [&[0x49][..], &f64::NAN.to_le_bytes()].concat(),
        [&[0x55][..], &0.1_f32.to_le_bytes()].concat(),
        counted(11, &[0xff, 0x00]),
        vec![0x60, 0x01],
        // More bits than the field has.
        vec![0x68, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ]
    .concat();
    is(
        &kinds,
        &all,
        r#"{"a":-1,"b":-1,"c":18446744073709551615,"d":-2,"e":-9223372036854775808,"f":1,"g":-1,"h":true,"i":"NaN","j":0.1,"k":"/wA=","l":"B","m":4294967295}"#,
    );
    is(&kinds, &[0x60, 0x07], r#"{"l":7}"#);
    is(&kinds, &[0x60, 0x00, 0x08, 0x00], r#"{"a":0,"l":"A"}"#);
    is(&kinds, &[], "{}");
}

#[test]
fn the_last_counts_and_messages_grow_together() {
    let shop = schema(
        "message O { A a = 1; oneof pay { string card = 2; A cash = 3; } map<string, int32> by_name = 4; map<bool, A> by_flag = 5; }
        message A { int32 x = 1; repeated int32 y = 2; }",
    );
    // The same message in two parts.
    let twice = [
        counted(1, &[0x08, 1, 0x10, 5]),
        counted(1, &[0x08, 2, 0x10, 6]),
    ]
    .concat();
    is(&shop, &twice, r#"{"a":{"x":2,"y":[5,6]}}"#);
    let paid = [counted(3, &[0x08, 1]), counted(2, b"visa")].concat();
    is(&shop, &paid, r#"{"card":"visa"}"#);
    let paid = [counted(2, b"visa"), counted(3, &[0x08, 1])].concat();
    is(&shop, &paid, r#"{"cash":{"x":1}}"#);
    let names = [
        counted(4, &[counted(1, b"b"), vec![0x10, 1]].concat()),
        counted(4, &[]),
        counted(5, &[0x08, 0x01]),
    ];
    is(
        &shop,
        &names.concat(),
        r#"{"byName":{"b":1,"":0},"byFlag":{"true":{}}}"#,
    );
}

#[test]
fn what_the_schema_does_not_know_is_shown_under_its_number() {
    let one = schema("message M { string a = 1; }");
    let bytes = [
        counted(1, b"x"),
        vec![0x10, 0x96, 0x01],
        vec![0x1d, 1, 0, 0, 0],
        [&[0x21][..], &[2, 0, 0, 0, 0, 0, 0, 0]].concat(),
        counted(5, &[1, 2]),
        counted(5, &[3]),
        vec![0x33, 0x08, 0x01, 0x34],
        // The known number with another wire type.
        vec![0x08, 0x07],
    ];
    let decoded = one.decode(&bytes.concat(), None).unwrap();
    assert_eq!(
        decoded.text,
        r#"{"a":"x","1":7,"2":150,"3":"0x00000001","4":"0x0000000000000002","5":["AQI=","Aw=="],"6":{"1":1}}"#
    );
    assert_eq!(decoded.left_over, bytes.concat().len() - 3);
}

#[test]
fn the_index_names_the_message() {
    let nested = schema(
        "package shop; message A { int32 a = 1; } message B { message C { int32 c = 1; } message D { C d = 1; } int32 b = 1; }",
    );
    for (index, what, text) in [
        (&[0][..], "shop.A", r#"{"a":1}"#),
        (&[1], "shop.B", r#"{"b":1}"#),
        (&[1, 0], "shop.B.C", r#"{"c":1}"#),
    ] {
        let decoded = nested.decode(&[0x08, 0x01], Some(index)).unwrap();
        assert_eq!((&*decoded.what, &*decoded.text), (what, text));
    }
    for index in [&[2][..], &[1, 2], &[-1], &[0, 0]] {
        let error = nested.decode(&[], Some(index)).unwrap_err();
        assert!(error.contains("no message at the place"), "{error}");
    }
    let error = nested.decode(&[], None).unwrap_err();
    assert_eq!(
        error,
        "the schema has several messages (shop.A, shop.B), and nothing says which of them this is"
    );
    // The one that no other contains is meant.
    let outer = schema("message Line { int32 n = 1; } message Order { repeated Line lines = 1; }");
    assert_eq!(outer.decode(&[], None).unwrap().what, "Order");
}

#[test]
fn well_known_types_have_their_own_form() {
    let known = schema(
        r#"import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/wrappers.proto";
        import "google/protobuf/struct.proto"; import "google/protobuf/any.proto";
        message M { google.protobuf.Timestamp at = 1; google.protobuf.Duration took = 2; google.protobuf.Int64Value n = 3;
        google.protobuf.Struct s = 4; google.protobuf.Any any = 5; google.protobuf.StringValue t = 6; google.protobuf.Value v = 7; }"#,
    );
    // 1,796,085,000 s: 2026-12-01T00:30:00Z; in seven bits a byte, the lowest first.
    let seconds = [0x08, 0x88, 0xaa, 0xb8, 0xd8, 0x06];
    is(
        &known,
        &counted(1, &seconds),
        r#"{"at":"2026-12-01T00:30:00Z"}"#,
    );
    // 120,000,000 ns.
    let nanos = [&seconds[..], &[0x10, 0x80, 0x9c, 0x9c, 0x39]].concat();
    is(
        &known,
        &counted(1, &nanos),
        r#"{"at":"2026-12-01T00:30:00.120Z"}"#,
    );
    is(&known, &counted(1, &[]), r#"{"at":"1970-01-01T00:00:00Z"}"#);
    // Less than nothing is no fraction of a second, so it is shown as it is.
    let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let negative = [&[0x10][..], &minus_one].concat();
    is(&known, &counted(1, &negative), r#"{"at":{"nanos":-1}}"#);
    is(
        &known,
        &counted(2, &[0x08, 0x03, 0x10, 0x01]),
        r#"{"took":"3.000000001s"}"#,
    );
    is(
        &known,
        &counted(2, &negative),
        r#"{"took":"-0.000000001s"}"#,
    );
    is(&known, &counted(3, &[0x08, 0x05]), r#"{"n":5}"#);
    is(&known, &counted(3, &[]), r#"{"n":0}"#);
    is(&known, &counted(6, &[]), r#"{"t":""}"#);
    let yes = counted(1, &[counted(1, b"a"), counted(2, &[0x20, 0x01])].concat());
    let nothing = counted(1, &[counted(1, b"b"), counted(2, &[0x08, 0x00])].concat());
    let list = counted(6, &counted(1, &counted(3, b"x")));
    let list = counted(1, &[counted(1, b"c"), counted(2, &list)].concat());
    is(
        &known,
        &counted(4, &[yes, nothing, list].concat()),
        r#"{"s":{"a":true,"b":null,"c":["x"]}}"#,
    );
    is(&known, &counted(4, &[]), r#"{"s":{}}"#);
    let number = [&[0x11][..], &1.5_f64.to_le_bytes()].concat();
    is(&known, &counted(7, &number), r#"{"v":1.5}"#);
    let any = |url: &[u8], value: &[u8]| counted(5, &[counted(1, url), counted(2, value)].concat());
    is(
        &known,
        &any(b"x/google.protobuf.Duration", &[0x08, 0x01]),
        r#"{"any":{"@type":"x/google.protobuf.Duration","value":"1s"}}"#,
    );
    is(
        &known,
        &any(b"x/M", &counted(3, &[0x08, 0x05])),
        r#"{"any":{"@type":"x/M","n":5}}"#,
    );
    is(
        &known,
        &any(b"x/Nobody", &[1]),
        r#"{"any":{"typeUrl":"x/Nobody","value":"AQ=="}}"#,
    );
}

#[test]
fn groups_of_the_old_syntax() {
    let text = "syntax = \"proto2\"; message M { optional group Line = 1 { optional int32 n = 2; } required string s = 3 [default = \"x\"]; }";
    let old = Protobuf::new(text, &[]).unwrap();
    let decoded = old.decode(&[0x0b, 0x10, 0x05, 0x0c], None).unwrap();
    assert_eq!(decoded.text, r#"{"line":{"n":5}}"#);
}

const MONEY: &str = "syntax = \"proto3\"; package shop; import \"shop/unit.proto\"; message Money { int64 cents = 1; Unit unit = 2; }";
const UNIT: &str = "syntax = \"proto3\"; package shop; enum Unit { EUR = 0; USD = 1; }";
const ORDER: &str = r#"syntax = "proto3"; package shop;
    import "shop/money.proto"; import "rules/field.proto"; import "confluent/type/decimal.proto";
    option java_package = "x"; option (rules.file) = true;
    message Order { Money total = 1 [(rules.field).max = 5, deprecated = true]; confluent.type.Decimal tax = 2 [json_name = "vat"]; }"#;

fn references() -> Vec<(String, String)> {
    let named = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    vec![
        named("shop/unit.proto", UNIT),
        named("shop/money.proto", MONEY),
    ]
}

#[test]
fn imports_come_from_references_and_options_need_none() {
    let order = Protobuf::new(ORDER, &references()).unwrap();
    let bytes = [
        counted(1, &[0x08, 0x05, 0x10, 0x01]),
        counted(2, &[0x10, 0x03]),
    ]
    .concat();
    is(
        &order,
        &bytes,
        r#"{"total":{"cents":5,"unit":"USD"},"vat":{"precision":3}}"#,
    );
    let error = Protobuf::new(ORDER, &references()[..1]).err().unwrap();
    assert!(
        error.contains("Money") && error.contains("shop/money.proto"),
        "{error}"
    );
}

/// As a compiler writes it: what is imported first.
fn descriptors() -> Vec<u8> {
    let file = |name: &str, text: &str| {
        let file = File::from_source(name, text).unwrap();
        file.file_descriptor_proto().clone()
    };
    let mut all: Vec<FileDescriptorProto> = references()
        .iter()
        .map(|(name, text)| file(name, text))
        .collect();
    all.push(file("order.proto", ORDER));
    FileDescriptorSet { file: all }.encode_to_vec()
}

#[test]
fn imports_may_go_round_in_circles_and_through_others() {
    let file = |name: &str, import: &str, body: &str| {
        let text = format!("syntax = \"proto3\"; {import} {body}");
        (name.to_owned(), text)
    };
    let circle = [
        file(
            "a",
            "import public \"b\"; import public \"a\";",
            "message A { B b = 1; }",
        ),
        file("b", "import public \"c\";", "message B { C c = 1; }"),
        file(
            "c",
            "import public \"a\"; import \"b\";",
            "message C { A a = 1; int32 n = 2; }",
        ),
    ];
    let text = "syntax = \"proto3\"; import \"a\"; message M { C c = 1; }";
    let schema = Protobuf::new(text, &circle).unwrap();
    is(&schema, &[0x0a, 0x02, 0x10, 0x05], r#"{"c":{"n":5}}"#);
}

#[test]
fn a_set_of_descriptors_is_read_too() {
    let set = descriptors();
    let read = Protobuf::from_descriptors(&set, None).unwrap();
    assert_eq!(read.what(), "shop.Order");
    is(
        &read,
        &counted(1, &[0x08, 0x05]),
        r#"{"total":{"cents":5}}"#,
    );
    let money = Protobuf::from_descriptors(&set, Some("shop.Money")).unwrap();
    is(&money, &[0x08, 0x05], r#"{"cents":5}"#);
    let error = Protobuf::from_descriptors(&set, Some("shop.Nothing"))
        .err()
        .unwrap();
    assert_eq!(error, "it has no message shop.Nothing");
    assert!(Protobuf::from_descriptors(&[], None).is_err());
}

#[test]
fn what_is_wrong_with_a_text_is_said_with_its_place() {
    let error = Protobuf::new("syntax = \"proto3\";\nmessage M { int32 a = ; }", &[])
        .err()
        .unwrap();
    assert!(error.contains("schema.proto:2:23"), "{error}");
    let deep = format!("message M {{ {}", "message M {".repeat(100_000));
    assert!(Protobuf::new(&deep, &[]).err().unwrap().contains("nested"));
    assert!(
        Protobuf::new("", &[])
            .unwrap()
            .decode(&[], None)
            .unwrap_err()
            .contains("no message")
    );
}

#[test]
fn what_fails_is_said_with_its_byte_and_field() {
    let shop = schema(
        "message O { repeated L lines = 1; } message L { string sku = 1; repeated fixed32 n = 2; }",
    );
    for (bytes, sentence) in [
        (
            counted(1, &[0x0a, 0x05, b'a']),
            "at byte 3, in lines[0]: field 1 is longer than the 1 bytes that are left",
        ),
        (
            counted(1, &counted(1, &[b'a', 0xff])),
            "at byte 5, in lines[0].sku: the text is not UTF-8",
        ),
        (
            counted(1, &counted(2, &[1, 2, 3])),
            "at byte 4, in lines[0].n[0]: 4 bytes are needed, 3 are left",
        ),
        (vec![0x00], "at byte 0: this is no number of a field"),
        (vec![0x0f], "at byte 0: there is no wire type 7"),
        (
            vec![0x0c],
            "at byte 0: the group 1 ends here, and never began",
        ),
        (
            vec![0x13, 0x08],
            "at byte 2: 1 bytes are needed, 0 are left",
        ),
        (vec![0x08; 1], "at byte 1: 1 bytes are needed, 0 are left"),
    ] {
        assert_eq!(
            shop.decode(&bytes, None).unwrap_err(),
            sentence,
            "{bytes:?}"
        );
    }
}

#[test]
fn nesting_is_bounded() {
    let tree = schema("message T { T t = 1; }");
    let nested = |depth: usize| {
        let mut bytes: Vec<u8> = Vec::new();
        for _ in 0..depth {
            let mut length = bytes.len();
            let mut head = vec![0x0a];
            while length >= 0x80 {
                head.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
                length >>= 7;
            }
            head.push(u8::try_from(length).unwrap());
            bytes = [head, bytes].concat();
        }
        bytes
    };
    assert!(tree.decode(&nested(99), None).is_ok());
    let error = tree.decode(&nested(5_000), None).unwrap_err();
    assert!(error.contains("nested deeper than 100"), "{error}");
    let error = tree.decode(&[0x13; 5_000], None).unwrap_err();
    assert!(
        error.contains("groups are nested deeper than 100"),
        "{error}"
    );
}

const ALL: &str = r#"syntax = "proto3"; package x;
    import "google/protobuf/timestamp.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/any.proto"; import "google/protobuf/wrappers.proto";
    message All { int32 a = 1; repeated sint64 b = 2; string c = 3; bytes d = 4; map<string, All> e = 5; repeated double f = 6;
    oneof g { All h = 7; bool i = 8; } E j = 9; google.protobuf.Timestamp k = 10; google.protobuf.Struct l = 11;
    google.protobuf.Any m = 12; repeated All n = 13; google.protobuf.Int64Value o = 14; map<int32, google.protobuf.Value> p = 15; }
    enum E { Z = 0; Y = 1; }"#;

#[test]
fn no_bytes_make_it_panic_and_a_cut_is_noticed_where_another_reader_notices_it() {
    let all = Protobuf::new(ALL, &[]).unwrap();
    let message = all.usual.clone().unwrap();
    let mut random = fastrand::Rng::with_seed(0x5eed);
    let inner = [vec![0x08, 0x05], counted(3, b"abc"), counted(2, &[1, 2, 3])].concat();
    let mut good = [
        inner.clone(),
        counted(7, &inner),
        counted(13, &inner),
        counted(10, &[0x08, 0x05]),
        counted(5, &[counted(1, b"k"), counted(2, &inner)].concat()),
        counted(12, &[counted(1, b"x/x.All"), counted(2, &inner)].concat()),
        counted(
            15,
            &[vec![0x08, 0x03], counted(2, &counted(3, b"v"))].concat(),
        ),
    ]
    .concat();
    good.extend([0x48, 0x01]);
    let mut sound = 0;
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        if random.bool() {
            bytes.truncate(random.usize(..=good.len()));
        }
        let changes = random.usize(..5);
        let is_changed = changes > 0 && !bytes.is_empty();
        for _ in 0..changes {
            if !bytes.is_empty() {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
        }
        let ours = all.decode(&bytes, None);
        if let Ok(decoded) = &ours {
            sound += 1;
            assert!(decoded.left_over <= bytes.len());
            serde_json::from_str::<serde::de::IgnoredAny>(&decoded.text).unwrap();
        }
        if !is_changed {
            let theirs = DynamicMessage::decode(message.clone(), &bytes[..]);
            assert_eq!(ours.is_ok(), theirs.is_ok(), "{ours:?} {theirs:?}");
        }
    }
    assert!(sound > 1_000, "{sound}");
}

#[test]
fn no_text_and_no_descriptors_make_it_panic() {
    let mut random = fastrand::Rng::with_seed(0x5eed);
    let set = descriptors();
    for _ in 0..1_500 {
        let mut text = [ALL, ORDER][random.usize(..2)].as_bytes().to_vec();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..text.len());
            match random.u8(..3) {
                0 => text[at] = random.u8(0x20..0x7f),
                1 => drop(text.remove(at)),
                _ => text.insert(at, *random.choice(b"{}[]\"=;.(0<").unwrap()),
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        if let Ok(schema) = Protobuf::new(&text, &references()) {
            drop(schema.decode(&[0x0a, 0x02, 0x08, 0x05], Some(&[0])));
        }
        let mut bytes = set.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        if let Ok(schema) = Protobuf::from_descriptors(&bytes, None) {
            drop(schema.decode(&[0x0a, 0x02, 0x08, 0x05], Some(&[0])));
        }
    }
}

#[test]
fn a_message_that_was_named_is_meant_whatever_place_the_bytes_name() {
    let text = "syntax = \"proto3\"; message Z { int64 n = 1; } message Y { string s = 1; }";
    let bytes = b"\x0a\x02hi";
    let unnamed = Protobuf::new(text, &[]).unwrap();
    assert_eq!(unnamed.decode(bytes, Some(&[1])).unwrap().what, "Y");
    assert_eq!(unnamed.decode(bytes, Some(&[0])).unwrap().what, "Z");
    let named = unnamed.with_message("Y").unwrap();
    for index in [None, Some(&[0][..]), Some(&[1]), Some(&[3, 1])] {
        let read = named.decode(bytes, index).unwrap();
        assert_eq!(
            (read.what.as_str(), read.text.as_str()),
            ("Y", r#"{"s":"hi"}"#)
        );
    }
}
