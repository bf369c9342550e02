//! Handing on what is told about findings, and starting what looks for them.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::command::Command;
use super::tasks::gaps::live::{self, Aside, Live, Wanted};

/// How many findings may wait to be put aside; each is a click.
const WAITING: usize = 32;

/// What a session tells the tasks that look for findings.
pub(super) struct Lookout {
    wanted: watch::Sender<Wanted>,
    asides: mpsc::Sender<Aside>,
    /// Until the tasks are started.
    heard: Option<mpsc::Receiver<Aside>>,
}

/// The tasks, ready to be started on a bus.
pub(super) struct Listening {
    wanted: watch::Receiver<Wanted>,
    asides: mpsc::Receiver<Aside>,
}

impl Lookout {
    pub(super) fn new() -> Self {
        let (asides, heard) = mpsc::channel(WAITING);
        Self {
            wanted: watch::channel(None).0,
            asides,
            heard: Some(heard),
        }
    }

    /// Hands a command on. Nobody hears it before the tasks are started, or once the session is over.
    pub(super) fn take(&self, command: Command) {
        match command {
            Command::FindGaps(Some(request)) => self.wanted.send_modify(|wanted| {
                let number = wanted.as_ref().map_or(0, |(number, _)| *number);
                *wanted = Some((number.wrapping_add(1), request));
            }),
            Command::FindGaps(None) => {
                self.wanted.send_replace(None);
            }
            Command::Dismiss { finding, reason } => {
                drop(self.asides.try_send((finding, reason)));
            }
            _ => {}
        }
    }

    /// The tasks; `None` when they were given out before.
    pub(super) fn listening(&mut self) -> Option<Listening> {
        Some(Listening {
            wanted: self.wanted.subscribe(),
            asides: self.heard.take()?,
        })
    }
}

impl Listening {
    /// Starts the tasks; they end when `all` is dropped.
    pub(super) fn start(self, live: Live, refreshed: watch::Receiver<u64>, all: &mut JoinSet<()>) {
        let (found, of_records) = watch::channel(Arc::default());
        all.spawn(live::follow(live.clone(), refreshed, of_records));
        all.spawn(live::read_records(live.clone(), self.wanted, found));
        all.spawn(live::put_aside(live, self.asides));
    }
}
