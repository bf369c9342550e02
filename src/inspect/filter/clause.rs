//! One filter.

use regex::bytes::{Regex, RegexBuilder};

use std::cmp::Ordering;
use std::ops::Range;

use crate::decode::fields::{self, Kind, Path};
use crate::decode::number;
use crate::decode::value::{Part, Shape};

use super::jq::Program;
use super::word::{AnyCase, Exact};
use super::{Fault, Parts};

/// What a regular expression may take compiled, and its cache while it runs, in bytes each.
const REGEX_BYTES: usize = 4 << 20;

/// One filter.
#[derive(Debug)]
pub enum Clause {
    Key(Box<[u8]>),
    Text(Exact),
    AnyCase(AnyCase),
    Regex(Regex),
    Header { name: Box<[u8]>, value: Box<[u8]> },
    Field { path: Path, wanted: Wanted },
    Jq(Program),
}

/// What a field is compared with.
#[derive(Debug)]
pub struct Wanted {
    text: String,
    is_number: bool,
}

impl Clause {
    /// Reads a filter as it was written.
    pub fn parse(written: &str) -> Result<Self, Fault> {
        const KINDS: &str = "text:, itext:, regex:, key:, header:, field: and jq:";
        let Some((kind, rest)) = written.split_once(':') else {
            return Err(Fault::new(
                0..written.len(),
                format!("A filter begins with one of {KINDS}."),
            ));
        };
        let begins = kind.len().saturating_add(1);
        let nothing = || Fault::new(begins..begins, "There is nothing to look for.");
        let whole = || begins..written.len();
        let clause = match kind {
            "key" => Self::Key(rest.as_bytes().into()),
            "text" | "itext" | "regex" if rest.is_empty() => return Err(nothing()),
            "text" => Self::Text(Exact::new(rest)),
            "itext" => Self::AnyCase(
                AnyCase::new(rest).ok_or_else(|| Fault::new(whole(), "The word is too long."))?,
            ),
            "regex" => Self::Regex(regex(rest).map_err(|fault| fault.shifted(begins))?),
            "header" => header(rest).map_err(|fault| fault.shifted(begins))?,
            "field" => field(rest).map_err(|fault| fault.shifted(begins))?,
            "jq" => Self::Jq(Program::parse(rest).map_err(|fault| fault.shifted(begins))?),
            _ => {
                return Err(Fault::new(
                    0..kind.len(),
                    format!("“{kind}:” is no kind of filter. There are {KINDS}."),
                ));
            }
        };
        Ok(clause)
    }

    /// Whether the bytes of key and value decide it.
    pub fn is_of_bytes(&self) -> bool {
        matches!(
            self,
            Self::Key(_) | Self::Text(_) | Self::AnyCase(_) | Self::Regex(_)
        )
    }

    /// Which to ask first: the lower, the cheaper.
    pub fn cost(&self) -> u8 {
        match self {
            Self::Key(_) => 0,
            Self::Text(_) => 1,
            Self::AnyCase(_) => 2,
            Self::Header { .. } => 3,
            Self::Regex(_) => 4,
            Self::Field { .. } => 5,
            Self::Jq(_) => 6,
        }
    }

    /// Whether a record of this key and value can be kept; exact when the bytes decide it.
    pub fn may_keep(&self, key: Option<&[u8]>, value: Option<&[u8]>) -> bool {
        match self {
            Self::Key(wanted) => key == Some(wanted),
            Self::Text(word) => value.is_some_and(|value| word.is_in(value)),
            Self::AnyCase(word) => value.is_some_and(|value| word.is_in(value)),
            Self::Regex(pattern) => value.is_some_and(|value| pattern.is_match(value)),
            // Headers are not at hand, and decoded data may look nothing like its bytes.
            Self::Header { .. } | Self::Field { .. } | Self::Jq(_) => true,
        }
    }

    /// Whether a record is kept.
    pub fn keeps(&self, parts: &Parts<'_>) -> Result<bool, String> {
        let record = parts.record;
        Ok(match self {
            Self::Header { name, value } => record.headers.iter().any(|header| {
                header.name.as_bytes() == &**name && header.value.as_deref() == Some(&**value)
            }),
            Self::Field { path, wanted } => {
                let decoded = parts.part(Part::Value);
                decoded.shape == Shape::Json
                    && decoded
                        .text
                        .as_deref()
                        .and_then(|text| fields::find(text, path))
                        .is_some_and(|found| wanted.is(&found))
            }
            Self::Jq(program) => program.keeps(parts)?,
            _ => self.may_keep(record.key.as_deref(), record.value.as_deref()),
        })
    }
}

impl Wanted {
    fn new(text: &str) -> Self {
        let as_element = format!("[{text}]");
        let is_number = Path::parse("[0]")
            .and_then(|path| {
                let found = fields::find(&as_element, &path)?;
                Some(found.kind == Kind::Number && found.raw == text)
            })
            .unwrap_or(false);
        Self {
            text: text.to_owned(),
            is_number,
        }
    }

    fn is(&self, field: &fields::Field<'_>) -> bool {
        match field.kind {
            Kind::Number => {
                self.is_number && number::compare(field.raw, &self.text) == Ordering::Equal
            }
            Kind::Text => field.text() == self.text,
            Kind::Null | Kind::Bool | Kind::Nested => field.raw == self.text,
        }
    }
}

fn header(rest: &str) -> Result<Clause, Fault> {
    let Some((name, value)) = rest.split_once('=') else {
        return Err(Fault::new(
            rest.len()..rest.len(),
            "After the header's name comes = and its value: header:NAME=VALUE.",
        ));
    };
    if name.is_empty() {
        return Err(Fault::new(0..0, "The header's name is missing."));
    }
    Ok(Clause::Header {
        name: name.as_bytes().into(),
        value: value.as_bytes().into(),
    })
}

fn field(rest: &str) -> Result<Clause, Fault> {
    let Some(len) = end_of_path(rest) else {
        return Err(Fault::new(
            rest.len()..rest.len(),
            "After the field's path comes = and its value: field:.path=VALUE.",
        ));
    };
    let (path, value) = rest.split_at_checked(len).unwrap_or((rest, ""));
    let Some(read) = Path::parse(path) else {
        let sound = path
            .char_indices()
            .map(|(at, _)| at)
            .rev()
            .find(|at| {
                path.get(..*at)
                    .is_some_and(|start| Path::parse(start).is_some())
            })
            .unwrap_or(0);
        return Err(Fault::new(
            sound..len,
            "A path is written .name, .name.name, .list[0] or .\"odd name\".",
        ));
    };
    Ok(Clause::Field {
        path: read,
        wanted: Wanted::new(value.strip_prefix('=').unwrap_or(value)),
    })
}

/// Where the first = stands that is in no quoted name.
fn end_of_path(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b'=' if !is_quoted => return Some(at),
            _ => {}
        }
    }
    None
}

fn regex(pattern: &str) -> Result<Regex, Fault> {
    let built = RegexBuilder::new(pattern)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            Fault::new(0..pattern.len(), "The regular expression is too large.")
        }
        error => of_syntax(pattern, &error.to_string()),
    })
}

/// Reads the place out of the picture that the library draws of it: the pattern, indented, and carets beneath.
fn of_syntax(pattern: &str, picture: &str) -> Fault {
    let reason = picture
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("error: "))
        .unwrap_or("it cannot be read");
    let message = format!("The regular expression is wrong: {reason}.");
    let at = place(pattern, picture).unwrap_or(0..pattern.len());
    Fault::new(at, message)
}

fn place(pattern: &str, picture: &str) -> Option<Range<usize>> {
    const INDENT: usize = 4;
    if pattern.contains('\n') {
        return None;
    }
    let carets = picture
        .lines()
        .skip_while(|line| line.strip_prefix("    ") != Some(pattern))
        .nth(1)?;
    let first = carets.find('^')?.checked_sub(INDENT)?;
    let last = carets.rfind('^')?.checked_sub(INDENT)?;
    let byte = |character: usize| {
        pattern
            .char_indices()
            .nth(character)
            .map_or(pattern.len(), |(at, _)| at)
    };
    Some(byte(first)..byte(last.saturating_add(1)))
}
