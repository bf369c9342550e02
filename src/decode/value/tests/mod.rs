//! Tests over all of it.
