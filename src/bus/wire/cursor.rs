//! Reading an answer from its front: every length is compared with the bytes that are left.

/// Bytes that contradict themselves, or are cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// What is left of an answer.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn i16(&mut self) -> Result<i16, Malformed> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_be_bytes)
    }

    /// An unsigned varint of at most 32 bits (protocol guide, `UNSIGNED_VARINT`).
    fn varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0_u64;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).map_err(|_width| Malformed);
            }
        }
        Err(Malformed)
    }

    /// A string that may not be null (`STRING`).
    pub(super) fn text(&mut self) -> Result<&'a str, Malformed> {
        let length = usize::try_from(self.i16()?).map_err(|_null| Malformed)?;
        self.utf8(length)
    }

    /// A string that may not be null (`COMPACT_STRING`).
    pub(super) fn compact_text(&mut self) -> Result<&'a str, Malformed> {
        self.compact_nullable_text()?.ok_or(Malformed)
    }

    /// A string, or null (`COMPACT_NULLABLE_STRING`).
    pub(super) fn compact_nullable_text(&mut self) -> Result<Option<&'a str>, Malformed> {
        match self.compact_length()? {
            None => Ok(None),
            Some(length) => self.utf8(length).map(Some),
        }
    }

    fn utf8(&mut self, length: usize) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.take(length)?).map_err(|_utf8| Malformed)
    }

    /// Bytes, or null (`NULLABLE_BYTES`).
    pub(super) fn nullable_bytes(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_negative| Malformed)?;
                self.take(length).map(Some)
            }
        }
    }

    /// The elements of an array (`ARRAY`), of which each takes at least `least` bytes; none for null.
    pub(super) fn each<T>(
        &mut self,
        least: usize,
        read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = match self.i32()? {
            -1 => 0,
            count => usize::try_from(count).map_err(|_negative| Malformed)?,
        };
        self.elements(count, least, read)
    }

    /// The same for a `COMPACT_ARRAY`.
    pub(super) fn compact_each<T>(
        &mut self,
        least: usize,
        read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.compact_length()?.unwrap_or(0);
        self.elements(count, least, read)
    }

    fn elements<T>(
        &mut self,
        count: usize,
        least: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        if count.checked_mul(least.max(1)).ok_or(Malformed)? > self.rest.len() {
            return Err(Malformed);
        }
        // Grows with what is really there: an element may take more memory than its bytes.
        let mut elements = Vec::new();
        for _ in 0..count {
            elements.push(read(self)?);
        }
        Ok(elements)
    }

    /// One more than the length, 0 for null.
    fn compact_length(&mut self) -> Result<Option<usize>, Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_width| Malformed)?;
        Ok(length.checked_sub(1))
    }

    /// Steps over fields that are not known here (protocol guide, tagged fields).
    pub(super) fn tagged_fields(&mut self) -> Result<(), Malformed> {
        for _ in 0..self.varint()? {
            self.varint()?;
            let size = usize::try_from(self.varint()?).map_err(|_width| Malformed)?;
            self.take(size)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_that_claims_more_than_is_there_is_refused() {
        let read = |bytes: &[u8]| Cursor::new(bytes).each(2, Cursor::i16);
        assert_eq!(read(&[0, 0, 0, 2, 0, 1, 0, 2]), Ok(vec![1, 2]));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff]), Ok(vec![]));
        assert_eq!(read(&[0, 0, 0, 3, 0, 1, 0, 2]), Err(Malformed));
        assert_eq!(read(&[0x7f, 0xff, 0xff, 0xff, 0]), Err(Malformed));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xfe]), Err(Malformed));
        let compact = |bytes: &[u8]| Cursor::new(bytes).compact_each(2, Cursor::i16);
        assert_eq!(compact(&[3, 0, 1, 0, 2]), Ok(vec![1, 2]));
        assert_eq!(compact(&[0]), Ok(vec![]));
        assert_eq!(compact(&[4, 0, 1, 0, 2]), Err(Malformed));
        assert_eq!(compact(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]), Err(Malformed));
    }

    #[test]
    fn strings_and_bytes_end_within_the_answer() {
        assert_eq!(Cursor::new(&[0, 1, b'a']).text(), Ok("a"));
        assert_eq!(Cursor::new(&[0, 2, b'a']).text(), Err(Malformed));
        assert_eq!(Cursor::new(&[0xff, 0xff]).text(), Err(Malformed));
        assert_eq!(Cursor::new(&[0, 1, 0xff]).text(), Err(Malformed));
        assert_eq!(Cursor::new(&[2, b'a']).compact_text(), Ok("a"));
        assert_eq!(Cursor::new(&[0]).compact_text(), Err(Malformed));
        assert_eq!(Cursor::new(&[0]).compact_nullable_text(), Ok(None));
        assert_eq!(
            Cursor::new(&[0xff, 0xff, 0xff, 0xff]).nullable_bytes(),
            Ok(None)
        );
        assert_eq!(
            Cursor::new(&[0xff, 0xff, 0xff, 0xfe]).nullable_bytes(),
            Err(Malformed)
        );
        assert_eq!(
            Cursor::new(&[0, 0, 0, 2, 7]).nullable_bytes(),
            Err(Malformed)
        );
    }

    #[test]
    fn a_varint_has_32_bits_at_most_and_tagged_fields_are_stepped_over() {
        assert_eq!(Cursor::new(&[0xac, 0x02]).varint(), Ok(300));
        assert_eq!(
            Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint(),
            Err(Malformed)
        );
        assert_eq!(Cursor::new(&[0x80; 5]).varint(), Err(Malformed));
        let mut cursor = Cursor::new(&[1, 9, 2, 7, 7, 5]);
        assert_eq!(cursor.tagged_fields(), Ok(()));
        assert_eq!(cursor.take(1), Ok(&[5][..]));
        assert_eq!(Cursor::new(&[1, 9, 3, 7]).tagged_fields(), Err(Malformed));
        assert_eq!(
            Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).tagged_fields(),
            Err(Malformed)
        );
    }
}
