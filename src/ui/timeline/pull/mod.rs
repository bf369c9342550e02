//! Where a group's flag goes when it is pulled to a place or moved by keys: never beyond the log, and it is said
//! why it stops. Pure.

use jiff::tz::TimeZone;

use crate::engine::{Density, GroupPlaces};
use crate::inspect::lag::Place;
use crate::model::{Offset, RecordHead, TimestampMs, TopicPartition};

use super::super::format::{self, Precision};
use super::super::num::i64_from_f64;
use super::super::state::AxisKind;
use super::super::state::rewind::FlagAim;
use super::cursors::{self, Standing, place_in};
use super::model::Lane;
use super::offsets;

const END: &str = "end of log";

/// What a flag is pulled in.
pub struct Field<'a> {
    /// The lane of the flag.
    pub lane: &'a Lane,
    /// The group whose flag it is.
    pub group: &'a GroupPlaces,
    /// The partition at which the flag stands.
    pub at: TopicPartition,
    /// What is known of times.
    pub density: &'a Density,
    /// What the axis shows.
    pub kind: AxisKind,
    /// The present.
    pub now: TimestampMs,
    /// The zone in which times are written.
    pub zone: &'a TimeZone,
}

/// A place for a flag, and why it is not farther on.
pub type Pulled = (FlagAim, Option<String>);

impl Field<'_> {
    /// Where the flag goes when it is pulled to `value` on the axis; with all partitions of the topic when
    /// `whole`.
    ///
    /// # Errors
    /// Why it cannot be moved.
    pub fn pulled(&self, value: f64, whole: bool) -> Result<Pulled, String> {
        let whole = whole || self.lane.partitions().len() > 1;
        let value = value.floor();
        match (self.kind, whole) {
            (AxisKind::Time, true) => Ok(self.topic_at(TimestampMs(i64_from_f64(value)))),
            (AxisKind::Time, false) => self.partition_at(TimestampMs(i64_from_f64(value))),
            (kind, false) => {
                let (_, end) = self.ends()?;
                self.to_offset(offsets::offset_at(kind, end, value).0)
            }
            (kind, true) => {
                let (start, end) = self.ends()?;
                let offset = offsets::offset_at(kind, end, value).clamp(start, end);
                let time = self.time_of(offset).ok_or("the time there is not known")?;
                Ok(self.topic_at(time))
            }
        }
    }

    /// Where it goes by keys, `by` steps on from `from`: records in one partition, else columns of `step_ms`.
    ///
    /// # Errors
    /// Why it cannot be moved.
    pub fn stepped(&self, from: Option<&FlagAim>, by: i64, step_ms: i64) -> Result<Pulled, String> {
        if self.lane.partitions().len() > 1 {
            if self.kind != AxisKind::Time {
                return Err("on an axis of offsets one partition is moved at a time".to_owned());
            }
            let from = from.and_then(FlagAim::time).or_else(|| self.stands());
            let from = from.unwrap_or(self.now);
            return Ok(self.topic_at(from.moved_ms(by.saturating_mul(step_ms))));
        }
        let place = self.place()?;
        let offset = match from {
            Some(FlagAim::Offset(_, offset)) => Some(*offset),
            Some(aim) => aim.time().and_then(|time| self.offset_of(time)),
            None => None,
        };
        let committed = place.committed.clone().ok().flatten();
        let offset = offset.or(committed).ok_or("it never committed here")?;
        self.to_offset(offset.0.saturating_add(by))
    }

    fn place(&self) -> Result<&Place, String> {
        place_in(self.group, &self.at).ok_or_else(|| "it has no place here".to_owned())
    }

    /// The log start and the end of the log.
    fn ends(&self) -> Result<(Offset, Offset), String> {
        let place = self.place()?;
        match (&place.log_start, &place.high_watermark) {
            (Ok(start), Ok(end)) => Ok((*start, *end)),
            (Err(problem), _) | (_, Err(problem)) => {
                Err(format!("where the log ends is not known: {problem}"))
            }
        }
    }

    fn to_offset(&self, offset: i64) -> Result<Pulled, String> {
        let (start, end) = self.ends()?;
        let within = Offset(offset).clamp(start, end);
        let stop = if offset < start.0 {
            Some(self.start_text(start))
        } else if offset > end.0 {
            Some(END.to_owned())
        } else {
            None
        };
        Ok((FlagAim::Offset(self.at.clone(), within), stop))
    }

    fn partition_at(&self, time: TimestampMs) -> Result<Pulled, String> {
        let (start, end) = self.ends()?;
        let to = |offset| FlagAim::Offset(self.at.clone(), offset);
        let place = self.place()?;
        // The record at which it stands is meant, not the first of that time.
        if let Some(Standing::At {
            time: own,
            exact: true,
        }) = cursors::time_of(place, self.density)
            && own == time
            && let Ok(Some(committed)) = &place.committed
            && (start..=end).contains(committed)
        {
            return Ok((to(*committed), None));
        }
        if self.first_time(start).is_some_and(|first| time < first) {
            return Ok((to(start), Some(self.start_text(start))));
        }
        let index = self.density.partitions.get(&self.at);
        let is_end = index.is_some_and(|index| index.offsets_around(time).0 >= end);
        if time >= self.now || is_end {
            return Ok((to(end), Some(END.to_owned())));
        }
        Ok((FlagAim::Time(self.at.clone(), time), None))
    }

    fn topic_at(&self, time: TimestampMs) -> Pulled {
        let places = cursors::places_in(self.group, &self.at.topic);
        let first = places
            .iter()
            .filter_map(|place| {
                let start = *place.log_start.as_ref().ok()?;
                Some((time_of_offset(&place.at, start, self.density)?, start))
            })
            .min();
        let (time, stop) = match first {
            Some((first, start)) if time < first => (first, Some(self.start_text(start))),
            _ if time > self.now => (self.now, Some(END.to_owned())),
            _ => (time, None),
        };
        let topic = std::sync::Arc::clone(&self.at.topic);
        (
            FlagAim::Topic(topic, time, typed_time(time, self.zone)),
            stop,
        )
    }

    /// Why a flag goes no farther back.
    fn start_text(&self, start: Offset) -> String {
        if start.0 <= 0 {
            return "start of log".to_owned();
        }
        let time = self.first_time(start).map(|time| {
            let clock = format::time_of_day(time, self.zone, Precision::Minutes);
            if format::same_day(time, self.now, self.zone) {
                clock
            } else {
                format!("{} {clock}", format::short_date(time, self.zone))
            }
        });
        format!(
            "deleted before {}",
            time.unwrap_or_else(|| format::offset(start))
        )
    }

    fn first_time(&self, start: Offset) -> Option<TimestampMs> {
        self.time_of(start)
    }

    fn stands(&self) -> Option<TimestampMs> {
        match cursors::time_of(self.place().ok()?, self.density)? {
            Standing::At { time, .. } => Some(time),
            Standing::End | Standing::Offset(_) => Some(self.now),
        }
    }

    fn time_of(&self, offset: Offset) -> Option<TimestampMs> {
        time_of_offset(&self.at, offset, self.density)
    }

    fn offset_of(&self, time: TimestampMs) -> Option<Offset> {
        offset_near(&self.at, time, self.density)
    }
}

/// The time of the record at an offset, as it says or about.
pub fn time_of_offset(
    at: &TopicPartition,
    offset: Offset,
    density: &Density,
) -> Option<TimestampMs> {
    match density.heads.get(&(at.clone(), offset)) {
        Some(Ok(Some(RecordHead {
            timestamp: Some(time),
            ..
        }))) => Some(*time),
        _ => density.partitions.get(at)?.time_near(offset),
    }
}

/// The first offset at or after a time, about.
pub fn offset_near(at: &TopicPartition, time: TimestampMs, density: &Density) -> Option<Offset> {
    let (offset, _) = density.partitions.get(at)?.offset_at(time);
    Some(Offset(i64_from_f64(offset.floor())))
}

/// A time as it stands in the field for times: in `zone`, to the second where it is a whole one.
pub fn typed_time(at: TimestampMs, zone: &TimeZone) -> String {
    let pattern = if at.0.rem_euclid(1_000) == 0 {
        "%Y-%m-%d %H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M:%S%.3f"
    };
    crate::model::time::zoned(at, zone).map_or_else(
        || at.0.to_string(),
        |moment| moment.strftime(pattern).to_string(),
    )
}

#[cfg(test)]
mod tests;
