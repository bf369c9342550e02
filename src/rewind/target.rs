//! What a person may ask for.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::model::time::{format_time, parse_time};
use crate::model::{
    Bookmark, JournalEntry, Offset, PartitionId, RowOutcome, Text, TimestampMs, TopicName,
    TopicPartition,
};

/// Where bookmarks are to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The first record at or after a time; the end of the log where there is none.
    Time(TimestampMs),
    /// The same offset in every partition.
    Offset(Offset),
    /// The first record that can still be read.
    Earliest,
    /// The end of the log.
    Latest,
    /// This many offsets on from the present bookmark, back when negative.
    Shift(i64),
    /// Where another group stands.
    Group(Text),
    /// What a table names, partition by partition; partitions that it does not name are not in scope.
    Table(Arc<[(TopicPartition, Offset)]>),
    /// The bookmarks that an entry of the journal found before its change: `None` where there was none.
    Before {
        /// The entry.
        id: String,
        /// What the entry found and what it wrote, row by row.
        rows: Arc<[UndoRow]>,
    },
}

/// What a change found and what it made of it, in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoRow {
    /// The partition.
    pub at: TopicPartition,
    /// The topic's id when the change was made.
    pub topic_id: Option<String>,
    /// The bookmark before the change.
    pub before: Option<Bookmark>,
    /// The bookmark that the change wrote.
    pub after: Option<Bookmark>,
}

/// Which partitions are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those in which the group has a committed offset; of a table or journal entry, those that it names.
    Committed,
    /// All partitions of a topic.
    Topic(TopicName),
    /// One partition.
    Partition(TopicName, PartitionId),
}

/// Some partitions with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which partitions.
    pub scope: Scope,
    /// Where to.
    pub target: Target,
}

/// What a plan is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRequest {
    /// The group that is to be moved.
    pub group: Text,
    /// What is asked for; where two parts name a partition, the later one counts.
    pub parts: Vec<Part>,
    /// Partitions that are left out again.
    pub left_out: BTreeSet<TopicPartition>,
    /// Whether the group is to come into being by this: it must not exist yet.
    pub new_group: bool,
    /// Whether metadata and leader epochs are copied with the offsets of [`Target::Group`].
    pub with_metadata: bool,
    /// The journal entry that this undoes.
    pub undoes: Option<String>,
}

/// A target as it is written, where it may name something that has to be read first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A whole target.
    Target(Target),
    /// A table in a file.
    File(PathBuf),
    /// An entry of the journal.
    Journal(String),
}

/// How targets are written.
const FORMS: &str = "write time:2026-11-30T14:02:00+01:00, time:-90m, offset:N, earliest, latest, shift:-N, \
    shift:+N, group:NAME, file:PATH or journal:ID";
/// The last millisecond that has a date.
const LAST_MS: i64 = 253_402_300_799_999;
/// Times before this one were not meant as milliseconds: written as seconds, today's times lie here.
const SECONDS_BEFORE: i64 = 100_000_000_000;

/// Reads a target, and whether a time was written without a zone, so that `zone` decided.
///
/// # Errors
/// What is wrong with `text`, and how it is written.
pub fn parse(text: &str, now: TimestampMs, zone: &TimeZone) -> Result<(Written, bool), String> {
    let text = text.trim();
    let target = |target| Ok((Written::Target(target), false));
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    match (name, rest) {
        ("earliest", "") => target(Target::Earliest),
        ("latest", "") => target(Target::Latest),
        ("was-at" | "before", _) => Err(format!(
            "{name}: needs the history of a group's offsets, which is not kept yet"
        )),
        ("time" | "offset" | "shift" | "group" | "file" | "journal", "") => {
            Err(format!("“{text}” names nothing after the colon: {FORMS}"))
        }
        ("time", time) => {
            let (at, zone_assumed) = time_of(time, now, zone)?;
            Ok((Written::Target(Target::Time(at)), zone_assumed))
        }
        ("offset", offset) => target(Target::Offset(offset_of(offset)?)),
        ("shift", by) => target(Target::Shift(shift_of(by)?)),
        ("group", name) => target(Target::Group(Text::from(name))),
        ("file", path) => Ok((Written::File(PathBuf::from(path)), false)),
        ("journal", id) => Ok((Written::Journal(id.to_owned()), false)),
        _ => Err(format!("“{text}” is not a target: {FORMS}")),
    }
}

/// Reads a time that is a target. Whole numbers are milliseconds; those that only make sense in another unit, or
/// before 1970, are refused, since that is what nobody means.
///
/// # Errors
/// What is wrong with `text`.
pub fn time_of(
    text: &str,
    now: TimestampMs,
    zone: &TimeZone,
) -> Result<(TimestampMs, bool), String> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if is_whole(digits) {
        return milliseconds(text, zone).map(|at| (at, false));
    }
    let parsed = parse_time(text, now, zone)?;
    Ok((parsed.at, parsed.zone_assumed))
}

fn is_whole(digits: &str) -> bool {
    !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit())
}

fn milliseconds(text: &str, zone: &TimeZone) -> Result<TimestampMs, String> {
    if text.starts_with('-') {
        return Err(format!(
            "{text} is negative, and no time before 1970 is meant: a duration back has a unit, such as -90m"
        ));
    }
    let number = text.parse::<i64>().ok();
    let Some(ms) = number.filter(|ms| *ms <= LAST_MS) else {
        return Err(format!(
            "{text} is too large for milliseconds since 1970, it may be microseconds or nanoseconds: write milliseconds, or a time such as 2026-11-30T14:02:00+01:00"
        ));
    };
    if ms != 0 && ms < SECONDS_BEFORE {
        let seconds = TimestampMs(ms.saturating_mul(1_000));
        return Err(format!(
            "{text} is read as milliseconds since 1970, which is {}; if seconds are meant ({}), write {}, or the time with its zone",
            format_time(TimestampMs(ms), zone),
            format_time(seconds, zone),
            seconds.0
        ));
    }
    Ok(TimestampMs(ms))
}

fn offset_of(text: &str) -> Result<Offset, String> {
    if text.strip_prefix(['-', '−']).is_some_and(is_whole) {
        return Err(format!(
            "{text} is negative, and offsets begin at 0: the ends are written earliest and latest, going back by records shift:-N"
        ));
    }
    if !is_whole(text) {
        return Err(format!("“{text}” is not an offset: write offset:88213"));
    }
    text.parse()
        .map(Offset)
        .map_err(|_too_large| format!("{text} is larger than any offset can be"))
}

fn shift_of(text: &str) -> Result<i64, String> {
    let plain = text.replace('−', "-");
    let digits = plain.strip_prefix(['-', '+']).unwrap_or(&plain);
    let by = plain.parse::<i64>().ok().filter(|by| *by != i64::MIN);
    match by {
        _ if !is_whole(digits) => Err(format!(
            "“{text}” is not a number of records: write shift:-500 to go back, shift:+500 to go on"
        )),
        None => Err(format!("{text} is more than any partition can hold")),
        Some(0) => Err("a shift by 0 leaves everything where it is".to_owned()),
        Some(by) => Ok(by),
    }
}

/// The rows of `entry` that undoing it concerns: all but those that the bus refused.
pub fn undo_rows(entry: &JournalEntry) -> Arc<[UndoRow]> {
    let rows = entry
        .rows
        .iter()
        .filter(|row| !matches!(row.outcome, RowOutcome::Refused(_)));
    rows.map(|row| UndoRow {
        at: row.at.clone(),
        topic_id: row.topic_id.clone(),
        before: row.before.clone(),
        after: row.after.clone(),
    })
    .collect()
}

impl Target {
    /// What undoes `entry`.
    pub fn undoing(entry: &JournalEntry) -> Self {
        Self::Before {
            id: entry.id.clone(),
            rows: undo_rows(entry),
        }
    }

    /// As it is written, times in UTC.
    pub fn words(&self) -> String {
        match self {
            Self::Time(at) => format!("time:{}", format_time(*at, &TimeZone::UTC)),
            Self::Offset(offset) => format!("offset:{offset}"),
            Self::Earliest => "earliest".to_owned(),
            Self::Latest => "latest".to_owned(),
            Self::Shift(by) => format!("shift:{by:+}"),
            Self::Group(name) => format!("group:{}", name.lossy()),
            Self::Table(rows) => format!("a table of {} partitions", rows.len()),
            Self::Before { id, .. } => format!("journal:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: TimestampMs = TimestampMs(1_796_043_720_000);

    fn in_zone(text: &str, zone: &str) -> Result<(Written, bool), String> {
        parse(text, NOW, &TimeZone::get(zone).unwrap())
    }

    fn berlin(text: &str) -> Result<(Written, bool), String> {
        in_zone(text, "Europe/Berlin")
    }

    fn at(ms: i64) -> Written {
        Written::Target(Target::Time(TimestampMs(ms)))
    }

    #[test]
    fn times_are_read_in_every_form() {
        assert_eq!(
            berlin("time:2026-11-30T14:02:00+01:00"),
            Ok((at(1_796_043_720_000), false))
        );
        assert_eq!(
            berlin("time:2026-11-30T14:02:00"),
            Ok((at(1_796_043_720_000), true))
        );
        assert_eq!(
            berlin("time:2026-11-30T13:02:00Z"),
            Ok((at(1_796_043_720_000), false))
        );
        assert_eq!(
            berlin("time:1796043720000"),
            Ok((at(1_796_043_720_000), false))
        );
        assert_eq!(berlin("time:now"), Ok((at(NOW.0), false)));
        assert_eq!(berlin("time:-90m"), Ok((at(NOW.0 - 5_400_000), false)));
    }

    #[test]
    fn half_hour_zones_are_half_an_hour_off() {
        // 14:02 in Kolkata (UTC+05:30) is 08:32 in UTC.
        assert_eq!(
            in_zone("time:2026-11-30T14:02:00", "Asia/Kolkata"),
            Ok((at(1_796_043_720_000 - 16_200_000), true))
        );
        assert_eq!(
            berlin("time:2026-11-30T14:02:00+05:30"),
            Ok((at(1_796_043_720_000 - 16_200_000), false))
        );
    }

    #[test]
    fn an_hour_that_is_left_out_is_refused_with_both_neighbours() {
        // On 2026-03-29 clocks in Berlin went from 02:00 to 03:00.
        let error = berlin("time:2026-03-29T02:30:00").unwrap_err();
        assert!(error.contains("2026-03-29T01:30:00.000+01:00"), "{error}");
        assert!(error.contains("2026-03-29T03:30:00.000+02:00"), "{error}");
    }

    #[test]
    fn an_hour_that_comes_twice_is_refused_with_both_offsets() {
        let error = berlin("time:2026-10-25T02:30:00").unwrap_err();
        assert!(error.contains("2026-10-25T02:30:00.000+02:00"), "{error}");
        assert!(error.contains("2026-10-25T02:30:00.000+01:00"), "{error}");
        assert_eq!(
            berlin("time:2026-10-25T02:30:00+01:00"),
            Ok((at(1_792_891_800_000), false))
        );
    }

    #[test]
    fn seconds_are_not_taken_for_milliseconds() {
        let error = berlin("time:1796043720").unwrap_err();
        assert!(error.contains("1970-01-21"), "{error}");
        assert!(error.contains("2026-11-30T14:02:00.000+01:00"), "{error}");
        assert!(error.contains("1796043720000"), "{error}");
        for micro in ["time:1796043720000000", "time:1796043720000000000000"] {
            assert!(berlin(micro).unwrap_err().contains("too large"), "{micro}");
        }
        assert!(berlin("time:-1").unwrap_err().contains("negative"));
    }

    #[test]
    fn places_and_names() {
        let target = |target| Ok((Written::Target(target), false));
        assert_eq!(berlin("earliest"), target(Target::Earliest));
        assert_eq!(berlin("latest"), target(Target::Latest));
        assert_eq!(berlin("offset:1042"), target(Target::Offset(Offset(1_042))));
        assert_eq!(berlin("shift:-3"), target(Target::Shift(-3)));
        assert_eq!(berlin("shift:+3"), target(Target::Shift(3)));
        assert_eq!(berlin("shift:−3"), target(Target::Shift(-3)));
        assert_eq!(
            berlin("group:a/b#c@d%e:f"),
            target(Target::Group(Text::from("a/b#c@d%e:f")))
        );
        assert_eq!(
            berlin("file:/tmp/a:b.csv"),
            Ok((Written::File(PathBuf::from("/tmp/a:b.csv")), false))
        );
        assert_eq!(
            berlin("journal:20261130-130200-0a"),
            Ok((Written::Journal("20261130-130200-0a".to_owned()), false))
        );
    }

    #[test]
    fn what_is_no_target_is_refused_with_the_reason() {
        for (text, says) in [
            ("offset:-1", "negative"),
            ("offset:-2", "negative"),
            ("offset:99999999999999999999", "larger than any offset"),
            ("offset:1,253", "not an offset"),
            ("offset:", "names nothing"),
            ("shift:ten", "number of records"),
            ("shift:99999999999999999999", "more than any partition"),
            ("was-at:-1h", "not kept yet"),
            ("before:G4-1", "not kept yet"),
            ("shift:0", "leaves everything"),
            ("earliest:1", "not a target"),
            ("0", "not a target"),
            ("14:02", "not a target"),
            ("time:yesterday", "not a time"),
        ] {
            let error = berlin(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn words_are_read_back() {
        for text in [
            "time:2026-11-30T13:02:00.000+00:00",
            "time:2026-11-30T13:02:00.007+00:00",
            "offset:0",
            "earliest",
            "latest",
            "shift:-100",
            "shift:+100",
            "group:billing",
        ] {
            let Ok((Written::Target(target), _)) = berlin(text) else {
                panic!("{text}");
            };
            assert_eq!(target.words(), text);
        }
    }
}
