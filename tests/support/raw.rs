//! Publishes records over a bare connection, for what librdkafka refuses to send: any timestamp, header names that are no
//! text, one header name several times.

use super::wait_for;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const UNKNOWN_TOPIC_OR_PARTITION: i16 = 3;
const LEADER_NOT_AVAILABLE: i16 = 5;
const NOT_LEADER: i16 = 6;

/// A record with nothing hidden.
#[derive(Clone, Default)]
pub struct Record {
    pub timestamp_ms: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Record {
    pub fn new(timestamp_ms: i64, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        let (key, value) = (Some(key.as_ref().to_vec()), Some(value.as_ref().to_vec()));
        Self {
            timestamp_ms,
            key,
            value,
            headers: Vec::new(),
        }
    }

    #[must_use]
    pub fn header(mut self, name: impl AsRef<[u8]>, value: Option<&[u8]>) -> Self {
        self.headers
            .push((name.as_ref().to_vec(), value.map(<[u8]>::to_vec)));
        self
    }
}

/// Publishes one batch to the broker at `address`, which must lead the partition. Returns the first record's offset.
pub fn produce(address: &str, topic: &str, partition: i32, records: &[Record]) -> i64 {
    send(
        address,
        topic,
        partition,
        None,
        &record_batch(records, None),
    )
}

/// The same for a producer that claims to be within a transaction, which no coordinator needs to know of. The broker
/// must not verify that: `transaction.partition.verification.enable`.
pub fn produce_open(
    address: &str,
    topic: &str,
    partition: i32,
    producer_id: i64,
    records: &[Record],
) -> i64 {
    let batch = record_batch(records, Some(producer_id));
    send(address, topic, partition, Some("nobody's"), &batch)
}

fn send(
    address: &str,
    topic: &str,
    partition: i32,
    transactional_id: Option<&str>,
    batch: &[u8],
) -> i64 {
    let mut request = Vec::new();
    request.extend(0_i16.to_be_bytes()); // Produce
    request.extend(7_i16.to_be_bytes());
    request.extend(1_i32.to_be_bytes());
    string(&mut request, "tideline-test");
    match transactional_id {
        Some(id) => string(&mut request, id),
        None => request.extend((-1_i16).to_be_bytes()),
    }
    request.extend((-1_i16).to_be_bytes()); // acknowledged by all in-sync replicas
    request.extend(30_000_i32.to_be_bytes());
    request.extend(1_i32.to_be_bytes());
    string(&mut request, topic);
    request.extend(1_i32.to_be_bytes());
    request.extend(partition.to_be_bytes());
    request.extend(length(batch).to_be_bytes());
    request.extend(batch);

    wait_for("a broker that knows that it leads the partition", || {
        let answer = exchange(address, &request);
        // Correlation id, one topic with its name, one partition with its number: then the error and the offset.
        let at = 4 + 4 + 2 + topic.len() + 4 + 4;
        match i16::from_be_bytes(answer[at..at + 2].try_into().unwrap()) {
            0 => Some(i64::from_be_bytes(
                answer[at + 2..at + 10].try_into().unwrap(),
            )),
            // A broker learns a little later than the first that a topic is there and is its own.
            UNKNOWN_TOPIC_OR_PARTITION | LEADER_NOT_AVAILABLE | NOT_LEADER => None,
            error => panic!("error {error} of the broker for {topic}/{partition}"),
        }
    })
}

fn exchange(address: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&length(request).to_be_bytes()).unwrap();
    stream.write_all(request).unwrap();
    let mut size = [0; 4];
    stream.read_exact(&mut size).unwrap();
    let mut answer = vec![0; usize::try_from(i32::from_be_bytes(size)).unwrap()];
    stream.read_exact(&mut answer).unwrap();
    answer
}

/// A record batch of format 2, uncompressed; the first batch of an open transaction of `producer`, or outside any.
fn record_batch(records: &[Record], producer: Option<i64>) -> Vec<u8> {
    let base = records[0].timestamp_ms;
    let newest = records
        .iter()
        .map(|record| record.timestamp_ms)
        .max()
        .unwrap();
    let count = i32::try_from(records.len()).unwrap();
    let mut checked = Vec::new();
    let attributes: i16 = if producer.is_some() { 0x10 } else { 0 };
    checked.extend(attributes.to_be_bytes());
    checked.extend((count - 1).to_be_bytes());
    checked.extend(base.to_be_bytes());
    checked.extend(newest.to_be_bytes());
    let number = if producer.is_some() { 0_i32 } else { -1 };
    checked.extend(producer.unwrap_or(-1).to_be_bytes());
    checked.extend(i16::try_from(number).unwrap().to_be_bytes()); // epoch
    checked.extend(number.to_be_bytes()); // sequence
    checked.extend(count.to_be_bytes());
    for (record, delta) in records.iter().zip(0..) {
        let mut body = vec![0];
        varint(&mut body, record.timestamp_ms - base);
        varint(&mut body, delta);
        nullable_bytes(&mut body, record.key.as_deref());
        nullable_bytes(&mut body, record.value.as_deref());
        varint(&mut body, i64::from(length(&record.headers)));
        for (name, value) in &record.headers {
            nullable_bytes(&mut body, Some(name));
            nullable_bytes(&mut body, value.as_deref());
        }
        varint(&mut checked, i64::from(length(&body)));
        checked.extend(body);
    }
    let mut batch = Vec::new();
    batch.extend(0_i64.to_be_bytes()); // the broker gives the offset
    batch.extend((length(&checked) + 9).to_be_bytes());
    batch.extend((-1_i32).to_be_bytes());
    batch.push(2);
    batch.extend(crc32c(&checked).to_be_bytes());
    batch.extend(checked);
    batch
}

fn length<T>(items: &[T]) -> i32 {
    i32::try_from(items.len()).unwrap()
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.extend(i16::try_from(text.len()).unwrap().to_be_bytes());
    out.extend(text.as_bytes());
}

fn nullable_bytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    varint(out, bytes.map_or(-1, |bytes| i64::from(length(bytes))));
    out.extend(bytes.unwrap_or_default());
}

fn low(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

/// Zigzag, then seven bits a byte, low ones first.
fn varint(out: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        out.push(low(rest & 0x7f) | 0x80);
        rest >>= 7;
    }
    out.push(low(rest));
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg())
        })
    })
}
