//! Everything that is missing on a bus, as one answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::decode::schema::Schemas;
use crate::engine::cancel::Cancel;
use crate::engine::event::{Coverage, PartitionCoverage};
use crate::engine::finding::{GapsReply, GapsRequest, VersionAt};
use crate::engine::tasks::lookups::Rate;
use crate::engine::tasks::rewind::Desk;
use crate::inspect::gaps::{self, EventRules, Rules, VersionRule};
use crate::model::{Finding, Known, Problem, ProblemKind, Text, Topic};

use super::is_asked_for;
use super::looker::{Looker, Read};
use super::silences;
use super::trail::{Span, Trail};

/// What the person is told meanwhile: what is read, and how much of it.
pub(in crate::engine) type Told = Arc<dyn Fn(&'static str, u64, Option<u64>) + Send + Sync>;

/// Looks once.
///
/// # Errors
/// Topics or groups cannot be listed, or the version's path is none.
pub(in crate::engine) async fn gaps(
    desk: Desk,
    (rate, schemas): (Rate, Arc<dyn Schemas>),
    request: &GapsRequest,
    cancel: &Cancel,
    told: &Told,
) -> Known<GapsReply> {
    let rules = event_rules(request)?;
    let read = Read::new(&desk).await?;
    let topics = in_scope(&read.topics, request);
    let now = desk.clock.now();
    let bus = Arc::clone(&desk.bus);
    let mut missing = absent_groups(&read, request);
    let absent = absent_topics(&read.topics, request);

    let mut looker = Looker::new(desk, rate);
    let telling = Arc::clone(told);
    let tell = move |commits| telling("commits", commits, None);
    let once = Rules {
        once: true,
        ..request.rules
    };
    let looked = looker.look(read, &once, cancel, Arc::new(tell)).await;
    missing.extend(looked.missing);
    let mut findings = looked.findings;
    let mut coverage = Coverage::default();

    // What concerns one group does not follow from records.
    if request.groups.is_empty() {
        let span = Span {
            from: request.from,
            to: request.to,
        };
        let mut trail = Trail::begin((bus.clone(), schemas), &topics, span, rules, now).await;
        let (telling, total) = (Arc::clone(told), trail.left());
        let tell = move |done| telling("records", done, Some(total));
        trail.advance(cancel, Arc::new(tell)).await?;
        findings.extend(trail.findings(now, &topics));
        coverage = trail.coverage();
        if request.from.is_none() && request.to.is_none() {
            let silences = silences::look(&*bus, rate, &topics, now, cancel).await;
            findings.extend(silences.findings);
            missing.extend(silences.missing);
        }
    }
    coverage.stopped_by = coverage.stopped_by.or_else(|| cancel.reason());
    coverage.partitions.extend(absent);
    findings.retain(|finding| is_asked_for(finding, request));
    gaps::sort(&mut findings);
    coverage.matched = count(&findings);
    Ok(GapsReply {
        findings,
        coverage,
        history: looked.history.coverage.clone(),
        missing,
    })
}

fn count(findings: &[Finding]) -> u64 {
    u64::try_from(findings.len()).unwrap_or(u64::MAX)
}

/// How events are looked at.
///
/// # Errors
/// The path of the version is none.
pub(super) fn event_rules(request: &GapsRequest) -> Known<EventRules> {
    let version = match &request.version {
        None => None,
        Some(VersionAt::Path(path)) => Some(VersionRule::path(path)?),
        Some(VersionAt::Header(name)) => Some(VersionRule::header(name)),
    };
    Ok(EventRules {
        version,
        ..EventRules::default()
    })
}

/// The topics whose records are read.
pub(super) fn in_scope(topics: &[Arc<Topic>], request: &GapsRequest) -> Vec<Arc<Topic>> {
    let is_meant = |topic: &&Arc<Topic>| {
        if request.topics.is_empty() {
            !topic.internal
        } else {
            request.topics.contains(&topic.name)
        }
    };
    topics.iter().filter(is_meant).cloned().collect()
}

/// The topics that were named and are not there.
fn absent_topics(topics: &[Arc<Topic>], request: &GapsRequest) -> Vec<PartitionCoverage> {
    let there: BTreeSet<&str> = topics.iter().map(|topic| &*topic.name).collect();
    let absent = request
        .topics
        .iter()
        .filter(|name| !there.contains(&***name));
    absent
        .map(|name| PartitionCoverage {
            topic: Arc::clone(name),
            partition: None,
            from: None,
            to: None,
            next: None,
            complete: false,
            error: Some(Problem::new(
                ProblemKind::NotFound,
                "there is no such topic",
            )),
        })
        .collect()
}

/// The groups that were named and are not there.
fn absent_groups(read: &Read, request: &GapsRequest) -> Vec<Problem> {
    let there: BTreeSet<&Text> = read
        .groups
        .iter()
        .map(|group| &group.group.listing.name)
        .collect();
    let absent = request.groups.iter().filter(|name| !there.contains(name));
    absent
        .map(|name| {
            Problem::new(
                ProblemKind::NotFound,
                format!("there is no group {name} among those that could be listed"),
            )
        })
        .collect()
}
