//! What of a record can be copied, and the menu for it.

use egui::{ScrollArea, Ui};

use crate::model::json::RecordView;
use crate::model::{Header, Record};

use super::super::context::Cx;
use super::super::decoding::bytes_of;
use super::super::draw;
use super::super::num::u64_from_usize;
use super::super::state::detail::{Part, Picked};
use super::super::taking::{self, Copied};
use super::document::{self, Block, Content, Document};
use super::headers;
use super::input::Shown;

/// Headers that the menu names.
const NAMED_HEADERS: usize = 100;

/// The picked rows as text. Rows of values are as they were sent; of one header it is the value, of several
/// names and values.
pub(super) fn picked(
    content: &Content,
    document: &Document,
    record: &Record,
    picked: &Picked,
) -> String {
    let start = document.start_of(picked.section);
    let rows = document.rows_of(picked.section);
    let first = picked.anchor.min(picked.head);
    let end = picked.anchor.max(picked.head).saturating_add(1).min(rows);
    let mut parts: Vec<String> = Vec::new();
    let mut headers: Vec<usize> = Vec::new();
    let mut at = first;
    while at < end {
        let Some(spot) = document.spot(start.saturating_add(at)) else {
            break;
        };
        let mut taken = 1;
        if let Some(header) = document::header_at(content, &spot) {
            if headers.last() != Some(&header) {
                headers.push(header);
            }
        } else if let Some(layout) = document::layout_of(content, spot.block) {
            let left = layout.rows().saturating_sub(spot.index);
            taken = end.saturating_sub(at).min(left).max(1);
            let last = spot.index.saturating_add(taken);
            parts.push(layout.copied(spot.index..last));
        } else if !matches!(spot.block, Block::Gap | Block::Heading) {
            parts.push(document::words_at(content, record, &spot));
        }
        at = at.saturating_add(taken);
    }
    let headers: Vec<&Header> = headers
        .into_iter()
        .filter_map(|header| record.headers.get(header))
        .collect();
    if let [only] = headers.as_slice() {
        parts.push(text_of(only.value.as_deref()));
    } else {
        parts.extend(headers.into_iter().map(|header| {
            let value = text_of(header.value.as_deref());
            format!("{}: {value}", header.name)
        }));
    }
    parts.join("\n")
}

/// The record as `tideline records --json` writes it.
pub(super) fn as_json(record: &Record) -> String {
    serde_json::to_string(&RecordView::of(record)).unwrap_or_default()
}

/// A header's value as text.
fn text_of(bytes: Option<&[u8]>) -> String {
    taking::plain(bytes.unwrap_or_default())
}

/// The items of the menu.
pub(super) fn menu(ui: &mut Ui, cx: &mut Cx<'_>, shown: &Shown<'_>) {
    let record = shown.record;
    let decoded = |part: Part| {
        let bytes = bytes_of(record, part)?;
        let text = shown.content.part(part).decoding.whole_text()?;
        (text.as_bytes() != &**bytes).then(|| text.to_owned())
    };
    taking::items(ui, cx, record, &decoded);
    let whole = draw::menu_item(ui, "Copy record as JSON", None)
        .on_hover_text("In the form in which tideline records --json gives it out");
    if whole.clicked() {
        ui.close();
        let said = "Copied the record as JSON".to_owned();
        let text = as_json(record);
        taking::put(ui, cx, Copied { text, said });
    }
    if record.headers.is_empty() {
        return;
    }
    ui.separator();
    ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
        for header in record.headers.iter().take(NAMED_HEADERS) {
            let name = headers::name_of(header, 40);
            let none = header.value.is_none().then_some("Its value is null");
            let item = draw::menu_item(ui, &format!("Copy header {name}"), none);
            if item.clicked()
                && let Some(value) = header.value.as_deref()
            {
                ui.close();
                taking::put(ui, cx, taking::sent("header", value));
            }
        }
        let rest = record.headers.len().saturating_sub(NAMED_HEADERS);
        if rest > 0 {
            let count = super::super::format::count(u64_from_usize(rest));
            ui.label(format!("{count} more: click them and press Ctrl+C"));
        }
    });
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::document::PartRows;
    use super::super::headers::runs;
    use super::super::part::PartView;
    use super::*;
    use crate::model::{Offset, PartitionId, Text, TimestampMs, TimestampType, Visibility};
    use crate::ui::state::detail::Section;

    fn record() -> Record {
        let header = |name: &str, value: Option<&'static [u8]>| Header {
            name: Text::from(name),
            value: value.map(Bytes::from_static),
        };
        Record {
            topic: "t".into(),
            partition: PartitionId(2),
            offset: Offset(7),
            timestamp: Some(TimestampMs(5)),
            timestamp_type: Some(TimestampType::CreateTime),
            key: Some(Bytes::from_static(&[0xff])),
            value: Some(Bytes::from_static("a\u{202e}b\r\nc".as_bytes())),
            headers: vec![
                header("h", Some(b"1")),
                header("h", None),
                header("x", Some(&[0xfe])),
            ],
            leader_epoch: None,
            visibility: Visibility::Committed,
        }
    }

    fn copied(section: Section, rows: std::ops::RangeInclusive<u64>) -> String {
        let record = record();
        let mut view = PartView::new(record.value.clone(), 40);
        view.prepare(None, None, 1_000);
        let content = Content {
            value: PartRows {
                view,
                notes: vec!["a remark".to_owned()],
                ..PartRows::default()
            },
            headers: runs(&record.headers, 40),
            ..Content::default()
        };
        let rows = Picked {
            section,
            anchor: *rows.end(),
            head: *rows.start(),
            columns: 40,
        };
        picked(&content, &Document::new(&content), &record, &rows)
    }

    #[test]
    fn rows_of_a_value_are_copied_as_they_were_sent() {
        assert_eq!(copied(Section::Value, 2..=2), "a\u{202e}b");
        assert_eq!(copied(Section::Value, 2..=9), "a\u{202e}b\r\nc");
        assert_eq!(copied(Section::Value, 0..=1), "a remark");
    }

    #[test]
    fn one_header_is_its_value_and_several_have_names() {
        assert_eq!(copied(Section::Headers, 1..=1), "1");
        assert_eq!(copied(Section::Headers, 1..=3), "h: 1\nh: \nx: /g==");
    }

    #[test]
    fn a_record_is_copied_as_the_command_writes_it() {
        assert_eq!(
            as_json(&record()),
            "{\"topic\":\"t\",\"partition\":2,\"offset\":7,\"timestamp_ms\":5,\"timestamp_type\":\"CreateTime\",\"key\":{\"base64\":\"/w==\"},\"value\":{\"text\":\"a\u{202e}b\\r\\nc\"},\"headers\":[[\"h\",{\"text\":\"1\"}],[\"h\",null],[\"x\",{\"base64\":\"/g==\"}]],\"leader_epoch\":null,\"size\":14,\"visibility\":\"committed\"}"
        );
    }
}
