//! Regular expressions within expressions: `test`, `match`, `capture`, `scan`, `split`, `sub` and what is built on them.
//!
//! The library's own makes every match of a text at once, however many, and compiles its pattern anew for each record.

use std::cell::RefCell;

use bytes::Bytes;
use jaq_core::native::bome;
use jaq_core::{Cv, Error, ValXs};
use jaq_json::{Num, Val};
use regex::bytes::{Match, Regex, RegexBuilder};

use super::budget::Bounded;

/// More matches, each of their groups counted, are not made of one text.
const MOST_MATCHES: usize = 1 << 14;
/// What a pattern may take compiled, and its cache while it runs, in bytes each.
const REGEX_BYTES: usize = 4 << 20;
/// So many patterns are kept compiled on a thread: expressions hold few, but may also make them of data.
const KEPT: usize = 8;

type Result<T> = std::result::Result<T, jaq_json::Error>;

/// What is given out of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// The matches.
    Matches,
    /// What lies between them.
    Between,
    /// Both, in turn.
    Both,
}

/// How a pattern is used, as its flags say.
#[derive(Clone, Copy, Default)]
struct Flags {
    all: bool,
    no_empty: bool,
}

struct Kept {
    pattern: Bytes,
    flags: Bytes,
    regex: Regex,
    how: Flags,
}

thread_local! {
    static COMPILED: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// `matches(pattern; flags)` and its kin: an array of what `parts` says.
pub fn run(cv: Cv<'_, Bounded>, parts: Parts) -> ValXs<'_, Val> {
    bome(found(cv, parts))
}

fn found(mut cv: Cv<'_, Bounded>, parts: Parts) -> Result<Val> {
    let flags = cv.0.pop_var();
    let pattern = cv.0.pop_var();
    let (regex, how) = compiled(text(&pattern)?, text(&flags)?)?;
    apply(text(&cv.1)?, &regex, how, parts)
}

fn text(value: &Val) -> Result<&[u8]> {
    match value {
        Val::TStr(text) => Ok(text),
        _ => Err(Error::str("only text can be matched, and with text")),
    }
}

fn compiled(pattern: &[u8], flags: &[u8]) -> Result<(Regex, Flags)> {
    COMPILED.with_borrow_mut(|kept| {
        if let Some(known) = kept
            .iter()
            .find(|known| known.pattern == pattern && known.flags == flags)
        {
            return Ok((known.regex.clone(), known.how));
        }
        let (regex, how) = compile(pattern, flags)?;
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Kept {
            pattern: Bytes::copy_from_slice(pattern),
            flags: Bytes::copy_from_slice(flags),
            regex: regex.clone(),
            how,
        });
        Ok((regex, how))
    })
}

fn compile(pattern: &[u8], flags: &[u8]) -> Result<(Regex, Flags)> {
    let pattern = str::from_utf8(pattern)
        .ok()
        .ok_or_else(|| Error::str("a regular expression is not valid UTF-8"))?;
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES);
    let mut how = Flags::default();
    for flag in String::from_utf8_lossy(flags).chars() {
        match flag {
            'g' => how.all = true,
            'n' => how.no_empty = true,
            'i' => drop(builder.case_insensitive(true)),
            'm' => drop(builder.multi_line(true)),
            's' => drop(builder.dot_matches_new_line(true)),
            'l' => drop(builder.swap_greed(true)),
            'x' => drop(builder.ignore_whitespace(true)),
            'p' => drop(builder.multi_line(true).dot_matches_new_line(true)),
            other => return Err(Error::str(format!("invalid regex flag: {other}"))),
        }
    }
    let regex = builder
        .build()
        .map_err(|error| Error::str(format!("invalid regex: {error}")))?;
    Ok((regex, how))
}

fn apply(text: &[u8], regex: &Regex, how: Flags, parts: Parts) -> Result<Val> {
    let mut out: Vec<Val> = Vec::new();
    let mut groups: usize = 0;
    let mut last = 0;
    // Characters up to a byte.
    let mut counted = (0_usize, 0_usize);
    for captures in regex.captures_iter(text) {
        let Some(whole) = captures.get(0) else {
            continue;
        };
        if whole.is_empty() && (how.no_empty || is_within_character(text, whole.start())) {
            continue;
        }
        groups = groups.saturating_add(captures.len());
        if groups > MOST_MATCHES {
            return Err(Error::str("there are too many matches"));
        }
        if parts != Parts::Matches {
            out.push(string(text.get(last..whole.start())));
            last = whole.end();
        }
        if parts != Parts::Between {
            let before = text.get(counted.0..whole.start());
            counted = (
                whole.start(),
                counted
                    .1
                    .saturating_add(characters(before.unwrap_or_default())),
            );
            let named = captures.iter().zip(regex.capture_names());
            let described = named.filter_map(|(group, name)| {
                let group = group?;
                let within = text.get(whole.start()..group.start()).unwrap_or_default();
                Some(description(
                    &group,
                    counted.1.saturating_add(characters(within)),
                    name,
                ))
            });
            out.push(described.collect());
        }
        if !how.all {
            break;
        }
    }
    if parts != Parts::Matches {
        out.push(string(text.get(last..)));
    }
    Ok(out.into_iter().collect())
}

fn description(group: &Match<'_>, offset: usize, name: Option<&str>) -> Val {
    let number = |number: usize| Val::Num(Num::from_integral(number));
    let fields = [
        ("offset", number(offset)),
        ("length", number(characters(group.as_bytes()))),
        ("string", string(Some(group.as_bytes()))),
    ];
    let name = name.map(|name| ("name", string(Some(name.as_bytes()))));
    Val::obj(
        fields
            .into_iter()
            .chain(name)
            .map(|(name, value)| (Val::utf8_str(name), value))
            .collect(),
    )
}

fn string(bytes: Option<&[u8]>) -> Val {
    Val::utf8_str(Bytes::copy_from_slice(bytes.unwrap_or_default()))
}

/// Whether a character began before this byte: patterns over bytes find nothing there too.
fn is_within_character(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)
}

/// How many characters these bytes are; what is no UTF-8 counts as one for each piece.
fn characters(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|chunk| {
            let broken = usize::from(!chunk.invalid().is_empty());
            chunk.valid().chars().count().saturating_add(broken)
        })
        .fold(0, usize::saturating_add)
}
