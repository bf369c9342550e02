//! Bytes read as a format that a person chose, whatever they look like.

use super::format::Format;
use super::number::{self, Order};
use super::tree::Language;
use super::{Decoded, Setting, Shape, cloud_event, detect, framing, kafka, media, text, wrapped};
use crate::decode::hex;

/// No more bytes than this are dumped as text; the window shows any number of them.
const MOST_DUMPED: usize = 64 * 1024;

/// Reads `bytes`, of which there are some, as `format`. The evidence begins with that it was chosen.
pub(super) fn read(format: Format, bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    let decoded = as_format(format, bytes, setting);
    let evidence = if decoded.evidence.is_empty() {
        "chosen".to_owned()
    } else {
        format!("chosen; {}", decoded.evidence)
    };
    Decoded {
        evidence,
        ..decoded
    }
}

fn as_format(format: Format, bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    match format {
        Format::Json => text::as_json(bytes),
        Format::Text => text::as_text(bytes),
        Format::Xml => text::xml_of(bytes),
        Format::Avro | Format::Protobuf | Format::JsonSchema => {
            framing::as_chosen(format, bytes, setting)
        }
        Format::MessagePack => tree(format, bytes, Language::MessagePack),
        Format::Cbor => tree(format, bytes, Language::Cbor),
        Format::CloudEvent => cloud_event(bytes, setting),
        Format::Integer | Format::IntegerLe => {
            integer(format, bytes.len(), number::signed(bytes, order(format)))
        }
        Format::Unsigned | Format::UnsignedLe => {
            integer(format, bytes.len(), number::unsigned(bytes, order(format)))
        }
        Format::Float | Format::FloatLe => float(format, bytes),
        Format::Uuid => uuid(bytes),
        Format::Base64 => base64(bytes, setting),
        Format::Gzip => detect::unpacked(format, wrapped::gunzip(bytes), setting, 0),
        Format::Zstd => detect::unpacked(format, wrapped::unzstd(bytes), setting, 0),
        Format::ConsumerOffsets | Format::TransactionState | Format::ShareGroupState => {
            kafka::read(format, bytes, setting)
        }
        Format::Hex | Format::Null | Format::Empty => dump(bytes),
    }
}

fn order(format: Format) -> Order {
    match format {
        Format::IntegerLe | Format::UnsignedLe | Format::FloatLe => Order::Little,
        _ => Order::Big,
    }
}

fn tree(format: Format, bytes: &[u8], language: Language) -> Decoded {
    match language.write(bytes) {
        Ok(written) => {
            let broken = (written.broken_texts > 0).then(|| {
                let count = written.broken_texts;
                format!("Texts in it are not UTF-8 and given as bytes: {count}")
            });
            Decoded::read(format, "", written.text, Shape::Json)
                .but(broken)
                .but(detect::left_over_said(written.left_over))
        }
        Err(flaw) => {
            let why = format!(
                "It is no {}: {} (byte {})",
                format.label(),
                flaw.why,
                flaw.at
            );
            Decoded::failed(format, "", why)
        }
    }
}

fn integer<N: ToString>(format: Format, len: usize, number: Option<N>) -> Decoded {
    match number {
        Some(number) => Decoded::read(format, bytes_said(len), number.to_string(), Shape::Json),
        None => Decoded::failed(
            format,
            "",
            format!("An integer has 1, 2, 4 or 8 bytes, and these are {len}"),
        ),
    }
}

fn bytes_said(len: usize) -> String {
    if len == 1 {
        "1 byte".to_owned()
    } else {
        format!("{len} bytes")
    }
}

fn float(format: Format, bytes: &[u8]) -> Decoded {
    match number::float(bytes, order(format)) {
        Some(float) => {
            let shape = if float.is_finite {
                Shape::Json
            } else {
                Shape::Text
            };
            Decoded::read(format, bytes_said(bytes.len()), float.text, shape)
        }
        None => Decoded::failed(
            format,
            "",
            format!("A float has 4 or 8 bytes, and these are {}", bytes.len()),
        ),
    }
}

fn uuid(bytes: &[u8]) -> Decoded {
    if let Ok(sixteen) = <[u8; 16]>::try_from(bytes) {
        let said = bytes_said(bytes.len());
        return Decoded::read(Format::Uuid, said, number::uuid_text(&sixteen), Shape::Text);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if number::written_uuid(text).is_some() => text::as_uuid(text),
        _ => Decoded::failed(
            Format::Uuid,
            "",
            format!(
                "A UUID has 16 bytes, or is 36 characters of text; these are {} bytes",
                bytes.len()
            ),
        ),
    }
}

fn base64(bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    let failed = |why: &str, at: usize| {
        Decoded::failed(
            Format::Base64,
            "",
            format!("It is no base64: {why} (byte {at})"),
        )
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return failed("it is not UTF-8", error.valid_up_to()),
    };
    let at = wrapped::base64_flaw(text);
    if at < text.trim_ascii_end().len() {
        return failed("there is no such letter", at);
    }
    match wrapped::unbase64(text) {
        Some(held) if held.is_empty() => failed("nothing is in it", 0),
        Some(held) => {
            detect::dumped(detect::read(&held, setting, 1), &held).inside(Format::Base64, "base64")
        }
        None => failed("it does not end as it must", at),
    }
}

fn cloud_event(bytes: &[u8], setting: &Setting<'_>) -> Decoded {
    let by_headers = detect::read(bytes, setting, 0);
    if by_headers.format == Format::CloudEvent {
        return by_headers;
    }
    let structured = cloud_event::structured(bytes, setting);
    if structured.format == Format::CloudEvent {
        return structured;
    }
    let said = media::content_type(setting.headers);
    let why = match said {
        Some(said) => format!("It is no CloudEvent: no header ce_type, ce_source or ce_id, and content-type is {said}"),
        None => "It is no CloudEvent: no header ce_type, ce_source or ce_id, and no JSON with specversion, type, source and id".to_owned(),
    };
    Decoded {
        format: Format::CloudEvent,
        error: Some(why),
        ..by_headers
    }
}

/// A dump of bytes.
pub(super) fn dump(bytes: &[u8]) -> Decoded {
    let dumped = bytes.get(..MOST_DUMPED).unwrap_or(bytes);
    let lines = hex::line_count(dumped.len(), 16);
    let lines: Vec<String> = (0..lines).map(|line| hex::line(dumped, 16, line)).collect();
    let cut = (dumped.len() < bytes.len()).then(|| {
        format!(
            "Only the first {} of {} bytes are in this dump",
            dumped.len(),
            bytes.len()
        )
    });
    Decoded::read(Format::Hex, "", lines.join("\n"), Shape::Text).but(cut)
}
