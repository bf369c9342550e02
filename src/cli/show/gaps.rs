//! The findings of `gaps` and `watch` for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::{ChangeLine, FindingView, GapsView};
use crate::cli::table::{Side, Table};
use crate::cli::text::{UNKNOWN, known, known_number, name, number, time, visible};

use super::{Notice, Shown};

/// A finding on lines of its own: what, where and for whom; what it means; what to do.
fn finding(finding: &FindingView<'_>, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
    let whom = finding.group.map_or_else(
        || "everyone".to_owned(),
        |group| format!("group {}", name(group)),
    );
    writeln!(
        out,
        "{} {} ({}) {whom} {}{}",
        finding.kind,
        finding.title,
        finding.certainty,
        place(finding),
        span(finding, zone),
    )?;
    writeln!(out, "    {}", visible(finding.sentence))?;
    if !finding.next_step.is_empty() {
        writeln!(out, "    → {}", visible(finding.next_step))?;
    }
    Ok(())
}

fn place(finding: &FindingView<'_>) -> String {
    let topic = finding.topic.map_or_else(String::new, visible);
    let partition = finding
        .partition
        .map_or_else(String::new, |partition| format!("/{partition}"));
    let offsets = match (finding.from_offset, finding.to_offset) {
        (Some(from), Some(to)) if from == to => format!(" offset {}", number(from.0)),
        (Some(from), Some(to)) => format!(" offsets {} to {}", number(from.0), number(to.0)),
        _ => String::new(),
    };
    format!("{topic}{partition}{offsets}")
}

fn span(finding: &FindingView<'_>, zone: &TimeZone) -> String {
    match (finding.from_ms, finding.to_ms) {
        (Some(from), Some(to)) if from != to => {
            format!(", {} to {}", time(from, zone), time(to, zone))
        }
        (Some(at), _) | (None, Some(at)) => format!(", {}", time(at, zone)),
        (None, None) => String::new(),
    }
}

/// A change as `watch` writes it for people.
pub(crate) fn change(
    line: &ChangeLine<'_>,
    zone: &TimeZone,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "{}: ", line.change)?;
    finding(&line.finding, zone, out)
}

impl Shown for GapsView<'_> {
    fn notices(&self) -> Vec<Notice> {
        let mut notices = self.coverage.records.notices();
        let missing = self.coverage.missing.iter().map(|reason| Notice {
            about: "not looked at".to_owned(),
            reason: reason.clone(),
            counts: !reason.is_unsupported(),
        });
        notices.extend(missing);
        if let Some(reason) = &self.coverage.history.error {
            let about = "movements of committed offsets".to_owned();
            notices.push(Notice::aside(about, reason));
        }
        notices
    }

    fn tables(&self, zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        let mut normal: BTreeMap<&str, u64> = BTreeMap::new();
        let mut attention = 0_u64;
        for view in &self.findings {
            if view.normal {
                let count = normal.entry(view.title).or_default();
                *count = count.saturating_add(1);
                continue;
            }
            attention = attention.saturating_add(1);
            finding(view, zone, out)?;
        }
        if attention == 0 {
            writeln!(out, "Nothing that needs attention was found.")?;
        }
        if !normal.is_empty() {
            let each: Vec<String> = normal
                .iter()
                .map(|(title, count)| format!("{title} {}", number(*count)))
                .collect();
            writeln!(
                out,
                "Explained and normal (--json names each): {}",
                each.join(", ")
            )?;
        }
        let history = &self.coverage.history;
        writeln!(
            out,
            "\n{} records looked at; movements of committed offsets known from {} since {}",
            known_number(self.coverage.records.records_scanned),
            match history.source {
                Some("commit_log") => "the bus's commit log",
                Some(_) => "what was read while Tideline ran",
                None => UNKNOWN,
            },
            known(history.since_ms, |at| time(at, zone)),
        )?;
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("PARTITION", Side::Right),
            ("FROM", Side::Right),
            ("TO", Side::Right),
            ("COMPLETE", Side::Left),
        ]);
        for row in &self.coverage.records.partitions {
            table.row([
                visible(row.topic),
                row.partition
                    .map_or_else(|| "all".to_owned(), |partition| partition.to_string()),
                known_number(row.from_offset.map(|offset| offset.0)),
                known_number(row.to_offset.map(|offset| offset.0)),
                (if row.complete { "yes" } else { "no" }).to_owned(),
            ]);
        }
        table.write(out)
    }
}
