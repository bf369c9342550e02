//! Why the plan cannot be applied yet, and what is sent when it can. Pure.

use std::sync::Arc;

use crate::engine::{ApplyRequest, RewindView, Run};
use crate::rewind::guard::{self, Confirmed, Guard, GuardKind, Outcome};
use crate::rewind::plan::Plan;

use super::super::state::rewind::RewindState;
use super::words;

/// What decides whether the plan may be applied.
#[derive(Clone, Copy)]
pub struct Ready<'a> {
    /// What the person asked for and confirmed.
    pub state: &'a RewindState,
    /// The plan at hand and its guards.
    pub view: &'a RewindView,
    /// The plan, once it is the one that was asked for.
    pub plan: Option<&'a Arc<Plan>>,
    /// Whether the cluster is production.
    pub production: bool,
}

impl Ready<'_> {
    /// What was confirmed: words of guards, and the group's name once it is typed as it is.
    pub fn confirmed(&self) -> Confirmed {
        let mut confirmed = self.state.confirmed.clone();
        let typed = self.state.name.trim();
        let is_asked = |guard: &Guard| guard.confirm_with.as_deref() == Some(typed);
        if !typed.is_empty() && self.view.guards.iter().any(is_asked) {
            confirmed.insert(typed.to_owned());
        }
        confirmed
    }

    /// Whether own words are asked for: in production, when records run a second time.
    pub fn wants_words(&self) -> bool {
        self.production && self.plan.is_some_and(|plan| plan.totals().again > 0)
    }

    /// Why it cannot be applied at once; `None` when it can.
    pub fn why_not_now(&self) -> Option<String> {
        self.why_not(|_| false)
    }

    /// Why one cannot wait for the first moment without members; `None` when one can.
    pub fn why_not_wait(&self) -> Option<String> {
        // Those that only an empty group can pass are looked at in that moment.
        let blocked = self.why_not(|guard| match guard.kind {
            GuardKind::NoMembers => guard.outcome == Outcome::Failed,
            GuardKind::NoHiddenReader => guard.outcome == Outcome::Unknown,
            _ => false,
        });
        let members = self.guard(GuardKind::NoMembers);
        let is_empty = members.is_some_and(|guard| guard.outcome == Outcome::Passed);
        blocked.or_else(|| is_empty.then(|| "it is empty: apply it now".to_owned()))
    }

    fn guard(&self, kind: GuardKind) -> Option<&Guard> {
        self.view.guards.iter().find(|guard| guard.kind == kind)
    }

    fn why_not(&self, later: impl Fn(&Guard) -> bool) -> Option<String> {
        if let Some(problem) = self.state.draft.problem() {
            return Some(problem);
        }
        if self.state.request.is_none() {
            return Some("nothing is planned yet".to_owned());
        }
        if self.state.drag.is_some() {
            return Some("let the flag go first".to_owned());
        }
        let Some(plan) = self.plan else {
            let is_problem = matches!(self.view.plan, Some(Err(_)))
                && self.state.is_answered_by(self.view.plan_number);
            return Some(if is_problem {
                "there is no plan".to_owned()
            } else {
                "the plan is being worked out".to_owned()
            });
        };
        match self.view.run {
            Run::Waiting { .. } | Run::Applying => {
                return Some("a plan is being applied".to_owned());
            }
            Run::Idle | Run::Ended(_) => {}
        }
        if plan.totals().changed == 0 {
            return Some("nothing would move".to_owned());
        }
        if self.view.guards.is_empty() {
            return Some("what must hold is being looked at".to_owned());
        }
        let confirmed = self.confirmed();
        let blocking = guard::blocking(&self.view.guards, &confirmed);
        // What failed is more than what is only to be confirmed.
        let rank = |guard: &&Guard| match guard.outcome {
            Outcome::Failed => 0,
            Outcome::Unknown => 1,
            Outcome::Passed | Outcome::Confirm => 2,
        };
        let first = blocking
            .into_iter()
            .filter(|guard| !later(guard))
            .min_by_key(rank);
        if let Some(guard) = first {
            let title = words::guard_title(guard.kind);
            return Some(match guard.outcome {
                Outcome::Confirm => format!("to confirm: {title}"),
                Outcome::Unknown => format!("cannot be known yet: {title}"),
                Outcome::Passed | Outcome::Failed => guard.detail.clone(),
            });
        }
        if self.wants_words() && self.state.words.trim().is_empty() {
            return Some("write in your own words what runs a second time".to_owned());
        }
        None
    }

    /// What is sent to apply the plan, now or within a time.
    pub fn request(&self, wait_ms: Option<i64>) -> ApplyRequest {
        ApplyRequest {
            plan_id: self.view.plan_id.clone(),
            confirmed: self.confirmed(),
            words: self.state.words.trim().to_owned(),
            wait_ms,
        }
    }
}

#[cfg(test)]
mod tests;
