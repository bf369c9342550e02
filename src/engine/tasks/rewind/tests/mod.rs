//! The walk on a made-up bus: what it writes, what it refuses, and what is known when it breaks off.

mod broken_off;
mod bus;
mod on_screen;
mod walk;

use std::collections::BTreeSet;

use tokio::sync::watch;

use crate::engine::cancel::Cancel;
use crate::engine::changing::{Applied, Ended, RewindReply, RewindRequest, Run};
use crate::model::Known;
use crate::rewind::guard::{GuardKind, Outcome};
use crate::rewind::target::{Part, PlanRequest, Scope, Target};

use bus::{World, group};

fn plan(target: Target) -> PlanRequest {
    PlanRequest {
        group: group(),
        parts: vec![Part {
            scope: Scope::Committed,
            target,
        }],
        left_out: BTreeSet::new(),
        new_group: false,
        with_metadata: false,
        undoes: None,
    }
}

/// Applied without watching for hidden readers, which is confirmed.
fn request(target: Target) -> RewindRequest {
    RewindRequest {
        plan: plan(target),
        only_cluster: None,
        execute: true,
        plan_id: None,
        confirmed: BTreeSet::from(["no_hidden_reader".to_owned()]),
        wait_ms: None,
        observe_ms: 0,
    }
}

async fn ask(world: &World, request: RewindRequest) -> Known<RewindReply> {
    let (tell, _heard) = watch::channel(Run::Idle);
    super::ask::rewind(&world.desk(), request, &Cancel::default(), &tell).await
}

fn applied(reply: &RewindReply) -> &Applied {
    match &reply.ended {
        Some(Ended::Applied(applied)) => applied,
        other => panic!("{other:?} {:?}", reply.guards),
    }
}

fn refused(reply: &RewindReply) -> &str {
    match &reply.ended {
        Some(Ended::Refused(problem)) => &problem.message,
        other => panic!("{other:?}"),
    }
}

fn outcome(reply: &RewindReply, kind: GuardKind) -> Outcome {
    let found = reply.guards.iter().find(|guard| guard.kind == kind);
    found.unwrap().outcome
}
