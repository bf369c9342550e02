//! Which of many partitions are worth reading: look-ups tell it cheaper than reading a little of each.

use std::future::Future;

use tokio::runtime::Handle;

use crate::bus::{Found, Seek};
use crate::engine::tasks::by_time::Direction;
use crate::model::{Known, Offset, Problem, ProblemKind, TimestampMs};

use super::cuts::Moment;
use super::gather::{Gathering, MANY};
use super::piece::Hint;

/// How often a step back in time is tried before the rest is read.
const STEPS: usize = 10;
/// Each step back in time is this many times as long as the one before.
const LONGER: i64 = 8;

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
        if bounded.len() > MANY {
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
                Direction::NewestFirst => stretch.hint = Hint::Near(Some(time)),
            }
        }
        Ok(())
    }

    /// Goes back in time until what lies between holds as many offsets as are lacking. Lanes that have something
    /// there are known to be worth reading; of the others it is known that they have nothing later.
    fn step_back(&mut self, lanes: Vec<usize>, edge: Option<(Moment, usize)>) -> Known<()> {
        let latest = |hint: Hint| hint.time().and_then(|moment| moment.0);
        let begin = lanes
            .iter()
            .filter_map(|lane| latest(self.stretches.get(lane)?.hint))
            .max();
        let Some(begin) = begin else {
            return Ok(());
        };
        let lacking = u64::try_from(self.lacking()).unwrap_or(u64::MAX);
        let mut left = lanes;
        let mut between: u64 = 0;
        for _ in 0..STEPS {
            // Nothing before the last row that is wanted matters.
            let least = edge.and_then(|(moment, _)| moment.0);
            let until = begin
                .moved_ms(self.step_ms.saturating_neg())
                .max(least.unwrap_or(TimestampMs(0)));
            let found = self.look_up(&left, Seek::AtOrAfter(until))?;
            let mut before = Vec::new();
            for (lane, found) in found {
                let Some(stretch) = self.stretches.get_mut(&lane) else {
                    continue;
                };
                let offset = match found {
                    Ok(found) => found.offset.unwrap_or(stretch.rest.1),
                    // Not known is worth reading.
                    Err(_) => stretch.rest.0,
                };
                let width = stretch
                    .rest
                    .1
                    .since(offset.max(stretch.rest.0))
                    .unwrap_or(0);
                if width == 0 {
                    stretch.hint = Hint::NotAfter(until.moved_ms(-1));
                    before.push(lane);
                } else {
                    between = between.saturating_add(width.min(lacking));
                    stretch.hint = Hint::Near(Some(begin));
                    stretch.size = width.min(stretch.size.max(4));
                }
            }
            left = before;
            let is_enough = between >= lacking || left.len() <= MANY;
            if is_enough || until <= least.unwrap_or(TimestampMs(0)) {
                break;
            }
            self.step_ms = self.step_ms.saturating_mul(LONGER);
        }
        if between < lacking && edge.is_none() {
            // Nothing later was found anywhere: what is left is read.
            for lane in left {
                if let Some(stretch) = self.stretches.get_mut(&lane) {
                    stretch.asked = true;
                }
            }
        }
        Ok(())
    }

    fn look_up(&self, lanes: &[usize], seek: Seek) -> Known<Vec<(usize, Known<Found>)>> {
        let asked = self.lanes.look_up(self.bus, lanes.iter().copied(), seek);
        self.wait(asked)
    }

    /// Waits for an answer on this thread, which may block, unless the gathering is given up.
    fn wait<T>(&self, answer: impl Future<Output = T>) -> Known<T> {
        let runtime = Handle::try_current()
            .map_err(|error| Problem::new(ProblemKind::Other, error.to_string()))?;
        runtime.block_on(async {
            tokio::select! {
                answer = answer => Ok(answer),
                () = self.cancel.cancelled() => Err(Problem::new(ProblemKind::Cancelled, "given up")),
            }
        })
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
