//! Moves of committed offsets, one by one: what is usual, what no reading explains, and what was never read.

use std::collections::BTreeSet;

use crate::model::{CommitMove, Committed, GroupHistory, Offset, PlaceHistory, TopicPartition};

/// How many other steps must be known to call one unusual, and by how much it must exceed them.
const STEPS: usize = 5;
const UNUSUAL: f64 = 20.0;
/// So many steps in a row without members are a reader whatever the time between them.
const READER: usize = 5;
/// So many are one when they follow one another within this time.
const QUICK_READER: usize = 3;
pub(super) const QUICK_MS: i64 = 300_000;

/// A move from one committed offset to the next.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    /// Where it stands among the moves of its place.
    pub(super) number: usize,
    pub(super) before: &'a CommitMove,
    pub(super) from: &'a Committed,
    pub(super) here: &'a CommitMove,
    pub(super) to: &'a Committed,
}

impl Step<'_> {
    pub(super) fn width(&self) -> u64 {
        self.to.offset.since(self.from.offset).unwrap_or_default()
    }

    pub(super) fn is_forward(&self) -> bool {
        self.to.offset > self.from.offset
    }

    fn is_alone(&self) -> bool {
        self.here.had_members == Some(false)
    }

    fn wide(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a width, roughly")]
        let wide = self.width() as f64;
        wide
    }

    /// Records a second, counted from the move before.
    pub(super) fn rate(&self) -> f64 {
        let ms = self.here.at.since_ms(self.before.at).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a rate, roughly")]
        let ms = ms as f64;
        self.wide() * 1_000.0 / ms
    }
}

/// The moves of a place that have a committed offset before and after.
pub(super) fn steps(history: &PlaceHistory) -> impl Iterator<Item = Step<'_>> {
    let pairs = history.moves.windows(2).enumerate();
    pairs.filter_map(|(number, pair)| {
        let [before, here] = pair else { return None };
        Some(Step {
            number,
            before,
            from: before.to.as_ref()?,
            here,
            to: here.to.as_ref()?,
        })
    })
}

/// The steps of a place that were made by somebody who reads without being a member: forward steps without members that
/// follow one another. One or two are a hand's as well as a reader's, but for those that carry the epoch of what was
/// read, which no tool gives.
pub(super) fn read_alone(history: &PlaceHistory) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut run: Vec<Step<'_>> = Vec::new();
    let mut close = |run: &mut Vec<Step<'_>>| {
        if is_reading(run) {
            found.extend(run.iter().map(|step| step.number));
        }
        run.clear();
    };
    for step in steps(history) {
        let follows = run
            .last()
            .is_none_or(|last| last.number.saturating_add(1) == step.number);
        if !follows {
            close(&mut run);
        }
        if step.is_forward() && step.is_alone() {
            run.push(step);
        } else {
            close(&mut run);
        }
    }
    close(&mut run);
    found
}

fn is_reading(run: &[Step<'_>]) -> bool {
    let carry_epochs = run.iter().all(|step| step.to.leader_epoch.is_some());
    let are_quick = run.windows(2).all(|pair| {
        let [first, next] = pair else { return true };
        next.here.at.since_ms(first.here.at) <= QUICK_MS
    });
    run.len() >= READER || run.len() >= 2 && carry_epochs || run.len() >= QUICK_READER && are_quick
}

/// Why a step is taken for a jump.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent signs")]
pub(super) struct Signs {
    /// The group had no members, and it has or had some at other times.
    pub(super) by_hand: bool,
    /// It had no members, and never had.
    pub(super) never_members: bool,
    /// The leader epoch vanished with it, as an administrator's tool leaves it out.
    pub(super) no_epoch: bool,
    /// It is far larger and faster than all others.
    pub(super) unusual: bool,
}

/// A place's step, by which it is told from all others of its group.
type Which<'a> = (&'a TopicPartition, usize);

/// What is usual in a group.
pub(super) struct Usual<'a> {
    /// Forward steps of readers.
    known: usize,
    /// The two widest, and the two fastest of them: two, so that a step is not compared with itself.
    widest: [Option<(f64, Which<'a>)>; 2],
    fastest: [Option<(f64, Which<'a>)>; 2],
    /// Whether the group ever had members.
    ever_members: bool,
}

impl<'a> Usual<'a> {
    pub(super) fn of(history: &'a GroupHistory) -> Self {
        let mut moves = history.places.values().flat_map(|place| &place.moves);
        let mut usual = Self {
            known: 0,
            widest: [None; 2],
            fastest: [None; 2],
            ever_members: moves.any(|step| step.had_members == Some(true))
                || history.membership.iter().any(|then| then.members > 0),
        };
        for (at, place) in &history.places {
            let read_alone = read_alone(place);
            for step in steps(place).filter(Step::is_forward) {
                if step.is_alone() && !read_alone.contains(&step.number) {
                    continue;
                }
                usual.known = usual.known.saturating_add(1);
                keep_largest(&mut usual.widest, (step.wide(), (at, step.number)));
                keep_largest(&mut usual.fastest, (step.rate(), (at, step.number)));
            }
        }
        usual
    }

    /// Whether a step is far larger and faster than all others.
    fn is_exceeded_by(&self, at: &TopicPartition, step: &Step<'_>, is_reading: bool) -> bool {
        let here = (at, step.number);
        let largest = |of: &[Option<(f64, Which<'a>)>; 2]| {
            let mut others = of.iter().flatten().filter(|(_, other)| *other != here);
            others.next().map_or(0.0, |(largest, _)| *largest)
        };
        let others = self.known.saturating_sub(usize::from(is_reading));
        others >= STEPS
            && step.wide() > UNUSUAL * largest(&self.widest)
            && step.rate() > UNUSUAL * largest(&self.fastest)
    }
}

fn keep_largest<'a>(of: &mut [Option<(f64, Which<'a>)>; 2], next: (f64, Which<'a>)) {
    let [first, second] = of;
    if first.is_none_or(|first| next.0 > first.0) {
        *second = *first;
        *first = Some(next);
    } else if second.is_none_or(|second| next.0 > second.0) {
        *second = Some(next);
    }
}

/// The forward steps of a place that nobody may have read.
pub(super) fn suspicious<'a>(
    usual: &Usual<'_>,
    at: &TopicPartition,
    place: &'a PlaceHistory,
) -> Vec<(Step<'a>, Signs)> {
    let read_alone = read_alone(place);
    let judged = steps(place).filter(Step::is_forward).map(|step| {
        let is_alone = step.is_alone() && !read_alone.contains(&step.number);
        let signs = Signs {
            by_hand: is_alone && usual.ever_members,
            never_members: is_alone && !usual.ever_members,
            no_epoch: lost_epoch(place, &step),
            unusual: usual.is_exceeded_by(at, &step, !is_alone),
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

/// Whether the leader epoch is missing in this one move among others that carry it. While a group has members no tool
/// can move it: it is a member that left the epoch out then.
fn lost_epoch(place: &PlaceHistory, step: &Step<'_>) -> bool {
    let is_lost = step.from.leader_epoch.is_some() && step.to.leader_epoch.is_none();
    let text = &step.to.metadata;
    if !is_lost
        || step.here.had_members == Some(true)
        || !(text.is_empty() || *text == step.from.metadata)
    {
        return false;
    }
    let carries = |step: &CommitMove| {
        let to = step.to.as_ref();
        to.is_some_and(|to| to.leader_epoch.is_some())
    };
    // A step's number is that of the move before it.
    let mut later = place.moves.iter().skip(step.number.saturating_add(2));
    if let Some(next) = later.next() {
        return carries(next);
    }
    let before = place.moves.iter().take(step.number.saturating_add(1));
    before.filter(|step| carries(step)).count() >= 2
}

/// What of the stretch of `jump`, one of `jumps`, no other step has read or passed over: as stretches without their last
/// offsets. What lies before the first committed offset that is known was passed before there was a history.
pub(super) fn never_read(
    place: &PlaceHistory,
    jump: &Step<'_>,
    jumps: &[(Step<'_>, Signs)],
) -> Vec<(Offset, Offset)> {
    let first = place.moves.iter().find_map(|step| step.to.as_ref());
    let first = first.map_or(jump.from.offset, |first| first.offset);
    let mut left = vec![(jump.from.offset.max(first), jump.to.offset)];
    let others = steps(place).filter(|step| {
        let is_jump = jumps.iter().any(|(other, _)| other.number == step.number);
        step.is_forward() && (!is_jump || step.number < jump.number)
    });
    for step in others {
        let (from, to) = (step.from.offset, step.to.offset);
        left = left
            .into_iter()
            .flat_map(|(first, last)| [(first, last.min(from)), (first.max(to), last)])
            .filter(|(first, last)| first < last)
            .collect();
    }
    left.retain(|(first, last)| first < last);
    left
}
