//! Exit codes.

use crate::model::{Problem, ProblemKind};

pub(super) const DONE: u8 = 0;
pub(super) const NO: u8 = 1;
pub(super) const USAGE: u8 = 2;
pub(super) const REFUSED: u8 = 3;
pub(super) const IN_PART: u8 = 4;
pub(super) const UNREACHABLE: u8 = 5;
pub(super) const PARTIAL: u8 = 6;
pub(super) const INTERRUPTED: u8 = 130;

/// The code for a connection that could not be made.
pub(super) fn for_connect(problem: &Problem) -> u8 {
    match problem.kind {
        ProblemKind::Invalid => USAGE,
        _ => UNREACHABLE,
    }
}

/// The code for a question that was not answered at all though the connection stood.
pub(super) fn for_question(problem: &Problem) -> u8 {
    match problem.kind {
        ProblemKind::Invalid => USAGE,
        ProblemKind::Unreachable
        | ProblemKind::Refused
        | ProblemKind::Forbidden
        | ProblemKind::TimedOut
        | ProblemKind::NoLeader
        | ProblemKind::Retriable => UNREACHABLE,
        ProblemKind::NotFound
        | ProblemKind::Unsupported
        | ProblemKind::GroupActive
        | ProblemKind::Malformed
        | ProblemKind::Cancelled
        | ProblemKind::Other => PARTIAL,
    }
}

/// The code for a change that came to no plan.
pub(super) fn for_change(problem: &Problem) -> u8 {
    match problem.kind {
        ProblemKind::NotFound
        | ProblemKind::Invalid
        | ProblemKind::Unsupported
        | ProblemKind::GroupActive
        | ProblemKind::Cancelled => REFUSED,
        _ => for_question(problem),
    }
}
