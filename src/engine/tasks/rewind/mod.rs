//! Moving one group: what a plan rests on, the guards as they stand, the write, and what comes after.
//!
//! - `reading`: the group, its members, its bookmarks, and the ends of the topics that a plan names;
//! - `planning`: a plan made of that, and made anew;
//! - `contents`: the records between the places of each row, counted where that is cheap;
//! - `observe`: who commits though nobody is there;
//! - `access`: what the locks say, and which connections have names;
//! - `write`: the walk from the last check to what was read back, each step durable before the next;
//! - `wait`: the first moment without members;
//! - `ask`: all of it as one answer;
//! - `live`: the plan on screen, kept true, and applied when told to;
//! - `after`: the journal in the window, and groups that are on their way past their old bookmarks.

pub(in crate::engine) mod access;
pub(in crate::engine) mod after;
pub(in crate::engine) mod ask;
mod contents;
pub(in crate::engine) mod live;
mod observe;
mod planning;
mod reading;
mod wait;
mod write;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::bus::Bus;
use crate::engine::changing::Files;
use crate::model::{Clock, Known, Problem, ProblemKind};

/// What every step needs.
#[derive(Clone)]
pub(in crate::engine) struct Desk {
    /// The bus.
    pub(in crate::engine) bus: Arc<dyn Bus>,
    /// Where "now" comes from.
    pub(in crate::engine) clock: Clock,
    /// Where the journal and the profiles are kept.
    pub(in crate::engine) files: Files,
    /// How the bus was reached.
    pub(in crate::engine) reached: Arc<Reached>,
}

/// How a bus was reached.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Reached {
    /// The profile that was named.
    pub(in crate::engine) profile: Option<String>,
    /// The addresses.
    pub(in crate::engine) bootstrap: String,
    /// Whether it is the embedded demo bus.
    pub(in crate::engine) demo: bool,
}

/// Does something that may wait for a disk where that is allowed.
pub(in crate::engine) async fn on_disk<T: Send + 'static>(
    act: impl FnOnce() -> Known<T> + Send + 'static,
) -> Known<T> {
    tokio::task::spawn_blocking(act)
        .await
        .unwrap_or_else(|error| {
            Err(Problem::new(
                ProblemKind::Other,
                format!("a file could not be asked ({error})"),
            ))
        })
}
