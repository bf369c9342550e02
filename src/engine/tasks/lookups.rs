//! Sharpening time indices by looking offsets up, the sharpest gain first, never faster than allowed.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::bus::{Bus, Lookup, Seek};
use crate::inspect::density::TimeIndex;
use crate::model::{Known, Offset, Problem, TimestampMs, TopicPartition};

/// How many look-ups a second a broker may be asked for when it may be somebody's production.
const CAREFUL_RATE: u32 = 5_000;
/// The same on this machine.
const LOCAL_RATE: u32 = 50_000;

/// How fast look-ups may be sent.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Rate(u32);

impl Rate {
    /// The rate for a bus that is, or is not, on this machine.
    pub(in crate::engine) fn for_bus(on_this_machine: bool) -> Self {
        Self(if on_this_machine {
            LOCAL_RATE
        } else {
            CAREFUL_RATE
        })
    }

    /// How long `count` look-ups must take at least.
    pub(in crate::engine) fn time_for(self, count: usize) -> Duration {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Duration::from_secs(1).saturating_mul(count) / self.0.max(1)
    }
}

/// A range of time in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Window {
    /// Left edge, included.
    pub(in crate::engine) from: TimestampMs,
    /// Right edge, not included.
    pub(in crate::engine) to: TimestampMs,
    /// How many columns.
    pub(in crate::engine) columns: usize,
    /// A stretch with this many offsets or fewer is sharp enough.
    pub(in crate::engine) close: u64,
}

/// One round of look-ups, at most about `budget` of them, an equal part for each index. Returns how many were sent; 0 when everything is as sharp as the windows' columns.
pub(in crate::engine) async fn sharpen(
    bus: &dyn Bus,
    indices: &mut BTreeMap<TopicPartition, TimeIndex>,
    problems: &mut BTreeMap<TopicPartition, Problem>,
    windows: &[Window],
    rate: Rate,
    budget: usize,
) -> usize {
    let mut open: Vec<(&TopicPartition, &TimeIndex)> = indices
        .iter()
        .filter(|(at, _)| !problems.contains_key(*at))
        .collect();
    // Those of which least is known come first, so that no lane waits for another to be perfect.
    open.sort_by_key(|(_, index)| index.known());
    let each = (budget / open.len().max(1)).max(1);
    let mut lookups = Vec::new();
    for (at, index) in open {
        if lookups.len() >= budget {
            break;
        }
        for window in windows {
            let wanted = index.wanted(window.from, window.to, window.columns, window.close, each);
            lookups.extend(wanted.into_iter().map(|time| Lookup {
                at: at.clone(),
                seek: Seek::AtOrAfter(time),
            }));
        }
    }
    if lookups.is_empty() {
        return 0;
    }
    let count = lookups.len();
    let started = Instant::now();
    let found = bus.look_up(lookups.clone()).await;
    for (lookup, found) in lookups.into_iter().zip(found) {
        let Seek::AtOrAfter(time) = lookup.seek else {
            continue;
        };
        match found {
            Ok(found) => {
                if let Some(index) = indices.get_mut(&lookup.at) {
                    index.insert(time, found.offset);
                }
            }
            Err(problem) => {
                problems.insert(lookup.at, problem);
            }
        }
    }
    tokio::time::sleep_until(started + rate.time_for(count)).await;
    count
}

/// Where look-ups begin to be blind: the first record dated more than an hour ahead of `now`, in those of the
/// partitions that have one.
pub(in crate::engine) async fn blind_from(
    bus: &dyn Bus,
    partitions: &[TopicPartition],
    now: TimestampMs,
) -> BTreeMap<TopicPartition, Known<Offset>> {
    let future = now.moved_ms(3_600_000);
    let lookups = partitions
        .iter()
        .map(|at| Lookup {
            at: at.clone(),
            seek: Seek::AtOrAfter(future),
        })
        .collect();
    let found = bus.look_up(lookups).await;
    partitions
        .iter()
        .cloned()
        .zip(found)
        .filter_map(|(at, found)| match found {
            Ok(found) => found.offset.map(|offset| (at, Ok(offset))),
            Err(problem) => Some((at, Err(problem))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tasks::by_hand::{ByHand, log};

    #[tokio::test]
    async fn a_lane_of_which_nothing_is_known_comes_before_one_that_is_nearly_sharp() {
        let bus = ByHand::new([log(0..1_000), log(0..1_000)]);
        let at = |partition| TopicPartition::new("t", partition);
        let mut indices: BTreeMap<TopicPartition, TimeIndex> = (0..2)
            .map(|partition| (at(partition), TimeIndex::new(Offset(0), Offset(1_000))))
            .collect();
        for time in [100, 300, 500, 700] {
            if let Some(index) = indices.get_mut(&at(0)) {
                index.insert(TimestampMs(time), Some(Offset(time)));
            }
        }
        let window = Window {
            from: TimestampMs(0),
            to: TimestampMs(1_000),
            columns: 100,
            close: 0,
        };
        let rate = Rate::for_bus(true);
        let sent = sharpen(&bus, &mut indices, &mut BTreeMap::new(), &[window], rate, 1).await;
        assert_eq!(sent, 1);
        let known: Vec<usize> = indices.values().map(TimeIndex::known).collect();
        assert_eq!(known, [4, 1]);
    }

    #[test]
    fn a_careful_rate_takes_its_time() {
        assert_eq!(
            Rate::for_bus(false).time_for(2_500),
            Duration::from_millis(500)
        );
        assert_eq!(
            Rate::for_bus(true).time_for(2_500),
            Duration::from_millis(50)
        );
    }
}
