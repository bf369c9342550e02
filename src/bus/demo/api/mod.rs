//! The answers to each family of requests.

pub(super) mod admin;
pub(super) mod configs;
pub(super) mod groups;
pub(super) mod membership;
pub(super) mod metadata;
pub(super) mod offsets;
pub(super) mod records;
pub(super) mod transactions;

use std::collections::HashSet;
use std::hash::Hash;

use kafka_protocol::protocol::StrBytes;

/// Text as the codec wants it.
fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

/// Text that never changes, as the codec wants it.
fn fixed(text: &'static str) -> StrBytes {
    StrBytes::from_static_str(text)
}

/// Lets each thing through once, however often it is asked for: a few bytes must not ask for a large answer
/// again and again.
fn once<K: Hash + Eq, T>(key: impl Fn(&T) -> K) -> impl FnMut(&T) -> bool {
    let mut seen = HashSet::new();
    move |thing| seen.insert(key(thing))
}
