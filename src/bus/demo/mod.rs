//! An embedded Kafka-protocol broker with a small shop in it.
//!
//! It is for people who have no Kafka at hand, and for tests: whoever uses it goes through the very client
//! code that reaches a real Kafka, over a loopback socket. It keeps everything in memory, within firm
//! bounds, and nothing outlives it. What lives here:
//!
//! | module | what it is |
//! |---|---|
//! | `server`, `frame`, `shapes`, `dispatch` | sockets, checking requests before they are decoded, who serves what |
//! | `api` | the answers to each family of requests |
//! | `broker`, `log`, `group`, `offsets`, `transaction`, `config` | the state that they work on |
//! | `batch`, `compact`, `generated`, `consumer_protocol` | record batches and assignments as bytes |
//! | `seed`, `live` | the shop: six hours of its history, and what goes on now |
//! | `child` | the same broker as a child process, so that no fault in it reaches the window |
//!
//! Nothing here may know the engine or the other ways to reach a bus.

mod api;
mod batch;
mod broker;
mod child;
mod codes;
mod compact;
mod config;
mod consumer_protocol;
mod dispatch;
mod frame;
mod generated;
mod group;
mod limits;
mod live;
mod log;
mod offsets;
mod seed;
mod server;
mod shapes;
mod transaction;

pub use child::{ChildError, DemoChild, exit_when_stdin_closes};
pub use server::{Server, serve};

/// What a demo bus is filled with and where it listens.
///
/// The shop is always there. `topics`, `partitions`, `groups`, `records` and `rate` size what is beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DemoOptions {
    /// The TCP port on the loopback address; 0 takes any that is free.
    pub port: u16,
    /// Where chance begins: the same seed and the same time give the same bus.
    pub seed: u64,
    /// A time that stands still, in epoch milliseconds. With it there is no live traffic.
    pub now_ms: Option<i64>,
    /// How many topics there are beside the shop's.
    pub topics: u32,
    /// How many partitions each of them has; 0 means 1.
    pub partitions: u32,
    /// How many consumer groups there are beside the shop's.
    pub groups: u32,
    /// How many records they hold, all together.
    pub records: u64,
    /// How many records a second are written to them, all together.
    pub rate: u32,
}

#[cfg(test)]
mod tests;
