//! Error codes in words (Kafka, `Errors`).

use crate::model::{Problem, ProblemKind};

/// Whether `code` is no error.
///
/// # Errors
/// It is one, in words.
pub(super) fn check(code: i16, what: &str) -> Result<(), Problem> {
    let (kind, words) = match code {
        0 => return Ok(()),
        1 => (ProblemKind::Invalid, "the offset is out of range"),
        3 => (
            ProblemKind::NotFound,
            "there is no such partition on this broker",
        ),
        5 | 6 => (
            ProblemKind::NoLeader,
            "this broker does not lead the partition",
        ),
        14..=16 => (ProblemKind::NoLeader, "the coordinator is not ready"),
        29 | 30 | 31 | 53 => (ProblemKind::Forbidden, "this user is not allowed to"),
        74..=76 | 78 => (
            ProblemKind::Retriable,
            "the partition's leader has just changed",
        ),
        105 => (ProblemKind::NotFound, "there is no such transaction"),
        code => {
            return Err(Problem::new(
                ProblemKind::Other,
                format!("{what}: the broker refuses (error {code})"),
            ));
        }
    };
    Err(Problem::new(kind, format!("{what}: {words}")))
}
