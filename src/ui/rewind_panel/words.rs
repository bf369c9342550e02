//! What rows, totals, guards and results say. Pure.

use jiff::tz::TimeZone;

use crate::decode::visible::one_line;
use crate::engine::RowResult;
use crate::model::{Bookmark, Known, Member, Problem, TimestampMs};
use crate::rewind::guard::{GuardKind, Outcome};
use crate::rewind::plan::{Direction, Edge, Row, Totals};

use super::super::format::{self, Precision};

/// What a cell says, and more for those who ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Why it is not known, or what it means.
    pub hint: String,
}

impl Cell {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            hint: String::new(),
        }
    }

    fn unknown(problem: &Problem) -> Self {
        Self {
            text: "—".to_owned(),
            hint: problem.to_string(),
        }
    }
}

/// Where a group stands or goes: its offset, `none` without a bookmark.
pub fn place(at: &Known<Option<Bookmark>>, none: &str) -> Cell {
    match at {
        Ok(Some(bookmark)) => Cell::plain(format::offset(bookmark.offset)),
        Ok(None) => Cell::plain(none),
        Err(problem) => Cell::unknown(problem),
    }
}

/// A number of records, or how many there are at most.
pub fn bounded(records: u64, exact: bool) -> String {
    let bound = if exact { "" } else { "up to " };
    format!("{bound}{}", format::count(records))
}

/// Records of `row` that run again, and that are skipped.
pub fn effects(row: &Row) -> (Cell, Cell) {
    let contents = &row.contents;
    let some = Cell {
        text: bounded(contents.records, contents.exact),
        hint: if contents.exact {
            "counted, record by record".to_owned()
        } else {
            "offsets between the two places: some of them may hold no record".to_owned()
        },
    };
    let none = || Cell::plain("0");
    match (&row.from, &row.to) {
        (Err(problem), _) | (_, Err(problem)) => (Cell::unknown(problem), Cell::unknown(problem)),
        _ => match row.direction() {
            Direction::Back => (some, none()),
            Direction::Skip => (none(), some),
            Direction::Stay => (none(), none()),
            Direction::Begin => {
                let why = Cell {
                    text: "—".to_owned(),
                    hint: "the group has no bookmark here, so what it has read is not known"
                        .to_owned(),
                };
                (why.clone(), why)
            }
            Direction::Delete => {
                let why = Cell {
                    text: "—".to_owned(),
                    hint: "without a bookmark the group's own settings decide where it goes on"
                        .to_owned(),
                };
                (why.clone(), why)
            }
        },
    }
}

/// The times of the first and the last record between the places of `row`; empty where they are not known.
pub fn times(row: &Row, now: TimestampMs, zone: &TimeZone) -> String {
    let time = |edge: &Option<Edge>| edge.as_ref().and_then(|edge| edge.at);
    let said = |at: TimestampMs| {
        let clock = format::time_of_day(at, zone, Precision::Seconds);
        if format::same_day(at, now, zone) {
            clock
        } else {
            format!("{} {clock}", format::short_date(at, zone))
        }
    };
    match (time(&row.contents.first), time(&row.contents.last)) {
        (Some(first), Some(last)) => format!("{} – {}", said(first), said(last)),
        (Some(first), None) => format!("{} –", said(first)),
        (None, Some(last)) => format!("– {}", said(last)),
        (None, None) => String::new(),
    }
}

/// First and last key between the places of `row`.
pub fn keys(row: &Row) -> String {
    let key = |edge: &Option<Edge>| match edge {
        None => "—".to_owned(),
        Some(Edge { key: None, .. }) => "null".to_owned(),
        Some(Edge { key: Some(key), .. }) => one_line(key, 60),
    };
    let contents = &row.contents;
    if contents.first.is_none() && contents.last.is_none() {
        return String::new();
    }
    format!(
        "First key: {}\nLast key: {}",
        key(&contents.first),
        key(&contents.last)
    )
}

/// What the plan comes to, in a sentence.
pub fn sentence(totals: &Totals) -> String {
    let again = bounded(totals.again, totals.again_exact);
    let skipped = bounded(totals.skipped, totals.skipped_exact);
    let records = |count: u64| if count == 1 { "record" } else { "records" };
    let said = match (totals.again, totals.skipped) {
        (0, 0) if totals.changed == 0 => "Nothing moves".to_owned(),
        (0, 0) => "No record runs again, none is skipped".to_owned(),
        (_, 0) => format!("{again} {} run again", records(totals.again)),
        (0, _) => format!(
            "{skipped} {} are skipped: the group will not read them",
            records(totals.skipped)
        ),
        (_, _) => format!(
            "{again} {} run again, {skipped} are skipped: the group will not read those",
            records(totals.again)
        ),
    };
    let mut chars = said.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// What a guard is about.
pub fn guard_title(kind: GuardKind) -> &'static str {
    match kind {
        GuardKind::Exists => "The group is the right one",
        GuardKind::Kind => "It can be moved this way",
        GuardKind::NoMembers => "It has no members",
        GuardKind::NoHiddenReader => "No hidden reader",
        GuardKind::Unchanged => "Only its own members moved it",
        GuardKind::Retention => "Retention will not overtake the replay",
        GuardKind::Writable => "Changes are allowed",
        GuardKind::Production => "Production",
    }
}

/// An outcome in a word, for those who do not see its sign.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Confirm => "to confirm",
        Outcome::Unknown => "cannot be known yet",
    }
}

/// An outcome's sign.
pub fn outcome_sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "✓",
        Outcome::Failed => "✕",
        Outcome::Confirm => "▲",
        Outcome::Unknown => "…",
    }
}

/// A member by client id and host.
pub fn member(member: &Member) -> String {
    let host = member.host.lossy();
    let host = host.strip_prefix('/').unwrap_or(&host);
    let client = one_line(member.client_id.as_bytes(), 60);
    format!("{client} on {host}")
}

/// What became of a row: `orders / 0: 41,870 → 38,214, read back`.
pub fn result(row: &RowResult) -> String {
    let offset = |at: &Option<Bookmark>| {
        at.as_ref()
            .map_or_else(|| "none".to_owned(), |at| format::offset(at.offset))
    };
    let moved = format!(
        "{} / {}: {} → {}",
        row.at.topic,
        row.at.partition,
        offset(&row.before),
        offset(&row.after)
    );
    match (&row.error, &row.read_back) {
        (Some(error), _) => format!("{moved}: {error}"),
        (None, Ok(Some(found))) => format!("{moved}, read back {}", format::offset(*found)),
        (None, Ok(None)) => format!("{moved}, read back: no bookmark"),
        (None, Err(problem)) => format!("{moved}, not read back: {problem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Offset, ProblemKind, TopicPartition};
    use crate::rewind::plan::Contents;

    fn row(from: Option<i64>, to: Known<Option<i64>>, records: u64, exact: bool) -> Row {
        let plain = |offset: i64| Bookmark::plain(Offset(offset));
        Row {
            at: TopicPartition::new("orders", 0),
            topic_id: None,
            from: Ok(from.map(plain)),
            to: to.map(|to| to.map(plain)),
            log_start: Ok(Offset(0)),
            end: Ok(Offset(100_000)),
            retention_ms: None,
            contents: Contents {
                records,
                exact,
                ..Contents::default()
            },
            warnings: vec![],
        }
    }

    fn texts(row: &Row) -> (String, String) {
        let (again, skipped) = effects(row);
        (again.text, skipped.text)
    }

    #[test]
    fn bounds_are_called_bounds_and_what_is_not_known_is_no_number() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let back = row(Some(41_870), Ok(Some(38_214)), 3_656, false);
        assert_eq!(texts(&back), pair("up to 3,656", "0"));
        let skip = row(Some(10), Ok(Some(20)), 9, true);
        assert_eq!(texts(&skip), pair("0", "9"));
        let lost = Problem::new(ProblemKind::NoLeader, "nobody leads it");
        let stays = row(Some(10), Err(lost), 0, true);
        assert_eq!(texts(&stays), pair("—", "—"));
        assert!(effects(&stays).0.hint.contains("nobody leads it"));
        assert_eq!(texts(&row(None, Ok(Some(5)), 0, true)), pair("—", "—"));
        assert_eq!(texts(&row(Some(5), Ok(None), 0, true)), pair("—", "—"));
    }

    #[test]
    fn the_sentence_says_what_runs_again_and_what_is_never_read() {
        let totals = |again, again_exact, skipped, changed| Totals {
            again,
            again_exact,
            skipped,
            skipped_exact: true,
            changed,
            ..Totals::default()
        };
        assert_eq!(
            sentence(&totals(11_768, false, 0, 4)),
            "Up to 11,768 records run again"
        );
        assert_eq!(
            sentence(&totals(0, true, 12, 1)),
            "12 records are skipped: the group will not read them"
        );
        assert_eq!(
            sentence(&totals(3, true, 12, 2)),
            "3 records run again, 12 are skipped: the group will not read those"
        );
        assert_eq!(sentence(&totals(0, true, 0, 0)), "Nothing moves");
    }

    #[test]
    fn times_carry_their_day_unless_it_is_today() {
        let mut some = row(Some(10), Ok(Some(5)), 5, true);
        let edge = |ms| {
            Some(Edge {
                at: Some(TimestampMs(ms)),
                key: Some(bytes::Bytes::from_static(b"o-1")),
            })
        };
        some.contents.first = edge(0);
        some.contents.last = edge(90_061_000);
        let now = TimestampMs(90_100_000);
        assert_eq!(
            times(&some, now, &TimeZone::UTC),
            "1 Jan 00:00:00 – 01:01:01"
        );
        some.contents.last = None;
        assert_eq!(keys(&some), "First key: o-1\nLast key: —");
    }

    #[test]
    fn a_result_says_before_after_and_what_was_read_back() {
        let mut row = RowResult {
            at: TopicPartition::new("orders", 0),
            before: Some(Bookmark::plain(Offset(41_870))),
            after: Some(Bookmark::plain(Offset(38_214))),
            read_back: Ok(Some(Offset(38_214))),
            error: None,
        };
        assert_eq!(
            result(&row),
            "orders / 0: 41,870 → 38,214, read back 38,214"
        );
        row.error = Some(Problem::new(ProblemKind::Refused, "a member is there"));
        assert_eq!(
            result(&row),
            "orders / 0: 41,870 → 38,214: a member is there"
        );
    }
}
