//! Raw connections to brokers: kept for the next question, and few to each broker.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::bus::wire::{Connection, Question};
use crate::model::{Broker, BrokerId, Known, Problem, ProblemKind};

/// How many questions to one broker may be under way, each over a connection of its own.
const AT_ONCE: usize = 4;
/// How long a question may take, getting there included. Waiting for a free connection does not count.
pub(super) const DEADLINE: Duration = Duration::from_secs(5);

/// The connections to all brokers.
#[derive(Default)]
pub(super) struct Lines(Mutex<HashMap<BrokerId, Arc<Line>>>);

/// The connections to one broker.
struct Line {
    address: String,
    turns: Semaphore,
    idle: Mutex<Vec<Connection>>,
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
        let asking = line.ask(question, deadline);
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
    /// A connection is put back only after an answer: one that is given up half-way would give the next question the
    /// answer to this one.
    async fn ask<Q: Question>(&self, question: &Q, deadline: Duration) -> Known<Q::Answer> {
        let kept = self.idle.lock().pop();
        if let Some(mut connection) = kept {
            let answer = connection.ask(question).await;
            match answer {
                // The broker closes what was idle for long, and forgets everything when it starts again; so do those
                // that were kept with it.
                Err(problem) if problem.kind == ProblemKind::Unreachable => {
                    self.idle.lock().clear();
                }
                answer => return self.put_back(connection, answer),
            }
        }
        let mut connection = Connection::open(&self.address, deadline).await?;
        let answer = connection.ask(question).await;
        self.put_back(connection, answer)
    }

    fn put_back<T>(&self, connection: Connection, answer: Known<T>) -> Known<T> {
        let usable = match &answer {
            Ok(_) => true,
            Err(problem) => problem.kind == ProblemKind::Unsupported,
        };
        if usable {
            self.idle.lock().push(connection);
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
