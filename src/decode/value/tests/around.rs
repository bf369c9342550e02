//! What is said beside the bytes: schemas, headers, media types, events.

use super::*;

#[test]
fn schemas_that_are_not_there() {
    let framed = [0, 0, 0, 0, 7, 0x02, 0xff];
    let read = |bytes: &[u8], state: SchemaState, format: Option<Format>| {
        let registry = Always(state);
        let setting = Setting {
            schemas: &registry,
            chosen: format,
            ..setting(Part::Value)
        };
        decode(Some(bytes), &setting)
    };
    let said = |state: SchemaState| {
        let decoded = read(&framed, state, None);
        assert_eq!(
            decoded.evidence,
            "Confluent framing: magic byte 0, schema id 7"
        );
        assert_eq!((decoded.format, decoded.text), (Format::Hex, None));
        (decoded.error.unwrap(), decoded.needs)
    };
    assert_eq!(
        said(SchemaState::NoRegistry),
        (
            "framed with schema id 7, but no schema registry is set".to_owned(),
            None
        )
    );
    assert_eq!(
        said(SchemaState::Pending),
        ("schema 7 is on its way".to_owned(), Some(SchemaId(7)))
    );
    assert_eq!(
        said(SchemaState::Failed("the registry says 401".to_owned())),
        ("the registry says 401".to_owned(), None)
    );
    // JSON is read all the same.
    let json = [&[0, 0, 0, 0, 7][..], b"{\"a\":1}"].concat();
    let decoded = read(&json, SchemaState::Pending, None);
    assert_eq!(
        decoded.evidence,
        "Confluent framing: magic byte 0, schema id 7, then JSON: begins with { and is whole"
    );
    assert_eq!(
        (decoded.format, decoded.text.as_deref(), decoded.needs),
        (Format::JsonSchema, Some("{\"a\":1}"), Some(SchemaId(7)))
    );
    assert_eq!(read(&json, SchemaState::NoRegistry, None).error, None);
    // Eight bytes are an integer until a schema says otherwise, which is asked for.
    let eight = read(&[0, 0, 0, 1, 0x2a, 5, 0xf2, 0], SchemaState::Pending, None);
    assert_eq!(
        (eight.format, eight.text.as_deref(), eight.needs),
        (Format::Integer, Some("5000000000"), Some(SchemaId(298)))
    );
    let chosen = read(&framed, SchemaState::Pending, Some(Format::Protobuf));
    assert_eq!(
        (chosen.format, chosen.error.as_deref(), chosen.needs),
        (
            Format::Protobuf,
            Some("schema 7 is on its way"),
            Some(SchemaId(7))
        )
    );
}

#[test]
fn schemas_named_by_headers() {
    let by_number = with_headers(b"{\"a\":1}", &[("__value_schema_id", &[0, 0, 0, 0, 7])]);
    assert_eq!(
        (by_number.format, by_number.evidence.as_str()),
        (
            Format::JsonSchema,
            "header __value_schema_id: schema id 7, then JSON: begins with { and is whole"
        )
    );
    let mut said = vec![1];
    said.extend(0..16);
    let by_guid = with_headers(b"{\"a\":1}", &[("__value_schema_id", &said)]);
    assert_eq!(
        (by_guid.text.as_deref(), by_guid.evidence.as_str()),
        (
            Some("{\"a\":1}"),
            "header __value_schema_id: schema GUID 00010203-0405-0607-0809-0a0b0c0d0e0f, then JSON: begins with { and is whole"
        )
    );
    let unread = with_headers(&[2, 0xff, 0xff], &[("__value_schema_id", &said)]);
    assert_eq!(
        (unread.text, unread.error.as_deref()),
        (
            None,
            Some(
                "Its schema is named by GUID (00010203-0405-0607-0809-0a0b0c0d0e0f), and schemas are looked up by number only"
            )
        )
    );
    // The key's header says nothing of the value.
    assert_eq!(
        with_headers(b"{}", &[("__key_schema_id", &said)]).evidence,
        "JSON: begins with { and is whole"
    );
}

#[test]
fn media_types_are_believed_when_the_bytes_bear_them_out() {
    let json = with_headers(b"42", &[("Content-Type", b"application/json")]);
    assert_eq!(
        (json.format, json.evidence.as_str()),
        (
            Format::Json,
            "JSON: a single value; content-type application/json"
        )
    );
    let not_json = with_headers(b"o-1", &[("content-type", b"application/json")]);
    assert_eq!((not_json.format, not_json.error), (Format::Text, None));
    let small = with_headers(&[0x2a], &[("content-type", b"application/msgpack")]);
    assert_eq!(
        (small.format, small.text.as_deref()),
        (Format::MessagePack, Some("42"))
    );
}

#[test]
fn cloud_events() {
    let headers: [(&str, &[u8]); 5] = [
        ("ce_specversion", b"1.0"),
        ("ce_type", b"order.created"),
        ("ce_source", b"/shop"),
        ("ce_id", b"4711"),
        ("content-type", b"application/json; charset=utf-8"),
    ];
    let binary = with_headers(b"{\"a\":1}", &headers);
    assert_eq!(
        (binary.format, binary.text.as_deref(), binary.shape),
        (Format::CloudEvent, Some("{\"a\":1}"), Shape::Json)
    );
    assert_eq!(
        binary.evidence,
        "CloudEvent: ce_type order.created, ce_source /shop, ce_id 4711, then JSON: begins with { and is whole; content-type application/json; charset=utf-8"
    );
    let text = "{\"specversion\":\"1.0\",\"type\":\"t\",\"source\":\"/s\",\"id\":\"1\",\"data\":{\"n\":1.0}}";
    let structured = value(text.as_bytes());
    assert_eq!(
        (
            structured.format,
            structured.evidence.as_str(),
            structured.text.as_deref()
        ),
        (
            Format::CloudEvent,
            "CloudEvent in JSON: type t, source /s, id 1",
            Some(text)
        )
    );
    // {"b":2} in base64.
    let packed = "{\"specversion\":\"1.0\",\"type\":\"t\",\"source\":\"/s\",\"id\":\"1\", \"data_base64\" : \"eyJiIjoyfQ==\"}";
    let read = value(packed.as_bytes());
    assert_eq!(
        read.text.as_deref(),
        Some(
            "{\"specversion\":\"1.0\",\"type\":\"t\",\"source\":\"/s\",\"id\":\"1\", \"data_base64\" : {\"b\":2}}"
        )
    );
    assert_eq!(
        read.evidence,
        "CloudEvent in JSON: type t, source /s, id 1; data_base64 shown decoded, as JSON: begins with { and is whole"
    );
    let named = with_headers(
        text.as_bytes(),
        &[("content-type", b"application/cloudevents+json")],
    );
    assert_eq!(
        named.evidence,
        "CloudEvent in JSON: type t, source /s, id 1; content-type application/cloudevents+json"
    );
    assert_eq!(
        value(b"{\"specversion\":\"1.0\",\"type\":\"t\"}").format,
        Format::Json
    );
    assert_eq!(chosen(Format::CloudEvent, text.as_bytes()).error, None);
}
