//! Findings from data: how records spread over time, how far groups have read.
//!
//! Pure functions of [`crate::model`]: what to ask the bus next is *returned* as a list, never asked here,
//! so that all of this is tested without a bus.

pub mod density;
pub mod filter;
pub mod gaps;
pub mod history;
pub mod lag;
pub mod overview;
pub mod samples;
pub mod timeline;
