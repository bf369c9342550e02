//! Writing and reading records, and finding them by time.

use std::time::Duration;

use rdkafka::admin::AdminOptions;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, Headers as _, Message as _, OwnedHeaders};
use rdkafka::metadata::MetadataTopic;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::{Offset, TopicPartitionList};
use tideline::bus::demo::Server;

use super::{admin, at_noon, block_on, config, consumer, end, live, make_topic, next};

const PATIENCE: Duration = Duration::from_secs(30);

fn producer(server: &Server, settings: &[(&str, &str)]) -> BaseProducer {
    let mut config = config(server);
    for (name, value) in settings {
        config.set(*name, *value);
    }
    config.create().unwrap()
}

fn assign(consumer: &BaseConsumer, topic: &str, partition: i32, offset: Offset) {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, partition, offset).unwrap();
    consumer.assign(&list).unwrap();
}

#[test]
fn records_come_back_as_they_were_written() {
    let server = live();
    make_topic(&server, "written", 2);
    let producer = producer(&server, &[]);
    let headers = OwnedHeaders::new()
        .insert(Header {
            key: "same",
            value: Some("first"),
        })
        .insert(Header {
            key: "same",
            value: Some("second"),
        })
        .insert(Header::<&[u8]> {
            key: "null",
            value: None,
        });
    let first = BaseRecord::to("written")
        .partition(1)
        .key(b"key".as_slice())
        .payload(b"value".as_slice())
        .timestamp(1_700_000_000_123)
        .headers(headers);
    producer.send(first).unwrap();
    let tombstone = BaseRecord::<[u8], [u8]>::to("written")
        .partition(1)
        .key(b"gone");
    producer.send(tombstone).unwrap();
    producer.flush(PATIENCE).unwrap();

    let consumer = consumer(&server, &[]);
    assign(&consumer, "written", 1, Offset::Beginning);
    let read = next(&consumer, 2, |record| {
        let headers = record.headers().map(|headers| {
            let pairs = headers.iter();
            pairs
                .map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec)))
                .collect()
        });
        (
            record.offset(),
            record.key().map(<[u8]>::to_vec),
            record.payload().map(<[u8]>::to_vec),
            headers.unwrap_or_else(Vec::new),
        )
    });
    let header = |name: &str, value: Option<&[u8]>| (name.to_owned(), value.map(<[u8]>::to_vec));
    let headers = vec![
        header("same", Some(b"first")),
        header("same", Some(b"second")),
        header("null", None),
    ];
    assert_eq!(
        read[0],
        (0, Some(b"key".to_vec()), Some(b"value".to_vec()), headers)
    );
    assert_eq!(read[1], (1, Some(b"gone".to_vec()), None, vec![]));
}

#[test]
fn compressed_batches_come_back_too() {
    let server = live();
    for codec in ["gzip", "snappy", "lz4", "zstd"] {
        make_topic(&server, codec, 1);
        let producer = producer(
            &server,
            &[("compression.codec", codec), ("linger.ms", "50")],
        );
        for number in 0..100_i64 {
            let value = format!("value {number} of a hundred that are all alike");
            let record = BaseRecord::<[u8], _>::to(codec)
                .payload(&value)
                .timestamp(1_000 + number);
            producer.send(record).unwrap();
        }
        producer.flush(PATIENCE).unwrap();
        let consumer = consumer(&server, &[]);
        assign(&consumer, codec, 0, Offset::Beginning);
        let read = next(&consumer, 100, |record| record.payload().map(<[u8]>::len));
        assert_eq!(
            read[42],
            Some("value 42 of a hundred that are all alike".len())
        );
        assert_eq!(end(&server, codec, 0), 100);
        let mut asked = TopicPartitionList::new();
        let time = Offset::Offset(1_057);
        asked.add_partition_offset(codec, 0, time).unwrap();
        let found = consumer.offsets_for_times(asked, PATIENCE).unwrap();
        assert_eq!(found.elements()[0].offset(), Offset::Offset(57), "{codec}");
    }
}

#[test]
fn an_idempotent_producer_is_served() {
    let server = live();
    make_topic(&server, "idempotent", 1);
    let producer = producer(&server, &[("enable.idempotence", "true")]);
    for _ in 0..500 {
        let record = BaseRecord::<[u8], _>::to("idempotent").payload("v");
        producer.send(record).unwrap();
        producer.poll(Duration::ZERO);
    }
    producer.flush(PATIENCE).unwrap();
    assert_eq!(end(&server, "idempotent", 0), 500);
}

#[test]
fn a_time_is_turned_into_an_offset() {
    let server = live();
    make_topic(&server, "times", 1);
    let producer = producer(&server, &[]);
    for at in [1_000, 3_000, 2_000, 5_000] {
        let record = BaseRecord::<[u8], _>::to("times")
            .payload("v")
            .timestamp(at);
        producer.send(record).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
    let consumer = consumer(&server, &[]);
    let look_up = |time| {
        let mut asked = TopicPartitionList::new();
        let at = Offset::Offset(time);
        asked.add_partition_offset("times", 0, at).unwrap();
        let found = consumer.offsets_for_times(asked, PATIENCE).unwrap();
        found.elements()[0].offset()
    };
    assert_eq!(look_up(0), Offset::Offset(0));
    assert_eq!(look_up(1_001), Offset::Offset(1));
    assert_eq!(look_up(3_001), Offset::Offset(3));
    assert_eq!(look_up(5_001), Offset::End);
}

#[test]
fn a_topic_is_never_made_by_asking_for_it() {
    let server = at_noon();
    let consumer = consumer(&server, &[("allow.auto.create.topics", "true")]);
    let asked = consumer.fetch_metadata(Some("nowhere"), PATIENCE).unwrap();
    let error = asked.topics()[0].error().map(RDKafkaErrorCode::from);
    assert_eq!(error, Some(RDKafkaErrorCode::UnknownTopicOrPartition));
    let all = consumer.fetch_metadata(None, PATIENCE).unwrap();
    let names: Vec<&str> = all.topics().iter().map(MetadataTopic::name).collect();
    assert_eq!(
        names,
        [
            "connect-dlq",
            "customers",
            "notifications",
            "orders",
            "orders.DLT",
            "payments",
            "shipments"
        ]
    );
}

#[test]
fn deleted_records_are_out_of_range() {
    let server = at_noon();
    let mut upto = TopicPartitionList::new();
    upto.add_partition_offset("shipments", 0, Offset::Offset(100))
        .unwrap();
    let deleted = block_on(admin(&server).delete_records(&upto, &AdminOptions::new())).unwrap();
    assert_eq!(deleted.elements()[0].offset(), Offset::Offset(100));
    let consumer = consumer(&server, &[("auto.offset.reset", "error")]);
    let low = consumer
        .fetch_watermarks("shipments", 0, PATIENCE)
        .unwrap()
        .0;
    assert_eq!(low, 100);
    assign(&consumer, "shipments", 0, Offset::Offset(99));
    let refused = super::wait_for("an error", || {
        consumer.poll(Duration::from_millis(100))?.err()
    });
    let code = RDKafkaErrorCode::AutoOffsetReset;
    assert_eq!(refused, KafkaError::MessageConsumption(code));
}

#[test]
fn a_reader_at_the_end_gets_what_is_written_next() {
    let server = live();
    make_topic(&server, "tail", 1);
    let consumer = consumer(&server, &[("enable.partition.eof", "true")]);
    assign(&consumer, "tail", 0, Offset::End);
    super::wait_for("the end", || {
        match consumer.poll(Duration::from_millis(100))? {
            Err(KafkaError::PartitionEOF(0)) => Some(()),
            other => panic!("{other:?}"),
        }
    });
    let producer = producer(&server, &[]);
    producer
        .send(BaseRecord::<[u8], _>::to("tail").payload("now"))
        .unwrap();
    producer.flush(PATIENCE).unwrap();
    let read = next(&consumer, 1, |record| record.payload().map(<[u8]>::to_vec));
    assert_eq!(read, [Some(b"now".to_vec())]);
}

#[test]
fn the_shop_goes_on_while_the_clock_does() {
    let server = live();
    let consumer = consumer(&server, &[]);
    assign(&consumer, "orders", 0, Offset::End);
    let read = next(&consumer, 2, |record| record.key().map(<[u8]>::to_vec));
    for key in read {
        assert!(key.unwrap().starts_with(b"o-"));
    }
}
