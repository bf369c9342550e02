//! What a part of a record was decoded to: worked out once, and on a thread of its own when it is large. Pure.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::decode::rows::Form;
use crate::decode::schema::SchemaId;
use crate::decode::value::{Decoded, Format, Shape};
use crate::model::Record;

use super::super::decoding::{MOST_BYTES, Reader, bytes_of, parts_name, title};
use super::super::format;
use super::super::num::u64_from_usize;
use super::super::state::detail::Part;

/// How far it is.
#[derive(Debug, Default)]
enum Reading {
    /// There is nothing to decode: null, or of no length.
    #[default]
    Nothing,
    /// It is decoded only when that is asked for; so many bytes.
    Large(usize),
    /// A thread is at it.
    Working(Arc<OnceLock<Decoded>>),
    /// This is what it is.
    Done(Decoded),
}

/// A part, decoded.
#[derive(Debug, Default)]
pub(super) struct Decoding {
    reading: Reading,
    /// What it was decoded to, where that is not what was sent, and how it is laid out.
    text: Option<(Bytes, Form)>,
    /// How the person wants it read.
    chosen: Option<Format>,
}

/// The line below the heading of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FormatLine {
    /// It was read as this format, and why.
    Read {
        /// What the format is called.
        title: String,
        /// Why it was read so; empty when there is nothing to say.
        why: String,
    },
    /// It is large; what decodes it all the same.
    Large {
        /// What the button says.
        button: String,
    },
    /// It is being decoded.
    Working,
}

impl Decoding {
    /// A part of `record`, decoded unless it is large.
    pub(super) fn of(reader: &Reader, record: &Record, part: Part) -> Self {
        let mut decoding = Self {
            chosen: reader.chosen(&record.topic, part),
            ..Self::default()
        };
        match bytes_of(record, part) {
            None => {}
            Some(bytes) if bytes.is_empty() => {}
            Some(bytes) if bytes.len() > MOST_BYTES => {
                decoding.reading = Reading::Large(bytes.len());
            }
            Some(bytes) => decoding.finish(reader.decode(record, part), bytes),
        }
        decoding
    }

    fn finish(&mut self, decoded: Decoded, bytes: &Bytes) {
        self.text = decoded
            .text
            .as_ref()
            // A dump of the bytes is one of the forms in which they are shown.
            .filter(|text| decoded.format != Format::Hex && text.as_bytes() != &**bytes)
            .map(|text| {
                let form = match decoded.shape {
                    Shape::Json => Form::Json,
                    Shape::Text => Form::Text,
                };
                (Bytes::from(text.clone().into_bytes()), form)
            });
        self.reading = Reading::Done(decoded);
    }

    /// Begins to decode a large part on a thread of its own, which calls `wake` when it is done. Nothing happens
    /// to a part that is not large.
    pub(super) fn begin(
        &mut self,
        reader: &Reader,
        record: &Arc<Record>,
        part: Part,
        wake: impl FnOnce() + Send + 'static,
    ) {
        if !matches!(self.reading, Reading::Large(_)) {
            return;
        }
        let place = Arc::new(OnceLock::new());
        let (filled, reader, record) = (Arc::clone(&place), reader.clone(), Arc::clone(record));
        let begun = std::thread::Builder::new()
            .name("decode".to_owned())
            .spawn(move || {
                // Set once: this thread alone does.
                drop(filled.set(reader.decode(&record, part)));
                wake();
            });
        self.reading = match begun {
            Ok(_) => Reading::Working(place),
            Err(error) => Reading::Done(Decoded {
                format: Format::Hex,
                evidence: String::new(),
                text: None,
                shape: Shape::Text,
                error: Some(format!(
                    "It cannot be decoded: no thread can be started ({error})"
                )),
                needs: None,
            }),
        };
    }

    /// Takes what the thread found, when it is done; whether it was just now.
    pub(super) fn take(&mut self, bytes: Option<&Bytes>) -> bool {
        let Reading::Working(place) = &self.reading else {
            return false;
        };
        let (Some(decoded), Some(bytes)) = (place.get().cloned(), bytes) else {
            return false;
        };
        self.finish(decoded, bytes);
        true
    }

    fn done(&self) -> Option<&Decoded> {
        match &self.reading {
            Reading::Done(decoded) => Some(decoded),
            _ => None,
        }
    }

    /// The schema that is missing.
    pub(super) fn needs(&self) -> Option<SchemaId> {
        self.done()?.needs
    }

    /// What it was decoded to, where that is not what was sent, and how it is laid out.
    pub(super) fn text(&self) -> Option<(Bytes, Form)> {
        self.text.clone()
    }

    /// What it was decoded to as text, also where that is what was sent.
    pub(super) fn whole_text(&self) -> Option<&str> {
        self.done()?.text.as_deref()
    }

    /// The form in which its bytes are best shown, when the person chose one.
    pub(super) fn chosen_form(&self) -> Option<Form> {
        match self.chosen? {
            Format::Json => Some(Form::Json),
            Format::Text => Some(Form::Text),
            Format::Hex => Some(Form::Hex),
            _ => None,
        }
    }

    /// Why it could not be decoded, or not wholly.
    pub(super) fn error(&self) -> Option<&str> {
        self.done()?.error.as_deref()
    }

    /// What the line below the heading says; `None` where there is nothing to decode.
    pub(super) fn line(&self, topic: &str, part: Part) -> Option<FormatLine> {
        match &self.reading {
            Reading::Nothing => None,
            Reading::Large(bytes) => {
                let size = format::size(u64_from_usize(*bytes));
                Some(FormatLine::Large {
                    button: format!("Decode {size}…"),
                })
            }
            Reading::Working(_) => Some(FormatLine::Working),
            Reading::Done(decoded) => {
                let title = title(decoded.format);
                // It stands behind the name already.
                let evidence = decoded
                    .evidence
                    .strip_prefix(decoded.format.label())
                    .and_then(|rest| rest.strip_prefix(": "))
                    .unwrap_or(&decoded.evidence);
                let why = if self.chosen.is_some() {
                    let chosen = format!("chosen for {} of {topic}", parts_name(part));
                    [chosen.as_str(), evidence]
                        .into_iter()
                        .filter(|said| !said.is_empty())
                        .collect::<Vec<_>>()
                        .join(": ")
                } else {
                    evidence.to_owned()
                };
                Some(FormatLine::Read { title, why })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Snapshot;
    use crate::model::TimestampMs;
    use crate::model::by_hand;
    use crate::ui::state::{Msg, UiState, ViewRange};

    fn reader(chosen: Option<Format>) -> Reader {
        let mut state = UiState::default();
        let shown = ViewRange::between(TimestampMs(0), TimestampMs(1));
        state.apply(Msg::ReadAs("orders".into(), Part::Value, chosen), shown);
        Reader::of(&state, &Snapshot::default())
    }

    fn record(value: Option<Vec<u8>>) -> Arc<Record> {
        let mut record = by_hand::record("orders", 0, 1);
        record.value = value.map(Bytes::from);
        Arc::new(record)
    }

    #[test]
    fn null_and_empty_are_not_decoded() {
        for value in [None, Some(vec![])] {
            let decoding = Decoding::of(&reader(None), &record(value), Part::Value);
            assert_eq!(decoding.line("orders", Part::Value), None);
            assert_eq!(decoding.text(), None);
        }
    }

    #[test]
    fn a_choice_is_said_with_the_topic_it_holds_for() {
        let value = Some(b"{}".to_vec());
        let decoding = Decoding::of(&reader(Some(Format::Hex)), &record(value), Part::Value);
        assert_eq!(decoding.chosen_form(), Some(Form::Hex));
        let Some(FormatLine::Read { why, .. }) = decoding.line("orders", Part::Value) else {
            panic!("it was read");
        };
        assert!(why.starts_with("chosen for values of orders"), "{why}");
    }

    #[test]
    fn a_large_part_waits_until_it_is_asked_for_and_is_read_aside() {
        let reader = reader(None);
        let record = record(Some(vec![b'x'; MOST_BYTES + 1]));
        let mut decoding = Decoding::of(&reader, &record, Part::Value);
        assert_eq!(
            decoding.line("orders", Part::Value),
            Some(FormatLine::Large {
                button: "Decode 1 MB…".to_owned()
            })
        );
        let (done, wait) = std::sync::mpsc::sync_channel(1);
        decoding.begin(&reader, &record, Part::Value, move || {
            done.send(()).unwrap();
        });
        assert_eq!(
            decoding.line("orders", Part::Value),
            Some(FormatLine::Working)
        );
        wait.recv().unwrap();
        assert!(decoding.take(record.value.as_ref()));
        assert_eq!(decoding.whole_text().map(str::len), Some(MOST_BYTES + 1));
        assert!(!decoding.take(record.value.as_ref()));
    }
}
