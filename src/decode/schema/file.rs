//! Schemas from files that a person chose.

use std::path::Path;

use crate::model::SchemaKind;

use super::protobuf::Protobuf;
use super::{Body, Schema};

pub(super) fn read(file_name: &str, bytes: &[u8]) -> Result<Schema, String> {
    let (name, message) = match file_name.rsplit_once('#') {
        Some((name, message)) => (name, Some(message)),
        None => (file_name, None),
    };
    let is = |extension: &str| {
        let own = Path::new(name).extension();
        own.is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    let text = std::str::from_utf8(bytes);
    let is_json = text.is_ok_and(|text| text.trim_start().starts_with(['{', '[', '"']));
    if is("avsc") || (is_json && !is("proto")) {
        return match text {
            Ok(text) => Schema::new(SchemaKind::Avro, text, &[]),
            Err(_) => Err(format!("{name} is no text")),
        };
    }
    let body = if is("proto") {
        match text {
            Ok(text) => Protobuf::new(text, &[]).and_then(|schema| match message {
                Some(message) => schema.with_message(message),
                None => Ok(schema),
            }),
            Err(_) => Err("it is no text".to_owned()),
        }
    } else {
        Protobuf::from_descriptors(bytes, message)
    };
    match body {
        Ok(body) => Ok(Schema {
            kind: SchemaKind::Protobuf,
            body: Body::Protobuf(body),
        }),
        Err(why) => Err(format!("{name} cannot be used: {why}")),
    }
}
