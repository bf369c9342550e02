//! Which partitions are meant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::{Commit, Problem, ProblemKind, Text, Topic, TopicName, TopicPartition};
use crate::rewind::target::{Part, PlanRequest, Scope, Target};

use super::Wanted;

/// The topics that have to be known before [`scope`] can be told: those that are named, and those in which the
/// group, or another one that is aimed at, has bookmarks.
pub fn named_topics(
    request: &PlanRequest,
    commits: &[Commit],
    others: &BTreeMap<Text, Vec<Commit>>,
) -> BTreeSet<TopicName> {
    let mut names = BTreeSet::new();
    for part in &request.parts {
        match &part.scope {
            Scope::Topic(name) | Scope::Partition(name, _) => {
                names.insert(Arc::clone(name));
            }
            Scope::Committed => {
                let places = committed(part, request, commits, others);
                names.extend(places.into_iter().map(|at| at.topic));
            }
        }
    }
    names
}

/// The partitions that are meant, each once and with its target, by topic and partition; and what was named
/// that is not there.
pub fn scope(
    request: &PlanRequest,
    commits: &[Commit],
    topics: &BTreeMap<TopicName, Arc<Topic>>,
    others: &BTreeMap<Text, Vec<Commit>>,
) -> (Vec<Wanted>, Vec<Problem>) {
    let mut wanted: BTreeMap<TopicPartition, Target> = BTreeMap::new();
    let mut problems = Vec::new();
    for part in &request.parts {
        let places = match &part.scope {
            Scope::Committed => {
                let places = committed(part, request, commits, others);
                if places.is_empty() {
                    problems.push(nowhere(part, request));
                }
                places
            }
            Scope::Topic(name) => match readable(name, topics) {
                Ok(topic) => topic
                    .partitions
                    .iter()
                    .map(|partition| topic.at(partition.id))
                    .collect(),
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            },
            Scope::Partition(name, number) => match readable(name, topics) {
                Ok(topic)
                    if topic
                        .partitions
                        .iter()
                        .any(|partition| partition.id == *number) =>
                {
                    vec![topic.at(*number)]
                }
                Ok(_) => {
                    problems.push(Problem::new(
                        ProblemKind::NotFound,
                        format!("topic {name} has no partition {number}"),
                    ));
                    continue;
                }
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            },
        };
        // A table or an entry speaks of the partitions it names, whatever the scope takes in beside them.
        let in_scope = !places.is_empty();
        let places: Vec<TopicPartition> = places
            .into_iter()
            .filter(|at| speaks_of(&part.target, at))
            .collect();
        if in_scope && places.is_empty() {
            problems.push(unnamed(part));
        }
        let places = places.into_iter();
        wanted.extend(places.map(|at| (at, part.target.clone())));
    }
    for left_out in &request.left_out {
        wanted.remove(left_out);
    }
    let wanted = wanted
        .into_iter()
        .map(|(at, target)| Wanted { at, target })
        .collect();
    problems.dedup();
    (wanted, problems)
}

fn speaks_of(target: &Target, at: &TopicPartition) -> bool {
    match target {
        Target::Table(rows) => rows.iter().any(|(named, _)| named == at),
        Target::Before { rows, .. } => rows.iter().any(|row| row.at == *at),
        _ => true,
    }
}

/// What is said where nothing is committed to go by.
fn nowhere(part: &Part, request: &PlanRequest) -> Problem {
    let why = match &part.target {
        Target::Table(_) => "the table names no partition".to_owned(),
        Target::Before { id, .. } => format!("the entry {id} changed nothing"),
        Target::Group(other) if request.new_group => {
            format!("the group {other} has no committed offset that could be copied")
        }
        _ => format!(
            "the group {} has no committed offset: name the topics that are meant",
            request.group
        ),
    };
    Problem::new(ProblemKind::Invalid, why)
}

/// What is said of a scope in which a table or an entry names nothing.
fn unnamed(part: &Part) -> Problem {
    let place = match &part.scope {
        Scope::Committed => "a partition".to_owned(),
        Scope::Topic(name) => format!("the topic {name}"),
        Scope::Partition(name, number) => format!("{name}/{number}"),
    };
    Problem::new(
        ProblemKind::NotFound,
        format!("{} does not name {place}", part.target.words()),
    )
}

fn readable<'a>(
    name: &TopicName,
    topics: &'a BTreeMap<TopicName, Arc<Topic>>,
) -> Result<&'a Arc<Topic>, Problem> {
    let gone = || Problem::new(ProblemKind::NotFound, format!("there is no topic {name}"));
    let topic = topics.get(name).ok_or_else(gone)?;
    match &topic.error {
        Some(problem) if problem.kind == ProblemKind::NotFound => Err(gone()),
        Some(problem) => Err(problem.within(&format!("topic {name}"))),
        None => Ok(topic),
    }
}

/// The partitions in which there is something to go by.
fn committed(
    part: &Part,
    request: &PlanRequest,
    commits: &[Commit],
    others: &BTreeMap<Text, Vec<Commit>>,
) -> Vec<TopicPartition> {
    let of = |commits: &[Commit]| -> Vec<TopicPartition> {
        commits
            .iter()
            .filter(|commit| !matches!(commit.offset, Ok(None)))
            .map(|commit| commit.at.clone())
            .collect()
    };
    match &part.target {
        Target::Table(rows) => rows.iter().map(|(at, _)| at.clone()).collect(),
        Target::Before { rows, .. } => rows.iter().map(|row| row.at.clone()).collect(),
        Target::Group(name) if request.new_group => others
            .get(name)
            .map_or_else(Vec::new, |commits| of(commits)),
        _ => of(commits),
    }
}
