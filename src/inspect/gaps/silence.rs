//! G21: a topic in which nothing comes though something should.
//!
//! What usually comes in an hour is the least that came in the same hour of the day before; where fewer than three days
//! are known, the least of all whole hours. If events came at that rate independently of one another, none of them
//! would come in a time *t* with probability exp(−rate · t). A producer that works in batches has hours with
//! nothing, and then nothing is expected.

use crate::model::{Certainty, Concerns, Fact, Finding, FindingKind, TimestampMs, TopicName};

use super::finding::Draft;
use super::words::{duration, number};

const HOUR: i64 = 3_600_000;
/// How many hours are looked at.
const HOURS: i64 = 7 * 24;
/// Days that must be known to go by the hour of the day, and hours to go by all of them.
const DAYS: usize = 3;
/// How many are expected when none comes by chance once in a thousand times, and once in a million.
const UNLIKELY: f64 = 6.907_755;
const VERY_UNLIKELY: f64 = 13.815_511;

/// The edges of the hours whose records are counted, oldest first.
pub fn silence_times(now: TimestampMs) -> Vec<TimestampMs> {
    let last = now.0.div_euclid(HOUR).saturating_mul(HOUR);
    (0..=HOURS)
        .rev()
        .map(|back| TimestampMs(last.saturating_sub(back.saturating_mul(HOUR))))
        .collect()
}

/// Whether a topic is unusually silent. `counts` are records by hour, oldest first; `last` is the time of the newest.
pub fn silence(
    topic: &TopicName,
    now: TimestampMs,
    counts: &[(TimestampMs, TimestampMs, u64)],
    last: Option<TimestampMs>,
) -> Option<Finding> {
    let last = last.filter(|last| *last <= now)?;
    let silent_ms = now.since_ms(last);
    // Hours before the first record that is kept say nothing, and that one's own hour may be cut.
    let begin = counts.iter().position(|(.., count)| *count > 0)?;
    let known: Vec<(TimestampMs, u64)> = counts
        .get(begin.checked_add(1)?..)?
        .iter()
        .filter(|(_, to, _)| *to <= last)
        .map(|(from, _, count)| (*from, *count))
        .collect();
    let mut expected = 0.0;
    let mut here = last;
    while here < now {
        let next = TimestampMs(
            here.0
                .div_euclid(HOUR)
                .saturating_add(1)
                .saturating_mul(HOUR),
        )
        .min(now);
        let share = fraction(next.since_ms(here));
        expected += least(&known, here)? * share;
        if expected > VERY_UNLIKELY * 4.0 {
            break;
        }
        here = next;
    }
    let certainty = if expected > VERY_UNLIKELY {
        Certainty::Strong
    } else if expected > UNLIKELY {
        Certainty::Hint
    } else {
        return None;
    };
    let usual = least(&known, last)?;
    let usual = rounded(usual);
    let sentence = format!(
        "Normally {} or more come to {topic} in an hour at this time; none has come for {}.",
        match usual {
            1 => "1 event".to_owned(),
            usual => format!("{} events", number(usual)),
        },
        duration(silent_ms),
    );
    Some(
        Draft::new(FindingKind::Silence, Concerns::Everyone)
            .topic(topic)
            .certainty(certainty)
            .because("usual_per_hour", Fact::Number(usual))
            .because("silent_ms", Fact::Number(silent_ms))
            .because("last_record", Fact::Time(last))
            .because("hours_known", Fact::Number(i64::try_from(known.len()).unwrap_or(i64::MAX)))
            .with(|finding| {
                (finding.from_time, finding.to_time) = (Some(last), Some(now));
            })
            .say(
                &last.0.to_string(),
                sentence,
                "Ask whoever sends these events whether it still runs; then look whether it can reach the bus.",
            ),
    )
}

/// The least number of records in an hour like the one of `at`.
fn least(known: &[(TimestampMs, u64)], at: TimestampMs) -> Option<f64> {
    let hour_of_day = |time: TimestampMs| time.0.div_euclid(HOUR).rem_euclid(24);
    let same: Vec<u64> = known
        .iter()
        .filter(|(from, _)| hour_of_day(*from) == hour_of_day(at))
        .map(|(_, count)| *count)
        .collect();
    let least = if same.len() >= DAYS {
        same.iter().min().copied()
    } else if known.len() >= DAYS {
        known.iter().map(|(_, count)| *count).min()
    } else {
        None
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of records in an hour; a rough one is enough"
    )]
    least.map(|least| least as f64)
}

fn fraction(ms: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an hour at most")]
    let ms = ms as f64;
    ms / 3_600_000.0
}

fn rounded(value: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it came from a count of records"
    )]
    let rounded = value.round() as i64;
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: TimestampMs = TimestampMs(1_000 * HOUR + HOUR / 2);

    /// Counts of each hour by how many hours ago it began.
    fn counts(of: impl Fn(i64) -> u64) -> Vec<(TimestampMs, TimestampMs, u64)> {
        let times = silence_times(NOW);
        assert_eq!(times.len(), 169);
        times
            .windows(2)
            .zip((1..=168).rev())
            .map(|(edges, ago)| (edges[0], edges[1], of(ago)))
            .collect()
    }

    fn judge(of: impl Fn(i64) -> u64, silent_minutes: i64) -> Option<&'static str> {
        let last = NOW.moved_ms(-silent_minutes * 60_000);
        let found = silence(&"t".into(), NOW, &counts(of), Some(last));
        found.map(|finding| finding.certainty.name())
    }

    #[test]
    fn a_busy_topic_that_stops_is_noticed_the_sooner_the_busier_it_is() {
        // 40 a minute: 2,400 an hour; in 15 seconds 10 are expected, in a minute 40.
        assert_eq!(judge(|_| 2_400, 0), None);
        assert_eq!(judge(|_| 2_400, 1), Some("strong"));
        // 20 an hour: 10 in half an hour, 60 in three.
        assert_eq!(judge(|ago| if ago <= 2 { 0 } else { 20 }, 30), Some("hint"));
        assert_eq!(
            judge(|ago| if ago <= 2 { 0 } else { 20 }, 180),
            Some("strong")
        );
        assert_eq!(judge(|_| 20, 10), None);
    }

    #[test]
    fn nights_weekends_and_batches_are_no_alarm() {
        // Nothing came at this hour yesterday.
        assert_eq!(judge(|ago| if ago % 24 < 8 { 0 } else { 500 }, 120), None);
        // One hour in a week had nothing.
        assert_eq!(judge(|ago| if ago == 48 { 0 } else { 500 }, 5), None);
    }

    #[test]
    fn a_young_topic_is_judged_by_its_quietest_hour_and_one_that_is_too_young_not_at_all() {
        assert_eq!(
            judge(|ago| if ago > 6 { 0 } else { 600 }, 5),
            Some("strong")
        );
        assert_eq!(judge(|ago| if ago > 3 { 0 } else { 600 }, 5), None);
        assert_eq!(judge(|_| 0, 500), None);
    }

    #[test]
    fn a_record_of_the_future_says_nothing() {
        let last = Some(NOW.moved_ms(5_000));
        assert_eq!(silence(&"t".into(), NOW, &counts(|_| 2_400), last), None);
        assert_eq!(silence(&"t".into(), NOW, &counts(|_| 2_400), None), None);
    }
}
