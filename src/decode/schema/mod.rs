//! Schemas: what gives names and types to bytes that carry none.
//!
//! | part | what it is |
//! |---|---|
//! | [`Schema`] | a schema that can be used, from its text or a chosen file |
//! | [`Schemas`] | where schemas come from, for whoever decodes |
//! | `avro`, `protobuf` | the two languages: from text to something linked, from bytes to JSON text |
//! | `calendar`, `decimal` | days, moments and decimal numbers, with all their digits |
//! | `out`, `failure` | the text that grows up to a bound; where and why bytes do not follow their schema |

mod avro;
mod calendar;
mod decimal;
mod failure;
mod file;
mod out;
mod protobuf;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use crate::model::SchemaKind;

use super::value::Part;

/// A text longer than this is no schema, and is not looked into.
const MOST_TEXT: usize = 16 * 1024 * 1024;

/// The number under which a registry knows a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub u32);

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A schema that can be used.
pub struct Schema {
    kind: SchemaKind,
    body: Body,
}

enum Body {
    Avro(avro::Avro),
    Protobuf(protobuf::Protobuf),
    /// What the schema of JSON calls its values.
    Json(String),
    /// It was chosen, and cannot be used: why, as a sentence.
    Unusable(String),
}

/// Bytes as their schema reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaDecoded {
    /// JSON, exact: every digit of a number stands. How types of Avro and Protobuf are written in JSON, the modules
    /// `avro` and `protobuf` say.
    pub text: String,
    /// The type's name: `shop.Order`.
    pub what: String,
    /// How many bytes the schema says nothing about: behind a datum of Avro, or in unknown fields of Protobuf.
    pub left_over: usize,
}

impl Schema {
    /// From its text and the texts that it refers to: the name by which it does (a type's name for Avro, the path of
    /// an import for Protobuf), and the text.
    ///
    /// # Errors
    /// Why it is no schema that can be used, as a sentence.
    pub fn new(
        kind: SchemaKind,
        text: &str,
        references: &[(String, String)],
    ) -> Result<Self, String> {
        let all = references.iter().map(|(_, text)| text.len());
        if all.fold(text.len(), usize::saturating_add) > MOST_TEXT {
            return Err(format!("the schema is longer than {MOST_TEXT} bytes"));
        }
        let body = match kind {
            SchemaKind::Avro => avro::Avro::new(text, references).map(Body::Avro),
            SchemaKind::Protobuf => protobuf::Protobuf::new(text, references).map(Body::Protobuf),
            SchemaKind::Json => json_title(text).map(Body::Json),
        };
        match body {
            Ok(body) => Ok(Self { kind, body }),
            Err(why) => Err(format!("the {} schema cannot be used: {why}", kind.name())),
        }
    }

    /// From a file: `.avsc` is Avro, `.proto` is Protobuf, JSON of another name is Avro, and anything else is a set of
    /// descriptors as `protoc --descriptor_set_out` writes it. Where a file of Protobuf has several messages, `#` and a
    /// message's full name follow the file's name: `shop.proto#shop.Order`.
    ///
    /// # Errors
    /// Why it is no schema that can be used, as a sentence.
    pub fn from_file_bytes(file_name: &str, bytes: &[u8]) -> Result<Self, String> {
        file::read(file_name, bytes)
    }

    /// One that was chosen and cannot be used: whatever it is to decode fails for this reason.
    pub fn unusable(kind: SchemaKind, why: impl Into<String>) -> Self {
        Self {
            kind,
            body: Body::Unusable(why.into()),
        }
    }

    /// The language it is written in.
    pub fn kind(&self) -> SchemaKind {
        self.kind
    }

    /// Reads what is behind any framing. `message_index` is Protobuf's: the place of the message in its file, then
    /// places within the messages around it; without one, the only message that no other contains is meant.
    ///
    /// # Errors
    /// Where and why the bytes do not follow the schema, as a sentence.
    pub fn decode(
        &self,
        payload: &[u8],
        message_index: Option<&[i32]>,
    ) -> Result<SchemaDecoded, String> {
        match &self.body {
            Body::Avro(schema) => schema.decode(payload),
            Body::Protobuf(schema) => schema.decode(payload, message_index),
            Body::Json(what) => match std::str::from_utf8(payload) {
                Ok(text) => Ok(SchemaDecoded {
                    text: text.to_owned(),
                    what: what.clone(),
                    left_over: 0,
                }),
                Err(error) => Err(format!("at byte {}: this is no UTF-8", error.valid_up_to())),
            },
            Body::Unusable(why) => Err(why.clone()),
        }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.body {
            Body::Avro(schema) => schema.what(),
            Body::Protobuf(schema) => schema.what(),
            Body::Json(what) => what,
            Body::Unusable(why) => why,
        };
        f.debug_struct("Schema")
            .field("kind", &self.kind)
            .field("what", &what)
            .finish_non_exhaustive()
    }
}

/// What a schema of JSON calls its values: its title, or where it is from.
fn json_title(text: &str) -> Result<String, String> {
    let schema: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON ({error})"))?;
    let word = |key: &str| schema.get(key).and_then(serde_json::Value::as_str);
    let named = word("title").or_else(|| word("$id")).or_else(|| word("id"));
    Ok(named.unwrap_or("JSON").to_owned())
}

/// What is known of a schema.
#[derive(Clone, Debug)]
pub enum SchemaState {
    /// It can be used.
    Known(Arc<Schema>),
    /// It cannot, and why, as a sentence.
    Failed(String),
    /// It was not asked for yet, or the answer is on its way.
    Pending,
    /// There is no registry to ask.
    NoRegistry,
}

/// Where schemas come from.
pub trait Schemas: Send + Sync + fmt::Debug {
    /// The schema of that number.
    fn by_id(&self, id: SchemaId) -> SchemaState;

    /// The schema that a person chose for this part of a topic's records.
    fn chosen(&self, topic: &str, part: Part) -> Option<Arc<Schema>>;
}

/// No schemas at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSchemas;

impl Schemas for NoSchemas {
    fn by_id(&self, _: SchemaId) -> SchemaState {
        SchemaState::NoRegistry
    }

    fn chosen(&self, _: &str, _: Part) -> Option<Arc<Schema>> {
        None
    }
}
