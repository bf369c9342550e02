//! Where another tool shows the same event: a profile's template, filled from a record. Pure.

use std::fmt::Write as _;

use jiff::tz::TimeZone;

use crate::decode::fields::{self, Path};
use crate::model::time::zoned;
use crate::model::{Record, check_link};

/// The address that `template` means for `record`, whose value reads as the JSON `json`. What is filled in is
/// escaped, so that it can be nothing but a part of the path or of the question.
///
/// # Errors
/// What is missing or wrong, as a sentence.
pub fn filled(template: &str, record: &Record, json: Option<&str>) -> Result<String, String> {
    check_link(template)?;
    let mut address = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        address.push_str(before);
        let (name, after) = after
            .split_once('}')
            .ok_or_else(|| "a brace of the template is not closed".to_owned())?;
        escape(&mut address, &value_of(name, record, json)?);
        rest = after;
    }
    address.push_str(rest);
    Ok(address)
}

/// What `name` stands for in `record`.
fn value_of(name: &str, record: &Record, json: Option<&str>) -> Result<String, String> {
    let time = || {
        let time = record.timestamp;
        time.ok_or_else(|| "The record carries no time".to_owned())
    };
    match name {
        "topic" => Ok(record.topic.to_string()),
        "partition" => Ok(record.partition.to_string()),
        "offset" => Ok(record.offset.to_string()),
        "time" => {
            let time = zoned(time()?, &TimeZone::UTC);
            let time = time.map(|at| at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string());
            time.ok_or_else(|| "The record's time has no date".to_owned())
        }
        "time_ms" => Ok(time()?.0.to_string()),
        "key" => {
            let key = record.key.as_deref().ok_or("The record has no key")?;
            let text = std::str::from_utf8(key).ok().map(str::to_owned);
            text.ok_or_else(|| "The record's key is no text".to_owned())
        }
        "trace_id" => trace_id(record).ok_or_else(|| "The record carries no trace id".to_owned()),
        _ => {
            if let Some(header) = name.strip_prefix("header:") {
                return header_of(record, header)
                    .ok_or_else(|| format!("The record has no header {header} that is text"));
            }
            if let Some(path) = name.strip_prefix("field:") {
                let field = Path::parse(path).and_then(|path| fields::find(json?, &path));
                return field
                    .map(|field| field.text())
                    .ok_or_else(|| format!("The record's value has no field {path}"));
            }
            Err(format!("{{{name}}} is nothing that a record has"))
        }
    }
}

/// The first header of this name, whatever its case, that is text.
fn header_of(record: &Record, name: &str) -> Option<String> {
    let mut headers = record.headers.iter().filter(|header| {
        let known = header.name.as_str();
        known.is_some_and(|known| known.eq_ignore_ascii_case(name))
    });
    headers.find_map(|header| {
        let value = std::str::from_utf8(header.value.as_deref()?).ok()?;
        (!value.is_empty()).then(|| value.to_owned())
    })
}

/// The id of the trace: the second part of a `traceparent`, or a header that is one.
fn trace_id(record: &Record) -> Option<String> {
    let parent = header_of(record, "traceparent").and_then(|parent| {
        let id = parent.split('-').nth(1)?;
        let is_id = id.len() == 32 && id.chars().all(|c| c.is_ascii_hexdigit());
        is_id.then(|| id.to_owned())
    });
    let names = ["trace_id", "trace-id", "traceid", "x-b3-traceid"];
    parent.or_else(|| names.iter().find_map(|name| header_of(record, name)))
}

/// Everything but letters, digits and a few signs as `%41`.
fn escape(address: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            write!(address, "%{byte:02X}").unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::{Header, Text, TimestampMs, by_hand};

    fn record() -> Record {
        Record {
            key: Some(Bytes::from_static("o/47 11&x=é".as_bytes())),
            timestamp: Some(TimestampMs(1_796_043_720_007)),
            headers: [
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "x",
            ]
            .into_iter()
            .zip(["traceparent", "Tenant"])
            .map(|(value, name)| Header {
                name: Text::from(name),
                value: Some(Bytes::from_static(value.as_bytes())),
            })
            .collect(),
            ..by_hand::record("orders", 1, 7)
        }
    }

    #[test]
    fn a_template_is_filled_and_nothing_can_break_out_of_its_place() {
        let said = |template: &str| filled(template, &record(), Some("{\"a\":{\"b\":4.0}}"));
        assert_eq!(
            said("https://t/{trace_id}?at={time}&k={key}").unwrap(),
            "https://t/4bf92f3577b34da6a3ce929d0e0e4736?at=2026-11-30T13%3A02%3A00.007Z&k=o%2F47%2011%26x%3D%C3%A9"
        );
        assert_eq!(
            said("http://l/{topic}/{partition}/{offset}/{time_ms}/{header:tenant}/{field:.a.b}"),
            Ok("http://l/orders/1/7/1796043720007/x/4.0".to_owned())
        );
    }

    #[test]
    fn what_is_missing_is_said() {
        let bare = by_hand::record("orders", 1, 7);
        let bare = Record {
            key: None,
            timestamp: None,
            headers: vec![],
            ..bare
        };
        for (template, says) in [
            ("https://t/{trace_id}", "no trace id"),
            ("https://t/{key}", "no key"),
            ("https://t/{time}", "no time"),
            ("https://t/{header:a}", "no header a"),
            ("https://t/{field:.a}", "no field .a"),
            ("https://t/{what}", "{what} is nothing"),
            ("https://t/{key", "not closed"),
            ("javascript:{key}", "begins with https"),
            ("https://{key}/", "names no host"),
        ] {
            let error = filled(template, &bare, None).unwrap_err();
            assert!(error.contains(says), "{template}: {error}");
        }
    }
}
