//! The tables of `records`: rows as they come, then what was looked at.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::{CoverageView, RecordView};
use crate::cli::table::{Side, Table};
use crate::cli::text::{bytes, known, known_number, name, number, time, visible};
use crate::decode::value::{Decoded, Format};
use crate::model::Visibility;

use super::topics::time_type;
use super::{Notice, Shown};

/// Records as rows; their headers stand on lines below.
pub(crate) struct RecordTable(Table);

impl RecordTable {
    pub(crate) fn new() -> Self {
        Self(Table::new(&[
            ("TOPIC", Side::Left),
            ("PARTITION", Side::Right),
            ("OFFSET", Side::Right),
            ("TIME", Side::Left),
            ("TIME TYPE", Side::Left),
            ("EPOCH", Side::Right),
            ("SIZE", Side::Right),
            ("VISIBILITY", Side::Left),
            ("KEY", Side::Left),
            ("VALUE", Side::Left),
        ]))
    }

    /// Adds a record; key and value as they were decoded, when they were.
    pub(crate) fn add(
        &mut self,
        record: &RecordView<'_>,
        decoded: Option<&[Decoded; 2]>,
        zone: &TimeZone,
    ) {
        let part = |decoded: Option<&Decoded>, raw| match decoded.map(|it| (&it.text, it.format)) {
            Some((Some(text), format)) if !matches!(format, Format::Null | Format::Empty) => {
                visible(text)
            }
            _ => bytes(raw),
        };
        self.0.row([
            visible(record.topic),
            record.partition.to_string(),
            number(record.offset.0),
            record
                .timestamp_ms
                .map_or_else(|| "none".to_owned(), |at| time(at, zone)),
            known(record.timestamp_type, time_type),
            known(record.leader_epoch, |epoch| epoch.to_string()),
            number(record.size),
            visibility(record.visibility).to_owned(),
            part(decoded.map(|[key, _]| key), record.key.0),
            part(decoded.map(|[_, value]| value), record.value.0),
        ]);
        for (what, decoded) in ["key", "value"].iter().zip(decoded.into_iter().flatten()) {
            let error = decoded
                .error
                .as_ref()
                .map(|why| format!("; {}", visible(why)));
            self.0.line(format!(
                "{what}: {} ({}){}",
                decoded.format.name(),
                visible(&decoded.evidence),
                error.unwrap_or_default()
            ));
        }
        for (header, value) in &record.headers {
            self.0
                .line(format!("{} = {}", name(header), bytes(value.0)));
        }
    }

    /// Writes what was added since the last time.
    pub(crate) fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.write(out)
    }
}

fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Committed => "committed",
        Visibility::Aborted => "aborted",
        Visibility::Open => "open",
        Visibility::Unknown => "unknown",
    }
}

impl Shown for CoverageView<'_> {
    fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        if let Some(reason) = &self.error {
            notices.push(Notice::error("reading".to_owned(), reason));
        }
        for row in &self.partitions {
            let Some(reason) = &row.error else {
                continue;
            };
            let topic = visible(row.topic);
            let about = row.partition.map_or_else(
                || format!("topic {topic}"),
                |partition| format!("{topic}/{partition}"),
            );
            notices.push(Notice::error(about, reason));
        }
        notices
    }

    fn tables(&self, _zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        if self.matched > 0 {
            writeln!(out)?;
        }
        write!(
            out,
            "{} records given out; {} records and {} bytes looked at; ",
            number(self.matched),
            known_number(self.records_scanned),
            known_number(self.bytes_scanned),
        )?;
        match self.stopped_by {
            Some(reason) => writeln!(out, "stopped by {reason}")?,
            None if self.complete => writeln!(out, "complete")?,
            None => writeln!(out, "not complete")?,
        }
        if let Some(failures) = &self.filter_failures {
            writeln!(
                out,
                "an expression failed on {} records, which do not count as matches; first: {}",
                number(failures.records),
                visible(failures.first)
            )?;
        }
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("PARTITION", Side::Right),
            ("FROM", Side::Right),
            ("TO", Side::Right),
            ("NEXT", Side::Right),
            ("COMPLETE", Side::Left),
        ]);
        for row in &self.partitions {
            table.row([
                visible(row.topic),
                row.partition
                    .map_or_else(|| "all".to_owned(), |partition| partition.to_string()),
                known_number(row.from_offset.map(|offset| offset.0)),
                known_number(row.to_offset.map(|offset| offset.0)),
                known_number(row.next_offset.map(|offset| offset.0)),
                (if row.complete { "yes" } else { "no" }).to_owned(),
            ]);
        }
        table.write(out)
    }
}
