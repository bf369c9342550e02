//! The demo bus as clients see it: librdkafka, kcat, Kafka's own tools, and whoever means it harm.
#![cfg(test)]

mod child;
mod groups;
mod harm;
mod kcat;
mod logs;
mod positions;
mod records;
mod stock_tools;
mod table;
mod transactions;

use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::BorrowedMessage;
use tideline::bus::demo::{DemoOptions, Server};

/// 2026-11-30T12:00:00Z.
const NOON: i64 = 1_796_040_000_000;

/// A bus with the shop as it stands at noon, where time stands still.
fn at_noon() -> Server {
    let options = DemoOptions {
        now_ms: Some(NOON),
        ..DemoOptions::default()
    };
    Server::start(&options).unwrap()
}

/// A bus where time goes on.
fn live() -> Server {
    Server::start(&DemoOptions::default()).unwrap()
}

fn config(server: &Server) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", server.addr().to_string());
    config
}

fn consumer(server: &Server, settings: &[(&str, &str)]) -> BaseConsumer {
    let mut config = config(server);
    // librdkafka wants the name of a group even from a reader that never joins one.
    config.set("group.id", "nobody");
    config.set("enable.auto.commit", "false");
    for (name, value) in settings {
        config.set(*name, *value);
    }
    config.create().unwrap()
}

/// Lets an operation of librdkafka's come to its end.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

fn admin(server: &Server) -> AdminClient<DefaultClientContext> {
    config(server).create().unwrap()
}

fn make_topic(server: &Server, name: &str, partitions: i32) {
    // Tests choose their records' times, and retention would take the old ones away.
    let topic =
        NewTopic::new(name, partitions, TopicReplication::Fixed(1)).set("retention.ms", "-1");
    let made = block_on(admin(server).create_topics([&topic], &AdminOptions::new())).unwrap();
    assert_eq!(made, [Ok(name.to_owned())]);
}

/// Asks until an answer comes. Generous, so that only a broken thing fails, never a slow machine.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
    }
}

/// The next `count` records that a consumer gets, each seen through `see`.
fn next<T>(
    consumer: &BaseConsumer,
    count: usize,
    see: impl Fn(&BorrowedMessage<'_>) -> T,
) -> Vec<T> {
    (0..count)
        .map(|_| {
            wait_for("a record", || {
                let polled = consumer.poll(Duration::from_millis(100))?;
                Some(see(&polled.unwrap()))
            })
        })
        .collect()
}

/// The high watermark of a partition.
fn end(server: &Server, topic: &str, partition: i32) -> i64 {
    let consumer = consumer(server, &[]);
    let fetched = consumer.fetch_watermarks(topic, partition, Duration::from_secs(30));
    fetched.unwrap().1
}
