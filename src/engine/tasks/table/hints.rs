//! Which of many partitions are worth reading: look-ups tell it cheaper than reading a little of each.

use crate::bus::{Found, Seek};
use crate::engine::tasks::by_time::Direction;
use crate::model::{Known, Offset, TimestampMs};

use super::cuts::Moment;
use super::gather::{Gathering, MANY};
use super::piece::Hint;

/// How often look-ups are tried before the rest is read.
const STEPS: usize = 48;
/// Each step back in time is this many times as long as the one before.
const LONGER: i64 = 8;

/// What of a lane lies between a time and where reading goes on.
struct Between {
    lane: usize,
    /// The first offset.
    first: Offset,
    /// How many offsets.
    width: u64,
    /// The time of the only one.
    only: Option<TimestampMs>,
}

impl Gathering<'_> {
    /// Asks the bus about the lanes of `hiding` of which little is known, where they are many. Says whether that
    /// told something.
    ///
    /// # Errors
    /// There is nothing to wait on, or the gathering was given up.
    pub(super) fn look(&mut self, hiding: &[usize], edge: Option<(Moment, usize)>) -> Known<bool> {
        let with = |hint: fn(Hint) -> bool| -> Vec<usize> {
            hiding
                .iter()
                .copied()
                .filter(|lane| {
                    let stretch = self.stretches.get(lane);
                    stretch.is_some_and(|stretch| hint(stretch.hint) && !stretch.asked)
                })
                .collect()
        };
        let mut unknown = with(|hint| hint == Hint::Unknown);
        if self.direction == Direction::OldestFirst {
            // In the middle of a log there is no asking for the next record.
            unknown.retain(|lane| {
                let begin = self.lanes.get(*lane).map(|known| known.range.from);
                self.stretches.get(lane).map(|stretch| stretch.rest.0) == begin
            });
        }
        if unknown.len() > MANY {
            self.ask_what_is_next(&unknown)?;
            return Ok(true);
        }
        let bounded = with(|hint| matches!(hint, Hint::NotAfter(_)));
        // Those that are known to have something next may be enough.
        let known = hiding
            .iter()
            .filter_map(|lane| self.stretches.get(lane))
            .filter(|stretch| matches!(stretch.hint, Hint::Near(_)))
            .map(|stretch| stretch.width().min(stretch.size))
            .fold(0, u64::saturating_add);
        let lacking = u64::try_from(self.lacking()).unwrap_or(u64::MAX);
        let is_lacking = edge.is_some() || known < lacking;
        if bounded.len() > MANY && is_lacking {
            self.step_back(bounded, edge)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Asks for the first time of each of `lanes`, or for its latest.
    fn ask_what_is_next(&mut self, lanes: &[usize]) -> Known<()> {
        let seek = match self.direction {
            Direction::OldestFirst => {
                Seek::AtOrAfter(self.lanes.times().0.unwrap_or(TimestampMs(0)))
            }
            Direction::NewestFirst => Seek::MaxTimestamp,
        };
        let found = self.look_up(lanes, seek)?;
        for (lane, found) in found {
            let Some(stretch) = self.stretches.get_mut(&lane) else {
                continue;
            };
            stretch.asked = true;
            let Ok(Found {
                offset: Some(offset),
                timestamp: Some(time),
            }) = found
            else {
                continue;
            };
            match self.direction {
                // Holes may lie before it, or records without a time: those have to be read.
                Direction::OldestFirst if offset == stretch.rest.0 => {
                    stretch.hint = Hint::Near(Some(time));
                }
                Direction::OldestFirst => {}
                Direction::NewestFirst => {
                    stretch.hint = Hint::Near(Some(time));
                    stretch.latest = Some((offset, time));
                }
            }
        }
        Ok(())
    }

    /// Goes back in time until what lies between holds about as many offsets as are lacking. Lanes that have
    /// something there are worth reading; of the others it is known that they have nothing later.
    fn step_back(&mut self, lanes: Vec<usize>, edge: Option<(Moment, usize)>) -> Known<()> {
        let latest = |lane: &usize| self.stretches.get(lane)?.hint.time()?.0;
        let Some(begin) = lanes.iter().filter_map(latest).max() else {
            return Ok(());
        };
        // Nothing before the last row that is wanted matters, nor before the beginning of time.
        let least = edge.and_then(|(moment, _)| moment.0);
        let least = least.unwrap_or(TimestampMs(0));
        let mut lacking = u64::try_from(self.lacking()).unwrap_or(u64::MAX);
        let mut left = lanes;
        // Nothing lies from `high` on, and too much between `low` and it.
        let (mut high, mut low) = (begin.moved_ms(1), None::<TimestampMs>);
        for _ in 0..STEPS {
            let until = match low {
                None => high.moved_ms(self.step_ms.saturating_neg()).max(least),
                Some(low) => low.moved_ms((high.since_ms(low) / 2).max(0)),
            };
            let widths = self.widths(&left, until)?;
            let sum = |widths: &mut dyn Iterator<Item = &Between>| {
                widths
                    .map(|between| between.width.min(lacking))
                    .fold(0, u64::saturating_add)
            };
            let between = sum(&mut widths.iter());
            // A single record's time is told by the look-up; of more, only that they are earlier than `high`.
            let untold = sum(&mut widths.iter().filter(|between| between.only.is_none()));
            let is_narrow = high.since_ms(until) <= 1;
            if untold > lacking.saturating_mul(4) && !is_narrow {
                low = Some(until);
                continue;
            }
            left.clear();
            for Between {
                lane,
                first,
                width,
                only,
            } in widths
            {
                let Some(stretch) = self.stretches.get_mut(&lane) else {
                    continue;
                };
                if width == 0 {
                    stretch.hint = Hint::NotAfter(until.moved_ms(-1));
                    left.push(lane);
                } else {
                    let latest = only.unwrap_or_else(|| high.moved_ms(-1));
                    stretch.hint = Hint::Near(Some(latest));
                    stretch.size = width.min(lacking);
                    stretch.earlier = Some((first, until));
                }
            }
            if between >= lacking || left.is_empty() {
                return Ok(());
            }
            if until <= least {
                break;
            }
            lacking = lacking.saturating_sub(between);
            high = until;
            if low == Some(until) {
                low = None;
            }
            if low.is_none() {
                self.step_ms = self.step_ms.saturating_mul(LONGER);
            }
        }
        // Nothing more can be told of them: they are read.
        for lane in left {
            if let Some(stretch) = self.stretches.get_mut(&lane) {
                stretch.asked = true;
            }
        }
        Ok(())
    }

    /// What of each of `lanes` lies from `time` up to where reading goes on.
    fn widths(&self, lanes: &[usize], time: TimestampMs) -> Known<Vec<Between>> {
        let found = self.look_up(lanes, Seek::AtOrAfter(time))?;
        let widths = found.into_iter().filter_map(|(lane, found)| {
            let (low, high) = self.stretches.get(&lane)?.rest;
            let (offset, time) = match found {
                Ok(found) => (found.offset.unwrap_or(high), found.timestamp),
                // Not known is worth reading.
                Err(_) => (low, None),
            };
            let first = offset.max(low);
            let width = high.since(first).unwrap_or(0);
            let only = time.filter(|_| width == 1);
            Some(Between {
                lane,
                first,
                width,
                only,
            })
        });
        Ok(widths.collect())
    }

    pub(super) fn look_up(&self, lanes: &[usize], seek: Seek) -> Known<Vec<(usize, Known<Found>)>> {
        let asked = self.lanes.look_up(self.bus, lanes.iter().copied(), seek);
        self.cancel.wait(asked)
    }
}

/// What is known of the times below and above a cut at `time` from the look-ups that made it.
pub(super) fn hints_at(found: &Found, cut: Offset, time: TimestampMs) -> (Hint, Hint) {
    let below = match found {
        Found {
            offset: Some(offset),
            timestamp: Some(time),
        } if *offset == cut => Hint::Near(Some(*time)),
        _ => Hint::Unknown,
    };
    (Hint::NotAfter(time.moved_ms(-1)), below)
}
