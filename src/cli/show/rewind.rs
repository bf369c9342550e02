//! The tables of `rewind` and `undo`.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::{PlanView, RowView};
use crate::cli::table::{Side, Table};
use crate::cli::text::{UNKNOWN, known, known_number, name, number, time, visible};

use super::{Notice, Shown};

/// So many commands of the stock tool are written beside a plan.
const COMMANDS: usize = 4;

impl Shown for PlanView<'_> {
    fn notices(&self) -> Vec<Notice> {
        let about = |topic: &str, partition| format!("{}/{partition}", visible(topic));
        let mut notices: Vec<Notice> = self
            .problems
            .iter()
            .map(|problem| Notice::error("asked for".to_owned(), problem))
            .collect();
        for row in &self.rows {
            let reason = row.error.as_ref();
            notices.extend(
                reason.map(|reason| Notice::error(about(row.topic, row.partition), reason)),
            );
        }
        for row in &self.results {
            let reason = row.error.as_ref();
            notices.extend(
                reason.map(|reason| Notice::error(about(row.topic, row.partition), reason)),
            );
        }
        notices
    }

    fn tables(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "Group {} to {}\n",
            name(self.group),
            visible(self.target)
        )?;
        self.rows(zone, out)?;
        self.guards(out)?;
        self.results(out)?;
        writeln!(out, "\n{}", self.conclusion())?;
        self.commands(out)?;
        writeln!(out, "Plan {}", self.plan_id)
    }
}

impl PlanView<'_> {
    fn rows(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return writeln!(out, "No partition is in scope.");
        }
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("P", Side::Right),
            ("NOW AT", Side::Right),
            ("GOES TO", Side::Right),
            ("RUN AGAIN", Side::Right),
            ("SKIPPED", Side::Right),
            ("FROM", Side::Left),
            ("TO", Side::Left),
        ]);
        for row in &self.rows {
            let (again, skipped) = counts(row);
            table.row([
                visible(row.topic),
                row.partition.to_string(),
                row.from
                    .map_or_else(|| "none".to_owned(), |offset| number(offset.0)),
                match row.to {
                    None if row.error.is_none() => "deleted".to_owned(),
                    to => known_number(to.map(|offset| offset.0)),
                },
                again,
                skipped,
                row.first_ms.map_or_else(String::new, |at| time(at, zone)),
                row.last_ms.map_or_else(String::new, |at| time(at, zone)),
            ]);
            for warning in &row.warnings {
                table.line(format!("  ▲ {}", visible(warning.detail)));
            }
            if let Some(reason) = &row.error {
                table.line(format!("  ✕ stays: {}", visible(&reason.0.message)));
            }
        }
        table.write(out)
    }

    fn guards(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\nBefore it may be applied:")?;
        for guard in &self.guards {
            let sign = match guard.outcome {
                "passed" => "✓",
                "failed" => "✕",
                "confirm" => "▲",
                _ => "…",
            };
            let how = known(guard.confirm_with, |word| {
                format!("  (--confirm {})", visible(word))
            });
            let how = if guard.confirm_with.is_some() {
                how
            } else {
                String::new()
            };
            writeln!(
                out,
                "  {sign} {}: {}{how}",
                guard.guard,
                visible(guard.detail)
            )?;
        }
        Ok(())
    }

    fn results(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.results.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("P", Side::Right),
            ("BEFORE", Side::Right),
            ("AFTER", Side::Right),
            ("READ BACK", Side::Right),
        ]);
        let place = |offset: Option<crate::model::Offset>| {
            offset.map_or_else(|| "none".to_owned(), |offset| number(offset.0))
        };
        for row in &self.results {
            table.row([
                visible(row.topic),
                row.partition.to_string(),
                place(row.before),
                place(row.after),
                place(row.read_back),
            ]);
        }
        writeln!(out)?;
        table.write(out)
    }

    /// The same with the stock tool, where nothing was applied and the lines are few.
    fn commands(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.applied || self.commands.is_empty() {
            return Ok(());
        }
        if self.commands.len() > COMMANDS {
            return writeln!(
                out,
                "The same with the stock tool takes {} lines, which --json writes; or --export and its --from-file.",
                self.commands.len()
            );
        }
        writeln!(out, "The same with the stock tool:")?;
        for command in &self.commands {
            writeln!(out, "  {}", visible(command))?;
        }
        Ok(())
    }

    fn conclusion(&self) -> String {
        if let Some(error) = &self.error {
            return visible(&error.0.message);
        }
        let runs_again = self
            .rows
            .iter()
            .any(|row| counts(row).0 != UNKNOWN && back(row));
        let twice = if runs_again {
            " Records run a second time: whatever this group publishes or calls for them may happen twice."
        } else {
            ""
        };
        if self.dry_run {
            return format!(
                "Nothing was changed: this is what would happen with --execute.{twice}"
            );
        }
        match self.journal_id {
            Some(id) => format!("Changed. tideline undo {id} gives the old offsets back.{twice}"),
            None => "Nothing was to be changed: every partition is in its place.".to_owned(),
        }
    }
}

fn back(row: &RowView<'_>) -> bool {
    row.from.zip(row.to).is_some_and(|(from, to)| to < from)
}

/// How many records run again, and how many are skipped.
fn counts(row: &RowView<'_>) -> (String, String) {
    let bound = if row.records_exact { "" } else { "up to " };
    let count = known(row.records, |records| {
        if records == 0 {
            "0".to_owned()
        } else {
            format!("{bound}{}", number(records))
        }
    });
    match row.from.zip(row.to) {
        Some((from, to)) if to < from => (count, "0".to_owned()),
        Some((from, to)) if to > from => ("0".to_owned(), count),
        Some(_) => ("0".to_owned(), "0".to_owned()),
        None if row.error.is_none() => ("0".to_owned(), "0".to_owned()),
        None => (UNKNOWN.to_owned(), UNKNOWN.to_owned()),
    }
}
