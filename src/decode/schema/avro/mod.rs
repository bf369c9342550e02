//! Avro: schemas into nodes, and data into JSON text as it is read.
//!
//! The reader is our own, because data is foreign: every length is compared with the bytes that are left before
//! anything is taken, nesting and the text's length are bounded, and what fails is said with its byte and field.
//!
//! | in the schema | in JSON |
//! |---|---|
//! | int, long, float, double | a number with its own digits; NaN and the infinities as strings |
//! | decimal, big-decimal | a number with all digits of its scale: `12.50` |
//! | bytes, fixed | base64 |
//! | date, time-*, timestamp-*, local-timestamp-* | ISO 8601 with all digits of its unit; an instant ends in `Z` |
//! | uuid | with its dashes |
//! | duration | ISO 8601: `P1M2DT3.004S` |
//! | union | the value itself; where two of its types look alike in JSON, `{"name of the type": value}` |

mod compile;
mod node;
mod read;

#[cfg(test)]
mod tests;

use super::SchemaDecoded;
use node::{Node, NodeId};

/// An Avro schema that can be used.
pub(super) struct Avro {
    nodes: Vec<Node>,
    root: NodeId,
    /// The name of its type.
    what: String,
}

impl Avro {
    /// From its text, and the texts of what it refers to.
    ///
    /// # Errors
    /// What is wrong with it, in a phrase.
    pub(super) fn new(text: &str, references: &[(String, String)]) -> Result<Self, String> {
        compile::compile(text, references)
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }

    /// # Errors
    /// Where and why the bytes do not follow the schema, in a sentence.
    pub(super) fn decode(&self, payload: &[u8]) -> Result<SchemaDecoded, String> {
        let (text, read) =
            read::read(&self.nodes, self.root, payload).map_err(|failure| failure.sentence())?;
        Ok(SchemaDecoded {
            text,
            what: self.what.clone(),
            left_over: payload.len().saturating_sub(read),
        })
    }
}
