//! Records as text for the clipboard. Pure.

use std::sync::Arc;

use crate::model::Record;
use crate::model::json::{RecordLine, RecordView};

use super::super::format;
use super::super::num::u64_from_usize;
use super::super::taking::Copied;

/// The clipboard is not given more than this.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The records as JSON, a line for each, in the form in which `tideline records --json` gives them out.
pub(super) fn json_lines(records: &[Arc<Record>]) -> Copied {
    let mut text = String::new();
    let mut copied = 0_usize;
    for record in records {
        let line = RecordLine {
            record: RecordView::of(record),
        };
        let Ok(line) = serde_json::to_string(&line) else {
            continue;
        };
        if copied > 0 && text.len().saturating_add(line.len()) > MOST_BYTES {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        copied = copied.saturating_add(1);
    }
    let count = format::counted(u64_from_usize(copied), "record", "records");
    let said = if copied < records.len() {
        let all = format::count(u64_from_usize(records.len()));
        format!("Copied {count} of {all}: the clipboard is given 16 MB at most")
    } else {
        format!("Copied {count} as JSON")
    };
    Copied { text, said }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::{Header, Offset, PartitionId, Text, TimestampMs, Visibility};

    fn record(value: Option<&[u8]>) -> Arc<Record> {
        Arc::new(Record {
            topic: "orders".into(),
            partition: PartitionId(1),
            offset: Offset(88_213),
            timestamp: Some(TimestampMs(1_000)),
            timestamp_type: None,
            key: Some(Bytes::from_static(b"k")),
            value: value.map(Bytes::copy_from_slice),
            headers: vec![Header {
                name: Text::from("h"),
                value: None,
            }],
            leader_epoch: None,
            visibility: Visibility::Committed,
        })
    }

    #[test]
    fn records_are_copied_as_scripts_get_them() {
        let copied = json_lines(&[record(Some(b"{}")), record(None)]);
        let first = r#"{"record":{"topic":"orders","partition":1,"offset":88213,"timestamp_ms":1000,"timestamp_type":null,"key":{"text":"k"},"value":{"text":"{}"},"headers":[["h",null]],"leader_epoch":null,"size":4,"visibility":"committed"}}"#;
        assert_eq!(copied.text.lines().next(), Some(first));
        assert_eq!(copied.text.lines().count(), 2);
        assert_eq!(copied.said, "Copied 2 records as JSON");
    }

    #[test]
    fn too_much_is_not_copied_and_that_is_said() {
        let large = vec![b'x'; 9 * 1024 * 1024];
        let copied = json_lines(&[record(Some(&large)), record(Some(&large))]);
        assert_eq!(copied.text.lines().count(), 1);
        assert_eq!(
            copied.said,
            "Copied 1 record of 2: the clipboard is given 16 MB at most"
        );
    }
}
