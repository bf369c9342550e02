//! The lanes on an axis of offsets: everything about them is known exactly, without look-ups. Pure.
//!
//! A place on the axis is an offset as it is, or counted back from the end of its partition, so that ends lie
//! above one another and what a group is behind is a length.

use crate::engine::{GroupPlaces, Inventory, TablePlace};
use crate::inspect::lag::{Place, total};
use crate::model::{Offset, Partition, TopicPartition};

use super::super::format;
use super::super::num::{count_from_f64, f64_from_i64, i64_from_f64};
use super::super::state::{AxisKind, LaneKey, OffsetRange, ViewRange};
use super::axis::Columns;
use super::bars::{Bar, EMPTY};
use super::cursors::{self, Beginning, Cursor, Deleted, HeldBack, Readers, Standing};
use super::model::{Lane, Lanes};

/// How much more than what a group is behind is shown, so that it is seen among what was read.
const AROUND: f64 = 1.3;
/// The fewest offsets that are shown when everything fits.
const LEAST: f64 = 100.0;

/// What is taken off an offset of a partition that ends at `end` to get its place on the axis.
fn base(kind: AxisKind, end: Offset) -> i64 {
    match kind {
        AxisKind::FromEnd => end.0,
        AxisKind::Time | AxisKind::Offset => 0,
    }
}

/// The place on the axis of an offset of a partition that ends at `end`.
pub fn place_of(kind: AxisKind, end: Offset, offset: Offset) -> i64 {
    offset.0.saturating_sub(base(kind, end))
}

/// The offset of a partition that ends at `end` at a place on the axis.
pub fn offset_at(kind: AxisKind, end: Offset, place: f64) -> Offset {
    Offset(i64_from_f64(place.floor()).saturating_add(base(kind, end)))
}

/// The range that shows the data of `lanes`: counted from the end, what the chosen group has not read and as
/// much again; as they are, the offsets of the lane `focused`, or of all.
pub fn fit(
    kind: AxisKind,
    lanes: &Lanes,
    chosen: Option<&GroupPlaces>,
    focused: Option<&LaneKey>,
) -> ViewRange {
    let only = focused.filter(|key| key.partition.is_some());
    let ends: Vec<(Offset, Offset)> = lanes
        .rows()
        .iter()
        .filter(|lane| match (kind, only) {
            (AxisKind::Offset, Some(key)) => lane.key == *key,
            _ => lane.is_topic(),
        })
        .flat_map(Lane::described)
        .filter_map(Partition::ends)
        .collect();
    let first = ends.iter().map(|(start, _)| start.0).min().unwrap_or(0);
    let last = ends.iter().map(|(_, end)| end.0).max().unwrap_or(0);
    let longest = ends
        .iter()
        .filter_map(|(start, end)| end.since(*start))
        .max()
        .map_or(0.0, |longest| {
            f64_from_i64(i64::try_from(longest).unwrap_or(i64::MAX))
        });
    let (from, to) = match kind {
        AxisKind::FromEnd => {
            let behind = chosen
                .into_iter()
                .flat_map(|group| &group.places)
                .filter_map(|place| {
                    // Also what was deleted meanwhile: the flag stands before it.
                    let committed = (*place.committed.as_ref().ok()?)?;
                    place.high_watermark.as_ref().ok()?.since(committed)
                })
                .max()
                .filter(|behind| *behind > 0);
            let behind =
                behind.map(|behind| f64_from_i64(i64::try_from(behind).unwrap_or(i64::MAX)));
            let shown = behind.map_or(longest, |behind| (behind * AROUND).min(longest.max(behind)));
            (-shown.max(LEAST), 0.0)
        }
        AxisKind::Time | AxisKind::Offset => {
            let (first, last) = (f64_from_i64(first), f64_from_i64(last));
            (first, last.max(first + LEAST))
        }
    };
    let room = (to - from) * 0.015;
    ViewRange::new(from - room, to + room)
}

/// How many offsets of `lane` lie in each of `columns`, and how many of them `chosen` has not read.
pub fn bars(
    kind: AxisKind,
    lane: &Lane,
    chosen: Option<&GroupPlaces>,
    columns: &Columns,
) -> Vec<Bar> {
    let (mut all, mut unread) = (Sum::new(columns), Sum::new(columns));
    for (at, partition) in lane.partitions().iter().zip(lane.described()) {
        let Some((start, end)) = partition.ends() else {
            continue;
        };
        let base = base(kind, end);
        let place = |offset: Offset| f64_from_i64(offset.0.saturating_sub(base));
        all.add(place(start), place(end));
        let next = chosen
            .and_then(|group| cursors::place_in(group, at))
            .and_then(Place::reads_next);
        if let Some((next, _)) = next {
            unread.add(place(next.max(start)), place(end));
        }
    }
    let counts = all.counts().into_iter().zip(unread.counts());
    counts
        .map(|(count, unread)| Bar {
            count,
            unread,
            ..EMPTY
        })
        .collect()
}

/// Intervals added up in columns: each costs the same, however many columns it covers.
struct Sum {
    step: f64,
    from: f64,
    parts: Vec<f64>,
    whole: Vec<f64>,
}

impl Sum {
    fn new(columns: &Columns) -> Self {
        let count = columns.count();
        Self {
            step: f64_from_i64(columns.step()),
            from: f64_from_i64(columns.edge(columns.first())),
            parts: vec![0.0; count],
            whole: vec![0.0; count.saturating_add(1)],
        }
    }

    fn add(&mut self, from: f64, to: f64) {
        let columns = f64_from_i64(i64::try_from(self.parts.len()).unwrap_or(0));
        let end = self.from + self.step * columns;
        let (from, to) = (from.clamp(self.from, end), to.clamp(self.from, end));
        if from >= to {
            return;
        }
        let column = |value: f64| ((value - self.from) / self.step).floor();
        let (first, last) = (column(from), column(to));
        let part = |sum: &mut [f64], index: f64, by: f64| {
            if let Some(sum) = sum.get_mut(count_from_f64(index)) {
                *sum += by;
            }
        };
        if first >= last {
            part(&mut self.parts, first, to - from);
            return;
        }
        let edge = |column: f64| self.from + column * self.step;
        part(&mut self.parts, first, edge(first + 1.0) - from);
        part(&mut self.parts, last, to - edge(last));
        part(&mut self.whole, first + 1.0, self.step);
        part(&mut self.whole, last, -self.step);
    }

    fn counts(&self) -> Vec<f64> {
        let mut covering = 0.0;
        self.parts
            .iter()
            .zip(&self.whole)
            .map(|(part, change)| {
                covering += change;
                covering + part
            })
            .collect()
    }
}

/// The cursors of all groups in `lane`, sorted by place.
pub fn cursors(
    kind: AxisKind,
    lane: &Lane,
    inventory: &Inventory,
    readers: &Readers,
) -> Vec<Cursor> {
    let mut cursors: Vec<Cursor> = readers
        .in_topic(&lane.key.topic, inventory)
        .filter_map(|(index, group)| cursor(kind, index, group, lane))
        .collect();
    cursors.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.name.cmp(&b.name)));
    cursors
}

fn cursor(kind: AxisKind, index: usize, group: &GroupPlaces, lane: &Lane) -> Option<Cursor> {
    let places = cursors::places_of(group, lane)?;
    let standing = places.iter().filter_map(|place| {
        let committed = (*place.committed.as_ref().ok()?)?;
        let end = *place.high_watermark.as_ref().ok()?;
        Some((
            committed.0.saturating_sub(base(kind, end)),
            committed,
            place,
        ))
    });
    let (at, committed, place) = standing.min_by(|a, b| a.0.cmp(&b.0).then(a.2.at.cmp(&b.2.at)))?;
    Some(Cursor {
        group: index,
        name: group.group.listing.name.clone(),
        at: Standing::Offset(at),
        partition: place.at.partition,
        committed,
        lag: total(places),
        delay_ms: None,
    })
}

/// What was deleted at the beginning of `lane`, when all its partitions begin after offset 0.
pub fn deleted(kind: AxisKind, lane: &Lane, chosen: Option<&GroupPlaces>) -> Option<Deleted> {
    let mut before: Option<(i64, Offset)> = None;
    for partition in lane.described() {
        let (start, end) = partition.ends()?;
        if start.0 <= 0 {
            return None;
        }
        let place = start.0.saturating_sub(base(kind, end));
        before = Some(before.map_or((place, start), |known| known.min((place, start))));
    }
    before.map(|(place, offset)| Deleted {
        before: Beginning::Offset { place, offset },
        unread: cursors::lost(lane, chosen),
    })
}

/// What careful readers are not given yet.
pub fn held_back(kind: AxisKind, lane: &Lane) -> Option<HeldBack> {
    let held = lane.described().iter().filter_map(|partition| {
        let (from, to) = partition.held_back()?;
        let place = |offset: Offset| offset.0.saturating_sub(base(kind, to));
        Some(HeldBack {
            from: place(from),
            to: place(to),
            count: to.since(from)?,
        })
    });
    held.reduce(HeldBack::and)
}

/// What `lane` holds outside `range`: how many offsets before and after it.
pub fn outside(kind: AxisKind, lane: &Lane, range: ViewRange) -> (u64, u64) {
    let whole = |value: f64| u64::try_from(i64_from_f64(value.max(0.0).floor())).unwrap_or(0);
    lane.described()
        .iter()
        .filter_map(Partition::ends)
        .map(|(start, end)| {
            let place = |offset: Offset| f64_from_i64(offset.0.saturating_sub(base(kind, end)));
            let (start, end) = (place(start), place(end));
            (
                whole(range.from_ms.min(end) - start),
                whole(end - range.to_ms.max(start)),
            )
        })
        .fold((0, 0), |sum: (u64, u64), (before, after)| {
            (sum.0.saturating_add(before), sum.1.saturating_add(after))
        })
}

/// The range that shows every offset of `lanes`.
pub fn whole(kind: AxisKind, lanes: &Lanes) -> ViewRange {
    let ends = lanes
        .rows()
        .iter()
        .filter(|lane| lane.is_topic())
        .flat_map(Lane::described)
        .filter_map(Partition::ends);
    let (mut from, mut to) = (0_i64, 0_i64);
    for (start, end) in ends {
        from = from.min(start.0.saturating_sub(base(kind, end)));
        to = to.max(end.0.saturating_sub(base(kind, end)));
    }
    let (from, to) = (f64_from_i64(from), f64_from_i64(to));
    let room = ((to - from) * 0.015).max(1.0);
    ViewRange::new(from - room, to + room)
}

/// The range that shows every offset of `lane`, with a little room; `None` when it has none.
pub fn whole_of(kind: AxisKind, lane: &Lane) -> Option<ViewRange> {
    let ends = lane.described().iter().filter_map(Partition::ends);
    let places = ends.filter(|(start, end)| start < end).map(|(start, end)| {
        (
            start.0.saturating_sub(base(kind, end)),
            end.0.saturating_sub(base(kind, end)),
        )
    });
    let (from, to) = places.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let (from, to) = (f64_from_i64(from), f64_from_i64(to));
    let room = ((to - from) * 0.015).max(1.0);
    Some(ViewRange::new(from - room, to + room))
}

/// The offsets between two places on the axis in the partitions of `chosen` lanes, or of all; those that hold
/// any, sorted.
pub fn ranges(
    kind: AxisKind,
    lanes: &Lanes,
    chosen: &[LaneKey],
    from: f64,
    to: f64,
) -> Vec<OffsetRange> {
    let is_chosen = |at: &TopicPartition| {
        chosen.is_empty()
            || chosen.iter().any(|key| {
                key.topic == at.topic && key.partition.is_none_or(|id| id == at.partition)
            })
    };
    let topics = lanes.rows().iter().filter(|lane| lane.is_topic());
    let mut ranges: Vec<OffsetRange> = topics
        .flat_map(|lane| lane.partitions().iter().zip(lane.described()))
        .filter(|(at, _)| is_chosen(at))
        .filter_map(|(at, partition)| {
            let (start, end) = partition.ends()?;
            let from = offset_at(kind, end, from).clamp(start, end);
            let to = offset_at(kind, end, to.ceil()).clamp(start, end);
            (from < to).then(|| OffsetRange {
                at: at.clone(),
                from,
                to,
            })
        })
        .collect();
    ranges.sort_unstable_by(|a, b| a.at.cmp(&b.at));
    ranges
}

/// The places on the axis between which offsets of `lane` are chosen.
pub fn chosen_in(kind: AxisKind, lane: &Lane, ranges: &[OffsetRange]) -> Option<(i64, i64)> {
    let partitions = lane.partitions().iter().zip(lane.described());
    let places = partitions.filter_map(|(at, partition)| {
        let index = ranges.binary_search_by(|range| range.at.cmp(at)).ok()?;
        let range = ranges.get(index)?;
        let (_, end) = partition.ends()?;
        let place = |offset: Offset| offset.0.saturating_sub(base(kind, end));
        Some((place(range.from), place(range.to)))
    });
    places.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The place on the axis of an offset of `at`, which `lane` shows.
pub fn place_in(kind: AxisKind, lane: &Lane, at: &TopicPartition, offset: Offset) -> Option<i64> {
    let index = lane.partitions().iter().position(|known| known == at)?;
    let (_, end) = lane.described().get(index)?.ends()?;
    Some(offset.0.saturating_sub(base(kind, end)))
}

/// The record at a place on the axis, when `lane` is one partition that holds an offset there.
pub fn record_at(kind: AxisKind, lane: &Lane, place: f64) -> Option<TablePlace> {
    let ([at], [partition]) = (lane.partitions(), lane.described()) else {
        return None;
    };
    let (start, end) = partition.ends()?;
    let offset = offset_at(kind, end, place);
    (start..end)
        .contains(&offset)
        .then(|| TablePlace::Record(at.clone(), offset))
}

/// What a place on the axis is called in one partition, or in all.
pub fn place_text(
    kind: AxisKind,
    place: f64,
    only: Option<(&TopicPartition, &Partition)>,
) -> String {
    let number = i64_from_f64(place.floor());
    let shown = format::offset(Offset(number));
    match (kind, only.and_then(|(_, partition)| partition.ends())) {
        (AxisKind::FromEnd, Some((_, end))) => format!(
            "{shown} from the end: offset {}",
            format::offset(offset_at(kind, end, place))
        ),
        (AxisKind::FromEnd, None) => format!("{shown} from the end"),
        _ => format!("offset {shown}"),
    }
}

#[cfg(test)]
mod tests;
