//! Reaching a schema registry, over the HTTP API that Confluent's has and others offer too.
//!
//! | part | what it is |
//! |---|---|
//! | `settings` | where it is and who asks, out of the settings of a connection |
//! | `client` | a schema with everything that it refers to; what failed, in a sentence |
//! | `trust` | certificates and keys from files |
//!
//! Everything here blocks, for ten seconds at most a question. Nothing is written to a registry: only `GET` is sent.

mod client;
mod settings;
mod trust;

#[cfg(test)]
mod tests;

pub use client::{Failure, FailureKind, Registry};
pub use settings::RegistrySettings;

pub(in crate::bus) use settings::is_registry_setting;
