//! The customers: a compacted topic with holes and tombstones.

use fastrand::Rng;

use super::super::broker::State;
use super::super::compact;
use super::rhythm::MINUTE;
use super::story::{Event, Teller, Topic};

/// How old a record is when it is compacted, in minutes.
const SETTLED: i64 = 40;

/// The customers that were there before the first order: each once, shortly after the history begins.
pub(super) fn before(rng: &mut Rng, began: i64) -> Vec<Event> {
    (1_000..1_400)
        .map(|customer| {
            let at = began + i64::from(customer - 1_000) * 150;
            Teller::customer_event(rng, at, customer)
        })
        .collect()
}

/// Compacts what has settled.
pub(super) fn compact(state: &mut State, now: i64) {
    let Some(topic) = state.topics.get_mut(Topic::Customers.name()) else {
        return;
    };
    for log in &mut topic.partitions {
        let end = log.end();
        let settled = log.at_time(now - SETTLED * MINUTE, end);
        compact::compact(log, settled.map_or(end, |(offset, _)| offset));
    }
}
