//! G16: groups that stand still while records wait; G17: groups that cannot get past one record.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Certainty, Fact, Finding, FindingKind, Offset, RecordHead, TimestampMs, TopicPartition,
};

use super::Questions;
use super::finding::Draft;
use super::view::{Stand, View};
use super::words::{duration, events, number, place};

/// A group without members that moved within this time was meant to read.
const RECENTLY_MS: i64 = 7 * 86_400_000;

/// A place that has not moved though something waits there.
struct Still<'a> {
    stand: Stand<'a>,
    since: Option<TimestampMs>,
    was_seen: bool,
    unmoved_ms: Option<i64>,
}

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for still in candidates(view) {
        view.ask_head(questions, &still.stand.place.at, still.stand.committed);
    }
}

/// The places with something to read for careful readers too that have not moved for as long as the rule says.
fn candidates<'a>(view: &View<'a>) -> Vec<Still<'a>> {
    let stands = view.stands().filter(|stand| {
        let partition = view.partition(&stand.place.at);
        let stable = partition.and_then(|partition| partition.last_stable.as_ref().ok());
        let readable = stable.map_or(stand.end, |stable| stand.end.min(*stable));
        stand.committed >= stand.start && stand.committed < readable
    });
    let still = stands.map(|stand| {
        let since = view.unmoved_since(stand.name(), &stand.place.at);
        // Where its last move was not seen, a short time of looking says nothing.
        let since = since.filter(|(since, was_seen)| {
            *was_seen || view.facts.now.since_ms(*since) >= view.rules.stuck_ms
        });
        Still {
            stand,
            since: since.map(|(since, _)| since),
            was_seen: since.is_some_and(|(_, was_seen)| was_seen),
            unmoved_ms: since.map(|(since, _)| view.facts.now.since_ms(since)),
        }
    });
    still
        .filter(|still| still.unmoved_ms.is_none_or(|ms| ms >= view.rules.stuck_ms))
        .collect()
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut by_group: BTreeMap<&[u8], Vec<Still<'_>>> = BTreeMap::new();
    for still in candidates(view) {
        let name = still.stand.group.listing.name.as_bytes();
        by_group.entry(name).or_default().push(still);
    }
    let mut findings = Vec::new();
    for still in by_group.into_values() {
        let poisoned = poisoned(view, &still);
        for still in &still {
            let Some(Some(head)) = view.head(&still.stand.place.at, still.stand.committed) else {
                continue;
            };
            if poisoned.contains(&still.stand.place.at) {
                findings.extend(poison(view, still, head));
            } else {
                findings.extend(stuck(view, still, head));
            }
        }
    }
    findings
}

/// The still partitions of members whose other partitions move.
fn poisoned(view: &View<'_>, still: &[Still<'_>]) -> BTreeSet<TopicPartition> {
    let mut found = BTreeSet::new();
    let Some(first) = still.first() else {
        return found;
    };
    let group = first.stand.group;
    let Some(members) = group
        .members
        .as_ref()
        .ok()
        .and_then(|members| members.members.as_ref().ok())
    else {
        return found;
    };
    for member in members {
        let assigned: Vec<TopicPartition> = member
            .assignment
            .iter()
            .flat_map(|given| {
                given.partitions.iter().map(|partition| TopicPartition {
                    topic: given.topic.clone(),
                    partition: *partition,
                })
            })
            .collect();
        let frozen: Vec<&TopicPartition> = still
            .iter()
            .filter(|still| still.was_seen)
            .map(|still| &still.stand.place.at)
            .filter(|at| assigned.contains(at))
            .collect();
        let moves = |at: &&TopicPartition| {
            view.unmoved_since(&group.listing.name, at)
                .is_some_and(|(since, was_seen)| {
                    was_seen && view.facts.now.since_ms(since) < view.rules.stuck_ms
                })
        };
        let moving = assigned.iter().filter(moves).count();
        if moving > 0 && frozen.len() <= moving {
            found.extend(frozen.into_iter().cloned());
        }
    }
    found
}

fn draft(kind: FindingKind, still: &Still<'_>, head: &RecordHead) -> Draft {
    Draft::new(kind, still.stand.concerns())
        .at(&still.stand.place.at)
        .because("committed_offset", Fact::Number(still.stand.committed.0))
        .because("high_watermark", Fact::Number(still.stand.end.0))
        .because(
            "next_record",
            Fact::Record(still.stand.place.at.clone(), head.offset),
        )
        .because(
            "unmoved_since",
            still.since.map_or(Fact::Unknown, Fact::Time),
        )
        .because("move_was_seen", Fact::Flag(still.was_seen))
        .because(
            "unmoved_ms",
            still.unmoved_ms.map_or(Fact::Unknown, Fact::Number),
        )
}

fn poison(view: &View<'_>, still: &Still<'_>, head: &RecordHead) -> Option<Finding> {
    let stand = &still.stand;
    let behind = stand.end.since(stand.committed)?;
    let sentence = format!(
        "{} has not got past one event, {} offset {}, for {}, while the other partitions of the same member move; {} wait.",
        stand.name().lossy(),
        place(&stand.place.at),
        number(head.offset.0),
        duration(still.unmoved_ms?),
        events(behind)
    );
    let finding = draft(FindingKind::PoisonPill, still, head)
        .offsets(head.offset, head.offset)
        .certainty(Certainty::Strong)
        .because(
            "waiting",
            Fact::Number(i64::try_from(behind).unwrap_or(i64::MAX)),
        )
        .with(|finding| {
            finding.records = Some(1);
            finding.from_time = still.since;
            finding.to_time = Some(view.facts.now);
        });
    Some(finding.say(
        &head.offset.0.to_string(),
        sentence,
        "Look at this event and at the member's log; to pass it, write it to a file and move the bookmark behind it.",
    ))
}

fn stuck(view: &View<'_>, still: &Still<'_>, head: &RecordHead) -> Option<Finding> {
    let stand = &still.stand;
    let now = view.facts.now;
    let waited_ms = now.since_ms(head.timestamp?);
    if waited_ms < view.rules.stuck_ms {
        return None;
    }
    let behind = stand.end.since(stand.committed)?;
    let name = stand.name().lossy();
    let at = place(&stand.place.at);
    let (certainty, sentence, next) = match (stand.has_members(), still.unmoved_ms) {
        (Some(true), Some(unmoved_ms)) => (
            Certainty::Strong,
            format!(
                "{} wait for {name} in {at}, but it has not moved for {}.",
                events(behind),
                duration(unmoved_ms)
            ),
            "Look at the member's log: it may be working on one event, waiting for another system, or paused.",
        ),
        (Some(true), None) if view.rules.once => (
            Certainty::Hint,
            format!(
                "{} wait for {name} in {at}, the oldest for {}; nothing is known yet of whether it moves.",
                events(behind),
                duration(waited_ms)
            ),
            "Look again in a few minutes: by then it is known whether it moves.",
        ),
        (Some(false), Some(unmoved_ms)) if still.was_seen && unmoved_ms < RECENTLY_MS => (
            Certainty::Hint,
            format!(
                "Nobody reads for {name}: {} wait in {at}, and it last moved {} ago.",
                events(behind),
                duration(unmoved_ms)
            ),
            "Ask the group's owner whether it is meant to be off.",
        ),
        _ => return None,
    };
    let history = view.history(stand.name(), &stand.place.at);
    let last = history.and_then(|place| Some((place.last_commit?, place.moves.last()?.at)));
    let burrow = match last {
        Some((commit, moved)) if commit > moved => Fact::Text("STALL".to_owned()),
        Some(_) => Fact::Text("STOP".to_owned()),
        None => Fact::Unknown,
    };
    let last_offset: Offset = stand.end.moved(-1)?;
    let finding = draft(FindingKind::Stuck, still, head)
        .offsets(head.offset, last_offset)
        .certainty(certainty)
        .because("burrow", burrow)
        .because("oldest_waits_ms", Fact::Number(waited_ms))
        .with(|finding| {
            finding.records = Some(behind);
            finding.from_time = still.since.or(head.timestamp);
            finding.to_time = Some(now);
        });
    Some(finding.say(&stand.committed.0.to_string(), sentence, next))
}
