//! Messages, written as JSON while they are read.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::decode::schema::failure::Failure;
use crate::decode::schema::out::{Out, quoted};

use super::known;
use super::wire::{Raw, Span, Wire, WireField};

/// Messages may be nested as deep as this, as everywhere with Protobuf.
pub(super) const MOST_DEPTH: usize = 100;

/// The JSON text of a message, and how many of its bytes the schema knows nothing about.
pub(super) fn read(message: &MessageDescriptor, bytes: &[u8]) -> Result<(String, usize), Failure> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Failure::new(0, "a message of 4 GiB and more is not read"));
    }
    let mut reader = Reader {
        bytes,
        out: Out::of(bytes.len()),
        unknown: 0,
        depth: 0,
    };
    let whole = Span {
        from: 0,
        to: bytes.len(),
    };
    reader.message(message, &[whole])?;
    Ok((reader.out.into_text(), reader.unknown))
}

pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) out: Out,
    /// Bytes that belong to fields which the schema does not know.
    unknown: usize,
    depth: usize,
}

/// Numbers of fields with the places of their tags, by number and then by place. Eight bytes for each, so that a
/// message that is nothing but fields does not take many times its size.
pub(super) type Places = Vec<(u32, u32)>;

impl Reader<'_> {
    /// A message whose bytes may stand in several parts, which are taken as one.
    pub(super) fn message(
        &mut self,
        message: &MessageDescriptor,
        parts: &[Span],
    ) -> Result<(), Failure> {
        let at = parts.first().map_or(0, |part| part.from);
        if self.depth >= MOST_DEPTH {
            let what = format!("messages are nested deeper than {MOST_DEPTH}");
            return Err(Failure::new(at, what));
        }
        self.depth += 1;
        let done = if known::write(self, message, parts)? {
            Ok(())
        } else {
            self.plain(message, parts)
        };
        self.depth -= 1;
        done
    }

    fn plain(&mut self, message: &MessageDescriptor, parts: &[Span]) -> Result<(), Failure> {
        let at = parts.first().map_or(0, |part| part.from);
        self.out.put(at, "{")?;
        self.fields(message, parts, true)?;
        self.out.put(at, "}")
    }

    /// The fields, without braces around them.
    pub(super) fn fields(
        &mut self,
        message: &MessageDescriptor,
        parts: &[Span],
        mut is_first: bool,
    ) -> Result<(), Failure> {
        let places = self.places(parts)?;
        for same in places.chunk_by(|one, other| one.0 == other.0) {
            let Some((number, _)) = same.first() else {
                continue;
            };
            let field = message.get_field(*number);
            let (mut fitting, mut others) = (Vec::new(), Vec::new());
            for (_, at) in same {
                match &field {
                    Some(field) if fits(field, self.at(*at)?.raw) => fitting.push(*at),
                    _ => others.push(*at),
                }
            }
            if let Some(field) = &field {
                keep_last_of_oneof(field, &places, &mut fitting);
                if !fitting.is_empty() {
                    self.name(&mut is_first, &fitting, field.json_name())?;
                    self.field(field, &fitting)
                        .map_err(|failure| failure.in_field(field.name()))?;
                }
            }
            if !others.is_empty() {
                self.name(&mut is_first, &others, &number.to_string())?;
                self.unknown_fields(&others)?;
            }
        }
        Ok(())
    }

    fn name(&mut self, is_first: &mut bool, found: &[u32], name: &str) -> Result<(), Failure> {
        let at = begin(found);
        if !*is_first {
            self.out.put(at, ",")?;
        }
        *is_first = false;
        self.out.put(at, &quoted(name))?;
        self.out.put(at, ":")
    }

    pub(super) fn places(&self, parts: &[Span]) -> Result<Places, Failure> {
        let mut places = Places::new();
        for part in parts {
            let mut wire = Wire::new(self.bytes, *part);
            while let Some(field) = wire.field()? {
                places.push((field.number, u32::try_from(field.at).unwrap_or(u32::MAX)));
            }
        }
        places.sort_unstable();
        Ok(places)
    }

    /// The field whose tag stands there.
    pub(super) fn at(&self, at: u32) -> Result<WireField, Failure> {
        let from = usize::try_from(at).unwrap_or(usize::MAX);
        let span = Span {
            from,
            to: self.bytes.len(),
        };
        let field = Wire::new(self.bytes, span).field()?;
        field.ok_or_else(|| Failure::new(from, "a field is missing"))
    }

    /// The value of a field whose tags stand in these places.
    pub(super) fn field(&mut self, field: &FieldDescriptor, found: &[u32]) -> Result<(), Failure> {
        let kind = field.kind();
        if let (true, Kind::Message(entry)) = (field.is_map(), &kind) {
            return self.map(entry, found);
        }
        if field.is_list() {
            return self.list(&kind, found);
        }
        if let Kind::Message(message) = &kind {
            let mut parts = Vec::new();
            for at in found {
                parts.extend(span(self.at(*at)?.raw));
            }
            return self.message(message, &parts);
        }
        match found.last() {
            Some(last) => {
                let last = self.at(*last)?;
                self.scalar(&kind, &last)
            }
            None => Ok(()),
        }
    }

    fn list(&mut self, kind: &Kind, found: &[u32]) -> Result<(), Failure> {
        self.out.put(begin(found), "[")?;
        let mut index = 0_u64;
        for at in found {
            let field = self.at(*at)?;
            let (Raw::Counted(inside), true) = (field.raw, may_be_packed(kind)) else {
                self.comma(field.at, index)?;
                let item = match (kind, span(field.raw)) {
                    (Kind::Message(message), Some(part)) => self.message(message, &[part]),
                    (kind, _) => self.scalar(kind, &field),
                };
                item.map_err(|failure| failure.in_item(index))?;
                index = index.saturating_add(1);
                continue;
            };
            let mut wire = Wire::new(self.bytes, inside);
            while !wire.is_done() {
                let at = wire.at();
                self.comma(at, index)?;
                let raw = packed(kind, &mut wire).map_err(|failure| failure.in_item(index))?;
                let item = WireField { at, raw, ..field };
                self.scalar(kind, &item)?;
                index = index.saturating_add(1);
            }
        }
        self.out.put(begin(found), "]")
    }

    fn comma(&mut self, at: usize, index: u64) -> Result<(), Failure> {
        if index > 0 {
            self.out.put(at, ",")
        } else {
            Ok(())
        }
    }

    fn map(&mut self, entry: &MessageDescriptor, found: &[u32]) -> Result<(), Failure> {
        // Both are there in every map that a compiler made; in other descriptors they may not be.
        let (Some(key), Some(value)) = (entry.get_field(1), entry.get_field(2)) else {
            let what = "the schema's map has no key or no value";
            return Err(Failure::new(begin(found), what));
        };
        self.out.put(begin(found), "{")?;
        for (index, at) in (0_u64..).zip(found) {
            let outer = self.at(*at)?;
            self.comma(outer.at, index)?;
            let (mut last_key, mut values) = (None, Vec::new());
            let parts: Vec<Span> = span(outer.raw).into_iter().collect();
            for (number, at) in self.places(&parts)? {
                let inner = self.at(at)?;
                match number {
                    1 if fits(&key, inner.raw) => last_key = Some(inner),
                    2 if fits(&value, inner.raw) => values.push(at),
                    _ => self.unknown = self.unknown.saturating_add(size(self.bytes, &inner)),
                }
            }
            let text = self.key(outer.at, &key.kind(), last_key.as_ref())?;
            self.out.string(outer.at, &text)?;
            self.out.put(outer.at, ":")?;
            let written = if values.is_empty() {
                self.absent(outer.at, &value.kind())
            } else {
                self.field(&value, &values)
            };
            written.map_err(|failure| failure.in_field(&text))?;
        }
        self.out.put(begin(found), "}")
    }

    /// What the schema does not know, as its wire types tell.
    fn unknown_fields(&mut self, found: &[u32]) -> Result<(), Failure> {
        let is_one = found.len() == 1;
        if !is_one {
            self.out.put(begin(found), "[")?;
        }
        for (index, at) in (0_u64..).zip(found) {
            let field = self.at(*at)?;
            self.unknown = self.unknown.saturating_add(size(self.bytes, &field));
            self.comma(field.at, index)?;
            self.unknown_value(&field, 0)?;
        }
        if is_one {
            return Ok(());
        }
        self.out.put(begin(found), "]")
    }

    fn unknown_value(&mut self, field: &WireField, depth: usize) -> Result<(), Failure> {
        match field.raw {
            Raw::Varint(value) => self.out.number(field.at, value),
            Raw::Fixed32(bytes) => {
                let value = u32::from_le_bytes(bytes);
                self.out.string(field.at, &format!("0x{value:08x}"))
            }
            Raw::Fixed64(bytes) => {
                let value = u64::from_le_bytes(bytes);
                self.out.string(field.at, &format!("0x{value:016x}"))
            }
            Raw::Counted(span) => {
                let bytes = self.bytes.get(span.from..span.to).unwrap_or_default();
                self.out.base64(field.at, bytes)
            }
            Raw::Group(span) if depth < MOST_DEPTH => {
                self.out.put(field.at, "{")?;
                let mut wire = Wire::new(self.bytes, span);
                let mut index = 0;
                while let Some(inner) = wire.field()? {
                    self.comma(inner.at, index)?;
                    self.out.string(inner.at, &inner.number.to_string())?;
                    self.out.put(inner.at, ":")?;
                    self.unknown_value(&inner, depth.saturating_add(1))?;
                    index = 1;
                }
                self.out.put(field.at, "}")
            }
            Raw::Group(_) => {
                let what = format!("groups are nested deeper than {MOST_DEPTH}");
                Err(Failure::new(field.at, what))
            }
        }
    }
}

/// The byte where the first of these fields begins.
fn begin(found: &[u32]) -> usize {
    let first = found.first().and_then(|at| usize::try_from(*at).ok());
    first.unwrap_or(0)
}

/// What stands in a message or a group.
fn span(raw: Raw) -> Option<Span> {
    match raw {
        Raw::Counted(span) | Raw::Group(span) => Some(span),
        _ => None,
    }
}

/// How many bytes a field takes, its tag included.
fn size(bytes: &[u8], field: &WireField) -> usize {
    let span = Span {
        from: field.at,
        to: bytes.len(),
    };
    let mut wire = Wire::new(bytes, span);
    match wire.field() {
        Ok(_) => wire.at().saturating_sub(field.at),
        Err(_) => 0,
    }
}

/// Of several fields of a `oneof` only the last in the bytes counts.
fn keep_last_of_oneof(field: &FieldDescriptor, places: &Places, fitting: &mut Vec<u32>) {
    let Some(oneof) = field.containing_oneof() else {
        return;
    };
    let others = oneof
        .fields()
        .filter(|other| other.number() != field.number());
    let last = others
        .filter_map(|other| {
            let number = other.number();
            let end = places.partition_point(|(known, _)| *known <= number);
            let (known, at) = places.get(end.checked_sub(1)?)?;
            (*known == number).then_some(*at)
        })
        .max();
    if let Some(last) = last {
        fitting.retain(|at| *at > last);
    }
}

/// Whether the wire type is one that the field may have.
pub(super) fn fits(field: &FieldDescriptor, raw: Raw) -> bool {
    let kind = field.kind();
    let single = match (&kind, raw) {
        (Kind::Double | Kind::Fixed64 | Kind::Sfixed64, Raw::Fixed64(_))
        | (Kind::Float | Kind::Fixed32 | Kind::Sfixed32, Raw::Fixed32(_))
        | (Kind::String | Kind::Bytes, Raw::Counted(_)) => true,
        (Kind::Message(_), Raw::Counted(_)) => !field.is_group(),
        (Kind::Message(_), Raw::Group(_)) => field.is_group(),
        (kind, Raw::Varint(_)) => is_varint(kind),
        _ => false,
    };
    single || (field.is_list() && may_be_packed(&kind) && matches!(raw, Raw::Counted(_)))
}

fn is_varint(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Int32
            | Kind::Int64
            | Kind::Uint32
            | Kind::Uint64
            | Kind::Sint32
            | Kind::Sint64
            | Kind::Bool
            | Kind::Enum(_)
    )
}

fn may_be_packed(kind: &Kind) -> bool {
    !matches!(kind, Kind::String | Kind::Bytes | Kind::Message(_))
}

fn packed(kind: &Kind, wire: &mut Wire<'_>) -> Result<Raw, Failure> {
    Ok(match kind {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => Raw::Fixed64(wire.array()?),
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => Raw::Fixed32(wire.array()?),
        _ => Raw::Varint(wire.varint()?),
    })
}
