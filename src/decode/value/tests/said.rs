//! Tables of bytes: what they are taken for, by which words, and the text.

use super::*;

#[test]
fn what_there_is_not() {
    assert_eq!(decode(None, &setting(Part::Key)).evidence, "null");
    let tombstone = Setting {
        key: Some(b"k"),
        ..setting(Part::Value)
    };
    let nothing = decode(None, &tombstone);
    assert_eq!(
        (nothing.format, nothing.evidence.as_str(), nothing.text),
        (
            Format::Null,
            "null: deletes its key where the topic is compacted",
            None
        )
    );
    let empty = value(b"");
    assert_eq!(
        (empty.format, empty.text.as_deref()),
        (Format::Empty, Some(""))
    );
    let word = value(b"null");
    assert_eq!(
        (word.format, word.text.as_deref()),
        (Format::Text, Some("null"))
    );
}

/// Bytes, what they are taken for, by which words, and the text.
type Case<'a> = (&'a [u8], Format, &'a str, Option<&'a str>);

fn are_taken_for(cases: &[Case<'_>]) {
    for (bytes, format, evidence, text) in cases {
        let decoded = value(bytes);
        assert_eq!(
            (
                decoded.format,
                decoded.evidence.as_str(),
                decoded.text.as_deref()
            ),
            (*format, *evidence, *text),
            "{bytes:02x?}"
        );
        assert_eq!((decoded.error, decoded.needs), (None, None), "{bytes:02x?}");
    }
}

#[test]
fn what_text_is_taken_for() {
    are_taken_for(&[
        (&b"o-4711"[..], Format::Text, "UTF-8 text", Some("o-4711")),
        (
            b"1234",
            Format::Text,
            "UTF-8 text: a decimal number",
            Some("1234"),
        ),
        (b"four", Format::Text, "UTF-8 text", Some("four")),
        (&[0x2a], Format::Text, "UTF-8 text", Some("*")),
        (
            b"12345678",
            Format::Text,
            "UTF-8 text: a decimal number",
            Some("12345678"),
        ),
        (
            "群组 👨‍👩‍👧 \u{feff}x".as_bytes(),
            Format::Text,
            "UTF-8 text",
            Some("群组 👨‍👩‍👧 \u{feff}x"),
        ),
        (
            b"\x1b[32mok\x1b[0m\n",
            Format::Text,
            "UTF-8 text",
            Some("\u{1b}[32mok\u{1b}[0m\n"),
        ),
        (
            b" {\"b\":1.00,\"a\":12345678901234567890,\"b\":2}\n",
            Format::Json,
            "JSON: begins with { and is whole",
            Some(" {\"b\":1.00,\"a\":12345678901234567890,\"b\":2}\n"),
        ),
        (
            b"[1]",
            Format::Json,
            "JSON: begins with [ and is whole",
            Some("[1]"),
        ),
        (
            b"\"k\"",
            Format::Json,
            "JSON: a string in quotes",
            Some("\"k\""),
        ),
        (
            b"\xef\xbb\xbf{\"a\":1}",
            Format::Json,
            "JSON: begins with { and is whole, after a byte order mark",
            Some("{\"a\":1}"),
        ),
        (
            b"{\"a\":1}\n{\"a\":2}\n",
            Format::Text,
            "UTF-8 text: 2 values of JSON, one after another",
            Some("{\"a\":1}\n{\"a\":2}\n"),
        ),
        (
            b"[INFO] started",
            Format::Text,
            "UTF-8 text",
            Some("[INFO] started"),
        ),
        (
            b"{name} is here",
            Format::Text,
            "UTF-8 text",
            Some("{name} is here"),
        ),
        (b"true", Format::Text, "UTF-8 text", Some("true")),
        (
            b"<order id=\"1\"/>",
            Format::Xml,
            "XML: begins with <order and is well-formed",
            Some("<order id=\"1\"/>"),
        ),
        (
            b"<p>1<br>2</p>",
            Format::Text,
            "UTF-8 text",
            Some("<p>1<br>2</p>"),
        ),
        (
            b"6BA7B810-9dad-41d1-80b4-00c04fd430c8",
            Format::Uuid,
            "UUID: written out, of version 4",
            Some("6BA7B810-9dad-41d1-80b4-00c04fd430c8"),
        ),
    ]);
}

#[test]
fn what_is_inside_is_told() {
    are_taken_for(&[
        (&GZIP, Format::Gzip, "gzip, then UTF-8 text", Some("hello")),
        (
            &ZSTD,
            Format::Zstd,
            "zstd, then JSON: begins with { and is whole",
            Some("{\"a\":1}"),
        ),
        // {"a":1,"b":2} in base64.
        (
            b"eyJhIjoxLCJiIjoyfQ==",
            Format::Base64,
            "base64, then JSON: begins with { and is whole",
            Some("{\"a\":1,\"b\":2}"),
        ),
        (
            b"aGVsbG8sIHdvcmxkLCBoZWxsbw==",
            Format::Base64,
            "base64, then UTF-8 text",
            Some("hello, world, hello"),
        ),
        // Letters alone are no base64, nor is what is too short.
        (
            b"abcdefghABCDEFGH",
            Format::Text,
            "UTF-8 text",
            Some("abcdefghABCDEFGH"),
        ),
        (
            b"internationalizations===",
            Format::Text,
            "UTF-8 text",
            Some("internationalizations==="),
        ),
        (
            b"eyJhIjoxfQ==",
            Format::Text,
            "UTF-8 text",
            Some("eyJhIjoxfQ=="),
        ),
    ]);
}

#[test]
fn what_other_bytes_are_taken_for() {
    let uuid = [
        0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x41, 0xd1, 0x80, 0xb4, 0, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
    ];
    are_taken_for(&[
        (
            &uuid,
            Format::Uuid,
            "UUID: 16 bytes that say version 4",
            Some("6ba7b810-9dad-41d1-80b4-00c04fd430c8"),
        ),
        (
            &[0x11; 16],
            Format::Hex,
            "bytes that are no text, and fit no other format",
            None,
        ),
        (
            &[0x82, 0xa1, b'a', 1, 0xa1, b'b', 0xc3],
            Format::MessagePack,
            "MessagePack: a map that takes all 7 bytes",
            Some("{\"a\":1,\"b\":true}"),
        ),
        (
            &[0x93, 1, 2, 3, 4],
            Format::Hex,
            "bytes that are no text, and fit no other format",
            None,
        ),
        (
            &[0xa2, 0x61, b'a', 1, 0x61, b'b', 0xf5],
            Format::Cbor,
            "CBOR: a map that takes all 7 bytes",
            Some("{\"a\":1,\"b\":true}"),
        ),
        (
            &[0xd9, 0xd9, 0xf7, 0x18, 0x2a],
            Format::Cbor,
            "CBOR: a value that takes all 5 bytes",
            Some("42"),
        ),
        (
            &[0, 0, 0, 0, 0, 0, 0x12, 0x67],
            Format::Integer,
            "integer: 8 bytes that are no text, the highest first",
            Some("4711"),
        ),
        (
            &[0, 0, 1, 0x8b, 0xcf, 0xe5, 0x68, 0],
            Format::Integer,
            "integer: 8 bytes that are no text, the highest first",
            Some("1700000000000"),
        ),
        (
            &[0xff, 0xff, 0xff, 0xfe],
            Format::Integer,
            "integer: 4 bytes that are no text, the highest first",
            Some("-2"),
        ),
        (
            &[0, 7],
            Format::Integer,
            "integer: 2 bytes that are no text, the highest first",
            Some("7"),
        ),
        (
            &[5],
            Format::Integer,
            "integer: 1 byte that is no text",
            Some("5"),
        ),
        (
            &[0x40, 0x45, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a],
            Format::Float,
            "float: 8 bytes that are no text and make a number of few digits",
            Some("43.2"),
        ),
        (
            b"a line with one \x07 in it",
            Format::Text,
            "UTF-8 text with a control character in it",
            Some("a line with one \u{7} in it"),
        ),
        // Protobuf without a schema is text by chance only.
        (
            b"\x0a\x05hello",
            Format::Hex,
            "bytes that are no text, and fit no other format",
            None,
        ),
    ]);
}

#[test]
fn bytes_that_were_unpacked_can_be_seen_though_nothing_reads_them() {
    // ff 00 01 in gzip, stored.
    let mut packed = GZIP.to_vec();
    packed.splice(11.., [3, 0, 0xfc, 0xff, 0xff, 0, 1]);
    let sum = crc(&[0xff, 0, 1]);
    packed.extend(sum.to_le_bytes());
    packed.extend([3, 0, 0, 0]);
    let decoded = value(&packed);
    assert_eq!(
        (decoded.format, decoded.evidence.as_str(), decoded.error),
        (
            Format::Gzip,
            "gzip, then bytes that are no text, and fit no other format",
            None
        )
    );
    assert!(decoded.text.unwrap().starts_with("00000000  ff 00 01 "));
}

/// The checksum of gzip, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    })
}

#[test]
fn what_is_not_whole_says_why() {
    for (bytes, format, text, error) in [
        (
            &b"{\"a\":1,}"[..],
            Format::Text,
            Some("{\"a\":1,}"),
            "It is no JSON: the name of a field must stand here (byte 7)",
        ),
        (
            b"\xef\xbb\xbf{\"a\":1} x",
            Format::Text,
            Some("\u{feff}{\"a\":1} x"),
            "It is no JSON: something follows the value (byte 11)",
        ),
        (
            b"{\"a\":NaN}",
            Format::Json,
            Some("{\"a\":NaN}"),
            "A number that JSON does not have stands at byte 5; strict readers refuse it",
        ),
        (
            b"{\"a\":\"M\xfcller\"}",
            Format::Json,
            Some("{\"a\":\"M\u{fffd}ller\"}"),
            "The byte at 7 is not UTF-8 and shown as U+FFFD",
        ),
        (
            b"Sehr geehrte Frau M\xfcller",
            Format::Text,
            Some("Sehr geehrte Frau M\u{fffd}ller"),
            "The byte at 19 is not UTF-8 and shown as U+FFFD",
        ),
        (
            b"<?xml version=\"1.0\"?><a>",
            Format::Text,
            Some("<?xml version=\"1.0\"?><a>"),
            "It is no XML: it ends before its tags are closed (byte 24)",
        ),
        (
            &GZIP[..20],
            Format::Gzip,
            None,
            "It cannot be unpacked: it ends too early",
        ),
    ] {
        let decoded = value(bytes);
        assert_eq!(
            (
                decoded.format,
                decoded.text.as_deref(),
                decoded.error.as_deref()
            ),
            (format, text, Some(error)),
            "{bytes:02x?}"
        );
    }
}

#[test]
fn what_a_person_chose_is_what_is_read() {
    for (format, bytes, text) in [
        (Format::Integer, &[0x31, 0x32, 0x33, 0x34][..], "825373492"),
        (Format::IntegerLe, &[1, 0], "1"),
        (Format::Unsigned, &[0xff], "255"),
        (Format::UnsignedLe, &[0, 1, 0, 0], "256"),
        (Format::Float, &[0x3f, 0xc0, 0, 0], "1.5"),
        (Format::FloatLe, &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f], "1.5"),
        (Format::Text, b"{\"a\":1}", "{\"a\":1}"),
        (Format::Json, b"42", "42"),
        (Format::Base64, b"aGk=", "hi"),
        (Format::MessagePack, &[0x2a], "42"),
        (Format::Cbor, &[0x18, 0x2a], "42"),
        (
            Format::Hex,
            b"Tide",
            "00000000  54 69 64 65                                       Tide",
        ),
        (
            Format::Uuid,
            &[0; 16],
            "00000000-0000-0000-0000-000000000000",
        ),
        (Format::JsonSchema, b"{\"a\":1}", "{\"a\":1}"),
    ] {
        let decoded = chosen(format, bytes);
        assert_eq!(
            (
                decoded.format,
                decoded.text.as_deref(),
                decoded.error.as_deref()
            ),
            (format, Some(text), None),
            "{format:?}"
        );
        assert!(decoded.evidence.starts_with("chosen"));
    }
}

#[test]
fn what_was_chosen_in_vain_says_why_and_where() {
    for (format, bytes, error) in [
        (
            Format::Json,
            &b"o-1"[..],
            "It is no JSON: a value must stand here (byte 0)",
        ),
        (
            Format::Json,
            b"[1]\n[2]",
            "It is not one value of JSON but 2, one after another",
        ),
        (
            Format::Json,
            b"\xff",
            "It is no JSON: a value must stand here (byte 0)",
        ),
        (
            Format::Xml,
            b"<a></b>",
            "It is no XML: an end tag does not fit the tag that is open (byte 3)",
        ),
        (
            Format::MessagePack,
            &[0x92, 1],
            "It is no MessagePack: it ends too early (byte 2)",
        ),
        (
            Format::MessagePack,
            &[1, 2, 3],
            "2 bytes are left over behind it",
        ),
        (
            Format::Cbor,
            &[0x1c],
            "It is no CBOR: there is no such length (byte 1)",
        ),
        (
            Format::Integer,
            &[1, 2, 3],
            "An integer has 1, 2, 4 or 8 bytes, and these are 3",
        ),
        (
            Format::Float,
            &[1, 2],
            "A float has 4 or 8 bytes, and these are 2",
        ),
        (
            Format::Uuid,
            b"x",
            "A UUID has 16 bytes, or is 36 characters of text; these are 1 bytes",
        ),
        (
            Format::Base64,
            b"a b=",
            "It is no base64: there is no such letter (byte 1)",
        ),
        (
            Format::Gzip,
            b"hello",
            "It cannot be unpacked: it ends too early",
        ),
        (
            Format::Avro,
            b"x",
            "Avro needs a schema: none is chosen, and the bytes carry no number of one",
        ),
        (
            Format::ConsumerOffsets,
            &[0x7f, 0xff, 0],
            "Only its key says what it is, and it has none that says it",
        ),
    ] {
        let decoded = chosen(format, bytes);
        assert_eq!(
            (decoded.format, decoded.error.as_deref()),
            (format, Some(error)),
            "{bytes:02x?}"
        );
    }
    assert!(chosen(Format::CloudEvent, b"{}").error.is_some());
}

#[test]
fn a_number_that_looks_framed_says_what_else_it_might_be() {
    let read = |bytes: &[u8], state: SchemaState| {
        let schemas = Always(state);
        let setting = Setting {
            schemas: &schemas,
            ..setting(Part::Value)
        };
        decode(Some(bytes), &setting)
    };
    let long = Schema::new(SchemaKind::Avro, "\"long\"", &[]).unwrap();
    let long = SchemaState::Known(Arc::new(long));
    // The schema reads one of the three bytes behind what may be its number.
    let number = [0, 0, 0, 0, 2, 0x0c, 0xf0, 0x80];
    let plain = value(&number);
    assert_eq!(plain.format, Format::Integer);
    let unfit = read(&number, long.clone());
    assert_eq!((unfit.format, &unfit.text), (Format::Integer, &plain.text));
    assert_eq!(
        unfit.evidence,
        format!(
            "{}; or framed with schema id 2, but: The schema says nothing about 2 bytes",
            plain.evidence
        )
    );
    let failed = SchemaState::Failed("there is no schema 2".to_owned());
    let unknown = read(&number, failed);
    assert_eq!((unknown.format, unknown.error), (Format::Integer, None));
    assert!(
        unknown
            .evidence
            .ends_with("; or framed with schema id 2, but: there is no schema 2"),
        "{}",
        unknown.evidence
    );
    // To the last byte: it is what it says it is.
    let fit = read(&[0, 0, 0, 0, 2, 0x8c, 0xf0, 0x01], long);
    assert_eq!((fit.format, fit.error), (Format::Avro, None));
}
