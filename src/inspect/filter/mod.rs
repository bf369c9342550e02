//! Which records are searched for: filters as a person writes them, and whether a record passes them.
//!
//! `clause` reads one filter; `word` looks for words in bytes, in any case if wanted; `jq` runs expressions within
//! bounds; `deep` gives them a stack that holds.
//!
//! | filter | keeps records |
//! |---|---|
//! | `text:WORD` | with these bytes somewhere in the value |
//! | `itext:WORD` | the same in any case, by Unicode's simple case folding: `ä` finds `Ä`, `ß` does not find `SS` |
//! | `regex:RE` | with a match somewhere in the bytes of the value |
//! | `key:VALUE` | whose key has exactly these bytes |
//! | `header:NAME=VALUE` | where any header of this name has exactly this value; null is no value, not even the empty one |
//! | `field:.path=VALUE` | whose decoded value has this there: a string that says it, a number worth the same, or the literal |
//! | `jq:EXPR` | for which any output is neither `false` nor `null` |
//!
//! A null value has no text, so `text:`, `itext:` and `regex:` never keep it.

mod clause;
mod deep;
mod jq;
mod word;

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use crate::bus::Sieve;
use crate::decode::value::{Decoded, Part};
use crate::model::Record;

use clause::Clause;
pub use deep::{run_deep, worker};

/// Filters, combined by and. No filter passes everything.
#[derive(Debug, Default)]
pub struct Filters {
    written: Vec<String>,
    /// The cheapest first.
    clauses: Vec<Clause>,
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Which of the filters it is, from 0.
    pub filter: usize,
    /// The bytes of that filter, as it was written, that are wrong. Empty at its end when something is missing.
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

/// What is wrong within one text: which of its bytes, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    at: Range<usize>,
    message: String,
}

impl Fault {
    fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }

    /// The same in a text where this one begins `by` bytes later.
    fn shifted(mut self, by: usize) -> Self {
        self.at = self.at.start.saturating_add(by)..self.at.end.saturating_add(by);
        self
    }
}

/// The parts of one record, decoded when first asked for.
struct Parts<'a> {
    record: &'a Record,
    decode: &'a dyn Decode,
    key: OnceCell<Decoded>,
    value: OnceCell<Decoded>,
}

impl Parts<'_> {
    fn part(&self, part: Part) -> &Decoded {
        let cell = match part {
            Part::Key => &self.key,
            Part::Value => &self.value,
        };
        cell.get_or_init(|| self.decode.decode(self.record, part))
    }
}

impl Filters {
    /// Reads filters as they are written: `text:WORD`, `itext:WORD`, `regex:RE`, `key:VALUE`, `header:NAME=VALUE`,
    /// `field:.path=VALUE`, `jq:EXPR`.
    ///
    /// # Errors
    /// The first that is no filter.
    pub fn parse(written: &[String]) -> Result<Self, ExpressionError> {
        let mut clauses = Vec::new();
        for (filter, text) in written.iter().enumerate() {
            clauses.push(
                Clause::parse(text).map_err(|Fault { at, message }| ExpressionError {
                    filter,
                    at,
                    message,
                })?,
            );
        }
        clauses.sort_by_key(Clause::cost);
        Ok(Self {
            written: written.to_vec(),
            clauses,
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
        self.clauses.iter().all(Clause::is_of_bytes)
    }

    /// Whether a record passes all filters. Each part of it is decoded at most once, and only when a filter asks.
    /// With a `jq:` filter this is quick on the threads of [`worker`]; elsewhere each record needs a thread of its own.
    ///
    /// # Errors
    /// An expression failed on this record, and how, as a sentence.
    pub fn matches(&self, record: &Record, decode: &dyn Decode) -> Result<bool, String> {
        let parts = Parts {
            record,
            decode,
            key: OnceCell::new(),
            value: OnceCell::new(),
        };
        for clause in &self.clauses {
            if !clause.keeps(&parts)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The cheap look: what does not pass it passes no filter. Looks at bytes alone, on any thread.
impl Sieve for Filters {
    fn passes(&self, key: Option<&[u8]>, value: Option<&[u8]>) -> bool {
        self.clauses
            .iter()
            .all(|clause| clause.may_keep(key, value))
    }
}

/// The same filters as they were written.
impl PartialEq for Filters {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Filters {}

#[cfg(test)]
mod tests;
