//! Which way a row of a plan goes.

use crate::rewind::plan::{Direction, Row};

/// Which way `row` goes; one that cannot be resolved stays.
pub fn direction(row: &Row) -> Direction {
    let (Ok(from), Ok(to)) = (&row.from, &row.to) else {
        return Direction::Stay;
    };
    match (from, to) {
        (None, None) => Direction::Stay,
        (Some(_), None) => Direction::Delete,
        (None, Some(_)) => Direction::Begin,
        (Some(from), Some(to)) if to.offset < from.offset => Direction::Back,
        (Some(from), Some(to)) if to.offset > from.offset => Direction::Skip,
        (Some(_), Some(_)) => Direction::Stay,
    }
}
