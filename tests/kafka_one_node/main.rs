//! Every reading command against one real broker, compared with the stock tools and with values worked out by hand.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod connecting;
mod groups;
mod oracle;
mod records;
mod records_named;
mod search;
mod table;
mod timeline;
mod topics;
mod traces;
mod usage;

use support::cli::{self, Run};

/// `tideline ARGUMENTS --json` on the filled cluster, after the stock tools have been asked.
fn tideline(arguments: &[&str]) -> Run {
    let bootstrap = oracle::get().data.kafka.bootstrap();
    cli::tideline(&[arguments, &["--json", "--bootstrap", &bootstrap]].concat())
}
