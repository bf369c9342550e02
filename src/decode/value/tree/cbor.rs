//! CBOR, as RFC 8949 has it.

use std::borrow::Cow;

use crate::decode::rows::Flaw;

use super::{Bytes, Token, Tokens, text_token};

/// Reads CBOR.
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

    /// The number that stands in a first byte or behind it; `None` for one that is told by an end.
    fn argument(&mut self, info: u8) -> Result<Option<u64>, Flaw> {
        match info {
            0..=23 => Ok(Some(info.into())),
            24..=27 => Ok(Some(self.bytes.unsigned(1 << (info - 24))?)),
            31 => Ok(None),
            _ => Err(self.bytes.flaw("there is no such length")),
        }
    }

    fn known(&mut self, info: u8) -> Result<u64, Flaw> {
        let argument = self.argument(info)?;
        argument.ok_or_else(|| self.bytes.flaw("there is no such length"))
    }

    /// Bytes or a text in pieces, each with its own length, up to an end.
    fn pieces(&mut self, major: u8) -> Result<Cow<'b, [u8]>, Flaw> {
        let mut all: Cow<'b, [u8]> = Cow::Borrowed(&[]);
        loop {
            let [first] = self.bytes.array()?;
            if first == 0xff {
                return Ok(all);
            }
            if first >> 5 != major || first & 0x1f == 31 {
                return Err(self.bytes.flaw("a piece is of another kind"));
            }
            let len = self.known(first & 0x1f)?;
            let piece = self.bytes.take(len)?;
            if all.is_empty() {
                all = Cow::Borrowed(piece);
            } else {
                all.to_mut().extend_from_slice(piece);
            }
        }
    }

    fn bytes_token(&mut self, info: u8) -> Result<Token<'b>, Flaw> {
        Ok(match self.argument(info)? {
            Some(len) => Token::Bytes(Cow::Borrowed(self.bytes.take(len)?)),
            None => Token::Bytes(self.pieces(2)?),
        })
    }

    fn text(&mut self, info: u8) -> Result<Token<'b>, Flaw> {
        Ok(match self.argument(info)? {
            Some(len) => text_token(self.bytes.take(len)?),
            None => match self.pieces(3)? {
                Cow::Borrowed(bytes) => text_token(bytes),
                Cow::Owned(bytes) => match String::from_utf8(bytes) {
                    Ok(text) => Token::Text(Cow::Owned(text)),
                    Err(error) => Token::BrokenText(Cow::Owned(error.into_bytes())),
                },
            },
        })
    }

    fn simple(&mut self, info: u8) -> Result<Token<'b>, Flaw> {
        Ok(match info {
            20 | 21 => Token::Bool(info == 21),
            22 => Token::Null,
            24 => {
                let [number] = self.bytes.array()?;
                if number < 32 {
                    return Err(self.bytes.flaw("there is no such simple value"));
                }
                Token::Simple(number)
            }
            25 => Token::Float32(half(self.bytes.array()?)),
            26 => Token::Float32(f32::from_be_bytes(self.bytes.array()?)),
            27 => Token::Float(f64::from_be_bytes(self.bytes.array()?)),
            31 => Token::End,
            0..=23 => Token::Simple(info),
            _ => return Err(self.bytes.flaw("there is no such simple value")),
        })
    }
}

/// A floating-point number of two bytes.
fn half(bytes: [u8; 2]) -> f32 {
    let bits = u16::from_be_bytes(bytes);
    let exponent = (bits >> 10) & 0x1f;
    let mantissa = f32::from(bits & 0x3ff);
    let size = match exponent {
        0 => mantissa / 16_777_216.0,
        31 if mantissa == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (mantissa + 1_024.0) * 2_f32.powi(i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

impl<'b> Tokens<'b> for Reader<'b> {
    fn next(&mut self) -> Result<Token<'b>, Flaw> {
        let [first] = self.bytes.array()?;
        let info = first & 0x1f;
        match first >> 5 {
            0 => Ok(Token::Int(self.known(info)?.into())),
            1 => {
                let number = i128::from(self.known(info)?);
                Ok(Token::Int((-1_i128).saturating_sub(number)))
            }
            2 => self.bytes_token(info),
            3 => self.text(info),
            4 => Ok(Token::Array(self.argument(info)?)),
            5 => Ok(Token::Map(self.argument(info)?)),
            6 => Ok(Token::Tag(self.known(info)?)),
            _ => self.simple(info),
        }
    }

    fn at(&self) -> usize {
        self.bytes.at
    }
}
