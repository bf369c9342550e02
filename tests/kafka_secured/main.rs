//! A real broker behind TLS and passwords: every way in works, and every wrong way is told in plain words.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod logs;
mod moving;
mod refused;
mod ways_in;

use std::path::Path;
use std::sync::LazyLock;
use support::cluster::Cluster;
use support::kafka::Kafka;
use support::raw;
use support::{cli, fixture};

const TOPIC: &str = "guarded";

/// The cluster, with 3 records in [`TOPIC`].
fn kafka() -> &'static Kafka {
    static FILLED: LazyLock<&'static Kafka> = LazyLock::new(|| {
        let kafka = Kafka::secured();
        let cluster = Cluster::at(&kafka.bootstrap());
        let one = rdkafka::admin::TopicReplication::Fixed(1);
        cluster.create_topics(&[
            rdkafka::admin::NewTopic::new(TOPIC, 1, one).set("retention.ms", "-1")
        ]);
        raw::produce(&kafka.bootstrap(), TOPIC, 0, &fixture::minutes(0..3));
        kafka
    });
    *FILLED
}

/// `tideline COMMAND` at a listener, each property behind `-X`.
fn with_properties(command: &[&str], listener: &str, properties: &[(&str, &str)]) -> cli::Run {
    let mut arguments: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    arguments.extend([
        "--json".to_owned(),
        "--bootstrap".to_owned(),
        kafka().listener(listener),
    ]);
    for (name, value) in properties {
        arguments.extend(["-X".to_owned(), format!("{name}={value}")]);
    }
    cli::tideline(&arguments)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
