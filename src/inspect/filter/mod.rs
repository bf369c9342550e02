//! Which records are searched for: filters as a person writes them, and whether a record passes them.

use std::fmt;
use std::ops::Range;

use crate::bus::Sieve;
use crate::decode::value::{Decoded, Part};
use crate::model::Record;

/// Filters, combined by and. No filter passes everything.
#[derive(Debug, Default)]
pub struct Filters {
    written: Vec<String>,
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Which of the filters it is, from 0.
    pub filter: usize,
    /// The bytes of that filter, as it was written, that are wrong.
    pub at: Range<usize>,
    /// What is wrong, as a sentence.
    pub message: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Decodes a part of a record, for filters that look at decoded data.
pub trait Decode {
    /// The part of this record, decoded.
    fn decode(&self, record: &Record, part: Part) -> Decoded;
}

impl Filters {
    /// Reads filters as they are written: `text:WORD`, `itext:WORD`, `regex:RE`, `key:VALUE`, `header:NAME=VALUE`,
    /// `field:.path=VALUE`, `jq:EXPR`.
    ///
    /// # Errors
    /// The first that is no filter.
    pub fn parse(written: &[String]) -> Result<Self, ExpressionError> {
        Ok(Self {
            written: written.to_vec(),
        })
    }

    /// As they were written.
    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Whether there is none, so that every record passes.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// Whether what the sieve passes needs no further look: every filter was decided by the bytes of key and value.
    pub fn is_sieve_enough(&self) -> bool {
        self.written.is_empty()
    }

    /// Whether a record passes all filters.
    ///
    /// # Errors
    /// An expression failed on this record, and how, as a sentence.
    pub fn matches(&self, _record: &Record, _decode: &dyn Decode) -> Result<bool, String> {
        Ok(true)
    }
}

/// The cheap look: what does not pass it passes no filter. Looks at bytes alone, on any thread.
impl Sieve for Filters {
    fn passes(&self, _key: Option<&[u8]>, _value: Option<&[u8]>) -> bool {
        true
    }
}

/// The same filters as they were written.
impl PartialEq for Filters {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Filters {}
