//! G4: records that were deleted before a group read them, or will be; G3b: deletions that it may have missed.

use crate::model::{Certainty, CommitMove, Fact, Finding, FindingKind, Offset, TimestampMs};

use super::Questions;
use super::finding::Draft;
use super::view::{Stand, View};
use super::words::{duration, events, place};

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for stand in view.stands() {
        if stand.committed < stand.start && stand.start < stand.end {
            // Where the deletion ends is told by the first record that is left.
            view.ask_head(questions, &stand.place.at, stand.start);
        }
        if is_near_deletion(view, &stand) || tombstones_go_after(view, &stand).is_some() {
            view.ask_head(questions, &stand.place.at, stand.committed);
        }
    }
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for stand in view.stands() {
        if stand.committed < stand.start {
            findings.push(lost(view, &stand));
        } else {
            findings.extend(at_risk(view, &stand));
            findings.extend(primed(view, &stand));
            findings.extend(missed_tombstones(view, &stand));
        }
    }
    findings
}

fn draft(stand: &Stand<'_>, variant: &str) -> Draft {
    Draft::new(FindingKind::Deleted, stand.concerns())
        .at(&stand.place.at)
        .because("variant", Fact::Text(variant.to_owned()))
        .because("committed_offset", Fact::Number(stand.committed.0))
        .because("log_start", Fact::Number(stand.start.0))
        .because("high_watermark", Fact::Number(stand.end.0))
}

/// Kafka Streams deletes what it has read of its own topics for regrouping.
fn is_purged_on_purpose(topic: &str) -> bool {
    topic.ends_with("-repartition")
}

fn lost(view: &View<'_>, stand: &Stand<'_>) -> Finding {
    let at = &stand.place.at;
    let lost = stand.start.since(stand.committed).unwrap_or_default();
    let last = stand.start.moved(-1).unwrap_or(stand.committed);
    let on_purpose = is_purged_on_purpose(&at.topic);
    let restarts = stand.has_members() == Some(false) || stand.start == stand.end;
    let left = stand.end.since(stand.start).unwrap_or_default();
    // The mark of a transaction behind the last record takes an offset too, and many readers commit before it.
    let may_be_mark = lost == 1 && left == 0;
    let mut sentence = format!(
        "Kafka deleted up to {} in {} before {} read {}.",
        events(lost),
        place(at),
        stand.name().lossy(),
        if lost == 1 { "it" } else { "them" }
    );
    if may_be_mark {
        sentence += " It may have been the mark of a transaction, and no event.";
    }
    if restarts && left > 0 {
        sentence +=
            " When it starts again, auto.offset.reset decides: with latest it also skips the ";
        sentence += &events(left);
        sentence += " that are left.";
    } else if restarts {
        sentence += " The log is empty: with auto.offset.reset=latest it also skips what comes before it reads again.";
    }
    let next = if on_purpose {
        "Nothing: Kafka Streams deletes what it has read of this topic.".to_owned()
    } else {
        format!(
            "Find these events elsewhere (a backup, the sender), and ask {}'s owner for its auto.offset.reset before it restarts.",
            stand.name().lossy()
        )
    };
    draft(stand, "lost")
        .offsets(stand.committed, last)
        .certainty(if may_be_mark {
            Certainty::Strong
        } else {
            Certainty::Proof
        })
        .because(
            "left",
            Fact::Number(i64::try_from(left).unwrap_or(i64::MAX)),
        )
        .because("primed_to_skip", Fact::Flag(restarts))
        .with(|finding| {
            finding.records = Some(lost);
            finding.normal = on_purpose;
            finding.to_time = view.head_time(at, stand.start);
        })
        .say(&stand.committed.0.to_string(), sentence, &next)
}

/// How long records are kept, where that is bounded.
fn retention(view: &View<'_>, stand: &Stand<'_>) -> Option<(Option<i64>, bool)> {
    let config = view.topic(&stand.place.at.topic)?.config.as_ref().ok()?;
    let policy = config.cleanup_policy.as_deref().unwrap_or("delete");
    if !policy.contains("delete") {
        return None;
    }
    let by_time = config.retention_ms.filter(|ms| *ms >= 0);
    let by_bytes = config.retention_bytes.is_some_and(|bytes| bytes >= 0);
    (by_time.is_some() || by_bytes).then_some((by_time, by_bytes))
}

/// What share of what is kept the group is behind.
fn share(stand: &Stand<'_>) -> f64 {
    let count = |from| stand.end.since(from).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a share, roughly")]
    let (behind, kept) = (count(stand.committed) as f64, count(stand.start) as f64);
    if kept > 0.0 { behind / kept } else { 0.0 }
}

fn is_near_deletion(view: &View<'_>, stand: &Stand<'_>) -> bool {
    let waits = stand.committed >= stand.start && stand.committed < stand.end;
    waits
        && !is_purged_on_purpose(&stand.place.at.topic)
        && share(stand) >= view.rules.at_risk
        && retention(view, stand).is_some()
}

fn at_risk(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    if !is_near_deletion(view, stand) {
        return None;
    }
    let at = &stand.place.at;
    let (by_time, by_bytes) = retention(view, stand)?;
    let behind = stand.end.since(stand.committed)?;
    let oldest = view.head_time(at, stand.committed);
    let (certainty, until, words) = match (by_time, oldest) {
        (Some(kept_ms), Some(oldest)) => {
            let until = oldest.moved_ms(kept_ms);
            let left = until.since_ms(view.facts.now);
            if left > kept_ms / 4 || outruns_deletion(view, stand, kept_ms) {
                return None;
            }
            let words = if left > 0 {
                // Records go a segment at a time, so that it may be later.
                format!(
                    "the oldest of them may be deleted in {}, not before",
                    duration(left)
                )
            } else {
                "the oldest of them may be deleted at any moment".to_owned()
            };
            (Certainty::Strong, Some(until), words)
        }
        // By size alone it is not known when; where nothing was deleted yet, the limit may be far.
        _ if by_bytes && stand.start > Offset(0) => (
            Certainty::Hint,
            None,
            "Kafka deletes the oldest when the partition grows".to_owned(),
        ),
        _ => return None,
    };
    let sentence = format!(
        "{} is behind by nearly all that {} keeps, {}: {words}.",
        stand.name().lossy(),
        place(at),
        events(behind)
    );
    let finding = draft(stand, "at_risk")
        .offsets(stand.committed, stand.end.moved(-1)?)
        .certainty(certainty)
        .because("deleted_from", until.map_or(Fact::Unknown, Fact::Time))
        .because("retention_ms", by_time.map_or(Fact::Unknown, Fact::Number))
        .with(|finding| {
            finding.records = Some(behind);
            (finding.from_time, finding.to_time) = (oldest, until);
        });
    Some(finding.say(
        "at risk",
        sentence,
        "Let the group read on, keep the topic longer (retention.ms), or write the records to a file before they are gone.",
    ))
}

/// The moves of a group at a place within the time of [`Rules::stuck_ms`](super::Rules), when it has members that make
/// them: more than two are reading.
fn reads_now<'a>(view: &View<'a>, stand: &Stand<'_>) -> Option<&'a [CommitMove]> {
    let moves = &view.history(stand.name(), &stand.place.at)?.moves;
    let is_old = |step: &CommitMove| view.facts.now.since_ms(step.at) >= view.rules.stuck_ms;
    let (_, recent) = moves.split_at_checked(moves.partition_point(is_old))?;
    (recent.len() > 2 && stand.has_members() == Some(true)).then_some(recent)
}

/// Whether a group that is far behind reads faster than records are deleted: in a log that is as old as it may get, as
/// many go in a time as came in one as long. Whoever begins such a topic from its start is well.
fn outruns_deletion(view: &View<'_>, stand: &Stand<'_>, kept_ms: i64) -> bool {
    let Some([first, .., last]) = reads_now(view, stand) else {
        return false;
    };
    let read = first.to.as_ref().zip(last.to.as_ref());
    let read = read.and_then(|(first, last)| last.offset.since(first.offset));
    let (Some(read), Some(kept)) = (read, stand.end.since(stand.start)) else {
        return false;
    };
    let took = u128::from(view.facts.now.since_ms(first.at).max(1).unsigned_abs());
    // Twice as fast, without dividing: read / took > 2 × kept / kept_ms.
    u128::from(read).saturating_mul(u128::from(kept_ms.unsigned_abs()))
        > u128::from(kept).saturating_mul(took).saturating_mul(2)
}

/// Nothing is lost, but everything that was read is deleted and nobody is there.
fn primed(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    let is_at_edge = stand.committed == stand.start && stand.start == stand.end;
    if !is_at_edge || stand.end <= Offset(0) || stand.has_members() != Some(false) {
        return None;
    }
    retention(view, stand)?;
    let sentence = format!(
        "Nothing is lost: all that {} keeps was read by {} and is deleted, and nobody reads at the moment. If events come and are deleted before it is back, or its bookmark is forgotten meanwhile, auto.offset.reset decides.",
        place(&stand.place.at),
        stand.name().lossy()
    );
    let finding = draft(stand, "primed_to_skip").with(|finding| {
        finding.normal = true;
        finding.records = Some(0);
    });
    Some(finding.say("primed", sentence, ""))
}

/// After how many milliseconds deletions are gone from a compacted topic that the group is behind in.
fn tombstones_go_after(view: &View<'_>, stand: &Stand<'_>) -> Option<i64> {
    let config = view.topic(&stand.place.at.topic)?.config.as_ref().ok()?;
    let is_behind = stand.committed >= stand.start && stand.committed < stand.end;
    config
        .delete_retention_ms
        .filter(|ms| *ms >= 0 && config.is_compacted() && is_behind)
}

/// Whether a group is on its way through a topic that it began less than so long ago: what was deleted before, it has
/// never known.
fn has_begun_since(view: &View<'_>, stand: &Stand<'_>, kept_ms: i64) -> bool {
    let place = view.history(stand.name(), &stand.place.at);
    let first = place.and_then(|place| place.moves.first().filter(|_| !place.shortened));
    let is_new = first.is_some_and(|first| view.facts.now.since_ms(first.at) < kept_ms);
    is_new && view.is_logged() && reads_now(view, stand).is_some()
}

fn missed_tombstones(view: &View<'_>, stand: &Stand<'_>) -> Option<Finding> {
    let kept_ms = tombstones_go_after(view, stand)?;
    let at = &stand.place.at;
    if at.topic.starts_with("__") {
        return None;
    }
    let oldest: TimestampMs = view.head_time(at, stand.committed)?;
    let late_ms = view.facts.now.since_ms(oldest);
    if late_ms <= kept_ms || has_begun_since(view, stand, kept_ms) {
        return None;
    }
    let behind = stand.end.since(stand.committed)?;
    let sentence = format!(
        "{} is {} behind in the compacted {}, which keeps deletions for {} only: it may never see some of them.",
        stand.name().lossy(),
        duration(late_ms),
        place(at),
        duration(kept_ms)
    );
    let finding = Draft::new(FindingKind::MissedTombstone, stand.concerns())
        .at(at)
        .offsets(stand.committed, stand.end.moved(-1)?)
        .certainty(Certainty::Strong)
        .because("late_ms", Fact::Number(late_ms))
        .because("delete_retention_ms", Fact::Number(kept_ms))
        .because("committed_offset", Fact::Number(stand.committed.0))
        .with(|finding| {
            finding.records = Some(behind);
            finding.from_time = Some(oldest);
        });
    Some(finding.say(
        "tombstones",
        sentence,
        "Compare what the group holds with the topic's present keys, or let it read the topic anew from the start.",
    ))
}
