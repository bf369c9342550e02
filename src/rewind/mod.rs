//! Moving one group's committed offsets: what is meant, what it would do, whether it may be done, how it is
//! undone.
//!
//! - `target`: what a person may ask for, and how it is written;
//! - `plan`: rows that say from where to where each partition moves, what runs again or is skipped, and every
//!   warning;
//! - `guard`: what must hold before a plan is applied, each with its outcome;
//! - `policy`: what the connection's locks allow;
//! - `table`: plans as tables of the stock tool, and as commands to paste;
//! - `progress`: how far a group is after it was moved.
//!
//! Everything here is worked out from what was read before: no input and output, no asynchronous code, no
//! clock. What has to be asked of the bus is returned as data, and [`crate::engine`] asks it.

pub mod guard;
pub mod plan;
pub mod policy;
pub mod progress;
pub mod table;
pub mod target;
mod words;
