//! G7: a committed offset that jumped over records; G18: commits by somebody who is no member.

use crate::model::{
    Certainty, CommitMove, Committed, Concerns, Fact, Finding, FindingKind, GroupHistory, Offset,
    PlaceHistory, Text, TimestampMs, TopicPartition,
};

use super::Questions;
use super::finding::Draft;
use super::view::View;
use super::words::{count, events, number, place};

/// How many other steps must be known to call one unusual, and by how much it must exceed them.
const STEPS: usize = 5;
const UNUSUAL: f64 = 20.0;
/// So many forward moves without members at one place are a reader, not a hand.
const READER: usize = 3;
/// Commits nearer to one another than this are one act.
const ONE_ACT_MS: i64 = 1_000;
/// A hidden member that was last seen longer ago is history.
const RECENT_MS: i64 = 86_400_000;

/// A move from one committed offset to the next.
#[derive(Clone, Copy)]
struct Step<'a> {
    before: &'a CommitMove,
    from: &'a Committed,
    here: &'a CommitMove,
    to: &'a Committed,
}

impl Step<'_> {
    fn width(&self) -> u64 {
        self.to.offset.since(self.from.offset).unwrap_or_default()
    }

    fn is_forward(&self) -> bool {
        self.to.offset > self.from.offset
    }

    fn wide(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a width, roughly")]
        let wide = self.width() as f64;
        wide
    }

    /// Records a second.
    fn rate(&self) -> f64 {
        let ms = self.here.at.since_ms(self.before.at).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a rate, roughly")]
        let ms = ms as f64;
        self.wide() * 1_000.0 / ms
    }
}

fn steps(history: &PlaceHistory) -> impl Iterator<Item = Step<'_>> {
    history.moves.windows(2).filter_map(|pair| {
        let [before, here] = pair else { return None };
        Some(Step {
            before,
            from: before.to.as_ref()?,
            here,
            to: here.to.as_ref()?,
        })
    })
}

/// Why a step is taken for a jump.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent signs")]
struct Signs {
    /// The group had no members, and it has or had some at other times.
    by_hand: bool,
    /// It had no members, and never had.
    never_members: bool,
    /// The leader epoch vanished with it, as an administrator's tool leaves it out.
    no_epoch: bool,
    /// It is far larger and faster than all others.
    unusual: bool,
    /// It ends at the end of the log.
    to_end: bool,
}

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for history in view.facts.history.groups.values() {
        let usual = Usual::of(history);
        for (at, place) in &history.places {
            for (step, _) in suspicious(&usual, place) {
                let of = (at.clone(), step.here.at);
                if step.here.end.is_none() && !view.facts.ends_at.contains_key(&of) {
                    questions.ends_at.insert(of);
                }
            }
        }
    }
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (group, history) in &view.facts.history.groups {
        let usual = Usual::of(history);
        for (at, place) in &history.places {
            if view.topic(&at.topic).is_none() {
                continue;
            }
            let jumps = suspicious(&usual, place);
            for (step, signs) in &jumps {
                let left = never_read(place, step, &jumps);
                findings.extend(jumped(view, (group, at), &left, step, *signs));
            }
        }
        findings.extend(hidden(view, group, history));
    }
    findings
}

/// What is usual in a group.
struct Usual {
    /// Forward steps by members.
    known: usize,
    /// The two widest, and the two fastest of them: by themselves, so that a step is not compared with itself.
    widest: [(f64, *const CommitMove); 2],
    fastest: [(f64, *const CommitMove); 2],
    /// Whether it ever had members.
    ever_members: bool,
}

impl Usual {
    fn of(history: &GroupHistory) -> Self {
        let moves = || history.places.values().flat_map(|place| &place.moves);
        let mut usual = Self {
            known: 0,
            widest: [(0.0, std::ptr::null()); 2],
            fastest: [(0.0, std::ptr::null()); 2],
            ever_members: moves().any(|step| step.had_members == Some(true))
                || history.membership.iter().any(|then| then.members > 0),
        };
        for step in history.places.values().flat_map(steps) {
            if !step.is_forward() || step.here.had_members == Some(false) {
                continue;
            }
            usual.known = usual.known.saturating_add(1);
            let here = std::ptr::from_ref(step.here);
            keep_largest(&mut usual.widest, (step.wide(), here));
            keep_largest(&mut usual.fastest, (step.rate(), here));
        }
        usual
    }

    /// Whether a step is far larger and faster than all others.
    fn is_exceeded_by(&self, step: &Step<'_>) -> bool {
        let here = std::ptr::from_ref(step.here);
        let largest = |of: &[(f64, *const CommitMove); 2]| {
            let mut others = of.iter().filter(|(_, other)| !std::ptr::eq(*other, here));
            others.next().map_or(0.0, |(largest, _)| *largest)
        };
        let is_among = step.here.had_members != Some(false);
        let others = self.known.saturating_sub(usize::from(is_among));
        others >= STEPS
            && step.wide() > UNUSUAL * largest(&self.widest)
            && step.rate() > UNUSUAL * largest(&self.fastest)
    }
}

fn keep_largest(of: &mut [(f64, *const CommitMove); 2], next: (f64, *const CommitMove)) {
    let [first, second] = of;
    if next.0 > first.0 {
        *second = *first;
        *first = next;
    } else if next.0 > second.0 {
        *second = next;
    }
}

/// The forward steps that nobody may have read.
fn suspicious<'a>(usual: &Usual, place: &'a PlaceHistory) -> Vec<(Step<'a>, Signs)> {
    let alone = steps(place)
        .filter(|step| step.is_forward() && step.here.had_members == Some(false))
        .count();
    let is_reader = alone >= READER;
    let epochs = place
        .moves
        .iter()
        .filter_map(|step| step.to.as_ref())
        .filter(|to| to.leader_epoch.is_some())
        .count();
    let judged = steps(place).filter(Step::is_forward).map(|step| {
        let without = step.here.had_members == Some(false) && !is_reader;
        let no_epoch = step.from.leader_epoch.is_some() && step.to.leader_epoch.is_none();
        let signs = Signs {
            by_hand: without && usual.ever_members,
            never_members: without && !usual.ever_members,
            no_epoch: no_epoch && epochs >= 2,
            unusual: usual.is_exceeded_by(&step),
            to_end: false,
        };
        (step, signs)
    });
    judged
        .filter(|(step, signs)| {
            let other = signs.never_members || signs.no_epoch || signs.unusual;
            signs.by_hand || other && step.width() >= 2
        })
        .collect()
}

/// What of the stretch from `from` to before `to` no normal step has read, at any time.
fn never_read(
    place: &PlaceHistory,
    jump: &Step<'_>,
    jumps: &[(Step<'_>, Signs)],
) -> Vec<(Offset, Offset)> {
    let mut left = vec![(jump.from.offset, jump.to.offset)];
    for step in steps(place).filter(Step::is_forward) {
        if jumps
            .iter()
            .any(|(other, _)| std::ptr::eq(other.here, step.here))
        {
            continue;
        }
        let (from, to) = (step.from.offset, step.to.offset);
        left = left
            .into_iter()
            .flat_map(|(first, last)| {
                let before = (first, last.min(from));
                let after = (first.max(to), last);
                [before, after]
                    .into_iter()
                    .filter(|(first, last)| first < last)
            })
            .collect();
    }
    left
}

fn jumped(
    view: &View<'_>,
    (group, at): (&Text, &TopicPartition),
    left: &[(Offset, Offset)],
    step: &Step<'_>,
    mut signs: Signs,
) -> Option<Finding> {
    let (first, last) = (left.first()?.0, left.last()?.1.moved(-1)?);
    let end = step.here.end.or_else(|| {
        let answer = view.facts.ends_at.get(&(at.clone(), step.here.at))?;
        match answer {
            Ok(Some(end)) => Some(*end),
            // Nothing was written since.
            Ok(None) => view.partition(at)?.high_watermark.as_ref().ok().copied(),
            Err(_unknown) => None,
        }
    });
    signs.to_end = end == Some(step.to.offset);
    let keeps_text = !step.from.metadata.is_empty() || !step.to.metadata.is_empty();
    let is_strong =
        signs.by_hand || signs.no_epoch && signs.unusual || signs.unusual && signs.to_end;
    let certainty = if is_strong && !keeps_text {
        Certainty::Strong
    } else {
        Certainty::Hint
    };
    let missed: u64 = left
        .iter()
        .filter_map(|(first, last)| last.since(*first))
        .sum();
    let start = view.partition(at)?.log_start.as_ref().ok().copied();
    let is_gone = start.is_some_and(|start| last < start);
    let who = if signs.by_hand || signs.never_members {
        "while nobody was in the group: somebody moved it"
    } else {
        "without reading them, or somebody moved it"
    };
    let sentence = format!(
        "The bookmark of {} in {} jumped over up to {} (from {} to {}), {who}.",
        group.lossy(),
        place(at),
        events(missed),
        number(step.from.offset.0),
        number(step.to.offset.0)
    );
    let next = if is_gone {
        "They are deleted by now: find them elsewhere, and ask who moved the bookmark."
    } else {
        "Rewind the group in this partition to before the jump to read them, and ask who moved the bookmark."
    };
    let epoch = |to: &Committed| {
        to.leader_epoch
            .map_or(Fact::Unknown, |epoch| Fact::Number(i64::from(epoch)))
    };
    let draft = Draft::new(FindingKind::JumpedOver, Concerns::Group(group.clone()))
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
        .because(
            "to_the_end",
            end.map_or(Fact::Unknown, |_| Fact::Flag(signs.to_end)),
        )
        .because("larger_than_usual", Fact::Flag(signs.unusual))
        .because("still_readable", Fact::Flag(!is_gone))
        .with(|finding| {
            finding.records = Some(missed);
            finding.from_time = Some(step.before.at);
            finding.to_time = Some(step.here.at);
        });
    let what = format!("{} {}", step.from.offset, step.here.at.0);
    Some(draft.say(&what, sentence, next))
}

/// Commits that go on while nobody is in the group.
fn hidden(view: &View<'_>, group: &Text, history: &GroupHistory) -> Option<Finding> {
    let mut moves: Vec<(TimestampMs, &TopicPartition)> = Vec::new();
    for (at, place) in &history.places {
        let alone =
            steps(place).filter(|step| step.is_forward() && step.here.had_members == Some(false));
        let alone: Vec<TimestampMs> = alone.map(|step| step.here.at).collect();
        if alone.len() >= 2 {
            moves.extend(alone.into_iter().map(|time| (time, at)));
        }
    }
    moves.sort_unstable();
    let mut acts: Vec<TimestampMs> = Vec::new();
    for (time, _) in &moves {
        let same = acts
            .last()
            .is_some_and(|last| time.since_ms(*last) < ONE_ACT_MS);
        if !same {
            acts.push(*time);
        }
    }
    let (first, last) = (acts.first()?, acts.last()?);
    if acts.len() < 2 || view.facts.now.since_ms(*last) > RECENT_MS {
        return None;
    }
    let at = moves.last()?.1;
    view.topic(&at.topic)?;
    let times = acts.iter().rev().take(10).rev();
    let acts_count = u64::try_from(acts.len()).unwrap_or(u64::MAX);
    let sentence = format!(
        "Something that is not on the list of members moves the bookmark of {}: {} while nobody was in the group.",
        group.lossy(),
        count(acts_count, "commit", "commits")
    );
    let finding = Draft::new(FindingKind::HiddenMember, Concerns::Group(group.clone()))
        .at(at)
        .certainty(Certainty::Proof)
        .because(
            "commits",
            Fact::Number(i64::try_from(acts.len()).unwrap_or(i64::MAX)),
        )
        .because(
            "times",
            Fact::List(times.map(|time| Fact::Time(*time)).collect()),
        )
        .with(|finding| {
            finding.from_time = Some(*first);
            finding.to_time = Some(*last);
        });
    Some(finding.say(
        "hidden",
        sentence,
        "Find the program that reads with assign() under this name; stop it before the group is moved, or it will move it back.",
    ))
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
        let jumps = suspicious(&usual, known);
        for step in steps(known) {
            let is_jump = jumps.iter().any(|(jump, signs)| {
                std::ptr::eq(jump.here, step.here) && (signs.by_hand || signs.never_members)
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
