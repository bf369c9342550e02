//! Bytes as a hex dump, one line at a time, so that only the lines on screen cost anything.

use std::fmt::Write as _;

/// How many lines a dump of `len` bytes has at `per_line` bytes each.
pub fn line_count(len: usize, per_line: usize) -> usize {
    len.div_ceil(per_line.max(1))
}

/// Line number `line` of the dump of `bytes`: offset, bytes, printable ASCII. Empty beyond the end.
pub fn line(bytes: &[u8], per_line: usize, line: usize) -> String {
    let per_line = per_line.max(1);
    let Some(start) = line.checked_mul(per_line) else {
        return String::new();
    };
    let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) else {
        return String::new();
    };
    let shown = rest.get(..per_line).unwrap_or(rest);
    let mut text = format!("{start:08x} ");
    for index in 0..per_line {
        if index > 0 && index % 8 == 0 {
            text.push(' ');
        }
        // Writing to a String cannot fail.
        match shown.get(index) {
            Some(byte) => write!(text, " {byte:02x}").unwrap_or_default(),
            None => text.push_str("   "),
        }
    }
    text.push_str("  ");
    text.extend(shown.iter().map(|byte| match byte {
        0x20..=0x7e => char::from(*byte),
        _ => '.',
    }));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_offset_bytes_and_what_can_be_printed() {
        let bytes = b"Tide\x00\xffline!";
        assert_eq!(line_count(bytes.len(), 8), 2);
        assert_eq!(
            line(bytes, 8, 0),
            "00000000  54 69 64 65 00 ff 6c 69  Tide..li"
        );
        assert_eq!(line(bytes, 8, 1), "00000008  6e 65 21                 ne!");
        assert_eq!(line(bytes, 8, 2), "");
    }

    #[test]
    fn wide_lines_have_a_gap_after_eight_bytes() {
        assert_eq!(
            line(&[0; 16], 16, 0),
            "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  ................"
        );
    }

    #[test]
    fn nothing_is_no_line() {
        assert_eq!(line_count(0, 16), 0);
        assert_eq!(line(b"", 16, 0), "");
        assert_eq!(line(b"x", 0, usize::MAX), "");
    }
}
