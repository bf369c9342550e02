//! Whether bytes are JSON, and which: they are looked at, never taken apart into values.
//!
//! It judges as [`rows`](crate::decode::rows) does when it lays JSON out, but nests as deep as it must, and
//! takes what some writers put into JSON all the same: `NaN`, `Infinity`, and bytes that are not UTF-8.

use std::ops::Range;

use memchr::memchr2;

use crate::decode::rows::Flaw;

/// What was seen of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// How deep they nest.
    pub depth: usize,
    /// Where the first literal stands that JSON has not: `NaN`, `Infinity`.
    pub literal: Option<usize>,
    /// How many bytes are not UTF-8, and where the first of them stands.
    pub stray: Option<(usize, usize)>,
}

/// Looks at one value after another.
#[derive(Debug)]
pub(super) struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
    is_utf8: bool,
    seen: Seen,
    depth: usize,
    /// The innermost 64 open brackets, a bit each: set for an object.
    innermost: u64,
    /// Those around them, 64 in each.
    around: Vec<u64>,
}

impl<'b> Scanner<'b> {
    /// At the beginning of `bytes`. When it is known that they are UTF-8, nothing looks for it again.
    pub(super) fn new(bytes: &'b [u8], is_utf8: bool) -> Self {
        Self {
            bytes,
            at: 0,
            is_utf8,
            seen: Seen::default(),
            depth: 0,
            innermost: 0,
            around: Vec::new(),
        }
    }

    /// The first byte that was not looked at.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// Passes over white space; whether anything follows it.
    pub(super) fn has_more(&mut self) -> bool {
        self.space();
        self.at < self.bytes.len()
    }

    /// Passes over one value.
    ///
    /// # Errors
    /// It is none, and where that shows.
    pub(super) fn value(&mut self) -> Result<(), Flaw> {
        loop {
            self.space();
            match self.byte() {
                Some(b'{') => {
                    self.open(true);
                    if self.closes(b'}') {
                        self.close();
                    } else {
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.open(false);
                    if self.closes(b']') {
                        self.close();
                    } else {
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(_) => self.word()?,
                None => return Err(self.flaw("it ends too early")),
            }
            if self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Goes on behind a value to where the next one stands; whether there is none, because no bracket is open.
    fn after_value(&mut self) -> Result<bool, Flaw> {
        while self.depth > 0 {
            let is_object = self.innermost & 1 == 1;
            self.space();
            match (self.byte(), is_object) {
                (Some(b','), _) => {
                    self.step();
                    if is_object {
                        self.space();
                        self.key()?;
                    }
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                (Some(_), _) => {
                    return Err(self.flaw("a comma or a closing bracket must stand here"));
                }
                (None, _) => return Err(self.flaw("it ends too early")),
            }
        }
        Ok(true)
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn flaw(&self, why: &'static str) -> Flaw {
        Flaw { at: self.at, why }
    }

    fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.step();
        }
    }

    fn open(&mut self, is_object: bool) {
        self.step();
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.around.push(self.innermost);
        }
        self.innermost = (self.innermost << 1) | u64::from(is_object);
        self.depth = self.depth.saturating_add(1);
        self.seen.depth = self.seen.depth.max(self.depth);
    }

    fn close(&mut self) {
        self.step();
        self.depth = self.depth.saturating_sub(1);
        self.innermost >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.innermost = self.around.pop().unwrap_or_default();
        }
    }

    /// Whether the bracket that was just opened is closed at once.
    fn closes(&mut self, bracket: u8) -> bool {
        self.space();
        self.byte() == Some(bracket)
    }

    /// The name of a field, and its colon.
    fn key(&mut self) -> Result<(), Flaw> {
        match self.byte() {
            Some(b'"') => self.string()?,
            Some(_) => return Err(self.flaw("the name of a field must stand here")),
            None => return Err(self.flaw("it ends too early")),
        }
        self.space();
        match self.byte() {
            Some(b':') => {
                self.step();
                Ok(())
            }
            Some(_) => Err(self.flaw("a colon must stand here")),
            None => Err(self.flaw("it ends too early")),
        }
    }

    fn string(&mut self) -> Result<(), Flaw> {
        self.step();
        loop {
            let rest = self.rest();
            let end = memchr2(b'"', b'\\', rest);
            let plain = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
            if let Some(at) = plain.iter().position(|byte| *byte < 0x20) {
                self.at = self.at.saturating_add(at);
                return Err(self.flaw("a string holds a control character"));
            }
            if !self.is_utf8 {
                self.count_stray(plain);
            }
            self.at = self.at.saturating_add(plain.len());
            match self.rest() {
                [b'"', ..] => {
                    self.step();
                    return Ok(());
                }
                [
                    b'\\',
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                    ..,
                ] => {
                    self.at = self.at.saturating_add(2);
                }
                [b'\\', b'u', a, b, c, d, ..]
                    if [a, b, c, d].into_iter().all(u8::is_ascii_hexdigit) =>
                {
                    self.at = self.at.saturating_add(6);
                }
                [] => return Err(self.flaw("it ends inside a string")),
                _ => return Err(self.flaw("there is no such escape")),
            }
        }
    }

    fn count_stray(&mut self, plain: &[u8]) {
        let mut at = self.at;
        for chunk in plain.utf8_chunks() {
            at = at.saturating_add(chunk.valid().len());
            let wrong = chunk.invalid().len();
            if wrong > 0 {
                let (count, first) = self.seen.stray.unwrap_or((0, at));
                self.seen.stray = Some((count.saturating_add(wrong), first));
                at = at.saturating_add(wrong);
            }
        }
    }

    fn number(&mut self) -> Result<(), Flaw> {
        if self.byte() == Some(b'-') {
            self.step();
            if self.literal("Infinity") {
                return Ok(());
            }
        }
        match self.byte() {
            Some(b'0') => self.step(),
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.flaw("a number is not complete")),
        }
        if self.byte() == Some(b'.') {
            self.step();
            self.some_digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.step();
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.step();
            }
            self.some_digits()?;
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), Flaw> {
        if matches!(self.byte(), Some(b'0'..=b'9')) {
            self.digits();
            Ok(())
        } else {
            Err(self.flaw("a number is not complete"))
        }
    }

    fn digits(&mut self) {
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.step();
        }
    }

    fn word(&mut self) -> Result<(), Flaw> {
        let rest = self.rest();
        let word = ["true", "false", "null"]
            .into_iter()
            .find(|word| rest.starts_with(word.as_bytes()));
        if let Some(word) = word {
            self.at = self.at.saturating_add(word.len());
            Ok(())
        } else if self.literal("NaN") || self.literal("Infinity") {
            Ok(())
        } else {
            Err(self.flaw("a value must stand here"))
        }
    }

    /// Passes over a literal that JSON has not; whether it stands here.
    fn literal(&mut self, word: &str) -> bool {
        let is_here = self.rest().starts_with(word.as_bytes());
        if is_here {
            self.seen.literal = self.seen.literal.or(Some(self.at));
            self.at = self.at.saturating_add(word.len());
        }
        is_here
    }
}

/// The fields of the object that `text` is, in order, up to the first flaw: name with its quotes, and value, as
/// ranges of `text`. None for what is no object.
pub(super) fn fields(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut scanner = Scanner::new(text.as_bytes(), true);
    let mut found = Vec::new();
    scanner.space();
    if scanner.byte() != Some(b'{') {
        return found;
    }
    loop {
        scanner.step();
        scanner.space();
        let from = scanner.at();
        if scanner.byte() != Some(b'"') || scanner.string().is_err() {
            return found;
        }
        let name = from..scanner.at();
        scanner.space();
        scanner.step();
        scanner.space();
        let from = scanner.at();
        if scanner.value().is_err() {
            return found;
        }
        found.push((name, from..scanner.at()));
        scanner.space();
        if scanner.byte() != Some(b',') {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::decode::rows::{Form, Layout, MAX_DEPTH, State};

    fn scan(text: &str) -> Result<Seen, Flaw> {
        let mut scanner = Scanner::new(text.as_bytes(), true);
        scanner.value()?;
        if scanner.has_more() {
            return Err(scanner.flaw("something follows the value"));
        }
        Ok(scanner.seen())
    }

    /// What laying it out says of it.
    fn laid_out(text: &str) -> Result<(), Flaw> {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        let mut layout = Layout::new(bytes, Form::Json, 80);
        while layout.state() == State::Unfinished {
            layout.advance(1_000);
        }
        match layout.state() {
            State::Broken(flaw) => Err(flaw),
            _ => Ok(()),
        }
    }

    #[test]
    fn it_judges_as_the_rows_do() {
        let alphabet = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "1", "-", "0", ".5", "e+1", "true",
            "null", " ", "\\u00e4", "\\", "ä", "\n", "x",
        ];
        let mut random = fastrand::Rng::with_seed(7);
        let mut judged = [0, 0];
        for round in 0..20_000 {
            let text = if round % 2 == 0 {
                let parts =
                    (0..random.usize(1..10)).map(|_| alphabet[random.usize(..alphabet.len())]);
                parts.collect::<String>()
            } else {
                let mut text =
                    r#" {"a": [1, -2.5e3, {"b": "x\n"}], "c": null, "a": true} "#.to_owned();
                let at = random.usize(..text.len());
                text.replace_range(at..=at, alphabet[random.usize(..alphabet.len())]);
                text
            };
            let (found, expected) = (scan(&text).map(|_| ()), laid_out(&text));
            assert_eq!(found, expected, "{text}");
            judged[usize::from(found.is_ok())] += 1;
        }
        assert!(judged[0] > 1_000 && judged[1] > 1_000, "{judged:?}");
    }

    #[test]
    fn it_nests_as_deep_as_it_must() {
        for depth in [1, 63, 64, 65, 128, 129, MAX_DEPTH, 100_000] {
            let text = "[{\"a\":".repeat(depth) + "1" + &"}]".repeat(depth);
            assert_eq!(scan(&text).map(|seen| seen.depth), Ok(depth * 2), "{depth}");
            let text = text.replacen("}]}]", "}}]]", 1);
            assert!(depth == 1 || scan(&text).is_err());
        }
    }

    #[test]
    fn literals_and_stray_bytes_are_noted() {
        let seen = scan("[NaN, -Infinity, Infinity]").unwrap();
        assert_eq!((seen.literal, seen.stray), (Some(1), None));
        assert!(scan("Nan").is_err() && scan("-NaN").is_err() && scan("-Infinit").is_err());
        let mut scanner = Scanner::new(b"[\"a\xffb\", \"\xe2\x82\"]", false);
        scanner.value().unwrap();
        assert_eq!(scanner.seen().stray, Some((3, 3)));
    }

    #[test]
    fn fields_keep_order_and_repetition() {
        let text = r#" {"b" : 1.0 , "a":{"x":[1]}, "b":"\"" } "#;
        let found: Vec<(&str, &str)> = fields(text)
            .into_iter()
            .map(|(name, value)| (&text[name], &text[value]))
            .collect();
        assert_eq!(
            found,
            [
                ("\"b\"", "1.0"),
                ("\"a\"", "{\"x\":[1]}"),
                ("\"b\"", "\"\\\"\"")
            ]
        );
        assert!(fields("[1]").is_empty() && fields("{}").is_empty() && fields("").is_empty());
        assert!(fields("{\"a\"").is_empty() && fields("{\"a\":").is_empty());
    }
}
