//! What every panel is given: facts to draw, and a place for what the person does.

use jiff::tz::TimeZone;

use crate::engine::{Connection, Snapshot};
use crate::model::TimestampMs;

use super::commands::Situation;
use super::group_marks::GroupMarks;
use super::state::{Msg, UiState, WindowState};
use super::tokens::Tokens;

/// What a panel draws from. It changes nothing; it pushes messages.
pub struct Cx<'a> {
    /// The colours.
    pub tokens: &'static Tokens,
    /// What the engine knows.
    pub snapshot: &'a Snapshot,
    /// What the person has chosen.
    pub state: &'a UiState,
    /// The letters that stand for groups.
    pub marks: &'a GroupMarks,
    /// What is around the panels: looks, notices, ways back.
    pub window: &'a WindowState,
    /// The zone in which times are written.
    pub zone: &'a TimeZone,
    /// The time up to which what is shown was read; the present while nothing was read.
    pub now: TimestampMs,
    /// The present by the clock.
    pub clock: TimestampMs,
    /// Whether keys lead rather than the pointer, so that it must be seen what has the focus.
    pub keys_lead: bool,
    /// What the person did in this frame.
    pub messages: Vec<Msg>,
}

impl<'a> Cx<'a> {
    /// What decides which commands can be used.
    pub fn situation(&self) -> Situation<'a> {
        Situation {
            state: self.state,
            window: self.window,
            snapshot: self.snapshot,
            clock: self.clock,
            is_connected: matches!(self.snapshot.connection, Connection::Connected { .. }),
        }
    }

    /// Takes note of what the person did.
    pub fn push(&mut self, message: Msg) {
        self.messages.push(message);
    }
}
