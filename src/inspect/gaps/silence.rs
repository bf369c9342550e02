//! G21: a topic in which nothing comes though something should.
//!
//! What usually comes in an hour is the least that came in the same hour of the day before; where fewer than three days
//! are known, the least of all whole hours. If events came at that rate independently of one another, none of them
//! would come in a time *t* with probability exp(−rate · t).
//!
//! They do not come independently where a producer works in batches. So a silence must also be longer than any that can
//! have been there lately: the last hours are counted in steps of five minutes, and where that tells nothing because
//! the silence itself fills them, it must be longer than two hours, as none of the hours before was empty.

use crate::model::{Certainty, Concerns, Fact, Finding, FindingKind, TimestampMs, TopicName};

use super::finding::Draft;
use super::words::{duration, number};

const HOUR: i64 = 3_600_000;
/// How many hours are looked at.
const HOURS: i64 = 7 * 24;
/// The steps of the last hours, and how many there are.
const STEP: i64 = 300_000;
const STEPS: i64 = 36;
/// So many steps before the silence tell what silences are usual: an hour.
const TELLING: usize = 12;
/// Days that must be known to go by the hour of the day, and hours to go by all of them.
const DAYS: usize = 3;
/// How many are expected when none comes by chance once in a thousand times, and once in a million.
const UNLIKELY: f64 = 6.907_755;
const VERY_UNLIKELY: f64 = 13.815_511;

/// The edges of the stretches whose records are counted, oldest first: hours, and short steps in the last of them.
pub fn silence_times(now: TimestampMs) -> Vec<TimestampMs> {
    let edges = |width: i64, count: i64| {
        let last = now.0.div_euclid(width).saturating_mul(width);
        (0..=count).map(move |back| last.saturating_sub(back.saturating_mul(width)))
    };
    let mut times: Vec<i64> = edges(HOUR, HOURS).chain(edges(STEP, STEPS)).collect();
    times.sort_unstable();
    times.dedup();
    times.into_iter().map(TimestampMs).collect()
}

/// The counts by whole hours; hours of which a part is missing are left out.
fn hours(counts: &[(TimestampMs, TimestampMs, u64)]) -> Vec<(TimestampMs, TimestampMs, u64)> {
    let hour = |time: TimestampMs| time.0.div_euclid(HOUR);
    let mut hours: Vec<(TimestampMs, TimestampMs, u64)> = Vec::new();
    for (from, to, count) in counts {
        match hours.last_mut() {
            Some((first, last, sum)) if last == from && hour(*first) == hour(*from) => {
                *last = *to;
                *sum = sum.saturating_add(*count);
            }
            _ => hours.push((*from, *to, *count)),
        }
    }
    hours.retain(|(from, to, _)| from.0.rem_euclid(HOUR) == 0 && to.since_ms(*from) == HOUR);
    hours
}

/// The longest time in which nothing can have come shortly before `last`.
fn longest_pause(counts: &[(TimestampMs, TimestampMs, u64)], last: TimestampMs) -> i64 {
    let steps: Vec<u64> = counts
        .iter()
        .filter(|(from, to, _)| to.since_ms(*from) <= STEP && *to <= last)
        .map(|(.., count)| *count)
        .collect();
    if steps.len() < TELLING {
        return HOUR.saturating_mul(2);
    }
    // What came may have come at the outer ends of the steps on both sides.
    let (mut longest, mut empty) = (0_i64, 0_i64);
    for count in steps {
        empty = if count == 0 {
            empty.saturating_add(1)
        } else {
            0
        };
        longest = longest.max(empty);
    }
    STEP.saturating_mul(longest.saturating_add(2))
}

/// Whether a topic is unusually silent. `counts` are records between the times of [`silence_times`], oldest first and
/// only where they are known; `last` is the time of the newest record.
pub fn silence(
    topic: &TopicName,
    now: TimestampMs,
    counts: &[(TimestampMs, TimestampMs, u64)],
    last: Option<TimestampMs>,
) -> Option<Finding> {
    let last = last.filter(|last| *last <= now)?;
    let silent_ms = now.since_ms(last);
    if silent_ms <= longest_pause(counts, last) {
        return None;
    }
    let counts = hours(counts);
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
        expected += rate(&known, here, next)? * share;
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

/// What usually comes in an hour at the time from `from` to `to`, which lie in one hour. Of a part of an hour it is not
/// known where in the hour events came: they may end or begin in the midst of it. So no more is expected than in the
/// hours beside it.
fn rate(known: &[(TimestampMs, u64)], from: TimestampMs, to: TimestampMs) -> Option<f64> {
    let here = least(known, from)?;
    if to.since_ms(from) >= HOUR {
        return Some(here);
    }
    let before = least(known, from.moved_ms(-HOUR))?;
    let behind = least(known, from.moved_ms(HOUR))?;
    Some(here.min(before).min(behind))
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

    /// Counts of each stretch, by how many steps of five minutes ago it began, `silent_minutes` ago the last; `of` tells
    /// how many came in a step.
    fn counts(
        of: impl Fn(i64) -> u64,
        silent_minutes: i64,
    ) -> Vec<(TimestampMs, TimestampMs, u64)> {
        let times = silence_times(NOW);
        // Half past: the hours, and of the last three and a half of them the steps.
        assert_eq!(times.len(), 169 + 37 - 3);
        let edges = times.windows(2).map(|edges| (edges[0], edges[1]));
        edges
            .map(|(from, to)| {
                let steps = from.0 / STEP..to.0 / STEP;
                let ago = steps.map(|step| NOW.0 / STEP - step);
                let heard = ago.filter(|ago| ago * 5 > silent_minutes);
                (from, to, heard.map(&of).sum())
            })
            .collect()
    }

    fn judge(of: impl Fn(i64) -> u64, silent_minutes: i64) -> Option<&'static str> {
        let last = NOW.moved_ms(-silent_minutes * 60_000);
        let counts = counts(of, silent_minutes);
        let found = silence(&"t".into(), NOW, &counts, Some(last));
        found.map(|finding| finding.certainty.name())
    }

    #[test]
    fn a_busy_topic_that_stops_is_noticed_the_sooner_the_busier_it_is() {
        // 200 in five minutes: as none of the steps was empty, no pause was longer than ten minutes.
        assert_eq!(judge(|_| 200, 0), None);
        assert_eq!(judge(|_| 200, 10), None);
        assert_eq!(judge(|_| 200, 11), Some("strong"));
        // 24 an hour: 8 in 20 minutes, 16 in 40.
        assert_eq!(judge(|_| 2, 15), None);
        assert_eq!(judge(|_| 2, 20), Some("hint"));
        assert_eq!(judge(|_| 2, 40), Some("strong"));
    }

    #[test]
    fn a_silence_that_fills_the_short_steps_must_be_longer_than_two_hours() {
        assert_eq!(judge(|_| 200, 150), Some("strong"));
        assert_eq!(judge(|_| 200, 600), Some("strong"));
        // Where only hours are known, the same holds.
        let by_hours = |minutes: i64| {
            let mut known = counts(|_| 200, minutes);
            known.retain(|(from, to, _)| to.since_ms(*from) == HOUR);
            let last = NOW.moved_ms(-minutes * 60_000);
            silence(&"t".into(), NOW, &known, Some(last)).is_some()
        };
        assert!(!by_hours(119));
        assert!(by_hours(121));
    }

    #[test]
    fn nights_and_single_empty_hours_are_no_alarm() {
        // Nothing came at this hour on the days before: of each day the last 8 hours were empty.
        let nights = |ago: i64| if (ago + 6) % 288 < 102 { 0 } else { 40 };
        assert_eq!(judge(nights, 120), None);
        // One hour in a week had nothing, at this time of the day: 48 hours ago.
        assert_eq!(
            judge(|ago| if (570..590).contains(&ago) { 0 } else { 40 }, 20),
            None
        );
        assert_eq!(judge(|_| 40, 20), Some("strong"));
    }

    #[test]
    fn what_ends_or_begins_within_an_hour_each_day_is_no_alarm() {
        // Each day events come for 12 hours and end at ten past the hour, 20 minutes ago.
        let ends = |ago: i64| {
            if (5..149).contains(&(ago % 288)) {
                40
            } else {
                0
            }
        };
        assert_eq!(judge(ends, 20), None);
        // Each day the 12 hours begin five minutes from now, the last events came 12 hours ago.
        let begins = |ago: i64| if (ago % 288) >= 144 { 40 } else { 0 };
        assert_eq!(judge(begins, 143 * 5), None);
    }

    #[test]
    fn a_producer_that_works_in_batches_is_silent_between_them() {
        // Much in the first five minutes of each hour, and the last of that 30 minutes ago, or 50.
        let hourly = |ago: i64| if (ago - 6) % 12 == 0 { 3_000 } else { 0 };
        assert_eq!(judge(hourly, 29), None);
        // Each 20 minutes.
        let often = |ago: i64| if ago % 4 == 0 { 3_000 } else { 0 };
        assert_eq!(judge(often, 19), None);
        assert_eq!(judge(often, 24), None);
        assert_eq!(judge(often, 26), Some("strong"));
    }

    #[test]
    fn a_young_topic_is_judged_by_its_quietest_hour_and_one_that_is_too_young_not_at_all() {
        // Six hours of events, of which the first may be cut, are enough; three are not.
        assert_eq!(
            judge(|ago| if ago > 6 * 12 { 0 } else { 50 }, 15),
            Some("strong")
        );
        assert_eq!(judge(|ago| if ago > 3 * 12 { 0 } else { 50 }, 15), None);
        assert_eq!(judge(|_| 0, 500), None);
    }

    #[test]
    fn a_record_of_the_future_says_nothing() {
        let counts = counts(|_| 200, 30);
        let judge = |last| silence(&"t".into(), NOW, &counts, last);
        assert_eq!(judge(Some(NOW.moved_ms(5_000))), None);
        assert_eq!(judge(None), None);
        assert!(judge(Some(NOW.moved_ms(-30 * 60_000))).is_some());
    }

    #[test]
    fn a_silence_says_how_long_it_is_and_keeps_its_id_while_it_lasts() {
        let last = NOW.moved_ms(-30 * 60_000);
        let counts = counts(|_| 200, 30);
        let found = |now| silence(&"t".into(), now, &counts, Some(last)).unwrap();
        let (one, two) = (found(NOW), found(NOW.moved_ms(60_000)));
        assert_eq!(one.id, two.id);
        assert_eq!(
            one.sentence,
            "Normally 2,400 events or more come to t in an hour at this time; none has come for 30 minutes."
        );
        assert_eq!((one.from_time, one.to_time), (Some(last), Some(NOW)));
        assert!(two.sentence.contains("31 minutes"));
    }

    #[test]
    fn hours_are_put_together_from_their_steps_or_left_out() {
        let at = |step: i64| TimestampMs(step * STEP);
        let step = |n: i64| (at(n), at(n + 1), 2);
        let mut counts = vec![(at(-12), at(0), 7)];
        counts.extend((0..12).map(step));
        counts.extend((12..20).map(step));
        // A step of the last hour is not known.
        counts.extend((25..36).map(step));
        assert_eq!(hours(&counts), [(at(-12), at(0), 7), (at(0), at(12), 24)]);
    }
}
