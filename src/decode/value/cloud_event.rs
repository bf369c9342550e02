//! Events of the `CloudEvents` specification: their attributes in headers, or all of the event in the value as JSON.

use std::ops::Range;

use memchr::memmem;

use crate::decode::visible;
use crate::model::Header;

use super::format::Format;
use super::out::Out;
use super::{Decoded, Setting, Shape, detect, json, media, text, wrapped};

/// How much of an attribute is shown.
const MOST_SHOWN: usize = 60;

/// What the headers say of an event whose data are the value; `None` when they say of none.
pub(super) fn attributes(headers: &[Header]) -> Option<String> {
    let [kind, source, id] = ["ce_type", "ce_source", "ce_id"]
        .map(|name| media::text_of(headers, name).map(|said| (name, said)));
    let is_event = media::text_of(headers, "ce_specversion").is_some()
        || kind.is_some() && source.is_some() && id.is_some();
    is_event.then(|| {
        let known: Vec<String> = [kind, source, id]
            .into_iter()
            .flatten()
            .map(|(name, said)| shown(name, said))
            .collect();
        format!("CloudEvent: {}", known.join(", "))
    })
}

fn shown(name: &str, said: &str) -> String {
    format!("{name} {}", visible::one_line(said.as_bytes(), MOST_SHOWN))
}

/// A value that is said to be an event as JSON.
pub(super) fn structured(bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    let decoded = text::as_json(bytes);
    if decoded.shape == Shape::Json {
        in_json(decoded, setting, 0)
    } else {
        decoded
    }
}

/// JSON as an event, when it is one.
pub(super) fn in_json(decoded: Decoded, setting: &Setting<'_>, inside: usize) -> Decoded {
    let Some(text) = decoded.text.as_deref() else {
        return decoded;
    };
    if memmem::find(text.as_bytes(), b"\"specversion\"").is_none() {
        return decoded;
    }
    let fields = json::fields(text);
    let value = |name: &str| {
        let mut fields = fields.iter();
        let (_, value) = fields.find(|(key, _)| text.get(key.clone()) == Some(name))?;
        Some(value.clone())
    };
    let string = |name: &str| {
        let value = text.get(value(name)?)?;
        serde_json::from_str::<String>(value).ok()
    };
    let (Some(_), Some(kind), Some(source), Some(id)) = (
        string("\"specversion\""),
        string("\"type\""),
        string("\"source\""),
        string("\"id\""),
    ) else {
        return decoded;
    };
    let mut evidence = format!(
        "CloudEvent in JSON: {}, {}, {}",
        shown("type", &kind),
        shown("source", &source),
        shown("id", &id)
    );
    let data = value("\"data_base64\"").and_then(|at| {
        let written = string("\"data_base64\"")?;
        let data = data_in(&written, setting, inside)?;
        let (spliced, said) = (with(text, at, &data), data.evidence);
        evidence.push_str("; data_base64 shown decoded, as ");
        evidence.push_str(&said);
        Some(spliced)
    });
    Decoded {
        format: Format::CloudEvent,
        evidence,
        text: data.or(decoded.text),
        ..decoded
    }
}

/// What the base64 of an event holds, when it can be read.
fn data_in(written: &str, setting: &Setting<'_>, inside: usize) -> Option<Decoded> {
    if inside > 0 {
        return None;
    }
    let bytes = wrapped::unbase64(written).filter(|bytes| !bytes.is_empty())?;
    let data = detect::read(&bytes, setting, 2);
    (data.text.is_some() && data.error.is_none()).then_some(data)
}

/// `text` with what was read in place of what stands `at` a place in it.
fn with(text: &str, at: Range<usize>, data: &Decoded) -> String {
    let read = data.text.as_deref().unwrap_or_default();
    let mut out = Out::default();
    out.raw(text.get(..at.start).unwrap_or_default());
    if data.shape == Shape::Json {
        out.raw(read);
    } else {
        out.string(read);
    }
    out.raw(text.get(at.end..).unwrap_or_default());
    out.finish().unwrap_or_else(|| text.to_owned())
}
