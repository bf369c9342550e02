//! The well-known types that JSON has a form of their own for. What does not follow their rules is shown field by
//! field, as any other message.

use prost_reflect::{FieldDescriptor, MessageDescriptor};

use crate::decode::schema::calendar;
use crate::decode::schema::failure::Failure;

use super::read::{Reader, fits};
use super::wire::{Raw, Span};

/// The years 1 to 9999, in seconds since the epoch.
const MOMENTS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// Ten thousand years, in seconds.
const LONGEST: i64 = 315_576_000_000;

/// Writes the message in its own form; `false` when it has none, and nothing was written.
pub(super) fn write(
    reader: &mut Reader<'_>,
    message: &MessageDescriptor,
    parts: &[Span],
) -> Result<bool, Failure> {
    let Some(name) = message.full_name().strip_prefix("google.protobuf.") else {
        return Ok(false);
    };
    match name {
        "Timestamp" => timed(reader, parts, timestamp),
        "Duration" => timed(reader, parts, duration),
        "Any" => any(reader, message, parts),
        "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value"
        | "UInt32Value" | "BoolValue" | "StringValue" | "BytesValue" | "Struct" | "ListValue" => {
            inside(reader, message, parts)
        }
        "Value" => value(reader, message, parts),
        _ => Ok(false),
    }
}

fn has_own_form(message: &MessageDescriptor) -> bool {
    let name = message.full_name().strip_prefix("google.protobuf.");
    name.is_some_and(|name| {
        matches!(
            name,
            "Timestamp" | "Duration" | "Any" | "Struct" | "ListValue" | "Value"
        ) || name.ends_with("Value")
    })
}

fn begin(parts: &[Span]) -> usize {
    parts.first().map_or(0, |part| part.from)
}

/// Seconds and nanoseconds in one text.
fn timed(
    reader: &mut Reader<'_>,
    parts: &[Span],
    written: impl Fn(i64, i32) -> Option<String>,
) -> Result<bool, Failure> {
    let (mut seconds, mut nanos) = (0, 0);
    for (number, at) in reader.places(parts)? {
        match (number, reader.at(at)?.raw) {
            (1, Raw::Varint(value)) => seconds = value.cast_signed(),
            (2, Raw::Varint(value)) => match i32::try_from(value.cast_signed()) {
                Ok(value) => nanos = value,
                Err(_) => return Ok(false),
            },
            _ => return Ok(false),
        }
    }
    let Some(text) = written(seconds, nanos) else {
        return Ok(false);
    };
    reader.out.string(begin(parts), &text)?;
    Ok(true)
}

fn timestamp(seconds: i64, nanos: i32) -> Option<String> {
    let is_sound = MOMENTS.contains(&seconds) && (0..1_000_000_000).contains(&nanos);
    is_sound.then(|| format!("{}{}Z", calendar::moment(seconds, 0), fraction(nanos)))
}

fn duration(seconds: i64, nanos: i32) -> Option<String> {
    let signs = (seconds.signum(), i64::from(nanos.signum()));
    let is_sound = (-LONGEST..=LONGEST).contains(&seconds)
        && nanos.abs() < 1_000_000_000
        && matches!(signs, (0, _) | (_, 0) | (1, 1) | (-1, -1));
    let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
    is_sound.then(|| format!("{sign}{}{}s", seconds.abs(), fraction(nanos.abs())))
}

/// Three, six or nine digits, or none.
fn fraction(nanos: i32) -> String {
    match nanos {
        0 => String::new(),
        _ if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
        _ if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
        _ => format!(".{nanos:09}"),
    }
}

/// The one field of a message that has no other, and where it stands; `None` when something else is there too.
fn only_field(
    reader: &Reader<'_>,
    message: &MessageDescriptor,
    parts: &[Span],
) -> Result<Option<(FieldDescriptor, Vec<u32>)>, Failure> {
    let Some(field) = message.get_field(1) else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for (number, at) in reader.places(parts)? {
        if number != 1 || !fits(&field, reader.at(at)?.raw) {
            return Ok(None);
        }
        found.push(at);
    }
    Ok(Some((field, found)))
}

/// A wrapper, a struct or a list of values: its one field, without the message around it.
fn inside(
    reader: &mut Reader<'_>,
    message: &MessageDescriptor,
    parts: &[Span],
) -> Result<bool, Failure> {
    let Some((field, found)) = only_field(reader, message, parts)? else {
        return Ok(false);
    };
    let at = begin(parts);
    if !found.is_empty() {
        reader.field(&field, &found)?;
    } else if field.is_map() {
        reader.out.put(at, "{}")?;
    } else if field.is_list() {
        reader.out.put(at, "[]")?;
    } else {
        reader.absent(at, &field.kind())?;
    }
    Ok(true)
}

/// One of the kinds of values that JSON knows; the last in the bytes counts.
fn value(
    reader: &mut Reader<'_>,
    message: &MessageDescriptor,
    parts: &[Span],
) -> Result<bool, Failure> {
    let places = reader.places(parts)?;
    let Some((number, _)) = places.iter().max_by_key(|(_, at)| *at) else {
        // A value of no kind at all; JSON has no word for it.
        reader.out.put(begin(parts), "null")?;
        return Ok(true);
    };
    let Some(field) = message.get_field(*number) else {
        return Ok(false);
    };
    let mut found = Vec::new();
    for (number, at) in &places {
        match message.get_field(*number) {
            Some(known) if fits(&known, reader.at(*at)?.raw) => {
                if known.number() == field.number() {
                    found.push(*at);
                }
            }
            _ => return Ok(false),
        }
    }
    reader.field(&field, &found)?;
    Ok(true)
}

/// A message of any type, when the schema knows the type; else it is shown as it is.
fn any(
    reader: &mut Reader<'_>,
    message: &MessageDescriptor,
    parts: &[Span],
) -> Result<bool, Failure> {
    let (mut url, mut inner) = (None, None);
    for (number, at) in reader.places(parts)? {
        match (number, reader.at(at)?.raw) {
            (1, Raw::Counted(span)) => url = Some(span),
            (2, Raw::Counted(span)) => inner = Some(span),
            _ => return Ok(false),
        }
    }
    let bytes = reader.bytes;
    let url = url.and_then(|span| std::str::from_utf8(bytes.get(span.from..span.to)?).ok());
    let Some(url) = url else {
        return Ok(false);
    };
    let name = url.rsplit_once('/').map_or(url, |(_, name)| name);
    let Some(kind) = message.parent_pool().get_message_by_name(name) else {
        return Ok(false);
    };
    let at = begin(parts);
    let parts: Vec<Span> = inner.into_iter().collect();
    reader.out.put(at, "{\"@type\":")?;
    reader.out.string(at, url)?;
    if has_own_form(&kind) {
        reader.out.put(at, ",\"value\":")?;
        reader.message(&kind, &parts)?;
    } else {
        reader.fields(&kind, &parts, false)?;
    }
    reader.out.put(at, "}")?;
    Ok(true)
}
