//! The time whose cut has about so many offsets before it.

use crate::bus::{Bus, ReadRange};
use crate::engine::tasks::table::cuts::Cut;
use crate::model::{Offset, TimestampMs};

use super::super::gather::MANY;
use super::super::lanes::Lanes;
use super::super::piece::Hint;
use super::{Anchor, Sought, TimeCut, cut_at};

/// This near is near enough, or a thousandth of the list.
const NEAR: u64 = 200;
/// The times of so many partitions, the longest, tell where to begin.
const SAMPLED: usize = 32;
/// How often look-ups are tried, and how often where they cost much.
const ROUNDS: usize = 44;
const FEW_ROUNDS: usize = 28;

/// A time whose cut is known.
struct Tried {
    time: TimestampMs,
    rank: u64,
    made: TimeCut,
}

/// The cut with about `rank` offsets before it in the order of time.
pub(super) async fn by_time(bus: &dyn Bus, lanes: &mut Lanes, rank: u64) -> Sought {
    let mut open = lanes.open();
    if let (Some((only, known)), None) = (open.next(), open.next()) {
        let count = i64::try_from(rank).unwrap_or(i64::MAX);
        let at = known.range.from.moved(count).unwrap_or(known.range.to);
        drop(open);
        let mut sought = Sought::at(Cut::start(lanes), Anchor::Cut, lanes);
        sought.cut.set(only, at);
        return sought;
    }
    drop(open);
    let total = lanes.total();
    let near = NEAR.max(total / 1_000);
    let Some((guess, spread)) = sample(bus, lanes, rank, total).await else {
        // No record carries a time: then partitions stand one after another.
        let offsets = super::by_offset(lanes, rank);
        return offsets;
    };
    let rounds = if lanes.len() > MANY {
        FEW_ROUNDS
    } else {
        ROUNDS
    };
    let mut step = (spread / 16).max(1);
    let (mut low, mut high): (Option<Tried>, Option<Tried>) = (None, None);
    let mut time = guess;
    for round in 0..rounds {
        let made = cut_at(bus, lanes, time).await;
        let tried = Tried {
            time,
            rank: made.cut.rank(lanes),
            made,
        };
        if tried.rank.abs_diff(rank) <= near {
            return tried.made.sought(Anchor::Cut);
        }
        if tried.rank < rank {
            low = Some(tried);
        } else {
            high = Some(tried);
        }
        time = match (&low, &high) {
            (Some(low), Some(high)) if high.time.since_ms(low.time) <= 1 => break,
            (Some(low), Some(high)) => between(low, high, rank, round % 2 == 1),
            (Some(low), None) => low.time.moved_ms(step),
            (None, Some(high)) => high.time.moved_ms(step.saturating_neg()),
            (None, None) => break,
        };
        step = step.saturating_mul(4);
    }
    match (low, high) {
        (Some(low), Some(high)) if high.time.since_ms(low.time) <= 1 => {
            within(lanes, low, &high, rank)
        }
        (Some(low), Some(high)) if rank.abs_diff(low.rank) > rank.abs_diff(high.rank) => {
            high.made.sought(Anchor::Cut)
        }
        (Some(tried), _) | (None, Some(tried)) => tried.made.sought(Anchor::Cut),
        (None, None) => Sought::start(lanes),
    }
}

/// A time between two others: in proportion to their ranks, or in the middle.
fn between(low: &Tried, high: &Tried, rank: u64, halve: bool) -> TimestampMs {
    let width = i128::from(high.time.since_ms(low.time));
    let ranks = i128::from(high.rank.saturating_sub(low.rank).max(1));
    let part = i128::from(rank.saturating_sub(low.rank));
    let moved = if halve {
        width / 2
    } else {
        width * part / ranks
    };
    let moved = moved.clamp(1, (width - 1).max(1));
    low.time.moved_ms(i64::try_from(moved).unwrap_or(1))
}

/// Between two cuts a millisecond apart: all that lies there has the same time and stands in the order of
/// partitions.
fn within(lanes: &Lanes, low: Tried, high: &Tried, rank: u64) -> Sought {
    let mut left = rank.saturating_sub(low.rank);
    let mut sought = low.made.sought(Anchor::Cut);
    for (lane, known) in lanes.open() {
        if left == 0 {
            break;
        }
        let (from, to) = (sought.cut.at(lane), high.made.cut.at(lane));
        let count = known.before(to).saturating_sub(known.before(from));
        if count == 0 {
            continue;
        }
        let is_whole = left >= count;
        let at = from.moved(i64::try_from(left).unwrap_or(i64::MAX));
        sought.cut.set(lane, at.unwrap_or(to).min(to));
        left = left.saturating_sub(count);
        let hints = (sought.above.get_mut(lane), sought.below.get_mut(lane));
        if let (Some(above), Some(below)) = hints {
            *above = Hint::NotAfter(low.time);
            *below = if is_whole {
                high.made.below.get(lane).copied().unwrap_or_default()
            } else {
                Hint::Near(Some(low.time))
            };
        }
    }
    sought
}

/// A time to begin with, and how far apart the times are that it was taken from.
async fn sample(bus: &dyn Bus, lanes: &Lanes, rank: u64, total: u64) -> Option<(TimestampMs, i64)> {
    let mut longest: Vec<(u64, usize)> = lanes
        .open()
        .map(|(lane, known)| (known.after(known.range.from), lane))
        .filter(|(count, _)| *count > 0)
        .collect();
    longest.sort_unstable_by_key(|(count, lane)| (std::cmp::Reverse(*count), *lane));
    longest.truncate(SAMPLED);
    let mut weights = Vec::new();
    let mut places = Vec::new();
    for (count, lane) in longest {
        let range = &lanes.get(lane)?.range;
        let share = u128::from(count) * u128::from(rank) / u128::from(total.max(1));
        let at = range.from.moved(i64::try_from(share).unwrap_or(0))?;
        let last = Offset(range.meant_to.0.saturating_sub(1)).max(range.from);
        for from in [range.from, at, last] {
            weights.push((from == at).then_some(count));
            places.push(ReadRange {
                at: range.at.clone(),
                from,
                to: Some(range.to),
            });
        }
    }
    let heads = bus.first_records(places).await;
    let times: Vec<(TimestampMs, Option<u64>)> = heads
        .into_iter()
        .zip(weights)
        .filter_map(|(head, weight)| Some((head.ok()??.timestamp?, weight)))
        .collect();
    let earliest = times.iter().map(|(time, _)| *time).min()?;
    let latest = times.iter().map(|(time, _)| *time).max()?;
    let mut weighed: Vec<(TimestampMs, u64)> = times
        .iter()
        .filter_map(|(time, weight)| Some((*time, (*weight)?)))
        .collect();
    weighed.sort_unstable();
    let half = weighed.iter().map(|(_, weight)| weight).sum::<u64>() / 2;
    let mut passed: u64 = 0;
    let middle = weighed.iter().find(|(_, weight)| {
        passed = passed.saturating_add(*weight);
        passed > half
    });
    let guess = middle.map_or(earliest, |(time, _)| *time);
    Some((guess, latest.since_ms(earliest)))
}
