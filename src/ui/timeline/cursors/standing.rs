//! The place of a committed offset on the axis. Pure.

use crate::engine::Density;
use crate::inspect::lag::Place;
use crate::model::{Offset, RecordHead, TimestampMs};

/// The place of a committed offset on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A place on an axis of offsets.
    Offset(i64),
    /// The time of the next record to read, as the record says; or one between two look-ups when not exact.
    At {
        /// The time.
        time: TimestampMs,
        /// Whether the record says so.
        exact: bool,
    },
    /// There is no further record to read.
    End,
}

impl Standing {
    /// The place on the axis; `None` at the end of an axis of time.
    pub fn place(self) -> Option<i64> {
        match self {
            Self::Offset(place) => Some(place),
            Self::At { time, .. } => Some(time.0),
            Self::End => None,
        }
    }
}

/// Where `place` stands on the time axis; `None` when it has no committed offset or nothing is known of its time.
pub fn time_of(place: &Place, density: &Density) -> Option<Standing> {
    let committed = (*place.committed.as_ref().ok()?)?;
    let near = |offset: Offset| {
        let time = density.partitions.get(&place.at)?.time_near(offset)?;
        Some(Standing::At { time, exact: false })
    };
    let Some((next, _)) = place.reads_next() else {
        let ends_known = place.log_start.is_ok() && place.high_watermark.is_ok();
        return if ends_known {
            Some(Standing::End)
        } else {
            near(committed)
        };
    };
    let head = place
        .next
        .as_ref()
        .or_else(|| density.heads.get(&(place.at.clone(), next)))
        .or_else(|| density.heads.get(&(place.at.clone(), committed)));
    match head {
        Some(Ok(None)) => Some(Standing::End),
        Some(Ok(Some(RecordHead {
            timestamp: Some(time),
            ..
        }))) => Some(Standing::At {
            time: *time,
            exact: true,
        }),
        // The record is known and carries no time: it stands nowhere on the axis.
        Some(Ok(Some(_))) => None,
        _ => near(next),
    }
}
