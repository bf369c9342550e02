//! The answers to each family of requests.

pub(super) mod admin;
pub(super) mod configs;
pub(super) mod groups;
pub(super) mod membership;
pub(super) mod metadata;
pub(super) mod offsets;
pub(super) mod records;
pub(super) mod transactions;

use kafka_protocol::protocol::StrBytes;

/// Text as the codec wants it.
fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

/// Text that never changes, as the codec wants it.
fn fixed(text: &'static str) -> StrBytes {
    StrBytes::from_static_str(text)
}
