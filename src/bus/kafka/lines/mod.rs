//! Raw connections to brokers: kept for the next question, and few to each broker.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::bus::wire::{Connection, Question};
use crate::model::{Broker, BrokerId, Known, Problem, ProblemKind};

/// How many questions to one broker may be under way, each over a connection of its own.
const AT_ONCE: usize = 4;
/// How long a question may take, getting there included. Waiting for a free connection does not count.
pub(super) const DEADLINE: Duration = Duration::from_secs(5);

/// The longest that a broker's wish to be left alone is heeded.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The connections to all brokers.
#[derive(Default)]
pub(super) struct Lines(Mutex<HashMap<BrokerId, Arc<Line>>>);

/// The connections to one broker.
struct Line {
    address: String,
    turns: Semaphore,
    idle: Mutex<Vec<Kept>>,
}

/// A connection that waits for its next question.
struct Kept {
    connection: Connection,
    /// Until when the broker answers nothing over it.
    quiet_until: Instant,
}

impl Lines {
    /// Asks a broker and waits up to `deadline` for its answer.
    ///
    /// # Errors
    /// It cannot be reached, does not answer in time, or does not know the question.
    pub(super) async fn ask<Q: Question>(
        &self,
        broker: &Broker,
        question: &Q,
        deadline: Duration,
    ) -> Known<Q::Answer> {
        let line = self.line(broker);
        let _turn = line.turns.acquire().await;
        let kept = line.kept();
        if let Some(kept) = &kept {
            // The broker would not answer before, and is not silent for that.
            tokio::time::sleep_until(kept.quiet_until).await;
        }
        let asking = line.ask(kept, question, deadline);
        match tokio::time::timeout(deadline, asking).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(Problem::new(
                ProblemKind::TimedOut,
                format!("no answer within {} s", deadline.as_secs()),
            )),
        }
    }

    /// The line to a broker, a new one when it has moved.
    fn line(&self, broker: &Broker) -> Arc<Line> {
        let address = address(broker);
        let mut lines = self.0.lock();
        if let Some(line) = lines.get(&broker.id).filter(|line| line.address == address) {
            return Arc::clone(line);
        }
        let line = Arc::new(Line {
            address,
            turns: Semaphore::new(AT_ONCE),
            idle: Mutex::default(),
        });
        lines.insert(broker.id, Arc::clone(&line));
        line
    }
}

impl Line {
    /// A connection that is left from an earlier question: one over which the broker answers already, or else the one
    /// over which it does first.
    fn kept(&self) -> Option<Kept> {
        let mut idle = self.idle.lock();
        let soonest = idle
            .iter()
            .enumerate()
            .min_by_key(|(_, kept)| kept.quiet_until);
        let index = soonest.map(|(index, _)| index)?;
        Some(idle.swap_remove(index))
    }

    /// A connection is kept only after an answer: one that is given up half-way would give the next question the
    /// answer to this one.
    async fn ask<Q: Question>(
        &self,
        kept: Option<Kept>,
        question: &Q,
        deadline: Duration,
    ) -> Known<Q::Answer> {
        if let Some(Kept { mut connection, .. }) = kept {
            let answer = connection.ask(question).await;
            match answer {
                // The broker closes what was idle for long, and forgets everything when it starts again; so do those
                // that were kept with it.
                Err(problem) if problem.kind == ProblemKind::Unreachable => {
                    self.idle.lock().clear();
                }
                answer => return self.keep::<Q>(connection, answer),
            }
        }
        let mut connection = Connection::open(&self.address, deadline).await?;
        let answer = connection.ask(question).await;
        self.keep::<Q>(connection, answer)
    }

    fn keep<Q: Question>(
        &self,
        connection: Connection,
        answer: Known<Q::Answer>,
    ) -> Known<Q::Answer> {
        let pause = match &answer {
            Ok(answer) => Q::pause(answer),
            Err(problem) if problem.kind == ProblemKind::Unsupported => Duration::ZERO,
            Err(_) => return answer,
        };
        let now = Instant::now();
        // A time that does not fit is one that nobody waits for.
        if let Some(quiet_until) = now.checked_add(pause.min(LONGEST_PAUSE)) {
            let kept = Kept {
                connection,
                quiet_until,
            };
            self.idle.lock().push(kept);
        }
        answer
    }
}

/// `host:port` of a broker, as a connection takes it.
fn address(broker: &Broker) -> String {
    if broker.host.contains(':') {
        format!("[{}]:{}", broker.host, broker.port)
    } else {
        format!("{}:{}", broker.host, broker.port)
    }
}

#[cfg(test)]
mod tests;
