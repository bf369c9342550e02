//! Making a plan of what is asked for and what the bus has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::{
    Commit, Known, Offset, Problem, ProblemKind, Text, Topic, TopicName, TopicPartition,
};
use crate::rewind::plan::{self, Plan, Row, RowFacts};
use crate::rewind::target::{PlanRequest, Target};

use super::Desk;
use super::reading::{self, GroupNow};

/// A plan and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) plan: Plan,
    pub(super) group: GroupNow,
    /// Where careful readers' part of each partition ends.
    pub(super) stable: BTreeMap<TopicPartition, Known<Offset>>,
}

/// Makes the plan; the records between its places are not looked at yet.
///
/// # Errors
/// What the plan as a whole rests on cannot be read, or the other group that it names does not exist.
pub(super) async fn make(desk: &Desk, request: &PlanRequest) -> Known<Made> {
    let bus = &*desk.bus;
    let read_at = desk.clock.now();
    let (group, others) = tokio::join!(GroupNow::read(bus, &request.group), others(desk, request));
    let others = others?;
    let commits = match &group.commits {
        Ok(commits) => commits.clone(),
        // Partitions that are named can be planned as far as their rows go; "all that is committed" cannot.
        Err(problem) if needs_commits(request) => return Err(problem.clone()),
        Err(_) => Vec::new(),
    };
    let known_others: BTreeMap<Text, Vec<Commit>> = others
        .iter()
        .filter_map(|(name, commits)| Some((name.clone(), commits.clone().ok()?)))
        .collect();
    let named = plan::named_topics(request, &commits, &known_others);
    let topics = reading::topics(bus, named).await?;
    let (wanted, problems) = plan::scope(request, &commits, &topics, &known_others);
    let facts = reading::facts(bus, &wanted, &group, &topics, &others).await;
    let rows = wanted
        .iter()
        .filter_map(|want| {
            let facts = facts.get(&want.at)?.clone();
            Some(Row::new(want, facts, request.with_metadata))
        })
        .collect();
    Ok(Made {
        plan: Plan::new(request, rows, problems, read_at),
        group,
        stable: stable(&topics),
    })
}

fn needs_commits(request: &PlanRequest) -> bool {
    request.parts.iter().any(|part| {
        part.scope == crate::rewind::target::Scope::Committed
            && !matches!(part.target, Target::Table(_) | Target::Before { .. })
    })
}

fn stable(topics: &BTreeMap<TopicName, Arc<Topic>>) -> BTreeMap<TopicPartition, Known<Offset>> {
    let partitions = topics.values().flat_map(|topic| {
        topic
            .partitions
            .iter()
            .map(|partition| (topic.at(partition.id), partition.last_stable.clone()))
    });
    partitions.collect()
}

/// The bookmarks of the groups whose places are aimed at.
async fn others(desk: &Desk, request: &PlanRequest) -> Known<BTreeMap<Text, Known<Vec<Commit>>>> {
    let names: BTreeSet<Text> = request
        .parts
        .iter()
        .filter_map(|part| match &part.target {
            Target::Group(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list = desk.bus.groups().await?;
    for name in &names {
        let listed = list.groups.iter().any(|listing| listing.name == *name);
        if !listed && list.missing.is_empty() {
            return Err(Problem::new(
                ProblemKind::NotFound,
                format!("there is no group {}", name.lossy()),
            ));
        }
    }
    let names: Vec<Text> = names.into_iter().collect();
    let commits = desk.bus.commits(names.clone()).await;
    Ok(names.into_iter().zip(commits).collect())
}

/// The facts of every row of `plan` as they are now, its targets left as they are.
pub(super) async fn again(
    desk: &Desk,
    plan: &Plan,
    group: &GroupNow,
) -> Known<BTreeMap<TopicPartition, RowFacts>> {
    let names: BTreeSet<TopicName> = plan
        .rows
        .iter()
        .map(|row| Arc::clone(&row.at.topic))
        .collect();
    let topics = reading::topics(&*desk.bus, names).await?;
    let bookmarks = group.bookmarks();
    let rows = plan.rows.iter().map(|row| {
        let committed = match &group.commits {
            Ok(_) => Ok(bookmarks.get(&row.at).cloned()),
            Err(problem) => Err(problem.clone()),
        };
        let facts = reading::row_facts(topics.get(&row.at.topic), &row.at, committed, None);
        (row.at.clone(), facts)
    });
    Ok(rows.collect())
}

/// The plan with the same places, from where the group stands now.
pub(super) fn from_now(plan: &Plan, fresh: &BTreeMap<TopicPartition, RowFacts>) -> Plan {
    let rows = plan.rows.iter().cloned();
    Plan {
        rows: rows
            .map(|row| match fresh.get(&row.at) {
                Some(facts) => row.from_now(facts),
                None => row,
            })
            .collect(),
        ..plan.clone()
    }
}
