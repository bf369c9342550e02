//! Bytes into something a person can read. Pure functions that never panic.
