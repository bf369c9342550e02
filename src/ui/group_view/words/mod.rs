//! What the cells of a group's table say, and why one says nothing. Pure.

use jiff::tz::TimeZone;

use crate::decode::visible::one_line;
use crate::inspect::lag::Place;
use crate::inspect::samples::{Movement, PlaceSamples, RULE, Trend, trend};
use crate::model::time::{format_duration, format_zone};
use crate::model::{Known, Member, Offset, TimestampMs};

use super::super::format::{self, Precision};
use super::super::num::u64_from_usize;
use super::model::Total;

/// How long a movement is told by its age, in milliseconds; then it is told by its time, which does not change
/// while nothing else does.
pub const FRESH_MS: i64 = 60_000;
/// What waits for the next reading.
pub const NEXT_READING: &str = "The next reading comes in about 4 s";

/// How a cell is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Of lesser weight.
    Dim,
    /// All is well.
    Good,
    /// Something to look at.
    Warning,
    /// Something is wrong.
    Error,
}

/// What a cell says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// In short; `—` when it is not known.
    pub text: String,
    /// The same where there is less room; empty when there is no shorter way.
    pub short: String,
    /// More of it, or the reason; empty when there is nothing to add.
    pub hint: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Cell {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    fn dim(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone: Tone::Dim,
            ..Self::default()
        }
    }

    /// Not known, and why.
    pub fn unknown(reason: &(impl std::fmt::Display + ?Sized)) -> Self {
        Self {
            text: "—".to_owned(),
            hint: reason.to_string(),
            tone: Tone::Dim,
            ..Self::default()
        }
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    fn with_short(mut self, short: impl Into<String>) -> Self {
        self.short = short.into();
        self
    }

    fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// The same for those who hear it: `not known: nobody leads it` instead of a dash.
    pub fn spoken(&self) -> String {
        if self.text == "—" && !self.hint.is_empty() {
            let reason = self.hint.lines().next().unwrap_or_default();
            format!("not known: {reason}")
        } else {
            self.text.clone()
        }
    }
}

const NEVER: &str = "The group never committed here";

/// The committed offset.
pub fn committed(place: &Place) -> Cell {
    match &place.committed {
        Ok(Some(offset)) => {
            let epoch = place.leader_epoch;
            let hint = epoch.map_or_else(String::new, |epoch| format!("Leader epoch {epoch}"));
            Cell::plain(format::offset(*offset)).with_hint(hint)
        }
        Ok(None) => Cell::unknown(NEVER),
        Err(problem) => Cell::unknown(problem),
    }
}

/// The end of the log.
pub fn end(place: &Place) -> Cell {
    offset(&place.high_watermark)
}

fn offset(offset: &Known<Offset>) -> Cell {
    match offset {
        Ok(offset) => Cell::dim(format::offset(*offset)),
        Err(problem) => Cell::unknown(problem),
    }
}

/// Records behind.
pub fn lag(place: &Place) -> Cell {
    match place.lag() {
        Ok(Some(records)) => Cell::plain(format::count(records)).with_hint(lost_hint(place)),
        Ok(None) => Cell::unknown(NEVER),
        Err(problem) => {
            let cell = Cell::unknown(&problem);
            if place.is_beyond_end() {
                cell.toned(Tone::Warning)
            } else {
                cell
            }
        }
    }
}

fn lost_hint(place: &Place) -> String {
    place.deleted_unread().map_or_else(String::new, |lost| {
        format!(
            "Without {} that were deleted before the group read them",
            format::counted(lost, "offset", "offsets")
        )
    })
}

/// The time from the next unread record until now.
pub fn delay(place: &Place, now: TimestampMs) -> Cell {
    match place.lag() {
        Ok(Some(0)) => return Cell::dim("0 s").with_hint("Nothing waits"),
        Ok(Some(_)) => {}
        Ok(None) => return Cell::unknown(NEVER),
        Err(problem) => return Cell::unknown(&problem),
    }
    match &place.next {
        None => Cell::unknown("The time of the next record has not been read yet"),
        Some(Err(problem)) => Cell::unknown(problem),
        Some(Ok(None)) => Cell::dim("0 s").with_hint("No record follows, only offsets without one"),
        Some(Ok(Some(head))) => match head.timestamp {
            None => Cell::unknown("The next record carries no time"),
            Some(time) => {
                let ms = now.since_ms(time);
                let hint = if ms < 0 {
                    "The next record is dated ahead of now"
                } else {
                    ""
                };
                Cell::plain(format_duration(ms)).with_hint(hint)
            }
        },
    }
}

/// When the committed offset last changed.
pub fn moved(
    place: &Place,
    samples: Option<&PlaceSamples>,
    now: TimestampMs,
    zone: &TimeZone,
) -> Cell {
    if let Err(problem) = &place.committed {
        return Cell::unknown(problem);
    }
    let movement = samples.map_or_else(Movement::default, |samples| samples.movement);
    let Some(since) = movement.since else {
        return Cell::unknown(NEXT_READING);
    };
    let looked = format!("Tideline has looked since {}", clock(since, now, zone));
    let Some(last) = movement.last else {
        return Cell::dim(format!("not moved since {}", clock(since, now, zone)))
            .with_short(format!(
                "not since {}",
                format::time_of_day(since, zone, Precision::Seconds)
            ))
            .with_hint(format!(
                "Not moved since {}, as long as Tideline has looked",
                clock(since, now, zone)
            ));
    };
    let age = now.since_ms(last.at).max(0);
    let (when, short) = if age < FRESH_MS {
        (format!("{} ago", seconds(age)), String::new())
    } else {
        let time = format::time_of_day(last.at, zone, Precision::Seconds);
        (
            format!("at {}", clock(last.at, now, zone)),
            format!("at {time}"),
        )
    };
    let amount = |by: i64| format::counted(by.unsigned_abs(), "offset", "offsets");
    let (what, how) = match (last.by, &place.committed) {
        (Some(by), _) if by < 0 => ("moved back", format!("Back by {}", amount(by))),
        (Some(by), _) => ("moved", format!("By {}", amount(by))),
        (None, Ok(Some(_))) => ("first commit", "There was none before".to_owned()),
        (None, _) => ("taken away", "There was one before".to_owned()),
    };
    let tone = if what == "moved" {
        Tone::Plain
    } else {
        Tone::Warning
    };
    let short = if short.is_empty() {
        short
    } else {
        format!("{what} {short}")
    };
    Cell::plain(format!("{what} {when}"))
        .with_short(short)
        .with_hint(format!("{how}. {looked}"))
        .toned(tone)
}

/// Whole seconds, so that what is just now reads `0 s` and not in milliseconds.
fn seconds(ms: i64) -> String {
    format!("{} s", ms / 1_000)
}

/// A time with its zone, and its day when that is another one than `now`'s.
pub fn clock(at: TimestampMs, now: TimestampMs, zone: &TimeZone) -> String {
    let time = format::time_of_day(at, zone, Precision::Seconds);
    let zone_name = format_zone(at, zone);
    if format::same_day(at, now, zone) {
        format!("{time} {zone_name}")
    } else {
        format!("{} {time} {zone_name}", format::short_date(at, zone))
    }
}

/// Where the lag is going.
pub fn trend_of(place: &Place, samples: Option<&PlaceSamples>) -> Cell {
    let reason = |reason: &str| Cell::unknown(&format!("{reason}\n{RULE}"));
    match place.lag() {
        Ok(Some(_)) => {}
        Ok(None) => return reason(NEVER),
        Err(problem) => return reason(&problem.message),
    }
    let start = match &place.log_start {
        Ok(start) => *start,
        Err(problem) => return reason(&problem.message),
    };
    let Some(series) = samples.and_then(|samples| samples.series.as_ref()) else {
        return reason(&format!(
            "Single partitions are followed from when the group is looked at. {NEXT_READING}"
        ));
    };
    let (text, tone) = match trend(series, start) {
        Ok(Trend::Stuck) => ("stuck", Tone::Error),
        Ok(Trend::FallingBehind) => ("falling behind", Tone::Warning),
        Ok(Trend::Steady) => ("steady", Tone::Dim),
        Ok(Trend::CatchingUp) => ("catching up", Tone::Good),
        Err(missing) => return reason(missing),
    };
    Cell::plain(text).with_hint(RULE).toned(tone)
}

/// The member that reads a partition. `members` is all of them, or why they are not known.
pub fn owner(owner: Option<&Member>, members: Result<usize, &str>) -> Cell {
    match (owner, members) {
        (Some(owner), _) => {
            let client = one_line(owner.client_id.as_bytes(), 64);
            let member = one_line(owner.member_id.as_bytes(), 128);
            let host = one_line(owner.host.as_bytes(), 64);
            Cell::plain(client).with_hint(format!("Member {member} on {host}"))
        }
        (None, Err(reason)) => Cell::unknown(reason),
        (None, Ok(0)) => Cell::dim("no members"),
        (None, Ok(_)) => Cell::dim("nobody").with_hint("No member is assigned this partition"),
    }
}

/// Warnings, then what was stored with the commit.
pub fn notes(place: &Place) -> Cell {
    let mut warnings = Vec::new();
    if place.is_beyond_end() {
        warnings.push("committed beyond the end".to_owned());
    }
    if let Some(lost) = place.deleted_unread() {
        warnings.push(lost_before_start(lost));
    }
    let has_warnings = !warnings.is_empty();
    if !place.metadata.is_empty() {
        warnings.push(one_line(place.metadata.as_bytes(), 200));
    }
    let text = warnings.join(" · ");
    let short = match (place.is_beyond_end(), place.deleted_unread()) {
        (true, _) => "beyond the end".to_owned(),
        (false, Some(lost)) => format!("lost {}", format::count(lost)),
        (false, None) => String::new(),
    };
    let hint = if place.metadata.is_empty() {
        text.clone()
    } else {
        format!(
            "{text}\nStored with the commit: {}",
            one_line(place.metadata.as_bytes(), 4_096)
        )
    };
    let tone = if has_warnings {
        Tone::Warning
    } else {
        Tone::Dim
    };
    Cell::plain(text)
        .with_short(short)
        .with_hint(hint)
        .toned(tone)
}

fn lost_before_start(lost: u64) -> String {
    format!("lost {} before the log start", format::count(lost))
}

/// Records behind in several partitions.
pub fn total_lag(total: &Total) -> Cell {
    let unknown = partitions(total.unknown);
    match (total.lag.records, total.unknown) {
        (Some(records), 0) => Cell::plain(format::count(records)),
        (Some(records), _) => Cell::plain(format!("≥ {}", format::count(records)))
            .with_hint(format!(
                "At least {}: the lag of {unknown} is not known",
                format::count(records)
            ))
            .toned(Tone::Warning),
        (None, 0) => Cell::unknown(NEVER),
        (None, _) => Cell::unknown(&format!("The lag of {unknown} is not known")),
    }
}

/// The longest time behind in several partitions.
pub fn total_delay(total: &Total, now: TimestampMs) -> Cell {
    let untimed = total.untimed.saturating_add(total.unknown);
    match (total.waiting_since, untimed) {
        (Some(time), 0) => Cell::plain(format_duration(now.since_ms(time))),
        (Some(time), _) => Cell::plain(format!("≥ {}", format_duration(now.since_ms(time))))
            .with_hint(format!(
                "At least: in {} it is not known",
                partitions(untimed)
            )),
        (None, 0) if total.lag.records.is_some() => Cell::dim("0 s").with_hint("Nothing waits"),
        (None, 0) => Cell::unknown(NEVER),
        (None, _) => Cell::unknown(&format!("In {} it is not known", partitions(untimed))),
    }
}

/// What is to be said of several partitions.
pub fn total_notes(total: &Total) -> Cell {
    let mut said = Vec::new();
    if total.unknown > 0 {
        said.push(format!("{} not known", partitions(total.unknown)));
    }
    if total.beyond > 0 {
        said.push(format!(
            "{} committed beyond the end",
            partitions(total.beyond)
        ));
    }
    if total.lost > 0 {
        said.push(lost_before_start(total.lost));
    }
    let has_warnings = !said.is_empty();
    let short = match (total.unknown, total.lost) {
        (0, 0) => String::new(),
        (0, lost) => format!("lost {}", format::count(lost)),
        (unknown, _) => format!("{} not known", format::count(u64_from_usize(unknown))),
    };
    if total.never > 0 {
        said.push(format!("{} never committed", partitions(total.never)));
    }
    let text = said.join(" · ");
    let tone = if has_warnings {
        Tone::Warning
    } else {
        Tone::Dim
    };
    Cell::plain(text.clone())
        .with_short(short)
        .with_hint(text)
        .toned(tone)
}

/// `1 partition`, `8,000 partitions`.
pub fn partitions(count: usize) -> String {
    format::counted(u64_from_usize(count), "partition", "partitions")
}

#[cfg(test)]
mod tests;
