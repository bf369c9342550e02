//! Records as they stand in a file: a line of JSON each, or a row of a table.

use std::io::{self, Write};
use std::sync::Arc;

use base64::Engine as _;
use jiff::tz::TimeZone;

use crate::decode::lines::DecodedLine;
use crate::decode::schema::Schemas;
use crate::decode::value::{Decoded, Decoders, Part, decode_part};
use crate::engine::searching::ExportFormat;
use crate::model::json::{BytesView, RecordLine, RecordView};
use crate::model::time::format_time;
use crate::model::{Record, Text, Visibility};

/// The columns of a table.
const COLUMNS: [&str; 10] = [
    "topic",
    "partition",
    "offset",
    "timestamp",
    "key",
    "key_encoding",
    "value",
    "value_encoding",
    "headers",
    "visibility",
];
/// Those that follow when parts are decoded.
const DECODED_COLUMNS: [&str; 4] = ["key_decoded", "key_format", "value_decoded", "value_format"];

/// How records are written.
#[derive(Debug)]
pub(super) struct Form {
    /// As what.
    pub format: ExportFormat,
    /// How key and value are decoded, when they are.
    pub decoding: Option<Decoding>,
}

/// How parts are decoded.
#[derive(Debug)]
pub(super) struct Decoding {
    /// How the person wants them read.
    pub decoders: Arc<Decoders>,
    /// The schemas that are known.
    pub schemas: Arc<dyn Schemas>,
}

impl Decoding {
    fn decode(&self, record: &Record, part: Part) -> Decoded {
        decode_part(record, part, &self.decoders, &*self.schemas)
    }
}

/// Records on their way into `W`.
#[derive(Debug)]
pub(super) enum Sheet<W: Write> {
    Lines(W, Option<Decoding>),
    Table(Box<csv::Writer<W>>, Option<Decoding>),
}

impl<W: Write> Sheet<W> {
    /// An empty one. A table begins with the names of its columns.
    pub(super) fn begin(out: W, form: Form) -> io::Result<Self> {
        Ok(match form.format {
            ExportFormat::JsonLines => Self::Lines(out, form.decoding),
            ExportFormat::Csv => {
                let mut table = csv::WriterBuilder::new().flexible(true).from_writer(out);
                let more = form.decoding.iter().flat_map(|_| DECODED_COLUMNS);
                table
                    .write_record(COLUMNS.into_iter().chain(more))
                    .map_err(what_the_disk_said)?;
                Self::Table(Box::new(table), form.decoding)
            }
        })
    }

    /// Writes a record.
    pub(super) fn put(&mut self, record: &Record) -> io::Result<()> {
        match self {
            Self::Lines(out, decoding) => {
                put_line(out, record, decoding.as_ref())?;
                out.write_all(b"\n")
            }
            Self::Table(table, decoding) => {
                let row = row(record, decoding.as_ref())?;
                table.write_record(row).map_err(what_the_disk_said)
            }
        }
    }

    /// Where everything went, once all of it is there.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Self::Lines(out, _) => Ok(out),
            Self::Table(table, _) => table.into_inner().map_err(|error| {
                let kind = error.error().kind();
                io::Error::new(kind, error.error().to_string())
            }),
        }
    }
}

/// The disk's own words, from which it can be told what is wrong.
fn what_the_disk_said(error: csv::Error) -> io::Error {
    if !error.is_io_error() {
        return io::Error::other(error);
    }
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        _ => io::Error::other("the table cannot be written"),
    }
}

fn put_line(out: &mut impl Write, record: &Record, decoding: Option<&Decoding>) -> io::Result<()> {
    let view = RecordView::of(record);
    let Some(decoding) = decoding else {
        let line = RecordLine { record: view };
        return serde_json::to_writer(out, &line).map_err(io::Error::from);
    };
    let both = [Part::Key, Part::Value].map(|part| decoding.decode(record, part));
    serde_json::to_writer(out, &DecodedLine::of(record, &both)).map_err(io::Error::from)
}

fn row(record: &Record, decoding: Option<&Decoding>) -> io::Result<Vec<String>> {
    let headers: Vec<(&Text, BytesView<'_>)> = record
        .headers
        .iter()
        .map(|header| (&header.name, BytesView(header.value.as_deref())))
        .collect();
    let (key, key_encoding) = cell(record.key.as_deref());
    let (value, value_encoding) = cell(record.value.as_deref());
    let time = record.timestamp;
    let mut row = vec![
        record.topic.to_string(),
        record.partition.to_string(),
        record.offset.to_string(),
        time.map_or_else(String::new, |at| format_time(at, &TimeZone::UTC)),
        key,
        key_encoding.to_owned(),
        value,
        value_encoding.to_owned(),
        serde_json::to_string(&headers)?,
        visibility(record.visibility).to_owned(),
    ];
    if let Some(decoding) = decoding {
        for part in [Part::Key, Part::Value] {
            let decoded = decoding.decode(record, part);
            row.push(decoded.text.unwrap_or_default());
            row.push(decoded.format.name().to_owned());
        }
    }
    Ok(row)
}

/// Bytes as a cell holds them, and what they are there: text, base64 or null.
fn cell(bytes: Option<&[u8]>) -> (String, &'static str) {
    let Some(bytes) = bytes else {
        return (String::new(), "null");
    };
    std::str::from_utf8(bytes).map_or_else(
        |_| (base64::prelude::BASE64_STANDARD.encode(bytes), "base64"),
        |text| (text.to_owned(), "text"),
    )
}

fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Committed => "committed",
        Visibility::Aborted => "aborted",
        Visibility::Open => "open",
        Visibility::Unknown => "unknown",
    }
}
