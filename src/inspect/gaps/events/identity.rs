//! What a record says of itself: its id, its kind, its source, its place in a sequence.
//!
//! Names of headers are compared without separators, case and the prefixes that carriers put in front. One walk over the
//! headers finds all of it and copies nothing.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;

use crate::decode::fields::{self, Path};
use crate::model::{Header, Record};

/// Larger values are not searched for the attributes of a cloud event.
const MOST: usize = 64 * 1024;
/// An id in a header that is called nothing but `id` is the event's own, and not that of an order or a customer, when it
/// is as long as ids that nobody hands out twice: a UUID, a ULID, a number with a time in it.
const LONG: usize = 16;
/// Longer names of headers are none of those that are looked for.
const LONGEST_NAME: usize = 40;

/// How an event is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity<'r> {
    pub(super) id: Cow<'r, [u8]>,
    /// Within which the id is unique: the source of a cloud event, else the type of the event.
    pub(super) scope: Cow<'r, [u8]>,
    /// Whether the id may be one that several events share: then only the same content makes them one.
    pub(super) is_weak: bool,
}

/// A place in the sequence of a source, as `CloudEvents` has it: to be compared as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequenced<'r> {
    pub(super) source: Cow<'r, [u8]>,
    pub(super) sequence: Cow<'r, [u8]>,
}

/// What a record says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks<'r> {
    pub(super) identity: Option<Identity<'r>>,
    pub(super) sequenced: Option<Sequenced<'r>>,
}

/// What a header is by its name.
enum Role {
    CloudId,
    CloudSource,
    CloudSequence,
    /// The event's id; the lower the rank, the surer.
    Id(u8),
    /// The type of the event.
    Type,
}

/// An id called nothing but that.
const BARE: u8 = 2;

/// What the header of this name is, without separators and in lower case.
fn role(name: &[u8]) -> Option<Role> {
    Some(match name {
        b"ceid" => Role::CloudId,
        b"cesource" => Role::CloudSource,
        b"cesequence" => Role::CloudSequence,
        // What people call it.
        b"eventid" => Role::Id(0),
        // MassTransit and Brighter, NServiceBus, Rebus, CAP, Watermill, Axon.
        b"messageid"
        | b"nservicebusmessageid"
        | b"rbs2msgid"
        | b"capmsgid"
        | b"watermillmessageuuid"
        | b"axonmessageid" => Role::Id(1),
        // Debezium's outbox, Wolverine, Spring, Eventuate.
        b"id" => Role::Id(BARE),
        // What only says that something should not be done twice.
        b"idempotencykey" | b"deduplicationid" => Role::Id(3),
        b"eventtype"
        | b"type"
        | b"messagetype"
        | b"mtmessagetype"
        | b"nservicebusenclosedmessagetypes"
        | b"rbs2msgtype"
        | b"capmsgname"
        | b"axonmessagetype"
        | b"typeid" => Role::Type,
        _ => return None,
    })
}

/// What the headers say.
#[derive(Default)]
struct Said<'r> {
    cloud_id: Option<&'r [u8]>,
    cloud_source: Option<&'r [u8]>,
    cloud_sequence: Option<&'r [u8]>,
    id: Option<(u8, &'r [u8])>,
    kind: Option<&'r [u8]>,
}

impl<'r> Said<'r> {
    fn hear(&mut self, header: &'r Header) {
        let Some(value) = header.value.as_deref().filter(|value| !value.is_empty()) else {
            return;
        };
        let mut letters = [0; LONGEST_NAME];
        let name = plain(header.name.as_bytes(), &mut letters);
        match name.and_then(role) {
            Some(Role::CloudId) => self.cloud_id = self.cloud_id.or(Some(value)),
            Some(Role::CloudSource) => self.cloud_source = self.cloud_source.or(Some(value)),
            Some(Role::CloudSequence) => self.cloud_sequence = self.cloud_sequence.or(Some(value)),
            Some(Role::Type) => self.kind = self.kind.or(Some(value)),
            Some(Role::Id(rank)) if self.id.is_none_or(|(known, _)| rank < known) => {
                self.id = Some((rank, value));
            }
            Some(Role::Id(_)) | None => {}
        }
    }
}

/// The name without separators, case and what carriers put in front, in `letters`; `None` for one that is too long or
/// ends like none of those that have a role.
fn plain<'l>(name: &[u8], letters: &'l mut [u8; LONGEST_NAME]) -> Option<&'l [u8]> {
    name.last().filter(|last| b"dDeEsSyY_".contains(last))?;
    let name = [&b"x-"[..], b"kafka_"]
        .iter()
        .find_map(|prefix| {
            let (start, rest) = name.split_at_checked(prefix.len())?;
            start.eq_ignore_ascii_case(prefix).then_some(rest)
        })
        .unwrap_or(name);
    let mut len = 0_usize;
    for byte in name.iter().filter(|byte| !b"_-.".contains(byte)) {
        *letters.get_mut(len)? = byte.to_ascii_lowercase();
        len = len.checked_add(1)?;
    }
    letters.get(..len)
}

/// What a record says of itself; `decoded` is its value as JSON, where somebody decoded it.
pub(super) fn marks<'r>(record: &'r Record, decoded: Option<&'r str>) -> Marks<'r> {
    let mut said = Said::default();
    for header in &record.headers {
        said.hear(header);
    }
    let source = Cow::Borrowed(said.cloud_source.unwrap_or_default());
    let sequenced = said.cloud_sequence.map(|sequence| Sequenced {
        source: source.clone(),
        sequence: Cow::Borrowed(sequence),
    });
    if let Some(id) = said.cloud_id {
        return Marks {
            identity: Some(Identity {
                id: Cow::Borrowed(id),
                scope: source,
                is_weak: false,
            }),
            sequenced,
        };
    }
    if let Some(marks) = structured(record, decoded) {
        return marks;
    }
    let identity = said.id.map(|(rank, id)| Identity {
        id: Cow::Borrowed(unquoted(id)),
        scope: Cow::Borrowed(said.kind.unwrap_or_default()),
        is_weak: rank > BARE || rank == BARE && id.len() < LONG,
    });
    Marks {
        identity,
        sequenced,
    }
}

/// Spring writes headers as JSON, with quotes.
fn unquoted(id: &[u8]) -> &[u8] {
    id.strip_prefix(b"\"")
        .and_then(|id| id.strip_suffix(b"\""))
        .filter(|id| !id.is_empty())
        .unwrap_or(id)
}

static SPEC: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(b"\"specversion\""));
static PATHS: LazyLock<[Option<Path>; 4]> =
    LazyLock::new(|| [".specversion", ".source", ".id", ".sequence"].map(Path::parse));

/// A cloud event that is in the value as a whole.
fn structured<'r>(record: &Record, decoded: Option<&'r str>) -> Option<Marks<'r>> {
    let bytes = decoded
        .map(str::as_bytes)
        .or(record.value.as_deref())
        .filter(|bytes| bytes.len() <= MOST)?;
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if begins != Some(&b'{') || SPEC.find(bytes).is_none() {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let field = |index: usize| {
        let path = PATHS.get(index)?.as_ref()?;
        Some(fields::find(text, path)?.text().into_bytes())
    };
    field(0)?;
    let source: Cow<'_, [u8]> = Cow::Owned(field(1)?);
    Some(Marks {
        identity: field(2).map(|id| Identity {
            id: Cow::Owned(id),
            scope: source.clone(),
            is_weak: false,
        }),
        sequenced: field(3).map(|sequence| Sequenced {
            source,
            sequence: Cow::Owned(sequence),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Text, by_hand};

    fn with(headers: &[(&str, &str)], value: &str) -> Record {
        let headers = headers.iter().map(|(name, value)| Header {
            name: Text::from(*name),
            value: Some(value.as_bytes().to_vec().into()),
        });
        Record {
            headers: headers.collect(),
            value: Some(value.as_bytes().to_vec().into()),
            ..by_hand::record("t", 0, 0)
        }
    }

    /// Id, scope, and whether the id is a weak one.
    fn id(headers: &[(&str, &str)], value: &str) -> Option<(String, String, bool)> {
        let record = with(headers, value);
        let identity = marks(&record, None).identity?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (id, scope) = (text(&identity.id), text(&identity.scope));
        Some((id, scope, identity.is_weak))
    }

    fn is(id: &str, scope: &str, weak: bool) -> (String, String, bool) {
        (id.to_owned(), scope.to_owned(), weak)
    }

    #[test]
    fn ids_are_known_by_the_names_that_frameworks_give_them() {
        for name in [
            "ce_id",
            "ce-id",
            "event-id",
            "eventId",
            "EVENT_ID",
            "X-Message-Id",
            "kafka_messageId",
            "NServiceBus.MessageId",
            "rbs2-msg-id",
            "cap-msg-id",
            "_watermill_message_uuid",
            "axon-message-id",
        ] {
            assert_eq!(id(&[(name, "7")], "x"), Some(is("7", "", false)), "{name}");
        }
        for name in [
            "correlation-id",
            "traceparent",
            "customer-id",
            "ids",
            "",
            "an-endless-name-that-is-longer-than-any-name-that-is-looked-for-id",
        ] {
            assert_eq!(id(&[(name, "7")], "x"), None, "{name}");
        }
        assert_eq!(id(&[("event-id", "")], "x"), None);
        assert_eq!(id(&[("event-id", "\"7\"")], "x"), Some(is("7", "", false)));
    }

    #[test]
    fn the_surest_name_counts_and_the_type_is_its_scope() {
        let headers = [
            ("id", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            ("messageId", "m"),
            ("Event_Type", "Paid"),
            ("eventId", "e"),
        ];
        assert_eq!(id(&headers, "x"), Some(is("e", "Paid", false)));
        let uuid = &headers[..1];
        assert_eq!(id(uuid, "x"), Some(is(headers[0].1, "", false)));
        assert_eq!(id(&[("id", "42")], "x"), Some(is("42", "", true)));
        let key = [("Idempotency-Key", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")];
        assert_eq!(id(&key, "x"), Some(is(key[0].1, "", true)));
    }

    #[test]
    fn a_cloud_event_may_stand_in_headers_or_in_the_value() {
        let headers = [("ce_source", "/s"), ("ce_id", "1"), ("event-id", "2")];
        assert_eq!(id(&headers, "x"), Some(is("1", "/s", false)));
        let json = r#" {"specversion":"1.0","id":"a\"b","source":"/s","sequence":"007"}"#;
        assert_eq!(id(&[], json), Some(is("a\"b", "/s", false)));
        let record = with(&[], json);
        let sequenced = marks(&record, None).sequenced.unwrap();
        assert_eq!(&*sequenced.source, b"/s");
        assert_eq!(&*sequenced.sequence, b"007");
        // A word in a text, an object inside, no source: none of them is a cloud event.
        for other in [
            r#"{"a":"\"specversion\""}"#,
            r#"{"a":{"specversion":"1.0","id":"1","source":"/s"}}"#,
            r#"{"specversion":"1.0","id":"1"}"#,
            r#"["specversion"]"#,
        ] {
            assert_eq!(id(&[], other), None, "{other}");
        }
    }

    #[test]
    fn a_decoded_value_is_read_in_place_of_the_bytes() {
        let record = with(&[], "\u{0}binary");
        let json = r#"{"specversion":"1.0","id":"1","source":"/s"}"#;
        assert_eq!(marks(&record, None), Marks::default());
        assert!(marks(&record, Some(json)).identity.is_some());
    }
}
