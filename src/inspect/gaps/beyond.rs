//! G5: a committed offset beyond the end of the log; G6: a log that lost its end.

use crate::model::{Certainty, Concerns, Fact, Finding, FindingKind, Known, Offset, Topic};

use super::Questions;
use super::finding::Draft;
use super::view::{Stand, View};
use super::words::{events, number, place};

/// Epochs that are asked for in one look.
const EPOCHS: usize = 2_000;

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for stand in view.stands() {
        if questions.epochs.len() >= EPOCHS {
            return;
        }
        let Some(epoch) = stand
            .place
            .leader_epoch
            .filter(|_| stand.committed > Offset(0))
        else {
            continue;
        };
        let of = (stand.place.at.clone(), epoch);
        if !view.facts.epoch_ends.contains_key(&of) {
            questions.epochs.insert(of);
        }
    }
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for stand in view.stands() {
        if stand.committed > stand.end {
            findings.extend(beyond(view, &stand));
        } else {
            findings.extend(grown_again(view, &stand));
            findings.extend(cut_for(view, &stand));
        }
    }
    findings.extend(view.topics().flat_map(|topic| cut(view, topic)));
    findings
}

/// Where the epoch of a commit ended; `Ok(None)` when the leader knows nothing of it.
fn epoch_end(view: &View<'_>, stand: &Stand<'_>) -> Option<Known<Option<Offset>>> {
    let of = (stand.place.at.clone(), stand.place.leader_epoch?);
    view.facts.epoch_ends.get(&of).cloned()
}

fn is_recreated(view: &View<'_>, stand: &Stand<'_>) -> bool {
    let topic = view.topic(&stand.place.at.topic);
    topic.is_some_and(|topic| view.forerunners(topic).next().is_some())
}

fn beyond(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    let at = &stand.place.at;
    let name = stand.name();
    let again = (name.clone(), at.clone());
    if !view.facts.beyond_again.contains(&again) {
        return None;
    }
    let (cause, is_sure, why) = cause(view, stand);
    let over = stand.committed.since(stand.end).unwrap_or_default();
    let sentence = format!(
        "The bookmark of {} points past the end of {}: it stands at {}, the log ends at {}; {why}.",
        name.lossy(),
        place(at),
        number(stand.committed.0),
        number(stand.end.0)
    );
    let finding = Draft::new(FindingKind::BeyondEnd, stand.concerns())
        .at(at)
        .offsets(stand.end, stand.committed.moved(-1)?)
        .certainty(Certainty::Proof)
        .because("committed_offset", Fact::Number(stand.committed.0))
        .because("high_watermark", Fact::Number(stand.end.0))
        .because("log_start", Fact::Number(stand.start.0))
        .because("cause", Fact::Text(cause.to_owned()))
        .because("cause_is_sure", Fact::Flag(is_sure))
        .because("leader_epoch", epoch(stand))
        .with(|finding| finding.records = Some(over));
    let next = format!(
        "Rewind {} in {} to a place that exists: the log start at {}, or the time from which it should read; until then auto.offset.reset decides.",
        name.lossy(),
        place(at),
        number(stand.start.0)
    );
    Some(finding.say(&stand.committed.0.to_string(), sentence, &next))
}

/// Why a committed offset lies beyond the end, whether that is sure, and in words.
fn cause(view: &View<'_>, stand: &Stand<'_>) -> (&'static str, bool, &'static str) {
    let anew = "the topic was deleted and made anew";
    if is_recreated(view, stand) {
        return ("recreated", true, anew);
    }
    match epoch_end(view, stand) {
        // The epoch is of another log.
        Some(Ok(None)) => ("recreated", false, anew),
        Some(Ok(Some(end))) if end < stand.committed && was_within(view, stand) => {
            ("truncated", true, "the log was cut back")
        }
        // A topic made anew counts its epochs anew too: the same one does not mean the same log.
        _ => (
            "unknown",
            false,
            "the topic was made anew or cut back, or somebody set the bookmark by hand",
        ),
    }
}

/// Whether the committed offset is of the log that is there: that was seen to reach as far, or the group has moved since
/// the topic was first seen under its id.
fn was_within(view: &View<'_>, stand: &Stand<'_>) -> bool {
    let at = &stand.place.at;
    let reached = view
        .remembered_end(at)
        .is_some_and(|(_, end)| end >= stand.committed);
    let known = view
        .topic(&at.topic)
        .and_then(|topic| view.remembered(topic));
    let moved = view.unmoved(stand.name(), at, stand.committed);
    let moved_since = known
        .zip(moved)
        .is_some_and(|(known, moved)| moved.has_moved && moved.since >= known.first_seen);
    reached || moved_since
}

fn epoch(stand: &Stand<'_>) -> Fact {
    stand
        .place
        .leader_epoch
        .map_or(Fact::Unknown, |epoch| Fact::Number(i64::from(epoch)))
}

/// A topic that was made anew and has grown past the old committed offset: the numbers look normal.
fn grown_again(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    let at = &stand.place.at;
    let topic = view.topic(&at.topic)?;
    let anew = view.remembered(topic)?.first_seen;
    let since = view.unmoved(stand.name(), at, stand.committed)?.since;
    // It was committed while the old topic was still seen.
    let is_older = view
        .forerunners(topic)
        .any(|old| since <= old.last_seen && old.last_seen <= anew);
    if !is_older || stand.committed <= stand.start {
        return None;
    }
    let unread = stand.committed.since(stand.start)?;
    let sentence = format!(
        "{} was deleted and made anew, and the bookmark of {} is from before: the numbers look normal, but {} of the new log were never read.",
        place(at),
        stand.name().lossy(),
        events(unread)
    );
    let finding = Draft::new(FindingKind::BeyondEnd, stand.concerns())
        .at(at)
        .offsets(stand.start, stand.committed.moved(-1)?)
        .certainty(Certainty::Strong)
        .because("cause", Fact::Text("recreated".to_owned()))
        .because("committed_offset", Fact::Number(stand.committed.0))
        .because("committed_at", Fact::Time(since))
        .because("made_anew_by", Fact::Time(anew))
        .with(|finding| finding.records = Some(unread));
    Some(finding.say(
        "recreated",
        sentence,
        &format!(
            "Rewind {} in {} to the log start, {}.",
            stand.name().lossy(),
            place(at),
            number(stand.start.0)
        ),
    ))
}

/// What a group had read is not what lies there now.
fn cut_for(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    let Some(Ok(Some(end))) = epoch_end(view, stand) else {
        return None;
    };
    if end >= stand.committed || is_recreated(view, stand) {
        return None;
    }
    let at = &stand.place.at;
    let other = stand.committed.since(end)?;
    let sentence = format!(
        "The cluster lost the end of {} after {} had read it: its bookmark {} is of an epoch that ends at {}, and {} lie there now that it never read.",
        place(at),
        stand.name().lossy(),
        number(stand.committed.0),
        number(end.0),
        events(other)
    );
    let finding = Draft::new(FindingKind::Truncated, stand.concerns())
        .at(at)
        .offsets(end, stand.committed.moved(-1)?)
        .certainty(Certainty::Proof)
        .because("committed_offset", Fact::Number(stand.committed.0))
        .because("leader_epoch", epoch(stand))
        .because("epoch_end", Fact::Number(end.0))
        .with(|finding| finding.records = Some(other));
    Some(finding.say(
        &stand.committed.0.to_string(),
        sentence,
        &format!(
            "Rewind {} in {} to {}, where the epoch ended, and ask the cluster's owner about unclean leader elections.",
            stand.name().lossy(),
            place(at),
            number(end.0)
        ),
    ))
}

/// A log that is shorter than it was.
fn cut(view: &View<'_>, topic: &Topic) -> Vec<Finding> {
    let Some(known) = view.remembered(topic) else {
        return Vec::new();
    };
    let shorter = known.seen.partitions.iter().filter_map(|seen| {
        let mut partitions = topic.partitions.iter();
        let partition = partitions.find(|partition| partition.id == seen.id)?;
        let end = *partition.high_watermark.as_ref().ok()?;
        let lost = seen.high_watermark.since(end).filter(|lost| *lost > 0)?;
        let at = topic.at(seen.id);
        let sentence = format!(
            "{} ends at {} but ended at {} before: the cluster lost up to {} when a server failed.",
            place(&at),
            number(end.0),
            number(seen.high_watermark.0),
            events(lost)
        );
        let finding = Draft::new(FindingKind::Truncated, Concerns::Everyone)
            .at(&at)
            .offsets(end, seen.high_watermark.moved(-1)?)
            .certainty(Certainty::Strong)
            .because("high_watermark", Fact::Number(end.0))
            .because("earlier_high_watermark", Fact::Number(seen.high_watermark.0))
            .because("seen", Fact::Time(known.last_seen))
            .with(|finding| {
                finding.records = Some(lost);
                finding.from_time = Some(known.last_seen);
                finding.to_time = Some(view.facts.now);
            });
        // The end grows again meanwhile; the one from before stays.
        Some(finding.say(
            &seen.high_watermark.0.to_string(),
            sentence,
            "Ask the cluster's owner about unclean leader elections; the events may have to be sent again.",
        ))
    });
    shorter.collect()
}
