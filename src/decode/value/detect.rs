//! Which format bytes are in, by evidence alone.
//!
//! The order is that of how much a sign says, and of what would be lost by a mistake:
//!
//! 1. what is said beside the bytes: Kafka's own topics, a schema that was chosen, headers
//! 2. text that somebody could have written: `1234` is a text, whatever number its four bytes would make
//! 3. signs at the beginning: gzip, zstd, the number of a schema
//! 4. structure that takes all bytes to the last: `MessagePack`, CBOR
//! 5. length alone, which says least: UUID, integers
//!
//! Where nothing says enough they stay bytes.

use super::format::Format;
use super::tree::{Language, Weight};
use super::wrapped::{self, Unpacked};
use super::{
    Decoded, Part, Setting, Shape, chosen, cloud_event, framing, kafka, media, number, text,
};

/// How many formats are looked for inside of one another.
const MOST_INSIDE: usize = 3;
/// Shorter text than this is not taken for base64.
const LEAST_BASE64: usize = 16;

/// Reads `bytes`, of which there are some. `inside`: in how many other formats they were found.
pub(super) fn read(bytes: &[u8], setting: &Setting<'_>, inside: usize) -> Decoded {
    if inside == 0 {
        if let Some(format) = kafka::topic_format(setting.topic) {
            return kafka::read(format, bytes, setting);
        }
        if let Some(decoded) = framing::by_chosen_schema(bytes, setting) {
            return decoded;
        }
        if !setting.headers.is_empty()
            && let Some(decoded) = by_headers(bytes, setting)
        {
            return decoded;
        }
    }
    by_bytes(bytes, setting, inside)
}

/// What headers say, if the bytes bear it out.
fn by_headers(bytes: &[u8], setting: &Setting<'_>) -> Option<Decoded> {
    let as_it_is = || by_bytes(bytes, setting, 0);
    if let Some(decoded) = framing::by_header(bytes, setting, as_it_is) {
        return Some(decoded);
    }
    if setting.part == Part::Key {
        return None;
    }
    let content_type = media::content_type(setting.headers);
    let said = content_type.as_deref().and_then(media::format_of);
    if let Some(event) = cloud_event::attributes(setting.headers)
        && said != Some(Format::CloudEvent)
    {
        let data = by_media(bytes, setting, content_type.as_deref()).unwrap_or_else(as_it_is);
        return Some(data.inside(Format::CloudEvent, &event));
    }
    by_media(bytes, setting, content_type.as_deref())
}

fn by_media(bytes: &[u8], setting: &Setting<'_>, content_type: Option<&str>) -> Option<Decoded> {
    let content_type = content_type?;
    let format = media::format_of(content_type)?;
    let mut decoded = match format {
        Format::Json => text::as_json(bytes),
        Format::Xml => text::xml_of(bytes),
        Format::CloudEvent => cloud_event::structured(bytes, setting),
        Format::MessagePack => by_tree(bytes, Language::MessagePack)?,
        Format::Cbor => by_tree(bytes, Language::Cbor)?,
        Format::Gzip if wrapped::is_gzip(bytes) => {
            unpacked(Format::Gzip, wrapped::gunzip(bytes), setting, 0)
        }
        Format::Zstd if wrapped::is_zstd(bytes) => {
            unpacked(Format::Zstd, wrapped::unzstd(bytes), setting, 0)
        }
        _ => return None,
    };
    if decoded.shape == Shape::Text && decoded.error.is_some() {
        // The header does not say what these bytes are.
        return None;
    }
    decoded.evidence = format!("{}; content-type {content_type}", decoded.evidence);
    Some(decoded)
}

fn by_bytes(bytes: &[u8], setting: &Setting<'_>, inside: usize) -> Decoded {
    let valid = std::str::from_utf8(bytes).ok();
    let controls = valid.map_or(0, text::controls);
    if let Some(text) = valid
        && controls == 0
    {
        return by_text(text, setting, inside);
    }
    if inside < MOST_INSIDE {
        if wrapped::is_gzip(bytes) {
            return unpacked(Format::Gzip, wrapped::gunzip(bytes), setting, inside);
        }
        if wrapped::is_zstd(bytes) {
            return unpacked(Format::Zstd, wrapped::unzstd(bytes), setting, inside);
        }
    }
    let framed = framing::framed(bytes, setting);
    match framed {
        Some(decoded) if !is_length_of_number(bytes) => return decoded,
        // A number may begin like a frame; a value that its schema reads to the last byte hardly is one.
        Some(decoded) if decoded.text.is_some() && decoded.error.is_none() => return decoded,
        _ => {}
    }
    if let Some(decoded) = text::json_with_stray_bytes(bytes) {
        return decoded;
    }
    if let Some(decoded) = structure(bytes) {
        return decoded;
    }
    let needs = framed.and_then(|decoded| decoded.needs);
    if let Some(decoded) = by_length(bytes) {
        let evidence = match framing::other_reading(bytes, setting) {
            Some(other) => format!("{}; {other}", decoded.evidence),
            None => decoded.evidence,
        };
        return Decoded {
            evidence,
            needs,
            ..decoded
        };
    }
    mostly_text(bytes, valid, controls).unwrap_or_else(|| Decoded {
        format: Format::Hex,
        evidence: "bytes that are no text, and fit no other format".to_owned(),
        text: None,
        shape: Shape::Text,
        error: None,
        needs: None,
    })
}

fn by_text(text: &str, setting: &Setting<'_>, inside: usize) -> Decoded {
    let decoded = text::by_evidence(text);
    match decoded.format {
        Format::Json => cloud_event::in_json(decoded, setting, inside),
        Format::Text if inside < MOST_INSIDE => base64(text, setting, inside).unwrap_or(decoded),
        _ => decoded,
    }
}

/// What base64 holds, when that is something that can be recognised.
fn base64(text: &str, setting: &Setting<'_>, inside: usize) -> Option<Decoded> {
    let trimmed = text.trim_ascii_end();
    if trimmed.len() < LEAST_BASE64
        || !trimmed.len().is_multiple_of(4)
        || wrapped::base64_flaw(trimmed) < trimmed.len()
    {
        return None;
    }
    let bytes = wrapped::unbase64(trimmed)?;
    let held = by_bytes(&bytes, setting, inside.saturating_add(1));
    let is_recognised = match held.format {
        Format::Json | Format::CloudEvent | Format::Xml | Format::Base64 => true,
        Format::Gzip | Format::Zstd => held.error.is_none(),
        // Sixteen bytes are a checksum as often.
        Format::Uuid => bytes.len() == 36,
        // Any bytes may be text by chance when they are few; as ASCII they hardly are.
        Format::Text => bytes.is_ascii() && held.error.is_none(),
        Format::MessagePack | Format::Cbor => {
            heaviest(&bytes).is_some_and(|(_, weight)| weight == Weight::Texts)
        }
        _ => false,
    };
    is_recognised.then(|| held.inside(Format::Base64, "base64"))
}

/// What was in a wrapping, read as what it is.
pub(super) fn unpacked(
    format: Format,
    unpacked: Result<Unpacked, String>,
    setting: &Setting<'_>,
    inside: usize,
) -> Decoded {
    let label = format.label();
    match unpacked {
        Err(why) => {
            let why = format!("It cannot be unpacked: {why}");
            Decoded::failed(format, format!("{label}: begins as {label} does"), why)
        }
        Ok(Unpacked { bytes, left_over }) => {
            let left = left_over_said(left_over);
            let held = if bytes.is_empty() {
                Decoded::read(format, "nothing", String::new(), Shape::Text)
            } else {
                dumped(by_bytes(&bytes, setting, inside.saturating_add(1)), &bytes)
            };
            held.inside(format, label).but(left)
        }
    }
}

/// With a dump of the bytes where nothing was read of them: nobody else has what was unpacked.
pub(super) fn dumped(held: Decoded, bytes: &[u8]) -> Decoded {
    if held.text.is_some() {
        return held;
    }
    let dump = chosen::dump(bytes);
    Decoded {
        text: dump.text,
        ..held.but(dump.error)
    }
}

/// What is said of bytes that follow a value.
pub(super) fn left_over_said(left_over: usize) -> Option<String> {
    match left_over {
        0 => None,
        1 => Some("One byte is left over behind it".to_owned()),
        left => Some(format!("{left} bytes are left over behind it")),
    }
}

/// The structure that takes all of `bytes`, of which most speaks for it.
fn heaviest(bytes: &[u8]) -> Option<(Language, Weight)> {
    let weigh = |language: Language| {
        let whole = language.whole(bytes)?;
        let weight = whole.weight(bytes.len());
        (weight > Weight::None).then_some((language, weight))
    };
    let (first, second) = (weigh(Language::MessagePack), weigh(Language::Cbor));
    match (first, second) {
        (Some((_, a)), Some((_, b))) if b > a => second,
        (None, _) => second,
        _ => first,
    }
}

fn structure(bytes: &[u8]) -> Option<Decoded> {
    let (language, weight) = heaviest(bytes)?;
    if weight < Weight::Texts && (is_length_of_number(bytes) || bytes.len() == 16) {
        return None;
    }
    by_tree(bytes, language)
}

/// `bytes`, all of them, as one value of a language.
fn by_tree(bytes: &[u8], language: Language) -> Option<Decoded> {
    let format = format_of(language);
    let whole = language.whole(bytes)?;
    let evidence = format!(
        "{}: {} that takes all {} bytes",
        format.label(),
        whole.noun(),
        bytes.len()
    );
    Some(match language.write_whole(bytes, &whole) {
        Ok(written) => Decoded::read(format, evidence, written.text, Shape::Json),
        Err(flaw) => Decoded::failed(
            format,
            evidence,
            format!("It cannot be shown: {}", flaw.why),
        ),
    })
}

pub(super) fn format_of(language: Language) -> Format {
    match language {
        Language::MessagePack => Format::MessagePack,
        Language::Cbor => Format::Cbor,
    }
}

fn is_length_of_number(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 1 | 2 | 4 | 8)
}

/// What only the number of bytes says.
fn by_length(bytes: &[u8]) -> Option<Decoded> {
    if let Ok(sixteen) = <[u8; 16]>::try_from(bytes)
        && let Some(version) = number::uuid_version(&sixteen)
    {
        return Some(Decoded::read(
            Format::Uuid,
            format!("UUID: 16 bytes that say version {version}"),
            number::uuid_text(&sixteen),
            Shape::Text,
        ));
    }
    if let Some(float) = number::short_float(bytes) {
        return Some(Decoded::read(
            Format::Float,
            "float: 8 bytes that are no text and make a number of few digits",
            float,
            Shape::Json,
        ));
    }
    let integer = number::signed(bytes, number::Order::Big)?;
    let evidence = match bytes.len() {
        1 => "integer: 1 byte that is no text".to_owned(),
        len => format!("integer: {len} bytes that are no text, the highest first"),
    };
    Some(Decoded::read(
        Format::Integer,
        evidence,
        integer.to_string(),
        Shape::Json,
    ))
}

/// Text in which a little is none.
fn mostly_text(bytes: &[u8], valid: Option<&str>, controls: usize) -> Option<Decoded> {
    let Some(text) = valid else {
        let stray = text::stray(bytes);
        let readable = bytes
            .iter()
            .filter(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n'));
        // One in eight at most, and nothing that only binary formats have.
        let is_text = bytes.len() >= 8
            && !bytes.contains(&0)
            && stray.saturating_mul(8) <= bytes.len()
            && readable.count().saturating_mul(8) >= bytes.len().saturating_mul(7);
        return is_text.then(|| text::lossy(bytes, "text, most of it UTF-8"));
    };
    let is_text = !text.contains('\0') && controls.saturating_mul(8) <= text.chars().count();
    let evidence = if controls == 1 {
        "UTF-8 text with a control character in it".to_owned()
    } else {
        format!("UTF-8 text with {controls} control characters in it")
    };
    is_text.then(|| Decoded::read(Format::Text, evidence, text.to_owned(), Shape::Text))
}
