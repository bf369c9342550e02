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

/// A schema that can be used.
#[derive(Debug)]
pub struct Schema {}

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
