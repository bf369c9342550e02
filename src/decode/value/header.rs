//! The value of a header, typed by evidence.
//!
//! Headers have no type of their own. Most are text; some frameworks write integers as their bytes, the most
//! significant first, and Java's `BigInteger` even in as few bytes as it needs.

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::model::TimestampMs;

use super::format::Format;
use super::number::{self, Order};
use super::{Shape, framing, text};

/// Milliseconds from 2000 to 2100: what a time is taken for.
const LIKELY_TIMES: std::ops::Range<i64> = 946_684_800_000..4_102_444_800_000;

/// What the value of a header is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// There is none: null.
    Null,
    /// Of no length.
    Empty,
    /// Text.
    Text,
    /// A decimal number as text.
    Number,
    /// An integer as bytes, the most significant first.
    Integer,
    /// A UUID, as text or as 16 bytes.
    Uuid,
    /// JSON.
    Json,
    /// Bytes that are nothing else.
    Hex,
}

impl HeaderKind {
    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Empty => "empty",
            Self::Text => "text",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Uuid => "UUID",
            Self::Json => "JSON",
            Self::Hex => "hex",
        }
    }
}

/// The value of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedHeader {
    /// What it is taken for.
    pub kind: HeaderKind,
    /// Its text: as it was sent where it is text, digits, a UUID, or `0x` and the bytes. Empty for null and empty.
    pub text: String,
    /// Why it is taken for that, as a phrase.
    pub evidence: String,
    /// The time that it is, when its name says that it is one and its number can be one in milliseconds.
    pub time: Option<TimestampMs>,
}

impl TypedHeader {
    fn new(kind: HeaderKind, text: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            evidence: evidence.into(),
            time: None,
        }
    }

    /// With the time that it is, if it is one.
    fn timed(mut self, name: &[u8], number: Option<i64>) -> Self {
        let likely = number.filter(|number| LIKELY_TIMES.contains(number));
        if let Some(millis) = likely.filter(|_| names_time(name))
            && let Ok(time) = Timestamp::from_millisecond(millis)
        {
            // Writing to a String cannot fail.
            write!(self.evidence, "; in milliseconds {time}").unwrap_or_default();
            self.time = Some(TimestampMs(millis));
        }
        self
    }
}

/// Whether a header of this name may hold a time.
fn names_time(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |word: &[u8]| memchr::memmem::find(&name, word).is_some();
    has(b"time")
        || has(b"date")
        || [&b"-at"[..], b"_at", b".at"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// The value of the header `name`, typed by evidence. What is text stays as it was sent.
pub fn header(name: &[u8], value: Option<&[u8]>) -> TypedHeader {
    let Some(bytes) = value else {
        return TypedHeader::new(HeaderKind::Null, "", "null");
    };
    if bytes.is_empty() {
        return TypedHeader::new(HeaderKind::Empty, "", "no bytes");
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && text::controls(text) == 0
    {
        return of_text(name, text);
    }
    if matches!(name, b"__key_schema_id" | b"__value_schema_id")
        && let Some(guid) = framing::guid(bytes)
    {
        let evidence = "magic byte 1, then the GUID of a schema";
        return TypedHeader::new(HeaderKind::Uuid, guid, evidence);
    }
    let integer = number::signed(bytes, Order::Big);
    // Integers in as few bytes as they need are taken for one only where the name says what they are.
    let minimal = number::big_integer(bytes)
        .filter(|number| LIKELY_TIMES.contains(number) && names_time(name));
    if let Some(number) = integer.or(minimal) {
        let evidence = match bytes.len() {
            1 => "1 byte that is no text".to_owned(),
            len => format!("{len} bytes that are no text, the highest first"),
        };
        return TypedHeader::new(HeaderKind::Integer, number.to_string(), evidence)
            .timed(name, Some(number));
    }
    if let Ok(sixteen) = <[u8; 16]>::try_from(bytes)
        && let Some(version) = number::uuid_version(&sixteen)
    {
        let evidence = format!("16 bytes that say version {version}");
        return TypedHeader::new(HeaderKind::Uuid, number::uuid_text(&sixteen), evidence);
    }
    if let Some(json) = text::json_with_stray_bytes(bytes) {
        let evidence = json.error.unwrap_or(json.evidence);
        return TypedHeader::new(HeaderKind::Json, json.text.unwrap_or_default(), evidence);
    }
    let mut hex = String::with_capacity(bytes.len().saturating_mul(2).saturating_add(2));
    hex.push_str("0x");
    for byte in bytes {
        write!(hex, "{byte:02x}").unwrap_or_default();
    }
    TypedHeader::new(HeaderKind::Hex, hex, "bytes that are no text")
}

fn of_text(name: &[u8], text: &str) -> TypedHeader {
    if number::is_decimal(text) {
        let number = text.parse().ok();
        return TypedHeader::new(HeaderKind::Number, text, "digits in text").timed(name, number);
    }
    let decoded = text::by_evidence(text);
    let kind = match (decoded.format, decoded.shape) {
        (Format::Uuid, _) => HeaderKind::Uuid,
        (Format::Json, Shape::Json) => HeaderKind::Json,
        _ => HeaderKind::Text,
    };
    TypedHeader::new(kind, text, decoded.evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(name: &str, value: &[u8]) -> (HeaderKind, String, String) {
        let header = header(name.as_bytes(), Some(value));
        (header.kind, header.text, header.evidence)
    }

    fn is(kind: HeaderKind, text: &str, evidence: &str) -> (HeaderKind, String, String) {
        (kind, text.to_owned(), evidence.to_owned())
    }

    #[test]
    fn text_stays_as_it_was_sent() {
        assert_eq!(
            typed("h", b"shop"),
            is(HeaderKind::Text, "shop", "UTF-8 text")
        );
        assert_eq!(
            typed("h", b"null"),
            is(HeaderKind::Text, "null", "UTF-8 text")
        );
        assert_eq!(
            typed("h", b"0042"),
            is(HeaderKind::Number, "0042", "digits in text")
        );
        assert_eq!(
            typed("h", b"-1"),
            is(HeaderKind::Number, "-1", "digits in text")
        );
        assert_eq!(
            typed("h", b"1.5"),
            is(HeaderKind::Text, "1.5", "UTF-8 text")
        );
        // Four and eight bytes that are text are no integers.
        assert_eq!(
            typed("h", b"four"),
            is(HeaderKind::Text, "four", "UTF-8 text")
        );
        assert_eq!(
            typed("h", b"12345678"),
            is(HeaderKind::Number, "12345678", "digits in text")
        );
        assert_eq!(
            typed("h", b"{\"a\":1.0}"),
            is(
                HeaderKind::Json,
                "{\"a\":1.0}",
                "JSON: begins with { and is whole"
            )
        );
        assert_eq!(
            typed("h", b"6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            is(
                HeaderKind::Uuid,
                "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "UUID: written out, of version 1"
            )
        );
    }

    #[test]
    fn null_and_empty_differ() {
        assert_eq!(header(b"h", None).kind, HeaderKind::Null);
        assert_eq!(header(b"h", Some(b"")).kind, HeaderKind::Empty);
    }

    #[test]
    fn integers_as_spring_writes_them() {
        assert_eq!(
            typed("kafka_dlt-original-partition", &[0, 0, 0, 2]),
            is(
                HeaderKind::Integer,
                "2",
                "4 bytes that are no text, the highest first"
            )
        );
        assert_eq!(
            typed("kafka_dlt-original-offset", &[0, 0, 0, 0, 0, 0, 0x12, 0x67]),
            is(
                HeaderKind::Integer,
                "4711",
                "8 bytes that are no text, the highest first"
            )
        );
        assert_eq!(
            typed("attempts", &[3]),
            is(HeaderKind::Integer, "3", "1 byte that is no text")
        );
        assert_eq!(
            typed("h", &[0xff, 0xfe]),
            is(
                HeaderKind::Integer,
                "-2",
                "2 bytes that are no text, the highest first"
            )
        );
    }

    #[test]
    fn times_are_told_by_name_and_number() {
        // 1,700,000,000,000 is 0x018bcfe56800.
        let bytes = [0, 0, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0];
        let spring = header(b"kafka_dlt-original-timestamp", Some(&bytes));
        assert_eq!(spring.text, "1700000000000");
        assert_eq!(spring.time, Some(TimestampMs(1_700_000_000_000)));
        assert_eq!(
            spring.evidence,
            "8 bytes that are no text, the highest first; in milliseconds 2023-11-14T22:13:20Z"
        );
        let big_integer = header(b"retry_topic-backoff-timestamp", Some(&bytes[2..]));
        assert_eq!(
            (
                big_integer.kind,
                big_integer.text.as_str(),
                big_integer.time
            ),
            (HeaderKind::Integer, "1700000000000", spring.time)
        );
        let text = header(b"created_at", Some(b"1700000000000"));
        assert_eq!((text.kind, text.time), (HeaderKind::Number, spring.time));
        assert_eq!(header(b"offset", Some(&bytes)).time, None);
        assert_eq!(header(b"timeout", Some(&[0, 0, 0x13, 0x88])).time, None);
        assert_eq!(header(b"offset", Some(&bytes[2..])).kind, HeaderKind::Hex);
    }

    #[test]
    fn other_bytes_are_hex() {
        assert_eq!(
            typed("h", &[0xff, 1, 2]),
            is(HeaderKind::Hex, "0xff0102", "bytes that are no text")
        );
        let uuid = [
            0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x41, 0xd1, 0x80, 0xb4, 0, 0xc0, 0x4f, 0xd4, 0x30,
            0xc8,
        ];
        assert_eq!(
            typed("h", &uuid),
            is(
                HeaderKind::Uuid,
                "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
                "16 bytes that say version 4"
            )
        );
        let guid = [&[1][..], &uuid].concat();
        assert_eq!(
            typed("__value_schema_id", &guid),
            is(
                HeaderKind::Uuid,
                "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
                "magic byte 1, then the GUID of a schema"
            )
        );
    }
}
