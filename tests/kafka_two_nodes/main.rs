//! Two real brokers, one of which dies: what can still be known is told, what cannot is named.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod healthy;
mod logs;
mod moving;
mod one_dead;
mod stages;
