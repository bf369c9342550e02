//! The raw Kafka protocol, where librdkafka hides something.
//!
//! librdkafka lists classic and consumer groups only and calls a running share or streams group "Dead". The
//! broker itself names every group with type and state in one answer (`ListGroups` version 5), so it is asked
//! here directly. Neither does it tell how a log is kept: batches, marks of transactions, which of them were
//! aborted (`fetch`, `batches`), which are open and since when, where leader epochs end (`transactions`).
//!
//! Questions are written by the crate `kafka-protocol`. It believes the lengths that a peer writes, so long
//! answers are read by `cursor`, which takes nothing that is not there; for the short ones that it still reads
//! `bounds` checks the lengths first.
//!
//! Plaintext only: over TLS or SASL these questions cannot be asked yet, and the caller says so.

mod batches;
mod bounds;
mod connection;
mod cursor;
mod errors;
mod fetch;
mod transactions;

pub(super) use connection::{Connection, connect};
pub(super) use transactions::ActiveProducer;
