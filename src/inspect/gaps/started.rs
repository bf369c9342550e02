//! G8: partitions in which a group never committed; G9 and G23: partitions that were added later.

use std::collections::BTreeSet;

use crate::inspect::lag::Place;
use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, Group, GroupType, KnownTopic, Offset,
    PartitionId, Text, TimestampMs, Topic,
};

use super::expired::is_forgotten;
use super::finding::Draft;
use super::view::{Stand, View, has_members};
use super::words::{events, number, place};
use super::{GroupFacts, Questions};

/// A member that has just been given a partition has not committed there yet, and nothing is wrong with it.
const JUST_STARTED_MS: i64 = 60_000;

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for group in view.groups() {
        for (place, start, _) in never(view, group) {
            if has_members(group.group) == Some(true) {
                view.ask_head(questions, &place.at, start);
            }
        }
    }
    for stand in view.stands() {
        if let Some((first, at)) = first_commit(view, &stand)
            && added(view, &stand).is_some()
            && first > stand.start
        {
            let of = (stand.place.at.clone(), at);
            if !view.facts.ends_at.contains_key(&of) {
                questions.ends_at.insert(of);
            }
        }
    }
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for group in view.groups() {
        let alone = group.places.iter().all(|place| place.committed == Ok(None));
        for (place, start, end) in never(view, group) {
            findings.extend(never_committed(
                view,
                group.group,
                &place,
                (start, end),
                alone,
            ));
        }
    }
    for stand in view.stands() {
        findings.extend(began_late(view, &stand));
    }
    findings.extend(view.topics().filter_map(|topic| grown(view, topic)));
    findings
}

/// The partitions with records in which a group never committed, though it reads their topic.
fn never<'a>(
    view: &View<'_>,
    group: &GroupFacts<'a>,
) -> Vec<(std::borrow::Cow<'a, Place>, Offset, Offset)> {
    let Ok(commits) = &group.group.commits else {
        return Vec::new();
    };
    if group.group.listing.kind == GroupType::Share {
        return Vec::new();
    }
    let mut found = Vec::new();
    let known: BTreeSet<(&str, PartitionId)> = group
        .places
        .iter()
        .map(|place| (&*place.at.topic, place.at.partition))
        .collect();
    for place in group.places {
        if let (Ok(None), Ok(start), Ok(end)) =
            (&place.committed, &place.log_start, &place.high_watermark)
            && start < end
        {
            found.push((std::borrow::Cow::Borrowed(place), *start, *end));
        }
    }
    // Partitions beside those that it has committed in, which nobody is assigned.
    let topics: BTreeSet<&str> = commits
        .iter()
        .filter(|commit| matches!(commit.offset, Ok(Some(_))))
        .map(|commit| &*commit.at.topic)
        .collect();
    for topic in topics.into_iter().filter_map(|name| view.topic(name)) {
        for partition in &topic.partitions {
            let is_known = known.contains(&(&*topic.name, partition.id));
            if let Some((start, end)) = partition.ends()
                && !is_known
                && start < end
            {
                let nothing = crate::model::Commit {
                    at: topic.at(partition.id),
                    offset: Ok(None),
                    leader_epoch: None,
                    metadata: Text::from(""),
                };
                let place = Place::in_partition(&nothing, Some(partition));
                found.push((std::borrow::Cow::Owned(place), start, end));
            }
        }
    }
    found
}

fn never_committed(
    view: &View<'_>,
    group: &Group,
    place_of: &Place,
    (start, end): (Offset, Offset),
    alone: bool,
) -> Option<Finding> {
    let at = &place_of.at;
    let assigned = has_members(group) == Some(true);
    let oldest = view.head_time(at, start);
    let is_new = oldest.is_some_and(|oldest| view.facts.now.since_ms(oldest) < JUST_STARTED_MS);
    let name_of = &group.listing.name;
    if assigned && (is_new || has_just_begun(view, name_of)) || is_forgotten(view, name_of, at) {
        return None;
    }
    let waiting = end.since(start)?;
    let name = group.listing.name.lossy();
    let elsewhere = if alone {
        " It has no bookmark anywhere: it may keep its place elsewhere, as Flink or a Connect source does."
    } else {
        ""
    };
    let sentence = format!(
        "{name} has no bookmark in {}: whether it ever reads the {} there is decided by its own auto.offset.reset, which no client can see.{elsewhere}",
        place(at),
        events(waiting)
    );
    let since = grown_since(view, at.partition, view.topic(&at.topic)?);
    let finding = Draft::new(
        FindingKind::NeverCommitted,
        Concerns::Group(group.listing.name.clone()),
    )
    .at(at)
    .offsets(start, end.moved(-1)?)
    .certainty(Certainty::Proof)
    .because("committed_anywhere", Fact::Flag(!alone))
    .because(
        "has_members",
        has_members(group).map_or(Fact::Unknown, Fact::Flag),
    )
    .because(
        "partition_added_after",
        since.map_or(Fact::Unknown, |(seen, _)| Fact::Time(seen)),
    )
    .with(|finding| {
        finding.records = Some(waiting);
        finding.from_time = oldest;
    });
    Some(finding.say(
        "never",
        sentence,
        &format!(
            "Ask {name}'s owner for its auto.offset.reset; with latest, rewind {name} in {} to the log start, {}.",
            place(at),
            number(start.0)
        ),
    ))
}

/// Whether the group has had members for a moment only: they commit a few seconds after they have begun.
fn has_just_begun(view: &View<'_>, group: &Text) -> bool {
    let Some(history) = view.facts.history.groups.get(group) else {
        return false;
    };
    let since = history
        .membership
        .iter()
        .rev()
        .take_while(|then| then.members > 0)
        .last();
    since.is_some_and(|since| view.facts.now.since_ms(since.at) < JUST_STARTED_MS)
}

/// Until when the topic was seen without this partition, and with how many.
fn grown_since(
    view: &View<'_>,
    partition: PartitionId,
    topic: &Topic,
) -> Option<(TimestampMs, u32)> {
    let known: &KnownTopic = view.remembered(topic)?;
    let number = u32::try_from(partition.0).ok()?;
    let present = u32::try_from(topic.partitions.len()).ok()?;
    let last = (known.last_seen, known.seen.count);
    let mut counts = known
        .earlier_counts
        .iter()
        .copied()
        .chain((known.seen.count < present).then_some(last));
    counts.rfind(|(_, count)| number >= *count)
}

fn added(view: &View<'_>, stand: &Stand<'_>) -> Option<(TimestampMs, u32)> {
    let at = &stand.place.at;
    grown_since(view, at.partition, view.topic(&at.topic)?)
}

/// The first committed offset of a group in a partition, and when.
fn first_commit(view: &View<'_>, stand: &Stand<'_>) -> Option<(Offset, TimestampMs)> {
    let history = view.history(stand.name(), &stand.place.at)?;
    if history.shortened {
        return None;
    }
    let first = history.moves.first()?;
    Some((first.to.as_ref()?.offset, first.at))
}

fn began_late(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    let (until, count) = added(view, stand)?;
    let (first, at_time) = first_commit(view, stand)?;
    let at = &stand.place.at;
    if first <= stand.start || at_time < until {
        return None;
    }
    let answer = view.facts.ends_at.get(&(at.clone(), at_time))?;
    let end = match answer {
        Ok(Some(end)) => *end,
        Ok(None) => stand.end,
        Err(_unknown) => return None,
    };
    if first < end {
        return None;
    }
    let before = first.since(stand.start)?;
    let name = stand.name().lossy();
    let sentence = format!(
        "{} was added after {name} began to read the topic; its first bookmark there stands at {}, the end of the log at that time: {} before it were read at once, or skipped.",
        place(at),
        number(first.0),
        events(before)
    );
    // Whoever reads from the start and is quick commits at the end too, so that this stays a question.
    let finding = Draft::new(FindingKind::PartitionAdded, stand.concerns())
        .at(at)
        .offsets(stand.start, first.moved(-1)?)
        .certainty(Certainty::Hint)
        .because("first_committed_offset", Fact::Number(first.0))
        .because("first_committed", Fact::Time(at_time))
        .because("end_at_that_time", Fact::Number(end.0))
        .because("partitions_before", Fact::Number(i64::from(count)))
        .because("seen_without_it", Fact::Time(until))
        .with(|finding| {
            finding.records = Some(before);
            finding.from_time = Some(until);
            finding.to_time = Some(at_time);
        });
    Some(finding.say(
        "added",
        sentence,
        &format!(
            "Ask {name}'s owner for its auto.offset.reset; with latest, rewind {name} in {} to the log start, {}.",
            place(at),
            number(stand.start.0)
        ),
    ))
}

fn grown(view: &View<'_>, topic: &Topic) -> Option<Finding> {
    let known = view.remembered(topic)?;
    let present = u32::try_from(topic.partitions.len()).ok()?;
    let last = (known.seen.count < present).then_some((known.last_seen, known.seen.count));
    let (until, before) = last.or_else(|| known.earlier_counts.last().copied())?;
    if before >= present {
        return None;
    }
    let sentence = format!(
        "{} had {before} partitions and has {present}: events of one key may lie in another partition than before, and their order across the change is not kept.",
        topic.name
    );
    let finding = Draft::new(FindingKind::RedirectedKeys, Concerns::Everyone)
        .topic(&topic.name)
        .certainty(Certainty::Proof)
        .because("partitions_before", Fact::Number(i64::from(before)))
        .because("partitions", Fact::Number(i64::from(present)))
        .because("seen_before", Fact::Time(until))
        .with(|finding| {
            finding.normal = true;
            finding.from_time = Some(until);
        });
    Some(finding.say(&present.to_string(), sentence, ""))
}
