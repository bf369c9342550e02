//! The command line.
//!
//! It reads what was written, asks the engine the same questions that the window asks, waits for the
//! engine's events and writes the answer: a table for people, or JSON whose field names are a promise to
//! scripts. It knows the engine, the findings and the model; never a bus, never anything asynchronous and
//! nothing of graphics: opening the window is handed back to whoever called.

mod answer;
mod args;
mod exit;
mod findings;
mod help;
mod json;
mod kept;
mod link;
mod moving;
mod plan;
mod schemas;
mod show;
mod table;
mod talk;
mod text;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal as _};
use std::sync::Arc;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use jiff::tz::TimeZone;

use crate::engine::{ConnectTarget, DemoSize, Engine, EngineOptions, Files};
use crate::model::Clock;
use crate::model::link::ViewLink;

use answer::Streams;
use args::Cli;
use plan::{Plan, Question, Usage, plan};

/// Names addresses that the welcome screen is to try.
const BOOTSTRAP_VARIABLE: &str = "KAFKA_BOOTSTRAP_SERVERS";

/// What is left to do after the command line was read and, if it was a question, answered.
#[derive(Debug)]
pub enum Action {
    /// Everything is done: end with this exit code.
    Exit(u8),
    /// Open the window.
    Window(WindowStart),
    /// Serve the demo bus until interrupted.
    ServeDemo(DemoOptions),
}

/// How the window is to start.
#[derive(Clone, Debug)]
pub struct WindowStart {
    /// What to connect to at once; the welcome screen when `None`.
    pub connect: Option<ConnectTarget>,
    /// Addresses named by the environment (`KAFKA_BOOTSTRAP_SERVERS`), as found.
    pub bootstrap_env: Option<String>,
    /// The view of a link, to be shown as soon as its cluster is connected.
    pub link: Option<Box<ViewLink>>,
    /// What there is to say of a link on the welcome screen, in a sentence without a period.
    pub said: Option<String>,
}

/// How the demo bus is to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoOptions {
    /// Port on the loopback address; 0 takes any that is free.
    pub port: u16,
    /// What there is beside the shop.
    pub size: DemoSize,
    /// Whether to end as soon as standard input closes.
    pub parent_pipe: bool,
}

/// Reads the command line, program name first. Answers questions on standard output and says what is left.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Action {
    let mut out = BufWriter::new(io::stdout());
    // Not locked: whatever else complains while a question is asked must not wait for its end.
    let mut err = io::stderr();
    let progress = err.is_terminal();
    let mut streams = Streams {
        out: &mut out,
        err: &mut err,
        progress,
        zone: TimeZone::system(),
        clock: Clock::System,
    };
    let bootstrap_env = std::env::var(BOOTSTRAP_VARIABLE).ok();
    let files = Files::usual();
    match read(arguments, bootstrap_env, &files, &mut streams) {
        Err(code) => Action::Exit(code),
        Ok(Plan::Window(start)) => Action::Window(start),
        Ok(Plan::ServeDemo(options)) => Action::ServeDemo(options),
        Ok(Plan::Kept(asked)) => Action::Exit(kept::answer(asked, &files, &mut streams)),
        Ok(Plan::Ask(question)) => Action::Exit(ask_engine(*question, files, &mut streams)),
    }
}

/// Makes a plan of the arguments, or says what is wrong or asked for and returns the exit code.
fn read(
    arguments: impl IntoIterator<Item = OsString>,
    bootstrap_env: Option<String>,
    files: &Files,
    streams: &mut Streams<'_>,
) -> Result<Plan, u8> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(link) = link::among(&arguments) {
        let link = link.map_err(|wrong| refused(&wrong, streams))?;
        return Ok(Plan::Window(link::window(&link, bootstrap_env, files)));
    }
    let cli = Cli::try_parse_from(&arguments).map_err(|error| {
        if may_hold_secret(&error, &arguments) {
            streams
                .say("a word belongs to no option: was a value of -X meant to be put in quotes?");
            return exit::USAGE;
        }
        let text = error.render();
        if error.use_stderr() {
            // Nobody is left to tell when that fails.
            drop(write!(streams.err, "{text}"));
            return exit::USAGE;
        }
        match write!(streams.out, "{text}").and_then(|()| streams.out.flush()) {
            Ok(()) => exit::DONE,
            Err(broken) => answer::not_written(&broken, streams),
        }
    })?;
    plan(
        cli,
        bootstrap_env,
        streams.clock.now(),
        &streams.zone,
        files,
    )
    .map_err(|wrong| refused(&wrong, streams))
}

/// Says what is wrong; the exit code.
fn refused(wrong: &Usage, streams: &mut Streams<'_>) -> u8 {
    streams.say(&wrong.0);
    streams.say("see --help for how it is written");
    exit::USAGE
}

/// Whether the error would repeat a word that may be the rest of a setting's value.
fn may_hold_secret(error: &clap::Error, arguments: &[OsString]) -> bool {
    let sets_property = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-X");
    let is_word = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(word)) => !word.starts_with('-'),
        _ => false,
    };
    arguments.iter().any(sets_property)
        && (is_word(ContextKind::InvalidArg) && error.kind() == ErrorKind::UnknownArgument
            || is_word(ContextKind::InvalidSubcommand))
}

fn ask_engine(question: Question, files: Files, streams: &mut Streams<'_>) -> u8 {
    let options = EngineOptions {
        waker: Arc::new(|| {}),
        clock: streams.clock,
        tell_events: true,
        listen_for_interrupt: true,
        files,
    };
    match Engine::start(options) {
        Ok(engine) => answer::answer(&engine, question, streams),
        Err(problem) => {
            streams.say(&problem.message);
            exit::UNREACHABLE
        }
    }
}
