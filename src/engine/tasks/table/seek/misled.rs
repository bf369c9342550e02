//! Look-ups of a time that were misled.
//!
//! A look-up answers with the first record that is late enough. One record dated far ahead therefore answers for
//! all times from its neighbours' on, and a cut by it would put everything behind it below. What is read there
//! shows it; then the place is looked for again by reading single records, halving.

use std::collections::BTreeMap;

use crate::bus::{Bus, ReadRange};
use crate::engine::tasks::by_time::Direction;
use crate::model::Offset;

use super::super::cuts::Key;
use super::super::lanes::Lanes;
use super::super::piece::{Hint, Piece};
use super::Sought;

/// So many rows of a lane above where they should be show that its look-up was misled; fewer are disorder.
const MISLED: usize = 32;
/// At most so many lanes are looked at anew.
const MOST: usize = 200;
/// No log is halved more often.
const HALVINGS: usize = 64;

/// Moves the cut of `sought` in the lanes of which `piece`, read below it, has many rows that belong above `key`.
/// Says whether there were any.
pub(in super::super) async fn lead_back(
    bus: &dyn Bus,
    lanes: &Lanes,
    sought: &mut Sought,
    piece: &Piece,
    key: Key,
) -> bool {
    let mut above: BTreeMap<usize, usize> = BTreeMap::new();
    for row in piece
        .rows()
        .iter()
        .filter(|row| row.key < key && row.key.lane != key.lane)
    {
        let count = above.entry(row.key.lane).or_default();
        *count = count.saturating_add(1);
    }
    let mut open: BTreeMap<usize, (Offset, Offset)> = above
        .into_iter()
        .filter(|(_, count)| *count >= MISLED)
        .take(MOST)
        .filter_map(|(lane, _)| {
            let read_to = piece.edge(Direction::OldestFirst).cut.at(lane);
            Some((lane, (read_to, lanes.get(lane)?.range.to)))
        })
        .collect();
    let misled: Vec<usize> = open.keys().copied().collect();
    for _ in 0..HALVINGS {
        let places: Vec<(usize, ReadRange)> = open
            .iter()
            .filter_map(|(lane, (low, high))| {
                let width = high.since(*low).filter(|width| *width > 0)?;
                let half = i64::try_from(width / 2).unwrap_or(i64::MAX);
                let place = ReadRange {
                    at: lanes.get(*lane)?.range.at.clone(),
                    from: low.moved(half)?,
                    to: Some(*high),
                };
                Some((*lane, place))
            })
            .collect();
        if places.is_empty() {
            break;
        }
        let (asked, ranges): (Vec<usize>, Vec<ReadRange>) = places.into_iter().unzip();
        let heads = bus.first_records(ranges.clone()).await;
        for ((lane, range), head) in asked.into_iter().zip(ranges).zip(heads) {
            let Some(between) = open.get_mut(&lane) else {
                continue;
            };
            match head {
                Ok(Some(head)) if head.timestamp < key.time => between.0 = head.offset.next(),
                // Later, or none at all from here on.
                Ok(_) => between.1 = range.from,
                Err(_) => between.1 = between.0,
            }
        }
    }
    for lane in &misled {
        if let Some((low, _)) = open.get(lane) {
            sought.cut.set(*lane, *low);
        }
        for hints in [&mut sought.above, &mut sought.below] {
            if let Some(hint) = hints.get_mut(*lane) {
                *hint = Hint::Unknown;
            }
        }
    }
    !misled.is_empty()
}
