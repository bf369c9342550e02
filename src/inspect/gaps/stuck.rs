//! G16: groups that stand still while records wait; G17: groups that cannot get past one record.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Certainty, Fact, Finding, FindingKind, Group, Member, Offset, RecordHead, TimestampMs,
    TopicPartition,
};

use super::Questions;
use super::finding::Draft;
use super::view::{Stand, Unmoved, View};
use super::words::{duration, events, number, place};

/// A group without members that moved within this time was meant to read.
const RECENTLY_MS: i64 = 7 * 86_400_000;

/// A place that has not moved, or of which that is not known, though there is something to read.
struct Still<'a> {
    stand: Stand<'a>,
    unmoved: Option<Unmoved>,
    unmoved_ms: Option<i64>,
    /// The end of the log when the group last moved there.
    end_then: Option<Offset>,
}

/// A place where a record has waited for long enough.
struct Waiting<'a> {
    still: Still<'a>,
    /// The next record.
    head: RecordHead,
    /// The next one that careful readers are given, where that is known.
    careful: Option<Offset>,
}

impl Waiting<'_> {
    fn next(&self) -> Offset {
        self.careful.unwrap_or(self.head.offset)
    }
}

pub(super) fn questions(view: &View<'_>, questions: &mut Questions) {
    for still in candidates(view) {
        let (at, committed) = (&still.stand.place.at, still.stand.committed);
        view.ask_head(questions, at, committed);
        if let Some(Some(head)) = view.head(at, committed)
            && has_waited(view, &still, head)
        {
            let place = (at.clone(), committed);
            if !view.facts.careful.contains_key(&place) {
                questions.careful.insert(place);
            }
        }
    }
}

/// The places with something to read for careful readers too that have not moved for as long as the rule says, or of
/// which nothing is known.
fn candidates<'a>(view: &View<'a>) -> Vec<Still<'a>> {
    let stands = view.stands().filter(|stand| {
        let partition = view.partition(&stand.place.at);
        let stable = partition.and_then(|partition| partition.last_stable.as_ref().ok());
        let readable = stable.map_or(stand.end, |stable| stand.end.min(*stable));
        stand.committed >= stand.start && stand.committed < readable
    });
    let still = stands.map(|stand| {
        let at = &stand.place.at;
        let unmoved_ms = |unmoved: &Unmoved| view.facts.now.since_ms(unmoved.since);
        let unmoved = view.unmoved(stand.name(), at, stand.committed);
        // Where no move was seen, a short time of looking says nothing.
        let unmoved = unmoved
            .filter(|unmoved| unmoved.has_moved || unmoved_ms(unmoved) >= view.rules.stuck_ms);
        let history = view.history(stand.name(), at);
        Still {
            stand,
            unmoved_ms: unmoved.as_ref().map(unmoved_ms),
            unmoved,
            end_then: history.and_then(|place| place.moves.last()?.end),
        }
    });
    still
        .filter(|still| still.unmoved_ms.is_none_or(|ms| ms >= view.rules.stuck_ms))
        .collect()
}

/// Whether the next record has been there for as long as the rule says.
fn has_waited(view: &View<'_>, still: &Still<'_>, head: &RecordHead) -> bool {
    let (now, rule) = (view.facts.now, view.rules.stuck_ms);
    // The end at the last move is as old as that.
    let was_there =
        still.unmoved_ms.is_some() && still.end_then.is_some_and(|end| end > head.offset);
    // A record may be dated back: copies keep their times.
    let came_since = view
        .remembered_end(&still.stand.place.at)
        .is_some_and(|(seen, end)| end <= still.stand.committed && now.since_ms(seen) < rule);
    let is_old = head
        .timestamp
        .is_some_and(|time| now.since_ms(time) >= rule);
    was_there || is_old && !came_since
}

fn waiting<'a>(view: &View<'_>, still: Still<'a>) -> Option<Waiting<'a>> {
    let (at, committed) = (&still.stand.place.at, still.stand.committed);
    let head = (*view.head(at, committed)?)?;
    if !has_waited(view, &still, &head) {
        return None;
    }
    let careful = match view.facts.careful.get(&(at.clone(), committed)) {
        // All that lies there was withdrawn, and whoever reads carefully has nothing to do.
        Some(Ok(None)) => return None,
        Some(Ok(Some(offset))) => Some(*offset),
        Some(Err(_)) | None => None,
    };
    Some(Waiting {
        still,
        head,
        careful,
    })
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut by_group: BTreeMap<&[u8], Vec<Waiting<'_>>> = BTreeMap::new();
    for still in candidates(view) {
        let name = still.stand.group.listing.name.as_bytes();
        if let Some(waiting) = waiting(view, still) {
            by_group.entry(name).or_default().push(waiting);
        }
    }
    let mut findings = Vec::new();
    for waiting in by_group.into_values() {
        let Some(group) = waiting.first().map(|first| first.still.stand.group) else {
            continue;
        };
        let assigned = Assigned::of(group);
        let poisoned = poisoned(view, &assigned, &waiting);
        for waiting in &waiting {
            if poisoned.contains(&waiting.still.stand.place.at) {
                findings.extend(poison(view, waiting));
            } else {
                findings.extend(stuck(view, waiting, &assigned));
            }
        }
    }
    findings
}

/// Which partitions the members of a group are to read.
struct Assigned<'a> {
    members: Vec<(&'a Member, BTreeSet<TopicPartition>)>,
}

impl<'a> Assigned<'a> {
    fn of(group: &'a Group) -> Self {
        let members = group.members.as_ref().ok();
        let members = members.and_then(|members| members.members.as_ref().ok());
        let partitions = |member: &Member| {
            let given = member.assignment.iter().flat_map(|given| {
                given.partitions.iter().map(|partition| TopicPartition {
                    topic: given.topic.clone(),
                    partition: *partition,
                })
            });
            given.collect()
        };
        let members = members.into_iter().flatten();
        Self {
            members: members.map(|member| (member, partitions(member))).collect(),
        }
    }

    /// Who is to read a partition.
    fn reader(&self, at: &TopicPartition) -> Option<&'a Member> {
        let mut members = self.members.iter();
        let found = members.find(|(_, partitions)| partitions.contains(at));
        found.map(|(member, _)| *member)
    }

    /// Whether members are given partitions, and nobody this one. In the middle of sharing out anew nobody is given any.
    fn is_left_out(&self, at: &TopicPartition) -> bool {
        let any = self
            .members
            .iter()
            .any(|(_, partitions)| !partitions.is_empty());
        any && self.reader(at).is_none()
    }
}

/// The partitions that stand still of members whose other partitions move.
fn poisoned(
    view: &View<'_>,
    assigned: &Assigned<'_>,
    waiting: &[Waiting<'_>],
) -> BTreeSet<TopicPartition> {
    let mut found = BTreeSet::new();
    let Some(first) = waiting.first() else {
        return found;
    };
    let stand = &first.still.stand;
    let histories = view.facts.history.groups.get(stand.name());
    let moves = |at: &&TopicPartition| {
        let place = histories.and_then(|history| history.places.get(*at));
        let last = place.and_then(|place| {
            let moved = view.is_logged() || place.moves.len() > 1;
            place.moves.last().filter(|_| moved)
        });
        last.is_some_and(|last| view.facts.now.since_ms(last.at) < view.rules.stuck_ms)
    };
    for (_, partitions) in &assigned.members {
        let frozen: Vec<&TopicPartition> = waiting
            .iter()
            .filter(|waiting| waiting.still.unmoved_ms.is_some())
            .map(|waiting| &waiting.still.stand.place.at)
            .filter(|at| partitions.contains(at))
            .collect();
        let moving = partitions.iter().filter(moves).count();
        if moving > 0 && frozen.len() <= moving {
            found.extend(frozen.into_iter().cloned());
        }
    }
    found
}

fn draft(kind: FindingKind, waiting: &Waiting<'_>) -> Draft {
    let Waiting {
        still,
        head,
        careful,
    } = waiting;
    let unmoved = still.unmoved;
    Draft::new(kind, still.stand.concerns())
        .at(&still.stand.place.at)
        .because("committed_offset", Fact::Number(still.stand.committed.0))
        .because("high_watermark", Fact::Number(still.stand.end.0))
        .because(
            "next_record",
            Fact::Record(still.stand.place.at.clone(), head.offset),
        )
        .because(
            "next_for_careful_readers",
            careful.map_or(Fact::Unknown, |offset| Fact::Number(offset.0)),
        )
        .because(
            "unmoved_since",
            unmoved.map_or(Fact::Unknown, |unmoved| Fact::Time(unmoved.since)),
        )
        .because(
            "move_was_seen",
            Fact::Flag(unmoved.is_some_and(|unmoved| unmoved.has_moved)),
        )
        .because(
            "unmoved_ms",
            still.unmoved_ms.map_or(Fact::Unknown, Fact::Number),
        )
}

fn poison(view: &View<'_>, waiting: &Waiting<'_>) -> Option<Finding> {
    let still = &waiting.still;
    let stand = &still.stand;
    let (name, at) = (stand.name().lossy(), place(&stand.place.at));
    let behind = stand.end.since(stand.committed)?;
    let next = waiting.next();
    let sentence = format!(
        "{name} has not got past one event, {at} offset {}, for {}, while the other partitions of the same member move; {} wait.",
        number(next.0),
        duration(still.unmoved_ms?),
        events(behind)
    );
    let finding = draft(FindingKind::PoisonPill, waiting)
        .offsets(next, next)
        .certainty(Certainty::Strong)
        .because(
            "waiting",
            Fact::Number(i64::try_from(behind).unwrap_or(i64::MAX)),
        )
        .with(|finding| {
            finding.records = Some(1);
            finding.from_time = still.unmoved.map(|unmoved| unmoved.since);
            finding.to_time = Some(view.facts.now);
        });
    let next_step = format!(
        "Look at this event and at the member's log; to pass it, write it to a file, stop {name} and move its bookmark in {at} to {}.",
        number(next.next().0)
    );
    Some(finding.say(&stand.committed.0.to_string(), sentence, &next_step))
}

/// What is said of a group that stands still: how sure, what, and what to do.
fn said(
    view: &View<'_>,
    waiting: &Waiting<'_>,
    is_left_out: bool,
    waited_ms: Option<i64>,
) -> Option<(Certainty, String, String)> {
    let Waiting { still, .. } = waiting;
    let stand = &still.stand;
    let behind = events(stand.end.since(stand.committed)?);
    let (name, at) = (stand.name().lossy(), place(&stand.place.at));
    let topic = &stand.place.at.topic;
    let told = match (stand.has_members(), still.unmoved_ms) {
        (Some(true), Some(unmoved_ms)) if is_left_out => (
            Certainty::Hint,
            format!(
                "{behind} wait for {name} in {at}, but none of its members is given this partition, and it has not moved for {}.",
                duration(unmoved_ms)
            ),
            format!(
                "Ask {name}'s owner whether it still means to read {topic}; if it does, look why nobody is given {at}."
            ),
        ),
        (Some(true), Some(unmoved_ms)) => (
            Certainty::Strong,
            format!(
                "{behind} wait for {name} in {at}, but it has not moved for {}.",
                duration(unmoved_ms)
            ),
            format!(
                "Look at the log of {name}'s member that reads {at}: it may be working on one event, waiting for another system, or paused."
            ),
        ),
        (Some(true), None) if view.rules.once && !is_left_out => (
            Certainty::Hint,
            format!(
                "{behind} wait for {name} in {at}, the oldest for {}; nothing is known yet of whether it moves.",
                duration(waited_ms?)
            ),
            "Look again in a few minutes: by then it is known whether it moves.".to_owned(),
        ),
        (Some(false), Some(unmoved_ms))
            if unmoved_ms < RECENTLY_MS
                && still.unmoved.is_some_and(|unmoved| unmoved.has_moved) =>
        {
            (
                Certainty::Hint,
                format!(
                    "Nobody reads for {name}: {behind} wait in {at}, and it last moved {} ago.",
                    duration(unmoved_ms)
                ),
                format!("Ask {name}'s owner whether it is meant to be off."),
            )
        }
        _ => return None,
    };
    Some(told)
}

fn stuck(view: &View<'_>, waiting: &Waiting<'_>, assigned: &Assigned<'_>) -> Option<Finding> {
    let still = &waiting.still;
    let stand = &still.stand;
    let now: TimestampMs = view.facts.now;
    let at = &stand.place.at;
    let waited_ms = waiting.head.timestamp.map(|time| now.since_ms(time));
    let is_left_out = assigned.is_left_out(at);
    let (certainty, sentence, next_step) = said(view, waiting, is_left_out, waited_ms)?;
    let history = view.history(stand.name(), at);
    let last = history.and_then(|place| Some((place.last_commit?, place.moves.last()?.at)));
    let burrow = match last {
        Some((commit, moved)) if commit > moved => Fact::Text("STALL".to_owned()),
        Some(_) => Fact::Text("STOP".to_owned()),
        None => Fact::Unknown,
    };
    let reader = assigned.reader(at);
    let behind = stand.end.since(stand.committed)?;
    let finding = draft(FindingKind::Stuck, waiting)
        .offsets(waiting.next(), stand.end.moved(-1)?)
        .certainty(certainty)
        .because("burrow", burrow)
        .because(
            "oldest_waits_ms",
            waited_ms.map_or(Fact::Unknown, Fact::Number),
        )
        .because(
            "member",
            reader.map_or(Fact::Unknown, |member| {
                Fact::Text(member.client_id.lossy().into_owned())
            }),
        )
        .because("assigned_to_nobody", Fact::Flag(is_left_out))
        .with(|finding| {
            finding.records = Some(behind);
            finding.from_time = still
                .unmoved
                .map(|unmoved| unmoved.since)
                .or(waiting.head.timestamp);
            finding.to_time = Some(now);
        });
    Some(finding.say(&stand.committed.0.to_string(), sentence, &next_step))
}
