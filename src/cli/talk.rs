//! One conversation with the engine: connect, ask, listen until the question is over.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use crate::engine::{
    Command, ConnectTarget, Engine, Event, EventKind, FindingChange, Link, Portion, Progress,
    Reply, Request, Run, StoppedBy, TaskId,
};
use crate::model::{Known, Problem, ProblemKind};

/// The only question of a conversation.
const TASK: TaskId = TaskId(1);
/// How long to wait for an event before looking at the time again.
const TICK: Duration = Duration::from_millis(200);
/// How long to wait before handing a command over that the engine was too busy to take.
const RETRY: Duration = Duration::from_millis(5);
/// How long the engine may take to accept a command, or to end a question that was given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The engine, or what stands for it in a test.
pub(super) trait Source {
    /// Hands a command over; `false` when it was not taken.
    fn send(&self, command: Command) -> bool;
    /// Waits up to `wait` for the next event.
    fn next_event(&self, wait: Duration) -> Option<Event>;
}

impl Source for Engine {
    fn send(&self, command: Command) -> bool {
        Link::send(self, command)
    }

    fn next_event(&self, wait: Duration) -> Option<Event> {
        self.next_event(wait)
    }
}

/// Who is told what comes before the answer.
pub(super) trait Listener {
    /// Takes records of the question.
    ///
    /// # Errors
    /// They cannot be written; the conversation ends.
    fn records(&mut self, portion: &Portion) -> io::Result<()>;
    /// Takes news of a change that waits for its moment.
    fn moving(&mut self, run: &Run);
    /// Takes a finding that has appeared or cleared.
    ///
    /// # Errors
    /// It cannot be written; the conversation ends.
    fn finding(&mut self, change: &FindingChange) -> io::Result<()>;
    /// Takes why nothing can be looked at for now; `None` when it can again.
    fn lost(&mut self, why: Option<&Problem>);
    /// Takes news of how far the question is.
    fn progress(&mut self, progress: &Progress);
}

/// How a conversation ended.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) answer: Answer,
    /// Why the question was given up, if it was: a person's wish goes before time that ran out.
    pub(super) given_up: Option<StoppedBy>,
}

#[derive(Debug)]
pub(super) enum Answer {
    /// The connection was not made.
    NotConnected(Problem),
    /// The question is over.
    Finished(Known<Reply>),
}

/// Connects to `target`, asks `request` and waits for its end, at most for `timeout`.
///
/// # Errors
/// `listener` could not write.
pub(super) fn ask(
    source: &impl Source,
    target: ConnectTarget,
    request: Request,
    timeout: Option<Duration>,
    listener: &mut impl Listener,
) -> io::Result<Ending> {
    let mut talk = Talk::new(timeout);
    talk.queue(Command::Connect(target));
    let mut request = Some(request);
    loop {
        talk.hand_over(source);
        if let Some(answer) = talk.look_at_clock() {
            return Ok(talk.ended(answer));
        }
        let Some(event) = source.next_event(talk.wait()) else {
            continue;
        };
        match event.kind {
            EventKind::Connected => {
                if let Some(request) = request.take() {
                    talk.connected = true;
                    talk.queue(Command::Ask(TASK, request));
                }
            }
            EventKind::ConnectFailed(problem) => {
                let answer = if talk.connected {
                    Answer::Finished(Err(problem))
                } else {
                    Answer::NotConnected(problem)
                };
                return Ok(talk.ended(answer));
            }
            EventKind::Interrupted => {
                if let Some(answer) = talk.interrupt() {
                    return Ok(talk.ended(answer));
                }
            }
            EventKind::Records(TASK, portion) => {
                if let Err(error) = listener.records(&portion) {
                    // Whether it is taken or not, the engine ends with this conversation.
                    let _taken = source.send(Command::Cancel(TASK, StoppedBy::Interrupt));
                    return Err(error);
                }
            }
            EventKind::Progress(TASK, progress) => listener.progress(&progress),
            EventKind::Moving(TASK, run) => listener.moving(&run),
            EventKind::Finding(TASK, change) => {
                if let Err(error) = listener.finding(&change) {
                    let _taken = source.send(Command::Cancel(TASK, StoppedBy::Interrupt));
                    return Err(error);
                }
            }
            EventKind::Lost(TASK, why) => listener.lost(why.as_ref()),
            EventKind::Finished(TASK, result) => {
                return Ok(talk.ended(Answer::Finished(result)));
            }
            EventKind::Records(..)
            | EventKind::Progress(..)
            | EventKind::Moving(..)
            | EventKind::Finding(..)
            | EventKind::Lost(..)
            | EventKind::Finished(..) => {}
        }
    }
}

/// Where a conversation stands.
struct Talk {
    connected: bool,
    interrupted: bool,
    timed_out: bool,
    deadline: Option<Instant>,
    /// Until when the engine must have ended the question, once it was given up.
    give_up: Option<Instant>,
    waiting: VecDeque<Command>,
    /// Since when the first of `waiting` was not taken.
    refused_since: Option<Instant>,
}

impl Talk {
    fn new(timeout: Option<Duration>) -> Self {
        Self {
            connected: false,
            interrupted: false,
            timed_out: false,
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            give_up: None,
            waiting: VecDeque::new(),
            refused_since: None,
        }
    }

    fn queue(&mut self, command: Command) {
        self.waiting.push_back(command);
    }

    fn hand_over(&mut self, source: &impl Source) {
        while let Some(command) = self.waiting.front() {
            if !source.send(command.clone()) {
                self.refused_since.get_or_insert_with(Instant::now);
                return;
            }
            self.waiting.pop_front();
            self.refused_since = None;
        }
    }

    fn wait(&self) -> Duration {
        if !self.waiting.is_empty() {
            return RETRY;
        }
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let deadline = self.deadline.filter(|_| !self.timed_out);
        deadline.map_or(TICK, |until| left(until).min(TICK))
    }

    /// Gives the question up when its time is over; returns an answer when there is nothing left to wait for.
    fn look_at_clock(&mut self) -> Option<Answer> {
        let now = Instant::now();
        if !self.timed_out && self.deadline.is_some_and(|deadline| now >= deadline) {
            self.timed_out = true;
            if !self.connected {
                return Some(Answer::NotConnected(Problem::new(
                    ProblemKind::TimedOut,
                    "the connection did not stand within the time allowed (--timeout)",
                )));
            }
            self.cancel(StoppedBy::Timeout);
        }
        let silent = self.give_up.is_some_and(|until| now >= until)
            || self
                .refused_since
                .is_some_and(|since| now.saturating_duration_since(since) >= PATIENCE);
        silent.then(|| self.unanswered())
    }

    fn interrupt(&mut self) -> Option<Answer> {
        let again = std::mem::replace(&mut self.interrupted, true);
        if again || !self.connected {
            return Some(self.unanswered());
        }
        self.cancel(StoppedBy::Interrupt);
        None
    }

    fn cancel(&mut self, reason: StoppedBy) {
        self.queue(Command::Cancel(TASK, reason));
        if self.give_up.is_none() {
            self.give_up = Instant::now().checked_add(PATIENCE);
        }
    }

    fn unanswered(&self) -> Answer {
        let problem = if self.interrupted {
            Problem::new(ProblemKind::Cancelled, "interrupted")
        } else {
            Problem::new(
                ProblemKind::TimedOut,
                "the program's own background did not answer in time",
            )
        };
        if self.connected {
            Answer::Finished(Err(problem))
        } else {
            Answer::NotConnected(problem)
        }
    }

    fn ended(self, answer: Answer) -> Ending {
        let given_up = if self.interrupted {
            Some(StoppedBy::Interrupt)
        } else {
            self.timed_out.then_some(StoppedBy::Timeout)
        };
        Ending { answer, given_up }
    }
}
