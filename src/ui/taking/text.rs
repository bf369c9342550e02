//! Records as text: values, addresses, a command that reads a record again, a body that sends it. Pure.

use base64::Engine as _;
use serde_json::{Map, Value, json};

use jiff::tz::TimeZone;

use crate::model::time::zoned;
use crate::model::{Record, Visibility, shell_word};

use super::super::format;
use super::super::num::u64_from_usize;

/// Text for the clipboard, and what to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The text.
    pub text: String,
    /// What to say.
    pub said: String,
}

/// Bytes as text; those that are not UTF-8 as base64.
pub fn plain(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| base64(bytes), str::to_owned)
}

fn base64(bytes: &[u8]) -> String {
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

/// Key or value, named `what`, as it was sent; what is no text in base64.
pub fn sent(what: &str, bytes: &[u8]) -> Copied {
    let text = plain(bytes);
    let said = if std::str::from_utf8(bytes).is_ok() {
        let size = format::size(u64_from_usize(bytes.len()));
        format!("Copied the {what}, {size}")
    } else {
        format!("Copied the {what} in base64, for it is no text")
    };
    Copied { text, said }
}

/// Key or value, named `what`, as it was decoded.
pub fn decoded(what: &str, text: String) -> Copied {
    Copied {
        said: format!("Copied the {what} as it was decoded"),
        text,
    }
}

/// Where a record lies, as it can be pasted to go there.
pub fn address(record: &Record) -> Copied {
    let text = format!("{}/{}/{}", record.topic, record.partition, record.offset);
    Copied {
        said: format!("Copied {text}"),
        text,
    }
}

/// How a bus is reached by another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Hosts and ports, separated by commas.
    pub addresses: String,
    /// Whether more than addresses was needed: TLS, a user.
    pub by_settings: bool,
}

/// A kcat command that reads exactly this record. Holds nothing of the connection but addresses.
pub fn kcat(record: &Record, reached: &Reached) -> Copied {
    // Without it kcat would pass over what careful readers are not given and show the next record instead.
    let isolation = match record.visibility {
        Visibility::Committed => "",
        Visibility::Aborted | Visibility::Open | Visibility::Unknown => {
            " -X isolation.level=read_uncommitted"
        }
    };
    let text = format!(
        "kcat -C -b {} -t {} -p {} -o {} -c 1 -e{isolation}",
        shell_word(&reached.addresses),
        shell_word(&record.topic),
        record.partition,
        record.offset
    );
    let said = if reached.by_settings {
        "Copied the kcat command; it needs this connection's settings too: add them with -F FILE"
    } else {
        "Copied the kcat command"
    };
    Copied {
        text,
        said: said.to_owned(),
    }
}

/// The record as the body of a request by which a REST proxy (v3) would produce it, without loss: text as text,
/// other bytes in base64, headers in their order.
pub fn rest_body(record: &Record) -> Copied {
    let part = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => json!({"type": "STRING", "data": text}),
        Err(_) => json!({"type": "BINARY", "data": base64(bytes)}),
    };
    let mut body = Map::new();
    body.insert("partition_id".to_owned(), json!(record.partition.0));
    if !record.headers.is_empty() {
        let headers = record.headers.iter().map(|header| {
            let mut map = Map::new();
            map.insert("name".to_owned(), json!(header.name.lossy()));
            if let Some(value) = &header.value {
                map.insert("value".to_owned(), json!(base64(value)));
            }
            Value::Object(map)
        });
        body.insert("headers".to_owned(), headers.collect());
    }
    for (name, bytes) in [("key", &record.key), ("value", &record.value)] {
        if let Some(bytes) = bytes {
            body.insert(name.to_owned(), part(bytes));
        }
    }
    let time = record.timestamp.and_then(|at| zoned(at, &TimeZone::UTC));
    if let Some(time) = time {
        let time = time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        body.insert("timestamp".to_owned(), json!(time));
    }
    Copied {
        text: Value::Object(body).to_string(),
        said: "Copied a body for curl: POST …/v3/clusters/ID/topics/TOPIC/records of a REST proxy"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::{Header, Text, TimestampMs, by_hand};

    fn record(topic: &str) -> Record {
        Record {
            key: Some(Bytes::from_static(&[0xff])),
            value: Some(Bytes::from_static(b"{\"a\":1.0}")),
            timestamp: Some(TimestampMs(1_796_043_720_007)),
            headers: [("h", Some(&b"1"[..])), ("h", None)]
                .map(|(name, value)| Header {
                    name: Text::from(name),
                    value: value.map(Bytes::copy_from_slice),
                })
                .into(),
            ..by_hand::record(topic, 3, 88_213)
        }
    }

    fn reached(by_settings: bool) -> Reached {
        Reached {
            addresses: "kafka-1:9092,[::1]:9092".to_owned(),
            by_settings,
        }
    }

    #[test]
    fn values_are_copied_as_they_were_sent() {
        assert_eq!(sent("value", b"abc").text, "abc");
        let bytes = sent("key", &[0xff, b'a']);
        assert_eq!(bytes.text, "/2E=");
        assert!(bytes.said.contains("base64"));
        assert_eq!(address(&record("orders")).text, "orders/3/88213");
    }

    #[test]
    fn a_command_reads_exactly_this_record_whatever_its_topic_is_called() {
        assert_eq!(
            kcat(&record("orders"), &reached(false)).text,
            "kcat -C -b 'kafka-1:9092,[::1]:9092' -t orders -p 3 -o 88213 -c 1 -e"
        );
        let odd = kcat(&record("a'; rm -rf ~ #"), &reached(true));
        assert!(
            odd.text.contains(r"-t 'a'\''; rm -rf ~ #' -p 3"),
            "{}",
            odd.text
        );
        assert!(odd.said.contains("-F FILE"));
        let aborted = Record {
            visibility: Visibility::Aborted,
            ..record("orders")
        };
        assert!(
            kcat(&aborted, &reached(false))
                .text
                .ends_with(" -X isolation.level=read_uncommitted")
        );
    }

    #[test]
    fn a_body_loses_nothing() {
        let body: Value = serde_json::from_str(&rest_body(&record("orders")).text).unwrap();
        assert_eq!(
            body,
            json!({
                "partition_id": 3,
                "headers": [{"name": "h", "value": "MQ=="}, {"name": "h"}],
                "key": {"type": "BINARY", "data": "/w=="},
                "value": {"type": "STRING", "data": "{\"a\":1.0}"},
                "timestamp": "2026-11-30T13:02:00.007Z"
            })
        );
        let empty = Record {
            key: None,
            value: None,
            timestamp: None,
            headers: vec![],
            ..record("orders")
        };
        assert_eq!(rest_body(&empty).text, "{\"partition_id\":3}");
    }
}
