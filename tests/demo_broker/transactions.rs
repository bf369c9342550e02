//! Transactions through librdkafka.

use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::Message as _;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::{Offset, TopicPartitionList};
use tideline::bus::demo::Server;

use super::{at_noon, config, consumer, end, live, make_topic, next, wait_for};

const PATIENCE: Duration = Duration::from_secs(30);

fn producer(server: &Server, id: &str) -> BaseProducer {
    let producer: BaseProducer = config(server).set("transactional.id", id).create().unwrap();
    producer.init_transactions(PATIENCE).unwrap();
    producer
}

fn write(producer: &BaseProducer, topic: &str, values: &[&str]) {
    producer.begin_transaction().unwrap();
    for value in values {
        producer
            .send(BaseRecord::<[u8], _>::to(topic).payload(*value))
            .unwrap();
    }
    producer.flush(PATIENCE).unwrap();
}

fn reader(server: &Server, topic: &str, partition: i32, isolation: &str) -> BaseConsumer {
    let consumer = consumer(
        server,
        &[
            ("isolation.level", isolation),
            ("enable.partition.eof", "true"),
        ],
    );
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, partition, Offset::Beginning)
        .unwrap();
    consumer.assign(&list).unwrap();
    consumer
}

/// Every value up to the end of the partition.
fn values(server: &Server, topic: &str, isolation: &str) -> Vec<String> {
    let consumer = reader(server, topic, 0, isolation);
    let mut values = Vec::new();
    wait_for("the end", || {
        match consumer.poll(Duration::from_millis(100))? {
            Ok(record) => {
                let value = record.payload().unwrap().to_vec();
                values.push(String::from_utf8(value).unwrap());
                None
            }
            Err(error) => {
                assert!(
                    matches!(error, rdkafka::error::KafkaError::PartitionEOF(0)),
                    "{error}"
                );
                Some(())
            }
        }
    });
    values
}

#[test]
fn committed_records_are_read_and_aborted_ones_are_not() {
    let server = live();
    make_topic(&server, "ledger", 1);
    let producer = producer(&server, "writer");
    write(&producer, "ledger", &["a", "b"]);
    producer.commit_transaction(PATIENCE).unwrap();
    write(&producer, "ledger", &["c", "d", "e"]);
    producer.abort_transaction(PATIENCE).unwrap();
    write(&producer, "ledger", &["f"]);
    producer.commit_transaction(PATIENCE).unwrap();
    // Six records and three markers.
    assert_eq!(end(&server, "ledger", 0), 9);
    assert_eq!(values(&server, "ledger", "read_committed"), ["a", "b", "f"]);
    let all = values(&server, "ledger", "read_uncommitted");
    assert_eq!(all, ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn an_open_transaction_hides_what_comes_after_it() {
    let server = live();
    make_topic(&server, "open", 1);
    let producer = producer(&server, "slow");
    write(&producer, "open", &["held"]);
    let other: BaseProducer = config(&server).create().unwrap();
    other
        .send(BaseRecord::<[u8], _>::to("open").payload("behind"))
        .unwrap();
    other.flush(PATIENCE).unwrap();
    assert_eq!(values(&server, "open", "read_committed"), [] as [&str; 0]);
    assert_eq!(
        values(&server, "open", "read_uncommitted"),
        ["held", "behind"]
    );
    producer.commit_transaction(PATIENCE).unwrap();
    assert_eq!(
        values(&server, "open", "read_committed"),
        ["held", "behind"]
    );
}

#[test]
fn a_second_producer_of_the_same_id_fences_the_first_off() {
    let server = live();
    make_topic(&server, "fenced", 1);
    let first = producer(&server, "same");
    write(&first, "fenced", &["lost"]);
    let second = producer(&server, "same");
    let refused = first.commit_transaction(PATIENCE).unwrap_err();
    let rdkafka::error::KafkaError::Transaction(error) = refused else {
        panic!("{refused}");
    };
    assert!(error.is_fatal(), "{error}");
    write(&second, "fenced", &["kept"]);
    second.commit_transaction(PATIENCE).unwrap();
    assert_eq!(values(&server, "fenced", "read_committed"), ["kept"]);
}

#[test]
fn positions_are_committed_with_their_transaction_only() {
    let server = live();
    make_topic(&server, "in", 1);
    make_topic(&server, "out", 1);
    let filler: BaseProducer = config(&server).create().unwrap();
    for value in ["1", "2", "3"] {
        filler
            .send(BaseRecord::<[u8], _>::to("in").payload(value))
            .unwrap();
    }
    filler.flush(PATIENCE).unwrap();

    let reader = consumer(
        &server,
        &[
            ("group.id", "mover"),
            ("enable.auto.commit", "false"),
            ("auto.offset.reset", "earliest"),
        ],
    );
    reader.subscribe(&["in"]).unwrap();
    next(&reader, 2, |record| record.offset());
    let mut positions = TopicPartitionList::new();
    positions
        .add_partition_offset("in", 0, Offset::Offset(2))
        .unwrap();
    let committed = || {
        let mut asked = TopicPartitionList::new();
        asked.add_partition("in", 0);
        let found = reader.committed_offsets(asked, PATIENCE).unwrap();
        found.elements()[0].offset()
    };
    let producer = producer(&server, "mover");
    for (end, expected) in [(false, Offset::Invalid), (true, Offset::Offset(2))] {
        write(&producer, "out", &["moved"]);
        let group = reader.group_metadata().unwrap();
        producer
            .send_offsets_to_transaction(&positions, &group, PATIENCE)
            .unwrap();
        if end {
            producer.commit_transaction(PATIENCE).unwrap();
        } else {
            producer.abort_transaction(PATIENCE).unwrap();
        }
        assert_eq!(committed(), expected);
    }
}

#[test]
fn the_82_aborted_records_of_the_shop_are_not_read() {
    let server = at_noon();
    let count = |isolation| {
        let consumer = reader(&server, "orders", 3, isolation);
        let mut count = 0;
        wait_for("the end", || {
            match consumer.poll(Duration::from_millis(100))? {
                Ok(_) => {
                    count += 1;
                    None
                }
                Err(_) => Some(()),
            }
        });
        count
    };
    let (committed, all) = (count("read_committed"), count("read_uncommitted"));
    assert_eq!(all - committed, 82);
    // The marker takes an offset and is no record.
    assert_eq!(end(&server, "orders", 3), all + 1);
}
