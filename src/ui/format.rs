//! Numbers, sizes and times as they are written in the window.

use jiff::tz::TimeZone;

use crate::model::time::zoned;
use crate::model::{Offset, Problem, ProblemKind, Text, TimestampMs};

/// A count with its thousands separated: `12,408`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len().saturating_add(digits.len() / 3));
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len().saturating_sub(index);
        if index > 0 && left.is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A group's name in one line of at most so many characters, cut in the middle; one that is empty is told from
/// none.
pub fn group_name(name: &Text, most: usize) -> String {
    if name.as_bytes().is_empty() {
        return "(empty name)".to_owned();
    }
    crate::decode::visible::both_ends(name.as_bytes(), most)
}

/// That `to` could not be connected to: whether it was not reached or the settings were not even tried.
pub fn not_connected(to: &str, problem: &Problem) -> String {
    if problem.kind == ProblemKind::Invalid {
        format!("The settings for {to} cannot be used")
    } else {
        format!("{to} was not reached")
    }
}

/// An offset with its thousands separated.
pub fn offset(offset: Offset) -> String {
    let sign = if offset.0 < 0 { "−" } else { "" };
    format!("{sign}{}", count(offset.0.unsigned_abs()))
}

/// A count in few characters: `940`, `96 k`, `1.2 M`. Cut, never rounded up.
pub fn short_count(value: u64) -> String {
    let units = [
        (1_000_000_000_000, "T"),
        (1_000_000_000, "G"),
        (1_000_000, "M"),
        (1_000, "k"),
    ];
    for (unit, name) in units {
        if value >= unit {
            let whole = value / unit;
            let tenth = (value % unit) / (unit / 10);
            return if whole < 10 && tenth > 0 {
                format!("{whole}.{tenth} {name}")
            } else {
                format!("{whole} {name}")
            };
        }
    }
    value.to_string()
}

/// A size: `214 B`, `1.2 kB`, `53 MB`. Cut, never rounded up.
pub fn size(bytes: u64) -> String {
    if bytes < 1_000 {
        format!("{bytes} B")
    } else {
        format!("{}B", short_count(bytes))
    }
}

/// `1 record`, `12,408 records`.
pub fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// How exactly a time of day is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `14:25`
    Minutes,
    /// `14:25:31`
    Seconds,
    /// `14:25:31.460`
    Millis,
}

/// A time of day; the bare milliseconds when it has no date.
pub fn time_of_day(at: TimestampMs, zone: &TimeZone, precision: Precision) -> String {
    let pattern = match precision {
        Precision::Minutes => "%H:%M",
        Precision::Seconds => "%H:%M:%S",
        Precision::Millis => "%H:%M:%S%.3f",
    };
    with_pattern(at, zone, pattern)
}

/// A day: `30 Nov 2026`.
pub fn date(at: TimestampMs, zone: &TimeZone) -> String {
    with_pattern(at, zone, "%-d %b %Y")
}

/// A day without its year: `30 Nov`.
pub fn short_date(at: TimestampMs, zone: &TimeZone) -> String {
    with_pattern(at, zone, "%-d %b")
}

/// Day and time to the millisecond, without zone: `30 Nov 2026 14:21:31.460`.
pub fn date_and_time(at: TimestampMs, zone: &TimeZone) -> String {
    with_pattern(at, zone, "%-d %b %Y %H:%M:%S%.3f")
}

/// A range of time: `30 Nov 2026  14:00 – 15:00`, with both days where they differ.
pub fn range(from: TimestampMs, to: TimestampMs, zone: &TimeZone) -> String {
    let precision = if to.since_ms(from) < 10 * 60_000 {
        Precision::Seconds
    } else {
        Precision::Minutes
    };
    let (first, last) = (date(from, zone), date(to, zone));
    let (start, end) = (
        time_of_day(from, zone, precision),
        time_of_day(to, zone, precision),
    );
    if first == last {
        format!("{first}  {start} – {end}")
    } else {
        format!("{first} {start} – {last} {end}")
    }
}

/// Whether two times fall on the same day.
pub fn same_day(a: TimestampMs, b: TimestampMs, zone: &TimeZone) -> bool {
    date(a, zone) == date(b, zone)
}

fn with_pattern(at: TimestampMs, zone: &TimeZone, pattern: &str) -> String {
    zoned(at, zone).map_or_else(
        || format!("{} ms", at.0),
        |moment| moment.strftime(pattern).to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> TimeZone {
        TimeZone::get("Europe/Berlin").unwrap()
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(12_408), "12,408");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(offset(Offset(-1_001)), "−1,001");
        assert_eq!(offset(Offset(i64::MIN)), "−9,223,372,036,854,775,808");
    }

    #[test]
    fn short_counts_are_cut_and_never_promise_more() {
        assert_eq!(short_count(940), "940");
        assert_eq!(short_count(1_000), "1 k");
        assert_eq!(short_count(1_999), "1.9 k");
        assert_eq!(short_count(96_999), "96 k");
        assert_eq!(short_count(1_249_000), "1.2 M");
        assert_eq!(size(214), "214 B");
        assert_eq!(size(1_250), "1.2 kB");
    }

    #[test]
    fn wrong_settings_are_not_called_a_bus_that_was_not_reached() {
        let said = |kind| not_connected("kafka:9092", &Problem::new(kind, "why"));
        assert_eq!(
            said(ProblemKind::Invalid),
            "The settings for kafka:9092 cannot be used"
        );
        assert_eq!(said(ProblemKind::Unreachable), "kafka:9092 was not reached");
    }

    #[test]
    fn counted_things_have_their_number() {
        assert_eq!(counted(1, "record", "records"), "1 record");
        assert_eq!(counted(18_422, "record", "records"), "18,422 records");
    }

    #[test]
    fn times_are_local_and_as_exact_as_asked() {
        let at = TimestampMs(1_796_043_720_007);
        assert_eq!(time_of_day(at, &berlin(), Precision::Minutes), "14:02");
        assert_eq!(
            time_of_day(at, &berlin(), Precision::Millis),
            "14:02:00.007"
        );
        assert_eq!(date(at, &berlin()), "30 Nov 2026");
        assert_eq!(date_and_time(at, &berlin()), "30 Nov 2026 14:02:00.007");
        assert_eq!(
            time_of_day(TimestampMs(i64::MAX), &berlin(), Precision::Minutes),
            "9223372036854775807 ms"
        );
    }

    #[test]
    fn a_range_names_its_day_once_or_both() {
        let at = TimestampMs(1_796_043_720_000);
        assert_eq!(
            range(at, at.moved_ms(3_600_000), &berlin()),
            "30 Nov 2026  14:02 – 15:02"
        );
        assert_eq!(
            range(at, at.moved_ms(60_000), &berlin()),
            "30 Nov 2026  14:02:00 – 14:03:00"
        );
        assert_eq!(
            range(at, at.moved_ms(86_400_000), &berlin()),
            "30 Nov 2026 14:02 – 1 Dec 2026 14:02"
        );
    }
}
