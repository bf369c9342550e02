//! Words in bytes, in one case or in any.

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

/// A word that is looked for as it stands.
#[derive(Debug)]
pub struct Exact(Finder<'static>);

impl Exact {
    /// Looks for `word`.
    pub fn new(word: &str) -> Self {
        Self(Finder::new(word.as_bytes()).into_owned())
    }

    /// Whether it is in `bytes`.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.0.find(bytes).is_some()
    }
}

/// A word that is looked for in any case, by Unicode's simple case folding: one character for one character, so
/// `ä` is `Ä`, `ς` is `σ`, and `ß` is `ẞ` but not `ss`. The Turkish dotless `ı` is a letter of its own.
#[derive(Debug)]
pub enum AnyCase {
    /// All of it ASCII.
    Ascii(Ascii),
    /// Anything else.
    Other(Regex),
}

/// ASCII, found by its rarest byte.
#[derive(Debug)]
pub struct Ascii {
    word: Box<[u8]>,
    /// Where in the word its rarest byte stands.
    rare_at: usize,
    lower: u8,
    upper: u8,
    /// Characters beyond ASCII that fold to letters of this word, and how to look when one is there.
    beyond: Option<(Vec<Finder<'static>>, Regex)>,
}

impl AnyCase {
    /// Looks for `word`; `None` when it is too long for a word that is not ASCII.
    pub fn new(word: &str) -> Option<Self> {
        if !word.is_ascii() {
            return pattern(word).map(Self::Other);
        }
        let (rare_at, rarest) = word
            .bytes()
            .enumerate()
            .min_by_key(|(_, byte)| commonness(byte.to_ascii_lowercase()))?;
        // The long s and the Kelvin sign.
        let foreign: Vec<Finder<'static>> = [('s', "\u{17f}"), ('k', "\u{212a}")]
            .into_iter()
            .filter(|(letter, _)| word.to_ascii_lowercase().contains(*letter))
            .map(|(_, other)| Finder::new(other).into_owned())
            .collect();
        let beyond = if foreign.is_empty() {
            None
        } else {
            Some((foreign, pattern(word)?))
        };
        Some(Self::Ascii(Ascii {
            word: word.as_bytes().into(),
            rare_at,
            lower: rarest.to_ascii_lowercase(),
            upper: rarest.to_ascii_uppercase(),
            beyond,
        }))
    }

    /// Whether it is in `bytes`.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Ascii(ascii) => ascii.is_in(bytes),
            Self::Other(pattern) => pattern.is_match(bytes),
        }
    }
}

impl Ascii {
    fn is_in(&self, bytes: &[u8]) -> bool {
        let found = if self.lower == self.upper {
            memchr::memchr_iter(self.lower, bytes).any(|at| self.is_at(bytes, at))
        } else {
            memchr::memchr2_iter(self.lower, self.upper, bytes).any(|at| self.is_at(bytes, at))
        };
        found
            || self.beyond.as_ref().is_some_and(|(foreign, pattern)| {
                foreign.iter().any(|other| other.find(bytes).is_some()) && pattern.is_match(bytes)
            })
    }

    fn is_at(&self, bytes: &[u8], rare: usize) -> bool {
        rare.checked_sub(self.rare_at)
            .and_then(|from| bytes.get(from..)?.get(..self.word.len()))
            .is_some_and(|there| there.eq_ignore_ascii_case(&self.word))
    }
}

fn pattern(word: &str) -> Option<Regex> {
    RegexBuilder::new(&regex::escape(word))
        .case_insensitive(true)
        .build()
        .ok()
}

/// How often a byte stands in what is written to topics, from rare to common: letters as in English and in JSON's
/// names and numbers.
fn commonness(byte: u8) -> usize {
    const FROM_RARE: &[u8] =
        b"~`^|\\$%!?*=<>;#&'()@+[]qzjxkwvyfbgpmhu/{}_.-9876543lcdrsonita210 e:,\"";
    FROM_RARE
        .iter()
        .position(|other| *other == byte)
        .unwrap_or(0)
}
