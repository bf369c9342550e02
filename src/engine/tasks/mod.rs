//! What the engine does for a question or for the window.
//!
//! - [`inventory`]: topics with their ends, groups with their places;
//! - [`lookups`]: sharpening time indices, with a limit on the rate;
//! - [`tails`]: times where look-ups are blind;
//! - [`overview`]: all of the data in a few columns;
//! - [`timeline`]: the whole timeline as one answer;
//! - [`ranges`]: which offsets a question about records means;
//! - [`scan`]: reading them, and what careful readers see of them;
//! - [`hunt`]: searching them with several threads, and following what comes in;
//! - [`search`]: the window's search;
//! - [`records`], [`by_time`]: records in the order asked for, with coverage;
//! - [`watch`], [`near`], [`sampling`], [`view`], [`table`]: keeping the window's snapshot fresh;
//! - [`export`]: records written to a file;
//! - [`rewind`]: moving one group;
//! - [`gaps`], [`commit_log`]: what is missing, to whom and why; what the bus wrote down of commits;
//! - [`schemas`]: what the registry and chosen files know, for the window and for threads that read;
//! - [`local`]: what answers at the usual local addresses.

#[cfg(test)]
mod by_hand;
pub(super) mod by_time;
pub(super) mod commit_log;
pub(super) mod export;
pub(super) mod gaps;
pub(super) mod hunt;
pub(super) mod inventory;
pub(super) mod local;
pub(super) mod lookups;
pub(super) mod near;
mod overview;
pub(super) mod ranges;
pub(super) mod records;
pub(super) mod rewind;
pub(super) mod sampling;
pub(super) mod scan;
pub(super) mod schemas;
pub(super) mod search;
pub(super) mod table;
pub(super) mod tails;
pub(super) mod timeline;
pub(super) mod view;
pub(super) mod watch;
