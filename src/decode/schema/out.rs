//! The JSON text that decoding writes, no longer than what it may be.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::failure::Failure;

/// The longest text, whatever it is made of.
const MOST: usize = 256 * 1024 * 1024;
/// The longest text that a few bytes may become.
const LEAST: usize = 1024 * 1024;
/// How much longer than its bytes a text may be, beyond that: names stand in every record, and are in no bytes.
const TIMES: usize = 64;

/// JSON text that grows up to a bound. Without one, a few bytes could stand for any number of empty items.
#[derive(Debug)]
pub(super) struct Out {
    text: String,
    most: usize,
}

impl Out {
    /// For what is made of `bytes` bytes.
    pub(super) fn of(bytes: usize) -> Self {
        Self {
            text: String::new(),
            most: bytes.saturating_mul(TIMES).saturating_add(LEAST).min(MOST),
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Writes `text` as it is. `at` is the byte that it comes from.
    pub(super) fn put(&mut self, at: usize, text: &str) -> Result<(), Failure> {
        if self.text.len().saturating_add(text.len()) > self.most {
            let most = self.most;
            return Err(Failure::new(
                at,
                format!("what the schema makes of these bytes is longer than {most} bytes"),
            ));
        }
        self.text.push_str(text);
        Ok(())
    }

    pub(super) fn number(&mut self, at: usize, number: impl Into<i128>) -> Result<(), Failure> {
        self.put(at, &number.into().to_string())
    }

    /// Writes `text` as a JSON string.
    pub(super) fn string(&mut self, at: usize, text: &str) -> Result<(), Failure> {
        self.put(at, &quoted(text))
    }

    pub(super) fn base64(&mut self, at: usize, bytes: &[u8]) -> Result<(), Failure> {
        self.put(at, &format!("\"{}\"", STANDARD.encode(bytes)))
    }

    /// The shortest digits that give the same number back. JSON has no word for what is no number: those are strings.
    pub(super) fn double(&mut self, at: usize, value: f64) -> Result<(), Failure> {
        match not_finite(value) {
            Some(word) => self.put(at, word),
            None => self.put(at, &format!("{value:?}")),
        }
    }

    /// As [`Out::double`]; a float needs fewer digits.
    pub(super) fn float(&mut self, at: usize, value: f32) -> Result<(), Failure> {
        match not_finite(value.into()) {
            Some(word) => self.put(at, word),
            None => self.put(at, &format!("{value:?}")),
        }
    }
}

fn not_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("\"NaN\"")
    } else if value.is_finite() {
        None
    } else if value.is_sign_positive() {
        Some("\"Infinity\"")
    } else {
        Some("\"-Infinity\"")
    }
}

/// `text` as a JSON string, with its quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a String cannot fail.
            c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c)).unwrap_or_default(),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_where_json_wants_it_and_nowhere_else() {
        assert_eq!(quoted("a\"b\\c\n\u{1}ü/"), "\"a\\\"b\\\\c\\n\\u0001ü/\"");
    }

    #[test]
    fn numbers_have_the_fewest_digits_that_are_exact() {
        let mut out = Out::of(0);
        for value in [0.1, -0.0, 1.0, 1e300, 5e-324, f64::NAN, f64::NEG_INFINITY] {
            out.double(0, value).unwrap();
            out.put(0, " ").unwrap();
        }
        out.float(0, 0.1).unwrap();
        assert_eq!(
            out.into_text(),
            "0.1 -0.0 1.0 1e300 5e-324 \"NaN\" \"-Infinity\" 0.1"
        );
    }

    #[test]
    fn a_text_does_not_grow_beyond_its_bound() {
        let mut out = Out::of(10);
        let whole = "x".repeat(LEAST + 640);
        out.put(0, &whole).unwrap();
        let failure = out.put(3, "x").unwrap_err();
        assert!(failure.sentence().starts_with("at byte 3: "), "{failure:?}");
    }
}
