//! Text as it is, with what cannot be seen made visible.
//!
//! Control characters, invisible ones and those that change the direction of writing could hide or
//! disguise a part of a value. They are shown as `‹U+202E›`, in one line also line ends and tabs.

use std::fmt::Write as _;

/// Whether `c` would not be seen, or changes how what is around it is seen.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xad | 0x61c
                | 0x115f
                | 0x1160
                | 0x17b4
                | 0x17b5
                | 0x180e
                | 0x200b..=0x200f
                | 0x2028..=0x202e
                | 0x2060..=0x206f
                | 0x3164
                | 0xfeff
                | 0xffa0
                | 0xfff9..=0xfffb
                | 0xe0000..=0xe007f
        )
}

/// Appends `c`, or what stands for it.
fn push(text: &mut String, c: char) {
    if is_hidden(c) {
        // Writing to a String cannot fail.
        write!(text, "‹U+{:04X}›", u32::from(c)).unwrap_or_default();
    } else {
        text.push(c);
    }
}

/// One line of at most `max_chars` characters for `bytes`; what is left out or not UTF-8 is marked.
/// Looks at no more of the bytes than it needs.
pub fn one_line(bytes: &[u8], max_chars: usize) -> String {
    let most_bytes = max_chars.saturating_mul(4).saturating_add(4);
    let looked_at = bytes.get(..most_bytes).unwrap_or(bytes);
    let mut text = String::new();
    let mut chars = 0_usize;
    for chunk in looked_at.utf8_chunks() {
        for c in chunk.valid().chars() {
            if chars >= max_chars {
                text.push('…');
                return text;
            }
            match c {
                '\n' => text.push('↵'),
                '\t' => text.push('→'),
                _ => push(&mut text, c),
            }
            chars = chars.saturating_add(1);
        }
        if !chunk.invalid().is_empty() {
            if chars >= max_chars {
                text.push('…');
                return text;
            }
            // A character cut in two by the bound on bytes is no fault of the value.
            if looked_at.len() == bytes.len() || chunk.invalid().len() < 4 {
                text.push('\u{fffd}');
                chars = chars.saturating_add(1);
            }
        }
    }
    if looked_at.len() < bytes.len() {
        text.push('…');
    }
    text
}

/// The lines of `text`, each at most `width` characters: longer ones go on in the next. Line ends are `\n`
/// or `\r\n`; a tab is four spaces.
pub fn lines(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut shown = String::new();
        let mut chars = 0_usize;
        for c in line.chars() {
            let mut piece = String::new();
            match c {
                '\t' => piece.push_str("    "),
                _ => push(&mut piece, c),
            }
            let len = piece.chars().count();
            if chars.saturating_add(len) > width && chars > 0 {
                lines.push(std::mem::take(&mut shown));
                chars = 0;
            }
            shown.push_str(&piece);
            chars = chars.saturating_add(len);
        }
        lines.push(shown);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_stays_as_it_is() {
        assert_eq!(
            one_line("o-4711 äß 群组 🎉".as_bytes(), 40),
            "o-4711 äß 群组 🎉"
        );
    }

    #[test]
    fn what_cannot_be_seen_is_named() {
        assert_eq!(
            one_line("a\u{202e}b\u{0}c\u{200b}".as_bytes(), 40),
            "a‹U+202E›b‹U+0000›c‹U+200B›"
        );
        assert_eq!(one_line(b"a\nb\tc", 40), "a↵b→c");
    }

    #[test]
    fn a_cut_is_marked() {
        assert_eq!(one_line(b"abcdef", 3), "abc…");
        assert_eq!(one_line(b"abc", 3), "abc");
        assert_eq!(one_line("äöü".as_bytes(), 2), "äö…");
    }

    #[test]
    fn other_bytes_are_marked() {
        assert_eq!(one_line(&[b'a', 0xff, b'b'], 10), "a\u{fffd}b");
    }

    #[test]
    fn a_huge_value_costs_no_more_than_what_is_shown() {
        let mut value = vec![b'x'; 1_000_000];
        value.push(0xff);
        assert_eq!(one_line(&value, 5), "xxxxx…");
    }

    #[test]
    fn long_lines_go_on_in_the_next() {
        assert_eq!(lines("12345678abc\r\nx", 8), vec!["12345678", "abc", "x"]);
        assert_eq!(lines("", 8), vec![""]);
        assert_eq!(lines("a\tb", 8), vec!["a    b"]);
        assert_eq!(lines("a\u{202e}b", 20), vec!["a‹U+202E›b"]);
    }
}
