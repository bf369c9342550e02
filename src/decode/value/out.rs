//! JSON as it is written from formats that are none, up to a bound.

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// No text that is written here is longer than this, in bytes.
pub(super) const MOST_BYTES: usize = 32 * 1024 * 1024;

/// JSON that is being written. Beyond its bound nothing is added any more.
#[derive(Debug, Default)]
pub(super) struct Out {
    text: String,
    is_full: bool,
}

impl Out {
    /// Whether something did not fit.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// What was written; `None` when something did not fit.
    pub(super) fn finish(self) -> Option<String> {
        (!self.is_full).then_some(self.text)
    }

    /// Adds `text` as it is.
    pub(super) fn raw(&mut self, text: &str) {
        if self.text.len().saturating_add(text.len()) > MOST_BYTES {
            self.is_full = true;
        } else if !self.is_full {
            self.text.push_str(text);
        }
    }

    /// Adds what is shown of `value` as it is: a number.
    pub(super) fn shown(&mut self, value: impl fmt::Display) {
        if self.text.len() >= MOST_BYTES {
            self.is_full = true;
        } else if !self.is_full {
            // Writing to a String cannot fail.
            write!(self.text, "{value}").unwrap_or_default();
        }
    }

    /// Adds a string of JSON.
    pub(super) fn string(&mut self, text: &str) {
        self.raw("\"");
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\' | '\0'..='\x1f')) {
            let (plain, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.raw(plain);
            let mut chars = after.chars();
            match chars.next() {
                Some('"') => self.raw("\\\""),
                Some('\\') => self.raw("\\\\"),
                Some('\n') => self.raw("\\n"),
                Some('\r') => self.raw("\\r"),
                Some('\t') => self.raw("\\t"),
                Some(c) => self.shown(format_args!("\\u{:04x}", u32::from(c))),
                None => {}
            }
            rest = chars.as_str();
        }
        self.raw(rest);
        self.raw("\"");
    }

    /// Adds the name of a field, and its colon.
    pub(super) fn name(&mut self, name: &str) {
        self.string(name);
        self.raw(":");
    }

    /// Adds bytes as a string of base64.
    pub(super) fn base64(&mut self, bytes: &[u8]) {
        if self.text.len().saturating_add(bytes.len()) > MOST_BYTES {
            self.is_full = true;
        } else {
            self.raw("\"");
            self.raw(&STANDARD.encode(bytes));
            self.raw("\"");
        }
    }

    /// Adds bytes as an object that says what they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.raw("{\"$base64\":");
        self.base64(bytes);
        self.raw("}");
    }

    /// Adds a number: its shortest digits that read as it again. What JSON has no digits for is an object that
    /// names it.
    pub(super) fn float(&mut self, number: f64) {
        if number.is_finite() {
            self.shown(format_args!("{number:?}"));
        } else {
            self.not_finite(number);
        }
    }

    /// As [`Out::float`], for four bytes.
    pub(super) fn float32(&mut self, number: f32) {
        if number.is_finite() {
            self.shown(format_args!("{number:?}"));
        } else {
            self.not_finite(f64::from(number));
        }
    }

    fn not_finite(&mut self, number: f64) {
        self.raw("{\"$float\":");
        self.string(float_name(number));
        self.raw("}");
    }
}

/// How a number that is not finite is written.
pub(super) fn float_name(number: f64) -> &'static str {
    if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_and_nothing_else_changes() {
        let mut out = Out::default();
        out.string("a\"b\\c\n\r\t\u{1}ä\u{202e}\u{7f}");
        assert_eq!(
            out.finish().as_deref(),
            Some("\"a\\\"b\\\\c\\n\\r\\t\\u0001ä\u{202e}\u{7f}\"")
        );
    }

    #[test]
    fn numbers_keep_what_they_are() {
        let floats = |numbers: &[f64]| {
            let mut out = Out::default();
            for number in numbers {
                out.float(*number);
                out.raw(" ");
            }
            out.finish().unwrap()
        };
        assert_eq!(
            floats(&[1.0, -0.0, 0.1, 1e300, 5e-324, f64::MAX]),
            "1.0 -0.0 0.1 1e300 5e-324 1.7976931348623157e308 "
        );
        assert_eq!(
            floats(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
            "{\"$float\":\"NaN\"} {\"$float\":\"Infinity\"} {\"$float\":\"-Infinity\"} "
        );
        let mut out = Out::default();
        out.float32(0.1);
        assert_eq!(out.finish().as_deref(), Some("0.1"));
    }

    #[test]
    fn it_is_bounded() {
        let mut out = Out::default();
        let part = "x".repeat(MOST_BYTES / 2);
        out.raw(&part);
        out.raw(&part);
        assert!(!out.is_full());
        out.raw("y");
        assert!(out.is_full());
        out.bytes(&[0; 8]);
        assert_eq!(out.finish(), None);
    }
}
