//! Whole keys and values: what they are taken for, by which words, and what is read from them.

mod around;
mod hostile;
mod kafka;
mod said;

use bytes::Bytes;

use super::*;
use crate::decode::schema::{NoSchemas, Schema, SchemaKind, SchemaState};
use crate::model::Text;

use std::sync::Arc;

/// A registry that says the same of every schema.
#[derive(Debug)]
struct Always(SchemaState);

impl Schemas for Always {
    fn by_id(&self, _: SchemaId) -> SchemaState {
        self.0.clone()
    }

    fn chosen(&self, _: &str, _: Part) -> Option<Arc<Schema>> {
        None
    }
}

fn setting(part: Part) -> Setting<'static> {
    Setting {
        topic: "orders",
        part,
        key: None,
        headers: &[],
        chosen: None,
        schemas: &NoSchemas,
    }
}

fn value(bytes: &[u8]) -> Decoded {
    decode(Some(bytes), &setting(Part::Value))
}

fn chosen(format: Format, bytes: &[u8]) -> Decoded {
    let setting = Setting {
        chosen: Some(format),
        ..setting(Part::Value)
    };
    decode(Some(bytes), &setting)
}

fn with_headers(bytes: &[u8], headers: &[(&str, &[u8])]) -> Decoded {
    let headers: Vec<Header> = headers
        .iter()
        .map(|(name, value)| Header {
            name: Text::from(*name),
            value: Some(Bytes::copy_from_slice(value)),
        })
        .collect();
    let setting = Setting {
        headers: &headers,
        ..setting(Part::Value)
    };
    decode(Some(bytes), &setting)
}

/// "hello" in gzip, stored.
const GZIP: [u8; 28] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 5, 0, 0xfa, 0xff, b'h', b'e', b'l', b'l', b'o', 0x86,
    0xa6, 0x10, 0x36, 5, 0, 0, 0,
];

/// `{"a":1}` in zstd, as one raw block.
const ZSTD: [u8; 16] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x20, 7, 0x39, 0, 0, b'{', b'"', b'a', b'"', b':', b'1', b'}',
];

#[test]
fn names_are_found_again_and_differ() {
    let mut names = std::collections::BTreeSet::new();
    for format in Format::ALL.into_iter().chain([Format::Null, Format::Empty]) {
        assert_eq!(Format::from_name(format.name()), Some(format));
        assert!(names.insert(format.name()) && !format.label().is_empty());
    }
    assert_eq!(Format::from_name("of a later version"), None);
}

#[test]
fn choices_are_kept_by_topic_and_part() {
    let mut decoders = Decoders::default();
    decoders.choose("orders", Part::Key, Some(Format::Integer));
    assert_eq!(decoders.chosen("orders", Part::Key), Some(Format::Integer));
    assert_eq!(decoders.chosen("orders", Part::Value), None);
    decoders.choose("orders", Part::Key, None);
    assert_eq!(decoders, Decoders::default());
}
