//! The command line against replies made by hand: no bus, no engine.

mod codes;
mod gaps;
mod groups;
mod kept;
mod links;
mod parsing;
mod records;
mod rewind;
mod timeline;
mod topics;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde_json::Value;

use crate::engine::{Command, Event, EventKind, Files, Reply, SessionId, StoppedBy, TaskId};
use crate::model::{Clock, Known, Problem, ProblemKind, TimestampMs};

use super::answer::{Streams, answer};
use super::plan::{Plan, Question};
use super::talk::Source;

/// 2026-11-30T14:02:00+01:00.
pub(super) const NOW: TimestampMs = TimestampMs(1_796_043_720_000);
pub(super) const TASK: TaskId = TaskId(1);

pub(super) fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").unwrap()
}

pub(super) fn problem(kind: ProblemKind, message: &str) -> Problem {
    Problem::new(kind, message)
}

/// What a command wrote.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) code: u8,
    pub(super) out: String,
    pub(super) err: String,
}

impl Written {
    pub(super) fn json(&self) -> Value {
        let mut lines = self.out.lines();
        let line = lines
            .next()
            .unwrap_or_else(|| panic!("nothing on stdout: {self:?}"));
        assert_eq!(lines.next(), None, "one line is all");
        serde_json::from_str(line).unwrap()
    }

    pub(super) fn json_lines(&self) -> Vec<Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// An engine that answers each command with what was laid down for it.
#[derive(Default)]
pub(super) struct Script {
    /// What follows on `Connect`.
    pub(super) connect: Vec<EventKind>,
    /// What follows on `Ask`.
    pub(super) ask: Vec<EventKind>,
    /// What follows on `Cancel`.
    pub(super) cancel: Vec<EventKind>,
    /// How often a command is not taken before it is.
    pub(super) busy: u32,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    refused: u32,
    waiting: VecDeque<EventKind>,
    cancelled: Vec<StoppedBy>,
}

impl Script {
    /// A bus that is reached, and answers.
    pub(super) fn answering(ask: Vec<EventKind>) -> Self {
        Self {
            connect: vec![EventKind::Connected],
            ask,
            ..Self::default()
        }
    }

    pub(super) fn cancelled(&self) -> Vec<StoppedBy> {
        self.state.borrow().cancelled.clone()
    }
}

impl Source for Script {
    fn send(&self, command: Command) -> bool {
        let mut state = self.state.borrow_mut();
        if state.refused < self.busy {
            state.refused += 1;
            return false;
        }
        let follows = match command {
            Command::Connect(_) => &self.connect,
            Command::Ask(TASK, _) => &self.ask,
            Command::Cancel(TASK, reason) => {
                state.cancelled.push(reason);
                &self.cancel
            }
            other => panic!("not a command of the command line: {other:?}"),
        };
        state.waiting.extend(follows.iter().cloned());
        true
    }

    fn next_event(&self, _wait: Duration) -> Option<Event> {
        let kind = self.state.borrow_mut().waiting.pop_front()?;
        Some(Event {
            session: SessionId(1),
            kind,
        })
    }
}

pub(super) fn finished(reply: Reply) -> EventKind {
    EventKind::Finished(TASK, Ok(reply))
}

pub(super) fn failed(kind: ProblemKind, message: &str) -> EventKind {
    EventKind::Finished(TASK, Err(problem(kind, message)))
}

/// Reads `line` (split at blanks) and returns the plan, or the exit code and what was written.
pub(super) fn read(line: &str) -> Result<Plan, Written> {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    read_arguments(&arguments)
}

pub(super) fn read_arguments(arguments: &[&str]) -> Result<Plan, Written> {
    read_with(arguments, &no_files())
}

/// Reads `arguments` where journal and profiles are in `files`.
pub(super) fn read_with(arguments: &[&str], files: &Files) -> Result<Plan, Written> {
    let arguments = std::iter::once("tideline").chain(arguments.iter().copied());
    let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = streams(&mut out, &mut err);
    let env = Some("from-env:1".to_owned());
    let read = super::read(arguments, env, files, &mut streams);
    read.map_err(|code| written(code, out, err))
}

/// Neither journal nor profiles.
pub(super) fn no_files() -> Files {
    Files::none(problem(ProblemKind::Other, "no files"))
}

pub(super) fn question(line: &str) -> Question {
    match read(line) {
        Ok(Plan::Ask(question)) => *question,
        other => panic!("{line} is no question: {other:?}"),
    }
}

/// What `line` writes when the engine answers as in `script`.
pub(super) fn run(line: &str, script: &Script) -> Written {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = answer(script, question(line), &mut streams(&mut out, &mut err));
    written(code, out, err)
}

/// What `line` writes when `reply` is the answer.
pub(super) fn run_with(line: &str, reply: Reply) -> Written {
    run(line, &Script::answering(vec![finished(reply)]))
}

pub(super) fn written(code: u8, out: Vec<u8>, err: Vec<u8>) -> Written {
    Written {
        code,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

pub(super) fn streams<'a>(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Streams<'a> {
    Streams {
        out,
        err,
        progress: false,
        zone: berlin(),
        clock: Clock::Fixed(NOW),
    }
}

/// A reader that goes away, or a full disk.
pub(super) struct Broken(pub(super) io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn lost<T>() -> Known<T> {
    Err(problem(ProblemKind::NoLeader, "nobody leads it"))
}

pub(super) fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}
