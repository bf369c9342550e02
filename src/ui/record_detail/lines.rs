//! What there is to say of a record, line by line. All but the time zone is pure.

use crate::decode::{hex, json, visible};
use crate::engine::GroupPlaces;
use crate::inspect::lag::Place;
use crate::model::time::format_zone;
use crate::model::{Header, Offset, ProblemKind, Record, Text, TimestampType};

use super::super::context::Cx;
use super::super::format;
use super::super::num::u64_from_usize;
use super::super::records_table::mark_of;
use super::super::timeline::place_in;

/// Values up to this size are tried as JSON.
const JSON_BYTES: usize = 256 * 1024;
/// No more bytes of a value are shown than these.
const SHOWN_BYTES: usize = 64 * 1024;
/// No more lines of a value are shown than these.
const SHOWN_LINES: usize = 5_000;
/// Groups that are named; the rest is counted.
const NAMED_GROUPS: usize = 12;

/// What a group makes of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It has passed it.
    Read,
    /// It has not: so many offsets lie between its place and the record.
    NotYet(u64),
    /// It has no committed offset in this partition.
    NeverCommitted,
    /// Not known, for this reason.
    Unknown(String),
}

/// What a group that stands at `place` makes of the record at `offset`.
pub fn reading(place: &Place, offset: Offset) -> Reading {
    match &place.committed {
        Err(problem) => Reading::Unknown(problem.to_string()),
        Ok(None) => Reading::NeverCommitted,
        Ok(Some(committed)) => offset
            .since(*committed)
            .map_or(Reading::Read, Reading::NotYet),
    }
}

/// One line of the panel.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// Where the record lies.
    Title(String),
    /// When it was written, and how large it is.
    Dim(String),
    /// Something to mind.
    Warning(String),
    /// What a group makes of it.
    Group(Text, Reading),
    /// A heading, with a remark.
    Section(&'static str, String),
    /// A word that stands for what is not there: null, empty.
    Word(String),
    /// A line of data; whether it is JSON.
    Code(String, bool),
    /// A header: name and value, and whether the value is a word rather than data.
    Header(String, String, bool),
    /// Room.
    Space,
}

/// The lines of `record`, data cut to `columns` characters.
pub(super) fn lines(cx: &Cx<'_>, record: &Record, columns: usize) -> Vec<Line> {
    let mut lines = vec![
        Line::Title(format!(
            "{} / {} / {}",
            record.topic,
            record.partition,
            format::offset(record.offset)
        )),
        Line::Dim(when(cx, record)),
        Line::Dim(about(record)),
        named("key", record.key.as_deref()),
    ];
    match mark_of(record.visibility) {
        Some("withdrawn") => {
            lines.push(Line::Warning(
                "Withdrawn: its transaction was aborted".to_owned(),
            ));
        }
        Some(_) => lines.push(Line::Warning(
            "Open: its transaction has not ended".to_owned(),
        )),
        None => {}
    }
    lines.push(Line::Space);
    groups(cx, record, &mut lines);
    let (form, value) = value_lines(record.value.as_deref(), columns);
    let remark = match form {
        "" => String::new(),
        form => format!("{form} · {}", size_of(record.value.as_deref())),
    };
    lines.push(Line::Section("VALUE", remark));
    lines.extend(value);
    lines.push(Line::Space);
    let count = u64_from_usize(record.headers.len());
    lines.push(Line::Section("HEADERS", format::count(count)));
    lines.extend(
        record
            .headers
            .iter()
            .flat_map(|header| header_lines(header, columns)),
    );
    lines.push(Line::Space);
    lines
}

fn when(cx: &Cx<'_>, record: &Record) -> String {
    record.timestamp.map_or_else(
        || "no time".to_owned(),
        |time| {
            format!(
                "{} {}",
                format::date_and_time(time, cx.zone),
                format_zone(time, cx.zone)
            )
        },
    )
}

fn about(record: &Record) -> String {
    let kind = match record.timestamp_type {
        Some(TimestampType::CreateTime) => "time set by the producer",
        Some(TimestampType::LogAppendTime) => "time set by the broker",
        None => "who set the time is not known",
    };
    format!("{} · {kind}", format::size(record.size()))
}

fn groups(cx: &Cx<'_>, record: &Record, lines: &mut Vec<Line>) {
    let at = record.at();
    let mut found: Vec<(&GroupPlaces, Reading)> = cx
        .snapshot
        .inventory
        .groups()
        .iter()
        .filter_map(|group| {
            let reading = match (place_in(group, &at), &group.group.commits) {
                (Some(place), _) => reading(place, record.offset),
                // A group that keeps no committed offsets has nothing to say here; one whose offsets are not
                // known may have read it or not.
                (None, Err(problem)) if problem.kind != ProblemKind::Unsupported => {
                    Reading::Unknown(problem.to_string())
                }
                (None, _) => return None,
            };
            Some((group, reading))
        })
        .collect();
    // The chosen group comes first, then those that still have to read it.
    found.sort_by_key(|(group, reading)| {
        let chosen = cx.state.group.as_ref() == Some(&group.group.listing.name);
        (!chosen, matches!(reading, Reading::Read))
    });
    if found.is_empty() {
        lines.push(Line::Word(
            "No group has a place in this partition".to_owned(),
        ));
    }
    let rest = found.get(NAMED_GROUPS..).unwrap_or_default();
    let read = rest
        .iter()
        .filter(|(_, reading)| *reading == Reading::Read)
        .count();
    let counted = rest.len();
    for (group, reading) in found.into_iter().take(NAMED_GROUPS) {
        lines.push(Line::Group(group.group.listing.name.clone(), reading));
    }
    if counted > 0 {
        let said = format!(
            "and {} more: {} of them have read it",
            format::count(u64_from_usize(counted)),
            format::count(u64_from_usize(read))
        );
        lines.push(Line::Word(said));
    }
    lines.push(Line::Space);
}

fn size_of(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(String::new, |bytes| {
        format::size(u64_from_usize(bytes.len()))
    })
}

/// The form of a value, and its lines.
fn value_lines(bytes: Option<&[u8]>, columns: usize) -> (&'static str, Vec<Line>) {
    let Some(bytes) = bytes else {
        return ("", vec![Line::Word("null".to_owned())]);
    };
    if bytes.is_empty() {
        return (
            "",
            vec![Line::Word("empty: there, and of no length".to_owned())],
        );
    }
    if bytes.len() <= JSON_BYTES
        && let Ok(text) = std::str::from_utf8(bytes)
        && text.trim_start().starts_with(['{', '['])
        && let Some(laid_out) = json::reindent(text, JSON_BYTES.saturating_mul(4))
    {
        return (
            "JSON",
            capped(
                visible::lines(&laid_out, columns),
                true,
                bytes.len(),
                bytes.len(),
            ),
        );
    }
    let shown = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
    if let Some(text) = text_of(shown, shown.len() < bytes.len()) {
        return (
            "text",
            capped(
                visible::lines(text, columns),
                false,
                shown.len(),
                bytes.len(),
            ),
        );
    }
    let per_line = if columns >= 77 { 16 } else { 8 };
    let dump = (0..hex::line_count(shown.len(), per_line))
        .map(|line| hex::line(shown, per_line, line))
        .collect();
    ("bytes", capped(dump, false, shown.len(), bytes.len()))
}

/// `bytes` as text; the last character may be cut in two when there are more.
fn text_of(bytes: &[u8], is_cut: bool) -> Option<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if is_cut && error.error_len().is_none() => {
            std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok()
        }
        Err(_) => None,
    }
}

fn capped(all: Vec<String>, is_json: bool, shown: usize, bytes: usize) -> Vec<Line> {
    let too_many = all.len() > SHOWN_LINES;
    let count = all.len();
    let mut lines: Vec<Line> = all
        .into_iter()
        .take(SHOWN_LINES)
        .map(|line| Line::Code(line, is_json))
        .collect();
    if too_many {
        let said = format!(
            "The first {} of {} lines are shown",
            format::count(u64_from_usize(SHOWN_LINES)),
            format::count(u64_from_usize(count))
        );
        lines.push(Line::Warning(said));
    }
    if shown < bytes {
        let (shown, all) = (
            format::size(u64_from_usize(shown)),
            format::size(u64_from_usize(bytes)),
        );
        lines.push(Line::Warning(format!(
            "The first {shown} of {all} are shown"
        )));
    }
    lines
}

/// A header in one line, or its name and below it as many lines as its value needs.
fn header_lines(of: &Header, columns: usize) -> Vec<Line> {
    let line = header(of);
    match &line {
        Line::Header(name, value, false)
            if name.chars().count().saturating_add(value.chars().count()) >= columns =>
        {
            let mut lines = vec![Line::Header(name.clone(), String::new(), false)];
            let parts = visible::lines(value, columns);
            lines.extend(parts.into_iter().map(|part| Line::Code(part, false)));
            lines
        }
        _ => vec![line],
    }
}

fn header(header: &Header) -> Line {
    let name = visible::one_line(header.name.as_bytes(), 120);
    let name = if name.is_empty() {
        "(empty name)"
    } else {
        &name
    };
    named(name, header.value.as_deref())
}

/// A name and the bytes under it, in one line.
fn named(name: &str, bytes: Option<&[u8]>) -> Line {
    let name = name.to_owned();
    match bytes {
        None => Line::Header(name, "null".to_owned(), true),
        Some([]) => Line::Header(name, "empty".to_owned(), true),
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => {
            Line::Header(name, visible::one_line(bytes, 4_000), false)
        }
        Some(bytes) => {
            use std::fmt::Write as _;
            let mut text = "0x".to_owned();
            for byte in bytes.iter().take(64) {
                // Writing to a String cannot fail.
                write!(text, "{byte:02x}").unwrap_or_default();
            }
            if bytes.len() > 64 {
                text.push('…');
            }
            Line::Header(name, text, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Commit, Problem, ProblemKind, TopicPartition};

    fn place(committed: Option<i64>) -> Place {
        let commit = Commit {
            at: TopicPartition::new("t", 0),
            offset: Ok(committed.map(Offset)),
            leader_epoch: None,
            metadata: Text::from(""),
        };
        Place::new(&commit, Ok(Offset(0)), Ok(Offset(100)))
    }

    #[test]
    fn a_committed_offset_is_the_next_to_read() {
        assert_eq!(reading(&place(Some(41)), Offset(40)), Reading::Read);
        assert_eq!(reading(&place(Some(40)), Offset(40)), Reading::NotYet(0));
        assert_eq!(reading(&place(Some(30)), Offset(40)), Reading::NotYet(10));
        assert_eq!(reading(&place(None), Offset(40)), Reading::NeverCommitted);
        let mut lost = place(Some(1));
        lost.committed = Err(Problem::new(ProblemKind::TimedOut, "no answer"));
        assert_eq!(
            reading(&lost, Offset(40)),
            Reading::Unknown("no answer".into())
        );
    }

    fn shown(value: Option<&[u8]>) -> (&'static str, Vec<Line>) {
        value_lines(value, 60)
    }

    #[test]
    fn null_empty_and_the_word_null_differ() {
        let (null, empty, word) = (shown(None).1, shown(Some(b"")).1, shown(Some(b"null")).1);
        assert_eq!(null, vec![Line::Word("null".into())]);
        assert!(matches!(empty.as_slice(), [Line::Word(text)] if text.starts_with("empty")));
        assert_eq!(word, vec![Line::Code("null".into(), false)]);
    }

    #[test]
    fn json_text_and_bytes_are_told_apart() {
        let json = shown(Some(br#"{"a":1.0}"#));
        assert_eq!(json.0, "JSON");
        assert_eq!(json.1[1], Line::Code("  \"a\": 1.0".into(), true));
        assert_eq!(shown(Some(b"{not json")).0, "text");
        assert_eq!(shown(Some(&[0xff, 0])).0, "bytes");
    }

    #[test]
    fn a_large_value_is_cut_and_says_so() {
        let value = vec![b'x'; 100_000];
        let (form, lines) = shown(Some(&value));
        assert_eq!(form, "text");
        assert_eq!(
            lines.last(),
            Some(&Line::Warning("The first 65 kB of 100 kB are shown".into()))
        );
    }

    #[test]
    fn a_cut_through_a_character_is_still_text() {
        let value = "ä".repeat(40_000).into_bytes();
        let mut odd = vec![b'x'];
        odd.extend(value);
        assert_eq!(shown(Some(&odd)).0, "text");
    }

    #[test]
    fn a_long_header_goes_on_below_its_name() {
        let long = Header {
            name: Text::from("traceparent"),
            value: Some(bytes::Bytes::from_static(b"00-4bf92f3577b34da6-01")),
        };
        assert_eq!(
            header_lines(&long, 16),
            [
                Line::Header("traceparent".into(), String::new(), false),
                Line::Code("00-4bf92f3577b34".into(), false),
                Line::Code("da6-01".into(), false),
            ]
        );
        assert_eq!(header_lines(&long, 60).len(), 1);
        let unnamed = Header {
            name: Text::from(""),
            value: None,
        };
        assert_eq!(
            header_lines(&unnamed, 60),
            [Line::Header("(empty name)".into(), "null".into(), true)]
        );
    }

    #[test]
    fn headers_keep_null_empty_and_bytes_apart() {
        let of = |value: Option<&'static [u8]>| {
            header(&Header {
                name: Text::from("h"),
                value: value.map(bytes::Bytes::from_static),
            })
        };
        assert_eq!(of(None), Line::Header("h".into(), "null".into(), true));
        assert_eq!(
            of(Some(b"")),
            Line::Header("h".into(), "empty".into(), true)
        );
        assert_eq!(
            of(Some(b"null")),
            Line::Header("h".into(), "null".into(), false)
        );
        assert_eq!(
            of(Some(&[0xff, 1])),
            Line::Header("h".into(), "0xff01".into(), false)
        );
    }
}
