//! Finding out what is missing on a bus, to whom, and why.
//!
//! | part | what it is |
//! |---|---|
//! | [`looker`] | one look at groups and partitions: facts, what else must be asked, what follows |
//! | `asking` | the answers to what the rules ask, kept from look to look |
//! | `memory` | what was seen before: read from the file once, kept there, and in here |
//! | `trail` | the log's batches and the records of a stretch of time, for the rules that need them |
//! | `silences` | topics in which nothing comes any more |
//! | [`once`], [`watch`], [`live`] | all of it as one answer; for ever, told as it changes; for the window |
//! | `changes` | what is new and what has cleared from one look to the next |
//!
//! The rules themselves are pure and live in [`crate::inspect::gaps`]. Nothing here changes anything on the bus.

mod asking;
mod changes;
pub(in crate::engine) mod live;
mod looker;
mod memory;
pub(in crate::engine) mod once;
mod silences;
mod trail;
pub(in crate::engine) mod watch;

#[cfg(test)]
mod tests;

use crate::engine::finding::GapsRequest;
use crate::model::Finding;

/// Whether `finding` is about what was asked for.
fn is_asked_for(finding: &Finding, request: &GapsRequest) -> bool {
    let topic = match &finding.topic {
        Some(topic) => request.topics.is_empty() || request.topics.contains(topic),
        None => request.topics.is_empty() || !request.groups.is_empty(),
    };
    let group = request.groups.is_empty()
        || finding
            .concerns
            .group()
            .is_some_and(|group| request.groups.contains(group));
    let after = |bound| finding.from_time.is_none_or(|time| time < bound);
    let before = |bound| finding.to_time.is_none_or(|time| time >= bound);
    topic && group && request.to.is_none_or(after) && request.from.is_none_or(before)
}
