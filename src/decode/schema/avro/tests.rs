use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use serde_json::json;

use super::Avro;
use crate::decode::schema::SchemaDecoded;

fn schema(text: &str) -> Avro {
    Avro::new(text, &[]).unwrap()
}

fn read(text: &str, bytes: &[u8]) -> Result<String, String> {
    schema(text).decode(bytes).map(|decoded| decoded.text)
}

#[track_caller]
fn is(text: &str, bytes: &[u8], written: &str) {
    let decoded = schema(text).decode(bytes).unwrap();
    assert_eq!((&*decoded.text, decoded.left_over), (written, 0), "{text}");
}

/// As the specification writes a number: zigzag, then seven bits a byte.
fn long(value: i64) -> Vec<u8> {
    let mut rest = value.cast_unsigned() << 1 ^ (value >> 63).cast_unsigned();
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).unwrap());
    bytes
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    [long(i64::try_from(bytes.len()).unwrap()), bytes.to_vec()].concat()
}

#[test]
fn the_examples_of_the_specification() {
    let record = r#"{"type":"record","name":"test","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}"#;
    is(
        record,
        &[0x36, 0x06, 0x66, 0x6f, 0x6f],
        r#"{"a":27,"b":"foo"}"#,
    );
    is(
        r#"{"type":"array","items":"long"}"#,
        &[0x04, 0x06, 0x36, 0x00],
        "[3,27]",
    );
    is(r#"["null","string"]"#, &[0x00], "null");
    is(r#"["null","string"]"#, &[0x02, 0x02, 0x61], r#""a""#);
    for (bytes, written) in [
        (&[0x00][..], "0"),
        (&[0x01], "-1"),
        (&[0x02], "1"),
        (&[0x03], "-2"),
        (&[0x7f], "-64"),
        (&[0x80, 0x01], "64"),
        (
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            "-9223372036854775808",
        ),
        (
            &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            "9223372036854775807",
        ),
    ] {
        is("\"long\"", bytes, written);
    }
}

#[test]
fn every_type_has_its_form() {
    is("\"null\"", &[], "null");
    is("\"boolean\"", &[1], "true");
    is("\"float\"", &0.1_f32.to_le_bytes(), "0.1");
    is("\"double\"", &1e-7_f64.to_le_bytes(), "1e-7");
    is("\"double\"", &f64::NAN.to_le_bytes(), "\"NaN\"");
    is(
        "\"float\"",
        &f32::NEG_INFINITY.to_le_bytes(),
        "\"-Infinity\"",
    );
    is("\"bytes\"", &[0x04, 0xff, 0x00], "\"/wA=\"");
    is("\"string\"", &counted("ü\n".as_bytes()), "\"ü\\n\"");
    is(
        r#"{"type":"fixed","name":"f","size":2}"#,
        &[1, 2],
        "\"AQI=\"",
    );
    is(
        r#"{"type":"enum","name":"e","symbols":["A","B"]}"#,
        &[2],
        "\"B\"",
    );
    // Blocks: two items with the size of the block before them, then one without.
    is(
        r#"{"type":"array","items":"long"}"#,
        &[0x03, 0x04, 0x06, 0x36, 0x02, 0x08, 0x00],
        "[3,27,4]",
    );
    is(r#"{"type":"array","items":"long"}"#, &[0], "[]");
    is(
        r#"{"type":"map","values":"int"}"#,
        &[0x04, 0x02, b'a', 0x02, 0x02, b'a', 0x04, 0x00],
        r#"{"a":1,"a":2}"#,
    );
    is(r#"{"type":"map","values":"int"}"#, &[0], "{}");
    is(r#"{"type":"record","name":"r","fields":[]}"#, &[], "{}");
    // A type's name without quotes, as registries keep it.
    is("string", &[0x02, b'x'], "\"x\"");
}

#[test]
fn logical_types_are_exact() {
    let of =
        |kind: &str, logical: &str| format!(r#"{{"type":"{kind}","logicalType":"{logical}"}}"#);
    for (kind, logical, value, written) in [
        // 2026-12-01 is 20,788 days after the epoch.
        ("int", "date", 20_788, "\"2026-12-01\""),
        ("int", "date", -1, "\"1969-12-31\""),
        ("int", "time-millis", 45_296_789, "\"12:34:56.789\""),
        ("int", "time-millis", -1, "\"-1 ms after midnight\""),
        ("long", "time-micros", 45_296_789_012, "\"12:34:56.789012\""),
        (
            "long",
            "timestamp-millis",
            1_796_085_000_123,
            "\"2026-12-01T00:30:00.123Z\"",
        ),
        (
            "long",
            "timestamp-micros",
            -1,
            "\"1969-12-31T23:59:59.999999Z\"",
        ),
        (
            "long",
            "timestamp-nanos",
            1,
            "\"1970-01-01T00:00:00.000000001Z\"",
        ),
        (
            "long",
            "local-timestamp-millis",
            0,
            "\"1970-01-01T00:00:00.000\"",
        ),
        (
            "long",
            "local-timestamp-micros",
            1,
            "\"1970-01-01T00:00:00.000001\"",
        ),
        (
            "long",
            "local-timestamp-nanos",
            0,
            "\"1970-01-01T00:00:00.000000000\"",
        ),
        // What does not fit, or is not known, is passed over.
        ("long", "date", 5, "5"),
        ("int", "weekday", 5, "5"),
    ] {
        is(&of(kind, logical), &long(value), written);
    }
    assert_eq!(long(20_788), [0xe8, 0xc4, 0x02]);
    let decimal = r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#;
    is(decimal, &counted(&[0x04, 0xd2]), "12.34");
    is(decimal, &counted(&[0xff]), "-0.01");
    is(&of("bytes", "decimal"), &counted(&[0x04]), "\"BA==\"");
    is(
        &of("bytes", "big-decimal"),
        &counted(&[0x04, 0x04, 0xd2, 0x06]),
        "1.234",
    );
    is(&of("string", "uuid"), &counted(b"x"), "\"x\"");
    let uuid = r#"{"type":"fixed","name":"u","size":16,"logicalType":"uuid"}"#;
    let bytes: Vec<u8> = (0..16).collect();
    is(uuid, &bytes, "\"00010203-0405-0607-0809-0a0b0c0d0e0f\"");
    let duration = r#"{"type":"fixed","name":"d","size":12,"logicalType":"duration"}"#;
    is(
        duration,
        &[1, 0, 0, 0, 2, 0, 0, 0, 0xbc, 0x0b, 0, 0],
        "\"P1M2DT3.004S\"",
    );
    is(duration, &[0; 12], "\"PT0.000S\"");
}

#[test]
fn a_union_names_its_type_only_where_two_look_alike() {
    is(r#"["null","long","string"]"#, &[0x02, 0x06], "3");
    is(r#"["null","int","long"]"#, &[0x04, 0x06], r#"{"long":3}"#);
    is(r#"["null","int","long"]"#, &[0x00], "null");
    let two = r#"[{"type":"record","name":"a.A","fields":[]},{"type":"record","name":"B","namespace":"b","fields":[]}]"#;
    is(two, &[0x02], r#"{"b.B":{}}"#);
    let date = r#"["string",{"type":"int","logicalType":"date"}]"#;
    is(date, &[0x02, 0x00], r#"{"int":"1970-01-01"}"#);
    let decimal = r#"[{"type":"bytes","logicalType":"decimal","precision":4,"scale":1},"string"]"#;
    is(decimal, &[0x00, 0x02, 0x0f], "1.5");
}

#[test]
fn names_keep_what_they_stand_for() {
    let money = r#"{"type":"record","name":"Sum","namespace":"shop","fields":[
        {"name":"net","type":{"type":"fixed","name":"Money","size":2,"logicalType":"decimal","precision":4,"scale":2}},
        {"name":"gross","type":"Money"},
        {"name":"tax","type":["null","shop.Money"]}]}"#;
    is(
        money,
        &[0x01, 0x00, 0x01, 0x19, 0x02, 0x00, 0x19],
        r#"{"net":2.56,"gross":2.81,"tax":0.25}"#,
    );
    assert_eq!(schema(money).what(), "shop.Sum");
    let list = r#"{"type":"record","name":"Node","fields":[{"name":"v","type":"int"},{"name":"next","type":["null","Node"]}]}"#;
    is(
        list,
        &[0x02, 0x02, 0x04, 0x00],
        r#"{"v":1,"next":{"v":2,"next":null}}"#,
    );
}

#[test]
fn references_are_found_whatever_their_order() {
    let order = r#"{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"to","type":"Address"}]}"#;
    let address = r#"{"type":"record","name":"shop.Address","fields":[{"name":"land","type":"geo.Country"}]}"#;
    let country = r#"{"type":"enum","name":"Country","namespace":"geo","symbols":["AT","DE"]}"#;
    let references = [
        ("shop.Address".to_owned(), address.to_owned()),
        ("geo.Country".to_owned(), country.to_owned()),
    ];
    let schema = Avro::new(order, &references).unwrap();
    let decoded = schema.decode(&[0x02, 0x77]).unwrap();
    let expected = SchemaDecoded {
        text: r#"{"to":{"land":"DE"}}"#.to_owned(),
        what: "shop.Order".to_owned(),
        left_over: 1,
    };
    assert_eq!(decoded, expected);
    let error = Avro::new(order, &references[..1]).err().unwrap();
    assert_eq!(error, "the type geo.Country is nowhere defined");
}

#[test]
fn what_is_wrong_with_a_schema_is_said() {
    for (text, words) in [
        ("{", "it is no JSON"),
        ("5", "neither a name, a list nor an object"),
        (r#"{"name":"x"}"#, "without “type”"),
        (r#"{"type":"record","fields":[]}"#, "has no “name”"),
        (
            r#"{"type":"record","name":"r"}"#,
            "the record r has no “fields”",
        ),
        (
            r#"{"type":"record","name":"r","fields":[{"name":"f","type":{"type":"array"}}]}"#,
            "f: a type “array” has no “items”",
        ),
        (r#"{"type":"fixed","name":"f","size":-1}"#, "has no “size”"),
        ("Order", "the type Order is nowhere defined"),
    ] {
        let error = Avro::new(text, &[]).err().unwrap();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn what_fails_is_said_with_its_byte_and_field() {
    let order = r#"{"type":"record","name":"O","fields":[
        {"name":"id","type":"int"},
        {"name":"lines","type":{"type":"array","items":{"type":"record","name":"L","fields":[{"name":"sku","type":"string"}]}}},
        {"name":"by","type":{"type":"map","values":"boolean"}}]}"#;
    for (bytes, sentence) in [
        (
            &[][..],
            "at byte 0, in id: the bytes end here, and one more is needed",
        ),
        (
            &[0x02, 0x04, 0x02, b'a', 0x10, b'b'],
            "at byte 5, in lines[1].sku: 8 bytes are needed, 1 are left",
        ),
        (
            &[0x02, 0x02, 0x01],
            "at byte 2, in lines[0].sku: a length of -1 is none",
        ),
        (
            &[0x02, 0x02, 0x04, b'a', 0xff],
            "at byte 4, in lines[0].sku: the text is not UTF-8",
        ),
        (
            &[0x02, 0x00, 0x02, 0x02, b'k', 0x07],
            "at byte 5, in by.k: [7] is no boolean",
        ),
        (
            &[0xfe, 0xff, 0xff, 0xff, 0xff, 0x01],
            "at byte 0, in id: 34359738367 is no int of 32 bits",
        ),
        (
            &[0xff; 11],
            "at byte 0, in id: a number has more than 64 bits",
        ),
    ] {
        assert_eq!(read(order, bytes).unwrap_err(), sentence);
    }
    assert_eq!(
        read(r#"["null","int"]"#, &[0x04]).unwrap_err(),
        "at byte 0: a union of 2 types has no type 2"
    );
    assert_eq!(
        read(r#"{"type":"enum","name":"e","symbols":["A"]}"#, &[0x01]).unwrap_err(),
        "at byte 0: the enum e has no symbol -1, it has 1"
    );
}

#[test]
fn a_few_bytes_cannot_ask_for_much() {
    let most = long(i64::MAX);
    // Items that take no bytes at all.
    let nothing = read(r#"{"type":"array","items":"null"}"#, &most).unwrap_err();
    assert!(nothing.contains("longer than"), "{nothing}");
    let long_text = read("\"string\"", &most).unwrap_err();
    assert!(
        long_text.contains("bytes are needed, 0 are left"),
        "{long_text}"
    );
    let fixed = read(
        r#"{"type":"fixed","name":"f","size":9223372036854775807}"#,
        &[1],
    );
    assert!(fixed.unwrap_err().contains("1 are left"));
    // A record that contains itself in any case.
    let endless = r#"{"type":"record","name":"r","fields":[{"name":"f","type":"r"}]}"#;
    let deep = read(endless, &[]).unwrap_err();
    assert!(deep.contains("nested deeper than 256"), "{deep}");
    let lists = r#"{"type":"record","name":"r","fields":[{"name":"f","type":{"type":"array","items":"r"}}]}"#;
    let deep = read(lists, &[0x02; 10_000]).unwrap_err();
    assert!(deep.contains("nested deeper than 256"), "{deep}");
    let digits = r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":4294967295}"#;
    is(digits, &[0x02, 0x05], "5e-4294967295");
}

/// A schema with every type in it.
const ALL: &str = r#"{"type":"record","name":"All","namespace":"x","fields":[
    {"name":"b","type":"boolean"},{"name":"i","type":"int"},{"name":"l","type":"long"},
    {"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"s","type":"string"},
    {"name":"y","type":"bytes"},
    {"name":"fx","type":{"type":"fixed","name":"Fx","size":3}},
    {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}},
    {"name":"a","type":{"type":"array","items":["null","E","string"]}},
    {"name":"m","type":{"type":"map","values":{"type":"array","items":"long"}}},
    {"name":"dec","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":3}},
    {"name":"day","type":{"type":"int","logicalType":"date"}},
    {"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},
    {"name":"u","type":["null","int","long",{"type":"map","values":"Fx"}]},
    {"name":"next","type":["null","All"]}]}"#;

fn value(next: Option<Value>) -> Value {
    let branch = |index, value| Value::Union(index, Box::new(value));
    let fields = [
        ("b", Value::Boolean(true)),
        ("i", Value::Int(-7)),
        ("l", Value::Long(i64::MAX)),
        ("f", Value::Float(1.5)),
        ("d", Value::Double(-2.25)),
        ("s", Value::String("grüß".to_owned())),
        ("y", Value::Bytes(vec![1, 2])),
        ("fx", Value::Fixed(3, vec![0, 1, 2])),
        ("e", Value::Enum(2, "C".to_owned())),
        (
            "a",
            Value::Array(vec![
                branch(0, Value::Null),
                branch(1, Value::Enum(0, "A".to_owned())),
                branch(2, Value::String("A".to_owned())),
            ]),
        ),
        (
            "m",
            Value::Map([("k".to_owned(), Value::Array(vec![Value::Long(-1)]))].into()),
        ),
        (
            "dec",
            Value::Decimal(apache_avro::Decimal::from([0x04, 0xd2])),
        ),
        ("day", Value::Date(20_788)),
        ("at", Value::TimestampMicros(1)),
        ("u", branch(2, Value::Long(5))),
        (
            "next",
            next.map_or_else(|| branch(0, Value::Null), |next| branch(1, next)),
        ),
    ];
    let fields = fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Record(fields.collect())
}

/// What the reference implementation writes for two values, one in the other.
fn written_by_another() -> Vec<u8> {
    let schema = apache_avro::Schema::parse_str(ALL).unwrap();
    let writer = GenericDatumWriter::builder(&schema).build().unwrap();
    writer.write_value_to_vec(value(Some(value(None)))).unwrap()
}

#[test]
fn what_another_implementation_wrote_is_read() {
    let text = read(ALL, &written_by_another()).unwrap();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut expected = json!({
        "b": true, "i": -7, "l": i64::MAX, "f": 1.5, "d": -2.25, "s": "grüß", "y": "AQI=", "fx": "AAEC",
        "e": "C", "a": [null, {"x.E": "A"}, {"string": "A"}], "m": {"k": [-1]}, "dec": 1.234,
        "day": "2026-12-01", "at": "1970-01-01T00:00:00.000001Z", "u": {"long": 5}, "next": null,
    });
    let inner = expected.clone();
    expected["next"] = inner;
    assert_eq!(read, expected);
}

#[test]
fn no_bytes_make_it_panic_or_write_what_is_no_json() {
    let schema = schema(ALL);
    let good = written_by_another();
    let mut random = fastrand::Rng::with_seed(0x5eed);
    let mut sound = 0;
    for round in 0..20_000 {
        let mut bytes = good.clone();
        match round % 3 {
            0 => bytes.truncate(random.usize(..=good.len())),
            1 => {}
            _ => bytes = (0..random.usize(..40)).map(|_| random.u8(..)).collect(),
        }
        for _ in 0..random.usize(..4) {
            if !bytes.is_empty() {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
        }
        if let Ok(decoded) = schema.decode(&bytes) {
            sound += 1;
            assert!(decoded.left_over <= bytes.len());
            serde_json::from_str::<serde::de::IgnoredAny>(&decoded.text).unwrap();
        }
    }
    assert!(sound > 1_000, "{sound}");
}

#[test]
fn no_schema_makes_it_panic() {
    let mut random = fastrand::Rng::with_seed(0x5eed);
    for _ in 0..3_000 {
        let mut text = ALL.as_bytes().to_vec();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..text.len());
            match random.u8(..3) {
                0 => text[at] = random.u8(0x20..0x7f),
                1 => drop(text.remove(at)),
                _ => text.insert(at, *random.choice(b"{}[]\",:0").unwrap()),
            }
        }
        if let Ok(schema) = Avro::new(&String::from_utf8_lossy(&text), &[]) {
            drop(schema.decode(&[0x02; 300]));
        }
    }
}
