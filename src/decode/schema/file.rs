//! Schemas from files that a person chose.

use crate::model::SchemaKind;

use super::protobuf::Protobuf;
use super::{Body, Schema};

pub(super) fn read(file_name: &str, bytes: &[u8]) -> Result<Schema, String> {
    let (name, message) = match file_name.rsplit_once('#') {
        Some((name, message)) => (name, Some(message)),
        None => (file_name, None),
    };
    let lower = name.to_ascii_lowercase();
    let text = std::str::from_utf8(bytes);
    let is_json = text.is_ok_and(|text| text.trim_start().starts_with(['{', '[', '"']));
    let body = if lower.ends_with(".avsc") || is_json && !lower.ends_with(".proto") {
        return match text {
            Ok(text) => Schema::new(SchemaKind::Avro, text, &[]),
            Err(_) => Err(format!("{name} is no text")),
        };
    } else if lower.ends_with(".proto") {
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
