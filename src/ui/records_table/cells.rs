//! What stands in the cells of a row. Pure.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use crate::decode::fields::{self, Kind, Path};
use crate::decode::schema::SchemaId;
use crate::decode::value::{Part, Shape};
use crate::decode::visible;
use crate::model::{Header, Record, Visibility};

use super::super::decoding::{Reader, bytes_of, other_text};
use super::super::format::{self, Precision};
use super::super::num::u64_from_usize;
use super::super::state::ColumnKind;

/// How a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Data of lesser weight.
    Dim,
    /// Data.
    Plain,
    /// A number of the value.
    Number,
    /// A text of the value.
    Text,
    /// A word that stands for what is not there, in another face, so that it is never taken for a text that
    /// says so.
    Word,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// The text, cut to what may be seen.
    pub(super) text: String,
    /// How it is drawn.
    pub(super) tone: Tone,
    /// Whether it stands at the right edge.
    pub(super) right: bool,
    /// What there is to mind.
    pub(super) remark: Option<&'static str>,
}

impl Cell {
    fn new(text: impl Into<String>, tone: Tone, right: bool) -> Self {
        Self {
            text: text.into(),
            tone,
            right,
            remark: None,
        }
    }

    fn blank() -> Self {
        Self::new("", Tone::Word, false)
    }
}

/// What the header or key says that stands more than once.
pub(super) const REPEATED: &str = "It stands there more than once; this is the first";
/// Why a field is not known.
const TOO_LARGE: &str = "The value is larger than 256 kB and was not looked into";

/// A field's path, read once.
pub(super) fn path_of(kind: &ColumnKind) -> Option<Path> {
    match kind {
        ColumnKind::Field(path) => Path::parse(path),
        _ => None,
    }
}

/// A part of more bytes than this is shown in its cell as it was sent.
const MOST_DECODED: usize = 32 * 1024;

/// What the parts of a record were decoded to, as far as its cells need that.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    key: Option<String>,
    value: Option<String>,
    /// The value as JSON, where it was not sent as that.
    json: Option<String>,
    /// The schema that is missing.
    pub(super) needs: Option<SchemaId>,
}

impl Parts {
    /// How many bytes are decoded for these columns.
    pub(super) fn cost<'k>(record: &Record, kinds: impl Iterator<Item = &'k ColumnKind>) -> usize {
        let parts = wanted(kinds);
        let sizes = parts.iter().map(|part| {
            let len = bytes_of(record, *part).map_or(0, bytes::Bytes::len);
            if len > MOST_DECODED { 0 } else { len }
        });
        sizes.fold(0, usize::saturating_add)
    }

    /// What is needed for these columns.
    pub(super) fn of<'k>(
        reader: &Reader,
        record: &Record,
        kinds: impl Iterator<Item = &'k ColumnKind>,
    ) -> Self {
        let mut parts = Self::default();
        for part in wanted(kinds) {
            let Some(bytes) = bytes_of(record, part) else {
                continue;
            };
            if bytes.is_empty() || bytes.len() > MOST_DECODED {
                continue;
            }
            let decoded = reader.decode(record, part);
            parts.needs = parts.needs.or(decoded.needs);
            let is_json = decoded.shape == Shape::Json;
            let text = other_text(decoded, bytes);
            match part {
                Part::Key => parts.key = text,
                Part::Value => {
                    parts.json = text.clone().filter(|_| is_json);
                    parts.value = text;
                }
            }
        }
        parts
    }
}

/// The parts that these columns show something of.
fn wanted<'k>(kinds: impl Iterator<Item = &'k ColumnKind>) -> BTreeSet<Part> {
    let parts = kinds.filter_map(|kind| match kind {
        ColumnKind::Key => Some(Part::Key),
        ColumnKind::Value | ColumnKind::Field(_) => Some(Part::Value),
        _ => None,
    });
    parts.collect()
}

/// How cells are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner<'a> {
    /// The zone of times.
    pub(super) zone: &'a TimeZone,
    /// Whether times have dates.
    pub(super) has_dates: bool,
}

/// What `record`, decoded as `parts`, says in a column of this kind, cut to `chars` characters.
pub(super) fn cell(
    record: &Record,
    parts: &Parts,
    kind: &ColumnKind,
    path: Option<&Path>,
    chars: usize,
    manner: Manner<'_>,
) -> Cell {
    let Manner { zone, has_dates } = manner;
    let shown = |bytes: Option<&[u8]>, text: &Option<String>| match text {
        Some(text) => Cell::new(
            visible::one_line(text.as_bytes(), chars),
            Tone::Plain,
            false,
        ),
        None => bytes_cell(bytes, chars),
    };
    match kind {
        ColumnKind::Time => time_cell(record, zone, has_dates),
        ColumnKind::Topic => Cell::new(&*record.topic, Tone::Dim, false),
        ColumnKind::Partition => Cell::new(record.partition.to_string(), Tone::Dim, true),
        ColumnKind::Offset => Cell::new(format::offset(record.offset), Tone::Plain, true),
        ColumnKind::Key => shown(record.key.as_deref(), &parts.key),
        ColumnKind::Value => shown(record.value.as_deref(), &parts.value),
        ColumnKind::Size => Cell::new(format::count(record.size()), Tone::Dim, true),
        ColumnKind::ReadBy => Cell::blank(),
        ColumnKind::Header(name) => header_cell(record, name, chars),
        ColumnKind::Field(_) => path.map_or_else(Cell::blank, |path| {
            let value = record.value.as_deref();
            field_cell(
                parts.json.as_deref().map(str::as_bytes).or(value),
                path,
                chars,
            )
        }),
    }
}

fn time_cell(record: &Record, zone: &TimeZone, has_dates: bool) -> Cell {
    let Some(time) = record.timestamp else {
        return Cell::new("no time", Tone::Word, false);
    };
    let of_day = format::time_of_day(time, zone, Precision::Millis);
    let text = if has_dates {
        format!("{} {of_day}", format::date(time, zone))
    } else {
        of_day
    };
    Cell::new(text, Tone::Dim, false)
}

fn bytes_cell(bytes: Option<&[u8]>, chars: usize) -> Cell {
    match bytes {
        None => Cell::new("null", Tone::Word, false),
        Some([]) => Cell::new("empty", Tone::Word, false),
        Some(bytes) => Cell::new(visible::one_line(bytes, chars), Tone::Plain, false),
    }
}

/// The headers of this name, in their order.
fn named<'r>(record: &'r Record, name: &'r str) -> impl Iterator<Item = &'r Header> {
    record
        .headers
        .iter()
        .filter(move |header| header.name.as_str() == Some(name))
}

/// The first header of this name.
pub(super) fn header_of<'r>(record: &'r Record, name: &'r str) -> Option<&'r Header> {
    named(record, name).next()
}

fn header_cell(record: &Record, name: &str, chars: usize) -> Cell {
    let Some(header) = header_of(record, name) else {
        return Cell::blank();
    };
    let mut cell = bytes_cell(header.value.as_deref(), chars);
    cell.remark = (named(record, name).count() > 1).then_some(REPEATED);
    cell
}

fn field_cell(value: Option<&[u8]>, path: &Path, chars: usize) -> Cell {
    let Some(value) = value else {
        return Cell::blank();
    };
    if value.len() > fields::MOST_BYTES {
        return Cell {
            remark: Some(TOO_LARGE),
            ..Cell::new("—", Tone::Word, false)
        };
    }
    let Some(field) = std::str::from_utf8(value)
        .ok()
        .and_then(|text| fields::find(text, path))
    else {
        return Cell::blank();
    };
    let cut = |text: &str| visible::one_line(text.as_bytes(), chars);
    let mut cell = match field.kind {
        Kind::Null => Cell::new("null", Tone::Word, false),
        Kind::Number => Cell::new(cut(field.raw), Tone::Number, true),
        Kind::Bool => Cell::new(field.raw, Tone::Number, false),
        Kind::Nested => Cell::new(cut(field.raw), Tone::Dim, false),
        Kind::Text => {
            let text = field.text();
            if text.is_empty() {
                Cell::new("empty", Tone::Word, false)
            } else {
                Cell::new(cut(&text), Tone::Text, false)
            }
        }
    };
    cell.remark = field.repeated.then_some(REPEATED);
    cell
}

/// What careful readers do not see, in words.
pub fn mark_of(visibility: Visibility) -> Option<&'static str> {
    match visibility {
        Visibility::Aborted => Some("withdrawn"),
        Visibility::Open => Some("open"),
        Visibility::Committed | Visibility::Unknown => None,
    }
}

/// Headers and fields of some records, each with how many of them have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Header names that are text.
    pub(super) headers: Vec<(String, u64)>,
    /// Paths.
    pub(super) fields: Vec<(String, u64)>,
    /// How many records there were.
    pub(super) records: u64,
}

/// What there is to choose from in `records`.
pub(super) fn seen<'r>(reader: &Reader, records: impl Iterator<Item = &'r Record>) -> Seen {
    use std::collections::{BTreeMap, BTreeSet};
    let mut headers: BTreeMap<String, u64> = BTreeMap::new();
    let mut paths: BTreeMap<String, u64> = BTreeMap::new();
    let mut count = 0_usize;
    for record in records {
        count = count.saturating_add(1);
        let names: BTreeSet<&str> = record
            .headers
            .iter()
            .filter_map(|header| header.name.as_str())
            .collect();
        for name in names {
            let known = headers.entry(name.to_owned()).or_default();
            *known = known.saturating_add(1);
        }
        let text = reader.json(record);
        for path in text.as_deref().map(fields::listed).unwrap_or_default() {
            let known = paths.entry(path).or_default();
            *known = known.saturating_add(1);
        }
    }
    Seen {
        headers: headers.into_iter().collect(),
        fields: paths.into_iter().collect(),
        records: u64_from_usize(count),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::{Offset, PartitionId, Text, TimestampMs};

    fn record(value: Option<&str>) -> Record {
        let header = |name: &str, value: &str| Header {
            name: Text::from(name),
            value: Some(Bytes::from(value.to_owned())),
        };
        Record {
            topic: "orders".into(),
            partition: PartitionId(1),
            offset: Offset(88_213),
            timestamp: Some(TimestampMs(1_796_043_720_007)),
            timestamp_type: None,
            key: Some(Bytes::from_static(b"o-4711")),
            value: value.map(|value| Bytes::from(value.to_owned())),
            headers: vec![header("a", "1"), header("b", "2"), header("a", "3")],
            leader_epoch: None,
            visibility: Visibility::Committed,
        }
    }

    fn reader() -> Reader {
        Reader::of(
            &crate::ui::state::UiState::default(),
            &crate::engine::Snapshot::default(),
        )
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "every test makes a kind of its own"
    )]
    fn said(record: &Record, kind: ColumnKind, chars: usize) -> (String, Tone, bool) {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let path = path_of(&kind);
        let manner = Manner {
            zone: &berlin,
            has_dates: false,
        };
        let parts = Parts::of(&reader(), record, std::iter::once(&kind));
        let cell = cell(record, &parts, &kind, path.as_ref(), chars, manner);
        (cell.text, cell.tone, cell.remark.is_some())
    }

    #[test]
    fn cells_say_what_the_record_says() {
        let record = record(Some("{\"n\":12345678901234567890}"));
        let plain = |text: &str, tone| (text.to_owned(), tone, false);
        assert_eq!(
            said(&record, ColumnKind::Time, 20),
            plain("14:02:00.007", Tone::Dim)
        );
        assert_eq!(
            said(&record, ColumnKind::Offset, 20),
            plain("88,213", Tone::Plain)
        );
        assert_eq!(
            said(&record, ColumnKind::Key, 3),
            plain("o-4…", Tone::Plain)
        );
        // Key 6, value 26, headers 2 each.
        assert_eq!(said(&record, ColumnKind::Size, 9), plain("38", Tone::Dim));
        assert_eq!(
            said(&record, ColumnKind::Field(".n".into()), 30),
            plain("12345678901234567890", Tone::Number)
        );
        assert_eq!(
            said(&record, ColumnKind::Field(".x".into()), 30),
            plain("", Tone::Word)
        );
    }

    #[test]
    fn what_was_decoded_stands_in_the_cells_of_value_and_fields() {
        let record = record(Some("\u{1}\u{2}"));
        let parts = Parts {
            value: Some("{\"n\":7}".to_owned()),
            json: Some("{\"n\":7}".to_owned()),
            ..Parts::default()
        };
        let manner = Manner {
            zone: &TimeZone::UTC,
            has_dates: false,
        };
        let said = |kind: ColumnKind| {
            let path = path_of(&kind);
            cell(&record, &parts, &kind, path.as_ref(), 40, manner).text
        };
        assert_eq!(said(ColumnKind::Value), "{\"n\":7}");
        assert_eq!(said(ColumnKind::Field(".n".into())), "7");
        assert_eq!(said(ColumnKind::Key), "o-4711");
        let kinds = [ColumnKind::Offset, ColumnKind::Key];
        assert_eq!(Parts::cost(&record, kinds.iter()), 6);
        assert_eq!(Parts::cost(&record, [ColumnKind::Time].iter()), 0);
    }

    #[test]
    fn null_is_a_word_and_a_text_that_says_null_is_not() {
        let of = |value| said(&record(Some(value)), ColumnKind::Field(".a".into()), 9);
        assert_eq!(of("{\"a\":null}"), ("null".to_owned(), Tone::Word, false));
        assert_eq!(
            of("{\"a\":\"null\"}"),
            ("null".to_owned(), Tone::Text, false)
        );
        assert_eq!(
            said(&record(None), ColumnKind::Value, 9),
            ("null".to_owned(), Tone::Word, false)
        );
    }

    #[test]
    fn what_stands_twice_is_marked() {
        let record = record(Some("{\"a\":1,\"a\":2}"));
        assert_eq!(
            said(&record, ColumnKind::Field(".a".into()), 9),
            ("1".to_owned(), Tone::Number, true)
        );
        assert_eq!(
            said(&record, ColumnKind::Header("a".into()), 9),
            ("1".to_owned(), Tone::Plain, true)
        );
        assert_eq!(
            said(&record, ColumnKind::Header("b".into()), 9),
            ("2".to_owned(), Tone::Plain, false)
        );
    }

    #[test]
    fn what_can_be_chosen_is_counted_by_record() {
        let records = [
            record(Some("{\"a\":1,\"b\":{\"c\":1}}")),
            record(Some("{\"a\":2}")),
            record(None),
        ];
        let seen = seen(&reader(), records.iter());
        assert_eq!(seen.records, 3);
        assert_eq!(seen.headers, [("a".to_owned(), 3), ("b".to_owned(), 3)]);
        assert_eq!(seen.fields, [(".a".to_owned(), 2), (".b.c".to_owned(), 1)]);
    }
}
