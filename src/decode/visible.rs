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
            0xad | 0x34f
                | 0x61c
                | 0x115f
                | 0x1160
                | 0x17b4
                | 0x17b5
                | 0x180b..=0x180f
                | 0x200b..=0x200f
                | 0x2028..=0x202e
                | 0x2060..=0x206f
                | 0x3164
                | 0xfe00..=0xfe0f
                | 0xfeff
                | 0xffa0
                | 0xfff9..=0xfffb
                | 0x1_d173..=0x1_d17a
                | 0xe_0000..=0xe_007f
                | 0xe_0100..=0xe_01ef
        )
}

/// Characters that a byte takes which is no part of a character: `‹0xFF›`.
pub const BYTE_COLUMNS: usize = 6;
/// Columns of a tab.
const TAB: &str = "→   ";

/// Appends `c`, or what stands for it; a tab is an arrow and three spaces.
pub fn push(text: &mut String, c: char) {
    if c == '\t' {
        text.push_str(TAB);
    } else if is_hidden(c) {
        // Writing to a String cannot fail.
        write!(text, "‹U+{:04X}›", u32::from(c)).unwrap_or_default();
    } else {
        text.push(c);
    }
}

/// Appends what stands for a byte that is no part of a character.
pub fn push_byte(text: &mut String, byte: u8) {
    // Writing to a String cannot fail.
    write!(text, "‹0x{byte:02X}›").unwrap_or_default();
}

/// How many columns [`push`] fills for `c`. Wide characters fill two, all others at least one.
pub fn columns(c: char) -> usize {
    if c == '\t' {
        return 4;
    }
    let code = u32::from(c);
    if is_hidden(c) {
        return match code {
            0..=0xffff => 8,
            0x1_0000..=0xf_ffff => 9,
            _ => 10,
        };
    }
    let is_wide = matches!(
        code,
        0x1100..=0x115f
            | 0x2600..=0x27bf
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6
            | 0x1_f000..=0x1_faff
            | 0x2_0000..=0x3_fffd
    );
    if is_wide { 2 } else { 1 }
}

/// What one line is made of: a character, or a byte that is no part of one.
#[derive(Clone, Copy)]
enum Sign {
    Char(char),
    Byte(u8),
}

impl Sign {
    fn push_to(self, text: &mut String) {
        match self {
            Self::Char('\n') => text.push('↵'),
            Self::Char('\t') => text.push('→'),
            Self::Char(c) => push(text, c),
            Self::Byte(byte) => push_byte(text, byte),
        }
    }
}

fn signs(bytes: &[u8]) -> impl Iterator<Item = Sign> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let bytes = chunk.invalid().iter().copied().map(Sign::Byte);
        chunk.valid().chars().map(Sign::Char).chain(bytes)
    })
}

/// One line of at most `max_chars` characters for `bytes`; what is left out is marked, and bytes that are not
/// UTF-8 are named. Looks at no more of the bytes than it needs.
pub fn one_line(bytes: &[u8], max_chars: usize) -> String {
    // A character takes four bytes at most, so that one more than fits is among these.
    let most_bytes = max_chars.saturating_add(1).saturating_mul(4);
    let looked_at = bytes.get(..most_bytes).unwrap_or(bytes);
    let mut text = String::new();
    for (index, sign) in signs(looked_at).enumerate() {
        if index >= max_chars {
            text.push('…');
            break;
        }
        sign.push_to(&mut text);
    }
    text
}

/// As [`one_line`], but what is left out is left out of the middle: names are often told apart by how they end.
pub fn both_ends(bytes: &[u8], max_chars: usize) -> String {
    let signs: Vec<Sign> = signs(bytes).collect();
    let mut text = String::new();
    let fits = signs.len() <= max_chars;
    let tail = if fits { 0 } else { max_chars / 2 };
    let head = max_chars.saturating_sub(tail);
    for sign in signs.iter().take(head) {
        sign.push_to(&mut text);
    }
    if !fits {
        text.push('…');
    }
    for sign in signs.iter().skip(signs.len().saturating_sub(tail)) {
        sign.push_to(&mut text);
    }
    text
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
        // Selectors of variants, which can carry hidden text.
        assert_eq!(
            one_line("a\u{fe0f}\u{e0100}".as_bytes(), 40),
            "a‹U+FE0F›‹U+E0100›"
        );
    }

    #[test]
    fn a_cut_is_marked() {
        assert_eq!(one_line(b"abcdef", 3), "abc…");
        assert_eq!(one_line(b"abc", 3), "abc");
        assert_eq!(one_line("äöü".as_bytes(), 2), "äö…");
    }

    #[test]
    fn other_bytes_are_marked() {
        assert_eq!(one_line(&[b'a', 0xff, b'b'], 10), "a‹0xFF›b");
        // A character that was cut in two, as it is shown in full below.
        assert_eq!(one_line(b"\xe2\x82!", 10), "‹0xE2›‹0x82›!");
        assert_eq!(one_line(&[0xff; 9], 2), "‹0xFF›‹0xFF›…");
    }

    #[test]
    fn a_name_is_cut_in_the_middle() {
        assert_eq!(both_ends(b"billing-worker-eu-1", 9), "billi…eu-1");
        assert_eq!(both_ends(b"billing", 7), "billing");
        assert_eq!(both_ends("äöüß".as_bytes(), 2), "ä…ß");
        assert_eq!(both_ends(b"a\xffb", 3), "a‹0xFF›b");
    }

    #[test]
    fn a_huge_value_costs_no_more_than_what_is_shown() {
        let mut value = vec![b'x'; 1_000_000];
        value.push(0xff);
        assert_eq!(one_line(&value, 5), "xxxxx…");
    }

    #[test]
    fn columns_are_those_that_are_filled() {
        for c in ['a', '\t', '\u{0}', '\u{202e}', '\u{e0001}', 'ä', '€'] {
            let mut text = String::new();
            push(&mut text, c);
            assert_eq!(text.chars().count(), columns(c), "{c:?}");
        }
        assert_eq!(columns('群'), 2);
        assert_eq!(columns('🎉'), 2);
        let mut text = String::new();
        push_byte(&mut text, 0xff);
        assert_eq!(text, "‹0xFF›");
        assert_eq!(text.chars().count(), BYTE_COLUMNS);
    }
}
