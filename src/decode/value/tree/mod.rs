//! Formats that carry their own structure in bytes, written as JSON.
//!
//! | module | what it is |
//! |---|---|
//! | `msgpack`, `cbor` | what stands in the bytes, one thing after another |
//! | `walk` | through all of a value: first to see whether it is one, then to write it |
//!
//! Nothing is built from what is read but the text: no length is trusted, and nothing nests deeper than
//! [`MAX_DEPTH`]. What JSON has no words for is an object whose name begins with `$`.

mod cbor;
mod msgpack;
mod walk;

use std::borrow::Cow;

use crate::decode::rows::Flaw;

use walk::Checked;

/// Deeper nesting than this is not read.
pub(super) const MAX_DEPTH: usize = 256;

/// A format of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// `MessagePack`.
    MessagePack,
    /// CBOR.
    Cbor,
}

/// What stands in the bytes.
#[derive(Clone, Debug, PartialEq)]
enum Token<'b> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Float32(f32),
    Text(Cow<'b, str>),
    /// A text whose bytes are not UTF-8.
    BrokenText(Cow<'b, [u8]>),
    Bytes(Cow<'b, [u8]>),
    /// So many values follow; `None`: up to an end.
    Array(Option<u64>),
    /// So many pairs follow; `None`: up to an end.
    Map(Option<u64>),
    /// The end of what has no number of values.
    End,
    /// The next value has this meaning.
    Tag(u64),
    /// Bytes of a type that an application has given a meaning.
    Extension(i8, &'b [u8]),
    /// Seconds since 1970 and billionths of one.
    Time(i64, u32),
    /// A value without content.
    Simple(u8),
}

/// Reads one thing after another.
trait Tokens<'b> {
    /// The next.
    fn next(&mut self) -> Result<Token<'b>, Flaw>;
    /// The first byte that was not read.
    fn at(&self) -> usize;
}

/// How much speaks for bytes being of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Too little: many bytes are as well.
    None,
    /// A structure that takes exactly all bytes.
    Structure,
    /// One with names or texts in it.
    Texts,
}

/// Bytes that are a value of a language from the first to the last of them.
#[derive(Debug)]
pub(super) struct Whole {
    checked: Checked,
    language: Language,
}

impl Whole {
    /// How much speaks for it.
    pub(super) fn weight(&self, len: usize) -> Weight {
        let checked = &self.checked;
        match checked.top {
            _ if checked.broken_texts > 0 => Weight::None,
            walk::Top::Marked => Weight::Texts,
            walk::Top::Map | walk::Top::Array if checked.texts > 0 => Weight::Texts,
            walk::Top::Map | walk::Top::Array if len >= 3 => Weight::Structure,
            // As UTF-8 it would begin with half a character.
            walk::Top::Text if len >= 5 && self.language == Language::MessagePack => Weight::Texts,
            _ => Weight::None,
        }
    }

    /// What it is: `a map`, `a list`, `a text`, `a value`.
    pub(super) fn noun(&self) -> &'static str {
        self.checked.top.noun()
    }
}

/// A value at the beginning of bytes, written as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// The JSON.
    pub text: String,
    /// Bytes that follow it.
    pub left_over: usize,
    /// Texts in it that are not UTF-8, written as bytes.
    pub broken_texts: usize,
}

impl Language {
    /// Whether `bytes` are one value and nothing else. Takes no memory to speak of.
    pub(super) fn whole(self, bytes: &[u8]) -> Option<Whole> {
        let checked = self.check(bytes).ok()?;
        (checked.end == bytes.len()).then_some(Whole {
            checked,
            language: self,
        })
    }

    /// The value that `whole` was seen to be.
    ///
    /// # Errors
    /// It cannot be written, and why.
    pub(super) fn write_whole(self, bytes: &[u8], whole: &Whole) -> Result<Written, Flaw> {
        self.write_checked(bytes, &whole.checked)
    }

    /// The value at the beginning of `bytes`.
    ///
    /// # Errors
    /// There is none, and where that shows.
    pub(super) fn write(self, bytes: &[u8]) -> Result<Written, Flaw> {
        self.write_checked(bytes, &self.check(bytes)?)
    }

    fn check(self, bytes: &[u8]) -> Result<Checked, Flaw> {
        match self {
            Self::MessagePack => walk::check(msgpack::Reader::new(bytes)),
            Self::Cbor => walk::check(cbor::Reader::new(bytes)),
        }
    }

    fn write_checked(self, bytes: &[u8], checked: &Checked) -> Result<Written, Flaw> {
        let text = match self {
            Self::MessagePack => walk::write(msgpack::Reader::new(bytes), checked)?,
            Self::Cbor => walk::write(cbor::Reader::new(bytes), checked)?,
        };
        Ok(Written {
            text,
            left_over: bytes.len().saturating_sub(checked.end),
            broken_texts: checked.broken_texts,
        })
    }
}

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
struct Bytes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Bytes<'b> {
    fn flaw(&self, why: &'static str) -> Flaw {
        Flaw { at: self.at, why }
    }

    /// The next `len` bytes.
    fn take(&mut self, len: u64) -> Result<&'b [u8], Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let Some(taken) = taken else {
            return Err(self.flaw("it ends too early"));
        };
        self.at = self.at.saturating_add(taken.len());
        Ok(taken)
    }

    /// The next `N` bytes.
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Flaw> {
        let taken = self.take(u64::try_from(N).unwrap_or(u64::MAX))?;
        let array = taken.first_chunk::<N>().copied();
        array.ok_or_else(|| self.flaw("it ends too early"))
    }

    /// An unsigned integer of `len` bytes, 8 at most.
    fn unsigned(&mut self, len: u64) -> Result<u64, Flaw> {
        let taken = self.take(len)?;
        Ok(taken
            .iter()
            .fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }
}

/// Text, or what was meant to be text.
fn text_token(bytes: &[u8]) -> Token<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Token::Text(Cow::Borrowed(text)),
        Err(_) => Token::BrokenText(Cow::Borrowed(bytes)),
    }
}

#[cfg(test)]
mod tests;
