//! Protocol Buffers: schemas into descriptors, and messages into JSON text as they are read.
//!
//! The reader is our own: a message of a few bytes per field would take many times its size in memory as values, and
//! what fails is said with its byte and field. JSON is what the Protobuf JSON mapping says, but for this:
//!
//! - only what is in the bytes is shown, also where it is the field's default;
//! - integers of 64 bits are numbers, whose digits nothing here changes;
//! - a field that the schema does not know stands under its number, as its wire type tells: a number, `"0x…"` for 32
//!   or 64 bits, base64, or an object for a group;
//! - a map's key that stands twice is shown twice.

mod compile;
mod known;
mod read;
mod value;
mod wire;

#[cfg(test)]
mod tests;

use prost_reflect::{FileDescriptor, MessageDescriptor};

use super::SchemaDecoded;

/// A Protobuf schema that can be used.
pub(super) struct Protobuf {
    file: FileDescriptor,
    /// The message, where nothing else names one.
    usual: Result<MessageDescriptor, String>,
    /// Whether that message was named by a person, whatever places bytes name: they name them in another file.
    is_named: bool,
}

impl Protobuf {
    /// From its text, and the texts of what it imports.
    ///
    /// # Errors
    /// What is wrong with it, in a phrase.
    pub(super) fn new(text: &str, references: &[(String, String)]) -> Result<Self, String> {
        compile::from_text(text, references)
    }

    /// From a set of descriptors, as `protoc --descriptor_set_out` writes it; `message` names one of its messages.
    ///
    /// # Errors
    /// What is wrong with it, in a phrase.
    pub(super) fn from_descriptors(bytes: &[u8], message: Option<&str>) -> Result<Self, String> {
        compile::from_descriptors(bytes, message)
    }

    /// The same with this message where nothing else names one.
    ///
    /// # Errors
    /// There is no such message.
    pub(super) fn with_message(mut self, name: &str) -> Result<Self, String> {
        let found = self.file.parent_pool().get_message_by_name(name);
        let found = found.ok_or_else(|| format!("it has no message {name}"))?;
        self.usual = Ok(found);
        self.is_named = true;
        Ok(self)
    }

    pub(super) fn what(&self) -> &str {
        match &self.usual {
            Ok(message) => message.full_name(),
            Err(_) => self.file.name(),
        }
    }

    /// `index` names the message: by its place in the file, then by places in the messages around it.
    ///
    /// # Errors
    /// There is no such message; or where and why the bytes are none of its kind. In a sentence.
    pub(super) fn decode(
        &self,
        payload: &[u8],
        index: Option<&[i32]>,
    ) -> Result<SchemaDecoded, String> {
        let message = match index {
            None | Some([]) => self.usual.clone()?,
            Some(_) if self.is_named => self.usual.clone()?,
            Some(index) => self.at(index).ok_or_else(|| {
                format!("the schema has no message at the place {index:?} that the bytes name")
            })?,
        };
        let (text, left_over) =
            read::read(&message, payload).map_err(|failure| failure.sentence())?;
        Ok(SchemaDecoded {
            text,
            what: message.full_name().to_owned(),
            left_over,
        })
    }

    fn at(&self, index: &[i32]) -> Option<MessageDescriptor> {
        let (first, rest) = index.split_first()?;
        let mut message = self.file.messages().nth(usize::try_from(*first).ok()?)?;
        for place in rest {
            let inner = message
                .child_messages()
                .nth(usize::try_from(*place).ok()?)?;
            message = inner;
        }
        Some(message)
    }
}
