//! Changes: one question, asked once, of a client of its own.
//!
//! Where an answer does not come, what nobody waits for any more must not arrive later: a bookmark that moves
//! minutes after it was said that nothing is known would undo what was done meanwhile. So the client is thrown away
//! then, and whatever it had not sent yet goes with it.

use std::ffi::CStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rdkafka::config::RDKafkaLogLevel;

use crate::model::{Known, Problem, ProblemKind};

use super::super::errors;
use super::super::ffi::Code;
use super::super::ffi::admin::{Answer, Outcome, Question};
use super::{Asker, Control};

/// The key of the request `OffsetDelete`.
const OFFSET_DELETE: i16 = 47;
/// How often what brokers take is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long after a failure the coordinator is asked again.
const AGAIN: Duration = Duration::from_millis(200);
/// How long the rest of a broker's list may take once its beginning is there.
const REST: Duration = Duration::from_secs(1);

/// Why a change has no answer.
#[derive(Debug)]
pub(in crate::bus::kafka) enum NoAnswer {
    /// It was not sent.
    NotSent(Problem),
    /// It may have arrived or not.
    NotKnown(Problem),
}

impl Control {
    /// Sends a change to `group`, once, and waits for its answer, as long as for any other. Dropping the future gives
    /// it up: it may have arrived then, or else never will.
    pub(in crate::bus::kafka) async fn change(
        &self,
        group: &CStr,
        question: Question,
    ) -> Result<Answer, NoAnswer> {
        let asker = self.changer().map_err(NoAnswer::NotSent)?;
        self.find_coordinator(&asker, group)
            .await
            .map_err(NoAnswer::NotSent)?;
        if matches!(question, Question::DeleteCommits(..)) {
            self.takes_deletions(&asker)
                .await
                .map_err(NoAnswer::NotSent)?;
        }
        self.send_once(&asker, &question).await
    }

    pub(super) async fn send_once(
        &self,
        asker: &Asker,
        question: &Question,
    ) -> Result<Answer, NoAnswer> {
        let wait = self.deadlines.answer;
        let mut unanswered = Unanswered(Some(asker));
        let receiver = asker
            .ask(question, self.deadlines.coordinator.max(wait), None)
            .map_err(NoAnswer::NotSent)?;
        let not_known = |words: String| {
            NoAnswer::NotKnown(Problem::new(
                ProblemKind::TimedOut,
                format!("{words}: whether the change arrived is not known"),
            ))
        };
        let answer = match tokio::time::timeout(wait, receiver).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_closed)) => {
                return Err(not_known("the connection was closed".to_owned()));
            }
            Err(_elapsed) => {
                return Err(not_known(format!(
                    "no answer within {} s",
                    wait.as_secs_f32()
                )));
            }
        };
        match &answer {
            Answer::Failed(failure) if is_of_the_way(failure.code) => {
                Err(not_known(errors::problem_of(failure).message.to_string()))
            }
            Answer::Changed(Ok(outcomes)) if outcomes.iter().any(has_moved) => Ok(answer),
            _ => {
                unanswered.0 = None;
                Ok(answer)
            }
        }
    }

    /// Asks the group's coordinator something harmless until it answers. So where nobody coordinates the group it is
    /// known that nothing was sent; and librdkafka, which may wait for ever for a coordinator that a broker could not
    /// name at first, knows whom to send the change to.
    async fn find_coordinator(&self, asker: &Asker, group: &CStr) -> Known<()> {
        let begun = Instant::now();
        let harmless = Question::Commits(group.to_owned());
        let mut asked = FuturesUnordered::new();
        while begun.elapsed() < self.deadlines.answer {
            asked.push(asker.ask(&harmless, self.deadlines.coordinator, None)?);
            match tokio::time::timeout(self.deadlines.next_broker, asked.next()).await {
                Ok(Some(Ok(Answer::Failed(failure)))) if is_of_the_way(failure.code) => {
                    tokio::time::sleep(AGAIN).await;
                }
                Ok(Some(Ok(_))) => return Ok(()),
                Ok(Some(Err(_))) => return Err(super::being_renewed()),
                Ok(None) | Err(_) => {}
            }
        }
        asker.end();
        Err(Problem::new(
            ProblemKind::Retriable,
            "the group's coordinator does not answer; nothing was sent",
        ))
    }

    pub(super) fn changer(&self) -> Known<Arc<Asker>> {
        let mut changing = self.changing.lock();
        if let Some(asker) = changing.as_ref().filter(|asker| !asker.has_ended()) {
            return Ok(Arc::clone(asker));
        }
        let mut config = self.config.clone();
        // The only way to learn from librdkafka which requests brokers take.
        config.set("debug", "feature");
        config.set_log_level(RDKafkaLogLevel::Debug);
        let asker = Asker::start(&config)?;
        *changing = Some(Arc::clone(&asker));
        Ok(asker)
    }

    /// Whether brokers take `OffsetDelete`: when librdkafka 2.12 is to send it to one that does not, it aborts the
    /// process (librdkafka issue 3663).
    async fn takes_deletions(&self, asker: &Asker) -> Known<()> {
        let begun = Instant::now();
        let mut first = None;
        loop {
            let offered = asker.context.offered();
            if offered.contains(&OFFSET_DELETE) {
                return Ok(());
            }
            if !offered.is_empty() && first.get_or_insert_with(Instant::now).elapsed() > REST {
                return Err(Problem::new(
                    ProblemKind::Unsupported,
                    "the broker cannot delete committed offsets",
                ));
            }
            if begun.elapsed() > self.deadlines.answer {
                return Err(Problem::new(
                    ProblemKind::TimedOut,
                    "no broker said whether it can delete committed offsets",
                ));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Ends the client unless an answer came.
struct Unanswered<'a>(Option<&'a Asker>);

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if let Some(asker) = self.0 {
            asker.end();
        }
    }
}

/// Whether it went wrong on the way, so that a change may have arrived: what brokers say and what librdkafka refuses by
/// itself are sure, a connection that broke is not.
fn is_of_the_way(code: Code) -> bool {
    const INVALID_ARGUMENT: Code = Code(-186);
    const NOT_AUTHENTICATED: Code = Code(-169);
    const NOT_OFFERED: Code = Code(-165);
    const UNKNOWN_SERVER_ERROR: Code = Code(-1);
    let sure = [
        INVALID_ARGUMENT,
        NOT_AUTHENTICATED,
        NOT_OFFERED,
        UNKNOWN_SERVER_ERROR,
    ];
    code.0 < 0 && !sure.contains(&code)
}

/// Whether the group is coordinated elsewhere now: librdkafka would go on asking where it was.
fn has_moved(outcome: &Outcome) -> bool {
    matches!(outcome.code.0, 15 | 16)
}
