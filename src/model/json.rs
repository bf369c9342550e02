//! Records and journal entries as they are written in JSON, for scripts and for the clipboard.

use base64::Engine as _;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{
    Bookmark, Header, JournalEntry, JournalRow, JournalState, Offset, PartitionId, Record,
    RowOutcome, Text, TimestampMs, TimestampType, TopicPartition, Visibility,
};

/// A record on a line of its own.
#[derive(Debug, Serialize)]
pub(crate) struct RecordLine<'a> {
    pub(crate) record: RecordView<'a>,
}

/// A record; names and order of the fields are a promise to scripts.
#[derive(Debug, Serialize)]
pub(crate) struct RecordView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: PartitionId,
    pub(crate) offset: Offset,
    pub(crate) timestamp_ms: Option<TimestampMs>,
    pub(crate) timestamp_type: Option<TimestampType>,
    pub(crate) key: BytesView<'a>,
    pub(crate) value: BytesView<'a>,
    pub(crate) headers: Vec<(&'a Text, BytesView<'a>)>,
    pub(crate) leader_epoch: Option<i32>,
    pub(crate) size: u64,
    pub(crate) visibility: Visibility,
}

impl<'a> RecordView<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let header = |header: &'a Header| (&header.name, BytesView(header.value.as_deref()));
        Self {
            topic: &record.topic,
            partition: record.partition,
            offset: record.offset,
            timestamp_ms: record.timestamp,
            timestamp_type: record.timestamp_type,
            key: BytesView(record.key.as_deref()),
            value: BytesView(record.value.as_deref()),
            headers: record.headers.iter().map(header).collect(),
            leader_epoch: record.leader_epoch,
            size: record.size(),
            visibility: record.visibility,
        }
    }
}

/// `null`, `{"text":"…"}` for valid UTF-8, else `{"base64":"…"}`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BytesView<'a>(pub(crate) Option<&'a [u8]>);

impl Serialize for BytesView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(bytes) = self.0 else {
            return serializer.serialize_none();
        };
        let mut map = serializer.serialize_map(Some(1))?;
        if let Ok(text) = std::str::from_utf8(bytes) {
            map.serialize_entry("text", text)?;
        } else {
            map.serialize_entry("base64", &base64::prelude::BASE64_STANDARD.encode(bytes))?;
        }
        map.end()
    }
}

/// Entries of the journal in one value.
#[derive(Debug, Serialize)]
pub(crate) struct JournalLine<'a> {
    pub(crate) entries: Vec<EntryView<'a>>,
}

impl<'a> JournalLine<'a> {
    pub(crate) fn of(entries: impl IntoIterator<Item = &'a JournalEntry>) -> Self {
        Self {
            entries: entries.into_iter().map(EntryView::of).collect(),
        }
    }
}

/// An entry of the journal, whole enough to be undone from elsewhere.
#[derive(Debug, Serialize)]
pub(crate) struct EntryView<'a> {
    pub(crate) id: &'a str,
    pub(crate) at_ms: TimestampMs,
    pub(crate) user: &'a str,
    pub(crate) cluster_id: Option<&'a str>,
    pub(crate) bootstrap: &'a str,
    pub(crate) group: &'a Text,
    pub(crate) target: &'a str,
    pub(crate) confirmed: &'a [String],
    pub(crate) state: &'static str,
    pub(crate) rows: Vec<EntryRowView<'a>>,
    pub(crate) undoes: Option<&'a str>,
}

impl<'a> EntryView<'a> {
    pub(crate) fn of(entry: &'a JournalEntry) -> Self {
        Self {
            id: &entry.id,
            at_ms: entry.at,
            user: &entry.user,
            cluster_id: entry.cluster_id.as_deref(),
            bootstrap: &entry.bootstrap,
            group: &entry.group,
            target: &entry.target,
            confirmed: &entry.confirmed,
            state: entry.state.name(),
            rows: entry.rows.iter().map(EntryRowView::of).collect(),
            undoes: entry.undoes.as_deref(),
        }
    }
}

/// One partition of an entry: offsets by themselves, and what is stored beside them.
#[derive(Debug, Serialize)]
pub(crate) struct EntryRowView<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: PartitionId,
    pub(crate) topic_id: Option<&'a str>,
    pub(crate) before: Option<Offset>,
    pub(crate) before_leader_epoch: Option<i32>,
    pub(crate) before_metadata: Option<&'a Text>,
    pub(crate) after: Option<Offset>,
    pub(crate) after_leader_epoch: Option<i32>,
    pub(crate) after_metadata: Option<&'a Text>,
    pub(crate) outcome: &'static str,
    pub(crate) error: Option<&'a str>,
    /// Whether it was read back at all; where it was, `read_back` null means that there was no bookmark.
    pub(crate) was_read_back: bool,
    pub(crate) read_back: Option<Offset>,
}

impl<'a> EntryRowView<'a> {
    fn of(row: &'a JournalRow) -> Self {
        let offset = |bookmark: Option<&Bookmark>| bookmark.map(|bookmark| bookmark.offset);
        let epoch = |bookmark: Option<&Bookmark>| bookmark.and_then(|it| it.leader_epoch);
        let (before, after) = (row.before.as_ref(), row.after.as_ref());
        let (outcome, error) = match &row.outcome {
            RowOutcome::Unknown => ("unknown", None),
            RowOutcome::Accepted => ("accepted", None),
            RowOutcome::Refused(why) => ("refused", Some(why.as_str())),
        };
        Self {
            topic: &row.at.topic,
            partition: row.at.partition,
            topic_id: row.topic_id.as_deref(),
            before: offset(before),
            before_leader_epoch: epoch(before),
            before_metadata: before.map(|bookmark| &bookmark.metadata),
            after: offset(after),
            after_leader_epoch: epoch(after),
            after_metadata: after.map(|bookmark| &bookmark.metadata),
            outcome,
            error,
            was_read_back: row.read_back.is_some(),
            read_back: offset(row.read_back.as_ref().and_then(Option::as_ref)),
        }
    }
}

/// Entries as [`JournalLine`] writes them.
///
/// # Errors
/// What in `text` is not such a value, and where.
pub(crate) fn read_entries(text: &str) -> Result<Vec<JournalEntry>, String> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is not JSON ({error})"))?;
    let entries = value
        .get("entries")
        .and_then(Value::as_array)
        .ok_or("it has no list called entries")?;
    (1_usize..)
        .zip(entries)
        .map(|(number, entry)| read_entry(entry).map_err(|why| format!("entry {number}: {why}")))
        .collect()
}

fn read_entry(entry: &Value) -> Result<JournalEntry, String> {
    let text = |name: &str| -> Result<String, String> {
        let value = entry.get(name).and_then(Value::as_str);
        value
            .map(str::to_owned)
            .ok_or_else(|| format!("{name} is missing"))
    };
    let state = text("state")?;
    let rows = entry.get("rows").and_then(Value::as_array);
    Ok(JournalEntry {
        id: text("id")?,
        at: TimestampMs(
            entry
                .get("at_ms")
                .and_then(Value::as_i64)
                .ok_or("at_ms is missing")?,
        ),
        user: text("user").unwrap_or_default(),
        cluster_id: text("cluster_id").ok(),
        bootstrap: text("bootstrap").unwrap_or_default(),
        group: read_text(entry.get("group")).ok_or("group is missing")?,
        target: text("target").unwrap_or_default(),
        confirmed: entry
            .get("confirmed")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        state: JournalState::from_name(&state)
            .ok_or_else(|| format!("the state “{state}” is not known here"))?,
        rows: rows
            .ok_or("rows are missing")?
            .iter()
            .map(read_row)
            .collect::<Result<_, _>>()?,
        undoes: text("undoes").ok(),
    })
}

fn read_row(row: &Value) -> Result<JournalRow, String> {
    let topic = row.get("topic").and_then(Value::as_str);
    let partition = row
        .get("partition")
        .and_then(Value::as_i64)
        .and_then(|number| i32::try_from(number).ok())
        .filter(|number| *number >= 0)
        .ok_or("a row has no partition")?;
    let offset = |name: &str| -> Result<Option<Offset>, String> {
        match row.get(name) {
            None => Err(format!("a row has no {name}")),
            Some(Value::Null) => Ok(None),
            Some(value) => match value.as_i64() {
                Some(offset @ 0..) => Ok(Some(Offset(offset))),
                _ => Err(format!("{name} is no offset: {value}")),
            },
        }
    };
    let bookmark = |name: &str| -> Result<Option<Bookmark>, String> {
        let epoch = row.get(format!("{name}_leader_epoch"));
        Ok(offset(name)?.map(|offset| Bookmark {
            offset,
            leader_epoch: epoch
                .and_then(Value::as_i64)
                .and_then(|epoch| i32::try_from(epoch).ok()),
            metadata: read_text(row.get(format!("{name}_metadata")))
                .unwrap_or_else(|| Text::from("")),
        }))
    };
    let outcome = row.get("outcome").and_then(Value::as_str);
    let error = row.get("error").and_then(Value::as_str);
    Ok(JournalRow {
        at: TopicPartition::new(topic.ok_or("a row has no topic")?, partition),
        topic_id: row
            .get("topic_id")
            .and_then(Value::as_str)
            .map(str::to_owned),
        before: bookmark("before")?,
        after: bookmark("after")?,
        outcome: match outcome {
            Some("accepted") => RowOutcome::Accepted,
            Some("refused") => RowOutcome::Refused(error.unwrap_or_default().to_owned()),
            _ => RowOutcome::Unknown,
        },
        read_back: None,
    })
}

/// Text as it is written: a string, or `{"base64":"…"}` for bytes that are none.
fn read_text(value: Option<&Value>) -> Option<Text> {
    let value = value?;
    if let Some(text) = value.as_str() {
        return Some(Text::from(text));
    }
    let base64 = value.get("base64")?.as_str()?;
    let bytes = base64::prelude::BASE64_STANDARD.decode(base64).ok()?;
    Some(Text::from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_written_with_all_that_undoing_needs() {
        let entry = JournalEntry {
            id: "j-1".into(),
            at: TimestampMs(1_796_047_093_000),
            user: "alice".into(),
            cluster_id: Some("c-1".into()),
            bootstrap: "kafka-1:9092".into(),
            group: Text::from("billing"),
            target: "earliest".into(),
            confirmed: vec!["billing".into()],
            state: JournalState::Watching,
            rows: vec![JournalRow {
                at: TopicPartition::new("orders", 1),
                topic_id: None,
                before: Some(Bookmark {
                    offset: Offset(88_190),
                    leader_epoch: Some(4),
                    metadata: Text::from("m"),
                }),
                after: Some(Bookmark::plain(Offset(84_091))),
                outcome: RowOutcome::Accepted,
                read_back: Some(None),
            }],
            undoes: None,
        };
        let json = serde_json::to_value(JournalLine::of([&entry])).unwrap();
        let expected = serde_json::json!({"entries": [{
            "id": "j-1", "at_ms": 1_796_047_093_000_i64, "user": "alice", "cluster_id": "c-1",
            "bootstrap": "kafka-1:9092", "group": "billing", "target": "earliest",
            "confirmed": ["billing"], "state": "watching",
            "rows": [{
                "topic": "orders", "partition": 1, "topic_id": null,
                "before": 88_190, "before_leader_epoch": 4, "before_metadata": "m",
                "after": 84_091, "after_leader_epoch": null, "after_metadata": "",
                "outcome": "accepted", "error": null, "was_read_back": true, "read_back": null
            }],
            "undoes": null
        }]});
        assert_eq!(json, expected);
        let read = read_entries(&json.to_string()).unwrap();
        let unread = JournalRow {
            read_back: None,
            ..entry.rows[0].clone()
        };
        let rows = vec![unread];
        assert_eq!(read, [JournalEntry { rows, ..entry }]);
    }

    #[test]
    fn what_is_no_journal_is_refused_and_where() {
        for (text, why) in [
            ("{", "it is not JSON"),
            ("{}", "no list called entries"),
            (r#"{"entries":[{}]}"#, "entry 1: state is missing"),
            (
                r#"{"entries":[{"id":"a","at_ms":1,"group":"g","state":"passed","rows":[{"topic":"t","partition":0,"before":-1}]}]}"#,
                "entry 1: before is no offset: -1",
            ),
        ] {
            let told = read_entries(text).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }
}
