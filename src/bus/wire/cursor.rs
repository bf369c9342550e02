//! Reading an answer step by step: nothing is taken that is not there.

use crate::model::{Known, Problem, ProblemKind};

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(&'a [u8]);

fn too_short() -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        "an answer ends before what it announces",
    )
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Known<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(too_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Known<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or_else(too_short)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn i8(&mut self) -> Known<i8> {
        self.array().map(i8::from_be_bytes)
    }

    pub(super) fn i16(&mut self) -> Known<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Known<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Known<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// Protocol guide, `UNSIGNED_VARINT`: five bytes at most.
    pub(super) fn uvarint(&mut self) -> Known<u32> {
        let mut value: u64 = 0;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array::<1>()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).map_err(|_too_large| too_short());
            }
        }
        Err(too_short())
    }

    /// Protocol guide, `VARINT` and `VARLONG`: zigzag, ten bytes at most.
    pub(super) fn varlong(&mut self) -> Known<i64> {
        let mut value: u64 = 0;
        for shift in (0..70).step_by(7) {
            let [byte] = self.array::<1>()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                let half = (value >> 1).cast_signed();
                return Ok(if value & 1 == 0 { half } else { !half });
            }
        }
        Err(too_short())
    }

    /// A length that may be −1 for nothing, and must fit what is left: each element takes `least` bytes or more.
    pub(super) fn length(&mut self, least: usize) -> Known<usize> {
        let length = self.i32()?;
        self.fits(usize::try_from(length.max(0)).unwrap_or(usize::MAX), least)
    }

    /// The same as compact arrays write it: one more than the length, 0 for nothing.
    pub(super) fn compact_length(&mut self, least: usize) -> Known<usize> {
        let length = self.uvarint()?.saturating_sub(1);
        self.fits(usize::try_from(length).unwrap_or(usize::MAX), least)
    }

    fn fits(&self, length: usize, least: usize) -> Known<usize> {
        let room = self.0.len() / least.max(1);
        if length <= room {
            Ok(length)
        } else {
            Err(too_short())
        }
    }

    /// A string with its length in two bytes; −1 is an empty one.
    pub(super) fn string(&mut self) -> Known<String> {
        let length = usize::try_from(self.i16()?.max(0)).unwrap_or(0);
        let bytes = self.take(length)?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// A string with a compact length.
    pub(super) fn compact_string(&mut self) -> Known<String> {
        let length = self.compact_length(1)?;
        let bytes = self.take(length)?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Passes over tagged fields, which later versions may add.
    pub(super) fn tags(&mut self) -> Known<()> {
        for _ in 0..self.uvarint()? {
            self.uvarint()?;
            let length = self.uvarint()?;
            self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_protocol_writes_them() {
        let mut cursor = Cursor::new(&[
            0xff, 0xff, 0x01, 0x02, 0xac, 0x02, 0x03, 0xc8, 0x01, 3, b'a', b'b', 0, 1, b'c',
        ]);
        assert_eq!(cursor.i16(), Ok(-1));
        assert_eq!(cursor.i16(), Ok(258));
        assert_eq!(cursor.uvarint(), Ok(300));
        assert_eq!(cursor.varlong(), Ok(-2));
        assert_eq!(cursor.varlong(), Ok(100));
        assert_eq!(cursor.compact_string().as_deref(), Ok("ab"));
        assert_eq!(cursor.string().as_deref(), Ok("c"));
        assert!(cursor.i8().is_err());
    }

    #[test]
    fn a_length_that_is_not_there_is_refused() {
        assert!(Cursor::new(&[0x7f, 0xff, 0xff, 0xff]).length(1).is_err());
        assert!(Cursor::new(&[0, 0, 0, 2, 1, 2, 3]).length(2).is_err());
        assert_eq!(Cursor::new(&[0, 0, 0, 2, 1, 2, 3, 4]).length(2), Ok(2));
        assert_eq!(Cursor::new(&[0xff, 0xff, 0xff, 0xff]).length(9), Ok(0));
        assert_eq!(Cursor::new(&[0]).compact_length(1), Ok(0));
        assert!(Cursor::new(&[0xff; 12]).uvarint().is_err());
        assert!(Cursor::new(&[0xff; 12]).varlong().is_err());
        assert!(Cursor::new(&[1, 0, 5, 1]).tags().is_err());
        assert_eq!(Cursor::new(&[1, 0, 1, 9]).tags(), Ok(()));
    }
}
