//! The wire format: numbered fields, as they stand in bytes.

use crate::decode::schema::failure::Failure;

/// Groups may be nested as deep as this.
const MOST_GROUPS: usize = 100;

/// From one byte to before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A field's value, as far as the wire tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raw {
    Varint(u64),
    Fixed64([u8; 8]),
    Fixed32([u8; 4]),
    /// Bytes behind their number.
    Counted(Span),
    /// What stands between a group's two tags.
    Group(Span),
}

/// A field, with the place of its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WireField {
    pub(super) at: usize,
    pub(super) number: u32,
    pub(super) raw: Raw,
}

/// Bytes and how far they were read.
pub(super) struct Wire<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Wire<'a> {
    pub(super) fn new(bytes: &'a [u8], span: Span) -> Self {
        Self {
            bytes,
            at: span.from,
            end: span.to.min(bytes.len()),
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.end
    }

    /// The next field; `None` at the end.
    pub(super) fn field(&mut self) -> Result<Option<WireField>, Failure> {
        if self.is_done() {
            return Ok(None);
        }
        let at = self.at;
        let (number, kind) = self.tag()?;
        let raw = match kind {
            0 => Raw::Varint(self.varint()?),
            1 => Raw::Fixed64(self.array()?),
            2 => {
                let count_at = self.at;
                let count = self.varint()?;
                let from = self.at;
                let left = self.end.saturating_sub(from);
                let count = usize::try_from(count).ok().filter(|count| *count <= left);
                let count = count.ok_or_else(|| {
                    Failure::new(
                        count_at,
                        format!("field {number} is longer than the {left} bytes that are left"),
                    )
                })?;
                self.at = from.saturating_add(count);
                Raw::Counted(Span { from, to: self.at })
            }
            3 => Raw::Group(self.group(at, number)?),
            5 => Raw::Fixed32(self.array()?),
            4 => {
                let what = format!("the group {number} ends here, and never began");
                return Err(Failure::new(at, what));
            }
            _ => return Err(Failure::new(at, format!("there is no wire type {kind}"))),
        };
        Ok(Some(WireField { at, number, raw }))
    }

    fn tag(&mut self) -> Result<(u32, u32), Failure> {
        let at = self.at;
        let tag = self.varint()?;
        let tag = u32::try_from(tag).ok().filter(|tag| *tag >= 8);
        let tag = tag.ok_or_else(|| Failure::new(at, "this is no number of a field"))?;
        Ok((tag >> 3, tag & 7))
    }

    /// Passes over a group whose first tag was read, and returns what stands in it.
    fn group(&mut self, at: usize, number: u32) -> Result<Span, Failure> {
        let from = self.at;
        let mut open = vec![number];
        loop {
            let to = self.at;
            if self.is_done() {
                return Err(Failure::new(at, format!("the group {number} does not end")));
            }
            let (number, kind) = self.tag()?;
            match kind {
                0 => drop(self.varint()?),
                1 => drop(self.array::<8>()?),
                2 => {
                    let count = self.varint()?;
                    let left = self.end.saturating_sub(self.at);
                    let count = usize::try_from(count).ok().filter(|count| *count <= left);
                    let count = count.ok_or_else(|| {
                        Failure::new(to, format!("field {number} is longer than its group"))
                    })?;
                    self.at = self.at.saturating_add(count);
                }
                3 if open.len() >= MOST_GROUPS => {
                    let what = format!("groups are nested deeper than {MOST_GROUPS}");
                    return Err(Failure::new(to, what));
                }
                3 => open.push(number),
                4 => {
                    if open.pop() != Some(number) {
                        let what = format!("the group {number} ends here, and another is open");
                        return Err(Failure::new(to, what));
                    }
                    if open.is_empty() {
                        return Ok(Span { from, to });
                    }
                }
                5 => drop(self.array::<4>()?),
                _ => return Err(Failure::new(to, format!("there is no wire type {kind}"))),
            }
        }
    }

    pub(super) fn varint(&mut self) -> Result<u64, Failure> {
        let begin = self.at;
        let mut all = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            if shift == 63 && byte > 1 {
                break;
            }
            all |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(all);
            }
        }
        Err(Failure::new(begin, "a number has more than 64 bits"))
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let Some(taken) = rest.first_chunk::<N>() else {
            let what = format!("{N} bytes are needed, {} are left", rest.len());
            return Err(Failure::new(self.at, what));
        };
        self.at = self.at.saturating_add(N);
        Ok(*taken)
    }
}
