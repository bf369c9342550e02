//! What the connection's locks allow.

/// What may be done over a connection, and what has to be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Why nothing may be changed; `None` when it may.
    pub locked: Option<String>,
    /// Whether the cluster is one that people depend on.
    pub production: bool,
    /// Whether it is neither on this machine nor known by a profile.
    pub unknown_remote: bool,
}
