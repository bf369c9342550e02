//! Bytes into something a person can read.
//!
//! Pure, and prepared for anything: what comes in is foreign, so nothing here may panic, trust a length or
//! take more memory than a stated bound. Nothing may change what it shows either: a number keeps its digits,
//! an object its order and its repeated keys, and what cannot be seen is made visible.

pub mod fields;
pub mod group_log;
pub mod hex;
pub mod integer;
pub(crate) mod lines;
pub mod number;
pub mod rows;
pub mod schema;
pub mod value;
pub mod visible;
