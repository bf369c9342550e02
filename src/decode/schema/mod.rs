//! Schemas: what gives names and types to bytes that carry none.

use std::fmt;
use std::sync::Arc;

use super::value::Part;

/// The number under which a registry knows a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub u32);

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The language of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaKind {
    /// Avro.
    Avro,
    /// Protobuf.
    Protobuf,
    /// JSON Schema.
    Json,
}

/// A value, decoded with its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaDecoded {
    /// The value as JSON.
    pub text: String,
    /// What the schema calls it: `shop.Order`.
    pub what: String,
    /// Bytes that follow the value.
    pub left_over: usize,
}

/// A schema that can be used. There is none yet.
#[derive(Debug)]
pub enum Schema {}

impl Schema {
    /// Its language.
    pub fn kind(&self) -> SchemaKind {
        match *self {}
    }

    /// Decodes a value. `message_index`: for Protobuf, the place of its type in the schema; the first when `None`.
    ///
    /// # Errors
    /// It does not fit the schema, and why, as a sentence.
    pub fn decode(&self, _: &[u8], _: Option<&[i32]>) -> Result<SchemaDecoded, String> {
        match *self {}
    }
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
