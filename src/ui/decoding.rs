//! Reading records' parts for the window: how a person wants them read, and which formats there are to choose
//! from. Pure.

use std::borrow::Cow;
use std::sync::Arc;

use crate::decode::fields;
use crate::decode::schema::Schemas;
use crate::decode::value::{Decoded, Decoders, Format, Part, Shape, decode_part};
use crate::engine::Snapshot;
use crate::model::Record;

use super::state::UiState;

/// A part of more bytes than this is not decoded in passing: it could hold up a frame.
pub const MOST_BYTES: usize = 1024 * 1024;

/// What a format is called in the window.
pub fn title(format: Format) -> String {
    let mut chars = format.label().chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// How a part of records is called where all of a topic's are meant.
pub fn parts_name(part: Part) -> &'static str {
    match part {
        Part::Value => "values",
        Part::Key => "keys",
    }
}

/// The bytes of a part.
pub fn bytes_of(record: &Record, part: Part) -> Option<&bytes::Bytes> {
    match part {
        Part::Value => record.value.as_ref(),
        Part::Key => record.key.as_ref(),
    }
}

/// How parts are read, as of one moment. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Reader {
    decoders: Arc<Decoders>,
    schemas: Arc<dyn Schemas>,
}

impl Reader {
    /// How the person wants them read, with the schemas that are known.
    pub fn of(state: &UiState, snapshot: &Snapshot) -> Self {
        Self {
            decoders: Arc::clone(&state.decoders),
            schemas: Arc::clone(&snapshot.schemas),
        }
    }

    /// Whether `other` reads everything in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.schemas, &other.schemas)
            && (Arc::ptr_eq(&self.decoders, &other.decoders) || self.decoders == other.decoders)
    }

    /// Whether `other` knows the same schemas.
    pub fn has_same_schemas(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.schemas, &other.schemas)
    }

    /// How the person wants a part of this topic's records read; `None` by evidence.
    pub fn chosen(&self, topic: &str, part: Part) -> Option<Format> {
        self.decoders.chosen(topic, part)
    }

    /// A part of `record`, decoded whatever its size.
    pub fn decode(&self, record: &Record, part: Part) -> Decoded {
        decode_part(record, part, &self.decoders, &*self.schemas)
    }

    /// A part of `record` as text, when it was decoded to one that is not simply its bytes; `None` otherwise,
    /// and where it is too large to be decoded in passing.
    pub fn text(&self, record: &Record, part: Part) -> Option<String> {
        let bytes = bytes_of(record, part)?;
        if bytes.is_empty() || bytes.len() > MOST_BYTES {
            return None;
        }
        other_text(self.decode(record, part), bytes)
    }

    /// The value as JSON in which fields can be looked for: as it was sent when that is text, else what it was
    /// decoded to. `None` when there is none or it is too large to be looked into.
    pub fn json<'r>(&self, record: &'r Record) -> Option<Cow<'r, str>> {
        let value = record.value.as_deref()?;
        if value.len() > fields::MOST_BYTES {
            return None;
        }
        let is_chosen = self.chosen(&record.topic, Part::Value).is_some();
        if !is_chosen && let Some(text) = plain_json(value) {
            return Some(Cow::Borrowed(text));
        }
        let decoded = self.decode(record, Part::Value);
        match (decoded.shape, decoded.text) {
            (Shape::Json, Some(text)) if text.len() <= fields::MOST_BYTES => Some(Cow::Owned(text)),
            _ => std::str::from_utf8(value).ok().map(Cow::Borrowed),
        }
    }
}

/// `bytes` as text when they are text that begins like an object or a list.
fn plain_json(bytes: &[u8]) -> Option<&str> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if !matches!(first, b'{' | b'[') {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// The text that `bytes` were decoded to, when it is another one than they are themselves.
pub fn other_text(decoded: Decoded, bytes: &[u8]) -> Option<String> {
    decoded.text.filter(|text| text.as_bytes() != bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::schema::NoSchemas;
    use crate::model::by_hand;

    #[test]
    fn formats_have_titles() {
        assert_eq!(title(Format::Json), "JSON");
        assert_eq!(title(Format::Text), "Text");
        assert_eq!(title(Format::ConsumerOffsets), "__consumer_offsets");
    }

    #[test]
    fn text_that_is_the_bytes_themselves_is_no_other_text() {
        let decoded = |text: &str| Decoded {
            format: Format::Text,
            evidence: String::new(),
            text: Some(text.to_owned()),
            shape: Shape::Text,
            error: None,
            needs: None,
        };
        assert_eq!(other_text(decoded("a"), b"a"), None);
        assert_eq!(
            other_text(decoded("4711"), &[0x12, 0x67]).as_deref(),
            Some("4711")
        );
    }

    #[test]
    fn a_choice_is_read_and_two_readers_are_told_apart() {
        let reader = |decoders: Decoders| Reader {
            decoders: Arc::new(decoders),
            schemas: Arc::new(NoSchemas),
        };
        let plain = reader(Decoders::default());
        let mut chosen = Decoders::default();
        chosen.choose("orders", Part::Key, Some(Format::Hex));
        let chosen = reader(chosen);
        assert_eq!(chosen.chosen("orders", Part::Key), Some(Format::Hex));
        assert_eq!(chosen.chosen("orders", Part::Value), None);
        assert!(!plain.is_same(&chosen));
        assert!(plain.is_same(&plain.clone()));
        let mut record = by_hand::record("orders", 0, 1);
        record.value = Some(bytes::Bytes::from_static(b" {\"a\":1}"));
        assert_eq!(plain.json(&record).as_deref(), Some(" {\"a\":1}"));
    }
}
