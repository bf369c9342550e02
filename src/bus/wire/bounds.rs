//! Lengths that a peer claims, checked before anything is allocated for them.

/// The largest answer that is taken: 64 MiB, room for about half a million groups.
pub(super) const MAX_FRAME: usize = 64 * 1024 * 1024;

/// How an array's length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayForm {
    /// A signed 32-bit number (protocol guide, `ARRAY`).
    Plain,
    /// An unsigned varint that is one more than the length (protocol guide, `COMPACT_ARRAY`).
    Compact,
}

/// Whether the array that begins `skip` bytes into `body` can be there: each element takes at least
/// `element` bytes. A body too short to hold the length is left to the decoder, which refuses it.
pub(super) fn array_fits(body: &[u8], skip: usize, form: ArrayForm, element: usize) -> bool {
    let Some(rest) = body.get(skip..) else {
        return true;
    };
    let (count, rest) = match form {
        ArrayForm::Plain => match rest.split_first_chunk::<4>() {
            Some((length, rest)) => (
                u64::try_from(i32::from_be_bytes(*length)).unwrap_or(0),
                rest,
            ),
            None => return true,
        },
        ArrayForm::Compact => match varint(rest) {
            Some((length, rest)) => (length.saturating_sub(1), rest),
            None => return true,
        },
    };
    let least = u64::try_from(element.max(1)).unwrap_or(1);
    let room = u64::try_from(rest.len()).unwrap_or(u64::MAX);
    count.saturating_mul(least) <= room
}

/// An unsigned varint of at most five bytes and what follows it (protocol guide, `UNSIGNED_VARINT`).
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value: u64 = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index.saturating_add(1)..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_that_claims_more_than_is_there_does_not_fit() {
        assert!(array_fits(
            &[0, 0, 0, 2, 1, 2, 3, 4],
            0,
            ArrayForm::Plain,
            2
        ));
        assert!(!array_fits(
            &[0, 0, 0, 3, 1, 2, 3, 4],
            0,
            ArrayForm::Plain,
            2
        ));
        assert!(!array_fits(
            &[0x7f, 0xff, 0xff, 0xff, 0],
            0,
            ArrayForm::Plain,
            1
        ));
        assert!(array_fits(&[9, 9, 3, 1, 2], 2, ArrayForm::Compact, 1));
        assert!(!array_fits(&[9, 9, 4, 1, 2], 2, ArrayForm::Compact, 1));
        assert!(!array_fits(
            &[0xff, 0xff, 0xff, 0xff, 0x0f, 0],
            0,
            ArrayForm::Compact,
            1
        ));
    }

    #[test]
    fn a_null_array_fits_and_a_cut_length_is_the_decoders() {
        assert!(array_fits(
            &[0xff, 0xff, 0xff, 0xff],
            0,
            ArrayForm::Plain,
            1
        ));
        assert!(array_fits(&[0], 0, ArrayForm::Compact, 1));
        assert!(array_fits(&[0, 0], 0, ArrayForm::Plain, 1));
        assert!(array_fits(&[], 7, ArrayForm::Plain, 1));
    }
}
