//! Values as text for people: nothing that a bus holds may move the cursor, hide or reorder what is shown.

use std::fmt::Write as _;

use base64::Engine as _;
use jiff::tz::TimeZone;

use crate::model::time::format_time;
use crate::model::{Text, TimestampMs};

/// What stands in the place of a value that is not known.
pub(super) const UNKNOWN: &str = "—";
/// Up to so many bytes are written in hexadecimal digits, more in base64.
const HEX_BYTES: usize = 32;

/// `text` with what cannot be seen made visible: control characters as their pictures (␊, ␛), and what
/// would change the direction of writing or take no room as ⟨U+202E⟩.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{0}'..='\u{1f}' => {
                out.push(
                    char::from_u32(0x2400_u32.saturating_add(u32::from(c))).unwrap_or('\u{fffd}'),
                );
            }
            '\u{7f}' => out.push('\u{2421}'),
            _ if is_hidden(c) => {
                // Writing to a string does not fail.
                let _written = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Bytes as text where they are text, else marked as hexadecimal or base64; null and empty are told apart.
pub(super) fn bytes(value: Option<&[u8]>) -> String {
    match value {
        None => "(null)".to_owned(),
        Some([]) => "(empty)".to_owned(),
        Some(value) => match std::str::from_utf8(value) {
            Ok(text) => visible(text),
            Err(_) if value.len() <= HEX_BYTES => {
                let mut out = String::from("hex:");
                for byte in value {
                    // Writing to a string does not fail.
                    let _written = write!(out, "{byte:02x}");
                }
                out
            }
            Err(_) => format!("base64:{}", base64::prelude::BASE64_STANDARD.encode(value)),
        },
    }
}

/// A name that may be any bytes.
pub(super) fn name(text: &Text) -> String {
    if text.is_empty() {
        String::new()
    } else {
        bytes(Some(text.as_bytes()))
    }
}

/// A whole number with thousands separated.
pub(super) fn number(value: impl Into<i128>) -> String {
    let value: i128 = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len().saturating_mul(2));
    if value < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `value` as `show` writes it, or the sign for unknown.
pub(super) fn known<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), show)
}

/// A number, or the sign for unknown.
pub(super) fn known_number(value: Option<impl Into<i128>>) -> String {
    known(value, number)
}

/// A time with its zone.
pub(super) fn time(at: TimestampMs, zone: &TimeZone) -> String {
    format_time(at, zone)
}

/// How many columns of a terminal `text` takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Wide characters of East Asian writing and pictures take two columns, marks upon others none.
fn char_width(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97c}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_seen_is_made_visible() {
        assert_eq!(visible("a\nb\tc\u{1b}[2J\u{7f}"), "a␊b␉c␛[2J␡");
        assert_eq!(
            visible("x\u{202e}y\u{200b}\u{9b}"),
            "x⟨U+202E⟩y⟨U+200B⟩⟨U+009B⟩"
        );
        assert_eq!(visible("群组-1 äöü 🦀"), "群组-1 äöü 🦀");
    }

    #[test]
    fn bytes_are_text_or_marked_and_null_is_not_empty() {
        assert_eq!(bytes(None), "(null)");
        assert_eq!(bytes(Some(b"")), "(empty)");
        assert_eq!(bytes(Some("größe".as_bytes())), "größe");
        assert_eq!(bytes(Some(&[0xff, 0x00, 0x10])), "hex:ff0010");
        assert_eq!(
            bytes(Some(&[0xff; 33])),
            format!("base64:{}", "/".repeat(44))
        );
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(number(0_i64), "0");
        assert_eq!(number(999_i64), "999");
        assert_eq!(number(1_000_i64), "1,000");
        assert_eq!(number(-1_234_567_i64), "-1,234,567");
        assert_eq!(number(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("群组-1"), 6);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("—"), 1);
    }
}
