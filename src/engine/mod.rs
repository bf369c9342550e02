//! The background: commands in, immutable snapshots and events out.
