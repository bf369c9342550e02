use super::*;

#[test]
fn json_is_shown_as_it_is() {
    let text = r#"{"$id":"http://x/order.json","title":"Order","type":"object"}"#;
    let schema = Schema::new(SchemaKind::Json, text, &[]).unwrap();
    let payload = "{\"n\":1.0, \"n\": 12345678901234567890}";
    let decoded = schema.decode(payload.as_bytes(), None).unwrap();
    let expected = SchemaDecoded {
        text: payload.to_owned(),
        what: "Order".to_owned(),
        left_over: 0,
    };
    assert_eq!(decoded, expected);
    let untitled = Schema::new(SchemaKind::Json, r#"{"$id":"http://x/o.json"}"#, &[]).unwrap();
    assert_eq!(untitled.decode(b"1", None).unwrap().what, "http://x/o.json");
    let plain = Schema::new(SchemaKind::Json, "true", &[]).unwrap();
    assert_eq!(plain.decode(b"1", None).unwrap().what, "JSON");
    assert_eq!(
        plain.decode(b"1\xff", None).unwrap_err(),
        "at byte 1: this is no UTF-8"
    );
    assert!(Schema::new(SchemaKind::Json, "{", &[]).is_err());
}

#[test]
fn a_file_is_read_by_its_name_and_by_what_is_in_it() {
    let avro = br#"{"type":"record","name":"Order","fields":[]}"#;
    for name in ["order.avsc", "ORDER.AVSC", "order.json"] {
        let schema = Schema::from_file_bytes(name, avro).unwrap();
        assert_eq!(schema.kind(), SchemaKind::Avro, "{name}");
    }
    let proto = b"syntax = \"proto3\"; message A { int32 a = 1; } message B { int32 b = 1; }";
    let schema = Schema::from_file_bytes("shop.proto#B", proto).unwrap();
    assert_eq!(schema.kind(), SchemaKind::Protobuf);
    let decoded = schema.decode(&[0x08, 0x01], None).unwrap();
    assert_eq!((&*decoded.what, &*decoded.text), ("B", r#"{"b":1}"#));
    let schema = Schema::from_file_bytes("shop.proto", proto).unwrap();
    assert!(schema.decode(&[], None).unwrap_err().contains("A, B"));
    for (name, bytes, words) in [
        (
            "shop.proto#C",
            &proto[..],
            "shop.proto cannot be used: it has no message C",
        ),
        (
            "x.desc",
            b"\xff\xff",
            "x.desc cannot be used: it is no set of descriptors",
        ),
        ("x.avsc", b"nothing", "the type nothing is nowhere defined"),
        ("x.avsc", b"\xff", "x.avsc is no text"),
    ] {
        let error = Schema::from_file_bytes(name, bytes).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn what_cannot_be_used_says_so_each_time() {
    let schema = Schema::unusable(SchemaKind::Avro, "the file is gone");
    assert_eq!(schema.decode(b"", None).unwrap_err(), "the file is gone");
    assert!(format!("{schema:?}").contains("the file is gone"));
}

#[test]
fn a_schema_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Schema>();
}
