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
