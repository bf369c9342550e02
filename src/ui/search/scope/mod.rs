//! Which records a search looks at: what the person chose as partitions and a span, and in words. Pure.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use crate::engine::{GroupPlaces, Inventory, TableRequest, TableSpan};
use crate::model::time::format_zone;
use crate::model::{Offset, TimestampMs, TopicName, TopicPartition};

use super::super::format::{self, Precision};
use super::super::num::u64_from_usize;
use super::super::state::search::SearchWhere;

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The partitions, sorted, each once.
    pub partitions: Vec<TopicPartition>,
    /// The records in them.
    pub span: TableSpan,
    /// Both in words: `in orders, 14:00–14:20 UTC+01:00`.
    pub words: String,
}

/// What [`SearchWhere`] is seen from.
pub struct Ground<'a> {
    /// What the table lists.
    pub listed: &'a TableRequest,
    /// The topics and their ends.
    pub inventory: &'a Inventory,
    /// The chosen group.
    pub group: Option<&'a GroupPlaces>,
    /// How times are written.
    pub writing: Writing<'a>,
}

/// How times are written: in a zone, without their day where it is the present one.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    /// The zone.
    pub zone: &'a TimeZone,
    /// The present.
    pub now: TimestampMs,
}

impl Ground<'_> {
    /// What `place` means.
    ///
    /// # Errors
    /// Why it means nothing, as a sentence.
    pub fn scope(&self, place: SearchWhere) -> Result<Scope, String> {
        let listed = self.listed;
        let partitions = listed.partitions.clone();
        let named = topics_said(&partitions);
        let scope = |span: TableSpan, words: String| Scope {
            partitions: partitions.clone(),
            span,
            words,
        };
        Ok(match place {
            SearchWhere::Listed => {
                let words = match span_said(&listed.span, self.writing) {
                    Some(span) => format!("in {named}, {span}"),
                    None => format!("in {named}"),
                };
                scope(listed.span.clone(), words)
            }
            SearchWhere::Everything => scope(TableSpan::All, format!("in {named}, everything")),
            SearchWhere::From(from) => {
                let span = TableSpan::Between(from, TimestampMs(i64::MAX));
                let said = span_said(&span, self.writing).unwrap_or_default();
                scope(span, format!("in {named}, {said}"))
            }
            SearchWhere::Between(from, to) => {
                let span = TableSpan::Between(from, to);
                let said = span_said(&span, self.writing).unwrap_or_default();
                scope(span, format!("in {named}, {said}"))
            }
            SearchWhere::Offset(from) => {
                let words = format!("from offset {} on", format::offset(from));
                self.ranges(&words, |_, _, end| Some((from, end.max(from))))?
            }
            SearchWhere::Newest(count) => {
                let back = i64::try_from(count).unwrap_or(i64::MAX);
                let words = format!(
                    "the newest {} of each partition",
                    format::counted(count, "offset", "offsets")
                );
                self.ranges(&words, |_, start, end| {
                    Some((Offset(end.0.saturating_sub(back)).max(start), end))
                })?
            }
            SearchWhere::Group => self.unread()?,
        })
    }

    /// What the chosen group has not read of what is listed.
    fn unread(&self) -> Result<Scope, String> {
        let group = self.group.ok_or("choose a group first")?;
        let name = format::group_name(&group.group.listing.name, 24);
        let committed: BTreeMap<&TopicPartition, Offset> = group
            .places
            .iter()
            .filter_map(|place| Some((&place.at, (*place.committed.as_ref().ok()?)?)))
            .collect();
        let words = format!("from where {name} stands");
        let found = self.ranges(&words, |at, _, end| {
            let from = *committed.get(at)?;
            Some((from, end.max(from)))
        });
        found.map_err(|_nothing| {
            let named = topics_said(&self.listed.partitions);
            format!("{name} has committed nothing in {named}")
        })
    }

    /// Of each listed partition the offsets that `range` names, given its ends. Those whose ends are not known are
    /// left out, and it is said.
    fn ranges(
        &self,
        said: &str,
        range: impl Fn(&TopicPartition, Offset, Offset) -> Option<(Offset, Offset)>,
    ) -> Result<Scope, String> {
        let (mut partitions, mut ranges) = (Vec::new(), Vec::new());
        let mut unknown: Vec<&TopicPartition> = Vec::new();
        for at in &self.listed.partitions {
            let Some((start, end)) = self.ends(at) else {
                unknown.push(at);
                continue;
            };
            if let Some(range) = range(at, start, end) {
                partitions.push(at.clone());
                ranges.push(range);
            }
        }
        let left_out = match unknown.as_slice() {
            [] => String::new(),
            [only] => format!(", without {only}, whose ends are not known"),
            more => format!(
                ", without {} partitions whose ends are not known",
                format::count(u64_from_usize(more.len()))
            ),
        };
        if partitions.is_empty() {
            return Err(format!("nothing can be searched{left_out}"));
        }
        let words = format!("in {}, {said}{left_out}", topics_said(&partitions));
        Ok(Scope {
            partitions,
            span: TableSpan::Offsets(ranges.into()),
            words,
        })
    }

    fn ends(&self, at: &TopicPartition) -> Option<(Offset, Offset)> {
        let topics = self.inventory.topics();
        let topic = topics
            .binary_search_by(|topic| topic.name.cmp(&at.topic))
            .ok()
            .and_then(|index| topics.get(index));
        let partition = topic.and_then(|topic| {
            let mut partitions = topic.partitions.iter();
            partitions.find(|partition| partition.id == at.partition)
        });
        partition.and_then(crate::model::Partition::ends)
    }
}

/// The partitions of all of `topics`, sorted, each once.
pub fn all_of(topics: &[TopicName], inventory: &Inventory) -> Vec<TopicPartition> {
    let mut partitions: Vec<TopicPartition> = inventory
        .topics()
        .iter()
        .filter(|topic| topics.contains(&topic.name))
        .flat_map(|topic| {
            topic.partitions.iter().map(|partition| TopicPartition {
                topic: topic.name.clone(),
                partition: partition.id,
            })
        })
        .collect();
    partitions.sort_unstable();
    partitions
}

/// The topics of `partitions`, which are sorted.
pub fn topics_of(partitions: &[TopicPartition]) -> Vec<TopicName> {
    let mut topics: Vec<TopicName> = Vec::new();
    for at in partitions {
        if topics.last() != Some(&at.topic) {
            topics.push(at.topic.clone());
        }
    }
    topics
}

/// What `partitions` are called: one of them, their topic, or how many topics.
pub fn topics_said(partitions: &[TopicPartition]) -> String {
    match (partitions, topics_of(partitions).as_slice()) {
        ([only], _) => format!("{} / {}", only.topic, only.partition),
        (_, [topic]) => topic.to_string(),
        (_, topics) => format::counted(u64_from_usize(topics.len()), "topic", "topics"),
    }
}

/// A span in words; `None` for all there is.
pub fn span_said(span: &TableSpan, writing: Writing<'_>) -> Option<String> {
    match span {
        TableSpan::All => None,
        TableSpan::Between(from, to) if to.0 == i64::MAX => Some(format!(
            "from {} {} on",
            moment(*from, None, writing),
            format_zone(*from, writing.zone)
        )),
        TableSpan::Between(from, to) => Some(times_said(*from, *to, writing)),
        TableSpan::Offsets(ranges) => Some(match ranges.as_ref() {
            [(from, to)] => format!(
                "offsets {}–{}",
                format::offset(*from),
                format::offset(Offset(to.0.saturating_sub(1)))
            ),
            _ => "chosen offsets".to_owned(),
        }),
    }
}

/// Two times with their zone: `14:00–14:20 UTC+01:00`.
pub fn times_said(from: TimestampMs, to: TimestampMs, writing: Writing<'_>) -> String {
    let zone = writing.zone;
    let first = moment(from, Some(to), writing);
    let last = if format::same_day(from, to, zone) {
        time_of(to, Some(from), zone)
    } else {
        moment(to, Some(from), writing)
    };
    format!("{first}–{last} {}", format_zone(from, zone))
}

fn moment(at: TimestampMs, other: Option<TimestampMs>, writing: Writing<'_>) -> String {
    let Writing { zone, now } = writing;
    let time = time_of(at, other, zone);
    if format::same_day(at, now, zone) {
        time
    } else {
        format!("{} {time}", format::short_date(at, zone))
    }
}

/// A time of day, no finer than it and the `other` need.
fn time_of(at: TimestampMs, other: Option<TimestampMs>, zone: &TimeZone) -> String {
    let fits = |unit: i64| {
        at.0.rem_euclid(unit) == 0 && other.is_none_or(|other| other.0.rem_euclid(unit) == 0)
    };
    let is_near = other.is_some_and(|other| at.since_ms(other).abs() < 10_000);
    let precision = if fits(60_000) {
        Precision::Minutes
    } else if is_near {
        Precision::Millis
    } else {
        Precision::Seconds
    };
    format::time_of_day(at, zone, precision)
}

#[cfg(test)]
mod tests;
