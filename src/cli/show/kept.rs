//! The tables of `journal` and `profile list`.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::table::{Side, Table};
use crate::cli::text::{name, number, time, visible};
use crate::model::{Bookmark, JournalEntry, Profile, RowOutcome};

/// What was changed, the newest first.
pub(in crate::cli) struct JournalTable<'a>(pub(in crate::cli) &'a [JournalEntry]);

impl JournalTable<'_> {
    pub(in crate::cli) fn write(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        if self.0.is_empty() {
            return writeln!(out, "Nothing was changed with Tideline so far.");
        }
        let mut table = Table::new(&[
            ("ENTRY", Side::Left),
            ("WHEN", Side::Left),
            ("WHO", Side::Left),
            ("GROUP", Side::Left),
            ("ASKED FOR", Side::Left),
            ("STATE", Side::Left),
            ("PARTITIONS", Side::Right),
        ]);
        for entry in self.0 {
            table.row([
                visible(&entry.id),
                time(entry.at, zone),
                visible(&entry.user),
                name(&entry.group),
                visible(&entry.target),
                entry.state.name().to_owned(),
                number(i128::try_from(entry.rows.len()).unwrap_or(i128::MAX)),
            ]);
        }
        table.write(out)?;
        let [entry] = self.0 else { return Ok(()) };
        writeln!(out)?;
        rows(entry).write(out)
    }
}

fn rows(entry: &JournalEntry) -> Table {
    let mut table = Table::new(&[
        ("TOPIC", Side::Left),
        ("P", Side::Right),
        ("BEFORE", Side::Right),
        ("AFTER", Side::Right),
        ("OUTCOME", Side::Left),
    ]);
    let place = |bookmark: &Option<Bookmark>| {
        bookmark
            .as_ref()
            .map_or_else(|| "none".to_owned(), |it| number(it.offset.0))
    };
    for row in &entry.rows {
        table.row([
            visible(&row.at.topic),
            row.at.partition.to_string(),
            place(&row.before),
            place(&row.after),
            match &row.outcome {
                RowOutcome::Unknown => "not known".to_owned(),
                RowOutcome::Accepted => "accepted".to_owned(),
                RowOutcome::Refused(why) => format!("refused: {}", visible(why)),
            },
        ]);
    }
    table
}

/// Named connections.
pub(in crate::cli) struct ProfileTable<'a>(pub(in crate::cli) &'a [Profile]);

impl ProfileTable<'_> {
    pub(in crate::cli) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.0.is_empty() {
            return writeln!(out, "No profiles.");
        }
        let mut table = Table::new(&[
            ("PROFILE", Side::Left),
            ("ADDRESS", Side::Left),
            ("READ-ONLY", Side::Left),
            ("PRODUCTION", Side::Left),
            ("CLUSTER", Side::Left),
        ]);
        let yes = |it: bool| if it { "yes" } else { "no" }.to_owned();
        for profile in self.0 {
            table.row([
                visible(&profile.name),
                visible(&profile.bootstrap),
                yes(profile.read_only),
                yes(profile.production),
                profile
                    .cluster_id
                    .as_deref()
                    .map_or_else(|| "not reached yet".to_owned(), visible),
            ]);
            for (name, value) in &profile.properties {
                table.line(format!("    {} = {}", visible(name), visible(value)));
            }
            for (name, template) in &profile.links {
                table.line(format!("    {}: {}", visible(name), visible(template)));
            }
        }
        table.write(out)
    }
}
