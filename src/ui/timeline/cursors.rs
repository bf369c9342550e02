//! Where groups stand on the time axis, and what was deleted at the beginning of a lane. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::{Density, GroupPlaces, Inventory};
use crate::inspect::lag::{Place, TotalLag, total};
use crate::model::{
    Known, Offset, PartitionId, RecordHead, Text, TimestampMs, TopicName, TopicPartition,
};

use super::model::Lane;

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

/// Where a group stands in a lane.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The number of the group in the inventory.
    pub group: usize,
    /// Its name.
    pub name: Text,
    /// Where it stands; in a topic's lane where it stands in the partition that is least advanced.
    pub at: Standing,
    /// That partition.
    pub partition: PartitionId,
    /// The committed offset there.
    pub committed: Offset,
    /// How far behind it is in the whole lane.
    pub lag: TotalLag,
    /// How long ago the next record came, when that is known.
    pub delay_ms: Option<i64>,
}

/// Where what is left of a lane begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// At the time of the first record that is left.
    Time(TimestampMs),
    /// At an offset.
    Offset {
        /// Its place on the axis.
        place: i64,
        /// The offset.
        offset: Offset,
    },
}

impl Beginning {
    /// Its place on the axis.
    pub fn place(self) -> i64 {
        match self {
            Self::Time(time) => time.0,
            Self::Offset { place, .. } => place,
        }
    }
}

/// What was deleted at the beginning of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Where what is left begins.
    pub before: Beginning,
    /// How many offsets the selected group had not read of it.
    pub unread: Option<u64>,
}

/// What careful readers are not given yet: records of open transactions and what was written behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// Where it begins on the axis.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// How many offsets it is.
    pub count: u64,
}

impl HeldBack {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            count: self.count.saturating_add(other.count),
        }
    }
}

/// The places of `group` in one topic.
pub fn places_in<'g>(group: &'g GroupPlaces, topic: &str) -> &'g [Place] {
    let start = group
        .places
        .partition_point(|place| *place.at.topic < *topic);
    let rest = group.places.get(start..).unwrap_or_default();
    let len = rest.partition_point(|place| *place.at.topic == *topic);
    rest.get(..len).unwrap_or_default()
}

/// The place of `group` in one partition.
pub fn place_in<'g>(group: &'g GroupPlaces, at: &TopicPartition) -> Option<&'g Place> {
    let index = group
        .places
        .binary_search_by(|place| place.at.cmp(at))
        .ok()?;
    group.places.get(index)
}

/// The places of `group` in `lane`; `None` when it has none there.
pub fn places_of<'g>(group: &'g GroupPlaces, lane: &Lane) -> Option<&'g [Place]> {
    let places = match lane.partitions() {
        [only] => std::slice::from_ref(place_in(group, only)?),
        _ => places_in(group, &lane.key.topic),
    };
    (!places.is_empty()).then_some(places)
}

/// How many offsets that were deleted `chosen` had not read in `lane`; `None` when that is not known or does
/// not matter to it.
pub fn lost(lane: &Lane, chosen: Option<&GroupPlaces>) -> Option<u64> {
    let group = chosen?;
    lane.partitions()
        .iter()
        .filter_map(|at| place_in(group, at)?.deleted_unread())
        .reduce(u64::saturating_add)
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

/// Which groups have a place in which topic, so that a lane asks only those: most groups read few topics.
#[derive(Debug, Default)]
pub struct Readers(HashMap<TopicName, Vec<usize>>);

impl Readers {
    /// The readers among the groups of `inventory`.
    pub fn of(inventory: &Inventory) -> Self {
        let mut readers: HashMap<TopicName, Vec<usize>> = HashMap::new();
        for (index, group) in inventory.groups().iter().enumerate() {
            let mut last: Option<&TopicName> = None;
            for place in &group.places {
                // Places are sorted by topic.
                if last != Some(&place.at.topic) {
                    last = Some(&place.at.topic);
                    let topic = Arc::clone(&place.at.topic);
                    readers.entry(topic).or_default().push(index);
                }
            }
        }
        Self(readers)
    }

    /// The groups that have a place in `topic`, each with its number.
    pub fn in_topic<'a>(
        &'a self,
        topic: &str,
        inventory: &'a Inventory,
    ) -> impl Iterator<Item = (usize, &'a GroupPlaces)> {
        let groups = inventory.groups();
        let numbers = self.0.get(topic).map(Vec::as_slice).unwrap_or_default();
        numbers
            .iter()
            .filter_map(|index| Some((*index, groups.get(*index)?)))
    }
}

/// The cursors of all groups in `lane`, sorted by place.
pub fn cursors(
    lane: &Lane,
    inventory: &Inventory,
    readers: &Readers,
    density: &Density,
    now: TimestampMs,
) -> Vec<Cursor> {
    let mut cursors: Vec<Cursor> = readers
        .in_topic(&lane.key.topic, inventory)
        .filter_map(|(index, group)| cursor(index, group, lane, density, now))
        .collect();
    cursors.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.name.cmp(&b.name)));
    cursors
}

fn cursor(
    index: usize,
    group: &GroupPlaces,
    lane: &Lane,
    density: &Density,
    now: TimestampMs,
) -> Option<Cursor> {
    let places = places_of(group, lane)?;
    let standing = places
        .iter()
        .filter_map(|place| Some((time_of(place, density)?, place)));
    let (at, least) = standing.min_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.at.cmp(&b.1.at)))?;
    let delay_ms = match at {
        Standing::End | Standing::Offset(_) => Some(0),
        Standing::At { time, .. } => Some(now.since_ms(time)),
    };
    Some(Cursor {
        group: index,
        name: group.group.listing.name.clone(),
        at,
        partition: least.at.partition,
        committed: (*least.committed.as_ref().ok()?)?,
        lag: total(places),
        delay_ms,
    })
}

/// What was deleted at the beginning of `lane`, when all its partitions begin after offset 0 and the time of
/// their first records is known.
pub fn deleted(lane: &Lane, density: &Density, chosen: Option<&GroupPlaces>) -> Option<Deleted> {
    let mut before: Option<TimestampMs> = None;
    for (at, partition) in lane.partitions().iter().zip(lane.described()) {
        let start = *partition.log_start.as_ref().ok()?;
        if start.0 <= 0 {
            return None;
        }
        let time = first_time(at, start, density)?;
        before = Some(before.map_or(time, |known| known.min(time)));
    }
    before.map(|before| Deleted {
        before: Beginning::Time(before),
        unread: lost(lane, chosen),
    })
}

/// What careful readers are not given yet of `lane`, on the time axis up to `now`.
pub fn held_back(lane: &Lane, density: &Density, now: TimestampMs) -> Option<HeldBack> {
    let lanes = lane.partitions().iter().zip(lane.described());
    let held = lanes.filter_map(|(at, partition)| {
        let (from, to) = partition.held_back()?;
        Some(HeldBack {
            from: first_time(at, from, density)?.0,
            to: now.0,
            count: to.since(from)?,
        })
    });
    held.reduce(HeldBack::and)
}

fn first_time(at: &TopicPartition, start: Offset, density: &Density) -> Option<TimestampMs> {
    let head: Option<&Known<Option<RecordHead>>> = density.heads.get(&(at.clone(), start));
    match head {
        Some(Ok(Some(RecordHead {
            timestamp: Some(time),
            ..
        }))) => Some(*time),
        _ => density.partitions.get(at)?.time_near(start),
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Lanes;
    use super::*;
    use crate::inspect::density::TimeIndex;
    use crate::model::by_hand;

    const NOW: TimestampMs = TimestampMs(100_000);

    fn cursors(
        lane: &Lane,
        inventory: &Inventory,
        density: &Density,
        now: TimestampMs,
    ) -> Vec<Cursor> {
        super::cursors(lane, inventory, &Readers::of(inventory), density, now)
    }

    fn at(partition: i32) -> TopicPartition {
        TopicPartition::new("orders", partition)
    }

    fn group(name: &str, commits: &[(i32, Option<i64>)]) -> GroupPlaces {
        let places = commits
            .iter()
            .map(|(partition, offset)| {
                let commit = by_hand::commit("orders", *partition, *offset);
                Place::new(&commit, Ok(Offset(10)), Ok(Offset(100)))
            })
            .collect();
        GroupPlaces {
            group: Arc::new(by_hand::group(name)),
            places,
        }
    }

    fn inventory(groups: Vec<GroupPlaces>) -> Inventory {
        super::super::by_hand::inventory(
            vec![super::super::by_hand::topic("orders", &[(10, 100); 2])],
            groups,
        )
    }

    /// Record `o` was written at `o × 1,000`; the index knows two look-ups, heads know two records.
    fn density() -> Density {
        let mut index = TimeIndex::new(Offset(10), Offset(100));
        index.insert(TimestampMs(10_000), Some(Offset(10)));
        index.insert(TimestampMs(100_000), Some(Offset(100)));
        let mut density = Density::default();
        density.partitions.insert(at(0), Arc::new(index.clone()));
        density.partitions.insert(at(1), Arc::new(index));
        let head = |offset: i64| RecordHead {
            offset: Offset(offset),
            timestamp: Some(TimestampMs(offset * 1_000 + 7)),
        };
        let heads = [
            ((at(0), Offset(40)), Ok(Some(head(40)))),
            ((at(0), Offset(10)), Ok(Some(head(10)))),
        ];
        density.heads = Arc::new(heads.into());
        density
    }

    fn lanes(inventory: &Inventory) -> Lanes {
        super::super::by_hand::lanes(inventory, &["orders"])
    }

    #[test]
    fn only_the_groups_that_read_a_topic_are_asked() {
        let inventory = inventory(vec![
            group("a", &[(0, Some(40)), (1, Some(40))]),
            group("b", &[]),
            group("c", &[(1, None)]),
        ]);
        let readers = Readers::of(&inventory);
        let numbers = |topic| -> Vec<usize> {
            let found = readers.in_topic(topic, &inventory);
            found.map(|(index, _)| index).collect()
        };
        assert_eq!(numbers("orders"), vec![0, 2]);
        assert!(numbers("payments").is_empty());
    }

    #[test]
    fn a_cursor_stands_at_the_time_of_the_next_record() {
        let inventory = inventory(vec![group("billing", &[(0, Some(40))])]);
        let lanes = lanes(&inventory);
        let found = cursors(lanes.get(1).unwrap(), &inventory, &density(), NOW);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].at,
            Standing::At {
                time: TimestampMs(40_007),
                exact: true
            }
        );
        assert_eq!(
            found[0].lag,
            TotalLag {
                records: Some(60),
                incomplete: false
            }
        );
        assert_eq!(found[0].delay_ms, Some(59_993));
    }

    #[test]
    fn without_the_record_it_stands_between_two_look_ups() {
        let inventory = inventory(vec![group("billing", &[(0, Some(55))])]);
        let found = cursors(
            lanes(&inventory).get(1).unwrap(),
            &inventory,
            &density(),
            NOW,
        );
        assert_eq!(
            found[0].at,
            Standing::At {
                time: TimestampMs(55_000),
                exact: false
            }
        );
    }

    #[test]
    fn at_the_end_or_beyond_it_there_is_nothing_to_read() {
        let inventory = inventory(vec![
            group("a", &[(0, Some(100))]),
            group("b", &[(0, Some(101))]),
        ]);
        let found = cursors(
            lanes(&inventory).get(1).unwrap(),
            &inventory,
            &density(),
            NOW,
        );
        assert_eq!(
            found.iter().map(|cursor| cursor.at).collect::<Vec<_>>(),
            vec![Standing::End; 2]
        );
        assert!(found[1].lag.incomplete);
    }

    #[test]
    fn a_next_record_without_a_time_stands_nowhere_on_the_axis() {
        let mut waiting = group("a", &[(0, Some(40))]);
        waiting.places[0].next = Some(Ok(Some(RecordHead {
            offset: Offset(40),
            timestamp: None,
        })));
        let density = density();
        assert_eq!(time_of(&waiting.places[0], &density), None);
        waiting.places[0].next = None;
        assert!(time_of(&waiting.places[0], &density).is_some());
    }

    #[test]
    fn a_group_that_never_committed_has_no_cursor() {
        let inventory = inventory(vec![group("audit", &[(0, None)])]);
        assert!(
            cursors(
                lanes(&inventory).get(0).unwrap(),
                &inventory,
                &density(),
                NOW
            )
            .is_empty()
        );
    }

    #[test]
    fn a_topic_shows_the_partition_that_is_least_advanced() {
        let inventory = inventory(vec![group("billing", &[(0, Some(70)), (1, Some(30))])]);
        let found = cursors(
            lanes(&inventory).get(0).unwrap(),
            &inventory,
            &density(),
            NOW,
        );
        assert_eq!(found[0].partition, PartitionId(1));
        assert_eq!(found[0].committed, Offset(30));
        assert_eq!(
            found[0].at,
            Standing::At {
                time: TimestampMs(30_000),
                exact: false
            }
        );
        assert_eq!(found[0].lag.records, Some(30 + 70));
    }

    #[test]
    fn a_deleted_head_ends_at_the_first_record_that_is_left() {
        let inventory = inventory(vec![group("billing", &[(0, Some(4))])]);
        let lanes = lanes(&inventory);
        let chosen = inventory.groups().first();
        let wanted = Deleted {
            before: Beginning::Time(TimestampMs(10_007)),
            unread: Some(6),
        };
        assert_eq!(
            deleted(lanes.get(1).unwrap(), &density(), chosen),
            Some(wanted)
        );
        let other = Deleted {
            before: Beginning::Time(TimestampMs(10_000)),
            unread: None,
        };
        assert_eq!(
            deleted(lanes.get(2).unwrap(), &density(), chosen),
            Some(other)
        );
        let both = Deleted {
            before: Beginning::Time(TimestampMs(10_000)),
            unread: Some(6),
        };
        assert_eq!(
            deleted(lanes.get(0).unwrap(), &density(), chosen),
            Some(both)
        );
    }
}
