//! What the table says of itself: which records it shows, how many of how many, and what could not be read.

use crate::engine::{StoppedBy, Table, TableSpan};
use crate::model::time::format_zone;
use crate::model::{Offset, TimestampMs};

use super::super::context::Cx;
use super::super::format::{self, Precision};
use super::super::num::{f64_from_i64, i64_from_f64, u64_from_f64, u64_from_usize};
use super::super::state::{ColumnKind, LaneKey, TableSort};
use super::Wanted;
use super::listing::{Listing, Top};

/// The rows on screen: the first and the last, counted from the top, and whether that is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OnScreen {
    first: u64,
    last: u64,
    exact: bool,
}

impl OnScreen {
    /// The rows on screen of `all`, in words.
    pub(super) fn of_all(self, all: &str) -> String {
        let (first, last) = (format::count(self.first), format::count(self.last));
        format!("rows {first}–{last} of {all}")
    }

    /// The rows of `listing` that are seen at `top`; `None` when there is none.
    pub(super) fn of(listing: &Listing<'_>, top: Top) -> Option<Self> {
        let visible = listing.visible(top);
        let mut at_hand = visible
            .iter()
            .map(|(line, _)| *line)
            .filter(|line| listing.record(*line).is_some());
        let first = at_hand.next()?;
        let last = at_hand.next_back().unwrap_or(first);
        let count = u64::try_from(last.saturating_sub(first)).unwrap_or(0);
        let (exact, _) = listing.edges_at_hand();
        let from_edge = u64::try_from(first.saturating_sub(listing.lines().0)).unwrap_or(0);
        let above = if exact {
            from_edge
        } else {
            let (rank, _, _) = listing.ranks(Top {
                line: first,
                hidden: 0.0,
            });
            u64_from_f64(rank)
        };
        let first = above.saturating_add(1);
        Some(Self {
            first,
            last: first.saturating_add(count),
            exact,
        })
    }
}

/// What the table shows, in words: in full first, then shorter and shorter for where there is less room. How
/// many records it is comes last and is in all of them.
pub(super) fn captions(
    cx: &Cx<'_>,
    table: &Table,
    wanted: &Wanted<'_>,
    sort: &TableSort,
    on_screen: Option<OnScreen>,
) -> Vec<String> {
    let Some(request) = wanted.request else {
        return Vec::new();
    };
    let count = if !wanted.is_answered || (table.loading && table.rows.is_empty()) {
        "reading…".to_owned()
    } else {
        count_said(table, on_screen)
    };
    let span = match &request.span {
        TableSpan::Between(from, to) => Some(format!(
            "{} {}",
            span_said(cx, *from, *to),
            format_zone(*from, cx.zone)
        )),
        TableSpan::Offsets(ranges) => Some(offsets_said(ranges)),
        TableSpan::All => None,
    };
    let mut captions = if let Some((selection, span)) = cx.state.selection.as_ref().zip(span) {
        let lanes = lanes_said(&selection.lanes);
        vec![
            format!("{lanes} · {span} · {count}"),
            format!("{lanes} · {count}"),
            format!("{span} · {count}"),
        ]
    } else {
        let order = match (&sort.by, sort.descending) {
            (ColumnKind::Time, true) => ", newest first",
            (ColumnKind::Time, false) => ", oldest first",
            _ => "",
        };
        vec![
            format!("all topics shown{order} · {count}"),
            format!("all topics shown · {count}"),
        ]
    };
    captions.push(count);
    captions
}

/// A stretch of offsets; of several partitions only that it is one.
fn offsets_said(ranges: &[(Offset, Offset)]) -> String {
    match ranges {
        [(from, to)] => format!(
            "offsets {} – {}",
            format::offset(*from),
            format::offset(Offset(to.0.saturating_sub(1)))
        ),
        _ => format!(
            "chosen offsets of {}",
            format::counted(u64_from_usize(ranges.len()), "partition", "partitions")
        ),
    }
}

fn count_said(table: &Table, on_screen: Option<OnScreen>) -> String {
    let is_whole = table.at_start && table.at_end;
    let shown = u64_from_usize(table.rows.len());
    let reading = if table.loading { ", reading…" } else { "" };
    let all = match table.up_to {
        _ if is_whole => format::counted(shown, "record", "records"),
        // What lies on both sides is a bound; what is at hand is counted.
        Some(up_to) => format!(
            "up to {}",
            format::counted(up_to.max(shown), "record", "records")
        ),
        None => format!(
            "{}, more to come",
            format::counted(shown, "record", "records")
        ),
    };
    match on_screen {
        Some(rows) if rows.last > rows.first || !is_whole => {
            format!("{}{reading}", rows.of_all(&all))
        }
        _ => format!("{all}{reading}"),
    }
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

/// What could not be read or is not as one would expect, in short and in full.
pub(super) fn failures(table: &Table) -> Option<(String, String)> {
    let mut short: Vec<String> = Vec::new();
    let mut full: Vec<String> = Vec::new();
    if let Some(problem) = table.problems.first() {
        short.push(problem.to_string());
        full.extend(table.problems.iter().map(ToString::to_string));
    }
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
    if !failed.is_empty() {
        const NAMED: usize = 12;
        let count = u64_from_usize(failed.len());
        let what = format::counted(count, "partition was", "partitions were");
        short.push(format!("{what} not read whole"));
        full.extend(failed.iter().take(NAMED).cloned());
        if failed.len() > NAMED {
            full.push(format!("and {} more", failed.len().saturating_sub(NAMED)));
        }
    }
    let early = match table.stopped_by {
        Some(StoppedBy::Budget) => Some("Stopped at the bound on memory"),
        Some(StoppedBy::Timeout) => Some("Stopped: it took too long"),
        Some(StoppedBy::Interrupt) => Some("Stopped"),
        Some(StoppedBy::Limit | StoppedBy::Error) | None => None,
    };
    if let Some(early) = early.filter(|_| short.is_empty()) {
        short.push(early.to_owned());
        full.push(format!("{early}; what is shown is not all there is"));
    }
    if table.disordered {
        short.push("not all in order of time".to_owned());
        full.push(
            "Some records are dated earlier than records before them in their partition, so they stand lower or higher than their time"
                .to_owned(),
        );
    }
    let first = short.first()?;
    let short = match short.len() {
        1 => first.clone(),
        more => format!("{first} (+{})", more.saturating_sub(1)),
    };
    Some((short, full.join("\n")))
}

/// What there is to know of the numbers of the rows on screen.
pub(super) fn counting(on_screen: Option<OnScreen>) -> Option<&'static str> {
    on_screen.filter(|rows| !rows.exact).map(|_| {
        "Rows are counted by the offsets above them; holes and transaction markers count as well"
    })
}

/// How many records came that are not seen: those at hand below the last that was, and offsets beyond.
pub(super) fn news(table: &Table, seen_end: Option<i64>) -> Option<String> {
    let length = i64::try_from(table.rows.len()).unwrap_or(i64::MAX);
    let last = table.first.saturating_add(length).saturating_sub(1);
    let at_hand = seen_end
        .filter(|_| table.at_end && length > 0)
        .and_then(|seen| u64::try_from(last.saturating_sub(seen)).ok())
        .unwrap_or(0);
    let all = at_hand.saturating_add(table.newer);
    if all == 0 {
        return None;
    }
    let bound = if table.newer > 0 { "up to " } else { "" };
    Some(format!("{bound}{} new", format::count(all)))
}

/// How many rows of `height` points fit in so many points.
pub(super) fn rows_in(points: f32, height: f32) -> i64 {
    i64_from_f64(f64::from(points / height).ceil()).max(0)
}

/// An upper bound as rows, no more than fit on a screen.
pub(super) fn placeholders(up_to: Option<f64>, fitting: i64) -> i64 {
    up_to.map_or(fitting, |up_to| {
        i64_from_f64(up_to.min(f64_from_i64(fitting)).max(0.0))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::PartitionCoverage;
    use crate::model::{PartitionId, Problem, ProblemKind, Record, by_hand};

    fn rows(count: i64) -> Vec<Arc<Record>> {
        (0..count)
            .map(|offset| Arc::new(by_hand::record("t", 0, offset)))
            .collect()
    }

    #[test]
    fn rows_on_screen_are_counted_exactly_where_the_edge_is_at_hand() {
        let whole = Table {
            rows: rows(132),
            up_to: Some(140),
            at_start: true,
            at_end: true,
            ..Table::default()
        };
        let exact = OnScreen {
            first: 5,
            last: 31,
            exact: true,
        };
        assert_eq!(count_said(&whole, Some(exact)), "rows 5–31 of 132 records");
        let piece = Table {
            up_to: Some(18_422),
            at_end: false,
            ..whole.clone()
        };
        assert_eq!(
            count_said(&piece, Some(exact)),
            "rows 5–31 of up to 18,422 records"
        );
        let near = OnScreen {
            first: 1_204,
            last: 1_230,
            exact: false,
        };
        let piece = Table {
            at_start: false,
            loading: true,
            ..piece
        };
        assert_eq!(
            count_said(&piece, Some(near)),
            "rows 1,204–1,230 of up to 18,422 records, reading…"
        );
        assert_eq!(count_said(&whole, None), "132 records");
    }

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
        let table = Table {
            disordered: true,
            ..table
        };
        assert_eq!(
            failures(&table).unwrap().0,
            "2 partitions were not read whole (+1)"
        );
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
    fn news_are_rows_or_a_bound() {
        let table = Table {
            rows: rows(20),
            first: -8,
            at_end: true,
            ..Table::default()
        };
        assert_eq!(news(&table, Some(11)), None);
        assert_eq!(news(&table, Some(-1)).as_deref(), Some("12 new"));
        let table = Table {
            newer: 1_500,
            ..table
        };
        assert_eq!(news(&table, Some(-1)).as_deref(), Some("up to 1,512 new"));
        assert_eq!(news(&table, None).as_deref(), Some("up to 1,500 new"));
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
