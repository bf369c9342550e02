//! Where a group stands, shown on the timeline.

use crate::engine::Density;
use crate::inspect::lag::Place;
use crate::model::{Offset, TimestampMs};

use super::super::context::Cx;
use super::super::scroll::RowScroll;
use super::super::state::{LaneKey, Msg, Revealed};
use super::super::timeline::model::Lanes;
use super::super::timeline::{Standing, time_of};
use super::model::{Model, Row};

/// The committed offset of `place` and the time at which it stands on the timeline.
///
/// # Errors
/// A sentence that says why it stands nowhere.
fn stands(
    place: &Place,
    density: &Density,
    now: TimestampMs,
) -> Result<(Offset, TimestampMs), String> {
    let offset = match &place.committed {
        Ok(None) => return Err("The group never committed here".to_owned()),
        Err(problem) => return Err(format!("The committed offset is not known: {problem}")),
        Ok(Some(offset)) => *offset,
    };
    match time_of(place, density) {
        Some(Standing::At { time, .. }) => Ok((offset, time)),
        Some(Standing::End | Standing::Offset(_)) => Ok((offset, now)),
        None => Err("The time of the next record is not known".to_owned()),
    }
}

/// What shows `lane` on the timeline.
///
/// # Errors
/// A sentence that says why it cannot be shown.
pub fn of(cx: &Cx<'_>, model: &Model, lane: Option<&LaneKey>) -> Result<Msg, String> {
    let chosen = lane.and_then(|lane| Some((&lane.topic, lane.partition?)));
    let Some((topic, partition)) = chosen else {
        return Err("Choose a partition in the table first".to_owned());
    };
    let Some(place) = model.place(topic, partition) else {
        return Err("The group does not read this partition any more".to_owned());
    };
    let (offset, time) = stands(place, &cx.snapshot.density, cx.now)?;
    Ok(Msg::Reveal(Revealed {
        at: place.at.clone(),
        offset,
        time,
    }))
}

/// Shows `row` on the timeline, when it is a partition whose place is known.
pub fn push(cx: &mut Cx<'_>, model: &Model, row: Row) {
    if let Ok(message) = of(cx, model, model.lane(row).as_ref()) {
        cx.push(message);
    }
}

/// Where the lanes are scrolled to when `lane` is to be in sight: with a little of what is above it.
pub fn in_sight(lanes: &Lanes, lane: &LaneKey, scroll: RowScroll) -> RowScroll {
    let row = lanes.index_of(lane).and_then(|index| lanes.row_of(index));
    row.map_or(scroll, |row| RowScroll {
        row: row.saturating_sub(2),
        hidden: 0.0,
    })
}
