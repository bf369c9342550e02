//! Single fields of JSON, found in its text.
//!
//! A field is given back as it was written: a number with its own digits, an object with its own order. The
//! whole text is passed over, so that a key that stands twice is noticed and what is not JSON has no fields.

use std::collections::BTreeSet;

/// Larger values are not looked into.
pub const MOST_BYTES: usize = 256 * 1024;
/// Deeper nesting than this is not looked into.
const MAX_DEPTH: usize = 256;
/// Fields are listed down to this depth.
const LISTED_DEPTH: usize = 6;
/// No more fields of one value are listed than these.
const MOST_LISTED: usize = 200;

/// Where a field stands: `.amount`, `.address.city`, `.lines[0].sku`, `."odd key"`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Step {
    Key(String),
    Index(usize),
}

impl Path {
    /// The path that `text` writes; `None` when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('[') {
                let (index, after) = after.split_once(']')?;
                steps.push(Step::Index(index.parse().ok()?));
                rest = after;
                continue;
            }
            let after = rest.strip_prefix('.')?;
            let len = if after.starts_with('"') {
                let mut scan = Scan { text: after, at: 0 };
                scan.string()?;
                scan.at
            } else {
                after.find(['.', '[']).unwrap_or(after.len())
            };
            let (key, after) = after.split_at_checked(len)?;
            if key.is_empty() {
                return None;
            }
            steps.push(Step::Key(if key.starts_with('"') {
                unescaped(key)
            } else {
                key.to_owned()
            }));
            rest = after;
        }
        (!steps.is_empty()).then_some(Self { steps })
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for step in &self.steps {
            match step {
                Step::Key(key) => write_key(f, key)?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn write_key(f: &mut impl std::fmt::Write, key: &str) -> std::fmt::Result {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@');
    if !key.is_empty() && key.chars().all(plain) {
        write!(f, ".{key}")
    } else {
        let quoted = serde_json::to_string(key).unwrap_or_default();
        write!(f, ".{quoted}")
    }
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An object or an array.
    Nested,
}

/// A field that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'t> {
    /// What it is.
    pub kind: Kind,
    /// The field as it was written; a string with its quotes and escapes.
    pub raw: &'t str,
    /// Whether a key on the way to it stands more than once in its object; the first was taken.
    pub repeated: bool,
}

impl Field<'_> {
    /// What it says: a string without quotes and escapes, everything else as it was written.
    pub fn text(&self) -> String {
        match self.kind {
            Kind::Text => unescaped(self.raw),
            _ => self.raw.to_owned(),
        }
    }
}

/// The field at `path` of the JSON `text`; `None` when there is none, or `text` is not JSON.
pub fn find<'t>(text: &'t str, path: &Path) -> Option<Field<'t>> {
    let mut here = text;
    let mut repeated = false;
    for step in &path.steps {
        let mut found: Option<&'t str> = None;
        match step {
            Step::Key(wanted) => each_member(here, |key, value| {
                if is_key(key, wanted) {
                    repeated |= found.is_some();
                    found = found.or(Some(value));
                }
            })?,
            Step::Index(wanted) => each_element(here, |index, value| {
                if index == *wanted {
                    found = Some(value);
                }
            })?,
        }
        here = found?;
    }
    Some(Field {
        kind: kind_of(here)?,
        raw: here,
        repeated,
    })
}

/// The paths of the fields of the JSON object `text` that hold no further object, in order of their names.
/// Arrays are fields as a whole. Empty when `text` is not a JSON object.
pub fn listed(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if list(text, "", 1, &mut found).is_none() {
        found.clear();
    }
    found
}

fn list(text: &str, prefix: &str, depth: usize, found: &mut BTreeSet<String>) -> Option<()> {
    each_member(text, |key, value| {
        if found.len() >= MOST_LISTED {
            return;
        }
        let mut path = prefix.to_owned();
        // Writing to a String cannot fail.
        write_key(&mut path, &unescaped(key)).unwrap_or_default();
        let is_object = value.starts_with('{') && !is_empty_object(value);
        if is_object && depth < LISTED_DEPTH {
            // It was passed over already, so it is sound.
            list(value, &path, depth.saturating_add(1), found);
        } else {
            found.insert(path);
        }
    })
}

fn is_empty_object(text: &str) -> bool {
    text.strip_prefix('{')
        .is_some_and(|rest| rest.trim_start().starts_with('}'))
}

fn kind_of(value: &str) -> Option<Kind> {
    Some(match value.as_bytes().first()? {
        b'{' | b'[' => Kind::Nested,
        b'"' => Kind::Text,
        b't' | b'f' => Kind::Bool,
        b'n' => Kind::Null,
        _ => Kind::Number,
    })
}

/// Whether `raw`, a string as it was written, says `wanted`.
fn is_key(raw: &str, wanted: &str) -> bool {
    let inner = raw
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(raw);
    if inner.contains('\\') {
        unescaped(raw) == wanted
    } else {
        inner == wanted
    }
}

/// What a string says. Half of a pair of surrogates says nothing; then it stays as it was written.
fn unescaped(raw: &str) -> String {
    serde_json::from_str(raw).unwrap_or_else(|_| raw.trim_matches('"').to_owned())
}

/// Calls `found` with key and value of each member of the object `text`; `None` when it is no sound object.
fn each_member<'t>(text: &'t str, mut found: impl FnMut(&'t str, &'t str)) -> Option<()> {
    let mut scan = Scan { text, at: 0 };
    scan.enter(b'{')?;
    if !scan.take(b'}') {
        loop {
            scan.space();
            let key = scan.at;
            scan.string()?;
            let key = text.get(key..scan.at)?;
            scan.expect(b':')?;
            found(key, scan.value()?);
            if !scan.take(b',') {
                break;
            }
        }
        scan.expect(b'}')?;
    }
    scan.end()
}

/// Calls `found` with number and value of each element of the array `text`; `None` when it is no sound array.
fn each_element<'t>(text: &'t str, mut found: impl FnMut(usize, &'t str)) -> Option<()> {
    let mut scan = Scan { text, at: 0 };
    scan.enter(b'[')?;
    if !scan.take(b']') {
        let mut index = 0_usize;
        loop {
            found(index, scan.value()?);
            index = index.checked_add(1)?;
            if !scan.take(b',') {
                break;
            }
        }
        scan.expect(b']')?;
    }
    scan.end()
}

/// Passes over JSON.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn on(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.on(1);
        }
    }

    /// Goes past `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.byte() == Some(byte);
        if found {
            self.on(1);
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    fn enter(&mut self, byte: u8) -> Option<()> {
        self.expect(byte)
    }

    fn end(&mut self) -> Option<()> {
        self.space();
        (self.at >= self.text.len()).then_some(())
    }

    /// The value that comes next, passed over. A loop, not a recursion: foreign data decides the depth.
    fn value(&mut self) -> Option<&'t str> {
        self.space();
        let from = self.at;
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.space();
            match self.byte()? {
                begin @ (b'{' | b'[') => {
                    if open.len() >= MAX_DEPTH {
                        return None;
                    }
                    self.on(1);
                    let close = if begin == b'{' { b'}' } else { b']' };
                    if !self.take(close) {
                        open.push(close);
                        self.key_if(close)?;
                        continue;
                    }
                }
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number()?,
                _ => self.word()?,
            }
            loop {
                let Some(close) = open.last().copied() else {
                    return self.text.get(from..self.at);
                };
                if self.take(close) {
                    open.pop();
                } else {
                    self.expect(b',')?;
                    self.key_if(close)?;
                    break;
                }
            }
        }
    }

    /// In an object, a key comes before its value.
    fn key_if(&mut self, close: u8) -> Option<()> {
        if close == b'}' {
            self.space();
            self.string()?;
            self.expect(b':')?;
        }
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        if self.byte()? != b'"' {
            return None;
        }
        self.on(1);
        loop {
            match self.byte()? {
                b'"' => {
                    self.on(1);
                    return Some(());
                }
                b'\\' => {
                    self.on(1);
                    match self.byte()? {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.on(1),
                        b'u' => {
                            let from = self.at.checked_add(1)?;
                            let to = from.checked_add(4)?;
                            let digits = self.text.as_bytes().get(from..to)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            self.at = to;
                        }
                        _ => return None,
                    }
                }
                0..=0x1f => return None,
                _ => self.on(1),
            }
        }
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.on(1);
        }
        self.at.saturating_sub(from)
    }

    fn number(&mut self) -> Option<()> {
        if self.byte() == Some(b'-') {
            self.on(1);
        }
        let begins_with_zero = self.byte() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (whole > 1 && begins_with_zero) {
            return None;
        }
        if self.byte() == Some(b'.') {
            self.on(1);
            if self.digits() == 0 {
                return None;
            }
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.on(1);
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.on(1);
            }
            if self.digits() == 0 {
                return None;
            }
        }
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let word = ["true", "false", "null"]
            .into_iter()
            .find(|word| rest.starts_with(word))?;
        self.on(word.len());
        Some(())
    }
}

#[cfg(test)]
mod tests;
