//! Tideline: a native desktop inspector for event buses.
//!
//! The layers, each of which may use only those below it (`tests/layers.rs` holds the arrows):
//!
//! | layer | what it is |
//! |---|---|
//! | [`ui`], [`cli`] | the window and the command line: they send commands to the engine and show what comes back |
//! | [`engine`] | the background: runs tasks with progress and cancel, publishes immutable snapshots |
//! | [`rewind`] | moving one group's offsets: targets, plans, guards, undo. Pure functions |
//! | [`inspect`] | findings from data: density, lag. Pure functions |
//! | [`decode`] | bytes into something a person can read. Pure, never panics |
//! | [`store`] | what is kept from one run to the next: one SQLite file |
//! | [`bus`] | reaching a real bus: librdkafka, the raw protocol, the embedded demo bus |
//! | [`model`] | what a bus is, as plain data |

pub mod bus;
pub mod cli;
pub mod decode;
pub mod engine;
pub mod inspect;
pub mod model;
pub mod rewind;
pub mod store;
pub mod ui;
