//! Single values of messages.

use prost_reflect::{EnumDescriptor, Kind};

use crate::decode::schema::failure::Failure;

use super::read::Reader;
use super::wire::{Raw, WireField};

impl<'a> Reader<'a> {
    /// A value that is no message.
    pub(super) fn scalar(&mut self, kind: &Kind, field: &WireField) -> Result<(), Failure> {
        let at = field.at;
        match (kind, field.raw) {
            (Kind::Bool, Raw::Varint(value)) => {
                self.out.put(at, if value == 0 { "false" } else { "true" })
            }
            (Kind::Enum(symbols), Raw::Varint(value)) => {
                self.symbol(at, symbols, low(value).cast_signed())
            }
            (Kind::String, Raw::Counted(_)) => {
                let text = self.text(field)?;
                self.out.string(at, text)
            }
            (Kind::Bytes, Raw::Counted(span)) => {
                let bytes = self.bytes.get(span.from..span.to).unwrap_or_default();
                self.out.base64(at, bytes)
            }
            (Kind::Double, Raw::Fixed64(bytes)) => self.out.double(at, f64::from_le_bytes(bytes)),
            (Kind::Float, Raw::Fixed32(bytes)) => self.out.float(at, f32::from_le_bytes(bytes)),
            (kind, raw) => match integer(kind, raw) {
                Some(number) => self.out.number(at, number),
                None => Err(Failure::new(at, "the value is of another kind")),
            },
        }
    }

    fn symbol(&mut self, at: usize, symbols: &EnumDescriptor, number: i32) -> Result<(), Failure> {
        if symbols.full_name() == "google.protobuf.NullValue" {
            return self.out.put(at, "null");
        }
        match symbols.get_value(number) {
            Some(symbol) => self.out.string(at, symbol.name()),
            None => self.out.number(at, number),
        }
    }

    fn text(&self, field: &WireField) -> Result<&'a str, Failure> {
        let Raw::Counted(span) = field.raw else {
            return Err(Failure::new(field.at, "the value is no text"));
        };
        let bytes = self.bytes.get(span.from..span.to).unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|error| {
            let at = span.from.saturating_add(error.valid_up_to());
            Failure::new(at, "the text is not UTF-8")
        })
    }

    /// The key of a map's entry as text; one that is not there is its kind's default.
    pub(super) fn key(
        &self,
        at: usize,
        kind: &Kind,
        field: Option<&WireField>,
    ) -> Result<String, Failure> {
        let Some(field) = field else {
            return Ok(match kind {
                Kind::String => String::new(),
                Kind::Bool => "false".to_owned(),
                _ => "0".to_owned(),
            });
        };
        match (kind, field.raw) {
            (Kind::String, _) => self.text(field).map(str::to_owned),
            (Kind::Bool, Raw::Varint(value)) => Ok((value != 0).to_string()),
            (kind, raw) => match integer(kind, raw) {
                Some(number) => Ok(number.to_string()),
                None => Err(Failure::new(at, "the key of a map is of another kind")),
            },
        }
    }

    /// The default of a kind, for what has to stand there though it is not in the bytes.
    pub(super) fn absent(&mut self, at: usize, kind: &Kind) -> Result<(), Failure> {
        match kind {
            Kind::Message(message) => self.message(message, &[]),
            Kind::Enum(symbols) => self.symbol(at, symbols, 0),
            Kind::Bool => self.out.put(at, "false"),
            Kind::String | Kind::Bytes => self.out.put(at, "\"\""),
            Kind::Double | Kind::Float => self.out.put(at, "0.0"),
            _ => self.out.put(at, "0"),
        }
    }
}

/// The lower 32 bits, which are all that counts of a field of 32 bits.
fn low(value: u64) -> u32 {
    u32::try_from(value & 0xffff_ffff).unwrap_or(0)
}

fn integer(kind: &Kind, raw: Raw) -> Option<i128> {
    Some(match (kind, raw) {
        (Kind::Int32, Raw::Varint(value)) => low(value).cast_signed().into(),
        (Kind::Int64, Raw::Varint(value)) => value.cast_signed().into(),
        (Kind::Uint32, Raw::Varint(value)) => low(value).into(),
        (Kind::Uint64, Raw::Varint(value)) => value.into(),
        (Kind::Sint32, Raw::Varint(value)) => {
            let value = low(value);
            let half = (value >> 1).cast_signed();
            i128::from(if value & 1 == 0 { half } else { !half })
        }
        (Kind::Sint64, Raw::Varint(value)) => {
            let half = (value >> 1).cast_signed();
            i128::from(if value & 1 == 0 { half } else { !half })
        }
        (Kind::Fixed32, Raw::Fixed32(bytes)) => u32::from_le_bytes(bytes).into(),
        (Kind::Sfixed32, Raw::Fixed32(bytes)) => i32::from_le_bytes(bytes).into(),
        (Kind::Fixed64, Raw::Fixed64(bytes)) => u64::from_le_bytes(bytes).into(),
        (Kind::Sfixed64, Raw::Fixed64(bytes)) => i64::from_le_bytes(bytes).into(),
        _ => return None,
    })
}
