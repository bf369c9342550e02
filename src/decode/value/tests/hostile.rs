//! Bytes that mean harm.

use super::*;
use std::io::Write as _;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Bytes to begin with: some of each format.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = vec![
        b"{\"a\":[1,2.5e3,{\"b\":\"x\\n\\u00e4\"}],\"c\":NaN}".to_vec(),
        b"<?xml version=\"1.0\"?><a b='1'>x &lt; <![CDATA[y]]></a>".to_vec(),
        b"eyJhIjoxLCJiIjoyfQ==".to_vec(),
        b"6ba7b810-9dad-41d1-80b4-00c04fd430c8".to_vec(),
        b"{\"specversion\":\"1.0\",\"type\":\"t\",\"source\":\"/s\",\"id\":\"1\",\"data_base64\":\"eyJiIjoyfQ==\"}".to_vec(),
        vec![0x82, 0xa1, b'a', 0x93, 1, 0xc0, 0xca, 0x3f, 0xc0, 0, 0, 0xa1, b'b', 0xc3],
        vec![0xbf, 0x61, b'a', 0x9f, 1, 0xf9, 0x3c, 0, 0xff, 0x61, b'b', 0xc1, 0x1a, 0, 0, 0, 1, 0xff],
        vec![0, 0, 0, 0, 7, 2, 4, b'a', b'b'],
        vec![0, 1, 0, 1, b'g', 0, 1, b't', 0, 0, 0, 2],
        vec![0, 4, 0, 0, 0, 0, 0, 0, 0, 0x2a, 0, 0, 0, 7, 2, b'm', 0, 0, 1, 0x8b, 0xcf, 0xe5, 0x68, 0, 0],
        GZIP.to_vec(),
        ZSTD.to_vec(),
    ];
    seeds.push(gzip(&gzip(b"{\"a\":1}")));
    seeds.push(gzip(&seeds[2]));
    seeds
}

/// What must hold of everything that is read.
fn check(decoded: &Decoded, bytes: &[u8]) {
    if decoded.shape == Shape::Json && decoded.error.is_none() {
        let text = decoded.text.as_deref().unwrap_or_default();
        let mut scanner = json::Scanner::new(text.as_bytes(), true);
        assert!(
            scanner.value().is_ok() && !scanner.has_more(),
            "{text} {bytes:02x?}"
        );
    }
    let may_be_bytes = matches!(decoded.format, Format::Hex | Format::CloudEvent);
    assert!(decoded.text.is_some() || decoded.error.is_some() || may_be_bytes);
    assert!(
        decoded.evidence.len() < 400
            && decoded.error.as_ref().is_none_or(|error| error.len() < 400)
    );
    assert_eq!(decoded.needs, None);
}

#[test]
fn every_format_survives_every_byte() {
    let mut random = fastrand::Rng::with_seed(17);
    let seeds = seeds();
    let headers: Vec<Header> = [
        ("__value_schema_id", &[0_u8, 0, 0, 0, 7][..]),
        ("ce_specversion", b"1.0"),
    ]
    .into_iter()
    .map(|(name, value)| Header {
        name: Text::from(name),
        value: Some(Bytes::copy_from_slice(value)),
    })
    .collect();
    for round in 0..1_500 {
        let mut bytes = if round % 3 == 0 {
            let mut bytes = vec![0; random.usize(1..64)];
            random.fill(&mut bytes);
            bytes
        } else {
            seeds[random.usize(..seeds.len())].clone()
        };
        for _ in 0..random.usize(..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        if random.bool() {
            bytes.truncate(random.usize(1..=bytes.len()));
        }
        let formats = Format::ALL.into_iter().map(Some).chain([None]);
        for format in formats {
            for part in [Part::Key, Part::Value] {
                let key =
                    random.choice([None, Some(&[0_u8, 1][..]), Some(&[0, 2]), Some(&[0, 23])]);
                let setting = Setting {
                    topic: "orders",
                    part,
                    key: key.flatten(),
                    headers: if round % 5 == 0 { &headers } else { &[] },
                    chosen: format,
                    schemas: &NoSchemas,
                };
                check(&decode(Some(&bytes), &setting), &bytes);
            }
        }
        for topic in [
            "__consumer_offsets",
            "__transaction_state",
            "__share_group_state",
        ] {
            let kind = [0, random.u8(..26)];
            let setting = Setting {
                topic,
                key: Some(&kind),
                ..setting(Part::Value)
            };
            check(&decode(Some(&bytes), &setting), &bytes);
        }
        let header = header(b"a-time", Some(&bytes));
        assert!(!header.text.is_empty() || header.kind == HeaderKind::Empty);
    }
}

#[test]
fn bombs_are_not_unpacked() {
    let bomb = gzip(&vec![b' '; MOST_INFLATED + 1]);
    let decoded = value(&bomb);
    assert_eq!(
        (decoded.format, decoded.error.as_deref()),
        (
            Format::Gzip,
            Some("It cannot be unpacked: more than 16 MiB are in it")
        )
    );
    // One in another, and so on: only the first ones are opened.
    let mut nested = b"{\"a\":1}".to_vec();
    for _ in 0..20 {
        nested = gzip(&nested);
    }
    let decoded = value(&nested);
    assert_eq!(decoded.format, Format::Gzip);
    assert!(decoded.text.unwrap().starts_with("00000000  1f 8b 08"));
    assert!(decoded.evidence.starts_with("gzip, then gzip, then gzip"));
}

#[test]
fn deep_and_long_values_take_no_long() {
    for bytes in [
        b"[".repeat(1_000_000),
        [b"[".repeat(500_000), b"]".repeat(500_000)].concat(),
        b"{\"a\":".repeat(200_000),
        vec![0x91; 1_000_000],
        vec![0x81; 1_000_000],
        vec![0xff; 1_000_000],
        vec![b'A'; 1_000_000],
        b"\"\\u0000".repeat(100_000),
        b"<a>".repeat(300_000),
        [
            &[0xdf, 0xff, 0xff, 0xff, 0xff][..],
            &[0xa1, b'k', 1].repeat(100_000),
        ]
        .concat(),
        [&[0, 0, 0, 0, 7][..], &vec![0xff; 1_000_000]].concat(),
    ] {
        let begun = std::time::Instant::now();
        check_large(&value(&bytes));
        assert!(begun.elapsed().as_secs() < 20, "{:02x?}", &bytes[..8]);
    }
}

fn check_large(decoded: &Decoded) {
    assert!(decoded.evidence.len() < 400);
    assert!(
        decoded
            .text
            .as_ref()
            .is_none_or(|text| text.len() < 8_000_000)
    );
}

#[test]
fn arrays_of_kafka_are_not_believed() {
    // A group of 2,147,483,647 members.
    let bytes = [
        0, 0, 0, 1, b'c', 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff,
    ];
    let setting = Setting {
        topic: "__consumer_offsets",
        key: Some(&[0, 2]),
        ..setting(Part::Value)
    };
    let decoded = decode(Some(&bytes), &setting);
    assert_eq!(
        decoded.error.as_deref(),
        Some("It is no GroupMetadataValue: it ends too early (byte 17)")
    );
}
