//! How committed offsets moved: put together from the bus's own commit log and from readings of Tideline's.
//!
//! | part | what it is |
//! |---|---|
//! | [`CommitLog`] | the log's records in their order, as moves of each group in each partition |
//! | [`merge`] | both sources as one, the log before the readings |

mod commit_log;

pub use commit_log::{CommitLog, Limits};

use std::sync::Arc;

use crate::model::{GroupHistory, History, HistorySource, PlaceHistory};

/// The movements that are known from `log`, with what only `readings` know: groups and partitions that the log does not
/// have, and what came before its first record of a place.
pub fn merge(readings: &History, log: &History) -> History {
    if log.coverage.source == HistorySource::None {
        let mut merged = readings.clone();
        merged.coverage.problem.clone_from(&log.coverage.problem);
        return merged;
    }
    let mut merged = log.clone();
    for (name, known) in &readings.groups {
        match merged.groups.get_mut(name) {
            None => {
                merged.groups.insert(name.clone(), Arc::clone(known));
            }
            Some(group) => {
                if known
                    .places
                    .iter()
                    .any(|(at, place)| adds(group, at, place))
                {
                    add(Arc::make_mut(group), known);
                }
            }
        }
    }
    merged
}

fn first_move(place: &PlaceHistory) -> Option<crate::model::TimestampMs> {
    place.moves.first().map(|first| first.at)
}

fn adds(group: &GroupHistory, at: &crate::model::TopicPartition, place: &PlaceHistory) -> bool {
    match group.places.get(at) {
        None => true,
        Some(logged) => first_move(place) < first_move(logged),
    }
}

fn add(group: &mut GroupHistory, known: &GroupHistory) {
    for (at, place) in &known.places {
        let Some(logged) = group.places.get_mut(at) else {
            group.places.insert(at.clone(), place.clone());
            continue;
        };
        let Some(first) = first_move(logged) else {
            continue;
        };
        let mut moves = place.moves.clone();
        moves.retain(|step| step.at < first);
        // The log's first record may repeat what was read before.
        let same = moves
            .last()
            .map(|last| last.to.as_ref().map(|to| to.offset));
        let logged_first = logged.moves.first();
        let logged_first = logged_first.map(|first| first.to.as_ref().map(|to| to.offset));
        if same.is_some() && same == logged_first {
            moves.pop();
        }
        moves.append(&mut logged.moves);
        logged.moves = moves;
    }
}

#[cfg(test)]
mod tests;
