//! Records in JSON with what their keys and values were decoded to, as scripts and files get them.

use serde::Serialize;

use crate::model::Record;
use crate::model::json::RecordView;

use super::value::Decoded;

/// A record on a line of its own, decoded beside.
#[derive(Debug, Serialize)]
pub(crate) struct DecodedLine<'a> {
    record: DecodedRecord<'a>,
}

#[derive(Debug, Serialize)]
struct DecodedRecord<'a> {
    #[serde(flatten)]
    record: RecordView<'a>,
    key_decoded: DecodedView<'a>,
    value_decoded: DecodedView<'a>,
}

/// What a part was decoded to; names and order of the fields are a promise to scripts.
#[derive(Debug, Serialize)]
struct DecodedView<'a> {
    format: &'static str,
    evidence: &'a str,
    /// The decoded text itself, with its own digits and its own order.
    value: Option<&'a str>,
    error: Option<&'a str>,
}

impl<'a> DecodedLine<'a> {
    /// `record` and its key and value, decoded.
    pub(crate) fn of(record: &'a Record, [key, value]: &'a [Decoded; 2]) -> Self {
        Self {
            record: DecodedRecord {
                record: RecordView::of(record),
                key_decoded: DecodedView::of(key),
                value_decoded: DecodedView::of(value),
            },
        }
    }
}

impl<'a> DecodedView<'a> {
    fn of(decoded: &'a Decoded) -> Self {
        Self {
            format: decoded.format.name(),
            evidence: &decoded.evidence,
            value: decoded.text.as_deref(),
            error: decoded.error.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::value::{Format, Shape};
    use crate::model::by_hand;

    #[test]
    fn what_was_decoded_stands_beside_the_record() {
        let decoded = |format, text: Option<&str>| Decoded {
            format,
            evidence: "because".to_owned(),
            text: text.map(str::to_owned),
            shape: Shape::Json,
            error: text.is_none().then(|| "at byte 3".to_owned()),
            needs: None,
        };
        let record = by_hand::record("t", 3, 17);
        let both = [
            decoded(Format::Hex, None),
            decoded(Format::Json, Some("{\"a\":1.10,\"a\":2}")),
        ];
        let line = serde_json::to_value(DecodedLine::of(&record, &both)).unwrap();
        let record = &line["record"];
        assert_eq!(record["topic"], "t");
        assert_eq!(record["offset"], 17);
        let key = serde_json::json!({"format": "hex", "evidence": "because", "value": null, "error": "at byte 3"});
        assert_eq!(record["key_decoded"], key);
        assert_eq!(record["value_decoded"]["value"], "{\"a\":1.10,\"a\":2}");
        assert_eq!(record["value_decoded"]["error"], serde_json::Value::Null);
    }
}
