//! Bytes that may be a number.

use super::visible;

/// What four or eight bytes say as a signed integer, most significant byte first, and how such an integer is
/// called; `None` for any other length. It is one way to read them, not what they are.
pub fn integer(bytes: &[u8]) -> Option<(i64, &'static str)> {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Some((i32::from_be_bytes(four).into(), "int32"));
    }
    let eight = <[u8; 8]>::try_from(bytes).ok()?;
    Some((i64::from_be_bytes(eight), "int64"))
}

/// Whether `bytes` are text of which every character is seen; line ends and tabs count as seen.
pub fn is_printable(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        text.chars()
            .all(|c| matches!(c, '\n' | '\r' | '\t') || !visible::is_hidden(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_and_eight_bytes_are_read_as_integers() {
        assert_eq!(integer(&[0, 0, 0, 2]), Some((2, "int32")));
        assert_eq!(integer(&[0xff, 0xff, 0xff, 0xfe]), Some((-2, "int32")));
        assert_eq!(
            integer(&[0, 0, 0, 0, 0, 0, 0x12, 0x67]),
            Some((4_711, "int64"))
        );
        assert_eq!(integer(&[0, 2]), None);
        assert_eq!(integer(&[0; 9]), None);
    }

    #[test]
    fn text_is_told_from_bytes() {
        assert!(is_printable("o-4711 äß\r\n\t".as_bytes()));
        assert!(is_printable(b""));
        assert!(!is_printable(&[0, 0, 0, 2]));
        assert!(!is_printable(&[0xff]));
        assert!(!is_printable("a\u{202e}b".as_bytes()));
    }
}
