//! Times as people write and read them, and the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, ZonedDateTime};

use super::TimestampMs;

/// Where "now" comes from; tests and snapshot images fix it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// Always this time.
    Fixed(TimestampMs),
}

impl Clock {
    /// The time now.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that everybody else asks"
    )]
    pub fn now(self) -> TimestampMs {
        match self {
            Self::Fixed(at) => at,
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                TimestampMs(since.map_or(0, |since| {
                    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
                }))
            }
        }
    }
}

/// A time that a person typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedTime {
    /// The moment meant.
    pub at: TimestampMs,
    /// Whether it was written without a zone, so that `zone` decided.
    pub zone_assumed: bool,
}

/// Reads a time: RFC 3339 (without a zone it is in `zone`, where it must have been exactly once), whole milliseconds since 1970, `now`, or a
/// duration back from `now` such as `-90m`, `-1h30m`, `-7d`.
///
/// # Errors
/// What is wrong with `text`, and the forms that are understood.
pub fn parse_time(text: &str, now: TimestampMs, zone: &TimeZone) -> Result<ParsedTime, String> {
    let text = text.trim();
    let at = |at| ParsedTime {
        at,
        zone_assumed: false,
    };
    if text == "now" {
        return Ok(at(now));
    }
    if let Some(back) = text.strip_prefix('-')
        && !back.is_empty()
        && back.ends_with(|last: char| last.is_ascii_alphabetic())
    {
        let ms = parse_duration_ms(back)?;
        return Ok(at(now.moved_ms(ms.saturating_neg())));
    }
    if let Ok(ms) = text.parse::<i64>() {
        return Ok(at(TimestampMs(ms)));
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(at(TimestampMs(moment.as_millisecond())));
    }
    if let Ok(local) = text.parse::<jiff::civil::DateTime>() {
        return local_time(text, local, zone).map(|at| ParsedTime {
            at,
            zone_assumed: true,
        });
    }
    Err(format!(
        "“{text}” is not a time: write 2026-11-30T14:02:00+01:00, milliseconds since 1970, now, or a duration back such as -90m"
    ))
}

/// A time of a clock on the wall. Where the clock was put forward or back, one time is none and another is two.
fn local_time(
    text: &str,
    local: jiff::civil::DateTime,
    zone: &TimeZone,
) -> Result<TimestampMs, String> {
    let in_zone = |offset: Offset| {
        offset
            .to_timestamp(local)
            .map(|at| TimestampMs(at.as_millisecond()))
            .map_err(|_far| format!("“{text}” lies outside of the years that have a date"))
    };
    let written = |offset| in_zone(offset).map(|at| format_time(at, zone));
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => in_zone(offset),
        AmbiguousOffset::Gap { before, after } => Err(format!(
            "“{text}” does not exist: clocks were put forward over it; write {} or {}",
            written(after)?,
            written(before)?
        )),
        AmbiguousOffset::Fold { before, after } => Err(format!(
            "“{text}” was twice, as clocks were put back: write which is meant, {} or {}",
            written(before)?,
            written(after)?
        )),
    }
}

/// Reads a duration such as `250ms`, `90s`, `15m`, `2h`, `7d`, `1h30m`; returns milliseconds, never negative.
///
/// # Errors
/// What is wrong with `text`.
pub fn parse_duration_ms(text: &str) -> Result<i64, String> {
    let wrong = || format!("“{text}” is not a duration: write 250ms, 90s, 15m, 2h, 7d or 1h30m");
    let mut total: i64 = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, after) = rest.split_at(digits);
        let unit_end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let unit_ms: i64 = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let part = number
            .parse::<i64>()
            .ok()
            .and_then(|number| number.checked_mul(unit_ms))
            .ok_or_else(wrong)?;
        total = total.checked_add(part).ok_or_else(wrong)?;
        rest = next;
    }
    Ok(total)
}

/// `at` in `zone`; `None` for a time outside the years that have a date (−9999 to 9999).
pub fn zoned(at: TimestampMs, zone: &TimeZone) -> Option<ZonedDateTime> {
    Timestamp::from_millisecond(at.0)
        .ok()
        .map(|moment| moment.to_zoned_datetime(zone.clone()))
}

/// `at` as RFC 3339 with milliseconds and zone; the bare milliseconds when it has no date.
pub fn format_time(at: TimestampMs, zone: &TimeZone) -> String {
    zoned(at, zone).map_or_else(
        || format!("{} ms", at.0),
        |moment| moment.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
    )
}

/// The zone's offset from UTC at `at`, as `UTC+01:00`.
pub fn format_zone(at: TimestampMs, zone: &TimeZone) -> String {
    zoned(at, zone).map_or_else(
        || "UTC".to_owned(),
        |moment| {
            if moment.offset().is_zero() {
                "UTC".to_owned()
            } else {
                moment.strftime("UTC%:z").to_string()
            }
        },
    )
}

/// A length of time in words short enough for a label: `350 ms`, `42 s`, `38 min`, `5 h 10 min`, `3 d 4 h`.
/// The smaller unit is cut, not rounded.
pub fn format_duration(ms: i64) -> String {
    let sign = if ms < 0 { "−" } else { "" };
    let ms = ms.unsigned_abs();
    let (seconds, minutes, hours, days) =
        (ms / 1_000, ms / 60_000, ms / 3_600_000, ms / 86_400_000);
    let two = |large: u64, large_unit: &str, small: u64, small_unit: &str| {
        if small == 0 {
            format!("{large} {large_unit}")
        } else {
            format!("{large} {large_unit} {small} {small_unit}")
        }
    };
    let text = if seconds == 0 {
        format!("{ms} ms")
    } else if minutes == 0 {
        format!("{seconds} s")
    } else if hours == 0 {
        format!("{minutes} min")
    } else if days == 0 {
        two(hours, "h", minutes % 60, "min")
    } else {
        two(days, "d", hours % 24, "h")
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: TimestampMs = TimestampMs(1_000_000_000_000);

    fn berlin() -> TimeZone {
        TimeZone::get("Europe/Berlin").unwrap()
    }

    fn parse(text: &str) -> Result<ParsedTime, String> {
        parse_time(text, NOW, &berlin())
    }

    #[test]
    fn a_time_with_a_zone_is_that_moment() {
        let parsed = parse("2026-11-30T14:02:00+01:00").unwrap();
        assert_eq!(parsed.at, TimestampMs(1_796_043_720_000));
        assert!(!parsed.zone_assumed);
    }

    #[test]
    fn a_time_without_a_zone_is_local_and_says_so() {
        let parsed = parse("2026-11-30T14:02:00").unwrap();
        assert_eq!(parsed.at, TimestampMs(1_796_043_720_000));
        assert!(parsed.zone_assumed);
    }

    #[test]
    fn hours_that_are_not_or_are_twice_are_refused() {
        let error = parse("2026-03-29T02:30:00").unwrap_err();
        assert!(error.contains("does not exist"), "{error}");
        assert!(error.contains("2026-03-29T01:30:00.000+01:00"), "{error}");
        assert!(error.contains("2026-03-29T03:30:00.000+02:00"), "{error}");
        let error = parse("2026-10-25T02:30:00").unwrap_err();
        assert!(error.contains("was twice"), "{error}");
        assert!(
            error.contains("+02:00") && error.contains("+01:00"),
            "{error}"
        );
        // The hours beside them are plain.
        assert_eq!(
            parse("2026-03-29T03:00:00").unwrap().at.0,
            1_774_746_000_000
        );
        assert_eq!(
            parse("2026-10-25T03:00:00").unwrap().at.0,
            1_792_893_600_000
        );
    }

    #[test]
    fn integers_now_and_durations_back() {
        assert_eq!(
            parse("1700000000123").unwrap().at,
            TimestampMs(1_700_000_000_123)
        );
        assert_eq!(parse("-1").unwrap().at, TimestampMs(-1));
        assert_eq!(parse("now").unwrap().at, NOW);
        assert_eq!(parse("-90m").unwrap().at, TimestampMs(NOW.0 - 5_400_000));
        assert_eq!(parse("-1h30m").unwrap().at, TimestampMs(NOW.0 - 5_400_000));
        assert_eq!(parse("-7d").unwrap().at, TimestampMs(NOW.0 - 604_800_000));
    }

    #[test]
    fn nonsense_is_refused_with_the_forms_understood() {
        for text in [
            "",
            "yesterday",
            "-",
            "-5x",
            "14:02",
            "9999999999999999999999",
            "-99999999999999999d",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains("is not a"), "{text}: {error}");
        }
    }

    #[test]
    fn times_are_written_with_their_zone() {
        assert_eq!(
            format_time(TimestampMs(1_796_043_720_007), &berlin()),
            "2026-11-30T14:02:00.007+01:00"
        );
        assert_eq!(
            format_zone(TimestampMs(1_796_043_720_007), &berlin()),
            "UTC+01:00"
        );
        assert_eq!(format_zone(NOW, &TimeZone::UTC), "UTC");
    }

    #[test]
    fn a_time_that_has_no_date_is_written_as_its_number() {
        assert_eq!(
            format_time(TimestampMs(i64::MAX), &berlin()),
            "9223372036854775807 ms"
        );
    }

    #[test]
    fn durations_have_at_most_two_units() {
        assert_eq!(format_duration(350), "350 ms");
        assert_eq!(format_duration(42_900), "42 s");
        assert_eq!(format_duration(38 * 60_000 + 59_000), "38 min");
        assert_eq!(format_duration(5 * 3_600_000 + 10 * 60_000), "5 h 10 min");
        assert_eq!(format_duration(2 * 3_600_000), "2 h");
        assert_eq!(format_duration(3 * 86_400_000 + 4 * 3_600_000), "3 d 4 h");
        assert_eq!(format_duration(-1_500), "−1 s");
        assert_eq!(format_duration(i64::MIN), "−106751991167 d 7 h");
    }
}
