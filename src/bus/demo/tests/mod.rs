//! Tests of the demo bus that need more than one of its modules.

mod fuzz;
mod groups;
mod life;
mod logs;
mod requests;
mod shop;
mod transactions;
mod versions;

use super::DemoOptions;
use super::broker::Broker;
use super::seed;
use crate::model::TimestampMs;
use crate::model::time::Clock;

/// 2026-11-30T12:00:00Z.
const NOON: i64 = 1_796_040_000_000;

/// A broker with the shop in it, at noon, without sockets or threads.
fn shop() -> Broker {
    broker(&DemoOptions::default())
}

fn broker(options: &DemoOptions) -> Broker {
    let (state, _simulation) = seed::fill(options, NOON);
    let address = ([127, 0, 0, 1], 9_092).into();
    Broker::new(
        address,
        Clock::Fixed(TimestampMs(NOON)),
        options.seed,
        state,
    )
}
