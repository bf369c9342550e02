//! Text: whether bytes are meant as text, and text of a language.

use crate::decode::rows::Flaw;

use super::format::Format;
use super::json::{Scanner, Seen};
use super::{Decoded, Shape, number, xml};

/// What some writers put in front of a text to say that it is UTF-8.
const MARK: &str = "\u{feff}";

/// How many characters of `text` nobody writes: control characters beside tabs, line ends, form feeds and what
/// colours a terminal.
pub(super) fn controls(text: &str) -> usize {
    let bytes = text.as_bytes();
    let low = bytes
        .iter()
        .filter(|byte| matches!(byte, 0..=8 | 0xb | 0xe..=0x1a | 0x1c..=0x1f | 0x7f))
        .count();
    if text.is_ascii() {
        return low;
    }
    // The others from U+0080 to U+009F.
    let high = text.chars().filter(|c| matches!(c, '\u{80}'..='\u{9f}'));
    low.saturating_add(high.count())
}

/// `text` without the mark in front of it, and whether there is one.
fn without_mark(text: &str) -> (&str, bool) {
    text.strip_prefix(MARK)
        .map_or((text, false), |rest| (rest, true))
}

/// What is said behind evidence when there is a mark.
fn mark_said(has_mark: bool) -> &'static str {
    if has_mark {
        ", after a byte order mark"
    } else {
        ""
    }
}

/// Why something is no JSON, as a sentence.
pub(super) fn no_json(flaw: Flaw, mark: usize) -> String {
    let at = flaw.at.saturating_add(mark);
    format!("It is no JSON: {} (byte {at})", flaw.why)
}

/// Text by evidence: in a language, of a kind, or just text. `text` has no control characters.
pub(super) fn by_evidence(text: &str) -> Decoded {
    let (inside, has_mark) = without_mark(text);
    let trimmed = inside.trim_start_matches([' ', '\t', '\r', '\n']);
    let mut error = None;
    match trimmed.as_bytes() {
        [first @ (b'{' | b'[' | b'"'), rest @ ..] => match json(inside, has_mark) {
            Ok(decoded) => return decoded,
            Err(Broken::Several(count)) => {
                return Decoded::read(
                    Format::Text,
                    format!("UTF-8 text: {count} values of JSON, one after another"),
                    text.to_owned(),
                    Shape::Text,
                );
            }
            // Brackets begin many a line that is no JSON; a name in quotes behind one does not.
            Err(Broken::Flawed(flaw))
                if *first == b'{' && rest.trim_ascii_start().starts_with(b"\"") =>
            {
                let mark = text.len().saturating_sub(inside.len());
                error = Some(no_json(flaw, mark));
            }
            Err(Broken::Flawed(_)) => {}
        },
        [b'<', ..] if xml::can_begin(trimmed) => match xml::check(inside) {
            Ok(()) => return as_xml(inside, has_mark),
            Err(flaw) if trimmed.starts_with("<?xml") => error = Some(no_xml(&flaw)),
            Err(_) => {}
        },
        _ => {}
    }
    let evidence = if number::written_uuid(text).is_some() {
        return as_uuid(text);
    } else if number::is_decimal(text) {
        "UTF-8 text: a decimal number"
    } else {
        "UTF-8 text"
    };
    Decoded::read(Format::Text, evidence, text.to_owned(), Shape::Text).but(error)
}

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// It is several values, so many.
    Several(usize),
    /// It is flawed.
    Flawed(Flaw),
}

/// `text`, without its mark, as JSON.
fn json(text: &str, has_mark: bool) -> Result<Decoded, Broken> {
    let seen = whole(text.as_bytes(), true)?;
    let first = text.trim_ascii_start().chars().next().unwrap_or(' ');
    let evidence = match first {
        '{' | '[' => format!(
            "JSON: begins with {first} and is whole{}",
            mark_said(has_mark)
        ),
        '"' => format!("JSON: a string in quotes{}", mark_said(has_mark)),
        _ => format!("JSON: a single value{}", mark_said(has_mark)),
    };
    Ok(Decoded::read(Format::Json, evidence, text.to_owned(), Shape::Json).but(said(seen)))
}

/// Whether `bytes` are one value of JSON, and what was seen of it.
fn whole(bytes: &[u8], is_utf8: bool) -> Result<Seen, Broken> {
    let mut scanner = Scanner::new(bytes, is_utf8);
    scanner.value().map_err(Broken::Flawed)?;
    if !scanner.has_more() {
        return Ok(scanner.seen());
    }
    let follows = Flaw {
        at: scanner.at(),
        why: "something follows the value",
    };
    let mut count = 1_usize;
    while scanner.has_more() {
        if scanner.value().is_err() {
            return Err(Broken::Flawed(follows));
        }
        count = count.saturating_add(1);
    }
    Err(Broken::Several(count))
}

/// What is to be said of JSON that strict readers refuse, as a sentence.
fn said(seen: Seen) -> Option<String> {
    let literal = seen.literal.map(|at| {
        format!("A number that JSON does not have stands at byte {at}; strict readers refuse it")
    });
    let stray = seen.stray.map(|(count, first)| stray_said(count, first));
    match (literal, stray) {
        (Some(literal), Some(stray)) => Some(format!("{literal}; {stray}")),
        (literal, stray) => literal.or(stray),
    }
}

fn stray_said(count: usize, first: usize) -> String {
    if count == 1 {
        format!("The byte at {first} is not UTF-8 and shown as U+FFFD")
    } else {
        format!("{count} bytes are not UTF-8, the first at {first}; they are shown as U+FFFD")
    }
}

/// Bytes that are not UTF-8 as JSON, if that is all that is wrong with them.
pub(super) fn json_with_stray_bytes(bytes: &[u8]) -> Option<Decoded> {
    let first = *bytes.trim_ascii_start().first()?;
    if !matches!(first, b'{' | b'[') {
        return None;
    }
    let seen = whole(bytes, false).ok()?;
    Some(
        Decoded::read(
            Format::Json,
            format!("JSON: begins with {} and is whole", char::from(first)),
            String::from_utf8_lossy(bytes).into_owned(),
            Shape::Json,
        )
        .but(said(seen)),
    )
}

/// Bytes as JSON, because that was chosen or is said elsewhere.
pub(super) fn as_json(bytes: &[u8]) -> Decoded {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return json_with_stray_bytes(bytes).unwrap_or_else(|| {
            let flaw = match whole(bytes, false) {
                Err(Broken::Flawed(flaw)) => flaw,
                _ => first_stray(bytes),
            };
            Decoded::failed(Format::Json, "", no_json(flaw, 0))
        });
    };
    let (inside, has_mark) = without_mark(text);
    let why = match json(inside, has_mark) {
        Ok(decoded) => return decoded,
        Err(Broken::Several(count)) => {
            format!("It is not one value of JSON but {count}, one after another")
        }
        Err(Broken::Flawed(flaw)) => no_json(flaw, text.len().saturating_sub(inside.len())),
    };
    Decoded::read(Format::Json, "", text.to_owned(), Shape::Text).but(Some(why))
}

/// Where bytes are not UTF-8 first.
fn first_stray(bytes: &[u8]) -> Flaw {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    Flaw {
        at,
        why: "it is not UTF-8",
    }
}

/// Bytes as text, because that was chosen.
pub(super) fn as_text(bytes: &[u8]) -> Decoded {
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded::read(Format::Text, "", text.to_owned(), Shape::Text),
        Err(_) => lossy(bytes, ""),
    }
}

/// Bytes that are not all UTF-8 as text.
pub(super) fn lossy(bytes: &[u8], evidence: &str) -> Decoded {
    let count = stray(bytes);
    Decoded::read(
        Format::Text,
        evidence,
        String::from_utf8_lossy(bytes).into_owned(),
        Shape::Text,
    )
    .but(Some(stray_said(count, first_stray(bytes).at)))
}

/// How many of `bytes` are not UTF-8.
pub(super) fn stray(bytes: &[u8]) -> usize {
    let wrong = bytes.utf8_chunks().map(|chunk| chunk.invalid().len());
    wrong.fold(0, usize::saturating_add)
}

/// Well-formed XML, without its mark.
fn as_xml(inside: &str, has_mark: bool) -> Decoded {
    Decoded::read(
        Format::Xml,
        format!(
            "XML: begins with {} and is well-formed{}",
            xml::beginning(inside),
            mark_said(has_mark)
        ),
        inside.to_owned(),
        Shape::Text,
    )
}

fn no_xml(flaw: &xml::Flaw) -> String {
    format!("It is no XML: {} (byte {})", flaw.why, flaw.at)
}

/// Bytes as XML, because that was chosen or is said elsewhere.
pub(super) fn xml_of(bytes: &[u8]) -> Decoded {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let flaw = first_stray(bytes);
        let why = format!("It is no XML: {} (byte {})", flaw.why, flaw.at);
        return Decoded::failed(Format::Xml, "", why);
    };
    let (inside, has_mark) = without_mark(text);
    match xml::check(inside) {
        Ok(()) => as_xml(inside, has_mark),
        Err(flaw) => {
            Decoded::read(Format::Xml, "", text.to_owned(), Shape::Text).but(Some(no_xml(&flaw)))
        }
    }
}

/// A UUID that is written out.
pub(super) fn as_uuid(text: &str) -> Decoded {
    let version = number::written_uuid(text).and_then(|bytes| number::uuid_version(&bytes));
    let evidence = match version {
        Some(version) => format!("UUID: written out, of version {version}"),
        None => "UUID: written out".to_owned(),
    };
    Decoded::read(Format::Uuid, evidence, text.to_owned(), Shape::Text)
}
