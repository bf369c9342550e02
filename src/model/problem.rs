//! Why something is not known.

use std::fmt;
use std::sync::Arc;

/// A value, or why it is not known.
pub type Known<T> = Result<T, Problem>;

/// What sort of problem it is, as far as a program must tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// Nothing answers at the address: refused, unknown host, not reachable, wrong protocol.
    Unreachable,
    /// The bus answered, and refused us: wrong password, certificate not accepted.
    Refused,
    /// This one thing is forbidden to us.
    Forbidden,
    /// What was named does not exist.
    NotFound,
    /// No answer in time.
    TimedOut,
    /// The bus, or this way of reaching it, does not offer it.
    Unsupported,
    /// Nobody leads this partition, or nobody coordinates this group, at the moment.
    NoLeader,
    /// The group has members, and they alone may move it now.
    GroupActive,
    /// It is refused for the moment only: asking once more may well succeed. A change that was refused like this
    /// may have been made all the same, and making it again does no harm.
    Retriable,
    /// What came back cannot be understood.
    Malformed,
    /// What was asked for is out of range or makes no sense.
    Invalid,
    /// It was cancelled.
    Cancelled,
    /// Anything else; the message says what.
    Other,
}

/// Why something is not known, in plain words that can stand beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What sort of problem it is.
    pub kind: ProblemKind,
    /// One sentence: what happened and, where there is one, what to do. Holds no secret.
    pub message: Arc<str>,
}

impl Problem {
    /// A problem of `kind`, said in `message`.
    pub fn new(kind: ProblemKind, message: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// The same problem, its message preceded by `context` and a colon.
    #[must_use]
    pub fn within(&self, context: &str) -> Self {
        Self::new(self.kind, format!("{context}: {}", self.message))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
