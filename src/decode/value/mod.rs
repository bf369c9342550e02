//! Keys, values and headers as something a person can read: which format they are in, by what evidence, and
//! their text.
//!
//! | module | what it is |
//! |---|---|
//! | `format` | the formats and their names |
//! | `detect` | which format bytes are in, by evidence alone |
//! | `chosen` | bytes read as a format that a person chose |
//! | `media` | what headers say of a value |
//! | `json`, `xml`, `text` | text of a language: whether it is one; it stays as it was sent |
//! | `tree` | `MessagePack` and CBOR, written as JSON |
//! | `number` | integers, floating-point numbers, UUIDs |
//! | `wrapped` | gzip, zstd and base64 |
//! | `framing` | values that carry the number of their schema, and schemas that a person chose |
//! | `cloud_event` | `CloudEvents`, in headers or in the value |
//! | `kafka` | what Kafka keeps in its own topics |
//! | `header` | the value of a header, typed by evidence |
//! | `out` | JSON as it is written from other formats, up to a bound |
//!
//! What comes in is foreign: no length in it is trusted, no more than [`MOST_INFLATED`] is unpacked, and the text
//! that is written from a format is bounded too. Nothing here panics, whatever the bytes.

mod chosen;
mod cloud_event;
mod detect;
mod format;
mod framing;
mod header;
mod json;
mod kafka;
mod media;
mod number;
mod out;
mod text;
mod tree;
mod wrapped;
mod xml;

use std::collections::BTreeMap;

use crate::model::{Header, Record};

use super::schema::{SchemaId, Schemas};

pub use format::Format;
pub use header::{HeaderKind, TypedHeader, header};

/// No more than this is unpacked from one value, in bytes.
pub const MOST_INFLATED: usize = wrapped::MOST_INFLATED;

/// A part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Its key.
    Key,
    /// Its value.
    Value,
}

/// What the decoded text is, so that it can be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value of JSON, with its own digits, key order and repeated keys. Where `error` says so, it holds what
    /// strict readers refuse: `NaN`, or U+FFFD in place of bytes that are not UTF-8.
    Json,
    /// Plain text.
    Text,
}

/// Bytes, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What they were read as; on the outside, where one format lies in another.
    pub format: Format,
    /// Why they were read so, as a phrase: what in the bytes, the headers or the settings says it.
    pub evidence: String,
    /// The decoded text; `None` when there is none.
    pub text: Option<String>,
    /// What the text is.
    pub shape: Shape,
    /// Why they could not be decoded, or not wholly, as a sentence.
    pub error: Option<String>,
    /// The schema that is missing: with it, decoding is worth another try.
    pub needs: Option<SchemaId>,
}

impl Decoded {
    /// A text that was read from them.
    fn read(format: Format, evidence: impl Into<String>, text: String, shape: Shape) -> Self {
        Self {
            format,
            evidence: evidence.into(),
            text: Some(text),
            shape,
            error: None,
            needs: None,
        }
    }

    /// Nothing could be read from them, and why, as a sentence.
    fn failed(format: Format, evidence: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            format,
            evidence: evidence.into(),
            text: None,
            shape: Shape::Text,
            error: Some(why.into()),
            needs: None,
        }
    }

    /// With something that is to be said of it.
    fn but(mut self, why: Option<String>) -> Self {
        self.error = match (why, self.error) {
            (Some(why), Some(error)) => Some(format!("{why}; {error}")),
            (why, error) => why.or(error),
        };
        self
    }

    /// This, found inside of `format`.
    fn inside(mut self, format: Format, evidence: &str) -> Self {
        self.format = format;
        self.evidence = if self.evidence.is_empty() {
            evidence.to_owned()
        } else {
            format!("{evidence}, then {}", self.evidence)
        };
        self
    }
}

/// How a person wants parts of topics read, where that differs from what the evidence says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoders {
    chosen: BTreeMap<(String, Part), Format>,
}

impl Decoders {
    /// How this part of a topic's records is to be read; `None` by evidence.
    pub fn chosen(&self, topic: &str, part: Part) -> Option<Format> {
        if self.chosen.is_empty() {
            return None;
        }
        self.chosen.get(&(topic.to_owned(), part)).copied()
    }

    /// Reads this part of a topic's records so from now on; by evidence when `None`.
    pub fn choose(&mut self, topic: &str, part: Part, format: Option<Format>) {
        let of = (topic.to_owned(), part);
        match format {
            Some(format) => self.chosen.insert(of, format),
            None => self.chosen.remove(&of),
        };
    }

    /// All choices, by topic and part.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Part, Format)> {
        let each = self.chosen.iter();
        each.map(|((topic, part), format)| (topic.as_str(), *part, *format))
    }
}

/// What is known around the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The topic they were read from.
    pub topic: &'a str,
    /// Which part of the record they are.
    pub part: Part,
    /// The record's key: in Kafka's own topics it says what the value is. `None` when there is none.
    pub key: Option<&'a [u8]>,
    /// The record's headers.
    pub headers: &'a [Header],
    /// How a person wants them read; by evidence when `None`.
    pub chosen: Option<Format>,
    /// Where schemas come from.
    pub schemas: &'a dyn Schemas,
}

/// Reads a part of `record`, as [`decode`] does.
pub fn decode_part(
    record: &Record,
    part: Part,
    decoders: &Decoders,
    schemas: &dyn Schemas,
) -> Decoded {
    let bytes = match part {
        Part::Key => record.key.as_deref(),
        Part::Value => record.value.as_deref(),
    };
    let setting = Setting {
        topic: &record.topic,
        part,
        key: record.key.as_deref(),
        headers: &record.headers,
        chosen: decoders.chosen(&record.topic, part),
        schemas,
    };
    decode(bytes, &setting)
}

/// Reads `bytes`. Never fails: what cannot be decoded is said, and its bytes are there all the same.
pub fn decode(bytes: Option<&[u8]>, setting: &Setting<'_>) -> Decoded {
    let nothing = |format, evidence: &str, text: Option<&str>| Decoded {
        format,
        evidence: evidence.to_owned(),
        text: text.map(str::to_owned),
        shape: Shape::Text,
        error: None,
        needs: None,
    };
    match (bytes, setting.part) {
        (None, Part::Value) if setting.key.is_some() => nothing(
            Format::Null,
            "null: deletes its key where the topic is compacted",
            None,
        ),
        (None, _) => nothing(Format::Null, "null", None),
        (Some([]), _) => nothing(Format::Empty, "no bytes", Some("")),
        (Some(bytes), _) => match setting.chosen {
            Some(format) if !matches!(format, Format::Null | Format::Empty) => {
                chosen::read(format, bytes, setting)
            }
            _ => detect::read(bytes, setting, 0),
        },
    }
}

#[cfg(test)]
mod tests;
