//! G19: committed offsets that the bus forgot.

use std::collections::BTreeMap;

use crate::model::{
    Certainty, CommitMove, Concerns, Fact, Finding, FindingKind, Offset, PlaceHistory, Text,
    TimestampMs, TopicPartition,
};

use super::GroupFacts;
use super::finding::Draft;
use super::view::View;
use super::words::{count, duration, events, number, place};

/// After how long brokers forget a committed offset unless told otherwise (`offsets.retention.minutes`).
const RETENTION_MS: i64 = 7 * 86_400_000;
/// Removals nearer to one another than this are one act.
const ONE_ACT_MS: i64 = 60_000;

/// A committed offset that is gone.
struct Gone<'a> {
    at: &'a TopicPartition,
    before: &'a CommitMove,
    offset: Offset,
    removed: TimestampMs,
    last_commit: TimestampMs,
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let present: BTreeMap<&Text, &GroupFacts<'_>> = view
        .groups()
        .iter()
        .map(|group| (&group.group.listing.name, group))
        .collect();
    let mut findings = Vec::new();
    for (name, history) in view.histories() {
        let gone: Vec<Gone<'_>> = history
            .places
            .iter()
            .filter_map(|(at, place)| {
                let gone = gone(view, at, place)?;
                let is_absent = present.get(name).is_none_or(|group| is_absent(group, at));
                is_absent.then_some(gone)
            })
            .collect();
        let committed = history.places.len();
        if !present.contains_key(name) && gone.len() == committed && committed > 1 {
            findings.extend(whole_group(name, &gone));
        } else {
            findings.extend(gone.iter().filter_map(|gone| one(view, name, gone)));
        }
    }
    findings
}

/// The committed offset that a place had, when its last move took it away.
fn gone<'a>(view: &View<'_>, at: &'a TopicPartition, place: &'a PlaceHistory) -> Option<Gone<'a>> {
    let [.., before, last] = place.moves.as_slice() else {
        return None;
    };
    let topic = view.topic(&at.topic)?;
    // With its topic a committed offset goes too.
    let is_anew = view.forerunners(topic).next().is_some();
    let offset = before.to.as_ref()?.offset;
    let last_commit = place.last_commit.filter(|commit| *commit < last.at);
    (last.to.is_none() && !is_anew).then_some(Gone {
        at,
        before,
        offset,
        removed: last.at,
        last_commit: last_commit.unwrap_or(before.at),
    })
}

/// Whether a group had a committed offset at a place that is gone now.
pub(super) fn is_forgotten(view: &View<'_>, group: &Text, at: &TopicPartition) -> bool {
    let place = view.history(group, at);
    place.is_some_and(|place| gone(view, at, place).is_some())
}

fn is_absent(group: &GroupFacts<'_>, at: &TopicPartition) -> bool {
    let place = group.places.iter().find(|place| place.at == *at);
    place.is_none_or(|place| place.committed == Ok(None))
}

fn one(view: &View<'_>, name: &Text, gone: &Gone<'_>) -> Option<Finding> {
    let partition = view.partition(gone.at)?;
    let (start, end) = partition.ends()?;
    let idle_ms = gone.removed.since_ms(gone.last_commit);
    let has_expired = idle_ms >= RETENTION_MS;
    let group = name.lossy();
    let at = place(gone.at);
    let (certainty, why) = if has_expired {
        (
            Certainty::Strong,
            format!("because it had not been renewed for {}", duration(idle_ms)),
        )
    } else {
        (
            Certainty::Hint,
            "somebody deleted it, or it expired sooner than usual".to_owned(),
        )
    };
    let unread = end.since(gone.offset.max(start)).unwrap_or_default();
    let sentence = format!(
        "Kafka forgot the bookmark of {group} in {at} (it stood at {}): {why}. When it reads again, auto.offset.reset decides: latest skips {}, earliest repeats all that is kept.",
        number(gone.offset.0),
        events(unread)
    );
    let finding = Draft::new(FindingKind::Expired, Concerns::Group(name.clone()))
        .at(gone.at)
        .certainty(certainty)
        .because("committed_offset", Fact::Number(gone.offset.0))
        .because("committed", Fact::Time(gone.before.at))
        .because("removed", Fact::Time(gone.removed))
        .because("idle_ms", Fact::Number(idle_ms))
        .with(|finding| {
            finding.records = Some(unread);
            finding.from_time = Some(gone.last_commit);
            finding.to_time = Some(gone.removed);
        });
    Some(finding.say(
        &gone.removed.0.to_string(),
        sentence,
        &format!(
            "Before {group} starts again, rewind it in {at} to {}, where it stood.",
            number(gone.offset.0.max(start.0))
        ),
    ))
}

/// A group that is gone as a whole.
fn whole_group(name: &Text, gone: &[Gone<'_>]) -> Option<Finding> {
    let removed = gone.iter().map(|gone| gone.removed).max()?;
    let first = gone.iter().map(|gone| gone.removed).min()?;
    let last_commit = gone.iter().map(|gone| gone.last_commit).max();
    let idle_ms = last_commit.map(|commit| removed.since_ms(commit));
    let has_expired = idle_ms.is_some_and(|idle| idle >= RETENTION_MS);
    let at_once = removed.since_ms(first) <= ONE_ACT_MS;
    let places = u64::try_from(gone.len()).unwrap_or(u64::MAX);
    let sentence = format!(
        "The group {} is gone with its bookmarks in {}: {}.",
        name.lossy(),
        count(places, "partition", "partitions"),
        if has_expired {
            "they had not been renewed for 7 days or more"
        } else {
            "somebody deleted it, or it expired sooner than usual"
        }
    );
    let bookmarks = gone
        .iter()
        .take(100)
        .map(|gone| Fact::Record(gone.at.clone(), gone.offset));
    let finding = Draft::new(FindingKind::Expired, Concerns::Group(name.clone()))
        .certainty(if has_expired {
            Certainty::Strong
        } else {
            Certainty::Hint
        })
        .because("bookmarks", Fact::List(bookmarks.collect()))
        .because("removed", Fact::Time(removed))
        .because("at_once", Fact::Flag(at_once))
        .because("idle_ms", idle_ms.map_or(Fact::Unknown, Fact::Number))
        .with(|finding| {
            finding.from_time = last_commit;
            finding.to_time = Some(removed);
            finding.normal = at_once && !has_expired;
        });
    Some(finding.say(
        &removed.0.to_string(),
        sentence,
        "Ask whether the group was meant to go; else give it its bookmarks back before it starts again.",
    ))
}
