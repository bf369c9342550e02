//! Whole numbers that should follow one another, kept as stretches without a gap.

use crate::model::{Offset, TimestampMs};

use super::table::Room;

/// Where a record lies; its lane is the number that its partition has in here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) lane: u32,
    pub(super) offset: i64,
    pub(super) time: Option<TimestampMs>,
}

/// Offset and time in 16 bytes: there are very many of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    offset: i64,
    ms: i64,
}

/// The one time that no clock shows stands for none.
const NO_TIME: i64 = i64::MIN;

impl Packed {
    pub(super) fn new(spot: Spot) -> Self {
        Self {
            offset: spot.offset,
            ms: spot.time.map_or(NO_TIME, |TimestampMs(ms)| ms),
        }
    }

    pub(super) fn spot(self, lane: u32) -> Spot {
        Spot {
            lane,
            offset: self.offset,
            time: (self.ms != NO_TIME).then_some(TimestampMs(self.ms)),
        }
    }
}

/// Numbers without a gap, from the first to the last, and where those two were seen.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: i64,
    to: i64,
    first: Packed,
    last: Packed,
    first_lane: u32,
    last_lane: u32,
}

impl Run {
    fn new(number: i64, spot: Spot) -> Self {
        Self {
            from: number,
            to: number,
            first: Packed::new(spot),
            last: Packed::new(spot),
            first_lane: spot.lane,
            last_lane: spot.lane,
        }
    }

    /// Takes a number that lies in it or beside it; whether it did.
    fn take(&mut self, number: i64, spot: Spot) -> bool {
        if (self.from..=self.to).contains(&number) {
            return true;
        }
        if self.to.checked_add(1) == Some(number) {
            self.to = number;
            self.last = Packed::new(spot);
            self.last_lane = spot.lane;
            return true;
        }
        if self.from.checked_sub(1) == Some(number) {
            self.from = number;
            self.first = Packed::new(spot);
            self.first_lane = spot.lane;
            return true;
        }
        false
    }

    /// Whether the other one goes on where this one ends.
    fn joins(&self, later: &Self) -> bool {
        self.to.checked_add(1) == Some(later.from)
    }

    fn append(&mut self, later: &Self) {
        self.to = later.to;
        self.last = later.last;
        self.last_lane = later.last_lane;
    }

    fn len(&self) -> u64 {
        self.to.abs_diff(self.from).saturating_add(1)
    }
}

/// What is missing between two stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) from: i64,
    pub(super) to: i64,
    /// Where the number before it was seen.
    pub(super) before: Spot,
    /// Where the number behind it was seen.
    pub(super) after: Spot,
}

impl Gap {
    /// The offsets from the record before it to the one behind it, or of that one alone where they lie in two lanes.
    pub(super) fn offsets(&self) -> (Offset, Offset) {
        let (before, after) = (Offset(self.before.offset), Offset(self.after.offset));
        if self.before.lane == self.after.lane {
            (before.min(after), before.max(after))
        } else {
            (after, after)
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.to.abs_diff(self.from).saturating_add(1)
    }
}

/// What is kept only where there are, or were, gaps.
#[derive(Debug)]
struct Many {
    /// The later stretches in their order.
    later: Vec<Run>,
    /// Whose numbers they are.
    whose: Box<[u8]>,
}

/// The numbers of one key or source.
#[derive(Debug)]
pub(super) struct Runs {
    one: Run,
    many: Option<Box<Many>>,
    /// Whether they were seen in more than one lane.
    is_spread: bool,
    /// Whether there were too many stretches to keep.
    is_scattered: bool,
}

/// More stretches than these are no gaps between numbers, but numbers of another sort.
const MOST_LATER: usize = 1_000;
/// What is kept of the name of a key or source.
const MOST_WHOSE: usize = 256;
/// A list of stretches has up to twice the room that it needs.
const RUN_BYTES: usize = size_of::<Run>().saturating_mul(2);
const MANY_BYTES: usize = size_of::<Many>();

impl Runs {
    pub(super) fn new(number: i64, spot: Spot) -> Self {
        Self {
            one: Run::new(number, spot),
            many: None,
            is_spread: false,
            is_scattered: false,
        }
    }

    /// Takes a number of `whose`.
    pub(super) fn add(&mut self, number: i64, spot: Spot, whose: &[u8], room: &mut Room) {
        self.is_spread |= spot.lane != self.one.first_lane;
        if self.is_scattered {
            return;
        }
        let taken = self.one.take(number, spot);
        let Some(many) = &mut self.many else {
            if !taken {
                self.part(number, spot, whose, room);
            }
            return;
        };
        let later = &mut many.later;
        if taken {
            if let Some(next) = later.first().filter(|next| self.one.joins(next)) {
                self.one.append(next);
                later.remove(0);
                room.give(RUN_BYTES);
            }
        } else if number < self.one.from {
            if room.take(RUN_BYTES) {
                later.insert(0, self.one);
                self.one = Run::new(number, spot);
            }
        } else {
            insert(later, number, spot, room);
        }
        if later.is_empty() {
            room.give(MANY_BYTES.saturating_add(many.whose.len()));
            self.many = None;
        } else if later.len() > MOST_LATER {
            room.give(RUN_BYTES.saturating_mul(later.len()));
            later.clear();
            later.shrink_to_fit();
            self.is_scattered = true;
        }
    }

    /// From now on there are two stretches.
    fn part(&mut self, number: i64, spot: Spot, whose: &[u8], room: &mut Room) {
        let whose = whose.get(..MOST_WHOSE).unwrap_or(whose);
        let bytes = MANY_BYTES
            .saturating_add(RUN_BYTES)
            .saturating_add(whose.len());
        if !room.take(bytes) {
            return;
        }
        let mut later = Run::new(number, spot);
        if number < self.one.from {
            std::mem::swap(&mut self.one, &mut later);
        }
        self.many = Some(Box::new(Many {
            later: vec![later],
            whose: whose.into(),
        }));
    }

    /// Whose numbers they are, where there are gaps.
    pub(super) fn whose(&self) -> &[u8] {
        self.many.as_ref().map_or(&[], |many| &many.whose)
    }

    /// What is missing, in its order.
    pub(super) fn gaps(&self) -> impl Iterator<Item = Gap> {
        let later = || self.many.iter().flat_map(|many| &many.later);
        std::iter::once(&self.one)
            .chain(later())
            .zip(later())
            .filter_map(|(run, next)| {
                Some(Gap {
                    from: run.to.checked_add(1)?,
                    to: next.from.checked_sub(1)?,
                    before: run.last.spot(run.last_lane),
                    after: next.first.spot(next.first_lane),
                })
            })
    }

    /// Where the first of all numbers was seen.
    pub(super) fn first_lane(&self) -> u32 {
        self.one.first_lane
    }

    /// Whether numbers were seen in more than one lane.
    pub(super) fn is_spread(&self) -> bool {
        self.is_spread
    }

    /// Whether there is a gap behind so many of the numbers that these are none that are given one after the other: at
    /// least three gaps, and more than one for every three numbers.
    pub(super) fn jump(&self) -> bool {
        if self.is_scattered {
            return true;
        }
        let Some(many) = &self.many else {
            return false;
        };
        let gaps = u64::try_from(many.later.len()).unwrap_or(u64::MAX);
        let seen = many.later.iter().map(Run::len);
        let seen = seen.fold(self.one.len(), u64::saturating_add);
        gaps >= 3 && gaps.saturating_mul(3) > seen
    }
}

/// Takes a number that lies behind the first stretch.
fn insert(later: &mut Vec<Run>, number: i64, spot: Spot, room: &mut Room) {
    let at = later.partition_point(|run| run.from <= number);
    let (before, after) = later.split_at_mut(at);
    if let Some(run) = before.last_mut()
        && run.take(number, spot)
    {
        if let Some(next) = after.first().filter(|next| run.joins(next)) {
            run.append(next);
            later.remove(at);
            room.give(RUN_BYTES);
        }
        return;
    }
    if after.first_mut().is_some_and(|run| run.take(number, spot)) {
        return;
    }
    if room.take(RUN_BYTES) {
        later.insert(at, Run::new(number, spot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(offset: i64) -> Spot {
        Spot {
            lane: 0,
            offset,
            time: None,
        }
    }

    /// Runs of these numbers, the first at offset 0.
    fn runs(numbers: &[i64], room: &mut Room) -> Runs {
        let mut runs = Runs::new(numbers[0], spot(0));
        for (number, offset) in numbers.iter().zip(0..).skip(1) {
            runs.add(*number, spot(offset), b"k", room);
        }
        runs
    }

    fn gaps(numbers: &[i64]) -> Vec<(i64, i64, i64, i64)> {
        runs(numbers, &mut Room::new(1 << 20))
            .gaps()
            .map(|gap| (gap.from, gap.to, gap.before.offset, gap.after.offset))
            .collect()
    }

    #[test]
    fn gaps_lie_between_what_was_seen() {
        assert_eq!(gaps(&[1, 2, 3]), []);
        assert_eq!(gaps(&[1, 2, 4, 9]), [(3, 3, 1, 2), (5, 8, 2, 3)]);
        assert_eq!(gaps(&[9, 4, 2, 1]), [(3, 3, 2, 1), (5, 8, 1, 0)]);
        assert_eq!(
            gaps(&[i64::MAX, i64::MIN]),
            [(i64::MIN + 1, i64::MAX - 1, 1, 0)]
        );
    }

    #[test]
    fn what_comes_later_fills_a_gap_and_frees_what_it_took() {
        for numbers in [
            [1, 3, 5, 4, 2],
            [5, 1, 3, 2, 4],
            [3, 1, 5, 2, 4],
            [1, 5, 2, 4, 3],
            [5, 3, 1, 4, 2],
        ] {
            let mut room = Room::new(10_000);
            let filled = runs(&numbers, &mut room);
            assert_eq!(filled.gaps().count(), 0, "{numbers:?}");
            assert_eq!(room.left(), 10_000, "{numbers:?}");
        }
    }

    #[test]
    fn numbers_that_jump_are_told_from_a_few_that_are_lost() {
        let jump = |numbers: &[i64]| runs(numbers, &mut Room::new(1 << 20)).jump();
        assert!(jump(&[10, 20, 30, 40]));
        assert!(!jump(&[1, 3, 5]));
        assert!(!jump(&[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]));
        let thousands: Vec<i64> = (0..5_000).map(|n| n * 10).collect();
        let mut room = Room::new(1 << 20);
        let scattered = runs(&thousands, &mut room);
        assert!(scattered.jump());
        assert_eq!(scattered.gaps().count(), 0);
        assert!(room.left() > (1 << 20) - 200);
    }

    #[test]
    fn without_room_a_gap_is_not_followed() {
        let mut room = Room::new(10);
        assert_eq!(runs(&[1, 3], &mut room).gaps().count(), 0);
        assert!(room.is_short());
    }

    #[test]
    fn a_time_is_kept_or_is_none() {
        let at = |time| Spot { time, ..spot(3) };
        for time in [None, Some(TimestampMs(-1)), Some(TimestampMs(7))] {
            assert_eq!(Packed::new(at(time)).spot(0), at(time));
        }
    }
}
