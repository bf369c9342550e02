//! Where the chosen group stands over everything that it reads: from its least to its most advanced partition.
//! Pure. A group may read thousands of partitions, so that it is worked out over several frames.

use crate::engine::{Density, GroupPlaces};
use crate::inspect::lag::{Place, TotalLag, total};
use crate::model::{Offset, Problem, TopicPartition};

use super::super::state::AxisKind;
use super::cursors::{self, Standing};

/// What finding the place of one partition costs of a frame's budget.
const COST: usize = 8;

/// Where the group stands in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The place.
    pub at: Standing,
    /// The partition.
    pub partition: TopicPartition,
}

/// Where a group stands over everything that it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Band {
    /// The least advanced partition.
    pub least: Option<Stand>,
    /// The most advanced partition.
    pub most: Option<Stand>,
    /// How many partitions have a place on the axis.
    pub placed: usize,
    /// How many have a committed offset but no known place.
    pub unknown: usize,
    /// How far behind it is in all.
    pub lag: TotalLag,
    /// Why its committed offsets are not known.
    pub problem: Option<Problem>,
}

/// The band of the chosen group, kept until what it comes from changes.
#[derive(Debug, Default)]
pub struct GroupBand {
    made_of: Option<(u64, AxisKind)>,
    shown: Option<Band>,
    making: Band,
    done: usize,
}

impl GroupBand {
    /// The band, once it is worked out; while it is worked out anew, the one before.
    pub fn band(&self) -> Option<&Band> {
        self.shown.as_ref()
    }

    /// Goes on working out the band of `chosen` from what is known at `epoch`; whether it is done.
    pub fn count(
        &mut self,
        epoch: u64,
        kind: AxisKind,
        chosen: Option<&GroupPlaces>,
        density: &Density,
        budget: &mut usize,
    ) -> bool {
        let Some(group) = chosen else {
            *self = Self::default();
            return true;
        };
        if self.made_of != Some((epoch, kind)) {
            if self.made_of.is_some_and(|(_, of)| of != kind) {
                self.shown = None;
            }
            self.made_of = Some((epoch, kind));
            self.making = Band::default();
            self.done = 0;
        } else if self.done >= group.places.len() && self.shown.is_some() {
            return true;
        }
        while let Some(place) = group.places.get(self.done) {
            if *budget < COST {
                return false;
            }
            *budget -= COST;
            self.making.add(place, kind, density);
            self.done = self.done.saturating_add(1);
        }
        self.making.lag = total(&group.places);
        self.making.problem = group.group.commits.as_ref().err().cloned();
        self.shown = Some(std::mem::take(&mut self.making));
        true
    }
}

impl Band {
    fn add(&mut self, place: &Place, kind: AxisKind, density: &Density) {
        if !matches!(place.committed, Ok(Some(_))) {
            return;
        }
        let at = match kind {
            AxisKind::Time => cursors::time_of(place, density),
            AxisKind::Offset => committed(place).map(|offset| Standing::Offset(offset.0)),
            AxisKind::FromEnd => committed(place).and_then(|offset| {
                let end = *place.high_watermark.as_ref().ok()?;
                Some(Standing::Offset(offset.0.saturating_sub(end.0)))
            }),
        };
        let Some(at) = at else {
            self.unknown = self.unknown.saturating_add(1);
            return;
        };
        self.placed = self.placed.saturating_add(1);
        let stand = || Stand {
            at,
            partition: place.at.clone(),
        };
        if self.least.as_ref().is_none_or(|least| at < least.at) {
            self.least = Some(stand());
        }
        if self.most.as_ref().is_none_or(|most| at > most.at) {
            self.most = Some(stand());
        }
    }
}

fn committed(place: &Place) -> Option<Offset> {
    place.committed.as_ref().ok().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::by_hand::group;
    use super::*;

    fn counted(kind: AxisKind, group: &GroupPlaces) -> Band {
        let mut band = GroupBand::default();
        let mut budget = 1_000;
        assert!(band.count(1, kind, Some(group), &Density::default(), &mut budget));
        band.band().unwrap().clone()
    }

    #[test]
    fn the_band_reaches_from_the_least_to_the_most_advanced_partition() {
        let billing = group(
            "billing",
            &[
                ("orders", 0, 60, 0, 100),
                ("orders", 1, 90, 0, 100),
                ("payments", 0, 200, 0, 205),
            ],
        );
        let band = counted(AxisKind::FromEnd, &billing);
        let least = band.least.unwrap();
        assert_eq!(least.at, Standing::Offset(-40));
        assert_eq!(least.partition, TopicPartition::new("orders", 0));
        let most = band.most.unwrap();
        assert_eq!(most.at, Standing::Offset(-5));
        assert_eq!(most.partition, TopicPartition::new("payments", 0));
        assert_eq!((band.placed, band.unknown), (3, 0));
        assert_eq!(band.lag.records, Some(55));
    }

    #[test]
    fn a_place_without_a_known_time_is_counted_as_unknown() {
        let band = counted(AxisKind::Time, &group("a", &[("orders", 0, 60, 0, 100)]));
        assert_eq!((band.placed, band.unknown, band.least), (0, 1, None));
    }

    #[test]
    fn a_group_of_many_partitions_is_worked_out_over_several_frames() {
        let billing = group(
            "billing",
            &[("orders", 0, 60, 0, 100), ("orders", 1, 90, 0, 100)],
        );
        let density = Density::default();
        let mut band = GroupBand::default();
        let mut count = |budget: usize| {
            let mut budget = budget;
            let done = band.count(7, AxisKind::Offset, Some(&billing), &density, &mut budget);
            (done, band.band().map(|band| band.placed))
        };
        assert_eq!(count(COST), (false, None));
        assert_eq!(count(COST), (true, Some(2)));
        assert_eq!(count(0), (true, Some(2)));
    }
}
