//! The raw Kafka protocol, where librdkafka hides something.
//!
//! librdkafka lists classic and consumer groups only and calls a running share or streams group "Dead". It keeps to
//! itself how a log lies in batches, which transactions were aborted, and who has one open. So brokers are asked
//! here directly:
//!
//! - `connection`: one connection to one broker, one question at a time;
//! - `question`: what a question is, and in which version it is asked;
//! - `groups`, `fetch`, `epochs`, `transactions`: the questions;
//! - `batches`: the batches out of an answer to `Fetch`, with the offsets at which no record is left;
//! - `cursor`, `bounds`: no length that a peer writes is believed.
//!
//! Requests are written by the crate `kafka-protocol`. Answers are read here, because that crate reserves memory
//! for as much as a peer claims; where it reads one all the same, `bounds` compares the claim with the bytes first.
//!
//! Plaintext only: over TLS or SASL these questions cannot be asked yet, and the caller says so.

mod batches;
mod bounds;
mod connection;
mod cursor;
mod epochs;
mod fetch;
mod groups;
mod question;
mod transactions;

pub(super) use batches::{Walked, walk};
pub(super) use connection::{Connection, connect};
pub(super) use epochs::{EpochEnd, EpochEnds};
pub(super) use fetch::{Fetch, Fetched, FetchedPart};
pub(super) use groups::ListGroups;
pub(super) use question::Question;
pub(super) use transactions::{
    ActiveProducer, DescribeTransactions, DescribedTransaction, ListTransactions, Producers,
    ProducersOf,
};
