//! What a record's headers say of its value: media types, and the headers that say them.

use crate::decode::visible;
use crate::model::Header;

use super::format::Format;

/// The text of the last header of that name, whatever the case of its letters.
pub(super) fn text_of<'h>(headers: &'h [Header], name: &str) -> Option<&'h str> {
    let found = headers
        .iter()
        .rev()
        .find(|header| header.name.as_bytes().eq_ignore_ascii_case(name.as_bytes()))?;
    std::str::from_utf8(found.value.as_deref()?).ok()
}

/// What the header `content-type` says, in one short line; some write it in quotes, or as `contentType`.
pub(super) fn content_type(headers: &[Header]) -> Option<String> {
    let said = text_of(headers, "content-type").or_else(|| text_of(headers, "contentType"))?;
    let said = said.trim().trim_matches('"').trim();
    (!said.is_empty()).then(|| visible::one_line(said.as_bytes(), 60))
}

/// The media type alone: no parameters, small letters.
pub(super) fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// The format of a media type; `None` when it says none that is read here.
pub(super) fn format_of(content_type: &str) -> Option<Format> {
    let essence = essence(content_type);
    let (_, kind) = essence.split_once('/')?;
    let kind = kind.strip_prefix("x-").unwrap_or(kind);
    match kind {
        "cloudevents+json" => return Some(Format::CloudEvent),
        "json" => return Some(Format::Json),
        "xml" => return Some(Format::Xml),
        "cbor" => return Some(Format::Cbor),
        "msgpack" | "messagepack" | "vnd.msgpack" => return Some(Format::MessagePack),
        "avro" | "avro-binary" | "vnd.apache.avro" => return Some(Format::Avro),
        "protobuf" | "vnd.google.protobuf" => return Some(Format::Protobuf),
        "gzip" => return Some(Format::Gzip),
        "zstd" => return Some(Format::Zstd),
        _ => {}
    }
    if essence == "avro/binary" {
        return Some(Format::Avro);
    }
    match kind.rsplit_once('+').map(|(_, suffix)| suffix) {
        Some("json") => Some(Format::Json),
        Some("xml") => Some(Format::Xml),
        Some("cbor") => Some(Format::Cbor),
        Some("msgpack") => Some(Format::MessagePack),
        Some("avro") => Some(Format::Avro),
        Some("protobuf") => Some(Format::Protobuf),
        Some("gzip") => Some(Format::Gzip),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Text;
    use bytes::Bytes;

    #[test]
    fn media_types() {
        for (said, format) in [
            ("application/json", Some(Format::Json)),
            ("Application/JSON; charset=utf-8", Some(Format::Json)),
            ("application/problem+json", Some(Format::Json)),
            (
                "application/cloudevents+json; charset=UTF-8",
                Some(Format::CloudEvent),
            ),
            ("text/xml", Some(Format::Xml)),
            ("image/svg+xml", Some(Format::Xml)),
            ("application/x-msgpack", Some(Format::MessagePack)),
            ("application/cbor", Some(Format::Cbor)),
            ("application/vnd.orders.v1+avro", Some(Format::Avro)),
            ("avro/binary", Some(Format::Avro)),
            ("application/x-protobuf", Some(Format::Protobuf)),
            ("application/octet-stream", None),
            ("text/plain", None),
            ("json", None),
            ("", None),
        ] {
            assert_eq!(format_of(said), format, "{said}");
        }
    }

    #[test]
    fn headers_are_found_whatever_their_letters_and_the_last_one_counts() {
        let header = |name: &str, value: &'static [u8]| Header {
            name: Text::from(name),
            value: Some(Bytes::from_static(value)),
        };
        let headers = [
            header("Content-Type", b"text/plain"),
            header("content-type", b" application/json "),
        ];
        assert_eq!(content_type(&headers).as_deref(), Some("application/json"));
        let quoted = [header("contentType", b"\"application/json\"")];
        assert_eq!(content_type(&quoted).as_deref(), Some("application/json"));
        assert_eq!(content_type(&[header("content-type", b"\xff")]), None);
        assert_eq!(content_type(&[]), None);
    }
}
