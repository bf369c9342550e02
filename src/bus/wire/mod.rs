//! The raw Kafka protocol, where librdkafka hides something.
//!
//! librdkafka lists classic and consumer groups only and calls a running share or streams group "Dead". The
//! broker itself names every group with type and state in one answer (`ListGroups` version 5), so it is asked
//! here directly. The codec is the crate `kafka-protocol`; because it believes the lengths that a peer
//! writes, `bounds` checks them against the bytes that are there first.
//!
//! Plaintext only: over TLS or SASL these questions cannot be asked yet, and the caller says so.

mod bounds;
mod connection;

pub(super) use connection::{Connection, connect};
