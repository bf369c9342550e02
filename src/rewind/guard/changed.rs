//! Whether a plan still means what it meant when it was made.

use std::collections::BTreeMap;

use crate::model::{Bookmark, Known, Offset, ProblemKind, TopicPartition};
use crate::rewind::plan::{Direction, Plan, Row, RowFacts, WarningKind};
use crate::rewind::words::offset as place;

/// Compares `plan` with what the bus has now. What the group's own members committed meanwhile, going forward, is
/// expected and changes nothing; what cannot be read for a moment is not taken for changed.
///
/// # Errors
/// What changed, in a sentence: the topic is another one or gone, a bookmark went back or vanished, the group
/// passed the place aimed at, or that place can no longer be read.
pub fn unchanged(plan: &Plan, fresh: &BTreeMap<TopicPartition, RowFacts>) -> Result<(), String> {
    for row in &plan.rows {
        let Ok(to) = &row.to else { continue };
        let Some(facts) = fresh.get(&row.at) else {
            return Err(format!("{} is gone", row.at));
        };
        check(row, to.as_ref(), facts, plan.undoes.is_some())
            .map_err(|why| format!("{}: {why}", row.at))?;
    }
    Ok(())
}

fn check(row: &Row, to: Option<&Bookmark>, facts: &RowFacts, undoes: bool) -> Result<(), String> {
    if [&facts.log_start, &facts.end]
        .into_iter()
        .any(|end| matches!(end, Err(problem) if problem.kind == ProblemKind::NotFound))
    {
        return Err("the topic or partition is gone".to_owned());
    }
    if let (Some(then), Some(now)) = (&row.topic_id, &facts.topic_id)
        && then != now
    {
        return Err("the topic was made anew since the plan was made".to_owned());
    }
    if let Some(to) = to.map(|to| to.offset) {
        can_be_read(row, to, facts)?;
    }
    let committed = facts
        .committed
        .as_ref()
        .map_err(|problem| format!("where the group stands is not known: {problem}"))?;
    let from = row.from.as_ref().ok().and_then(Option::as_ref);
    bookmark(row, from, to, committed.as_ref(), undoes)
}

fn can_be_read(row: &Row, to: Offset, facts: &RowFacts) -> Result<(), String> {
    // A place that could not be read when the plan was made was accepted as it is.
    let was = |bound: &Known<Offset>, holds: fn(Offset, Offset) -> bool| {
        bound.as_ref().is_ok_and(|bound| holds(*bound, to))
    };
    if was(&facts.log_start, |start, to| start > to) && !was(&row.log_start, |start, to| start > to)
    {
        return Err(format!(
            "{} was deleted since the plan was made: the log starts beyond it",
            place(to)
        ));
    }
    if was(&facts.end, |end, to| end < to) && !was(&row.end, |end, to| end < to) {
        return Err(format!("the log ends before {} by now", place(to)));
    }
    Ok(())
}

fn bookmark(
    row: &Row,
    from: Option<&Bookmark>,
    to: Option<&Bookmark>,
    now: Option<&Bookmark>,
    undoes: bool,
) -> Result<(), String> {
    let (then, now) = match (from, now) {
        (Some(then), Some(now)) => (then.offset, now.offset),
        (Some(_), None) => {
            return Err("the group's bookmark is gone since the plan was made".to_owned());
        }
        (None, Some(now)) => {
            return Err(format!(
                "the group has committed {} since the plan was made, where it had no bookmark",
                place(now.offset)
            ));
        }
        (None, None) => return Ok(()),
    };
    if now < then {
        return Err(format!(
            "the bookmark went back from {} to {} since the plan was made: somebody else moves this group",
            place(then),
            place(now)
        ));
    }
    if now == then {
        return Ok(());
    }
    let went_on = || {
        format!(
            "the group went on from {} to {} since the plan was made, so giving its old bookmark back no longer undoes the change",
            place(then),
            place(now)
        )
    };
    match to.map(|to| to.offset) {
        None => Err(went_on()),
        Some(to) if undoes && to < then => Err(went_on()),
        Some(to) if now > to && (then < to || (then == to && meant_the_end(row, to))) => {
            Err(format!(
                "the group went on from {} to {} and passed {}, where it was to be put",
                place(then),
                place(now),
                place(to)
            ))
        }
        Some(_) => Ok(()),
    }
}

/// Whether a row that stays at the end of its log stays there because the end itself was asked for: records that
/// came later are then not to be read again. Of a time without a later record they are.
fn meant_the_end(row: &Row, to: Offset) -> bool {
    row.direction() == Direction::Stay
        && row.end.as_ref().is_ok_and(|end| *end == to)
        && !row
            .warnings
            .iter()
            .any(|warning| warning.kind == WarningKind::NoLaterRecord)
}
