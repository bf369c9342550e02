//! Findings as they appear and clear, for ever.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::decode::schema::Schemas;
use crate::engine::cancel::Cancel;
use crate::engine::finding::{FindingChange, GapsRequest};
use crate::engine::tasks::lookups::Rate;
use crate::engine::tasks::rewind::Desk;
use crate::inspect::gaps;
use crate::model::{Finding, Known, Problem, TimestampMs};

use super::changes::Changes;
use super::is_asked_for;
use super::looker::{Looker, Read};
use super::once::{event_rules, in_scope};
use super::silences;
use super::trail::{Span, Trail};

/// The rest between two looks, at least; and how many times as long as a look took.
const REST: Duration = Duration::from_secs(3);
const REST_FACTOR: u32 = 3;
/// How often silence is looked for.
const SILENCE_MS: i64 = 60_000;

/// What is told meanwhile.
pub(in crate::engine) enum Heard {
    /// Something changed.
    Change(Box<FindingChange>),
    /// Nothing can be looked at for now, and why; or it can again.
    Lost(Option<Problem>),
}

/// Looks again and again until `cancel` says so, and hands what changes to `tell`. What cannot be looked at for a while
/// is looked at as soon as it can be again; nothing clears meanwhile. What is normal is left out.
///
/// # Errors
/// The version's path is none.
pub(in crate::engine) async fn watch<T: Future<Output = ()>>(
    desk: Desk,
    (rate, schemas): (Rate, Arc<dyn Schemas>),
    request: &GapsRequest,
    cancel: &Cancel,
    mut tell: impl FnMut(Heard) -> T,
) -> Known<()> {
    event_rules(request)?;
    let mut watching = Watching {
        looker: Looker::new(desk.clone(), rate),
        changes: Changes::default(),
        trail: None,
        silent: None,
        rate,
        schemas,
    };
    let mut lost = false;
    while cancel.reason().is_none() {
        let started = Instant::now();
        let look = tokio::select! {
            look = watching.look(request, cancel) => look,
            () = cancel.cancelled() => break,
        };
        match look {
            Ok(changes) => {
                if std::mem::take(&mut lost) {
                    tell(Heard::Lost(None)).await;
                }
                for change in changes {
                    tell(Heard::Change(Box::new(change))).await;
                }
            }
            Err(problem) if !lost => {
                lost = true;
                tell(Heard::Lost(Some(problem))).await;
            }
            Err(_the_same_again) => {}
        }
        let rest = started.elapsed().saturating_mul(REST_FACTOR).max(REST);
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            () = cancel.cancelled() => {}
        }
    }
    Ok(())
}

struct Watching {
    looker: Looker,
    changes: Changes,
    trail: Option<Trail>,
    /// When silence was last looked for, and what was found.
    silent: Option<(TimestampMs, Vec<Finding>)>,
    rate: Rate,
    schemas: Arc<dyn Schemas>,
}

impl Watching {
    async fn look(&mut self, request: &GapsRequest, cancel: &Cancel) -> Known<Vec<FindingChange>> {
        let desk = self.looker.desk.clone();
        let read = Read::new(&desk).await?;
        let now = desk.clock.now();
        let topics = in_scope(&read.topics, request);
        let looked = self
            .looker
            .look(read, &request.rules, cancel, Arc::new(|_| {}))
            .await;
        let mut findings = looked.findings;
        let mut is_whole = looked.is_whole;
        if request.groups.is_empty() {
            let trail = if let Some(mut trail) = self.trail.take() {
                trail.reach(&topics);
                trail
            } else {
                let span = Span {
                    from: request.from,
                    to: request.to,
                };
                let around = (Arc::clone(&desk.bus), Arc::clone(&self.schemas));
                Trail::begin(around, &topics, span, event_rules(request)?, now).await
            };
            let trail = self.trail.insert(trail);
            let read = trail.advance(cancel, Arc::new(|_| {})).await;
            is_whole &= read.is_ok() && trail.coverage().is_complete();
            findings.extend(trail.event_findings(now, &topics));
            let is_due = |(at, _): &(TimestampMs, _)| now.since_ms(*at) >= SILENCE_MS;
            if self.silent.as_ref().is_none_or(is_due) {
                let found = silences::look(&*desk.bus, self.rate, &topics, now, cancel).await;
                self.silent = Some((now, found.findings));
            }
            findings.extend(self.silent.iter().flat_map(|(_, found)| found.clone()));
        }
        findings.retain(|finding| finding.wants_attention() && is_asked_for(finding, request));
        gaps::sort(&mut findings);
        Ok(self.changes.take(&findings, is_whole))
    }
}
