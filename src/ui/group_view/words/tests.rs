//! What cells say, and that nothing unknown is a number.

use super::*;
use crate::inspect::samples::{GroupReading, Limits, Samples};
use crate::model::{Problem, ProblemKind, RecordHead, Text, TopicPartition, by_hand};

/// 30 November 2026, 14:00 in Berlin.
const NOW: TimestampMs = TimestampMs(1_796_043_600_000);

fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").unwrap()
}

fn place(committed: Option<i64>, start: i64, end: i64) -> Place {
    let commit = by_hand::commit("t", 0, committed);
    Place::new(&commit, Ok(Offset(start)), Ok(Offset(end)))
}

fn lost() -> Problem {
    Problem::new(ProblemKind::NoLeader, "nobody leads it")
}

/// The samples after readings every 4 s up to now.
fn samples(readings: &[Place]) -> PlaceSamples {
    let name = Text::from("g");
    let mut samples = Samples::default();
    let count = i64::try_from(readings.len()).unwrap();
    for (step, place) in (1..).zip(readings) {
        let at = NOW.moved_ms((step - count) * 4_000);
        let reading = GroupReading {
            name: &name,
            places: Some(std::slice::from_ref(place)),
        };
        samples = samples.with(at, &[reading], Some(&name), &Limits::default());
    }
    let group = samples.group(&name).unwrap();
    group
        .partition(&TopicPartition::new("t", 0))
        .unwrap()
        .clone()
}

#[test]
fn a_lag_is_a_number_or_a_dash_with_its_reason() {
    assert_eq!(lag(&place(Some(592), 0, 13_000)).text, "12,408");
    assert_eq!(lag(&place(Some(13_000), 0, 13_000)).text, "0");
    let never = lag(&place(None, 0, 13_000));
    assert_eq!(
        (never.text.as_str(), never.hint.as_str()),
        ("—", "The group never committed here")
    );
    let mut unknown = place(Some(592), 0, 13_000);
    unknown.high_watermark = Err(lost());
    assert_eq!(lag(&unknown).spoken(), "not known: nobody leads it");
}

#[test]
fn a_commit_beyond_the_end_is_a_warning() {
    let beyond = place(Some(12), 0, 9);
    assert_eq!(
        (lag(&beyond).text.as_str(), lag(&beyond).tone),
        ("—", Tone::Warning)
    );
    assert_eq!(notes(&beyond).text, "committed beyond the end");
    assert_eq!(notes(&beyond).tone, Tone::Warning);
    assert_eq!(delay(&beyond, NOW).text, "—");
}

#[test]
fn deleted_records_are_no_lag_and_are_said() {
    let behind = place(Some(1_042), 1_253, 2_947);
    assert_eq!(lag(&behind).text, "1,694");
    assert!(lag(&behind).hint.contains("211"), "{}", lag(&behind).hint);
    assert_eq!(notes(&behind).text, "lost 211 before the log start");
    assert_eq!(notes(&behind).short, "lost 211");
}

#[test]
fn notes_hold_what_was_stored_with_the_commit() {
    let mut noted = place(Some(1_042), 1_253, 2_947);
    noted.metadata = Text::from("batch 7");
    assert_eq!(
        notes(&noted).text,
        "lost 211 before the log start · batch 7"
    );
    noted.log_start = Ok(Offset(0));
    assert_eq!(
        (notes(&noted).text.as_str(), notes(&noted).tone),
        ("batch 7", Tone::Dim)
    );
}

#[test]
fn time_behind_runs_from_the_next_record() {
    let mut behind = place(Some(40), 0, 100);
    assert_eq!(delay(&behind, NOW).text, "—");
    assert!(!delay(&behind, NOW).hint.is_empty());
    let head = |timestamp| {
        Some(Ok(Some(RecordHead {
            offset: Offset(40),
            timestamp,
        })))
    };
    behind.next = head(Some(NOW.moved_ms(-3 * 60_000)));
    assert_eq!(delay(&behind, NOW).text, "3 min");
    behind.next = head(None);
    assert_eq!(
        delay(&behind, NOW).spoken(),
        "not known: The next record carries no time"
    );
    behind.next = Some(Err(lost()));
    assert_eq!(delay(&behind, NOW).spoken(), "not known: nobody leads it");
    assert_eq!(delay(&place(Some(100), 0, 100), NOW).text, "0 s");
    assert_eq!(delay(&place(None, 0, 100), NOW).text, "—");
}

#[test]
fn a_movement_is_told_by_its_age_then_by_its_time() {
    let said =
        |samples: &PlaceSamples, now| moved(&place(Some(9), 0, 9), Some(samples), now, &berlin());
    let moving = samples(&[place(Some(5), 0, 9), place(Some(9), 0, 9)]);
    assert_eq!(said(&moving, NOW.moved_ms(12_000)).text, "moved 12 s ago");
    assert!(said(&moving, NOW).hint.starts_with("By 4 offsets. "));
    assert_eq!(
        said(&moving, NOW.moved_ms(60_000)).text,
        "moved at 14:00:00 UTC+01:00"
    );
    let back = samples(&[place(Some(9), 0, 9), place(Some(5), 0, 9)]);
    let cell = said(&back, NOW.moved_ms(1_000));
    assert_eq!(
        (cell.text.as_str(), cell.tone),
        ("moved back 1 s ago", Tone::Warning)
    );
    let first = samples(&[place(None, 0, 9), place(Some(9), 0, 9)]);
    assert_eq!(said(&first, NOW).text, "first commit 0 s ago");
}

#[test]
fn standing_still_is_said_as_far_as_somebody_looked() {
    let still = samples(&[place(Some(5), 0, 9), place(Some(5), 0, 9)]);
    let cell = moved(&place(Some(5), 0, 9), Some(&still), NOW, &berlin());
    assert_eq!(cell.text, "not moved since 13:59:56 UTC+01:00");
    assert_eq!(
        cell.hint,
        "Not moved since 13:59:56 UTC+01:00, as long as Tideline has looked"
    );
    assert_eq!(cell.short, "not since 13:59:56");
    let later = moved(
        &place(Some(5), 0, 9),
        Some(&still),
        NOW.moved_ms(86_400_000),
        &berlin(),
    );
    assert_eq!(later.text, "not moved since 30 Nov 13:59:56 UTC+01:00");
    let unread = moved(&place(Some(5), 0, 9), None, NOW, &berlin());
    assert_eq!(
        (unread.text.as_str(), unread.hint.as_str()),
        ("—", NEXT_READING)
    );
}

#[test]
fn a_trend_has_a_word_a_reason_and_its_rule() {
    let falling: Vec<Place> = (0..5)
        .map(|step| place(Some(step), 0, 100 + step * 50))
        .collect();
    let cell = trend_of(&falling[4], Some(&samples(&falling)));
    assert_eq!(
        (cell.text.as_str(), cell.tone),
        ("falling behind", Tone::Warning)
    );
    assert_eq!(cell.hint, RULE);
    let stuck: Vec<Place> = (0..10).map(|_| place(Some(7), 0, 100)).collect();
    assert_eq!(trend_of(&stuck[0], Some(&samples(&stuck))).text, "stuck");
    let short = trend_of(&stuck[0], Some(&samples(&stuck[..2])));
    assert_eq!(short.text, "—");
    assert!(short.hint.starts_with("12 s of readings are needed\n"));
    assert!(
        trend_of(&stuck[0], None)
            .hint
            .contains("followed from when")
    );
    assert!(
        trend_of(&place(None, 0, 9), None)
            .hint
            .contains("never committed")
    );
}

#[test]
fn owners_are_named_or_it_is_said_why_not() {
    let owner = |members| owner(None, members);
    assert_eq!(owner(Ok(0)).text, "no members");
    assert_eq!(owner(Ok(2)).text, "nobody");
    assert_eq!(
        owner(Err("not readable")).spoken(),
        "not known: not readable"
    );
}

#[test]
fn totals_are_at_least_where_something_is_not_known() {
    let mut total = Total {
        lag: crate::inspect::lag::TotalLag {
            records: Some(12_408),
            incomplete: true,
        },
        partitions: 4,
        unknown: 1,
        lost: 211,
        waiting_since: Some(NOW.moved_ms(-120_000)),
        ..Total::default()
    };
    assert_eq!(total_lag(&total).text, "≥ 12,408");
    assert_eq!(
        total_lag(&total).hint,
        "At least 12,408: the lag of 1 partition is not known"
    );
    assert_eq!(total_delay(&total, NOW).text, "≥ 2 min");
    assert_eq!(
        total_notes(&total).text,
        "1 partition not known · lost 211 before the log start"
    );
    total.unknown = 0;
    assert_eq!(
        (
            total_lag(&total).text.as_str(),
            total_delay(&total, NOW).text.as_str()
        ),
        ("12,408", "2 min")
    );
    total.lag.records = None;
    total.unknown = 4;
    assert_eq!(
        total_lag(&total).spoken(),
        "not known: The lag of 4 partitions is not known"
    );
}
