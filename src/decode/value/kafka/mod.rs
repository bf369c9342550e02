//! What Kafka keeps in its own topics: where groups are, which transactions are open.
//!
//! | module | what it is |
//! |---|---|
//! | `layout` | how a record's layouts are told, and reading bytes by one |
//! | `groups`, `streams`, `share`, `transactions` | the layouts, by type of record and version |
//!
//! A key begins with the type of its record, a value with the version of its layout. What a value is only its key
//! tells. Layouts are those of Kafka's own message definitions, up to 4.4.

mod groups;
mod layout;
mod share;
mod streams;
mod transactions;

use super::format::Format;
use super::{Decoded, Part, Setting, Shape, detect};

use layout::Layout;

/// A type of record: its number, and how keys and values of it are laid out.
struct Kind {
    number: i16,
    key: Layout,
    value: Layout,
}

/// The format of what is in a topic of this name; `None` when it is none of Kafka's own.
pub(super) fn topic_format(topic: &str) -> Option<Format> {
    if !topic.starts_with("__") {
        return None;
    }
    match topic {
        "__consumer_offsets" => Some(Format::ConsumerOffsets),
        "__transaction_state" => Some(Format::TransactionState),
        "__share_group_state" => Some(Format::ShareGroupState),
        _ => None,
    }
}

/// The types of record in the topic of a format.
fn kinds(format: Format) -> impl Iterator<Item = &'static Kind> {
    let (first, second, third): (&[Kind], &[Kind], &[Kind]) = match format {
        Format::ConsumerOffsets => (groups::KINDS, streams::KINDS, share::GROUPS),
        Format::TransactionState => (transactions::KINDS, &[], &[]),
        Format::ShareGroupState => (share::STATE, &[], &[]),
        _ => (&[], &[], &[]),
    };
    first.iter().chain(second).chain(third)
}

/// The number in the first two bytes, and what follows.
fn number(bytes: &[u8]) -> Option<(i16, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<2>()?;
    Some((i16::from_be_bytes(*number), rest))
}

/// Reads a key or a value of one of Kafka's own topics.
pub(super) fn read(format: Format, bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    let topic = format.label();
    let Some((first, rest)) = number(bytes) else {
        return Decoded::failed(
            format,
            topic,
            "It ends too early: two bytes must say what it is",
        );
    };
    match setting.part {
        Part::Key => match kinds(format).find(|kind| kind.number == first) {
            Some(kind) => {
                let evidence = format!("{topic}: key of type {first}, {}", kind.key.name);
                by_layout(format, &kind.key, 0, rest, evidence)
            }
            None => Decoded::failed(
                format,
                format!("{topic}: key of type {first}"),
                format!("Keys of type {first} are not known here"),
            ),
        },
        Part::Value => value(format, first, rest, setting),
    }
}

fn value(format: Format, version: i16, rest: &[u8], setting: &Setting<'_>) -> Decoded {
    let topic = format.label();
    let said = setting.key.and_then(number).map(|(number, _)| number);
    let kind = match said {
        Some(said) => kinds(format).find(|kind| kind.number == said),
        None => only_fit(format, version, rest),
    };
    match (kind, said) {
        (Some(kind), _) => {
            let name = kind.value.name;
            let evidence = format!("{topic}: {name} of version {version}");
            if (0..=kind.value.last).contains(&version) {
                by_layout(format, &kind.value, version, rest, evidence)
            } else {
                let last = kind.value.last;
                let why = format!(
                    "{name} of version {version} is not known here, only up to version {last}"
                );
                Decoded::failed(format, evidence, why)
            }
        }
        (None, Some(said)) => Decoded::failed(
            format,
            format!("{topic}: value of a record of type {said}"),
            format!("Records of type {said} are not known here"),
        ),
        (None, None) => Decoded::failed(
            format,
            format!("{topic}: value of version {version}"),
            "Only its key says what it is, and it has none that says it",
        ),
    }
}

/// The type of record whose layout takes all bytes of a value; `None` when there are several layouts or none.
fn only_fit(format: Format, version: i16, rest: &[u8]) -> Option<&'static Kind> {
    let mut fitting = kinds(format).filter(|kind| {
        (0..=kind.value.last).contains(&version)
            && kind
                .value
                .read(version, rest)
                .is_ok_and(|read| read.left_over == 0)
    });
    let first = fitting.next()?;
    // Old and new offsets have the same one.
    fitting
        .all(|kind| kind.value.name == first.value.name)
        .then_some(first)
}

fn by_layout(
    format: Format,
    layout: &Layout,
    version: i16,
    rest: &[u8],
    evidence: String,
) -> Decoded {
    match layout.read(version, rest) {
        Ok(read) => Decoded::read(format, evidence, read.text, Shape::Json)
            .but(detect::left_over_said(read.left_over)),
        Err(flaw) => {
            // The two bytes in front count too.
            let at = flaw.at.saturating_add(2);
            let why = format!("It is no {}: {} (byte {at})", layout.name, flaw.why);
            Decoded::failed(format, evidence, why)
        }
    }
}
