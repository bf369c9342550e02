//! What a demo bus is filled with: the shop, what lies beside it, and what goes on after the start.

mod customers;
mod dead_letters;
mod extra;
mod partitioner;
mod rhythm;
mod shop;
mod simulation;
mod staff;
mod story;
mod writer;

use std::time::Instant;

use fastrand::Rng;

use super::DemoOptions;
use super::broker::State;
pub(super) use simulation::Simulation;

/// Fills a bus as it stands at `now` (epoch milliseconds).
pub(super) fn fill(options: &DemoOptions, now: i64) -> (State, Simulation) {
    let mut state = State::default();
    let mut rng = Rng::with_seed(options.seed);
    let opened = shop::open(&mut state, &mut rng, options.seed, now);
    let staff = staff::hire(&mut state, &opened, now, Instant::now());
    let extra = extra::fill(&mut state, options, now);
    let simulation = Simulation::new(rng, options.seed, now, opened, staff, extra);
    (state, simulation)
}
