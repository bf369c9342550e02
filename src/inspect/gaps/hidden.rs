//! G18: commits by somebody who is no member.

use std::collections::BTreeMap;

use crate::model::{
    Certainty, Concerns, Fact, Finding, FindingKind, GroupHistory, Offset, Text, TimestampMs,
    TopicName, TopicPartition,
};

use super::finding::Draft;
use super::steps::{read_alone, steps};
use super::view::View;
use super::words::count;

/// Commits nearer to one another than this are one act.
const ONE_ACT_MS: i64 = 1_000;
/// A hidden member that was last seen longer ago is history.
const RECENT_MS: i64 = 86_400_000;
/// Who joins, commits and leaves again between two readings of ours cannot do so several times within this time of one
/// another.
const TOO_QUICK_MS: i64 = 30_000;
/// How many of its times and places are named.
const NAMED: usize = 10;

/// Commits of one topic by somebody who is no member: when, where, to which offset.
type Commits<'a> = Vec<(TimestampMs, &'a TopicPartition, Offset)>;

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (group, history) in view.histories() {
        let mut topics: BTreeMap<&TopicName, Commits<'_>> = BTreeMap::new();
        for (at, place) in &history.places {
            let read_alone = read_alone(place);
            let alone = steps(place).filter(|step| read_alone.contains(&step.number));
            let alone: Commits<'_> = alone
                .map(|step| (step.here.at, at, step.to.offset))
                .collect();
            if !alone.is_empty() {
                topics.entry(&at.topic).or_default().extend(alone);
            }
        }
        for (topic, mut commits) in topics {
            commits.sort_unstable();
            findings.extend(hidden(view, (group, history), topic, &commits));
        }
    }
    findings
}

/// When something was done: what is done in several partitions at once is one act.
fn acts(commits: &Commits<'_>) -> Vec<TimestampMs> {
    let mut acts: Vec<TimestampMs> = Vec::new();
    for (time, ..) in commits {
        let last = acts.last();
        if last.is_none_or(|last| time.since_ms(*last) >= ONE_ACT_MS) {
            acts.push(*time);
        }
    }
    acts
}

fn hidden(
    view: &View<'_>,
    (group, history): (&Text, &GroupHistory),
    topic: &TopicName,
    commits: &Commits<'_>,
) -> Option<Finding> {
    view.topic(topic)?;
    let acts = acts(commits);
    let (first, last) = (*acts.first()?, *acts.last()?);
    if acts.len() < 2 || view.facts.now.since_ms(last) > RECENT_MS {
        return None;
    }
    let is_quick = acts.windows(3).any(|three| match three {
        [first, _, last] => last.since_ms(*first) <= TOO_QUICK_MS,
        _ => false,
    });
    let (certainty, or_else) = if view.is_logged() {
        (Certainty::Proof, "")
    } else if is_quick {
        (Certainty::Strong, "")
    } else {
        (
            Certainty::Hint,
            ", unless a program comes and goes between two readings of ours",
        )
    };
    let number = u64::try_from(acts.len()).unwrap_or(u64::MAX);
    let sentence = format!(
        "Something that is not on the list of members moves the bookmark of {} in {topic}: {} while nobody was in the group{or_else}.",
        group.lossy(),
        count(number, "commit", "commits")
    );
    let next = format!(
        "Find the program that reads with assign() under the name {}, or copies bookmarks as MirrorMaker does, and stop it before the group is moved, or it moves it back.",
        group.lossy()
    );
    let times = acts.iter().rev().take(NAMED).rev();
    let mut places: Vec<&TopicPartition> = commits.iter().map(|(_, at, _)| *at).collect();
    places.sort_unstable();
    places.dedup();
    let latest = commits.iter().rev().take(NAMED).rev();
    let draft = Draft::new(FindingKind::HiddenMember, Concerns::Group(group.clone()));
    // A reader of one partition only is found there.
    let is_one = history
        .places
        .keys()
        .filter(|at| at.topic == *topic)
        .count()
        == 1;
    let draft = match places.as_slice() {
        [at] if is_one => draft.at(at),
        _ => draft.topic(topic),
    };
    let finding = draft
        .certainty(certainty)
        .because(
            "commits",
            Fact::Number(i64::try_from(acts.len()).unwrap_or(i64::MAX)),
        )
        .because(
            "times",
            Fact::List(times.map(|time| Fact::Time(*time)).collect()),
        )
        .because(
            "places",
            Fact::List(
                latest
                    .map(|(_, at, to)| Fact::Record((*at).clone(), *to))
                    .collect(),
            ),
        )
        .with(|finding| {
            finding.from_time = Some(first);
            finding.to_time = Some(last);
        });
    Some(finding.say("hidden", sentence, &next))
}
