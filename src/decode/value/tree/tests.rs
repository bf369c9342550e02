//! Bytes by hand, from the specifications.

use super::*;

fn msgpack(bytes: &[u8]) -> String {
    let written = Language::MessagePack.write(bytes).unwrap();
    assert_eq!(written.left_over, 0, "{bytes:02x?}");
    written.text
}

fn cbor(bytes: &[u8]) -> String {
    let written = Language::Cbor.write(bytes).unwrap();
    assert_eq!(written.left_over, 0, "{bytes:02x?}");
    written.text
}

#[test]
fn messagepack_of_every_kind() {
    for (bytes, text) in [
        (&[0x00][..], "0"),
        (&[0x7f], "127"),
        (&[0xff], "-1"),
        (&[0xe0], "-32"),
        (&[0xcc, 0xff], "255"),
        (&[0xcd, 0x01, 0x00], "256"),
        (&[0xce, 0xff, 0xff, 0xff, 0xff], "4294967295"),
        (
            &[0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            "18446744073709551615",
        ),
        (&[0xd0, 0x80], "-128"),
        (&[0xd1, 0x80, 0x00], "-32768"),
        (&[0xd2, 0x80, 0, 0, 0], "-2147483648"),
        (&[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0], "-9223372036854775808"),
        (&[0xca, 0x3f, 0xc0, 0, 0], "1.5"),
        (&[0xca, 0x3d, 0xcc, 0xcc, 0xcd], "0.1"),
        (&[0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], "1.5"),
        (
            &[0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0],
            "{\"$float\":\"NaN\"}",
        ),
        (
            &[0xcb, 0xff, 0xf0, 0, 0, 0, 0, 0, 0],
            "{\"$float\":\"-Infinity\"}",
        ),
        (&[0xc0], "null"),
        (&[0xc2], "false"),
        (&[0xc3], "true"),
        (&[0xa0], "\"\""),
        (&[0xa2, b'h', b'i'], "\"hi\""),
        (&[0xd9, 2, b'h', b'i'], "\"hi\""),
        (&[0xda, 0, 2, b'h', b'i'], "\"hi\""),
        (&[0xdb, 0, 0, 0, 2, b'h', b'i'], "\"hi\""),
        (&[0xc4, 3, 1, 2, 3], "{\"$base64\":\"AQID\"}"),
        (&[0xc5, 0, 1, 0xff], "{\"$base64\":\"/w==\"}"),
        (&[0xc6, 0, 0, 0, 0], "{\"$base64\":\"\"}"),
        (&[0x90], "[]"),
        (&[0x93, 1, 2, 0xa1, b'x'], "[1,2,\"x\"]"),
        (&[0xdc, 0, 1, 0x91, 0xc0], "[[null]]"),
        (&[0xdd, 0, 0, 0, 1, 5], "[5]"),
        (&[0x80], "{}"),
        (&[0x82, 0xa1, b'b', 1, 0xa1, b'a', 2], "{\"b\":1,\"a\":2}"),
        (&[0x82, 0xa1, b'a', 1, 0xa1, b'a', 2], "{\"a\":1,\"a\":2}"),
        (&[0xde, 0, 1, 0xa1, b'a', 0x80], "{\"a\":{}}"),
        (&[0xdf, 0, 0, 0, 1, 0xa1, b'a', 0x90], "{\"a\":[]}"),
        (&[0x81, 1, 0xa1, b'x'], "{\"$map\":[[1,\"x\"]]}"),
        (
            &[0x82, 0xa1, b'1', 1, 1, 0x81, 0x91, 2, 0x81, 0xa1, b'k', 3],
            "{\"$map\":[[\"1\",1],[1,{\"$map\":[[[2],{\"k\":3}]]}]]}",
        ),
        (&[0xd4, 5, 0xff], "{\"$extension\":5,\"base64\":\"/w==\"}"),
        (
            &[0xc7, 3, 0x80, 1, 2, 3],
            "{\"$extension\":-128,\"base64\":\"AQID\"}",
        ),
        // 2013-03-21T20:04:00Z is 1,363,896,240: 0x514b67b0.
        (
            &[0xd6, 0xff, 0x51, 0x4b, 0x67, 0xb0],
            "{\"$timestamp\":\"2013-03-21T20:04:00Z\"}",
        ),
        // The same with half a second: 500,000,000 is 0x1dcd6500, moved up by two bits 0x77359400.
        (
            &[0xd7, 0xff, 0x77, 0x35, 0x94, 0x00, 0x51, 0x4b, 0x67, 0xb0],
            "{\"$timestamp\":\"2013-03-21T20:04:00.5Z\"}",
        ),
        (
            &[
                0xc7, 12, 0xff, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            ],
            "{\"$timestamp\":\"1969-12-31T23:59:59.000000001Z\"}",
        ),
        // A time beyond the years that have names.
        (
            &[
                0xc7, 12, 0xff, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            ],
            "{\"$timestamp\":\"9223372036854775807 s 1 ns\"}",
        ),
    ] {
        assert_eq!(msgpack(bytes), text, "{bytes:02x?}");
    }
}

#[test]
fn cbor_as_its_standard_has_it() {
    // From appendix A of RFC 8949, and the tags of its section 3.4.
    for (bytes, text) in [
        (&[0x00][..], "0"),
        (&[0x17], "23"),
        (&[0x18, 0x18], "24"),
        (&[0x19, 0x03, 0xe8], "1000"),
        (&[0x1a, 0x00, 0x0f, 0x42, 0x40], "1000000"),
        (
            &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            "18446744073709551615",
        ),
        (
            &[0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            "-18446744073709551616",
        ),
        (&[0x20], "-1"),
        (&[0x39, 0x03, 0xe7], "-1000"),
        (
            &[0xc2, 0x49, 0x01, 0, 0, 0, 0, 0, 0, 0, 0],
            "{\"$tag\":2,\"value\":{\"$base64\":\"AQAAAAAAAAAA\"},\"integer\":18446744073709551616}",
        ),
        (
            &[0xc3, 0x49, 0x01, 0, 0, 0, 0, 0, 0, 0, 0],
            "{\"$tag\":3,\"value\":{\"$base64\":\"AQAAAAAAAAAA\"},\"integer\":-18446744073709551617}",
        ),
        (&[0xf9, 0x00, 0x00], "0.0"),
        (&[0xf9, 0x80, 0x00], "-0.0"),
        (&[0xf9, 0x3c, 0x00], "1.0"),
        (&[0xf9, 0x3e, 0x00], "1.5"),
        (&[0xf9, 0x7b, 0xff], "65504.0"),
        (&[0xf9, 0x00, 0x01], "5.9604645e-8"),
        (&[0xf9, 0x04, 0x00], "6.1035156e-5"),
        (&[0xf9, 0xc4, 0x00], "-4.0"),
        (&[0xf9, 0x7c, 0x00], "{\"$float\":\"Infinity\"}"),
        (&[0xf9, 0x7e, 0x00], "{\"$float\":\"NaN\"}"),
        (&[0xfa, 0x47, 0xc3, 0x50, 0x00], "100000.0"),
        (
            &[0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a],
            "1.1",
        ),
        (&[0xf4], "false"),
        (&[0xf5], "true"),
        (&[0xf6], "null"),
        (&[0xf7], "{\"$simple\":\"undefined\"}"),
        (&[0xf0], "{\"$simple\":16}"),
        (&[0xf8, 0xff], "{\"$simple\":255}"),
        (
            &[0xc1, 0x1a, 0x51, 0x4b, 0x67, 0xb0],
            "{\"$tag\":1,\"value\":1363896240,\"time\":\"2013-03-21T20:04:00Z\"}",
        ),
        (&[0xd8, 0x20, 0x61, b'u'], "{\"$tag\":32,\"value\":\"u\"}"),
        (&[0x44, 1, 2, 3, 4], "{\"$base64\":\"AQIDBA==\"}"),
        (&[0x62, 0xc3, 0xbc], "\"ü\""),
        (&[0x83, 1, 0x82, 2, 3, 0x82, 4, 5], "[1,[2,3],[4,5]]"),
        (&[0xa2, 1, 2, 3, 4], "{\"$map\":[[1,2],[3,4]]}"),
        (
            &[0xa2, 0x61, b'a', 1, 0x61, b'b', 0x82, 2, 3],
            "{\"a\":1,\"b\":[2,3]}",
        ),
        (
            &[0x5f, 0x42, 1, 2, 0x43, 3, 4, 5, 0xff],
            "{\"$base64\":\"AQIDBAU=\"}",
        ),
        (&[0x7f, 0x62, b'a', b'b', 0x61, b'c', 0xff], "\"abc\""),
        (&[0x9f, 0xff], "[]"),
        (
            &[0x9f, 1, 0x82, 2, 3, 0x9f, 4, 5, 0xff, 0xff],
            "[1,[2,3],[4,5]]",
        ),
        (
            &[0xbf, 0x61, b'a', 1, 0x61, b'b', 0x9f, 2, 0xff, 0xff],
            "{\"a\":1,\"b\":[2]}",
        ),
        (&[0xd9, 0xd9, 0xf7, 0x81, 1], "[1]"),
        (
            &[0xc4, 0x82, 0x21, 0x19, 0x6a, 0xb3],
            "{\"$tag\":4,\"value\":[-2,27315]}",
        ),
    ] {
        assert_eq!(cbor(bytes), text, "{bytes:02x?}");
    }
}

#[test]
fn what_is_flawed_says_where() {
    for (language, bytes, at, why) in [
        (Language::MessagePack, &[0xc1][..], 0, "0xc1 has no meaning"),
        (Language::MessagePack, &[0x92, 1], 2, "it ends too early"),
        (
            Language::MessagePack,
            &[0xdd, 0xff, 0xff, 0xff, 0xff],
            5,
            "it ends too early",
        ),
        (
            Language::MessagePack,
            &[0xc6, 0xff, 0xff, 0xff, 0xff, 1],
            5,
            "it ends too early",
        ),
        (Language::MessagePack, &[0xcb, 0], 1, "it ends too early"),
        (Language::Cbor, &[0x1c], 1, "there is no such length"),
        (
            Language::Cbor,
            &[0xff],
            1,
            "an end stands where nothing can end",
        ),
        (
            Language::Cbor,
            &[0xbf, 0x61, b'a', 0xff],
            4,
            "an end stands where nothing can end",
        ),
        (
            Language::Cbor,
            &[0x82, 0xff],
            2,
            "an end stands where nothing can end",
        ),
        (
            Language::Cbor,
            &[0x5f, 0x61, b'a', 0xff],
            2,
            "a piece is of another kind",
        ),
        (
            Language::Cbor,
            &[0xf8, 0x10],
            2,
            "there is no such simple value",
        ),
        (
            Language::Cbor,
            &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            9,
            "it ends too early",
        ),
    ] {
        assert_eq!(language.write(bytes), Err(Flaw { at, why }), "{bytes:02x?}");
    }
    let written = Language::MessagePack.write(&[1, 2, 3]).unwrap();
    assert_eq!((written.text.as_str(), written.left_over), ("1", 2));
    let broken = Language::MessagePack.write(&[0x81, 0xa1, 0xff, 1]).unwrap();
    assert_eq!(
        (broken.text.as_str(), broken.broken_texts),
        ("{\"$map\":[[{\"$base64\":\"/w==\"},1]]}", 1)
    );
}

#[test]
fn nesting_is_bounded() {
    for (language, open, text) in [
        (
            Language::MessagePack,
            0x91,
            "[".repeat(256) + "1" + &"]".repeat(256),
        ),
        (
            Language::Cbor,
            0x81,
            "[".repeat(256) + "1" + &"]".repeat(256),
        ),
    ] {
        let nested = |depth: usize| [vec![open; depth], vec![1]].concat();
        assert_eq!(language.write(&nested(256)).unwrap().text, text);
        let flaw = language.write(&nested(257)).unwrap_err();
        assert_eq!(flaw.why, "it nests deeper than 256 levels");
        assert!(language.write(&vec![open; 5_000_000]).is_err());
    }
    assert!(Language::Cbor.write(&vec![0xc1; 5_000_000]).is_err());
}

#[test]
fn texts_are_bounded() {
    // Each of them is eight characters of JSON and a comma; together they would be 37 MB.
    let many = [vec![0xdd, 0, 0x40, 0, 0], [0xa1, 1].repeat(0x40_0000)].concat();
    let flaw = Language::MessagePack.write(&many).unwrap_err();
    assert_eq!(flaw.why, "as text it is longer than 32 MiB");
}

/// The libraries read what is read here, and refuse what is refused.
#[test]
fn libraries_agree() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut whole = [0, 0];
    for _ in 0..30_000 {
        let mut bytes = vec![0_u8; random.usize(1..12)];
        random.fill(&mut bytes);
        // Small numbers often, so that lengths fit.
        for byte in &mut bytes {
            if random.bool() {
                *byte = [0x01, 0x81, 0x91, 0xa1, 0x61, 0x82, 0xc4, 0x41][random.usize(..8)];
            }
        }
        // The library takes the byte that has no meaning for null.
        bytes.retain(|byte| *byte != 0xc1);
        let mut rest = bytes.as_slice();
        let theirs = rmpv::decode::read_value(&mut rest).is_ok() && rest.is_empty();
        let ours = Language::MessagePack.whole(&bytes).is_some();
        assert_eq!(ours, theirs, "MessagePack {bytes:02x?}");
        whole[0] += usize::from(ours);
        let mut rest = bytes.as_slice();
        let theirs =
            ciborium::from_reader::<ciborium::Value, _>(&mut rest).is_ok() && rest.is_empty();
        if theirs {
            assert!(Language::Cbor.whole(&bytes).is_some(), "CBOR {bytes:02x?}");
            whole[1] += 1;
        }
    }
    assert!(whole[0] > 500 && whole[1] > 500, "{whole:?}");
}

#[test]
fn random_bytes_do_no_harm_and_what_is_written_is_json() {
    let mut random = fastrand::Rng::with_seed(13);
    let seeds: [&[u8]; 4] = [
        &[
            0x82, 0xa1, b'a', 0x93, 1, 0xc0, 0xca, 0x3f, 0xc0, 0, 0, 1, 0xc4, 2, 1, 2,
        ],
        &[
            0xbf, 0x61, b'a', 0x9f, 1, 0xf9, 0x3c, 0, 0xff, 0x01, 0xc1, 0x1a, 0, 0, 0, 1, 0xff,
        ],
        &[
            0xc7, 12, 0xff, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        ],
        &[0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    for _ in 0..20_000 {
        let mut bytes = seeds[random.usize(..seeds.len())].to_vec();
        for _ in 0..random.usize(1..5) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        bytes.truncate(random.usize(1..=bytes.len()));
        for language in [Language::MessagePack, Language::Cbor] {
            if let Ok(written) = language.write(&bytes) {
                let mut scanner = super::super::json::Scanner::new(written.text.as_bytes(), true);
                assert!(
                    scanner.value().is_ok() && !scanner.has_more(),
                    "{}",
                    written.text
                );
            }
        }
    }
}
