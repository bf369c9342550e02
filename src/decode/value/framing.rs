//! Values that carry the number of their schema, and schemas that a person chose.
//!
//! Registries' serializers write a zero and the number of the schema in four bytes in front of a value, or both
//! into a header; for Protobuf the place of the message type within its schema follows. Newer ones write a one and
//! a GUID of 16 bytes into the header instead.

use crate::decode::schema::{SchemaDecoded, SchemaId, SchemaKind, SchemaState};

use super::format::Format;
use super::{Decoded, Part, Setting, Shape, number, text};

/// Where the number of the schema ends.
const FRAME: usize = 5;
/// Larger numbers are not taken for one of a schema unless that is asked for: they are rather something else.
const MOST_LIKELY: u32 = 0x00ff_ffff;
/// A message type lies in no more others than this.
const MOST_INDEXES: i32 = 64;

/// The number of the schema in front of a value, and the value.
fn frame(bytes: &[u8]) -> Option<(SchemaId, &[u8])> {
    let (front, payload) = bytes.split_at_checked(FRAME)?;
    match front {
        [0, a, b, c, d] => {
            let id = u32::from_be_bytes([*a, *b, *c, *d]);
            (id > 0).then_some((SchemaId(id), payload))
        }
        _ => None,
    }
}

/// Decodes a payload, for Protobuf of the message type at a place in its schema.
type Decode<'a> = &'a dyn Fn(&[u8], Option<&[i32]>) -> Result<SchemaDecoded, String>;

/// What decodes with one schema.
struct Known<'a> {
    kind: SchemaKind,
    decode: Decode<'a>,
}

impl Known<'_> {
    /// A value, behind the place of its message type where there is a frame.
    fn read(&self, payload: &[u8], is_framed: bool, evidence: &str) -> Decoded {
        let format = format_of(self.kind);
        let found = if is_framed && self.kind == SchemaKind::Protobuf {
            message_index(payload).and_then(|(index, rest)| (self.decode)(rest, Some(&index)))
        } else {
            (self.decode)(payload, None)
        };
        match found {
            Ok(SchemaDecoded {
                text,
                what,
                left_over,
            }) => {
                let evidence = format!("{evidence}: {} {what}", format.label());
                Decoded::read(format, evidence, text, Shape::Json).but(unsaid(left_over))
            }
            Err(why) => Decoded::failed(format, format!("{evidence}: {}", format.label()), why),
        }
    }

    /// A value that may have a frame: with the one that leaves nothing over.
    fn read_either(&self, bytes: &[u8], evidence: &str) -> Decoded {
        let framed = frame(bytes).map(|(_, payload)| self.read(payload, true, evidence));
        match framed {
            Some(framed) if framed.error.is_none() => framed,
            Some(framed) => {
                let plain = self.read(bytes, false, evidence);
                if plain.error.is_none() || framed.text.is_none() && plain.text.is_some() {
                    plain
                } else {
                    framed
                }
            }
            None => self.read(bytes, false, evidence),
        }
    }
}

/// What is said of bytes that a schema does not name: behind a value, or in fields that it does not have.
fn unsaid(bytes: usize) -> Option<String> {
    match bytes {
        0 => None,
        1 => Some("The schema says nothing about one byte".to_owned()),
        bytes => Some(format!("The schema says nothing about {bytes} bytes")),
    }
}

fn format_of(kind: SchemaKind) -> Format {
    match kind {
        SchemaKind::Avro => Format::Avro,
        SchemaKind::Protobuf => Format::Protobuf,
        SchemaKind::Json => Format::JsonSchema,
    }
}

/// The place of a message type in its schema, and what follows: how many numbers, and the numbers. A single zero
/// stands for the first type.
fn message_index(bytes: &[u8]) -> Result<(Vec<i32>, &[u8]), String> {
    let wrong = || "The place of its message type in the schema cannot be read".to_owned();
    let (count, mut rest) = varint(bytes).ok_or_else(wrong)?;
    if count == 0 {
        return Ok((vec![0], rest));
    }
    if !(0..=MOST_INDEXES).contains(&count) {
        return Err(wrong());
    }
    let mut index = Vec::new();
    for _ in 0..count {
        let (number, after) = varint(rest).ok_or_else(wrong)?;
        if number < 0 {
            return Err(wrong());
        }
        index.push(number);
        rest = after;
    }
    Ok((index, rest))
}

/// A signed integer of one to five bytes, as Kafka writes them, and what follows.
fn varint(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let mut bits = 0_u32;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        let shift = u32::try_from(index.saturating_mul(7)).ok()?;
        bits |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let size = i32::try_from(bits >> 1).ok()?;
            let number = if bits & 1 == 1 { !size } else { size };
            return Some((number, bytes.get(index.saturating_add(1)..)?));
        }
    }
    None
}

/// A value behind the number of its schema, if `bytes` look like one: with the schema, or what can be said without.
pub(super) fn framed(bytes: &[u8], setting: &Setting<'_>) -> Option<Decoded> {
    let (id, payload) = frame(bytes)?;
    if id.0 > MOST_LIKELY {
        return None;
    }
    let evidence = format!("Confluent framing: magic byte 0, schema id {id}");
    Some(by_id(id, payload, true, &evidence, setting))
}

/// Why bytes that look like a value behind the number of its schema were not read as one; `None` when nothing speaks
/// for it, or no registry knows.
pub(super) fn other_reading(bytes: &[u8], setting: &Setting<'_>) -> Option<String> {
    let (id, payload) = frame(bytes)?;
    if id.0 > MOST_LIKELY {
        return None;
    }
    let why = match setting.schemas.by_id(id) {
        SchemaState::Known(_) => {
            let read = by_id(id, payload, true, "", setting);
            read.error?
        }
        SchemaState::Failed(why) => why,
        SchemaState::Pending | SchemaState::NoRegistry => return None,
    };
    Some(format!("or framed with schema id {id}, but: {why}"))
}

/// A value whose schema has that number. `is_framed`: for Protobuf, the place of the message type comes first.
fn by_id(
    id: SchemaId,
    payload: &[u8],
    is_framed: bool,
    evidence: &str,
    setting: &Setting<'_>,
) -> Decoded {
    let (why, needs) = match setting.schemas.by_id(id) {
        SchemaState::Known(schema) => {
            let known = Known {
                kind: schema.kind(),
                decode: &|payload, index| schema.decode(payload, index),
            };
            return known.read(payload, is_framed, evidence);
        }
        SchemaState::Failed(why) => (Some(why), None),
        SchemaState::Pending => (Some(format!("schema {id} is on its way")), Some(id)),
        SchemaState::NoRegistry => (None, None),
    };
    // JSON needs no schema to be read.
    let json = text::as_json(payload);
    let mut decoded = if json.shape == Shape::Json {
        json.inside(Format::JsonSchema, evidence).but(why)
    } else {
        let why = why.unwrap_or_else(|| {
            format!("framed with schema id {id}, but no schema registry is set")
        });
        Decoded::failed(Format::Hex, evidence, why)
    };
    decoded.needs = needs;
    decoded
}

/// A value whose header names its schema. `as_it_is` reads it without one.
pub(super) fn by_header(
    bytes: &[u8],
    setting: &Setting<'_>,
    as_it_is: impl Fn() -> Decoded,
) -> Option<Decoded> {
    let name = match setting.part {
        Part::Key => "__key_schema_id",
        Part::Value => "__value_schema_id",
    };
    let mut headers = setting.headers.iter().rev();
    let header = headers.find(|header| header.name.as_bytes() == name.as_bytes())?;
    let said = header.value.as_deref()?;
    if let Some((id, index)) = frame(said) {
        let evidence = format!("header {name}: schema id {id}");
        let decoded = if index.is_empty() {
            by_id(id, bytes, false, &evidence, setting)
        } else {
            // The place of the message type stands in the header too.
            by_id(id, &[index, bytes].concat(), true, &evidence, setting)
        };
        return Some(if decoded.text.is_none() && decoded.format == Format::Hex {
            with_schema_unknown(&as_it_is, &decoded)
        } else {
            decoded
        });
    }
    let guid = guid(said)?;
    let decoded = Decoded::failed(
        Format::Hex,
        format!("header {name}: schema GUID {guid}"),
        format!("Its schema is named by GUID ({guid}), and schemas are looked up by number only"),
    );
    Some(with_schema_unknown(&as_it_is, &decoded))
}

/// What can be read all the same of a value whose schema is not there.
fn with_schema_unknown(as_it_is: &impl Fn() -> Decoded, why: &Decoded) -> Decoded {
    let mut decoded = as_it_is();
    if decoded.text.is_some() && decoded.shape == Shape::Json {
        let format = decoded.format;
        decoded = decoded.inside(format, &why.evidence);
    } else {
        decoded = why.clone();
    }
    decoded.needs = why.needs;
    decoded
}

/// The GUID that a header names a schema by.
pub(super) fn guid(said: &[u8]) -> Option<String> {
    let (magic, rest) = said.split_first()?;
    let guid = rest.first_chunk::<16>().filter(|_| *magic == 1)?;
    Some(number::uuid_text(guid))
}

/// A value with the schema that a person chose for its topic, if one was.
pub(super) fn by_chosen_schema(bytes: &[u8], setting: &Setting<'_>) -> Option<Decoded> {
    let schema = setting.schemas.chosen(setting.topic, setting.part)?;
    let known = Known {
        kind: schema.kind(),
        decode: &|payload, index| schema.decode(payload, index),
    };
    Some(known.read_either(bytes, chosen_said(setting.part)))
}

fn chosen_said(part: Part) -> &'static str {
    match part {
        Part::Key => "the schema chosen for keys",
        Part::Value => "the schema chosen for values",
    }
}

/// A value as one with a schema, because that was chosen.
pub(super) fn as_chosen(format: Format, bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    let decoded = by_chosen_schema(bytes, setting)
        .or_else(|| {
            let without = || Decoded::failed(format, "", "Its schema is not there");
            by_header(bytes, setting, without)
        })
        .or_else(|| {
            let (id, payload) = frame(bytes)?;
            let evidence = format!("Confluent framing: magic byte 0, schema id {id}");
            Some(by_id(id, payload, true, &evidence, setting))
        });
    match decoded {
        Some(decoded) if decoded.format == format => decoded,
        // What it would be is known only with its schema.
        Some(decoded) if decoded.text.is_none() && decoded.format == Format::Hex => {
            Decoded { format, ..decoded }
        }
        Some(decoded) => {
            let why = format!(
                "It is no {}: its schema is one of {}",
                format.label(),
                decoded.format.label()
            );
            Decoded::failed(format, decoded.evidence, why)
        }
        None if format == Format::JsonSchema => {
            let json = text::as_json(bytes);
            Decoded { format, ..json }
        }
        None => Decoded::failed(
            format,
            "",
            format!(
                "{} needs a schema: none is chosen, and the bytes carry no number of one",
                format.label()
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, left_over: usize) -> SchemaDecoded {
        SchemaDecoded {
            text: text.to_owned(),
            what: "shop.Order".to_owned(),
            left_over,
        }
    }

    #[test]
    fn frames() {
        assert_eq!(
            frame(&[0, 0, 0, 0, 7, 0x2a]),
            Some((SchemaId(7), &[0x2a][..]))
        );
        assert_eq!(frame(&[0, 0, 0, 1, 0]), Some((SchemaId(256), &[][..])));
        assert_eq!(frame(&[0, 0, 0, 0, 0, 7]), None);
        assert_eq!(frame(&[1, 0, 0, 0, 7]), None);
        assert_eq!(frame(&[0, 0, 0, 7]), None);
    }

    #[test]
    fn places_of_message_types() {
        // Signed integers are doubled: 1 is 2, 2 is 4, 64 is 0x80 0x01.
        assert_eq!(message_index(&[0, 9]), Ok((vec![0], &[9][..])));
        assert_eq!(message_index(&[2, 4, 9]), Ok((vec![2], &[9][..])));
        assert_eq!(
            message_index(&[4, 0x80, 0x01, 0, 9]),
            Ok((vec![64, 0], &[9][..]))
        );
        for wrong in [
            &[][..],
            &[1],
            &[2],
            &[2, 1],
            &[0x80],
            &[0xff; 9],
            &[0xfe, 0xff, 0xff, 0xff, 0x0f],
        ] {
            assert!(message_index(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_known_schema_decodes_and_says_what_it_is() {
        let known = Known {
            kind: SchemaKind::Avro,
            decode: &|payload, index| {
                assert_eq!((payload, index), (&[1, 2][..], None));
                Ok(decoded("{\"a\":1}", 0))
            },
        };
        let read = known.read(
            &[1, 2],
            true,
            "Confluent framing: magic byte 0, schema id 7",
        );
        assert_eq!(
            read,
            Decoded::read(
                Format::Avro,
                "Confluent framing: magic byte 0, schema id 7: Avro shop.Order",
                "{\"a\":1}".to_owned(),
                Shape::Json
            )
        );
    }

    #[test]
    fn protobuf_has_the_place_of_its_type_in_front() {
        let known = Known {
            kind: SchemaKind::Protobuf,
            decode: &|payload, index| {
                assert_eq!((payload, index), (&[8, 1][..], Some(&[2, 0][..])));
                Ok(decoded("{}", 3))
            },
        };
        let read = known.read(&[4, 4, 0, 8, 1], true, "x");
        assert_eq!(read.text.as_deref(), Some("{}"));
        assert_eq!(
            read.error.as_deref(),
            Some("The schema says nothing about 3 bytes")
        );
        let broken = known.read(&[0x80], true, "x");
        assert_eq!(
            broken.error.as_deref(),
            Some("The place of its message type in the schema cannot be read")
        );
        assert_eq!(broken.text, None);
    }

    #[test]
    fn a_chosen_schema_reads_values_with_a_frame_and_without() {
        let known = Known {
            kind: SchemaKind::Avro,
            decode: &|payload, _| match payload {
                [9] => Ok(decoded("9", 0)),
                [0, 0, 0, 0, 7, 8] => Ok(decoded("plain", 0)),
                [8] => Ok(decoded("8", 1)),
                _ => Err("It ends too early".to_owned()),
            },
        };
        let text = |bytes: &[u8]| known.read_either(bytes, "x").text;
        assert_eq!(text(&[0, 0, 0, 0, 7, 9]).as_deref(), Some("9"));
        assert_eq!(text(&[9]).as_deref(), Some("9"));
        // With a frame something would be left over.
        assert_eq!(text(&[0, 0, 0, 0, 7, 8]).as_deref(), Some("plain"));
        let failed = known.read_either(&[5], "x");
        assert_eq!(failed.error.as_deref(), Some("It ends too early"));
    }

    #[test]
    fn guids() {
        let mut said = vec![1];
        said.extend(0..16);
        assert_eq!(
            guid(&said).as_deref(),
            Some("00010203-0405-0607-0809-0a0b0c0d0e0f")
        );
        assert_eq!(guid(&said[..16]), None);
        assert_eq!(guid(&[0; 17]), None);
    }
}
