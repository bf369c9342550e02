//! Keeping what was read of groups over time.

use crate::engine::event::GroupPlaces;
use crate::inspect::samples::{GroupReading, Limits, Samples};
use crate::model::{Text, TimestampMs};

/// `known` and what was read of `groups` at `at`; `None` when they could not be read. Groups whose commits are
/// not known have a gap. `chosen` is the group that is looked at.
pub(in crate::engine) fn sampled(
    known: &Samples,
    at: TimestampMs,
    groups: Option<&[GroupPlaces]>,
    chosen: Option<&Text>,
) -> Samples {
    let limits = Limits::default();
    let Some(groups) = groups else {
        return known.unread(at, &limits);
    };
    let readings: Vec<GroupReading<'_>> = groups
        .iter()
        .map(|group| GroupReading {
            name: &group.group.listing.name,
            places: group.group.commits.is_ok().then_some(&group.places),
        })
        .collect();
    known.with(at, &readings, chosen, &limits)
}
