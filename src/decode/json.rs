//! JSON laid out in lines, working on its text.
//!
//! Nothing is parsed into values: numbers keep their digits, objects their order and their repeated keys,
//! strings their escapes. Only white space between them changes.

use std::ops::Range;

/// Deeper nesting than this is not laid out.
const MAX_DEPTH: usize = 256;

/// `text` in lines, two spaces deeper for each level; `None` when it is not valid JSON, nests too deep, or
/// would come out longer than `max_len` bytes.
pub fn reindent(text: &str, max_len: usize) -> Option<String> {
    let mut layout = Layout {
        rest: text,
        out: String::new(),
        open: Vec::new(),
        max_len,
    };
    layout.value()?;
    layout.skip_space();
    layout.rest.is_empty().then_some(layout.out)
}

struct Layout<'t> {
    rest: &'t str,
    out: String,
    open: Vec<char>,
    max_len: usize,
}

impl Layout<'_> {
    /// One value with everything in it. A loop, not a recursion: foreign data decides the depth.
    fn value(&mut self) -> Option<()> {
        loop {
            self.skip_space();
            match self.peek()? {
                open @ ('{' | '[') => {
                    self.take(1)?;
                    if self.open.len() >= MAX_DEPTH {
                        return None;
                    }
                    let close = if open == '{' { '}' } else { ']' };
                    self.skip_space();
                    if self.peek()? == close {
                        self.take(1)?;
                    } else {
                        self.open.push(close);
                        self.new_line()?;
                        if close == '}' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                '"' => self.string()?,
                '-' | '0'..='9' => self.number()?,
                _ => self.literal()?,
            }
            if !self.after_value()? {
                return Some(());
            }
        }
    }

    /// What follows a value: closing brackets, or a comma and the next key. Whether another value comes.
    fn after_value(&mut self) -> Option<bool> {
        loop {
            let Some(close) = self.open.last().copied() else {
                return Some(false);
            };
            self.skip_space();
            let next = self.peek()?;
            if next == close {
                self.open.pop();
                self.new_line()?;
                self.take(1)?;
            } else if next == ',' {
                self.take(1)?;
                self.new_line()?;
                if close == '}' {
                    self.key()?;
                }
                return Some(true);
            } else {
                return None;
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        self.skip_space();
        self.string()?;
        self.skip_space();
        if self.peek()? != ':' {
            return None;
        }
        self.take(1)?;
        self.out.push(' ');
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let bytes = self.rest.as_bytes();
        if bytes.first() != Some(&b'"') {
            return None;
        }
        let mut at = 1_usize;
        loop {
            match bytes.get(at)? {
                b'"' => return self.take(at.checked_add(1)?),
                b'\\' => match bytes.get(at.checked_add(1)?)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                        at = at.checked_add(2)?;
                    }
                    b'u' => {
                        let digits = bytes.get(at.checked_add(2)?..at.checked_add(6)?)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        at = at.checked_add(6)?;
                    }
                    _ => return None,
                },
                0..=0x1f => return None,
                _ => at = at.checked_add(1)?,
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        let bytes = self.rest.as_bytes();
        let digits = |from: usize| {
            bytes
                .iter()
                .skip(from)
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let mut at = usize::from(bytes.first() == Some(&b'-'));
        let whole = digits(at);
        if whole == 0 || (whole > 1 && bytes.get(at) == Some(&b'0')) {
            return None;
        }
        at = at.checked_add(whole)?;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at.checked_add(1)?);
            if fraction == 0 {
                return None;
            }
            at = at.checked_add(1)?.checked_add(fraction)?;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let signed = matches!(bytes.get(at.checked_add(1)?), Some(b'+' | b'-'));
            let from = at.checked_add(1)?.checked_add(usize::from(signed))?;
            let exponent = digits(from);
            if exponent == 0 {
                return None;
            }
            at = from.checked_add(exponent)?;
        }
        self.take(at)
    }

    fn literal(&mut self) -> Option<()> {
        let word = ["true", "false", "null"]
            .into_iter()
            .find(|word| self.rest.starts_with(word))?;
        self.take(word.len())
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Moves `len` bytes from what is left to what comes out.
    fn take(&mut self, len: usize) -> Option<()> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.out.push_str(taken);
        self.rest = rest;
        (self.out.len() <= self.max_len).then_some(())
    }

    fn new_line(&mut self) -> Option<()> {
        self.out.push('\n');
        for _ in 0..self.open.len() {
            self.out.push_str("  ");
        }
        (self.out.len() <= self.max_len).then_some(())
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }
}

/// What a piece of a laid-out line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The name of a field.
    Key,
    /// A string.
    Text,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// Brackets, commas, white space, and whatever is none of the others.
    Rest,
}

/// The pieces of one line that [`reindent`] made, in order and without gaps. A part of a line, as comes of
/// cutting a long one, is divided as far as it can be told.
pub fn pieces(line: &str) -> Vec<(Range<usize>, Piece)> {
    let bytes = line.as_bytes();
    let mut pieces: Vec<(Range<usize>, Piece)> = Vec::new();
    let mut at = 0_usize;
    while let Some(first) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let run = |wanted: fn(&u8) -> bool| rest.iter().take_while(|byte| wanted(byte)).count();
        let (len, piece) = match first {
            b'"' => {
                let len = string_len(rest);
                let is_key = rest.get(len) == Some(&b':');
                (len, if is_key { Piece::Key } else { Piece::Text })
            }
            b'-' | b'0'..=b'9' => (
                run(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')),
                Piece::Number,
            ),
            b'a'..=b'z' => (run(u8::is_ascii_lowercase), Piece::Word),
            _ => (
                run(|byte| !matches!(byte, b'"' | b'-' | b'0'..=b'9' | b'a'..=b'z')),
                Piece::Rest,
            ),
        };
        let end = at.saturating_add(len.max(1)).min(bytes.len());
        pieces.push((at..end, piece));
        at = end;
    }
    pieces
}

/// The length of the string that begins `bytes`, quotes included; all of it when it does not end.
fn string_len(bytes: &[u8]) -> usize {
    let mut escaped = false;
    for (index, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index.saturating_add(1),
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str) -> Option<String> {
        reindent(text, 10_000)
    }

    #[test]
    fn digits_order_and_repeated_keys_stay() {
        let text = r#"{"b":12345678901234567890.10,"a":[1,2e5,-0.0],"b":null,"s":"\u0041\"x"}"#;
        let wanted = "{\n  \"b\": 12345678901234567890.10,\n  \"a\": [\n    1,\n    2e5,\n    -0.0\n  ],\n  \"b\": null,\n  \"s\": \"\\u0041\\\"x\"\n}";
        assert_eq!(laid_out(text).as_deref(), Some(wanted));
    }

    #[test]
    fn empty_containers_stay_on_their_line() {
        assert_eq!(
            laid_out(" { \"a\" : { } , \"b\" : [ ] } ").as_deref(),
            Some("{\n  \"a\": {},\n  \"b\": []\n}")
        );
        assert_eq!(laid_out("[]").as_deref(), Some("[]"));
    }

    #[test]
    fn single_values_are_json_too() {
        for text in ["null", "true", "0", "-1.5E+3", "\"x\""] {
            assert_eq!(laid_out(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            " ",
            "nul",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "1.",
            "-",
            "1e",
            "\"\\x\"",
            "\"a\nb\"",
            "[1 2]",
            "1 2",
            "[1}",
            "\"abc",
            "\"\\u12\"",
            "{\"a\":1]",
            "'x'",
        ] {
            assert_eq!(laid_out(text), None, "{text}");
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        assert_eq!(reindent(&deep, usize::MAX), None);
        let nested = "[".repeat(200) + "1" + &"]".repeat(200);
        assert!(reindent(&nested, usize::MAX).is_some());
        assert_eq!(reindent(&nested, 1_000), None);
    }

    #[test]
    fn a_line_is_divided_into_its_pieces() {
        let line = "  \"a: b\": -1.5e3,";
        let found: Vec<(&str, Piece)> = pieces(line)
            .into_iter()
            .map(|(range, piece)| (&line[range], piece))
            .collect();
        assert_eq!(
            found,
            vec![
                ("  ", Piece::Rest),
                ("\"a: b\"", Piece::Key),
                (": ", Piece::Rest),
                ("-1.5e3", Piece::Number),
                (",", Piece::Rest),
            ]
        );
        assert_eq!(pieces("\"x\\\"y"), vec![(0..5, Piece::Text)]);
        assert_eq!(pieces("true")[0], (0..4, Piece::Word));
        assert!(pieces("").is_empty());
    }

    #[test]
    fn pieces_never_split_a_character() {
        let line = "Ünï \"ö\" 日本";
        for (range, _) in pieces(line) {
            assert!(line.get(range).is_some());
        }
    }
}
