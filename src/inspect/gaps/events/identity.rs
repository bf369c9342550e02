//! The id by which an event is known, where it carries one.

use crate::decode::fields::{self, Path};
use crate::model::Record;

/// Header names that carry the event's own id, without separators and in lower case: Debezium's outbox, `MassTransit` and
/// Brighter, `NServiceBus`, Rebus, CAP, Watermill, Axon, and what people call it by themselves.
const IDS: [&str; 11] = [
    "eventid",
    "messageid",
    "nservicebusmessageid",
    "rbs2msgid",
    "capmsgid",
    "watermillmessageuuid",
    "axonmessageid",
    "xmessageid",
    "idempotencykey",
    "deduplicationid",
    "id",
];
/// Larger values are not searched for the attributes of a cloud event.
const MOST: usize = 64 * 1024;

/// What makes an event one: its id, and the source within which the id is unique.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) source: Vec<u8>,
    pub(super) id: Vec<u8>,
}

/// The identity of a record, where it has one.
pub(super) fn identity(record: &Record) -> Option<Identity> {
    if record.headers.is_empty() {
        return None;
    }
    if let Some(id) = header(record, "ceid") {
        let source = header(record, "cesource").unwrap_or_default().to_vec();
        let id = id.to_vec();
        return Some(Identity { source, id });
    }
    if let Some(attributes) = structured(record) {
        return Some(attributes);
    }
    IDS.iter().find_map(|name| {
        let id = header(record, name).filter(|id| !id.is_empty())?.to_vec();
        let source = Vec::new();
        Some(Identity { source, id })
    })
}

/// A cloud event that is in the value as a whole.
fn structured(record: &Record) -> Option<Identity> {
    let kind = header(record, "contenttype")?;
    if !kind
        .to_ascii_lowercase()
        .starts_with(b"application/cloudevents+json")
    {
        return None;
    }
    let value = record
        .value
        .as_deref()
        .filter(|value| value.len() <= MOST)?;
    let text = std::str::from_utf8(value).ok()?;
    let field = |path| Some(fields::find(text, &Path::parse(path)?)?.text().into_bytes());
    Some(Identity {
        source: field(".source").unwrap_or_default(),
        id: field(".id")?,
    })
}

/// The value of the first header whose name is `name` when case and separators do not count.
pub(super) fn header<'r>(record: &'r Record, name: &str) -> Option<&'r [u8]> {
    let mut headers = record.headers.iter();
    let header = headers.find(|header| is_same(header.name.as_bytes(), name))?;
    header.value.as_deref()
}

fn is_same(written: &[u8], name: &str) -> bool {
    let letters = written
        .iter()
        .filter(|byte| !matches!(byte, b'_' | b'-' | b'.'))
        .map(u8::to_ascii_lowercase);
    letters.eq(name.bytes())
}
