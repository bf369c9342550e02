//! What goes on by itself: the broker's clockwork, and the shop's live traffic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::broker::Broker;
use super::seed::Simulation;
use super::transaction::Moment;
use crate::model::time::Clock;

/// How often the clockwork turns.
const TURN: Duration = Duration::from_millis(200);
/// How many turns lie between two cleanings.
const CLEANING: u32 = 25;

/// Turns until the broker stops: silent members and late transactions end, old records go, and the
/// simulation moves on.
pub(super) fn run(broker: &Arc<Broker>, mut simulation: Simulation) {
    let mut turns = 0_u32;
    while !broker.pause(TURN) {
        turns = turns.wrapping_add(1);
        let now = Moment {
            ms: broker.now_ms(),
            at: Instant::now(),
        };
        let mut state = broker.lock();
        state.groups.expire(now.at);
        let mut changed = state.expire_transactions(now);
        if turns.is_multiple_of(CLEANING) {
            state.clean(now.ms);
        }
        if broker.clock == Clock::System {
            changed |= simulation.turn(&mut state, now);
        }
        drop(state);
        if changed {
            broker.notify();
        }
    }
}
