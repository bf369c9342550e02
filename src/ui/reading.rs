//! What a group makes of a record, as far as its committed offset tells. Pure.

use crate::engine::GroupPlaces;
use crate::inspect::lag::Place;
use crate::model::{Offset, Problem, ProblemKind, TopicPartition};

use super::format;
use super::timeline::place_in;

/// What a group makes of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It has passed it.
    Read,
    /// It has not: so many offsets that can still be read lie between its place and the record.
    NotYet(u64),
    /// It has not, and the record was deleted since.
    Missed,
    /// Its committed offset lies beyond the end of the log: it was set there, or the log was cut.
    Beyond {
        /// The committed offset.
        committed: Offset,
        /// The high watermark.
        end: Offset,
    },
    /// It has no committed offset in this partition.
    NeverCommitted,
    /// Not known, for this reason.
    Unknown(String),
}

impl Reading {
    /// What is said of a group, after its name.
    pub fn sentence(&self) -> String {
        match self {
            Self::Read => "has read it".to_owned(),
            Self::NotYet(0) => "has not: it is the next one".to_owned(),
            Self::NotYet(behind) => format!("has not: {} behind", format::count(*behind)),
            Self::Missed => "has not, and cannot: it was deleted".to_owned(),
            Self::Beyond { committed, end } => format!(
                "— not known: it stands at {}, beyond the end ({})",
                format::offset(*committed),
                format::offset(*end)
            ),
            Self::NeverCommitted => "never committed".to_owned(),
            Self::Unknown(reason) => format!("— not known: {reason}"),
        }
    }
}

/// What a group that stands at `place` makes of the record at `offset`.
fn reading(place: &Place, offset: Offset) -> Reading {
    let committed = match &place.committed {
        Err(problem) => return Reading::Unknown(problem.to_string()),
        Ok(None) => return Reading::NeverCommitted,
        Ok(Some(committed)) => *committed,
    };
    if let Ok(end) = &place.high_watermark
        && place.is_beyond_end()
    {
        return Reading::Beyond {
            committed,
            end: *end,
        };
    }
    if offset < committed {
        return Reading::Read;
    }
    // What was deleted behind its place is not read any more.
    let from = match &place.log_start {
        Ok(start) => committed.max(*start),
        Err(_) => committed,
    };
    offset.since(from).map_or(Reading::Missed, Reading::NotYet)
}

/// Where a group stands in a partition, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its place.
    At(Place),
    /// Its committed offsets could not be read.
    Unknown(Problem),
}

impl Standing {
    /// What the group makes of the record at `offset`.
    pub fn reading(&self, offset: Offset) -> Reading {
        match self {
            Self::At(place) => reading(place, offset),
            Self::Unknown(problem) => Reading::Unknown(problem.to_string()),
        }
    }
}

/// Where `group` stands in a partition; `None` when it has nothing to do with it.
pub fn standing(group: &GroupPlaces, at: &TopicPartition) -> Option<Standing> {
    match (place_in(group, at), &group.group.commits) {
        (Some(place), _) => Some(Standing::At(place.clone())),
        // A group that keeps no committed offsets has nothing to say here; one whose offsets are not known
        // may have read a record or not.
        (None, Err(problem)) if problem.kind != ProblemKind::Unsupported => {
            Some(Standing::Unknown(problem.clone()))
        }
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::by_hand;

    fn place(committed: Option<i64>, start: i64) -> Place {
        let commit = by_hand::commit("t", 0, committed);
        Place::new(&commit, Ok(Offset(start)), Ok(Offset(100)))
    }

    #[test]
    fn a_committed_offset_is_the_next_to_read() {
        assert_eq!(reading(&place(Some(41), 0), Offset(40)), Reading::Read);
        assert_eq!(reading(&place(Some(40), 0), Offset(40)), Reading::NotYet(0));
        assert_eq!(
            reading(&place(Some(30), 0), Offset(40)),
            Reading::NotYet(10)
        );
        assert_eq!(
            reading(&place(None, 0), Offset(40)),
            Reading::NeverCommitted
        );
        let mut lost = place(Some(1), 0);
        lost.committed = Err(Problem::new(ProblemKind::TimedOut, "no answer"));
        assert_eq!(
            reading(&lost, Offset(40)),
            Reading::Unknown("no answer".into())
        );
    }

    #[test]
    fn what_was_deleted_is_not_between_a_group_and_the_record() {
        assert_eq!(
            reading(&place(Some(10), 35), Offset(40)),
            Reading::NotYet(5)
        );
        assert_eq!(reading(&place(Some(10), 60), Offset(40)), Reading::Missed);
    }

    #[test]
    fn a_place_beyond_the_end_is_no_proof_of_reading() {
        let beyond = reading(&place(Some(1_000), 0), Offset(40));
        assert_eq!(
            beyond.sentence(),
            "— not known: it stands at 1,000, beyond the end (100)"
        );
        assert_eq!(reading(&place(Some(100), 0), Offset(40)), Reading::Read);
    }
}
