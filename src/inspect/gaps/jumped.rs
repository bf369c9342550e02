//! G7: a committed offset that jumped over records; and who moved it, for the journal.

use crate::model::{
    Certainty, CommitMove, Committed, Concerns, Fact, Finding, FindingKind, GroupHistory, Offset,
    Text, TimestampMs, TopicPartition,
};

use super::Questions;
use super::finding::Draft;
use super::steps::{QUICK_MS, Signs, Step, Usual, never_read, steps, suspicious};
use super::view::View;
use super::words::{duration, events, number, place};

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for (_, history) in view.histories() {
        let usual = Usual::of(history);
        for (at, place) in &history.places {
            for (step, _) in suspicious(&usual, at, place) {
                for then in [step.before, step.here] {
                    let of = (at.clone(), then.at);
                    if then.end.is_none() && !view.facts.ends_at.contains_key(&of) {
                        questions.ends_at.insert(of);
                    }
                }
            }
        }
    }
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (group, history) in view.histories() {
        let usual = Usual::of(history);
        for (at, place) in &history.places {
            if view.topic(&at.topic).is_none() {
                continue;
            }
            let jumps = suspicious(&usual, at, place);
            for (step, signs) in &jumps {
                let jump = Jump {
                    group,
                    at,
                    step: *step,
                    signs: *signs,
                    left: never_read(place, step, &jumps),
                };
                findings.extend(jumped(view, &jump));
            }
        }
    }
    findings
}

/// A step that nobody may have read, with what of it nobody ever read.
struct Jump<'a> {
    group: &'a Text,
    at: &'a TopicPartition,
    step: Step<'a>,
    signs: Signs,
    left: Vec<(Offset, Offset)>,
}

/// The end of the log when a move was made.
fn end_at(view: &View<'_>, at: &TopicPartition, then: &CommitMove) -> Option<Offset> {
    then.end
        .or_else(|| match view.facts.ends_at.get(&(at.clone(), then.at))? {
            Ok(Some(end)) => Some(*end),
            // Nothing was written since.
            Ok(None) => view.partition(at)?.high_watermark.as_ref().ok().copied(),
            Err(_unknown) => None,
        })
}

/// What ends of the log tell of a jump.
struct Ends {
    /// Whether it ends at the end; `None` when that is not known.
    to_end: Option<bool>,
    /// How many records waited when it began.
    waited: Option<u64>,
    /// Whether it is unusual, and most of what it jumped over lay there already when the group moved before: a group
    /// that has read everything and is given a lot at once takes wide steps too.
    is_unusual: bool,
}

impl Ends {
    fn of(view: &View<'_>, jump: &Jump<'_>) -> Self {
        let Jump {
            at, step, signs, ..
        } = jump;
        let before = end_at(view, at, step.before);
        let waited = before.map(|end| end.since(step.from.offset).unwrap_or_default());
        let lay_there = waited.is_none_or(|waited| waited.saturating_mul(2) >= step.width());
        Self {
            to_end: end_at(view, at, step.here).map(|end| end == step.to.offset),
            waited,
            is_unusual: signs.unusual && lay_there,
        }
    }

    /// Whether the group was behind, and stood at the end from one move to the next.
    fn is_skip_to_end(&self) -> bool {
        self.to_end == Some(true) && self.waited.is_some_and(|waited| waited > 0)
    }
}

/// How sure a jump is; `None` when it is none.
fn graded(view: &View<'_>, jump: &Jump<'_>, ends: &Ends) -> Option<Certainty> {
    let signs = jump.signs;
    // Readings do not see who came and went between two of them; and a reader that is no member shows itself by its
    // next moves, for whoever looks again.
    let is_settled = view.rules.once || view.facts.now.since_ms(jump.step.here.at) >= QUICK_MS;
    let never_members = signs.never_members && view.is_logged() && is_settled;
    if !(signs.by_hand || never_members || signs.no_epoch || ends.is_unusual) {
        return None;
    }
    let confirms_hand =
        view.is_logged() || signs.no_epoch || ends.is_unusual || ends.is_skip_to_end();
    let is_strong = signs.by_hand && confirms_hand
        || signs.no_epoch && ends.is_unusual
        || ends.is_unusual && ends.is_skip_to_end();
    // Who keeps a text beside a bookmark may note there what it has read beyond it.
    let keeps_text = !jump.step.from.metadata.is_empty() || !jump.step.to.metadata.is_empty();
    Some(if is_strong && !keeps_text {
        Certainty::Strong
    } else {
        Certainty::Hint
    })
}

/// What a jump is in words, and what to do about it.
fn said(jump: &Jump<'_>, missed: u64, deleted: Deleted) -> (String, String) {
    let Jump {
        group,
        at,
        step,
        signs,
        ..
    } = jump;
    let (group, at) = (group.lossy(), place(at));
    let since = duration(step.here.at.since_ms(step.before.at));
    let who = if deleted == Deleted::Before {
        "to where the log begins: they may have been deleted before they were read".to_owned()
    } else if signs.by_hand || signs.never_members {
        "while nobody was in the group: somebody moved it".to_owned()
    } else {
        format!("{since} after its last move, without reading them, or somebody moved it")
    };
    let sentence = format!(
        "The bookmark of {group} in {at} jumped over up to {} (from {} to {}), {who}.",
        events(missed),
        number(step.from.offset.0),
        number(step.to.offset.0)
    );
    let next = if deleted == Deleted::Not {
        let first = jump.left.first().map_or(step.from.offset, |left| left.0);
        format!(
            "Ask who moved the bookmark; to read what was jumped over, rewind {group} in {at} to {}.",
            number(first.0)
        )
    } else {
        "They are deleted by now: find them elsewhere (a backup, the sender), and ask who moved the bookmark.".to_owned()
    };
    (sentence, next)
}

/// Whether what was jumped over can still be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deleted {
    Not,
    Since,
    /// The jump ends where the log begins, as it does for a group whose next records were deleted.
    Before,
}

fn jumped(view: &View<'_>, jump: &Jump<'_>) -> Option<Finding> {
    let Jump {
        group,
        at,
        step,
        signs,
        left,
    } = jump;
    let (first, last) = (left.first()?.0, left.last()?.1.moved(-1)?);
    let ends = Ends::of(view, jump);
    let certainty = graded(view, jump, &ends)?;
    let missed = left
        .iter()
        .filter_map(|(first, last)| last.since(*first))
        .fold(0_u64, u64::saturating_add);
    let start = view.partition(at)?.log_start.as_ref().ok().copied();
    let deleted = match start {
        Some(start) if start == step.to.offset => Deleted::Before,
        Some(start) if last < start => Deleted::Since,
        _ => Deleted::Not,
    };
    let certainty = match deleted {
        Deleted::Before => Certainty::Hint,
        _ => certainty,
    };
    let (sentence, next) = said(jump, missed, deleted);
    let epoch = |to: &Committed| {
        to.leader_epoch
            .map_or(Fact::Unknown, |epoch| Fact::Number(i64::from(epoch)))
    };
    #[expect(clippy::cast_possible_truncation, reason = "a rate, roughly")]
    let rate = step.rate() as i64;
    let draft = Draft::new(FindingKind::JumpedOver, Concerns::Group((*group).clone()))
        .at(at)
        .offsets(first, last)
        .certainty(certainty)
        .because("from_offset", Fact::Number(step.from.offset.0))
        .because("to_offset", Fact::Number(step.to.offset.0))
        .because("moved", Fact::Time(step.here.at))
        .because(
            "had_members",
            step.here.had_members.map_or(Fact::Unknown, Fact::Flag),
        )
        .because("leader_epoch_before", epoch(step.from))
        .because("leader_epoch_after", epoch(step.to))
        .because("epoch_vanished", Fact::Flag(signs.no_epoch))
        .because("to_the_end", ends.to_end.map_or(Fact::Unknown, Fact::Flag))
        .because(
            "waited_before",
            ends.waited.map_or(Fact::Unknown, |waited| {
                Fact::Number(i64::try_from(waited).unwrap_or(i64::MAX))
            }),
        )
        .because("records_a_second", Fact::Number(rate))
        .because("larger_than_usual", Fact::Flag(ends.is_unusual))
        .because("to_log_start", Fact::Flag(deleted == Deleted::Before))
        .because("still_readable", Fact::Flag(deleted == Deleted::Not))
        .with(|finding| {
            finding.records = Some(missed);
            finding.from_time = Some(step.before.at);
            finding.to_time = Some(step.here.at);
        });
    let what = format!("{} {}", step.from.offset, step.here.at.0);
    Some(draft.say(&what, sentence, &next))
}

/// A committed offset that somebody moved who was no member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandMove {
    /// When.
    pub at: TimestampMs,
    /// Where.
    pub place: TopicPartition,
    /// The committed offset before; `None` when there was none.
    pub from: Option<Offset>,
    /// The committed offset from then on; `None` when it was deleted.
    pub to: Option<Offset>,
    /// Whether it is certain that no member did it.
    pub is_sure: bool,
}

/// The moves of a group's committed offsets that no reading explains: backwards, or forward while nobody was in the
/// group. The newest first.
pub fn hand_moves(history: &GroupHistory) -> Vec<HandMove> {
    let mut found = Vec::new();
    let usual = Usual::of(history);
    for (place, known) in &history.places {
        let jumps = suspicious(&usual, place, known);
        for step in steps(known) {
            let is_jump = jumps.iter().any(|(jump, signs)| {
                jump.number == step.number && (signs.by_hand || signs.never_members)
            });
            if !is_jump && step.is_forward() {
                continue;
            }
            found.push(HandMove {
                at: step.here.at,
                place: place.clone(),
                from: Some(step.from.offset),
                to: Some(step.to.offset),
                is_sure: step.here.had_members == Some(false),
            });
        }
    }
    found.sort_by(|a, b| (b.at, &b.place).cmp(&(a.at, &a.place)));
    found
}
