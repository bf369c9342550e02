//! Plans as the engine would make them, for a window of the shop.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui_kittest::Harness;
use tideline::engine::{Command, RewindView, Run};
use tideline::model::{Bookmark, Member, Offset, Text, TimestampMs, Topic, TopicName};
use tideline::rewind::guard::{Guard, GuardKind, Outcome};
use tideline::rewind::plan::{Aim, Contents, Edge, Plan, Row, RowFacts, scope};
use tideline::rewind::target::{PlanRequest, Target};
use tideline::ui::App;

use crate::data;
use crate::fake::Fake;

/// The request that was sent last, with its number.
pub fn asked(fake: &Fake) -> Option<(u64, PlanRequest)> {
    fake.take()
        .into_iter()
        .rev()
        .find_map(|command| match command {
            Command::Plan(Some((number, request))) => Some((number, *request)),
            _ => None,
        })
}

/// The plan for `request` as the rules make it of the shop.
pub fn plan(fake: &Fake, request: &PlanRequest) -> Plan {
    let snapshot = fake.snapshot();
    let logs = data::logs();
    let commits: BTreeMap<Text, Vec<_>> = snapshot
        .inventory
        .groups()
        .iter()
        .filter_map(|group| {
            let commits = group.group.commits.clone().ok()?;
            Some((group.group.listing.name.clone(), commits))
        })
        .collect();
    let topics: BTreeMap<TopicName, Arc<Topic>> = snapshot
        .inventory
        .topics()
        .iter()
        .map(|topic| (Arc::clone(&topic.name), Arc::clone(topic)))
        .collect();
    let own = commits.get(&request.group).cloned().unwrap_or_default();
    let (wanted, problems) = scope(request, &own, &topics, &commits);
    let rows = wanted
        .iter()
        .map(|want| {
            let topic = &topics[&want.at.topic];
            let partition = topic
                .partitions
                .iter()
                .find(|partition| partition.id == want.at.partition)
                .unwrap();
            let commit = own.iter().find(|commit| commit.at == want.at);
            let log = logs.iter().find(|log| *log.at() == want.at).unwrap();
            let aim = match &want.target {
                Target::Time(time) => Some(Ok(log
                    .first_at(time.0)
                    .map_or(Aim::NoLaterRecord, |offset| Aim::Found(Offset(offset))))),
                Target::Group(name) => {
                    let other = commits[name].iter().find(|commit| commit.at == want.at);
                    Some(Ok(Aim::Bookmark(other.and_then(Bookmark::of))))
                }
                _ => None,
            };
            let facts = RowFacts {
                topic_id: None,
                log_start: partition.log_start.clone(),
                end: partition.high_watermark.clone(),
                committed: Ok(commit.and_then(Bookmark::of)),
                aim,
                retention_ms: Some(604_800_000),
            };
            let row = Row::new(want, facts, request.with_metadata);
            counted(row, log)
        })
        .collect();
    Plan::new(request, rows, problems, data::NOW)
}

/// The row with its records counted, where they are those of the shop's hour.
fn counted(row: Row, log: &data::Log) -> Row {
    let Some((from, to)) = row.stretch() else {
        return row;
    };
    let edge = |offset: i64| {
        log.time_of(offset).map(|time| Edge {
            at: Some(TimestampMs(time)),
            key: Some(bytes::Bytes::from(format!("o-{}", offset % 9_000 + 1_000))),
        })
    };
    let (Some(first), Some(last)) = (edge(from.0), edge(to.0 - 1)) else {
        return row;
    };
    row.with_contents(Contents {
        looked_at: true,
        records: to.since(from).unwrap(),
        exact: true,
        withdrawn: 0,
        out_of_order: Some(false),
        first: Some(first),
        last: Some(last),
        problem: None,
    })
}

/// All guards passed, but those given.
pub fn guards(others: &[(GuardKind, Outcome, &str, Option<&str>)]) -> Vec<Guard> {
    let usual = [
        (GuardKind::Exists, "billing exists, a classic group"),
        (GuardKind::Kind, "it is moved by its committed offsets"),
        (GuardKind::NoMembers, "it has no members"),
        (GuardKind::NoHiddenReader, "no bookmark moved for 11 s"),
        (GuardKind::Unchanged, "nothing else changed"),
        (GuardKind::Retention, "what runs again is kept for 6 d"),
        (GuardKind::Writable, "no profile locks it"),
        (GuardKind::Production, "it is on this machine"),
    ];
    usual
        .into_iter()
        .map(|(kind, detail)| {
            let other = others.iter().find(|other| other.0 == kind);
            other.map_or_else(
                || Guard {
                    kind,
                    outcome: Outcome::Passed,
                    detail: detail.to_owned(),
                    confirm_with: None,
                },
                |(_, outcome, detail, word)| Guard {
                    kind,
                    outcome: *outcome,
                    detail: (*detail).to_owned(),
                    confirm_with: word.map(str::to_owned),
                },
            )
        })
        .collect()
}

/// The two members of billing.
pub fn members() -> Vec<Member> {
    ["billing-7f9c", "billing-x2kd"]
        .into_iter()
        .zip(["/10.0.2.4", "/10.0.2.9"])
        .map(|(client, host)| Member {
            member_id: Text::from(client),
            client_id: Text::from(client),
            host: Text::from(host),
            instance_id: None,
            assignment: vec![],
        })
        .collect()
}

/// Answers the plan that was asked for last, with `guards`; the plan.
pub fn answer(harness: &mut Harness<'static, App>, fake: &Fake, guards: Vec<Guard>) -> Arc<Plan> {
    // What is told is told at most every so often.
    harness.run_steps(2);
    let (number, request) = asked(fake).expect("a plan was asked for");
    let plan = Arc::new(plan(fake, &request));
    let shown = Arc::clone(&plan);
    fake.change(move |snapshot| {
        snapshot.rewind = Arc::new(RewindView {
            number,
            plan_number: number,
            plan: Some(Ok(shown)),
            plan_id: format!("plan-{number}"),
            counting: false,
            guards,
            members: members(),
            run: Run::Idle,
        });
    });
    harness.run();
    plan
}
