//! What the table says of itself: which records it shows, how many of how many, and what could not be read.

use crate::engine::{StoppedBy, Table, TableSpan};
use crate::model::TimestampMs;
use crate::model::time::format_zone;

use super::super::context::Cx;
use super::super::format::{self, Precision};
use super::super::num::u64_from_usize;
use super::super::state::LaneKey;
use super::Wanted;

/// What the table shows, in words: in full first, then shorter and shorter for where there is less room. How
/// many records it is comes last and is in all of them.
pub(super) fn captions(cx: &Cx<'_>, table: &Table, wanted: &Wanted<'_>) -> Vec<String> {
    let Some(request) = wanted.request else {
        return Vec::new();
    };
    let count = if !wanted.is_answered || (table.loading && table.rows.is_empty()) {
        "reading…".to_owned()
    } else {
        count_said(table, request.span)
    };
    let mut captions = match (&cx.state.selection, request.span) {
        (Some(selection), TableSpan::Between(from, to)) => {
            let lanes = lanes_said(&selection.lanes);
            let span = span_said(cx, from, to);
            let zone = format_zone(from, cx.zone);
            vec![
                format!("{lanes} · {span} {zone} · {count}"),
                format!("{span} {zone} · {count}"),
                format!("{lanes} · {count}"),
            ]
        }
        _ => vec![format!("the newest of all topics shown · {count}")],
    };
    captions.push(count);
    captions
}

fn count_said(table: &Table, span: TableSpan) -> String {
    let shown = u64_from_usize(table.rows.len());
    if span == TableSpan::All {
        return format::counted(shown, "record", "records");
    }
    let reading = if table.loading { ", reading…" } else { "" };
    match table.up_to.filter(|_| has_more(table)) {
        Some(up_to) => {
            let all = format::counted(up_to, "record", "records");
            format!("{} of up to {all}{reading}", format::count(shown))
        }
        None => format!("{}{reading}", format::counted(shown, "record", "records")),
    }
}

/// Whether there may be more rows than those at hand.
fn has_more(table: &Table) -> bool {
    !(table.at_start && table.at_end)
}

fn lanes_said(lanes: &[LaneKey]) -> String {
    match lanes {
        [] => "all topics shown".to_owned(),
        [only] => only.title(),
        [first, second] => format!("{}, {}", first.title(), second.title()),
        [first, rest @ ..] => format!("{} and {} more", first.title(), rest.len()),
    }
}

fn span_said(cx: &Cx<'_>, from: TimestampMs, to: TimestampMs) -> String {
    let precision = if to.since_ms(from) < 10_000 {
        Precision::Millis
    } else {
        Precision::Seconds
    };
    let time = |at| format::time_of_day(at, cx.zone, precision);
    if format::same_day(from, to, cx.zone) {
        format!(
            "{} {} – {}",
            format::date(from, cx.zone),
            time(from),
            time(to)
        )
    } else {
        format!(
            "{} {} – {} {}",
            format::date(from, cx.zone),
            time(from),
            format::date(to, cx.zone),
            time(to)
        )
    }
}

/// What could not be read, in short and in full.
pub(super) fn failures(table: &Table) -> Option<(String, String)> {
    let failed: Vec<String> = table
        .partitions
        .iter()
        .filter_map(|partition| {
            let problem = partition.error.as_ref()?;
            let place = partition
                .at()
                .map_or_else(|| partition.topic.to_string(), |at| at.to_string());
            Some(format!("{place}: {problem}"))
        })
        .collect();
    let early = match table.stopped_by {
        Some(StoppedBy::Budget) => Some("Stopped at the bound on memory"),
        Some(StoppedBy::Timeout) => Some("Stopped: it took too long"),
        Some(StoppedBy::Interrupt) => Some("Stopped"),
        Some(StoppedBy::Limit | StoppedBy::Error) | None => None,
    };
    if let Some(problem) = table.problems.first() {
        let mut hint: Vec<String> = table.problems.iter().map(ToString::to_string).collect();
        hint.extend(failed);
        return Some((problem.to_string(), hint.join("\n")));
    }
    if failed.is_empty() {
        return early.map(|early| {
            (
                early.to_owned(),
                format!("{early}; what is shown is not all there is"),
            )
        });
    }
    const NAMED: usize = 12;
    let count = u64_from_usize(failed.len());
    let mut hint: Vec<String> = failed.iter().take(NAMED).cloned().collect();
    if failed.len() > NAMED {
        hint.push(format!("and {} more", failed.len().saturating_sub(NAMED)));
    }
    let what = format::counted(count, "partition was", "partitions were");
    Some((format!("{what} not read whole"), hint.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::PartitionCoverage;
    use crate::model::{PartitionId, Problem, ProblemKind};

    #[test]
    fn failed_partitions_are_counted_and_named() {
        let failed = |partition| PartitionCoverage {
            topic: "orders".into(),
            partition: Some(PartitionId(partition)),
            from: None,
            to: None,
            next: None,
            complete: false,
            error: Some(Problem::new(ProblemKind::NoLeader, "nobody leads it")),
        };
        let table = Table {
            partitions: vec![failed(1), failed(2)],
            ..Table::default()
        };
        let (text, hint) = failures(&table).unwrap();
        assert_eq!(text, "2 partitions were not read whole");
        assert_eq!(hint, "orders/1: nobody leads it\norders/2: nobody leads it");
    }

    #[test]
    fn reaching_the_rows_asked_for_is_no_failure() {
        let table = Table {
            stopped_by: Some(StoppedBy::Limit),
            ..Table::default()
        };
        assert_eq!(failures(&table), None);
        let table = Table {
            stopped_by: Some(StoppedBy::Budget),
            ..Table::default()
        };
        assert_eq!(
            failures(&table).unwrap().0,
            "Stopped at the bound on memory"
        );
    }

    #[test]
    fn lanes_are_named_as_far_as_there_is_room() {
        let lane = |partition| LaneKey {
            topic: "a".into(),
            partition: Some(PartitionId(partition)),
        };
        assert_eq!(lanes_said(&[]), "all topics shown");
        assert_eq!(lanes_said(&[lane(1)]), "a / 1");
        assert_eq!(lanes_said(&[lane(1), lane(2), lane(3)]), "a / 1 and 2 more");
    }
}
