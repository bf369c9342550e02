//! How records are laid out, and reading bytes by a layout.
//!
//! Fields follow one another without names. From the layout's first *flexible* version on, lengths are written
//! in as few bytes as they need, and behind the fields of every structure stand those that have a number of their
//! own, each with its length; numbers that are not known are kept as bytes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;

use crate::decode::rows::Flaw;

use super::super::out::Out;

/// Deeper than any layout is.
const MOST_DEPTH: usize = 16;

/// A layout of keys or values.
#[derive(Debug)]
pub(super) struct Layout {
    /// What Kafka calls it.
    pub name: &'static str,
    /// The last version that is known.
    pub last: i16,
    /// The first flexible version; `None` when no version is.
    pub flexible: Option<i16>,
    /// Its fields, in order.
    pub fields: &'static [Field],
}

/// A field of a layout.
#[derive(Debug)]
pub(super) struct Field {
    name: &'static str,
    kind: Type,
    /// The versions that have it.
    first: i16,
    last: i16,
    /// Its number, when it stands behind the other fields.
    tag: Option<u32>,
}

/// What a field is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type {
    Int8,
    Int16,
    Uint16,
    Int32,
    Int64,
    /// Milliseconds since 1970; −1 where there are none.
    Millis,
    /// A state: the name of each number, from 0.
    State(&'static [&'static str]),
    /// 16 bytes, written as Kafka's tools do.
    Uuid,
    Text,
    Bytes,
    /// Bytes that a group's members exchange: laid out so, behind a version, if their group is one of consumers.
    Inside(&'static Layout),
    List(&'static Self),
    /// A list of structures.
    Rows(&'static [Field]),
    /// A structure that may be missing.
    Maybe(&'static [Field]),
}

/// A field that every version has.
pub(super) const fn field(name: &'static str, kind: Type) -> Field {
    Field {
        name,
        kind,
        first: 0,
        last: i16::MAX,
        tag: None,
    }
}

impl Field {
    /// Only from that version on.
    pub(super) const fn since(self, first: i16) -> Self {
        Self { first, ..self }
    }

    /// Only in that version.
    pub(super) const fn only(self, version: i16) -> Self {
        Self {
            first: version,
            last: version,
            ..self
        }
    }

    /// Behind the other fields, with that number.
    pub(super) const fn tagged(self, tag: u32) -> Self {
        Self {
            tag: Some(tag),
            ..self
        }
    }
}

/// What was read by a layout.
#[derive(Debug)]
pub(super) struct Read {
    /// JSON: the fields by Kafka's names.
    pub text: String,
    /// Bytes that follow.
    pub left_over: usize,
}

impl Layout {
    /// Reads `bytes` by this layout.
    ///
    /// # Errors
    /// They are not laid out so, and where that shows.
    pub(super) fn read(&self, version: i16, bytes: &[u8]) -> Result<Read, Flaw> {
        let mut reader = Reader {
            bytes,
            at: 0,
            version,
            is_flexible: self.flexible.is_some_and(|first| version >= first),
        };
        let mut out = Out::default();
        reader.structure(self.fields, &mut out, 0)?;
        let text = out
            .finish()
            .ok_or_else(|| reader.flaw("it is too long as text"))?;
        Ok(Read {
            text,
            left_over: bytes.len().saturating_sub(reader.at),
        })
    }
}

#[derive(Clone, Copy, Debug)]
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    version: i16,
    is_flexible: bool,
}

impl<'b> Reader<'b> {
    fn flaw(&self, why: &'static str) -> Flaw {
        Flaw { at: self.at, why }
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8], Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest
            .get(..len)
            .ok_or_else(|| self.flaw("it ends too early"))?;
        self.at = self.at.saturating_add(len);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Flaw> {
        let taken = self.take(N)?;
        let array = taken.first_chunk::<N>().copied();
        array.ok_or_else(|| self.flaw("it ends too early"))
    }

    /// A number in as few bytes as it needs.
    fn varint(&mut self) -> Result<u32, Flaw> {
        let mut number = 0_u64;
        for shift in [0_u32, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let number = u32::try_from(number).ok();
                return number.ok_or_else(|| self.flaw("a length is wrong"));
            }
        }
        Err(self.flaw("a length is wrong"))
    }

    /// A length; `None` for null. `is_short`: in two bytes where it is not flexible, else in four.
    fn length(&mut self, is_short: bool) -> Result<Option<usize>, Flaw> {
        if self.is_flexible {
            let written = self.varint()?;
            return Ok(written
                .checked_sub(1)
                .and_then(|len| usize::try_from(len).ok()));
        }
        let len = if is_short {
            i32::from(i16::from_be_bytes(self.array()?))
        } else {
            i32::from_be_bytes(self.array()?)
        };
        match len {
            -1 => Ok(None),
            len => match usize::try_from(len) {
                Ok(len) => Ok(Some(len)),
                Err(_) => Err(self.flaw("a length is wrong")),
            },
        }
    }

    /// The fields of a structure as an object.
    fn structure(&mut self, fields: &[Field], out: &mut Out, depth: usize) -> Result<(), Flaw> {
        if depth > MOST_DEPTH {
            return Err(self.flaw("it nests too deep"));
        }
        out.raw("{");
        let mut is_first = true;
        let version = self.version;
        for field in fields.iter().filter(|field| field.tag.is_none()) {
            if (field.first..=field.last).contains(&version) {
                self.field(field, out, &mut is_first, depth)?;
            }
        }
        if self.is_flexible {
            self.tagged(fields, out, &mut is_first, depth)?;
        }
        out.raw("}");
        if out.is_full() {
            return Err(self.flaw("it is too long as text"));
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field,
        out: &mut Out,
        is_first: &mut bool,
        depth: usize,
    ) -> Result<(), Flaw> {
        if !std::mem::replace(is_first, false) {
            out.raw(",");
        }
        out.name(field.name);
        match field.kind {
            Type::Millis => {
                let millis = i64::from_be_bytes(self.array()?);
                out.shown(millis);
                if let Some(time) = Timestamp::from_millisecond(millis)
                    .ok()
                    .filter(|_| millis >= 0)
                {
                    out.raw(",");
                    out.name(&format!("{}Utc", field.name));
                    out.string(&time.to_string());
                }
                Ok(())
            }
            Type::State(names) => {
                let [number] = self.array()?;
                out.shown(i8::from_be_bytes([number]));
                if let Some(name) = names.get(usize::from(number)) {
                    out.raw(",");
                    out.name(&format!("{}Name", field.name));
                    out.string(name);
                }
                Ok(())
            }
            kind => self.value(kind, out, depth),
        }
    }

    /// The fields that have a number.
    fn tagged(
        &mut self,
        fields: &[Field],
        out: &mut Out,
        is_first: &mut bool,
        depth: usize,
    ) -> Result<(), Flaw> {
        for _ in 0..self.varint()? {
            let tag = self.varint()?;
            let len = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
            let at = self.at;
            let data = self.take(len)?;
            let known = fields.iter().find(|field| field.tag == Some(tag));
            if let Some(field) = known {
                let mut inside = Reader {
                    bytes: self.bytes.get(..self.at).unwrap_or_default(),
                    at,
                    ..*self
                };
                inside.field(field, out, is_first, depth)?;
            } else {
                if !std::mem::replace(is_first, false) {
                    out.raw(",");
                }
                out.name(&format!("tag{tag}"));
                out.bytes(data);
            }
            if out.is_full() {
                return Err(self.flaw("it is too long as text"));
            }
        }
        Ok(())
    }

    fn value(&mut self, kind: Type, out: &mut Out, depth: usize) -> Result<(), Flaw> {
        match kind {
            Type::Int8 | Type::State(_) => {
                let number = i8::from_be_bytes(self.array()?);
                out.shown(number);
            }
            Type::Int16 => {
                let number = i16::from_be_bytes(self.array()?);
                out.shown(number);
            }
            Type::Uint16 => {
                let number = u16::from_be_bytes(self.array()?);
                out.shown(number);
            }
            Type::Int32 => {
                let number = i32::from_be_bytes(self.array()?);
                out.shown(number);
            }
            Type::Int64 | Type::Millis => {
                let number = i64::from_be_bytes(self.array()?);
                out.shown(number);
            }
            Type::Uuid => {
                let bytes: [u8; 16] = self.array()?;
                out.string(&URL_SAFE_NO_PAD.encode(bytes));
            }
            Type::Text => match self.length(true)? {
                None => out.raw("null"),
                Some(len) => {
                    let bytes = self.take(len)?;
                    match std::str::from_utf8(bytes) {
                        Ok(text) => out.string(text),
                        Err(_) => out.bytes(bytes),
                    }
                }
            },
            Type::Bytes => match self.length(false)? {
                None => out.raw("null"),
                Some(len) => out.bytes(self.take(len)?),
            },
            Type::Inside(layout) => match self.length(false)? {
                None => out.raw("null"),
                Some(len) => inside(layout, self.take(len)?, out),
            },
            Type::List(kind) => self.list(out, |reader, out| reader.value(*kind, out, depth))?,
            Type::Rows(fields) => self.list(out, |reader, out| {
                reader.structure(fields, out, depth.saturating_add(1))
            })?,
            Type::Maybe(fields) => match i8::from_be_bytes(self.array()?) {
                -1 => out.raw("null"),
                1 => self.structure(fields, out, depth.saturating_add(1))?,
                _ => return Err(self.flaw("whether something is there is neither said nor denied")),
            },
        }
        Ok(())
    }

    /// A list, whose elements all take bytes, so that a wrong length ends with the bytes.
    fn list(
        &mut self,
        out: &mut Out,
        mut element: impl FnMut(&mut Self, &mut Out) -> Result<(), Flaw>,
    ) -> Result<(), Flaw> {
        let Some(count) = self.length(false)? else {
            out.raw("null");
            return Ok(());
        };
        out.raw("[");
        for index in 0..count {
            if index > 0 {
                out.raw(",");
            }
            element(self, out)?;
            if out.is_full() {
                return Err(self.flaw("it is too long as text"));
            }
        }
        out.raw("]");
        Ok(())
    }
}

/// Bytes with a layout and a version of their own; as bytes when they are not laid out so.
fn inside(layout: &Layout, bytes: &[u8], out: &mut Out) {
    let read = bytes.split_first_chunk::<2>().and_then(|(version, rest)| {
        // Versions that are not known yet begin as those that are.
        let version = i16::from_be_bytes(*version);
        let read = layout.read(version.clamp(0, layout.last), rest).ok()?;
        (version >= 0 && (read.left_over == 0 || version > layout.last)).then_some((version, read))
    });
    match read {
        Some((version, read)) => {
            out.raw("{\"version\":");
            out.shown(version);
            out.raw(",");
            // Its opening bracket stands already.
            out.raw(read.text.get(1..).unwrap_or_default());
        }
        None => out.bytes(bytes),
    }
}
