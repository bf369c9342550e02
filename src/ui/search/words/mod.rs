//! What a search says of itself: what it covered, what it found, what it costs and what stopped it. Pure.

use jiff::tz::TimeZone;

use crate::engine::{
    Coverage, PartitionCoverage, SearchCost, SearchRequest, SearchStage, SearchView, StoppedBy,
};
use crate::model::TimestampMs;
use crate::model::time::{format_duration, format_zone};

use super::super::format::{self, Precision};
use super::super::num::{f64_from_u64, i64_from_u64, u64_from_usize};
use super::scope::{Writing, span_said, times_said, topics_said};

/// How many stretches of partitions are named.
const MOST_STRETCHES: usize = 4;

/// What a search says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// What was covered, in one sentence.
    pub coverage: String,
    /// The same in short, for where there is less room.
    pub short: String,
    /// Whether that is something to look at.
    pub warns: bool,
    /// What was found, how fast, and what there is to mind, the most important first.
    pub details: Vec<String>,
    /// What is said where there are no hits.
    pub none: String,
    /// How much is done, from 0 to 1; `None` when that is not known.
    pub done: Option<f64>,
}

impl Words {
    /// What `view` says, which began at `since`.
    pub fn of(view: &SearchView, since: TimestampMs, writing: Writing<'_>) -> Self {
        let follows = view.request.as_ref().is_some_and(|asked| asked.follow);
        let covered = if follows {
            followed(view, since, writing.zone)
        } else {
            covered(view, Some(writing))
        };
        let ended = matches!(view.stage, SearchStage::Ended);
        let stood = |covered: &str| match &view.stage {
            SearchStage::Idle | SearchStage::Measuring => {
                "finding out how much there is to read…".to_owned()
            }
            SearchStage::Asking => cost(view),
            SearchStage::Failed(problem) => format!("this cannot be searched: {problem}"),
            SearchStage::Running => covered.to_owned(),
            SearchStage::Paused => format!("paused: {covered}"),
            SearchStage::Ended => match stopped(view) {
                Some(why) => format!("{why}: {covered}"),
                None => covered.to_owned(),
            },
        };
        let coverage = stood(&covered);
        let short = if follows {
            coverage.clone()
        } else {
            stood(&self::covered(view, None))
        };
        let warns = match &view.stage {
            SearchStage::Failed(_) => true,
            SearchStage::Ended => stopped(view).is_some(),
            _ => false,
        };
        let none = match &view.stage {
            SearchStage::Ended if view.coverage.is_complete() => format!("No hits: {covered}"),
            SearchStage::Ended => format!("No hits so far: {coverage}"),
            SearchStage::Asking => "Nothing is read before you say so".to_owned(),
            SearchStage::Failed(_) => capitalized(&coverage),
            _ if follows => "Nothing came yet".to_owned(),
            _ => "No hits yet".to_owned(),
        };
        Self {
            coverage: capitalized(&coverage),
            short: capitalized(&short),
            warns,
            details: details(view, ended),
            none,
            done: done(&view.coverage),
        }
    }
}

/// What was looked at: `searched 12,400,000 of up to 80,000,000 records of orders, 14:00–14:20 UTC+01:00, p0–p7
/// complete`; without topics and times when not told how they are written.
fn covered(view: &SearchView, writing: Option<Writing<'_>>) -> String {
    let looked = view.coverage.records_scanned;
    let records = |count: u64| format::counted(count, "record", "records");
    let mut said = match (view.coverage.is_complete(), &view.cost) {
        (true, _) if matches!(view.stage, SearchStage::Ended) => {
            format!("searched all {}", records(looked))
        }
        (_, Some(cost)) => format!(
            "searched {} of up to {}",
            format::count(looked),
            records(cost.offsets.max(looked))
        ),
        (_, None) => format!("searched {}", records(looked)),
    };
    if let Some((request, writing)) = view.request.as_ref().zip(writing) {
        said = format!("{said} of {}", topics_said(&request.partitions));
        if let Some(times) = times(view, writing) {
            said = format!("{said}, {times}");
        }
    }
    for part in partitions(&view.coverage) {
        said = format!("{said}, {part}");
    }
    said
}

/// The times that were looked at; where there are none yet, those that were asked for.
fn times(view: &SearchView, writing: Writing<'_>) -> Option<String> {
    let asked = || span_said(&view.request.as_ref()?.span, writing);
    let seen = || view.times.map(|(from, to)| times_said(from, to, writing));
    let is_asked = view
        .request
        .as_ref()
        .is_some_and(|request| view.coverage.is_complete() && has_times(request));
    if is_asked {
        asked()
    } else {
        seen().or_else(asked)
    }
}

fn has_times(request: &SearchRequest) -> bool {
    matches!(request.span, crate::engine::TableSpan::Between(_, to) if to.0 != i64::MAX)
}

/// What came in: `1,234,567 records since 14:02:07 UTC+01:00, 48,000/s`.
fn followed(view: &SearchView, since: TimestampMs, zone: &TimeZone) -> String {
    let records = format::counted(view.coverage.records_scanned, "record", "records");
    let rate = if matches!(view.stage, SearchStage::Running) {
        format!(", {}/s", format::count(view.records_per_second))
    } else {
        String::new()
    };
    format!(
        "{records} since {} {}{rate}",
        format::time_of_day(since, zone, Precision::Seconds),
        format_zone(since, zone)
    )
}

/// Which partitions were looked at whole, and which not: `p0–p7 complete`.
fn partitions(coverage: &Coverage) -> Vec<String> {
    let rows = &coverage.partitions;
    let of_one_topic = rows
        .first()
        .zip(rows.last())
        .is_some_and(|(first, last)| first.topic == last.topic);
    let all = rows.iter().filter(|row| row.partition.is_some()).count();
    let complete: Vec<&PartitionCoverage> = rows
        .iter()
        .filter(|row| row.complete && row.partition.is_some())
        .collect();
    let mut said = Vec::new();
    if all > 0 {
        let stretches = of_one_topic
            .then(|| stretches(&complete))
            .filter(|found| !found.is_empty() && found.len() <= MOST_STRETCHES);
        let counted = || {
            format!(
                "{} of {} complete",
                format::count(u64_from_usize(complete.len())),
                format::counted(u64_from_usize(all), "partition", "partitions")
            )
        };
        said.push(match stretches {
            Some(stretches) if complete.len() == all => {
                format!("{} complete", stretches.join(", "))
            }
            Some(stretches) => format!(
                "{} of {} complete",
                stretches.join(", "),
                format::counted(u64_from_usize(all), "partition", "partitions")
            ),
            None if complete.len() == all => format!(
                "all {} complete",
                format::counted(u64_from_usize(all), "partition", "partitions")
            ),
            None => counted(),
        });
    }
    let mut failed = rows
        .iter()
        .filter_map(|row| Some((row, row.error.as_ref()?)));
    if let Some((row, problem)) = failed.next() {
        let more = failed.count();
        let place = row
            .at()
            .map_or_else(|| row.topic.to_string(), |at| at.to_string());
        let more = if more > 0 {
            format!(" (+{more})")
        } else {
            String::new()
        };
        said.push(format!("{place} not read: {problem}{more}"));
    }
    said
}

/// Neighbouring partitions as stretches: `p0–p2`, `p5`.
fn stretches(rows: &[&PartitionCoverage]) -> Vec<String> {
    let mut found: Vec<(i32, i32)> = Vec::new();
    for id in rows.iter().filter_map(|row| row.partition) {
        match found.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(id.0) => *last = id.0,
            _ => found.push((id.0, id.0)),
        }
    }
    found
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                format!("p{first}")
            } else {
                format!("p{first}–p{last}")
            }
        })
        .collect()
}

/// What stopped a search that has ended.
fn stopped(view: &SearchView) -> Option<String> {
    let why = view.coverage.stopped_by?;
    Some(match why {
        StoppedBy::Limit => "stopped, as many as asked for were found".to_owned(),
        StoppedBy::Budget => format!(
            "stopped, hits fill the {} that may be held",
            format::size(view.held_bytes_at_most)
        ),
        StoppedBy::Timeout => "stopped, it took too long".to_owned(),
        StoppedBy::Interrupt => "stopped by you".to_owned(),
        StoppedBy::Error => "stopped, not everything can be read".to_owned(),
    })
}

/// What a search may cost.
fn cost(view: &SearchView) -> String {
    let Some(cost) = &view.cost else {
        return "how much this reads is not known".to_owned();
    };
    let SearchCost {
        topics,
        partitions,
        offsets,
        bytes,
    } = *cost;
    let size = bytes.map_or_else(
        || "of a size that is not known".to_owned(),
        |bytes| format!("about {}", format::size(bytes)),
    );
    let place = format!(
        "{} in {}",
        format::counted(partitions, "partition", "partitions"),
        format::counted(topics, "topic", "topics")
    );
    let records = format::counted(offsets, "record", "records");
    let text = format!("this may read up to {records}, {size}, of {place}");
    match (bytes, view.bytes_per_second_at_most) {
        (Some(bytes), Some(limit)) if limit > 0 => {
            let ms = i64_from_u64((bytes / limit).saturating_mul(1_000));
            let limit = format::size(limit);
            if ms == 0 {
                format!("{text}; at most {limit}/s")
            } else {
                format!(
                    "{text}; at most {limit}/s, so about {}",
                    format_duration(ms)
                )
            }
        }
        (_, Some(limit)) => format!("{text}; at most {}/s", format::size(limit)),
        _ => text,
    }
}

fn details(view: &SearchView, ended: bool) -> Vec<String> {
    let mut details = Vec::new();
    let runs = matches!(view.stage, SearchStage::Running);
    if !runs && !ended && view.stage != SearchStage::Paused {
        return details;
    }
    details.push(hits(view));
    if view.is_sampled {
        details.push("the rows are a sample; all are counted".to_owned());
    }
    if runs && view.throttled_ms > 0 {
        details.push(format!(
            "the brokers ask for patience, {} ms each second",
            format::count(view.throttled_ms)
        ));
    }
    if let Some((count, how)) = &view.expression_failures {
        let records = format::counted(*count, "record", "records");
        details.push(format!("an expression failed on {records}: {how}"));
    }
    if runs {
        let records = format::count(view.records_per_second);
        details.push(format!(
            "{records} records/s, {}/s",
            format::size(view.bytes_per_second)
        ));
    }
    if let Some(ms) = view.first_hit_ms {
        details.push(format!("first hit after {}", seconds(ms)));
    }
    if let Some(limit) = view.bytes_per_second_at_most.filter(|_| runs) {
        details.push(format!("at most {}/s", format::size(limit)));
    }
    if ended {
        details.push(format!("took {}", seconds(view.elapsed_ms)));
    }
    details
}

/// How many hits there are, and how many of them are shown.
fn hits(view: &SearchView) -> String {
    let all = format::counted(view.hits, "hit", "hits");
    let shown = u64_from_usize(view.table.rows.len());
    if view.not_held == 0 && shown >= view.hits {
        return all;
    }
    format!(
        "showing {} of {all}; at most {} are held",
        format::count(shown),
        format::size(view.held_bytes_at_most)
    )
}

/// What came in while the display stood still at `frozen`.
pub fn meanwhile(frozen: &SearchView, newest: &SearchView) -> String {
    let came = newest.hits.saturating_sub(frozen.hits);
    let lost = newest.not_held.saturating_sub(frozen.not_held);
    let came = format!(
        "{} came meanwhile",
        format::counted(came, "record", "records")
    );
    if lost == 0 {
        format!("{came}, all of them held")
    } else {
        format!(
            "{came}; of all, {} are not held any more: at most {}",
            format::counted(lost, "record", "records"),
            format::size(newest.held_bytes_at_most)
        )
    }
}

/// How much of the offsets was looked at.
fn done(coverage: &Coverage) -> Option<f64> {
    let (mut looked, mut all) = (0_u64, 0_u64);
    for row in &coverage.partitions {
        let (from, to) = row.from.zip(row.to)?;
        all = all.saturating_add(to.since(from).unwrap_or(0));
        let next = if row.complete { Some(to) } else { row.next };
        looked = looked.saturating_add(next.and_then(|next| next.since(from)).unwrap_or(0));
    }
    (all > 0).then(|| (f64_from_u64(looked) / f64_from_u64(all)).clamp(0.0, 1.0))
}

/// A short time: `0.4 s`, `12 s`, `3 min`.
fn seconds(ms: u64) -> String {
    if ms < 10_000 {
        format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
    } else {
        format_duration(i64_from_u64(ms))
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
mod tests;
