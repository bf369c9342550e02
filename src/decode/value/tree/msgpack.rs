//! `MessagePack`, as its specification has it.

use std::borrow::Cow;

use crate::decode::rows::Flaw;

use super::{Bytes, Token, Tokens, text_token};

/// The type of extension that is a time.
const TIME: i8 = -1;

/// Reads `MessagePack`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'b> {
    bytes: Bytes<'b>,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes: Bytes { bytes, at: 0 },
        }
    }

    fn text(&mut self, len: u64) -> Result<Token<'b>, Flaw> {
        Ok(text_token(self.bytes.take(len)?))
    }

    fn binary(&mut self, length_bytes: u64) -> Result<Token<'b>, Flaw> {
        let len = self.bytes.unsigned(length_bytes)?;
        Ok(Token::Bytes(Cow::Borrowed(self.bytes.take(len)?)))
    }

    fn extension(&mut self, len: u64) -> Result<Token<'b>, Flaw> {
        let [kind] = self.bytes.array()?;
        let kind = i8::from_be_bytes([kind]);
        let data = self.bytes.take(len)?;
        Ok(match (kind, time(data)) {
            (TIME, Some((seconds, nanos))) => Token::Time(seconds, nanos),
            _ => Token::Extension(kind, data),
        })
    }

    fn signed(&mut self, len: u64) -> Result<Token<'b>, Flaw> {
        let number = self.bytes.unsigned(len)?;
        let spare = 64_u64.saturating_sub(len.saturating_mul(8));
        // Moved up and down again, so that its sign fills what is in front of it.
        let signed = i64::from_be_bytes((number << spare).to_be_bytes()) >> spare;
        Ok(Token::Int(signed.into()))
    }
}

/// The time that an extension's data are: seconds since 1970, billionths of one.
fn time(data: &[u8]) -> Option<(i64, u32)> {
    let (seconds, nanos) = match data.len() {
        4 => (i64::from(u32::from_be_bytes(data.try_into().ok()?)), 0),
        8 => {
            let both = u64::from_be_bytes(data.try_into().ok()?);
            let seconds = i64::try_from(both & 0x3_ffff_ffff).ok()?;
            (seconds, u32::try_from(both >> 34).ok()?)
        }
        12 => {
            let (nanos, seconds) = data.split_at_checked(4)?;
            let seconds = i64::from_be_bytes(seconds.try_into().ok()?);
            (seconds, u32::from_be_bytes(nanos.try_into().ok()?))
        }
        _ => return None,
    };
    (nanos < 1_000_000_000).then_some((seconds, nanos))
}

impl<'b> Tokens<'b> for Reader<'b> {
    fn next(&mut self) -> Result<Token<'b>, Flaw> {
        let at = self.bytes.at;
        let [first] = self.bytes.array()?;
        let low = |mask: u8| u64::from(first & mask);
        match first {
            0x00..=0x7f => Ok(Token::Int(first.into())),
            0x80..=0x8f => Ok(Token::Map(Some(low(0x0f)))),
            0x90..=0x9f => Ok(Token::Array(Some(low(0x0f)))),
            0xa0..=0xbf => self.text(low(0x1f)),
            0xc0 => Ok(Token::Null),
            0xc1 => Err(Flaw {
                at,
                why: "0xc1 has no meaning",
            }),
            0xc2 | 0xc3 => Ok(Token::Bool(first == 0xc3)),
            0xc4 => self.binary(1),
            0xc5 => self.binary(2),
            0xc6 => self.binary(4),
            0xc7..=0xc9 => {
                let len = self.bytes.unsigned(1 << (first - 0xc7))?;
                self.extension(len)
            }
            0xca => Ok(Token::Float32(f32::from_be_bytes(self.bytes.array()?))),
            0xcb => Ok(Token::Float(f64::from_be_bytes(self.bytes.array()?))),
            0xcc..=0xcf => {
                let number = self.bytes.unsigned(1 << (first - 0xcc))?;
                Ok(Token::Int(number.into()))
            }
            0xd0..=0xd3 => self.signed(1 << (first - 0xd0)),
            0xd4..=0xd8 => self.extension(1 << (first - 0xd4)),
            0xd9..=0xdb => {
                let len = self.bytes.unsigned(1 << (first - 0xd9))?;
                self.text(len)
            }
            0xdc | 0xdd => {
                let len = self.bytes.unsigned(2 << (first - 0xdc))?;
                Ok(Token::Array(Some(len)))
            }
            0xde | 0xdf => {
                let len = self.bytes.unsigned(2 << (first - 0xde))?;
                Ok(Token::Map(Some(len)))
            }
            0xe0..=0xff => Ok(Token::Int(i8::from_be_bytes([first]).into())),
        }
    }

    fn at(&self) -> usize {
        self.bytes.at
    }
}
